"""People over a bound, and releases that put them there, against trying all their subsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.composition import exposure as exposure_module
from bkpriv_core.composition.companion import adversaries, companion
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.exposure import exposures
from bkpriv_core.composition.measurement import Joint, Population
from bkpriv_core.requirement import KAnonymity, LDiversity, MaxDisclosure, Requirement
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import SUPPRESSED
from tests.core.composition_releases import (
    Shown,
    as_history,
    histories,
    inserted,
    joint_of,
    look_at,
    restricted,
)
from tests.core.strategies import SOME, by_age
from tests.core.watching import Watched, polls_of

REQUIREMENTS: list[Requirement] = [MaxDisclosure(0.6), LDiversity(2), KAnonymity(2)]


def exposed_by(releases: list[Shown], chosen: tuple[int, ...]) -> list[set[int]]:
    """People over each bound by some of the releases; homes are those of all."""
    if all(label == SUPPRESSED for place in chosen for label in releases[place].labels):
        return [set() for _ in REQUIREMENTS]
    history = as_history(releases)
    population = Population.of(history, look_at(releases), adversaries(REQUIREMENTS))
    each = Constraints.of_each(history)
    joint = Joint.of(population, Constraints.joined([each[place] for place in chosen]), "exact")
    return [
        set(joint.persons[item.bounds[0].broken(*companion(item).figures(joint))].tolist())
        for item in REQUIREMENTS
    ]


@SOME
@given(histories(most_records=6, most_values=3, most=4), st.sampled_from([0, 1, 200]))
def test_releases_that_expose_somebody(releases: list[Shown], pairs: int) -> None:
    joint = joint_of(releases, REQUIREMENTS)
    every = tuple(range(len(releases)))
    each = Constraints.of_each(as_history(releases))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exposure_module, "_PAIRS", pairs)
        found = exposures(joint, each, REQUIREMENTS, "exact")
    subsets = {
        chosen: exposed_by(releases, chosen)
        for size in range(1, len(every) + 1)
        for chosen in combinations(every, size)
    }
    for number, (requirement, exposure) in enumerate(zip(REQUIREMENTS, found, strict=True)):
        (bound,) = requirement.bounds
        assert exposure.bound == bound
        assert set(exposure.persons.tolist()) == subsets[every][number]
        (told,) = companion(requirement).figures(joint)
        figures = dict(zip(joint.persons.tolist(), told, strict=True))
        assert exposure.figures.tolist() == [figures[p] for p in exposure.persons.tolist()]
        worse = -exposure.figures if bound.upper else exposure.figures
        assert (np.diff(worse) >= 0).all()
        for person, by in zip(exposure.persons.tolist(), exposure.by, strict=True):
            chosen = tuple(np.flatnonzero(by).tolist())
            assert person in subsets[chosen][number]
            for fewer in combinations(chosen, len(chosen) - 1):
                assert not fewer or person not in subsets[fewer][number]


def test_one_inserted_person_is_exposed_by_both_releases() -> None:
    releases = inserted()
    joint = joint_of(releases, [MaxDisclosure(0.8)])
    each = Constraints.of_each(as_history(releases))
    (exposure,) = exposures(joint, each, [MaxDisclosure(0.8)], "exact")
    assert (exposure.persons.tolist(), exposure.figures.tolist()) == ([4], [1.0])
    assert exposure.by.tolist() == [[True, True]]
    assert exposure.blame is not None
    (shift,) = exposure.blame
    assert shift.label(joint.population.homes[-1].threat.table.sensitive) == "HIV"
    assert (shift.before, shift.after) == (0.8, 1.0)


def test_releases_that_tell_nothing_more_are_not_named() -> None:
    # E is known by the first release; the second shows the same group, the third others.
    records = by_age("HIV", "HIV", "flu", "flu", "HIV")
    shown = Shown(records, range(5), [0, 0, 0, 0, 1])
    other = Shown(restricted(records, [0, 2]), [0, 2], [0, 0])
    releases = [shown, shown, other]
    joint = joint_of(releases, REQUIREMENTS)
    found = exposures(joint, Constraints.of_each(as_history(releases)), REQUIREMENTS)
    assert [(each.persons.tolist(), each.by.tolist()) for each in found] == [
        ([4], [[True, False, False]])
    ] * 3


def test_nobody_is_exposed() -> None:
    releases = [Shown(by_age("HIV", "flu"), [0, 1], [0, 0])]
    joint = joint_of(releases, REQUIREMENTS)
    history: History = as_history(releases)
    for exposure in exposures(joint, Constraints.of_each(history), REQUIREMENTS):
        assert exposure.persons.size == exposure.by.size == 0


def grown(months: int) -> tuple[list[Shown], Joint]:
    """Three come every month, and all are grouped anew by threes."""
    random = np.random.default_rng(3)
    records = by_age(*random.choice(["a", "b", "c"], 3 * months).tolist())
    releases = []
    for month in range(1, months + 1):
        labels = np.empty(3 * month, dtype=np.int64)
        labels[random.permutation(3 * month)] = np.arange(3 * month) // 3
        persons = range(3 * month)
        releases.append(Shown(restricted(records, persons), persons, labels.tolist()))
    return releases, joint_of(releases, REQUIREMENTS)


def test_most_people_are_exposed_by_few_releases_which_are_tried_first() -> None:
    releases, joint = grown(8)
    tried: list[Constraints] = []
    infer = Joint.of

    def counted(population: Population, constraints: Constraints, *a: Any, **b: Any) -> Joint:
        tried.append(constraints)
        return infer(population, constraints, *a, **b)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Joint, "of", counted)
        found = exposures(joint, Constraints.of_each(as_history(releases)), REQUIREMENTS)
    sizes = np.concatenate([each.by.sum(axis=1) for each in found])
    assert len(sizes) > 30
    assert np.mean(sizes <= 2) > 0.9
    # Eight by themselves, 28 pairs, and the sets of the others.
    others = np.count_nonzero(sizes > 2)
    assert len(tried) <= 8 + 28 + 16 * others


def test_progress_rises_and_all_can_be_cancelled() -> None:
    releases, joint = grown(5)
    each = Constraints.of_each(as_history(releases))
    shares: list[float] = []
    exposures(joint, each, REQUIREMENTS, progress=Watched(report=shares.append))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert (np.diff(shares) >= 0).all()
    every = polls_of(lambda progress: exposures(joint, each, REQUIREMENTS, progress=progress))
    assert every > 50


def by_of(groups: Sequence[Sequence[int]], values: str, tau: float) -> dict[int, list[bool]]:
    """Releases of a group each that expose people."""
    records = by_age(*values)
    releases = [Shown(restricted(records, some), some, [0] * len(some)) for some in groups]
    joint = joint_of(releases, [MaxDisclosure(tau)])
    each = Constraints.of_each(as_history(releases))
    (found,) = exposures(joint, each, [MaxDisclosure(tau)], "exact")
    return dict(zip(found.persons.tolist(), found.by.tolist(), strict=True))


def test_one_release_may_expose_whom_two_do_not() -> None:
    # C and D are exposed by the second release alone, but not by the second and the third.
    by = by_of(([2, 3, 4, 5], [0, 1, 2, 3], [0, 1, 4, 5]), "yxxxyy", 0.7)
    assert by[2] == by[3] == [False, True, False]


def test_what_was_kept_is_tried_again_when_less_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    # A and C: the last is tried first, and needed; once the second is left out it is not.
    monkeypatch.setattr(exposure_module, "_PAIRS", 0)
    by = by_of(([4, 5], [1, 3], [0, 2, 3, 5, 6], [3, 6]), "xxxxzzz", 0.7)
    assert by[0] == by[2] == [True, False, True, False]
