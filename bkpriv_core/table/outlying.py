"""Outlying: numbers and days of a column that may stand for a missing value, or lie far out.

They change nothing by themselves. Whoever declares a column reads of them, with what repairs it.

- *Stand-ins* are numbers by the rules of `sentinel`. Days and times are stand-ins if they are known
  to be used so, as 9999-12-31 or 1900-01-01, occur more than once, and stand out: they lie beyond
  all others by more than a tenth of their range, or occur five times as often as the day that
  occurs most often among the others.
- *Far out* are values that lie so by the rule of `scale`, and values that alone make more than half
  of the range: at most a tenth of the records, beyond a gap that is longer than all else. Stand-ins
  are left aside.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

import numpy as np

from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.reading import moment
from bkpriv_core.table.scale import Bounds, common_bounds, numbers_of
from bkpriv_core.table.sentinel import SUSPECT, Suspect, odd_numbers
from bkpriv_core.table.table import Table

__all__ = ["Outlying", "inspect_numbers", "stand_ins_within_scale"]

_DAYS = (
    *("0001-01-01", "1000-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30"),
    *("1899-12-31", "1900-01-01", "1900-12-31", "1901-01-01", "1970-01-01", "2099-12-31"),
    *("2100-01-01", "2200-01-01", "2222-02-02", "2900-12-31", "2999-12-31", "3000-01-01"),
    *("3000-12-31", "4000-01-01", "5000-01-01", "8888-08-08", "8888-12-31", "9999-01-01"),
    *("9999-09-09", "9999-12-30", "9999-12-31"),
)
"""Days that programs and people write for none."""

_DAY = 86400
_EPOCH = datetime.date(1970, 1, 1)
_ODD = frozenset((datetime.date.fromisoformat(day) - _EPOCH).days for day in _DAYS)

_BEYOND = 0.1
_OFTEN = 5
_FEW = 10
_FEWEST = 20


@dataclass(frozen=True)
class Outlying:
    """Values of a column that stand out."""

    stand_ins: IntArray
    """Places of values that may stand for a missing one."""
    far: IntArray
    """Places of values that lie far out."""
    within: Bounds | None
    """Least and greatest position of all other values, if some lie far out."""


def inspect_numbers(positions: FloatArray, records: IntArray, *, times: bool) -> Outlying:
    """Find values that stand out.

    Args:
        positions: Shape (x,). Distinct finite numbers, rising.
        records: Shape (x,). Records of each, at least 1.
        times: Whether they are days or times.
    """
    odd = _odd_days(positions, records) if times else _odd_numbers(positions, records)
    left = np.setdiff1d(np.arange(len(positions)), odd)
    within = _within(positions[left], records[left])
    if within is None:
        return Outlying(odd, np.zeros(0, dtype=np.int64), None)
    far = left[(positions[left] < within[0]) | (positions[left] > within[1])]
    return Outlying(odd, far, within)


def stand_ins_within_scale(table: Table) -> dict[str, tuple[int, list[str]]]:
    """Records with stand-ins that a scale does not leave out, and these values, by column.

    Values in bins are not known, and left aside.
    """
    found = {}
    for domain, positions, records in numbers_of(table):
        there = np.flatnonzero(records)
        if domain.ends is not None or not len(there):
            continue
        times = moment(domain.labels[0] or "") is not None
        odd = there[inspect_numbers(positions[there], records[there], times=times).stand_ins]
        low, high = domain.bounds or (-np.inf, np.inf)
        odd = odd[(positions[odd] >= low) & (positions[odd] <= high)]
        if len(odd):
            values = [domain.labels[code] or "" for code in odd.tolist()]
            found[domain.name] = (int(records[odd].sum()), values)
    return found


def _odd_numbers(positions: FloatArray, records: IntArray) -> IntArray:
    texts = [f"{each:.15g}" for each in positions.tolist()]
    suspect = np.array([re.fullmatch(SUSPECT, text) is not None for text in texts], dtype=bool)
    if not suspect.any() or suspect.all():
        return np.zeros(0, dtype=np.int64)
    others = dict(zip(positions[~suspect].tolist(), records[~suspect].tolist(), strict=True))
    suspects = [Suspect(texts[at], int(records[at]), at) for at in np.flatnonzero(suspect).tolist()]
    low, high = min(others), max(others)
    found = odd_numbers(suspects, others, low, high)
    return np.array([each.row for each in found], dtype=np.int64)


def _odd_days(positions: FloatArray, records: IntArray) -> IntArray:
    known = np.array([each // _DAY in _ODD for each in positions.tolist()], dtype=bool)
    if not known.any() or known.all():
        return np.zeros(0, dtype=np.int64)
    low, high = positions[~known][[0, -1]]
    margin = _BEYOND * (high - low)
    beyond = (positions < low - margin) | (positions > high + margin)
    often = records >= _OFTEN * records[~known].max()
    return np.flatnonzero(known & (records > 1) & (beyond | often))


def _within(positions: FloatArray, records: IntArray) -> Bounds | None:
    """Bounds of the values that are not far out; None if none are."""
    bounds = common_bounds(positions, records)
    total = int(records.sum())
    if bounds is not None or total < _FEWEST or len(positions) < 3:
        return bounds
    gaps = np.diff(positions)
    widest = int(gaps.argmax())
    if 2 * gaps[widest] <= positions[-1] - positions[0]:
        return None
    below = int(records[: widest + 1].sum())
    if _FEW * below <= total and widest + 2 < len(positions):
        return float(positions[widest + 1]), float(positions[-1])
    if _FEW * (total - below) <= total and widest:
        return float(positions[0]), float(positions[widest])
    return None
