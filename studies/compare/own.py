"""bkpriv, as its core publishes: a tool like the others, in a process of its own.

Counting the records of cells, which SQL does in a server, is measured, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bkpriv_client.source import Column, Source, SqlType
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import Job, find_method, parse_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import IntArray
from studies.cells import code_cells
from studies.compare.peers.task import Answer, Side, Task

__all__ = ["REQUIREMENTS", "make", "prepare", "read", "source_of"]

REQUIREMENTS = {
    "k": ("k_anonymity", "k"),
    "l": ("l_diversity", "l"),
    "t": ("t_closeness", "t"),
    "beta": ("beta_likeness", "beta"),
}
"""Requirement for each bound of a task, and what it calls the bound."""


def source_of(task: Task) -> Source:
    """The table as the client has it."""
    columns = {}
    for name, values in task.columns.items():
        whole = all(isinstance(value, int) for value in values)
        kind: SqlType = "integer" if whole else "numeric" if task.numeric(name) else "text"
        columns[name] = Column(kind, values)
    return Source(
        name="compared",
        title="records",
        columns=columns,
        quasi_identifiers=tuple(task.quasi_identifiers),
        sensitive=task.sensitive,
        hierarchies={
            name: [tuple(row) for row in rows]
            for name, rows in task.hierarchies.items()
            if not task.numeric(name)
        },
        intervals={name: tuple(map(int, widths)) for name, widths in task.intervals.items()},
    )


def prepare(task: Task) -> Any:
    """See `peers.task`."""
    policy: dict[str, Any] = {
        key: {name: task.policy[bound]}
        for bound, (key, name) in REQUIREMENTS.items()
        if bound in task.policy
    }
    if "bt" in task.policy:
        policy["bt_privacy"] = task.policy["bt"]
    method = find_method(task.options["method"])
    options = parse_options(method, task.options["options"])
    return source_of(task), parse_policy(policy).requirements, method, options


def make(prepared: Any) -> Any:
    """See `peers.task`."""
    source, requirements, method, options = prepared
    table, cells, values = code_cells(source)
    threat = ThreatModel(table)
    method.check(threat, requirements, options)
    job = Job(threat, requirements, options, SeededChance(0), SILENT)
    return method.make(job).release, cells, values


def read(task: Task, made: Any) -> Answer:
    """See `peers.task`."""
    release, cells, values = made
    groups = _labels(release, cells, values)
    form = release.form
    assert isinstance(form, Generalized)
    low, high = form.boxes(release.parts, release.groups)
    columns: list[list[Side]] = []
    for axis, domain in enumerate(release.table.quasi_identifiers):
        first, last = low[:, axis], high[:, axis]
        if domain.positions is not None:
            ends = zip(domain.positions[first], domain.positions[last], strict=True)
            columns.append([Side(low=float(start), high=float(end)) for start, end in ends])
        else:
            labels = form.labels(domain, axis, first, last)
            columns.append([Side(label=label) for label in labels])
    return Answer(groups.tolist(), [list(sides) for sides in zip(*columns, strict=True)])


def _labels(release: Release, cells: IntArray, values: IntArray) -> IntArray:
    """Group of each record; records of one cell and value that are in several are any of them."""
    parts, size = release.parts, release.table.sensitive.size
    part, value = np.nonzero(parts.actual)
    records = parts.actual[part, value]
    keys = np.repeat(parts.cell[part] * size + value, records)
    labels = np.repeat(release.labels[part], records)
    groups = np.empty(len(cells), dtype=np.int64)
    groups[np.argsort(cells * size + values, kind="stable")] = labels[
        np.argsort(keys, kind="stable")
    ]
    return groups
