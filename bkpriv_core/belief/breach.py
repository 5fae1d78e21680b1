"""Breaches: what was not believed of somebody before, and is afterwards.

A belief suffers an *upward breach* (Evfimievski, Gehrke, Srikant 2003) where a property is believed
with a probability of at most one bound before, and above another after. The properties are those
that a sensitive column can be read for: every value, and where the column has a hierarchy or
intervals, every *node* of it below the root, which is that the value is one of some. Where somebody
may have several records, that one of them has such a value. Nodes that hold all values of the table
are none, for these are certain beforehand.

A distance of beliefs does not bound that: .2 bits, unblended, are from 50 % to 94 % of two values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.distance import Distance
from bkpriv_core.belief.interval import classes_within
from bkpriv_core.table.combination import Combination, HasValue, Marginal
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray
from bkpriv_core.table.levels import Levels

__all__ = ["Breach"]


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Properties of the sensitive attribute, each a set of values."""

    image: FloatArray | None
    """Shape (m, n). Sensitive values that have each property; None: each property is one value."""
    told: list[tuple[int, Marginal | None]]
    """Class of an aspect that each is, and that aspect; None for the sensitive attribute."""

    def believed(self, beliefs: FloatArray) -> FloatArray:
        """Belief in each node, shape (..., n)."""
        return beliefs if self.image is None else np.asarray(beliefs @ self.image)


@dataclass(frozen=True, eq=False)
class Breach(Distance):
    """Largest posterior belief in any node whose prior belief was at most a limit.

    Figures are exact up to rounding; 0 where nothing was believed so little.
    """

    sensitive: Domain
    column: str | None
    """The column that is asked about; None for all that is told, as one."""
    limit: float
    """Largest prior belief of the nodes that count."""

    @cached_property
    def _nodes(self) -> tuple[_Nodes, ...]:
        """Values, then what is above them."""
        told = self.sensitive
        if self.column is None or not isinstance(told, Combination):
            values = _Nodes(None, [(code, None) for code in range(told.size)])
            return (values, *_above(told, np.eye(told.size) if _deep(told) else None, told))
        place = next(n for n, one in enumerate(told.columns) if one.name == self.column)
        column = told.columns[place]
        has = np.zeros((told.size, column.size))
        has[told.sets.owner, told.rows[:, place]] = 1.0
        aspects = [aspect for aspect in told.aspects if aspect.column == self.column]
        if told.several:
            values = _Nodes(has, [(0, aspect) for aspect in aspects])
        else:
            values = _Nodes(has, [(code, aspects[0]) for code in range(column.size)])
        return (values, *_above(column, has, told))

    def most(self, values: int) -> float:
        """See `Distance`: anything may become certain, unless it is so beforehand."""
        return float(values > 1)

    def __call__(self, prior: FloatArray, posterior: FloatArray) -> FloatArray:
        """See `Distance`."""
        asked = (
            np.where(nodes.believed(prior) <= self.limit, nodes.believed(posterior), 0.0).max(
                axis=-1
            )
            for nodes in self._nodes
        )
        return np.asarray(np.maximum.reduce(list(asked)))

    def prepare(self, priors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `Distance`: the nodes that are asked about, and nothing."""
        asked = np.hstack([nodes.believed(priors) <= self.limit for nodes in self._nodes])
        return asked.astype(np.float64), np.zeros(len(priors))

    def from_prepared(
        self, smoothed: FloatArray, entropy: FloatArray, posterior: FloatArray
    ) -> FloatArray:
        """See `Distance`."""
        ends = np.cumsum([len(nodes.told) for nodes in self._nodes])[:-1]
        figures = np.zeros(len(smoothed))
        for nodes, asked in zip(self._nodes, np.split(smoothed, ends, axis=1), strict=True):
            after = nodes.believed(posterior)
            np.maximum(figures, (after * asked).max(axis=1, initial=0.0), out=figures)
        return figures

    def within(
        self, smoothed: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """See `Distance`."""
        told = [classes_within(nodes.image, low, high) for nodes in self._nodes]
        least, most = (
            (np.hstack(each) * smoothed).max(axis=1, initial=0.0)
            for each in zip(*told, strict=True)
        )
        return least, most

    def most_moved(
        self, prior: FloatArray, posterior: FloatArray
    ) -> tuple[list[Marginal | None], IntArray, FloatArray, FloatArray]:
        """See `Distance`: what is believed most of all that is asked about.

        Where nothing is, what was believed least beforehand.
        """
        before = np.hstack([nodes.believed(prior) for nodes in self._nodes])
        after = np.hstack([nodes.believed(posterior) for nodes in self._nodes])
        asked = before <= self.limit
        asked |= ~asked.any(axis=1, keepdims=True) & (before == before.min(axis=1, keepdims=True))
        rows, nodes = np.arange(len(prior)), np.where(asked, after, -1.0).argmax(axis=1)
        told = [one for each in self._nodes for one in each.told]
        chosen = [told[node] for node in nodes.tolist()]
        return (
            [aspect for _, aspect in chosen],
            np.array([code for code, _ in chosen], dtype=np.int64),
            before[rows, nodes],
            after[rows, nodes],
        )

    def values(self, beliefs: FloatArray) -> FloatArray:
        """Belief in each value of the column, or number of people: (..., n) of (..., m)."""
        return self._nodes[0].believed(beliefs)

    def certain(self, beliefs: FloatArray, above: float) -> BoolArray:
        """Mark people of whom some value is believed above a limit: (...,) of beliefs (..., m)."""
        return np.asarray((self.values(beliefs) > above).any(axis=-1))

    def found_out(self, prior: FloatArray, posterior: FloatArray, above: float) -> BoolArray:
        """Mark values of nodes with a prior belief within the limit and a posterior above a bound.

        Shapes (q, m), as the beliefs have.
        """
        found = np.zeros(prior.shape, dtype=bool)
        for nodes in self._nodes:
            breached = (nodes.believed(prior) <= self.limit) & (nodes.believed(posterior) > above)
            found |= breached if nodes.image is None else (breached @ nodes.image.T) > 0
        return found


def _deep(domain: Domain) -> bool:
    """Whether there is anything between the values and the root."""
    return domain.intervals is not None or domain.height > 1


def _above(column: Domain, has: FloatArray | None, told: Domain) -> tuple[_Nodes, ...]:
    """Nodes above the values of a column, which `has` says of the sensitive values; if any."""
    if has is None or not _deep(column):
        return ()
    known = {(has[:, code] > 0).tobytes() for code in range(column.size)}
    images, aspects = [], []
    for level, classes in enumerate(Levels.of(column).codes[1:-1], start=1):
        for node in np.unique(classes).tolist():
            codes = np.flatnonzero(classes == node)
            image = has[:, codes].any(axis=1)
            if image.tobytes() in known or image.all():
                continue
            known.add(image.tobytes())
            images.append(image.astype(np.float64))
            label = _label(column, codes, level)
            kind = HasValue if isinstance(told, Combination) else _Within
            domain = Domain(column.name, ("has", "has not"))
            aspects.append(kind(column.name, domain, 1 - image.astype(np.int64), label))
    if not images:
        return ()
    return (_Nodes(np.column_stack(images), [(0, aspect) for aspect in aspects]),)


@dataclass(frozen=True, eq=False)
class _Within(HasValue):
    """Whether a value is one of a node's, called as values are where there is one column."""

    def label(self, code: int) -> str:
        """See `Marginal`."""
        return super().label(code) if code or self.value is None else self.value


def _label(column: Domain, codes: IntArray, level: int) -> str:
    """Name of a node that holds some values, one of them at least no NULL."""
    first, last = (column.labels[code] for code in (codes[0], codes[-1]))
    if column.hierarchy is None:
        return f"{first} to {last}"
    assert first is not None
    return column.hierarchy.paths[first][level]
