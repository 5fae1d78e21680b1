"""Extents whose values no double tells apart: order is told by rank, and what positions tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.query.literal import Literal, number_point
from bkpriv_core.query.predicate import Comparison, Point, criterion_truth
from bkpriv_core.release.generalized.extent import Ranges
from bkpriv_core.table.domain import Domain

NEAR = st.integers(2**53 - 6, 2**53 + 12)
"""Integers of which a double holds every other one, from 2 ** 53 on."""


def ranges_of(values: list[int], step: float | None, width: int = 0) -> Ranges:
    """Every range of some values, or of bins that begin with them."""
    ends = np.array([float(value + width) for value in values]) if width else None
    positions = np.array([float(value) for value in values])
    domain = Domain("v", tuple(map(str, values)), positions=positions, ends=ends, step=step)
    low, high = np.triu_indices(len(values))
    return Ranges(domain, low.astype(np.int64), high.astype(np.int64))


@given(
    st.lists(NEAR, min_size=1, max_size=6, unique=True),
    st.lists(NEAR, min_size=1, max_size=4, unique=True),
    st.sampled_from([1.0, None]),
)
def test_cuts_are_told_by_positions_only_where_these_tell_all_values(
    values: list[int], literals: list[int], step: float | None
) -> None:
    values = sorted(values)
    ranges = ranges_of(values, step)
    assert ranges.told_apart == (len({float(value) for value in values}) == len(values))
    for literal in literals:
        point = number_point(ranges.domain, Literal(str(literal), quoted=False))
        for rank, after in ((point.below, False), (point.through, True)):
            expected = all(
                (float(value) < point.position or (after and float(value) == point.position))
                == (place < rank)
                for place, value in enumerate(values)
            )
            cut = (np.array([rank]), np.array([point.position]), np.array([after]))
            assert ranges.placed(*cut).tolist() == [expected]


@given(
    st.lists(NEAR, min_size=1, max_size=6, unique=True),
    NEAR,
    st.sampled_from([1.0, None]),
    st.sampled_from(["<", "<="]),
)
def test_ranges_outside_of_which_a_cut_is_have_all_or_nothing(
    values: list[int], literal: int, step: float | None, operator: str
) -> None:
    values = sorted(values)
    ranges = ranges_of(values, step)
    point = number_point(ranges.domain, Literal(str(literal), quoted=False))
    comparison = Comparison(0, "<" if operator == "<" else "<=", point)
    line, shares = ranges.pieces([comparison])
    below = np.asarray(shares)[criterion_truth(comparison, line).true].sum(axis=0)
    low, high = np.triu_indices(len(values))
    limit = literal if operator == "<" else literal + 1
    for first, last, share in zip(low.tolist(), high.tolist(), below.tolist(), strict=True):
        if values[last] < limit:
            assert share == pytest.approx(1)
        elif values[first] >= limit:
            assert share == 0


@pytest.mark.parametrize(
    ("starts", "width", "step", "told"),
    [
        ([0, 10, 20], 10, 1.0, True),
        ([0, 10, 20], 10, None, True),
        ([0, 10, 30], 5, 1.0, True),
        # The last point of the first bin comes out as the start of the second.
        ([2**54, 2**54 + 4], 4, 1.0, False),
        ([2**54, 2**54 + 4], 4, None, True),
        ([2**54, 2**54 + 1], 1, None, False),
    ],
)
def test_bins_are_told_apart_by_their_last_points(
    starts: list[int], width: int, step: float | None, told: bool
) -> None:
    ranges = ranges_of(starts, step, width)
    assert ranges.told_apart == told
    # Between the first bin and the second:
    cut = Point(1, 1, float(starts[0] + width))
    placed = ranges.placed(np.array([1]), np.array([cut.position]), np.array([False]))
    assert placed.tolist() == [told]
