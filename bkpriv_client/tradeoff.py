"""Plot of what settings disclose against the detail that they lose.

Rules
-----
- Only settings of the same adversaries are compared: each of these has a colour, a marker and a
  *front*, the settings than which no other loses less and discloses less. They are filled, and
  joined; the others are hollow.
- A point is labelled by what else tells its setting from others; of several that disclose alike
  and have the same label, the one that loses most.
- Detail is measured by GCP; where a method shows values as they are, by the error of queries.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Setting", "draw", "front", "losses", "told_apart"]

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_ALIKE = 40
"""Points of the same label are labelled once within this part of a plot's height."""

_LABELS = {
    "gcp": "detail lost (GCP; 0 loses nothing)",
    "query_error": "median relative error of queries",
    "worst_disclosure": "worst disclosure (bits)",
    "mean_disclosure": "mean disclosure (bits)",
    "suppressed_share": "share left out",
}


@dataclass(frozen=True)
class Setting:
    """One policy that was tried.

    Parameters
    ----------
    place : int
        Place of the setting in the list.
    figures : mapping of str to float or None
        Figures by metric.
    """

    place: int
    policy: Mapping[str, Any]
    figures: Mapping[str, float | None]

    @property
    def refused(self) -> bool:
        """Whether nothing can be published under it."""
        return "refused" in self.figures

    @property
    def adversaries(self) -> str:
        """Knowledge of the adversaries of the policy, as text."""
        stated = self.policy.get("bt_privacy", [])
        skyline = stated if isinstance(stated, list) else [stated]
        return ", ".join(_written(item.get("bandwidth")) for item in skyline)

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters that the policy states besides, by short names."""
        found: dict[str, str] = {}
        for key, stated in self.policy.items():
            for item in stated if isinstance(stated, list) else [stated]:
                named = item if isinstance(item, Mapping) else {"": item}
                for name, value in named.items():
                    if (key, name) != ("bt_privacy", "bandwidth"):
                        short = name if len(name) == 1 else f"{key} {name}".strip()
                        found[short] = ", ".join(filter(None, (found.get(short), _written(value))))
        return found


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def told_apart(settings: Sequence[Setting]) -> tuple[list[str], dict[str, str]]:
    """Tell which parameters differ between settings, and what the others are."""
    stated = [setting.parameters for setting in settings]
    names = dict.fromkeys(name for parameters in stated for name in parameters)
    values = {name: {parameters.get(name, "") for parameters in stated} for name in names}
    differing = [name for name in names if len(values[name]) > 1]
    return differing, {name: stated[0][name] for name in names if name not in differing}


def losses(settings: Sequence[Setting]) -> str:
    """The metric of what is lost: GCP, if any setting has some."""
    return "gcp" if any(setting.figures.get("gcp") for setting in settings) else "query_error"


def front(settings: Sequence[Setting]) -> list[Setting]:
    """Settings of each adversary than which none of the same loses and discloses less.

    Returns
    -------
    list of Setting
        Settings of the front, by rising loss.
    """
    lost = losses(settings)
    points = [
        (setting.adversaries, x, y, setting)
        for setting in settings
        if (x := setting.figures.get(lost)) is not None
        and (y := setting.figures.get("worst_disclosure")) is not None
    ]
    kept = [
        (x, y, setting.place, setting)
        for against, x, y, setting in points
        if not any(
            other == against and u <= x and v <= y and (u, v) != (x, y) for other, u, v, _ in points
        )
    ]
    return [setting for *_, setting in sorted(kept, key=lambda point: point[:3])]


def draw(path: Path, title: str, settings: Sequence[Setting]) -> bool:
    """Draw the settings that are not refused into a file; return whether there was one to draw."""
    tried = [
        item
        for item in settings
        if item.figures.get("worst_disclosure") not in (None, float("inf"))
    ]
    if not tried:
        return False
    from matplotlib.figure import Figure as Canvas  # slow to import

    lost, best = losses(tried), front(tried)
    differing, _ = told_apart(tried)
    beside = [
        name for name in ("mean_disclosure", "query_error", "suppressed_share") if name != lost
    ]
    canvas = Canvas(figsize=(11.5, 6.6), layout="constrained")
    grid = canvas.add_gridspec(len(beside), 2, width_ratios=(2.4, 1))
    main = canvas.add_subplot(grid[:, 0])
    panels = [canvas.add_subplot(grid[row, 1], sharex=main) for row in range(len(beside))]
    axes = dict(zip(("worst_disclosure", *beside), (main, *panels), strict=True))
    series = dict.fromkeys(item.adversaries for item in tried)
    styles = zip(series, itertools.cycle(_COLOURS), itertools.cycle(_MARKERS), strict=False)
    for name, colour, marker in styles:
        _draw_series(axes, lost, tried, best, name, color=colour, marker=marker)
    _label(main, tried, differing, lost)
    _finish(main, lost, "worst_disclosure")
    main.set_ylabel(_LABELS["worst_disclosure"])
    for axis, metric in zip(panels, beside, strict=True):
        _finish(axis, lost, metric)
        axis.set_title(_LABELS[metric], fontsize="small")
    canvas.legend(title="bandwidth", loc="outside lower center", ncols=6, fontsize="small")
    refused = sum(item.refused for item in settings)
    canvas.suptitle(title + (f" ({refused} of {len(settings)} refused)" if refused else ""))
    canvas.savefig(path, dpi=130)
    return True


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
    for metric, axis in axes.items():
        for filled in (False, True):
            some = [item for item in own if (item in line) is filled]
            _scatter(axis, some, (lost, metric), fillstyle="full" if filled else "none", **style)
    axes["worst_disclosure"].plot(
        [item.figures[lost] or 0.0 for item in line],
        [item.figures["worst_disclosure"] or 0.0 for item in line],
        linewidth=0.9,
        label=name,
        **style,
    )


def _scatter(axis: Axes, items: Sequence[Setting], metrics: tuple[str, str], **style: Any) -> None:
    points = [[item.figures.get(metric) for metric in metrics] for item in items]
    points = [point for point in points if None not in point]
    if points:
        axis.plot(*zip(*points, strict=True), linestyle="none", clip_on=False, zorder=3, **style)


def _label(axis: Axes, tried: Sequence[Setting], differing: Sequence[str], lost: str) -> None:
    """Label points; see the module."""
    highest = max(item.figures["worst_disclosure"] or 0.0 for item in tried) or 1.0
    labelled: list[tuple[str, tuple[float, float]]] = []
    for item in sorted(tried, key=lambda item: -(item.figures[lost] or 0.0)):
        parameters = item.parameters
        label = ", ".join(f"{name} {parameters[name]}" for name in differing if name in parameters)
        x, y = item.figures[lost] or 0.0, item.figures["worst_disclosure"] or 0.0
        if not any(label == other and abs(y - v) * _ALIKE < highest for other, (_, v) in labelled):
            labelled.append((label, (x, y)))
    for label, point in labelled:
        axis.annotate(
            label,
            point,
            xytext=(7, 4),
            textcoords="offset points",
            fontsize="small",
            color="#333333",
        )


def _finish(axis: Axes, x: str, y: str) -> None:
    axis.set_xlabel(_LABELS[x], fontsize="small" if y != "worst_disclosure" else None)
    axis.margins(x=0.07)
    axis.set_ylim(bottom=0)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
