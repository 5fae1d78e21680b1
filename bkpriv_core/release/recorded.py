"""Recorded material of a release, and the release that it makes.

One function alone writes the history, so what is recorded is what a publication recorded, and
nothing here looks whether it could be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.release.release import Form, Release
from bkpriv_core.table.combination import NO_SENSITIVE, Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import check_dense

__all__ = [
    "Arrays",
    "Attribute",
    "RecordedRespondents",
    "read_domains",
    "read_release",
    "read_told",
]


@dataclass(frozen=True, eq=False)
class Attribute:
    """A recorded attribute."""

    name: str
    labels: tuple[str | None, ...]
    positions: FloatArray | None
    """Shape (size,). Positions of its values."""
    levels: Sequence[Sequence[str | None]] | None
    widths: Sequence[object] | None
    origin: object
    level: int | None
    """The level to which the whole column was generalized."""
    ends: FloatArray | None
    """Shape (size,). Ends of bins whose starts are its values."""
    step: float | None
    """Distance of neighbouring points of its type, see `Domain`."""
    retention: float | None
    """Probability with which values were kept, where records were drawn."""
    bounds: Sequence[float] | None
    """Least and greatest position of its scale, if that is not the range of its values."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """The recorded arrays of a release: see `bkpriv_core.table.domain.Table`."""

    codes: IntArray
    """Shape (c * d,). Codes of the cells, or parts of cells, cell by cell."""
    labels: IntArray
    """Shape (c,). The group of each."""
    cells: IntArray
    values: IntArray
    """Shape (f,). Cell and sensitive value of each count, in ascending order."""
    counts: IntArray
    """Shape (f,)."""
    false_cells: IntArray | None = None
    false_values: IntArray | None = None
    false_counts: IntArray | None = None
    """Shape (x,). Counterfeits, if there are any: the excess of records of a cell shown with a
    sensitive value over those that have it, in ascending order of cell and value.
    """
    combinations: IntArray | None = None
    """Shape (R * s,). Codes of the rows of each sensitive value, row by row, if sensitive values
    are combinations of columns; empty if there is no sensitive column.
    """
    combination_offsets: IntArray | None = None
    """Shape (m + 1,). Offsets of the rows of each sensitive value; None where each has one row."""
    drawn_codes: IntArray | None = None
    """Shape (r * (d + 1). Codes of the distinct records that were drawn from the table, record by
    record.
    """
    drawn_counts: IntArray | None = None
    """Shape (r,). Number of records of each."""


@dataclass(frozen=True, eq=False)
class RecordedRespondents:
    """Recorded respondents of the records of a release."""

    names: Sequence[str]
    labels: IntArray
    """Shape (n,). The group that each is published in, or `SUPPRESSED`."""
    parts: IntArray
    values: IntArray
    """Shape (n,). The part, and the sensitive value, of each one's record."""
    shown: IntArray | None = None
    """Shape (n,). The value that each one's record is shown with, if some are counterfeits."""


def read_domains(attributes: Sequence[Attribute]) -> tuple[Domain, ...]:
    """Domains of recorded attributes, the sensitive ones last."""
    return tuple(
        Domain(
            item.name,
            item.labels,
            item.positions,
            None if item.levels is None else Hierarchy.from_rows(item.name, item.levels),
            intervals=None
            if item.widths is None
            else Intervals.checked(item.name, item.widths, item.origin),
            ends=item.ends,
            step=None if item.positions is None else item.step,
            bounds=None if item.bounds is None else (item.bounds[0], item.bounds[1]),
        )
        for item in attributes
    )


def read_told(domains: Sequence[Domain], arrays: Arrays) -> tuple[tuple[Domain, ...], Domain]:
    """Quasi-identifiers, and the sensitive attribute that the other columns make."""
    columns = len(arrays.codes) // len(arrays.labels)
    told = tuple(domains[columns:])
    if not told:
        return tuple(domains), NO_SENSITIVE
    if arrays.combinations is None:
        return tuple(domains[:columns]), told[0]
    codes = arrays.combinations.reshape(-1, len(told))
    offsets = arrays.combination_offsets
    if offsets is None:
        offsets = np.arange(len(codes) + 1)
    return tuple(domains[:columns]), Combination.of(told, codes, offsets)[0]


def read_release(attributes: Sequence[Attribute], arrays: Arrays, form: Form) -> Release:
    """A release that was published in a form, or in one with whole columns generalized.

    Raises:
        TooLarge: If its counts would not fit in memory.
    """
    quasi_identifiers, sensitive = read_told(read_domains(attributes), arrays)
    cells = len(arrays.labels)
    check_dense(cells, "parts of cells", sensitive)
    counts = np.zeros((cells, sensitive.size), dtype=np.int64)
    counts[arrays.cells, arrays.values] = arrays.counts
    codes = arrays.codes.reshape(cells, -1)
    parts = Parts.of_codes(quasi_identifiers, sensitive, codes, counts)
    if arrays.false_counts is not None:
        false = np.zeros_like(counts)
        false[arrays.false_cells, arrays.false_values] = arrays.false_counts
        parts = parts.shown(false)
    groups = None if form.randomized else Groups.from_labels(arrays.labels)
    levels = [item.level for item in attributes[: len(quasi_identifiers)]]
    if None not in levels:
        form = form.recoded(
            tuple(
                Levels.of(domain).recoding(domain, level)
                for domain, level in zip(quasi_identifiers, levels, strict=True)
                if level is not None
            )
        )
    if arrays.drawn_codes is not None and arrays.drawn_counts is not None:
        form = _redrawn(form, attributes, arrays.drawn_codes, arrays.drawn_counts)
    return Release(parts, groups, form)


def _redrawn(
    form: Form, attributes: Sequence[Attribute], codes: IntArray, counts: IntArray
) -> Form:
    """The form with the records that were drawn."""
    # Other releases are read without it.
    from bkpriv_core.randomization.channel import Channel
    from bkpriv_core.randomization.drawn import Drawn

    channels = tuple(
        Channel(len(item.labels), item.retention)
        for item in attributes
        if item.retention is not None
    )
    return form.with_drawn(channels, Drawn(codes.reshape(len(counts), -1), counts))
