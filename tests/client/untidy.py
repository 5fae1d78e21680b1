"""Untidy CSV files as people have them, drawn anew each time, with what is true of each.

Each is untidy in one way or in several that go together. Their people are drawn; nothing of a file
was found anywhere.
"""

from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow

__all__ = ["FILES", "Untidy"]

_RECORDS = 60


@dataclass(frozen=True)
class Untidy:
    """A file, and what is true of it."""

    name: str
    """Untidiness, as the file's name."""
    content: bytes
    text: str
    """Text that it holds, unpacked and decoded."""
    delimiter: str
    quote: str
    """Character between fields, and that around them; empty where nothing is quoted."""
    above: int
    """Lines before the first record or the line of names."""
    header: bool
    names: tuple[str, ...]
    """The columns; empty where the file has no names."""
    types: tuple[str, ...]
    records: int
    stated: str = ""
    """Option without which the file is refused, for it does not say what that says."""


_NAMES = ("age", "sex", "weight", "seen", "postcode", "diagnosis")
_TYPES = ("integer", "text", "numeric", "date", "text", "text")
_WARDS = ("Zürich", "Besançon", "Málaga", "Gävle", "Århus", "Köln-Süd")
_GREEK = ("Αθήνα", "Θεσσαλονίκη", "Πάτρα", "Ηράκλειο", "Λάρισα", "Βόλος")
_RUSSIAN = ("Москва", "Санкт-Петербург", "Новосибирск", "Казань", "Самара", "Воронеж")
_POLISH = ("Łódź", "Kraków", "Gdańsk", "Wrocław", "Częstochowa", "Świnoujście")
_JAPANESE = ("東京", "大阪市", "横浜", "名古屋", "札幌です", "京都のまち")


def _people(records: int = _RECORDS, seed: int = 1) -> list[list[str]]:
    """Draw people: age, sex, weight, a day, postcode, diagnosis."""
    draw = random.Random(seed)
    first = datetime.date(2023, 1, 1)
    return [
        [
            str(draw.randint(18, 95)),
            draw.choice(["male", "female"]),
            f"{draw.uniform(45, 120):.1f}",
            (first + datetime.timedelta(draw.randrange(700))).isoformat(),
            f"{draw.randrange(100):02}{draw.randrange(1000):03}",
            draw.choice(["influenza", "heart disease", "diabetes", "asthma", "fracture"]),
        ]
        for _ in range(records)
    ]


def _written(
    rows: Iterable[Sequence[str]],
    delimiter: str = ",",
    quote: str = '"',
    *,
    quoting: Literal[0, 1, 2, 3] = csv.QUOTE_MINIMAL,
    end: str = "\n",
) -> str:
    out = io.StringIO()
    csv.writer(
        out,
        delimiter=delimiter,
        quotechar=quote,
        quoting=quoting,
        lineterminator=end,
    ).writerows(rows)
    return out.getvalue()


def _changed(column: int, change: Callable[[int, str], str]) -> list[list[str]]:
    people = _people()
    for number, row in enumerate(people):
        row[column] = change(number, row[column])
    return people


def _file(
    name: str,
    rows: Sequence[Sequence[str]] | str,
    delimiter: str = ",",
    quote: str = "",
    *,
    above: str = "",
    header: Sequence[str] = _NAMES,
    names: Sequence[str] | None = None,
    types: Sequence[str] = _TYPES,
    below: str = "",
    encoding: str = "utf-8",
    pack: Callable[[bytes], bytes] = bytes,
    records: int | None = None,
    stated: str = "",
    **written: object,
) -> Untidy:
    body = (
        rows
        if isinstance(rows, str)
        else _written(
            [*([list(header)] if header else []), *rows],
            delimiter,
            quote or '"',
            **written,  # type: ignore[arg-type]
        )
    )
    text = above + body + below
    return Untidy(
        name,
        pack(text.encode(encoding)),
        text,
        delimiter,
        quote,
        above.count("\n"),
        bool(header),
        tuple(header if names is None else names),
        tuple(types),
        len(rows) if records is None else records,
        stated,
    )


def _zstd(content: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue().to_pybytes())


def _comma(number: str) -> str:
    return number.replace(".", ",")


def _day(form: str) -> Callable[[int, str], str]:
    return lambda _, value: datetime.date.fromisoformat(value).strftime(form)


def _dialects() -> list[Untidy]:
    people = _people()
    remarks = ["well, so far", 'said "fine"', "two\nlines", "", "a; b; c", "it's"]
    noted = [[*row, remarks[number % 6]] for number, row in enumerate(people)]
    noted_names, noted_types = (*_NAMES, "remark"), (*_TYPES, "text")
    german = _changed(2, lambda _, value: _comma(value))
    return [
        _file("plain", people),
        _file("semicolons", people, ";"),
        _file("tabs", people, "\t"),
        _file("pipes", people, "|"),
        _file("semicolons_decimal_comma", german, ";"),
        _file("all_quoted", people, ",", '"', quoting=csv.QUOTE_ALL),
        _file("semicolons_all_quoted_crlf", german, ";", '"', quoting=csv.QUOTE_ALL, end="\r\n"),
        _file("quoted_where_needed", noted, ",", '"', header=noted_names, types=noted_types),
        _file("decimal_comma_in_quotes", german, ",", '"'),
        _file("single_quotes", noted, ",", "'", header=noted_names, types=noted_types),
        _file("carriage_returns_only", people, end="\r"),
        _file(
            "blank_after_comma",
            "\n".join(", ".join(row) for row in [_NAMES, *people]) + "\n",
            records=_RECORDS,
        ),
        _file("excel_sep_line", people, ";", above="sep=;\n"),
        _file("comments_above", people, above="# drawn\n# 60 people, 2 wards\n"),
        _file("title_above", people, ";", above="Export of people;;;;;\n;;;;;\n"),
        _file(
            "one_column",
            [[row[5]] for row in people],
            header=["diagnosis"],
            types=["text"],
        ),
        _file(
            "commas_within_tabs",
            [[row[0], f"{row[5]}, {row[1]}, ward {row[4][0]}"] for row in people],
            "\t",
            header=["age", "remark"],
            types=["integer", "text"],
        ),
        _file(
            "times_with_colons",
            [[row[0], f"{row[3]} 0{number % 10}:30:00"] for number, row in enumerate(people)],
            ";",
            header=["age", "seen"],
            types=["integer", "timestamp"],
        ),
    ]


def _headers() -> list[Untidy]:
    people = _people()
    numbers = [[row[0], row[2], str(number % 7)] for number, row in enumerate(people)]
    words = [[row[1], row[5], "ABC"[number % 3]] for number, row in enumerate(people)]
    with_index = [[str(number), *row] for number, row in enumerate(people, start=1)]
    return [
        _file(
            "no_header", people, header=(), names=[f"column_{n}" for n in range(1, 7)],
            stated="--no-header",
        ),
        _file(
            "no_header_of_numbers", numbers, header=(), types=["integer", "numeric", "integer"],
            names=["column_1", "column_2", "column_3"], stated="--no-header",
        ),
        _file(
            "no_header_of_words", words, header=(), types=["text"] * 3,
            names=["column_1", "column_2", "column_3"], stated="--no-header",
        ),
        _file("header_over_words", words, header=["sex", "diagnosis", "ward"], types=["text"] * 3),
        _file(
            "years_as_names", numbers, header=["person", "2023", "2024"],
            types=["integer", "numeric", "integer"],
        ),
        _file(
            "row_numbers", with_index, ",", '"', header=["", *_NAMES],
            names=["column_1", *_NAMES], types=["integer", *_TYPES],
        ),
        _file(
            "names_twice", [[*row, row[0]] for row in people], header=[*_NAMES, "age"],
            names=[*_NAMES, "age_2"], types=[*_TYPES, "integer"],
        ),
        _file(
            "trailing_delimiter", [[*row, ""] for row in people], ";", header=[*_NAMES, ""],
            names=_NAMES,
        ),
    ]  # fmt: skip


def _encodings() -> list[Untidy]:
    def towns(places: Sequence[str]) -> list[list[str]]:
        return _changed(5, lambda number, _: places[number % len(places)])

    return [
        _file("utf8_bom", towns(_WARDS), ";", encoding="utf-8-sig"),
        _file("utf16_tabs", towns(_WARDS), "\t", encoding="utf-16"),
        _file(
            "utf16_without_mark",
            towns(_WARDS),
            encoding="utf-16-le",
            stated="--encoding utf-16-le",
        ),
        _file("latin1", towns(_WARDS), ";", encoding="latin-1", stated="--encoding latin-1"),
        _file(
            "cp1252_euro_and_quotes",
            _changed(5, lambda number, value: f"„{value}“ – {number} €"),
            ";",
            encoding="cp1252",
            stated="--encoding cp1252",
        ),
        _file("cp1250_polish", towns(_POLISH), ";", encoding="cp1250", stated="--encoding cp1250"),
        _file(
            "cp1251_russian", towns(_RUSSIAN), ";", encoding="cp1251", stated="--encoding cp1251"
        ),
        _file("cp1253_greek", towns(_GREEK), ";", encoding="cp1253", stated="--encoding cp1253"),
        _file("shift_jis", towns(_JAPANESE), encoding="shift_jis", stated="--encoding shift_jis"),
        _file(
            "late_latin1",
            _changed(5, lambda number, value: value if number < _RECORDS - 1 else "Ménière"),
            encoding="latin-1",
            stated="--encoding latin-1",
        ),
    ]


def _values() -> list[Untidy]:
    def typed(column: int, kind: str) -> tuple[str, ...]:
        return (*_TYPES[:column], kind, *_TYPES[column + 1 :])

    dates = _changed(3, _day("%d.%m.%Y"))
    return [
        _file("missing_n_a", _changed(0, lambda number, value: "n/a" if number == 40 else value)),
        _file("days_with_dots", dates, ";"),
        _file("days_with_slashes", _changed(3, _day("%m/%d/%Y"))),
        _file(
            "yes_and_no",
            _changed(1, lambda number, _: "ja" if number % 2 else "nein"),
            types=typed(1, "boolean"),
        ),
        _file(
            "thousands",
            _changed(2, lambda number, _: f"{1000 * number + 1_000_001:,}.50"),
            ",",
            '"',
        ),
        _file(
            "percent",
            _changed(2, lambda _, value: f"{value}%"),
        ),
        _file(
            "total_at_the_end", _people(), ";", below="Total;;4711.5;;;\n", stated="--skip-last 1"
        ),
    ]


def _packed() -> list[Untidy]:
    people = _people()
    return [
        _file("gzip", people, pack=gzip.compress),
        _file("bzip2", people, ";", pack=bz2.compress),
        _file("zstd", people, pack=_zstd),
    ]


FILES: tuple[Untidy, ...] = (*_dialects(), *_headers(), *_encodings(), *_values(), *_packed())
