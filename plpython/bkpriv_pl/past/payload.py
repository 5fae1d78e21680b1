"""Attributes: columns that pass through a release, what cannot be had with them, and what is said.

They are supposed to be known to nobody who should not learn the sensitive value; the history keeps
their names alone. Readers of several releases can tell by them which rows are the same record's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bkpriv_core.count import Count
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run

__all__ = [
    "PassedThrough",
    "attributes_of",
    "count_attributes",
    "note_attributes",
    "passed_through",
]

_SHOWN = 8
"""Limit of the columns that a message lists."""


@dataclass(frozen=True)
class PassedThrough:
    """Insensitive attributes of a release, and how far they tell rows of a group apart."""

    attributes: tuple[str, ...]
    unique: tuple[int, ...]
    """Rows that are unique within their group by each of them, and last by all together."""
    shared: Mapping[str, int]
    """Rows whose value of an attribute two to twenty rows share, where that links rows; exact."""

    def counted(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Columns, and rows that are unique by them: each column, and all of several."""
        yield from zip(((name,) for name in self.attributes), self.unique, strict=False)
        if len(self.attributes) > 1:
            yield self.attributes, self.unique[-1]


def passed_through(release: int) -> PassedThrough:
    """Find the insensitive attributes of a release."""
    (row,) = run(
        "SELECT attributes, unique_rows, shared_rows FROM bkpriv.release WHERE release = $1",
        ["bigint"],
        [release],
    )
    attributes = tuple(row["attributes"])
    shared = zip(attributes, row["shared_rows"] or (), strict=False)
    return PassedThrough(
        attributes,
        tuple(row["unique_rows"] or ()),
        {name: rows for name, rows in shared if rows},
    )


def count_attributes(release: int, rows: int) -> list[Count]:
    """Counts of rows that attributes tell apart within their group, of a release of so many."""
    return [
        Count("attributes", {"attributes": [*columns]}, unique, rows)
        for columns, unique in passed_through(release).counted()
    ]


def attributes_of(release: int) -> list[str]:
    """The attributes of a release."""
    return [*passed_through(release).attributes]


def _attributes_of(releases: Sequence[int]) -> dict[int, list[str]]:
    """The attributes of releases, by their ids, of those that have some."""
    rows = run(
        "SELECT release, attributes FROM bkpriv.release "
        "WHERE release = ANY ($1) AND attributes <> '{}' ORDER BY release",
        ["bigint[]"],
        [list(releases)],
    )
    return {row["release"]: row["attributes"] for row in rows}


def note_attributes(releases: Sequence[int]) -> None:
    """Say that releases measured together show attributes, which is not measured."""
    found = _attributes_of(releases)
    if found:
        some = "; ".join(
            f"release {release}: {_listed(names)}" for release, names in [*found.items()][:_SHOWN]
        )
        notices.notice(
            f"attributes that pass through {len(found)} of {len(releases)} releases are not "
            "measured",
            detail=f"{some}{'; ...' if len(found) > _SHOWN else ''}. Readers of several releases "
            "can tell by them which rows are the same record's.",
            hint="Take the figures for less than is told, where attributes tell records apart.",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
