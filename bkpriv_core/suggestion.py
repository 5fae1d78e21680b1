"""Suggestion: hierarchies for a column of labels that has none, and what they would save.

A column without a hierarchy is published as ``*`` wherever two labels share a group. What is
proposed is read from the labels themselves, if they have structure: codes go up to their first
characters, and so do days that are kept as texts of ISO 8601. Else labels are brought together by
how alike their records are in the other quasi-identifiers (`bkpriv_core.table.resemblance`), and
listed. The sensitive column is not looked at.

Trees of one to three levels are proposed, of each the levels of the least expected loss. The
figures are measured: the GCP of groups by the cuts of mondrian at medians, k-anonymous and no more,
in the mean over k of 5, 10 and 20. Groups of a publication are improved after that, and may be held
to more. Of more than `_CELLS` cells only some records are measured, at even distances; both figures
are then of the same ones, and larger than those of all would be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import KAnonymity
from bkpriv_core.table.appearance import CODED, DATED
from bkpriv_core.table.cost import costs
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.resemblance import best_levels, bring_together, label_records
from bkpriv_core.table.rule import Listed, Prefixes, Rule
from bkpriv_core.table.table import Table

__all__ = ["MOST_LABELS", "Suggestion", "check_labels", "suggest"]

MOST_LABELS = 2_000
"""Largest number of labels that are brought together."""

_LEAST_LABELS = 3
_LEVELS = 3
_SIZES = (5, 10, 20)

_CELLS = 20_000
"""Largest number of cells that are measured."""

_MOSTLY = 0.9
_LONGEST = 20
_CODE = 3
"""Least length of codes of digits alone; shorter ones number kinds."""

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


def check_labels(attribute: str, labels: int) -> None:
    """Refuse labels that are too many to bring together, or too few.

    Raises:
        TooLarge, InvalidParameter: If they are.
    """
    if labels > MOST_LABELS:
        raise TooLarge(
            f'attribute "{attribute}" has more than {MOST_LABELS} labels',
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
    if _share(DATED, labels) >= _MOSTLY and not all(map(_ISO.fullmatch, labels)):
        return [Suggestion("dates", 0, None, None, None, _OF_DATES)]
    records = label_records(table, axis)
    drafted = _thinned(table)
    step = progress.quiet
    now = _measured(drafted, axis, domain, step)
    found: list[tuple[Kind, Rule, Any, int, str]]
    found = [
        ("prefixes", Prefixes(lengths), list(lengths), len(lengths), reason)
        for lengths, reason in _by_prefixes(labels, records)
    ]
    if not found:
        others = [each.name for each in table.quasi_identifiers if each.name != domain.name]
        found = [
            ("list", Listed.checked(domain.name, branches, None), branches, len(sizes), reason)
            for branches, sizes, reason in _by_resemblance(table, axis, labels, others)
        ]
    if not found:
        raise InvalidParameter(
            f'labels of attribute "{domain.name}" cannot be brought together',
            detail=f"There are {len(labels)} labels and {int(records.sum())} records.",
            hint="List a hierarchy by hand: bkpriv.set_list_hierarchy.",
        )
    made = []
    for place, (kind, rule, argument, levels, reason) in enumerate(found):
        progress.report(place / len(found))
        tree = replace(domain, hierarchy=rule.over(domain.name, labels))
        gcp = _measured(drafted, axis, tree, step)
        made.append(Suggestion(kind, levels, argument, gcp, now, reason))
    return sorted(made, key=lambda each: (each.gcp or 0.0, each.levels))


_OF_DATES = (
    "they read like days or times, kept as texts: publish from a view that makes dates of them, "
    "which bkpriv.set_date_hierarchy then takes to months and years"
)


def _share(pattern: str, labels: Sequence[str]) -> float:
    """Share of labels that a pattern fits."""
    return sum(re.search(pattern, label) is not None for label in labels) / len(labels)


def _by_prefixes(labels: Sequence[str], records: IntArray) -> list[tuple[tuple[int, ...], str]]:
    """Lengths of prefixes that serve codes, and texts of days, with the reason; none for others."""
    longest = max(map(len, labels))
    if _share(DATED, labels) >= _MOSTLY:
        sizes: Sequence[int] = _CALENDAR
        reason = "days as ISO 8601 writes them go up to their month, year or decade"
    elif _are_codes(labels):
        sizes = range(min(longest - 1, _LONGEST), 0, -1)
        reason = "they read like codes, whose first characters may mean something"
    else:
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
        (
            tuple(usable[place] for place in places),
            f"{len(labels)} labels become {_listed(partitions, places)}: {reason}",
        )
        for places in best_levels(partitions, records, _LEVELS)
    ]


def _are_codes(labels: Sequence[str]) -> bool:
    """Whether labels read like codes; whole numbers do if all have the same length."""
    if _share(CODED, labels) < _MOSTLY or any(label.endswith(ROOT) for label in labels):
        return False  # Prefixes end in *, too.
    digits = {len(label) for label in labels if label.isdecimal()}
    return all(size >= _CODE for size in digits) and len(digits) <= 1


def _by_resemblance(
    table: Table, axis: int, labels: Sequence[str], others: Sequence[str]
) -> list[tuple[Mapping[str, Any], tuple[int, ...], str]]:
    """Branches of lists, how many each level has, and the reason."""
    partitions = bring_together(table, axis)
    names = ", ".join(f'"{name}"' for name in others[:8]) + (", ..." if len(others) > 8 else "")
    found: list[tuple[Mapping[str, Any], tuple[int, ...], str]] = []
    for places in best_levels(partitions, label_records(table, axis), _LEVELS):
        levels = [partitions[place] for place in places]
        sizes = tuple(len(np.unique(level)) for level in levels)
        why = f"with others whose records are most like theirs in {names}" if others else "by size"
        found.append(
            (
                _branches(labels, levels),
                sizes,
                f"{len(labels)} labels become {_listed(partitions, places)}, {why}; give the "
                "groups better names",
            )
        )
    return found


def _listed(partitions: Sequence[IntArray], places: Sequence[int]) -> str:
    return ", then ".join(str(len(np.unique(partitions[place]))) for place in places)


def _branches(labels: Sequence[str], levels: Sequence[IntArray]) -> dict[str, Any]:
    """Tree of labels as `Listed` reads it; `levels` are the finer first."""
    taken = set(labels)
    named: dict[tuple[str, ...], str] = {}
    branches: dict[str, Any] = {}
    order = sorted(range(len(labels)), key=labels.__getitem__)
    members: list[dict[int, list[str]]] = []
    for level in levels:
        groups: dict[int, list[str]] = {}
        for place in order:
            groups.setdefault(int(level[place]), []).append(labels[place])
        members.append(groups)
    for place in order:
        under: Any = branches
        for level, groups in reversed(list(zip(levels, members, strict=True))):
            group = tuple(groups[int(level[place])])
            if group not in named:
                named[group] = _name(group, taken)
            name, finest = named[group], level is levels[0]
            under = under.setdefault(name, [] if finest else {})
        under.append(labels[place])
    return branches


def _name(group: Sequence[str], taken: set[str]) -> str:
    """Name of a group by its labels, none of those that are taken, which it then is, too."""
    if len(group) == 1:
        return group[0]
    short = [label if len(label) <= _CUT else f"{label[:_CUT]}..." for label in group]
    few = len(group) <= _NAMED + 1
    name = (
        ", ".join(short) if few else (f"{', '.join(short[:_NAMED])} and {len(group) - _NAMED} more")
    )
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
    setting = Setting(replace(table, quasi_identifiers=tuple(domains)), progress=progress)
    found = []
    for k in _SIZES:
        if k > table.records:
            continue
        groups = mondrian(setting, (KAnonymity(k),), elsewhere=False, progress=progress)
        sizes = groups.sum(setting.parts.weights[groups.members])
        penalties = setting.table.penalty(*setting.parts.boxes(groups))
        found.append(costs(sizes, table.records, float((sizes * penalties).sum()))["gcp"])
    return float(np.mean(found)) if found else None
