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
from functools import partial
from typing import Any, get_args

from bkpriv_core.audit import Finding, judge_queries, unmet
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.setting import Setting
from bkpriv_core.certainty import Certainty, certainties
from bkpriv_core.errors import BkprivError
from bkpriv_core.method import GroupMethod, Method, Options
from bkpriv_core.method.growing import Growth, make_grown
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.method.together import begin_again, make_together
from bkpriv_core.partition.together import Mended
from bkpriv_core.policy import Overlap, Policy
from bkpriv_core.query.bound import QueryError
from bkpriv_core.release.form import Exhibit
from bkpriv_core.release.recorded.respondent import RecordedRespondents
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import check_binding
from bkpriv_core.table.chance import Chance, SecretChance, SeededChance
from bkpriv_core.table.passed import Told
from bkpriv_core.table.respondent import Respondents
from bkpriv_pl import history, notice, telling
from bkpriv_pl.bases import record_bases
from bkpriv_pl.boundary import entry, from_json, require, run
from bkpriv_pl.column import column_types
from bkpriv_pl.counts import NOTHING, Period
from bkpriv_pl.dataset import Dataset, find_dataset, read_records, take_turn
from bkpriv_pl.distribution import (
    begin_distributing,
    check_citus,
    check_column,
    made_here_alone,
)
from bkpriv_pl.draws import judge_together
from bkpriv_pl.growing import Stock, find_stock
from bkpriv_pl.knowledge import PriorTables
from bkpriv_pl.layout import check_bounds, names_of_records
from bkpriv_pl.overlap import Beside, find_earlier, find_overlap, warn_of_later
from bkpriv_pl.ownership import check_owner, telling_losses
from bkpriv_pl.passed import tell_attributes
from bkpriv_pl.period import require_period
from bkpriv_pl.persons import Kept, kept_of, tell_bounded, tell_persons
from bkpriv_pl.policy import find_policy
from bkpriv_pl.progress import POLLED, Task
from bkpriv_pl.remembering import set_out
from bkpriv_pl.request import choose_overlap, read_method, read_policy
from bkpriv_pl.settling import look_ahead, settle_staleness
from bkpriv_pl.snapshot import Content, write_snapshot
from bkpriv_pl.view import (
    ShownView,
    View,
    check_name,
    find_view,
    parse_view_name,
    put_view,
)

__all__ = ["publish"]


@dataclass(frozen=True)
class _Request:
    """A validated call of publish."""

    dataset: Dataset
    policy_name: str
    stated: object
    policy: Policy
    overlap: Overlap
    library: PriorTables
    view: View
    method: Method[Any]
    period: Period | None
    options: Options
    options_text: str
    kept: Kept | None


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
        request = _validated(dataset, policy, view_name, method, period, options, view_schema)
        with telling_losses(request.dataset):
            release = _publish(request, Task("bkpriv publish"))
            notice.record(release, told)
    return release


def _publish(request: _Request, task: Task) -> int:
    """Publish what was asked for, and return the id of the release."""
    task.step("waiting for its turn")
    take_turn(request.dataset.name)
    find_dataset(request.dataset.name)  # It may have been dropped meanwhile.
    if request.period is not None and (type_ := request.period.recorded_as) is not None:
        history.check_comparable(request.dataset.name, request.dataset.owner, type_)
    previous = _shown_before(request)
    overlap = None
    if request.overlap != "certify":
        refused = request.overlap == "refuse"
        form = request.method.form
        overlap = find_overlap(request.dataset, request.period, form, refused=refused)
        if overlap is not None and refused:
            raise overlap.told
    stock = find_stock(
        request.dataset, request.period, request.view, request.method, request.options
    )
    known = NOTHING if stock is None else stock.known
    task.step("counting")
    ahead = look_ahead(request.dataset, request.period, request.kept)
    source, of_source, passing = read_records(
        request.dataset, request.options.nulls, request.period, known, request.kept
    )
    growth = None if stock is None else stock.grow(source, of_source)
    table, respondents = (
        (source, of_source) if growth is None else (growth.table, growth.respondents)
    )
    task.step("weighing knowledge")
    taken, cell = request.method.prepare(table, request.options)
    coarse = {d.name for d, own in zip(taken.domains, table.domains, strict=True) if d is not own}
    check_bounds(request.dataset, taken, request.method.form, coarse)
    if (by := request.options.distribute_by) is not None:
        check_column(by, names_of_records(request.dataset, taken, request.method.form, coarse))
    about = None if respondents is None else respondents.moved(cell)
    passed = None if passing is None else passing.moved(cell)
    setting, memories = set_out(
        request.dataset,
        request.period,
        taken,
        about,
        request.policy.requirements,
        request.options,
        request.library,
        apart=request.method.tells_apart or growth is not None,
    )
    check_binding(request.policy.requirements, setting)
    if growth is None or not growth.kept:  # Newcomers whom no group takes wait.
        request.method.check(setting, request.policy.requirements, request.options)
    seed = request.options.seed
    chance = SecretChance() if seed is None else SeededChance(seed)
    beside = None
    if request.overlap == "certify" and about is not None:
        task.step("reading earlier releases")
        beside = find_earlier(
            *(request.dataset, request.period, setting, about),
            *(request.policy.requirements, request.library),
        )
        overlap = find_overlap(request.dataset, request.period, request.method.form, beside)
    published, rows, mended = _make(request, setting, about, stock, growth, beside, chance, task)
    if beside is not None:
        beside = replace(beside, mended=mended)
    shown, within = published.together()
    sure = _made_sure(request, setting, published, shown, task)
    task.step("writing")
    stock_of = None if stock is None else stock.release
    told = place = labels = None
    placed = passed if about is None else about
    if placed is not None:
        place = placed.places(published.parts, chance)
        labels = published.labels[place]
        told = None if passed is None else passed.told(labels, published.table.sensitive)
    release, findings = _record(
        request, published, shown, rows, coarse, told, stock_of, beside, task
    )
    if stock is not None and growth is not None:
        stock.tell(release, published, growth)
    if about is not None and place is not None and labels is not None:
        counterfeit = about.shown(published.parts, place)
        history.record_respondents(
            release,
            RecordedRespondents(about.names, labels, within[place], about.values, counterfeit),
        )
        if memories is not None:
            for knowledge, before in setting.revisions.items():
                memories.keep(release, knowledge, before, labels, counterfeit)
    written = Content(
        shown, coarse, request.options.seed, passed, told, request.options.distribute_by
    )
    _show(request, written, release, previous)
    task.step("waiting for writers")
    settle_staleness(
        *(request.dataset, request.period, source, of_source, passing, release, ahead, known),
        request.kept,
    )
    task.done()
    if overlap is not None:
        overlap.tell()
    if request.period is not None:
        warn_of_later(request.dataset, request.period, release)
    notice.close(release, published, shown, findings, sure, request.options)
    return release


def _make(
    request: _Request,
    setting: Setting,
    respondents: Respondents | None,
    stock: Stock | None,
    growth: Growth | None,
    beside: Beside | None,
    chance: Chance,
    task: Task,
) -> tuple[Release, list[Finding], Mended | None]:
    """Make a release, and certify it together with earlier ones if there are any of its people."""
    method: Method[Any] = request.method
    options: Any = request.options
    asked = (setting, request.policy.requirements, options, chance, task)
    earlier = None if beside is None else beside.earlier
    make = method.make
    if stock is not None and growth is not None:
        make = partial(make_grown, stock.method, growth)
    if earlier is None or respondents is None or not isinstance(method, GroupMethod):
        return *make(*asked), None
    if growth is None and method.rearranging:
        made = begin_again(method, respondents, earlier, *asked)
    else:
        made, _ = make(*asked)
    return make_together(made, respondents, earlier, *asked)


def _made_sure(
    request: _Request, setting: Setting, published: Release, shown: Release, task: Task
) -> list[Certainty] | BkprivError:
    """Count of whom readers become sure, as audits do; or say why not, which hinders nothing.

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


def _shown_before(request: _Request) -> dict[Exhibit, ShownView]:
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
    request: _Request,
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


def _validated(
    dataset: str | None,
    policy: str | None,
    view_name: str | None,
    method: str | None,
    period: str | None,
    options: str | None,
    view_schema: str | None,
) -> _Request:
    """Check everything that can be checked before the source is read."""
    registered = find_dataset(dataset)
    check_owner(registered)
    policy = require(policy, "policy")
    stated = find_policy(policy)
    decoded = from_json(options, "options")
    way, chosen = read_method(registered, method, decoded)
    completed, demanded = read_policy(registered, way, chosen, stated.requirements)
    if chosen.distribute_by is not None:
        check_citus()
        begin_distributing()
    view = parse_view_name(require(view_name, "view name"), view_schema)
    for exhibit in way.form.exhibits:
        check_name(view.of(exhibit).name)
    return _Request(
        registered,
        policy,
        completed,
        demanded,
        choose_overlap(registered, way, chosen, demanded),
        stated.library,
        view,
        way,
        require_period(registered, period),
        chosen,
        # Who knew the seed could draw and order records again. No release is measured by it.
        json.dumps({key: value for key, value in decoded.items() if key != "seed"}),
        kept_of(chosen, registered),
    )


def _record(
    request: _Request,
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
        Its id, and how it keeps each bound.
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
    request: _Request, published: Release, release: int, task: Task
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
        detail=f"Who links their records finds one and its value, as they were, with a probability "
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
