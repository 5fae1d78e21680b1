"""The page: what was published, who is protected against whom, how well, and what it costs.

`templates/` holds its text and its looks, and this module prepares the facts for them. Everything
that comes from data is text: the templates escape all that is put in, and nothing but the style
sheet is `Markup`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bkpriv_core.report import words
from bkpriv_core.report.attacks import READERS, breached, findings, not_played
from bkpriv_core.report.chart import Bar, Chart, bars
from bkpriv_core.report.facts import Audience, Bounded, Facts
from bkpriv_core.report.words import figure, label_of, share
from bkpriv_core.table.scale import reaches
from bkpriv_core.table.wording import told_in_words, whom_in_words

__all__ = ["STYLE", "TEMPLATES", "render"]

TEMPLATES = Path(__file__).parent / "templates"
"""Templates of the page, and its style sheet."""

STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")
"""Style sheet, no part of which comes from data."""


def render(facts: Facts, audience: Audience = "officer") -> str:
    """Write a report for a reader.

    Returns:
        HTML page, which loads and runs nothing. It is ASCII, so that it reaches clients of any
        encoding and is right in any file: other characters are numbered references.
    """
    template = _environment().get_template("report.html.j2")
    page = template.render(_context(facts, audience == "officer"))
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        finalize=_printable,
        keep_trailing_newline=True,
        loader=FileSystemLoader(TEMPLATES),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "figure": figure,
        "known_as": words.known_as,
        "label": label_of,
        "moves": words.moves,
        "relation": words.relation,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "share": share,
        "title_of": words.title,
    }
    return environment


_CONTROL = re.compile(r"[^\n\t -~\xa0-\U0010ffff]")
"""Characters that a page may not have, though PostgreSQL's text may."""


def _printable(value: object) -> object:
    """Replace control characters in what is put into a page."""
    if isinstance(value, Markup):
        return value
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(value))


def _context(facts: Facts, full: bool) -> dict[str, Any]:
    """Names that the templates use; the officer gets the `full` page."""
    found = [*findings(facts)]
    metrics, compared = _metrics(facts, full)
    column = facts.sensitive[0] if len(facts.sensitive) == 1 else None
    return {
        **_bounds(facts, _Reader(facts, full)),
        "breach": breached(facts),
        "compared": compared,
        "costs_chart": _costs(metrics),
        "digest": base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode(),
        "exact_forms": words.EXACT_FORMS,
        "facts": facts,
        "findings": found,
        "full": full,
        "known": lambda estimator: words.known(estimator, facts.unit),
        "metrics": metrics,
        "not_played": not_played(facts),
        "over_t": any("over_t" in figures for *_, figures in found),
        "readers": READERS,
        "several": len({column for _, column, _ in found} - {None}) > 1,
        "shown": words.shown(facts.form, facts.persons, bool(facts.passed)),
        "stated": _stated,
        "style": Markup(STYLE),
        "value": lambda label: told_in_words(label, column, facts.bins),
        "whom": lambda label: whom_in_words(label, facts.bins),
    }


@dataclass(frozen=True)
class _Reader:
    """Reader of the page; small counts are not shown to outsiders."""

    facts: Facts
    full: bool

    def count(self, number: float) -> str:
        """A count, or that it is small."""
        if self.full or number == 0 or number >= self.facts.least:
            return figure(number)
        return f"fewer than {self.facts.least}"

    def guessed(self, part: float | None, people: float) -> str:
        """A share of people, unless it is of few, or of all but few."""
        if part is None:
            return "–"
        few = min(part, 1.0 - part) * people < self.facts.least
        return "not told" if few and not self.full else share(part)

    def shows(self, bound: Bounded) -> bool:
        """Whether the worst figure of a bound is shown."""
        counted = bound.requirement in ("k_anonymity", "m_invariance")
        return self.full or not counted or (bound.worst or 0) >= self.facts.least

    def promise(self, bound: Bounded) -> words.Promise:
        """Promise of a bound."""
        said = words.promise(bound, self.full, self.facts.form, self.facts.persons)
        units = reaches(self.facts.domains, bound.parameters.get("bandwidth"))
        # Outsiders do not learn the range of the source.
        return replace(said, against=f"{said.against} ({units})") if self.full and units else said

    def promises(self) -> dict[tuple[str, str, bool], list[str]]:
        """Promises of the bounds, by whom they protect against, their title and whether kept."""
        promises: dict[tuple[str, str, bool], list[str]] = {}
        for bound in self.facts.bounds:
            said = self.promise(bound)
            by = said.against, words.title(bound.requirement), bound.satisfied
            promises.setdefault(by, []).append(said.that)
        return promises

    def surer(self, option: str) -> str:
        """Share that an option states in all attacks, or that it is called by that."""
        limits = {repr(attack.options.get(option)) for attack in self.facts.attacks}
        if len(limits) > 1:
            return f"option {option} says"
        return share(self.facts.attacks[0].options.get(option))


def _bounds(facts: Facts, reader: _Reader) -> dict[str, Any]:
    """Names for the sections on bounds."""
    exact = [(bound, words.exact_share(bound, facts.published)) for bound in facts.bounds]
    changes = [bound for bound in facts.bounds if bound.requirement == "bt_privacy"]
    smoothings = {bound.parameters.get("smoothing") for bound in changes}
    alike = sorted(each for each in smoothings if isinstance(each, int | float) and each > 0)
    return {
        "alike": alike,
        "all_exact": all(part == 1.0 for _, part in exact),
        "bounded": any("bound" in bound.estimator for bound in facts.bounds),
        "changes": sorted({bound.threshold for bound in changes}),
        "exact": min((part for _, part in exact if part is not None), default=None),
        "exact_chart": _exactness(exact, facts.unit),
        "reader": reader,
        "unlike": len(alike) < len(smoothings),
        "worst_chart": _worst([bound for bound in facts.bounds if reader.shows(bound)]),
    }


def _stated(options: Mapping[str, Any]) -> list[str]:
    """Options as they were stated."""
    return [
        f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in options.items()
    ]


def _worst(bounds: Iterable[Bounded]) -> Chart | None:
    """Chart of how much of each bound is used, if that is known of any."""
    rows = [
        Bar(label_of(bound), [(used, "bar" if bound.satisfied else "bar over")], share(used), mean)
        for bound in bounds
        if (used := words.used_by(bound, bound.worst)) is not None
        and (mean := words.used_by(bound, bound.mean)) is not None
    ]
    said = "; ".join(f"{row.label} {row.said}, mean {share(row.mark)}" for row in rows)
    caption = f"How much of each bound the worst case uses, and how much the mean: {said}"
    return bars(caption, rows, 1.0, "the bound") if rows else None


def _exactness(exact: Iterable[tuple[Bounded, float | None]], unit: str) -> Chart | None:
    """Chart of how much of what is published each bound is judged for exactly."""
    rows = [
        Bar(label_of(bound), [(part, "bar"), (1.0 - part, "bar guess")], share(part))
        for bound, part in exact
        if part is not None
    ]
    said = "; ".join(f"{row.label} {row.said}" for row in rows)
    caption = f"Share of the {unit} judged for certain: {said}"
    return bars(caption, rows, 1.0, f"all {unit}") if rows else None


@dataclass(frozen=True)
class _Metric:
    """Metric of utility, in words; and as a share, with that of k-anonymity alone, to be drawn."""

    label: str
    lost: str
    base: str
    best: str
    drawn: tuple[float, float] | None


_METRICS = {
    "gcp": ("Detail lost (GCP)", True, "0 %"),
    "rgcp": ("The same, with those left out", True, "0 %"),
    "suppressed_share": ("{units} left out", True, "0 %"),
    "average_class_size": ("{units} in a group, on average", False, "few"),
    "discernibility": ("Discernibility, the sum of squares of these", False, "small"),
    "kl": ("For statisticians: divergence of the joint distribution (KL), in bits", False, "0"),
    "chi_square": ("The same by chi-square", False, "0"),
    "l2": ("The same by L2", False, "0"),
}
"""Metrics of utility: what they are called, whether they are shares, and what is best."""

_FOR_OUTSIDERS = ("gcp",)
"""Metrics that do not reveal the number of records that were left out."""

_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Possible ends of scales of shares."""


def _metrics(facts: Facts, full: bool) -> tuple[list[_Metric], bool]:
    """Metrics for a reader, and whether any is compared with k-anonymity alone."""
    metrics, shown = [], _METRICS if full else {key: _METRICS[key] for key in _FOR_OUTSIDERS}
    for key, (label, percent, best) in shown.items():
        if (lost := facts.utility.get(key)) is None:
            continue
        base = facts.utility.get(f"{key}_k_anonymous")
        write = share if percent else figure
        drawn = percent and key != "suppressed_share"
        metrics.append(
            _Metric(
                label.format(units=facts.unit.capitalize()),
                write(lost),
                "–" if base is None else write(base),
                best,
                (lost, base) if drawn and base is not None else None,
            )
        )
    return metrics, any(facts.utility.get(f"{key}_k_anonymous") is not None for key in shown)


def _costs(metrics: Iterable[_Metric]) -> Chart | None:
    """Chart of the detail lost, if it is compared."""
    drawn = [(metric, *metric.drawn) for metric in metrics if metric.drawn is not None]
    if not drawn:
        return None
    largest = max(max(lost, base) for _, lost, base in drawn)
    end = next(end for end in _SCALES if end >= min(largest, 1.0))
    said = "; ".join(
        f"{metric.label} {metric.lost}, by k-anonymity alone {metric.base}" for metric, *_ in drawn
    )
    rows = [Bar(metric.label, [(lost, "bar")], metric.lost, base) for metric, lost, base in drawn]
    return bars(f"Detail lost: {said}", rows, end, share(end))
