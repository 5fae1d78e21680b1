"""Values of releases that grow: those that were published and those that came, of every type."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, one, overhear, rows_of, state_policy
from tests.db.monthly import create_visits, declare_visits, draw_visits

pytestmark = pytest.mark.rolled_back

Row = tuple[int, Any, str]


def declare(
    db: Connection, type_: str, rows: list[Row], bins: dict[str, Any] | None = None
) -> None:
    """Create a table of people with one quasi-identifier of a type, and register it."""
    db.execute(
        sql.SQL("CREATE TABLE guest (id int PRIMARY KEY, q {}, secret text)").format(sql.SQL(type_))
    )
    fill(db, "guest", rows)
    db.execute(
        "SELECT bkpriv.register_dataset('guests', 'guest', '{q}', 'secret', 'id', bins => %s)",
        [Jsonb(bins or {})],
    )
    state_policy(db, "pairs", {"k_anonymity": {"k": 2}})


def grow(db: Connection, method: str = "bucketize", **options: Any) -> int:
    """Publish a release that grows."""
    release = one(
        db,
        "SELECT bkpriv.publish('guests', 'pairs', 'shown', %s, options => %s)",
        [method, Jsonb({"grow": True} | options)],
    )
    return int(release)


def labels_of(db: Connection, release: int) -> Any:
    """Values of the quasi-identifier by the history."""
    return one(
        db,
        "SELECT labels FROM bkpriv.release_attribute WHERE release = %s AND attribute = 'q'",
        [release],
    )


TYPES: dict[str, tuple[list[Any], list[Any], list[Any]]] = {
    # By type: values that were published, those that came, all in their order.
    "int": ([9, 10], [-3, 100], ["-3", "9", "10", "100"]),
    "numeric": (
        ["1.0", "9.5"],
        ["1.00", "9007199254740993", "9007199254740992"],
        ["1.0", "9.5", "9007199254740992", "9007199254740993"],
    ),
    "float4": ([0.1, 9.0], [10.0, 0.25], ["0.1", "0.25", "9", "10"]),
    'text COLLATE "und-x-icu"': (["b", "D"], ["a", "C"], ["a", "b", "C", "D"]),
    'text COLLATE "C"': (["b", "D"], ["a", "C"], ["C", "D", "a", "b"]),
    "mood": (["sad", "glad"], ["odd", "sad"], ["glad", "sad", "odd"]),
    "kind": (["sad", "glad"], ["odd", "sad"], ["glad", "sad", "odd"]),
    "date": (
        ["2024-02-01", "1999-12-31"],
        ["2024-01-31", "0044-03-15 BC"],
        ["0044-03-15 BC", "1999-12-31", "2024-01-31", "2024-02-01"],
    ),
    "bool": ([True, True], [False, True], ["false", "true"]),
    "char(3)": (["b", "a"], ["a ", "c"], ["a", "b", "c"]),
}


@pytest.mark.parametrize("type_", TYPES)
def test_values_are_united_in_the_order_of_their_type(db: Connection, type_: str) -> None:
    db.execute("CREATE TYPE mood AS ENUM ('glad', 'sad', 'odd'); CREATE DOMAIN kind AS mood")
    old, new, order = TYPES[type_]
    declare(db, type_, [(i, value, "flu") for i, value in enumerate(old)])
    first = grow(db)
    fill(db, "guest", [(10 + i, value, "cold") for i, value in enumerate(new)])
    second = grow(db)
    assert labels_of(db, second) == order
    assert one(db, "SELECT count(*) FROM shown") == len(old) + len(new)
    # Nobody's record has changed, however it is written.
    db.execute("DELETE FROM guest WHERE id = 0")
    said = overhear(db)
    third = grow(db)
    assert "1 have left and 0 have another record now" in "".join(said)
    assert labels_of(db, third) == order
    assert first < second < third


def test_equal_values_that_are_written_otherwise_are_no_change(db: Connection) -> None:
    declare(db, "numeric", [(1, "1.0", "flu"), (2, "2", "cold")])
    first = grow(db)
    db.execute("UPDATE guest SET q = 1.000 WHERE id = 1; INSERT INTO guest VALUES (3, 2.0, 'flu')")
    said = overhear(db)
    second = grow(db)
    assert "0 have left and 0 have another record now" in "".join(said)
    assert labels_of(db, second) == labels_of(db, first) == ["1.0", "2"]


def test_null_stays_a_value(db: Connection) -> None:
    declare(db, "int", [(1, None, "flu"), (2, 2, "cold")])
    grow(db, nulls="category")
    db.execute("DELETE FROM guest WHERE id = 1; INSERT INTO guest VALUES (3, 1, 'a'), (4, 1, 'b')")
    for method in ("bucketize", "bucketize"):
        release = grow(db, method)
        assert labels_of(db, release) == ["1", "2", None]
    assert sorted(row[0] or 0 for row in rows_of(db, "shown")) == [0, 1, 1, 2]


def test_bins_stay_what_they_are_or_nothing_grows(db: Connection) -> None:
    rows = [(1, "2024-02-10", "flu"), (2, "2024-03-01", "cold")]
    declare(db, "date", rows, {"q": "month"})
    grow(db, "mondrian")
    db.execute("INSERT INTO guest VALUES (3, '2023-01-09', 'a'), (4, '2025-12-31', 'b')")
    release = grow(db, "mondrian")
    assert labels_of(db, release) == ["2023-01-01", "2024-02-01", "2024-03-01", "2025-12-01"]
    assert {str(row[0]) for row in rows_of(db, "shown")} == {
        "[2024-02-01, 2024-04-01)",
        "[2023-01-01, 2026-01-01)",
    }
    db.execute("SELECT bkpriv.withdraw(release, 'x') FROM bkpriv.releases")
    db.execute("SELECT bkpriv.drop_dataset('guests')")
    db.execute(
        "SELECT bkpriv.register_dataset('guests', 'guest', '{q}', 'secret', 'id', bins => %s)",
        [Jsonb({"q": "year"})],
    )
    with pytest.raises(psycopg.Error, match='attribute "q" is no more what it was'):
        grow(db, "mondrian")


def test_a_period_grows_by_who_comes_late(db: Connection) -> None:
    db.execute("CREATE SCHEMA clinic")
    create_visits(db)
    declare_visits(db)
    state_policy(db, "pairs", {"k_anonymity": {"k": 2}})
    publish = (
        "SELECT bkpriv.publish('visits', 'pairs', 'shown', period => %s, "
        "options => '{\"grow\": true}')"
    )
    first, second = (one(db, publish, [month]) for month in ("2024-01", "2024-02"))
    late = [(1000 + i, "2024-01", 30 + i, "f", "gout") for i in range(4)]
    fill(db, "clinic.visit", late)
    third = one(db, publish, ["2024-01"])
    assert db.execute("SELECT release, grown_from FROM bkpriv.releases ORDER BY 1").fetchall() == [
        (first, None),
        (second, None),
        (third, first),
    ]
    assert len(rows_of(db, "shown")) == len(draw_visits(["2024-01"])) + len(late)
    with pytest.raises(psycopg.Error, match="has periods, and none is stated"):
        one(db, publish, [None])


def test_a_watched_source_makes_no_release_stale_by_growing(db: Connection) -> None:
    declare(db, "int", [(1, 5, "flu"), (2, 7, "cold")])
    grow(db)
    db.execute("DELETE FROM guest; INSERT INTO guest VALUES (3, 6, 'a'), (4, 6, 'b')")
    release = grow(db)
    stale = "SELECT stale FROM bkpriv.releases WHERE release = %s"
    assert one(db, stale, [release]) is False
    with db.transaction():
        # What the transaction itself wrote is read again.
        db.execute("DELETE FROM guest; INSERT INTO guest VALUES (5, 9, 'a'), (6, 8, 'b')")
        release = grow(db)
    assert one(db, stale, [release]) is False
    assert labels_of(db, release) == ["5", "6", "7", "8", "9"]
    db.execute("INSERT INTO guest VALUES (9, 9, 'x')")
    assert one(db, stale, [release]) is True


def test_each_view_grows_by_itself(db: Connection) -> None:
    declare(db, "int", [(1, 5, "flu"), (2, 7, "cold"), (3, 8, "a"), (4, 9, "b")])
    publish = "SELECT bkpriv.publish('guests', 'pairs', %s, options => '{\"grow\": true}')"
    a = one(db, publish, ["a"])
    b = one(db, publish, ["b"])
    a2, b2 = one(db, publish, ["a"]), one(db, publish, ["b"])
    grown = db.execute("SELECT release, grown_from FROM bkpriv.releases ORDER BY 1").fetchall()
    assert grown == [(a, None), (b, a), (a2, a), (b2, b)]
