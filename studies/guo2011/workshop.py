"""The paper's two tables, and releases of them; equal ones are made once, and figures share them.

Optimal channels, what is drawn, how groups are formed and what is measured are all the core's, as
the server has it. Only the *marginal* risk is not: with the posterior of the sensitive attribute
taken from the whole table,

    risk(a, u) = pi(u | a) * R(u),      R(u) = pi(u) sum_v P(v | u)^2 / lambda(v),

where ``pi(u) R(u)`` is the core's risk of a table that has one cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console

from bkpriv_client.adult import read_adult
from bkpriv_client.failure import ClientError
from bkpriv_client.source import Source
from bkpriv_client.terminal import step
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import Job, find_method, parse_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.randomization.channel import Channel, distorted
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.randomization.optimization import optimize
from bkpriv_core.randomization.risk import RiskTable, risks
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import Chance, SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from studies.cells import count_cells
from studies.guo2011.design import ATTRIBUTES, TABLES, Kind

__all__ = ["Retentions", "Workshop", "find_retentions", "in_process", "resized"]

_HALVINGS = 60

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Retentions:
    """Optimal channels, or that there are none."""

    channels: tuple[Channel, ...] | None
    """Channels, one for each attribute; None if no channels keep risks at or below the bound."""
    risk: float | None
    objective: float | None
    best: float
    """Least value of the largest risk under any distortion by the scheme."""
    over: int
    """Records that cannot get to the bound."""


class Workshop:
    """The tables, and what was made of them."""

    def __init__(self, source: Source, seed: int) -> None:
        self._seed = seed
        self._made: dict[Hashable, object] = {}
        self.tables = {
            name: count_cells(
                replace(source, quasi_identifiers=columns[:-1], sensitive=columns[-1])
            )
            for name, columns in TABLES.items()
        }

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what was made for a key, or make it."""
        if key not in self._made:
            self._made[key] = make()
        made: _Made = self._made[key]  # type: ignore[assignment]
        return made

    def retentions(self, name: str, kind: Kind, ell: int) -> Retentions:
        """Find optimal channels for a table."""
        return self.once(
            ("retentions", name, kind.name, ell),
            lambda: find_retentions(self.tables[name], kind, ell),
        )

    def release(
        self, name: str, kind: Kind, ell: int, number: int = 0, size: float = 1.0
    ) -> Release | None:
        """Make a release, or None if none keeps the bound.

        Args:
            number: Tells releases apart that differ by chance.
            size: Size of the table as a multiple of its own. Channels are those for its own size.
        """
        return self.once(
            ("release", name, kind.name, ell, number, size),
            lambda: self.make(name, kind, ell, number, size),
        )

    def make(
        self, name: str, kind: Kind, ell: int, number: int = 0, size: float = 1.0
    ) -> Release | None:
        """Make a release whether it was made or not; see `release`."""
        chance = SeededChance(self._seed + number)
        table = resized(self.tables[name], size, chance)
        if kind.scheme is not None:
            channels = self.retentions(name, kind, ell).channels
            if channels is None:
                return None
            drawn = draw(table, channels, chance)
            return Release(Parts.of(table), None, Randomized(channels, drawn))
        method = find_method(kind.method)
        policy, options = parse_policy(kind.requirements(ell)), parse_options(method, {})
        try:
            release, _, _ = method.make(
                Job(ThreatModel(table), policy.requirements, options, chance, SILENT)
            )
        except UnattainableRequirement:
            return None
        return release


def resized(table: Table, size: float, chance: Chance) -> Table:
    """Take a table as often as a size says, and a random part of it for the rest."""
    times = int(size)
    some = round((size - times) * table.records)
    counts = times * table.counts
    if some:
        cell, value = Parts.of(table).enumerate_records()
        chosen = chance.order(table.records)[:some]
        np.add.at(counts, (cell[chosen], value[chosen]), 1)
    there = counts.any(axis=1)
    return replace(table, codes=table.codes[there], counts=counts[there])


def find_retentions(table: Table, kind: Kind, ell: int) -> Retentions:
    """Find optimal channels for a table.

    Args:
        ell: Value of l: no risk may exceed ``1 / l``.
    """
    assert kind.scheme is not None
    tau = 1 / ell
    distorts = distorted(kind.scheme, len(table.quasi_identifiers))
    exposure = RiskTable.of(table, distorts)
    if kind.marginal:
        return _by_marginal(table, exposure, tau)
    best, over = float(exposure.least.max()), int(table.counts[exposure.least > tau].sum())
    try:
        found = optimize(table, kind.scheme, tau)
    except UnattainableRequirement:
        return Retentions(None, None, None, best, over)
    return Retentions(found.channels, found.risk, found.objective, best, over)


def _by_marginal(table: Table, exposure: RiskTable, tau: float) -> Retentions:
    """Scheme RR-S where the posterior of sensitive values is that of the whole table."""
    everybody = Domain("everybody", ("*",))
    whole = Table(
        (everybody,), table.sensitive, np.zeros((1, 1), np.int64), table.counts.sum(0)[None]
    )
    largest = exposure.conditional.max(axis=0) / table.overall
    least = exposure.conditional * table.overall

    def channels(retention: float) -> tuple[Channel, ...]:
        kept = (Channel(domain.size, 1.0) for domain in table.quasi_identifiers)
        return (*kept, Channel(table.sensitive.size, retention))

    def risk(retention: float) -> float:
        alone = (Channel(1, 1.0), channels(retention)[-1])
        return float((largest * risks(whole, alone)[0]).max())

    best, over = float(least.max()), int(table.counts[least > tau].sum())
    if best >= tau:
        return Retentions(None, None, None, best, over)
    low, high = 1.0 / table.sensitive.size, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if risk(middle) <= tau else (low, middle)
    found = channels(low)
    size, gap = table.sensitive.size, low - found[-1].flip
    return Retentions(found, risk(low), math.log1p((size - 1) / gap**2), best, over)


def in_process(path: Path, seed: int) -> Callable[[Console], AbstractContextManager[Workshop]]:
    """Return what reads the Adult data, to be measured in this process.

    Raises:
        ClientError: If there are no salaries in it.
    """

    @contextmanager
    def enter(console: Console) -> Iterator[Workshop]:
        with step(console, f"Reading {path}"):
            source = read_adult(path)
            absent = [name for name in ATTRIBUTES if name not in source.columns]
            if absent:
                raise ClientError(
                    f"{path} lacks columns of the Adult data",
                    detail=f"Missing: {', '.join(absent)}. Found: {', '.join(source.columns)}.",
                    hint="Name the columns in the first line; salary is whether it is above 50K.",
                )
            workshop = Workshop(source, seed)
        yield workshop

    return enter
