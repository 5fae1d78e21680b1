"""Attacks at the moment when a view is handed on to another owner."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.pooled


@pytest.mark.parametrize("kind", ["view", "index"])
def test_what_is_written_into_a_view_while_it_is_handed_on_is_not_handed_on(
    publisher: Connection, make_publisher: Callable[..., Connection], db: Connection, kind: str
) -> None:
    heir = make_publisher("heir")
    former, name = publisher.info.user, heir.info.user
    publish(publisher, "mine", "p", "stored", options={"materialized": True})
    view = "shown" if kind == "view" else "stored"
    call = "SELECT bkpriv.reassign(%s, %s)", [former, name]
    failures: list[psycopg.Error] = []

    def hand_on() -> None:
        try:
            db.execute(*call)
        except psycopg.Error as error:
            failures.append(error)

    with publisher.transaction():
        publisher.execute(
            "CREATE OR REPLACE VIEW shown WITH (security_barrier) AS "
            "SELECT a, length(current_user) AS b FROM bkpriv_release.release_1"
            if kind == "view"
            else "CREATE INDEX ON stored ((b + 1))"
        )
        thread = threading.Thread(target=hand_on)
        thread.start()
        until_blocked(publisher, db.info.backend_pid)
    thread.join()
    assert [error.sqlstate for error in failures] == ["40001"]
    assert f"{former}.{view} was changed" in str(failures[0])
    owner = "SELECT relowner::regrole::text FROM pg_class WHERE oid = %s::regclass"
    assert one(db, owner, [f"{former}.{view}"]) == former
    # It is seen the next time.
    db.execute(*call)
    assert one(db, owner, [f"{former}.{view}"]) == former
