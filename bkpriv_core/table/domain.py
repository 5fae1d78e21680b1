"""Attribute domains: their values, distances and hierarchies.

Distances of two values (Li, Li, Zhang 2009, section II-C):

- numeric: ``|a - b| / R``, at most 1, with ``R`` the domain's scale (0 where ``R = 0``), which
  is its range unless it has `bounds`: see `bkpriv_core.table.scale`;
- categorical: ``height(lowest common ancestor) / H``, with ``H`` the height of the hierarchy;
- categorical without a hierarchy: 0 or 1, which is the flat hierarchy *value -> ``*``*.

A hierarchy is *balanced*: every leaf has a path of the same length to the one root. A label may
recur along a path or in other branches at another level; a node is its level and label.

A value may read like a label that stands for others, as ``*`` does in a file that was generalized
before. Readers could not distinguish the two, so `Domain.check_labels` refuses such values.

A domain holds the values that occur in the table, in the order of their type. A hierarchy may
know more values than occur; widths and ranges are those of the occurring ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals, some_of

__all__ = ["PAIRED_VALUES", "ROOT", "Domain"]

ROOT = "*"
"""The label of everything, in a categorical domain without a hierarchy."""

PAIRED_VALUES = 5_000
"""Largest domain whose pairs of values are tabled, 200 MB a matrix."""

_TABULATED = 256
"""Largest categorical domain whose penalties are looked up."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one attribute that occur in a table.

    Raises:
        InvalidData: If a value is missing from the hierarchy, or a position is not finite.
    """

    name: str
    labels: tuple[str | None, ...]
    """The values as text, in the order of their type; a value's *code* is its place. NULL, where it
    counts as a value, is None and comes last; it is at distance 1 from every other.
    """
    positions: FloatArray | None = None
    """Shape (size,). The values as numbers, increasing, for a numeric attribute; NaN for NULL."""
    hierarchy: Hierarchy | None = None
    """Generalization hierarchy of a categorical attribute; excludes `positions`."""
    intervals: Intervals | None = None
    """Nested intervals of a numeric attribute."""
    ends: FloatArray | None = None
    """Shape (size,). Ends of the bins of a binned numeric attribute, whose values are the starts of
    half-open bins: between each value and the next; NaN for NULL.
    """
    step: float | None = None
    """Distance of neighbouring points of a numeric attribute's type, in units of its positions: 1
    for integers, a day for dates; None for a continuum, as other numbers and timestamps are.
    """
    bounds: tuple[float, float] | None = None
    """Least and greatest position of a numeric attribute's scale; the range of its values without.
    """

    def __post_init__(self) -> None:
        values = [label for label in self.labels if label is not None]
        if self.positions is not None:
            upper = self.positions if self.ends is None else self.ends
            finite = (np.isfinite(self.positions) & np.isfinite(upper))[: len(values)]
            if finite.all() and values:
                with np.errstate(over="ignore"):
                    finite &= np.isfinite(upper[len(values) - 1] - self.positions[0])
            if not finite.all():
                raise InvalidData(
                    f'attribute "{self.name}" has values that are not finite, too large or too '
                    "small for double precision, or too far apart",
                    detail=f"They are {some_of([values[i] for i in np.flatnonzero(~finite)])}.",
                    hint="Publish from a view that shows NULL instead, such as "
                    f"""NULLIF("{self.name}", '{values[int(np.flatnonzero(~finite)[0])]}'), with """
                    'the option {"nulls": "category"}. Or give the attribute a hierarchy with '
                    "bkpriv.set_hierarchy, which makes its values labels.",
                )
        if self.hierarchy is not None:
            missing = [label for label in values if label not in self.hierarchy.paths]
            if missing:
                raise InvalidData(
                    f'values of attribute "{self.name}" are missing from its hierarchy',
                    detail=f"Missing: {some_of(missing)}.",
                    hint="Add each of them with its path and call set_hierarchy again; a list, "
                    "by set_list_hierarchy, may have a name for the rest.",
                )

    def check_labels(self) -> None:
        """Refuse values that read like a label under which others are published.

        Raises:
            InvalidData: If there is one.
        """
        values = {label for label in self.labels if label is not None}
        root = self._root
        if self.numeric or (self.hierarchy is None and root not in values):
            return
        paths = {} if self.hierarchy is None else self.hierarchy.paths
        for label in self.labels:
            for above in (root,) if label is None else paths.get(label, (root,)):
                if above in values and above != label:
                    raise _mistaken(self.name, above, label, "root" if above == root else "label")

    @property
    def _root(self) -> str:
        """Label of everything."""
        return ROOT if self.hierarchy is None else next(iter(self.hierarchy.paths.values()))[-1]

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.labels)

    @property
    def called(self) -> tuple[str | None, ...]:
        """Names of values by which those of several tables are compared."""
        return self.labels

    def select(self, codes: IntArray) -> Domain:
        """The domain with some of its values only, by their codes in ascending order."""
        if len(codes) == self.size:
            return self
        return replace(
            self,
            labels=tuple(self.labels[code] for code in codes.tolist()),
            positions=None if self.positions is None else self.positions[codes],
            ends=None if self.ends is None else self.ends[codes],
        )

    @property
    def numeric(self) -> bool:
        """Whether values have positions on a line."""
        return self.positions is not None

    @property
    def has_null(self) -> bool:
        """Whether NULL is a value, which is then the last."""
        return self.labels[-1] is None

    def quote(self, code: int) -> str:
        """Value of a code, for an error message."""
        label = self.labels[code]
        return "NULL" if label is None else repr(label)

    @cached_property
    def scale(self) -> float:
        """Unit of a numeric domain's distances; 1 where its range is 0."""
        if self.bounds is not None:
            return self.bounds[1] - self.bounds[0]
        return self.span or 1.0

    @property
    def span(self) -> float:
        """Range of the values of a numeric domain."""
        assert self.positions is not None
        numbers = self.positions[: self.size - self.has_null]
        return float(numbers[-1] - numbers[0]) if numbers.size else 0.0

    @cached_property
    def _whole(self) -> float:
        """Length of what loses everything: the scale, with the bin in which it ends."""
        assert self.positions is not None
        upper = self.positions if self.ends is None else self.ends
        last = self.size - 1 - self.has_null
        if self.bounds is None:
            return float(upper[last] - self.positions[0]) or 1.0
        low, high = self.bounds
        within = int(np.searchsorted(self.positions[: last + 1], high, side="right"))
        return max(high, float(upper[within - 1])) - low if within else high - low

    @cached_property
    def nodes(self) -> IntArray:
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
        return len(self.nodes) - 1

    def _check_paired(self) -> None:
        if self.size > PAIRED_VALUES:
            raise TooLarge(
                f'attribute "{self.name}" has {self.size} values, too many to compare in pairs',
                detail="Distances of beliefs and of distributions need a matrix of the sensitive "
                f"values; at most {PAIRED_VALUES} are handled.",
                hint="Bin the column where the dataset is registered, or in a view of the source.",
            )

    @cached_property
    def distances(self) -> FloatArray:
        """Distance of every pair of values, in [0, 1], shape (size, size)."""
        self._check_paired()
        if self.positions is not None:
            gaps = np.abs(self.positions[:, None] - self.positions[None, :]) / self.scale
            gaps = np.minimum(gaps, 1.0)
            if self.has_null:
                gaps[-1, :] = gaps[:, -1] = 1.0
                gaps[-1, -1] = 0.0
            return gaps
        # The height of the lowest common ancestor is the number of levels on which two differ.
        levels = self.nodes[:-1]
        apart: IntArray = (levels[:, :, None] != levels[:, None, :]).sum(axis=0)
        return apart / self.height

    @cached_property
    def membership(self) -> FloatArray:
        """Matrices of values by nodes, 0 or 1, for each level below the root, zero-padded.

        Shape (height, size, size).
        """
        self._check_paired()
        nodes = self.nodes[:-1, :, None] == np.arange(self.size)
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
        place[np.lexsort(self.nodes)] = np.arange(self.size)
        return place

    @cached_property
    def _spans(self) -> tuple[IntArray, IntArray]:
        """First and last leaf place under each leaf's ancestors, shapes (levels, size by place)."""
        ordered = self.nodes[:, np.argsort(self.leaf_order)]
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

        Numeric: 0 for one value, else the share that is spanned of the domain's scale, or of what
        its bins span, or all of it where numbers and NULL are mixed. Categorical: 0 for one value,
        else the share of the domain's values that lie under the lowest common ancestor.
        """
        if self.positions is not None:
            upper = self.positions if self.ends is None else self.ends
            share = np.where(low < high, upper[high] - self.positions[low], 0.0) / self._whole
            share = np.minimum(share, 1.0)
            if self.has_null:
                share = np.where(high == self.size - 1, (low < high).astype(np.float64), share)
            return share
        if self.size <= _TABULATED:
            penalties: FloatArray = self._penalties[low, high]
            return penalties
        return self._ncp(low, high)

    @cached_property
    def _penalties(self) -> FloatArray:
        """Penalty of all places to all; of higher to lower it means nothing."""
        low, high = np.indices((self.size, self.size))
        return self._ncp(low, high)

    def _ncp(self, low: IntArray, high: IntArray) -> FloatArray:
        """Penalty of categorical places; see `ncp`."""
        starts, ends = self._spans
        level = self.ancestor_level(low, high)
        leaves = ends[level, low] - starts[level, low] + 1
        return np.where(low == high, 0.0, leaves / self.size)

    def shown(self, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
        """Codes that are equal where places `low` to `high` are published as the same range.

        Of a numeric domain; what a categorical one publishes is a label.
        """
        anything = (low < high) & (high == self.size - 1) & self.has_null
        return np.where(anything, -1, low), high

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


def _mistaken(attribute: str, value: str, other: str | None, kind: str) -> InvalidData:
    column, literal = attribute.replace('"', '""'), value.replace("'", "''")
    return InvalidData(
        f'value {some_of([value])} of attribute "{attribute}" is also a label of other values',
        detail=f"It is the {kind} under which {some_of([other])} is published where a group mixes "
        "values. A reader could not distinguish the two.",
        hint="Publish from a view that shows the value otherwise, such as "
        f"""NULLIF("{column}", '{literal}') with the option {{"nulls": "category"}}. Or give the """
        "label another name: by bkpriv.set_hierarchy you name every label, the root too.",
    )
