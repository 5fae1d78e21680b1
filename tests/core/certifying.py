"""Common parts of the tests of certification, and of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from bkpriv_core.belief import disclosure as disclosure_module
from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import certification as certification_module
from bkpriv_core.partition import evaluation as judging_module
from bkpriv_core.partition.certification import Beyond, Certificate
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import BtPrivacy, KAnonymity, Requirement
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import as_table, records_of

__all__ = [
    "HOPELESS",
    "HOPELESS_POLICY",
    "INSEPARABLE",
    "INSEPARABLE_POLICY",
    "MENDABLE",
    "MENDABLE_POLICY",
    "Pooled",
    "as_cells",
    "by_age",
    "certified",
    "certify",
    "limit_exact",
    "of_cells",
    "outcome",
]

certify = partial(certification_module.certify, pool=Generalized().pool)


def as_cells(groups: Groups) -> set[frozenset[int]]:
    """Groups without their order."""
    return {frozenset(group.tolist()) for group in groups}


class Pooled:
    """Joins groups that are published alike, and counts how often it is asked to."""

    def __init__(self) -> None:
        self.times, self.joined = 0, False

    def __call__(self, parts: Parts, groups: Groups) -> Groups:
        """Join groups, as `Pool` says."""
        self.times += 1
        pooled = Generalized().pool(parts, groups)
        self.joined |= len(pooled) < len(groups)
        return pooled

    @property
    def once(self) -> bool:
        """Whether nothing that was exchanged came to be published alike."""
        return self.times == 2


def of_cells(records: Records, allowed: Callable[[Group], bool]) -> Callable[[list[int]], bool]:
    """Say of cells what is said of records."""
    return lambda cells: allowed(records_of(records, cells))


def outcome(certificate: Certificate) -> tuple[int, set[frozenset[int]], list[int]]:
    """Number of failed groups, the published groups, and the suppressed parts."""
    return certificate.failed, as_cells(certificate.groups), certificate.suppressed.tolist()


def by_age(rows: str) -> Records:
    """A table of ages and diseases, written as ``10b 15c``."""
    pairs = [(item[:-1], item[-1]) for item in rows.split()]
    ages = {age: int(age) for age in sorted({age for age, _ in pairs}, key=int)}
    return Records(
        (Attribute("age", tuple(ages), numbers=ages),),
        Attribute("disease", tuple(sorted({disease for _, disease in pairs}))),
        tuple(pairs),
    )


# --- Cases where omega certifies what exact inference does not ------------------------------------

MENDABLE = by_age("10b 15c 25b 40a 40c")
MENDABLE_POLICY = [KAnonymity(2), BtPrivacy(((0.5, 0.1),))]

# Nothing but the union of the two groups holds without loss.
INSEPARABLE = by_age("1c 5a 7c 7c 8a")
INSEPARABLE_POLICY = [KAnonymity(2), BtPrivacy(((0.5, 0.1),))]

# No cells hold but the last three.
HOPELESS = by_age("1b 3c 5a 7a 8a 9b")
HOPELESS_POLICY = [KAnonymity(2), BtPrivacy(((0.3, 0.02),))]


def certified(
    records: Records,
    policy: list[Requirement],
    estimator: str,
    beyond: Beyond = "estimate",
) -> tuple[Groups, Certificate]:
    """Cut a table, and certify what it is cut into."""
    threat = ThreatModel(as_table(records))
    groups = mondrian(threat, policy)
    return groups, certify(threat, policy, groups, estimator, beyond=beyond)  # type: ignore[arg-type]


def limit_exact(
    patch: pytest.MonkeyPatch, most: int, small: int = 5, *, bounding: bool = False
) -> None:
    """Give exact inference a budget of `most` states, and unions of up to `small` no screening.

    Where bounds are tried, those of more than `small` states are bounded first.
    """
    for module in (posterior_module, judging_module):
        patch.setattr(module, "AUTO_STATES", most)
    if bounding:
        patch.setattr(disclosure_module, "FEW_STATES", small)
        patch.setattr(disclosure_module, "AUTO_STATES", most)
    first, second, third, fourth = judging_module.EFFORTS
    efforts = (
        replace(first, most=small),
        replace(second, above=small),
        replace(third, above=small, most=most),
        replace(fourth, above=most),
    )
    patch.setattr(judging_module, "EFFORTS", efforts)
