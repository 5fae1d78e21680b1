"""Estimates as SQL: a reader of the published views alone runs it, and gets the same figures."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection, sample
from tests.db.clinic import one, publish, state_policy
from tests.db.queries import (
    agree,
    answer,
    draw_condition,
    draw_grouping,
    rewritten,
    run_by_key,
)
from tests.db.refusal import refused
from tests.db.test_query import LITERALS, METHODS, release

pytestmark = pytest.mark.rolled_back

__all__ = ["release"]


@pytest.fixture(scope="module")
def reader(
    shared_clinic: Connection,
    release: int,
    make_role: Callable[..., str],
    shared_database: Any,
) -> Connection:
    """Connection of a role that may read the release's views and nothing else."""
    role = make_role("reader")
    method = one(shared_clinic, "SELECT method FROM bkpriv.release WHERE release = %s", [release])
    for view in (method, f"{method}_sensitive") if method == "bucketize" else (method,):
        shared_clinic.execute(
            sql.SQL("GRANT SELECT ON public.{} TO {}").format(
                sql.Identifier(view), sql.Identifier(role)
            )
        )
    connection: Connection = shared_database.connect(role)
    return connection


def test_a_reader_of_the_view_gets_the_estimate(
    shared_clinic: Connection, release: int, reader: Connection
) -> None:
    draw = random.Random(2)
    told = 0
    for _ in range(sample(100)):
        query = f"SELECT count(*) FROM patients WHERE {draw_condition(draw, LITERALS)}"
        assert "clinic" not in rewritten(shared_clinic, release, query)
        _, estimate = agree(shared_clinic, release, query, reader)
        told += 0 < estimate < 300
    assert told > sample(30)


def test_a_reader_of_the_view_gets_the_estimates_of_groups(
    shared_clinic: Connection, release: int, reader: Connection
) -> None:
    draw = random.Random(5)
    for number in range(sample(40)):
        condition = draw_condition(draw, LITERALS) if number % 4 else "true"
        grouping = draw_grouping(draw, [*LITERALS])
        query = f"SELECT count(*) FROM patients WHERE {condition} GROUP BY {grouping}"
        agree(shared_clinic, release, query, reader)


def test_an_empty_set_of_keys_has_one_count(
    shared_clinic: Connection, release: int, reader: Connection
) -> None:
    query = "SELECT count(*) FROM patients WHERE city = 'Rome' GROUP BY GROUPING SETS ({})"
    for grouping, keys in (("(), ()", ["{}", "{}"]), ("(), (city)", ["{}"]), ("city", [])):
        statement = rewritten(shared_clinic, release, query.format(grouping))
        assert run_by_key(reader, statement) == [(key, 0) for key in keys]


@pytest.mark.parametrize("method", METHODS)
def test_columns_by_the_names_that_statements_use(clinic: Connection, method: str) -> None:
    clinic.execute(
        """
        CREATE TABLE odd AS
            SELECT age AS low, sex AS high, city AS "key", age / 10 AS whole, disease AS "value"
            FROM clinic.patient;
        SELECT bkpriv.register_dataset('r', 'odd', '{low,high,key,whole}', 'value');
        """
    )
    release = publish(clinic, "r", view="public.value_0", method=method)
    for grouping in ("", 'GROUP BY CUBE (low, "key"), high'):
        query = (
            "SELECT count(*) FROM r WHERE low > 30 "
            "AND (high = 'f' OR whole < 5 OR \"key\" = 'Aln') "
            f"AND value <> 'asthma' {grouping}"
        )
        agree(clinic, release, query)


WIDE = {
    "a": ["1000", "1499.5", "2000", "-1", "2999"],
    "b": ["'1990-01-01'", "'2001-02-03'", "'1970-01-01'"],
    "c": ["0.5", "1.25", "2"],
    "d": ["10", "20", "49"],
    "s": ["'x'", "'y'"],
}
"""Columns of thousands of values, and literals."""


@pytest.fixture(scope="module")
def wide(shared_db: Connection) -> int:
    """Release of a table whose columns have thousands of values, some of them NULL."""
    shared_db.execute(
        """
        SELECT setseed(0.25);
        CREATE TABLE wide AS
            SELECT (random() * random() * 3000)::int AS a,
                CASE WHEN i > 3 THEN DATE '1970-01-01' + (random() * 15000)::int END AS b,
                round((random() * 3)::numeric, 2) AS c,
                CASE WHEN i % 90 > 0 THEN (random() * 50)::int END AS d,
                chr(120 + i % 3) AS s
            FROM generate_series(1, 6000) AS i;
        SELECT bkpriv.register_dataset('wide', 'wide', '{a,b,c,d}', 's');
        """
    )
    state_policy(shared_db, "five", {"k_anonymity": {"k": 5}})
    shared_db.execute("SET statement_timeout = '20s'")
    return publish(shared_db, "wide", "five", "public.shown", {"nulls": "category"})


def test_thousands_of_values_where_few_can_occur(shared_db: Connection, wide: int) -> None:
    draw = random.Random(3)
    told = 0.0
    for number in range(sample(60)):
        near = draw.randint(0, 2900)
        condition = f"a BETWEEN {near} AND {near + 3} AND d < 20"
        if number % 3:
            condition += f" AND {draw_condition(draw, WIDE, 2)}"
        some = draw.sample(["a", "b", "c", "d", "s"], draw.randint(1, 2))
        if number % 5 == 0:
            some = [f"ROLLUP ({', '.join(some)})"]
        query = f"SELECT count(*) FROM wide WHERE {condition} GROUP BY {', '.join(some)}"
        told += agree(shared_db, wide, query)[0]
    assert told > 1000 // 3


@pytest.mark.parametrize(
    ("condition", "grouping"),
    [
        ("true", "a"),
        ("true", "b"),
        ("true", "d"),
        ("b IS NULL OR b > '2000-01-01'", "b"),
        ("a IN (1, 2, 3) OR s = 'x' AND NOT a > 50", "a, s"),
        ("b IS NULL AND a < 9", "b, a"),
        ("a = 7 AND d IS NULL", "a, d, b"),
        ("a < 2000 OR c > 1", "CUBE (d, s)"),
        ("a < 0", "a, b"),
        ("a BETWEEN 500 AND 501 AND d < 9", "b"),
    ],
)
def test_all_values_of_a_range(
    shared_db: Connection, wide: int, condition: str, grouping: str
) -> None:
    query = f"SELECT count(*) FROM wide WHERE {condition} GROUP BY {grouping}"
    agree(shared_db, wide, query)


def test_values_that_cannot_meet_the_condition_are_not_told(
    shared_db: Connection, wide: int
) -> None:
    query = "SELECT count(*) FROM wide WHERE a < 9 AND b IS NULL GROUP BY a, b, c, s"
    statement = rewritten(shared_db, wide, query)
    assert "[0, 1, 2, 3, 4, 5, 6, 7, 8]" in statement
    assert "[null]" in statement
    assert '"19' not in statement  # a date
    assert len(statement) < 4000  # hardly any of the 301 values of c is published exactly


def test_an_answer_that_is_too_large_is_refused(shared_db: Connection, wide: int) -> None:
    query = "SELECT count(*) FROM wide GROUP BY a, b"
    said = refused(
        shared_db,
        "SELECT * FROM bkpriv.query_accuracy(%s, %s)",
        [wide, query],
        sqlstate="54000",
        names=["grouping by a, b", "1000000"],
    )
    assert "WHERE" in (said.message_hint or "")
    shared_db.execute(sql.SQL("EXPLAIN {}").format(sql.SQL(rewritten(shared_db, wide, query))))


def test_what_only_suppressed_records_meet_is_estimated_as_none(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TABLE few AS SELECT 4.5 AS a, 'x' AS g, chr(97 + i % 4) AS s
            FROM generate_series(1, 18) AS i UNION ALL VALUES (2.5, 'y', 'a'), (4.5, 'y', 'b');
        SELECT bkpriv.register_dataset('few', 'few', '{a, g}', 's');
        """
    )
    state_policy(clinic, "five", {"k_anonymity": {"k": 5}})
    number = publish(clinic, "few", "five", "public.few_shown", {"suppression": 0.3}, "incognito")
    for condition in ("g = 'y' AND a = 2.5", "g = 'y' AND a > 2.5", "g = 'y'"):
        assert agree(clinic, number, f"SELECT count(*) FROM few WHERE {condition}")[1] == 0


def test_a_release_that_is_not_shown_is_not_rewritten(clinic: Connection) -> None:
    # The order of groups is secret, and estimates are rounded by it, unless there is a seed.
    first, second = (publish(clinic, options={"seed": 1}) for _ in range(2))
    query = "SELECT count(*) FROM patients WHERE age < 40"
    statement = "SELECT bkpriv.rewrite_query(%s, %s)"
    refused(clinic, statement, [first, query], sqlstate="55000", names=["public.patients"])
    before = answer(clinic, first, query)
    assert before == answer(clinic, second, query)
    clinic.execute("SELECT bkpriv.withdraw(%s, 'test')", [second])
    refused(clinic, statement, [second, query], sqlstate="55000", names=["public.patients"])
    # What was asked of the history stays answered, whatever becomes of the source.
    clinic.execute("DROP TABLE clinic.patient CASCADE")
    assert answer(clinic, second, query) == before
