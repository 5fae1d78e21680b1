"""Attacks on a release: what readers find out whom no guarantee covers, by trying.

Certificates bound what adversaries of a policy come to believe. Others learn otherwise. Kifer
(Attacks on privacy and deFinetti's theorem, SIGMOD 2009) showed one: whoever looks at *all* groups
of a release sees how sensitive values depend on quasi-identifiers, though no group tells, and then
tells the members of a group apart by that. Here such readers are played, knowing of the release
what its form shows and of people their exact quasi-identifiers and group, and compared with the
truth.

What is true of a population is no breach of anybody's privacy. So every figure stands beside that
of a *baseline*: what is believed of a person by a classifier that was trained on all others
(`bkpriv_core.belief.learned`). Somebody is *breached* of whom an attacker is sure (.9), and right,
and of whom the baseline believed less than one half (.5). All figures are measured on this release,
exactly, for this attacker and this draw of folds; none is a guarantee, and another attacker may
find out more.

==================  ================================================================================
attacker            what it believes of the members of a group
==================  ================================================================================
``majority``        what the group shows: each value with its share
``learner``         what follows from the group, and from a classifier learned from all groups
``informed``        what follows from the group, and from the baseline
``without_groups``  what a generalized release tells who does not know who is in which group
==================  ================================================================================

An attacker is a class with its options (`attacker`), in a module of its own, listed in `ATTACKERS`.
It gives an `Outcome`: beliefs beside the baseline and the truth, from which all figures are made in
one place (`measures`), and figures of its own. A target (`target`) is a release as an attacker
finds it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bkpriv_core.attack.attacker import Attacker, AttackerOptions, Options
from bkpriv_core.attack.informed import Informed
from bkpriv_core.attack.learner import Learner
from bkpriv_core.attack.majority import Majority
from bkpriv_core.attack.measures import Found, Metric, findings, metrics
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.attack.without_groups import WithoutGroups
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.schema import near, read

__all__ = [
    "ATTACKERS",
    "Attacker",
    "Found",
    "Metric",
    "Options",
    "Outcome",
    "Target",
    "defaults",
    "find_attacker",
    "findings",
    "metrics",
    "parse_options",
]

ATTACKERS: dict[str, Attacker[Any]] = {
    attacker.name: attacker for attacker in (Majority(), Learner(), Informed(), WithoutGroups())
}
"""The attackers by name."""


def find_attacker(name: object) -> Attacker[Any]:
    """Look an attacker up.

    Raises:
        InvalidParameter: If there is none of that name.
    """
    if not isinstance(name, str) or name not in ATTACKERS:
        raise InvalidParameter(
            f"there is no attacker {as_json(name)}",
            detail="An attacker is a reader who is played, to see what they find out.",
            hint=f"{near(name, ATTACKERS)}Attackers are {', '.join(ATTACKERS)}.",
        )
    return ATTACKERS[name]


def parse_options(attacker: Attacker[AttackerOptions], stated: object) -> AttackerOptions:
    """Read the options of an attacker from decoded JSON.

    Raises:
        InvalidParameter: If an option is unknown, or has an invalid value.
    """
    options: AttackerOptions = read(attacker.options, stated, f"options of {attacker.name}")
    return options


def defaults(attacker: Attacker[Any]) -> dict[str, Any]:
    """Options of an attacker where none is stated, as in JSON; without those of no default."""
    return {
        field.name: field.default for field in fields(attacker.options) if field.default is not None
    }
