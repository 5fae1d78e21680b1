"""Certification: what is published holds exactly, and nothing is given up without need."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.knowledge import Uniform
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import repair as repair_module
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    check_attainable,
)
from bkpriv_core.table.groups import Groups
from tests.core import oracles
from tests.core.certifying import (
    HOPELESS,
    HOPELESS_POLICY,
    INSEPARABLE,
    INSEPARABLE_POLICY,
    MENDABLE,
    MENDABLE_POLICY,
    Pooled,
    as_cells,
    by_age,
    certified,
    certify,
    of_cells,
    outcome,
)
from tests.core.exchange_oracles import (
    Partition,
    as_partition,
    holding,
    moves,
    recuts,
    total_loss,
    unions,
)
from tests.core.oracles import Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    naive,
    partitions,
    record_groups,
    records_of,
    requirement_lists,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling


def published_alike(
    records: Records, lists: list[list[int]]
) -> dict[tuple[object, ...], list[int]]:
    """Join lists of cells whose records are published under equal values."""
    joined: dict[tuple[object, ...], list[int]] = {}
    for cells in lists:
        group = records_of(records, cells)
        extents: list[object] = []
        for axis, attribute in enumerate(records.attributes):
            values = records.column(group, axis)
            if attribute.numbers is None:
                # Nodes may have one label, which is all that is published.
                extents.append(oracles.common_ancestor(attribute, values)[1])
            elif None in values and set(values) != {None}:
                extents.append("anything")
            else:
                places = [attribute.values.index(value) for value in values]
                extents.append((min(places), max(places)))
        joined.setdefault(tuple(extents), []).extend(cells)
    return joined


def test_groups_under_a_label_that_a_value_has_too_are_one() -> None:
    paths = {"a": ("a", "a"), "b": ("b", "a"), "c": ("c", "a")}
    records = Records(
        (oracles.Attribute("q", ("a", "b", "c"), None, paths),),
        oracles.Attribute("s", ("flu",)),
        (("a", "flu"), ("b", "flu"), ("c", "flu")),
    )
    assert len(published_alike(records, [[1, 2], [0]])) == 1
    groups = as_groups([[1, 2], [0]])
    threat = ThreatModel(as_table(records))
    certificate = certify(threat, [KAnonymity(1)], groups, "exact", pool=Pooled())
    assert len(certificate.groups) == 1


@pytest.mark.always
@MANY
@given(
    tables(min_records=3, max_records=12),
    requirement_lists(),
    st.sampled_from(["exact", "omega"]),
    st.data(),
)
def test_any_partition_is_mended(
    records: Records, requirements: list[Requirement], estimator: str, data: st.DataObject
) -> None:
    drawn = data.draw(partitions(len(records.cells()), most=8))
    threat = ThreatModel(as_table(records))
    given_groups = as_groups(drawn)
    # Groups that are published alike are one group from the start.
    lists = list(published_alike(records, drawn).values())
    chosen = "auto" if estimator == "exact" and data.draw(st.booleans()) else estimator
    improving, pool = data.draw(st.booleans()), Pooled()
    certificate = certify(
        threat,
        requirements,
        given_groups,
        chosen,  # type: ignore[arg-type]
        pool=pool,
        improving=improving,
    )
    allowed = of_cells(records, naive(records, requirements, estimator))

    # Every cell is published once or suppressed.
    suppressed = certificate.suppressed.tolist()
    assert sorted(certificate.groups.members.tolist() + suppressed) == list(
        range(threat.table.cells)
    )
    assert certificate.parts is threat.parts

    # What is published holds, and what held is published; groups shown alike are one.
    published = [group.tolist() for group in certificate.groups]
    assert all(allowed(group) for group in published)
    failing = [group for group in lists if not allowed(group)]
    assert certificate.failed >= len(failing)
    assert len(published_alike(records, published)) == len(published)
    assert pool.times >= 2
    if pool.once:
        assert certificate.failed == len(failing)
        assert set(suppressed) <= {cell for group in failing for cell in group}
    if not failing:
        assert not suppressed
        if not improving:
            assert as_cells(certificate.groups) == {frozenset(group) for group in lists}

    # A cell is given up only where it can join no group, neither alone nor with others given up.
    if pool.once and not improving:
        lost = [group for group in failing if set(group) <= set(suppressed)]
        units = [[cell] for cell in suppressed] if published else lost
        for unit in units:
            for other in published + [more for more in units if more != unit]:
                assert not allowed(unit + other)
        assert not any(allowed(unit) for unit in units)

    # The figures are those of the published groups.
    assert len(certificate.measurements) == len(requirements)
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        anew = requirement.measure(ThreatModel(threat.parts), certificate.groups, chosen)  # type: ignore[arg-type]
        np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)
        np.testing.assert_array_equal(measured.exact, anew.exact)


@SOME
@given(tables(min_records=3, max_records=10), requirement_lists())
def test_what_mondrian_cut_is_mended(records: Records, requirements: list[Requirement]) -> None:
    threat = ThreatModel(as_table(records))
    certificate = certify(threat, requirements, mondrian(threat, requirements), "exact")
    allowed = naive(records, requirements, "exact")
    assert all(allowed(group) for group in record_groups(records, certificate.groups))
    assert sorted([*certificate.groups.members, *certificate.suppressed]) == list(
        range(threat.table.cells)
    )


@MANY
@given(tables(min_records=4, max_records=9), requirement_lists(), st.data())
def test_an_exchange_is_the_cheapest_that_holds(
    records: Records, requirements: list[Requirement], data: st.DataObject
) -> None:
    lists = data.draw(partitions(len(records.cells()), most=8))
    members = records.cells()
    exact, omega = (naive(records, requirements, estimator) for estimator in ("exact", "omega"))
    failing = [group for group in lists if not exact(records_of(records, group))]
    pool = Pooled()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair_module, "_PLACES", 50)  # all
        certificate = certify(
            ThreatModel(as_table(records)), requirements, as_groups(lists), "exact", pool=pool
        )
    if len(failing) != 1 or not pool.once or pool.joined:
        return
    (first,) = failing
    costs: dict[Partition, float] = {}
    united: set[Partition] = set()
    for other in lists:
        if other == first:
            continue
        union = unions([first, other])
        united.add(union)
        for after in {union} | recuts(records, members, [first, other]) | moves(first, other):
            costs[after] = total_loss(records, members, after) - total_loss(
                records, members, [other]
            )
    held = holding(costs, members, exact)
    # Omega is asked first whether anything but a union is worth a try; unions come last without.
    promising = holding(held, members, omega) or held & united
    if promising:
        after = as_partition(as_cells(certificate.groups) - {frozenset(group) for group in lists})
        assert after in promising
        assert costs[after] <= min(costs[other] for other in promising) + 1e-9
        assert not certificate.suppressed.size


def largest_disclosure(
    records: Records, policy: list[Requirement], group: Group, estimator: str
) -> float:
    (skyline,) = (item for item in policy if isinstance(item, BtPrivacy))
    ((bandwidth, _),) = skyline.skyline
    assert isinstance(bandwidth, float)
    prior = oracles.rounded(oracles.priors(records, [bandwidth]))
    return max(oracles.disclosures(records, prior, group, None, estimator))


@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_a_group_that_omega_passed_is_cut_elsewhere(estimator: str) -> None:
    check_attainable(MENDABLE_POLICY, ThreatModel(as_table(MENDABLE)))
    groups, certificate = certified(MENDABLE, MENDABLE_POLICY, estimator)
    assert as_cells(groups) == {frozenset({0, 1}), frozenset({2, 3})}
    failing = [2, 3, 4]  # the records of cells 2 and 3
    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, failing, "omega") <= 0.1
    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, failing, "exact") > 0.1
    # The union holds as well, and loses more.
    everything = MENDABLE.everything()
    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, everything, "exact") <= 0.1
    assert outcome(certificate) == (1, {frozenset({0, 1, 2}), frozenset({3})}, [])
    assert certificate.measurements[1].exact.all()
    assert certificate.measurements[1].figures.max() == pytest.approx(
        max(
            largest_disclosure(MENDABLE, MENDABLE_POLICY, group, "exact")
            for group in ([0, 1, 2], [3, 4])
        ),
        abs=1e-12,
    )


@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_a_group_that_omega_passed_is_united(estimator: str) -> None:
    check_attainable(INSEPARABLE_POLICY, ThreatModel(as_table(INSEPARABLE)))
    groups, certificate = certified(INSEPARABLE, INSEPARABLE_POLICY, estimator)
    assert as_cells(groups) == {frozenset({0, 1}), frozenset({2, 3})}
    allowed = naive(INSEPARABLE, INSEPARABLE_POLICY, "exact")
    members = INSEPARABLE.cells()
    others = recuts(INSEPARABLE, members, [{0, 1}, {2, 3}]) | moves({0, 1}, {2, 3})
    assert not holding(others, members, allowed)
    assert outcome(certificate) == (1, {frozenset(range(4))}, [])
    assert certificate.measurements[1].exact.all()


@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_a_group_that_nothing_helps_is_suppressed(estimator: str) -> None:
    groups, certificate = certified(HOPELESS, HOPELESS_POLICY, estimator)
    first, second = [0, 1, 2], [3, 4, 5]
    assert as_cells(groups) == {frozenset(first), frozenset(second)}
    assert largest_disclosure(HOPELESS, HOPELESS_POLICY, first, "omega") <= 0.02
    allowed = naive(HOPELESS, HOPELESS_POLICY, "exact")
    for size in range(1, 7):
        for cells in combinations(range(6), size):
            assert allowed(list(cells)) == (list(cells) == second)
    assert outcome(certificate) == (1, {frozenset(second)}, first)


@pytest.mark.parametrize(
    ("records", "policy"),
    [
        (MENDABLE, MENDABLE_POLICY),
        (INSEPARABLE, INSEPARABLE_POLICY),
        (HOPELESS, HOPELESS_POLICY),
    ],
)
def test_under_omega_nothing_is_measured_exactly(
    records: Records, policy: list[Requirement], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups, certificate = certified(records, policy, "omega")
    assert as_cells(certificate.groups) == as_cells(groups)
    assert (certificate.failed, certificate.suppressed.size) == (0, 0)
    assert certificate.measurements[0].exact.all()
    assert not certificate.measurements[1].exact.any()

    def refuse(*_: object) -> None:
        raise AssertionError("exact inference under omega")

    monkeypatch.setattr(posterior_module, "exact", refuse)
    threat = ThreatModel(as_table(records))
    halves = as_groups([[0], list(range(1, threat.table.cells))])
    assert certify(threat, policy, halves, "omega").failed > 0


def test_everything_may_be_suppressed() -> None:
    threat = ThreatModel(as_table(MENDABLE))
    certificate = certify(threat, [KAnonymity(6)], Groups.whole(4), "auto")
    assert len(certificate.groups) == 0
    assert sorted(certificate.suppressed.tolist()) == [0, 1, 2, 3]
    assert certificate.measurements[0].figures.shape == (1, 0)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_measurements_stand_in_the_order_of_the_requirements(order: list[int]) -> None:
    threat = ThreatModel(as_table(by_age("30x 30y 40x 40y 50x 50z")))
    skyline = (({"age": 0.3}, 1.0), (Uniform(), 1.0))
    policy: list[Requirement] = [KAnonymity(2), BtPrivacy(skyline), CkSafety(0.9, 0)]
    requirements = [policy[place] for place in order]
    groups = as_groups([[0], [1], [2]])
    certificate = certify(threat, requirements, groups, "exact")
    assert len(certificate.groups) == 3
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        anew = requirement.measure(ThreatModel(threat.parts), certificate.groups, "exact")
        np.testing.assert_array_equal(measured.figures, anew.figures)


def test_groups_that_fail_together_are_suppressed() -> None:
    threat = ThreatModel(as_table(by_age("30x 30y 40x 40x 50y 50z")))
    certificate = certify(threat, [CkSafety(0.9, 0)], as_groups([[0], [1], [2]]), "exact")
    assert as_cells(certificate.groups) == {frozenset([0]), frozenset([2])}
    assert certificate.failed == 1
    assert certificate.suppressed.tolist() == [1]
    nothing = certify(threat, [KAnonymity(7), CkSafety(0.9, 0)], as_groups([[0]]), "exact")
    assert not len(nothing.groups)
    assert [len(item.figures) for item in nothing.measurements] == [1, 1]


def test_groups_mend_one_another_over_several_rounds() -> None:
    # Seven lonely records: with k = 8 nothing can be mended; with k = 4 pairs do not hold, and five
    # are united; with k = 2 three pairs are made in the first round and the last joins one of them
    # in the second.
    threat = ThreatModel(as_table(by_age("0a 1b 2c 3b 4c 7a 8b")))
    alone = as_groups([[cell] for cell in range(7)])
    lost = certify(threat, [KAnonymity(8)], alone, "exact")
    assert outcome(lost) == (7, set(), list(range(7)))
    several = certify(threat, [KAnonymity(4)], alone, "exact")
    assert (several.failed, several.suppressed.size) == (7, 0)
    assert threat.parts.sizes(several.groups).min() >= 4
    # So many that no union of neighbours holds become one group rather than none.
    numerous = ThreatModel(as_table(by_age(" ".join(f"{age}a" for age in range(40)))))
    single = as_groups([[cell] for cell in range(40)])
    whole = certify(numerous, [KAnonymity(30)], single, "exact")
    assert outcome(whole) == (40, {frozenset(range(40))}, [])
    shares: list[float] = []
    certificate = certify(
        threat, [KAnonymity(2)], alone, "exact", progress=Watched(report=shares.append)
    )
    assert (certificate.failed, certificate.suppressed.size) == (7, 0)
    assert sorted(threat.parts.sizes(certificate.groups).tolist()) == [2, 2, 3]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1.0


def test_a_partner_may_be_far_away() -> None:
    # Two of a need two others; the six pairs nearby have one, only the group of ages 7 has more.
    # Nor can it be peeled: its two records are of one cell.
    records = by_age("0a 0a " + " ".join(f"{age}a {age}b" for age in range(1, 7)) + " 7b 7b 7c 7c")
    alone = as_groups([[cell] for cell in range(8)])
    policy = [LDiversity(2.0, "probabilistic")]
    certificate = certify(ThreatModel(as_table(records)), policy, alone, "exact")
    assert (certificate.failed, certificate.suppressed.size) == (1, 0)
    assert frozenset({0, 7}) in as_cells(certificate.groups)


def test_more_groups_than_a_neighbourhood() -> None:
    # 600 pairs of which every third breaks k = 2; each finds a partner among its nearest.
    rows = " ".join(f"{age}a" + ("" if age % 3 == 0 else f" {age}b") for age in range(600))
    threat = ThreatModel(as_table(by_age(rows)))
    alone = as_groups([[cell] for cell in range(600)])
    certificate = certify(threat, [KAnonymity(2)], alone, "exact")
    assert (certificate.failed, certificate.suppressed.size) == (200, 0)
    assert len(certificate.groups) == 400
    assert threat.parts.sizes(certificate.groups).min() >= 2
    low, high = threat.parts.boxes(certificate.groups)
    assert (high - low).max() == 1  # the neighbour next door is the cheapest


@pytest.mark.parametrize("calls", range(1, 6))
def test_polling_can_cancel(calls: int) -> None:
    threat = ThreatModel(as_table(HOPELESS), progress=cancelling(calls))
    with pytest.raises(Cancelled):
        certify(threat, HOPELESS_POLICY, as_groups([[0, 1, 2], [3, 4, 5]]), "exact")
