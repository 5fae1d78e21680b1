"""Months, published in all ways, and what their releases tell together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from psycopg import sql

from bkpriv_client.server import Connection, scalar
from bkpriv_client.source import Source
from bkpriv_client.terminal import Advance
from studies.again.design import HELD, REQUIREMENTS, Design
from studies.growing import WAYS, GrowingTable, Way, numbered

__all__ = ["Course", "Measured", "Told"]

_SCHEMA = "study"


@dataclass(frozen=True)
class Told:
    """Exposure by releases together, by one bound."""

    worst: float
    exposed: int
    """Number of people for whom the bound is broken."""
    estimator: str


@dataclass(frozen=True)
class Measured:
    """A month's release, and what it tells together with those before it."""

    way: str
    month: int
    people: int
    """Number of the month, from 1, and of the people who are in the table then."""
    suppressed: int
    groups: int
    utility: Mapping[str, float]
    told: Mapping[str, Told]


class Course:
    """People who come month by month to tables in a database of the study's own.

    Args:
        connection: Connection to that database, which is empty but for the extension.
    """

    def __init__(self, connection: Connection, source: Source) -> None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_SCHEMA)))
        self.connection = connection
        self._source = source
        self._measured: list[Measured] = []

    def measured(self, design: Design, advance: Advance) -> list[Measured]:
        """Publish and measure all months in all ways, unless that has been done."""
        if self._measured:
            return self._measured
        source = numbered(self._source, design.seed, design.people)
        table = GrowingTable(self.connection, _SCHEMA, source, design.months)
        for way in WAYS:
            for statement in table.declaration(way, REQUIREMENTS):
                self.connection.execute(statement)
        measured: list[Measured] = []
        releases: dict[Way, list[int]] = {way: [] for way in WAYS}
        for month in range(1, design.months + 1):
            people = table.admit(month)
            for place, way in enumerate(WAYS):
                advance((month - 1 + place / len(WAYS)) / design.months, f"{way.name}, {month}")
                release = scalar(self.connection, table.publication(way, month))
                releases[way].append(release)
                suppressed, groups = self._shown(release)
                measured.append(
                    Measured(
                        way=way.name,
                        month=month,
                        people=people,
                        suppressed=suppressed,
                        groups=groups,
                        utility=self._utility(release),
                        told=self._told(releases[way]),
                    )
                )
        self._measured = measured
        return measured

    def _shown(self, release: int) -> tuple[int, int]:
        row = self.connection.execute(
            "SELECT suppressed, groups FROM bkpriv.releases WHERE release = %s", [release]
        ).fetchone()
        assert row is not None
        return row[0], row[1]

    def _utility(self, release: int) -> dict[str, float]:
        rows = self.connection.execute(
            "SELECT metric, value FROM bkpriv.utility(%s)", [release]
        ).fetchall()
        return dict(rows)

    def _told(self, releases: list[int]) -> dict[str, Told]:
        rows = self.connection.execute(
            "SELECT requirement, worst, vulnerable, estimator_used"
            " FROM bkpriv.audit_together(%s, %s)",
            [releases, json.dumps(HELD)],
        ).fetchall()
        return {requirement: Told(*figures) for requirement, *figures in rows}
