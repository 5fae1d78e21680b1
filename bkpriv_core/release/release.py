"""A release, what was published of a table, and its form: how it is shown.

A form says which tables a release has and their columns, which groups a reader cannot tell apart,
what showing them costs in generality, how records are counted and distributed as far as the release
tells, and how SQL over the published views counts them. Code that publishes, measures or queries a
release asks its form; only the code that writes their tables tells forms apart.

To an adversary who knows a record's exact quasi-identifiers all forms of groups tell the same about
it: the values of its group. Figures of disclosure are those of an adversary who knows the record's
group; where records of one cell lie in several groups, one who does not know which learns no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from bkpriv_core.errors import NoGroups
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.columns import ColumnTally
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.joint import JointDistribution
from bkpriv_core.query.tally import Tally
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Combination, columns_of, rows_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from bkpriv_core.table.levels import Recoding
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from bkpriv_core.randomization.channel import Channel
    from bkpriv_core.randomization.drawn import Drawn
    from bkpriv_core.release.rewriting.fragment import ShownColumn

__all__ = ["Exhibit", "Field", "Form", "RangeStyle", "Release"]

Exhibit = Literal["records", "sensitive", "randomization"]
"""A table of a release, and the view that shows it: the records, and the companion that shows the
sensitive values of groups, or how attributes were distorted."""

Field = Literal[
    "quasi_identifiers",
    "sensitive",
    "passed",
    "group_id",
    "count",
    "attribute",
    "value",
    "retention",
    "flip_probability",
]
"""Fields for which a table of a release has columns."""


RangeStyle = Literal["range", "bounds", "text"]
"""Style of ranges: a value of a range type, two columns with the ends, or text."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Form(ABC):
    """Form of publication: everything about how a release is shown."""

    name: ClassVar[str]
    exact: ClassVar[bool] = True
    """Whether quasi-identifiers are shown as they are."""
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]]
    """The tables of a release, *records* first, and what each shows, in the order of its columns,
    with what that says to a reader.
    """
    about: ClassVar[Mapping[Exhibit, str]]
    """Meaning of the rows of each table, for a reader."""
    channels: tuple[Channel, ...] | None = None
    """Distortion of each attribute, the sensitive one last; None where values are true."""
    drawn: Drawn | None = None
    """The records that were drawn, where values may be others."""
    ranges: RangeStyle = "range"

    def with_ranges(self, ranges: RangeStyle) -> Form:
        """The form that shows ranges so."""
        return self if ranges == self.ranges else replace(self, ranges=ranges)

    def exhibit_of(self, field: Field) -> Exhibit:
        """The table in which a reader counts by a field: the last that shows it."""
        return [exhibit for exhibit, shown in self.exhibits.items() if field in shown][-1]

    @property
    def passes(self) -> bool:
        """Whether it shows columns that pass through, beside sensitive values."""
        return any("passed" in shown for shown in self.exhibits.values())

    @property
    def levels(self) -> tuple[int, ...] | None:
        """Level to which each quasi-identifier is generalized as a whole, or None."""
        return None

    def recoded(self, recoding: tuple[Recoding, ...]) -> Form:
        """The form with whole quasi-identifiers generalized, if it generalizes at all."""
        return self

    @property
    def randomized(self) -> bool:
        """Whether records are drawn, and there are no groups."""
        return "randomization" in self.exhibits

    def with_drawn(self, channels: tuple[Channel, ...], drawn: Drawn) -> Form:
        """The form of records that were drawn through channels, if it is one of such."""
        return self

    def pool(self, parts: Parts, groups: Groups) -> Groups:
        """Join groups that are shown alike, for a reader cannot tell them apart."""
        return groups

    def boxes(self, parts: Parts, groups: Groups) -> tuple[IntArray, IntArray]:
        """First and last leaf place that groups span, as they are shown if they are: two (g, d)."""
        return parts.boxes(groups)

    def sides(self, release: Release) -> tuple[IntArray, IntArray]:
        """First and last leaf place that the groups of a release span: two (g, d)."""
        return self.boxes(release.parts, release.groups)

    def penalties(self, release: Release) -> FloatArray:
        """Normalised certainty penalty of each group in each quasi-identifier, shape (d, g).

        It is 0 for quasi-identifiers that are shown as they are.
        """
        return np.zeros((len(release.table.quasi_identifiers), len(release.groups)))

    def check(self, table: Table) -> None:
        """Refuse a table that readers could not read in this form: mostly none.

        Raises:
            InvalidData: If it is one.
        """
        del table

    @abstractmethod
    def tally(self, release: Release) -> Tally:
        """Counts of records as far as the release tells."""

    @abstractmethod
    def joint(self, release: Release, progress: Progress = SILENT) -> JointDistribution:
        """Joint distribution as far as the release tells."""

    @abstractmethod
    def rewrite(
        self,
        release: Release,
        query: Query,
        views: Mapping[Exhibit, str],
        columns: Sequence[ShownColumn],
        progress: Progress = SILENT,
    ) -> str:
        """Write the estimate as SQL over the published views; see `rewriting`.

        Args:
            columns: Columns of the views for all attributes, each in its `exhibit_of` them.

        Raises:
            TooLarge: If the condition tells too many values apart, or the statement is too long.
        """


@dataclass(frozen=True, eq=False)
class Release:
    """A table, the groups in which it was published, and their form."""

    parts: Parts
    """The source's cells when the release was made, or parts of them."""
    partition: Groups | None
    """The published groups; parts in none are suppressed. None if it shows no groups."""
    form: Form

    @property
    def title(self) -> str:
        """Title of the release in messages."""
        return "the release"

    @property
    def groups(self) -> Groups:
        """The published groups.

        Raises:
            NoGroups: If there are none, so that nothing of groups can be measured.
        """
        if self.partition is None:
            raise NoGroups(
                f"{self.title} has no groups",
                detail=f"It is {self.form.name}, and shows none.",
                hint="What was asked is about groups: ask it of a release of another method.",
            )
        return self.partition

    @property
    def labels(self) -> IntArray:
        """Group of each part, or `SUPPRESSED` where it is in none, shape (p,)."""
        if self.partition is None:
            return np.full(len(self.parts), SUPPRESSED)
        return self.partition.labels(len(self.parts))

    def together(self) -> tuple[Release, IntArray]:
        """Build the same release without telling respondents apart, as readers see it.

        Returns:
            place: Shape (p,). The part of it that each part of this one is in.
        """
        if self.parts.respondent is None:
            return self, np.arange(len(self.parts))
        parts, groups = replace(self.parts, respondent=None).unite(self.groups)
        labels = (groups.labels(len(parts)), self.groups.labels(len(self.parts)))
        cells = (parts.cell, self.parts.cell)
        keys = np.column_stack((np.concatenate(labels) - SUPPRESSED, np.concatenate(cells)))
        _, kind, _ = distinct_rows(keys)
        place = np.empty(len(parts), dtype=np.int64)
        place[kind[: len(parts)]] = np.arange(len(parts))
        return replace(self, parts=parts, partition=groups), place[kind[len(parts) :]]

    @property
    def table(self) -> Table:
        """The source when the release was made."""
        return self.parts.table

    @property
    def domains(self) -> tuple[Domain, ...]:
        """Domains of all attributes, in the order of their numbers."""
        return self.table.domains

    @property
    def columns(self) -> tuple[Domain, ...]:
        """Domains of all columns that are told of or told by: the sensitive ones last."""
        return (*self.table.quasi_identifiers, *columns_of(self.table.sensitive))

    def by_column(self, tally: Tally) -> Tally:
        """Ask a tally of this release about `columns`, where it is about combinations.

        These are of one row each, if the release is `counted`.
        """
        sensitive = self.table.sensitive
        return ColumnTally(tally, sensitive) if isinstance(sensitive, Combination) else tally

    @cached_property
    def counted(self) -> Release:
        """The release as queries count it: of rows, where its records are persons of several.

        A reader sees the rows of all of a group's persons, and cannot tell whose they are.

        Raises:
            TooLarge: If the rows' counts would not fit in memory.
        """
        parts = self.parts.of_rows()
        return self if parts is self.parts else replace(self, parts=parts)

    @property
    def codes(self) -> IntArray:
        """The value codes of each membership, shape (e, d)."""
        return self.parts.codes[self.groups.members]

    @property
    def weights(self) -> IntArray:
        """Records of each membership, shape (e,)."""
        return self.parts.weights[self.groups.members]

    @cached_property
    def sizes(self) -> IntArray:
        """Records of each group, shape (g,)."""
        return self.parts.sizes(self.groups)

    @property
    def histograms(self) -> IntArray:
        """Records of each group with each sensitive value, shape (g, m)."""
        return self.parts.histograms(self.groups)

    @property
    def published(self) -> int:
        """Number of published records: all of them, if the release has no groups."""
        return self.table.records if self.partition is None else int(self.sizes.sum())

    @property
    def rows(self) -> int:
        """Number of rows published: above `published`, where persons have several records."""
        counted = self.table.counts if self.partition is None else self.histograms
        which, _ = rows_of(self.table.sensitive, np.arange(self.table.sensitive.size))
        return int(counted.sum(axis=0)[which].sum())

    @cached_property
    def actual(self) -> CellCounts:
        """Counts of the source when the release was made."""
        return CellCounts.of(self.table)

    @cached_property
    def estimated(self) -> Tally:
        """Counts as a reader of the release estimates them."""
        return self.form.tally(self)
