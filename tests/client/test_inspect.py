"""``bkpriv inspect``: the tables that it prints, and statements that run as they are."""

from __future__ import annotations

import pytest

from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database

STAYS = """
    CREATE SCHEMA ward;
    CREATE TABLE ward."Stay" AS SELECT i AS id, date '1950-01-01' + i * 31 AS born,
        20 + i * 7 % 59 AS age, 1 + i % 4 AS method,
        (ARRAY['24103', '24105', '24107', '22111', '22113', '22117'])[1 + i * i % 11 % 6] AS zip,
        'here' AS place,
        (ARRAY['flu', 'asthma', 'ulcer'])[1 + i % 5 % 3] AS "[found]"
    FROM generate_series(1, 300) AS i
"""


@pytest.fixture
def uri(database: Database, db: Connection) -> str:
    db.execute(STAYS)
    return database.uri()


def test_a_table_is_shown_and_its_declaration_runs(uri: str, db: Connection) -> None:
    output = succeeded("inspect", 'ward."Stay"', "--uri", uri, "--dataset", "stay")
    rows = {line.split()[0]: line for line in output.splitlines() if line.strip()}
    assert rows["id"].split()[1:5] == ["300", "100.0%", "100.0%", "key"]
    assert "quasi-identifier" in rows["age"]
    assert "sensitive" in rows["[found]"]
    assert "constant" in rows["place"]
    assert "Left out: id, place." in output
    assert any(line.strip().startswith("age, zip") for line in output.splitlines())
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    assert statements == [
        "SELECT bkpriv.register_dataset('stay', 'ward.\"Stay\"', "
        "ARRAY['born', 'age', 'method', 'zip'], "
        """'[found]', bins => '{"born": "year", "method": "label"}');""",
        "SELECT bkpriv.set_prefix_hierarchy('stay', 'zip', ARRAY[2]);",
    ]
    for statement in statements:
        db.execute(statement)
    assert "Then: bkpriv explore stay" in output
    (asked,) = [line for line in output.splitlines() if line.startswith("A hierarchy of ")]
    assert asked == "A hierarchy of zip: SELECT * FROM bkpriv.suggest_hierarchy('stay', 'zip');"
    assert db.execute("SELECT * FROM bkpriv.suggest_hierarchy('stay', 'zip')").fetchall()


def test_what_cannot_be_looked_at_is_said(uri: str, db: Connection) -> None:
    assert "there is no table ward.nobody" in failed("inspect", "ward.nobody", "--uri", uri)
    db.execute("CREATE TABLE ward.bare (a int); CREATE TABLE bare (a int)")
    assert "Nothing is proposed" in succeeded("inspect", "bare", "--uri", uri)
    assert "Nothing is proposed" in succeeded("inspect", "ward.bare", "--uri", uri)
