"""Times and days that no type is made of: what they look like is said, and the SQL reads them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from tests.client.command import succeeded
from tests.conftest import Connection, Database

DAY = datetime.date

COLUMNS = {
    "seen": ("times of day", ["08:15", "23:59:30", "7:05"], 8),
    "month": ("months as YYYY-MM", ["2020-01", "2019-12", "2021-07"], DAY(2020, 1, 1)),
    "billed": ("months as MM/YYYY", ["01/2020", "12/2019", "7/2021"], DAY(2020, 1, 1)),
    "named": ("months by name", ["Jan 2020", "DEC 2019", "July 2021"], DAY(2020, 1, 1)),
    "sas": ("days as DDMONYYYY", ["01JAN2020", "31DEC2019", "02jul2021"], DAY(2020, 1, 1)),
    "birth_date": ("perhaps Excel's day numbers", ["43831", "43830", "44379"], DAY(2020, 1, 1)),
}

TEXT = "\n".join(
    [
        ",".join([*COLUMNS, "disease"]),
        *(
            ",".join([*(values[i % 3] for _, values, _ in COLUMNS.values()), f"flu{i % 2}"])
            for i in range(60)
        ),
    ]
)


@pytest.fixture
def uri(database: Database, db: Connection, tmp_path: Path) -> str:
    (tmp_path / "visits.csv").write_text(TEXT)
    return database.uri()


def test_a_file_and_a_table_are_told_alike(uri: str, db: Connection, tmp_path: Path) -> None:
    path = str(tmp_path / "visits.csv")
    loaded = " ".join(succeeded("load-csv", path, "--table", "public.visits", "--uri", uri).split())
    lines = succeeded("inspect", "public.visits", "--uri", uri).splitlines()
    inspected = " ".join(" ".join(lines).split())
    for column, (noun, _, first) in COLUMNS.items():
        start = f"{column}: {noun}; in a view, read by "
        assert noun in loaded
        assert start in inspected
        read = inspected.partition(start)[2].partition(". ")[0]
        query = f"SELECT {read} FROM public.visits LIMIT 1"
        assert db.execute(query.encode()).fetchone() == (first,)


def test_other_texts_and_numbers_are_not_taken_for_days(
    uri: str, db: Connection, tmp_path: Path
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(
        "ratio,ward,zip,visit_date,disease\n"
        + "".join(f"{i}:7{i % 9},Mar {i},{43000 + i},{i},flu{i % 2}\n" for i in range(10, 70))
    )
    for output in (
        succeeded("load-csv", str(path), "--table", "public.visits", "--uri", uri),
        succeeded("inspect", "public.visits", "--uri", uri),
    ):
        assert "ratio" in output
        assert "times of day" not in output
        assert "day numbers" not in output
