"""Companions: each requirement has one, or several releases do not concern it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.composition.companion import Companion, adversaries, companion, jointly
from bkpriv_core.policy import REQUIREMENTS
from bkpriv_core.requirement import (
    BeliefBreach,
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    PairDivergence,
    Requirement,
    TCloseness,
)
from bkpriv_core.requirement.scope import Scope

MEASURED: list[Requirement] = [
    KAnonymity(2),
    LDiversity(2),
    MaxDisclosure(0.5),
    TCloseness(0.2),
    BetaLikeness(1.0),
    BtPrivacy(((0.3, 0.2),)),
    BeliefBreach.of_sure(((0.3, Scope()),)),
]

UNMEASURED: dict[Requirement, str] = {
    CkSafety(0.5, 2): "implications are about the persons of one release",
    JsDivergence(0.2, 0.3): "priors of a group's records do not depend on other releases",
    PairDivergence(0.2, (0.3,)): "priors of a group's records do not depend on other releases",
    MInvariance(2): "it is about what a group shows of those of the last release",
}


def test_each_requirement_has_a_companion_or_a_reason() -> None:
    assert {item.key for item in (*MEASURED, *UNMEASURED)} == set(REQUIREMENTS)
    for item in MEASURED:
        assert type(companion(item)) is not Companion, item
        assert companion(item).part == item
        assert type(companion(item)).figures is not Companion.figures, item
    for item, reason in UNMEASURED.items():
        assert type(companion(item)) is Companion, reason
        assert companion(item).part is None, reason
    measured, untold = jointly([*MEASURED, *UNMEASURED])
    assert measured == MEASURED
    assert untold == [item.key for item in UNMEASURED]
    assert adversaries(measured) == [None, 0.3]


def test_companions_are_of_requirements_that_there_are() -> None:
    for kind in companion.registry:
        assert any(issubclass(each, kind) for each in REQUIREMENTS.values()), kind


def test_those_who_remember_are_left_out_of_what_is_measured() -> None:
    assert companion(BtPrivacy(((Remembered("s"), 0.2), (0.3, 0.1)))).part == BtPrivacy(
        ((0.3, 0.1),)
    )
    assert companion(BtPrivacy(((Remembered("s"), 0.2),))).part is None


@pytest.mark.parametrize("room", ["together", "sequence"])
def test_requirements_are_read_without_several_releases(room: str) -> None:
    program = (
        "import sys; import bkpriv_core.requirement; "
        f"sys.exit(any(name.startswith('bkpriv_core.{room}') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
