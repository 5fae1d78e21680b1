"""Forms of publication: what is shown of a table, and what a reader makes of it.

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
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.joint import JointDistribution
from bkpriv_core.query.tally import Tally
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.release.rewriting.fragment import ShownColumn
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.levels import Recoding
from bkpriv_core.table.parts import Parts

if TYPE_CHECKING:
    from bkpriv_core.release.release import Release

__all__ = ["Exhibit", "Field", "Form", "RangeStyle"]

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
    """Form of publication: everything about how a release is shown.

    Parameters
    ----------
    name : str
        Name of the form.
    exact : bool
        Whether quasi-identifiers are shown as they are.
    exhibits : mapping of Exhibit to mapping of Field to str
        The tables of a release, *records* first, and what each shows, in the order of its columns,
        with what that says to a reader.
    about : mapping of Exhibit to str
        Meaning of the rows of each table, for a reader.
    channels : tuple of Channel or None
        Distortion of each attribute, the sensitive one last; None where values are true.
    drawn : Drawn or None
        The records that were drawn, where values may be others.
    ranges : RangeStyle
        Style of ranges.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = True
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]]
    about: ClassVar[Mapping[Exhibit, str]]
    channels: tuple[Channel, ...] | None = None
    drawn: Drawn | None = None
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

    def penalties(self, release: Release) -> FloatArray:
        """Normalised certainty penalty of each group in each quasi-identifier, shape (d, g).

        It is 0 for quasi-identifiers that are shown as they are.
        """
        return np.zeros((len(release.table.quasi_identifiers), len(release.groups)))

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

        Parameters
        ----------
        views : mapping of Exhibit to str
            The published views, as SQL.
        columns : sequence of ShownColumn
            Columns of the views for all attributes, each in its `exhibit_of` them.

        Returns
        -------
        str
            A SELECT.

        Raises
        ------
        TooLarge
            If the condition tells too many values apart, or the statement is too long.
        """
