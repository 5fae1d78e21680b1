"""Estimates from generalized releases: records spread uniformly over their group's box.

Attributes are independent within a group, so the probability of a conjunction is a product. A
condition of any form is first made a sum of disjoint conjunctions: the values of each attribute
fall into classes which its comparisons do not tell apart, and the condition is true for certain
combinations of classes, which is a 0/1 tensor ``T``. The estimate is

    sum over groups, records of values s:  sum_ijk  T[i, j, k, s] P1[i] P2[j] P3[k] n[s]

with ``Pa`` the shares of the group's extent in the classes of attribute ``a`` (see `extent`), and
``n`` the group's histogram of the sensitive attribute (LeFevre, DeWitt, Ramakrishnan 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from scipy import sparse

from bkpriv_core.errors import TooLarge
from bkpriv_core.groups import FloatArray, IntArray
from bkpriv_core.query.combination import Classes, atoms_by_attribute, combinations_met
from bkpriv_core.query.estimator import Estimator
from bkpriv_core.query.extent import Axis, axes_of
from bkpriv_core.query.predicate import Atom, BoolArray, Codes, Predicate, Values
from bkpriv_core.query.release import Release
from bkpriv_core.query.workload import Workload

__all__ = ["Generalized"]

_WORK = 20_000_000_000
"""Largest number of combinations, or keys, times groups."""

_KEYS = 1_000_000
"""Largest number of keys, that is, combinations of values of what is grouped by."""

_CHUNK = 4_000_000
"""Numbers in an array of work in progress."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One attribute that a condition or the keys are about.

    Parameters
    ----------
    classes : Classes
        Its values, or pieces of its line, as far as the condition tells them apart.
    key : bool
        Whether the counts are wanted by its values.
    shares : (t, x) array
        Share of each extent in each value or piece; records of each group, for the sensitive
        attribute.
    owner : (g,) int array
        Extent of each group.
    """

    classes: Classes
    key: bool
    shares: FloatArray | sparse.csr_array
    owner: IntArray

    @cached_property
    def summed(self) -> FloatArray:
        """Share of each extent in each class, shape (k, x)."""
        members = self.classes.members
        of_class = sparse.csr_array(
            (np.ones(len(members)), (members, np.arange(len(members)))),
            shape=(self.classes.size, len(members)),
        )
        found = of_class @ self.shares
        return np.asarray(found.toarray() if sparse.issparse(found) else found)


class Generalized(Estimator):
    """Uniform spread over the group's box.

    Parameters
    ----------
    release : Release
        The release.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        self._sensitive = len(release.domains) - 1

    @cached_property
    def _axes(self) -> list[Axis]:
        return axes_of(self._release.table, self._release.groups, self._release.steps)

    @cached_property
    def _histograms(self) -> FloatArray:
        """Records of each group by sensitive value, shape (m, g)."""
        histograms = self._release.table.histograms(self._release.groups)
        return np.ascontiguousarray(histograms.T.astype(np.float64))

    def tabulate(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        poll: Callable[[], None] = lambda: None,
    ) -> FloatArray:
        """Estimate the same as `by_key`, as an array whose shape is the sizes of the keys' domains.

        Raises
        ------
        TooLarge
            If the condition or the array is beyond the budget.
        """
        asked: dict[int, list[Atom]] = {key: [] for key in keys} | atoms_by_attribute(predicate)
        sides = [
            self._side(place, told, place in keys, poll) for place, told in sorted(asked.items())
        ]
        met = combinations_met(predicate, [side.classes for side in sides], poll)
        self._check_work(sides)
        wanted = [side for side in sides if side.key]
        rest = [side for side in sides if not side.key]
        met = met.transpose([sides.index(side) for side in (*wanted, *rest)])
        table = np.zeros([len(side.classes.members) for side in wanted])
        for chosen in np.ndindex(*met.shape[: len(wanted)]):
            if not met[chosen].any():
                continue
            weights = self._weights(met[chosen], rest, poll)
            if self._sensitive not in asked:
                weights = weights * self._histograms.sum(axis=0)
            rows = [
                np.flatnonzero(side.classes.members == number)
                for side, number in zip(wanted, chosen, strict=True)
            ]
            table[np.ix_(*rows)] = _outer(wanted, rows, weights, poll)
        places = [side.classes.attribute for side in wanted]
        return np.asarray(table.transpose([places.index(key) for key in keys]))

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        poll: Callable[[], None] = lambda: None,
    ) -> tuple[IntArray, FloatArray]:
        """See `Estimator`."""
        domains = [self._release.domains[key] for key in keys]
        size = prod(domain.size for domain in domains)
        if size > _KEYS:
            raise TooLarge(
                f"grouping by {', '.join(domain.name for domain in domains)} has {size} keys",
                detail=f"An estimate is spread over all of them; at most {_KEYS} are answered.",
                hint="Group by fewer attributes.",
            )
        table = self.tabulate(predicate, keys, poll)
        if not keys:
            return np.zeros((1, 0), dtype=np.int64), table.reshape(1)
        codes = np.argwhere(table > 0).astype(np.int64)
        return codes, table[tuple(codes.T)]

    def _side(self, attribute: int, told: list[Atom], key: bool, poll: Callable[[], None]) -> _Side:
        values: Values = Codes.of(self._release.domains[attribute])
        shares: FloatArray | sparse.csr_array = self._histograms
        owner = np.arange(len(self._release.groups), dtype=np.int64)
        if attribute != self._sensitive:
            axis = self._axes[attribute]
            owner = axis.owner
            if key:
                shares = axis.values()
            else:
                values, shares = axis.pieces(told)
        return _Side(Classes.of(attribute, told, values, poll), key, shares, owner)

    def _check_work(self, sides: list[_Side]) -> None:
        groups = len(self._release.groups)
        keys = prod(len(side.classes.members) for side in sides if side.key)
        work = groups * (keys + prod(side.classes.size for side in sides))
        if work > _WORK:
            raise TooLarge(
                f"{keys} keys are too many to estimate from {groups} groups",
                detail=f"That takes {work} products; at most {_WORK} are taken.",
                hint="Group by fewer attributes.",
            )

    def _weights(self, met: BoolArray, sides: list[_Side], poll: Callable[[], None]) -> FloatArray:
        """Probability of a set of combinations of classes in each group, shape (g,)."""
        groups = len(self._release.groups)
        found = np.empty(groups)
        for part in _chunks(groups, met.size):
            poll()
            left = met.astype(np.float64).reshape(*met.shape, 1)
            for side in reversed(sides):
                left = (left * side.summed[:, side.owner[part]]).sum(axis=-2)
            found[part] = left
        return found

    def answer(self, workload: Workload, poll: Callable[[], None] = lambda: None) -> FloatArray:
        """See `Estimator`."""
        found = np.empty(len(workload))
        for part in _chunks(len(workload), len(self._release.groups)):
            poll()
            *chosen, secret = (chosen[part] for chosen in workload.chosen)
            counts = secret.astype(np.float64) @ self._histograms
            for place, axis in enumerate(self._axes):
                if workload.queried[part, place].any():
                    counts *= np.take(axis.covered(chosen[place]), axis.owner, axis=1)
            found[part] = counts.sum(axis=1)
        return found


def _chunks(count: int, each: int) -> Iterator[slice]:
    """Cut so many rows of so many numbers into parts of moderate size."""
    step = max(1, _CHUNK // max(1, each))
    return (slice(start, start + step) for start in range(0, count, step))


def _outer(
    wanted: list[_Side], rows: list[IntArray], weights: FloatArray, poll: Callable[[], None]
) -> FloatArray:
    """Sum over groups of the weighted outer products of shares.

    Parameters
    ----------
    wanted : list of _Side
        The attributes.
    rows : list of int array
        For each attribute, which of its values; ``v`` of them.
    weights : (g,) array
        Weight of each group.

    Returns
    -------
    array
        Of shape (v of the first attribute, v of the second, ...).
    """
    blocks = [
        (np.asarray(side.shares[row]), side.owner) for side, row in zip(wanted, rows, strict=True)
    ]
    shape = [len(row) for row in rows]
    # One matrix product of two halves of the attributes, as even as may be.
    cut = min(range(len(blocks) + 1), key=lambda place: prod(shape[:place]) + prod(shape[place:]))
    found = np.zeros((prod(shape[:cut]), prod(shape[cut:])))
    for part in _chunks(len(weights), sum(found.shape)):
        poll()
        sides = [block[:, owner[part]] for block, owner in blocks]
        left = _rows(sides[:cut], weights[part])
        right = _rows(sides[cut:], np.ones(len(weights[part])))
        found += left @ right.T
    return found.reshape(shape)


def _rows(blocks: list[FloatArray], start: FloatArray) -> FloatArray:
    """Products of one row of each block, for all combinations of rows."""
    found = start[None, :]
    for block in blocks:
        found = (found[:, None, :] * block[None, :, :]).reshape(-1, len(start))
    return found
