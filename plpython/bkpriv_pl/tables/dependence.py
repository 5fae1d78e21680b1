"""Dependence: warnings of columns that disclose what others hold; see the module of the core.

Records are read once, as hashes of their values and the positions of numbers: a sample of what is
large, fewer where many columns are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_core.table.dependence import Classified, dependence, determined, repeated, thinned
from bkpriv_core.table.groups import FloatArray
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run, unpack_floats
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.sample import Sample, as_text, read_classes
from bkpriv_pl.tables.source import Relation

__all__ = ["inspect_dependences"]

_SHOWN = 8
"""Limit of the pairs that are listed; more are counted."""


def inspect_dependences(
    dataset: str,
    source: Relation,
    quasi_identifiers: Sequence[Column],
    sensitive: Sequence[Column],
    attributes: Sequence[Column],
) -> None:
    """Warn of quasi-identifiers and attributes that disclose other columns.

    Args:
        quasi_identifiers, sensitive, attributes: The columns, binned as the dataset declares.
    """
    columns = [*quasi_identifiers, *sensitive, *attributes]
    measured = range(len(quasi_identifiers) + len(sensitive))
    known, told = measured[: len(quasi_identifiers)], measured[len(quasi_identifiers) :]
    passing = range(len(measured), len(columns))
    sample = Sample.of(source, columns, "SYSTEM")
    pairs = len(measured) * len(passing) + len(known) * len(told) + len(known) ** 2 // 2
    labels = read_classes(sample, [as_text(each, each.expression("s")) for each in columns])
    positions = _positions(sample, quasi_identifiers) + [None] * (len(columns) - len(known))
    seen = thinned([*map(Classified, labels, positions)], pairs)
    records = len(seen[0].labels)
    part = f" Seen were {records} records." if sample.drawn or records < len(labels[0]) else ""
    named = [f'"{each.name}"' for each in columns]
    _warn_of_determined(
        dataset,
        [
            f"{named[place]}, {named[other]} ({found.agreed} of {found.alike})"
            for place, other, found in determined(seen, known, told, POLLED)
        ],
        part,
    )
    _warn_of_repeated(
        dataset, [f"{named[a]}, {named[b]}" for a, b in repeated(seen, known, POLLED)], part
    )
    revealing = []
    for place in passing:
        for other in measured:
            POLLED.poll()
            found = dependence(seen[place].labels, seen[other].labels)
            if found.nearly:
                figures = f"({found.hits:.3g}; {found.usual:.3g})"
                revealing.append(f"{named[place]}, {named[other]} {figures}")
    _warn_of_attributes(dataset, revealing, part)


def _positions(sample: Sample, columns: Sequence[Column]) -> list[FloatArray | None]:
    """Positions of the values of numbers, days and times; None of other columns."""
    values = {
        place: f"CASE WHEN {each.expression('s')} IS NOT NULL "
        f"THEN {each.position(each.expression('s'))} END"
        for place, each in enumerate(columns)
        if each.numeric
    }
    if not values:
        return [None] * len(columns)
    listed = ", ".join(f"{value} AS p{place}" for place, value in values.items())
    packed = ", ".join(
        f"string_agg(float8send(coalesce(p{place}, 'NaN')), ''::bytea) AS p{place}"
        for place in values
    )
    (row,) = run(
        f"SELECT {packed} FROM (SELECT {listed} FROM {sample.source} LIMIT {sample.most}) AS x"
    )
    return [
        unpack_floats(row[f"p{place}"]) if place in values else None
        for place in range(len(columns))
    ]


def _some(listed: Sequence[str]) -> str:
    more = len(listed) - _SHOWN
    return ", ".join(listed[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _warn_of_determined(dataset: str, pairs: Sequence[str], part: str) -> None:
    """Warn of quasi-identifiers that determine sensitive columns."""
    if pairs:
        notices.warning(
            f'quasi-identifiers of dataset "{dataset}" determine sensitive columns',
            detail="Quasi-identifier, sensitive column (records with its most frequent value, of "
            f"those alike in the quasi-identifier): {_some(pairs)}.{part}",
            hint="Adversaries who know the one know the other, so no requirement protects it. "
            "Name such a column among the sensitive columns, or leave it out.",
        )


def _warn_of_repeated(dataset: str, pairs: Sequence[str], part: str) -> None:
    """Warn of quasi-identifiers that repeat each other."""
    if pairs:
        notices.warning(
            f'quasi-identifiers of dataset "{dataset}" repeat each other',
            detail=f"They determine each other, or rise and fall together: {_some(pairs)}.{part}",
            hint="Leave out one of each pair. Adversaries learn the same by both, and a release "
            "with both loses more detail.",
        )


def _warn_of_attributes(dataset: str, revealing: Sequence[str], part: str) -> None:
    """Warn of attributes that disclose quasi-identifiers or sensitive values."""
    if revealing:
        notices.warning(
            f'attributes of dataset "{dataset}" disclose quasi-identifiers or sensitive values',
            detail="Attribute, column (how often records alike in the attribute are alike in the "
            f"column; any records): {_some(revealing)}.{part}",
            hint="Readers may find by them whose a row of a group is. Leave such attributes out, "
            "make them coarser in a view, or name them among what they disclose: the "
            "quasi-identifiers, or the sensitive columns.",
        )
