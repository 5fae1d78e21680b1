"""Inference of releases that was begun before: what is as it was is kept, all else is the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.composition import inference
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.inference import infer
from bkpriv_core.sequence.history import History
from tests.core.composition_histories import Shown, drawn, shown
from tests.core.strategies import SOME


def of(course: Shown, releases: int) -> Constraints:
    """Constraints of the first releases."""
    return Constraints.of(History(course.history.steps[:releases]))


def check(course: Shown, first: int) -> None:
    """Infer all with and without what the first releases tell."""
    before = infer(of(course, first), (course.prior,))
    alone = infer(course_all := of(course, len(course.releases)), (course.prior,))
    again = infer(course_all, (course.prior,), before=before)
    np.testing.assert_allclose(again.posteriors[0], alone.posteriors[0], atol=1e-6)
    np.testing.assert_array_equal(again.high > 0, alone.high > 0)
    np.testing.assert_array_equal(again.used, alone.used)


@SOME
@given(course=shown(), first=st.integers(1, 3))
def test_what_is_inferred_again_is_the_same(course: Shown, first: int) -> None:
    check(course, min(first, len(course.releases) - 1))


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_some_people_tell_nothing_of_others(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linear programmes settle one component; people in other components are settled already."""
    monkeypatch.setattr(inference, "_AUTO_WAYS", 1)
    random = np.random.default_rng(seed)
    course = drawn(random, 12, 2, 2, 5)
    # The second release repeats some of the first, and another half is new.
    first, second = course.releases
    kept = [group if group < 2 else 5 + other for group, other in zip(first, second, strict=True)]
    check(Shown(course.values, [first, kept], course.prior), 1)
