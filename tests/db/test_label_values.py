"""Values that read like a label under which others are published, refused where they are read."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

PUBLISH = "SELECT bkpriv.publish('towns', 'ten', 'public.shown', %s)"
REGIONS = {"north": ["Kiel", "Husum"], "south": ["Ulm"]}
TREES = [
    ("SELECT bkpriv.set_prefix_hierarchy('towns', 'town', %s)", [[3, 2]], "Hu*"),
    ("SELECT bkpriv.set_list_hierarchy('towns', 'town', %s, 'rest')", [Jsonb(REGIONS)], "north"),
    ("SELECT bkpriv.set_hierarchy('towns', 'town', 'public.levels')", [], "north"),
]


@pytest.fixture
def towns(db: Connection) -> Connection:
    """A dataset of towns, each in twelve records, and a table of levels."""
    db.execute(
        """
        CREATE TABLE towns AS SELECT (ARRAY['Husum', 'Kiel', 'Ulm', 'Bern'])[1 + i % 4] AS town,
            (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 3] AS disease
            FROM generate_series(1, 48) AS i;
        CREATE TABLE levels (town text, region text, root text);
        INSERT INTO levels VALUES ('Husum', 'north', 'any'), ('Kiel', 'north', 'any'),
            ('Ulm', 'south', 'any'), ('Bern', 'south', 'any'), ('north', 'north', 'any'),
            ('*', '*', 'any');
        SELECT bkpriv.register_dataset('towns', 'public.towns', '{town}', 'disease');
        """
    )
    state_policy(db, "ten", {"k_anonymity": {"k": 10}})
    return db


def rename(db: Connection, value: str) -> None:
    """Give the records of Bern another value."""
    db.execute("UPDATE towns SET town = %s WHERE town = 'Bern'", [value])


def counted(db: Connection, release: int) -> None:
    """Compare what queries of every value estimate with what they count."""
    for (town,) in db.execute("SELECT DISTINCT town FROM towns").fetchall():
        query = "SELECT count(*) FROM towns WHERE town = '" + town + "'"
        figures = db.execute(
            "SELECT actual, estimate FROM bkpriv.query_accuracy(%s, %s)", [release, query]
        ).fetchone()
        assert figures == (12, 12), town


@pytest.mark.parametrize(("declare", "given", "value"), TREES)
def test_a_label_that_is_a_value_is_refused_at_declaration(
    towns: Connection, declare: str, given: list[object], value: str
) -> None:
    rename(towns, value)
    with unchanged(towns):
        refused(towns, declare, given, sqlstate="22000", names=[f"value '{value}'", '"town"'])


@pytest.mark.parametrize(("declare", "given", "value"), TREES)
def test_a_value_that_comes_later_is_refused_by_publication(
    towns: Connection, declare: str, given: list[object], value: str
) -> None:
    towns.execute(declare, given)
    rename(towns, value)
    with unchanged(towns):
        said = refused(
            towns, PUBLISH, ["agglomerate"], sqlstate="22000", names=[f"value '{value}'", '"town"']
        )
    assert f"NULLIF(\"town\", '{value}')" in (said.message_hint or "")
    # Exact values are shown by themselves.
    counted_exactly = publish(towns, "towns", "ten", "public.exact", method="bucketize")
    counted(towns, counted_exactly)


def test_a_file_that_was_generalized_before_is_warned_of_and_has_ways_out(db: Connection) -> None:
    db.execute(
        """
        CREATE TABLE towns AS SELECT (ARRAY['Husum', 'Kiel', '*'])[1 + i % 3] AS town,
            (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 7 % 3] AS disease
            FROM generate_series(1, 36) AS i;
        CREATE TABLE levels AS SELECT DISTINCT town, 'any' AS root FROM towns;
        CREATE VIEW shorter AS SELECT NULLIF("town", '*') AS town, disease FROM towns;
        """
    )
    state_policy(db, "ten", {"k_anonymity": {"k": 10}})
    said = overhear(db)
    db.execute("SELECT bkpriv.register_dataset('towns', 'public.towns', '{town}', 'disease')")
    assert any("have the value *" in each for each in said)
    with unchanged(db):
        refused(db, PUBLISH, ["mondrian"], sqlstate="22000", names=["value '*'"])
    db.execute("SELECT bkpriv.set_hierarchy('towns', 'town', 'public.levels')")
    counted(db, publish(db, "towns", "ten", "public.shown"))
    db.execute("SELECT bkpriv.register_dataset('shorter', 'public.shorter', '{town}', 'disease')")
    release = publish(db, "shorter", "ten", "public.short", {"nulls": "category"})
    query = "SELECT count(*) FROM shorter WHERE town IS NULL"
    assert one(db, "SELECT estimate FROM bkpriv.query_accuracy(%s, %s)", [release, query]) == 12


def test_sensitive_values_may_read_like_labels(towns: Connection) -> None:
    """The sensitive column is published as it is."""
    towns.execute(
        """
        CREATE TABLE ills (disease text, kind text, root text);
        INSERT INTO ills VALUES ('flu', 'gout', 'any'), ('gout', 'gout', 'any'),
            ('ulcer', 'ulcer', 'any');
        SELECT bkpriv.set_hierarchy('towns', 'disease', 'public.ills');
        """
    )
    release = publish(towns, "towns", "ten", "public.shown")
    query = "SELECT count(*) FROM towns WHERE disease = 'gout'"
    assert one(towns, "SELECT estimate FROM bkpriv.query_accuracy(%s, %s)", [release, query]) == 16
