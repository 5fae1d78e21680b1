"""The model: which result comes first, and which comes next.

A patient belongs to one of 18 classes by age, gender and weight, in bands of ten. The first result
depends on the class alone. After that, a week makes a patient worse or better by one stage, ends
the stay, or changes nothing, with weights of

    worse        WEEK · past ·  frailty of the class
    better       WEEK · past ÷  frailty
    discharged   WEEK · past ÷  frailty
    deceased     WEEK · past ·  frailty
    no change    what WEEK leaves of 100

divided by their sum. `past` is a factor for what the last three results say.

Rules
-----
- The tables are plausible and ours, no figure is a statistic. Studies of these diseases say which
  way a course goes and what hastens it: chronic ones progress slowly, sepsis within days, age and
  sex matter, who is getting worse goes on doing so. Stages change faster here than in those
  studies, since who is examined weekly is under treatment and not a member of a cohort of years.
- Discharges are as many as renew a history of 24 weeks as the paper's was renewed: 16,160 people
  in 24 views of 5,000.
- Diseases do not turn into each other; who is discharged or deceased has no further result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "AGES",
    "CLASSES",
    "DECEASED",
    "DISCHARGED",
    "GENDERS",
    "MEMORY",
    "NONE",
    "RESULTS",
    "STAGES",
    "WEIGHTS",
    "class_of",
    "first_chances",
    "next_chances",
]

_Floats = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]

AGES, GENDERS, WEIGHTS = range(45, 75), range(1, 3), range(60, 90)
"""Attributes of patients: years, 1 (male) or 2 (female), kilograms."""

_BAND = 10
"""Years, or kilograms, of a class."""

MEMORY = 3
"""Past results that matter for the next."""

# Stages of each disease, from mild to grave; for each, in percent: how many begin with it, and what
# a week brings where frailty and past are 1: worse, better, discharged, deceased.
_COURSE: Mapping[str, Mapping[str, tuple[float, float, float, float, float]]] = {
    "liver": {
        "hepatitis": (35, 5, 0, 7, 0.1),
        "fibrosis": (30, 5, 3, 7, 0.2),
        "cirrhosis": (20, 5, 2, 5, 0.5),
        "decompensated cirrhosis": (10, 4, 4, 3, 3),
        "liver cancer": (5, 0, 1, 2, 5),
    },
    "HIV": {
        "acute HIV infection": (15, 12, 0, 6, 0.1),
        "latent HIV infection": (45, 3, 0, 8, 0.1),
        "symptomatic HIV infection": (25, 5, 6, 5, 0.5),
        "AIDS": (15, 0, 5, 3, 4),
    },
    "Alzheimer": {
        "mild Alzheimer": (50, 3, 0, 6, 0.2),
        "moderate Alzheimer": (35, 3, 1.5, 5, 0.5),
        "severe Alzheimer": (15, 0, 1, 4, 2),
    },
    "sepsis": {
        "systemic inflammation": (40, 15, 0, 25, 1),
        "sepsis": (30, 15, 30, 8, 4),
        "severe sepsis": (15, 15, 30, 1, 10),
        "septic shock": (10, 15, 30, 0, 20),
        "organ failure": (5, 0, 25, 0, 35),
    },
}

# Share of first results that are the last too, in percent.
_AT_ONCE = {"discharged": 4.0, "deceased": 1.0}

# Of the others, how many have each disease, in percent, and by which factor more or less in each
# band of age (45-54, 55-64, 65-74), gender (male, female) and band of weight (60-69, 70-79, 80-89).
_SHARE: Mapping[str, float] = {"liver": 30, "HIV": 20, "Alzheimer": 20, "sepsis": 30}
_RISK: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]] = {
    "liver": ((1.2, 1, 0.8), (1.3, 0.7), (0.7, 1, 1.4)),
    "HIV": ((1.8, 1, 0.4), (1.4, 0.6), (1.5, 1, 0.6)),
    "Alzheimer": ((0.3, 0.8, 2), (0.8, 1.2), (1.2, 1, 0.8)),
    "sepsis": ((0.8, 1, 1.2), (1.1, 0.9), (1.1, 1, 1.1)),
}

# Factor by which each further stage is commoner at the beginning, by band of age.
_LATE: Sequence[float] = (0.8, 1, 1.25)

# By which factor patients fare worse, and of which they fare better, in the same bands.
_FRAILTY: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]] = {
    "liver": ((0.8, 1, 1.3), (1.15, 0.85), (0.85, 1, 1.2)),
    "HIV": ((0.9, 1, 1.2), (1, 1), (1.3, 1, 0.85)),
    "Alzheimer": ((0.8, 1, 1.2), (0.9, 1.1), (1.1, 1, 0.95)),
    "sepsis": ((0.75, 1, 1.35), (1.1, 0.9), (1.15, 1, 1.1)),
}

# What the past says, and factors of worse, better, discharged, deceased.
_PAST: Mapping[str, tuple[float, float, float, float]] = {
    "nothing": (1, 1, 1, 1),  # one result so far, or two alike
    "settled": (0.5, 0.5, 1.5, 0.7),  # three alike
    "worsened": (2, 0.5, 0.5, 1.5),  # since the result before
    "relapsed": (3, 0.5, 0.25, 2),  # that is, after having improved
    "improved": (0.5, 2, 1.5, 0.5),  # since the result before
}

STAGES = tuple(stage for stages in _COURSE.values() for stage in stages)
"""Results after which there is a next, stages of one disease side by side."""

RESULTS = (*STAGES, *_AT_ONCE)
"""The values of the sensitive attribute; codes are places in this."""

DISCHARGED, DECEASED = RESULTS.index("discharged"), RESULTS.index("deceased")

NONE = -1
"""Code in place of a past result that there was not."""

_BANDS = (len(AGES) // _BAND, len(GENDERS), len(WEIGHTS) // _BAND)

CLASSES = _BANDS[0] * _BANDS[1] * _BANDS[2]
"""Number of classes of patients."""


def class_of(age: _Codes, gender: _Codes, weight: _Codes) -> _Codes:
    """Return the classes of patients, from 0."""
    age_band, weight_band = (age - AGES[0]) // _BAND, (weight - WEIGHTS[0]) // _BAND
    codes: _Codes = np.ravel_multi_index((age_band, gender - GENDERS[0], weight_band), _BANDS)
    return codes


def first_chances() -> _Floats:
    """Probability of each first result in each class, shape (classes, results)."""
    age_band = np.unravel_index(np.arange(CLASSES), _BANDS)[0]
    columns: list[_Floats] = []
    of_disease = {name: share * _product(_RISK[name]) for name, share in _SHARE.items()}
    total = np.sum(list(of_disease.values()), axis=0)
    for disease, stages in _COURSE.items():
        later = np.array(_LATE)[age_band][:, None] ** np.arange(len(stages))
        begun = later * [row[0] for row in stages.values()]
        share = of_disease[disease] / total
        columns.extend((begun * (share / begun.sum(axis=1))[:, None]).T)
    at_once = np.array(list(_AT_ONCE.values())) / 100
    stages_last = np.stack(columns, axis=1) * (1 - at_once.sum())
    return np.hstack([stages_last, np.tile(at_once, (CLASSES, 1))])


def next_chances(classes: _Codes, past: _Codes) -> _Floats:
    """Probability of each next result of patients.

    Args:
        past: Codes of their last results, newest first, `NONE` where they have had fewer. The
            newest is a stage.
    """
    return _CHANCES[_kind(past), classes, past[:, 0]]


def _kind(past: _Codes) -> _Codes:
    """Place of the row of `_PAST` that fits. Codes of one disease grow with its stages."""
    newest, before, earlier = past.T
    worsened, improved = newest > before, newest < before
    kinds: _Codes = np.select(
        [
            before == NONE,
            worsened & (earlier > before),
            worsened,
            improved,
            before == earlier,
        ],
        [_KINDS.index(kind) for kind in ("nothing", "relapsed", "worsened", "improved", "settled")],
        _KINDS.index("nothing"),
    )
    return kinds


def _product(factors: tuple[Sequence[float], Sequence[float], Sequence[float]]) -> _Floats:
    """Product of factors of age, gender and weight for each class, shape (classes,)."""
    age, gender, weight = (np.array(factor, float) for factor in factors)
    product: _Floats = (age[:, None, None] * gender[:, None] * weight).ravel()
    return product


def _all_chances() -> _Floats:
    """Probability of each next result, shape (kinds of past, classes, stages, results)."""
    chances = np.zeros((len(_PAST), CLASSES, len(STAGES), len(RESULTS)))
    pasts = np.array(list(_PAST.values()))[:, :, None]
    for disease, stages in _COURSE.items():
        frailty = _product(_FRAILTY[disease])
        towards = np.array([frailty, 1 / frailty, 1 / frailty, frailty])
        for stage, (_, *week) in stages.items():
            code = STAGES.index(stage)
            moves = np.array(week)[:, None] * towards * pasts
            places = (code + 1, code - 1, DISCHARGED, DECEASED)
            for move, place in enumerate(places):
                if week[move]:
                    chances[:, :, code, place] = moves[:, move]
            chances[:, :, code, code] = 100 - sum(week)
    shares: _Floats = chances / chances.sum(axis=-1, keepdims=True)
    return shares


_KINDS = tuple(_PAST)
_CHANCES = _all_chances()
