"""Releases side by side: whether they are of the same data, and figures that all forms have.

Figures of several releases say which loses less only where all are of one table: of the same
attributes, with the same values, and as many records of each combination of them. How values are
generalized may differ; a measure of generality is by the hierarchies that each was published with.

Beside what `measures` and `divergence` say, there are

- ``max_disclosure``: the largest share of a value in a group, or risk of a record;
- ``query_error_median`` and ``query_error_mean``: relative errors of the workload that the bound
  `QueryError` measures unless told otherwise, the same for all releases of a table;
- ``association_error_sensitive`` and ``association_error_quasi_identifiers``: how far the
  uncertainty coefficients of pairs with and without the sensitive attribute are from those of the
  source, on average.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.bound import Asked, ErrorFigures, QueryError
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.randomization.risk import risks
from bkpriv_core.release.release import Release
from bkpriv_core.requirement.counted import shares_of
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Combination, columns_of, marginals_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility.divergence import association

__all__ = ["check_same_data", "fidelity", "largest_disclosure", "query_errors", "usual_queries"]


def check_same_data(releases: Sequence[Release]) -> None:
    """Refuse releases that are not all of one table.

    Args:
        releases: The releases; each is held against the first.

    Raises:
        InvalidParameter: If two differ; it says which, and how.
    """
    first, *others = releases
    for other in others:
        difference = _difference(first, other)
        if difference:
            raise InvalidParameter(
                f"{first.title} and {other.title} are of different data",
                detail=difference,
                hint="Compare releases of the same columns that were made while the source was the "
                "same.",
            )


def _difference(one: Release, other: Release) -> str:
    """Describe the difference between the tables of two releases; empty if there is none."""
    names = [[domain.name for domain in release.domains] for release in (one, other)]
    if names[0] != names[1]:
        listed = (
            f"{', '.join(quasi_identifiers)} and, sensitive, {sensitive or 'none'}"
            for *quasi_identifiers, sensitive in names
        )
        return "The first has {}; the second has {}.".format(*listed)
    records = one.table.records, other.table.records
    found = []
    if records[0] != records[1]:
        found.append(f"The first is of {records[0]} records, the second of {records[1]}.")
    found += _domain_differences(one, other) or _count_differences(one.table, other.table)
    return " ".join(found)


def _domain_differences(one: Release, other: Release) -> list[str]:
    """Describe the difference of the first attribute whose values differ."""
    for mine, theirs in zip(one.domains, other.domains, strict=True):
        for release, labels, known in (
            (one, mine.labels, set(theirs.labels)),
            (other, theirs.labels, set(mine.labels)),
        ):
            if only := [
                "NULL" if label is None else label for label in labels if label not in known
            ]:
                return [
                    f'Attribute "{mine.name}" has values in {release.title} only: {some_of(only)}.'
                ]
        if not _binned_alike(mine, theirs):
            return [f'Attribute "{mine.name}" is binned in another way.']
    return []


def _binned_alike(one: Domain, other: Domain) -> bool:
    if one.ends is None or other.ends is None:
        return one.ends is other.ends
    return np.array_equal(one.ends, other.ends, equal_nan=True)


def _count_differences(one: Table, other: Table) -> list[str]:
    """Count combinations of values whose numbers of records differ."""
    first, cell, _ = distinct_rows(np.concatenate((one.codes, other.codes)))
    counts = np.zeros((2, len(first), one.sensitive.size), dtype=np.int64)
    counts[0, cell[: one.cells]] = one.counts
    counts[1, cell[one.cells :]] = other.counts
    differing = int((counts[0] != counts[1]).sum())
    if not differing:
        return []
    return [f"Combinations of values that have another number of records: {differing}."]


def largest_disclosure(release: Release, progress: Progress = SILENT) -> float:
    """Largest probability with which somebody's sensitive value is disclosed; see the module.

    NaN if there is no sensitive column.

    Raises:
        TooLarge: If the grid of distorted quasi-identifiers is too large.
    """
    sensitive = release.table.sensitive
    if not columns_of(sensitive):
        return float("nan")
    channels = release.form.channels
    if channels is None:
        shares = [shares_of(item.count(release.histograms)) for item in marginals_of(sensitive)]
        if isinstance(sensitive, Combination) and sensitive.several:
            shares = [share[:, :1] for share in shares]  # To have a value, not to have it not.
        return max(float(share.max()) for share in shares)
    return float(risks(release.table, channels, progress).max())


def usual_queries(table: Table, progress: Progress = SILENT) -> Asked | None:
    """Queries of the usual workload, see the module; None where none counts anything."""
    # Of rows, as in `Release.counted`, where persons have several.
    rows = Parts.of(table).of_rows().table
    try:
        return QueryError(0.0).asked(CellCounts.of(rows), progress)
    except InvalidParameter:
        return None


def query_errors(
    release: Release, progress: Progress = SILENT, asked: Asked | None = None
) -> ErrorFigures:
    """Relative errors of the usual workload; NaN where no query counts anything.

    Args:
        asked: The `usual_queries` of its table, if they are known.
    """
    if asked is None:
        asked = usual_queries(release.table, progress)
    if asked is None:
        return ErrorFigures(float("nan"), float("nan"))
    return asked.errors(release.counted.estimated, progress)


def fidelity(release: Release, progress: Progress = SILENT) -> dict[str, float]:
    """Measure the accuracy of queries and of associations, by name; see the module.

    Returns:
        NaN where there is nothing to measure: errors where no query counts anything, associations
        where no pair has a coefficient.
    """
    errors = query_errors(release, progress)
    moved: dict[str, list[float]] = {"sensitive": [], "quasi_identifiers": []}
    sensitive = len(release.domains) - 1
    for *pair, before, after in association(release, progress):
        if not np.isnan(distance := abs(after - before)):
            moved["sensitive" if sensitive in pair else "quasi_identifiers"].append(distance)
    return {
        "query_error_median": errors.median,
        "query_error_mean": errors.mean,
        **{
            f"association_error_{kind}": float(np.mean(distances)) if distances else float("nan")
            for kind, distances in moved.items()
        },
    }
