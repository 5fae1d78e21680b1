"""Attacks by code of a source that changes settings or the role for the rest of a call."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, state_policy
from tests.db.refusal import refused

CHANGES = {
    "search_path": "set_config('search_path', '{own}, pg_catalog', false)",
    "search_path for the transaction": "set_config('search_path', '{own}, pg_catalog', true)",
    "role": "set_config('role', 'bkpriv_publisher', false)",
    "row_security": "set_config('row_security', 'off', false)",
    "DateStyle": "set_config('datestyle', 'German', false)",
    "TimeZone": "set_config('timezone', 'Asia/Tokyo', false)",
}
"""Settings that code of a source changes, and how."""


def prepare(publisher: Connection, change: str) -> None:
    """Register a view whose function makes a change, where operators of its schema lie in wait."""
    own = publisher.info.user
    publisher.execute(
        f"""
        CREATE TABLE walked (by_whom name);
        CREATE FUNCTION trap(text, text) RETURNS boolean LANGUAGE sql AS
            $$ INSERT INTO {own}.walked VALUES (current_user) RETURNING true $$;
        CREATE OPERATOR {own}.= (leftarg = text, rightarg = text, procedure = trap);
        CREATE TABLE base AS SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i;
        CREATE FUNCTION changed(value int) RETURNS int LANGUAGE plpgsql AS
            $$ BEGIN PERFORM {change.format(own=own)}; RETURN value; END $$;
        CREATE VIEW own AS SELECT a, b FROM base;
        SELECT bkpriv.register_dataset('mine', 'own', '{{a}}', 'b');
        CREATE OR REPLACE VIEW own AS SELECT {own}.changed(a) AS a, b FROM base
        """
    )
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})


@pytest.mark.always
@pytest.mark.parametrize("change", CHANGES)
def test_no_statement_follows_code_that_changed_settings(
    db: Connection, make_publisher: Callable[..., Connection], change: str
) -> None:
    publisher = make_publisher()
    own = publisher.info.user
    prepare(publisher, CHANGES[change])
    names = [change.split()[0]]
    for call in (
        "bkpriv.publish('mine', 'p', 'shown')",
        "bkpriv.explore('mine')",
        "bkpriv.prior('mine', '0.4')",
    ):
        refused(publisher, f"SELECT {call}", sqlstate="2F003", names=names)
    assert one(db, "SELECT count(*) FROM bkpriv.release") == 0
    assert one(db, f"SELECT count(*) FROM {own}.walked") == 0
    # What it changed ended with the call.
    assert one(publisher, "SELECT current_user = session_user")
    assert one(publisher, "SHOW row_security") == "on"


def test_functions_that_bring_their_own_settings_are_no_harm(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    prepare(publisher, "set_config('own.setting', 'x', false)")
    publisher.execute("ALTER FUNCTION changed(int) SET search_path = pg_temp")
    assert one(publisher, "SELECT bkpriv.publish('mine', 'p', 'shown')") == 1


def test_settings_of_a_writer_hide_no_release_from_a_write(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    owner, _ = rivals
    kept = (
        "SELECT array_agg(attname::text) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped "
        "AND attrelid = 'bkpriv.release'::regclass AND attname NOT IN ('release', 'version')"
    )
    columns = ", ".join(one(db, kept))
    # So many that the index has a tree of them.
    db.execute(
        f"INSERT INTO bkpriv.release (release, version, {columns}) SELECT i, i, {columns} "
        "FROM bkpriv.release CROSS JOIN generate_series(2, 3000) AS i".encode()
    )
    db.execute("VACUUM ANALYZE bkpriv.release")
    for setting in ("enable_seqscan = off", "enable_indexscan = off", "gin_fuzzy_search_limit = 1"):
        owner.execute(f"SET {setting}".encode())
    owner.execute("INSERT INTO own VALUES (1, 1)")
    assert one(db, "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'stale'") == 3000
