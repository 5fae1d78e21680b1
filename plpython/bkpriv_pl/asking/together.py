"""Releases judged together: what several tell whoever holds all of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from bkpriv_core.audit import Finding, joint_findings
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries, jointly
from bkpriv_core.composition.constraint import Constraints, told_apart
from bkpriv_core.composition.exposure import Exposure, exposures
from bkpriv_core.composition.measurement import Joint, Population
from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter
from bkpriv_core.policy import Policy, parse_policy
from bkpriv_core.query.bound import QueryError
from bkpriv_core.requirement import Requirement
from bkpriv_core.schema import ErrorText, read
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import IntArray
from bkpriv_pl.asking.audit import as_row
from bkpriv_pl.asking.readers import find_readers, read_readers
from bkpriv_pl.past.chain import Chain, read_chain
from bkpriv_pl.past.course import PlacedRelease
from bkpriv_pl.past.history import PURGED, refuse_purged
from bkpriv_pl.past.lookup import check_listed, look_up
from bkpriv_pl.past.payload import note_attributes
from bkpriv_pl.past.recorded import read_columns
from bkpriv_pl.past.selection import (
    LeftOut,
    Reason,
    ReleaseFilter,
    ReleaseRecord,
    find_left_out,
    select_beside,
    select_listed,
)
from bkpriv_pl.past.source_lineage import find_bases
from bkpriv_pl.past.terms import find_requirements
from bkpriv_pl.publishing.notice import latest_of
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, from_json
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.dataset import Dataset, find_dataset
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = ["audit_readers", "audit_together", "explain_together"]

_SHOWN = 8
"""Limit of the releases or sources that a message lists."""


@entry(Access.RELEASES)
def audit_together(
    releases: list[int | None] | None, requirements: str | None, estimator: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit_together``."""
    task = Task("bkpriv audit_together")
    inquiry = _inquire(releases, "audit_together", requirements, estimator, task=task)
    rows = inquiry.findings(task)
    task.done()
    return iter([as_row(row) for row in rows])


@entry(Access.RELEASES)
def explain_together(
    releases: list[int | None] | None, requirements: str | None, estimator: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_together``."""
    task = Task("bkpriv explain_together")
    inquiry = _inquire(releases, "explain_together", requirements, estimator, task=task)
    rows = inquiry.exposed(task)
    task.done()
    return iter(rows)


@entry(Access.RELEASES)
def audit_readers(
    dataset: str | None, readers: str | None, requirements: str | None, estimator: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit_readers``."""
    declared = find_dataset(dataset)
    if declared.respondent is None:
        raise Refusal(
            "42703",
            f'dataset "{declared.name}" has no respondent column',
            detail="Nobody could tell which people its releases have in common.",
            hint="Register it with the column that names the respondents.",
        )
    named = _sound(estimator)
    if readers is None:
        held = find_readers(declared)
    else:
        held = read_readers(declared, from_json(readers, "readers"))
    seen = sorted(set().union(*held.values()))
    _tell_elsewhere(declared)
    listed = {each.release: each for each in select_listed(seen)}
    note_attributes(seen)
    task = Task("bkpriv audit_readers")
    library = _library(listed.values(), requirements)
    chain = read_chain(ReleaseFilter.of(declared), _at_once(listed.values()), library)
    chain.warn()
    rows: list[tuple[Any, ...]] = []
    told: set[str] = set()
    for reader, releases in held.items():
        for some in _by_period(releases, listed):
            places = _places(chain, some)
            if not places:
                continue
            demanded, untold = _demanded(places, chain, requirements)
            told |= set(untold)
            inquiry = _Inquiry.of(chain, places, demanded, named)
            findings = inquiry.findings(task)
            rows += [(reader, inquiry.releases, *as_row(row)) for row in findings]
    if not rows:
        raise Refusal(
            "55000",
            f'no release of dataset "{declared.name}" that a reader holds can be judged',
            detail="All are left out.",
            hint="Publish again, and judge what readers hold then.",
        )
    _tell_unmeasured(sorted(told))
    task.done()
    return iter(rows)


def _at_once(listed: Iterable[ReleaseRecord]) -> list[PlacedRelease]:
    """Releases of which none comes after another."""
    return [PlacedRelease(each, 0) for each in listed]


def _by_period(releases: Collection[int], listed: Mapping[int, ReleaseRecord]) -> list[set[int]]:
    """Releases of each period, in the order of the first of each."""
    periods: dict[tuple[str | None, str | None], set[int]] = {}
    for release in sorted(releases):
        period = listed[release].period
        periods.setdefault((period.text, period.type), set()).add(release)
    return list(periods.values())


def _tell_elsewhere(declared: Dataset) -> None:
    """Warn of releases of other datasets that show the same records, which readers may hold."""
    bases = find_bases(declared.source_schema, declared.source_name)
    elsewhere = select_beside(declared.name, declared.owner, bases)
    if elsewhere:
        relations = sorted({name for each in elsewhere for name in each.shared})
        more = ", ..." * (len(relations) > _SHOWN)
        notices.warning(
            "releases of other datasets may show the same records: "
            f"{latest_of([each.release for each in elsewhere])}",
            detail=f"Their sources read {', '.join(relations[:_SHOWN])}{more}, as "
            f"{declared.source} does. What readers learn who hold these as well is not measured "
            "here.",
            hint="bkpriv.audit_together measures any releases that you list.",
        )


@dataclass(frozen=True, eq=False)
class _Inquiry:
    """A question of what some releases tell together."""

    chain: Chain
    places: tuple[int, ...]
    """Places of the releases that are asked about, in the order of publication."""
    history: History
    """History of these releases, people whose values changed told apart."""
    origin: IntArray
    """Shape (n,). Number in the chain of each person of the history."""
    requirements: Sequence[Requirement]
    estimator: Sound

    @classmethod
    def of(
        cls,
        chain: Chain,
        places: Sequence[int],
        requirements: Sequence[Requirement],
        estimator: Sound,
    ) -> _Inquiry:
        """Ask about some releases of a chain."""
        steps = tuple(chain.history.steps[place] for place in places)
        history, origin = told_apart(History(steps))
        return cls(
            chain, tuple(places), history, origin, requirements=requirements, estimator=estimator
        )

    @property
    def releases(self) -> list[int]:
        """Ids of the releases."""
        return [step.release for step in self.history.steps]

    def _look(self, place: int) -> tuple[ThreatModel, IntArray]:
        recorded = self.chain.recorded(self.places[place])
        threat = ThreatModel(recorded.parts, library=self.chain.library, progress=POLLED)
        return threat, np.arange(len(recorded.parts))

    def _told(self, task: Task) -> tuple[Joint, list[Requirement]]:
        """Infer what they tell, and find what is measured of it.

        Raises:
            ContradictoryKnowledge: If an adversary holds it to be impossible.
        """
        reading = task.step("computing priors")
        reading.poll()
        known = adversaries(self.requirements)
        population = Population.of(self.history, self._look, known)
        constraints = Constraints.of(self.history)
        inferring = task.step("inferring beliefs")
        joint = Joint.of(population, constraints, self.estimator, refuse=False, progress=inferring)
        for knowledge in known:
            contradicted = joint.persons[joint.contradicted(knowledge)]
            if len(contradicted):
                raise ContradictoryKnowledge(
                    "the prior contradicts what the releases say together",
                    detail="It gives probability 0 to whatever respondent "
                    f"{self.names[int(contradicted[0])]}, and those in the same groups, "
                    f"can have. That is so of {len(contradicted)} respondents.",
                    hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
                )
        measured, _ = jointly(self.requirements, population)
        return joint, measured

    @property
    def names(self) -> list[str]:
        """The respondent that each number stands for."""
        names = list(self.chain.names)
        return [names[number] for number in self.origin.tolist()]

    def findings(self, task: Task) -> list[Finding]:
        """Hold them against the requirements; each bound once."""
        found = joint_findings(*self._told(task), self.releases)
        return list({_key(each.requirement, each.parameters): each for each in found}.values())

    def exposed(self, task: Task) -> list[tuple[Any, ...]]:
        """Find who is over a bound, and by which releases; each bound once."""
        joint, measured = self._told(task)
        found = exposures(
            joint,
            Constraints.of_each(self.history),
            measured,
            self.estimator,
            progress=task.step("leaving out releases"),
        )
        names = self.names
        distinct = {_key(each.bound.requirement, each.bound.parameters): each for each in found}
        return [
            row
            for exposure in distinct.values()
            for row in self._rows(exposure, names, joint.population)
        ]

    def _rows(
        self, exposure: Exposure, names: Sequence[str], population: Population
    ) -> Iterator[tuple[Any, ...]]:
        bound, blame = exposure.bound, exposure.blame
        parameters = json.dumps(dict(bound.parameters))
        ids = np.array(self.releases)
        for place, person in enumerate(exposure.persons.tolist()):
            shift: tuple[Any, ...] = (None,) * 3
            if blame is not None:
                home, _ = population.home_of(person)
                at_fault = blame[place]
                value = at_fault.label(home.threat.table.sensitive)
                shift = value, at_fault.before, at_fault.after
            releases = ids[exposure.by[place]].tolist()
            figure = float(exposure.figures[place])
            yield bound.requirement, parameters, names[person], *shift, figure, releases


def _key(requirement: str, parameters: Any) -> tuple[str, str]:
    return requirement, json.dumps(dict(parameters), sort_keys=True)


def _sound(estimator: str | None) -> Sound:
    stated = Annotated[Sound, ErrorText("It decides how posterior beliefs are inferred.")]
    sound: Sound = read(stated, estimator, "estimator")
    return sound


def _inquire(
    releases: list[int | None] | None,
    function: str,
    requirements: str | None,
    estimator: str | None,
    task: Task,
) -> _Inquiry:
    """Check what is asked, and read the releases."""
    named = _sound(estimator)
    listed = select_listed(check_listed(releases, "judge together", function))
    note_attributes([each.release for each in listed])
    task.step("reading releases").poll()
    chain = read_chain(_check(listed), _at_once(listed), _library(listed, requirements))
    places = range(len(listed))
    demanded, untold = _demanded(places, chain, requirements)
    _tell_unmeasured(untold)
    inquiry = _Inquiry.of(chain, places, demanded, named)
    if changed := len(inquiry.origin) - len(chain.names):
        notices.notice(
            f"respondents are shown with values that changed, {changed} times",
            detail="From then on each is taken for another person.",
            hint="What is told by how values follow each other, bkpriv.sequential_audit measures.",
        )
    return inquiry


def _library(listed: Iterable[ReleaseRecord], requirements: str | None) -> PriorTables:
    """Prior tables of requirements that the caller states, or that the releases were made by."""
    return PriorTables({each.owner for each in listed} if requirements is None else ())


def _check(listed: Sequence[ReleaseRecord]) -> ReleaseFilter:
    """Refuse releases that cannot be judged together; return what they have in common."""
    first, latest = listed[0], listed[-1]
    for other in listed[1:]:
        if (other.period.text, other.period.type) != (first.period.text, first.period.type):
            raise InvalidParameter(
                f"releases {first.release} and {other.release} are of different periods",
                detail=f"They are of {first.period} and {other.period}; values may have "
                "changed in between.",
                hint="What a sequence of releases tells, bkpriv.sequential_audit measures.",
            )
    for each in listed:
        refuse_purged(each.release, look_up(each.release, f"{PURGED} AS purged")["purged"])
    sensitive = next((each.sensitive for each in reversed(listed) if each.sensitive), "")
    like = ReleaseFilter(latest.dataset, latest.owner, sensitive)
    for each in listed:
        left_out = find_left_out(each, like)
        if left_out is not None:
            raise _refusal(each, left_out)
    _check_columns(listed)
    sources = sorted({each.source for each in listed})
    if len(sources) > 1:
        notices.notice(
            f"the releases were made from {len(sources)} sources",
            detail=f"They are {', '.join(sources[:_SHOWN])}{', ...' * (len(sources) > _SHOWN)}. "
            "Respondents with equal keys are taken to be the same people.",
            hint="If they are not, judge the releases of each source by themselves.",
        )
    return like


def _refusal(each: ReleaseRecord, left_out: LeftOut) -> Refusal:
    """Error for a release that cannot be judged together with others."""
    if left_out.reason is Reason.ANONYMOUS:
        return Refusal(
            "42703",
            f"release {each.release} {left_out}, so that nothing can be said of it together with "
            "others",
            detail=f'Dataset "{each.dataset}" had no respondent column when it was made.',
            hint="Register the dataset with the column that names the respondents, and publish "
            "again.",
        )
    return Refusal(
        "55000",
        f"release {each.release} {left_out}, so that it cannot be judged together with others",
        detail="What it adds to what the others tell is not measured.",
        hint="Leave it out, and mind that readers who saw it learn more.",
    )


def _check_columns(listed: Sequence[ReleaseRecord]) -> None:
    """Refuse releases of one source that name respondents by different columns."""
    latest = {each.source: each for each in listed}
    for each in listed:
        other = latest[each.source]
        if each.respondent != other.respondent:
            raise Refusal(
                "55000",
                f'release {each.release} names respondents by column "{each.respondent}", '
                f'and release {other.release} by column "{other.respondent}"',
                detail=f"Both were made from {each.source}. Equal keys would be taken for the same "
                "people, and others for different ones.",
                hint="Judge those of each column by themselves, and mind that readers of both "
                "learn more.",
            )


def _places(chain: Chain, releases: Collection[int]) -> list[int]:
    """Places in a chain of those of some releases that were read."""
    return [place for place, step in enumerate(chain.history.steps) if step.release in releases]


def _demanded(
    places: Sequence[int], chain: Chain, requirements: str | None
) -> tuple[list[Requirement], list[str]]:
    """Requirements on some releases together, and names of those that cannot be measured."""
    policies: list[Policy]
    if requirements is None:
        ids = [chain.history.steps[place].release for place in places]
        policies = [find_requirements(release) for release in ids]
    else:
        stated = parse_policy(from_json(requirements, "requirements"), complete=False)
        latest = chain.history.steps[places[-1]].release
        policies = [stated.about(*read_columns(latest), chain.like.dataset)]
    demanded: list[Requirement] = []
    for policy in policies:
        demanded += [item for item in policy.requirements if item not in demanded]
    measured, untold = jointly(demanded)
    if any(policy.query_error is not None for policy in policies):
        untold.append(QueryError.key)
    untold = list(dict.fromkeys(untold))
    if not measured:
        raise InvalidParameter(
            f"{' and '.join(untold)} cannot be measured of several releases",
            detail="Nothing is left that they could be held against.",
            hint='Require for example {"max_disclosure": {"tau": 0.5}}.',
        )
    return measured, untold


def _tell_unmeasured(keys: Sequence[str]) -> None:
    if keys:
        notices.notice(
            f"{' and '.join(keys)} cannot be measured in full of several releases",
            detail="It is about the groups of one release, or about what is remembered of others.",
            hint="See bkpriv.audit for each release by itself.",
        )
