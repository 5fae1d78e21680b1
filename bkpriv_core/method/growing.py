"""Growing: a release keeps the groups of the last one, and groups newcomers among themselves.

Several releases of a table tell more together than each tells alone: a reader of two can subtract
the groups of one from those of the other. Groups that are published again as they were tell nothing
new, and groups of newcomers have nobody in common with them. So if each release grows from the one
before, readers learn of everybody, *once*, in addition what the newcomers in one box with the
person told by themselves: a reader of two releases takes a kept group from the box that newcomers
share with it, and is left with these.

- *Shown* people, those in a group of the last release, are *kept*: in their group, with the record
  that was published, also if they have *departed* since, or their record has *changed*, which would
  make them new people to a reader. Or else every group that has such a member is *withdrawn*: none
  of its members is published any more, here or by later growing.
- *Newcomers* are all others in the source. The method groups them; newcomers whom it cannot group
  wait, and are newcomers again to the release that grows from this one.
- The table of the release has the kept people, as they were published, and the others in the
  source. Adversaries know this table, and counts are compared with it.

Kept groups met the requirements when they were made. They stay whatever is required now, and
whatever adversaries come to believe when there are more people: findings are of all groups, and may
say that a bound is broken. Groups of newcomers keep every bound, with two additions. If they would
be shown like a kept group, a reader sees both as one group, which must hold as well; and so must
all newcomers of that box without the kept group, who are one group to a reader of the last release.
Requirements on all groups are measured together with the kept ones, in either way. Newcomers whose
groups fail wait.
A table as one group holds if any groups of it do, but newcomers need not: they may have no case of
a value that is likely for one of them. That newcomer waits, or else no cut of them all would hold.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from bkpriv_core.audit import findings
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, UnattainableRequirement
from bkpriv_core.method.base import GroupMethod, Job, OfGroups, Result
from bkpriv_core.method.options import Departed
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement, alone_and_joint
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table

__all__ = ["IncrementalPopulation", "begin", "grouped", "grow", "make_grown", "stand"]


@dataclass(frozen=True, eq=False)
class IncrementalPopulation:
    """Growth of a release: the people it keeps, and the newcomers."""

    table: Table
    """Records that are kept, as they were published, and the other records of the source."""
    respondents: Respondents
    labels: IntArray
    """Shape (n,). The group that each is kept in: dense integers from 0, or `SUPPRESSED`."""
    coming: BoolArray
    """Shape (n,). Newcomers. A respondent who is neither kept nor a newcomer was withdrawn."""
    departed: int = 0
    changed: int = 0
    """Numbers of people who were shown and are not in the source any more, or have another
    record.
    """
    withdrawn: int = 0
    """Number of groups that are published no more."""
    grows: bool = True
    """Whether the release grows, from now on if not before; see `stand`."""

    @property
    def kept(self) -> int:
        """Number of people who are published as they were."""
        return int((self.labels != SUPPRESSED).sum())

    @property
    def out(self) -> int:
        """Number of people of the source who were in groups that are published no more."""
        return len(self.labels) - self.kept - int(self.coming.sum())


def begin(table: Table, respondents: Respondents) -> IncrementalPopulation:
    """Begin to grow: where nothing was published yet, everybody is a newcomer."""
    people = len(respondents)
    return IncrementalPopulation(
        table, respondents, np.full(people, SUPPRESSED), np.ones(people, dtype=bool)
    )


def stand(table: Table, respondents: Respondents) -> IncrementalPopulation:
    """Growth of a release that does not grow: nothing is kept, and its people may be nobody."""
    return replace(begin(table, respondents), grows=False)


def grow(
    release: Release,
    past: Respondents,
    table: Table,
    respondents: Respondents,
    *,
    departed: Departed = "stay",
    barred: Set[str] = frozenset(),
) -> IncrementalPopulation:
    """Divide people into those whom a release keeps, and newcomers.

    Args:
        release: The last release; its parts are the records of respondents, one by one.
        table: The source. Its domains also have all values of the release's table, by the same
            texts.
        departed: Treatment of groups with people who departed, or whose record changed.
        barred: Names of people whose groups were withdrawn before.

    Raises:
        InvalidData: If an attribute is no more what it was, so that groups could not be shown as
            they were.
    """
    domains, then, now = _alike(release.table, past, table, respondents)
    places = dict(zip(past.names, range(len(past.names)), strict=True))
    found = np.fromiter(map(places.get, respondents.names, repeat(-1)), np.int64, len(now))
    # Whether the release shows each person, whether they are there, and whether all is the same.
    shown = release.labels != SUPPRESSED
    there = np.zeros(len(then), dtype=bool)
    there[found[found >= 0]] = True
    same = np.zeros(len(then), dtype=bool)
    same[found[found >= 0]] = (then[found] == now).all(axis=1)[found >= 0]
    gone, changed = shown & ~there, shown & there & ~same
    groups = release.groups
    broken = np.zeros(len(groups), dtype=bool)
    if departed == "withdraw":
        broken = groups.max((gone | changed)[groups.members])
    kept = np.zeros(len(then), dtype=bool)
    kept[groups.members] = ~broken[groups.owner]
    others = (found < 0) | ~kept[found]
    known = (found >= 0) & shown[found]
    bar = np.fromiter(map(barred.__contains__, respondents.names), np.bool_, len(now))
    _, labels = np.unique(release.labels[kept], return_inverse=True)
    names = [past.names[i] for i in np.flatnonzero(kept).tolist()]
    names += [respondents.names[i] for i in np.flatnonzero(others).tolist()]
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    rows = np.concatenate((then[kept], now[others]))[order]
    rest = np.full(int(others.sum()), SUPPRESSED)
    grown, cells, values = _assembled(domains, rows)
    return IncrementalPopulation(
        grown,
        Respondents(tuple(names[i] for i in order.tolist()), cells, values),
        np.concatenate((labels, rest))[order],
        np.concatenate((np.zeros(len(labels), dtype=bool), ~(known | bar)[others]))[order],
        departed=int(gone.sum()),
        changed=int(changed.sum()),
        withdrawn=int(broken.sum()),
    )


def _alike(
    old: Table, past: Respondents, new: Table, respondents: Respondents
) -> tuple[tuple[Domain, ...], IntArray, IntArray]:
    """Domains of two tables together, and codes of the records of the respondents of each.

    Columns are found by their names, in whichever order; the domains stand in that of `new`.
    """
    domains = (*new.quasi_identifiers, new.sensitive)
    then = np.column_stack((old.codes[past.cells], past.values))
    return (
        domains,
        _recoded((*old.quasi_identifiers, old.sensitive), domains, then),
        np.column_stack((new.codes[respondents.cells], respondents.values)),
    )


def _recoded(old: Sequence[Domain], new: Sequence[Domain], codes: IntArray) -> IntArray:
    """Codes in other domains, and in their order, of rows of codes."""
    place = {domain.name: axis for axis, domain in enumerate(old)}
    recoded = np.empty_like(codes)
    for axis, domain in enumerate(new):
        was = place[domain.name]
        recoded[:, axis] = _recoding(old[was], domain)[codes[:, was]]
    return recoded


def _assembled(domains: Sequence[Domain], rows: IntArray) -> tuple[Table, IntArray, IntArray]:
    """Make a table of rows of codes, one for each record, with the cell and the value of each.

    Its domains have the values that occur.
    """
    occurring, codes = [], np.empty_like(rows)
    for axis, domain in enumerate(domains):
        used, codes[:, axis] = np.unique(rows[:, axis], return_inverse=True)
        occurring.append(domain.select(used))
    *quasi_identifiers, sensitive = occurring
    ones = np.ones(len(rows), dtype=np.int64)
    table, cells = Table.from_rows(tuple(quasi_identifiers), sensitive, codes, ones)
    return table, cells, codes[:, -1]


def _recoding(old: Domain, new: Domain) -> IntArray:
    """Code in a domain of each value of one from before.

    Raises:
        InvalidData: If values are not what they were.
    """
    code = {label: place for place, label in enumerate(new.labels)}
    recoding = np.array([code[label] for label in old.labels], dtype=np.int64)
    differ = _difference(old, new, recoding)
    if differ is not None:
        raise InvalidData(
            f'attribute "{old.name}" is no more what it was when the release that is to grow was '
            "made",
            detail=differ,
            hint="Make it what it was, or publish without the option grow, which groups everybody "
            "anew.",
        )
    return recoding


def _difference(old: Domain, new: Domain, recoding: IntArray) -> str | None:
    """Describe the change of a domain's values, if there is one."""
    if old.numeric != new.numeric:
        return (
            "It had no hierarchy of labels then, and has one now."
            if old.numeric
            else "It had a hierarchy of labels then, and has none now."
        )
    for was, is_ in ((old.positions, new.positions), (old.ends, new.ends)):
        if (was is None) != (is_ is None):
            return "It is binned now and was not then, or the other way round."
        if was is not None and is_ is not None:
            (moved,) = np.nonzero(~np.isclose(was, is_[recoding], rtol=0, atol=0, equal_nan=True))
            if moved.size:
                return f"The bin that begins at {old.quote(moved[0])} ends elsewhere, for one."
    if (old.hierarchy is None) != (new.hierarchy is None):
        return f"It had {'no' if old.hierarchy is None else 'a'} hierarchy then."
    if old.hierarchy is not None and new.hierarchy is not None:
        for label in old.labels:
            if label is None:
                continue
            was_path, is_path = old.hierarchy.paths[label], new.hierarchy.paths[label]
            if was_path != is_path:
                return (
                    f"Its hierarchy had {' < '.join(map(str, was_path))}, and has "
                    f"{' < '.join(map(str, is_path))}."
                )
    return None


def make_grown(
    method: GroupMethod[OfGroups],
    growth: IncrementalPopulation,
    job: Job[OfGroups],
) -> Result:
    """Make a release that keeps groups, and has newcomers grouped by a method.

    Args:
        growth: People who are kept, and newcomers.
        job: Job on the grown table; the parts are the records of its respondents.

    Returns:
        Findings are of all groups, kept and new.

    Raises:
        UnattainableRequirement: If there is no group, kept or new.
    """
    labels, coming = growth.labels, growth.coming
    labels, failed = grouped(method, labels, coming, job)
    groups = _waiting(
        method, job.threat, coming, labels, requirements=job.requirements, options=job.options
    )
    if not len(groups) and not coming.any():
        raise UnattainableRequirement(
            "every group of the last release is withdrawn, and there is no newcomer",
            detail=f"Of the people whom it showed, {growth.departed} left and {growth.changed} "
            "have another record now.",
            hint='Leave out the option {"departed": "withdraw"}, or publish without the option '
            "grow, which groups everybody anew.",
        )
    if not len(groups):
        raise UnattainableRequirement(
            "no group could be certified, so there is nothing to publish",
            detail=f"All {failed} groups of newcomers fail, nothing mends one, and none is kept.",
            hint="Require less strictly, or use coarser quasi-identifiers.",
        )
    # Where numbers are published, they must not tell who came when.
    groups = groups.select(job.chance.order(len(groups)))
    progress = job.progress.step("measuring")
    # What was kept may be too large for exact inference.
    estimator = "auto" if job.options.estimator == "exact" else job.options.estimator
    measurements = [
        item.measure(job.threat, groups, estimator, progress) for item in job.requirements
    ]
    return Result(
        Release(job.threat.parts, groups, method.form),
        findings(job.threat, groups, job.requirements, measurements),
    )


def grouped(
    method: GroupMethod[OfGroups],
    labels: IntArray,
    coming: BoolArray,
    job: Job[OfGroups],
) -> tuple[IntArray, int]:
    """Have a method group those who have no group yet.

    Args:
        labels: Shape (n,). The group of each: dense integers from 0, or `SUPPRESSED`.
        coming: Shape (n,). People to be grouped.
        job: See `make_grown`.

    Returns:
        labels: Shape (n,). The same, and groups of those who came, but for who waits. Groups may be
            alike to a reader.
    """
    parts, kept = job.threat.parts, int(labels.max(initial=SUPPRESSED)) + 1
    who = _bearable(job.threat, np.flatnonzero(coming), job.requirements)
    if not who.size:
        return labels, 0
    made, certificate = method.certified(replace(job, threat=job.threat.over(parts.select(who))))
    if made.parts.respondent is None:
        raise ValueError("the parts do not tell respondents apart")
    shown = made.labels != SUPPRESSED
    labels = labels.copy()
    labels[made.parts.respondent[shown]] = made.labels[shown] + kept
    return labels, certificate.failed


def _bearable(
    threat: ThreatModel, coming: IntArray, requirements: Sequence[Requirement]
) -> IntArray:
    """Newcomers about whom one group of all would not tell too much, by omega.

    All of them, if it would tell too much about everybody.
    """
    alone, _ = alone_and_joint(requirements)
    some = coming
    while some.size:
        apart = threat.over(threat.parts.select(some)).tried()
        whole = Groups.whole(some.size)
        told = np.zeros(some.size, dtype=bool)
        for item in alone:
            if item.coarse:
                measured = item.measure(apart, whole, "omega")
                for bound, figures in zip(item.bounds, measured.figures, strict=True):
                    told |= bound.broken(figures)
        if not told.any():
            return some
        some = some[~told]
    return coming


def _waiting(
    method: GroupMethod[OfGroups],
    threat: ThreatModel,
    coming: BoolArray,
    labels: IntArray,
    requirements: Sequence[Requirement],
    options: OfGroups,
) -> Groups:
    """Kept groups and those of newcomers, but for newcomers whom kept groups prevent.

    `labels` are the group of each.
    """
    alone, joint = alone_and_joint(requirements)
    judge = Evaluator(threat.tried(), alone, options.estimator, beyond=options.beyond == "estimate")
    groups = method.form.pool(threat.parts, Groups.from_labels(labels))
    of_members = labels[groups.members]
    unfit = groups.min(of_members) != groups.max(of_members)
    unfit[unfit] = ~judge.met(judge.measured_somehow(groups.select(unfit)))
    # Newcomers beside a kept group are one by themselves to a reader of the last release.
    mixed = np.flatnonzero(_mixed(groups, coming))
    beside = _without(groups.select(mixed), ~coming[groups.select(mixed).members])
    unfit[mixed] |= ~judge.met(judge.measured_somehow(beside))
    groups = _without(groups, unfit[groups.owner] & coming[groups.members])
    # Newcomers hold among themselves. Where kept groups bring them to break a bound, all go at once
    # who do.
    while joint and len(groups):
        unfit = np.zeros(len(labels), dtype=bool)
        for some in (groups, _apart(groups, coming)):
            for item in joint:
                measured = item.measure(judge.threat, some, options.estimator)
                for bound, figures in zip(item.bounds, measured.figures, strict=True):
                    broken = some.max(bound.broken(figures))
                    unfit[some.members] |= broken[some.owner]
        leave = unfit[groups.members] & coming[groups.members]
        if not leave.any():
            break
        groups = _without(groups, leave)
    return groups


def _mixed(groups: Groups, coming: BoolArray) -> BoolArray:
    """Mark groups that have newcomers and others."""
    mixed: BoolArray = groups.max(coming[groups.members]) & ~groups.min(coming[groups.members])
    return mixed


def _apart(groups: Groups, coming: BoolArray) -> Groups:
    """Groups as a reader of the last release sees them: newcomers apart from people it showed."""
    mixed = groups.select(np.flatnonzero(_mixed(groups, coming)))
    others = _without(groups, coming[groups.members] & _mixed(groups, coming)[groups.owner])
    return Groups.joined([others, _without(mixed, ~coming[mixed.members])])


def _without(groups: Groups, leave: BoolArray) -> Groups:
    """Groups without some of their memberships, and without groups that are empty then."""
    _, offsets = np.unique(groups.owner[~leave], return_index=True)
    return Groups(groups.members[~leave], np.append(offsets, int((~leave).sum())))
