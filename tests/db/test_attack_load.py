"""Attacks on the server's time: questions that would take long stop when they are told to."""

from __future__ import annotations

import contextlib

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import publish, state_policy
from tests.db.refusal import refused
from tests.db.waiting import works_at_most

"""Seconds within which a question must stop."""


@pytest.fixture(scope="module")
def census(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with two releases about which much can be asked."""
    shared_db.execute(
        """
        CREATE TABLE w AS
        SELECT i * 7919 % 500 AS a, i * 104729 % 89 AS h, i * 1299709 % 13 AS c,
            i * 15485863 % 7 AS r, (i * 7919 % 97 / 12 + i * 31 % 5) % 12 AS secret
        FROM generate_series(1::bigint, 60000) AS i;
        SELECT bkpriv.register_dataset('w', 'w', '{a,h,c,r}', 'secret');
        """
    )
    state_policy(shared_db, "k", {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}})
    assert publish(shared_db, "w", "k", "ranges") == 1
    assert publish(shared_db, "w", "k", "exact", method="anatomy") == 2
    return shared_db


def _asked(condition: str, *keys: str) -> str:
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    query = f"SELECT count(*) FROM w WHERE {condition}{grouped}"
    assert len(query) <= 100_000
    return f"SELECT * FROM bkpriv.query_accuracy(%s, $${query}$$)"


QUESTIONS = {
    "alternatives": _asked(
        " OR ".join(
            f"a={i % 500} AND h={i % 89} AND c={i % 13} AND secret={i % 12}" for i in range(2200)
        )
    ),
    "exceptions": _asked(" AND ".join(f"NOT (a={i % 500})" for i in range(5500))),
    "values": _asked(f"a IN ({','.join(map(str, range(17_000)))})"),
    "ranges": _asked(" OR ".join(f"a>{i} AND h<{i % 89}" for i in range(480)), "c", "r"),
    "keys": _asked("true", "a", "h", "c"),
    "workload": "SELECT * FROM bkpriv.query_workload(%s, 320000, 3, 0.05)",
    "association": "SELECT * FROM bkpriv.association(%s)",
}


@pytest.mark.parametrize("release", [1, 2])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_stops_at_once(census: Connection, release: int, question: str) -> None:
    census.execute("SET statement_timeout = '300ms'")
    with (
        works_at_most(census.info.backend_pid),
        contextlib.suppress(psycopg.errors.QueryCanceled),
    ):
        census.execute(QUESTIONS[question].encode(), [release])
    census.execute("RESET statement_timeout")


@pytest.mark.parametrize(
    "keys",
    [
        f"ROLLUP ({','.join('a' * 40_000)})",
        f"GROUPING SETS ({','.join(['CUBE (a,h,c,r,a,h,c,r,a,h,c,r)'] * 2000)})",
    ],
)
def test_grouping_sets_are_counted_before_they_are_made(census: Connection, keys: str) -> None:
    with works_at_most(census.info.backend_pid, 20):
        said = refused(census, _asked("true", keys), [1], sqlstate="54000", names=["grouping sets"])
    assert said.message_hint
