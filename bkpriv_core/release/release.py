"""A release: what was published of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bkpriv_core.errors import NoGroups
from bkpriv_core.query.columns import ColumnTally
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.tally import Tally
from bkpriv_core.release.form import Form
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Combination, columns_of, rows_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

__all__ = ["Release"]


@dataclass(frozen=True, eq=False)
class Release:
    """A table, the groups in which it was published, and their form.

    Parameters
    ----------
    parts : Parts
        The source's cells when the release was made, or parts of them.
    partition : Groups or None
        The published groups; parts in none are suppressed. None if it shows no groups.
    form : Form
        Form of publication.
    """

    parts: Parts
    partition: Groups | None
    form: Form

    @property
    def title(self) -> str:
        """Title of the release in messages."""
        return "the release"

    @property
    def groups(self) -> Groups:
        """The published groups.

        Raises
        ------
        NoGroups
            If there are none, so that nothing of groups can be measured.
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

        Returns
        -------
        release : Release
            The same object, if they are not told apart.
        place : (p,) int array
            The part of it that each part of this one is in.
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

        Raises
        ------
        TooLarge
            If the rows' counts would not fit in memory.
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
