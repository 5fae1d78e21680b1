"""Pieces of the page: sections, tables, and bounds as they are called in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bkpriv_core.report.facts import Bounded, Facts
from bkpriv_core.report.markup import Markup, element, joined, name
from bkpriv_core.report.words import figure, is_floor, share, title
from bkpriv_core.table.wording import told_in_words, whom_in_words

__all__ = [
    "MARKS",
    "as_stated",
    "badge",
    "blank",
    "case_of",
    "known_as",
    "label_of",
    "listed",
    "picture",
    "relation",
    "section",
    "table",
    "used_by",
]

Row = Sequence[object]

_KNOWLEDGE = ("sequence", "table", "kernel")
"""Keys by which knowledge is told from bandwidths of columns."""

MARKS = {"kept": "✓ kept", "broken": "✗ broken", "unknown": "? unknown"}
"""Words for whether a bound is kept."""


def section(heading: str, anchor: str, *parts: object) -> Markup:
    """A section under a heading, which links can lead to."""
    return element(
        "section",
        element("h2", heading, id=f"{anchor}-heading"),
        *parts,
        aria_labelledby=f"{anchor}-heading",
        id=anchor,
    )


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Row],
    numbers: Iterable[int] = (),
    wide: Iterable[int] = (),
) -> Markup:
    """A table; columns of some `numbers`, from 0, are aligned as figures are, `wide` ones wide."""
    kinds = [None if place not in {*numbers} else "number" for place in range(len(heads))]
    kinds = ["wide" if place in {*wide} else kind for place, kind in enumerate(kinds)]
    made = element(
        "table",
        element("caption", caption),
        element(
            "thead",
            element(
                "tr",
                *(
                    element("th", head, scope="col", class_=kind)
                    for head, kind in zip(heads, kinds, strict=True)
                ),
            ),
        ),
        element(
            "tbody",
            *(
                element(
                    "tr",
                    *(
                        element("td", cell, class_=kind)
                        if place
                        else element("th", cell, scope="row")
                        for place, (cell, kind) in enumerate(zip(row, kinds, strict=True))
                    ),
                )
                for row in rows
            ),
        ),
    )
    return _scrolled(made, caption)


def picture(chart: Markup, said: str, caption: str) -> Markup:
    """A chart, which is `said` what it shows, over its caption."""
    return element("figure", _scrolled(chart, said), element("figcaption", caption))


def _scrolled(content: Markup, called: str) -> Markup:
    """Wrap content that may be wider than the page, and is then scrolled by keys, too.

    It is a group and no region: the sections are the landmarks.
    """
    return element("div", content, class_="scroll", tabindex="0", role="group", aria_label=called)


def blank(label: str) -> Markup:
    """A line to be filled in by hand."""
    return element("div", element("dt", label), element("dd", class_="blank"))


def listed(names: Iterable[str]) -> Markup:
    """Names that somebody chose, one after another."""
    return joined(map(name, names), ", ")


def as_stated(value: object) -> str:
    """Value of an option as it was stated."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def badge(kept: bool) -> Markup:
    """Whether a bound is kept."""
    kind = "kept" if kept else "broken"
    return element("span", MARKS[kind], class_=f"badge {kind}")


def label_of(bound: Bounded) -> str:
    """A bound as it is called in charts and tables: told from others of the same requirement."""
    label, stated = title(bound.requirement), bound.parameters
    if about := known_as(stated):
        label += f", {about}"
    return f"{label}, together" if "together" in stated else label


def known_as(stated: Mapping[str, Any]) -> str:
    """Knowledge of a reader, and what they are kept from, in short."""
    parts = []
    if isinstance(bandwidth := stated.get("bandwidth"), int | float):
        parts.append(f"B = {bandwidth:g}")
    elif isinstance(bandwidth, Mapping):
        kind = next((known for known in _KNOWLEDGE if known in bandwidth), "per column")
        parts.append(f"B {kind}")
    if "sensitive" in stated:
        parts.append(str(stated["sensitive"]))
    if stated.get("joint"):
        parts.append("joint")
    return ", ".join(parts)


def relation(bound: Bounded) -> str:
    """Relation in which figures must stand to a bound."""
    return "at least" if is_floor(bound.requirement, bound.parameters) else "at most"


def used_by(bound: Bounded, value: float | None) -> float | None:
    """Share of what is allowed that a figure uses: 1 at the bound, more beyond it."""
    if value is None or value != value:
        return None
    floor = is_floor(bound.requirement, bound.parameters)
    part, whole = (bound.threshold, value) if floor else (value, bound.threshold)
    if whole == 0:
        return 0.0 if part == 0 else None
    return part / whole


def case_of(bound: Bounded, facts: Facts) -> object:
    """The worst case, as far as it is known; of a group, where there are any."""
    if bound.group_records is None:
        return "–"
    many, grouped = figure(bound.group_records), bool(facts.groups)
    parts: list[object] = [f"A group of {many}" if grouped else f"{many} alike"]
    if bound.whom is not None:
        whom = whom_in_words(bound.whom, facts.bins)
        parts.append(joined([", people with ", name(whom)]))
    if bound.value is not None:
        column = facts.sensitive[0] if len(facts.sensitive) == 1 else None
        parts.append(joined(["; ", name(told_in_words(bound.value, column, facts.bins))]))
        if bound.before is not None and bound.after is not None:
            before, after = share(bound.before), share(bound.after)
            told = f", {before} before, {after} after"
            # Of records drawn at random these are the value's share, and the risk.
            parts.append(told if grouped else f", {before} of all; guessed with {after}")
    return joined(parts)
