"""Certainty of readers: how many are right, how many were certain anyway, what is affordable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bkpriv_core import certainty
from bkpriv_core.belief import disclosure
from bkpriv_core.belief.posterior import Estimator, posterior
from bkpriv_core.belief.prior import kernel_effort
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import certainties, most_known, readers, weak_certainties
from bkpriv_core.errors import TooLarge
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import Progress
from bkpriv_core.table.groups import Groups
from tests.core.library import Known
from tests.core.strategies import as_groups, as_table, by_age
from tests.core.test_range import people

ASKED: dict[str, Any] = {"bt_privacy": {"bandwidth": 0.2, "t": 0.9}}
PLAIN: dict[str, Any] = {"k_anonymity": {"k": 2}}


def grouped(records: int, seed: int, groups: int) -> tuple[ThreatModel, Groups]:
    """Draw people in groups of those next to each other."""
    threat = ThreatModel(people(records, seed))
    order = np.lexsort(threat.parts.codes.T)
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.arange(len(order)) * groups // len(order)
    return threat, Groups.from_labels(labels)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("estimator", ["auto", "omega"])
def test_who_is_right_and_who_was_certain_anyway(seed: int, estimator: Estimator) -> None:
    """Beliefs are judged person by person; `right` by the same estimate as the figures."""
    threat, groups = grouped(80, seed, 24)
    (knowledge,) = parse_policy(ASKED).requirements[0].knowledge
    (count,) = certainties(threat, groups, parse_policy(ASKED).requirements, estimator)
    beliefs = threat.adversaries([knowledge]).posterior(groups, estimator).beliefs[0]
    sure = right = anyway = 0
    for member, after in zip(groups.members.tolist(), beliefs, strict=True):
        before = threat.prior(knowledge)[member]
        has = threat.parts.counts[member]
        found = (before <= 0.5) & (after > 0.9 + 1e-9)
        sure += int(has.sum() * found.any())
        right += int(has[found].sum())
        anyway += int(has.sum() * (before > 0.9).any())
    assert (count.records, count.right, count.anyway) == (sure, right, anyway)
    assert sure > 0


@pytest.mark.parametrize("seed", range(6))
def test_bounds_that_are_asked_first_change_no_count(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = {"bt_privacy": [{"bandwidth": width, "t": 0.9} for width in (0.2, 0.5)]}
    requirements = parse_policy(stated).requirements
    exact = certainties(*grouped(80, seed, 16), requirements)
    monkeypatch.setattr(disclosure, "FEW_STATES", 10)
    bounded = certainties(*grouped(80, seed, 16), requirements)
    for one, other in zip(bounded, exact, strict=True):
        assert (one.records, one.right, one.anyway) == (other.records, other.right, other.anyway)
        assert one.worst == pytest.approx(other.worst) or 0.9 >= one.worst >= other.worst
        assert "bound for" in one.estimator
        assert other.estimator == "exact"


def test_those_are_certain_anyway_of_whom_something_was_known() -> None:
    """The table tells of three of four that they have a, and of one of these wrongly."""
    table = as_table(by_age("a", "a", "b", "b"))
    prior = np.array([[0.95, 0.05], [0.92, 0.08], [0.95, 0.05], [0.4, 0.6]])
    threat = ThreatModel(table, library=Known(cells=prior))
    policy = parse_policy({"bt_privacy": {"bandwidth": {"table": "p"}, "t": 1}})
    (count,) = certainties(threat, as_groups([[0], [1], [2], [3]]), policy.requirements)
    assert (count.records, count.right, count.anyway) == (1, 1, 3)
    named, _ = readers(policy.requirements, threat)
    assert most_known(threat, as_groups([[0], [1], [2], [3]]), named) == 3


def test_for_who_stands_in_groups_that_take_long_are_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threat, groups = grouped(80, 3, 16)
    requirements = parse_policy(PLAIN).requirements
    (exact,) = certainties(threat, groups, requirements)
    assert exact.estimator == "exact"
    monkeypatch.setattr(certainty, "_MOST_STATES", 60)
    (partly,) = certainties(threat, groups, requirements, progress=Progress())
    assert partly.estimator.startswith("exact, but bethe for ")
    assert partly.records == pytest.approx(exact.records, abs=4)
    assert partly.right <= partly.records
    # Who is named is inferred as it is asked for.
    named = parse_policy({"bt_privacy": {"bandwidth": 0.3, "t": 0.9}}).requirements
    (asked,) = certainties(threat, groups, named)
    assert (asked.records, asked.estimator) == (exact.records, "exact")


@pytest.mark.parametrize("limit", ["_MOST_BELIEFS", "_MOST_EFFORT"])
def test_for_who_stands_in_tables_that_take_long_are_refused(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    threat, groups = grouped(40, 1, 10)
    needed = {
        "_MOST_BELIEFS": threat.table.cells * threat.table.sensitive.size,
        "_MOST_EFFORT": kernel_effort(threat.table, 0.3),
    }[limit]
    monkeypatch.setattr(certainty, limit, needed)
    certainties(threat, groups, parse_policy(PLAIN).requirements)
    monkeypatch.setattr(certainty, limit, needed - 1)
    with pytest.raises(TooLarge, match=r"bandwidth 0\.3"):
        certainties(threat, groups, parse_policy(PLAIN).requirements)
    certainties(threat, groups, parse_policy(ASKED).requirements)


def test_who_is_measured_already_is_not_inferred_again(monkeypatch: pytest.MonkeyPatch) -> None:
    threat, groups = grouped(80, 3, 16)
    several = {"bt_privacy": [{"bandwidth": 0.2, "t": 0.9}, {"bandwidth": 0.4, "t": 0.9}]}
    (item,) = requirements = parse_policy(several).requirements
    expected = certainties(threat, groups, requirements)
    asked = []

    def counted(some: Groups, *given: Any, **named: Any) -> Any:
        asked.append(len(some))
        return posterior(some, *given, **named)

    monkeypatch.setattr(disclosure, "posterior", counted)
    threat = ThreatModel(threat.table)
    item.measure(threat, groups, "auto")
    item.explain(threat, groups.select(np.array([0])), 0, "auto")
    assert certainties(threat, groups, requirements) == expected
    whole = len(groups)
    assert asked.count(whole) == 1
    # By another estimate, or of other groups, they are.
    certainties(threat, groups, requirements, "omega")
    assert asked.count(whole) == 2
    other = Groups.from_labels(groups.labels(len(threat.parts))[::-1])
    assert certainties(threat, other, requirements) == certainties(
        ThreatModel(threat.table), other, requirements
    )


@pytest.mark.parametrize("seed", range(4))
def test_weak_readers_are_sure_of_whom_equation_3_makes_them_sure(seed: int) -> None:
    """One who knows the shares alone believes the shares of the group, person by person."""
    threat, groups = grouped(80, seed, 24)
    found = weak_certainties(threat, groups, parse_policy(ASKED).requirements)
    assert [each.reader for each in found] == [
        {"kernel": "uniform"},
        {"only": "age", "bandwidth": 0.3},
        {"only": "town", "bandwidth": 0.3},
    ]
    shares, table = threat.parts.histograms(groups), threat.table.overall
    shares = shares / shares.sum(axis=1, keepdims=True)
    sizes = threat.parts.sizes(groups)
    sure = ((shares > 0.9 + 1e-9) & (table <= 0.5)).any(axis=1)
    assert (found[0].records, found[0].anyway) == (sizes[sure].sum(), 0)
    assert found[0].records > 0
    for each in found:
        asked: dict[str, Any] = {"bandwidth": each.reader, "rho1": 0.5, "rho2": 0.9}
        (demanded,) = parse_policy({"belief_breach": asked}).requirements
        (figures,) = demanded.measure(threat, groups, "exact").figures
        people = threat.parts.weights[groups.members]
        assert each.records == people[figures > 0.9 + 1e-9].sum()


def test_weak_readers_who_are_listed_are_not_counted_twice() -> None:
    threat, groups = grouped(80, 1, 24)
    asked: dict[str, Any] = {"bt_privacy": {"bandwidth": {"kernel": "uniform"}, "t": 0.9}}
    found = weak_certainties(threat, groups, parse_policy(asked).requirements)
    assert [each.reader["only"] for each in found] == ["age", "town"]


def test_of_many_quasi_identifiers_the_shares_alone_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threat, groups = grouped(80, 1, 24)
    monkeypatch.setattr(certainty, "_MOST_BELIEFS", threat.table.cells * 4)
    (only,) = weak_certainties(threat, groups, parse_policy(ASKED).requirements)
    assert only.reader == {"kernel": "uniform"}


def test_who_is_sure_by_the_shares_alone_is_told_apart() -> None:
    rows = ["well"] * 19 + ["ill"]
    threat = ThreatModel(as_table(by_age(*rows)))
    groups = Groups.from_labels(np.arange(20) // 10)
    asked: dict[str, Any] = {"bt_privacy": {"bandwidth": 0.01, "t": 0.9}}
    (count,) = certainties(threat, groups, parse_policy(asked).requirements)
    assert (count.anyway, count.by_shares) == (20, 20)
