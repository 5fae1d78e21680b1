"""``bkpriv demo --serial``: one table published twelve times, and who remembers.

The same patients are in a clinic's table month after month. Each month is published as is usual,
by JS-reduce, and under the sequential skyline; an adversary who knows how illness takes its course
reads all of each history.

A month is one step of the clinic's model, whatever its length there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from psycopg import sql
from psycopg.rows import class_row
from rich.text import Text

from bkpriv_client.clinic.register import draw_register
from bkpriv_client.clinic.tables import load_transitions
from bkpriv_client.declaration import call, declare_source
from bkpriv_client.loading import TableName, load_source
from bkpriv_client.server import Connection, scalar
from bkpriv_client.source import Column, Source
from bkpriv_client.stage import Stage, tellings
from bkpriv_client.terminal import make_table, step
from bkpriv_core.method import DEFAULT_METHOD

__all__ = ["SerialDemo", "monthly"]

_MONTHS = 12
_K = 4
_T = 0.2
_COURSE = "course"
"""Name of the table of domain knowledge, and of the sequential knowledge."""

_REMEMBERING = {"sequence": _COURSE}

_METRICS = {
    "gcp": "Share of detail lost (GCP), on average",
    "suppressed_share": "Share of records left out, on average",
}

_BAR = 24
"""Characters of a bar for all that can be gained."""


@dataclass(frozen=True)
class _History:
    """A way of publishing month after month.

    Parameters
    ----------
    name, colour : str
        Name of the way, and the colour of its bars.
    requirements : mapping
        The policy.
    """

    name: str
    colour: str
    requirements: Mapping[str, Any]
    method: str = DEFAULT_METHOD


_USUAL = _History(
    "usual",
    "red",
    {"k_anonymity": {"k": _K}, "l_diversity": {"l": _K, "variant": "distinct"}},
)
_JS_REDUCE = _History(
    "js_reduce",
    "yellow",
    {
        "k_anonymity": {"k": _K},
        "t_closeness": {"t": 0.5, "ground": "equal"},
        "js_divergence": {"j": 0.6, "bandwidth": _REMEMBERING},
    },
    method="js_reduce",
)
_SKYLINE = _History(
    "skyline",
    "green",
    {"k_anonymity": {"k": _K}, "bt_privacy": [{"bandwidth": _REMEMBERING, "t": _T}]},
)


@dataclass(frozen=True)
class _Month:
    """Knowledge gained by the adversary from a month's release, given those before it."""

    release: int
    period: str
    records: int
    gain: float
    confidence: float
    worst: float


_Told = tuple[_History, Sequence[_Month]]
"""A history, and what was learnt from it month by month."""


def monthly(patients: int, seed: int, connection: Connection) -> Source:
    """Draw the clinic's register of twelve months.

    Its people are others in every telling: what an earlier one showed of them, though withdrawn
    since, would be remembered.
    """
    register = draw_register(patients, _MONTHS, seed)
    columns = dict(register.columns)
    first = tellings(connection, _dataset(_USUAL.name), _MONTHS) * patients * _MONTHS
    columns["patient"] = Column("integer", [first + number for number in columns["patient"].values])
    weeks = columns.pop("week").values
    months = Column("text", [f"2024-{week:02}" for week in weeks])
    return replace(
        register,
        title="monthly examinations of a synthetic clinic",
        columns={"patient": columns.pop("patient"), "month": months, **columns},
        serial=("patient", "month"),
    )


@dataclass(frozen=True)
class SerialDemo(Stage):
    """One run of the demo.

    Parameters
    ----------
    schema : str
        Schema of all that it makes, which is empty.
    source : Source
        The register.
    """

    schema: str
    source: Source

    def play(self) -> None:
        """Tell the story."""
        self._prepare()
        self.heading("1. As is usual: k-anonymous and l-diverse, every month")
        self.say(
            f"Each month's view is made by itself: groups of at least {_K} people with {_K} "
            "different results."
        )
        usual = self._publish(_USUAL)
        self._tell(usual)
        self.heading("2. JS-reduce: no group of people whom the adversary tells apart")
        self.say(
            "Before each month is grouped, the extension works out what the adversary believes of "
            "everyone by then, and groups people about whom these beliefs are much the same."
        )
        js_reduce = self._publish(_JS_REDUCE)
        self._tell(js_reduce)
        self.heading("3. The sequential skyline: (B,t)-private against a reader who remembers")
        self.say(
            "No month's release may move that reader's belief about anyone by more than "
            f"t = {_T}, whatever was remembered."
        )
        skyline = self._publish(_SKYLINE)
        self._tell(skyline)
        self.heading("4. What each gives away, and costs")
        told = [(_USUAL, usual), (_JS_REDUCE, js_reduce), (_SKYLINE, skyline)]
        self._plot(told)
        self._compare(told)
        self._show_next()

    def _prepare(self) -> None:
        """Load the register and what is known of the course of illness."""
        source = self.source
        with step(self.console, f"Loading them into table {self.schema}.{source.name}") as advance:
            load_source(
                self.connection,
                self.schema,
                source,
                loaded=lambda count: advance(count / source.records),
            )
            load_transitions(
                self.connection, TableName(self.schema, _COURSE), order=3, weeks=_MONTHS
            )
        people = len(set(source.columns["patient"].values))
        self.say(
            f"\n{source.records:,} {source.title}: {people:,} people, "
            f"{source.records // _MONTHS:,} a month, each until discharged or deceased. An "
            "adversary may know a person's age, gender and weight and who was there when; the "
            "result is sensitive. He also knows, as any physician does, how likely each result is "
            f"to follow the last three: table {self.schema}.{_COURSE}."
        )

    def _publish(self, history: _History) -> list[_Month]:
        """Publish all months in one way, and measure what is learnt."""
        dataset = _dataset(history.name)
        course = TableName(self.schema, _COURSE).written(self.connection)
        self.run(
            *declare_source(self.connection, dataset, self.schema, self.source),
            call("set_sequential_knowledge", dataset, _COURSE, "domain", course),
            call("set_policy", dataset, json.dumps(history.requirements)),
        )
        months = sorted(set(self.source.columns["month"].values))
        statements = [
            call(
                "publish",
                dataset,
                dataset,
                f"{self.schema}.{history.name}_{month.replace('-', '_')}",
                history.method,
                month,
            )
            for month in months
        ]
        self.show(statements[0])
        self.say("  [dim]and so on, month by month[/dim]")
        with step(self.console, f"Publishing {len(months)} months") as advance:
            for place, statement in enumerate(statements):
                advance(place / len(months), months[place])
                scalar(self.connection, statement)
        audit = sql.SQL("SELECT * FROM bkpriv.sequential_audit({}, {}, 'auto')").format(
            sql.Literal(dataset), sql.Literal(_COURSE)
        )
        self.show(audit)
        query = sql.SQL(
            "SELECT release, period, records, gain, confidence, worst FROM ({}) AS audit"
            " ORDER BY period"
        ).format(audit)
        with (
            self.working("Reading all of them as the adversary does"),
            self.connection.cursor(row_factory=class_row(_Month)) as cursor,
        ):
            return cursor.execute(query).fetchall()

    def _tell(self, months: Sequence[_Month]) -> None:
        """Tell what was learnt in the first and the last month."""
        first, last = months[0], months[-1]
        self.say(
            f"In the first month the adversary gives people's actual results a probability of "
            f"[bold]{first.confidence:.0%}[/bold] on average; in the last, remembering all, "
            f"[bold]{last.confidence:.0%}[/bold], and of somebody "
            f"[bold]{max(month.worst for month in months):.0%}[/bold]."
        )

    def _plot(self, told: Sequence[_Told]) -> None:
        """Draw the gain of every month as bars."""
        self.say(
            "The adversary's gain by month: by how much likelier people's actual results are to "
            "this reader than to one who only counts their groups; 1 is certainty.\n"
        )
        table = make_table("month", *(history.name for history, _ in told))
        for together in zip(*(months for _, months in told), strict=True):
            bars = [
                Text("█" * round(_BAR * max(month.gain, 0)), history.colour).append(
                    f" {_rounded(month.gain)}", "default"
                )
                for (history, _), month in zip(told, together, strict=True)
            ]
            table.add_row(together[0].period, *bars)
        self.console.print(table)

    def _compare(self, told: Sequence[_Told]) -> None:
        """Show gain and cost of all histories."""
        names = tuple(history.name for history, _ in told)
        last = [months[-1] for _, months in told]
        utility = [[self.utility(month.release) for month in months] for _, months in told]
        table = make_table("", *names, numbers=names)
        table.add_row("Gain in the last month", *(_rounded(month.gain) for month in last))
        table.add_row(
            "Probability of actual results then, on average",
            *(f"{month.confidence:.0%}" for month in last),
        )
        table.add_section()
        for metric, label in _METRICS.items():
            table.add_row(
                label,
                *(f"{mean(figures[metric] for figures in months):.1%}" for months in utility),
            )
        self.console.print(table)

    def _show_next(self) -> None:
        """Say how to go on."""
        self.heading("Go on from here")
        person = self.source.columns["patient"].values[0]
        for statement in (
            "SELECT release, dataset, period, view_name, suppressed FROM bkpriv.releases;",
            f"SELECT * FROM bkpriv.revised_belief('{_dataset('usual')}', '{_COURSE}', "
            f"'{person}', '2024-02') ORDER BY posterior DESC;",
            f"SELECT * FROM bkpriv.sequential_audit('{_dataset('usual')}', '{_COURSE}');",
        ):
            self.console.print(f"  {statement}", style="cyan", soft_wrap=True)


def _dataset(history: str) -> str:
    """Name of the dataset of a history, and of its policy."""
    return f"demo_clinic_{history}"


def _rounded(gain: float) -> str:
    """A gain in two digits; one that is next to nothing, be it less, is 0.00."""
    return f"{round(gain, 2) + 0.0:.2f}"
