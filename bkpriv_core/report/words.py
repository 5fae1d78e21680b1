"""What requirements, methods and figures mean, in words for people who did not choose them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bkpriv_core.report.facts import Bounded

__all__ = [
    "FORMS",
    "Promise",
    "exact_share",
    "figure",
    "is_floor",
    "limits",
    "promise",
    "share",
    "title",
]

FORMS = {
    "generalized": "Quasi-identifiers are shown as ranges or labels that are true of a whole "
    "group of records; sensitive values as they are. Nothing tells which record of a group is "
    "whose.",
    "bucketized": "Quasi-identifiers are shown as they are. Sensitive values are dealt to the "
    "records of a group by lot, so that nothing tells whose they are.",
    "anatomized": "Quasi-identifiers are shown as they are, sensitive values in a table of their "
    "own, by groups; nothing tells which record of a group has which.",
    "randomized": "Values were replaced at random, by chances that are published. Any value may be "
    "another than the true one.",
}
"""What forms of release show, by name."""

_TITLES = {
    "k_anonymity": "k-anonymity",
    "l_diversity": "ℓ-diversity",
    "t_closeness": "t-closeness",
    "beta_likeness": "β-likeness",
    "bt_privacy": "(B,t)-privacy",
    "js_divergence": "Jensen-Shannon divergence",
    "pair_divergence": "divergence of pairs",
    "max_disclosure": "largest disclosure",
    "ck_safety": "(c,k)-safety",
    "m_invariance": "m-invariance",
    "query_error": "error of queries",
}


@dataclass(frozen=True)
class Promise:
    """What a bound promises.

    Parameters
    ----------
    against : str
        Whom it protects against.
    that : str
        What holds against them.
    figure : str
        What its figures are.
    """

    against: str
    that: str
    figure: str


def title(requirement: str) -> str:
    """What a requirement is called."""
    return _TITLES.get(requirement, requirement)


def is_floor(requirement: str, parameters: Mapping[str, Any]) -> bool:
    """Whether figures of a bound must not fall below it; else they must not exceed it."""
    if requirement == "l_diversity":
        return "c" not in parameters
    return requirement in ("k_anonymity", "m_invariance")


def promise(bound: Bounded, named: bool) -> Promise:
    """What a bound promises; names of tables and of knowledge only where they may be `named`."""
    stated = bound.parameters
    made = _promise(bound.requirement, stated, figure(bound.threshold), named)
    about = []
    if "sensitive" in stated:
        about.append(f"about {stated['sensitive']}")
    if stated.get("joint"):
        about.append("about all sensitive columns together")
    if "together" in stated:
        about.append("by several releases of the same people together")
    said = f"{made.that} ({', '.join(about)})." if about else f"{made.that}."
    return Promise(made.against, said, made.figure)


_FINDER = "Whoever knows enough of a person to find the group or the record"
_SHARES = "Whoever knows how frequent each sensitive value is in the whole table"


def _promise(key: str, stated: Mapping[str, Any], limit: str, named: bool) -> Promise:
    if key == "k_anonymity":
        return Promise(
            "Whoever knows a person's quasi-identifiers, and looks for the record",
            f"It is one of at least {limit} that look alike",
            "records in a group",
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
            f"Whoever knows any {_facts(stated.get('k'))} such as “if she has one value, "
            "he has another”",
            f"Nobody's value becomes as probable as {limit}",
            "largest probability of a value",
        )
    if key == "m_invariance":
        return Promise(
            "Whoever kept earlier releases",
            f"A group has at least {limit} records, all of different values, and the values that "
            "each one's group had before",
            "records of different values in a group",
        )
    if key == "query_error":
        return Promise(
            "Nobody: this is about what analysts lose",
            f"The median error of counts is at most {limit} of the count",
            "median relative error of counts",
        )
    return Promise("What the policy names", f"The figure keeps the bound {limit}", "figure")


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
    """Who it is that knows as much."""
    knows = "Whoever knows how sensitive values depend on quasi-identifiers"
    if isinstance(bandwidth, int | float):
        return f"{knows}, as finely as {bandwidth:g} of each one's range"
    if not isinstance(bandwidth, Mapping):
        return "Whoever has the background knowledge that the policy states"
    if "sequence" in bandwidth:
        return "Whoever remembers earlier releases, and knows how values follow one another"
    if "table" in bandwidth:
        which = f", {bandwidth['table']}" if named else ""
        return f"Whoever knows a table from elsewhere{which}"
    if "kernel" in bandwidth:
        return _SHARES
    if {"from", "to"} <= bandwidth.keys():
        ends = f"{figure(bandwidth['from'])} to {figure(bandwidth['to'])}"
        return f"{knows}, as finely as anything from {ends} of each one's range"
    each = ", ".join(f"{figure(value)} of {name}" for name, value in bandwidth.items())
    return f"{knows}, as finely as these shares of their ranges: {each}"


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
    if not isinstance(value, int | float) or value != value:
        return "–"
    percent = 100.0 * value
    if abs(percent - round(percent)) < 1e-9:
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "under 0.1 %"
    if percent > 99.9 and percent < 100:
        return "over 99.9 %"
    return f"{percent:.1f} %"


_COUNTED = re.compile(r"\((\d+) records?\)|for (\d+) persons?|for (\d+) records?(?! *\))")


def exact_share(bound: Bounded, published: int) -> float | None:
    """Share of the published records about whom a bound's figures are exact; None if unknown."""
    usual, _, exceptions = bound.estimator.partition(", but ")
    if "given" in bound.estimator:
        return 0.0
    counted = sum(int(next(filter(None, match))) for match in _COUNTED.findall(exceptions))
    if usual != "exact" or not published:
        return None if usual.startswith("exact") else 0.0
    if exceptions and not counted:
        return None
    return max(0.0, 1.0 - counted / published)


def limits(form: str, several: bool, passed: bool) -> list[str]:
    """What a release does not promise; `passed` says whether columns pass through."""
    said = [
        "It protects against readers who know what the policy says they may know. Whoever knows "
        "more about somebody, such as a value that only he can have, may learn more.",
        "It hides which record of a group is somebody's, not that he is in the table.",
        "What is true of the whole table is no secret: who learns that smokers fall ill more often "
        "has learned nothing about anybody in particular, though he will believe it of every "
        "smoker.",
        "Figures that are estimates may understate what can be learned; the section on certainty "
        "says which are.",
    ]
    if form == "randomized":
        said[1] = (
            "It hides whether a value is somebody's own, not that he is in the table. Counts from "
            "it are to be estimated, not read off."
        )
    if passed:
        said.append(
            "Columns that pass through are shown as they are. Whoever knows somebody's may find "
            "his row by them, and readers of several releases tell by them which rows are the "
            "same record's."
        )
    if several:
        said.append(
            "Several releases of the same people tell more together than each does alone. Unless "
            "the policy certified them together, give them to different readers."
        )
    return said
