"""Records that a release left out, and the reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.suppression import Kind, Withdrawn, explain_suppression, find_withdrawn
from bkpriv_core.table.groups import BoolArray
from bkpriv_core.table.notation import extents_json, qi_json
from bkpriv_core.table.table import Table
from bkpriv_pl.past.chain import tell_apart
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.recorded import read_respondents
from bkpriv_pl.past.remembering import with_library
from bkpriv_pl.publishing.growing import shown_before
from bkpriv_pl.publishing.overlap import recall_earlier
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry
from bkpriv_pl.server.progress import Task

__all__ = ["explain", "explain_suppressed"]


@entry(Access.RELEASES)
def explain_suppressed(release: int | None, limit: int | None) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_suppressed``."""
    if limit is None or limit < 1:
        raise InvalidParameter(
            f"limit is {'NULL' if limit is None else limit}",
            detail="It is the largest number of kinds of records that are told apart.",
            hint="Write a whole number of at least 1, or leave it out.",
        )
    task = Task("bkpriv explain_suppressed")
    rows = explain(release, limit, task)
    task.done()
    return iter(rows)


def explain(release: int | None, limit: int, task: Task) -> list[tuple[Any, ...]]:
    """Rows of ``bkpriv.explain_suppressed``; `task` has a step for it."""
    recorded = find_release(release)
    requirements, estimator = recorded.policy.requirements, recorded.options.inference
    # The publisher chose the tables that the requirements name.
    recorded = with_library(recorded, requirements, estimator, own=False)
    before = None
    if look_up(release, "grown_from")["grown_from"] is not None:
        recorded, before = _grown(recorded)
    beside = None
    if (together := recall_earlier(recorded, requirements)) is not None:
        recorded, beside = together
    kinds = explain_suppression(
        recorded,
        recorded.threat,
        requirements,
        estimator,
        most=limit,
        progress=task.step("trying what was left out"),
        before=before,
        beside=beside,
    )
    rows = [_row(recorded, kind) for kind in kinds]
    if before is not None and (gone := find_withdrawn(recorded, before)) is not None:
        rows = [_row_of_withdrawn(recorded.table, gone), *rows[: limit - 1]]
    return rows


def _grown(recorded: RecordedRelease) -> tuple[RecordedRelease, BoolArray]:
    """Tell the respondents of a release apart, and whom those showed that it has grown from."""
    if recorded.parts.respondent is None:
        recorded, _ = tell_apart(recorded)
    respondents = read_respondents(recorded.release)
    names = () if respondents is None else respondents.names
    before = shown_before(recorded.release, names)
    return recorded, np.fromiter(map(before.__contains__, names), np.bool_, len(names))


def _row_of_withdrawn(table: Table, gone: Withdrawn) -> tuple[Any, ...]:
    """Columns of those who were withdrawn, whom no bound stood against."""
    (qi,) = extents_json(table, gone.low[None], gone.high[None])
    return (qi, gone.records, "grow", json.dumps({"departed": "withdraw"}), *(None,) * 7)


def _row(recorded: RecordedRelease, kind: Kind) -> tuple[Any, ...]:
    """Columns of one kind."""
    table, parameters = recorded.table, dict(kind.parameters)
    if "together" in parameters:
        parameters["together"] = [*parameters["together"], recorded.release]
    (qi,) = extents_json(table, kind.low[None], kind.high[None])
    fault: tuple[Any, ...] = (None,) * 4
    if (shift := kind.shift) is not None:
        (cell,) = (None,) if shift.cell is None else qi_json(table, np.array([shift.cell]))
        fault = cell, shift.label(table.sensitive), shift.before, shift.after
    return (
        *(qi, kind.records, kind.requirement, json.dumps(parameters)),
        *(kind.threshold, kind.attained, *fault, kind.estimator),
    )
