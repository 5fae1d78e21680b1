"""Releases of some of a table's records each: what to try, and what they tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.measurement import Joint, Look, Population
from bkpriv_core.requirement import Requirement
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import SUPPRESSED, IntArray
from tests.core.oracles import Records
from tests.core.sequences import as_step
from tests.core.strategies import as_parts, by_age, occurring, tables

__all__ = [
    "Shown",
    "as_history",
    "histories",
    "inserted",
    "joint_of",
    "look_at",
    "restricted",
]


@dataclass(frozen=True)
class Shown:
    """A release: the records of some persons, and the group of each, -1 if it is suppressed."""

    records: Records
    persons: Sequence[int]
    labels: Sequence[int]

    @property
    def groups(self) -> list[list[int]]:
        """Places of the records of each group."""
        return [
            [place for place, other in enumerate(self.labels) if other == label]
            for label in sorted(set(self.labels) - {SUPPRESSED})
        ]


def restricted(records: Records, persons: Sequence[int]) -> Records:
    """The records of some persons, and the values that these have."""
    rows = tuple(records.rows[person] for person in persons)
    *others, sensitive = [
        occurring(attribute, [row[axis] for row in rows])
        for axis, attribute in enumerate((*records.attributes, records.sensitive))
    ]
    return Records(tuple(others), sensitive, rows)


@st.composite
def histories(
    draw: st.DrawFn, *, most_records: int, most_values: int, least: int = 1, most: int = 3
) -> list[Shown]:
    """Releases of some of the records of a table each, at least one of which shows somebody."""
    records = draw(tables(min_records=2, max_records=most_records, max_values=most_values))
    everybody = list(range(len(records.rows)))
    releases = []
    for _ in range(draw(st.integers(least, most))):
        persons = sorted(draw(st.sets(st.sampled_from(everybody), min_size=1)))
        drawn = st.lists(st.integers(-1, 2), min_size=len(persons), max_size=len(persons))
        labels = draw(drawn)
        dense = {label: place for place, label in enumerate(sorted(set(labels) - {SUPPRESSED}))}
        labels = [dense.get(label, SUPPRESSED) for label in labels]
        releases.append(Shown(restricted(records, persons), persons, labels))
    if all(label == SUPPRESSED for release in releases for label in release.labels):
        shown = releases[-1]
        releases[-1] = Shown(shown.records, shown.persons, [0] * len(shown.persons))
    return releases


def as_history(releases: Sequence[Shown]) -> History:
    """The releases as steps."""
    return History(
        tuple(
            as_step(
                0,
                shown.records.sensitive.values,
                shown.persons,
                shown.records.secrets(shown.records.everything()),
                shown.labels,
                release=place + 1,
            )
            for place, shown in enumerate(releases)
        )
    )


def look_at(releases: Sequence[Shown]) -> Look:
    """Setting in which beliefs about a release's records are measured."""

    def look(place: int) -> tuple[ThreatModel, IntArray]:
        records = releases[place].records
        # Parts stand in another order than the records that a release has.
        order = np.arange(len(records.rows))[::-1]
        return ThreatModel(as_parts(records, order.tolist()).select(order)), order

    return look


def joint_of(releases: Sequence[Shown], requirements: Sequence[Requirement]) -> Joint:
    """Beliefs from the releases together, exactly."""
    history = as_history(releases)
    population = Population.of(history, look_at(releases), adversaries(requirements))
    return Joint.of(population, Constraints.of(history), "exact")


def inserted() -> list[Shown]:
    """A-D are shown with HIV three times and flu; then A-E, with HIV four times and flu."""
    records = by_age("HIV", "HIV", "HIV", "flu", "HIV")
    some = list(range(4))
    return [Shown(restricted(records, some), some, [0] * 4), Shown(records, range(5), [0] * 5)]
