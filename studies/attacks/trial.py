"""Releases of tables, and what attackers find out of each; figures share what was played once.

Rules
-----
- Releases and attacks are the server's core's, in this process: there a table's baseline is learned
  once, and not for every attack.
- Methods have the options of their kind, and draw by the design's seed.
- Columns are in the order of their names, as in the server: methods settle ties by that order.
- A policy that cannot be kept gives no release; it is left out of figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from bkpriv_client.adult import read_adult
from bkpriv_client.hospital import hospital
from bkpriv_client.source import Source
from bkpriv_client.terminal import Advance, step
from bkpriv_core.attack import Target, find_attacker, metrics, parse_options
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method import Job, find_method
from bkpriv_core.method import parse_options as parse_method_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import utility
from studies.attacks.design import ATTACKERS, Attack, Design, Kind
from studies.cells import count_cells
from studies.guo2011.workshop import resized
from studies.houses import houses
from studies.laboratory import paced

__all__ = ["Played", "Site", "enter", "publish"]


@dataclass(frozen=True)
class Played:
    """An attack on a release, and what it found."""

    table: str
    kind: Kind
    attack: Attack
    found: Mapping[str, float]
    """Figures of the attack, by name."""
    lost: Mapping[str, float | None]
    """Metrics of utility of the release, by name."""


class Site:
    """Tables that are published and attacked in this process."""

    def __init__(self, adult: Table, design: Design) -> None:
        self._adult = adult
        self._design = design
        self._played: list[Played] = []

    @property
    def tables(self) -> Mapping[str, Table]:
        """All tables by name."""
        design = self._design
        return {
            "Adult": self._adult,
            "houses": _counted(houses(design.houses, design.seed)),
            "hospital": _counted(hospital(design.hospital, design.seed)),
        }

    def played(self, advance: Advance) -> Sequence[Played]:
        """Publish and attack every table in all ways, unless that has been done."""
        if not self._played:
            settings = {name: ThreatModel(table) for name, table in self.tables.items()}
            pairs = [(name, kind) for name in settings for kind in self._design.kinds]
            self._played = [
                each
                for name, kind in paced(pairs, advance, _named)
                for each in self._attacked(name, settings[name], kind)
            ]
        return self._played

    def _attacked(self, name: str, threat: ThreatModel, kind: Kind) -> Iterator[Played]:
        """Publish a table and attack it in all ways."""
        target = publish(threat, kind, self._design.seed)
        if target is None:
            return
        requirements = requirements_of(kind)
        lost = utility(target.release)
        for attack in ATTACKERS:
            if attack.boxes and target.release.form.exact:
                continue
            attacker = find_attacker(attack.attacker)
            options = parse_options(attacker, attack.options)
            outcome = attacker.attack(target, options, SILENT)
            found = {each.name: each.value for each in metrics(outcome, requirements, options)}
            yield Played(name, kind, attack, found, lost)


def _named(pair: tuple[str, Kind]) -> str:
    name, kind = pair
    return f"{name}, {kind.name}"


def requirements_of(kind: Kind) -> Sequence[Requirement]:
    """Requirements of a kind's policy."""
    return parse_policy(kind.requirements).requirements


def publish(threat: ThreatModel, kind: Kind, seed: int) -> Target | None:
    """Publish a table, and return it as attackers find it; None if the policy cannot be kept."""
    method = find_method(kind.method)
    requirements = requirements_of(kind)
    options = parse_method_options(method, kind.options)
    try:
        method.check(threat, requirements, options)
        job = Job(threat, requirements, options, SeededChance(seed), SILENT)
        release = method.make(job).release
    except UnattainableRequirement:
        return None
    return Target(release, threat.over(release.parts))


def enter(path: Path, design: Design) -> Callable[[Console], AbstractContextManager[Site]]:
    """Return what enters the site, with the Adult data read."""

    @contextmanager
    def entered(console: Console) -> Iterator[Site]:
        with step(console, f"Reading {path}"):
            table = _counted(read_adult(path))
            if design.adult is not None:
                size = design.adult / table.records
                table = resized(table, size, SeededChance(design.seed))
        yield Site(table, design)

    return entered


def _counted(source: Source) -> Table:
    """Cells of a source, its columns in the order of their names."""
    names = tuple(sorted(source.quasi_identifiers))
    return count_cells(replace(source, quasi_identifiers=names))
