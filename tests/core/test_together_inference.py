"""What several releases tell together: every estimator against enumeration, and golden cases."""

from __future__ import annotations

import numpy as np
import pytest

from bkpriv_core.sequence.history import History
from bkpriv_core.together.constraint import Constraints
from bkpriv_core.together.inference import infer
from tests.core.sequences import as_step


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
