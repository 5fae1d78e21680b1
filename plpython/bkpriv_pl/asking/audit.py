"""Audits: a release held against requirements, what nothing bounds counted, and both kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bkpriv_core.audit import Fault, Finding, draw_finding, findings, judge_queries
from bkpriv_core.belief.posterior import Estimator, check_estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import PositiveDisclosure, certainties, counted_sure, weak_certainties
from bkpriv_core.count import Count
from bkpriv_core.errors import BkprivError
from bkpriv_core.evidence import Evidence, judge
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.policy import Policy, complete, parse_policy
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.notation import qi_json
from bkpriv_core.verdict import Verdict
from bkpriv_pl.past.history import RecordedRelease, find_release, record_audit
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.payload import count_attributes, passed_through
from bkpriv_pl.past.recorded import read_columns
from bkpriv_pl.past.remembering import with_library
from bkpriv_pl.past.source_lineage import unseen
from bkpriv_pl.past.transitions import customary_knowledge
from bkpriv_pl.past.verdicts import count_exchanging, find_lasting, record_verdict
from bkpriv_pl.publishing.policy import refuse_name
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.persons import persons_counted, tell_bounded

__all__ = [
    "Judged",
    "as_row",
    "audit",
    "count_sure",
    "judge_recorded",
    "measurable",
    "measure",
    "measure_groups",
]


@entry(Access.RELEASES)
def audit(
    release: int | None, requirements: str | None, estimator: str
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit``."""
    estimator = check_estimator(estimator)
    recorded = find_release(release)
    if requirements is None:
        # The publisher chose what they name.
        demanded = recorded.policy
    else:
        stated = from_json(requirements, "requirements")
        if isinstance(stated, str):
            refuse_name(stated, release)
        dataset = look_up(recorded.release, "dataset")["dataset"]
        stated = complete(stated, partial(customary_knowledge, dataset))
        demanded = parse_policy(stated, complete=False).about(
            *read_columns(recorded.release), dataset
        )
    task = Task("bkpriv audit")
    recorded = measurable(recorded, demanded, estimator, own=requirements is not None)
    rows = measure(recorded, demanded, estimator, task)
    found: list[Finding | Count]
    # A bound that is asked for is answered alone.
    if requirements is None:
        judged = judge_recorded(recorded, rows, demanded, estimator, task)
        found = [*counted_sure(rows, judged.sure), *judged.counts]
        _record(recorded.release, found)
        record_verdict(recorded.release, judged.verdict)
        notices.notice(f"release {recorded.release}: {judged.verdict.sentence}")
    else:
        if any(item.knowledge for item in demanded.requirements):
            rows = counted_sure(rows, count_sure(recorded, demanded, estimator, task))
        found = [*rows]
        _record(recorded.release, found)
    task.done()
    if demanded.query_error is not None:
        tell_bounded(recorded.release)
    return map(as_row, found)


@dataclass(frozen=True)
class Judged:
    """A recorded release that was judged by its own policy."""

    verdict: Verdict
    sure: list[PositiveDisclosure]
    """Certainties of the readers of its policy."""
    exchange: Count | None
    counts: list[Count]
    """Counts that nothing bounds, of what there is some of."""


def judge_recorded(
    recorded: RecordedRelease,
    rows: Sequence[Finding],
    demanded: Policy,
    estimator: Estimator,
    task: Task,
) -> Judged:
    """Judge a release that is `measurable` by its own policy.

    Args:
        rows: Findings of that policy.
    """
    requirements, passed = demanded.requirements, passed_through(recorded.release)
    sure: list[PositiveDisclosure] | BkprivError = []
    weak: list[PositiveDisclosure] | BkprivError = []
    exchange = None
    if recorded.partition is not None and recorded.published:
        sure = _or_reason(partial(count_sure, recorded, demanded, estimator, task))
        weak = _or_reason(partial(_count_weak, recorded, demanded, task))
        exchange = count_exchanging(recorded.release, recorded, recorded.threat, requirements, task)
    verdict = judge(
        Evidence(
            published=recorded,
            shown=recorded,
            persons=persons_counted(recorded.release),
            findings=rows,
            sure=sure,
            weak=weak,
            exchange=exchange,
            attributes=passed.attributes,
            unique_rows=passed.unique[-1] if passed.unique else 0,
            shared_rows=passed.shared,
            lasting=find_lasting(recorded.release),
        )
    )
    counts = count_attributes(recorded.release, recorded.rows)
    if exchange is not None and exchange.vulnerable != 0:
        counts.append(exchange)
    return Judged(verdict, [] if isinstance(sure, BkprivError) else sure, exchange, counts)


def _or_reason(
    count: Callable[[], list[PositiveDisclosure]],
) -> list[PositiveDisclosure] | BkprivError:
    """Count, or return why that would take too much."""
    try:
        return count()
    except BkprivError as error:
        return error


def _count_weak(
    recorded: RecordedRelease, demanded: Policy, task: Task
) -> list[PositiveDisclosure]:
    counting = task.step("inferring beliefs")
    return weak_certainties(
        recorded.threat, recorded.groups, demanded.requirements, progress=counting
    )


def measurable(
    recorded: RecordedRelease, demanded: Policy, estimator: Estimator, *, own: bool
) -> RecordedRelease:
    """Give a release what a policy is measured with.

    Args:
        own: Whether the caller has stated the policy, and not the publisher.
    """
    if recorded.partition is None:
        return recorded
    return with_library(recorded, demanded.requirements, estimator, own=own)


def measure(
    recorded: RecordedRelease, demanded: Policy, estimator: Estimator, task: Task
) -> list[Finding]:
    """Hold a release that is `measurable` against a policy.

    Args:
        recorded, demanded, estimator: See `measurable`.
    """
    if recorded.partition is not None:
        return measure_groups(recorded, recorded.threat, demanded, estimator, task=task)
    rows = _of_draws(recorded, demanded.requirements, task)
    if demanded.query_error is not None:
        rows.append(judge_queries(recorded, demanded.query_error, POLLED))
    return rows


def measure_groups(
    release: Release, threat: ThreatModel, demanded: Policy, estimator: Estimator, task: Task
) -> list[Finding]:
    """Hold a release that shows groups against a policy; see `measure`."""
    measurements = [
        item.measure(threat, release.groups, estimator, task.step("measuring"))
        for item in demanded.requirements
    ]
    rows = findings(
        threat, release.groups, demanded.requirements, measurements, estimator=estimator
    )
    if demanded.query_error is not None:
        rows.append(judge_queries(release, demanded.query_error, POLLED))
    return rows


def count_sure(
    recorded: RecordedRelease, demanded: Policy, estimator: Estimator, task: Task
) -> list[PositiveDisclosure]:
    """Count the people of whom readers of a release become sure; see `measure`.

    Nothing is counted where no groups are shown. Where the policy names no reader, one stands in.
    """
    if recorded.partition is None or not recorded.published:
        return []
    counting = task.step("inferring beliefs")
    requirements = demanded.requirements
    return certainties(recorded.threat, recorded.groups, requirements, estimator, progress=counting)


def _of_draws(
    recorded: RecordedRelease, requirements: Sequence[Requirement], task: Task
) -> list[Finding]:
    """Findings of a randomized release."""
    if not requirements:
        return []
    bound, measuring = bound_of(requirements), task.step("measuring")
    return [draw_finding(recorded, bound, recorded.options.scheme, measuring)]


def _record(release: int, rows: Sequence[Finding | Count]) -> None:
    """Keep an audit, but for what it says of releases that the release's owner may not see."""
    kept = [row for row in rows if not unseen(release, row.parameters.get("together", ()))]
    record_audit(release, kept)


def as_row(row: Finding | Count) -> tuple[Any, ...]:
    """Columns of an audit: how a bound is kept, and what is at fault; or what was counted."""
    return (
        *(row.requirement, json.dumps(dict(row.parameters)), row.threshold, row.worst, row.mean),
        *(row.vulnerable, row.satisfied, row.estimator),
        *_blamed(row.fault),
        *(row.sure, row.most),
    )


def _blamed(fault: Fault | None) -> tuple[Any, ...]:
    if fault is None:
        return (None,) * 6
    if fault.shift is None:
        return fault.group, fault.records, None, None, None, None
    shift = fault.shift
    (qi,) = (None,) if shift.cell is None else qi_json(fault.table, np.array([shift.cell]))
    value = shift.label(fault.table.sensitive)
    return fault.group, fault.records, qi, value, shift.before, shift.after
