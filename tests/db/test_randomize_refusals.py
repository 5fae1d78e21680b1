"""Randomized releases that cannot be, and odd tables that can."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_randomize import BOTH, coarse, draw

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

__all__ = ["coarse"]

PUBLISH = "SELECT bkpriv.publish('patients', %s, 'drawn', 'randomize', options => %s)"


@pytest.mark.parametrize(
    ("requirements", "options", "sqlstate", "names"),
    [
        ({"max_disclosure": {"tau": 0.0001}}, BOTH, "22023", ["0.0001", "best attainable"]),
        ({"max_disclosure": {"tau": 0.3}}, {}, "22023", ["scheme"]),
        ({"l_diversity": {"l": 2}}, BOTH, "22023", ["l_diversity", "groups"]),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_no_trace(
    coarse: Connection,
    requirements: dict[str, Any],
    options: dict[str, Any],
    sqlstate: str,
    names: list[str],
) -> None:
    state_policy(coarse, "p", requirements)
    with unchanged(coarse):
        refused(coarse, PUBLISH, ["p", Jsonb(options)], sqlstate=sqlstate, names=names)


def test_a_policy_without_max_disclosure_is_refused(coarse: Connection) -> None:
    state_policy(coarse, "p", {"query_error": {"median": 1}, "max_disclosure": {"tau": 0.99}})
    with unchanged(coarse):
        said = refused(coarse, PUBLISH, ["plain", '{"scheme": "rr-qi"}'], sqlstate="22023")
        assert "max_disclosure" in (said.message_hint or "")


def test_homogeneous_cells_are_named_where_only_the_sensitive_value_is_drawn(
    db: Connection,
) -> None:
    db.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 3 % 2 AS b FROM generate_series(1, 90) i")
    db.execute("SELECT bkpriv.register_dataset('patients', 't', '{a}', 'b')")
    state_policy(db, "drawn", {"max_disclosure": {"tau": 0.5}})
    with unchanged(db):
        refused(
            db, PUBLISH, ["drawn", '{"scheme": "rr-s"}'], sqlstate="22023", names=["rr-s", '"a"']
        )


def test_attributes_of_one_value(db: Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT 1 AS a, i % 4 AS c, i % 2 AS b FROM generate_series(1, 80) i"
    )
    db.execute("SELECT bkpriv.register_dataset('patients', 't', '{a,c}', 'b')")
    draw(db, 0.3)
    channels = "SELECT retention, flip_probability FROM drawn_randomization WHERE attribute = 'a'"
    assert db.execute(channels).fetchall() == [(1, 0)]
    assert one(db, "SELECT array_agg(DISTINCT a) FROM drawn") == [1]
    assert one(db, "SELECT parameters->'epsilon'->'a' FROM bkpriv.audits") == 0
    db.execute("UPDATE t SET b = 1")
    with unchanged(db):
        refused(db, PUBLISH, ["drawn", '{"scheme": "rr-both"}'], sqlstate="22000", names=['"b"'])


def test_everything_is_kept_where_nearly_everything_may_be_told(coarse: Connection) -> None:
    draw(coarse, 0.999)
    query = "SELECT lower(age), sex, city, disease FROM drawn"
    shown = Counter(coarse.execute(query).fetchall())
    query = "SELECT age / 50 * 50, sex, city, disease FROM clinic.patient"
    assert shown == Counter(coarse.execute(query).fetchall())


def test_a_cancelled_publication_leaves_no_trace(db: Connection, database: Database) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i * 7919 % 97 AS age, i * 104729 % 89 AS hours, "
        "i * 1299709 % 13 AS class, i * 31 % 12 AS secret FROM generate_series(1::bigint, 60000) i;"
        "SELECT bkpriv.register_dataset('patients', 't', '{age,hours,class}', 'secret')"
    )
    state_policy(db, "drawn", {"max_disclosure": {"tau": 0.3}})
    other = database.connect()
    other.execute("SET statement_timeout = '2s'")
    with unchanged(db), pytest.raises(psycopg.errors.QueryCanceled):
        other.execute(PUBLISH, ["drawn", '{"scheme": "rr-both"}'])


@pytest.mark.parametrize("nulls", ["error", "category"])
def test_null_is_a_value_like_others(coarse: Connection, nulls: str) -> None:
    coarse.execute("UPDATE clinic.patient SET city = NULL WHERE city = 'Aln'")
    state_policy(coarse, "drawn", {"max_disclosure": {"tau": 0.3}})
    if nulls == "error":
        refused(coarse, PUBLISH, ["drawn", '{"scheme": "rr-both"}'], sqlstate="22004")
        return
    draw(coarse, nulls="category")
    kept = (
        "SELECT retention < 1 FROM drawn_randomization WHERE attribute = 'city' AND value IS NULL"
    )
    assert coarse.execute(kept).fetchall() == [(True,)]
    assert one(coarse, "SELECT count(*) FROM drawn WHERE city IS NULL") > 0


def test_columns_may_be_called_like_those_of_the_companion(db: Connection) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT i % 4 AS value, i % 5 AS attribute, i % 2 AS retention "
        "FROM generate_series(1, 80) i"
    )
    db.execute("SELECT bkpriv.register_dataset('patients', 't', '{value,attribute}', 'retention')")
    draw(db)
    names = "SELECT DISTINCT attribute FROM drawn_randomization ORDER BY 1"
    assert [name for (name,) in db.execute(names).fetchall()] == ["attribute", "retention", "value"]
