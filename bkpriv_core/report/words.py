"""Meaning of requirements, forms and figures, in words for people who did not choose them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.report.facts import Bounded, Contribution
from bkpriv_core.table.groups import FloatArray

__all__ = [
    "EXACT_FORMS",
    "FORMS",
    "Promise",
    "exact_share",
    "figure",
    "known",
    "known_as",
    "label_of",
    "moves",
    "promise",
    "relation",
    "share",
    "shown",
    "title",
    "used_by",
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

EXACT_FORMS = ("bucketized", "anatomized")
"""Forms that show quasi-identifiers as they are."""


@dataclass(frozen=True)
class Promise:
    """Promise of a bound: the readers it is `against`, a statement, and what its figures mean."""

    against: str
    that: str
    figure: str


_PERSON = "Whoever knows a person's quasi-identifiers, and"
_FINDER = "Whoever knows enough of a person to find the group or the record"
_SHARES = "Whoever knows how frequent each sensitive value is in the whole table"
_APART = (
    "{reader}",
    "Members of a group cannot be told apart: beliefs about them beforehand differ by at most "
    "{limit} bits",
    "difference of beliefs, in bits",
)

_REQUIREMENTS = {
    "k_anonymity": (
        "k-anonymity",
        f"{_PERSON} looks for the record",
        "{anonymity}",
        "{unit} in a group",
    ),
    "l_diversity": (
        "ℓ-diversity",
        _FINDER,
        "A group has sensitive values enough: {diversity}",
        "diversity of a group",
    ),
    "t_closeness": (
        "t-closeness",
        _SHARES,
        "Those of a group are at a distance of at most {limit} from these",
        "distance of shares, 0 to 1",
    ),
    "beta_likeness": (
        "β-likeness",
        _SHARES,
        "No value is more frequent in a group by over {limit} times its share in the table",
        "gain of confidence",
    ),
    "bt_privacy": (
        "(B,t)-privacy",
        "{reader}",
        "The belief about anybody's sensitive value changes by at most {limit} bits",
        "change of belief, in bits",
    ),
    "belief_breach": (
        "breach of beliefs",
        "{reader}",
        "Nothing that was believed of somebody with at most {least} is believed with more than "
        "{limit} afterwards: no value, and not that it is one of a kind",
        "belief in what was believed with at most {least}",
    ),
    "js_divergence": ("Jensen-Shannon divergence", *_APART),
    "pair_divergence": ("divergence of pairs", *_APART),
    "max_disclosure": (
        "largest disclosure",
        _FINDER,
        "No sensitive value becomes more probable than {limit}",
        "probability of a value",
    ),
    "ck_safety": (
        "(c,k)-safety",
        "Whoever knows any {facts} such as “if A has one value, B has another”",
        "Nobody's value becomes as probable as {limit}",
        "largest probability of a value",
    ),
    "m_invariance": (
        "m-invariance",
        "Whoever kept earlier releases",
        "A group has at least {limit} {unit}, all of different values, and the values that each "
        "one's group had before",
        "{unit} of different values in a group",
    ),
    "query_error": (
        "error of queries",
        "Nobody: this is about what analysts lose",
        "The median error of counts is at most {limit} of the count",
        "median relative error of counts",
    ),
}
"""Title of each requirement, and its promise, in which parts are filled in."""

_DRAWN = (
    f"{_PERSON} by which chances values were replaced",
    "Given that person's own record, quasi-identifiers and value are guessed right with a "
    "probability of at most {limit}, on average over what may be drawn",
    "probability of guessing a record",
)
"""Promise of the largest disclosure of a randomized release."""

_OTHER = ("What the policy names", "The figure keeps the bound {limit}", "figure")


def title(requirement: str) -> str:
    """Title of a requirement."""
    return _REQUIREMENTS.get(requirement, (requirement,))[0]


def label_of(bound: Bounded) -> str:
    """Name of a bound in charts and tables, where others of its requirement have another."""
    label, stated = title(bound.requirement), bound.parameters
    if about := known_as(stated):
        label += f", {about}"
    return f"{label}, together" if "together" in stated else label


_KNOWLEDGE = ("sequence", "table")
"""Keys that bandwidths of columns do not have."""


def known_as(stated: Mapping[str, Any]) -> str:
    """Knowledge of a reader, and the columns that a bound is about, in short."""
    parts = []
    if isinstance(bandwidth := stated.get("bandwidth"), int | float):
        parts.append(f"B = {bandwidth:g}")
    elif isinstance(bandwidth, Mapping) and "kernel" in bandwidth:
        parts.append("the table's shares")
    elif isinstance(bandwidth, Mapping) and "only" in bandwidth:
        parts.append(f"only {bandwidth['only']}")
    elif isinstance(bandwidth, Mapping):
        kind = next((known for known in _KNOWLEDGE if known in bandwidth), "per column")
        parts.append(f"B {kind}")
    if "sensitive" in stated:
        parts.append(str(stated["sensitive"]))
    if stated.get("joint"):
        parts.append("joint")
    return ", ".join(parts)


def relation(bound: Bounded) -> str:
    """Relation of figures to a bound that they satisfy."""
    floor = bound.requirement in ("k_anonymity", "m_invariance") or (
        bound.requirement == "l_diversity" and "c" not in bound.parameters
    )
    return "at least" if floor else "at most"


def used_by(bound: Bounded, value: float | None) -> float | None:
    """Share of what is allowed that a figure uses: 1 at the bound, more beyond it."""
    if value is None or math.isnan(value):
        return None
    floor = relation(bound) == "at least"
    part, whole = (bound.threshold, value) if floor else (value, bound.threshold)
    if whole == 0:
        return 0.0 if part == 0 else None
    return part / whole


def promise(
    bound: Bounded, named: bool, form: str = "generalized", persons: Contribution | None = None
) -> Promise:
    """Put the promise of a bound into words; `named` says whether tables may be named."""
    key, stated = bound.requirement, bound.parameters
    limit = (share if key == "belief_breach" else figure)(bound.threshold)
    facts = stated.get("k")
    values = {
        "anonymity": _anonymity(limit, form, persons),
        "diversity": _diversity(stated, limit),
        "facts": "fact" if facts == 1 else f"{figure(facts)} facts",
        "least": share(stated.get("rho1")),
        "limit": limit,
        "reader": _adversary(stated.get("bandwidth"), named),
        "unit": unit_of(persons),
    }
    drawn = key == "max_disclosure" and form == "randomized"
    parts = _DRAWN if drawn else _REQUIREMENTS.get(key, ("", *_OTHER))[1:]
    against, that, meaning = (part.format(**values) for part in parts)
    about = []
    if "sensitive" in stated:
        about.append(f"about {stated['sensitive']}")
    if stated.get("joint"):
        about.append("about all that is told of somebody, as one value")
    if "together" in stated:
        about.append("by several releases of the same people together")
    return Promise(against, f"{that} ({', '.join(about)})." if about else f"{that}.", meaning)


def _anonymity(limit: str, form: str, persons: Contribution | None) -> str:
    if form in EXACT_FORMS:
        return f"The person's value is one of those of at least {limit} {unit_of(persons)}"
    if persons is None:
        return f"It is one of at least {limit} that look alike"
    return f"The person is one of at least {limit} who look alike"


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
            f"{knows}: who differ in each quasi-identifier by less than {bandwidth:g} of its scale"
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
    if "only" in bandwidth:
        return f"{knows} in {bandwidth['only']} alone"
    each = ", ".join(f"{figure(value)} of that of {name}" for name, value in bandwidth.items())
    return f"{knows}: who differ by less than a share of each quasi-identifier's scale, {each}"


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


def moves(bits: float) -> str:
    """Explain what a change of belief of so many bits allows, where there are two answers."""
    beliefs = np.linspace(0.0, 1.0, 1001)
    most = reached(bits)
    certain = beliefs[_bits(beliefs, np.ones(1001)) <= bits]
    if most == 1.0:
        return f"from {share(_BELIEVED)} to certainty"
    # Whole per cents that are within the bits.
    up, least = math.floor(100 * most + 1e-9), math.ceil(100 * certain[0] - 1e-9)
    said = f"from {share(_BELIEVED)} to {up} %"
    return said if least == 100 else f"{said}, or from {least} % to certainty"


def reached(bits: float) -> float:
    """Probability that a belief of 10 % may become by a change of so many bits."""
    beliefs = np.linspace(0.0, 1.0, 1001)
    return float(beliefs[_bits(np.full(1001, _BELIEVED), beliefs) <= bits][-1])


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
