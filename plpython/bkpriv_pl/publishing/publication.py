"""Publication: from a source to a certified, frozen release behind a view.

Everything happens in the caller's transaction: a failure or cancellation leaves nothing. The source
is read once; the release is written from the cells and counts that the reading gave, so that
it cannot disagree with them. Publications of the same records take turns. A dataset with periods is
published one period at a time, by the same steps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import plpy

from bkpriv_core.audit import Finding, judge_queries, unmet
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import PositiveDisclosure, certainties, weak_certainties
from bkpriv_core.errors import BkprivError
from bkpriv_core.evidence import Evidence, judge, judge_together
from bkpriv_core.method import Job, Result
from bkpriv_core.method.composition import layered
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.query.bound import QueryError
from bkpriv_core.release.recorded import RecordedRespondents
from bkpriv_core.release.release import Exhibit, Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.payload import GroupedRows
from bkpriv_core.table.table import Table
from bkpriv_core.verdict import Matter, Verdict
from bkpriv_pl.past import history
from bkpriv_pl.past.course import check_comparable
from bkpriv_pl.past.ownership import telling_losses
from bkpriv_pl.past.payload import passed_through
from bkpriv_pl.past.selection import RecordedPeriod
from bkpriv_pl.past.source_lineage import record_bases
from bkpriv_pl.past.verdicts import count_exchanging, record_verdict
from bkpriv_pl.publishing import notice
from bkpriv_pl.publishing.concurrent_writes import look_ahead, settle_staleness
from bkpriv_pl.publishing.distribution import made_here_alone, tell_readers
from bkpriv_pl.publishing.overlap import (
    CompositionContext,
    find_earlier,
    find_overlap,
    warn_of_later,
)
from bkpriv_pl.publishing.request import Request, read_request
from bkpriv_pl.publishing.snapshot import Content, write_snapshot
from bkpriv_pl.publishing.standing import find_standing, made_from, shown_before
from bkpriv_pl.publishing.subject import Subject
from bkpriv_pl.publishing.view import ShownView, put_view
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.column import column_types
from bkpriv_pl.tables.dataset import open_source, refuse_gone, take_turn
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.persons import tell_bounded, tell_persons
from bkpriv_pl.tables.source import check_readable, tell_hidden_rows

__all__ = ["publish"]

_SLOW = 2_000_000
"""Cells times sensitive values from which beliefs take about a minute."""


@entry(Access.SOURCE)
def publish(
    dataset: str | None,
    policy: str | None,
    view_name: str | None,
    method: str | None,
    period: str | None,
    options: str | None,
    view_schema: str | None,
) -> int:
    """See ``bkpriv.publish``."""
    with notices.kept() as told:
        request = read_request(
            dataset,
            policy,
            view_name,
            method,
            period=period,
            options=options,
            view_schema=view_schema,
        )
        with telling_losses(request.dataset):
            task = Task("bkpriv publish")
            task.step("waiting for its turn")
            if not take_turn(request.dataset.name, request.dataset.owner):
                refuse_gone(request.dataset.name)
            previous = shown_before(request)
            standing = _standing(request, previous, task)
            if standing is not None:
                task.done()
                return standing
            release = _publish(request, previous, task)
            notice.record(release, told)
    return release


def _standing(request: Request, previous: dict[Exhibit, ShownView], task: Task) -> int | None:
    """Return the release that stands, if that is asked for; say why it does or does not."""
    if not request.options.if_stale:
        return None
    task.step("comparing")
    standing = find_standing(request, previous)
    if not standing.reasons:
        notices.notice(
            f"release {standing.release} stands",
            detail="Nothing that it was made from has changed.",
            hint='Leave out {"if_stale": true} to publish anew all the same.',
        )
        return standing.release
    if standing.release is not None:
        listed = "; ".join(f"{reason.changed}: {reason.how}" for reason in standing.reasons)
        notices.notice(f"release {standing.release} does not stand", detail=f"{listed}.")
    return None


@dataclass(frozen=True, eq=False)
class _Outcome:
    """Release that was made of a subject, and what readers see of it."""

    subject: Subject
    made: Result
    shown: Release
    """The release without telling respondents apart."""
    within: IntArray
    """Shape (p,). The part of `shown` that each part is in."""
    place: IntArray
    """Shape (n,). The part of each respondent, or of each record with insensitive attributes."""
    told: GroupedRows
    """Insensitive attributes as groups show them."""

    @classmethod
    def of(cls, subject: Subject, made: Result, chance: Chance) -> _Outcome:
        """Draw who of those alike is where, and list what readers see."""
        published, passed = made.release, subject.passed
        place = (subject.growth.respondents or passed).places(published.parts, chance)
        told = passed.told(published.labels[place], published.table.sensitive)
        return cls(subject, made, *published.together(), place=place, told=told)


def _publish(request: Request, previous: dict[Exhibit, ShownView], task: Task) -> int:
    """Publish what was asked for, and return the id of the release."""
    dataset, period, options = request.dataset, request.period, request.options
    requirements = request.policy.requirements
    check_comparable(dataset.name, dataset.owner, RecordedPeriod.of(period))
    beside = _overlapping(request)
    task.step("counting")
    ahead = look_ahead(dataset, period, request.kept)
    subject = Subject.read(
        dataset, period, request.method, options, kept=request.kept, view=request.view
    )
    _tell_slow(dataset.name, subject.growth.table, requirements)
    task.step("weighing knowledge")
    threat, memories = subject.set_out(requirements, request.library)
    subject.check(threat, requirements)
    if request.overlap == "certify":
        task.step("reading earlier releases")
        beside = _find_beside(request, subject, threat)
    chance = options.chance()
    make = layered(request.method, subject.growth, beside.earlier)
    made = make(Job(threat, requirements, options, chance, progress=task))
    beside = replace(beside, mended=made.mended)
    outcome = _Outcome.of(subject, made, chance)
    sure = _counted(request, threat, outcome, task, weak=False)
    weak = _counted(request, threat, outcome, task, weak=True)
    task.step("writing")
    release, findings = _record(request, outcome, beside, task)
    subject.stock.tell(release, made.release, subject.growth)
    _record_people(release, outcome, threat, memories)
    _show(request, outcome, release, previous)
    if options.distribute_by is not None:
        exhibits = outcome.shown.form.exhibits
        tell_readers(release, {exhibit: request.view.of(exhibit) for exhibit in exhibits})
    task.step("waiting for writers")
    settle_staleness(subject, release, ahead)
    alone = [row for row in findings if "together" not in row.parameters]
    together = [row for row in findings if "together" in row.parameters]
    lasting = [*judge_together(together), *beside.overlap.matters, *subject.matters()]
    evidence = {"findings": alone, "sure": sure, "weak": weak}
    verdict = _judge(request, threat, outcome, release, evidence, lasting, task)
    task.done()
    beside.overlap.tell()
    warn_of_later(dataset, period, release)
    notice.close(
        release, verdict, made.release, outcome.shown, findings, sure=sure, options=options
    )
    return release


def _tell_slow(dataset: str, table: Table, requirements: Sequence[Requirement]) -> None:
    """Say at the start that beliefs will take long, and what makes them faster."""
    values = table.sensitive.size
    informed = any(item.knowledge for item in requirements)
    if not informed or table.cells * values < _SLOW:
        return
    labels = [each for each in table.quasi_identifiers if not each.numeric and not each.hierarchy]
    most = max(labels, key=lambda domain: domain.size, default=None)
    named = ", ".join(map(plpy.quote_literal, (dataset, most.name))) if most else ""
    notices.notice(
        f"this publication may take minutes: {table.cells:,} kinds of people, {values:,} values of "
        f'"{table.sensitive.name}"',
        detail="Beliefs are inferred for each kind and value. A second session sees the progress "
        "in pg_stat_activity.application_name, and can cancel it.",
        hint=(
            f'A hierarchy of "{most.name}" ({most.size:,} labels) makes it faster: '
            f"SELECT * FROM bkpriv.suggest_hierarchy({named});"
            if most
            else "Wider bins, or a view with coarser values, make it faster."
        ),
    )


def _overlapping(request: Request) -> CompositionContext:
    """Find what is said of others, where a release is not certified together with earlier ones.

    Raises:
        UnattainableRequirement: If there are any and the policy refuses them.
    """
    if request.overlap == "certify":
        return CompositionContext()
    refused = request.overlap == "refuse"
    form = request.method.form
    return CompositionContext(
        overlap=find_overlap(request.dataset, request.period, form, refused=refused)
    )


def _find_beside(request: Request, subject: Subject, threat: ThreatModel) -> CompositionContext:
    """Find earlier releases that the new one is to be certified together with."""
    beside = find_earlier(
        dataset=request.dataset,
        period=request.period,
        threat=threat,
        respondents=subject.growth.respondents,
        requirements=request.policy.requirements,
        library=request.library,
    )
    overlap = find_overlap(request.dataset, request.period, request.method.form, beside)
    return replace(beside, overlap=overlap)


def _counted(
    request: Request,
    threat: ThreatModel,
    outcome: _Outcome,
    task: Task,
    *,
    weak: bool,
) -> list[PositiveDisclosure] | BkprivError:
    """Count people of whom readers become sure, as audits do; or return the error, and go on.

    Of a release that was certified exactly, groups that take longest are estimated, as in audits.

    Args:
        weak: Whether weak readers are meant, and not those of the policy.
    """
    published = outcome.made.release
    if published.partition is None or not published.published:
        return []
    counting = task.step("inferring beliefs")
    requirements = request.policy.requirements
    told = published if any(item.tells_apart for item in requirements) else outcome.shown
    over = threat.over(told.parts)
    try:
        if weak:
            return weak_certainties(over, told.groups, requirements, progress=counting)
        inference = request.options.inference
        estimator: Sound = "auto" if inference == "exact" else inference
        return certainties(over, told.groups, requirements, estimator, progress=counting)
    except BkprivError as error:
        return error


def _judge(
    request: Request,
    threat: ThreatModel,
    outcome: _Outcome,
    release: int,
    evidence: Mapping[str, Any],
    lasting: Sequence[Matter],
    task: Task,
) -> Verdict:
    """Judge a release, as audits do, and record the verdict."""
    shown, requirements = outcome.shown, request.policy.requirements
    over, passed = threat.over(shown.parts), passed_through(release)
    verdict = judge(
        Evidence(
            published=outcome.made.release,
            shown=shown,
            persons=request.kept is not None,
            exchange=count_exchanging(release, shown, over, requirements, task),
            attributes=passed.attributes,
            unique_rows=passed.unique[-1] if passed.unique else 0,
            shared_rows=passed.shared,
            lasting=lasting,
            **evidence,
        )
    )
    record_verdict(release, verdict)
    return verdict


def _record_people(
    release: int, outcome: _Outcome, threat: ThreatModel, memories: PriorTables
) -> None:
    """Record in which group each respondent is shown, by which value, and what is remembered."""
    published, place = outcome.made.release, outcome.place
    people = outcome.subject.growth.respondents
    if not people:
        return
    labels, shown = published.labels[place], people.shown(published.parts, place)
    within = outcome.within[place]
    recorded = RecordedRespondents(people.names, labels, within, people.values, shown=shown)
    history.record_respondents(release, recorded)
    memories.keep(release, threat.revisions, labels, shown)


def _show(
    request: Request,
    outcome: _Outcome,
    release: int,
    previous: dict[Exhibit, ShownView],
) -> None:
    """Write the tables of the release, and move the views to them."""
    subject = outcome.subject
    content = Content(
        published=outcome.shown,
        coarse=subject.coarse,
        options=subject.options,
        passed=subject.passed,
        told=outcome.told,
    )
    written = write_snapshot(release, content, request.dataset)
    with made_here_alone():
        for exhibit, columns in written.items():
            put_view(
                request.view.of(exhibit),
                release,
                exhibit,
                columns,
                about=outcome.shown.form.about[exhibit],
                materialized=request.options.materialized,
                previous=previous.get(exhibit),
            )
        for exhibit, view in previous.items():
            if exhibit not in written:
                view.drop()
    for former in sorted({view.release for view in previous.values()}):
        if history.happened(former, "withdrawn"):
            # Only its emptied view was left, for what others had built on it.
            history.clear(former)
        else:
            history.record_event(
                former, "superseded", f"release {release} took its place in {request.view}"
            )


def _record(
    request: Request,
    outcome: _Outcome,
    beside: CompositionContext,
    task: Task,
) -> tuple[int, list[Finding]]:
    """Write the release, what it was made from, and its certification into the history.

    Returns:
        Id of the release, and how it keeps each bound.
    """
    dataset, subject, shown = request.dataset, outcome.subject, outcome.shown
    published, rows = outcome.made.release, outcome.made.findings
    records = published.table.records
    suppressed = records - published.published
    # Rights may have been lost while the source was read and groups were formed.
    source = open_source(dataset)
    check_readable(source, (*dataset.measured, *dataset.attributes, *dataset.extras))
    release = history.record_release(
        dataset=dataset.name,
        owner=dataset.owner,
        version=history.next_version(dataset.name, dataset.owner),
        source_schema=dataset.source_schema,
        source_name=dataset.source_name,
        watch=history.find_watch(dataset.source_schema, dataset.source_name),
        view_schema=request.view.schema,
        view_name=request.view.name,
        method=request.method.name,
        policy=request.policy_name,
        requirements=json.dumps(request.stated),
        options=request.options_text,
        **RecordedPeriod.of(request.period).columns,
        records=records,
        suppressed=suppressed,
        groups=0 if published.partition is None else len(published.partition),
        counterfeited=shown.parts.counterfeited,
        grown_from=subject.stock.release,
        respondent_column=dataset.respondent,
        attributes=list(dataset.attributes),
        unique_rows=outcome.told.unique.tolist() if subject.passed else None,
        shared_rows=outcome.told.shared.tolist() if subject.passed else None,
    )
    record_bases(release, dataset.source_schema, dataset.source_name)
    columns = column_types(dataset.source_schema, dataset.source_name)
    measured = [domain.name for domain in shown.table.quasi_identifiers]
    measured += dataset.sensitive_columns
    types = ["text" if n in subject.coarse else columns[n].declared_as for n in measured]
    history.record_content(release, shown, types, made_from(request, subject.source))
    if request.policy.query_error is not None:
        rows.append(_judge_queries(published, request.policy.query_error))
    together = beside.findings(release)
    history.record_audit(release, [*rows, *together])
    notice.tell_counterfeits(release, published, shown)
    tell_hidden_rows(source, f"Release {release}")
    tell_persons(release, request.kept, published)
    if request.policy.query_error is not None:
        tell_bounded(release)
    _tell_undistorted(request, published, release)
    beside.tell(release, published, together, grown=subject.stock.release is not None)
    return release, [*rows, *together]


def _tell_undistorted(request: Request, published: Release, release: int) -> None:
    """Say that a randomized release shows every record as it is, if it does."""
    channels = published.form.channels
    if channels is not None and all(channel.retention == 1.0 for channel in channels):
        bound = bound_of(request.policy.requirements)
        notices.notice(
            f"release {release} shows every record as it is",
            detail=f"The table itself keeps tau = {bound.tau:g}, so nothing was distorted.",
            hint="Bound it by a smaller tau; bkpriv.audit says what the largest risk is.",
        )


def _judge_queries(published: Release, bound: QueryError) -> Finding:
    """Measure the error of queries on a release; refuse it, or warn, if it is too large."""
    finding = judge_queries(published, bound, POLLED)
    if not finding.satisfied:
        error = unmet(bound, finding)
        if bound.action == "refuse":
            raise error
        notices.warning(error.message, detail=error.detail, hint=error.hint)
    return finding
