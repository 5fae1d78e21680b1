"""Reading CSV files: types, NULLs, hierarchies, and faults that name their place."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from bkpriv_client.csv_file import read_hierarchies, read_hierarchy
from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from tests.client.loaded import loaded


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
    found = loaded(path, Form(delimiter=",", header=True))
    assert found.types["value"] == kind
    assert len(found.rows) == len(values)


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
    found = loaded(path, Form(header=True))
    assert found.types == {"value": kind}
    assert len(found.rows) == 20_001


def test_quotes_blanks_and_a_byte_order_mark(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbfname;"a ""b"""\r\n"x;y";\r\n\r\n"two\nlines"; z \r\n')
    found = loaded(path, Form(delimiter=";"))
    assert [*found.types] == ["name", 'a "b"']
    assert found.rows == [("x;y", None), ("two\nlines", "z ")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3\n", "line 3: 1 fields where 2 are expected"),
        (b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where 2 are expected"),
        (b'a,b\n1,"2\n', "line 2: a quote is not closed"),
        (b"a,b\n1,2\n1,x\0y\n", "line 3: b holds a NUL"),
        (b'a,b\n1,2\n"x\ny",3\n\0,4\n', "record 3: a holds a NUL"),
    ],
)
def test_a_fault_names_the_file_and_its_place(path: Path, content: bytes, said: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        loaded(path, Form(delimiter=",", header=True))
    assert str(path) in caught.value.message
    assert said in caught.value.message


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(ClientError, match=r"people\.csv: No such file"):
        loaded(path)


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
        ("a;x;*\n\nb;x;*\n", [("a", "x", "*"), ("b", "x", "*")]),
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
        ("a;x;*\n\nb;x;*\na;y;*\n", "record 3: the value 'a' stands in record 1 already"),
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
    with pytest.raises(ClientError, match=r"is not a hierarchy|no records"):
        read_hierarchy(path)


def test_a_line_of_numbers_names_nothing(path: Path) -> None:
    path.write_text("24, 3, 2\n31, 1, 2\n45, 2, 1\n")
    assert loaded(path).header is False
    path.write_text("39,Private\n50,Self\n38,Private\n")
    assert loaded(path).header is False


def test_a_name_means_one_file(tmp_path: Path) -> None:
    directory = tmp_path / "year=2024"
    directory.mkdir()
    (directory / "a*.csv").write_text("a,b\n1,2\n")
    (directory / "ab.csv").write_text("a,b\n3,4\n")
    found = loaded(directory / "a*.csv")
    assert found.rows == [("1", "2")]
    assert [*found.types] == ["a", "b"]


def test_parquet_keeps_its_types(path: Path) -> None:
    day = datetime.date(2024, 2, 29)
    table = pyarrow.table(
        {
            "n": pyarrow.array([1, None], pyarrow.int16()),
            "code": ["01", "2"],
            "text": ["n/a", ""],
            "day": [day, day],
            "at": pyarrow.array([0, 1_500_000], pyarrow.timestamp("us", tz="Europe/Berlin")),
            "sum": [Decimal("1.50"), Decimal("2.25")],
            "share": [0.1, 1e20],
            "yes": [True, False],
        }
    )
    pyarrow.parquet.write_table(table, path)
    found = loaded(path)
    assert [*found.types.values()] == [
        "integer", "text", "text", "date", "timestamptz", "numeric", "float8", "boolean",
    ]  # fmt: skip
    assert found.rows[0][:4] == ("1", "01", "n/a", "2024-02-29")
    assert found.rows[1][:4] == (None, "2", None, "2024-02-29")
    assert "looks missing, but stays a value: 'n/a' (1, record 1)" in found.decisions["text"].why
    assert found.rows[1][5:] == ("2.25", "1e+20", "false")


@pytest.mark.parametrize("content", [b'{"a": 1}\n{"a":\n', b"PAR1" + bytes(20)])
def test_what_duckdb_cannot_read_is_named(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ClientError, match=r"people\.csv cannot be read: ") as caught:
        loaded(path)
    assert "bkpriv-" not in caught.value.message


def test_json_is_read_as_its_texts(path: Path) -> None:
    path.write_text('{"n": 12345678901234567890123, "plz": "01234"}\n{"n": "n/a", "dx": "flu"}\n')
    found = loaded(path)
    assert found.types == {"n": "numeric", "plz": "text", "dx": "text"}
    assert found.rows == [("12345678901234567890123", "01234", None), (None, None, "flu")]
