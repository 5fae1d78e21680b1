"""The doctor, and the version it compares."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import Connection
from tests.db.clinic import one, publish

ROOT = Path(__file__).resolve().parents[2]


def findings(db: Connection) -> dict[str, tuple[bool, str]]:
    """What the doctor found, by check."""
    rows = db.execute("SELECT check_name, ok, detail FROM bkpriv.doctor()").fetchall()
    return {name: (ok, detail) for name, ok, detail in rows}


def test_the_doctor_finds_nothing_wrong_here(clinic: Connection) -> None:
    publish(clinic)
    found = findings(clinic)
    assert {name: detail for name, (ok, detail) in found.items() if not ok} == {}
    assert {"server", "interpreter", "version", "packages", "nothing to PUBLIC", "guards"} <= set(
        found
    )
    assert all(detail for _, detail in found.values())


def test_the_doctor_notices_what_was_tampered_with(clinic: Connection) -> None:
    release = publish(clinic)
    for change, check in (
        ("GRANT EXECUTE ON FUNCTION bkpriv.version() TO PUBLIC", "nothing to PUBLIC"),
        ("GRANT SELECT ON bkpriv.release TO PUBLIC", "nothing to PUBLIC"),
        ("GRANT USAGE ON SCHEMA bkpriv TO PUBLIC", "nothing to PUBLIC"),
        (f"GRANT SELECT ON bkpriv_release.release_{release} TO PUBLIC", "nothing to PUBLIC"),
        ("ALTER FUNCTION bkpriv._owns(text) RESET search_path", "search_path"),
        ("ALTER TABLE bkpriv.release DISABLE TRIGGER guard", "guards"),
        (f"ALTER TABLE bkpriv_release.release_{release} DISABLE TRIGGER guard", "guards"),
        (f"DROP TRIGGER guard ON bkpriv_release.release_{release}", "guards"),
        ("ALTER TABLE bkpriv.policy DISABLE ROW LEVEL SECURITY", "guards"),
        ("ALTER TABLE bkpriv.release DISABLE ROW LEVEL SECURITY", "guards"),
    ):
        with clinic.transaction(force_rollback=True):
            clinic.execute(change)
            assert [name for name, (ok, _) in findings(clinic).items() if not ok] == [check]


def test_the_version_is_that_of_the_control_file(clinic: Connection) -> None:
    control = (ROOT / "bkpriv.control").read_text()
    stated = re.search(r"^default_version = '(.*)'$", control, re.MULTILINE)
    assert stated
    assert one(clinic, "SELECT bkpriv.version()") == stated[1]
    installed = "SELECT extversion FROM pg_extension WHERE extname = 'bkpriv'"
    assert one(clinic, installed) == stated[1]
