"""Odd input: what a person might send, or an attacker, is refused with what is wrong about it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until_blocked

pytestmark = pytest.mark.rolled_back

DEEP = '{"a":' * 1000 + "1" + "}" * 1000


@pytest.mark.parametrize(
    ("statement", "sqlstate", "names"),
    [
        (f"set_policy('x', '{DEEP}')", "22023", ["requirements", "1000 levels"]),
        (f"prior('patients', '{DEEP}')", "22023", ["bandwidth", "1000 levels"]),
        (f"publish('patients', 'plain', 'v', options => '{DEEP}')", "22023", ["options"]),
        (
            "set_policy('x', '{\"t_closeness\": {\"t\": 1e-400}}')",
            "22023",
            ["requirements", "1e-400"],
        ),
        ("set_policy('x', '{\"k_anonymity\": {\"k\": 1e400}}')", "22023", ["1e+400"]),
        ("prior('patients', '1e-400')", "22023", ["bandwidth", "1e-400"]),
        (
            "register_dataset('x', 'clinic.patient', '{{age,sex},{city,age}}', 'disease')",
            "22023",
            ["several dimensions"],
        ),
        ("register_dataset('x', 0::regclass, '{age}', 'disease')", "42P01", ["-"]),
        ("register_dataset('x', 4294967295::regclass, '{age}', 'b')", "42P01", ["4294967295"]),
        ("set_hierarchy('patients', 'sex', 0::regclass)", "42P01", ["-"]),
        ("set_interval_hierarchy('patients', 'age', '{1e400}')", "22023", ["age", "e+400"]),
        ("set_interval_hierarchy('patients', 'age', '{1e-400}')", "22023", ["age", "1e-400"]),
        ("set_interval_hierarchy('patients', 'age', '{5}', 1e400)", "22023", ["age", "e+400"]),
        ("set_interval_hierarchy('patients', 'age', '{1e5000}')", "22023", ["age"]),
        (
            f"set_interval_hierarchy('patients', 'age', '{{1.{'0' * 5000}1}}')",
            "22023",
            ["age", "1000 digits"],
        ),
        (
            f"register_dataset('x', 'clinic.patient', ARRAY{[f'c{i}' for i in range(420)]}, 'b')",
            "54000",
            ["420"],
        ),
        ("max_disclosure(1, 1, NULL)", "42704", ["1"]),
    ],
)
def test_what_was_a_python_error(
    shared_clinic: Connection, statement: str, sqlstate: str, names: list[str]
) -> None:
    with unchanged(shared_clinic):
        call = f"SELECT * FROM bkpriv.{statement}"
        refused(shared_clinic, call, sqlstate=sqlstate, names=names)


def test_a_role_must_be_there(shared_clinic: Connection) -> None:
    for function in ("grant_publisher", "grant_auditor", "grant_watcher", "revoke_jobs"):
        for role in ("NULL", "0::regrole", "4294967295::regrole"):
            with pytest.raises(psycopg.errors.InvalidParameterValue, match="no role") as caught:
                shared_clinic.execute(f"SELECT bkpriv.{function}({role})".encode())
            assert caught.value.diag.message_detail
            assert caught.value.diag.message_hint


def test_values_in_messages_are_written_as_in_json(shared_clinic: Connection) -> None:
    call = "SELECT bkpriv.set_policy('x', %s)"
    said = refused(
        shared_clinic,
        call,
        [Jsonb({"k_anonymity": {"k": 3, "b": None}})],
        sqlstate="22023",
    )
    assert said.message_detail == 'It is {"b": null, "k": 3}.'
    said = refused(
        shared_clinic, "SELECT bkpriv.prior('patients', '{\"age\": 0.3}')", sqlstate="22023"
    )
    assert said.message_detail == 'It is {"age": 0.3}.'
    state_policy(shared_clinic, "strict", {"bt_privacy": [{"bandwidth": {"age": 0.1}, "t": 0}]})
    long = Jsonb({"x": "y" * 100_000})
    said = refused(shared_clinic, call, [long], sqlstate="22023")
    assert len(said.message_detail or "") < 1000


def test_long_input_is_neither_read_for_long_nor_told_again(shared_clinic: Connection) -> None:
    lists = "SELECT bkpriv.set_policy('x', jsonb_build_object('k_anonymity', to_jsonb(%s::int[])))"
    said = refused(
        shared_clinic, lists, [[0] * 1_400_000], sqlstate="54000", names=["requirements"]
    )
    assert "4000000" in (said.message_detail or "")
    name = "SELECT bkpriv.audit_readers(repeat('x', 1000000))"
    said = refused(shared_clinic, name, sqlstate="42704")
    assert len(said.message_primary or "") < 11_000


def test_a_view_that_calls_what_reads_it_ends(db: Connection) -> None:
    db.execute(
        "CREATE FUNCTION again(a int) RETURNS int LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM count(*) FROM bkpriv.inspect_columns('public.endless'); RETURN a; END $$;"
        "CREATE VIEW public.endless AS SELECT again(a) AS a, a AS b FROM generate_series(1, 3) AS a"
    )
    with unchanged(db):
        said = refused(
            db, "SELECT * FROM bkpriv.inspect_columns('public.endless')", sqlstate="54001"
        )
        assert said.message_primary == "bkpriv: calls are nested too deep"


@pytest.mark.parametrize("value", ["1e400", "1e-400", "-1e400"])
def test_a_number_beyond_double_precision_names_its_column(db: Connection, value: str) -> None:
    db.execute(
        f"CREATE TABLE t AS SELECT CASE WHEN i % 2 = 0 THEN {value} ELSE 1.5 END AS a, i % 3 AS b "
        "FROM generate_series(1, 60) AS i".encode()
    )
    db.execute("SELECT bkpriv.register_dataset('d', 't', '{a}', 'b')")
    state_policy(db, "p", {"k_anonymity": {"k": 5}})
    with unchanged(db):
        for call in ("prior('d', '0.3')", "publish('d', 'p', 'v')", "lattice('d', 'p')"):
            said = refused(db, f"SELECT * FROM bkpriv.{call}", sqlstate="22000", names=['"a"'])
            assert len(said.message_detail or "") < 300


def test_the_largest_date_names_its_column(db: Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT date '5874897-12-31' - i % 10 AS a, i % 3 AS b "
        "FROM generate_series(1, 90) AS i"
    )
    db.execute("SELECT bkpriv.register_dataset('d', 't', '{a}', 'b')")
    state_policy(db, "p", {"k_anonymity": {"k": 20}, "l_diversity": {"l": 2}})
    with unchanged(db):
        for method in ("mondrian", "incognito"):
            refused(
                db,
                "SELECT bkpriv.publish('d', 'p', 'v', %s)",
                [method],
                sqlstate="22000",
                names=['"a"', "5874897-12-31"],
            )
    # The one before is no trouble, and exact values never are.
    publish(db, "d", "p", "exact", method="bucketize")
    assert one(db, "SELECT max(a)::text FROM exact") == "5874897-12-31"
    db.execute("DELETE FROM t WHERE a = '5874897-12-31'")
    publish(db, "d", "p", "v")
    assert one(db, "SELECT max(upper(a))::text FROM v") == "5874897-12-31"


@pytest.mark.parametrize(
    "method", ["mondrian", pytest.param("bucketize", marks=pytest.mark.extended)]
)
def test_as_many_quasi_identifiers_as_are_allowed(db: Connection, method: str) -> None:
    names = [f"c{i}" for i in range(400)]
    columns = ", ".join(f"i % {place % 2 + 2} AS {name}" for place, name in enumerate(names))
    db.execute(f"CREATE TABLE t AS SELECT {columns}, i % 5 AS b FROM generate_series(1, 60) AS i")
    db.execute("SELECT bkpriv.register_dataset('d', 't', %s, 'b')", [names])
    state_policy(db, "p", {"k_anonymity": {"k": 5}})
    release = publish(db, "d", "p", "v", method=method)
    assert one(db, "SELECT count(*) FROM v") == 60
    assert db.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release]).fetchall() == [(True,)]


@pytest.mark.parametrize(
    "call",
    [
        "publish('patients', 'plain', 'v')",
        "register_dataset('x', 'clinic.patient', '{age}', 'disease')",
        "set_policy('x', '{\"k_anonymity\": {\"k\": 5}}')",
        "set_hierarchy('patients', 'city', 'clinic.city_levels')",
        "set_interval_hierarchy('patients', 'age', '{5}')",
        "drop_dataset('patients')",
    ],
)
def test_a_transaction_that_may_not_write(shared_clinic: Connection, call: str) -> None:
    with shared_clinic.transaction(force_rollback=True):
        shared_clinic.execute("SET TRANSACTION READ ONLY")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction) as caught:
            shared_clinic.execute(f"SELECT bkpriv.{call}".encode())
    said = caught.value.diag
    assert (said.message_primary or "").startswith("bkpriv: cannot execute")
    assert "may write" in (said.message_hint or "")


def test_an_error_of_the_servers_keeps_its_parts(db: Connection) -> None:
    db.execute(
        """
        CREATE FUNCTION harm() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'no %', 'luck' USING ERRCODE = 'XY123', DETAIL = 'It rains.',
                HINT = 'Wait.', TABLE = 'weather', COLUMN = 'sky'; END $$;
        CREATE VIEW v AS SELECT 1 AS a, 1 AS b FROM generate_series(1, 9);
        SELECT bkpriv.register_dataset('d', 'v', '{a}', 'b');
        CREATE OR REPLACE VIEW v AS SELECT harm() AS a, 1 AS b FROM generate_series(1, 9);
        """
    )
    with pytest.raises(psycopg.Error) as caught:
        db.execute("SELECT * FROM bkpriv.prior('d', '0.3')")
    said = caught.value.diag
    assert said.message_primary == "bkpriv: no luck"
    assert (said.sqlstate, said.message_detail, said.message_hint) == (
        *("XY123", "It rains.", "Wait."),
    )
    assert (said.table_name, said.column_name) == ("weather", "sky")


@pytest.mark.parametrize("own", [True, False])
def test_two_calls_that_race_for_one_name(
    db: Connection, database: Database, make_publisher: Callable[..., Connection], own: bool
) -> None:
    first = make_publisher("first")
    second = database.connect(first.info.user) if own else make_publisher("second")
    for connection in {first.info.user: first, second.info.user: second}.values():
        connection.execute(
            "CREATE TABLE t AS SELECT i % 5 AS a, 1 AS b FROM generate_series(1, 9) AS i"
        )
    register = "SELECT bkpriv.register_dataset('{}', 't', '{{{}}}', '{}')".format
    policy = "SELECT bkpriv.set_policy('name', '{\"k_anonymity\": {\"k\": 5}}')"
    races = [
        (register("name", "a", "b"), register("name", "b", "a"), "42710"),
        (register("same", "a", "b"), register("same", "a", "b"), None if own else "42710"),
        (policy, policy, None if own else "42501"),
    ]
    for call, late, sqlstate in races:
        with ThreadPoolExecutor() as pool:
            with first.transaction():
                first.execute(call.encode())
                other = pool.submit(second.execute, late.encode())
                until_blocked(db, second.info.backend_pid)
            error = other.exception()
        if sqlstate is None:
            assert error is None
            continue
        assert isinstance(error, psycopg.Error)
        assert error.sqlstate == sqlstate
        assert (error.diag.message_primary or "").startswith("bkpriv: ")
        told = error.diag.message_detail or ""
        assert (f'"{first.info.user}"' in told) == own
        assert ("another role" in told) != own


def test_what_is_refused_for_another_reason_is_not_about_the_views_owner(
    clinic: Connection,
) -> None:
    clinic.execute(
        """
        CREATE FUNCTION deny() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'permission denied for tablespace slow'
                USING ERRCODE = 'insufficient_privilege'; END $$;
        CREATE EVENT TRIGGER deny ON ddl_command_start WHEN TAG IN ('CREATE VIEW')
            EXECUTE FUNCTION deny();
        """
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
        publish(clinic)
    said = caught.value.diag.message_primary
    assert said == "bkpriv: permission denied for tablespace slow"


def test_the_hint_to_audit_exactly_can_be_followed(clinic: Connection) -> None:
    # Eight values in groups too large for any lattice.
    clinic.execute(
        "CREATE TABLE big AS SELECT i % 97 AS a, (i * i / 7 + i / 97) % 12 AS b "
        "FROM generate_series(1, 4000) AS i"
    )
    clinic.execute("SELECT bkpriv.register_dataset('big', 'big', '{a}', 'b')")
    state_policy(
        clinic, "big", {"k_anonymity": {"k": 900}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.9}]}
    )
    release = publish(clinic, "big", "big", "big_view", {"estimator": "bethe"})
    advice = "SELECT advice FROM bkpriv.verdict(%s) WHERE what LIKE 'estimated: bt_privacy%%'"
    said = one(clinic, advice, [release])
    assert "less strict policy" in said
    assert "estimator => 'exact'" not in said
    error = refused(
        clinic,
        "SELECT * FROM bkpriv.audit(%s, estimator => 'exact')",
        [release],
        sqlstate="54000",
    )
    assert "less strict policy" in (error.message_hint or "")
