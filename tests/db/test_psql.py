"""Verdicts and audits in psql, in a terminal of 100 columns."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic, publish, state_policy


def test_psql_shows_verdicts_and_audits_line_by_line(
    database: Database, db: Connection, server_programs: Path
) -> None:
    """As the documents say."""
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "bt", {"k_anonymity": {"k": 3}, "bt_privacy": {"bandwidth": 0.3, "t": 0.1}})
    release = publish(db, policy="bt")
    for function in ("verdict", "audit"):
        shown = subprocess.run(
            [server_programs / "psql", "-Xq", "-v", "ON_ERROR_STOP=1", database.uri()],
            input="\\pset columns 100\n\\pset format wrapped\n"
            f"SELECT * FROM bkpriv.{function}({release}) \\gx",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "-[ RECORD 1 ]" in shown
        assert max(map(len, shown.splitlines())) <= 100
