"""Identification: which columns of a table tell people apart, and what they look like."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

INSPECT = "SELECT * FROM bkpriv.inspect_columns(%s)"

PEOPLE = """
    CREATE TABLE clinic.people AS SELECT i AS id, 20 + i * 7 % 60 AS age,
        (ARRAY['f', 'm'])[1 + i % 2] AS "Sex", date '1950-01-01' + i * 37 % 9000 AS born,
        (ARRAY['24103', '24105', '22111'])[1 + i * i % 3] AS zip, 'here' AS place,
        CASE WHEN i % 5 > 0 THEN (ARRAY['flu', 'asthma', 'ulcer'])[1 + i / 61 % 3] END AS found,
        'Came in on day ' || i || ' and was sent home at once' AS note, i * 31 % 97 / 4.0 AS dose
    FROM generate_series(1, 400) AS i
"""


@pytest.fixture
def people(clinic: Connection) -> Connection:
    """The clinic, with a table of people of whom there is much to say."""
    clinic.execute(PEOPLE)
    return clinic


def inspect(connection: Connection, table: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Rows about columns and of combinations of them."""
    cursor = connection.execute(INSPECT, [table])
    names = [column.name for column in cursor.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {tuple(row["columns"]): row for row in rows}


def counted(
    connection: Connection, table: str, columns: tuple[str, ...]
) -> tuple[float, float, int]:
    """Distinction, separation and unique people, counted pair by pair."""
    alike = sql.SQL(" AND ").join(
        sql.SQL("a.{0} IS NOT DISTINCT FROM b.{0}").format(sql.Identifier(name)) for name in columns
    )
    query = sql.SQL(
        "WITH r AS (SELECT row_number() OVER () AS r, * FROM {table}), "
        "x AS (SELECT a.r, count(*) AS n, min(b.r) = a.r AS first "
        "FROM r AS a JOIN r AS b ON {alike} GROUP BY a.r) "
        "SELECT avg(first::int)::float8, 1 - sum(n - 1)::float8 / (count(*) * (count(*) - 1)), "
        "count(*) FILTER (WHERE n = 1) FROM x"
    ).format(table=sql.SQL(table), alike=alike)
    ((distinct, apart, alone),) = connection.execute(query).fetchall()
    return distinct, apart, alone


def test_figures_are_those_of_counting_pair_by_pair(people: Connection) -> None:
    found = inspect(people, "clinic.people")
    singles = [columns for columns in found if len(columns) == 1]
    assert [name for (name,) in singles] == [
        *("id", "age", "Sex", "born", "zip", "place", "found", "note", "dose")
    ]
    assert {len(columns) for columns in found} == {1, 2, 3}
    for columns in [*singles, *[each for each in found if len(each) > 1][::4]]:
        row = found[columns]
        figures = row["distinct_share"], row["separated_share"], row["unique_people"]
        assert figures == pytest.approx(counted(people, "clinic.people", columns)), columns
        assert (row["records"], row["sampled"]) == (400, False)


def test_the_best_pairs_come_first(people: Connection) -> None:
    people.execute(
        'CREATE TABLE clinic.few AS SELECT age, "Sex", zip, dose FROM clinic.people LIMIT 100'
    )
    found = inspect(people, "clinic.few")
    pairs = [columns for columns in found if len(columns) == 2]
    alone = {pair: counted(people, "clinic.few", pair)[2]
             for pair in combinations(("age", "Sex", "zip", "dose"), 2)}  # fmt: skip
    assert alone[pairs[0]] == max(alone.values())
    assert [found[pair]["unique_people"] for pair in pairs] == sorted(
        (alone[pair] for pair in pairs), reverse=True
    )


def test_columns_look_like_what_they_are(people: Connection) -> None:
    found = inspect(people, "clinic.people")
    assert {
        columns[0]: row["looks_like"] for columns, row in found.items() if len(columns) == 1
    } == {
        "id": "key",
        "age": "number, quasi-identifier",
        "Sex": "label, quasi-identifier",
        "born": "date, quasi-identifier",
        "zip": "code, quasi-identifier",
        "place": "constant",
        "found": "label, sensitive",
        "note": "free text",
        "dose": "number, quasi-identifier",
    }
    roles = {columns[0]: row["role"] for columns, row in found.items() if len(columns) == 1}
    assert roles["id"] is roles["place"] is roles["note"] is None
    assert roles["found"] == "sensitive"
    assert found["found",]["nulls"] == 80
    assert found["id",]["reason"] == "400 values in 400 records, as keys have"


def test_a_dataset_may_be_registered_as_proposed(people: Connection) -> None:
    people.execute(
        """
        SELECT bkpriv.register_dataset('proposed', 'clinic.people',
            array_agg(columns[1]) FILTER (WHERE role = 'quasi_identifiers'),
            array_agg(columns[1]) FILTER (WHERE role = 'sensitive'))
        FROM bkpriv.inspect_columns('clinic.people')
        """
    )


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        (["Kiel", "kiel", "KIEL"], 2),
        (["Ulm", " Ulm", "Ulm ", "U lm"], 2),
        (["New York", "New  York", "New\u00a0York"], 2),
        (["Köln", "Ko\u0308ln", "KÖLN"], 2),
        (["Ulm", "Bonn"], 0),
    ],
)
def test_values_that_read_alike_are_counted(
    clinic: Connection, values: list[str], alike: int
) -> None:
    clinic.execute(
        "CREATE TABLE clinic.towns AS SELECT unnest(%s::text[]) AS town, generate_series(1, 30)",
        [values],
    )
    row = inspect(clinic, "clinic.towns")["town",]
    assert row["alike"] == alike
    assert ("differ from others only in case" in row["reason"]) == (alike > 0)


def test_numbers_are_told_apart_as_numbers(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE clinic.n (v numeric, w float8)")
    clinic.execute("INSERT INTO clinic.n VALUES (1.0, 0), (1.00, 'NaN'), (2, 'Infinity')")
    found = inspect(clinic, "clinic.n")
    assert found["v",]["distinct_share"] == pytest.approx(2 / 3)
    assert found["w",]["distinct_share"] == 1


def test_missing_numbers_have_no_part_in_their_range(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE clinic.cost AS "
        "SELECT nullif(i, 7) / 4.0 AS eur FROM generate_series(1, 40) AS i"
    )
    assert "39 values from 0.25 to 10;" in inspect(clinic, "clinic.cost")[("eur",)]["reason"]


def test_all_types_are_looked_at(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TYPE clinic.mood AS ENUM ('sad', 'glad');
        CREATE TABLE clinic.odd (j json, b bytea, p point, x xml, a int[], m clinic.mood,
            t timestamptz, u uuid, c char(3), i interval, r int4range);
        INSERT INTO clinic.odd (j, t) VALUES ('{}', 'infinity'), (NULL, now());
        """
    )
    assert len([columns for columns in inspect(clinic, "clinic.odd") if len(columns) == 1]) == 11


@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
def test_a_large_table_is_sampled_alike_each_time(clinic: Connection, kind: str) -> None:
    told: list[str] = []
    clinic.add_notice_handler(lambda said: told.append(f"{said.message_detail}"))
    clinic.execute(
        f"CREATE {kind} clinic.large AS SELECT i AS id, i % 200 AS a, i / 2 AS b "
        "FROM generate_series(1, 150000) AS i"
    )
    if kind == "TABLE":
        clinic.execute("ANALYZE clinic.large")
    found = inspect(clinic, "clinic.large")
    row = found["a",]
    assert row["sampled"]
    assert 90_000 < row["records"] <= 100_000
    assert row["separated_share"] == pytest.approx(0.995, abs=1e-3)
    assert found["id",]["unique_people"] == row["records"]
    assert found["id",]["looks_like"] == "key"
    # Half of the pairs of equals are parted by the sample, which makes them look unique.
    assert found["b",]["unique_people"] > 10_000
    assert inspect(clinic, "clinic.large") == found
    assert "overstate" in told[0]


def test_an_empty_table_says_that_there_is_nothing(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE clinic.empty (a int, b text)")
    found = inspect(clinic, "clinic.empty")
    assert [row["looks_like"] for row in found.values()] == ["constant", "constant"]
    assert [row["distinct_share"] for row in found.values()] == [0, 0]


def test_too_many_columns_are_refused_before_they_are_read(clinic: Connection) -> None:
    columns = ", ".join(f"c{place} int" for place in range(401))
    clinic.execute(f"CREATE TABLE clinic.wide ({columns})")
    refused(clinic, INSPECT, ["clinic.wide"], sqlstate="54000", names=["clinic.wide", "401"])
    clinic.execute("ALTER TABLE clinic.wide DROP c0")
    clinic.execute("INSERT INTO clinic.wide DEFAULT VALUES")
    assert len(inspect(clinic, "clinic.wide")) == 400


def test_catalogs_of_all_databases_are_no_moving_target(clinic: Connection) -> None:
    assert one(clinic, "SELECT count(*) > 0 FROM bkpriv.inspect_columns('pg_database')")


def test_what_cannot_be_read_is_refused(clinic: Connection) -> None:
    refused(clinic, INSPECT, [None], sqlstate="22023", names=["source"])
    clinic.execute("CREATE SEQUENCE clinic.counter")
    refused(clinic, INSPECT, ["clinic.counter"], sqlstate="42809", names=["counter"])


def test_publishers_need_select_and_no_more(clinic: Connection) -> None:
    clinic.execute("CREATE ROLE looker")
    clinic.execute(
        "SELECT bkpriv.grant_publisher('looker'); GRANT USAGE ON SCHEMA clinic TO looker"
    )
    clinic.execute("SET LOCAL ROLE looker")
    refused(clinic, INSPECT, ["clinic.patient"], sqlstate="42501", names=["patient", "age"])
    clinic.execute("RESET ROLE; GRANT SELECT (age) ON clinic.patient TO looker; SET ROLE looker")
    assert {row[0][0] for row in clinic.execute(INSPECT, ["clinic.patient"])} == {"age"}
    clinic.execute("RESET ROLE; GRANT SELECT ON clinic.patient TO looker; SET ROLE looker")
    assert len(inspect(clinic, "clinic.patient")) > 4
    assert one(clinic, "SELECT count(*) FROM bkpriv.dataset") == 0
    clinic.execute("RESET ROLE")


NAMED = """
    CREATE TABLE clinic.named AS SELECT
        (ARRAY['Ann', 'Hana', 'Ivo', 'Jana', 'Kai', 'Zsófi', 'Nora', 'Olli', 'Xenia'])[1 + i % 9]
            AS c1,
        (ARRAY['Müller', 'García', 'Nguyen', 'Kowalska', 'Rossi', 'Hofer'])[1 + i * i % 13 % 6]
            AS c2,
        (ARRAY['Dr. Anna Hofer', 'Patel, Raj', 'Yusuf Demir', 'Li Wei'])[1 + i % 11 % 4] AS c3,
        (ARRAY['San Francisco', 'St. Mary', 'Florence', 'Paris', 'Austin', 'Santa Ana', 'Köln'])
            [1 + i % 7] AS c4,
        (ARRAY['Baker', 'Teacher', 'Smith', 'Nurse', 'Clerk', 'Carpenter'])[1 + i % 17 % 6] AS c5,
        (ARRAY['St John Hospital', 'Klinik Maria Hilf am See', 'Thomas Park'])[1 + i % 3] AS c6,
        (ARRAY['Brown', 'Blond', 'Black', 'Gray'])[1 + i % 19 % 4] AS c7,
        (ARRAY['Mexico', 'Jordan', 'Georgia', 'Poland', 'China'])[1 + i % 23 % 5] AS c8,
        (ARRAY['flu', 'gout', 'ulcer'])[1 + i / 30 % 3] AS c9
    FROM generate_series(1, 500) AS i
"""


def test_names_of_people_are_told_from_towns_occupations_and_colours(clinic: Connection) -> None:
    clinic.execute(NAMED)
    found = inspect(clinic, "clinic.named")
    called = {
        columns[0] for columns, row in found.items() if "names of people" in (row["reason"] or "")
    }
    assert called == {"c1", "c2", "c3"}
    for name in ("c4", "c5", "c6", "c7", "c8"):
        assert found[name,]["role"] == "quasi_identifiers", name
