"""Probabilities given implications against enumeration of all worlds."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge
from bkpriv_core.implication import Atom, GivenBeliefs, Implication, disclosure_given
from tests.core.strategies import MANY
from tests.core.watching import Watched
from tests.core.worlds import Worlds

FLU, LUNG, MUMPS = range(3)
FIGURE_3 = np.array([[2, 2, 1, 0, 0, 0], [2, 0, 0, 1, 1, 1]])
"""Martin et al. 2007, figure 3: flu, lung cancer, mumps, breast cancer, heart, ovarian cancer."""

BOB, CHARLIE, DAVE, ED, FRANK = ((0, person) for person in range(5))
GLORIA, HANNAH = ((1, person) for person in range(2))


def denied(person: tuple[int, int], value: int) -> Implication:
    """A denial as the paper writes it: an implication to another value."""
    other = LUNG if value != LUNG else FLU
    return Implication((Atom(*person, value),), (Atom(*person, other),))


# --- The paper's figures --------------------------------------------------------------------------


def test_charlie_and_hannah() -> None:
    implications = [Implication((Atom(*HANNAH, FLU),), (Atom(*CHARLIE, FLU),))]
    beliefs = disclosure_given(FIGURE_3, implications)
    assert beliefs.probability(Atom(*CHARLIE, FLU)) == pytest.approx(10 / 19, rel=1e-14)


def test_ed_without_mumps_and_without_flu() -> None:
    assert disclosure_given(FIGURE_3, []).probability(Atom(*ED, LUNG)) == 0.4
    once = disclosure_given(FIGURE_3, [denied(ED, MUMPS)])
    assert once.probability(Atom(*ED, LUNG)) == pytest.approx(1 / 2, rel=1e-14)
    twice = disclosure_given(FIGURE_3, [denied(ED, MUMPS), denied(ED, FLU)])
    assert twice.probability(Atom(*ED, LUNG)) == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(twice.about(*BOB)[:3], [1 / 2, 1 / 4, 1 / 4])
    np.testing.assert_allclose(twice.about(*GLORIA), [0.4, 0, 0, 0.2, 0.2, 0.2])


# --- Enumeration ----------------------------------------------------------------------------------


@st.composite
def stated(draw: st.DrawFn) -> tuple[list[list[int]], list[Implication]]:
    """Few buckets and up to four implications, now and then one-sided, about them.

    Some atoms are about one of two values.
    """
    values = draw(st.integers(2, 4))
    bucket = st.lists(st.integers(0, 2), min_size=values, max_size=values).filter(
        lambda counts: 0 < sum(counts) <= 4
    )
    buckets = draw(st.lists(bucket, min_size=1, max_size=3))
    persons = [
        (place, person) for place, counts in enumerate(buckets) for person in range(sum(counts))
    ]
    some = st.lists(st.integers(0, values - 1), min_size=1, max_size=2, unique=True)
    atom = st.builds(
        lambda who, having: Atom(who[0], who[1], having[0], tuple(having[1:])),
        st.sampled_from(persons),
        some,
    )
    side = st.lists(atom, max_size=3, unique=True).map(tuple)
    rule = st.builds(Implication, side, side).filter(lambda implication: bool(implication.atoms))
    return buckets, draw(st.lists(rule, max_size=4))


@MANY
@given(stated())
def test_beliefs_are_shares_of_the_worlds_that_agree(
    case: tuple[list[list[int]], list[Implication]],
) -> None:
    buckets, implications = case
    worlds = Worlds(buckets)

    def either(atom: Atom) -> list[tuple[int, int, int]]:
        return [(atom.bucket, atom.person, value) for value in (atom.value, *atom.others)]

    agreeing = worlds.certain
    for rule in implications:
        # To have one of two values as a premiss is an implication of each; else one of more atoms.
        then = [one for atom in rule.consequent for one in either(atom)]
        for premiss in product(*map(either, rule.antecedent)):
            agreeing &= worlds.rule((premiss, then))
    if not agreeing:
        with pytest.raises(ContradictoryKnowledge, match="contradicts the release"):
            disclosure_given(np.array(buckets), implications)
        return
    beliefs = disclosure_given(np.array(buckets), implications)
    for (bucket, person, value), event in worlds.atoms.items():
        expected = worlds.probability(event, agreeing)
        probability = beliefs.probability(Atom(bucket, person, value))
        assert probability == pytest.approx(float(expected), rel=1e-12, abs=0)
    for rule in implications:
        for atom in rule.atoms:
            share = sum(worlds.probability(worlds.atoms[one], agreeing) for one in either(atom))
            assert beliefs.probability(atom) == pytest.approx(float(share), rel=1e-12)


# --- Large buckets, many persons ------------------------------------------------------------------


def test_only_what_is_mentioned_is_enumerated() -> None:
    # A hundred thousand persons and a hundred values, of which the implications mention few.
    large = np.full((50, 100), 1_000)
    implications = [
        Implication((Atom(bucket, 0, 7),), (Atom(bucket + 1, 5, 8),)) for bucket in range(0, 20, 2)
    ]
    beliefs = disclosure_given(large, implications, budget=9)
    # Pr(a, not b) = .01 * .99 is excluded.
    assert beliefs.probability(Atom(0, 0, 7)) == pytest.approx(0.01 * 0.01 / (1 - 0.01 * 0.99))
    assert beliefs.probability(Atom(1, 5, 8)) == pytest.approx(0.01 / (1 - 0.01 * 0.99))
    assert beliefs.about(0, 0).sum() == pytest.approx(1)
    assert beliefs.about(0, 0)[0] == beliefs.about(0, 0)[99]
    assert beliefs.about(0, 1).sum() == pytest.approx(1)
    assert beliefs.probability(Atom(30, 0, 7)) == 0.01


def test_a_chain_links_all_its_buckets() -> None:
    chain = [Implication((Atom(b, 0, 0),), (Atom(b + 1, 0, 0),)) for b in (2, 0, 1, 3)]
    halves = np.array([[1, 1]] * 5)
    beliefs = disclosure_given(halves, chain)
    # Worlds of five persons in which nobody with the value comes before one without.
    assert beliefs.probability(Atom(4, 0, 0)) == pytest.approx(float(Fraction(5, 6)))
    assert beliefs.probability(Atom(0, 0, 0)) == pytest.approx(float(Fraction(1, 6)))
    with pytest.raises(TooLarge, match="too many persons") as refusal:
        disclosure_given(halves, chain, budget=31)
    assert "31" in refusal.value.detail
    assert len(disclosure_given(halves, chain, budget=32).persons) == 5


def test_buckets_of_one_value_need_no_axis() -> None:
    links = [Implication((Atom(b, 0, 0),), (Atom(b + 1, 0, 0),)) for b in range(99)]
    beliefs = disclosure_given(np.array([[1, 1], *[[3, 0]] * 99]), links)
    assert beliefs.probability(Atom(0, 0, 0)) == 0.5
    assert beliefs.probability(Atom(99, 0, 0)) == 1.0


def test_too_many_persons_of_one_bucket() -> None:
    many = [Implication((Atom(0, person, 0),)) for person in range(40)]
    with pytest.raises(TooLarge):
        disclosure_given(np.array([[50, 50]]), many)
    # Forty persons who do not have the value that one of a thousand has.
    beliefs = disclosure_given(np.array([[1, 999]]), many)
    assert beliefs.probability(Atom(0, 999, 0)) == pytest.approx(1 / 960)


def test_polling_can_cancel() -> None:
    class Cancelled(BaseException):
        pass

    def poll() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        disclosure_given(FIGURE_3, [denied(ED, FLU)], progress=Watched(poll))


@pytest.mark.parametrize(
    ("implication", "message"),
    [
        (Implication((Atom(2, 0, 0),)), "names bucket 2"),
        (Implication((Atom(-1, 0, 0),)), "names bucket -1"),
        (Implication((Atom(0, 5, 0),)), "names person 5"),
        (Implication((Atom(0, 0, 0),), (Atom(1, 0, 6),)), "names value 6"),
        (Implication(()), "has no atoms"),
    ],
)
def test_refusals(implication: Implication, message: str) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        disclosure_given(FIGURE_3, [implication])


def test_beliefs_about_nobody_are_refused() -> None:
    beliefs: GivenBeliefs = disclosure_given(FIGURE_3, [])
    with pytest.raises(InvalidParameter, match="names person 5"):
        beliefs.about(0, 5)
