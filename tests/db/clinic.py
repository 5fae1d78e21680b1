"""The clinic: a small table whose diagnoses depend on who the patients are.

It is drawn from a seed, so figures are the same in every run, and small, so most tests can publish
it in a fraction of a second.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from psycopg import sql
from psycopg.errors import Diagnostic
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core.certifying import HOPELESS

Row = tuple[int, str, str, str]

CLOSING = re.compile(r"release \d+: (satisfied|violated)")
"""Beginning of the verdict that closes a publication or an audit."""

QUASI_IDENTIFIERS = ["age", "sex", "city"]
SENSITIVE = "disease"

REGIONS = {"north": ["Aln", "Brix"], "south": ["Corve", "Dunn"]}
KINDS = {"lung": ["asthma", "emphysema"], "other": ["fracture", "pregnancy", "ulcer"]}

PLAIN = {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}
"""Requirements that know nothing of background knowledge."""

BELIEFS = {"k_anonymity": {"k": 4}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}]}
"""Requirements against an adversary who has it."""


def draw_rows(records: int, seed: int = 1) -> list[Row]:
    """Draw patients: age, sex, city, disease."""
    draw = random.Random(seed)
    cities = [city for members in REGIONS.values() for city in members]
    rows = []
    for _ in range(records):
        age, sex, city = draw.randint(20, 69), draw.choice("fm"), draw.choice(cities)
        weights = {
            "asthma": 3 if age < 40 else 1,
            "emphysema": 4 if age > 50 and sex == "m" else 0.5,
            "fracture": 1,
            "pregnancy": 4 if age < 45 and sex == "f" else 0,
            "ulcer": 2 if city in REGIONS["north"] else 1,
        }
        rows.append((age, sex, city, draw.choices([*weights], [*weights.values()])[0]))
    return rows


def fill(connection: Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Copy rows into a table, named as in SQL."""
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def create_clinic(connection: Connection, records: int = 300, seed: int = 1) -> None:
    """Create the schema ``clinic`` with the table ``patient`` and two tables of hierarchies."""
    connection.execute(
        """
        CREATE SCHEMA clinic;
        CREATE TABLE clinic.patient (age int, sex text, city text, disease text);
        CREATE TABLE clinic.city_levels (city text, region text, root text);
        CREATE TABLE clinic.disease_levels (disease text, kind text, root text);
        """
    )
    fill(connection, "clinic.patient", draw_rows(records, seed))
    for name, tree in (("city", REGIONS), ("disease", KINDS)):
        paths = [(leaf, branch, "*") for branch, leaves in tree.items() for leaf in leaves]
        fill(connection, f"clinic.{name}_levels", paths)


def declare_clinic(connection: Connection, dataset: str = "patients") -> None:
    """Register the clinic's table with its hierarchies."""
    connection.execute(
        "SELECT bkpriv.register_dataset(%s, 'clinic.patient', %s, %s)",
        [dataset, QUASI_IDENTIFIERS, SENSITIVE],
    )
    for attribute in ("city", "disease"):
        connection.execute(
            "SELECT bkpriv.set_hierarchy(%s, %s, %s)",
            [dataset, attribute, f"clinic.{attribute}_levels"],
        )


def declare_people(connection: Connection, dataset: str = "people") -> None:
    """Number the clinic's patients in a table ``person``, and register it with the numbers."""
    connection.execute(
        "CREATE TABLE clinic.person AS SELECT row_number() OVER () AS id, * FROM clinic.patient"
    )
    connection.execute(
        "SELECT bkpriv.register_dataset(%s, 'clinic.person', %s, %s, 'id')",
        [dataset, QUASI_IDENTIFIERS, SENSITIVE],
    )


def declare_own(connection: Connection, dataset: str = "mine", table: str = "own") -> None:
    """Create a small table in the connection's own schema and register it."""
    connection.execute(
        sql.SQL(
            "CREATE TABLE {} AS "
            "SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i"
        ).format(sql.Identifier(table))
    )
    connection.execute("SELECT bkpriv.register_dataset(%s, %s, '{a}', 'b')", [dataset, table])


SHARP = {"bt_privacy": {"bandwidth": 0.3, "t": 0.02}}
"""Requirement that the three oldest of `declare_hopeless` meet; the others by omega only."""

HALF = {"suppression": 0.5}
"""Options by which incognito publishes three of the six."""


def declare_hopeless(connection: Connection) -> list[tuple[Any, ...]]:
    """Register ``people``, of whom the policy ``sharp`` lets none but the last three be published.

    Others may be suppressed as the method allows it; see `HALF`. The first three and the last three
    are the groups of the interval hierarchy.
    """
    people = [(int(age), secret) for age, secret in HOPELESS.rows if age is not None]
    connection.execute("CREATE TABLE people (age int, secret text)")
    fill(connection, "people", people)
    connection.execute("SELECT bkpriv.register_dataset('people', 'people', '{age}', 'secret')")
    connection.execute("SELECT bkpriv.set_interval_hierarchy('people', 'age', '{6}')")
    state_policy(connection, "sharp", {"k_anonymity": {"k": 2}} | SHARP)
    return people


def state_policy(connection: Connection, name: str, requirements: Any) -> None:
    """Set a policy."""
    connection.execute("SELECT bkpriv.set_policy(%s, %s)", [name, Jsonb(requirements)])


def publish(
    connection: Connection,
    dataset: str = "patients",
    policy: str = "plain",
    view: str = "public.patients",
    options: dict[str, Any] | None = None,
    method: str = "mondrian",
    seed: int | None = 1,
) -> int:
    """Publish, with the same draws every time if there is a seed, and return the release."""
    drawn = {} if seed is None else {"seed": seed}
    row = connection.execute(
        "SELECT bkpriv.publish(%s, %s, %s, %s, options => %s)",
        [dataset, policy, view, method, Jsonb(drawn | (options or {}))],
    ).fetchone()
    assert row is not None
    return int(row[0])


def one(connection: Connection, query: str, parameters: Sequence[Any] = ()) -> Any:
    """Return the first column of a query's only row."""
    ((value, *_),) = connection.execute(query, parameters).fetchall()
    return value


def rows_of(connection: Connection, relation: str) -> list[tuple[Any, ...]]:
    """Return a relation's rows, in the order in which they come; its name is written as in SQL."""
    # The columns of a view change with the method it is published by.
    query = sql.SQL("SELECT * FROM {}").format(sql.SQL(relation))
    return connection.execute(query, prepare=False).fetchall()


def sentence(connection: Connection, release: int) -> str:
    """Sentence of the verdict on a release, as its closing notice says it."""
    found: str = one(connection, "SELECT what FROM bkpriv.verdict(%s) LIMIT 1", [release])
    return found


def overhear(connection: Connection) -> list[str]:
    """Collect the notices that a connection receives from now on, each with its detail.

    The closing one, which every publication has, is left out.
    """
    said: list[str] = []

    def hear(notice: Diagnostic) -> None:
        if not CLOSING.match(notice.message_primary or ""):
            said.append(f"{notice.message_primary}: {notice.message_detail}")

    connection.add_notice_handler(hear)
    return said


def share(connection: Connection, view: str = "shown") -> None:
    """Let everybody read a view in the connection's own schema."""
    own = sql.Identifier(connection.info.user)
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(own))
    connection.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(sql.Identifier(view)))


def status(db: Connection, release: int = 1) -> str:
    """Status of a release."""
    found: str = one(db, "SELECT status FROM bkpriv.releases WHERE release = %s", [release])
    return found
