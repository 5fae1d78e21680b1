"""umbra-k: Mondrian, with k-anonymity; columns are not scaled before they are compared."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from umbra_k import MondrianAnonymizer

from .task import Answer, Side, Task

__all__ = ["make", "prepare", "read"]

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?")


def prepare(task: Task) -> Any:
    """See `task`."""
    table = pd.DataFrame({column: task.columns[column] for column in task.quasi_identifiers})
    return MondrianAnonymizer(k=task.policy["k"], quasi_id=task.quasi_identifiers), table


def make(prepared: Any) -> Any:
    """See `task`."""
    anonymizer, table = prepared
    return anonymizer.fit_transform(table)


def read(task: Task, made: Any) -> Answer:
    """See `task`."""
    columns = [made[column] for column in task.quasi_identifiers]
    rows = dict(enumerate(zip(*columns, strict=True)))
    sides = [_range if task.numeric(column) else _set for column in task.quasi_identifiers]
    return Answer.of_rows(task, rows, sides)


def _range(item: str) -> Side:
    """Read a range, whose numbers may be negative."""
    found = _RANGE.fullmatch(item)
    if found is None:
        raise ValueError(f"no range: {item!r}")
    return Side(low=float(found[1]), high=float(found[2] or found[1]))


def _set(item: str) -> Side:
    """Read a set of labels, which hold no comma in any table here."""
    return Side(values=item.split(","))
