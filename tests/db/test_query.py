"""Query accuracy: actual counts as PostgreSQL counts, estimates as a reader would make them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection, sample
from tests.core import oracles, query_oracles
from tests.db.clinic import QUASI_IDENTIFIERS, SENSITIVE, one, publish, rows_of
from tests.db.naive import PATHS, records_of
from tests.db.queries import (
    agree,
    answer,
    asked,
    draw_condition,
    draw_grouping,
    rewritten,
    run,
)
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

METHODS = ("mondrian", "bucketize")

LITERALS = {
    "age": ["20", "35", "35.5", "'44'", "69", "-1", "1e3"],
    "SEX": ["'f'", "'m'", "'x'"],
    '"city"': ["'Aln'", "'Corve'", "'Dunn'", "'Bath'", "''"],
    "disease": ["'asthma'", "'ulcer'", "'flu'", "'it''s'"],
}


@pytest.fixture(scope="module", params=METHODS)
def release(request: pytest.FixtureRequest, shared_clinic: Connection) -> int:
    """The clinic's table, published."""
    return publish(shared_clinic, view=f"public.{request.param}", method=request.param)


def groups_of(db: Connection, release: int, records: oracles.Records) -> list[oracles.Group]:
    """The records of each group, of a release that splits no cell."""
    cells = db.execute("SELECT group_id, qi FROM bkpriv.disclosure(%s, '1')", [release]).fetchall()
    group_of = {tuple(str(qi[name]) for name in QUASI_IDENTIFIERS): group for group, qi in cells}
    found: dict[int, oracles.Group] = {}
    for cell in records.cells():
        values = tuple(str(value) for value in records.rows[cell[0]][:-1])
        if values in group_of:
            found.setdefault(group_of[values], []).extend(cell)
    return list(found.values())


@pytest.fixture(scope="module")
def records(shared_clinic: Connection) -> oracles.Records:
    source = rows_of(shared_clinic, "clinic.patient")
    return records_of(source, ["age"], PATHS, [*QUASI_IDENTIFIERS, SENSITIVE])


# --- figures --------------------------------------------------------------------------------------


def test_actual_counts_are_those_of_postgresql(shared_clinic: Connection, release: int) -> None:
    draw = random.Random(1)
    for number in range(sample(150)):
        condition = draw_condition(draw, LITERALS)
        relation = ["patients", "patient", "clinic.patient"][number % 3]
        actual, _, _ = answer(
            shared_clinic, release, f"SELECT count(*) FROM {relation} WHERE {condition}"
        )
        expected = run(shared_clinic, f"SELECT count(*) FROM clinic.patient WHERE {condition}")
        assert actual == expected, condition


def test_estimates_record_by_record(
    shared_clinic: Connection, release: int, records: oracles.Records
) -> None:
    groups = groups_of(shared_clinic, release, records)
    condition = (
        "or",
        [
            ("and", [("compare", 0, "<=", 40), ("in", 2, ["Aln", "Corve"])]),
            ("not", ("compare", 3, "=", "asthma")),
        ],
    )
    text = (
        "SELECT {} FROM patients "
        "WHERE age <= 40 AND city IN ('Aln', 'Corve') OR NOT disease = 'asthma'"
    )
    method = one(shared_clinic, "SELECT method FROM bkpriv.release WHERE release = %s", [release])

    def expected(keys: list[int]) -> dict[tuple[Any, ...], Any]:
        if method == "bucketize":
            return dict(query_oracles.bucketized_estimates(records, groups, condition, keys))
        steps = (1, None, None)
        return dict(query_oracles.estimates(records, groups, condition, steps, keys))

    _, estimate, _ = answer(shared_clinic, release, text.format("count(*)"))
    assert estimate == pytest.approx(float(expected([])[()]))
    found = asked(
        shared_clinic, release, text.format("sex, disease, count(*)") + " GROUP BY sex, disease"
    )
    wanted = expected([1, 3])
    assert len(found) == len(wanted)
    for key, _, figure, _ in found:
        assert figure == pytest.approx(float(wanted[key["sex"], key["disease"]]))


def test_groups_are_those_of_postgresql(shared_clinic: Connection, release: int) -> None:
    for group in (
        "age",
        "CUBE (sex, city)",
        "ROLLUP (sex, (city, disease))",
        "sex, GROUPING SETS ((city), (), ROLLUP (disease))",
    ):
        query = f"SELECT count(*) FROM patient WHERE age > 30 GROUP BY {group}"
        found = asked(shared_clinic, release, query)
        expected = run(
            shared_clinic,
            "SELECT jsonb_object_agg(key, n) FROM (SELECT (jsonb_strip_nulls(jsonb_build_object("
            + ", ".join(f"'{name}', {name}" if name in group.lower() else f"'{name}', NULL"
                        for name in [*QUASI_IDENTIFIERS, SENSITIVE])
            + f")))::text AS key, count(*) AS n FROM clinic.patient WHERE age > 30 "
            f"GROUP BY {group}) AS x",
        )  # fmt: skip
        counted = {
            one(shared_clinic, "SELECT %s::jsonb::text", [json.dumps(key)]): actual
            for key, actual, _, _ in found
            if actual
        }
        assert counted == expected
        for _, actual, estimate, error in found:
            assert actual > 0 or (estimate > 0 and error is None)


def test_a_workload_is_answered_like_its_queries(shared_clinic: Connection, release: int) -> None:
    def draw(seed: int | None) -> list[Any]:
        return shared_clinic.execute(
            "SELECT * FROM bkpriv.query_workload(%s, 40, 2, 0.1, %s)", [release, seed]
        ).fetchall()

    drawn = draw(7)
    assert len(drawn) == 40
    for query, *figures in drawn:
        assert list(answer(shared_clinic, release, query)) == pytest.approx(figures, nan_ok=True)
    assert draw(7) == drawn
    assert draw(-7) == draw(-7) != drawn
    assert draw(None) != draw(None)


def test_utility_and_association(
    shared_clinic: Connection, release: int, records: oracles.Records
) -> None:
    groups = groups_of(shared_clinic, release, records)
    method = one(shared_clinic, "SELECT method FROM bkpriv.release WHERE release = %s", [release])
    original = query_oracles.original_joint(records)
    if method == "bucketize":
        everything = ("and", ())
        estimated: query_oracles.Joint = query_oracles.bucketized_estimates(
            records, groups, everything, range(4)
        )
    else:
        estimated = query_oracles.generalized_joint(records, groups)
    told: dict[str, float] = dict(
        shared_clinic.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    for metric, figure in query_oracles.divergences(original, estimated).items():
        assert told[metric] == pytest.approx(figure, rel=1e-9), metric
    names = [*QUASI_IDENTIFIERS, SENSITIVE]
    rows = shared_clinic.execute("SELECT * FROM bkpriv.association(%s)", [release]).fetchall()
    assert len(rows) == 4 * 3
    for attribute, other, before, after in rows:
        pair = names.index(attribute), names.index(other)
        assert before == pytest.approx(query_oracles.uncertainty(original, *pair), abs=1e-9)
        assert after == pytest.approx(query_oracles.uncertainty(estimated, *pair), abs=1e-9)


def test_anatomy(shared_clinic: Connection) -> None:
    # Cells are split over groups, so PostgreSQL is the oracle of estimates here.
    release = publish(shared_clinic, view="public.a", method="anatomy")
    draw = random.Random(3)
    for _ in range(sample(40)):
        condition = draw_condition(draw, LITERALS)
        query = f"SELECT count(*) FROM patients WHERE {condition}"
        actual, estimate = agree(shared_clinic, release, query)
        assert actual == run(
            shared_clinic, f"SELECT count(*) FROM clinic.patient WHERE {condition}"
        )
        expected = run(
            shared_clinic,
            "SELECT coalesce(sum(s.count / n), 0)::float8 FROM public.a AS r "
            "JOIN public.a_sensitive AS s USING (group_id) "
            "JOIN (SELECT group_id, count(*)::float8 AS n FROM public.a "
            f"GROUP BY group_id) AS g USING (group_id) WHERE {condition}",
        )
        assert estimate == pytest.approx(expected)
    told: dict[str, float] = dict(
        shared_clinic.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    assert 0 < told["kl"] < math.inf


def test_nulls_and_suppressed_records(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET age = NULL WHERE city = 'Aln' AND sex = 'f'")
    clinic.execute("UPDATE clinic.patient SET disease = NULL WHERE disease = 'ulcer'")
    clinic.execute("UPDATE clinic.patient SET city = NULL WHERE city = 'Dunn' AND age < 30")
    draw = random.Random(4)
    for policy, method in (("plain", "mondrian"), ("beliefs", "mondrian"), ("plain", "bucketize")):
        release = publish(
            clinic, "patients", policy, f"public.{method}", {"nulls": "category"}, method
        )
        for _ in range(sample(60)):
            condition = draw_condition(draw, LITERALS)
            query = f"SELECT count(*) FROM patients WHERE {condition}"
            actual, _ = agree(clinic, release, query)
            assert actual == run(clinic, f"SELECT count(*) FROM clinic.patient WHERE {condition}")
            agree(clinic, release, f"{query} GROUP BY {draw_grouping(draw, [*LITERALS])}")
        keys = [
            key for key, *_ in asked(clinic, release, "SELECT count(*) FROM patients GROUP BY city")
        ]
        assert {"city": None} in keys


def test_numbers_with_a_hierarchy_are_numbers(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TABLE ward AS SELECT i % 4 AS floor, i % 3 AS s FROM generate_series(1, 60) AS i;
        CREATE TABLE floors AS SELECT i, CASE WHEN i < 2 THEN 'low' ELSE 'high' END, '*' AS top
            FROM generate_series(0, 3) AS i;
        SELECT bkpriv.register_dataset('ward', 'ward', '{floor}', 's');
        SELECT bkpriv.set_hierarchy('ward', 'floor', 'floors');
        """
    )
    release = publish(clinic, "ward", view="public.w")
    for condition in (
        *("floor = 99999999999", "floor < 2.5", "floor = 1e0", "floor >= -1e30", "floor IN (1, 7)"),
        *("s = 0.0", "s < 1.5"),
    ):
        query = f"SELECT count(*) FROM ward WHERE {condition}"
        assert agree(clinic, release, query)[0] == run(clinic, query)


# --- bad input ------------------------------------------------------------------------------------


def test_values_outside_the_domain_count_nothing(shared_clinic: Connection, release: int) -> None:
    for condition in ("city = 'Rome'", "age > 200", "age = 35.5", "disease IN ('', 'x')"):
        query = f"SELECT count(*) FROM patients WHERE {condition}"
        assert answer(shared_clinic, release, query) == (0, 0, None)
    query = "SELECT city, count(*) FROM patients WHERE age > 200 GROUP BY city"
    assert asked(shared_clinic, release, query) == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (None, "query is missing"),
        ("", "query is missing"),
        ("SELECT count(*) FROM patients WHERE name = 'x'", '"name" is not among'),
        ("SELECT count(*) FROM clinic.city_levels", "clinic.city_levels"),
        ("SELECT count(*) FROM patients WHERE age = 'x'", "'x', which is not a number"),
        ("SELECT count(*) FROM patients WHERE age = (SELECT 1)", "a subquery"),
    ],
)
def test_refused_queries(
    shared_clinic: Connection, release: int, query: str | None, name: str
) -> None:
    for function in ("query_accuracy", "rewrite_query"):
        statement = f"SELECT * FROM bkpriv.{function}(%s, %s)"
        refused(shared_clinic, statement, [release, query], sqlstate="22023", names=[name])


def test_refused_workloads(shared_clinic: Connection, release: int) -> None:
    statement = "SELECT * FROM bkpriv.query_workload(%s, %s, %s, %s)"
    for parameters, name in (
        ((None, 1, 0.1), "the number of queries is missing"),
        ((5, None, 0.1), "the number of dimensions is missing"),
        ((5, 1, None), "the selectivity is missing"),
    ):
        refused(shared_clinic, statement, [release, *parameters], sqlstate="22023", names=[name])
    refused(shared_clinic, statement, [release, 2**31 - 1, 1, 0.1], sqlstate="54000")


# --- hostile text ---------------------------------------------------------------------------------

HOSTILE = [
    "SELECT count(*) FROM patients; DROP TABLE clinic.patient",
    "SELECT count(*) FROM patients WHERE age = 1; DELETE FROM clinic.patient; --",
    "WITH gone AS (DELETE FROM clinic.patient RETURNING *) SELECT count(*) FROM gone",
    "SELECT count(*) FROM patients WHERE age IN (SELECT age FROM clinic.patient)",
    "SELECT count(*) FROM patients WHERE EXISTS (SELECT pg_sleep(60))",
    "SELECT count(*) FROM patients WHERE age = pg_sleep(60)::text",
    "SELECT count(*) FROM patients, pg_authid",
    "SELECT count(*) FROM pg_catalog.pg_authid",
    "SELECT count(*) FROM patients WHERE disease = ''; SELECT 1 --'",
    "SELECT count(*) FROM patients WHERE disease = '\\'; DROP TABLE clinic.patient; --'",
    "SELECT count(*) FROM patients WHERE disease = E'\\''; DROP TABLE clinic.patient; --'",
    "SELECT count(*) FROM patients WHERE disease = $$x$$",
    "SELECT count(*) FROM patients WHERE age = 1 /* ; DROP TABLE clinic.patient */",
    "SELECT count(*) FROM patients WHERE age\u00a0= 1",
    "SELECT count(*) FROM patients WHERE age \uff1d 1",
    "SELECT count(*) FROM patients WHERE disease = \u2019x\u2019 OR true",
    "SELECT count(*) FROM patients UNION SELECT count(*) FROM pg_authid",
    "SELECT lo_import('/etc/passwd')",
    "SELECT count(*) FROM pg_read_file('/etc/passwd')",
    "COPY clinic.patient TO PROGRAM 'true'",
    "DO $$ BEGIN RAISE 'x'; END $$",
    "SET ROLE postgres",
    "SELECT count(*) FROM patients WHERE " + "(" * 5000 + "age = 1" + ")" * 5000,
    "SELECT count(*) FROM patients WHERE age = 1" + " " * 300_000,
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_never_runs(shared_clinic: Connection, release: int, query: str) -> None:
    with unchanged(shared_clinic):
        for function in ("query_accuracy", "rewrite_query"):
            statement = f"SELECT * FROM bkpriv.{function}(%s, %s)"
            code = "54000" if len(query) > 5000 else "22023"
            refused(shared_clinic, statement, [release, query], sqlstate=code)
    assert one(shared_clinic, "SELECT count(*) FROM clinic.patient") == 300


def test_hostile_literals_are_values(shared_clinic: Connection, release: int) -> None:
    for literal in ("''; DROP TABLE clinic.patient; --", "\\", "%s {0} $1", "x' OR '1'='1"):
        quoted = sql.Literal(literal).as_string().lstrip(" E").replace("\\\\", "\\")
        for condition in (f"disease = {quoted}", f"disease < {quoted} OR city > {quoted}"):
            query = f"SELECT count(*) FROM patients WHERE {condition}"
            expected = f"SELECT count(*) FROM clinic.patient WHERE {condition}"
            assert agree(shared_clinic, release, query)[0] == run(shared_clinic, expected)


def test_types_in_a_forged_history_do_not_run(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute(
        """
        CREATE TABLE public.ran (x text);
        CREATE FUNCTION public.run(x text) RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO public.ran VALUES (x); RETURN true; END $$;
        CREATE DOMAIN public.evil AS text CHECK (public.run(value));
        ALTER TABLE bkpriv.release_attribute DISABLE TRIGGER guard;
        """
    )
    for forged in ("public.evil", "text); DROP TABLE clinic.patient; --", "no such type", ""):
        clinic.execute(
            "UPDATE bkpriv.release_attribute SET type = %s WHERE attribute = 'disease'", [forged]
        )
        query = "SELECT count(*) FROM patients WHERE disease = 'nothing'"
        assert answer(clinic, release, query) == (0, 0, None)
        refused(
            clinic,
            "SELECT * FROM bkpriv.query_accuracy(%s, %s)",
            [release, query.replace("=", "<")],
            sqlstate="22023",
            names=["'nothing'"],
        )
    assert one(clinic, "SELECT count(*) FROM public.ran") == 0
    assert one(clinic, "SELECT count(*) FROM clinic.patient") == 300


# --- who may --------------------------------------------------------------------------------------


def test_an_auditor_asks_without_reading_the_source(
    clinic: Connection, connect_as: Callable[[str], Connection], make_role: Callable[..., str]
) -> None:
    release = publish(clinic)
    role = make_role("auditor")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    auditor = connect_as(role)
    query = "SELECT count(*) FROM patients WHERE age < 40 AND disease < 'b'"
    assert answer(auditor, release, query) == answer(clinic, release, query)
    assert rewritten(auditor, release, query)
    assert len(auditor.execute("SELECT * FROM bkpriv.association(%s)", [release]).fetchall()) == 12


def test_others_releases_are_out_of_reach(rivals: tuple[Connection, Connection]) -> None:
    _, attacker = rivals
    for call in (
        "query_accuracy(1, 'SELECT count(*) FROM mine')",
        "query_workload(1, 5, 1, 0.1)",
        "rewrite_query(1, 'SELECT count(*) FROM mine')",
        "association(1)",
    ):
        refused(attacker, f"SELECT * FROM bkpriv.{call}", sqlstate="42704", names=["release 1"])
        refused(
            attacker,
            f"SELECT * FROM bkpriv.{call.replace('(1', '(NULL', 1)}",
            sqlstate="22023",
            names=["release"],
        )
