"""Plot of what policies let readers learn against the detail that they lose.

Rules
-----
- Across is the detail lost, by GCP, or the error of queries where a method shows values as they
  are; upwards what a belief of 10 % may become, which is the largest
  disclosure to any of the readers in per cent.
- k-anonymity alone is a line across: whatever lies to the right of it is the price of the rest.
- Policies with the same readers are a series, with a colour, a marker and a dash, joined in the
  order of their loss. No two are distinguished by colour only.
- A point is labelled by what distinguishes its policy from others; of several at one place, the
  first. A label that would cover a point or another label moves, and is left out where no place is
  free.
- Series are drawn one over the other, with ever smaller markers, so that none is hidden.
- A certified policy is filled, the others, which are estimates, are hollow.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from bkpriv_client.tried import Setting, losses, told_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

__all__ = ["draw"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = ("o", "s", "^", "v", "P", "X")
_DASHES: tuple[Any, ...] = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)))
"""Okabe's and Ito's colours, which all eyes distinguish, and what distinguishes series in print."""

_LIGHT = {"ground": "#ffffff", "ink": "#111111", "grid": "#dddddd", "alone": "#666666"}
_DARK = {"ground": "#14171a", "ink": "#eeeeee", "grid": "#3a3f45", "alone": "#aaaaaa"}
_BRIGHT = dict(zip(_COLOURS, ("#4aa8e0", "#ff8a4c", "#2fc79b", "#e6a5c8"), strict=False))
"""Lighter colours in place of those that a dark ground swallows."""

_LABELS = {"gcp": "detail lost (GCP)", "query_error": "median error of queries"}

_CHANGE = "what a belief of 10 % may become"

_MARKER = (9.5, 1.2, 4.5)
"""Size of the first series' markers, how much smaller each is than the last, and the least."""

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
    *,
    dark: bool = False,
) -> bool:
    """Draw the policies that are not refused; return whether there was one to draw."""
    lost = losses(settings)
    able = [item for item in settings if item.figures.get(lost) is not None]
    tried = [
        item
        for item in able
        if not item.plain and item.figures.get("largest_disclosure") is not None
    ]
    if not tried:
        return False
    from matplotlib.figure import Figure as Canvas  # slow to import

    theme = _DARK if dark else _LIGHT
    canvas = Canvas(figsize=(8.5, 5.5), layout="constrained", facecolor=theme["ground"])
    axis = canvas.add_subplot()
    _draw_readers(axis, lost, tried, dark=dark)
    _draw_alone(axis, lost, [item for item in able if item.plain], theme["alone"])
    if chosen in tried:
        axis.plot(
            *_point(chosen, lost),
            marker="o",
            markersize=17,
            fillstyle="none",
            markeredgewidth=1.6,
            color=theme["ink"],
            linestyle="none",
            label="recommended, certified",
        )
    _finish(axis, lost, theme)
    legend = canvas.legend(title="readers, by bandwidth", loc="outside lower center", ncols=4)
    legend.get_frame().set_facecolor(theme["ground"])
    said = f"{title}: what policies disclose and lose{_refused(settings)}"
    canvas.suptitle(said, color=theme["ink"])
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_color(theme["ink"])
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    _label(canvas, axis, tried, lost, ink=theme["ink"])
    canvas.savefig(file, format=kind, dpi=130)
    return True


def _draw_readers(axis: Any, lost: str, tried: Sequence[Setting], *, dark: bool) -> None:
    """Draw the policies of the same readers alike."""
    series = dict.fromkeys(item.adversaries for item in tried)
    cycled = map(itertools.cycle, (_COLOURS, _MARKERS, _DASHES))
    largest, less, least = _MARKER
    for place, (name, colour, marker, dash) in enumerate(zip(series, *cycled, strict=False)):
        style = {"color": _BRIGHT.get(colour, colour) if dark else colour, "marker": marker}
        size = max(largest - less * place, least)
        own = [item for item in tried if item.adversaries == name]
        _draw_series(axis, lost, own, name, linestyle=dash, markersize=size, **style)


def _refused(settings: Sequence[Setting]) -> str:
    """Words about the policies that cannot be met, if there are any."""
    refused = sum(item.refused for item in settings)
    return f", {refused} of {len(settings)} policies cannot be met" if refused else ""


def _point(item: Setting, lost: str) -> tuple[list[float], list[float]]:
    return [item.figures[lost] or 0.0], [item.change]


def _draw_series(axis: Axes, lost: str, own: Sequence[Setting], name: str, **style: Any) -> None:
    """Draw the policies of the same readers, and a line through them."""
    line = sorted((item.figures[lost] or 0.0, item.change) for item in own)
    marker, size = style.pop("marker"), style.pop("markersize")
    axis.plot(*zip(*line, strict=True), linewidth=1.2, **style)
    style["linestyle"] = "none"
    for item in own:
        fill = "full" if item.certified else "none"
        point = _point(item, lost)
        axis.plot(*point, marker=marker, markersize=size, fillstyle=fill, clip_on=False, **style)
    axis.plot([], [], marker=marker, markersize=size, label=name or "none", **style)


def _draw_alone(axis: Axes, lost: str, alone: Sequence[Setting], colour: str) -> None:
    """Draw k-anonymity alone: a line across at what it loses, and what it lets be learnt."""
    for item, dash in zip(alone, itertools.cycle((":", "-.", "--")), strict=False):
        style: dict[str, Any] = {"color": colour, "linestyle": dash, "marker": "*", "markersize": 9}
        axis.axvline(item.figures[lost] or 0.0, color=colour, linestyle=dash, linewidth=1.2)
        axis.plot(*_point(item, lost), **{**style, "linestyle": "none"})
        axis.plot([], [], label=f"k = {item.parameters.get('k', '')} alone", **style)


def _label(canvas: Figure, axis: Axes, tried: Sequence[Setting], lost: str, ink: str) -> None:
    """Label points where there is room; see the module."""
    from matplotlib.transforms import Bbox

    scale = canvas.dpi / 72
    half = _POINT * scale
    ends = {
        item.place: axis.transData.transform((item.figures[lost] or 0.0, item.change))
        for item in tried
    }
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in ends.values()]
    for item, words in _named(tried, ends, half):
        others = [box for box in taken if not box.contains(*ends[item.place])]
        for place in _PLACES:
            text = _annotate(axis, words, item, lost, place, ink)
            box = text.get_window_extent().padded(half / 2)
            if _free(box, others, axis.bbox):
                taken.append(box)
                break
            text.remove()


def _named(
    tried: Sequence[Setting], ends: Mapping[int, Any], half: float
) -> list[tuple[Setting, str]]:
    """Points that are to have a label, the first of those at one place, and the labels."""
    differing, _ = told_apart(tried)
    found: list[tuple[Setting, str]] = []
    for item in tried:
        parameters = item.parameters
        words = ", ".join(f"{name} {parameters[name]}" for name in differing if name in parameters)
        hidden = any(abs(ends[item.place] - ends[other.place]).max() < half for other, _ in found)
        if words and not hidden:
            found.append((item, words))
    return found


def _annotate(
    axis: Axes, words: str, item: Setting, lost: str, place: tuple[int, int], ink: str
) -> Any:
    side = "center" if not place[0] else "left" if place[0] > 0 else "right"
    return axis.annotate(
        words,
        (item.figures[lost] or 0.0, item.change),
        xytext=place,
        textcoords="offset points",
        ha=side,
        fontsize="small",
        color=ink,
    )


def _free(box: Bbox, taken: Sequence[Bbox], within: Bbox) -> bool:
    """Whether a label lies within the plot and upon nothing."""
    inside = (
        within.x0 <= box.x0 and box.x1 <= within.x1 and within.y0 <= box.y0 and box.y1 <= within.y1
    )
    return inside and not any(box.overlaps(other) for other in taken)


def _finish(axis: Axes, lost: str, theme: Mapping[str, str]) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    right = axis.dataLim.x1 if axis.dataLim.x1 > _NONE else 1.0
    axis.set_xlim(left=0, right=right * 1.08)
    axis.set_ylim(bottom=0, top=1.02)
    axis.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axis.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axis.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    axis.set_xlabel(_LABELS[lost], color=theme["ink"])
    axis.set_ylabel(_CHANGE, color=theme["ink"])
    axis.set_facecolor(theme["ground"])
    axis.tick_params(colors=theme["ink"])
    axis.grid(color=theme["grid"], linewidth=0.6)
    axis.set_axisbelow(True)
    for side, spine in axis.spines.items():
        spine.set_visible(side not in ("top", "right"))
        spine.set_color(theme["ink"])
