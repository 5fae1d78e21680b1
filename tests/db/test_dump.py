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
from tests.db.clinic import (
    QUASI_IDENTIFIERS,
    declare_own,
    declare_people,
    one,
    publish,
    rows_of,
    state_policy,
)
from tests.db.monthly import create_visits, declare_visits, publish_period
from tests.db.refusal import unchanged

MANNERS = ["plain", "custom", "directory", "sections"]
OTHERS = ["custom", "directory"]
"""Formats that hold the same in other files."""

TABLES = (
    *("dataset", "hierarchy", "policy", "release", "release_attribute", "release_content"),
    *("release_draw", "release_respondent", "release_event", "audit_record"),
    *("attack_record", "verdict_record"),
    *("sequential_knowledge", "release_belief", "release_base", "release_notice"),
)


@dataclass(frozen=True)
class Original:
    """A database worth dumping."""

    database: Database
    publisher: str
    reader: str
    """Roles: one has published, the other may read what was."""
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
    db.execute("SELECT bkpriv.attack(2, 'majority', '{\"model\": \"bayes\"}')")
    db.execute('SELECT bkpriv.audit(2, \'{"k_anonymity": {"k": 9}}\')')
    declare_people(db)
    db.execute(
        "CREATE TABLE clinic.course AS SELECT ARRAY['ulcer'] AS history, disease AS next, "
        "0.2::float8 AS probability FROM clinic.disease_levels;"
        "SELECT bkpriv.set_sequential_knowledge('people', 'course', 'domain', 'clinic.course')"
    )
    remembering = {"bandwidth": {"sequence": "course"}, "t": 0.9}
    state_policy(db, "remembering", {"k_anonymity": {"k": 4}, "bt_privacy": remembering})
    withdrawn = publish(db, "people", "remembering", view="public.withdrawn")
    db.execute("SELECT bkpriv.withdraw(%s, 'a patient objected')", [withdrawn])
    own = shared_database.connect(publisher)
    declare_own(own)
    state_policy(own, "own", {"k_anonymity": {"k": 3}})
    publish(own, "mine", "own", "stored", {"materialized": True})
    publish(own, "mine", "own", "shown", {"ranges": "bounds"})
    state_policy(own, "diverse", {"l_diversity": {"l": 2}})
    publish(own, "mine", "diverse", "exact", method="anatomy")
    state_policy(own, "uncertain", {"max_disclosure": {"tau": 0.3}})
    publish(own, "mine", "uncertain", "drawn", {"scheme": "rr-both"}, method="randomize")
    own.execute(
        sql.SQL(
            "GRANT USAGE ON SCHEMA {publisher} TO {reader};"
            "GRANT SELECT ON shown, stored, drawn, drawn_randomization TO {reader}"
        ).format(**names)
    )
    db.execute(sql.SQL("GRANT SELECT ON public.patients TO {reader}").format(**names))
    own.execute("INSERT INTO own VALUES (1, 1)")
    db.execute(
        "CREATE TABLE clinic.ward AS SELECT 'p' || i AS patient, 20 + i AS age, d AS disease "
        "FROM unnest('{a,b,a,a,a,c,d}'::text[]) WITH ORDINALITY AS x(d, i);"
        "SELECT bkpriv.register_dataset('ward', 'clinic.ward', '{age}', 'disease', 'patient')"
    )
    db.execute(
        "SELECT bkpriv.register_dataset('cut', 'clinic.patient', '{city}', 'disease');"
        "SELECT bkpriv.set_prefix_hierarchy('cut', 'city', '{1}')"
    )
    db.execute(
        "SELECT bkpriv.register_dataset('noted', 'clinic.person', %s, ARRAY['disease'], "
        "attributes => ARRAY['id'])",
        [QUASI_IDENTIFIERS],
    )
    state_policy(db, "varied", {"m_invariance": {"m": 2}})
    false = {"unfit": "counterfeit"}
    publish(db, "ward", "varied", "public.counterfeit", false, method="js_reduce")
    assert one(db, "SELECT count(*) FROM bkpriv.releases WHERE counterfeited > 0") == 1
    db.execute(
        "SELECT bkpriv.register_dataset('both', 'clinic.patient', '{age,sex}', "
        "ARRAY['disease', 'city'])"
    )
    publish(db, "both", "plain", "public.both")
    assert one(db, "SELECT count(combinations) FROM bkpriv.release_content") == 1
    names_shown = ("shown", "stored", "exact", "exact_sensitive", "drawn", "drawn_randomization")
    views = ["public.patients", *(f'"{publisher}".{name}' for name in names_shown)]
    views += ["bkpriv.releases", "bkpriv.audits", "bkpriv.attacks"]
    kept = [*views, *(f"bkpriv.{table}" for table in TABLES)]
    return Original(shared_database, publisher, reader, {name: rows_of(db, name) for name in kept})


def call(program: Path, *arguments: str) -> None:
    """Run a program that must succeed without a word."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def run_script(programs: Path, script: str, database: Database) -> None:
    """Run what ``pg_dump`` wrote, up to the first error."""
    quiet = ("-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", f"{script}.log")
    call(programs / "psql", *quiet, "-f", script, database.uri())


@contextmanager
def made(server: Connection, original: Original) -> Iterator[Database]:
    """Make an empty database on the server of another."""
    name = f"bkpriv_copy_{uuid.uuid4().hex[:8]}"
    server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    copy = Database(make_conninfo(original.database.conninfo, dbname=name))
    try:
        yield copy
    finally:
        for connection in copy.opened:
            connection.close()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def copied(
    server: Connection, original: Original, programs: Path, manner: str, place: Path
) -> Iterator[Database]:
    """Dump a database and restore it under another name."""
    source, file = original.database.uri(), str(place / "dump")
    dump, restore = programs / "pg_dump", programs / "pg_restore"
    with made(server, original) as copy:
        if manner == "plain":
            call(dump, "-f", file, source)
            run_script(programs, file, copy)
        elif manner == "custom":
            call(dump, "-Fc", "-f", file, source)
            call(restore, "--exit-on-error", "-d", copy.uri(), file)
        elif manner == "directory":
            call(dump, "-Fd", "-j2", "-f", file, source)
            call(restore, "--exit-on-error", "-j2", "-d", copy.uri(), file)
        else:
            for section in ("pre-data", "data", "post-data"):
                call(dump, f"--section={section}", "-f", f"{file}.{section}", source)
                run_script(programs, f"{file}.{section}", copy)
        yield copy


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(manner, marks=pytest.mark.extended if manner in OTHERS else ())
        for manner in MANNERS
    ],
)
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
        ("published", True),
        ("published", False),
        ("published", False),
    ]
    comment = "SELECT obj_description('public.patients'::regclass, 'pg_class')"
    assert one(db, comment) == "published"
    comments = (
        "SELECT c.relname, a.attname, coalesce(col_description(c.oid, a.attnum), ''), "
        "coalesce(obj_description(c.oid, 'pg_class'), '') FROM pg_class c "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0 "
        "WHERE c.relkind IN ('v', 'm') AND c.relnamespace IN (%s::regnamespace, "
        "'public'::regnamespace) ORDER BY c.relname, a.attnum"
    )
    said = db.execute(comments, [original.publisher]).fetchall()
    assert all(column and view for _, _, column, view in said)
    there = original.database.connect().execute(comments, [original.publisher]).fetchall()
    assert said == there
    checks = db.execute("SELECT check_name, detail FROM bkpriv.doctor() WHERE NOT ok").fetchall()
    assert checks == []


def test_guards_and_privileges_are_there(restored: Database, original: Original) -> None:
    db = restored.connect()
    for statement in (
        "DELETE FROM bkpriv.release_event",
        "UPDATE bkpriv.release SET records = 1",
        "TRUNCATE bkpriv_release.release_1",
        "TRUNCATE bkpriv_release.release_7_sensitive",
        "TRUNCATE bkpriv_release.release_8_randomization",
        "INSERT INTO bkpriv_release.release_1 SELECT * FROM bkpriv_release.release_1",
    ):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            db.execute(statement)
    reader = restored.connect(original.reader)
    own = ("shown", "stored", "drawn", "drawn_randomization")
    for view in (*(f'"{original.publisher}".{name}' for name in own), "patients"):
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
    for query in (
        "SELECT * FROM bkpriv.posterior(9, '{\"kernel\": \"uniform\"}', 'exact') "
        "ORDER BY group_id, qi::text, 3",
        "SELECT * FROM bkpriv.posterior(3, '0.3', 'exact') ORDER BY group_id, qi::text, 3",
        "SELECT * FROM bkpriv.explain_disclosure(8, NULL) ORDER BY qi::text, sensitive",
        "SELECT * FROM bkpriv.reconstruct(8, '{b}') ORDER BY key::text",
    ):
        there = original.database.connect().execute(query).fetchall()
        assert restored.connect().execute(query).fetchall() == there


def test_publishing_goes_on(restored: Database, original: Original) -> None:
    db, publisher = restored.connect(), restored.connect(original.publisher)
    # Staleness is noticed in the new database.
    db.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    assert one(db, "SELECT stale FROM bkpriv.releases WHERE release = 3") is True
    # Ids and versions go on, views move, and their grants stay.
    assert publish(db, policy="beliefs", view="public.patients") == 11
    assert one(db, "SELECT version FROM bkpriv.releases WHERE release = 11") == 4
    assert one(db, "SELECT status FROM bkpriv.releases WHERE release = 3") == "superseded"
    assert one(db, "SELECT count(*) FROM patients") == 301
    reader = restored.connect(original.reader)
    assert len(rows_of(reader, "patients")) == 301
    # Its owner publishes without superuser, as before.
    assert publish(publisher, "mine", "own", "stored", {"materialized": True}) == 12
    assert publish(publisher, "mine", "own", "shown") == 13
    assert publish(publisher, "mine", "diverse", "exact", method="anatomy") == 14
    assert len(rows_of(reader, f'"{original.publisher}".shown')) == 121
    before = one(db, "SELECT max(audit) FROM bkpriv.audits")
    publisher.execute("SELECT bkpriv.audit(12)")
    # One id is the verdict's on the last publication, and one the audit's.
    assert one(db, "SELECT max(audit) FROM bkpriv.audits") == before + 2
    publisher.execute("SELECT bkpriv.withdraw(release, 'moved') FROM bkpriv.releases")
    publisher.execute("SELECT bkpriv.drop_dataset('mine')")
    left = "SELECT count(*) FROM pg_class WHERE relname ~ '^(exact|drawn|release_(7|8|13))(_|$)'"
    assert one(db, left) == 0
    # What passes through does so here as well.
    publish(db, "noted", view="public.noted")
    missing = "SELECT count(*) FROM (SELECT id FROM clinic.person EXCEPT SELECT id FROM noted) AS m"
    assert one(db, missing) == 0


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


# --- what needs more care -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "manner",
    [
        [],
        pytest.param(["--inserts"], marks=pytest.mark.extended),
        pytest.param(["--disable-triggers"], marks=pytest.mark.extended),
        ["-Fd", "-j2"],
    ],
)
def test_schema_and_data_apart(
    server: Connection,
    server_programs: Path,
    original: Original,
    tmp_path: Path,
    manner: list[str],
) -> None:
    dump, source = server_programs / "pg_dump", original.database.uri()
    schema, data = str(tmp_path / "schema"), str(tmp_path / "data")
    call(dump, "--schema-only", "-f", schema, source)
    call(dump, "--data-only", *manner, "-f", data, source)
    with made(server, original) as copy:
        run_script(server_programs, schema, copy)
        db = copy.connect()
        failed = "SELECT detail FROM bkpriv.doctor() WHERE NOT ok"
        if "-Fd" in manner:
            restore = server_programs / "pg_restore"
            call(restore, "--exit-on-error", *manner[1:], "-d", copy.uri(), data)
        else:
            run_script(server_programs, data, copy)
        # Of materialized views such a dump holds no data.
        stored = f'"{original.publisher}".stored'
        assert [detail for (detail,) in db.execute(failed).fetchall()] == [
            f"no data in materialized view {original.publisher}.stored of release 5: "
            f"REFRESH MATERIALIZED VIEW {original.publisher}.stored"
        ]
        db.execute(f"REFRESH MATERIALIZED VIEW {stored}")
        assert db.execute(failed).fetchall() == []
        there = dict(original.rows)
        events = there.pop("bkpriv.release_event")
        added = [row for row in rows_of(db, "bkpriv.release_event") if row not in events]
        # Rows were written to a table that is watched, or should have been.
        there.pop("bkpriv.releases")
        assert {event[2] for event in added} <= {"stale"}
        # What is stale or withdrawn may have lost its tokens by that; nothing else has changed.
        ended = {event[1] for event in (*events, *added) if event[2] in ("stale", "withdrawn")}
        known = there.pop("bkpriv.release")
        for row, was in zip(sorted(rows_of(db, "bkpriv.release")), sorted(known), strict=True):
            assert row == was or (row[0] in ended and row[:18] + row[19:] == was[:18] + was[19:])
            assert row[18] in (was[18], None)
        for name, rows in there.items():
            assert sorted(rows_of(db, name), key=str) == sorted(rows, key=str), name
        assert one(db, "SELECT count(*) FROM clinic.patient") == 300
        # Again a snapshot, and all goes on.
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            db.execute("INSERT INTO bkpriv_release.release_1 TABLE bkpriv_release.release_2")
        assert publish(db, policy="beliefs", view="public.patients") == 11
        assert one(db, "SELECT stale FROM bkpriv.releases WHERE release = 11") is False


def test_data_that_were_not_restored_are_noticed(
    server: Connection, server_programs: Path, original: Original, tmp_path: Path
) -> None:
    parts = [(str(tmp_path / kind), kind) for kind in ("schema", "data")]
    for file, kind in parts:
        left_out = ["-T", "bkpriv_release.release_3"] if kind == "data" else []
        call(
            server_programs / "pg_dump",
            f"--{kind}-only",
            *left_out,
            "-f",
            file,
            original.database.uri(),
        )
    with made(server, original) as copy:
        for file, _ in parts:
            run_script(server_programs, file, copy)
        db = copy.connect()
        db.execute("DROP TABLE bkpriv_release.release_7_sensitive CASCADE")
        db.execute("DROP TABLE bkpriv_release.release_7 CASCADE")
        told = one(db, "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'releases'")
        assert "release 3" in told
        assert "release 7" in told
        assert one(db, "SELECT status FROM bkpriv.releases WHERE release = 7") == "dropped"


@pytest.mark.parametrize("more", [False, True])
def test_cleaning_a_database_that_is_there(
    server: Connection, server_programs: Path, original: Original, tmp_path: Path, *, more: bool
) -> None:
    file = str(tmp_path / "dump")
    call(server_programs / "pg_dump", "-Fc", "-f", file, original.database.uri())
    clean = ("--clean", "--if-exists", "--exit-on-error")
    with copied(server, original, server_programs, "plain", tmp_path / "..") as copy:
        db = copy.connect()
        if not more:
            call(server_programs / "pg_restore", *clean, "-d", copy.uri(), file)
            for name, rows in original.rows.items():
                assert sorted(rows_of(db, name), key=str) == sorted(rows, key=str), name
            return
        # The extension cannot be dropped while releases that the dump does not know depend on it.
        new = [publish(db, view="public.new"), publish(db, view="public.new")]
        assert new == [11, 12]
        attempt = [str(server_programs / "pg_restore"), *clean[:2], "-d", copy.uri(), file]
        with unchanged(db):
            done = subprocess.run(
                [*attempt, "--single-transaction"], capture_output=True, text=True, check=False
            )
        assert done.returncode == 1
        done = subprocess.run(attempt, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "cannot drop extension bkpriv" in done.stderr
        for sequence in ("release_id", "audit_id"):
            kind = sequence.removesuffix("_id")
            table = {"release": "bkpriv.release", "audit": "bkpriv.audit_record"}[kind]
            last = one(db, f"SELECT last_value FROM bkpriv.{sequence}")
            assert last < one(db, f"SELECT max({kind}) FROM {table}"), sequence
        # No id is given twice.
        before = one(db, "SELECT max(audit) FROM bkpriv.audits")
        assert publish(db, view="public.newer") == 13
        assert one(
            db, "SELECT count(*) FROM bkpriv.audits WHERE release = 13 AND audit > %s", [before]
        )


def test_an_id_of_which_anything_is_left_is_not_given_again(clinic: Connection) -> None:
    assert publish(clinic) == 1
    clinic.execute(
        "INSERT INTO bkpriv.release_event (release, kind, reason, by) "
        "VALUES (3, 'withdrawn', 'x', 'x')"
    )
    clinic.execute("CREATE TABLE bkpriv_release.release_4_sensitive (a int)")
    clinic.execute("SELECT bkpriv.attack(1, 'majority', '{\"model\": \"bayes\"}')")
    clinic.execute(
        "SELECT nextval('bkpriv.audit_id');"
        "INSERT INTO bkpriv.attack_record "
        "(attack, place, release, attacker, options, metric, value, attacked_by) "
        "VALUES (currval('bkpriv.audit_id'), 0, 5, 'majority', '{}', 'people', 1, 'x')"
    )
    clinic.execute(
        "SELECT setval('bkpriv.release_id', 1, false), setval('bkpriv.audit_id', 1, false)"
    )
    assert [publish(clinic), publish(clinic)] == [2, 6]
    # What attacks and verdicts were given is given to no audit either.
    given = "SELECT array_agg(DISTINCT audit) FROM bkpriv.audit_record"
    assert one(clinic, given) == [1, 5, 7]


def test_a_watch_goes_on_with_other_triggers(
    ward: Connection, database: Database, server: Connection, server_programs: Path, tmp_path: Path
) -> None:
    create_visits(ward)
    declare_visits(ward)
    # A restore makes the triggers of a table in the order of their names.
    for name in ("before", "later"):
        ward.execute(
            sql.SQL(
                "CREATE TRIGGER {} BEFORE UPDATE ON clinic.visit "
                "FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"
            ).format(sql.Identifier(name))
        )
    publish_period(ward, "2024-01")
    original = Original(database, "", "", {})
    for manner in ("plain", "sections"):
        with copied(server, original, server_programs, manner, tmp_path) as copy:
            db = copy.connect()
            assert one(db, "SELECT stale FROM bkpriv.releases") is False
            db.execute("DELETE FROM clinic.visit WHERE person = 8")
            assert one(db, "SELECT stale FROM bkpriv.releases") is True
