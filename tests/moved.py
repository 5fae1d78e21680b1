"""Servers of a test's own: copies of the programs and libraries of the server that is tested."""

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

from tests.conftest import Connection
from tests.db.clinic import one

__all__ = ["Moved", "moved_server"]


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

    def copy(self, name: str, *without: str) -> None:
        """Copy the server as it is installed, but for bkpriv's packages and files of such names."""
        for place in ("PKGLIBDIR", "SHAREDIR"):
            leave_out = shutil.ignore_patterns("bkpriv", "bitcode", *without)
            shutil.copytree(self.places[place], self.inside(name, place), ignore=leave_out)
        self.inside(name, "BINDIR").mkdir(parents=True)
        for program in ("postgres", "initdb", "pg_ctl"):
            shutil.copy(self.places["BINDIR"] / program, self.inside(name, "BINDIR"))

    def make_cluster(self, name: str) -> Path:
        """Make the data by a copy, and return their directory."""
        data = self.directory / "data"
        self.run(name, "initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8",
                 "--locale=C.UTF-8", "--no-sync", "--no-instructions")  # fmt: skip
        return data

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


@contextmanager
def moved_server(server: Connection) -> Iterator[Moved]:
    """Files of the server, for copies of it, in a directory that is removed again."""
    # The server's user need not be able to enter the directories of the tests.
    directory = Path(tempfile.mkdtemp(prefix="moved.", dir="/var/tmp"))
    directory.chmod(0o755)
    try:
        yield Moved(server, directory)
    finally:
        shutil.rmtree(directory)
