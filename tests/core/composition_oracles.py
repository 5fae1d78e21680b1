"""Beliefs from several releases together, by listing every way to give people values.

Nothing here knows of groups that follow from others, of kinds or of states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

Group = tuple[Sequence[int], Mapping[int, int]]
"""Persons and how many of them have each value."""


def agreeing(persons: int, values: int, groups: Sequence[Group]) -> Iterator[tuple[int, ...]]:
    """Ways to give each person a value that agree with all groups."""
    for way in product(range(values), repeat=persons):
        if all(Counter(way[person] for person in some) == Counter(held) for some, held in groups):
            yield way


def posteriors(
    prior: Sequence[Sequence[float]], groups: Sequence[Group]
) -> list[list[float]] | None:
    """Belief about each person, given all groups; None if they are impossible."""
    persons, values = len(prior), len(prior[0])
    weights = [[0.0] * values for _ in range(persons)]
    total = 0.0
    for way in agreeing(persons, values, groups):
        weight = 1.0
        for person, value in enumerate(way):
            weight *= prior[person][value]
        total += weight
        for person, value in enumerate(way):
            weights[person][value] += weight
    return [[weight / total for weight in row] for row in weights] if total else None


def possible(persons: int, values: int, groups: Sequence[Group]) -> list[set[int]]:
    """Values that each person has in some way that agrees with all groups."""
    found: list[set[int]] = [set() for _ in range(persons)]
    for way in agreeing(persons, values, groups):
        for person, value in enumerate(way):
            found[person].add(value)
    return found


def rank(rows: Sequence[Sequence[int]]) -> int:
    """Rank: the number of rows that are no combination of others."""
    left = [[Fraction(number) for number in row] for row in rows]
    found = 0
    for column in range(len(left[0])):
        pivot = next((row for row in left[found:] if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left = [
            [a - b * row[column] / pivot[column] for a, b in zip(row, pivot, strict=True)]
            for row in left
        ]
        left.insert(0, pivot)
        found += 1
        left = left[:found] + left[found:]
    return found


def spanned(groups: Sequence[Sequence[int]], people: int) -> list[tuple[int, ...]]:
    """List the sets of people, each as ones and zeros, that are combinations of groups."""
    rows = [[int(each in group) for each in range(people)] for group in groups]
    same = rank(rows)
    return [some for some in product((0, 1), repeat=people) if rank([*rows, some]) == same]


def fewest_told(
    sets: Sequence[Sequence[int]], values: Sequence[int], may: set[int], person: int
) -> int:
    """Fewest records of values that a person may have of all sets that show them.

    `values` has the true value of everybody.
    """
    least = len(values)
    for some in sets:
        if some[person]:
            held = [value for value, inside in zip(values, some, strict=True) if inside]
            least = min(least, sum(value in may for value in held))
    return least
