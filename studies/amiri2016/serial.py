"""The clinic: what releases lose and give away, week by week, to who remembers the weeks before.

What is believed of a patient is revised after every release, and the methods that regard beliefs go
by what was believed before the week. Gains are those of `sequential_audit`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from psycopg import sql

from bkpriv_client.server import scalar
from bkpriv_client.terminal import Advance
from studies.amiri2016.design import KINDS, Design, Kind
from studies.amiri2016.single import COST
from studies.amiri2016.trial import Figures, Sites
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory
from studies.riboni2012.design import DK, PAPERS, Defence, remembering
from studies.riboni2012.design import Design as Register
from studies.riboni2012.history import learn, published

__all__ = ["FIGURES", "register"]

_PRIVACY = {"gain": "gain", "confidence": "confidence", "beta_mean": "β reached, on average"}

_REACHED = sql.SQL("SELECT mean FROM bkpriv.audit(%s, %s)")


def register(design: Design) -> Register:
    """The register, without the corpora of other clinics."""
    return Register(design.patients, design.weeks, design.seed, corpora=())


def _defence(kind: Kind, design: Design) -> Defence:
    """Defence by which weeks are published, for a kind of release."""
    return Defence(
        kind.name,
        kind.requirements(design.centre, remembering(DK)),
        method=kind.method,
        options={"estimator": PAPERS, "seed": design.seed},
        knowledge=DK,
    )


def _figures(clinic: Laboratory, release: int, beta: float) -> Figures:
    """Figures of one release by itself."""
    audited = json.dumps({"beta_likeness": {"beta": beta}})
    return {
        **clinic.utility(release),
        "beta_mean": scalar(clinic.connection, _REACHED, release, audited),
    }


def _weeks(
    measures: Mapping[str, str], sites: Sites, design: Design, advance: Advance
) -> list[Row]:
    """Measures of every week's release of each kind."""
    rows: list[Row] = []
    for kind in KINDS:
        defence, of = _defence(kind, design), register(design)
        releases = published(sites.clinic, of, defence, advance)
        learnt = learn(sites.clinic, of, defence, DK, PAPERS, advance)
        for released, finding in zip(releases, learnt, strict=True):
            advance(None, f"{kind.name}, week {released.week}")
            told = _figures(sites.clinic, released.release, design.centre.beta)
            told = {**told, "gain": finding.gain, "confidence": finding.confidence}
            rows += [
                {
                    "method": kind.name,
                    "week": released.week,
                    "measure": title,
                    "figure": told[name],
                }
                for name, title in measures.items()
            ]
    return rows


_LINES = Lines(
    x="week",
    y="figure",
    x_label="week",
    y_label="",
    series="method",
    panel="measure",
    own_heights=True,
)

FIGURES = (
    Figure("clinic_cost", "What is lost, clinic", partial(_weeks, COST), _LINES),
    Figure("clinic_privacy", "What is given away, clinic", partial(_weeks, _PRIVACY), _LINES),
)
