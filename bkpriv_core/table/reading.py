"""Reading: what the labels of a generalized table say of an attribute's values.

A label is read as the values of the domain that it may stand for. Those that a range holds are read
off their positions, so that bounds of it need not be values that occur. Of bins, a range holds
those that begin in it, and a single number is the bin that it lies in.

=============================  ================================================================
``20``, ``1.50``, ``north``    a value, or a label of the hierarchy
``*``                          anything
``[20,30)``, ``[20-30)``       a range with its first and without its last value; so do ARX's
                               ``[20, 30[`` and R's ``(20,30]``
``[20,)``, ``<20``, ``>=20``,  a range that is open to one side
``20+``
``20-29``, ``20–29``           a range with both ends
``20–<30``                     a range without its last value
``{a, b}``                     values, or labels of a hierarchy; numbers and ranges of them
NULL                           NULL, if the domain has it; else anything
=============================  ================================================================

A set is read as the extent from its first to its last value: in a hierarchy the lowest label that
holds all. Its members are no sets. A label that several nodes of a hierarchy share stands for the
values of all of them. What says something else, or holds no value of the domain, is not read.

Labels are anybody's, and a regular expression cannot be cancelled. So what is matched is short, and
blanks stand in one place of a pattern alone, between what is not blank.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray

__all__ = ["UNREAD", "moment", "read_extents", "read_values"]

UNREAD = -1
"""Place of a label that cannot be read."""

_LENGTH = 200
"""Limit of the characters of a number, a time or a range."""

_Extent = tuple[int, int]
"""First and last leaf place."""

_Ends = tuple[tuple[float, bool], tuple[float, bool]]
"""Ends of a range, and whether each is of it."""

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_TIME = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[-+]\d\d(?::?\d\d)?)?)?"
_INFINITE = r"[-+]?[Ii]nfinity"
_POINT = rf'"?(?:{_TIME}|{_NUMBER}|{_INFINITE})"?'
_BRACKETED = re.compile(
    rf"(?P<first>[\[\](])\s*(?:(?P<low>{_POINT})\s*)?(?:,|;|:|\.\.|-|–|—)"
    rf"\s*(?:(?P<high>{_POINT})\s*)?(?P<last>[\])\[])",
    re.ASCII,
)
_BARE = re.compile(
    rf"(?P<low>{_POINT})\s*(?:-|–|—|\.\.)\s*(?:(?P<below><)\s*)?(?P<high>{_POINT})", re.ASCII
)
_SIDED = re.compile(rf"(?P<sign><=|>=|<|>|≤|≥)\s*(?P<point>{_POINT})", re.ASCII)
_UPWARDS = re.compile(rf"(?P<point>{_POINT})\s*\+", re.ASCII)
_ONLY_TIME = re.compile(_TIME, re.ASCII)


def read_extents(
    domain: Domain, labels: Sequence[str | None], progress: Progress = SILENT
) -> tuple[IntArray, IntArray]:
    """Read labels of a quasi-identifier as extents.

    Args:
        labels: Labels, which are ``x``.
        progress: Polled for each, and for each member of a set.

    Returns:
        low, high: Shape (x,). First and last leaf place that each may stand for; `UNREAD` where it
            cannot be read.
    """
    reader = (_Numbers if domain.numeric else _Nodes)(domain, progress)
    found = np.full((len(labels), 2), UNREAD, dtype=np.int64)
    for row, label in enumerate(labels):
        progress.poll()
        if (extent := reader.read(label)) is not None:
            found[row] = extent
    return found[:, 0], found[:, 1]


def read_values(
    domain: Domain, labels: Sequence[str | None], progress: Progress = SILENT
) -> IntArray:
    """Read labels of a sensitive column as single values; see `read_extents`.

    Returns:
        Shape (x,). Code of each value; `UNREAD` where it is none of the domain.
    """
    codes = {label: code for code, label in enumerate(domain.labels)}
    found = np.array([codes.get(label, UNREAD) for label in labels], dtype=np.int64)
    if domain.numeric:
        # The same number in other digits, or a bin.
        low, high = read_extents(domain, labels, progress)
        single = (found == UNREAD) & (low == high)
        if domain.has_null:
            single &= low < domain.size - 1
        found = np.where(single, low, found)
    return found


class _Nodes:
    """Reads labels of a categorical domain."""

    def __init__(self, domain: Domain, progress: Progress) -> None:
        self._progress = progress
        self._extents: dict[str | None, _Extent] = {}
        self._whole = 0, domain.size - 1
        hierarchy = domain.hierarchy
        for label, place in zip(domain.labels, domain.leaf_order.tolist(), strict=True):
            for node in {label} if label is None or hierarchy is None else hierarchy.paths[label]:
                low, high = self._extents.get(node, (place, place))
                self._extents[node] = min(low, place), max(high, place)
        # NULL is below the root, too; and what reads like the root may be any value.
        root = ROOT if hierarchy is None else next(iter(hierarchy.paths.values()))[-1]
        self._extents[root] = self._whole
        self._extents.setdefault(ROOT, self._whole)
        self._extents.setdefault(None, self._whole)

    def read(self, label: str | None) -> _Extent | None:
        found = self._extents.get(label)
        if found is not None or label is None or (items := _items(label.strip())) is None:
            return found
        first, last = self._whole[::-1]
        for item in items:
            self._progress.poll()
            if (member := self._extents.get(item)) is None:
                return None
            first, last = min(first, member[0]), max(last, member[1])
        return first, last


class _Numbers:
    """Reads labels of a numeric domain."""

    def __init__(self, domain: Domain, progress: Progress) -> None:
        self._progress = progress
        assert domain.positions is not None
        self._codes = {label: code for code, label in enumerate(domain.labels)}
        self._size = domain.size - domain.has_null
        self._positions = domain.positions[: self._size]
        self._ends = None if domain.ends is None else domain.ends[: self._size]
        self._whole = 0, domain.size - 1
        first = domain.labels[0] if self._size else None
        self._times = first is not None and _ONLY_TIME.fullmatch(first) is not None

    def read(self, label: str | None) -> _Extent | None:
        if label in self._codes:
            return self._codes[label], self._codes[label]
        if label is None or label.strip() in (ROOT, "(,)"):
            return self._whole
        text = label.strip()
        if (items := _items(text)) is not None:
            return self._whole if ROOT in items else self._between(self._spanned(items))
        if (point := self._point(text)) is not None:
            return self._single(point)
        return self._between(self._ends_of(text))

    def _spanned(self, items: Sequence[str]) -> _Ends | None:
        """Ends of the range from the first member of a set to the last, which need not occur."""
        low, high = (math.inf, False), (-math.inf, False)
        for item in items:
            self._progress.poll()
            if (point := self._point(item)) is None:
                ends = self._ends_of(item)
            else:
                # A number stands for the bin that it lies in.
                single = self._single(point)
                there = point if single is None else float(self._positions[single[0]])
                ends = (there, True), (there, True)
            if ends is None:
                return None
            low = min(low, ends[0], key=lambda end: (end[0], not end[1]))
            high = max(high, ends[1])
        return low, high

    def _between(self, ends: _Ends | None) -> _Extent | None:
        """Values of a range."""
        if ends is None:
            return None
        (low, with_low), (high, with_high) = ends
        first = np.searchsorted(self._positions, low, "left" if with_low else "right")
        last = np.searchsorted(self._positions, high, "right" if with_high else "left") - 1
        return (int(first), int(last)) if first <= last else None

    def _ends_of(self, text: str) -> _Ends | None:
        """Ends of a range that a label says."""
        if len(text) > _LENGTH:
            return None
        anything = (-math.inf, True), (math.inf, True)
        if found := _BRACKETED.fullmatch(text):
            low, high = (
                infinite if found[end] is None else self._point(found[end])
                for end, infinite in (("low", -math.inf), ("high", math.inf))
            )
            with_low, with_high = found["first"] == "[", found["last"] == "]"
        elif found := _BARE.fullmatch(text):
            low, high = self._point(found["low"]), self._point(found["high"])
            with_low, with_high = True, found["below"] is None
        elif found := _UPWARDS.fullmatch(text):
            low, (high, with_high), with_low = self._point(found["point"]), anything[1], True
        elif found := _SIDED.fullmatch(text):
            point, included = self._point(found["point"]), found["sign"] in ("<=", ">=", "≤", "≥")
            if found["sign"] in (">", ">=", "≥"):
                low, with_low, (high, with_high) = point, included, anything[1]
            else:
                (low, with_low), high, with_high = anything[0], point, included
        else:
            return None
        if low is None or high is None:
            return None
        return (low, with_low), (high, with_high)

    def _single(self, point: float) -> _Extent | None:
        """The value at a position, or the bin that holds it."""
        place = int(np.searchsorted(self._positions, point, "right")) - 1
        if place < 0:
            return None
        there = self._positions[place] == point
        if not there and self._ends is not None:
            there = point < self._ends[place]
        return (place, place) if there else None

    def _point(self, text: str) -> float | None:
        """Position of a number or a time; None if it is no such of the domain's kind."""
        text = text.strip('"')
        code = self._codes.get(text)
        if code is not None and code < self._size:
            return float(self._positions[code])
        if len(text) > _LENGTH:
            return None
        if re.fullmatch(_INFINITE, text):
            return float(text)
        if self._times:
            return moment(text)
        return float(text) if re.fullmatch(_NUMBER, text, re.ASCII) else None


def moment(text: str) -> float | None:
    """Seconds since 1970 of an ISO time, without a zone of UTC; None of another text."""
    if not _ONLY_TIME.fullmatch(text):
        return None
    # Python 3.10 reads no zone of hours alone.
    text = re.sub(r"([-+]\d\d)$", r"\1:00", text) if ":" in text else text
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp()


def _items(text: str) -> list[str] | None:
    """Members of a set; None of what is none."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    return [item.strip().strip('"') for item in text[1:-1].split(",")]
