"""``make study STUDY=riboni2012``: its data against what was published and inferred once more."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import prod
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from bkpriv_client.declaration import declare_source
from bkpriv_client.loading import load_source
from studies.clinic.knowledge import first_beliefs, transitions
from studies.clinic.register import draw_register
from studies.riboni2012.command import STUDY
from studies.riboni2012.design import DEFENCES, QUICK, SNAPSHOTS
from tests.conftest import Connection, Database
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_again, assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]
WEEKS = range(1, QUICK.weeks + 1)

Belief = dict[str, float]
Known = dict[tuple[str, ...], Belief]


@dataclass(frozen=True)
class Patient:
    """A record of a week."""

    number: int
    place: tuple[int, ...]
    result: str


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


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_gain_and_confidence_by_plain_inference(study: Path, db: Connection, steps: int) -> None:
    """ℓ-diverse views, read as an adversary reads them who reasons about each patient by itself."""
    source = draw_register(QUICK.patients, QUICK.weeks, QUICK.seed)
    load_source(db, "public", source)
    for statement in declare_source(db, "clinic", "public", source):
        db.execute(statement)
    (defence,) = (defence for defence in SNAPSHOTS if defence.name == "ℓ-diversity")
    db.execute("SELECT bkpriv.set_policy('diverse', %s)", [Jsonb(defence.requirements)])
    known: Known = defaultdict(dict)
    for chance in transitions(steps, QUICK.weeks):
        known[chance.history][chance.next] = chance.probability
    first: dict[tuple[int, ...], Belief] = defaultdict(dict)
    for one in first_beliefs():
        first[one.age, one.gender, one.weight][one.result] = one.probability
    register = defaultdict(list)
    for number, week, *place, result in source.rows():
        register[week].append(Patient(number, tuple(place), result))
    past: dict[int, list[Belief]] = defaultdict(list)
    for week in WEEKS:
        db.execute(
            "SELECT bkpriv.publish('clinic', 'diverse', 'public.seen', 'mondrian', %s, %s)",
            [str(week), Jsonb(defence.options)],
        )
        boxes = db.execute(
            "SELECT lower(age), upper(age), lower(gender), upper(gender), lower(weight),"
            " upper(weight), array_agg(result) FROM seen GROUP BY age, gender, weight"
        ).fetchall()
        gains, confidences = [], []
        for *ends, results in boxes:
            group = [
                patient
                for patient in register[week]
                if all(
                    low <= at < high
                    for at, low, high in zip(patient.place, ends[::2], ends[1::2], strict=True)
                )
            ]
            assert Counter(patient.result for patient in group) == Counter(results)
            counts: Counter[str] = Counter(results)
            before = [
                revised(past[patient.number], known, steps, first[patient.place])
                for patient in group
            ]
            for patient, belief in zip(group, before, strict=True):
                weights = {
                    result: count
                    * belief.get(result, 0)
                    / sum(other.get(result, 0) for other in before)
                    for result, count in counts.items()
                }
                after = {result: w / sum(weights.values()) for result, w in weights.items()}
                past[patient.number].append(after)
                share = counts[patient.result] / len(group)
                confidences.append(after[patient.result])
                gains.append((after[patient.result] - share) / (1 - share) if share < 1 else 0)
        (row,) = read_rows(
            study / "figure_4.csv",
            defence=defence.name,
            adversary=f"{steps}-step DK",
            estimator="omega",
            week=str(week),
        )
        assert len(gains) == QUICK.patients
        assert float(row["gain"]) == approx(sum(gains) / len(gains))
        assert float(row["confidence"]) == approx(sum(confidences) / len(confidences))
        assert float(row["worst"]) == approx(max(confidences))


def revised(past: list[Belief], known: Known, steps: int, first: Belief) -> Belief:
    """Expected belief about a patient, from every sequence of results that may have been."""
    belief: Belief = defaultdict(float)
    for sequence in itertools.product(*(then.items() for then in past[-steps:])):
        history = tuple(result for result, _ in sequence)
        weight = prod(chance for _, chance in sequence)
        seen = (known[history[start:]] for start in range(len(history)) if history[start:] in known)
        for result, chance in next(seen, first).items():
            belief[result] += weight * chance
    return {result: chance + 1e-9 * first.get(result, 0) for result, chance in belief.items()}


def test_some_figures_again(study: Path, shared_database: Database, tmp_path: Path) -> None:
    call = ("riboni2012", "--uri", shared_database.uri(), "--quick")
    assert_again(study, tmp_path, ["figure_7"], *call)
