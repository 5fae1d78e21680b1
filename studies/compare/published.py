"""Publications of tools, as releases that are measured by the same functions as ours.

Rules
-----
- Records with equal published rows are one group, whatever the tool had in mind: a reader cannot
  tell them apart.
- What is published of a column stands for a range of numbers, or for a set of values, as small as
  it is: of a label of a hierarchy the values of the table that lie under it. A tool that publishes
  sets is not charged for the node above them.
- A record must be among what is published in its place, or the answer is refused.
- *Loss* is GCP, as of our releases, where a record that is left out counts as lost altogether.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.attack import Target, find_attacker, metrics, parse_options
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.progress import SILENT
from bkpriv_core.query.tally import Tally
from bkpriv_core.query.workload import Workload, relative_errors
from bkpriv_core.release.generalized.extent import Boxes, Extents, Labels, Ranges
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.generalized.tally import BoxTally
from bkpriv_core.release.release import Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, FloatArray, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import utility
from studies.compare.peers.task import Answer, Side

__all__ = ["Data", "breached", "count_errors", "loss", "published"]


@dataclass(frozen=True, eq=False)
class Data:
    """A table, and which cell and sensitive value each record has."""

    table: Table
    cells: IntArray
    values: IntArray
    """Shape (n,). Cell and sensitive value of each record."""


class _Sets(Labels):
    """Sets of values in place of labels.

    Args:
        chosen: Shape (g, size). Values that each group may have.
    """

    def __init__(self, domain: Domain, chosen: BoolArray) -> None:
        from scipy import sparse  # slow to import, and only wanted here

        first, owner, _ = distinct_rows(chosen.astype(np.int64))
        Extents.__init__(self, domain, owner)
        sets = chosen[first].T
        self._shares = sparse.csr_array(sets / sets.sum(axis=0))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Shown(Generalized):
    """Published rows of another tool."""

    stands: tuple[IntArray, ...]
    """Codes of the first and the last value that each group may have, (g, 2), of each numeric
    quasi-identifier; of any other whether it may have each value, (g, size).
    """

    def penalties(self, release: Release) -> FloatArray:
        """See `Form`."""
        rows = []
        for domain, side in zip(release.table.quasi_identifiers, self.stands, strict=True):
            if domain.numeric:
                rows.append(domain.ncp(side[:, 0], side[:, 1]))
            else:
                shown = side.sum(axis=1)
                rows.append(np.where(shown > 1, shown / domain.size, 0.0))
        return np.array(rows)

    def tally(self, release: Release) -> Tally:
        """See `Form`."""
        extents: list[Extents] = [
            Ranges(domain, side[:, 0], side[:, 1])
            if domain.numeric
            else _Sets(domain, side.astype(bool))
            for domain, side in zip(release.table.quasi_identifiers, self.stands, strict=True)
        ]
        # Only whole conditions are asked for, which look at no hull.
        places = np.zeros((len(release.groups), len(extents)), dtype=np.int64)
        counts = release.histograms.astype(np.float64)
        return BoxTally(Boxes(release.domains, places, tuple(extents), counts))


def published(data: Data, answer: Answer) -> Release:
    """Build the release that a tool's answer shows.

    Raises:
        ValueError: If what is published of a record is not true of it, or is no value.
    """
    table, labels = data.table, np.array(answer.groups, dtype=np.int64)
    if len(labels) != len(data.cells):
        raise ValueError(f"{len(labels)} records are told of, where {len(data.cells)} are")
    sides = [
        _codes(domain, [row[axis] for row in answer.shown])
        for axis, domain in enumerate(table.quasi_identifiers)
    ]
    kept = np.flatnonzero(labels != SUPPRESSED)
    _, alike, _ = distinct_rows(np.hstack(sides))
    # Groups that look alike are one, and those without records none.
    numbers, dense = np.unique(alike[labels[kept]], return_inverse=True)
    labels[kept] = dense
    first = np.array([np.flatnonzero(alike == number)[0] for number in numbers], dtype=np.int64)
    sides = [side[first] for side in sides]
    _check_true(data, kept, labels, sides)
    parts, groups = Parts.of(table).dealt(data.cells, data.values, labels)
    return Release(parts, groups, _Shown(stands=tuple(sides)))


def _codes(domain: Domain, shown: Sequence[Side]) -> IntArray:
    """Codes that published sides stand for; see `_Shown`."""
    if domain.positions is None:
        paths = {} if domain.hierarchy is None else domain.hierarchy.paths
        under: dict[str | None, set[int]] = {}
        for code, value in enumerate(domain.labels):
            for label in {value, *paths.get(str(value), (ROOT,))}:
                under.setdefault(label, set()).add(code)
        chosen = np.zeros((len(shown), domain.size), dtype=bool)
        for row, side in zip(chosen, shown, strict=True):
            of_it = side["values"] if "values" in side else [side["label"]]
            row[[code for label in of_it for code in under[label]]] = True
        return chosen.astype(np.int64)
    ends = np.array([_ends(side, domain) for side in shown]).reshape(-1, 2)
    low = np.searchsorted(domain.positions, ends[:, 0])
    high = np.searchsorted(domain.positions, ends[:, 1], side="right") - 1
    return np.column_stack((low, high)).astype(np.int64)


def _ends(side: Side, domain: Domain) -> tuple[float, float]:
    """Least and largest number that is published."""
    if "low" in side:
        return side["low"], side["high"]
    if "values" in side:
        return min(side["values"]), max(side["values"])
    raise ValueError(f"{side} is not about numbers, as {domain.name} is")


def _check_true(data: Data, kept: IntArray, labels: IntArray, sides: Sequence[IntArray]) -> None:
    """Refuse what is not true of a record."""
    for axis, (domain, side) in enumerate(zip(data.table.quasi_identifiers, sides, strict=True)):
        codes, shown = data.table.codes[data.cells[kept], axis], side[labels[kept]]
        if domain.numeric:
            true = (shown[:, 0] <= codes) & (codes <= shown[:, 1])
        else:
            true = shown[np.arange(len(kept)), codes].astype(bool)
        if not true.all():
            record = kept[np.flatnonzero(~true)[0]]
            raise ValueError(f"{domain.name} of record {record} is published as what it is not")


def loss(release: Release) -> float:
    """Detail that is lost: GCP, with 1 for each record that is left out."""
    figures = utility(release)
    left_out, gcp = figures["suppressed_share"], figures["gcp"]
    assert left_out is not None
    return 1.0 if not release.published or gcp is None else left_out + (1 - left_out) * gcp


def count_errors(actual: FloatArray, estimated: FloatArray) -> float:
    """Median relative error of counts, of those that are not 0."""
    return float(np.nanmedian(relative_errors(actual, estimated)))


def answer_counts(release: Release, workload: Workload) -> FloatArray:
    """Counts that a reader of a release estimates."""
    return release.estimated.answer(workload)


def breached(
    release: Release, threat: ThreatModel, attackers: Mapping[str, Mapping[str, object]]
) -> dict[str, int]:
    """People whom attackers breach, see `bkpriv_core.attack`, by attacker."""
    found = {}
    for name, stated in attackers.items():
        attacker = find_attacker(name)
        options = parse_options(attacker, stated)
        target = Target(release, threat.over(release.parts))
        outcome = attacker.attack(target, options, SILENT)
        figures = {each.name: each.value for each in metrics(outcome, (), options)}
        found[name] = int(figures.get("breached", 0))
    return found
