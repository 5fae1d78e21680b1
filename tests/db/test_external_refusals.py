"""Tables made elsewhere: what is refused, who may ask, and whom nobody gets to run code for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import publish
from tests.db.refusal import refused, unchanged
from tests.db.test_attack_elsewhere import CALLS
from tests.db.test_external import AUDIT, COUNTED

# --- Refusals -------------------------------------------------------------------------------------

COLUMNS_REFUSED = [
    ("[]", "22023", "JSON object"),
    ('{"age": 3}', "22023", '"age"'),
    ('{"age": ["a", "b", "c"]}', "22023", '"age"'),
    ('{"age": "agee"}', "42703", '"agee"'),
    ('{"disease": null}', "42703", '"disease"'),
    ('{"agee": "age"}', "22023", '"agee"'),
    ('{"agee": null}', "22023", '"agee"'),
    ('{"agee": ["age", "sex"]}', "22023", '"agee"'),
    ('{"group_id": ["age", "sex"]}', "22023", '"group_id"'),
    ('{"a\\"b": "age"}', "22023", '"a""b"'),
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
    (
        "SELECT age, sex, city, NULL::text AS disease FROM clinic.patient",
        {},
        "22000",
        "They are NULL.",
    ),
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
@pytest.mark.parametrize("columns", ['{"%s": "age"}', '{"age": "%s"}', '{"%s": 3}', '{"%s": null}'])
def test_long_names_are_cut(clinic: Connection, columns: str) -> None:
    parameters = ["clinic.patient", "patients", columns % ("x" * 100_000), Jsonb(COUNTED)]
    for sqlstate in ("22023", "42703"):
        if columns.startswith('{"age"') == (sqlstate == "42703"):
            said = refused(clinic, AUDIT, parameters, sqlstate=sqlstate, names=["xxx..."])
            assert len(f"{said.message_primary}{said.message_detail}") < 500


@pytest.mark.rolled_back
def test_an_empty_table_is_not_to_be_published(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE made AS TABLE clinic.patient WITH NO DATA")
    parameters = ["made", "patients", Jsonb({}), Jsonb(COUNTED)]
    said = refused(clinic, AUDIT, parameters, sqlstate="22000", names=["empty"])
    assert said.message_hint == "Load the data first."


# --- People with several records -----------------------------------------------------------------


@pytest.fixture
def visits(clinic: Connection) -> Connection:
    """Datasets of which one person has five records; they may or may not tell, and differ."""
    clinic.execute(
        "CREATE TABLE clinic.seen AS SELECT greatest(row_number() OVER () - 4, 1) AS who, "
        "row_number() OVER () AS visit, age, sex, disease FROM clinic.patient;"
        "CREATE TABLE made AS SELECT '*'::text AS age, sex, disease FROM clinic.seen;"
        "CREATE TABLE shown AS SELECT who, visit, '*'::text AS age, sex, disease FROM clinic.seen;"
        "CREATE VIEW clinic.once AS SELECT DISTINCT ON (who) * FROM clinic.seen;"
        "SELECT bkpriv.register_dataset('seen', 'clinic.seen', '{age,sex}', 'disease', 'who');"
        "SELECT bkpriv.register_dataset('once', 'clinic.once', '{age,sex}', 'disease', 'who');"
    )
    return clinic


@pytest.mark.rolled_back
@pytest.mark.parametrize(
    ("table", "columns"), [("made", {}), ("shown", {"who": None}), ("shown", {"visit": "visit"})]
)
def test_rows_do_not_count_as_people(
    visits: Connection, table: str, columns: dict[str, str | None]
) -> None:
    for query in (AUDIT, "SELECT * FROM bkpriv.utility_table(%s, %s, %s)"):
        parameters = [table, "seen", Jsonb(columns), Jsonb(COUNTED)][: query.count("%s")]
        said = refused(
            visits, query, parameters, sqlstate="22000", names=["several records", '"who"', "'1'"]
        )
        assert "one record of each person" in (said.message_hint or "")


@pytest.mark.rolled_back
def test_one_record_of_each_person_is_the_way_out(visits: Connection) -> None:
    parameters = ["shown", "seen", Jsonb({}), Jsonb(COUNTED)]
    said = refused(visits, AUDIT, parameters, sqlstate="22000", names=["no key", '"who"'])
    assert "one record of each person" in (said.message_hint or "")
    visits.execute("CREATE TABLE single AS SELECT '*'::text AS age, sex, disease FROM clinic.once")
    assert visits.execute(AUDIT, ["single", "once", *parameters[2:]]).fetchall()


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


def own_patients(clinic: Connection, make_role: Callable[..., str]) -> tuple[str, str]:
    """Hand the superuser's dataset on to a publisher, who has a member; they may read nothing."""
    owner, member = make_role("owner"), make_role("member")
    clinic.execute("SELECT bkpriv.grant_publisher(%s)", [owner])
    clinic.execute("SELECT bkpriv.reassign('postgres', %s)", [owner])
    clinic.execute(
        sql.SQL("GRANT {0} TO {1}; GRANT USAGE ON SCHEMA clinic TO {0}").format(
            sql.Identifier(owner), sql.Identifier(member)
        )
    )
    return owner, member


@pytest.mark.pooled
def test_both_must_be_readable(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    publish(clinic, view="clinic.shown")
    role, member = own_patients(clinic, make_role)
    name = sql.Identifier(role)
    clinic.execute(sql.SQL("REVOKE ALL ON clinic.shown FROM {}").format(name))
    owner = database.connect(role)
    parameters = ["clinic.shown", "patients", Jsonb({}), Jsonb(COUNTED)]
    refused(owner, AUDIT, parameters, sqlstate="42501", names=["patient"])
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(name))
    refused(owner, AUDIT, parameters, sqlstate="42501", names=["shown"])
    clinic.execute(
        sql.SQL("GRANT SELECT (age, sex, city, disease) ON clinic.shown TO {}").format(name)
    )
    with unchanged(clinic):
        assert owner.execute(AUDIT, parameters).fetchall()
    clinic.execute("ALTER TABLE clinic.patient ENABLE ROW LEVEL SECURITY")
    call = AUDIT, parameters
    said = refused(database.connect(member), *call, sqlstate="42501", names=["row-level security"])
    assert "Ask that role" in (said.message_hint or "")


@pytest.mark.pooled
def test_who_sees_a_part_of_a_table_does_not_judge_it(
    clinic: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    names = own_patients(clinic, make_role)
    owner, member = map(database.connect, names)
    roles = [*map(sql.Identifier, names)]
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {0}").format(*roles))
    clinic.execute(
        sql.SQL(
            "CREATE TABLE clinic.made AS SELECT * FROM clinic.patient;"
            "ALTER TABLE clinic.made OWNER TO {0}; GRANT SELECT ON clinic.made TO {1};"
            "ALTER TABLE clinic.made ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY part ON clinic.made TO {1} USING (age > 40)"
        ).format(*roles)
    )
    for calls in CALLS:
        parameters = ["clinic.made", "patients", Jsonb({})]
        at_fault = ["row-level security", "clinic.made"]
        said = refused(member, calls, parameters, sqlstate="42501", names=at_fault)
        assert "Ask that role" in (said.message_hint or "")
        assert owner.execute(calls, parameters).fetchall()
    if clinic.info.server_version < 150000:
        return
    # Its reader reads the table with their own rights.
    clinic.execute(
        sql.SQL(
            "CREATE VIEW clinic.seen WITH (security_invoker) AS TABLE clinic.made;"
            "ALTER VIEW clinic.seen OWNER TO {}; GRANT SELECT ON clinic.seen TO {}"
        ).format(*roles)
    )
    at_fault = ["row-level security", "clinic.seen"]
    parameters = ["clinic.seen", "patients", Jsonb({})]
    refused(member, CALLS[0], parameters, sqlstate="42501", names=at_fault)
    assert owner.execute(CALLS[0], parameters).fetchall()


@pytest.mark.pooled
def test_a_dataset_of_others_is_none(
    rivals: tuple[Connection, Connection],
) -> None:
    victim, attacker = rivals
    attacker.execute("CREATE TABLE made AS SELECT i AS a, i AS b FROM generate_series(1, 9) AS i")
    parameters = ["made", "mine", Jsonb({}), Jsonb({"k_anonymity": {"k": 2}})]
    refused(attacker, AUDIT, parameters, sqlstate="42704", names=['"mine"'])
    assert victim.execute(AUDIT, ["shown", *parameters[1:]]).fetchall()
