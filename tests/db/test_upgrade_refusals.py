"""Upgrades and what others built on the extension, which may stand in their way."""

from __future__ import annotations

import re

import psycopg
import pytest

from tests.conftest import Connection, fresh_database
from tests.db.catalogue import catalogue
from tests.db.clinic import one

UPDATE = "ALTER EXTENSION bkpriv UPDATE"


def built_on(db: Connection, schema: str) -> None:
    """Build a view, a default, a function or a column on whatever of the extension one can."""
    relations = db.execute(
        "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind IN ('r', 'v') "
        "AND relnamespace = 'bkpriv'::regnamespace ORDER BY 1"
    ).fetchall()
    functions = db.execute(
        "SELECT p.oid::regprocedure::text, p.proname, pronamespace::regnamespace::text, "
        "ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) AS t) "
        "FROM pg_proc p WHERE pronamespace::regnamespace::text IN ('bkpriv', 'bkpriv_internal') "
        "AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) ORDER BY 1"
    ).fetchall()
    for place, (name,) in enumerate(relations):
        db.execute(f"CREATE VIEW {schema}.over_{place} AS SELECT * FROM {name}".encode())
        db.execute(f"CREATE TABLE {schema}.row_{place} (r {name}, s {name}[])".encode())
    for place, (_, name, namespace, types) in enumerate(functions):
        called = f"{namespace}.{name}({', '.join(f'NULL::{type_}' for type_ in types)})"
        db.execute(f"CREATE VIEW {schema}.calls_{place} AS SELECT 1 FROM {called}".encode())


def test_what_others_built_on_what_changes_is_named_before_anything_is_changed(
    server: Connection,
) -> None:
    with fresh_database(server, "template0") as database:
        db = database.connect()
        db.execute("CREATE EXTENSION bkpriv VERSION '0.3.0' CASCADE; CREATE SCHEMA strange")
        built_on(db, "strange")
        held = catalogue(db)
        with pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
            db.execute(UPDATE)
        said = caught.value.diag
        detail, hint = str(said.message_detail), str(said.message_hint)
        assert "strange.row_" in detail
        assert "of role postgres" in detail
        assert "Nothing was changed" in hint
        assert catalogue(db) == held
        for kind, name in re.findall(r"(table|view) (strange\.\w+)", detail):
            db.execute(f"DROP {kind} {name}".encode())
        # The list is complete: nothing else is in the way.
        db.execute(UPDATE)
        assert one(db, "SELECT count(*) FROM pg_class WHERE relnamespace = 'strange'::regnamespace")
