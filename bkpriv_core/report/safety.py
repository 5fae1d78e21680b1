"""How safe a release is: whom it protects against, its worst cases, and how sure they are."""

from __future__ import annotations

from bkpriv_core.report.chart import Bar, bars
from bkpriv_core.report.facts import Bounded, Facts
from bkpriv_core.report.markup import Markup, element, name
from bkpriv_core.report.pieces import (
    badge,
    case_of,
    label_of,
    people,
    relation,
    section,
    table,
    used_by,
)
from bkpriv_core.report.words import exact_share, figure, promise, share, title

__all__ = ["Safety"]


class Safety:
    """Sections of a report.

    Parameters
    ----------
    facts : Facts
        What it says.
    full : bool
        Whether it says all of it.
    """

    def __init__(self, facts: Facts, full: bool) -> None:
        self.facts, self.full = facts, full

    def count(self, number: int) -> str:
        """A count of records; outsiders are not told a small one."""
        if self.full or number == 0 or number >= self.facts.least:
            return figure(number)
        return f"fewer than {self.facts.least}"

    def share_left_out(self) -> str:
        """Share of the records that are not published."""
        facts = self.facts
        if not self.full and 0 < facts.suppressed < facts.least:
            return self.count(facts.suppressed)
        return share(facts.suppressed / facts.records)

    def promises(self) -> Markup:
        """Whom the policy protects against, and how."""
        facts = self.facts
        promised = [(bound, promise(bound, self.full)) for bound in facts.bounds]
        if not promised:
            return section(
                "Who is protected against whom",
                "promises",
                element("p", "The policy asks for nothing."),
            )
        return section(
            "Who is protected against whom",
            "promises",
            element(
                "p",
                "Everybody whose record is published, against each of these readers. All of the "
                "bounds hold together.",
            )
            if facts.kept
            else element("p", "Not all that was asked for holds; the badge says what does."),
            table(
                "What the policy promises",
                ("Against", "It promises", "By", "Kept"),
                [
                    (
                        said.against,
                        said.that,
                        element("span", title(bound.requirement), class_="short"),
                        badge(bound.satisfied),
                    )
                    for bound, said in promised
                ],
            ),
        )

    def _told(self, bound: Bounded) -> bool:
        """Whether the worst figure is told: of records, outsiders are told no small number."""
        counted = bound.requirement in ("k_anonymity", "m_invariance")
        return self.full or not counted or (bound.worst or 0) >= self.facts.least

    def worst(self) -> Markup:
        """How near the worst cases are to their bounds."""
        facts = self.facts
        if not facts.bounds:
            return Markup("")
        when = (
            "Measured when this report was made."
            if facts.audited is None
            else f"Measured at {facts.audited[0]}"
            + (f" by {facts.audited[1]}." if self.full else ".")
        )
        charted = [
            (bound, used, mean)
            for bound in facts.bounds
            if self._told(bound)
            and (used := used_by(bound, bound.worst)) is not None
            and (mean := used_by(bound, bound.mean)) is not None
        ]
        parts = [element("p", f"{when} The worst case is that of one record; the mean, of all.")]
        if charted:
            parts.append(
                element(
                    "figure",
                    bars(
                        "How much of each bound the worst case uses, and how much the mean: "
                        + "; ".join(
                            f"{label_of(bound)} {share(used)}, mean {share(mean)}"
                            for bound, used, mean in charted
                        ),
                        [
                            Bar(
                                label_of(bound),
                                [(used, "bar" if bound.satisfied else "bar over")],
                                share(used),
                                mean,
                            )
                            for bound, used, mean in charted
                        ],
                        1.0,
                        "the bound",
                    ),
                    element(
                        "figcaption",
                        "Bars: how much of what is allowed the worst case uses; beyond 100 % the "
                        "bound is broken. Dots: the mean.",
                    ),
                )
            )
        heads = [
            "Bound",
            "Figure",
            "Allowed",
            "Worst",
            "Mean",
            f"{facts.unit.capitalize()} over it",
        ]
        if self.full:
            heads.append("Worst case")
        parts.append(
            table(
                "Worst cases",
                heads,
                [
                    (
                        label_of(bound),
                        promise(bound, self.full).figure,
                        f"{relation(bound)} {figure(bound.threshold)}",
                        figure(bound.worst) if self._told(bound) else self.count(1),
                        figure(bound.mean),
                        "–" if bound.vulnerable is None else self.count(bound.vulnerable),
                        *((case_of(bound),) if self.full else ()),
                    )
                    for bound in facts.bounds
                ],
                numbers={3, 4, 5},
            )
        )
        return section("Worst cases", "worst", *parts)

    def certainty(self) -> Markup:
        """What is exact, and what is an estimate."""
        facts = self.facts
        known = [(bound, exact_share(bound, facts.published)) for bound in facts.bounds]
        if not known:
            return Markup("")
        uncertain = [(bound, part) for bound, part in known if part != 1.0]
        if not uncertain:
            return section(
                "How sure these figures are",
                "certainty",
                element("p", "All figures are exact, but for rounding."),
            )
        rows = [
            Bar(
                label_of(bound),
                [(part, "bar"), (1.0 - part, "bar guess")],
                share(part),
            )
            for bound, part in known
            if part is not None
        ]
        parts = [
            element(
                "p",
                "Beliefs about large groups can only be estimated, and estimates may understate "
                "what is learned. Of the published records, so many are judged exactly:",
            )
        ]
        if rows:
            parts.append(
                element(
                    "figure",
                    bars(
                        "Share of the records judged exactly: "
                        + "; ".join(f"{row.label} {row.said}" for row in rows),
                        rows,
                        1.0,
                        f"all {facts.unit}",
                    ),
                    element("figcaption", "Dark: exact. Light: by an estimate."),
                )
            )
        if self.full:
            parts.append(
                table(
                    "How figures are known",
                    ("Bound", "Known"),
                    [(label_of(bound), bound.estimator) for bound, _ in known],
                )
            )
        return section("How sure these figures are", "certainty", *parts)

    def left_out(self) -> Markup:
        """What is not published, and why."""
        facts = self.facts
        if not facts.suppressed:
            parts = [element("p", f"Nothing: all {facts.unit} are published.")]
        else:
            parts = [
                element(
                    "p",
                    f"{self.count(facts.suppressed)} {facts.unit} "
                    + (f"of {figure(facts.records)} " if self.full else "")
                    + f"({self.share_left_out()}) are not published, for no group of theirs could "
                    "keep the policy. They are in no count that readers make.",
                )
            ]
        if self.full and facts.left_out:
            parts.append(
                table(
                    "Kinds of records that were left out, those of most records first",
                    ("Who", "Records", "What stood in the way", "Allowed", "Attained"),
                    [
                        (
                            name(people(kind.whom)),
                            figure(kind.records),
                            title(kind.requirement),
                            figure(kind.threshold),
                            figure(kind.attained),
                        )
                        for kind in facts.left_out
                    ],
                    numbers={1, 3, 4},
                )
            )
        return section("What was left out", "left-out", *parts)
