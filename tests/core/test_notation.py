"""Values as JSON and text as SQL, read back by who knows better."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.domain import Domain
from bkpriv_core.table.notation import (
    bin_ends,
    is_number,
    json_objects,
    json_values,
    qi_json,
    quoted,
)
from tests.core.oracles import Records
from tests.core.strategies import as_domain, as_table, tables

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


def test_numbers_keep_their_digits() -> None:
    labels = ("-1.50", "0", "1e+25", "12345678901234567890123", "Infinity", "NaN", None)
    positions = np.array([-1.5, 0, 1e25, 1e22, 1e30, 1e31, np.nan])
    numbers = Domain("n", labels, positions)
    everything = np.arange(len(labels))
    as_numbers = ["-1.50", "0", "1e+25", "12345678901234567890123"]
    assert json_values(numbers, everything) == [*as_numbers, '"Infinity"', '"NaN"', "null"]
    words = Domain("n", labels)
    assert json_values(words, everything) == [*(json.dumps(label) for label in labels)]


DAY = 86400.0


@pytest.mark.parametrize(
    ("labels", "positions", "ends", "step", "words"),
    [
        (("40", "50"), [40.0, 50.0], [50.0, 60.0], 1.0, {"40": "49", "50": "59"}),
        (("-0.5", "0.5"), [-0.5, 0.5], [0.5, 1.5], None, {"-0.5": "<0.5", "0.5": "<1.5"}),
        (
            ("1969-01-01", "1970-01-01", None),
            [-365 * DAY, 0.0, np.nan],
            [0.0, 365 * DAY, np.nan],
            DAY,
            {"1969-01-01": "1969-12-31", "1970-01-01": "1970-12-31"},
        ),
        (
            ("1970-01-01 00:00:00",),
            [0.0],
            [3600.0],
            None,
            {"1970-01-01 00:00:00": "<1970-01-01 01:00:00"},
        ),
        (
            ("1970-01-01 00:00:00+00",),
            [0.0],
            [DAY],
            None,
            {"1970-01-01 00:00:00+00": "<1970-01-02 00:00:00+00"},
        ),
        # What Python's calendar does not reach, or another writes, has no words.
        (("44-01-01 BC", "5874000-01-01"), [-6e10, 1.8e14], [-6e10 + DAY, 1.8e14 + DAY], DAY, {}),
        (("9999-12-31 00:00:00",), [253402214400.0], [253402300800.0], None, {}),
    ],
)
def test_bins_end_where_they_do(
    labels: tuple[str | None, ...],
    positions: list[float],
    ends: list[float],
    step: float | None,
    words: dict[str, str],
) -> None:
    domain = Domain("n", labels, np.array(positions), ends=np.array(ends), step=step)
    assert bin_ends(domain) == words
    assert bin_ends(Domain("n", labels, np.array(positions), step=step)) == {}


@pytest.mark.parametrize("label", ["", "-", "01", "1.", ".5", "+1", "1_0", "0x1", "1\u0661", "NaN"])
def test_what_is_no_number_in_json_is_none_here(label: str) -> None:
    assert not is_number(label)


@given(st.decimals(allow_nan=False, allow_infinity=False) | st.floats(allow_nan=False))
def test_numbers_are_numbers(number: Decimal | float) -> None:
    if np.isfinite(float(number)):
        label = str(number)
        assert is_number(label)
        assert json.loads(label, parse_float=Decimal, parse_int=Decimal) == Decimal(label)


@given(tables(), st.data())
def test_rows_are_objects_of_names_and_values(records: Records, data: st.DataObject) -> None:
    attributes = (*records.attributes, records.sensitive)
    rows = data.draw(st.lists(st.sampled_from(records.rows), max_size=5))
    codes = np.array(
        [[a.values.index(value) for a, value in zip(attributes, row, strict=True)] for row in rows],
        dtype=np.int64,
    ).reshape(-1, len(attributes))
    found = [json.loads(text) for text in json_objects([*map(as_domain, attributes)], codes)]
    expected = [
        {
            a.name: int(value) if a.numbers and value is not None else value
            for a, value in zip(attributes, row, strict=True)
        }
        for row in rows
    ]
    assert found == expected


@given(tables())
def test_cells_are_named_by_their_quasi_identifiers(records: Records) -> None:
    table = as_table(records)
    cells = np.arange(table.cells)[::-1]
    expected = json_objects(table.quasi_identifiers, table.codes)[::-1]
    assert qi_json(table, cells) == expected
    assert len(set(expected)) == table.cells


def test_a_row_without_attributes_is_an_empty_object() -> None:
    assert json_objects([], np.zeros((2, 0), dtype=np.int64)) == ["{}", "{}"]


@given(texts, texts)
def test_names_and_labels_of_any_characters_are_read_back(name: str, label: str) -> None:
    (text,) = json_objects([Domain(name, (label,))], np.zeros((1, 1), dtype=np.int64))
    assert json.loads(text) == {name: label}


@given(texts)
def test_quoted_text_is_read_back(text: str) -> None:
    tree = sqlglot.parse_one(f"SELECT {quoted(text)}", dialect="postgres")
    (literal,) = tree.find_all(sqlglot.exp.Literal)
    assert (literal.this, literal.is_string) == (text, True)
