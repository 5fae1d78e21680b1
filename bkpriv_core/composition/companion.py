"""Companions: requirements as they are measured of several releases together.

A requirement is about the groups of one release. What it comes to where somebody holds several
releases is told by its *companion*, if it has one: the figure of each person under each of its
bounds, by what all releases tell of them. A companion is found by the type of the requirement; its
class says whose it is, and so registers itself.

===================  ===========================================================================
companion of         figure of a person
===================  ===========================================================================
`KAnonymity`         fewest records that may be the person's, of all groups that they are in
`ShareRequirement`   the requirement's own figure, of the beliefs of a reader without knowledge in
                     the place of shares
`BeliefRequirement`  distance of each adversary's beliefs before and after
===================  ===========================================================================

The others have none. `JsDivergence` and `PairDivergence` are about prior beliefs about a group's
records, which other releases do not change; `MInvariance` is about what groups show of those of the
last release; `CkSafety` is about implications between persons of one release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Any, Generic, TypeVar

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.posterior import ESTIMATORS
from bkpriv_core.composition.measurement import HomeBeliefs, Joint, Population
from bkpriv_core.requirement import BeliefRequirement, BeliefScope, KAnonymity, Requirement, Shift
from bkpriv_core.requirement.counted import ShareRequirement
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray

__all__ = ["Companion", "adversaries", "companion", "jointly"]

R = TypeVar("R", bound=Requirement)


@singledispatch
def companion(requirement: Requirement) -> Companion[Any]:
    """Return the companion of a requirement: that of its type, or of what that extends."""
    return Companion(requirement)


class Companion(Generic[R]):
    """Measurement of several releases together by one requirement: none, of those without a class.

    Args:
        requirement: The requirement, of the type that the class is for (`of`).
    """

    def __init_subclass__(cls, of: type[Any]) -> None:
        companion.register(of, cls)

    def __init__(self, requirement: R) -> None:
        self.requirement = requirement

    @property
    def part(self) -> R | None:
        """Part of the requirement that can be measured; None if nothing can."""
        return None

    @property
    def adversaries(self) -> tuple[Knowledge | None, ...]:
        """Knowledge of those whose beliefs are measured; None for a reader without any."""
        return (None,)

    def figures(self, joint: Joint) -> FloatArray:
        """Measure what several releases tell together.

        Args:
            joint: Inference about everybody, by all `adversaries`.

        Returns:
            Shape (b, q). Figure of each of the joint's persons under each bound; may be infinite.
            Of one release, that of the person's group in it.

        Raises:
            ValueError: If that cannot be measured: see `part`.
        """
        raise ValueError(f"{self.requirement.key} cannot be measured of several releases")

    def manners(self, joint: Joint) -> tuple[Sequence[str], AnyArray]:
        """Tell how the figures are known.

        Returns:
            names: Ways to know them, the best first.
            places: Shape (q,). The place among these of the way of each of the joint's persons.
        """
        return ESTIMATORS, joint.told.used[joint.persons]

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> Sequence[Shift] | None:
        """Name the value at fault in what several releases tell of each of some persons.

        Args:
            joint: Inference about everybody.
            bound: Place among the requirement's bounds.
            persons: Shape (q,). Numbers of some of the joint's persons.

        Returns:
            None if no single value is at fault. What is before is its share in the person's latest
            table, or an adversary's prior belief; after, its probability by what the releases tell.
        """
        return None


class _OfCrowds(Companion[KAnonymity], of=KAnonymity):
    """Records that may be a person's: they are counted, whatever is believed."""

    @property
    def part(self) -> KAnonymity:
        """All of it; see `Companion`."""
        return self.requirement

    def figures(self, joint: Joint) -> FloatArray:
        """Count records that may be a person's; see `Joint.crowds`."""
        return joint.crowds[None, :]

    def manners(self, joint: Joint) -> tuple[Sequence[str], AnyArray]:
        """Tell which counts are exact; see `Companion`."""
        ways = np.where(joint.overlooked, 2, np.where(joint.counted, 0, 1))
        return ("exact", "bounds", "estimates"), ways


class _OfShares(Companion[ShareRequirement], of=ShareRequirement):
    """Beliefs of a reader without knowledge: of one release, these are shares."""

    @property
    def part(self) -> ShareRequirement:
        """All of it; see `Companion`."""
        return self.requirement

    def figures(self, joint: Joint) -> FloatArray:
        """Measure beliefs as if they were shares; see `Companion`."""
        figures = np.empty((1, len(joint.persons)))
        for believed in joint.beliefs(None):
            threat = believed.home.threat
            marginal = self.requirement.seen(threat).marginal(believed.after)
            figures[0, believed.places] = self.requirement.figures(threat, marginal)
        return figures

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> list[Shift]:
        """Name the value whose probability is at fault; see `Companion`."""

        def at_fault(believed: HomeBeliefs) -> Iterator[Shift]:
            seen = self.requirement.seen(believed.home.threat)
            overall, shares = seen.overall, seen.shares(seen.marginal(believed.after))
            worst = self.requirement.faults(shares, overall).argmax(axis=1)
            for value, share in zip(worst.tolist(), shares, strict=True):
                code, aspect = seen.told_as(value)
                yield Shift(None, code, float(overall[value]), float(share[value]), aspect=aspect)

        return _of_each(joint, None, persons, at_fault)


class _OfBeliefs(Companion[BeliefRequirement], of=BeliefRequirement):
    """Beliefs of the adversaries of a skyline."""

    @property
    def part(self) -> BeliefRequirement | None:
        """Bounds on all but those who remember earlier releases, which are told already."""
        bounds = enumerate(self.requirement.bounds)
        lasting = [place for place, bound in bounds if not bound.remembers]
        return self.requirement.of_bounds(lasting) if lasting else None

    @property
    def adversaries(self) -> tuple[Knowledge, ...]:
        """See `Companion`."""
        return self.requirement.knowledge

    def figures(self, joint: Joint) -> FloatArray:
        """Measure how far beliefs move, infinitely where they are contradicted."""
        regards = self.requirement.regarding
        figures = np.empty((len(regards), len(joint.persons)))
        for figure, knowledge, regard in zip(figures, self.adversaries, regards, strict=True):
            for believed in joint.beliefs(knowledge):
                figure[believed.places] = _moves(regard, believed)
            figure[joint.contradicted(knowledge)] = np.inf
        return figures

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> list[Shift]:
        """Name the value whose probability moves most, up or down; see `Companion`."""
        regard = self.requirement.regarding[bound]

        def at_fault(believed: HomeBeliefs) -> Iterator[Shift]:
            distance = regard.distance(believed.home.threat)
            aspects, *moved = distance.most_moved(believed.before, believed.after)
            for aspect, value, before, after in zip(aspects, *moved, strict=True):
                yield Shift(None, int(value), float(before), float(after), aspect=aspect)

        return _of_each(joint, self.adversaries[bound], persons, at_fault)


def _of_each(
    joint: Joint,
    knowledge: Knowledge | None,
    persons: IntArray,
    at_fault: Callable[[HomeBeliefs], Iterable[Shift]],
) -> list[Shift]:
    """Find what is at fault in an adversary's beliefs about persons, home by home."""
    shifts: dict[int, Shift] = {}
    for believed in joint.beliefs(knowledge, persons):
        shifts.update(zip(believed.places.tolist(), at_fault(believed), strict=True))
    return [shifts[place] for place in range(len(persons))]


def _moves(regard: BeliefScope, believed: HomeBeliefs) -> FloatArray:
    """Distances that beliefs about some persons move."""
    return regard.distance(believed.home.threat)(believed.before, believed.after)


def jointly(
    requirements: Sequence[Requirement], population: Population | None = None
) -> tuple[list[Requirement], list[str]]:
    """Find what can be measured of several releases together, and name what cannot in full.

    Args:
        population: People whom they are about. If a table has several records of somebody,
            requirements are about what people have, those of whom another table has one record
            among them.

    Returns:
        Requirements that are measured, each with a `companion`; keys of those that are not, or not
        in full.
    """
    measured = [(item, companion(item).part) for item in requirements]
    parts = [part for _, part in measured if part is not None]
    if population is not None and (columns := population.combined):
        parts = [one for part in parts for one in part.about(columns, True)]
    return parts, [item.key for item, part in measured if part != item]


def adversaries(requirements: Sequence[Requirement]) -> list[Knowledge | None]:
    """Knowledge of all adversaries of requirements; None for a reader without any."""
    known: list[Knowledge | None] = []
    for each in (each for item in requirements for each in companion(item).adversaries):
        if each not in known:  # it need not be hashable
            known.append(each)
    return known
