"""The Debian package holds what an installation holds, and depends on the server that it is for."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import bkpriv_core
from tests.conftest import Connection
from tests.docs.documents import ROOT

pytestmark = pytest.mark.extended

VERSION = bkpriv_core.__version__


def run(*command: str | Path) -> str:
    """Run a program; return what it prints."""
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


@pytest.fixture(scope="module")
def major(server: Connection) -> int:
    return server.info.server_version // 10000


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The package of the server that the private one is a copy of."""
    pg_config = (ROOT / ".pg" / "pg_config").read_text().strip()
    known = shutil.which("dpkg") and not subprocess.call(
        ["dpkg", "-S", run(pg_config, "--bindir").strip() + "/postgres"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if not known:
        pytest.skip("the server is of no Debian package")
    made = tmp_path_factory.mktemp("package")
    yield Path(run("scripts/deb.sh", pg_config, made).strip())
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def unpacked(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    target = tmp_path_factory.mktemp("deb")
    run("dpkg", "-x", package, target)
    yield target
    shutil.rmtree(target)


def test_it_belongs_to_root_and_nobody_else_may_write_it(package: Path) -> None:
    listed = [line.split(maxsplit=5) for line in run("dpkg", "-c", package).splitlines()]
    assert {owner for _, owner, *_ in listed} == {"root/root"}
    assert {mode for mode, *_ in listed} <= {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"}


def test_it_holds_what_an_installation_holds(
    server: Connection, major: int, unpacked: Path
) -> None:
    """The private server was installed into otherwise: by other directories, not by DESTDIR."""
    rows = server.execute("SELECT name, setting FROM pg_config").fetchall()
    places: dict[str, str] = dict(rows)
    pairs = (
        (Path(places["PKGLIBDIR"]) / "bkpriv", f"usr/lib/postgresql/{major}/lib/bkpriv"),
        (Path(places["SHAREDIR"]) / "extension", f"usr/share/postgresql/{major}/extension"),
    )
    theirs = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    for installed, inside in pairs:
        ours = {
            Path(inside) / path.relative_to(installed): path
            for path in installed.rglob("*")
            if path.is_file() and (inside.endswith("bkpriv") or path.name.startswith("bkpriv"))
        }
        assert {path for path in theirs if path.is_relative_to(inside)} == set(ours)
        for path, ours_ in ours.items():
            if path.suffix not in {".pyc", ".sql"}:  # which hold the place they are for
                assert (unpacked / path).read_bytes() == ours_.read_bytes(), path
        theirs = {path for path in theirs if not path.is_relative_to(inside)}
    doc = Path(f"usr/share/doc/postgresql-{major}-bkpriv")
    assert theirs == {doc / "copyright", doc / "changelog.gz"}


def test_its_python_code_is_where_its_script_looks_for_it(major: int, unpacked: Path) -> None:
    script = f"usr/share/postgresql/{major}/extension/bkpriv--{VERSION}.sql"
    place = f"usr/lib/postgresql/{major}/lib/bkpriv/{VERSION}"
    # In the library directory of the server that runs, whichever that is.
    assert f"'/bkpriv/{VERSION}'" in (unpacked / script).read_text()
    assert f"/{place}" not in (unpacked / script).read_text()
    assert (unpacked / place / "bkpriv_pl" / "__init__.py").is_file()
    assert not [name for name in ("bkpriv_client", "studies") if (unpacked / place / name).exists()]


def test_it_depends_on_what_this_machine_has_for_the_server(package: Path, major: int) -> None:
    fields = dict(
        line.split(": ", 1)
        for line in run("dpkg-deb", "-f", package, "Package", "Version", "Depends").splitlines()
    )
    assert fields["Package"] == f"postgresql-{major}-bkpriv"
    assert fields["Version"] == VERSION
    needed = fields["Depends"].split(", ")
    assert {f"postgresql-{major}", f"postgresql-plpython3-{major}"} <= set(needed)
    assert any(name.startswith("libpython3.") for name in needed)
    for name in needed:
        assert "install ok installed" in run("dpkg-query", "-W", "-f", "${Status}", name)


def test_its_sums_are_those_of_its_files(package: Path, unpacked: Path) -> None:
    sums = unpacked.parent / "control"
    run("dpkg", "-e", package, sums)
    subprocess.run(["md5sum", "--quiet", "-c", sums / "md5sums"], cwd=unpacked, check=True)
    listed = {line.split("  ", 1)[1] for line in (sums / "md5sums").read_text().splitlines()}
    files = {path for path in unpacked.rglob("*") if path.is_file()}
    assert listed == {str(path.relative_to(unpacked)) for path in files}
