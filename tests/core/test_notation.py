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
from bkpriv_core.table.notation import is_number, json_objects, json_values, qi_json, quoted
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
