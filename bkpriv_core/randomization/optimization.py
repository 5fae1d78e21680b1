"""Optimal channels: those that cost estimates least, of those that bound every record's risk.

The expected squared error of reconstructed counts grows with the norms of the inverse channels, so
what is minimised is (Guo, Ying, Wu 2011, result 2)

    sum_i w_i ln |P_i^-1|^2  =  sum_i w_i ln(1 + (d_i - 1)^3 / (p_i d_i - 1)^2),

with weights ``w_i = 1`` unless some attributes matter more, subject to ``risk <= tau`` for every
record. With the gap ``g = p - q = (p d - 1) / (d - 1)``, in (0, 1], a term is
``ln(1 + (d - 1) / g^2)``: convex in ``ln g``, and falling. Risks rise with every gap. So

- if nothing needs to be distorted, nothing is;
- if the least risks, those of ``g -> 0``, exceed tau, no channels will do;
- otherwise the bound is tight, and any point can be moved onto it by scaling its gaps.

In between, sequential quadratic programming is run in ``ln g`` from several points of the bound,
for the riskiest records; those that exceed it where it ends are taken in, and it goes on. The
result is a local optimum, the best of those that were reached; nothing proves that there is no
better one (though no grid search of the tests has found any).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import (
    InvalidData,
    InvalidParameter,
    UnattainableRequirement,
    as_json,
)
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import LEAST_GAP, Channel, Scheme, check_scheme, distorted
from bkpriv_core.randomization.risk import Distorted, RiskTable, risks
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["Optimum", "check_tau", "optimize"]

_ROUNDS = 20
"""Times that records are taken in, at most; more than four were never seen."""

_ITERATIONS = 200
"""Limit of the iterations of sequential quadratic programming."""

_TAKEN = 8
"""Riskiest cells that are taken in at a time."""

_SLACK = 1e-9
"""Largest relative excess of a risk over tau before its record is taken in."""

_SHARP = 1e-11
"""Change of the objective at which it is optimal."""

_AHEAD = 4.0
"""Factor by which one gap differs from the others where the search starts."""

_ROUGH, _EXACT = 1e-2, 1e-15
"""Tolerances, relative to gaps, of how far they are scaled: to begin with, and in the end."""

_OPEN = 1e-9
"""Distance that the search keeps below gaps of 1, where derivatives of risks are not defined."""

_NEARLY = 1e-6
"""Gaps that are nearer to 1 are tried as 1."""

_AGREEING = 1e-6
"""Difference of objectives that are the same."""


@dataclass(frozen=True)
class Optimum:
    """Channels that were found."""

    channels: tuple[Channel, ...]
    """Channels, one for each attribute, the sensitive one last; of retention 1 where nothing is
    distorted.
    """
    risk: float
    """Largest risk of a record, at most tau."""
    objective: float
    """Sum of ``ln |P^-1|^2`` over the attributes that are distorted, unless some weigh more."""
    starts: int
    """Number of points from which it was sought."""
    agreeing: int
    """Number of them from which it was reached, up to 1e-6."""


def check_tau(tau: float) -> float:
    """Return a bound of risks.

    Raises:
        InvalidParameter: If it is not in (0, 1].
    """
    if not 0.0 < tau <= 1.0:
        raise InvalidParameter(
            "tau must be above 0 and at most 1",
            detail=f"It is {tau:g}.",
            hint="It bounds the probability that somebody's sensitive value is guessed.",
        )
    return float(tau)


def optimize(
    table: Table,
    scheme: Scheme,
    tau: float,
    weights: Mapping[str, float] | None = None,
    progress: Progress = SILENT,
) -> Optimum:
    """Find optimal channels.

    Args:
        scheme: Attributes that are distorted. Quasi-identifiers of one value never are.
        tau: Bound of the risk of every record, in (0, 1].
        weights: Weight of an attribute's accuracy, positive; 1 for the others.

    Returns:
        A local optimum, the best of several; see the module. Its risk is exact up to rounding, and
        at most tau.

    Raises:
        InvalidParameter: If there is no such scheme, tau is not in (0, 1], or a weight means
            nothing.
        InvalidData: If the sensitive attribute has one value.
        UnattainableRequirement: If no channels will do.
        TooLarge: If the grid of the distorted quasi-identifiers is too large.

    References:
    .. [1] L. Guo, X. Ying, X. Wu, "Limiting Attribute Disclosure in Randomization Based Microdata
       Release", Journal of Computing Science and Engineering 5(3), 2011, result 2.
    """
    check_tau(tau)
    among = distorted(check_scheme(scheme), len(table.quasi_identifiers))
    if table.sensitive.size == 1:
        raise InvalidData(
            f'the sensitive attribute "{table.sensitive.name}" has one value',
            detail=f"Everybody has {table.sensitive.quote(0)}, whatever is distorted.",
            hint="Publish the table without it, or another sensitive attribute.",
        )
    distorts = tuple(
        chosen and domain.size > 1 for chosen, domain in zip(among, table.domains, strict=True)
    )
    importance = _importance(table, distorts, weights or {}, scheme)
    kept = tuple(Channel(domain.size, 1.0) for domain in table.domains)
    undistorted = float(risks(table, kept, progress).max())
    if undistorted <= tau:
        objective = float(importance @ np.log([domain.size for domain in table.domains]))
        return Optimum(kept, undistorted, objective, 1, agreeing=1)
    problem = _Problem.of(table, distorts, importance, tau, progress=progress.quiet)
    beyond = problem.under(problem.lowest).risks > tau
    if beyond.any():
        raise _unattainable(table, problem.exposure, scheme, tau, beyond=beyond)
    starts = problem.starts()
    found = []
    for place, start in enumerate(starts):
        progress.report(place / len(starts))
        found.append(problem.descend(start))
    best = min(found, key=problem.objective)
    least = problem.objective(best)
    return Optimum(
        *problem.settle(best),
        least * float(importance.max()),
        len(found),
        sum(problem.objective(gaps) <= least + _AGREEING for gaps in found),
    )


def _importance(
    table: Table, distorts: Sequence[bool], weights: Mapping[str, float], scheme: Scheme
) -> FloatArray:
    """Weight of each attribute, shape (d + 1,); 0 for those that are not distorted."""
    names = [
        domain.name for domain, distorted in zip(table.domains, distorts, strict=True) if distorted
    ]
    for name, weight in weights.items():
        if name not in names:
            raise InvalidParameter(
                f'a weight names "{name}", which scheme {scheme} does not distort',
                detail=f"Weights are {as_json(dict(weights))}.",
                hint=f"It distorts {', '.join(map(as_json, names)) or 'nothing of this table'}.",
            )
        if not (weight > 0.0 and math.isfinite(weight)):
            raise InvalidParameter(
                f'the weight of "{name}" must be a positive number',
                detail=f"It is {weight:g}.",
                hint="It says how much the attribute's accuracy matters; others have 1.",
            )
    return np.array(
        [
            weights.get(domain.name, 1.0) if distorted else 0.0
            for domain, distorted in zip(table.domains, distorts, strict=True)
        ]
    )


def _unattainable(
    table: Table, exposure: RiskTable, scheme: Scheme, tau: float, beyond: BoolArray
) -> UnattainableRequirement:
    """Error that says what is attainable; `beyond` tells which records prevent more."""
    least = exposure.least
    best = float(least.max())
    cell, value = divmod(int(least.argmax()), least.shape[1])
    over = int(table.counts[beyond].sum())
    sensitive = table.sensitive
    where = ", ".join(
        filter(None, (table.describe(cell), f'"{sensitive.name}" is {sensitive.quote(value)}'))
    )
    # Where distortion changes nothing, the best is attained; otherwise only approached.
    attained = best == float(exposure.conditional[cell, value])
    ask = f"Ask for {'' if attained else 'more than '}{math.ceil(best * 1e6) / 1e6:g}"
    coarsen = "coarsen quasi-identifiers, so that such records are among others."
    return UnattainableRequirement(
        f"no randomization by scheme {scheme} keeps every risk at or below {tau:g}",
        detail=f"The best attainable is {'' if attained else 'above '}{best:.6g}, for records "
        f"whose {where}; {over} of {table.records} records cannot get to {tau:g}.",
        hint=f"{ask}, use scheme rr-both, or {coarsen}"
        if scheme == "rr-s"
        else f"{ask}, or {coarsen}",
    )


@dataclass(eq=False)
class _Problem:
    """Problem that is minimised, over the gaps of the ``a`` attributes that are distorted."""

    table: Table
    exposure: RiskTable
    """The same, laid out."""
    axes: IntArray
    """Shape (a,). The attributes."""
    sizes: FloatArray
    importance: FloatArray
    """Shape (a,). Sizes of their domains, and weights, the largest being 1."""
    tau: float
    progress: Progress
    cells: IntArray
    values: IntArray
    """Shape (k,). The records whose risks are bounded for now."""

    @classmethod
    def of(
        cls,
        table: Table,
        distorts: Sequence[bool],
        importance: FloatArray,
        tau: float,
        progress: Progress,
    ) -> _Problem:
        """Begin with no records."""
        exposure = RiskTable.of(table, distorts)
        axes = np.flatnonzero(distorts)
        sizes = np.array([table.domains[axis].size for axis in axes], dtype=np.float64)
        weights = importance[axes] / importance.max()
        none = np.zeros(0, np.int64)
        return cls(
            table=table,
            exposure=exposure,
            axes=axes,
            sizes=sizes,
            importance=weights,
            tau=tau,
            progress=progress,
            cells=none,
            values=none.copy(),
        )

    @property
    def lowest(self) -> FloatArray:
        """The least gaps."""
        return np.full(len(self.axes), LEAST_GAP)

    def channels(self, gaps: FloatArray) -> tuple[Channel, ...]:
        """Channels of all attributes."""
        retentions = np.ones(len(self.table.domains))
        retentions[self.axes] = (1.0 + gaps * (self.sizes - 1.0)) / self.sizes
        return tuple(
            Channel(domain.size, retention)
            for domain, retention in zip(self.table.domains, retentions.tolist(), strict=True)
        )

    def under(self, gaps: FloatArray) -> Distorted:
        """The table under channels."""
        return self.exposure.under(self.channels(gaps), self.progress)

    def objective(self, gaps: FloatArray) -> float:
        """Weighted sum that is minimised."""
        return float(self.importance @ np.log1p((self.sizes - 1.0) / gaps**2))

    def scaled(self, gaps: FloatArray, tolerance: float) -> FloatArray:
        """Scale gaps, within their bounds, to where the largest risk is tau."""
        scaled = self._scaled(gaps, np.ones(len(gaps), dtype=bool), tolerance)
        assert scaled is not None
        return scaled

    def _scaled(self, gaps: FloatArray, moving: BoolArray, tolerance: float) -> FloatArray | None:
        """Scale some gaps so; None if the others do not allow it."""
        from scipy.optimize import brentq  # slow to import, and only wanted here

        def at(log: float) -> FloatArray:
            return np.where(moving, np.clip(math.exp(log) * gaps, LEAST_GAP, 1.0), gaps)

        def excess(log: float) -> float:
            return math.log(self.under(at(log)).risks.max() / self.tau)

        if not moving.any():
            return None
        # These are least at one end, and 1 at the other, which is too much if the others are, too.
        least = math.log(LEAST_GAP / gaps[moving].max())
        if excess(least) > 0.0:
            return None
        return at(brentq(excess, least, -math.log(gaps[moving].min()), xtol=tolerance))

    def starts(self) -> list[FloatArray]:
        """Points of the bound: with all gaps alike, and with one ahead of the others."""
        count = len(self.axes)
        ahead = 1.0 + (_AHEAD - 1.0) * np.eye(count) if count > 1 else np.ones((0, count))
        return [self.scaled(gaps, _ROUGH) for gaps in (np.ones(count), *ahead)]

    def descend(self, start: FloatArray) -> FloatArray:
        """Gaps of a local optimum, on the bound."""
        from scipy.optimize import minimize  # slow to import, and only wanted here

        gaps = start
        self._take_in(gaps, 0.0)
        for _ in range(_ROUNDS):
            current = _Current(self)
            bounds = [(math.log(LEAST_GAP), math.log1p(-_OPEN))] * len(gaps)
            # The stubs know of constraints of one value only.
            result = minimize(  # type: ignore[call-overload]
                current.objective,
                np.clip(np.log(gaps), *bounds[0]),
                jac=current.objective_slopes,
                bounds=bounds,
                constraints={"type": "ineq", "fun": current.slack, "jac": current.slack_slopes},
                method="SLSQP",
                options={"maxiter": _ITERATIONS, "ftol": _SHARP},
            )
            if not np.isfinite(result.x).all():
                break
            gaps = np.exp(np.clip(result.x, *bounds[0]))
            if not self._take_in(gaps, self.tau * (1.0 + _SLACK)):
                break
        found = self.scaled(gaps, _EXACT)
        if gaps.max() > 1.0 - _NEARLY:
            # What is all but kept is kept, where that costs nothing.
            kept = gaps > 1.0 - _NEARLY
            whole = self._scaled(np.where(kept, 1.0, gaps), ~kept, _EXACT)
            if whole is not None and self.objective(whole) <= self.objective(found) + _AGREEING:
                return whole
        return found

    def settle(self, gaps: FloatArray) -> tuple[tuple[Channel, ...], float]:
        """Channels at some gaps, and their largest risk, which is at most tau to the last digit.

        Where only some attributes are distorted in the end, risks are added up in another order,
        and may differ by rounding.
        """
        moving, back = gaps < 1.0, 0.0
        while True:
            less = np.where(moving, np.maximum(gaps * (1.0 - back), LEAST_GAP), gaps)
            channels = self.channels(less)
            worst = float(risks(self.table, channels, self.progress).max())
            if worst <= self.tau:
                return channels, worst
            back = max(2.0 * back, np.finfo(np.float64).eps)
            # What is kept is moved only if nothing else helps.
            if back > _SLACK and not moving.all():
                moving, back = np.ones_like(moving), 0.0

    def _take_in(self, gaps: FloatArray, above: float) -> bool:
        """Take in the riskiest of the records that exceed a bound, if there are some new ones."""
        figures = self.under(gaps).risks.ravel()
        count = min(_TAKEN, figures.size)
        riskiest = np.argpartition(figures, -count)[-count:]
        width = self.exposure.shares.shape[1]
        known = self.cells * width + self.values
        new = np.setdiff1d(riskiest[figures[riskiest] > above], known)
        self.cells = np.append(self.cells, new // width)
        self.values = np.append(self.values, new % width)
        return bool(new.size)


class _Current:
    """Objective and constraints in the logarithms of gaps, as the solver calls them.

    It asks for risks and for their derivatives at the same point, one after the other.
    """

    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        self._at = np.zeros(0)
        self._distorted: Distorted | None = None

    def objective(self, logs: FloatArray) -> float:
        """Objective that is minimised."""
        return self._problem.objective(np.exp(logs))

    def objective_slopes(self, logs: FloatArray) -> FloatArray:
        """Derivatives of the objective, shape (a,)."""
        others = self._problem.sizes - 1.0
        slopes: FloatArray = (
            -2.0 * self._problem.importance * others / (np.exp(2.0 * logs) + others)
        )
        return slopes

    def slack(self, logs: FloatArray) -> FloatArray:
        """Distance of the logarithm of each risk below that of tau, shape (k,)."""
        risk = self._under(logs).risks_of(self._problem.cells, self._problem.values)
        slack: FloatArray = math.log(self._problem.tau) - np.log(risk)
        return slack

    def slack_slopes(self, logs: FloatArray) -> FloatArray:
        """Derivatives of the slack, shape (k, a)."""
        problem = self._problem
        under = self._under(logs)
        risk = under.risks_of(problem.cells, problem.values)
        by_retention = under.gradients(problem.cells, problem.values)[:, problem.axes]
        # p = (1 + g (d - 1)) / d, and dg / d ln g = g.
        by_log = by_retention * (np.exp(logs) * (problem.sizes - 1.0) / problem.sizes)
        slopes: FloatArray = -by_log / risk[:, None]
        return slopes

    def _under(self, logs: FloatArray) -> Distorted:
        if self._distorted is None or not np.array_equal(logs, self._at):
            self._at = logs.copy()
            self._distorted = self._problem.under(np.exp(logs))
        return self._distorted
