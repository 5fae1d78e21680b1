"""Certification together: a partition is mended until it exposes nobody beside earlier releases.

Each group of a release holds by itself. A reader of earlier releases of the same people can
intersect and subtract groups, and may so learn more of somebody than any release tells
(`bkpriv_core.composition`). People about whom that breaks a bound are *exposed*; they *fail* if
earlier releases alone told less of them. What those told cannot be taken back: groups are not at
fault for it.

In a partition cut afresh most groups cross earlier ones. Nearly all people are then linked by
groups, and mending one group makes another fail. So a partition begins with *known* groups (see
`known_groups`): groups that earlier releases showed, or that are left of these once groups within
them are taken out, if all their members are still in the table. They tell nothing new. They also
tell no more than each by itself,

- cut in pieces that hold: a reader who knows the group learns the pieces;
- united, as they are, with others: a reader who can take a group out of the union knows both. That
  helps a group that does not hold any more, since adversaries have come to know more.

The method groups the people who are in no known group, so that all groups are nested or disjoint.
Then nobody fails, unless people have left, or changed: what is left of their groups is a group,
too, and tells who is not in it. (In a partition made otherwise, such as by whole columns, anybody
may fail.) While people fail, the groups at fault are mended. These are the groups that show them;
for people who are not shown, those that show people with whom earlier releases showed them.

1. A few times, each group at fault is united with a group near it, if the union holds by itself. A
   union says less than its two groups: the multiset of all their members' values.
2. A few times, people who fail are left out of their groups. The rest of a group is united with a
   group near it, or left out, too, if it does not hold by itself. If nobody who fails is in a
   group, the people with whom they were shown are left out.
3. Then all groups are left out that earlier or later groups link with people who fail.

At last, known groups whose members are all left out are shown again.

Rules:

- Known groups of the same people tell nothing more. They are never at fault, and stay as they are.
- Every group of the outcome holds by itself, and requirements on all groups together hold. Groups
  that are alike to a reader are one.
- It ends: all but the last remedy are tried a limited number of times, and once all new groups
  that are linked are left out nobody fails.
- Inference is repeated only where linked groups have changed.
- If only proof will do, people whose beliefs are estimated fail, unless they were so before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.posterior import EXACT, Sound
from bkpriv_core.composition.companion import companion, jointly
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.composition.measurement import Joint
from bkpriv_core.partition.certification import Pool
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.exchange import GroupIndex, Round, chunks, unite
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import cheapest_neighbours
from bkpriv_core.partition.repair import repair
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint, satisfied
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["Mended", "certify_together", "known_groups"]


_UNIONS = 4
"""Limit of how often groups at fault are united with others."""

_LEFT_OUT = 8
"""Limit of how often people are left out of groups one by one."""

_NOBODY = -1
"""Part of people who are not in the table."""

_NEAR = 16
"""Near groups with which a union is tried."""

_WORSE = 1e-6
"""Least worsening of a figure that counts as more than rounding."""


@dataclass(frozen=True, eq=False)
class Mended:
    """A partition that holds beside earlier releases."""

    groups: Groups
    """The groups to publish, of the parts that were given."""
    joint: Joint
    """Beliefs from all releases together."""
    exposed: int
    """Number of people whom earlier releases alone expose."""
    failed: int
    """Number of people who failed in the partition that was given."""
    known: int
    """Number of groups of the outcome that earlier releases tell as they are."""
    united: int
    """Number of known groups, rests of these and others of it that are in one group with others, be
    it that they were given so.
    """
    left_out: int
    """Number of records that it showed and that are shown no more."""


def certify_together(
    judge: Evaluator,
    groups: Groups,
    earlier: PriorReleases,
    requirements: Sequence[Requirement],
    estimator: Sound,
    *,
    pool: Pool,
    uniting: bool = True,
    grown: bool = False,
    progress: Progress = SILENT,
) -> Mended:
    """Mend a partition until it exposes nobody beside earlier releases.

    Args:
        judge: Judge of the groups that hold by themselves. Its parts tell respondents apart.
        requirements: Requirements that are measured of people; see `Requirement.together`.
        pool: Joins groups that will be published alike.
        uniting: Whether groups may be united; otherwise they are left out, or some of their
            records.
        grown: Whether groups stay that do not hold any more, and no others are shown again: a
            release that grows keeps what was published, and withdraws it, of its own accord.
        progress: Receives the share of failing people who fail no more.
    """
    mending = _Mending(
        judge,
        earlier,
        requirements,
        estimator,
        pool=pool,
        uniting=uniting,
        grown=grown,
        progress=progress,
    )
    return mending.mend(groups)


def known_groups(judge: Evaluator, earlier: PriorReleases) -> Groups:
    """Groups of earlier releases to begin a partition with; see the module.

    Args:
        judge: Judge of the groups that hold by themselves. Its parts tell respondents apart.

    Returns:
        Groups of parts, no two of which have one in common: known groups, those that hold first,
        then what is left of others; pieces in place of a group, where all of them hold; and unions
        of those that do not hold with others, if these do.
    """
    groups, whole = _past(judge.threat.parts, earlier)
    holds = judge.met(judge.measured_somehow(groups))
    groups = _cut(judge, _apart(groups.select(np.lexsort((~holds, ~whole)))))
    # Not before: pieces of a union would cross its groups. Under a stricter policy it may take many
    # to hold.
    state = judge.measured_somehow(groups)
    united, _ = repair(judge, state, judge.met(state), rearranging=False)
    return united.groups


@dataclass(frozen=True, eq=False)
class _Told:
    """Exposure by the earlier releases and some groups together."""

    joint: Joint
    figures: FloatArray
    """Shape (b, q). Figure of every person under every bound; no number for people who are in no
    group.
    """
    broken: BoolArray
    """Shape (b, q). Figures that break their bounds."""
    component: IntArray
    """Shape (q,). Number of each component of people whom groups link; -1 for people who are in
    none.
    """


class _Mending:
    """Mending of a partition; see the module."""

    def __init__(
        self,
        judge: Evaluator,
        earlier: PriorReleases,
        requirements: Sequence[Requirement],
        estimator: Sound,
        pool: Pool,
        uniting: bool,
        grown: bool,
        progress: Progress,
    ) -> None:
        parts = judge.threat.parts
        if parts.respondent is None:
            raise ValueError("the parts do not tell respondents apart")
        self._judge = judge
        self._parts = parts
        self._persons = earlier.persons[parts.respondent]
        self._earlier = earlier
        measured, _ = jointly(requirements, earlier.population)
        self._companions = [companion(item) for item in measured]
        self._bounds = [bound for item in measured for bound in item.bounds]
        _, self._joint = alone_and_joint(requirements)
        self._estimator: Sound = "auto" if estimator == "exact" else estimator
        self._pool = pool
        self._uniting = uniting
        self._grown = grown
        self._progress = progress
        self._held: set[bytes] = set()
        members = earlier.constraints.members
        self._known = {*map(_key, members), *map(_key, earlier.constraints.refined().members)}
        past, whole = _past(parts, earlier)
        self._past = past.select(whole)
        # What is left of groups whose people left is begun with, too.
        self._begun = _apart(past.select(np.lexsort((~whole,))))

    def mend(self, given: Groups) -> Mended:
        """See the module."""
        given = self._pool(self._parts, given)
        if self._grown:
            self._held.update(map(_key, given))
        groups = self._holding(given)
        before = self._tell(self._earlier.constraints, None)
        told = self._with(groups, before)
        failing = self._failing(groups, told, before)
        failed = int(failing.sum())
        remedies: list[_Remedy] = []
        if self._uniting:
            remedies += [self._unite] * _UNIONS
        remedies += [self._leave_out] * _LEFT_OUT
        while failing.any():
            self._progress.report(1.0 - min(int(failing.sum()) / failed, 1.0))
            remedy = remedies.pop(0) if remedies else self._leave_all_out
            groups = self._holding(remedy(groups, told, failing))
            told = self._with(groups, told)
            failing = self._failing(groups, told, before)
        self._progress.report(1.0)
        if not self._grown:
            groups = self._shown_again(groups)
        return Mended(
            groups,
            told.joint,
            int(before.broken.any(axis=0).sum()),
            failed,
            known=int((~self._new(groups)).sum()),
            united=_united(len(self._parts), self._units(given), groups),
            left_out=len(given.members) - len(groups.members),
        )

    def _units(self, given: Groups) -> Groups:
        """Known groups and rests of them, and those that were given, but for unions of these."""
        labels = given.labels(len(self._parts))
        past, first = self._begun, labels[self._begun.members[self._begun.offsets[:-1]]]
        within = past.min(labels[past.members]) == past.max(labels[past.members])
        known = np.zeros(len(given) + 1, dtype=bool)
        known[first[within]] = True
        return Groups.joined([past, given.select(~known[:-1])])

    def _with(self, groups: Groups, before: _Told) -> _Told:
        return self._tell(self._earlier.with_groups(self._parts, groups), before)

    def _tell(self, constraints: Constraints, before: _Told | None) -> _Told:
        """Infer what constraints tell; what is as before is not inferred again."""
        joint = Joint.of(
            self._earlier.population,
            constraints,
            self._estimator,
            before=None if before is None else before.joint,
            refuse=False,
            progress=self._progress.quiet,
        )
        figures = np.full((len(self._bounds), len(joint.told.used)), np.nan)
        figures[:, joint.persons] = np.concatenate(
            [each.figures(joint) for each in self._companions]
        )
        broken = np.zeros(figures.shape, dtype=bool)
        for row, bound, figure in zip(broken, self._bounds, figures, strict=True):
            row[joint.persons] = bound.broken(figure[joint.persons])
        return _Told(joint, figures, broken, constraints.components(figures.shape[1]))

    def _failing(self, groups: Groups, told: _Told, before: _Told) -> BoolArray:
        """People who are exposed, and were not as much by earlier releases alone."""
        worse = np.zeros_like(told.broken)
        for row, bound, now, then in zip(
            worse, self._bounds, told.figures, before.figures, strict=True
        ):
            # Stated so that whatever is told is worse than nothing.
            row[:] = ~(now <= then + _WORSE if bound.upper else now >= then - _WORSE)
        failing: BoolArray = np.logical_or.reduce(told.broken & worse)
        if self._judge.proof_only:
            failing |= (told.joint.told.used > EXACT) & (before.joint.told.used <= EXACT)
        # Of others earlier releases tell alone, and estimates differ by what else is inferred.
        new = np.zeros(len(failing), dtype=bool)
        new[told.component[self._whose(groups.select(self._new(groups)))]] = True
        return failing & new[told.component]

    def _whose(self, groups: Groups) -> IntArray:
        """Person of each membership."""
        persons: IntArray = self._persons[groups.members]
        return persons

    def _new(self, groups: Groups) -> BoolArray:
        """Groups that earlier releases do not tell as they are."""
        people = Groups(self._whose(groups), groups.offsets)
        return np.array([_key(group) not in self._known for group in people], dtype=bool)

    def _at_fault(self, groups: Groups, told: _Told, failing: BoolArray) -> BoolArray:
        """New groups that show people who fail, or people with whom they were shown."""
        new = self._new(groups)
        concerned = self._concerned(groups.select(new), told, failing)
        at_fault: BoolArray = groups.max(concerned[self._whose(groups)]) & new
        return at_fault if at_fault.any() else self._hanging_together(groups, told, failing)

    def _concerned(self, new: Groups, told: _Told, failing: BoolArray) -> BoolArray:
        """People who fail, or with whom they were shown, if they are in none of the new groups."""
        unseen = failing.copy()
        unseen[self._whose(new)] = False
        members = told.joint.constraints.members
        with_him = members.max(unseen[members.members])
        concerned: BoolArray = failing.copy()
        concerned[members.members[with_him[members.owner]]] = True
        return concerned

    def _hanging_together(self, groups: Groups, told: _Told, failing: BoolArray) -> BoolArray:
        """New groups that are linked with people who fail."""
        fails = np.zeros(len(failing), dtype=bool)
        fails[told.component[failing]] = True
        hanging: BoolArray = groups.max(fails[told.component[self._whose(groups)]])
        return hanging & self._new(groups)

    def _shown_again(self, groups: Groups) -> Groups:
        """The groups, and known ones that are left out as a whole, if a reader tells them apart."""
        left_out = groups.labels(len(self._parts)) == SUPPRESSED
        past = self._past.select(self._past.min(left_out[self._past.members]))
        if not self._uniting:
            everybody = Groups.from_rows(np.arange(len(self._parts)))
            alike = self._pool(self._parts, everybody).labels(len(self._parts))[past.members]
            past = past.select(past.min(alike) == past.max(alike))
        past = _apart(past.select(self._holds(past)))
        every = Groups.joined([groups, past])
        alone = set(map(_key, self._pool(self._parts, every)))
        past = past.select(np.array([_key(group) in alone for group in past], dtype=bool))
        every = Groups.joined([groups, past])
        holding = satisfied(self._joint, self._judge.threat, every)
        return every if holding.all() else groups

    def _unite(self, groups: Groups, told: _Told, failing: BoolArray) -> Groups:
        """Unite groups at fault with near ones that are new: of others all is known."""
        new = self._new(groups)
        united = self._with_near(groups.select(new), self._at_fault(groups, told, failing)[new])
        return Groups.joined([groups.select(~new), united])

    def _with_near(self, groups: Groups, chosen: BoolArray) -> Groups:
        """Unite chosen groups with near ones, where the unions hold."""
        for effort in self._judge.efforts():
            places = np.flatnonzero(chosen)
            if not places.size or len(groups) < 2:
                break
            layout = GroupIndex(self._parts, groups)
            progress = self._judge.threat.progress
            near, _ = cheapest_neighbours(self._parts, groups, places, _NEAR, progress=progress)
            # Unions never break a requirement on all groups together.
            made = Round(self._judge, layout, np.ones_like(chosen), (), effort=effort)
            pairs = np.column_stack((np.repeat(places, near.shape[1]), near.ravel()))
            for some in chunks(layout, Groups.from_rows(pairs), 1):
                made.offer(unite(layout, some))
            chosen = np.append(chosen[~made.taken], np.zeros(len(made), dtype=bool))
            groups = made.groups
        return groups

    def _leave_out(self, groups: Groups, told: _Told, failing: BoolArray) -> Groups:
        """Leave people who fail out of new groups, or else those with whom they were shown."""
        new = self._new(groups)
        for who in (failing, self._concerned(groups.select(new), told, failing)):
            left_out = who[self._whose(groups)] & new[groups.owner]
            if left_out.any():
                return groups.taken(np.flatnonzero(~left_out))
        return self._leave_all_out(groups, told, failing)

    def _leave_all_out(self, groups: Groups, told: _Told, failing: BoolArray) -> Groups:
        """Leave out all new groups that are linked with people who fail."""
        return groups.select(~self._hanging_together(groups, told, failing))

    def _holding(self, groups: Groups) -> Groups:
        """Groups as a reader sees them that hold, united with others if need be."""
        groups = self._pool(self._parts, groups)
        holds = self._holds(groups)
        if self._uniting and not holds.all():
            new = self._new(groups)
            # Known ones would be taken out of unions with new ones that do not hold.
            united = self._with_near(groups.select(new), ~holds[new])
            united = united.select(self._holds(united))
            groups = Groups.joined([groups.select(~new), united])
            groups = self._pool(self._parts, self._with_near(groups, ~self._holds(groups)))
            holds = self._holds(groups)
        groups = groups.select(holds)
        return groups.select(satisfied(self._joint, self._judge.threat, groups))

    def _holds(self, groups: Groups) -> BoolArray:
        """Groups that hold by themselves; none is measured that is known to."""
        keys = [_key(group) for group in groups]
        holds = np.array([key in self._held for key in keys], dtype=bool)
        holds[~holds] = self._judge.met(self._judge.measured_somehow(groups.select(~holds)))
        self._held.update(key for key, held in zip(keys, holds.tolist(), strict=True) if held)
        return holds


_Remedy = Callable[[Groups, _Told, BoolArray], Groups]
"""Remedy: makes other groups from groups, what they tell, and the people who fail."""


def _past(parts: Parts, earlier: PriorReleases) -> tuple[Groups, BoolArray]:
    """Members in the table of groups that earlier releases tell, the latest release first.

    And whether these are all of the group.
    """
    if parts.respondent is None:
        raise ValueError("the parts do not tell respondents apart")
    part = np.full(len(earlier.population.priors[0]), _NOBODY)
    part[earlier.persons[parts.respondent]] = np.arange(len(parts))
    members = earlier.constraints.refined().members
    members = members.select(np.arange(len(members))[::-1])
    there = part[members.members] != _NOBODY
    some = members.taken(np.flatnonzero(there))
    return Groups(part[some.members], some.offsets), members.min(there)[members.max(there)]


def _cut(judge: Evaluator, groups: Groups) -> Groups:
    """Cut groups in pieces where all of them hold."""
    threat = judge.threat.over(judge.threat.parts.select(groups.members))
    within = Groups(np.arange(len(groups.members)), groups.offsets)
    pieces = mondrian(threat, judge.requirements, groups=within)
    pieces = Groups(groups.members[pieces.members], pieces.offsets)
    whose = groups.labels(len(judge.threat.parts))[pieces.members[pieces.offsets[:-1]]]
    cut = np.bincount(whose, minlength=len(groups)) > 1
    pieces, whose = pieces.select(cut[whose]), whose[cut[whose]]
    fit = judge.met(judge.measured_somehow(pieces))
    cut[whose[~fit]] = False
    return Groups.joined([groups.select(~cut), pieces.select(cut[whose])])


def _apart(groups: Groups) -> Groups:
    """Select groups that have nobody in common with one before."""
    taken = np.zeros(int(groups.members.max(initial=-1)) + 1, dtype=bool)
    chosen = np.zeros(len(groups), dtype=bool)
    for number, group in enumerate(groups):
        if not taken[group].any():
            taken[group] = chosen[number] = True
    return groups.select(chosen)


def _key(members: IntArray) -> bytes:
    return np.sort(members).tobytes()


def _united(parts: int, units: Groups, groups: Groups) -> int:
    """Number of units, as far as they are in groups at all, that are in one group with others."""
    labels = groups.labels(parts)[units.members]
    shown = np.flatnonzero(labels != SUPPRESSED)
    some, labels = units.taken(shown), labels[shown]
    first = some.min(labels)
    whole = first == some.max(labels)
    return int((groups.widths[first[whole]] > some.widths[whole]).sum())
