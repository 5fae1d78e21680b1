"""A bound on query error, which a policy may state beside its requirements.

The error of a release is that of a random workload (`draw_workload`), whose queries have conditions
on `dimensions` quasi-identifiers and the sensitive attribute: the median of the relative errors of
those that count anything. It is no property of groups: partitioning does not look at it. It is
measured on the finished release, and an audit with another workload would get another median; so
the workload is drawn from a fixed seed, and audits repeat the figures of publication.

References:
.. [1] X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.tally import Tally
from bkpriv_core.query.workload import Workload, draw_workload, relative_errors
from bkpriv_core.requirement import Bound
from bkpriv_core.schema import Range, read
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray

__all__ = ["Asked", "ErrorFigures", "QueryError"]

_SEED = 2012
"""Any number; the same for ever, so that audits of one release agree."""


@dataclass(frozen=True)
class ErrorFigures:
    """Relative errors of a workload, of the queries that count anything."""

    median: float
    mean: float
    """Exact for the workload that was drawn."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Queries of a table, with their true answers."""

    workload: Workload
    """The queries, some of which count records."""
    actual: FloatArray
    """Shape (q,). Records that each counts."""

    def errors(self, estimated: Tally, progress: Progress = SILENT) -> ErrorFigures:
        """Measure estimates of a release of the table."""
        errors = relative_errors(self.actual, estimated.answer(self.workload, progress))
        errors = errors[~np.isnan(errors)]
        return ErrorFigures(float(np.median(errors)), float(errors.mean()))


@dataclass(frozen=True)
class QueryError:
    """The median relative error of a random workload is at most `median`."""

    median: Annotated[float, Range(at_least=0)]
    """The bound, at least 0."""
    queries: Annotated[int, Range(at_least=1)] = 1000
    dimensions: Annotated[int, Range(at_least=1)] | None = None
    """Quasi-identifiers that a query has conditions on; None for 3, or all if there are fewer."""
    selectivity: Annotated[float, Range(above=0, at_most=1)] = 0.05
    """Share of all combinations of values that a query asks for, in (0, 1]."""
    action: Literal["refuse", "warn"] = "refuse"
    """Action when a publication breaks the bound."""
    key: ClassVar[str] = "query_error"

    @classmethod
    def parse(cls, value: object) -> QueryError:
        """Read ``{"median": 0.1, "queries": 1000, "dimensions": 3, "selectivity": 0.05}``."""
        bound: QueryError = read(cls, value, cls.key)
        return bound

    @property
    def bound(self) -> Bound:
        """Bound on the median."""
        return Bound(self.key, asdict(self), self.median, upper=True)

    def over(self, domains: Sequence[Domain]) -> QueryError:
        """The same with a stated number of dimensions, for a release with such attributes.

        Raises:
            InvalidParameter: If the release does not have so many quasi-identifiers.
        """
        most = len(domains) - 1
        if self.dimensions is not None and self.dimensions > most:
            raise InvalidParameter(
                f"{self.key} asks for queries with {self.dimensions} dimensions",
                detail=f"The release has {most} quasi-identifiers to put conditions on.",
                hint=f"Require at most {most} dimensions, or leave them out.",
            )
        return self if self.dimensions is not None else replace(self, dimensions=min(3, most))

    def measure(self, actual: Tally, estimated: Tally, progress: Progress = SILENT) -> ErrorFigures:
        """Measure estimates; see `asked`."""
        return self.asked(actual, progress).errors(estimated, progress)

    def asked(self, actual: Tally, progress: Progress = SILENT) -> Asked:
        """Draw the workload, and answer it; `over` the domains, if no dimensions are stated.

        Raises:
            InvalidParameter: If no query of the workload counts anything, or there are not so many
                quasi-identifiers.
        """
        dimensions = self.over(actual.domains).dimensions
        assert dimensions is not None
        workload = draw_workload(
            actual.domains,
            self.queries,
            dimensions,
            self.selectivity,
            random=np.random.default_rng(_SEED),
            progress=progress,
        )
        counted = actual.answer(workload, progress)
        if not (counted > 0).any():
            raise InvalidParameter(
                f"none of the {self.queries} queries of {self.key} counts any record",
                detail=f"They have conditions on {dimensions} quasi-identifiers and the "
                f"sensitive attribute, with a selectivity of {self.selectivity:g}.",
                hint="State more queries, fewer dimensions or a larger selectivity.",
            )
        return Asked(workload, counted)
