"""A synthetic hospital: admissions whose diagnosis depends on who the patient is.

The demo needs data in which background knowledge is worth something, as it is in real data, and
that may be shown to anyone. Records are drawn independently: age and sex, then district, then
occupation given sex, then the diagnosis given all of them.

Rules
-----
- The dependence is plausible, not calibrated: lungs of old men who worked in industry, pregnancies
  of women aged 15 to 50, backs of labourers, falls of the very old. No figure here is a statistic.
- What cannot be has probability zero: no pregnancy of a man, no prostate disease of a woman.
- The same seed gives the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from bkpriv_client.source import Column, Hierarchy, Source

__all__ = ["DIAGNOSES", "hospital"]

_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]
_Tree = Mapping[str, Collection[str]]

_YOUNGEST, _OLDEST = 15, 95

_REGIONS = {
    "North": ("Ironhill", "Coalbrook", "Highmoor"),
    "Coast": ("Seahaven", "Saltmarsh", "Eastport"),
    "Capital": ("Old Town", "Riverside", "University"),
    "South": ("Vineyard", "Millbrook", "Greenfield"),
}

# Occupation: shares among men and among women, in percent.
_OCCUPATIONS: dict[str, dict[str, tuple[float, float]]] = {
    "Industry": {"miner": (8, 0.5), "welder": (8, 1), "machinist": (12, 5), "builder": (14, 1)},
    "Services": {"driver": (13, 3), "cook": (6, 9), "cleaner": (4, 15), "shop assistant": (8, 20)},
    "Office": {"clerk": (9, 18), "accountant": (7, 8)},
    "Professions": {"teacher": (5, 11), "nurse": (2, 12), "engineer": (9, 3), "lawyer": (4, 3)},
}

_SYSTEMS = {
    "Respiratory": ("influenza", "asthma", "emphysema"),
    "Circulatory": ("heart attack", "stroke"),
    "Reproductive": ("pregnancy complication", "prostate disease"),
    "Infectious": ("hepatitis", "HIV"),
    "Injury": ("fracture", "back injury"),
    "Chronic": ("diabetes", "depression"),
}

DIAGNOSES = tuple(diagnosis for members in _SYSTEMS.values() for diagnosis in members)
"""The values of the sensitive attribute."""


def hospital(records: int, seed: int) -> Source:
    """Draw a table of admissions.

    Args:
        records: Number of records, at least 1.
        seed: Seed of the random numbers, not negative.

    Returns:
        Table ``hospital`` with quasi-identifiers age, sex, district and occupation, and the
        sensitive attribute diagnosis.
    """
    random = np.random.default_rng(seed)
    # Ages: a broad adult population and, over it, the old, who fill hospitals.
    old = random.random(records) < 0.45
    drawn = np.where(old, random.normal(70, 10, records), random.normal(38, 13, records))
    age = np.clip(np.rint(drawn), _YOUNGEST, _OLDEST).astype(np.int64)
    female = random.random(records) < 0.52

    districts = [district for members in _REGIONS.values() for district in members]
    sizes = np.linspace(1.6, 0.7, len(districts))
    district = _draw(random, np.tile(sizes, (records, 1)))

    occupations = [name for members in _OCCUPATIONS.values() for name in members]
    shares = np.array([share for members in _OCCUPATIONS.values() for share in members.values()])
    occupation = _draw(random, shares[:, female.astype(np.int64)].T)

    region = _branch(_REGIONS)[district]
    trade = _branch(_OCCUPATIONS)[occupation]
    diagnosis = _draw(random, _likelihood(age, female, region, trade))

    return Source(
        name="hospital",
        title="synthetic hospital admissions",
        columns={
            "age": Column("integer", age.tolist()),
            "sex": Column("text", _labels(["male", "female"], female.astype(np.int64))),
            "district": Column("text", _labels(districts, district)),
            "occupation": Column("text", _labels(occupations, occupation)),
            "diagnosis": Column("text", _labels(DIAGNOSES, diagnosis)),
        },
        quasi_identifiers=("age", "sex", "district", "occupation"),
        sensitive="diagnosis",
        hierarchies={
            "sex": [("male", "*"), ("female", "*")],
            "district": _paths(_REGIONS),
            "occupation": _paths(_OCCUPATIONS),
            "diagnosis": _paths(_SYSTEMS),
        },
        intervals={"age": (5, 10, 20, 40)},
    )


def _likelihood(
    age: npt.NDArray[np.int64],
    female: _Bools,
    region: npt.NDArray[np.str_],
    trade: npt.NDArray[np.str_],
) -> _Floats:
    """Relative frequency of each diagnosis for each record, shape (records, diagnoses)."""
    male = ~female
    industry = trade == "Industry"
    labour = industry | (trade == "Services")

    def peaks(at: float, width: float) -> _Floats:
        bell: _Floats = np.exp(-0.5 * ((age - at) / width) ** 2)
        return bell

    def rises(at: float, width: float) -> _Floats:
        logistic: _Floats = 1 / (1 + np.exp((at - age) / width))
        return logistic

    def times(condition: _Bools, factor: float, otherwise: float = 1.0) -> _Floats:
        return np.where(condition, factor, otherwise)

    fertile = female & (age >= 15) & (age <= 50)
    frequency = {
        "influenza": 0.7 + 0.8 * peaks(22, 8) + 0.6 * rises(72, 5),
        "asthma": 0.3 + 1.2 * (1 - rises(40, 8)) * times(region == "Capital", 1.8),
        "emphysema": 3.0 * rises(56, 4) * times(male, 1, 0.35) * times(industry, 4, 0.5)
        * times(region == "North", 1.8),
        "heart attack": 3.0 * rises(60, 6) * times(male, 1.3, 0.7),
        "stroke": 2.5 * rises(70, 6),
        "pregnancy complication": 6.0 * peaks(29, 6) * fertile,
        "prostate disease": 3.0 * rises(63, 5) * (male & (age >= 40)),
        "hepatitis": 0.4 * times(region == "Coast", 3) * times(trade == "Professions", 0.6),
        "HIV": 0.8 * peaks(33, 9) * times(male, 1.4, 0.6) * times(region == "Capital", 2),
        "fracture": 0.4 + 1.4 * peaks(20, 7) * times(male, 1.4, 0.6)
        + 2.5 * rises(80, 4) * times(female, 1.5),
        "back injury": 2.0 * peaks(45, 11) * times(labour, 1.6, 0.4),
        "diabetes": 0.2 + 1.6 * rises(52, 8) * times(trade == "Office", 1.5),
        "depression": 0.4 + 0.8 * peaks(42, 15) * times(female, 1.5),
    }  # fmt: skip
    return np.column_stack([frequency[diagnosis] for diagnosis in DIAGNOSES])


def _draw(random: np.random.Generator, weights: _Floats) -> npt.NDArray[np.int64]:
    """Draw one column per row of `weights`, shape (records, choices), in proportion to them."""
    steps = np.cumsum(weights, axis=1)
    ticket = random.random(len(weights)) * steps[:, -1]
    # A ticket lies in [0, total): it passes all steps before the drawn one, never the last.
    passed: npt.NDArray[np.int64] = (steps <= ticket[:, None]).sum(axis=1)
    return passed


def _branch(tree: _Tree) -> npt.NDArray[np.str_]:
    """Label above each leaf of a tree of two levels, in leaf order."""
    return np.array([branch for branch, leaves in tree.items() for _ in leaves])


def _paths(tree: _Tree) -> Hierarchy:
    """Hierarchy of a tree of two levels, leaf to root."""
    return [(leaf, branch, "*") for branch, leaves in tree.items() for leaf in leaves]


def _labels(names: list[str] | tuple[str, ...], codes: npt.NDArray[np.int64]) -> list[str]:
    """Turn codes into names."""
    labels: list[str] = np.array(names, dtype=object)[codes].tolist()
    return labels
