"""Transitions: stated, counted, recorded; against counting by hand, and what is refused."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.sequence import mining, statement
from bkpriv_core.sequence.mining import count, mined
from bkpriv_core.sequence.statement import given as stated
from bkpriv_core.sequence.transitions import Transitions, constant
from tests.core import sequence_oracles as oracles
from tests.core.sequence_oracles import Knowledge, Label
from tests.core.sequences import LABELS, as_knowledge, as_mapping, knowledge

corpora = st.lists(st.lists(st.sampled_from(LABELS[:3]), max_size=6), min_size=1, max_size=6)


def corpus(people: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    persons = [person for person, values in enumerate(people) for _ in values]
    codes = [LABELS.index(value) for values in people for value in values]
    return np.array(persons, dtype=np.int64), np.array(codes, dtype=np.int64)


def says(transitions: Transitions, past: tuple[Label, ...]) -> dict[Label, float] | None:
    """Probabilities by transitions after a past, found node by node."""
    node, codes = 0, {label: code for code, label in enumerate(transitions.values)}
    for value in reversed(past):
        found = transitions.child(np.array([node]), np.array([codes[value]]))[0]
        if found < 0:
            break
        node = int(found)
    source = int(transitions.source[node])
    if source == 0:
        return None
    rows = slice(int(transitions.offsets[source]), int(transitions.offsets[source + 1]))
    labels = [transitions.values[code] for code in transitions.following[rows]]
    return dict(zip(labels, transitions.probabilities[rows].tolist(), strict=True))


@given(knowledge())
def test_what_is_stated_is_listed(stated_so: Knowledge) -> None:
    transitions = as_knowledge(LABELS, stated_so)
    listed = as_mapping(transitions)
    assert listed.keys() == stated_so.keys()
    for context, belief in stated_so.items():
        positive = {value: float(share) for value, share in belief.items() if share}
        assert listed[context] == pytest.approx(positive)
    assert transitions.memory == max(map(len, stated_so))
    assert transitions.listed().support is None


@given(knowledge(), st.lists(st.sampled_from(LABELS), max_size=4))
def test_knowledge_backs_off_to_the_longest_suffix(stated_so: Knowledge, past: list[str]) -> None:
    expected = oracles.longest(stated_so, past)
    said = says(as_knowledge(LABELS, stated_so), tuple(past))
    if expected is None:
        assert said is None
    else:
        assert said == pytest.approx({v: float(share) for v, share in expected.items() if share})


@given(corpora, st.one_of(st.none(), st.integers(1, 3)))
def test_counting_says_what_counting_by_hand_says(
    people: list[list[str]], memory: int | None
) -> None:
    expected = oracles.mined(people, memory)
    persons, codes = corpus(people)
    if not expected:
        with pytest.raises(InvalidData, match="nobody has two records in c"):
            mined("c", LABELS, persons, codes, memory)
        return
    transitions = mined("c", LABELS, persons, codes, memory)
    for length in range(1, 5):
        for past in product(LABELS[:3], repeat=length):
            belief = oracles.longest(expected, past)
            said = says(transitions, past)
            assert said == pytest.approx(belief and {v: float(p) for v, p in belief.items()})
    # What is listed was counted, and what was not lengthened has one next value.
    listed = as_mapping(transitions)
    for context, belief in expected.items():
        if context in listed:
            assert listed[context] == pytest.approx({v: float(p) for v, p in belief.items()})
        else:
            assert any(len(listed.get(context[start:], ())) == 1 for start in range(len(context)))
    assert memory is None or transitions.memory <= memory
    assert all(len(listed[context[1:]]) > 1 for context in listed if len(context) > 1)


def test_support_is_how_often_a_value_was_seen_to_follow() -> None:
    people = [["a", "b", "a"], ["a", "b", "b"], ["a", "c"], ["b"]]
    listed = mined("c", LABELS, *corpus(people)).listed()
    assert listed.support is not None
    rows = zip(listed.histories, listed.following, listed.probabilities, strict=True)
    assert dict(zip(rows, listed.support, strict=True)) == {
        (("a",), "b", 2 / 3): 2,
        (("a",), "c", 1 / 3): 1,
        (("b",), "a", 1 / 2): 1,
        (("b",), "b", 1 / 2): 1,
        (("a", "b"), "a", 1 / 2): 1,
        (("a", "b"), "b", 1 / 2): 1,
    }


def test_what_is_not_known_continues_no_context() -> None:
    transitions = as_knowledge(LABELS, {("d",): {"a": 1}, ("b", "d"): {"b": 1}})
    nodes, values = np.array([0, 0, 1, 1, 0]), np.array([3, -1, 1, -1, 2])
    assert transitions.child(nodes, values).tolist() == [1, -1, 2, -1, -1]
    alone = mined_alone()
    assert alone.child(nodes * 0, values).tolist() == [-1] * 5


def mined_alone() -> Transitions:
    """Transitions mined where nobody has two records."""
    return count(LABELS, np.arange(3), np.arange(3))


def test_null_is_a_value() -> None:
    labels = ("a", None)
    transitions = mined("c", labels, np.array([3, 3, 3, 5]), np.array([1, 1, 0, 1]))
    assert as_mapping(transitions) == {(None,): {"a": 0.5, None: 0.5}, (None, None): {"a": 1.0}}


def test_what_never_changes_follows_itself() -> None:
    assert as_mapping(constant(LABELS)) == {(label,): {label: 1.0} for label in LABELS}
    assert constant(LABELS).memory == 1


def test_what_nearly_sums_to_1_is_scaled_to_it() -> None:
    one, third = np.ones(3, dtype=np.int64), np.full(3, 0.3333333)
    transitions = stated("t", LABELS, one, 0 * one, np.arange(3), third)
    assert transitions.probabilities.sum() == pytest.approx(1, abs=1e-15)


def test_a_shorter_memory_leaves_longer_histories_out() -> None:
    known: Knowledge = {("a",): {"a": 1}, ("b", "a"): {"b": 1}, ("a", "b"): {"b": 1}}
    lengths, histories = np.array([1, 2, 2]), np.array([0, 1, 0, 0, 1])
    transitions = stated("t", LABELS, lengths, histories, np.array([0, 1, 1]), np.ones(3), 1)
    assert as_mapping(transitions) == {("a",): known["a",]}
    assert len(transitions) == 2


@pytest.mark.parametrize(
    ("lengths", "histories", "following", "probabilities", "memory", "message", "detail"),
    [
        ([], [], [], [], None, "t has no rows", "Nothing is known"),
        ([0, 1], [0], [1, 1], [1, 1], None, "t has an empty history", "1 of 2 rows.*'b'.*1"),
        ([1], [0], [1], [np.nan], None, "NULL or not finite", r"\('a'\)"),
        ([1], [0], [1], [np.inf], None, "NULL or not finite", r"\('a'\)"),
        ([1, 1], [0, 0], [1, 2], [1.5, -0.5], None, "negative probability -0.5", r"\('a'\).*'c'"),
        ([2, 2], [0, 1, 0, 1], [2, 2], [0.5, 0.5], None, "two prob.*'c'", r"\('a', 'b'\)"),
        ([2, 1], [0, 1, 2], [1, 1], [1, 0.9], None, "do not sum to 1", r"\('c'\).*sum to 0.9"),
        ([2], [0, 1], [1], [1.0], 1, "longer than the memory", "shortest has 2.*memory is 1"),
    ],
)
def test_bad_tables_are_refused(
    lengths: list[int],
    histories: list[int],
    following: list[int],
    probabilities: list[float],
    memory: int | None,
    message: str,
    detail: str,
) -> None:
    past, codes, values = (
        np.array(column, dtype=np.int64) for column in (lengths, histories, following)
    )
    with pytest.raises(InvalidData, match=message) as caught:
        stated("t", LABELS, past, codes, values, np.array(probabilities, dtype=np.float64), memory)
    assert "transition table t" in caught.value.message
    assert re.search(detail, caught.value.detail)
    assert caught.value.hint


@pytest.mark.parametrize("memory", [0, -1])
def test_a_memory_of_nothing_is_refused(memory: int) -> None:
    one = np.array([1])
    with pytest.raises(InvalidParameter, match="remembers nothing"):
        stated("t", LABELS, one, one, one, np.ones(1), memory)
    with pytest.raises(InvalidParameter, match="remembers nothing"):
        mined("c", LABELS, np.array([1, 1]), np.array([1, 1]), memory)


def test_contexts_are_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [["a", "b", "a", "a"], ["b", "b", "a", "b"]]
    whole = mined("c", LABELS, *corpus(people))
    assert whole.memory == 3
    for module in (mining, statement):
        monkeypatch.setattr(module, "DEEPEST", 1)
    assert mined("c", LABELS, *corpus(people)).memory == 1
    two, one = np.array([2]), np.array([1])
    with pytest.raises(InvalidData, match="a history of 2 values"):
        stated("t", LABELS, two, np.array([0, 1]), one, np.ones(1), None)
