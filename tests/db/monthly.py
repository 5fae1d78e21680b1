"""Visits: records of the same people month after month."""

from __future__ import annotations

from collections import Counter
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, rows_of

__all__ = ["MONTHS", "alone", "create_visits", "declare_visits", "draw_visits", "publish_period"]

MONTHS = ["2024-01", "2024-02", "2024-03"]

_DISEASES = ["asthma", "fracture", "ulcer", "gout"]


def draw_visits(months: list[str], people: int = 60) -> list[tuple[Any, ...]]:
    """Draw person, month, age, sex and disease; some are away in some months."""
    return [
        (
            person,
            month,
            20 + person * 7 % 50,
            "fm"[person % 2],
            _DISEASES[(person * 5 + person % 3 * place) % 4],
        )
        for place, month in enumerate(months)
        for person in range(people)
        if (person + place) % 9
    ]


def create_visits(
    db: Connection, type_: str = "text", months: list[str] | None = None, column: str = "month"
) -> None:
    """Create ``clinic.visit``, whose months are of a type written as in SQL, and fill it."""
    db.execute(
        sql.SQL(
            "CREATE TABLE clinic.visit (person int, {} {}, age int, sex text, disease text)"
        ).format(sql.Identifier(column), sql.SQL(type_))
    )
    fill(db, "clinic.visit", draw_visits(MONTHS if months is None else months))


def declare_visits(
    db: Connection,
    dataset: str = "visits",
    column: str = "month",
    bins: dict[str, Any] | None = None,
) -> None:
    """Register the visits, with their persons and months."""
    db.execute(
        "SELECT bkpriv.register_dataset(%s, 'clinic.visit', '{age,sex}', 'disease', 'person', %s, "
        "%s)",
        [dataset, column, Jsonb(bins or {})],
    )


def publish_period(
    db: Connection,
    period: str | None,
    dataset: str = "visits",
    view: str = "public.visits",
    policy: str = "plain",
    **options: Any,
) -> int:
    """Publish the records of a period and return the release."""
    row = db.execute(
        "SELECT bkpriv.publish(%s, %s, %s, period => %s, options => %s)",
        [dataset, policy, view, period, Jsonb(options)],
    ).fetchone()
    assert row is not None
    return int(row[0])


def alone(db: Connection, condition: str, release: int, **options: Any) -> None:
    """Hold a release against one of a table that has nothing but the records of its period."""
    names = sql.SQL("SELECT person, age, sex, disease FROM clinic.visit WHERE {}")
    db.execute(sql.SQL("CREATE TABLE clinic.alone AS {}").format(names.format(sql.SQL(condition))))
    db.execute(
        "SELECT bkpriv.register_dataset('alone', 'clinic.alone', '{age,sex}', 'disease', 'person')"
    )
    other = publish_period(db, None, "alone", "public.alone", seed=1, **options)
    for columns in (
        "records, suppressed, groups FROM bkpriv.release",
        "codes, group_ids, cells, sensitive_codes, counts FROM bkpriv.release_content",
        "respondents FROM bkpriv.release_respondent",
        "array_agg(labels::text ORDER BY place) FROM bkpriv.release_attribute",
    ):
        query = f"SELECT {columns} WHERE release = %s"
        mine, theirs = (db.execute(query, [number]).fetchall() for number in (release, other))
        assert mine == theirs, columns
    assert Counter(rows_of(db, "public.visits")) == Counter(rows_of(db, "public.alone"))
