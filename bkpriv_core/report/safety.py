"""Safety of a release: whom it protects against, its worst cases, and how certain they are."""

from __future__ import annotations

from bkpriv_core.report.chart import Bar, bars
from bkpriv_core.report.facts import Bounded, Facts
from bkpriv_core.report.markup import Markup, element, joined, name
from bkpriv_core.report.pieces import (
    badge,
    case_of,
    label_of,
    picture,
    relation,
    section,
    table,
    used_by,
)
from bkpriv_core.report.words import (
    Promise,
    compared,
    exact_share,
    figure,
    known,
    moves,
    promise,
    selected,
    share,
    title,
)
from bkpriv_core.table.wording import whom_in_words

__all__ = ["Safety"]


class Safety:
    """Sections of a report.

    Parameters
    ----------
    full : bool
        Whether it says all of it.
    """

    def __init__(self, facts: Facts, full: bool) -> None:
        self.facts, self.full = facts, full

    def count(self, number: int) -> str:
        """A count of what is counted; outsiders are not told a small one."""
        if self.full or number == 0 or number >= self.facts.least:
            return figure(number)
        return f"fewer than {self.facts.least}"

    def share_left_out(self) -> str:
        """Share of what is counted that is not published."""
        facts = self.facts
        if not self.full and 0 < facts.suppressed < facts.least:
            return self.count(facts.suppressed)
        return share(facts.suppressed / facts.records)

    def promises(self) -> Markup:
        """List the readers whom the policy protects against, and what it promises."""
        facts = self.facts
        if not facts.bounds:
            return section(
                "Who is protected against whom",
                "promises",
                element("p", "The policy asks for nothing."),
            )
        rows: dict[tuple[str, str, bool], list[str]] = {}
        for bound in facts.bounds:
            said = self._promise(bound)
            row = said.against, title(bound.requirement), bound.satisfied
            rows.setdefault(row, []).append(said.that)
        bits = {bound.threshold for bound in facts.bounds if bound.requirement == "bt_privacy"}
        return section(
            "Who is protected against whom",
            "promises",
            element(
                "p",
                f"Everybody {'who' if facts.persons else 'whose record'} is published, against "
                "each of these readers. All of the bounds hold together.",
            )
            if facts.kept
            else element("p", "Not all that was asked for holds; the badge says what does."),
            table(
                "What the policy promises",
                ("Against", "It promises", "By", "Kept"),
                [
                    (
                        against,
                        joined(element("div", one) for one in that),
                        element("span", by, class_="short"),
                        badge(kept),
                    )
                    for (against, by, kept), that in rows.items()
                ],
                wide={0, 1},
            ),
            *(
                element(
                    "p",
                    f"{label_of(bound)}, at most {figure(bound.threshold)}, promises nothing: no "
                    f"release of this table could exceed {figure(bound.most)}.",
                )
                for bound in facts.bounds
                if not bound.binds and bound.most is not None
            ),
            *(element("p", said) for said in compared(facts.bounds)),
            *(
                element(
                    "p",
                    f"A change of {figure(most)} bits: of a question with two answers, which are "
                    f"not alike, a belief may go {moves(most)}.",
                )
                for most in sorted(bits)
            ),
        )

    def _promise(self, bound: Bounded) -> Promise:
        return promise(bound, self.full, self.facts.form, self.facts.persons)

    def _told(self, bound: Bounded) -> bool:
        """Whether the worst figure is told: of records, outsiders are told no small number."""
        counted = bound.requirement in ("k_anonymity", "m_invariance")
        return self.full or not counted or (bound.worst or 0) >= self.facts.least

    def worst(self) -> Markup:
        """Compare the worst cases with their bounds."""
        facts = self.facts
        if not facts.bounds:
            return Markup("")
        one = "record" if facts.persons is None else "person"
        parts = [
            element("p", f"{self._when()} The worst case is that of one {one}; the mean, of all.")
        ]
        parts += self._chart()
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
                        self._promise(bound).figure,
                        f"{relation(bound)} {figure(bound.threshold)}",
                        figure(bound.worst) if self._told(bound) else self.count(1),
                        figure(bound.mean),
                        "–" if bound.vulnerable is None else self.count(bound.vulnerable),
                        *((case_of(bound, facts),) if self.full else ()),
                    )
                    for bound in facts.bounds
                ],
                numbers={3, 4, 5},
                wide={6},
            )
        )
        return section("Worst cases", "worst", *parts)

    def _when(self) -> str:
        """Time at which the figures were measured."""
        audited, bounds = self.facts.audited, self.facts.bounds
        if audited is not None:
            return f"Measured at {audited[0]}" + (f" by {audited[1]}." if self.full else ".")
        together = any("together" in bound.parameters for bound in bounds)
        return "Measured when this report was made" + (
            ", but for several releases together: when this was published." if together else "."
        )

    def _chart(self) -> list[Markup]:
        """Chart of how much of each bound is used, if that can be told of any."""
        charted = [
            (bound, used, mean)
            for bound in self.facts.bounds
            if self._told(bound)
            and (used := used_by(bound, bound.worst)) is not None
            and (mean := used_by(bound, bound.mean)) is not None
        ]
        if not charted:
            return []
        return [
            picture(
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
                "Chart of the worst cases",
                "Bars: how much of what is allowed the worst case uses. The nearer to 100 %, "
                "the less is to spare; beyond, the bound is broken. Dots: the mean.",
            ),
        ]

    def _bounded(self) -> str:
        """Words on figures that are upper bounds, if there are any."""
        if not any("bound" in bound.estimator for bound in self.facts.bounds):
            return ""
        return (
            " Of some large groups an upper bound stands for the figure, so that the worst case "
            "and the mean may be smaller than is said."
        )

    def certainty(self) -> Markup:
        """Say which figures are exact, and which are estimates."""
        facts = self.facts
        exact = [(bound, exact_share(bound, facts.published)) for bound in facts.bounds]
        if not exact:
            return Markup("")
        if all(part == 1.0 for _, part in exact):
            return section(
                "How sure these figures are",
                "certainty",
                element("p", f"All figures are exact, but for rounding.{self._bounded()}"),
            )
        rows = [
            Bar(
                label_of(bound),
                [(part, "bar"), (1.0 - part, "bar guess")],
                share(part),
            )
            for bound, part in exact
            if part is not None
        ]
        parts = [
            element(
                "p",
                "Beliefs about large groups can only be estimated, and estimates may understate "
                f"what is learned. Of the published {facts.unit}, so many are judged for certain:"
                f"{self._bounded()}",
            )
        ]
        if rows:
            parts.append(
                picture(
                    bars(
                        f"Share of the {facts.unit} judged for certain: "
                        + "; ".join(f"{row.label} {row.said}" for row in rows),
                        rows,
                        1.0,
                        f"all {facts.unit}",
                    ),
                    "Chart of what is exact",
                    "Dark: for certain. Light: by an estimate.",
                )
            )
        if self.full:
            parts.append(
                table(
                    "How figures are known: exactly, by an upper bound, or by an estimate, which "
                    "has a name",
                    ("Bound", "Known"),
                    [(label_of(bound), known(bound.estimator, facts.unit)) for bound, _ in exact],
                )
            )
        return section("How sure these figures are", "certainty", *parts)

    def left_out(self) -> Markup:
        """Records that are not published, and the reasons."""
        facts = self.facts
        if not facts.suppressed:
            nothing = "Nobody" if facts.persons else "Nothing"
            parts = [element("p", f"{nothing}: all {facts.unit} are published.")]
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
                    f"Kinds of {facts.unit} that were left out, those of most first",
                    (
                        *("Who", facts.unit.capitalize()),
                        *("What stood in the way", "Allowed", "Attained"),
                    ),
                    [
                        (
                            name(whom_in_words(kind.whom, facts.bins)),
                            figure(kind.counted),
                            title(kind.requirement),
                            figure(kind.threshold),
                            figure(kind.attained),
                        )
                        for kind in facts.left_out
                    ],
                    numbers={1, 3, 4},
                )
            )
        if facts.persons and facts.persons.most is not None:
            chosen = selected(facts.persons, self.full)
            parts.append(element("p", f"{chosen} Any others of the same person were left out."))
        return section("What was left out", "left-out", *parts)
