"""Slow, obvious answers about worst-case implications, in fractions, straight from the definitions.

Two oracles that know nothing of each other: enumeration of all worlds and of all implications, for
a handful of persons; and the paper's recursions MINIMIZE1 and MINIMIZE2, bucket by bucket, which
handle a few more. A *bucket* is a list of how many persons have each value. An *atom* is a bucket,
a person's place in it, and a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import prod

Bucket = Sequence[int]
Atom = tuple[int, int, int]
World = tuple[tuple[int, ...], ...]
Rule = tuple[Sequence[Atom], Sequence[Atom]]


def assignments(bucket: Bucket) -> list[tuple[int, ...]]:
    """Every way to hand a bucket's values to its persons."""
    values = [value for value, number in enumerate(bucket) for _ in range(number)]
    return sorted(set(permutations(values)))


class Worlds:
    """All worlds of some buckets, each equally likely; an event is a set of them, as bits."""

    def __init__(self, buckets: Sequence[Bucket]) -> None:
        self.all: list[World] = list(product(*map(assignments, buckets)))
        self.certain = (1 << len(self.all)) - 1
        self.atoms = {
            (place, person, value): self.event(
                lambda world, place=place, person=person, value=value: (  # type: ignore[misc]
                    world[place][person] == value
                )
            )
            for place, bucket in enumerate(buckets)
            for person in range(sum(bucket))
            for value in range(len(bucket))
        }

    def event(self, happens: Callable[[World], bool]) -> int:
        """Collect the worlds in which something happens."""
        return sum(1 << place for place, world in enumerate(self.all) if happens(world))

    def rule(self, rule: Rule) -> int:
        """Collect the worlds in which all of some atoms imply one of others."""
        antecedent = self.certain
        for atom in rule[0]:
            antecedent &= self.atoms[atom]
        consequent = 0
        for atom in rule[1]:
            consequent |= self.atoms[atom]
        return self.certain & (~antecedent | consequent)

    def implications(self, most: int = 1) -> set[int]:
        """Collect all implications with up to so many atoms on either side."""
        both: list[set[int]] = [set(), set()]
        for size in range(1, most + 1):
            for chosen in combinations(self.atoms.values(), size):
                antecedent, consequent = self.certain, 0
                for event in chosen:
                    antecedent &= event
                    consequent |= event
                both[0].add(antecedent)
                both[1].add(consequent)
        return {self.certain & (~one | other) for one in both[0] for other in both[1]}

    def negations(self) -> set[int]:
        """Collect all denials of an atom."""
        return {self.certain & ~event for event in self.atoms.values()}

    def probability(self, event: int, given: int) -> Fraction:
        """Conditional probability."""
        return Fraction((event & given).bit_count(), given.bit_count())

    def most_disclosed(
        self, pieces: Iterable[int], k: int, targets: Iterable[int] | None = None
    ) -> Fraction:
        """Largest probability of an atom, in some buckets, given k of some pieces of knowledge."""
        wanted = None if targets is None else set(targets)
        atoms = {event for atom, event in self.atoms.items() if wanted is None or atom[0] in wanted}
        conjunctions = {self.certain}
        for _ in range(k):
            conjunctions = {one & other for one in conjunctions for other in pieces} - {0}
        return max(self.probability(atom, given) for given in conjunctions for atom in atoms)


def paper(buckets: Sequence[Bucket], k: int) -> Fraction:
    """Maximum disclosure by MINIMIZE1 and MINIMIZE2 as printed, a factor below 0 being 0."""
    sizes = [sum(bucket) for bucket in buckets]
    ranked = [sorted(bucket, reverse=True) for bucket in buckets]

    @cache
    def minimize1(b: int, person: int, most: int, left: int) -> Fraction:
        if not left:
            return Fraction(1)
        if person == sizes[b]:
            return Fraction(0)
        return min(
            Fraction(max(0, sizes[b] - person - sum(ranked[b][:atoms])), sizes[b] - person)
            * minimize1(b, person + 1, atoms, left - atoms)
            for atoms in range(1, min(most, left) + 1)
        )

    def least(b: int, atoms: int) -> Fraction:
        return minimize1(b, 0, atoms, atoms)

    @cache
    def minimize2(b: int, left: int, passed: bool) -> Fraction | None:
        if b == len(buckets):
            return Fraction(1) if passed else None
        ratios = []
        for here in range(left + 1):
            if not passed and (rest := minimize2(b + 1, left - here, True)) is not None:
                ratios.append(least(b, here + 1) * rest * Fraction(sizes[b], ranked[b][0]))
            if (rest := minimize2(b + 1, left - here, passed)) is not None:
                ratios.append(least(b, here) * rest)
        return min(ratios, default=None)

    ratio = minimize2(0, k, False)
    assert ratio is not None
    return 1 / (1 + ratio)


def failing(buckets: Sequence[Bucket], atoms: Iterable[Atom]) -> Fraction:
    """Probability that none of some atoms holds: person after person draws one of the others."""

    @cache
    def drawn(left: tuple[int, ...], excluded: tuple[frozenset[int], ...]) -> Fraction:
        if not excluded:
            return Fraction(1)
        ways = (
            Fraction(number, sum(left))
            * drawn((*left[:value], number - 1, *left[value + 1 :]), excluded[1:])
            for value, number in enumerate(left)
            if number and value not in excluded[0]
        )
        return sum(ways, Fraction(0))

    denied: dict[int, dict[int, set[int]]] = {}
    for place, person, value in atoms:
        denied.setdefault(place, {}).setdefault(person, set()).add(value)
    figures = (
        drawn(tuple(buckets[place]), tuple(map(frozenset, persons.values())))
        for place, persons in denied.items()
    )
    return prod(figures, start=Fraction(1))


def negation_paper(buckets: Sequence[Bucket], k: int) -> Fraction:
    """Largest share of a value once the k most frequent others are ruled out."""
    return max(
        Fraction(
            bucket[value],
            sum(bucket) - sum(sorted(bucket[:value] + bucket[value + 1 :], reverse=True)[:k]),
        )
        for bucket in map(list, buckets)
        for value in range(len(bucket))
        if bucket[value]
    )


def split_in_turn(
    buckets: Sequence[Bucket], splits: Sequence[tuple[int, Bucket, Bucket]], k: int, c: Fraction
) -> list[bool]:
    """Make one split after another where all buckets are then still safe."""
    now = {place: [bucket] for place, bucket in enumerate(buckets)}
    done = []
    for place, one, other in splits:
        then = {**now, place: [one, other]}
        done.append(paper([bucket for halves in then.values() for bucket in halves], k) < c)
        if done[-1]:
            now = then
    return done
