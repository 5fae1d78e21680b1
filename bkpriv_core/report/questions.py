"""The three questions that are asked of anonymised tables, each with figures and their origin.

They are those of the Article 29 Working Party (opinion 05/2014 on anonymisation techniques, WP216):
whether somebody can be singled out, whether records of one person can be linked, and whether
something can be inferred about somebody. Figures are of the other sections, or counted in the
release; none of them answers a question by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from bkpriv_core.count import Count
from bkpriv_core.report.attacks import Attacks
from bkpriv_core.report.facts import Bounded, Sure
from bkpriv_core.report.markup import Markup, element, joined
from bkpriv_core.report.pieces import known_as, label_of, listed, relation, section, table
from bkpriv_core.report.words import figure, share

__all__ = ["Questions"]

Answer = tuple[str, object, str]
"""Question, its figure, and the source of that."""

_OF_SIZES = ("k_anonymity", "m_invariance")
_OF_COSTS = ("query_error",)


class Questions(Attacks):
    """The section of the three questions."""

    def questions(self) -> Markup:
        """Answers about singling out, linking and inferring."""
        rows: list[tuple[object, ...]] = []
        for question, answers in (
            ("Singling out", self._singled_out()),
            ("Linkability", self._linked()),
            ("Inference", self._inferred()),
        ):
            for place, answer in enumerate(answers):
                rows.append((question if place == 0 else _again(question), *answer))
        return section(
            "Three questions of data protection",
            "questions",
            element(
                "p",
                "Those that the Article 29 Working Party asks of anonymised data (opinion "
                "05/2014): can a person be singled out, can records of a person be linked, can "
                "something be inferred about a person? The figures are evidence; the answer is a "
                "judgement, which also depends on who may read the release, and what for.",
            ),
            table(
                "Figures for each question",
                ("Question", "What is counted", "Figure", "From"),
                rows,
                wide={1, 2},
            ),
        )

    def _singled_out(self) -> Iterator[Answer]:
        facts = self.facts
        alone, unit = facts.alone, facts.unit
        if alone is not None:
            yield (
                f"{unit.capitalize()} that are unique by their quasi-identifiers"
                if facts.persons is None
                else "Persons who are unique by their quasi-identifiers",
                f"{figure(alone.before)} of {figure(facts.records)} in the source; "
                f"{figure(alone.after)} of {figure(facts.published)} as published",
                "counted in the source as it was, and in the release",
            )
            yield (
                "The smallest group, and the chance to pick the right one in it",
                f"{figure(alone.smallest)} {unit}, {share(1 / alone.smallest)}; on average "
                f"{share(facts.groups / facts.published)}",
                "sizes of groups (prosecutor's risk)",
            )
        else:
            yield from self._of_bounds("max_disclosure")
        if facts.passed:
            yield (
                "Rows that are unique within their group by what passes through",
                joined(
                    element(
                        "div",
                        f"{figure(rows)} of {figure(facts.rows)} "
                        f"({share(rows / max(facts.rows, 1))}) by ",
                        listed(columns),
                    )
                    for columns, rows in facts.apart
                ),
                "counted in the release, as audit has it",
            )

    def _linked(self) -> Iterator[Answer]:
        facts = self.facts
        out = sum(
            item.status == "published" and item.release != facts.release for item in facts.siblings
        )
        listed_all = len(facts.siblings) > facts.others
        yield (
            "Other releases of the dataset that can be read now",
            figure(out) + ("" if listed_all else f", of the last {len(facts.siblings)}"),
            "history",
        )
        if facts.elsewhere:
            yield (
                "Releases of other datasets that may show the same records",
                figure(len(facts.elsewhere)),
                "history, and the tables that sources read",
            )
        together = [bound for bound in facts.bounds if "together" in bound.parameters]
        for bound in together:
            yield (f"{label_of(bound)}: {self._promise(bound).figure}", _held(bound), "audit")
        if not together and (out or facts.elsewhere):
            yield (
                "What they tell together with this one",
                "not measured",
                "the policy does not certify releases together",
            )

    def _inferred(self) -> Iterator[Answer]:
        facts = self.facts
        if facts.largest is not None:
            yield (
                "Largest share of a sensitive value in a group",
                share(facts.largest),
                "groups of the release",
            )
        if facts.sure is None:
            yield (
                "Of whom a reader becomes sure: believed at most 50 % before, above 90 % after",
                "not counted: it would take long, or contradicts the release",
                "audit with requirement belief_breach, column sure",
            )
        for one in facts.sure or ():
            yield self._made_sure(one)
        if facts.exchanging is not None:
            yield self._exchanged(facts.exchanging)
        yield (
            "People breached by readers who were played",
            self.breaches()[1] if facts.attacks else "none was played",
            "attacks",
        )
        for bound in facts.bounds:
            asked = bound.requirement not in (*_OF_SIZES, *_OF_COSTS)
            if asked and "together" not in bound.parameters:
                yield (f"{label_of(bound)}: {self._promise(bound).figure}", _held(bound), "audit")
        if not facts.bounds:
            yield ("What the policy bounds", "nothing", "policy")

    def _exchanged(self, counted: Count) -> Answer:
        """Answer how many people's groups do not bound what is believed of them."""
        said = "not counted: it would take too much"
        if counted.vulnerable is not None:
            said = f"{figure(counted.vulnerable)} of {figure(counted.among)} {self.facts.unit}"
            if counted.vulnerable:
                movable = figure(counted.parameters["movable"])
                said += f" ({share(counted.vulnerable / counted.among)}); {movable} of them can be "
                said += "in another group"
        return (
            "Whose groups have ranges that overlap, so that they can exchange members: of these a "
            "reader who does not know the groups may believe more than is certified",
            said,
            "ranges of the release, as audit has it",
        )

    def _made_sure(self, one: Sure) -> Answer:
        """Answer how many people a reader becomes sure of."""
        unit = self.facts.unit
        who = "a reader, whom the policy does not name," if one.customary else "a reader"
        said = f"{figure(one.became)} of {figure(self.facts.published)} {unit}"
        if one.became:
            said += f", {figure(one.right)} of them rightly"
        said += f"; {figure(one.anyway)} were certain anyway (above 90 % before)"
        return (
            f"Of whom {who} becomes sure ({known_as(one.parameters)}): believed at most 50 % "
            "before, above 90 % after",
            said if one.exact else f"{said}; in part an estimate",
            "audit with requirement belief_breach, column sure"
            if one.customary
            else "audit, column sure",
        )

    def _of_bounds(self, requirement: str) -> Iterator[Answer]:
        for bound in self.facts.bounds:
            if bound.requirement == requirement:
                yield (f"{label_of(bound)}: {self._promise(bound).figure}", _held(bound), "audit")


def _held(bound: Bounded) -> str:
    """The worst figure of a bound, beside what is allowed."""
    return f"{figure(bound.worst)}, {relation(bound)} {figure(bound.threshold)} allowed"


def _again(question: str) -> Markup:
    """The question of a further row, which stands in the first."""
    return element("span", question, class_="again")
