"""Attacks that were played on a release: who, when, and what they found out beside a baseline.

Outsiders are told of no claims or breaches, however many there are: who plays the same reader on
the release has the same claims, and would learn how many of them are true. They are told shares of
right guesses, where neither the right ones nor the wrong ones are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bkpriv_core.report.facts import Attack, Facts
from bkpriv_core.report.words import figure, share

__all__ = ["READERS", "breached", "findings", "not_played"]

READERS = {
    "learner": "Has nothing but the release. Learns from all groups together how sensitive values "
    "depend on quasi-identifiers, and tells the members of the person's group apart by that.",
    "informed": "Knows before the release how sensitive values depend on quasi-identifiers, as the "
    "baseline does, and finds the person's group.",
    "majority": "Finds the person's group, and believes each value as much as it is frequent "
    "there.",
    "without_groups": "Knows before the release how sensitive values depend on quasi-identifiers, "
    "but not which group the person is in.",
}
"""Descriptions of the attackers, by name; whom to play first comes first."""

_GENERALIZED = ("without_groups",)
"""Attackers who attack generalized releases only."""


def findings(facts: Facts) -> Iterator[tuple[Attack, str | None, Mapping[str, float]]]:
    """Figures of each attack about each column; of one about nobody, those about none."""
    for attack in facts.attacks:
        about = {key: found for key, found in attack.figures.items() if key is not None}
        rest = attack.figures.get(None, {})
        for column, figures in about.items():
            yield attack, column, figures
        if not about or "over_t" in rest:
            yield attack, None, rest


@dataclass(frozen=True)
class Breach:
    """Whether `any` person was breached, and the most of one attack in words."""

    any: bool
    said: str


def breached(facts: Facts) -> Breach:
    """Breaches by the attack with most of them."""
    found = [*findings(facts)]
    known = [each for each in found if "breached" in each[2]]
    if not known:
        return Breach(False, "Nothing could be inferred about anybody")
    attack, column, figures = max(known, key=lambda each: each[2]["breached"])
    most, people = figures["breached"], attack.people
    if not most:
        return Breach(False, "In none of these attacks is anybody breached")
    several = len({column for _, column, _ in found} - {None}) > 1
    said = f"{figure(most)} of {figure(people)} people ({share(most / max(people, 1.0))})"
    about = f" by their {column}" if several else ""
    open_ = "rightly sure of a value that the baseline left open"
    return Breach(True, f"By {attack.attacker}, {said} are breached{about}: it is {open_}")


def not_played(facts: Facts) -> list[str]:
    """Attackers who could be played, and were not."""
    played = {attack.attacker for attack in facts.attacks}
    return [
        reader
        for reader in READERS
        if reader not in played
        and facts.status != "purged"
        and (reader not in _GENERALIZED or facts.form == "generalized")
    ]
