"""The clinic's register: one row for each patient and week.

Rules
-----
- Every week has the same number of patients. Who is discharged or deceased has had the last result;
  as many newcomers are there the week after. Nobody misses a week.
- Ages, genders and weights of newcomers are uniform and do not change.
- The same seed gives the same register, whose first weeks do not depend on how many follow.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bkpriv_client.source import Column, Source
from studies.clinic.course import (
    AGES,
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

__all__ = ["draw_register"]

_Floats = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]


def draw_register(patients: int, weeks: int, seed: int, name: str = "clinic") -> Source:
    """Draw a register.

    Args:
        patients: Number of patients in a week, at least 1.
        weeks: Number of weeks, at least 1.
        seed: Seed of the random numbers, not negative.

    Returns:
        Table with columns patient, week (both from 1), age, gender, weight and result; by week,
        patients in order of admission.
    """
    random = np.random.default_rng(seed)
    patient, age, gender, weight, past = _admit(random, patients, 1)
    parts = [np.stack([patient, np.full(patients, 1), age, gender, weight, past[:, 0]])]
    for week in range(2, weeks + 1):
        stays = past[:, 0] < DISCHARGED
        chances = next_chances(class_of(age[stays], gender[stays], weight[stays]), past[stays])
        result = _draw(random, chances)
        kept = (patient[stays], age[stays], gender[stays], weight[stays])
        older = np.column_stack([result, past[stays, : MEMORY - 1]])
        new = _admit(random, patients - len(result), int(patient[-1]) + 1)
        patient, age, gender, weight, past = (
            np.concatenate(pair) for pair in zip((*kept, older), new, strict=True)
        )
        parts.append(np.stack([patient, np.full(patients, week), age, gender, weight, past[:, 0]]))
    *numbers, result = np.hstack(parts)
    names = ("patient", "week", "age", "gender", "weight")
    columns = {
        column: Column("integer", values.tolist())
        for column, values in zip(names, numbers, strict=True)
    }
    labels: list[str] = np.array(RESULTS, dtype=object)[result].tolist()
    return Source(
        name=name,
        title="weekly examinations of a synthetic clinic",
        columns={**columns, "result": Column("text", labels)},
        quasi_identifiers=("age", "gender", "weight"),
        sensitive="result",
        serial=("patient", "week"),
    )


def _admit(
    random: np.random.Generator, count: int, number: int
) -> tuple[_Codes, _Codes, _Codes, _Codes, _Codes]:
    """Draw newcomers: numbers from one on, age, gender, weight, and a past of one result."""
    age, gender, weight = (
        random.integers(values.start, values.stop, count) for values in (AGES, GENDERS, WEIGHTS)
    )
    past = np.full((count, MEMORY), NONE)
    past[:, 0] = _draw(random, first_chances()[class_of(age, gender, weight)])
    return np.arange(number, number + count), age, gender, weight, past


def _draw(random: np.random.Generator, chances: _Floats) -> _Codes:
    """Draw one column per row, shape (records, results), whose rows sum to one."""
    steps = np.cumsum(chances, axis=1)
    ticket = random.random(len(chances)) * steps[:, -1]
    # A ticket lies in [0, total): it passes all steps before the drawn one, never the last.
    passed: _Codes = (steps <= ticket[:, None]).sum(axis=1)
    return passed
