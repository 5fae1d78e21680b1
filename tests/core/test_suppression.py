"""Reasons why records were left out, against every try, enumerated record by record."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core import suppression
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import boxing
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form, Release
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)
from bkpriv_core.suppression import Kind, explain_suppression
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.notation import extents_json
from bkpriv_core.table.parts import Parts
from tests.core import oracles, requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    SOME,
    as_groups,
    as_table,
    partitions,
    records_of,
    tables,
)

Bounded = tuple[str, float, bool, Callable[[Group], float]]
"""Name of a requirement, its threshold, whether it is an upper one, and the figure of a group."""


def policy(records: Records, k: int, t: float) -> tuple[list[Requirement], list[Bounded]]:
    """Requirements, and the same as what their oracles say."""
    (known,) = BtPrivacy.parse({"bandwidth": 0.5, "t": t}).skyline
    priors = oracles.rounded(oracles.priors(records, [0.5] * len(records.attributes)))
    bounds: list[Bounded] = [
        ("k_anonymity", k, False, len),
        (
            "l_diversity",
            2,
            False,
            lambda group: requirement_oracles.distinct_diversity(records, group),
        ),
        (
            "t_closeness",
            t,
            True,
            lambda group: float(oracles.closeness(records, group, "equal")),
        ),
        (
            "bt_privacy",
            t,
            True,
            lambda group: max(oracles.disclosures(records, priors, group, None, "exact")),
        ),
    ]
    stated = [KAnonymity(k), LDiversity(2), TCloseness(t, "equal"), BtPrivacy((known,))]
    return stated, bounds


def excess(bounded: Bounded, group: Group) -> float:
    _, threshold, upper, figure = bounded
    beyond = figure(group) - threshold
    return (beyond if upper else -beyond) / threshold


def release_of(
    records: Records, lists: Sequence[Sequence[int]], form: Form | None = None
) -> Release:
    return Release(Parts.of(as_table(records)), as_groups(lists), form or Generalized())


def kinds_of(
    release: Release,
    requirements: Sequence[Requirement],
    *,
    most: int = 1000,
    near: int = 1000,
    narrow: float = 0.0,
) -> list[Kind]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression, "_NEAR", near)
        patch.setattr(boxing, "_NARROW", narrow)
        threat = ThreatModel(release.parts)
        return explain_suppression(release, threat, requirements, "auto", most)


def cells_of(records: Records, kind: Kind, left_out: Sequence[int]) -> list[int]:
    """Suppressed cells in the box of a kind."""
    places = as_table(records).places
    return [
        cell
        for cell in left_out
        if (kind.low <= places[cell]).all() and (places[cell] <= kind.high).all()
    ]


@SOME
@given(tables(max_records=7), st.integers(1, 4), st.floats(0.05, 0.9), st.data())
def test_the_bound_in_the_way_is_that_of_the_best_of_all_tries(
    records: Records, k: int, t: float, data: st.DataObject
) -> None:
    requirements, bounds = policy(records, k, t)
    cells = len(records.cells())
    lists = data.draw(partitions(cells, suppress=True).filter(bool))
    published = [records_of(records, some) for some in lists]
    left_out = [cell for cell in range(cells) if not any(cell in some for some in lists)]
    form = data.draw(st.sampled_from([Generalized(), Bucketized()]))
    kinds = kinds_of(release_of(records, lists, form), requirements)
    assert len(kinds) == len(left_out)
    assert [kind.records for kind in kinds] == sorted(
        (len(records.cells()[cell]) for cell in left_out), reverse=True
    )
    for kind in kinds:
        (cell,) = cells_of(records, kind, left_out)
        alone = records_of(records, [cell])
        tries = [alone, *([*alone, *group] for group in published)]
        least = min(max(excess(bounded, group) for bounded in bounds) for group in tries)
        (named,) = (bounded for bounded in bounds if bounded[0] == kind.requirement)
        sign = 1 if named[2] else -1
        assert kind.threshold == named[1]
        assert sign * (kind.attained - named[1]) / named[1] == pytest.approx(least, abs=1e-9)
        assert kind.estimator == "exact"
        if kind.requirement in ("t_closeness", "l_diversity"):
            assert kind.shift is not None
            whole = oracles.shares(records, records.everything())
            assert kind.shift.before == pytest.approx(float(whole[kind.shift.value]))
        if kind.requirement == "bt_privacy":
            assert kind.shift is not None
            assert 0 <= kind.shift.before <= 1
            assert 0 <= kind.shift.after <= 1
        assert (kind.shift is None) == (kind.requirement == "k_anonymity")


def keeps(kind: Kind) -> bool:
    if kind.requirement == "t_closeness":
        return kind.attained <= kind.threshold + 1e-9
    return kind.attained >= kind.threshold


@SOME
@given(tables(max_records=24), st.integers(1, 4), st.integers(1, 6), st.integers(1, 3), st.data())
def test_kinds_are_boxes_that_hold_what_was_left_out(
    records: Records, k: int, most: int, near: int, data: st.DataObject
) -> None:
    requirements: list[Requirement] = [KAnonymity(k), LDiversity(2), TCloseness(0.3, "equal")]
    lists = data.draw(partitions(len(records.cells()), suppress=True).filter(bool))
    release = release_of(records, lists)
    left_out = [
        cell for cell in range(len(records.cells())) if not any(cell in some for some in lists)
    ]
    single = kinds_of(release, requirements, near=near)
    kinds = kinds_of(release, requirements, most=most, near=near)
    assert len(kinds) <= most
    assert [kind.records for kind in kinds] == sorted(kind.records for kind in kinds)[::-1]
    suppressed = release.table.records - release.published
    if len({kind.requirement for kind in single}) <= most:
        assert sum(kind.records for kind in kinds) == suppressed
        assert len(kinds) == min(most, len(left_out)) or not left_out
    for kind in kinds:
        # A kind is of single cells with the same bound, of which it tells the best figure.
        inside = [
            one
            for one in single
            if (one.requirement, keeps(one)) == (kind.requirement, keeps(kind))
            and (kind.low <= one.low).all()
            and (one.high <= kind.high).all()
        ]
        assert sum(one.records for one in inside) == kind.records
        nearest = min if kind.requirement == "t_closeness" else max
        assert kind.attained == nearest(one.attained for one in inside)
        assert (np.min([one.low for one in inside], axis=0) == kind.low).all()
        assert (np.max([one.high for one in inside], axis=0) == kind.high).all()


def ages(rows: Sequence[tuple[int, str]]) -> Records:
    values = sorted({age for age, _ in rows})
    age = Attribute("age", tuple(map(str, values)), numbers={str(value): value for value in values})
    secrets = tuple(sorted({secret for _, secret in rows}))
    return Records(
        (age,), Attribute("s", secrets), tuple((str(value), secret) for value, secret in rows)
    )


def test_by_hand() -> None:
    # A lonely old man beside a group of two young ones and a group of two that are not so young.
    records = ages([(20, "a"), (21, "b"), (40, "a"), (41, "a"), (60, "c")])
    release = release_of(records, [[0, 1], [2, 3]])
    (kind,) = kinds_of(release, [KAnonymity(2), LDiversity(3)])
    # With the young this makes three values; with the others, who are nearer, only two.
    assert (kind.requirement, kind.attained, kind.records) == ("l_diversity", 3.0, 1)
    (kind,) = kinds_of(release, [KAnonymity(2), LDiversity(3)], near=1)
    assert (kind.requirement, kind.threshold, kind.attained) == ("l_diversity", 3.0, 2.0)
    assert kind.parameters == {"l": 3, "variant": "distinct"}
    assert extents_json(release.table, kind.low[None], kind.high[None]) == ['{"age": 60}']
    assert kind.shift is not None
    assert kind.shift.value == 0
    assert kind.shift.before == pytest.approx(0.6)
    assert kind.shift.after == pytest.approx(2 / 3)


def test_the_largest_kinds_are_told_when_there_are_too_many() -> None:
    records = ages([(20, "a"), (21, "b"), (60, "a"), (80, "a"), (80, "a"), (80, "a")])
    release = release_of(records, [[0, 1]])
    requirements = [KAnonymity(3), LDiversity(2)]
    found = [(kind.requirement, kind.records) for kind in kinds_of(release, requirements)]
    assert found == [("l_diversity", 3), ("k_anonymity", 1)]
    (kind,) = kinds_of(release, requirements, most=1)
    assert (kind.requirement, kind.records) == found[0]


def test_a_kind_tells_what_came_nearest_and_what_would_have_held_is_another() -> None:
    rows = [(20, "a"), (21, "b"), (60, "a"), *[(61, "a")] * 3, *[(62, "a")] * 2]
    kinds = kinds_of(release_of(ages(rows), [[0, 1]]), [KAnonymity(5)], most=2)
    assert [(kind.records, kind.attained) for kind in kinds] == [(3, 4.0), (3, 5.0)]


def test_kinds_are_cut_until_they_are_narrow() -> None:
    rows = [(0, "a"), (1, "b"), *[(age, "a") for age in (50, 51, 52, 90, 92, 94, 100)]]
    kinds = kinds_of(release_of(ages(rows), [[0, 1]]), [KAnonymity(5)], narrow=0.1)
    assert [kind.records for kind in kinds] == [4, 3]
    table = as_table(ages(rows))
    shown = [extents_json(table, kind.low[None], kind.high[None]) for kind in kinds]
    assert shown == [['{"age": [90, 100]}'], ['{"age": [50, 52]}']]


def test_nothing_is_said_of_a_release_with_nothing_left_out() -> None:
    records = ages([(20, "a"), (21, "b")])
    assert kinds_of(release_of(records, [[0, 1]]), [KAnonymity(2)]) == []


def test_where_whole_columns_are_generalized_what_is_shown_alike_is_tried_by_itself() -> None:
    records = ages([(0, "c"), (1, "b"), (12, "a"), (13, "a"), (25, "a"), (26, "b")])
    table = as_table(records)
    (age,) = table.quasi_identifiers
    # Two classes of three values: the second was left out for want of different values.
    recoding = Levels.of(age).recoding(age, len(Levels.of(age)) - 1)
    release = Release(Parts.of(table), as_groups([[0, 1]]), Generalized((recoding,)))
    (kind,) = kinds_of(release, [KAnonymity(3), LDiversity(3)], most=1)
    assert (kind.requirement, kind.attained, kind.records) == ("l_diversity", 2.0, 4)
    assert extents_json(table, kind.low[None], kind.high[None]) == ['{"age": [12, 26]}']


@SOME
@given(tables(max_records=9, max_values=3), st.floats(0.3, 0.95), st.integers(0, 2), st.data())
def test_a_joint_bound_is_measured_with_the_rest_of_the_release(
    records: Records, c: float, k: int, data: st.DataObject
) -> None:
    safety = CkSafety(c, k)
    cells = len(records.cells())
    lists = data.draw(partitions(cells, suppress=True).filter(bool))
    left_out = [cell for cell in range(cells) if not any(cell in some for some in lists)]
    release = release_of(records, lists)
    for kind in kinds_of(release, [KAnonymity(1), safety]):
        (cell,) = cells_of(records, kind, left_out)
        # k = 1 is kept most narrowly by the cell itself, so the largest union is best.
        sizes = [len(records_of(records, [cell, *some])) for some in lists]
        tried = [
            [[cell, *some] if place == union else some for place, some in enumerate(lists)]
            for union, size in enumerate(sizes)
            if size == max(sizes)
        ]
        figures = [
            float(safety.measure(ThreatModel(release.parts), as_groups(groups)).figures.max())
            for groups in tried
        ]
        if kind.requirement == "ck_safety":
            assert kind.attained >= c - 1e-6
            assert any(kind.attained == pytest.approx(figure) for figure in figures)
        else:
            assert kind.attained == max(sizes)
            assert any(figure < c + 1e-6 for figure in figures)


def test_omega_takes_over_when_the_work_is_done() -> None:
    records = ages([(20, "a"), (20, "b"), (21, "a"), (22, "b"), (60, "a"), (61, "b")])
    requirements = [BtPrivacy.parse({"bandwidth": 0.5, "t": 0.1})]
    release = release_of(records, [[0, 1, 2]])
    assert {kind.estimator for kind in kinds_of(release, requirements)} == {"exact"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression, "_WORK", 0)
        assert {kind.estimator for kind in kinds_of(release, requirements)} == {"omega"}
        found = set()
        for work in range(60):
            patch.setattr(suppression, "_WORK", work)
            found.add(tuple(kind.estimator for kind in kinds_of(release, requirements)))
    assert found == {("omega", "omega"), ("exact", "omega"), ("exact", "exact")}


@SOME
@given(tables(max_records=12), st.integers(1, 40), st.data())
def test_tries_are_measured_in_batches_alike(
    records: Records, at_once: int, data: st.DataObject
) -> None:
    requirements = [KAnonymity(3), TCloseness(0.2, "equal")]
    lists = data.draw(partitions(len(records.cells()), suppress=True).filter(bool))
    release = release_of(records, lists)
    together = kinds_of(release, requirements)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression, "_AT_ONCE", at_once)
        apart = kinds_of(release, requirements)
    assert [(kind.requirement, kind.attained) for kind in apart] == [
        (kind.requirement, kind.attained) for kind in together
    ]


def test_a_prior_that_a_union_contradicts_has_no_value_at_fault() -> None:
    records = ages([(20, "a"), (21, "b"), (60, "c")])
    table = as_table(records)
    # Who knows that only the man of 60 cannot have c.
    prior = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
    threat = ThreatModel(table, library=Known(prior))
    requirements = [BtPrivacy.parse({"bandwidth": {"table": "t"}, "t": 0.1})]
    release = Release(Parts.of(table), Groups.from_lists([np.array([0, 1])]), Generalized())
    (kind,) = explain_suppression(release, threat, requirements, "auto", 5)
    assert (kind.attained, kind.shift) == (math.inf, None)
