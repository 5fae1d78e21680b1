"""What several releases tell together: every estimator against enumeration, and golden cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from bkpriv_core.belief.posterior import EXACT, Sound
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.together.constraint import Constraints
from bkpriv_core.together.inference import ALONE, Together, infer
from tests.core import together_oracles as oracles
from tests.core.sequences import as_step
from tests.core.together_histories import Shown, shown


def told_by(history: Shown, estimator: Sound = "auto") -> Together:
    return infer(Constraints.of(history.history), (history.prior,), estimator)


def truth_of(history: Shown) -> FloatArray:
    found = oracles.posteriors(history.prior.tolist(), history.groups)
    assert found is not None
    return np.array(found)


def possible_in(history: Shown) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    persons, values = history.prior.shape
    found = oracles.possible(persons, values, history.groups)
    return np.array([[value in mine for value in range(values)] for mine in found])


def test_one_inserted_person_is_known() -> None:
    """A-D {HIV 3, flu 1}, then A-E {HIV 4, flu 1}: whatever was believed, E has HIV."""
    labels = ("HIV", "flu")
    history = History(
        (
            as_step(0, labels, range(4), [0, 0, 0, 1], [0] * 4),
            as_step(1, labels, range(5), [0, 0, 0, 1, 0], [0] * 5, release=2),
        )
    )
    told = infer(Constraints.of(history), (np.tile([0.3, 0.7], (5, 1)),))
    assert told.posteriors[0][4] == pytest.approx([1.0, 0.0])
    assert told.posteriors[0][:4] == pytest.approx(np.tile([0.75, 0.25], (4, 1)))
    assert told.certain.tolist() == [False] * 4 + [True]


@settings(max_examples=1000, deadline=None)
@given(shown(positive=False))
def test_exact_is_the_share_of_all_ways(history: Shown) -> None:
    ways = oracles.posteriors(history.prior.tolist(), history.groups)
    if ways is None:
        with pytest.raises(ContradictoryKnowledge):
            told_by(history, "exact")
        return
    told = told_by(history, "exact")
    assert told.posteriors[0] == pytest.approx(np.array(ways), abs=1e-9)
    assert (told.possible == possible_in(history)).all()
    assert set(told.used.tolist()) <= {EXACT, ALONE}


@settings(max_examples=300, deadline=None)
@given(shown())
def test_bounds_contain_the_truth_however_it_is_inferred(history: Shown) -> None:
    truth, possible = truth_of(history), possible_in(history)
    alike = Shown(history.values, history.releases, np.full_like(history.prior, 1 / 3))
    for each, right in ((history, truth), (alike, truth_of(alike))):
        told = told_by(each, "omega")
        assert (told.low <= right + 1e-9).all()
        assert (told.high >= right - 1e-9).all()
        assert (told.possible >= possible).all()
        # What is certain is never missed, where it follows from sums.
        assert (told.certain == (possible.sum(axis=1) == 1)).all()
