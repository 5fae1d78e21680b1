"""Knowledge from outside and the uniform kernel, wherever a bandwidth is accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

TABLE: Any = {"table": "clinic.belief"}
UNIFORM: Any = {"kernel": "uniform"}

PRIOR = "SELECT * FROM bkpriv.prior('patients', %s)"


def believe(db: Connection, expression: str, where: str = "true") -> None:
    """Create the prior table: for each cell and disease an SQL expression over ``p`` and ``d``."""
    db.execute(
        sql.SQL(
            "CREATE TABLE clinic.belief AS SELECT p.age, p.sex, p.city, d.disease AS value, "
            "({})::float8 AS probability FROM (SELECT DISTINCT age, sex, city FROM clinic.patient) "
            "p CROSS JOIN clinic.disease_levels d WHERE {}"
        ).format(sql.SQL(expression), sql.SQL(where))
    )


MEN_BREAK_BONES = (
    "CASE WHEN p.sex = 'm' AND d.disease = 'fracture' THEN 0.6 WHEN p.sex = 'm' THEN 0.1 "
    "ELSE 0.2 END"
)
"""Belief that men come with a fracture, and nothing in particular about women."""


def test_a_table_is_the_prior(clinic: Connection) -> None:
    believe(clinic, MEN_BREAK_BONES)
    rows = clinic.execute(
        "SELECT qi->>'sex', sensitive, probability FROM bkpriv.prior('patients', %s)",
        [Jsonb(TABLE)],
    ).fetchall()
    assert len(rows) == 5 * one(
        clinic, "SELECT count(*) FROM (SELECT DISTINCT age, sex, city FROM clinic.patient) x"
    )
    for sex, value, probability in rows:
        expected = 0.2 if sex == "f" else 0.6 if value == "fracture" else 0.1
        assert probability == pytest.approx(expected, abs=1e-15)


def test_the_uniform_kernel_is_the_whole_table(clinic: Connection) -> None:
    values = Counter(row[3] for row in rows_of(clinic, "clinic.patient"))
    for value, probability in clinic.execute(
        "SELECT sensitive, probability FROM bkpriv.prior('patients', %s)", [Jsonb(UNIFORM)]
    ).fetchall():
        assert probability == pytest.approx(values[value] / 300, abs=1e-15)


def test_measures_take_every_form(clinic: Connection) -> None:
    believe(clinic, MEN_BREAK_BONES)
    release = publish(clinic)
    worst = {}
    for knowledge in (0.3, UNIFORM, TABLE):
        told = clinic.execute(
            "SELECT max(disclosure), sum(records) FROM bkpriv.disclosure(%s, %s, 'exact')",
            [release, Jsonb(knowledge)],
        ).fetchone()
        assert told is not None
        assert told[1] == 300
        requirement = {"bt_privacy": {"bandwidth": knowledge, "t": 0.2}}
        ((name, parameters, _, audited, *_),) = clinic.execute(
            "SELECT * FROM bkpriv.audit(%s, %s, 'exact')", [release, Jsonb(requirement)]
        ).fetchall()
        assert name == "bt_privacy"
        assert parameters == {"bandwidth": knowledge, "t": 0.2}
        assert audited == told[0]
        worst[str(knowledge)] = audited
        priors = clinic.execute(
            "SELECT group_id, sum(prior), sum(posterior) FROM "
            "bkpriv.posterior(%s, %s) GROUP BY group_id, qi",
            [release, Jsonb(knowledge)],
        ).fetchall()
        for _, before, after in priors:
            assert (before, after) == pytest.approx((1, 1))
    assert len(set(worst.values())) == 3


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy"])
def test_a_policy_may_bound_what_every_form_learns(clinic: Connection, method: str) -> None:
    believe(clinic, MEN_BREAK_BONES)
    skyline = [{"bandwidth": form, "t": 0.25} for form in (UNIFORM, TABLE, 0.4)]
    state_policy(clinic, "forms", {"l_diversity": {"l": 2}, "bt_privacy": skyline})
    release = publish(clinic, policy="forms", view="public.f", method=method)
    audited = clinic.execute(
        "SELECT * FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL", [release]
    ).fetchall()
    assert [row[1].get("bandwidth") for row in audited[1:]] == [UNIFORM, TABLE, 0.4]
    assert all(row[6] for row in audited)


def test_numbers_match_as_numbers_and_dates_as_dates(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TABLE clinic.visit (day date, at timestamptz, cost numeric, ward text, s text);
        INSERT INTO clinic.visit SELECT DATE '2020-01-01' + i % 3,
            TIMESTAMPTZ '2020-01-01 00:00+00' + i % 2 * INTERVAL '1 hour', (i % 2)::numeric(9, 2),
            'w' || i % 2, 's' || i % 3 FROM generate_series(1, 60) i;
        CREATE VIEW clinic.said AS SELECT DISTINCT day::text AS day, at, cost::int AS cost,
            ward::varchar AS ward, v AS s, 1 / 3::float4 AS probability
            FROM clinic.visit CROSS JOIN (VALUES ('s0'), ('s1'), ('s2')) x(v);
        """
    )
    clinic.execute(
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{day,at,cost,ward}', 's')"
    )
    clinic.execute("SET timezone = 'Asia/Kolkata'; SET datestyle = 'German'")
    rows = clinic.execute(
        "SELECT probability FROM bkpriv.prior('visits', '{\"table\": \"clinic.said\"}')"
    ).fetchall()
    assert len(rows) == 18
    assert all(probability == pytest.approx(1 / 3) for (probability,) in rows)


def test_numbers_that_differ_in_the_last_digit_are_told_apart(clinic: Connection) -> None:
    clinic.execute(
        """
        CREATE TABLE clinic.dose (x float8, s text);
        INSERT INTO clinic.dose SELECT (ARRAY[0.3, 0.1::float8 + 0.2::float8, 1e17])[1 + i % 3],
            's' || i % 2 FROM generate_series(1, 60) i;
        CREATE TABLE clinic.said AS SELECT DISTINCT x, v.s,
            CASE WHEN x = 0.3 THEN 0.5 WHEN v.s = 's0' THEN 1 ELSE 0 END AS probability
            FROM clinic.dose CROSS JOIN (VALUES ('s0'), ('s1')) v(s);
        """
    )
    clinic.execute("SELECT bkpriv.register_dataset('doses', 'clinic.dose', '{x}', 's')")
    rows = clinic.execute(
        "SELECT (qi->>'x')::float8, probability "
        "FROM bkpriv.prior('doses', '{\"table\": \"clinic.said\"}') WHERE sensitive = 's0'"
    ).fetchall()
    assert dict(rows) == {0.3: 0.5, 0.1 + 0.2: 1, 1e17: 1}


@pytest.mark.parametrize(
    ("quasi_identifier", "sensitive"), [("value", "s"), ("probability", "s"), ("q", "probability")]
)
def test_a_column_has_one_meaning(
    clinic: Connection, quasi_identifier: str, sensitive: str
) -> None:
    names = {"q": sql.Identifier(quasi_identifier), "s": sql.Identifier(sensitive)}
    clinic.execute(
        sql.SQL(
            "CREATE TABLE clinic.t AS SELECT 1 AS {q}, 0.5 AS {s} FROM generate_series(1, 4);"
            "CREATE TABLE clinic.said AS SELECT 1 AS q, 0.5 AS value, 0.5 AS probability"
        ).format(**names)
    )
    clinic.execute(
        "SELECT bkpriv.register_dataset('t', 'clinic.t', ARRAY[%s], %s)",
        [quasi_identifier, sensitive],
    )
    twice = "value" if quasi_identifier == "value" else "probability"
    refused(
        clinic,
        "SELECT * FROM bkpriv.prior('t', '{\"table\": \"clinic.said\"}')",
        sqlstate="42701",
        names=[twice, "clinic.said"],
    )


def test_null_is_matched_with_null(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET age = NULL, disease = NULL WHERE age < 25")
    clinic.execute("CREATE TEMP TABLE d AS SELECT DISTINCT disease FROM clinic.patient")
    clinic.execute(
        "CREATE TABLE clinic.belief AS SELECT DISTINCT age, sex, city, d.disease, "
        "CASE WHEN d.disease IS NULL THEN 0.5 ELSE 0.1 END AS probability "
        "FROM clinic.patient p CROSS JOIN d"
    )
    rows = clinic.execute(
        "SELECT sensitive, probability FROM bkpriv.prior('patients', %s)", [Jsonb(TABLE)]
    ).fetchall()
    assert rows
    assert all(probability == (0.5 if value is None else 0.1) for value, probability in rows)


def test_null_is_nothing_that_data_without_null_have(clinic: Connection) -> None:
    believe(clinic, "0.2")
    clinic.execute(
        "INSERT INTO clinic.belief SELECT DISTINCT NULL::int, sex, city, value, 0.9 "
        "FROM clinic.belief"
    )
    rows = clinic.execute(PRIOR, [Jsonb(TABLE)]).fetchall()
    assert {probability for *_, probability in rows} == {0.2}
    clinic.execute("UPDATE clinic.belief SET value = NULL WHERE age = 44 AND value = 'ulcer'")
    refused(clinic, PRIOR, [Jsonb(TABLE)], sqlstate="22000", names=["does not have", "44"])


def test_what_is_not_a_number_is_matched_as_text(clinic: Connection) -> None:
    believe(clinic, "0.2")
    clinic.execute(
        "CREATE VIEW clinic.said AS SELECT age::text AS age, sex, city, value, probability "
        "FROM clinic.belief UNION ALL SELECT 'unknown', 'f', 'Aln', 'ulcer', 1"
    )
    rows = clinic.execute(PRIOR, [Jsonb({"table": "clinic.said"})]).fetchall()
    assert {probability for *_, probability in rows} == {0.2}
    clinic.execute(
        "CREATE TABLE clinic.visit AS SELECT current_date AS age, 'x' AS s;"
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age}', 's');"
        "CREATE VIEW clinic.days AS SELECT 20 AS age, 'x' AS value, 1.0 AS probability"
    )
    query = PRIOR.replace("patients", "visits")
    refused(clinic, query, [Jsonb({"table": "clinic.days"})], sqlstate="22000", names=["misses 1"])
    clinic.execute(
        "CREATE TABLE clinic.code AS SELECT v AS age, 'x' AS s FROM unnest('{7,07}'::text[]) v;"
        "SELECT bkpriv.register_dataset('codes', 'clinic.code', '{age}', 's');"
        "CREATE VIEW clinic.seven AS SELECT 7 AS age, 'x' AS value, 1.0 AS probability"
    )
    query = PRIOR.replace("patients", "codes")
    said = refused(clinic, query, [Jsonb({"table": "clinic.seven"})], sqlstate="22000")
    assert "'07'" in (said.message_detail or "")


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        ("DELETE FROM {} WHERE age = 44 AND sex = 'f'", ["misses", "44"]),
        ("UPDATE {} SET probability = NULL WHERE age = 44 AND value = 'ulcer'", ["NULL", "44"]),
        ("UPDATE {} SET value = 'plague' WHERE age = 44 AND value = 'ulcer'", ["disease", "44"]),
        ("INSERT INTO {} SELECT * FROM clinic.belief WHERE age = 44 LIMIT 1", ["two", "44"]),
    ],
)
def test_a_faulty_table_is_refused(clinic: Connection, fault: str, names: list[str]) -> None:
    believe(clinic, "0.2")
    clinic.execute(sql.SQL(fault.replace("{}", "clinic.belief")))
    with unchanged(clinic):
        refused(clinic, PRIOR, [Jsonb(TABLE)], sqlstate="22000", names=["clinic.belief", *names])


@pytest.mark.parametrize(
    ("name", "sqlstate"),
    [
        ("belief", "42P01"),
        ("clinic.nothing", "42P01"),
        ("nowhere.belief", "42P01"),
        ("elsewhere.clinic.belief", "42P01"),
        ("a b; DROP TABLE clinic.patient", "42P01"),
        ("clinic.belief_idx", "42809"),
        ("clinic.disease_levels", "42703"),
        ("clinic.words", "42804"),
        ("clinic.days", "42804"),
    ],
)
def test_what_is_no_prior_table(clinic: Connection, name: str, sqlstate: str) -> None:
    believe(clinic, "0.2")
    clinic.execute("CREATE INDEX belief_idx ON clinic.belief (age)")
    clinic.execute(
        "CREATE VIEW clinic.words AS SELECT age, sex, city, value, 'much' AS probability "
        "FROM clinic.belief; "
        "CREATE VIEW clinic.days AS SELECT age, sex, city, value, current_date AS probability "
        "FROM clinic.belief"
    )
    with unchanged(clinic):
        refused(clinic, PRIOR, [Jsonb({"table": name})], sqlstate=sqlstate, names=[name])


@pytest.mark.parametrize("knowledge", [{"kernel": "normal"}])
def test_unknown_forms_are_refused(clinic: Connection, knowledge: Any) -> None:
    refused(clinic, PRIOR, [Jsonb(knowledge)], sqlstate="22023")
    requirement = {"bt_privacy": {"bandwidth": knowledge, "t": 0.2}}
    refused(clinic, "SELECT bkpriv.set_policy('p', %s)", [Jsonb(requirement)], sqlstate="22023")


def test_a_table_is_read_with_the_callers_rights(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    believe(clinic, "0.2")
    release = publish(clinic)
    role = make_role("auditor")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    auditor = database.connect(role)
    query = "SELECT * FROM bkpriv.disclosure(%s, %s)"
    refused(auditor, query, [release, Jsonb(TABLE)], sqlstate="42501", names=["clinic"])
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(sql.Identifier(role)))
    refused(auditor, query, [release, Jsonb(TABLE)], sqlstate="42501", names=["belief"])
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.belief TO {}").format(sql.Identifier(role)))
    assert auditor.execute(query, [release, Jsonb(TABLE)]).fetchall()


# --- contradictions -------------------------------------------------------------------------------


def test_knowledge_that_contradicts_a_release_names_group_and_value(clinic: Connection) -> None:
    release = publish(clinic)
    # The adversary is sure that nobody over 30 is pregnant; many are.
    believe(
        clinic,
        "CASE WHEN p.age <= 30 THEN 0.2 WHEN d.disease = 'pregnancy' THEN 0 ELSE 0.25 END",
    )
    for call in (
        "SELECT * FROM bkpriv.posterior(%s, %s, 'exact')",
        "SELECT * FROM bkpriv.posterior(%s, %s, 'omega')",
        "SELECT * FROM bkpriv.disclosure(%s, %s)",
        "SELECT * FROM bkpriv.audit(%s, jsonb_build_object('bt_privacy', "
        "jsonb_build_object('t', 0.2, 'bandwidth', %s::jsonb)))",
    ):
        with unchanged(clinic):
            said = refused(
                clinic, call, [release, Jsonb(TABLE)], sqlstate="22000", names=["pregnancy"]
            )
        group = int((said.message_primary or "").split("group ")[1].split(":")[0])
        # The group is one whose values hold more pregnancies than there are people up to 30.
        may, are = clinic.execute(
            "SELECT coalesce(sum(records) FILTER (WHERE (qi->>'age')::int <= 30), 0), "
            "sum(posterior * records) "
            "FROM bkpriv.posterior(%s, '0.3', 'exact') p JOIN bkpriv.disclosure(%s, '0.3') d "
            "USING (group_id, qi) WHERE group_id = %s AND sensitive = 'pregnancy'",
            [release, release, group],
        ).fetchone() or (0, 0)
        assert may < round(are)


def test_a_publication_against_impossible_knowledge_leaves_nothing(clinic: Connection) -> None:
    believe(clinic, "CASE WHEN d.disease = 'pregnancy' THEN 0 ELSE 0.25 END")
    state_policy(clinic, "sure", {"bt_privacy": {"bandwidth": TABLE, "t": 0.5}})
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'sure', 'public.v')",
            sqlstate="22000",
            names=["pregnancy"],
        )


def test_groups_that_knowledge_rules_out_are_not_formed(clinic: Connection) -> None:
    # All of Aln's patients have asthma, and whoever believes otherwise may do so of a larger group.
    clinic.execute("UPDATE clinic.patient SET disease = 'asthma' WHERE city = 'Aln'")
    believe(
        clinic, "CASE WHEN p.city = 'Aln' THEN (d.disease <> 'asthma')::int * 0.25 ELSE 0.2 END"
    )
    state_policy(
        clinic, "sure", {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": TABLE, "t": 0.99}}
    )
    for method in ("mondrian", "bucketize", "incognito"):
        release = publish(clinic, "patients", "sure", f"public.{method}", method=method)
        assert one(clinic, "SELECT bool_and(satisfied) FROM bkpriv.audit(%s)", [release])
        suppressed = one(
            clinic, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release]
        )
        assert suppressed == 0
