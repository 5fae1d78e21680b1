"""Wording: values and extents as people write them; what is no JSON of ours stays as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.table.wording import told_in_words, whom_in_words


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ('{"disease":"flu"}', "disease: flu"),
        ('{"disease":"flu","drug":null}', "disease: flu · drug: missing"),
        ('[{"disease":"flu"},{"disease":"flu"}]', "disease: flu / disease: flu"),
        ('{"ns":"1.50","n":1.50}', "ns: 1.50 · n: 1.50"),
        ('{"not":{"disease":"flu"}}', "no record with disease: flu"),
        ('{"not":"flu"}', "not: flu"),
        ('{"not":{}}', '{"not":{}}'),
        ("flu", "flu"),
        ("1.50", "1.50"),
        ("[1,2]", "[1,2]"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("{half", "{half"),
        ("[" * 100_000, "[" * 100_000),
        ("", ""),
    ],
)
def test_what_is_told(label: str, words: str) -> None:
    assert told_in_words(label) == words


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ('{"age": [20, 29.50], "sex": "f"}', "age 20–29.50, sex f"),
        ('{"age": 34, "city": null}', "age 34, city missing"),
        ("{}", ""),
        ("no JSON", "no JSON"),
    ],
)
def test_whom(label: str, words: str) -> None:
    assert whom_in_words(label) == words


BINS = {"born": {"1950-01-01": "1959-12-31", "1960-01-01": "1969-12-31"}, "dose": {"0.5": "<1"}}


@pytest.mark.parametrize(
    ("label", "column", "words"),
    [
        ("1", "hypertension", "hypertension = 1"),
        ("1950-01-01", "born", "born = 1950-01-01 to 1959-12-31"),
        ("0.5", "dose", "dose = 0.5–<1"),
        ('{"a": 1}', "note", 'note = {"a": 1}'),
        ('[{"note":"x"},{"note":null}]', "note", "note: x / note: missing"),
        ('{"not":{"dose":"0.5"}}', "dose", "no record with dose: 0.5–<1"),
        ('{"born":"1950-01-01","dose":"7"}', None, "born: 1950-01-01 to 1959-12-31 · dose: 7"),
    ],
)
def test_a_value_stands_with_its_column_and_bins_as_what_they_hold(
    label: str, column: str | None, words: str
) -> None:
    assert told_in_words(label, column, BINS) == words


def test_people_of_bins_are_told_by_all_that_these_hold() -> None:
    whom = '{"born": ["1950-01-01", "1960-01-01"], "dose": 0.5, "sex": "f"}'
    assert whom_in_words(whom, BINS) == "born 1950-01-01 to 1969-12-31, dose 0.5–<1, sex f"


@given(st.text())
def test_other_text_is_itself(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert told_in_words(text) == whom_in_words(text) == text
