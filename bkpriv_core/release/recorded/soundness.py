"""Refusal of unsound records of history, and the bounds of their size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bkpriv_core.errors import BkprivError, UnsoundHistory
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray

__all__ = ["Sizes", "check_range", "check_sizes", "of_release", "unsound"]

_ELEMENTS = 80_000_000
"""Largest number of integers in an array that is recorded."""

_TEXTS = 20_000_000
"""Largest number of labels or names in one."""

_TEXT_BYTES = 10**9
"""Largest size of all labels or names in one."""

_WIDTHS = 2100
"""Largest number of widths of intervals: each is at least twice the one before."""

_HINT = "No publication recorded it so. Leave the release out; its owner can append to its history."


@contextmanager
def of_release(release: int) -> Iterator[None]:
    """Say of which release it is that something recorded is refused."""
    try:
        yield
    except BkprivError as error:
        raise UnsoundHistory(
            f"the history of release {release} is unsound: {error.message}",
            detail=error.detail,
            hint=_HINT,
        ) from None


def unsound(what: str, detail: str) -> UnsoundHistory:
    """Refuse what is recorded of a release."""
    return UnsoundHistory(what, detail=detail, hint=_HINT)


@dataclass(frozen=True)
class Sizes:
    """The size of a recorded array.

    Parameters
    ----------
    name : str
        Name of the array in messages.
    elements : int
        Number of elements.
    dimensions : int
        Number of dimensions; 0 if the array is empty.
    text_bytes : int, optional
        Bytes of its elements, if they are texts.
    """

    name: str
    elements: int
    dimensions: int
    text_bytes: int | None = None


def check_sizes(sizes: Sequence[Sizes]) -> None:
    """Refuse arrays that are empty, too large in all, or of another shape, before they are read."""
    for array in sizes:
        expected = 2 if array.name == "levels" else 1
        if array.dimensions != expected:
            raise unsound(
                f"its {array.name} are no array of so many dimensions as they should be",
                f"There are {array.elements} elements in {array.dimensions} dimensions; there "
                f"should be {expected}.",
            )
    for name in {array.name: None for array in sizes}:
        _check_total(name, [array for array in sizes if array.name == name])


def _check_total(name: str, same: Sequence[Sizes]) -> None:
    """Refuse arrays of one name that are too large in all."""
    elements = sum(array.elements for array in same)
    size = sum(array.text_bytes or 0 for array in same)
    texts = any(array.text_bytes is not None for array in same)
    most = _TEXTS if texts else _ELEMENTS
    if name == "widths":
        most = _WIDTHS * len(same)
    if elements > most or size > _TEXT_BYTES:
        raise unsound(
            f"its {name} are too many",
            f"There are {elements}, and texts among them take {size} bytes; at most {most} "
            f"and {_TEXT_BYTES} bytes are read.",
        )


def check_range(name: str, low: IntArray, high: IntArray, domains: Sequence[Domain]) -> None:
    """Refuse codes, the least and the largest of each attribute, that are none of its domain."""
    for domain, least, most in zip(domains, low.tolist(), high.tolist(), strict=True):
        if least < 0 or most >= domain.size:
            raise unsound(
                f'its {name} of attribute "{domain.name}" are out of range',
                f"They go from {least} to {most}; there are {domain.size} values, from 0.",
            )
