"""Transport: the earth mover's distance of two distributions under any ground distance.

Moving ``x[i, j]`` of the mass of value ``i`` to value ``j`` costs ``ground[i, j]`` a unit; the
distance is the least cost at which the one distribution becomes the other, a linear programme.
Of its ``m ** 2`` ways of moving mass hardly any are used, so it is solved over a few of them, by
column generation [1]_: the prices of the balances tell which others would lower the cost, these are
added, and so on until there are none. Then the cost is least over all ways, not only over those
that were tried. Between rounds, work can be cancelled.

References:
.. [1] L. R. Ford, D. R. Fulkerson: A suggested computation for maximal multi-commodity network
   flows. Management Science 5 (1), 1958.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["MOST_VALUES", "emd"]


MOST_VALUES = 500
"""Largest number of values of a distribution: 500 take seconds if all distances are alike."""

_FEW = 64
"""Values of which all ways are tried at once."""

_NEAR = 8
"""Ways of each value to begin with, and that a round adds."""

_SAVED = 1e-10
"""A way that saves less of the largest distance, per unit, is none that lowers the cost."""

_SECONDS = 20.0
"""Longest that one round may take; it cannot be cancelled meanwhile."""


def emd(p: FloatArray, q: FloatArray, ground: FloatArray, progress: Progress = SILENT) -> float:
    """Earth mover's distance of two distributions under any ground distance, exact up to rounding.

    For calculations by hand; the requirements use the closed forms.

    Args:
        p, q: Shape (m,). Distributions.
        ground: Shape (m, m). Distances of the values; they need be neither symmetric nor a metric.

    Raises:
        TooLarge: If there are too many values, or a round takes too long: no figure is returned
            that is not the least cost.
    """
    if len(p) > MOST_VALUES:
        raise TooLarge(
            f"the transport between {len(p)} values is too large a problem",
            detail=f"At most {MOST_VALUES} values are handled.",
            hint="Give coarser values, or such as have no probability in both distributions no "
            "place.",
        )
    top = float(ground.max())
    if top == 0.0:
        return 0.0
    before, after = p / p.sum(), q / q.sum()
    costs = ground / top
    ways = _first(before, after, costs)
    while True:
        progress.poll()
        moved, at_source, at_target = _solve(before, after, costs, ways)
        saved = costs - at_source[:, None] - at_target
        saved[ways] = 0.0
        if saved.min() >= -_SAVED:
            return max(float(moved @ ground[ways]), 0.0)
        # Among ways that save alike, the cheapest of each value bring most.
        ways |= _least(saved) & (saved < -_SAVED)


def _first(before: FloatArray, after: FloatArray, costs: FloatArray) -> BoolArray:
    """Ways to begin with, shape (m, m): cheap ones, and such that all mass can be moved."""
    m = len(before)
    if m <= _FEW:
        return np.ones((m, m), dtype=np.bool_)
    ways = _least(costs)
    np.fill_diagonal(ways, True)
    # What lies between two ends of the cumulated distributions goes from one value to one. The last
    # value takes what rounding leaves over.
    given, taken = np.cumsum(before), np.cumsum(after)
    ends = np.concatenate((given, taken))
    sources = np.minimum(np.searchsorted(given, ends), m - 1)
    targets = np.minimum(np.searchsorted(taken, ends), m - 1)
    ways[sources, targets] = True
    ways[-1, :] = ways[:, -1] = True
    return ways


def _least(costs: FloatArray) -> BoolArray:
    """Mark the least few of each row and of each column, shape (m, m)."""
    marked: BoolArray = np.zeros(costs.shape, dtype=np.bool_)
    everywhere = np.arange(len(costs))
    marked[everywhere[:, None], np.argpartition(costs, _NEAR, axis=1)[:, :_NEAR]] = True
    marked[np.argpartition(costs, _NEAR, axis=0)[:_NEAR], everywhere] = True
    return marked


def _solve(
    before: FloatArray, after: FloatArray, costs: FloatArray, ways: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Move all mass over some ways at least cost.

    Returns:
        moved: Shape (w,). Mass that each way moves.
        at_source, at_target: Shape (m,). Prices: no way of these costs less than both ends'
            together.
    """
    from scipy.optimize import linprog  # slow to import, and only wanted here

    sources, targets = np.nonzero(ways)
    # One of the 2m balance equations follows from the others; leaving it out keeps full rank.
    result = linprog(  # type: ignore[call-overload]
        costs[ways],
        A_eq=_balances(sources, targets, len(before)),
        b_eq=np.concatenate((before, after[:-1])),
        bounds=(0, None),
        method="highs",
        options={"time_limit": _SECONDS},
    )
    if result.status == 1:
        raise TooLarge(
            f"the transport between {len(before)} values takes too long",
            detail=f"It was not solved within {_SECONDS:g} seconds: {result.message}",
            hint="Give coarser values.",
        )
    if result.status != 0:
        raise InvalidParameter(
            "the transport problem was not solved",
            detail=str(result.message),
            hint="Check that the distributions and distances are of a like scale.",
        )
    prices = result.eqlin.marginals
    return result.x, prices[: len(before)], np.append(prices[len(before) :], 0.0)


def _balances(sources: IntArray, targets: IntArray, m: int) -> object:
    """Flows as a sparse matrix by ways: out of each value, and into each but the last."""
    from scipy.sparse import csr_array

    ways = np.arange(len(sources))
    counted = targets < m - 1
    rows = np.concatenate((sources, m + targets[counted]))
    columns = np.concatenate((ways, ways[counted]))
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(2 * m - 1, len(ways)))
