"""Composition: which spaces, methods, layers and requirements go together.

A publication is of a *space*: the sensitive columns, the respondents, the attributes that pass
through. A *method* makes it, as its traits allow. *Layers* wrap what the method makes: a release
may be *grown*, so that groups of the last one stay, and *beside* earlier ones, with which it is
certified together. Requirements may be about adversaries who remember earlier releases.

Everything composes but for the rows of `RULES`, which the documents list. Each has a reason and a
way out. `obstacles` finds those that stand in the way of a publication.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bkpriv_core.compatibility.plan import Plan, Space
from bkpriv_core.compatibility.rules import RULES, Rule
from bkpriv_core.errors import BkprivError
from bkpriv_core.policy import Overlap

__all__ = [
    "RULES",
    "Plan",
    "Rule",
    "Space",
    "check",
    "obstacles",
    "overlap_of",
]


def obstacles(plan: Plan) -> Iterator[BkprivError]:
    """Find the rules that stand in the way of a publication.

    Yields:
        One for each of `RULES` that applies.
    """
    for rule in RULES:
        error = rule.find(plan)
        if error is not None:
            yield error


def check(plan: Plan) -> None:
    """Refuse a publication that has obstacles.

    Raises:
        BkprivError: The first of them.
    """
    for error in obstacles(plan):
        raise error


def overlap_of(plan: Plan) -> Overlap:
    """Choose how other releases of the same records are treated: certified, unless that cannot be.

    Raises:
        BkprivError: If the policy wants them certified together, and that cannot be.
    """
    if plan.overlap not in (None, "certify"):
        return plan.overlap
    beside = next(obstacles(replace(plan, overlap="certify")), None)
    if beside is None:
        return "certify"
    if plan.overlap == "certify":
        raise beside
    return "warn"
