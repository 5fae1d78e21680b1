"""Charts: places of bars and points, which a template draws.

A chart is a picture with a table that says the same, so its figures are in the page as text.
Lengths are in pixels of a box that scales with the page; kinds are classes of the page's style.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Bar", "Chart", "bars"]

_WIDTH = 720
_LABEL = 270
_ROW = 34
_TOP = 22
_RIGHT = 100

_BEYOND = 1.6
"""Distance beyond the limit to which a long bar is drawn; its figure says the rest."""


@dataclass(frozen=True)
class Bar:
    """One row of a chart."""

    label: str
    parts: Sequence[tuple[float, str]]
    """Lengths, 0 or more, from left to right, and the kind of each."""
    said: str
    """Figure in words, written at the end of the bar."""
    mark: float | None = None
    """Place at which a point is drawn."""


@dataclass(frozen=True)
class Chart:
    """Bars in their places."""

    caption: str
    """Contents of the chart, for readers who cannot see it."""
    rows: Sequence[Mapping[str, Any]]
    """Bars: `label`, `top`, `parts` of `x`, `width` and `kind`, `mark` or None, and the figure
    `said` at `end`.
    """
    height: int
    limit: float
    """Place of a line that is drawn across all rows."""
    limit_said: str
    width: int = _WIDTH
    label_end: int = _LABEL - 12


def bars(caption: str, given: Sequence[Bar], limit: float, limit_said: str) -> Chart:
    """Place bars one below the other, from 0; see `Chart`."""
    longest = max(max(sum(length for length, _ in bar.parts), bar.mark or 0.0) for bar in given)
    longest = min(max(longest, limit), _BEYOND * limit)
    scale = (_WIDTH - _LABEL - _RIGHT) / longest

    def place(length: float) -> float:
        return round(_LABEL + scale * min(max(length, 0.0), longest), 1)

    rows = []
    for number, bar in enumerate(given):
        start, parts = 0.0, []
        for length, kind in bar.parts:
            left, right = place(start), place(start + length)
            start += length
            width = round(max(right - left, 1.0), 1)
            parts.append({"x": left, "width": width, "kind": kind})
        end = place(max(start, bar.mark or 0.0))
        if end < place(limit) < end + _RIGHT:
            end = place(limit)
        rows.append(
            {
                "label": bar.label if len(bar.label) <= 34 else f"{bar.label[:33]}…",
                "top": _TOP + number * _ROW,
                "parts": parts,
                "mark": None if bar.mark is None else place(bar.mark),
                "end": end + 8,
                "said": bar.said,
            }
        )
    return Chart(caption, rows, _TOP + _ROW * len(rows) + 8, place(limit), limit_said)
