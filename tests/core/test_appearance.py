"""Looks of columns: by their values first, by their names in addition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bkpriv_core.table.appearance import Kind, Seen, judge, with_sensitive
from bkpriv_core.table.dependence import Classified

LABELS = Seen("c", "text", valued=1000, nulls=0, values=5, shortest=3, longest=9, length=5.0)
NUMBERS = Seen(
    "c", "whole", valued=1000, nulls=0, values=70, low=18, high=90, shortest=2, longest=2
)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (replace(LABELS, values=1), "constant"),
        (replace(LABELS, valued=0, nulls=1000, values=0), "constant"),
        (replace(LABELS, values=1, nulls=9), "label, quasi-identifier"),
        (replace(LABELS, values=990), "key"),
        (replace(LABELS, mailed=1.0), "key"),
        (replace(LABELS, values=990, wordy=0.8, length=40.0), "free text"),
        (replace(LABELS, length=100.0), "free text"),
        (replace(LABELS, dated=1.0), "date, quasi-identifier"),
        (replace(LABELS, kind="time", values=999), "date, quasi-identifier"),
        (replace(LABELS, coded=1.0), "code, quasi-identifier"),
        (replace(LABELS, coded=1.0, ill=1.0), "code, sensitive"),
        (replace(LABELS, ill=0.5), "label, sensitive"),
        (replace(LABELS, sexed=1.0, values=2), "label, quasi-identifier"),
        (NUMBERS, "number, quasi-identifier"),
        (replace(NUMBERS, values=1000, low=1, high=1000), "key"),
        (replace(NUMBERS, values=1000, low=10**8, high=10**9 - 1, shortest=9, longest=9), "key"),
        (replace(NUMBERS, values=1000, low=1, high=10**6, longest=6), "number"),
        (replace(NUMBERS, values=6, low=1, high=6), "code, quasi-identifier"),
        (
            replace(NUMBERS, low=10_000, high=99_999, shortest=5, longest=5),
            "code, quasi-identifier",
        ),
        (replace(NUMBERS, low=1920, high=2020, shortest=4, longest=4), "number, quasi-identifier"),
        (replace(NUMBERS, kind="number", values=1000), "number"),
        (replace(NUMBERS, kind="number", values=800), "number, quasi-identifier"),
        (replace(NUMBERS, name="salary", kind="number", values=1000), "number, sensitive"),
    ],
)
def test_values_say_what_a_column_looks_like(seen: Seen, words: str) -> None:
    assert judge(seen).words == words
    assert judge(seen).reason


@pytest.mark.parametrize(
    "name", ["diagnosis", "Hauptdiagnose", "MALADIE", "enfermedad", "monthlyIncome", "hiv_status"]
)
def test_names_say_what_is_sensitive(name: str) -> None:
    assert judge(replace(LABELS, name=name)).role == "sensitive"


@pytest.mark.parametrize(
    "name", ["plz", "PLZ_Wohnort", "Post code", "birthDate", "Geburtsjahr", "código postal"]
)
def test_names_say_what_others_know(name: str) -> None:
    looked = judge(replace(LABELS, name=name))
    assert (looked.role, looked.named) == ("quasi_identifiers", True)


@pytest.mark.parametrize("name", ["diagnosis", "zip", "id", "patient"])
def test_a_name_alone_decides_nothing(name: str) -> None:
    assert judge(replace(LABELS, name=name, values=1)).words == "constant"
    assert judge(replace(LABELS, name=name, values=999)).words == "key"
    assert judge(replace(LABELS, name=name)).looks_like == "label"


@pytest.mark.parametrize(
    "name",
    ["Surname", "First name", "NACHNAME", "last_name", "vorname", "first", "Name", "Prénom", "imię",
     "Nombre", "patient name", "mother name", "etternavn", "ad soyad"],
)  # fmt: skip
def test_names_of_people_have_no_role(name: str) -> None:
    looked = judge(replace(LABELS, name=name, values=300))
    assert (looked.looks_like, looked.role, looked.identifies) == ("label", None, True)
    assert "names people" in looked.reason


@pytest.mark.parametrize("name", ["town name", "ward_name", "product name", "first visit", "title"])
def test_names_of_other_things_are_none_of_people(name: str) -> None:
    looked = judge(replace(LABELS, name=name, values=300))
    assert (looked.role, looked.identifies) == ("quasi_identifiers", False)


def test_values_that_read_like_names_of_people_have_no_role() -> None:
    looked = judge(replace(LABELS, values=300, called=0.3))
    assert (looked.looks_like, looked.role) == ("label", None)
    assert looked.reason.endswith("they read like names of people")
    assert judge(replace(LABELS, values=300, called=0.29)).role == "quasi_identifiers"
    assert judge(replace(LABELS, name="city", values=300, called=0.5)).role == "quasi_identifiers"


def test_words_within_words_are_no_hints() -> None:
    for name in ("language", "message", "price", "identity_kind", "percentage"):
        assert not judge(replace(LABELS, name=name)).named


def test_a_column_may_name_people_of_several_records() -> None:
    seen = replace(NUMBERS, name="patient_id", values=100, high=100, longest=3)
    assert judge(seen).role == "respondent"
    assert judge(replace(seen, name="c")).role == "quasi_identifiers"


FAMILIES = replace(
    NUMBERS, valued=800, values=200, low=1001, high=1200, shortest=4, longest=4, shared=800,
    sizes=(4.0, 1.5),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("household", {}),
        ("HH_ID", {"high": 90_000}),
        ("Rechnungsnr", {}),
        ("c", {}),
        ("invoice no.", {"sizes": (4.0, 90.0)}),
        ("class", {"valued": 600, "values": 30, "shared": 560, "kind": "text", "coded": 1.0}),
        ("ward bed", {"values": 60, "kind": "text", "coded": 1.0}),
        ("c", {"kind": "text", "coded": 1.0}),
    ],
)
def test_numbers_of_households_beds_and_invoices_have_no_role(
    name: str, changes: dict[str, Any]
) -> None:
    looked = judge(replace(FAMILIES, name=name, **changes))
    assert (looked.looks_like, looked.role) == ("key", None)
    assert "as numbers of households, beds or invoices have" in looked.reason


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("age", {}),
        ("household_income", {}),
        ("zip", {}),
        ("class_size", {"values": 60, "high": 60}),
        ("weight", {"values": 80, "sizes": (10.0, 60.0)}),
        ("score", {"sizes": (4.0, 20.0)}),
        ("household", {"shared": 300}),
        ("class", {"values": 3, "shared": 0}),
        ("steps", {"high": 20_000}),
        ("town", {"kind": "text"}),
        ("family", {"kind": "text"}),
    ],
)
def test_numbers_that_measure_something_are_none_of_these(
    name: str, changes: dict[str, Any]
) -> None:
    assert "households" not in judge(replace(FAMILIES, name=name, **changes)).reason


def test_a_few_records_are_a_key_by_name_too() -> None:
    seen = replace(NUMBERS, valued=8, values=8, low=1, high=8, longest=1)
    assert judge(seen).looks_like == "number"
    assert judge(replace(seen, name="id")).looks_like == "key"


def drawn(places: int, records: int = 300) -> list[Classified]:
    """Columns of three values that have nothing to do with one another."""
    chance = np.random.default_rng(1)
    return [Classified(chance.integers(3, size=records)) for _ in range(places)]


def roles(names: Sequence[str], columns: list[Classified], **more: Kind) -> list[str | None]:
    """Roles that are proposed for columns of labels by their names, `more` of other kinds."""
    judged = [
        judge(replace(NUMBERS if name in more else LABELS, name=name, kind=more.get(name, "text")))
        for name in names
    ]
    return [each.role for each in with_sensitive(judged, names, columns)]


def test_the_last_column_is_sensitive_where_none_looks_so() -> None:
    columns = drawn(3)
    assert roles(["a", "b", "zip"], columns) == [
        *("quasi_identifiers", "sensitive", "quasi_identifiers")
    ]
    assert roles(["disease", "b"], columns[:2]) == ["sensitive", "quasi_identifiers"]
    assert roles(["a"], columns[:1]) == ["quasi_identifiers"]


def test_a_column_that_another_determines_does_not_stand_for_what_is_sensitive() -> None:
    columns = drawn(3)
    columns[1] = Classified(columns[0].labels * 2 + columns[1].labels % 2)
    columns.append(Classified(columns[1].labels // 2))
    assert roles(["a", "b", "c", "d"], columns)[2:] == ["sensitive", None]  # d repeats a.
    columns[3] = Classified(columns[1].labels // 3)
    assert roles(["a", "b", "c", "d"], columns) == [
        *("quasi_identifiers", "quasi_identifiers", "sensitive", "quasi_identifiers")
    ]


def test_what_determines_a_sensitive_column_is_left_out() -> None:
    columns = drawn(3)
    columns[0] = Classified(np.arange(300) % 7 * 3 + columns[2].labels)
    judged = [judge(replace(LABELS, name=name)) for name in ("kind", "town", "diagnosis")]
    found = with_sensitive(judged, ["kind", "town", "diagnosis"], columns)
    assert [each.role for each in found] == [None, "quasi_identifiers", "sensitive"]
    assert 'it determines "diagnosis", which looks sensitive' in found[0].reason


def test_of_columns_that_repeat_each_other_a_number_or_the_first_stays() -> None:
    columns = drawn(3)
    columns[1] = Classified(2 - columns[0].labels)
    assert roles(["a", "b", "hiv"], columns) == ["quasi_identifiers", None, "sensitive"]
    assert roles(["a", "b", "hiv"], columns, b="whole") == [None, "quasi_identifiers", "sensitive"]
