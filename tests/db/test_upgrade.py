"""Upgrades: a database of a frozen version becomes what an installation of the present one is.

Versions are those in ``sql/released`` except the present one; there may be none.
``released/VERSION.dump.sql`` is what ``pg_dump`` wrote of a database in which a version published,
and audited each release last. It names no roles except ``postgres``, ``upgrade_publisher`` and
``upgrade_auditor``, which have these jobs, and ``upgrade_reader``.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from bkpriv_core import __version__
from tests.conftest import Connection, Database, fresh_database
from tests.db.catalogue import catalogue

DUMP = "{}.dump.sql"
DUMPS = Path(__file__).with_name("released")
FROZEN = Path(__file__).parents[2] / "sql" / "released"

VERSIONS = sorted(
    {
        name[1]
        for path in FROZEN.glob("*")
        if (name := re.fullmatch(r"bkpriv--([\d.]+)\.sql", path.name))
    }
    - {__version__}
)

UPDATE = "ALTER EXTENSION bkpriv UPDATE"

UNSOUND = "SELECT check_name, detail FROM bkpriv.doctor() WHERE NOT ok"

LAST_AUDIT = """
SELECT release, requirement, parameters - ARRAY['sure', 'not_inferred'], threshold, worst, mean,
    vulnerable, satisfied, estimator
FROM bkpriv.audits WHERE audit IN (SELECT max(audit) FROM bkpriv.audits GROUP BY release)
    AND release IN (SELECT release FROM bkpriv.releases WHERE status <> 'purged')
ORDER BY audit, release, requirement, parameters::text
"""


def install(database: Database, version: str) -> Connection:
    connection = database.connect()
    connection.execute(f"CREATE EXTENSION bkpriv VERSION '{version}' CASCADE".encode())
    return connection


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "session", ["", "SET standard_conforming_strings = off; SET quote_all_identifiers = on;"]
)
def test_an_upgrade_leaves_the_catalogue_of_an_installation(
    version: str, session: str, server: Connection, db: Connection
) -> None:
    with fresh_database(server, "template0") as database:
        install(database, version).execute(session.encode() + UPDATE.encode())
        found, expected = catalogue(database.connect()), catalogue(db)
    for kind, objects in expected.items():
        assert found[kind] - objects == set(), f"{kind}: not in an installation"
        assert objects - found[kind] == set(), f"{kind}: only in an installation"
        assert objects, kind


def build_on(db: Connection) -> None:
    """Build a view, a function call or a column on whatever of the extension one can."""
    db.execute("CREATE SCHEMA strange")
    relations = db.execute(
        "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind IN ('r', 'v') "
        "AND relnamespace = 'bkpriv'::regnamespace ORDER BY 1"
    ).fetchall()
    functions = db.execute(
        "SELECT p.proname, pronamespace::regnamespace::text, "
        "ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) AS t) "
        "FROM pg_proc p WHERE pronamespace::regnamespace::text IN ('bkpriv', 'bkpriv_internal') "
        "AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) ORDER BY p.oid"
    ).fetchall()
    for place, (name,) in enumerate(relations):
        db.execute(f"CREATE VIEW strange.over_{place} AS SELECT * FROM {name}".encode())
        db.execute(f"CREATE TABLE strange.row_{place} (r {name}, s {name}[])".encode())
    for place, (name, namespace, types) in enumerate(functions):
        called = f"{namespace}.{name}({', '.join(f'NULL::{type_}' for type_ in types)})"
        db.execute(f"CREATE VIEW strange.calls_{place} AS SELECT 1 FROM {called}".encode())


@pytest.mark.parametrize("version", VERSIONS)
def test_what_others_built_on_what_changes_is_named_before_anything_is_changed(
    version: str, server: Connection
) -> None:
    with fresh_database(server, "template0") as database:
        db = install(database, version)
        build_on(db)
        held = catalogue(db)
        try:
            db.execute(UPDATE)
        except psycopg.errors.DependentObjectsStillExist as error:
            said = error.diag
        else:
            return
        assert "Nothing was changed" in str(said.message_hint)
        assert catalogue(db) == held
        for kind, name in re.findall(r"(table|view) (strange\.\w+)", str(said.message_detail)):
            db.execute(f"DROP {kind} {name}".encode())
        # The list is complete: nothing else is in the way.
        db.execute(UPDATE)


def restore(programs: Path, database: Database, script: str) -> None:
    """Run what ``pg_dump`` wrote, up to the first error."""
    program = [str(programs / "psql"), "-Xq", "-v", "ON_ERROR_STOP=1", database.uri()]
    done = subprocess.run(program, input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(
    scope="module", params=[each for each in VERSIONS if (DUMPS / DUMP.format(each)).exists()]
)
def template_upgraded(
    request: pytest.FixtureRequest,
    server: Connection,
    server_programs: Path,
    make_role: Callable[..., str],
) -> Iterator[str]:
    """Name of a database that was restored under its version, then upgraded."""
    script = (DUMPS / DUMP.format(request.param)).read_text()
    roles = {f"upgrade_{job}": make_role(job) for job in ("publisher", "auditor", "reader")}
    for role, present in roles.items():
        script = script.replace(role, present)
    extension = r"^CREATE EXTENSION IF NOT EXISTS bkpriv .*;"
    created = f"CREATE EXTENSION bkpriv VERSION '{request.param}';"
    script, times = re.subn(extension, created, script, flags=re.MULTILINE)
    assert times == 1
    with fresh_database(server, "template0") as database:
        restore(server_programs, database, script)
        connection = database.connect()
        connection.execute(UPDATE)
        # Memberships are the server's, and in no dump of a database.
        for job in ("publisher", "auditor"):
            connection.execute(f"GRANT bkpriv_{job} TO {roles[f'upgrade_{job}']}".encode())
        connection.close()
        yield str(conninfo_to_dict(database.conninfo)["dbname"])


@pytest.fixture
def upgraded(server: Connection, template_upgraded: str) -> Iterator[Database]:
    """A copy of it."""
    with fresh_database(server, template_upgraded) as database:
        yield database


def test_releases_are_measured_as_by_the_older_version(upgraded: Database) -> None:
    db = upgraded.connect()
    recorded = db.execute(LAST_AUDIT).fetchall()
    releases = sorted({release for release, *_ in recorded})
    assert releases
    for release in releases:
        db.execute("SELECT bkpriv.audit(%s)", [release])
    measured = db.execute(LAST_AUDIT).fetchall()
    assert measured == [
        tuple(pytest.approx(cell) if isinstance(cell, float) else cell for cell in row)
        for row in recorded
    ]


def test_publishing_goes_on_and_releases_are_withdrawn_and_purged(upgraded: Database) -> None:
    db = upgraded.connect()
    publications = db.execute(
        "SELECT created_by, dataset, policy, view_name, method, period, options::text "
        "FROM bkpriv.releases WHERE status = 'published'"
    ).fetchall()
    assert publications
    for publisher, *arguments in publications:
        session = upgraded.connect(publisher)
        session.execute("SELECT bkpriv.publish(%s, %s, %s, %s, %s, %s::jsonb)", arguments)
    standing = "SELECT release, status FROM bkpriv.releases WHERE status <> 'purged' ORDER BY 1"
    for release, status in db.execute(standing).fetchall():
        if status != "withdrawn":
            db.execute("SELECT bkpriv.withdraw(%s, 'enough')", [release])
        db.execute("SELECT bkpriv.purge(%s, 'enough', force => true)", [release])
    assert db.execute(standing).fetchall() == []


def test_a_dump_that_is_made_afterwards_keeps_everything(
    server: Connection, server_programs: Path, upgraded: Database
) -> None:
    db = upgraded.connect()
    assert db.execute(UNSOUND).fetchall() == []
    program = [str(server_programs / "pg_dump"), upgraded.uri()]
    dump = subprocess.run(program, capture_output=True, text=True, check=True)
    with fresh_database(server, "template0") as copy:
        restore(server_programs, copy, dump.stdout)
        restored = copy.connect()
        assert restored.execute(UNSOUND).fetchall() == []
        assert catalogue(restored) == catalogue(db)
        assert restored.execute(LAST_AUDIT).fetchall() == db.execute(LAST_AUDIT).fetchall()
