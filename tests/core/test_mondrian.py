"""Mondrian against a plain recursion over records, and what any result must hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.generated import hierarchical_table, numeric_table
from tests.core.oracles import Attribute, Group, Records, Value
from tests.core.strategies import (
    MANY,
    SOME,
    as_table,
    naive,
    record_groups,
    requirement_lists,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling


def as_sets(groups: Sequence[Group]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def at_medians(threat: ThreatModel, requirements: list[Requirement]) -> Groups:
    """Groups that median cuts alone give."""
    return mondrian(threat, requirements, elsewhere=False)


@MANY
@given(tables(max_records=24, max_attributes=3), requirement_lists())
def test_groups_at_medians_are_those_of_a_plain_recursion(
    records: Records, requirements: list[Requirement]
) -> None:
    allowed = naive(records, requirements, "omega")
    expected = oracles.mondrian(records, records.everything(), allowed)
    groups = record_groups(records, at_medians(ThreatModel(as_table(records)), requirements))
    assert as_sets(groups) == as_sets(expected)
    assert len(groups) == len(expected)


@MANY
@given(tables(max_records=24, max_attributes=3), requirement_lists())
def test_groups_are_those_at_medians_or_finer(
    records: Records, requirements: list[Requirement]
) -> None:
    allowed = naive(records, requirements, "omega")
    medians = as_sets(oracles.mondrian(records, records.everything(), allowed))
    groups = record_groups(records, mondrian(ThreatModel(as_table(records)), requirements))
    for group in map(frozenset, groups):
        assert any(group <= median for median in medians)
    gcp, before = (
        oracles.utility(records, [*map(list, some)])["gcp"] for some in (groups, medians)
    )
    assert gcp is not None
    assert before is not None
    assert gcp <= before


@SOME
@given(tables(min_records=4, max_records=24), st.floats(0.01, 0.9), st.integers(0, 2))
def test_requirements_on_all_groups_give_groups_as_at_medians_or_finer(
    records: Records, share: float, k: int
) -> None:
    threat = ThreatModel(as_table(records))
    whole = Groups.whole(len(threat.parts))
    attained = float(CkSafety(0.99, k).measure(threat, whole, "exact").figures.max())
    assume(attained < 1)
    requirements: list[Requirement] = [CkSafety(attained + share * (1 - attained), k)]
    medians = at_medians(threat, requirements).labels(len(threat.parts))
    groups = mondrian(threat, requirements)
    assert requirements[0].satisfied(threat, groups).all()
    assert all(len(set(medians[group].tolist())) == 1 for group in groups)


@SOME
@given(tables(min_records=4, max_records=20), requirement_lists())
def test_a_partition_that_holds_and_cannot_be_cut_further(
    records: Records, requirements: list[Requirement]
) -> None:
    allowed = naive(records, requirements, "omega")
    assume(allowed(records.everything()))
    groups = mondrian(ThreatModel(as_table(records)), requirements)
    assert sorted(groups.members.tolist()) == list(range(len(records.cells())))
    for group in record_groups(records, groups):
        assert allowed(group)
        for halves in oracles.cuts_of(records, group):
            assert not all(map(allowed, halves))
        # Elsewhere than at a median a cut is made only if less is lost by it.
        loss = lost(records, group)
        for axis in range(len(records.attributes)):
            for one, other in oracles.all_cuts(records, group, axis):
                halves = sorted(one), sorted(other)
                saves = sum(lost(records, half) for half in halves) < loss - Fraction(1, 10**6)
                assert not (saves and all(map(allowed, halves)))


def lost(records: Records, group: Group) -> Fraction:
    """Information loss of a group's records."""
    return len(group) * oracles.mean_penalty(records, group)


def hospital(size: int, seed: int) -> Records:
    """A larger table whose disease depends on age and ward."""
    random = Random(seed)
    ages = tuple(str(age) for age in range(20, 60))
    wards = ("north1", "north2", "south1", "south2", "south3")
    paths = {ward: (ward, ward[:-1], "*") for ward in wards}
    rows = []
    for _ in range(size):
        age, ward, sex = random.choice(ages), random.choice(wards), random.choice("fm")
        likely = "flu" if int(age) < 40 else "hip" if ward.startswith("north") else "none"
        disease = likely if random.random() < 0.5 else random.choice(("flu", "hip", "hiv", "none"))
        rows.append((age, ward, sex, disease))
    return Records(
        (
            Attribute("age", ages, numbers={age: int(age) for age in ages}),
            Attribute("ward", wards, paths=paths),
            Attribute("sex", ("f", "m")),
        ),
        Attribute("disease", ("flu", "hip", "hiv", "none")),
        tuple(rows),
    )


@pytest.mark.parametrize(
    ("requirements", "least"),
    [
        ([KAnonymity(2)], 100),
        ([LDiversity(1.5, "probabilistic"), KAnonymity(3)], 40),
        ([KAnonymity(4), TCloseness(0.45, "equal")], 30),
    ],
)
def test_many_groups_at_medians_are_those_of_a_plain_recursion(
    requirements: list[Requirement], least: int
) -> None:
    records = hospital(600, seed=len(requirements))
    allowed = naive(records, requirements, "omega")
    expected = oracles.mondrian(records, records.everything(), allowed)
    groups = record_groups(records, at_medians(ThreatModel(as_table(records)), requirements))
    assert len(groups) >= least
    assert as_sets(groups) == as_sets(expected)


def test_background_knowledge_makes_groups_fewer_and_each_of_them_holds() -> None:
    records = hospital(400, seed=4)
    threat = ThreatModel(as_table(records))
    plain = mondrian(threat, [KAnonymity(3)])
    skyline = [KAnonymity(3), BtPrivacy(((0.2, 0.15), (0.4, 0.1)))]
    private = mondrian(threat, skyline)
    allowed = naive(records, skyline, "omega")
    assert 1 < len(private) < len(plain)
    assert all(allowed(group) for group in record_groups(records, private))
    assert not all(allowed(group) for group in record_groups(records, plain))


@SOME
@given(
    tables(min_records=2, max_records=16),
    requirement_lists(),
    st.randoms(use_true_random=False),
)
def test_neither_repetition_nor_the_order_of_records_matters(
    records: Records, requirements: list[Requirement], random: Random
) -> None:
    threat = ThreatModel(as_table(records))
    once, again = (mondrian(threat, requirements) for _ in range(2))
    np.testing.assert_array_equal(once.members, again.members)
    np.testing.assert_array_equal(once.offsets, again.offsets)
    order = list(range(len(records.rows)))
    random.shuffle(order)
    rows = tuple(records.rows[place] for place in order)
    shuffled = Records(records.attributes, records.sensitive, rows)
    there = record_groups(shuffled, mondrian(ThreatModel(as_table(shuffled)), requirements))
    moved = [[order[record] for record in group] for group in there]
    assert as_sets(moved) == as_sets(record_groups(records, once))


# --- By hand --------------------------------------------------------------------------------------


def cut_by_hand(records: Records, k: int) -> set[frozenset[Value]]:
    """Groups of a table of one attribute, by the attribute's values."""
    groups = record_groups(records, mondrian(ThreatModel(as_table(records)), [KAnonymity(k)]))
    return {frozenset(records.rows[record][0] for record in group) for group in groups}


def one_attribute(attribute: Attribute, column: str) -> Records:
    rows = tuple((value, "s") for value in column.split())
    return Records((attribute,), Attribute("s", ("s",)), rows)


def test_a_numeric_cut_halves_the_records_not_the_values() -> None:
    numbers = {"1": 1, "2": 2, "3": 3, "40": 40}
    age = Attribute("age", tuple(numbers), numbers=numbers)
    records = one_attribute(age, "1 1 1 2 3 40")
    assert cut_by_hand(records, 3) == {frozenset({"1"}), frozenset({"2", "3", "40"})}


def test_a_categorical_cut_keeps_the_nodes_of_the_hierarchy_whole() -> None:
    # Halving the five leaves would cut through y; the children of the root are x and y.
    paths = {leaf: (leaf, node, "*") for leaf, node in zip("abcde", "xyyyy", strict=True)}
    records = one_attribute(Attribute("q", tuple("abcde"), paths=paths), "a b c d e")
    assert cut_by_hand(records, 1) == {frozenset(leaf) for leaf in "abcde"}
    # Two records may not stand alone with a, so nothing is cut at all.
    assert cut_by_hand(records, 2) == {frozenset("abcde")}


def test_the_first_of_two_equal_cuts_is_taken() -> None:
    numbers = {"1": 1, "2": 2, "3": 3}
    records = one_attribute(Attribute("q", tuple(numbers), numbers=numbers), "1 2 3")
    tried: list[set[Value]] = []

    def allowed(group: Group) -> bool:
        tried.append({records.rows[record][0] for record in group})
        return False

    oracles.mondrian(records, records.everything(), allowed)
    assert tried == [{"1"}]  # the oracle's own rule, by hand
    assert cut_by_hand(one_attribute(records.attributes[0], "1 1 2 3 3"), 2) == {
        frozenset({"1"}),
        frozenset({"2", "3"}),
    }


def test_the_next_dimension_is_tried_where_the_widest_cannot_be_cut() -> None:
    # Sex is the wider of the two in the whole, but its cut leaves one man alone.
    age = Attribute("age", ("1", "2"), numbers={"1": 1, "2": 2})
    sex = Attribute("sex", ("f", "m"))
    rows = (("1", "f", "s"), ("1", "f", "s"), ("2", "f", "s"), ("2", "m", "s"))
    records = Records((sex, age), Attribute("s", ("s",)), tuple((b, a, s) for a, b, s in rows))
    groups = record_groups(records, mondrian(ThreatModel(as_table(records)), [KAnonymity(2)]))
    assert as_sets(groups) == {frozenset({0, 1}), frozenset({2, 3})}


def by_value(attribute: Attribute, column: str, requirements: list[Requirement]) -> list[str]:
    """Values of each group of a table of one attribute, from ``value:sensitive`` pairs."""
    rows = tuple((pair[0], pair[2:]) for pair in column.split())
    secrets = Attribute("s", tuple(sorted({secret for _, secret in rows})))
    records = Records((attribute,), secrets, rows)
    groups = record_groups(records, mondrian(ThreatModel(as_table(records)), requirements))
    return sorted("".join(sorted({rows[record][0] for record in group})) for group in groups)


NUMBERS = Attribute("q", tuple("123456"), numbers={value: int(value) for value in "123456"})
TWICE: list[Requirement] = [LDiversity(2)]


def test_a_group_that_the_median_does_not_cut_is_cut_elsewhere() -> None:
    # Three records each lie on either side of 3, but those below 3 have the same value.
    column = "1:x 2:x 3:x 4:y 5:x 6:y"
    assert by_value(NUMBERS, column, TWICE) == ["1234", "56"]


def test_numbers_are_not_taken_out_of_the_middle() -> None:
    assert by_value(NUMBERS, "1:x 2:x 3:x 4:y 5:y 6:y", TWICE) == ["123456"]


def test_a_node_in_the_middle_is_cut_out_at_any_level() -> None:
    nodes = {"a": "m", "b": "n", "c": "n", "d": "o"}
    paths = {leaf: (leaf, node, "*") for leaf, node in nodes.items()}
    leaves = Attribute("q", tuple(nodes), paths=paths)
    assert by_value(leaves, "a:x b:x b:y c:x d:y", TWICE) == ["acd", "b"]
    assert by_value(leaves, "a:x b:x c:y d:y", TWICE) == ["ad", "bc"]


def test_of_the_cuts_elsewhere_that_is_taken_which_costs_least() -> None:
    # A cut between 4 and 5 would halve the records more nearly, but leave 5 with 20.
    numbers = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "9": 20}
    far = Attribute("q", tuple(numbers), numbers=numbers)
    column = "1:x 2:x 3:x 4:y 5:y 9:x 9:y"
    assert by_value(far, column, TWICE) == ["12345", "9"]


def test_cells_are_never_split() -> None:
    records = one_attribute(Attribute("q", ("x",)), "x x x x")
    assert len(mondrian(ThreatModel(as_table(records)), [KAnonymity(1)])) == 1


# --- Detail ---------------------------------------------------------------------------------------

LOSSES: dict[str, Requirement] = {
    "k": KAnonymity(5),
    "distinct": LDiversity(3),
    "probabilistic": LDiversity(3, "probabilistic"),
    "entropy": LDiversity(4, "entropy"),
    "recursive": LDiversity(3, "recursive", 1.0),
    "equal": TCloseness(0.2, "equal"),
    "ordered": TCloseness(0.15, "ordered"),
    "hierarchical": TCloseness(0.2, "hierarchical"),
    "basic": BetaLikeness(1.5, "basic"),
    "enhanced": BetaLikeness(1.5, "enhanced"),
    "safety": CkSafety(0.8, 2),
}


def gcp(table: Table, groups: Groups) -> float:
    parts = ThreatModel(table).parts
    return float(parts.sizes(groups) @ table.penalty(*parts.boxes(groups))) / table.records


@pytest.mark.parametrize("nulls", [0.0, 0.05])
@pytest.mark.parametrize("draw", [numeric_table, hierarchical_table])
def test_cuts_elsewhere_save_detail(draw: Callable[..., Table], nulls: float) -> None:
    table = draw(3000, seed=1, nulls=nulls)
    left = {}
    for name, requirement in LOSSES.items():
        threat = ThreatModel(table)
        before, after = (
            gcp(table, method(threat, [requirement])) for method in (at_medians, mondrian)
        )
        left[name] = after / before
    assert max(left.values()) <= 1.0
    assert left["probabilistic"] < 0.9
    # Where values are in a tree, most cuts leave one half as general as the whole was.
    most = 0.9 if draw is numeric_table else 0.99
    for name in ("equal", "ordered", "hierarchical", "basic", "enhanced"):
        assert left[name] < most


# --- Work -----------------------------------------------------------------------------------------


def test_only_omega_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("exact inference while partitioning")

    monkeypatch.setattr(posterior_module, "exact", refuse)
    threat = ThreatModel(as_table(hospital(60, seed=1)))
    assert len(mondrian(threat, [BtPrivacy(((0.5, 0.3),))])) > 1


def test_progress_rises_to_the_whole() -> None:
    shares: list[float] = []
    threat = ThreatModel(as_table(hospital(100, seed=2)))
    mondrian(threat, [KAnonymity(5)], progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == 1.0


@pytest.mark.parametrize("calls", [1, 2, 5, 9])
def test_polling_can_cancel(calls: int) -> None:
    with pytest.raises(Cancelled):
        mondrian(
            ThreatModel(as_table(hospital(100, seed=2)), progress=cancelling(calls)),
            [KAnonymity(2)],
        )
