"""Standing releases, attacked: what is stale by a change that a digest or a watch could miss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import declare_own, one, publish, state_policy
from tests.db.refusal import refused
from tests.db.test_standing import again, changed, reasons

pytestmark = pytest.mark.pooled


def state_guess(db: Connection, known: str) -> None:
    """Have the policy name a table of equal priors, over some columns of the patients."""
    db.execute(
        f"CREATE TABLE clinic.guess AS SELECT *, 0.2::float8 AS probability FROM (SELECT DISTINCT "
        f"{known} FROM clinic.patient) AS q, (SELECT DISTINCT disease FROM clinic.patient) AS s"
    )
    state_known(db)


def state_known(db: Connection) -> None:
    """Have the policy name the table ``clinic.guess``."""
    known = {"bandwidth": {"table": "clinic.guess"}, "t": 0.99}
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "bt_privacy": known})


def test_a_column_of_a_prior_table_may_be_called_as_its_rows(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient RENAME age TO s")
    clinic.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.patient', '{s,sex,city}', 'disease')"
    )
    state_guess(clinic, "s, sex, city")
    call: dict[str, Any] = {"dataset": "people", "view": "public.p"}
    assert (again(clinic, **call), again(clinic, **call)) == (1, 1)
    clinic.execute(
        "UPDATE clinic.guess SET probability = CASE disease WHEN 'ulcer' THEN 0.3 "
        "WHEN (SELECT min(disease) FROM clinic.patient) THEN 0.1 ELSE 0.2 END"
    )
    changed(clinic, "knowledge", **call)


def test_columns_of_a_prior_table_that_change_their_names_make_one_anew(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET sex = city")
    clinic.execute("SELECT bkpriv.unset_hierarchy('patients', 'city')")
    clinic.execute(
        "CREATE TABLE clinic.guess AS SELECT age, v.city AS sex, w.city, x.disease, "
        "0.2 + CASE v.city || disease WHEN 'Alnulcer' THEN 0.1 WHEN 'Aln' || (SELECT min(disease) "
        "FROM clinic.patient) THEN -0.1 ELSE 0 END AS probability FROM "
        "(SELECT DISTINCT age FROM clinic.patient) AS u, (SELECT DISTINCT city FROM "
        "clinic.patient) AS v, (SELECT DISTINCT city FROM clinic.patient) AS w, "
        "(SELECT DISTINCT disease FROM clinic.patient) AS x"
    )
    state_known(clinic)
    again(clinic)
    clinic.execute(
        "ALTER TABLE clinic.guess RENAME sex TO x; ALTER TABLE clinic.guess RENAME city TO sex; "
        "ALTER TABLE clinic.guess RENAME x TO city"
    )
    changed(clinic, "knowledge")


def test_of_a_prior_table_only_what_counts_need_be_readable(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    schema = publisher.info.user
    clinic.execute(
        f"CREATE TABLE clinic.guess AS SELECT a, b, 0.25::float8 AS probability, 'x' AS note "
        f"FROM (SELECT DISTINCT a FROM {schema}.own) AS q, "
        f"(SELECT DISTINCT b FROM {schema}.own) AS s; "
        f"GRANT USAGE ON SCHEMA clinic TO {schema}; "
        f"GRANT SELECT (a, b, probability) ON clinic.guess TO {schema}"
    )
    state_policy(publisher, "p", {"bt_privacy": {"bandwidth": {"table": "clinic.guess"}, "t": 0.9}})
    call: dict[str, Any] = {"dataset": "mine", "policy": "p", "view": "shown"}
    assert (again(publisher, **call), again(publisher, **call)) == (1, 1)
    clinic.execute("UPDATE clinic.guess SET note = 'y'")
    assert again(publisher, **call) == 1


def test_a_watch_does_not_see_that_rows_are_hidden_no_more(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    call: dict[str, Any] = {"dataset": "mine", "policy": "p", "view": "shown"}
    publisher.execute("CREATE POLICY few ON own USING (a < 6)")
    publisher.execute("ALTER TABLE own ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
    assert (again(publisher, **call), again(publisher, **call)) == (1, 1)
    publisher.execute("ALTER TABLE own DISABLE ROW LEVEL SECURITY")
    assert one(publisher, "SELECT stale FROM bkpriv.releases") is False
    assert [reason for reason, _ in reasons(publisher, **call)] == ["source"]
    assert (again(publisher, **call), again(publisher, **call)) == (2, 2)


def test_nothing_is_said_of_a_source_that_may_not_be_read_any_more(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    reader = sql.Identifier(publisher.info.user)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(reader))
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(reader))
    publisher.execute("SELECT bkpriv.register_dataset('m', 'clinic.patient', '{age}', 'disease')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    call: dict[str, Any] = {"dataset": "m", "policy": "p", "view": "shown"}
    assert again(publisher, **call) == 1
    clinic.execute(sql.SQL("REVOKE SELECT ON clinic.patient FROM {}").format(reader))
    for function in ("SELECT bkpriv.publish", "SELECT * FROM bkpriv.explain_publication"):
        refused(
            publisher,
            f"{function}('m', 'p', 'shown', options => '{{\"if_stale\": true}}')",
            sqlstate="42501",
            names=["disease"],
        )


def test_a_watch_does_not_see_that_roles_are_renamed(clinic: Connection) -> None:
    role = sql.Identifier("standing_nurse"), sql.Identifier("standing_medic")
    clinic.execute(sql.SQL("CREATE ROLE {}").format(role[0]))
    try:
        clinic.execute(
            "CREATE TABLE clinic.ward AS SELECT *, makeaclitem("
            "'standing_nurse'::regrole, 10, 'SELECT', false) AS who FROM clinic.patient; "
            "SELECT bkpriv.register_dataset('w', 'clinic.ward', '{age}', '{disease}', "
            "attributes => '{who}')"
        )
        call: dict[str, Any] = {"dataset": "w", "view": "public.w"}
        assert again(clinic, **call) == 1
        clinic.execute(sql.SQL("ALTER ROLE {} RENAME TO {}").format(*role))
        assert one(clinic, "SELECT stale FROM bkpriv.releases") is False
        changed(clinic, "source", **call)
    finally:
        clinic.execute(sql.SQL("DROP ROLE IF EXISTS {}, {}").format(*role))


@pytest.mark.parametrize(
    "change",
    [
        "CREATE OR REPLACE VIEW public.patients AS "
        "SELECT age, sex, city, disease FROM bkpriv_release.release_1 WHERE disease = 'flu'",
        "CREATE OR REPLACE VIEW public.patients AS "
        "SELECT age, city AS sex, sex AS city, disease FROM bkpriv_release.release_1",
        "CREATE FUNCTION clinic.raw(text) RETURNS text LANGUAGE sql AS "
        "'SELECT string_agg(age || disease, $$,$$) FROM clinic.patient'; "
        "CREATE OR REPLACE VIEW public.patients AS "
        "SELECT age, sex, city, clinic.raw(disease) AS disease FROM bkpriv_release.release_1",
        "ALTER VIEW public.patients RESET (security_barrier)",
        "ALTER VIEW public.patients SET (security_barrier = false)",
    ],
)
def test_a_view_that_is_not_as_published_does_not_stand(clinic: Connection, change: str) -> None:
    again(clinic)
    clinic.execute(change.encode())
    changed(clinic, "view")


def test_odd_names_of_columns_stand(clinic: Connection) -> None:
    clinic.execute(
        'CREATE TABLE clinic.odd AS SELECT age AS "a  b", sex AS "a b", city AS "x"", y\n.z", '
        'disease AS "release_1.d" FROM clinic.patient'
    )
    known = ["a  b", "a b", 'x", y\n.z']
    clinic.execute(
        "SELECT bkpriv.register_dataset('odd', 'clinic.odd', %s, ARRAY['release_1.d'])", [known]
    )
    for place, materialized in enumerate((False, True), start=1):
        call: dict[str, Any] = {"dataset": "odd", "view": f"public.odd{place}"}
        options = {"materialized": materialized}
        assert again(clinic, options, **call) == place
        assert again(clinic, options, **call) == place
    clinic.execute(
        'CREATE OR REPLACE VIEW public.odd1 AS SELECT "a  b", "x"", y\n.z" AS "a b", '
        '"a b" AS "x"", y\n.z", "release_1.d" FROM bkpriv_release.release_1'
    )
    assert reasons(clinic, **call | {"view": "public.odd1"})[0][0] == "view"


def test_generated_columns_that_are_computed_otherwise_make_one_anew(clinic: Connection) -> None:
    if clinic.info.server_version < 170_000:
        pytest.skip("expressions of generated columns cannot be changed")
    kinds = ["STORED", "VIRTUAL"] if clinic.info.server_version >= 180_000 else ["STORED"]
    for place, kind in enumerate(kinds):
        clinic.execute(
            f"CREATE TABLE clinic.made{place} (age int, disease text, "
            f"half int GENERATED ALWAYS AS (age / 2) {kind}); "
            f"INSERT INTO clinic.made{place} SELECT age, disease FROM clinic.patient; "
            f"SELECT bkpriv.register_dataset('m{place}', 'clinic.made{place}', '{{half}}', "
            "'disease')".encode()
        )
        call: dict[str, Any] = {"dataset": f"m{place}", "view": f"public.m{place}"}
        first = again(clinic, **call)
        assert again(clinic, **call) == first
        clinic.execute(
            f"ALTER TABLE clinic.made{place} ALTER half SET EXPRESSION AS (age / 3)".encode()
        )
        assert reasons(clinic, **call)[0][0] == "source"
        assert again(clinic, **call) == first + 1


def test_a_default_that_is_computed_anew_may_be_of_a_generated_column(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient ADD half int GENERATED ALWAYS AS (age / 2) STORED")
    again(clinic)
    clinic.execute("ALTER TABLE clinic.patient ADD lot float8 DEFAULT random()")
    changed(clinic, "source")


def insert_flu(db: Connection, table: str = "clinic.patient") -> None:
    """Write to a table as no watch may miss."""
    db.execute(f"INSERT INTO {table} (age, disease) SELECT 30, 'flu'".encode())


REPLACED = (
    "CREATE OR REPLACE TRIGGER bkpriv_watch AFTER TRUNCATE ON clinic.patient FOR EACH STATEMENT"
)


@pytest.mark.parametrize(
    "change",
    [
        f"{REPLACED} EXECUTE FUNCTION clinic.nothing()",
        f"{REPLACED} EXECUTE FUNCTION bkpriv_internal.mark_stale('another')",
        # As if in a restore.
        "DO $$ BEGIN EXECUTE format('CREATE OR RE' || 'PLACE TRIGGER bkpriv_watch AFTER TRUNCATE "
        "ON clinic.patient FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale(%L)', "
        "(SELECT token FROM bkpriv.watched WHERE named = 'clinic.patient')); END $$",
        "ALTER TRIGGER bkpriv_watch ON clinic.patient RENAME TO other; "
        "DROP TRIGGER other ON clinic.patient",
        "DROP TRIGGER bkpriv_watch ON clinic.patient",
    ],
)
def test_a_watch_that_was_away_for_a_time_says_nothing(clinic: Connection, change: str) -> None:
    clinic.execute(
        "CREATE FUNCTION clinic.nothing() RETURNS trigger LANGUAGE plpgsql "
        "AS 'BEGIN RETURN NULL; END'"
    )
    again(clinic)
    watching = one(
        clinic, "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'bkpriv_watch'"
    )
    clinic.execute(change.encode())
    insert_flu(clinic)
    clinic.execute(watching.replace("CREATE TRIGGER", "CREATE OR REPLACE TRIGGER"))
    clinic.execute("ALTER TABLE clinic.patient ENABLE ALWAYS TRIGGER bkpriv_watch")
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is None
    assert [reason for reason, _ in reasons(clinic)] == ["source"]


def test_a_table_of_the_same_name_may_bear_a_copy_of_a_watch(clinic: Connection) -> None:
    again(clinic)
    watching = one(
        clinic, "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'bkpriv_watch'"
    )
    clinic.execute("CREATE TABLE clinic.other AS SELECT * FROM clinic.patient WHERE age < 60")
    clinic.execute(watching.replace("clinic.patient", "clinic.other").encode())
    clinic.execute("ALTER TRIGGER bkpriv_watch ON clinic.patient RENAME TO other")
    clinic.execute("DROP TABLE clinic.patient")
    clinic.execute("ALTER TABLE clinic.other RENAME TO patient")
    changed(clinic, "source")


@pytest.mark.parametrize("column", ["id", "note", "seen"])
@pytest.mark.parametrize("drop", [False, True])
def test_any_column_that_is_read_may_be_replaced_by_another(
    clinic: Connection, column: str, drop: bool
) -> None:
    clinic.execute(
        "CREATE TABLE clinic.visit AS SELECT *, (row_number() OVER ())::int AS id, 'a' AS note, "
        "(row_number() OVER ())::int AS seen, 0 AS other FROM clinic.patient; "
        "ALTER TABLE clinic.visit ALTER other TYPE text; "
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age}', '{disease}', "
        "respondent => 'id', attributes => '{note}')"
    )
    state_policy(clinic, "once", {"k_anonymity": {"k": 4}, "overlap": "warn"})
    publish(
        clinic,
        dataset="visits",
        policy="once",
        view="public.visits",
        options={"max_records_per_person": 1, "latest_by": "seen"},
    )
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is False
    away = f"DROP {column}" if drop else f"RENAME {column} TO former"
    clinic.execute(f"ALTER TABLE clinic.visit {away}".encode())
    clinic.execute(f"ALTER TABLE clinic.visit RENAME other TO {column}".encode())
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is True


def test_a_crash_empties_what_is_unlogged_without_a_write(clinic: Connection) -> None:
    clinic.execute(
        "CREATE UNLOGGED TABLE clinic.fleeting AS TABLE clinic.patient; "
        "SELECT bkpriv.register_dataset('fleeting', 'clinic.fleeting', '{age}', 'disease')"
    )
    publish(clinic, dataset="fleeting", view="public.fleeting")
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is None
    refused(
        clinic,
        "SELECT bkpriv.watch('clinic.fleeting')",
        sqlstate="42809",
        names=["clinic.fleeting", "unlogged"],
    )


def test_a_table_that_was_unlogged_for_a_time_may_have_been_emptied(clinic: Connection) -> None:
    again(clinic)
    clinic.execute("ALTER TABLE clinic.patient SET UNLOGGED")
    clinic.execute("ALTER TABLE clinic.patient SET LOGGED")
    changed(clinic, "source")
