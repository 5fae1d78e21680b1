"""Small histories of several releases of the same people, to try."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import SUPPRESSED, FloatArray
from tests.core.composition_oracles import Group, possible, posteriors
from tests.core.sequences import LABELS, as_step
from tests.core.strategies import beliefs


@dataclass(frozen=True)
class Shown:
    """People's values, and the group of each in each release; none is -1."""

    values: list[int]
    releases: list[list[int]]
    prior: FloatArray

    @property
    def groups(self) -> list[Group]:
        """Every group as the oracles have it."""
        groups: list[Group] = []
        for release in self.releases:
            for group in sorted(set(release) - {SUPPRESSED}):
                some = [person for person, mine in enumerate(release) if mine == group]
                held = [self.values[person] for person in some]
                groups.append((some, {value: held.count(value) for value in held}))
        return groups

    @property
    def history(self) -> History:
        """The same as the core has it; who is in no group is suppressed."""
        steps = []
        for place, release in enumerate(self.releases):
            labels = LABELS[: self.prior.shape[1]]
            number = {group: at for at, group in enumerate(sorted(set(release) - {SUPPRESSED}))}
            groups = [number.get(group, SUPPRESSED) for group in release]
            persons = range(len(self.values))
            steps.append(as_step(place, labels, persons, self.values, groups, place + 1))
        return History(tuple(steps))


@st.composite
def shown(draw: st.DrawFn, most: int = 6, *, positive: bool = True) -> Shown:
    """Two to four releases of a few people."""
    persons, values = draw(st.integers(2, most)), draw(st.integers(2, 3))
    held = draw(st.lists(st.integers(0, values - 1), min_size=persons, max_size=persons))
    group = st.lists(st.integers(-1, 2), min_size=persons, max_size=persons)
    releases = draw(st.lists(group, min_size=2, max_size=4))
    prior = [draw(beliefs(values, positive=positive)) for _ in range(persons)]
    return Shown(held, releases, np.array(prior, dtype=float))


def drawn(
    random: np.random.Generator,
    persons: int,
    values: int,
    releases: int,
    groups: int,
    alpha: float = 1.0,
) -> Shown:
    """Releases of a few people in so many random groups each; values are drawn from priors."""
    prior = random.dirichlet(np.full(values, alpha), persons)
    held = [int(random.choice(values, p=row)) for row in prior]
    every = [random.integers(groups, size=persons).tolist() for _ in range(releases)]
    return Shown(held, every, prior)


def truth_of(history: Shown) -> FloatArray:
    """Posteriors by enumeration."""
    found = posteriors(history.prior.tolist(), history.groups)
    assert found is not None
    return np.array(found)


def possible_in(history: Shown) -> npt.NDArray[np.bool_]:
    """Values that each person may have, by enumeration."""
    persons, values = history.prior.shape
    found = possible(persons, values, history.groups)
    return np.array([[value in mine for value in range(values)] for mine in found])
