r"""Rigorous bounds of posterior beliefs, in time that does not grow with the states of a group.

With ``L(S, n)`` for the likelihood that the records of a group but those in ``S`` have values of
counts ``n`` (see `posterior`), the posterior odds of record j are its prior odds times ratios of

``f_u = L({j}, n - e_u)``,   ``x_u = f_u / f_s``,

where s is a *reference* value, the commonest of the group. Adding up over the record r that has u
in an assignment of the denominator gives an identity,

``x_u = n_u / sum_(r not in S) T_ru``,   ``T_ru = P_ru / sum_w P_rw x'_w``,

in which ``x'`` are the same ratios of the smaller problem without r, and without one value u
(Bayati, Gamarnik, Katz, Nair, Tetali 2007 count matchings by its like; with ``x`` in place of
``x'`` it is belief propagation). ``x_u`` grows with every ``x'_w``: so bounds of the ratios of all
smaller problems give bounds of those of this one, and they are carried through *levels*: at level l
so many records are removed, and one value fewer.

- At every level there are bounds by *exchanges*. If a record that has s takes u instead, the weight
  of an assignment changes by ``P_ru / P_rs``, and ``n_s`` records may; so ``x_u`` lies between
  ``n_u`` over the sums of the ``n_s`` largest and of the ``n_s`` smallest of these quotients.
  Likewise where records that have u take s. Records that cannot have one of the two are allowed
  for. At the deepest level there are no others.
- Which records were removed is known at the first level only: elsewhere the largest terms are
  taken from lower sums, and none from upper ones. Of the values that were removed, up to two are
  told apart.
- ``x_u T_ru`` is a probability. So a term without an upper bound counts as one record.

Last, records with a value add up to its count, and beliefs to 1.

All bounds hold up to rounding, for which there is a margin. The divergence that they allow is
mostly within some thousandths of a bit of the true one; they tell nothing where many records cannot
have the values that others have. A group that contradicts the prior has no posterior, and its
bounds mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["bounds"]

_TOLD_APART = 2
"""Number of removed values that are told apart; where another was removed is the deepest level."""

_ROUNDING = 1e-12
"""Relative error that is allowed for in sums over records."""

_MARGIN = 1e-10
"""Relative error that is allowed for in beliefs."""

_TINY, _HUGE = 1e-200, 1e200
"""Numbers beyond which a bound is none, lest something underflow or overflow unseen."""

_CHUNK_FLOATS = 500_000
"""Size to which arrays are limited, so that they stay in a cache, unless one group is larger."""

_MOST_FLOATS = 1_000_000
"""Size of the arrays of one group above which nothing is said of it."""

_Bounds = tuple[FloatArray, FloatArray]
"""Lower and upper bounds; an upper one may be infinite."""


def bounds(
    groups: Groups,
    weights: IntArray,
    histograms: IntArray,
    prior: FloatArray,
    progress: Progress = SILENT,
) -> _Bounds:
    """Bounds of the posterior beliefs about each membership.

    Args:
        weights: Shape (e,). Records of each membership, at least 1.
        histograms: Shape (g, m). Records of each group with each value.
        prior: Shape (e, m). Prior of each membership's records.

    Returns:
        low, high: Shape (e, m). Lower and upper bounds. Where nothing is known they are 0 and 1, or
            0 for a value that the group does not have.
    """
    low = np.zeros(prior.shape)
    high = (histograms > 0)[groups.owner].astype(np.float64)
    for chosen in _batches(groups, histograms):
        progress.poll()
        batch = _Batch(groups, chosen, weights, histograms, prior)
        for target, found in zip((low, high), batch.beliefs(), strict=True):
            target[batch.memberships, batch.values] = found[batch.inside]
    return low, high


def _batches(groups: Groups, histograms: IntArray) -> Iterator[IntArray]:
    """Groups of similar shape, as many as fit; those that are too large are in no batch."""
    present, widths = (histograms > 0).sum(axis=1), groups.widths
    order = np.lexsort((widths, present))
    order = order[(widths * present**2)[order] <= _MOST_FLOATS]
    start = 0
    while start < len(order):
        # Padded to the largest of the batch, which stands last: sizes rise within equal `present`.
        some = order[start : start + _CHUNK_FLOATS]
        padded = np.maximum.accumulate(widths[some]) * present[some] ** 2
        fits = (np.arange(1, len(some) + 1) * padded <= _CHUNK_FLOATS).cumprod().astype(bool)
        stop = start + max(1, int(fits.sum()))
        yield order[start:stop]
        start = stop


class _Batch:
    """Groups of one shape: ``b`` groups of ``k`` memberships and ``v`` values, the reference first.

    What is padded has weight, count and chance 0. Arrays of ratios and terms have values on the
    last axis, and memberships, where they differ by these, on the second.
    """

    def __init__(
        self,
        groups: Groups,
        chosen: IntArray,
        weights: IntArray,
        histograms: IntArray,
        prior: FloatArray,
    ) -> None:
        counts = histograms[chosen]
        values = np.argsort(-counts, axis=1, kind="stable")
        values = values[:, : int((counts > 0).sum(axis=1).max())]
        widths = groups.widths[chosen]
        slots = np.arange(int(widths.max()))
        there = slots < widths[:, None]
        rows = np.where(there, groups.offsets[chosen][:, None] + slots, 0)
        self.counts = np.take_along_axis(counts, values, axis=1).astype(np.float64)
        self.weights = np.where(there, weights[rows], 0).astype(np.float64)[:, :, None]
        self.inside = there[:, :, None] & (self.counts > 0)[:, None, :]
        self.chance = np.where(self.inside, prior[rows[:, :, None], values[:, None, :]], 0.0)
        shape = self.inside.shape
        self.memberships = np.broadcast_to(rows[:, :, None], shape)[self.inside]
        self.values = np.broadcast_to(values[:, None, :], shape)[self.inside]
        self._same = np.eye(shape[2])

    def beliefs(self) -> _Bounds:
        """Bounds of beliefs, (b, k, v)."""
        low, high = self._first()
        others = 1.0 - self._same
        least, most = self.chance * low, _times(self.chance, high)
        unbounded = np.isinf(most)
        most_others = np.where(unbounded, 0.0, most) @ others
        most_others[(unbounded @ others) > 0] = np.inf
        high = np.where(unbounded, 1.0, _over(most, most + least @ others, 1.0))
        low = np.where(np.isinf(most_others), 0.0, _over(least, least + most_others, 0.0))
        high = np.minimum(high * (1.0 + _MARGIN) + _TINY, 1.0)
        return self._added_up(low * (1.0 - _MARGIN), np.where(self.inside, high, 0.0))

    def _added_up(self, low: FloatArray, high: FloatArray) -> _Bounds:
        """Narrow bounds: beliefs add up to counts in columns, and to 1 in rows."""
        columns = self.weights, self.counts[:, None, :], 1
        for weights, total, axis in (columns, (np.ones(1), np.ones(1), 2)):
            margin = _MARGIN * total
            of_others = (weights * low).sum(axis=axis, keepdims=True) - low
            narrowed = np.minimum(high, np.maximum(total - of_others + margin, 0.0))
            of_others = (weights * high).sum(axis=axis, keepdims=True) - high
            low = np.maximum(low, np.where(self.inside, total - of_others - margin, 0.0))
            high = narrowed
        return np.minimum(low, high), high

    def _first(self) -> _Bounds:
        """Ratios without one record, for each record, (b, k, v)."""
        low, high = _terms(self.chance, *self._second())
        unbounded = np.isinf(high)
        bounded = np.where(unbounded, 0.0, high)
        weights, counts = self.weights, self.counts[:, None, :]
        found = _ratios(
            counts,
            (weights * low).sum(axis=1, keepdims=True) * (1.0 - _ROUNDING) - low,
            (weights * bounded).sum(axis=1, keepdims=True) * (1.0 + _ROUNDING) - bounded,
            (weights * unbounded).sum(axis=1, keepdims=True) - unbounded,
        )
        return _narrower(found, [each[:, None, :] for each in self._exchanges[0]])

    def _second(self) -> _Bounds:
        """Ratios without that record, a record r and a value u: (b, k for r, v for u, v)."""
        low, high = _terms(self.chance[:, :, None, :], *self._third())
        unbounded = np.isinf(high)
        bounded = np.where(unbounded, 0.0, high)
        weights = self.weights[..., None]
        # The first record is not known: at worst it is that of the largest term, but for r.
        largest = low.max(axis=1, keepdims=True)
        at = low.argmax(axis=1)[:, None]
        hidden = low.copy()
        np.put_along_axis(hidden, at, 0.0, axis=1)
        alone = (np.arange(low.shape[1])[:, None, None] == at) & (weights == 1)
        largest = np.where(alone, hidden.max(axis=1, keepdims=True), largest)
        counts = self.counts[:, None, :] - self._same
        counts[:, :, 0] = self.counts[:, :1]
        found = _ratios(
            counts[:, None],
            (weights * low).sum(axis=1, keepdims=True) * (1.0 - _ROUNDING) - low - largest,
            (weights * bounded).sum(axis=1, keepdims=True) * (1.0 + _ROUNDING) - bounded,
            (weights * unbounded).sum(axis=1, keepdims=True) - unbounded,
        )
        every, fewer = self._exchanges[:2]
        known = [
            np.where(self._same > 0, own[:, None, :], other[:, None, :])[:, None]
            for own, other in zip(fewer, every, strict=True)
        ]
        return _narrower(found, known)

    def _third(self) -> _Bounds:
        """Ratios without three records and values u and w: (b, 1, v for u, v for w, v)."""
        fewer = [self._fourth(count) for count in range(_TOLD_APART + 1)]
        place = np.arange(len(self._same))
        same = self._same.astype(np.int64)
        which = same[:, None, :] + same[None, :, :]
        low, high = (
            np.stack([each[side] for each in fewer], axis=1)[:, which, place] for side in (0, 1)
        )
        return low[:, None], high[:, None]

    def _fourth(self, fewer: int) -> _Bounds:
        """Ratios without three records and two values, `fewer` of which are the value: (b, v)."""
        removed = _TOLD_APART + 1
        # Without the value once more, and without any others, as many as are left.
        own, others = self._exchanges[fewer + 1], self._exchanges[_TOLD_APART - fewer]
        every = self._exchanges[0]
        same = self._same > 0
        low = np.where(same, own[0][:, None, :], others[0][:, None, :])
        high = np.where(same, own[1][:, None, :], every[1][:, None, :])
        low, high = _terms(self.chance, low[:, None], high[:, None])
        unbounded = np.isinf(high)
        found = _ratios(
            np.maximum(self.counts - fewer, 0.0),
            self._without(low, removed),
            (self.weights * np.where(unbounded, 0.0, high)).sum(axis=1) * (1.0 + _ROUNDING),
            (self.weights * unbounded).sum(axis=1),
        )
        return _narrower(found, self._exchanges[fewer])

    def _without(self, terms: FloatArray, removed: int) -> FloatArray:
        """Sum of terms of all records but so many of the largest, (b, v)."""
        order = np.argsort(-terms, axis=1)
        falling = np.take_along_axis(terms, order, axis=1)
        weights = np.take_along_axis(np.broadcast_to(self.weights, terms.shape), order, axis=1)
        left = np.minimum(weights, np.maximum(np.cumsum(weights, axis=1) - removed, 0.0))
        least: FloatArray = (left * falling).sum(axis=1)
        return least * (1.0 - _ROUNDING)

    @cached_property
    def _exchanges(self) -> list[_Bounds]:
        """Ratios by exchanges, (b, v): any records were removed, and of the value 0, 1, ..."""
        weights = np.broadcast_to(self.weights, self.chance.shape)
        to = _Exchange.of(self.chance[:, :, :1], self.chance, weights)
        back = _Exchange.of(self.chance, self.chance[:, :, :1], weights)
        reference = self.counts[:, :1]
        found = []
        for fewer in range(_TOLD_APART + 2):
            counts = np.maximum(self.counts - fewer, 0.0)
            number = np.broadcast_to(reference, counts.shape)
            high = _over(counts, to.least(number), np.inf)
            low = _over(np.maximum(counts - to.others, 0.0), to.most(number), 0.0)
            low = np.maximum(low, back.least(counts) / reference)
            high = np.minimum(high, _over(back.most(counts), reference - back.others, np.inf))
            low, high = np.where(counts > 0, low, 0.0), np.where(counts > 0, high, 0.0)
            low[:, 0] = high[:, 0] = 1.0
            found.append((np.where(low < _HUGE, low, _HUGE), np.where(high < _HUGE, high, np.inf)))
        return found


class _Exchange:
    """Quotients by which weights change where records that have one value take another.

    Args:
        quotients: Shape (b, k, v). The quotients of all records, rising; infinite for those that
            cannot have the one.
        weights: Shape (b, k, v). Records of each, 0 for these.
        others: Shape (b, v). Records that can have the other value only.
    """

    def __init__(self, quotients: FloatArray, weights: FloatArray, others: FloatArray) -> None:
        self._quotients, self._weights, self.others = quotients, weights, others
        self._below = np.cumsum(weights, axis=1) - weights

    @classmethod
    def of(cls, one: FloatArray, other: FloatArray, weights: FloatArray) -> _Exchange:
        """Exchange one value for another, by the chances of each record."""
        able = np.broadcast_to(one > 0, weights.shape)
        with np.errstate(over="ignore"):
            quotients = _over(np.broadcast_to(other, weights.shape), one, np.inf)
        order = np.argsort(quotients, axis=1)
        return cls(
            np.take_along_axis(quotients, order, axis=1),
            np.take_along_axis(np.where(able, weights, 0.0), order, axis=1),
            (weights * (~able & (other > 0))).sum(axis=1),
        )

    def least(self, number: FloatArray) -> FloatArray:
        """Sum of so many of the smallest, (b, v); 0 where there are not so many."""
        taken = np.clip(number[:, None, :] - self._below, 0.0, self._weights)
        total = _times(taken, np.minimum(self._quotients, _HUGE)).sum(axis=1)
        enough = self._weights.sum(axis=1) >= number
        return np.where(enough, total * (1.0 - _ROUNDING), 0.0)

    def most(self, number: FloatArray) -> FloatArray:
        """Sum of so many of the largest, or of all, (b, v)."""
        above = self._weights.sum(axis=1, keepdims=True) - self._below - self._weights
        taken = np.clip(number[:, None, :] - above, 0.0, self._weights)
        total: FloatArray = _times(taken, self._quotients).sum(axis=1) * (1.0 + _ROUNDING)
        return total


def _terms(chance: FloatArray, low: FloatArray, high: FloatArray) -> _Bounds:
    """Bounds of the terms ``T`` of each record and value u, from the ratios of smaller problems.

    Args:
        chance: Shape (b, k, ..., v). Chances of values.
        low, high: Shape (b, k or 1, ..., v for u, v). Bounds of ratios without u.

    Returns:
        low, high: Shape (b, k, ..., v). Infinite upper ones where there are none.
    """

    def added(shares: FloatArray, ratios: FloatArray) -> FloatArray:
        """Sum over values of shares times ratios, of each record and value u."""
        if low.shape[1] > 1:
            each: FloatArray = np.matmul(ratios, shares[..., None])[..., 0]
            return each
        # All records have the same ratios: one product of matrices does.
        rows = shares.reshape(*shares.shape[:2], shares.shape[-1])
        columns = ratios.reshape(len(ratios), -1, ratios.shape[-1]).transpose(0, 2, 1)
        total: FloatArray = (rows @ columns).reshape(*rows.shape[:2], *ratios.shape[2:-1])
        return total

    unbounded = np.isinf(high)
    some = np.zeros(1)
    if unbounded.any():
        some = added((chance > 0).astype(np.float64), unbounded.astype(np.float64))
    most, least = added(chance, np.where(unbounded, 0.0, high)), added(chance, low)
    lower = np.where(some > 0, 0.0, _over(np.ones(1), np.where(most > _TINY, most, 0.0), 0.0))
    upper = _over(np.ones(1), np.where(least > _TINY, least, 0.0), np.inf)
    lower, upper = chance * lower, _times(chance, upper)
    return lower, np.where(upper < _HUGE, upper, np.inf)


def _ratios(
    counts: FloatArray, least: FloatArray, most: FloatArray, unbounded: FloatArray
) -> _Bounds:
    """Bounds of ratios from those of sums of terms, and from how many terms have no upper bound."""
    least = np.where(least > _TINY, least, 0.0)
    low = _over(np.maximum(counts - unbounded, 0.0), np.where(most > _TINY, most, 0.0), 0.0)
    high = np.where(counts > 0, _over(counts, least, np.inf), 0.0)
    low, high = np.minimum(low, _HUGE), np.where(high < _HUGE, high, np.inf)
    low[..., 0] = high[..., 0] = 1.0
    return low, high


def _narrower(found: _Bounds, known: _Bounds | list[FloatArray]) -> _Bounds:
    """The narrower of two bounds each; lower ones that rounding put above are taken down."""
    high = np.minimum(found[1], known[1])
    return np.minimum(np.maximum(found[0], known[0]), high), high


def _over(number: FloatArray, by: FloatArray, otherwise: float) -> FloatArray:
    """Quotient; something else where the divisor is not positive."""
    shape = np.broadcast_shapes(number.shape, by.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        quotient: FloatArray = np.divide(number, by, out=np.full(shape, otherwise), where=by > 0)
    return quotient


def _times(number: FloatArray, by: FloatArray) -> FloatArray:
    """Product, 0 where the first is 0, whatever the second."""
    shape = np.broadcast_shapes(number.shape, by.shape)
    product: FloatArray = np.multiply(number, by, out=np.zeros(shape), where=number > 0)
    return product
