"""Groups that are shown again as they were: the search of a history against every step in turn."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import Constant, forward
from tests.core.sequences import as_history, as_step, everybody_alike, releases


def in_turn(history: History, place: int, constant: bool) -> list[bool]:
    """Whether each group of a step was in an earlier one, looked at group by group."""

    def members(at: int) -> list[dict[int, object]]:
        step = history.steps[at]
        return [
            {
                int(step.persons[m]): step.labels[
                    (step.actual if step.shown is None else step.shown)[m]
                ]
                for m in step.groups[group]
            }
            for group in range(len(step.groups))
        ]

    def alike(one: dict[int, object], other: dict[int, object]) -> bool:
        return one.keys() == other.keys() and sorted(map(str, one.values())) == sorted(
            map(str, other.values())
        )

    found = []
    for group in members(place):
        was = False
        for other in reversed(range(place)):
            if not constant and history.steps[other].when != history.steps[place].when:
                continue
            earlier = members(other)
            was = any(alike(group, theirs) for theirs in earlier)
            if any(group.keys() & theirs.keys() for theirs in earlier):
                break
        found.append(was)
    return found


@given(releases(ordered=False), st.booleans())
def test_a_group_is_found_where_it_was_shown(shown: list[object], constant: bool) -> None:
    history = as_history(shown)  # type: ignore[arg-type]
    for place in range(len(history)):
        found = history.repeated(place, constant).tolist()
        assert found == in_turn(history, place, constant)


@pytest.mark.parametrize("when", ["one period", "a period each"])
def test_a_long_history_takes_what_its_length_does(when: str) -> None:
    """The owner of a dataset may record any number of releases of it; an auditor reads them all."""

    def taken(count: int) -> float:
        people, values = np.arange(12), np.arange(12) % 3
        labels, groups = ("a", "b", "c"), people // 4
        again = [0] * count if when == "one period" else range(count)
        # The first release is of the last period, so that nobody's past begins with it.
        history = History(
            tuple(as_step(at, labels, people, values, groups) for at in (count, *again))
        )
        begun = time.process_time()
        list(forward(history, Constant(), everybody_alike(history)))
        return time.process_time() - begun

    taken(10)
    # It was with the cube of the length.
    assert taken(600) < 30 * (taken(100) + 0.02)
