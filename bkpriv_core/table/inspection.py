"""Inspection: what of a source deserves a warning before anything is published from it.

The values of a column are *nearly unique* if they are more than nine for every ten records that
have one, among records enough to tell: of fewer than twenty, any column may look so. Such a value
reveals whose a record is, be it a key, a name or a moment to the second.

A column *nearly tells* another if who knows a record's value of it mostly guesses the other one:
its *guess* is the value that most other records with that value have, if one is ahead of all
others. It is measured against the best guess without the column, the value that most records have:
the share of that one's errors that it avoids is Goodman and Kruskal's lambda [1]_, here with each
record's guess made from the others, so that a column with a value for each record tells nothing.

.. [1] L. A. Goodman and W. H. Kruskal, "Measures of association for cross classifications",
   Journal of the American Statistical Association 49, 1954.
"""

from __future__ import annotations

__all__ = ["nearly_tells", "nearly_unique"]

_FEWEST = 20
_TENTHS = 9
_AVOIDED = 0.5


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


def nearly_tells(records: int, guessed: int, usual: int) -> bool:
    """Whether a column nearly tells another: whether it halves the errors of a guess, or better.

    Parameters
    ----------
    records : int
        Records.
    guessed : int
        Of how many the other column's value is guessed from the column.
    usual : int
        How many have that column's most frequent value.
    """
    return (
        records >= _FEWEST and usual < records and guessed - usual >= _AVOIDED * (records - usual)
    )
