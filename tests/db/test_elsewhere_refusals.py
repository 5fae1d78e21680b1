"""Tables made elsewhere: what is refused, who may ask, and whom nobody gets to run code for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import publish
from tests.db.refusal import refused, unchanged
from tests.db.test_elsewhere import AUDIT, COUNTED

# --- Refusals -------------------------------------------------------------------------------------

COLUMNS_REFUSED = [
    ("[]", "22023", "JSON object"),
    ('{"age": 3}', "22023", '"age"'),
    ('{"age": ["a", "b", "c"]}', "22023", '"age"'),
    ('{"age": "agee"}', "42703", '"agee"'),
    ('{"disease": null}', "42703", '"disease"'),
    ('{"agee": "age"}', "22023", '"agee"'),
    ('{"one": "age", "two": "sex"}', "22023", "one, two"),
    (None, "22023", "columns"),
]


@pytest.mark.rolled_back
@pytest.mark.parametrize(("columns", "sqlstate", "names"), COLUMNS_REFUSED)
def test_columns_that_mean_nothing_are_refused(
    clinic: Connection, columns: str | None, sqlstate: str, names: str
) -> None:
    parameters = ["clinic.patient", "patients", columns, Jsonb(COUNTED)]
    refused(clinic, AUDIT, parameters, sqlstate=sqlstate, names=[names])


TABLES_REFUSED = [
    ("SELECT sex, city, disease FROM clinic.patient", {}, "42703", '"age"'),
    ("SELECT *, 1 AS id FROM clinic.patient", {"id": "id"}, "22023", '"id"'),
    ("SELECT * FROM clinic.patient WHERE false", {}, "22000", "empty"),
    ("SELECT age, sex, city, 'gout' AS disease FROM clinic.patient", {}, "22000", "gout"),
    ("SELECT age, sex, city, NULL::text AS disease FROM clinic.patient", {}, "22000", "None"),
    ("TABLE clinic.patient UNION ALL TABLE clinic.patient", {}, "22000", "600 rows"),
    ("SELECT age, sex, city, 'ulcer' AS disease FROM clinic.patient", {}, "22000", "ulcer"),
]


@pytest.mark.rolled_back
@pytest.mark.parametrize(("query", "columns", "sqlstate", "names"), TABLES_REFUSED)
def test_tables_that_are_not_of_the_dataset_are_refused(
    clinic: Connection, query: str, columns: dict[str, str], sqlstate: str, names: str
) -> None:
    clinic.execute(f"CREATE TABLE made AS {query}".encode())
    parameters = ["made", "patients", Jsonb(columns), Jsonb(COUNTED)]
    refused(clinic, AUDIT, parameters, sqlstate=sqlstate, names=[names])


@pytest.mark.rolled_back
@pytest.mark.parametrize(
    ("key", "sqlstate", "names"),
    [
        ("1", "22000", "no key"),
        ("nullif(id, 7)", "22000", "NULL in 1 rows"),
        ("id + 1000", "22000", "300 rows"),
        ("nullif(id + 1, 301) % 1000", "22000", "no key"),
    ],
)
def test_keys_that_are_none_are_refused(
    clinic: Connection, key: str, sqlstate: str, names: str
) -> None:
    clinic.execute(
        "CREATE TABLE clinic.person AS SELECT row_number() OVER () AS id, * FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex,city}', 'disease')"
    )
    clinic.execute(
        f"CREATE TABLE made AS SELECT {key} AS id, age, sex, city, disease "
        "FROM clinic.person".encode()
    )
    parameters = ["made", "people", Jsonb({"id": "id"}), Jsonb(COUNTED)]
    refused(clinic, AUDIT, parameters, sqlstate=sqlstate, names=[names])


@pytest.mark.rolled_back
@pytest.mark.parametrize(
    ("requirements", "sqlstate", "names"),
    [
        ('{"m_invariance": {"m": 2}}', "0A000", "m_invariance"),
        ('{"js_divergence": {"j": 0.1, "bandwidth": {"sequence": "x"}}}', "0A000", "js_divergence"),
        ('{"k_anonymit": {"k": 2}}', "22023", "k_anonymit"),
        ("{}", "22023", "requirement"),
        (None, "22023", "requirements"),
    ],
)
def test_requirements_that_cannot_be_judged_are_refused(
    clinic: Connection, requirements: str | None, sqlstate: str, names: str
) -> None:
    parameters = ["clinic.patient", "patients", "{}", requirements]
    refused(clinic, AUDIT, parameters, sqlstate=sqlstate, names=[names])


# --- Rights ---------------------------------------------------------------------------------------


@pytest.mark.pooled
def test_both_must_be_readable(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    role = make_role("auditor")
    name = sql.Identifier(role)
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(name))
    publish(clinic, view="clinic.shown")
    auditor = database.connect(role)
    parameters = ["clinic.shown", "patients", Jsonb({}), Jsonb(COUNTED)]
    refused(auditor, AUDIT, parameters, sqlstate="42501", names=["patient"])
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(name))
    refused(auditor, AUDIT, parameters, sqlstate="42501", names=["shown"])
    clinic.execute(
        sql.SQL("GRANT SELECT (age, sex, city, disease) ON clinic.shown TO {}").format(name)
    )
    with unchanged(clinic):
        assert auditor.execute(AUDIT, parameters).fetchall()
    clinic.execute("ALTER TABLE clinic.patient ENABLE ROW LEVEL SECURITY")
    said = refused(auditor, AUDIT, parameters, sqlstate="42501", names=["row-level security"])
    assert "Ask that role" in (said.message_hint or "")


@pytest.mark.pooled
def test_a_dataset_of_others_is_none(
    rivals: tuple[Connection, Connection],
) -> None:
    victim, attacker = rivals
    attacker.execute("CREATE TABLE made AS SELECT i AS a, i AS b FROM generate_series(1, 9) AS i")
    parameters = ["made", "mine", Jsonb({}), Jsonb({"k_anonymity": {"k": 2}})]
    refused(attacker, AUDIT, parameters, sqlstate="42704", names=['"mine"'])
    assert victim.execute(AUDIT, ["shown", *parameters[1:]]).fetchall()
