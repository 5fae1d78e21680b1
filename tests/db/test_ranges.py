"""Ranges as two columns or as text, told by those of a range type; comments on what is shown."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, one, publish, state_policy
from tests.db.queries import (
    agree,
    answer,
    draw_condition,
    draw_grouping,
    rewritten,
)
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

REGISTER = "SELECT bkpriv.register_dataset(%s, %s, %s::text[], %s, bins => %s::jsonb)"
STYLES = ("range", "bounds", "text")

NUMBERS = "-7 0 3 12 20 33 41 58"
DECIMALS = "-1.5 0.25 1 2.125 3.5 10 1e-7 7.75"
DAYS = "1999-12-31 2000-01-01 2000-02-29 2010-06-15 2011-01-01 2012-05-05 2020-12-31 2021-03-03"
TIMES = " ".join(f"{day}T0{hour}:30" for hour, day in enumerate(DAYS.split()))

KINDS = [
    ("smallint", None, NUMBERS),
    ("integer", None, f"{NUMBERS} 2147483647"),
    ("bigint", None, f"{NUMBERS} -9007199254740993"),
    ("numeric", None, f"{NUMBERS} 1.50"),
    ("real", None, DECIMALS),
    ("double precision", None, DECIMALS),
    ("date", None, DAYS),
    ("timestamp", None, TIMES),
    ("timestamptz", None, TIMES),
    ("smallint", 10, f"{NUMBERS} -32768"),
    ("integer", 1, NUMBERS),
    ("bigint", 5, f"{NUMBERS} 9223372036854775807"),
    ("numeric", 0.5, DECIMALS),
    ("double precision", 2.5, DECIMALS),
    ("date", "year", DAYS),
    ("date", "day", DAYS),
    ("timestamp", "month", TIMES),
    ("timestamptz", "year", TIMES),
]
"""Types, bins and values."""

STEPPED = {"smallint", "integer", "bigint", "date"}


@pytest.fixture(scope="module")
def shop(shared_db: Connection) -> Connection:
    """Superuser's connection to a database for a table after the other."""
    shared_db.prepare_threshold = None  # Columns change their types from test to test.
    shared_db.execute("SET timezone = 'UTC'")
    state_policy(shared_db, "loose", {"k_anonymity": {"k": 10}})
    return shared_db


def stock(shop: Connection, kind: str, size: Any, values: Sequence[str | None]) -> str:
    """Create and register a table with a column ``v`` of a type; returns the dataset."""
    shop.execute("DROP TABLE IF EXISTS stock CASCADE")
    for name in (*STYLES, *(f"{style}_sensitive" for style in STYLES)):
        shop.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(sql.Identifier(name)))
    shop.execute(sql.SQL(f"CREATE TABLE stock (v {kind}, w int)"))
    fill(shop, "stock", [(values[i % len(values)], i * i % 5) for i in range(90)])
    number = one(shop, "SELECT count(*) FROM bkpriv.dataset")
    bins = {} if size is None else {"v": size}
    return str(one(shop, REGISTER, [f"stock {number}", "stock", ["v"], "w", Jsonb(bins)]))


def publish_styles(shop: Connection, dataset: str, method: str, **options: Any) -> dict[str, int]:
    """Publish by each style, which but for that must be the same."""
    return {
        style: publish(
            shop, dataset, "loose", style, {"ranges": style, "seed": 3, **options}, method
        )
        for style in STYLES
    }


def names(size: Any, kind: str) -> tuple[str, str]:
    return "v_from", "v_to" if size is None or kind in STEPPED else "v_below"


@pytest.mark.crossed
@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
@pytest.mark.parametrize(("kind", "size", "values"), KINDS, ids=str)
def test_bounds_and_text_are_those_of_the_ranges(
    shop: Connection, kind: str, size: Any, values: str, method: str
) -> None:
    if method == "bucketize" and size is None:
        return  # It shows values as they are.
    dataset = stock(shop, kind, size, values.split())
    releases = publish_styles(shop, dataset, method)
    low, high = names(size, kind)
    end = "upper(v) - 1" if kind in STEPPED else "upper(v)"
    if kind in STEPPED and one(shop, "SELECT DISTINCT pg_typeof(v)::text FROM range") == "numrange":
        end = "upper(v) - CASE WHEN upper_inc(v) THEN 0 ELSE 1 END"
    cast = "::text::numeric" if kind in ("real", "double precision") else ""
    ranges = Counter(shop.execute(f"SELECT lower(v), {end}, w FROM range").fetchall())
    bounds = shop.execute(f"SELECT {low}{cast}, {high}{cast}, w FROM bounds").fetchall()
    assert Counter(bounds) == ranges
    # Of the source's type, where that has what bins begin and end with.
    types = shop.execute(
        f"SELECT DISTINCT pg_typeof({low})::text, pg_typeof({high})::text FROM bounds"
    ).fetchall()
    held = one(shop, f"SELECT pg_typeof(NULL::{kind})::text")
    wider = size is not None and (held in ("numeric", "double precision") or "-32768" in values)
    wider = wider or (kind == "bigint" and size is not None)
    assert types == [("numeric" if wider else held,) * 2]
    dash = "–" if high == "v_to" else "–<"
    written = Counter(
        shop.execute(
            f"SELECT CASE WHEN {low} = {high} THEN {low}::text "
            f"ELSE {low}::text || %s || {high}::text END, w FROM bounds",
            [dash],
        ).fetchall()
    )
    assert Counter(shop.execute("SELECT v, w FROM text").fetchall()) == written
    for release in releases.values():
        assert one(shop, "SELECT bool_and(satisfied) FROM bkpriv.audit(%s)", [release])


@pytest.mark.crossed
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
@pytest.mark.parametrize(("kind", "size", "values"), KINDS[::3] + KINDS[1::5], ids=str)
def test_queries_see_through_bounds_and_text(
    shop: Connection, kind: str, size: Any, values: str, method: str, style: str
) -> None:
    some = [*values.split(), None, *values.split(), None]
    dataset = stock(shop, kind, size, some)
    options = {"ranges": style, "nulls": "category"}
    release = publish(shop, dataset, "loose", "shown", options, method)
    literals = {"v": [f"'{text}'" for text in values.split()], "w": ["0", "1", "4"]}
    draw = random.Random(kind)
    for number in range(12):
        query = f"SELECT count(*) FROM stock WHERE {draw_condition(draw, literals, 2)}"
        if number % 3 == 0:
            query += f" GROUP BY {draw_grouping(draw, [*literals])}"
        agree(shop, release, query, within=1e-6)
    shop.execute("DROP VIEW shown CASCADE")
    shop.execute("DROP VIEW IF EXISTS shown_sensitive")


def test_estimates_do_not_depend_on_how_ranges_are_shown(shop: Connection) -> None:
    dataset = stock(shop, "int", None, NUMBERS.split())
    releases = publish_styles(shop, dataset, "mondrian")
    for query in ("v > 11", "v BETWEEN 0 AND 20 AND w = 4", "v = 12 OR w = 1"):
        text = f"SELECT count(*) FROM stock WHERE {query}"
        assert len({answer(shop, release, text) for release in releases.values()}) == 1


def test_what_may_be_null_has_no_bounds(shop: Connection) -> None:
    """NULL alone and NULL among numbers look alike by their bounds, and are one group."""
    stock(shop, "int", None, ["1"])
    shop.execute("DROP TABLE stock")
    shop.execute("CREATE TABLE stock (v int, u text, w int)")
    rows: list[tuple[int | None, str, int]] = []
    rows += [(None, "a", i % 5) for i in range(10)] + [(None, "b", i % 5) for i in range(3)]
    rows += [(i, "b", i % 5) for i in range(7)] + [(i, "a", i % 5) for i in range(40)]
    fill(shop, "stock", rows)
    shop.execute(REGISTER, ["nulls", "stock", ["v", "u"], "w", Jsonb({})])
    shown = {}
    for style in STYLES:
        options = {"ranges": style, "nulls": "category", "seed": 1}
        release = publish(shop, "nulls", "loose", style, options)
        shown[style] = shop.execute(
            sql.SQL("SELECT {}, u FROM {}").format(
                sql.SQL("v_from, v_to" if style == "bounds" else "v"), sql.Identifier(style)
            )
        ).fetchall()
        assert one(shop, "SELECT bool_and(satisfied) FROM bkpriv.audit(%s)", [release])
        assert len(shown[style]) == 60
        for query in ("v IS NULL", "v < 20", "v IS NULL AND u = 'b'"):
            agree(shop, release, f"SELECT count(*) FROM stock WHERE {query}")
    assert {first is None for first, second, _ in shown["bounds"]} == {True, False}
    assert all((first is None) == (second is None) for first, second, _ in shown["bounds"])
    assert min(Counter(shown["bounds"]).values()) >= 10
    assert {None, "*"} & {value for value, _ in shown["text"]}


@pytest.mark.always
def test_a_sensitive_column_that_is_binned(shop: Connection) -> None:
    shop.execute("DROP TABLE IF EXISTS stock CASCADE")
    shop.execute("CREATE TABLE stock (v int, w int)")
    fill(shop, "stock", [(i % 7, i % 50) for i in range(140)])
    shop.execute(REGISTER, ["costs", "stock", ["v"], "w", Jsonb({"w": 10, "v": 2})])
    state_policy(shop, "kept", {"k_anonymity": {"k": 5}, "l_diversity": {"l": 2}})
    state_policy(shop, "drawn", {"max_disclosure": {"tau": 0.7}})
    for method, policy in (("mondrian", "kept"), ("anatomy", "kept"), ("randomize", "drawn")):
        companion = "c_sensitive" if method == "anatomy" else "c"
        for style, columns in (("bounds", "w_from, w_to"), ("text", "w")):
            options: dict[str, Any] = {"ranges": style}
            if method == "randomize":
                options["scheme"] = "rr-both"
            release = publish(shop, "costs", policy, "c", options, method)
            found = {*shop.execute(sql.SQL(f"SELECT DISTINCT {columns} FROM {companion}"))}
            bins = [(start, start + 9) for start in range(0, 50, 10)]
            every: set[Any] = {*bins}
            if style == "text":
                every = {(f"{low}–{high}",) for low, high in bins}
            assert found == every
            if method == "randomize":
                values = shop.execute("SELECT value FROM c_randomization WHERE attribute = 'w'")
                assert {*values} == {(f"{low}–{low + 9}",) for low in range(0, 50, 10)}
            for query in ("w < 20 AND v > 2", "w >= 40"):
                query = f"SELECT count(*) FROM costs WHERE {query}"
                statement = rewritten(shop, release, query)
                figure = shop.execute(sql.SQL(statement)).fetchone()
                assert figure is not None
                assert figure[0] == pytest.approx(answer(shop, release, query)[1])


def test_the_view_moves_from_one_setting_to_another(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    publish(clinic, view="public.v")
    clinic.execute(sql.SQL("GRANT SELECT ON public.v TO {}").format(sql.Identifier(reader)))
    for style, columns in (
        ("bounds", ["age_from", "age_to"]),
        ("text", ["age"]),
        ("range", ["age"]),
        ("bounds", ["age_from", "age_to"]),
        ("bounds", ["age_from", "age_to"]),
    ):
        materialized = style == "text"
        publish(clinic, view="public.v", options={"ranges": style, "materialized": materialized})
        found = clinic.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'public.v'::regclass "
            "AND attnum > 0 ORDER BY attnum"
        ).fetchall()
        assert [name for (name,) in found] == [*columns, "sex", "city", "disease"]
        assert one(clinic, "SELECT has_table_privilege(%s, 'public.v', 'SELECT')", [reader])
    assert one(clinic, "SELECT count(*) FROM public.v WHERE age_from <= 40 AND age_to >= 40") > 0


@pytest.mark.parametrize("style", ["bounds", "text"])
@pytest.mark.parametrize(
    "method",
    ["agglomerate", "incognito", "js_reduce", "microaggregate", "beta_likeness_primacy"],
)
def test_every_method_that_generalizes(clinic: Connection, method: str, style: str) -> None:
    policy = {"k_anonymity": {"k": 4}}
    if method == "beta_likeness_primacy":
        policy |= {"beta_likeness": {"beta": 4}}
    state_policy(clinic, "fit", policy)
    clinic.execute("UPDATE clinic.patient SET age = NULL WHERE age % 17 = 3")
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{10,20}')")
    options: dict[str, Any] = {"ranges": style, "nulls": "category"}
    release = publish(clinic, "patients", "fit", "public.v", options, method)
    columns = "age_from, age_to" if style == "bounds" else "age"
    sizes = clinic.execute(sql.SQL(f"SELECT count(*) FROM v GROUP BY {columns}, sex, city"))
    assert min(size for (size,) in sizes) >= 4
    for query in ("age < 40", "age IS NULL OR sex = 'f' AND city = 'Aln'", "true GROUP BY age"):
        agree(clinic, release, f"SELECT count(*) FROM patients WHERE {query}")


def test_a_release_grows_in_another_style(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE grown AS SELECT row_number() OVER () AS person, age, sex, disease "
        "FROM clinic.patient ORDER BY person LIMIT 200; UPDATE grown SET age = NULL "
        "WHERE person % 9 = 0; "
        "SELECT bkpriv.register_dataset('grown', 'grown', '{age,sex}', 'disease', 'person')"
    )
    for count, style in enumerate(STYLES):
        clinic.execute(
            "INSERT INTO grown SELECT 1000 * %s + row_number() OVER (), age, sex, disease "
            "FROM clinic.patient LIMIT 60",
            [count + 1],
        )
        options = {"ranges": style, "grow": True, "nulls": "category"}
        release = publish(clinic, "grown", view="public.v", options=options)
        columns = "age_from, age_to" if style == "bounds" else "age"
        sizes = clinic.execute(sql.SQL(f"SELECT count(*) FROM v GROUP BY {columns}, sex"))
        assert min(size for (size,) in sizes) >= 4
        query = "SELECT count(*) FROM grown WHERE age IS NULL AND sex = 'f' OR age > 50"
        agree(clinic, release, query)


def test_names_that_bounds_take(clinic: Connection) -> None:
    long = "x" * 60
    clinic.execute(
        sql.SQL(
            "CREATE TABLE odd AS SELECT age, age AS age_from, sex AS age_to, age AS {long}, "
            "disease FROM clinic.patient; "
            "SELECT bkpriv.register_dataset('one', 'odd', '{{age,age_from}}', 'disease'); "
            "SELECT bkpriv.register_dataset('two', 'odd', '{{age,age_to}}', 'disease'); "
            "SELECT bkpriv.register_dataset('three', 'odd', {attributes}, 'disease')"
        ).format(long=sql.Identifier(long), attributes=sql.Literal([long]))
    )
    call = "SELECT bkpriv.publish(%s, 'plain', 'v', options => %s)"
    bounds = Jsonb({"ranges": "bounds"})
    for dataset, clash in (("one", "age_from"), ("two", "age_to")):
        refused(clinic, call, [dataset, bounds], sqlstate="42701", names=[f'"{clash}"', '"age"'])
        publish(clinic, dataset, view=f"public.{dataset}", options={"ranges": "text"})
    refused(clinic, call, ["three", bounds], sqlstate="22023", names=[long])
    refused(
        clinic,
        call,
        ["one", Jsonb({"ranges": "tuple"})],
        sqlstate="22023",
        names=["ranges", "tuple"],
    )


# --- Comments -------------------------------------------------------------------------------------

COMMENTS = """
    SELECT coalesce(a.attname::text, ''), d.description
    FROM pg_class c LEFT JOIN pg_description d
        ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
    WHERE c.oid = %s::regclass ORDER BY d.objsubid
"""


@pytest.mark.crossed
@pytest.mark.parametrize("materialized", [False, True])
@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy", "randomize"])
def test_every_view_and_column_says_what_it_holds(
    clinic: Connection, method: str, materialized: bool
) -> None:
    options: dict[str, Any] = {"materialized": materialized, "seed": 7654321}
    policy = "plain"
    if method == "randomize":
        policy, options["scheme"] = "taken", "rr-both"
        state_policy(clinic, "taken", {"max_disclosure": {"tau": 0.7}})
    views = {"randomize": ["v", "v_randomization"], "mondrian": ["v"]}.get(
        method, ["v", "v_sensitive"]
    )
    for style in STYLES:
        release = publish(clinic, "patients", policy, "v", options | {"ranges": style}, method)
        for view in views:
            comments: dict[str, str] = dict(clinic.execute(COMMENTS, [view]).fetchall())
            columns = clinic.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
                [view],
            ).fetchall()
            assert {*comments} == {"", *(name for (name,) in columns)}
            assert comments[""].startswith(f"Published by bkpriv as release {release}. One row")
            assert all(len(comment) > 10 for comment in comments.values())
            # Nothing of how it was made: neither names nor policy, seed, or figures.
            for secret in ("patient", "clinic", policy, "7654321", "k_anon", "postgres"):
                assert not any(secret in comment for comment in comments.values()), secret


def test_comments_with_hostile_names(clinic: Connection) -> None:
    name = "it's; \"$$ \\ --<b>{0}"
    clinic.execute(
        sql.SQL(
            "CREATE TABLE odd AS SELECT age AS {name}, disease FROM clinic.patient; "
            "SELECT bkpriv.register_dataset('odd', 'odd', {names}, 'disease')"
        ).format(name=sql.Identifier(name), names=sql.Literal([name]))
    )
    view = sql.Identifier("v'\"$$ \\ {0}").as_string(clinic)
    for style in STYLES:
        release = publish(clinic, "odd", view=view, options={"ranges": style})
        assert len(clinic.execute(COMMENTS, [view]).fetchall()) == (4 if style == "bounds" else 3)
        column = sql.Identifier(name).as_string(clinic)
        agree(clinic, release, f"SELECT count(*) FROM odd WHERE {column} < 40")


def test_comments_are_renewed_and_those_of_others_stay(clinic: Connection) -> None:
    for _ in range(2):
        release = publish(clinic, view="public.v")
        comments: dict[str, str] = dict(clinic.execute(COMMENTS, ["public.v"]).fetchall())
        assert comments[""].startswith(f"Published by bkpriv as release {release}.")
        clinic.execute("COMMENT ON COLUMN public.v.age IS 'other'")
    clinic.execute("COMMENT ON VIEW public.v IS 'ours'")
    publish(clinic, view="public.v", options={"ranges": "bounds"})
    comments = dict(clinic.execute(COMMENTS, ["public.v"]).fetchall())
    assert comments[""] == "ours"
    assert comments["age_from"] != "other"
