"""Inference about everybody by an adversary who holds several releases.

If affordable, posteriors are *exact*: the share, by priors, of all ways to give people values that
agree with every release. Which values people can and must have follows from the releases alone,
whatever the priors: those are *bounds*, which always hold. All other figures are *estimates*.

Constraints are refined, numbers bounded, and settled people taken out, until nothing changes (see
`counting`). What is left falls into components, which tell nothing of each other:

- of one group: posteriors as of one release, by the estimator asked for;
- of several: exact by dynamic programming within a budget; otherwise bounded by linear programmes,
  which may settle some people, and then estimated by propagation, or, for people whose messages do
  not come to rest, by fitting.

Estimates of components of several groups are cut to the bounds. In `used` propagation is called
bethe and fitting omega, which is what they are for a single group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import (
    BETHE,
    EXACT,
    OMEGA,
    Sound,
    UsedArray,
    posterior,
)
from bkpriv_core.composition.constraint import ALONE, Constraints
from bkpriv_core.composition.counting import Bounds, attain, settle, tighten
from bkpriv_core.composition.exact import exact
from bkpriv_core.composition.fitting import fitted
from bkpriv_core.composition.problem import Kinds, Problem, split
from bkpriv_core.composition.propagation import propagated
from bkpriv_core.errors import ContradictoryKnowledge, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, Groups, IntArray

__all__ = ["ALONE", "Together", "check_size", "infer"]


_FLOATS = 150_000_000
"""Largest number of numbers of all beliefs and bounds: arrays of 1.2 GB."""

_AUTO_WAYS = 2_000_000
"""Largest number of ways from state to state of a component for which `auto` is exact."""

_EXACT_WAYS = 20_000_000
"""Most such ways that `exact` accepts: 0.5 GB."""

_PROGRAMMES = 2_000
"""Most linear programmes, of all components together."""

_LEAST, _SPAN, _HALVINGS = 1e-12, 40.0, 60
"""Scaling of beliefs to lie within bounds: least belief, range of logarithms, and halvings."""

_NUMBERS = 400
"""Numbers of atoms with values in a component, up to which it is given to linear programmes."""

_WHOLE = 100_000
"""Numbers of all programmes in whole numbers together: they take some ten seconds."""


@dataclass(frozen=True, eq=False)
class Together:
    """Beliefs about each person once all releases have been seen."""

    posteriors: tuple[FloatArray, ...]
    """Posteriors of each adversary; rows sum to 1. The prior for persons who are in no group, or
    were not judged.
    """
    used: UsedArray
    """Shape (n,). Estimator of each person's posteriors: a place in `ESTIMATORS`; `ALONE` where
    there was nothing to infer.
    """
    low: FloatArray
    high: FloatArray
    """Shape (n, m). Bounds of the posterior of any adversary who believed the same of all people of
    a kind (see `infer`). Whatever anybody believed, a value is impossible where `high` is 0, and
    certain where `low` is 1.
    """
    attained: BoolArray
    """Shape (n, m). Values that each has in some way to give people values that agrees with every
    release. Of others that `high` allows nothing is known.
    """
    component: IntArray
    """Shape (n,). Number of each component, whose people tell of each other: the least person among
    them; `ALONE` for people who are in no group.
    """
    content: npt.NDArray[np.uint64]
    """Shape (n,). A hash of all that the component's people are known by; equal components have
    equal ones.
    """
    judged: BoolArray
    """Shape (n,). Persons who were asked for."""
    contradicted: BoolArray
    """Shape (a, n). Persons about whom the releases show what the adversary held to be impossible,
    if that was not to be refused. The posterior is left as the prior was.
    """

    @property
    def possible(self) -> BoolArray:
        """Values that a person may have, for all that the releases say, shape (n, m)."""
        possible: BoolArray = self.high > 0
        return possible

    @property
    def tight(self) -> BoolArray:
        """Mark persons whose `high` is 0 for all impossible values; of others it may miss some."""
        tight: BoolArray = np.all(self.attained == self.possible, axis=1)
        return tight

    @property
    def certain(self) -> BoolArray:
        """Whether the releases alone say what value a person has, shape (n,)."""
        certain: BoolArray = (self.low == 1).any(axis=1)
        return certain


def check_size(persons: int, values: int, adversaries: int) -> None:
    """Refuse beliefs of so many adversaries about so many persons that they do not fit in memory.

    Raises:
        TooLarge: Says how many numbers they are.
    """
    numbers = persons * values * (adversaries + 3)
    if numbers > _FLOATS:
        raise TooLarge(
            f"the beliefs about {persons} people are too many to be judged together",
            detail=f"With {values} values and {adversaries} adversaries they are {numbers} "
            f"numbers; {_FLOATS} fit in memory.",
            hint="Bin the sensitive column, or judge fewer adversaries at a time.",
        )


def infer(
    constraints: Constraints,
    priors: tuple[FloatArray, ...],
    estimator: Sound = "auto",
    *,
    actual: IntArray | None = None,
    among: BoolArray | None = None,
    before: Together | None = None,
    refuse: bool = True,
    progress: Progress = SILENT,
) -> Together:
    """Infer posteriors from all constraints together.

    Args:
        constraints: Constraints of the releases, a release that is yet to be published perhaps
            among them.
        priors: Beliefs of each adversary about all persons, in codes of the constraints' values.
        estimator: Estimator of posteriors, as in `belief.posterior`.
        actual: Shape (n,). The value that each person has: one that they may have, which saves
            finding another.
        among: Shape (n,). Judge only components that have one of these persons; everybody by
            default.
        before: Results for the same persons, with the same priors and estimator, from other
            constraints: components that are as they were then are not inferred again.
        refuse: Whether a contradiction of a prior is an error.
        progress: Receives the share of the people of whom posteriors are known.

    Returns:
        Exact where `used` says so. Bounds always hold. People of one kind, who are in the same
        groups and of whom every adversary believed the same, have the same rows.

    Raises:
        ContradictoryKnowledge: If the releases are impossible by a prior.
        TooLarge: If `estimator` is "exact" and that is not feasible.
        UnsoundHistory: If no values agree with all constraints.
    """
    values = constraints.histograms.shape[1]
    persons = len(priors[0])
    check_size(persons, values, len(priors))
    system, atom, weights = constraints.atoms(persons)
    system, bounds = settle(system, weights, Bounds.none(weights, values), progress)
    of_atom = system.components(len(weights))
    inside = np.flatnonzero(atom != ALONE)
    mine = of_atom[atom[inside]]
    least = np.full(len(weights), persons)
    np.minimum.at(least, mine, inside)
    component = np.full(persons, ALONE)
    component[inside] = least[mine]
    content = np.zeros(persons, dtype=np.uint64)
    content[inside] = _contents(system, atom, of_atom)[mine]
    judged = np.ones(persons, dtype=bool)
    if among is not None:
        judged = np.isin(component, component[among & (atom != ALONE)])
    asked = judged & (atom != ALONE)
    told = Together(
        posteriors=tuple(prior.copy() for prior in priors),
        used=np.full(persons, ALONE, dtype=np.int8),
        low=np.zeros((persons, values)),
        high=np.ones((persons, values)),
        attained=np.repeat((atom == ALONE)[:, None], values, axis=1),
        component=component,
        content=content,
        judged=judged,
        contradicted=np.zeros((len(priors), persons), dtype=bool),
    )
    if before is not None:
        known = asked & before.judged & (before.content == content)
        for belief, earlier in zip(told.posteriors, before.posteriors, strict=True):
            belief[known] = earlier[known]
        for name in ("used", "low", "high", "attained"):
            getattr(told, name)[known] = getattr(before, name)[known]
        told.contradicted[:, known] = before.contradicted[:, known]
        asked &= ~known
    people = np.flatnonzero(asked)
    if len(people):
        kinds = Kinds.of(people, atom, priors)
        there = np.zeros(len(weights), dtype=bool)
        there[kinds.atom] = True
        chosen = system.members.max(there[system.members.members])
        attained = np.zeros((len(weights), values), dtype=bool)
        if actual is not None:
            attained[atom[inside], actual[inside]] = True
        work = _Work(kinds, weights, attained, estimator, refuse=refuse, progress=progress)
        work.infer(system.select(np.flatnonzero(chosen)), bounds)
        for posterior_, belief in zip(told.posteriors, work.beliefs, strict=True):
            posterior_[people] = belief[kinds.kind]
        told.used[people] = work.used[kinds.kind]
        told.low[people], told.high[people] = work.low[kinds.kind], work.high[kinds.kind]
        told.attained[people] = work.attained[kinds.kind]
        told.contradicted[:, people] = work.contradicted[:, kinds.kind]
    return told


class _Work:
    """Components that are inferred one after another.

    Args:
        weights: Shape (a,). People of each atom.
        attained: Shape (a, m). Values that people of each atom are known to have in some way.
        estimator, refuse, progress: See `infer`.

    Attributes:
        beliefs, used, low, high, attained, contradicted: See `Together`; for each kind.
    """

    def __init__(
        self,
        kinds: Kinds,
        weights: IntArray,
        attained: BoolArray,
        estimator: Sound,
        refuse: bool,
        progress: Progress,
    ) -> None:
        self.kinds, self.weights, self._known = kinds, weights, attained
        self.estimator, self.refuse, self.progress = estimator, refuse, progress
        self.programmes, self.whole = _PROGRAMMES, _WHOLE
        self.beliefs = kinds.priors.copy()
        self.used = np.full(len(kinds), ALONE, dtype=np.int8)
        self.low, self.high = np.zeros(self.beliefs.shape[1:]), np.ones(self.beliefs.shape[1:])
        self.attained = np.zeros(self.beliefs.shape[1:], dtype=bool)
        self._done = 0
        self.contradicted = np.zeros(self.beliefs.shape[:2], dtype=bool)

    def infer(self, system: Constraints, bounds: Bounds) -> None:
        """Infer everybody under some constraints, which are settled as far as the bounds go."""
        self._bound(system, bounds)
        single, several = system.by_component(len(self.weights))
        if len(single):
            self._alone(*self.kinds.problem(system.select(single), bounds.high))
        rest: list[IntArray] = []
        for places in several:
            self.progress.poll()
            mine = system.select(places)
            if self.estimator in ("auto", "exact") and self._exact(mine, bounds):
                continue
            tight = self._tightened(mine, bounds) or self._attained(mine, bounds)
            if tight is None:
                rest.append(places)
            else:
                self.infer(*settle(mine, self.weights, tight, self.progress))
        if rest:
            self._estimated(system.select(np.concatenate(rest)), bounds)

    def _bound(self, system: Constraints, bounds: Bounds) -> None:
        """Turn numbers of people into bounds of beliefs about each."""
        here = np.flatnonzero(np.isin(self.kinds.atom, system.members.members))
        atom, mine = self.kinds.atom[here], self.kinds.weights[here, None]
        others = self.weights[atom, None] - mine
        self.low[here] = np.maximum(bounds.low[atom] - others, 0) / mine
        self.high[here] = np.minimum(bounds.high[atom], mine) / mine

    def _alone(self, problem: Problem, here: IntArray) -> None:
        """Infer people of components of one group."""
        groups = problem.groups
        counts = split(groups, problem.weights[groups.members], problem.histograms)
        # Each kind is in one group: memberships are its parts.
        priors = tuple(prior[groups.members] for prior in problem.priors)
        parts = Groups(np.arange(len(groups.members)), groups.offsets)
        found = posterior(
            parts, counts, priors, self.estimator, refuse=False, progress=self.progress.quiet
        )
        rows = here[groups.members]
        # Whatever a group shows anybody of it may have.
        self.attained[here] = self.high[here] > 0
        self.beliefs[:, rows] = np.stack(found.beliefs)
        self.used[rows] = found.used[groups.owner]
        self._contradict(rows, found.contradicted[:, groups.owner])

    def _exact(self, system: Constraints, bounds: Bounds) -> bool:
        """Infer a component exactly, if that is affordable."""
        problem, here = self.kinds.problem(system, bounds.high)
        ways = _EXACT_WAYS if self.estimator == "exact" else _AUTO_WAYS
        found = exact(problem, ways, self.progress)
        if found is None:
            return False
        beliefs, possible = found
        self.attained[here] = possible
        self.high[here] = np.where(possible, self.high[here], 0.0)
        self.low[here] = np.where(
            possible & (possible.sum(axis=1, keepdims=True) == 1), 1.0, self.low[here]
        )
        self._answer(here, beliefs, _none(beliefs), EXACT)
        return True

    def _tightened(self, system: Constraints, bounds: Bounds) -> Bounds | None:
        """Narrower bounds of a component by linear programmes, if there are any."""
        atoms = np.unique(system.members.members)
        in_doubt = np.count_nonzero(bounds.low[atoms] < bounds.high[atoms])
        if in_doubt > min(_NUMBERS, self.programmes):
            return None
        tight, solved = tighten(system, self.weights, bounds, self.progress)
        self.programmes -= solved
        if (tight.low == bounds.low).all() and (tight.high == bounds.high).all():
            return None
        return tight

    def _attained(self, system: Constraints, bounds: Bounds) -> Bounds | None:
        """Bounds of a component without values that nobody may have, if there are any."""
        tight, self._known, spent = attain(
            system, self.weights, bounds, self._known, budget=self.whole, progress=self.progress
        )
        self.whole -= spent
        return None if (tight.high == bounds.high).all() else tight

    def _estimated(self, system: Constraints, bounds: Bounds) -> None:
        """Estimate what several components tell."""
        problem, here = self.kinds.problem(system, bounds.high)
        if self.estimator == "exact":
            raise TooLarge(
                f"exact inference is not feasible for {problem.weights.sum()} people",
                detail=f"They are in {len(system)} groups that have members in common, and give "
                f"people values in more than {_EXACT_WAYS} ways from state to state.",
                hint="Only an estimate can be had of them, as the estimator auto gives it.",
            )
        rests = np.zeros(len(here), dtype=bool)
        contradicted: BoolArray = np.zeros(problem.priors.shape[:2], dtype=bool)
        beliefs = np.zeros_like(problem.priors)
        if self.estimator != "omega":
            beliefs, resting, contradicted = propagated(problem, self.progress)
            rests = np.logical_and.reduce(resting, axis=0)
        if not rests.all():
            beliefs[:, ~rests] = fitted(problem, self.progress)[:, ~rests]
        np.logical_or(contradicted, _none(beliefs), out=contradicted)
        self.attained[here] = self._known[self.kinds.atom[here]]
        low, high = self.low[here], self.high[here]
        for belief in beliefs:
            belief[:] = _within(belief, low, high)
        self._answer(here, beliefs, contradicted, np.where(rests, BETHE, OMEGA))

    def _answer(
        self, here: IntArray, beliefs: FloatArray, contradicted: BoolArray, used: npt.ArrayLike
    ) -> None:
        self.used[here] = used
        self.beliefs[:, here] = np.where(
            contradicted[:, :, None], self.kinds.priors[:, here], beliefs
        )
        self._contradict(here, contradicted)

    def _contradict(self, here: IntArray, contradicted: BoolArray) -> None:
        self._done += len(here)
        self.progress.report(self._done / len(self.kinds))
        self.contradicted[:, here] = contradicted
        if self.refuse and contradicted.any():
            person = int(self.kinds.people[self.kinds.kind == here[contradicted.any(axis=0)][0]][0])
            raise ContradictoryKnowledge(
                "the prior contradicts what the releases say together",
                detail=f"Of the groups of person {person}, and those connected with them, it gives "
                "probability 0 to every way of giving people values that agrees with all.",
                hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
            )


def _none(beliefs: FloatArray) -> BoolArray:
    """Mark rows without a belief, because the prior is contradicted."""
    none: BoolArray = np.less_equal(beliefs.sum(axis=-1), 0.5)
    return none


def _within(beliefs: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Beliefs scaled, where they miss bounds, so that cut to them they sum to 1."""
    missed: BoolArray = np.any((beliefs < low) | (beliefs > high), axis=1)
    mine, least, most = beliefs[missed], low[missed], high[missed]
    mine = np.where(most > 0, np.maximum(mine, _LEAST), 0.0)
    lower, upper = np.full((len(mine), 1), -_SPAN), np.full((len(mine), 1), _SPAN)
    for _ in range(_HALVINGS):
        middle = (lower + upper) / 2
        over = np.clip(mine * np.exp(middle), least, most).sum(axis=1, keepdims=True) > 1
        lower, upper = np.where(over, lower, middle), np.where(over, middle, upper)
    cut: FloatArray = beliefs.copy()
    scaled = np.clip(mine * np.exp(upper), least, most)
    cut[missed] = scaled / scaled.sum(axis=1, keepdims=True)
    return cut


def _contents(system: Constraints, atom: IntArray, component: IntArray) -> npt.NDArray[np.uint64]:
    """Hash of all constraints of each component of atoms, at its number, shape (a,)."""
    people = np.flatnonzero(atom != ALONE)
    of_atom = np.zeros(len(component), dtype=np.uint64)
    np.add.at(of_atom, atom[people], _mixed(people))
    who = system.members.sum(of_atom[system.members.members])
    salt = _mixed(np.arange(system.histograms.shape[1]))
    values = (system.histograms.astype(np.uint64) * salt).sum(axis=1)
    contents = np.zeros(len(component), dtype=np.uint64)
    first = system.members.members[system.members.offsets[:-1]]
    np.add.at(contents, component[first], _mixed(_mixed(who) + values))
    return contents


def _mixed(numbers: AnyArray) -> npt.NDArray[np.uint64]:
    """Numbers spread over all 64 bits (SplitMix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: npt.NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
