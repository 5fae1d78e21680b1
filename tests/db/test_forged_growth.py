"""Releases that no publication recorded, where others grow from them or are judged beside them."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import create_clinic, fill, one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_forged_history import COLUMNS, RESPONDENTS, forge
from tests.db.test_growing import GROWING, admit, grow, some_of
from tests.db.test_memory import LIMIT

pytestmark = pytest.mark.pooled

EXPLAIN = "SELECT * FROM bkpriv.explain_suppressed(%s)"

GROW = "SELECT bkpriv.publish('people', 'plain', 'public.people', options => %s)"


@pytest.fixture
def grown(db: Connection) -> Connection:
    """Release 1, and release 2 which has grown from it, and withdrawn a group of it."""
    create_clinic(db)
    db.execute(
        "CREATE TABLE clinic.person "
        "(id int PRIMARY KEY, age int, sex text, city text, disease text);"
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex,city}', 'disease', "
        "'id')"
    )
    admit(db, 0, 60)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}})
    first = grow(db)
    db.execute("DELETE FROM clinic.person WHERE id = %s", [some_of(db, first)[0]])
    assert (first, grow(db, departed="withdraw")) == (1, 2)
    return db


# --- Ancestors ------------------------------------------------------------------------------------


def withdrawn(db: Connection, release: int) -> list[tuple[str, int]]:
    """Kinds of people whose groups were withdrawn, with numbers of records."""
    return db.execute(
        "SELECT requirement, records FROM bkpriv.explain_suppressed(%s) WHERE requirement = 'grow'",
        [release],
    ).fetchall()


MISSHAPEN = ("fewer names", "no names", "names of two dimensions")


@pytest.mark.parametrize("name", MISSHAPEN)
def test_ancestors_are_looked_at_before_their_names_are_read(grown: Connection, name: str) -> None:
    ancestor = forge(grown, "release_respondent", **RESPONDENTS[name])
    child = forge(grown, "release", 2, grown_from=str(ancestor))
    refused(grown, EXPLAIN, [child], sqlstate="22000", names=[f"release {ancestor} "])
    with unchanged(grown):
        refused(
            grown,
            GROW,
            [Jsonb(GROWING | {"departed": "withdraw"})],
            sqlstate="22000",
            names=[f"release {ancestor} "],
        )


def test_of_ancestors_that_are_large_only_names_in_question_are_read(grown: Connection) -> None:
    many = 1_000_000
    ancestor = forge(
        grown,
        "release_respondent",
        respondents=f"respondents || (SELECT array_agg('name ' || i) "
        f"FROM generate_series(1, {many} - cardinality(respondents)) AS i)",
        **{
            name: f"{name} || array_fill(0, ARRAY[{many} - cardinality({name})])"
            for name in ("group_ids", "parts", "sensitive_codes")
        },
    )
    grown.execute("ALTER TABLE bkpriv.release DISABLE TRIGGER USER")
    grown.execute("UPDATE bkpriv.release SET records = %s WHERE release = %s", [many, ancestor])
    child = forge(grown, "release", 2, grown_from=str(ancestor))
    grown.execute(LIMIT)
    found = withdrawn(grown, 2)
    assert found
    grown.execute("SELECT lower_budget(80000000)")
    assert withdrawn(grown, child) == found


def test_releases_of_other_datasets_are_no_ancestors(grown: Connection) -> None:
    assert withdrawn(grown, 2)
    other = forge(grown)
    grown.execute("ALTER TABLE bkpriv.release DISABLE TRIGGER USER")
    grown.execute("UPDATE bkpriv.release SET dataset = 'other' WHERE release = %s", [other])
    child = forge(grown, "release", 2, grown_from=str(other))
    assert withdrawn(grown, child) == []


def test_a_long_line_of_ancestors_is_walked_release_by_release(grown: Connection) -> None:
    """Not by all releases of the dataset at each step, whatever the planner knows of them."""
    many = 20_000
    expected = withdrawn(grown, 2)
    columns = COLUMNS["release"].replace(", grown_from", "")
    grown.execute("ALTER TABLE bkpriv.release SET (autovacuum_enabled = off)")
    grown.execute(
        f"INSERT INTO bkpriv.release (release, dataset, version, grown_from, {columns}) "
        f"SELECT 2 + i, dataset, 2 + i, CASE i WHEN 1 THEN 1 ELSE 1 + i END, {columns} "
        f"FROM bkpriv.release, generate_series(1, {many}) AS i WHERE release = 1"
    )
    grown.execute("SELECT setval('bkpriv.release_id', %s)", [2 + many])
    child = forge(grown, "release", 2, grown_from=str(2 + many))
    read = (
        "SELECT sum(idx_tup_fetch + seq_tup_read) FROM pg_stat_xact_all_tables "
        "WHERE relid = 'bkpriv.release'::regclass"
    )
    with grown.transaction():
        assert withdrawn(grown, child) == expected
        assert one(grown, read) < 20 * many


# --- Values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "what"),
    [("'x'::text", "none of its type, integer"), ("'0' || labels[2]", "equal to an earlier one")],
    ids=["another type", "equal"],
)
def test_values_that_are_none_are_named(grown: Connection, value: str, what: str) -> None:
    labels = f"labels[:2] || ({value}) || labels[4:]"
    forged = forge(grown, "release_attribute", 2, row="place = 0", labels=labels)
    with unchanged(grown):
        refused(
            grown,
            GROW,
            [Jsonb(GROWING)],
            sqlstate="22000",
            names=[f"release {forged} ", '"age"', f"value 3 is {what}"],
        )


# --- Nothing --------------------------------------------------------------------------------------


def test_a_release_without_content_was_not_purged(grown: Connection) -> None:
    forged = one(
        grown,
        f"INSERT INTO bkpriv.release (dataset, version, {COLUMNS['release']}) "
        f"SELECT dataset, 99, {COLUMNS['release']} FROM bkpriv.release WHERE release = 1 "
        "RETURNING release",
    )
    said = refused(
        grown, GROW, [Jsonb(GROWING)], sqlstate="22000", names=[f"release {forged} ", "unsound"]
    )
    assert "purged" not in f"{said.message_primary} {said.message_detail}"
    refused(
        grown,
        "SELECT * FROM bkpriv.audit_together(ARRAY[%s, 1])",
        [forged],
        sqlstate="55000",
        names=[f"release {forged} has no content on record"],
    )
    fill(grown, "clinic.person", [(900 + i, 30 + i, "f", "Aln", "ulcer") for i in range(8)])
    heard = overhear(grown)
    publish(grown, "people", "plain", "public.other")
    (warning,) = [message for message in heard if "are not judged together" in message]
    assert f"Release {forged} has no content on record" in warning
    assert "purged" not in warning
