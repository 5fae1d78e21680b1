"""Memory: a call that would take too much fails by itself, and the session goes on."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish
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
CREATE FUNCTION lower_limit(bytes int8) RETURNS void LANGUAGE plpython3u AS $$
import resource
resource.setrlimit(resource.RLIMIT_DATA, (bytes, -1))
$$;
CREATE FUNCTION lower_budget(bytes int8) RETURNS void LANGUAGE plpython3u AS $$
import sys
sys.modules["bkpriv_pl.memory"].BUDGET = bytes
$$;
"""

FORGE = """
WITH made AS (
    INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, view_schema,
        view_name, method, policy, requirements, options, records, suppressed, groups)
    SELECT dataset, owner, 99, source_schema, source_name, view_schema, view_name, method, policy,
        requirements, options, 14000, 0, 1
    FROM bkpriv.release RETURNING release),
labels AS (SELECT array_agg(i::text ORDER BY i) AS all FROM generate_series(1, 14000) AS i),
attributes AS (
    INSERT INTO bkpriv.release_attribute (release, place, attribute, labels, type)
    SELECT release, place, 'a' || place, labels.all, 'text'
    FROM made, labels, generate_series(0, 1) AS place),
content AS (
    INSERT INTO bkpriv.release_content
    SELECT release, c, array_fill(0, '{14000}'), c, c, array_fill(1::bigint, '{14000}')
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


def _too_much(measured: Connection, release: int) -> None:
    with measured.transaction(force_rollback=True):
        forged = one(measured, FORGE)
        with measured.transaction(force_rollback=True):
            call = "SELECT * FROM bkpriv.utility(%s)"
            said = refused(measured, call, [forged], sqlstate="53200", names=["4 GB"])
            assert "less at a time" in (said.message_hint or "")
        assert measured.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    assert measured.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release]).fetchall()


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
        f"CREATE VIEW nested AS SELECT 1 AS a, address_space() AS b "
        f"FROM bkpriv.utility({release})".encode()
    )
    measured.execute("SELECT bkpriv.register_dataset('nested', 'nested', '{a}', 'b')")
    told = measured.execute("SELECT sensitive FROM bkpriv.prior('nested', '1')").fetchall()
    ((inside,),) = set(told)
    soft = int(inside.strip("()").split(",")[0])
    assert 0 < soft - one(measured, "SELECT held()") <= 4 * 2**30


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
