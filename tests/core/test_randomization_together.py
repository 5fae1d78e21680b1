"""Risk of several draws of a table together, against sums over all that they may show."""

from __future__ import annotations

import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bkpriv_core.progress import Progress
from bkpriv_core.randomization import together
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.risk import risks
from bkpriv_core.randomization.together import risk_together
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from tests.conftest import sample
from tests.core import randomization_oracles as oracles
from tests.core.randomized import by_record, retentions, small
from tests.core.strategies import SOME, as_table


@settings(SOME, max_examples=sample(30))
@given(st.data())
def test_two_draws_are_one_that_shows_everything_twice(data: st.DataObject) -> None:
    records = data.draw(small)
    draws = [data.draw(retentions(records)) for _ in range(2)]
    found = risk_together(as_table(records), [oracles.channels(records, each) for each in draws])
    assert found.exact
    assert by_record(records, found.risk) == {
        person: pytest.approx(float(risk), rel=1e-9)
        for person, risk in oracles.risks(records, draws).items()
    }


@settings(SOME, max_examples=sample(30))
@given(st.data())
def test_more_draws_tell_more(data: st.DataObject) -> None:
    records = data.draw(small)
    table = as_table(records)
    draws = [oracles.channels(records, data.draw(retentions(records))) for _ in range(3)]
    alone = risk_together(table, draws[:1]).risk
    np.testing.assert_allclose(alone, risks(table, draws[0]), rtol=1e-9)
    two, three = (risk_together(table, draws[:count]).risk for count in (2, 3))
    assert (two >= alone * (1 - 1e-9)).all()
    assert (three >= two * (1 - 1e-9)).all()
    other_way = risk_together(table, [draws[2], draws[0], draws[1]]).risk
    np.testing.assert_allclose(other_way, three, rtol=1e-9)
    # A draw that tells nothing adds nothing.
    nothing = [Channel(channel.size, 1 / channel.size) for channel in draws[0]]
    np.testing.assert_allclose(risk_together(table, [draws[0], nothing]).risk, alone, rtol=1e-9)


def people() -> Table:
    """Two attributes, five values; 40 cells."""
    random = np.random.default_rng(7)
    domains = [
        Domain(name, tuple(f"{value}" for value in range(size)))
        for name, size in (("q0", 8), ("q1", 5), ("s", 5))
    ]
    codes = np.array(list(np.ndindex(8, 5)))
    counts = random.geometric(0.2, size=(40, 5)) - 1
    counts[:, 0] += 1
    return Table(tuple(domains[:2]), domains[2], codes, counts)


DRAWS = [
    [Channel(8, 0.5), Channel(5, 0.6), Channel(5, 0.7)],
    [Channel(8, 0.6), Channel(5, 0.5), Channel(5, 0.5)],
]


def test_what_does_not_fit_is_estimated_and_says_how_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = risk_together(people(), DRAWS)
    assert exact.standard_error is None
    monkeypatch.setattr(together, "_GRID", 100)
    estimated = risk_together(people(), DRAWS)
    assert not estimated.exact
    assert estimated.standard_error is not None
    occurs = people().counts > 0
    off = (estimated.risk - exact.risk)[occurs] / estimated.standard_error[occurs]
    assert np.abs(off).max() < 5
    assert 0.8 < np.sqrt((off**2).mean()) < 1.2
    assert estimated.standard_error.max() < 0.03
    assert (estimated.risk[~occurs] == 0).all()
    again = risk_together(people(), DRAWS)
    assert (again.risk == estimated.risk).all()


def test_where_not_all_cells_can_be_sampled_the_riskiest_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = people()
    alone = np.max([risks(table, draw) for draw in DRAWS], axis=0)
    monkeypatch.setattr(together, "_GRID", 100)
    # A cell takes 400 samples of 40 cells, a value of it 400 of 5; of either what two draws show.
    of_cell, of_value = 400 * (2 * 8 + 40 + 2 * 5 + 40), 400 * (2 * 5 + 5)
    effort = 4 * of_cell + 3 * of_value
    monkeypatch.setattr(together, "_EFFORT", effort)
    found = risk_together(table, DRAWS)
    assert found.standard_error is not None
    occurs = table.counts > 0
    sampled = ~np.isnan(found.standard_error) & occurs
    cells = np.argsort(-alone.max(axis=1), kind="stable")
    left, expected = effort, np.zeros_like(sampled)
    for cell in cells.tolist():
        left -= of_cell
        for value in np.argsort(-alone[cell], kind="stable")[: occurs[cell].sum()].tolist():
            left -= of_value
            expected[cell, value] = left >= 0
    assert (sampled == expected).all()
    # The last cell that is begun is not finished.
    partly = sampled.any(axis=1) & (sampled != occurs).any(axis=1)
    assert partly.sum() == 1
    assert (found.risk[~sampled] == alone[~sampled]).all()
    assert (found.risk[sampled] > alone[sampled]).any()


def test_no_estimate_is_below_what_one_draw_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_GRID", 100)
    # The second draw tells next to nothing, so that samples fall on either side.
    draws = [DRAWS[0], [Channel(8, 1 / 8 + 1e-6), Channel(5, 0.2 + 1e-6), Channel(5, 0.2 + 1e-6)]]
    alone = risks(people(), draws[0])
    found = risk_together(people(), draws)
    assert not found.exact
    assert (found.risk >= alone).all()


def many_values(size: int) -> Table:
    """One attribute of two values, with each of so many sensitive ones."""
    labels = tuple(f"{value}" for value in range(size))
    own, sensitive = Domain("q", ("0", "1")), Domain("s", labels)
    return Table((own,), sensitive, np.array([[0], [1]]), np.ones((2, size), dtype=np.int64))


class Patience(Progress):
    """Cancels once it was polled so often, and remembers for how long it was not."""

    def __init__(self, polls: int) -> None:
        self.left, self.last, self.longest = polls, time.process_time(), 0.0

    def poll(self) -> None:
        """Cancel, or go on."""
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now
        self.left -= 1
        if self.left < 0:
            raise InterruptedError


@pytest.mark.parametrize(("size", "count"), [(3000, 2), (300, 3), (40, 40)])
def test_samples_of_many_values_can_be_cancelled_within_a_cell(size: int, count: int) -> None:
    draws = [[Channel(2, 1.0), Channel(size, 0.5)]] * count
    progress = Patience(20 * count)
    with pytest.raises(InterruptedError):
        risk_together(many_values(size), draws, progress)
    assert progress.longest < 2.0


def test_effort_is_that_of_values_and_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    table = many_values(3000)
    for count, effort in ((2, 10), (4, 6)):
        monkeypatch.setattr(together, "_EFFORT", effort * 400 * 3000 * 3)
        draws = [[Channel(2, 1.0), Channel(3000, 0.5)]] * count
        found = risk_together(table, draws)
        assert found.standard_error is not None
        sampled = ~np.isnan(found.standard_error)
        assert sampled.sum() == effort * 3 // (count + 1)
        assert (found.risk[~sampled] == risks(table, draws[0])[~sampled]).all()
    # One is estimated, whatever it takes.
    monkeypatch.setattr(together, "_EFFORT", 0)
    found = risk_together(table, draws)
    assert found.standard_error is not None
    assert (~np.isnan(found.standard_error)).sum() == 1


@pytest.mark.parametrize(("size", "count"), [(1000, 2), (200, 3)])
def test_matrices_that_do_not_fit_are_not_formed(
    size: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "_EFFORT", 0)
    table = many_values(size)
    turned = Table(
        (Domain("q", table.sensitive.labels),),
        Domain("s", ("0", "1")),
        np.arange(size)[:, None],
        np.ascontiguousarray(table.counts.T),
    )
    cases = [
        (table, [Channel(2, 1.0), Channel(size, 0.5)]),
        (turned, [Channel(size, 0.5), Channel(2, 1.0)]),
    ]
    for some, channels in cases:
        tracemalloc.start()
        try:
            assert not risk_together(some, [channels] * count).exact
            assert tracemalloc.get_traced_memory()[1] < 100e6
        finally:
            tracemalloc.stop()
    # What does fit is summed over as before.
    fits = [[Channel(2, 1.0), Channel(100, 0.5)]] * 2
    assert risk_together(many_values(100), fits).exact


def test_what_one_draw_shows_as_it_is_is_known() -> None:
    kept = [Channel(8, 1.0), *DRAWS[0][1:]]
    found = risk_together(people(), [DRAWS[1], kept])
    assert found.exact
    assert (found.risk > risk_together(people(), DRAWS).risk)[people().counts > 0].all()
    everything = [Channel(channel.size, 1.0) for channel in kept]
    told = risk_together(people(), [everything, DRAWS[0]])
    assert told.exact
    np.testing.assert_allclose(told.risk, people().counts / people().weights[:, None])
    # Nearly everything is nearly the same.
    nearly = [Channel(each.size, float(1 - Fraction(1, 10**9))) for each in kept]
    np.testing.assert_allclose(
        risk_together(people(), [nearly, DRAWS[0]]).risk, told.risk, rtol=1e-6
    )
