"""Wording: values and extents as people write them, where SQL has JSON (`notation`, `combination`).

``{"disease":"flu","drug":"x"}`` is *disease: flu · drug: x*, and several records of one person
stand with a slash between them. Other text is itself: a value of one column may be any.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["told_in_words", "whom_in_words"]


def told_in_words(label: str) -> str:
    """What is told of a person, or that he has no record with a value, by its label in SQL."""
    told = _decoded(label)
    none = ""
    if isinstance(told, dict) and isinstance(told.get("not"), dict):
        none, told = "no record with ", told["not"]
    rows = told if isinstance(told, list) else [told]
    if not rows or not all(isinstance(row, dict) and row for row in rows):
        return label
    return none + " / ".join(
        " · ".join(f"{column}: {_written(value)}" for column, value in row.items()) for row in rows
    )


def whom_in_words(quasi_identifiers: str) -> str:
    """Somebody's quasi-identifiers, or extents of several people's, by their label in SQL."""
    values = _decoded(quasi_identifiers)
    if not isinstance(values, dict):
        return quasi_identifiers
    return ", ".join(f"{column} {_written(value)}" for column, value in values.items())


def _decoded(text: str) -> Any:
    """JSON of an array or an object; None of other text, such as a number, which stays as it is."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _written(value: Any) -> str:
    if isinstance(value, list):
        return "–".join(map(_written, value))
    if value is None:
        return "missing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
