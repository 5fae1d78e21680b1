r"""Exact posteriors under constraints that hang together, by dynamic programming.

People are given values one after another. A *state* says how many of each value are left to each
constraint that is *open*: that some of its people have been given values, and others not. States
that are equal are merged, so their number depends on how few constraints are open at a time, which
is what people are ordered for. A forward pass weighs how each state is reached, a backward pass how
it can end.

The sums are of products of numbers that are not negative, so that nothing cancels. Priors are
scaled before, by a number for each value of each constraint, which leaves posteriors as they are:
so that on average the constraints are met, and what matters is no rare case (see `fitting`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.composition.constraint import unsound
from bkpriv_core.composition.fitting import fitted
from bkpriv_core.composition.problem import Problem
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["exact"]


_LINKED = 1e4
"""Largest factor by which constraints may allow fewer states together than each by itself."""

_MANY = 1e300
"""Number as good as infinity."""

_COMPARED = 200_000
"""Largest number of comparisons of kinds that may come next: so many take a second or two."""

_CONVOLVED = 1e9
"""Largest number of steps of counting multisets, in all constraints."""

_BALANCED = 0.1
"""Largest share of a record by which scaled priors may miss counts on average."""

_BITS = 62
"""Bits of a word of a state."""


@dataclass(frozen=True, eq=False)
class _Layer:
    """Ways in which one more person is given a value."""

    kind: int
    source: IntArray
    target: IntArray
    value: IntArray
    """Shape (t,). State of the layer before, state of this layer, and the value that leads from one
    to the other.
    """
    states: int


class _Beyond(Exception):
    """The budget does not suffice."""


def exact(
    problem: Problem, budget: int, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray] | None:
    """Exact posteriors of each kind, for each adversary.

    Args:
        budget: Largest number of ways from state to state, of all people; nothing is allocated
            beyond.

    Returns:
        beliefs: Shape (a, k, m). Rows sum to 1, or to 0 for adversaries whom the constraints
            contradict.
        possible: Shape (k, m). Values that each kind has in some way that agrees with the
            constraints, whatever is believed.
    """
    layers = []
    try:
        for layer in _layers(problem, budget, progress):
            progress.poll()
            layers.append(layer)
    except _Beyond:
        return None
    priors = _balanced(problem, progress)
    layers, possible = _alive(layers, problem.possible, progress)
    adversaries, _, values = problem.priors.shape
    beliefs = np.zeros_like(problem.priors)
    # How each state can end, of every layer but the last, which has one.
    ends = [np.ones((adversaries, 1))]
    for layer, before in zip(layers[:0:-1], layers[-2::-1], strict=True):
        progress.poll()
        ways = priors[:, layer.kind][:, layer.value] * ends[-1][:, layer.target]
        ends.append(_gathered(ways, layer.source, before.states))
    reached = np.ones((adversaries, 1))
    done = -1
    for layer, end in zip(layers, reversed(ends), strict=True):
        progress.poll()
        ways = priors[:, layer.kind][:, layer.value] * reached[:, layer.source]
        if layer.kind != done:
            done = layer.kind
            beliefs[:, done] = _gathered(ways * end[:, layer.target], layer.value, values)
        reached = _gathered(ways, layer.target, layer.states)
    return beliefs, possible


def _alive(
    layers: list[_Layer], possible: BoolArray, progress: Progress
) -> tuple[list[_Layer], BoolArray]:
    """Keep ways that lead to an end, and say which values they give people.

    Raises:
        UnsoundHistory: If none does.
    """
    kept = []
    found = np.zeros_like(possible)
    alive = np.ones(layers[-1].states, dtype=bool)
    for layer, states in zip(
        reversed(layers), [*(x.states for x in layers[-2::-1]), 1], strict=True
    ):
        progress.poll()
        ways = alive[layer.target]
        if not ways.any():
            raise unsound("There is no way to give people values so.")
        source, target, value = layer.source[ways], layer.target[ways], layer.value[ways]
        kept.append(_Layer(layer.kind, source, target, value, states=layer.states))
        found[layer.kind, value] = True
        alive = np.zeros(states, dtype=bool)
        alive[source] = True
    return kept[::-1], found


def _balanced(problem: Problem, progress: Progress) -> FloatArray:
    """Priors at what is possible, scaled; the priors themselves where nothing can meet all."""
    scaled = fitted(problem, progress, _BALANCED)
    priors = np.where(problem.possible, problem.priors, 0.0)
    return np.where((scaled > 0) == (priors > 0), scaled, priors)


def _gathered(ways: FloatArray, place: IntArray, places: int) -> FloatArray:
    """Sums at each place for each adversary, scaled to sum to 1 in all, unless all are 0."""
    sums = np.stack([np.bincount(place, row, minlength=places) for row in ways])
    totals = sums.sum(axis=1, keepdims=True)
    scaled: FloatArray = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return scaled


def _layers(problem: Problem, budget: int, progress: Progress) -> Iterator[_Layer]:
    """Go through all people while the budget lasts; the states are never seen outside."""
    of_kind = _turned(problem.groups, len(problem.weights))
    sizes = problem.groups.sum(problem.weights[problem.groups.members])
    histograms = problem.histograms
    states = _States()
    for kind in _order(problem, of_kind, math.log(budget * _LINKED), progress):
        mine = of_kind[kind].tolist()
        for group in mine:
            states.open(group, histograms[group])
        values = np.flatnonzero(problem.possible[kind])
        for _ in range(int(problem.weights[kind])):
            sources = []
            for value in values.tolist():
                progress.poll()
                sources.append(states.having(mine, value))
            counts = [len(source) for source in sources]
            budget -= sum(counts)
            if budget < 0:
                raise _Beyond
            source = np.concatenate(sources)
            state = states.give(mine, values.tolist(), sources, progress)
            yield _Layer(kind, source, state, np.repeat(values, counts), states=states.count)
        sizes[mine] -= problem.weights[kind]
        for group in mine:
            if not sizes[group]:
                states.close(group)


class _States:
    """Different states, packed: how many of each value are left to each open constraint.

    A number is a *field* of as many bits as the first number needs, in one of some words.

    Attributes:
        words: Shape (w, s). Words of each state; of a field that was closed all bits are 0.
    """

    def __init__(self) -> None:
        self.words = np.zeros((1, 1), dtype=np.int64)
        self._taken = [0]
        # Of each open constraint, by value: the word, lowest bit and width of the field.
        self._fields: dict[int, dict[int, tuple[int, int, int]]] = {}

    @property
    def count(self) -> int:
        """Number of states."""
        return self.words.shape[1]

    def open(self, group: int, histogram: IntArray) -> None:
        """Have all of a constraint left, if it is not open."""
        if group in self._fields:
            return
        fields = self._fields[group] = {}
        for value in np.flatnonzero(histogram).tolist():
            held = int(histogram[value])
            word, shift = self._room(held.bit_length())
            fields[value] = word, shift, held.bit_length()
            self._taken[word] |= _mask(shift, held.bit_length())
            if word == len(self.words):
                self.words = np.concatenate((self.words, np.zeros_like(self.words[:1])))
            self.words[word] |= held << shift

    def _room(self, bits: int) -> tuple[int, int]:
        """Word and lowest bit of so many bits that nothing takes."""
        for word, taken in enumerate(self._taken):
            for shift in range(_BITS - bits + 1):
                if not taken & _mask(shift, bits):
                    return word, shift
        self._taken.append(0)
        return len(self._taken) - 1, 0

    def close(self, group: int) -> None:
        """Forget a constraint of which nothing is left in any state."""
        for word, shift, bits in self._fields.pop(group).values():
            self._taken[word] &= ~_mask(shift, bits)

    def having(self, groups: Sequence[int], value: int) -> IntArray:
        """States in which a value is left to each of some open constraints."""
        having = np.ones(self.count, dtype=bool)
        for group in groups:
            word, shift, bits = self._fields[group][value]
            having &= (self.words[word] & _mask(shift, bits)) != 0
        return np.flatnonzero(having)

    def give(
        self,
        groups: Sequence[int],
        values: Sequence[int],
        sources: Sequence[IntArray],
        progress: Progress,
    ) -> IntArray:
        """Take one of each value from some open constraints, in states that have it.

        Returns:
            Shape (t,). New state that each of these becomes, one value after another.
        """
        targets = []
        for value, source in zip(values, sources, strict=True):
            progress.poll()
            target = self.words[:, source]
            for group in groups:
                word, shift, _ = self._fields[group][value]
                target[word] -= 1 << shift
            targets.append(target)
        every = np.concatenate(targets, axis=1)
        first, state, _ = distinct_rows(every.T, progress)
        self.words = every[:, first]
        return state


def _mask(shift: int, bits: int) -> int:
    return ((1 << bits) - 1) << shift


def _turned(groups: Groups, kinds: int) -> list[IntArray]:
    """The groups of each kind."""
    order = np.argsort(groups.members, kind="stable")
    ends = np.searchsorted(groups.members[order], np.arange(1, kinds))
    return np.split(groups.owner[order], ends)


def _order(problem: Problem, of_kind: list[IntArray], most: float, progress: Progress) -> list[int]:
    """Kinds in an order in which few constraints are open at a time.

    Next is always a kind after which the open constraints can be in the fewest states, by
    themselves: as many as there are ways to choose so many of their values. It is given up where
    the logarithm of these is more than `most`, or if too many would have to be compared.
    """
    weights = problem.weights
    if (problem.histograms.sum(axis=1).astype(np.float64) ** 2).sum() > _CONVOLVED:
        raise _Beyond
    ways = []
    for histogram in problem.histograms:
        progress.poll()
        ways.append(_ways(histogram))
    gone = np.zeros(len(ways), dtype=np.int64)
    left = set(range(len(weights)))
    near: set[int] = set()
    order: list[int] = []
    states = 0.0
    # Whom each group's kinds are next to is looked up once, when it is opened.
    opened: set[int] = set()
    compared = 0
    while left:
        progress.poll()
        compared += len(near or left)
        if compared > _COMPARED:
            raise _Beyond

        def growth(kind: int) -> tuple[float, int]:
            added = sum(
                ways[group][gone[group] + weights[kind]] - ways[group][gone[group]]
                for group in of_kind[kind].tolist()
            )
            return float(added), kind

        chosen = min(near or left, key=growth)
        states += growth(chosen)[0]
        if states > most:
            raise _Beyond
        order.append(chosen)
        left.discard(chosen)
        gone[of_kind[chosen]] += weights[chosen]
        for group in set(of_kind[chosen].tolist()) - opened:
            opened.add(group)
            near.update(left.intersection(problem.groups[group].tolist()))
        near.discard(chosen)
    return order


def _ways(histogram: IntArray) -> FloatArray:
    """Logarithm of the multisets of each size within one, shape (size + 1,)."""
    ways = np.ones(1)
    for count in histogram[histogram > 0].tolist():
        ways = np.minimum(np.convolve(ways, np.ones(count + 1)), _MANY)
    logarithms: FloatArray = np.log(ways)
    return logarithms
