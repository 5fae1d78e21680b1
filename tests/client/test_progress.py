"""Progress of a statement, as seen from a second connection."""

from __future__ import annotations

from bkpriv_client.server import watched
from tests.conftest import Connection, Database


class Reports(list[tuple[float | None, str]]):
    """Reports of progress, kept."""

    def __call__(self, share: float | None, doing: str = "") -> None:
        """Keep one."""
        self.append((share, doing))


def test_what_a_running_statement_shows_is_reported(database: Database, db: Connection) -> None:
    reports = Reports()
    with watched(db, database.uri(), reports):
        for name in ("bkpriv publish: certifying 45%", "bkpriv publish: writing", "somebody else"):
            db.execute(
                "SELECT set_config('application_name', %s, false), pg_sleep(0.7)", [name]
            ).fetchall()
    assert list(dict.fromkeys(reports)) == [(0.45, "certifying"), (None, "writing")]


def test_work_goes_on_without_a_watcher(db: Connection, tmp_path: object) -> None:
    reports = Reports()
    with watched(db, f"host={tmp_path} user=nobody", reports):
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert reports == []
