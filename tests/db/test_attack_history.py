"""Attacks by way of what runs with the rights of the extension's owner."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, publish

pytestmark = pytest.mark.pooled


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_columns_of_a_release_table_are_only_columns(
    db: Connection, rivals: tuple[Connection, Connection], quote: str
) -> None:
    victim, _ = rivals
    column = f"a{quote} int); DROP TABLE bkpriv.release; --"
    victim.execute(
        sql.SQL("CREATE TABLE odd AS SELECT a, b AS {} FROM own").format(sql.Identifier(column))
    )
    victim.execute("SELECT bkpriv.register_dataset('odd', 'odd', '{a}', %s)", [column])
    release = publish(victim, "odd", "p", "odd_shown")
    names = db.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
        [f"bkpriv_release.release_{release}"],
    ).fetchall()
    assert {name for (name,) in names} == {"a", column}


def test_no_code_of_a_type_runs_as_the_owner_of_release_tables(
    db: Connection, make_publisher: Callable[..., Connection]
) -> None:
    # ANALYZE, and autovacuum at any time, call the subtype_diff of a range type as the table's
    # owner, who is a superuser.
    attacker = make_publisher("attacker")
    attacker.execute(
        """
        CREATE FUNCTION harm() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN
            IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
                RAISE EXCEPTION 'ran as a superuser'; END IF;
            RETURN 1; END $$;
        """
    )
    schema = f'"{attacker.info.user}"'
    attacker.execute(
        f"CREATE FUNCTION difference(a int, b int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE "
        f"AS $$ BEGIN RETURN {schema}.harm() + b - a; END $$;"
        "CREATE TYPE span AS RANGE (subtype = int, subtype_diff = difference);"
        "CREATE DOMAIN span_domain AS span;"
        "CREATE TABLE own AS SELECT i % 7 AS a, span(i % 5, i % 5 + 2) AS b "
        "FROM generate_series(1, 100) AS i"
    )
    attacker.execute("SELECT bkpriv.register_dataset('d', 'own', '{a}', 'b')")
    attacker.execute("SELECT bkpriv.set_policy('p', '{\"k_anonymity\": {\"k\": 3}}')")
    publish(attacker, "d", "p", "shown")
    db.execute("ANALYZE")
    types = "SELECT DISTINCT pg_typeof(b)::text FROM shown"
    assert one(attacker, types) == "text"


def test_a_trigger_of_ones_own_does_not_mark_releases_of_others(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    _, attacker = rivals
    # Tokens are no secret.
    (token,) = one(db, "SELECT watch FROM bkpriv.release")
    attacker.execute(
        f"""
        CREATE TABLE bait (a int);
        CREATE TRIGGER one AFTER INSERT ON bait EXECUTE FUNCTION bkpriv_internal.mark_stale('mine');
        CREATE TRIGGER two AFTER INSERT ON bait EXECUTE FUNCTION bkpriv_internal.mark_stale();
        CREATE TRIGGER three AFTER INSERT ON bait
            EXECUTE FUNCTION bkpriv_internal.mark_stale('mine'', ''x', 'y', '$$; --');
        CREATE TRIGGER four AFTER INSERT ON bait FOR EACH ROW
            EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}');
        CREATE TRIGGER bkpriv_watch AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON bait
            EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}');
        INSERT INTO bait VALUES (1);
        ALTER TABLE bait ALTER a TYPE bigint;
        ALTER TABLE bait DISABLE TRIGGER USER;
        """
    )
    assert one(db, "SELECT count(*) FROM bkpriv.release_event") == 0
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        attacker.execute("SELECT bkpriv_internal.mark_stale()")
    assert one(db, "SELECT stale FROM bkpriv.releases") is False
