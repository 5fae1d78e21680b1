"""Placement: whose rows a table made elsewhere has, as its labels tell; see `elsewhere`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.progress import Progress
from bkpriv_core.release.generalized.blocks import blocks
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import SUPPRESSED, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.reading import UNREAD
from bkpriv_core.table.table import Table, check_dense

__all__ = ["Labels", "Place", "Rows", "counted", "placed", "with_rest"]

_ROWS = 64
"""Cells at a time that are compared with labels."""

_COMPARED = 2_000_000_000
"""Largest number of comparisons of a cell with labels; beyond, these tell of nobody."""

_FOUND = 20_000_000
"""Largest number of labels that all cells lie under together; likewise."""

Place = tuple[IntArray, IntArray]
"""First and last leaf places."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of a column."""

    labels: tuple[str | None, ...]
    """The different labels, ``x`` of them."""
    codes: IntArray
    """Shape (r,). Place of that of each row."""

    def at(self, row: int) -> str | None:
        """Label of a row."""
        return self.labels[int(self.codes[row])]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table made elsewhere, of which equal ones may be counted together."""

    labels: tuple[Labels | None, ...]
    """Labels of each quasi-identifier; None of one that is not shown."""
    groups: Labels | None
    """Groups by number, where the table has a column of these."""
    values: IntArray
    """Shape (r,). Sensitive value, by its code in the dataset."""
    counts: IntArray
    """Shape (r,). Number of records, at least 1."""

    @property
    def keys(self) -> IntArray:
        """Codes of all labels of each row, and of its group, (r, k)."""
        columns = [each.codes for each in (*self.labels, self.groups) if each is not None]
        return np.column_stack([*columns, np.zeros_like(self.values)])


def counted(
    owner: IntArray, values: IntArray, counts: IntArray, shape: tuple[int, int]
) -> IntArray:
    """Records by their owners and values."""
    found = np.bincount(owner * shape[1] + values, counts, shape[0] * shape[1])
    return found.astype(np.int64).reshape(shape)


def with_rest(
    table: Table, cell: IntArray, counts: IntArray, labels: IntArray, false: IntArray | None = None
) -> tuple[Parts, IntArray]:
    """Parts with such counts and labels, and those of all other records, which are suppressed."""
    left = table.counts.copy()
    np.subtract.at(left, cell, counts)
    rest = np.flatnonzero(left.any(axis=1))
    parts = Parts(table, np.concatenate((cell, rest)), np.vstack((counts, left[rest])))
    if false is not None and false.any():
        parts = parts.shown(np.vstack((false, np.zeros_like(left[rest]))))
    return parts, np.concatenate((labels, np.full(len(rest), SUPPRESSED)))


def placed(
    table: Table,
    rows: Rows,
    group: IntArray,
    shown: IntArray,
    extents: Sequence[Place | None],
    progress: Progress,
) -> tuple[Parts, IntArray, bool] | None:
    """Parts by what labels tell, the group of each, and whether their values are known.

    Returns:
        None where labels leave open whose rows are whose; see the module.
    """
    first, kind, _ = distinct_rows(rows.keys, progress)
    low, high = np.empty((2, len(first), len(extents)), dtype=np.int64)
    for axis, (domain, each, read) in enumerate(
        zip(table.quasi_identifiers, rows.labels, extents, strict=True)
    ):
        if each is None or read is None:
            low[:, axis], high[:, axis] = 0, domain.size - 1
        else:
            low[:, axis], high[:, axis] = (end[each.codes[first]] for end in read)
    if (low == UNREAD).any() or (pairs := _lying(table, low, high, progress)) is None:
        return None
    cells, kinds = pairs
    single = (low == high).all(axis=1)
    sizes = np.bincount(kind, rows.counts, len(first)).astype(np.int64)
    weights = np.where(single[kinds], sizes[kinds], table.weights[cells])
    if (np.bincount(cells, weights, table.cells) > table.weights).any() or (
        np.bincount(kinds, weights, len(first)) != sizes
    ).any():
        return None
    labels = group[first][kinds]
    if (weights == table.weights[cells]).all():
        check_dense(len(cells), "parts of cells", table.sensitive)
        held = table.counts[cells]
        summed = np.zeros_like(shown)
        np.add.at(summed, labels, held)
        if (summed == shown).all():
            return *with_rest(table, cells, held, labels), True
    if not single.all():
        return None
    dealt = counted(kind, rows.values, rows.counts, (len(first), table.sensitive.size))
    return Parts(table, cells, dealt[kinds]), labels, False


def _lying(table: Table, low: IntArray, high: IntArray, progress: Progress) -> Place | None:
    """Pairs of a cell and a box that it lies in.

    None where they are too many, or where a cell lies in several that are not all its values alone:
    then others could be there.
    """
    cells, boxes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    sizes = [domain.size for domain in table.quasi_identifiers]
    points = [(column, column) for column in table.places.T]
    wide = np.asarray((low < high).any(axis=1))
    compared = found = 0
    for some, near in blocks(
        table.places, points, list(zip(low.T, high.T, strict=True)), sizes, _ROWS, progress
    ):
        compared += len(some) * len(near)
        held = np.ones((len(some), len(near)), dtype=bool)
        for axis, column in enumerate(table.places[some].T):
            held &= (low[near, axis] <= column[:, None]) & (column[:, None] <= high[near, axis])
        place, box = np.nonzero(held)
        found += len(place)
        several = held.sum(axis=1) > 1
        if compared > _COMPARED or found > _FOUND or held[np.ix_(several, wide[near])].any():
            return None
        cells.append(some[place])
        boxes.append(near[box])
    return np.concatenate(cells), np.concatenate(boxes)
