"""Statements that the client prints can be pasted: into psql, as the README says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.client.command import succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import one
from tests.docs.documents import ROOT

pytestmark = pytest.mark.pooled


def paste(output: str, psql: Path, uri: str) -> str:
    """Have a shell run the statements of an output as a script does; return its notices."""
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    script = "\n".join([f"{psql} -qXv ON_ERROR_STOP=1 -d '{uri}' <<'SQL'", *statements, "SQL"])
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=300, check=False
    )
    assert statements
    assert done.returncode == 0, f"{script}\n{done.stderr}"
    return done.stderr


@pytest.mark.parametrize("column", ["ward", "ward's", 'the "ward"', "$HOME `ward` \\ !1"])
def test_what_is_printed_is_pasted(
    db: Connection, database: Database, server_programs: Path, tmp_path: Path, column: str
) -> None:
    quoted = column.replace('"', '""')
    rows = [
        f"{20 + i * 7 % 50},{1 + i % 3},{['flu', 'gout', 'ulcer'][i * i % 7 % 3]}"
        for i in range(300)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([f'age,"{quoted}",diagnosis', *rows]) + "\n")
    uri, psql = database.uri(), server_programs / "psql"
    printed = succeeded(
        "load-csv", str(path), "--table", "public.people", "--yes", "--label", f'"{quoted}"',
        "--uri", uri,
    )  # fmt: skip
    assert "bins => " in printed
    paste(printed, psql, uri)
    paste(succeeded("explore", "people", "--uri", uri), psql, uri)
    assert one(db, "SELECT count(*) FROM bkpriv.releases") == 1


def test_no_document_puts_json_between_double_quotes_of_a_shell() -> None:
    for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        assert 'psql -c "SELECT bkpriv' not in path.read_text(), path
