"""What a release left out, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.suppression import Kind, explain_suppression
from bkpriv_core.table.notation import extents_json, qi_json
from bkpriv_core.table.table import Table
from bkpriv_pl.boundary import entry
from bkpriv_pl.history import find_options, find_release, find_requirements
from bkpriv_pl.progress import Task
from bkpriv_pl.remembering import with_library

__all__ = ["explain_suppressed"]


@entry
def explain_suppressed(release: int | None, limit: int | None) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_suppressed``."""
    if limit is None or limit < 1:
        raise InvalidParameter(
            f"limit is {'NULL' if limit is None else limit}",
            detail="It is the largest number of kinds of records that are told apart.",
            hint="Write a whole number of at least 1, or leave it out.",
        )
    recorded = find_release(release)
    requirements = find_requirements(recorded.release).requirements
    estimator, _ = find_options(recorded.release, recorded.method).inference
    # The publisher chose the tables that the requirements name.
    recorded = with_library(recorded, requirements, estimator, own=False)
    task = Task("bkpriv explain_suppressed")
    kinds = explain_suppression(
        recorded,
        recorded.setting,
        requirements,
        estimator,
        limit,
        task.step("trying what was left out"),
    )
    task.done()
    return iter([_row(recorded.table, kind) for kind in kinds])


def _row(table: Table, kind: Kind) -> tuple[Any, ...]:
    """Columns of one kind."""
    (qi,) = extents_json(table, kind.low[None], kind.high[None])
    fault: tuple[Any, ...] = (None,) * 4
    if (shift := kind.shift) is not None:
        (cell,) = (None,) if shift.cell is None else qi_json(table, np.array([shift.cell]))
        fault = cell, table.sensitive.labels[shift.value], shift.before, shift.after
    return (
        *(qi, kind.records, kind.requirement, json.dumps(dict(kind.parameters))),
        *(kind.threshold, kind.attained, *fault, kind.estimator),
    )
