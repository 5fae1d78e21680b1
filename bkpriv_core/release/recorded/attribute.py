"""Recorded attributes, and the domains that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.release.recorded.soundness import unsound
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals

__all__ = ["Attribute", "check_labels", "read_domains"]

_ATTRIBUTES = 1600
"""Largest number of columns of a table."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A recorded attribute.

    Parameters
    ----------
    place : int
        Place of the attribute.
    name : str
        Name of the attribute.
    labels : tuple of str or None
        Labels of its values.
    positions : (size,) float array or None
        Positions of its values.
    levels : sequence of sequences of str, or None
        Rows of its hierarchy.
    widths : sequence of Decimal, or None
        Widths of its intervals.
    origin : Decimal or None
        Origin of the intervals.
    level : int or None
        The level to which the whole column was generalized.
    ends : (size,) float array or None
        Ends of bins whose starts are its values.
    step : float or None
        Distance of neighbouring points of its type, see `Domain`.
    retention : float or None
        Probability with which values were kept, where records were drawn.
    """

    place: int
    name: str
    labels: tuple[str | None, ...]
    positions: FloatArray | None
    levels: Sequence[Sequence[str | None]] | None
    widths: Sequence[object] | None
    origin: object
    level: int | None
    ends: FloatArray | None
    step: float | None
    retention: float | None


def read_domains(attributes: Sequence[Attribute]) -> tuple[Domain, ...]:
    """Domains of recorded attributes, the sensitive ones last.

    Raises
    ------
    UnsoundHistory
        If there are none, or one cannot be.
    BkprivError
        Whatever a domain, a hierarchy or intervals refuse.
    """
    if not 2 <= len(attributes) <= _ATTRIBUTES:
        raise unsound(
            f"it has {len(attributes)} attributes",
            f"There must be a quasi-identifier and the sensitive attribute, and at most "
            f"{_ATTRIBUTES} in all.",
        )
    places, names = [item.place for item in attributes], [item.name for item in attributes]
    if places != list(range(len(attributes))):
        raise unsound("its attributes are not numbered from 0", f"The numbers are {places[:8]}.")
    if len(set(names)) < len(names) or not all(names):
        raise unsound("its attributes do not have names of their own", f"They are {names[:8]}.")
    for item in attributes:
        _check_values(item)
    return tuple(
        Domain(
            item.name,
            item.labels,
            item.positions,
            None if item.levels is None else Hierarchy.from_rows(item.name, item.levels),
            intervals=None
            if item.widths is None
            else Intervals.checked(item.name, item.widths, item.origin),
            ends=item.ends,
            step=None if item.positions is None else item.step,
        )
        for item in attributes
    )


def check_labels(name: str, labels: Sequence[str | None]) -> None:
    """Refuse values that recur, and NULL before the end."""
    if not labels or None in labels[:-1] or len(set(labels)) < len(labels):
        raise unsound(
            f'the values of its attribute "{name}" are not told apart',
            f"There are {len(labels)}, of which {len(set(labels))} differ; NULL may only be the "
            "last.",
        )


def _check_values(item: Attribute) -> None:
    """Refuse labels that recur, NULL before the end, positions that fall, bins that overlap."""
    quoted = f'attribute "{item.name}"'
    check_labels(item.name, item.labels)
    if item.positions is None:
        if item.ends is not None:
            raise unsound(f"bins of its {quoted} end, but begin nowhere", "It has no positions.")
        return
    values = len(item.labels) - (item.labels[-1] is None)
    numbers = item.positions[:values]
    if len(item.positions) != len(item.labels) or (numbers[1:] < numbers[:-1]).any():
        raise unsound(
            f"the positions of its {quoted} do not rise with its values",
            f"There are {len(item.positions)} positions of {len(item.labels)} values.",
        )
    if not np.isnan(item.positions[values:]).all():
        raise unsound(f"NULL has a position in its {quoted}", "It is at no number.")
    if item.ends is None:
        return
    ends = item.ends[:values]
    if (
        len(item.ends) != len(item.labels)
        or not np.isnan(item.ends[values:]).all()
        # Double precision may round where a bin ends to where it begins, but not beyond.
        or not (numbers <= ends).all()
        or not (ends[:-1] <= numbers[1:]).all()
    ):
        raise unsound(
            f"the bins of its {quoted} do not end between its values",
            f"There are {len(item.ends)} ends of {len(item.labels)} values; a bin begins at one "
            "and ends at the next or before it; NULL has no end.",
        )
