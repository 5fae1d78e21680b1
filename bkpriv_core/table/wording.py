"""Wording: values and extents as people write them, where SQL has JSON (`notation`, `combination`).

``{"disease":"flu","drug":"x"}`` is *disease: flu · drug: x*, and several records of one person
stand with a slash between them. Other text is itself: a value of one column may be any.

A bin goes by its start, and stands as what it holds: ``40–49``. What bins end with is given by
column and start; see `bkpriv_core.table.notation.bin_ends`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["Bins", "told_in_words", "whom_in_words"]

Bins = Mapping[str, Mapping[str, str]]
"""Last values of bins, by column and start of the bin."""

_UNBINNED: Bins = {}


def told_in_words(label: str, column: str | None = None, bins: Bins = _UNBINNED) -> str:
    """Sensitive value of a person in words, or the absence of one, by its label in SQL.

    Args:
        column: The column that it is a value of, if there is but one, which then stands before it.
    """
    told = _decoded(label)
    none = ""
    if isinstance(told, dict) and isinstance(told.get("not"), dict):
        none, told = "no record with ", told["not"]
    rows = told if isinstance(told, list) else [told]
    if not rows or not all(_of_columns(row, column) for row in rows):
        ends = bins.get(column, {}) if column is not None else {}
        return label if column is None else f"{column} = {_written(label, ends)}"
    return none + " / ".join(
        " · ".join(f"{name}: {_written(value, bins.get(name, {}))}" for name, value in row.items())
        for row in rows
    )


def _of_columns(row: Any, column: str | None) -> bool:
    """Whether a row has values by their columns: of one, if there is but one."""
    return isinstance(row, dict) and bool(row) and column in (None, *row)


def whom_in_words(quasi_identifiers: str, bins: Bins = _UNBINNED) -> str:
    """Quasi-identifiers of a person, or extents of several people's, by their label in SQL."""
    values = _decoded(quasi_identifiers)
    if not isinstance(values, dict):
        return quasi_identifiers
    return ", ".join(
        f"{name} {_written(value, bins.get(name, {}))}" for name, value in values.items()
    )


def _decoded(text: str) -> Any:
    """JSON of an array or an object; None of other text, such as a number, which stays as it is."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _written(value: Any, ends: Mapping[str, str]) -> str:
    """A value, or the least and the greatest of several."""
    first, last = (value[0], value[-1]) if isinstance(value, list) and value else (value, value)
    low, high = _plain(first), ends.get(_plain(last), _plain(last))
    # Days and negative numbers have dashes of their own.
    between = " to " if "-" in low + high else "–"
    return low if low == high else f"{low}{between}{high}"


def _plain(value: Any) -> str:
    if value is None:
        return "missing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
