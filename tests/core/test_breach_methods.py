"""Belief breaches as stated, certified and refused; and of whom readers become sure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from bkpriv_core.audit import findings
from bkpriv_core.belief.breach import Breach
from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.knowledge import parse_knowledge
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import certainties, counted_sure, made_sure_in
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import BeliefBreach, Requirement, check_attainable
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from tests.core.library import Known
from tests.core.strategies import as_groups, as_table, by_age
from tests.core.test_range import BESIDE, people

RHO: dict[str, Any] = {"rho1": 0.5, "rho2": 0.7}

# --- stated ---------------------------------------------------------------------------------------


def test_a_bound_states_all_that_it_is() -> None:
    stated = [
        {"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9},
        {"bandwidth": {"age": 0.2}, "rho1": 0.0, "rho2": 0.6, "sensitive": "s"},
    ]
    (item,) = parse_policy({"belief_breach": stated}).requirements
    assert [dict(bound.parameters) for bound in item.bounds] == stated
    assert [bound.threshold for bound in item.bounds] == [0.9, 0.6]
    assert all(bound.upper and not bound.strict for bound in item.bounds)
    (one,) = parse_policy({"belief_breach": stated[0]}).requirements
    assert dict(one.bounds[0].parameters) == stated[0]


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({"bandwidth": 0.3, "rho1": 0.9, "rho2": 0.5}, "rho1"),
        ({"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.5}, "rho1"),
        ({"bandwidth": 0.3, "rho1": 1, "rho2": 1}, "rho1"),
        ({"bandwidth": 0.3, "rho1": -0.1, "rho2": 0.5}, "rho1"),
        ({"bandwidth": 0.3, "rho1": 0.1, "rho2": 1.1}, "rho2"),
        ({"bandwidth": 0.3, "rho1": 0.1}, "rho2"),
        ({"rho1": 0.1, "rho2": 0.5}, "bandwidth"),
        ({"bandwidth": 0.3, "rho1": 0.1, "rho2": 0.5, "smoothing": 0.5}, "smoothing"),
        ({"bandwidth": 0.3, "rho1": 0, "rho2": 0.5, "sensitive": "s", "joint": True}, "jointly"),
        ([], "adversary"),
    ],
)
def test_what_is_no_bound_is_refused(stated: Any, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_policy({"belief_breach": stated})
    assert named in caught.value.message
    assert caught.value.hint


# --- what is asked about --------------------------------------------------------------------------


def test_any_node_of_a_hierarchy_below_the_root_counts() -> None:
    """A reader knows of nobody that they have either cancer, but that somebody has one of them."""
    paths: dict[str, tuple[str, ...]] = {
        "lung": ("lung", "cancer", "all"),
        "skin": ("skin", "cancer", "all"),
        "flu": ("flu", "virus", "all"),
    }
    domain = Domain("disease", ("flu", "lung", "skin"), hierarchy=Hierarchy(paths))
    breach = Breach(domain, None, 0.5)
    before, after = np.array([[0.6, 0.2, 0.2]]), np.array([[0.0, 0.5, 0.5]])
    assert breach(before, after) == pytest.approx([1.0])
    aspects, values, prior, posterior = breach.most_moved(before, after)
    (aspect,) = aspects
    assert aspect is not None
    assert (aspect.label(int(values[0])), prior[0], posterior[0]) == (
        "cancer", pytest.approx(0.4), pytest.approx(1.0),
    )  # fmt: skip
    plain = Breach(Domain("disease", ("flu", "lung", "skin")), None, 0.5)
    assert plain(before, after) == pytest.approx([0.5])


def test_so_does_any_interval_and_is_called_by_what_it_holds() -> None:
    labels = tuple(map(str, range(10, 50, 5)))
    intervals = Intervals.checked("bmi", *_decimals([10, 20], 0))
    domain = Domain("bmi", labels, positions=np.arange(10.0, 50.0, 5.0), intervals=intervals)
    breach = Breach(domain, None, 0.3)
    before, after = np.full((1, 8), 1 / 8), np.zeros((1, 8))
    after[0, 2:4] = 0.5
    assert breach(before, after) == pytest.approx([1.0])
    (aspect,), values, _, _ = breach.most_moved(before, after)
    assert aspect is not None
    assert aspect.label(int(values[0])) == "20 to 25"


def _decimals(widths: list[int], origin: int) -> tuple[Any, Any]:
    return [Decimal(width) for width in widths], Decimal(origin)


def test_a_distance_does_not_bound_it() -> None:
    """A bound of .2 bits, unblended, lets belief in one of two values rise from 50 % to 91 %."""
    before, after = np.array([[0.5, 0.5]]), np.array([[0.91, 0.09]])
    assert js_divergence(before, after)[0] < 0.2
    assert Breach(Domain("s", ("a", "b")), None, 0.5)(before, after)[0] == pytest.approx(0.91)


# --- met ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(GROUP_METHODS))
def test_every_method_keeps_everybody_from_becoming_sure(name: str) -> None:
    table = people(160, 4)
    method = GROUP_METHODS[name]
    known: list[Any] = [0.2, {"age": 0.1, "town": 1.5}, {"kernel": "uniform"}]
    policy = {
        "k_anonymity": {"k": 3},
        "belief_breach": [{"bandwidth": one, **RHO} for one in known],
        **BESIDE,
    }
    requirements = parse_policy(policy).requirements
    made, rows, _ = method.make(
        Job(ThreatModel(table), requirements, method.options(), SeededChance(2), SILENT)
    )
    threat = ThreatModel(table).over(made.parts)
    asked = [row for row in rows if row.requirement == "belief_breach"]
    assert [row.satisfied for row in asked] == [True] * 3
    for one, row in zip(map(parse_knowledge, known), asked, strict=True):
        inferred = threat.adversaries([one]).posterior(made.groups, "auto")
        before = threat.prior(one)[made.groups.members]
        most = np.where(before <= 0.5, inferred.beliefs[0], 0.0).max()
        assert most <= 0.7 + 1e-9
        assert row.worst == pytest.approx(most, abs=1e-9)


def test_the_bound_binds_where_a_distance_alone_does_not() -> None:
    table, method = people(160, 4), GROUP_METHODS["mondrian"]

    def made(policy: dict[str, Any]) -> Any:
        return method.make(
            Job(ThreatModel(table), parse_policy(policy).requirements, method.options(),
            SeededChance(2), SILENT),
        )[0]  # fmt: skip

    beside = {"k_anonymity": {"k": 2}}
    free = made(beside)
    (count,) = certainties(
        ThreatModel(table).over(free.parts),
        free.groups,
        parse_policy({"bt_privacy": {"bandwidth": 0.2, "t": 1}}).requirements,
    )
    assert count.records > 5
    kept = made({**beside, "belief_breach": {"bandwidth": 0.2, "rho1": 0.5, "rho2": 0.9}})
    (count,) = certainties(
        ThreatModel(table).over(kept.parts),
        kept.groups,
        parse_policy({"bt_privacy": {"bandwidth": 0.2, "t": 1}}).requirements,
    )
    assert count.records == 0


def test_what_cannot_be_met_is_refused_with_what_would_be() -> None:
    """The whole table tells who has b to a reader who knows by a table."""
    table = as_table(by_age("a", "a", "a", "b", "a", "a", "a", "a"))
    prior = np.tile([0.9, 0.1], (8, 1))
    prior[3] = [0.55, 0.45]
    threat = ThreatModel(table, library=Known(cells=prior))

    def demanding(rho2: float) -> list[Requirement]:
        stated = {"bandwidth": {"table": "p"}, "rho1": 0.45, "rho2": rho2}
        return [BeliefBreach.parse(stated)]

    # .45 / .55 against seven times .1 / .9.
    attained = (0.45 / 0.55) / (0.45 / 0.55 + 7 / 9)
    with pytest.raises(UnattainableRequirement, match=r"belief_breach .*is not met by") as caught:
        check_attainable(demanding(attained - 0.01), threat)
    assert f"{attained:.6g}" in caught.value.detail
    check_attainable(demanding(attained), threat)
    # Whom it is told of is left out, where others can be published.
    method = GROUP_METHODS["mondrian"]
    made, _, _ = method.make(
        Job(threat, demanding(attained - 0.01), method.options(), SeededChance(1), SILENT)
    )
    assert made.published < 8


# --- of whom readers become sure ------------------------------------------------------------------


def test_of_whom_the_reader_becomes_sure_is_counted_and_named() -> None:
    """The release, by hand, has two groups of two shares, and one is all of one value."""
    table = as_table(by_age("a", "a", "a", "b", "b", "b"))
    threat, groups = ThreatModel(table), as_groups([[0, 1], [2, 3], [4, 5]])
    policy = parse_policy({"bt_privacy": {"bandwidth": {"kernel": "uniform"}, "t": 0.5}})
    (count,) = certainties(threat, groups, policy.requirements)
    assert (count.records, count.right, count.customary) == (4, 4, False)
    assert (count.reader, dict(count.about)) == ({"kernel": "uniform"}, {})
    assert (count.worst, count.estimator) == (1.0, "exact")
    sure = made_sure_in(threat, groups, policy.requirements[0].knowledge[0], "auto")
    assert sure.records.tolist() == [2, 0, 2]
    assert [sure.values[0], sure.values[2]] == ["a", "b"]
    assert sure.before.tolist() == [0.5] * 3
    assert sure.after.tolist() == [1.0, 0.5, 1.0]


def test_where_no_reader_is_named_one_stands_in() -> None:
    threat, groups = ThreatModel(people(60, 1)), Groups.whole(len(ThreatModel(people(60, 1)).parts))
    (count,) = certainties(threat, groups, parse_policy({"k_anonymity": {"k": 2}}).requirements)
    assert (count.reader, count.customary) == (0.3, True)
    expected = BeliefBreach.parse({"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9})
    (figures,) = expected.measure(threat, groups, "auto").figures
    weights = threat.parts.weights[groups.members]
    assert count.records == weights[figures > 0.9 + 1e-9].sum()


def test_each_reader_is_counted_once_and_put_to_the_bounds_about_them() -> None:
    table = people(60, 1)
    threat, groups = ThreatModel(table), Groups.from_labels(np.arange(table.cells))
    policy = parse_policy(
        {
            "k_anonymity": {"k": 1},
            "bt_privacy": [{"bandwidth": width, "t": 0.9} for width in (0.3, 0.2)],
            "js_divergence": {"j": 1, "bandwidth": 0.3},
        }
    )
    counted = certainties(threat, groups, policy.requirements)
    assert [each.reader for each in counted] == [0.3, 0.2]
    assert counted[0].records > 0
    measured = [item.measure(threat, groups, "auto") for item in policy.requirements]
    rows = counted_sure(findings(threat, groups, policy.requirements, measured), counted)
    first, second = (each.records for each in counted)
    assert [row.sure for row in rows] == [None, first, second, first]
