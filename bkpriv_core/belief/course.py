r"""Change of beliefs between two bandwidths: bounds that need beliefs at both ends only.

A bound for a range of bandwidths has to hold at every one of them, but beliefs can be computed at
some only. With ``b = B^-2`` a kernel weight is a product of ``max(0, 1 - x^2 b)``, one factor for
each quasi-identifier. These fall and are convex in ``b``, also where another cell comes into reach,
and so are products of such, and sums: so is every weighted count ``N_js`` of value ``s`` that is
seen around record ``j`` (`kernel_sums`). Between two points it therefore lies below its chord and
above its tangents. All that follows is between a *wide* bandwidth and a *sharp* one, and of second
order in how far they are apart; l goes from 0 at the wide one to 1.

**Priors.** With the chord of the row's counts ``N_j`` in their place the belief would be on the
line between the priors of both ends. The chord is the counts and something beside them, which is
``e`` of it at most, by the tangents of the row's sum: so the line is ``(1 - e)`` of the prior and
``e`` of another belief.

**Posteriors.** An assignment ``X`` of a group's values to its records has ``P(X)`` as ``prod_j
N_jX_j``. Let ``S(X)`` be the logarithm of how many times more it weighs at the wide end, and ``V``
the mean of ``S`` at the wide end less that at the sharp one; it takes marginals only, that is
posteriors. Were the logarithm of each count linear in l, ``P`` would be as ``P_wide^(1-l)
P_sharp^l``, which is below ``(1-l) P_wide + l P_sharp`` and sums to at least ``exp(-V / 4)``: it is
``exp(min((1-l) K, l K'))`` at least, by Jensen's inequality, with divergences that sum to ``V``.
What the logarithms of counts miss being linear by, all records together and up to what is common to
all values of a record, is a factor again; it is computed at some places, and bounded between.
So is ``P(X)`` at any point at most ``1 / c`` times what
lies on the line between the ends, with ``c`` nearly 1; and the total variation of both, and of the
posteriors about each record, at most ``1 / c - 1``. Values that come into reach between the ends
are *loose*: assignments that have one are told apart. Of these P is at most ``Z_wide / Z_sharp``
times what lies on the line, by convexity of products, and they are few, or the ends too far apart.

**Distances.** The Jensen-Shannon divergence is jointly convex. On the lines between the ends it is
at most the larger one at the ends, up to how far the two run apart on them; and what is moved from
these lines changes it by what removing so much, and adding it, can change at most.

**Breaches.** A value may have been believed as little as at one of the ends, and less by what
counts are below their chords. It is believed as much as at one of the ends, and more by what
posteriors are off the line.

The bounds are exact upper bounds where posteriors are exact. Of posteriors that are estimates the
records' marginals take the place of assignments, and what is said in between is an estimate too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["STEP", "CoursePoint", "bound_between"]


STEP = 2.0**-24
"""Length of the chords that stand for tangents, as a share of ``B^-2``."""

_PRICES = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
"""Bits for a unit of probability; see `_removed_at_most`."""


@dataclass(frozen=True, eq=False)
class CoursePoint:
    """Beliefs about memberships at one bandwidth each.

    Parameters
    ----------
    place : (r,) float array
        ``B^-2``, the same for all memberships of a group.
    sums : (r, m) float array
        Weighted counts; see `kernel_sums`.
    after : (r, m) float array
        Slopes of the chord of the sums from the place to `STEP` of it further.
    beliefs : (r, m) float array
        Posteriors.
    """

    place: FloatArray
    sums: FloatArray
    after: FloatArray
    beliefs: FloatArray

    def select(self, rows: npt.NDArray[np.generic]) -> CoursePoint:
        """Select memberships."""
        return CoursePoint(
            self.place[rows],
            self.sums[rows],
            self.after[rows],
            self.beliefs[rows],
        )

    @classmethod
    def joined(cls, points: list[CoursePoint]) -> CoursePoint:
        """Memberships of several, one after the other."""
        return cls(
            *(
                np.concatenate([getattr(point, name) for point in points])
                for name in ("place", "sums", "after", "beliefs")
            )
        )


def bound_between(
    groups: Groups,
    weights: IntArray,
    exact: BoolArray,
    wide: CoursePoint,
    sharp: CoursePoint,
    images: tuple[FloatArray | None, ...],
    inner: FloatArray | None = None,
    believed: float | None = None,
) -> FloatArray:
    """Bound how far beliefs move at any bandwidth between two, or what they come to.

    Parameters
    ----------
    groups : Groups
        Groups of memberships, which stand in order: the members of all are 0 ... r - 1.
    weights : (r,) int array
        Records of each.
    exact : (g,) bool array
        Groups whose beliefs are exact posteriors.
    wide, sharp : CoursePoint
        The ends: the larger bandwidth and the smaller one.
    images : tuple of (m, i) float array or None
        See `Distance.images`.
    inner : (n, r, m) float array, optional
        Sums at places of equal distances between the ends, from the wide one on.
    believed : float, optional
        See `Distance.believed`.

    Returns
    -------
    (r,) float array
        An upper bound, perhaps above 1; of groups that are not exact an estimate of one.
    """
    apart = _apart(groups, weights, exact, wide, sharp=sharp, inner=inner)
    bound = np.zeros(len(weights))
    for image in images:
        figures = (
            _moved_at_most(wide, sharp, image, apart)
            if believed is None
            else _believed_at_most(wide, sharp, image, apart, most=believed)
        )
        np.maximum(bound, figures, out=bound)
    return bound


def _apart(
    groups: Groups,
    weights: IntArray,
    exact: BoolArray,
    wide: CoursePoint,
    sharp: CoursePoint,
    inner: FloatArray | None,
) -> FloatArray:
    """Total variation of the posterior about each membership and the line between the ends."""
    owner = groups.owner
    seen = (wide.beliefs > 0) | (sharp.beliefs > 0)
    _, falls, rises = _tube(wide, sharp)
    gap = np.where(seen, falls + rises, 0.0)
    loose = seen & _loose(gap, np.maximum(wide.beliefs, sharp.beliefs))
    firm = seen & ~loose
    each = weights[:, None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(firm, np.log(wide.sums) - np.log(sharp.sums), 0.0)
        # How probable it is that one of the loose values is taken, at both ends.
        lost = groups.sum(each * np.where(loose, wide.beliefs, 0.0)).sum(axis=1)
        other = groups.sum(each * np.where(loose, sharp.beliefs, 0.0)).sum(axis=1)
        centred = _centred(ratio, firm, wide.beliefs + sharp.beliefs, weights, groups=groups)
        moved = np.where(firm, (wide.beliefs - sharp.beliefs) * centred, 0.0)
        most = groups.sum(weights * np.abs(centred).max(axis=1, initial=0.0))
        divergence = groups.sum(weights * moved.sum(axis=1)) + 2.0 * (lost + other) * most
        growth = groups.sum((each * np.where(firm, wide.beliefs * ratio, 0.0)).sum(axis=1))
        kept = 1.0 - np.maximum(lost, other)
        missed = np.where(firm, falls, 0.0).max(axis=1) + np.where(firm, rises, 0.0).max(axis=1)
        if inner is not None:
            shares = wide.beliefs + sharp.beliefs
            finer = _missed(groups, weights, firm, shares, wide=wide, sharp=sharp, inner=inner)
            total = groups.sum(weights * finer) < groups.sum(weights * missed)
            missed = np.where(total[owner], finer, missed)
        missed[seen.sum(axis=1) <= 1] = 0.0
        bent = np.maximum(divergence, 0.0) / 4.0 + groups.sum(weights * missed)
        apart = np.exp(bent) / kept - 1.0
        beyond = np.exp(growth / kept) / kept - 1.0
        apart += np.where(lost > 0, lost * beyond, 0.0)
        apart = np.where((kept > 0.5) & (apart < 1.0), apart, 1.0)
        # One membership by itself has the group's shares, wherever.
        apart[groups.widths == 1] = 0.0
        spread = apart[owner]
        if not exact.all():
            both = (wide.beliefs > 0) & (sharp.beliefs > 0)
            own = np.log(wide.beliefs, where=both, out=np.zeros_like(ratio))
            own -= np.log(sharp.beliefs, where=both, out=np.zeros_like(ratio))
            alone = (np.where(both, wide.beliefs - sharp.beliefs, 0.0) * own).sum(axis=1)
            either = np.where(seen & ~both, wide.beliefs + sharp.beliefs, 0.0).sum(axis=1)
            estimate = np.minimum(np.expm1(np.maximum(alone, 0.0) / 4.0) + either, 1.0)
            spread = np.where(exact[owner], spread, np.minimum(spread, estimate))
    return spread


def _missed(
    groups: Groups,
    weights: IntArray,
    firm: BoolArray,
    shares: FloatArray,
    wide: CoursePoint,
    sharp: CoursePoint,
    inner: FloatArray,
) -> FloatArray:
    """Part of each row's logarithms of sums that is not linear, by sums between the ends; (r,).

    What is common to a row, or to a value in a group, does not count.
    """
    pieces = len(inner) + 1
    sums = [wide.sums, *inner, sharp.sums]
    places = [wide.place + (sharp.place - wide.place) * n / pieces for n in range(pieces + 1)]
    lengths = (sharp.place - wide.place)[:, None] / pieces
    chords = [(low - high) / lengths for high, low in pairwise(sums)]
    logs = [np.where(firm, np.log(each), 0.0) for each in sums]
    spread = np.zeros((pieces + 1, len(weights)))
    for n in range(1, pieces):
        share = n / pieces
        line = (1.0 - share) * logs[0] + share * logs[-1]
        centred = _centred(logs[n] - line, firm, shares, weights, groups=groups)
        spread[n] = centred.max(axis=1) - centred.min(axis=1)
    missed = np.zeros(len(weights))
    for n in range(pieces):
        steep = wide.after if n == 0 else chords[n - 1]
        flat = sharp.after if n == pieces - 1 else chords[n + 1]
        begin = CoursePoint(places[n], sums[n], steep, wide.beliefs)
        end = CoursePoint(places[n + 1], sums[n + 1], flat, sharp.beliefs)
        _, falls, rises = _tube(begin, end)
        beside = np.where(firm, falls, 0.0).max(axis=1) + np.where(firm, rises, 0.0).max(axis=1)
        missed = np.maximum(missed, np.maximum(spread[n], spread[n + 1]) + beside)
    return missed


def _tube(
    wide: CoursePoint, sharp: CoursePoint, image: FloatArray | None = None
) -> tuple[FloatArray, ...]:
    """Bound the distance of convex sums from their chord and line, as logarithms.

    Returns
    -------
    under : (r, i) float array
        Largest distance below their chord.
    falls, rises : (r, i) float array
        Largest distances below and above the line of logarithms.
    """
    sums = (wide.sums, sharp.sums, wide.after, sharp.after)
    high, low, before, after = (_image_of(each, image) for each in sums)
    length = (sharp.place - wide.place)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        chord = (low - high) / length
        bend = after - before
        # Where the tangents cross.
        at = np.where(bend > 0, (high - low + after * length) / bend, 0.0)
        at = np.clip(at, 0.0, length)
        least = np.maximum(high + before * at, low)
        under = np.log(np.maximum(high + chord * at, least)) - np.log(least)
        # The one at the wide end begins with a chord, and is below the sums from its end on only.
        begun = high + before * (STEP * wide.place)[:, None]
        under = np.maximum(under, np.log(high) - np.log(np.maximum(begun, low)))
        ratio = np.log(high) - np.log(low)
        # The largest of log((1 - l) h + l) - (1 - l) log h, Specht's ratio.
        slope = np.expm1(ratio) / ratio
        rises = np.where(ratio > 1e-4, np.log(slope) - 1.0 + 1.0 / slope, ratio**2 / 8.0)
    under = np.where(high > 0, np.where(low > 0, under, np.inf), 0.0)
    rises = np.where(high > 0, np.where(low > 0, rises, np.inf), 0.0)
    return under, under, rises


def _loose(gap: FloatArray, shares: FloatArray) -> BoolArray:
    """Values of each row that are better told apart, (r, m), for what is known of them is little.

    To keep a row's values costs the largest of their gaps, to tell some apart some three times how
    probable they are. Which are loose decides how near a bound is, and not whether it is one.
    """
    order = np.argsort(-gap, axis=1, kind="stable")
    ranked = np.take_along_axis(gap, order, axis=1)
    cost = 3.0 * np.cumsum(np.take_along_axis(shares, order, axis=1), axis=1)
    # Cost of telling the first i apart, from i = 0.
    cost = np.concatenate((np.zeros((len(cost), 1)), cost), axis=1)
    cost += np.concatenate((ranked, np.zeros((len(cost), 1))), axis=1)
    cut = cost.argmin(axis=1)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(gap.shape[1]), gap.shape), axis=1)
    loose: BoolArray = rank < cut[:, None]
    return loose


def _centred(
    ratio: FloatArray, firm: BoolArray, shares: FloatArray, weights: IntArray, groups: Groups
) -> FloatArray:
    """Ratios less what is common to a record, and to a value: that tells no assignments apart."""
    shares = np.where(firm, shares, 0.0)

    def mean(total: FloatArray, weight: FloatArray) -> FloatArray:
        result: FloatArray = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
        return result

    centred = np.where(firm, ratio, 0.0)
    of_row = mean((shares * centred).sum(axis=1), shares.sum(axis=1))
    centred = centred - of_row[:, None]
    each = weights[:, None] * shares
    of_value = mean(groups.sum(each * centred), groups.sum(each))
    centred = centred - of_value[groups.owner]
    return np.where(firm, centred, 0.0)


def _image_of(beliefs: FloatArray, image: FloatArray | None) -> FloatArray:
    """Image of beliefs, or of sums, that is compared; see `Distance.images`."""
    return beliefs if image is None else beliefs @ image


def _moved_at_most(
    wide: CoursePoint, sharp: CoursePoint, image: FloatArray | None, apart: FloatArray
) -> FloatArray:
    """Bound of the distance of prior and posterior, by one image of beliefs; (r,)."""
    rows = np.ones(wide.sums.shape[1]) if image is None else image.sum(axis=1)
    ends = []
    for point in (wide, sharp):
        prior, posterior = _image_of(point.sums, image), _image_of(point.beliefs, image)
        heavy, light = prior.sum(axis=1), posterior.sum(axis=1)
        ends.append((prior / heavy[:, None], heavy, posterior / light[:, None], light))
    (p, p_total, q, q_total), (p_, p_total_, q_, q_total_) = ends
    # On the lines between the ends, the two beliefs being so far along, or a little further.
    worst = np.maximum(js_divergence(p, q), js_divergence(p_, q_))
    crossed = np.maximum(js_divergence(p, q_), js_divergence(p_, q))
    skew = np.abs(np.log(p_total) - np.log(p_total_) - np.log(q_total) + np.log(q_total_))
    worst = worst + np.tanh(skew / 4.0) * np.maximum(crossed - worst, 0.0)
    # Priors off the line.
    under, _, _ = _tube(wide, sharp, image)
    of_all, _, _ = _tube(wide, sharp, rows[:, None])
    left = -np.expm1(-of_all[:, 0])  # share of the line that is not the prior
    top, bottom = np.maximum(p, p_), np.minimum(p, p_)
    other = np.maximum(q, q_)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = bottom * np.exp(-under)
        rate = np.log2((least + other) / (2.0 * least)) / 2.0
        some = np.where(least > 0, np.maximum(rate, 0.0) * top * -np.expm1(-under), np.inf)
        some = np.minimum(some, _removed(np.minimum(top, other), other))
    worst += np.where(other > 0, some, 0.0).sum(axis=1) + left / 2.0
    # Posteriors off the line.
    apart = np.minimum(apart * rows.max() / rows.min(), 1.0)
    highest = np.minimum(top / (1.0 - np.minimum(left, 1.0 - 1e-9))[:, None], 1.0)
    worst += apart / 2.0 + _removed_at_most(highest, np.minimum(q, q_), apart)
    return np.asarray(worst)


def _believed_at_most(
    wide: CoursePoint, sharp: CoursePoint, image: FloatArray | None, apart: FloatArray, most: float
) -> FloatArray:
    """Bound of what is believed that may be believed at most so much beforehand; (r,).

    Where sums lie on their chords, priors are between those of the ends. Sums are less than that by
    no more than they may be under the chord, and their total is not more than the chords'.
    """
    least, after = (
        np.minimum(_prior(wide, image), _prior(sharp, image)),
        np.maximum(_image_of(wide.beliefs, image), _image_of(sharp.beliefs, image)),
    )
    under, _, _ = _tube(wide, sharp, image)
    asked = least * np.exp(-under) <= most
    highest = np.where(asked, np.minimum(after + apart[:, None], 1.0), 0.0)
    return np.asarray(highest.max(axis=1))


def _prior(point: CoursePoint, image: FloatArray | None) -> FloatArray:
    return _image_of(point.sums / point.sums.sum(axis=1, keepdims=True), image)


def _removed(x: FloatArray, y: FloatArray) -> FloatArray:
    """Distance that arises if one belief loses its ``x`` of a value, of which another has more.

    The integral of ``log2((x + y) / 2x) / 2``.
    """

    def times_log(z: FloatArray) -> FloatArray:
        result: FloatArray = z * np.log2(z, out=np.zeros_like(z), where=z > 0)
        return result

    removed: FloatArray = (times_log(x + y) - times_log(x) - times_log(y) - x) / 2.0
    return np.maximum(removed, 0.0)


def _removed_at_most(p: FloatArray, q: FloatArray, apart: FloatArray) -> FloatArray:
    """Upper bound of the distance if one belief, at least `q`, loses `apart` over all values.

    For any price of a unit it is at most what all of it costs, and what values yield beyond: where
    ``log2((p + x) / 2x) / 2`` is larger than the price, from there to ``x = 0``.
    """
    best = np.full(len(p), np.inf)
    left = q - apart[:, None]
    for price in _PRICES:
        growth = 2.0 * 4.0**price
        yields = np.where(left < p / (growth - 1.0), p * np.log2(growth / (growth - 1.0)) / 2, 0.0)
        best = np.minimum(best, price * apart + yields.sum(axis=1))
    best[apart == 0] = 0.0
    return best
