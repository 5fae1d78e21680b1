"""Standing: whether the release that a view shows would be made from the same, and if not, why.

With each release digests of what it was made from are recorded: how the dataset, its hierarchies
and the knowledge that the policy names were declared, and what was read of the source. A release
stands while all of these, the policy's requirements, the method, the options and the period are the
same.

The source counts as unchanged where its watch says so, as `bkpriv.releases` does, and its rows
could not come to read otherwise without a write: no row-level security picks or picked them, and
their types are built in. A write that the watch saw decides, unless the release is of a period.
Else the source is read again and its fingerprint is compared. Where that cannot tell either, as of
records that a lot picked, nothing stands: what may be stale is never called standing.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, get_args

from bkpriv_core.errors import InvalidData, TooLarge, as_json
from bkpriv_core.release.release import Exhibit
from bkpriv_core.table.combination import name_of
from bkpriv_core.table.fingerprint import fingerprint
from bkpriv_pl.past import history
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.terms import find_options
from bkpriv_pl.publishing.request import Request, read_request
from bkpriv_pl.publishing.view import ShownView, find_view
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import decode, entry, run
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.counts import Reading
from bkpriv_pl.tables.dataset import Dataset, columns_of, open_source, read_records
from bkpriv_pl.tables.source import check_readable

__all__ = [
    "Reason",
    "Standing",
    "declarations",
    "explain_publication",
    "find_difference",
    "find_standing",
    "made_from",
    "read_digests",
    "shown_before",
]


class Reason(NamedTuple):
    """Reason why a release would be made anew: what changed, in a word, and how."""

    changed: str
    how: str


@dataclass(frozen=True)
class Standing:
    """Release that stands where one is asked for, if one does."""

    release: int | None
    reasons: tuple[Reason, ...]
    """Reasons why it would be made anew; none if it stands."""


@entry(Access.SOURCE)
def explain_publication(
    dataset: str | None,
    policy: str | None,
    view_name: str | None,
    method: str | None,
    period: str | None,
    options: str | None,
    view_schema: str | None,
) -> list[tuple[int | None, str | None, str]]:
    """See ``bkpriv.explain_publication``."""
    request = read_request(
        dataset,
        policy,
        view_name,
        method,
        period=period,
        options=options,
        view_schema=view_schema,
    )
    standing = find_standing(request, shown_before(request))
    if not standing.reasons:
        return [(standing.release, None, "nothing changed since the release was made")]
    return [(standing.release, *reason) for reason in standing.reasons]


def shown_before(request: Request) -> dict[Exhibit, ShownView]:
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


def find_standing(request: Request, shown: Mapping[Exhibit, ShownView]) -> Standing:
    """Find the release that stands where one is asked for, or why none does.

    Args:
        shown: Result of `shown_before`.
    """
    records = shown.get("records")
    if records is None:
        return Standing(None, (Reason("view", f"nothing is published as {request.view}"),))
    release = records.release
    if history.happened(release, "withdrawn"):
        return Standing(release, (Reason("view", f"release {release} was withdrawn"),))
    # Nobody is told of a source from which they could not publish.
    dataset = request.dataset
    check_readable(open_source(dataset), (*dataset.measured, *dataset.attributes, *dataset.extras))
    reasons = [*_views_changed(request, shown, release), *_terms_changed(request, release)]
    recorded = read_digests(release)
    reasons += _declarations_changed(request, recorded)
    stale, why = _watched(release)
    # A write to another period is none to this one; only the records tell.
    if stale and request.period is None:
        reasons.append(Reason("source", f"release {release} is stale: {why}"))
    watched = stale is False and recorded["written_only"] and _written_only(dataset)
    if not reasons and not watched:
        reasons += _source_changed(request, recorded)
    return Standing(release, tuple(reasons))


def made_from(request: Request, source: Reading) -> dict[str, str | None]:
    """Digests of what a release is made from, by what that is.

    Args:
        source: Records as `read_records` gave them.

    Returns:
        Digests; None for records that a lot picked, so that no reading is like another. And whether
        what was read could change by writes alone: "true", or None.
    """
    return _declarations(request) | {
        "records": None if _by_lot(request) else fingerprint(*source),
        "written_only": "true" if _written_only(request.dataset) else None,
    }


def _by_lot(request: Request) -> bool:
    """Whether some of a person's records are read, and ties at least are drawn by lot."""
    return request.kept is not None and request.kept.most is not None


def _declarations(request: Request) -> dict[str, str]:
    """Digests of what was declared, and of the knowledge that the policy names."""
    dataset = request.dataset
    (row,) = run(
        "SELECT (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(k) - 'set_at') ORDER BY name "
        "COLLATE \"C\"), '[]') FROM bkpriv.sequential_knowledge k "
        "WHERE dataset = $1 AND name = ANY ($2))::text AS sequences",
        ["text", "text[]"],
        [dataset.name, sorted(_named(request.stated, "sequence"))],
    )
    known, told = dataset.quasi_identifiers, name_of(dataset.sensitive_columns)
    tables = {
        name: request.library.digest(name, known, told)
        for name in sorted(_named(request.stated, "table"))
    }
    return declarations(dataset) | {"knowledge": _digest([row["sequences"], tables])}


def declarations(dataset: Dataset) -> dict[str, str]:
    """Digests of how a dataset and its hierarchies are declared, by what that is."""
    columns = columns_of(dataset)
    names = (*dataset.measured, *dataset.attributes, *dataset.extras)
    stated = [
        [dataset.source, dataset.quasi_identifiers, dataset.sensitive_columns, dataset.attributes],
        [dataset.respondent, dataset.period, dict(dataset.bins)],
        [[columns[name].declared_as, columns[name].collation] for name in names],
        *([dict(dataset.scales)] if dataset.scales else []),
    ]
    # Columns that a later version adds are NULL where nothing uses them.
    (row,) = run(
        # The order of a table's rows means nothing.
        "SELECT (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(h) || jsonb_build_object("
        "'levels', (SELECT jsonb_agg(path ORDER BY path) FROM jsonb_array_elements("
        "CASE WHEN levels IS NOT NULL THEN to_jsonb(levels) END) AS path))) "
        "ORDER BY attribute COLLATE \"C\"), '[]') "
        "FROM bkpriv.hierarchy h WHERE dataset = $1)::text AS hierarchies",
        ["text"],
        [dataset.name],
    )
    return {"dataset": _digest(stated), "hierarchies": _digest(row["hierarchies"])}


def _named(stated: object, kind: str) -> set[str]:
    """Names that requirements have by a key, such as those of tables."""
    if isinstance(stated, Mapping):
        name = stated.get(kind)
        own = {name} if isinstance(name, str) else set()
        return own.union(*(_named(item, kind) for item in stated.values()))
    if isinstance(stated, list):
        return set().union(*(_named(item, kind) for item in stated))
    return set()


def _digest(stated: object) -> str:
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


def read_digests(release: int) -> Mapping[str, str | None]:
    """Digests of `made_from` that a release has; None where one is missing."""
    rows = run(
        "SELECT key, value FROM bkpriv.release_content, jsonb_each_text(made_from) "
        "WHERE release = $1",
        ["bigint"],
        [release],
    )
    return defaultdict(lambda: None, {row["key"]: row["value"] for row in rows})


def _views_changed(
    request: Request, shown: Mapping[Exhibit, ShownView], release: int
) -> Iterator[Reason]:
    """Tell whether the views are not, or not all, those that the release was published by."""
    rows = run(
        "SELECT format('%I.%I', n.nspname, c.relname) AS name "
        "FROM bkpriv_internal.views_of($1) AS v JOIN pg_class c ON c.oid = v.view "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE v.readable AND "
        "bkpriv_internal.as_published(v.view, v.release_table)",
        ["bigint"],
        [release],
    )
    whole = {row["name"] for row in rows}
    for exhibit in request.method.form.exhibits:
        view, there = request.view.of(exhibit), shown.get(exhibit)
        if there is None:
            yield Reason("view", f"nothing is published as {view}")
        elif (
            there.release != release
            or str(view) not in whole
            or there.materialized != request.options.materialized
        ):
            yield Reason("view", f"{view} is not as release {release} was published")


def _terms_changed(request: Request, release: int) -> Iterator[Reason]:
    """Compare policy, method, options and period."""
    row = look_up(release, "requirements, method, period")
    then, now = decode(row["requirements"], "requirements"), json.loads(json.dumps(request.stated))
    for key in sorted({*then, *now}):
        if then.get(key) != now.get(key):
            yield Reason("policy", f"{key} was {_shown(then, key)}, and is {_shown(now, key)}")
    if row["method"] != request.method.name:
        yield Reason("method", f"it was {row['method']}, and is {request.method.name}")
    else:
        # Not how the call was made: these say nothing of the release.
        wanted = replace(request.options, seed=None, if_stale=False)
        made = find_options(release, request.method)
        for name, value in vars(wanted).items():
            if getattr(made, name) != value:
                yield Reason(
                    "options",
                    f"{name} was {as_json(getattr(made, name))}, and is {as_json(value)}",
                )
    period = None if request.period is None else request.period.text
    if row["period"] != period:
        yield Reason("period", f"it was {as_json(row['period'])}, and is {as_json(period)}")


def _shown(stated: Mapping[str, Any], key: str) -> str:
    return as_json(stated[key]) if key in stated else "not stated"


def _declarations_changed(request: Request, recorded: Mapping[str, str | None]) -> Iterator[Reason]:
    """Compare the dataset, its hierarchies and the knowledge that the policy names."""
    for changed, digest in _declarations(request).items():
        if recorded[changed] != digest:
            yield Reason(changed, _HOW[changed])


_HOW = {
    "dataset": "the dataset, or the types of its columns, were declared otherwise",
    "hierarchies": "hierarchies or intervals were set or unset",
    "knowledge": "prior tables or sequential knowledge that the policy names have changed",
}
"""Descriptions of changes that digests do not tell more of."""


def _watched(release: int) -> tuple[bool | None, str | None]:
    """Whether a release is stale by the watch of its source, None if unknown, and why."""
    (row,) = run("SELECT stale FROM bkpriv.releases WHERE release = $1", ["bigint"], [release])
    events = run(
        "SELECT reason FROM bkpriv.release_event WHERE release = $1 AND kind = 'stale' "
        "ORDER BY at, event LIMIT 1",
        ["bigint"],
        [release],
    )
    return row["stale"], events[0]["reason"] if events else None


def _written_only(dataset: Dataset) -> bool:
    """Whether what is read of a source changes by writes alone, which a watch sees."""
    columns = columns_of(dataset)
    names = (*dataset.measured, *dataset.attributes, *dataset.extras)
    types = {columns[name].type_name for name in names}
    rows = run(
        "SELECT FROM bkpriv_internal.written_tables($1::regclass::oid) AS w "
        "JOIN pg_class c ON c.oid = w WHERE c.relrowsecurity OR EXISTS (SELECT FROM pg_attribute "
        # What a virtual column computes is another without a write.
        "WHERE attrelid = w AND attgenerated = 'v')",
        ["text"],
        [dataset.source],
    )
    # Others may be renamed: the values of an enumeration, or what a reference refers to.
    return not rows and all(
        name and not name.lstrip("_").startswith(("reg", "aclitem")) for name in types
    )


def _source_changed(request: Request, recorded: Mapping[str, str | None]) -> Iterator[Reason]:
    """Read the source again, and compare what was read."""
    if recorded["records"] is None or _by_lot(request):
        yield Reason(
            "source",
            "whether it changed is not known: it is not watched, and some of each person's "
            "records were picked by lot",
        )
        return
    try:
        how = find_difference(request.dataset, request.period, request.kept, recorded)
    except (InvalidData, TooLarge) as error:
        how = f"it cannot be read as it was: {error.message}"
    if how is not None:
        yield Reason("source", how)


def find_difference(
    dataset: Dataset,
    period: Period | None,
    kept: ContributionBound | None,
    recorded: Mapping[str, str | None],
) -> str | None:
    """Read a source as it was published, and tell how it differs; None if it does not.

    Args:
        period, kept: Period and records of each person that were published.
        recorded: Digests of what was read then; see `made_from`.

    Raises:
        InvalidData: If it cannot be read as it was.
    """
    source = read_records(dataset, "category", period, kept=kept)
    if fingerprint(*source) == recorded["records"]:
        return None
    return "what is read of it differs from what was published"
