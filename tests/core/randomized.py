"""Random tables and distortions, as the tests of randomization want them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from bkpriv_core.table.groups import FloatArray
from tests.core.oracles import Records, Value
from tests.core.strategies import as_table, tables

small = tables(max_records=10, max_attributes=2, max_values=3, kinds=["flat", "numeric"])
"""Tables over whose grid one can sum in fractions."""


@st.composite
def retentions(
    draw: st.DrawFn, records: Records, *, least: Fraction = Fraction(0)
) -> list[Fraction]:
    """A retention for each attribute, from 1/d (plus a share of what is above) to 1."""
    found = []
    for attribute in (*records.attributes, records.sensitive):
        lowest = Fraction(1, len(attribute.values))
        share = draw(st.fractions(least, 1, max_denominator=12))
        found.append(lowest + share * (1 - lowest))
    return found


def by_record(
    records: Records, figures: FloatArray
) -> dict[tuple[tuple[Value, ...], Value], float]:
    """Figures of each cell and value that occur, where the others are 0."""
    found = {}
    table = as_table(records)
    for cell, members in enumerate(records.cells()):
        for code, value in enumerate(records.sensitive.values):
            if table.counts[cell, code]:
                found[records.rows[members[0]][:-1], value] = float(figures[cell, code])
            else:
                assert figures[cell, code] == 0
    return found
