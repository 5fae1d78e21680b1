"""Project Lighthouse Anonymize: its Core Mondrian, with k-anonymity, by hierarchies."""

from __future__ import annotations

import logging
from typing import Any

import pandas as pd
from project_lighthouse_anonymize.gtrees import GTree
from project_lighthouse_anonymize.wrappers.k_anonymize import k_anonymize

from .task import Answer, Task, labelled

__all__ = ["make", "prepare", "read"]

_RECORD = "record of the table"


def prepare(task: Task) -> Any:
    """See `task`."""
    table = pd.DataFrame({column: task.columns[column] for column in task.quasi_identifiers})
    for column in task.quasi_identifiers:
        table[column] = table[column].astype("float64" if task.numeric(column) else "object")
    table[_RECORD] = range(task.records)
    trees = {
        column: _tree(task.hierarchies[column])
        for column in task.quasi_identifiers
        if not task.numeric(column) and column in task.hierarchies
    }
    return table, list(task.quasi_identifiers), task.policy["k"], trees


def _tree(rows: list[list[str]]) -> GTree:
    """Hierarchy in the package's form; a node that repeats its only child is left out."""
    tree = GTree()
    nodes: dict[tuple[str, ...], Any] = {(): tree.create_node("*")}
    for row in rows:
        path = tuple(reversed(row[:-1]))
        for depth in range(1, len(path) + 1):
            if path[:depth] not in nodes:
                parent = nodes[path[: depth - 1]]
                nodes[path[:depth]] = tree.create_node(path[depth - 1], parent=parent)
    tree.add_default_geometric_sizes()
    return tree


def make(prepared: Any) -> Any:
    """See `task`; in one process, as all others."""
    table, columns, k, trees = prepared
    logger = logging.getLogger("lighthouse")
    return k_anonymize(logger, table, columns, k, trees, _RECORD, parallelism=None)


def read(task: Task, made: Any) -> Answer:
    """See `task`: of numbers means are published, which stand for the range of their records."""
    release, _, _ = made
    columns = [release[column] for column in task.quasi_identifiers]
    rows = dict(zip(map(int, release[_RECORD]), zip(*columns, strict=True), strict=True))
    sides = [
        None if task.numeric(column) else labelled(task, column)
        for column in task.quasi_identifiers
    ]
    return Answer.of_rows(task, rows, sides)
