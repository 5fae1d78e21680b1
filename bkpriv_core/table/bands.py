"""Bands: labels that are intervals of numbers, as ``0-4``, ``[20,30)``, ``90+`` and ``under 5``.

Bands are ordered, so neighbours are united and characters mean nothing. A number with a unit, such
as ``5 mg``, is a band of one number; a bare number is one only among labels that are intervals.
Labels are read in English, and with words of German, French and Spanish.

Levels are intervals of round widths that nest, from 0 or from where a band begins, so that no band
belongs to two intervals; where that merges too much or nothing, every two, four, ... neighbours.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from bkpriv_core.table.groups import IntArray

__all__ = ["Bands"]

_NUMBER = r"\d{1,3}(?:[,.'\u2019 \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_TIMES = r"(?:[kKmM](?![^\W_]))?"
_MONEY = r"[$€£¥]|(?:USD|EUR|GBP|CHF)\s?|"
_UNIT = r"[^\W\d_]+\.?(?:\s[^\W\d_]+\.?)?|[%$€£¥]|"
_LOW = rf"(?P<unit1>{_MONEY})(?P<low>(?:{_NUMBER}){_TIMES})"
_HIGH = rf"(?P<unit2>{_MONEY})(?P<high>(?:{_NUMBER}){_TIMES})"
_AND = r"\s+(?:and|or|und|et|y|o)\s+"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<unit3>[^\W\d_]+\.?\s|)(?P<open>\[|(?P<above>[(\]]))?\s*{_LOW}\s?(?P<unit4>{_UNIT})"
        r"(?:(?(open)\s*[,;]\s*|(?!))|\s*[-–—~_]\s*|\s*\.\.\.?\s*|\s+(?:to|through|bis|à|a)\s+)"
        rf"{_HIGH}\s*(?(open)(?:\]|(?P<below>[)\[])))\s?(?P<unit5>{_UNIT})",
        rf"{_LOW}\s?\+\s?(?P<unit3>{_UNIT})",
        rf"{_LOW}\s?(?P<unit3>{_UNIT}){_AND}(?:over|above|older|more|up|mehr|älter|plus|más)",
        rf"{_HIGH}\s?(?P<unit3>{_UNIT}){_AND}"
        r"(?:under|below|younger|less|fewer|jünger|weniger|moins|menos)",
        rf"(?:(?P<below><(?!=)|under|below|less than|younger than|unter|moins de|menos de)"
        rf"|<=|≤|up to|bis)\s*{_HIGH}\s?(?P<unit3>{_UNIT})",
        rf"(?:(?P<above>>(?!=)|over|above|more than|older than|über|plus de|más de)"
        rf"|>=|≥|at least|from|ab)\s*{_LOW}\s?(?P<unit3>{_UNIT})",
        rf"{_LOW}\s?(?P<unit3>{_UNIT})",
    )
)
"""Forms of two ends, of a low or a high end alone, and of one number."""

_POINT = _FORMS[-1]

_LONGEST = 60

_LEAST = 3
"""Least number of bands."""

_OTHERS = 10
"""One label in so many may be no band, and of fewer one, too, such as one for unknown."""

_ORIGINS = 3
"""Bands at whose beginnings intervals may begin, too."""

_FEWEST = 1 / 2
"""Least number of intervals on the finest level, as a share of the bands."""

_STEPS = ((2, 5), (5, 2))
"""Quotients of neighbouring widths: 10, 20, 100, ... and 10, 50, 100, ..."""


@dataclass(frozen=True)
class _Band:
    """An interval of numbers that a label names."""

    label: str
    low: Fraction | None
    high: Fraction | None
    """Ends; None where it has none."""
    units: frozenset[str]
    low_text: str
    high_text: str
    place: tuple[int, int]
    """Span of the text of its low end in the label, or of its one end."""
    above: bool = False
    below: bool = False
    """Whether all its numbers are above its low end, or below its high end."""


def _read(label: str) -> _Band | None:
    """Read a label as a band; None if it is none."""
    read = (form.fullmatch(label) for form in _FORMS if len(label) <= _LONGEST)
    found = next(filter(None, read), None)
    if found is None:
        return None
    said = defaultdict(str, {name: text or "" for name, text in found.groupdict().items()})
    low_text, high_text = said["low"], said["high"]
    if high_text[-1:].isalpha() and low_text[-1:].isdigit():
        low_text += high_text[-1]  # 10-20k is from 10k on.
    low, high = _number(low_text), _number(high_text)
    if low is not None and high is not None and low >= high:
        return None
    if found.re is _POINT:
        high, high_text = low, low_text
    above, below = bool(said["above"]), bool(said["below"])
    place = found.span("low" if said["low"] else "high")
    return _Band(label, low, high, _units(said), low_text, high_text, place, above, below)


def _units(said: Mapping[str, str]) -> frozenset[str]:
    """Units that a label names, without a plural."""
    words = (text.strip().rstrip(".").lower() for name, text in said.items() if "unit" in name)
    return frozenset(word.rstrip("s") for word in words if word)


def _number(text: str) -> Fraction | None:
    """Read a number; what separates groups of three digits means nothing."""
    if not text:
        return None
    times = {"k": 1_000, "m": 1_000_000}.get(text[-1].lower(), 1)
    digits = text if times == 1 else text[:-1]
    if re.fullmatch(r"[1-9]\d{0,2}(\D\d{3})+", digits):
        digits = re.sub(r"\D", "", digits)
    return Fraction(digits.replace(",", ".")) * times


class Bands:
    """Bands of a column in order, and its labels that are none, each a group of its own."""

    def __init__(self, bands: Sequence[_Band]) -> None:
        self._bands = bands
        self._place = {band.label: place for place, band in enumerate(bands)}

    @classmethod
    def of(cls, labels: Sequence[str]) -> Bands | None:
        """Read labels; None unless nearly all are bands in one unit that do not overlap."""
        read = [band for band in map(_read, labels) if band is not None]
        if len(read) < _LEAST or len(labels) - len(read) > max(1, len(labels) // _OTHERS):
            return None
        bare = all(band.low == band.high and not band.units for band in read)
        if bare or len({band.units for band in read if band.units}) > 1:
            return None
        read.sort(key=_ends)
        apart = (_ends(before)[1] <= _ends(after)[0] for before, after in pairwise(read))
        return cls(read) if all(apart) else None

    def place(self, label: str) -> int:
        """Place of a label in their order; those that are no bands are last."""
        return self._place.get(label, len(self._bands))

    def levels(self, labels: Sequence[str]) -> Iterator[list[IntArray]]:
        """Levels that may be taken, of each kind: the group of each label, the finer first."""
        size = len(self._bands)
        pairs = ([place >> power for place in range(size)] for power in range(1, size.bit_length()))
        chosen = [self._merging(pairs)]
        for origin in self._origins():
            cuts = ([self._cut(width, origin) for width in each] for each in self._widths())
            kinds = [self._merging(filter(None, each)) for each in cuts]
            if found := [kind for kind in kinds if kind and len({*kind[0]}) >= size * _FEWEST]:
                chosen = found
                break
        for kind in chosen:
            yield [self._of_labels(labels, numbers) for numbers in kind]

    def _origins(self) -> list[Fraction]:
        lows = [band.low for band in self._bands if band.low is not None]
        return list(dict.fromkeys([Fraction(0), *lows[:_ORIGINS]]))

    def _widths(self) -> Iterator[list[Fraction]]:
        """Widths that nest, from one that merges nothing to one that merges everything."""
        ends = sorted({end for each in self._bands for end in (each.low, each.high) if end})
        least, most = min(map(_gap, pairwise(ends)), default=Fraction(1)), 2 * max(ends)
        lows = sorted({band.low for band in self._bands if band.low is not None})
        doubled = [min(map(_gap, pairwise(lows)), default=least)]
        while doubled[-1] < most:
            doubled.append(2 * doubled[-1])
        yield doubled
        for steps in _STEPS:
            widths = [Fraction(10) ** math.floor(math.log10(least))]
            while widths[-1] < most:
                widths.append(widths[-1] * steps[(len(widths) - 1) % 2])
            yield widths

    def _cut(self, width: Fraction, origin: Fraction) -> list[int] | None:
        """Interval of each band; None if one belongs to two."""
        numbers = []
        for place, band in enumerate(self._bands):
            first = last = None
            if band.low is not None:
                first = math.floor((band.low - origin) / width)
            if band.high is not None:
                last = math.floor((band.high - origin) / width)
                # Of 20-30 before 30-40 the end is the latter's.
                shared = self._low_after(place) == band.high != band.low
                if (band.below or shared) and last * width + origin == band.high:
                    last -= 1
            if first is not None and last is not None and first != last:
                return None
            numbers.append(last if first is None else first)
        return [number for number in numbers if number is not None]

    def _low_after(self, place: int) -> Fraction | None:
        return self._bands[place + 1].low if place + 1 < len(self._bands) else None

    def _merging(self, levels: Iterable[Sequence[int]]) -> list[Sequence[int]]:
        """Levels that merge something and not everything."""
        found = []
        groups = len(self._bands)
        for numbers in levels:
            held = len({*numbers})
            if 1 < held < groups:
                found.append(numbers)
                groups = held
        return found

    def _of_labels(self, labels: Sequence[str], numbers: Sequence[int]) -> IntArray:
        groups = [
            (0, numbers[self._place[label]]) if label in self._place else (1, place)
            for place, label in enumerate(labels)
        ]
        number = {group: place for place, group in enumerate(sorted({*groups}))}
        return np.array([number[group] for group in groups], dtype=np.int64)

    def name(self, group: Sequence[str]) -> str:
        """Name of a group of neighbours: one band, written as they are."""
        places = sorted(map(self.place, group))
        first, last = self._bands[places[0]], self._bands[places[-1]]
        if first.low is None:
            return _restated(first, self._high_text(places[-1])) or f"<={last.high_text}"
        if last.high is None:
            return _restated(last, self._low_text(places[0])) or f">={first.low_text}"
        behind = "-" + last.label[last.place[0] :]
        if last.low != last.high:
            behind = last.label[last.place[1] :]
        return first.label[: first.place[1]] + behind

    def _high_text(self, place: int) -> str | None:
        """Text of the end of a band, as the one band without a low end writes it."""
        first, last = self._bands[0], self._bands[place]
        if first.below and not last.below:  # Up to 9 is under 10, if the next begins there.
            after = self._bands[place + 1]
            return None if after.above else after.low_text
        return last.high_text if first.below == last.below else None

    def _low_text(self, place: int) -> str | None:
        """Text of the beginning of a band, as the one band without a high end writes it."""
        first, last = self._bands[place], self._bands[-1]
        if last.above and not first.above:
            before = self._bands[place - 1]
            return None if before.below else before.high_text
        return first.low_text if first.above == last.above else None


def _ends(band: _Band) -> tuple[Fraction | float, Fraction | float]:
    low = -math.inf if band.low is None else band.low
    return low, math.inf if band.high is None else band.high


def _gap(pair: tuple[Fraction, Fraction]) -> Fraction:
    return pair[1] - pair[0]


def _restated(band: _Band, text: str | None) -> str | None:
    """Label of a band of one end, with another end."""
    begin, end = band.place
    return text and band.label[:begin] + text + band.label[end:]
