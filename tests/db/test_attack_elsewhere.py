"""Attacks by way of tables that somebody has judged, and of datasets that these are judged by."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear
from tests.db.refusal import refused, unchanged
from tests.db.test_attack_priors import TROJAN
from tests.db.test_attack_type_owners import TRAPS, lay
from tests.db.test_memory import LIMIT
from tests.db.waiting import timed_out

pytestmark = pytest.mark.pooled

COUNTED = Jsonb({"k_anonymity": {"k": 2}})

CALLS = (
    'SELECT * FROM bkpriv.audit_table(%s, %s, %s, \'{"k_anonymity": {"k": 2}}\')',
    "SELECT * FROM bkpriv.utility_table(%s, %s, %s)",
    "SELECT * FROM bkpriv.attack_table(%s, %s, %s)",
)


@pytest.fixture
def auditor(database: Database, db: Connection, make_role: Callable[..., str]) -> Connection:
    """An auditor's connection."""
    role = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    return database.connect(role)


@pytest.mark.parametrize("kind", TRAPS)
def test_who_names_a_table_trusts_its_owner_and_not_that_of_a_type(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection, kind: str
) -> None:
    attacker = make_publisher("attacker")
    role = lay(attacker, db, TRAPS[kind])
    db.execute(
        "CREATE TABLE adm.own AS SELECT who, a, b FROM adm.snap;"
        "GRANT SELECT ON adm.own TO PUBLIC;"
        "SELECT bkpriv.register_dataset('mine', 'adm.own', '{a}', 'b')"
    )
    for reader in (auditor, db):
        said = overhear(reader)
        for call in CALLS:
            for columns in ({}, {"a": "v"}, {"who": "v"}, {"group_id": "v"}):
                with unchanged(db):
                    names = ["adm.snap", role, '"v"']
                    parameters = ["adm.snap", "mine", Jsonb(columns)]
                    refused(reader, call, parameters, sqlstate="42501", names=names)
        assert said == []


def test_a_dataset_of_others_runs_none_of_their_code(
    make_publisher: Callable[..., Connection], db: Connection, auditor: Connection
) -> None:
    attacker = make_publisher("attacker")
    role = attacker.info.user
    attacker.execute(
        "CREATE TABLE own AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        + TROJAN
        + "CREATE VIEW seen AS SELECT a, b FROM own WHERE trojan() = 1;"
        "SELECT bkpriv.register_dataset('bait', 'seen', '{a}', 'b')"
    )
    home = sql.Identifier(role)
    attacker.execute(
        sql.SQL(
            "GRANT USAGE ON SCHEMA {0} TO PUBLIC;GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO PUBLIC"
        ).format(home)
    )
    db.execute(
        sql.SQL(
            "CREATE SCHEMA adm; GRANT USAGE ON SCHEMA adm TO PUBLIC;"
            "CREATE TABLE adm.made AS SELECT a, b FROM {}.own; GRANT SELECT ON adm.made TO PUBLIC"
        ).format(home)
    )
    for reader in (auditor, db):
        said = overhear(reader)
        for call in CALLS:
            with unchanged(db):
                parameters = ["adm.made", "bait", Jsonb({})]
                refused(reader, call, parameters, sqlstate="42501", names=["seen", role])
        assert said == []
    assert attacker.execute(CALLS[0], ["adm.made", "bait", Jsonb({})]).fetchall()


def test_a_source_that_was_exchanged_is_not_read(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    victim, attacker = make_publisher("victim"), make_publisher("attacker")
    db.execute("CREATE SCHEMA common; GRANT ALL ON SCHEMA common TO PUBLIC")
    victim.execute(
        "CREATE TABLE common.own AS SELECT i % 12 AS a, i * i % 7 AS b "
        "FROM generate_series(1, 120) AS i;"
        "CREATE TABLE made AS TABLE common.own;"
        "SELECT bkpriv.register_dataset('mine', 'common.own', '{a}', 'b');"
        "DROP TABLE common.own"
    )
    attacker.execute(
        TROJAN + "CREATE VIEW common.own AS SELECT i % 12 AS a, i * i % 7 AS b "
        "FROM generate_series(1, 120) AS i WHERE trojan() = 1;"
        "GRANT SELECT ON common.own TO PUBLIC"
    )
    said = overhear(victim)
    parameters = ["made", "mine", Jsonb({})]
    refused(victim, CALLS[0], parameters, sqlstate="42501", names=[attacker.info.user])
    assert said == []


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
