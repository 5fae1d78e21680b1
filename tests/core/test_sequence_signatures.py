"""Signatures: the values of the group that somebody was last published in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.sequence.signatures import signatures
from tests.core.sequence_oracles import Belief, Shown
from tests.core.sequences import as_history, releases
from tests.core.strategies import MANY


def by_hand(history: list[Shown], place: int, person: int) -> set[str]:
    """Values of the last group that showed a person, if they had their present value then."""
    now = history[place].actual[person]
    for release in reversed(history[:place]):
        for group in release.groups:
            if person in group:
                same = release.actual[person] == now
                return {release.actual[other] for other in group} if same else set()
    return set()


@MANY
@given(releases(ordered=False), st.data())
def test_signatures_are_those_of_the_last_group(history: list[Shown], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(history) - 1))
    labels = history[place].labels
    found = signatures(as_history(history), place)
    persons = sorted(history[place].actual)
    assert found.shape == (len(persons), len(labels) + 1)
    for person, row in zip(persons, found.tolist(), strict=True):
        values = by_hand(history, place, person)
        assert row[:-1] == [int(label in values) for label in labels]
        assert row[-1] == int(not values <= set(labels))


def test_a_release_still_to_be_made_has_signatures() -> None:
    half: Belief = {"a": 0.5, "b": 0.5}
    beliefs = dict.fromkeys((1, 2, 3), half)
    first = Shown(0, ("a", "b"), {1: "a", 2: "b", 3: "a"}, [[1, 2]], beliefs)
    coming = Shown(1, ("a", "c"), {1: "a", 2: "c", 3: "a"}, [], beliefs)
    # Of 1 the group had a, and b, which is not among the values now; 2 has changed, 3 was left out.
    expected = [[1, 0, 1], [0, 0, 0], [0, 0, 0]]
    np.testing.assert_array_equal(signatures(as_history([first, coming]), 1), expected)
