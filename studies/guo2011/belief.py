"""Certainty of a reader about people's occupations, which the paper does not measure.

Who knows somebody's quasi-identifiers takes for her occupation what the release says of people
like her: the estimated shares of occupations in her cell. In groups these are the shares of groups,
which a policy bounds. What randomization bounds is a guess from one record, as if no others were
known; what all records say together is what they are published for.
"""

from __future__ import annotations

import itertools

import numpy as np

from bkpriv_client.terminal import Advance
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table
from studies.figure import Figure, Lines, Row
from studies.guo2011.design import BOUND, GROUPED, RR_QI, Design
from studies.guo2011.spread import Point, spreads
from studies.guo2011.workshop import Workshop
from studies.laboratory import paced

__all__ = ["FIGURES"]

_MANY = 100
"""Records of a cell of which a reader can be sure to have estimated something."""

_LARGEST = f"largest in cells of {_MANY} records and more"
_MEAN = "in the true occupation, mean of all records"


def _beliefs(release: Release) -> dict[str, dict[str, float]]:
    """Measure how certain a reader of a release is."""
    table = release.table
    return {"": _of(table, release.form.joint(release).at(table.codes))}


def _of(table: Table, counts: FloatArray) -> dict[str, float]:
    """Certainty of somebody who believes in certain counts, shape (c, m)."""
    whole = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    return {
        _MEAN: float((table.counts * shares).sum() / table.records),
        _LARGEST: float(shares[table.weights >= _MANY].max(initial=0.0)),
    }


def _measured(workshop: Workshop, design: Design, advance: Advance) -> list[Row]:
    rows: list[Row] = []
    settings = itertools.product(design.levels, (RR_QI, *GROUPED))
    table = workshop.tables["ESGRO"]
    original = _of(table, table.counts.astype(np.float64))
    for ell in design.levels:
        rows += [
            {
                "table": "ESGRO",
                "released": "the table itself",
                "l": ell,
                "belief": belief,
                "probability": figure,
                "deviation": None,
            }
            for belief, figure in original.items()
        ]
    for ell, kind in paced(settings, advance, lambda item: f"{item[1].name}, l = {item[0]}"):
        for released, told in spreads(
            workshop, design, Point("ESGRO", kind, ell), _beliefs
        ).items():
            rows += [
                {
                    "table": "ESGRO",
                    "released": released,
                    "l": ell,
                    "belief": belief,
                    "probability": figure.mean,
                    "deviation": figure.deviation,
                }
                for belief, figure in told.items()
            ]
    return rows


FIGURES = (
    Figure(
        "extra_belief",
        "Belief in occupations of people whose quasi-identifiers are known, ESGRO",
        _measured,
        Lines(
            x="l",
            y="probability",
            x_label=BOUND,
            y_label="probability",
            series="released",
            series_label="mean of several draws, and standard deviation of one",
            spread="deviation",
            panel="belief",
        ),
    ),
)
