"""Standing releases: what would be made from the same is not made anew, and all else is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import (
    PLAIN,
    declare_own,
    declare_people,
    one,
    overhear,
    publish,
    rows_of,
    state_policy,
)
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked
from tests.db.writing import CHANGES

pytestmark = pytest.mark.pooled

LATER = {"if_stale": True}


def again(db: Connection, options: dict[str, Any] | None = None, **changed: Any) -> int:
    """Publish if nothing stands."""
    return publish(db, options=LATER | (options or {}), **changed)


def reasons(
    db: Connection, options: dict[str, Any] | None = None, **changed: Any
) -> list[tuple[str | None, str]]:
    """Read why a release would be made anew, and how that changed."""
    call = {"dataset": "patients", "policy": "plain", "view": "public.patients"} | changed
    return db.execute(
        "SELECT reason, detail FROM bkpriv.explain_publication(%(dataset)s, %(policy)s, %(view)s, "
        "coalesce(%(method)s, 'mondrian'), options => %(options)s)",
        {"method": None} | call | {"options": Jsonb(options or {})},
    ).fetchall()


def changed(db: Connection, *expected: str, **call: Any) -> None:
    """Assert why release 1 does not stand, that asking changes nothing, and that 2 is made."""
    with unchanged(db):
        found = reasons(db, **call)
    assert [reason for reason, _ in found] == [*expected], found
    assert again(db, **call) == 2
    assert reasons(db, **call)[0][0] is None


# --- What stands ----------------------------------------------------------------------------------


def test_nothing_is_made_anew_where_nothing_changed(clinic: Connection) -> None:
    assert reasons(clinic) == [("view", "nothing is published as public.patients")]
    first = again(clinic)
    told = rows_of(clinic, "bkpriv.release_notice")
    # Who says the same again has changed nothing.
    state_policy(clinic, "plain", PLAIN)
    clinic.execute("SELECT bkpriv.set_hierarchy('patients', 'city', 'clinic.city_levels')")
    heard = overhear(clinic)
    assert again(clinic) == first
    assert heard == [f"release {first} stands: Nothing that it was made from has changed."]
    assert again(clinic, {"nulls": "error", "materialized": False, "seed": 7}) == first
    assert rows_of(clinic, "bkpriv.release_notice") == told
    assert one(clinic, "SELECT options::text FROM bkpriv.releases") == "{}"
    assert reasons(clinic) == [(None, "nothing changed since the release was made")]


def test_without_the_option_a_release_is_made(clinic: Connection) -> None:
    assert (publish(clinic), publish(clinic), again(clinic)) == (1, 2, 2)


@pytest.mark.parametrize("change", CHANGES[:3], ids=lambda change: change.split()[0].lower())
def test_a_write_to_a_watched_table_makes_one_anew(clinic: Connection, change: str) -> None:
    again(clinic)
    clinic.execute(change)
    changed(clinic, "source")
    told = "SELECT message, detail FROM bkpriv.release_notice WHERE release = 2 AND place = 1"
    ((message, detail),) = clinic.execute(told).fetchall()
    assert message == "release 1 does not stand"
    assert detail == f"source: release 1 is stale: {change.split()[0]} on clinic.patient."


# --- Terms ----------------------------------------------------------------------------------------


def test_another_policy_makes_one_anew(clinic: Connection) -> None:
    again(clinic)
    state_policy(clinic, "plain", {"k_anonymity": {"k": 5}, "t_closeness": {"t": 0.4}})
    assert reasons(clinic) == [
        ("policy", 'k_anonymity was {"k": 4}, and is {"k": 5}'),
        ("policy", 'l_diversity was {"l": 2}, and is not stated'),
        ("policy", 't_closeness was not stated, and is {"t": 0.4}'),
    ]
    changed(clinic, *["policy"] * 3)
    # By its requirements, whatever its name.
    state_policy(clinic, "other", {"k_anonymity": {"k": 5}, "t_closeness": {"t": 0.4}})
    assert again(clinic, policy="other") == 2


@pytest.mark.parametrize(
    ("change", "call", "expected"),
    [
        ("SELECT", {"method": "agglomerate"}, ["method"]),
        ("SELECT", {"method": "anatomy"}, ["view", "method"]),
        ("SELECT", {"options": {"nulls": "category"}}, ["options"]),
        ("SELECT bkpriv.set_hierarchy('patients', 'sex', 'clinic.sexes')", {}, ["hierarchies"]),
        ("SELECT bkpriv.unset_hierarchy('patients', 'city')", {}, ["hierarchies"]),
        ("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{10}')", {}, ["hierarchies"]),
        ("""UPDATE bkpriv.dataset SET bins = '{"age": 5}'""", {}, ["dataset"]),
    ],
)
def test_other_terms_make_one_anew(
    clinic: Connection, change: str, call: dict[str, Any], expected: list[str]
) -> None:
    clinic.execute("CREATE TABLE clinic.sexes AS VALUES ('f', '*'), ('m', '*')")
    again(clinic)
    clinic.execute(change.encode())
    if "options" in call:
        detail = 'nulls was "error", and is "category"'
        assert reasons(clinic, **call) == [("options", detail)]
    changed(clinic, *expected, **call)


def test_other_contents_of_a_prior_table_make_one_anew(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE clinic.guess AS SELECT * FROM "
        "(SELECT DISTINCT age, sex, city FROM clinic.patient) AS q, "
        "(SELECT disease, count(*)::float8 / sum(count(*)) OVER () AS probability "
        "FROM clinic.patient GROUP BY disease) AS s"
    )
    known = {"bandwidth": {"table": "clinic.guess"}, "t": 0.6}
    state_policy(clinic, "plain", {"k_anonymity": {"k": 4}, "bt_privacy": known})
    again(clinic)
    assert again(clinic) == 1
    clinic.execute("UPDATE clinic.guess SET probability = 0.2")
    changed(clinic, "knowledge")


def test_other_sequential_knowledge_makes_one_anew(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TABLE clinic.visit AS SELECT i % 100 AS id, i / 100 AS month, i % 7 AS age, "
        "'d' || i * i % 3 AS disease FROM generate_series(0, 299) AS i"
    )
    register = (
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age}', 'disease', %s, %s)"
    )
    clinic.execute(register, ["id", "month"])
    know = "SELECT bkpriv.set_sequential_knowledge('visits', 'm', %s, memory => 1)"
    clinic.execute(know, ["incremental"])
    state_policy(clinic, "s", {"js_divergence": {"j": 0.99}})
    call = (
        "SELECT bkpriv.publish('visits', 's', 'public.v', period => %s, "
        """options => '{"if_stale": true}')"""
    )
    assert (one(clinic, call, ["1"]), one(clinic, call, ["1"])) == (1, 1)
    clinic.execute(know, ["incremental"])
    assert one(clinic, call, ["1"]) == 1
    clinic.execute(know.replace("1)", "2)"), ["incremental"])
    assert one(clinic, call, ["1"]) == 2
    # A write to another period is none to this.
    clinic.execute("DELETE FROM clinic.visit WHERE month = 2 AND id < 9")
    assert one(clinic, call, ["1"]) == 2
    assert (one(clinic, call, ["2"]), one(clinic, call, ["2"])) == (3, 3)
    clinic.execute("DELETE FROM clinic.visit WHERE month = 2 AND id < 19")
    assert one(clinic, call, ["2"]) == 4


# --- Sources whose staleness is unknown -----------------------------------------------------------


@pytest.fixture
def view(clinic: Connection) -> Connection:
    """Dataset ``people`` of a view, which nobody can watch, published as release 1."""
    clinic.execute("CREATE VIEW clinic.shown AS SELECT * FROM clinic.patient WHERE age < 60")
    clinic.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.shown', '{age,sex,city}', 'disease')"
    )
    assert again(clinic, dataset="people", view="public.p") == 1
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is None
    return clinic


def test_what_is_not_watched_is_read_and_compared(view: Connection) -> None:
    call: dict[str, Any] = {"dataset": "people", "view": "public.p"}
    assert again(view, **call) == 1
    # Rows in another order, and rows that it does not show.
    view.execute(
        "CREATE INDEX by ON clinic.patient (disease, age); CLUSTER clinic.patient USING by"
    )
    view.execute("DELETE FROM clinic.patient WHERE age >= 60")
    assert again(view, **call) == 1
    view.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    assert reasons(view, **call) == [
        ("source", "what is read of it differs from what was published")
    ]
    changed(view, "source", **call)
    view.execute("CREATE OR REPLACE VIEW clinic.shown AS SELECT * FROM clinic.patient")
    assert again(view, **call) == 2
    view.execute("UPDATE clinic.patient SET age = NULL WHERE age = 30")
    assert reasons(view, **call)[0][0] == "source"


def test_a_release_that_grows_is_compared_as_it_was_read(clinic: Connection) -> None:
    declare_people(clinic)
    clinic.execute("SELECT bkpriv.unwatch('clinic.person')")
    grow: dict[str, Any] = {"dataset": "people", "view": "public.p", "options": {"grow": True}}
    assert (again(clinic, **grow), again(clinic, **grow)) == (1, 1)
    clinic.execute("DELETE FROM clinic.person WHERE id <= 30")
    assert (again(clinic, **grow), again(clinic, **grow)) == (2, 2)
    clinic.execute("INSERT INTO clinic.person VALUES (1001, 99, 'f', 'Aln', 'ulcer')")
    assert (again(clinic, **grow), again(clinic, **grow)) == (3, 3)


def test_records_of_a_person_that_a_lot_picks_stand_only_where_they_are_watched(
    clinic: Connection,
) -> None:
    declare_people(clinic)
    clinic.execute("UPDATE clinic.person SET id = id / 2")
    call: dict[str, Any] = {
        "dataset": "people",
        "view": "public.p",
        "options": {"max_records_per_person": 1},
    }
    assert (again(clinic, **call), again(clinic, **call)) == (1, 1)
    clinic.execute("SELECT bkpriv.unwatch('clinic.person')")
    ((reason, detail),) = reasons(clinic, **call)
    assert reason == "source"
    assert "not known" in detail
    assert again(clinic, **call) == 2


def test_a_watch_does_not_see_who_may_read_which_rows(
    make_publisher: Callable[..., Connection],
) -> None:
    publisher = make_publisher()
    declare_own(publisher)
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    call: dict[str, Any] = {"dataset": "mine", "policy": "p", "view": "shown"}
    assert (again(publisher, **call), again(publisher, **call)) == (1, 1)
    publisher.execute("CREATE POLICY few ON own USING (a < 6)")
    publisher.execute("ALTER TABLE own ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
    assert one(publisher, "SELECT stale FROM bkpriv.releases") is False
    assert [reason for reason, _ in reasons(publisher, **call)] == ["source"]
    assert (again(publisher, **call), again(publisher, **call)) == (2, 2)


def test_a_watch_does_not_see_that_values_are_renamed(clinic: Connection) -> None:
    clinic.execute(
        "CREATE TYPE clinic.sex AS ENUM ('f', 'm');"
        "ALTER TABLE clinic.patient ALTER sex TYPE clinic.sex USING sex::clinic.sex"
    )
    again(clinic)
    assert again(clinic) == 1
    clinic.execute("ALTER TYPE clinic.sex RENAME VALUE 'f' TO 'w'")
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is False
    changed(clinic, "source")


# --- Views that are not there any more ------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "DROP VIEW public.patients",
        "SELECT bkpriv.withdraw(1, 'for the test')",
        "CREATE VIEW public.on_it AS TABLE public.patients; SELECT bkpriv.withdraw(1, 'a test')",
        "ALTER VIEW public.patients RENAME COLUMN sex TO gender",
    ],
)
def test_a_release_that_is_gone_or_changed_does_not_stand(clinic: Connection, change: str) -> None:
    again(clinic)
    clinic.execute(change.encode())
    assert reasons(clinic)[0][0] is not None
    if "RENAME" in change:
        clinic.execute("DROP VIEW public.patients")
    assert again(clinic) == 2


def test_a_view_of_others_is_refused_as_ever(rivals: tuple[Connection, Connection]) -> None:
    victim, attacker = rivals
    schema = victim.info.user
    victim.execute(
        sql.SQL("GRANT ALL ON SCHEMA {} TO {}").format(
            sql.Identifier(schema), sql.Identifier(attacker.info.user)
        )
    )
    attacker.execute(
        "CREATE TABLE t AS SELECT i % 3 AS a, i % 2 AS b FROM generate_series(1, 60) i"
    )
    attacker.execute("SELECT bkpriv.register_dataset('theirs', 't', '{a}', 'b')")
    call = "('theirs', 'p', %s, options => '{\"if_stale\": true}')"
    for function in ("SELECT bkpriv.publish", "SELECT * FROM bkpriv.explain_publication"):
        refused(attacker, function + call, [f"{schema}.shown"], sqlstate="42P07")
    for function in ("SELECT bkpriv.publish", "SELECT * FROM bkpriv.explain_publication"):
        refused(attacker, function + call.replace("theirs", "mine"), ["v"], sqlstate="42704")


# --- Two at a time --------------------------------------------------------------------------------


@pytest.mark.parametrize("committed", [True, False])
def test_of_two_at_a_time_one_publishes(
    clinic: Connection, database: Database, committed: bool
) -> None:
    other = database.connect()
    found: list[int] = []
    with clinic.transaction(force_rollback=not committed):
        first = again(clinic)
        waiting = threading.Thread(target=lambda: found.append(again(other)))
        waiting.start()
        until_blocked(clinic, other.info.backend_pid)
    waiting.join()
    assert (found == [first]) == committed
    assert one(clinic, "SELECT count(*) FROM bkpriv.release") == 1


def test_an_old_snapshot_is_refused(clinic: Connection) -> None:
    again(clinic)
    clinic.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    with pytest.raises(psycopg.Error, match="repeatable read"):
        again(clinic)
    clinic.execute("ROLLBACK")


# --- Declaring a dataset again --------------------------------------------------------------------

DECLARED: dict[str, Any] = {
    "source": "clinic.patient",
    "known": ["age", "sex", "city"],
    "told": "disease",
    "respondent": None,
    "period": None,
    "bins": "{}",
}

REGISTER = "SELECT bkpriv.register_dataset('patients', %s, %s, %s, %s, %s, %s)"


def test_the_same_declaration_changes_nothing(clinic: Connection) -> None:
    heard = overhear(clinic)
    with unchanged(clinic):
        assert one(clinic, REGISTER, [*DECLARED.values()]) == "patients"
    assert heard == ['dataset "patients" is declared so already: Nothing was changed.']
    assert one(clinic, "SELECT count(*) FROM bkpriv.hierarchy") == 2


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"known": ["sex", "age", "city"]}, ["quasi_identifiers", '["age", "sex", "city"]']),
        ({"told": "city", "known": ["age", "sex"]}, ["sensitive", "disease", '"city"']),
        ({"bins": '{"age": 5}'}, ["bins", '{"age": 5}']),
        ({"respondent": "age", "known": ["sex", "city"]}, ["respondent"]),
        ({"source": "clinic.other"}, ["source_name", '"patient"', '"other"']),
    ],
)
def test_another_declaration_is_refused_and_says_what_differs(
    clinic: Connection, changed: dict[str, Any], names: list[str]
) -> None:
    clinic.execute("CREATE TABLE clinic.other (LIKE clinic.patient)")
    with unchanged(clinic):
        said = refused(
            clinic, REGISTER, [*(DECLARED | changed).values()], sqlstate="42710", names=names
        )
    assert "drop_dataset" in (said.message_hint or "")


def test_the_declaration_of_others_says_nothing_of_itself(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    stranger = make_publisher("stranger")
    stranger.execute("CREATE TABLE t (age int, disease text)")
    said = refused(
        stranger,
        REGISTER,
        [*(DECLARED | {"source": "t", "known": ["age"]}).values()],
        sqlstate="42710",
        names=["patients", "another role"],
    )
    assert "city" not in f"{said.message_detail}{said.message_hint}"
