"""AnonyPyx: Mondrian, with k-anonymity, distinct l-diversity or t-closeness.

Its t-closeness bounds the largest difference of a value's share, which is weaker than the earth
mover's distance; that it has for tables without numbers only.
"""

from __future__ import annotations

from typing import Any

import anonypyx
import pandas as pd

from .task import Answer, Task

__all__ = ["make", "prepare", "read"]


def prepare(task: Task) -> Any:
    """See `task`."""
    table = pd.DataFrame(task.columns)
    for column in task.columns:
        if not task.numeric(column):
            table[column] = table[column].astype("category")
    return anonypyx.Anonymiser(
        table,
        sensitive_column=task.sensitive,
        feature_columns=task.quasi_identifiers,
        k=task.policy["k"],
        l=task.policy.get("l"),
        t=task.policy.get("t"),
    )


def make(prepared: Any) -> Any:
    """See `task`: what ``anonymise`` does, which does not say who is in which group."""
    partitions = prepared.algorithm.partition(prepared.parameters)
    form = prepared.generalisation_strategy_type
    form = form.create_for_data(prepared.df, prepared.quasi_identifiers)
    form.generalise(prepared.df, partitions)
    return partitions


def read(task: Task, made: Any) -> Answer:
    """See `task`."""
    return Answer.of_groups(task, [list(map(int, partition)) for partition in made])
