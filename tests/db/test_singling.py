"""Notices of quasi-identifiers that are nearly unique together, against counting in SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, overhear

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

PEOPLE = """
    CREATE TABLE public.people AS
    SELECT i AS number, date '1950-01-01' + (i * 7919 % 400) AS birth,
        (ARRAY['f', 'm'])[1 + i % 2] AS sex,
        lpad((10000 + i * 31 % 50 * 100 + i % 3)::text, 5, '0') AS zip, i * 37 % 73 AS age,
        i % 4 AS month, (ARRAY['flu', 'gout', 'ulcer'])[1 + i * i % 7 % 3] AS disease
    FROM generate_series(1, 1000) AS i
"""


def told(
    db: Connection,
    columns: Sequence[str],
    source: str = "public.people",
    more: str = "",
) -> list[str]:
    """Register a dataset, and return what is said of columns together."""
    heard = overhear(db)
    db.execute(
        f"SELECT bkpriv.register_dataset('people', %s, %s, 'disease'{more})", [source, [*columns]]
    )
    return [said for said in heard if "together" in said]


@pytest.fixture
def people(db: Connection) -> Connection:
    """Superuser's connection to a database with a thousand people."""
    db.execute(PEOPLE)
    return db


def cells(db: Connection, *columns: str) -> int:
    """Number of different rows of expressions."""
    found: int = one(
        db, f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(columns)} FROM public.people) AS x"
    )
    return found


@pytest.mark.parametrize("kind", ["table", "VIEW", "MATERIALIZED VIEW"])
def test_columns_that_single_people_out_together_are_named(people: Connection, kind: str) -> None:
    source = "public.people"
    if kind != "table":
        source = "public.shown"
        people.execute(f"CREATE {kind} public.shown AS TABLE public.people".encode())
    (said,) = told(people, ["sex", "zip", "age"], source)
    alone = one(
        people,
        "SELECT count(*) FROM (SELECT FROM public.people GROUP BY zip, age HAVING count(*) = 1) x",
    )
    assert said.startswith('quasi-identifiers of dataset "people" are nearly unique together: ')
    assert f'The columns "zip", "age" single out {alone} of 1000 records' in said
    for words, columns in [
        ("All 3 have", ["sex", "zip", "age"]),
        ('"zip" by its first 3 characters:', ["sex", "left(zip, 3)", "age"]),
        ('"zip" by its first 2 characters:', ["sex", "left(zip, 2)", "age"]),
        ('"age" in bins of 5:', ["sex", "zip", "age / 5"]),
        ('"age" in bins of 20:', ["sex", "zip", "age / 20"]),
        ("the last of each:", ["sex", "left(zip, 2)", "age / 20"]),
    ]:
        assert f"{words} {cells(people, *columns)}" in said, words


def test_days_are_tried_in_bins_of_the_calendar(people: Connection) -> None:
    (said,) = told(people, ["sex", "birth", "age"], more=""", bins => '{"birth": "week"}'""")
    for words, columns in [
        ("All 3 have", ["sex", "date_trunc('week', birth)", "age"]),
        ('"birth" in bins of month:', ["sex", "date_trunc('month', birth)", "age"]),
        ('"birth" in bins of year:', ["sex", "date_trunc('year', birth)", "age"]),
    ]:
        assert f"{words} {cells(people, *columns)}" in said, words


def test_bins_that_were_proposed_have_the_cells_that_were_told(people: Connection) -> None:
    hints: list[str | None] = []
    people.add_notice_handler(lambda notice: hints.append(notice.message_hint))
    (said,) = told(people, ["sex", "birth", "age"])
    (bins,) = [
        found[1] for hint in hints if hint and (found := re.search(r"bins => ('\{.*\}')", hint))
    ]
    told_of = re.search(r"the last of each: (\d+)", said)
    assert told_of
    people.execute("SELECT bkpriv.drop_dataset('people')")
    told(people, ["sex", "birth", "age"], more=f", bins => {bins}")
    people.execute("""SELECT bkpriv.set_policy('p', '{"k_anonymity": {"k": 2}}')""")
    found = one(people, "SELECT count(DISTINCT qi) FROM bkpriv.prior('people', '1')")
    assert found == int(told_of[1])


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        (["sex", "age"], ""),  # few
        (["zip"], ""),
        (["sex", "number"], ""),  # the one alone, of which there is a warning
        (["sex", "zip", "age"], """, bins => '{"age": 50}'"""),
    ],
)
def test_nothing_is_said_where_there_is_nothing(
    people: Connection, columns: list[str], more: str
) -> None:
    assert told(people, columns, more=more) == []


def test_records_are_told_apart_within_periods(people: Connection) -> None:
    # The same people every month: 250 rows of each.
    people.execute(
        "CREATE TABLE public.months AS SELECT p.zip, p.age, p.sex, p.disease, m AS month "
        "FROM public.people AS p, generate_series(1, 4) AS m"
    )
    assert told(people, ["zip", "age"], "public.months") == []
    people.execute("SELECT bkpriv.drop_dataset('people')")
    (said,) = told(people, ["zip", "age"], "public.months", more=", period => 'month'")
    assert "of 4000 records" in said


def test_a_large_table_is_sampled_and_it_is_said(db: Connection) -> None:
    db.execute(
        "CREATE TABLE public.people AS "
        "SELECT i % 1000 AS a, i / 1000 AS b, 'd' || i % 3 AS disease "
        "FROM generate_series(1, 250000) AS i; ANALYZE public.people"
    )
    (said,) = told(db, ["a", "b"])
    found = re.search(r"may be nearly unique together: .* single out (\d+) of (\d+) records", said)
    assert found
    assert found[1] == found[2]
    assert 80_000 <= int(found[2]) <= 100_000
    assert "sample" in said


def test_whoever_is_shown_some_rows_is_told_nothing(
    people: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    people.execute(
        sql.SQL("GRANT SELECT ON public.people TO {}").format(sql.Identifier(publisher.info.user))
    )
    assert len(told(publisher, ["zip", "age"])) == 1
    publisher.execute("SELECT bkpriv.drop_dataset('people')")
    people.execute(
        "CREATE POLICY all_of_them ON public.people USING (true);"
        "ALTER TABLE public.people ENABLE ROW LEVEL SECURITY"
    )
    assert told(publisher, ["zip", "age"]) == []


def test_odd_values_hinder_nothing(db: Connection) -> None:
    db.execute(
        """
        CREATE TABLE public.people (f float8, n numeric, d date, t text, disease text);
        INSERT INTO public.people
            SELECT i % 6, i % 7, date '2000-01-01' + i % 5, 'x' || i % 3, 'flu'
            FROM generate_series(1, 200) AS i;
        INSERT INTO public.people VALUES ('NaN', 'NaN', 'infinity', '', 'flu'), (NULL, NULL, NULL,
            NULL, 'flu'), ('-infinity', 1e200, '-infinity', repeat('é', 300), 'flu');
        """
    )
    (said,) = told(db, ["f", "n", "d", "t"])
    assert '"d" in bins of year' in said


@pytest.mark.parametrize("records", [0, 19])
def test_of_few_records_nothing_is_said(db: Connection, records: int) -> None:
    db.execute(PEOPLE.replace("1, 1000", f"1, {records}").encode())
    assert told(db, ["zip", "age"]) == []
