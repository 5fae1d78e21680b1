"""The generalized form: each record as its group's box, and a sensitive value of the group.

The box of a group is, in each quasi-identifier, the range or the lowest common ancestor of the
values of its records. Where a method generalizes whole columns alike, values are published as
classes throughout, and boxes are made of whole classes. Groups with the same box are one group to
a reader.

Where ranges are shown by their bounds, NULL alone has none, and a range that mixes NULL with
numbers has none either: both are shown as that, and a reader learns nothing of the attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.joint import JointDistribution
from bkpriv_core.query.tally import Tally
from bkpriv_core.release.generalized.extent import Boxes, Extents, Labels, Ranges
from bkpriv_core.release.generalized.joint import BoxJoint
from bkpriv_core.release.generalized.tally import BoxTally
from bkpriv_core.release.release import Exhibit, Field, Form, Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from bkpriv_core.table.levels import Recoding
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from bkpriv_core.release.rewriting.fragment import ShownColumn

__all__ = ["Generalized"]


@dataclass(frozen=True, eq=False)
class Generalized(Form):
    """Extents of groups in place of quasi-identifiers."""

    recoding: tuple[Recoding, ...] = ()
    """Classes of values of each quasi-identifier that are published alike, where whole columns are
    generalized.
    """
    name = "generalized"
    exact = False
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]] = {
        "records": {
            "quasi_identifiers": "Quasi-identifier of the row's group",
            "sensitive": "Sensitive value of the row's record",
            "passed": "Value of the row's record, which passes through",
        }
    }
    about: ClassVar[Mapping[Exhibit, str]] = {
        "records": "One row for each record that is published. The records of a group have its "
        "quasi-identifiers, which are true of all of them, and nothing tells whose row is whose."
    }

    @property
    def levels(self) -> tuple[int, ...] | None:
        """See `Form`."""
        return tuple(item.level for item in self.recoding) or None

    def recoded(self, recoding: tuple[Recoding, ...]) -> Generalized:
        """See `Form`."""
        return replace(self, recoding=recoding)

    def check(self, table: Table) -> None:
        """See `Form`."""
        for domain in table.quasi_identifiers:
            domain.check_labels()

    def boxes(self, parts: Parts, groups: Groups) -> tuple[IntArray, IntArray]:
        """See `Form`."""
        low, high = parts.boxes(groups)
        for axis, recoded in enumerate(self.recoding):
            low[:, axis], high[:, axis] = recoded.low[low[:, axis]], recoded.high[high[:, axis]]
        if self.ranges == "bounds":
            # Without bounds NULL looks as what mixes NULL with numbers does: it may be anything.
            for axis, domain in enumerate(parts.table.quasi_identifiers):
                if domain.numeric and domain.has_null:
                    low[high[:, axis] == domain.size - 1, axis] = 0
        return low, high

    def labels(self, domain: Domain, axis: int, low: IntArray, high: IntArray) -> list[str | None]:
        """Labels of boxes that span places `low` to `high` of a categorical quasi-identifier."""
        ancestors = domain.generalize(low, high)
        recoded = self.recoding[axis] if self.recoding else None
        if recoded is None or recoded.labels is None:
            return ancestors
        # What is one class goes by its label, be it of a single value; else by the common ancestor.
        return [
            recoded.labels[first] if last == recoded.high[first] else label
            for first, last, label in zip(low.tolist(), high.tolist(), ancestors, strict=True)
        ]

    def pool(self, parts: Parts, groups: Groups) -> Groups:
        """See `Form`."""
        low, high = self.boxes(parts, groups)
        shown: list[IntArray] = []
        for axis, domain in enumerate(parts.table.quasi_identifiers):
            shown += self._shown(domain, axis, low[:, axis], high[:, axis])
        if not len(groups) or not shown:
            return groups
        first, alike, _ = distinct_rows(np.column_stack(shown) + 1)
        if len(first) == len(groups):
            return groups
        joined = np.full(len(parts), SUPPRESSED, dtype=np.int64)
        joined[groups.members] = alike[groups.owner]
        return Groups.from_labels(joined)

    def _shown(self, domain: Domain, axis: int, low: IntArray, high: IntArray) -> list[IntArray]:
        """Codes that are equal where places `low` to `high` are published as the same."""
        if domain.numeric:
            return list(domain.shown(low, high))
        # A reader sees labels, and nodes may share one: with one another, or with a value.
        labels = self.labels(domain, axis, low, high)
        number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
        return [np.array([number[label] for label in labels], dtype=np.int64)]

    def penalties(self, release: Release) -> FloatArray:
        """See `Form`."""
        return release.table.penalties(*self.sides(release))

    def shown(self, release: Release) -> Boxes:
        """The groups as a reader sees them."""
        low, high = self.sides(release)
        extents: list[Extents] = []
        for axis, domain in enumerate(release.table.quasi_identifiers):
            first, last = low[:, axis], high[:, axis]
            if domain.numeric:
                extents.append(Ranges(domain, first, last))
            else:
                extents.append(Labels(domain, self.labels(domain, axis, first, last)))
        return Boxes(release.domains, low, tuple(extents), release.histograms.astype(np.float64))

    def tally(self, release: Release) -> Tally:
        """See `Form`."""
        return BoxTally(self.shown(release))

    def joint(self, release: Release, progress: Progress = SILENT) -> JointDistribution:
        """See `Form`."""
        return BoxJoint(self.shown(release), progress)

    def rewrite(
        self,
        release: Release,
        query: Query,
        views: Mapping[Exhibit, str],
        columns: Sequence[ShownColumn],
        progress: Progress = SILENT,
    ) -> str:
        """See `Form`."""
        from bkpriv_core.release.generalized.rewriting import rewrite_generalized

        return rewrite_generalized(
            replace(self.shown(release), domains=release.columns),
            query,
            views["records"],
            columns,
            progress=progress,
        )
