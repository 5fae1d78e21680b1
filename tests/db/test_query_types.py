"""Queries about columns of every type: compared as PostgreSQL compares them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from psycopg import sql

from tests.conftest import Connection, sample
from tests.db.clinic import one, publish
from tests.db.queries import agree, answer, draw_condition, run
from tests.db.refusal import refused
from tests.db.test_column_types import CATEGORIES, NUMERIC, shop, stock

__all__ = ["shop"]

NUMBERS = {"int2", "int4", "int8", "numeric", "numeric(6,2)", "shop.size", "integer", "bigint"}
MORE = {
    "date": ["2000-01-01", "1066-10-14", "infinity"],
    "timestamp": ["2000-01-01T00:00:00.5", "infinity"],
    "timestamptz": ["2000-01-01T00:00:00.5+01"],
    "text": ["bb", "zzz"],
    "time": ["12:00"],
}


@pytest.mark.crossed
@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
@pytest.mark.parametrize(
    "kind",
    # PostgreSQL itself knows no IN for a domain over an enumeration.
    [kind for kind in (*NUMERIC, *CATEGORIES) if kind != "shop.paint"],
)
def test_conditions_on_every_type(shop: Connection, kind: str, method: str) -> None:
    values = (CATEGORIES.get(kind) or NUMERIC[kind][0]).split()
    shop.execute("DROP VIEW IF EXISTS shop.asked, shop.asked_sensitive")
    dataset = stock(shop, kind, values, sensitive=False)
    release = publish(shop, dataset, "loose", "shop.asked", method=method)
    texts = ["" if value == "''" else value for value in values] + MORE.get(kind, [])
    literals = [sql.Literal(text).as_string().lstrip(" E").replace("\\\\", "\\") for text in texts]
    if kind in NUMBERS:
        literals += [*values, "0.5", "-7.25", "1e30"] if "int" not in kind else values
    agree_by_literals(shop, release, literals, random.Random(kind))


CROWDED = {
    "int8": "9007199254740989 9007199254740991 9007199254740992 9007199254740993 9007199254740994 "
    "9007199254740995 9007199254740997",
    "bigint": "0 9223372036854775803 9223372036854775804 9223372036854775805 9223372036854775806 "
    "9223372036854775807",
    "numeric": "0.2 0.3 0.30000000000000000001 0.30000000000000000002 0.30000000000000000003 0.4",
    "timestamp": "4000-01-01 250000-01-01T00:00:00.000001 250000-01-01T00:00:00.000002 "
    "250000-01-01T00:00:00.000003 250000-01-02",
}
"""Values some of which no double tells apart."""


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("kind", CROWDED)
def test_values_that_no_double_tells_apart(shop: Connection, kind: str, nulls: bool) -> None:
    values = CROWDED[kind].split()
    shop.execute("DROP VIEW IF EXISTS shop.asked")
    dataset = stock(shop, kind, values, sensitive=False)
    if nulls:
        shop.execute("UPDATE shop.stock SET v = NULL WHERE w = 4")
    release = publish(shop, dataset, "loose", "shop.asked", {"nulls": "category"})
    # So many that some lie next to each other where no double tells them apart.
    assert one(shop, "SELECT count(DISTINCT v) FROM shop.asked") > 2
    literals = [*values, "9007199254740990", "0.300000000000000000015", "9223372036854775808"]
    if kind == "timestamp":
        literals = [f"'{value}'" for value in (*values, "250000-01-01")]
    agree_by_literals(shop, release, literals, random.Random(kind))


FLOATS = {
    "real": "-0.5 0 0.1 0.3 2.5 1234.5678 16777216 1e-40 1e30",
    "double precision": "-0.5 0 0.1 0.3 2.5 16777217 9007199254740992 1e-310 1e300",
    "numeric": "-0.5 0 0.1 0.3 2.5 16777217 0.100000000000000000001 9007199254740993",
    "integer": "-1 0 3 16777217 2147483647",
    "bigint": "-1 0 3 16777217 9007199254740993",
}
UNQUOTED = (
    *("0.1", "-0.5", "0.3", "0.25", "16777217", "16777216.5", "9007199254740993", "1e30", "-.3"),
    *("0.100000001490116119384765625", "0.10000000149011612", "0.100000000000000000001"),
)
"""Among them the real that is written as 0.1, and numbers next to a float."""


@pytest.mark.crossed
@pytest.mark.parametrize(
    ("method", "hierarchy"), [("mondrian", False), ("mondrian", True), ("bucketize", False)]
)
@pytest.mark.parametrize("kind", FLOATS)
def test_numbers_are_compared_as_the_server_compares_them(
    shop: Connection, kind: str, method: str, hierarchy: bool
) -> None:
    values = FLOATS[kind].split()
    shop.execute("DROP VIEW IF EXISTS shop.asked, shop.asked_sensitive")
    dataset = stock(shop, kind, values, sensitive=False)
    if hierarchy:
        shop.execute("DROP TABLE IF EXISTS shop.numbers")
        shop.execute("CREATE TABLE shop.numbers AS SELECT DISTINCT v, 'any' AS a FROM shop.stock")
        shop.execute("SELECT bkpriv.set_hierarchy(%s, 'v', 'shop.numbers')", [dataset])
    release = publish(shop, dataset, "loose", "shop.asked", method=method)
    quoted = (
        [] if kind in ("integer", "bigint") else [f"'{text}'" for text in (*values, *UNQUOTED[:8])]
    )
    literals = [*UNQUOTED, *values[:3], *quoted[2::3]]
    conditions = [f"v {sign} {text}" for text in literals for sign in ("=", "<")]
    conditions += [f"v IN ({text})" for text in literals]
    conditions += [f"0.1 <> v AND v NOT IN ({text}, '3')" for text in literals]
    conditions += [f"v BETWEEN {text} AND 0.3" for text in literals]
    for condition in conditions:
        query = f"SELECT count(*) FROM shop.stock WHERE {condition}"
        assert answer(shop, release, query)[0] == run(shop, query), condition
    if kind == "real" and not hierarchy:
        agree_by_literals(shop, release, literals, random.Random(kind))


def agree_by_literals(
    shop: Connection, release: int, literals: Sequence[str], draw: random.Random
) -> None:
    """Conditions and groups are counted as by PostgreSQL, and estimated alike by statements."""
    for _ in range(sample(25)):
        condition = draw_condition(draw, {"v": literals, "w": ["0", "1", "3", "4"]}, 2)
        query = f"SELECT count(*) FROM shop.stock WHERE {condition}"
        assert agree(shop, release, query, within=1e-7)[0] == run(shop, query), condition
    for grouping in ("v", "CUBE (v, w)"):
        query = f"SELECT count(*) FROM stock WHERE v <> {literals[0]} GROUP BY {grouping}"
        agree(shop, release, query, within=1e-7)


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        ("int4", "'x'"),
        ("date", "'2020-13-45'"),
        ("date", "20200101"),
        ("timestamptz", "'soon'"),
        ("uuid", "'x'"),
        ("boolean", "'perhaps'"),
    ],
)
def test_literals_that_are_not_of_the_type(shop: Connection, kind: str, literal: str) -> None:
    values = (CATEGORIES.get(kind) or NUMERIC[kind][0]).split()
    release = publish(shop, stock(shop, kind, values, sensitive=False), "loose", "shop.v")
    refused(
        shop,
        "SELECT * FROM bkpriv.query_accuracy(%s, %s)",
        [release, f"SELECT count(*) FROM stock WHERE v = {literal}"],
        sqlstate="22023",
        names=['"v"', literal],
    )


def test_a_label_that_no_record_had_equals_nothing_and_has_no_place(shop: Connection) -> None:
    dataset = stock(shop, "shop.colour", ["red", "green"], sensitive=False)
    release = publish(shop, dataset, "loose", "shop.v")
    query = "SELECT count(*) FROM stock WHERE v {}"
    for label in ("mauve", "blue"):  # one is of the type
        assert answer(shop, release, query.format(f"= '{label}'")) == (0, 0, None)
        assert answer(shop, release, query.format(f"IN ('{label}', 'red')"))[0] == 60
        assert answer(shop, release, query.format(f"<> '{label}'"))[0] == 120
        refused(
            shop,
            "SELECT * FROM bkpriv.query_accuracy(%s, %s)",
            [release, query.format(f"< '{label}'")],
            sqlstate="22023",
            names=[f"'{label}'", "'red', 'green'"],
        )


STEPS = """
CREATE OR REPLACE FUNCTION steps(dataset text, release bigint) RETURNS float8[]
LANGUAGE plpython3u SET search_path = pg_catalog, pg_temp AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
from bkpriv_pl.past import history
from bkpriv_pl.server.access import Access, within
from bkpriv_pl.tables import dataset as datasets
with within(Access.SOURCE):
    read = datasets.read_table(datasets.find_dataset(dataset), "error")
found = history.find_release(release)
return [table.quasi_identifiers[0].step for table in (read, found.table)]
$$;
"""


@pytest.mark.parametrize("kind", [*NUMERIC, "text"])
def test_points_of_a_type_are_as_far_apart_in_a_source_as_in_a_release(
    shop: Connection, kind: str
) -> None:
    values = (CATEGORIES.get(kind) or NUMERIC[kind][0]).split()
    dataset = stock(shop, kind, values, sensitive=False)
    release = publish(shop, dataset, "loose", "shop.v")
    shop.execute(STEPS)
    whole = kind.startswith(("int", "bigint", "shop.size"))
    step = 1.0 if whole else 86400.0 if kind == "date" else None
    assert one(shop, "SELECT steps(%s, %s)", [dataset, release]) == [step, step]
