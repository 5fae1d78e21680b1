"""What several draws of a table tell together, against sums over all that they may show."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bkpriv_core.randomization import together
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.risk import risks
from bkpriv_core.randomization.together import risk_together
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from tests.core import randomization_oracles as oracles
from tests.core.randomized import by_record, retentions, small
from tests.core.strategies import SOME, as_table


@settings(SOME, max_examples=30)
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


@settings(SOME, max_examples=30)
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
    # An estimate of a cell takes 400 samples of three figures of 40 cells.
    monkeypatch.setattr(together, "_EFFORT", 400 * 3 * 40 * 3)
    found = risk_together(table, DRAWS)
    assert found.standard_error is not None
    sampled = ~np.isnan(found.standard_error).all(axis=1)
    assert sampled.sum() == 3
    assert alone[sampled].max(axis=1).min() >= alone[~sampled].max()
    assert (found.risk[~sampled] == alone[~sampled]).all()
    assert (found.risk[sampled] > alone[sampled]).any()


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
