"""A hospital's file from CSV to report and export, by the commands of docs/tutorial/hospital.md.

The page is a session of a shell: a fence marked ``sh`` is run, in order, and a fence marked
``text`` right after it is what it prints, but for times.
"""

from __future__ import annotations

import csv
import html
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread
from psycopg.conninfo import conninfo_to_dict

from scripts.shoot import outline
from tests.conftest import Connection, Database

pytestmark = pytest.mark.extended

_DIRECTORY = Path(__file__).resolve().parents[2] / "docs" / "tutorial"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIME = re.compile(r"\d+\.\d s\b")

KEPT = 2
LEAST = 5
TOLD = ("diagnosis", "treatment", "ward", "nights", "cost")

Row = dict[str, str]


@dataclass(frozen=True)
class Walk:
    """Outcome of the page's commands: their directory, and the output of each block."""

    directory: Path
    printed: list[str]


@pytest.fixture(scope="module")
def walk(
    shared_database: Database, server_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Walk:
    directory = tmp_path_factory.mktemp("hospital")
    parts = conninfo_to_dict(shared_database.uri())
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}
    environment = {
        **os.environ,
        **{variable: str(parts[name]) for name, variable in names.items() if name in parts},
        "PATH": f"{Path(sys.executable).parent}:{server_programs}:{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    printed = []
    for code in _blocks():
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", code],
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}"
        assert "ERROR" not in done.stdout, f"{code}\n{done.stdout}"
        printed.append(done.stdout)
    return Walk(directory, printed)


def _page() -> list[tuple[str, str]]:
    text = (_DIRECTORY / "hospital.md").read_text(encoding="utf-8")
    return _FENCE.findall(text)


def _blocks() -> list[str]:
    return [code for kind, code in _page() if kind == "sh"]


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def kept(walk: Walk) -> dict[str, list[Row]]:
    """Latest visits of each patient of the file, told from the file alone."""
    visits: dict[str, list[Row]] = defaultdict(list)
    for row in _read(walk.directory / "visits.csv"):
        visits[row["patient"]].append(row)
    return {
        patient: sorted(rows, key=lambda row: row["seen"])[-KEPT:]
        for patient, rows in visits.items()
    }


@pytest.fixture(scope="module")
def shown(walk: Walk) -> list[Row]:
    return _read(walk.directory / "csv" / "visit_shown.csv")


def test_the_commands_print_what_the_page_shows(walk: Walk) -> None:
    printed = iter(walk.printed)
    latest = ""
    for (kind, code), (following, text) in pairwise([*_page(), ("", "")]):
        if kind == "sh":
            latest = next(printed)
            if following == "text":
                assert _trimmed(latest) == _trimmed(text), code


def _trimmed(text: str) -> list[str]:
    return [_TIME.sub("? s", line).rstrip() for line in text.strip("\n").splitlines()]


def test_the_file_is_a_hospitals(walk: Walk, kept: dict[str, list[Row]]) -> None:
    rows = _read(walk.directory / "visits.csv")
    assert len(rows[0]) == 12
    assert len(rows) == 4014
    assert len(kept) == 2000
    assert max(Counter(row["patient"] for row in rows).values()) == 3


def test_every_visit_that_is_kept_is_in_the_export(
    kept: dict[str, list[Row]], shown: list[Row]
) -> None:
    def told(rows: list[Row]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(row[name] for name in TOLD) for row in rows)

    assert told(shown) == told([row for rows in kept.values() for row in rows])
    names = ("age_from", "age_to", "sex", "postcode", "insurance", *TOLD)
    assert tuple(shown[0]) == names


def test_everybody_is_among_enough_people(
    walk: Walk, kept: dict[str, list[Row]], shown: list[Row]
) -> None:
    """Each place of the export fits many patients, and everybody's visits are in one that fits."""
    labels = {
        row["postcode"]: {*row.values(), "*"}
        for row in _read(walk.directory / "hierarchy_postcode.csv")
    }
    places: dict[tuple[str, ...], Counter[tuple[str, ...]]] = defaultdict(Counter)
    for row in shown:
        place = tuple(row[name] for name in ("age_from", "age_to", "sex", "postcode", "insurance"))
        places[place][tuple(row[name] for name in TOLD)] += 1

    def fits(person: Row, place: tuple[str, ...]) -> bool:
        low, high, sex, postcode, insurance = place
        return (
            int(low) <= int(person["age"]) <= int(high)
            and sex in (person["sex"], "*")
            and postcode in labels[person["postcode"]]
            and insurance in (person["insurance"], "*")
        )

    among: Counter[tuple[str, ...]] = Counter()
    for rows in kept.values():
        own = Counter(tuple(row[name] for name in TOLD) for row in rows)
        fitting = [place for place in places if fits(rows[0], place)]
        among.update(fitting)
        assert any(own <= places[place] for place in fitting)
    assert len(among) == len(places)
    assert min(among.values()) >= LEAST
    exact = [place for place in places if place[0] == place[1] and "*" not in place]
    assert len(exact) < len(places) / 2


def test_parquet_is_the_same(walk: Walk, shown: list[Row]) -> None:
    table: list[dict[str, Any]] = pq.read_table(
        walk.directory / "parquet" / "visit_shown.parquet"
    ).to_pylist()
    assert Counter(tuple(map(str, row.values())) for row in table) == Counter(
        tuple(row.values()) for row in shown
    )


def test_reports_have_the_figures_of_the_audit(walk: Walk, shared_db: Connection) -> None:
    rows = shared_db.execute(
        "SELECT worst, threshold, vulnerable FROM bkpriv.audit(1) WHERE threshold IS NOT NULL"
    ).fetchall()
    assert len(rows) == 11
    assert all(vulnerable == 0 for *_, vulnerable in rows)
    for name in ("officer", "outsiders"):
        page = html.unescape((walk.directory / f"{name}.html").read_text(encoding="utf-8"))
        table = page[page.index(">Worst cases</caption>") :]
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", table[: table.index("</table>")])
        for worst, threshold, _ in rows:
            assert f"{worst:.3g}" in cells
            assert f"at least {threshold:g}" in cells or f"at most {threshold:g}" in cells
        assert ("hospital.visit" in page) is (name == "officer")
        assert "5001" not in page


def test_the_picture_of_the_report_shows_what_the_report_says(walk: Walk) -> None:
    said = outline((walk.directory / "officer.html").read_text(encoding="utf-8"))
    pictured = (_DIRECTORY / "hospital" / "officer.txt").read_text(encoding="utf-8")
    assert said == pictured, (
        "take the picture anew: run the page's commands, then "
        "python -m scripts.shoot officer.html docs/tutorial/hospital/officer.png"
    )


def test_the_picture_is_that_of_the_page(walk: Walk) -> None:
    drawn = imread(walk.directory / "explore.png")
    page = imread(_DIRECTORY / "hospital" / "explore.png")
    assert drawn.shape == page.shape
    assert (drawn == page).mean() > 0.99
