"""Subjects: what is read of a dataset for a method, to be published, explored or searched.

A source is read once. It is grown by the release that the options name, coarsened as the method
asks, and refused where the views could not show it. `publication` goes on from there to a release;
`exploration` stops at what is made, `lattice` at the setting.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import Method, Options
from bkpriv_core.method.growing import IncrementalPopulation
from bkpriv_core.requirement import Requirement, check_binding
from bkpriv_core.table.payload import Payload
from bkpriv_core.verdict import Matter
from bkpriv_pl.past.remembering import set_out
from bkpriv_pl.publishing.distribution import check_column
from bkpriv_pl.publishing.growing import BaseRelease, find_stock
from bkpriv_pl.publishing.layout import check_bounds, names_of_records
from bkpriv_pl.publishing.view import View
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.counts import Reading, count_records
from bkpriv_pl.tables.dataset import Dataset, open_source, read_records
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.persons import records_of

__all__ = ["Subject"]


@dataclass(frozen=True, eq=False)
class Subject:
    """A source as it was read for a method.

    What it has none of is empty: it may have no people, no insensitive attributes and no stock.
    """

    dataset: Dataset
    period: Period | None
    method: Method[Any]
    options: Options
    kept: ContributionBound | None
    """Records of each person that were read."""
    source: Reading
    """Records as `read_records` gave them."""
    stock: BaseRelease
    growth: IncrementalPopulation
    """Records and people as the method takes them: those who stay in it, and newcomers."""
    passed: Payload
    """Insensitive attributes of its records."""
    coarse: Collection[str]

    @classmethod
    def read(
        cls,
        dataset: Dataset,
        period: Period | None,
        method: Method[Any],
        options: Options,
        kept: ContributionBound | None,
        view: View | None = None,
    ) -> Subject:
        """Read a source.

        Args:
            view: View whose release grows, if one does; without it the dataset's last.

        Raises:
            BkprivError: If it cannot be read, grown, coarsened or shown so.
        """
        stock = find_stock(dataset, period, view, method, options=options)
        source = read_records(dataset, options.nulls, period, stock.known, kept=kept)
        table, respondents, passed = source
        growth = stock.grow(table, respondents)
        taken, cell = method.prepare(growth.table, options)
        domains = zip(taken.domains, growth.table.domains, strict=True)
        coarse = {domain.name for domain, own in domains if domain is not own}
        method.form.check(taken)
        check_bounds(dataset, taken, method.form, coarse)
        if options.distribute_by is not None:
            names = names_of_records(dataset, taken, method.form, coarse)
            check_column(options.distribute_by, names)
        people = growth.respondents.moved(cell)
        if people and passed:
            passed = replace(passed, cells=people.cells, values=people.values)
        else:
            passed = passed.moved(cell)
        return cls(
            dataset=dataset,
            period=period,
            method=method,
            options=options,
            kept=kept,
            source=source,
            stock=stock,
            growth=replace(growth, table=taken, respondents=people),
            passed=passed,
            coarse=coarse,
        )

    def read_again(self) -> Reading:
        """Read the source as it is now, whatever is NULL in it."""
        return read_records(self.dataset, "category", self.period, self.stock.known, kept=self.kept)

    def matters(self) -> list[Matter]:
        """Find what is to be judged of the source: records of people that are not published."""
        if self.kept is None or self.kept.most is None:
            return []
        taken = records_of(self.source.table)
        every = count_records(open_source(self.dataset), self.period)
        if taken == every:
            return []
        return [
            Matter(
                "records",
                f"{every - taken} of {every} records of these people are not published",
                every - taken,
                every,
                'The option {"max_records_per_person": "all"} publishes them all.',
            )
        ]

    def set_out(
        self, requirements: Sequence[Requirement], library: PriorTables, *, stored: bool = True
    ) -> tuple[ThreatModel, PriorTables]:
        """Set out the table's adversaries; see `remembering.set_out`."""
        return set_out(
            self.dataset,
            self.period,
            self.growth.table,
            self.growth.respondents,
            requirements=requirements,
            options=self.options,
            library=library,
            apart=self.method.tells_apart or self.growth.grows,
            stored=stored,
        )

    def check(self, threat: ThreatModel, requirements: Sequence[Requirement]) -> None:
        """Refuse requirements that cannot bind, and what the method cannot meet."""
        check_binding(requirements, threat, POLLED)
        if not self.growth.kept:  # Newcomers whom no group takes wait.
            self.method.check(threat, requirements, self.options)
