"""Methods bucketize and anatomy: two views, exact quasi-identifiers, and groups by number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import (
    QUASI_IDENTIFIERS,
    SENSITIVE,
    fill,
    one,
    publish,
    rows_of,
    state_policy,
)
from tests.db.naive import PATHS, records_of
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


def test_anatomy_alone(shared_clinic: Connection) -> None:
    state_policy(shared_clinic, "three", {"l_diversity": {"l": 3, "variant": "probabilistic"}})
    release = publish(shared_clinic, policy="three", view="public.a", method="anatomy")
    _, values = parts(shared_clinic, "public.a")
    assert len(values) == 100
    assert all(set(held.values()) == {1} for held in values.values())
    assert all(len(held) >= 3 for held in values.values())
    told: dict[str, float] = dict(
        shared_clinic.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    assert told["gcp"] == 0
    assert told["average_class_size"] == 3
    assert told["suppressed_share"] == 0


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


# --- what is measured -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", ["exact", "omega"])
def test_beliefs_about_what_the_views_show(
    shared_clinic: Connection, method: str, estimator: str
) -> None:
    """Posteriors worked out from the two views alone, and the prior from pairs of records."""
    release = publish(shared_clinic, view="public.m", method=method)
    shown, values = parts(shared_clinic, "public.m")
    source = rows_of(shared_clinic, "clinic.patient")
    records = records_of(source, ["age"], PATHS, [*QUASI_IDENTIFIERS, SENSITIVE])
    by_record = oracles.rounded(oracles.priors(records, [0.3] * 3))
    priors = {row[:-1]: belief for row, belief in zip(records.rows, by_record, strict=True)}
    diseases = records.sensitive.values
    told: dict[tuple[Any, ...], dict[str, tuple[float, float]]] = defaultdict(dict)
    for group, qi, value, prior, posterior, used in shared_clinic.execute(
        "SELECT * FROM bkpriv.posterior(%s, '0.3', %s)", [release, estimator]
    ).fetchall():
        told[group, tuple(map(str, qi.values()))][value] = (prior, posterior)
        assert used == estimator
    members: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for row in shown:
        members[row[3]].append(tuple(map(str, row[:3])))
    assert set(told) == {(group, cell) for group in members for cell in members[group]}
    for group, cells in members.items():
        before = [priors[cell] for cell in cells]
        counts = tuple(values[group][str(value)] for value in diseases)
        secrets = [place for place, count in enumerate(counts) for _ in range(count)]
        after = (
            oracles.omega_posterior(before, secrets)
            if estimator == "omega"
            else oracles.posterior_by_equation_3(before, counts)
        )
        assert after is not None
        for cell, prior, posterior in zip(cells, before, after, strict=True):
            found = [told[group, cell][str(value)] for value in diseases]
            assert [pair[0] for pair in found] == pytest.approx(prior, abs=1e-12)
            floats = [float(share) for share in posterior]
            assert [pair[1] for pair in found] == pytest.approx(floats, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_published_keeps_every_requirement(clinic: Connection, method: str) -> None:
    state_policy(
        clinic,
        "all",
        {
            "k_anonymity": {"k": 3},
            "l_diversity": {"l": 2, "variant": "probabilistic"},
            "t_closeness": {"t": 0.6},
            "bt_privacy": [{"bandwidth": 0.3, "t": 0.3}, {"bandwidth": 0.5, "t": 0.3}],
        },
    )
    release = publish(clinic, policy="all", view="public.k", method=method)
    assert one(clinic, "SELECT suppressed FROM bkpriv.releases") < 60
    rows = clinic.execute("SELECT * FROM bkpriv.audit(%s, NULL, 'exact')", [release]).fetchall()
    assert len(rows) == 5
    assert all(row[6] for row in rows), rows


# --- refusals -------------------------------------------------------------------------------------


def test_anatomy_refuses_a_value_that_is_too_common(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET disease = 'ulcer' WHERE age < 50")
    common = one(clinic, "SELECT count(*) FROM clinic.patient WHERE disease = 'ulcer'")
    with unchanged(clinic):
        said = refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'plain', 'public.a', 'anatomy')",
            sqlstate="22023",
            names=["ulcer", str(common), f"{common / 300:.3g}"[:4]],
        )
    assert "1" in (said.message_hint or "")


def test_anatomy_needs_an_l(clinic: Connection) -> None:
    state_policy(clinic, "k", {"k_anonymity": {"k": 3}})
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'k', 'public.a', 'anatomy')",
            sqlstate="22023",
            names=["l_diversity"],
        )


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


def test_a_superseded_release_takes_no_view_with_it(clinic: Connection) -> None:
    first = publish(clinic, view="public.v", method="anatomy")
    publish(clinic, view="public.v", method="anatomy")
    clinic.execute("SELECT bkpriv.withdraw(%s, 'old')", [first])
    assert views(clinic) == {"v", "v_sensitive"}


def test_materialized(clinic: Connection) -> None:
    publish(clinic, view="public.v", method="anatomy", options={"materialized": True})
    kinds = clinic.execute(
        "SELECT relkind::text FROM pg_class WHERE relname IN ('v', 'v_sensitive')"
    ).fetchall()
    assert kinds == [("m",), ("m",)]


@pytest.mark.parametrize("part", ["", "_sensitive"])
def test_both_tables_are_frozen(clinic: Connection, part: str) -> None:
    release = publish(clinic, view="public.v", method="anatomy")
    table = sql.Identifier("bkpriv_release", f"release_{release}{part}")
    for change in ("DELETE FROM {}", "TRUNCATE {}", "UPDATE {} SET group_id = 0"):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            clinic.execute(sql.SQL(change).format(table))


def test_a_publisher_without_further_rights(make_publisher: Callable[..., Connection]) -> None:
    publisher = make_publisher()
    publisher.execute("CREATE TABLE own (a int, b text)")
    fill(publisher, "own", [(i % 12, "xyz"[i % 3]) for i in range(60)])
    publisher.execute("SELECT bkpriv.register_dataset('own', 'own', '{a}', 'b')")
    state_policy(publisher, "l", {"l_diversity": {"l": 3}})
    release = publish(publisher, "own", "l", "v", method="anatomy")
    assert one(publisher, "SELECT count(*) FROM v") == 60
    assert one(publisher, "SELECT sum(count) FROM v_sensitive") == 60
    publisher.execute("SELECT bkpriv.withdraw(%s, 'done')", [release])


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
