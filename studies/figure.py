"""A figure of a study: how it is measured, its data as CSV and its picture as PNG.

Rules
-----
- The data are tidy: one row per measurement, every setting in a column of its own. Numbers have six
  significant digits.
- A picture shows what is in the data, by the names of columns. Series are told apart by colour
  (the palette of Okabe and Ito), by marker and by line, so that no one has to see colours.
- Every line is named. What was measured several times has bars of how far it varies; categories,
  which have no order, are points.
"""

from __future__ import annotations

import csv
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from bkpriv_client.terminal import Advance

if TYPE_CHECKING:
    # Imported when something is drawn: it takes longer than all else that a command imports.
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["Figure", "Grid", "Lines", "Picture", "Row", "Value", "write_csv"]

Value = str | int | float | None

Row = Mapping[str, Value]
"""One measurement: settings and figures by column."""

_Place = TypeVar("_Place")
_Design = TypeVar("_Design")

# Okabe and Ito's palette without black and yellow, which is pale on white.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":")

_DOTS_PER_INCH = 130
_PANEL_INCHES = (4.4, 3.6)
_SINGLE_INCHES = 6.6
_LEGEND_INCHES = 0.9
_TICKS = 9
"""So many different numbers at most are all written along an axis."""

_ABREAST = 3
"""So many panels at most stand in one row: more would be too small to read on a page."""

_FINE = 2.5
"""Decades of a logarithmic axis up to which 2 and 5 are written beside 1 and 10."""

_PLAIN = (1e-4, 1e5)
"""Between these, numbers along a logarithmic axis are written out, else as powers of ten."""


@dataclass(frozen=True)
class Figure(Generic[_Place, _Design]):
    """One figure of a study."""

    name: str
    title: str
    measure: Callable[[_Place, _Design, Advance], list[Row]]
    """Measures it where the study takes place, to a design, and reports progress."""
    picture: Picture

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write data and picture into a directory."""
        write_csv(directory / f"{self.name}.csv", rows)
        self.picture.save(directory / f"{self.name}.png", self.title, rows)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows that have the same columns."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([_written(value) for value in row.values()] for row in rows)


def _written(value: Value) -> str:
    """Write a value as a field."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, kw_only=True)
class Picture(ABC):
    """Drawing of rows, in panels side by side, or in two rows where they are many."""

    x: str
    y: str
    """Columns along the axes."""
    x_label: str
    y_label: str
    panel: str = ""
    """Column whose values tell panels apart."""
    panel_label: str = "{}"
    """Heading of a panel, with braces for the value."""
    where: Mapping[str, Value] = field(default_factory=dict)
    """Values that columns must have for a row to be drawn."""
    own_heights: bool = False
    """Whether each panel has a vertical scale of its own."""

    def save(self, path: Path, title: str, rows: Sequence[Row]) -> None:
        """Draw rows into a file, the same bytes for the same rows."""
        from matplotlib.figure import Figure as Canvas

        drawn = [row for row in rows if all(row[key] == self.where[key] for key in self.where)]
        panels = self._panels(drawn)
        width, height = _PANEL_INCHES
        lines = 1 if len(panels) <= _ABREAST else 2
        abreast = math.ceil(len(panels) / lines)
        canvas = Canvas(
            figsize=(max(_SINGLE_INCHES, width * abreast), height * lines + _LEGEND_INCHES),
            layout="constrained",
        )
        grid = canvas.subplots(
            lines, abreast, sharex=True, sharey=not self.own_heights, squeeze=False
        )
        axes = list(grid.flat)[: len(panels)]
        for spare in grid.flat[len(panels) :]:
            spare.remove()
        for place, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
            self._draw(axis, [row for row in drawn if row.get(self.panel) == panel], drawn)
            if place + abreast >= len(panels):
                axis.set_xlabel(self.x_label)
            if place % abreast == 0:
                axis.set_ylabel(self.y_label)
            if self.panel:
                axis.set_title(self.panel_label.format(panel), fontsize="medium")
        self._finish(canvas, axes)
        canvas.suptitle(title)
        canvas.savefig(path, dpi=_DOTS_PER_INCH, metadata={"Software": None})

    def _panels(self, drawn: Sequence[Row]) -> list[Value]:
        """Values that have a panel each: one of all rows, if there is no column of panels."""
        if not self.panel:
            return [None]
        return _distinct(row[self.panel] for row in drawn if row[self.y] is not None) or [None]

    @abstractmethod
    def _draw(self, axis: Axes, shown: Sequence[Row], drawn: Sequence[Row]) -> None:
        """Draw the rows of one panel; those of all panels are given for a common scale."""

    @abstractmethod
    def _finish(self, canvas: Canvas, axes: Sequence[Axes]) -> None:
        """Add what all panels share: limits, and what explains colours."""


@dataclass(frozen=True, kw_only=True)
class Lines(Picture):
    """Lines, one per series."""

    series: str
    """Column whose values tell lines apart."""
    series_label: str = ""
    """Meaning of these values, if they do not say so themselves."""
    scale: Literal["linear", "log", "symlog"] = "linear"
    """Scale of the vertical axis; "symlog" is logarithmic above 1 and shows 0."""
    across: Literal["linear", "log", "symlog"] = "linear"
    """Scale of the horizontal axis, likewise."""
    bound: float | None = None
    """Height of a thin line to compare with."""
    bound_label: str = ""
    note: str = ""
    """Column of what is written beside each point, such as the setting that tells it from others of
    its series.
    """
    spread: str | tuple[str, str] = ""
    """Column of what error bars go up and down by, or columns of where they begin and end."""
    joined: bool = True
    """Whether points are joined by lines; categories, which have no order, are not."""

    def _draw(self, axis: Axes, shown: Sequence[Row], drawn: Sequence[Row]) -> None:
        names = _distinct(row[self.series] for row in drawn)
        styles = zip(names, *map(itertools.cycle, (_COLOURS, _MARKERS, _DASHES)), strict=False)
        for name, colour, marker, dash in styles:
            held = [row for row in shown if row[self.series] == name and row[self.y] is not None]
            if held:
                self._draw_series(axis, held, str(name), colour, marker, dash)
        if self.bound is not None:
            axis.axhline(self.bound, color="#777777", linewidth=0.8, label=self.bound_label)
        # Stating the linear scale would undo what names are placed by.
        for scale, state in ((self.scale, axis.set_yscale), (self.across, axis.set_xscale)):
            if scale != "linear":
                state(scale, **({"linthresh": 1} if scale == "symlog" else {}))
        _tick(axis, [row[self.x] for row in drawn])
        axis.grid(color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)

    def _draw_series(
        self, axis: Axes, held: Sequence[Row], name: str, colour: str, marker: str, dash: str
    ) -> None:
        """Draw the line of one series, with its error bars and notes."""
        places, heights = zip(*((row[self.x], row[self.y]) for row in held), strict=True)
        axis.plot(
            places,
            heights,
            label=name,
            color=colour,
            marker=marker,
            linestyle=dash if self.joined else "none",
            markersize=6,
            fillstyle="none",
            clip_on=False,
            zorder=3,
        )
        if self.spread:
            spreads = self._spreads(held)
            axis.errorbar(places, heights, spreads, fmt="none", ecolor=colour, capsize=2)
        for row in held if self.note else ():
            axis.annotate(
                str(row[self.note] or ""),
                (row[self.x], row[self.y]),
                xytext=(7, 4),
                textcoords="offset points",
                fontsize="small",
                zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
            )

    def _spreads(self, held: Sequence[Row]) -> list[list[float]]:
        """Lengths of error bars down and up."""
        if isinstance(self.spread, str):
            return [[float(row[self.spread] or "nan") for row in held]] * 2
        ends = [[float(row[end] or "nan") for row in held] for end in self.spread]
        heights = [float(row[self.y] or "nan") for row in held]
        return [
            [abs(height - end) for height, end in zip(heights, listed, strict=True)]
            for listed in ends
        ]

    def _finish(self, canvas: Canvas, axes: Sequence[Axes]) -> None:
        for axis in axes:
            if self.scale == "log":
                _tick_logarithms(axis)
            else:
                # Names stand at whole numbers, the first one at 0.
                axis.set_ylim(bottom=-0.5 if axis.yaxis.have_units() else 0)
        entries: dict[str, Artist] = {}
        for axis in axes:
            handles, labels = axis.get_legend_handles_labels()
            entries |= dict(zip(labels, handles, strict=True))
        canvas.legend(
            list(entries.values()),
            list(entries),
            title=self.series_label or None,
            loc="outside lower center",
            ncols=3 if len(axes) > 1 else 2,
            fontsize="small",
        )


@dataclass(frozen=True, kw_only=True)
class Grid(Picture):
    """Figures of pairs of settings, as numbers on squares that are darker where they are larger."""

    value: str
    value_label: str
    """Meaning of the figures, with units."""

    def _draw(self, axis: Axes, shown: Sequence[Row], drawn: Sequence[Row]) -> None:
        columns = sorted(_distinct(float(row[self.x] or 0) for row in drawn))
        lines = sorted(_distinct(float(row[self.y] or 0) for row in drawn))
        held = {(row[self.x], row[self.y]): float(row[self.value] or 0) for row in shown}
        highest = max(float(row[self.value] or 0) for row in drawn)
        axis.imshow(
            [[held[column, line] for column in columns] for line in lines],
            cmap="cividis_r",
            vmin=0,
            vmax=highest,
            origin="lower",
            aspect="auto",
        )
        for place, row in itertools.product(range(len(columns)), range(len(lines))):
            figure = held[columns[place], lines[row]]
            axis.annotate(
                f"{figure:.2f}",
                (place, row),
                ha="center",
                va="center",
                fontsize="small",
                color="white" if figure > highest / 2 else "black",
            )
        axis.set_xticks(range(len(columns)), [f"{column:g}" for column in columns])
        axis.set_yticks(range(len(lines)), [f"{line:g}" for line in lines])

    def _finish(self, canvas: Canvas, axes: Sequence[Axes]) -> None:
        canvas.colorbar(axes[0].get_images()[0], ax=list(axes), label=self.value_label)


def _tick(axis: Axes, values: Sequence[Value]) -> None:
    """Write all numbers along the horizontal axis where they are few."""
    numbers = sorted({value for value in values if isinstance(value, int | float)})
    if 0 < len(numbers) <= _TICKS:
        axis.set_xticks(numbers, [f"{number:,.6g}" for number in numbers])
        axis.set_xticks([], minor=True)


def _tick_logarithms(axis: Axes) -> None:
    """Write numbers along a logarithmic vertical axis as one reads them."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_ylim()
    if not _PLAIN[0] <= low < high <= _PLAIN[1]:
        return
    fine = math.log10(high / low) <= _FINE
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if fine else (1.0,)))
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())


_Item = TypeVar("_Item")


def _distinct(items: Iterable[_Item]) -> list[_Item]:
    """Distinct items in order of appearance."""
    return list(dict.fromkeys(items))
