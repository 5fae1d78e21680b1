"""Small random tables, partitions and beliefs, and the inputs of the core made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import get_args

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement import (
    BeliefScope,
    BetaLikeness,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)
from bkpriv_core.requirement.closeness import Ground
from bkpriv_core.requirement.likeness import Variant
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Attribute, Belief, Group, Records, Value

MANY = settings(max_examples=3 * settings().max_examples, deadline=None)
"""Settings of properties with many cheap cases: thrice as many examples as the profile asks."""

SOME = settings(deadline=None)
"""Settings of properties whose oracle is slow."""

KINDS = ("numeric", "binned", "hierarchical", "flat")

bandwidths = st.one_of(st.sampled_from([0.1, 0.25, 0.3, 0.5, 1.0, 1.5]), st.floats(0.05, 2.0))
"""Bandwidths of adversaries and of the belief distance."""

smoothings = st.one_of(st.none(), st.sampled_from([0.25, 0.5, 0.75, 1.0]))
"""Smoothings by which beliefs are blended before they are compared, if they are."""


# --- Drawing --------------------------------------------------------------------------------------


@st.composite
def scales(draw: st.DrawFn) -> tuple[int, int] | None:
    """Bounds of a scale, now and then, within and beyond the numbers of attributes."""
    if draw(st.integers(0, 3)) < 3:
        return None
    low = draw(st.integers(-15, 20))
    return low, low + draw(st.integers(1, 50))


@st.composite
def attributes(
    draw: st.DrawFn, name: str, *, kinds: Sequence[str] = KINDS, max_values: int = 6
) -> Attribute:
    """An attribute and the values that its records may take, now and then NULL among them."""
    kind = draw(st.sampled_from(kinds))
    null = (None,) if draw(st.integers(0, 4)) == 4 else ()
    size = draw(st.integers(1, max_values))
    if kind == "numeric":
        drawn = draw(st.lists(st.integers(-9, 30), min_size=size, max_size=size, unique=True))
        numbers = {str(number): number for number in sorted(drawn)}
        return Attribute(name, (*numbers, *null), numbers=numbers, bounds=draw(scales()))
    if kind == "binned":
        bounds = draw(
            st.lists(st.integers(-9, 30), min_size=2 * size, max_size=2 * size, unique=True)
        )
        starts, stops = sorted(bounds)[::2], sorted(bounds)[1::2]
        if draw(st.booleans()):  # bins that leave no gaps
            stops = [*starts[1:], stops[-1]]
        names = [str(start) for start in starts]
        return Attribute(
            name,
            (*names, *null),
            numbers=dict(zip(names, starts, strict=True)),
            ends=dict(zip(names, stops, strict=True)),
            bounds=draw(scales()),
        )
    if kind == "flat":
        # The order of an enumeration need not be that of its labels.
        labels = draw(st.permutations([f"{name}{letter}" for letter in "pqrstuvw"[:size]]))
        return Attribute(name, (*labels, *null))
    height = draw(st.integers(1, 3))
    recurring = draw(st.booleans())  # may a label stand on more than one level?
    paths: list[list[str]] = [[f"v{leaf}"] for leaf in range(size)]
    nodes = list(range(size))
    for level in range(1, height):
        above = draw(st.lists(st.integers(0, 2), min_size=max(size, 3), max_size=max(size, 3)))
        nodes = [above[node] for node in nodes]
        for path, node in zip(paths, nodes, strict=True):
            path.append(f"v{node}" if recurring else f"{level}v{node}")
    for path in paths:
        path.append("v0" if recurring else "all")
    return Attribute(
        name,
        (*(path[0] for path in paths), *null),
        paths={path[0]: tuple(path) for path in paths},
    )


def occurring(attribute: Attribute, column: Sequence[Value]) -> Attribute:
    """Restrict an attribute to the values of a column; a hierarchy keeps those it knows."""
    values = tuple(value for value in attribute.values if value in column)
    numbers, ends = (
        None if bounds is None else {value: bounds[value] for value in values if value is not None}
        for bounds in (attribute.numbers, attribute.ends)
    )
    return Attribute(attribute.name, values, numbers, attribute.paths, ends, attribute.bounds)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    min_records: int = 1,
    max_records: int = 12,
    max_attributes: int = 3,
    max_values: int = 4,
    kinds: Sequence[str] = KINDS,
    sensitive_kinds: Sequence[str] = ("hierarchical", "flat"),
) -> Records:
    """A table; few values, so that cells of several records and ties are common."""
    count = draw(st.integers(1, max_attributes))
    universe = [draw(attributes(f"q{axis}", kinds=kinds)) for axis in range(count)]
    universe.append(draw(attributes("s", kinds=sensitive_kinds, max_values=max_values)))
    row = st.tuples(*(st.sampled_from(attribute.values) for attribute in universe))
    rows = draw(st.lists(row, min_size=min_records, max_size=max_records))
    *quasi_identifiers, sensitive = [
        occurring(attribute, [row[axis] for row in rows]) for axis, attribute in enumerate(universe)
    ]
    return Records(tuple(quasi_identifiers), sensitive, tuple(rows))


@st.composite
def partitions(
    draw: st.DrawFn, cells: int, *, suppress: bool = False, most: int = 4
) -> list[list[int]]:
    """At most so many groups of the cells 0 ... `cells` - 1; some may be left out."""
    label = st.integers(-1 if suppress else 0, most - 1)
    labels = draw(st.lists(label, min_size=cells, max_size=cells))
    groups = [[cell for cell in range(cells) if labels[cell] == label] for label in range(most)]
    return [group for group in groups if group]


@st.composite
def beliefs(draw: st.DrawFn, values: int, *, positive: bool = False) -> list[Fraction]:
    """A distribution over some values, in twelfths at most, zeros being common unless barred."""
    parts = draw(st.lists(st.integers(int(positive), 6), min_size=values, max_size=values))
    if not any(parts):
        parts[draw(st.integers(0, values - 1))] = 1
    return [Fraction(part, sum(parts)) for part in parts]


# --- Inputs of the core ---------------------------------------------------------------------------


def as_domain(attribute: Attribute) -> Domain:
    """The domain of an attribute."""
    if attribute.numbers is not None:
        positions, ends = (
            None
            if numbers is None
            else np.array(
                [float("nan") if value is None else numbers[value] for value in attribute.values],
                dtype=float,
            )
            for numbers in (attribute.numbers, attribute.ends)
        )
        return Domain(
            attribute.name,
            attribute.values,
            positions=positions,
            ends=ends,
            bounds=attribute.bounds and (float(attribute.bounds[0]), float(attribute.bounds[1])),
        )
    if attribute.paths:
        hierarchy = Hierarchy.from_rows(attribute.name, list(attribute.paths.values()))
        return Domain(attribute.name, attribute.values, hierarchy=hierarchy)
    return Domain(attribute.name, attribute.values)


def as_table(records: Records) -> Table:
    """The table's cells, in the order of `Records.cells`, and counts."""
    cells = records.cells()
    codes = [
        [
            attribute.values.index(records.rows[cell[0]][axis])
            for axis, attribute in enumerate(records.attributes)
        ]
        for cell in cells
    ]
    counts = [
        [records.secrets(cell).count(value) for value in range(len(records.sensitive.values))]
        for cell in cells
    ]
    return Table(
        tuple(as_domain(attribute) for attribute in records.attributes),
        as_domain(records.sensitive),
        np.array(codes, dtype=np.int64),
        np.array(counts, dtype=np.int64),
    )


def as_parts(records: Records, respondents: Sequence[int]) -> Parts:
    """Every record as a part of its own, in order, and whose each is."""
    cell = np.zeros(len(records.rows), dtype=np.int64)
    for number, members in enumerate(records.cells()):
        cell[members] = number
    counts = np.eye(len(records.sensitive.values), dtype=np.int64)[
        records.secrets(records.everything())
    ]
    return Parts(as_table(records), cell, counts, np.array(respondents, dtype=np.int64))


@st.composite
def told_apart(
    draw: st.DrawFn, records: Records, *, positive: bool = False
) -> tuple[ThreatModel, list[list[Fraction]]]:
    """A setting in which every record is somebody's, and what is remembered of each record."""
    numbers = range(len(records.rows))
    respondents = draw(st.permutations(numbers))
    values = len(records.sensitive.values)
    believed = [draw(beliefs(values, positive=positive)) for _ in numbers]
    by_respondent = as_array([believed[respondents.index(number)] for number in numbers])
    parts = as_parts(records, respondents)
    return ThreatModel(parts, library=Known(respondents=by_respondent)), believed


def as_groups(lists: Sequence[Sequence[int]]) -> Groups:
    """Groups of cells from lists of them."""
    return Groups.from_lists([np.array(cells, dtype=np.int64) for cells in lists])


def as_array(rows: Sequence[Belief]) -> FloatArray:
    """Beliefs as an array."""
    return np.array([[float(share) for share in row] for row in rows])


def by_age(*secrets: str) -> Records:
    """A table of one record for each year of age from 20, with these sensitive values."""
    ages = {str(age): age for age in range(20, 20 + len(secrets))}
    sensitive = Attribute("disease", tuple(sorted(set(secrets))))
    rows = tuple(zip(ages, secrets, strict=True))
    return Records((Attribute("age", tuple(ages), numbers=ages),), sensitive, rows)


def records_of(records: Records, cells: Sequence[int]) -> Group:
    """The records of some cells."""
    all_cells = records.cells()
    return [record for cell in cells for record in all_cells[cell]]


def record_groups(records: Records, groups: Groups) -> list[Group]:
    """The records of each group of cells."""
    return [records_of(records, group.tolist()) for group in groups]


# --- Requirements ---------------------------------------------------------------------------------

NEEDED: dict[str, set[str]] = {
    "anatomy": {"l_diversity"},
    "microaggregate": {"k_anonymity"},
    "k_anonymity_primacy": {"k_anonymity", "beta_likeness", "pair_divergence"},
    "beta_likeness_primacy": {"k_anonymity", "beta_likeness", "pair_divergence"},
}
"""Requirements without which methods form no groups, by the method's name."""

LEAVING_OVER = ("js_reduce", "k_anonymity_primacy", "beta_likeness_primacy")
"""Methods that leave records over of which they form no group."""


@st.composite
def requirement_lists(draw: st.DrawFn) -> list[Requirement]:
    """Draw one to three requirements, in any order, such as small groups may just meet."""
    grounds = st.sampled_from(get_args(Ground))
    one = st.one_of(
        st.builds(KAnonymity, st.integers(1, 5)),
        st.builds(LDiversity, st.integers(1, 3), st.just("distinct")),
        st.builds(
            LDiversity,
            st.sampled_from([1.0, 1.5, 2.0]),
            st.sampled_from(["probabilistic", "entropy"]),
        ),
        st.builds(
            LDiversity,
            st.integers(1, 3),
            st.just("recursive"),
            st.sampled_from([0.5, 1.0, 1.5, 2.0, 4.0]),
        ),
        st.builds(
            BetaLikeness,
            st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0.05, 4.0)),
            st.sampled_from(get_args(Variant)),
        ),
        st.builds(TCloseness, st.floats(0.05, 0.9), grounds),
        st.lists(st.tuples(bandwidths, st.floats(0.01, 0.6)), min_size=1, max_size=2).map(
            lambda skyline: BtPrivacy(tuple(skyline))
        ),
        st.lists(
            st.tuples(bandwidths, st.floats(0.01, 0.6), smoothings), min_size=1, max_size=2
        ).map(
            lambda stated: BtPrivacy(
                tuple((width, t) for width, t, _ in stated),
                tuple(BeliefScope(smoothing=smoothing) for *_, smoothing in stated),
            )
        ),
    )
    return draw(st.lists(one, min_size=1, max_size=3))


def naive(
    records: Records, requirements: Sequence[Requirement], estimator: str
) -> Callable[[Group], bool]:
    """Whether a group of records meets requirements, by the oracles; answers are kept."""
    skyline = [
        (
            oracles.rounded(oracles.priors(records, [bandwidth] * len(records.attributes))),
            t,
            regard.smoothing,
        )
        for requirement in requirements
        if isinstance(requirement, BtPrivacy)
        for (bandwidth, t), regard in zip(requirement.skyline, requirement.regarding, strict=True)
        if isinstance(bandwidth, int | float)
    ]

    def diverse(group: Group, requirement: LDiversity) -> bool:
        if requirement.variant == "recursive":
            assert requirement.c is not None
            figure = requirement_oracles.recursive_diversity(records, group, int(requirement.l))
            return figure < requirement.c
        if requirement.variant == "entropy":
            return requirement_oracles.entropy_diversity(records, group) >= requirement.l - 1e-9
        if requirement.variant == "distinct":
            return requirement_oracles.distinct_diversity(records, group) >= requirement.l
        return requirement_oracles.probabilistic_diversity(records, group) >= requirement.l

    @cache
    def allowed(group: tuple[int, ...]) -> bool:
        for requirement in requirements:
            if isinstance(requirement, KAnonymity):
                met = len(group) >= requirement.k
            elif isinstance(requirement, LDiversity):
                met = diverse(list(group), requirement)
            elif isinstance(requirement, BetaLikeness):
                met = requirement_oracles.alike(
                    records, list(group), requirement.beta, requirement.variant
                )
            elif isinstance(requirement, TCloseness):
                figure = oracles.closeness(records, list(group), requirement.ground)
                met = figure <= requirement.t + 1e-9
            else:
                met = all(
                    figure <= t + 1e-9
                    for prior, t, smoothing in skyline
                    for figure in oracles.disclosures(
                        records, prior, list(group), smoothing, estimator
                    )
                )
            if not met:
                return False
        return True

    return lambda group: allowed(tuple(sorted(group)))
