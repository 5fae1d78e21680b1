"""Choice of the published node of a lattice, against deciding all nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import Job
from bkpriv_core.method.full_domain import Incognito, IncognitoOptions, find_lattice
from bkpriv_core.partition import screening
from bkpriv_core.partition.cheapest import cheapest, lowest
from bkpriv_core.partition.evaluation import InferenceBudget
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import BtPrivacy, Requirement
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.cost import COSTS
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.hierarchy import Intervals
from tests.core.oracles import Records
from tests.core.strategies import SOME, as_table, requirement_lists, tables
from tests.core.test_incognito import clinic, decided, hierarchies, laid_out
from tests.core.watching import Cancelled, Watched


@SOME
@given(
    tables(max_records=12, max_attributes=2),
    requirement_lists(),
    st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    st.sampled_from(list(COSTS)),
    st.sampled_from(["auto", "bethe", "omega"]),
    st.data(),
)
def test_best_first_finds_what_deciding_all_nodes_finds(
    records: Records,
    requirements: list[Requirement],
    suppression: float,
    utility: str,
    estimator: str,
    data: st.DataObject,
) -> None:
    levels = [data.draw(hierarchies(attribute))[0] for attribute in records.attributes]
    how: dict[str, Any] = {"suppression": suppression, "estimator": estimator}
    lattice = decided(ThreatModel(as_table(records)), requirements, levels, **how)
    nodes = laid_out(ThreatModel(as_table(records)), requirements, levels, **how)
    assert lowest(nodes) == lattice.minimal_nodes()
    safe = [tuple(node) for node in np.argwhere(lattice.safe).tolist()]
    found = cheapest(nodes, utility)
    if not safe:
        assert found is None
        return
    costs = {node: lattice.cost(node, utility) for node in safe}
    assert found is not None
    assert costs[found] == min(costs.values())
    if utility != "gcp":  # That is a mean, which is rounded.
        assert found == min((cost, node) for node, cost in costs.items())[1]
        assert suppression or lattice.minimal[found]


class Tallied(BtPrivacy):
    """(B,t)-privacy that keeps account of what is inferred by more than omega."""

    records = 0
    pessimistic = False

    def satisfied(
        self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
    ) -> npt.NDArray[np.bool_]:
        """Tell which groups meet it; if pessimistic, bethe says that none does."""
        if estimator != "omega":
            Tallied.records += int(threat.parts.sizes(groups).sum())
        met = super().satisfied(threat, groups, estimator)
        return np.zeros_like(met) if self.pessimistic and estimator == "bethe" else met


def with_intervals(threat: ThreatModel) -> ThreatModel:
    """The clinic with the intervals that `clinic` has levels for."""
    age, *others = threat.table.quasi_identifiers
    widths = tuple(map(Decimal, (5, 10, 20, 40)))
    age = replace(age, intervals=Intervals(widths, Decimal(0)))
    return ThreatModel(replace(threat.table, quasi_identifiers=(age, *others)))


@pytest.mark.parametrize("suppression", [0.0, 0.02])
def test_publishing_measures_few_groups_in_full(suppression: float) -> None:
    threat = with_intervals(clinic(1200, seed=8)[0])
    skyline = Tallied(((0.3, 0.4), (0.6, 0.4)))
    Tallied.records = 0
    options = IncognitoOptions(suppression=suppression)
    tried = threat.tried()
    _, groups, _ = Incognito().partition(Job(tried, [skyline], options, SeededChance(1), SILENT))
    # There are 36 nodes of all 1200 records each.
    assert 0 < Tallied.records < 8 * 1200
    lattice = find_lattice(threat.tried(), [skyline], options)
    costs = [
        lattice.cost(tuple(node), "discernibility") for node in np.argwhere(lattice.safe).tolist()
    ]
    sizes = threat.parts.sizes(groups)
    left_out = 1200 - int(sizes.sum())
    assert left_out <= suppression * 1200
    assert float((sizes**2).sum() + 1200 * left_out) == min(costs)


def test_that_no_node_is_safe_rests_on_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    threat, levels = clinic(100, seed=1)
    lattice = decided(threat, [Tallied(((0.5, 0.5),))], levels, estimator="auto")
    best = cheapest(lattice, "discernibility")
    assert best is not None
    monkeypatch.setattr(screening, "EFFORTS", (InferenceBudget(256, 0, 0, np.inf, "exact"),))
    monkeypatch.setattr(Tallied, "pessimistic", True)
    monkeypatch.setattr(screening, "_FEWEST", 0)
    small = laid_out(threat, [Tallied(((0.5, 0.5),))], levels, estimator="auto")
    groups = small.all_groups(best)
    assert small.screen.kept(groups) is not None
    assert small.screen.kept(groups, estimating=True) is None
    assert cheapest(small, "discernibility") == best
    assert lowest(small) == lattice.minimal_nodes()


@pytest.mark.parametrize("search", [lowest, partial(cheapest, utility="gcp")])
def test_the_search_can_be_cancelled_anywhere_and_tells_how_far_it_is(
    search: Callable[..., object],
) -> None:
    threat, levels = clinic(60, seed=5)
    shares: list[float] = []
    polls = [0, 0]

    def poll() -> None:
        polls[0] += 1
        if polls[0] == polls[1]:
            raise Cancelled

    def searched() -> None:
        watched = ThreatModel(threat.table, progress=Watched(poll))
        nodes = laid_out(watched, [BtPrivacy(((0.5, 0.3),))], levels, estimator="auto")
        search(nodes, progress=Watched(report=shares.append))

    searched()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert polls[0] > 36
    for stop in (1, polls[0] // 2, polls[0]):
        polls[:] = [0, stop]
        with pytest.raises(Cancelled):
            searched()
