"""Forms that keep the quasi-identifiers: bucketized and anatomized.

Within a group only the link between quasi-identifiers and sensitive values is broken, so each
record has the group's distribution of them: the estimate is the number of the group's records that
meet the condition on quasi-identifiers, times the share of its sensitive values that meet the other
(Xiao, Tao 2006, section 3). Estimates are counts like the actual ones, with expected records in
place of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.joint import CellJoint
from bkpriv_core.release.bucketized.rewriting import rewrite_bucketized
from bkpriv_core.release.form import Exhibit, Field, Form
from bkpriv_core.release.release import Release
from bkpriv_core.release.rewriting.fragment import ShownColumn

__all__ = ["Anatomized", "Bucketized"]


class Bucketized(Form):
    """Exact quasi-identifiers, the group, and one of its sensitive values, at random.

    A second table has each group's values and how often they occur (Li, Li, Zhang 2009, section
    II-A).
    """

    name = "bucketized"
    exhibits: ClassVar[Mapping[Exhibit, tuple[Field, ...]]] = {
        "records": ("quasi_identifiers", "group_id", "sensitive", "passed"),
        "sensitive": ("group_id", "sensitive", "count"),
    }

    def tally(self, release: Release) -> CellCounts:
        """See `Form`: expected records of each published cell."""
        shares = release.histograms / release.sizes[:, None]
        expected = release.weights[:, None] * shares[release.groups.owner]
        return CellCounts(release.domains, release.codes, expected)

    def joint(self, release: Release, progress: Progress = SILENT) -> CellJoint:
        """See `Form`."""
        return CellJoint(self.tally(release))

    def rewrite(
        self,
        release: Release,
        query: Query,
        views: Mapping[Exhibit, str],
        columns: Sequence[ShownColumn],
        progress: Progress = SILENT,
    ) -> str:
        """See `Form`."""
        return rewrite_bucketized(release.domains, query, views, columns, progress)


class Anatomized(Bucketized):
    """The same without values among the records (Xiao, Tao 2006)."""

    name = "anatomized"
    exhibits: ClassVar[Mapping[Exhibit, tuple[Field, ...]]] = {
        "records": ("quasi_identifiers", "group_id"),
        "sensitive": ("group_id", "sensitive", "passed", "count"),
    }
