"""The least loss of small tables, exactly: how far groups and lower bounds are from it.

Partition into groups of at least k records is set partitioning: of all groups of k to 2k - 1 those
are chosen that hold each record once and cost least. What a group costs depends on its size and on
what its box holds: a *closed* set, of which there are far fewer than groups. Columns are generated:
with the dual prices of records, the group of a closed set that is worth most is of the records with
the highest prices. The linear relaxation so solved is a lower bound. A partition within a gap of it
has no group whose reduced cost is above the gap, so the programme of all others finds it, if there
is one; gaps are tried in turn. Where groups are too many what is proven is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array

from bkpriv_client.adult import read_adult
from bkpriv_client.hospital import hospital
from bkpriv_client.terminal import make_console, make_table
from bkpriv_core.belief.setting import Setting
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray
from bkpriv_core.table.table import Table
from bkpriv_core.utility.least import least_gcp, prices
from bkpriv_core.utility.measures import utility
from studies.cells import count_cells

__all__ = ["Optimum", "Trial", "least_loss", "try_table"]

_COLUMNS = 30_000
"""Limit of the groups among which the programme chooses in the end."""

_SECONDS = 10.0
"""Seconds in which it does."""

_GENERATED = 300
"""Columns that are added at a time."""

_GAPS = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, np.inf)
"""Gaps of the relaxation that are tried in turn, as shares of it or, if that is more, of 1."""

_INFEASIBLE = 2
"""Status of a programme that has no solution."""

_TINY = 1e-9


@dataclass(frozen=True)
class Optimum:
    """The least penalty of all records, in sum: what is proven, and the best that was found."""

    proven: float
    found: float

    @property
    def exact(self) -> bool:
        """Whether there is no better partition."""
        return self.found - self.proven <= 1e-7


def least_loss(table: Table, k: int) -> Optimum:
    """Find the least penalty of all partitions into groups of `k` or more, in sum.

    Parameters
    ----------
    table : Table
        At most 64 records, at least `k`.
    """
    held, penalty = _closed(table, k)
    records = held.shape[1]
    everybody = np.ones((records, 1), dtype=bool)
    columns = everybody
    costs: FloatArray = np.array([records * penalty.max()])
    while True:
        relaxed, price = _relaxed(columns, costs)
        groups, cost = _worth_most(held, penalty, price, k)
        reduced = cost - groups @ price
        cheapest = np.argsort(reduced, kind="stable")[:_GENERATED]
        cheapest = cheapest[reduced[cheapest] < -_TINY]
        if not cheapest.size:
            break
        columns = np.hstack((columns, groups[cheapest].T))
        costs = np.concatenate((costs, cost[cheapest]))
    proven, (found, _) = relaxed, _programme(columns, costs)
    for share in _GAPS:
        gap = share * max(relaxed, 1.0) + _TINY
        every = _within(held, penalty, price, k, gap)
        if every is None:
            break
        best, bound = _programme(every[0].T, every[1])
        found = min(found, best)
        # What is not among these costs more than the gap.
        proven = max(proven, min(bound, relaxed + gap, found))
        if found - proven <= _TINY or bound < best - _TINY:
            break  # It is the best, or the programme takes too long.
    return Optimum(proven, found)


def _relaxed(columns: BoolArray, costs: FloatArray) -> tuple[float, FloatArray]:
    """Least cost of shares of columns that hold each record once, and prices of records."""
    held = columns.astype(np.float64)
    result = linprog(costs, A_eq=held, b_eq=np.ones(len(held)), bounds=(0, None))
    price: FloatArray = np.asarray(result.eqlin.marginals, dtype=np.float64)
    return float(result.fun or 0.0), price


def _closed(table: Table, k: int) -> tuple[BoolArray, FloatArray]:
    """Sets of `k` records or more that boxes hold, (x, n), and penalties of these, (x,)."""
    places = np.repeat(table.places, table.weights, axis=0)
    sets = np.array([~np.uint64(0) >> np.uint64(64 - len(places))])
    bit = np.uint64(1) << np.arange(len(places), dtype=np.uint64)
    for axis, domain in enumerate(table.quasi_identifiers):
        along = places[:, axis]
        occurring = np.unique(along)
        low, high = (ends.ravel() for ends in np.meshgrid(occurring, occurring))
        low, high = low[low <= high], high[low <= high]
        if not domain.numeric:  # What has no larger penalty belongs to it.
            level = domain.ancestor_level(low, high)
            inside = (
                domain.ancestor_level(
                    np.minimum(low[:, None], along), np.maximum(low[:, None], along)
                )
                <= level[:, None]
            )
        else:
            inside = (low[:, None] <= along) & (along <= high[:, None])
        along_axis = np.unique((inside * bit).sum(axis=1, dtype=np.uint64))
        met = np.unique((sets[:, None] & along_axis).ravel())
        sets = met[_records(met, len(places)).sum(axis=1) >= k]
    held = _records(sets, len(places))
    penalty = np.array(
        [
            float(table.penalty(places[each].min(axis=0)[None], places[each].max(axis=0)[None])[0])
            for each in held
        ]
    )
    return held, penalty


def _records(sets: np.ndarray, records: int) -> BoolArray:
    """Records of sets that are bits of numbers."""
    held: BoolArray = (sets[:, None] >> np.arange(records, dtype=np.uint64) & np.uint64(1)) > 0
    return held


def _worth_most(
    held: BoolArray, penalty: FloatArray, price: FloatArray, k: int
) -> tuple[BoolArray, FloatArray]:
    """The group of each closed set of the least reduced cost, and its cost."""
    order = np.argsort(-price, kind="stable")
    ranked = held[:, order]
    rank = np.cumsum(ranked, axis=1)
    # The first k, and others up to 2k - 1 that are worth more than they cost.
    taken = ranked & ((rank <= k) | ((rank < 2 * k) & (price[order] > penalty[:, None])))
    groups = np.zeros_like(held)
    groups[:, order] = taken
    return groups, penalty * groups.sum(axis=1)


def _within(
    held: BoolArray, penalty: FloatArray, price: FloatArray, k: int, gap: float
) -> tuple[BoolArray, FloatArray] | None:
    """All groups of a reduced cost of at most the gap, and their costs; None if too many."""
    found: dict[tuple[int, ...], float] = {}
    for each, cost in zip(held, penalty.tolist(), strict=True):
        members = np.flatnonzero(each)
        members = members[np.argsort(-price[members], kind="stable")]
        worth = (price[members] - cost).tolist()
        for chosen in _subsets(worth, k, gap + _TINY):
            group = tuple(sorted(members[list(chosen)].tolist()))
            found[group] = min(found.get(group, np.inf), cost * len(group))
            if len(found) > _COLUMNS:
                return None
    groups = np.zeros((len(found), held.shape[1]), dtype=bool)
    for row, group in enumerate(found):
        groups[row, list(group)] = True
    return groups, np.array(list(found.values()))


def _subsets(worth: list[float], k: int, gap: float) -> Iterator[tuple[int, ...]]:
    """Sets of k to 2k - 1 places of falling worth whose sum is at least minus the gap."""
    positive = np.concatenate((np.cumsum(np.maximum(worth, 0.0)[::-1])[::-1], [0.0])).tolist()
    waiting: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while waiting:
        chosen, total = waiting.pop()
        if len(chosen) >= k and total >= -gap:
            yield chosen
        if len(chosen) == 2 * k - 1:
            continue
        for place in range(chosen[-1] + 1 if chosen else 0, len(worth)):
            missing = k - len(chosen)
            # At best the next ones, as many as are missing, and whatever is worth something.
            best = sum(worth[place : place + missing]) if missing > 0 else worth[place]
            further = positive[place + max(missing, 1)] if place + missing <= len(worth) else 0.0
            if place + missing > len(worth) or total + best + further < -gap:
                break
            waiting.append(((*chosen, place), total + worth[place]))


def _programme(columns: BoolArray, costs: FloatArray) -> tuple[float, float]:
    """Least cost of columns that hold each record once, as found and as proven."""
    result = milp(
        costs,
        constraints=LinearConstraint(csc_array(columns.astype(np.float64)), 1, 1),
        integrality=np.ones(len(costs), dtype=np.int64),
        bounds=Bounds(0, 1),
        options={"time_limit": _SECONDS, "mip_rel_gap": 0.0},
    )
    if result.x is None:
        return np.inf, np.inf if result.status == _INFEASIBLE else 0.0
    return float(result.fun), float(result.mip_dual_bound)


@dataclass(frozen=True)
class Trial:
    """Loss of one table, in all: by methods, by bounds and at best."""

    best: Optimum
    lost: dict[str, float]


def try_table(table: Table, k: int) -> Trial:
    """Measure both methods and bounds on a small table, beside what is best."""
    requirements = parse_policy({"k_anonymity": {"k": k}}).requirements
    lost = {
        "price": float(prices(table, k) @ table.weights),
        "gcp_at_least": least_gcp(table, k) * table.records,
    }
    for name in ("agglomerate", "mondrian"):
        method = GROUP_METHODS[name]
        release, _ = method.certified(
            Job(Setting(table), requirements, method.options(), SeededChance(1), SILENT)
        )
        gcp = utility(release)["gcp"]
        assert gcp is not None
        lost[name] = gcp * table.records
    best = least_loss(table, k)
    found = min(best.found, lost["agglomerate"], lost["mondrian"])
    return Trial(Optimum(best.proven, found), lost)


def _sample(table: Table, records: int, rng: np.random.Generator) -> Table:
    """Draw records; domains are of the values that occur among them."""
    cells = np.repeat(np.arange(table.cells), table.weights)
    chosen = table.codes[rng.choice(cells, records, replace=False)]
    domains, codes = [], []
    for domain, column in zip(table.quasi_identifiers, chosen.T, strict=True):
        occurring, code = np.unique(column, return_inverse=True)
        domains.append(domain.select(occurring))
        codes.append(code.ravel())
    nothing = np.zeros(records, dtype=np.int64)
    rows = np.column_stack((*codes, nothing))
    sensitive = Domain("nothing", ("nothing",))
    return Table.from_rows(tuple(domains), sensitive, rows, np.ones_like(nothing))[0]


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def optimum(
    adult: Annotated[
        Path | None, typer.Option(envvar="ADULT", help="CSV file of the UCI Adult data.")
    ] = None,
    tables: Annotated[int, typer.Option(min=1, help="Tables that are drawn of each.")] = 50,
    records: Annotated[int, typer.Option(min=2, max=64, help="Records of each table.")] = 40,
    k: Annotated[int, typer.Option(min=2, help="Smallest size of a group.")] = 5,
) -> None:
    """Tell how far methods and lower bounds are from the least loss of small tables."""
    console = make_console()
    sources = [hospital(20_000, 1), *([read_adult(adult)] if adult else [])]
    numbers = ("exact", "of what is proven", "of the best found", "least", "most")
    shown = make_table("table", "figure", *numbers, numbers=numbers)
    for source in sources:
        rng, table = np.random.default_rng(1), count_cells(source)
        trials = [try_table(_sample(table, records, rng), k) for _ in range(tables)]
        exact = sum(trial.best.exact for trial in trials)
        for figure in trials[0].lost:
            proven = [trial.lost[figure] / trial.best.proven for trial in trials]
            found = [trial.lost[figure] / trial.best.found for trial in trials]
            ratios = (np.mean(proven), np.mean(found), min(found), max(found))
            shown.add_row(
                source.name, figure, f"{exact} of {tables}", *(f"{ratio:.3f}" for ratio in ratios)
            )
    console.print(shown)


if __name__ == "__main__":
    app()
