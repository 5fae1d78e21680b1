"""Checks of the fields of a requirement in a policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from bkpriv_core.belief.kernels import as_number
from bkpriv_core.errors import InvalidParameter, as_json

__all__ = ["choice", "fields_of", "positive_number", "real_number", "whole_number"]


def fields_of(
    key: str, value: object, *, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Check that `value` is an object with the known fields."""
    known = ", ".join((*required, *optional))
    if not isinstance(value, dict):
        raise InvalidParameter(
            f"{key} must be a JSON object, not {as_json(value)}",
            detail="The parameters of a requirement are given by name.",
            hint=f"Its keys are {known}.",
        )
    for name in value:
        if name not in required and name not in optional:
            raise InvalidParameter(
                f'{key} has no key "{name}"',
                detail=f"It is {as_json(value)}.",
                hint=f"Its keys are {known}.",
            )
    for name in required:
        if name not in value:
            raise InvalidParameter(
                f'{key} lacks the key "{name}"',
                detail=f"It is {as_json(value)}.",
                hint=f"Its keys are {known}.",
            )
    return value


def real_number(key: str, name: str, value: object, low: float, high: float) -> float:
    """Check that `value` is a finite number within bounds."""
    allowed = f"at least {low:g}" if np.isinf(high) else f"between {low:g} and {high:g}"
    number = _number(key, name, value, allowed)
    if not low <= number <= high:
        raise _out_of_range(key, name, number, allowed)
    return number


def positive_number(key: str, name: str, value: object) -> float:
    """Check that `value` is a finite number above 0."""
    number = _number(key, name, value, "above 0")
    if not number > 0:
        raise _out_of_range(key, name, number, "above 0")
    return number


def whole_number(key: str, name: str, value: object, low: int) -> int:
    """Check that `value` is an integer of at least `low`."""
    number = real_number(key, name, value, low, np.inf)
    if number != int(number):
        raise InvalidParameter(
            f"{name} of {key} is {as_json(value)}, which is not a whole number",
            detail=f"{name} counts, so it must be a whole number of at least {low}.",
            hint=f"Write {int(number)} or {int(number) + 1}.",
        )
    return value if isinstance(value, int) else int(number)


def choice(key: str, name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Check that `value` is one of the allowed words."""
    if value not in allowed:
        raise InvalidParameter(
            f"{name} of {key} is {as_json(value)}",
            detail="There is no such choice.",
            hint=f"It must be one of {', '.join(allowed)}.",
        )
    return str(value)


def _number(key: str, name: str, value: object, allowed: str) -> float:
    """Check that `value` is a finite number."""
    number = as_number(value)
    if number is None:
        raise InvalidParameter(
            f"{name} of {key} is {as_json(value)}, which is not a number",
            detail=f"{name} must be {allowed}.",
            hint=f"Write {name} as a JSON number.",
        )
    return number


def _out_of_range(key: str, name: str, number: float, allowed: str) -> InvalidParameter:
    return InvalidParameter(
        f"{name} of {key} is {number:g}",
        detail="It is out of range.",
        hint=f"{name} must be {allowed}.",
    )
