"""``bkpriv demo``: the whole story, on both kinds of data, again and again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.census_files import adult_files
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database


def breached(output: str) -> list[int]:
    """Breached people of the usual and the private release, as the demo tells them."""
    line = re.search(
        r"People breached \(B = 0\.3, t = 0\.2\) +not published +([\d,]+) +([\d,]+)", output
    )
    assert line, output
    return [int(figure.replace(",", "")) for figure in line.groups()]


@pytest.mark.extended
def test_the_hospital_twice(database: Database, db: Connection) -> None:
    uri = database.uri()
    first = succeeded("demo", "--uri", uri, "--records", "1500")
    usual, private = breached(first)
    assert usual > 100
    assert private == 0
    costs = re.search(r"Share of detail lost.*?((?: +[\d.]+%){3}) *\n", first)
    assert costs is not None
    k_anonymous, *others = (float(share.rstrip("%")) for share in costs.group(1).split())
    assert 0 < k_anonymous < min(others)
    assert f"psql -v SHOW_CONTEXT=never '{uri}'" in first
    second = succeeded("demo", "--uri", uri, "--records", "1500")
    assert breached(second) == [usual, private]

    releases = db.execute(
        "SELECT view_name, status FROM bkpriv.releases ORDER BY release"
    ).fetchall()
    views = ["demo.hospital_usual", "demo.hospital_private"]
    assert releases == [(view, status) for status in ("withdrawn", "published") for view in views]
    audited = db.execute(
        "SELECT vulnerable FROM bkpriv.audits WHERE requirement = 'bt_privacy'"
        " AND parameters ->> 'bandwidth' = '0.3' AND release IN (3, 4) ORDER BY audit"
    ).fetchall()
    assert (audited[0], audited[-1]) == ((usual,), (private,))
    published = db.execute("SELECT count(*) FROM demo.hospital_private").fetchone()
    assert published is not None
    assert 1450 <= published[0] <= 1500


@pytest.mark.always
def test_the_statements_it_suggests_work(database: Database, db: Connection) -> None:
    output = succeeded("demo", "--uri", database.uri(), "--records", "500")
    *_, suggestions = output.partition("and there, for instance:")
    statements = [line for line in suggestions.splitlines() if line.startswith("  ")]
    assert len(statements) == 5
    for statement in statements:
        db.execute(statement.encode())


@pytest.mark.extended
def test_adult_after_the_hospital(database: Database, db: Connection, tmp_path: Path) -> None:
    succeeded("demo", "--uri", database.uri(), "--records", "500")
    path = adult_files(tmp_path, 1200)
    output = succeeded("demo", "--uri", database.uri(), "--adult", str(path))
    usual, private = breached(output)
    assert usual > private == 0
    assert db.execute("SELECT name FROM bkpriv.dataset").fetchall() == [("demo_adult",)]
    columns = db.execute(
        "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = 'demo.adult_private'::regclass AND attnum > 0"
    ).fetchone()
    assert columns == (
        ["age", "workclass", "education", "marital_status", "race", "sex", "occupation"],
    )


@pytest.mark.parametrize(
    ("absent", "said"),
    [("adult.csv", "No such file"), ("hierarchy_race.csv", "Missing: hierarchy_race.csv")],
)
def test_missing_files_are_named(
    database: Database, tmp_path: Path, absent: str, said: str
) -> None:
    path = adult_files(tmp_path, 10)
    (tmp_path / absent).unlink()
    assert said in failed("demo", "--uri", database.uri(), "--adult", str(path))


def test_a_schema_of_somebody_else_is_left_alone(database: Database, db: Connection) -> None:
    db.execute("CREATE SCHEMA demo")
    db.execute("CREATE TABLE demo.hospital AS SELECT 1 AS mine")
    said = failed("demo", "--uri", database.uri(), "--records", "500")
    assert 'the schema "demo" was not made by this command' in said
    assert db.execute("TABLE demo.hospital").fetchall() == [(1,)]
    assert db.execute("SELECT count(*) FROM bkpriv.dataset").fetchone() == (0,)


@pytest.mark.extended
def test_only_its_own_datasets_are_replaced(database: Database, db: Connection) -> None:
    db.execute("CREATE TABLE public.mine AS SELECT 1 AS age, 'flu' AS disease")
    db.execute("SELECT bkpriv.register_dataset('mine', 'public.mine', ARRAY['age'], 'disease')")
    for _ in range(2):
        succeeded("demo", "--uri", database.uri(), "--records", "500")
    names = db.execute("SELECT name FROM bkpriv.dataset ORDER BY name").fetchall()
    assert names == [("demo_hospital",), ("mine",)]
