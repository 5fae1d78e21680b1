"""The doctor, and the version it compares."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.refusal import refused

ROOT = Path(__file__).resolve().parents[2]

OTHER_SQL = """
    CREATE OR REPLACE FUNCTION bkpriv_internal.digest() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'c0ffee' $$
"""
"""Statements that make the extension look created from other files of the same version."""


def findings(db: Connection) -> dict[str, tuple[bool, str]]:
    """Findings of the doctor, by check."""
    rows = db.execute("SELECT check_name, ok, detail FROM bkpriv.doctor()").fetchall()
    return {name: (ok, detail) for name, ok, detail in rows}


def test_the_doctor_finds_nothing_wrong_here(clinic: Connection) -> None:
    publish(clinic)
    found = findings(clinic)
    assert {name: detail for name, (ok, detail) in found.items() if not ok} == {}
    assert {"server", "interpreter", "version", "packages", "nothing to others", "guards"} <= set(
        found
    )
    assert all(detail for _, detail in found.values())


def test_the_doctor_notices_what_was_tampered_with(clinic: Connection) -> None:
    release = publish(clinic)
    for change, check in (
        ("GRANT EXECUTE ON FUNCTION bkpriv.version() TO PUBLIC", "nothing to others"),
        ("GRANT SELECT ON bkpriv.release TO PUBLIC", "nothing to others"),
        ("GRANT USAGE ON SCHEMA bkpriv TO PUBLIC", "nothing to others"),
        (f"GRANT SELECT ON bkpriv_release.release_{release} TO PUBLIC", "nothing to others"),
        (OTHER_SQL, "sql"),
        ("ALTER FUNCTION bkpriv_internal.owns(text) RESET search_path", "search_path"),
        ("ALTER FUNCTION bkpriv.withdraw(bigint, text) RESET bytea_output", "settings"),
        ("ALTER EVENT TRIGGER bkpriv_dropped DISABLE", "alterations"),
        ("ALTER TABLE bkpriv.release DISABLE TRIGGER guard", "guards"),
        ("ALTER TABLE bkpriv.release_content DISABLE TRIGGER guard_row", "guards"),
        ("ALTER TABLE bkpriv.dataset DISABLE TRIGGER guard", "guards"),
        ("UPDATE bkpriv.policy SET owner = 'gone'", "owners"),
        (f"ALTER TABLE bkpriv_release.release_{release} DISABLE TRIGGER guard", "guards"),
        (f"DROP TRIGGER guard ON bkpriv_release.release_{release}", "guards"),
        ("ALTER TABLE bkpriv.policy DISABLE ROW LEVEL SECURITY", "guards"),
        ("ALTER TABLE bkpriv.release DISABLE ROW LEVEL SECURITY", "guards"),
    ):
        with clinic.transaction(force_rollback=True):
            clinic.execute(change)
            assert [name for name, (ok, _) in findings(clinic).items() if not ok] == [check]


@pytest.mark.parametrize("lost", ["release_content", "release_attribute"])
def test_the_doctor_notices_what_a_restore_in_parts_left_out(clinic: Connection, lost: str) -> None:
    release = publish(clinic)
    assert findings(clinic)["releases"][0]
    clinic.execute(
        f"ALTER TABLE bkpriv.{lost} DISABLE TRIGGER USER; DELETE FROM bkpriv.{lost};"
        f"ALTER TABLE bkpriv.{lost} ENABLE TRIGGER USER".encode()
    )
    ok, detail = findings(clinic)["releases"]
    assert (ok, detail) == (False, f"the history of release {release} is not whole: restore it")
    refused(clinic, "SELECT * FROM bkpriv.utility(%s)", [release], sqlstate="55000", names=["1"])


def test_the_version_is_that_of_the_control_file(clinic: Connection) -> None:
    control = (ROOT / "bkpriv.control").read_text()
    stated = re.search(r"^default_version = '(.*)'$", control, re.MULTILINE)
    assert stated
    assert one(clinic, "SELECT bkpriv.version()") == stated[1]
    installed = "SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'"
    assert one(clinic, installed) == stated[1]


def test_the_doctor_lists_who_can_read_what(
    clinic: Connection,
    make_publisher: Callable[..., Connection],
    make_role: Callable[..., str],
) -> None:
    publisher = make_publisher().info.user
    # Roles of other tests may be more than are listed, in the order of their names.
    auditor, stranger = make_role("auditor"), make_role("a_stranger")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [auditor])
    name = sql.Identifier(publisher)
    clinic.execute(sql.SQL("GRANT USAGE, CREATE ON SCHEMA clinic TO {}").format(name))
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(name))
    clinic.execute(sql.SQL("SET ROLE {}").format(name))
    clinic.execute("SELECT bkpriv.register_dataset('d', 'clinic.patient', '{age}', 'disease')")
    release = publish(clinic, "d", view="clinic.shown")
    clinic.execute("RESET ROLE")
    found = findings(clinic)
    assert {ok for ok, _ in found.values()} == {True}
    assert f"publishers: {publisher}; auditors: {auditor}; watchers: none" in found["jobs"][1]
    assert found["readers of release tables"][1] == f"their publishers: {publisher}"
    role = sql.Identifier(stranger)
    for grant, told in (
        ("SELECT ON bkpriv.release_content", "SELECT on bkpriv.release_content"),
        ("SELECT (codes) ON bkpriv.release_content", "SELECT on bkpriv.release_content"),
        ("EXECUTE ON FUNCTION bkpriv_internal.auditor()", "EXECUTE on bkpriv_internal.auditor()"),
        ("USAGE ON SCHEMA bkpriv_release", "USAGE on schema bkpriv_release"),
        (f"SELECT ON bkpriv_release.release_{release}", f"release_{release}"),
    ):
        with clinic.transaction(force_rollback=True):
            clinic.execute(sql.SQL("GRANT {} TO {}").format(sql.SQL(grant), role))
            ok, detail = findings(clinic)["nothing to others"]
            assert not ok
            assert f"{stranger}: " in detail
            assert told in detail
    # A member of a group without the schema has no job here.
    with clinic.transaction(force_rollback=True):
        clinic.execute(sql.SQL("GRANT bkpriv_auditor TO {}").format(role))
        jobs, _, others = findings(clinic)["jobs"][1].partition("without a job")
        assert stranger not in jobs
        assert stranger in others


def test_who_lost_a_membership_with_a_dump_is_told_how_to_have_it_again(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    # No dump of a database holds memberships, but it does hold what is granted to a role itself.
    role = make_role("restored")
    clinic.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    clinic.execute(sql.SQL("REVOKE bkpriv_publisher FROM {}").format(sql.Identifier(role)))
    ok, detail = findings(clinic)["nothing to others"]
    assert not ok
    assert f"{role}: USAGE on schema bkpriv" in detail
    assert "bkpriv.grant_publisher" in detail
    clinic.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    assert findings(clinic)["nothing to others"] == (True, "no role has more than its job")
