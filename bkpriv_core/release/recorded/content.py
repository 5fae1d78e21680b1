"""Recorded cells, groups and counts, and the release that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.release.recorded.attribute import Attribute, read_domains
from bkpriv_core.release.recorded.draw import Draw, redrawn
from bkpriv_core.release.recorded.soundness import check_range, unsound
from bkpriv_core.release.release import Form, Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table, check_dense

__all__ = [
    "Arrays",
    "RecordedFigures",
    "check_suppressed",
    "read_groups",
    "read_release",
    "read_told",
]

_RECORDS = 2**53
"""Bound of the numbers of records that floats hold exactly."""


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
    false_cells, false_values, false_counts : (x,) int array or None
        Counterfeits, if there are any: the excess of records of a cell shown with a sensitive value
        over those that have it, in ascending order of cell and value.
    draw : Draw or None
        Records that were drawn from the table.
    combinations : (R * s,) int array or None
        Codes of the rows of each sensitive value, row by row, if sensitive values are combinations
        of columns.
    combination_offsets : (m + 1,) int array or None
        Offsets of the rows of each sensitive value; None where each has one row.
    """

    codes: IntArray
    labels: IntArray
    cells: IntArray
    values: IntArray
    counts: IntArray
    false_cells: IntArray | None = None
    false_values: IntArray | None = None
    false_counts: IntArray | None = None
    draw: Draw | None = None
    combinations: IntArray | None = None
    combination_offsets: IntArray | None = None


@dataclass(frozen=True)
class RecordedFigures:
    """Figures of a release, which its arrays must agree with.

    Parameters
    ----------
    records, suppressed, groups : int
        Numbers of each.
    counterfeited : int
        Records that are shown with another sensitive value than they have.
    """

    records: int
    suppressed: int
    groups: int
    counterfeited: int = 0


def read_release(
    attributes: Sequence[Attribute], arrays: Arrays, content: RecordedFigures, form: Form
) -> Release:
    """A release that was published in a form, or in one with whole columns generalized.

    Raises
    ------
    UnsoundHistory
        If they cannot be.
    BkprivError
        See `read_domains`.
    """
    quasi_identifiers, sensitive = read_told(read_domains(attributes), arrays)
    cells, columns = len(arrays.labels), len(quasi_identifiers)
    if cells * columns != len(arrays.codes):
        raise unsound(
            f"it has {len(arrays.codes)} codes for {cells} cells",
            f"There are {columns} quasi-identifiers.",
        )
    check_dense(cells, "parts of cells", sensitive)
    codes = arrays.codes.reshape(cells, columns)
    check_range("codes", codes.min(axis=0), codes.max(axis=0), quasi_identifiers)
    groups = None if form.randomized else read_groups(arrays.labels, content, "cells")
    if groups is None and (content.groups or (arrays.labels != SUPPRESSED).any()):
        raise unsound(
            "it has groups",
            f"{content.groups} are recorded; what is {form.name} has none, and all of its cells "
            f"have the number {SUPPRESSED}.",
        )
    counts = _read_counts(arrays, cells, sensitive, content)
    parts = Parts.of_codes(quasi_identifiers, sensitive, codes, counts)
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
    release = Release(parts, groups, _recoded(form, table, attributes))
    check_suppressed(table.records - release.published, content)
    return replace(release, form=redrawn(release, attributes, arrays.draw))


def read_told(domains: Sequence[Domain], arrays: Arrays) -> tuple[tuple[Domain, ...], Domain]:
    """Quasi-identifiers, and the sensitive attribute that the other columns make."""
    if arrays.combinations is None:
        if arrays.combination_offsets is not None:
            raise unsound("its combinations are missing", "Only their offsets are recorded.")
        *known, last = domains
        return tuple(known), last
    columns, left = divmod(len(arrays.codes), len(arrays.labels))
    told = tuple(domains[columns:])
    if left or not columns or not told:
        raise unsound(
            f"it has {len(arrays.codes)} codes for {len(arrays.labels)} cells",
            f"There are {len(domains)} attributes, of which the last are sensitive.",
        )
    rows, left = divmod(len(arrays.combinations), len(told))
    offsets = arrays.combination_offsets
    if offsets is None:
        offsets = np.arange(rows + 1)
    if left or not _divide(offsets, rows):
        raise unsound(
            "its combinations do not follow each other",
            f"There are {len(arrays.combinations)} codes of {len(told)} columns, and offsets from "
            f"{offsets[:1]} to {offsets[-1:]}.",
        )
    codes = arrays.combinations.reshape(rows, len(told))
    check_range("combinations", codes.min(axis=0), codes.max(axis=0), told)
    combination, values = Combination.of(told, codes, offsets)
    if not np.array_equal(values, np.arange(len(offsets) - 1)) or not np.array_equal(
        combination.rows, codes
    ):
        raise unsound(
            "its combinations are not told apart, or not in order",
            f"There are {len(values)}, of which {combination.size} differ.",
        )
    if len(told) == 1 and not combination.several:
        raise unsound("its combinations are values of one column", f'That is "{told[0].name}".')
    return tuple(domains[:columns]), combination


def _divide(offsets: IntArray, rows: int) -> bool:
    """Whether offsets divide so many rows into combinations, at least one, of at least one row."""
    ends = len(offsets) >= 2 and offsets[0] == 0 and offsets[-1] == rows
    return bool(ends and (np.diff(offsets) > 0).all())


def check_suppressed(left_out: int, content: RecordedFigures) -> None:
    """Refuse another number of records than were suppressed."""
    if left_out != content.suppressed:
        raise unsound(
            f"it suppressed {left_out} records, not {content.suppressed}",
            f"It was made from {content.records}.",
        )


def read_groups(labels: IntArray, content: RecordedFigures, whose: str) -> Groups:
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


def _read_counts(
    arrays: Arrays, cells: int, sensitive: Domain, content: RecordedFigures
) -> IntArray:
    """Counts of all cells, which must agree with what the release says of them."""
    low = np.array([arrays.cells.min(), arrays.values.min(), arrays.counts.min()])
    high = np.array([arrays.cells.max(), arrays.values.max()])
    if low[0] < 0 or high[0] >= cells or low[2] < 1:
        raise unsound(
            "its counts are out of range",
            f"They are of cells {low[0]} to {high[0]}, of {cells}; the least is {low[2]}.",
        )
    check_range("codes", low[1:2], high[1:2], [sensitive])
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


def _read_counterfeits(arrays: Arrays, parts: Parts, content: RecordedFigures) -> IntArray | None:
    """Read the excess of shown over true values, (p, m); published parts must keep their size."""
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
    check_range("counterfeits", values[None].min(axis=1), values[None].max(axis=1), [sensitive])
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
    known = len(table.quasi_identifiers)
    levels = [item.level for item in attributes[:known]]
    told = any(item.level is not None for item in attributes[known:])
    if not told and all(level is None for level in levels):
        return form
    recoding = []
    for domain, level in zip(table.quasi_identifiers, levels, strict=True):
        choices = Levels.of(domain)
        if level is None or not 0 <= level < len(choices) or told:
            raise unsound(
                "its levels of generalization cannot be",
                f'That of "{domain.name}" is {level}, of {len(choices)}, from 0; every '
                "quasi-identifier has one or none has, and the sensitive attribute has none.",
            )
        recoding.append(choices.recoding(domain, level))
    return form.recoded(tuple(recoding))
