"""Tallies: what counts the records that meet a condition, as they are or as a release tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import Predicate
from bkpriv_core.query.workload import Workload
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Tally", "check_keys"]

_KEYS = 1_000_000
"""Largest number of keys of one grouping set that are answered."""


def check_keys(domains: Sequence[Domain], keys: Sequence[int], count: int) -> None:
    """Refuse an answer that has too many keys.

    Args:
        count: Number of keys that have a count, as far as is known.

    Raises:
        TooLarge: If these are too many.
    """
    if count > _KEYS:
        names = ", ".join(domains[key].name for key in keys)
        raise TooLarge(
            f"grouping by {names} has more than {_KEYS} keys",
            detail=f"At least {count} have a count, and no more than {_KEYS} are answered.",
            hint="Group by fewer attributes, or ask about fewer of their values in WHERE.",
        )


class Tally(ABC):
    """Counts of the records that meet a condition: actual, or expected by a release.

    Suppressed records are not in a release, so no estimate counts them.
    """

    domains: tuple[Domain, ...]

    @abstractmethod
    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """Count what meets a condition, by the values of some attributes that anything may have.

        Args:
            keys: Distinct attributes; with none, everything is one count.

        Returns:
            codes: Shape (r, k). Values of the keys, in lexicographic order; one row where there are
                no keys.
            counts: Shape (r,). Counts; values that certainly have none are left out, but where
                there are no keys.

        Raises:
            TooLarge: If the condition or the keys are beyond the budget.
        """

    @abstractmethod
    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """Counts of all queries of a workload, shape (q,)."""
