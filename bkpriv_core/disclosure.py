"""Disclosure: how far a release moves an adversary's belief about each record.

The disclosure of a record is the distance of the adversary's prior and posterior beliefs about it
(Li, Li, Zhang 2009, definition 1). It is the same for all records of a cell within a group. With
exact posteriors it is exact; with omega it is an estimate that may understate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.distance import BeliefDistance
from bkpriv_core.domain import Table
from bkpriv_core.groups import FloatArray, Groups
from bkpriv_core.posterior import Estimator, posterior

__all__ = ["Adversaries", "Disclosure"]


@dataclass(frozen=True, eq=False)
class Disclosure:
    """Disclosure to several adversaries.

    Parameters
    ----------
    figures : (a, e) float array
        Disclosure of the records of each membership to each of ``a`` adversaries, in bits.
    exact : (g,) bool array
        Which groups' figures are exact; the others are omega estimates.
    """

    figures: FloatArray
    exact: npt.NDArray[np.bool_]


class Adversaries:
    """Adversaries with known priors about one table, and what releases disclose to them.

    Parameters
    ----------
    table : Table
        The table.
    priors : sequence of (c, m) float array
        One prior per adversary.
    distance : BeliefDistance
        Distance of beliefs.
    poll : callable
        Called between large steps; may raise to cancel.
    """

    def __init__(
        self,
        table: Table,
        priors: Sequence[FloatArray],
        distance: BeliefDistance,
        *,
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        self._table = table
        self._priors = tuple(priors)
        self._distance = distance
        self._poll = poll
        self._prepared = [distance.prepare(prior) for prior in self._priors]

    def disclosure(
        self,
        groups: Groups,
        estimator: Estimator,
        progress: Callable[[float], None] = lambda share: None,
    ) -> Disclosure:
        """Disclosure to every adversary if `groups` were released."""
        found = posterior(
            groups,
            self._table.counts,
            self._priors,
            estimator,
            poll=self._poll,
            progress=progress,
        )
        figures = np.array(
            [
                self._distance.from_prepared(
                    smoothed[groups.members], entropy[groups.members], belief
                )
                for (smoothed, entropy), belief in zip(self._prepared, found.beliefs, strict=True)
            ]
        )
        return Disclosure(figures.reshape(len(self._priors), len(groups.members)), found.exact)
