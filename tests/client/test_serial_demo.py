"""``bkpriv demo --serial``: twelve months, three ways, and what is learnt from each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database

pytestmark = pytest.mark.extended

PATIENTS = 300


def test_twelve_months(database: Database, db: Connection) -> None:
    arguments = ("demo", "--serial", "--uri", database.uri(), "--records", str(PATIENTS))
    told = succeeded(*arguments)
    line = re.search(r"Gain in the last month +([\d.]+) +([\d.]+) +([\d.]+)", told)
    assert line, told
    usual, js_reduce, skyline = map(float, line.groups())
    assert usual > js_reduce > skyline
    assert usual > 0.5 > 0.2 > skyline
    bars = re.findall(r"2024-(\d\d) +█* ?([\d.]+) +█* ?([\d.]+) +█* ?([\d.]+)", told)
    assert [month for month, *_ in bars] == [f"{month:02}" for month in range(1, 13)]
    assert [float(gain) for gain in bars[-1][1:]] == [usual, js_reduce, skyline]

    counts = db.execute(
        "SELECT dataset, count(*), min(period), max(period), sum(records) FROM bkpriv.releases"
        " GROUP BY dataset ORDER BY dataset"
    ).fetchall()
    assert counts == [
        (f"demo_clinic_{history}", 12, "2024-01", "2024-12", 12 * PATIENTS)
        for history in ("js_reduce", "skyline", "usual")
    ]
    gains = db.execute(
        "SELECT gain FROM bkpriv.sequential_audit('demo_clinic_usual', 'course', 'auto')"
        " ORDER BY period"
    ).fetchall()
    assert [float(f"{gain:.2f}") for (gain,) in gains] == [float(gain) for _, gain, *_ in bars]
    assert "-0.00" not in told

    *_, suggestions = told.partition("Go on from here")
    statements = [line for line in suggestions.splitlines() if line.startswith("  SELECT")]
    assert len(statements) == 3
    for statement in statements:
        assert db.execute(statement.encode()).fetchall()


def test_it_may_be_told_again(database: Database, db: Connection) -> None:
    for _ in range(2):
        succeeded("demo", "--serial", "--uri", database.uri(), "--records", "150")
    statuses = db.execute(
        "SELECT status, count(*) FROM bkpriv.releases GROUP BY status ORDER BY status"
    ).fetchall()
    assert statuses == [("published", 36), ("withdrawn", 36)]
    # Nobody is remembered from the first time.
    remembered = db.execute(
        "SELECT max(remembered) FROM bkpriv.sequential_audit('demo_clinic_usual', 'course') "
        "WHERE status = 'published' AND period = '2024-01'"
    ).fetchone()
    assert remembered == (0,)


def test_the_adult_data_are_of_one_month(database: Database, tmp_path: Path) -> None:
    said = failed(
        "demo", "--serial", "--uri", database.uri(), "--adult", str(tmp_path / "adult.csv")
    )
    assert "no second month" in said
