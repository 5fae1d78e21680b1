"""Attacks by way of what publishers may write: history, and functions with the owner's rights."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled


def record(owner: str, **more: str) -> str:
    """Write an insertion of a release, with more columns given as SQL."""
    columns = {
        "owner": owner if owner == "current_user" else f"'{owner}'",
        **{"dataset": "'mine'", "version": "9", "records": "1", "suppressed": "0", "groups": "1"},
        **{"source_schema": "'pg_catalog'", "source_name": "'pg_class'"},  # Everybody reads it.
        **dict.fromkeys(("view_schema", "view_name"), "'x'"),
        **dict.fromkeys(("method", "policy"), "'x'"),
        **dict.fromkeys(("requirements", "options"), "'{}'"),
    } | more
    names, values = ", ".join(columns), ", ".join(columns.values())
    return f"INSERT INTO bkpriv.release ({names}) VALUES ({values}) RETURNING release"


def test_history_is_not_forged_for_others(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    victim, attacker = rivals
    name = victim.info.user
    with unchanged(db):
        for statement in (
            record(name),
            record("current_user", created_by=f"'{name}'"),
            record("current_user", created_at="'2020-01-01'"),
            "INSERT INTO bkpriv.release_event (release, kind, reason) VALUES (1, 'withdrawn', 'x')",
            "INSERT INTO bkpriv.release_event (release, kind, reason) VALUES (1, 'stale', 'x')",
            "INSERT INTO bkpriv.release_attribute VALUES (1, 99, 'x', '{a}')",
            "INSERT INTO bkpriv.release_content (release, codes, group_ids, cells, "
            "sensitive_codes, counts, made_from) "
            "VALUES (1, '{0}', '{0}', '{0}', '{0}', '{1}', '{}')",
            "INSERT INTO bkpriv.release_draw VALUES (1, '{0}', '{1}')",
            "INSERT INTO bkpriv.release_respondent VALUES (1, '{x}', '{0}', '{0}', '{0}')",
            "INSERT INTO bkpriv.release_base VALUES (1, 'public.x')",
            "INSERT INTO bkpriv.release_notice (release, severity, message, place) "
            "VALUES (1, 'NOTICE', 'x', 99)",
            "INSERT INTO bkpriv.release_belief VALUES (1, repeat('0', 64), 'x', '{1}')",
            "INSERT INTO bkpriv.dataset (name, owner, source_schema, source_name, "
            f"quasi_identifiers, sensitive) VALUES ('x', '{name}', 's', 't', '{{a}}', '{{b}}')",
            "INSERT INTO bkpriv.hierarchy (dataset, attribute, widths, origin) "
            "VALUES ('mine', 'a', '{5}', 0)",
            "INSERT INTO bkpriv.sequential_knowledge (dataset, name, kind) "
            "VALUES ('mine', 'x', 'constant')",
            f"INSERT INTO bkpriv.policy (name, owner, requirements) VALUES ('q', '{name}', '{{}}')",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attacker.execute(statement)
        for statement in (
            "UPDATE bkpriv.dataset SET dropped = true",
            "UPDATE bkpriv.dataset SET registered_at = now()",
            "UPDATE bkpriv.hierarchy SET dropped = true",
            "UPDATE bkpriv.sequential_knowledge SET dropped = true",
            "UPDATE bkpriv.policy SET requirements = '{}'",
        ):
            assert attacker.execute(statement).rowcount == 0


def test_ids_are_not_taken_from_others(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    # A release recorded under an id that the sequence has yet to give would make another's
    # publication fail.
    victim, attacker = rivals
    with unchanged(db):
        for statement in (
            record("current_user", release="2"),
            record("current_user", release="nextval('bkpriv.release_id') + 1"),
            record("current_user", release="-1"),
            "SELECT setval('bkpriv.release_id', 1)",
            "SELECT last_value FROM bkpriv.release_id",
        ):
            with pytest.raises(
                (psycopg.errors.InsufficientPrivilege, psycopg.errors.ObjectNotInPrerequisiteState)
            ):
                attacker.execute(statement)
    attacker.execute("SELECT nextval('bkpriv.release_id')")
    assert publish(victim, "mine", "p", "shown") > 1


def test_release_tables_are_made_sealed_and_dropped_only_for_ones_own_new_release(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    _, attacker = rivals
    calls = (
        "SELECT bkpriv_internal.create_release_table(%s, '{a}', '{int}')",
        "SELECT bkpriv_internal.seal_release_tables(%s)",
        "SELECT bkpriv_internal.clear_release(%s)",
    )
    with unchanged(db):
        for connection in rivals:
            for call in calls:
                for release in (1, 2, -1, None):
                    with pytest.raises(psycopg.Error) as caught:
                        connection.execute(call, [release])
                    assert caught.value.sqlstate in ("P0002", "55000"), call
    # An attacker's own release of this transaction gives access to that and to no other.
    with unchanged(db), attacker.transaction(force_rollback=True):
        own = one(attacker, record("current_user"))
        for release in (1, own + 1):
            for call in calls:
                with pytest.raises(psycopg.Error), attacker.transaction():
                    attacker.execute(call, [release])
        # Nor does one of a dataset of the same name prove that another's is one's own.
        one(attacker, record("current_user", version="10"))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState), attacker.transaction():
            attacker.execute(calls[2], [1])
        attacker.execute(calls[0], [own])
        attacker.execute(f"INSERT INTO bkpriv_release.release_{own} VALUES (1)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), attacker.transaction():
            attacker.execute(f"SELECT * FROM bkpriv_release.release_{own}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), attacker.transaction():
            attacker.execute("INSERT INTO bkpriv_release.release_1 VALUES ('[1,2)', 1)")
        with pytest.raises(psycopg.Error), attacker.transaction():
            attacker.execute(calls[2], [own])
        attacker.execute(calls[1], [own])
        with pytest.raises(psycopg.errors.InsufficientPrivilege), attacker.transaction():
            attacker.execute(f"INSERT INTO bkpriv_release.release_{own} VALUES (1)")


def test_a_release_table_is_dropped_only_in_the_transaction_that_withdraws(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    victim, _ = rivals
    victim.execute(
        "INSERT INTO bkpriv.release_event (release, kind, reason) "
        "VALUES (1, 'withdrawn', 'by hand')"
    )
    with unchanged(db), pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        victim.execute("SELECT bkpriv_internal.clear_release(1)")


def test_writers_are_held_off_only_by_the_owner_of_the_dataset(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    victim, attacker = rivals
    hold = "SELECT bkpriv_internal.hold_writers(%s)"
    (token,) = one(db, "SELECT watch FROM bkpriv.release")
    for release in (1, 99, None):
        for connection in rivals:
            with pytest.raises(psycopg.errors.NoDataFound):
                connection.execute(hold, [release])
    with attacker.transaction(force_rollback=True):
        # A release of one's own that claims to be made from another's source.
        source = {"source_schema": f"'{victim.info.user}'", "source_name": "'own'"}
        watched = {"watch": f"ARRAY['{token}']"}
        for claimed in (source, source | watched):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), attacker.transaction():
                attacker.execute(record("current_user", **claimed))
        with pytest.raises(psycopg.errors.UniqueViolation), attacker.transaction():
            attacker.execute(
                "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, "
                "sensitive) VALUES ('mine', %s, 'own', '{a}', '{b}')",
                [victim.info.user],
            )
        # Nor a dataset of one's own that claims a source that one may not read.
        attacker.execute(
            "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, "
            "sensitive) VALUES ('theirs', %s, 'own', '{a}', '{b}')",
            [victim.info.user],
        )
        source |= {"dataset": "'theirs'", "version": "10"}
        with pytest.raises(psycopg.errors.InsufficientPrivilege), attacker.transaction():
            attacker.execute(record("current_user", **source))
        # Nor what nobody watches, such as the catalogs, of which everybody may read something.
        attacker.execute(
            "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, "
            "sensitive) VALUES ('all', 'pg_catalog', 'pg_class', '{relname}', '{relkind}')"
        )
        everything = {"dataset": "'all'", "source_schema": "'pg_catalog'"}
        everything |= {"source_name": "'pg_class'", "version": "11"}
        held = one(attacker, hold, [one(attacker, record("current_user", **everything))])
        assert held is False
        victim.execute("SET lock_timeout = '5s'")
        victim.execute("INSERT INTO own VALUES (1, 1)")
    with victim.transaction(force_rollback=True):
        source |= {"dataset": "'mine'", **watched}
        assert one(victim, hold, [one(victim, record("current_user", **source))]) is True


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_columns_of_a_release_table_are_only_columns(
    db: Connection, rivals: tuple[Connection, Connection], quote: str
) -> None:
    _, attacker = rivals
    column = f"a{quote} int); DROP TABLE bkpriv.release; --"
    create = "SELECT bkpriv_internal.create_release_table(%s, %s, %s::text[]::regtype[])"
    with unchanged(db), attacker.transaction(force_rollback=True):
        own = one(attacker, record("current_user"))
        with pytest.raises(psycopg.Error), attacker.transaction():
            attacker.execute(create, [own, ["a"], [column[1:]]])
        attacker.execute(create, [own, [column], ["int"]])
        names = attacker.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
            [f"bkpriv_release.release_{own}"],
        ).fetchall()
        assert names == [(column,)]


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
    for kind in ("span", "span_domain", "span[]", "span_multirange", "own"):
        with attacker.transaction(force_rollback=True):
            own = one(attacker, record("current_user"))
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                attacker.execute(
                    "SELECT bkpriv_internal.create_release_table(%s, '{a}', %s::text[]::regtype[])",
                    [own, [kind]],
                )


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
    # Nor does a dataset of one's own that claims another's table as its source.
    attacker.execute(
        "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, "
        "sensitive) VALUES ('fake', %s, 'own', '{a}', '{b}')",
        [rivals[0].info.user],
    )
    assert one(db, "SELECT stale FROM bkpriv.releases") is False


def test_no_release_is_recorded_under_the_token_of_anothers_table(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    """Writers of that table would have to look at it."""
    _, attacker = rivals
    (token,) = one(db, "SELECT watch FROM bkpriv.release")
    attacker.execute(
        "CREATE TABLE bait (a int); CREATE TRIGGER bkpriv_watch AFTER INSERT OR UPDATE OR DELETE "
        f"OR TRUNCATE ON bait EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}')"
    )
    own = {"dataset": "'bait'", "source_schema": "current_user", "source_name": "'bait'"}
    bait = own | {"version": "1", "watch": f"'{{{token}}}'"}
    with unchanged(db), pytest.raises(psycopg.errors.InsufficientPrivilege):
        attacker.execute(record("current_user", **bait).encode())


def test_a_view_over_a_forged_release_of_anothers_dataset_is_not_taken_for_theirs(
    db: Connection, rivals: tuple[Connection, Connection]
) -> None:
    victim, attacker = rivals
    with attacker.transaction():
        own = one(attacker, record("current_user"))
        attacker.execute(
            "SELECT bkpriv_internal.create_release_table(%s, '{a,b}', '{int4range,int}')", [own]
        )
        attacker.execute("SELECT bkpriv_internal.seal_release_tables(%s)", [own])
        attacker.execute(f"CREATE VIEW bait AS SELECT * FROM bkpriv_release.release_{own}")
        attacker.execute(f"GRANT ALL ON SCHEMA {attacker.info.user} TO {victim.info.user}")
    bait = f'"{attacker.info.user}".bait'
    with unchanged(db):
        statement = "SELECT bkpriv.publish('mine', 'p', %s)"
        refused(victim, statement, [bait], sqlstate="42P07", names=["bait"])
    assert victim.execute("SELECT count(*) FROM shown").fetchone() == (120,)
