"""Largest figures that there can be: by all pairs of values, and of all groups; and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import findings
from bkpriv_core.belief.distance import BeliefDistance, js_divergence
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import parse_policy
from bkpriv_core.requirement import check_binding
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.several import COLUMNS, Told, told
from tests.core.strategies import (
    MANY,
    SOME,
    as_domain,
    as_groups,
    as_table,
    attributes,
    by_age,
    partitions,
    smoothings,
    tables,
)


def surveyed(records: int = 4000) -> Table:
    """People of some ages, and a measure of hundreds of values, like a body mass index."""
    random = np.random.default_rng(7)
    measure = random.normal(28, 4, records).round(1)
    measure[:2] = 3, 60
    values, codes = np.unique(measure, return_inverse=True)
    ages, towns = random.integers(0, 60, records), random.integers(0, 4, records)
    table, _ = Table.from_rows(
        (
            Domain("age", tuple(map(str, range(60))), positions=np.arange(60.0), step=1.0),
            Domain("town", tuple("abcd")),
        ),
        Domain("bmi", tuple(map(str, values)), positions=values),
        np.column_stack((ages, towns, codes)),
        np.ones(records, dtype=np.int64),
    )
    return table


# --- the largest distance of beliefs --------------------------------------------------------------


@MANY
@given(attributes("s"), smoothings)
def test_it_is_the_largest_of_all_pairs_of_values(
    attribute: oracles.Attribute, smoothing: float | None
) -> None:
    size = len(attribute.values)
    corners = [[Fraction(int(one == other)) for other in range(size)] for one in range(size)]
    expected = max(
        (oracles.belief_distance(attribute, p, q, smoothing) for p, q in combinations(corners, 2)),
        default=0.0,
    )
    distance = BeliefDistance.over(as_domain(attribute), smoothing)
    assert distance.most(size) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("smoothing", [None, 0.25, 0.5, 0.75, 1.0])
def test_no_two_beliefs_are_farther_apart(smoothing: float | None) -> None:
    table = surveyed(600)
    domain, random = table.sensitive, np.random.default_rng(3)
    distance = BeliefDistance.over(domain, smoothing)
    # From spread beliefs to such as are nearly certain.
    shape = 10.0 ** random.uniform(-3, 1, (10_000, 1))
    beliefs = [random.standard_gamma(shape, (10_000, domain.size)) + 1e-300 for _ in range(2)]
    p, q = (each / each.sum(axis=1, keepdims=True) for each in beliefs)
    assert distance(p, q).max() <= distance.most(domain.size) + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_the_farthest_of_many_values_are_found_where_no_few_lead_to_them(seed: int) -> None:
    rows = np.random.default_rng(seed).dirichlet(np.full(8, 5.0), 60)
    largest = max(js_divergence(rows, row).max() for row in rows)
    assert BeliefDistance(rows).most(len(rows)) == pytest.approx(largest, abs=1e-12)


@SOME
@given(told(most=5), smoothings)
def test_of_several_columns_it_is_that_of_each(table: Told, smoothing: float | None) -> None:
    stated = {"bandwidth": 0.3, "t": 0.1}
    if smoothing is not None:
        stated["smoothing"] = smoothing
    policy = parse_policy({"bt_privacy": stated}).about(COLUMNS)
    most = policy.requirements[0].most(ThreatModel(table.table))
    for column, figure in zip(table.columns, most, strict=True):
        size = len(column.sensitive.values)
        corners = [[Fraction(int(one == other)) for other in range(size)] for one in range(size)]
        expected = max(
            (
                oracles.belief_distance(column.sensitive, p, q, smoothing)
                for p, q in combinations(corners, 2)
            ),
            default=0.0,
        )
        assert figure == pytest.approx(expected, abs=1e-12)


# --- of other requirements ------------------------------------------------------------------------


STATED: list[dict[str, Any]] = [
    {"max_disclosure": {"tau": 0.5}},
    {"t_closeness": {"t": 0.5}},
    {"t_closeness": {"t": 0.5, "ground": "ordered"}},
    {"t_closeness": {"t": 0.5, "ground": "hierarchical"}},
    {"beta_likeness": {"beta": 2}},
    {"beta_likeness": {"beta": 2, "variant": "enhanced"}},
    {"js_divergence": {"j": 0.5, "bandwidth": 0.5}},
    {"pair_divergence": {"theta": 0.5, "bandwidth": 0.5}},
    {"bt_privacy": {"bandwidth": 0.5, "t": 0.5}},
    {"belief_breach": {"bandwidth": 0.5, "rho1": 0.5, "rho2": 0.9}},
]


@pytest.mark.parametrize("stated", STATED, ids=str)
@SOME
@given(records=tables(min_records=2, max_records=7), data=st.data())
def test_no_group_has_a_larger_figure(
    stated: dict[str, Any], records: Records, data: st.DataObject
) -> None:
    cells = data.draw(partitions(len(records.cells())))
    if not cells:
        return
    threat = ThreatModel(as_table(records))
    (item,) = parse_policy(stated).requirements
    figures = item.measure(threat, as_groups(cells), "exact").figures
    (most,) = item.most(threat)
    assert figures.max() <= most + 1e-9


@pytest.mark.parametrize("stated", STATED[:6], ids=str)
@SOME
@given(records=tables(min_records=2, max_records=7, max_attributes=1))
def test_some_group_of_people_alike_has_it(stated: dict[str, Any], records: Records) -> None:
    """Requirements on shares attain it: by people of one value, wherever they are."""
    each = [(row[0], row[-1]) for row in records.rows]
    alone = oracles.Attribute("q", tuple(str(place) for place in range(len(each))))
    rows = tuple((str(place), value) for place, (_, value) in enumerate(each))
    apart = Records((alone,), records.sensitive, rows)
    threat = ThreatModel(as_table(apart))
    (item,) = parse_policy(stated).requirements
    groups = Groups.from_labels(np.arange(len(rows)))
    (most,) = item.most(threat)
    assert item.measure(threat, groups).figures.max() == pytest.approx(most, abs=1e-9)


# --- refused --------------------------------------------------------------------------------------


def test_a_distance_that_blends_nearly_all_is_refused_with_the_figure() -> None:
    """Case: the body mass index of 4,190 people, whose raw table kept .2 by a smoothing of .75."""
    threat = ThreatModel(surveyed())
    values = threat.table.sensitive.positions
    assert values is not None
    span = values[-1] - values[0]
    weights = 1 - (np.abs(values[:, None] - values) / span / 0.75) ** 2
    weights[np.abs(values[:, None] - values) / span >= 0.75] = 0.0
    images = (weights / weights.sum(axis=1, keepdims=True)).T
    images /= images.sum(axis=1, keepdims=True)
    largest = max(js_divergence(images, row).max() for row in images)

    def demanding(t: float, **beside: float) -> Any:
        stated = {"bt_privacy": {"bandwidth": 0.3, "t": t, **beside}}
        return parse_policy(stated).requirements

    with pytest.raises(InvalidParameter, match=r"bt_privacy .*smoothing.* cannot bind") as caught:
        check_binding(demanding(0.2, smoothing=0.75), threat)
    assert f"{largest:.6g}" in caught.value.detail
    assert largest < 0.2
    figure = float(caught.value.hint.split("below ")[1].split(",")[0])
    assert figure == pytest.approx(largest, rel=1e-5)
    check_binding(demanding(0.99 * figure, smoothing=0.75), threat)
    check_binding(demanding(0.2), threat)
    with pytest.raises(InvalidParameter, match="cannot bind"):
        check_binding(demanding(1.0), threat)


@pytest.mark.parametrize(
    ("stated", "most"),
    [
        ({"max_disclosure": {"tau": 1}}, 1.0),
        ({"t_closeness": {"t": 0.75}}, 0.75),
        ({"t_closeness": {"t": 0.9}}, 0.75),
        ({"beta_likeness": {"beta": 3}}, 3.0),
        ({"beta_likeness": {"beta": 30}}, 3.0),
        ({"js_divergence": {"j": 1, "bandwidth": 0.3}}, 1.0),
        ({"pair_divergence": {"theta": 1, "bandwidth": 0.3}}, 1.0),
        ({"bt_privacy": {"bandwidth": 0.3, "t": 1}}, 1.0),
        ({"belief_breach": {"bandwidth": 0.3, "rho1": 0.5, "rho2": 1}}, 1.0),
    ],
    ids=str,
)
def test_what_any_release_keeps_is_refused(stated: dict[str, Any], most: float) -> None:
    """A quarter of all have b."""
    threat = ThreatModel(as_table(by_age(*"aaabaaab")))
    requirements = parse_policy(stated).requirements
    with pytest.raises(InvalidParameter, match="cannot bind") as caught:
        check_binding(requirements, threat)
    assert f"{most:g}" in caught.value.detail
    assert caught.value.hint
    groups = Groups.whole(len(threat.parts))
    measured = [item.measure(threat, groups, "auto") for item in requirements]
    (row,) = findings(threat, groups, requirements, measured)
    assert row.most == pytest.approx(most)


@pytest.mark.parametrize(
    "stated",
    [
        {"k_anonymity": {"k": 1}},
        {"l_diversity": {"l": 2, "variant": "recursive", "c": 100}},
        {"ck_safety": {"c": 1, "k": 0}},
        {"max_disclosure": {"tau": 0.99}},
        {"t_closeness": {"t": 0.74}},
        {"beta_likeness": {"beta": 2.99}},
        {"js_divergence": {"j": 0.99, "bandwidth": 0.3}},
        {"bt_privacy": {"bandwidth": 0.3, "t": 0.99}},
    ],
    ids=str,
)
def test_what_may_bind_is_not(stated: dict[str, Any]) -> None:
    check_binding(parse_policy(stated).requirements, ThreatModel(as_table(by_age(*"aaabaaab"))))


def test_of_a_table_of_one_value_nothing_is_refused() -> None:
    policy = parse_policy({"bt_privacy": {"bandwidth": 0.3, "t": 0.2}, "t_closeness": {"t": 0.1}})
    check_binding(policy.requirements, ThreatModel(as_table(by_age(*"aaa"))))
    assert math.isinf(parse_policy({"k_anonymity": {"k": 2}}).requirements[0].most(
        ThreatModel(as_table(by_age(*"ab")))
    )[0])  # fmt: skip
