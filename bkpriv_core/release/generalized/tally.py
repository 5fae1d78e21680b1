"""Estimates from generalized releases: records spread uniformly over their group's box.

Attributes are independent within a group, so the probability of a conjunction is a product. A
condition of any form is first made a sum of disjoint conjunctions: the values of each attribute
fall into classes which its comparisons do not tell apart, and the condition is true for certain
combinations of classes, which is a 0/1 tensor ``T``. The estimate is

    sum over groups, records of values s:  sum_ijk  T[i, j, k, s] P1[i] P2[j] P3[k] n[s]

with ``Pa`` the shares of the group's extent in the classes of attribute ``a`` (see `extent`), and
``n`` the group's histogram of the sensitive attribute (LeFevre, DeWitt, Ramakrishnan 2006).

Grouped by an attribute, its values take the place of its classes. Keys are found from the boxes: a
key that lies in no group's box has no estimate and costs nothing (see `runs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes, combinations_met, criteria_by_attribute
from bkpriv_core.query.predicate import Codes, Criterion, Line, Predicate
from bkpriv_core.query.tally import Tally, check_keys
from bkpriv_core.query.workload import Workload
from bkpriv_core.release.generalized.extent import Boxes, by_column
from bkpriv_core.release.generalized.runs import Runs, sum_boxes
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["BoxTally"]

_WORK = 20_000_000_000
"""Largest number of combinations of classes times groups."""

_CHUNK = 4_000_000
"""Numbers in an array of work in progress."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One attribute that a condition is about."""

    classes: Classes
    """Values of the attribute, or pieces of its line, as far as the condition tells them apart."""
    shares: FloatArray | sparse.csr_array
    """Shape (t, x). Share of each extent in each value or piece; records of each group, for the
    sensitive attribute.
    """
    owner: IntArray
    """Shape (g,). Extent of each group."""

    @cached_property
    def summed(self) -> FloatArray:
        """Share of each extent in each class, shape (k, x)."""
        from scipy import sparse  # slow to import, and only wanted here

        members = self.classes.members
        of_class = sparse.csr_array(
            (np.ones(len(members)), (members, np.arange(len(members)))),
            shape=(self.classes.size, len(members)),
        )
        sums = of_class @ self.shares
        return np.asarray(sums.toarray() if sparse.issparse(sums) else sums)


@dataclass(frozen=True, eq=False)
class _Key:
    """One attribute that counts are wanted by."""

    classes: Classes
    """Values of the attribute as far as the condition tells them apart."""
    runs: Callable[[BoolArray], Runs]
    """Values in extents, of those that are chosen; records of each group, for the sensitive
    attribute.
    """
    owner: IntArray
    """Shape (g,). Extent of each group."""


class BoxTally(Tally):
    """Uniform spread over the group's box."""

    def __init__(self, boxes: Boxes) -> None:
        self.domains = boxes.domains
        self._extents = boxes.extents
        self._groups = len(boxes.histograms)
        # Records of each group by sensitive value, shape (m, g).
        self._histograms = np.ascontiguousarray(boxes.histograms.T)
        self._sensitive = len(boxes.extents)

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """See `Tally`."""
        by_attribute = criteria_by_attribute(predicate)
        wanted = [self._key(key, by_attribute.get(key, []), progress) for key in keys]
        rest = [
            self._side(place, criteria, progress)
            for place, criteria in sorted(by_attribute.items())
            if place not in keys
        ]
        classes = [*(key.classes for key in wanted), *(side.classes for side in rest)]
        met = combinations_met(predicate, classes, progress)
        self._check_work(met.size)
        counted = self._sensitive in {*keys, *by_attribute}  # its histogram has the records
        records = np.ones(self._groups) if counted else self._histograms.sum(axis=0)
        if not keys:
            weights = self._weights(met, rest, records, progress)
            return np.zeros((1, 0), dtype=np.int64), np.array([weights.sum()])
        check = partial(check_keys, self.domains, keys)
        codes, counts = [np.zeros((0, len(keys)), dtype=np.int64)], [np.zeros(0)]
        for chosen in np.ndindex(*met.shape[: len(keys)]):
            if not met[chosen].any():
                continue
            sides = [
                (key.runs(key.classes.members == number), key.owner)
                for key, number in zip(wanted, chosen, strict=True)
            ]
            summed = sum_boxes(
                sides, self._weights(met[chosen], rest, records, progress), check, progress
            )
            codes.append(summed[0])
            counts.append(summed[1])
            check(sum(map(len, counts)))
        rows = np.concatenate(codes)
        order = np.lexsort(rows.T[::-1])
        return rows[order], np.concatenate(counts)[order]

    def _key(self, attribute: int, criteria: list[Criterion], progress: Progress) -> _Key:
        classes = Classes.of(attribute, criteria, Codes.of(self.domains[attribute]), progress)
        if attribute == self._sensitive:
            from scipy import sparse  # slow to import, and only wanted here

            groups = np.arange(self._groups, dtype=np.int64)
            return _Key(classes, partial(by_column, sparse.csr_array(self._histograms)), groups)
        extents = self._extents[attribute]
        return _Key(classes, extents.runs, extents.owner)

    def _side(self, attribute: int, criteria: list[Criterion], progress: Progress) -> _Side:
        values: Line = Codes.of(self.domains[attribute])
        shares: FloatArray | sparse.csr_array = self._histograms
        owner = np.arange(self._groups, dtype=np.int64)
        if attribute != self._sensitive:
            extents = self._extents[attribute]
            owner = extents.owner
            values, shares = extents.pieces(criteria)
        return _Side(Classes.of(attribute, criteria, values, progress), shares, owner)

    def _check_work(self, combinations: int) -> None:
        groups = self._groups
        if groups * combinations > _WORK:
            raise TooLarge(
                f"the condition tells {combinations} combinations of values apart",
                detail=f"In {groups} groups that takes {groups * combinations} products; "
                f"at most {_WORK} are taken.",
                hint="Ask about fewer attributes or values at a time.",
            )

    def _weights(
        self, met: BoolArray, sides: list[_Side], records: FloatArray, progress: Progress
    ) -> FloatArray:
        """Probability of a set of combinations of classes in each group, times (g,) records."""
        groups = self._groups
        weights = np.empty(groups)
        for part in _chunks(groups, met.size):
            progress.poll()
            left = met.astype(np.float64).reshape(*met.shape, 1)
            for side in reversed(sides):
                left = (left * side.summed[:, side.owner[part]]).sum(axis=-2)
            weights[part] = left * records[part]
        return weights

    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """See `Tally`."""
        answers = np.empty(len(workload))
        for part in _chunks(len(workload), self._groups):
            progress.poll()
            *chosen, secret = (chosen[part] for chosen in workload.chosen)
            counts = secret.astype(np.float64) @ self._histograms
            for place, extents in enumerate(self._extents):
                if workload.queried[part, place].any():
                    counts *= np.take(extents.covered(chosen[place]), extents.owner, axis=1)
            answers[part] = counts.sum(axis=1)
        return answers


def _chunks(count: int, each: int) -> Iterator[slice]:
    """Cut so many rows of so many numbers into parts of moderate size."""
    step = max(1, _CHUNK // max(1, each))
    return (slice(start, start + step) for start in range(0, count, step))
