"""Distances between beliefs.

A belief is a probability distribution over the ``m`` sensitive values. Li, Li, Zhang 2009
(section IV-B) ask five things of a distance: it is zero for equal beliefs, never negative,
larger for a change from a small probability than from a large one (probability scaling), defined
at zero probabilities, and aware of the values' meaning. The Jensen-Shannon divergence has the first
four: to it values are alike or not. The *smoothed* one has all five: both beliefs are blended over
the sensitive domain by a kernel of the values' distances, renormalised, and compared. It hides
certainty, for a belief that comes to be sure of one value among near ones moves little; so beliefs
are compared unblended unless a requirement states a smoothing. Neither bounds the other in general.
Other distances are offered for comparison.

Logarithms are to base 2, so a Jensen-Shannon divergence lies in [0, 1] bit. All functions take
arrays of beliefs, shape (..., m), and are exact up to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from bkpriv_core.belief.interval import blends_within, classes_within, divergence_within
from bkpriv_core.belief.kernels import check_bandwidth, epanechnikov
from bkpriv_core.errors import InvalidParameter, as_shape
from bkpriv_core.schema import ErrorText, Range
from bkpriv_core.table.combination import Marginal
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = [
    "AspectDistance",
    "BeliefDistance",
    "Comparison",
    "Distance",
    "Smoothing",
    "check_distributions",
    "check_ground",
    "emd_equal",
    "emd_hierarchical",
    "emd_ordered",
    "js_divergence",
    "kl_divergence",
    "negative_entropy",
    "total_variation",
]

Smoothing = Annotated[
    float,
    Range(above=0, at_most=1),
    ErrorText(
        "Above 1 all values blend, and whatever an adversary learns seems little.",
        "Distances of values lie in [0, 1]; leave it out for none.",
    ),
]
"""Bandwidth within which values blend, as stated."""

_TOLERANCE = 1e-6

_MOST_COMPARED = 2**26
"""Limit of the numbers that are looked at when pairs of values are compared."""

_WAYS = 8
"""Number of values by way of which the distance of others may be bounded."""

_ROUNDING = 1e-13
"""Largest rounding error of a divergence."""


def check_distributions(*beliefs: FloatArray) -> None:
    """Raise `InvalidParameter` unless every argument is a distribution of one common length."""
    for belief in beliefs:
        if belief.ndim != 1 or belief.size == 0 or belief.shape != beliefs[0].shape:
            raise InvalidParameter(
                "distributions must be one-dimensional, non-empty and of equal length",
                detail=f"The shapes are {' and '.join(as_shape(b.shape) for b in beliefs)}.",
                hint="A distribution is an array of probabilities, one per value, that sum to 1.",
            )
        if not np.isfinite(belief).all() or (belief < 0).any():
            raise InvalidParameter(
                "a distribution has a negative or non-finite probability",
                detail=f"It ranges from {belief.min()} to {belief.max()}.",
                hint="A distribution is an array of probabilities, one per value, that sum to 1.",
            )
        if abs(belief.sum() - 1.0) > _TOLERANCE:
            raise InvalidParameter(
                "a distribution does not sum to 1",
                detail=f"It sums to {belief.sum():.9g}.",
                hint="A distribution is an array of probabilities, one per value, that sum to 1.",
            )


def check_ground(ground: FloatArray, size: int) -> None:
    """Raise `InvalidParameter` unless `ground` is a (size, size) matrix of distances."""
    if ground.shape != (size, size):
        raise InvalidParameter(
            "the ground distance is not a square matrix over the values",
            detail=f"Its shape is {as_shape(ground.shape)}; expected {size} x {size}.",
            hint="Give one row and one column for each value.",
        )
    if not np.isfinite(ground).all() or (ground < 0).any() or np.diagonal(ground).any():
        raise InvalidParameter(
            "a ground distance must be finite, non-negative and zero on the diagonal",
            detail=f"It ranges from {ground.min()} to {ground.max()}.",
            hint="Element (i, j) is the distance of the values i and j, at best in [0, 1].",
        )


def kl_divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Kullback-Leibler divergence in bits, infinite where `q` misses a value of `p`."""
    from scipy.special import rel_entr  # slow to import, and only wanted here

    divergence: FloatArray = rel_entr(p, q).sum(axis=-1) / np.log(2.0)
    return divergence


def negative_entropy(p: FloatArray) -> FloatArray:
    """Sum of ``p log2 p`` over the last axis, in bits, with ``0 log 0 = 0``."""
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    negative: FloatArray = np.einsum("...i,...i->...", p, logs)
    return negative


def js_divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Jensen-Shannon divergence in bits, in [0, 1]; ``JS = (F(p) + F(q)) / 2 - F((p + q) / 2)``.

    Here ``F`` is the negative entropy. Rounding below zero is cut off at zero.
    """
    return _js_from_entropy(p, q, negative_entropy(p), negative_entropy(q))


def _js_from_entropy(
    p: FloatArray, q: FloatArray, entropy_p: FloatArray, entropy_q: FloatArray
) -> FloatArray:
    middle = negative_entropy((p + q) / 2.0)
    return np.clip((entropy_p + entropy_q) / 2.0 - middle, 0.0, 1.0)


def _farthest(image: FloatArray) -> float:
    """Largest divergence of two rows, as distributions. Exact; of very many an upper bound.

    The root of the divergence is a metric, so rows are no farther apart than by way of some of
    them. Rows are compared with those that may be farther than any were found to be, first those
    that may be farthest, until there are none.
    """
    rows = image / image.sum(axis=1, keepdims=True)
    entropy = negative_entropy(rows)

    def from_row(row: int, others: IntArray | slice) -> FloatArray:
        return _js_from_entropy(rows[row], rows[others], entropy[row], entropy[others])

    ways: list[FloatArray] = []
    place, largest = 0, 0.0
    for _ in range(min(_WAYS, len(rows))):
        ways.append(np.sqrt(from_row(place, slice(None))))
        largest = max(largest, float(ways[-1].max()) ** 2)
        if largest >= 1.0 - _ROUNDING:
            return 1.0
        place = int(np.min(ways, axis=0).argmax())
    by_way = np.array(ways)

    def apart(row: int) -> FloatArray:
        """Upper bound of the distance of any belief from a row."""
        bound: FloatArray = np.minimum((by_way + by_way[:, [row]]).min(axis=0) ** 2, 1.0)
        return bound

    reach = np.array([apart(row).max() for row in range(len(rows))])
    left = _MOST_COMPARED // rows.shape[1]
    for row in np.argsort(-reach, kind="stable").tolist():
        if reach[row] <= largest + _ROUNDING:
            break
        others = np.flatnonzero(apart(row) > largest + _ROUNDING)
        left -= len(others)
        if left < 0:
            return float(reach[row])
        largest = max(largest, float(from_row(row, others).max()))
    return min(1.0, largest + _ROUNDING) if largest > _ROUNDING else 0.0


def total_variation(p: FloatArray, q: FloatArray) -> FloatArray:
    """Half the sum of absolute differences."""
    variation: FloatArray = np.abs(p - q).sum(axis=-1) / 2.0
    return variation


def emd_equal(p: FloatArray, q: FloatArray) -> FloatArray:
    """Earth mover's distance where all values are at distance 1: the total variation."""
    return total_variation(p, q)


def emd_ordered(p: FloatArray, q: FloatArray) -> FloatArray:
    """Earth mover's distance over ranks, ``|i - j| / (m - 1)``, by prefix sums."""
    steps = max(p.shape[-1] - 1, 1)
    distance: FloatArray = np.abs(np.cumsum(p - q, axis=-1))[..., :-1].sum(axis=-1) / steps
    return distance


def emd_hierarchical(p: FloatArray, q: FloatArray, nodes: FloatArray) -> FloatArray:
    """Earth mover's distance over a hierarchy, by tree sums.

    Mass that crosses the edge above a node moves ``1 / H`` in all per unit (half up, half down),
    so the distance is half the sum, over edges, of the net mass below them, divided by ``H``.

    Args:
        p, q: Shape (..., m). Beliefs.
        nodes: Shape (levels, m, m). Matrix of leaves by nodes, 0 or 1, for each level below the
            root.
    """
    net = p - q
    crossing = sum(np.abs(net @ level).sum(axis=-1) for level in nodes)
    distance: FloatArray = np.asarray(crossing) / (2.0 * len(nodes))
    return distance


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Rule by which an adversary's beliefs are compared."""

    column: str | None = None
    """The sensitive column that they are compared about; without it all that is told, as one."""
    smoothing: float | None = None
    """Values nearer to each other than this blend; without it they are alike or not."""
    farthest: bool = False
    """Whether they are compared about each column by itself, and the largest distance counts."""
    believed: float | None = None
    """Whether it is asked how much is believed that was believed at most so much beforehand (see
    `bkpriv_core.belief.breach`), and not how far beliefs move.
    """


class Distance(ABC):
    """Figure made of prior and posterior beliefs: their distance, or a largest posterior belief."""

    @abstractmethod
    def __call__(self, prior: FloatArray, posterior: FloatArray) -> FloatArray:
        """Figure of beliefs of shape (..., m), in [0, 1]."""

    @abstractmethod
    def prepare(self, priors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Look at priors once for many figures; see `from_prepared`."""

    @abstractmethod
    def from_prepared(
        self, smoothed: FloatArray, entropy: FloatArray, posterior: FloatArray
    ) -> FloatArray:
        """Figures of prepared priors and of posteriors, row by row."""

    @abstractmethod
    def within(
        self, smoothed: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Bounds of the figures of prepared priors and of posteriors between bounds, row by row.

        Args:
            smoothed: Shape (q, i). Prepared priors.
            low, high: Shape (q, m). Bounds of the posteriors.
        """

    @abstractmethod
    def most_moved(
        self, prior: FloatArray, posterior: FloatArray
    ) -> tuple[list[Marginal | None], IntArray, FloatArray, FloatArray]:
        """Find the value or class that explains each figure, for beliefs of shape (q, m).

        Returns:
            aspects: The aspect that each is about; None for the whole.
            values: Shape (q,). Code of that value or class.
            before, after: Shape (q,). The probability of that.
        """

    @abstractmethod
    def most(self, values: int) -> float:
        """Figure that no two beliefs about so many values exceed."""


class _Divergence(Distance):
    """Largest Jensen-Shannon divergence of images of two beliefs."""

    @property
    @abstractmethod
    def images(self) -> tuple[FloatArray | None, ...]:
        """Matrices of shapes (m, i) whose images of beliefs are compared as distributions.

        None of beliefs as they are.
        """

    def most(self, values: int) -> float:
        """See `Distance`; exact, but of very many an upper bound.

        Images of beliefs are in the convex hull of those of the values, and the divergence is
        jointly convex; so it is the largest of two values.
        """
        return self._largest if values > 1 else 0.0

    @cached_property
    def _largest(self) -> float:
        return max(1.0 if image is None else _farthest(image) for image in self.images)


@dataclass(frozen=True, eq=False)
class BeliefDistance(_Divergence):
    """Jensen-Shannon divergence of beliefs, blended or not (section IV-B.2)."""

    smoother: FloatArray | None = None
    """Shape (m, m). Matrix ``A`` with blended belief ``p @ A`` before it is renormalised. Without
    it nothing is blended: values are alike or not.
    """

    @classmethod
    def over(cls, domain: Domain, bandwidth: float | None = None) -> BeliefDistance:
        """Distance over the values of a sensitive domain; unblended without a bandwidth."""
        return cls() if bandwidth is None else cls.smoothed(domain.distances, bandwidth)

    @classmethod
    def smoothed(cls, ground: FloatArray, bandwidth: float) -> BeliefDistance:
        """Distance of beliefs that are blended.

        Args:
            ground: Shape (m, m). Distances of the sensitive values, in [0, 1].
            bandwidth: Bandwidth of the smoothing kernel. Values at a distance of the bandwidth or
                more do not blend: at 0.5 a hierarchy of height two is not smoothed at all.
        """
        weights = epanechnikov(ground, check_bandwidth(bandwidth, "the smoothing bandwidth"))
        return cls((weights / weights.sum(axis=1, keepdims=True)).T)

    def smooth(self, beliefs: FloatArray) -> FloatArray:
        """Blend each value's probability with those of near values, and renormalise."""
        if self.smoother is None:
            return beliefs
        blended: FloatArray = beliefs @ self.smoother
        blended /= blended.sum(axis=-1, keepdims=True)
        return blended

    def __call__(self, prior: FloatArray, posterior: FloatArray) -> FloatArray:
        """Distance of beliefs of shape (..., m), in [0, 1] bit."""
        return js_divergence(self.smooth(prior), self.smooth(posterior))

    @property
    def images(self) -> tuple[FloatArray | None, ...]:
        """See `_Divergence`."""
        return (self.smoother,)

    def prepare(self, priors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smooth priors once for many comparisons: smoothed priors and their negative entropy."""
        smoothed = self.smooth(priors)
        return smoothed, negative_entropy(smoothed)

    def from_prepared(
        self, smoothed: FloatArray, entropy: FloatArray, posterior: FloatArray
    ) -> FloatArray:
        """Distance of prepared priors to posteriors, row by row."""
        after = self.smooth(posterior)
        return _js_from_entropy(smoothed, after, entropy, negative_entropy(after))

    def within(
        self, smoothed: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """See `Distance`."""
        told = low, high
        if self.smoother is not None:
            told = blends_within(self.smoother, low, high)
        return divergence_within(smoothed, *told)

    def most_moved(
        self, prior: FloatArray, posterior: FloatArray
    ) -> tuple[list[Marginal | None], IntArray, FloatArray, FloatArray]:
        """See `Distance`: what moved most, up or down."""
        rows = np.arange(len(prior))
        values = np.abs(posterior - prior).argmax(axis=1)
        return [None] * len(rows), values, prior[rows, values], posterior[rows, values]


@dataclass(frozen=True, eq=False)
class AspectDistance(_Divergence):
    """Distance of beliefs about combinations by what they say of aspects: the largest of these."""

    aspects: tuple[Marginal, ...]
    bandwidth: float | None = None
    """See `BeliefDistance.over`."""
    beside: tuple[Marginal, ...] = ()
    """Further aspects that count for the distance, but by which no value is named."""

    @cached_property
    def _every(self) -> tuple[Marginal, ...]:
        return (*self.aspects, *self.beside)

    @cached_property
    def _distances(self) -> tuple[BeliefDistance, ...]:
        return tuple(BeliefDistance.over(item.domain, self.bandwidth) for item in self._every)

    def _each(
        self, prior: FloatArray, posterior: FloatArray, items: tuple[Marginal, ...]
    ) -> FloatArray:
        """Distance by each of the first aspects, shape (a, ...)."""
        return np.stack(
            [
                distance(item.collapse(prior), item.collapse(posterior))
                for item, distance in zip(items, self._distances, strict=False)
            ]
        )

    def __call__(self, prior: FloatArray, posterior: FloatArray) -> FloatArray:
        """Distance of beliefs of shape (..., m), in [0, 1] bit."""
        return np.asarray(self._each(prior, posterior, self._every).max(axis=0))

    @property
    def images(self) -> tuple[FloatArray | None, ...]:
        """See `_Divergence`; one for each aspect."""
        images = []
        for item, distance in zip(self._every, self._distances, strict=True):
            marginal = item.collapse(np.eye(len(item.classes)))
            images.append(marginal if distance.smoother is None else marginal @ distance.smoother)
        return tuple(images)

    def prepare(self, priors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Smoothed marginals side by side, and the negative entropy of each; see `from_prepared`.

        Shapes (p, classes of all aspects) and (p, a).
        """
        prepared = [
            distance.prepare(item.collapse(priors))
            for item, distance in zip(self._every, self._distances, strict=True)
        ]
        smoothed, entropies = zip(*prepared, strict=True)
        return np.hstack(smoothed), np.stack(entropies, axis=1)

    def from_prepared(
        self, smoothed: FloatArray, entropy: FloatArray, posterior: FloatArray
    ) -> FloatArray:
        """Distance of prepared priors to posteriors, row by row."""
        ends = np.cumsum([item.domain.size for item in self._every])
        figures = np.zeros(len(smoothed))
        for place, (item, distance, before) in enumerate(
            zip(self._every, self._distances, np.split(smoothed, ends[:-1], axis=1), strict=True)
        ):
            moved = distance.from_prepared(before, entropy[:, place], item.collapse(posterior))
            np.maximum(figures, moved, out=figures)
        return figures

    def within(
        self, smoothed: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """See `Distance`."""
        ends = np.cumsum([item.domain.size for item in self._every])
        marginals = np.split(smoothed, ends[:-1], axis=1)
        each = []
        for item, distance, before in zip(self._every, self._distances, marginals, strict=True):
            having = item.collapse(np.eye(low.shape[1]))
            each.append(distance.within(before, *classes_within(having, low, high)))
        least, most = zip(*each, strict=True)
        return np.maximum.reduce(least), np.maximum.reduce(most)

    def most_moved(
        self, prior: FloatArray, posterior: FloatArray
    ) -> tuple[list[Marginal | None], IntArray, FloatArray, FloatArray]:
        """Find the value that moved most, in the aspect with the largest distance."""
        farthest = self._each(prior, posterior, self.aspects).argmax(axis=0)
        values = np.zeros(len(prior), dtype=np.int64)
        before, after = np.zeros((2, len(prior)))
        for place in np.unique(farthest).tolist():
            rows, item = np.flatnonzero(farthest == place), self.aspects[place]
            _, values[rows], before[rows], after[rows] = self._distances[place].most_moved(
                item.collapse(prior[rows]), item.collapse(posterior[rows])
            )
        return [self.aspects[place] for place in farthest.tolist()], values, before, after
