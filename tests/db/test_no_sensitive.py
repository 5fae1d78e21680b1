"""Datasets without a sensitive column: k-anonymity alone, and what needs values is refused."""

from __future__ import annotations

from string import Template
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.policy import REQUIREMENTS
from tests.conftest import Connection
from tests.db.clinic import create_clinic, one, publish, rows_of, state_policy
from tests.db.refusal import refused
from tests.db.test_rights import CALLS

pytestmark = pytest.mark.rolled_back

K = {"k_anonymity": {"k": 4}}

GENERALIZING = ("agglomerate", "mondrian", "js_reduce", "microaggregate", "incognito")

OF_VALUES: dict[str, Any] = {
    "l_diversity": {"l": 2},
    "max_disclosure": {"tau": 0.5},
    "t_closeness": {"t": 0.2, "ground": "equal"},
    "beta_likeness": {"beta": 1, "variant": "basic"},
    "ck_safety": {"c": 0.9, "k": 1},
    "bt_privacy": {"bandwidth": 0.3, "t": 0.2},
    "belief_breach": {"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9},
    "js_divergence": {"j": 0.5, "bandwidth": 0.3},
    "pair_divergence": {"theta": 0.5, "bandwidth": 0.3},
    "m_invariance": {"m": 2},
}
"""Requirements about sensitive values, by their keys."""

REFUSED = {
    "attack": "an attack",
    "attack_table": "an attack",
    "disclosure": "disclosure",
    "explain_attack": "an attack",
    "explain_disclosure": "explain_disclosure",
    "max_disclosure": "max_disclosure",
    "optimize_randomization": "randomization",
    "posterior": "posterior",
    "prior": "prior",
    "revised_belief": "knowledge of sequences",
    "sequential_audit": "knowledge of sequences",
    "set_sequential_knowledge": "knowledge of sequences",
}
"""Functions that need a sensitive value, and what they call themselves."""

OTHERWISE = {
    "sequential_knowledge": "has no sequential knowledge",
    "unset_sequential_knowledge": "has no sequential knowledge",
    "reconstruct": "does not exist",
}
"""Functions of what such a dataset cannot have."""

TABLES = """
    CREATE TABLE own AS SELECT i::text AS id, i % 12 AS a, chr(97 + i % 12) AS c,
        date '2020-01-01' + i % 5 AS d, i * i % 7 AS b FROM generate_series(1, 120) AS i;
    CREATE TABLE levels AS SELECT chr(97 + i) AS c, '*' AS root FROM generate_series(0, 11) AS i;
    SELECT bkpriv.register_dataset('mine', 'own', '{a,c,d}', sensitive => '{}', respondent => 'id'),
        bkpriv.register_dataset('plain', 'own', '{a,c}', ARRAY[]::text[], attributes => '{b}'),
        bkpriv.register_dataset('unused', 'own', '{a}', '{}'::text[]),
        bkpriv.set_hierarchy('mine', 'c', 'levels'),
        bkpriv.set_interval_hierarchy('mine', 'a', '{4}'),
        bkpriv.set_date_hierarchy('mine', 'd');
"""


@pytest.fixture
def own(db: Connection) -> Connection:
    """Datasets ``mine``, ``plain`` and ``unused``, and three releases of the first."""
    db.execute(TABLES)
    state_policy(db, "p", K)
    for view in ("shown", "shown", "gone"):
        publish(db, "mine", "p", view, method="mondrian")
    db.execute("SELECT bkpriv.withdraw(3, 'test')")
    return db


def test_every_function_answers_or_says_what_to_type(own: Connection) -> None:
    own.execute("CREATE ROLE test_nobody; CREATE ROLE test_heir")
    values = {"relation": "'own'", "own": "'own'", "levels": "'levels'"}
    values |= {"role": "'test_nobody'", "owner": "postgres", "heir": "test_heir"}
    answers = {}
    for function, template in CALLS.items():
        schema = "bkpriv_internal" if function == "open_views" else "bkpriv"
        before = "SELECT bkpriv.watch('own');" if function == "unwatch" else ""
        arguments = Template(template).substitute(values)
        try:
            with own.transaction(force_rollback=True):
                own.execute(f"{before} SELECT * FROM {schema}.{function}({arguments})".encode())
        except psycopg.Error as error:
            said = error.diag
            answers[function] = said.message_primary or ""
            # Errors of Python itself have no such beginning.
            assert answers[function].startswith("bkpriv: "), function
            assert said.message_hint, function
            assert (said.sqlstate == "42703") is (function in REFUSED), function
    assert set(answers) == {*REFUSED, *OTHERWISE}
    for function, asked in REFUSED.items():
        assert f"{asked} needs a sensitive column, and dataset" in answers[function]
    for function, words in OTHERWISE.items():
        assert words in answers[function]


def test_requirements_about_values_are_refused(own: Connection) -> None:
    assert {*OF_VALUES, "k_anonymity"} == {*REQUIREMENTS}
    for key, stated in OF_VALUES.items():
        names = [key, 'dataset "plain"', "use only k_anonymity"]
        state_policy(own, "refused", {**K, key: stated})
        call = "SELECT bkpriv.publish('plain', 'refused', 'never', 'mondrian')"
        if key != "m_invariance":  # It asks for respondents first.
            said = refused(own, call, sqlstate="42703", names=names[:2])
            assert names[2] in (said.message_hint or "")
        call = "SELECT * FROM bkpriv.audit(1, %s)"
        said = refused(own, call, [Jsonb({key: stated})], sqlstate="42703", names=[key, '"mine"'])
        assert names[2] in (said.message_hint or "")
    call = "SELECT * FROM bkpriv.audit_together('{1,2}', '{\"max_disclosure\": {\"tau\": 0.5}}')"
    refused(own, call, sqlstate="42703", names=["max_disclosure", '"mine"'])


@pytest.mark.parametrize("method", ["bucketize", "anatomy", "randomize"])
def test_methods_of_values_are_refused(own: Connection, method: str) -> None:
    options = {"scheme": "rr-s"} if method == "randomize" else {}
    call = "SELECT bkpriv.publish('mine', 'p', 'never', %s, options => %s)"
    refused(own, call, [method, Jsonb(options)], sqlstate="42703", names=[method, '"mine"'])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("method", GENERALIZING)
def test_groups_are_those_of_a_constant_sensitive_column(
    db: Connection, method: str, seed: int
) -> None:
    create_clinic(db, 60 * seed, seed)
    db.execute(
        "CREATE VIEW clinic.constant AS SELECT *, 'x'::text AS told FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('none', 'clinic.patient', '{age,sex,city}', '{}'::text[]),"
        "bkpriv.register_dataset('one', 'clinic.constant', '{age,sex,city}', 'told'::text)"
    )
    for dataset in ("none", "one"):
        db.execute("SELECT bkpriv.set_interval_hierarchy(%s, 'age', '{10,20}')", [dataset])
    state_policy(db, "k", K)
    made = [publish(db, each, "k", f"v_{each}", method=method) for each in ("none", "one")]
    shown = sorted(map(str, rows_of(db, "v_none")))
    assert shown == sorted(map(str, rows_of(db, "(SELECT age, sex, city FROM v_one) AS v")))
    assert len({*shown}) > 1
    query = "SELECT records, suppressed, groups FROM bkpriv.releases WHERE release = %s"
    assert rows(db, query, made[0]) == rows(db, query, made[1])
    query = "SELECT metric, value FROM bkpriv.utility(%s) WHERE metric NOT LIKE 'kl%%'"
    assert rows(db, query, made[0]) == pytest.approx(rows(db, query, made[1]))


def rows(db: Connection, query: str, release: int) -> Any:
    """Rows about a release; figures by their names."""
    found = db.execute(query.encode(), [release]).fetchall()
    return dict(found) if len(found[0]) == 2 else found


def test_it_is_judged_by_what_attributes_show(own: Connection) -> None:
    release = publish(own, "plain", "p", "beside", method="mondrian")
    unique = one(own, "SELECT unique_rows[1] FROM bkpriv.release WHERE release = %s", [release])
    assert unique
    keys = {
        what.split(":")[0]: count
        for what, count in own.execute(
            "SELECT what, count FROM bkpriv.verdict(%s) OFFSET 1", [release]
        )
    }
    assert keys.pop("attributes") == unique
    assert keys.keys() <= {"releases", "lost", "linked", "left_out"}
    assert not own.execute(
        "SELECT FROM bkpriv.audit(%s) WHERE sure IS NOT NULL", [release]
    ).fetchall()


def test_errors_of_queries_are_bounded(own: Connection) -> None:
    assert not own.execute("SELECT FROM bkpriv.doctor() WHERE NOT ok").fetchall()
    state_policy(own, "both", {**K, "query_error": {"median": 0.5}})
    release = publish(own, "mine", "both", "both", method="mondrian")
    (found,) = own.execute(
        "SELECT worst FROM bkpriv.audit(%s) WHERE requirement = 'query_error'", [release]
    ).fetchall()
    assert found[0] < 0.5
    asked = own.execute("SELECT query, actual FROM bkpriv.query_workload(1, 20, 2, 0.2, 1)")
    for query, actual in asked.fetchall():
        assert query.count(" AND ") - query.count("BETWEEN") == 1
        assert one(own, query.replace("FROM mine", "FROM own")) == actual
    pairs = own.execute("SELECT attribute, other FROM bkpriv.association(1)").fetchall()
    assert {*pairs} == {(x, y) for x in "acd" for y in "acd" if x != y}


def test_a_release_grows(own: Connection) -> None:
    own.execute(
        "INSERT INTO own SELECT i::text, i % 12, chr(97 + i % 12), date '2020-01-01' + i % 5, 0 "
        "FROM generate_series(121, 180) AS i"
    )
    publish(own, "mine", "p", "shown", {"grow": True}, method="mondrian")
    assert len(rows_of(own, "shown")) == 180
    assert one(own, "SELECT bkpriv.recount(4)")
    assert "no column" in one(own, "SELECT bkpriv.report_html(4)")


def test_one_of_each_persons_records_is_published(own: Connection) -> None:
    own.execute("INSERT INTO own SELECT * FROM own")
    once = {"max_records_per_person": 1}
    publish(own, "mine", "p", "once", once, method="mondrian")
    assert len(rows_of(own, "once")) == 120
    call = "SELECT bkpriv.publish('mine', 'p', 'all', options => %s)"
    every = [Jsonb({"max_records_per_person": "all"})]
    refused(own, call, every, sqlstate="0A000", names=["max_records_per_person", '"mine"'])


def test_none_is_said_and_not_left_out(own: Connection) -> None:
    for none in ("NULL::text", "NULL::text[]"):
        call = "SELECT bkpriv.register_dataset('new', 'own', '{a}', " + none + ")"
        said = refused(own, call, sqlstate="22023", names=["sensitive column is NULL"])
        assert "'{}' for none" in (said.message_hint or "")
    # The same call again changes nothing; a column may have that name.
    query = "SELECT bkpriv.register_dataset('unused', 'own', '{a}', '{}')"
    assert one(own, query) == "unused"
    own.execute('CREATE TABLE odd AS SELECT 1 AS a, 2 AS "{}"')
    own.execute("SELECT bkpriv.register_dataset('odd', 'odd', '{a}', '{}')")
    query = "SELECT sensitive FROM bkpriv.dataset WHERE name = %s"
    assert [one(own, query, [name]) for name in ("unused", "odd")] == [[], ["{}"]]
