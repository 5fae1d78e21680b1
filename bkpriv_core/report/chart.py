"""Charts as SVG: bars and points with their labels, no lines where there are only categories.

A chart is a picture beside a table that says the same, so its figures are in the page as text.
Lengths are in pixels of a box that scales with the page; colours are classes of the page's style.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bkpriv_core.report.markup import Markup, element

__all__ = ["Bar", "bars"]

_WIDTH = 720
_LABEL = 270
_ROW = 34
_TOP = 22
_RIGHT = 100

_BEYOND = 1.6
"""Distance beyond the limit to which a long bar is drawn; its figure says the rest."""


@dataclass(frozen=True)
class Bar:
    """One row of a chart.

    Parameters
    ----------
    label : str
        Name of the row.
    parts : sequence of (float, str)
        Lengths, 0 or more, from left to right, and the class of each.
    said : str
        Figure in words, written at the end of the bar.
    mark : float, optional
        Place at which a point is drawn.
    """

    label: str
    parts: Sequence[tuple[float, str]]
    said: str
    mark: float | None = None


def bars(
    caption: str, rows: Sequence[Bar], limit: float | None = None, limit_said: str = ""
) -> Markup:
    """Bars one below the other, from 0.

    Parameters
    ----------
    caption : str
        Contents of the chart, for readers who cannot see it.
    limit : float, optional
        Place of a line that is drawn across all rows, if there is one.
    limit_said : str
        Meaning of that line.
    """
    longest = max(sum(length for length, _ in row.parts) for row in rows)
    longest = max([longest, *(row.mark for row in rows if row.mark is not None)])
    if limit is not None:
        longest = min(max(longest, limit), _BEYOND * limit)
    longest = longest or 1.0
    scale = (_WIDTH - _LABEL - _RIGHT) / longest
    height = _TOP + _ROW * len(rows) + 8

    def place(length: float) -> float:
        return round(_LABEL + scale * min(max(length, 0.0), longest), 1)

    drawn: list[Markup] = [element("title", caption)]
    for number, row in enumerate(rows):
        top = _TOP + number * _ROW
        drawn.append(element("text", _cut(row.label), x=_LABEL - 12, y=top + 19, text_anchor="end"))
        start = 0.0
        for length, kind in row.parts:
            left, right = place(start), place(start + length)
            start += length
            drawn.append(
                element(
                    "rect",
                    x=left,
                    y=top + 5,
                    width=round(max(right - left, 1.0), 1),
                    height=20,
                    rx=2,
                    class_=kind,
                )
            )
        if row.mark is not None:
            drawn.append(element("circle", cx=place(row.mark), cy=top + 15, r=5, class_="mark"))
        end = place(max(start, row.mark or 0.0))
        if limit is not None and end < place(limit) < end + _RIGHT:
            end = place(limit)
        drawn.append(element("text", row.said, x=end + 8, y=top + 20, class_="said"))
    if limit is not None:
        at = place(limit)
        drawn += [
            element("line", x1=at, x2=at, y1=_TOP - 4, y2=height - 4, class_="limit"),
            element("text", limit_said, x=at, y=13, text_anchor="middle", class_="axis"),
        ]
    return element(
        "svg",
        *drawn,
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
        aria_label=caption,
        class_="chart",
    )


def _cut(label: str) -> str:
    return label if len(label) <= 34 else f"{label[:33]}…"
