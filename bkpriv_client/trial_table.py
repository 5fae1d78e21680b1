"""Table of the policies that were tried: at most `ROWS`, and above it what all have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from bkpriv_client.terminal import make_table
from bkpriv_client.tried import Setting, front, told_apart

__all__ = ["show_trials"]

ROWS = 8
"""Largest number of rows, unless all are asked for."""

_SHOWN = {
    "gcp": "lost",
    "left_out": "left out",
    "query_error": "query error",
    "sure": "sure",
    "change": "10 % may be",
    "groups": "groups",
    "seconds": "s",
}
"""Figures of the table, and its headings."""

_COUNTS = ("groups", "sure")


def show_trials(
    console: Console, settings: Sequence[Setting], chosen: Setting | None, *, whole: bool = False
) -> None:
    """Print a table of policies.

    Args:
        whole: Whether all of them are shown.
    """
    differing, shared = told_apart(settings)
    said = [f"{name} {value}" for name, value in shared.items()]
    if any(item.weak for item in settings):
        said.append("belief_breach of the reader who knows only how common each value is")
    if said:
        console.print("All but k alone: " + "; ".join(said))
    best = front(settings)
    rows = list(settings) if whole else _most_telling(settings, chosen, best)
    shown = list(_SHOWN.values())
    table = make_table("", "bandwidth", *differing, *shown, "", numbers=("", *differing, *shown))
    for item in rows:
        mark = Text("●" if item in best else "", style="green")
        if item is chosen:
            mark = Text("★", style="bold green")
        table.add_row(*map(Text, _row(item, differing)), mark)
    console.print(table)
    if len(rows) < len(settings):
        console.print(f"{len(rows)} of {len(settings)} policies are shown; --all shows all.")
    if certified := [str(item.place) for item in settings if item.certified]:
        console.print(
            f"Policies {', '.join(certified)} are certified: publish gives these figures. The "
            "others are estimated."
        )


def _row(item: Setting, differing: Sequence[str]) -> list[str]:
    """Cells of a policy, but for its mark."""
    values = [_written(item, figure) for figure in _SHOWN]
    if item.refused:
        values = ["not met", *[""] * (len(_SHOWN) - 1)]
    named = "k alone" if item.plain else item.adversaries or "none"
    return [str(item.place), named, *(item.parameters.get(name, "") for name in differing), *values]


def _most_telling(
    settings: Sequence[Setting], chosen: Setting | None, best: Sequence[Setting]
) -> list[Setting]:
    """Policies that are shown first, in their order: k alone and the recommended one above all."""

    def rank(item: Setting) -> tuple[bool, ...]:
        same = chosen is None or item.knowledge == chosen.knowledge
        return (item is not chosen, not item.plain, item.refused, not same, item not in best)

    first = sorted(settings, key=rank)[:ROWS]
    return [item for item in settings if item in first]


def _written(item: Setting, figure: str) -> str:
    if figure == "change":
        known = item.figures.get("largest_disclosure") is not None
        return f"{math.floor(100 * item.change + 1e-9)}%" if known else ""
    value = item.left_out if figure == "left_out" else item.figures.get(figure)
    if value is None:
        return ""
    if figure in _COUNTS:
        return f"{value:,.0f}"
    return f"{value:.1f}" if figure == "seconds" else f"{value:.1%}"
