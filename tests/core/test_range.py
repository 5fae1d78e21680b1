"""Ranges of bandwidths: stated, measured, and every adversary of them kept to the bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import findings
from bkpriv_core.belief import ranging
from bkpriv_core.belief.knowledge import (
    GRID,
    Between,
    Remembered,
    parse_knowledge,
    resolve_knowledge,
    state_knowledge,
)
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, TooLarge, UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import BtPrivacy, KAnonymity, Regard, Requirement, belief
from bkpriv_core.requirement.sampling import Sample
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from bkpriv_core.together.companion import companion
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import SOME, as_table, record_groups, smoothings, tables
from tests.core.together_releases import Shown, histories, joint_of

WIDE = {"from": 0.2, "to": 1.5}


def grid(start: float, stop: float) -> list[float]:
    """The bandwidths that are computed first, by hand."""
    return [start * (stop / start) ** (place / 16) for place in range(17)]


def near_reach(table: Table, start: float, stop: float) -> list[float]:
    """Bandwidths just beyond those at which another cell comes into reach."""
    apart = np.unique(np.concatenate([item.distances.ravel() for item in table.quasi_identifiers]))
    shortly = np.concatenate([apart * (1 + by) for by in (1e-4, 1e-3, 1e-2, 3e-2)])
    return [float(each) for each in shortly if start < each < stop]


# --- stated ---------------------------------------------------------------------------------------


def test_a_range_is_read_and_stated_again() -> None:
    for stated in (WIDE, {"to": 0.5, "from": 0.2}, {"from": 0.2, "to": 2}):
        parsed = parse_knowledge(stated)
        assert parsed == Between(stated["from"], stated["to"])
        assert state_knowledge(parsed) == stated
    assert parse_knowledge({"sequence": "s", "bandwidth": WIDE}) == Remembered(
        "s", Between(0.2, 1.5)
    )
    # An attribute may be called so, beside others.
    assert parse_knowledge({"from": 0.2, "age": 0.3}) == {"from": 0.2, "age": 0.3}


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({"from": 0.5, "to": 0.2}, "from 0.5 to 0.2"),
        ({"from": 0.5, "to": 0.5}, "from 0.5 to 0.5"),
        ({"from": 0, "to": 0.5}, "from of bandwidth"),
        ({"from": -1, "to": 0.5}, "from of bandwidth"),
        ({"from": 0.2}, '"to"'),
        ({"to": 0.2}, '"from"'),
        ({"from": 0.2, "to": "x"}, "to of bandwidth"),
        ({"from": {"age": 0.2}, "to": {"age": 0.4}}, "from of bandwidth"),
    ],
)
def test_what_is_no_range_is_refused(stated: Any, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_policy({"bt_privacy": {"bandwidth": stated, "t": 0.2}})
    assert named in caught.value.message
    assert caught.value.hint


def test_one_prior_is_that_of_one_adversary() -> None:
    for knowledge in (Between(0.2, 0.5), Remembered("s", Between(0.2, 0.5))):
        with pytest.raises(InvalidParameter, match=r"from 0.2 to 0.5 are many adversaries"):
            resolve_knowledge(knowledge, ("age",))


def test_the_bound_is_about_the_whole_range() -> None:
    demanded = BtPrivacy(((Between(0.2, 0.5), 0.2), (0.3, 0.1)))
    ranged, plain = demanded.bounds
    assert ranged.parameters == {"bandwidth": {"from": 0.2, "to": 0.5}, "t": 0.2}
    assert plain.parameters == {"bandwidth": 0.3, "t": 0.1}
    assert demanded.knowledge == pytest.approx((*grid(0.2, 0.5), 0.3))
    assert demanded.knowledge[0] == 0.2
    assert demanded.knowledge[GRID - 1] == 0.5


# --- measured -------------------------------------------------------------------------------------


@SOME
@given(tables(max_records=6), st.floats(0.01, 0.5), smoothings)
def test_what_keeps_the_bound_keeps_it_at_any_bandwidth(
    records: Records, t: float, smoothing: float | None
) -> None:
    table = as_table(records)
    setting, groups = Setting(table), Groups.whole(table.cells)
    start, stop = 0.1, 1.5
    regards = (Regard(smoothing=smoothing),) * 3
    skyline = ((0.4, 0.1), (Between(start, stop), t), (Between(0.1, 0.3), 1.0))
    demanded = BtPrivacy(skyline, regards)
    measured = demanded.measure(setting, groups, "exact")
    (group,) = record_groups(records, groups)

    def told(width: float) -> float:
        beliefs = oracles.priors(records, [width] * len(records.attributes))
        every = oracles.disclosures(records, beliefs, group, smoothing, "exact")
        return float(np.array(every).max())

    figures = measured.figures.max(axis=1)
    assert figures[0] == pytest.approx(told(0.4), abs=1e-9)
    assert figures[1] >= max(map(told, grid(start, stop))) - 1e-9
    assert figures[2] >= max(map(told, grid(0.1, 0.3))) - 1e-9
    if figures[1] <= t:
        several = [*np.geomspace(start, stop, 40).tolist(), *near_reach(table, start, stop)]
        assert max(map(told, several)) <= t + 1e-9
    ranged = measured.ranged
    assert ranged is not None
    assert ranged[0] is None
    assert ranged[1] is not None
    if ranged[1].shown.all():
        where = float(ranged[1].where[0, 0])
        assert told(where) == pytest.approx(figures[1], abs=1e-9)
        alone = BtPrivacy(((where, t),), regards[:1]).explain(setting, groups, 0, "exact")
        assert demanded.explain(setting, groups, 1, "exact") == alone


@SOME
@given(histories(most_records=5, most_values=3, most=2))
def test_releases_together_tell_as_much_as_to_the_one_they_tell_most(
    releases: list[Shown],
) -> None:
    demanded = BtPrivacy(((0.4, 0.1), (Between(0.2, 1.5), 0.2)))
    joint = joint_of(releases, [demanded])
    figures, each = companion(demanded).figures(joint), companion(demanded.each).figures(joint)
    np.testing.assert_array_equal(figures, [each[0], each[1:].max(axis=0)])
    row = int(figures[1].argmax())
    persons = joint.persons[[row]]
    blamed = companion(demanded).blamed(joint, 1, persons)
    expected = companion(demanded.each).blamed(joint, 1 + int(each[1:, row].argmax()), persons)
    assert blamed == expected


def test_what_does_not_fit_in_memory_is_refused_before_it_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = people(100, 1)
    setting, whole = Setting(table), Groups.whole(table.cells)
    demanded = BtPrivacy(((Between(0.2, 0.5), 0.2),))
    monkeypatch.setattr(belief, "_MOST_BELIEFS", 32 * table.counts.size - 1)
    monkeypatch.setattr(Setting, "disclosed_between", None)
    with pytest.raises(TooLarge, match="32 adversaries"):
        demanded.measure(setting, whole)
    with pytest.raises(TooLarge):
        demanded.explain(setting, whole)


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
def test_in_every_method_every_adversary_of_the_range_is_kept_to_t(name: str) -> None:
    table, t = people(160, 4), 0.25
    method = GROUP_METHODS[name]
    policy = {
        "k_anonymity": {"k": 3},
        "bt_privacy": [{"bandwidth": WIDE, "t": t}, {"bandwidth": 0.3, "t": 0.3}],
        **BESIDE,
    }
    requirements = parse_policy(policy).requirements
    made, rows, _ = method.make(
        Job(Setting(table), requirements, method.options(), SeededChance(2), SILENT)
    )
    setting = Setting(table).over(made.parts)
    worst = [
        float(BtPrivacy(((width, t),)).measure(setting, made.groups, "auto").figures.max())
        for width in (*grid(0.2, 1.5), *np.geomspace(0.2, 1.5, 60), *near_reach(table, 0.2, 1.5))
    ]
    assert max(worst) <= t + 1e-9
    (row,) = [row for row in rows if "between" in row.parameters]
    assert row.satisfied
    assert row.parameters["between"] == "bounded"
    assert row.parameters["points"] >= GRID
    assert max(worst[:17]) - 1e-9 <= row.worst <= t
    assert len([row for row in rows if row.requirement == "bt_privacy"]) == 2


def few(seed: int) -> Table:
    """A table of 15 to 60 people, most of some age alone."""
    random = np.random.default_rng(seed)
    records = int(random.integers(15, 61))
    ages, towns = random.integers(0, 40, records), random.integers(0, 2, records)
    values = random.choice(3, records, p=(0.5, 0.35, 0.15))
    age, codes = np.unique(ages, return_inverse=True)
    table, _ = Table.from_rows(
        (
            Domain("age", tuple(map(str, age)), positions=age.astype(float), step=1.0),
            Domain("town", ("a", "b")),
        ),
        Domain("value", tuple("xyz")),
        np.column_stack((codes, towns, values)),
        np.ones(records, dtype=np.int64),
    )
    return table


@pytest.mark.parametrize(("seed", "t"), [(13, 0.08), (14, 0.12), (15, 0.05), (16, 0.08)])
def test_nobody_between_the_points_is_told_more(seed: int, t: float) -> None:
    """Keeping 33 bandwidths only would break t, for the first two tables, at others between."""
    table, method = few(seed), GROUP_METHODS["mondrian"]
    demanded = (KAnonymity(2), BtPrivacy(((Between(0.1, 2.0), t),)))
    made, rows, _ = method.make(
        Job(Setting(table), demanded, method.options(), SeededChance(2), SILENT)
    )
    assert rows[-1].satisfied
    widths = [*np.geomspace(0.1, 2.0, 400).tolist(), *near_reach(table, 0.1, 2.0)]
    for width in widths:
        told = BtPrivacy(((width, t),)).measure(
            Setting(table).over(made.parts), made.groups, "exact"
        )
        assert told.figures.max() <= t + 1e-9, width


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_well_below_t_is_shown_to_be(seed: int) -> None:
    """Also where all people of another town come into reach at once, at B = 1."""
    table = few(seed)
    setting, groups = Setting(table), Groups.whole(table.cells)
    grid_only = BtPrivacy(((Between(0.1, 2.0), 1.0),)).sampled.measure(setting, groups, "auto")
    t = 1.2 * float(grid_only.figures.max()) + 0.02
    (ranged,) = BtPrivacy(((Between(0.1, 2.0), t),)).measure(setting, groups, "auto").ranged or ()
    assert ranged is not None
    assert ranged.shown.all()
    assert ranged.figures.max() <= t
    assert ranged.points[0] < 1000


def test_what_is_not_shown_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranging, "_HALVINGS", 0)
    table = few(13)
    setting, groups = Setting(table), Groups.from_labels(np.arange(table.cells) // 4)
    widths = grid(0.1, 2.0)
    told = np.max(
        [BtPrivacy(((width, 1.0),)).measure(setting, groups, "exact").figures for width in widths],
        axis=0,
    )
    t = float(told.max()) + 1e-4
    demanded = BtPrivacy(((Between(0.1, 2.0), t),))
    measured = demanded.measure(setting, groups, "exact")
    (row,) = findings(setting, groups, [demanded], [measured], "exact")
    assert not row.satisfied
    assert row.vulnerable
    assert row.worst > t
    assert row.parameters["points"] == GRID
    assert row.parameters["between"].startswith("not shown for ")
    assert row.estimator.startswith("exact, but between bandwidths an estimate for ")
    assert demanded.sampled.measure(setting, groups, "exact").figures.max() < t


def test_a_sample_is_widened_by_whom_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends and the middle of some table allow groups that tell too much to somebody between."""
    method = GROUP_METHODS["mondrian"]
    demanded = (KAnonymity(2), BtPrivacy(((Between(0.05, 1.9), 0.12),)))
    sizes: list[int] = []
    real = Sample.widened

    def widened(self: Sample, *arguments: Any, **named: Any) -> Any:
        _, asked = self.requirements
        assert isinstance(asked, BtPrivacy)
        sizes.append(len(asked.skyline))
        return real(self, *arguments, **named)

    monkeypatch.setattr(Sample, "widened", widened)
    for seed in range(20):
        sizes.clear()
        try:
            _, rows, _ = method.make(
                Job(Setting(people(80, seed)), demanded, method.options(), SeededChance(1), SILENT)
            )
        except UnattainableRequirement:
            continue
        assert sizes[0] == 3
        assert sizes == sorted(set(sizes))
        assert rows[-1].satisfied
        if len(sizes) > 1:
            return
    raise AssertionError("no table needed more than three bandwidths")


def test_requirements_without_a_range_are_the_same_objects() -> None:
    demanded: list[Requirement] = [KAnonymity(2), BtPrivacy(((0.3, 0.2),))]
    sample = Sample(demanded)
    assert [*map(id, sample.requirements)] == [*map(id, demanded)]
    setting = Setting(people(20, 1))
    whole = Groups.whole(setting.table.cells)
    measured = [item.measure(setting, whole) for item in demanded]
    found = sample.widened(setting, whole, measured, "omega", SILENT)
    assert found is not None
    assert [*map(id, found)] == [*map(id, measured)]


def test_the_whole_grid_may_be_asked_from_the_start() -> None:
    demanded = [KAnonymity(2), BtPrivacy(((Between(0.2, 0.5), 0.2),))]
    _, asked = Sample(demanded, whole=True).requirements
    assert isinstance(asked, BtPrivacy)
    assert [width for width, _ in asked.skyline] == pytest.approx(grid(0.2, 0.5))
