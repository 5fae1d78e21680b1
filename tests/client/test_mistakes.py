"""Mistakes at the command line: the error names the fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.command import run
from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic

pytestmark = pytest.mark.pooled

FILES: dict[str, str | bytes] = {
    "people.csv": "age,dx\n20,flu\n30,gout\n",
    "latin.csv": "age,dx\n20,Grippe\n30,Fußpilz\n".encode("latin-1"),
    "people.sav": b"$FL2@(#) SPSS DATA FILE" + bytes(range(256)),
    "typo.toml": "[polcy.careful]\nk_anonymity = { k = 5 }\n",
    "broken.toml": "[policy.careful\n",
    "lost.toml": '[publish."public.v"]\ndataset = "patient"\npolicy = "plain"\n',
}

MISTAKES = {
    "publish people": (2, "SELECT bkpriv.publish('people', 'careful', 'public.shown');"),
    "audit 1": (2, "SELECT * FROM bkpriv.audit(1);"),
    "explor patients": (2, "'explore'"),
    "explore patient": (1, 'Perhaps you meant "patients"'),
    "report 99 --out r.html": (1, "See the view bkpriv.releases"),
    "inspect clinic.patients": (1, "Give its schema, too"),
    "export public.show --out d": (1, "Write it as in SQL"),
    "apply typo.toml": (1, 'Perhaps you meant "policy"'),
    "apply broken.toml": (1, "at line 1"),
    "apply lost.toml": (1, 'Perhaps you meant "patients"'),
    "load-csv latin.csv": (1, "--encoding cp1252"),
    "load-csv people.sav": (1, "Save it as CSV in SPSS"),
    "load-csv people.csv --table public.taken --yes": (1, "--replace"),
    "nobody: explore patients": (1, "SELECT bkpriv.grant_publisher("),
    "nowhere: explore patients": (1, "--uri postgresql://USER@HOST/DATABASE"),
}
"""Commands, the code with which each exits, and words that its error must have."""


def test_as_many_are_tried_as_are_asked_for() -> None:
    assert len(MISTAKES) == 15


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_its_fix(
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: str,
) -> None:
    create_clinic(db)
    declare_clinic(db)
    db.execute("CREATE TABLE public.taken ()")
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)
    where, _, command = mistake.rpartition(": ")
    uri = {"": database.uri(), "nowhere": f"postgresql:///x?host={tmp_path}"}
    monkeypatch.setenv("BKPRIV_URI", uri.get(where) or database.uri(make_role("nobody")))
    expected, words = MISTAKES[mistake]
    code, _, errors = run(*command.split())
    said = " ".join(errors.replace("│", " ").split())
    assert code == expected, said
    assert words in said, said
