"""Screening: nodes of a lattice that are unsafe, found before all of their groups are measured.

A node is unsafe as soon as its failing groups hold more records than may be suppressed. So groups
are judged in batches, and judging ends there. Requirements that need no inference are judged first;
then a few groups of least states; then those that omega says to fail, the least work first; then
the others. That says only in which order they are judged, never what comes of it.

Two kinds of screens:

- One that measures, by the estimator. A node that does not pass is unsafe, for certain.
- One that *estimates*: groups that take many states are judged by bethe, which is fast, as other
  methods do (`judging`). A node that does not pass is unsafe as far as the estimate can tell.

Whichever passed, a node is safe only once all of its groups were measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.posterior import AUTO_STATES, Estimator, exact_states
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.evaluation import BETHE_COST, EFFORTS
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import BoolArray, Groups, IntArray

__all__ = ["Screen"]

_FEWEST = 32
"""Groups of least states that are judged before all others."""

_FIRST = 8
"""Groups of the first batch of the others; each next one has twice as many."""


class Screen:
    """Screen that finds unsafe nodes.

    Args:
        requirements: Requirements that published groups must meet. Those on all groups together are
            passed over.
        allowed: Records that may be in groups that fail.
    """

    def __init__(
        self,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        estimator: Estimator,
        allowed: float,
    ) -> None:
        alone, _ = alone_and_joint(requirements)
        self._setting = threat
        self._counted = [item for item in alone if not item.infers]
        self._inferred = [item for item in alone if item.infers]
        self._estimator: Estimator = estimator
        self._allowed = allowed

    def counted(self, groups: Groups) -> Groups:
        """Select groups that meet what needs no inference."""
        return groups.select(satisfied(self._counted, self._setting, groups))

    def kept(self, groups: Groups, *, estimating: bool = False) -> Groups | None:
        """Groups of a node that do not fail, or None if those that do hold too many records.

        Args:
            estimating: Whether the many states of some groups are spared; see the module.

        Returns:
            Groups that meet each requirement that is not on all of them together.
        """
        sizes = self._setting.parts.sizes(groups)
        met = satisfied(self._counted, self._setting, groups)
        failing = int(sizes[~met].sum())
        if failing <= self._allowed and self._inferred:
            for batch, estimator in self._batches(groups, np.flatnonzero(met), estimating):
                self._setting.progress.poll()
                some = groups.select(batch)
                met[batch] = satisfied(self._inferred, self._setting, some, estimator)
                failing += int(sizes[batch][~met[batch]].sum())
                if failing > self._allowed:
                    break
        return None if failing > self._allowed else groups.select(met)

    def _batches(
        self, groups: Groups, chosen: IntArray, estimating: bool
    ) -> Iterator[tuple[IntArray, Estimator]]:
        """Batches of groups in the order in which they are judged, each by one estimator."""
        if self._estimator == "omega":
            yield chosen, self._estimator
            return
        parts, some = self._setting.parts, groups.select(chosen)
        states = exact_states(some, parts.weights[some.members], parts.histograms(some))
        rising = np.argsort(states, kind="stable")
        fewest = rising[:_FEWEST][states[rising[:_FEWEST]] <= EFFORTS[0].most]
        yield chosen[fewest], self._estimator
        rest = np.ones(len(chosen), dtype=bool)
        rest[fewest] = False
        chosen, states, some = chosen[rest], states[rest], some.select(rest)
        doubtful = ~satisfied(self._inferred, self._setting, some, "omega")
        spared = self._spared(states) & estimating
        work = BETHE_COST * parts.table.sensitive.size * some.widths.astype(np.float64)
        exactly = ~spared & (states <= AUTO_STATES) & (self._estimator != "bethe")
        order = np.lexsort((np.where(exactly, states, work), ~doubtful))
        first, size = 0, _FIRST
        while first < len(order):
            batch = order[first : first + size]
            for mask, estimator in ((~spared[batch], self._estimator), (spared[batch], "bethe")):
                if mask.any():
                    yield chosen[batch[mask]], estimator
            first, size = first + size, 2 * size

    def _spared(self, states: npt.NDArray[np.float64]) -> BoolArray:
        """Groups that a screen judges by bethe to save work, though the estimator does not."""
        if self._estimator not in ("auto", "exact"):
            return np.zeros(len(states), dtype=bool)
        many: BoolArray = states > EFFORTS[0].most
        return many & (states <= AUTO_STATES) if self._estimator == "auto" else many
