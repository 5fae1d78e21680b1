"""Random conditions on small tables, and the core's conditions made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.query.predicate import (
    And,
    Comparison,
    IsNull,
    Membership,
    Not,
    Or,
    Point,
    Predicate,
)
from bkpriv_core.query.tally import Tally
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Attribute, Group, Records
from tests.core.query_oracles import COMPARE, Condition
from tests.core.strategies import KINDS, as_groups, as_table, partitions, records_of, tables

GENERALIZED, BUCKETIZED = Generalized(), Bucketized()

STEPS = (1, 7, None)
"""Distances of neighbouring points: integers, something like days, a continuum."""


@dataclass(frozen=True, eq=False)
class Case:
    """A small table in groups, and the same for the core."""

    records: Records
    groups: list[Group]
    steps: tuple[int | None, ...]
    """Distance of neighbouring points of each quasi-identifier."""
    release: Release

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes, the sensitive one last."""
        return (*self.records.attributes, self.records.sensitive)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    max_records: int = 10,
    max_attributes: int = 2,
    kinds: Sequence[str] = KINDS,
    suppress: bool = True,
) -> Case:
    """A table in groups of cells; some cells may be suppressed."""
    records = draw(
        tables(
            max_records=max_records,
            max_attributes=max_attributes,
            kinds=kinds,
            sensitive_kinds=KINDS,
        )
    )
    steps = tuple(draw(st.sampled_from(STEPS)) for _ in records.attributes)
    spaced = tuple(
        attribute
        if attribute.numbers is None or not step
        else replace(
            attribute, numbers=scaled(attribute.numbers, step), ends=scaled(attribute.ends, step)
        )
        for attribute, step in zip(records.attributes, steps, strict=True)
    )
    records = replace(records, attributes=spaced)
    lists = draw(partitions(len(records.cells()), suppress=suppress))
    groups = [records_of(records, cells) for cells in lists]
    parts = Parts.of(stepped(as_table(records), steps))
    return Case(records, groups, steps, Release(parts, as_groups(lists), GENERALIZED))


def stepped(table: Table, steps: Sequence[float | None]) -> Table:
    """A table whose numeric quasi-identifiers have points at these distances."""
    domains = tuple(
        replace(domain, step=step) if domain.numeric else domain
        for domain, step in zip(table.quasi_identifiers, steps, strict=True)
    )
    return replace(table, quasi_identifiers=domains)


def scaled(numbers: Mapping[str, int] | None, step: int) -> dict[str, int] | None:
    """Numbers in steps."""
    return None if numbers is None else {value: step * n for value, n in numbers.items()}


@st.composite
def split_cases(draw: st.DrawFn) -> Case:
    """A table in groups of records, so that a cell may be in several groups."""
    records = draw(tables(max_records=10, sensitive_kinds=KINDS))
    labels = [draw(st.integers(-1, 2)) for _ in records.rows]
    parts: dict[tuple[int, Any], Group] = {}
    for record, label in enumerate(labels):
        parts.setdefault((label, records.rows[record][:-1]), []).append(record)
    table = as_table(records)
    codes = [
        [a.values.index(v) for a, v in zip(records.attributes, row, strict=True)]
        for _, row in parts
    ]
    counts = [
        [records.secrets(part).count(value) for value in range(len(records.sensitive.values))]
        for part in parts.values()
    ]
    split = Parts.of_codes(
        table.quasi_identifiers, table.sensitive, np.array(codes), np.array(counts)
    )
    rows = [label for label, _ in parts]
    distinct = sorted(set(rows) - {-1})
    groups = [[r for r, label in enumerate(labels) if label == one] for one in distinct]
    numbers = np.array([distinct.index(row) if row >= 0 else -1 for row in rows])
    steps = (None,) * len(records.attributes)
    return Case(records, groups, steps, Release(split, Groups.from_labels(numbers), BUCKETIZED))


@st.composite
def conditions(draw: st.DrawFn, attributes: Sequence[Attribute]) -> Condition:
    """A condition; literals may be no values of the domain, or between its points."""
    return draw(
        st.recursive(
            comparisons(attributes),
            lambda inner: st.one_of(
                st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, max_size=3)),
                st.tuples(st.just("not"), inner),
            ),
            max_leaves=5,
        )
    )


@st.composite
def comparisons(draw: st.DrawFn, attributes: Sequence[Attribute]) -> Condition:
    """Draw a comparison."""
    place = draw(st.integers(0, len(attributes) - 1))
    attribute = attributes[place]
    kind = draw(st.sampled_from(["compare", "compare", "compare", "in", "null"]))
    if kind == "null":
        return (kind, place)
    if kind == "in":
        return (kind, place, draw(st.lists(literals(attribute), max_size=3)))
    literal = draw(literals(attribute))
    # A label that is not in the domain has no place in its order.
    ordered = attribute.numbers is not None or literal in attribute.values
    signs = tuple(COMPARE) if ordered else ("=", "<>")
    return (kind, place, draw(st.sampled_from(signs)), literal)


def literals(attribute: Attribute) -> st.SearchStrategy[Any]:
    """A number, or a label that is mostly one of the domain."""
    values = [value for value in attribute.values if value is not None]
    if attribute.numbers is None:
        return st.sampled_from([*values, "no such value"])
    numbers = list(attribute.numbers.values())
    anywhere = st.integers(2 * min(numbers, default=0) - 5, 2 * max(numbers, default=0) + 5)
    return st.one_of(
        st.sampled_from(numbers or [0]), anywhere.map(lambda twice: Fraction(twice, 2))
    )


def as_predicate(condition: Condition, attributes: Sequence[Attribute]) -> Predicate:
    """A condition for the core."""
    kind, *rest = condition
    if kind in ("and", "or"):
        parts = tuple(as_predicate(part, attributes) for part in rest[0])
        return And(parts) if kind == "and" else Or(parts)
    if kind == "not":
        return Not(as_predicate(rest[0], attributes))
    attribute = attributes[rest[0]]
    if kind == "null":
        return IsNull(rest[0])
    if kind == "in":
        return Membership(rest[0], tuple(as_point(attribute, literal) for literal in rest[1]))
    return Comparison(rest[0], rest[1], as_point(attribute, rest[2]))


def as_point(attribute: Attribute, literal: Any) -> Point:
    """A literal for the core."""
    if attribute.numbers is None:
        if literal not in attribute.values:
            return Point(0, 0)
        code = attribute.values.index(literal)
        return Point(code, code + 1)
    numbers = list(attribute.numbers.values())
    below = sum(number < literal for number in numbers)
    return Point(below, below + (literal in numbers), float(literal))


def tabulate(counted: Tally, predicate: Predicate, keys: Sequence[int] = ()) -> FloatArray:
    """Estimates by key, as an array whose shape is the sizes of the keys' domains."""
    codes, counts = counted.by_key(predicate, keys)
    assert codes.tolist() == sorted(codes.tolist())
    if not keys:
        return counts.reshape(())
    table = np.zeros([counted.domains[key].size for key in keys])
    table[tuple(codes.T)] = counts
    return table


def one_group(positions: Sequence[float], step: float | None) -> Release:
    """One group, of five records with each value of its only attribute and of the other."""
    labels = tuple(str(position) for position in positions)
    domain = Domain("age", labels, positions=np.array(positions, dtype=float), step=step)
    table = Table(
        (domain,),
        Domain("illness", ("cold", "flu")),
        np.arange(len(positions))[:, None],
        np.full((len(positions), 2), 5),
    )
    return Release(Parts.of(table), Groups.whole(len(positions)), GENERALIZED)
