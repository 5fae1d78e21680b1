"""Readers who know the method and the policy: beliefs equal to those over all tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import posterior
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import (
    ContradictoryKnowledge,
    TooLarge,
    UnattainableRequirement,
    Unsupported,
)
from bkpriv_core.method import METHODS, Job, parse_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from studies.attacks import worlds
from studies.attacks.worlds import Publish, Worlds, infer_worlds, publishing, sampled
from tests.conftest import sample
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import as_array, as_parts, as_table, beliefs, by_age, tables
from tests.core.test_attack_assignment import shown

STILL = sorted(name for name, method in METHODS.items() if not method.draws)
"""Methods that draw nothing."""

POLICIES: list[dict[str, Any]] = [
    {"k_anonymity": {"k": 2}},
    {"l_diversity": {"l": 2, "variant": "distinct"}},
    {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.2}]},
    {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.4, "t": 0.1, "smoothing": 0.75}]},
    {"max_disclosure": {"tau": 0.7}},
    {"t_closeness": {"t": 0.3}},
]


def publication(name: str, policy: Mapping[str, Any], **options: object) -> Publish:
    """Publication by a method under a policy."""
    method = METHODS[name]
    requirements = parse_policy(policy).requirements
    return publishing(method, requirements, parse_options(method, options))


def appearance(records: Records, release: Release) -> Hashable:
    """Rows of a release as a reader sees them, in the words of the oracle."""
    recoding = getattr(release.form, "recoding", ())
    cells, labels = records.cells(), release.labels.tolist()
    assert release.parts.whole
    rows: list[Hashable] = []
    for label in range(len(release.groups)):
        group = [
            record for cell, mine in enumerate(labels) if mine == label for record in cells[cell]
        ]
        if release.form.exact:
            whole = sorted(str(records.rows[record][:-1]) for record in group)
            rows.append((tuple(whole), tuple(sorted(records.secrets(group)))))
            continue
        sides: list[Hashable] = []
        for axis, attribute in enumerate(records.attributes):
            column = records.column(group, axis)
            if recoding:  # All values of the classes.
                codes = {attribute.values.index(value) for value in column}
                leaf = release.table.quasi_identifiers[axis].leaf_order
                low = min(recoding[axis].low[leaf[code]] for code in codes)
                high = max(recoding[axis].high[leaf[code]] for code in codes)
                column = [
                    value
                    for code, value in enumerate(attribute.values)
                    if low <= leaf[code] <= high
                ]
                if attribute.numbers is None and recoding[axis].level:
                    sides.append("*")
                    continue
            sides.append(shown(attribute, column, "range"))
        rows += [(tuple(sides), secret) for secret in records.secrets(group)]
    # Values of groups that look alike stand together.
    return frozenset(Counter(rows).items())


def published(records: Records, publish: Publish) -> Release | None:
    """The release of a table."""
    return publish(as_table(records))


def enumerated(
    records: Records, prior: Sequence[Sequence[Fraction]], publish: Publish
) -> tuple[int, list[list[Fraction]]] | None:
    """All worlds, published one by one: how many are alike, and beliefs; None if there is none.

    Worlds are counted as tables of counts, and as handing values to everybody they are weighed.
    """
    release = published(records, publish)
    assert release is not None
    seen = appearance(records, release)
    sums = [[Fraction(0)] * len(belief) for belief in prior]
    total = Fraction(0)
    kept: dict[Hashable, bool] = {}
    for world in product(range(len(records.sensitive.values)), repeat=len(records.rows)):
        weight = Fraction(1)
        for belief, value in zip(prior, world, strict=True):
            weight *= belief[value]
        if not weight:
            continue
        rows = tuple(
            (*row[:-1], records.sensitive.values[value])
            for row, value in zip(records.rows, world, strict=True)
        )
        key = frozenset(Counter(rows).items())
        if key not in kept:
            other = replace(records, rows=rows)
            found = published(other, publish)
            kept[key] = found is not None and appearance(other, found) == seen
        if kept[key]:
            total += weight
            for belief, value in zip(sums, world, strict=True):
                belief[value] += weight
    if not total:
        return None
    return sum(kept.values()), [[share / total for share in row] for row in sums]


def check(records: Records, prior: Sequence[Sequence[Fraction]], publish: Publish) -> None:
    """Hold the attack against the enumeration; `prior` is by cell."""
    release = published(records, publish)
    if release is None:
        return
    cells = records.cells()
    by_record = [prior[0]] * len(records.rows)
    for belief, cell in zip(prior, cells, strict=True):
        for record in cell:
            by_record[record] = belief
    expected = enumerated(records, by_record, publish)
    if expected is None:
        with pytest.raises(ContradictoryKnowledge):
            infer_worlds(release, as_array(prior), publish)
        return
    alike, believed = expected
    found = infer_worlds(release, as_array(prior), publish)
    assert found.alike == alike <= found.worlds
    np.testing.assert_allclose(
        found.beliefs, as_array([believed[cell[0]] for cell in cells]), atol=1e-9
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Records, list[list[Fraction]]]:
    """A small table and a prior about each cell."""
    records = draw(
        tables(
            min_records=4,
            max_records=6,
            max_attributes=2,
            max_values=2,
            kinds=("numeric", "flat"),
            sensitive_kinds=("flat",),
        )
    )
    size = len(records.sensitive.values)
    return records, [draw(beliefs(size)) for _ in records.cells()]


@settings(max_examples=sample(20), deadline=None)
@given(cases(), st.sampled_from(STILL), st.sampled_from(POLICIES))
def test_beliefs_equal_those_over_all_tables(
    case: tuple[Records, list[list[Fraction]]], name: str, policy: dict[str, Any]
) -> None:
    check(*case, publication(name, policy))


def certified(release: Release, prior: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Beliefs of a reader who knows the groups alone, by part."""
    groups = release.form.pool(release.parts, release.groups)
    found = np.array(prior)
    found[groups.members] = posterior(groups, release.parts.counts, (prior,), "exact").beliefs[0]
    return found


def attack(records: Records, publish: Publish, bandwidth: float) -> tuple[Release, Worlds]:
    """A release, and the attack on it with the prior of a bandwidth."""
    release = published(records, publish)
    assert release is not None
    prior = ThreatModel(release.table).prior(bandwidth)
    return release, infer_worlds(release, prior, publish)


def test_six_of_eight_people_are_certain_to_who_knows_the_algorithm() -> None:
    records = by_age(*("sick" if age in (2, 5, 8) else "well" for age in range(1, 9)))
    policy = {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.2}]}
    release, found = attack(records, publication("mondrian", policy), 0.5)
    assert found.alike == 2
    assert (found.beliefs.max(axis=1) > 1 - 1e-9).sum() == 6
    # Though nobody learns much from the groups alone.
    prior = ThreatModel(release.table).prior(0.5)
    moved = [
        oracles.belief_distance(records.sensitive, before, after)
        for before, after in zip(prior, certified(release, prior), strict=True)
    ]
    assert max(moved) == pytest.approx(0.0045, abs=5e-5)


@pytest.mark.extended
@pytest.mark.parametrize("name", STILL)
def test_where_groups_do_not_look_at_values_the_algorithm_tells_nothing_more(name: str) -> None:
    publish = cached(publication(name, {"k_anonymity": {"k": 3}}))
    for secrets in product("ab", repeat=8):
        if len(set(secrets)) == 2:
            release, found = attack(by_age(*secrets), publish, 0.5)
            prior = ThreatModel(release.table).prior(0.5)
            np.testing.assert_allclose(found.beliefs, certified(release, prior), atol=1e-9)


def cached(publish: Publish) -> Publish:
    """The same publication, that publishes each of some tables with the same cells once."""
    made: dict[bytes, Release | None] = {}

    def remembered(table: Any) -> Release | None:
        key = table.counts.tobytes()
        if key not in made:
            made[key] = publish(table)
        return made[key]

    return remembered


@pytest.mark.extended
@pytest.mark.parametrize("name", STILL)
def test_beliefs_equal_those_over_all_tables_of_each_method(name: str) -> None:
    @settings(max_examples=200, deadline=None)
    @given(cases(), st.sampled_from(POLICIES))
    def tried(case: tuple[Records, list[list[Fraction]]], policy: dict[str, Any]) -> None:
        check(*case, publication(name, policy))

    tried()


@pytest.mark.parametrize("name", sorted(set(METHODS) - set(STILL)))
def test_methods_that_draw_are_refused(name: str) -> None:
    options = {"scheme": "rr-s"} if name == "randomize" else {}
    with pytest.raises(Unsupported, match=f"method {name} "):
        publication(name, {"k_anonymity": {"k": 2}}, **options)


@given(cases(), st.sampled_from(STILL), st.sampled_from(POLICIES), st.integers(0, 99))
def test_methods_that_are_said_to_draw_nothing_draw_nothing(
    case: tuple[Records, list[list[Fraction]]], name: str, policy: dict[str, Any], seed: int
) -> None:
    method, threat = METHODS[name], ThreatModel(as_table(case[0]))
    seen = set()
    for chance in (SeededChance(seed), SeededChance(seed + 1)):
        job = Job(threat, parse_policy(policy).requirements, method.options(), chance, SILENT)
        try:
            method.check(threat, job.requirements, job.options)
            seen.add(appearance(case[0], method.make(job).release))
        except UnattainableRequirement:
            seen.add(None)
    assert len(seen) == 1


def test_a_release_that_the_method_would_not_make_is_refused() -> None:
    records = by_age(*"abababab")
    release, _ = attack(records, publication("mondrian", {"k_anonymity": {"k": 2}}), 0.5)
    with pytest.raises(Unsupported, match="not what its method makes"):
        infer_worlds(
            release,
            ThreatModel(release.table).prior(0.5),
            publication("mondrian", {"k_anonymity": {"k": 4}}),
        )


def test_too_many_worlds_are_refused_with_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = by_age(*"abababab")
    publish = publication("mondrian", {"k_anonymity": {"k": 4}})
    release = published(records, publish)
    assert release is not None
    prior = ThreatModel(release.table).prior(0.5)
    assert infer_worlds(release, prior, publish, most=36).worlds == 36
    with pytest.raises(TooLarge, match=r"^36 tables"):
        infer_worlds(release, prior, publish, most=35)
    with pytest.raises(TooLarge, match=r"^at least 36 tables"):
        infer_worlds(release, prior, publish, most=5)
    monkeypatch.setattr(worlds, "_TRIES", 1)
    with pytest.raises(TooLarge, match=r"^too many tables") as refused:
        infer_worlds(release, prior, publish)
    assert "in 1 steps" in refused.value.detail


def test_very_many_worlds_are_told_by_their_power_of_ten() -> None:
    records = by_age(*("ab" * 40))
    publish = publication("mondrian", {"k_anonymity": {"k": 4}})
    release = published(records, publish)
    assert release is not None
    # Values of each of sixteen groups of five can be handed out in ten ways.
    with pytest.raises(TooLarge, match=r"^at least 10\^11 tables"):
        infer_worlds(release, ThreatModel(release.table).prior(0.5), publish)


def test_worlds_of_large_groups_are_not_looked_for() -> None:
    records = by_age(*("ab" * 700))
    publish = publication("mondrian", {"k_anonymity": {"k": 1000}})
    release = published(records, publish)
    assert release is not None
    with pytest.raises(TooLarge, match=r"^too many tables"):
        infer_worlds(release, ThreatModel(release.table).prior(0.5), publish)


def test_cells_of_many_people_and_values_are_refused_and_not_gone_through() -> None:
    values = [f"d{number}" for number in range(120)]
    records = by_age(*values)
    rows = tuple((str(20 + number % 2), value) for number, value in enumerate(values))
    table = as_table(replace(records, rows=rows))
    release = publication("mondrian", {"k_anonymity": {"k": 5}})(table)
    assert release is not None
    prior = np.full((table.cells, len(values)), 1 / len(values))
    with pytest.raises(TooLarge, match=r"^too many tables"):
        infer_worlds(
            Release(release.parts, Groups.whole(table.cells), release.form),
            prior,
            lambda _: Release(release.parts, Groups.whole(table.cells), release.form),
        )


def test_people_who_are_told_apart_are_refused() -> None:
    records = by_age(*"abab")
    parts = as_parts(records, range(4))
    alike = Parts(parts.table, np.array([0, 0, 2, 3]), parts.counts)
    release = Release(alike, Groups.whole(4), METHODS["mondrian"].form)
    with pytest.raises(Unsupported, match="told apart"):
        infer_worlds(release, np.full((4, 2), 0.5), lambda table: release)


def test_samples_are_of_the_table() -> None:
    table = as_table(by_age(*"aabbab"))
    drawn = [sampled(table, 3, np.random.default_rng(seed)) for seed in range(60)]
    for some, cells in drawn:
        assert some.records == 3
        assert some.domains == table.domains
        assert (some.codes == table.codes[cells]).all()
        assert (some.counts <= table.counts[cells]).all()
    # Everybody is drawn in about half of them.
    times = Counter(int(cell) for _, cells in drawn for cell in cells)
    assert sorted(times) == list(range(6))
    assert min(times.values()) > 15
