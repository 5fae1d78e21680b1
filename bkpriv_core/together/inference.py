"""What an adversary infers of everybody who holds several releases.

Where it is affordable posteriors are *exact*: the share, by priors, of all ways to give people
values that agree with every release. What people can and must have follows from the releases alone,
whatever is believed before: those are *bounds*, which always hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import EXACT, Sound, UsedArray
from bkpriv_core.errors import ContradictoryKnowledge, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.together.constraint import Constraints
from bkpriv_core.together.exact import exact
from bkpriv_core.together.problem import Problem

__all__ = ["ALONE", "Together", "infer"]

BoolArray = npt.NDArray[np.bool_]

ALONE = -1
"""The component, and the place of the estimator, of who is in no group or was not judged."""

_BUDGET = 5_000_000


@dataclass(frozen=True, eq=False)
class Together:
    """What is believed of each person once all releases have been seen.

    Parameters
    ----------
    posteriors : tuple of (n, m) float array
        For each adversary; rows sum to 1. The prior for who is in no group, or was not judged.
    used : (n,) int8 array
        How it was inferred: a place in `ESTIMATORS`; `ALONE` where there was nothing to infer.
    low, high : (n, m) float array
        Bounds of the posterior of any adversary who believed the same of all people of a kind (see
        `infer`). Whatever anybody believed, a value is impossible where `high` is 0, and certain
        where `low` is 1.
    component : (n,) int array
        A number for all those about whom anything learnt tells of each other: the least person
        among them; `ALONE` for who is in no group.
    content : (n,) uint64 array
        A hash of all that the component's people are known by; equal components have equal ones.
    judged : (n,) bool array
        Who was asked for.
    contradicted : (a, n) bool array
        Whom the releases tell of what the adversary held to be impossible, if that was not to be
        refused. The posterior is left as the prior was.
    """

    posteriors: tuple[FloatArray, ...]
    used: UsedArray
    low: FloatArray
    high: FloatArray
    component: IntArray
    content: npt.NDArray[np.uint64]
    judged: BoolArray
    contradicted: BoolArray

    @property
    def possible(self) -> BoolArray:
        """Values that a person may have, for all that the releases say, shape (n, m)."""
        possible: BoolArray = self.high > 0
        return possible

    @property
    def certain(self) -> BoolArray:
        """Whether the releases alone say what value a person has, shape (n,)."""
        certain: BoolArray = (self.low == 1).any(axis=1)
        return certain


def infer(
    constraints: Constraints,
    priors: tuple[FloatArray, ...],
    estimator: Sound = "auto",
    *,
    among: BoolArray | None = None,
    before: Together | None = None,
    refuse: bool = True,
    progress: Progress = SILENT,
) -> Together:
    """Infer posteriors from all constraints together.

    Parameters
    ----------
    constraints : Constraints
        What the releases say, a release that is yet to be published perhaps among them.
    priors : tuple of (n, m) float array
        Beliefs of each adversary about all persons, in codes of the constraints' values.
    estimator : {"auto", "exact", "bethe", "omega"}
        How posteriors are inferred, as in `belief.posterior`.
    among : (n,) bool array, optional
        Judge only components that have one of these persons; everybody by default.
    before : Together, optional
        What was inferred of the same persons, with the same priors and estimator, from other
        constraints: components that are as they were then are not inferred again.
    refuse : bool
        Whether a contradiction of a prior is an error.
    progress : Progress
        Receives the share that is done.

    Returns
    -------
    Together
        Exact where `used` says so. Bounds always hold. People of one kind, who are in the same
        groups and of whom every adversary believed the same, have the same rows.

    Raises
    ------
    ContradictoryKnowledge
        If the releases are impossible by a prior.
    TooLarge
        If `estimator` is "exact" and that is not feasible.
    UnsoundHistory
        If no values agree with all constraints.
    """
    persons, values = priors[0].shape
    component = _components(constraints.members, persons)
    posteriors = tuple(prior.copy() for prior in priors)
    low, high = np.zeros((persons, values)), np.ones((persons, values))
    used = np.full(persons, ALONE, dtype=np.int8)
    judged = np.ones(persons, dtype=bool)
    if among is not None:
        judged = np.isin(component, component[among & (component != ALONE)])
    contradicted = np.zeros((len(priors), persons), dtype=bool)
    of_group = component[constraints.members.members[constraints.members.offsets[:-1]]]
    for place in np.unique(of_group):
        people = np.flatnonzero(component == place)
        if not judged[people[0]]:
            continue
        mine = constraints.select(np.flatnonzero(of_group == place))
        problem, kind = _problem(mine, people, priors)
        beliefs = exact(problem, _BUDGET, progress)
        if beliefs is None:
            raise TooLarge(
                f"exact inference is not feasible for {len(people)} people",
                detail=f"They are in {len(mine)} groups that have members in common.",
                hint="Only an estimate can be had.",
            )
        impossible = ~(beliefs[:-1].sum(axis=2) > 0.5).all(axis=1)
        if impossible.any() and refuse:
            raise ContradictoryKnowledge(
                "the prior contradicts what the releases say together",
                detail=f"It gives probability 0 to all values that {len(people)} people can have.",
                hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
            )
        for adversary in np.flatnonzero(~impossible):
            posteriors[adversary][people] = beliefs[adversary, kind]
        contradicted[:, people] = impossible[:, None]
        high[people] = beliefs[-1, kind] > 0
        low[people] = (high[people].sum(axis=1, keepdims=True) == 1) * high[people]
        used[people] = EXACT
    content = component.astype(np.uint64)
    return Together(posteriors, used, low, high, component, content, judged, contradicted)


def _components(members: Groups, persons: int) -> IntArray:
    """Least person of those whom groups connect, `ALONE` for who is in none, shape (n,)."""
    from scipy.sparse import csr_array  # slow to import, and only wanted here
    from scipy.sparse.csgraph import connected_components

    size = persons + len(members)
    ties = (np.ones(len(members.members)), (members.members, persons + members.owner))
    label = connected_components(csr_array(ties, shape=(size, size)), directed=False)[1][:persons]
    least = np.full(size, persons)
    np.minimum.at(least, label, np.arange(persons))
    component = np.full(persons, ALONE)
    component[members.members] = least[label[members.members]]
    return component


def _problem(
    constraints: Constraints, people: IntArray, priors: tuple[FloatArray, ...]
) -> tuple[Problem, IntArray]:
    """Kinds of some people under all constraints that they are in, and the kind of each."""
    place = np.searchsorted(people, constraints.members.members)
    inside = np.zeros((len(people), len(constraints)), dtype=np.int64)
    inside[place, constraints.members.owner] = 1
    mine = np.concatenate([prior[people] for prior in priors], axis=1)
    believed = np.unique(mine, axis=0, return_inverse=True)[1].reshape(-1, 1)
    first, kind, weights = distinct_rows(np.concatenate((inside, believed), axis=1))
    group, of_kind = np.nonzero(inside[first].T)
    offsets = np.searchsorted(group, np.arange(len(constraints) + 1))
    shape = len(first), constraints.histograms.shape[1]
    # The last adversary holds everything to be possible.
    beliefs = np.stack([*(prior[people[first]] for prior in priors), np.ones(shape)])
    groups = Groups(of_kind, offsets)
    possible = np.ones(shape, dtype=bool)
    return Problem(groups, constraints.histograms, weights, possible, beliefs), kind
