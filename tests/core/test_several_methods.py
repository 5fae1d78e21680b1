"""Methods of several sensitive columns: what they publish holds for each column by itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import CkSafety, TableRequirement
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import BoolArray, Groups
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute
from tests.core.several import COLUMNS, Told, told
from tests.core.strategies import SOME, as_table

SEVERAL = sorted(name for name, method in GROUP_METHODS.items() if method.combines)

NEEDED = {
    "anatomy": ("l_diversity",),
    "k_anonymity_primacy": ("k_anonymity", "beta_likeness", "pair_divergence"),
    "beta_likeness_primacy": ("k_anonymity", "beta_likeness", "pair_divergence"),
}
"""Requirements that methods form groups by."""

POLICY: dict[str, Any] = {
    "k_anonymity": {"k": 2},
    "l_diversity": {"l": 1.5, "variant": "probabilistic"},
    "max_disclosure": {"tau": 0.8, "sensitive": "s2"},
    "t_closeness": {"t": 0.8, "joint": True},
    "beta_likeness": {"beta": 4},
    "ck_safety": {"c": 0.95, "k": 1},
    "bt_privacy": [{"bandwidth": 0.4, "t": 0.6}, {"bandwidth": 0.4, "t": 0.8, "joint": True}],
    "pair_divergence": {"theta": 0.6, "bandwidth": 0.4},
}


@SOME
@given(
    told(most=16),
    st.sampled_from(SEVERAL),
    st.lists(st.sampled_from(sorted(POLICY)), unique=True),
    st.integers(0, 1000),
)
def test_what_is_published_holds_by_column(
    table: Told, name: str, keys: list[str], seed: int
) -> None:
    method = GROUP_METHODS[name]
    policy = {key: POLICY[key] for key in sorted({*keys, *NEEDED.get(name, ("k_anonymity",))})}
    requirements = parse_policy(policy).about(COLUMNS).requirements
    threat = ThreatModel(table.table)
    try:
        method.check(threat, requirements, method.options())
        release, rows, _ = method.make(
            Job(threat, requirements, method.options(), SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        return
    assert all(row.satisfied for row in rows)
    sensitive = table.table.sensitive
    assert isinstance(sensitive, Combination)
    groups, parts = release.groups, release.parts
    # The same groups, of tables that have one of the columns, or combinations as plain values.
    for place, plain in enumerate((*table.columns, table.joint)):
        codes = np.arange(sensitive.size) if place == 2 else sensitive.rows[:, place]
        alone = as_table(plain)
        counts = np.zeros((len(parts), alone.sensitive.size), dtype=np.int64)
        np.add.at(counts.T, codes, parts.counts.T)
        there = ThreatModel(Parts(alone, parts.cell, counts))
        for key, stated in policy.items():
            if key in ("k_anonymity", "bt_privacy"):
                continue
            if ("joint" in stated) != (place == 2) or stated.get("sensitive", "s2") != "s2":
                continue
            if "sensitive" in stated and place != 1:
                continue
            less = {k: v for k, v in stated.items() if k not in ("joint", "sensitive")}
            (requirement,) = parse_policy({key: less}).requirements
            figures = requirement.measure(there, groups).figures
            for bound, figure in zip(requirement.bounds, figures, strict=True):
                assert not bound.broken(figure).any(), (key, place)


def test_two_requirements_on_all_groups_are_kept_at_once() -> None:
    """A cut that one keeper lets pass and the other does not leaves both as they were."""
    rows = [
        (str(age), "abc"[age % 3], "xyz"[(age // 2) % 3]) for age in range(24) for _ in range(2)
    ]
    ages = {str(age): age for age in range(24)}
    table = Told(
        [Attribute("q", tuple(ages), numbers=ages)],
        [Attribute("s1", ("a", "b", "c")), Attribute("s2", ("x", "y", "z"))],
        rows,
    )
    policy = parse_policy({"ck_safety": {"c": 0.8, "k": 1}, "k_anonymity": {"k": 2}})
    requirements = policy.about(COLUMNS).requirements
    assert sum(isinstance(item, TableRequirement) for item in requirements) == 2
    for name in SEVERAL:
        method = GROUP_METHODS[name]
        if method.needs:
            continue
        try:
            _, found, _ = method.make(
                Job(
                    ThreatModel(table.table),
                    requirements,
                    method.options(),
                    SeededChance(1),
                    SILENT,
                )
            )
        except UnattainableRequirement:
            continue
        assert all(row.satisfied for row in found)


class _Book:
    """Keeps what it is told, and lets everything pass."""

    def __init__(self, groups: Groups) -> None:
        self.groups = Counter(map(tuple, self._sets(groups)))

    @staticmethod
    def _sets(groups: Groups) -> list[list[int]]:
        return [sorted(group.tolist()) for group in groups]

    def split(self, parents: Groups, halves: Groups) -> BoolArray:
        self.exchange(parents, halves)
        return np.ones(len(parents), dtype=bool)

    def exchange(self, before: Groups, after: Groups) -> bool:
        gone = Counter(map(tuple, self._sets(before)))
        assert not gone - self.groups
        self.groups = self.groups - gone + Counter(map(tuple, self._sets(after)))
        return True


class _Picky(_Book):
    """Lets every other cut pass."""

    def split(self, parents: Groups, halves: Groups) -> BoolArray:
        every_other: BoolArray = np.arange(len(parents)) % 2 == 0
        return every_other


def test_a_cut_that_one_requirement_refuses_is_undone_for_the_others() -> None:
    books: list[_Book] = []

    class ContributionBound(CkSafety):
        def keeper(self, threat: ThreatModel, groups: Groups) -> Any:
            books.append(_Book(groups))
            return books[-1]

    class Refused(CkSafety):
        def keeper(self, threat: ThreatModel, groups: Groups) -> Any:
            return _Picky(groups)

    ages = {str(age): age for age in range(32)}
    rows = [(str(age), "ab"[age % 2], "xy"[age // 2 % 2]) for age in range(32)]
    table = Told(
        [Attribute("q", tuple(ages), numbers=ages)],
        [Attribute("s1", ("a", "b")), Attribute("s2", ("x", "y"))],
        rows,
    )
    threat = ThreatModel(table.table)
    groups = mondrian(threat, [ContributionBound(1.0, 0), Refused(1.0, 0)], elsewhere=True)
    assert len(groups) > 2
    (book,) = books
    assert book.groups == Counter(tuple(sorted(group.tolist())) for group in groups)
