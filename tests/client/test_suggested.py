"""Hierarchies that ``bkpriv load-csv`` proposes: bands in order, codes by characters, else none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.command import succeeded
from tests.conftest import Connection, Database

pytestmark = pytest.mark.pooled

AGES = ["0-4", "5-9", "10-14", "15-19", *(f"{low}-{low + 9}" for low in range(20, 110, 10))]
OPEN = ["under 5", *AGES[1:10], "80-89", "90+"]
INCOMES = ["under $10,000", *(f"${n}0,000-{n}9,999" for n in range(1, 10)), "$100,000 or more"]
DAYS = [f"{day:02}-{month}-20" for day in range(1, 25) for month in ("JAN", "FEB", "MAR")]
ICD = [f"{letter}{n:02}.{place}" for letter in "AEIJ" for n in range(12) for place in range(3)]
POSTCODES = [f"{region}{n:03}" for region in ("01", "04", "24", "80") for n in range(0, 300, 9)]


def _load(directory: Path, uri: str, values: Sequence[str]) -> list[str]:
    """Load 800 records of a column `area`, and return the statements that are printed."""
    draw = random.Random(3)
    shares = [1 + 8 * (place % 5) for place in range(len(values))]
    rows = (
        f'"{draw.choices(values, shares)[0]}",{draw.choice("mf")},{draw.choice(["flu", "gout"])}\n'
        for _ in range(800)
    )
    path = directory / "visit.csv"
    path.write_text(f"area,sex,illness\n{''.join(rows)}")
    output = succeeded(
        "load-csv", str(path), "--table", "public.visit", "--quasi-identifiers", "area,sex",
        "--sensitive", "illness", "--yes", "--uri", uri,
    )  # fmt: skip
    return [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]


@pytest.mark.parametrize(
    ("values", "function"),
    [
        (AGES, "list"),
        (OPEN, "list"),
        (INCOMES, "list"),
        ([f"d{n}" for n in range(7)], None),
        (DAYS, None),
        (ICD, "prefix"),
        (POSTCODES, "prefix"),
    ],
    ids=["ages", "open", "incomes", "districts", "days", "icd", "postcodes"],
)
def test_only_what_has_structure_has_a_hierarchy_and_it_is_the_servers(
    tmp_path: Path, database: Database, db: Connection, values: list[str], function: str | None
) -> None:
    register, *hierarchies = _load(tmp_path, database.uri(), values)
    assert db.execute("SELECT FROM bkpriv.dataset").fetchall() == []  # What was tried is gone.
    db.execute(register.encode())
    if function is None:
        assert hierarchies == []
        return
    best = db.execute("SELECT statement FROM bkpriv.suggest_hierarchy('visit', 'area')").fetchone()
    assert best == tuple(hierarchies)
    assert f"bkpriv.set_{function}_hierarchy('visit', 'area'" in hierarchies[0]


def test_bands_that_share_a_group_are_neighbours(
    tmp_path: Path, database: Database, db: Connection
) -> None:
    for statement in _load(tmp_path, database.uri(), AGES):
        db.execute(statement.encode())
    db.execute("""SELECT bkpriv.set_policy('many', '{"k_anonymity": {"k": 40}}')""")
    db.execute("SELECT bkpriv.publish('visit', 'many', 'public.shown')")
    shown = {area for (area,) in db.execute("SELECT DISTINCT area FROM public.shown")}
    ends = [(int(low), int(high)) for low, high in (area.split("-") for area in shown - {"*"})]
    starts = {int(area.split("-")[0]) for area in AGES}
    assert shown - {*AGES} - {"*"}
    for low, high in ends:
        assert low in starts
        assert high + 1 in {*starts, 110}
