"""Random queries of a given dimension and expected selectivity (Xiao, Tao 2006, section 6).

A query of dimension ``qd`` has a condition on ``qd`` quasi-identifiers, drawn anew for each query,
and one on the sensitive attribute. A condition on an attribute of ``|A|`` values asks for ``b =
ceil(|A| * s ** (1 / (qd + 1)))`` of them, so that a share ``s`` of all combinations of values is
asked for, a little more by rounding up: a range of neighbouring values of a numeric attribute,
which starts anywhere; a set of values of a categorical one. NULL meets no condition and is not
among the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import (
    And,
    Comparison,
    Membership,
    Predicate,
    value_point,
)
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray
from bkpriv_core.table.notation import is_number, quoted

__all__ = ["Workload", "draw_workload", "relative_errors"]

_MARKS = 200_000_000
"""Largest number of queries times values of all domains, arrays of 200 MB."""

_CHUNK = 1_000_000
"""Marks made at a time."""

_ROWS = 100_000
"""Queries drawn at a time."""

_ROUNDING = 1e-9
"""Rounding error of the root: excess over a whole number of values that is ignored."""


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries, each a condition on some attributes, all of which must hold."""

    domains: tuple[Domain, ...]
    chosen: tuple[BoolArray, ...]
    """Values that each query asks for, by attribute; neighbours, if it is numeric; all of them,
    NULL included, where the query has no condition on it.
    """
    queried: BoolArray
    """Shape (q, d + 1). Attributes on which each query has a condition."""

    def __len__(self) -> int:
        return len(self.queried)

    def predicate(self, query: int) -> Predicate:
        """The condition of one query."""
        parts: list[Predicate] = []
        for attribute in np.flatnonzero(self.queried[query]).tolist():
            domain = self.domains[attribute]
            codes = np.flatnonzero(self.chosen[attribute][query]).tolist()
            points = [value_point(domain, code) for code in codes]
            if domain.numeric:
                parts.append(Comparison(attribute, ">=", points[0]))
                parts.append(Comparison(attribute, "<=", points[-1]))
            else:
                parts.append(Membership(attribute, tuple(points)))
        return And(tuple(parts))

    def text(self, query: int, relation: str) -> str:
        """One query as SQL.

        Args:
            relation: Relation that the query counts in, as SQL.
        """
        parts = []
        for attribute in np.flatnonzero(self.queried[query]).tolist():
            domain = self.domains[attribute]
            codes = np.flatnonzero(self.chosen[attribute][query]).tolist()
            if isinstance(domain, Combination):
                parts.append(_one_of(domain, codes))
                continue
            literals = [_literal(domain, code) for code in codes]
            name = _name(domain)
            if domain.numeric:
                parts.append(f"{name} BETWEEN {literals[0]} AND {literals[-1]}")
            else:
                parts.append(f"{name} IN ({', '.join(literals)})")
        return f"SELECT count(*) FROM {relation} WHERE {' AND '.join(parts)}"


def _name(domain: Domain) -> str:
    return '"' + domain.name.replace('"', '""') + '"'


def _one_of(domain: Combination, codes: Sequence[int]) -> str:
    """SQL condition: columns have one of some combinations of one row."""
    told = []
    for code in codes:
        equal = [
            f"{_name(column)} IS NULL"
            if column.labels[value] is None
            else f"{_name(column)} = {_literal(column, value)}"
            for column, value in zip(domain.columns, domain.rows[code].tolist(), strict=True)
        ]
        told.append(f"({' AND '.join(equal)})")
    return f"({' OR '.join(told)})"


def _literal(domain: Domain, code: int) -> str:
    """A value as an SQL literal."""
    label = domain.labels[code]
    assert label is not None
    return label if domain.numeric and is_number(label) else quoted(label)


def draw_workload(
    domains: tuple[Domain, ...],
    queries: int,
    dimensions: int,
    selectivity: float,
    random: np.random.Generator,
    progress: Progress = SILENT,
) -> Workload:
    """Draw random queries.

    Args:
        domains: Domains of all attributes, the sensitive one last; without a name if no column is
            sensitive.
        queries: Number of queries, at least 1.
        dimensions: Number of quasi-identifiers on which each has a condition, at least 1.
        selectivity: Share of all combinations of values that a query asks for, above 0, at most 1.

    Raises:
        InvalidParameter: If a figure is out of its range, or an attribute has no values but NULL.
        TooLarge: If the values that the queries ask for are too many to mark.
    """
    _check(domains, queries, dimensions, selectivity)
    told = bool(domains[-1].name)
    share = selectivity ** (1 / (dimensions + told))
    attributes = len(domains)
    queried = np.zeros((queries, attributes), dtype=bool)
    queried[:, -1] = told
    queried[:, :dimensions] = True
    for start in range(0, queries, _ROWS):
        progress.poll()
        some = queried[start : start + _ROWS, :-1]
        some[:] = random.permuted(some, axis=1)
    chosen = []
    for attribute, domain in enumerate(domains):
        progress.poll()
        size = domain.size - domain.has_null
        selected = min(size, max(1, math.ceil(size * share - _ROUNDING)))
        marks = np.ones((queries, domain.size), dtype=bool)
        rows = np.flatnonzero(queried[:, attribute])
        first = np.zeros(len(rows), dtype=np.int64)
        if domain.numeric:
            first = random.integers(0, size - selected, size=len(rows), endpoint=True)
        places = np.arange(domain.size)
        step = min(_ROWS, max(1, _CHUNK // domain.size))
        for start in range(0, len(rows), step):
            progress.poll()
            part = slice(start, start + step)
            some = (places >= first[part, None]) & (places < first[part, None] + selected)
            if not domain.numeric:
                some[:, :size] = random.permuted(some[:, :size], axis=1)
            marks[rows[part]] = some
        chosen.append(marks)
    return Workload(domains, tuple(chosen), queried)


def _check(domains: tuple[Domain, ...], queries: int, dimensions: int, selectivity: float) -> None:
    if queries < 1:
        raise InvalidParameter(
            f"the number of queries is {queries}",
            detail="A workload has at least one.",
            hint="10000 is usual.",
        )
    if not 1 <= dimensions < len(domains):
        raise InvalidParameter(
            f"the number of dimensions is {dimensions}",
            detail="A query has a condition on so many quasi-identifiers, and on the sensitive "
            "attribute.",
            hint=f"It must be at least 1 and at most {len(domains) - 1}.",
        )
    if not 0 < selectivity <= 1:
        raise InvalidParameter(
            f"the selectivity is {selectivity:g}",
            detail="It is the share of all combinations of values that a query asks for.",
            hint="It must be above 0 and at most 1; 0.05 is usual.",
        )
    for domain in domains:
        if domain.labels == (None,):
            raise InvalidParameter(
                f'attribute "{domain.name}" has no values but NULL',
                detail="No comparison with it is ever true.",
                hint="Ask queries of your own.",
            )
    marks = queries * sum(domain.size for domain in domains)
    if marks > _MARKS:
        raise TooLarge(
            f"{queries} queries about domains of so many values are too many",
            detail=f"They take {marks} marks; at most {_MARKS} fit in memory.",
            hint="Ask fewer queries at a time.",
        )


def relative_errors(actual: FloatArray, estimate: FloatArray) -> FloatArray:
    """``|estimate - actual| / actual``, NaN where nothing is counted."""
    counted = actual > 0
    errors = np.full(actual.shape, np.nan)
    np.divide(np.abs(estimate - actual), actual, out=errors, where=counted)
    return errors
