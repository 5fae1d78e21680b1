"""Requirements against loops over groups, their parsing, and what the whole table attains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.groups import Groups
from bkpriv_core.posterior import Estimator
from bkpriv_core.requirement import (
    Bound,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
    check_attainable,
    satisfied,
)
from bkpriv_core.setting import Setting
from tests.core import oracles
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    naive,
    partitions,
    records_of,
    requirement_lists,
    tables,
)

GROUNDS = ("equal", "ordered", "hierarchical")


def figures_of(
    requirement: Requirement, records: Records, lists: Sequence[Sequence[int]]
) -> list[float]:
    """The one figure of each group, after checking that all its memberships share it."""
    groups = as_groups(lists)
    found = requirement.measure(Setting(as_table(records)), groups)
    assert found.figures.shape == (1, len(groups.members))
    assert found.exact.all()
    assert len(found.exact) == len(groups)
    np.testing.assert_array_equal(groups.min(found.figures[0]), groups.max(found.figures[0]))
    per_group: list[float] = groups.max(found.figures[0]).tolist()
    return per_group


# --- Figures against loops over groups ------------------------------------------------------------


@MANY
@given(tables(max_records=16), st.data())
def test_figures_of_groups(records: Records, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    members = [records_of(records, cells) for cells in lists]

    def distinct(group: Group) -> float:
        return len(set(records.secrets(group)))

    def probabilistic(group: Group) -> float:
        secrets = records.secrets(group)
        return 1 / max(secrets.count(value) / len(secrets) for value in secrets)

    expected: list[tuple[Requirement, Callable[[Group], float]]] = [
        (KAnonymity(2), len),
        (LDiversity(2, "distinct"), distinct),
        (LDiversity(1.5, "probabilistic"), probabilistic),
    ]
    for requirement, figure in expected:
        found = figures_of(requirement, records, lists)
        assert found == pytest.approx([figure(group) for group in members], abs=1e-12)
    for ground in GROUNDS:
        found = figures_of(TCloseness(0.2, ground), records, lists)
        by_transport = [float(oracles.closeness(records, group, ground)) for group in members]
        assert found == pytest.approx(by_transport, abs=1e-12)


@SOME
@given(tables(max_records=8), st.lists(bandwidths, min_size=1, max_size=3), st.data())
def test_bt_privacy_measures_disclosure(
    records: Records, widths: list[float], data: st.DataObject
) -> None:
    groups = as_groups(data.draw(partitions(len(records.cells()))))
    setting = Setting(as_table(records))
    requirement = BtPrivacy(tuple((width, 0.2) for width in widths))
    estimators: tuple[Estimator, ...] = ("exact", "omega", "auto")
    for estimator in estimators:
        found = requirement.measure(setting, groups, estimator)
        expected = setting.disclosure(widths, groups, estimator)
        np.testing.assert_array_equal(found.figures, expected.figures)
        np.testing.assert_array_equal(found.exact, expected.exact)
    default = requirement.measure(setting, groups)
    assert not default.exact.any()


@SOME
@given(
    tables(max_records=10),
    requirement_lists(),
    st.sampled_from(["omega", "exact", "auto"]),
    st.data(),
)
def test_groups_that_meet_all_requirements(
    records: Records,
    requirements: list[Requirement],
    estimator: Estimator,
    data: st.DataObject,
) -> None:
    setting = Setting(as_table(records))
    lists = data.draw(partitions(setting.table.cells, suppress=True))
    allowed = naive(records, requirements, "omega" if estimator == "omega" else "exact")
    expected = [allowed(records_of(records, cells)) for cells in lists]
    groups = as_groups(lists)
    assert satisfied(requirements, setting, groups, estimator).tolist() == expected
    every = np.ones(len(lists), dtype=bool)
    for requirement in requirements:
        every &= requirement.satisfied(setting, groups, estimator)
    assert every.tolist() == expected


def test_the_estimator_decides() -> None:
    # Of these two groups omega passes both, exact inference the first only.
    ages = {"10": 10, "15": 15, "25": 25, "40": 40}
    rows = (("10", "b"), ("15", "c"), ("25", "b"), ("40", "a"), ("40", "c"))
    age = Attribute("age", tuple(ages), numbers=ages)
    setting = Setting(as_table(Records((age,), Attribute("s", ("a", "b", "c")), rows)))
    policy, groups = [KAnonymity(2), BtPrivacy(((0.5, 0.1),))], as_groups([[0, 1], [2, 3]])
    assert satisfied(policy, setting, groups).tolist() == [True, True]
    assert satisfied(policy, setting, groups, "omega").tolist() == [True, True]
    assert satisfied(policy, setting, groups, "exact").tolist() == [True, False]
    assert satisfied(policy, setting, groups, "auto").tolist() == [True, False]


def test_costly_requirements_see_only_the_survivors() -> None:
    records = by_age("flu", "hiv", "flu", "none")
    seen: list[int] = []

    class Costly(KAnonymity):
        cost = 9

        def satisfied(
            self, setting: Setting, groups: Groups, estimator: Estimator = "omega"
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
            seen.append(len(groups))
            return super().satisfied(setting, groups, estimator)

    setting = Setting(as_table(records))
    groups = as_groups([[0], [1, 2, 3], [0, 1]])
    assert satisfied([Costly(3), KAnonymity(2)], setting, groups).tolist() == [False, True, False]
    assert seen == [2]
    assert satisfied([Costly(3), KAnonymity(5)], setting, groups).tolist() == [False] * 3
    assert seen == [2]


def test_no_requirements_and_no_groups() -> None:
    setting = Setting(as_table(by_age("flu", "hiv")))
    assert satisfied([], setting, Groups.whole(2)).tolist() == [True]
    assert satisfied([KAnonymity(1), BtPrivacy(((0.3, 0.2),))], setting, as_groups([])).size == 0


def test_figures_by_hand() -> None:
    records = by_age("flu", "flu", "hiv", "none", "flu", "hiv")
    lists = [[0, 1, 2], [3, 4, 5]]
    assert figures_of(KAnonymity(2), records, lists) == [3, 3]
    assert figures_of(LDiversity(2, "distinct"), records, lists) == [2, 3]
    assert figures_of(LDiversity(2, "probabilistic"), records, lists) == [1.5, 3]
    # Overall (1/2, 1/3, 1/6); the first group has (2/3, 1/3, 0).
    assert figures_of(TCloseness(0.2, "equal"), records, lists) == pytest.approx([1 / 6, 1 / 6])
    assert figures_of(TCloseness(0.2, "ordered"), records, lists) == pytest.approx([1 / 6, 1 / 6])


def test_a_bound_is_met_at_its_threshold_but_for_rounding() -> None:
    upper, lower = (Bound("x", {}, 0.2, upper=upper) for upper in (True, False))
    figures = np.array([0.1, 0.2 - 1e-8, 0.2 - 1e-10, 0.2, 0.2 + 1e-10, 0.2 + 1e-8, 0.3])
    assert upper.broken(figures).tolist() == [False] * 5 + [True] * 2
    assert lower.broken(figures).tolist() == [True] * 2 + [False] * 5
    assert (upper.worst(figures), lower.worst(figures)) == (0.3, 0.1)


# --- Bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirement", "bounds"),
    [
        (KAnonymity(5), [Bound("k_anonymity", {"k": 5}, 5, upper=False)]),
        (
            LDiversity(2, "distinct"),
            [Bound("l_diversity", {"l": 2, "variant": "distinct"}, 2, upper=False)],
        ),
        (
            LDiversity(2.5, "probabilistic"),
            [Bound("l_diversity", {"l": 2.5, "variant": "probabilistic"}, 2.5, upper=False)],
        ),
        (
            TCloseness(0.2, "ordered"),
            [Bound("t_closeness", {"t": 0.2, "ground": "ordered"}, 0.2, upper=True)],
        ),
        (
            BtPrivacy(((0.3, 0.2), ({"age": 0.5}, 0.1))),
            [
                Bound("bt_privacy", {"bandwidth": 0.3, "t": 0.2}, 0.2, upper=True),
                Bound("bt_privacy", {"bandwidth": {"age": 0.5}, "t": 0.1}, 0.1, upper=True),
            ],
        ),
    ],
)
def test_bounds(requirement: Requirement, bounds: list[Bound]) -> None:
    assert list(requirement.bounds) == bounds


# --- Parsing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (KAnonymity, {"k": 5}, KAnonymity(5)),
        (KAnonymity, {"k": 5.0}, KAnonymity(5)),
        (KAnonymity, {"k": 1}, KAnonymity(1)),
        (LDiversity, {"l": 3}, LDiversity(3, "distinct")),
        (LDiversity, {"l": 3, "variant": "distinct"}, LDiversity(3, "distinct")),
        (LDiversity, {"l": 2.5, "variant": "probabilistic"}, LDiversity(2.5, "probabilistic")),
        (TCloseness, {"t": 0.2}, TCloseness(0.2, "equal")),
        (TCloseness, {"t": 0, "ground": "ordered"}, TCloseness(0.0, "ordered")),
        (TCloseness, {"t": 1, "ground": "hierarchical"}, TCloseness(1.0, "hierarchical")),
        (BtPrivacy, {"bandwidth": 0.3, "t": 0.2}, BtPrivacy(((0.3, 0.2),))),
        (
            BtPrivacy,
            [{"bandwidth": 1, "t": 0}, {"bandwidth": {"age": 0.2, "sex": 3}, "t": 1}],
            BtPrivacy(((1, 0.0), ({"age": 0.2, "sex": 3}, 1.0))),
        ),
    ],
)
def test_requirements_are_read(
    kind: type[Requirement], value: object, expected: Requirement
) -> None:
    assert kind.parse(value) == expected


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("kind", "value", "message", "hint"),
    [
        # Not an object
        (KAnonymity, 5, "k_anonymity must be a JSON object", "keys are k"),
        (KAnonymity, None, "k_anonymity must be a JSON object", "keys are k"),
        (KAnonymity, [{"k": 5}], "k_anonymity must be a JSON object", "keys are k"),
        (LDiversity, "3", "l_diversity must be a JSON object", "keys are l, variant"),
        (TCloseness, 0.2, "t_closeness must be a JSON object", "keys are t, ground"),
        (BtPrivacy, 0.2, "bt_privacy must be a JSON object", "keys are bandwidth, t"),
        (BtPrivacy, [[0.3, 0.2]], "bt_privacy must be a JSON object", "keys are bandwidth, t"),
        (BtPrivacy, [], "bt_privacy lists no adversary", '"bandwidth": 0.3'),
        # Unknown and missing keys
        (KAnonymity, {"k": 5, "K": 6}, 'k_anonymity has no key "K"', "keys are k"),
        (LDiversity, {"l": 3, "c": 2}, 'l_diversity has no key "c"', "keys are l, variant"),
        (TCloseness, {"t": 0.2, "h": 1}, 't_closeness has no key "h"', "keys are t, ground"),
        (
            BtPrivacy,
            [{"bandwidth": 0.3, "t": 0.2}, {"B": 0.3, "t": 0.2}],
            'bt_privacy has no key "B"',
            "keys are bandwidth, t",
        ),
        (KAnonymity, {}, 'k_anonymity lacks the key "k"', "keys are k"),
        (LDiversity, {"variant": "distinct"}, 'l_diversity lacks the key "l"', "keys are l"),
        (TCloseness, {"ground": "equal"}, 't_closeness lacks the key "t"', "keys are t"),
        (BtPrivacy, {"bandwidth": 0.3}, 'bt_privacy lacks the key "t"', "keys are"),
        (BtPrivacy, {"t": 0.3}, 'bt_privacy lacks the key "bandwidth"', "keys are"),
        # Not a number
        (KAnonymity, {"k": "5"}, "k of k_anonymity is '5', which is not a number", "number"),
        (KAnonymity, {"k": True}, "k of k_anonymity is True, which is not a number", "number"),
        (KAnonymity, {"k": None}, "k of k_anonymity is None, which is not a number", "number"),
        (KAnonymity, {"k": NAN}, "k of k_anonymity is nan, which is not a number", "number"),
        (KAnonymity, {"k": INFINITY}, "k of k_anonymity is inf, which is not a number", "number"),
        (LDiversity, {"l": [3]}, "l of l_diversity is [3], which is not a number", "number"),
        (TCloseness, {"t": {}}, "t of t_closeness is {}, which is not a number", "number"),
        (TCloseness, {"t": False}, "t of t_closeness is False, which is not a number", "number"),
        (BtPrivacy, {"bandwidth": 1, "t": "x"}, "t of bt_privacy is 'x', which is not", "number"),
        (BtPrivacy, {"bandwidth": 1, "t": NAN}, "t of bt_privacy is nan, which is not", "number"),
        # Not a whole number
        (KAnonymity, {"k": 2.5}, "k of k_anonymity is 2.5, which is not a whole number", "2 or 3"),
        (LDiversity, {"l": 2.5}, "l of l_diversity is 2.5, which is not a whole number", "2 or 3"),
        # Out of bounds
        (KAnonymity, {"k": 0}, "k of k_anonymity is 0", "k must be at least 1"),
        (KAnonymity, {"k": -3}, "k of k_anonymity is -3", "k must be at least 1"),
        (LDiversity, {"l": 0}, "l of l_diversity is 0", "l must be at least 1"),
        (
            LDiversity,
            {"l": 0.5, "variant": "probabilistic"},
            "l of l_diversity is 0.5",
            "l must be at least 1",
        ),
        (TCloseness, {"t": -0.1}, "t of t_closeness is -0.1", "t must be between 0 and 1"),
        (TCloseness, {"t": 1.1}, "t of t_closeness is 1.1", "t must be between 0 and 1"),
        (BtPrivacy, {"bandwidth": 1, "t": 2}, "t of bt_privacy is 2", "t must be between 0 and 1"),
        (
            BtPrivacy,
            [{"bandwidth": 1, "t": 0.2}, {"bandwidth": 1, "t": -1}],
            "t of bt_privacy is -1",
            "t must be between 0 and 1",
        ),
        # Unknown words
        (
            LDiversity,
            {"l": 3, "variant": "entropie"},
            "variant of l_diversity is 'entropie'",
            "one of distinct, probabilistic",
        ),
        (LDiversity, {"l": 3, "variant": ["distinct"]}, "variant of l_diversity is [", "one of"),
        (
            TCloseness,
            {"t": 0.2, "ground": "euclidean"},
            "ground of t_closeness is 'euclidean'",
            "one of equal, ordered, hierarchical",
        ),
        (TCloseness, {"t": 0.2, "ground": None}, "ground of t_closeness is None", "one of equal"),
        # Bandwidths
        (BtPrivacy, {"bandwidth": 0, "t": 0.2}, "the bandwidth is 0, which is not", "Distances"),
        (BtPrivacy, {"bandwidth": -1, "t": 0.2}, "the bandwidth is -1, which is not", "Distances"),
        (BtPrivacy, {"bandwidth": "0.3", "t": 0.2}, "the bandwidth is '0.3'", "Distances"),
        (BtPrivacy, {"bandwidth": True, "t": 0.2}, "the bandwidth is True", "Distances"),
        (BtPrivacy, {"bandwidth": NAN, "t": 0.2}, "the bandwidth is nan", "Distances"),
        (BtPrivacy, {"bandwidth": None, "t": 0.2}, "the bandwidth is None", "Distances"),
        (BtPrivacy, {"bandwidth": [0.3], "t": 0.2}, "the bandwidth is [0.3]", "Distances"),
        (BtPrivacy, {"bandwidth": {}, "t": 0.2}, "the bandwidth names no attribute", "Give"),
        (
            BtPrivacy,
            {"bandwidth": {"age": 0.3, "sex": 0}, "t": 0.2},
            'the bandwidth of "sex" is 0',
            "Distances",
        ),
    ],
)
def test_what_is_wrong_is_named(
    kind: type[Requirement], value: object, message: str, hint: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        kind.parse(value)
    assert message in caught.value.message
    assert caught.value.detail
    assert hint in caught.value.hint


@pytest.mark.parametrize("kind", [KAnonymity, LDiversity, TCloseness])
def test_a_number_beyond_all_floats(kind: type[Requirement]) -> None:
    with pytest.raises(InvalidParameter, match="not a number"):
        kind.parse({kind.key[0]: 10**400})


# --- What the whole table attains -----------------------------------------------------------------


def by_age(*secrets: str) -> Records:
    ages = {str(age): age for age in range(20, 20 + len(secrets))}
    sensitive = Attribute("disease", tuple(sorted(set(secrets))))
    rows = tuple(zip(ages, secrets, strict=True))
    return Records((Attribute("age", tuple(ages), numbers=ages),), sensitive, rows)


@pytest.mark.parametrize(
    ("requirement", "message", "detail", "hint"),
    [
        (
            KAnonymity(7),
            "k_anonymity (k = 7) cannot be met",
            "at least 7; the whole table attains 6",
            "at least 6",
        ),
        (
            LDiversity(4, "distinct"),
            "l_diversity (l = 4, variant = distinct) cannot be met",
            "at least 4; the whole table attains 3",
            "at least 3",
        ),
        (
            LDiversity(2.5, "probabilistic"),
            "l_diversity (l = 2.5, variant = probabilistic) cannot be met",
            "at least 2.5; the whole table attains 2.",
            "at least 2,",
        ),
    ],
)
def test_the_unattainable_names_the_best_attainable(
    requirement: Requirement, message: str, detail: str, hint: str
) -> None:
    setting = Setting(as_table(by_age("flu", "flu", "hiv", "none", "flu", "hiv")))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([KAnonymity(2), requirement], setting)
    assert message in caught.value.message
    assert "not even by one group of the whole table" in caught.value.message
    assert detail in caught.value.detail
    assert hint in caught.value.hint


def test_the_unattainable_adversary_is_named() -> None:
    records = by_age("flu", "flu", "hiv", "none", "flu", "hiv")
    setting = Setting(as_table(records))
    prior = oracles.rounded(oracles.priors(records, [0.3]))
    best = max(oracles.disclosures(records, prior, records.everything(), 0.75, "exact"))
    skyline = BtPrivacy(((1e9, 0.0), (0.3, best / 2)))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([KAnonymity(6), skyline], setting)
    assert f"bt_privacy (bandwidth = 0.3, t = {best / 2})" in caught.value.message
    assert f"at most {best / 2:g}; the whole table attains {best:.6g}" in caught.value.detail
    assert f"at most {best:.6g}" in caught.value.hint
    check_attainable([KAnonymity(6), BtPrivacy(((1e9, 0.0), (0.3, best)))], setting)


@SOME
@given(tables(max_records=9), requirement_lists())
def test_attainable_is_what_the_whole_table_meets(
    records: Records, requirements: list[Requirement]
) -> None:
    setting = Setting(as_table(records))
    if naive(records, requirements, "exact")(records.everything()):
        check_attainable(requirements, setting)
    else:
        with pytest.raises(UnattainableRequirement):
            check_attainable(requirements, setting)
