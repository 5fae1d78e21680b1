"""Estimates from releases that keep the quasi-identifiers: bucketization and anatomy.

Within a group only the link between quasi-identifiers and sensitive values is broken, so each
record has the group's distribution of them: the estimate is the number of the group's records that
meet the condition on quasi-identifiers, times the share of its sensitive values that meet the other
(Xiao, Tao 2006, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.estimator import Estimator
from bkpriv_core.query.predicate import Predicate
from bkpriv_core.query.workload import Workload
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Bucketized"]


class Bucketized(Estimator):
    """Exact counts of quasi-identifiers times the group's shares of sensitive values.

    Parameters
    ----------
    release : Release
        The release.
    """

    def __init__(self, release: Release) -> None:
        self._release = release

    @cached_property
    def expected(self) -> CellCounts:
        """Expected records of each published cell."""
        parts, groups = self._release.parts, self._release.groups
        shares = parts.histograms(groups) / parts.sizes(groups)[:, None]
        weights = parts.weights[groups.members]
        return CellCounts(
            self._release.domains,
            parts.codes[groups.members],
            weights[:, None] * shares[groups.owner],
        )

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """See `Estimator`."""
        return self.expected.by_key(predicate, keys, progress)

    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """See `Estimator`."""
        return self.expected.answer(workload, progress)
