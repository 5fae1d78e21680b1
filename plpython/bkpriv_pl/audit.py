"""Audits: a release held against requirements, and the finding kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bkpriv_core.belief.posterior import Estimator, check_estimator
from bkpriv_core.policy import parse_policy
from bkpriv_core.requirement import Measurement, Requirement
from bkpriv_core.table.parts import Parts
from bkpriv_pl.boundary import entry, from_json, run
from bkpriv_pl.disclosure import qi_json
from bkpriv_pl.history import (
    RecordedRelease,
    find_release,
    find_requirements,
    findings,
    record_audit,
)
from bkpriv_pl.knowledge import find_trusted_prior
from bkpriv_pl.progress import Task
from bkpriv_pl.query import judge_queries

__all__ = ["audit"]


@entry
def audit(
    release: int | None, requirements: str | None, estimator: str
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit``."""
    estimator = check_estimator(estimator)
    found = find_release(release)
    if requirements is None:
        # The publisher chose what they name.
        demanded = find_requirements(found.release)
        found = replace(found, library=find_trusted_prior)
    else:
        demanded = parse_policy(from_json(requirements, "requirements"), complete=False)
    task = Task("bkpriv audit")
    measurements = [
        item.measure(found.setting, found.groups, estimator, task.step(f"measuring {item.key}"))
        for item in demanded.requirements
    ]
    faults = [
        _fault(found, requirement, measured, place, estimator)
        for requirement, measured in zip(demanded.requirements, measurements, strict=True)
        for place in range(len(requirement.bounds))
    ]
    rows = findings(found.parts, found.groups, demanded.requirements, measurements, found.smoothing)
    if demanded.query_error is not None:
        rows.append(judge_queries(found, demanded.query_error))
        faults.append((None,) * 6)
    # On a standby, or in a transaction that may not write, the finding is only told.
    if run("SELECT current_setting('transaction_read_only') AS setting")[0]["setting"] == "off":
        record_audit(found.release, rows)
    task.done()
    return iter(
        [
            (
                row.requirement,
                json.dumps(row.parameters),
                row.threshold,
                row.worst,
                row.mean,
                row.vulnerable,
                row.satisfied,
                row.estimator,
                *fault,
            )
            for row, fault in zip(rows, faults, strict=True)
        ]
    )


def _fault(
    found: RecordedRelease,
    requirement: Requirement,
    measured: Measurement,
    place: int,
    estimator: Estimator,
) -> tuple[Any, ...]:
    """Worst group under a bound, its records; the cell and value at fault, before and after."""
    bound, figures = requirement.bounds[place], measured.figures[place]
    group = int(found.groups.owner[np.argmax(figures) if bound.upper else np.argmin(figures)])
    alone = found.groups.select(np.array([group]))
    records = int(found.parts.sizes(alone)[0])
    shift = requirement.explain(found.setting, alone, place, estimator)
    if shift is None:
        return group, records, None, None, None, None
    qi = None if shift.cell is None else qi_json(Parts.of(found.table), np.array([shift.cell]))[0]
    value = found.table.sensitive.labels[shift.value]
    return group, records, qi, value, shift.before, shift.after
