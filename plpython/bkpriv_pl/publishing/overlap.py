"""Overlap: other releases of the records that are published, and of other periods.

Earlier releases of a dataset whose respondents are known can be judged together with a new one.
Withdrawn ones are among them: who saw one remembers it. Those that cannot, and those of other
datasets of the same source, are pointed out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bkpriv_core.audit import Finding, joint_findings
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries, jointly
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.partition.composition import Mended
from bkpriv_core.release.release import Form, Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.sequence.history import SequenceRelease
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.verdict import Matter
from bkpriv_pl.past import history
from bkpriv_pl.past.chain import Chain, read_chain, tell_apart
from bkpriv_pl.past.course import find_course, find_steps
from bkpriv_pl.past.history import RecordedRelease
from bkpriv_pl.past.selection import (
    LeftOut,
    Reason,
    ReleaseFilter,
    ReleaseRecord,
    find_candidate,
    find_left_out,
    list_left_out,
    select_records,
)
from bkpriv_pl.past.source_lineage import find_bases
from bkpriv_pl.publishing.notice import LISTED, latest_of, releases_of
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.dataset import Dataset
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = [
    "CompositionContext",
    "Overlapping",
    "find_earlier",
    "find_overlap",
    "recall_earlier",
    "warn_of_later",
]

_DEAR = 0.02
"""Share of a release's records left out from which growing is advised."""


@dataclass(frozen=True)
class Overlapping:
    """Warning or refusal because of other releases of the same records, if there are any."""

    told: UnattainableRequirement | None = None
    """Words for the caller, who may see some."""
    kept: UnattainableRequirement | None = None
    """Words that are kept with the release, for the dataset's owner may not see all that the caller
    sees.
    """
    others: int = 0
    """Releases that these are about, of those that the owner may see."""

    @property
    def matters(self) -> list[Matter]:
        """Matters to be judged about them."""
        if not self.others:
            return []
        several = self.others > 1
        return [
            Matter(
                "releases",
                f"{self.others}{' or more' * (self.others > LISTED)} other "
                f"release{'s' * several} of the same records "
                f"{'were' if several else 'was'} not certified with this one",
                self.others,
                None,
                "Give them to different readers; or state overlap = certify in the policy.",
            )
        ]

    def tell(self) -> None:
        """Warn of them."""
        if self.told is not None:
            with notices.apart():
                notices.warning(self.told.message, detail=self.told.detail, hint=self.told.hint)
        if self.kept is not None:
            kept = self.kept
            notices.keep_warning(kept.message, detail=kept.detail, hint=kept.hint)


@dataclass(frozen=True, eq=False)
class CompositionContext:
    """Earlier releases that a new one is judged together with; none by default."""

    earlier: PriorReleases | None = None
    """Constraints of the earlier releases; None if they are of other people, or there are none."""
    judged: tuple[int, ...] = ()
    """Ids of the earlier releases, also of those of other people."""
    left_out: Mapping[int, LeftOut] = field(default_factory=dict)
    """Reason why another release of the dataset is not judged, by its id."""
    requirements: tuple[Requirement, ...] = ()
    unmeasured: tuple[str, ...] = ()
    """Names of requirements that are not measured, or not in full."""
    mended: Mended | None = None
    """Outcome of mending the groups of the new release."""
    overlap: Overlapping = Overlapping()
    """Warning of those that it is not judged together with."""

    def findings(self, release: int) -> list[Finding]:
        """Findings: how a release keeps each bound together with them, by its mended groups."""
        if self.mended is None:
            return []
        ids = [*self.judged, release]
        return joint_findings(self.mended.joint, self.requirements, ids)

    def tell(
        self, release: int, published: Release, rows: Sequence[Finding], *, grown: bool
    ) -> None:
        """Say what it took to certify a release together with them, and what all tell.

        Args:
            rows: See `findings`.
            grown: Whether it keeps groups by the option grow, of which `BaseRelease.tell` tells.
        """
        mended = self.mended
        if mended is None:
            return
        told = releases_of(self.judged)
        if mended.failed or not grown:
            _tell_certified(release, told, mended, published)
        if mended.exposed:
            notices.notice(
                f"{mended.exposed} people are exposed by what was published before release "
                f"{release}",
                detail=f"What {told} told cannot be taken back. Together with release {release} "
                "it tells no more of them.",
                hint="bkpriv.explain_together names them.",
            )
        if self.earlier is not None and self.earlier.changed:
            notices.notice(
                f"{self.earlier.changed} respondents of release {release} had another sensitive "
                "value when they were published before",
                detail="They are judged as new people: what was told of them then is not held to "
                "be about now.",
                hint="Values that change are a sequence of periods; see bkpriv.sequential_audit.",
            )
        if self.unmeasured:
            notices.notice(
                f"not measured of {told} and {release} together, or not in full: "
                f"{', '.join(self.unmeasured)}",
                detail="Each release keeps that by itself.",
            )
        estimated = sorted({row.estimator for row in rows if may_understate(row.estimator)})
        if estimated:
            notices.notice(
                f"release {release} is certified together with {told} by estimate in part: "
                f"{'; '.join(estimated)}",
                detail="An estimate may understate what an adversary learns. Values that are "
                "certain or impossible are found by bounds, which hold.",
                hint='The option {"beyond": "suppress"} leaves out what only an estimate can '
                "certify.",
            )


def _tell_certified(release: int, told: str, mended: Mended, published: Release) -> None:
    """Say what it took to certify a release together with earlier ones, as `told` names them."""
    left_out = published.table.records - published.published
    dear = mended.failed and left_out > _DEAR * published.table.records
    # What grows has one value of each person.
    dear = dear and not isinstance(published.table.sensitive, Combination)
    said = {
        "detail": f"As it was begun, {mended.failed} people would have been exposed to a reader "
        "of all of them."
        if mended.failed
        else "It exposes nobody to a reader of all of them.",
    }
    if dear:
        said["hint"] = (
            'The option {"grow": true} shows people who left as they were published, which '
            "exposes nobody."
        )
    notices.notice(
        f"release {release} is certified together with {told}: {mended.known} groups are "
        f"shown as they were, {mended.united} were united with others, and {left_out} "
        "records are left out",
        **said,
    )


def find_earlier(
    dataset: Dataset,
    period: Period | None,
    threat: ThreatModel,
    respondents: Respondents,
    requirements: Sequence[Requirement],
    library: PriorTables,
) -> CompositionContext:
    """Read the earlier releases that a new one can be judged together with."""
    like = ReleaseFilter.of(dataset, period)
    steps, now = find_course(dataset.name, dataset.owner, like.period)
    same = [step for step in steps if step.when == now or step.period == like.period.text is None]
    chain = read_chain(like, same, library)
    judged = tuple(step.release for step in chain.history.steps)
    earlier = _tell_apart(chain, 0, now, threat, respondents=respondents, requirements=requirements)
    population = None if earlier is None else earlier.population
    measured, unmeasured = jointly(requirements, population)
    return CompositionContext(
        earlier,
        judged,
        chain.left_out,
        tuple(measured),
        unmeasured=tuple(unmeasured),
    )


def recall_earlier(
    recorded: RecordedRelease, requirements: Sequence[Requirement]
) -> tuple[RecordedRelease, PriorReleases] | None:
    """Read what a past release was certified together with, if it was.

    Returns:
        The release, whose parts tell respondents apart, and what was published before; None if it
        was certified by itself, or its respondents are not recorded.
    """
    if recorded.form.randomized:
        return None
    this = find_candidate(recorded.release)
    steps = find_steps(this.dataset, this.owner)
    # What is recorded is not trusted: only earlier releases of the dataset are looked for in it.
    rows = run(
        "SELECT o AS release FROM unnest($2) AS o WHERE EXISTS (SELECT "
        "FROM bkpriv.audit_record AS a "
        "WHERE a.release = $1 AND a.parameters -> 'together' @> to_jsonb(o))",
        ["bigint", "bigint[]"],
        [this.release, [step.release for step in steps if step.release < this.release]],
    )
    if not rows:
        return None
    ids = {row["release"] for row in rows}
    # It may be told apart already, which cannot be done twice.
    told, respondents = tell_apart(history.find_release(recorded.release))
    told = replace(told, library=recorded.beyond)
    (now,) = (step.when for step in steps if step.release == this.release)
    like = ReleaseFilter.of_release(this, recorded.table.sensitive.name)
    same = [step for step in steps if step.release in ids]
    chain = read_chain(like, same, recorded.beyond)
    earlier = _tell_apart(
        chain, this.release, now, told.threat, respondents=respondents, requirements=requirements
    )
    return None if earlier is None else (told, earlier)


def _tell_apart(
    chain: Chain,
    release: int,
    now: int,
    threat: ThreatModel,
    respondents: Respondents,
    requirements: Sequence[Requirement],
) -> PriorReleases | None:
    """Constraints of a chain's releases on the people of a table; None if it is of others only.

    The table is to be a release, or is one, of the place `now` in time.
    """
    people = chain.number(respondents.names)
    known = [step.persons[step.groups.members] for step in chain.history.steps]
    if not np.isin(people, np.concatenate([*known, np.zeros(0, dtype=np.int64)])).any():
        return None
    parts = respondents.apart(threat.table)

    def look(place: int) -> tuple[ThreatModel, IntArray]:
        mine = parts if place == len(chain.history) else chain.recorded(place).parts
        everybody = np.arange(len(mine))
        if mine is parts:
            return threat.over(parts), everybody
        return ThreatModel(mine, library=chain.library, progress=POLLED), everybody

    nowhere = Groups.from_labels(np.full(len(people), SUPPRESSED))
    labels = threat.table.sensitive.called
    present = SequenceRelease(release, labels, people, respondents.values, groups=nowhere, when=now)
    measured, _ = jointly(requirements)
    return PriorReleases.of(chain.history, present, look, adversaries(measured))


def find_overlap(
    dataset: Dataset,
    period: Period | None,
    form: Form,
    beside: CompositionContext | None = None,
    *,
    refused: bool = False,
) -> Overlapping:
    """Word what other releases of the same records mean, if the caller may see any.

    Args:
        beside: Earlier releases that it is judged together with, which are not to be warned of.

    Raises:
        UnattainableRequirement: If it does not, and there are any.
    """
    asked = dataset, period, form, beside, refused
    told = _overlap(*asked)
    if told is None:
        return Overlapping()
    if refused:
        raise told
    # Whoever publishes for the owner may see more.
    kept = told if dataset.own else _overlap(*asked, of_owner=True)
    if kept is None:
        return Overlapping(told)
    judged = () if beside is None else beside.judged
    others = _find_others(dataset, ReleaseFilter.of(dataset, period), judged, of_owner=True)
    return Overlapping(told, kept, len(others))


def _overlap(
    dataset: Dataset,
    period: Period | None,
    form: Form,
    beside: CompositionContext | None,
    refused: bool,
    *,
    of_owner: bool = False,
) -> UnattainableRequirement | None:
    """See `find_overlap`; `of_owner`: of releases that the dataset's owner may see."""
    like = ReleaseFilter.of(dataset, period)
    found = _find_others(dataset, like, () if beside is None else beside.judged, of_owner=of_owner)
    if not found:
        return None
    # A status takes a search of the catalog, so only those of the releases listed are wanted.
    rows = run(
        "SELECT release, status FROM bkpriv.releases WHERE release = ANY ($1) ORDER BY release",
        ["bigint[]"],
        [[each.release for each in found]],
    )
    listed = latest_of([f"{row['release']} ({row['status']})" for row in rows])
    through = _through(dataset, found)
    of_period = "" if period is None else f" in period {period.text}"
    if beside is not None:
        why = {
            each.release: beside.left_out.get(each.release) or find_left_out(each, like, _ELSE)
            for each in found[-LISTED:]
        }
        left_out = {release: each for release, each in why.items() if each is not None}
        reasons = list_left_out(left_out)
        return UnattainableRequirement(
            f"releases of records of {dataset.source}{of_period} are not judged together with this "
            f"one: {listed}",
            detail=f"{reasons[0].upper()}{reasons[1:]}.{through} What they tell together with "
            "this one is not measured.",
            hint=_OF_SEVERAL
            * any(each.reason is Reason.OTHER_DATASET for each in left_out.values())
            + 'Give them to different readers. A policy may refuse another release ({"overlap": '
            '"refuse"}).',
        )
    return UnattainableRequirement(
        f"records of {dataset.source}{of_period} have been released before: {listed}",
        detail=f"Each release is certified by itself.{through} A reader of several, or of one that "
        "was withdrawn, can compare their "
        + (
            "records, and learns more of all of them. What they disclose together is not measured."
            if form.randomized
            else "groups, and may so learn the value of somebody who is in one only."
        )
        + (
            ""
            if period is None
            else " Another release of a period is a second look at the same values."
        ),
        hint=_instead(refused, dataset, form),
    )


def _find_others(
    dataset: Dataset, like: ReleaseFilter, judged: Collection[int], *, of_owner: bool
) -> list[ReleaseRecord]:
    """The latest other releases of the same records: one more than are listed."""
    bases = find_bases(dataset.source_schema, dataset.source_name)
    others = [
        each
        for each in select_records(dataset.name, dataset.owner, bases, of_owner=of_owner)
        # Other periods are a sequence; what cannot be told from this one is taken for it.
        if like.period.may_be(each.period) and each.release not in judged
    ]
    return others[-LISTED - 1 :]


def _through(dataset: Dataset, found: Sequence[ReleaseRecord]) -> str:
    """Name the relations that are read by the dataset's source, and by others."""
    by_source = {
        each.source: each.shared
        for each in reversed(found)
        if each.shared and each.source != dataset.source
    }
    told = [
        f" Source {source} and {dataset.source} both read {', '.join(shared[:LISTED])}"
        + (", ..." if len(shared) > LISTED else "")
        + "."
        for source, shared in by_source.items()
    ]
    return "".join(told[:LISTED])


_ELSE = (Reason.OTHER_DATASET, Reason.OTHER_PERIOD)
"""Reasons why a release of the same records is not even tried together with another."""

_OF_SEVERAL = (
    "bkpriv.audit_together measures releases of several datasets that name the same people by one "
    "column, and tell the same sensitive columns of them. "
)


def _instead(refused: bool, dataset: Dataset, form: Form) -> str:
    """Advice about other releases where each is certified by itself."""
    if form.randomized:
        return (
            'The policy refuses it ({"overlap": "refuse"}). Publish by a method that forms groups, '
            'or state {"overlap": "warn"} and give the releases to different readers.'
            if refused
            else "Withdraw the earlier release, or publish by a method that forms groups. A policy "
            'may refuse another release ({"overlap": "refuse"}).'
        )
    together = dataset.respondent is not None and not dataset.attributes
    if refused:
        return (
            'The policy refuses it ({"overlap": "refuse"}). State one with '
            + ('{"overlap": "certify"}, to certify them together where that can be done, or with ')
            * together
            + '{"overlap": "warn"}, and give them to different readers.'
        )
    return (
        'Give them to different readers. A policy may refuse another release ({"overlap": '
        '"refuse"}) or, '
        + (
            'where its method can, certify it together with these ({"overlap": "certify"}).'
            if together
            else "by default, warn of it."
        )
    )


def warn_of_later(dataset: Dataset, period: Period | None, release: int) -> None:
    """Warn of releases of later periods, if there are any."""
    if period is None:
        return
    steps = find_steps(dataset.name, dataset.owner)
    (when,) = (step.when for step in steps if step.release == release)
    later = [step for step in steps if step.when > when and step.period is not None]
    if later:
        listed = [f"{step.period} (release {step.release})" for step in later]
        notices.warning(
            f'period {period.text} of dataset "{dataset.name}" is published after later ones: '
            f"{latest_of(listed)}",
            detail="What a reader remembers is taken in the order of periods. So it is assumed "
            "that releases of later periods say nothing about this one, though their readers may "
            "conclude from them to earlier values.",
            hint="Publish periods in their order.",
        )
