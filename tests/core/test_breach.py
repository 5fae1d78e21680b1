"""Belief breaches, by enumeration of all worlds, for every kind of knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import companion
from bkpriv_core.requirement import BeliefBreach
from bkpriv_core.table.groups import Groups
from tests.conftest import sample
from tests.core import oracles
from tests.core.breach_oracles import believed, breach
from tests.core.composition_releases import Shown, histories, joint_of
from tests.core.library import Known
from tests.core.oracles import Belief, Records
from tests.core.several import COLUMNS, Told, told, weighed
from tests.core.strategies import (
    as_array,
    as_groups,
    as_table,
    bandwidths,
    beliefs,
    partitions,
    tables,
    told_apart,
)
from tests.core.test_composition_measurement import believed_of
from tests.core.test_persons_requirement import VALUES, Patients, persons

HUNDREDS = settings(max_examples=sample(500), deadline=None)

bounds = st.sampled_from([(0.0, 0.5), (0.25, 0.5), (0.5, 0.9), (0.5, 0.6), (0.75, 0.8)])


def demanding(knowledge: Any, rho1: float, rho2: float = 1.0, **sight: Any) -> BeliefBreach:
    """Requirement with one bound."""
    stated = {"bandwidth": knowledge, "rho1": rho1, "rho2": rho2, **sight}
    return BeliefBreach.parse(stated)


def check(
    records: Records,
    prior: Sequence[Belief],
    cells: list[list[int]],
    threat: ThreatModel,
    demanded: BeliefBreach,
    rho1: float,
) -> None:
    """Figures of groups of cells are those of all worlds, and so is what is named."""
    groups = as_groups(cells)
    measured = demanded.measure(threat, groups, "exact").figures
    expected = []
    largest: list[list[tuple[float, float]]] = [[] for _ in cells]
    for number, before, after in weighed(records, prior, cells):
        pairs = believed(records.sensitive, before, after)
        expected.append(breach(pairs, rho1))
        largest[number] += [pair for pair in pairs if pair[0] <= rho1 + 1e-9]
    np.testing.assert_allclose(measured, [expected], rtol=0, atol=1e-7)
    for number, pairs in enumerate(largest):
        if any(after for _, after in pairs):
            shift = demanded.explain(threat, groups.select(np.array([number])), 0, "exact")
            assert shift.after == pytest.approx(max(after for _, after in pairs), abs=1e-7)
            assert shift.before <= rho1 + 2e-9
            assert shift.label(threat.table.sensitive) is not None or None in (
                records.sensitive.values
            )


# --- each kind of knowledge -----------------------------------------------------------------------


@HUNDREDS
@given(tables(max_records=6, sensitive_kinds=("hierarchical",)), st.data(), bounds)
def test_breaches_of_who_knows_by_bandwidth(
    records: Records, data: st.DataObject, rho: tuple[float, float]
) -> None:
    """Bandwidths are one for all attributes, or one for each."""
    cells = data.draw(partitions(len(records.cells())))
    if not cells:
        return
    each = [data.draw(bandwidths) for _ in records.attributes]
    known: Any = {item.name: width for item, width in zip(records.attributes, each, strict=True)}
    if data.draw(st.booleans()):
        each, known = [each[0]] * len(each), each[0]
    prior = oracles.rounded(oracles.priors(records, each))
    check(records, prior, cells, ThreatModel(as_table(records)), demanding(known, rho[0]), rho[0])


@HUNDREDS
@given(tables(max_records=6), st.data(), bounds, st.booleans())
def test_breaches_of_who_knows_shares_or_a_table(
    records: Records, data: st.DataObject, rho: tuple[float, float], uniform: bool
) -> None:
    cells = data.draw(partitions(len(records.cells())))
    if not cells:
        return
    size = len(records.sensitive.values)
    if uniform:
        shares = oracles.shares(records, records.everything())
        given_of = [shares for _ in records.cells()]
    else:
        given_of = [data.draw(beliefs(size, positive=True)) for _ in records.cells()]
    prior: list[Any] = [None] * len(records.rows)
    for members, belief in zip(records.cells(), given_of, strict=True):
        for record in members:
            prior[record] = belief
    threat = ThreatModel(as_table(records), library=Known(cells=as_array(given_of)))
    known: Any = {"kernel": "uniform"} if uniform else {"table": "p"}
    check(records, prior, cells, threat, demanding(known, rho[0]), rho[0])


@HUNDREDS
@given(tables(max_records=5), st.data(), bounds)
def test_breaches_of_who_remembers(
    records: Records, data: st.DataObject, rho: tuple[float, float]
) -> None:
    threat, remembered = data.draw(told_apart(records, positive=True))
    demanded = demanding({"sequence": "s"}, rho[0])
    (bound,) = demanded.bounds
    assert bound.remembers
    assert demanded.tells_apart
    assert companion(demanded).part is None
    measured = demanded.measure(threat, Groups.whole(len(records.rows)), "exact").figures
    secrets = records.secrets(records.everything())
    posterior = oracles.exact_posterior(remembered, secrets)
    assert posterior is not None
    expected = [
        breach(believed(records.sensitive, before, after), rho[0])
        for before, after in zip(remembered, posterior, strict=True)
    ]
    np.testing.assert_allclose(measured, [expected], rtol=0, atol=1e-7)


@HUNDREDS
@given(told(most=5), bandwidths, st.data(), bounds)
def test_breaches_of_several_columns_and_jointly(
    table: Told, bandwidth: float, data: st.DataObject, rho: tuple[float, float]
) -> None:
    cells = data.draw(partitions(table.table.cells))
    if not cells:
        return
    (each,) = demanding(bandwidth, rho[0]).about(COLUMNS, True)
    assert [bound.parameters["sensitive"] for bound in each.bounds] == list(COLUMNS)
    (jointly,) = demanding(bandwidth, rho[0], joint=True).about(COLUMNS, True)
    threat, groups = ThreatModel(table.table), as_groups(cells)
    prior = oracles.rounded(oracles.priors(table.joint, [bandwidth] * len(table.joint.attributes)))
    expected: list[list[float]] = [[], [], []]
    for _, before, after in weighed(table.joint, prior, cells):
        for column, records in enumerate(table.columns):
            one, other = table.marginal(before, column), table.marginal(after, column)
            expected[column].append(breach(believed(records.sensitive, one, other), rho[0]))
        pairs = [(float(p), float(q)) for p, q in zip(before, after, strict=True)]
        expected[2].append(breach(pairs, rho[0]))
    measured = np.vstack(
        [item.measure(threat, groups, "exact").figures for item in (each, jointly)]
    )
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-7)


@HUNDREDS
@given(persons.filter(lambda each: each.several), bandwidths, st.data(), bounds)
def test_breaches_about_persons_of_several_records(
    patients: Patients, bandwidth: float, data: st.DataObject, rho: tuple[float, float]
) -> None:
    cells = data.draw(partitions(patients.table.cells))
    if not cells:
        return
    prior = oracles.rounded(oracles.priors(patients.spelled, [bandwidth]))
    (demanded,) = demanding(bandwidth, rho[0]).about(("disease",), True)
    measured = demanded.measure(ThreatModel(patients.table), as_groups(cells), "exact").figures
    expected = [
        breach(
            [
                (float(patients.having(before, value)[1]), float(patients.having(after, value)[1]))
                for value in range(len(VALUES))
            ],
            rho[0],
        )
        for _, before, after in weighed(patients.spelled, prior, cells)
    ]
    np.testing.assert_allclose(measured, [expected], rtol=0, atol=1e-7)


@HUNDREDS
@given(histories(most_records=5, most_values=3), bandwidths, bounds)
def test_breaches_by_several_releases_together(
    releases: list[Shown], bandwidth: float, rho: tuple[float, float]
) -> None:
    demanded = demanding(bandwidth, rho[0])
    joint = joint_of(releases, [demanded])
    (figures,) = companion(demanded).figures(joint)
    by_person = believed_of(releases, bandwidth)
    contradicted = joint.contradicted(bandwidth)
    for person, figure, impossible in zip(
        joint.persons.tolist(), figures, contradicted, strict=True
    ):
        if impossible:
            assert figure == np.inf
            continue
        item = by_person[person]
        pairs = believed(item.home.sensitive, item.before, item.after)
        assert figure == pytest.approx(breach(pairs, rho[0]), abs=1e-7)
