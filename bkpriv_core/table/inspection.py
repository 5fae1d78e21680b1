"""Inspection: what of a source deserves a warning before anything is published from it.

The values of a column are *nearly unique* if they are more than nine for every ten records that
have one, among records enough to tell: of fewer than twenty, any column may look so. Such a value
reveals whose a record is, be it a key, a name or a moment to the second.
"""

from __future__ import annotations

__all__ = ["nearly_unique"]

_FEWEST = 20
_TENTHS = 9


def nearly_unique(records: int, values: int) -> bool:
    """Whether the values of a column are nearly unique.

    Parameters
    ----------
    records : int
        Records that have a value.
    values : int
        Distinct values among them.
    """
    return records >= _FEWEST and 10 * values > _TENTHS * records
