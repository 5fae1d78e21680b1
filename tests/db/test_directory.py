"""The directory of the packages is that of the server that runs, as after ``pg_upgrade``."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one
from tests.moved import Moved, moved_server

JS = "SELECT bkpriv.js_divergence('{0.5, 0.5}', '{1, 0}')"
LOADED = "SELECT detail FROM bkpriv.doctor() WHERE check_name = 'packages'"


@pytest.fixture
def moved(server: Connection) -> Iterator[Moved]:
    """Files of the server, for copies of it."""
    with moved_server(server) as moved:
        yield moved


def test_packages_are_those_of_the_server_that_runs(moved: Moved) -> None:
    moved.copy("old")
    moved.make_cluster("old")
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
