"""Speed of bounds of disclosure, against exact inference of the same groups.

Groups are those of Mondrian, formed by omega against three adversaries, as certification finds
them: those of so many states that they are bounded first, within the budget of exact inference.
"""

from __future__ import annotations

import numpy as np

from bench.figure import Figure, alternate
from bench.publication import SKYLINE
from bkpriv_client.source import Source
from bkpriv_core.belief.disclosure import Disclosure
from bkpriv_core.belief.posterior import AUTO_STATES, FEW_STATES, Estimator, exact_states
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.policy import parse_policy
from bkpriv_core.requirement import BtPrivacy
from bkpriv_core.table.groups import Groups
from studies.cells import count_cells

__all__ = ["measure_bounds"]

_FASTER = 3
_DECIDED = 0.5
_ROUNDING = 1e-9


def measure_bounds(source: Source, rounds: int) -> list[Figure]:
    """Measure how long bounds take, and of how many groups they decide.

    Raises:
        AssertionError: If a bound is on the wrong side of the exact figure.
    """
    threat = ThreatModel(count_cells(source)).tried()
    requirements = parse_policy(SKYLINE).about([source.sensitive]).requirements
    (belief,) = (item for item in requirements if isinstance(item, BtPrivacy))
    groups = _many(threat, mondrian(threat, requirements))
    limits = [t for _, t in belief.skyline]

    def infer(estimator: Estimator) -> Disclosure:
        # Of parts anew, since what was inferred is remembered.
        anew = threat.over(threat.parts.select(np.arange(len(threat.parts))))
        return anew.adversaries(belief.knowledge).disclosure(groups, estimator, limits=limits)

    found: dict[str, Disclosure] = {}
    bounded, exact = alternate(
        rounds,
        lambda: found.update(bound=infer("bound")),
        lambda: found.update(exact=infer("exact")),
    )
    most, true = found["bound"].figures, found["exact"].figures
    assert (most >= true - _ROUNDING).all(), "a bound is below the exact figure"
    held, proved = (
        ~groups.max(np.any(figures > np.array(limits)[:, None], axis=0)) for figures in (true, most)
    )
    return [
        Figure(
            f"bounds of {len(groups)} groups of many states",
            f"{bounded:.2f} s",
            f"exact {exact:.2f} s",
            exact / bounded,
            f"{_FASTER} times faster",
            exact >= _FASTER * bounded,
        ),
        Figure(
            "    proved to hold",
            f"{proved.sum()}",
            f"{held.sum()} hold",
            proved.sum() / max(held.sum(), 1),
            f"{_DECIDED}",
            proved.sum() >= _DECIDED * held.sum(),
        ),
    ]


def _many(threat: ThreatModel, groups: Groups) -> Groups:
    parts = threat.parts
    states = exact_states(groups, parts.weights[groups.members], parts.histograms(groups))
    return groups.select((states > FEW_STATES) & (states <= AUTO_STATES))
