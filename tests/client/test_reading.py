"""Values as numbers, days and truths, against what they are made of."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.column import Stated
from bkpriv_client.csv_file import open_csv
from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from bkpriv_client.reading import NUMBERS, date_reading
from tests.client.loaded import loaded


@dataclass(frozen=True)
class _Column:
    """A column as it was decided, with its values as they are loaded."""

    type: str
    why: str
    loss: bool
    missing: int
    written: list[str | None]


def _decided(*columns: Sequence[str], stated: Stated | None = None) -> list[_Column]:
    names = ["key", *(f"c{number}" for number in range(len(columns)))]
    form = Form(delimiter=",", quote='"', header=True, above=0, below=0)
    with TemporaryDirectory() as directory:
        path = Path(directory) / "values.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(("k", *row) for row in zip_longest(*columns, fillvalue=""))
        found = loaded(path, form, stated)
    decisions = [found.decisions[name] for name in names[1:]]
    return [
        _Column(each.type, each.why, each.loss, each.missing, [row[place] for row in found.rows])
        for place, each in enumerate(decisions, start=1)
    ]


@pytest.mark.parametrize(
    ("values", "kind", "written"),
    [
        (["1,5", "12,25"], "numeric", ["1.5", "12.25"]),
        (["1.234,5", "7"], "numeric", ["1234.5", "7"]),
        (["1,234.5", "7"], "numeric", ["1234.5", "7"]),
        (["1,234,567", "1,000"], "integer", ["1234567", "1000"]),
        (["1 234,5", "1\u00a0000"], "numeric", ["1234.5", "1000"]),
        (["1'234.50", "5"], "numeric", ["1234.50", "5"]),
        (["5 %", "7,5%"], "numeric", ["5", "7.5"]),
        (["$1,234.50", "$3"], "numeric", ["1234.50", "3"]),
        (["3 €", "1.234,50 €"], "numeric", ["3", "1234.50"]),
        ([" 7", "8 "], "integer", ["7", "8"]),
        (["31.0", "", "8.0"], "integer", ["31", None, "8"]),
        (["31.0", "8.5"], "numeric", ["31.0", "8.5"]),
        (["31.00", "8.00"], "numeric", ["31.00", "8.00"]),
        (["31,0", "8,0"], "integer", ["31", "8"]),
        (["1e5", "1e6000"], "text", ["1e5", "1e6000"]),
        (["Ja", "nein"], "boolean", ["true", "false"]),
        (["29.2.2024", "1.12.1999"], "date", ["2024-02-29", "1999-12-01"]),
        (["12/31/2024", "1/2/2024"], "date", ["2024-12-31", "2024-01-02"]),
        (["31-Dec-2024", "1-jan-2024"], "date", ["2024-12-31", "2024-01-01"]),
        (["Mar 3, 2024", "September 30, 2024"], "date", ["2024-03-03", "2024-09-30"]),
        (
            ["31.12.2024 08:15", "1.2.2024 23:59:59"],
            "timestamp",
            ["2024-12-31 08:15", "2024-02-01 23:59:59"],
        ),
        (
            ["12/31/2024 12:05 AM", "1/2/2024 1:30 PM"],
            "timestamp",
            ["2024-12-31 12:05 AM", "2024-01-02 1:30 PM"],
        ),
        (["1", "n/a", "?", "NA", ""], "integer", ["1", None, None, None, None]),
        (["a", "n/a"], "text", ["a", "n/a"]),
        (["01234", "99999"], "text", ["01234", "99999"]),
        (["1234567", "012"], "text", ["1234567", "012"]),
        (["a ", "  "], "text", ["a ", None]),
        (["5%", "7"], "text", ["5%", "7"]),
        (["1.2.3", "1"], "text", ["1.2.3", "1"]),
    ],
)
def test_values_are_written_as_postgresql_reads_them(
    values: list[str], kind: str, written: list[str | None]
) -> None:
    (decision,) = _decided(values)
    assert decision.type == kind, decision.why
    assert decision.written == written


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["1"] * 9_999 + ["12o"], "9,999 of 10,000 values are numbers, but not '12o' (line 10001)"),
        (["x"] + ["1"] * 20, "20 of 21 values are numbers, but not 'x' (line 2)"),
        (["03/04/2024", "05/06/2024"], "days, DD/MM/YYYY or MM/DD/YYYY: '03/04/2024' (line 2)"),
        (["1.2.24", "3.4.25"], "--date-format DD.MM.YY"),
        (["1,234", "2,345"], "--decimal , or --decimal ."),
        (["2024-01-01", "31.12.2024"], "days in two forms, YYYY-MM-DD and DD.MM.YYYY"),
        (["5%", "7"], "numbers with % and no sign"),
        (["2024-01-01 10:00", "2024-01-01 10:00Z"], "times with a zone and others without one"),
        (["yes"] * 5 + ["no"] * 5 + ["maybe"], "10 of 11 values are truths (yes, no)"),
    ],
)
def test_a_type_is_not_lost_in_silence(values: list[str], said: str) -> None:
    (decision,) = _decided(values)
    assert decision.type == "text"
    assert decision.loss
    assert said in decision.why


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["01234", "99999"], "leading zeros, as of codes: 01234 (line 2)"),
        (["1", "n/a", "n/a"], "taken as missing: 'n/a' (2, from line 3)"),
        (["a", "?"], "looks missing, but stays a value: '?' (1, line 3); else say --null '?'"),
        (["20240229", "20240301"], "if they are days, say --date-format YYYYMMDD"),
        (["a\x07", " b"], "blanks at the ends of values stay (1); control characters stay"),
        (["", ""], "no values"),
        (["1,5", "2,5"], "decimal comma"),
    ],
)
def test_what_is_particular_is_said(values: list[str], said: str) -> None:
    (decision,) = _decided(values)
    assert not decision.loss
    assert said in decision.why


def test_what_is_stated_settles_it() -> None:
    stated = Stated(nulls={"": frozenset({"12o"})}, dates={"": ("DD/MM/YYYY",)}, decimal=",")
    numbers, days, commas, both = _decided(
        ["1"] * 20 + ["12o"],
        ["03/04/2024", "05/06/2024"],
        ["1,234", "2,345"],
        ["2024-01-01", "31/12/2024"],
        stated=stated,
    )
    assert (numbers.type, numbers.missing) == ("integer", 1)
    assert (days.type, days.written[0]) == ("date", "2024-04-03")
    assert (commas.type, commas.written[0]) == ("numeric", "1.234")
    assert both.type == "text"  # one form was stated, not the other
    stated = Stated(dates={"c0": ("YYYY-MM-DD", "MM/DD/YY"), "c1": ("YYYYMMDD",)})
    first, second, third = _decided(
        ["2024-01-01", "12/31/68", "12/31/69"], ["20240229", "19700101"], ["20240229"],
        stated=stated,
    )  # fmt: skip
    assert first.written == ["2024-01-01", "2068-12-31", "1969-12-31"]
    assert (second.type, second.written[0]) == ("date", "2024-02-29")
    assert third.type == "integer"


def test_a_column_tells_the_decimal_sign_of_another() -> None:
    price, weight = _decided(["1,234", "2.345"][:1], ["1,5", "70,25"])
    assert (price.type, price.written[0]) == ("numeric", "1.234")
    assert weight.type == "numeric"
    points, _ = _decided(["1.234", "2.345"], ["1,5", "70,25"])
    assert (points.type, points.written[0]) == ("integer", "1234")


@pytest.mark.parametrize("form", ["", "DD.MM", "%d.%m.%Y", "DD.DD.YYYY", "DD.MM.YYYY HH24:MI"])
def test_what_is_no_form_of_a_date_is_refused(form: str) -> None:
    with pytest.raises(ClientError, match="is not the form of a date"):
        date_reading(form)


@given(st.integers(-(10**12), 10**12), st.integers(0, 4), st.sampled_from(list(NUMBERS)))
def test_numbers_are_read_as_they_were_written(
    whole: int, places: int, signs: tuple[str, str]
) -> None:
    decimal, group = signs
    number = Decimal(whole).scaleb(-places)
    plain = f"{number:,f}".replace(",", "_").replace(".", decimal).replace("_", group)
    (column,) = _decided(
        # Beside it, what shows which signs are meant.
        [plain, f"1{group}000{decimal}5"], stated=Stated(decimal=decimal),
    )  # fmt: skip
    assert column.written[0] is not None
    assert Decimal(column.written[0]) == number


@given(
    st.dates(datetime.date(1970, 1, 1), datetime.date(2068, 12, 31)),
    st.sampled_from(
        [
            ("DD.MM.YYYY", "%d.%m.%Y"),
            ("MM/DD/YY", "%m/%d/%y"),
            ("YYYYMMDD", "%Y%m%d"),
            ("DD MON YYYY", "%d %B %Y"),
            ("MON DD, YYYY", "%b %d, %Y"),
        ]
    ),
)
def test_days_are_read_as_they_were_written(day: datetime.date, form: tuple[str, str]) -> None:
    (column,) = _decided([day.strftime(form[1])], stated=Stated(dates={"": (form[0],)}))
    assert (column.type, column.written) == ("date", [day.isoformat()])


_FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8).filter(
    lambda text: not text.startswith(" ")
)


@given(
    st.lists(st.tuples(_FIELD, _FIELD), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_fields_are_read_as_they_were_written(
    rows: list[tuple[str, str]], delimiter: str, encoding: str, end: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["key", "a", "b"])
    writer.writerows(("k", *row) for row in rows)
    with TemporaryDirectory() as directory:
        path = Path(directory) / "fields.csv"
        path.write_bytes(out.getvalue().encode(encoding))
        form = Form(delimiter=delimiter, quote='"', header=True, above=0, below=0)
        with open_csv(path, form) as file:
            file.settle(header=True)
            file.read()
            read = file.db.execute("FROM records ORDER BY rowid").fetchall()
    assert [tuple(field or "" for field in row) for row in read] == [("k", *row) for row in rows]
