"""Scale: of what a bandwidth and an information loss are shares, for numbers, days and times.

A distance is ``|a - b| / R``, and a range costs its length divided by ``R``, both at most 1.
``R`` is declared, or else the range of the column. A few values far out would change what every
bandwidth and every loss means, so they are left out:

- *Candidates* are the outermost values at either end, at most 1 % of the records at each. The
  *inner range* is the range of all other values.
- Candidates lie *apart* beyond a gap that is longer than a third of the inner range, and than
  twice any gap within it. They are left out from the innermost such gap on. A column with them then
  has the same scale as without them.
- If the rest is still more than twice as long as the inner range, all candidates are left out:
  a long tail.

Nothing is left out of fewer than 100 records, nor where the inner range is 0. A column without such
values keeps its whole range as its scale, to the last bit.

Distances keep the order of values beyond the scale: two of these differ by their own distance.

Incomes, charges and lengths of stay have long tails, so some of their records always lie beyond the
scale. Only candidates that lie *far out* are errors or special people. These lie beyond a gap:

- Tails are *long* if the inner range goes on farther from the outermost tenth than that lies from
  the median. Then the distance from the median grows at least fivefold at the gap.
- Else the gap is one that divides candidates from the others, as above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bkpriv_core.errors import InvalidData, InvalidParameter, as_json
from bkpriv_core.table.bins import TIMES
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray
from bkpriv_core.table.reading import moment
from bkpriv_core.table.table import Table

__all__ = [
    "Bounds",
    "common_bounds",
    "far_beyond_scale",
    "numbers_of",
    "parse_scales",
    "reach",
    "reaches",
    "robust_bounds",
    "scaled",
    "units_of",
]

Bounds = tuple[float, float]
"""Least and greatest position of a scale."""

_OUTERMOST = 100
"""Records of which one may be left out at each end."""

_APART = 3.0
"""Gaps longer than the inner range divided by this divide values from the others."""

_TIMES = 2.0
"""Least quotient of such a gap and any within, and of a long tail's range and the inner one."""

_TENTH = 10
_FAR = 5.0
"""Least quotient of the distances from the median at either side of a gap in a long tail."""

_LONGEST = 1e100
"""Longest range in units of the scale; beyond, double precision would not compare values."""

_UNITS = (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0), ("seconds", 1.0))
"""Units of differences of days and times, in seconds; the first of which there are two is taken."""

_HINT = 'For example {"age": [0, 100], "born": ["1900-01-01", "2025-12-31"]}.'


def robust_bounds(positions: FloatArray, records: IntArray) -> Bounds | None:
    """Bounds of the values that are not left out; None if that is none.

    Args:
        positions: Shape (x,). Distinct finite numbers, rising.
        records: Shape (x,). Records of each.
    """
    positions, records = positions[records > 0], records[records > 0]
    last = len(positions) - 1
    first_inner, last_inner = last - _last(records[::-1]), _last(records)
    if records.sum() < _OUTERMOST or first_inner >= last_inner:
        return None
    inner = positions[last_inner] - positions[first_inner]
    wide = _divides(positions, first_inner, last_inner)
    below, above = np.flatnonzero(wide[:first_inner]), np.flatnonzero(wide[last_inner:])
    low = int(below[-1]) + 1 if below.size else 0
    high = last_inner + int(above[0]) if above.size else last
    if positions[high] - positions[low] > _TIMES * inner:
        low, high = first_inner, last_inner
    return None if (low, high) == (0, last) else (float(positions[low]), float(positions[high]))


def _last(records: IntArray, part: int = _OUTERMOST) -> int:
    """Place of the innermost value beyond which lies at most that part of the records."""
    beyond = np.cumsum(records[::-1])
    return len(records) - 1 - int(np.searchsorted(beyond, records.sum() // part, side="right"))


def _divides(positions: FloatArray, first_inner: int, last_inner: int) -> BoolArray:
    """Whether each gap is so long that it divides candidates from the others."""
    gaps = np.diff(positions)
    inner = positions[last_inner] - positions[first_inner]
    divides: BoolArray = gaps > max(inner / _APART, _TIMES * gaps[first_inner:last_inner].max())
    return divides


def common_bounds(positions: FloatArray, records: IntArray) -> Bounds | None:
    """Bounds of the values that do not lie far out; None if none do.

    Args:
        positions, records: See `robust_bounds`.
    """
    positions, records = positions[records > 0], records[records > 0]
    if robust_bounds(positions, records) is None:
        return None
    low = -_greatest_common(-positions[::-1], records[::-1])
    high = _greatest_common(positions, records)
    return None if (low, high) == (positions[0], positions[-1]) else (low, high)


def _greatest_common(positions: FloatArray, records: IntArray) -> float:
    last, tenth, half = _last(records), _last(records, _TENTH), _last(records, 2)
    if positions[last] - positions[tenth] > positions[tenth] - positions[half]:
        distances = positions - positions[half]
        wide = distances[1:] >= _FAR * distances[:-1]
    else:
        wide = _divides(positions, len(positions) - 1 - _last(records[::-1]), last)
    beyond = np.flatnonzero(wide[last:])
    return float(positions[last + int(beyond[0])] if beyond.size else positions[-1])


def scaled(domain: Domain, records: IntArray, declared: Bounds | None) -> Domain:
    """A domain with its scale: what is declared, else what is robust.

    Args:
        records: Shape (size,). Records of each value.

    Raises:
        InvalidData: If values are too far apart for the scale that is declared.
    """
    if domain.positions is None:
        return domain
    numbers = domain.size - domain.has_null
    bounds = declared or robust_bounds(domain.positions[:numbers], records[:numbers])
    if bounds is None:
        return domain
    if domain.span > (bounds[1] - bounds[0]) * _LONGEST:
        if declared is None:
            return domain
        raise InvalidData(
            f'the scale of column "{domain.name}" is too short for its values',
            detail=f"They are {domain.span / _LONGEST:.3g} times {_LONGEST:g} apart.",
            hint="Register the dataset with a longer scale.",
        )
    return replace(domain, bounds=bounds)


def reach(domain: Domain, bandwidth: float) -> str | None:
    """Difference from which on records do not count under a bandwidth, in the column's unit.

    Returns:
        As ``20.7`` or, of days and times, ``13 years``; None of labels, which have no unit.
    """
    if domain.positions is None:
        return None
    far = bandwidth * domain.scale
    first = next((label for label in domain.labels if label is not None), None)
    unit = ""
    if first is not None and moment(first) is not None:
        name, seconds = next(item for item in _UNITS if far >= 2 * item[1] or item is _UNITS[-1])
        far, unit = far / seconds, f" {name}"
    return f"{float(f'{far:.3g}'):.15g}{unit}"


def reaches(domains: Sequence[Domain], bandwidth: object) -> str:
    """Bandwidths by column in the units of these, as ``age: 20.7; born: 13 years``.

    Args:
        bandwidth: A number for all columns, or numbers by column; other knowledge has no units.
    """
    texts = []
    for domain in domains:
        width = bandwidth.get(domain.name) if isinstance(bandwidth, Mapping) else bandwidth
        text = reach(domain, width) if isinstance(width, int | float) else None
        if text is not None:
            texts.append(f"{domain.name}: {text}")
    return "; ".join(texts)


def units_of(domains: Sequence[Domain], bandwidths: Iterable[object]) -> list[str]:
    """Say what bandwidths mean, once each: ``B = 0.3 (age: 20.7)``; nothing without units."""
    units = {as_json(each): reaches(domains, each) for each in bandwidths}
    return [f"B = {stated} ({text})" for stated, text in units.items() if text]


def numbers_of(table: Table) -> Iterator[tuple[Domain, FloatArray, IntArray]]:
    """Numeric quasi-identifiers, with their positions and the records of each, without NULL."""
    for domain, codes in zip(table.quasi_identifiers, table.codes.T, strict=True):
        if domain.positions is not None:
            numbers = domain.size - domain.has_null
            records = np.bincount(codes, table.weights, domain.size).astype(np.int64)
            yield domain, domain.positions[:numbers], records[:numbers]


def far_beyond_scale(table: Table) -> dict[str, int]:
    """Records far beyond the scale, by quasi-identifier, where there are any.

    Those beyond one end count if they lie far out, or if they are more than 1 % of the records. So
    many lie only beyond a scale that is declared.
    """
    found = {}
    for domain, positions, records in numbers_of(table):
        if domain.bounds is None:
            continue
        low, high = common_bounds(positions, records) or (-math.inf, math.inf)
        far = 0
        for beyond, outlying in (
            (positions < domain.bounds[0], positions < low),
            (positions > domain.bounds[1], positions > high),
        ):
            many = _OUTERMOST * records[beyond].sum() > records.sum()
            far += int(records[beyond if many else beyond & outlying].sum())
        if far:
            found[domain.name] = far
    return found


def parse_scales(stated: Any, types: Mapping[str, str]) -> dict[str, Bounds]:
    """Bounds of the scales of a dataset as they are declared.

    Args:
        stated: Decoded JSON: by column its least and its greatest value.
        types: Types of the columns that may have a scale: numbers, days and times.

    Raises:
        InvalidParameter: If it states something else, or of other columns.
    """
    if not isinstance(stated, dict):
        raise InvalidParameter(
            "the scales are not a JSON object",
            detail="They state, by column, a least and a greatest value.",
            hint=_HINT,
        )
    for name in stated:
        if name not in types:
            raise InvalidParameter(
                f'column "{name}" has a scale, but is no number, day or time',
                detail="A scale belongs to a quasi-identifier or a sensitive column that has "
                "distances.",
                hint=f"Such columns are {', '.join(types)}." if types else "There is none.",
            )
    return {name: _parse_pair(name, types[name], pair) for name, pair in stated.items()}


def _parse_pair(name: str, type_name: str, pair: Any) -> Bounds:
    ends = [_position(type_name, end) for end in pair] if isinstance(pair, list) else []
    if len(ends) == 2:
        low, high = ends
        if low is not None and high is not None and low < high and math.isfinite(high - low):
            return low, high
    raise InvalidParameter(
        f'column "{name}" cannot have the scale {as_json(pair)}',
        detail="A scale is an array of a least and a greater value: numbers, or days and times in "
        "ISO format.",
        hint=_HINT,
    )


def _position(type_name: str, end: Any) -> float | None:
    if type_name in TIMES:
        return moment(end) if isinstance(end, str) else None
    # By way of its text, for a whole number may be too large.
    return float(str(end)) if isinstance(end, int | float) and not isinstance(end, bool) else None
