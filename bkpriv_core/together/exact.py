r"""Exact posteriors under constraints that hang together, by dynamic programming.

People are given values one after another. A *state* says how many of each value are left to each
constraint that is *open*: that some of its people have been given values, and others not. States
that are equal are merged, so their number depends on how few constraints are open at a time, which
is what people are ordered for. A forward pass weighs how each state is reached, a backward pass how
it can end.

What is added up are products of numbers that are not negative, so that nothing cancels. The weights
of a layer are scaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.together.problem import Problem

__all__ = ["exact"]


@dataclass(frozen=True, eq=False)
class _Layer:
    """Ways in which one more person is given a value.

    Parameters
    ----------
    kind : int
        Whose kind it is.
    source, target, value : (t,) int array
        From which state of the layer before to which of this, by which value.
    states : int
        States of this layer.
    """

    kind: int
    source: IntArray
    target: IntArray
    value: IntArray
    states: int


def exact(problem: Problem, budget: int, progress: Progress = SILENT) -> FloatArray | None:
    """Exact posteriors of each kind, for each adversary.

    Parameters
    ----------
    problem : Problem
        The people and constraints.
    budget : int
        Most ways from state to state, of all people.
    progress : Progress
        Polled between steps.

    Returns
    -------
    (a, k, m) float array or None
        Rows sum to 1, or to 0 for adversaries whom the constraints contradict. None if the budget
        does not suffice.
    """
    layers = []
    for layer in _layers(problem):
        progress.poll()
        budget -= len(layer.source)
        if budget < 0:
            return None
        layers.append(layer)
    adversaries, _, values = problem.priors.shape
    beliefs = np.zeros_like(problem.priors)
    # How each state can end, of every layer but the last, which has one.
    ends = [np.ones((adversaries, 1))]
    for layer, before in zip(layers[:0:-1], layers[-2::-1], strict=True):
        progress.poll()
        ways = problem.priors[:, layer.kind][:, layer.value] * ends[-1][:, layer.target]
        ends.append(_gathered(ways, layer.source, before.states))
    reached = np.ones((adversaries, 1))
    done = -1
    for layer, end in zip(layers, reversed(ends), strict=True):
        progress.poll()
        ways = problem.priors[:, layer.kind][:, layer.value] * reached[:, layer.source]
        if layer.kind != done:
            done = layer.kind
            beliefs[:, done] = _gathered(ways * end[:, layer.target], layer.value, values)
        reached = _gathered(ways, layer.target, layer.states)
    return beliefs


def _gathered(ways: FloatArray, place: IntArray, places: int) -> FloatArray:
    """Sums at each place for each adversary, scaled to sum to 1 in all, unless all are 0."""
    sums = np.stack([np.bincount(place, row, minlength=places) for row in ways])
    totals = sums.sum(axis=1, keepdims=True)
    scaled: FloatArray = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return scaled


def _layers(problem: Problem) -> Iterator[_Layer]:
    """Go through all people; the states are never seen outside."""
    sizes = problem.groups.sum(problem.weights[problem.groups.members])
    of_kind: list[list[int]] = [[] for _ in problem.weights]
    for group, kinds in enumerate(problem.groups):
        for kind in kinds.tolist():
            of_kind[kind].append(group)
    histograms = problem.histograms
    # Columns of the open constraints: a constraint, a value that it has, how many are left.
    columns = np.zeros((2, 0), dtype=np.int64)
    rows = np.zeros((1, 0), dtype=np.int64)
    for kind in range(len(problem.weights)):
        mine = np.array(of_kind[kind], dtype=np.int64)
        held = np.stack(np.nonzero(histograms[mine]))
        held[0] = mine[held[0]]
        opened = held[:, ~np.isin(held[0], columns[0])]
        columns = np.concatenate((columns, opened), axis=1)
        start = histograms[opened[0], opened[1]]
        rows = np.concatenate((rows, np.broadcast_to(start, (len(rows), len(start)))), axis=1)
        taken = np.isin(columns[0], mine)
        for _ in range(int(problem.weights[kind])):
            sources, targets, values = [], [], []
            for value in np.flatnonzero(problem.possible[kind]).tolist():
                at = np.flatnonzero(taken & (columns[1] == value))
                if len(at) < len(mine):
                    continue
                source = np.flatnonzero((rows[:, at] > 0).all(axis=1))
                target = rows[source]
                target[:, at] -= 1
                sources.append(source)
                targets.append(target)
                values.append(np.full(len(source), value))
            every = np.concatenate(targets) if targets else rows[:0]
            first, place, _ = distinct_rows(every)
            rows = every[first]
            joined = [np.concatenate(each) if each else place for each in (sources, values)]
            yield _Layer(kind, joined[0], place, joined[1], len(rows))
        sizes[mine] -= problem.weights[kind]
        rows, columns = rows[:, sizes[columns[0]] > 0], columns[:, sizes[columns[0]] > 0]
