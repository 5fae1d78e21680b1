"""``bkpriv load-csv``: into a real server, whatever the names."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.command import failed, succeeded
from tests.conftest import Connection, Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "hierarchy_sex.csv").write_text("leaf,root\nmale,*\nfemale,*\n")
    path = tmp_path / "people.csv"
    path.write_text(
        "age,weight,sex,admitted,postcode,disease\n"
        "31,70.5,male,2024-02-29,01234,flu\n"
        '45,,female,2024-03-01,99999,"flu, bad"\n'
    )
    return path


def test_columns_values_and_hierarchies_arrive(
    path: Path, database: Database, db: Connection
) -> None:
    uri = database.uri()
    succeeded(
        "load-csv", str(path), "--table", "public.people", "--hierarchies", str(path.parent),
        "--uri", uri,
    )  # fmt: skip
    columns = db.execute(
        "SELECT attname, atttypid::regtype::text FROM pg_attribute"
        " WHERE attrelid = 'people'::regclass AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    assert columns == [
        ("age", "integer"),
        ("weight", "numeric"),
        ("sex", "text"),
        ("admitted", "date"),
        ("postcode", "text"),
        ("disease", "text"),
    ]
    assert db.execute("TABLE people").fetchall() == [
        (31, Decimal("70.5"), "male", datetime.date(2024, 2, 29), "01234", "flu"),
        (45, None, "female", datetime.date(2024, 3, 1), "99999", "flu, bad"),
    ]
    assert db.execute("TABLE people_sex_hierarchy").fetchall() == [("male", "*"), ("female", "*")]


@pytest.mark.parametrize(
    ("table", "name"), [("public.people", "people"), ('public."O""Dear; --"', 'O"Dear; --')]
)
def test_the_statements_it_prints_register_the_dataset(
    path: Path, database: Database, db: Connection, table: str, name: str
) -> None:
    output = succeeded(
        "load-csv", str(path), "--table", table, "--hierarchies", str(path.parent),
        "--uri", database.uri(),
    )  # fmt: skip
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    assert len(statements) == 2
    for statement in statements:
        db.execute(statement.encode())
    declared = db.execute(
        "SELECT name, source_schema, source_name, quasi_identifiers, sensitive FROM bkpriv.dataset"
    ).fetchall()
    quasi_identifiers = ["age", "weight", "sex", "admitted", "postcode"]
    assert declared == [(name, "public", name, quasi_identifiers, "disease")]


def test_hostile_column_names_are_only_names(
    path: Path, database: Database, db: Connection
) -> None:
    name = 'x" int); DROP TABLE keep; --'
    path.write_text(f'"{name.replace(chr(34), chr(34) * 2)}",%s\n1,2\n')
    db.execute("CREATE TABLE keep ()")
    succeeded("load-csv", str(path), "--table", "public.odd", "--uri", database.uri())
    columns = db.execute(
        "SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = 'odd'::regclass AND attnum > 0"
    ).fetchone()
    assert columns == ([name, "%s"],)
    assert db.execute("SELECT to_regclass('keep')::text").fetchone() == ("keep",)


def test_an_existing_table_is_replaced_only_if_asked(
    path: Path, database: Database, db: Connection
) -> None:
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri())
    db.execute("CREATE TABLE people AS SELECT 1 AS mine")
    said = failed(*command)
    assert "public.people exists already" in said
    assert "--replace" in said
    assert db.execute("TABLE people").fetchall() == [(1,)]
    succeeded(*command, "--replace")
    assert db.execute("SELECT count(*) FROM people").fetchone() == (2,)


def test_a_failure_leaves_everything_as_it_was(
    path: Path, database: Database, db: Connection
) -> None:
    db.execute("CREATE TABLE people AS SELECT 1 AS mine")
    path.write_text("age,name\n1,a\n2,nul\0\n")
    failed("load-csv", str(path), "--table", "people", "--uri", database.uri(), "--replace")
    assert db.execute("TABLE people").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--table", "nowhere.people"), 'schema "nowhere" does not exist'),
        (("--table", "a.b.c"), "does not name a table"),
        (("--table", 'a."b'), "string is not a valid identifier"),
        (("--table", "people", "--delimiter", ";;"), "is not one character"),
    ],
)
def test_bad_options_are_refused(
    path: Path, database: Database, options: tuple[str, ...], said: str
) -> None:
    assert said in failed("load-csv", str(path), *options, "--uri", database.uri())


def test_a_hierarchy_whose_table_would_be_cut_is_refused(path: Path, database: Database) -> None:
    said = failed(
        "load-csv", str(path), "--table", "p" * 60, "--hierarchies", str(path.parent),
        "--uri", database.uri(),
    )  # fmt: skip
    assert "is too long" in said
