"""Views of a release, checked from its rows and the source by slow and obvious code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import (
    HALF,
    QUASI_IDENTIFIERS,
    SENSITIVE,
    SHARP,
    declare_hopeless,
    one,
    publish,
    rows_of,
    sentence,
    state_policy,
)
from tests.db.naive import INTEGER, PATHS, boxes_of, expected_rows, labels, records_of

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

GENERALIZATIONS = {"age": INTEGER, "sex": labels(PATHS["sex"]), "city": labels(PATHS["city"])}


def shares(counts: Counter[str]) -> list[Fraction]:
    """Distribution of the diseases, in the order of their names."""
    return [Fraction(counts[disease], counts.total()) for disease in sorted(PATHS["disease"])]


def closeness(db: Connection, ground: str) -> Callable[[Counter[str]], float]:
    """Distance of a box's diseases from the source's, by the core's oracle."""
    records = records_of(
        rows_of(db, "clinic.patient"), ["age"], PATHS, [*QUASI_IDENTIFIERS, SENSITIVE]
    )
    distances = oracles.ground_distances(records.sensitive, ground)
    overall = oracles.shares(records, records.everything())
    return lambda counts: float(oracles.earth_movers_distance(shares(counts), overall, distances))


# --- the promise ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "requirements",
    [
        {"k_anonymity": {"k": 1}},
        {"k_anonymity": {"k": 7}},
        {"k_anonymity": {"k": 300}},
        {"k_anonymity": {"k": 3}, "l_diversity": {"l": 3}},
        {"l_diversity": {"l": 2.5, "variant": "probabilistic"}},
        {"t_closeness": {"t": 0.25, "ground": "equal"}},
        {"t_closeness": {"t": 0.2, "ground": "ordered"}},
        {"t_closeness": {"t": 0.2, "ground": "hierarchical"}, "k_anonymity": {"k": 5}},
        {"k_anonymity": {"k": 4}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}]},
    ],
    ids=str,
)
def test_a_release_keeps_its_promise_and_shows_the_source(
    shared_clinic: Connection, requirements: dict[str, Any]
) -> None:
    db = shared_clinic
    state_policy(db, "tried", requirements)
    release = publish(db, policy="tried", view="public.tried")
    shown = rows_of(db, "public.tried")
    source = rows_of(db, "clinic.patient")

    expected, left_out = expected_rows(db, release, source, GENERALIZATIONS)
    assert Counter(shown) == expected
    ((records, suppressed, groups),) = db.execute(
        "SELECT records, suppressed, groups FROM bkpriv.releases WHERE release = %s", [release]
    ).fetchall()
    assert (records, suppressed) == (len(source), left_out)
    assert len(shown) == records - suppressed

    boxes = boxes_of(shown)
    assert len(boxes) <= groups
    stated = {name: fields for name, fields in requirements.items() if name != "bt_privacy"}
    for box, counts in boxes.items():
        if "k_anonymity" in stated:
            assert counts.total() >= stated["k_anonymity"]["k"], box
        if "l_diversity" in stated:
            diversity: float = len(counts)
            if stated["l_diversity"].get("variant") == "probabilistic":
                diversity = counts.total() / max(counts.values())
            assert diversity >= stated["l_diversity"]["l"], box
        if "t_closeness" in stated:
            distance = closeness(db, stated["t_closeness"]["ground"])(counts)
            assert distance <= stated["t_closeness"]["t"] + 1e-9, box


def test_as_many_groups_are_made_as_the_requirement_lets(shared_clinic: Connection) -> None:
    state_policy(shared_clinic, "loose", {"k_anonymity": {"k": 1}})
    release = publish(shared_clinic, policy="loose", view="public.loose")
    cells = one(
        shared_clinic, "SELECT count(*) FROM (SELECT FROM clinic.patient GROUP BY age, sex, city) c"
    )
    kept = one(shared_clinic, "SELECT groups FROM bkpriv.release WHERE release = %s", [release])
    assert kept == cells


def test_beliefs_move_by_no_more_than_was_promised(shared_clinic: Connection) -> None:
    # By the oracle: priors from pairs of records, posteriors by equation 3, for every record.
    db = shared_clinic
    release = publish(db, policy="beliefs", view="public.beliefs")
    source = rows_of(db, "clinic.patient")
    records = records_of(source, ["age"], PATHS, [*QUASI_IDENTIFIERS, SENSITIVE])
    priors = oracles.rounded(oracles.priors(records, [0.3] * 3))
    cells = db.execute(
        "SELECT group_id, qi, disclosure FROM bkpriv.disclosure(%s, '0.3', 'exact')", [release]
    ).fetchall()
    group_of = {tuple(qi.values()): group for group, qi, _ in cells}
    told = {tuple(qi.values()): figure for _, qi, figure in cells}
    groups: dict[int, list[int]] = {}
    for place, record in enumerate(source):
        if record[:-1] in group_of:
            groups.setdefault(group_of[record[:-1]], []).append(place)
    for group in groups.values():
        figures = oracles.disclosures(records, priors, group, None, "exact")
        for place, figure in zip(group, figures, strict=True):
            assert figure <= 0.2 + 1e-9
            assert figure == pytest.approx(told[source[place][:-1]], abs=1e-9)


def test_an_estimate_may_promise_too_much_and_certification_does_not(
    clinic: Connection,
) -> None:
    # The same data published twice: omega believes its partition to be safe, exact inference
    # finds records beyond the bound; a release certified exactly has none.
    demanded = {"bt_privacy": {"bandwidth": 0.3, "t": 0.15, "smoothing": 0.75}}
    state_policy(clinic, "sharp", {"k_anonymity": {"k": 3}, **demanded})
    audit = (
        f"SELECT worst, vulnerable, satisfied FROM bkpriv.audit(%s, '{json.dumps(demanded)}', %s)"
    )
    estimated = publish(clinic, policy="sharp", view="public.e", options={"estimator": "omega"})
    assert "bt_privacy of 300 of 300 records is an estimate" in sentence(clinic, estimated)
    ((worst, vulnerable, satisfied),) = clinic.execute(audit, [estimated, "omega"]).fetchall()
    assert (worst <= 0.15, vulnerable, satisfied) == (True, 0, True)
    ((worst, vulnerable, satisfied),) = clinic.execute(audit, [estimated, "exact"]).fetchall()
    assert worst > 0.15
    assert vulnerable > 0
    assert not satisfied

    for estimator in ("auto", "exact"):
        certified = publish(
            clinic, policy="sharp", view="public.c", options={"estimator": estimator}
        )
        for judge in ("auto", "exact"):
            ((worst, vulnerable, satisfied),) = clinic.execute(audit, [certified, judge]).fetchall()
            assert worst <= 0.15 + 1e-9
            assert (vulnerable, satisfied) == (0, True)
        # The history holds the certification itself.
        kept = clinic.execute(
            "SELECT worst <= threshold + 1e-9, estimator FROM bkpriv.audits WHERE release = %s "
            "AND requirement = 'bt_privacy' ORDER BY audit LIMIT 1",
            [certified],
        ).fetchall()
        assert kept == [(True, "exact")]
        assert "estimate" not in sentence(clinic, certified)


@pytest.mark.parametrize("estimator", ["exact", "auto", "omega"])
def test_a_group_that_nothing_mends_is_suppressed_and_counted(
    db: Connection, estimator: str
) -> None:
    people = declare_hopeless(db)
    options = {"estimator": estimator} | HALF
    release = publish(db, "people", "sharp", "public.shown", options, "incognito")
    shown = rows_of(db, "public.shown")
    suppressed = 0 if estimator == "omega" else 3
    assert Counter(secret for _, secret in shown) == Counter(
        secret for _, secret in people[suppressed:]
    )
    assert all(age.lower >= 7 for age, _ in shown) == (suppressed == 3)
    ((records, left_out, groups),) = db.execute(
        "SELECT records, suppressed, groups FROM bkpriv.releases WHERE release = %s", [release]
    ).fetchall()
    assert (records, left_out, groups) == (6, suppressed, 2 - (suppressed == 3))
    metrics: dict[str, float] = dict(
        db.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    assert metrics["suppressed_share"] == pytest.approx(suppressed / 6)
    # Nobody measures what was not published.
    assert one(db, "SELECT sum(records) FROM bkpriv.disclosure(%s, '0.3')", [release]) == len(shown)
    vulnerable = one(
        db, "SELECT vulnerable FROM bkpriv.audit(%s, %s, 'exact')", [release, Jsonb(SHARP)]
    )
    assert (vulnerable > 0) == (estimator == "omega")


# --- order and traces -----------------------------------------------------------------------------


def test_the_seed_repeats_the_order_and_nothing_else_does(shared_clinic: Connection) -> None:
    def order(options: dict[str, Any]) -> list[tuple[Any, ...]]:
        publish(shared_clinic, view="public.ordered", options=options, seed=None)
        return rows_of(shared_clinic, "public.ordered")

    assert order({"seed": 7}) == order({"seed": 7}) != order({"seed": 8})
    first, second = order({}), order({})
    assert first != second
    assert Counter(first) == Counter(second)


def test_the_order_of_rows_carries_no_grouping(shared_clinic: Connection) -> None:
    # Rows of one box stand as scattered as shuffled ones do: the number of neighbours in one box
    # lies within five standard deviations of its expectation under a random order.
    state_policy(shared_clinic, "big", {"k_anonymity": {"k": 30}})
    for _ in range(3):
        publish(shared_clinic, policy="big", view="public.ordered")
        table = one(
            shared_clinic,
            "SELECT bkpriv_internal.release_table(max(release)) FROM bkpriv.release "
            "WHERE view_name = 'ordered'",
        )
        physical = shared_clinic.execute(
            sql.SQL("SELECT age, sex, city, disease FROM {} ORDER BY ctid").format(
                sql.Identifier("bkpriv_release", table)
            )
        ).fetchall()
        assert physical == rows_of(shared_clinic, "public.ordered")
        for values in ([row[:3] for row in physical], [row[3:] for row in physical]):
            n = len(values)
            neighbours = sum(one == other for one, other in pairwise(values))
            chance = sum(c * (c - 1) for c in Counter(values).values()) / (n * (n - 1))
            expected, spread = (n - 1) * chance, ((n - 1) * chance * (1 - chance)) ** 0.5
            assert abs(neighbours - expected) < 5 * spread + 1


def test_a_release_shows_the_declared_columns_and_nothing_else(shared_clinic: Connection) -> None:
    publish(shared_clinic, view="public.columns")
    cursor = shared_clinic.execute("SELECT * FROM public.columns")
    assert [column.name for column in cursor.description or ()] == ["age", "sex", "city", "disease"]
    table = one(
        shared_clinic,
        "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute "
        "WHERE attrelid = (SELECT ('bkpriv_release.' || "
        "bkpriv_internal.release_table(max(release)))::regclass "
        "FROM bkpriv.release) AND attnum > 0",
    )
    assert table == ["age", "city", "sex", "disease"]


# --- where records come from ----------------------------------------------------------------------


SOURCES = {
    "partitioned table": """
        CREATE TABLE clinic.source (LIKE clinic.patient) PARTITION BY LIST (city);
        CREATE TABLE clinic.some PARTITION OF clinic.source FOR VALUES IN ('Aln', 'Corve');
        CREATE TABLE clinic.rest PARTITION OF clinic.source DEFAULT;
        INSERT INTO clinic.source SELECT * FROM clinic.patient""",
    "inheritance": """
        CREATE TABLE clinic.source (LIKE clinic.patient);
        CREATE TABLE clinic.child () INHERITS (clinic.source);
        INSERT INTO clinic.source SELECT * FROM clinic.patient WHERE age < 40;
        INSERT INTO clinic.child SELECT * FROM clinic.patient WHERE age >= 40""",
    "view": "CREATE VIEW clinic.source AS SELECT * FROM clinic.patient",
    "materialized view": "CREATE MATERIALIZED VIEW clinic.source AS SELECT * FROM clinic.patient",
    "unlogged table": "CREATE UNLOGGED TABLE clinic.source AS SELECT * FROM clinic.patient",
}


def shown_alike(db: Connection, source: str) -> None:
    """Publish a source and the clinic's own table: the views must be the same."""
    db.execute("SELECT bkpriv.register_dataset('copy', %s, '{age,sex,city}', 'disease')", [source])
    for attribute in ("city", "disease"):
        db.execute(
            "SELECT bkpriv.set_hierarchy('copy', %s, %s)",
            [attribute, f"clinic.{attribute}_levels"],
        )
    publish(db, "copy", view="public.copy")
    publish(db, view="public.original")
    assert Counter(rows_of(db, "public.copy")) == Counter(rows_of(db, "public.original"))


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_is_published_alike(clinic: Connection, kind: str) -> None:
    clinic.execute(SOURCES[kind])
    shown_alike(clinic, "clinic.source")


@pytest.mark.usefixtures("database")
def test_a_foreign_table_is_published_alike(clinic: Connection) -> None:
    available = "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'"
    if not one(clinic, available):
        pytest.skip("this server lacks postgres_fdw, a contributed module")
    info = clinic.info
    clinic.execute("CREATE EXTENSION postgres_fdw")
    clinic.execute(
        sql.SQL(
            "CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw "
            "OPTIONS (host {}, port {}, dbname {})"
        ).format(sql.Literal(info.host), sql.Literal(str(info.port)), sql.Literal(info.dbname))
    )
    clinic.execute(
        """
        CREATE USER MAPPING FOR CURRENT_USER SERVER itself OPTIONS (user 'postgres');
        CREATE FOREIGN TABLE clinic.far (age int, sex text, city text, disease text)
            SERVER itself OPTIONS (schema_name 'clinic', table_name 'patient');
        """
    )
    shown_alike(clinic, "clinic.far")
    assert one(clinic, "SELECT stale FROM bkpriv.releases WHERE dataset = 'copy'") is None


def test_what_row_security_hides_is_not_published(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = sql.Identifier(publisher.info.user)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(role))
    clinic.execute("ALTER TABLE clinic.patient ENABLE ROW LEVEL SECURITY")
    clinic.execute("CREATE POLICY part ON clinic.patient USING (city <> 'Aln')")
    publisher.execute(
        "SELECT bkpriv.register_dataset('mine', 'clinic.patient', '{age,sex,city}', 'disease')"
    )
    publish(publisher, "mine", view="mine")
    visible = one(clinic, "SELECT count(*) FROM clinic.patient WHERE city <> 'Aln'")
    assert one(publisher, "SELECT count(*) FROM mine") == visible
    assert one(publisher, "SELECT records FROM bkpriv.releases") == visible


def test_settings_of_the_session_change_nothing(clinic: Connection) -> None:
    clinic.execute(
        "ALTER TABLE clinic.patient ALTER age TYPE timestamptz "
        "USING timestamptz '2000-01-01 UTC' + age * interval '1 day'"
    )
    publish(clinic, view="public.a", options={"seed": 1})
    as_utc = "SELECT age::text, sex, city, disease FROM {}"
    clinic.execute("SET timezone = 'UTC'")
    plain = clinic.execute(as_utc.format("public.a")).fetchall()
    for setting in (
        "timezone = 'Asia/Kolkata'",
        "datestyle = 'German, DMY'",
        "extra_float_digits = -10",
        "intervalstyle = 'sql_standard'",
        "bytea_output = 'escape'",
        "search_path = ''",
        "enable_hashagg = off",
        "work_mem = '64kB'",
        "standard_conforming_strings = off",
        "row_security = off",
    ):
        clinic.execute(f"SET {setting}")
    publish(clinic, view="public.b", options={"seed": 1})
    clinic.execute("RESET ALL")
    clinic.execute("SET timezone = 'UTC'")
    assert clinic.execute(as_utc.format("public.b")).fetchall() == plain
