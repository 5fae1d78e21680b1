r"""Inference by a reader who knows the method and the policy, for small tables.

Such a reader asks which tables would have been published so (minimality: Wong, Fu, Wang, Pei 2007
[1]_). A *world* gives everybody a value. Worlds that could have led to the release at all are those
in which the people fill the published groups, each a group whose box they fit; those who are
suppressed may have any value. Each such world is published by the method, under the policy, and
those are kept that give the same release. The reader believes them in proportion to the prior, by
which people's values are independent: people of one cell are alike, so a world is a table of
counts, and weighs

``prod_c w_c! prod_v P_c(v)^x_cv / x_cv!``

with ``x_cv`` of the ``w_c`` people of cell c having value v. Beliefs are exact up to rounding.

All that a method does must follow from the table, so methods that draw at random are refused.
Worlds are listed, so there is a bound on them, and none is left out: beyond it the attack is
refused. Samples of a large table show what happens to tables of their size, and nothing about the
large one itself.

References:
.. [1] R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data
   publishing. VLDB 2007.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import lgamma
from typing import Any

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import (
    ContradictoryKnowledge,
    TooLarge,
    UnattainableRequirement,
    Unsupported,
)
from bkpriv_core.method import Job, Method, Options
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.components import find_components
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from bkpriv_core.table.table import Table

__all__ = ["MOST_WORLDS", "Publish", "Worlds", "infer_worlds", "publishing", "sampled"]

MOST_WORLDS = 10_000
"""Largest number of worlds that are published, unless another is asked for."""

_TRIES = 100_000
"""Largest number of steps by which the worlds of some groups are looked for."""

_DEEP = 300
"""Largest number of cells, and of published values, of groups whose worlds are looked for."""

_WRITTEN = 10**9
"""Number from which on only the power of ten is told."""

_ENOUGH = 10**6
"""Factor by which there are more worlds than asked for when no more are counted."""

Publish = Callable[[Table], Release | None]
"""Publication of a table; None where the policy cannot be kept."""

_Slots = tuple[int, ...]
"""Rows that are left, of each group and value, and last of those who are suppressed."""

_Counts = tuple[tuple[int, ...], ...]
"""People of each of some cells with each value."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """Beliefs of a reader who knows the method and the policy."""

    worlds: int
    """Worlds that agree with the release and that the prior does not rule out."""
    alike: int
    """Number of those that are published as the release is."""
    beliefs: FloatArray
    """Shape (p, m). Belief about the people of each part."""


def publishing(
    method: Method[Any],
    requirements: Sequence[Requirement],
    options: Options,
    setting_of: Callable[[Table], ThreatModel] = ThreatModel,
    progress: Progress = SILENT,
) -> Publish:
    """Publication by a method, under a policy.

    Args:
        setting_of: The setting of a table, which is the source of its adversaries' priors.

    Raises:
        Unsupported: If the method draws at random, or a requirement tells respondents apart.
    """
    if method.draws:
        raise Unsupported(
            f"what method {method.name} publishes does not follow from the table",
            detail="It draws at random, so that no table can be ruled out by publishing it again.",
            hint="Ask for another attacker.",
        )

    if any(item.tells_apart for item in requirements):
        raise Unsupported(
            "who knows the algorithm is no attacker of a release that earlier ones decide about",
            detail="The policy names a reader who remembers them, so what is published does not "
            "follow from the table alone.",
            hint="Ask for another attacker.",
        )
    method = method.with_ranges(options.ranges)

    def publish(table: Table) -> Release | None:
        threat = setting_of(table)
        try:
            method.check(threat, requirements, options)
            job = Job(threat, requirements, options, SeededChance(0), progress.quiet)
            return method.make(job).release
        except (ContradictoryKnowledge, UnattainableRequirement):
            return None

    return publish


def infer_worlds(
    release: Release,
    prior: FloatArray,
    publish: Publish,
    most: int = MOST_WORLDS,
    progress: Progress = SILENT,
) -> Worlds:
    """Beliefs after a release of a reader who knows how it was made.

    Args:
        prior: Shape (p, m). Prior beliefs about the people of each part.
        publish: Publication of a table, as the release was made.
        most: Largest number of worlds.
        progress: Receives the share of the worlds that were published.

    Raises:
        ContradictoryKnowledge: If the prior rules all worlds out that are published so.
        TooLarge: If there are more worlds.
        Unsupported: If respondents are told apart or have several records, or the table is not
            published so again.
    """
    table, parts = release.table, release.parts
    sensitive = table.sensitive
    several = isinstance(sensitive, Combination) and sensitive.several
    if several or len(np.unique(parts.cell)) < len(parts):
        raise Unsupported(
            "who knows the algorithm is no attacker where respondents are told apart",
            detail="Worlds are told apart by quasi-identifiers and one value of each person.",
            hint="Ask for another attacker.",
        )
    seen = _appearance(release)
    again = publish(table)
    if again is None or _appearance(again) != seen:
        raise Unsupported(
            "the release is not what its method makes of this table",
            detail="It took account of earlier releases, or has grown, or was made by another "
            "version.",
            hint="Publish the table anew, by itself, and attack that release.",
        )
    of_cell = np.zeros((table.cells, sensitive.size))
    of_cell[parts.cell] = prior
    lots, total = _worlds(release, of_cell, most, progress)
    expected, weights, alike = np.zeros(of_cell.shape), 0.0, 0
    with np.errstate(divide="ignore"):
        logs = np.log(of_cell)
    base = -np.inf  # Weights are told as shares of the largest so far.
    for number, some in enumerate(product(*(worlds for _, worlds in lots))):
        progress.report(number / total)
        counts = np.zeros_like(table.counts)
        for (cells, _), world in zip(lots, some, strict=True):
            counts[cells] = world
        found = publish(Table(table.quasi_identifiers, sensitive, table.codes, counts))
        if found is None or _appearance(found) != seen:
            continue
        log = _log_weight(counts, logs)
        alike += 1
        if log > base:
            expected *= np.exp(base - log)
            weights *= np.exp(base - log)
            base = log
        expected += np.exp(log - base) * counts
        weights += np.exp(log - base)
    if not alike:
        raise ContradictoryKnowledge(
            "the prior rules out every table that would be published so",
            detail=f"That is what it does to all but {total} tables that agree with the release, "
            "and these would be published otherwise.",
            hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
        )
    beliefs = expected / weights / table.weights[:, None]
    return Worlds(total, alike, beliefs[parts.cell])


def sampled(table: Table, people: int, generator: np.random.Generator) -> tuple[Table, IntArray]:
    """Draw a table of so many of the people, each as likely; domains stay as they are.

    Returns:
        Shape (q,). The cell of the table that each of its cells is.
    """
    cells, values = np.nonzero(table.counts)
    times = table.counts[cells, values]
    chosen = generator.choice(int(times.sum()), size=people, replace=False)
    row = np.searchsorted(np.cumsum(times), chosen, side="right")
    kept, cell = np.unique(cells[row], return_inverse=True)
    counts = np.zeros((len(kept), table.sensitive.size), dtype=np.int64)
    np.add.at(counts, (cell, values[row]), 1)
    return Table(table.quasi_identifiers, table.sensitive, table.codes[kept], counts), kept


def _log_weight(counts: IntArray, logs: FloatArray) -> float:
    """Logarithm of the prior probability of a world, but for a constant."""
    had = counts > 0
    ways = sum(lgamma(count + 1) for count in counts[had].tolist())
    return float((counts[had] * logs[had]).sum()) - ways


def _appearance(release: Release) -> Counter[Hashable]:
    """Rows as a reader sees them: for each group its box or cells, and its values."""
    form, parts = release.form, release.parts
    joined = form.pool(parts, release.groups)
    histograms = map(tuple, parts.histograms(joined).tolist())
    if not isinstance(form, Generalized):
        held = np.column_stack((parts.codes, parts.weights))[joined.members].tolist()
        rows = [
            tuple(sorted(map(tuple, _cut(held, joined, group)))) for group in range(len(joined))
        ]
        return Counter(zip(rows, histograms, strict=True))
    low, high = form.boxes(parts, joined)
    sides: list[Sequence[Hashable]] = []
    for axis, domain in enumerate(release.table.quasi_identifiers):
        if domain.numeric:
            first, last = domain.shown(low[:, axis], high[:, axis])
            sides.append(list(zip(first.tolist(), last.tolist(), strict=True)))
        else:
            sides.append(form.labels(domain, axis, low[:, axis], high[:, axis]))
    boxes = zip(*sides, strict=True) if sides else [()] * len(joined)
    return Counter(zip(boxes, histograms, strict=True))


def _cut(held: list[list[int]], groups: Groups, group: int) -> list[list[int]]:
    return held[groups.offsets[group] : groups.offsets[group + 1]]


def _worlds(
    release: Release, prior: FloatArray, most: int, progress: Progress
) -> tuple[list[tuple[IntArray, list[_Counts]]], int]:
    """Worlds of each lot of groups that may exchange people, and how many there are together.

    Returns:
        Cells of each lot, and the ways in which they may have values.
    """
    count = release.table.cells
    if isinstance(release.form, Generalized):
        found = find_components(release, progress.quiet)
        joined, cells, boxes = found.release, found.cells, found.boxes
        lot = np.zeros(count, dtype=np.int64)
        lot[joined.parts.cell] = found.of_part
    else:
        joined = release
        labels = joined.labels
        cells = joined.parts.cell
        boxes = np.where(labels == SUPPRESSED, len(joined.groups), labels)
        lot = np.zeros(count, dtype=np.int64)
        lot[cells] = boxes
    histograms = np.vstack((joined.histograms, np.zeros((1, prior.shape[1]), dtype=np.int64)))
    suppressed = release.table.records - joined.published
    lots: list[tuple[IntArray, list[_Counts]]] = []
    total, beyond = 1, False
    for number in np.unique(lot):
        here = np.flatnonzero(lot == number)
        mine = np.isin(cells, here)
        places = np.unique(boxes[mine])
        fits = np.zeros((len(here), len(places)), dtype=bool)
        fits[np.searchsorted(here, cells[mine]), np.searchsorted(places, boxes[mine])] = True
        lost = suppressed if len(joined.groups) in places else 0
        search = _Search(
            release.table.weights[here].tolist(),
            prior[here] > 0,
            fits,
            places == len(joined.groups),
            progress=progress,
        )
        worlds, complete = search.worlds((*histograms[places].ravel().tolist(), lost), most)
        beyond |= not complete
        total *= len(worlds) if complete else max(1, len(worlds))
        lots.append((here, [] if total > most else worlds))  # What is refused is not kept,
        if total > _ENOUGH * most:  # nor counted on and on.
            beyond = True
            break
    if beyond or total > most:
        number = f"10^{len(str(total)) - 1}" if total >= _WRITTEN else str(total)
        least = "at least " if beyond or total >= _WRITTEN else ""
        raise TooLarge(
            f"{least}{number} tables may have been published so: too many to be tried"
            if total > most
            else "too many tables may have been published so to be tried",
            detail=f"At most {most} are published again, and those of each of the groups that may "
            f"exchange people are looked for in {_TRIES} steps.",
            hint="Draw tables of fewer people.",
        )
    return lots, total


class _Search:
    """Search for the worlds of some cells."""

    def __init__(
        self,
        weights: Sequence[int],
        possible: Any,
        fits: Any,
        lost: Any,
        progress: Progress,
    ) -> None:
        self._weights = weights
        self._possible = possible
        self._fits = fits
        self._lost = lost
        self._values = possible.shape[1]
        self._progress = progress
        self._tries = 0

    def worlds(self, slots: _Slots, most: int) -> tuple[list[_Counts], bool]:
        """Worlds in which people fill such slots, and whether these are all: so many, or one more.

        They are not all, either, if they would take too many steps to find.
        """
        found: list[_Counts] = []
        if max(len(self._weights), len(slots)) > _DEEP:
            return found, False
        complete = self._extend(0, (), {slots}, found, most)
        return found, complete

    def _extend(
        self, cell: int, before: _Counts, states: set[_Slots], found: list[_Counts], most: int
    ) -> bool:
        self._progress.poll()
        if cell == len(self._weights):
            found.append(before)
            return len(found) <= most
        ways: dict[tuple[int, ...], set[_Slots]] = {}
        for state in states:
            for counts, rest in self._placed(cell, state):
                ways.setdefault(counts, set()).add(rest)
                self._tries += 1
                if self._tries > _TRIES:
                    return False
        return all(
            self._extend(cell + 1, (*before, counts), rest, found, most)
            for counts, rest in ways.items()
        )

    def _placed(self, cell: int, state: _Slots) -> Iterator[tuple[tuple[int, ...], _Slots]]:
        """Ways to hand slots to the people of a cell: their values, and the slots left."""
        slots = [
            (place * self._values + value, value)
            for place in np.flatnonzero(self._fits[cell] & ~self._lost).tolist()
            for value in np.flatnonzero(self._possible[cell]).tolist()
        ]
        if (self._fits[cell] & self._lost).any():
            slots += [(-1, value) for value in np.flatnonzero(self._possible[cell]).tolist()]
        left = list(state)
        counts = [0] * self._values
        own = sum(left[slot] for slot, _ in slots if slot >= 0)
        rooms = [own + (left[-1] if slots and slots[-1][0] < 0 else 0)]
        for slot, _ in slots:
            rooms.append(rooms[-1] - left[slot] if slot >= 0 else rooms[-1])
        rooms[-1] = 0

        def hand(place: int, people: int) -> Iterator[tuple[tuple[int, ...], _Slots]]:
            if people == 0:
                yield tuple(counts), tuple(left)
                return
            slot, value = slots[place]
            # Those who would find no room in the slots that follow are placed here.
            for number in range(max(0, people - rooms[place + 1]), min(people, left[slot]) + 1):
                left[slot] -= number
                counts[value] += number
                yield from hand(place + 1, people - number)
                left[slot] += number
                counts[value] -= number

        if self._weights[cell] <= rooms[0]:
            yield from hand(0, self._weights[cell])
