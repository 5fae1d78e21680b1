"""The generalization lattice against brute force over all nodes, record by record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.partition import incognito as incognito_module
from bkpriv_core.partition.cheapest import cheapest, lowest
from bkpriv_core.partition.incognito import Lattice, Node, Nodes, first_holding, incognito
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Measurement,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.cost import COSTS
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.levels import Levels
from tests.core import oracles
from tests.core.oracles import Attribute, Group, Records, Value
from tests.core.strategies import (
    MANY,
    SOME,
    as_domain,
    as_table,
    naive,
    partitions,
    record_groups,
    requirement_lists,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling

Generalize = list[Callable[[Value], object]]
"""Class of a value at each level."""


def laid_out(
    threat: ThreatModel, requirements: Sequence[Requirement], levels: Sequence[Levels], **how: Any
) -> Nodes:
    """The lattice, of which nothing is decided."""
    return Nodes(threat, tuple(requirements), tuple(levels), **how)


def decided(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    levels: Sequence[Levels],
    progress: Progress = SILENT,
    **how: Any,
) -> Lattice:
    """Every node of the lattice, decided."""
    return incognito(laid_out(threat, requirements, levels, **how), progress)


# --- Brute force ----------------------------------------------------------------------------------


@st.composite
def hierarchies(draw: st.DrawFn, attribute: Attribute) -> tuple[Levels, Generalize]:
    """Levels of an attribute, and the same as plain functions."""
    domain = as_domain(attribute)
    numbers = attribute.numbers
    if numbers is None or draw(st.booleans()):
        height = len(attribute.path(attribute.values[0])) - 1
        plain: Generalize = [
            lambda value, level=level: "*" if level == height else attribute.path(value)[level]  # type: ignore[misc]
            for level in range(height + 1)
        ]
        return Levels.of_hierarchy(domain), [lambda value: (value,), *plain[1:]]
    widths = draw(st.sampled_from([[2], [3, 6], [5, 10, 40]]))
    origin = draw(st.integers(-3, 3))
    inside = [
        lambda value, width=width: (
            None if value is None else floor((numbers[value] - origin) / width)
        )
        for width in widths
    ]
    levels = Levels.of_intervals(domain, widths, origin)
    return levels, [lambda value: (value,), *inside, lambda value: "*"]


def groups_by_hand(records: Records, plain: Sequence[Generalize], node: Node) -> list[Group]:
    groups: dict[tuple[object, ...], Group] = {}
    for record, row in enumerate(records.rows):
        quasi_identifiers = zip(row[:-1], plain, node, strict=True)
        key = tuple(generalize[level](value) for value, generalize, level in quasi_identifiers)
        groups.setdefault(key, []).append(record)
    return list(groups.values())


@SOME
@given(
    tables(max_records=12, max_attributes=2),
    requirement_lists(),
    st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5]),
    st.data(),
)
def test_safe_and_minimal_nodes_are_those_of_brute_force(
    records: Records, requirements: list[Requirement], suppression: float, data: st.DataObject
) -> None:
    drawn = [data.draw(hierarchies(attribute)) for attribute in records.attributes]
    levels, plain = [levels for levels, _ in drawn], [functions for _, functions in drawn]
    lattice = decided(ThreatModel(as_table(records)), requirements, levels, suppression=suppression)
    allowed = naive(records, requirements, "omega")
    safe = {}
    for node in product(*(range(len(item)) for item in levels)):
        by_hand = groups_by_hand(records, plain, node)
        failing = [group for group in by_hand if not allowed(group)]
        safe[node] = sum(map(len, failing)) <= suppression * len(records.rows) + 1e-9
        kept = {frozenset(group) for group in by_hand if group not in failing}
        published = {frozenset(group) for group in record_groups(records, lattice.groups(node))}
        assert published == kept
    assert {node for node in safe if lattice.safe[node]} == {node for node in safe if safe[node]}
    minimal = {
        node
        for node in safe
        if safe[node]
        and not any(
            safe[other] and other != node and all(a <= b for a, b in zip(other, node, strict=True))
            for other in safe
        )
    }
    assert set(lattice.minimal_nodes()) == minimal


# --- Which requirements prune ---------------------------------------------------------------------


@MANY
@given(tables(min_records=2, max_records=14), requirement_lists(), st.data())
def test_monotone_and_absorbing_requirements_are_so(
    records: Records, requirements: list[Requirement], data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    one, *rest = data.draw(partitions(threat.table.cells, most=2))
    for requirement in requirements:
        for other in rest:
            both = _met(threat, requirement, [one + other])
            met = _met(threat, requirement, [one]), _met(threat, requirement, [other])
            if requirement.monotone and all(met):
                assert both
            if requirement.absorbing and any(met):
                assert both
                assert requirement.monotone


def _met(threat: ThreatModel, requirement: Requirement, lists: list[list[int]]) -> bool:
    groups = Groups.from_lists([np.array(cells) for cells in lists])
    return bool(requirement.satisfied(threat, groups).all())


def test_which_requirements_are_monotone_is_stated() -> None:
    monotone = {
        kind: (kind.monotone, kind.absorbing)
        for kind in (KAnonymity, LDiversity, TCloseness, BetaLikeness, BtPrivacy)
    }
    assert monotone == {
        KAnonymity: (True, True),
        LDiversity: (True, False),
        TCloseness: (True, False),
        BetaLikeness: (True, False),
        BtPrivacy: (False, False),
    }


def clinic(size: int, seed: int) -> tuple[ThreatModel, list[Levels]]:
    """Ages, three marital states under two nodes, and a sex; a disease that follows the age."""
    random = np.random.default_rng(seed)
    ages = tuple(str(age) for age in range(20, 60))
    age = Attribute("age", ages, numbers={label: int(label) for label in ages})
    marital = Attribute(
        "marital",
        ("m", "n", "w"),
        paths={"m": ("m", "been", "*"), "n": ("n", "not", "*"), "w": ("w", "been", "*")},
    )
    rows = []
    for _ in range(size):
        years = str(random.integers(20, 60))
        ill = "ab" if int(years) < 40 else "bcd"
        row = (years, random.choice(list("mnw")), random.choice(list("fm")))
        rows.append((*row, str(random.choice(list(ill)))))
    records = Records(
        (age, marital, Attribute("sex", ("f", "m"))),
        Attribute("disease", ("a", "b", "c", "d")),
        tuple(rows),
    )
    threat = ThreatModel(as_table(records))
    of_age, of_marital, of_sex = threat.table.quasi_identifiers
    return threat, [
        Levels.of_intervals(of_age, [5, 10, 20, 40]),
        Levels.of_hierarchy(of_marital),
        Levels.of_hierarchy(of_sex),
    ]


def test_pruning_measures_few_nodes_and_decides_all() -> None:
    threat, levels = clinic(400, seed=1)
    requirements = [KAnonymity(8), TCloseness(0.3, "equal")]
    lattice = decided(threat, requirements, levels)
    assert lattice.safe.shape == (6, 3, 2)
    everywhere = [lattice.groups(node) for node in np.ndindex(lattice.safe.shape)]
    sizes = [int(threat.parts.sizes(groups).sum()) for groups in everywhere]
    np.testing.assert_array_equal(lattice.safe.ravel(), np.array(sizes) == 400)
    assert 0 < lattice.safe.sum() < 36
    assert lattice.measured.sum() < 20
    np.testing.assert_array_equal(lattice.safe, np.maximum.accumulate(lattice.safe, axis=0))


def test_what_is_not_monotone_is_measured_wherever_the_rest_holds() -> None:
    threat, levels = clinic(60, seed=2)
    belief = BtPrivacy(((0.5, 0.3),))
    assert decided(threat, [belief], levels).measured.all()
    lattice = decided(threat, [belief, KAnonymity(5)], levels)
    plain = decided(threat, [KAnonymity(5)], levels)
    assert (lattice.measured[plain.safe]).all()
    assert not lattice.measured.all()
    assert not lattice.safe[~plain.safe].any()


def test_with_suppression_only_absorbing_requirements_prune() -> None:
    threat, levels = clinic(60, seed=3)
    close = TCloseness(0.3, "equal")
    assert not decided(threat, [close], levels).measured.all()
    assert decided(threat, [close], levels, suppression=0.2).measured.all()
    assert not decided(threat, [KAnonymity(5)], levels, suppression=0.2).measured.all()


def four(column: str, secrets: str) -> tuple[ThreatModel, list[Levels]]:
    """Records of one numeric attribute, with intervals of 2 and 4 from 0."""
    numbers = {label: int(label) for label in sorted(set(column.split()), key=int)}
    attribute = Attribute("q", tuple(numbers), numbers=numbers)
    disease = Attribute("s", tuple(sorted(set(secrets.split()))))
    rows = tuple(zip(column.split(), secrets.split(), strict=True))
    threat = ThreatModel(as_table(Records((attribute,), disease, rows)))
    return threat, [Levels.of_intervals(threat.table.quasi_identifiers[0], [2, 4])]


class NotPairs(KAnonymity):
    """Any number of records but two."""

    monotone, absorbing = False, False

    def measure(self, threat: ThreatModel, groups: Groups, *_: object) -> Measurement:
        """Tell pairs from other groups."""
        return self._of_groups(groups, threat.parts.sizes(groups) != 2)


def test_a_node_is_not_minimal_if_a_safe_one_is_further_below() -> None:
    threat, levels = four("0 1 2 3", "a a a a")
    lattice = decided(threat, [NotPairs(1)], levels)
    assert lattice.safe.tolist() == [True, False, True, True]
    assert lattice.minimal_nodes() == [(0,)]


def test_the_records_that_fail_any_requirement_are_suppressed_together() -> None:
    # At level 0 two of ten records are in a group too small, three others in one of one disease.
    threat, levels = four("0 0 1 1 1 2 2 2 2 2", "a b a a a a b c a b")
    both = [KAnonymity(3), LDiversity(2, "distinct")]
    for requirement in both:
        assert decided(threat, [requirement], levels, suppression=0.3).safe[0]
    assert not decided(threat, both, levels, suppression=0.3).safe[0]
    assert decided(threat, both, levels, suppression=0.5).safe[0]


def test_a_share_of_the_records_is_not_rounded_down() -> None:
    # 0.29 of 100 is 28.999999999999996 in floating point.
    column = [str(10 * number) for number in range(29)] + ["999"] * 71
    threat, levels = four(" ".join(column), " ".join("a" * 100))
    assert decided(threat, [KAnonymity(2)], levels, suppression=0.29).safe[0]
    assert not decided(threat, [KAnonymity(2)], levels, suppression=0.28).safe[0]


# --- Choice ---------------------------------------------------------------------------------------


@SOME
@given(tables(max_records=12, max_attributes=2), st.sampled_from(list(COSTS)), st.data())
def test_costs_are_those_of_records(records: Records, utility: str, data: st.DataObject) -> None:
    drawn = [data.draw(hierarchies(attribute)) for attribute in records.attributes]
    levels = [levels for levels, _ in drawn]
    lattice = decided(ThreatModel(as_table(records)), [KAnonymity(2)], levels, suppression=0.3)
    best = cheapest(lattice, utility)
    if best is None:
        assert not lattice.safe.any()
        return
    safe = [tuple(node) for node in np.argwhere(lattice.safe).tolist()]
    costs = {node: lattice.cost(node, utility) for node in safe}
    assert costs[best] == min(costs.values())
    for node, cost in costs.items():
        groups = record_groups(records, lattice.groups(node))
        expected = oracles.utility(records, groups)
        if utility != "gcp" and groups:
            assert cost == pytest.approx(float(expected[utility] or 0))
        elif groups:
            # At least that of the groups' extents, and exactly so at the ends.
            assert float(expected["gcp"] or 0) - 1e-12 <= cost <= 1
            if not any(node):
                assert cost == 0


def test_the_cheapest_node_depends_on_the_measure() -> None:
    threat, levels = clinic(400, seed=1)
    lattice = decided(threat, [KAnonymity(8)], levels)
    assert len(lattice.minimal_nodes()) > 2
    assert lowest(lattice) == lattice.minimal_nodes()
    for utility in COSTS:
        node = cheapest(lattice, utility)
        assert node in lattice.minimal_nodes()
        assert lattice.groups(node).members.size == threat.table.cells
    by_hand = lattice.cost((3, 0, 1), "gcp")
    numbers = np.array([float(label or 0) for label in threat.table.quasi_identifiers[0].labels])
    assert (numbers[0], numbers[-1]) == (20, 59)
    # Of 39, [20, 40) is in use over 19, as [40, 60) is; the sex is suppressed.
    young = threat.table.weights[numbers[threat.table.codes[:, 0]] < 40].sum() / 400
    assert by_hand == pytest.approx((young * 19 / 39 + (1 - young) * 19 / 39 + 1) / 3)


def test_nothing_is_chosen_where_nothing_is_safe() -> None:
    threat, levels = clinic(30, seed=4)
    lattice: Lattice = decided(threat, [KAnonymity(31)], levels)
    assert lattice.minimal_nodes() == []
    assert cheapest(lattice, "gcp") is None
    assert lattice.measured.sum() == 1


# --- Chains, work, refusals -----------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(0, 40))
def test_bisection_of_a_chain(length: int, first: int) -> None:
    judged: list[int] = []

    def holds(item: int) -> bool:
        judged.append(item)
        return item >= first

    place = first_holding(range(length), holds)
    assert place == (first if first < length else None)
    assert len(judged) <= length.bit_length()


def test_progress_rises_to_the_whole_and_polling_can_cancel() -> None:
    threat, levels = clinic(30, seed=5)
    shares: list[float] = []
    decided(threat, [KAnonymity(2)], levels, progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        decided(ThreatModel(threat.table, progress=cancelling(20)), [KAnonymity(2)], levels)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    threat, levels = clinic(30, seed=6)
    for share in (-0.1, 1.0, float("nan")):
        with pytest.raises(InvalidParameter, match="suppression is"):
            decided(threat, [KAnonymity(2)], levels, suppression=share)
    with pytest.raises(InvalidParameter, match="utility is 'beauty'"):
        cheapest(laid_out(threat, [KAnonymity(2)], levels), "beauty")
    monkeypatch.setattr(incognito_module, "MOST_NODES", 35)
    with pytest.raises(TooLarge, match="36 nodes"):
        decided(threat, [KAnonymity(2)], levels)
