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


@given(st.text())
def test_other_text_is_itself(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert told_in_words(text) == whom_in_words(text) == text
