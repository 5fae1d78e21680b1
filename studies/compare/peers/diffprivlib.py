"""diffprivlib: answers to questions with noise, each with an equal part of the budget."""

from __future__ import annotations

from typing import Any

import pandas as pd
from diffprivlib.tools import count_nonzero

from .task import Answer, Task

__all__ = ["make", "prepare", "read"]


def prepare(task: Task) -> Any:
    """See `task`."""
    share = task.policy["epsilon"] / len(task.questions)
    return pd.DataFrame(task.columns), task.questions, share, task.options["seed"]


def make(prepared: Any) -> Any:
    """See `task`."""
    table, questions, epsilon, seed = prepared
    counts = []
    for number, question in enumerate(questions):
        met = pd.Series(True, index=table.index)
        for column, values in question.items():
            met &= table[column].isin(values)
        counts.append(count_nonzero(met, epsilon=epsilon, random_state=seed + number))
    return counts


def read(task: Task, made: Any) -> Answer:
    """See `task`."""
    return Answer(counts=[float(count) for count in made])
