"""``bkpriv explore``: what a table would cost and disclose under many policies, and which to take.

The server tries them; here they are shown as a table and a plot, and one is recommended.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from bkpriv_client.reasons import reason, why_none
from bkpriv_client.recommendation import candidates, strictest, within_reach
from bkpriv_client.server import Connection, connect, watched
from bkpriv_client.terminal import make_console, step
from bkpriv_client.tradeoff import draw
from bkpriv_client.trial_table import show_trials
from bkpriv_client.tried import Setting
from bkpriv_core.exploration import WEAK_READER
from bkpriv_core.method import DEFAULT_METHOD

__all__ = ["explore"]

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
    ] = ".2+.3+.5",
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
            help="Requirement that all policies state as well, such as l_diversity.l=2 or "
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
            help="The most detail that the recommended policy may lose beyond k alone, in points.",
        ),
    ] = "5%",
    every: Annotated[
        bool, typer.Option("--all", help="Show all policies, not only eight that differ most.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="PNG, SVG or PDF to draw: what is learnt against the detail lost."
        ),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Draw on a dark ground.")] = False,
) -> None:
    """Try many policies on a dataset, publish none, show what each costs, and recommend one.

    First k-anonymity alone is tried, which the others are compared with; then every combination of
    the bandwidths, t, k and l. All of these also bound the reader who knows only how common each
    value is. Recommended is the policy beyond which protection gets dear (the knee of the curve),
    within the tolerance. It is certified before it is shown.
    """
    console = make_console()
    most = _share(tolerance)
    stated = _stated(
        {"bandwidth": _readers(bandwidth), "t": _numbers(t, "--t")}
        | {"k": _numbers(k, "--k"), "l": _numbers(l, "--l")},
        {**WEAK_READER, **assigned(beside or [], "--with", dotted=True)},
        policies,
    )
    options = assigned(option or [], "--option")
    asked = options.keys()
    check_plot(plot)
    told = _Told()
    with connect(uri) as connection:
        connection.add_notice_handler(told.hear)
        trials = _Trials(connection, dataset, method, options, period)
        with step(console, f"Exploring {dataset}") as advance, watched(connection, uri, advance):
            settings = trials.drafts(stated)
        with step(console, "Certifying") as advance, watched(connection, uri, advance):
            settings, chosen = _certified(trials, told, settings, most)
        show_trials(console, settings, chosen, whole=every)
        told.show(console)
        for name in trials.options.keys() & _USUAL.keys() - asked:
            words = _USUAL[name].format(trials.options[name])
            asked_for = f"{name}={trials.options[name]}"
            console.print(f"{words} (--option {shlex.quote(asked_for)}).")
        if chosen is None:
            console.print(Text(f"\n{why_none(settings, most)}"))
        else:
            console.print(Text(f"\n{reason(chosen, settings, most, told.units)}"))
            console.print(_UNPROMISED)
            called = {"method": method} if method != DEFAULT_METHOD else {}
            called |= {} if period is None else {"period": period}
            called |= {"options": json.dumps(trials.options)} if trials.options else {}
            _show_statements(console, connection, dataset, chosen, called)
    if plot is not None:
        _plot(console, plot, f"{dataset} by {method}", settings, chosen, dark=dark)


_USUAL = {
    "nulls": "Missing values count as a value of their own",
    "max_records_per_person": "People have several records, and of each person count: {}",
}
"""Options without which some tables cannot be published, and what they do as the server advises."""

_ADVICE = re.compile(r"option (\{[^{}]*\})")

_CERTIFIED = 3
"""Largest number of policies that are certified until one is within reach."""


@dataclass
class _Trials:
    """Trials of policies on a dataset, and the options by which they are made."""

    connection: Connection
    dataset: str
    method: str
    options: dict[str, Any]
    period: str | None

    def drafts(self, policies: object) -> list[Setting]:
        """Try policies by estimates, with the options that the server advises.

        Users need not know these before they see what publishing costs.
        """
        stated, taken = self.options, []
        while True:
            try:
                with self.connection.transaction():
                    return self._tried(policies, draft=True)
            except errors.DataError as error:
                advice = _ADVICE.search(error.diag.message_hint or "")
                advised = json.loads(advice[1]) if advice else {}
                fitting = advised.keys() <= _USUAL.keys() - stated.keys()
                if not advised or not fitting or advised in taken:
                    raise
                taken.append(advised)
                self.options = {**self.options, **advised}

    def certified(self, drafts: Sequence[Setting]) -> list[Setting]:
        """Try policies as publish makes them."""
        found = self._tried([item.policy for item in drafts], draft=False)
        return [
            replace(each, place=item.place, certified=not each.refused)
            for item, each in zip(drafts, found, strict=True)
        ]

    def _tried(self, policies: object, *, draft: bool) -> list[Setting]:
        asked = [self.dataset, Jsonb(policies), self.method, Jsonb(self.options), self.period]
        figures: dict[int, tuple[Any, dict[str, float | None]]] = {}
        for place, policy, metric, value in self.connection.execute(_EXPLORE, [*asked, draft]):
            figures.setdefault(place, (policy, {}))[1][metric] = value
        return [Setting(place, *found) for place, found in figures.items()]


def _certified(
    trials: _Trials, told: _Told, settings: list[Setting], most: float
) -> tuple[list[Setting], Setting | None]:
    """Certify candidates until one is within reach.

    Returns:
        settings: All of them, the certified ones in place of their drafts.
        chosen: The one that is recommended.
    """
    dearest = float("inf")
    for attempt in range(_CERTIFIED + 1):
        left = candidates(settings, most)
        left = [item for item in left if (item.price(settings) or 0.0) < dearest]
        if not left:
            break
        one = left[0] if attempt else strictest(settings, left[0])
        if one.certified:
            return settings, one
        dearest = (one.price(settings) or 0.0) if attempt else dearest
        alone = one.alone(settings)
        assert alone is not None
        told.places = [alone.place, one.place]
        made = {each.place: each for each in trials.certified([alone, one])}
        settings = [made.get(item.place, item) for item in settings]
        if attempt and within_reach(made[one.place], settings, most):
            return settings, made[one.place]
    return settings, None


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
    others: dict[str, None] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    """Bandwidths in the units of the columns."""
    places: Sequence[int] = ()
    """Places of the policies that are tried now, where these are some of all."""

    def hear(self, notice: Diagnostic) -> None:
        said = f"{notice.message_primary}. {notice.message_detail or ''}".strip()
        refusal = re.match(r"policy (\d+) is refused: (.*)", said, re.DOTALL)
        if units := re.findall(r"\bB = (.+?) \((.+?)\)(?=; B = |\.$)", said):
            self.units.update(units)
        elif refusal is None:
            self.others[said] = None
        else:
            place = int(refusal[1])
            place = self.places[place - 1] if self.places else place
            self.refused.setdefault(refusal[2], []).append(place)

    def show(self, console: Console) -> None:
        for why, places in self.refused.items():
            console.print(Text(f"{_places(places)} cannot be met: {why}"))
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
    console: Console,
    path: Path,
    title: str,
    settings: list[Setting],
    chosen: Setting | None,
    *,
    dark: bool,
) -> None:
    with written_whole(path) as file:
        kind = path.suffix.lower().removeprefix(".")
        if not draw(file, kind, title, settings, chosen, dark=dark):
            raise ClientError(
                "there is nothing to draw",
                detail="No policy but k-anonymity alone could be met.",
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
    unread = (chosen.figures.get("records") or 0.0) - (chosen.figures.get("rows") or 0.0)
    if unread > 0:
        console.print(f"It leaves out {unread:,.0f} of {chosen.figures['records']:,.0f} records.")
    console.print("To state and publish it:\n")
    statements: list[sql.Composed] = [
        call("set_policy", policy, json.dumps(chosen.policy)),
        call("publish", dataset, policy, view, **called),
    ]
    for statement in statements:
        console.print(f"{statement.as_string(connection)};", soft_wrap=True)
