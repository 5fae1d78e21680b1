"""Slow, obvious answers about queries, from records spread over all points of their boxes.

A *condition* is nested tuples: ``("compare", attribute, operator, literal)``, ``("in", attribute,
literals)``, ``("null", attribute)``, ``("and", parts)``, ``("or", parts)``, ``("not", part)``, with
the sensitive attribute numbered last; literals of numeric attributes are numbers, others labels. A
*spot* is a value that a record may have, with a probability; on a continuum it stands for an
interval that no literal cuts, and is no value of the domain.
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from tests.core.oracles import Attribute, Group, Records, Value

Condition = tuple[Any, ...]
Key = tuple[Value, ...]
Joint = Mapping[Key, Fraction]

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Spot:
    """A value a record may have: its number or label, NULL being None, and its probability."""

    value: Any
    share: Fraction
    label: Value = None
    exact: bool = True


# --- Conditions -----------------------------------------------------------------------------------


def truth(condition: Condition, attributes: Sequence[Attribute], point: Sequence[Any]) -> Any:
    """True, False or None of a condition at a point."""
    kind, *rest = condition
    if kind == "not":
        inner = truth(rest[0], attributes, point)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        parts = [truth(part, attributes, point) for part in rest[0]]
        deciding = kind == "or"
        if deciding in parts:
            return deciding
        return None if None in parts else not deciding
    value = point[rest[0]]
    if kind == "null":
        return value is None
    if value is None:
        return None
    if kind == "in":
        return value in rest[1]
    _, sign, literal = rest
    attribute = attributes[rest[0]]
    if attribute.numbers is None and sign not in ("=", "<>"):
        value, literal = attribute.values.index(value), attribute.values.index(literal)
    return COMPARE[sign](value, literal)


def mentioned(condition: Condition) -> Iterator[tuple[int, list[Any]]]:
    """Attributes in a condition and the literals that each is compared with."""
    kind, *rest = condition
    if kind in ("and", "or"):
        for part in rest[0]:
            yield from mentioned(part)
    elif kind == "not":
        yield from mentioned(rest[0])
    elif kind == "compare":
        yield rest[0], [rest[2]]
    else:
        yield rest[0], list(rest[1]) if kind == "in" else []


# --- Spreading ------------------------------------------------------------------------------------


def leaves(attribute: Attribute, column: Sequence[Value]) -> list[Value]:
    """Values that may stand under the label that a group is published with."""
    paths = [attribute.path(value) for value in column]
    label = next(labels[0] for labels in zip(*paths, strict=True) if len(set(labels)) == 1)
    return [value for value in attribute.values if label in attribute.path(value)]


def spots(
    attribute: Attribute, column: Sequence[Value], step: int | None, literals: Sequence[Any]
) -> list[Spot]:
    """Possible places of a record of a group along one quasi-identifier."""
    if attribute.numbers is None:
        under = leaves(attribute, column)
        return [Spot(value, Fraction(1, len(under)), value) for value in under]
    numbers = attribute.numbers
    if None not in column:
        numbers_held = [numbers[value] for value in column if value is not None]
        return line(attribute, min(numbers_held), max(numbers_held), step, literals)
    if set(column) == {None}:
        return [Spot(None, Fraction(1))]
    null = Fraction(1, len(attribute.values))
    spread = line(attribute, min(numbers.values()), max(numbers.values()), step, literals)
    kept = [Spot(spot.value, spot.share * (1 - null), spot.label, spot.exact) for spot in spread]
    return [*kept, Spot(None, null)]


def line(
    attribute: Attribute, low: int, high: int, step: int | None, literals: Sequence[Any]
) -> list[Spot]:
    """Possible places of a number of a range."""
    assert attribute.numbers is not None
    label = {number: text for text, number in attribute.numbers.items()}
    if attribute.ends is not None:
        return bins(attribute, low, attribute.ends[label[high]], step, literals)
    if low == high:
        return [Spot(low, Fraction(1), label[low])]
    if step is not None:
        points = range(low, high + 1, step)
        share = Fraction(1, len(points))
        return [Spot(point, share, label.get(point), point in label) for point in points]
    cuts = sorted({low, high, *(cut for cut in literals if low < cut < high)})
    return [
        Spot(Fraction(one + other) / 2, Fraction(other - one) / (high - low), exact=False)
        for one, other in pairwise(cuts)
    ]


def bins(
    attribute: Attribute, low: int, end: int, step: int | None, literals: Sequence[Any]
) -> list[Spot]:
    """Possible places of a record of a range of bins: point by point, or piece by piece.

    In a bin that occurs its value is the bin's start, elsewhere it is where the record is.
    """
    assert attribute.numbers is not None
    assert attribute.ends is not None
    ordered = [(attribute.numbers[text], stop, text) for text, stop in attribute.ends.items()]
    if step is not None:
        pieces = [(Fraction(point), Fraction(step)) for point in range(low, end, step)]
    else:
        bounds = {bound for start, stop, _ in ordered for bound in (start, stop)}
        cuts = sorted(cut for cut in {low, end, *bounds, *literals} if low <= cut <= end)
        pieces = [
            (Fraction(one + other) / 2, Fraction(other - one)) for one, other in pairwise(cuts)
        ]
    spans = []
    for place, size in pieces:
        spot = Spot(place, size / (end - low), exact=False)
        for start, stop, text in ordered:
            if start <= place < stop:
                spot = Spot(start, size / (end - low), text)
        spans.append(spot)
    return spans


def value_of(attribute: Attribute, value: Value) -> Any:
    """A value as comparisons see it."""
    return value if attribute.numbers is None or value is None else attribute.numbers[value]


def secrets_of(records: Records, group: Group) -> list[Spot]:
    """Sensitive values of a group, each as likely as it is frequent."""
    secrets = Counter(records.rows[record][-1] for record in group)
    return [
        Spot(value_of(records.sensitive, value), Fraction(count, len(group)), value)
        for value, count in secrets.items()
    ]


def estimates(
    records: Records,
    groups: Sequence[Group],
    condition: Condition,
    steps: Sequence[int | None],
    keys: Sequence[int] = (),
) -> dict[Key, Fraction]:
    """Expected records of a generalized release that meet a condition, by some attributes."""
    literals: dict[int, list[Any]] = {key: [] for key in keys}
    for axis, more in mentioned(condition):
        literals.setdefault(axis, []).extend(more)
    totals: dict[Key, Fraction] = defaultdict(Fraction)
    for group in groups:
        sides = [
            spots(attribute, records.column(group, axis), steps[axis], literals[axis])
            if axis in literals
            else [Spot(None, Fraction(1))]  # Wherever it is.
            for axis, attribute in enumerate(records.attributes)
        ]
        for point in product(*sides, secrets_of(records, group)):
            # All records of the group may be there alike.
            add(totals, records, condition, keys, point, Fraction(len(group)))
    return dict(totals)


def bucketized_estimates(
    records: Records, groups: Sequence[Group], condition: Condition, keys: Sequence[int] = ()
) -> dict[Key, Fraction]:
    """Expected records of a release that keeps the quasi-identifiers, by some attributes."""
    totals: dict[Key, Fraction] = defaultdict(Fraction)
    for group in groups:
        for record in group:
            matching = [
                Spot(value_of(attribute, value), Fraction(1), value)
                for attribute, value in zip(
                    records.attributes, records.rows[record][:-1], strict=True
                )
            ]
            for secret in secrets_of(records, group):
                add(totals, records, condition, keys, (*matching, secret), Fraction(1))
    return dict(totals)


def actual(records: Records, condition: Condition, keys: Sequence[int] = ()) -> dict[Key, Fraction]:
    """Records that meet a condition, by the values of some attributes."""
    alone = [[record] for record in records.everything()]
    return bucketized_estimates(records, alone, condition, keys)


def add(
    totals: dict[Key, Fraction],
    records: Records,
    condition: Condition,
    keys: Sequence[int],
    point: Sequence[Spot],
    weight: Fraction,
) -> None:
    """Count records at a point where it meets the condition and has values of the domains."""
    attributes = [*records.attributes, records.sensitive]
    if all(point[key].exact for key in keys) and truth(
        condition, attributes, [spot.value for spot in point]
    ):
        share = math.prod((spot.share for spot in point), start=Fraction(1))
        totals[tuple(point[key].label for key in keys)] += weight * share


# --- Joint distributions --------------------------------------------------------------------------


def original_joint(records: Records) -> Joint:
    """Records of each combination of values."""
    return {row: Fraction(count) for row, count in Counter(records.rows).items()}


def generalized_joint(records: Records, groups: Sequence[Group]) -> Joint:
    """Expected records of each combination of values of the domains."""
    totals: dict[Key, Fraction] = defaultdict(Fraction)
    for group in groups:
        sides = [
            within(attribute, records.column(group, axis))
            for axis, attribute in enumerate(records.attributes)
        ]
        share = Fraction(len(group), math.prod(len(side) for side in sides))
        for point, secret in product(product(*sides), secrets_of(records, group)):
            row = (*point, secret.label)
            totals[row] += share * secret.share
    return totals


def within(attribute: Attribute, column: Sequence[Value]) -> list[Value]:
    """Values of the domain in what a group is published with."""
    if attribute.numbers is None:
        return leaves(attribute, column)
    if None in column:
        return [None] if set(column) == {None} else list(attribute.values)
    places = [attribute.values.index(value) for value in column]
    return list(attribute.values[min(places) : max(places) + 1])


def divergences(original: Joint, estimated: Joint) -> dict[str, float]:
    """Divergences of two joint distributions, over all combinations that either has."""
    before, after = float(sum(original.values())), float(sum(estimated.values()))
    if not after:
        return dict.fromkeys(("kl", "chi_square", "l2"), math.nan)
    kl = chi_square = square = 0.0
    for point in {*original, *estimated}:
        p, q = float(original.get(point, 0)) / before, float(estimated.get(point, 0)) / after
        square += (p - q) ** 2
        if p and not q:
            kl = chi_square = math.inf
        elif q:
            kl += p * math.log2(p / q) if p else 0
            chi_square += (p - q) ** 2 / q
    return {"kl": kl, "chi_square": chi_square, "l2": math.sqrt(square)}


def uncertainty(joint: Joint, one: int, other: int) -> float:
    """The share of the entropy of one attribute that knowing another takes away."""
    total = float(sum(joint.values()))
    by_other: dict[Value, dict[Value, float]] = defaultdict(lambda: defaultdict(float))
    marginal: dict[Value, float] = defaultdict(float)
    for point, records in joint.items():
        by_other[point[other]][point[one]] += float(records)
        marginal[point[one]] += float(records)
    if sum(part > 0 for part in marginal.values()) < 2:
        return math.nan
    entropy = entropy_of(marginal)
    left = sum(entropy_of(part) * sum(part.values()) / total for part in by_other.values())
    return (entropy - left) / entropy


def entropy_of(parts: Mapping[Value, float]) -> float:
    """Entropy of parts of a whole, in bits."""
    whole = sum(parts.values())
    return -sum(part / whole * math.log2(part / whole) for part in parts.values() if part)
