"""Course: the releases of a dataset in the order of time, by their periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plpy

from bkpriv_core.errors import InvalidData
from bkpriv_pl.past.selection import RecordedPeriod, ReleaseRecord, select_dataset
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.column import FIXED

__all__ = ["PlacedRelease", "check_comparable", "find_course", "find_steps"]


@dataclass(frozen=True)
class PlacedRelease:
    """A release with its place in time."""

    candidate: ReleaseRecord
    when: int
    """Place of its period in time, from 0; equal for releases of one period. A release of no period
    has a place of its own: after all periods that were published before it.
    """

    @property
    def release(self) -> int:
        """Id of the release."""
        return self.candidate.release

    @property
    def period(self) -> str | None:
        """The period it is of, as its type writes it; None where the dataset had none."""
        return self.candidate.period.text


def find_steps(dataset: str, owner: str) -> list[PlacedRelease]:
    """Releases of a dataset, whatever became of them, in the order of their publication.

    Periods are ordered by their type: numbers as numbers and times as times, of whichever types; as
    text, byte by byte, where they are of others that are not one, or not built in.

    Raises:
        InvalidData: If a period is no value of its type.
    """
    found = select_dataset(dataset, owner)
    return list(map(PlacedRelease, found, _places([each.period for each in found])))


def find_course(
    dataset: str, owner: str, coming: RecordedPeriod
) -> tuple[list[PlacedRelease], int]:
    """See `find_steps`; also the place in time of a release that is yet to be made."""
    found = select_dataset(dataset, owner)
    *places, now = _places([*(each.period for each in found), coming])
    return list(map(PlacedRelease, found, places)), now


def _places(periods: Sequence[RecordedPeriod]) -> list[int]:
    """Place in time of each of some periods, in the order of their publication."""
    texts = sorted({each.text for each in periods if each.text is not None})
    types = {each.type for each in periods if each.text is not None}
    rank = dict(zip(texts, _rank(texts, types), strict=True))
    keys: list[tuple[int, int]] = []
    latest = 0
    for place, period in enumerate(periods, 1):
        if period.text is None:
            keys.append((latest, place))
        else:
            keys.append((rank[period.text], 0))
            latest = max(latest, keys[-1][0])
    when = {key: place for place, key in enumerate(sorted(set(keys)))}
    return [when[key] for key in keys]


_WIDEST = {
    frozenset(("smallint", "integer", "bigint", "numeric", "real", "double precision")): "numeric",
    frozenset(
        ("date", "timestamp without time zone", "timestamp with time zone")
    ): "timestamp with time zone",
}
"""Types whose values are compared as of one, where the column of periods was given another."""


def _together(types: set[str | None]) -> set[str | None]:
    """The one type that values of these are compared as; or these, if there is none."""
    return next(({wide} for kinds, wide in _WIDEST.items() if types <= kinds), types)


def check_comparable(dataset: str, owner: str, coming: RecordedPeriod) -> None:
    """Refuse a period of a type that those of a dataset's releases cannot be compared with.

    Their order would be that of texts, and the past another than when they were published.
    """
    type_ = coming.type
    if type_ is None:
        return
    types: dict[str, int] = {}
    for each in select_dataset(dataset, owner):
        if each.period.type not in (None, type_):
            types.setdefault(each.period.type, each.release)
    for recorded, release in types.items():
        if len(_together({recorded, type_})) > 1:
            raise Refusal(
                "42804",
                f'periods of dataset "{dataset}" are of type {type_}, which those of release '
                f"{release} cannot be compared with",
                detail=f"They are of type {recorded}. Adversaries who remember take releases in "
                "the order of time.",
                hint=f"Publish from a view that has the column as {recorded}, or register the "
                "table as another dataset.",
            )


def _rank(periods: Sequence[str], types: set[str | None]) -> list[int]:
    """Rank of each period, from 1, by the one type that all are of or have room in, or as text."""
    if len(types) > 1:
        types = _together(types)
    found = run(
        "SELECT format_type(t.oid, -1) AS name, t.typcollation <> 0 AS collates FROM pg_type AS t "
        f"WHERE ARRAY[format_type(t.oid, -1)] = $1 AND t.typtype IN ('b', 'r', 'm') AND {FIXED}",
        ["text[]"],
        [list(types)],
    )
    type_, collates = (found[0]["name"], found[0]["collates"]) if found else ("text", True)
    value = f"x::{type_}" + (' COLLATE "C"' if collates else "")
    try:
        rows = run(
            f"SELECT dense_rank() OVER (ORDER BY {value})::int AS rank "
            "FROM unnest($1) WITH ORDINALITY AS u(x, place) ORDER BY place",
            ["text[]"],
            [list(periods)],
        )
    except plpy.SPIError as error:
        if not str(getattr(error, "sqlstate", "")).startswith(("22", "42")):
            raise
        raise InvalidData(
            f"a period is no value of its type, {type_}",
            detail=f"{error.args[0]}.",
            hint="Write it as that type does.",
        ) from None
    return [row["rank"] for row in rows]
