"""Certification beside earlier releases: afterwards nobody is exposed whom those did not expose.

What is known of everybody is found by listing all ways to give people values; see
`composition_oracles`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import ESTIMATORS
from bkpriv_core.composition import inference
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS
from bkpriv_core.partition import composition
from bkpriv_core.partition.composition import known_groups
from bkpriv_core.requirement import BtPrivacy, CkSafety, KAnonymity, LDiversity, MaxDisclosure
from tests.core.composition_courses import REQUIREMENTS, Course, Shown, check, courses, figures
from tests.core.strategies import SOME, as_groups


@SOME
@given(
    course=courses(),
    which=st.sets(st.sampled_from(range(len(REQUIREMENTS))), min_size=1),
    uniting=st.booleans(),
    known=st.booleans(),
)
def test_nobody_is_exposed_whom_earlier_releases_did_not_expose(
    course: Course, which: set[int], uniting: bool, known: bool
) -> None:
    requirements = [REQUIREMENTS[place] for place in sorted(which)]
    mended, groups, judge = course.certified(requirements, "exact", uniting=uniting, known=known)
    check(course, requirements, mended, groups, judge)
    earlier = [frozenset(group) for shown in course.releases[:-1] for group in shown.groups]
    if not uniting and not known:
        given_ = [frozenset(group) for group in course.releases[-1].groups]
        pooled = _unions(given_) | _told(earlier)
        assert all(any(group <= other for other in pooled) for group in groups)


@SOME
@given(
    course=courses(),
    which=st.sets(st.sampled_from(range(len(REQUIREMENTS))), min_size=1),
    method=st.sampled_from(["mondrian", "bucketize", "agglomerate"]),
    seed=st.integers(0, 3),
)
def test_a_release_that_begins_with_known_groups(
    course: Course, which: set[int], method: str, seed: int
) -> None:
    requirements = [KAnonymity(2), *(REQUIREMENTS[place] for place in sorted(which))]
    try:
        mended, groups, judge = course.made(requirements, method, seed)
    except UnattainableRequirement:
        return
    check(course, requirements, mended, groups, judge, GROUP_METHODS[method].form)
    assert groups == course.made(requirements, method, seed)[1]
    everybody = [set(shown.persons) for shown in course.releases]
    if set.union(*everybody) == everybody[-1] and len(everybody) == 2:
        # Where nobody left, groups are nested or disjoint, and nothing needs mending.
        assert mended.failed == 0


def _unions(groups: Sequence[frozenset[int]]) -> set[frozenset[int]]:
    """Unions of groups: those that a reader cannot tell apart are one."""
    unions = {frozenset[int]()}
    for group in groups:
        unions |= {union | group for union in unions}
    return unions


def _told(groups: Sequence[frozenset[int]]) -> set[frozenset[int]]:
    """Sets of people: groups, and all that is left of one when another is taken out of it."""
    told = set(groups)
    while True:
        more = {outer - inner for outer in told for inner in told if inner < outer} - told
        if not more:
            return told
        told |= more


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
    mended, groups, _ = golden((5, 6, 7, 8)).certified([MaxDisclosure(0.8)], known=True)
    assert set(groups) == {frozenset({0, 1, 2, 3}), frozenset({4, 5, 6, 7, 8})}
    assert (mended.failed, mended.known, mended.united, mended.left_out) == (0, 1, 2, 0)


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
    figures_ = safety.measure(judge.threat, mended.groups).figures
    assert (figures_ < 0.7).all()


def test_k_anonymity_counts_who_is_left_when_groups_are_taken_from_others() -> None:
    """Four of five newcomers among old groups would be a group of four."""
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


def test_groups_that_a_stricter_policy_wants_larger_are_united_as_they_are() -> None:
    """Three of three each, of which no two make nine."""
    groups = tuple(tuple(range(first, first + 3)) for first in (0, 3, 6))
    everybody = tuple(range(9))
    course = Course(
        tuple(20 + person for person in everybody),
        tuple(person % 3 for person in everybody),
        (Shown(everybody, groups), Shown(everybody, ())),
    )
    requirements = [KAnonymity(9)]
    known = course.people(known_groups(course.judge(requirements), course.earlier(requirements)))
    assert known == [frozenset(everybody)]
    mended, published, _ = course.certified(requirements, known=True)
    assert published == known
    assert (mended.known, mended.united, mended.left_out) == (0, 3, 0)


@SOME
@given(course=courses(), tau=st.sampled_from([0.4, 0.6, 1.0]))
def test_what_is_known_tells_nothing_new(course: Course, tau: float) -> None:
    """Known groups tell nothing new of anybody, unless a group can be cut."""
    requirements = [KAnonymity(5), MaxDisclosure(tau)]
    known = course.people(known_groups(course.judge(requirements), course.earlier(requirements)))
    earlier = [frozenset(group) for shown in course.releases[:-1] for group in shown.groups]
    there = set(course.releases[-1].persons)
    shown = [person for group in known for person in group]
    assert len(shown) == len(set(shown))
    assert set(shown) <= there & set().union(*earlier)
    assert all(group & set(shown) for group in earlier if group & there)
    told = _told(earlier)
    for group in set(known) - told:
        # What is left of a group, or a union of such and of groups that do not hold.
        assert group == frozenset().union(*(o & there for o in told if o & there <= group))
    whole = [group for group in known if group in told]
    if earlier:
        then = figures(course, requirements[1], earlier)
        assert figures(course, requirements[1], [*earlier, *whole]) == pytest.approx(then)


def test_a_known_group_is_cut_where_all_pieces_hold() -> None:
    people = tuple(range(8))
    values = (0, 2, 0, 2, 0, 2, 0, 0)
    course = Course(tuple(range(20, 28)), values, (Shown(people, (people,)), Shown(people, ())))
    for k, sizes in ((2, [2, 2, 4]), (3, [4, 4]), (5, [8])):
        requirements = [KAnonymity(k), MaxDisclosure(0.75)]
        known = known_groups(course.judge(requirements), course.earlier(requirements))
        assert sorted(known.widths.tolist()) == sizes


def test_rests_of_groups_that_are_united_at_the_start_are_counted() -> None:
    # The third and the sixth have left, and those with whom they were shown have one value.
    first = Shown((0, 1, 2, 3, 4, 5), ((0, 1, 2), (3, 4, 5)))
    course = Course((20, 21, 22, 23, 24, 25), (0, 0, 1, 1, 1, 0), (first, Shown((0, 1, 3, 4), ())))
    mended, groups, _ = course.certified([LDiversity(2)], known=True)
    assert groups == [frozenset({0, 1, 3, 4})]
    assert (mended.failed, mended.known, mended.united, mended.left_out) == (0, 0, 2, 0)


def test_a_known_group_that_does_not_hold_any_more_is_united_as_it_is() -> None:
    """Two of three people were shown to have the same; with four more they are no more found."""
    few, more = (0, 1, 2), tuple(range(3, 7))
    course = Course(
        (20, 21, 22, 23, 24, 25, 26),
        (2, 2, 0, 0, 2, 0, 2),
        (Shown(few, (few,)), Shown(few + more, (more,))),
    )
    mended, groups, _ = course.certified([MaxDisclosure(0.6)], known=True)
    assert groups == [frozenset(few + more)]
    assert (mended.exposed, mended.failed, mended.united, mended.left_out) == (3, 0, 2, 0)


def test_earlier_groups_stay_where_who_left_was_with_their_people() -> None:
    # X was with A, B, C and with D; D is shown with E as before, and A-C without X tell of X.
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
    mended, groups, _ = course.certified([MaxDisclosure(0.7)], uniting=False, grown=True)
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
        assert groups == [frozenset(people)]
        assert (proved.joint.told.used == ESTIMATORS.index("exact")).all()
        assert (estimated.failed, proved.failed) == (0, 8)


def test_a_known_group_stays_whole_where_a_piece_does_not_hold() -> None:
    people = tuple(range(4))
    course = Course(
        (20, 21, 22, 23), (0, 2, 0, 2), (Shown(people, (people,)), Shown(people, (people,)))
    )
    requirements = [MaxDisclosure(0.6)]
    judge, earlier = course.judge(requirements), course.earlier(requirements)
    with pytest.MonkeyPatch.context() as patch:
        for pieces, known in (([[0], [1], [2, 3]], [4]), ([[0, 1], [2, 3]], [2, 2])):
            cut = as_groups(pieces)
            patch.setattr(composition, "mondrian", lambda *_, groups, cut=cut: cut)
            assert known_groups(judge, earlier).widths.tolist() == known


def test_of_known_groups_that_cross_those_are_taken_that_hold_then_the_latest_that_are_whole() -> (
    None
):
    pairs, others = ((0, 1), (2, 3)), ((0, 2), (1, 3))
    people = tuple(range(5))
    for values, known in (((0, 2, 0, 2, 0), pairs), ((0, 0, 2, 2, 0), others)):
        for shown in ((pairs, others), (others, pairs)):
            course = Course(
                (20, 21, 22, 23, 24),
                values,
                (*(Shown(people, groups) for groups in shown), Shown(people[:4], ())),
            )
            asked = [MaxDisclosure(0.6)]
            found = course.people(known_groups(course.judge(asked), course.earlier(asked)))
            assert set(found) == set(map(frozenset, known))
    few = [KAnonymity(2)]  # 4 has left.
    course = Course(
        (20, 21, 22, 23, 24),
        (0, 2, 0, 2, 0),
        (Shown(people, pairs), Shown(people, ((0, 2, 4),)), Shown(people[:4], ())),
    )
    found = course.people(known_groups(course.judge(few), course.earlier(few)))
    assert set(found) == set(map(frozenset, pairs))
