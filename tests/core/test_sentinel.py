"""Numbers that stand for a missing value, told from numbers that do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.sentinel import SUSPECT, Suspect, odd_numbers


def _odd(values: Sequence[str]) -> list[str]:
    counts = Counter(values)
    suspects = [
        Suspect(value, count, 0) for value, count in counts.items() if re.fullmatch(SUSPECT, value)
    ]
    others = Counter(float(each) for each in values if not re.fullmatch(SUSPECT, each))
    if not others:
        return []
    return [each.value for each in odd_numbers(suspects, others, min(others), max(others))]


_AGES = [str(20 + n % 61) for n in range(200)]
_CODES = [str(1 + n % 5) for n in range(100)]
_COUNTS = [str(n % 9 * (n % 3)) for n in range(200)]


@pytest.mark.parametrize(
    ("others", "sentinels"),
    [
        (_AGES, ["999", "777"]),
        (_AGES, ["-9", "-8"]),
        (_AGES, ["-1"]),
        (_AGES, ["999.0"]),
        (_CODES, ["7", "9"]),
        (_CODES, ["9"]),
        (_CODES, ["-9"]),
        (_CODES, ["98", "99"]),
        (_AGES, ["996", "997", "998"]),
        ([str(800 + 37 * n) for n in range(99)], ["999998", "999999"]),
        (_CODES, ["88", "99"]),
        (["1.5", "2.25", "3.0"] * 9, ["9.9", "99.9"][1:]),
        ([str(2000 + n % 24) for n in range(99)], ["9999"]),
    ],
)
def test_sentinels_are_told(others: list[str], sentinels: list[str]) -> None:
    assert sorted(_odd([*others, *sentinels * 2])) == sorted(sentinels)


@pytest.mark.parametrize(
    "values",
    [
        _AGES,
        [*_AGES, "99", "99", "88", "88"],  # People grow as old.
        [*_AGES, "999"],  # Once is a slip, or a value.
        _CODES,
        [*_CODES, *["6"] * 9, *["7"] * 2],  # No gap.
        [*_CODES, *["7"] * 20, *["9"] * 20],  # As often as the others.
        _COUNTS,
        ["-1", "0", "1"] * 20,
        ["-2", "-1", "0", "1", "2"] * 20,
        ["-9", "-40", "12", "30"] * 9,
        ["-122.25", "-9", "-117.5", "-9"],
        ["7", "9"] * 9,
        ["99"] * 9,
        [],
    ],
)
def test_other_numbers_are_none(values: list[str]) -> None:
    assert _odd(values) == []


@given(
    st.lists(st.integers(-30, 30), max_size=30),
    st.lists(st.sampled_from([7, 8, 9, 77, 99, 777, 999, -1, -8, -9, -99]), max_size=12),
    st.randoms(use_true_random=False),
)
def test_what_is_told_does_not_depend_on_the_order(
    others: list[int], suspects: list[int], draw: object
) -> None:
    values = [str(each) for each in [*others, *suspects]]
    told = _odd(values)
    draw.shuffle(values)  # type: ignore[attr-defined]
    assert _odd(values) == told
    # Nothing is told of a number that occurs once, or of one that is none.
    assert all(values.count(each) > 1 for each in told)
