"""Figure 7, Tables 4 and 5: how strongly attributes depend on each other after publication.

``U(A | B)`` is the uncertainty coefficient, the share of the entropy of ``A`` that knowing ``B``
takes away; the paper's formula is lost. It is not linear in counts, so there is no unbiased
estimate; that from what was drawn is of the likeliest counts of the two attributes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from functools import partial
from statistics import fmean

from bkpriv_client.terminal import Advance
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.joint import CellJoint
from bkpriv_core.release.release import Release
from bkpriv_core.utility.divergence import association, uncertainty
from studies.figure import Figure, Lines, Row
from studies.guo2011.design import ATTRIBUTES, BOUND, GROUPED, RR_QI, TABLES, Design
from studies.guo2011.spread import NONE, Point, Spread, spreads
from studies.guo2011.workshop import Workshop
from studies.laboratory import paced

__all__ = ["FIGURES"]

_TABLE = "ESGRO"
_LETTERS = [ATTRIBUTES[name] for name in TABLES[_TABLE]]
_ORIGINAL = "original"
_COMPARED = (RR_QI, *GROUPED)
_MEANS = {True: "(a) occupation and quasi-identifiers", False: "(b) quasi-identifiers"}
"""Averages over pairs with and without the sensitive attribute."""


def _original(workshop: Workshop) -> dict[str, float]:
    """Coefficients of the table."""
    joint = CellJoint(CellCounts.of(workshop.tables[_TABLE]))
    pairs = itertools.permutations(range(len(_LETTERS)), 2)
    return _named((one, other, uncertainty(joint.pair(one, other))) for one, other in pairs)


def _released(release: Release) -> dict[str, dict[str, float]]:
    """Coefficients of a release; its reader has but one estimate of them."""
    return {"": _named((one, other, after) for one, other, _, after in association(release))}


def _named(figures: Iterable[tuple[int, int, float]]) -> dict[str, float]:
    """Coefficients by their pair's letters, and their averages."""
    by_pair = {f"{_LETTERS[one]}|{_LETTERS[other]}": figure for one, other, figure in figures}
    means = {
        mean: fmean(figure for pair, figure in by_pair.items() if (_LETTERS[-1] in pair) == kind)
        for kind, mean in _MEANS.items()
    }
    return by_pair | means


def _measured(
    chosen: Callable[[str], bool],
    shown: Callable[[Design], tuple[int, ...]],
    workshop: Workshop,
    design: Design,
    advance: Advance,
) -> list[Row]:
    """Measure coefficients, by name, for some l; the original ones stand beside all."""
    original = {name: figure for name, figure in _original(workshop).items() if chosen(name)}
    rows: list[Row] = []
    settings = itertools.product(shown(design), (None, *_COMPARED))
    for ell, kind in paced(settings, advance, lambda item: f"l = {item[0]}"):
        if kind is None:
            told = {_ORIGINAL: {name: Spread(figure, None) for name, figure in original.items()}}
        else:
            told = spreads(workshop, design, Point(_TABLE, kind, ell), _released)
        rows += [
            {
                "table": _TABLE,
                "released": released,
                "l": ell,
                "pair": name,
                "original": figure,
                "coefficient": figures.get(name, NONE).mean,
                "deviation": figures.get(name, NONE).deviation,
            }
            for released, figures in told.items()
            for name, figure in original.items()
        ]
    return rows


def _levels(design: Design) -> tuple[int, ...]:
    return design.levels


def _pairs_levels(design: Design) -> tuple[int, ...]:
    return design.pairs_levels


_PAIRS = Lines(
    x="pair",
    y="coefficient",
    x_label="A|B",
    y_label="uncertainty coefficient U(A|B)",
    series="released",
    spread="deviation",
    panel="l",
    panel_label="l = {}",
    joined=False,
)


FIGURES = (
    Figure(
        "figure_7",
        "Figure 7: average uncertainty coefficient, ESGRO",
        partial(_measured, lambda name: name in _MEANS.values(), _levels),
        Lines(
            x="l",
            y="coefficient",
            x_label=BOUND,
            y_label="average uncertainty coefficient",
            series="released",
            series_label="mean of several draws, and standard deviation of one",
            spread="deviation",
            panel="pair",
            own_heights=True,
        ),
    ),
    Figure(
        "table_4",
        "Table 4: pairs of quasi-identifiers, ESGRO",
        partial(_measured, lambda name: "|" in name and _LETTERS[-1] not in name, _pairs_levels),
        _PAIRS,
    ),
    Figure(
        "table_5",
        "Table 5: pairs with the occupation, ESGRO",
        partial(_measured, lambda name: "|" in name and _LETTERS[-1] in name, _pairs_levels),
        _PAIRS,
    ),
)
