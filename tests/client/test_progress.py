"""Progress of a statement, as seen from a second connection."""

from __future__ import annotations

from bkpriv_client.server import watched
from tests.conftest import Connection, Database
from tests.db.clinic import one
from tests.db.waiting import until

LOOKED = (
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bkpriv' AND query_start > %s"
)
"""Sessions of the client that have looked again since a point in time."""


class Reports(list[tuple[float | None, str]]):
    """Reports of progress, kept."""

    def __call__(self, share: float | None, doing: str = "") -> None:
        """Keep one."""
        self.append((share, doing))


def test_what_a_running_statement_shows_is_reported(database: Database, db: Connection) -> None:
    reports = Reports()
    shown = [(0.45, "certifying"), (None, "writing")]
    with watched(db, database.uri(), reports):
        db.execute("SET application_name = 'bkpriv publish: certifying 45%'")
        until(lambda: shown[0] in reports)
        db.execute("SET application_name = 'somebody else'")
        since = one(db, "SELECT clock_timestamp()")
        until(lambda: one(db, LOOKED, [since]))
        db.execute("SET application_name = 'bkpriv publish: writing'")
        until(lambda: shown[1] in reports)
    assert list(dict.fromkeys(reports)) == shown


def test_work_goes_on_without_a_watcher(db: Connection, tmp_path: object) -> None:
    reports = Reports()
    with watched(db, f"host={tmp_path} user=nobody", reports):
        assert db.execute("SELECT 1").fetchone() == (1,)
    assert reports == []
