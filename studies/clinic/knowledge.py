"""Exact knowledge by the model: an adversary's, as tables that the extension reads.

Transitions of order n are what a corpus of endlessly many registers would yield: the chance of the
next result among all who have a history, over the weeks of a register. A history of n results
stands for all who had these last; a shorter one, for those who have had no others. Of order
`MEMORY` they are all that can be said without knowing who a patient is. The model also depends on
the class, which such a table has no place for: each chance is the average over the classes, as they
occur among those who have the history. Who knows the class too knows more.

Beliefs before any history are the first results of a class.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.clinic.course import (
    AGES,
    CLASSES,
    DISCHARGED,
    GENDERS,
    MEMORY,
    NONE,
    RESULTS,
    WEIGHTS,
    class_of,
    first_chances,
    next_chances,
)

__all__ = ["Belief", "Transition", "first_beliefs", "transitions"]

_Floats = npt.NDArray[np.float64]
_History = tuple[int, ...]


@dataclass(frozen=True)
class Transition:
    """Chance of a next result."""

    history: tuple[str, ...]
    """Past results, oldest first."""
    next: str
    probability: float
    """Positive; those of one history sum to one."""


@dataclass(frozen=True)
class Belief:
    """Chance of a first result of patients of an age, a gender and a weight."""

    age: int
    gender: int
    weight: int
    result: str
    probability: float


def transitions(order: int, weeks: int) -> list[Transition]:
    """List transitions of an order, of 1 to `MEMORY` past results, in a register of so many weeks.

    Every history that can occur is there, and every next result that can follow it.
    """
    followers: dict[_History, _Floats] = defaultdict(lambda: np.zeros(len(RESULTS)))
    for history, chances in _followed(weeks):
        followers[history[-order:]] += chances
    return [
        Transition(tuple(RESULTS[code] for code in history), RESULTS[code], float(share))
        for history, expected in sorted(followers.items())
        for code, share in enumerate(expected / expected.sum())
        if share > 0
    ]


def first_beliefs() -> Iterator[Belief]:
    """Iterate over the chances of first results, for every age, gender, weight and result."""
    age, gender, weight = np.array(list(itertools.product(AGES, GENDERS, WEIGHTS))).T
    chances = first_chances()[class_of(age, gender, weight)]
    for person, row in zip(itertools.product(AGES, GENDERS, WEIGHTS), chances, strict=True):
        for result, probability in zip(RESULTS, row.tolist(), strict=True):
            yield Belief(*person, result, probability)


def _followed(weeks: int) -> Iterator[tuple[_History, _Floats]]:
    """Iterate over weeks and histories: the expected number with each next result.

    Of those who are present in a week, in shares of all. Histories are cut to `MEMORY` results,
    oldest first; the same one comes once a week.
    """
    everyone = np.arange(CLASSES)
    newcomers = first_chances() / CLASSES
    present: dict[_History, _Floats] = {}
    left = 1.0
    for _ in range(weeks - 1):
        # Shares of each class: who was here before, and the newcomers in place of who left.
        for code in range(len(RESULTS)):
            present[code,] = left * newcomers[:, code]
        following: dict[_History, _Floats] = defaultdict(lambda: np.zeros(CLASSES))
        for history, shares in present.items():
            if history[-1] >= DISCHARGED:
                continue
            past = np.full((CLASSES, MEMORY), NONE)
            past[:, : len(history)] = history[::-1]
            expected = shares[:, None] * next_chances(everyone, past)
            yield history, expected.sum(axis=0)
            for code in np.flatnonzero(expected.sum(axis=0)).tolist():
                following[(*history, code)[-MEMORY:]] += expected[:, code]
        left = 1 - sum(float(shares.sum()) for shares in following.values())
        present = dict(following)
