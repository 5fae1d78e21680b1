"""The database that tests take turns in: cleared after each turn, or replaced."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Connection, Pool
from tests.db.clinic import create_clinic, declare_clinic, one, publish, state_policy

LEFT = {
    "a role's jobs and objects": "",
    "a trigger that is off": "ALTER TABLE bkpriv.release DISABLE TRIGGER guard",
    "a function of the extension's": "ALTER FUNCTION bkpriv.version() COST 7",
    "a schema's privileges": "GRANT CREATE ON SCHEMA bkpriv TO PUBLIC",
    "settings": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 64', "
    "current_database()); END $$",
}
"""Objects that a test may leave; but for the first it is not mended."""


@pytest.mark.parametrize("left", LEFT)
def test_nothing_is_left_to_the_next(pool: Pool, make_role: Callable[..., str], left: str) -> None:
    with pool.turn() as database:
        first, name = database.first(), database.conninfo
        if left != "a role's jobs and objects":
            first.execute(LEFT[left].encode())
        else:
            fill(first, make_role("publisher"))
    with pool.turn() as database:
        again = database.first()
        assert (database.conninfo == name) == (not LEFT[left])
        assert one(again, "SELECT count(*) FROM pg_namespace WHERE nspname = 'clinic'") == 0
        assert one(again, "SELECT to_regclass('public.patients')") is None
        for table in ("release", "dataset", "policy", "audit_record"):
            assert one(again, f"SELECT count(*) FROM bkpriv.{table}") == 0
        assert one(again, "SELECT nextval('bkpriv.release_id')") == 1
        assert one(again, "SELECT tgenabled FROM pg_trigger WHERE tgname = 'guard' AND "
                   "tgrelid = 'bkpriv.release'::regclass") != "D"  # fmt: skip
        assert one(again, "SHOW search_path") == '"$user", public'


def test_a_session_that_is_lent_is_its_roles_and_forgets_it(
    pool: Pool, make_role: Callable[..., str]
) -> None:
    who = "SELECT ARRAY[current_user, session_user, current_setting('is_superuser')]"
    backends = set()
    for role in (make_role(), make_role(), "postgres"):
        with pool.turn() as database:
            session = database.connect(role)
            assert session.info.user == role
            assert one(session, who) == [role, role, "on" if role == "postgres" else "off"]
            assert one(session, "SELECT to_regclass('own')") is None
            assert one(session, "SHOW work_mem") != "64kB"
            assert one(session, "SELECT count(*) FROM pg_prepared_statements") == 0
            session.execute(
                "SET work_mem = 64; CREATE TEMP TABLE own (a int); PREPARE q AS TABLE own"
            )
            backends.add(session.info.backend_pid)
    assert len(backends) == 1


def fill(db: Connection, role: str) -> None:
    """Work in a database, as tests do."""
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}})
    assert publish(db) == 1
    db.execute(f"SELECT bkpriv.grant_publisher('{role}')".encode())
    db.execute(f"CREATE SCHEMA AUTHORIZATION {role}".encode())
    db.execute("SET search_path = clinic; CREATE TEMP TABLE own (a int)")
