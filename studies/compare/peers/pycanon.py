"""pyCANON, the judge: which k, l, t and beta groups have."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pycanon import anonymity

from .task import Answer, Task

__all__ = ["make", "prepare", "read"]


def prepare(task: Task) -> Any:
    """See `task`: the only quasi-identifier is the group."""
    return pd.DataFrame(task.columns), task.quasi_identifiers, [task.sensitive]


def make(prepared: Any) -> Any:
    """See `task`."""
    return [
        anonymity.k_anonymity(*prepared[:2]),
        anonymity.l_diversity(*prepared),
        anonymity.t_closeness(*prepared),
        anonymity.basic_beta_likeness(*prepared),
    ]


def read(task: Task, made: Any) -> Answer:
    """See `task`: k, l, t and beta."""
    return Answer(counts=[float(figure) for figure in made])
