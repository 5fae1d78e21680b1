"""Notation: values and extents of attributes as JSON, and text as SQL.

A value of a numeric attribute is a JSON number with the digits of its label, so that ``1.50`` stays
``1.50``; what JSON has no number for, as infinity, is a string, as are all labels of a categorical
attribute. Everything that is published or asked names a value so. An extent of several values is an
array of its least and greatest number, or the label of the lowest common ancestor; ``*``, where
numbers and NULL are mixed.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence

import numpy as np

from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.table import Table

__all__ = [
    "bin_ends",
    "extents_json",
    "is_number",
    "json_objects",
    "json_pairs",
    "json_values",
    "qi_json",
    "quoted",
]

_TIME = re.compile(r"\d{4}-\d\d-\d\d(?P<clock> \d\d:\d\d:\d\d)?(?P<zone>\+00|)", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)


def is_number(label: str) -> bool:
    """Tell whether a label is a number as SQL and JSON write it; NaN and infinity are not."""
    return _NUMBER.fullmatch(label) is not None


def json_values(domain: Domain, codes: IntArray) -> list[str]:
    """Value of each of some codes as JSON."""
    distinct, place = np.unique(codes, return_inverse=True)
    labels = [domain.labels[code] for code in distinct.tolist()]
    values = [
        label
        if label is not None and domain.numeric and is_number(label)
        else json.dumps(label, ensure_ascii=False)
        for label in labels
    ]
    return [values[code] for code in place.ravel().tolist()]


def json_pairs(domain: Domain, codes: IntArray) -> list[str]:
    """Attribute and value of each of some codes, as a pair of a JSON object."""
    name = json.dumps(domain.name, ensure_ascii=False)
    return [f"{name}: {value}" for value in json_values(domain, codes)]


def json_objects(domains: Sequence[Domain], codes: IntArray) -> list[str]:
    """Rows of codes, shape (rows, domains), as JSON objects of attributes and values."""
    if not domains:
        return ["{}"] * len(codes)
    columns = [json_pairs(domain, codes[:, place]) for place, domain in enumerate(domains)]
    return ["{" + ", ".join(row) + "}" for row in zip(*columns, strict=True)]


def qi_json(table: Table, cells: IntArray) -> list[str]:
    """Quasi-identifiers of each of some cells as a JSON object."""
    return json_objects(table.quasi_identifiers, table.codes[cells])


def extents_json(table: Table, low: IntArray, high: IntArray) -> list[str]:
    """Extents from leaf places `low` to `high`, two arrays of shape (rows, d), as JSON objects."""
    columns = []
    for axis, domain in enumerate(table.quasi_identifiers):
        name = json.dumps(domain.name, ensure_ascii=False)
        sides = _sides(domain, low[:, axis], high[:, axis])
        columns.append([f"{name}: {side}" for side in sides])
    return ["{" + ", ".join(row) + "}" for row in zip(*columns, strict=True)]


def _sides(domain: Domain, low: IntArray, high: IntArray) -> list[str]:
    """Extents in one quasi-identifier."""
    if not domain.numeric:
        labels = domain.generalize(low, high)
        return [json.dumps(label, ensure_ascii=False) for label in labels]
    mixed = (low < high) & (high == domain.size - 1) & domain.has_null
    return [
        json.dumps(ROOT) if anything else first if first == last else f"[{first}, {last}]"
        for anything, first, last in zip(
            mixed.tolist(), json_values(domain, low), json_values(domain, high), strict=True
        )
    ]


def bin_ends(domain: Domain) -> dict[str, str]:
    """Last values of a domain's bins as people write them, by their starts; empty without bins.

    It is the last value of a bin, or after ``<`` the first that is beyond it. A bin is left out
    whose end has no such words, as beyond the calendar.
    """
    if domain.ends is None:
        return {}
    ends = zip(domain.labels, domain.ends.tolist(), strict=True)
    texts = {label: _end(label, end, domain.step) for label, end in ends if label is not None}
    return {label: text for label, text in texts.items() if text is not None}


def _end(start: str, end: float, step: float | None) -> str | None:
    """The last value of a bin, or, of a continuum, where it ends."""
    last = end if step is None else end - step
    if is_number(start):
        return f"<{end:.15g}" if step is None else f"{last:.0f}"
    written = _TIME.fullmatch(start)
    if written is None:
        return None
    try:
        moment = datetime.datetime.fromtimestamp(last, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None
    if written["clock"] is None:
        return moment.strftime("%Y-%m-%d")
    return f"<{moment:%Y-%m-%d %H:%M:%S}{written['zone']}"


def quoted(text: str) -> str:
    """Text as an SQL string, as read where standard_conforming_strings is on."""
    return "'" + text.replace("'", "''") + "'"
