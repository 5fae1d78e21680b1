"""Binned columns: what is published covers the whole bins, and counts are of binned values."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, sample
from tests.db.binning import calendar, matched, multiples
from tests.db.clinic import fill, one, publish, state_policy
from tests.db.queries import (
    agree,
    asked,
    draw_condition,
    draw_grouping,
    run,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

REGISTER = "SELECT bkpriv.register_dataset(%s, %s, %s::text[], %s, bins => %s::jsonb)"

DAYS = [
    "1900-03-01", "1950-05-17", "1950-12-31", "1951-01-01", "1952-02-29", "1999-10-01",
    "2000-02-29", "2000-12-31", "2024-01-01", "2024-09-30", "0001-01-01", "2023-01-01",
]  # fmt: skip
TIMES = [
    "1999-12-31T23:59:59.999999", "2000-01-01", "2000-02-29T12:30", "2024-03-31T01:59:59",
    "2024-03-31T02:00", "2024-10-27T02:30", "2024-12-31T23:30", "1900-01-01T00:00:00.000001",
]  # fmt: skip
KINDS = [
    # type, bin, values, published type
    ("int4", 5, "-6 -5 -1 0 4 5 17 19 20 99", "int4range"),
    ("int2", 7, "-32768 -8 0 6 32767", "int4range"),
    ("int4", 10, "-2147483648 -1 0 2147483639 2147483647", "int8range"),
    ("int4", 10, "-2147483648 0 5", "int8range"),
    ("int4", 1, "2147483646 2147483647 3", "int8range"),
    ("int4", 1, "-3 -1 0 1 5", "int4range"),
    ("int8", 10, "9223372036854775807 -9223372036854775808 7", "numrange"),
    ("int8", 1000, "9007199254740993 9007199254740999 12", "int8range"),
    ("numeric", 3, "2.99999999999999999999999999999999 3 -0.1 5.9 1000000000000000.5", "numrange"),
    ("numeric", 0.1, "0.3 0.29999999999999999999 0.7 -0.1 0.35 12", "numrange"),
    ("numeric(6,2)", 2.5, "-0.5 0 2.5 2.49 1234.56", "numrange"),
    ("double precision", 0.1, "0.3 0.30000000000000004 2.9999999999999996 1e9 -1e-30", "numrange"),
    ("real", 0.1, "0.3 0.7 2.5 0.1 1e7 -0.25", "numrange"),
    *(("date", unit, " ".join(DAYS), "daterange")
      for unit in ("year", "quarter", "month", "week", "day")),
    *(("timestamp", unit, " ".join(TIMES), "tsrange")
      for unit in ("year", "quarter", "month", "week", "day", "hour")),
    *(("timestamptz", unit, " ".join(f"{time}{zone}" for time, zone in
       zip((t if "T" in t else f"{t}T00:00" for t in TIMES), ["+00", "+02", "-08", "+05:30"] * 2,
           strict=True)), "tstzrange") for unit in ("year", "month", "day", "hour")),
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(shared_db: Connection) -> Connection:
    """Superuser's connection to a database for a table after the other."""
    shared_db.prepare_threshold = None  # Columns change their types from test to test.
    state_policy(shared_db, "loose", {"k_anonymity": {"k": 30}})
    return shared_db


_numbers = itertools.count()


def stock(shop: Connection, kind: str, size: Any, values: Sequence[str]) -> str:
    """Create and register a table with a binned column ``v`` of a type; returns the dataset."""
    shop.execute("DROP TABLE IF EXISTS stock CASCADE")
    shop.execute("DROP VIEW IF EXISTS exact, exact_sensitive, shown, shown_sensitive")
    shop.execute(f"CREATE TABLE stock (v {kind}, w int)")
    fill(shop, "stock", [(values[i % len(values)], i * i % 5) for i in range(150)])
    dataset = f"stock {next(_numbers)}"
    shop.execute(REGISTER, [dataset, "stock", ["v"], "w", Jsonb({"v": size})])
    return dataset


@pytest.mark.parametrize(("kind", "size", "values", "published"), KINDS, ids=str)
def test_bins_of_every_type(
    shop: Connection, kind: str, size: Any, values: str, published: str
) -> None:
    shop.execute("SET timezone = 'America/St_Johns'")
    dataset = stock(shop, kind, size, values.split())
    cast_source = "::text" if kind in ("real", "double precision") else ""
    source = [value for (value,) in shop.execute(f"SELECT v{cast_source} FROM stock")]
    bin_of = calendar(size) if isinstance(size, str) else multiples(str(size))
    expected = Counter(map(bin_of, source))
    assert all(
        low <= comparable(value, low) < high for value in source for low, high in [bin_of(value)]
    )
    cast = "::numeric" if published in ("int4range", "int8range") else ""
    bounds = f"lower(v){cast}, upper(v){cast}"
    # Each bin as it is:
    publish(shop, dataset, "loose", "exact", method="bucketize")
    assert one(shop, "SELECT DISTINCT pg_typeof(v)::text FROM exact") == published
    assert Counter(shop.execute(f"SELECT {bounds} FROM exact").fetchall()) == expected
    # Ranges begin and end where bins do that occur. They may overlap, but each record has its own.
    publish(shop, dataset, "loose", "shown")
    shown = Counter(shop.execute(f"SELECT {bounds} FROM shown").fetchall())
    starts, ends = {start for start, _ in expected}, {end for _, end in expected}
    assert {low for low, _ in shown} <= starts
    assert {high for _, high in shown} <= ends
    assert min(shown.values()) >= 30
    records = list(shop.execute(f"SELECT v{cast_source}, w FROM stock"))
    boxes = shop.execute(f"SELECT {bounds}, w FROM shown").fetchall()
    assert len(boxes) == len(records)
    for w in {w for _, w in records}:
        held = [bin_of(v) for v, own in records if own == w]
        assert matched(held, [(low, high) for low, high, own in boxes if own == w])


def comparable(value: Any, bound: Any) -> Any:
    """A value of the source to compare with a bound."""
    return Decimal(str(value)) if isinstance(bound, Decimal) else value


@pytest.mark.crossed
@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
@pytest.mark.parametrize(
    ("kind", "size", "values"),
    [row[:3] for row in (*KINDS[::2], *KINDS[1::6])],
    ids=str,
)
def test_queries_see_the_starts_of_bins(
    shop: Connection, kind: str, size: Any, values: str, method: str
) -> None:
    shop.execute("SET timezone = 'UTC'")
    dataset = stock(shop, kind, size, values.split())
    release = publish(shop, dataset, "loose", "shown", method=method)
    number = not isinstance(size, str)
    expression = (
        # A quotient would be rounded.
        f"(v::text::numeric - mod(mod(v::text::numeric, {size}) + {size}, {size}))"
        if number
        else f"date_trunc('{size}', v{'' if kind == 'timestamptz' else '::timestamp'})::{kind}"
    )
    literals = [text if number else f"'{text}'" for text in values.split()]
    starts = shop.execute(f"SELECT DISTINCT ({expression})::text FROM stock").fetchall()
    literals += [text if number else f"'{text}'" for (text,) in starts]
    draw = random.Random(kind)
    for _ in range(sample(25)):
        condition = draw_condition(draw, {"v": literals, "w": ["0", "1", "4"]}, 2)
        query = f"SELECT count(*) FROM stock WHERE {condition}"
        binned = (
            f"SELECT count(*) FROM (SELECT {expression} AS v, w FROM stock) s WHERE {condition}"
        )
        assert agree(shop, release, query, within=1e-6)[0] == run(shop, binned), condition
    for _ in range(4):
        condition, grouping = draw_condition(draw, {"v": literals}, 1), draw_grouping(draw, "vw")
        where = f"WHERE {condition} GROUP BY {grouping}"
        agree(shop, release, f"SELECT count(*) FROM stock {where}", within=1e-7)


# --- Estimates ------------------------------------------------------------------------------------

CLINIC = """
    CREATE TABLE person AS
    SELECT date '1930-01-01' + ('x' || substr(md5(i::text), 1, 7))::bit(28)::int % 25000 AS born,
        20 + ('x' || substr(md5(i::text), 5, 7))::bit(28)::int % 70 AS age,
        (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 3] AS disease
    FROM generate_series(1, 500) AS i;
    DELETE FROM person WHERE born BETWEEN '1941-01-01' AND '1943-12-31';
"""


@pytest.fixture
def people(db: Connection) -> Connection:
    """Database with people whose birth is binned by year, and age by five years."""
    db.execute(CLINIC)
    bins = Jsonb({"born": "year", "age": 5})
    db.execute(REGISTER, ["people", "person", ["born", "age"], "disease", bins])
    state_policy(db, "ten", {"k_anonymity": {"k": 10}})
    return db


def year(day: date) -> date:
    """The bin of a day."""
    return date(day.year, 1, 1)


def five(age: int) -> int:
    """The bin of an age."""
    return age // 5 * 5


def share(shown: Any, known: set[Any], bin_of: Callable[[Any], Any], holds: Any) -> Fraction:
    """Share of the days, or years of age, of a range whose value meets a condition."""
    points = []
    point = shown.lower
    while point < shown.upper:
        points.append(bin_of(point) if bin_of(point) in known else point)
        point += timedelta(days=1) if isinstance(point, date) else 1
    return Fraction(sum(map(holds, points)), len(points))


def behind(first: date, last: date) -> Callable[[date], bool]:
    """Whether a day is after one day and not after another."""
    return lambda day: first < day <= last


def within(least: int, most: int) -> Callable[[int], bool]:
    """Whether an age is at least one and less than another."""
    return lambda age: least <= age < most


@pytest.mark.parametrize("method", ["mondrian", "incognito"])
def test_estimates_day_by_day(people: Connection, method: str) -> None:
    people.execute("SELECT bkpriv.set_interval_hierarchy('people', 'born', '{3653,7306}')")
    people.execute("SELECT bkpriv.set_interval_hierarchy('people', 'age', '{10,20}')")
    release = publish(people, "people", "ten", "shown", method=method)
    rows = people.execute("SELECT born, age, disease FROM shown").fetchall()
    source = people.execute("SELECT born, age, disease FROM person").fetchall()
    assert len(rows) == len(source)
    births, ages = {year(row[0]) for row in source}, {five(row[1]) for row in source}
    draw = random.Random(3)
    for _ in range(sample(12)):
        first, last = sorted(date(1930, 1, 1) + timedelta(draw.randrange(25000)) for _ in "ab")
        least, most = sorted(draw.randrange(15, 95) for _ in "ab")
        query = (
            f"SELECT count(*) FROM people WHERE born > '{first}' AND born <= '{last}' "
            f"AND NOT (age >= {most} OR age < {least}) AND disease <> 'flu'"
        )
        in_time, in_age = behind(first, last), within(least, most)
        actual, estimate = agree(people, release, query)
        assert actual == sum(
            in_time(year(born)) and in_age(five(age)) and disease != "flu"
            for born, age, disease in source
        )
        of_born = {born: share(born, births, year, in_time) for born in {row[0] for row in rows}}
        of_age = {age: share(age, ages, five, in_age) for age in {row[1] for row in rows}}
        expected = sum(
            of_born[born] * of_age[age] for born, age, disease in rows if disease != "flu"
        )
        assert estimate == pytest.approx(float(expected), abs=1e-9), query


def test_grouping_by_bins(people: Connection) -> None:
    release = publish(people, "people", "ten", "shown")
    rows = people.execute("SELECT born, age FROM shown").fetchall()
    found = {key["born"]: (actual, estimate) for key, actual, estimate, _ in asked(
        people, release, "SELECT born, count(*) FROM people GROUP BY born")}  # fmt: skip
    source = Counter(born.year for (born,) in people.execute("SELECT born FROM person"))
    assert {key: actual for key, (actual, _) in found.items()} == {
        f"{year}-01-01": count for year, count in source.items()
    }
    for year in source:
        days = date(year + 1, 1, 1) - date(year, 1, 1)
        expected = sum(
            days / (born.upper - born.lower)
            for born, _ in rows
            if born.lower <= date(year, 1, 1) < born.upper
        )
        assert found[f"{year}-01-01"][1] == pytest.approx(expected)


# --- What else sees bins --------------------------------------------------------------------------


def test_the_penalty_is_the_share_of_what_all_bins_span(people: Connection) -> None:
    release = publish(people, "people", "ten", "shown")
    rows = people.execute("SELECT born, age FROM shown").fetchall()
    ends = people.execute(
        "SELECT date_trunc('year', min(born))::date, "
        "(date_trunc('year', max(born)) + interval '1 year')::date, min(age) / 5 * 5, "
        "max(age) / 5 * 5 + 5 FROM person"
    ).fetchall()[0]
    total = 0.0
    for born, age in rows:
        if born.upper.year - born.lower.year > 1:
            total += (born.upper - born.lower) / (ends[1] - ends[0])
        if age.upper - age.lower > 5:
            total += (age.upper - age.lower) / (ends[3] - ends[2])
    gcp = one(people, "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'", [release])
    assert gcp == pytest.approx(total / 2 / len(rows))


def test_priors_are_those_of_a_view_that_bins(people: Connection) -> None:
    people.execute(
        "CREATE VIEW binned AS SELECT date_trunc('year', born)::date AS born, "
        "age / 5 * 5 AS age, disease FROM person"
    )
    people.execute("SELECT bkpriv.register_dataset('same', 'binned', '{born,age}', 'disease')")
    statement = "SELECT qi::text, sensitive, probability FROM bkpriv.prior(%s, '0.2')"
    one_way = sorted(people.execute(statement, ["people"]).fetchall())
    assert one_way == sorted(people.execute(statement, ["same"]).fetchall())
    assert len(one_way) > 300


def test_a_sensitive_column_is_binned_too(people: Connection) -> None:
    people.execute("ALTER TABLE person ADD income numeric; UPDATE person SET income = age * 100.5")
    bins = Jsonb({"income": 2000})
    people.execute(REGISTER, ["paid", "person", ["born", "age"], "income", bins])
    expected = Counter(
        int(income // 2000) * 2000 for (income,) in people.execute("SELECT income FROM person")
    )
    for method in ("mondrian", "bucketize", "anatomy"):
        state_policy(people, "two", {"l_diversity": {"l": 2}})
        release = publish(people, "paid", "two", f"paid_{method}", method=method)
        suffix, weight = ("_sensitive", "sum(count)") if method == "anatomy" else ("", "count(*)")
        shown = people.execute(
            f"SELECT lower(income)::int, upper(income)::int, {weight}::int "
            f"FROM paid_{method}{suffix} GROUP BY 1, 2"
        ).fetchall()
        assert all(end == start + 2000 for start, end, _ in shown)
        assert {start: count for start, _, count in shown} == expected
        agree(people, release, "SELECT count(*) FROM paid WHERE income > 4000 AND age < 60")


def test_statements_by_several_bins_give_the_estimates(people: Connection) -> None:
    people.execute("ALTER TABLE person ADD weight numeric; UPDATE person SET weight = age * 1.37")
    people.execute("UPDATE person SET born = NULL, weight = NULL WHERE age % 9 = 0")
    bins = {"born": "month", "age": 5, "weight": 12.5}
    people.execute(REGISTER, ["heavy", "person", list(bins), "disease", Jsonb(bins)])
    release = publish(people, "heavy", "ten", "shown", {"nulls": "category"})
    for keys, condition in (
        ("born", "true"),
        ("born, age", "weight > 40 OR born IS NULL"),
        ("weight, disease", "weight < 90.01 AND born < '1990-05-05'"),
        ("CUBE (age, weight)", "NOT weight BETWEEN 50 AND 62.5"),
    ):
        heavy = f"FROM heavy WHERE {condition} GROUP BY {keys}"
        agree(people, release, f"SELECT count(*) {heavy}", within=1e-7)


def test_null_is_a_bin_of_its_own(people: Connection) -> None:
    people.execute("UPDATE person SET born = NULL, age = NULL WHERE age % 9 = 0")
    for method in ("mondrian", "bucketize"):
        release = publish(people, "people", "ten", method, {"nulls": "category"}, method)
        query = "SELECT count(*) FROM people WHERE born IS NULL OR age > 40"
        assert agree(people, release, query)[0] == run(
            people, "SELECT count(*) FROM person WHERE born IS NULL OR age / 5 * 5 > 40"
        )


def test_hierarchies_are_of_the_starts_of_bins(people: Connection) -> None:
    people.execute(
        "CREATE TABLE born_levels AS SELECT DISTINCT date_trunc('year', born)::date::text AS born, "
        "extract(decade FROM born)::text || '0s' AS decade, '*' AS anything FROM person"
    )
    people.execute("SELECT bkpriv.set_hierarchy('people', 'born', 'born_levels')")
    publish(people, "people", "ten", "shown")
    labels = {label for (label,) in people.execute("SELECT DISTINCT born FROM shown")}
    known = {label for row in people.execute("TABLE born_levels") for label in row}
    assert labels <= known
    release = publish(people, "people", "ten", "exact", method="bucketize")
    assert one(people, "SELECT DISTINCT pg_typeof(born)::text FROM exact") == "daterange"
    query = "SELECT count(*) FROM people WHERE born IN ('1950-01-01', '1951-01-01') AND age < 60"
    assert agree(people, release, query)[0] > 0


def test_staleness_is_known_of_a_binned_table(people: Connection) -> None:
    publish(people, "people", "ten", "shown")
    assert one(people, "SELECT stale FROM bkpriv.releases") is False
    people.execute("UPDATE person SET age = age + 1")
    assert one(people, "SELECT stale FROM bkpriv.releases") is True


def test_a_release_is_audited_as_it_was_published(people: Connection) -> None:
    state_policy(people, "informed", {"bt_privacy": [{"bandwidth": 0.5, "t": 0.3}]})
    release = publish(people, "people", "informed", "shown")
    people.execute("DROP TABLE person CASCADE")
    found = people.execute("SELECT bool_and(satisfied) FROM bkpriv.audit(%s)", [release])
    assert found.fetchall() == [(True,)]
    ends = one(people, "SELECT ends FROM bkpriv.release_attribute WHERE attribute = 'age'")
    starts = one(people, "SELECT positions FROM bkpriv.release_attribute WHERE attribute = 'age'")
    assert ends == [start + 5 for start in starts]


# --- Refusals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dated_clinic(shared_clinic: Connection) -> Connection:
    """Clinic whose patients have a date; tests change nothing."""
    shared_clinic.execute("ALTER TABLE clinic.patient ADD since date")
    return shared_clinic


@pytest.mark.parametrize(
    ("bins", "names"),
    [
        ("null", ["bins"]),
        (None, ["bins"]),
        ('{"nobody": 5}', ['"nobody"']),
        ('{"city": 5}', ['"city"']),
        ('{"disease": "year"}', ['"disease"']),
        ('{"age": 2.5}', ['"age"', "whole"]),
        ('{"age": 1e400}', ["bins", "1e+400"]),
        ('{"age": 1e-400}', ["bins", "1e-400"]),
        ("[" * 2000 + "]" * 2000, ["bins", "nested"]),
    ],
)
def test_what_is_no_bin_is_refused(
    dated_clinic: Connection, bins: str | None, names: list[str]
) -> None:
    with unchanged(dated_clinic):
        arguments = ["x", "clinic.patient", ["age", "city", "since"], "disease", bins]
        refused(dated_clinic, REGISTER, arguments, sqlstate="22023", names=names)


def test_a_column_whose_type_changed_is_refused(people: Connection) -> None:
    people.execute("ALTER TABLE person ALTER age TYPE text")
    with unchanged(people):
        statement = "SELECT bkpriv.publish('people', 'ten', 'shown')"
        refused(people, statement, sqlstate="22023", names=['"age"'])
