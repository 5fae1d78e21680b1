"""(c,k)-safety as a requirement: in Mondrian, in certification and in the lattice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.implication import worst_case
from bkpriv_core.partition.certification import certify
from bkpriv_core.partition.coarsening import coarsen
from bkpriv_core.partition.incognito import Nodes, incognito
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.policy import parse_policy
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import CkSafety, KAnonymity, Requirement, check_attainable
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.levels import Levels
from tests.core import oracles
from tests.core.oracles import Group, Records
from tests.core.strategies import MANY, as_groups, as_table, partitions, record_groups, tables
from tests.core.watching import Watched
from tests.core.worlds import paper

LIMITS = [0.4, 0.55, 0.7, 0.85, 0.97]


def worst(records: Records, groups: list[Group], k: int) -> float:
    values = range(len(records.sensitive.values))
    secrets = [records.secrets(group) for group in groups]
    return float(paper([[held.count(value) for value in values] for held in secrets], k))


def most(records: Records, groups: list[Group], k: int) -> float:
    """Compute as `worst` does, but quickly."""
    values = range(len(records.sensitive.values))
    secrets = [records.secrets(group) for group in groups]
    histograms = np.array([[held.count(value) for value in values] for held in secrets])
    return float(worst_case(histograms, k)[k])


def draw_attainable(data: st.DataObject, records: Records, most: int) -> tuple[float, int]:
    """Draw c and k, at most so much, that one group of the whole table meets."""
    values = set(records.secrets(records.everything()))
    assume(len(values) > 1)
    k = data.draw(st.integers(0, min(most, len(values) - 2)))
    attained = worst(records, [records.everything()], k)
    assume(attained < LIMITS[-1])
    return data.draw(st.sampled_from([c for c in LIMITS if attained < c])), k


@MANY
@given(tables(max_records=16, max_values=5), st.data())
def test_mondrian_cuts_until_every_further_cut_would_be_unsafe(
    records: Records, data: st.DataObject
) -> None:
    c, k = draw_attainable(data, records, 3)
    size = data.draw(st.integers(1, min(3, len(records.rows))))
    requirements: list[Requirement] = [CkSafety(c, k), KAnonymity(size)]
    threat = ThreatModel(as_table(records))
    groups = mondrian(threat, requirements)
    by_record = record_groups(records, groups)
    assert sorted(record for group in by_record for record in group) == records.everything()
    assert worst(records, by_record, k) < c
    for group in by_record:
        assert len(group) >= size
        for one, other in oracles.cuts_of(records, group):
            then = [item for item in by_record if item != group] + [one, other]
            assert min(len(one), len(other)) < size or worst(records, then, k) >= c - 1e-9
    # It is then certified as it stands.
    certificate = certify(threat, requirements, groups, "auto", pool=Generalized().pool)
    assert not certificate.suppressed.size
    safety, sizes = certificate.measurements
    assert safety.figures.max() == pytest.approx(
        worst(records, record_groups(records, certificate.groups), k)
    )
    assert sizes.figures.min() >= size


@pytest.mark.parametrize(("c", "k"), [(0.6, 0), (0.75, 1), (0.95, 2)])
def test_many_groups_are_cut_at_once(c: float, k: int) -> None:
    random = np.random.default_rng(k)
    numbers = {str(number): number for number in range(40)}
    disease = oracles.Attribute("s", tuple("abcde"))
    rows = tuple(
        (str(number), str(random.choice(list("aabbcde"))))
        for number in random.integers(0, 40, size=300)
    )
    numeric = oracles.Attribute("q", tuple(numbers), numbers=numbers)
    records = Records((numeric,), disease, rows)
    groups = mondrian(ThreatModel(as_table(records)), [CkSafety(c, k)])
    by_record = record_groups(records, groups)
    assert len(by_record) >= 8
    assert most(records, by_record, k) < c
    for group in by_record:
        for halves in oracles.cuts_of(records, group):
            then = [item for item in by_record if item != group] + [*halves]
            assert most(records, then, k) >= c - 1e-9


@MANY
@given(tables(max_records=14), st.integers(0, 3), st.data())
def test_what_a_group_discloses_by_itself(records: Records, k: int, data: st.DataObject) -> None:
    threat = ThreatModel(as_table(records))
    groups = as_groups(data.draw(partitions(threat.table.cells)))
    safety = CkSafety(0.5, k)
    figures = safety.by_itself(threat, threat.parts.histograms(groups))
    expected = [worst(records, [group], k) for group in record_groups(records, groups)]
    assert figures.tolist() == pytest.approx(expected)
    # Others can only help.
    together = safety.measure(threat, groups).figures[0]
    assert (together >= figures[groups.owner] - 1e-9).all()


@MANY
@given(tables(max_records=14), st.sampled_from(LIMITS), st.integers(0, 2), st.data())
def test_certification_leaves_out_what_is_unsafe(
    records: Records, c: float, k: int, data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    groups = as_groups(data.draw(partitions(threat.table.cells)))
    certificate = certify(threat, [CkSafety(c, k)], groups, "auto", pool=Generalized().pool)
    kept = record_groups(records, certificate.groups)
    assert not kept or worst(records, kept, k) < c
    pooled = record_groups(records, Generalized().pool(threat.parts, groups))
    if worst(records, pooled, k) < c - 1e-9:
        assert not certificate.suppressed.size
    else:
        assert certificate.failed
    left = len(certificate.groups.members) + len(certificate.suppressed)
    assert left == threat.table.cells


@MANY
@given(tables(max_records=12, max_attributes=2), st.sampled_from(LIMITS), st.integers(0, 2))
def test_the_lattice_has_the_nodes_that_are_safe(records: Records, c: float, k: int) -> None:
    threat = ThreatModel(as_table(records))
    levels = [Levels.of_hierarchy(domain) for domain in threat.table.quasi_identifiers]
    lattice = incognito(Nodes(threat, (CkSafety(c, k),), tuple(levels)))
    for node in product(*(range(len(item)) for item in levels)):
        groups: dict[tuple[object, ...], Group] = {}
        for record, row in enumerate(records.rows):
            key = tuple(
                (level, attribute.path(value)[level] if level else value)
                for attribute, value, level in zip(records.attributes, row, node, strict=False)
            )
            groups.setdefault(key, []).append(record)
        assert lattice.safe[node] == (worst(records, list(groups.values()), k) < c)


@MANY
@given(tables(max_records=16), st.data())
def test_coarsening_joins_groups_until_all_are_safe_together(
    records: Records, data: st.DataObject
) -> None:
    c, k = draw_attainable(data, records, 2)
    size = data.draw(st.integers(1, min(4, len(records.rows))))
    threat = ThreatModel(as_table(records))
    given_groups = as_groups(data.draw(partitions(threat.table.cells)))
    shares: list[float] = []
    requirements: list[Requirement] = [CkSafety(c, k), KAnonymity(size)]
    groups = coarsen(threat, requirements, given_groups, progress=Watched(report=shares.append))
    by_record = record_groups(records, groups)
    assert worst(records, by_record, k) < c
    assert min(map(len, by_record)) >= size
    assert shares == sorted(shares)
    assert shares[0] >= 0
    before = record_groups(records, given_groups)
    if worst(records, before, k) < c - 1e-9 and min(map(len, before)) >= size:
        assert len(groups) == len(given_groups)


def test_no_groups_have_no_figures() -> None:
    threat = ThreatModel(as_table(_records()))
    measured = CkSafety(0.5, 2).measure(threat, Groups.from_lists([]))
    assert measured.figures.shape == (1, 0)


def test_it_is_stated_in_a_policy() -> None:
    assert parse_policy({"ck_safety": {"c": 0.5, "k": 3}}).requirements == (CkSafety(0.5, 3),)
    for wrong in ({"c": 0.5}, {"c": 1.5, "k": 3}, {"c": 0.5, "k": -1}, {"c": 0.5, "k": 1.5}):
        with pytest.raises(InvalidParameter, match="ck_safety"):
            parse_policy({"ck_safety": wrong})


def test_it_must_be_attainable_and_blames_the_most_frequent_value() -> None:
    threat = ThreatModel(as_table(_records()))
    with pytest.raises(UnattainableRequirement, match="ck_safety") as refusal:
        check_attainable([CkSafety(2 / 3, 1)], threat)
    assert "below 0.666667" in refusal.value.detail
    check_attainable([CkSafety(0.67, 1)], threat)
    shift = CkSafety(0.67, 1).explain(threat, Groups.whole(threat.table.cells))
    assert shift is not None
    assert (shift.value, shift.after) == (0, 0.4)


def _records() -> Records:
    sex, disease = oracles.Attribute("sex", ("f", "m")), oracles.Attribute("s", ("a", "b", "c"))
    rows = (("f", "a"), ("f", "a"), ("m", "b"), ("m", "b"), ("m", "c"))
    return Records((sex,), disease, rows)


def test_figures_tell_which_groups_are_at_fault() -> None:
    threat = ThreatModel(as_table(_records()))
    figures = CkSafety(0.9, 0).measure(threat, as_groups([[0], [1]])).figures
    np.testing.assert_allclose(figures, [[1.0, 2 / 3]])


@MANY
@given(tables(max_records=14, max_values=4), st.sampled_from(LIMITS), st.integers(0, 3), st.data())
def test_the_rest_is_safe_once_the_worst_groups_are_left_out(
    records: Records, c: float, k: int, data: st.DataObject
) -> None:
    threat = ThreatModel(as_table(records))
    groups = as_groups(data.draw(partitions(threat.table.cells, most=6)))
    by_record = record_groups(records, groups)
    safe = CkSafety(c, k).satisfied(threat, groups)
    kept = [group for group, met in zip(by_record, safe, strict=True) if met]
    if kept:
        assert most(records, kept, k) < c
    alone = [most(records, [group], k) for group in by_record]
    left_out = [figure for figure, met in zip(alone, safe, strict=True) if not met]
    if left_out:
        # None that discloses less by itself than one that is kept, and not one too many.
        assert min(left_out) >= max(
            (f for f, met in zip(alone, safe, strict=True) if met), default=0
        )
        ties = [group for group, figure, met in zip(by_record, alone, safe, strict=True)
                if not met and figure == pytest.approx(min(left_out))]  # fmt: skip
        assert any(most(records, [*kept, group], k) >= c - 1e-9 for group in ties)


def test_a_certain_group_is_suppressed_and_not_all_that_it_helps_to_disclose() -> None:
    rows = [("x", "flu")] * 2 + [("y", "abcd"[i % 4]) for i in range(16)]
    records = Records(
        (oracles.Attribute("g", ("x", "y")),),
        oracles.Attribute("s", ("a", "b", "c", "d", "flu")),
        tuple(rows),
    )
    threat = ThreatModel(as_table(records))
    levels = [Levels.of(domain) for domain in threat.table.quasi_identifiers]
    lattice = incognito(Nodes(threat, (CkSafety(0.65, 2),), tuple(levels), suppression=0.2))
    assert lattice.safe.tolist() == [True, True]
    assert threat.parts.sizes(lattice.groups((0,))).tolist() == [16]
    groups = as_groups([[0], [1]])
    certificate = certify(threat, [CkSafety(0.65, 2)], groups, "auto", pool=Generalized().pool)
    assert certificate.suppressed.tolist() == [0]
    assert certificate.measurements[0].figures.max() == pytest.approx(0.5)
