"""The synthetic hospital: reproducible, possible, and worth knowing something about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.hospital import DIAGNOSES, hospital
from bkpriv_client.source import Source

Patient = dict[str, Any]


@pytest.fixture(scope="module")
def source() -> Source:
    return hospital(20_000, seed=1)


@pytest.fixture(scope="module")
def patients(source: Source) -> list[Patient]:
    return [dict(zip(source.columns, row, strict=True)) for row in source.rows()]


def share(
    patients: list[Patient], diagnosis: str, among: Callable[[Patient], bool] = lambda patient: True
) -> float:
    """Share of a diagnosis among some patients."""
    diagnoses = Counter(patient["diagnosis"] for patient in patients if among(patient))
    return diagnoses[diagnosis] / diagnoses.total()


@given(records=st.integers(1, 200), seed=st.integers(0, 2**32))
def test_any_size_and_seed_give_a_table_that_its_hierarchies_cover(records: int, seed: int) -> None:
    drawn = hospital(records, seed)
    assert drawn.records == records
    assert {len(column.values) for column in drawn.columns.values()} == {records}
    assert set(drawn.columns) == {*drawn.quasi_identifiers, drawn.sensitive}
    for attribute, hierarchy in drawn.hierarchies.items():
        leaves = {path[0] for path in hierarchy}
        assert leaves >= set(drawn.columns[attribute].values)
        assert {path[-1] for path in hierarchy} == {"*"}


def test_the_seed_decides(source: Source) -> None:
    again = hospital(20_000, seed=1)
    assert list(again.rows()) == list(source.rows())
    other = hospital(20_000, seed=2)
    assert list(other.rows()) != list(source.rows())


def test_every_diagnosis_occurs(patients: list[Patient]) -> None:
    assert {patient["diagnosis"] for patient in patients} == set(DIAGNOSES)


def test_what_cannot_be_is_not(patients: list[Patient]) -> None:
    for patient in patients:
        if patient["diagnosis"] == "pregnancy complication":
            assert patient["sex"] == "female"
            assert 15 <= patient["age"] <= 50
        if patient["diagnosis"] == "prostate disease":
            assert patient["sex"] == "male"
            assert patient["age"] >= 40


@pytest.mark.parametrize(
    ("diagnosis", "among", "factor"),
    [
        (
            "emphysema",
            lambda patient: (
                patient["sex"] == "male"
                and patient["age"] > 60
                and patient["occupation"] in ("miner", "welder", "machinist", "builder")
            ),
            5,
        ),
        ("back injury", lambda patient: patient["occupation"] == "builder", 1.2),
        ("fracture", lambda patient: patient["age"] > 85, 1.5),
        (
            "pregnancy complication",
            lambda patient: patient["sex"] == "female" and 25 <= patient["age"] <= 33,
            5,
        ),
    ],
)
def test_the_diagnosis_depends_on_who_one_is(
    patients: list[Patient], diagnosis: str, among: Callable[[Patient], bool], factor: float
) -> None:
    assert share(patients, diagnosis, among) > factor * share(patients, diagnosis)
