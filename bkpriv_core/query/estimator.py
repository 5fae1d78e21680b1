"""Estimators: counts from the release alone, one class for each way of publishing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from bkpriv_core.groups import FloatArray, IntArray
from bkpriv_core.query.predicate import Predicate
from bkpriv_core.query.workload import Workload

__all__ = ["Estimator"]


class Estimator(ABC):
    """Estimated counts of the records that meet a condition.

    Suppressed records are not in a release, so no estimate counts them.
    """

    @abstractmethod
    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        poll: Callable[[], None] = lambda: None,
    ) -> tuple[IntArray, FloatArray]:
        """Estimate what meets a condition, by the values of some attributes that anything has.

        Parameters
        ----------
        predicate : Predicate
            The condition.
        keys : sequence of int
            Distinct attributes; with none, everything is one count.
        poll : callable
            Called between steps; may raise to cancel.

        Returns
        -------
        codes : (r, k) int array
            Values of the keys, in lexicographic order; one row where there are no keys.
        counts : (r,) float array
            Expected counts, positive but where there are no keys.

        Raises
        ------
        TooLarge
            If the condition or the keys are beyond the budget.
        """

    @abstractmethod
    def answer(self, workload: Workload, poll: Callable[[], None] = lambda: None) -> FloatArray:
        """Estimates of all queries of a workload, shape (q,)."""
