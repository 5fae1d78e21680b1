"""Requirements on several sensitive columns: each by itself, jointly, by enumeration of worlds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, Unsupported
from bkpriv_core.policy import parse_policy
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    LDiversity,
    MaxDisclosure,
    PairDivergence,
    Requirement,
    TCloseness,
)
from tests.core import oracles
from tests.core.oracles import Attribute
from tests.core.several import COLUMNS, Told, told, weighed
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    partitions,
)

ON_COUNTS: list[Requirement] = [
    LDiversity(2),
    LDiversity(1.5, "entropy"),
    LDiversity(2, "recursive", 2.0),
    MaxDisclosure(0.5),
    TCloseness(0.2),
    BetaLikeness(1.0),
    BetaLikeness(1.0, "enhanced"),
    CkSafety(0.8, 1),
    JsDivergence(0.3, 0.5),
    PairDivergence(0.3, (0.5,)),
]


@MANY
@given(told(), st.sampled_from(ON_COUNTS), st.data())
def test_by_itself_a_column_is_as_if_there_were_no_other(
    table: Told, requirement: Requirement, data: st.DataObject
) -> None:
    groups = as_groups(data.draw(partitions(table.table.cells)))
    if not len(groups):
        return
    threat = ThreatModel(table.table)
    by_column = requirement.about(COLUMNS, True)
    assert [one.bounds[0].parameters["sensitive"] for one in by_column] == list(COLUMNS)
    for one, records in zip(by_column, table.columns, strict=True):
        alone = ThreatModel(as_table(records))
        expected = requirement.measure(alone, groups).figures
        np.testing.assert_allclose(one.measure(threat, groups).figures, expected, atol=1e-9)
        np.testing.assert_array_equal(
            one.satisfied(threat, groups), requirement.satisfied(alone, groups)
        )
        shift = one.explain(threat, groups.select(np.array([0])))
        same = requirement.explain(alone, groups.select(np.array([0])))
        assert (shift is None) == (same is None)
        if shift is not None and same is not None:
            assert shift.before == pytest.approx(same.before, abs=1e-9)
            assert shift.after == pytest.approx(same.after, abs=1e-9)
            value = alone.table.sensitive.labels[same.value]
            label = shift.label(table.table.sensitive)
            assert label is not None
            assert json.loads(label) == {records.sensitive.name: value}


@MANY
@given(told(), st.sampled_from(ON_COUNTS), st.data())
def test_jointly_combinations_are_values(
    table: Told, requirement: Requirement, data: st.DataObject
) -> None:
    groups = as_groups(data.draw(partitions(table.table.cells)))
    stated = {**_stated(requirement), "joint": True}
    (joint,) = type(requirement).parse(stated).about(COLUMNS, True)
    assert joint.bounds[0].parameters["joint"] is True
    expected = requirement.measure(ThreatModel(as_table(table.joint)), groups).figures
    measured = joint.measure(ThreatModel(table.table), groups).figures
    np.testing.assert_allclose(measured, expected, atol=1e-9)


def _stated(requirement: Requirement) -> dict[str, Any]:
    known = {"l", "variant", "c", "tau", "t", "beta", "k", "j", "theta", "bandwidth"}
    stated = {key: getattr(requirement, key) for key in known if hasattr(requirement, key)}
    if isinstance(stated.get("bandwidth"), tuple):
        stated["bandwidth"] = list(stated["bandwidth"])
    return {key: value for key, value in stated.items() if value is not None}


@SOME
@given(told(most=6), bandwidths, st.data())
def test_beliefs_by_enumeration_of_all_worlds(
    table: Told, bandwidth: float, data: st.DataObject
) -> None:
    """Every way in which a group's rows may belong to its records is weighed by the priors."""
    cells = data.draw(partitions(table.table.cells))
    if not cells:
        return
    known = len(table.joint.attributes)
    prior = oracles.rounded(oracles.priors(table.joint, [bandwidth] * known))
    skyline = [
        {"bandwidth": bandwidth, "t": 0.1},
        {"bandwidth": bandwidth, "t": 0.2, "joint": True, "smoothing": 0.75},
        {"bandwidth": bandwidth, "t": 0.3, "sensitive": "s2"},
    ]
    (requirement,) = BtPrivacy.parse(skyline).about(COLUMNS, True)
    assert [bound.parameters for bound in requirement.bounds] == [
        {"bandwidth": bandwidth, "t": 0.1, "sensitive": "s1"},
        {"bandwidth": bandwidth, "t": 0.1, "sensitive": "s2"},
        {"bandwidth": bandwidth, "t": 0.2, "joint": True, "smoothing": 0.75},
        {"bandwidth": bandwidth, "t": 0.3, "sensitive": "s2"},
    ]
    threat = ThreatModel(table.table)
    groups = as_groups(cells)
    measured = requirement.measure(threat, groups, "exact").figures
    expected: list[list[float]] = [[], [], [], []]
    moves: list[dict[int, list[tuple[float, float]]]] = [{}, {}]
    for number, before, after in weighed(table.joint, prior, cells):
        for column, records in enumerate(table.columns):
            one, other = table.marginal(before, column), table.marginal(after, column)
            expected[column].append(oracles.belief_distance(records.sensitive, one, other))
            moves[column].setdefault(number, []).append(
                max(
                    ((float(p), float(q)) for p, q in zip(one, other, strict=True)),
                    key=lambda pair: abs(pair[0] - pair[1]),
                )
            )
        smoothed = table.smooth(before, 0.75), table.smooth(after, 0.75)
        expected[2].append(oracles.js_divergence(*smoothed))
    expected[3] = expected[1]
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-7)
    for bound in range(2):
        shift = requirement.explain(threat, groups.select(np.array([0])), bound, "exact")
        most = max(abs(p - q) for p, q in moves[bound][0])
        assert abs(shift.after - shift.before) <= most + 1e-9
        assert shift.aspect is not None
        assert shift.aspect.column == COLUMNS[bound]


@SOME
@given(told(most=6), bandwidths, st.data())
def test_disclosure_at_large_is_that_about_the_column_of_which_most_is_learned(
    table: Told, bandwidth: float, data: st.DataObject
) -> None:
    cells = data.draw(partitions(table.table.cells))
    if not cells:
        return
    threat, groups = ThreatModel(table.table), as_groups(cells)
    (requirement,) = BtPrivacy(((bandwidth, 0.1),)).about(COLUMNS, True)
    by_column = requirement.measure(threat, groups, "exact").figures
    adversaries = threat.adversaries([bandwidth])
    (at_large,) = adversaries.disclosure(groups, "exact").figures
    np.testing.assert_allclose(at_large, by_column.max(axis=0), atol=1e-12)
    most = adversaries.explain(groups, "exact")
    for place, group in enumerate(groups):
        figures = by_column[:, groups.owner == place]
        assert most.figures[place] == pytest.approx(figures.max(), abs=1e-12)
        assert most.members[place] in np.flatnonzero(groups.owner == place)
        aspect = most.aspects[place]
        assert aspect is not None
        column = COLUMNS.index(aspect.column)
        assert figures[column].max() == pytest.approx(figures.max(), abs=1e-9)
        assert len(group) == figures.shape[1]


def test_parts_of_cells_see_what_the_cells_see() -> None:
    sensitive = [Attribute("s1", ("a", "b")), Attribute("s2", ("x", "y"))]
    rows = [("0", "a", "x"), ("0", "b", "x"), ("1", "a", "y"), ("1", "b", "y")]
    table = Told([Attribute("q", ("0", "1"))], sensitive, rows)
    apart = ThreatModel(table.table).over(ThreatModel(table.table).parts.apart())
    with pytest.raises(ValueError, match="one table"):
        ThreatModel(as_table(table.joint)).over(apart.parts)
    whole = ThreatModel(table.table)
    records = whole.over(whole.parts.apart())
    np.testing.assert_array_equal(records.seen("s2").parts.counts, [[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_allclose(
        records.seen("s1").prior(1.0), whole.seen("s1").prior(1.0)[[0, 0, 1, 1]]
    )


@pytest.mark.parametrize(
    "policy", [{"l_diversity": {"l": 2}}, {"bt_privacy": {"bandwidth": 0.3, "t": 0.2}}], ids=str
)
def test_it_must_be_settled_which_column_is_meant(policy: dict[str, Any]) -> None:
    sensitive = [Attribute("s1", ("a", "b")), Attribute("s2", ("x", "y"))]
    table = Told([Attribute("q", ("0",))], sensitive, [("0", "a", "x"), ("0", "b", "y")])
    (requirement,) = parse_policy(policy).requirements
    with pytest.raises(ValueError, match="not settled which"):
        requirement.measure(ThreatModel(table.table), as_groups([[0]]))


# --- What is stated -------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [("s1",), COLUMNS])
def test_a_column_that_there_is_not_is_refused(columns: tuple[str, ...]) -> None:
    for policy in (
        {"l_diversity": {"l": 2, "sensitive": "s3"}},
        {"bt_privacy": [{"bandwidth": 0.3, "t": 0.2, "sensitive": "s3"}]},
    ):
        with pytest.raises(InvalidParameter, match='"s3", which is no sensitive column') as error:
            parse_policy(policy).about(columns)
        assert ", ".join(columns) in error.value.hint


@pytest.mark.parametrize(
    ("key", "stated"),
    [("max_disclosure", {"tau": 0.5}), ("l_diversity", {"l": 2}), ("bt_privacy", {"t": 0.2})],
)
def test_one_column_and_all_jointly_is_refused_of_whichever_columns(
    key: str, stated: dict[str, Any]
) -> None:
    both: dict[str, Any] = {"bandwidth": 0.3} if key == "bt_privacy" else {}
    both |= {**stated, "sensitive": "s1", "joint": True}
    said = f"{key} is to be about one column and about all jointly"
    with pytest.raises(InvalidParameter, match=said) as error:
        parse_policy({key: both})
    assert 'sensitive is "s1"' in error.value.detail


def test_of_one_column_the_keys_change_nothing() -> None:
    plain: dict[str, Any] = {
        "k_anonymity": {"k": 2},
        "l_diversity": {"l": 2},
        "t_closeness": {"t": 0.2},
        "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}],
    }
    for more in ({"joint": True}, {"sensitive": "s1"}, {"joint": False}):
        stated: dict[str, Any] = {
            key: [{**item, **more} for item in value] if isinstance(value, list) else value | more
            for key, value in plain.items()
            if key != "k_anonymity"
        }
        policy = parse_policy({**stated, "k_anonymity": {"k": 2}})
        assert policy.about(("s1",)) == parse_policy(plain).about(("s1",)) == parse_policy(plain)


def test_persons_are_counted_whatever_is_told_of_them() -> None:
    with pytest.raises(InvalidParameter, match='k_anonymity has no key "joint"'):
        parse_policy({"k_anonymity": {"k": 2, "joint": True}})
    policy = parse_policy({"k_anonymity": {"k": 2}, "max_disclosure": {"tau": 0.5}}).about(COLUMNS)
    assert [(r.key, r.bounds[0].parameters) for r in policy.requirements] == [
        ("k_anonymity", {"k": 2}),
        ("max_disclosure", {"tau": 0.5, "sensitive": "s1"}),
        ("max_disclosure", {"tau": 0.5, "sensitive": "s2"}),
    ]


def test_signatures_are_of_one_column() -> None:
    with pytest.raises(Unsupported, match="m_invariance is not defined for the sensitive columns"):
        parse_policy({"m_invariance": {"m": 2}}).about(COLUMNS)


@pytest.mark.parametrize("ground", ["ordered", "hierarchical"])
def test_combinations_have_no_order_and_no_hierarchy(ground: str) -> None:
    sensitive = [Attribute("s1", ("a", "b")), Attribute("s2", ("x", "y"))]
    table = Told([Attribute("q", ("0",))], sensitive, [("0", "a", "x"), ("0", "b", "y")])
    policy = parse_policy({"t_closeness": {"t": 0.2, "ground": ground, "joint": True}})
    (requirement,) = policy.about(COLUMNS).requirements
    with pytest.raises(InvalidParameter, match=f"the {ground} ground of t_closeness"):
        requirement.measure(ThreatModel(table.table), as_groups([[0]]))
