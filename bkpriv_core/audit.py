"""Audits: a release held against requirements, and the findings.

Each bound of a requirement is one *finding* about the published records. A record's figure is that
of its cell in its group:

- *worst*: the figure nearest to breaking the bound, or furthest beyond it, of any record;
- *mean*: the mean of the figures over records, so that a large group counts for more;
- *vulnerable*: the number of records whose figures break the bound;
- *satisfied*: whether there are none.

Figures that rest on counts are exact up to rounding. Those that rest on posterior beliefs are as
exact as their inference, which `Finding.estimator` names: exact, or by an estimate that may
understate. Worst, mean and vulnerable are exact functions of the figures.

The *fault* is where to look first: the group with the worst figure and, where a single value is to
blame, how far its probability moved there.

What several releases tell together is about persons instead of records: each that is shown by one
of them counts once.

A bound on the error of queries is about no record: the median error stands for the worst, and
nobody is vulnerable. It is exact for the workload that is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bkpriv_core.belief.posterior import (
    ESTIMATORS,
    EXACT,
    EXACT_STATES,
    Estimator,
    exact_states,
)
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import companion
from bkpriv_core.composition.measurement import Joint
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.bound import QueryError
from bkpriv_core.randomization.risk import risks
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Bound, MaxDisclosure, Measurement, Requirement, Shift
from bkpriv_core.requirement.breach import made_sure
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import AnyArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

__all__ = [
    "Fault",
    "Finding",
    "draw_finding",
    "exactly_auditable",
    "findings",
    "joint_findings",
    "judge_queries",
    "unmet",
]


@dataclass(frozen=True)
class Fault:
    """Case in which a bound is nearest to being broken, or most broken."""

    group: int | None
    """The first group with the worst figure; None in a release without groups, and of several."""
    records: int
    """Size of that group; without groups the records that the shift is about; of several releases
    the persons about whom the same groups tell the same.
    """
    shift: Shift | None
    """The cell and value at fault, and the probability before and after; None if no single value
    is.
    """
    table: Table


@dataclass(frozen=True)
class Finding:
    """One bound, and how a release keeps it; see the module."""

    requirement: str
    parameters: Mapping[str, Any]
    threshold: float
    worst: float
    mean: float
    vulnerable: int | None
    """Records over the bound; None for a bound that is about no record."""
    satisfied: bool
    estimator: str
    """Estimators of the figures, such as "exact, but omega for 3 groups (166 records)". For
    adversaries who remember, their inference of earlier releases is named, too; members of a group
    are taken as independent afterwards: "exact, given earlier releases by bethe" is an estimate.
    """
    fault: Fault | None = None
    """None if it was not asked for, or the bound is about no group."""
    estimated: int | None = None
    """Records whose figures rest on an estimate; None where it is not about records of one release
    in groups.
    """
    sure: int | None = None
    """Number of people of whom the bound's reader becomes sure, whatever the bound is (see
    `of_sure` of `BeliefBreach`); None where it is about no reader, or was not counted.
    """
    most: float | None = None
    """Upper bound of all figures that the table can have, where there is one: a bound on a figure
    cannot bind at a threshold that is as large.
    """


def findings(
    threat: ThreatModel,
    groups: Groups,
    requirements: Sequence[Requirement],
    measurements: Sequence[Measurement],
    estimator: Estimator | None = None,
) -> list[Finding]:
    """Turn measurements of a release into findings.

    Args:
        estimator: Estimator of beliefs about the worst groups, to find the faults; best the one
            that the figures were measured with. None if faults are not asked for.

    Returns:
        Findings, one for each bound of each requirement, in their order.
    """
    weights = threat.parts.weights[groups.members]
    rows = []
    for requirement, measured in zip(requirements, measurements, strict=True):
        used = _estimators_used(groups, weights, measured, threat.table)
        inexact = int(weights[~measured.certain[groups.owner]].sum())
        largest = requirement.most(threat)
        for place, bound in enumerate(requirement.bounds):
            figures = measured.figures[place]
            manner, estimated = used, inexact
            if bound.remembers and threat.memory is not None:
                manner = f"{used}, given earlier releases by {threat.memory}"
                estimated = int(weights.sum())
            fault = None
            if estimator is not None:
                fault = _fault(
                    threat, groups, requirement, measured, place=place, estimator=estimator
                )
            made = _finding(
                bound, {}, figures, weights, estimator=manner, fault=fault, estimated=estimated
            )
            rows.append(replace(made, most=_where_there_is(largest[place])))
    return rows


def joint_findings(
    joint: Joint, requirements: Sequence[Requirement], releases: Sequence[int]
) -> list[Finding]:
    """Measure what several releases tell together.

    Args:
        joint: Beliefs from the releases together, about at least one person, of all adversaries of
            the requirements.
        requirements: Requirements that can be measured of several releases: see `jointly`.

    Returns:
        Findings, one for each bound of each requirement, in their order. The parameters name the
        releases.
    """
    weights = np.ones(len(joint.persons), dtype=np.int64)
    rows = []
    for requirement in requirements:
        together = {"together": sorted(releases)}
        judged = companion(requirement)
        sure = made_sure(requirement)
        becoming = () if sure is None else companion(sure).figures(joint)
        used = _known_of_persons(*judged.manners(joint))
        each = [requirement.most(home.threat) for home in joint.population.homes]
        largest = [max(figures) for figures in zip(*each, strict=True)]
        for place, (bound, figures) in enumerate(
            zip(requirement.bounds, judged.figures(joint), strict=True)
        ):
            fault = _joint_fault(joint, requirement, place, figures)
            row = _finding(bound, together, figures, weights, estimator=used, fault=fault)
            made = replace(row, most=_where_there_is(largest[place]))
            if sure is not None:
                above = sure.bounds[place].broken(becoming[place])
                made = replace(made, sure=int(above.sum()))
            rows.append(made)
    return rows


def _where_there_is(most: float) -> float | None:
    return most if most < math.inf else None


def _finding(
    bound: Bound,
    parameters: Mapping[str, Any],
    figures: FloatArray,
    weights: IntArray,
    estimator: str,
    fault: Fault | None,
    estimated: int | None = None,
) -> Finding:
    """Finding of the figures of so many records each, with more parameters than the bound's."""
    vulnerable = int(weights[bound.broken(figures)].sum())
    return Finding(
        requirement=bound.requirement,
        parameters={**bound.parameters, **parameters},
        threshold=float(bound.threshold),
        worst=bound.worst(figures),
        mean=float(np.average(figures, weights=weights)),
        vulnerable=vulnerable,
        satisfied=vulnerable == 0,
        estimator=estimator,
        fault=fault,
        estimated=estimated,
    )


def _joint_fault(joint: Joint, requirement: Requirement, place: int, figures: FloatArray) -> Fault:
    """The first person of the worst figure, and all others whom the same groups show alike."""
    bound = requirement.bounds[place]
    worst = int(np.argmax(figures) if bound.upper else np.argmin(figures))
    component = joint.told.component[joint.persons]
    alike = (component == component[worst]) & (figures == figures[worst])
    home, row = joint.population.home_of(int(joint.persons[worst]))
    shift = None
    if blame := companion(requirement).blamed(joint, place, joint.persons[[worst]]):
        cell = int(home.threat.parts.cell[home.parts[row]])
        shift = replace(blame[0], cell=cell)
    return Fault(None, int(alike.sum()), shift, home.threat.table)


def _known_of_persons(names: Sequence[str], places: AnyArray) -> str:
    """Describe the certainty of figures of persons, the most certain kind first."""
    first, *others = np.unique(places).tolist()
    exceptions = []
    for place in others:
        count = int((places == place).sum())
        exceptions.append(f"{names[place]} for {count} person{'s' * (count > 1)}")
    return _but(names[first], exceptions)


def draw_finding(
    release: Release, demanded: MaxDisclosure, scheme: str, progress: Progress = SILENT
) -> Finding:
    """Measure the risk of every record of a release that was drawn.

    Returns:
        Exact. By attribute the parameters have the epsilon of its local differential privacy, None
        where values were kept.

    Raises:
        TooLarge: If the grid of the distorted quasi-identifiers is too large.
    """
    channels = release.form.channels
    assert channels is not None
    epsilon = {
        domain.name: channel.epsilon if math.isfinite(channel.epsilon) else None
        for domain, channel in zip(release.domains, channels, strict=True)
    }
    risk = risks(release.table, channels, progress)
    (bound,) = demanded.bounds
    table = release.table
    there = table.counts > 0
    cell, value = np.unravel_index(int(np.argmax(np.where(there, risk, -1.0))), risk.shape)
    shift = Shift(int(cell), int(value), float(table.overall[value]), float(risk[cell, value]))
    fault = Fault(None, int(table.counts[cell, value]), shift, table)
    parameters = {"scheme": scheme, "epsilon": epsilon}
    return _finding(
        bound, parameters, risk[there], table.counts[there], ESTIMATORS[EXACT], fault=fault
    )


def _fault(
    threat: ThreatModel,
    groups: Groups,
    requirement: Requirement,
    measured: Measurement,
    place: int,
    estimator: Estimator,
) -> Fault:
    bound, figures = requirement.bounds[place], measured.figures[place]
    group = int(groups.owner[np.argmax(figures) if bound.upper else np.argmin(figures)])
    alone = groups.select(np.array([group]))
    (records,) = threat.parts.sizes(alone).tolist()
    shift = requirement.explain(threat, alone, place, estimator)
    return Fault(group, records, shift, threat.table)


def _estimators_used(groups: Groups, weights: IntArray, measured: Measurement, table: Table) -> str:
    """Describe the estimators of figures, the best first."""
    first, *others = np.unique(measured.used).tolist() or [EXACT]
    exceptions = []
    told = table.sensitive
    unit = "person" if isinstance(told, Combination) and told.several else "record"
    for place in others:
        chosen = measured.used == place
        records = int(weights[chosen[groups.owner]].sum())
        counted = "1 group" if chosen.sum() == 1 else f"{chosen.sum()} groups"
        exceptions.append(f"{ESTIMATORS[place]} for {counted} ({records} {unit}s)")
    return _but(ESTIMATORS[first], exceptions)


def _but(usual: str, exceptions: Sequence[str]) -> str:
    return usual + (f", but {' and '.join(exceptions)}" if exceptions else "")


def exactly_auditable(parts: Parts, groups: Groups) -> bool:
    """Return whether beliefs about all of some groups can be inferred exactly."""
    states = exact_states(groups, parts.weights, parts.histograms(groups))
    return bool((states <= EXACT_STATES).all())


def judge_queries(release: Release, demanded: QueryError, progress: Progress = SILENT) -> Finding:
    """Measure the error of random queries on a release, and hold it against a bound.

    Raises:
        InvalidParameter: If no query of the workload counts anything, or the release does not have
            so many quasi-identifiers.
    """
    release = release.counted
    demanded = demanded.over(release.domains)
    if release.partition is not None:
        # Estimates round by the order of sums: it is to be the one in which history is read.
        labels = release.partition.labels(len(release.parts))
        release = replace(release, partition=Groups.from_labels(labels))
    figures = demanded.measure(release.actual, release.estimated, progress)
    bound = demanded.bound
    return Finding(
        requirement=bound.requirement,
        parameters=bound.parameters,
        threshold=bound.threshold,
        worst=figures.median,
        mean=figures.mean,
        vulnerable=None,
        satisfied=not bound.broken(np.array([figures.median])).any(),
        estimator=ESTIMATORS[EXACT],
    )


def unmet(demanded: QueryError, finding: Finding) -> UnattainableRequirement:
    """Error for a release whose queries err more than a bound allows."""
    return UnattainableRequirement(
        f"{demanded.key} (median = {demanded.median:g}) is not met",
        detail=f"The median relative error of {demanded.queries} random queries is "
        f"{finding.worst:.6g}, their mean {finding.mean:.6g}.",
        hint=f"Bound it by {math.ceil(finding.worst * 1000) / 1000:g} or more, require less of the "
        "groups, or try another method.",
    )
