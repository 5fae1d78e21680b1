"""Figures 3 to 7: what adversaries gain, week by week, and how sure they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory
from studies.riboni2012.design import (
    BEST,
    DEFENCES,
    DK,
    IE,
    JS_REDUCE,
    NOTHING,
    PAPERS,
    SNAPSHOTS,
    STEPS,
    Adversary,
    Defence,
    Design,
    js_reduce,
    mined,
)
from studies.riboni2012.history import learn

__all__ = ["FIGURES"]

_BOTH = (PAPERS, BEST)

_Pairs = Iterable[tuple[Defence, Adversary]]


def _measure(
    pairs: Callable[[Design], _Pairs], estimators: Sequence[str] = (PAPERS,)
) -> Callable[[Laboratory, Design, Advance], list[Row]]:
    """Measure pairs of a defence and an adversary, by week and by estimators."""

    def measure(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
        return [
            {
                "defence": defence.name,
                "adversary": adversary.name,
                "estimator": estimator,
                "week": finding.week,
                "gain": finding.gain,
                "confidence": finding.confidence,
                "worst": finding.worst,
            }
            for estimator in estimators
            for defence, adversary in pairs(design)
            for finding in learn(laboratory, design, defence, adversary, estimator, advance)
        ]

    return measure


def _kinds(design: Design) -> _Pairs:
    """Kinds of knowledge against the defences that know nothing of other weeks."""
    adversaries = (DK, IE, mined(design.corpora[0]), NOTHING)
    return [(defence, adversary) for defence in SNAPSHOTS for adversary in adversaries]


def _steps(design: Design) -> _Pairs:
    """Domain knowledge of one to three steps, and none."""
    defences = (*SNAPSHOTS, JS_REDUCE)
    return [(defence, adversary) for defence in defences for adversary in (*STEPS, NOTHING)]


def _both_sides(design: Design) -> _Pairs:
    """JS-reduce with each kind of knowledge against adversaries with each."""
    corpora = [mined(patients) for patients in design.corpora]
    known = (DK, IE, corpora[0])
    defences = [JS_REDUCE, *(js_reduce(0.6, knowledge) for knowledge in known[1:])]
    return [(defence, adversary) for defence in defences for adversary in (DK, IE, *corpora)]


def _all_defences(design: Design) -> _Pairs:
    """The best informed adversary against every defence."""
    return [(defence, DK) for defence in DEFENCES]


def _thresholds(design: Design) -> _Pairs:
    """The same against JS-reduce with every threshold."""
    return [(js_reduce(j), DK) for j in design.thresholds]


_ADVERSARIES = Lines(
    x="week",
    y="gain",
    x_label="views seen (one a week)",
    y_label="average adversary gain",
    series="adversary",
    panel="defence",
)

_DEFENCES = replace(
    _ADVERSARIES, series="defence", panel="estimator", panel_label="beliefs inferred by {}"
)

FIGURES = (
    Figure(
        "figure_3",
        "Figure 3: adversary gain against kinds of knowledge",
        _measure(_kinds),
        _ADVERSARIES,
    ),
    Figure(
        "figure_4",
        "Figure 4: adversary gain against domain knowledge of one to three steps",
        _measure(_steps),
        _ADVERSARIES,
    ),
    Figure(
        "figure_5",
        "Figure 5: adversary gain where defender and adversary know different things",
        _measure(_both_sides),
        _ADVERSARIES,
    ),
    Figure(
        "figure_6",
        "Figure 6: adversary confidence, DK on both sides",
        _measure(_all_defences, _BOTH),
        replace(_DEFENCES, y="confidence", y_label="average adversary confidence"),
    ),
    Figure(
        "figure_7",
        "Figure 7: adversary gain against the threshold j of JS-reduce, t = 0.5",
        _measure(_thresholds, _BOTH),
        _DEFENCES,
    ),
    Figure(
        "extra_inference",
        "Adversary gain, DK, inferred as the paper does and as well as can be",
        _measure(_all_defences, _BOTH),
        _DEFENCES,
    ),
)
