"""``bkpriv explore``: what a table would cost and disclose under many policies, and one plot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg.errors import Diagnostic
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.text import Text

from bkpriv_client.failure import ClientError
from bkpriv_client.options import Uri
from bkpriv_client.server import connect, watched
from bkpriv_client.terminal import make_console, make_table, step
from bkpriv_client.tradeoff import Setting, draw, front, told_apart

__all__ = ["explore"]

_SHOWN = {
    "gcp": "lost",
    "suppressed_share": "left out",
    "query_error": "query error",
    "worst_disclosure": "worst",
    "mean_disclosure": "mean",
    "exact_share": "exact",
    "groups": "groups",
    "seconds": "s",
}
"""Metrics of the table, and its headings."""

_EXPLORE = "SELECT place, policy, metric, value FROM bkpriv.explore(%s, %s, %s, %s, %s)"


def explore(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="Name of the dataset.")],
    uri: Uri = "",
    bandwidth: Annotated[
        str,
        typer.Option(metavar="B,...", help="Bandwidths of adversaries, each by itself: 0.2,0.5."),
    ] = "",
    t: Annotated[
        str, typer.Option("--t", metavar="T,...", help="How far beliefs may move, such as 0.1,0.2.")
    ] = "",
    k: Annotated[
        str, typer.Option("--k", metavar="K,...", help="Least sizes of groups, such as 5,10.")
    ] = "",
    l: Annotated[  # noqa: E741
        str,
        typer.Option("--l", metavar="L,...", help="Least numbers of different values in a group."),
    ] = "",
    beside: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="JSON",
            help='Requirements that all policies state, such as {"t_closeness": {"t": 0.2}}.',
        ),
    ] = "{}",
    policies: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Policies as JSON, in place of the lists: an array of them, or a grid.",
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="Method of publication, as of publish.")] = "mondrian",
    options: Annotated[str, typer.Option(metavar="JSON", help="Options, as of publish.")] = "{}",
    period: Annotated[
        str | None, typer.Option(help="Period, of a dataset that has periods.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="PNG, SVG or PDF to draw: disclosure against the detail lost."
        ),
    ] = None,
) -> None:
    """Try many policies on a dataset, publish none, and show what each costs and discloses.

    Policies are every combination of the bandwidths, t, k and l that are given, or those of a file.
    Marked in the table are those than which no other with the same adversaries loses less detail
    and discloses less.
    """
    console = make_console()
    lists = {"bandwidth": bandwidth, "t": t, "k": k, "l": l}
    axes = {name: _json(f"[{text}]", f"--{name}") for name, text in lists.items() if text}
    if (policies is None) == (not axes):
        raise ClientError(
            "there are no policies to try"
            if policies is None
            else "there are two lists of policies",
            hint="Give --bandwidth and --t, --k or --l; or --policies and none of these.",
        )
    stated = (
        {"grid": axes, "with": _json(beside, "--with")}
        if policies is None
        else _json(policies.read_text(encoding="utf-8"), str(policies))
    )
    said: list[str] = []
    with connect(uri) as connection:
        connection.add_notice_handler(lambda notice: said.append(_told(notice)))
        with step(console, f"Exploring {dataset}") as advance, watched(connection, uri, advance):
            rows = connection.execute(
                _EXPLORE,
                [dataset, Jsonb(stated), method, Jsonb(_json(options, "--options")), period],
            ).fetchall()
    figures: dict[int, tuple[Any, dict[str, float | None]]] = {}
    for place, policy, metric, value in rows:
        figures.setdefault(place, (policy, {}))[1][metric] = value
    settings = [Setting(place, *found) for place, found in figures.items()]
    _show(console, settings)
    for notice in said:
        console.print(Text(notice))
    if plot is not None:
        title = f"{dataset} by {method}: what policies disclose, and lose"
        if not draw(plot, title, settings):
            raise ClientError(
                "there is no disclosure to draw",
                detail="No policy could be met that states an adversary (bt_privacy).",
                hint="Give --bandwidth and --t.",
            )
        console.print(f"Drawn: {plot}", markup=False)


def _told(notice: Diagnostic) -> str:
    """Text of a notice, which is gone once it was handled."""
    return f"{notice.message_primary}. {notice.message_detail or ''}"


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ClientError(
            f"{name} is no JSON",
            detail=f"{error}: {text[:80]}",
            hint="Numbers are listed as 0.2,0.3.",
        ) from error


def _show(console: Console, settings: list[Setting]) -> None:
    """Print a table of settings, and above it what all have in common."""
    differing, shared = told_apart(settings)
    if shared:
        console.print(
            "All: " + "; ".join(f"{name} {value}" for name, value in shared.items()), markup=False
        )
    best = front(settings)
    shown = list(_SHOWN.values())
    table = make_table("", "bandwidth", *differing, *shown, "", numbers=("", *differing, *shown))
    for setting in settings:
        parameters = [setting.parameters.get(name, "") for name in differing]
        values = [_number(metric, setting.figures.get(metric)) for metric in _SHOWN]
        if setting.refused:
            values = ["refused", *[""] * (len(_SHOWN) - 1)]
        cells = [str(setting.place), setting.adversaries, *parameters, *values]
        table.add_row(*map(Text, cells), Text("●" if setting in best else "", style="green"))
    console.print(table)


def _number(metric: str, figure: float | None) -> str:
    if figure is None:
        return ""
    if metric == "groups":
        return f"{figure:,.0f}"
    return f"{figure:.1%}" if metric in ("suppressed_share", "exact_share") else f"{figure:.3g}"
