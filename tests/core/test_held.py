"""Groups that hold few of many sensitive values: the same figures as over all values."""

from __future__ import annotations

import numpy as np
import pytest

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table

VALUES = 90


def table(seed: int) -> Table:
    """Draw a table of many sensitive values, some of them common."""
    rng = np.random.default_rng(seed)
    known, told = rng.integers(0, 40, 240), (VALUES * rng.random(240) ** 3).astype(np.int64)
    told[:VALUES] = np.arange(VALUES)
    numbers = np.arange(40, dtype=np.float64)
    domain = Domain("a", tuple(f"{number:g}" for number in numbers), positions=numbers)
    sensitive = Domain("s", tuple(f"v{value:02}" for value in range(VALUES)))
    ones = np.ones(len(known), dtype=np.int64)
    return Table.from_rows((domain,), sensitive, np.column_stack((known, told)), ones)[0]


def groups_of(cells: int) -> Groups:
    """Groups of one cell, two, four, and a last of all others, which holds most values."""
    bounds = np.array([0, 1, 3, 7, 11, cells])
    return Groups(np.arange(cells, dtype=np.int64), bounds)


@pytest.mark.parametrize("estimator", ["omega", "auto", "bethe", "additive"])
@pytest.mark.parametrize("bandwidths", [(0.05,), (0.3,), (0.05, 0.3)])
@pytest.mark.parametrize("seed", [0, 1])
def test_figures_are_those_over_all_values(
    seed: int, bandwidths: tuple[float, ...], estimator: Estimator
) -> None:
    drawn = table(seed)
    groups = groups_of(drawn.cells)
    adversaries = ThreatModel(drawn).tried().adversaries(bandwidths)
    held, used = adversaries._infer(groups, estimator, None)
    over_all, ways = adversaries._infer_over_all(groups, estimator, None)
    assert used.tolist() == ways.tolist()
    np.testing.assert_allclose(held, over_all, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", [0, 1])
def test_histograms_are_sums(seed: int) -> None:
    parts = ThreatModel(table(seed)).parts
    groups = groups_of(len(parts))
    expected = [parts.counts[group].sum(axis=0).tolist() for group in groups]
    assert parts.histograms(groups).tolist() == expected


def test_no_groups_have_no_figures() -> None:
    threat = ThreatModel(table(0))
    nothing = Groups.from_lists([])
    assert threat.adversaries((0.3,))._infer(nothing, "omega", None)[0].shape == (1, 0)
