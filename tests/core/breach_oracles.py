"""Beliefs in values and in nodes above them, straight from the definition."""

from __future__ import annotations

from collections.abc import Sequence

from tests.core.oracles import Attribute, Belief, Value


def properties(attribute: Attribute) -> list[set[Value]]:
    """Every value, and the values below every node under the root; but not all values at once."""
    found = [{value} for value in attribute.values]
    height = len(attribute.path(attribute.values[0])) - 1
    for level in range(1, height):
        nodes = {attribute.path(value)[level] for value in attribute.values}
        for node in nodes:
            found.append(
                {value for value in attribute.values if attribute.path(value)[level] == node}
            )
    return [some for some in found if some != set(attribute.values) or len(attribute.values) == 1]


def breach(pairs: Sequence[tuple[float, float]], rho1: float) -> float:
    """Largest belief afterwards in anything that was believed at most so much beforehand."""
    return max((after for before, after in pairs if before <= rho1 + 1e-9), default=0.0)


def believed(attribute: Attribute, before: Belief, after: Belief) -> list[tuple[float, float]]:
    """Belief in each property before and after."""
    return [
        (
            float(
                sum(p for p, value in zip(before, attribute.values, strict=True) if value in some)
            ),
            float(
                sum(p for p, value in zip(after, attribute.values, strict=True) if value in some)
            ),
        )
        for some in properties(attribute)
    ]
