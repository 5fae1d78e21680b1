"""Columns of every type, as quasi-identifier and as sensitive attribute.

Every type here is checked from the view and the source alone: a published value is a range or label
that some source value lies in, nothing lies outside, and the sensitive values are the source's.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import fill, one, publish, state_policy
from tests.db.refusal import refused

NUMERIC = {
    # type: (values, published type)
    "int2": ("-3 -1 0 7 8 12 30 32767 -32768", "int4range"),
    "int4": ("-3 -1 0 7 8 12 30", "int4range"),
    "int8": ("-3 0 7 9007199254740993 9007199254740995", "int8range"),
    "numeric": ("-0.5 0 0.1 0.10 2.5 100000000000000000000.5", "numrange"),
    "numeric(6,2)": ("-0.5 0 0.1 2.5 1234.56", "numrange"),
    "real": ("-0.5 0 0.1 2.5 1e30", "numrange"),
    "double precision": ("-0.5 0 0.1 2.5 1e-300 1e300", "numrange"),
    "date": ("1999-12-31 2000-02-29 2024-01-01 0001-01-01", "daterange"),
    "timestamp": ("1999-12-31T23:59:59.999999 2000-01-01 2024-07-01T12:00", "tsrange"),
    "timestamptz": ("1999-12-31T23:59+02 2000-01-01T00:00Z 2024-07-01T12:00-08", "tstzrange"),
    "shop.size": ("1 2 3 40 50", "int4range"),  # a domain over a domain over int
    # Where the largest integer occurs, the next wider range can hold it.
    "integer": ("-2147483648 0 2147483646 2147483647", "int8range"),
    "bigint": ("-9223372036854775808 0 9223372036854775806 9223372036854775807", "numrange"),
}

CATEGORIES = {
    "text": "a b c D é 日本 '' **",
    "varchar(9)": "a b c d",
    "char(4)": "a b cc abcd",
    "boolean": "t f",
    "shop.colour": "red green blue",  # an enumeration
    "shop.paint": "red blue",  # a domain over it
    "shop.word": "a b c",  # a domain over text
    "uuid": "00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-000000000002",
    "inet": "10.0.0.1 10.0.0.2 10.0.0.0/8",
    "bytea": "\\x00 \\x01 \\xff00",
    "interval": "P1D P1M PT1H",
    "time": "00:00 12:30 23:59:59",
    "bit(2)": "00 01 11",
    "jsonb": '{} {"a":1} [1,2]',
    "int[]": "{} {1} {1,2}",
    "text[]": "{} {a} {NULL,b}",
    "int4range": "[1,3) [2,9) empty",
    "money": "1 2.5 3",
    '"char"': "a b c",
    'shop."odd\'type"': "x y",
}


@pytest.fixture(scope="module")
def shop(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with types of its own."""
    shared_db.execute(
        """
        CREATE SCHEMA shop;
        CREATE TYPE shop.colour AS ENUM ('red', 'green', 'blue');
        CREATE TYPE shop."odd'type" AS ENUM ('x', 'y');
        CREATE DOMAIN shop.paint AS shop.colour CHECK (value <> 'green');
        CREATE DOMAIN shop.word AS text NOT NULL CHECK (value <> 'z');
        CREATE DOMAIN shop.count AS int CHECK (value > 0);
        CREATE DOMAIN shop.size AS shop.count;
        CREATE TYPE shop.span AS RANGE (subtype = int4);
        CREATE TYPE shop.pair AS (a int, b text);
        CREATE EXTENSION citext SCHEMA shop;
        SET intervalstyle = iso_8601;
        """
    )
    state_policy(shared_db, "loose", {"k_anonymity": {"k": 7}})
    return shared_db


_numbers = itertools.count()


def stock(shop: Connection, kind: str, values: Sequence[str], *, sensitive: bool) -> str:
    """Create and register a table with a column ``v`` of a type; returns the dataset."""
    shop.execute("DROP VIEW IF EXISTS shop.v; DROP TABLE IF EXISTS shop.stock CASCADE")
    shop.execute(f"CREATE TABLE shop.stock (v {kind}, w int)")
    texts = ["" if value == "''" else value for value in values]
    fill(shop, "shop.stock", [(texts[i % len(texts)], i * i % 5) for i in range(120)])
    dataset = f"stock {next(_numbers)}"
    roles = ("{w}", "v") if sensitive else ("{v}", "w")
    shop.execute("SELECT bkpriv.register_dataset(%s, 'shop.stock', %s, %s)", [dataset, *roles])
    return dataset


@pytest.mark.parametrize("kind", NUMERIC)
def test_numbers_are_published_as_ranges(shop: Connection, kind: str) -> None:
    values, published = NUMERIC[kind]
    release = publish(shop, stock(shop, kind, values.split(), sensitive=False), "loose", "shop.v")
    assert one(shop, "SELECT DISTINCT pg_typeof(v)::text FROM shop.v") == published
    element = {
        "int4range": "int4", "int8range": "int8", "numrange": "numeric",
        "daterange": "date", "tsrange": "timestamp", "tstzrange": "timestamptz",
    }[published]  # fmt: skip
    through = "::text" if kind in ("real", "double precision") else ""
    # Each range starts and ends at a source value, and every record has its place.
    ((uncovered, loose, empty),) = shop.execute(
        f"""
        WITH s AS (SELECT v{through}::{element} AS v, count(*) AS n FROM shop.stock GROUP BY 1),
        boxes AS (SELECT v, count(*) AS n FROM shop.v GROUP BY v)
        SELECT (SELECT count(*) FROM s WHERE NOT EXISTS (SELECT FROM boxes b WHERE b.v @> s.v)),
            (SELECT count(*) FROM boxes b
             WHERE b.n > (SELECT sum(n) FROM s WHERE b.v @> s.v)
                OR lower(b.v) NOT IN (SELECT v FROM s) OR NOT lower_inc(b.v)),
            (SELECT count(*) FROM boxes WHERE isempty(v) OR v IS NULL OR upper_inf(v))
        """
    ).fetchall()
    assert (uncovered, loose, empty) == (0, 0, 0)
    largest = (
        f"SELECT bool_or(v @> (SELECT max(v{through}::{element}) FROM shop.stock)) FROM shop.v"
    )
    assert one(shop, largest) is True
    assert one(shop, "SELECT count(*) FROM shop.v") == 120
    assert one(shop, "SELECT groups FROM bkpriv.release WHERE release = %s", [release]) > 1


@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_are_published_as_labels(shop: Connection, kind: str) -> None:
    dataset = stock(shop, kind, CATEGORIES[kind].split(), sensitive=False)
    publish(shop, dataset, "loose", "shop.v")
    assert one(shop, "SELECT DISTINCT pg_typeof(v)::text FROM shop.v") == "text"
    counts = "SELECT v::text, count(*) FROM {} GROUP BY 1"
    source: dict[str, int] = dict(
        shop.execute(sql.SQL(counts).format(sql.SQL("shop.stock"))).fetchall()
    )
    shown: dict[str, int] = dict(shop.execute(sql.SQL(counts).format(sql.SQL("shop.v"))).fetchall())
    # Without a hierarchy a value is published as it is, or as the root of all.
    assert {value: n for value, n in shown.items() if value != "*"}.items() <= source.items()
    assert sum(shown.values()) == 120


@pytest.mark.parametrize("kind", [*NUMERIC, *CATEGORIES])
def test_sensitive_values_are_published_as_they_are(shop: Connection, kind: str) -> None:
    values = CATEGORIES.get(kind) or NUMERIC[kind][0]
    publish(shop, stock(shop, kind, values.split(), sensitive=True), "loose", "shop.v")
    base = {
        "shop.size": "integer", "shop.word": "text",
        "shop.paint": "text", "shop.colour": "text", 'shop."odd\'type"': "text",
        "varchar(9)": "varchar", "char(4)": "char", "bit(2)": "bit", "numeric(6,2)": "numeric",
    }.get(kind, kind)  # fmt: skip
    assert one(shop, "SELECT DISTINCT pg_typeof(v) = %s::regtype FROM shop.v", [base])
    through = "::text" if base == "text" else ""
    ((lost, made_up),) = shop.execute(
        f"""
        WITH s AS (SELECT v{through} FROM shop.stock), p AS (SELECT v FROM shop.v)
        SELECT (SELECT count(*) FROM (TABLE s EXCEPT ALL TABLE p) AS x),
            (SELECT count(*) FROM (TABLE p EXCEPT ALL TABLE s) AS x)
        """
    ).fetchall()
    assert (lost, made_up) == (0, 0)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("shop.citext", "a B c D"),
        ("shop.span", "[1,3) [2,9)"),
        ("shop.pair", "(1,x) (2,)"),
        ("shop.span[]", '{"[1,3)"} {"[2,9)","[4,5)"}'),
        ("regclass", "pg_attribute pg_class"),
        ("regrole[]", "{postgres} {pg_monitor,postgres}"),
    ],
)
def test_types_from_elsewhere_are_published_as_text(
    shop: Connection, kind: str, values: str
) -> None:
    # A type's own code would run as the owner of the release table; and what has a name is renamed.
    publish(shop, stock(shop, kind, values.split(), sensitive=True), "loose", "shop.v")
    shown = shop.execute("SELECT v, pg_typeof(v)::text FROM shop.v").fetchall()
    source = shop.execute("SELECT v::text, 'text' FROM shop.stock").fetchall()
    assert Counter(shown) == Counter(source)


def test_values_that_a_type_holds_to_be_equal_are_one_value(shop: Connection) -> None:
    dataset = stock(shop, "shop.citext", ["north", "North", "NORTH", "south"], sensitive=False)
    publish(shop, dataset, "loose", "shop.v")
    shown = shop.execute("SELECT v, count(*) FROM shop.v GROUP BY v").fetchall()
    assert sorted((label.lower(), count) for label, count in shown) == [
        ("north", 90),
        ("south", 30),
    ]


def test_values_that_a_collation_holds_to_be_equal_are_one_value(shop: Connection) -> None:
    if not one(shop, "SELECT count(*) FROM pg_collation WHERE collprovider = 'i'"):
        pytest.skip("this server was built without ICU, which has such collations")
    shop.execute(
        "CREATE COLLATION shop.anycase (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)"
    )
    dataset = stock(shop, "text COLLATE shop.anycase", ["north", "North", "s"], sensitive=False)
    publish(shop, dataset, "loose", "shop.v")
    shown = shop.execute("SELECT v, count(*) FROM shop.v GROUP BY v").fetchall()
    assert sorted((label.lower(), count) for label, count in shown) == [("north", 80), ("s", 40)]


# --- NULL as a value ------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("kind", ["integer", "numeric", "date", "text", "boolean", "shop.colour"])
@pytest.mark.parametrize("nulls", [0.02, 0.3, 1.0])
def test_null_is_a_value_of_its_own_where_it_is_asked_for(
    shop: Connection, kind: str, nulls: float
) -> None:
    values = {
        "integer": "1 2 3 40", "numeric": "0.5 1", "date": "2000-01-01 2020-02-02",
        "text": "a b c", "boolean": "t f", "shop.colour": "red blue",
    }[kind].split()  # fmt: skip
    dataset = stock(shop, kind, values, sensitive=False)
    shop.execute(
        "UPDATE shop.stock SET v = NULL WHERE ctid IN "
        "(SELECT ctid FROM shop.stock ORDER BY ctid LIMIT %s)",
        [int(120 * nulls)],
    )
    refused(
        shop,
        "SELECT bkpriv.publish(%s, 'loose', 'shop.v')",
        [dataset],
        sqlstate="22004",
        names=[f'"v" ({int(120 * nulls)})'],
    )
    publish(shop, dataset, "loose", "shop.v", {"nulls": "category"})
    assert one(shop, "SELECT count(*) FROM shop.v") == 120
    numeric = kind in ("integer", "numeric", "date")
    # A group of NULLs shows NULL; one that mixes them with values shows what may be anything.
    anything = "lower_inf(v) AND upper_inf(v)" if numeric else "v = '*'"
    ((null, mixed),) = shop.execute(
        f"SELECT count(*) FILTER (WHERE v IS NULL), count(*) FILTER (WHERE {anything}) FROM shop.v"
    ).fetchall()
    assert null in (0, int(120 * nulls))
    assert null or mixed >= max(7, int(120 * nulls))
    if nulls == 1.0:
        assert null == 120
    if nulls == 0.02:
        assert not null


def test_null_in_the_sensitive_column_is_a_value_of_its_own(shop: Connection) -> None:
    dataset = stock(shop, "text", ["a", "b", "c"], sensitive=True)
    shop.execute("UPDATE shop.stock SET v = NULL WHERE v = 'b'")
    publish(shop, dataset, "loose", "shop.v", {"nulls": "category"})
    shown = shop.execute("SELECT v, count(*) FROM shop.v GROUP BY v").fetchall()
    assert sorted(shown, key=str) == [("a", 40), ("c", 40), (None, 40)]


@pytest.mark.parametrize("sensitive", [False, True])
def test_null_has_a_place_beside_a_hierarchy(shop: Connection, sensitive: bool) -> None:
    dataset = stock(shop, "text", ["a", "b", "c", "d"], sensitive=sensitive)
    shop.execute("UPDATE shop.stock SET v = NULL WHERE w = 4")
    shop.execute(
        "CREATE TABLE IF NOT EXISTS shop.levels AS VALUES ('a', 'ab', '*'), ('b', 'ab', '*'), "
        "('c', 'cd', '*'), ('d', 'cd', '*')"
    )
    shop.execute("SELECT bkpriv.set_hierarchy(%s, 'v', 'shop.levels')", [dataset])
    state_policy(shop, "certain", {"bt_privacy": {"bandwidth": 0.6, "t": 0.3}})
    release = publish(shop, dataset, "certain", "shop.v", {"nulls": "category"})
    nulls = one(shop, "SELECT count(*) FROM shop.stock WHERE v IS NULL")
    shown: dict[str | None, int] = dict(
        shop.execute("SELECT v, count(*) FROM shop.v GROUP BY v").fetchall()
    )
    assert sum(shown.values()) == 120
    assert set(shown) <= {"a", "b", "c", "d", "ab", "cd", "*", None}
    assert shown.get(None, 0) in ((nulls,) if sensitive else (0, nulls))
    measured: list[tuple[Any, ...]] = shop.execute(
        "SELECT worst, satisfied FROM bkpriv.audit(%s, estimator => 'exact')", [release]
    ).fetchall()
    assert all(satisfied for _, satisfied in measured)


# --- names ----------------------------------------------------------------------------------------


def test_names_are_kept_whatever_they_are(shop: Connection) -> None:
    shop.execute(
        """
        CREATE TABLE shop."Odd "" table;--" (gone int, "select" int, "a b""c'%s{}" text,
            also_gone int, "SENSITIVE; drop" text, "été $$" boolean);
        ALTER TABLE shop."Odd "" table;--" DROP gone, DROP also_gone;
        INSERT INTO shop."Odd "" table;--"
        SELECT i % 9, 'v' || i % 3, 's' || i * i % 5, i % 2 = 0 FROM generate_series(1, 200) AS i;
        """
    )
    quasi_identifiers = ["select", "a b\"c'%s{}", "été $$"]
    shop.execute(
        "SELECT bkpriv.register_dataset('odd', %s, %s, 'SENSITIVE; drop')",
        ['shop."Odd "" table;--"', quasi_identifiers],
    )
    publish(shop, "odd", "loose", 'shop."A ""view"""')
    cursor = shop.execute('SELECT * FROM shop."A ""view"""')
    assert [column.name for column in cursor.description or ()] == [
        *quasi_identifiers,
        "SENSITIVE; drop",
    ]
    assert len(cursor.fetchall()) == 200
