"""Meaning of requirements, methods and figures, in words for people who did not choose them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.report.facts import Bounded, Contribution, Facts
from bkpriv_core.table.groups import FloatArray

__all__ = [
    "FORMS",
    "Promise",
    "compared",
    "exact_share",
    "figure",
    "is_floor",
    "known",
    "limits",
    "moves",
    "promise",
    "selected",
    "share",
    "shown",
    "title",
]

FORMS = {
    "generalized": "Quasi-identifiers are shown as ranges or labels that are true of a whole "
    "group of {unit}; sensitive values as they are. {Nothing} tells which record of a group is "
    "whose.",
    "bucketized": "Quasi-identifiers are shown as they are. Sensitive values are dealt to the "
    "{unit} of a group by lot, so that {nothing} tells whose they are.",
    "anatomized": "Quasi-identifiers are shown as they are, sensitive values in a table of their "
    "own, by groups; {nothing} tells whose which are.",
    "randomized": "Values were replaced at random, by chances that are published. Any value may be "
    "another than the true one.",
}
"""Descriptions of the forms of release, by name; for `shown`."""

_EXACT = ("bucketized", "anatomized")
"""Forms that show quasi-identifiers as they are."""

_TITLES = {
    "k_anonymity": "k-anonymity",
    "l_diversity": "ℓ-diversity",
    "t_closeness": "t-closeness",
    "beta_likeness": "β-likeness",
    "bt_privacy": "(B,t)-privacy",
    "belief_breach": "breach of beliefs",
    "js_divergence": "Jensen-Shannon divergence",
    "pair_divergence": "divergence of pairs",
    "max_disclosure": "largest disclosure",
    "ck_safety": "(c,k)-safety",
    "m_invariance": "m-invariance",
    "query_error": "error of queries",
}


@dataclass(frozen=True)
class Promise:
    """Promise of a bound, in words.

    Parameters
    ----------
    against : str
        Readers whom it protects against.
    that : str
        Statement that holds against them.
    figure : str
        Meaning of its figures.
    """

    against: str
    that: str
    figure: str


def title(requirement: str) -> str:
    """Title of a requirement."""
    return _TITLES.get(requirement, requirement)


def is_floor(requirement: str, parameters: Mapping[str, Any]) -> bool:
    """Whether figures of a bound must not fall below it; else they must not exceed it."""
    if requirement == "l_diversity":
        return "c" not in parameters
    return requirement in ("k_anonymity", "m_invariance")


def promise(
    bound: Bounded, named: bool, form: str = "generalized", persons: Contribution | None = None
) -> Promise:
    """Put the promise of a bound into words.

    Parameters
    ----------
    named : bool
        Whether tables and knowledge may be named.
    form : str
        Name of the form of publication.
    persons : Contribution, optional
        Selection of each person's records, where persons are counted.
    """
    stated = bound.parameters
    limit = share if bound.requirement == "belief_breach" else figure
    made = _promise(
        bound.requirement, stated, limit(bound.threshold), named, form=form, persons=persons
    )
    about = []
    if "sensitive" in stated:
        about.append(f"about {stated['sensitive']}")
    if stated.get("joint"):
        about.append("about all that is told of somebody, as one value")
    if "together" in stated:
        about.append("by several releases of the same people together")
    said = f"{made.that} ({', '.join(about)})." if about else f"{made.that}."
    return Promise(made.against, said, made.figure)


_FINDER = "Whoever knows enough of a person to find the group or the record"
_SHARES = "Whoever knows how frequent each sensitive value is in the whole table"


def _promise(
    key: str,
    stated: Mapping[str, Any],
    limit: str,
    named: bool,
    form: str,
    persons: Contribution | None,
) -> Promise:
    unit = unit_of(persons)
    if key == "k_anonymity":
        return Promise(
            "Whoever knows a person's quasi-identifiers, and looks for the record",
            _anonymity(limit, form, persons),
            f"{unit} in a group",
        )
    if key == "max_disclosure" and form == "randomized":
        return Promise(
            "Whoever knows a person's quasi-identifiers, and by which chances values were replaced",
            "Given that person's own record, quasi-identifiers and value are guessed right with a "
            f"probability of at most {limit}, on average over what may be drawn",
            "probability of guessing a record",
        )
    if key == "l_diversity":
        return Promise(
            _FINDER,
            f"A group has sensitive values enough: {_diversity(stated, limit)}",
            "diversity of a group",
        )
    if key == "t_closeness":
        return Promise(
            _SHARES,
            f"Those of a group are at a distance of at most {limit} from these",
            "distance of shares, 0 to 1",
        )
    if key == "beta_likeness":
        return Promise(
            _SHARES,
            f"No value is more frequent in a group by over {limit} times its share in the table",
            "gain of confidence",
        )
    if key == "bt_privacy":
        return Promise(
            _adversary(stated.get("bandwidth"), named),
            f"The belief about anybody's sensitive value changes by at most {limit} bits",
            "change of belief, in bits",
        )
    if key == "belief_breach":
        least = share(stated.get("rho1"))
        return Promise(
            _adversary(stated.get("bandwidth"), named),
            f"Nothing that was believed of somebody with at most {least} is believed with more "
            f"than {limit} afterwards: no value, and not that it is one of a kind",
            f"belief in what was believed with at most {least}",
        )
    if key in ("js_divergence", "pair_divergence"):
        return Promise(
            _adversary(stated.get("bandwidth"), named),
            "Members of a group cannot be told apart: beliefs about them beforehand differ by at "
            f"most {limit} bits",
            "difference of beliefs, in bits",
        )
    if key == "max_disclosure":
        return Promise(
            _FINDER,
            f"No sensitive value becomes more probable than {limit}",
            "probability of a value",
        )
    if key == "ck_safety":
        return Promise(
            f"Whoever knows any {_facts(stated.get('k'))} such as “if A has one value, "
            "B has another”",
            f"Nobody's value becomes as probable as {limit}",
            "largest probability of a value",
        )
    if key == "m_invariance":
        return Promise(
            "Whoever kept earlier releases",
            f"A group has at least {limit} {unit}, all of different values, and the values that "
            "each one's group had before",
            f"{unit} of different values in a group",
        )
    if key == "query_error":
        return Promise(
            "Nobody: this is about what analysts lose",
            f"The median error of counts is at most {limit} of the count",
            "median relative error of counts",
        )
    return Promise("What the policy names", f"The figure keeps the bound {limit}", "figure")


def _anonymity(limit: str, form: str, persons: Contribution | None) -> str:
    if form in _EXACT:
        return f"The person's value is one of those of at least {limit} {unit_of(persons)}"
    if persons is None:
        return f"It is one of at least {limit} that look alike"
    return f"The person is one of at least {limit} who look alike"


def _facts(number: Any) -> str:
    return "fact" if number == 1 else f"{figure(number)} facts"


def _diversity(stated: Mapping[str, Any], limit: str) -> str:
    least = figure(stated.get("l"))
    variant = stated.get("variant", "distinct")
    if variant == "recursive":
        return (
            f"the most frequent is less than {limit} times as frequent as the {least}-th and all "
            "rarer ones together"
        )
    l = float(stated.get("l", 1))  # noqa: E741
    share = f"one in {limit}" if l.is_integer() else f"{100 / l:.3g} %"
    return {
        "probabilistic": f"none has a larger share than {share}",
        "entropy": f"as even as {limit} equally frequent ones",
    }.get(str(variant), f"at least {limit} different ones")


def _adversary(bandwidth: Any, named: bool) -> str:
    """Describe an adversary of some bandwidth."""
    knows = "Whoever knows how common sensitive values are among people who resemble a person"
    if isinstance(bandwidth, int | float):
        return (
            f"{knows}: who differ in each quasi-identifier by less than {bandwidth:g} of its range"
        )
    if not isinstance(bandwidth, Mapping):
        return "Whoever has the background knowledge that the policy states"
    if "sequence" in bandwidth:
        return "Whoever remembers earlier releases, and knows how values follow one another"
    if "table" in bandwidth:
        which = f", {bandwidth['table']}" if named else ""
        return f"Whoever knows a table from elsewhere{which}"
    if "kernel" in bandwidth:
        return _SHARES
    each = ", ".join(f"{figure(value)} of that of {name}" for name, value in bandwidth.items())
    return f"{knows}: who differ by less than a share of each quasi-identifier's range, {each}"


def figure(value: Any) -> str:
    """A number as a reader wants it: few digits."""
    if value is None:
        return "–"
    if not isinstance(value, int | float):
        return str(value)
    if value != value:
        return "–"
    if value in (float("inf"), float("-inf")):
        return "∞"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{value:.3g}"


def share(value: Any) -> str:
    """A share as per cent."""
    if not isinstance(value, int | float) or not math.isfinite(100.0 * value):
        return "–"
    percent = 100.0 * value
    if abs(percent - round(percent)) < 1e-9:
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "under 0.1 %"
    if percent > 99.9 and percent < 100:
        return "over 99.9 %"
    return f"{percent:.1f} %"


_COUNTED = re.compile(
    r"\((\d+) (?:record|person)s?\)|for (\d+) persons?|for (\d+) records?(?! *\))"
)


_BOUNDED = re.compile(r"bound for \d+ groups? \(\d+ (?:record|person)s?\)(?:, | and )?")
"""Groups that are bounded, among those that are inferred otherwise."""


def exact_share(bound: Bounded, published: int) -> float | None:
    """Share of the published records that are judged for certain, by figures or by upper bounds.

    None if it is unknown.
    """
    if not may_understate(bound.estimator):
        return 1.0
    usual, _, exceptions = _BOUNDED.sub("", bound.estimator).partition(", but ")
    if "given" in bound.estimator:
        return 0.0
    counted = sum(int(next(filter(None, match))) for match in _COUNTED.findall(exceptions))
    if usual != "exact" or not published:
        return None if usual.startswith("exact") else 0.0
    if exceptions and not counted:
        return None
    return max(0.0, 1.0 - counted / published)


def known(estimator: str, unit: str) -> str:
    """Say how certain figures are, where so many of a unit are counted."""
    return estimator if unit == "records" else _OF_RECORDS.sub(_renamed, estimator)


_OF_RECORDS = re.compile(r"(\d+) records?\b")


def _renamed(found: re.Match[str]) -> str:
    return f"{found[1]} person{'s' * (found[1] != '1')}"


def unit_of(persons: Contribution | None) -> str:
    """Unit that is counted."""
    return "records" if persons is None else "persons"


def compared(bounds: Iterable[Bounded]) -> list[str]:
    """Explain what a change of belief compares, if there is a bound on it."""
    within = {
        bound.parameters.get("smoothing") for bound in bounds if bound.requirement == "bt_privacy"
    }
    if not within:
        return []
    said = [
        "A change of belief compares how probable each sensitive value of a person is to the "
        "reader before and after seeing the release (Jensen-Shannon divergence): 0 bits if nothing "
        "was learned, 1 bit from certainty of one thing to certainty of another."
    ]
    alike = sorted(width for width in within if isinstance(width, int | float) and width > 0)
    if alike:
        widths = " or ".join(figure(width) for width in alike)
        said.append(
            f"Similar values count as partly alike: those that differ by less than {widths} of the "
            "column's range, or of the height of its hierarchy. A belief that moves from a value "
            "to a similar one changes by less, however sure it becomes."
        )
    if len(alike) < len(within):
        few = "Where nothing else is stated, values" if alike else "Values"
        said.append(f"{few} are alike or not: near ones count as different as distant ones.")
    return said


def moves(bits: float) -> str:
    """Explain what a change of belief of so many bits allows, where there are two answers."""
    beliefs = np.linspace(0.0, 1.0, 1001)
    reached = beliefs[_bits(np.full(1001, _BELIEVED), beliefs) <= bits]
    certain = beliefs[_bits(beliefs, np.ones(1001)) <= bits]
    if reached[-1] == 1.0:
        return f"from {share(_BELIEVED)} to certainty"
    # Whole per cents that are within the bits.
    up, least = math.floor(100 * reached[-1] + 1e-9), math.ceil(100 * certain[0] - 1e-9)
    said = f"from {share(_BELIEVED)} to {up} %"
    return said if least == 100 else f"{said}, or from {least} % to certainty"


_BELIEVED = 0.1


def _bits(before: FloatArray, after: FloatArray) -> FloatArray:
    return js_divergence(*(np.column_stack((yes, 1.0 - yes)) for yes in (before, after)))


def shown(form: str, persons: Contribution | None, passed: bool) -> str:
    """Explain what a form shows; `passed` says whether there are insensitive attributes."""
    if form not in FORMS:
        return f"The form of the release is {form}."
    nothing = "nothing but the columns that pass through" if passed else "nothing"
    words = {"unit": unit_of(persons), "nothing": nothing, "Nothing": nothing.capitalize()}
    return FORMS[form].format(**words)


def selected(persons: Contribution, named: bool) -> str:
    """Say which records of each person are shown; name the column only where it is `named`."""
    if persons.most is None:
        return "Of each person all records are shown."
    most = "one record is" if persons.most == 1 else f"at most {persons.most} records are"
    if persons.latest_by is None:
        return f"Of each person {most} shown, chosen at random."
    column = f" by {persons.latest_by}" if named else ""
    return f"Of each person {most} shown, the latest{column}."


def limits(facts: Facts, named: bool) -> list[str]:
    """List what a release does not promise; other releases only where they may be `named`."""
    out = [
        item.release
        for item in facts.siblings
        if named and item.status == "published" and item.release != facts.release
    ]
    said = [
        "It protects against readers who know what the policy says they may know. Readers who know "
        "more about somebody, such as a value that only this person can have, may learn more; and "
        "readers who know less are easier to surprise.",
        "It does not consider that people are related, or caught the same illness, nor attacks "
        "that use how the groups were formed.",
        "It hides which record of a group is a person's, not that the person is in the table.",
        "What is true of the whole table is no secret: a reader who learns that smokers fall ill "
        "more often has learned nothing about anybody in particular, but will believe it of every "
        "smoker.",
        "Figures that are estimates may understate what can be learned; the section on certainty "
        "says which are.",
    ]
    if facts.form == "randomized":
        said[2] = (
            "It hides whether a value is a person's own, not that the person is in the table. "
            "Counts from it are to be estimated, not read off."
        )
    if facts.form in _EXACT:
        said[2] = (
            "It hides which value is a person's, not that the person is in the table. "
            "Quasi-identifiers are shown as they are: everybody can read those of all people in it."
        )
    persons = facts.persons
    if persons is not None:
        if persons.most != 1:
            said.append(
                "Readers are supposed to know which rows of a group are of one person, though no "
                "column says so. They are not supposed to know how many records somebody has, "
                "which may single a person out."
            )
        if persons.most is not None:
            said.append(
                "A person's other records, which are not shown, were not judged: nothing is "
                "promised of what they hold. Releases of some records of each person are not "
                "judged together with others, which may show the rest."
            )
    if facts.passed:
        said.append(
            "Columns that pass through are shown as they are. A reader who knows somebody's values "
            "in them may find that person's row, and a reader of several releases may find rows of "
            "the same record."
        )
    if facts.others:
        whole = len(facts.siblings) > facts.others
        beside = "Out beside this one now" + ("" if whole else ", of those listed")
        said.append(
            "Several releases of the same people tell more together than each does alone. Unless "
            "the policy certified them together, give them to different readers."
            + (f" {beside}: {', '.join(map(str, out))}." if out else "")
        )
    return said
