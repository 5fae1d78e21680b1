"""Revision: against the sum over all sequences, and figures of the paper."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.sequence import revision as revision_module
from bkpriv_core.sequence.revision import Past, revise
from bkpriv_core.sequence.sparse import SparseBeliefs
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.groups import FloatArray
from tests.core import sequence_oracles as oracles
from tests.core.sequence_oracles import Belief, Knowledge, Label
from tests.core.sequences import LABELS, as_knowledge, belief, knowledge
from tests.core.watching import Cancelled, cancelling

pasts = st.lists(st.lists(belief(LABELS), max_size=4), max_size=4)


def as_beliefs(people: list[list[Belief]], values: tuple[Label, ...]) -> tuple[SparseBeliefs, Past]:
    """Beliefs about people's earlier values, oldest first, without zeros, and where they stand."""
    rows = [
        [(values.index(value), share) for value, share in belief.items() if share]
        for past in people
        for belief in past
    ]
    lengths = [len(past) for past in people]
    ends = np.cumsum(lengths, dtype=np.int64)
    newest_first = [
        row
        for length, end in zip(lengths, ends.tolist(), strict=True)
        for row in range(end - 1, end - length - 1, -1)
    ]
    return SparseBeliefs(
        np.cumsum([0, *map(len, rows)]),
        np.array([code for row in rows for code, _ in row], dtype=np.int64),
        np.array([share for row in rows for _, share in row], dtype=np.float64),
    ), Past(np.array(newest_first, dtype=np.int64), np.concatenate(([0], ends)))


def of_everybody(
    transitions: Transitions, people: list[list[Belief]], snapshot: Belief
) -> FloatArray:
    values = transitions.values
    sparse, past = as_beliefs(people, values)
    known, unknown = revise(transitions, sparse, past, np.arange(len(values)), len(values))
    alone = np.array([float(snapshot.get(value, 0)) for value in values])
    revised: FloatArray = known + unknown[:, None] * alone
    return revised


@given(knowledge(LABELS), pasts, belief(LABELS))
def test_revision_sums_over_all_sequences(
    known: Knowledge, people: list[list[Belief]], snapshot: Belief
) -> None:
    revised = of_everybody(as_knowledge(LABELS, known), people, snapshot)
    for row, past in zip(revised, people, strict=True):
        expected = oracles.revised(known, past, snapshot)
        assert row == pytest.approx([float(expected.get(v, 0)) for v in LABELS], abs=1e-7)


@given(knowledge(LABELS), pasts, belief(LABELS), st.integers(1, 5))
def test_what_is_looked_at_together_makes_no_difference(
    known: Knowledge, people: list[list[Belief]], snapshot: Belief, pairs: int
) -> None:
    transitions = as_knowledge(LABELS, known)
    whole = of_everybody(transitions, people, snapshot)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revision_module, "_PAIRS", pairs)
        assert of_everybody(transitions, people, snapshot) == pytest.approx(whole, abs=1e-12)


def test_values_are_renamed_and_left_out() -> None:
    half = Fraction(1, 2)
    transitions = as_knowledge(LABELS, {("a",): {"a": half, "b": half}, ("b",): {"c": 1}})
    sparse = SparseBeliefs(np.array([0, 3]), np.array([0, 1, -1]), np.array([0.5, 0.25, 0.25]))
    past = Past(np.array([0]), np.array([0, 1]))
    known, unknown = revise(transitions, sparse, past, np.array([1, -1, 0, -1]), 2)
    # What is nobody's context is unknown; what the outcome has no column for is missing.
    assert known.tolist() == [[0.25, 0.25]]
    assert unknown.tolist() == [0.25]


def test_contexts_that_weigh_next_to_nothing_are_taken_for_their_suffixes() -> None:
    transitions = as_knowledge(LABELS, {("a",): {"a": 1}, ("b", "a"): {"b": 1}})
    past: list[list[Belief]] = [[{"b": 1e-10, "c": 1 - 1e-10}, {"a": 1}], [{"b": 0.1}, {"a": 1}]]
    revised = of_everybody(transitions, past, {"d": 1})
    assert revised[0].tolist() == [1, 0, 0, 0]
    assert revised[1] == pytest.approx([0.9, 0.1, 0, 0])


def test_the_running_example() -> None:
    """Riboni, Pareschi, Bettini 2012, tables 3b and 4a to 4b."""
    labels = ("MAM-pos", "CX-neg", "CX-pos", "BS-neg", "BCM-pos", "PNE-pos", "other")
    stated = {"MAM-pos": (60, 2), "CX-neg": (2, 8), "CX-pos": (2, 60), "BS-neg": (2, 2)}
    known: Knowledge = {
        (value,): {
            "BCM-pos": Fraction(bcm, 100),
            "PNE-pos": Fraction(pne, 100),
            "other": Fraction(100 - bcm - pne, 100),
        }
        for value, (bcm, pne) in stated.items()
    }
    half = Fraction(1, 2)
    alice: Belief = {"MAM-pos": half, "CX-neg": half}
    carol: Belief = {"CX-pos": half, "BS-neg": half}
    revised = of_everybody(as_knowledge(labels, known), [[alice], [carol]], {})
    assert revised[:, 4:6] == pytest.approx(np.array([[0.31, 0.05], [0.02, 0.31]]))


def test_nobody_and_nothing() -> None:
    transitions = as_knowledge(LABELS, {("a",): {"a": 1}})
    columns = np.arange(4)
    none = SparseBeliefs.empty()
    nobody = Past(np.zeros(0, np.int64), np.array([0]))
    known, unknown = revise(transitions, none, nobody, columns, 4)
    assert known.shape == (0, 4)
    assert unknown.shape == (0,)
    two = Past(np.zeros(0, np.int64), np.array([0, 0, 0]))
    known, unknown = revise(transitions, none, two, columns, 4)
    assert not known.any()
    assert unknown.tolist() == [1, 1]


def test_revision_is_cancelled() -> None:
    transitions = as_knowledge(LABELS, {("a",): {"a": 1}})
    sparse, past = as_beliefs([[{"a": 1}]], LABELS)
    with pytest.raises(Cancelled):
        revise(transitions, sparse, past, np.arange(4), 4, cancelling())
