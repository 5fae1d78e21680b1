"""Slow, obvious answers to hold the fast ones against.

Everything here works record by record on plain Python numbers, straight from the definitions, and
knows nothing of cells, arrays or lattices. Given `Fraction` it answers in `Fraction`, without any
rounding of its own; only logarithms are always floats. A *group* is a list of places in
`Records.rows`; a *belief* has one probability for each of the sensitive values. NULL as a value of
its own is None.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby, permutations

Number = Fraction | float
Belief = Sequence[Number]
Group = list[int]
Value = str | None


@dataclass(frozen=True)
class Attribute:
    """An attribute: its values in the order of their type, with numbers or paths to a root.

    Numbers with ends are the starts of bins.
    """

    name: str
    values: tuple[Value, ...]
    numbers: Mapping[str, int] | None = None
    paths: Mapping[str, tuple[str, ...]] | None = None
    ends: Mapping[str, int] | None = None
    bounds: tuple[int, int] | None = None
    """Ends of the scale of numbers, if that is not their range."""

    def path(self, value: Value) -> tuple[Value, ...]:
        """Labels from a categorical value to the root; NULL is a branch of its own."""
        if self.paths is None:
            return (value, "*")
        if value is None:
            some = next(iter(self.paths.values()))
            return (None,) * (len(some) - 1) + some[-1:]
        return self.paths[value]

    def place(self, value: Value) -> tuple[int | str, ...]:
        """Sorting key of the order of leaves: numbers rise, nodes stand together by label.

        NULL comes after all values, but before all branches of a hierarchy.
        """
        if self.paths is None:
            return (self.values.index(value),)
        return tuple("" if label is None else f"-{label}" for label in reversed(self.path(value)))


@dataclass(frozen=True)
class Records:
    """A table: rows of one value for each quasi-identifier and, last, the sensitive value."""

    attributes: tuple[Attribute, ...]
    sensitive: Attribute
    rows: tuple[tuple[Value, ...], ...]

    def cells(self) -> list[Group]:
        """Records with equal quasi-identifiers, cell after cell as they first occur."""
        records_of: dict[tuple[Value, ...], Group] = {}
        for record, row in enumerate(self.rows):
            records_of.setdefault(row[:-1], []).append(record)
        return list(records_of.values())

    def secrets(self, group: Group) -> list[int]:
        """Code of the sensitive value of each record of a group."""
        return [self.sensitive.values.index(self.rows[record][-1]) for record in group]

    def column(self, group: Group, axis: int) -> list[Value]:
        """Value of each record of a group in one quasi-identifier."""
        return [self.rows[record][axis] for record in group]

    def everything(self) -> Group:
        """Group of all records."""
        return list(range(len(self.rows)))


# --- Domains (Li, Li, Zhang 2009, section II-C) ---------------------------------------------------


def common_ancestor(attribute: Attribute, values: Sequence[Value]) -> tuple[int, Value]:
    """Height and label of the lowest common ancestor: where all paths begin to agree."""
    paths = [attribute.path(value) for value in values]
    for level in range(len(paths[0])):
        if all(path[level:] == paths[0][level:] for path in paths):
            return level, paths[0][level]
    raise AssertionError("a hierarchy has one root")


def distance(attribute: Attribute, one: Value, other: Value) -> Fraction:
    """Distance of two values in [0, 1]."""
    if attribute.numbers is not None:
        if one is None or other is None:
            return Fraction(int(one != other))
        numbers = attribute.numbers.values()
        low, high = attribute.bounds or (min(numbers), max(numbers))
        gap = abs(attribute.numbers[one] - attribute.numbers[other])
        return min(Fraction(gap, high - low), Fraction(1)) if gap else Fraction(0)
    return Fraction(common_ancestor(attribute, [one, other])[0], len(attribute.path(one)) - 1)


def certainty_penalty(attribute: Attribute, values: Sequence[Value]) -> Fraction:
    """Share of the domain that is spanned (numeric) or lies under the common ancestor.

    Numbers mixed with NULL may be anything.
    """
    if len(set(values)) == 1:
        return Fraction(0)
    if attribute.numbers is not None:
        numbers = [attribute.numbers[value] for value in values if value is not None]
        if None in values:
            return Fraction(1)
        ends = attribute.ends or attribute.numbers
        end = max(ends[value] for value in values if value is not None)
        low, high = attribute.bounds or tuple(f(attribute.numbers.values()) for f in (min, max))
        # With the bin that begins in the scale last.
        whole = max([high, *(ends[v] for v, at in attribute.numbers.items() if at <= high)])
        return min(Fraction(end - min(numbers), whole - low), Fraction(1))
    level, _ = common_ancestor(attribute, values)
    top = attribute.path(values[0])[level:]
    below = [value for value in attribute.values if attribute.path(value)[level:] == top]
    return Fraction(len(below), len(attribute.values))


# --- Beliefs (sections II and III) ----------------------------------------------------------------


def epanechnikov(x: Fraction, bandwidth: Fraction) -> Fraction:
    """Kernel of section II-C, with its constant."""
    if abs(x / bandwidth) >= 1:
        return Fraction(0)
    return Fraction(3, 4) / bandwidth * (1 - (x / bandwidth) ** 2)


def priors(records: Records, bandwidths: Sequence[float]) -> list[list[Fraction]]:
    """Equation 2 by pairs of records: the prior about each of them."""
    weight = cache(
        lambda axis, one, other: epanechnikov(
            distance(records.attributes[axis], one, other), Fraction(bandwidths[axis])
        )
    )
    beliefs = []
    for row in records.rows:
        belief = [Fraction(0) for _ in records.sensitive.values]
        for other in records.rows:
            pair = Fraction(1)
            for axis in range(len(records.attributes)):
                pair *= weight(axis, row[axis], other[axis])
            belief[records.sensitive.values.index(other[-1])] += pair
        beliefs.append([share / sum(belief) for share in belief])
    return beliefs


def rounded(beliefs: Sequence[Belief]) -> list[list[float]]:
    """Beliefs as floats, for oracles that would take long with ever longer fractions."""
    return [[float(share) for share in belief] for belief in beliefs]


def distinct_orders(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every distinct order of a multiset, once."""
    if not items:
        yield ()
    for first in sorted(set(items)):
        rest = list(items)
        rest.remove(first)
        for order in distinct_orders(rest):
            yield (first, *order)


def exact_posterior(beliefs: Sequence[Belief], secrets: Sequence[int]) -> Sequence[Belief] | None:
    """Posterior of each record by listing all worlds; None if no world is possible."""
    total: Number = Fraction(0)
    weights: list[list[Number]] = [[Fraction(0) for _ in belief] for belief in beliefs]
    for world in distinct_orders(secrets):
        chance: Number = Fraction(1)
        for belief, value in zip(beliefs, world, strict=True):
            chance *= belief[value]
        total += chance
        for weight, value in zip(weights, world, strict=True):
            weight[value] += chance
    if not total:
        return None
    return [[share / total for share in weight] for weight in weights]


def likelihood(beliefs: Sequence[Belief], counts: tuple[int, ...]) -> Number:
    """Sum ``L(E, n)`` over the distinct assignments, by the value of one record after another."""

    @cache
    def rest(record: int, left: tuple[int, ...]) -> Number:
        if record == len(beliefs):
            return Fraction(1)
        total: Number = Fraction(0)
        for value, count in enumerate(left):
            if count:
                fewer = (*left[:value], count - 1, *left[value + 1 :])
                total += beliefs[record][value] * rest(record + 1, fewer)
        return total

    return rest(0, counts)


def posterior_by_equation_3(beliefs: Sequence[Belief], counts: tuple[int, ...]) -> Sequence[Belief]:
    """``P(s_i | t_j) L(E - t_j, n - e_i) / L(E, n)``: for groups too large to list all worlds."""
    total = likelihood(beliefs, counts)
    posterior: list[Belief] = []
    for record, belief in enumerate(beliefs):
        others = [*beliefs[:record], *beliefs[record + 1 :]]
        row: list[Number] = []
        for value, count in enumerate(counts):
            fewer = (*counts[:value], count - 1, *counts[value + 1 :])
            row.append(belief[value] * likelihood(others, fewer) / total if count else Fraction(0))
        posterior.append(row)
    return posterior


def omega_posterior(beliefs: Sequence[Belief], secrets: Sequence[int]) -> Sequence[Belief] | None:
    """Equation 5; None where a published value has prior 0 for every record."""
    estimates: list[Belief] = []
    for belief in beliefs:
        row: list[Number] = [Fraction(0) for _ in belief]
        for value, count in Counter(secrets).items():
            everyone = sum((other[value] for other in beliefs), Fraction(0))
            if not everyone:
                return None
            row[value] = count * belief[value] / everyone
        if not sum(row):
            return None
        estimates.append([share / sum(row) for share in row])
    return estimates


def additive_posterior(
    beliefs: Sequence[Belief], secrets: Sequence[int]
) -> Sequence[Belief] | None:
    """Riboni 2012, algorithm 2: each of the k! configurations weighs the sum of its beliefs."""
    found: list[list[Number]] = [[Fraction(0) for _ in belief] for belief in beliefs]
    total: Number = Fraction(0)
    for dealt in permutations(secrets):
        degree = sum(
            (belief[value] for belief, value in zip(beliefs, dealt, strict=True)), Fraction(0)
        )
        total += degree
        for row, value in zip(found, dealt, strict=True):
            row[value] += degree
    return [[share / total for share in row] for row in found] if total else None


# --- Distances of beliefs (section IV-B) ----------------------------------------------------------


def kl_divergence(p: Belief, q: Belief) -> float:
    """Kullback-Leibler divergence in bits."""
    total = 0.0
    for mine, yours in zip(p, q, strict=True):
        if mine and not yours:
            return math.inf
        if mine:
            total += float(mine) * math.log2(mine / yours)
    return total


def js_divergence(p: Belief, q: Belief) -> float:
    """Equation 6, in bits."""
    middle = [(mine + yours) / 2 for mine, yours in zip(p, q, strict=True)]
    return (kl_divergence(p, middle) + kl_divergence(q, middle)) / 2


def smooth(sensitive: Attribute, belief: Belief, bandwidth: float) -> Belief:
    """Nadaraya-Watson average over the sensitive domain, then renormalised."""
    smoothed: list[Number] = []
    for one in sensitive.values:
        top: Number = Fraction(0)
        bottom = Fraction(0)
        for other, share in zip(sensitive.values, belief, strict=True):
            weight = epanechnikov(distance(sensitive, one, other), Fraction(bandwidth))
            top += share * weight
            bottom += weight
        smoothed.append(top / bottom)
    return [share / sum(smoothed) for share in smoothed]


def belief_distance(sensitive: Attribute, p: Belief, q: Belief, by: float | None = None) -> float:
    """Jensen-Shannon divergence, smoothed if that is by a bandwidth."""
    if by is None:
        return js_divergence(p, q)
    return js_divergence(smooth(sensitive, p, by), smooth(sensitive, q, by))


def assignment_distance(
    p: Sequence[int], q: Sequence[int], ground: Sequence[Sequence[Fraction]]
) -> Fraction:
    """Earth mover's distance of two multisets of equally many units, over all assignments."""
    return min(
        sum((ground[a][b] for a, b in zip(p, order, strict=True)), Fraction(0))
        for order in permutations(q)
    ) / len(p)


def earth_movers_distance(p: Belief, q: Belief, ground: Sequence[Sequence[Fraction]]) -> Number:
    """Least cost of moving `p` onto `q`: send mass along the cheapest path until none is left.

    A path may take back what was moved before, at the same price, which is what makes it optimal.
    Nodes are ``("from", i)`` and ``("to", j)``.
    """
    pairs = [(i, j) for i in range(len(p)) for j in range(len(q))]
    left, missing = list(p), list(q)
    moved: dict[tuple[int, int], Number] = dict.fromkeys(pairs, Fraction(0))
    while any(left):
        cost = {("from", i): Fraction(0) for i in range(len(p)) if left[i]}
        path: dict[tuple[str, int], list[tuple[int, int, int]]] = {node: [] for node in cost}
        for _ in range(2 * len(p)):
            for i, j in pairs:
                steps = [(("from", i), ("to", j), 1)]
                if moved[i, j]:
                    steps.append((("to", j), ("from", i), -1))
                for here, there, sign in steps:
                    if here not in cost:
                        continue
                    price = cost[here] + sign * ground[i][j]
                    if there not in cost or price < cost[there]:
                        cost[there] = price
                        path[there] = [*path[here], (i, j, sign)]
        end = min((j for j in range(len(q)) if missing[j]), key=lambda j: cost["to", j])
        chosen = path["to", end]
        start = chosen[0][0]
        taken_back = [moved[i, j] for i, j, sign in chosen if sign < 0]
        amount = min(left[start], missing[end], *taken_back)
        left[start] -= amount
        missing[end] -= amount
        for i, j, sign in chosen:
            moved[i, j] += sign * amount
    return sum((mass * ground[i][j] for (i, j), mass in moved.items()), Fraction(0))


def ground_distances(sensitive: Attribute, ground: str) -> list[list[Fraction]]:
    """Ground distance of t-closeness by name."""
    size = len(sensitive.values)
    if ground == "hierarchical":
        return [[distance(sensitive, a, b) for b in sensitive.values] for a in sensitive.values]
    if ground == "ordered":
        return [[Fraction(abs(a - b), max(size - 1, 1)) for b in range(size)] for a in range(size)]
    return [[Fraction(int(a != b)) for b in range(size)] for a in range(size)]


# --- What requirements bound, group by group ------------------------------------------------------


def shares(records: Records, group: Group) -> list[Fraction]:
    """Distribution of the sensitive values in a group."""
    secrets = records.secrets(group)
    return [Fraction(secrets.count(v), len(secrets)) for v in range(len(records.sensitive.values))]


def closeness(records: Records, group: Group, ground: str) -> Number:
    """Earth mover's distance of a group's and the table's distribution."""
    return earth_movers_distance(
        shares(records, group),
        shares(records, records.everything()),
        ground_distances(records.sensitive, ground),
    )


def disclosures(
    records: Records, beliefs: Sequence[Belief], group: Group, by: float | None, estimator: str
) -> list[float]:
    """Distance of prior and posterior belief about each record of a group."""
    before = [beliefs[record] for record in group]
    secrets = records.secrets(group)
    after: Sequence[Belief] | None
    if estimator == "exact":
        counts = tuple(secrets.count(value) for value in range(len(records.sensitive.values)))
        after = posterior_by_equation_3(before, counts)
    else:
        after = omega_posterior(before, secrets)
    if after is None:
        raise AssertionError("a prior made from the table never contradicts it")
    return [
        belief_distance(records.sensitive, p, q, by) for p, q in zip(before, after, strict=True)
    ]


# --- Mondrian -------------------------------------------------------------------------------------


def median_cut(records: Records, group: Group, axis: int) -> tuple[Group, Group]:
    """Halve a group between two numbers, or two children of its values' common ancestor."""
    attribute = records.attributes[axis]
    if attribute.numbers is not None:

        def key(record: int) -> tuple[int | str, ...]:
            return attribute.place(records.rows[record][axis])
    else:
        level, _ = common_ancestor(attribute, records.column(group, axis))
        above = len(attribute.path(attribute.values[0])) - level

        def key(record: int) -> tuple[int | str, ...]:
            return attribute.place(records.rows[record][axis])[: above + 1]

    parts = [list(run) for _, run in groupby(sorted(group, key=key), key=key)]
    cuts = [
        (
            [record for part in parts[:cut] for record in part],
            [record for part in parts[cut:] for record in part],
        )
        for cut in range(1, len(parts))
    ]
    return min(cuts, key=lambda halves: abs(len(halves[0]) - len(halves[1])))


def all_cuts(records: Records, group: Group, axis: int) -> set[frozenset[frozenset[int]]]:
    """Every pair of halves: the first numbers or children, or a node; and the rest."""
    attribute = records.attributes[axis]
    column = dict(zip(group, records.column(group, axis), strict=True))
    taken: list[set[Value]] = []
    values = sorted(set(column.values()), key=attribute.place)
    if attribute.numbers is not None:
        taken = [set(values[:end]) for end in range(1, len(values))]
    else:
        level, _ = common_ancestor(attribute, values)
        for height in range(level):
            nodes = [attribute.path(value)[height:] for value in values]
            under = [{v for v, n in zip(values, nodes, strict=True) if n == node} for node in nodes]
            taken.extend(under)
            if height == level - 1:
                taken.extend({v for node in under[:end] for v in node} for end in range(len(under)))
    halves = [frozenset(record for record in group if column[record] in some) for some in taken]
    pairs = {frozenset((one, frozenset(group) - one)) for one in halves}
    return {pair for pair in pairs if frozenset() not in pair}


def cuts_of(records: Records, group: Group) -> Iterator[tuple[Group, Group]]:
    """Median cuts of a group, from its widest dimension to its narrowest."""
    widths = [
        certainty_penalty(attribute, records.column(group, axis))
        for axis, attribute in enumerate(records.attributes)
    ]
    for axis in sorted(range(len(widths)), key=lambda axis: -widths[axis]):
        if widths[axis]:
            yield median_cut(records, group, axis)


def mondrian(records: Records, group: Group, allowed: Callable[[Group], bool]) -> list[Group]:
    """Cut a group for as long as both halves are allowed."""
    for one, other in cuts_of(records, group):
        if allowed(one) and allowed(other):
            return mondrian(records, one, allowed) + mondrian(records, other, allowed)
    return [group]


# --- Utility --------------------------------------------------------------------------------------


def mean_penalty(records: Records, group: Group) -> Fraction:
    """Certainty penalty of a group, averaged over attributes."""
    penalties = [
        certainty_penalty(attribute, records.column(group, axis))
        for axis, attribute in enumerate(records.attributes)
    ]
    return sum(penalties, Fraction(0)) / len(penalties)


def widened_penalty(records: Records, groups: Sequence[Group], record: int) -> Fraction:
    """Penalty of the group that grows least if a record is put into it; 1 if there is none."""
    after = [(mean_penalty(records, [*group, record]), group) for group in groups]
    grown = [(penalty - mean_penalty(records, group), penalty) for penalty, group in after]
    return min(grown)[1] if grown else Fraction(1)


def utility(records: Records, groups: Sequence[Group]) -> dict[str, Fraction | None]:
    """Utility measures, record by record; None where nothing is published."""
    total = len(records.rows)
    group_of = {record: group for group in groups for record in group}
    discernibility = penalties = widened = Fraction(0)
    for record in range(total):
        if record not in group_of:
            discernibility += total
            widened += widened_penalty(records, groups, record)
            continue
        group = group_of[record]
        discernibility += len(group)
        penalties += mean_penalty(records, group)
    published = len(group_of)
    return {
        "discernibility": discernibility,
        "average_class_size": Fraction(published, len(groups)) if groups else None,
        "gcp": penalties / published if published else None,
        "rgcp": (penalties + widened) / total,
        "suppressed_share": Fraction(total - published, total),
    }
