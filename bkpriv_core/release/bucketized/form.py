"""Forms that keep the quasi-identifiers: bucketized and anatomized.

Within a group only the link between quasi-identifiers and sensitive values is broken, so each
record has the group's distribution of them: the estimate is the number of the group's records that
meet the condition on quasi-identifiers, times the share of its sensitive values that meet the other
(Xiao, Tao 2006, section 3). Estimates are counts like the actual ones, with expected records in
place of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.joint import CellJoint
from bkpriv_core.release.release import Exhibit, Field, Form, Release

if TYPE_CHECKING:
    from bkpriv_core.release.rewriting.fragment import ShownColumn

__all__ = ["Anatomized", "Bucketized"]


@dataclass(frozen=True, eq=False)
class Bucketized(Form):
    """Exact quasi-identifiers, the group, and one of its sensitive values, at random.

    A second table has each group's values and how often they occur (Li, Li, Zhang 2009, section
    II-A).
    """

    name = "bucketized"
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]] = {
        "records": {
            "quasi_identifiers": "Quasi-identifier of the row's record",
            "group_id": "Number of the row's group, by lot",
            "sensitive": "Sensitive value of a record of the group, dealt to its rows by lot",
            "passed": "Value of the record whose sensitive value the row has, which passes through",
        },
        "sensitive": {
            "group_id": "Number of a group, as its records have it",
            "sensitive": "Sensitive value that records of the group have",
            "count": "How many of them have it",
        },
    }
    about: ClassVar[Mapping[Exhibit, str]] = {
        "records": "One row for each record that is published, with its own quasi-identifiers and "
        "its group. Which records of a group have which of its sensitive values, nothing tells.",
        "sensitive": "One row for each group of records and each sensitive value in it.",
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
        from bkpriv_core.release.bucketized.rewriting import rewrite_bucketized

        return rewrite_bucketized(release.columns, query, views, columns, progress=progress)


@dataclass(frozen=True, eq=False)
class Anatomized(Bucketized):
    """The same without values among the records (Xiao, Tao 2006)."""

    name = "anatomized"
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]] = {
        "records": {
            "quasi_identifiers": "Quasi-identifier of the row's record",
            "group_id": "Number of the row's group, by lot",
        },
        "sensitive": {
            "group_id": "Number of a group, as its records have it",
            "sensitive": "Sensitive value that records of the group have",
            "passed": "Value that records with this sensitive value have, which passes through",
            "count": "How many of them have it",
        },
    }
