"""Exploration: policies tried in turn on one reading of a source; nothing is published."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from bkpriv_core.belief.knowledge import state_knowledge
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import BkprivError
from bkpriv_core.exploration import Shared, list_policies, shared_readers, try_out
from bkpriv_core.method import Job
from bkpriv_core.policy import Policy
from bkpriv_core.query.bound import Asked
from bkpriv_core.table.scale import units_of
from bkpriv_core.utility.comparison import usual_queries
from bkpriv_pl.publishing.request import read_method, read_policy
from bkpriv_pl.publishing.subject import Subject
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json, run
from bkpriv_pl.server.memory import BUDGET
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.dataset import Dataset, find_dataset, open_source
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.period import require_period
from bkpriv_pl.tables.persons import kept_of, records_of

__all__ = ["explore"]

_Kind = tuple[bool, frozenset[str]]
"""Policies that share priors: whether they tell respondents apart, and else their adversaries."""

_KEPT = BUDGET // 4
"""Bytes of priors that are kept for later policies."""

_MANY = 0.05
"""Share of the records that may be left out without a word."""


class _Settings:
    """Settings of policies that are tried on a subject."""

    def __init__(self, subject: Subject, policies: Collection[Policy]) -> None:
        self._subject = subject
        adversaries = frozenset[str]().union(*map(_written, policies))
        self._fitting = subject.growth.table.counts.size * 8 * len(adversaries) <= _KEPT
        self._policies = policies
        self._kept: dict[_Kind, ThreatModel] = {}
        self._shared: dict[_Kind, Shared] = {}

    def _kind(self, policy: Policy) -> _Kind:
        about = any(item.tells_apart for item in policy.requirements)
        return about, frozenset() if self._fitting else _written(policy)

    def shared(self, policy: Policy) -> Shared:
        """Findings that trials share: readers are those of policies that share their priors."""
        kind = self._kind(policy)
        if kind not in self._shared:
            alike = (each for each in self._policies if self._kind(each) == kind)
            every = [item for each in alike for item in each.requirements]
            readers = shared_readers(self.of(policy), every)
            self._shared[kind] = Shared(readers, self._asked)
        return self._shared[kind]

    @cached_property
    def _asked(self) -> Asked | None:
        return usual_queries(self._subject.growth.table, POLLED)

    def of(self, policy: Policy) -> ThreatModel:
        """Set a policy out; those of a kind share their priors, as far as memory allows."""
        kind = self._kind(policy)
        if kind not in self._kept:
            if not self._fitting:
                self._kept.clear()
            library = PriorTables(())
            threat, _ = self._subject.set_out(policy.requirements, library, stored=False)
            self._kept[kind] = threat
        return self._kept[kind]


def _written(policy: Policy) -> frozenset[str]:
    """Knowledge of the adversaries of a policy, as text."""
    return frozenset(
        json.dumps(state_knowledge(knowledge), sort_keys=True)
        for requirement in policy.requirements
        for knowledge in requirement.knowledge
    )


@entry(Access.SOURCE)
def explore(
    dataset: str | None,
    policies: str | None,
    method: str | None,
    options: str | None,
    period: str | None,
    draft: bool | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explore``."""
    registered = find_dataset(dataset)
    way, chosen = read_method(registered, method, from_json(options, "options"))
    chosen = chosen.drafted if draft else chosen
    listed = list_policies(None if policies is None else from_json(policies, "policies"))
    within = require_period(registered, period)
    figures: dict[int, dict[str, float | None]] = {}
    understood: dict[int, Policy] = {}
    for place, stated in enumerate(listed, start=1):
        try:
            _, understood[place] = read_policy(registered, way, chosen, stated)
        except BkprivError as error:
            figures[place] = _refused(place, error)
    task = Task("bkpriv explore")
    if understood:
        task.step("counting")
        read = replace(registered, attributes=())
        subject = Subject.read(read, within, way, chosen, kept=kept_of(chosen, registered))
        records = _count_records(subject)
        for place, found in _tried(subject, understood, task).items():
            figures[place] = found if "refused" in found else {**found, "records": records}
        _tell_units(subject, understood.values())
        _warn_of_lost(figures)
        _warn_of_unread(records, records_of(subject.source.table))
    _warn_of_others(registered)
    task.done()
    return iter(
        [
            (place, json.dumps(listed[place - 1]), metric, figure)
            for place in sorted(figures)
            for metric, figure in figures[place].items()
        ]
    )


def _tried(
    subject: Subject, policies: Mapping[int, Policy], task: Task
) -> dict[int, dict[str, float | None]]:
    """Figures of policies by their places, each tried."""
    figures = {}
    settings = _Settings(subject, policies.values())
    trying = task.step(f"trying {len(policies)} {'policies' if len(policies) > 1 else 'policy'}")
    for done, (place, policy) in enumerate(policies.items()):
        trying.report(done / len(policies))
        try:
            threat = settings.of(policy)
            job: Job[Any] = Job(
                threat,
                policy.requirements,
                subject.options,
                subject.options.chance(),
                progress=trying.quiet,
            )
            figures[place] = try_out(
                subject.method, job, subject.growth, policy.query_error, settings.shared(policy)
            )
        except BkprivError as error:
            figures[place] = _refused(place, error)
    return figures


def _count_records(subject: Subject) -> int:
    """Count the records of the source, of which some may not be kept."""
    if subject.kept is None:
        return subject.source.table.records
    period, source = subject.period, open_source(subject.dataset)
    within = "" if period is None else f" WHERE {period.condition('s')}"
    types, values = ([], []) if period is None else (["text"], [period.text])
    counted: int = run(f"SELECT count(*) AS n FROM {source} AS s{within}", types, values)[0]["n"]
    return counted


def _refused(place: int, error: BkprivError) -> dict[str, float | None]:
    """Say why a policy cannot be published under; that is its only figure."""
    notices.notice(
        f"policy {place} is refused: {error.message}", detail=error.detail, hint=error.hint
    )
    return {"refused": 1.0}


def _tell_units(subject: Subject, policies: Collection[Policy]) -> None:
    """Say what the bandwidths of policies mean in the units of the columns."""
    bandwidths = (
        state_knowledge(knowledge)
        for policy in policies
        for requirement in policy.requirements
        for knowledge in requirement.knowledge
    )
    if units := units_of(subject.growth.table.quasi_identifiers, bandwidths):
        notices.notice(
            "bandwidths are differences in the unit of each column",
            detail=f"{'; '.join(units)}.",
        )


def _warn_of_lost(figures: Mapping[int, Mapping[str, float | None]]) -> None:
    """Say under which policies many records would be left out."""
    shares = {place: figures[place].get("suppressed_share") or 0.0 for place in sorted(figures)}
    lost = {place: share for place, share in shares.items() if share > _MANY}
    if lost:
        notices.notice(
            f"{len(lost)} of {len(figures)} policies leave out over {_MANY:.0%} of the records",
            detail="; ".join(f"policy {place}: {share:.1%}" for place, share in lost.items()) + ".",
            hint="They find no group that satisfies the policy. Weaken it, or leave out columns: "
            "what many columns and a sharp adversary tell of a person, no group hides.",
        )


def _warn_of_unread(records: int, read: int) -> None:
    """Say how many records of people would not be published, whatever the policy."""
    if read < records:
        notices.notice(
            f"{records - read} of {records} records of people are not published, under any policy",
            detail="Option max_records_per_person leaves them out.",
            hint='Publish all of them with {"max_records_per_person": "all"}, if the '
            "quasi-identifiers of a person are the same in all records.",
        )


def _warn_of_others(dataset: Dataset) -> None:
    """Say that what releases tell together is not judged, where there are others."""
    others = run(
        "SELECT count(*) AS n FROM bkpriv_internal.live_releases($1, $2)",
        ["text", "text"],
        [dataset.name, dataset.owner],
    )[0]["n"]
    if others:
        notices.notice(
            f'dataset "{dataset.name}" has {others} release{"s" * (others > 1)} already',
            detail="Each policy was tried by itself. What its release would tell together with "
            "those was not judged; publish does.",
            hint="See bkpriv.audit_together once it is published.",
        )
