"""``bkpriv explore``: what a table would cost and disclose under many policies, and which to take.

The server tries them; here they are shown as a table and a plot, and one is recommended.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg import errors, sql
from psycopg.errors import Diagnostic
from psycopg.types.json import Jsonb
from rich.console import Console
from rich.text import Text

from bkpriv_client.declaration import call
from bkpriv_client.failure import ClientError
from bkpriv_client.files import written_whole
from bkpriv_client.loading import TableName
from bkpriv_client.options import Uri, assigned
from bkpriv_client.picture import check_plot
from bkpriv_client.recommendation import Recommendation, recommend
from bkpriv_client.server import Connection, connect, watched
from bkpriv_client.terminal import make_console, make_table, step
from bkpriv_client.tradeoff import draw
from bkpriv_client.tried import Setting, front, told_apart
from bkpriv_core.method import DEFAULT_METHOD

__all__ = ["explore"]

_SHOWN = {
    "gcp": "lost",
    "suppressed_share": "left out",
    "query_error": "query error",
    "sure": "sure",
    "worst_disclosure": "worst",
    "mean_disclosure": "mean",
    "groups": "groups",
    "seconds": "s",
}
"""Metrics of the table, and its headings."""

_SHARES = ("gcp", "suppressed_share", "query_error")

_COUNTS = ("groups", "sure")

_EXPLORE = "SELECT place, policy, metric, value FROM bkpriv.explore(%s, %s, %s, %s, %s, %s)"

_NOBODY = "none"


def explore(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="Name of the dataset.")],
    uri: Uri = "",
    k: Annotated[
        str, typer.Option("--k", metavar="K,...", help="Least sizes of groups, such as 5,10.")
    ] = "5",
    bandwidth: Annotated[
        str,
        typer.Option(
            metavar="B,...",
            help="Bandwidths of readers, each by itself, and with + several at once; none: no "
            "readers.",
        ),
    ] = ".2,.3,.5,.2+.3+.5",
    t: Annotated[
        str, typer.Option("--t", metavar="T,...", help="How far beliefs may move, in bits.")
    ] = ".05,.1,.15,.2,.25,.3",
    l: Annotated[  # noqa: E741
        str,
        typer.Option("--l", metavar="L,...", help="Least numbers of different values in a group."),
    ] = "",
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME=VALUE",
            help="Requirement that all policies state besides, such as l_diversity.l=2 or "
            "t_closeness.t=0.2; may be repeated.",
        ),
    ] = None,
    policies: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Policies that lists cannot state, as JSON: an array of them. They take the place "
            "of the lists.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Method of publication, as of publish.")
    ] = DEFAULT_METHOD,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Option of publish, such as max_records_per_person=2; may be repeated.",
        ),
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="Period, of a dataset that has periods.")
    ] = None,
    tolerance: Annotated[
        str,
        typer.Option(
            metavar="SHARE",
            help="The most that the recommended policy may lose beyond k alone, in points of the "
            "detail.",
        ),
    ] = "10%",
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Try policies as publish does, for as long as that takes: without estimates, and "
            "groups refined.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="PNG, SVG or PDF to draw: disclosure against the detail lost."
        ),
    ] = None,
) -> None:
    """Try many policies on a dataset, publish none, show what each costs, and recommend one.

    First k-anonymity alone is tried, which the others are held to; then every combination of the
    bandwidths, t, k and l. Marked are those than which no other with the same readers loses less
    detail and discloses less. Recommended is the strictest whose loss is within the tolerance.
    """
    console = make_console()
    borne = _share(tolerance)
    stated = _stated(
        {"bandwidth": _readers(bandwidth), "t": _numbers(t, "--t")}
        | {"k": _numbers(k, "--k"), "l": _numbers(l, "--l")},
        assigned(beside or [], "--with", dotted=True),
        policies,
    )
    options = assigned(option or [], "--option")
    asked = options.keys()
    check_plot(plot)
    told = _Told()
    with connect(uri) as connection:
        connection.add_notice_handler(told.hear)
        with step(console, f"Exploring {dataset}") as advance, watched(connection, uri, advance):
            rows, options = _tried(
                connection,
                [dataset, Jsonb(stated), method],
                options,
                [period, not thorough],
            )
        figures: dict[int, tuple[Any, dict[str, float | None]]] = {}
        for place, policy, metric, value in rows:
            figures.setdefault(place, (policy, {}))[1][metric] = value
        settings = [Setting(place, *found) for place, found in figures.items()]
        found = recommend(settings, borne)
        _show(console, settings, found.chosen)
        told.show(console)
        for name in options.keys() & _USUAL.keys() - asked:
            words = _USUAL[name].format(options[name])
            asked_for = f"{name}={options[name]}"
            console.print(f"{words} (--option {shlex.quote(asked_for)}).")
        console.print(Text(f"\n{found.words}"))
        if found.chosen is not None:
            if not thorough:
                console.print(_DRAFTED)
            console.print(_UNPROMISED)
            called = {"method": method} if method != DEFAULT_METHOD else {}
            called |= {} if period is None else {"period": period}
            called |= {"options": json.dumps(options)} if options else {}
            _show_statements(console, connection, dataset, found.chosen, called)
    if plot is not None:
        _plot(console, plot, f"{dataset} by {method}", settings, found)


_USUAL = {
    "nulls": "Missing values count as a value of their own",
    "max_records_per_person": "People have several records, and of each person count: {}",
}
"""Options without which some tables cannot be published, and what they do as the server advises."""

_ADVICE = re.compile(r"option (\{[^{}]*\})")


def _tried(
    connection: Connection,
    before: Sequence[Any],
    options: Mapping[str, Any],
    behind: Sequence[Any],
) -> tuple[list[Any], dict[str, Any]]:
    """Rows of an exploration, and its options with those that the server advised.

    Nobody who is to learn what publishing costs should have to know them before.
    """
    stated, options = options, dict(options)
    taken: list[dict[str, Any]] = []
    while True:
        try:
            with connection.transaction():
                asked = [*before, Jsonb(options), *behind]
                return connection.execute(_EXPLORE, asked).fetchall(), options
        except errors.DataError as error:
            advice = _ADVICE.search(error.diag.message_hint or "")
            advised = json.loads(advice[1]) if advice else {}
            fitting = advised.keys() <= _USUAL.keys() - stated.keys()
            if not advised or not fitting or advised in taken:
                raise
            taken.append(advised)
            options |= advised


_DRAFTED = (
    "These are drafts: beliefs are estimated, and groups not refined. What is published is "
    "certified, and mostly loses less; --thorough tries that."
)

_UNPROMISED = (
    "It is where to begin, no proof: readers who were not tried are not bounded, and other "
    "releases are not considered. Whether t is small enough is for you to say."
)


@dataclass
class _Told:
    """Notices of an exploration: why policies are refused, and all others.

    A notice is gone once it was handled; here its text stays.
    """

    refused: dict[str, list[int]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    def hear(self, notice: Diagnostic) -> None:
        said = f"{notice.message_primary}. {notice.message_detail or ''}".strip()
        reason = re.match(r"policy (\d+) is refused: (.*)", said, re.DOTALL)
        if reason is None:
            self.others.append(said)
        else:
            self.refused.setdefault(reason[2], []).append(int(reason[1]))

    def show(self, console: Console) -> None:
        for reason, places in self.refused.items():
            console.print(Text(f"{_places(places)} cannot be met: {reason}"))
        for text in self.others:
            console.print(Text(text))


def _places(places: Sequence[int]) -> str:
    """Places as a list, those that follow each other as a range."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _stated(
    axes: Mapping[str, list[Any]], beside: Mapping[str, Any], policies: Path | None
) -> object:
    """Policies as the server takes them."""
    if policies is None:
        if not axes["bandwidth"]:
            axes = {**axes, "t": []}
        return {
            "grid": {name: values for name, values in axes.items() if values},
            "with": beside,
        }
    try:
        return json.loads(policies.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ClientError(
            f"{policies} is no JSON",
            detail=f"{error}.",
            hint='Write an array of policies: [{"k_anonymity": {"k": 5}}, ...].',
        ) from error


def _readers(text: str) -> list[Any]:
    """Bandwidths as listed, those joined by + as a list; without any for none."""
    if text.strip() == _NOBODY:
        return []
    found = [_numbers(each.replace("+", ","), "--bandwidth") for each in text.split(",")]
    return [each[0] if len(each) == 1 else each for each in found]


def _numbers(text: str, name: str) -> list[int | float]:
    """Numbers of a list, as they are written."""
    try:
        return [int(each) if each.strip().isdecimal() else float(each) for each in _split(text)]
    except ValueError:
        raise ClientError(
            f"{name} is no list of numbers",
            detail=f"It is {text}.",
            hint="Numbers are listed as .2,.3.",
        ) from None


def _split(text: str) -> list[str]:
    return text.split(",") if text.strip() else []


def _share(text: str) -> float:
    """Share, written as 10% or .1."""
    number = text.strip()
    try:
        share = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ClientError(
            "--tolerance is no share",
            detail=f"It is {text}.",
            hint="Write 10% or .1; from 0 to 1.",
        )
    return share


def _plot(
    console: Console, path: Path, title: str, settings: list[Setting], found: Recommendation
) -> None:
    with written_whole(path) as file:
        kind = path.suffix.lower().removeprefix(".")
        if not draw(file, kind, title, settings, found.chosen):
            raise ClientError(
                "there is no disclosure to draw",
                detail="No policy could be met that states an adversary (bt_privacy).",
                hint="Give other bandwidths or t.",
            )
    console.print(f"\nDrawn: {path}")


def _show_statements(
    console: Console,
    connection: Connection,
    dataset: str,
    chosen: Setting,
    called: Mapping[str, str],
) -> None:
    """Show what to run to publish under a policy."""
    row = connection.execute(
        "SELECT source_schema FROM bkpriv.dataset WHERE name OPERATOR(pg_catalog.=) %s", [dataset]
    ).fetchone()
    view = TableName("public" if row is None else row[0], f"{dataset}_shown").written(connection)
    policy = f"{dataset}_policy"
    console.print("To state and publish it:\n")
    statements: list[sql.Composed] = [
        call("set_policy", policy, json.dumps(chosen.policy)),
        call("publish", dataset, policy, view, **called),
    ]
    for statement in statements:
        console.print(f"{statement.as_string(connection)};", soft_wrap=True)


def _show(console: Console, settings: list[Setting], chosen: Setting | None) -> None:
    """Print a table of settings, and above it what all have in common."""
    differing, shared = told_apart(settings)
    if shared:
        console.print("All: " + "; ".join(f"{name} {value}" for name, value in shared.items()))
    best = front(settings)
    shown = list(_SHOWN.values())
    table = make_table("", "bandwidth", *differing, *shown, "", numbers=("", *differing, *shown))
    for setting in settings:
        parameters = [setting.parameters.get(name, "") for name in differing]
        values = [_number(metric, setting.figures.get(metric)) for metric in _SHOWN]
        if setting.refused:
            values = ["not met", *[""] * (len(_SHOWN) - 1)]
        named = "k alone" if setting.plain else setting.adversaries
        mark = Text("●" if setting in best else "", style="green")
        if setting is chosen:
            mark = Text("★", style="bold green")
        cells = [str(setting.place), named, *parameters, *values]
        table.add_row(*map(Text, cells), mark)
    console.print(table)


def _number(metric: str, figure: float | None) -> str:
    if figure is None:
        return ""
    if metric in _COUNTS:
        return f"{figure:,.0f}"
    if metric == "seconds":
        return f"{figure:.1f}"
    return f"{figure:.1%}" if metric in _SHARES else f"{figure:.4f}"
