"""Four untidy files, from file to report, by seven commands of which none fails.

Each command prints what the next one is told, as a person copies it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.client.command import succeeded
from tests.client.open_files import blocks, choices, receipts, survey
from tests.conftest import Connection, Database

_NAMES = "age,school,his_school,children,faith,works,occupation,living,media,method"


@dataclass(frozen=True)
class Walk:
    """File, options that a first look at it suggests, and what is to come of it."""

    name: str
    content: bytes
    options: tuple[str, ...]
    said: tuple[str, ...]
    types: dict[str, str]
    quasi_identifiers: list[str]
    sensitive: list[str]
    respondent: str | None
    binned: set[str]


WALKS = [
    Walk(
        "survey.csv",
        survey(200),
        (),
        (
            "taken as missing: '.' (",
            "may stand for a missing value, but stays a number: '777' (",
            "else say --null SMD650=777,999",
        ),
        {"SEQN": "integer", "INDFMPIR": "numeric", "WTMEC2YR": "numeric", "DIQ010": "integer"},
        ["RIDAGEYR", "RIAGENDR", "RIDRETH3", "DMDEDUC2", "INDFMPIR", "SMD650", "BMXBMI"],
        ["DIQ010"],
        None,
        {"RIAGENDR", "RIDRETH3", "DMDEDUC2", "DIQ010"},
    ),
    Walk(
        "choices.data",
        choices(150),
        ("--columns", _NAMES),
        ("no names, 150 records.",),
        dict.fromkeys(_NAMES.split(","), "integer"),
        ["age", "school", "his_school", "children", "faith", "works", "occupation", "living"],
        ["method"],
        None,
        {"occupation", "method"},
    ),
    Walk(
        "houses.csv",
        blocks(120),
        (),
        ("whole, without their .0",),
        {"longitude": "numeric", "housing_median_age": "integer", "median_house_value": "integer"},
        ["longitude", "latitude", "housing_median_age", "ocean_proximity"],
        ["median_income"],
        None,
        {"median_income"},
    ),
    Walk(
        "receipts.csv",
        receipts(100),
        ("--encoding", "cp1252"),
        ("cp1252 text", "decimal comma, blanks between thousands; without their sign €"),
        {"Date": "date", "Montant": "numeric", "Année de naissance": "integer", "Rayon": "text"},
        ["Date", "Magasin", "Année de naissance", "Sexe", "Rayon"],
        ["Montant"],
        "N° client",
        {"Montant"},
    ),
]


_EXTENDED = ("choices.data", "houses.csv")
"""Files that take no part in ``make test``, for each begins five sessions of the server."""


@pytest.mark.parametrize(
    "walk",
    [
        pytest.param(
            walk, id=walk.name, marks=[pytest.mark.extended] if walk.name in _EXTENDED else []
        )
        for walk in WALKS
    ],
)
def test_a_file_becomes_a_report(
    walk: Walk, shared_database: Database, shared_db: Connection, tmp_path: Path
) -> None:
    path, page = tmp_path / walk.name, tmp_path / "report.html"
    path.write_bytes(walk.content)
    uri = ("--uri", shared_database.uri())
    # 1 and 2 made the database and the extension.
    loaded = succeeded("load-csv", str(path), *uri, *walk.options)  # 3
    told = " ".join(loaded.split())
    for part in walk.said:
        assert part in told
    table = path.stem
    found = shared_db.execute(
        "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0",
        [table],
    ).fetchall()
    assert walk.types.items() <= dict(found).items()
    _run(shared_db, loaded)  # 4
    declared = shared_db.execute(
        "SELECT quasi_identifiers, sensitive, respondent, bins FROM bkpriv.dataset WHERE name = %s",
        [table],
    ).fetchone()
    assert declared is not None
    assert set(walk.quasi_identifiers) <= set(declared[0])
    assert (declared[1], declared[2]) == (walk.sensitive, walk.respondent)
    assert walk.binned <= declared[3].keys()
    picture = tmp_path / "explore.png"
    explored = succeeded("explore", table, *uri, "--plot", str(picture))  # 5
    assert "is recommended" in explored
    assert picture.stat().st_size > 10_000
    release = _run(shared_db, explored)  # 6
    succeeded("report", str(release), *uri, "--out", str(page))  # 7
    assert "Every bound of the policy is satisfied" in page.read_text(encoding="utf-8")


def _run(db: Connection, printed: str) -> Any:
    """Run the statements that a command printed, as one command of psql does."""
    statements = re.findall(r"^(SELECT bkpriv\..*;)$", printed, re.MULTILINE)
    assert statements
    last: Any = None
    for statement in statements:
        (last,) = db.execute(statement.encode()).fetchone() or (None,)
    return last
