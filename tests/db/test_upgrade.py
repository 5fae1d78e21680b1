"""Upgrades: a database of an older version becomes what a new one is, and keeps its releases."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.conftest import Connection, Database, fresh_database
from tests.db.catalogue import catalogue
from tests.db.clinic import one, overhear, rows_of
from tests.db.released import DIRECTORY, ROLES, figures

VERSIONS = ["0.1.0", "0.2.0", "0.3.0"]

MADE = {"0.1.0": 9, "0.2.0": 9, "0.3.0": 16}
"""Number of releases of each version: nine alike, then some of what that version began."""

FROM_0_1 = pytest.mark.parametrize("version", ["0.1.0"], indirect=True, scope="module")
"""Mark of tests of what changed on the way from 0.1.0."""

FROM_0_2 = pytest.mark.parametrize("version", ["0.2.0"], indirect=True, scope="module")

LATER = {"drawn", "drawn_randomization", "visits", "members", "again", "filled"}
"""Views of the releases beyond the ninth."""

JOBS = {
    "bkpriv_publisher": ("upgrade_publisher", "upgrade_both"),
    "bkpriv_auditor": ("upgrade_auditor", "upgrade_both"),
}
"""Roles that had each job."""

UPDATE = "ALTER EXTENSION bkpriv UPDATE"

UNSOUND = "SELECT check_name, detail FROM bkpriv.doctor() WHERE NOT ok"


def name_of(database: Database) -> str:
    return str(conninfo_to_dict(database.conninfo)["dbname"])


def restore(programs: Path, database: Database, script: str) -> None:
    """Run what ``pg_dump`` wrote, up to the first error."""
    program = [str(programs / "psql"), "-Xq", "-v", "ON_ERROR_STOP=1", database.uri()]
    done = subprocess.run(program, input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def kept(name: str, roles: dict[str, str]) -> str:
    """A file of an older version, with the roles of this run for those that it names."""
    text = (DIRECTORY / name).read_text()
    for role, present in roles.items():
        text = text.replace(role, present)
    return text


def dumped(version: str, roles: dict[str, str]) -> str:
    """The dump of an older version, to be restored under it as docs/howto/backup.md says."""
    script, times = re.subn(
        r"^CREATE EXTENSION IF NOT EXISTS bkpriv .*;",
        f"CREATE EXTENSION bkpriv VERSION '{version}';",
        kept(f"{version}.dump.sql", roles),
        flags=re.MULTILINE,
    )
    assert times == 1
    return script


@pytest.fixture(scope="module")
def roles(make_role: Callable[..., str]) -> dict[str, str]:
    """Roles of this run, by those that the dumps name."""
    return {role: make_role(role.removeprefix("upgrade_")) for role in ROLES}


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The older version."""
    return str(request.param)


@pytest.fixture(scope="module")
def restored(
    version: str, server: Connection, server_programs: Path, roles: dict[str, str]
) -> Iterator[str]:
    """Name of a database in which the dump of an older version was restored, under that version."""
    script = dumped(version, roles)
    with fresh_database(server, "template0") as database:
        restore(server_programs, database, script)
        if version != "0.1.0":
            # Memberships are the server's, and in no dump of a database.
            for job, names in JOBS.items():
                members = ", ".join(roles[name] for name in names)
                server.execute(f"GRANT {job} TO {members}".encode())
        yield name_of(database)


@pytest.fixture(scope="module")
def template_upgraded(server: Connection, restored: str) -> Iterator[tuple[str, list[str]]]:
    """Name of a copy of it that was upgraded, and what the upgrade said."""
    with fresh_database(server, restored) as database:
        connection = database.connect()
        said = overhear(connection)
        connection.execute(UPDATE)
        connection.close()
        yield name_of(database), said


@pytest.fixture
def old(server: Connection, restored: str) -> Iterator[Database]:
    """A database of the older version, not upgraded yet."""
    with fresh_database(server, restored) as database:
        yield database


@pytest.fixture
def upgraded(server: Connection, template_upgraded: tuple[str, list[str]]) -> Iterator[Database]:
    """A database of the older version that was upgraded."""
    with fresh_database(server, template_upgraded[0]) as database:
        yield database


def test_an_upgrade_leaves_the_catalogue_of_an_installation(
    version: str, server: Connection, db: Connection
) -> None:
    with fresh_database(server, "template0") as database:
        connection = database.connect()
        connection.execute(f"CREATE EXTENSION bkpriv VERSION '{version}' CASCADE".encode())
        connection.execute(UPDATE)
        found, expected = catalogue(connection), catalogue(db)
    for kind, objects in expected.items():
        assert found[kind] - objects == set(), f"{kind}: not in an installation"
        assert objects - found[kind] == set(), f"{kind}: only in an installation"
        assert objects, kind


def test_so_it_does_whatever_the_session_says(
    version: str, server: Connection, db: Connection
) -> None:
    with fresh_database(server, "template0") as database:
        database.connect().execute(f"CREATE EXTENSION bkpriv VERSION '{version}' CASCADE".encode())
        session = database.connect()
        session.execute("SET standard_conforming_strings = off; SET quote_all_identifiers = on")
        session.execute(UPDATE)
        assert catalogue(database.connect()) == catalogue(db)
        shown = "SELECT current_setting('search_path'), current_setting('quote_all_identifiers')"
        assert session.execute(shown).fetchone() == ('"$user", public', "on")


def test_so_it_does_where_there_are_releases_and_jobs(
    upgraded: Database, db: Connection, roles: dict[str, str]
) -> None:
    found, expected = catalogue(upgraded.connect()), catalogue(db)
    gates = ("(n,bkpriv,f,", "(n,bkpriv_release,f,", '(f,"bkpriv_internal.auditor()",f,')
    for kind, objects in expected.items():
        assert objects - found[kind] == set(), f"{kind}: only in an installation"
        for line in found[kind] - objects:
            # Release tables, and jobs: granted to roles themselves, and not by the script.
            job = kind == "privilege" and line.startswith(gates)
            assert "bkpriv_release.release_" in line or (
                job and any(f",{role}," in line for role in roles.values())
            ), line


def test_releases_are_measured_as_by_the_older_version(
    version: str, upgraded: Database, roles: dict[str, str]
) -> None:
    expected: dict[str, list[Any]] = json.loads(kept(f"{version}.figures.json", roles))
    found = figures(upgraded.connect())
    if version == "0.1.0":
        # What was not watched by its owner is not known to be fresh.
        stale = 10
        for row in expected["releases"]:
            row[stale] = row[stale] or None
    agrees(found, expected)
    # What it left unsaid is said.
    assert '"smoothing": 0.75' in json.dumps(found["audit 2"])


def agrees(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> None:
    """Hold what is said of releases against what an older version said, which meant a smoothing."""
    assert found.keys() == expected.keys()
    for name, stated in expected.items():
        rows = smoothed(stated)
        assert len(rows) > 0, name
        if name.startswith("utility"):
            # More is measured by now.
            known = [metric for metric, _ in rows]
            found[name] = [row for row in found[name] if row[0] in known]
        assert same(found[name], rows), (name, found[name], rows)


def smoothed(stated: Any) -> Any:
    """The same JSON with the smoothing that older versions compared beliefs by stated."""
    if isinstance(stated, list):
        return [smoothed(item) for item in stated]
    if isinstance(stated, dict):
        one = {key: smoothed(item) for key, item in stated.items()}
        return {**one, "smoothing": 0.75} if one.keys() >= {"bandwidth", "t"} else one
    return stated


def same(found: Any, expected: Any) -> bool:
    """Compare JSON, numbers up to rounding."""
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float) and isinstance(found, float):
        return found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    return bool(found == expected)


def test_releases_are_withdrawn_and_purged(upgraded: Database, roles: dict[str, str]) -> None:
    db, publisher = upgraded.connect(), upgraded.connect(roles["upgrade_publisher"])
    for release, connection in (
        (1, db),
        (2, db),
        (4, db),
        (5, db),
        (6, db),
        (7, db),
        (8, publisher),
    ):
        connection.execute("SELECT bkpriv.withdraw(%s, 'enough')", [release])
    for release, connection in ((3, db), (7, db), (8, publisher)):
        connection.execute("SELECT bkpriv.purge(%s, 'forget them', true)", [release])
    found: dict[int, str] = dict(
        db.execute("SELECT release, status FROM bkpriv.releases WHERE release <= 9").fetchall()
    )
    assert found == {
        **{9: "published", 3: "purged", 7: "purged", 8: "purged"},
        **dict.fromkeys((1, 2, 4, 5, 6), "withdrawn"),
    }
    shown = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'ward'::regnamespace AND relkind = %s"
    )
    left = {view for (view,) in db.execute(shown, ["v"])}
    assert left - LATER == {"fresh", "overview"}
    assert db.execute(shown, ["m"]).fetchall() == []
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="was purged"):
        db.execute("SELECT * FROM bkpriv.audit(8)")


def test_publishing_goes_on_under_the_views_of_the_older_version(
    version: str, upgraded: Database, roles: dict[str, str]
) -> None:
    db = upgraded.connect()
    for dataset in ("patients", "cases"):
        query = "SELECT bkpriv.publish(%s, 'plain', %s)"
        db.execute(query, [dataset, f"ward.{dataset}"])
    found = db.execute(
        "SELECT release, dataset, version, status FROM bkpriv.releases "
        "WHERE view_name ~ 'patients|cases' ORDER BY 1"
    ).fetchall()
    assert found == [
        (1, "patients", 1, "superseded"),
        (2, "patients", 2, "superseded"),
        (7, "cases", 1, "superseded"),
        (MADE[version] + 1, "patients", 7, "published"),
        (MADE[version] + 2, "cases", found[-1][2], "published"),
    ]
    assert len(rows_of(upgraded.connect(roles["upgrade_reader"]), "ward.patients")) == 96
    assert one(db, "SELECT pg_typeof(stage)::text FROM ward.cases LIMIT 1") == "text"


def test_who_had_a_job_has_it_and_nobody_else(
    version: str, server: Connection, upgraded: Database, roles: dict[str, str]
) -> None:
    db = upgraded.connect()
    assert db.execute(UNSOUND).fetchall() == []
    jobs = server.execute(
        "SELECT m.rolname, g.rolname FROM pg_auth_members JOIN pg_roles m ON m.oid = member "
        "JOIN pg_roles g ON g.oid = roleid WHERE m.rolname = ANY (%s)",
        [list(roles.values())],
    ).fetchall()
    assert set(jobs) == {(roles[name], job) for job, names in JOBS.items() for name in names}
    work(version, upgraded, roles)


def work(version: str, database: Database, roles: dict[str, str]) -> None:
    """Do each job, and try what is not part of it."""
    publisher, auditor, both, reader = (database.connect(roles[role]) for role in ROLES)
    publisher.execute("SELECT bkpriv.publish('people', 'plain', 'ward.people')")
    refused = psycopg.errors.InsufficientPrivilege
    with pytest.raises(refused):
        auditor.execute("SELECT bkpriv.set_policy('mine', '{\"k_anonymity\": {\"k\": 2}}')")
    seen = "SELECT count(DISTINCT dataset) FROM bkpriv.releases"
    datasets = 5 if version == "0.3.0" else 3
    assert [one(role, seen) for role in (publisher, auditor, both)] == [1, datasets, datasets]
    auditor.execute("SELECT * FROM bkpriv.audit(1)")
    auditor.execute("SELECT * FROM bkpriv.attack(1, 'majority', '{\"model\": \"bayes\"}')")
    attacked = "SELECT attacked_by FROM bkpriv.attacks WHERE release = 1 AND metric = 'people'"
    assert one(auditor, attacked) == roles["upgrade_auditor"]
    both.execute("SELECT bkpriv.set_policy('mine', '{\"k_anonymity\": {\"k\": 2}}')")
    assert len(rows_of(reader, "ward.patients")) == 96
    with pytest.raises(refused):
        reader.execute("SELECT * FROM bkpriv.releases")


def test_a_dump_that_is_made_afterwards_keeps_the_jobs(
    version: str,
    server: Connection,
    server_programs: Path,
    upgraded: Database,
    roles: dict[str, str],
) -> None:
    dump = subprocess.run(
        [server_programs / "pg_dump", upgraded.uri()], capture_output=True, text=True, check=True
    )
    with fresh_database(server, "template0") as copy:
        restore(server_programs, copy, dump.stdout)
        db = copy.connect()
        assert db.execute(UNSOUND).fetchall() == []
        assert catalogue(db) == catalogue(upgraded.connect())
        work(version, copy, roles)


@FROM_0_1
def test_tables_are_watched_when_their_owners_say_so(
    upgraded: Database, template_upgraded: tuple[str, list[str]], roles: dict[str, str]
) -> None:
    db, publisher = upgraded.connect(), upgraded.connect(roles["upgrade_publisher"])
    (said,) = (line for line in template_upgraded[1] if "stale" in line)
    assert all(table in said for table in ("ward.patient", "ward.person", 'ward."case"'))
    left = "SELECT count(*) FROM pg_trigger WHERE tgrelid::regclass::text ~ '^ward'"
    assert one(db, left) == 0
    db.execute("INSERT INTO ward.person VALUES (74, 31, 'B')")
    db.execute("SELECT bkpriv.watch('ward.person')")
    publisher.execute("SELECT bkpriv.publish('people', 'plain', 'ward.people')")
    stale = "SELECT array_agg(stale ORDER BY release) FROM bkpriv.releases WHERE release >= 8"
    assert one(db, stale) == [True, None, False]
    db.execute("INSERT INTO ward.person VALUES (75, 32, 'B')")
    assert one(db, stale) == [True, None, True]


@FROM_0_1
def test_a_trigger_that_partitions_inherit_is_taken_off(
    old: Database, roles: dict[str, str]
) -> None:
    db, publisher = old.connect(), old.connect(roles["upgrade_publisher"])
    publisher.execute(
        "CREATE TABLE ward.divided (i int) PARTITION BY LIST (i);"
        "CREATE TABLE ward.part PARTITION OF ward.divided DEFAULT;"
        "CREATE TRIGGER own AFTER INSERT ON ward.divided FOR EACH ROW "
        "EXECUTE FUNCTION bkpriv._mark_stale('people')"
    )
    db.execute(UPDATE)
    assert one(db, "SELECT count(*) FROM pg_trigger WHERE tgname = 'own'") == 0


@FROM_0_2
def test_what_is_watched_stays_watched(
    upgraded: Database, template_upgraded: tuple[str, list[str]]
) -> None:
    db = upgraded.connect()
    assert template_upgraded[1] == []
    stale = "SELECT array_agg(stale ORDER BY release) FROM bkpriv.releases WHERE release >= 7"
    assert one(db, stale) == [False, True, False]
    db.execute("INSERT INTO ward.person VALUES (74, 31, 'B')")
    assert one(db, stale) == [False, True, True]


@FROM_0_2
def test_respondents_of_earlier_releases_have_neither_part_nor_value(
    upgraded: Database, roles: dict[str, str]
) -> None:
    publisher = upgraded.connect(roles["upgrade_publisher"])
    publisher.execute("SELECT bkpriv.publish('people', 'plain', 'ward.people')")
    known = "SELECT release, parts IS NOT NULL, sensitive_codes IS NOT NULL "
    known += "FROM bkpriv.release_respondent ORDER BY release"
    assert publisher.execute(known).fetchall() == [
        (8, False, False),
        (9, False, False),
        (10, True, True),
    ]
    for release in (9, 10):
        given = "SELECT count(*) FROM bkpriv.disclosure_given(%s, '[]')"
        assert one(publisher, given, [release]) > 0


def test_releases_are_drawn_beside_earlier_ones(upgraded: Database, roles: dict[str, str]) -> None:
    publisher = upgraded.connect(roles["upgrade_publisher"])
    before = "SELECT release, worst FROM bkpriv.audits ORDER BY audit, requirement"
    audits = publisher.execute(before).fetchall()
    publisher.execute(
        "SELECT bkpriv.set_policy('doubtful', '{\"max_disclosure\": {\"tau\": 0.9}}')"
    )
    release = one(
        publisher,
        "SELECT bkpriv.publish('people', 'doubtful', 'ward.doubtful', 'randomize', "
        'options => \'{"scheme": "rr-both"}\')',
    )
    assert publisher.execute(before).fetchall()[: len(audits)] == audits
    assert one(publisher, "SELECT satisfied FROM bkpriv.audit(%s)", [release]) is True
    # Of earlier releases, nothing is randomized.
    kept = "SELECT array_agg(DISTINCT release) FROM bkpriv.release_attribute "
    assert one(publisher, kept + "WHERE retention IS NOT NULL") == [release]
    assert one(publisher, "SELECT array_agg(release) FROM bkpriv.release_draw") == [release]


def test_views_of_others_stay_as_they_were(version: str, upgraded: Database) -> None:
    assert len(rows_of(upgraded.connect(), "ward.overview")) == MADE[version]


@FROM_0_1
def test_columns_of_enumerations_stay_as_they_were(
    upgraded: Database, template_upgraded: tuple[str, list[str]]
) -> None:
    db = upgraded.connect()
    (said,) = (line for line in template_upgraded[1] if "types" in line)
    assert "release_7" in said
    assert "release_6" not in said
    assert one(db, "SELECT count(*) FROM ward.cases WHERE stage >= 'grave'") == one(
        db, "SELECT count(*) FROM ward.\"case\" WHERE stage >= 'grave'"
    )


@FROM_0_1
@pytest.mark.parametrize(
    ("before", "finding"),
    [
        ("REVOKE EXECUTE ON FUNCTION bkpriv.withdraw(bigint, text) FROM {0}", "other privileges"),
        ("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bkpriv FROM {0}", "other privileges"),
        ("GRANT DELETE ON bkpriv.policy TO {0}", "other privileges"),
        ("GRANT USAGE ON SCHEMA bkpriv TO {1}", "other privileges"),
        ("GRANT CREATE ON SCHEMA bkpriv TO PUBLIC", "other privileges"),
        ("GRANT EXECUTE ON FUNCTION bkpriv._auditor() TO {1}", "other privileges"),
        ("ALTER ROLE {0} NOINHERIT", "does not inherit"),
        (
            "ALTER FUNCTION bkpriv._tracked RENAME TO tracked",
            "not version 0.1.0 as it was released",
        ),
        ("CREATE SCHEMA bkpriv_internal", "already exists"),
        (
            "CREATE FUNCTION bkpriv.format(text, text) RETURNS text LANGUAGE sql RETURN 'SELECT'",
            "holds what is not of the extension",
        ),
        (
            "INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, "
            "view_schema, view_name, method, policy, requirements, options, records, suppressed, "
            "groups) VALUES ('d', '{0}', 1, repeat('x', 64), 's', 's', 'v', 'm', 'p', '{{}}', "
            "'{{}}', 1, 0, 1)",
            "no publication made",
        ),
        (
            "ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO bkpriv_auditor",
            "default privileges",
        ),
    ],
)
def test_what_an_upgrade_cannot_decide_it_refuses(
    old: Database, roles: dict[str, str], before: str, finding: str
) -> None:
    db = old.connect()
    publisher, reader = roles["upgrade_publisher"], roles["upgrade_reader"]
    try:
        db.execute(before.format(publisher, reader).encode())
        held = catalogue(db)
        with pytest.raises(psycopg.Error, match=finding) as refused:
            db.execute(UPDATE)
        assert catalogue(db) == held
        if "REVOKE ALL ON SCHEMA" in (hint := str(refused.value.diag.message_hint)):
            for grantee in (publisher, reader, "PUBLIC"):
                for kind in ("ALL TABLES IN", "ALL SEQUENCES IN", "ALL FUNCTIONS IN", ""):
                    db.execute(f"REVOKE ALL ON {kind} SCHEMA bkpriv FROM {grantee}".encode())
                db.execute(f"REVOKE ALL ON SCHEMA bkpriv_release FROM {grantee}".encode())
            db.execute(UPDATE)
            assert db.execute(UNSOUND).fetchall() == [], hint
    finally:
        db.execute(f"ALTER ROLE {publisher} INHERIT".encode())


def test_privileges_that_nobody_needs_are_gone_after_an_upgrade(
    server: Connection, old: Database, roles: dict[str, str], db: Connection
) -> None:
    stranger, connection = roles["upgrade_reader"], old.connect()
    for kind in ("TABLES", "SEQUENCES", "FUNCTIONS", "SCHEMAS"):
        connection.execute(
            f"ALTER DEFAULT PRIVILEGES GRANT ALL ON {kind} TO PUBLIC, {stranger}".encode()
        )
    connection.execute(f"GRANT SELECT (codes) ON bkpriv.release_content TO {stranger}".encode())
    connection.execute(UPDATE)
    assert connection.execute(UNSOUND).fetchall() == []
    for line in catalogue(connection)["privilege"] - catalogue(db)["privilege"]:
        assert f",{stranger}," not in line
        assert ",-," not in line
