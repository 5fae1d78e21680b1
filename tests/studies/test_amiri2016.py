"""``make study STUDY=amiri2016``: its data against records and pairs gone through one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

import pytest

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.release.release import Release
from studies.amiri2016.command import STUDY
from studies.amiri2016.design import KINDS, QUICK, SWEPT, Kind
from studies.amiri2016.trial import Trial, read_table
from tests.census_files import adult_files
from tests.conftest import Database
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_again, assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]
METHODS = [kind.name for kind in KINDS]

Rows = list[dict[str, str]]
Belief = list[float]


@dataclass(frozen=True)
class Study:
    """A study that was run, and its data."""

    data: Path
    figures: Path

    def rows(self, name: str, **settings: str) -> Rows:
        """Rows of a figure's data that have some settings."""
        return read_rows(self.figures / f"{name}.csv", **settings)

    @cached_property
    def trial(self) -> Trial:
        """Trial that makes the same releases once more."""
        return Trial(read_table(self.data, QUICK), QUICK)


@pytest.fixture(scope="module")
def study(shared_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Study:
    data = adult_files(tmp_path_factory.mktemp("adult"), 1500, most=250)
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    succeeded(
        "amiri2016",
        "--adult",
        str(data),
        "--uri",
        shared_database.uri(),
        "--out",
        str(figures),
        "--quick",
    )
    return Study(data, figures)


def test_every_figure_has_data_and_a_picture(study: Study) -> None:
    assert_complete(study.figures, FIGURES)


# --- Adult, record by record ----------------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    """A published record: its sensitive value, and what was believed of it."""

    value: int
    prior: Belief


def classes_of(release: Release) -> list[list[Member]]:
    """The records of each class."""
    threat = ThreatModel(release.parts)
    prior = threat.prior(QUICK.bandwidth).tolist()
    counts = release.parts.counts.tolist()
    return [
        [
            Member(value, prior[part])
            for part in members
            for value, times in enumerate(counts[part])
            for _ in range(times)
        ]
        for members in (group.tolist() for group in release.groups)
    ]


def entropy(belief: Belief) -> float:
    return -sum(share * math.log2(share) for share in belief if share > 0)


def divergence(beliefs: list[Belief]) -> float:
    """Jensen-Shannon divergence of beliefs of equal weight."""
    mean = [sum(column) / len(beliefs) for column in zip(*beliefs, strict=True)]
    return entropy(mean) - sum(map(entropy, beliefs)) / len(beliefs)


def shares(values: list[int], size: int) -> Belief:
    counts = Counter(values)
    return [counts[value] / len(values) for value in range(size)]


def gains_of(members: list[Member]) -> list[float]:
    """Gain of an adversary about each record of a class, by omega."""
    counts = Counter(member.value for member in members)
    gains = []
    for member in members:
        weights = {
            value: count * member.prior[value] / sum(other.prior[value] for other in members)
            for value, count in counts.items()
            if member.prior[value]
        }
        believed = weights.get(member.value, 0.0) / sum(weights.values())
        share = counts[member.value] / len(members)
        gains.append((believed - share) / (1 - share) if share < 1 else 0.0)
    return gains


@pytest.mark.parametrize("kind", KINDS, ids=METHODS)
def test_figures_of_a_release_by_records(study: Study, kind: Kind) -> None:
    (row,) = study.rows("methods", method=kind.name, draw="0")
    release = study.trial.make(kind, QUICK.centre)
    classes = classes_of(release)
    sizes = [len(members) for members in classes]
    assert int(row["classes"]) == len(sizes)
    told = [float(row[name]) for name in ("smallest", "median", "largest")]
    assert told == [min(sizes), median(sizes), max(sizes)]
    table = release.table
    whole = [count / table.records for count in table.counts.sum(axis=0).tolist()]
    grown = [
        max((after - before) / before for before, after in zip(whole, inside, strict=True))
        for inside in (
            shares([member.value for member in members], len(whole)) for members in classes
        )
    ]
    assert float(row["beta_reached"]) == approx(max(grown))
    assert float(row["beta_reached"]) <= QUICK.centre.beta * (1 + 1e-5)
    mean = sum(size * most for size, most in zip(sizes, grown, strict=True)) / sum(sizes)
    assert float(row["beta_mean"]) == approx(mean)
    assert min(sizes) >= QUICK.centre.k
    diverging = max(divergence([member.prior for member in members]) for members in classes)
    assert float(row["js_reached"]) == pytest.approx(diverging, rel=1e-5, abs=1e-6)
    if kind.alike:
        assert diverging <= QUICK.centre.j + 1e-9
    if "pair_divergence" in kind.alike:
        for members in classes:
            distinct = {tuple(member.prior) for member in members}
            for pair in itertools.combinations(distinct, 2):
                assert divergence([list(belief) for belief in pair]) <= QUICK.centre.j + 1e-9
    gains = [gain for members in classes for gain in gains_of(members)]
    assert float(row["gain"]) == pytest.approx(sum(gains) / len(gains), rel=1e-5, abs=1e-7)
    assert float(row["suppressed_share"]) == approx(1 - len(gains) / table.records)
    if len(gains) == table.records:
        assert row["rgcp"] == row["gcp"]


def test_curves_go_through_the_centre(study: Study) -> None:
    centre = {"k": "5", "beta": "4", "j": "0.2"}
    for name, measures in (
        ("cost", {"GCP": "gcp", "RGCP": "rgcp", "share": "suppressed_share"}),
        ("privacy", {"gain": "gain", "how": "disclosure", "β": "beta_mean"}),
    ):
        for axis, kind in itertools.product(("k", "beta", "j"), SWEPT):
            (row,) = study.rows("methods", method=kind.name, draw="0")
            told = study.rows(f"{name}_by_{axis}", method=kind.name, **centre)
            assert len(told) == len(measures)
            for one in told:
                assert one["figure"] == row[measures[one["measure"].split()[0]]]


def test_who_does_not_regard_beliefs_is_the_same_for_all_j(study: Study) -> None:
    for kind in SWEPT:
        figures = {
            tuple(row["figure"] for row in study.rows("cost_by_j", method=kind.name, j=f"{j:g}"))
            for j in QUICK.js
        }
        assert len(figures) == (len(QUICK.js) if kind.alike else 1)


# --- the clinic -----------------------------------------------------------------------------------


def test_every_week_of_the_clinic_is_measured(study: Study) -> None:
    for name in ("clinic_cost", "clinic_privacy"):
        rows = study.rows(name)
        assert [row["method"] for row in rows] == [
            method for method in METHODS for _ in range(QUICK.weeks * 3)
        ]
        assert {row["week"] for row in rows} == {str(week + 1) for week in range(QUICK.weeks)}
    for row in study.rows("clinic_privacy", measure="β reached, on average"):
        assert 0 < float(row["figure"]) <= QUICK.centre.beta * (1 + 1e-5)
    for week, method in itertools.product(("1", "2"), METHODS):
        gcp, rgcp, left_out = (
            float(row["figure"]) for row in study.rows("clinic_cost", week=week, method=method)
        )
        assert 0 < gcp <= 1
        assert 0 < rgcp <= 1
        if not left_out:
            assert rgcp == gcp


def test_a_figure_again(study: Study, shared_database: Database, tmp_path: Path) -> None:
    call = ("amiri2016", "--adult", study.data, "--uri", shared_database.uri(), "--quick")
    assert_again(study.figures, tmp_path, ["clinic_privacy", "cost_by_k"], *call)
