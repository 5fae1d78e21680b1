"""``bkpriv load-csv``: into a real server, whatever the names."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.client.command import failed, succeeded
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


def test_data_and_hierarchies_of_arx_are_published(
    tmp_path: Path, database: Database, db: Connection
) -> None:
    path = tmp_path / "adult.csv"
    path.write_text("age;sex;class\n" + "".join(f"{17 + i};M;{i % 2}\n" for i in range(8)))
    bands = ((f"[{age // 5 * 5}, {age // 5 * 5 + 5}[", "*") for age in range(100))
    (tmp_path / "adult_hierarchy_age.csv").write_text(
        "".join(f"{age};{';'.join(labels)}\r\n" for age, labels in enumerate(bands))
    )
    output = succeeded(
        "load-csv", str(path), "--hierarchies", str(tmp_path), "--sensitive", "class",
        "--label", "class", "--uri", database.uri(),
    )  # fmt: skip
    for line in output.splitlines():
        if line.startswith("SELECT bkpriv."):
            db.execute(line.encode())
    db.execute("""SELECT bkpriv.set_policy('three', '{"k_anonymity": {"k": 3}}')""")
    db.execute("SELECT bkpriv.publish('adult', 'three', 'shown', 'incognito')")
    shown = db.execute("SELECT age, count(*) FROM shown GROUP BY 1 ORDER BY 1").fetchall()
    assert shown == [("[15, 20[", 3), ("[20, 25[", 5)]


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
    assert len(statements) == 2  # Two postcodes have no hierarchy.
    for statement in statements:
        db.execute(statement.encode())
    declared = db.execute(
        "SELECT name, source_schema, source_name, quasi_identifiers, sensitive FROM bkpriv.dataset"
    ).fetchall()
    quasi_identifiers = ["age", "weight", "sex", "admitted", "postcode"]
    assert declared == [(name, "public", name, quasi_identifiers, ["disease"])]


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


def test_a_schema_that_is_missing_is_made_and_said(
    path: Path, database: Database, db: Connection
) -> None:
    command = ("load-csv", str(path), "--table", '"New ""one""".people', "--uri", database.uri())
    said = succeeded(*command)
    assert 'Schema New "one" did not exist; it is created.' in said
    assert db.execute('SELECT count(*) FROM "New ""one""".people').fetchone() == (2,)
    assert "did not exist" not in succeeded(*command, "--replace")


def test_a_failure_takes_the_schema_back(path: Path, database: Database, db: Connection) -> None:
    path.write_text("age,name\n1,a\n2,nul\0\n")
    failed("load-csv", str(path), "--table", "fresh.people", "--uri", database.uri())
    assert db.execute("SELECT to_regnamespace('fresh')::text").fetchone() == (None,)


def test_the_standard_input_is_read(path: Path, database: Database, db: Connection) -> None:
    said = succeeded(
        "load-csv", "-", "--table", "people", "--uri", database.uri(), given=path.read_text()
    )
    assert "Reading standard input" in said
    assert db.execute("SELECT age, disease FROM people").fetchall() == [
        (31, "flu"),
        (45, "flu, bad"),
    ]
    said = failed(
        "load-csv", "-", "--table", "other", "--uri", database.uri(), given="a,b\n1,2\n3\n"
    )
    assert "standard input, line 3: 1 fields where 2 are expected" in said


def test_times_and_truths_arrive(path: Path, database: Database, db: Connection) -> None:
    path.write_text(
        "seen,admitted,insured,disease\n"
        "2024-02-29T12:30:00.5+02:00,2024-02-29 12:30,true,flu\n"
        "2024-03-01 00:00Z,2024-03-01,FALSE,flu\n"
    )
    succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    db.execute("SET timezone = 'UTC'")
    rows = db.execute("SELECT seen::text, admitted::text, insured FROM people").fetchall()
    assert rows == [
        ("2024-02-29 10:30:00.5+00", "2024-02-29 12:30:00", True),
        ("2024-03-01 00:00:00+00", "2024-03-01 00:00:00", False),
    ]


def test_nearly_unique_columns_are_left_out_of_the_call(
    path: Path, database: Database, db: Connection
) -> None:
    lines = [
        f"p{number},{20 + number % 9},{'ab'[number % 2]},{number // 7 % 3},remark {number}"
        for number in range(1200)
    ]
    path.write_text("\n".join(["number,age,ward,disease,remark", *lines]))
    (path.parent / "hierarchy_number.csv").write_text("leaf,root\np0,*\n")
    output = succeeded(
        "load-csv", str(path), "--table", "people", "--hierarchies", str(path.parent),
        "--uri", database.uri(),
    )  # fmt: skip
    text = " ".join(output.split())
    assert "Left out" in text
    assert "number (1200 values in 1200 records, as keys and names have); remark (" in text
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    for statement in statements:
        db.execute(statement.encode())
    declared = db.execute("SELECT quasi_identifiers, sensitive FROM bkpriv.dataset").fetchall()
    assert declared == [(["age", "ward"], ["disease"])]
    assert db.execute("SELECT count(DISTINCT number) FROM people").fetchone() == (1200,)


def test_columns_have_the_parts_that_are_stated(
    path: Path, database: Database, db: Connection
) -> None:
    path.write_text(
        'who,age,sex,"a,b",note,ward,month\n'
        + "".join(f"{n},{n % 9},{'mf'[n % 2]},{n % 5},{n % 3},{n % 4},1\n" for n in range(200))
    )
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri(), "--replace")
    parts = ("--sensitive", 'note, "a,b"', "--attributes", "ward")
    output = succeeded(*command, *parts, "--respondent", "who", "--period", "month")
    assert "all other columns stand" in " ".join(output.split())
    for statement in [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]:
        db.execute(statement.encode())
    declared = db.execute(
        "SELECT quasi_identifiers, sensitive, attributes, respondent, period FROM bkpriv.dataset"
    ).fetchall()
    assert declared == [(["age", "sex"], ["note", "a,b"], ["ward"], "who", "month")]
    output = succeeded(*command, *parts, "--quasi-identifiers", "age")
    assert "Left out, because they have no part: who, sex, month." in output
    output = succeeded(*command, "--quasi-identifiers", "age,sex", "--attributes", "ward")
    assert "ARRAY['age', 'sex'], ARRAY['note'], attributes => ARRAY['ward'], bins" in output
    assert "month (all records have the same value)" in " ".join(output.split())
    output = succeeded(*command, "--sensitive", "note", "--respondent", "who")
    assert "'ward'], 'note', respondent => 'who', bins => '{\"note\": \"label\"}')" in output


def test_what_looks_sensitive_is_proposed_so(
    path: Path, database: Database, db: Connection, make_role: Callable[..., str]
) -> None:
    path.write_text(
        "age,Hauptdiagnose,place,ward\n"
        + "".join(
            f"{20 + n % 40},{'JI'[n % 2]}{n % 7}0.1,here,{'abc'[n % 3]}\n" for n in range(200)
        )
    )
    command = ("load-csv", str(path), "--table", "people", "--uri")
    output = succeeded(*command, database.uri())
    assert "ARRAY['age', 'ward'], 'Hauptdiagnose')" in output
    said = " ".join(output.split())
    assert "place (all records have the same value)" in said
    assert "for reasons that bkpriv inspect says" in said
    # To a role that may not ask for that, nothing looks like anything.
    role = make_role()
    db.execute(f"DROP TABLE people; GRANT CREATE ON SCHEMA public TO {role}".encode())
    output = succeeded(*command, database.uri(role))
    assert "ARRAY['age', 'Hauptdiagnose', 'place'], 'ward')" in output
    assert "the last column stands as the sensitive one" in " ".join(output.split())


def test_codes_are_proposed_as_labels(path: Path, database: Database, db: Connection) -> None:
    path.write_text(
        "age,kind,visits,method\n"
        + "".join(f"{20 + n % 40},{1 + n % 4},{n // 7 % 4},{1 + n // 5 % 3}\n" for n in range(200))
    )
    output = succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    assert "Taken for codes, and so for labels, by bins: kind (4 values), method (3 values)." in (
        " ".join(output.split())
    )
    (statement,) = (line for line in output.splitlines() if line.startswith("SELECT bkpriv."))
    said: list[str | None] = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary))
    db.execute(statement.encode())
    assert not [line for line in said if line and "codes" in line]
    bins = db.execute("SELECT bins FROM bkpriv.dataset").fetchone()
    assert bins == ({"kind": "label", "method": "label"},)


def test_columns_that_are_named_against_the_proposal_are_pointed_out(
    path: Path, database: Database
) -> None:
    found = ["flu", "gout", "rash", "ulcer"]
    lines = [f"{20 + n // 3 % 40},F{n % 4},{found[n % 4]},{n}" for n in range(200)]
    path.write_text("\n".join(["age,code,finding,file", *lines]))
    command = ("load-csv", str(path), "--table", "people", "--uri", database.uri(), "--replace")
    said = " ".join(succeeded(*command).split())
    assert 'it determines "finding", which looks sensitive' in said
    assert "ARRAY['age'], 'finding')" in said
    stated = ("--quasi-identifiers", "age,code", "--attributes", "file", "--sensitive", "finding")
    said = " ".join(succeeded(*command, *stated).split())
    doubted, _, statement = said.partition("SELECT bkpriv.")
    assert "You named these, which bkpriv would leave out: code (" in doubted
    assert 'it determines "finding", which looks sensitive); file (200 values' in doubted
    assert "ARRAY['age', 'code']" in statement


def test_names_of_people_are_left_out(path: Path, database: Database) -> None:
    people = [
        f"{['Ann', 'Cem', 'Dora', 'Olli', 'Quin'][n % 5]},N{n * 7 % 40},{20 + n // 3 % 40},"
        f"{['flu', 'gout', 'rash'][n // 7 % 3]}"
        for n in range(200)
    ]
    path.write_text("\n".join(["first,Nachname,age,diagnosis", *people]))
    said = " ".join(
        succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri()).split()
    )
    assert "first (5 values that recur; by its name, it names people)" in said
    assert "Nachname (40 values" in said
    assert "ARRAY['age'], 'diagnosis')" in said


def test_it_proposes_what_inspect_proposes(path: Path, database: Database, db: Connection) -> None:
    first = datetime.date(2024, 1, 1)
    visits = [
        f"C{n % 100:03},{first + datetime.timedelta(n)},{'mf'[n % 2]},{1 + n // 3 % 2},"
        f"{50 + n * 7.5},{n * n + 0.25},Ann,{n * 37 % 211 * 10}"
        for n in range(300)
    ]
    names = "Client no.,seen,sex,kind,weight,share,First name,salary"
    path.write_text("\n".join([names, *visits]))
    output = succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    asked = succeeded("inspect", "people", "--uri", database.uri())
    ((statement,), shown) = (
        [line for line in said.splitlines() if line.startswith("SELECT bkpriv.")]
        for said in (output, asked)
    )
    assert shown == [statement]
    assert "ARRAY['seen', 'sex', 'kind'], 'salary', respondent => 'Client no.'" in statement
    assert '\'{"seen": "year", "kind": "label", "salary": 200}\'' in statement
    said = " ".join(output.split())
    assert "Left out: weight (300 values from" in said
    assert "First name (all records have the same value)" in said
    db.execute(statement.encode())


def test_a_table_of_nothing_else_keeps_its_columns(path: Path, database: Database) -> None:
    path.write_text("number,name\n" + "".join(f"{n},n{n}\n" for n in range(50)))
    output = succeeded("load-csv", str(path), "--table", "people", "--uri", database.uri())
    assert "Left out" not in output
    assert "ARRAY['number'], 'name')" in output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--table", "pg_own.people"), "pg_own"),
        (("--table", "a.b.c"), "does not name a table"),
        (("--table", 'a."b'), "string is not a valid identifier"),
        (("--table", "people", "--delimiter", ";;"), "is not one character"),
        (("--table", "people", "--sensitive", "ages"), "has no column 'ages'"),
        (("--table", "people", "--sensitive", "age", "--attributes", "age"), "is named twice"),
        (("--table", "people", "--sensitive", "age,age"), "is named twice"),
        (("--table", "people", "--period", "age,sex"), "--period names several columns"),
        (
            ("--table", "people", "--attributes", "age,weight,sex,admitted,postcode,disease"),
            "is left for --quasi-identifiers",
        ),
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
