"""Attribute domains: their values, distances, hierarchies, and the table as counts of cells.

Distances of two values (Li, Li, Zhang 2009, section II-C):

- numeric: ``|a - b| / R`` with ``R`` the range of the domain (0 where ``R = 0``);
- categorical: ``height(lowest common ancestor) / H``, with ``H`` the height of the hierarchy;
- categorical without a hierarchy: 0 or 1, which is the flat hierarchy *value -> ``*``*.

A hierarchy is *balanced*: every leaf has a path of the same length to the one root. A label may
recur along a path or in other branches at another level; a node is its level and label.

A domain holds the values that occur in the table, in the order of their type. A hierarchy may
know more values than occur; widths and ranges are those of the occurring ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_core.groups import SUPPRESSED, FloatArray, Groups, IntArray

__all__ = ["ROOT", "Domain", "Hierarchy", "Table"]

ROOT = "*"
"""The label of everything, in a categorical domain without a hierarchy."""

_PAIRED_VALUES = 5_000
"""Largest domain whose pairs of values are tabled, 200 MB a matrix."""

_SHOWN = 8
"""How many offending values an error message lists."""


def _some(values: Sequence[str]) -> str:
    """List values for an error message, the first few of many."""
    shown = ", ".join(repr(value) for value in values[:_SHOWN])
    return shown if len(values) <= _SHOWN else f"{shown} and {len(values) - _SHOWN} more"


@dataclass(frozen=True)
class Hierarchy:
    """A generalization hierarchy, one path per leaf.

    Parameters
    ----------
    paths : mapping of str to tuple of str
        For each leaf its labels from the leaf itself to the root.
    """

    paths: dict[str, tuple[str, ...]]

    @classmethod
    def from_rows(cls, attribute: str, rows: Sequence[Sequence[str | None]]) -> Hierarchy:
        """Validate rows of *leaf, coarser, ..., root* labels.

        Raises
        ------
        InvalidData
            If there are no rows or fewer than two levels, a label is missing, a leaf stands twice
            with different paths, a label has two parents, or there is more than one root.
        """
        name = f'hierarchy of attribute "{attribute}"'
        if not rows:
            raise InvalidData(
                f"the {name} is empty",
                detail="It has no rows.",
                hint="Give one row per value: the value, coarser labels, and the root.",
            )
        if len(rows[0]) < 2:
            raise InvalidData(
                f"the {name} has only one level",
                detail=f"The first row is {tuple(rows[0])!r}.",
                hint="Give at least two columns: the value and the root.",
            )
        paths: dict[str, tuple[str, ...]] = {}
        parent: dict[tuple[int, str], str] = {}
        for row in rows:
            labels = tuple(label for label in row if label is not None)
            if len(labels) != len(row):
                raise InvalidData(
                    f"the {name} has a NULL label",
                    detail=f"The row is {tuple(row)!r}.",
                    hint="Fill it; repeat the label below where there is no coarser one.",
                )
            if paths.setdefault(labels[0], labels) != labels:
                raise InvalidData(
                    f"the {name} gives two paths to the value {labels[0]!r}",
                    detail=f"They are {paths[labels[0]]!r} and {labels!r}.",
                    hint="Keep one row for each value.",
                )
            for level, (label, above) in enumerate(pairwise(labels)):
                if parent.setdefault((level, label), above) != above:
                    raise InvalidData(
                        f"the {name} gives two parents to the label {label!r}",
                        detail=f"At level {level} it lies under {parent[level, label]!r} and "
                        f"under {above!r}.",
                        hint="Give the label of each branch a name of its own.",
                    )
        roots = sorted({path[-1] for path in paths.values()})
        if len(roots) > 1:
            raise InvalidData(
                f"the {name} has no single root",
                detail=f"Its last column holds {_some(roots)}.",
                hint="Add a last column with one label, such as '*', for all values.",
            )
        return cls(paths)

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(next(iter(self.paths.values()))) - 1


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one attribute that occur in a table.

    Parameters
    ----------
    name : str
        The attribute.
    labels : tuple of str or None
        The values as text, in the order of their type; a value's *code* is its place. NULL, where
        it counts as a value, is None and comes last; it is at distance 1 from every other.
    positions : (size,) float array, optional
        The values as numbers, increasing, for a numeric attribute; NaN for NULL.
    hierarchy : Hierarchy, optional
        Generalization hierarchy of a categorical attribute; excludes `positions`.

    Raises
    ------
    InvalidData
        If a value is missing from the hierarchy, or a position is not finite.
    """

    name: str
    labels: tuple[str | None, ...]
    positions: FloatArray | None = None
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        values = [label for label in self.labels if label is not None]
        if self.positions is not None:
            finite = np.isfinite(self.positions[: len(values)])
            if finite.all() and values:
                with np.errstate(over="ignore"):
                    finite &= np.isfinite(self.positions[len(values) - 1] - self.positions[0])
            if not finite.all():
                raise InvalidData(
                    f'attribute "{self.name}" has values that are not finite, or too far apart',
                    detail=f"They are {_some([values[i] for i in np.flatnonzero(~finite)])}.",
                    hint="Replace them, or give the attribute a hierarchy with set_hierarchy.",
                )
        if self.hierarchy is not None:
            missing = [label for label in values if label not in self.hierarchy.paths]
            if missing:
                raise InvalidData(
                    f'values of attribute "{self.name}" are missing from its hierarchy',
                    detail=f"Missing: {_some(missing)}.",
                    hint="Add a row for each of them and call set_hierarchy again.",
                )

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.labels)

    @property
    def numeric(self) -> bool:
        """Whether values have positions on a line."""
        return self.positions is not None

    @property
    def has_null(self) -> bool:
        """Whether NULL is a value, which is then the last."""
        return self.labels[-1] is None

    @cached_property
    def _range(self) -> float:
        """Range of a numeric domain, or 1 where there is none to divide by."""
        assert self.positions is not None
        numbers = self.positions[: self.size - self.has_null]
        return float(numbers[-1] - numbers[0]) or 1.0 if numbers.size else 1.0

    @cached_property
    def _nodes(self) -> IntArray:
        """Number of each leaf's ancestor within its level, by label, shape (levels, size)."""
        if self.hierarchy is None:
            return np.vstack((np.arange(self.size), np.zeros(self.size, np.int64)))
        paths = self.hierarchy.paths
        root = next(iter(paths.values()))[-1]
        # NULL is a branch of its own below the root.
        null = (*(None for _ in range(self.hierarchy.height)), root)
        rows = [null if label is None else paths[label] for label in self.labels]
        levels = []
        for column in zip(*rows, strict=True):
            ranked = sorted(set(column), key=lambda label: (label is not None, label or ""))
            node = {label: number for number, label in enumerate(ranked)}
            levels.append([node[label] for label in column])
        return np.array(levels, dtype=np.int64)

    @property
    def height(self) -> int:
        """Height of the hierarchy (1 for the flat one of an attribute without)."""
        return len(self._nodes) - 1

    def _check_paired(self) -> None:
        if self.size > _PAIRED_VALUES:
            raise TooLarge(
                f'attribute "{self.name}" has {self.size} values, too many to compare in pairs',
                detail=f"Knowledge and distances need a matrix of them; at most {_PAIRED_VALUES} "
                "values are handled.",
                hint="Publish from a view that bins the column, such as by rounding it.",
            )

    @cached_property
    def distances(self) -> FloatArray:
        """Distance of every pair of values, in [0, 1], shape (size, size)."""
        self._check_paired()
        if self.positions is not None:
            gaps = np.abs(self.positions[:, None] - self.positions[None, :]) / self._range
            if self.has_null:
                gaps[-1, :] = gaps[:, -1] = 1.0
                gaps[-1, -1] = 0.0
            return gaps
        # The height of the lowest common ancestor is the number of levels on which two differ.
        levels = self._nodes[:-1]
        apart: IntArray = (levels[:, :, None] != levels[:, None, :]).sum(axis=0)
        return apart / self.height

    @cached_property
    def membership(self) -> FloatArray:
        """For each level below the root, the 0/1 matrix of values by nodes, zero-padded.

        Shape (height, size, size).
        """
        self._check_paired()
        nodes = self._nodes[:-1, :, None] == np.arange(self.size)
        return np.asarray(nodes, dtype=np.float64)

    @cached_property
    def leaf_order(self) -> IntArray:
        """Place of each code when leaves stand in hierarchy order, shape (size,).

        Every node's leaves are then contiguous, so the lowest common ancestor of a set is that of
        its first and last leaf. For a numeric domain it is the code itself.
        """
        if self.numeric:
            return np.arange(self.size, dtype=np.int64)
        place = np.empty(self.size, dtype=np.int64)
        place[np.lexsort(self._nodes)] = np.arange(self.size)
        return place

    @cached_property
    def _spans(self) -> tuple[IntArray, IntArray]:
        """First and last leaf place under each leaf's ancestors, shapes (levels, size by place)."""
        ordered = self._nodes[:, np.argsort(self.leaf_order)]
        starts = np.empty_like(ordered)
        ends = np.empty_like(ordered)
        for level, nodes in enumerate(ordered):
            first = np.flatnonzero(np.concatenate(([True], nodes[1:] != nodes[:-1])))
            run = np.repeat(np.arange(len(first)), np.diff(np.concatenate((first, [self.size]))))
            starts[level] = first[run]
            ends[level] = np.concatenate((first[1:], [self.size]))[run] - 1
        return starts, ends

    def ancestor_level(self, low: IntArray, high: IntArray) -> IntArray:
        """Level of the lowest common ancestor of leaf places `low` <= `high`."""
        starts, _ = self._spans
        level: IntArray = (starts[:, low] != starts[:, high]).sum(axis=0)
        return level

    def branch_start(self, level: IntArray, place: IntArray) -> IntArray:
        """First leaf place of the child, below an ancestor at `level`, that holds `place`."""
        starts, _ = self._spans
        return starts[np.maximum(level - 1, 0), place]

    def ncp(self, low: IntArray, high: IntArray) -> FloatArray:
        """Normalised certainty penalty of publishing places `low` to `high` as one value.

        Numeric: the share of the domain's range that is spanned, or all of it where numbers and
        NULL are mixed. Categorical: 0 for one value, else the share of the domain's values that
        lie under the lowest common ancestor.
        """
        if self.positions is not None:
            share = (self.positions[high] - self.positions[low]) / self._range
            if self.has_null:
                share = np.where(high == self.size - 1, (low < high).astype(np.float64), share)
            return share
        starts, ends = self._spans
        level = self.ancestor_level(low, high)
        leaves = ends[level, low] - starts[level, low] + 1
        return np.where(low == high, 0.0, leaves / self.size)

    def shown(self, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
        """Codes that are equal where places `low` to `high` are published as the same value."""
        if self.numeric:
            anything = (low < high) & (high == self.size - 1) & self.has_null
            return np.where(anything, -1, low), high
        starts, _ = self._spans
        level = self.ancestor_level(low, high)
        return level, starts[level, low]

    def generalize(self, low: IntArray, high: IntArray) -> list[str | None]:
        """Label of the lowest common ancestor of places `low` to `high` (categorical only)."""
        by_place = np.argsort(self.leaf_order)
        level = self.ancestor_level(low, high).tolist()
        leaf = [self.labels[code] for code in by_place[low]]
        if self.hierarchy is None:
            return [ROOT if up else label for up, label in zip(level, leaf, strict=True)]
        paths = self.hierarchy.paths
        root = next(iter(paths.values()))[-1]
        return [
            (root if up else None) if label is None else paths[label][up]
            for up, label in zip(level, leaf, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Table:
    """A table as its cells and their counts.

    Parameters
    ----------
    quasi_identifiers : tuple of Domain
        One domain per quasi-identifier, ``d`` of them.
    sensitive : Domain
        Domain of the sensitive attribute, of ``m`` values.
    codes : (c, d) int array
        The value codes of each cell, distinct rows.
    counts : (c, m) int array
        Records of each cell with each sensitive value; every row has a positive sum.
    """

    quasi_identifiers: tuple[Domain, ...]
    sensitive: Domain
    codes: IntArray
    counts: IntArray

    @property
    def cells(self) -> int:
        """Number of cells, ``c``."""
        return len(self.codes)

    @cached_property
    def weights(self) -> IntArray:
        """Records of each cell, shape (c,)."""
        totals: IntArray = self.counts.sum(axis=1)
        return totals

    @cached_property
    def records(self) -> int:
        """Number of records, ``n``."""
        return int(self.weights.sum())

    @cached_property
    def places(self) -> IntArray:
        """Leaf place of each cell in each quasi-identifier, shape (c, d)."""
        columns = [
            domain.leaf_order[self.codes[:, axis]]
            for axis, domain in enumerate(self.quasi_identifiers)
        ]
        return np.column_stack(columns).astype(np.int64)

    def sizes(self, groups: Groups) -> IntArray:
        """Records of each group, shape (g,)."""
        sizes: IntArray = groups.sum(self.weights[groups.members])
        return sizes

    def histograms(self, groups: Groups) -> IntArray:
        """Records of each group with each sensitive value, shape (g, m)."""
        histograms: IntArray = groups.sum(self.counts[groups.members])
        return histograms

    def boxes(self, groups: Groups) -> tuple[IntArray, IntArray]:
        """Smallest and largest leaf place of each group, two arrays of shape (g, d)."""
        places = self.places[groups.members]
        return groups.min(places), groups.max(places)

    def pool(self, groups: Groups) -> Groups:
        """Join groups that would be published alike, for a reader cannot tell them apart."""
        low, high = self.boxes(groups)
        shown: list[IntArray] = []
        for axis, domain in enumerate(self.quasi_identifiers):
            shown += domain.shown(low[:, axis], high[:, axis])
        if not len(groups) or not shown:
            return groups
        alike, labels = np.unique(np.column_stack(shown), axis=0, return_inverse=True)
        if len(alike) == len(groups):
            return groups
        joined = np.full(self.cells, SUPPRESSED, dtype=np.int64)
        joined[groups.members] = labels.ravel()[groups.owner]
        return Groups.from_labels(joined)

    def penalty(self, low: IntArray, high: IntArray) -> FloatArray:
        """Normalised certainty penalty of boxes, averaged over attributes, shape (g,)."""
        columns = [
            domain.ncp(low[:, axis], high[:, axis])
            for axis, domain in enumerate(self.quasi_identifiers)
        ]
        return np.mean(columns, axis=0) if columns else np.zeros(len(low))
