"""Dumps: what was declared, released and remembered moves to a new database and goes on there."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.conftest import Connection, Database
from tests.db.clinic import declare_own, declare_people, one, publish, rows_of, state_policy

MANNERS = ["plain", "custom", "directory"]

TABLES = (
    *("dataset", "hierarchy", "policy", "release", "release_attribute", "release_content"),
    *("release_respondent", "release_event", "audit_record"),
)


@dataclass(frozen=True)
class Original:
    """A database worth dumping.

    Parameters
    ----------
    database : Database
        The database.
    publisher, reader : str
        Roles: one has published, the other may read what was.
    rows : dict of str to list
        What tables and views held.
    """

    database: Database
    publisher: str
    reader: str
    rows: dict[str, list[tuple[object, ...]]]


@pytest.fixture(scope="module")
def original(
    shared_clinic: Connection, shared_database: Database, make_role: Callable[..., str]
) -> Original:
    """A clinic with releases published, superseded, withdrawn, stale and materialized."""
    db = shared_clinic
    publisher, reader = make_role("publisher"), make_role("reader")
    names = {"publisher": sql.Identifier(publisher), "reader": sql.Identifier(reader)}
    db.execute("SELECT bkpriv.grant_publisher(%s)", [publisher])
    db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {publisher}").format(**names))
    for policy in ("plain", "beliefs", "beliefs"):
        publish(db, policy=policy, view="public.patients")
    db.execute("COMMENT ON VIEW public.patients IS 'published'")
    db.execute('SELECT bkpriv.audit(2, \'{"k_anonymity": {"k": 9}}\')')
    declare_people(db)
    withdrawn = publish(db, "people", view="public.withdrawn")
    db.execute("SELECT bkpriv.withdraw(%s, 'a patient objected')", [withdrawn])
    own = shared_database.connect(publisher)
    declare_own(own)
    state_policy(own, "own", {"k_anonymity": {"k": 3}})
    publish(own, "mine", "own", "stored", {"materialized": True})
    publish(own, "mine", "own", "shown")
    state_policy(own, "diverse", {"l_diversity": {"l": 2}})
    publish(own, "mine", "diverse", "exact", method="anatomy")
    own.execute(
        sql.SQL(
            "GRANT USAGE ON SCHEMA {publisher} TO {reader};"
            "GRANT SELECT ON shown, stored TO {reader}"
        ).format(**names)
    )
    db.execute(sql.SQL("GRANT SELECT ON public.patients TO {reader}").format(**names))
    own.execute("INSERT INTO own VALUES (1, 1)")
    names_shown = ("shown", "stored", "exact", "exact_sensitive")
    views = ["public.patients", *(f'"{publisher}".{name}' for name in names_shown)]
    views += ["bkpriv.releases", "bkpriv.audits"]
    kept = [*views, *(f"bkpriv.{table}" for table in TABLES)]
    return Original(shared_database, publisher, reader, {name: rows_of(db, name) for name in kept})


@contextmanager
def copied(
    server: Connection, original: Original, programs: Path, manner: str, place: Path
) -> Iterator[Database]:
    """Dump a database and restore it under another name."""
    name = f"bkpriv_copy_{uuid.uuid4().hex[:8]}"
    server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    copy = Database(make_conninfo(original.database.conninfo, dbname=name))

    def call(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [programs / program, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""

    source, target, file = original.database.uri(), copy.uri(), str(place / "dump")
    try:
        if manner == "plain":
            call("pg_dump", "-f", file, source)
            call(
                "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", f"{file}.log", "-f", file, target
            )
        elif manner == "custom":
            call("pg_dump", "-Fc", "-f", file, source)
            call("pg_restore", "--exit-on-error", "-d", target, file)
        else:
            call("pg_dump", "-Fd", "-j2", "-f", file, source)
            call("pg_restore", "--exit-on-error", "-j2", "-d", target, file)
        yield copy
    finally:
        for connection in copy.opened:
            connection.close()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module", params=MANNERS)
def restored(
    request: pytest.FixtureRequest,
    server: Connection,
    server_programs: Path,
    original: Original,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Database]:
    """Copy of the original, made by ``pg_dump`` in each of its manners."""
    place = tmp_path_factory.mktemp("dump")
    with copied(server, original, server_programs, request.param, place) as copy:
        yield copy


def test_everything_is_there(restored: Database, original: Original) -> None:
    db = restored.connect()
    for name, rows in original.rows.items():
        # Published rows keep even their order, which tells nothing.
        found = rows_of(db, name)
        if name.startswith("bkpriv."):
            found, rows = sorted(found, key=str), sorted(rows, key=str)
        assert found == rows, name
    statuses = "SELECT status, stale FROM bkpriv.releases ORDER BY release"
    assert db.execute(statuses).fetchall() == [
        ("superseded", False),
        ("superseded", False),
        ("published", False),
        ("withdrawn", False),
        ("published", True),
        ("published", True),
        ("published", True),
    ]
    comment = "SELECT obj_description('public.patients'::regclass, 'pg_class')"
    assert one(db, comment) == "published"
    checks = db.execute("SELECT check_name, detail FROM bkpriv.doctor() WHERE NOT ok").fetchall()
    assert checks == []


def test_guards_and_privileges_are_there(restored: Database, original: Original) -> None:
    db = restored.connect()
    for statement in (
        "DELETE FROM bkpriv.release_event",
        "UPDATE bkpriv.release SET records = 1",
        "TRUNCATE bkpriv_release.release_1",
        "TRUNCATE bkpriv_release.release_7_sensitive",
        "INSERT INTO bkpriv_release.release_1 SELECT * FROM bkpriv_release.release_1",
    ):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            db.execute(statement)
    reader = restored.connect(original.reader)
    for view in (f'"{original.publisher}".shown', f'"{original.publisher}".stored', "patients"):
        assert rows_of(reader, view)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute("SELECT * FROM bkpriv.releases")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute("SELECT * FROM bkpriv_release.release_1")
    publisher = restored.connect(original.publisher)
    assert {
        dataset
        for (dataset,) in publisher.execute("SELECT dataset FROM bkpriv.releases").fetchall()
    } == {"mine"}


def test_old_releases_are_measured_as_before(restored: Database, original: Original) -> None:
    query = "SELECT * FROM bkpriv.posterior(3, '0.3', 'exact') ORDER BY group_id, qi::text, 3"
    there = original.database.connect().execute(query).fetchall()
    assert restored.connect().execute(query).fetchall() == there


def test_publishing_goes_on(restored: Database, original: Original) -> None:
    db, publisher = restored.connect(), restored.connect(original.publisher)
    # Staleness is noticed in the new database.
    db.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    assert one(db, "SELECT stale FROM bkpriv.releases WHERE release = 3") is True
    # Ids and versions go on, views move, and their grants stay.
    assert publish(db, policy="beliefs", view="public.patients") == 8
    assert one(db, "SELECT version FROM bkpriv.releases WHERE release = 8") == 4
    assert one(db, "SELECT status FROM bkpriv.releases WHERE release = 3") == "superseded"
    assert one(db, "SELECT count(*) FROM patients") == 301
    reader = restored.connect(original.reader)
    assert len(rows_of(reader, "patients")) == 301
    # Its owner publishes without superuser, as before.
    assert publish(publisher, "mine", "own", "stored", {"materialized": True}) == 9
    assert publish(publisher, "mine", "own", "shown") == 10
    assert publish(publisher, "mine", "diverse", "exact", method="anatomy") == 11
    assert len(rows_of(reader, f'"{original.publisher}".shown')) == 121
    before = one(db, "SELECT max(audit) FROM bkpriv.audits")
    publisher.execute("SELECT bkpriv.audit(10)")
    assert one(db, "SELECT max(audit) FROM bkpriv.audits") == before + 1
    publisher.execute("SELECT bkpriv.withdraw(release, 'moved') FROM bkpriv.releases")
    publisher.execute("SELECT bkpriv.drop_dataset('mine')")
    left = "SELECT count(*) FROM pg_class WHERE relname ~ '^(exact|release_(7|11))(_sensitive)?$'"
    assert one(db, left) == 0


def test_a_dump_of_the_extension_can_be_dumped_again(
    server: Connection,
    server_programs: Path,
    restored: Database,
    original: Original,
    tmp_path: Path,
) -> None:
    second = Original(restored, original.publisher, original.reader, {})
    with copied(server, second, server_programs, "plain", tmp_path) as copy:
        for table in ("bkpriv.release", "bkpriv.audit_record", "public.patients"):
            there = sorted(rows_of(restored.connect(), table), key=str)
            assert sorted(rows_of(copy.connect(), table), key=str) == there
