"""Suggestion: hierarchies for a column of labels that has none, and what they would save.

A column without a hierarchy is published as ``*`` wherever two labels share a group. What is
proposed is read from the labels themselves, if they have structure: neighbouring bands of numbers
are united (`bkpriv_core.table.bands`); codes go up to their first characters, and so do days that
are kept as texts of ISO 8601. Else labels are brought together by how alike their records are in
the other quasi-identifiers (`bkpriv_core.table.resemblance`), and listed. The sensitive column is
not looked at; for one, only the structure of its labels proposes.

Trees of one to three levels are proposed, of each the levels of the least expected loss. The
figures are measured: the GCP of groups by the cuts of mondrian at medians, k-anonymous and no more,
in the mean over k of 5, 10 and 20. Groups of a publication are improved after that, and may be held
to more. What loses more than the column does now is not proposed. Of more than `_CELLS` cells only
some records are measured, at even distances; both figures are then of the same ones, and larger
than those of all would be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import KAnonymity
from bkpriv_core.table.appearance import CODED, DATED
from bkpriv_core.table.bands import Bands
from bkpriv_core.table.cost import costs
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.resemblance import (
    best_levels,
    bring_together,
    expected_loss,
    label_records,
)
from bkpriv_core.table.rule import Listed, Prefixes, Rule
from bkpriv_core.table.table import Table

__all__ = ["MOST_CODES", "MOST_LABELS", "Suggestion", "by_structure", "check_labels", "suggest"]

MOST_LABELS = 2_000
"""Largest number of labels that are brought together by their records."""

MOST_CODES = 20_000
"""Largest number of labels."""

_LEAST_LABELS = 3
_LEVELS = 3
_SIZES = (5, 10, 20)

_CELLS = 20_000
"""Largest number of cells that are measured."""

_MOSTLY = 0.9
_LONGEST = 20
_CODE = 3
"""Least length of codes of digits, behind the same letters; shorter ones number kinds."""

_ALIKE = 0.98
"""Share of codes whose first digits are as many as those of others with the same letters."""

_DIGITS = re.compile(r"(\D*)(\d+)(.*)", re.DOTALL)

_ISO = re.compile(r"\d{4}-\d\d-\d\d.*")
_CALENDAR = (10, 7, 4, 3)
"""Lengths of days, months, years and decades in texts of ISO 8601."""

_NAMED = 2
"""Labels that name a group of more than three."""

_CUT = 40
"""Characters of a label in the name of a group."""

Kind = Literal["prefixes", "list", "dates"]


@dataclass(frozen=True)
class Suggestion:
    """A hierarchy that is proposed."""

    kind: Kind
    """Kind of it; dates are for a view to make of texts, so that nothing more is said of them."""
    levels: int
    argument: Any
    """Lengths of prefixes, or branches of a list."""
    gcp: float | None
    gcp_now: float | None
    """Loss with it, and with what the column has now; None of fewer records than a draft needs."""
    reason: str


def check_labels(attribute: str, labels: int, most: int = MOST_CODES) -> None:
    """Refuse labels that are too many to bring together, or too few.

    Raises:
        TooLarge, InvalidParameter: If they are.
    """
    if labels > most:
        raise TooLarge(
            f'attribute "{attribute}" has more than {most} labels',
            detail="So many are not compared with each other.",
            hint="Publish from a view that makes them coarser, or leave the column out; codes have "
            "bkpriv.set_prefix_hierarchy.",
        )
    if labels < _LEAST_LABELS:
        raise InvalidParameter(
            f'attribute "{attribute}" has too few labels for a hierarchy',
            detail=f"It has {labels}: between one and * there is nothing.",
            hint="Nothing needs to be done.",
        )


def suggest(table: Table, axis: int, progress: Progress = SILENT) -> list[Suggestion]:
    """Propose hierarchies for a categorical quasi-identifier, the one that loses least first.

    Args:
        table: Quasi-identifiers; nothing sensitive is looked at.

    Raises:
        TooLarge, InvalidParameter: See `check_labels`. Or if there are too few records to bring any
            together.
    """
    domain = table.quasi_identifiers[axis]
    labels = tuple(label for label in domain.labels if label is not None)
    check_labels(domain.name, len(labels))
    replace(domain, hierarchy=None).check_labels()  # All that is proposed has the usual root.
    records = label_records(table, axis)
    found = by_structure(labels, records)
    if found and found[0].kind == "dates":
        return found
    if not found:
        check_labels(domain.name, len(labels), MOST_LABELS)
        found = _by_resemblance(table, axis, labels)
    if not found:
        raise InvalidParameter(
            f'labels of attribute "{domain.name}" cannot be brought together',
            detail=f"There are {len(labels)} labels and {int(records.sum())} records.",
            hint="List a hierarchy by hand: bkpriv.set_list_hierarchy.",
        )
    return _that_save(found, table, axis, progress)


def _that_save(
    found: Sequence[Suggestion], table: Table, axis: int, progress: Progress
) -> list[Suggestion]:
    """Measure what is proposed, and leave out what loses more than the column does now."""
    domain = table.quasi_identifiers[axis]
    labels = tuple(label for label in domain.labels if label is not None)
    drafted = _thinned(table)
    now = _measured(drafted, axis, domain, progress.quiet)
    losses: list[float | None] = []
    for place, each in enumerate(found):
        progress.report(place / len(found))
        tree = _rule(domain.name, each).over(domain.name, labels)
        losses.append(_measured(drafted, axis, replace(domain, hierarchy=tree), progress.quiet))
    made = [
        replace(each, gcp=gcp, gcp_now=now)
        for each, gcp in zip(found, losses, strict=True)
        if gcp is None or now is None or gcp <= now
    ]
    if not made:
        least = min(gcp for gcp in losses if gcp is not None)
        raise InvalidParameter(
            f'no hierarchy of attribute "{domain.name}" loses less than it does now',
            detail=f"Its gcp is {now:.3f}, and at least {least:.3f} with a hierarchy.",
            hint="Nothing needs to be done, or list one by hand: bkpriv.set_list_hierarchy.",
        )
    return sorted(made, key=lambda each: (each.gcp or 0.0, each.levels))


def _rule(attribute: str, found: Suggestion) -> Rule:
    if found.kind == "prefixes":
        return Prefixes.checked(attribute, found.argument)
    return Listed.checked(attribute, found.argument, None)


def by_structure(labels: Sequence[str], records: IntArray) -> list[Suggestion]:
    """Propose hierarchies by what labels are: bands, days or codes; none for others.

    Args:
        records: Shape (labels,). Records of each label; of a sensitive column, 1 of each.

    Returns:
        One for each number of levels, without a measured loss. Each level merges some, never all.
    """
    if not labels:
        return []
    if (bands := Bands.of(labels)) is not None:
        return _by_bands(bands, labels, records)
    if _share(DATED, labels) < _MOSTLY:
        return _by_prefixes(labels, records)
    if all(map(_ISO.fullmatch, labels)):
        return _by_prefixes(labels, records, _CALENDAR)
    return [Suggestion("dates", 0, None, None, None, _OF_DATES)]


_OF_DATES = (
    "they read like days or times, kept as texts: publish from a view that makes dates of them, "
    "which bkpriv.set_date_hierarchy then takes to months and years"
)


def _share(pattern: str, labels: Sequence[str]) -> float:
    """Share of labels that a pattern fits."""
    return sum(re.search(pattern, label) is not None for label in labels) / len(labels)


def _by_bands(bands: Bands, labels: Sequence[str], records: IntArray) -> list[Suggestion]:
    """Lists that unite neighbouring bands, of each number of levels the one of the least loss."""
    best: dict[int, tuple[float, list[IntArray]]] = {}
    for partitions in bands.levels(labels):
        for places in best_levels(partitions, records, _LEVELS):
            levels = [partitions[place] for place in places]
            loss = expected_loss(levels, records)
            if len(levels) not in best or loss < best[len(levels)][0]:
                best[len(levels)] = loss, levels
    order = sorted(
        range(len(labels)), key=lambda place: (bands.place(labels[place]), labels[place])
    )
    ordered = [labels[place] for place in order]
    return [
        _listed(ordered, [level[order] for level in levels], _OF_BANDS, bands.name)
        for _, levels in best.values()
    ]


_OF_BANDS = "neighbours of bands of numbers, in their order"


def _by_prefixes(
    labels: Sequence[str], records: IntArray, calendar: Sequence[int] | None = None
) -> list[Suggestion]:
    """Lengths of prefixes that serve codes, and texts of days; none for others."""
    sizes = calendar or range(min(max(map(len, labels)) - 1, _LONGEST), 0, -1)
    reason = "days as ISO 8601 writes them go up to their month, year or decade"
    if calendar is None:
        reason = "they read like codes, whose first characters may mean something"
        if not _are_codes(labels):
            return []
    usable: list[int] = []
    partitions: list[IntArray] = []
    groups = len(labels)
    for size in sizes:
        short = [label if len(label) < size else f"{label[:size]}*" for label in labels]
        number = np.unique(short, return_inverse=True)[1].astype(np.int64)
        held = int(number.max()) + 1
        if usable and held == groups:
            usable[-1] = size  # Shorter ones that tell as much apart read better.
        elif 1 < held < groups:
            usable.append(size)
            partitions.append(number)
            groups = held
    return [
        Suggestion(
            "prefixes",
            len(places),
            [usable[place] for place in places],
            None,
            None,
            f"{_become([partitions[place] for place in places])}: {reason}",
        )
        for places in best_levels(partitions, records, _LEVELS)
    ]


def _are_codes(labels: Sequence[str]) -> bool:
    """Whether labels read like codes; where numbers go on as 9, 10, 11, characters mean nothing."""
    if _share(CODED, labels) < _MOSTLY or any(label.endswith(ROOT) for label in labels):
        return False  # Prefixes end in *, too.
    parts = [found.groups() for label in labels if (found := _DIGITS.fullmatch(label))]
    sizes: dict[str, Counter[int]] = {}
    for letters, digits, _ in parts:
        sizes.setdefault(letters, Counter())[len(digits)] += 1
    if sum(max(each.values()) for each in sizes.values()) < _ALIKE * len(parts):
        return False
    numbered = len(sizes) == 1 and not any(rest for _, _, rest in parts)
    return not numbered or len(parts[0][1]) >= _CODE


def _by_resemblance(table: Table, axis: int, labels: Sequence[str]) -> list[Suggestion]:
    """Lists by which labels are brought together whose records are alike."""
    partitions = bring_together(table, axis)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    ordered = [labels[place] for place in order]
    others = [f'"{each.name}"' for each in table.quasi_identifiers]
    del others[axis]
    names = ", ".join(others[:8]) + (", ..." if len(others) > 8 else "")
    why = f"with others whose records are most like theirs in {names}" if others else "by size"
    why += "; give the groups better names"
    return [
        _listed(ordered, [partitions[place][order] for place in places], why, _named)
        for places in best_levels(partitions, label_records(table, axis), _LEVELS)
    ]


def _listed(
    labels: Sequence[str],
    levels: Sequence[IntArray],
    why: str,
    name: Callable[[Sequence[str]], str],
) -> Suggestion:
    """Suggestion of a list, its labels in the order in which they are given."""
    branches = _branches(labels, levels, name)
    return Suggestion("list", len(levels), branches, None, None, f"{_become(levels)}, {why}")


def _become(levels: Sequence[IntArray]) -> str:
    counts = ", then ".join(str(len(np.unique(level))) for level in levels)
    return f"{len(levels[0])} labels become {counts}"


def _branches(
    labels: Sequence[str], levels: Sequence[IntArray], name: Callable[[Sequence[str]], str]
) -> dict[str, Any]:
    """Tree of labels as `Listed` reads it; `levels` are the finer first."""
    taken = set(labels)
    named: dict[tuple[str, ...], str] = {}
    branches: dict[str, Any] = {}
    members: list[dict[int, list[str]]] = []
    for level in levels:
        groups: dict[int, list[str]] = {}
        for label, number in zip(labels, level.tolist(), strict=True):
            groups.setdefault(number, []).append(label)
        members.append(groups)
    for place, label in enumerate(labels):
        under: Any = branches
        for level, groups in reversed(list(zip(levels, members, strict=True))):
            group = tuple(groups[int(level[place])])
            if group not in named:
                named[group] = group[0] if len(group) == 1 else _untaken(name(group), taken)
            finest = level is levels[0]
            under = under.setdefault(named[group], [] if finest else {})
        under.append(label)
    return branches


def _named(group: Sequence[str]) -> str:
    """Name of a group by its labels."""
    short = [label if len(label) <= _CUT else f"{label[:_CUT]}..." for label in group]
    if len(group) <= _NAMED + 1:
        return ", ".join(short)
    return f"{', '.join(short[:_NAMED])} and {len(group) - _NAMED} more"


def _untaken(name: str, taken: set[str]) -> str:
    """A name like this that is none of those taken, which it then is, too."""
    number, again = 1, name
    while again in taken:
        number += 1
        again = f"{name} ({number})"
    taken.add(again)
    return again


def _thinned(table: Table) -> Table:
    """Records of a table at even distances in the order of cells; all if it has few cells."""
    if table.cells <= _CELLS:
        return table
    ends = np.cumsum(table.weights)
    drawn = ((np.arange(_CELLS) + 0.5) * (table.records / _CELLS)).astype(np.int64)
    cells, records = np.unique(np.searchsorted(ends, drawn, side="right"), return_counts=True)
    return replace(table, codes=table.codes[cells], counts=records[:, None].astype(np.int64))


def _measured(table: Table, axis: int, domain: Domain, progress: Progress) -> float | None:
    """Mean of the GCP of drafts, with such a domain in the place of the column's own, if any is."""
    domains = list(table.quasi_identifiers)
    domains[axis] = domain
    threat = ThreatModel(replace(table, quasi_identifiers=tuple(domains)), progress=progress)
    found = []
    for k in _SIZES:
        if k > table.records:
            continue
        groups = mondrian(threat, (KAnonymity(k),), elsewhere=False, progress=progress)
        sizes = groups.sum(threat.parts.weights[groups.members])
        penalties = threat.table.penalty(*threat.parts.boxes(groups))
        found.append(costs(sizes, table.records, float((sizes * penalties).sum()))["gcp"])
    return float(np.mean(found)) if found else None
