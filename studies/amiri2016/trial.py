"""Releases of Adult, and what is measured of each; equal ones are made once, figures share them.

What is measured, beside what `utility` has:

- *classes*: how many, and the smallest, median and largest size;
- *beta reached*: the largest relative growth of a value's share from the table to a class, and
  *beta mean* that of the class of each published record, on average;
- *js reached*: how far the prior beliefs about the records of a class diverge at most;
- *gain*: by how much likelier a record's actual value is to the adversary after the release than by
  its share of the class, in parts of what lacks to certainty; the mean over published records, as
  `bkpriv_core.sequence.measures` has it. *Confidence* is how likely it is, the mean; *disclosure*
  how far the release moves the adversary's belief about a record, the mean, in bits. All by omega;
- *seconds* of a processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from rich.console import Console

from bkpriv_client.adult import read_adult
from bkpriv_client.terminal import step
from bkpriv_core.belief.disclosure import Adversaries
from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import Job, find_method, parse_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import BetaLikeness, JsDivergence
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import utility
from studies.amiri2016.design import Design, Kind, Point
from studies.blending import SMOOTHING
from studies.cells import count_cells
from studies.guo2011.workshop import resized
from studies.laboratory import Laboratory

__all__ = ["Figures", "Sites", "Trial", "enter", "read_table"]

Figures = Mapping[str, float | None]
"""Figures of a release, by name; None where there is none."""

_BLENDED = Comparison(farthest=True, smoothing=SMOOTHING)
"""Comparison of beliefs."""

_MEASURED = (
    *("gcp", "rgcp", "suppressed_share", "gain", "confidence", "disclosure", "beta_reached"),
    *("beta_mean", "js_reached", "classes", "smallest", "median", "largest", "seconds"),
)


@dataclass(frozen=True, eq=False)
class Sites:
    """Sites at which the study takes place."""

    adult: Trial
    clinic: Laboratory
    """The clinic's register, in a database."""


class Trial:
    """Releases of a table.

    Args:
        design: Design of the study: its adversary, and the seed of what is drawn.
    """

    def __init__(self, table: Table, design: Design) -> None:
        self.threat = ThreatModel(table)
        self._design = design
        self._figures = cache(self._measure)

    def figures(self, kind: Kind, point: Point, number: int = 0) -> Figures:
        """Measure a release; if there is none, all is left out.

        Args:
            number: Tells releases apart that differ by chance.
        """
        # Who does not regard beliefs publishes the same whatever j is.
        centre = self._design.centre
        used = point if kind.alike else Point(point.k, point.beta, centre.j)
        return self._figures(kind, used, number)

    def make(self, kind: Kind, point: Point, number: int = 0) -> Release:
        """Make a release.

        Raises:
            UnattainableRequirement: If there is none.
        """
        method = find_method(kind.method)
        policy = parse_policy(kind.requirements(point, self._design.bandwidth))
        options = parse_options(method, {"estimator": "omega"})
        chance = SeededChance(self._design.seed + number)
        method.check(self.threat, policy.requirements, options)
        release, _, _ = method.make(Job(self.threat, policy.requirements, options, chance, SILENT))
        return release

    def _measure(self, kind: Kind, point: Point, number: int) -> Figures:
        started = time.process_time()
        try:
            release = self.make(kind, point, number)
        except UnattainableRequirement:
            return {**dict.fromkeys(_MEASURED), "suppressed_share": 1.0, "rgcp": 1.0}
        seconds = time.process_time() - started
        lost = utility(release)
        sizes = release.sizes
        threat = self.threat.over(release.parts)
        known, weights = self._design.bandwidth, release.weights
        (betas,) = BetaLikeness(point.beta).measure(threat, release.groups).figures
        (js,) = JsDivergence(point.j, known).measure(threat, release.groups).figures
        figures = {
            **lost,
            **_learnt(release, threat.adversaries([known], [_BLENDED])),
            "beta_reached": float(betas.max()),
            "beta_mean": float(np.average(betas, weights=weights)),
            "js_reached": float(js.max()),
            "classes": len(sizes),
            "smallest": float(sizes.min()),
            "median": float(np.median(sizes)),
            "largest": float(sizes.max()),
            "seconds": seconds,
        }
        return {name: figures[name] for name in _MEASURED}


def _learnt(release: Release, adversaries: Adversaries) -> Figures:
    """Disclosure of published records to adversaries, on average."""
    groups = release.groups
    (believed,) = adversaries.posterior(groups, "omega").beliefs
    (moved,) = adversaries.disclosure(groups, "omega").figures
    share = (release.histograms / release.sizes[:, None])[groups.owner]
    gains = np.divide(believed - share, 1 - share, out=np.zeros_like(share), where=share < 1)
    records = release.parts.counts[groups.members]
    return {
        "gain": float(np.average(gains, weights=records)),
        "confidence": float(np.average(believed, weights=records)),
        "disclosure": float(np.average(moved, weights=release.weights)),
    }


def read_table(path: Path, design: Design) -> Table:
    """Read the Adult data, or the part of them that a design wants."""
    table = count_cells(read_adult(path))
    if design.records is None:
        return table
    return resized(table, design.records / table.records, SeededChance(design.seed))


def enter(
    path: Path,
    design: Design,
    clinic: Callable[[Console], AbstractContextManager[Laboratory]],
) -> Callable[[Console], AbstractContextManager[Sites]]:
    """Return what reads the Adult data, and enters the clinic's database."""

    @contextmanager
    def entered(console: Console) -> Iterator[Sites]:
        with step(console, f"Reading {path}"):
            table = read_table(path, design)
        with clinic(console) as laboratory:
            yield Sites(Trial(table, design), laboratory)

    return entered
