"""Errors carry a message, a detail and a hint, and share one base."""

from __future__ import annotations

import pytest

from bkpriv_core import errors

KINDS = [name for name in errors.__all__ if name[0].isupper() and name != "BkprivError"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_for_the_caller(name: str) -> None:
    kind: type[errors.BkprivError] = getattr(errors, name)
    error = kind("k is 0", detail="It was 0.", hint="Use 1.")
    assert isinstance(error, errors.BkprivError)
    assert str(error) == error.message == "k is 0"
    assert (error.detail, error.hint) == ("It was 0.", "Use 1.")


def test_detail_and_hint_must_be_given() -> None:
    with pytest.raises(TypeError, match=r"detail.*hint"):
        errors.InvalidParameter("k is 0")  # type: ignore[call-arg]


def test_values_are_told_as_json() -> None:
    value = {"b": 0.3, "c": [None, True, "é'"]}
    assert errors.as_json(value) == '{"b": 0.3, "c": [null, true, "é\'"]}'
    assert len(errors.as_json("x" * 10_000)) < 300
    assert errors.as_json("x" * 10_000).endswith("...")
    assert errors.as_shape((3, 2)) == "3 x 2"
    assert errors.as_shape((3,)) == "3"
