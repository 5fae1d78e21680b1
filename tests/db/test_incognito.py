"""Method incognito and the lattice that it chooses from, against grouping by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import REGIONS, declare_own, one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

WIDTHS = [5, 10, 20]
REGION = {city: region for region, cities in REGIONS.items() for city in cities}
LEVELS = {"age": 5, "sex": 2, "city": 3}
LATTICE = "SELECT * FROM bkpriv.lattice('patients', %s, %s)"
UTILITIES = ("discernibility", "average_class_size", "gcp", "kl")

Node = tuple[int, int, int]
Groups = dict[tuple[Any, ...], Counter[str]]


@pytest.fixture(scope="module")
def leveled(shared_clinic: Connection) -> Connection:
    """The clinic with intervals of ages."""
    shared_clinic.execute(
        "SELECT bkpriv.set_interval_hierarchy('patients', 'age', %s::numeric[], 5)", [WIDTHS]
    )
    return shared_clinic


def generalized(row: tuple[Any, ...], node: Node) -> tuple[Any, ...]:
    """A record's quasi-identifiers at a node, by hand."""
    (age, sex, city), (years, sexes, cities) = row[:3], node
    intervals = [age, *((age - 5) // width for width in WIDTHS), "*"]
    return intervals[years], [sex, "*"][sexes], [city, REGION[city], "*"][cities]


def groups_at(leveled: Connection, node: Node) -> Groups:
    """Groups of a node and their values, by hand."""
    found: Groups = defaultdict(Counter)
    for row in rows_of(leveled, "clinic.patient"):
        found[generalized(row, node)][row[3]] += 1
    return found


def lattice(leveled: Connection, policy: str, **options: Any) -> dict[Node, dict[str, Any]]:
    """Rows of the lattice by node."""
    cursor = leveled.execute(LATTICE, [policy, Jsonb(options)])
    assert cursor.description is not None
    names = [column.name for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    found = {(r["levels"]["age"], r["levels"]["sex"], r["levels"]["city"]): r for r in rows}
    assert len(found) == len(rows)
    return found


def met(values: Counter[str]) -> bool:
    """Whether a group meets the policy ``plain``."""
    return values.total() >= 4 and len(values) >= 2


def below(one: Node, other: Node) -> bool:
    """Whether a node is strictly below another."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


# --- the lattice ----------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.02, 0.2])
def test_the_lattice_is_that_of_brute_force(leveled: Connection, share: float) -> None:
    rows = lattice(leveled, "plain", suppression=share)
    assert set(rows) == set(product(*map(range, LEVELS.values())))
    safe = set()
    for node, row in rows.items():
        groups = groups_at(leveled, node)
        left_out = sum(held.total() for held in groups.values() if not met(held))
        assert row["safe"] == (left_out <= share * 300), node
        if not row["safe"]:
            assert [row[name] for name in ("suppressed", *UTILITIES)] == [None] * 5
            continue
        safe.add(node)
        sizes = [held.total() for held in groups.values() if met(held)]
        assert row["suppressed"] == left_out
        assert row["discernibility"] == sum(n * n for n in sizes) + 300 * left_out
        assert row["average_class_size"] == pytest.approx(sum(sizes) / len(sizes))
    for node, row in rows.items():
        assert row["minimal"] == (node in safe and not any(below(b, node) for b in safe))
        assert (row["kl"] is not None) == row["minimal"]
    (chosen,) = (node for node, row in rows.items() if row["chosen"])
    costs = {node: row["discernibility"] for node, row in rows.items() if row["safe"]}
    assert costs[chosen] == min(costs.values())
    # Both requirements are monotone, and most nodes follow from others.
    assert sum(row["measured"] for row in rows.values()) < len(rows)


def test_beliefs_are_measured_at_every_node_that_may_hold(leveled: Connection) -> None:
    """(B,t)-privacy is not monotone: what holds below says nothing about what is above."""
    bound = {"bandwidth": 0.5, "t": 0.1}
    state_policy(leveled, "informed", {"k_anonymity": {"k": 4}, "bt_privacy": bound})
    rows = lattice(leveled, "informed")
    unsafe_but_large = 0
    for node, row in rows.items():
        large = all(held.total() >= 4 for held in groups_at(leveled, node).values())
        assert row["measured"] or not large, node
        assert large or not row["safe"], node
        unsafe_but_large += large and not row["safe"]
    assert unsafe_but_large
    assert any(row["safe"] for row in rows.values())


# --- what is published ----------------------------------------------------------------------------


@pytest.mark.parametrize("utility", UTILITIES)
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_the_chosen_node_is_published(leveled: Connection, utility: str, share: float) -> None:
    options = {"utility": utility, "suppression": share}
    rows = lattice(leveled, "plain", **options)
    (node,) = (node for node, row in rows.items() if row["chosen"])
    among = "minimal" if utility == "kl" else "safe"
    costs = {node: row[utility] for node, row in rows.items() if row[among]}
    assert costs[node] == pytest.approx(min(costs.values()))
    release = publish(leveled, view="public.v", method="incognito", options=options)
    expected = {key: held for key, held in groups_at(leveled, node).items() if met(held)}
    shown: Groups = defaultdict(Counter)
    for age, sex, city, disease in rows_of(leveled, "public.v"):
        shown[age, sex, city][disease] += 1
    assert sorted(map(str, map(sorted, (c.items() for c in shown.values())))) == sorted(
        map(str, map(sorted, (c.items() for c in expected.values())))
    )
    # Each column is published at one level: labels of nodes, ranges that stay within intervals.
    ages: dict[Any, set[Any]] = defaultdict(set)
    for age, sex, city in shown:
        first, last = age.lower, age.upper - 1
        interval = generalized((first, "f", "Aln"), node)[0]
        assert interval == generalized((last, "f", "Aln"), node)[0]
        ages[interval].add((first, last))
        assert sex in [("f", "m"), ("*",)][node[1]]
        assert city in [tuple(REGION), tuple(REGIONS), ("*",)][node[2]]
    assert all(len(ranges) == 1 for ranges in ages.values())
    told: dict[str, float] = dict(
        leveled.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    for name in UTILITIES:
        assert told[name] == pytest.approx(rows[node][name]), name
    suppressed = one(
        leveled, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release]
    )
    assert suppressed == rows[node]["suppressed"] <= 300 * share
    assert one(leveled, "SELECT count(*) FROM public.v") == 300 - suppressed


def test_what_is_safe_is_certified_as_it_stands(leveled: Connection) -> None:
    bound = {"bandwidth": 0.3, "t": 0.25}
    state_policy(leveled, "strict", {"k_anonymity": {"k": 4}, "bt_privacy": bound})
    for estimator in ("auto", "bethe", "omega"):
        options = {"estimator": estimator, "suppression": 0.1}
        rows = lattice(leveled, "strict", **options)
        (node,) = (node for node, row in rows.items() if row["chosen"])
        release = publish(leveled, "patients", "strict", "public.v", options, "incognito")
        groups, suppressed = leveled.execute(
            "SELECT groups, suppressed FROM bkpriv.releases WHERE release = %s", [release]
        ).fetchall()[0]
        assert suppressed == rows[node]["suppressed"]
        assert groups == pytest.approx((300 - suppressed) / rows[node]["average_class_size"])
        query = "SELECT satisfied FROM bkpriv.audit(%s, NULL, %s)"
        assert set(leveled.execute(query, [release, estimator]).fetchall()) == {(True,)}


def test_suppression_may_mend_what_the_whole_table_does_not_meet(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TABLE few AS SELECT 'x' AS g, 'flu' AS s FROM generate_series(1, 3) UNION ALL
            SELECT 'y', (ARRAY['flu', 'cold'])[1 + i % 2] FROM generate_series(1, 8) AS i;
        SELECT bkpriv.register_dataset('few', 'few', '{g}', 's');
        """
    )
    state_policy(clinic, "two", {"l_diversity": {"l": 2, "variant": "probabilistic"}})
    query = "SELECT safe, suppressed FROM bkpriv.lattice('few', 'two', %s) ORDER BY levels"
    found = clinic.execute(query, [Jsonb({"suppression": 0.3})]).fetchall()
    assert found == [(True, 3), (False, None)]
    options = {"suppression": 0.3}
    publish(clinic, "few", "two", "public.f", options, "incognito")
    assert one(clinic, "SELECT count(*) FROM public.f WHERE g = 'y'") == 8
    for suppression in (0.0, 0.2):
        refused(
            clinic,
            "SELECT bkpriv.publish('few', 'two', 'public.f', 'incognito', options => %s)",
            [Jsonb({"suppression": suppression})],
            sqlstate="22023",
            names=["safe" if suppression else "l_diversity"],
        )


def test_without_intervals_a_number_is_exact_or_anything(clinic: Connection) -> None:
    rows = clinic.execute(LATTICE, ["plain", Jsonb({})]).fetchall()
    assert len(rows) == 2 * 2 * 3
    publish(clinic, view="public.v", method="incognito")
    ages = {row[0] for row in rows_of(clinic, "public.v")}
    span = one(clinic, "SELECT int4range(min(age), max(age), '[]') FROM clinic.patient")
    assert ages == {span} or all(age.upper - age.lower == 1 for age in ages)


def test_intervals_of_dates_are_days(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE visit AS SELECT date '2024-01-01' + i % 60 AS day, i % 3 AS s "
        "FROM generate_series(1, 240) AS i"
    )
    clinic.execute("SELECT bkpriv.register_dataset('visits', 'visit', '{day}', 's')")
    # 2024-01-01, a Monday, is day 19723.
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('visits', 'day', '{7,14}', 19723)")
    state_policy(clinic, "k", {"k_anonymity": {"k": 10}})
    publish(clinic, "visits", "k", "public.v", method="incognito")
    days = sorted({row[0].lower for row in rows_of(clinic, "public.v")})
    assert [(day - days[0]).days for day in days] == list(range(0, 60, 7))
    assert days[0].isoformat() == "2024-01-01"


def test_null_is_a_value(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET city = NULL WHERE city = 'Dunn'")
    clinic.execute("UPDATE clinic.patient SET age = NULL WHERE age > 60")
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{10, 20}')")
    options = {"nulls": "category"}
    release = publish(clinic, view="public.v", method="incognito", options=options)
    shown = rows_of(clinic, "public.v")
    assert len(shown) == 300
    groups = Counter(map(str, (row[:3] for row in shown)))
    assert min(groups.values()) >= 4
    assert all(
        row[0] for row in clinic.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release])
    )


# --- what follows from the history ----------------------------------------------------------------


def test_queries_are_estimated_from_what_the_view_shows(leveled: Connection) -> None:
    release = publish(leveled, view="public.v", method="incognito", options={"utility": "gcp"})
    for condition in ("age < 33", "city = 'Aln' AND age BETWEEN 30 AND 47", "sex = 'f'"):
        query = f"SELECT count(*) FROM patients WHERE {condition} AND disease = 'ulcer'"
        found = "SELECT actual, estimate FROM bkpriv.query_accuracy(%s, %s)"
        ((actual, estimate),) = leveled.execute(found, [release, query]).fetchall()
        assert actual == one(leveled, query.replace("patients", "clinic.patient"))
        rewritten = one(leveled, "SELECT bkpriv.rewrite_query(%s, %s)", [release, query])
        assert one(leveled, rewritten) == pytest.approx(estimate)


def test_the_history_keeps_levels_and_intervals(clinic: Connection) -> None:
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{5, 10}')")
    release = publish(clinic, view="public.v", method="incognito")
    query = "SELECT * FROM bkpriv.utility(%s)"
    before = clinic.execute(query, [release]).fetchall()
    rows = clinic.execute(
        "SELECT attribute, widths, level IS NULL FROM bkpriv.release_attribute ORDER BY place"
    ).fetchall()
    assert rows == [
        ("age", [5, 10], False),
        ("city", None, False),
        ("sex", None, False),
        ("disease", None, True),
    ]
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{3}')")
    assert clinic.execute(query, [release]).fetchall() == before
    second = publish(clinic, view="public.v")
    levels = "SELECT count(level) FROM bkpriv.release_attribute WHERE release = %s"
    assert one(clinic, levels, [second]) == 0


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"utility": "beauty"}, ["utility", "beauty"]),
        ({"suppression": 1.5}, ["suppression", "1.5"]),
        ({"suppression": "all"}, ["suppression", "all"]),
    ],
)
def test_options_that_mean_nothing(
    leveled: Connection, options: dict[str, Any], names: list[str]
) -> None:
    with unchanged(leveled):
        refused(leveled, LATTICE, ["plain", Jsonb(options)], sqlstate="22023", names=names)
        statement = "SELECT bkpriv.publish('patients', 'plain', 'v', 'incognito', options => %s)"
        refused(leveled, statement, [Jsonb(options)], sqlstate="22023", names=names)


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        ("'nobody', 'plain'", "42704", ["nobody"]),
        ("'patients', 'nothing'", "42704", ["nothing"]),
        ("NULL, 'plain'", "22023", ["dataset"]),
        ("'patients', NULL", "22023", ["policy"]),
        ("'patients', 'plain', NULL", "22023", ["options"]),
    ],
)
def test_the_lattice_refuses(
    leveled: Connection, arguments: str, sqlstate: str, names: list[str]
) -> None:
    refused(leveled, f"SELECT * FROM bkpriv.lattice({arguments})", sqlstate=sqlstate, names=names)


def test_the_lattice_reads_no_prior_that_is_up_to_a_stranger(
    make_publisher: Callable[..., Connection],
) -> None:
    stranger, publisher = make_publisher("stranger"), make_publisher("publisher")
    name = stranger.info.user
    stranger.execute(
        "CREATE VIEW told AS SELECT a, b, 0.25::float8 AS probability "
        "FROM generate_series(0, 11) AS a, unnest('{0,1,2,4}'::int[]) AS b"
    )
    stranger.execute("GRANT SELECT ON told TO PUBLIC")
    stranger.execute(
        psycopg.sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(psycopg.sql.Identifier(name))
    )
    adversary = {"bandwidth": {"table": f'"{name}".told'}, "t": 0.99}
    state_policy(stranger, "theirs", {"bt_privacy": [adversary]})
    state_policy(publisher, "ours", {"bt_privacy": [adversary]})
    declare_own(publisher)
    statement = "SELECT count(*) FROM bkpriv.lattice('mine', %s)"
    for policy in ("theirs", "ours"):
        refused(publisher, statement, [policy], sqlstate="42501", names=[name, "told"])
    publisher.execute(f"CREATE TABLE told AS SELECT * FROM {name}.told".encode())
    own = {"bandwidth": {"table": f'"{publisher.info.user}".told'}, "t": 0.99}
    state_policy(publisher, "ours", {"bt_privacy": [own]})
    assert one(publisher, statement, ["ours"]) == 2
