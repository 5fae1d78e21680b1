"""Beliefs of readers of a view, worked out from the view and the file it was made from.

Nothing here is the product's but which cell it put into which group, and that is held against the
view. A group is what shows the same values of the quasi-identifiers. Beliefs are exact: all ways to
assign a group's sensitive values to its people are summed, by how many of each value are left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from psycopg.types.range import Range

__all__ = ["Seen", "alike", "made_sure"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Row = tuple[Any, ...]

_SLACK = 1e-9


@dataclass(frozen=True)
class Seen:
    """A view, and the people of the file in the groups that it shows."""

    shown: Sequence[Row]
    """Rows of the view: quasi-identifiers and the sensitive value."""
    source: Sequence[Row]
    """Rows of the file, likewise."""
    group_of: Mapping[Row, int]
    """Group of each combination of quasi-identifiers."""

    @cached_property
    def values(self) -> list[Any]:
        """Sensitive values of the file."""
        return sorted({row[-1] for row in self.source})

    @cached_property
    def groups(self) -> dict[Row, list[Row]]:
        """People of each group, by what the view shows of it; fails unless the view shows them."""
        boxes: dict[Row, Counter[Any]] = defaultdict(Counter)
        for *box, value in self.shown:
            boxes[tuple(box)][value] += 1
        members: dict[int, list[Row]] = defaultdict(list)
        for row in self.source:
            if row[:-1] in self.group_of:
                members[self.group_of[row[:-1]]].append(row)
        found: dict[Row, list[Row]] = defaultdict(list)
        for people in members.values():
            found[_box(people, boxes)] += people
        assert {box: Counter(row[-1] for row in rows) for box, rows in found.items()} == boxes
        return found

    @property
    def of_one_value(self) -> int:
        """People in groups of one sensitive value."""
        if len(self.values) == 1:
            return 0
        alike = [rows for rows in self.groups.values() if len({row[-1] for row in rows}) == 1]
        return sum(map(len, alike))

    def by_shares(self, columns: Sequence[int] = ()) -> dict[Row, Floats]:
        """Beliefs by the shares of values among all who are alike in some quasi-identifiers."""
        counted: dict[Row, Counter[Any]] = defaultdict(Counter)
        for row in self.source:
            counted[tuple(row[place] for place in columns)][row[-1]] += 1
        shares = {
            key: np.array([counts[value] for value in self.values]) / counts.total()
            for key, counts in counted.items()
        }
        known = {row[:-1] for row in self.source}
        return {one: shares[tuple(one[place] for place in columns)] for one in known}


def _box(people: Sequence[Row], boxes: Mapping[Row, Counter[Any]]) -> Row:
    """Values that a view shows of a group: ranges, and the tightest labels that fit all of it."""
    columns = [[row[place] for row in people] for place in range(len(people[0]) - 1)]
    held = Counter(row[-1] for row in people)
    fitting = [
        box for box, counts in boxes.items() if held <= counts and all(map(_is_tight, box, columns))
    ]
    assert fitting, f"no rows of the view show {columns}"
    return max(fitting, key=lambda box: sum(len(one) for one in box if isinstance(one, str)))


def _is_tight(shown: Any, values: Sequence[Any]) -> bool:
    """Whether a range is that of the values, and a label theirs, their beginning or the root."""
    if not isinstance(values[0], str):
        return bool(shown == Range(min(values), max(values) + 1, "[)"))
    if len(set(values)) == 1:
        return bool(shown == values[0])
    return shown == "*" or all(value.startswith(shown.rstrip("*")) for value in values)


def alike(rows: Sequence[Row], place: int) -> tuple[int, int]:
    """People with others alike in a column, and those of them with these' most frequent value."""
    counted: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        counted[row[place]][row[-1]] += 1
    several = [counts for counts in counted.values() if counts.total() > 1]
    return sum(c.total() for c in several), sum(max(c.values()) for c in several)


def made_sure(rows: Sequence[Row], values: Sequence[Any], prior: Mapping[Row, Floats]) -> Flags:
    """Whether a reader becomes sure about each of the people of a group.

    Args:
        rows: The people.
        values: Sensitive values.
        prior: Belief in each of them, by quasi-identifiers.
    """
    before = np.array([prior[row[:-1]] for row in rows])
    counts = Counter(row[-1] for row in rows)
    after = _posterior(before, [counts[value] for value in values])
    found = (before <= 0.5 + _SLACK) & (after > 0.9 + _SLACK)
    return np.asarray(found.any(axis=1))


def _posterior(before: Floats, counts: Sequence[int]) -> Floats:
    """Beliefs about the people of a group once its sensitive values are known.

    Args:
        before: Shape (people, values).
        counts: People with each value.
    """
    held = np.flatnonzero(counts)
    after, chances = np.zeros_like(before), before[:, held]
    left = np.array(counts)[held]
    if (chances == chances[0]).all():
        after[:, held] = left / len(before)
        return after
    # Chances of what the people up to each, and those from each, have together.
    first, last = _sums(chances, left), _sums(chances[::-1], left)[::-1]
    for person, row in enumerate(chances):
        for place, chance in enumerate(row):
            rest = _shifted(last[person + 1], place)[(slice(None, None, -1),) * len(left)]
            after[person, held[place]] = chance * (first[person] * rest).sum()
    return np.asarray(after / after.sum(axis=1, keepdims=True))


def _sums(chances: Floats, left: npt.NDArray[np.int64]) -> list[Floats]:
    """Chance of each state before each person, and after all, up to factors."""
    state = np.zeros(left + 1)
    state[(0,) * len(left)] = 1.0
    found = [state]
    for row in chances:
        state = sum(
            (chance * _shifted(state, place) for place, chance in enumerate(row)),
            np.zeros_like(state),
        )
        state = state / state.max()
        found.append(state)
    return found


def _shifted(state: Floats, place: int) -> Floats:
    """States with one more of a value."""
    moved = np.zeros_like(state)
    to = [slice(None)] * state.ndim
    of = [slice(None)] * state.ndim
    to[place], of[place] = slice(1, None), slice(None, -1)
    moved[tuple(to)] = state[tuple(of)]
    return moved
