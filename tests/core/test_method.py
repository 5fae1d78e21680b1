"""Methods: every requirement in every one of them, and certification of what they make."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import (
    ContradictoryKnowledge,
    InvalidParameter,
    UnattainableRequirement,
)
from bkpriv_core.method import GROUP_METHODS, METHODS, GroupOptions, Job, find_method
from bkpriv_core.method.base import GroupMethod
from bkpriv_core.method.mondrian import MondrianOptions
from bkpriv_core.partition.certification import certify
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.bucketized.form import Anatomized, Bucketized
from bkpriv_core.release.forms import form_of
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form, Release
from bkpriv_core.requirement import KAnonymity, satisfied
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.utility.measures import utility
from tests.core import oracles
from tests.core.certifying import by_age
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import (
    LEAVING_OVER,
    NEEDED,
    SOME,
    as_groups,
    as_table,
    partitions,
    tables,
)

POLICY = {
    "k_anonymity": {"k": 2},
    "l_diversity": {"l": 1.5, "variant": "probabilistic"},
    "max_disclosure": {"tau": 0.7},
    "t_closeness": {"t": 0.9},
    "beta_likeness": {"beta": 6},
    "bt_privacy": [{"bandwidth": 0.4, "t": 0.9}, {"bandwidth": {"kernel": "uniform"}, "t": 0.9}],
    "pair_divergence": {"theta": 0.3, "bandwidth": 0.4},
}


@SOME
@given(
    tables(max_records=24),
    st.sampled_from(sorted(GROUP_METHODS)),
    st.lists(st.sampled_from(sorted(POLICY)), unique=True),
    st.integers(0, 1000),
)
def test_every_requirement_holds_in_every_method(
    records: Records, name: str, keys: list[str], seed: int
) -> None:
    keys = sorted({*keys, "max_disclosure", *NEEDED.get(name, ())})
    requirements = parse_policy({key: POLICY[key] for key in keys}).requirements
    threat = ThreatModel(as_table(records))
    method = GROUP_METHODS[name]
    try:
        method.check(threat, requirements, method.options())
        partitioned, groups, form = method.partition(
            Job(threat, requirements, method.options(), SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        return  # Not even one group of the whole table meets them, or anatomy is not eligible.
    # Microaggregation leaves all but its k to certification, and others what small groups may meet.
    formed = [
        item
        for item in requirements
        if item.key in NEEDED.get(name, ()) or (item.coarse and name != "microaggregate")
    ]
    whole = Groups.whole(len(threat.parts))
    # What no union of neighbours can meet, agglomeration leaves to certification.
    if name != "agglomerate" or satisfied(requirements, threat, whole).all():
        assert satisfied(formed, partitioned, groups).all()
    placed = sorted(groups.members.tolist())
    if name in LEAVING_OVER:
        assert len(set(placed)) == len(placed)
    else:
        assert placed == list(range(len(partitioned.parts)))
    # Whether cells were split or not, the records are the same.
    totals: dict[tuple[int, ...], list[int]] = {}
    for table in (threat.parts, partitioned.parts):
        sums: dict[tuple[int, ...], list[int]] = {}
        for code, count in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
            mine = sums.setdefault(tuple(code), [0] * len(count))
            sums[tuple(code)] = [one + other for one, other in zip(mine, count, strict=True)]
        totals = totals or sums
        assert totals == sums
    certificate = certify(partitioned, requirements, groups, "exact", pool=form.pool)
    if len(certificate.groups):
        published = partitioned.over(certificate.parts)
        assert satisfied(requirements, published, certificate.groups, "exact").all()
        assert certificate.parts.weights.sum() == partitioned.table.records
        # A cell is one row of its group, however its records came there.
        rows = [
            (group, *certificate.parts.codes[cell].tolist())
            for group, cells in enumerate(certificate.groups)
            for cell in cells
        ]
        assert len(set(rows)) == len(rows)


def test_where_no_group_was_formed_none_is_said_to_fail() -> None:
    class Idle(GroupMethod[GroupOptions]):
        """Leaves all records over."""

        name, form, options = "idle", Generalized(), GroupOptions

        def partition(self, job: Job[GroupOptions]) -> tuple[ThreatModel, Groups, Form]:
            return job.threat, Groups.from_lists([]), self.form

    threat = ThreatModel(as_table(by_age("20a 30b")))
    with pytest.raises(UnattainableRequirement, match="nothing to publish") as caught:
        Idle().make(Job(threat, [KAnonymity(3)], GroupOptions(), SeededChance(1), SILENT))
    assert caught.value.detail == "No group was formed, and all records as one fail."


@SOME
@given(
    tables(max_records=16),
    st.sampled_from(sorted(GROUP_METHODS)),
    st.sampled_from(["exact", "omega"]),
    st.integers(0, 1000),
)
def test_what_a_method_makes_is_its_partition_certified_in_another_order(
    records: Records, name: str, estimator: Literal["exact", "omega"], seed: int
) -> None:
    requirements = parse_policy(POLICY).requirements
    threat, method = ThreatModel(as_table(records)), GROUP_METHODS[name]
    options = method.options(estimator=estimator)
    steps: list[str] = []

    class Told(Progress):
        """Progress that hears of its steps."""

        def step(self, name: str) -> Progress:
            steps.append(name)
            return self

    # The last order that is drawn is that of the groups' numbers.
    drawn: list[IntArray] = []

    class Overheard(SeededChance):
        """Chance whose orders are noted."""

        def order(self, size: int) -> IntArray:
            drawn.append(super().order(size))
            return drawn[-1]

    try:
        partitioned, groups, form = method.partition(
            Job(threat.tried(), requirements, options, SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        return
    expected = certify(
        partitioned,
        requirements,
        groups,
        estimator,
        pool=form.pool,
        improving=options.improves,
    )
    if not len(expected.groups):
        with pytest.raises(UnattainableRequirement, match="nothing to publish") as caught:
            method.make(Job(threat, requirements, options, Overheard(seed), Told()))
        said = f"All {expected.failed} groups fail" if expected.failed else "No group was formed"
        assert said in caught.value.detail
        return
    release, certificate = method.certified(
        Job(threat, requirements, options, Overheard(seed), Told())
    )
    assert (release.parts, release.groups) == (certificate.parts, certificate.groups)
    assert (type(release.form), release.form.levels) == (type(method.form), form.levels)
    # What comes to be published alike by improvement is certified anew.
    own = ["partitioning", "certifying", *["improving"] * options.improves]
    assert steps in (own, [*own, "certifying"])
    assert [sorted(cells) for cells in release.groups] == [
        sorted(expected.groups[place]) for place in drawn[-1]
    ]
    for mine, yours in zip(certificate.measurements, expected.measurements, strict=True):
        np.testing.assert_allclose(np.sort(mine.figures), np.sort(yours.figures), atol=1e-12)
        assert set(mine.used) == set(yours.used)


def test_mondrian_unrefined_is_that_of_the_paper() -> None:
    # The median puts the age of 3 to those of 90 and 91; a move, and another cut, mend that.
    records = by_age("0a 1b 2c 3a 90b 91c")
    threat = ThreatModel(as_table(records))
    requirements = parse_policy({"k_anonymity": {"k": 2}}).requirements
    groups = {}
    for refine in (False, True):
        options = GROUP_METHODS["mondrian"].options(refine=refine)
        release, _ = GROUP_METHODS["mondrian"].certified(
            Job(threat, requirements, options, SeededChance(1), SILENT)
        )
        groups[refine] = {frozenset(group) for group in release.groups}
    expected = oracles.mondrian(records, records.everything(), lambda group: len(group) >= 2)
    assert groups[False] == {frozenset(group) for group in expected}
    assert frozenset({3, 4, 5}) in groups[False]
    assert groups[True] == {frozenset(group) for group in ([0, 1], [2, 3], [4, 5])}


def test_bucketize_forms_the_groups_of_mondrian() -> None:
    attribute = Attribute("a", tuple("abcdef"))
    sensitive = Attribute("s", ("x", "y"))
    records = Records(
        (attribute,), sensitive, tuple((value, secret) for value in "abcdef" for secret in "xy")
    )
    threat = ThreatModel(as_table(records))
    requirements = parse_policy({"k_anonymity": {"k": 2}}).requirements
    _, groups, _ = GROUP_METHODS["bucketize"].partition(
        Job(threat, requirements, MondrianOptions(), SeededChance(1), SILENT)
    )
    expected = mondrian(threat, requirements)
    np.testing.assert_array_equal(groups.members, expected.members)
    np.testing.assert_array_equal(groups.offsets, expected.offsets)


@pytest.mark.parametrize("name", ["mondrian", "agglomerate", "bucketize", "incognito"])
def test_a_cut_that_knowledge_rules_out_is_not_made(name: str) -> None:
    # Whoever is called x has b, says the knowledge; but all have a. With the others it may be so.
    rows = [("x", "a")] * 10 + [("y", "ab"[i % 2]) for i in range(30)]
    table = as_table(
        Records((Attribute("q", ("x", "y")),), Attribute("s", ("a", "b")), tuple(rows))
    )
    policy = {"k_anonymity": {"k": 5}, "bt_privacy": {"bandwidth": {"table": "p"}, "t": 1}}
    requirements = parse_policy(policy).requirements
    prior = np.array([[0.0, 1.0], [0.9, 0.1]])
    threat = ThreatModel(table, library=Known(prior))
    method = GROUP_METHODS[name]
    options = method.options()
    method.check(threat, requirements, options)
    release, _ = method.certified(Job(threat, requirements, options, SeededChance(1), SILENT))
    assert [sorted(cells) for cells in release.groups] == [[0, 1]]
    recoded = threat.tried().over(Parts.of(table))
    assert np.isinf(requirements[1].measure(recoded, as_groups([[0], [1]])).figures).any()
    # The same groups measured for good are an error.
    with pytest.raises(ContradictoryKnowledge):
        requirements[1].measure(threat, as_groups([[0], [1]]), "auto")


def test_anatomy_names_the_value_before_anything_else() -> None:
    rows = [(str(i), "flu" if i < 6 else f"v{i % 3}") for i in range(12)]
    ages = Attribute("age", tuple(str(i) for i in range(12)), {str(i): i for i in range(12)})
    diseases = Attribute("disease", ("flu", "v0", "v1", "v2"))
    threat = ThreatModel(as_table(Records((ages,), diseases, tuple(rows))))
    for variant in ("distinct", "probabilistic", "entropy"):
        policy = {"l_diversity": {"l": 3, "variant": variant}}
        with pytest.raises(UnattainableRequirement, match="'flu'") as caught:
            find_method("anatomy").check(threat, parse_policy(policy).requirements, GroupOptions())
        assert "6 of 12 records, a share of 0.5" in caught.value.detail


def test_anatomy_takes_its_l_from_the_policy() -> None:
    attribute = Attribute("a", ("a",))
    sensitive = Attribute("s", tuple("vwxyz"))
    records = Records((attribute,), sensitive, tuple(("a", secret) for secret in "vwxyz" * 4))
    threat = ThreatModel(as_table(records))
    for l, count in ((2, 10), (2.5, 6), (4, 5), (5, 4)):  # noqa: E741
        policy = {"l_diversity": {"l": l, "variant": "probabilistic"}}
        partitioned, groups, _ = GROUP_METHODS["anatomy"].partition(
            Job(threat, parse_policy(policy).requirements, GroupOptions(), SeededChance(1), SILENT)
        )
        assert len(groups) == count
        assert partitioned.parts.histograms(groups).max() == 1
        # They all look alike, but are told apart by number.
        options = GroupOptions(seed=1)
        requirements = parse_policy(policy).requirements
        release, _ = GROUP_METHODS["anatomy"].certified(
            Job(threat, requirements, options, SeededChance(1), SILENT)
        )
        assert len(release.groups) == count
    with pytest.raises(InvalidParameter, match="l_diversity"):
        GROUP_METHODS["anatomy"].partition(
            Job(
                threat,
                parse_policy({"k_anonymity": {"k": 2}}).requirements,
                GroupOptions(),
                SeededChance(1),
                SILENT,
            ),
        )


def test_incognito_may_suppress_what_keeps_the_whole_table_from_meeting_a_policy() -> None:
    rows = [("x", "a")] * 5 + [("y", "ab"[i % 2]) for i in range(6)]
    records = Records((Attribute("q", ("x", "y")),), Attribute("s", ("a", "b")), tuple(rows))
    threat, method = ThreatModel(as_table(records)), GROUP_METHODS["incognito"]
    requirements = parse_policy({"l_diversity": {"l": 2, "variant": "probabilistic"}}).requirements
    with pytest.raises(UnattainableRequirement, match="not even by one group of the whole"):
        method.check(threat, requirements, method.options())
    options = method.options(suppression=0.5)
    method.check(threat, requirements, options)
    release, certificate = method.certified(
        Job(threat, requirements, options, SeededChance(1), SILENT)
    )
    assert [cells.tolist() for cells in release.groups] == [[1]]
    assert certificate.suppressed.tolist() == [0]


@pytest.mark.parametrize("name", ["mondriaan", "", None, 3])
def test_an_unknown_method_is_refused_with_the_known_ones(name: object) -> None:
    with pytest.raises(InvalidParameter) as caught:
        find_method(name)
    assert json.dumps(name) in caught.value.message
    assert all(choice in caught.value.hint for choice in METHODS)


@SOME
@given(tables(max_records=16), st.data())
def test_a_certificate_in_another_order_says_the_same(
    records: Records, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells)))
    threat = ThreatModel(table)
    policy = {"k_anonymity": {"k": 1}, "bt_privacy": POLICY["bt_privacy"]}
    requirements = parse_policy(policy).requirements
    certificate = certify(threat, requirements, groups, "exact", pool=Anatomized().pool)
    order = np.array(data.draw(st.permutations(range(len(certificate.groups)))), dtype=np.int64)
    again = certificate.reordered(order)
    assert [list(cells) for cells in again.groups] == [
        list(certificate.groups[place]) for place in order
    ]
    for requirement, measured in zip(requirements, again.measurements, strict=True):
        anew = requirement.measure(ThreatModel(threat.parts), again.groups, "exact")
        np.testing.assert_allclose(measured.figures, anew.figures, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(measured.exact, anew.exact)


def test_groups_that_are_published_by_number_are_not_joined_for_looking_alike() -> None:
    attribute = Attribute("a", ("1", "2", "3"), {"1": 1, "2": 2, "3": 3})
    records = Records(
        (attribute, Attribute("b", ("x",))),
        Attribute("s", ("u", "v")),
        tuple((a, "x", s) for a in "123" for s in "uv"),
    )
    table = as_table(records)
    # Split so that two groups span the same extent.
    cells = np.array([0, 1, 2, 0, 1, 2])
    halves = np.array([0, 0, 0, 1, 1, 1])
    parts, groups = Parts.of(table).dealt(cells, halves, halves)
    threat = ThreatModel(parts)
    requirements = parse_policy({"k_anonymity": {"k": 1}}).requirements
    assert len(certify(threat, requirements, groups, "exact", pool=Generalized().pool).groups) == 1
    assert len(certify(threat, requirements, groups, "exact", pool=Anatomized().pool).groups) == 2


def test_exact_quasi_identifiers_cost_no_certainty() -> None:
    records = Records(
        (Attribute("a", ("1", "9"), {"1": 1, "9": 9}),),
        Attribute("s", ("u",)),
        (("1", "u"), ("9", "u")),
    )
    parts = Parts.of(as_table(records))
    release = Release(parts, Groups.whole(len(parts)), Generalized())
    assert utility(release)["gcp"] == 1
    for form in (Bucketized(), Anatomized()):
        assert utility(replace(release, form=form)) == {**utility(release), "gcp": 0.0, "rgcp": 0.0}


@pytest.mark.parametrize("name", METHODS)
def test_the_form_of_a_method_is_known_without_it(name: str) -> None:
    form = form_of(name)
    assert (type(form), form.name) == (type(METHODS[name].form), METHODS[name].form.name)
    assert METHODS[name].name == name
    assert (name in GROUP_METHODS) == isinstance(METHODS[name], GroupMethod)
