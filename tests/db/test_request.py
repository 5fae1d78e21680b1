"""Requests to publish or withdraw that are refused, and leave everything as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import declare_own, fill, one, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

PUBLISH = "SELECT bkpriv.publish(%s, %s, %s, %s, NULL, %s::jsonb)"


def request(**changed: Any) -> list[Any]:
    """Arguments of a good call of publish, some of them changed."""
    good = {
        "dataset": "patients",
        "policy": "plain",
        "view": "public.v",
        "method": "mondrian",
        "options": "{}",
    }
    return list((good | changed).values())


@pytest.mark.parametrize(
    ("changed", "sqlstate", "names"),
    [
        ({"dataset": "nobody"}, "42704", ["nobody"]),
        ({"dataset": None}, "22023", ["dataset"]),
        ({"policy": "nothing"}, "42704", ["nothing", "beliefs", "plain"]),
        ({"policy": None}, "22023", ["policy"]),
        ({"method": "magic"}, "22023", ["magic"]),
        ({"method": None}, "22023", ["method"]),
        ({"view": None}, "22023", ["view name"]),
        ({"view": ""}, "22023", ["view name"]),
        ({"options": None}, "22023", ["options"]),
        ({"options": "[]"}, "22023", ["options"]),
        ({"options": '{"estimater": "exact"}'}, "22023", ["estimater"]),
        ({"options": '{"suppression": 1e400}', "method": "incognito"}, "22023", ["e+400"]),
        ({"options": '{"suppression": 0.1}'}, "22023", ["suppression", "mondrian"]),
        ({"view": "two words"}, "22023", ["two words"]),
        ({"view": "1st"}, "22023", ["1st"]),
        ({"view": '"'}, "22023", ['"']),
        ({"view": '""'}, "22023", ['""']),
        ({"view": "public."}, "22023", ["public."]),
        ({"view": ".v"}, "22023", [".v"]),
        ({"view": "db.public.v"}, "22023", ["db.public.v"]),
        ({"view": "v; DROP TABLE clinic.patient"}, "22023", ["DROP TABLE"]),
        ({"view": "v--"}, "22023", ["v--"]),
        ({"view": "x" * 64}, "22023", ["x" * 64, "64"]),
        ({"view": f'public."{"é" * 32}"'}, "22023", ["é" * 32, "64"]),
        ({"view": f"{'x' * 64}.v"}, "22023", ["x" * 64]),
        ({"view": "nowhere.v"}, "3F000", ["nowhere"]),
        ({"view": "pg_temp.v"}, "3F000", ["pg_temp"]),
        ({"view": "pg_catalog.v"}, "42501", ["pg_catalog"]),
        ({"view": "information_schema.v"}, "42501", ["information_schema"]),
        ({"view": "bkpriv.v"}, "42501", ["bkpriv"]),
        ({"view": "bkpriv_release.v"}, "42501", ["bkpriv_release"]),
    ],
    ids=str,
)
def test_a_request_that_makes_no_sense_is_refused(
    shared_clinic: Connection, changed: dict[str, Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(shared_clinic):
        refused(shared_clinic, PUBLISH, request(**changed), sqlstate=sqlstate, names=names)


def test_a_view_needs_a_schema(shared_clinic: Connection) -> None:
    shared_clinic.execute("SET search_path = nowhere")
    try:
        with unchanged(shared_clinic):
            refused(shared_clinic, PUBLISH, request(view="v"), sqlstate="3F000", names=["v"])
    finally:
        shared_clinic.execute("RESET search_path")


# --- names that are taken -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "taken",
    [
        "CREATE TABLE clinic.taken (a int)",
        "CREATE TABLE clinic.taken (a int) PARTITION BY RANGE (a)",
        "CREATE VIEW clinic.taken AS SELECT 1 AS a",
        "CREATE VIEW clinic.taken AS SELECT * FROM clinic.patient",
        "CREATE MATERIALIZED VIEW clinic.taken AS SELECT 1 AS a",
        "CREATE SEQUENCE clinic.taken",
        "CREATE INDEX taken ON clinic.patient (age)",
        "CREATE TYPE clinic.taken AS (a int)",
    ],
)
def test_a_name_that_is_taken_is_left_alone(clinic: Connection, taken: str) -> None:
    clinic.execute(taken)
    with unchanged(clinic):
        arguments = request(view="clinic.taken")
        refused(clinic, PUBLISH, arguments, sqlstate="42P07", names=["clinic.taken"])


def test_a_view_of_another_dataset_is_left_alone(clinic: Connection) -> None:
    clinic.execute("SELECT bkpriv.register_dataset('others', 'clinic.patient', '{age}', 'disease')")
    release = publish(clinic, "others", view="public.v")
    with unchanged(clinic):
        names = ["public.v", "others", str(release)]
        refused(clinic, PUBLISH, request(), sqlstate="42P07", names=names)


def test_a_view_of_another_role_is_left_alone(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publish(clinic, view="public.v")
    publisher = make_publisher()
    clinic.execute(
        sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(sql.Identifier(publisher.info.user))
    )
    declare_own(publisher)
    with unchanged(clinic):
        refused(publisher, PUBLISH, request(dataset="mine"), sqlstate="42P07", names=["public.v"])


def test_a_view_in_a_schema_where_the_publisher_may_not_create_is_refused(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    with unchanged(clinic):
        arguments = request(dataset="mine", view="clinic.v")
        names = ["clinic", publisher.info.user]
        refused(publisher, PUBLISH, arguments, sqlstate="42501", names=names)


# --- sources that cannot be published -------------------------------------------------------------


def test_an_empty_table_is_refused(clinic: Connection) -> None:
    clinic.execute("TRUNCATE clinic.patient")
    with unchanged(clinic):
        refused(clinic, PUBLISH, request(), sqlstate="22000", names=["clinic", "patient", "empty"])
        prior = "SELECT * FROM bkpriv.prior('patients', '0.3')"
        refused(clinic, prior, sqlstate="22000", names=["clinic", "patient", "empty"])


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([(30, "f", None, "ulcer")], ['"city" (1)']),
        ([(None, None, "Aln", None), (None, "f", "Aln", "ulcer")], ['"age" (2)', '"sex" (1)']),
    ],
)
def test_nulls_are_refused_with_their_columns_and_counts(
    clinic: Connection, rows: Sequence[Sequence[Any]], names: Sequence[str]
) -> None:
    fill(clinic, "clinic.patient", rows)
    with unchanged(clinic):
        for options in ("{}", '{"nulls": "error"}'):
            said = refused(
                clinic,
                PUBLISH,
                request(options=options),
                sqlstate="22004",
                names=["clinic", "patient", *names],
            )
            assert "category" in (said.message_hint or "")


@pytest.mark.parametrize("value", ["NaN"])
def test_numbers_without_a_place_are_refused(clinic: Connection, value: str) -> None:
    clinic.execute("ALTER TABLE clinic.patient ALTER age TYPE float8")
    clinic.execute("UPDATE clinic.patient SET age = %s::float8 WHERE age = 30", [value])
    with unchanged(clinic):
        refused(clinic, PUBLISH, request(), sqlstate="22000", names=["age", value])


# --- requirements that cannot be met --------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirements", "names", "best"),
    [
        ({"k_anonymity": {"k": 301}}, ["k_anonymity", "k = 301"], "300"),
        ({"l_diversity": {"l": 5, "variant": "probabilistic"}}, ["l_diversity"], None),
    ],
)
def test_what_the_whole_table_does_not_meet_is_refused_with_the_best(
    shared_clinic: Connection, requirements: dict[str, Any], names: Sequence[str], best: str | None
) -> None:
    state_policy(shared_clinic, "steep", requirements)
    if best is None:
        # The commonest value's share is what counts.
        share = one(
            shared_clinic,
            "SELECT sum(n) / max(n) "
            "FROM (SELECT count(*) AS n FROM clinic.patient GROUP BY disease) AS g",
        )
        best = f"{float(share):.6g}"
    with unchanged(shared_clinic):
        said = refused(
            shared_clinic, PUBLISH, request(policy="steep"), sqlstate="22023", names=names
        )
    assert f"attains {best}" in (said.message_detail or "")
    # The hint's figure is rounded to the side that the table attains.
    advised = float((said.message_hint or "").split(" to ")[1].split(" or ")[0])
    assert float(best) * (1 - 1e-5) <= advised <= float(best)


def test_beliefs_that_the_whole_table_moves_are_refused_with_the_best(clinic: Connection) -> None:
    # To see the values of all records in one group moves a sharp prior a little.
    state_policy(clinic, "steep", {"bt_privacy": {"bandwidth": 0.1, "t": 0}})
    with unchanged(clinic):
        said = refused(
            clinic, PUBLISH, request(policy="steep"), sqlstate="22023", names=["bt_privacy", "0.1"]
        )
    figure = (said.message_detail or "").split("attains about ")[1].split(" ")[0]
    attained = float(figure.rstrip("."))
    assert 0 < attained < 0.01
    state_policy(clinic, "steep", {"bt_privacy": {"bandwidth": 0.1, "t": attained * 1.001}})
    assert publish(clinic, policy="steep")


def test_t_closeness_of_zero_is_met_by_the_whole_table(clinic: Connection) -> None:
    state_policy(clinic, "closest", {"t_closeness": {"t": 0}})
    release = publish(clinic, policy="closest")
    assert one(clinic, "SELECT groups FROM bkpriv.release WHERE release = %s", [release]) == 1


# --- withdraw -------------------------------------------------------------------------------------


def test_withdraw_needs_a_release_of_ones_own_and_a_reason(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    withdraw = "SELECT bkpriv.withdraw(%s, %s)"
    release = publish(clinic)
    publisher = make_publisher()
    with unchanged(clinic):
        refused(clinic, withdraw, [100, "why"], sqlstate="42704", names=["100"])
        refused(clinic, withdraw, [None, "why"], sqlstate="22023", names=["release"])
        refused(clinic, withdraw, [release, ""], sqlstate="22023", names=["reason"])
        refused(clinic, withdraw, [release, None], sqlstate="22023", names=["reason"])
        refused(publisher, withdraw, [release, "why"], sqlstate="42704", names=[str(release)])
    clinic.execute(withdraw, [release, "why"])
    with unchanged(clinic):
        refused(clinic, withdraw, [release, "why"], sqlstate="55000", names=[str(release)])


def test_an_auditor_may_not_withdraw(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    release = publish(clinic)
    both = make_publisher("auditor")
    clinic.execute("SELECT bkpriv.grant_auditor(%s)", [both.info.user])
    with unchanged(clinic):
        for statement, names in (
            ("SELECT bkpriv.withdraw(%s, 'why')", [str(release), "postgres"]),
            ("SELECT bkpriv.drop_dataset('patients'), %s", ["patients", "postgres"]),
            ("SELECT bkpriv.publish('patients', 'plain', 'v'), %s", ["patients", "postgres"]),
            (
                "SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{5}'), %s",
                ["patients", "postgres"],
            ),
        ):
            refused(both, statement, [release], sqlstate="42501", names=names)


def test_a_release_that_does_not_exist_is_not_measured(shared_clinic: Connection) -> None:
    with unchanged(shared_clinic):
        for call in ("posterior(%s, '0.3')", "disclosure(%s, '0.3')", "audit(%s)", "utility(%s)"):
            statement = f"SELECT * FROM bkpriv.{call}"
            refused(shared_clinic, statement, [987654], sqlstate="42704", names=["987654"])
            refused(shared_clinic, statement, [None], sqlstate="22023", names=["release"])


@pytest.mark.parametrize("estimator", ["best", None])
def test_an_unknown_estimator_is_refused(shared_clinic: Connection, estimator: str | None) -> None:
    release = publish(shared_clinic, view="public.measured")
    with unchanged(shared_clinic):
        for call in ("posterior(%s, '0.3', %s)", "disclosure(%s, '0.3', %s)", "audit(%s, %s, %s)"):
            parameters: list[Any] = [release, estimator]
            if call.startswith("audit"):
                parameters.insert(1, Jsonb({"k_anonymity": {"k": 2}}))
            statement = f"SELECT * FROM bkpriv.{call}"
            refused(shared_clinic, statement, parameters, sqlstate="22023", names=["estimator"])
