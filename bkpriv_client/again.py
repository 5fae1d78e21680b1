"""``bkpriv demo --again``: a table that grows, published twelve times, and who holds all of it.

Every month people join the table of a hospital, and it is published once more, in several ways.
Whoever keeps all releases of one of them subtracts one from another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row
from rich.text import Text

from bkpriv_client.declaration import ask
from bkpriv_client.growing import NAIVE, WAYS, GrowingTable, Way, numbered
from bkpriv_client.hospital import hospital
from bkpriv_client.server import Connection, scalar
from bkpriv_client.source import Source
from bkpriv_client.stage import Stage, tellings
from bkpriv_client.terminal import make_table, step

__all__ = ["AgainDemo", "admissions"]

_MONTHS = 12
_K = 4
_TAU = 0.5
_REQUIREMENTS = {"k_anonymity": {"k": _K}, "max_disclosure": {"tau": _TAU}}
_EXPLAINED = 3
"""Months of which it is told whom they expose."""

_EXAMPLES = 5


_COLOURS = {"naive": "red", "grow": "yellow", "certify": "green"}
_TOLD = {
    "naive": "the whole table is grouped afresh, and certified by itself",
    "grow": "groups stay as they were published, and newcomers are grouped among themselves",
    "certify": "the whole table is grouped afresh, and keeps the policy with all earlier releases",
}
_BAR = 24
"""Characters of a bar for everybody."""

_METRICS = {"gcp": "Share of detail lost (GCP)", "suppressed_share": "Share of records left out"}


@dataclass(frozen=True)
class _Month:
    """Exposure by all releases up to a month's together.

    Parameters
    ----------
    release : int
        The month's.
    people : int
        Number of people in the table.
    likely : int
        Number of people of whom a diagnosis is likelier than the policy allows.
    worst : float
        Probability of the likeliest diagnosis.
    """

    release: int
    people: int
    likely: int
    worst: float


@dataclass(frozen=True)
class _Exposed:
    """Person over the bound, and the releases that expose them."""

    respondent: str
    sensitive: str
    prior: float
    posterior: float
    releases: list[int]


def admissions(records: int, seed: int, connection: Connection, schema: str) -> Source:
    """Draw a year's admissions; in every telling of the story, those of other people."""
    source = hospital(records, seed)
    first = tellings(connection, f"{schema}_{source.name}_{NAIVE.name}", _MONTHS) * records + 1
    return numbered(source, seed, first=first)


@dataclass(frozen=True)
class AgainDemo(Stage):
    """One run of the demo.

    Parameters
    ----------
    schema : str
        Schema of all that it makes, which is empty.
    source : Source
        People who come within the year.
    """

    schema: str
    source: Source

    def play(self) -> None:
        """Tell the story."""
        table = GrowingTable(self.connection, self.schema, self.source, _MONTHS)
        self.say(
            f"\n{self.source.records:,} {self.source.title}, a twelfth of which come each month. "
            "An adversary may know a person's age, sex, district and occupation, and who was "
            "there when; the diagnosis is sensitive. Every month the table is published: groups "
            f"of at least {_K} people, in which no diagnosis is likelier than {_TAU:.0%}."
        )
        self.heading(f"1. The table is published again, month after month, in {len(WAYS)} ways")
        told = self._publish(table)
        self.heading("2. What all releases so far tell together")
        self.show(ask("audit_together", [month.release for month in told[NAIVE]]))
        self.say(
            "People whose diagnosis is likelier than the policy allows to a reader of all releases "
            "up to the month's:\n"
        )
        self._plot(told)
        self.heading("3. Who is exposed, and by which releases")
        self._show_exposed(told[NAIVE][:_EXPLAINED])
        self.heading("4. What each gives away, and costs, in the last month")
        self._compare(told)
        self._show_next(told[NAIVE])

    def _publish(self, table: GrowingTable) -> Mapping[Way, list[_Month]]:
        """Publish all months in all ways, and measure what is told by then."""
        for way in WAYS:
            self.say(f"\n[bold]{way.name}[/bold]: {_TOLD[way.name]}")
            statements = table.declaration(way, _REQUIREMENTS)
            for statement in statements:
                self.connection.execute(statement)
            self.show(statements[0], statements[-1], table.publication(way, month=2))
        self.say("")
        told: dict[Way, list[_Month]] = {way: [] for way in WAYS}
        with step(self.console, f"Publishing {_MONTHS} months") as advance:
            for month in range(1, _MONTHS + 1):
                people = table.admit(month)
                for place, way in enumerate(WAYS):
                    advance((month - 1 + place / len(WAYS)) / _MONTHS, f"{way.name}, {month}")
                    release = scalar(self.connection, table.publication(way, month))
                    releases = [each.release for each in told[way]] + [release]
                    told[way].append(self._listen(releases, people))
        return told

    def _listen(self, releases: Sequence[int], people: int) -> _Month:
        """Hold releases against the bound together."""
        requirement = {"max_disclosure": _REQUIREMENTS["max_disclosure"]}
        query = sql.SQL("SELECT vulnerable, worst FROM ({}) AS audit").format(
            ask("audit_together", releases, json.dumps(requirement))
        )
        row = self.connection.execute(query).fetchone()
        assert row is not None
        return _Month(releases[-1], people, *row)

    def _plot(self, told: Mapping[Way, Sequence[_Month]]) -> None:
        """Draw who is exposed every month as bars."""
        table = make_table("month", "people", *(way.name for way in told), numbers=("people",))
        for number, months in enumerate(zip(*told.values(), strict=True), start=1):
            bars = [
                Text(
                    "█" * round(_BAR * month.likely / self.source.records), _COLOURS[way.name]
                ).append(f" {month.likely}", "default")
                for way, month in zip(told, months, strict=True)
            ]
            table.add_row(str(number), str(months[0].people), *bars)
        self.console.print(table)

    def _show_exposed(self, months: Sequence[_Month]) -> None:
        """Show a few whom the naive releases expose."""
        statement = sql.SQL("{} WHERE requirement = 'max_disclosure' LIMIT {}").format(
            ask("explain_together", [month.release for month in months]),
            sql.Literal(_EXAMPLES),
        )
        self.show(statement)
        query = sql.SQL(
            "SELECT respondent, sensitive, prior, posterior, releases FROM ({}) AS exposed"
        ).format(statement)
        with (
            self.working("Looking for whom, and by what"),
            self.connection.cursor(row_factory=class_row(_Exposed)) as cursor,
        ):
            found = cursor.execute(query).fetchall()
        numbers = ("share", "believed")
        table = make_table("patient", "diagnosis", *numbers, "by releases", numbers=numbers)
        for person in found:
            table.add_row(
                person.respondent,
                Text(person.sensitive),
                f"{person.prior:.1%}",
                f"{person.posterior:.1%}",
                ", ".join(map(str, person.releases)),
            )
        self.console.print(table)
        self.say(
            "Each of these releases keeps the policy. None of those in a row can be left out: only "
            "a reader of all of them learns so much."
        )

    def _compare(self, told: Mapping[Way, Sequence[_Month]]) -> None:
        """Show what all releases gave away, and the cost of the last."""
        names = tuple(way.name for way in told)
        last = [months[-1] for months in told.values()]
        table = make_table("", *names, numbers=names)
        table.add_row(
            f"People whose diagnosis is likelier than {_TAU:.0%}",
            *(f"{month.likely:,}" for month in last),
        )
        table.add_row("Likeliest diagnosis", *(f"{month.worst:.0%}" for month in last))
        table.add_section()
        utility = [self.utility(month.release) for month in last]
        for metric, label in _METRICS.items():
            table.add_row(label, *(f"{figures[metric]:.1%}" for figures in utility))
        self.console.print(table)

    def _show_next(self, months: Sequence[_Month]) -> None:
        """Say how to go on."""
        self.heading("Go on from here")
        first, second = (month.release for month in months[:2])
        for statement in (
            "SELECT release, dataset, grown_from, records, suppressed FROM bkpriv.releases;",
            f"SELECT * FROM bkpriv.explain_together(ARRAY[{first}, {second}]);",
            f"SELECT * FROM bkpriv.audit_readers('{self.schema}_{self.source.name}_naive', "
            f"""'{{"press": [{first}], "clinic": [{first}, {second}]}}');""",
        ):
            self.console.print(f"  {statement}", style="cyan", soft_wrap=True)
