"""Publication: from a source to a certified, frozen release behind a view.

Everything happens in the caller's transaction: a failure or cancellation leaves nothing. The source
is read once; the release is written from the cells and counts that the reading gave, so that
it cannot disagree with them. Publications of one dataset take turns. A dataset with periods is
published one period at a time, by the same steps.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import get_args

from bkpriv_core.audit import Finding, judge_queries, unmet
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.setting import Setting
from bkpriv_core.certainty import Certainty, certainties
from bkpriv_core.errors import BkprivError
from bkpriv_core.method import Job
from bkpriv_core.method.growing import Growth
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.method.together import layered
from bkpriv_core.query.bound import QueryError
from bkpriv_core.release.recorded.respondent import RecordedRespondents
from bkpriv_core.release.release import Exhibit, Release
from bkpriv_core.requirement import check_binding
from bkpriv_core.table.chance import Chance, SecretChance, SeededChance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.passed import Passed, Told
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from bkpriv_pl.past import history
from bkpriv_pl.past.bases import record_bases
from bkpriv_pl.past.course import check_comparable
from bkpriv_pl.past.ownership import telling_losses
from bkpriv_pl.past.passed import tell_attributes
from bkpriv_pl.past.remembering import Memories, set_out
from bkpriv_pl.publishing import notice
from bkpriv_pl.publishing.distribution import (
    check_column,
    made_here_alone,
)
from bkpriv_pl.publishing.draws import judge_together
from bkpriv_pl.publishing.growing import Stock, find_stock
from bkpriv_pl.publishing.layout import check_bounds, names_of_records
from bkpriv_pl.publishing.overlap import (
    Beside,
    Overlapping,
    find_earlier,
    find_overlap,
    warn_of_later,
)
from bkpriv_pl.publishing.request import Request, read_request
from bkpriv_pl.publishing.settling import look_ahead, settle_staleness
from bkpriv_pl.publishing.snapshot import Content, write_snapshot
from bkpriv_pl.publishing.view import (
    ShownView,
    find_view,
    put_view,
)
from bkpriv_pl.publishing.visibility import Before
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import entry, run
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.column import column_types
from bkpriv_pl.tables.counts import NOTHING, Known
from bkpriv_pl.tables.dataset import find_dataset, read_records, take_turn
from bkpriv_pl.tables.persons import tell_bounded, tell_persons

__all__ = ["publish"]


@dataclass(frozen=True, eq=False)
class _Reading:
    """A source as `read_records` gave it, and the release that grows by it, if one does."""

    source: tuple[Table, Respondents | None, Passed | None]
    ahead: Before | None
    known: Known
    stock: Stock | None
    growth: Growth | None

    @property
    def grown_from(self) -> int | None:
        """The release that grows."""
        return None if self.stock is None else self.stock.release

    def settle(self, request: Request, release: int) -> None:
        """Keep writers off the source, and mark the release stale if they changed it."""
        table, respondents, passed = self.source
        settle_staleness(
            dataset=request.dataset,
            period=request.period,
            table=table,
            respondents=respondents,
            passed=passed,
            release=release,
            before=self.ahead,
            known=self.known,
            kept=request.kept,
        )


@dataclass(frozen=True, eq=False)
class _Subject:
    """Subject of a publication: a table and its adversaries, people, attributes."""

    setting: Setting
    respondents: Respondents | None
    passed: Passed | None
    memories: Memories | None
    coarse: Collection[str]

    def places(self, published: Release, chance: Chance) -> IntArray | None:
        """Place of each respondent, or of each record with insensitive attributes, in `parts`."""
        placed = self.passed if self.respondents is None else self.respondents
        return None if placed is None else placed.places(published.parts, chance)

    def told(self, published: Release, place: IntArray | None) -> Told | None:
        """Records of groups with their insensitive attributes."""
        if self.passed is None or place is None:
            return None
        return self.passed.told(published.labels[place], published.table.sensitive)


@entry
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
    with telling.kept() as told:
        request = read_request(dataset, policy, view_name, method, period, options, view_schema)
        with telling_losses(request.dataset):
            release = _publish(request, Task("bkpriv publish"))
            notice.record(release, told)
    return release


def _publish(request: Request, task: Task) -> int:
    """Publish what was asked for, and return the id of the release."""
    task.step("waiting for its turn")
    take_turn(request.dataset.name)
    find_dataset(request.dataset.name)  # It may have been dropped meanwhile.
    if request.period is not None and (type_ := request.period.recorded_as) is not None:
        check_comparable(request.dataset.name, request.dataset.owner, type_)
    previous = _shown_before(request)
    overlap = _overlapping(request)
    reading = _read(request, task)
    subject = _set_out(request, reading, task)
    seed = request.options.seed
    chance = SecretChance() if seed is None else SeededChance(seed)
    beside = _find_beside(request, subject, task)
    if beside is not None:
        overlap = find_overlap(request.dataset, request.period, request.method.form, beside)
    make = layered(
        request.method,
        reading.growth,
        subject.respondents,
        None if beside is None else beside.earlier,
    )
    published, rows, mended = make(
        Job(subject.setting, request.policy.requirements, request.options, chance, task)
    )
    if beside is not None:
        beside = replace(beside, mended=mended)
    shown, within = published.together()
    sure = _made_sure(request, subject.setting, published, shown, task)
    task.step("writing")
    place = subject.places(published, chance)
    told = subject.told(published, place)
    release, findings = _record(
        request, published, shown, rows, subject.coarse, told, reading.grown_from, beside, task
    )
    if reading.stock is not None and reading.growth is not None:
        reading.stock.tell(release, published, reading.growth)
    if subject.respondents is not None and place is not None:
        _record_people(release, subject, subject.respondents, published, within, place)
    written = Content(
        shown, subject.coarse, seed, subject.passed, told, request.options.distribute_by
    )
    _show(request, written, release, previous)
    task.step("waiting for writers")
    reading.settle(request, release)
    task.done()
    if overlap is not None:
        overlap.tell()
    if request.period is not None:
        warn_of_later(request.dataset, request.period, release)
    notice.close(release, published, shown, findings, sure, request.options)
    return release


def _overlapping(request: Request) -> Overlapping | None:
    """Other releases of the same records, where a release is not certified together with them.

    Raises
    ------
    UnattainableRequirement
        If there are any and the policy refuses them.
    """
    if request.overlap == "certify":
        return None
    refused = request.overlap == "refuse"
    form = request.method.form
    overlap = find_overlap(request.dataset, request.period, form, refused=refused)
    if overlap is not None and refused:
        raise overlap.told
    return overlap


def _read(request: Request, task: Task) -> _Reading:
    """Find the release that grows, if one does, and read the source."""
    dataset, period, options = request.dataset, request.period, request.options
    stock = find_stock(dataset, period, request.view, request.method, options)
    known = NOTHING if stock is None else stock.known
    task.step("counting")
    ahead = look_ahead(dataset, period, request.kept)
    source = read_records(dataset, options.nulls, period, known, request.kept)
    table, respondents, _ = source
    growth = None if stock is None else stock.grow(table, respondents)
    return _Reading(source, ahead, known, stock, growth)


def _set_out(request: Request, reading: _Reading, task: Task) -> _Subject:
    """Prepare what was read for the method, and refuse what it cannot publish."""
    dataset, method, options = request.dataset, request.method, request.options
    requirements = request.policy.requirements
    table, respondents, passing = reading.source
    growth = reading.growth
    if growth is not None:
        table, respondents = growth.table, growth.respondents
    task.step("weighing knowledge")
    taken, cell = method.prepare(table, options)
    coarse = {d.name for d, own in zip(taken.domains, table.domains, strict=True) if d is not own}
    check_bounds(dataset, taken, method.form, coarse)
    if (by := options.distribute_by) is not None:
        check_column(by, names_of_records(dataset, taken, method.form, coarse))
    about = None if respondents is None else respondents.moved(cell)
    setting, memories = set_out(
        dataset=dataset,
        period=request.period,
        table=taken,
        respondents=about,
        requirements=requirements,
        options=options,
        library=request.library,
        apart=method.tells_apart or growth is not None,
    )
    check_binding(requirements, setting)
    if growth is None or not growth.kept:  # Newcomers whom no group takes wait.
        method.check(setting, requirements, options)
    if passing is not None and about is not None:
        passing = replace(passing, cells=about.cells, values=about.values)
    elif passing is not None:
        passing = passing.moved(cell)
    return _Subject(setting, about, passing, memories, coarse)


def _find_beside(request: Request, subject: _Subject, task: Task) -> Beside | None:
    """Earlier releases that the new one is to be certified together with."""
    if request.overlap != "certify" or subject.respondents is None:
        return None
    task.step("reading earlier releases")
    return find_earlier(
        dataset=request.dataset,
        period=request.period,
        setting=subject.setting,
        respondents=subject.respondents,
        requirements=request.policy.requirements,
        library=request.library,
    )


def _made_sure(
    request: Request, setting: Setting, published: Release, shown: Release, task: Task
) -> list[Certainty] | BkprivError:
    """Count people of whom readers become sure, as audits do; or return the error, and go on.

    Of a release that was certified exactly, groups that take longest are estimated, as in audits.
    """
    if published.partition is None:
        return []
    counting = task.step("inferring beliefs")
    requirements = request.policy.requirements
    told = published if any(item.tells_apart for item in requirements) else shown
    inference = request.options.inference
    estimator: Sound = "auto" if inference == "exact" else inference
    try:
        over = setting.over(told.parts)
        return certainties(over, told.groups, requirements, estimator, counting)
    except BkprivError as error:
        return error


def _record_people(
    release: int,
    subject: _Subject,
    respondents: Respondents,
    published: Release,
    within: IntArray,
    place: IntArray,
) -> None:
    """Record in which group each respondent is shown, and what who remembers infers of them."""
    labels = published.labels[place]
    counterfeit = respondents.shown(published.parts, place)
    history.record_respondents(
        release,
        RecordedRespondents(
            respondents.names, labels, within[place], respondents.values, counterfeit
        ),
    )
    if subject.memories is not None:
        for knowledge, before in subject.setting.revisions.items():
            subject.memories.keep(release, knowledge, before, labels, counterfeit)


def _shown_before(request: Request) -> dict[Exhibit, ShownView]:
    """Views that the release will take the place of, by the exhibit that they show."""
    dataset = request.dataset
    views: dict[Exhibit, ShownView] = {}
    exhibits = request.method.form.exhibits
    for exhibit in exhibits:
        view = find_view(request.view.of(exhibit), exhibit, dataset.name, dataset.owner)
        if view is not None:
            views[exhibit] = view
    if "records" not in views:
        return views
    former = views["records"].release
    for exhibit in get_args(Exhibit):
        if exhibit not in exhibits:
            name = request.view.of(exhibit)
            companion = find_view(name, exhibit, dataset.name, dataset.owner, only=former)
            if companion is not None:
                views[exhibit] = companion
    return views


def _show(
    request: Request,
    content: Content,
    release: int,
    previous: dict[Exhibit, ShownView],
) -> None:
    """Write the tables of the release, and move the views to them."""
    written = write_snapshot(release, content, request.dataset)
    with made_here_alone():
        for exhibit, columns in written.items():
            put_view(
                request.view.of(exhibit),
                release,
                exhibit,
                columns,
                content.published.form.about[exhibit],
                request.options.materialized,
                previous.get(exhibit),
            )
        for exhibit, view in previous.items():
            if exhibit not in written:
                view.drop()
    for former in sorted({view.release for view in previous.values()}):
        if history.happened(former, "withdrawn"):
            # Only its emptied view was left, for what others had built on it.
            run("SELECT bkpriv_internal.clear_release($1)", ["bigint"], [former])
        else:
            history.record_event(
                former, "superseded", f"release {release} took its place in {request.view}"
            )


def _record(
    request: Request,
    published: Release,
    shown: Release,
    rows: list[Finding],
    coarse: Collection[str],
    told: Told | None,
    grown_from: int | None,
    beside: Beside | None,
    task: Task,
) -> tuple[int, list[Finding]]:
    """Write the release, what it was made from, and its certification into the history.

    Returns
    -------
    int, list of Finding
        Id of the release, and how it keeps each bound.
    """
    dataset, records = request.dataset, published.table.records
    suppressed = records - published.published
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
        **({} if request.period is None else request.period.recorded),
        records=records,
        suppressed=suppressed,
        groups=0 if published.partition is None else len(published.partition),
        counterfeited=shown.parts.counterfeited,
        grown_from=grown_from,
        respondent_column=dataset.respondent,
        attributes=list(dataset.attributes),
        unique_rows=None if told is None else told.unique.tolist(),
    )
    record_bases(release, dataset.source_schema, dataset.source_name)
    columns = column_types(dataset.source_schema, dataset.source_name)
    types = ["text" if n in coarse else columns[n].declared_as for n in dataset.measured]
    history.record_content(release, shown, types)
    if request.policy.query_error is not None:
        rows.append(_judge_queries(published, request.policy.query_error))
    together = _judge_together(request, published, release, task)
    if beside is not None:
        together = beside.findings(release)
    history.record_audit(release, [*rows, *together])
    notice.give_notice(release, published, shown, rows, request.options)
    tell_attributes(release, published.rows)
    tell_persons(release, request.kept, published)
    if request.policy.query_error is not None:
        tell_bounded(release)
    if beside is not None:
        beside.tell(release, published, together, grown=grown_from is not None)
    return release, [*rows, *together]


def _judge_together(
    request: Request, published: Release, release: int, task: Task
) -> list[Finding]:
    """Measure a randomized release together with others of the same records; say what they tell."""
    if published.partition is not None:
        return []
    bound = bound_of(request.policy.requirements)
    channels = published.form.channels
    if channels is not None and all(channel.retention == 1.0 for channel in channels):
        telling.notice(
            f"release {release} shows every record as it is",
            detail=f"The table itself keeps tau = {bound.tau:g}, so nothing was distorted.",
            hint="Bound it by a smaller tau; bkpriv.audit says what the largest risk is.",
        )
    finding = judge_together(release, published, bound, task, published=True)
    if finding is None:
        return []
    draws = finding.parameters["together"]
    telling.notice(
        f"release {release} is draw {len(draws)} of the same records, and tells more together with "
        f"{'release' if len(draws) == 2 else 'releases'} "
        + ", ".join(str(other) for other in draws if other != release),
        detail=f"A reader who links their records finds one and its value with a probability "
        f"of up to {finding.worst:.6g}; {finding.vulnerable} of {published.table.records} records "
        f"are above {bound.tau:g} ({finding.estimator}).",
        hint='Give them to different readers. The policy {"overlap": "refuse"} allows one release.',
    )
    return [finding]


def _judge_queries(published: Release, bound: QueryError) -> Finding:
    """Measure the error of queries on a release; refuse it, or warn, if it is too large."""
    finding = judge_queries(published, bound, POLLED)
    if not finding.satisfied:
        error = unmet(bound, finding)
        if bound.action == "refuse":
            raise error
        telling.warning(error.message, detail=error.detail, hint=error.hint)
    return finding
