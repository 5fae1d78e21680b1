"""Methods bucketize and anatomy: two views, exact quasi-identifiers, and groups by number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import (
    one,
    publish,
    rows_of,
    state_policy,
)
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

METHODS = ("bucketize", "anatomy")

Values = dict[int, Counter[str]]


def parts(db: Connection, view: str) -> tuple[list[tuple[Any, ...]], Values]:
    """Rows of the first view, and each group's values by the second."""
    values: Values = defaultdict(Counter)
    for group, value, count in rows_of(db, f"{view}_sensitive"):
        assert value not in values[group]
        values[group][value] = count
    return rows_of(db, view), dict(values)


def names(db: Connection, view: str) -> list[tuple[str, str]]:
    """Columns of a view and their types."""
    return db.execute(
        "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum",
        [view],
    ).fetchall()


# --- what is published ----------------------------------------------------------------------------


def test_columns(shared_clinic: Connection) -> None:
    exact = [("age", "integer"), ("sex", "text"), ("city", "text"), ("group_id", "integer")]
    value = ("disease", "text")
    for method, shown in (("bucketize", [*exact, value]), ("anatomy", exact)):
        publish(shared_clinic, view="public.c", method=method)
        assert names(shared_clinic, "public.c") == shown
        assert names(shared_clinic, "public.c_sensitive") == [
            ("group_id", "integer"),
            value,
            ("count", "bigint"),
        ]


def test_bucketize_permutes_values_within_groups_of_cells(shared_clinic: Connection) -> None:
    publish(shared_clinic, view="public.b", method="bucketize")
    shown, values = parts(shared_clinic, "public.b")
    source = rows_of(shared_clinic, "clinic.patient")
    assert Counter(row[:3] for row in shown) == Counter(row[:3] for row in source)
    # A cell lies in one group, and a group holds the values of its cells.
    group_of = {row[:3]: row[3] for row in shown}
    assert len(set(group_of.items())) == len({row[:4] for row in shown})
    truth: Values = defaultdict(Counter)
    drawn: Values = defaultdict(Counter)
    for *qi, value in source:
        truth[group_of[tuple(qi)]][value] += 1
    for *_, group, value in shown:
        drawn[group][value] += 1
    assert truth == drawn == values
    assert min(map(Counter.total, values.values())) >= 4
    assert min(map(len, values.values())) >= 2


def test_bucketize_draws_who_has_which_value(shared_clinic: Connection) -> None:
    state_policy(shared_clinic, "whole", {"k_anonymity": {"k": 300}})
    source = Counter(rows_of(shared_clinic, "clinic.patient"))
    kept = []
    for _ in range(3):
        publish(shared_clinic, policy="whole", view="public.b", method="bucketize", seed=None)
        pairs = Counter((*row[:3], row[4]) for row in rows_of(shared_clinic, "public.b"))
        kept.append(pairs)
        # Were values independent of persons, about one of four would be told right by chance.
        assert (pairs & source).total() < 150
    assert kept[0] != kept[1] != kept[2]


def test_anatomy_puts_distinct_values_into_every_group(shared_clinic: Connection) -> None:
    publish(shared_clinic, view="public.a", method="anatomy")
    shown, values = parts(shared_clinic, "public.a")
    source = rows_of(shared_clinic, "clinic.patient")
    assert Counter(row[:3] for row in shown) == Counter(row[:3] for row in source)
    total: Counter[str] = Counter()
    for held in values.values():
        total += held
    assert total == Counter(row[3] for row in source)
    # The policy wants groups of four, so groups of two distinct values were joined.
    sizes = Counter(row[3] for row in shown)
    assert sizes == {group: held.total() for group, held in values.items()}
    assert min(sizes.values()) >= 4
    assert all(2 * max(held.values()) <= held.total() for held in values.values())


@pytest.mark.parametrize("method", METHODS)
def test_neither_numbers_nor_order_tell_how_groups_were_made(
    shared_clinic: Connection, method: str
) -> None:
    publish(shared_clinic, view="public.o", method=method)
    shown, values = parts(shared_clinic, "public.o")
    numbers = list(dict.fromkeys(row[3] for row in shown))
    assert sorted(numbers) == list(range(len(values)))
    assert numbers != sorted(numbers)
    listed = [group for group, *_ in rows_of(shared_clinic, "public.o_sensitive")]
    assert listed != sorted(listed)
    ages: dict[int, list[int]] = defaultdict(list)
    for row in shown:
        ages[row[3]].append(row[0])
    means = [sum(ages[group]) / len(ages[group]) for group in sorted(ages)]
    rises = sum(one < other for one, other in pairwise(means))
    assert 0.2 < rises / (len(means) - 1) < 0.8


@pytest.mark.parametrize("method", METHODS)
def test_groups_are_numbered_and_drawn_anew_unless_a_seed_is_given(
    shared_clinic: Connection, method: str
) -> None:
    def shown(options: dict[str, Any]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        view = f"public.anew_by_{method}"
        publish(shared_clinic, view=view, method=method, options=options, seed=None)
        return rows_of(shared_clinic, view), rows_of(shared_clinic, f"{view}_sensitive")

    first, second = shown({}), shown({})
    assert {row[:4] for row in first[0]} != {row[:4] for row in second[0]}
    assert shown({"seed": 1}) == shown({"seed": 1})
    assert shown({"seed": 1}) != shown({"seed": 2})


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["group_id", "count"])
def test_an_attribute_may_not_go_by_a_name_of_the_release(clinic: Connection, name: str) -> None:
    clinic.execute(
        sql.SQL(
            "CREATE TABLE t AS SELECT i % 5 AS {}, i % 3 AS s FROM generate_series(1, 60) i"
        ).format(sql.Identifier(name))
    )
    clinic.execute("SELECT bkpriv.register_dataset('t', 't', ARRAY[%s], 's')", [name])
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('t', 'plain', 'public.v', 'bucketize')",
            sqlstate="42701",
            names=[name],
        )
    assert publish(clinic, "t", view="public.v")


def test_the_second_name_must_fit_and_be_free(clinic: Connection) -> None:
    statement = "SELECT bkpriv.publish('patients', 'plain', %s, 'anatomy')"
    clinic.execute("CREATE TABLE public.a_sensitive (x int)")
    publish(clinic, view="public.b_sensitive")
    with unchanged(clinic):
        refused(clinic, statement, ["v" * 60], sqlstate="22023", names=["_sensitive"])
        refused(clinic, statement, ["public.a"], sqlstate="42P07", names=["a_sensitive"])
        # A view of records is not taken for the values of another release's groups.
        refused(clinic, statement, ["public.b"], sqlstate="42P07", names=["records", "release 1"])
    release = publish(clinic, view="public.c", method="anatomy")
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'plain', 'public.c_sensitive')",
            sqlstate="42P07",
            names=["sensitive part", f"release {release}"],
        )


def test_a_method_with_one_view_leaves_the_second_name_alone(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE public.v_sensitive AS SELECT 1 AS x")
    publish(clinic, view="public.v")
    publish(clinic, view="public.v")
    assert rows_of(clinic, "public.v_sensitive") == [(1,)]


# --- the life of two views ------------------------------------------------------------------------


def views(db: Connection) -> set[str]:
    """Views in the schema public."""
    return {
        name
        for (name,) in db.execute(
            "SELECT relname::text FROM pg_class "
            "WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')"
        ).fetchall()
    }


def tables(db: Connection) -> set[str]:
    """Release tables."""
    return {
        name
        for (name,) in db.execute(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'bkpriv_release'"
        ).fetchall()
    }


def test_both_views_move_together(clinic: Connection, make_role: Callable[..., str]) -> None:
    reader = make_role("reader")
    first = publish(clinic, view="public.v", method="bucketize")
    for view in ("v", "v_sensitive"):
        clinic.execute(
            sql.SQL("GRANT SELECT ON public.{} TO {}").format(
                sql.Identifier(view), sql.Identifier(reader)
            )
        )
    clinic.execute("DELETE FROM clinic.patient WHERE city = 'Aln'")
    second = publish(clinic, view="public.v", method="anatomy")
    left = one(clinic, "SELECT count(*) FROM clinic.patient")
    assert one(clinic, "SELECT count(*) FROM v") == left
    assert one(clinic, "SELECT sum(count) FROM v_sensitive") == left
    for view in ("v", "v_sensitive"):
        assert one(clinic, "SELECT has_table_privilege(%s, %s, 'SELECT')", [reader, view])
    # A release without groups takes the second view away, and one with them brings it back.
    third = publish(clinic, view="public.v")
    assert views(clinic) == {"v"}
    fourth = publish(clinic, view="public.v", method="anatomy")
    assert views(clinic) == {"v", "v_sensitive"}
    assert clinic.execute(
        "SELECT release, status, method FROM bkpriv.releases ORDER BY release"
    ).fetchall() == [
        (first, "superseded", "bucketize"),
        (second, "superseded", "anatomy"),
        (third, "superseded", "mondrian"),
        (fourth, "published", "anatomy"),
    ]
    events = "SELECT release, kind FROM bkpriv.release_event ORDER BY event"
    assert clinic.execute(events).fetchall() == [
        (first, "stale"),
        *((release, "superseded") for release in (first, second, third)),
    ]
    clinic.execute("SELECT bkpriv.withdraw(%s, 'done')", [fourth])
    assert views(clinic) == set()
    assert tables(clinic) == {
        f"release_{first}",
        f"release_{first}_sensitive",
        f"release_{second}",
        f"release_{second}_sensitive",
        f"release_{third}",
    }
    clinic.execute("SELECT bkpriv.withdraw(%s, 'done')", [first])
    assert len(tables(clinic)) == 3
    assert clinic.execute("SELECT * FROM bkpriv.audit(%s)", [fourth]).fetchall()


def test_null_is_a_value(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET age = NULL WHERE age < 30")
    clinic.execute("UPDATE clinic.patient SET disease = NULL WHERE disease = 'fracture'")
    counts = one(
        clinic,
        "SELECT array_agg(n ORDER BY n) FROM (SELECT count(*) n FROM clinic.patient "
        "GROUP BY disease) x",
    )
    for method in METHODS:
        publish(clinic, view="public.n", method=method, options={"nulls": "category"})
        shown, values = parts(clinic, "public.n")
        source = rows_of(clinic, "clinic.patient")
        assert Counter(row[:3] for row in shown) == Counter(row[:3] for row in source)
        total: Counter[str] = Counter()
        for held in values.values():
            total += held
        assert sorted(total.values()) == counts
        assert None in total
