"""The page: what was published, who is protected against whom, how well, and what it costs."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence

from bkpriv_core.report.chart import Bar, bars
from bkpriv_core.report.facts import Audience, Contribution, Facts
from bkpriv_core.report.markup import Markup, element, name
from bkpriv_core.report.pieces import (
    MARKS,
    as_stated,
    blank,
    listed,
    picture,
    section,
    table,
)
from bkpriv_core.report.questions import Questions
from bkpriv_core.report.style import STYLE
from bkpriv_core.report.words import exact_share, figure, limits, selected, share, shown

__all__ = ["render"]


def render(facts: Facts, audience: Audience = "officer") -> str:
    """Write a report.

    Parameters
    ----------
    audience : {"officer", "outsiders"}
        Reader of the report.

    Returns
    -------
    str
        HTML page, which loads and runs nothing. It is ASCII, so that it reaches clients of any
        encoding and is right in any file: other characters are numbered references.
    """
    page = _Page(facts, audience == "officer")
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element(
            "meta",
            http_equiv="Content-Security-Policy",
            content=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
            "form-action 'none'",
        ),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", page.heading),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = element("body", element("main", *page.sections()), page.footer())
    document = f"<!DOCTYPE html>\n{element('html', head, body, lang='en').html}\n"
    return document.encode("ascii", "xmlcharrefreplace").decode("ascii")


class _Page(Questions):
    """Sections of a report."""

    @property
    def heading(self) -> str:
        """Title of the page."""
        facts = self.facts
        return f"Release {facts.release}" + (f" of dataset {facts.dataset}" if self.full else "")

    def sections(self) -> Iterable[Markup]:
        """Sections of the page, without its foot."""
        yield self._top()
        if self.full:
            yield self.questions()
        yield self._published()
        yield self.promises()
        yield self.worst()
        yield self.certainty()
        yield self.attacks()
        yield self.left_out()
        yield self._utility()
        yield self._history()
        yield section(
            "Limits",
            "limits",
            element("ul", *(element("li", said) for said in limits(self.facts, self.full))),
        )
        if self.full:
            yield section(
                "Purpose, recipients, approval",
                "approval",
                element(
                    "p",
                    "Nothing of this is recorded in the database: fill it in, and keep the page.",
                ),
                element("dl", *map(blank, _FILLED_IN), class_="blanks"),
            )

    def footer(self) -> Markup:
        """Time at which the report was made, and the version that made it."""
        made = f"Made at {self.facts.made_at} by bkpriv {self.facts.version}"
        whom = (
            "For the data protection officer: it names tables, roles and groups of people. Do not "
            "pass it on."
            if self.full
            else "For readers of the release and anybody else: it names nobody, and no record's "
            f"values; counts of {self.facts.unit} below {self.facts.least} are left out."
        )
        return element("footer", element("p", f"{made}. {whom}"))

    def _of_persons(self, persons: Contribution) -> str:
        """Describe what a release that counts persons counts and shows."""
        said = f"It counts persons: {figure(self.facts.published)} are published"
        if persons.rows is not None:
            said += f", with {figure(persons.rows)} records"
        held = "Bounds hold for persons"
        if persons.most != 1 and any("sensitive" in b.parameters for b in self.facts.bounds):
            held += "; about a column, they are about each value: whether one has a record with it"
        return f"{said}. {selected(persons, self.full)} {held}."

    # --- Sections ---

    def _top(self) -> Markup:
        facts = self.facts
        verdict, kind = self._verdict()
        exact = self._exact()
        tiles = [(f"{facts.unit} published", figure(facts.published))]
        if facts.persons and facts.persons.rows is not None:
            tiles.append(("records of theirs", figure(facts.persons.rows)))
        tiles += [
            (f"{facts.unit} left out", self.count(facts.suppressed)),
        ]
        if facts.groups:
            tiles.append(("groups", figure(facts.groups)))
        if (lost := facts.utility.get("gcp")) is not None:
            tiles.append(("of the detail lost", share(lost)))
        if exact is not None and exact < 1.0:
            tiles.append(("judged exactly", share(exact)))
        return element(
            "header",
            element("p", "Report on a published release", class_="kicker"),
            element(
                "h1",
                f"Release {facts.release}",
                *((" of dataset ", name(facts.dataset)) if self.full else ()),
            ),
            element("p", element("span", MARKS[kind], class_=f"badge {kind}"), " ", verdict),
            *self._warnings(),
            element(
                "ul",
                *(
                    element("li", element("strong", value), " ", element("span", label))
                    for label, value in tiles
                ),
                class_="tiles",
            ),
        )

    def _verdict(self) -> tuple[str, str]:
        """Whether the bounds are kept: in words, and which mark that has."""
        bounds = self.facts.bounds
        if not bounds:
            return "Nothing was measured of this release.", "unknown"
        broken = sum(not bound.satisfied for bound in bounds)
        verdict, kind = "Every bound that was asked for is kept.", "kept"
        if broken:
            verdict, kind = f"{broken} of {len(bounds)} bounds are broken.", "broken"
        exact = self._exact()
        if exact is not None and exact < 1.0:
            verdict += f" For {share(1.0 - exact)} of the {self.facts.unit} an estimate says so."
        return verdict, kind

    def _warnings(self) -> Iterable[Markup]:
        facts = self.facts
        if facts.status != "published":
            yield element("p", f"This release is {facts.status}.", class_="warning")
        if facts.stale:
            yield element(
                "p", "The source has changed since this release was made.", class_="warning"
            )
        if facts.counterfeited:
            yield element(
                "p",
                f"{self.count(facts.counterfeited)} {facts.unit} are shown with another sensitive "
                "value than they have.",
                class_="warning",
            )

    def _exact(self) -> float | None:
        """Share of what is published that every figure of belief is exact for."""
        shares = [
            known
            for bound in self.facts.bounds
            if (known := exact_share(bound, self.facts.published)) is not None
        ]
        return min(shares, default=None)

    def _published(self) -> Markup:
        facts = self.facts
        parts: list[Markup] = [
            element(
                "dl",
                *(
                    element("div", element("dt", label), element("dd", value))
                    for label, value in self._particulars()
                ),
            ),
            element("p", shown(facts.form, facts.persons, bool(facts.passed))),
        ]
        if facts.persons:
            parts.append(element("p", self._of_persons(facts.persons)))
        if facts.shown:
            parts.append(self._columns())
        return section("What was published", "published", *parts)

    def _particulars(self) -> list[tuple[str, object]]:
        """Particulars of the publication: labels and values."""
        facts = self.facts
        rows: list[tuple[str, object]] = [("Published", facts.created_at)]
        if self.full:
            rows += [
                ("By", name(facts.created_by)),
                ("View", name(facts.view)),
                ("Read by", listed(facts.readers) if facts.readers else "nobody"),
                ("From", name(facts.source)),
            ]
        if facts.period is not None:
            rows.append(("Period", name(facts.period)))
        rows.append(("Method", facts.method))
        if self.full:
            rows.append(("Policy", name(facts.policy)))
            if facts.grown_from is not None:
                rows.append(("Grown from", f"release {facts.grown_from}"))
            if facts.options:
                chosen = (f"{key}: {as_stated(value)}" for key, value in facts.options.items())
                rows.append(("Options", listed(chosen)))
        rows += [
            ("Quasi-identifiers", listed(facts.quasi_identifiers)),
            ("Sensitive", listed(facts.sensitive)),
        ]
        if facts.passed:
            rows.append(("Passed through", listed(facts.passed)))
        if self.full and facts.unpublished:
            rows.append(("Of the source, not published", listed(facts.unpublished)))
        return rows

    def _columns(self) -> Markup:
        """Meaning of each column of the views."""
        items = self.facts.shown
        several = len({item.view for item in items}) > 1 and self.full
        return element(
            "details",
            element("summary", "What each column holds"),
            table(
                "Columns of the release",
                (*(("View",) if several else ()), "Column", "Type", "Holds"),
                [
                    (
                        *((name(item.view),) if several else ()),
                        name(item.name),
                        item.type,
                        item.comment,
                    )
                    for item in items
                ],
            ),
            # Open, for paper cannot open it.
            open_="",
        )

    def _utility(self) -> Markup:
        facts = self.facts
        known = facts.utility
        if not known:
            return section(
                "What it costs analysts",
                "utility",
                element("p", "It cannot be measured any more: the release was purged."),
            )
        told = _METRICS if self.full else {key: _METRICS[key] for key in _FOR_OUTSIDERS}
        compared = any(known.get(f"{key}_k_anonymous") is not None for key in told)
        rows = []
        charted = []
        for key, (label, percent, best) in told.items():
            if (lost := known.get(key)) is None:
                continue
            base = known.get(f"{key}_k_anonymous")
            label = label.format(units=facts.unit.capitalize())
            write = share if percent else figure
            beside = ("–" if base is None else write(base),) if compared else ()
            rows.append((label, write(lost), *beside, best))
            if percent and base is not None and key != "suppressed_share":
                charted.append((label, lost, base))
        infinite = any(known.get(key) == math.inf for key in told)
        parts = self._costs(rows, charted, compared=compared, infinite=infinite)
        return section("What it costs analysts", "utility", *parts)

    def _costs(
        self,
        rows: Sequence[tuple[str, ...]],
        charted: Sequence[tuple[str, float, float]],
        *,
        compared: bool,
        infinite: bool,
    ) -> list[Markup]:
        """Metrics as rows of a table, those that are shares as a chart, and what they mean."""
        parts: list[Markup] = []
        if compared:
            parts.append(
                element(
                    "p",
                    "What the policy costs beside what k-anonymity alone would cost with the same "
                    "method.",
                )
            )
        if charted:
            parts.append(_lost(charted))
        beside = ("k-anonymity alone",) if compared else ()
        heads = ("Metric", "This release", *beside, "Best")
        if rows:
            parts.append(table("Metrics", heads, rows, range(1, len(heads) - 1)))
        else:
            parts.append(element("p", "It has no groups, whose loss of detail could be told."))
        if infinite:
            parts.append(
                element(
                    "p",
                    "∞ says that the release rules out what occurs in the source, as where "
                    f"{self.facts.unit} were left out.",
                )
            )
        return parts

    def _history(self) -> Markup:
        facts = self.facts
        happened = [("published", facts.created_at, "", facts.created_by)]
        happened += [(event.kind, event.at, event.reason, event.by) for event in facts.events]
        caption = "What became of this release"
        if len(facts.events) < facts.happened:
            caption += f": the last {len(facts.events)} of {figure(facts.happened)} events"
        if self.full:
            events = table(
                caption,
                ("What", "When", "Why", "By"),
                [(kind, at, reason, name(by)) for kind, at, reason, by in happened],
            )
        else:
            events = table(
                caption,
                ("What", "When"),
                [(kind, at) for kind, at, _, _ in happened],
            )
        parts = [events]
        if not facts.others:
            parts.append(element("p", "It is the only release of its dataset."))
        elif self.full:
            parts.append(self._siblings())
        else:
            others = "1 other release" if facts.others == 1 else f"{figure(facts.others)} others"
            parts.append(element("p", f"Its dataset has {others}."))
        if facts.elsewhere:
            parts.append(element("p", self._elsewhere()))
        parts += self._together()
        return section("History", "history", *parts)

    def _together(self) -> list[Markup]:
        """Whether bounds are kept together with earlier releases, if that was judged."""
        together = [bound for bound in self.facts.bounds if "together" in bound.parameters]
        if not together:
            return []
        kept = all(bound.satisfied for bound in together)
        said = "It was judged together with earlier releases of the same people: "
        said += "every bound is kept." if kept else "not every bound is kept; see the worst cases."
        return [element("p", said)]

    def _elsewhere(self) -> str:
        """Describe releases of other datasets that may show the same records."""
        known = self.facts.elsewhere
        count = "1 release" if len(known) == 1 else f"{figure(len(known))} releases"
        said = f"{count} of other datasets may show the same records"
        if not self.full:
            return f"{said}."
        listed = ", ".join(map(str, known[-_ELSEWHERE:]))
        earlier = " and earlier ones" * (len(known) > _ELSEWHERE)
        return f"{said}, since their sources read the same tables: {listed}{earlier}."

    def _siblings(self) -> Markup:
        """The latest releases of the dataset, with this one."""
        facts = self.facts
        listed = facts.siblings
        periods = any(item.period is not None for item in listed)
        units = {item.unit for item in listed}
        (unit,) = units if len(units) == 1 else ("",)
        caption = "Releases of the dataset, with this one"
        if len(listed) <= facts.others:
            caption += f": {len(listed)} of {figure(facts.others + 1)}"
        return table(
            caption,
            (
                "Release",
                *(("Period",) if periods else ()),
                *(
                    "Method",
                    "Status",
                    "When",
                    f"{unit.capitalize() or 'Counted'}, in all",
                    "Left out",
                ),
            ),
            [
                (
                    f"{item.release}" + (" (this)" if item.release == facts.release else ""),
                    *((name(item.period or "–"),) if periods else ()),
                    *(item.method, item.status, item.at),
                    figure(item.records) + ("" if unit else f" {item.unit}"),
                    figure(item.suppressed),
                )
                for item in listed
            ],
            numbers={4 + periods, 5 + periods},
        )


_FILLED_IN = (
    "Purpose of the release",
    "Recipients, and what they agreed to",
    "Kept until",
    "Approved by",
    "Date and signature",
)
"""Places that a report leaves to be filled in."""

_ELSEWHERE = 20
"""Limit of the listed releases of other datasets."""

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

_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Possible ends of scales of shares."""

_FOR_OUTSIDERS = ("gcp",)
"""Metrics that do not reveal the number of records that were left out."""


def _lost(charted: Sequence[tuple[str, float, float]]) -> Markup:
    """A chart of the detail lost: metrics, in this release, and by k-anonymity alone."""
    largest = max(max(lost, base) for _, lost, base in charted)
    end = next(end for end in _SCALES if end >= min(largest, 1.0))
    said = "; ".join(
        f"{label} {share(lost)}, by k-anonymity alone {share(base)}"
        for label, lost, base in charted
    )
    return picture(
        bars(
            f"Detail lost: {said}",
            [Bar(label, [(lost, "bar")], share(lost), base) for label, lost, base in charted],
            end,
            share(end),
        ),
        "Chart of the detail lost",
        "Bars: this release. Dots: by k-anonymity alone. The line is there for scale, "
        "and no bound.",
    )
