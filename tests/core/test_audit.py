"""Findings of an audit, against records that are judged one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import Finding, exactly_auditable, findings, judge_queries, unmet
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import TooLarge
from bkpriv_core.query.bound import QueryError
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import (
    BeliefScope,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Measurement,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.persons import Persons
from bkpriv_core.table.table import Table
from tests.core import oracles, requirement_oracles
from tests.core.oracles import Number, Records
from tests.core.query_strategies import GENERALIZED, one_group
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    by_age,
    partitions,
    records_of,
    smoothings,
    tables,
)


class Judged(NamedTuple):
    """Figures of records, one by one."""

    worst: Number
    mean: Number
    vulnerable: int
    worst_groups: set[int]


def judge(figures: dict[int, list[Number]], threshold: float, *, upper: bool) -> Judged:
    """Judge the figures of the records of each group."""
    everyone = [(float(figure), group) for group, some in figures.items() for figure in some]
    worst, total, vulnerable = everyone[0][0], 0.0, 0
    for figure, _ in everyone:
        total += figure
        if figure > worst if upper else figure < worst:
            worst = figure
        if figure > threshold + 1e-9 if upper else figure < threshold - 1e-9:
            vulnerable += 1
    most = {group for figure, group in everyone if figure == worst or abs(figure - worst) < 1e-9}
    return Judged(worst, total / len(everyone), vulnerable, most)


def agrees(finding: Finding, expected: Judged, sizes: Sequence[int]) -> None:
    """Hold a finding with its fault against figures one by one."""
    assert finding.worst == pytest.approx(expected.worst, abs=1e-9)
    assert finding.mean == pytest.approx(expected.mean, abs=1e-9)
    assert finding.vulnerable == expected.vulnerable
    assert finding.satisfied is (expected.vulnerable == 0)
    assert finding.fault is not None
    assert finding.fault.group in expected.worst_groups
    assert finding.fault.records == sizes[finding.fault.group]


def measured(
    threat: ThreatModel, groups: Groups, requirement: Requirement, estimator: Estimator = "omega"
) -> list[Finding]:
    """Findings about one requirement, with faults."""
    measurement = requirement.measure(threat, groups, estimator)
    return findings(threat, groups, [requirement], [measurement], estimator)


@MANY
@given(tables(max_records=16), st.floats(0.05, 0.9), st.integers(1, 4), st.data())
def test_counts_are_judged_record_by_record(
    records: Records, t: float, least: int, data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    lists = data.draw(partitions(threat.table.cells, suppress=True).filter(bool))
    groups = [records_of(records, cells) for cells in lists]
    sizes = [len(group) for group in groups]
    for requirement, of_group, threshold, upper in (
        (KAnonymity(least), len, least, False),
        (
            LDiversity(least, "distinct"),
            lambda group: requirement_oracles.distinct_diversity(records, group),
            least,
            False,
        ),
        (
            LDiversity(2, "recursive", 1.5),
            lambda group: requirement_oracles.recursive_diversity(records, group, 2),
            1.5 - 2e-9,  # it must be below
            True,
        ),
        (
            TCloseness(t, "equal"),
            lambda group: oracles.closeness(records, group, "equal"),
            t,
            True,
        ),
    ):
        figures = {place: [of_group(group)] * len(group) for place, group in enumerate(groups)}
        (finding,) = measured(threat, as_groups(lists), requirement)
        agrees(finding, judge(figures, threshold, upper=upper), sizes)
        assert finding.estimator == "exact"
        assert finding.parameters == requirement.bounds[0].parameters
        assert finding.fault is not None
        if finding.fault.shift is None:
            assert requirement == KAnonymity(least)
            continue
        shift = finding.fault.shift
        assert shift.cell is None
        assert finding.fault.group is not None
        for share, group in (
            (shift.before, records.everything()),
            (shift.after, groups[finding.fault.group]),
        ):
            assert share == pytest.approx(float(oracles.shares(records, group)[shift.value]))


@SOME
@given(
    tables(max_records=7),
    st.lists(st.tuples(bandwidths, st.floats(0.01, 0.6)), min_size=1, max_size=2),
    st.sampled_from(["omega", "exact"]),
    smoothings,
    st.data(),
)
def test_beliefs_are_judged_record_by_record(
    records: Records,
    skyline: list[tuple[float, float]],
    estimator: Estimator,
    smoothing: float | None,
    data: st.DataObject,
) -> None:
    threat = ThreatModel(as_table(records))
    lists = data.draw(partitions(threat.table.cells, suppress=True).filter(bool))
    regards = (BeliefScope(smoothing=smoothing),) * len(skyline)
    rows = measured(threat, as_groups(lists), BtPrivacy(tuple(skyline), regards), estimator)
    assert len(rows) == len(skyline)
    for finding, (width, t) in zip(rows, skyline, strict=True):
        moves = [
            requirement_oracles.belief_moves(
                records, width, records_of(records, cells), smoothing, estimator
            )
            for cells in lists
        ]
        figures: dict[int, list[Number]] = {
            place: [figure for _, _, figure in some.values()] for place, some in enumerate(moves)
        }
        agrees(finding, judge(figures, t, upper=True), list(map(len, moves)))
        assert (finding.requirement, finding.threshold) == ("bt_privacy", t)
        assert finding.parameters == {"bandwidth": width, "t": t} | (
            {} if smoothing is None else {"smoothing": smoothing}
        )
        assert finding.fault is not None
        assert finding.fault.shift is not None
        assert finding.fault.group is not None
        shift = finding.fault.shift
        assert shift.cell in lists[finding.fault.group]
        before, after, moved = moves[finding.fault.group][records.cells()[shift.cell][0]]
        assert moved == pytest.approx(finding.worst, abs=1e-9)
        assert (shift.before, shift.after) == pytest.approx(
            (before[shift.value], after[shift.value]), abs=1e-9
        )


# --- How it was inferred --------------------------------------------------------------------------


def inferred(used: list[int], sizes: Sequence[int] = (1, 1, 1, 1)) -> str:
    """The text about groups of some sizes that were inferred in these ways."""
    secrets = [letter for letter, size in zip("abcd", sizes, strict=True) for _ in range(size)]
    rows = tuple((letter, "s") for letter in secrets)
    attribute, sensitive = (oracles.Attribute(name, tuple("abcd")) for name in ("x", "y"))
    sensitive = replace(sensitive, values=("s",))
    threat = ThreatModel(as_table(Records((attribute,), sensitive, rows)))
    groups = as_groups([[cell] for cell in range(4)])
    measurement = Measurement(np.ones((1, 4)), np.array(used, dtype=np.int8))
    (finding,) = findings(threat, groups, [KAnonymity(1)], [measurement])
    return finding.estimator


def test_the_ways_of_inference_are_told_best_first() -> None:
    assert inferred([0, 0, 0, 0]) == "exact"
    assert inferred([3, 3, 3, 3]) == "omega"
    assert inferred([3, 0, 3, 0], (100, 1, 66, 3)) == "exact, but omega for 2 groups (166 records)"
    assert inferred([2, 2, 2, 3], (1, 1, 1, 5)) == "bethe, but omega for 1 group (5 records)"
    assert inferred([2, 1, 0, 0], (4, 3, 2, 1)) == (
        "exact, but bound for 1 group (3 records) and bethe for 1 group (4 records)"
    )


def test_where_persons_are_counted_the_ways_of_inference_count_persons() -> None:
    whose, sexes, diseases = ["a", "a", "b", "c"], np.array([[0], [0], [0], [1]]), [0, 1, 0, 1]
    told = Domain("disease", ("acne", "flu"))
    persons = Persons.of_records("id", whose, sexes, (told,), np.array(diseases)[:, None])
    each = np.column_stack((persons.codes, persons.values))
    known = Domain("sex", ("f", "m"))
    table, _ = Table.from_rows((known,), persons.sensitive, each, np.ones(3, dtype=np.int64))
    measurement = Measurement(np.ones((1, 2)), np.array([3, 0], dtype=np.int8))
    groups = as_groups([[0], [1]])
    (finding,) = findings(ThreatModel(table), groups, [KAnonymity(1)], [measurement])
    assert finding.estimator == "exact, but omega for 1 group (2 persons)"


def test_faults_are_found_where_they_are_asked_for() -> None:
    threat = ThreatModel(as_table(by_age("flu", "hiv", "flu", "hiv")))
    groups = as_groups([[0, 1], [2, 3]])
    requirement = BtPrivacy(((0.3, 0.2),))
    measurement = requirement.measure(threat, groups)
    (without,) = findings(threat, groups, [requirement], [measurement])
    (finding,) = measured(threat, groups, requirement)
    assert without.fault is None
    assert finding.fault is not None
    assert replace(finding, fault=None) == without


def test_an_infinite_figure_is_the_worst_and_the_mean() -> None:
    threat = ThreatModel(as_table(by_age("flu", "flu", "hiv", "flu")))
    (finding,) = measured(threat, as_groups([[0, 1], [2, 3]]), LDiversity(2, "recursive", 1.0))
    assert (finding.worst, finding.mean, finding.vulnerable) == (math.inf, math.inf, 4)
    assert finding.fault is not None
    assert (finding.fault.group, finding.fault.records) == (0, 2)


def test_what_can_be_audited_exactly_is_what_exact_inference_accepts() -> None:
    threat = ThreatModel(as_table(by_age(*(f"{place % 10}" for place in range(200)))))
    requirement = BtPrivacy(((0.3, 0.2),))
    small = as_groups([list(range(start, start + 10)) for start in range(0, 200, 10)])
    assert exactly_auditable(threat.parts, small)
    assert requirement.measure(threat, small, "exact").exact.all()
    for large in (Groups.whole(200), as_groups([[0, 1], list(range(2, 200))])):
        assert not exactly_auditable(threat.parts, large)
        with pytest.raises(TooLarge):
            requirement.measure(threat, large, "exact")


# --- Queries --------------------------------------------------------------------------------------


def test_queries_are_judged_by_their_median() -> None:
    release = one_group([20, 21, 60, 61, 62], 1.0)
    figures = QueryError(0).measure(release.actual, release.estimated)
    assert figures.median > 0
    for median, satisfied in (
        (figures.median, True),
        (figures.median - 1e-6, False),
        (max(figures.mean, figures.median) + 1, True),
    ):
        demanded = QueryError(median, dimensions=None)
        finding = judge_queries(release, demanded)
        assert finding.satisfied is satisfied
        assert (finding.worst, finding.mean) == (figures.median, figures.mean)
        assert (finding.vulnerable, finding.fault, finding.estimator) == (None, None, "exact")
        assert finding.threshold == median
        assert finding.parameters["dimensions"] == 1  # what was measured, not what was left out


def test_queries_are_judged_alike_in_whatever_order_a_release_was_made() -> None:
    secrets = [f"{place * place % 89 % 7}" for place in range(200)]
    people = by_age(*secrets)
    rows = tuple(row for place, row in enumerate(people.rows) for _ in range(1 + place % 5))
    parts = Parts.of(as_table(replace(people, rows=rows)))
    demanded = QueryError(1.0, queries=60)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(parts))
        groups = as_groups([[part for part in order if part % 19 == k] for k in range(19)])
        finding = judge_queries(Release(parts, groups, Bucketized()), demanded)
        recorded = Groups.from_labels(groups.labels(len(parts)))
        assert finding == judge_queries(Release(parts, recorded, Bucketized()), demanded)
        assert finding.mean > 0


def test_an_unmet_bound_says_what_would_be_met() -> None:
    release = one_group([20, 21, 60, 61, 62], 1.0)
    demanded = QueryError(0.01)
    finding = judge_queries(release, demanded)
    error = unmet(demanded, finding)
    assert error.message == "query_error (median = 0.01) is not met"
    assert f"{finding.worst:.6g}" in error.detail
    (offered,) = (word for word in error.hint.split() if word[0].isdigit())
    assert judge_queries(release, QueryError(float(offered))).satisfied


def test_exact_answers_keep_any_bound() -> None:
    rows = tuple((value, secret) for value in "abcdef" for secret in "uv")
    attribute = oracles.Attribute("x", tuple("abcdef"))
    table = as_table(Records((attribute,), oracles.Attribute("s", ("u", "v")), rows))
    release = Release(
        Parts.of(table), as_groups([[cell] for cell in range(table.cells)]), GENERALIZED
    )
    finding = judge_queries(release, QueryError(0.0, selectivity=0.3))
    assert (finding.worst, finding.mean, finding.satisfied) == (0.0, 0.0, True)
