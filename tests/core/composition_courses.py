"""People in releases, the last of which is to be certified beside the others; what all tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.method import GROUP_METHODS, Job, parse_options
from bkpriv_core.method.composition import layered
from bkpriv_core.method.growing import stand
from bkpriv_core.partition.composition import Mended, certify_together, known_groups
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Form
from bkpriv_core.requirement import (
    BeliefScope,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    Requirement,
    alone_and_joint,
)
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from tests.core import composition_oracles, oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import as_parts

__all__ = ["REQUIREMENTS", "Course", "Shown", "check", "courses", "figures"]

VALUES = ("flu", "gout", "hiv")

SMOOTHING = 1.0


@dataclass(frozen=True)
class Shown:
    """A release: the persons of its table, in order, and the groups of some of them."""

    persons: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Course:
    """People, each with an age and a value, and what is published of them; last the new one."""

    ages: tuple[int, ...]
    values: tuple[int, ...]
    releases: tuple[Shown, ...]

    def records(self, place: int) -> Records:
        """The table of a release."""
        persons = self.releases[place].persons
        ages = sorted({self.ages[person] for person in persons})
        held = sorted({self.values[person] for person in persons})
        return Records(
            (Attribute("age", tuple(map(str, ages)), numbers={str(age): age for age in ages}),),
            Attribute("disease", tuple(VALUES[value] for value in held)),
            tuple((str(self.ages[person]), VALUES[self.values[person]]) for person in persons),
        )

    def threat(self, place: int) -> ThreatModel:
        """Setting of beliefs about its records, one part each."""
        records = self.records(place)
        return ThreatModel(as_parts(records, range(len(records.rows))))

    def step(self, place: int) -> SequenceRelease:
        """The release as history has it; the last in no groups."""
        place %= len(self.releases)
        shown, records = self.releases[place], self.records(place)
        labels = np.full(len(shown.persons), SUPPRESSED)
        if place < len(self.releases) - 1:
            for number, group in enumerate(shown.groups):
                labels[[shown.persons.index(person) for person in group]] = number
        actual = np.array(records.secrets(records.everything()), dtype=np.int64)
        return SequenceRelease(
            place + 1,
            records.sensitive.values,
            np.array(shown.persons, dtype=np.int64),
            actual,
            Groups.from_labels(labels),
            place,
        )

    def certified(
        self,
        requirements: Sequence[Requirement],
        estimator: Sound = "auto",
        *,
        uniting: bool = True,
        beyond: bool = True,
        known: bool = False,
        grown: bool = False,
    ) -> tuple[Mended, list[frozenset[int]], Evaluator]:
        """Mend groups of the new release, and return persons of each group, too.

        Or begin with known groups, and mend these and what the others leave.
        """
        earlier, judge = self.earlier(requirements), self.judge(requirements, estimator, beyond)
        shown = self.releases[-1]
        begun = known_groups(judge, earlier) if known else Groups.from_lists([])
        taken = set(begun.members.tolist())
        lists = [
            [part for part in map(shown.persons.index, group) if part not in taken]
            for group in shown.groups
        ]
        groups = Groups.joined([begun, Groups.from_lists([np.array(g) for g in lists if g])])
        mended = certify_together(
            judge,
            groups,
            earlier,
            requirements,
            estimator,
            pool=Generalized().pool,
            uniting=uniting,
            grown=grown,
        )
        return mended, self.people(mended.groups), judge

    def made(
        self, requirements: Sequence[Requirement], method: str, seed: int
    ) -> tuple[Mended, list[frozenset[int]], Evaluator]:
        """Make the new release by a method, with the same result."""
        way, chance = GROUP_METHODS[method], SeededChance(seed)
        options = parse_options(way, {"estimator": "exact"})
        threat, earlier = self.threat(len(self.releases) - 1), self.earlier(requirements)
        names = tuple(f"{place:02}" for place in range(len(threat.parts)))
        respondents = Respondents(names, threat.parts.cell, self.step(-1).actual)
        make = layered(way, stand(threat.table, respondents), earlier)
        _, rows, mended = make(Job(threat, requirements, options, chance, SILENT))
        assert mended is not None
        assert all(row.satisfied for row in rows)
        return mended, self.people(mended.groups), self.judge(requirements, "exact", True)

    def earlier(self, requirements: Sequence[Requirement]) -> PriorReleases:
        """Releases published before."""
        last = len(self.releases) - 1
        settings = [self.threat(place) for place in range(last + 1)]

        def look(place: int) -> tuple[ThreatModel, IntArray]:
            return settings[place], np.arange(len(settings[place].parts))

        steps = tuple(self.step(place) for place in range(last))
        return PriorReleases.of(History(steps), self.step(last), look, adversaries(requirements))

    def judge(
        self, requirements: Sequence[Requirement], estimator: Sound = "auto", beyond: bool = True
    ) -> Evaluator:
        """Judge of the groups of the new release."""
        alone, _ = alone_and_joint(requirements)
        threat = self.threat(len(self.releases) - 1).tried()
        return Evaluator(threat, alone, estimator, beyond=beyond)

    def people(self, groups: Groups) -> list[frozenset[int]]:
        """Persons of groups of the new release."""
        persons = self.releases[-1].persons
        return [frozenset(persons[part] for part in group.tolist()) for group in groups]

    def home(self, person: int) -> int:
        """The latest release whose table has a person."""
        return max(place for place, shown in enumerate(self.releases) if person in shown.persons)


def figures(
    course: Course, requirement: Requirement, groups: Sequence[frozenset[int]]
) -> dict[int, float]:
    """Figure of everybody in one of the groups under a requirement, by enumeration."""
    people = sorted({person for place in course.releases for person in place.persons})
    prior = [[float(value == 0) for value in range(len(VALUES))] for _ in course.ages]
    for person in people:
        prior[person] = [0.0] * len(VALUES)
        place = course.home(person)
        records = course.records(place)
        held = [VALUES.index(str(value)) for value in records.sensitive.values]
        row = [1.0 / len(held)] * len(held)
        if isinstance(requirement, BtPrivacy):
            ((bandwidth, _),) = requirement.skyline
            assert isinstance(bandwidth, float)
            all_rows = oracles.rounded(oracles.priors(records, [bandwidth]))
            row = all_rows[course.releases[place].persons.index(person)]
        for value, share in zip(held, row, strict=True):
            prior[person][value] = share
    told = [(sorted(group), Counter(course.values[person] for person in group)) for group in groups]
    posterior = composition_oracles.posteriors(prior, told)
    assert posterior is not None
    possible = composition_oracles.possible(len(prior), len(VALUES), told)
    shown = [members for members, _ in told] if isinstance(requirement, KAnonymity) else []
    sets = composition_oracles.spanned(shown, len(prior)) if shown else []
    found = {}
    for person in sorted({person for group in groups for person in group}):
        before, after = prior[person], posterior[person]
        if isinstance(requirement, MaxDisclosure):
            found[person] = max(after)
        elif isinstance(requirement, LDiversity):
            found[person] = float(sum(share > 1e-12 for share in after))
        elif isinstance(requirement, KAnonymity):
            found[person] = float(
                composition_oracles.fewest_told(sets, course.values, possible[person], person)
            )
        else:
            records = course.records(course.home(person))
            held = [VALUES.index(str(value)) for value in records.sensitive.values]
            assert isinstance(requirement, BtPrivacy)
            (regard,) = requirement.regarding
            found[person] = oracles.belief_distance(
                records.sensitive,
                [before[value] for value in held],
                [after[value] for value in held],
                regard.smoothing,
            )
    return found


@st.composite
def courses(draw: st.DrawFn) -> Course:
    """Up to seven people in two or three releases, in any groups; the last is to be mended."""
    count = draw(st.integers(3, 7))
    people = range(count)
    ages = tuple(draw(st.lists(st.integers(20, 26), min_size=count, max_size=count)))
    values = tuple(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        persons = draw(st.permutations([p for p in people if draw(st.integers(0, 5))] or [0]))
        labels = [draw(st.integers(-1, 2)) for _ in persons]
        groups = [
            tuple(person for person, label in zip(persons, labels, strict=True) if label == wanted)
            for wanted in range(3)
        ]
        releases.append(Shown(tuple(persons), tuple(group for group in groups if group)))
    return Course(ages, values, tuple(releases))


REQUIREMENTS: list[Requirement] = [
    MaxDisclosure(0.6),
    MaxDisclosure(0.75),
    LDiversity(2),
    BtPrivacy(((0.4, 0.15),), (BeliefScope(smoothing=SMOOTHING),)),
    BtPrivacy(((0.4, 0.3),)),
]


def check(
    course: Course,
    requirements: Sequence[Requirement],
    mended: Mended,
    groups: Sequence[frozenset[int]],
    judge: Evaluator,
    form: Form | None = None,
) -> None:
    """Check that nobody is newly exposed, and that every group holds by itself."""
    earlier = [frozenset(group) for shown in course.releases[:-1] for group in shown.groups]
    exposed: set[int] = set()
    for requirement in requirements:
        (bound,) = requirement.bounds
        then = figures(course, requirement, earlier) if earlier else {}
        now = figures(course, requirement, [*earlier, *groups]) if earlier or groups else {}
        for person, figure in now.items():
            if bound.broken(np.array([figure])).any():
                assert person in then, "nothing was told of the person"
                worse = figure - then[person] if bound.upper else then[person] - figure
                assert worse <= 1e-5
        exposed |= {p for p, figure in then.items() if bound.broken(np.array([figure])).any()}
    assert mended.exposed == len(exposed)
    # And every group holds by itself, as one that readers tell from the others.
    state = judge.measured_somehow(mended.groups)
    assert judge.met(state).all()
    form = form or Generalized()
    assert len(form.pool(judge.threat.parts, mended.groups)) == len(mended.groups)
