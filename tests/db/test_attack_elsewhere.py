"""Attacks by way of tables that somebody has judged, and of datasets that these are judged by."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.refusal import refused
from tests.db.test_memory import LIMIT
from tests.db.waiting import timed_out

pytestmark = pytest.mark.pooled

COUNTED = Jsonb({"k_anonymity": {"k": 2}})

CALLS = (
    'SELECT * FROM bkpriv.audit_table(%s, %s, %s, \'{"k_anonymity": {"k": 2}}\')',
    "SELECT * FROM bkpriv.utility_table(%s, %s, %s)",
    "SELECT * FROM bkpriv.attack_table(%s, %s, %s)",
)


ODD = ['a"; DROP TABLE own; --', "s", "x'); SELECT 1; --", "$1", "%s", "a\nb", "{0}"]


@pytest.mark.parametrize("name", ODD)
def test_names_are_names(db: Connection, name: str) -> None:
    quoted = sql.Identifier(name)
    db.execute(
        sql.SQL(
            "CREATE TABLE own AS SELECT i AS id, i % 12 AS {0}, i * i % 7 AS b "
            "FROM generate_series(1, 120) AS i;"
            "CREATE TABLE made AS SELECT {0} % 3 AS {0}, id AS key, b, {0} / 2 AS {1} FROM own;"
            "SELECT bkpriv.register_dataset('mine', 'own', ARRAY[{2}], 'b')"
        ).format(quoted, sql.Identifier(f"{name}."), sql.Literal(name))
    )
    for columns in ({}, {name: f"{name}."}, {name: f"{name}.", "id": "key"}, {"group_id": name}):
        assert db.execute(CALLS[0], ["made", "mine", Jsonb(columns)]).fetchall()
    strange = {name: f"{name}{name}"}
    refused(db, CALLS[0], ["made", "mine", Jsonb(strange)], sqlstate="42703")
    refused(db, CALLS[0], ["made", "mine", Jsonb({f"{name}?": "key"})], sqlstate="22023")
    assert one(db, "SELECT count(*) FROM own") == 120


def test_labels_are_labels(db: Connection) -> None:
    db.execute(
        "CREATE TABLE own AS SELECT i % 4 AS a, i * i % 3 AS b FROM generate_series(1, 40) AS i;"
        "CREATE TABLE made AS SELECT (ARRAY['{\"x\"}', E'\\\\\\n\\x07', '''; --', 'é😀'])[1 + a] "
        "AS a, b FROM own;"
        "SELECT bkpriv.register_dataset('mine', 'own', '{a}', 'b')"
    )
    query = (
        "SELECT worst_labels ->> 'a' IN (SELECT a FROM made) FROM bkpriv.audit_table("
        "'made', 'mine', '{}', '{\"k_anonymity\": {\"k\": 2}}')"
    )
    assert one(db, query) is True
    refused(db, CALLS[1], ["made", "mine", Jsonb({})], sqlstate="22000", names=["\\x07"])


# --- Long work ------------------------------------------------------------------------------------


@pytest.fixture
def big(db: Connection) -> Connection:
    """Superuser's connection to a database with a table that takes long to judge."""
    db.execute(
        """
        CREATE TABLE census AS SELECT i AS id, i * 7919 % 997 AS age, i * 104729 % 889 AS hours,
            i * 31 % 12 AS secret FROM generate_series(1::bigint, 100000) AS i;
        CREATE TABLE made AS SELECT id, age::text AS age, '[' || hours || ',900]' AS hours, secret
            FROM census;
        SELECT bkpriv.register_dataset('census', 'census', '{age,hours}', 'secret')
        """
    )
    return db


@pytest.mark.parametrize("columns", [{}, {"id": "id"}])
def test_long_work_is_stopped_at_once_and_shows_how_far_it_is(
    big: Connection, columns: dict[str, str]
) -> None:
    parameters = ["made", "census", Jsonb(columns)]
    assert big.execute(CALLS[0], parameters).fetchall()
    for seconds in (0.1, 0.4, 1.6):
        big.execute("SET application_name = 'my own'")
        with timed_out(big, seconds):
            big.execute(CALLS[1], parameters)
        assert one(big, "SHOW application_name") == "my own"


def test_a_table_that_takes_too_much_memory_is_refused(big: Connection) -> None:
    big.execute(LIMIT)
    big.execute(CALLS[0], ["made", "census", Jsonb({})])
    big.execute("SELECT lower_budget(60000000)")
    try:
        with pytest.raises(psycopg.Error) as caught:
            big.execute(CALLS[0], ["made", "census", Jsonb({"id": "id"})]).fetchall()
    finally:
        big.execute("SELECT lower_budget(4000000000)")
    # What the session holds already decides whether it is asked for, or not to be had.
    assert caught.value.sqlstate in {"53200", "54000"}
    assert big.execute(CALLS[0], ["made", "census", Jsonb({"id": "id"})]).fetchall()
