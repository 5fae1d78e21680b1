"""Inspection: what of a source deserves a warning before anything is published from it.

The values of a column are *nearly unique* if they are more than nine for every ten records that
have one, among records enough to tell: of fewer than twenty, any column may look so. Such a value
reveals whose a record is, be it a key, a name or a moment to the second.

A column *tells records apart* if most of them, enough again, have a value of it that no other has.

A column *nearly tells* another if who knows a record's value of it mostly guesses the other one:
its *guess* is the value that most other records with that value have, if one is ahead of all
others. It is measured against the best guess without the column, the value that most records have:
it avoids at least half of that one's errors, or is right thrice as often, and of one record in ten.
The share of errors avoided is Goodman and Kruskal's lambda [1]_, here with each record's guess made
from the others, so that a column with a value for each record tells nothing.

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


def nearly_tells(records: int, guessed: int, usual: int) -> bool:
    """Whether a column nearly tells another.

    Parameters
    ----------
    records : int
        Records.
    guessed : int
        Of how many the other column's value is guessed from the column.
    usual : int
        How many have that column's most frequent value.
    """
    if records < _FEWEST or usual == records:
        return False
    halved = guessed - usual >= _AVOIDED * (records - usual)
    return halved or guessed >= max(_TIMES * usual, _LEAST * records)
