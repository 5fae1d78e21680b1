"""Reports: what audits, utility and history say of a release, as one page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from bkpriv_core.attack import ATTACKERS
from bkpriv_core.attack import Options as AttackerOptions
from bkpriv_core.attack import parse_options as parse_attacker_options
from bkpriv_core.audit import Finding
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.count import Count
from bkpriv_core.errors import BkprivError, InvalidParameter, UnsoundHistory, as_json
from bkpriv_core.method import Options, find_method
from bkpriv_core.policy import Policy
from bkpriv_core.release.recorded.soundness import of_release
from bkpriv_core.release.uniqueness import uniqueness
from bkpriv_core.report.facts import (
    AUDIENCES,
    Attack,
    Audience,
    Bounded,
    Contribution,
    Event,
    Facts,
    Sibling,
    SuppressedKind,
    Sure,
    ViewColumn,
)
from bkpriv_core.report.page import render
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.notation import bin_ends
from bkpriv_core.utility.comparison import largest_disclosure
from bkpriv_pl.asking.audit import as_row, count_exchanging, count_sure, measurable, measure
from bkpriv_pl.asking.suppression import explain
from bkpriv_pl.asking.utility import utility_of
from bkpriv_pl.past.bases import bases_of
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.ownership import look_up
from bkpriv_pl.past.passed import passed_through
from bkpriv_pl.past.selection import select_beside
from bkpriv_pl.past.terms import find_options
from bkpriv_pl.publishing.view import View, find_view
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import decode, entry, run
from bkpriv_pl.server.progress import POLLED, Task

__all__ = ["report_html"]

_COMMENTED = 2000
"""Longest comment on a column that a report shows, in characters."""

_KINDS = 10
"""Limit of the kinds of left out records that a report lists."""

_LISTED = 50
"""Limit of the releases of the dataset, and events of the release, that a report lists."""

_MOST_BOUNDS = 1000
"""More than any policy has, alone and together with earlier releases."""

_MOST_FIGURES = 50_000
"""More than an attacker has of as many columns as a table may have."""


@entry
def report_html(release: int | None, audience: str | None) -> str:
    """See ``bkpriv.report_html``."""
    chosen = next((known for known in AUDIENCES if known == audience), None)
    if chosen is None:
        raise InvalidParameter(
            f"there is no audience {as_json(audience)}",
            detail="Outsiders are not told what officers are.",
            hint=f"It is {' or '.join(AUDIENCES)}.",
        )
    row = look_up(release, "owner, source_schema, source_name, view_schema, view_name")
    task = Task("bkpriv report")
    page = render(_facts(row, chosen, task), chosen)
    task.done()
    return page


def _facts(own: Mapping[str, Any], audience: Audience, task: Task) -> Facts:
    release = own["release"]
    (row,) = run(
        f"SELECT *, {_when('created_at')} AS made, {_when('now()')} AS now, "
        "bkpriv.version() AS version FROM bkpriv.releases WHERE release = $1",
        ["bigint"],
        [release],
    )
    events, happened = _events(release)
    method = find_method(row["method"])
    recorded = None if row["status"] == "purged" else find_release(release)
    options = find_options(release, method)
    passed = passed_through(release)
    measured = recorded if audience == "officer" else None
    bounds, audited, sure = _judged(release, measured, task)
    return Facts(
        release=release,
        dataset=row["dataset"],
        source=f"{own['source_schema']}.{own['source_name']}",
        view=row["view_name"],
        policy=row["policy"],
        method=row["method"],
        created_at=row["made"],
        created_by=row["created_by"],
        status=row["status"],
        period=row["period"],
        stale=row["stale"],
        records=row["records"],
        suppressed=row["suppressed"],
        groups=row["groups"],
        counterfeited=row["counterfeited"],
        grown_from=row["grown_from"],
        persons=_persons(options, recorded),
        form=method.form.name,
        quasi_identifiers=()
        if recorded is None
        else tuple(domain.name for domain in recorded.table.quasi_identifiers),
        sensitive=()
        if recorded is None
        else tuple(domain.name for domain in columns_of(recorded.table.sensitive)),
        passed=passed.attributes,
        unpublished=() if recorded is None else _unpublished(own),
        bins={} if recorded is None else {d.name: bin_ends(d) for d in recorded.columns},
        apart=tuple(passed.counted()),
        exchanging=_exchanging(measured, task),
        alone=None if recorded is None else uniqueness(recorded),
        largest=_largest(recorded),
        sure=sure,
        shown=_shown(row["dataset"], own, [*method.form.exhibits]),
        bounds=bounds,
        audited=audited,
        utility={} if recorded is None else utility_of(recorded),
        left_out=_left_out(release, task) if measured is not None and row["suppressed"] else (),
        attacks=_attacks(release),
        events=events,
        happened=happened,
        siblings=_siblings(row["dataset"], own["owner"], release),
        others=_others(row["dataset"], own["owner"]),
        elsewhere=tuple(
            each.release for each in select_beside(row["dataset"], own["owner"], bases_of(release))
        ),
        readers=_readers(release),
        options=_chosen(options),
        made_at=row["now"],
        version=row["version"],
    )


def _exchanging(recorded: RecordedRelease | None, task: Task) -> Count | None:
    """See `count_exchanging`, where there is a release to measure."""
    return None if recorded is None else count_exchanging(recorded, task)


def _largest(recorded: RecordedRelease | None) -> float | None:
    """See `largest_disclosure`, where there are groups."""
    if recorded is None or recorded.partition is None or not recorded.published:
        return None
    return largest_disclosure(recorded, POLLED)


def _judged(
    release: int, recorded: RecordedRelease | None, task: Task
) -> tuple[tuple[Bounded, ...], tuple[str, str] | None, tuple[Sure, ...] | None]:
    """Bounds, the time and role of their certification unless now, and certainties of readers.

    They are measured anew where there is a release to measure.
    """
    bounds, audited = _recorded_audit(release)
    measured = None if recorded is None else _measured(recorded, task)
    if measured is None:
        return bounds, audited, ()
    told, sure = measured
    # Several releases together were judged when this one was published.
    return (*told, *(bound for bound in bounds if "together" in bound.parameters)), None, sure


def _persons(options: Options, recorded: RecordedRelease | None) -> Contribution | None:
    """Selection of each person's records, if the options have persons counted."""
    most = options.max_records_per_person
    if most is None:
        return None
    rows = None if recorded is None else recorded.rows
    return Contribution(rows, None if most == "all" else most, options.latest_by)


def _unpublished(own: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns that the source has now, if it is there, and the release does not show."""
    rows = run(
        "SELECT a.attname AS name FROM pg_attribute AS a "
        "JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE (n.nspname, c.relname) = ($1, $2) AND a.attnum > 0 AND NOT a.attisdropped "
        "AND a.attname NOT IN (SELECT attribute FROM bkpriv.release_attribute WHERE release = $3 "
        "UNION ALL SELECT unnest(attributes) FROM bkpriv.release WHERE release = $3) "
        "ORDER BY a.attnum",
        ["text", "text", "bigint"],
        [own["source_schema"], own["source_name"], own["release"]],
    )
    return tuple(row["name"] for row in rows)


def _chosen(options: Options | AttackerOptions) -> dict[str, Any]:
    """Options that are not what they would be if they were left out."""
    return {
        field.name: value
        for field in fields(options)
        if (value := getattr(options, field.name)) != field.default
    }


def _when(expression: str) -> str:
    """SQL of a time for people to read."""
    return f"to_char({expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'"


def _measured(
    recorded: RecordedRelease, task: Task
) -> tuple[tuple[Bounded, ...], tuple[Sure, ...] | None] | None:
    """Audit of the release by its policy, and certainties of readers.

    None if neither can be had any more; None for the certainties if only these cannot.
    """
    try:
        demanded = recorded.policy
        recorded = measurable(recorded, demanded, "auto", own=False)
        found = measure(recorded, demanded, "auto", task)
    except BkprivError as error:
        telling.notice(
            f"release {recorded.release} is reported as it was certified",
            detail=f"It could not be measured again: {error.message}. {error.detail}",
            hint=error.hint,
        )
        return None
    return tuple(map(_bounded, found)), _sure(recorded, demanded, task)


def _sure(recorded: RecordedRelease, demanded: Policy, task: Task) -> tuple[Sure, ...] | None:
    """Certainties of readers; None where they are not counted."""
    try:
        counted = count_sure(recorded, demanded, "auto", task)
    except BkprivError as error:
        telling.notice(
            f"people of whom readers of release {recorded.release} become sure are not reported",
            detail=f"{error.message}. {error.detail}",
            hint=error.hint,
        )
        return None
    return tuple(
        Sure(
            parameters={"bandwidth": one.reader, **one.about},
            customary=one.customary,
            became=one.records,
            right=one.right,
            anyway=one.anyway,
            exact=not may_understate(one.estimator),
        )
        for one in counted
    )


def _bounded(finding: Finding) -> Bounded:
    """A finding, and what is at fault."""
    figures = as_row(finding)[2:8]
    _, *blamed = as_row(finding)[8:14]
    bound = Bounded(finding.requirement, dict(finding.parameters), *figures, *blamed)
    return replace(bound, most=finding.most)


def _recorded_audit(release: int) -> tuple[tuple[Bounded, ...], tuple[str, str] | None]:
    """Read the audit by which the release was certified, with its time and author.

    Raises
    ------
    UnsoundHistory
        If it is recorded with more bounds than a policy has.
    """
    rows = _of_few(
        "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, "
        f"{_when('audited_at')} AS at, audited_by AS by FROM bkpriv.audits "
        "WHERE audit = (SELECT min(audit) FROM bkpriv.audits WHERE release = $1) "
        "AND release = $1 AND threshold IS NOT NULL",
        (["bigint"], [release]),
        _MOST_BOUNDS,
        f"the certification of release {release} is unsound",
        f"It has more than {_MOST_BOUNDS} bounds, which no policy has.",
    )
    bounds = tuple(
        Bounded(
            requirement=row["requirement"],
            parameters=json.loads(row["parameters"]),
            threshold=row["threshold"],
            worst=row["worst"],
            mean=row["mean"],
            vulnerable=row["vulnerable"],
            satisfied=row["satisfied"],
            estimator=row["estimator"],
        )
        for row in rows
    )
    return bounds, (rows[0]["at"], rows[0]["by"]) if rows else None


def _of_few(
    query: str, parameters: tuple[list[str], list[Any]], most: int, unsound: str, detail: str
) -> list[dict[str, Any]]:
    """Read rows about a release that others may have written.

    Parameters
    ----------
    parameters : (list of str, list)
        Types and values of the query's parameters.
    most : int
        Number of rows that there can be.
    unsound, detail : str
        Words of the error.

    Raises
    ------
    UnsoundHistory
        If there are more.
    """
    rows = run(f"{query} LIMIT {most + 1}", *parameters)
    if len(rows) > most:
        raise UnsoundHistory(
            unsound,
            detail=detail,
            hint="Somebody has written to the history by themselves; ask a superuser to look.",
        )
    return rows


def _attacks(release: int) -> tuple[Attack, ...]:
    """Attack by each attacker that breached most, of the latest by the same options each.

    One that was played by weaker options so hides no other.

    Raises
    ------
    UnsoundHistory
        If they are recorded with options that are not the attacker's, or with more figures than
        attacks have.
    """
    worst = run(
        f"""
        WITH latest AS (
            SELECT DISTINCT ON (attacker, options)
                attack, attacker, options, attacked_at, attacked_by
            FROM bkpriv.attack_record WHERE release = $1 AND attacker = ANY ($2)
            ORDER BY attacker, options, attacked_at DESC, attack DESC, place)
        SELECT DISTINCT ON (attacker) attack, attacker, options, {_when("attacked_at")} AS at,
            attacked_by AS by
        FROM latest ORDER BY attacker, (
                SELECT max(value) FROM bkpriv.attack_record AS found
                WHERE (found.attack, found.release) = (latest.attack, $1) AND metric = 'breached'
            ) DESC NULLS LAST, attacked_at DESC, attack DESC
        """,
        ["bigint", "text[]"],
        [release, [*ATTACKERS]],
    )
    found = {}
    for row in worst:
        name = row["attacker"]
        with of_release(release):
            options = decode(row["options"], f"options of {name}")
            chosen = _chosen(parse_attacker_options(ATTACKERS[name], options))
        figures = _figures(release, row["attack"], name)
        found[name] = Attack(name, row["at"], row["by"], options, chosen, figures)
    return tuple(found[name] for name in ATTACKERS if name in found)


def _figures(release: int, attack: int, attacker: str) -> dict[str | None, dict[str, float]]:
    """Figures of an attack, by column and name."""
    figures: dict[str | None, dict[str, float]] = {}
    for row in _of_few(
        "SELECT metric, value, sensitive FROM bkpriv.attack_record "
        "WHERE (release, attack, attacker) = ($1, $2, $3) ORDER BY place",
        (["bigint", "bigint", "text"], [release, attack, attacker]),
        _MOST_FIGURES,
        f"the attacks on release {release} are unsound",
        f"One has more than {_MOST_FIGURES} figures, which none has.",
    ):
        figures.setdefault(row["sensitive"], {})[row["metric"]] = row["value"]
    return figures


def _left_out(release: int, task: Task) -> tuple[SuppressedKind, ...]:
    """Kinds of records that were left out; none where that cannot be told any more."""
    try:
        rows = explain(release, _KINDS, task)
    except BkprivError as error:
        telling.notice(
            f"why release {release} left records out is not reported",
            detail=f"{error.message}. {error.detail}",
            hint=error.hint,
        )
        return ()
    return tuple(
        SuppressedKind(qi, records, requirement, threshold, attained=attained)
        for qi, records, requirement, _, threshold, attained, *_ in rows
    )


def _shown(dataset: str, own: Mapping[str, Any], exhibits: Sequence[Any]) -> tuple[ViewColumn, ...]:
    """Columns of the views that show the release, with their comments."""
    shown: list[ViewColumn] = []
    for exhibit in exhibits:
        view = View(own["view_schema"], own["view_name"]).of(exhibit)
        if find_view(view, exhibit, dataset, own["owner"], only=own["release"]) is None:
            continue
        rows = run(
            "SELECT attname AS name, format_type(atttypid, atttypmod) AS type, "
            f"coalesce(left(col_description(attrelid, attnum), {_COMMENTED}), '') AS comment "
            "FROM pg_attribute JOIN pg_class c ON c.oid = attrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = $1 AND c.relname = $2 AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum",
            ["text", "text"],
            [view.schema, view.name],
        )
        shown += [ViewColumn(view.name, row["name"], row["type"], row["comment"]) for row in rows]
    return tuple(shown)


def _events(release: int) -> tuple[tuple[Event, ...], int]:
    """The latest events of a release, and how many there are."""
    rows = run(
        f"SELECT kind, reason, by, {_when('e.at')} AS at, count(*) OVER () AS happened "
        "FROM bkpriv.release_event AS e WHERE release = $1 "
        f"ORDER BY e.at DESC, event DESC LIMIT {_LISTED}",
        ["bigint"],
        [release],
    )
    events = tuple(
        Event(row["at"], row["kind"], row["reason"], row["by"]) for row in reversed(rows)
    )
    return events, rows[0]["happened"] if rows else 0


def _siblings(dataset: str, owner: str, release: int) -> tuple[Sibling, ...]:
    """The latest releases of a dataset, and one of them."""
    # A status takes a search of the catalog, so only those of the releases listed are wanted.
    rows = run(
        "SELECT s.release, s.period, s.method, s.status, s.records, s.suppressed, "
        "s.options ->> 'max_records_per_person' IS NOT NULL AS persons, "
        f"{_when('s.created_at')} AS at FROM bkpriv.releases AS s "
        "WHERE s.release = ANY (ARRAY(SELECT r.release FROM bkpriv.release AS r "
        "WHERE (r.dataset, r.owner) = ($1, $2) "
        f"ORDER BY r.release = $3 DESC, r.release DESC LIMIT {_LISTED})) ORDER BY s.release",
        ["text", "text", "bigint"],
        [dataset, owner, release],
    )
    return tuple(
        Sibling(
            release=row["release"],
            period=row["period"],
            method=row["method"],
            status=row["status"],
            at=row["at"],
            records=row["records"],
            suppressed=row["suppressed"],
            unit="persons" if row["persons"] else "records",
        )
        for row in rows
    )


def _others(dataset: str, owner: str) -> int:
    """Count the releases of a dataset, but for one."""
    (row,) = run(
        "SELECT count(*) - 1 AS others FROM bkpriv.release WHERE (dataset, owner) = ($1, $2)",
        ["text", "text"],
        [dataset, owner],
    )
    return int(row["others"])


def _readers(release: int) -> tuple[str, ...]:
    """Roles that may read a release now, as in SQL."""
    rows = run(
        "SELECT reader FROM bkpriv_internal.readers_of($1) AS reader ORDER BY reader",
        ["bigint"],
        [release],
    )
    return tuple(row["reader"] or "roles that are not known" for row in rows)
