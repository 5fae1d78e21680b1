"""Publication: from a source to a certified, frozen release behind a view.

Everything happens in the caller's transaction: a failure or cancellation leaves nothing. The source
is read once; the release is written from the cells and counts that the reading gave, so that
it cannot disagree with them. Publications of one dataset take turns.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.certification import Certificate, certify
from bkpriv_core.domain import Table
from bkpriv_core.errors import InvalidData, InvalidParameter, UnattainableRequirement
from bkpriv_core.options import Options, parse_options
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.policy import parse_policy
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.setting import Setting
from bkpriv_pl import history
from bkpriv_pl.boundary import Refusal, entry, from_json, require, run
from bkpriv_pl.dataset import Dataset, find_dataset, read_table, take_turn
from bkpriv_pl.policy import find_policy
from bkpriv_pl.progress import Progress, poll
from bkpriv_pl.relation import View, find_view, parse_view_name, put_view
from bkpriv_pl.snapshot import write_snapshot

__all__ = ["METHODS", "publish", "withdraw"]

METHODS = ("mondrian",)
"""Ways to form groups."""

_WRITERS_SECONDS = 3.0
"""How long a publication waits for writers of the source before it calls itself stale."""


@dataclass(frozen=True)
class _Request:
    """A validated call of publish."""

    dataset: Dataset
    policy: str
    stated: dict[str, object]
    requirements: tuple[Requirement, ...]
    view: View
    method: str
    period: str | None
    options: Options
    options_text: str


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
    _refuse_old_snapshot()
    request = _validated(dataset, policy, view_name, method, period, options, view_schema)
    progress = Progress("bkpriv publish")
    progress.step("waiting for its turn")
    take_turn(request.dataset.name)
    find_dataset(request.dataset.name)  # It may have been dropped meanwhile.
    previous = find_view(request.view, request.dataset.name, request.dataset.owner)
    progress.step("counting")
    table = read_table(request.dataset, request.options.nulls)
    setting = Setting(table, request.options.smoothing, poll=poll)
    progress.step("weighing knowledge")
    check_attainable(request.requirements, setting)
    groups = mondrian(setting, request.requirements, progress=progress.step("partitioning"))
    certificate = certify(
        setting,
        request.requirements,
        groups,
        request.options.estimator,
        progress=progress.step("certifying"),
    )
    if not len(certificate.groups):
        raise UnattainableRequirement(
            "no group could be certified, so there is nothing to publish",
            detail=f"All {certificate.failed} groups fail, and no merger mends one.",
            hint="Require less strictly, or use coarser quasi-identifiers.",
        )
    progress.step("writing")
    release = _record(request, table, certificate)
    columns = write_snapshot(release, table, request.dataset, certificate.groups, request.options)
    put_view(request.view, release, columns, request.options.materialized, previous)
    if previous is not None:
        history.record_event(
            previous.release, "superseded", f"release {release} took its place in {request.view}"
        )
    progress.step("waiting for writers")
    _settle_staleness(request, table, release)
    progress.done()
    return release


def _refuse_old_snapshot() -> None:
    """Refuse a transaction that does not see what others commit while it waits for them."""
    level = run("SELECT pg_catalog.current_setting('transaction_isolation') AS level")[0]["level"]
    if level in ("repeatable read", "serializable"):
        raise Refusal(
            "25000",
            f"a release can be neither made nor withdrawn in a {level} transaction",
            detail="It would not see what others changed in the source or the views meanwhile.",
            hint="Use a READ COMMITTED transaction.",
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
    found = find_dataset(dataset)
    policy = require(policy, "policy")
    stated = find_policy(policy)
    if method not in METHODS:
        raise InvalidParameter(
            f"there is no method {method!r}",
            detail="A method forms the groups that are published alike.",
            hint=f"Methods are {', '.join(METHODS)}.",
        )
    decoded = from_json(options, "options")
    return _Request(
        found,
        policy,
        stated,
        parse_policy(stated),
        parse_view_name(require(view_name, "view name"), view_schema),
        method,
        period,
        parse_options(decoded),
        json.dumps(decoded),
    )


def _record(request: _Request, table: Table, certificate: Certificate) -> int:
    """Write the release, what it was made from, and its certification into the history."""
    dataset = request.dataset
    release = history.record_release(
        dataset=dataset.name,
        owner=dataset.owner,
        version=history.next_version(dataset.name, dataset.owner),
        source_schema=dataset.source_schema,
        source_name=dataset.source_name,
        view_schema=request.view.schema,
        view_name=request.view.name,
        method=request.method,
        policy=request.policy,
        requirements=json.dumps(request.stated),
        options=request.options_text,
        period=request.period,
        records=table.records,
        suppressed=int(table.weights[certificate.suppressed].sum()),
        groups=len(certificate.groups),
    )
    history.record_content(release, table, certificate.groups)
    rows = history.findings(
        table,
        certificate.groups,
        request.requirements,
        certificate.measurements,
        request.options.smoothing,
    )
    history.record_audit(release, rows)
    estimated = sorted({row.estimator for row in rows} - {"exact"})
    if estimated:
        plpy.notice(
            f"release {release} is certified by estimate in part: {'; '.join(estimated)}",
            detail="The omega estimate may understate what an adversary learns.",
            hint="bkpriv.audit(release, estimator => 'exact') measures it exactly, if slowly, "
            "or says which group is too large.",
        )
    return release


def _settle_staleness(request: _Request, table: Table, release: int) -> None:
    """Keep writers off the source, and mark the release stale if they changed what was read."""
    dataset = request.dataset
    watched = run(
        "SELECT bkpriv._tracked($1, $2, $3) AS tracked",
        ["text", "text", "text"],
        [dataset.name, dataset.source_schema, dataset.source_name],
    )[0]["tracked"]
    if not watched:
        return
    # A writer that saw no such release, by its snapshot, must fail: see _mark_stale.
    run(
        "UPDATE bkpriv.dataset SET registered_at = registered_at WHERE name = $1",
        ["text"],
        [dataset.name],
    )
    if not _writers_held(release):
        history.record_event(release, "stale", "the source was in use by a writer to the end")
    elif not _same_source(dataset, table):
        history.record_event(release, "stale", "the source changed while the release was made")


def _writers_held(release: int) -> bool:
    """Lock the source against writers, if those at work finish soon.

    Each attempt gives up at once: whoever waits for a lock while it holds others may be caught in a
    deadlock, and a writer should not lose its work to a publication.
    """
    deadline = time.monotonic() + _WRITERS_SECONDS
    while not run("SELECT bkpriv._hold_writers($1) AS held", ["bigint"], [release])[0]["held"]:
        if time.monotonic() > deadline:
            return False
        run("SELECT pg_sleep(0.05)")
    return True


def _same_source(dataset: Dataset, table: Table) -> bool:
    """Tell whether the source still holds what was read."""
    try:
        now = read_table(dataset, "category")
    except InvalidData:
        return False
    return (
        now.codes.shape == table.codes.shape
        and now.counts.shape == table.counts.shape
        and np.array_equal(now.codes, table.codes)
        and np.array_equal(now.counts, table.counts)
        and all(
            mine.labels == theirs.labels
            for mine, theirs in zip(
                (*now.quasi_identifiers, now.sensitive),
                (*table.quasi_identifiers, table.sensitive),
                strict=True,
            )
        )
    )


@entry
def withdraw(release: int | None, reason: str | None) -> None:
    """See ``bkpriv.withdraw``."""
    _refuse_old_snapshot()
    reason = require(reason, "reason")
    if release is None:
        raise InvalidParameter(
            "the release is missing", detail="It is NULL.", hint="See the view bkpriv.releases."
        )
    rows = run(
        "SELECT r.view_schema, r.view_name, r.dataset, bkpriv._owns(r.owner) AS owned, "
        "r.owner FROM bkpriv.release r WHERE r.release = $1",
        ["bigint"],
        [release],
    )
    if not rows:
        raise Refusal(
            "42704",
            f"release {release} does not exist",
            detail="Or it belongs to another role.",
            hint="See the view bkpriv.releases.",
        )
    row = rows[0]
    if not row["owned"]:
        raise Refusal(
            "42501",
            f"must be owner of release {release}",
            detail=f'It belongs to "{row["owner"]}".',
            hint="Ask its owner.",
        )
    take_turn(row["dataset"])
    if run(
        "SELECT FROM bkpriv.release_event WHERE release = $1 AND kind = 'withdrawn'",
        ["bigint"],
        [release],
    ):
        raise Refusal(
            "55000",
            f"release {release} is already withdrawn",
            detail="Its data is gone; its history stays.",
            hint="See the view bkpriv.releases.",
        )
    history.record_event(release, "withdrawn", reason)
    view = View(row["view_schema"], row["view_name"])
    shown = find_view(view, row["dataset"], row["owner"], release)
    if shown is not None and shown.release == release:
        shown.drop()
    run("SELECT bkpriv._drop_release_table($1)", ["bigint"], [release])
