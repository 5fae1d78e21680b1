"""Certainty: of whom readers of a release become sure, whatever its policy bounds.

A reader becomes *sure* of somebody about whom they believed something at most one half beforehand,
and believe it above nine tenths afterwards: that a value is theirs, or one of a node's of the
column's hierarchy. That is a `BeliefBreach`, counted and not bounded. Readers are those whom a
policy names; of one that names none, one stands in who knows as much as a bandwidth of .3 says.

Counts are exact where posteriors are, as the estimator says that comes with them; else an estimate.
Of a range of bandwidths they are of those of whom a reader of it becomes sure at a bandwidth that
was computed, and of those of whom that is not ruled out in between: an upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bkpriv_core.audit import Finding, findings
from bkpriv_core.belief.breach import Breach
from bkpriv_core.belief.knowledge import Between, Knowledge, state_knowledge
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import as_json
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import BeliefBreach, BeliefRequirement, Requirement
from bkpriv_core.requirement.breach import CUSTOMARY, SURE
from bkpriv_core.requirement.sight import Sight
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = ["Certainty", "MadeSure", "certainties", "counted_sure", "made_sure_in", "readers"]


@dataclass(frozen=True)
class Certainty:
    """Of whom a reader becomes sure.

    Parameters
    ----------
    reader : Any
        What they know, as JSON states it.
    customary : bool
        Whether no requirement names a reader, and this one stands in.
    about : mapping
        The sensitive column, or all jointly, where there are several.
    records : int
        Records, or persons where these have several, of whom they become sure.
    right : int or None
        How many of these have what they become sure of; None of a range of bandwidths.
    worst : float
        The most that is believed of anything that was believed at most one half.
    estimator : str
        How that was inferred.
    upper : bool
        Whether the counts are upper bounds; see the module.
    """

    reader: Any
    customary: bool
    about: Mapping[str, Any]
    records: int
    right: int | None
    worst: float
    estimator: str
    upper: bool


def readers(
    requirements: Sequence[Requirement], setting: Setting
) -> tuple[list[tuple[Knowledge, Sight]], bool]:
    """Who reads a release, and what each is kept from; each once.

    Parameters
    ----------
    requirements : sequence of Requirement
        What the release must keep, as it is about the table's columns.
    setting : Setting
        The table.

    Returns
    -------
    list of tuples of Knowledge and Sight
        The readers whom requirements name; else one who stands in, for each sensitive column.
    bool
        Whether that is so.
    """
    every = _columns(setting.table.sensitive)
    found: list[tuple[Knowledge, Sight]] = []
    for item in requirements:
        if isinstance(item, BeliefRequirement):
            named = [
                (knowledge, Sight(sensitive=regard.sensitive, joint=regard.joint))
                for (knowledge, _), regard in zip(item.skyline, item.regarding, strict=True)
            ]
        else:
            named = [(knowledge, sight) for knowledge in item.knowledge for sight in every]
        found += [one for place, one in enumerate(named) if one not in [*found, *named[:place]]]
    if found:
        return found, False
    return [(CUSTOMARY, sight) for sight in every], True


def certainties(
    setting: Setting,
    groups: Groups,
    requirements: Sequence[Requirement],
    estimator: Estimator = "auto",
    progress: Progress | None = None,
) -> list[Certainty]:
    """Count of whom the readers of a release become sure.

    Parameters
    ----------
    setting : Setting
        The table as it is published, and what adversaries know of it.
    groups : Groups
        The published groups of its parts, at least one.
    requirements : sequence of Requirement
        Its policy, or what it is audited for; see `readers`.
    estimator : {"auto", "exact", "bethe", "omega"}
        How posteriors are inferred.
    progress : Progress, optional
        Receives the share that is done.

    Returns
    -------
    list of Certainty
        One for each reader and what they are kept from, in the order of the requirements.
    """
    named, customary = readers(requirements, setting)
    demanded = BeliefBreach.of_sure(tuple(named))
    measured = demanded.measure(setting, groups, estimator, progress)
    rows = findings(setting, groups, [demanded], [measured])
    counted = []
    for place, ((knowledge, sight), row) in enumerate(zip(named, rows, strict=True)):
        ranged = isinstance(knowledge, Between)
        broken = demanded.bounds[place].broken(measured.figures[place])
        assert row.vulnerable is not None
        counted.append(
            Certainty(
                state_knowledge(knowledge),
                customary,
                sight.parameters,
                row.vulnerable,
                None
                if ranged
                else _right(setting, groups.select(groups.max(broken)), knowledge, demanded, place),
                row.worst,
                row.estimator,
                row.parameters.get("between", "bounded") != "bounded",
            )
        )
    return counted


def counted_sure(rows: Sequence[Finding], counted: Sequence[Certainty]) -> list[Finding]:
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
    """Of whom in each group a reader becomes sure.

    Parameters
    ----------
    records : (g,) int array
        Records of whom they do, of whichever sensitive column.
    members : (g,) int array
        The membership of which they become surest; of a group without such records anyone.
    values : list of str or None
        Of what: a value, or a node of the hierarchy.
    before, after : (g,) float array
        How much they believe it.
    """

    records: IntArray
    members: IntArray
    values: list[str | None]
    before: FloatArray
    after: FloatArray


def made_sure_in(
    setting: Setting, groups: Groups, knowledge: Knowledge, estimator: Estimator
) -> MadeSure:
    """Name of whom in each group a reader becomes sure, as `certainties` counts them.

    Parameters
    ----------
    setting, groups, estimator
        See `certainties`.
    knowledge : Knowledge
        What the reader knows; no range of bandwidths.
    """
    demanded = BeliefBreach.of_sure(
        tuple((knowledge, sight) for sight in _columns(setting.table.sensitive))
    )
    compared = [regard.comparison(setting) for regard in demanded.regarding]
    adversaries = setting.adversaries([knowledge] * len(compared), compared)
    figures = adversaries.disclosure(groups, estimator).figures
    weights = setting.parts.weights[groups.members]
    broken = np.array(
        [bound.broken(row) for bound, row in zip(demanded.bounds, figures, strict=True)]
    )
    told = [adversaries.explain(groups, estimator, place) for place in range(len(compared))]
    surest = np.argmax([each.figures for each in told], axis=0).tolist()
    return MadeSure(
        groups.sum(weights * broken.any(axis=0)).astype(np.int64),
        np.array([told[most].members[group] for group, most in enumerate(surest)], dtype=np.int64),
        [told[most].label(group, setting.table.sensitive) for group, most in enumerate(surest)],
        np.array([told[most].before[group] for group, most in enumerate(surest)]),
        np.array([told[most].after[group] for group, most in enumerate(surest)]),
    )


def _columns(told: Domain) -> tuple[Sight, ...]:
    """What readers are kept from where nothing is said: each sensitive column."""
    columns = [column.name for column in told.columns] if isinstance(told, Combination) else []
    return Sight().of(columns, isinstance(told, Combination), BeliefBreach.key)


def _right(
    setting: Setting, groups: Groups, knowledge: Knowledge, demanded: BeliefBreach, place: int
) -> int:
    """Records of some groups that have what is believed of them."""
    if not len(groups):
        return 0
    distance = demanded.regarding[place].distance(setting)
    assert isinstance(distance, Breach)
    inferred = setting.adversaries([knowledge]).posterior(groups, "auto")
    prior = setting.prior(knowledge)[groups.members]
    found = distance.found_out(prior, inferred.beliefs[0], SURE)
    has, false = setting.parts.counts, setting.parts.counterfeits
    has = has if false is None else has - false
    return int((has[groups.members] * found).sum())
