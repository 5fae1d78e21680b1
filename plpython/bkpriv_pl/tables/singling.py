"""Singling out: a notice of quasi-identifiers that tell most people apart together.

It is given when a dataset is declared, for each column may have few values. Records are told apart
by hashes, in a sample of what is large. Only where there is something to say a second reading
counts what coarser columns would give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import plpy

from bkpriv_core.table.bins import Bin
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.inspection import nearly_unique
from bkpriv_core.table.singling import coarser_bins, coarser_prefixes, fewest_apart, joined
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.sample import Sample, as_text, read_classes
from bkpriv_pl.tables.source import Relation

__all__ = ["tell_combination"]

_WIDEST = 3
"""Number of the columns of most values that are tried coarser."""


@dataclass(frozen=True)
class _Coarser:
    """A column as it could be declared."""

    place: int
    text: str
    """SQL of its text in a record, under alias s."""
    bin: Bin | None = None
    """Bin that it would have; None of a text."""
    length: int = 0
    """Length of the beginnings that would be left of a text."""

    @property
    def stated(self) -> str | float | None:
        """Bin as a dataset declares it."""
        if self.bin is None or self.bin.width is None:
            return None if self.bin is None else self.bin.unit
        width = self.bin.width
        return int(width) if width == width.to_integral_value() else float(width)

    def __str__(self) -> str:
        return f"in bins of {self.stated}" if self.bin else f"by its first {self.length} characters"


def tell_combination(
    dataset: str, source: Relation, columns: Sequence[Column], period: Column | None = None
) -> None:
    """Say which quasi-identifiers are nearly unique together, and what coarser ones would give.

    Nothing is said where row-level security may hide rows from the caller, and of columns that are
    nearly unique alone, which `inspection.inspect_source` warns of.

    Args:
        columns: The quasi-identifiers, binned as the dataset declares.
        period: The column that tells periods apart, in which records are told apart.
    """
    if len(columns) < 2 or _hides(source):
        return
    sample = Sample.of(source, (*columns, *([] if period is None else [period])), "SYSTEM")
    texts = [as_text(column, column.expression("s")) for column in columns]
    labels = _read(sample, texts, period)
    sizes = [len(joined([label])[1]) for label in labels]
    left = [place for place, size in enumerate(sizes) if not nearly_unique(len(labels[0]), size)]
    if fewest_apart([labels[place] for place in left], POLLED) is None:
        return
    widest = sorted(left, key=lambda place: -sizes[place])[:_WIDEST]
    coarser = _ways(sample, columns, texts, widest)
    # Records need not come in the same order again.
    labels = _read(sample, [*texts, *(each.text for each in coarser)], period)
    _tell(dataset, columns, {place: labels[place] for place in left}, coarser, labels, sample)


def _tell(
    dataset: str,
    columns: Sequence[Column],
    own: Mapping[int, IntArray],
    coarser: Sequence[_Coarser],
    labels: Sequence[IntArray],
    sample: Sample,
) -> None:
    """Give the notice, unless what is read has changed meanwhile; see `_describe`."""
    found = fewest_apart([*own.values()], POLLED)
    if found is None:
        return
    left, records = [*own], len(labels[0])
    named = ", ".join(f'"{columns[left[place]].name}"' for place in found.columns)
    verb, note = "are", ""
    if sample.drawn:
        verb = "may be"
        note = " These records are a sample: the larger the table, the more have equals in it."
    notices.notice(
        f'quasi-identifiers of dataset "{dataset}" {verb} nearly unique together',
        detail=f"The columns {named} single out {found.unique} of {records} records "
        f"({found.unique / records:.1%}). {_describe(columns, own, coarser, labels)}.{note}",
        hint=_propose(columns, coarser),
    )


def _hides(source: Relation) -> bool:
    """Whether row-level security may hide rows of a relation from the caller."""
    (row,) = run("SELECT row_security_active($1) AS active", ["oid"], [source.oid])
    return bool(row["active"])


def _read(sample: Sample, texts: Sequence[str], period: Column | None) -> list[IntArray]:
    """Class of each record by each text, within its period, numbered from 0."""
    texts = [*texts, *([] if period is None else [as_text(period, period.expression("s"))])]
    labels = read_classes(sample, texts)
    within = [] if period is None else [labels.pop()]
    return [joined([label, *within])[0] for label in labels]


def _ways(
    sample: Sample, columns: Sequence[Column], texts: Sequence[str], places: Sequence[int]
) -> list[_Coarser]:
    """Ways in which some of the columns could be coarser, by their least and largest values."""
    listed, spans = [], []
    for place in places:
        raw = f"s.{plpy.quote_ident(columns[place].name)}"
        size = columns[place].position(raw) if columns[place].numeric else f"length({raw}::text)"
        listed.append(f"CASE WHEN {raw} IS NOT NULL THEN {size} END AS v{place}")
        spans += [f"min(v{place})::float8 AS low{place}", f"max(v{place})::float8 AS high{place}"]
    (row,) = run(
        f"SELECT {', '.join(spans)} FROM (SELECT {', '.join(listed)} FROM {sample.source} "
        f"LIMIT {sample.most}) AS x"
    )
    return [
        each
        for place in places
        for each in _coarser(
            place, columns[place], texts[place], row[f"low{place}"], row[f"high{place}"]
        )
    ]


def _coarser(place: int, column: Column, text: str, low: float, high: float) -> list[_Coarser]:
    """A column in some ways that are coarser; `text` is the SQL of its own text."""
    if not column.numeric:
        lengths = coarser_prefixes(int(low), int(high))
        return [_Coarser(place, f"left({text}, {length})", length=length) for length in lengths]
    bins = coarser_bins(column.type_name, low, high, column.bin)
    made = [replace(column, bin=bin_) for bin_ in bins]
    return [_Coarser(place, as_text(each, each.expression("s")), each.bin) for each in made]


def _describe(
    columns: Sequence[Column],
    own: Mapping[int, IntArray],
    coarser: Sequence[_Coarser],
    labels: Sequence[IntArray],
) -> str:
    """Describe how many cells the columns have, and would have if some were coarser.

    Args:
        own: Class of each record by the columns that are told of, by their places.
        labels: Class of each record by all columns, and then by the coarser ones.
    """
    cells = f"All {len(own)} have {_cells(own)} cells"
    tried = dict(zip(coarser, labels[len(columns) :], strict=True))
    each = [
        f'"{columns[way.place].name}" {way}: {_cells({**own, way.place: label})}'
        for way, label in tried.items()
    ]
    last = {way.place: label for way, label in tried.items()}
    if len(last) > 1:
        each.append(f"the last of each: {_cells({**own, **last})}")
    return cells + (f"; with {', '.join(each)}" if each else "")


def _cells(labels: Mapping[int, IntArray]) -> int:
    """Number of different combinations of values of columns."""
    return len(joined([*labels.values()])[1])


def _propose(columns: Sequence[Column], coarser: Sequence[_Coarser]) -> str:
    """Remedies: bins that a dataset can be declared with, and prefixes."""
    bins = {columns[way.place].name: way.stated for way in coarser if way.bin is not None}
    hints = ["Leave out what readers cannot know."]
    if bins:
        stated = plpy.quote_literal(json.dumps(bins, ensure_ascii=False))
        hints.append(f"Bins are declared with a dataset: bins => {stated}.")
    if any(way.bin is None for way in coarser):
        hints.append(
            "Beginnings of codes: publish from a view that shows them alone, such as by left(zip, "
            "3), or have groups cut at them with bkpriv.set_prefix_hierarchy."
        )
    return " ".join(hints)
