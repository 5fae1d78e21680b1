"""``make study STUDY=again``: its data against months published once more, and its pictures."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import declare_source
from bkpriv_client.loading import load_source
from bkpriv_client.source import Column
from studies.again.command import STUDY
from studies.again.design import QUICK
from tests.census_files import adult_files
from tests.conftest import Connection, Database
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]
BOUNDS = {
    "fewer than 5 records may be theirs",
    "the value is certain",
    "belief (B = 0.3) moves by more than 0.2",
}
POLICY = (
    '{"k_anonymity": {"k": 5}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.2, "smoothing": 0.75}]}'
)


@dataclass(frozen=True)
class Result:
    """A study that was made, and of what."""

    data: Path
    figures: Path


@pytest.fixture(scope="module")
def study(shared_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Result:
    data = adult_files(tmp_path_factory.mktemp("adult"), 700)
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    arguments = ("--uri", shared_database.uri(), "--adult", str(data), "--out", str(figures))
    succeeded("again", *arguments, "--quick")
    return Result(data, figures)


def test_every_figure_has_data_and_a_picture(study: Result) -> None:
    assert_complete(study.figures, FIGURES)


def test_every_month_of_every_way_is_measured(study: Result) -> None:
    months = [str(month) for month in range(1, QUICK.months + 1)]
    ways = ("naive", "grow", "certify")
    told = read_rows(study.figures / "exposed.csv")
    found = sorted((row["way"], row["bound"], row["month"]) for row in told)
    assert found == sorted(product(ways, BOUNDS, months))
    for row in told:
        assert float(row["share"]) == approx(int(row["exposed"]) / int(row["people"]))
    lost = read_rows(study.figures / "detail.csv")
    assert sorted((row["way"], row["month"]) for row in lost) == sorted(product(ways, months))


def test_by_itself_each_release_exposes_more_with_those_before(study: Result) -> None:
    for bound in BOUNDS:
        rows = read_rows(study.figures / "exposed.csv", way="naive", bound=bound)
        exposed = [int(row["exposed"]) for row in rows]
        assert exposed == sorted(exposed)
        assert exposed[-1] > exposed[0]


def test_what_grows_or_is_certified_shows_no_crowd_too_small(study: Result) -> None:
    (bound,) = (bound for bound in BOUNDS if "fewer" in bound)
    for way in ("grow", "certify"):
        rows = read_rows(study.figures / "exposed.csv", way=way, bound=bound)
        assert {row["exposed"] for row in rows} == {"0"}


@pytest.mark.parametrize("month", [1, 2])
def test_months_published_once_more(study: Result, db: Connection, month: int) -> None:
    source = read_adult(study.data)
    order = random.Random(QUICK.seed).sample(range(source.records), QUICK.people or 0)
    here = order[: len(order) * month // QUICK.months]
    columns = {
        name: Column(column.type, [column.values[place] for place in here])
        for name, column in source.columns.items()
    }
    load_source(db, "public", replace(source, columns=columns))
    for statement in declare_source(db, "adult", "public", source):
        db.execute(statement)
    db.execute("SELECT bkpriv.set_policy('any', %s)", [POLICY])
    db.execute("SELECT bkpriv.publish('adult', 'any', 'public.seen')")
    figures: dict[str, float] = dict(
        db.execute("SELECT metric, value FROM bkpriv.utility(1)").fetchall()
    )
    (row,) = read_rows(study.figures / "detail.csv", way="naive", month=str(month))
    assert int(row["people"]) == len(here)
    assert float(row["gcp"]) == approx(figures["gcp"])
    assert float(row["average_class_size"]) == approx(figures["average_class_size"])
