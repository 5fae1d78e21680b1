"""Inspection: what of a source deserves a warning before anything is published from it.

The values of a column are *nearly unique* if they are more than nine for every ten records that
have one, among records enough to tell: of fewer than twenty, any column may look so. Such a value
reveals whose a record is, be it a key, a name or a moment to the second.

A column *tells records apart* if most of them, enough again, have a value of it that no other has.

A column *links rows* if it has more than twenty values, and most records have one that two to
twenty records share: as the numbers of households, classes, beds and invoices do.

Whole numbers are *codes* if their values are few, twenty at most, among records enough, in which
each occurs twice on average: of a sensitive column always, for there a warning costs little and
distances of codes mean nothing. Of a quasi-identifier only if they count from 1 and there are three
or more, as codes mostly are and numbers of things seldom; or if the name says so. *Many labels* are
more than twenty.
"""

from __future__ import annotations

import re

__all__ = [
    "MOST_QUASI_IDENTIFIERS",
    "SHARED_BY",
    "has_many_labels",
    "identifies_by_code",
    "links_rows",
    "nearly_unique",
    "tells_apart",
    "tells_by_code",
]

MOST_QUASI_IDENTIFIERS = 400
"""Limit of the quasi-identifiers of a dataset, insensitive attributes among them: the statement
that reads them has up to four columns for each, and PostgreSQL has 1664."""

SHARED_BY = (2, 20)
"""Fewest and most records that share a value which links them."""

_FEWEST = 20
_FEW_VALUES = 20
_NAMED_CODE = re.compile(r"(?:^|[^a-z])(?:code|zip|zipcode|postcode)(?:$|[^a-z])", re.IGNORECASE)
_TENTHS = 9


def nearly_unique(records: int, values: int) -> bool:
    """Whether the values of a column are nearly unique."""
    return records >= _FEWEST and 10 * values > _TENTHS * records


def tells_apart(records: int, own: int) -> bool:
    """Whether a column tells records apart."""
    return records >= _FEWEST and 2 * own > records


def links_rows(records: int, values: int, shared: int) -> bool:
    """Whether a column links rows.

    Args:
        shared: Records whose value two to twenty of them share.
    """
    return records >= _FEWEST and values > _FEW_VALUES and 2 * shared > records


def has_many_labels(records: int, values: int) -> bool:
    """Whether a column without a hierarchy has many labels, and is not nearly unique."""
    return values > _FEW_VALUES and not nearly_unique(records, values)


def tells_by_code(records: int, values: int) -> bool:
    """Whether whole numbers that are sensitive may be codes."""
    return _recurring(records, values) and 2 <= values <= _FEW_VALUES


def identifies_by_code(name: str, records: int, values: int, least: int) -> bool:
    """Whether whole numbers of a quasi-identifier look like codes."""
    if not _recurring(records, values) or values < 3:
        return False
    counted = least == 1 and values <= _FEW_VALUES
    return counted or _NAMED_CODE.search(name) is not None


def _recurring(records: int, values: int) -> bool:
    return records >= _FEWEST and 2 * values <= records
