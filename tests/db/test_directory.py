"""The directory of the packages is that of the server that runs, as after ``pg_upgrade``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pwd import getpwnam

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one

JS = "SELECT bkpriv.js_divergence('{0.5, 0.5}', '{1, 0}')"
LOADED = "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'packages'"


class Moved:
    """A server whose programs and libraries are copied, and its data, which stay where they are."""

    def __init__(self, server: Connection, directory: Path) -> None:
        self.directory = directory
        self.places = {
            name: Path(setting)
            for name, setting in server.execute("SELECT name, setting FROM pg_config").fetchall()
            if name in ("BINDIR", "PKGLIBDIR", "SHAREDIR")
        }
        owner = Path(one(server, "SHOW data_directory")).owner()
        self._become = []
        if os.geteuid() == 0:
            shutil.chown(directory, owner)
            group = str(getpwnam(owner).pw_gid)
            self._become = ["setpriv", f"--reuid={owner}", f"--regid={group}", "--clear-groups"]

    def inside(self, name: str, place: str) -> Path:
        """One of the server's directories, in the copy of that name."""
        common = os.path.commonpath(self.places.values())
        return self.directory / name / self.places[place].relative_to(common)

    def copy(self, name: str) -> None:
        """Copy the server as it is installed, but for what it has of bkpriv's packages."""
        for place in ("PKGLIBDIR", "SHAREDIR"):
            leave_out = shutil.ignore_patterns("bkpriv", "bitcode")
            shutil.copytree(self.places[place], self.inside(name, place), ignore=leave_out)
        self.inside(name, "BINDIR").mkdir(parents=True)
        for program in ("postgres", "initdb", "pg_ctl"):
            shutil.copy(self.places["BINDIR"] / program, self.inside(name, "BINDIR"))

    def run(self, name: str, program: str, *arguments: str) -> None:
        """Run a program of a copy as who owns the data."""
        command = [*self._become, str(self.inside(name, "BINDIR") / program), *arguments]
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        subprocess.run(
            command,
            cwd="/",
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    @contextmanager
    def serving(self, name: str) -> Iterator[Connection]:
        """Have a copy serve the data."""
        data, log = str(self.directory / "data"), str(self.directory / "log")
        options = f"-c unix_socket_directories={self.directory} -c listen_addresses='' -c fsync=off"
        self.run(name, "pg_ctl", "start", "-D", data, "-l", log, "-s", "-w", "-o", options)
        try:
            uri = f"host={self.directory} user=postgres dbname=postgres"
            with psycopg.connect(uri, autocommit=True) as connection:
                yield connection
        finally:
            self.run(name, "pg_ctl", "stop", "-D", data, "-s", "-m", "immediate")


@pytest.fixture
def moved(server: Connection) -> Iterator[Moved]:
    """Files of the server, for copies of it."""
    # The server's user need not be able to enter the directories of the tests.
    directory = Path(tempfile.mkdtemp(prefix="moved.", dir="/var/tmp"))
    directory.chmod(0o755)
    try:
        yield Moved(server, directory)
    finally:
        shutil.rmtree(directory)


def test_packages_are_those_of_the_server_that_runs(moved: Moved) -> None:
    moved.copy("old")
    data = str(moved.directory / "data")
    moved.run("old", "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
              "--locale=C.UTF-8", "--no-sync", "--no-instructions")  # fmt: skip
    installed = moved.places["PKGLIBDIR"] / "bkpriv"
    packages = moved.inside("old", "PKGLIBDIR") / "bkpriv"
    packages.symlink_to(installed)
    with moved.serving("old") as session:
        session.execute("CREATE EXTENSION bkpriv CASCADE")
        assert one(session, LOADED).startswith(f"loaded from {packages}/")
        session.execute("CHECKPOINT")
    (moved.directory / "old").rename(moved.directory / "new")
    packages = moved.inside("new", "PKGLIBDIR") / "bkpriv"
    with moved.serving("new") as session:
        assert one(session, LOADED).startswith(f"loaded from {packages}/")
    packages.unlink()
    with moved.serving("new") as session:
        for _ in range(2):
            with pytest.raises(psycopg.errors.UndefinedFile, match="not installed") as caught:
                session.execute(JS.encode())
            assert f"{packages}/" in (caught.value.diag.message_detail or "")
            told = caught.value.diag.message_hint or ""
            assert f"{moved.inside('new', 'BINDIR')}/pg_config" in told
        packages.symlink_to(installed)
        assert one(session, JS) > 0
