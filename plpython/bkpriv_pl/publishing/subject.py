"""Subjects: what is read of a dataset for a method, to be published, explored or searched.

A source is read once. It is grown by the release that the options name, coarsened as the method
asks, and refused where the views could not show it. `publication` goes on from there to a release;
`exploration` stops at what is made, `lattice` at the setting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bkpriv_core.belief.setting import Setting
from bkpriv_core.method import Method, Options
from bkpriv_core.method.growing import Growth
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, check_binding
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.passed import Passed, ShownRecords
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from bkpriv_pl.past.remembering import Memories, set_out
from bkpriv_pl.publishing.distribution import check_column
from bkpriv_pl.publishing.growing import Stock, find_stock
from bkpriv_pl.publishing.layout import check_bounds, names_of_records
from bkpriv_pl.publishing.view import View
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.counts import NOTHING, Known
from bkpriv_pl.tables.dataset import Dataset, read_records
from bkpriv_pl.tables.kept import Kept
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = ["Subject"]


@dataclass(frozen=True, eq=False)
class Subject:
    """A source as it was read for a method.

    Parameters
    ----------
    dataset : Dataset
        The dataset.
    period : Period or None
        Period whose records were read.
    method : Method
        Method that they are for.
    options : Options
        Options of the method.
    source : tuple of Table, Respondents or None, Passed or None
        Records as `read_records` gave them.
    known : mapping of str to sequence of str or None
        Values that the last release has beside those of the source.
    stock : Stock or None
        Release that grows, if one does.
    growth : Growth or None
        People who stay in it, and newcomers.
    table : Table
        Records as the method takes them.
    respondents : Respondents or None
        Respondents of that table.
    passed : Passed or None
        Insensitive attributes of its records.
    coarse : collection of str
        Attributes that were coarsened.
    """

    dataset: Dataset
    period: Period | None
    method: Method[Any]
    options: Options
    source: tuple[Table, Respondents | None, Passed | None]
    known: Known
    stock: Stock | None
    growth: Growth | None
    table: Table
    respondents: Respondents | None
    passed: Passed | None
    coarse: Collection[str]

    @classmethod
    def read(
        cls,
        dataset: Dataset,
        period: Period | None,
        method: Method[Any],
        options: Options,
        kept: Kept | None,
        view: View | None = None,
    ) -> Subject:
        """Read a source.

        Parameters
        ----------
        kept : Kept or None
            Records of each person that are read.
        view : View, optional
            View whose release grows, if one does; without it the dataset's last.

        Raises
        ------
        BkprivError
            If it cannot be read, grown, coarsened or shown so.
        """
        stock = find_stock(dataset, period, view, method, options)
        known = NOTHING if stock is None else stock.known
        source = read_records(dataset, options.nulls, period, known, kept)
        table, respondents, passed = source
        growth = None if stock is None else stock.grow(table, respondents)
        if growth is not None:
            table, respondents = growth.table, growth.respondents
        taken, cell = method.prepare(table, options)
        domains = zip(taken.domains, table.domains, strict=True)
        coarse = {domain.name for domain, own in domains if domain is not own}
        check_bounds(dataset, taken, method.form, coarse)
        if options.distribute_by is not None:
            names = names_of_records(dataset, taken, method.form, coarse)
            check_column(options.distribute_by, names)
        if respondents is not None:
            respondents = respondents.moved(cell)
        if passed is not None and respondents is not None:
            passed = replace(passed, cells=respondents.cells, values=respondents.values)
        elif passed is not None:
            passed = passed.moved(cell)
        return cls(
            dataset=dataset,
            period=period,
            method=method,
            options=options,
            source=source,
            known=known,
            stock=stock,
            growth=growth,
            table=taken,
            respondents=respondents,
            passed=passed,
            coarse=coarse,
        )

    @property
    def grown_from(self) -> int | None:
        """Release that grows."""
        return None if self.stock is None else self.stock.release

    def set_out(
        self, requirements: Sequence[Requirement], library: PriorTables, *, stored: bool = True
    ) -> tuple[Setting, Memories | None]:
        """Set out the table's adversaries; see `remembering.set_out`."""
        return set_out(
            self.dataset,
            self.period,
            self.table,
            self.respondents,
            requirements,
            self.options,
            library,
            apart=self.method.tells_apart or self.growth is not None,
            stored=stored,
        )

    def check(self, setting: Setting, requirements: Sequence[Requirement]) -> None:
        """Refuse requirements that cannot bind, and what the method cannot meet."""
        check_binding(requirements, setting)
        if self.growth is None or not self.growth.kept:  # Newcomers whom no group takes wait.
            self.method.check(setting, requirements, self.options)

    def places(self, published: Release, chance: Chance) -> IntArray | None:
        """Place of each respondent, or of each record with insensitive attributes, in `parts`."""
        placed = self.passed if self.respondents is None else self.respondents
        return None if placed is None else placed.places(published.parts, chance)

    def told(self, published: Release, place: IntArray | None) -> ShownRecords | None:
        """Insensitive attributes as groups show them."""
        if self.passed is None or place is None:
            return None
        return self.passed.told(published.labels[place], published.table.sensitive)
