"""Tables of two sensitive columns: by each of them, jointly, and as the core has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.table.combination import Combination
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Attribute, Belief, Records, Value
from tests.core.strategies import as_domain, as_table, attributes, occurring, records_of

COLUMNS = ("s1", "s2")


class Told:
    """A table of two sensitive columns: by each of them, jointly, and as the core has it."""

    def __init__(self, known: Sequence[Attribute], told: Sequence[Attribute], rows: Any) -> None:
        width = len(known)
        known, told = (
            [occurring(item, [row[axis] for row in rows]) for axis, item in enumerate(some, first)]
            for some, first in ((known, 0), (told, width))
        )
        self.columns = tuple(
            Records(tuple(known), item, tuple((*row[:width], row[width + place]) for row in rows))
            for place, item in enumerate(told)
        )
        pairs = sorted(
            {tuple(row[width:]) for row in rows},
            key=lambda pair: [item.values.index(v) for item, v in zip(told, pair, strict=True)],
        )
        self.pairs: list[tuple[Value, ...]] = pairs
        labels = tuple(map(json.dumps, pairs))
        self.joint = Records(
            tuple(known),
            Attribute("pair", labels),
            tuple((*row[:width], labels[pairs.index(tuple(row[width:]))]) for row in rows),
        )
        codes = [[i.values.index(v) for i, v in zip(told, pair, strict=True)] for pair in pairs]
        combination, values = Combination.of(
            tuple(as_domain(item) for item in told), np.array(codes)
        )
        assert values.tolist() == list(range(len(pairs)))
        plain = as_table(self.joint)
        self.table = Table(plain.quasi_identifiers, combination, plain.codes, plain.counts)

    def marginal(self, belief: Belief, column: int) -> list[Any]:
        """Belief about one column's values, from that about pairs."""
        values = self.columns[column].sensitive.values
        return [
            sum(
                (b for b, pair in zip(belief, self.pairs, strict=True) if pair[column] == v),
                Fraction(0),
            )
            for v in values
        ]

    def distance(self, one: int, other: int) -> Fraction:
        """Distance of two pairs."""
        apart = [
            oracles.distance(records.sensitive, x, y)
            for records, x, y in zip(self.columns, self.pairs[one], self.pairs[other], strict=True)
        ]
        return sum(apart, Fraction(0)) / len(apart)

    def smooth(self, belief: Belief, bandwidth: float) -> list[float]:
        """Belief about pairs, blended with those about near pairs."""
        size = range(len(self.pairs))
        blended = []
        for one in size:
            weights = [
                oracles.epanechnikov(self.distance(one, other), Fraction(bandwidth))
                for other in size
            ]
            blended.append(
                sum(float(w) * float(b) for w, b in zip(weights, belief, strict=True))
                / float(sum(weights))
            )
        return [share / sum(blended) for share in blended]


@st.composite
def told(draw: st.DrawFn, most: int = 8, values: int = 3) -> Told:
    """A table of one or two quasi-identifiers and two sensitive columns."""
    known = [draw(attributes(f"q{axis}", max_values=3)) for axis in range(draw(st.integers(1, 2)))]
    kinds = ("numeric", "hierarchical", "flat")
    sensitive = [draw(attributes(name, kinds=kinds, max_values=values)) for name in COLUMNS]
    row = st.tuples(*(st.sampled_from(item.values) for item in (*known, *sensitive)))
    return Told(known, sensitive, draw(st.lists(row, min_size=1, max_size=most)))


def weighed(
    records: Records, prior: Sequence[Belief], cells: Sequence[Sequence[int]]
) -> Iterator[tuple[int, Belief, Belief]]:
    """Group, belief before and after about each cell's records, by enumeration of all worlds."""
    for number, group in enumerate(cells):
        members = records_of(records, group)
        posterior = oracles.exact_posterior(
            [prior[record] for record in members], records.secrets(members)
        )
        assert posterior is not None
        for cell in group:
            record = records_of(records, [cell])[0]
            yield number, prior[record], posterior[members.index(record)]
