"""Certification beside earlier releases: afterwards nobody is exposed whom those did not expose.

What is known of everybody is found by listing all ways to give people values; see
`together_oracles`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import ESTIMATORS, Sound
from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition.judging import Judge
from bkpriv_core.partition.together import Mended, certify_together
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    Requirement,
    adversaries,
    alone_and_joint,
)
from bkpriv_core.sequence.history import History, Step
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.together import inference
from bkpriv_core.together.earlier import Earlier
from tests.core import oracles, together_oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_parts

VALUES = ("flu", "gout", "hiv")

SMOOTHING = 1.0


@dataclass(frozen=True)
class Shown:
    """A release: the persons of its table, in order, and the groups of some of them."""

    persons: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Course:
    """People, each with an age and a value, and what is published of them; last the new one."""

    ages: tuple[int, ...]
    values: tuple[int, ...]
    releases: tuple[Shown, ...]

    def records(self, place: int) -> Records:
        """The table of a release."""
        persons = self.releases[place].persons
        ages = sorted({self.ages[person] for person in persons})
        held = sorted({self.values[person] for person in persons})
        return Records(
            (Attribute("age", tuple(map(str, ages)), numbers={str(age): age for age in ages}),),
            Attribute("disease", tuple(VALUES[value] for value in held)),
            tuple((str(self.ages[person]), VALUES[self.values[person]]) for person in persons),
        )

    def setting(self, place: int) -> Setting:
        """What is believed of its records, one part each."""
        records = self.records(place)
        return Setting(as_parts(records, range(len(records.rows))), SMOOTHING)

    def step(self, place: int) -> Step:
        """The release as history has it; the last in no groups."""
        shown, records = self.releases[place], self.records(place)
        labels = np.full(len(shown.persons), SUPPRESSED)
        if place < len(self.releases) - 1:
            for number, group in enumerate(shown.groups):
                labels[[shown.persons.index(person) for person in group]] = number
        actual = np.array(records.secrets(records.everything()), dtype=np.int64)
        return Step(
            place + 1,
            records.sensitive.values,
            np.array(shown.persons, dtype=np.int64),
            actual,
            Groups.from_labels(labels),
            place,
        )

    def certified(
        self,
        requirements: Sequence[Requirement],
        estimator: Sound = "auto",
        *,
        uniting: bool = True,
        restoring: bool = True,
        beyond: bool = True,
    ) -> tuple[Mended, list[frozenset[int]], Judge]:
        """Mend those groups of the new release that hold; return persons of each group, too."""
        last = len(self.releases) - 1
        settings = [self.setting(place) for place in range(last + 1)]

        def look(place: int) -> tuple[Setting, IntArray]:
            return settings[place], np.arange(len(settings[place].parts))

        steps = tuple(self.step(place) for place in range(last))
        earlier = Earlier.of(History(steps), self.step(last), look, adversaries(requirements))
        alone, joint = alone_and_joint(requirements)
        setting = settings[last].tried()
        judge = Judge(setting, alone, estimator, beyond=beyond)
        shown = self.releases[last]
        lists = [
            np.array([shown.persons.index(person) for person in group]) for group in shown.groups
        ]
        groups = Generalized().pool(setting.parts, Groups.from_lists(lists))
        groups = groups.select(judge.met(judge.measured_somehow(groups)))
        for item in joint:
            groups = groups.select(item.satisfied(setting, groups))
        mended = certify_together(
            judge,
            groups,
            earlier,
            requirements,
            estimator,
            pool=Generalized().pool,
            uniting=uniting,
            restoring=restoring,
        )
        people = [
            frozenset(shown.persons[part] for part in group.tolist()) for group in mended.groups
        ]
        return mended, people, judge

    def home(self, person: int) -> int:
        """The latest release whose table has a person."""
        return max(place for place, shown in enumerate(self.releases) if person in shown.persons)


def figures(
    course: Course, requirement: Requirement, groups: Sequence[frozenset[int]]
) -> dict[int, float]:
    """Figure of everybody in one of the groups under a requirement, by enumeration."""
    people = sorted({person for place in course.releases for person in place.persons})
    prior = [[float(value == 0) for value in range(len(VALUES))] for _ in course.ages]
    for person in people:
        prior[person] = [0.0] * len(VALUES)
        place = course.home(person)
        records = course.records(place)
        held = [VALUES.index(str(value)) for value in records.sensitive.values]
        row = [1.0 / len(held)] * len(held)
        if isinstance(requirement, BtPrivacy):
            ((bandwidth, _),) = requirement.skyline
            assert isinstance(bandwidth, float)
            all_rows = oracles.rounded(oracles.priors(records, [bandwidth]))
            row = all_rows[course.releases[place].persons.index(person)]
        for value, share in zip(held, row, strict=True):
            prior[person][value] = share
    told = [(sorted(group), Counter(course.values[person] for person in group)) for group in groups]
    posterior = together_oracles.posteriors(prior, told)
    assert posterior is not None
    found = {}
    for person in sorted({person for group in groups for person in group}):
        before, after = prior[person], posterior[person]
        if isinstance(requirement, MaxDisclosure):
            found[person] = max(after)
        elif isinstance(requirement, LDiversity):
            found[person] = float(sum(share > 1e-12 for share in after))
        else:
            records = course.records(course.home(person))
            held = [VALUES.index(str(value)) for value in records.sensitive.values]
            found[person] = oracles.belief_distance(
                records.sensitive,
                [before[value] for value in held],
                [after[value] for value in held],
                SMOOTHING,
            )
    return found


@st.composite
def courses(draw: st.DrawFn) -> Course:
    """Up to seven people in two or three releases, in any groups; the last is to be mended."""
    count = draw(st.integers(3, 7))
    people = range(count)
    ages = tuple(draw(st.lists(st.integers(20, 26), min_size=count, max_size=count)))
    values = tuple(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        persons = draw(st.permutations([p for p in people if draw(st.integers(0, 5))] or [0]))
        labels = [draw(st.integers(-1, 2)) for _ in persons]
        groups = [
            tuple(person for person, label in zip(persons, labels, strict=True) if label == wanted)
            for wanted in range(3)
        ]
        releases.append(Shown(tuple(persons), tuple(group for group in groups if group)))
    return Course(ages, values, tuple(releases))


REQUIREMENTS: list[Requirement] = [
    MaxDisclosure(0.6),
    MaxDisclosure(0.75),
    LDiversity(2),
    BtPrivacy(((0.4, 0.15),)),
]


@SOME
@given(
    course=courses(),
    which=st.sets(st.sampled_from(range(len(REQUIREMENTS))), min_size=1),
    uniting=st.booleans(),
)
def test_nobody_is_exposed_whom_earlier_releases_did_not_expose(
    course: Course, which: set[int], uniting: bool
) -> None:
    requirements = [REQUIREMENTS[place] for place in sorted(which)]
    mended, groups, judge = course.certified(requirements, "exact", uniting=uniting)
    earlier = [frozenset(group) for shown in course.releases[:-1] for group in shown.groups]
    exposed: set[int] = set()
    for requirement in requirements:
        (bound,) = requirement.bounds
        then = figures(course, requirement, earlier) if earlier else {}
        now = figures(course, requirement, [*earlier, *groups]) if earlier or groups else {}
        for person, figure in now.items():
            if bound.broken(np.array([figure])).any():
                assert person in then, "nothing was told of him"
                worse = figure - then[person] if bound.upper else then[person] - figure
                assert worse <= 1e-5
        exposed |= {p for p, figure in then.items() if bound.broken(np.array([figure])).any()}
    assert mended.exposed == len(exposed)
    # And every group holds by itself, as one that readers tell from the others.
    state = judge.measured_somehow(mended.groups)
    assert judge.met(state).all()
    assert len(Generalized().pool(judge.setting.parts, mended.groups)) == len(mended.groups)
    if not uniting:
        given_ = [frozenset(group) for group in course.releases[-1].groups]
        pooled = _unions(given_)
        assert all(any(group <= other for other in pooled) for group in groups)


def _unions(groups: Sequence[frozenset[int]]) -> set[frozenset[int]]:
    """All unions of some groups: what a reader cannot tell apart is one."""
    unions = {frozenset[int]()}
    for group in groups:
        unions |= {union | group for union in unions}
    return unions


def golden(*more: tuple[int, ...]) -> Course:
    """A-D with HIV three times and flu once; then E with HIV comes; and perhaps others."""
    first, second = (0, 1, 2, 3), (0, 1, 2, 3, 4)
    others = tuple(person for group in more for person in group)
    ages = (20, 21, 22, 23, 24, *(30 + person for person in others))
    values = (2, 2, 2, 0, 2, *(person % 2 * 2 for person in others))
    return Course(
        ages,
        values,
        (Shown(first, (first,)), Shown((*second, *others), (second, *more))),
    )


def test_one_inserted_person_waits() -> None:
    mended, groups, _ = golden().certified([MaxDisclosure(0.8)])
    assert groups == [frozenset({0, 1, 2, 3})]
    assert (mended.failed, mended.united, mended.left_out, mended.exposed) == (1, 0, 1, 0)


def test_one_inserted_person_is_united_with_other_newcomers() -> None:
    mended, groups, _ = golden((5, 6, 7, 8)).certified([MaxDisclosure(0.8)])
    assert set(groups) == {frozenset({0, 1, 2, 3}), frozenset({4, 5, 6, 7, 8})}
    assert (mended.failed, mended.restored, mended.united, mended.left_out) == (1, 1, 2, 0)


def test_where_groups_are_not_united_he_waits_all_the_same() -> None:
    mended, groups, _ = golden((5, 6, 7, 8)).certified([MaxDisclosure(0.8)], uniting=False)
    assert set(groups) == {frozenset({0, 1, 2, 3}), frozenset({5, 6, 7, 8})}
    assert (mended.united, mended.left_out) == (0, 1)


def test_who_left_is_not_found_by_who_stays() -> None:
    """A-D, then A-C: D's value would be what is left."""
    people = (0, 1, 2, 3)
    course = Course(
        (20, 21, 22, 23), (2, 0, 2, 0), (Shown(people, (people,)), Shown((0, 1, 2), ((0, 1, 2),)))
    )
    mended, groups, _ = course.certified([MaxDisclosure(0.7)])
    assert groups == []
    assert (mended.failed, mended.left_out) == (1, 3)


def test_what_was_told_already_is_not_held_against_a_release() -> None:
    """A and B are known from the first release; the second may show them so again."""
    people = (0, 1, 2, 3)
    course = Course(
        (20, 21, 22, 23),
        (2, 2, 0, 2),
        (Shown(people, ((0, 1),)), Shown(people, (people,))),
    )
    mended, groups, _ = course.certified([MaxDisclosure(0.8)])
    assert mended.exposed == 2
    # C and D are told that one of them has it, as by a group of their own.
    assert groups == [frozenset(people)]
    assert (mended.failed, mended.left_out) == (0, 0)


def test_a_release_that_is_published_again_tells_nothing() -> None:
    people = (0, 1, 2, 3, 4, 5)
    shown = Shown(people, ((0, 1, 2), (3, 4, 5)))
    course = Course((20, 21, 22, 30, 31, 32), (0, 1, 2, 0, 1, 2), (shown, shown, shown))
    mended, groups, _ = course.certified([KAnonymity(3), LDiversity(3), BtPrivacy(((0.3, 0.5),))])
    assert set(groups) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}
    assert (mended.failed, mended.united, mended.left_out, mended.exposed) == (0, 0, 0, 0)


def test_a_requirement_on_all_groups_together_holds_afterwards() -> None:
    """One of six waits; with the other five the rest is as safe as it must be."""
    first = tuple(range(5))
    second, third = tuple(range(6)), tuple(range(6, 12))
    course = Course(
        (*range(20, 26), *range(40, 46)),
        (0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2),
        (Shown(first, (first,)), Shown((*second, *third), (second, third))),
    )
    safety = CkSafety(0.7, 1)
    mended, groups, judge = course.certified([MaxDisclosure(0.8), safety], uniting=False)
    assert set(groups) == {frozenset(first), frozenset(third)}
    figures_ = safety.measure(judge.setting, mended.groups).figures
    assert (figures_ < 0.7).all()


def test_k_anonymity_counts_who_is_left_when_groups_are_taken_from_others() -> None:
    """Of five newcomers among old groups four would be a group of four."""
    old = tuple(range(5))
    few, enough = tuple(range(9)), tuple(range(10))
    for shown, waiting in ((few, 4), (enough, 0)):
        course = Course(
            tuple(20 + person for person in shown),
            tuple(person % 3 for person in shown),
            (Shown(old, (old,)), Shown(shown, (shown,))),
        )
        mended, _, _ = course.certified([KAnonymity(5)])
        assert mended.left_out == waiting


def test_earlier_groups_stay_where_who_left_was_with_their_people() -> None:
    # X was with A, B, C and with D; D is shown with E as before, A-C without X tell of him.
    x, a, b, c, d, e = range(6)
    course = Course(
        (20, 21, 22, 23, 24, 25),
        (0, 2, 2, 0, 2, 0),
        (
            Shown((x, a, b, c, d, e), ((x, d), (a, b, c, e))),
            Shown((x, a, b, c, d, e), ((x, a, b, c), (d, e))),
            Shown((a, b, c, d, e), ((a, b, c), (d, e))),
        ),
    )
    mended, groups, _ = course.certified([MaxDisclosure(0.7)], uniting=False, restoring=False)
    assert groups == [frozenset({d, e})]
    assert (mended.failed, mended.left_out) == (3, 3)


def test_what_only_an_estimate_could_certify_is_not_published_where_proof_is_asked_for() -> None:
    # Four groups in a ring, two of them new; nobody has more ways than one to be exact.
    people = tuple(range(8))
    old, new = ((0, 1, 4, 5), (2, 3, 6, 7)), ((1, 2, 5, 6), (0, 3, 4, 7))
    course = Course(
        tuple(range(20, 28)), (0, 0, 0, 0, 2, 2, 2, 2), (Shown(people, old), Shown(people, new))
    )
    requirements = [MaxDisclosure(0.8)]
    proved, groups, _ = course.certified(requirements, beyond=False)
    assert set(groups) == set(map(frozenset, new))
    assert (proved.joint.told.used == ESTIMATORS.index("exact")).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "_AUTO_WAYS", 1)
        estimated, groups, _ = course.certified(requirements)
        assert set(groups) == set(map(frozenset, new))
        assert (estimated.joint.told.used > ESTIMATORS.index("exact")).all()
        proved, groups, _ = course.certified(requirements, beyond=False)
        assert set(groups) == set(map(frozenset, old))
        assert (proved.joint.told.used == ESTIMATORS.index("exact")).all()
        assert (estimated.failed, proved.failed) == (0, 8)
