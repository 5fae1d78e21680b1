"""Declaring datasets and hierarchies: what is taken, and what is refused without a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import fill, one, publish
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

REGISTER = "SELECT bkpriv.register_dataset(%s, %s, %s, %s)"
SET_HIERARCHY = "SELECT bkpriv.set_hierarchy(%s, %s, %s)"
SET_INTERVALS = "SELECT bkpriv.set_interval_hierarchy(%s, %s, %s::numeric[], %s::numeric)"


@pytest.fixture(scope="module")
def declared(shared_clinic: Connection) -> Connection:
    """Database with the clinic and things that are no good as a source; tests change nothing."""
    shared_clinic.execute(
        """
        CREATE INDEX patient_age ON clinic.patient (age);
        CREATE SEQUENCE clinic.counter;
        CREATE TYPE clinic.pair AS (age int, disease text);
        CREATE TABLE clinic.odd (document json, spot point, markup xml, number xid, age int);
        ALTER TABLE clinic.odd ADD dropped int; ALTER TABLE clinic.odd DROP dropped;
        """
    )
    return shared_clinic


# --- register_dataset -----------------------------------------------------------------------------


def test_a_dataset_is_declared(clinic: Connection) -> None:
    row = clinic.execute(
        "SELECT owner, source_schema, source_name, quasi_identifiers, sensitive, respondent, "
        "period FROM bkpriv.dataset"
    ).fetchall()
    qi = ["age", "sex", "city"]
    assert row == [("postgres", "clinic", "patient", qi, ["disease"], None, None)]


def test_respondent_and_period_are_declared(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient ADD person int, ADD month date")
    name = one(
        clinic,
        "SELECT bkpriv.register_dataset('serial', 'clinic.patient', '{age}', 'disease', "
        "respondent => 'person', period => 'month')",
    )
    assert name == "serial"
    row = clinic.execute("SELECT respondent, period FROM bkpriv.dataset WHERE name = 'serial'")
    assert row.fetchall() == [("person", "month")]


SEVERAL = "SELECT bkpriv.register_dataset('x', 'clinic.patient', '{age}', %s::text[])"


@pytest.mark.parametrize(
    ("sensitive", "sqlstate", "names"),
    [
        (None, "22023", ["sensitive"]),
        (["disease", None], "22023", ["sensitive"]),
        (["disease", "disease"], "42701", ["disease", "2 times"]),
        (["disease", "age"], "42701", ["age", "sensitive"]),
        ([["disease"], ["sex"]], "22023", ["sensitive", "plain list"]),
    ],
    ids=str,
)
def test_a_column_is_one_thing_only(
    declared: Connection,
    sensitive: list[Any],
    sqlstate: str,
    names: Sequence[str],
) -> None:
    with unchanged(declared):
        refused(declared, SEVERAL, [sensitive], sqlstate=sqlstate, names=names)


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        # Columns
        (("x", "clinic.patient", ["agee"], "disease"), "42703", ["agee", "clinic", "patient"]),
        (("x", "clinic.patient", ["AGE"], "disease"), "42703", ['"AGE"']),
        (("x", "clinic.patient", ["age"], "diseas"), "42703", ["diseas", "patient"]),
        (("x", "clinic.patient", ["ctid"], "disease"), "42703", ["ctid"]),
        (("x", "clinic.odd", ["dropped"], "age"), "42703", ["dropped"]),
        (("x", "clinic.odd", ["........pg.dropped.6........"], "age"), "42703", ["dropped.6"]),
        (("x", "clinic.patient", ["age", "age"], "disease"), "42701", ["age", "2"]),
        (("x", "clinic.patient", ["age", "disease"], "disease"), "42701", ["disease"]),
        (("x", "clinic.patient", [], "disease"), "22023", ["quasi-identifiers"]),
        (("x", "clinic.patient", None, "disease"), "22023", ["quasi-identifiers"]),
        (("x", "clinic.patient", ["age", None], "disease"), "22023", ["quasi-identifier"]),
        (("x", "clinic.patient", ["age", ""], "disease"), "22023", ["quasi-identifier"]),
        (("x", "clinic.patient", ["age"], None), "22023", ["sensitive"]),
        (("x", "clinic.patient", ["age"], ""), "22023", ["sensitive"]),
        # Names
        ((None, "clinic.patient", ["age"], "disease"), "22023", ["name"]),
        (("", "clinic.patient", ["age"], "disease"), "22023", ["name"]),
        (("patients", "clinic.patient", ["age"], "disease"), "42710", ["patients"]),
        # Sources
        (("x", None, ["age"], "disease"), "22023", ["source"]),
        (("x", "clinic.patient_age", ["age"], "disease"), "42809", ["clinic.patient_age"]),
        (("x", "clinic.counter", ["last_value"], "is_called"), "42809", ["clinic.counter"]),
        (("x", "clinic.pair", ["age"], "disease"), "42809", ["clinic.pair"]),
        # Types without equality or order
        (("x", "clinic.odd", ["document"], "age"), "42883", ["document", "odd"]),
        (("x", "clinic.odd", ["spot"], "age"), "42883", ["spot"]),
        (("x", "clinic.odd", ["markup"], "age"), "42883", ["markup"]),
        (("x", "clinic.odd", ["age"], "document"), "42883", ["document"]),
        (("x", "clinic.odd", ["age"], "number"), "42883", ["number"]),
    ],
    ids=str,
)
def test_what_makes_no_dataset_is_refused(
    declared: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(declared):
        refused(declared, REGISTER, arguments, sqlstate=sqlstate, names=names)


@pytest.mark.parametrize("source", ["clinic.nobody", "999999"])
def test_an_unknown_table_is_refused(declared: Connection, source: str) -> None:
    # A name is looked up by regclass, so PostgreSQL answers before bkpriv is asked.
    with unchanged(declared), pytest.raises(psycopg.errors.UndefinedTable) as caught:
        declared.execute(REGISTER, ["x", source, ["age"], "disease"])
    assert source in str(caught.value)


@pytest.mark.parametrize(
    ("roles", "names"),
    [
        ("respondent => 'nobody'", ["nobody"]),
        ("period => 'nobody'", ["nobody"]),
        ("respondent => 'age'", ["age"]),
        ("period => 'disease'", ["disease"]),
        ("respondent => 'sex', period => 'sex'", ["sex"]),
        ("respondent => ''", ['""']),
    ],
)
def test_respondent_and_period_must_be_further_columns(
    declared: Connection, roles: str, names: Sequence[str]
) -> None:
    register = "SELECT bkpriv.register_dataset('x', 'clinic.patient', '{age}', 'disease', "
    sqlstate = "42703" if names[0] in ("nobody", '""') else "42701"
    with unchanged(declared):
        refused(declared, f"{register}{roles})", sqlstate=sqlstate, names=names)


@pytest.fixture
def outsider(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> tuple[Connection, sql.Identifier]:
    """Publisher who has no right to the clinic's table, and the name of that role."""
    publisher = make_publisher("outsider")
    return publisher, sql.Identifier(publisher.info.user)


def test_a_source_in_a_schema_that_may_not_be_used_is_refused(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    publisher, role = outsider
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(role))
    oid = one(clinic, "SELECT 'clinic.patient'::regclass::oid::text")
    with unchanged(clinic):
        # By name PostgreSQL refuses; a number leads to the table all the same.
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            publisher.execute(REGISTER, ["x", "clinic.patient", ["age"], "disease"])
        refused(
            publisher,
            REGISTER,
            ["x", oid, ["age"], "disease"],
            sqlstate="42501",
            names=["clinic", publisher.info.user],
        )


@pytest.mark.parametrize("granted", ["", "(age, sex)", "(disease)"])
def test_a_source_that_may_not_be_read_is_refused(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier], granted: str
) -> None:
    publisher, role = outsider
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    if granted:
        grant = sql.SQL("GRANT SELECT {} ON clinic.patient TO {}")
        clinic.execute(grant.format(sql.SQL(granted), role))
    with unchanged(clinic):
        said = refused(
            publisher,
            REGISTER,
            ["x", "clinic.patient", ["age"], "disease"],
            sqlstate="42501",
            names=["clinic", "patient", publisher.info.user],
        )
        lacking = "age" if granted == "(disease)" else "disease"
        assert lacking in (said.message_detail or "")


def test_rights_to_the_columns_in_use_are_enough(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    publisher, role = outsider
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT SELECT (age, disease) ON clinic.patient TO {}").format(role))
    publisher.execute(REGISTER, ["mine", "clinic.patient", ["age"], "disease"])
    assert publish(publisher, "mine", view="mine")


def test_rights_lost_after_registering_are_noticed(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    publisher, role = outsider
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.patient TO {}").format(role))
    publisher.execute(REGISTER, ["mine", "clinic.patient", ["age"], "disease"])
    clinic.execute(sql.SQL("REVOKE SELECT ON clinic.patient FROM {}").format(role))
    for statement in (
        "SELECT bkpriv.publish('mine', 'plain', 'mine')",
        "SELECT * FROM bkpriv.prior('mine', '0.3')",
    ):
        with unchanged(clinic):
            refused(publisher, statement, sqlstate="42501", names=["patient", "age"])


def test_a_dataset_of_another_role_stays_unnamed(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    publisher, _ = outsider
    with unchanged(clinic):
        call = "SELECT bkpriv.drop_dataset('patients')"
        told = refused(publisher, call, sqlstate="42704", names=["patients"])
    assert told.message_detail == "Or it belongs to another role. You may see none."


# --- hierarchies ----------------------------------------------------------------------------------


def levels(db: Connection, rows: Sequence[Sequence[str | None]], width: int = 3) -> None:
    """Make a table ``clinic.levels`` of these rows."""
    columns = ", ".join(f"level_{place} text" for place in range(width))
    db.execute(f"DROP TABLE IF EXISTS clinic.levels; CREATE TABLE clinic.levels ({columns})")
    fill(db, "clinic.levels", rows)


@pytest.mark.parametrize(
    ("rows", "names"),
    [([], ["city", "empty"]), ([(None, "north", "*")], ["city", "NULL", "north"])],
    ids=["empty", "NULL leaf"],
)
def test_what_makes_no_hierarchy_is_refused(
    declared: Connection, rows: Sequence[Sequence[str | None]], names: Sequence[str]
) -> None:
    levels(declared, rows, len(rows[0]) if rows else 3)
    with unchanged(declared):
        refused(
            declared,
            SET_HIERARCHY,
            ["patients", "city", "clinic.levels"],
            sqlstate="22000",
            names=names,
        )


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (("nobody", "city", "clinic.city_levels"), "42704", ["nobody"]),
        ((None, "city", "clinic.city_levels"), "22023", ["dataset"]),
        (("patients", "town", "clinic.city_levels"), "42703", ["town", "patients"]),
        (("patients", None, "clinic.city_levels"), "22023", ["attribute"]),
        (("patients", "city", None), "22023", ["levels"]),
        (("patients", "city", "clinic.patient_age"), "42809", ["clinic.patient_age"]),
    ],
    ids=str,
)
def test_a_hierarchy_of_nothing_is_refused(
    declared: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(declared):
        refused(declared, SET_HIERARCHY, arguments, sqlstate=sqlstate, names=names)


def test_a_hierarchy_that_may_not_be_read_is_refused(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    publisher, role = outsider
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    publisher.execute("CREATE TABLE own AS SELECT 'Aln' AS city, 'ulcer' AS disease")
    publisher.execute(REGISTER, ["mine", "own", ["city"], "disease"])
    with unchanged(clinic):
        refused(
            publisher,
            SET_HIERARCHY,
            ["mine", "city", "clinic.city_levels"],
            sqlstate="42501",
            names=["city_levels"],
        )


def test_values_missing_from_a_hierarchy_are_listed(clinic: Connection) -> None:
    clinic.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Ely', 'ulcer')")
    clinic.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Fen', 'ulcer')")
    for statement in (
        "SELECT bkpriv.publish('patients', 'plain', 'v')",
        "SELECT * FROM bkpriv.prior('patients', '0.3')",
    ):
        with unchanged(clinic):
            refused(clinic, statement, sqlstate="22000", names=["city", "'Ely'", "'Fen'"])


def test_a_long_list_of_missing_values_is_cut_short(clinic: Connection) -> None:
    clinic.execute(
        "INSERT INTO clinic.patient SELECT 30, 'f', 'town ' || i, 'ulcer' "
        "FROM generate_series(1, 500) AS i"
    )
    said = refused(
        clinic, "SELECT bkpriv.publish('patients', 'plain', 'v')", sqlstate="22000", names=["city"]
    )
    assert "492 more" in (said.message_detail or "")


def test_a_hierarchy_may_know_more_values_than_occur_and_may_be_set_anew(
    clinic: Connection,
) -> None:
    levels(clinic, [(c, "land", "*") for c in ("Aln", "Brix", "Corve", "Dunn", "Ely")])
    for _ in range(2):
        clinic.execute(SET_HIERARCHY, ["patients", "city", "clinic.levels"])
    assert one(clinic, "SELECT count(*) FROM bkpriv.hierarchy WHERE attribute = 'city'") == 1
    publish(clinic)
    shown = clinic.execute("SELECT DISTINCT city FROM patients").fetchall()
    assert {city for (city,) in shown} <= {"Aln", "Brix", "Corve", "Dunn", "land", "*"}


def test_a_numeric_attribute_with_a_hierarchy_is_published_as_labels(clinic: Connection) -> None:
    rows = [(str(a), f"{a // 10}0s", "*") for a in range(20, 70)]
    levels(clinic, rows)
    clinic.execute(SET_HIERARCHY, ["patients", "age", "clinic.levels"])
    publish(clinic)
    ((kind,),) = clinic.execute("SELECT DISTINCT pg_typeof(age)::text FROM patients").fetchall()
    assert kind == "text"
    shown = clinic.execute("SELECT DISTINCT age FROM patients").fetchall()
    assert {age for (age,) in shown} <= {label for row in rows for label in row}


@pytest.mark.parametrize(
    ("attribute", "widths", "origin", "names"),
    [
        ("age", "{5,12}", "0", ["age", "5", "12"]),
        ("age", None, "0", ["age"]),
        ("age", "{5,NULL}", "0", ["age"]),
        ("age", "{5}", None, ["age"]),
        ("age", "{NaN}", "0", ["age"]),
        ("age", "{5}", "NaN", ["age", "NaN"]),
        ("age", "{{1,2},{4,8}}", "0", ["age"]),
        ("city", "{5}", "0", ["city"]),
    ],
)
def test_what_makes_no_intervals_is_refused(
    declared: Connection, attribute: str, widths: str, origin: str, names: Sequence[str]
) -> None:
    with unchanged(declared):
        arguments = ["patients", attribute, widths, origin]
        refused(declared, SET_INTERVALS, arguments, sqlstate="22023", names=names)


def test_intervals_of_unknown_attributes_are_refused(declared: Connection) -> None:
    with unchanged(declared):
        arguments = ["patients", "size", "{5}", 0]
        refused(declared, SET_INTERVALS, arguments, sqlstate="42703", names=["size"])


@pytest.mark.parametrize("widths", ["{0.1,0.3}", "{1e-7,1e9}"])
def test_intervals_that_nest_are_kept(clinic: Connection, widths: str) -> None:
    clinic.execute(SET_INTERVALS, ["patients", "age", widths, "0.5"])
    kept = clinic.execute(
        "SELECT widths = %s::numeric[] AND origin = 0.5 FROM bkpriv.hierarchy "
        "WHERE attribute = 'age'",
        [widths],
    ).fetchall()
    assert kept == [(True,)]
    assert publish(clinic)


# --- unset_hierarchy ------------------------------------------------------------------------------

UNSET = "SELECT bkpriv.unset_hierarchy(%s, %s)"


def test_labels_and_intervals_are_taken_back(clinic: Connection) -> None:
    clinic.execute(SET_INTERVALS, ["patients", "age", "{5,10}", "0"])
    for attribute in ("city", "age"):
        clinic.execute(UNSET, ["patients", attribute])
    kept = clinic.execute("SELECT attribute FROM bkpriv.hierarchy").fetchall()
    assert kept == [("disease",)]
    publish(clinic, view="shown", method="incognito")
    shown = clinic.execute("SELECT DISTINCT city FROM shown").fetchall()
    assert {city for (city,) in shown} <= {"Aln", "Brix", "Corve", "Dunn", "*"}


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (("patients", "age"), "42704", ['"age"', '"patients"']),
        (("patients", "town"), "42703", ['"town"']),
        (("patients", None), "22023", ["attribute"]),
        (("nobody", "city"), "42704", ["nobody"]),
        ((None, "city"), "22023", ["dataset"]),
    ],
    ids=str,
)
def test_what_has_no_hierarchy_keeps_none(
    declared: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(declared):
        refused(declared, UNSET, arguments, sqlstate=sqlstate, names=names)


def test_hierarchies_of_others_are_left_alone(
    clinic: Connection, outsider: tuple[Connection, sql.Identifier]
) -> None:
    with unchanged(clinic):
        refused(outsider[0], UNSET, ["patients", "city"], sqlstate="42704", names=["patients"])


# --- drop_dataset ---------------------------------------------------------------------------------


def test_a_dataset_with_releases_is_not_dropped(clinic: Connection) -> None:
    release = publish(clinic)
    statement = "SELECT bkpriv.drop_dataset('patients')"
    with unchanged(clinic):
        refused(clinic, statement, sqlstate="2BP01", names=["patients", str(release)])
    newer = publish(clinic)
    with unchanged(clinic):
        # A release that was superseded still has its data.
        refused(clinic, statement, sqlstate="2BP01", names=[str(release), str(newer)])


def test_a_dataset_whose_releases_are_withdrawn_is_dropped(
    clinic: Connection,
) -> None:
    release = publish(clinic)
    clinic.execute("SELECT bkpriv.withdraw(%s, 'done')", [release])
    clinic.execute("SELECT bkpriv.drop_dataset('patients')")
    assert one(clinic, "SELECT count(*) FROM bkpriv.dataset") == 0
    assert one(clinic, "SELECT count(*) FROM bkpriv.hierarchy") == 0
    # Its history stays, and the name is free again.
    assert one(clinic, "SELECT status FROM bkpriv.releases") == "withdrawn"
    clinic.execute(REGISTER, ["patients", "clinic.patient", ["age"], "disease"])
    publish(clinic)
    assert one(clinic, "SELECT max(version) FROM bkpriv.releases") == 2


@pytest.mark.parametrize("name", ["nobody", None, ""])
def test_an_unknown_dataset_is_not_dropped(declared: Connection, name: str | None) -> None:
    with unchanged(declared):
        sqlstate, names = ("42704", ["patients"]) if name else ("22023", [])
        refused(declared, "SELECT bkpriv.drop_dataset(%s)", [name], sqlstate=sqlstate, names=names)


def test_a_source_that_is_gone_is_named(clinic: Connection) -> None:
    clinic.execute("DROP TABLE clinic.patient")
    with unchanged(clinic):
        statement = "SELECT bkpriv.publish('patients', 'plain', 'v')"
        refused(clinic, statement, sqlstate="42P01", names=["clinic", "patient"])
    clinic.execute("SELECT bkpriv.drop_dataset('patients')")


def test_a_column_that_is_gone_is_named(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient DROP city")
    with unchanged(clinic):
        statement = "SELECT bkpriv.publish('patients', 'plain', 'v')"
        refused(clinic, statement, sqlstate="42703", names=["city", "patient"])
