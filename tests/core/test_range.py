"""Ranges of bandwidths: a short way to list adversaries, who are as if listed one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import Finding, findings
from bkpriv_core.belief.knowledge import (
    Bandwidths,
    Remembered,
    parse_knowledge,
    resolve_knowledge,
    state_knowledge,
)
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import certainties
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import SOME, as_table, record_groups, smoothings, tables

WIDE = {"from": 0.2, "to": 1.5, "points": 4}


def by_hand(start: float, stop: float, points: int = 5) -> list[float]:
    """Bandwidths of a range: each as many times the one before it."""
    ratio = (stop / start) ** (1 / (points - 1))
    return [start * ratio**place for place in range(points)]


# --- stated ---------------------------------------------------------------------------------------


def test_a_range_is_read_and_stated_again() -> None:
    for stated in (WIDE, {"points": 2, "to": 0.5, "from": 0.2}):
        parsed = parse_knowledge(stated)
        assert parsed == Bandwidths(stated["from"], stated["to"], int(stated["points"]))
        assert state_knowledge(parsed) == stated
    assert parse_knowledge({"from": 0.2, "to": 2}) == Bandwidths(0.2, 2.0, 5)
    wide = {"sequence": "s", "bandwidth": WIDE}
    assert parse_knowledge(wide) == Remembered("s", Bandwidths(0.2, 1.5, 4))
    # Attributes may be called so.
    for stated in ({"from": 0.2, "age": 0.3}, {"points": 0.3}):
        assert parse_knowledge(stated) == stated


@given(st.floats(1e-3, 1e3), st.floats(1.001, 1e3), st.integers(2, 100))
def test_its_bandwidths_are_geometric_with_both_ends(
    start: float, ratio: float, points: int
) -> None:
    each = Bandwidths(start, start * ratio, points).each
    assert (each[0], each[-1], len(each)) == (start, start * ratio, points)
    assert each == pytest.approx(by_hand(start, start * ratio, points))
    assert list(each) == sorted(set(each))


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({"from": 0.5, "to": 0.2}, "from of a range of bandwidths is 0.5"),
        ({"from": 0.5, "to": 0.5}, "from of a range of bandwidths is 0.5"),
        ({"from": 0, "to": 0.5}, "from of bandwidth"),
        ({"from": -1, "to": 0.5}, "from of bandwidth"),
        ({"from": 0.2}, '"to"'),
        ({"to": 0.2, "points": 3}, '"from"'),
        ({"from": 0.2, "to": "x"}, "to of bandwidth"),
        ({"from": {"age": 0.2}, "to": {"age": 0.4}}, "from of bandwidth"),
        *(
            ({"from": 0.2, "to": 0.5, "points": points}, "points of bandwidth")
            for points in (1, 0, -5, 101, 2.5, "5", None, True, [3])
        ),
    ],
)
@pytest.mark.parametrize("key", ["bt_privacy", "belief_breach"])
def test_what_is_no_range_is_refused(key: str, stated: Any, named: str) -> None:
    bound = {"t": 0.2} if key == "bt_privacy" else {"rho1": 0.5, "rho2": 0.9}
    with pytest.raises(InvalidParameter) as caught:
        parse_policy({key: {"bandwidth": stated, **bound}})
    assert named in caught.value.message
    assert caught.value.hint


def test_one_prior_is_that_of_one_adversary() -> None:
    for knowledge in (Bandwidths(0.2, 0.5), Remembered("s", Bandwidths(0.2, 0.5))):
        with pytest.raises(InvalidParameter, match=r"from 0.2 to 0.5 are many adversaries"):
            resolve_knowledge(knowledge, ("age",))


def listed(policy: dict[str, Any]) -> dict[str, Any]:
    """A policy with the bandwidths of ranges one by one."""

    def each(stated: Any) -> list[Any]:
        if isinstance(stated, dict) and "from" in stated:
            return [*Bandwidths(stated["from"], stated["to"], stated.get("points", 5)).each]
        return [stated]

    found = dict(policy)
    for key in ("bt_privacy", "belief_breach"):
        if key in policy:
            items = policy[key] if isinstance(policy[key], list) else [policy[key]]
            found[key] = [
                {**item, "bandwidth": one} for item in items for one in each(item["bandwidth"])
            ]
    if "pair_divergence" in policy:
        stated = policy["pair_divergence"]
        several = stated["bandwidth"]
        several = several if isinstance(several, list) else [several]
        several = [one for item in several for one in each(item)]
        found["pair_divergence"] = {**stated, "bandwidth": several}
    return found


EVERYWHERE: dict[str, Any] = {
    "bt_privacy": [
        {"bandwidth": 0.3, "t": 0.1},
        {"bandwidth": WIDE, "t": 0.2, "smoothing": 0.5},
        {"bandwidth": {"from": 0.1, "to": 0.2}, "t": 0.4, "sensitive": "a"},
    ],
    "belief_breach": [
        {"bandwidth": WIDE, "rho1": 0.5, "rho2": 0.9},
        {"bandwidth": 0.3, "rho1": 0.4, "rho2": 0.8, "sensitive": "b"},
    ],
    "pair_divergence": {"theta": 0.5, "bandwidth": [WIDE, {"age": 0.3}]},
}


def test_a_policy_with_a_range_is_the_policy_that_lists_its_bandwidths() -> None:
    assert len(listed(EVERYWHERE)["bt_privacy"]) == 10
    ranged, one_by_one = (parse_policy(each) for each in (EVERYWHERE, listed(EVERYWHERE)))
    assert ranged.requirements[:2] == one_by_one.requirements[:2]
    for mine, theirs in zip(ranged.requirements, one_by_one.requirements, strict=True):
        assert mine.bounds == theirs.bounds
        assert mine.knowledge == theirs.knowledge


# --- measured -------------------------------------------------------------------------------------


@SOME
@given(tables(max_records=6), st.integers(2, 4), smoothings)
def test_each_bandwidth_has_a_figure(
    records: Records, points: int, smoothing: float | None
) -> None:
    table = as_table(records)
    threat, groups = ThreatModel(table), Groups.whole(table.cells)
    stated: dict[str, Any] = {"bandwidth": {"from": 0.1, "to": 1.5, "points": points}, "t": 0.5}
    if smoothing is not None:
        stated["smoothing"] = smoothing
    (demanded,) = parse_policy({"bt_privacy": stated}).requirements
    (group,) = record_groups(records, groups)

    def told(width: float) -> float:
        beliefs = oracles.priors(records, [width] * len(records.attributes))
        every = oracles.disclosures(records, beliefs, group, smoothing, "exact")
        return float(np.array(every).max())

    expected = [told(width) for width in by_hand(0.1, 1.5, points)]
    rows = findings(
        threat, groups, [demanded], [demanded.measure(threat, groups, "exact")], "exact"
    )
    assert [row.worst for row in rows] == pytest.approx(expected, abs=1e-9)
    widths = [row.parameters["bandwidth"] for row in rows]
    assert widths == pytest.approx(by_hand(0.1, 1.5, points))


# --- met ------------------------------------------------------------------------------------------


def people(records: int, seed: int) -> Table:
    """People of thirty ages and two towns, whose values depend on both."""
    random = np.random.default_rng(seed)
    ages, towns = random.integers(0, 30, records), random.integers(0, 2, records)
    values = np.clip(random.normal(ages * 0.1 + towns * 0.4, 0.9).round(), 0, 3).astype(int)
    table, _ = Table.from_rows(
        (
            Domain("age", tuple(map(str, range(30))), positions=np.arange(30.0), step=1.0),
            Domain("town", ("a", "b")),
        ),
        Domain("value", tuple("wxyz")),
        np.column_stack((ages, towns, values)),
        np.ones(records, dtype=np.int64),
    )
    return table


BESIDE: dict[str, Any] = {
    "l_diversity": {"l": 2},
    "beta_likeness": {"beta": 6},
    "js_divergence": {"j": 1, "bandwidth": 0.5},
    "pair_divergence": {"theta": 1, "bandwidth": 0.5},
}


@pytest.mark.parametrize("name", sorted(GROUP_METHODS))
def test_every_method_publishes_as_if_the_bandwidths_were_listed(name: str) -> None:
    table, method = people(160, 4), GROUP_METHODS[name]
    options = method.options()
    policy = {
        "k_anonymity": {"k": 3},
        "bt_privacy": [{"bandwidth": WIDE, "t": 0.25}, {"bandwidth": 0.3, "t": 0.3}],
        "belief_breach": {"bandwidth": {"from": 0.2, "to": 0.4}, "rho1": 0.5, "rho2": 0.95},
        **BESIDE,
    }
    if method.needs:  # Then it forms groups by what the policy states elsewhere.
        del policy["pair_divergence"]

    def made(stated: dict[str, Any]) -> tuple[Release, list[Finding], list[Any]]:
        requirements = parse_policy(method.demands(stated, options)).requirements
        release, rows, _ = method.make(
            Job(ThreatModel(table), requirements, options, SeededChance(2), SILENT)
        )
        threat = ThreatModel(table).over(release.parts)
        return release, rows, certainties(threat, release.groups, requirements)

    release, rows, sure = made(policy)
    other, same_rows, same_sure = made(listed(policy))
    np.testing.assert_array_equal(release.groups.members, other.groups.members)
    np.testing.assert_array_equal(release.groups.offsets, other.groups.offsets)
    assert rows == same_rows
    assert sure == same_sure
    assert all(row.satisfied for row in rows)
    stated = [row.parameters["bandwidth"] for row in rows if row.requirement == "bt_privacy"]
    assert stated == pytest.approx([*by_hand(0.2, 1.5, 4), 0.3])
