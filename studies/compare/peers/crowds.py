"""crowds: OLA, the full-domain generalization of least loss, with records left out."""

from __future__ import annotations

from typing import Any

import pandas as pd
from crowds.kanonymity.generalizations import GenRule
from crowds.kanonymity.ola import anonymize

from .task import Answer, Reader, Side, Task, labelled

__all__ = ["make", "prepare", "read"]

_RECORD = "record of the table"


def prepare(task: Task) -> Any:
    """See `task`."""
    names = task.quasi_identifiers
    table = pd.DataFrame({column: task.columns[column] for column in names})
    table[_RECORD] = range(task.records)
    rules = {}
    for column in names:
        value, *levels = zip(*task.hierarchies[column], strict=True)
        # The last level is the package's own: nothing is shown.
        above = [dict(zip(value, level, strict=True)).get for level in levels[:-1]]
        rules[column] = GenRule(above)
    return table, rules, task.policy["k"], task.options["suppressed"]


def make(prepared: Any) -> Any:
    """See `task`."""
    table, rules, k, suppressed = prepared
    return anonymize(table, rules, k=k, max_sup=suppressed)


def read(task: Task, made: Any) -> Answer:
    """See `task`."""
    if made is None:
        return Answer([-1] * task.records)
    release, _ = made
    columns = [release[column] for column in task.quasi_identifiers]
    rows = dict(zip(map(int, release[_RECORD]), zip(*columns, strict=True), strict=True))
    sides = [_reader(task, column) for column in task.quasi_identifiers]
    return Answer.of_rows(task, rows, sides)


def _reader(task: Task, column: str) -> Reader:
    """Return what reads a column, of which nothing may be shown."""
    every, shown = sorted(set(task.columns[column])), labelled(task, column)
    return lambda item: Side(values=every) if pd.isna(item) else shown(item)
