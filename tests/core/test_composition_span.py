"""Crowds: records that may be a person's, against all sets of people that follow from groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import joint_findings
from bkpriv_core.belief.posterior import ESTIMATORS
from bkpriv_core.composition import inference, remainder, span
from bkpriv_core.composition.companion import companion
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.measurement import Joint, Population
from bkpriv_core.requirement import KAnonymity, MaxDisclosure
from tests.core import composition_oracles
from tests.core.composition_releases import (
    Shown,
    as_history,
    histories,
    inserted,
    joint_of,
    look_at,
    restricted,
)
from tests.core.strategies import MANY, SOME, by_age


@MANY
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_what_is_left_of_groups_within_one_another_counts(
    joined: list[int], data: st.DataObject
) -> None:
    """One group grows from release to release: a person is among those that joined together."""
    secrets = data.draw(st.lists(st.sampled_from("ab"), min_size=12, max_size=12))
    records = by_age(*secrets[: len(joined)])
    releases = []
    for last in sorted(set(joined)):
        persons = [person for person, first in enumerate(joined) if first <= last]
        releases.append(Shown(restricted(records, persons), persons, [0] * len(persons)))
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    (figures,) = companion(KAnonymity(2)).figures(joint)
    assert figures.tolist() == [joined.count(first) for first in joined]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_is_left_does_not_depend_on_who_came_first(order: tuple[int, ...]) -> None:
    # All less the groups of B, C, E and of F, G, H are A and D.
    groups = ([2, 4, 5], [1, 2, 4], [0, 1, 2, 3, 4, 5, 6, 7], [5, 6, 7])
    records = by_age(*"yxyxxxyx")
    releases = [
        Shown(restricted(records, groups[place]), groups[place], [0] * len(groups[place]))
        for place in order
    ]
    (figures,) = companion(KAnonymity(2)).figures(joint_of(releases, [MaxDisclosure(0.5)]))
    assert figures.tolist() == [2, 3, 3, 2, 3, 3, 3, 3]


def test_records_with_values_that_a_person_cannot_have_are_nobodys() -> None:
    # B is in a group of a and b with A, then in one of a and c with C: B has a.
    records = by_age("b", "a", "c")
    releases = [
        Shown(restricted(records, persons), persons, [0, 0]) for persons in ([0, 1], [1, 2])
    ]
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    assert joint.told.certain.all()
    (figures,) = companion(KAnonymity(2)).figures(joint)
    assert figures.tolist() == [1, 1, 1]


def as_groups(joint: Joint) -> dict[frozenset[int], Counter[int]]:
    """Groups of all releases, and how many of each have each value."""
    constraints = joint.constraints
    return {
        frozenset(group.tolist()): Counter(dict(enumerate(histogram.tolist())))
        for group, histogram in zip(constraints.members, constraints.histograms, strict=True)
    }


@SOME
@given(histories(most_records=6, most_values=3))
def test_crowds_are_the_fewest_of_all_sets_that_are_told(releases: list[Shown]) -> None:
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    assert joint.counted.all()
    values = joint.population.actual.tolist()
    groups = [group.tolist() for group in joint.constraints.members]
    sets = composition_oracles.spanned(groups, len(values))
    for person, crowd in zip(joint.persons.tolist(), joint.crowds.tolist(), strict=True):
        may = set(np.flatnonzero(joint.told.possible[person]).tolist())
        assert crowd == composition_oracles.fewest_told(sets, values, may, person)


@pytest.mark.parametrize("most", [0, 12])
@SOME
@given(releases=histories(most_records=6, most_values=3, least=2))
def test_a_crowd_of_many_groups_is_never_more_than_is_left(
    most: int, releases: list[Shown]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(span, "_GROUPS", 0)
        patch.setattr(remainder, "_CHOSEN", most)
        joint = joint_of(releases, [MaxDisclosure(0.5)])
        refined = joint.constraints.refined()
        possible, groups = joint.told.possible, as_groups(joint)
        looked = zip(joint.persons, joint.crowds, joint.counted | joint.overlooked, strict=True)
        for person, crowd, exact in looked:
            rests = [
                int(histogram[possible[person]].sum())
                for group, histogram in zip(refined.members, refined.histograms, strict=True)
                if person in group
            ]
            least = min(fewest_that_may_be(groups, possible[person], person), *rests)
            assert crowd == least if exact else 1 <= crowd <= least
            assert exact or most == 0


@SOME
@given(histories(most_records=6, most_values=3))
def test_a_crowd_that_may_be_smaller_is_said_to_be_estimated(releases: list[Shown]) -> None:
    truth = joint_of(releases, [MaxDisclosure(0.5)])
    assert not truth.overlooked.any()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(span, "_RANK", 1)
        joint = joint_of(releases, [MaxDisclosure(0.5)])
        kinds, which = companion(KAnonymity(2)).manners(joint)
        for crowd, least, kind in zip(joint.crowds, truth.crowds, which, strict=True):
            assert kinds[kind] != "exact" or crowd == least
            assert kinds[kind] != "bounds" or crowd <= least
            assert kinds[kind] != "estimates" or crowd > 1


def test_groups_in_a_large_ring_are_said_to_be_overlooked() -> None:
    # Couples across a ring: each new group holds the second of one old couple and the first of
    # the next one.
    couples, people = 13, range(26)
    records = by_age(*"ab" * couples)
    releases = [
        Shown(restricted(records, list(people)), list(people), [person // 2 for person in people]),
        Shown(
            restricted(records, list(people)),
            list(people),
            [(person + 1) // 2 % couples for person in people],
        ),
    ]
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    assert joint.overlooked.any()
    kinds, which = companion(KAnonymity(2)).manners(joint)
    assert {kinds[kind] for kind in which[joint.crowds > 1]} == {"estimates"}


@SOME
@given(histories(most_records=6, most_values=3, least=2))
def test_a_crowd_is_never_too_large_whatever_is_known_of_values(releases: list[Shown]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "_AUTO_WAYS", 1)
        patch.setattr(inference, "_PROGRAMMES", 0)
        patch.setattr(inference, "_WHOLE", 0)
        history = as_history(releases)
        population = Population.of(history, look_at(releases), [None])
        joint = Joint.of(population, Constraints.of(history))
    known = joint_of(releases, [MaxDisclosure(0.5)])
    for crowd, exact, truth in zip(joint.crowds, joint.counted, known.crowds, strict=True):
        assert crowd == truth if exact else 1 <= crowd <= truth


def fewest_that_may_be(
    groups: dict[frozenset[int], Counter[int]], possible: Any, person: int
) -> int:
    """Fewest records of possible values left of a group, of all ways to take disjoint ones away."""

    def left(held: Counter[int], within: list[frozenset[int]]) -> int:
        count = sum(number if possible[value] else 0 for value, number in held.items())
        for place, group in enumerate(within):
            others = [each for each in within[place + 1 :] if not each & group]
            rest = Counter(held)
            rest.subtract(groups[group])
            count = min(count, left(rest, others))
        return count

    return min(
        left(held, [group for group in groups if group < around and person not in group])
        for around, held in groups.items()
        if person in around
    )


def test_of_groups_that_cross_within_one_values_count_of_what_is_left() -> None:
    # Of all less the last, A, G and H with a, e and e are left, and A was in a group without e.
    records = by_age(*"aafghbee")
    groups = ([0, 1, 2, 3, 4], list(range(8)), [1, 2, 3, 4, 5])
    releases = [
        Shown(restricted(records, persons), persons, [0] * len(persons)) for persons in groups
    ]
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    assert joint.crowds[0] == 1
    assert joint.counted[0]


def test_a_crowd_is_exact_whatever_beliefs_are() -> None:
    demanded = [KAnonymity(2), MaxDisclosure(0.8)]
    joint = joint_of(inserted(), demanded)
    estimated = np.full_like(joint.told.used, ESTIMATORS.index("bethe"))
    joint = replace(joint, told=replace(joint.told, used=estimated))
    assert [row.estimator for row in joint_findings(joint, demanded, [1])] == ["exact", "bethe"]


def test_a_crowd_is_exact_of_whom_beliefs_are_estimated_if_all_values_are_seen_possible() -> None:
    records = by_age(*"aaaabbbb")
    ring = ([0, 1, 4, 5], [1, 2, 5, 6], [2, 3, 6, 7], [0, 3, 4, 7])
    releases = [Shown(restricted(records, some), some, [0] * 4) for some in ring]
    history = as_history(releases)
    population = Population.of(history, look_at(releases), [None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "_AUTO_WAYS", 1)
        joint = Joint.of(population, Constraints.of(history))
    assert (joint.told.used != ESTIMATORS.index("exact")).all()
    (finding,) = joint_findings(joint, [KAnonymity(2)], [1, 2, 3, 4])
    assert (finding.worst, finding.estimator) == (
        joint_of(releases, [KAnonymity(2)]).crowds[0],
        "exact",
    )
