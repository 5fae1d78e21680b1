"""Utility of a release as its table grows: time beside that of a sixth of the table.

Hardly two houses are alike, so six times the houses are six times the cells. Time grows by somewhat
more: with eight columns 20,000 cells make hundreds of blocks, each cut on one side along most of
them, and 120,000 make thousands, which have neighbours on both sides of more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.figure import Figure, alternate
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import METHODS, Job
from bkpriv_core.method.mondrian import MondrianOptions
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.components import find_components
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.utility.divergence import divergences
from bkpriv_core.utility.measures import column_losses, utility
from studies.cells import count_cells
from studies.houses import houses

__all__ = ["measure_utility"]

_TIMES = 6
_MOST = 9.0
_K = 5


def measure_utility(records: int, seed: int, rounds: int) -> list[Figure]:
    """Measure so many houses, and a sixth of them, published by Mondrian."""
    fewer, more = _publish(records // _TIMES, seed), _publish(records, seed)
    figures = []
    works: dict[str, Callable[[Release], object]] = {
        "utility": _measured,
        "people who are exchanged": find_components,
    }
    for what, work in works.items():
        baseline, ours = alternate(rounds, partial(work, fewer), partial(work, more))
        times = more.table.cells / fewer.table.cells
        figures.append(
            Figure(
                f"{what}, {more.table.cells:,} cells",
                f"{ours:.2f} s",
                f"{fewer.table.cells:,} cells {baseline:.2f} s",
                ours / baseline,
                f"ratio {_MOST:g} for {times:.1f}",
                ours <= _MOST * baseline,
            )
        )
    return figures


def _publish(records: int, seed: int) -> Release:
    method = METHODS["mondrian"]
    requirements = parse_policy({"k_anonymity": {"k": _K}}).requirements
    threat = ThreatModel(count_cells(houses(records, seed)))
    options = MondrianOptions(refine=False)
    return method.make(Job(threat, requirements, options, SeededChance(seed), SILENT)).release


def _measured(release: Release) -> None:
    utility(release)
    column_losses(release)
    divergences(release)
