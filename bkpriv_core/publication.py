"""Publications without a database: programs publish, audit, explore and attack tables in memory.

A program does here what a session of the server does in SQL, with the same methods, policies and
measures. Nothing is recorded. So there are no earlier releases to certify a release together with,
no respondents, no insensitive attributes and no knowledge from tables. Options and requirements
about these are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bkpriv_core.attack import Metric, Target, find_attacker, metrics
from bkpriv_core.attack import parse_options as parse_attack
from bkpriv_core.audit import Finding, draw_finding, findings, judge_queries, unmet
from bkpriv_core.belief.posterior import check_estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import (
    PositiveDisclosure,
    certainties,
    counted_sure,
    weak_certainties,
)
from bkpriv_core.compatibility import Plan, Space, check
from bkpriv_core.count import EXCHANGE, Count
from bkpriv_core.errors import BkprivError, InvalidParameter, TooLarge
from bkpriv_core.evidence import Evidence, count_exchanging, judge
from bkpriv_core.exploration import Shared, list_policies, shared_readers, try_out
from bkpriv_core.method import DEFAULT_METHOD, Job, Method, find_method, parse_options
from bkpriv_core.method.growing import stand
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.policy import Policy, complete, parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.listing import Columns, list_columns
from bkpriv_core.release.release import Exhibit, Release
from bkpriv_core.requirement import check_binding
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.respondent import NOBODY
from bkpriv_core.table.table import Table
from bkpriv_core.utility.comparison import usual_queries
from bkpriv_core.verdict import Verdict

__all__ = ["Publication", "explore", "publish"]

_OF_DATABASES = (
    *("materialized", "distribute_by", "if_stale", "nulls", "grow", "departed"),
    *("max_records_per_person", "latest_by"),
)
"""Options about views, earlier releases and how a source is read."""

_CUSTOMARY_BANDWIDTH = 0.3
"""Bandwidth that stands in for an adversary who remembers nothing."""


@dataclass(frozen=True, eq=False)
class Publication:
    """A release that was made of a table."""

    release: Release
    """The table, its groups, and the form in which they are shown."""
    policy: Policy
    options: Any
    threat: ThreatModel
    """Adversaries' beliefs about the release's parts."""

    @cached_property
    def tables(self) -> Mapping[Exhibit, Columns]:
        """Tables as readers see them, by name and column: see `bkpriv_core.release.listing`.

        All releases have "records"; those that are bucketized have "sensitive" as well, and those
        that are randomized "randomization".
        """
        chance = self.options.chance()
        exhibits = self.release.form.exhibits
        return {exhibit: list_columns(self.release, exhibit, chance) for exhibit in exhibits}

    def audit(self, policy: object = None, estimator: str = "auto") -> list[Finding]:
        """Measure how the release satisfies a policy, its own without another.

        Returns:
            Findings, one for each bound, with the people of whom its reader becomes sure.
        """
        stated = self.policy
        if policy is not None:
            names = _sensitive(self.release.table)
            stated = _parsed(policy, publishing=False).about(names, dataset="table")
        requirements, chosen = stated.requirements, check_estimator(estimator)
        if self.release.partition is None:
            bound = bound_of(requirements) if requirements else None
            rows = [] if bound is None else [draw_finding(self.release, bound, self.options.scheme)]
        else:
            groups = self.release.groups
            measured = [item.measure(self.threat, groups, chosen) for item in requirements]
            rows = findings(self.threat, groups, requirements, measured, estimator=chosen)
            if any(item.knowledge for item in requirements):
                sure = certainties(self.threat, groups, requirements, chosen)
                rows = counted_sure(rows, sure)
        if stated.query_error is not None:
            rows.append(judge_queries(self.release, stated.query_error))
        return rows

    def verdict(self) -> Verdict:
        """Judge whether the release satisfies its policy, and what a person has to judge."""
        return judge(
            Evidence(
                published=self.release,
                shown=self.release,
                persons=False,
                findings=self.audit(),
                sure=self._sure(certainties),
                weak=self._sure(weak_certainties),
                exchange=self._exchange(),
            )
        )

    def _sure(
        self, count: Callable[..., list[PositiveDisclosure]]
    ) -> list[PositiveDisclosure] | BkprivError:
        if self.release.partition is None:
            return []
        try:
            return count(self.threat, self.release.groups, self.policy.requirements)
        except BkprivError as error:
            return error

    def _exchange(self) -> Count | None:
        try:
            return count_exchanging(self.release, self.threat, self.policy.requirements)
        except TooLarge:
            return Count(EXCHANGE, {}, None, self.release.table.records)

    def attack(
        self, attacker: str = "learner", options: Mapping[str, Any] | None = None
    ) -> list[Metric]:
        """Play an attacker of `bkpriv_core.attack`, and compare beliefs with the truth."""
        found = find_attacker(attacker)
        chosen = parse_attack(found, options or {})
        outcome = found.attack(Target(self.release, self.threat), chosen, SILENT)
        return metrics(outcome, self.policy.requirements, chosen)


def publish(
    table: Table,
    policy: Mapping[str, Any],
    method: str = DEFAULT_METHOD,
    options: Mapping[str, Any] | None = None,
) -> Publication:
    """Make a release of a table that satisfies a policy.

    Args:
        policy: Requirements, as in SQL: ``{"k_anonymity": {"k": 5}}``.
        method: Name of a method of `bkpriv_core.method`.
        options: Options of the method.

    Raises:
        InvalidParameter: If the policy, method or options mean nothing.
        UnattainableRequirement: If no release of the table satisfies the policy.
    """
    way, chosen = _read_method(method, options)
    taken, _ = way.prepare(table, chosen)
    way.form.check(taken)
    demanded = _read_policy(taken, way, chosen, policy)
    threat = ThreatModel(taken)
    check_binding(demanded.requirements, threat)
    way.check(threat, demanded.requirements, chosen)
    release = way.make(_job(threat, demanded, chosen)).release
    publication = Publication(release, demanded, chosen, threat.over(release.parts))
    bound = demanded.query_error
    if bound is not None and bound.action == "refuse":
        finding = judge_queries(release, bound)
        if not finding.satisfied:
            raise unmet(bound, finding)
    return publication


def explore(
    table: Table,
    policies: object = None,
    method: str = DEFAULT_METHOD,
    options: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Try policies one after another, and measure what each would cost and disclose.

    Args:
        policies: List of policies, or a grid: see `bkpriv_core.exploration`. Without it, the grid
            that is customary.
        method, options: See `publish`.

    Returns:
        Figures of each by their names, with the policy; or why it is refused.
    """
    way, chosen = _read_method(method, options)
    taken, _ = way.prepare(table, chosen)
    way.form.check(taken)
    threat, growth = ThreatModel(taken), stand(taken, NOBODY)
    listed = list_policies(policies)
    understood: dict[int, Policy] = {}
    rows: list[dict[str, Any]] = [{"policy": stated} for stated in listed]
    for place, stated in enumerate(listed):
        try:
            understood[place] = _read_policy(taken, way, chosen, stated)
        except BkprivError as error:
            rows[place]["refused"] = error.message
    every = [item for policy in understood.values() for item in policy.requirements]
    shared = Shared(shared_readers(threat, every), usual_queries(taken))
    for place, demanded in understood.items():
        job = _job(threat, demanded, chosen)
        try:
            rows[place] |= try_out(way, job, growth, demanded.query_error, shared)
        except BkprivError as error:
            rows[place]["refused"] = error.message
    return rows


def _job(threat: ThreatModel, demanded: Policy, options: Any) -> Job[Any]:
    return Job(threat, demanded.requirements, options, options.chance(), SILENT)


def _read_method(name: str, stated: Mapping[str, Any] | None) -> tuple[Method[Any], Any]:
    method = find_method(name)
    for key in stated or {}:
        if key in _OF_DATABASES:
            raise InvalidParameter(
                f"option {key} means nothing without a database",
                detail="It is about views, earlier releases or how a source is read.",
                hint="Leave it out. read_frame has the argument nulls.",
            )
    options = parse_options(method, stated or {})
    return method.with_ranges(options.ranges), options


def _read_policy(table: Table, method: Method[Any], options: Any, stated: object) -> Policy:
    """Read what a release of a table by a method must satisfy."""
    demanded = method.demands(stated, options) if isinstance(stated, Mapping) else stated
    policy = _parsed(demanded)
    check(Plan(Space("table", "table", _sensitive(table)), method, options, policy.requirements))
    return policy.about(_sensitive(table))


def _parsed(stated: object, *, publishing: bool = True) -> Policy:
    return parse_policy(complete(stated, lambda _: _CUSTOMARY_BANDWIDTH), complete=publishing)


def _sensitive(table: Table) -> tuple[str, ...]:
    return tuple(domain.name for domain in columns_of(table.sensitive))
