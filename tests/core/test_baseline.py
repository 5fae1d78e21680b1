"""The same table published k-anonymously and no more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.method.baseline import k_anonymous
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SecretChance
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.utility.measures import baseline_utility, utility
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import NEEDED, SOME, as_groups, as_table, partitions, tables


def groups_of(release: Release) -> set[frozenset[tuple[int, ...]]]:
    """Groups as sets of the codes of their cells."""
    return {
        frozenset(tuple(codes) for codes in release.parts.codes[members].tolist())
        for members in release.groups
    }


@SOME
@given(
    tables(max_records=24),
    st.sampled_from(
        sorted(name for name in GROUP_METHODS if NEEDED.get(name, set()) <= {"k_anonymity"})
    ),
    st.integers(1, 4),
)
def test_a_release_that_is_no_more_than_k_anonymous_is_its_own_baseline(
    records: Records, name: str, k: int
) -> None:
    requirements = parse_policy({"k_anonymity": {"k": k}}).requirements
    method, table = GROUP_METHODS[name], as_table(records)
    options = method.options()
    try:
        release, _ = method.certified(
            Job(ThreatModel(table), requirements, options, SecretChance(), SILENT)
        )
    except UnattainableRequirement:
        return
    if not len(release.groups):  # As `make` would refuse.
        return
    baseline = k_anonymous(release, requirements, method, options)
    assert groups_of(baseline) == groups_of(release)
    figures = baseline_utility(baseline)
    for metric, figure in utility(release).items():
        if metric in ("gcp", "rgcp") and release.form.exact:
            assert f"{metric}_k_anonymous" not in figures
        else:
            assert figures[f"{metric}_k_anonymous"] == pytest.approx(figure)


def records_in(release: Release, records: Records) -> list[list[int]]:
    """Records of each group, any of those that are alike where a cell is in several."""
    cells = records.cells()
    left = [list(zip(records.secrets(cell), cell, strict=True)) for cell in cells]
    groups = []
    for group in release.groups:
        members: list[int] = []
        for part in group:
            mine = left[release.parts.cell[part]]
            for value, count in enumerate(release.parts.counts[part].tolist()):
                members += [record for secret, record in mine if secret == value][:count]
            mine[:] = [pair for pair in mine if pair[1] not in members]
        groups.append(members)
    return groups


@SOME
@given(tables(min_records=2, max_records=24), st.sampled_from(sorted(GROUP_METHODS)), st.data())
def test_it_holds_the_whole_table_in_groups_of_k(
    records: Records, name: str, data: st.DataObject
) -> None:
    # Of any release, whatever made it, some of whose records may be left out.
    lists = data.draw(partitions(len(records.cells()), suppress=True).filter(bool))
    release = Release(Parts.of(as_table(records)), as_groups(lists), Generalized())
    k = data.draw(st.integers(1, int(release.sizes.min())))
    stated: dict[str, Any] = {"l_diversity": {"l": 1}}
    if data.draw(st.booleans()):
        stated["k_anonymity"] = {"k": k}
    else:
        k = int(release.sizes.min())
    method = GROUP_METHODS[name]
    requirements = parse_policy(stated).requirements
    made = [k_anonymous(release, requirements, method, method.options()) for _ in range(2)]
    assert (made[0].groups.members == made[1].groups.members).all()
    assert made[0].published == len(records.rows)
    assert made[0].sizes.min() >= k
    assert made[0].form.exact == method.form.exact
    expected = oracles.utility(records, records_in(made[0], records))
    figures = baseline_utility(made[0])
    for metric in ("discernibility", "average_class_size", "suppressed_share"):
        assert figures[f"{metric}_k_anonymous"] == float(expected[metric] or 0)
    if not method.form.exact and name != "incognito":
        assert figures["gcp_k_anonymous"] == pytest.approx(float(expected["gcp"] or 0))


def test_a_policy_without_k_is_compared_at_the_k_it_attains() -> None:
    parts = Parts.of(as_table(oracles.Records(*_ages(range(12)))))
    wholly = Release(parts, Groups.from_labels(parts.cell // 6), Generalized())
    method = GROUP_METHODS["mondrian"]
    requirements = parse_policy({"l_diversity": {"l": 1}}).requirements
    assert k_anonymous(wholly, requirements, method, method.options()).sizes.tolist() == [6, 6]
    stated = parse_policy({"k_anonymity": {"k": 3}}).requirements
    assert k_anonymous(wholly, stated, method, method.options()).sizes.tolist() == [3, 3, 3, 3]
    assert utility(wholly)["gcp"] == pytest.approx(5 / 11)


def _ages(ages: range) -> tuple[Any, Any, Any]:
    names = [str(age) for age in ages]
    age = oracles.Attribute("age", tuple(names), numbers={name: int(name) for name in names})
    rows = tuple((name, "s") for name in names)
    return (age,), oracles.Attribute("s", ("s",)), rows
