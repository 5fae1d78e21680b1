"""Anatomy: groups that hold no sensitive value twice (Xiao, Tao 2006).

Records are sorted into one *bucket* for each sensitive value. While at least ``l`` buckets hold
records, a new group takes one random record from each of the ``l`` fullest. The records left then,
the *residue*, are at most one of each bucket; each goes to a random group that lacks its value.

- A table is *eligible* if no value is that of more than ``1 / l`` of its ``n`` records; no way of
  grouping can do without.
- There are ``floor(n / l)`` groups, each of at least ``l`` records with pairwise distinct values:
  nobody's value is guessed from the group alone with a chance above ``1 / l``.
- Where groups are made of some of a table's parts only, which may not be eligible by themselves,
  random records of too frequent values are left over, as few as leave the others eligible.
- Groups draw records, not cells: records of one cell, or of one of its parts, may fall into
  different groups, as parts of it.

Which buckets a group draws from depends on the numbers of records with each value alone, so it is
decided first, for many groups at once. While the same buckets are ahead of the rest, every group
draws from each of them; level ones, which differ by one record at most, take turns. Level buckets
take turns in a random order that is drawn again and again.

References:
.. [1] X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, figure 3.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

__all__ = ["anatomy"]

_ORDERS = 1_000
"""Least number of draws of the order in which level buckets take turns (if once a group)."""


def anatomy(
    parts: Parts,
    l: int,  # noqa: E741 - the field's own name
    chance: Chance,
    *,
    progress: Progress = SILENT,
) -> tuple[Parts, Groups]:
    """Partition records into groups of at least `l` pairwise distinct sensitive values.

    Args:
        parts: All parts of a table's cells, or some.
        l: Distinct values of a group, at least 1. At 1 every group is a single record, and nothing
            is protected.
        chance: Draws the records, and chooses where a choice is free.
        progress: Receives the share of groups that are drawn.

    Returns:
        groups: All its parts but for what is left over, in ``floor(n / l)`` groups, in the order in
            which they were drawn.

    Raises:
        InvalidParameter: If `l` is not a whole number of at least 1.
        UnattainableRequirement: If the parts are all of a table that is not eligible. Names the
            most frequent value and the largest `l` that would do.
    """
    _check_whole(l)
    totals = parts.counts.sum(axis=0)
    if totals.sum() == parts.table.records:
        check_eligible(parts.table, l)
    drawn = _eligible(totals, l)
    values, groups = _draw(drawn, l, chance, progress)
    progress.poll()
    whose, secrets = parts.enumerate_records()
    order = chance.order(len(whose))
    progress.poll()
    # All sorted by value: the slots for a value take its records as they come in random order.
    order = order[np.argsort(secrets[order], kind="stable")]
    left = np.repeat(np.arange(len(totals)), totals - drawn)
    slots = np.argsort(np.concatenate((values, left)), kind="stable")
    labels = np.concatenate((groups, np.full(len(left), SUPPRESSED)))[slots]
    progress.poll()
    return parts.dealt(whose[order], secrets[order], labels)


def _eligible(totals: IntArray, l: int) -> IntArray:  # noqa: E741
    """Largest number of records with each value, of so many, that are eligible together."""
    few, many = 0, int(totals.sum()) // l
    while few < many:
        most = (few + many + 1) // 2
        if np.minimum(totals, most).sum() >= most * l:
            few = most
        else:
            many = most - 1
    return np.minimum(totals, few)


def _check_whole(l: object) -> None:  # noqa: E741
    """Refuse an `l` that counts nothing."""
    if isinstance(l, bool) or not isinstance(l, int) or l < 1:
        raise InvalidParameter(
            f"l of anatomy is {l!r}, which is not a whole number of at least 1",
            detail="It is the number of different sensitive values in each group.",
            hint="Write a whole number such as 3.",
        )


def check_eligible(table: Table, l: int) -> None:  # noqa: E741
    """Refuse a table in which a value is too frequent.

    Raises:
        UnattainableRequirement: Names the most frequent value and the largest `l` that would do.
    """
    totals: IntArray = table.counts.sum(axis=0)
    fullest = int(totals.argmax())
    count, records = int(totals[fullest]), table.records
    if count * l <= records:
        return
    value = table.sensitive.quote(fullest)
    most = records // count
    raise UnattainableRequirement(
        f'the value {value} of "{table.sensitive.name}" is too frequent for anatomy with l = {l}',
        detail=f"It is that of {count} of {records} records, a share of {count / records:.6g}; "
        f"at most 1/{l} is allowed, which is {records // l} records.",
        hint="Only l = 1 would do, which protects nothing; choose another method."
        if most == 1
        else f"The largest l that would do is {most}.",
    )


def _draw(
    totals: IntArray,
    l: int,  # noqa: E741
    chance: Chance,
    progress: Progress,
) -> tuple[IntArray, IntArray]:
    """Value and group of each place for a record, two arrays of shape (n,).

    `totals` are the records of each bucket; they must be eligible.
    """
    expected = int(totals.sum()) // l
    if not expected:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    left = totals.copy()
    formed = 0
    values: list[IntArray] = []
    groups: list[IntArray] = []
    while True:
        progress.poll()
        order = chance.order(len(left))
        order = order[np.argsort(-left[order], kind="stable")]
        heights = left[order]
        if not heights[l - 1]:
            break
        ahead, behind, rounds = _run(heights, l)
        rounds = min(rounds, -(-expected // _ORDERS))
        always, in_turn = order[:ahead], order[ahead:behind]
        turns = np.arange(rounds * (l - ahead))
        taken = in_turn[turns % len(in_turn)]
        values += [np.tile(always, rounds), taken]
        groups += [
            formed + np.repeat(np.arange(rounds), len(always)),
            formed + turns // (l - ahead),
        ]
        left[always] -= rounds
        left -= np.bincount(taken, minlength=len(left))
        formed += rounds
        progress.report(formed / expected)
    drawn, owners = np.concatenate(values), np.concatenate(groups)
    residue = np.flatnonzero(left)
    hosts = np.empty(len(residue), dtype=np.int64)
    for place, value in enumerate(residue):
        progress.poll()
        lacking = np.ones(formed, dtype=bool)
        lacking[owners[drawn == value]] = False
        allowed = np.flatnonzero(lacking)
        hosts[place] = allowed[chance.order(len(allowed))[0]]
    return np.concatenate((drawn, residue)), np.concatenate((owners, hosts))


def _run(heights: IntArray, l: int) -> tuple[int, int, int]:  # noqa: E741
    """Decide which buckets the next groups draw from, and for how many groups that holds.

    Args:
        heights: Shape (m,). Records left in each bucket, from the fullest to the emptiest; the
            first `l` hold some.
        l: Buckets that a group draws from.

    Returns:
        behind: Buckets from `ahead` up to here are level: they are the `l`-th fullest and those
            that differ from it, and from each other, by one record at most. They take turns, the
            fuller ones first, which keeps them level.
        rounds: Number of groups, at least 1.
    """
    edge = heights[l - 1]
    top = edge + 1 if (heights == edge + 1).any() else edge
    ahead = int((heights > top).sum())
    behind = int((heights >= top - 1).sum())
    level, drawn = behind - ahead, l - ahead
    # A level bucket that is drawn from must be no emptier than those behind, nor empty.
    least = max(int(heights[behind]), 1) if behind < len(heights) else 1
    rounds = int(heights[ahead:behind].sum() - level * (least - 1)) // drawn
    if ahead and level > drawn:
        # Those ahead lose one record a round and must not fall behind a level one that waits. Of
        # these, of which `full` began at the top, after r rounds the fullest holds
        # top - 1 - floor((r drawn - full) / level).
        full = int((heights == top).sum())
        lead = int(heights[ahead - 1] - top)
        rounds = min(rounds, (level * (lead + 1) - full) // (level - drawn) + 1)
    return ahead, behind, rounds
