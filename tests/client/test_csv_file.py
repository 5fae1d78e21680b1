"""Reading CSV files: types, NULLs, hierarchies, and faults that name their place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bkpriv_client.csv_file import CsvFile, Form, read_hierarchies, read_hierarchy
from bkpriv_client.failure import ClientError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-20", "0"], "integer"),
        (["2147483647"], "integer"),
        (["2147483648"], "bigint"),
        (["9223372036854775807", "1"], "bigint"),
        (["9223372036854775808"], "numeric"),
        (["9" * 5000], "numeric"),
        (["1", "2.5"], "numeric"),
        (["1e6", "-.5", "3."], "numeric"),
        (["."], "text"),
        (["007"], "text"),
        (["1", "-"], "integer"),
        (["1", "x"], "text"),
        (["\u0661"], "text"),
        (["1 "], "integer"),
        (['"£30,984"', '"£950"'], "integer"),
        (['"30,984 €"'], "integer"),
        (["€30.984"], "integer"),
        (["30.984"], "numeric"),
        (['"30,984%"'], "text"),
        (["NaN"], "text"),
        (["2024-02-29", "1999-12-31"], "date"),
        (["2023-02-29"], "text"),
        (["2024-02-29", "20"], "text"),
        (["29/02/2024"], "date"),
        (["02/03/2024"], "text"),
        (["03/03/2024"], "date"),
        (["2024-02-29 12:30", "2024-02-29T23:59:59.999999"], "timestamp"),
        (["2024-02-29", "2024-02-29 12:30"], "timestamp"),
        (["2024-02-29 12:30Z", "2024-02-29T12:30:00+05:30", "2024-02-29 12:30 -08"], "timestamptz"),
        (["2024-02-29 12:30", "2024-02-29 12:30Z"], "text"),
        (["2024-02-29", "2024-02-29 12:30Z"], "text"),
        (["2023-02-29 12:30"], "text"),
        (["2024-02-29 24:00"], "text"),
        (["2024-02-29 12:60"], "text"),
        (["2024-02-29 12:30:00.1234567"], "text"),
        (["2024-02-29 12"], "text"),
        (["12:30"], "text"),
        (["true", "False", ""], "boolean"),
        (["TRUE"], "boolean"),
        (["f", "m"], "text"),
        (["f"], "text"),
        (["yes", "no"], "boolean"),
        (["yes", "yes"], "text"),
        (["yes", "nein"], "text"),
        (["true", "1"], "text"),
        (["", "7"], "integer"),
        (["", ""], "text"),
    ],
)
def test_a_column_gets_the_narrowest_type_of_all_its_values(
    path: Path, values: list[str], kind: str
) -> None:
    path.write_text("key,value\n" + "".join(f"k,{value}\n" for value in values))
    study = CsvFile.open(path, Form(delimiter=",", header=True)).study()
    assert study.types["value"] == kind
    assert study.records == len(values)


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("1", "8589934592", "bigint"),
        ("1", "1.5", "numeric"),
        ("1", "2024-01-01", "text"),
        ("1", "x", "text"),
        ("2024-01-01", "2024-01-01 12:30", "timestamp"),
        ("2024-01-01 12:30", "2024-01-01", "timestamp"),
        ("2024-01-01 12:30", "2024-01-01 12:30Z", "text"),
        ("2024-01-01", "1", "text"),
        ("true", "1", "text"),
    ],
)
def test_a_late_value_widens_the_type(path: Path, first: str, last: str, kind: str) -> None:
    path.write_text("value\n" + f"{first}\n" * 20_000 + last + "\n")
    study = CsvFile.open(path, Form(header=True)).study()
    assert study.types == {"value": kind}
    assert study.records == 20_001


def test_quotes_blanks_and_a_byte_order_mark(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbfname;"a ""b"""\r\n"x;y";\r\n\r\n"two\nlines"; z \r\n')
    file = CsvFile.open(path, Form(delimiter=";"))
    assert file.names == ("name", 'a "b"')
    assert list(file.rows(file.study())) == [("x;y", None), ("two\nlines", " z ")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3\n", "line 3: 1 fields where 2 are expected"),
        (b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where 2 are expected"),
        (b'a,b\n1,"2\n', "line 2: unexpected end of data"),
        (b"a,b\n1,2\n1,x\0y\n", "line 3: character 4 is NUL"),
    ],
)
def test_a_fault_names_the_file_and_its_place(path: Path, content: bytes, said: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        CsvFile.open(path, Form(delimiter=",", header=True)).study()
    assert str(path) in caught.value.message
    assert said in caught.value.message


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(ClientError, match=r"people\.csv: No such file"):
        CsvFile.open(path)


def test_hierarchies_are_found_by_their_attribute(tmp_path: Path) -> None:
    (tmp_path / "hierarchy_sex.csv").write_text("leaf,root\nmale,*\nfemale,*\n")
    (tmp_path / "hierarchy_other.csv").write_text("leaf,root\nx,*\n")
    assert read_hierarchies(tmp_path, ("age", "sex")) == {"sex": [("male", "*"), ("female", "*")]}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_hierarchies_of_arx_are_read_as_they_are(path: Path, mark: str, end: str) -> None:
    rows = (
        ("1", "[0, 5[", "[0, 10[", "*"),
        ("7", "[5, 10[", "[0, 10[", "*"),
        ("12", "[10, 15[", "[10, 20[", "*"),
    )
    path.write_bytes((mark + "".join(";".join(row) + end for row in rows)).encode())
    assert tuple(read_hierarchy(path)) == rows


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ('"Doctor; senior";"Care ""A""";*\nNurse;Care;*\n',
         [("Doctor; senior", 'Care "A"', "*"), ("Nurse", "Care", "*")]),
        ("1,5;0-4;*\n2,5;0-4;*\n", [("1,5", "0-4", "*"), ("2,5", "0-4", "*")]),
        ("M;*\n", [("M", "*")]),
        ("a;all\nb;all\n", [("a", "all"), ("b", "all")]),
        ("value;root\na;all\n", [("a", "all")]),
        ("a;x;*\nb;x;*\na;x;*\n", [("a", "x", "*"), ("b", "x", "*")]),
        ("a;x;*\n\nb;x;*;\n", [("a", "x", "*"), ("b", "x", "*")]),
    ],
)  # fmt: skip
def test_the_root_tells_rows_from_names(
    path: Path, content: str, rows: list[tuple[str, ...]]
) -> None:
    path.write_text(content)
    assert read_hierarchy(path) == rows


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a;x;*\nb;*\nc;x;*\n", "line 2: 2 fields where 3 are expected"),
        ("a;x;*\nb;x;y;*\nc;x;*\n", "line 2: 4 fields where 3 are expected"),
        ("a;x;*\n\nb;x;*\na;y;*\n", "line 4: the value 'a' stands in line 1 already"),
        ("value;coarse;root\na;x;*\na;y;*\n", "line 3: the value 'a' stands in line 2 already"),
    ],
)
def test_faults_of_a_hierarchy_name_their_lines(path: Path, content: str, said: str) -> None:
    path.write_text(content)
    with pytest.raises(ClientError, match=re.escape(said)):
        read_hierarchy(path)


def test_hierarchies_may_be_named_by_the_data(tmp_path: Path) -> None:
    for name in ("adult_hierarchy_marital-status", "adult_hierarchy_sex", "hierarchy_sex"):
        (tmp_path / f"{name}.csv").write_text(f"{name};*\n")
    found = read_hierarchies(tmp_path, ("sex", "status", "marital-status", "[a-z]"))
    assert found == {
        "sex": [("hierarchy_sex", "*")],
        "marital-status": [("adult_hierarchy_marital-status", "*")],
    }
    (tmp_path / "census_hierarchy_marital-status.csv").write_text("x;*\n")
    with pytest.raises(ClientError, match="several hierarchies of marital-status"):
        read_hierarchies(tmp_path, ("marital-status",))


@pytest.mark.parametrize("content", ["leaf,root\n", "leaf\nmale\n", ";\n;\n"])
def test_what_is_no_hierarchy_is_refused(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(ClientError, match="is not a hierarchy"):
        read_hierarchy(path)


@pytest.mark.parametrize(
    "words", [[*["£"] * 30, "José", "Siân", "García", "Zoë", "Müller", "Chloé"], ["£"] * 9]
)
def test_signs_of_money_do_not_tell_the_encoding(path: Path, words: list[str]) -> None:
    rows = "".join(f"{number},{word}{number}\n" for number, word in enumerate(words * 20))
    path.write_bytes(f"number,word\n{rows}".encode("cp1252"))
    assert CsvFile.open(path).encoding.name == "cp1252"


def test_a_line_of_numbers_names_nothing(path: Path) -> None:
    path.write_text("24, 3, 2\n31, 1, 2\n45, 2, 1\n")
    file = CsvFile.open(path)
    assert file.header is False
    assert file.layout.plain
    path.write_text("39,Private\n50,Self\n38,Private\n")
    assert not CsvFile.open(path).layout.plain
