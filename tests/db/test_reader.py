"""Access of a reader of a published view, which is to nothing else."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish


@pytest.mark.always
def test_a_reader_gets_the_view_and_nothing_else(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    reader = shared_database.connect(people["reader"])
    view = sql.Identifier(people["publisher"], "shown")
    assert len(reader.execute(sql.SQL("SELECT * FROM {}").format(view)).fetchall()) == 120
    objects = shared_db.execute(
        "SELECT format('SELECT * FROM %s', c.oid::regclass) FROM pg_class c "
        "WHERE c.relnamespace::regnamespace::text ~ '^bkpriv' AND c.relkind IN ('r', 'v', 'S') "
        "UNION ALL SELECT format('SELECT %s(%s)', p.oid::regproc, (SELECT string_agg("
        "format('NULL::%s', t::regtype), ', ') FROM unnest(p.proargtypes) AS t)) FROM pg_proc p "
        "WHERE p.pronamespace::regnamespace::text ~ '^bkpriv' "
        "AND p.prorettype <> 'trigger'::regtype AND p.pronargs > 0"
    ).fetchall()
    assert len(objects) > 40
    for (statement,) in objects:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement)
    for statement in (
        "INSERT INTO {} VALUES ('[1,2)', 1)",
        "DELETE FROM {}",
        "UPDATE {} SET b = 1",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(sql.SQL(statement).format(view))
    for column in ("ctid", "xmin", "tableoid", "group_id"):
        with pytest.raises(psycopg.errors.UndefinedColumn):
            reader.execute(sql.SQL("SELECT {} FROM {}").format(sql.Identifier(column), view))


def test_statistics_of_release_tables_are_hidden_from_a_reader(
    shared_db: Connection, shared_database: Database, people: dict[str, str]
) -> None:
    statistics = "SELECT count(*) FROM pg_stats WHERE schemaname = 'bkpriv_release'"
    reader = shared_database.connect(people["reader"])
    assert one(shared_db, statistics) > 0
    assert one(reader, statistics) == 0
    assert one(reader, statistics.replace("bkpriv_release", people["publisher"])) == 0
    # Nor does a plan say more than the view's own rows.
    plan = reader.execute(
        sql.SQL("EXPLAIN (VERBOSE) SELECT * FROM {}").format(
            sql.Identifier(people["publisher"], "shown")
        )
    ).fetchall()
    assert not any("group" in line.lower() for (line,) in plan)


def test_a_reader_of_a_materialized_view_gets_no_more(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    release = publish(clinic, view="public.v", options={"materialized": True})
    reader = make_role("reader")
    clinic.execute(sql.SQL("GRANT SELECT ON public.v TO {}").format(sql.Identifier(reader)))
    connection = database.connect(reader)
    physical = connection.execute("SELECT * FROM public.v ORDER BY ctid").fetchall()
    table = sql.Identifier("bkpriv_release", f"release_{release}")
    # The rows lie in the random order of the release table, not in an order of groups.
    as_shown = sql.SQL("SELECT age, sex, city, disease FROM {}").format(table)
    assert physical == clinic.execute(as_shown).fetchall()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(sql.SQL("SELECT * FROM {}").format(table))
