"""Beliefs about each person from several releases, for requirements to measure.

The prior belief about a person, before any release, comes from the latest table that the person is
in, their *home*: from their quasi-identifiers there, over the values that this table has; other
values are impossible. To an adversary without knowledge all values of the home are equally likely.
After one release such an adversary believes the shares in the person's group, so that requirements
on shares are measured by these beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.inference import ALONE, Together, check_size, infer
from bkpriv_core.composition.remainder import Held, remainders
from bkpriv_core.composition.span import fewest_told
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.sparse import Labels, recode
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["HomeBeliefs", "Joint", "LatestTable", "Look", "Population"]

Look = Callable[[int], tuple[ThreatModel, IntArray]]
"""Function from a release's place in a history to the setting and each record's part in it."""

_BLOCK = 4_000_000
"""Numbers that are gathered at a time."""


@dataclass(frozen=True, eq=False)
class LatestTable:
    """Home: the persons whose latest table this is."""

    threat: ThreatModel
    """Setting in which beliefs about them are measured."""
    persons: IntArray
    """Shape (p,). Numbers of the persons."""
    parts: IntArray
    """Shape (p,). Part of the setting that each person is in."""
    codes: IntArray
    """Shape (v,). Place of each value of the table in the vocabulary of all releases."""

    def prior(self, knowledge: Knowledge | None) -> FloatArray:
        """Prior beliefs about each, (p, v), of an adversary with this knowledge, or with none."""
        if knowledge is None:
            shape = len(self.persons), len(self.codes)
            return np.full(shape, 1.0 / shape[1])
        return self.threat.prior(knowledge)[self.parts]


@dataclass(frozen=True, eq=False)
class Population:
    """Population of releases, and the prior beliefs about it."""

    homes: tuple[LatestTable, ...]
    vocabulary: Labels
    """The values of all releases, ``m`` of them."""
    knowledge: tuple[Knowledge | None, ...]
    """Knowledge of each of ``a`` adversaries; None for no knowledge."""
    priors: tuple[FloatArray, ...]
    """Prior beliefs of each adversary about all persons. All 0 for a number that is nobody's."""
    actual: IntArray
    """Shape (n,). Place in the vocabulary of the value that each has; 0 for a number that is
    nobody's.
    """

    @property
    def combined(self) -> tuple[str, ...]:
        """The sensitive columns, if a table has combinations of them, or of persons' records."""
        told = (home.threat.table.sensitive for home in self.homes)
        some = next((each for each in told if isinstance(each, Combination)), None)
        return () if some is None else tuple(column.name for column in some.columns)

    @classmethod
    def of(cls, history: History, look: Look, knowledge: Sequence[Knowledge | None]) -> Population:
        """Find everybody's home, and priors.

        Args:
            history: The releases in the order of publication, people whose values changed told
                apart (see `told_apart`). The last may be one that is yet to be made; its groups do
                not matter.
            look: Asked only about releases that are somebody's latest.
            knowledge: Knowledge of the adversaries (see `adversaries`).

        Raises:
            TooLarge: If their beliefs would not fit in memory.
        """
        wanted = tuple(knowledge)
        count = 1 + max((int(step.persons.max(initial=-1)) for step in history.steps), default=-1)
        check_size(count, len(history.vocabulary), len(wanted))
        latest, record = np.full(count, ALONE), np.zeros(count, dtype=np.int64)
        actual = np.zeros(count, dtype=np.int64)
        for place, (step, codes) in enumerate(zip(history.steps, history.codes, strict=True)):
            latest[step.persons] = place
            actual[step.persons] = codes[step.actual]
            record[step.persons] = np.arange(len(step.persons))
        homes = []
        for place in np.unique(latest[latest != ALONE]).tolist():
            threat, parts = look(place)
            persons = np.flatnonzero(latest == place)
            codes = recode(threat.table.sensitive.called, history.vocabulary)
            homes.append(LatestTable(threat, persons, parts[record[persons]], codes))
        priors = tuple(np.zeros((count, len(history.vocabulary))) for _ in wanted)
        for prior, known in zip(priors, wanted, strict=True):
            for home in homes:
                prior[np.ix_(home.persons, home.codes)] = home.prior(known)
        return cls(tuple(homes), history.vocabulary, wanted, priors, actual=actual)

    def home_of(self, person: int) -> tuple[LatestTable, int]:
        """Find the home of a person, and the place among its persons."""
        for home in self.homes:
            place = int(np.searchsorted(home.persons, person))
            if place < len(home.persons) and home.persons[place] == person:
                return home, place
        raise ValueError(f"nobody has the number {person}")


@dataclass(frozen=True, eq=False)
class HomeBeliefs:
    """Beliefs of an adversary about some persons of one home, over its values."""

    home: LatestTable
    places: IntArray
    """Shape (q,). Places of the persons among those asked for."""
    before: FloatArray
    after: FloatArray
    """Shape (q, v). Beliefs before and after the releases are seen."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Beliefs about everybody from several releases together, and what people can have."""

    population: Population
    constraints: Constraints
    told: Together
    """Beliefs of each adversary from the releases."""
    progress: Progress = SILENT
    """Polled while crowds are counted."""

    @classmethod
    def of(
        cls,
        population: Population,
        constraints: Constraints,
        estimator: Sound = "auto",
        *,
        among: BoolArray | None = None,
        before: Joint | None = None,
        refuse: bool = True,
        progress: Progress = SILENT,
    ) -> Joint:
        """Infer what releases tell; see `infer`.

        Args:
            before: Joint of other releases of the same population, by the same estimator;
                components that are as they were then are not inferred again.
        """
        told = infer(
            constraints,
            population.priors,
            estimator,
            actual=population.actual,
            among=among,
            before=None if before is None else before.told,
            refuse=refuse,
            progress=progress,
        )
        return cls(population, constraints, told, progress.quiet)

    @cached_property
    def persons(self) -> IntArray:
        """Numbers of those who are shown by a release and were judged, ascending, shape (q,)."""
        return np.flatnonzero((self.told.component != ALONE) & self.told.judged)

    def beliefs(
        self, knowledge: Knowledge | None, persons: IntArray | None = None
    ) -> Iterator[HomeBeliefs]:
        """Beliefs of an adversary about persons; of all that were judged if none are given."""
        asked = self.persons if persons is None else persons
        adversary = self.population.knowledge.index(knowledge)
        prior = self.population.priors[adversary]
        posterior = self.told.posteriors[adversary]
        for home in self.population.homes:
            places = np.flatnonzero(np.isin(asked, home.persons))
            there = np.ix_(asked[places], home.codes)
            yield HomeBeliefs(home, places, prior[there], posterior[there])

    def contradicted(self, knowledge: Knowledge | None) -> BoolArray:
        """Mark persons of whom an adversary held impossible what is told, shape (q,)."""
        adversary = self.population.knowledge.index(knowledge)
        contradicted: BoolArray = self.told.contradicted[adversary, self.persons]
        return contradicted

    @property
    def crowds(self) -> FloatArray:
        """Fewest records that may be a person's, over all groups that show the person, shape (q,).

        Records count if the person may have their value. If one group lies within another, the rest
        of the larger counts, as a reader of both can subtract: see `remainder`. If at most twelve
        groups are linked, by crossing each other, so does all that follows from them: see `span`.
        """
        return self._crowds[0]

    @property
    def counted(self) -> BoolArray:
        """Mark crowds that are exact, shape (q,).

        The others are lower bounds: of groups that cross in so many ways that too few are left, or
        of which only such records count as are known to be possibly the person's; but for those
        that are `overlooked`.
        """
        return self._crowds[1]

    @property
    def overlooked(self) -> BoolArray:
        """Crowds that may be smaller, shape (q,), if too many groups are linked: see `span`."""
        return self._crowds[2]

    @cached_property
    def _crowds(self) -> tuple[FloatArray, BoolArray, BoolArray]:
        told = self.told
        system, atom, weights = self.constraints.atoms(len(told.used))
        one = np.zeros(len(weights), dtype=np.int64)  # of each atom; others may have the same
        one[atom[self.persons]] = self.persons
        may = told.attained[one]
        held = Held(system.histograms, may)
        crowds, exact = remainders(system.members, weights, held, self.progress)
        refined = system.refined(self.progress)
        spanned, overlooked = fewest_told(refined, may, self.progress)
        for others in (self._shown(refined, may), spanned):
            exact |= others <= crowds
            crowds = np.minimum(crowds, others)
        mine = atom[self.persons]
        # One's own record is always possible, and nobody has fewer.
        overlooked = overlooked[mine] & (crowds[mine] > 1)
        return crowds[mine], exact[mine] & told.tight[self.persons] & ~overlooked, overlooked

    def _shown(self, constraints: Constraints, may: BoolArray) -> FloatArray:
        """Fewest records of groups of atoms that may be each one's."""
        records = np.full(len(may), np.inf)
        step = max(1, _BLOCK // max(1, may.shape[1]))
        members, owner = constraints.members.members, constraints.members.owner
        for start in range(0, len(members), step):
            self.progress.poll()
            who, group = members[start : start + step], owner[start : start + step]
            count = np.einsum("ev,ev->e", constraints.histograms[group], may[who])
            np.minimum.at(records, who, count)
        return records
