"""Slow, obvious answers about sequences, on plain numbers, person by person and value by value.

Knowledge is a mapping from a context, a tuple of labels, oldest first, to the distribution of the
next value; a belief is a mapping from labels to probabilities, zeros left out or not.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from tests.core.oracles import Number

Label = str | None
Belief = Mapping[Label, Number]
Knowledge = Mapping[tuple[Label, ...], Belief]

DOUBT = 1e-9


def longest(knowledge: Knowledge, past: Sequence[Label]) -> Belief | None:
    """Knowledge of the longest suffix of a past that anything is known of."""
    for start in range(len(past)):
        if tuple(past[start:]) in knowledge:
            return knowledge[tuple(past[start:])]
    return None


def revised(knowledge: Knowledge, past: Sequence[Belief], snapshot: Belief) -> dict[Label, Number]:
    """Algorithm 3: sum over all sequences of past values, oldest first."""
    total: dict[Label, Number] = defaultdict(int)
    for sequence in product(*past):
        weight = math.prod(belief[value] for belief, value in zip(past, sequence, strict=True))
        following = longest(knowledge, sequence)
        for value, share in (snapshot if following is None else following).items():
            total[value] += weight * share
    return dict(total)


def mined(people: Sequence[Sequence[Label]], memory: int | None) -> dict[tuple[Label, ...], Belief]:
    """Algorithm 5: count all sequences of past values, view by view; normalise what followed."""
    occurrences: Counter[tuple[Label, ...]] = Counter()
    for values in people:
        for view in range(len(values)):
            for length in range(1, view + 2):
                occurrences[tuple(values[view + 1 - length : view + 1])] += 1
    knowledge: dict[tuple[Label, ...], Belief] = {}
    labels = {value for values in people for value in values}
    for context in occurrences:
        if memory is not None and len(context) > memory:
            continue
        longer = {value: (*context, value) for value in labels}
        followed = {value: occurrences[sequence] for value, sequence in longer.items()}
        total = sum(followed.values())
        if total:
            knowledge[context] = {
                value: Fraction(times, total) for value, times in followed.items() if times
            }
    return knowledge


# --- Whole histories ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """A release: whose values it has in which groups, of which labels, and when."""

    when: int
    labels: tuple[str, ...]
    actual: Mapping[int, str]
    groups: Sequence[Sequence[int]]
    snapshot: Mapping[int, Belief]


Look = tuple[int, int]
"""A release, by its place, and a person."""


def _chains(history: Sequence[Shown]) -> dict[int, list[Look]]:
    """Looks at each person, in the order of time and publication."""
    order = sorted(range(len(history)), key=lambda place: (history[place].when, place))
    chains: dict[int, list[Look]] = defaultdict(list)
    for place in order:
        for group in history[place].groups:
            for person in group:
                chains[person].append((place, person))
    return chains


def _follows(
    knowledge: Knowledge, history: Sequence[Shown], one: Look, other: Look, before: str
) -> dict[Label, Number]:
    """Probabilities of values after another."""
    place, person = other
    snapshot = history[place].snapshot[person]
    told: Belief = {before: 1}
    if history[one[0]].when != history[place].when:
        told = revised(knowledge, [told], snapshot)
    return {
        value: (1 - DOUBT) * told.get(value, 0) + DOUBT * share for value, share in snapshot.items()
    }


def worlds(
    history: Sequence[Shown], knowledge: Knowledge
) -> Iterator[tuple[dict[Look, str], Number]]:
    """Every way in which all values at all looks may be, and its weight."""
    chains = _chains(history)
    looks = [look for chain in chains.values() for look in chain]
    follows = {
        (one, before): _follows(knowledge, history, one, other, before)
        for chain in chains.values()
        for one, other in pairwise(chain)
        for before in history[one[0]].labels
    }
    for values in product(*(history[place].labels for place, _ in looks)):
        world = dict(zip(looks, values, strict=True))
        fits = all(
            Counter(world[place, person] for person in group)
            == Counter(release.actual[person] for person in group)
            for place, release in enumerate(history)
            for group in release.groups
        )
        if not fits:
            continue
        weight: Number = 1
        for chain in chains.values():
            place, person = chain[0]
            weight *= history[place].snapshot[person].get(world[chain[0]], 0)
            for one, other in pairwise(chain):
                weight *= follows[one, world[one]].get(world[other], 0)
        yield world, weight


def believed(history: Sequence[Shown], knowledge: Knowledge) -> dict[Look, dict[Label, float]]:
    """Belief about every look, given all releases: by going through all worlds.

    Contexts are of one value.
    """
    total: Number = 0
    beliefs: dict[Look, dict[Label, Number]] = defaultdict(lambda: defaultdict(int))
    for world, weight in worlds(history, knowledge):
        total += weight
        for look, value in world.items():
            beliefs[look][value] += weight
    return {
        look: {value: float(weight / total) for value, weight in belief.items()}
        for look, belief in beliefs.items()
    }


def same_value(labels: Sequence[Label]) -> Knowledge:
    """Knowledge that values never change."""
    return {(label,): {label: 1} for label in labels}
