"""Certainty: people of whom readers of a release become sure, whatever its policy bounds.

A reader becomes *sure* of somebody if they believed something at most one half beforehand, and
believe it above nine tenths afterwards: that the person has a value, or one of the values below a
node of the column's hierarchy. That is a `BeliefBreach`, counted and not bounded. Readers are those
whom a policy names. For a policy that names none, a reader of bandwidth .3 stands in. *Weak*
readers are there under every policy: one who knows only the share of each value in the table, and
for each quasi-identifier one who compares people by it alone.

Counts are exact where posteriors are, and where rigorous bounds prove that nobody in a group is one
of these people, which are asked first about groups of many states; they are estimates elsewhere.
The estimator says which. Readers whom no policy names may not take much of the time of a
publication, so the groups that take longest are estimated, and a table that takes long is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bkpriv_core.audit import Finding, findings
from bkpriv_core.belief.breach import Breach
from bkpriv_core.belief.knowledge import Knowledge, Only, Uniform, state_knowledge
from bkpriv_core.belief.posterior import AUTO_STATES, BOUND, EXACT, Estimator, exact_states
from bkpriv_core.belief.prior import kernel_effort
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import TooLarge, as_json
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import BeliefBreach, BeliefRequirement, Measurement, Requirement
from bkpriv_core.requirement.base import SLACK
from bkpriv_core.requirement.breach import CUSTOMARY, SURE
from bkpriv_core.requirement.scope import Scope
from bkpriv_core.table.combination import Combination, HasValue, columns_of, marginals_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = [
    "MadeSure",
    "PositiveDisclosure",
    "certainties",
    "counted_sure",
    "in_groups_of_one_value",
    "known_by_columns",
    "made_sure_in",
    "most_known",
    "most_sure",
    "readers",
    "weak_certainties",
    "weak_readers",
]

_MOST_BELIEFS = 2**22
"""Limit of the numbers that are the beliefs of the reader who stands in, arrays of 32 MB."""

_MOST_EFFORT = 1e10
"""Limit of the multiply-adds that these may take; some seconds."""

_MOST_STATES = 2**22
"""Limit of the states of groups inferred exactly for the reader who stands in; a second or two."""


@dataclass(frozen=True)
class PositiveDisclosure:
    """People of whom a reader becomes sure."""

    reader: Any
    """Knowledge of the reader, as JSON states it."""
    customary: bool
    """Whether no requirement names a reader, and this one stands in."""
    about: Mapping[str, Any]
    """The sensitive column, or all jointly, where there are several."""
    records: int
    """Records, or persons where these have several, of whom they become sure."""
    right: int
    """Number of these who have the value of which the reader becomes sure."""
    anyway: int
    """Number of records of which some value was believed as surely beforehand."""
    by_shares: int
    """Number of these of which one who knows only the table's shares is as sure."""
    worst: float
    """The most that is believed of anything that was believed at most one half; if that makes
    nobody sure, and bounds prove it, an upper bound.
    """
    estimator: str
    estimated: int
    """Number of records for which it is an estimate, which may understate."""


def readers(
    requirements: Sequence[Requirement], threat: ThreatModel
) -> tuple[list[tuple[Knowledge, Scope]], bool]:
    """Readers of a release, and the columns that each is kept from; each once.

    Args:
        requirements: Requirements that the release must keep, as it is about the table's columns.

    Returns:
        The readers whom requirements name; else one who stands in, for each sensitive column.
    """
    every = _columns(threat.table.sensitive)
    found: list[tuple[Knowledge, Scope]] = []
    for item in requirements:
        if isinstance(item, BeliefRequirement):
            named = [
                (knowledge, Scope(sensitive=regard.sensitive, joint=regard.joint))
                for (knowledge, _), regard in zip(item.skyline, item.regarding, strict=True)
            ]
        else:
            named = [(knowledge, sight) for knowledge in item.knowledge for sight in every]
        found += [one for place, one in enumerate(named) if one not in [*found, *named[:place]]]
    if found:
        return found, False
    return [(CUSTOMARY, sight) for sight in every], True


def certainties(
    threat: ThreatModel,
    groups: Groups,
    requirements: Sequence[Requirement],
    estimator: Estimator = "auto",
    progress: Progress | None = None,
) -> list[PositiveDisclosure]:
    """Count the people of whom the readers of a release become sure.

    Args:
        threat: The table as it is published, and what adversaries know of it.
        requirements: Requirements of the release's policy, or those that it is audited for; see
            `readers`.
        estimator: Estimator of posteriors; not for the reader who stands in, see the module.
        progress: Receives the share that is done.

    Returns:
        Certainties, one for each reader and what they are kept from, in the order of the
        requirements.

    Raises:
        TooLarge: If a reader stands in, and counting takes long.
    """
    named, customary = readers(requirements, threat)
    ways: list[_Way] = [(np.ones(len(groups), dtype=bool), estimator)]
    if customary and named:
        _check_effort(threat)
        ways = _affordable(threat, groups, "auto")
    return _counted(threat, groups, named, ways, customary=customary, progress=progress)


def weak_certainties(
    threat: ThreatModel,
    groups: Groups,
    requirements: Sequence[Requirement],
    progress: Progress | None = None,
) -> list[PositiveDisclosure]:
    """Count the people of whom weak readers become sure.

    Args:
        threat, groups, requirements, progress: See `certainties`. Readers whom the requirements
            name are left to it.

    Returns:
        Certainties of the reader who knows only the table's shares; then of those who compare
        people by one quasi-identifier, as many as can be afforded, in the order of the table.
    """
    listed, _ = readers(requirements, threat)
    named = [reader for reader in weak_readers(threat) if reader not in listed]
    ways = _affordable(threat, groups, "auto") if named else []
    return _counted(threat, groups, named, ways, customary=False, progress=progress)


def weak_readers(threat: ThreatModel) -> list[tuple[Knowledge, Scope]]:
    """Weak readers, and the columns that each is kept from; see `weak_certainties`."""
    table = threat.table
    alone = [Only(domain.name) for domain in table.quasi_identifiers]
    most = _MOST_BELIEFS // (table.cells * table.sensitive.size)
    weak: list[Knowledge] = [Uniform(), *(alone if 1 < len(alone) <= most else [])]
    return [(knowledge, sight) for knowledge in weak for sight in _columns(table.sensitive)]


def _counted(
    threat: ThreatModel,
    groups: Groups,
    named: Sequence[tuple[Knowledge, Scope]],
    ways: Sequence[_Way],
    *,
    customary: bool,
    progress: Progress | None,
) -> list[PositiveDisclosure]:
    """Count the people of whom some readers become sure; see `certainties`."""
    if not named:
        return []
    demanded = BeliefBreach.of_sure(tuple(named))
    measured = _measured(threat, groups, demanded, ways, progress=progress)
    rows = findings(threat, groups, [demanded], [measured])
    rights = _rights(threat, groups, demanded, measured, ways=ways)
    people = threat.parts.weights[groups.members]
    found = []
    for place, ((knowledge, sight), row, right) in enumerate(zip(named, rows, rights, strict=True)):
        known = _known(threat, groups, demanded, place, knowledge)
        by_shares = known & _known(threat, groups, demanded, place, Uniform())
        found.append(
            PositiveDisclosure(
                reader=state_knowledge(knowledge),
                customary=customary,
                about=sight.parameters,
                records=row.vulnerable or 0,
                right=right,
                anyway=int(people[known].sum()),
                by_shares=int(people[by_shares].sum()),
                worst=row.worst,
                estimator=row.estimator,
                estimated=row.estimated or 0,
            )
        )
    return found


def most_sure(
    threat: ThreatModel,
    groups: Groups,
    named: Sequence[tuple[Knowledge, Scope]],
    estimator: Estimator,
    progress: Progress | None = None,
) -> int:
    """Count the people of whom the one becomes sure, of some readers, who does so of most.

    Args:
        threat, groups, progress: See `certainties`.
        named: Readers, and what each is kept from; without any, one who stands in.
        estimator: Estimator of posteriors; groups that take longest are estimated by bethe unless
            it is omega, whoever the readers are.

    Returns:
        Number of records, or of persons where these have several: of one sensitive column, if there
        are several and no reader is asked about all jointly.

    Raises:
        TooLarge: If a reader stands in, and counting takes long.
    """
    if not named:
        named, _ = readers((), threat)
        _check_effort(threat)
    demanded = BeliefBreach.of_sure(tuple(named))
    ways = _affordable(threat, groups, estimator)
    measured = _measured(threat, groups, demanded, ways, progress)
    rows = findings(threat, groups, [demanded], [measured])
    return max(row.vulnerable or 0 for row in rows)


def most_known(
    threat: ThreatModel, groups: Groups, named: Sequence[tuple[Knowledge, Scope]]
) -> int:
    """Count the people of whom the one is sure beforehand, of some readers, who is so of most.

    No policy protects these from that reader, who learns nothing new of them.

    Args:
        threat, groups, named: See `most_sure`.

    Returns:
        Number of records, or of persons where these have several, exact.
    """
    named = named or readers((), threat)[0]
    demanded = BeliefBreach.of_sure(tuple(named))
    people = threat.parts.weights[groups.members]
    return max(
        int(people[_known(threat, groups, demanded, place, knowledge)].sum())
        for place, knowledge in enumerate(demanded.knowledge)
    )


def known_by_columns(
    threat: ThreatModel, groups: Groups, named: Sequence[tuple[Knowledge, Scope]]
) -> tuple[int, int]:
    """Count people whose value a reader is sure of beforehand by the quasi-identifiers.

    A value that over nine tenths of the people have does not count: everybody is sure of it.

    Args:
        threat, groups, named: See `most_sure`.

    Returns:
        known: Their number, for the reader who knows most of these.
        possible: Number of all people with such values, in that column.
    """
    named = named or readers((), threat)[0]
    demanded = BeliefBreach.of_sure(tuple(named))
    found = []
    for place, (knowledge, _) in enumerate(demanded.skyline):
        breach = _breach(threat, demanded, place)
        held = breach.values(threat.parts.counts[groups.members].astype(np.float64))
        sure = breach.values(threat.prior(knowledge)[groups.members]) > SURE + SLACK
        rare = held.sum(axis=0) <= SURE * threat.parts.weights[groups.members].sum()
        found.append((int((held * sure)[:, rare].sum()), int(held[:, rare].sum())))
    return max(found, key=lambda pair: pair[0] / max(pair[1], 1))


def in_groups_of_one_value(parts: Parts, groups: Groups) -> int:
    """Count people in groups that share a value of a sensitive column which not all people have.

    Where persons may have several values: one that everybody in the group has.
    """
    histograms, alike = parts.histograms(groups), np.zeros(len(groups), dtype=bool)
    for aspect in marginals_of(parts.table.sensitive):
        found = aspect.count(histograms) > 0
        if found.any(axis=0).sum() > 1:
            shared = found.sum(axis=1) == 1
            # To have it, and not to have it not.
            alike |= shared & found[:, 0] if isinstance(aspect, HasValue) else shared
    return int(parts.sizes(groups)[alike].sum())


def counted_sure(rows: Sequence[Finding], counted: Sequence[PositiveDisclosure]) -> list[Finding]:
    """Findings, each with the number of those of whom its reader becomes sure, if it has one."""
    sure = {
        as_json([each.reader, each.about.get("sensitive"), each.about.get("joint")]): each.records
        for each in counted
    }
    found = []
    for row in rows:
        stated = row.parameters
        key = as_json([stated.get("bandwidth"), stated.get("sensitive"), stated.get("joint")])
        found.append(replace(row, sure=sure.get(key) if "bandwidth" in stated else None))
    return found


@dataclass(frozen=True, eq=False)
class MadeSure:
    """People in each group of whom a reader becomes sure."""

    records: IntArray
    """Shape (g,). Records of which they become sure, in any sensitive column."""
    members: IntArray
    """Shape (g,). The membership of which they become surest; any membership in a group without
    such records.
    """
    values: list[str | None]
    """Value, or node of the hierarchy, of which they become sure."""
    before: FloatArray
    after: FloatArray
    """Shape (g,). Prior and posterior belief in it."""


def made_sure_in(
    threat: ThreatModel, groups: Groups, knowledge: Knowledge, estimator: Estimator
) -> MadeSure:
    """Name the people in each group of whom a reader becomes sure, as `certainties` counts them.

    Args:
        threat, groups, estimator: See `certainties`.
    """
    demanded = BeliefBreach.of_sure(
        tuple((knowledge, sight) for sight in _columns(threat.table.sensitive))
    )
    compared = [regard.comparison(threat) for regard in demanded.regarding]
    adversaries = threat.adversaries([knowledge] * len(compared), compared)
    figures = adversaries.disclosure(groups, estimator).figures
    weights = threat.parts.weights[groups.members]
    broken = np.array(
        [bound.broken(row) for bound, row in zip(demanded.bounds, figures, strict=True)]
    )
    told = [adversaries.explain(groups, estimator, place) for place in range(len(compared))]
    surest = np.argmax([each.figures for each in told], axis=0).tolist()
    return MadeSure(
        groups.sum(weights * broken.any(axis=0)).astype(np.int64),
        np.array([told[most].members[group] for group, most in enumerate(surest)], dtype=np.int64),
        [told[most].label(group, threat.table.sensitive) for group, most in enumerate(surest)],
        np.array([told[most].before[group] for group, most in enumerate(surest)]),
        after=np.array([told[most].after[group] for group, most in enumerate(surest)]),
    )


def _columns(told: Domain) -> tuple[Scope, ...]:
    """Columns that readers are kept from if nothing is said: each sensitive column."""
    several, columns = isinstance(told, Combination), [each.name for each in columns_of(told)]
    return Scope().of(columns if several else [], several, BeliefBreach.key) if columns else ()


_Way = tuple[BoolArray, Estimator]
"""Groups, and the estimator by which they are inferred."""


def _check_effort(threat: ThreatModel) -> None:
    """Refuse tables for which the beliefs of a reader who stands in would take long.

    Raises:
        TooLarge: If the beliefs are many, or computing them takes many operations.
    """
    beliefs = threat.table.cells * threat.table.sensitive.size
    if beliefs > _MOST_BELIEFS or kernel_effort(threat.table, CUSTOMARY) > _MOST_EFFORT:
        raise TooLarge(
            f"what a reader of bandwidth {CUSTOMARY:g} believes of {threat.table.cells} "
            "combinations takes long",
            detail="The policy names no reader, so nobody asked for it.",
            hint="bkpriv.audit counts for readers whom its requirements name, such as "
            f'{{"belief_breach": {{"bandwidth": {CUSTOMARY:g}, "rho1": 0.5, "rho2": 0.9}}}}.',
        )


def _affordable(threat: ThreatModel, groups: Groups, estimator: Estimator) -> list[_Way]:
    """Choose the groups to infer exactly within a budget of states, those of the fewest first.

    The others are estimated by bethe, and all are by omega if that is the estimator.
    """
    if estimator == "omega":
        return [(np.ones(len(groups), dtype=bool), estimator)]
    weights = threat.parts.weights[groups.members]
    states = exact_states(groups, weights, threat.parts.histograms(groups))
    order = np.argsort(states, kind="stable")
    few = np.zeros(len(groups), dtype=bool)
    few[order] = np.cumsum(states[order]) <= _MOST_STATES
    few &= states <= AUTO_STATES
    ways: list[_Way] = [(few, "auto"), (~few, "bethe")]
    return [way for way in ways if way[0].any()]


def _measured(
    threat: ThreatModel,
    groups: Groups,
    demanded: BeliefBreach,
    ways: Sequence[_Way],
    progress: Progress | None,
) -> Measurement:
    """Measure the largest new belief, by the estimator of each group."""
    if len(ways) == 1:
        return _inferred(threat, groups, demanded, ways[0][1], progress)
    figures = np.zeros((len(demanded.skyline), len(groups.members)))
    used = np.full(len(groups), EXACT, dtype=np.int8)
    for place, (some, estimator) in enumerate(ways):
        watched = progress and progress.part(place / len(ways), (place + 1) / len(ways))
        told = _inferred(threat, groups.select(some), demanded, estimator, watched)
        figures[:, some[groups.owner]], used[some] = told.figures, told.used
    return Measurement(figures, used)


def _inferred(
    threat: ThreatModel,
    groups: Groups,
    demanded: BeliefBreach,
    estimator: Estimator,
    progress: Progress | None,
) -> Measurement:
    """Measure the same by one estimator; where bounds prove that nobody is found out, by these."""
    if estimator != "auto":
        return demanded.measure(threat, groups, estimator, progress)
    bounded = demanded.measure(threat, groups, "bound", progress)
    broken = [
        bound.broken(row) for bound, row in zip(demanded.bounds, bounded.figures, strict=True)
    ]
    open_ = (bounded.used == BOUND) & groups.max(np.any(broken, axis=0))
    if open_.any():
        told = demanded.measure(threat, groups.select(open_), estimator, progress)
        bounded.figures[:, open_[groups.owner]], bounded.used[open_] = told.figures, told.used
    return bounded


def _rights(
    threat: ThreatModel,
    groups: Groups,
    demanded: BeliefBreach,
    measured: Measurement,
    ways: Sequence[_Way],
) -> list[int]:
    """Records that have what each reader becomes sure of."""
    rights = [0] * len(demanded.skyline)
    has, false = threat.parts.counts, threat.parts.counterfeits
    has = has if false is None else has - false
    adversaries = threat.adversaries(demanded.knowledge)
    broken = [
        bound.broken(row) for bound, row in zip(demanded.bounds, measured.figures, strict=True)
    ]
    where = groups.max(np.any(broken, axis=0))
    for among, estimator in ways:
        some = groups.select(among & where)
        if not len(some):
            continue
        inferred = adversaries.posterior(some, estimator)
        for place, knowledge in enumerate(demanded.knowledge):
            prior = threat.prior(knowledge)[some.members]
            found = _breach(threat, demanded, place).found_out(
                prior, inferred.beliefs[place], SURE + SLACK
            )
            rights[place] += int((has[some.members] * found).sum())
    return rights


def _known(
    threat: ThreatModel, groups: Groups, demanded: BeliefBreach, place: int, knowledge: Knowledge
) -> BoolArray:
    """Members of whom one with that knowledge is sure beforehand, of what a bound is about."""
    prior = threat.prior(knowledge)[groups.members]
    return _breach(threat, demanded, place).certain(prior, SURE + SLACK)


def _breach(threat: ThreatModel, demanded: BeliefBreach, place: int) -> Breach:
    distance = demanded.regarding[place].distance(threat)
    assert isinstance(distance, Breach)
    return distance
