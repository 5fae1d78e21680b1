"""Rights that are lost while somebody publishes: an error says which, and nothing is published."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import state_policy
from tests.db.refusal import unchanged
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled

LOST = {
    "select": ("REVOKE SELECT ON adm.own FROM {0}", "42501", '"adm"."own"', "SELECT 1"),
    "the name": (
        "ALTER ROLE {0} RENAME TO {0}_x",
        "42704",
        "{0}",
        "ALTER ROLE {0}_x RENAME TO {0}",
    ),
    "the job": ("REVOKE bkpriv_publisher FROM {0}", "42501", "publisher no more", "SELECT 1"),
}


@pytest.mark.parametrize("lost", LOST)
def test_what_is_lost_meanwhile_is_named(
    make_publisher: Callable[..., Connection], database: Database, db: Connection, lost: str
) -> None:
    publisher = make_publisher()
    role = publisher.info.user
    db.execute(
        "CREATE SCHEMA adm; CREATE TABLE adm.own AS "
        "SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;"
        "SELECT bkpriv.watch('adm.own');"
        f"GRANT USAGE ON SCHEMA adm TO {role}; GRANT SELECT ON adm.own TO {role};"
        "ALTER TABLE adm.own ENABLE ROW LEVEL SECURITY;"
        # Whoever counts waits here.
        "CREATE POLICY wait ON adm.own USING (pg_advisory_xact_lock_shared(7)::text = '')"
    )
    publisher.execute("SELECT bkpriv.register_dataset('mine', 'adm.own', '{a}', 'b')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 2}})
    caught: list[psycopg.Error] = []

    def publishing() -> None:
        try:
            publisher.execute("SELECT bkpriv.publish('mine', 'p', 'shown')")
        except psycopg.Error as error:
            caught.append(error)

    take, sqlstate, names, restore = (text.format(role) for text in LOST[lost])
    holder = database.connect()
    holder.execute("SELECT pg_advisory_lock(7)")
    thread = threading.Thread(target=publishing)
    thread.start()
    try:
        until_blocked(db, publisher.info.backend_pid)
        db.execute(take)
        with unchanged(db):
            holder.execute("SELECT pg_advisory_unlock(7)")
            thread.join()
    finally:
        holder.execute("SELECT pg_advisory_unlock_all()")
        thread.join()
        db.execute(restore)
    (error,) = caught
    said: Any = error.diag
    assert said.sqlstate == sqlstate, error
    assert names in said.message_primary
    assert "policy" not in said.message_primary
    assert said.message_detail
    assert said.message_hint


def test_that_a_release_of_another_exists_is_not_told(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    for function in ("readers_of", "views_of"):
        ask = f"SELECT * FROM bkpriv_internal.{function}(%s)"
        for asking in (victim, db):
            assert asking.execute(ask, [1]).fetchall()
        assert attacker.execute(ask, [1]).fetchall() == attacker.execute(ask, [2]).fetchall() == []
