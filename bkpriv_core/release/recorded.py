"""What history says that a release was made from, checked before anything is made of it.

Whoever owns a dataset may append to the history of its releases, so what it says is input like any
other. Here are its bounds: sizes first, which are asked for before anything travels, then what the
arrays hold. What passes is a table and groups as a publication can have recorded them; that it did
is another question, which nothing here answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import BkprivError, UnsoundHistory
from bkpriv_core.release.form import Form
from bkpriv_core.release.release import Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table, check_dense

__all__ = [
    "Arrays",
    "Attribute",
    "Content",
    "Sizes",
    "check_labels",
    "check_sizes",
    "check_suppressed",
    "of_release",
    "read_domains",
    "read_groups",
    "read_release",
    "unsound",
]

_ELEMENTS = 80_000_000
"""Largest number of integers in an array that is recorded."""

_TEXTS = 20_000_000
"""Largest number of labels or names in one."""

_TEXT_BYTES = 10**9
"""Largest size of all labels or names in one."""

_ATTRIBUTES = 1600
"""Most columns of a table."""

_RECORDS = 2**53
"""Bound of the numbers of records that floats hold exactly."""


_WIDTHS = 2100
"""Most widths of intervals: each is at least twice the one before."""

_HINT = "No publication recorded it so. Leave the release out; its owner can append to its history."


def of_release(release: int, error: BkprivError) -> UnsoundHistory:
    """Say of which release something recorded is refused."""
    return UnsoundHistory(
        f"the history of release {release} is unsound: {error.message}",
        detail=error.detail,
        hint=_HINT,
    )


def unsound(what: str, detail: str) -> UnsoundHistory:
    """Refuse what is recorded of a release."""
    return UnsoundHistory(what, detail=detail, hint=_HINT)


@dataclass(frozen=True)
class Sizes:
    """The size of a recorded array.

    Parameters
    ----------
    name : str
        What it is called.
    elements : int
        Its elements.
    dimensions : int
        Its dimensions; 0 if it is empty.
    text_bytes : int, optional
        Bytes of its elements, if they are texts.
    """

    name: str
    elements: int
    dimensions: int
    text_bytes: int | None = None


def check_sizes(sizes: Sequence[Sizes]) -> None:
    """Refuse arrays that are empty, too large in all, or of another shape, before they are read."""
    for array in sizes:
        expected = 2 if array.name == "levels" else 1
        if array.dimensions != expected:
            raise unsound(
                f"its {array.name} are no array of so many dimensions as they should be",
                f"There are {array.elements} elements in {array.dimensions} dimensions; there "
                f"should be {expected}.",
            )
    for name in {array.name: None for array in sizes}:
        same = [array for array in sizes if array.name == name]
        elements = sum(array.elements for array in same)
        size = sum(array.text_bytes or 0 for array in same)
        texts = any(array.text_bytes is not None for array in same)
        most = _TEXTS if texts else _ELEMENTS
        if name == "widths":
            most = _WIDTHS * len(same)
        if elements > most or size > _TEXT_BYTES:
            raise unsound(
                f"its {name} are too many",
                f"There are {elements}, and texts among them take {size} bytes; at most {most} "
                f"and {_TEXT_BYTES} bytes are read.",
            )


@dataclass(frozen=True, eq=False)
class Attribute:
    """A recorded attribute.

    Parameters
    ----------
    place : int
        Its place.
    name : str
        Its name.
    labels : tuple of str or None
        Its values.
    positions : (size,) float array or None
        Their positions.
    levels : sequence of sequences of str, or None
        Rows of its hierarchy.
    widths : sequence of Decimal, or None
        Widths of its intervals.
    origin : Decimal or None
        Their origin.
    level : int or None
        The level to which the whole column was generalized.
    ends : (size,) float array or None
        Where bins end whose starts are its values.
    step : float or None
        Distance of neighbouring points of its type, see `Domain`.
    """

    place: int
    name: str
    labels: tuple[str | None, ...]
    positions: FloatArray | None
    levels: Sequence[Sequence[str | None]] | None
    widths: Sequence[object] | None
    origin: object
    level: int | None
    ends: FloatArray | None
    step: float | None


@dataclass(frozen=True, eq=False)
class Arrays:
    """The recorded arrays of a release: see `bkpriv_core.table.domain.Table`.

    Parameters
    ----------
    codes : (c * d,) int array
        Codes of the cells, or parts of cells, cell by cell.
    labels : (c,) int array
        The group of each.
    cells, values : (f,) int array
        Cell and sensitive value of each count, in ascending order.
    counts : (f,) int array
        The counts.
    false_cells, false_values, false_counts : (x,) int array or None
        The same of how many records more are shown with a value than have it. None without
        counterfeits.
    """

    codes: IntArray
    labels: IntArray
    cells: IntArray
    values: IntArray
    counts: IntArray
    false_cells: IntArray | None = None
    false_values: IntArray | None = None
    false_counts: IntArray | None = None


@dataclass(frozen=True)
class Content:
    """Figures of a release, which its arrays must agree with.

    Parameters
    ----------
    records, suppressed, groups, counterfeited : int
        How many of each.
    """

    records: int
    suppressed: int
    groups: int
    counterfeited: int = 0


def read_domains(attributes: Sequence[Attribute]) -> tuple[Domain, ...]:
    """Domains of recorded attributes, the sensitive one last.

    Raises
    ------
    UnsoundHistory
        If there are none, or one cannot be.
    BkprivError
        Whatever a domain, a hierarchy or intervals refuse.
    """
    if not 2 <= len(attributes) <= _ATTRIBUTES:
        raise unsound(
            f"it has {len(attributes)} attributes",
            f"There must be a quasi-identifier and the sensitive attribute, and at most "
            f"{_ATTRIBUTES} in all.",
        )
    places, names = [item.place for item in attributes], [item.name for item in attributes]
    if places != list(range(len(attributes))):
        raise unsound("its attributes are not numbered from 0", f"The numbers are {places[:8]}.")
    if len(set(names)) < len(names) or not all(names):
        raise unsound("its attributes do not have names of their own", f"They are {names[:8]}.")
    for item in attributes:
        _check_values(item)
    return tuple(
        Domain(
            item.name,
            item.labels,
            item.positions,
            None if item.levels is None else Hierarchy.from_rows(item.name, item.levels),
            None if item.widths is None else Intervals.checked(item.name, item.widths, item.origin),
            item.ends,
            None if item.positions is None else item.step,
        )
        for item in attributes
    )


def _check_values(item: Attribute) -> None:
    """Refuse labels that recur, NULL before the end, positions that fall, bins that overlap."""
    quoted = f'attribute "{item.name}"'
    check_labels(item.name, item.labels)
    if item.positions is None:
        if item.ends is not None:
            raise unsound(f"bins of its {quoted} end, but begin nowhere", "It has no positions.")
        return
    values = len(item.labels) - (item.labels[-1] is None)
    numbers = item.positions[:values]
    if len(item.positions) != len(item.labels) or (numbers[1:] < numbers[:-1]).any():
        raise unsound(
            f"the positions of its {quoted} do not rise with its values",
            f"There are {len(item.positions)} positions of {len(item.labels)} values.",
        )
    if not np.isnan(item.positions[values:]).all():
        raise unsound(f"NULL has a position in its {quoted}", "It is at no number.")
    if item.ends is None:
        return
    ends = item.ends[:values]
    if (
        len(item.ends) != len(item.labels)
        or not np.isnan(item.ends[values:]).all()
        # Double precision may round where a bin ends to where it begins, but not beyond.
        or not (numbers <= ends).all()
        or not (ends[:-1] <= numbers[1:]).all()
    ):
        raise unsound(
            f"the bins of its {quoted} do not end between its values",
            f"There are {len(item.ends)} ends of {len(item.labels)} values; a bin begins at one "
            "and ends at the next or before it; NULL has no end.",
        )


def check_labels(name: str, labels: Sequence[str | None]) -> None:
    """Refuse values that recur, and NULL before the end."""
    if not labels or None in labels[:-1] or len(set(labels)) < len(labels):
        raise unsound(
            f'the values of its attribute "{name}" are not told apart',
            f"There are {len(labels)}, of which {len(set(labels))} differ; NULL may only be the "
            "last.",
        )


def read_release(
    attributes: Sequence[Attribute], arrays: Arrays, content: Content, form: Form
) -> Release:
    """A release that was published in a form, or in one with whole columns generalized.

    Raises
    ------
    UnsoundHistory
        If they cannot be.
    BkprivError
        See `read_domains`.
    """
    *quasi_identifiers, sensitive = read_domains(attributes)
    cells, columns = len(arrays.labels), len(quasi_identifiers)
    if cells * columns != len(arrays.codes):
        raise unsound(
            f"it has {len(arrays.codes)} codes for {cells} cells",
            f"There are {columns} quasi-identifiers.",
        )
    check_dense(cells, "parts of cells", sensitive)
    codes = arrays.codes.reshape(cells, columns)
    _check_range("codes", codes.min(axis=0), codes.max(axis=0), quasi_identifiers)
    groups = read_groups(arrays.labels, content, "cells")
    counts = _read_counts(arrays, cells, sensitive, content)
    parts = Parts.of_codes(tuple(quasi_identifiers), sensitive, codes, counts)
    differ = len(distinct_rows(np.column_stack((arrays.labels - SUPPRESSED, parts.cell)))[0])
    if differ < cells:
        raise unsound(
            "a cell recurs in one group",
            f"Of {cells} cells and parts of cells {differ} differ.",
        )
    table = parts.table
    false = _read_counterfeits(arrays, parts, content)
    if false is not None:
        parts = parts.shown(false)
    check_suppressed(table.records - int(parts.sizes(groups).sum()), content)
    return Release(parts, groups, _recoded(form, table, attributes))


def check_suppressed(left_out: int, content: Content) -> None:
    """Refuse another number of records than were suppressed."""
    if left_out != content.suppressed:
        raise unsound(
            f"it suppressed {left_out} records, not {content.suppressed}",
            f"It was made from {content.records}.",
        )


def _check_range(name: str, low: IntArray, high: IntArray, domains: Sequence[Domain]) -> None:
    for domain, least, most in zip(domains, low.tolist(), high.tolist(), strict=True):
        if least < 0 or most >= domain.size:
            raise unsound(
                f'its {name} of attribute "{domain.name}" are out of range',
                f"They go from {least} to {most}; there are {domain.size} values, from 0.",
            )


def read_groups(labels: IntArray, content: Content, whose: str) -> Groups:
    """Groups from labels of cells or respondents, which must leave no number out."""
    least, most = int(labels.min()), int(labels.max())
    # Before anything is counted: an array as long as the largest number would be allocated.
    if least < SUPPRESSED or most < 0 or most != content.groups - 1 or most >= len(labels):
        raise unsound(
            "its group numbers are out of range",
            f"They go from {least} to {most}; {content.groups} groups are recorded of "
            f"{len(labels)} {whose}, numbered from 0, and {SUPPRESSED} is for what is suppressed.",
        )
    members = np.bincount(labels - SUPPRESSED, minlength=content.groups + 1)[1:]
    if not members.all():
        raise unsound(
            f"its group {int(np.argmin(members))} is empty", f"There are {content.groups} groups."
        )
    return Groups.from_labels(labels)


def _read_counts(arrays: Arrays, cells: int, sensitive: Domain, content: Content) -> IntArray:
    """Counts of all cells, which must agree with what the release says of them."""
    low = np.array([arrays.cells.min(), arrays.values.min(), arrays.counts.min()])
    high = np.array([arrays.cells.max(), arrays.values.max()])
    if low[0] < 0 or high[0] >= cells or low[2] < 1:
        raise unsound(
            "its counts are out of range",
            f"They are of cells {low[0]} to {high[0]}, of {cells}; the least is {low[2]}.",
        )
    _check_range("codes", low[1:2], high[1:2], [sensitive])
    keys = arrays.cells * sensitive.size + arrays.values
    if (np.diff(keys) <= 0).any() or len(np.unique(arrays.cells)) < cells:
        raise unsound(
            "its counts are not one for each value of each cell",
            f"There are {len(keys)}, of {len(np.unique(arrays.cells))} of {cells} cells; they "
            "must be in ascending order, and no cell without records.",
        )
    # A sum of floats cannot overflow, and is exact as far as is allowed.
    total = float(arrays.counts.sum(dtype=np.float64))
    if total != content.records or total >= _RECORDS:
        raise unsound(
            f"its counts sum to {total:.15g}, not to its {content.records} records",
            f"At most {_RECORDS} are read.",
        )
    counts = np.zeros((cells, sensitive.size), dtype=np.int64)
    counts[arrays.cells, arrays.values] = arrays.counts
    return counts


def _read_counterfeits(arrays: Arrays, parts: Parts, content: Content) -> IntArray | None:
    """What is shown beyond what is so, (p, m), which must leave each published part its size."""
    if arrays.false_cells is None or arrays.false_values is None or arrays.false_counts is None:
        if content.counterfeited:
            raise unsound(
                f"{content.counterfeited} records are shown with other values than they have",
                "It is not recorded with which.",
            )
        return None
    cells, values = arrays.false_cells, arrays.false_values
    sensitive = parts.table.sensitive
    if cells.min() < 0 or cells.max() >= len(parts) or (arrays.labels[cells] == SUPPRESSED).any():
        raise unsound(
            "its counterfeits are out of range",
            f"They are of cells {cells.min()} to {cells.max()}, of {len(parts)}, all published.",
        )
    _check_range("counterfeits", values[None].min(axis=1), values[None].max(axis=1), [sensitive])
    if (np.diff(cells * sensitive.size + values) <= 0).any():
        raise unsound(
            "its counterfeits are not one for each value of each cell",
            f"There are {len(cells)}; they must be in ascending order.",
        )
    counted = np.zeros(parts.counts.shape, dtype=np.int64)
    # What is shown is no more than the records there are, which bounds the sums.
    most = parts.weights[cells]
    if (np.abs(arrays.false_counts) <= most).all() and arrays.false_counts.all():
        counted[cells, values] = arrays.false_counts
    shown = parts.counts + counted
    number = int(counted.clip(min=0).sum())
    if (
        not number
        or number != content.counterfeited
        or counted.sum(axis=1).any()
        or shown.min() < 0
    ):
        raise unsound(
            f"its counterfeits are {number}, not {content.counterfeited}",
            "Each cell must have as many records shown with some value beyond those that have it, "
            "as others are shown without, and there must be those.",
        )
    return counted


def _recoded(form: Form, table: Table, attributes: Sequence[Attribute]) -> Form:
    """The form with the classes of values that whole columns were generalized to."""
    levels = [item.level for item in attributes[:-1]]
    if attributes[-1].level is None and all(level is None for level in levels):
        return form
    recoding = []
    for domain, level in zip(table.quasi_identifiers, levels, strict=True):
        choices = Levels.of(domain)
        if level is None or not 0 <= level < len(choices) or attributes[-1].level is not None:
            raise unsound(
                "its levels of generalization cannot be",
                f'That of "{domain.name}" is {level}, of {len(choices)}, from 0; every '
                "quasi-identifier has one or none has, and the sensitive attribute has none.",
            )
        recoding.append(choices.recoding(domain, level))
    return form.recoded(tuple(recoding))
