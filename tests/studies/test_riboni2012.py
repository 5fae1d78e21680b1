"""``make study STUDY=riboni2012``: its data against what was published and inferred once more."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from studies.riboni2012.command import STUDY
from studies.riboni2012.design import DEFENCES, QUICK, SNAPSHOTS
from tests.conftest import Database
from tests.figure_files import read_rows
from tests.studies.command import assert_again, assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]
WEEKS = range(1, QUICK.weeks + 1)


@pytest.fixture(scope="module")
def study(shared_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figures of the quick study."""
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    arguments = ("--uri", shared_database.uri(), "--out", str(figures), "--quick")
    succeeded("riboni2012", *arguments)
    return figures


def test_every_figure_has_data_and_a_picture(study: Path) -> None:
    assert_complete(study, FIGURES)


def test_every_week_of_every_history_is_measured(study: Path) -> None:
    for name in ("figure_3", "figure_4", "figure_5", "figure_6", "figure_7"):
        weeks: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for row in read_rows(study / f"{name}.csv"):
            weeks[row["defence"], row["adversary"], row["estimator"]].append(int(row["week"]))
        assert all(found == list(WEEKS) for found in weeks.values())
    assert {row["defence"] for row in read_rows(study / "figure_6.csv")} == {
        defence.name for defence in DEFENCES
    }


def test_nothing_is_gained_from_one_release_by_who_knows_no_sequences(study: Path) -> None:
    for row in read_rows(study / "figure_4.csv"):
        if row["week"] == "1" or row["adversary"] == "none":
            assert abs(float(row["gain"])) < 0.05


def test_who_remembers_gains_from_snapshot_defences(study: Path) -> None:
    last = str(QUICK.weeks)
    for defence in SNAPSHOTS:
        (row,) = read_rows(
            study / "figure_3.csv",
            defence=defence.name,
            adversary="3-step DK",
            estimator="omega",
            week=last,
        )
        assert float(row["gain"]) > 0.05


def test_some_figures_again(study: Path, shared_database: Database, tmp_path: Path) -> None:
    call = ("riboni2012", "--uri", shared_database.uri(), "--quick")
    assert_again(study, tmp_path, ["figure_7"], *call)
