"""The wheel is the client: it runs where nothing of the server is, and speaks to one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bkpriv_core
from tests.conftest import Database
from tests.docs.documents import ROOT

pytestmark = pytest.mark.extended


def run(*command: str | Path, status: int = 0) -> str:
    """Run a program away from the checkout, and see how it ends; return what it prints."""
    done = subprocess.run(
        command, cwd="/", text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Programs of an environment that holds the wheel and what it asks for."""
    made = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "venv", "--without-pip", made / "venv")
    locked = (ROOT / "requirements" / "client.lock").read_text()
    pins = re.findall(r"^[\w.\[\]-]+==[^\\\n]+", locked, re.MULTILINE)
    (made / "constraints.txt").write_text("\n".join(pins))
    wheel = run(ROOT / "scripts" / "wheel.sh", made / "wheel").strip()
    programs = made / "venv" / "bin"
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    run(
        *pip,
        "install",
        "-qq",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
        "--no-compile",
        "-c",
        made / "constraints.txt",
        f"{wheel}[cli]",
    )
    run(*pip, "check")
    yield programs
    shutil.rmtree(made)


def test_it_says_what_it_can_do(programs: Path) -> None:
    said = run(programs / "bkpriv", "--help")
    assert "load-csv" in said
    assert run(programs / "bkpriv", "--version").strip() == bkpriv_core.__version__


@pytest.mark.parametrize("name", ["bkpriv_pl", "studies", "bench"])
def test_it_has_nothing_of_the_server_and_no_studies(programs: Path, name: str) -> None:
    assert f"No module named '{name}'" in run(
        programs / "python", "-I", "-c", f"import {name}", status=1
    )


def test_it_speaks_to_a_server(programs: Path, database: Database, tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("age,diagnosis\n31,flu\n34,ulcer\n")
    uri = database.uri()
    assert "register_dataset" in run(
        programs / "bkpriv", "load-csv", table, "--table", "public.patient", "--uri", uri
    )
    row = database.connect().execute("SELECT count(*) FROM public.patient").fetchone()
    assert row == (2,)
