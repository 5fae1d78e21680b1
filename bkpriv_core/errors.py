"""Errors, worded so that a person can act on them.

Every error has three parts: a *message* naming what is at fault, a *detail* with the figures, and
a *hint* saying what would work. The class says which kind of fault it is; the layer that talks to
PostgreSQL turns the class into an SQLSTATE. The core raises nothing else on purpose.
"""

from __future__ import annotations

import json
from decimal import Decimal

__all__ = [
    "BkprivError",
    "ContradictoryKnowledge",
    "InvalidData",
    "InvalidParameter",
    "MissingColumn",
    "TooLarge",
    "UnattainableRequirement",
    "UnsoundHistory",
    "Unsupported",
    "as_json",
    "as_shape",
]

_SHOWN = 200
"""Longest text of a value that an error message shows."""


def as_json(value: object) -> str:
    """Write a value of decoded JSON for an error message, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=_plain)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _plain(value: object) -> float | str:
    """Convert a value that JSON has no type for: a decimal, as decoded numbers may be."""
    return float(value) if isinstance(value, Decimal) else str(value)


def as_shape(shape: tuple[int, ...]) -> str:
    """Write the shape of an array for an error message: "3", or "3 x 2"."""
    return " x ".join(map(str, shape))


class BkprivError(Exception):
    """An error meant for the caller.

    Args:
        message: Fault, naming the attribute, value or parameter.
        detail: The figures behind the message.
        hint: Remedy that would work instead.
    """

    def __init__(self, message: str, *, detail: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


class InvalidParameter(BkprivError):
    """A parameter, policy key or option has a value that means nothing."""


class InvalidData(BkprivError):
    """The table or a hierarchy holds something that cannot be used (NULLs, unknown values)."""


class MissingColumn(BkprivError):
    """A dataset does not declare a column without which something is not defined."""


class UnsoundHistory(BkprivError):
    """History records of a release something that no publication can have recorded."""


class UnattainableRequirement(BkprivError):
    """Not even one group of the whole table meets a requirement."""


class ContradictoryKnowledge(BkprivError):
    """A prior gives probability zero to what was released: ``L(E, n) = 0``.

    Args:
        message, detail, hint: See `BkprivError`.
        value: Code of the sensitive value that too few of its records may have.
        part: The part of a cell whose records may have none of its values.
    """

    def __init__(
        self,
        message: str,
        *,
        detail: str,
        hint: str,
        group: int | None = None,
        value: int | None = None,
        part: int | None = None,
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.group = group
        self.value = value
        self.part = part


class Unsupported(BkprivError):
    """Request that is sound, but is not handled here, or not yet."""


class NoGroups(BkprivError):
    """A release is asked about groups, and has none."""


class TooLarge(BkprivError):
    """A computation is beyond its budget of states or steps."""
