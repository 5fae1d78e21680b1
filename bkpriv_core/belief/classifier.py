"""Classifiers: P(value | quasi-identifiers), learned from records or from beliefs about them.

Both have one form: the logarithm of a probability is that of the value's share, plus one weight
for each *feature* that a cell has, up to a constant. Features of a quasi-identifier are its values;
of a number with many values they are *knots*, records' quantiles, of which each number has the two
next to it in shares (a piecewise linear spline), so that dependence need not be monotone. They sum
to 1 for each quasi-identifier.

- ``logistic``: multinomial logistic regression. Weights make the targets likeliest, less half their
  sum of squares, which keeps them finite and is like one record against each weight. The optimum is
  unique, and is approached by Newton's steps within a region of trust, until the gradient is below
  `STEEP`, and then by plain ones as far as rounding lets them: where they begin does not show.
- ``bayes``: naive Bayes, which takes quasi-identifiers as independent given the value, with one
  record added to each feature and value (Laplace). It overstates where they are not.

A target is any non-negative weights of the values: counts of records, or beliefs about them. No
value is ruled out: a probability is at least ``exp(-600)`` of the largest.

What is learned depends on cells, counts and their order alone, and is the same in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["STEEP", "Classifier", "Features", "Model", "learn"]

Model = Literal["logistic", "bayes"]
"""Kinds of classifiers."""

_KNOTS = 12
"""Largest number of features of a numeric quasi-identifier."""

_MOST_VALUES = 256
"""Largest number of features of a categorical quasi-identifier."""

_MOST_FEATURES = 2_500
"""Limit of the features: their pairs are counted."""

_MOST_WEIGHTS = 4_000_000
"""Limit of features times sensitive values; its optimum takes some ten arrays of as many."""

_MOST_BELIEFS = 2**25
"""Limit of cells times sensitive values, arrays of a quarter of a gigabyte."""

_AT_ONCE = 2**17
"""Probabilities that are computed at a time, few enough for the processor's cache."""

STEEP = 1e-4
"""Gradient from which on Newton's steps need no region of trust, in coordinates of even curvature:
beliefs to about 1e-5."""

_LAST_STEPS = 3
"""Limit of the plain steps, each of which squares the error."""

_LAST_GAIN = 0.1
"""Share of the gradient that a plain step must leave at most, or rounding has the rest."""

_MANY = 100_000
"""Records beyond which rounding of the loss bears no gradient so small."""

_STEPS = 200
"""Limit of Newton's steps."""

_LEAST = -600.0
"""Logarithm of the least probability, in shares of the largest."""


@dataclass(frozen=True, eq=False)
class Features:
    """Features of cells."""

    matrix: csr_array
    """Shape (c, f). Share of each feature that a cell has."""
    sizes: IntArray
    """Shape (f,). Number of features of the quasi-identifier that each is of."""

    @classmethod
    def of(cls, table: Table) -> Features:
        """Find the features of the cells of a table.

        Raises:
            TooLarge: If what is learned from them would not fit in memory.
        """
        from scipy import sparse  # slow to import, and only wanted here

        bases = [
            _basis(domain, np.bincount(codes, table.weights, domain.size).astype(np.int64))
            for domain, codes in zip(table.quasi_identifiers, table.codes.T, strict=True)
        ]
        sizes = np.repeat(*(np.array([matrix.shape[1] for matrix in bases], np.int64),) * 2)
        _check(table, len(sizes))
        blocks = [base[codes] for base, codes in zip(bases, table.codes.T, strict=True)]
        empty = sparse.csr_array((table.cells, 0))
        return cls(sparse.csr_array(sparse.hstack([empty, *blocks], format="csr")), sizes)

    def select(self, rows: IntArray) -> Features:
        """Select cells."""
        return Features(self.matrix[rows], self.sizes)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])


def _check(table: Table, features: int) -> None:
    values = table.sensitive.size
    told = f'{values} values of "{table.sensitive.name}"'
    hint = "Publish coarser columns, or bin the sensitive one; a bandwidth takes less."
    if features > _MOST_FEATURES or features * values > _MOST_WEIGHTS:
        raise TooLarge(
            f"a classifier of {told} by {features} features of quasi-identifiers is too large",
            detail=f"At most {_MOST_FEATURES} features, and {_MOST_WEIGHTS} weights, one for each "
            "and each value, are handled.",
            hint=hint,
        )
    if table.cells * values > _MOST_BELIEFS:
        raise TooLarge(
            f"what a classifier believes of {table.cells} combinations and {told} is too large",
            detail=f"They are {table.cells * values} numbers; at most {_MOST_BELIEFS} are handled.",
            hint=hint,
        )


def _basis(domain: Domain, weights: IntArray) -> csr_array:
    """Features of each value of a quasi-identifier, shape (size, f).

    Args:
        weights: Shape (size,). Records with each value.
    """
    from scipy import sparse  # slow to import, and only wanted here

    numbers = domain.size - domain.has_null
    if domain.positions is None or numbers <= _KNOTS:
        kinds = np.arange(domain.size) if domain.numeric else _kinds(domain, weights)
        rows, shape = np.arange(domain.size), (domain.size, int(kinds.max(initial=0)) + 1)
        return sparse.csr_array((np.ones(domain.size), (rows, kinds)), shape=shape)
    # Quantiles of records, the least and the greatest among them.
    below = np.cumsum(weights[:numbers])
    wanted = np.arange(_KNOTS) * below[-1]
    places = np.unique(np.append(numbers - 1, np.searchsorted(below * (_KNOTS - 1), wanted)))
    # Values that double precision does not tell apart have one position.
    knots = np.unique(domain.positions[places])
    line = domain.positions[:numbers]
    left = np.clip(np.searchsorted(knots, line, side="right") - 1, 0, max(0, len(knots) - 2))
    right = np.minimum(left + 1, len(knots) - 1)
    width = knots[right] - knots[left]
    share = np.divide(line - knots[left], width, out=np.zeros(numbers), where=width > 0)
    codes = np.arange(numbers)
    rows, columns = np.tile(codes, 2), np.concatenate((left, right))
    entries = np.concatenate((1.0 - share, share))
    if domain.has_null:
        rows, columns = np.append(rows, numbers), np.append(columns, len(knots))
        entries = np.append(entries, 1.0)
    shape = (domain.size, len(knots) + domain.has_null)
    basis = sparse.csr_array((entries, (rows, columns)), shape=shape)
    basis.eliminate_zeros()
    return basis


def _kinds(domain: Domain, weights: IntArray) -> IntArray:
    """Number of the feature that each value of a categorical quasi-identifier has, (size,)."""
    if domain.size <= _MOST_VALUES:
        return np.arange(domain.size)
    if domain.hierarchy is not None:
        few = (level for level in domain.nodes if level.max() < _MOST_VALUES)
        return np.unique(next(few), return_inverse=True)[1].astype(np.int64)
    kinds = np.full(domain.size, _MOST_VALUES - 1)
    common = np.argsort(-weights, kind="stable")[: _MOST_VALUES - 1]
    kinds[common] = np.arange(len(common))
    return kinds


@dataclass(frozen=True, eq=False)
class Classifier:
    """Weights that were learned."""

    offset: FloatArray
    """Shape (m,). Logarithm of each value's share."""
    weights: FloatArray
    """Shape (f, m). Weight of each feature."""

    def predict(self, features: Features, progress: Progress = SILENT) -> FloatArray:
        """Probabilities of the values for each cell, (c, m); rows sum to 1."""
        beliefs = np.empty((len(features), len(self.offset)))
        for rows in _slices(len(features), len(self.offset)):
            progress.poll()
            logits = features.matrix[rows] @ self.weights + self.offset
            logits -= logits.max(axis=1, keepdims=True)
            np.exp(np.maximum(logits, _LEAST), out=logits)
            logits /= logits.sum(axis=1, keepdims=True)
            beliefs[rows] = logits
        return beliefs


def learn(
    model: Model,
    features: Features,
    targets: FloatArray,
    start: Classifier | None = None,
    *,
    steep: float = STEEP,
    progress: Progress = SILENT,
) -> Classifier:
    """Learn a classifier.

    Args:
        targets: Shape (c, m). Weights of the values in each cell, not negative.
        start: Classifier of something similar, from which the optimum is approached.
        steep: Gradient that is as good as none; above `STEEP` no plain steps follow.
    """
    totals = targets.sum(axis=0)
    offset = np.log((totals + 1.0) / (totals.sum() + len(totals)))
    if not len(features.sizes):
        return Classifier(offset, np.zeros((0, len(offset))))
    if model == "bayes":
        counted = features.matrix.T @ targets + 1.0
        return Classifier(offset, np.log(counted / (totals + features.sizes[:, None])))
    return Classifier(offset, _logistic(features, targets, offset, start, steep, progress))


def _logistic(
    features: Features,
    targets: FloatArray,
    offset: FloatArray,
    start: Classifier | None,
    steep: float,
    progress: Progress,
) -> FloatArray:
    """Weights of the optimum, shape (f, m)."""
    from scipy.optimize import minimize  # slow to import, and only wanted here

    loss = _Loss(features, targets, offset, progress)
    first = loss.origin if start is None else loss.whitened(start.weights)
    bearable = max(1.0, float(targets.sum()) / _MANY) ** 0.5
    options: Any = {"maxiter": _STEPS, "gtol": steep * bearable}
    curved: Any = loss.curved
    found = minimize(loss, first, jac=True, hessp=curved, method="trust-ncg", options=options)
    return loss.weights(found.x if steep > STEEP else _sharpened(loss, found.x))


def _sharpened(loss: _Loss, point: FloatArray) -> FloatArray:
    """Follow plain Newton's steps, judged by the gradient: the loss no longer shows their gain."""
    from scipy.sparse.linalg import LinearOperator, cg  # slow to import, and only wanted here

    _, slope = loss(point)
    for _ in range(_LAST_STEPS):
        curvature = LinearOperator((point.size, point.size), partial(loss.curved, point))
        step, _ = cg(curvature, -slope, rtol=1e-6, maxiter=_STEPS)
        _, after = loss(point + step)
        if np.linalg.norm(after) > _LAST_GAIN * np.linalg.norm(slope):
            break
        point, slope = point + step, after
    return point


class _Loss:
    """Loss of logistic regression, to be made least, of weights in coordinates of even curvature.

    Half the sum of squares of the weights, less the targets' logarithmic probabilities. If all
    cells were believed alike, its matrix of second derivatives would be the unit matrix for each
    value: ``s (1 - s) X' w X + I`` for a value of share ``s``, with weights ``w`` of the cells.
    """

    def __init__(
        self, features: Features, targets: FloatArray, offset: FloatArray, progress: Progress
    ) -> None:
        self._offset = offset
        self._progress = progress
        self._pieces = [
            _Piece(matrix, matrix.T.tocsr(), targets[rows], targets[rows].sum(axis=1)[:, None])
            for rows in _slices(*targets.shape)
            for matrix in (features.matrix[rows],)
        ]
        gram = features.matrix.T @ (features.matrix * targets.sum(axis=1)[:, None])
        spread, self._turned = np.linalg.eigh(gram.toarray())
        shares = np.exp(offset)
        curvature = np.maximum(spread, 0.0)[:, None] * (shares * (1.0 - shares)) + 1.0
        self._scale = 1.0 / np.sqrt(curvature)
        self._at: tuple[bytes, list[FloatArray]] = (b"", [])

    @property
    def origin(self) -> FloatArray:
        """Point of weights of 0."""
        return np.zeros(self._scale.size)

    def weights(self, point: FloatArray) -> FloatArray:
        """Weights of a point, shape (f, m)."""
        weights: FloatArray = self._turned @ (self._scale * point.reshape(self._scale.shape))
        return weights

    def whitened(self, weights: FloatArray) -> FloatArray:
        """Point of weights."""
        point: FloatArray = (self._turned.T @ weights) / self._scale
        return point.ravel()

    def _slope(self, slope: FloatArray) -> FloatArray:
        """Derivatives by a point's coordinates, from those by weights."""
        slope = self._scale * (self._turned.T @ slope)
        return slope.ravel()

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Loss at a point, and its gradient."""
        weights = self.weights(point)
        total, gradient, beliefs = 0.5 * float(np.vdot(weights, weights)), weights.copy(), []
        for piece in self._pieces:
            self._progress.poll()
            logits = piece.matrix @ weights + self._offset
            logits -= logits.max(axis=1, keepdims=True)
            chances = np.exp(logits)
            sums = chances.sum(axis=1, keepdims=True)
            chances /= sums
            # -sum y log p = sum y (log sum exp - logit), with the gradient X' (w p - y).
            total += float(np.vdot(piece.weight, np.log(sums))) - float(
                np.vdot(piece.target, logits)
            )
            gradient += piece.across @ (piece.weight * chances - piece.target)
            beliefs.append(chances)
        self._at = point.tobytes(), beliefs
        return total, self._slope(gradient)

    def curved(self, point: FloatArray, step: FloatArray) -> FloatArray:
        """Second derivatives at a point, times a step."""
        if self._at[0] != point.tobytes():
            self(point)
        weights = self.weights(step)
        product = weights.copy()
        for piece, beliefs in zip(self._pieces, self._at[1], strict=True):
            self._progress.poll()
            moved = beliefs * (piece.matrix @ weights)
            moved -= beliefs * moved.sum(axis=1, keepdims=True)
            moved *= piece.weight
            product += piece.across @ moved
        return self._slope(product)


@dataclass(frozen=True, eq=False)
class _Piece:
    """Features of some cells, as rows and as columns; their targets, and the sums of these."""

    matrix: csr_array
    across: csr_array
    target: FloatArray
    weight: FloatArray


def _slices(cells: int, values: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE // values)
    return (slice(low, low + step) for low in range(0, cells, step))
