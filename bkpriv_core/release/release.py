"""A release as an estimator sees it."""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

__all__ = ["Release"]


@dataclass(frozen=True, eq=False)
class Release:
    """A table and the groups in which it was published.

    Parameters
    ----------
    parts : Parts
        The source's cells when the release was made, or parts of them.
    groups : Groups
        The published groups; parts in none are suppressed.
    steps : tuple of float or None
        For each quasi-identifier the distance of neighbouring points of its type, in units of its
        positions: 1 for integers, a day for dates; None where a range is a continuum (other
        numbers, timestamps) and for a categorical attribute.
    """

    parts: Parts
    groups: Groups
    steps: tuple[float | None, ...]

    def __post_init__(self) -> None:
        if len(self.steps) != len(self.table.quasi_identifiers):
            raise InvalidParameter(
                f"there are {len(self.steps)} steps",
                detail=f"There are {len(self.table.quasi_identifiers)} quasi-identifiers.",
                hint="Give one for each of them, None where there is none.",
            )

    @property
    def table(self) -> Table:
        """The source when the release was made."""
        return self.parts.table

    @property
    def domains(self) -> tuple[Domain, ...]:
        """Domains of all attributes, in the order of their numbers."""
        return self.table.domains
