"""A thousand bad calls: each fails as PostgreSQL does, none by a Python error; nothing stays."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass

import psycopg
import pytest

from tests.conftest import EXTENDED, Connection, Database
from tests.db.clinic import declare_own, one, publish, state_policy
from tests.db.fuzzing import Call, draw_call, public_functions
from tests.db.refusal import unchanged

SEED = 20240608

CALLS = 6300 if EXTENDED else 700
"""Calls, of which more than a quarter fail: more than a thousand."""

ALLOWED = re.compile("22...|25...|42...|54...|0A000|2BP01|3F000|53200|55000|57014")
"""SQLSTATEs: what is wrong with data, arguments, names and rights, states and limits."""

PYTHON = re.compile(
    r"Traceback|plpy|spiexceptions|[a-z]Error\b|Exception\b|NoneType|numpy|<class|<built-in"
    r"|\{'|(?<!ARRAY)\['|\(\d+,\)|\bNone\b|\bTrue\b|\bFalse\b|\bnp\."
)
"""Words of Python that no message, detail or hint may hold."""

FRAME = re.compile(r'^  PL/Python function ".*", line \d+, in (.+)$', re.MULTILINE)
"""Frames of Python in an error's context: PL/Python's own is all that is unavoidable."""

ODD_TABLES = """
CREATE TABLE person AS
    SELECT i AS id, i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 60) AS i;
CREATE TABLE b_levels AS
    SELECT b::text, CASE WHEN b < 3 THEN 'low' ELSE 'high' END AS up, '*' AS top
    FROM generate_series(0, 6) AS b;
CREATE SEQUENCE own_seq;
CREATE INDEX own_index ON own (a);
CREATE VIEW odd_view AS SELECT a, b, 1 / (a - a) AS n FROM own;
CREATE VIEW failing AS SELECT a, b, 1.0 AS probability FROM own;
CREATE TABLE empty (a int, b int);
CREATE TABLE nameless ();
CREATE TABLE nulls AS SELECT NULL::int AS a, NULL::text AS b FROM generate_series(1, 9);
CREATE TABLE wild AS SELECT CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN 1e400 WHEN 2 THEN 1e-400 WHEN 3
    THEN 'Infinity' ELSE -5 END::numeric AS a, CASE i % 3 WHEN 0 THEN '5874897-12-31' WHEN 1 THEN
    'infinity' ELSE '4713-01-01 BC' END::date AS b, '{}'::json AS j, '(1,2)'::point AS n,
    repeat('x', 3000) || i % 3 AS t FROM generate_series(1, 60) AS i;
CREATE TABLE one AS SELECT 1 AS a, 'x' AS b;
CREATE TABLE towns AS SELECT 'town ' || i % 40 AS a, i % 7 AS b FROM generate_series(1, 200) AS i;
CREATE TABLE same AS SELECT 1 AS a, 'x' AS b FROM generate_series(1, 30);
CREATE TABLE dropped AS SELECT a, b, a AS c FROM own;
CREATE TABLE prior_odd AS SELECT a, b::text AS value, 'NaN'::float8 AS probability FROM own;
"""

WIDE = "CREATE TABLE wide AS SELECT {}, i % 3 AS b FROM generate_series(1, 30) AS i"


@dataclass(frozen=True)
class People:
    """Callers, and a superuser who looks at the outcome."""

    publisher: Connection
    auditor: Connection
    superuser: Connection


@pytest.fixture(scope="module")
def people(shared_database: Database, shared_db: Connection, make_role: object) -> People:
    """A publisher with datasets, odd tables and releases, and an auditor."""
    assert callable(make_role)
    connections = []
    for label in ("publisher", "auditor"):
        role = make_role(label)
        shared_db.execute(f"SELECT bkpriv.grant_{label}(%s)".encode(), [role])
        shared_db.execute(f'CREATE SCHEMA AUTHORIZATION "{role}"'.encode())
        connections.append(shared_database.connect(role))
    publisher, auditor = connections
    role = publisher.info.user
    shared_db.execute(f'CREATE SCHEMA fuzz AUTHORIZATION "{role}"'.encode())
    declare_own(publisher)
    publisher.execute(ODD_TABLES)
    publisher.execute(WIDE.format(", ".join(f"i % 3 AS c{i}" for i in range(1500))).encode())
    for source, columns in (
        *(("wild", "'{a,t}', 'b'"), ("days", "'{b}', 'a'"), ("nulls", "'{a}', 'b'")),
        *(("empty", "'{a}', 'b'"), ("failing", "'{a,probability}', 'b'"), ("one", "'{a}', 'b'")),
        *(("same", "'{a}', 'b'"), ("dropped", "'{a,c}', 'b'"), ("towns", "'{a}', 'b'")),
    ):
        relation = "wild" if source == "days" else source
        register = f"SELECT bkpriv.register_dataset('{source}', '{relation}', {columns})"
        publisher.execute(register.encode())
    publisher.execute("ALTER TABLE dropped DROP c")
    # Registration reads a source, and one that fails is not registered.
    failing = "SELECT a, b, 1.0 / (a - a) AS probability FROM own"
    publisher.execute(f"CREATE OR REPLACE VIEW failing AS {failing}".encode())
    publisher.execute("SELECT bkpriv.register_dataset('unused', 'own', '{a}', 'b')")
    publisher.execute("SELECT bkpriv.register_dataset('own_people', 'person', '{a}', 'b', 'id')")
    # Most methods can publish by it.
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}, "beta_likeness": {"beta": 6}})
    state_policy(publisher, "diverse", {"l_diversity": {"l": 2}})
    state_policy(publisher, "beliefs", {"bt_privacy": [{"bandwidth": 0.5, "t": 0.9}]})
    publish(publisher, "mine", "p", "shown")
    publish(publisher, "mine", "diverse", "anatomized", method="anatomy")
    publish(publisher, "own_people", "p", "people")
    publisher.execute("SELECT bkpriv.set_sequential_knowledge('own_people', 'known', 'constant')")
    publish(publisher, "mine", "p", "bucketized", method="bucketize")
    gone = publish(publisher, "unused", "p", "gone")
    publisher.execute("SELECT bkpriv.withdraw(%s, 'for the test')", [gone])
    state_policy(publisher, "told", {"max_disclosure": {"tau": 0.9}})
    publish(publisher, "mine", "told", "drawn", {"scheme": "rr-both"}, "randomize")
    assert publish(publisher, "own_people", "p", "people") == 7
    for dataset in ("mine", "own_people", "unused"):
        publisher.execute("SELECT bkpriv.set_interval_hierarchy(%s, 'a', '{3,6}')", [dataset])
    shared_db.execute("CREATE TABLE public.own AS SELECT 1 AS a, 2 AS b")
    shared_db.execute("SELECT bkpriv.register_dataset('superusers', 'public.own', '{a}', 'b')")
    for connection in (*connections, shared_db):
        connection.execute("SET statement_timeout = '5s'")
    return People(publisher, auditor, shared_db)


def _outcome(connection: Connection, call: Call) -> psycopg.errors.Diagnostic | None:
    """Run a call; return what it failed by, None if it did not."""
    try:
        connection.execute(call.statement.encode(), call.values).fetchall()
    except psycopg.Error as error:
        return error.diag
    return None


def _complaint(said: psycopg.errors.Diagnostic) -> str | None:
    """Describe what is wrong about an error; None if nothing is."""
    message = said.message_primary or ""
    if not ALLOWED.fullmatch(said.sqlstate or ""):
        return f"SQLSTATE {said.sqlstate}"
    if PYTHON.search(" ".join(filter(None, (message, said.message_detail, said.message_hint)))):
        return "Python"
    by_python = "PL/Python function" in (said.context or "")
    if by_python and not message.startswith("bkpriv: "):
        return "no name"
    # Python 3.10 keeps the frame that the error is raised anew in.
    if by_python and not set(FRAME.findall(said.context or "")) <= {"<module>", "called"}:
        return "trace"
    return None


def test_a_thousand_bad_calls_are_refused_as_such(people: People) -> None:
    draw = random.Random(SEED)
    callers = [people.publisher] * 3 + [people.auditor]
    functions = {caller: public_functions(caller) for caller in callers}
    assert len(functions[people.publisher]) > 25
    # Those that only a superuser may call are called by one, and seldom: they are about roles.
    callers = callers * 8 + [people.superuser]
    others = set(public_functions(people.superuser)) - set(functions[people.publisher])
    functions[people.superuser] = sorted(others, key=lambda item: item.name)
    failed: list[tuple[Connection, Call, str | None]] = []
    fine: Counter[str] = Counter()
    complaints = []
    called = {item.name for known in functions.values() for item in known}
    number = 0
    while number < CALLS or (EXTENDED and set(fine) != called and number < 2 * CALLS):
        caller = callers[number % len(callers)]
        left = [item for item in functions[caller] if item.name not in fine]
        call = draw_call(draw.choice((number >= CALLS and left) or functions[caller]), draw)
        number += 1
        with caller.transaction(force_rollback=True):
            said = _outcome(caller, call)
        if said is None:
            fine[call.function] += 1
            continue
        failed.append((caller, call, said.sqlstate))
        complaint = _complaint(said)
        if complaint is not None:
            told = f"{said.sqlstate} {said.message_primary} / {said.message_detail}"[:400]
            complaints.append(f"{complaint}: {call.statement} {call.values} -> {told}"[:900])
    assert not complaints, f"{len(complaints)}:\n" + "\n".join(complaints[:40])
    assert len(failed) > CALLS / 4
    # What is called is not refused for its form alone.
    assert len(fine) > len(called) / 2
    assert set(fine) == called or not EXTENDED
    with unchanged(people.superuser):
        for caller, call, sqlstate in failed:
            said = _outcome(caller, call)
            assert said is not None, call
            assert said.sqlstate == sqlstate, call
    for caller in (people.publisher, people.auditor):
        assert one(caller, "SELECT current_setting('application_name')") == ""
