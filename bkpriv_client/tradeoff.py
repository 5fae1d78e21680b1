"""Plot of what settings disclose against the detail that they lose.

Rules
-----
- Only settings of the same adversaries are compared: each of these has a colour, a marker, a dash
  and a *front*, the settings than which no other loses less and discloses less. They are filled,
  and joined; the others are hollow. No two are told apart by colour only.
- k-anonymity alone is a line across: whatever lies to the right of it is the price of the rest.
- A point is labelled by what else tells its setting from others; of several that disclose alike
  and have the same label, the one that loses most; of several at one place, the first. A label that
  would cover a point or another label moves, and is left out where no place is free.
- Series are drawn one over the other, with ever smaller markers, so that none is hidden.
- Detail is measured by GCP; where a method shows values as they are, by the error of queries.
- Axes begin at 0, so that what is small looks small.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from bkpriv_client.tried import Setting, front, losses, told_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

__all__ = ["draw"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
"""Okabe's and Ito's colours, which all eyes tell apart, and what tells series apart in print."""

_LABELS = {
    "gcp": "detail lost (GCP)",
    "query_error": "median error of queries",
    "worst_disclosure": "worst disclosure (bits)",
    "mean_disclosure": "mean disclosure (bits)",
    "suppressed_share": "share left out",
    "sure": "people of whom a reader becomes sure",
}

_SHARES = ("gcp", "query_error", "suppressed_share")

_ALIKE = 40
"""Points of the same label are labelled once within this part of a plot's height."""

_MARKER = (9.5, 1.2, 4.5)
"""Size of the first series' markers, how much smaller each is than the last, and the least."""

_PANELS = 3
"""Panels beside the plot."""

_WORST = "worst_disclosure"

_FINE = 0.05
"""Largest share of an axis whose ticks have a decimal."""

_POINT = 4
"""Half of a point's height, in points, as far as a label must not cover it."""

_NONE = 1e-9
"""Figure that is nothing, but for rounding."""

_PLACES = ((7, 5), (7, -11), (-7, 5), (-7, -11), (0, 9), (0, -16), (12, -3), (-12, -3))
"""Offsets at which a label is tried, in points."""


def draw(
    file: IO[bytes],
    kind: str,
    title: str,
    settings: Sequence[Setting],
    chosen: Setting | None = None,
) -> bool:
    """Draw the settings that are not refused; return whether there was one to draw."""
    tried = [item for item in settings if item.figures.get(_WORST) not in (None, float("inf"))]
    if not tried:
        return False
    from matplotlib.figure import Figure as Canvas  # slow to import

    alone = [item for item in settings if item.plain and not item.refused]
    lost = losses(tried)
    metrics = _beside(tried, lost)
    canvas = Canvas(figsize=(11.5, 7), layout="constrained")
    grid = canvas.add_gridspec(len(metrics), 2, width_ratios=(2, 1))
    main = canvas.add_subplot(grid[:, 0])
    panels = [canvas.add_subplot(grid[row, 1], sharex=main) for row in range(len(metrics))]
    axes = dict(zip((_WORST, *metrics), (main, *panels), strict=True))
    series = dict.fromkeys(item.adversaries for item in tried)
    cycled = map(itertools.cycle, (_COLOURS, _MARKERS, _DASHES))
    styles = enumerate(zip(series, *cycled, strict=False))
    best = front(tried)
    largest, less, least = _MARKER
    for place, (name, colour, marker, dash) in styles:
        style = {"color": colour, "marker": marker, "linestyle": dash}
        size = max(largest - less * place, least)
        _draw_series(axes, lost, tried, best, name, markersize=size, **style)
    _draw_alone(axes, lost, alone)
    for metric, axis in axes.items():
        _finish(axis, lost, metric)
    for axis in panels[:-1]:
        axis.tick_params(labelbottom=False)
    panels[-1].set_xlabel(_LABELS[lost])
    main.set_xlabel(_LABELS[lost])
    main.set_ylabel(_LABELS[_WORST])
    if chosen in tried:
        _point_out(main, chosen, lost)
    canvas.legend(title="readers, by bandwidth", loc="outside lower center", ncols=4)
    refused = sum(item.refused for item in settings)
    met = f", {refused} of {len(settings)} policies cannot be met" if refused else ""
    canvas.suptitle(f"{title}: what policies disclose, and what they lose{met}")
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    _label(canvas, main, tried, lost)
    canvas.savefig(file, format=kind, dpi=130)
    return True


def _beside(tried: Sequence[Setting], lost: str) -> list[str]:
    """Metrics of the panels: first those that tell most, if there is anything to tell."""
    told = ["sure", "query_error", "suppressed_share", "mean_disclosure"]
    return [
        metric
        for metric in told
        if metric != lost
        and (metric != "suppressed_share" or any(item.figures.get(metric) for item in tried))
        and any(item.figures.get(metric) is not None for item in tried)
    ][:_PANELS]


def _draw_series(
    axes: Mapping[str, Axes],
    lost: str,
    tried: Sequence[Setting],
    best: Sequence[Setting],
    name: str,
    **style: Any,
) -> None:
    """Draw the settings of one adversary by each metric, and a line through those of the front."""
    own = [item for item in tried if item.adversaries == name]
    line = [item for item in best if item.adversaries == name]
    dash = style.pop("linestyle")
    for metric, axis in axes.items():
        for filled in (False, True):
            some = [item for item in own if (item in line) is filled]
            _scatter(axis, some, (lost, metric), fillstyle="full" if filled else "none", **style)
    axes[_WORST].plot(
        [item.figures[lost] or 0.0 for item in line],
        [item.figures[_WORST] or 0.0 for item in line],
        linewidth=1.2,
        linestyle=dash,
        label=name,
        **style,
    )


def _scatter(axis: Axes, items: Sequence[Setting], metrics: tuple[str, str], **style: Any) -> None:
    points = [[item.figures.get(metric) for metric in metrics] for item in items]
    points = [point for point in points if None not in point]
    if points:
        axis.plot(*zip(*points, strict=True), linestyle="none", clip_on=False, zorder=3, **style)


def _draw_alone(axes: Mapping[str, Axes], lost: str, alone: Sequence[Setting]) -> None:
    """Draw k-anonymity alone: a line across at what it loses, and its figures in the panels."""
    for item, dash in zip(alone, itertools.cycle(_DASHES[3:0:-1]), strict=False):
        x = item.figures.get(lost)
        if x is None:
            continue
        for metric, axis in axes.items():
            axis.axvline(x, color="#666666", linestyle=dash, linewidth=1.2, zorder=1)
            _scatter(axis, [item], (lost, metric), marker="*", color="#666666", markersize=9)
        k = item.parameters.get("k", "")
        axes[_WORST].plot(
            [],
            [],
            color="#666666",
            linestyle=dash,
            marker="*",
            markersize=9,
            label=f"k = {k} alone",
        )


def _point_out(axis: Axes, chosen: Setting, lost: str) -> None:
    axis.plot(
        [chosen.figures[lost] or 0.0],
        [chosen.figures[_WORST] or 0.0],
        marker="o",
        markersize=17,
        fillstyle="none",
        markeredgewidth=1.6,
        color="#000000",
        linestyle="none",
        label="recommended",
    )


def _label(canvas: Figure, axis: Axes, tried: Sequence[Setting], lost: str) -> None:
    """Label points where there is room; see the module."""
    from matplotlib.transforms import Bbox

    scale = canvas.dpi / 72
    half = _POINT * scale
    ends = {
        item.place: axis.transData.transform((item.figures[lost] or 0.0, item.figures[_WORST] or 0))
        for item in tried
    }
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in ends.values()]
    for item, words in _named(tried, ends, lost, half):
        others = [box for box in taken if not box.contains(*ends[item.place])]
        for place in _PLACES:
            text = _annotate(axis, words, item, lost, place)
            box = text.get_window_extent().padded(half / 2)
            if _free(box, others, axis.bbox):
                taken.append(box)
                break
            text.remove()


def _named(
    tried: Sequence[Setting], ends: Mapping[int, Any], lost: str, half: float
) -> list[tuple[Setting, str]]:
    """Points that are to have a label, those of the largest loss first, and the labels."""
    differing, _ = told_apart(tried)
    highest = max(item.figures[_WORST] or 0.0 for item in tried) or 1.0
    found: list[tuple[Setting, str]] = []
    for item in sorted(tried, key=lambda item: -(item.figures[lost] or 0.0)):
        parameters, y = item.parameters, item.figures[_WORST] or 0.0
        words = ", ".join(f"{name} {parameters[name]}" for name in differing if name in parameters)
        said = any(
            (words == label and abs(y - (other.figures[_WORST] or 0.0)) * _ALIKE < highest)
            or abs(ends[item.place] - ends[other.place]).max() < half
            for other, label in found
        )
        if words and not said:
            found.append((item, words))
    return found


def _annotate(axis: Axes, words: str, item: Setting, lost: str, place: tuple[int, int]) -> Any:
    side = "center" if not place[0] else "left" if place[0] > 0 else "right"
    return axis.annotate(
        words,
        (item.figures[lost] or 0.0, item.figures[_WORST] or 0.0),
        xytext=place,
        textcoords="offset points",
        ha=side,
        fontsize="small",
        color="#222222",
    )


def _free(box: Bbox, taken: Sequence[Bbox], within: Bbox) -> bool:
    """Whether a label lies within the plot and upon nothing."""
    inside = (
        within.x0 <= box.x0 and box.x1 <= within.x1 and within.y0 <= box.y0 and box.y1 <= within.y1
    )
    return inside and not any(box.overlaps(other) for other in taken)


def _finish(axis: Axes, x: str, y: str) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    right, top = (most if most > _NONE else 1.0 for most in (axis.dataLim.x1, axis.dataLim.y1))
    axis.set_xlim(left=0, right=right * 1.08)
    axis.set_ylim(bottom=0, top=top * 1.08)
    for metric, most, line in ((x, right, axis.xaxis), (y, top, axis.yaxis)):
        if metric in _SHARES:
            line.set_major_formatter(PercentFormatter(1, decimals=0 if most > _FINE else 1))
    axis.yaxis.set_major_locator(
        MaxNLocator(8 if y == _WORST else 4, steps=[1, 2, 5, 10], integer=y == "sure")
    )
    if y != _WORST:
        axis.set_title(_LABELS[y], fontsize="medium")
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
