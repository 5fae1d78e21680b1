"""Composition: each cell of methods, layers and requirements publishes or says why not.

A cell is published in the core, of 60 records: once, and again with ten people more where its
layers need an earlier release. What is published is measured anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from bkpriv_core.belief.knowledge_source import KnowledgeSource
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.compatibility import RULES, Plan, Space, check, obstacles, overlap_of
from bkpriv_core.composition.companion import adversaries
from bkpriv_core.composition.earlier import PriorReleases
from bkpriv_core.errors import BkprivError, Unsupported
from bkpriv_core.method import METHODS, GroupOptions, Job, parse_options
from bkpriv_core.method.composition import layered
from bkpriv_core.method.growing import grow, stand
from bkpriv_core.policy import Overlap, complete, parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, Groups, IntArray
from bkpriv_core.table.persons import Persons
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from tests.conftest import EXTENDED

PEOPLE = 60
GROWN = {"grow": True, "departed": "withdraw"}
TOLD = ("value", "columns", "records", "both")
OPTIONS: dict[str, dict[str, Any]] = {
    "incognito": {"suppression": 0.9},
    "randomize": {"scheme": "rr-both"},
}
POLICIES: dict[str, dict[str, Any]] = {
    "k": {"k_anonymity": {"k": 3}},
    "disclosure": {"max_disclosure": {"tau": 0.9}},
    "beliefs": {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.6}]},
    "memory": {"bt_privacy": [{"bandwidth": {"sequence": "past"}, "t": 0.6}]},
    "signatures": {"m_invariance": {"m": 2}},
}
NEEDED: dict[str, dict[str, Any]] = {
    "anatomy": {"l_diversity": {"l": 2}},
    "microaggregate": {"k_anonymity": {"k": 3}},
    "k_anonymity_primacy": {"k_anonymity": {"k": 2}, "beta_likeness": {"beta": 3}},
    "beta_likeness_primacy": {"k_anonymity": {"k": 2}, "beta_likeness": {"beta": 3}},
}
"""Requirements that methods form groups by."""


@dataclass(frozen=True)
class Cell:
    """A way to publish."""

    method: str
    told: str
    """Knowledge that the table has of a person: a value, one of two columns, several, or both."""
    grown: bool
    beside: bool
    unfit: str
    """Treatment of groups that nothing mends."""
    policy: str
    """Key of `POLICIES`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return ("illness", "drug") if self.told in ("columns", "both") else ("illness",)

    @property
    def several(self) -> bool:
        """Whether persons have several records."""
        return self.told in ("records", "both")

    def plan(self, **space: Any) -> Plan:
        """Publication that is asked for."""
        method = METHODS[self.method]
        stated: dict[str, Any] = {**OPTIONS.get(self.method, {})}
        stated |= GROWN if self.grown else {}
        stated |= {"unfit": self.unfit} if self.unfit != "suppress" else {}
        stated |= {"max_records_per_person": "all"} if self.several else {}
        options = parse_options(method, stated)
        policy = {**NEEDED.get(self.method, {}), **POLICIES[self.policy]}
        if "pair_divergence" not in policy and "primacy" in self.method:
            joint = {"joint": True} if self.several else {}
            policy["pair_divergence"] = {"theta": 0.9, "bandwidth": 0.5, **joint}
        requirements = parse_policy(complete(policy, lambda _: 0.5)).requirements
        overlap: Overlap = "certify" if self.beside else "warn"
        where = {"dataset": "people", "source": "clinic.person", "respondent": "id", **space}
        of = Space(**{"columns": self.columns, **where})
        return Plan(of, method, options, requirements, overlap)


def cells() -> Iterator[Cell]:
    """All of them."""
    for name, told, grown, beside, policy in itertools.product(
        METHODS, TOLD, (False, True), (False, True), POLICIES
    ):
        if name == "randomize" and grown:  # It has no such option.
            continue
        unfits = ("suppress", "relax", "counterfeit") if name == "js_reduce" else ("suppress",)
        for unfit in unfits:
            yield Cell(name, told, grown, beside, unfit, policy)


CELLS = list(cells())


def source(told: str, people: int) -> tuple[Table, Respondents]:
    """Draw a table: of each person an age and a town, and what is told of them."""
    draw = np.random.default_rng(7)
    ages, towns = draw.integers(20, 40, PEOPLE + 10), draw.integers(0, 3, PEOPLE + 10)
    names, codes, rows = [], [], []
    for person in range(people):
        own = np.random.default_rng(person)
        for _ in range(1 + (person % 3 == 0 and told in ("records", "both"))):
            names.append(f"{person:03}")
            codes.append((ages[person] - 20, towns[person]))
            rows.append(own.integers(0, 4, 2))
    domains = (
        Domain("age", tuple(map(str, range(20, 40))), np.arange(20, 40, dtype=float)),
        Domain("town", ("a", "b", "c")),
    )
    columns = (Domain("illness", tuple("abcd")), Domain("drug", tuple("wxyz")))
    width = 2 if told in ("columns", "both") else 1
    persons = Persons.of_records(
        "id", names, np.array(codes), columns[:width], np.array(rows)[:, :width]
    )
    each = np.column_stack((persons.codes, persons.values))
    ones = np.ones(len(persons.names), dtype=np.int64)
    table, places = Table.from_rows(domains, persons.sensitive, each, ones)
    return table, Respondents(persons.names, places, persons.values)


class Remembering(KnowledgeSource):
    """Knows what adversaries remember of everybody: nothing but the table."""

    def __init__(self, table: Table, people: int) -> None:
        self._told, self._people = table, people

    memory = "exact"

    def outside(self, table: Table, name: str) -> Any:
        """See `KnowledgeSource`."""
        raise AssertionError("no policy here has a table from outside")

    def revised(self, table: Table, knowledge: Any, snapshot: Any) -> Any:
        """See `KnowledgeSource`."""
        return snapshot

    def signatures(self, table: Table) -> Any:
        """See `KnowledgeSource`."""
        return np.zeros((self._people, table.sensitive.size + 1), dtype=np.int64)


def published(cell: Cell) -> tuple[Release, ThreatModel, list[Requirement], Any]:
    """Publish a cell; with earlier releases of fewer people, where its layers ask for some."""
    plan = cell.plan()
    check(plan)
    requirements = [
        one for item in plan.requirements for one in item.about(plan.space.columns, plan.combined)
    ]
    table, respondents = source(cell.told, PEOPLE)
    growth = stand(table, respondents)
    earlier: PriorReleases | None = None
    if cell.grown or cell.beside:
        first = replace(cell, grown=False, beside=False)
        release, before, *_ = published_alone(first, requirements)
        table, respondents = source(cell.told, PEOPLE + 10)
        growth = stand(table, respondents)
        if cell.grown:
            growth = grow(release, before, table, respondents)
            table, respondents = growth.table, growth.respondents
        if cell.beside:
            earlier = beside(release, before, table, respondents, requirements)
    threat = setting_of(table, respondents)
    made = layered(plan.method, growth, earlier)(
        Job(threat, requirements, plan.options, SeededChance(1), SILENT)
    )
    return made.release, threat, requirements, made


def setting_of(table: Table, respondents: Respondents) -> ThreatModel:
    """Setting of a table, respondents told apart."""
    parts = respondents.apart(table)
    return ThreatModel(parts, library=Remembering(table, len(parts)))


def published_alone(
    cell: Cell, requirements: list[Requirement]
) -> tuple[Release, Respondents, Table]:
    """The earlier release, its respondents told apart."""
    plan = cell.plan()
    table, respondents = source(cell.told, PEOPLE)
    made = plan.method.make(
        Job(setting_of(table, respondents), requirements, plan.options, SeededChance(0), SILENT)
    )
    place = respondents.places(made.release.parts, SeededChance(0))
    labels = made.release.labels[place]
    parts = respondents.apart(table)
    return Release(parts, Groups.from_labels(labels), made.release.form), respondents, table


def beside(
    release: Release,
    before: Respondents,
    table: Table,
    respondents: Respondents,
    requirements: list[Requirement],
) -> PriorReleases:
    """Build the earlier release's constraints."""
    number = {name: place for place, name in enumerate(sorted({*before.names, *respondents.names}))}

    def step(place: int, about: Respondents, of: Table, groups: Groups) -> SequenceRelease:
        persons = np.array([number[name] for name in about.names], dtype=np.int64)
        return SequenceRelease(place + 1, of.sensitive.labels, persons, about.values, groups, place)

    nothing = Groups.from_labels(np.full(len(respondents.names), SUPPRESSED))
    settings = [ThreatModel(release.parts), setting_of(table, respondents)]

    def look(place: int) -> tuple[ThreatModel, IntArray]:
        return settings[place], np.arange(len(settings[place].parts))

    history = History((step(0, before, release.table, release.groups),))
    present = step(1, respondents, table, nothing)
    return PriorReleases.of(history, present, look, adversaries(requirements))


def staying(cell: Cell, release: Release) -> BoolArray:
    """Groups of a release that show somebody whom the earlier release had."""
    if not cell.grown:
        return np.zeros(len(release.groups), dtype=bool)
    assert release.parts.respondent is not None
    return release.groups.min(release.parts.respondent[release.groups.members]) < PEOPLE


FREE = [cell for cell in CELLS if not list(obstacles(cell.plan()))]


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_cell_publishes_and_holds_or_says_why_not(name: str) -> None:
    mine = [cell for cell in CELLS if cell.method == name]
    if not EXTENDED:  # Those that compose by a third; every rule by all that it stands against.
        mine = [cell for place, cell in enumerate(mine) if place % 3 == 0 or cell not in FREE]
    for cell in mine:
        listed = list(obstacles(cell.plan()))
        if listed:
            assert listed[0].hint, cell  # That calls are refused by it is tried in the database.
            continue
        release, threat, requirements, made = published(cell)
        if release.partition is None:
            assert all(row.satisfied for row in made.findings), cell
            continue
        assert len(release.groups), cell
        there = threat.over(release.parts)
        for item in requirements if cell.unfit == "suppress" else ():
            figures = item.measure(there, release.groups).figures
            for bound, figure in zip(item.bounds, figures, strict=True):
                broken = release.groups.max(bound.broken(figure))
                # Groups that stay need not hold any more, now that adversaries know more people.
                assert not (broken & ~staying(cell, release)).any(), (cell, bound)


def test_most_cells_publish() -> None:
    """Count the cells, so that a rule that stands in the way of more is noticed."""
    assert (len(FREE), len(CELLS)) == (324, 920)


def test_every_rule_stands_in_the_way_of_something() -> None:
    plans = [cell.plan() for cell in CELLS]
    some = ({"attributes": ("note",)}, {"respondent": None}, {"columns": ()})
    plans += [cell.plan(**space) for cell in CELLS for space in some]
    plans += [
        replace(plan, options=replace(plan.options, max_records_per_person=2))
        for plan in plans[: len(CELLS)]
    ]
    plans += [
        replace(plan, options=replace(plan.options, departed="stay"))
        for plan in plans
        if isinstance(plan.options, GroupOptions) and plan.grows
    ]
    for rule in RULES:
        assert any(rule.find(plan) is not None for plan in plans), rule.one
        assert all(text.endswith(".") for text in (rule.reason, rule.instead)), rule


@pytest.mark.parametrize(
    ("method", "options", "space", "words"),
    [
        ("incognito", {"grow": True}, {}, "method incognito cannot be combined with option grow"),
        (
            "mondrian",
            {"grow": True},
            {"attributes": ("note",)},
            'attributes of dataset "d", note, cannot be combined with option grow where departed '
            'is "stay"',
        ),
        (
            "mondrian",
            {"grow": True},
            {"respondent": None},
            'option grow cannot be combined with dataset "d", which names no respondents',
        ),
        (
            "randomize",
            {"scheme": "rr-s"},
            {"columns": ("a", "b")},
            "method randomize cannot be combined with 2 sensitive columns, a, b",
        ),
    ],
)
def test_it_is_said_what_stands_in_the_way(
    method: str, options: dict[str, Any], space: dict[str, Any], words: str
) -> None:
    way = METHODS[method]
    of = Space(**{"dataset": "d", "source": "s", "columns": ("a",), "respondent": "id", **space})
    with pytest.raises(BkprivError) as refused:
        check(Plan(of, way, parse_options(way, options)))
    assert refused.value.message == words
    assert (refused.value.detail, refused.value.hint) in {(r.reason, r.instead) for r in RULES}


def test_what_cannot_be_certified_together_is_not_unless_that_is_asked_for() -> None:
    cell = next(cell for cell in FREE if cell.policy == "disclosure" and not cell.beside)
    plan = replace(cell.plan(), overlap=None)
    assert overlap_of(plan) == "certify"
    attributes = replace(plan, space=replace(plan.space, attributes=("note",)))
    assert overlap_of(attributes) == "warn"
    with pytest.raises(Unsupported, match="attributes of dataset"):
        overlap_of(replace(attributes, overlap="certify"))
    assert overlap_of(replace(attributes, overlap="refuse")) == "refuse"
