"""Recall: figures against those of every group inferred afresh, and who infers how often."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import disclosure as disclosure_module
from bkpriv_core.belief.belief_cache import BeliefCache
from bkpriv_core.belief.posterior import EXACT, Posterior, UsedArray, posterior
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.requirement import BtPrivacy
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts
from tests.core.certifying import by_age
from tests.core.strategies import MANY, as_groups, as_table

_Lists = list[list[int]]

_GROUP = st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True)


class Inferring:
    """Infers two figures of each part, which depend on all of its group; and counts groups."""

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.asked: Counter[frozenset[int]] = Counter()

    def __call__(self, groups: Groups) -> tuple[FloatArray, UsedArray]:
        """Infer, and count."""
        self.asked.update(frozenset(group.tolist()) for group in groups)
        columns, used = self.expected([group.tolist() for group in groups])
        return np.array(columns).reshape(-1, 2).T, np.array(used, dtype=np.int8)

    def expected(self, lists: _Lists) -> tuple[list[list[float]], list[int]]:
        """Figures of each membership, and how each group is inferred."""
        return (
            [
                [self.factor * part + sum(group), np.inf if 6 in group else len(group)]
                for group in lists
                for part in group
            ],
            [sum(group) % 3 for group in lists],
        )


@MANY
@given(
    st.lists(st.tuples(st.booleans(), st.lists(_GROUP, max_size=5)), min_size=1, max_size=6),
    st.sampled_from([0, 300, 10**6]),
)
def test_figures_are_those_of_groups_inferred_afresh(
    calls: list[tuple[bool, _Lists]], most: int
) -> None:
    recall = BeliefCache(most)
    about = {which: Inferring(10.0 + 90.0 * which) for which in (False, True)}
    known = {which: set[frozenset[int]]() for which in about}
    afresh = {which: Counter[frozenset[int]]() for which in about}
    for which, lists in calls:
        figures, used = recall.figures(which, as_groups(lists), about[which])
        columns, ways = about[which].expected(lists)
        np.testing.assert_array_equal(figures, np.array(columns).reshape(-1, 2).T)
        np.testing.assert_array_equal(used, ways)
        asked = [frozenset(members) for members in lists]
        afresh[which].update(group for group in asked if group not in known[which])
        if most:
            known[which] |= {group for group in asked if 6 not in group}
    if most != 300:  # where some are forgotten
        assert {which: inferring.asked for which, inferring in about.items()} == afresh


def test_what_was_inferred_first_is_forgotten_first() -> None:
    recall, inferring = BeliefCache(200), Inferring(10.0)  # room for two groups
    for lists in ([[0]], [[1]], [[2]], [[2]], [[1]], [[0]]):
        recall.figures(None, as_groups(lists), inferring)
    assert inferring.asked == {frozenset({0}): 2, frozenset({1}): 1, frozenset({2}): 1}


_RECORDS = by_age("1a 2b 3a 21b 22a 23b")
_BT = BtPrivacy(((0.3, 0.2),))


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of groups that each inference is asked for, from now on."""
    widths: list[int] = []

    def counted(groups: Groups, *rest: object, **named: object) -> Posterior:
        widths.append(len(groups))
        return posterior(groups, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(disclosure_module, "posterior", counted)
    return widths


def test_bounds_of_one_adversary_share_what_is_inferred(monkeypatch: pytest.MonkeyPatch) -> None:
    threat, asked = ThreatModel(as_table(_RECORDS)), counting(monkeypatch)
    groups, shuffled = as_groups([[0, 1, 2], [3, 4, 5]]), as_groups([[5, 3, 4], [0, 1], [2, 0, 1]])
    first = _BT.measure(threat.tried(), groups, "auto").figures
    assert sum(asked) == 2
    again = BtPrivacy(((0.3, 0.1),)).measure(threat.tried(), shuffled, "auto")
    assert sum(asked) == 3
    assert (again.used == EXACT).all()
    np.testing.assert_array_equal(
        again.figures[0, [1, 2, 0, 6, 7, 5]], first[0, [3, 4, 5, 0, 1, 2]]
    )
    others = BtPrivacy(((0.4, 0.1),)).measure(threat, groups, "auto")
    assert sum(asked) == 5  # another adversary
    _BT.measure(threat, groups, "bethe")
    assert sum(asked) == 7  # another estimate
    assert not np.array_equal(others.figures, first)
    _BT.measure(threat.over(threat.parts.select(np.arange(6))), groups, "auto")
    assert sum(asked) == 9  # other parts


def test_what_was_tried_and_contradicts_is_an_error_all_the_same() -> None:
    # Without a kernel that reaches others, who is a is known to be a.
    whole = ThreatModel(Parts.of(as_table(by_age("1a 101b"))))
    exact = BtPrivacy(((0.001, 0.5),))
    swapped = whole.over(whole.parts.shown(np.array([[-1, 1], [0, 0]])))
    groups = as_groups([[0], [1]])
    assert np.isinf(exact.measure(swapped.tried(), groups, "exact").figures[0, 0])
    with pytest.raises(ContradictoryKnowledge):
        exact.measure(swapped, groups, "exact")
