"""``bkpriv load-csv`` with files as people have them: what it says, asks, loads and leaves."""

from __future__ import annotations

import gzip
import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bkpriv_client.failure import ClientError
from tests.client.command import failed, run, succeeded
from tests.client.loaded import loaded
from tests.conftest import Connection, Database

pytestmark = pytest.mark.pooled

_CLINIC = """\
# export of the clinic
Patient;Alter;Gewicht;Aufnahme;PLZ;Raucher;Diagnose;Kosten;
1;31;70,5;29.02.2024;01234;ja;Grippe;1.234,50;
2;45;n/a;01.03.2024;99999;nein;"Grippe; schwer";2.000,00;
3;39;81,0;01.03.2024;99999;nein;?;99,00;
Summe;;;;;;;3.333,50;
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def _rows(db: Connection) -> list[tuple[str, ...]]:
    return [tuple(row[0]) for row in db.execute(
        "SELECT array(SELECT value FROM json_each_text(row_to_json(p))) FROM people AS p"
    ).fetchall()]  # fmt: skip


def test_what_becomes_of_each_column_is_said_before_it_is_loaded(
    path: Path, database: Database, db: Connection
) -> None:
    path.write_bytes(gzip.compress(_CLINIC.encode("cp1252")))
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri())
    said = failed(*command)
    assert "line 6: looks like a total" in said
    said = succeeded(*command, "--skip-last", "1")
    before, after = said.split("✓ Loading 3 records")
    for part in (
        "gzip of UTF-8 text, fields between semicolons, names in line 2, 3 records.",
        "Left out: line 1, '# export of the clinic'.",
        "Columns without name and values, left out: column_9.",
        "decimal comma; taken as missing: 'n/a' (1, line 4)",
        "DD.MM.YYYY",
        "leading zeros, as of codes: 01234 (line 3)",
        "ja, nein",
        "looks missing, but stays a value: '?' (1, line 5)",
        "decimal comma, points between thousands",
    ):
        assert part in before
        assert part not in after
    assert _rows(db) == [
        ("1", "31", "70.5", "2024-02-29", "01234", "true", "Grippe", "1234.50"),
        ("2", "45", None, "2024-03-01", "99999", "false", "Grippe; schwer", "2000.00"),
        ("3", "39", "81.0", "2024-03-01", "99999", "false", "?", "99.00"),
    ]


def test_values_arrive_as_they_are(path: Path, database: Database, db: Connection) -> None:
    path.write_bytes(b'text,at\n"a ""b"", c\nd",12/31/2024 12:05 AM\n\\.,1/2/2024 1:30 PM\n\\N,\n')
    succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    assert db.execute("SELECT text, at::text FROM people").fetchall() == [
        ('a "b", c\nd', "2024-12-31 00:05:00"),
        ("\\.", "2024-01-02 13:30:00"),
        ("\\N", None),
    ]


def test_values_never_become_names_in_silence(
    path: Path, database: Database, db: Connection
) -> None:
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri(), "--replace")
    path.write_text("39,Private,Bern\n50,Self,Basel\n38,Private,Bern\n")
    said = failed(*command)
    assert "line 1 of" in said
    assert "looks like a record, not like names of columns" in said
    assert "39 | Private | Bern" in said
    assert "--no-header" in said
    assert "looks like a record" in failed(*command, "--yes")
    assert db.execute("SELECT to_regclass('people')::text").fetchone() == (None,)
    assert "no names, 3 records." in succeeded(*command, "--no-header")
    assert db.execute("SELECT column_1, column_3 FROM people LIMIT 1").fetchone() == (39, "Bern")
    succeeded(*command, "--columns", "age,work,town")
    assert db.execute("SELECT age, town FROM people LIMIT 1").fetchone() == (39, "Bern")
    assert "names 2 columns" in failed(*command, "--columns", "age,work")
    path.write_text("name,town\nAnna,Bern\nBert,Basel\n")
    assert "nothing tells whether line 1" in failed(*command)
    succeeded(*command, "--header")
    assert db.execute("SELECT name FROM people").fetchall() == [("Anna",), ("Bert",)]
    succeeded(*command, "--no-header", "--columns", "a,b")
    assert db.execute("SELECT count(a) FROM people").fetchone() == (3,)


def test_a_file_without_names_is_loaded_and_named_after_itself(
    path: Path, database: Database, db: Connection
) -> None:
    path = path.with_name("2024 Choices.data")
    path.write_text("24, 3, 999\n31, 1, 12\n45, 2, 999\n" * 9)
    said = succeeded("load-csv", str(path), "--uri", database.uri())
    assert "Line 1 is a record" in said
    assert "--columns a,b,c" in said
    assert "may stand for a missing value, but stays a number: '999' (18, from line 1)" in said
    assert "--null column_3=999" in said
    counted = "SELECT count(column_1), count(column_3) FROM _2024_choices"
    assert db.execute(counted).fetchone() == (27, 27)
    stated = ("--columns", "age,group=a,score", "--null", "score=999", "--null", "45", "--replace")
    said = succeeded("load-csv", str(path), "--uri", database.uri(), *stated)
    assert "may stand for a missing value" not in said
    counted = "SELECT count(age), count(score) FROM _2024_choices"
    assert db.execute(counted).fetchone() == (18, 9)
    assert "the table has no name" in failed(
        "load-csv", "-", "--uri", database.uri(), given="a\n1\n"
    )


@pytest.mark.parametrize(
    ("rest", "form", "odd"),
    [
        (["31.12.9999"] * 3 + ["01.01.1900"] * 2, "DD.MM.YYYY", ["01.01.1900", "31.12.9999"]),
        (["9999-12-31 00:00"] * 2, "YYYY-MM-DD", ["9999-12-31 00:00"]),
        (["31.12.9999"], "DD.MM.YYYY", []),  # one record
        (["31.12.1999"] * 3, "DD.MM.YYYY", []),
    ],
)
def test_days_that_may_mean_missing_are_named_with_what_leaves_them_out(
    path: Path, database: Database, db: Connection, rest: list[str], form: str, odd: list[str]
) -> None:
    options = ("--uri", database.uri(), "--table", "people", "--replace", "--header")
    command = ("load-csv", str(path), *options)
    dmy = form.startswith("D")
    days = [
        f"{day}.0{month}.1980" if dmy else f"1980-0{month}-{day}"
        for day in range(13, 28)
        for month in range(1, 10)
    ]
    path.write_text("".join(f"{day},flu\n" for day in ["born", *days, *rest]))
    said = " ".join(succeeded(*command).split())
    assert ("may stand for a missing value, but stays a day" in said) == bool(odd)
    for value in odd:
        assert f"'{value}' ({rest.count(value)}, from line" in said
    counted = "SELECT count(born), count(*) FROM people"
    assert db.execute(counted).fetchone() == (len(days) + len(rest),) * 2
    if odd:
        option = f"--null {shlex.quote('born=' + ','.join(odd))}"
        assert f"else say {option}" in said
        assert "may stand" not in succeeded(*command, *shlex.split(option))
        assert db.execute(counted).fetchone() == (len(days), len(days) + len(rest))


def test_options_settle_what_the_file_does_not_tell(
    path: Path, database: Database, db: Connection
) -> None:
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri(), "--replace")
    path.write_text(
        "when;sum;seen;kind;score\n03/04/2024;1,234;03/04/2024;3;x\n01/02/2024;2,345;01/02/2024;4;7\n"
    )
    said = succeeded(*command)
    assert "though most values are numbers, days or truths: when, sum, seen" in said
    said = succeeded(
        *command, "--date-format", "DD/MM/YYYY", "--date-format", "seen=MM/DD/YYYY",
        "--decimal", ",", "--null", "x,y", "--label", "kind,score",
    )  # fmt: skip
    assert _rows(db) == [
        ("2024-04-03", "1.234", "2024-03-04", "3", None),
        ("2024-02-01", "2.345", "2024-01-02", "4", "7"),
    ]
    assert '"kind": "label", "score": "label"}' in said
    for options, words in (
        (("--date-format", "when=DD/MM"), "is not the form of a date"),
        (("--date-format", "gone=DD/MM/YYYY"), "names a column 'gone' that is not there"),
        (("--label", "gone"), "has no column 'gone', which --label names"),
        (("--decimal", ";"), "is no decimal sign"),
        (("--encoding", "klingon"), "there is no encoding 'klingon'"),
        (("--quote", "ab"), "is not one character"),
    ):
        assert words in failed(*command, *options)


def test_hierarchies_are_written_as_the_columns_are(
    path: Path, database: Database, db: Connection
) -> None:
    path.write_text("smoker;n\nja;1\nnein;2\n")
    (path.parent / "hierarchy_smoker.csv").write_text("leaf;root\nja;*\nnein;*\n?;*\n")
    succeeded(
        "load-csv", str(path), "--table", "people", "--hierarchies", str(path.parent),
        "--uri", database.uri(),
    )  # fmt: skip
    assert db.execute("TABLE people_smoker_hierarchy").fetchall() == [("true", "*"), ("false", "*")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b,c\n1,2,3\n4,5\n6,7,8\n", ["line 3: 2 fields where 3", "the line is '4,5'"]),
        (b"a,b\n1,2\n3,4,5\n", ["line 3: 3 fields where 2", "the line is '3,4,5'"]),
        (b'a,b\n1,"x\n2,y\n', ["line 2: a quote is not closed", "--quote ''"]),
        (b'a,b\n1,"x"y"\n', ["line 2: a quote is not closed, or stands", """ '1,"x"y"'"""]),
        (b"a,b\n1,x\n2,y\0z\n", ["line 3: b holds a NUL", "tr -d"]),
        (b"a,b\n1,x\n2,Z\xfcrich\n", ["line 3: is not UTF-8", "'2,Zürich' as cp1252"]),
        (b"a,b\r\n1,x\n2,y\r\n", ["tr -d '\\r' <FILE | bkpriv load-csv -"]),
        (b'a,b\n1,"' + b"x" * 2_100_000, ["line 2: a quote is not closed"]),
        (b",".join([b"c"] * 1_601) + b"\n", ["line 1: 1,601 columns", "at most 1,600"]),
        (b"", ["is empty"]),
        (gzip.compress(b"a,b\n1,2\n" * 9_000)[:-40], ["cannot be unpacked: "]),
    ],
    ids=range(11),
)
def test_a_fault_names_its_place(path: Path, content: bytes, said: list[str]) -> None:
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        loaded(path)
    error = caught.value
    assert str(path) in error.message
    for part in said:
        assert part in f"{error.message} {error.detail} {error.hint}"


def test_after_an_error_nothing_is_said_to_be_done(
    path: Path, database: Database, db: Connection
) -> None:
    path.write_text("a\n1\n2\n")
    code, output, errors = run(
        "load-csv", str(path), "--table", "fresh.people", "--uri", database.uri()
    )
    assert code == 1
    assert "no column of" in " ".join(errors.split())  # told once the table was loaded
    assert "Loading" not in output
    assert "created" not in output
    assert db.execute("SELECT to_regnamespace('fresh')::text").fetchone() == (None,)


def test_what_the_server_does_not_take_has_its_place(
    path: Path, database: Database, db: Connection
) -> None:
    path.write_text("age,sum\n31,1\n45," + "9" * 140_000 + "\n")
    said = failed("load-csv", str(path), "--table", "people", "--uri", database.uri())
    assert "people.csv: value overflows numeric format" in said
    assert "line 2, column sum" in said
    assert db.execute("SELECT to_regclass('people')::text").fetchone() == (None,)


def test_very_wide_tables_are_told_in_few_lines(path: Path, database: Database) -> None:
    names = [f"c{number}" for number in range(450)]
    rows = [[str(row)] * 450 for row in range(12)]
    rows[3][7] = "n/a"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]))
    said = succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    assert "taken as missing: 'n/a' (1, line 5)" in said
    assert "The other columns: 449 integer." in said
    # A statement that the server refuses is not printed.
    assert "SELECT bkpriv." not in said
    assert "columns would be quasi-identifiers or pass through, and at most 400 may" in " ".join(
        said.split()
    )
    named = ("--quasi-identifiers", "c1,c2", "--sensitive", "c3", "--replace")
    said = succeeded("load-csv", str(path), "--table", "people", *named, "--uri", database.uri())
    assert "SELECT bkpriv.register_dataset('people', 'public.people', ARRAY['c1', 'c2']" in said


def _answered(path: Path, uri: str, answers: list[tuple[str, str]]) -> tuple[int, str]:
    """Run the command on a terminal, and answer what it asks."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bkpriv_client", "load-csv", str(path), "--table", "people",
         "--uri", uri],
        stdin=side, stdout=side, stderr=side, env={**os.environ, "TERM": "dumb", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(side)
    said, pending, until = "", list(answers), time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([main], [], [], 0.1)[0]:
            try:
                read = os.read(main, 4096)
            except OSError:  # it ended
                break
            said += read.decode(errors="replace")
            if pending and pending[0][0] in said:
                os.write(main, f"{pending.pop(0)[1]}\n".encode())
    os.close(main)
    return process.wait(timeout=30), said


def test_on_a_terminal_it_asks(path: Path, database: Database, db: Connection) -> None:
    path.write_text("39,Private\n50,Self\n38,Private\n")
    asked = [("Does it name the columns?", "n"), ("Load it so?", "n")]
    code, said = _answered(path, database.uri(), asked)
    assert code == 1, said
    assert "nothing was loaded" in said
    assert db.execute("SELECT to_regclass('people')::text").fetchone() == (None,)
    asked[1] = ("Load it so?", "y")
    code, said = _answered(path, database.uri(), asked)
    assert code == 0, said
    assert db.execute("SELECT count(column_1) FROM people").fetchone() == (3,)
