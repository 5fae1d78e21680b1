"""ANJANA: each column generalized alike, one level after the other, and records left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from anjana.anonymity import basic_beta_likeness, k_anonymity, l_diversity, t_closeness

from .task import Answer, Task, labelled

__all__ = ["make", "prepare", "read"]

_PUBLISH = {
    "l": (l_diversity, "l_div"),
    "t": (t_closeness, "t"),
    "beta": (basic_beta_likeness, "beta"),
}
"""Function for a bound beside k, and what it calls the bound."""


def prepare(task: Task) -> Any:
    """See `task`."""
    table = pd.DataFrame(task.columns)
    hierarchies = {
        column: {
            level: np.array(labels, dtype=object)
            for level, labels in enumerate(zip(*task.hierarchies[column], strict=True))
        }
        for column in task.quasi_identifiers
    }
    stated = {
        "data": table,
        "ident": [],
        "quasi_ident": list(task.quasi_identifiers),
        "k": task.policy["k"],
        "supp_level": task.options["suppressed"],
        "hierarchies": hierarchies,
    }
    function: Any = k_anonymity
    for bound, (publish, name) in _PUBLISH.items():
        if bound in task.policy:
            function = publish
            stated |= {"sens_att": task.sensitive, name: task.policy[bound]}
    return function, stated


def make(prepared: Any) -> Any:
    """See `task`."""
    function, stated = prepared
    return function(**stated)


def read(task: Task, made: Any) -> Answer:
    """See `task`."""
    if not len(made):
        return Answer([-1] * task.records)
    # A table from which records were left out has their former numbers in a column.
    numbers = made.get("index", made.index)
    columns = [made[column] for column in task.quasi_identifiers]
    rows = dict(zip(map(int, numbers), zip(*columns, strict=True), strict=True))
    sides = [labelled(task, column) for column in task.quasi_identifiers]
    return Answer.of_rows(task, rows, sides)
