"""Records that are drawn, against a loop over records, and against the channels' chances."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from bkpriv_core.progress import Progress
from bkpriv_core.randomization import drawing
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.table.chance import SecretChance, SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import randomization_oracles as oracles
from tests.core.oracles import Records
from tests.core.randomized import retentions
from tests.core.strategies import MANY, as_table, tables


class Noted(SeededChance):
    """Chance whose numbers are noted."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.numbers: list[float] = []

    def uniform(self, size: int) -> FloatArray:
        """See `Chance`."""
        drawn = super().uniform(size)
        self.numbers += drawn.tolist()
        return drawn


def rows(table: Table) -> list[list[int]]:
    """Codes of every record, cell by cell and value by value."""
    cells, values = Parts.of(table).enumerate_records()
    return [
        [*table.codes[cell].tolist(), value]
        for cell, value in zip(cells.tolist(), values.tolist(), strict=True)
    ]


@MANY
@given(tables(max_records=16), st.data(), st.integers(0, 99))
def test_every_value_is_kept_or_becomes_another(
    records: Records, data: st.DataObject, seed: int
) -> None:
    table = as_table(records)
    channels = oracles.channels(records, data.draw(retentions(records)))
    chance = Noted(seed)
    drawn = draw(table, channels, chance)
    numbers = iter(chance.numbers)
    expected = rows(table)
    for axis, channel in enumerate(channels):
        if channel.retention == 1:
            continue
        moved = [row for row in expected if next(numbers) >= channel.retention]
        for row in moved:
            others = [code for code in range(channel.size) if code != row[axis]]
            row[axis] = others[int(next(numbers) * len(others))]
    assert next(numbers, None) is None
    found = {
        tuple(codes): count
        for codes, count in zip(drawn.codes.tolist(), drawn.counts.tolist(), strict=True)
    }
    assert found == Counter(map(tuple, expected))
    assert len(found) == len(drawn.counts)
    assert drawn.records == table.records


def test_records_are_drawn_a_part_at_a_time_and_can_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing, "_AT_ONCE", 7)
    domains = (Domain("a", ("x", "y")), Domain("s", ("0", "1", "2")))
    table = Table(domains[:1], domains[1], np.array([[0], [1]]), np.array([[9, 1, 0], [0, 4, 30]]))
    shares: list[float] = []

    class Told(Progress):
        def report(self, share: float) -> None:
            shares.append(share)
            self.poll()

    kept = (Channel(2, 1.0), Channel(3, 1.0))
    drawn = draw(table, kept, SecretChance(), Told())
    assert shares == [7 * place / 44 for place in range(7)]
    assert drawn.codes.tolist() == [[0, 0], [0, 1], [1, 1], [1, 2]]
    assert drawn.counts.tolist() == [9, 1, 4, 30]
    assert draw(table, (Channel(2, 0.6), Channel(3, 0.5)), SecretChance()).records == 44

    class Stopped(Progress):
        def report(self, share: float) -> None:
            if share:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw(table, kept, SecretChance(), Stopped())


@pytest.mark.parametrize("chance", [SeededChance(11), SecretChance()], ids=["seeded", "secret"])
def test_what_is_drawn_has_the_chances_of_the_channels(
    chance: SeededChance | SecretChance,
) -> None:
    sizes, kept = (3, 2, 4), (0.5, 0.8, 0.4)
    domains = [Domain(f"a{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes)]
    codes = np.array(list(itertools.product(range(3), range(2))))
    counts = np.arange(1, 25).reshape(6, 4) ** 2 * 20
    table = Table(tuple(domains[:2]), domains[2], codes, counts)
    channels = [Channel(size, p) for size, p in zip(sizes, kept, strict=True)]
    drawn = draw(table, channels, chance)
    found = np.zeros(sizes)
    found[tuple(drawn.codes.T)] = drawn.counts
    expected = np.einsum("abc,ax,by,cz->xyz", counts.reshape(sizes), *map(dense, channels))
    # Counts vary less than those of a multinomial, so that this is strict enough; by chance it
    # fails once in a billion runs.
    assert chisquare(found.ravel(), expected.ravel()).pvalue > 1e-9
    # Each true record by itself, too: all of one cell and value.
    alone = np.zeros((6, 4), dtype=np.int64)
    alone[3, 2] = 100_000
    one = Table(tuple(domains[:2]), domains[2], codes[3:4], alone[3:4])
    drawn = draw(one, channels, chance)
    found = np.zeros(sizes)
    found[tuple(drawn.codes.T)] = drawn.counts
    of_true = [dense(c)[true] for c, true in zip(channels, (1, 1, 2), strict=True)]
    expected = np.einsum("x,y,z->xyz", *of_true)
    assert chisquare(found.ravel(), 100_000 * expected.ravel()).pvalue > 1e-9


def dense(channel: Channel) -> FloatArray:
    """Probability of what is shown, by what is true."""
    matrix = np.full((channel.size, channel.size), channel.flip)
    np.fill_diagonal(matrix, channel.retention)
    return matrix
