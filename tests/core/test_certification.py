"""Certification: what is published holds exactly, and nothing is given up without need."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.knowledge import Uniform
from bkpriv_core.belief.posterior import BETHE, EXACT, OMEGA, Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition import certification as certification_module
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    check_attainable,
)
from bkpriv_core.table.groups import FloatArray, Groups
from tests.core import oracles
from tests.core.oracles import Attribute, Group, Number, Records
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
from tests.core.watching import Watched

certify = partial(certification_module.certify, pool=Generalized().pool)


def as_cells(groups: Groups) -> set[frozenset[int]]:
    return {frozenset(group.tolist()) for group in groups}


def penalty(records: Records, group: Group) -> Number:
    """Certainty penalty of a group's records, averaged over attributes."""
    each = [
        oracles.certainty_penalty(attribute, records.column(group, axis))
        for axis, attribute in enumerate(records.attributes)
    ]
    return len(group) * sum(each) / len(each)


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
                extents.append(oracles.common_ancestor(attribute, values))
            elif None in values and set(values) != {None}:
                extents.append("anything")
            else:
                places = [attribute.values.index(value) for value in values]
                extents.append((min(places), max(places)))
        joined.setdefault(tuple(extents), []).extend(cells)
    return joined


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
    setting = Setting(as_table(records))
    given_groups = as_groups(drawn)
    # Groups that are published alike are one group from the start.
    lists = list(published_alike(records, drawn).values())
    chosen = "auto" if estimator == "exact" and data.draw(st.booleans()) else estimator
    certificate = certify(setting, requirements, given_groups, chosen)  # type: ignore[arg-type]
    allowed = naive(records, requirements, estimator)

    # Everything is published once or suppressed, nothing is cut.
    cells = certificate.groups.members.tolist() + certificate.suppressed.tolist()
    assert sorted(cells) == list(range(setting.table.cells))
    published = [frozenset(group.tolist()) for group in certificate.groups]
    for group in lists:
        homes = [home for home in published if home & set(group)]
        if homes:
            assert len(homes) == 1
            assert homes[0] >= set(group)
        else:
            assert set(group) <= set(certificate.suppressed.tolist())

    # What is published holds; what held is published.
    assert all(allowed(group) for group in record_groups(records, certificate.groups))
    failing = [group for group in lists if not allowed(records_of(records, group))]
    assert certificate.failed >= len(failing)
    assert len(published_alike(records, [list(home) for home in published])) == len(published)
    lost = [group for group in lists if set(group) <= set(certificate.suppressed.tolist())]
    assert all(group in failing for group in lost)
    assert len(certificate.groups) <= len(lists) - certificate.merged
    once = certificate.failed == len(failing)
    if once:
        assert len(certificate.groups) <= len(lists) - certificate.merged - len(lost)
    if not failing:
        assert as_cells(certificate.groups) == {frozenset(group) for group in lists}

    # A group is given up only where no merger with any other group that is left would help.
    for group in lost if once else []:
        for other in [list(home) for home in published] + [more for more in lost if more != group]:
            assert not allowed(records_of(records, [*group, *other]))

    # The figures are those of the published groups.
    assert len(certificate.measurements) == len(requirements)
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        anew = requirement.measure(setting, certificate.groups, chosen)  # type: ignore[arg-type]
        np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)
        np.testing.assert_array_equal(measured.exact, anew.exact)


@SOME
@given(tables(min_records=3, max_records=10), requirement_lists())
def test_what_mondrian_cut_is_mended(records: Records, requirements: list[Requirement]) -> None:
    setting = Setting(as_table(records))
    certificate = certify(setting, requirements, mondrian(setting, requirements), "exact")
    allowed = naive(records, requirements, "exact")
    assert all(allowed(group) for group in record_groups(records, certificate.groups))
    assert sorted([*certificate.groups.members, *certificate.suppressed]) == list(
        range(setting.table.cells)
    )


@MANY
@given(tables(min_records=4, max_records=12), requirement_lists(), st.data())
def test_a_merger_is_the_cheapest_that_holds(
    records: Records, requirements: list[Requirement], data: st.DataObject
) -> None:
    lists = data.draw(partitions(len(records.cells()), most=8))
    allowed = naive(records, requirements, "exact")
    failing = [group for group in lists if not allowed(records_of(records, group))]
    certificate = certify(Setting(as_table(records)), requirements, as_groups(lists), "exact")
    if len(failing) != 1 or not certificate.merged:
        return
    (first,) = failing
    costs = {}
    for other in lists:
        union = records_of(records, [*first, *other])
        if other != first and allowed(union):
            costs[frozenset([*first, *other])] = penalty(records, union) - penalty(
                records, records_of(records, other)
            )
    (merged,) = as_cells(certificate.groups) - {frozenset(group) for group in lists}
    assert costs[merged] <= min(costs.values()) + 1e-12


# --- Cases where omega certifies what exact inference does not ------------------------------------


def by_age(rows: str) -> Records:
    """A table of ages and diseases, written as ``10b 15c``."""
    pairs = [(item[:-1], item[-1]) for item in rows.split()]
    ages = {age: int(age) for age in sorted({age for age, _ in pairs}, key=int)}
    return Records(
        (Attribute("age", tuple(ages), numbers=ages),),
        Attribute("disease", tuple(sorted({disease for _, disease in pairs}))),
        tuple(pairs),
    )


MENDABLE = by_age("10b 15c 25b 40a 40c")
MENDABLE_POLICY = [KAnonymity(2), BtPrivacy(((0.5, 0.1),))]

HOPELESS = by_age("0a 1b 2c 3b 4c 7a 8b")
HOPELESS_POLICY = [KAnonymity(2), BtPrivacy(((0.2, 0.02),))]


def largest_disclosure(
    records: Records, policy: list[Requirement], group: Group, estimator: str
) -> float:
    (skyline,) = (item for item in policy if isinstance(item, BtPrivacy))
    ((bandwidth, _),) = skyline.skyline
    assert isinstance(bandwidth, float)
    prior = oracles.rounded(oracles.priors(records, [bandwidth]))
    return max(oracles.disclosures(records, prior, group, 0.75, estimator))


def certified(
    records: Records, policy: list[Requirement], estimator: str
) -> tuple[Groups, Certificate]:
    setting = Setting(as_table(records))
    check_attainable(policy, setting)
    groups = mondrian(setting, policy)
    return groups, certify(setting, policy, groups, estimator)  # type: ignore[arg-type]


@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_a_group_that_omega_passed_is_merged(estimator: str) -> None:
    groups, certificate = certified(MENDABLE, MENDABLE_POLICY, estimator)
    assert as_cells(groups) == {frozenset({0, 1}), frozenset({2, 3})}
    failing = [2, 3, 4]  # the records of cells 2 and 3
    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, failing, "omega") <= 0.1
    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, failing, "exact") > 0.1
    assert as_cells(certificate.groups) == {frozenset(range(4))}
    assert outcome(certificate) == (1, 1, [])
    assert certificate.measurements[1].exact.all()
    assert certificate.measurements[1].figures.max() == pytest.approx(
        largest_disclosure(MENDABLE, MENDABLE_POLICY, MENDABLE.everything(), "exact"), abs=1e-12
    )


@pytest.mark.parametrize("estimator", ["exact", "auto"])
def test_a_group_that_nothing_helps_is_suppressed(estimator: str) -> None:
    groups, certificate = certified(HOPELESS, HOPELESS_POLICY, estimator)
    first, second, third = [0, 1, 2], [3, 4], [5, 6]
    assert as_cells(groups) == {frozenset(group) for group in (first, second, third)}
    assert largest_disclosure(HOPELESS, HOPELESS_POLICY, first, "omega") <= 0.02
    for group in (first, first + second, first + third):
        assert largest_disclosure(HOPELESS, HOPELESS_POLICY, group, "exact") > 0.02
    assert as_cells(certificate.groups) == {frozenset(second), frozenset(third)}
    assert outcome(certificate) == (1, 0, first)


@pytest.mark.parametrize(
    ("records", "policy"), [(MENDABLE, MENDABLE_POLICY), (HOPELESS, HOPELESS_POLICY)]
)
def test_under_omega_nothing_is_measured_exactly(
    records: Records, policy: list[Requirement], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups, certificate = certified(records, policy, "omega")
    assert as_cells(certificate.groups) == as_cells(groups)
    assert (certificate.failed, certificate.merged, certificate.suppressed.size) == (0, 0, 0)
    assert certificate.measurements[0].exact.all()
    assert not certificate.measurements[1].exact.any()

    def refuse(*_: object) -> None:
        raise AssertionError("exact inference under omega")

    monkeypatch.setattr(posterior_module, "exact", refuse)
    setting = Setting(as_table(records))
    halves = as_groups([[0], list(range(1, setting.table.cells))])
    assert certify(setting, policy, halves, "omega").failed > 0


# --- What is beyond the budget of exact inference -------------------------------------------------


def limit_exact(patch: pytest.MonkeyPatch, most: int, small: int = 5) -> None:
    """Give exact inference a budget of `most` states, and unions of up to `small` no screening."""
    for module in (posterior_module, certification_module):
        patch.setattr(module, "AUTO_STATES", most)
    first, second, third = certification_module._SEARCHES
    searches = (
        replace(first, most=small),
        replace(second, above=small, most=most),
        replace(third, above=most),
    )
    patch.setattr(certification_module, "_SEARCHES", searches)


@pytest.mark.parametrize("estimator", ["exact", "auto", "bethe"])
def test_an_estimate_mends_what_no_proof_does(
    estimator: Estimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The union of the two groups has 2 * 3 * 3 states.
    limit_exact(monkeypatch, 17)
    _, certificate = certified(MENDABLE, MENDABLE_POLICY, estimator)
    if estimator == "exact":
        assert outcome(certificate) == (1, 0, [2, 3])
        assert certificate.measurements[1].exact.all()
    else:
        assert outcome(certificate) == (1, 1, [])
        assert certificate.measurements[0].exact.all()
        assert certificate.measurements[1].used.tolist() == [BETHE]
        assert certificate.measurements[1].figures.max() <= 0.1
    limit_exact(monkeypatch, 18)
    _, certificate = certified(MENDABLE, MENDABLE_POLICY, estimator)
    assert outcome(certificate) == (1, 1, [])
    assert certificate.measurements[1].exact.all()


def test_omega_mends_nothing_but_under_omega(monkeypatch: pytest.MonkeyPatch) -> None:
    def astray(groups: Groups, *rest: object) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        return np.zeros((len(groups.members), 3)), np.zeros(len(groups), dtype=bool)

    assert largest_disclosure(MENDABLE, MENDABLE_POLICY, MENDABLE.everything(), "omega") <= 0.1
    limit_exact(monkeypatch, 17)
    monkeypatch.setattr(posterior_module, "bethe", astray)
    _, certificate = certified(MENDABLE, MENDABLE_POLICY, "auto")
    assert outcome(certificate) == (1, 0, [2, 3])
    setting = Setting(as_table(MENDABLE))
    policy = [KAnonymity(5), *MENDABLE_POLICY]
    certificate = certify(setting, policy, as_groups([[0, 1], [2, 3]]), "omega")
    assert outcome(certificate) == (2, 1, [])


@MANY
@given(tables(min_records=5, max_records=12), requirement_lists(), st.integers(2, 30), st.data())
def test_proof_comes_first_and_suppression_last(
    records: Records, requirements: list[Requirement], most: int, data: st.DataObject
) -> None:
    setting = Setting(as_table(records))
    lists = list(
        published_alike(records, data.draw(partitions(len(records.cells()), most=8))).values()
    )
    with pytest.MonkeyPatch.context() as patch:
        limit_exact(patch, most, data.draw(st.integers(1, most)))
        judged = partial(judge, setting, requirements)
        certificate = certify(setting, requirements, as_groups(lists), "auto")
        for requirement, measured in zip(requirements, certificate.measurements, strict=True):
            anew = requirement.measure(setting, certificate.groups, "auto")
            np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)
            np.testing.assert_array_equal(measured.used, anew.used)
        assert all(judged(group.tolist(), "auto") is not None for group in certificate.groups)
        failing = [group for group in lists if judged(group, "auto") is None]
        if certificate.failed != len(failing):
            return  # mergers made groups alike
        suppressed = set(certificate.suppressed.tolist())
        lost = [group for group in lists if set(group) <= suppressed]
        left = [group.tolist() for group in certificate.groups]
        for group in lost:
            for other in left + [more for more in lost if more != group]:
                union = [*group, *other]
                # What bethe rules out is not inferred exactly.
                assert judged(union, "bethe") is None or judged(union, "auto") in (None, OMEGA)
        if len(failing) == certificate.merged == 1:
            (merged,) = as_cells(certificate.groups) - {frozenset(group) for group in lists}
            unions = [[*failing[0], *other] for other in lists if other != failing[0]]
            proved = [union for union in unions if judged(union, "auto") == EXACT]
            if any(judged(union, "bethe") is not None for union in proved):
                assert judged(sorted(merged), "auto") == EXACT


def outcome(certificate: Certificate) -> tuple[int, int, list[int]]:
    """Groups that failed, mergers, and suppressed parts."""
    return certificate.failed, certificate.merged, certificate.suppressed.tolist()


def judge(
    setting: Setting, requirements: list[Requirement], cells: list[int], estimator: Estimator
) -> int | None:
    """The worst of the estimators by which a group holds, or None if it does not."""
    group = as_groups([sorted(cells)])
    if not all(item.satisfied(setting, group, estimator).all() for item in requirements):
        return None
    return max(int(item.measure(setting, group, estimator).used[0]) for item in requirements)


def test_everything_may_be_suppressed() -> None:
    setting = Setting(as_table(MENDABLE))
    certificate = certify(setting, [KAnonymity(6)], Groups.whole(4), "auto")
    assert len(certificate.groups) == 0
    assert sorted(certificate.suppressed.tolist()) == [0, 1, 2, 3]
    assert certificate.measurements[0].figures.shape == (1, 0)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_measurements_stand_in_the_order_of_the_requirements(order: list[int]) -> None:
    setting = Setting(as_table(by_age("30x 30y 40x 40y 50x 50z")))
    skyline = (({"age": 0.3}, 1.0), (Uniform(), 1.0))
    policy: list[Requirement] = [KAnonymity(2), BtPrivacy(skyline), CkSafety(0.9, 0)]
    requirements = [policy[place] for place in order]
    groups = as_groups([[0], [1], [2]])
    certificate = certify(setting, requirements, groups, "exact")
    assert len(certificate.groups) == 3
    for requirement, measured in zip(requirements, certificate.measurements, strict=True):
        anew = requirement.measure(setting, certificate.groups, "exact")
        np.testing.assert_array_equal(measured.figures, anew.figures)


def test_groups_that_fail_together_are_suppressed() -> None:
    setting = Setting(as_table(by_age("30x 30y 40x 40x 50y 50z")))
    certificate = certify(setting, [CkSafety(0.9, 0)], as_groups([[0], [1], [2]]), "exact")
    assert as_cells(certificate.groups) == {frozenset([0]), frozenset([2])}
    assert certificate.failed == 1
    assert certificate.suppressed.tolist() == [1]
    nothing = certify(setting, [KAnonymity(7), CkSafety(0.9, 0)], as_groups([[0]]), "exact")
    assert not len(nothing.groups)
    assert [len(item.figures) for item in nothing.measurements] == [1, 1]


def test_groups_mend_one_another_over_several_rounds() -> None:
    # Seven lonely records: with k = 8 nothing can be mended; with k = 4 pairs do not hold, and all
    # become one group rather than none; with k = 2 three mergers are made in the first round and
    # the last joins in the second.
    ages = by_age("0a 1b 2c 3b 4c 7a 8b")
    setting = Setting(as_table(ages))
    alone = as_groups([[cell] for cell in range(7)])
    lost = certify(setting, [KAnonymity(8)], alone, "exact")
    assert (lost.failed, lost.merged, len(lost.groups)) == (7, 0, 0)
    whole = certify(setting, [KAnonymity(4)], alone, "exact")
    assert (whole.failed, whole.merged, whole.suppressed.size) == (7, 1, 0)
    assert setting.parts.sizes(whole.groups).tolist() == [7]
    shares: list[float] = []
    certificate = certify(
        setting, [KAnonymity(2)], alone, "exact", progress=Watched(report=shares.append)
    )
    assert (certificate.failed, certificate.merged, certificate.suppressed.size) == (7, 4, 0)
    assert sorted(setting.parts.sizes(certificate.groups).tolist()) == [2, 2, 3]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1.0


def test_a_partner_may_be_far_away() -> None:
    # Two of a need two others; the six pairs nearby have one, only the group of ages 7 has more.
    records = by_age("0a 0a " + " ".join(f"{age}a {age}b" for age in range(1, 7)) + " 7b 7b 7c 7c")
    alone = as_groups([[cell] for cell in range(8)])
    policy = [LDiversity(2.0, "probabilistic")]
    certificate = certify(Setting(as_table(records)), policy, alone, "exact")
    assert (certificate.failed, certificate.merged, certificate.suppressed.size) == (1, 1, 0)
    assert frozenset({0, 7}) in as_cells(certificate.groups)


def test_more_groups_than_a_neighbourhood() -> None:
    # 600 pairs of which every third breaks k = 2; each finds a partner among its nearest.
    rows = " ".join(f"{age}a" + ("" if age % 3 == 0 else f" {age}b") for age in range(600))
    setting = Setting(as_table(by_age(rows)))
    alone = as_groups([[cell] for cell in range(600)])
    certificate = certify(setting, [KAnonymity(2)], alone, "exact")
    assert (certificate.failed, certificate.merged, certificate.suppressed.size) == (200, 200, 0)
    assert setting.parts.sizes(certificate.groups).min() >= 2
    low, high = setting.parts.boxes(certificate.groups)
    assert (high - low).max() == 1  # the neighbour next door is the cheapest


@pytest.mark.parametrize("calls", range(1, 6))
def test_polling_can_cancel(calls: int) -> None:
    class Cancelled(BaseException):
        pass

    left = [calls]

    def poll() -> None:
        left[0] -= 1
        if not left[0]:
            raise Cancelled

    setting = Setting(as_table(HOPELESS), progress=Watched(poll))
    with pytest.raises(Cancelled):
        certify(setting, HOPELESS_POLICY, as_groups([[0, 1, 2], [3, 4], [5, 6]]), "exact")
