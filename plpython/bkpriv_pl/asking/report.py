"""Reports: what audits, utility and history say of a release, as one page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from bkpriv_core.attack import ATTACKERS
from bkpriv_core.attack import Options as AttackerOptions
from bkpriv_core.attack import parse_options as parse_attacker_options
from bkpriv_core.audit import Finding
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.certainty import PositiveDisclosure
from bkpriv_core.errors import BkprivError, InvalidParameter, as_json
from bkpriv_core.method import Options, find_method
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
from bkpriv_pl.asking.audit import Judged, as_row, judge_recorded, measurable, measure
from bkpriv_pl.asking.suppression import explain
from bkpriv_pl.asking.utility import utility_of
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.payload import passed_through
from bkpriv_pl.past.selection import select_beside
from bkpriv_pl.past.source_lineage import bases_of
from bkpriv_pl.past.terms import find_options
from bkpriv_pl.past.verdicts import find_verdict
from bkpriv_pl.publishing.view import View, find_view
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import decode, entry, run
from bkpriv_pl.server.progress import POLLED, Task

__all__ = ["report_html"]

_COMMENTED = 2000
"""Longest comment on a column that a report shows, in characters."""

_KINDS = 10
"""Limit of the kinds of left out records that a report lists."""

_LISTED = 50
"""Limit of the releases of the dataset, and events of the release, that a report lists."""


@entry(Access.RELEASES)
def report_html(release: int | None, audience: str | None) -> str:
    """See ``bkpriv.report_html``."""
    chosen = next((known for known in AUDIENCES if known == audience), None)
    if chosen is None:
        raise InvalidParameter(
            f"there is no audience {as_json(audience)}",
            detail="Outsiders are not told what officers are.",
            hint=f"It is {' or '.join(AUDIENCES)}.",
        )
    row = look_up(release, "dataset, owner, source_schema, source_name, view_schema, view_name")
    task = Task("bkpriv report")
    page = render(_facts(row, chosen, task), chosen)
    task.done()
    return page


def _facts(own: Mapping[str, Any], audience: Audience, task: Task) -> Facts:
    release, of_dataset = own["release"], (own["dataset"], own["owner"])
    (row,) = run(
        "SELECT release, dataset, view_name AS view, policy, method, created_by, status, period, "
        f"stale, records, suppressed, groups, counterfeited, grown_from, {_when('created_at')} AS "
        f"created_at, {_when('now()')} AS made_at, bkpriv.version() AS version, "
        "(SELECT count(*) FROM bkpriv.release_event WHERE release = $1) AS happened, "
        "(SELECT count(*) - 1 FROM bkpriv.release WHERE (dataset, owner) = ($2, $3)) AS others "
        "FROM bkpriv.releases WHERE release = $1",
        ["bigint", "text", "text"],
        [release, *of_dataset],
    )
    method = find_method(row["method"])
    options = find_options(release, method)
    passed = passed_through(release)
    recorded = None if row["status"] == "purged" else find_release(release)
    measured = recorded if audience == "officer" else None
    bounds, audited, judged = _judged(release, measured, task)
    return Facts(
        **row,
        **_of_recorded(recorded),
        source=f"{own['source_schema']}.{own['source_name']}",
        persons=_persons(options, recorded),
        form=method.form.name,
        passed=passed.attributes,
        unpublished=() if recorded is None else _unpublished(own),
        apart=tuple(passed.counted()),
        verdict=find_verdict(release) if judged is None else judged.verdict,
        exchanging=None if judged is None else judged.exchange,
        sure=() if judged is None else tuple(map(_sure, judged.sure)),
        shown=_shown(own, [*method.form.exhibits]),
        bounds=bounds,
        audited=audited,
        left_out=_left_out(release, task) if measured is not None and row["suppressed"] else (),
        attacks=_attacks(release),
        events=_events(release),
        siblings=_siblings(*of_dataset, release),
        elsewhere=tuple(each.release for each in select_beside(*of_dataset, bases_of(release))),
        readers=_readers(release),
        options=_chosen(options),
    )


def _of_recorded(recorded: RecordedRelease | None) -> dict[str, Any]:
    """Facts that the recorded release gives, if it is there."""
    if recorded is None:
        columns: dict[str, Any] = {"quasi_identifiers": (), "sensitive": (), "bins": {}}
        return {**columns, "alone": None, "largest": None, "utility": {}}
    grouped = recorded.partition is not None and recorded.published
    return {
        "quasi_identifiers": tuple(domain.name for domain in recorded.table.quasi_identifiers),
        "sensitive": tuple(domain.name for domain in columns_of(recorded.table.sensitive)),
        "bins": {domain.name: bin_ends(domain) for domain in recorded.columns},
        "alone": uniqueness(recorded),
        "largest": largest_disclosure(recorded, POLLED) if grouped else None,
        "utility": utility_of(recorded),
        "domains": recorded.table.quasi_identifiers,
    }


def _judged(
    release: int, recorded: RecordedRelease | None, task: Task
) -> tuple[tuple[Bounded, ...], tuple[str, str] | None, Judged | None]:
    """Bounds, the time and role of their certification unless now, and the judgement.

    They are measured anew where there is a release to measure.
    """
    bounds, audited = _recorded_audit(release)
    measured = None if recorded is None else _measured(recorded, task)
    if measured is None:
        return bounds, audited, None
    now, judged = measured
    # Several releases together were judged when this one was published.
    together = (bound for bound in bounds if "together" in bound.parameters)
    return (*map(_bounded, now), *together), None, judged


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


def _measured(recorded: RecordedRelease, task: Task) -> tuple[list[Finding], Judged] | None:
    """Audit of the release by its policy, and the judgement; None if it cannot be had any more."""
    try:
        demanded = recorded.policy
        recorded = measurable(recorded, demanded, "auto", own=False)
        found = measure(recorded, demanded, "auto", task)
    except BkprivError as error:
        notices.notice(
            f"release {recorded.release} is reported as it was certified",
            detail=f"It could not be measured again: {error.message}. {error.detail}",
            hint=error.hint,
        )
        return None
    return found, judge_recorded(recorded, found, demanded, "auto", task)


def _sure(one: PositiveDisclosure) -> Sure:
    return Sure(
        parameters={"bandwidth": one.reader, **one.about},
        customary=one.customary,
        became=one.records,
        right=one.right,
        anyway=one.anyway,
        exact=not may_understate(one.estimator),
    )


def _bounded(finding: Finding) -> Bounded:
    """A finding, and what is at fault."""
    row = as_row(finding)
    columns = (*row[:1], dict(finding.parameters), *row[2:8], *row[9:14], finding.most)
    return Bounded(*columns)


def _recorded_audit(release: int) -> tuple[tuple[Bounded, ...], tuple[str, str] | None]:
    """Read the audit by which the release was certified, with its time and author."""
    rows = run(
        "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, "
        f"{_when('audited_at')} AS at, audited_by AS by FROM bkpriv.audits "
        "WHERE audit = (SELECT min(audit) FROM bkpriv.audits WHERE release = $1) "
        "AND release = $1 AND threshold IS NOT NULL",
        ["bigint"],
        [release],
    )
    audited, bounds = None, []
    for row in rows:
        audited = row.pop("at"), row.pop("by")
        bounds.append(Bounded(**{**row, "parameters": json.loads(row["parameters"])}))
    return tuple(bounds), audited


def _attacks(release: int) -> tuple[Attack, ...]:
    """Attack by each attacker that breached most, of the latest by the same options each.

    One that was played by weaker options so hides no other.
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
        options = decode(row["options"], f"options of {name}")
        chosen = _chosen(parse_attacker_options(ATTACKERS[name], options))
        figures = _figures(release, row["attack"], name)
        found[name] = Attack(name, row["at"], row["by"], options, chosen, figures)
    return tuple(found[name] for name in ATTACKERS if name in found)


def _figures(release: int, attack: int, attacker: str) -> dict[str | None, dict[str, float]]:
    """Figures of an attack, by column and name."""
    figures: dict[str | None, dict[str, float]] = {}
    for row in run(
        "SELECT metric, value, sensitive FROM bkpriv.attack_record "
        "WHERE (release, attack, attacker) = ($1, $2, $3) ORDER BY place",
        ["bigint", "bigint", "text"],
        [release, attack, attacker],
    ):
        figures.setdefault(row["sensitive"], {})[row["metric"]] = row["value"]
    return figures


def _left_out(release: int, task: Task) -> tuple[SuppressedKind, ...]:
    """Kinds of records that were left out; none where that cannot be told any more."""
    try:
        rows = explain(release, _KINDS, task)
    except BkprivError as error:
        notices.notice(
            f"why release {release} left records out is not reported",
            detail=f"{error.message}. {error.detail}",
            hint=error.hint,
        )
        return ()
    return tuple(
        SuppressedKind(qi, records, requirement, threshold, attained=attained)
        for qi, records, requirement, _, threshold, attained, *_ in rows
    )


def _shown(own: Mapping[str, Any], exhibits: Sequence[Any]) -> tuple[ViewColumn, ...]:
    """Columns of the views that show the release, with their comments."""
    shown: list[ViewColumn] = []
    for exhibit in exhibits:
        view = View(own["view_schema"], own["view_name"]).of(exhibit)
        dataset, owner, release = own["dataset"], own["owner"], own["release"]
        if find_view(view, exhibit, dataset, owner, only=release) is None:
            continue
        rows = run(
            "SELECT c.relname AS view, attname AS name, format_type(atttypid, atttypmod) AS type, "
            f"coalesce(left(col_description(attrelid, attnum), {_COMMENTED}), '') AS comment "
            "FROM pg_attribute JOIN pg_class c ON c.oid = attrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = $1 AND c.relname = $2 AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum",
            ["text", "text"],
            [view.schema, view.name],
        )
        shown += [ViewColumn(**row) for row in rows]
    return tuple(shown)


def _events(release: int) -> tuple[Event, ...]:
    """The latest events of a release."""
    rows = run(
        f"SELECT kind, reason, by, {_when('e.at')} AS at FROM bkpriv.release_event AS e "
        f"WHERE release = $1 ORDER BY e.at DESC, event DESC LIMIT {_LISTED}",
        ["bigint"],
        [release],
    )
    return tuple(Event(**row) for row in reversed(rows))


def _siblings(dataset: str, owner: str, release: int) -> tuple[Sibling, ...]:
    """The latest releases of a dataset, and one of them."""
    # A status takes a search of the catalog, so only those of the releases listed are wanted.
    rows = run(
        "SELECT s.release, s.period, s.method, s.status, s.records, s.suppressed, "
        "CASE WHEN s.options ->> 'max_records_per_person' IS NULL THEN 'records' ELSE 'persons' "
        f"END AS unit, {_when('s.created_at')} AS at FROM bkpriv.releases AS s "
        "WHERE s.release = ANY (ARRAY(SELECT r.release FROM bkpriv.release AS r "
        "WHERE (r.dataset, r.owner) = ($1, $2) "
        f"ORDER BY r.release = $3 DESC, r.release DESC LIMIT {_LISTED})) ORDER BY s.release",
        ["text", "text", "bigint"],
        [dataset, owner, release],
    )
    return tuple(Sibling(**row) for row in rows)


def _readers(release: int) -> tuple[str, ...]:
    """Roles that may read a release now, as in SQL."""
    rows = run(
        "SELECT reader FROM bkpriv_internal.readers_of($1) AS reader ORDER BY reader",
        ["bigint"],
        [release],
    )
    return tuple(row["reader"] or "roles that are not known" for row in rows)
