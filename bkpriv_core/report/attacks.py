"""Attacks that were played on a release: who, when, and what they found out beside a baseline.

Outsiders are told of no claims or breaches, however many there are: who plays the same reader on
the release has the same claims, and would learn how many of them are true. They are told shares of
right guesses, where neither the right ones nor the wrong ones are few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from bkpriv_core.report.facts import Attack
from bkpriv_core.report.markup import Markup, element, joined, name
from bkpriv_core.report.pieces import as_stated, listed, section, table
from bkpriv_core.report.safety import Safety
from bkpriv_core.report.words import figure, share

__all__ = ["READERS", "Attacks"]

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

_ALL = "all as one"


class Attacks(Safety):
    """The section of attacks."""

    def attacks(self) -> Markup:
        """Say who was played, and what they found out."""
        facts = self.facts
        if not facts.attacks:
            return section("Attacks", "attacks", *self._none())
        parts = [
            element(
                "p",
                "The bounds are about the readers whom the policy names. Here other readers were "
                "played, and what they believe of people was compared with the truth. Beside it "
                "stands the baseline: what a classifier believes that was trained on all other "
                "people, without the release. What is true of a population is no breach. These "
                "figures are measured, and no guarantee: another reader may find out more.",
            )
        ]
        if self.full:
            breached, said = self.breaches()
            parts.append(element("p", f"{said}.", class_="warning" if breached else None))
        parts += [self._played(), self._found(), self._meanings()]
        if self.full and (left := self._not_played()):
            parts.append(element("p", f"Not played: {', '.join(left)}. ", *self._how(left[0])))
        return section("Attacks", "attacks", *parts)

    def breaches(self) -> tuple[bool, str]:
        """Whether anybody was breached, and the most of one attack in words."""
        known = [
            (figures["breached"], attack, column)
            for attack, column, figures in self._each()
            if "breached" in figures
        ]
        if not known:
            return False, "Nothing could be inferred about anybody"
        most, attack, column = max(known, key=lambda each: each[0])
        if not most:
            return False, "In none of these attacks is anybody breached"
        people = _people(attack)
        about = f" by their {column}" if self._several else ""
        said = f"{figure(most)} of {figure(people)} people ({share(most / max(people, 1.0))})"
        open_ = "rightly sure of a value that the baseline left open"
        return True, f"By {attack.attacker}, {said} are breached{about}: it is {open_}"

    def _each(self) -> Iterable[tuple[Attack, str | None, Mapping[str, float]]]:
        """Figures of each attack about each column; of one about nobody, those about none."""
        for attack in self.facts.attacks:
            about = {key: found for key, found in attack.figures.items() if key is not None}
            rest = attack.figures.get(None, {})
            for column, figures in about.items():
                yield attack, column, figures
            if not about or "over_t" in rest:
                yield attack, None, rest

    @property
    def _several(self) -> bool:
        """Whether figures are about several columns."""
        return len({column for _, column, _ in self._each() if column is not None}) > 1

    def _none(self) -> Iterable[Markup]:
        """Say that nobody was played, and how somebody is."""
        facts = self.facts
        said = "No attack was played on this release"
        if facts.status == "purged":
            yield element("p", f"{said}, and none can be any more: it was purged.")
        elif not facts.groups:
            yield element("p", f"{said}: attackers look at groups, and it has none.")
        elif self.full:
            tried = "nobody tried what readers find out whom the policy does not name"
            yield element("p", f"{said}: {tried}. ", *self._how(next(iter(READERS))))
        else:
            yield element("p", f"{said}.")

    def _how(self, attacker: str) -> Iterable[object]:
        """Say how an attacker is played."""
        release = self.facts.release
        yield element("code", f"SELECT * FROM bkpriv.attack({release}, '{attacker}')")
        yield ", or at the command line "
        yield element("code", f"bkpriv attack {release} --attacker {attacker}")
        yield f", plays {attacker}. What it finds is kept, and is in the next report."

    def _not_played(self) -> list[str]:
        """Attackers who could be played, and were not."""
        facts = self.facts
        if facts.status == "purged":
            return []
        played = {attack.attacker for attack in facts.attacks}
        suited = [
            reader
            for reader in READERS
            if reader not in _GENERALIZED or facts.form == "generalized"
        ]
        return [reader for reader in suited if reader not in played]

    def _played(self) -> Markup:
        """Readers who were played, in words."""
        items = []
        for attack in self.facts.attacks:
            by = (" by ", name(attack.by)) if self.full else ()
            said = READERS[attack.attacker], joined(["Played last at ", attack.at, *by, "."])
            described = joined([*said, *self._exceptions(attack)], " ")
            items.append(element("li", element("strong", attack.attacker), ": ", described))
        return element("ul", *items)

    def _exceptions(self, attack: Attack) -> Iterable[Markup | str]:
        """Say of whom an attack finds nothing, and which options it had."""
        figures = attack.figures.get(None, {})
        if missed := figures.get("not_inferred"):
            yield (
                f"Nothing is known of {self._some(missed)} people, who may be in other groups in "
                "too many ways."
            )
        if estimated := figures.get("estimated"):
            yield f"What is believed of {self._some(estimated)} people is an estimate."
        if attack.options.get("bandwidth") is not None:
            yield "Beside it stands no classifier, but what the reader believed before the release."
        chosen = [(key, value) for key, value in attack.options.items() if key in attack.chosen]
        if chosen and self.full:
            named = listed(f"{key}: {as_stated(value)}" for key, value in chosen)
            yield joined(["Its options: ", named, "."])

    def _some(self, number: float) -> str:
        """A count of people; outsiders are not told a small one."""
        return self.count(int(number)) if math.isfinite(number) else figure(number)

    def _found(self) -> Markup:
        """Figures, reader by reader and column by column."""
        several, found = self._several, [*self._each()]
        bounded = any("over_t" in figures for *_, figures in found)
        heads = ["Reader", *(("About",) if several else ()), "Guessed right", "By the baseline"]
        if self.full:
            heads += ["People", "Claims", "Right claims", "Breached"]
            heads += ["Over t"] if bounded else []
        counted = ["claimed", "claimed_right", "breached", *(("over_t",) if bounded else ())]
        rows: list[tuple[object, ...]] = []
        for attack, column, figures in found:
            about = (_ALL if column is None else name(column),) if several else ()
            guessed = [
                self._share(figures.get(metric), _people(attack))
                for metric in ("accuracy", "baseline_accuracy")
            ]
            counts = [figure(_people(attack)), *(figure(figures.get(each)) for each in counted)]
            rows.append((attack.attacker, *about, *guessed, *(counts if self.full else ())))
        numbers = range(1 + several, len(heads))
        return table("What they find out, beside the baseline", heads, rows, numbers)

    def _share(self, value: float | None, people: float) -> str:
        """A share of people; outsiders are not told one that is of few, or of all but few."""
        if value is None:
            return "–"
        few = min(value, 1.0 - value) * people < self.facts.least
        return "not told" if few and not self.full else share(value)

    def _meanings(self) -> Markup:
        """Meaning of the heads."""
        sure, unsure = (self._limit(key) for key in ("sure", "unsure"))
        said = ["Guessed right: people who have the value that is believed most of them."]
        if self.full:
            said += [
                f"Claims: values of people of which the reader is surer than {sure}; right claims "
                "are true.",
                "Breached: people of whom the reader claims a value rightly, and of whom the "
                f"baseline was less sure of it than {unsure}.",
            ]
            if any("over_t" in figures for *_, figures in self._each()):
                said.append(
                    "Over t: people about whom the reader's belief is farther from the baseline's "
                    "than the policy lets beliefs of its own readers move."
                )
        else:
            said += [
                f"Not told: fewer than {self.facts.least} people are guessed right, or wrong.",
                "Of how many people a reader is sure, and rightly, is told to nobody but who "
                "answers for the release: whoever plays the same reader would learn from it "
                "whether to trust what they found.",
            ]
        return element("ul", *(element("li", each) for each in said))

    def _limit(self, key: str) -> str:
        """Share that an option states in all attacks, or that it is called by that."""
        limits = {repr(attack.options.get(key)) for attack in self.facts.attacks}
        value = self.facts.attacks[0].options.get(key)
        return share(value) if len(limits) == 1 else f"option {key} says"


def _people(attack: Attack) -> float:
    """People of whom an attack tells."""
    return attack.figures.get(None, {}).get("people", 0.0)
