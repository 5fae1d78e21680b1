"""Names of estimators."""

from __future__ import annotations

import pytest

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.posterior import check_estimator


@pytest.mark.parametrize("name", ["", "Exact", "bethe", "omega "])
def test_an_unknown_estimator_is_named(name: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        check_estimator(name)
    assert repr(name) in caught.value.message
    assert "auto, exact, omega" in caught.value.hint


@pytest.mark.parametrize("name", ["auto", "exact", "omega"])
def test_a_known_estimator_is_returned(name: str) -> None:
    assert check_estimator(name) == name
