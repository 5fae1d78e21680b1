"""Requirements against loops over groups, their bounds, and what the whole table attains."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.requirement import (
    BetaLikeness,
    Bound,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    Requirement,
    TCloseness,
    check_attainable,
    satisfied,
)
from bkpriv_core.requirement.closeness import Ground
from bkpriv_core.requirement.likeness import Variant
from bkpriv_core.table.groups import Groups
from tests.core import oracles, requirement_oracles
from tests.core.oracles import Attribute, Group, Number, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    by_age,
    naive,
    partitions,
    records_of,
    requirement_lists,
    tables,
)

GROUNDS: tuple[Ground, ...] = get_args(Ground)
INFINITY = math.inf


def figures_of(
    requirement: Requirement, records: Records, lists: Sequence[Sequence[int]]
) -> list[float]:
    """The one figure of each group, after checking that all its memberships share it."""
    groups = as_groups(lists)
    measured = requirement.measure(ThreatModel(as_table(records)), groups)
    assert measured.figures.shape == (1, len(groups.members))
    assert measured.exact.all()
    assert len(measured.exact) == len(groups)
    np.testing.assert_array_equal(groups.min(measured.figures[0]), groups.max(measured.figures[0]))
    per_group: list[float] = groups.max(measured.figures[0]).tolist()
    return per_group


# --- Figures against loops over groups ------------------------------------------------------------


@MANY
@given(tables(max_records=16), st.data())
def test_figures_of_groups(records: Records, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    members = [records_of(records, cells) for cells in lists]

    expected: list[tuple[Requirement, Callable[[Group], Number]]] = [
        (KAnonymity(2), len),
        (LDiversity(2, "distinct"), partial(requirement_oracles.distinct_diversity, records)),
        (
            LDiversity(1.5, "probabilistic"),
            partial(requirement_oracles.probabilistic_diversity, records),
        ),
        (MaxDisclosure(0.5), partial(requirement_oracles.surest, records)),
        (LDiversity(1.5, "entropy"), partial(requirement_oracles.entropy_diversity, records)),
    ]
    for l in range(1, 6):  # noqa: E741 - the field's own name
        diversity = partial(requirement_oracles.recursive_diversity, records, l=l)
        expected.append((LDiversity(l, "recursive", 2.0), diversity))
    for requirement, figure in expected:
        figures = figures_of(requirement, records, lists)
        assert figures == pytest.approx([float(figure(group)) for group in members], abs=1e-12)
    for ground in GROUNDS:
        figures = figures_of(TCloseness(0.2, ground), records, lists)
        by_transport = [float(oracles.closeness(records, group, ground)) for group in members]
        assert figures == pytest.approx(by_transport, abs=1e-12)


@MANY
@given(
    tables(max_records=16),
    st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0.01, 20.0)),
    st.data(),
)
def test_gains_of_groups(records: Records, beta: float, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    members = [records_of(records, cells) for cells in lists]
    for variant in get_args(Variant):
        requirement = BetaLikeness(beta, variant)
        figures = figures_of(requirement, records, lists)
        expected = [
            max(requirement_oracles.gain_scores(records, group, beta, variant)) for group in members
        ]
        assert figures == pytest.approx(expected, rel=1e-12, abs=1e-12)
        met = requirement.satisfied(ThreatModel(as_table(records)), as_groups(lists)).tolist()
        assert met == [
            requirement_oracles.alike(records, group, beta, variant) for group in members
        ]


@pytest.mark.always
@MANY
@given(tables(min_records=2, max_records=24, max_values=6), st.floats(0.1, 4.0), st.data())
def test_a_union_is_no_worse_than_its_worse_part(
    records: Records, beta: float, data: st.DataObject
) -> None:
    # Mergers rely on this: two groups that meet a requirement meet it together.
    parts = data.draw(partitions(len(records.cells()), suppress=True, most=2))
    assume(len(parts) == 2)
    requirements: list[Requirement] = [
        KAnonymity(2),
        *(LDiversity(2.0, variant) for variant in ("distinct", "probabilistic", "entropy")),
        *(LDiversity(l, "recursive", 2.0) for l in range(1, 5)),  # noqa: E741
        MaxDisclosure(0.5),
        *(TCloseness(0.2, ground) for ground in GROUNDS),
        *(BetaLikeness(beta, variant) for variant in get_args(Variant)),
    ]
    for requirement in requirements:
        (bound,) = requirement.bounds
        one, other = figures_of(requirement, records, parts)
        (union,) = figures_of(requirement, records, [[*parts[0], *parts[1]]])
        if bound.upper:
            assert union <= max(one, other) + 1e-12
        else:
            assert union >= min(one, other) - 1e-12


@SOME
@given(tables(max_records=8), st.lists(bandwidths, min_size=1, max_size=3), st.data())
def test_bt_privacy_measures_disclosure(
    records: Records, widths: list[float], data: st.DataObject
) -> None:
    groups = as_groups(data.draw(partitions(len(records.cells()))))
    threat = ThreatModel(as_table(records))
    requirement = BtPrivacy(tuple((width, 0.2) for width in widths))
    estimators: tuple[Estimator, ...] = ("exact", "omega", "auto")
    for estimator in estimators:
        measured = requirement.measure(threat, groups, estimator)
        expected = threat.adversaries(widths).disclosure(groups, estimator)
        np.testing.assert_array_equal(measured.figures, expected.figures)
        np.testing.assert_array_equal(measured.exact, expected.exact)
    default = requirement.measure(threat, groups)
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
    threat = ThreatModel(as_table(records))
    lists = data.draw(partitions(threat.table.cells, suppress=True))
    allowed = naive(records, requirements, "omega" if estimator == "omega" else "exact")
    expected = [allowed(records_of(records, cells)) for cells in lists]
    groups = as_groups(lists)
    assert satisfied(requirements, threat, groups, estimator).tolist() == expected
    every = np.ones(len(lists), dtype=bool)
    for requirement in requirements:
        every &= requirement.satisfied(threat, groups, estimator)
    assert every.tolist() == expected


def test_the_estimator_decides() -> None:
    # Of these two groups omega passes both, exact inference the first only.
    ages = {"10": 10, "15": 15, "25": 25, "40": 40}
    rows = (("10", "b"), ("15", "c"), ("25", "b"), ("40", "a"), ("40", "c"))
    age = Attribute("age", tuple(ages), numbers=ages)
    threat = ThreatModel(as_table(Records((age,), Attribute("s", ("a", "b", "c")), rows)))
    policy, groups = [KAnonymity(2), BtPrivacy(((0.5, 0.1),))], as_groups([[0, 1], [2, 3]])
    assert satisfied(policy, threat, groups).tolist() == [True, True]
    assert satisfied(policy, threat, groups, "omega").tolist() == [True, True]
    assert satisfied(policy, threat, groups, "exact").tolist() == [True, False]
    assert satisfied(policy, threat, groups, "auto").tolist() == [True, False]


def test_costly_requirements_see_only_the_survivors() -> None:
    records = by_age("flu", "hiv", "flu", "none")
    seen: list[int] = []

    class Costly(KAnonymity):
        cost = 9

        def satisfied(
            self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
            seen.append(len(groups))
            return super().satisfied(threat, groups, estimator)

    threat = ThreatModel(as_table(records))
    groups = as_groups([[0], [1, 2, 3], [0, 1]])
    assert satisfied([Costly(3), KAnonymity(2)], threat, groups).tolist() == [False, True, False]
    assert seen == [2]
    assert satisfied([Costly(3), KAnonymity(5)], threat, groups).tolist() == [False] * 3
    assert seen == [2]


def test_no_requirements_and_no_groups() -> None:
    threat = ThreatModel(as_table(by_age("flu", "hiv")))
    assert satisfied([], threat, Groups.whole(2)).tolist() == [True]
    assert satisfied([KAnonymity(1), BtPrivacy(((0.3, 0.2),))], threat, as_groups([])).size == 0


def test_figures_by_hand() -> None:
    records = by_age("flu", "flu", "hiv", "none", "flu", "hiv")
    lists = [[0, 1, 2], [3, 4, 5]]
    assert figures_of(KAnonymity(2), records, lists) == [3, 3]
    assert figures_of(LDiversity(2, "distinct"), records, lists) == [2, 3]
    assert figures_of(LDiversity(2, "probabilistic"), records, lists) == [1.5, 3]
    by_entropy = figures_of(LDiversity(2, "entropy"), records, lists)
    assert by_entropy == pytest.approx([3 / 2 ** (2 / 3), 3])
    assert figures_of(LDiversity(1, "recursive", 2), records, lists) == pytest.approx(
        [2 / 3, 1 / 3]
    )
    assert figures_of(LDiversity(2, "recursive", 2), records, lists) == [2, 0.5]
    assert figures_of(LDiversity(3, "recursive", 2), records, lists) == [INFINITY, 1]
    assert figures_of(LDiversity(4, "recursive", 2), records, lists) == [INFINITY, INFINITY]
    # Overall (1/2, 1/3, 1/6); the first group has (2/3, 1/3, 0).
    assert figures_of(TCloseness(0.2, "equal"), records, lists) == pytest.approx([1 / 6, 1 / 6])
    assert figures_of(TCloseness(0.2, "ordered"), records, lists) == pytest.approx([1 / 6, 1 / 6])
    # What gains: in the first group the share 1/2, by 1/3; in the second 1/6, by 1.
    assert figures_of(BetaLikeness(2, "basic"), records, lists) == pytest.approx([1 / 3, 1])
    enhanced = figures_of(BetaLikeness(2, "enhanced"), records, lists)
    assert enhanced == pytest.approx([2 / 3 / math.log(2), 2 / math.log(6)])
    enhanced = figures_of(BetaLikeness(0.5, "enhanced"), records, lists)
    assert enhanced == pytest.approx([1 / 3, 1])


def test_diversities_by_hand() -> None:
    uniform, skew = by_age("a", "b", "c", "d"), by_age("a", "a", "b", "a", "c")
    assert figures_of(LDiversity(4, "entropy"), uniform, [[0, 1, 2, 3]]) == [4]
    assert figures_of(LDiversity(2, "recursive", 2), skew, [[0, 1, 2, 3, 4]]) == [1.5]
    assert figures_of(LDiversity(3, "recursive", 2), skew, [[0, 1, 2, 3, 4]]) == [3]


def test_a_figure_at_a_strict_threshold_breaks_it() -> None:
    threat, whole = ThreatModel(as_table(by_age("a", "a", "b", "a", "c"))), Groups.whole(5)
    assert not LDiversity(2, "recursive", 1.5).satisfied(threat, whole).any()
    assert LDiversity(2, "recursive", 1.5 + 1e-6).satisfied(threat, whole).all()
    assert not LDiversity(4, "recursive", 1e300).satisfied(threat, whole).any()


@pytest.mark.parametrize("variant", get_args(Variant))
@pytest.mark.parametrize("beta", [1e-308, 1e-3, 1.0, 1e308])
def test_likeness_at_the_extremes(variant: Variant, beta: float) -> None:
    likeness = BetaLikeness(beta, variant)
    # A value of the domain that no record has; a table of one value; a value that nearly all have.
    absent = Records(
        (Attribute("q", ("x", "y")),),
        Attribute("s", ("never", "a", "b")),
        (("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")),
    )
    assert figures_of(likeness, absent, [[0], [1], [0, 1]]) == [0, 0, 0]
    assert figures_of(likeness, by_age("a", "a"), [[0], [0, 1]]) == [0, 0]
    frequent = by_age(*["a"] * 999, "b")
    one, other = figures_of(likeness, frequent, [list(range(999)), [999]])
    assert one > 0
    assert other > 0
    met = likeness.satisfied(ThreatModel(as_table(frequent)), as_groups([list(range(999)), [999]]))
    # Enhanced never lets a value that is not all of the table become all of a group.
    assert met.tolist() == [
        beta >= 1e-2 and variant == "basic",
        beta == 1e308 and variant == "basic",
    ]


def test_a_bound_is_met_at_its_threshold_but_for_rounding() -> None:
    upper, lower = (Bound("x", {}, 0.2, upper=upper) for upper in (True, False))
    figures = np.array([0.1, 0.2 - 1e-8, 0.2 - 1e-10, 0.2, 0.2 + 1e-10, 0.2 + 1e-8, 0.3])
    assert upper.broken(figures).tolist() == [False] * 5 + [True] * 2
    assert lower.broken(figures).tolist() == [True] * 2 + [False] * 5
    assert (upper.worst(figures), lower.worst(figures)) == (0.3, 0.1)
    assert (upper.relation, lower.relation) == ("at most", "at least")


def test_a_strict_bound_is_broken_at_its_threshold_whatever_the_rounding() -> None:
    upper, lower = (Bound("x", {}, 0.2, upper=upper, strict=True) for upper in (True, False))
    figures = np.array([0.1, 0.2 - 1e-8, 0.2 - 1e-10, 0.2, 0.2 + 1e-10, 0.2 + 1e-8, 0.3])
    assert upper.broken(figures).tolist() == [False] * 2 + [True] * 5
    assert lower.broken(figures).tolist() == [True] * 5 + [False] * 2
    assert (upper.worst(figures), lower.worst(figures)) == (0.3, 0.1)
    assert (upper.relation, lower.relation) == ("below", "above")
    odd = np.array([np.nan, INFINITY, -INFINITY])
    assert upper.broken(odd).tolist() == [True, True, False]
    assert lower.broken(odd).tolist() == [True, False, True]


# --- Bounds ---------------------------------------------------------------------------------------


UPPER = ("max_disclosure", "beta_likeness", "t_closeness", "bt_privacy")


@pytest.mark.parametrize(
    ("requirement", "stated", "thresholds"),
    [
        (KAnonymity(5), {"k": 5}, [5]),
        (LDiversity(2, "distinct"), {"l": 2, "variant": "distinct"}, [2]),
        (LDiversity(2.5, "probabilistic"), {"l": 2.5, "variant": "probabilistic"}, [2.5]),
        (LDiversity(2.5, "entropy"), {"l": 2.5, "variant": "entropy"}, [2.5]),
        (LDiversity(3, "recursive", 2.5), {"l": 3, "variant": "recursive", "c": 2.5}, [2.5]),
        (MaxDisclosure(0.4), {"tau": 0.4}, [0.4]),
        (BetaLikeness(2.0, "enhanced"), {"beta": 2.0, "variant": "enhanced"}, [2.0]),
        (TCloseness(0.2, "ordered"), {"t": 0.2, "ground": "ordered"}, [0.2]),
        (BtPrivacy(((0.3, 0.2), (2, 0.1))), {"bandwidth": 0.3, "t": 0.2}, [0.2, 0.1]),
    ],
)
def test_bounds(
    requirement: Requirement, stated: dict[str, object], thresholds: list[float]
) -> None:
    strict = stated.get("variant") == "recursive"
    upper = strict or requirement.key in UPPER
    first, *others = requirement.bounds
    assert first == Bound(requirement.key, stated, thresholds[0], upper=upper, strict=strict)
    assert [bound.threshold for bound in others] == thresholds[1:]
    for bound in others:
        assert (bound.parameters, bound.upper) == ({"bandwidth": 2, "t": 0.1}, True)


# --- What the whole table attains -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirement", "stated", "figures", "hint"),
    [
        (KAnonymity(7), "k = 7", ("at least 7", "6"), "Set k to 6 or less."),
        (LDiversity(4), "l = 4, variant = distinct", ("at least 4", "3"), "Set l to 3 or less."),
        (
            LDiversity(2.5, "probabilistic"),
            "l = 2.5",
            ("at least 2.5", "2."),
            "Set l to 2 or less.",
        ),
        (MaxDisclosure(0.4), "tau = 0.4", ("at most 0.4", "0.5."), "Set tau to 0.5 or more."),
        (
            LDiversity(3, "entropy"),
            "l = 3",
            ("at least 3", "2.74946."),
            "Set l to 2.74945 or less.",
        ),
        (LDiversity(2, "recursive", 1), "c = 1", ("below 1", "1."), "Set c above 1."),
        (LDiversity(4, "recursive", 9), "c = 9", ("below 9", "inf."), "No c is attained here"),
    ],
)
def test_the_unattainable_names_the_best_attainable(
    requirement: Requirement, stated: str, figures: tuple[str, str], hint: str
) -> None:
    threat = ThreatModel(as_table(by_age("flu", "flu", "hiv", "none", "flu", "hiv")))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([KAnonymity(2), requirement], threat)
    assert caught.value.message.startswith(f"{requirement.key} (")
    assert stated in caught.value.message
    assert "cannot be met, not even by one group of the whole table" in caught.value.message
    assert "{}; the whole table attains {}".format(*figures) in caught.value.detail
    assert hint in caught.value.hint


def test_the_unattainable_adversary_is_named() -> None:
    records = by_age("flu", "flu", "hiv", "none", "flu", "hiv")
    threat = ThreatModel(as_table(records))
    prior = oracles.rounded(oracles.priors(records, [0.3]))
    best = max(oracles.disclosures(records, prior, records.everything(), None, "exact"))
    skyline = BtPrivacy(((1e9, 0.0), (0.3, best / 2)))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([KAnonymity(6), skyline], threat)
    assert f"bt_privacy (bandwidth = 0.3, t = {best / 2})" in caught.value.message
    assert f"at most {best / 2:g}; the whole table attains {best:.6g}" in caught.value.detail
    (threshold,) = map(float, re.findall(r"[0-9][0-9.e-]*", caught.value.hint))
    assert best <= threshold <= best * (1 + 1e-5)
    check_attainable([KAnonymity(6), BtPrivacy(((1e9, 0.0), (0.3, best)))], threat)


def test_what_only_the_whole_table_breaks_is_not_called_impossible() -> None:
    rows = [("x", "flu"), ("x", "hiv"), ("y", "flu"), ("y", "flu"), ("y", "hiv")]
    records = Records((Attribute("q", ("x", "y")),), Attribute("s", ("flu", "hiv")), tuple(rows))
    threat = ThreatModel(as_table(records))
    prior = oracles.rounded(oracles.priors(records, [0.5]))
    worst = max(oracles.disclosures(records, prior, records.everything(), None, "exact"))
    requirement = BtPrivacy(((0.5, worst / 2),))
    parts = [[0, 1], [2, 3, 4]]
    assert max(max(oracles.disclosures(records, prior, part, None, "exact")) for part in parts) == 0
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([KAnonymity(2), requirement], threat)
    assert "is not met by one group of the whole table" in caught.value.message
    assert "cannot be met" not in caught.value.message
    assert "Smaller groups might meet it" in caught.value.detail


@pytest.mark.parametrize(
    ("demanded", "easier"),
    [
        (LDiversity(9, "entropy"), lambda stated: LDiversity(stated, "entropy")),
        (LDiversity(9, "probabilistic"), lambda stated: LDiversity(stated, "probabilistic")),
        (
            LDiversity(2, "recursive", 0.1),
            lambda stated: LDiversity(2, "recursive", stated + 1e-8),
        ),
        (
            BtPrivacy(((0.3, 0.0),)),
            lambda stated: BtPrivacy(((0.3, stated),)),
        ),
    ],
)
@pytest.mark.parametrize(
    "counts", [(3, 2, 1), (4, 3, 3), (7, 2, 1), (5, 5, 4), (6, 3, 4), (2, 1, 4)]
)
def test_what_is_advised_is_attained(
    demanded: Requirement, easier: Callable[[float], Requirement], counts: tuple[int, ...]
) -> None:
    secrets = [value for value, count in zip("abc", counts, strict=True) for _ in range(count)]
    threat = ThreatModel(as_table(by_age(*secrets)))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([demanded], threat)
    (threshold,) = re.findall(r"[0-9][0-9.e-]*", caught.value.hint.rstrip("."))
    check_attainable([easier(float(threshold))], threat)


@SOME
@given(tables(max_records=9), requirement_lists())
def test_attainable_is_what_the_whole_table_meets(
    records: Records, requirements: list[Requirement]
) -> None:
    threat = ThreatModel(as_table(records))
    if naive(records, requirements, "exact")(records.everything()):
        check_attainable(requirements, threat)
    else:
        with pytest.raises(UnattainableRequirement):
            check_attainable(requirements, threat)
