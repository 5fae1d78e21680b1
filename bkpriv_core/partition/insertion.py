"""Insertion: records that no group took are put into groups that are there.

A record about which something else is believed than about its neighbours on an order is left over
by growth, though a group near to it, or a larger one farther off, may bear it. So each is tried in
the groups nearest to it, then in ever more. A record may come in several *variants*, parts of which
at most one is inserted. Rules:

- A record goes where the enlarged group holds, to the group whose loss of detail grows least; of
  its variants in one group the one that is preferred.
- In one round a group takes up at most one record, that by which it loses least. Rounds go on as
  long as a record finds a group.
- What sums decide is judged of all groups that are tried, the rest by omega of those that hold so
  far, and what is chosen by the judge, as any group is.
- A group that a reader could not tell from another one is one with it, and must hold as such; and
  requirements on all groups together must hold.
- So much is tried as bounds the time that it takes; what has found no group by then is left over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bkpriv_core.partition.certification import Pool
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import (
    CountedRequirement,
    Requirement,
    TableRequirement,
    satisfied,
)
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["Preference", "insert", "told_from_others"]

Preference = Callable[[Groups, IntArray, IntArray], IntArray]
"""Rank of variants in groups of a partition: of the group, and the variant, of each try, (x,)."""

_NEAR = (8, 32, 128, 512)
"""Number of groups that are tried for each record: the nearest, then ever more."""

_ROUNDS = 64
"""Rounds with each number of groups."""

_FIRST = 8
"""Groups tried by inference for each record at first; then four times as many."""

_SUMS = 4_000_000
"""Numbers in sums that are made at a time."""

_WORK = 400_000_000
"""Numbers in sums that are made in all, before the rest is left over."""

_MEMBERS = 500_000
"""Memberships of groups that are tried by inference at a time."""


def told_from_others(judge: Evaluator, groups: Groups, pool: Pool) -> Groups:
    """Groups that a reader can tell from one another, and that hold if they held before.

    Those that are published alike are one, if that holds. If not, the largest of them stays, and
    the others are given up: their records are left over.
    """
    parts = judge.threat.parts
    pooled = pool(parts, groups)
    if len(pooled) == len(groups):
        return groups
    held = judge.met(judge.measured_somehow(pooled))
    into = pooled.labels(len(parts))[groups.members[groups.offsets[:-1]]]
    falling = np.lexsort((-parts.sizes(groups), into))
    largest = falling[np.unique(into[falling], return_index=True)[1]]
    return Groups.joined([pooled.select(held), groups.select(largest[~held])])


def insert(
    judge: Evaluator,
    joint: Sequence[TableRequirement],
    groups: Groups,
    variants: Groups,
    *,
    pool: Pool,
    prefer: Preference | None = None,
    kin: IntArray | None = None,
    progress: Progress = SILENT,
) -> Groups:
    """Insert records into groups, as many as groups bear.

    Args:
        judge: Judge of the groups that may be published; its setting tries groups only.
        groups: The partition, all of which a reader can tell apart.
        variants: Parts that are in no group: of each record those of which one may be inserted, all
            of one cell.
        pool: Joins groups that will be published alike; see `Form.pool`.
        prefer: Function that says which variants come first, if there are several.
        kin: Shape (p,). The cluster of each part, where groups of its own cluster alone bear a
            record: they are nearer to it than any other.
        progress: Receives the share of what is tried.
    """
    if not len(groups) or not len(variants):
        return groups
    work = _Insertion.of(judge, joint, variants, pool, prefer=prefer, kin=kin)
    left = _WORK
    for place, near in enumerate(_NEAR):
        progress.report(place / len(_NEAR))
        if not len(work.left(groups)):
            break
        groups, left = work.run(groups, near, left)
        if near >= len(groups):
            break
    progress.report(1.0)
    return groups


@dataclass(frozen=True, eq=False)
class _Tried:
    """Variants in groups: of one record together, those that come first first."""

    record: IntArray
    variant: IntArray
    group: IntArray
    """Shape (x,). The record, the part that it is inserted as, and the group."""
    cost: FloatArray
    """Shape (x,). Loss of detail that is added."""

    def __len__(self) -> int:
        return len(self.record)

    @classmethod
    def joined(cls, lists: Sequence[_Tried]) -> _Tried:
        """Join lists, at least one."""
        columns = zip(*((x.record, x.variant, x.group, x.cost) for x in lists), strict=True)
        return cls(*map(np.concatenate, columns))

    def select(self, chosen: BoolArray | IntArray) -> _Tried:
        """Select tries."""
        return _Tried(
            self.record[chosen], self.variant[chosen], self.group[chosen], self.cost[chosen]
        )

    def grown(self, groups: Groups) -> Groups:
        """Each group with the variant in it."""
        before = groups.select(self.group)
        members = np.insert(before.members, before.offsets[1:], self.variant)
        return Groups(members, before.offsets + np.arange(len(before.offsets)))


@dataclass(frozen=True, eq=False)
class _Insertion:
    """Insertion of records into groups; see `insert`."""

    judge: Evaluator
    joint: Sequence[TableRequirement]
    summed: Sequence[tuple[CountedRequirement, IntArray]]
    alike: Sequence[bool]
    inferred: Sequence[Requirement]
    variants: Groups
    pool: Pool
    prefer: Preference | None
    kin: IntArray | None

    @classmethod
    def of(
        cls,
        judge: Evaluator,
        joint: Sequence[TableRequirement],
        variants: Groups,
        pool: Pool,
        prefer: Preference | None,
        kin: IntArray | None,
    ) -> _Insertion:
        """Sort the requirements."""
        counted = [item for item in judge.requirements if isinstance(item, CountedRequirement)]
        columns = [item.counts(judge.threat) for item in counted]
        first = variants.members[variants.offsets[:-1]][variants.owner]
        return cls(
            judge=judge,
            joint=joint,
            summed=list(zip(counted, columns, strict=True)),
            alike=[np.array_equal(some[variants.members], some[first]) for some in columns],
            inferred=[
                item for item in judge.requirements if not isinstance(item, CountedRequirement)
            ],
            variants=variants,
            pool=pool,
            prefer=prefer,
            kin=kin,
        )

    def run(self, groups: Groups, near: int, work: int) -> tuple[Groups, int]:
        """Insert what can be inserted, of so many groups near to each record into one.

        Returns the groups, and what is left of the work that was allowed.
        """
        refused = np.zeros(0, dtype=np.int64)
        records = left = self.left(groups)
        for _ in range(_ROUNDS):
            self.judge.threat.progress.poll()
            costs = np.cumsum(self._numbers(records)) * min(near, len(groups))
            records = records[costs <= work]
            if not records.size:
                break
            work -= int(costs[len(records) - 1])
            tried = self._tried(groups, records, near)
            tried = tried.select(~np.isin(self._keys(groups, tried), refused))
            best = self._best(groups, tried)
            chosen = best.select(_cheapest(best))
            held = self.judge.met(self.judge.measured_somehow(chosen.grown(groups)))
            fit, keys = chosen.select(held), self._keys(groups, chosen)
            first = groups.members[groups.offsets[fit.group]]
            groups, borne = self._borne(groups, fit.variant, first)
            refused = np.concatenate((refused, keys[~held], keys[held][~borne]))
            # A record that no group bears waits until all others have found one, or none.
            records = np.setdiff1d(best.record, fit.record[borne])
            if not records.size:
                before, left = left, self.left(groups)
                if not len(left) or len(left) == len(before):
                    break
                records = left
        return groups, work

    def _numbers(self, records: IntArray) -> IntArray:
        """Numbers in the sums of each record's variants in one group."""
        width = 1 + sum(columns.shape[1] for _, columns in self.summed)
        numbers: IntArray = self.variants.widths[records] * width
        return numbers

    def left(self, groups: Groups) -> IntArray:
        """Records that are in no group."""
        taken = np.isin(self.variants.members, groups.members)
        left: IntArray = np.flatnonzero(~self.variants.max(taken))
        return left

    def _keys(self, groups: Groups, tried: _Tried) -> IntArray:
        """A number for each variant and group, the same as long as the group is not pooled."""
        first = groups.members[groups.offsets[tried.group]]
        keys: IntArray = tried.variant * len(self.judge.threat.parts) + first
        return keys

    def _tried(self, groups: Groups, records: IntArray, near: int) -> _Tried:
        """Variants of some records in the groups near to them, where these meet all sums."""
        parts = self.judge.threat.parts
        ones = Groups.from_rows(self.variants.members[self.variants.offsets[records]])
        both = Groups.joined([groups, ones])
        neighbours, costs = cheapest_neighbours(
            parts,
            both,
            np.arange(len(groups), len(both)),
            near,
            progress=self.judge.threat.progress,
            among=np.arange(len(groups)),
            kin=None if self.kin is None else self.kin[both.members[both.offsets[:-1]]],
        )
        sums = [groups.sum(columns[groups.members]) for _, columns in self.summed]
        ends = np.concatenate(([0], np.cumsum(self._numbers(records)))).astype(np.int64)
        found = []
        for first, last in Groups(records, ends).chunks(_SUMS // neighbours.shape[1]):
            row, place = np.divmod(
                np.arange((last - first) * neighbours.shape[1]), neighbours.shape[1]
            )
            row += first
            tried = _Tried(
                records[row], ones.members[row], neighbours[row, place], costs[row, place]
            )
            # What is the same for all variants of a record is judged once.
            for alike in (True, False):
                for (item, columns), summed, same in zip(
                    self.summed, sums, self.alike, strict=True
                ):
                    if same is alike:
                        total = summed[tried.group] + columns[tried.variant]
                        tried = tried.select(item.met(self.judge.threat, total))
                if alike:
                    mine = self.variants.select(tried.record)
                    tried = replace(tried.select(mine.owner), variant=mine.members)
            found.append(tried)
        return self._in_order(groups, _Tried.joined(found))

    def _in_order(self, groups: Groups, tried: _Tried) -> _Tried:
        rank = np.zeros(len(tried), dtype=np.int64)
        if self.prefer is not None:
            rank = self.prefer(groups, tried.group, tried.variant)
        return tried.select(np.lexsort((rank, tried.group, tried.cost, tried.record)))

    def _best(self, groups: Groups, tried: _Tried) -> _Tried:
        """The first of each record that meets what is inferred, by omega."""
        threat, start, stop = self.judge.threat, 0, _FIRST
        rank = np.arange(len(tried)) - np.searchsorted(tried.record, tried.record)
        met = np.zeros(len(tried), dtype=bool)
        done = np.zeros(int(tried.record.max(initial=-1)) + 1, dtype=bool)
        while True:
            rows = np.flatnonzero((rank >= start) & (rank < stop) & ~done[tried.record])
            if not rows.size:
                break
            some = tried.select(rows).grown(groups) if self.inferred else Groups.from_rows(rows)
            for first, last in some.chunks(_MEMBERS):
                threat.progress.poll()
                few = some.select(np.arange(first, last))
                met[rows[first:last]] = satisfied(self.inferred, threat, few)
            done[tried.record[rows[met[rows]]]] = True
            start, stop = stop, 4 * stop
        holding = tried.select(met)
        return holding.select(np.unique(holding.record, return_index=True)[1])

    def _borne(
        self, groups: Groups, variants: IntArray, into: IntArray
    ) -> tuple[Groups, BoolArray]:
        """Insert variants into the groups of some parts, as far as all groups bear it together.

        That is found out by bisection.
        """
        if not len(variants):
            return groups, np.zeros(0, dtype=bool)
        made = self._with(groups, variants, into)
        if made is not None:
            return made, np.ones(len(variants), dtype=bool)
        if len(variants) == 1:
            return groups, np.zeros(1, dtype=bool)
        half = len(variants) // 2
        groups, first = self._borne(groups, variants[:half], into[:half])
        groups, second = self._borne(groups, variants[half:], into[half:])
        return groups, np.concatenate((first, second))

    def _with(self, groups: Groups, variants: IntArray, into: IntArray) -> Groups | None:
        """Groups with variants in them; None if what is then alike does not hold, or not all do."""
        parts = self.judge.threat.parts
        labels = groups.labels(len(parts))
        labels[variants] = labels[into]
        made = Groups.from_labels(labels)
        pooled = self.pool(parts, made)
        if len(pooled) < len(made):
            first = pooled.labels(len(parts))[made.members[made.offsets[:-1]]]
            several = pooled.select(np.bincount(first) > 1)
            if not self.judge.met(self.judge.measured_somehow(several)).all():
                return None
        if self.joint and not satisfied(self.joint, self.judge.threat, pooled).all():
            return None
        return pooled


def _cheapest(best: _Tried) -> IntArray:
    """Cheapest of the records that would go to one group."""
    order = np.lexsort((best.cost, best.group))
    first = np.diff(best.group[order], prepend=-1) != 0
    chosen: IntArray = np.sort(order[first])
    return chosen
