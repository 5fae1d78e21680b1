"""Earlier releases: what was published before of people whom a table is about to show again.

A respondent who was shown before with the value that they have in the table is the same person. One
who had another value before is a new person to the reader. Others were shown before and are gone,
or have never been shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.composition.constraint import Constraints, told_apart
from bkpriv_core.composition.measurement import Look, Population
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["PriorReleases"]


@dataclass(frozen=True, eq=False)
class PriorReleases:
    """Constraints that earlier releases put on people, and the people whom a table has."""

    releases: tuple[int, ...]
    constraints: Constraints
    population: Population
    """People of the releases and of the table, and prior beliefs about them."""
    persons: IntArray
    """Shape (n,). Number of each respondent of the table."""
    codes: IntArray
    """Shape (m,). Place of each sensitive value of the table in the vocabulary of the
    population.
    """
    changed: int
    """Number of the table's respondents who had another value before."""

    @classmethod
    def of(
        cls,
        history: History,
        present: SequenceRelease,
        look: Look,
        knowledge: Sequence[Knowledge | None],
    ) -> PriorReleases:
        """Tell people of earlier releases and of a table apart, and find what is believed of them.

        Args:
            present: The respondents of the table, in no group.
            look: See `Population.of`; the table's place follows on those of the history.
        """
        whole, _ = told_apart(History((*history.steps, present)))
        *_, now = whole.steps
        return cls(
            tuple(step.release for step in history.steps),
            Constraints.of(whole),
            Population.of(whole, look, knowledge or (None,)),
            now.persons,
            codes=whole.codes[-1],
            changed=int((now.persons != present.persons).sum()),
        )

    def with_groups(self, parts: Parts, groups: Groups) -> Constraints:
        """Join constraints of groups of the table's respondents, as if these were published."""
        if parts.respondent is None:
            raise ValueError("the parts do not tell respondents apart")
        if not len(groups):
            return self.constraints
        histograms = np.zeros((len(groups), self.constraints.histograms.shape[1]), dtype=np.int64)
        histograms[:, self.codes] = parts.histograms(groups)
        persons = self.persons[parts.respondent[groups.members]]
        published = Constraints(Groups(persons, groups.offsets), histograms)
        return Constraints.joined([self.constraints, published])
