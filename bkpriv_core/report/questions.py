"""The three questions that are asked of anonymised tables, each with figures and their origin.

They are those of the Article 29 Working Party (opinion 05/2014 on anonymisation techniques, WP216):
whether somebody can be singled out, whether records of one person can be linked, and whether
something can be inferred about somebody. Figures are of the other sections, or counted in the
release; none of them answers a question by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bkpriv_core.count import Count
from bkpriv_core.report.attacks import breached
from bkpriv_core.report.facts import Bounded, Facts, Sure
from bkpriv_core.report.words import figure, known_as, label_of, promise, relation, share

__all__ = ["QUESTIONS", "Answer"]


@dataclass(frozen=True)
class Answer:
    """Figure of what is asked, and its source; or rows that are `apart`, by columns."""

    asked: str
    figure: str
    source: str
    apart: Sequence[tuple[tuple[str, ...], int]] = ()


def _singled_out(facts: Facts) -> Iterator[Answer]:
    alone, unit = facts.alone, facts.unit
    if alone is None:
        for bound in facts.bounds:
            if bound.requirement == "max_disclosure":
                yield _bounded(bound, facts)
    else:
        yield Answer(
            f"{unit.capitalize()} that are unique by their quasi-identifiers"
            if facts.persons is None
            else "Persons who are unique by their quasi-identifiers",
            f"{figure(alone.before)} of {figure(facts.records)} in the source; "
            f"{figure(alone.after)} of {figure(facts.published)} as published",
            "counted in the source as it was, and in the release",
        )
        yield Answer(
            "The smallest group, and the chance to pick the right one in it",
            f"{figure(alone.smallest)} {unit}, {share(1 / alone.smallest)}; on average "
            f"{share(facts.groups / facts.published)}",
            "sizes of groups (prosecutor's risk)",
        )
    if facts.passed:
        yield Answer(
            "Rows that are unique within their group by what passes through",
            "",
            "counted in the release, as audit has it",
            facts.apart,
        )


def _linked(facts: Facts) -> Iterator[Answer]:
    listed_all = len(facts.siblings) > facts.others
    yield Answer(
        "Other releases of the dataset that can be read now",
        figure(len(facts.out)) + ("" if listed_all else f", of the last {len(facts.siblings)}"),
        "history",
    )
    if facts.elsewhere:
        yield Answer(
            "Releases of other datasets that may show the same records",
            figure(len(facts.elsewhere)),
            "history, and the tables that sources read",
        )
    for bound in facts.together:
        yield _bounded(bound, facts)
    if not facts.together and (facts.out or facts.elsewhere):
        yield Answer(
            "What they tell together with this one",
            "not measured",
            "the policy does not certify releases together",
        )


def _inferred(facts: Facts) -> Iterator[Answer]:
    if facts.largest is not None:
        yield Answer(
            "Largest share of a sensitive value in a group",
            share(facts.largest),
            "groups of the release",
        )
    if facts.sure is None:
        yield Answer(
            "Of whom a reader becomes sure: believed at most 50 % before, above 90 % after",
            "not counted: it would take long, or contradicts the release",
            "audit with requirement belief_breach, column sure",
        )
    for one in facts.sure or ():
        yield _made_sure(one, facts)
    if facts.exchanging is not None:
        yield _exchanged(facts.exchanging, facts.unit)
    yield Answer(
        "People breached by readers who were played",
        breached(facts)[1] if facts.attacks else "none was played",
        "attacks",
    )
    for bound in facts.bounds:
        asked = bound.requirement not in ("k_anonymity", "m_invariance", "query_error")
        if asked and "together" not in bound.parameters:
            yield _bounded(bound, facts)
    if not facts.bounds:
        yield Answer("What the policy bounds", "nothing", "policy")


def _exchanged(counted: Count, unit: str) -> Answer:
    """Answer how many people's groups do not bound what is believed of them."""
    said = "not counted: it would take too much"
    if counted.vulnerable is not None:
        said = f"{figure(counted.vulnerable)} of {figure(counted.among)} {unit}"
        if counted.vulnerable:
            movable = figure(counted.parameters["movable"])
            said += f" ({share(counted.vulnerable / counted.among)}); {movable} of them can be "
            said += "in another group"
    return Answer(
        "Whose groups have ranges that overlap, so that they can exchange members: of these a "
        "reader who does not know the groups may believe more than is certified",
        said,
        "ranges of the release, as audit has it",
    )


def _made_sure(one: Sure, facts: Facts) -> Answer:
    """Answer how many people a reader becomes sure of."""
    who = "a reader, whom the policy does not name," if one.customary else "a reader"
    said = f"{figure(one.became)} of {figure(facts.published)} {facts.unit}"
    if one.became:
        said += f", {figure(one.right)} of them rightly"
    said += f"; {figure(one.anyway)} were certain anyway (above 90 % before)"
    return Answer(
        f"Of whom {who} becomes sure ({known_as(one.parameters)}): believed at most 50 % "
        "before, above 90 % after",
        said if one.exact else f"{said}; in part an estimate",
        "audit with requirement belief_breach, column sure"
        if one.customary
        else "audit, column sure",
    )


def _bounded(bound: Bounded, facts: Facts) -> Answer:
    """Answer by the worst figure of a bound, with what is allowed."""
    meaning = promise(bound, True, facts.form, facts.persons).figure
    return Answer(
        f"{label_of(bound)}: {meaning}",
        f"{figure(bound.worst)}, {relation(bound)} {figure(bound.threshold)} allowed",
        "audit",
    )


QUESTIONS: dict[str, Callable[[Facts], Iterator[Answer]]] = {
    "Singling out": _singled_out,
    "Linkability": _linked,
    "Inference": _inferred,
}
"""Functions that answer each question."""
