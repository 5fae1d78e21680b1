"""Errors carry a message, a detail and a hint, and share one base."""

from __future__ import annotations

import pytest

from bkpriv_core import errors


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name != "BkprivError"])
def test_every_kind_is_for_the_caller(name: str) -> None:
    kind: type[errors.BkprivError] = getattr(errors, name)
    error = kind("k is 0", detail="It was 0.", hint="Use 1.")
    assert isinstance(error, errors.BkprivError)
    assert str(error) == error.message == "k is 0"
    assert (error.detail, error.hint) == ("It was 0.", "Use 1.")


def test_detail_and_hint_must_be_given() -> None:
    with pytest.raises(TypeError, match=r"detail.*hint"):
        errors.InvalidParameter("k is 0")  # type: ignore[call-arg]
