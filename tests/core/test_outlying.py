"""Numbers and days that may stand for a missing value, and values far out."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bkpriv_core.table.outlying import inspect_numbers

DAY = 86400


def found(values: list[float], *, times: bool = False) -> tuple[list[float], list[float]]:
    """Stand-ins, and values far out, of a column."""
    counts = sorted(Counter(values).items())
    positions = np.array([value for value, _ in counts], dtype=np.float64)
    records = np.array([count for _, count in counts], dtype=np.int64)
    outlying = inspect_numbers(positions, records, times=times)
    return positions[outlying.stand_ins].tolist(), positions[outlying.far].tolist()


def seconds(day: str) -> float:
    """Position of a day."""
    return float(np.datetime64(day, "s").astype(np.int64))


AGES = [float(18 + i % 70) for i in range(1500)]
INCOMES = [float(800 + 37 * (i * 13 % 190)) for i in range(400)]
BORN = [seconds("1950-01-01") + DAY * 31 * i for i in range(600)]


@pytest.mark.parametrize(
    ("values", "stand_ins", "far"),
    [
        (AGES, [], []),
        ([*AGES, 120.0], [], [120.0]),
        ([*AGES, *[998.0] * 20, *[999.0] * 30], [998.0, 999.0], []),
        ([*AGES, *[999.0] * 20, 140.0], [999.0], [140.0]),
        ([*INCOMES, *[999998.0] * 20, *[999999.0] * 12], [999998.0, 999999.0], []),
        ([*INCOMES, *[50000.0] * 30], [], [50000.0]),  # more than 1 %, and most of the range
        ([*[float(i % 18) for i in range(400)], *[98.0] * 20, *[99.0] * 9], [98.0, 99.0], []),
        ([5.0] * 50, [], []),
        ([], [], []),
    ],
)
def test_numbers(values: list[float], stand_ins: list[float], far: list[float]) -> None:
    assert found(values) == (stand_ins, far)


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        (["9999-12-31"] * 40, True),
        (["1900-01-01"] * 8, True),
        (["2999-12-31"] * 2, True),
        (["1970-01-01"] * 30, True),  # among the others, and far more frequent
        (["1970-01-01"] * 2, False),
        (["1900-01-02"] * 8, False),
        (["9999-12-31"], False),  # one record; it lies far out
    ],
)
def test_days(odd: list[str], named: bool) -> None:
    stand_ins, far = found([*BORN, *map(seconds, odd)], times=True)
    assert stand_ins == ([seconds(odd[0])] if named else [])
    assert bool(far) == (odd == ["9999-12-31"])
