"""Estimates as SQL: a reader of the published views alone runs it, and gets the same figures."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.queries import (
    answer,
    draw_condition,
    draw_grouping,
    estimates,
    rewritten,
    run,
    run_by_key,
)
from tests.db.refusal import refused
from tests.db.test_query import LITERALS, METHODS, release

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
    for _ in range(100):
        query = f"SELECT count(*) FROM patients WHERE {draw_condition(draw, LITERALS)}"
        _, estimate, _ = answer(shared_clinic, release, query)
        statement = rewritten(shared_clinic, release, query)
        assert "clinic" not in statement
        assert run(reader, statement) == pytest.approx(estimate, rel=1e-9, abs=1e-9), query
        told += 0 < estimate < 300
    assert told > 30


def test_a_reader_of_the_view_gets_the_estimates_of_groups(
    shared_clinic: Connection, release: int, reader: Connection
) -> None:
    draw = random.Random(5)
    for number in range(40):
        condition = draw_condition(draw, LITERALS) if number % 4 else "true"
        grouping = draw_grouping(draw, [*LITERALS])
        query = f"SELECT count(*) FROM patients WHERE {condition} GROUP BY {grouping}"
        expected = estimates(shared_clinic, release, query)
        found = run_by_key(reader, rewritten(shared_clinic, release, query))
        assert [key for key, _ in found] == [key for key, _ in expected], query
        figures = [figure for _, figure in expected]
        assert [figure for _, figure in found] == pytest.approx(figures, rel=1e-9, abs=1e-9), query


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
        statement = rewritten(clinic, release, query)
        if grouping:
            expected = dict(estimates(clinic, release, query))
            assert dict(run_by_key(clinic, statement)) == pytest.approx(expected)
        else:
            assert run(clinic, statement) == pytest.approx(answer(clinic, release, query)[1])


def test_a_release_that_is_not_shown_is_not_rewritten(clinic: Connection) -> None:
    first, second = publish(clinic), publish(clinic)
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
