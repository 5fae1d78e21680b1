"""Inspection: what of a source deserves a warning before anything is published from it.

The values of a column are *nearly unique* if they are more than nine for every ten records that
have one, among records enough to tell: of fewer than twenty, any column may look so. Such a value
reveals whose a record is, be it a key, a name or a moment to the second.

A column *tells records apart* if most of them, enough again, have a value of it that no other has.

A column *nearly tells* another if records alike in it are mostly alike in the other one, too. The
value of a record is guessed from another record, drawn among those with its value of the column,
or else among all: the column avoids at least half of the errors of the latter guess, or is right
thrice as often, and for one record in ten. The share of errors that it avoids is Goodman and
Kruskal's tau [1]_; as a record is never guessed from itself, a column with a value for each record
tells nothing.

.. [1] L. A. Goodman and W. H. Kruskal, "Measures of association for cross classifications",
   Journal of the American Statistical Association 49, 1954.
"""

from __future__ import annotations

__all__ = ["nearly_tells", "nearly_unique", "tells_apart"]

_FEWEST = 20
_TENTHS = 9
_AVOIDED = 0.5
_TIMES = 3
_LEAST = 0.1


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


def tells_apart(records: int, own: int) -> bool:
    """Whether a column tells records apart.

    Parameters
    ----------
    records : int
        Records that have a value.
    own : int
        How many have one that no other has.
    """
    return records >= _FEWEST and 2 * own > records


def nearly_tells(records: int, hits: float, usual: float) -> bool:
    """Whether a column nearly tells another.

    Parameters
    ----------
    records : int
        Records.
    hits : float
        For what share of them the other column's value is guessed from one alike in the column.
    usual : float
        For what share it is guessed from any other.
    """
    if records < _FEWEST or usual >= 1.0:
        return False
    return hits - usual >= _AVOIDED * (1.0 - usual) or hits >= max(_TIMES * usual, _LEAST)
