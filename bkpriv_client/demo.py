"""``bkpriv demo``: the main job, end to end, on data at hand.

It publishes one table twice, as is usual and as `bkpriv` proposes, and asks the same question of
both: about how many people does a well informed adversary learn too much? Every statement that
matters is shown as it is run.

Rules
-----
- All that the demo makes is its own: the schema ``demo``, which it marks and replaces only if so
  marked, and a dataset and policies whose names begin with ``demo_``.
- It may be run again and again.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from psycopg import sql
from psycopg.rows import class_row
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import call, declare_source
from bkpriv_client.hospital import hospital
from bkpriv_client.loading import TableName, load_source
from bkpriv_client.notices import heard, repeat
from bkpriv_client.options import Uri
from bkpriv_client.sandbox import renew_sandbox
from bkpriv_client.server import Connection, connect, scalar, watched, without_password
from bkpriv_client.source import Source
from bkpriv_client.terminal import make_console, make_table, step
from bkpriv_core.exploration import WEAK_READER

__all__ = ["demo"]

_SCHEMA = "demo"
_MARK = "Made by `bkpriv demo`, which replaces it at every run."

_ADMISSIONS = 20_000
_K = 4
_T = 0.2
_BANDWIDTH = 0.3
_BANDWIDTHS = (0.2, 0.3, 0.5)
_EXAMPLES = 3
_ROWS = 6

_METRICS = {
    "average_class_size": "Records per group, on average",
    "gcp": "Share of detail lost (GCP)",
    "discernibility": "Discernibility (squared group sizes)",
    "suppressed_share": "Share of records left out",
}


@dataclass(frozen=True)
class _AuditLine:
    """Line of an audit about one adversary."""

    bandwidth: float
    threshold: float
    worst: float
    mean: float
    vulnerable: int


@dataclass(frozen=True)
class _Breach:
    """Records about which an adversary learns, and the value whose belief moved most."""

    qi: Mapping[str, Any]
    sensitive: str
    prior: float
    posterior: float


def demo(
    uri: Uri = "",
    adult: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="CSV file of the UCI Adult data, with hierarchy_ATTRIBUTE.csv files beside it. "
            "Without it, a synthetic hospital is used.",
        ),
    ] = None,
    records: Annotated[
        int, typer.Option(min=100, help="Size of the synthetic hospital.")
    ] = _ADMISSIONS,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the synthetic hospital.")] = 1,
) -> None:
    """Publish one table twice, as is usual and against background knowledge, and compare.

    All happens in a schema "demo", which every run replaces.
    """
    started = time.monotonic()
    console = make_console()
    if adult is None:
        with step(console, f"Drawing {records:,} synthetic hospital admissions"):
            source = hospital(records, seed)
    else:
        with step(console, f"Reading {adult.name} and its hierarchies"):
            source = read_adult(adult)
    with connect(uri) as connection:
        _Demo(console, connection, uri, source).play()
    console.print(f"\nDone in {time.monotonic() - started:.1f} s.")


@dataclass(frozen=True)
class _Demo:
    """One run of the demo."""

    console: Console
    connection: Connection
    uri: str
    source: Source

    def play(self) -> None:
        self._prepare()
        self._heading("1. As is usual: k-anonymous and l-diverse")
        self._say(
            f"Every record shares its published quasi-identifiers with at least {_K - 1} others, "
            f"and each such group shows at least {_K} different values of {self.source.sensitive}."
        )
        usual = self._publish(
            "usual", {"k_anonymity": {"k": _K}, "l_diversity": {"l": _K, "variant": "distinct"}}
        )
        breached = self._audit(usual, [_BANDWIDTH])[0]
        self._show_breaches(usual, breached)

        self._heading("2. Against background knowledge: (B,t)-private")
        self._say(
            "The same table, but no group is published that tells any of three adversaries too "
            "much: one who knows more (B=0.2), the same one (B=0.3), one who knows less "
            "(B=0.5). Nor does it make an adversary sure who knows only the shares of the whole "
            "table."
        )
        private = self._publish(
            "private",
            {
                "k_anonymity": {"k": _K},
                "bt_privacy": [{"bandwidth": width, "t": _T} for width in _BANDWIDTHS],
                **WEAK_READER,
            },
        )
        held = self._audit(private, _BANDWIDTHS)
        self._show_audit(held)

        self._heading("3. What it costs")
        self._say(
            "Beside both, the same table with no requirement but the first: that every record "
            f"shares its published quasi-identifiers with at least {_K - 1} others."
        )
        self._show_utility(
            {
                usual: breached.vulnerable,
                private: next(line.vulnerable for line in held if line.bandwidth == _BANDWIDTH),
            }
        )

        self._heading("4. What readers get")
        self._show_rows()
        self._show_next(private)

    # --- the steps ------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Load the table and declare what it is."""
        source = self.source
        renew_sandbox(self.connection, _SCHEMA, _MARK)
        with step(self.console, f"Loading them into table {_SCHEMA}.{source.name}") as advance:
            load_source(
                self.connection,
                _SCHEMA,
                source,
                loaded=lambda count: advance(count / source.records),
            )
        self._say(
            f"\n{source.records:,} {source.title}. An adversary may know a person's "
            f"{_listed(source.quasi_identifiers)}; the {source.sensitive} is sensitive."
        )
        self._run(*declare_source(self.connection, self._dataset, _SCHEMA, source))

    def _publish(self, kind: str, requirements: Mapping[str, Any]) -> int:
        """Publish the dataset under requirements as view ``<table>_<kind>``; return the release."""
        policy = f"demo_{kind}"
        self._run(call("set_policy", policy, json.dumps(requirements)))
        view = f"{_SCHEMA}.{self.source.name}_{kind}"
        statement = call("publish", self._dataset, policy, view)
        self._show(statement)
        with heard(self.connection) as notices, self._working(f"Publishing {view}"):
            release: int = scalar(self.connection, statement)
        repeat(self.console, notices)
        return release

    def _audit(self, release: int, bandwidths: Sequence[float]) -> list[_AuditLine]:
        """Measure what a release discloses to adversaries."""
        adversaries = [{"bandwidth": bandwidth, "t": _T} for bandwidth in bandwidths]
        statement = sql.SQL("SELECT * FROM bkpriv.audit({}, {})").format(
            sql.Literal(release), sql.Literal(json.dumps({"bt_privacy": adversaries}))
        )
        self._show(statement)
        query = sql.SQL(
            "SELECT (parameters ->> 'bandwidth')::float8 AS bandwidth, threshold, worst, mean,"
            " vulnerable FROM ({}) AS audit"
        ).format(statement)
        with (
            self._working("Auditing what it discloses"),
            self.connection.cursor(row_factory=class_row(_AuditLine)) as cursor,
        ):
            return cursor.execute(query).fetchall()

    def _breaches(self, release: int) -> list[_Breach]:
        """Find the cells that a release discloses most about, one per group."""
        query = sql.SQL(
            """
            WITH cell AS (
                SELECT DISTINCT ON (group_id) group_id, qi, disclosure
                FROM bkpriv.disclosure({release}, {bandwidth})
                WHERE disclosure > {t}
                ORDER BY group_id, disclosure DESC
            ), worst AS (
                SELECT * FROM cell ORDER BY disclosure DESC, group_id LIMIT {examples}
            ), belief AS (
                SELECT DISTINCT ON (group_id) *
                FROM bkpriv.posterior({release}, {bandwidth}) JOIN worst USING (group_id, qi)
                ORDER BY group_id, abs(posterior - prior) DESC
            )
            SELECT qi, sensitive, prior, posterior FROM belief ORDER BY disclosure DESC, group_id
            """
        ).format(
            release=sql.Literal(release),
            bandwidth=sql.Literal(json.dumps(_BANDWIDTH)),
            t=sql.Literal(_T),
            examples=sql.Literal(_EXAMPLES),
        )
        with (
            self._working("Looking for the worst of them"),
            self.connection.cursor(row_factory=class_row(_Breach)) as cursor,
        ):
            return cursor.execute(query).fetchall()

    # --- words and actions ----------------------------------------------------------------------

    def _heading(self, title: str) -> None:
        """Begin a part."""
        self.console.print()
        self.console.rule(Text(title, style="bold"), align="left")

    def _say(self, text: str) -> None:
        """Print a text in Rich's markup."""
        self.console.print(Text.from_markup(text))

    def _show(self, *statements: sql.Composed) -> None:
        """Show statements that are about to be run."""
        lines = "\n".join(f"{statement.as_string(self.connection)};" for statement in statements)
        self.console.print(Padding(Text(lines, style="cyan"), (1, 0, 0, 2), expand=False))

    def _run(self, *statements: sql.Composed) -> None:
        """Show statements and run them for their effect."""
        self._show(*statements)
        for statement in statements:
            self.connection.execute(statement)

    @contextmanager
    def _working(self, title: str) -> Iterator[None]:
        """Show a step whose progress the server reports."""
        with step(self.console, title) as advance, watched(self.connection, self.uri, advance):
            yield

    # --- what is shown --------------------------------------------------------------------------

    def _show_breaches(self, release: int, line: _AuditLine) -> None:
        """Report an audit, with examples of breaches."""
        source = self.source
        self._show_audit([line])
        self._say(
            f"The adversary with B={_BANDWIDTH} knows how common each {source.sensitive} is among "
            f"those who resemble a person: whose {_listed(source.quasi_identifiers)} differ by "
            f"less than {_BANDWIDTH} of the range. Seeing the view moves that adversary's belief "
            f"about [bold]{line.vulnerable:,} of {source.records:,} people "
            f"({line.vulnerable / source.records:.1%})[/bold] by more than t = {_T}, on a scale "
            "from 0, nothing learnt, to 1."
        )
        if not line.vulnerable:
            return
        breaches = self._breaches(release)
        self._say("For instance, a person with")
        examples = tuple(f"example {place}" for place in range(1, len(breaches) + 1))
        table = make_table("", *examples)
        for name in source.quasi_identifiers:
            table.add_row(name, *(Text(str(breach.qi[name])) for breach in breaches))
        table.add_section()
        table.add_row(
            f"chance of {source.sensitive}",
            *(Text(breach.sensitive, style="bold") for breach in breaches),
        )
        table.add_row("    before the view", *(f"{breach.prior:.1%}" for breach in breaches))
        table.add_row(
            "    with the view",
            *(Text(f"{breach.posterior:.1%}", style="bold red") for breach in breaches),
        )
        self.console.print(table)

    def _show_audit(self, lines: Sequence[_AuditLine]) -> None:
        """Show what releases disclose to adversaries."""
        numbers = ("allowed", "worst", "mean", "breached")
        table = make_table("adversary", *numbers, "verdict", numbers=numbers)
        for line in lines:
            verdict = Text("BREACHED", "bold red") if line.vulnerable else Text("holds", "green")
            table.add_row(
                f"B = {line.bandwidth}",
                f"{line.threshold:.3f}",
                f"{line.worst:.3f}",
                f"{line.mean:.3f}",
                f"{line.vulnerable:,}",
                verdict,
            )
        self.console.print(table)

    def _show_utility(self, breached: Mapping[int, int]) -> None:
        """Show the utility of two releases, and how many people they expose.

        Before them stands what the last of them would have cost with k-anonymity alone.
        """
        measured: list[dict[str, float]] = []
        for release in breached:
            rows = self.connection.execute(
                "SELECT metric, value FROM bkpriv.utility(%s)", [release]
            ).fetchall()
            measured.append(dict(rows))
        columns = (f"{_K}-anonymous only", "usual", "private")
        table = make_table("", *columns, numbers=columns)
        for metric, label in _METRICS.items():
            figures = (
                measured[-1][f"{metric}_k_anonymous"],
                *(release[metric] for release in measured),
            )
            table.add_row(label, *(_number(metric, figure) for figure in figures))
        table.add_section()
        table.add_row(
            f"People breached (B = {_BANDWIDTH}, t = {_T})",
            "not published",
            *(f"{count:,}" for count in breached.values()),
        )
        self.console.print(table)

    def _show_rows(self) -> None:
        """Show a few rows of the private view."""
        self._say("A view. Its readers need SELECT on it and nothing else.")
        view = TableName(_SCHEMA, f"{self.source.name}_private").written(self.connection)
        statement = sql.SQL("SELECT * FROM {} LIMIT {}").format(sql.SQL(view), sql.Literal(_ROWS))
        self._show(statement)
        with self.connection.execute(statement) as cursor:
            table = make_table(*(column.name for column in cursor.description or ()))
            for row in cursor:
                table.add_row(*(Text(str(value)) for value in row))
        self.console.print(table)

    def _show_next(self, release: int) -> None:
        """Say how to go on."""
        view = f"{_SCHEMA}.{self.source.name}_private"
        self._heading("Go on from here")
        uri = without_password(self.uri)
        self.console.print(
            f"psql -v SHOW_CONTEXT=never {shlex.quote(uri) if uri else ''}".rstrip(),
            style="bold",
            soft_wrap=True,
        )
        self._say("\nand there, for instance:")
        for statement in (
            f"TABLE {view} LIMIT 20;",
            "SELECT release, view_name, policy, groups, status, stale FROM bkpriv.releases;",
            f"SELECT * FROM bkpriv.disclosure({release}, '0.3') ORDER BY disclosure DESC LIMIT 5;",
            """SELECT bkpriv.set_policy('demo_mine', '{"k_anonymity": {"k": 10}}');""",
            f"SELECT bkpriv.publish('{self._dataset}', 'demo_mine', '{view}');",
        ):
            self.console.print(f"  {statement}", style="cyan", soft_wrap=True)

    @property
    def _dataset(self) -> str:
        return f"demo_{self.source.name}"


def _listed(names: Sequence[str]) -> str:
    """Write names as a list in a sentence."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _number(metric: str, value: float) -> str:
    """Write a figure of utility."""
    if metric == "discernibility":
        return f"{value:,.0f}"
    return f"{value:.1f}" if metric == "average_class_size" else f"{value:.1%}"
