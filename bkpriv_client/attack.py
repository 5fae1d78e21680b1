"""``bkpriv attack``: what a reader finds out of a release, as a table and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.text import Text

from bkpriv_client.believed import Belief, draw_beliefs
from bkpriv_client.files import written_whole
from bkpriv_client.notices import heard, repeat
from bkpriv_client.options import Uri, assigned
from bkpriv_client.picture import check_plot
from bkpriv_client.server import connect, watched
from bkpriv_client.terminal import make_console, make_table, step

__all__ = ["attack"]

_ATTACK = "SELECT metric, value, sensitive FROM bkpriv.attack(%s, %s, %s)"

_EXPLAIN = (
    "SELECT qi, sensitive, baseline, believed, records, correct, breached "
    "FROM bkpriv.explain_attack(%s, %s, %s)"
)

_LIMITS = {"sure": 0.9, "unsure": 0.5}
"""Limits that are meant if nothing is said."""

Figures = dict[str | None, dict[str, float]]
"""Figures by column and name; those about no column under None."""


def attack(
    release: Annotated[int, typer.Argument(metavar="RELEASE", help="Number of the release.")],
    uri: Uri = "",
    attacker: Annotated[
        str,
        typer.Option(help="Reader who is played: majority, learner, informed or without_groups."),
    ] = "learner",
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Option of attack, such as model=bayes; may be repeated."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=0, help="Kinds of people that are shown, the most damaging first.")
    ] = 10,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="PNG, SVG or PDF to draw: beliefs with and without the release."
        ),
    ] = None,
) -> None:
    """Play a reader who attacks a release, and show what they find out about whom.

    Beside each figure stands what a classifier finds that was trained on all other people, without
    the release: what is true of a population is no breach. Figures are measured on this release,
    and no guarantee; another reader may find out more. What is shown are people's values.
    """
    console = make_console()
    options = assigned(option or [], "--option")
    check_plot(plot)
    call = [release, attacker, Jsonb(options)]
    with (
        connect(uri) as connection,
        heard(connection) as notices,
        step(console, f"Attacking release {release} as {attacker}") as advance,
        watched(connection, uri, advance),
    ):
        found: Figures = {None: {}}
        for metric, value, column in connection.execute(_ATTACK, call).fetchall():
            found.setdefault(column, {})[metric] = value
        told = connection.execute(_EXPLAIN, call).fetchall() if limit or plot else []
    limits = {**_LIMITS, **{name: options[name] for name in _LIMITS if name in options}}
    _show(console, found, limits)
    _show_people(console, told[:limit])
    repeat(console, notices)
    if plot is not None:
        beliefs = [Belief(*figures) for _, _, *figures in told]
        # Who may read it learns nobody's value, but how many are found out.
        with written_whole(plot) as file:
            kind = plot.suffix.lower().removeprefix(".")
            title = f"Release {release}, attacked by {attacker}"
            draw_beliefs(file, kind, title, beliefs, **limits)
        console.print(f"\nDrawn: {plot}")


def _show(console: Console, found: Figures, limits: Mapping[str, float]) -> None:
    """Print figures, and those of the baseline beside them."""
    people = found[None].pop("people")
    seconds = found[None].pop("seconds")
    numbers = ("with the release", "without")
    for column, figures in found.items():
        if column is None:
            continue
        sure, unsure = f"{limits['sure']:.0%}", f"{limits['unsure']:.0%}"
        table = make_table(column, *numbers, numbers=numbers)
        before = f"{figures['baseline_accuracy']:.1%}"
        table.add_row("people who are guessed right", f"{figures['accuracy']:.1%}", before)
        before = f"{figures['baseline_log_loss']:.3f}"
        table.add_row("log loss (nats)", f"{figures['log_loss']:.3f}", before)
        table.add_row(f"claims, of which it is more than {sure} sure", f"{figures['claimed']:,.0f}")
        right = figures["claimed_right"]
        share = f" ({right / figures['claimed']:.1%})" if figures["claimed"] else ""
        table.add_row("claims that are right", f"{right:,.0f}{share}")
        words = f"people breached: right, and below {unsure} without the release"
        table.add_row(Text(words, style="bold"), f"{figures['breached']:,.0f}")
        table.add_row("farthest that a belief moved (bits)", f"{figures['worst']:.3f}")
        if "over_t" in figures:
            table.add_row("people above t of the policy", f"{figures['over_t']:,.0f}")
        console.print(table)
    for name, value in found[None].items():
        console.print(f"{name.replace('_', ' ')}: {value:g}")
    console.print(f"{people:,.0f} people, {seconds:.1f} s. Measured; no guarantee.")


def _show_people(console: Console, told: list[tuple[Any, ...]]) -> None:
    """Print the kinds of people of whom most is found out."""
    if not told:
        return
    numbers = ("without", "with", "people", "right", "breached")
    table = make_table("kind", "believed", *numbers, numbers=numbers)
    for qi, value, before, after, *counts in told:
        kind = ", ".join(f"{name} {_plain(each)}" for name, each in qi.items())
        cells = [kind, "NULL" if value is None else value, f"{before:.1%}", f"{after:.1%}"]
        table.add_row(*map(Text, [*cells, *(f"{count:,}" for count in counts)]))
    console.print("\nThe most damaging:")
    console.print(table)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
