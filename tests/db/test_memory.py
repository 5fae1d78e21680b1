"""Memory: a call that would take too much fails by itself, and the session goes on."""

from __future__ import annotations

from contextlib import suppress

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import declare_people, one, publish
from tests.db.refusal import refused

LIMIT = """
CREATE FUNCTION address_space() RETURNS text LANGUAGE plpython3u AS $$
import resource
return str(resource.getrlimit(resource.RLIMIT_DATA))
$$;
CREATE FUNCTION held() RETURNS int8 LANGUAGE plpython3u AS $$
import resource
with open("/proc/self/statm") as told:
    return int(told.read().split()[5]) * resource.getpagesize()
$$;
CREATE FUNCTION left_to_a_call() RETURNS int8 LANGUAGE plpython3u AS $$
import sys
memory = sys.modules["bkpriv_pl.server.memory"]
with memory.bounded():
    return memory.room()
$$;
CREATE FUNCTION lower_limit(bytes int8) RETURNS void LANGUAGE plpython3u AS $$
import resource
resource.setrlimit(resource.RLIMIT_DATA, (bytes, -1))
$$;
CREATE FUNCTION lower_budget(bytes int8) RETURNS void LANGUAGE plpython3u AS $$
import sys
sys.modules["bkpriv_pl.server.memory"].BUDGET = bytes
$$;
"""

FORGE = """
WITH made AS (
    INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, view_schema,
        view_name, method, policy, requirements, options, records, suppressed, groups, created_by)
    SELECT dataset, owner, 99, source_schema, source_name, view_schema, view_name, method, policy,
        requirements, options, 14000, 0, 1, owner
    FROM bkpriv.release RETURNING release),
labels AS (SELECT array_agg(i::text ORDER BY i) AS all FROM generate_series(1, 14000) AS i),
attributes AS (
    INSERT INTO bkpriv.release_attribute (release, place, attribute, labels, type)
    SELECT release, place, 'a' || place, labels.all, 'text'
    FROM made, labels, generate_series(0, 1) AS place),
content AS (
    INSERT INTO bkpriv.release_content (
        release, codes, group_ids, cells, sensitive_codes, counts, made_from)
    SELECT release, c, array_fill(0, '{14000}'), c, c, array_fill(1::bigint, '{14000}'), '{}'
    FROM made, (SELECT array_agg(i - 1 ORDER BY i) AS c
                FROM generate_series(1, 14000) AS i) AS codes)
SELECT release FROM made
"""
"""A release whose history is small, and whose counts, 14,000 cells times values, take 1.6 GB."""


@pytest.fixture
def measured(clinic: Connection) -> Connection:
    """Superuser's connection to the clinic, with functions about the session's memory."""
    clinic.execute(LIMIT)
    return clinic


def _with_budget(database: Database, budget: int) -> Connection:
    """Session in which a call may take so many bytes, with what calls load loaded."""
    session = database.connect()
    session.execute(JS.encode())
    session.execute("SELECT lower_budget(%s)", [budget])
    return session


def _too_much(measured: Connection, release: int) -> None:
    with measured.transaction(force_rollback=True):
        forged = one(measured, FORGE)
        with measured.transaction(force_rollback=True):
            call = "SELECT * FROM bkpriv.utility(%s)"
            said = refused(measured, call, [forged], sqlstate="53200", names=["4 GB"])
            assert "less at a time" in (said.message_hint or "")
        assert measured.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    assert measured.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release]).fetchall()


@pytest.mark.always
def test_a_call_beyond_the_budget_fails_and_the_session_goes_on(measured: Connection) -> None:
    release = publish(measured)
    before = one(measured, "SELECT address_space()")
    # Allocations that fail are the same in 4 GB, but a machine that tests need not have them.
    measured.execute("SELECT lower_budget(1000000000)")
    _too_much(measured, release)
    assert one(measured, "SELECT address_space()") == before


def test_a_lower_limit_of_the_systems_holds(measured: Connection) -> None:
    release = publish(measured)
    measured.execute("SELECT lower_limit(held() + 1000000000)")
    lowered = one(measured, "SELECT address_space()")
    _too_much(measured, release)
    assert one(measured, "SELECT address_space()") == lowered


def test_the_budget_is_for_one_call_whatever_the_session_holds(measured: Connection) -> None:
    release = publish(measured)
    # Within a call, others keep to its budget: a view that is read calls further functions.
    measured.execute(
        "CREATE FUNCTION takes(bytes int8) RETURNS text LANGUAGE plpython3u AS $$\n"
        "GD['taken'] = bytearray(bytes)\nreturn 'x' $$"
    )
    measured.execute(
        "CREATE VIEW nested AS SELECT takes(500000000) AS a, left_to_a_call()::text AS b "
        f"FROM bkpriv.utility({release})".encode()
    )
    measured.execute("SELECT lower_budget(1000000000)")
    measured.execute("SELECT bkpriv.register_dataset('nested', 'nested', '{a}', 'b')")
    measured.execute("SELECT takes(0)")
    told = measured.execute("SELECT sensitive FROM bkpriv.prior('nested', '1')").fetchall()
    rooms = [int(inside) for (inside,) in told]
    assert rooms, told
    assert all(0 < inside <= 1000000000 - 400000000 for inside in rooms), rooms


def test_the_limit_is_taken_back_whatever_happens(measured: Connection) -> None:
    publish(measured)
    before = one(measured, "SELECT address_space()")
    for statement, sqlstate in (
        ("SELECT * FROM bkpriv.audit(1)", None),
        ("SELECT * FROM bkpriv.audit(99)", "42704"),
        ("SELECT bkpriv.worst_case(array_fill(7, ARRAY[200000, 6]), 9000)", "57014"),
    ):
        measured.execute("SET statement_timeout = '50ms'" if sqlstate == "57014" else "SELECT 1")
        if sqlstate is None:
            measured.execute(statement.encode())
        else:
            with pytest.raises(psycopg.Error) as caught:
                measured.execute(statement.encode())
            assert caught.value.sqlstate == sqlstate
        measured.execute("RESET statement_timeout")
        assert one(measured, "SELECT address_space()") == before


EMD = "SELECT bkpriv.emd('{0.5, 0.5}', '{1, 0}', '{{0, 1}, {1, 0}}')"
JS = "SELECT bkpriv.js_divergence('{0.5, 0.5}', '{1, 0}')"

STARVE = """
CREATE FUNCTION starve(spared int8) RETURNS void LANGUAGE plpython3u AS $$
import os, resource, subprocess
if "rescue" in GD:
    GD.pop("rescue").kill()
limit = -1
if spared is not None:
    # What waits for memory for ever is given all, after a while, for the test to fail by.
    rescue = f"sleep 15 && exec prlimit --pid {os.getpid()} --data=unlimited"
    GD["rescue"] = subprocess.Popen(["/bin/sh", "-c", rescue], stdout=subprocess.DEVNULL)
    with open("/proc/self/statm") as told:
        limit = int(told.read().split()[5]) * resource.getpagesize() + spared
resource.setrlimit(resource.RLIMIT_DATA, (limit, -1))
$$
"""


@pytest.mark.parametrize(
    ("before", "wanted"), [(EMD, 16), (JS, 64), (None, 256)], ids=["loaded", "started", "fresh"]
)
def test_a_starved_session_says_so_at_once_and_goes_on(
    clinic: Connection, database: Database, before: str | None, wanted: int
) -> None:
    # The linear algebra of scipy waits for its memory for ever; that of numpy ends the process.
    clinic.execute(STARVE)
    session = database.connect()
    if before:
        session.execute(before.encode())
    for left in (2, 20, 20, 100) if before else (20, 20, 100):
        session.execute("SELECT starve(%s)", [left * 2**20])
        if left < wanted:
            said = refused(session, EMD, sqlstate="53200", names=["MB to be free"])
            assert "processes more" in (said.message_hint or "")
        else:
            assert one(session, EMD) == 0.5
    session.execute("SELECT starve(NULL)")
    assert one(session, EMD) == 0.5


@pytest.mark.parametrize("left", [256, 500, 1000, 2000, 2160, 4000])
def test_a_session_that_starves_before_anything_is_loaded_says_so(
    clinic: Connection, database: Database, left: int
) -> None:
    clinic.execute(
        STARVE + "; CREATE FUNCTION feed(pid int) RETURNS void LANGUAGE plpython3u AS $$\n"
        "import resource\nresource.prlimit(pid, resource.RLIMIT_DATA, (-1, -1)) $$"
    )
    session = database.connect()
    session.execute("SELECT starve(%s)", [left * 2**10])
    refused(session, EMD, sqlstate="53200", names=["bkpriv: "])
    clinic.execute("SELECT feed(%s)", [session.info.backend_pid])
    assert one(session, EMD) == 0.5


def test_a_call_within_one_that_took_all_is_refused(clinic: Connection, database: Database) -> None:
    # A function of a view takes what the call that reads the view may have, and calls another.
    clinic.execute(LIMIT)
    clinic.execute(
        """
        CREATE FUNCTION greedy() RETURNS int LANGUAGE plpgsql AS $$
        DECLARE
            kept text[] := '{}';
        BEGIN
            FOR i IN 1..400 LOOP
                kept := kept || repeat('x', 1000000);
            END LOOP;
            RETURN 2 * bkpriv.emd('{0.5, 0.5}', '{1, 0}', '{{0, 1}, {1, 0}}') + cardinality(kept);
        END $$;
        CREATE VIEW greed AS SELECT i % 2 AS a, greedy() AS b FROM generate_series(1, 4) AS i
        """
    )
    session = database.connect()
    session.execute(JS.encode())
    session.execute("SELECT lower_budget(300000000)")
    call = "SELECT bkpriv.register_dataset('greed', 'greed', '{a}', 'b')"
    refused(session, call, sqlstate="53200", names=["MB"])
    session.execute("SELECT lower_budget(4000000000)")
    assert one(session, EMD) == 0.5


WIDE = "repeat('x', 4000000) || chr(128512)"
"""SQL of a text that takes four times as many bytes in Python, for one of its characters."""


@pytest.mark.parametrize(
    ("made", "call"),
    [
        (
            f"CREATE TABLE levels AS SELECT i || {WIDE} AS a, '*' AS b "
            "FROM generate_series(1, 3) AS i",
            "SELECT bkpriv.set_hierarchy('patients', 'sex', 'levels')",
        ),
        (
            # What a superuser or a dump brought may be unchecked.
            "ALTER TABLE bkpriv.dataset DROP CONSTRAINT dataset_texts; "
            f"UPDATE bkpriv.dataset SET respondent = {WIDE}",
            "SELECT bkpriv.drop_dataset('patients')",
        ),
        (
            f"CREATE TABLE wide AS SELECT i AS a, i || {WIDE} AS b FROM generate_series(1, 3) AS i;"
            "SELECT bkpriv.register_dataset('wide', 'wide', '{a}', 'b')",
            "SELECT * FROM bkpriv.prior('wide', '1')",
        ),
    ],
    ids=["list", "row", "source"],
)
def test_values_beyond_the_memory_of_a_call_end_neither_session_nor_server(
    clinic: Connection, database: Database, made: str, call: str
) -> None:
    # PL/Python does not look whether a value of a row could be made: the process would end.
    clinic.execute(STARVE)
    clinic.execute(made.encode())
    session = database.connect()
    session.execute(JS.encode())
    session.execute("SELECT * FROM bkpriv.prior('patients', '1')").fetchall()
    said = []
    for left in (17, 24, 32, 48, 64, 96):
        session.execute("SELECT starve(%s)", [left * 2**20])
        with session.transaction(force_rollback=True):
            try:
                session.execute(call.encode()).fetchall()
            except psycopg.Error as error:
                said.append(error)
        session.execute("SELECT starve(NULL)")
    assert {error.sqlstate for error in said} <= {"53200", "54000"}, said
    assert session.execute("SELECT 1").fetchall() == [(1,)]
    assert clinic.execute("SELECT 1").fetchall() == [(1,)]


QUERY = "SELECT actual FROM bkpriv.query_accuracy(1, 'SELECT count(*) FROM patients')"


def test_history_is_not_sent_beyond_the_memory_of_a_call(
    clinic: Connection, database: Database
) -> None:
    publish(clinic)
    clinic.execute(LIMIT)
    clinic.execute(
        "ALTER TABLE bkpriv.release_attribute DISABLE TRIGGER USER; "
        "UPDATE bkpriv.release_attribute SET labels[1] = repeat('x', 40000000) WHERE place = 0"
    )
    session = database.connect()
    session.execute(JS.encode())
    audit = "SELECT worst FROM bkpriv.audit(1)"
    assert session.execute(audit.encode()).fetchall()
    session.execute("SELECT lower_budget(200000000)")
    refused(session, audit, sqlstate="53200", names=["may need 228 MB"])


def test_of_several_releases_what_is_sent_at_once_is_asked_for_at_once(
    clinic: Connection, database: Database
) -> None:
    declare_people(clinic)
    both = [publish(clinic, "people", view=view) for view in ("shown", "again")]
    clinic.execute(LIMIT)
    clinic.execute(
        "ALTER TABLE bkpriv.release_attribute DISABLE TRIGGER USER; "
        "UPDATE bkpriv.release_attribute AS a SET labels[1] = repeat('x', 20000000) "
        "WHERE place = (SELECT max(place) FROM bkpriv.release_attribute WHERE release = a.release)"
    )
    session = _with_budget(database, 200000000)
    names = ["may need 228 MB"]
    refused(
        session, "SELECT * FROM bkpriv.audit_together(%s)", [both], sqlstate="53200", names=names
    )


@pytest.mark.always
def test_hierarchies_are_not_sent_beyond_the_memory_of_a_call(
    clinic: Connection, database: Database
) -> None:
    clinic.execute(LIMIT)
    clinic.execute(
        "INSERT INTO bkpriv.hierarchy (dataset, attribute, levels) SELECT 'patients', attribute, "
        "array_fill('a'::text, '{400000,2}') FROM unnest('{age,sex,none}'::text[]) AS attribute"
    )
    session = _with_budget(database, 200000000)
    prior = "SELECT * FROM bkpriv.prior('patients', '0.3')"
    said = refused(session, prior, sqlstate="54000", names=["patients"])
    assert "need 2" in (said.message_detail or "")
    # What is said of a column that the dataset does not have is not read.
    clinic.execute("DELETE FROM bkpriv.hierarchy WHERE attribute IN ('age', 'sex')")
    assert session.execute(prior.encode()).fetchall()


@pytest.mark.parametrize("left", [17, 34, 66])
def test_what_is_loaded_by_a_starved_call_is_loaded_whole_or_later(
    clinic: Connection, database: Database, left: int
) -> None:
    publish(clinic)
    clinic.execute(STARVE)
    session = database.connect()
    session.execute(JS.encode())
    for call in (EMD, QUERY):
        session.execute("SELECT starve(%s)", [left * 2**20])
        with suppress(psycopg.errors.OutOfMemory):
            session.execute(call.encode())
        session.execute("SELECT starve(NULL)")
        assert session.execute(call.encode()).fetchall()


def test_both_libraries_of_linear_algebra_have_their_memory_from_the_start(
    clinic: Connection, database: Database
) -> None:
    clinic.execute(
        """
        CREATE FUNCTION multiplied() RETURNS int8 LANGUAGE plpython3u AS $$
        import resource
        import numpy
        from scipy.linalg import blas
        def held():
            with open("/proc/self/statm") as told:
                return int(told.read().split()[5]) * resource.getpagesize()
        factor = numpy.ones((64, 64))
        before = held()
        factor @ factor, blas.dgemm(1.0, factor, factor)
        return held() - before
        $$
        """
    )
    session = database.connect()
    session.execute(JS.encode())
    assert one(session, "SELECT multiplied()") < 2**20
