"""Releases that grow: who is kept, who is a newcomer, and in which groups they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, InvalidParameter, UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job, find_method, growing, parse_options
from bkpriv_core.method.growing import IncrementalPopulation, begin, grow, make_grown
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.suppression import explain_suppression, find_withdrawn
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_domain, as_groups, occurring, tables

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Person:
    """Person: the record then and now, and the group then."""

    name: str
    then: Row | None
    now: Row | None
    group: int | None = None


@st.composite
def courses(draw: st.DrawFn) -> tuple[Records, list[Person], list[set[str]]]:
    """Values, people of whom a release showed some in groups, and those groups."""
    records = draw(tables(min_records=2, max_records=8, kinds=("numeric", "flat", "hierarchical")))
    row = st.sampled_from(records.rows)
    people = []
    for number in range(draw(st.integers(2, 14))):
        then = draw(st.none() | row)
        now = draw(st.none() | row | st.just(then))
        # Names in another order than people are drawn in.
        name = f"{number * 7 % 15:02}"
        people.append(Person(name, then, now, draw(st.none() | st.integers(0, 2))))
    people.append(Person("x", records.rows[0], records.rows[-1], 3))
    people.append(Person("y", None, records.rows[0]))
    groups = [
        {person.name for person in people if person.then is not None and person.group == number}
        for number in range(4)
    ]
    return records, people, [group for group in groups if group]


def read(domains: list[Domain], rows: dict[str, Row]) -> tuple[Table, Respondents]:
    """A table of people's rows, and its respondents."""
    codes = np.array(
        [[d.labels.index(v) for d, v in zip(domains, row, strict=True)] for row in rows.values()],
        dtype=np.int64,
    )
    *quasi_identifiers, sensitive = domains
    ones = np.ones(len(rows), dtype=np.int64)
    table, cells = Table.from_rows(tuple(quasi_identifiers), sensitive, codes, ones)
    return table, Respondents(tuple(rows), cells, codes[:, -1])


def published(
    records: Records, rows: dict[str, Row], groups: list[set[str]]
) -> tuple[Release, Respondents]:
    """A release that shows some people in groups."""
    domains = [
        as_domain(occurring(attribute, [row[axis] for row in rows.values()]))
        for axis, attribute in enumerate((*records.attributes, records.sensitive))
    ]
    table, respondents = read(domains, rows)
    names = list(rows)
    lists = as_groups([sorted(names.index(name) for name in group) for group in groups])
    return Release(respondents.apart(table), lists, Generalized()), respondents


def grown(
    course: tuple[Records, list[Person], list[set[str]]], departed: Any, barred: set[str]
) -> IncrementalPopulation:
    """Grow from the release of a course."""
    records, people, groups = course
    release, past = published(records, {p.name: p.then for p in people if p.then}, groups)
    domains = [as_domain(attribute) for attribute in (*records.attributes, records.sensitive)]
    table, respondents = read(domains, {p.name: p.now for p in people if p.now})
    return grow(release, past, table, respondents, departed=departed, barred=barred)


def rows_of(growth: IncrementalPopulation) -> dict[str, Row]:
    """The row of each person of a grown table."""
    table, people = growth.table, growth.respondents
    return {
        name: (
            *(
                domain.labels[code]
                for domain, code in zip(
                    table.quasi_identifiers, table.codes[cell].tolist(), strict=True
                )
            ),
            table.sensitive.labels[value],
        )
        for name, cell, value in zip(
            people.names, people.cells.tolist(), people.values.tolist(), strict=True
        )
    }


def kept_groups(growth: IncrementalPopulation) -> set[frozenset[str]]:
    """The groups that are kept."""
    return {
        frozenset(growth.respondents.names[member] for member in group)
        for group in Groups.from_labels(growth.labels)
    }


@SOME
@given(courses(), st.sampled_from(["stay", "withdraw"]), st.sets(st.sampled_from(["07", "14"])))
def test_whoever_was_shown_is_kept_and_all_others_came(
    course: tuple[Records, list[Person], list[set[str]]], departed: str, barred: set[str]
) -> None:
    _, people, groups = course
    growth = grown(course, departed, barred)
    shown = set().union(*groups)
    gone = {p.name for p in people if p.name in shown and p.now is None}
    changed = {p.name for p in people if p.name in shown and p.now not in (None, p.then)}
    kept = [g for g in groups if departed == "stay" or not g & (gone | changed)]
    stay = set().union(*kept)
    rows = {p.name: p.then for p in people if p.name in stay}
    rows |= {p.name: p.now for p in people if p.now is not None and p.name not in stay}
    assert rows_of(growth) == rows
    assert list(growth.respondents.names) == sorted(rows)
    assert kept_groups(growth) == {frozenset(group) for group in kept}
    coming = {
        name for name, came in zip(growth.respondents.names, growth.coming, strict=True) if came
    }
    assert coming == {p.name for p in people if p.now is not None} - shown - barred
    assert (growth.departed, growth.changed) == (len(gone), len(changed))
    assert (growth.withdrawn, growth.kept) == (len(groups) - len(kept), len(stay))
    assert growth.out == len(rows) - len(stay) - len(coming)
    # Domains have the values that occur, in their order, and the table is whole.
    union = (*course[0].attributes, course[0].sensitive)
    for axis, (domain, attribute) in enumerate(zip(growth.table.domains, union, strict=True)):
        column = {row[axis] for row in rows.values() if row}
        assert domain.labels == tuple(value for value in attribute.values if value in column)
        whole = as_domain(attribute)
        if whole.positions is not None and domain.positions is not None:
            codes = [whole.labels.index(label) for label in domain.labels]
            assert np.array_equal(domain.positions, whole.positions[codes], equal_nan=True)
    assert growth.table.records == len(rows)


@SOME
@given(
    courses(),
    st.sampled_from(["mondrian", "agglomerate", "bucketize", "anatomy", "js_reduce"]),
    st.sampled_from(["stay", "withdraw"]),
    st.integers(0, 3),
)
def test_newcomers_are_grouped_among_themselves_or_wait(
    course: tuple[Records, list[Person], list[set[str]]], method: str, departed: str, seed: int
) -> None:
    growth = grown(course, departed, set())
    way = GROUP_METHODS[method]
    options = parse_options(way, {"grow": True, "departed": departed})
    policy = {"k_anonymity": {"k": 2}, "l_diversity": {"l": 2}}
    requirements = parse_policy(policy).requirements
    threat = ThreatModel(growth.respondents.apart(growth.table))
    try:
        release, rows, _ = make_grown(
            way, growth, Job(threat, requirements, options, SeededChance(seed), SILENT)
        )
    except UnattainableRequirement:
        assert growth.kept == 0
        return
    names = growth.respondents.names
    groups = [frozenset(names[member] for member in group) for group in release.groups]
    shown = [name for group in groups for name in group]
    assert len(shown) == len(set(shown))
    came = {names[place] for place in np.flatnonzero(growth.coming)}
    old = kept_groups(growth)
    assert set(shown) <= came.union(*old)
    values = dict(zip(names, growth.respondents.values.tolist(), strict=True))
    boxes = dict(zip(groups, shown_as(release, release.groups), strict=True))
    for group in old:
        (holder,) = (other for other in groups if group <= other)
        if holder != group:
            # Only where a reader could not tell them apart.
            assert method not in ("bucketize", "anatomy")
            assert holder - group <= came.union(*old)
            members = np.array([names.index(name) for name in group])
            assert [boxes[holder]] == shown_as(release, Groups.from_lists([members]))
    for group in groups:
        if group & came:
            assert len(group) >= 2
            assert len({values[name] for name in group}) >= 2
    sizes = [len(group) for group in groups]
    assert rows[0].worst == min(sizes)
    assert rows[0].vulnerable == sum(size for size in sizes if size < 2)


def shown_as(release: Release, groups: Groups) -> list[tuple[object, ...]]:
    """Quasi-identifiers of groups as a reader sees them: nodes may share a label."""
    low, high = release.parts.boxes(groups)
    columns: list[list[object]] = []
    for axis, domain in enumerate(release.table.quasi_identifiers):
        if domain.numeric:
            columns.append([*zip(low[:, axis].tolist(), high[:, axis].tolist(), strict=True)])
        else:
            columns.append([*Generalized().labels(domain, axis, low[:, axis], high[:, axis])])
    return [*zip(*columns, strict=True)]


AGES = Domain("age", ("20", "30", "40"), positions=np.array([20.0, 30.0, 40.0]))
SECRETS = Domain("secret", ("cold", "flu"))


def shows(rows: dict[str, Row], groups: list[set[str]]) -> tuple[Release, Respondents]:
    """A release of ages and secrets."""
    table, respondents = read([AGES, SECRETS], rows)
    names = list(rows)
    lists = as_groups([sorted(names.index(name) for name in group) for group in groups])
    return Release(respondents.apart(table), lists, Generalized()), respondents


OLD = {"a": ("20", "flu"), "b": ("30", "flu"), "c": ("20", "flu")}
NEW = {"d": ("20", "flu"), "e": ("30", "cold")}


def make(
    growth: IncrementalPopulation, policy: dict[str, Any], method: str = "mondrian"
) -> Release:
    """Make a release that grows, by a seed."""
    way = GROUP_METHODS[method]
    threat = ThreatModel(growth.respondents.apart(growth.table))
    requirements = parse_policy(policy).requirements
    options = parse_options(way, {"grow": True})
    release, _, _ = make_grown(
        way, growth, Job(threat, requirements, options, SeededChance(1), SILENT)
    )
    return release


@pytest.mark.parametrize(("variant", "expected"), [("distinct", [5]), ("probabilistic", [3])])
def test_newcomers_shown_as_a_kept_group_is_must_hold_with_it(
    variant: str, expected: list[int]
) -> None:
    past = shows(OLD, [{"a", "b", "c"}])
    growth = grow(*past, *read([AGES, SECRETS], OLD | NEW))
    release = make(growth, {"k_anonymity": {"k": 2}, "l_diversity": {"l": 2, "variant": variant}})
    assert release.sizes.tolist() == expected
    assert (release.labels == SUPPRESSED).sum() == 5 - sum(expected)


def test_newcomers_whom_others_let_disclose_wait() -> None:
    """A reader who knows one certain value, which implies another, knows both."""
    new = {
        name: (age, s)
        for name, age, s in zip(
            "defg", ("30", "40") * 2, ("flu", "cold", "gout", "gout"), strict=True
        )
    }
    secrets = Domain("secret", ("cold", "flu", "gout"))
    table, respondents = read([AGES, secrets], OLD | new)
    policy = {"ck_safety": {"c": 0.8, "k": 1}}
    growth = grow(*shows(OLD, [set("abc")]), table, respondents)
    assert make(growth, policy).sizes.tolist() == [3]
    certain = dict.fromkeys("abc", ("20", "cold")) | {"a": ("20", "gout"), "b": ("20", "flu")}
    table, respondents = read([AGES, secrets], certain | new)
    release, past = published(
        Records(
            (Attribute("age", ("20",), numbers={"20": 20}),),
            Attribute("secret", ("cold", "flu", "gout")),
            (),
        ),
        certain,
        [set("abc")],
    )
    assert sorted(make(grow(release, past, table, respondents), policy).sizes.tolist()) == [3, 4]


def test_newcomers_in_the_box_of_a_kept_group_must_hold_beside_it() -> None:
    """A reader of both releases takes the kept group from the box, and finds the newcomers."""
    new = {
        name: (age, secret)
        for name, age, secret in zip(
            "defg", ("30", "20") * 2, ("flu", "cold", "gout", "gout"), strict=True
        )
    }
    secrets = Domain("secret", ("cold", "flu", "gout"))
    table, respondents = read([AGES, secrets], OLD | new)
    growth = grow(*shows(OLD, [set("abc")]), table, respondents)
    # As one the seven are safe, and so are the four by themselves; not beside three with flu.
    policy = {"k_anonymity": {"k": 3}, "ck_safety": {"c": 0.85, "k": 1}}
    assert make(begin(*read([AGES, secrets], new)), policy).sizes.tolist() == [4]
    assert make(growth, policy).sizes.tolist() == [3]
    assert make(growth, {"k_anonymity": {"k": 3}}).sizes.tolist() == [7]


def test_all_newcomers_in_the_box_of_a_kept_group_must_hold_as_one() -> None:
    """Groups of newcomers that hold each may not do so together, which is what a reader tells."""
    table, respondents = read([AGES, SECRETS], OLD | {"d": ("20", "flu"), "e": ("30", "flu")})
    growth = grow(*shows(OLD | {"z": ("20", "cold")}, [set("abcz")]), table, respondents)
    threat = ThreatModel(growth.respondents.apart(growth.table))
    names = growth.respondents.names
    labels = growth.labels.copy()
    labels[[names.index(name) for name in "de"]] = 1
    way = GROUP_METHODS["mondrian"]
    options = parse_options(way, {"grow": True})
    requirements = parse_policy({"max_disclosure": {"tau": 0.9}}).requirements
    groups = growing._waiting(way, threat, growth.coming, labels, requirements, options)
    # With the four who are kept the two hold, and not by themselves.
    assert groups.widths.tolist() == [4]


def test_a_first_release_groups_everybody_or_is_refused() -> None:
    table, respondents = read([AGES, SECRETS], OLD | NEW)
    growth = begin(table, respondents)
    assert make(growth, {"k_anonymity": {"k": 5}}).sizes.tolist() == [5]
    with pytest.raises(UnattainableRequirement, match="nothing to publish"):
        make(growth, {"l_diversity": {"l": 2, "variant": "probabilistic"}})


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "js_reduce"])
def test_who_cannot_be_grouped_waits(method: str) -> None:
    old = {"a": ("20", "flu"), "b": ("30", "cold"), "c": ("20", "flu"), "d": ("40", "cold")}
    new = dict.fromkeys("efg", ("20", "flu")) | {"h": ("30", "cold")}
    past = shows(old, [set(old)])
    policy = {"l_diversity": {"l": 2, "variant": "probabilistic"}}
    growth = grow(*past, *read([AGES, SECRETS], old | {name: new[name] for name in "efg"}))
    assert make(growth, policy, method).sizes.tolist() == [4]
    growth = grow(*past, *read([AGES, SECRETS], old | new))
    sizes = make(growth, policy, method).sizes.tolist()
    # These leave out some of the frequent value, and group the others; mondrian takes all or none.
    assert sorted(sizes) == ([4] if method == "mondrian" else [2, 4])


def test_who_is_unlike_all_newcomers_waits_and_the_others_do_not() -> None:
    """All people of 40 have gout, but for one newcomer; no other newcomer could have it."""
    common = [("20", "cold"), ("20", "flu"), ("30", "cold"), ("30", "flu")]
    old = {f"old {place}": row for place, row in enumerate([*common * 2, *[("40", "gout")] * 4])}
    new = {f"{place}": row for place, row in enumerate([*common * 50, ("40", "cold")])}
    secrets = Domain("secret", ("cold", "flu", "gout"))
    table, respondents = read([AGES, secrets], old | new)
    kept = np.array([name in old for name in respondents.names])
    growth = IncrementalPopulation(table, respondents, np.where(kept, 0, SUPPRESSED), ~kept)
    policy = {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.2}]}
    release = make(growth, policy)
    waiting = [respondents.names[place] for place in np.flatnonzero(release.labels == SUPPRESSED)]
    assert waiting == ["200"]
    # Those of 20 and of 30 apart, beside all who are kept.
    assert sorted(release.sizes.tolist()) == [12, 100, 100]


def _levels(*paths: tuple[str, ...]) -> Domain:
    labels = tuple(path[0] for path in paths)
    return Domain("city", labels, hierarchy=Hierarchy.from_rows("city", list(paths)))


def _binned(ends: list[float]) -> Domain:
    return Domain("city", ("1", "5"), positions=np.array([1.0, 5.0]), ends=np.array(ends))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            _levels(("1", "n", "*"), ("5", "n", "*")),
            _levels(("1", "n", "*"), ("5", "s", "*")),
            "had 5 < n < *, and has 5 < s < *",
        ),
        (_levels(("1", "n", "*"), ("5", "n", "*")), Domain("city", ("1", "5")), "had a hierarchy"),
        (Domain("city", ("1", "5")), _levels(("1", "*"), ("5", "*")), "had no hierarchy"),
        (_binned([3.0, 6.0]), _binned([4.0, 6.0]), "begins at '1' ends elsewhere"),
        (_binned([3.0, 6.0]), Domain("city", ("1", "5"), positions=np.array([1.0, 5.0])), "binned"),
        (Domain("city", ("1", "5")), _binned([3.0, 6.0]), "had a hierarchy of labels then"),
    ],
)
def test_attributes_that_are_others_now_are_refused(old: Domain, new: Domain, words: str) -> None:
    rows = {"a": ("1", "flu"), "b": ("5", "cold")}
    table, past = read([old, SECRETS], rows)
    release = Release(past.apart(table), Groups.whole(2), Generalized())
    with pytest.raises(InvalidData, match="no more what it was") as caught:
        grow(release, past, *read([new, SECRETS], rows))
    assert words in caught.value.detail


def test_a_hierarchy_may_know_more_values() -> None:
    old, new = _levels(("1", "n", "*")), _levels(("1", "n", "*"), ("5", "s", "*"))
    table, past = read([old, SECRETS], {"a": ("1", "flu")})
    release = Release(past.apart(table), Groups.whole(1), Generalized())
    now = read([new, SECRETS], {"a": ("1", "flu"), "b": ("5", "cold")})
    assert grow(release, past, *now).table.quasi_identifiers[0].labels == ("1", "5")


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("mondrian", {"departed": "withdraw"}, "does not grow"),
        ("randomize", {"grow": True}, "means nothing to method randomize"),
    ],
)
def test_options_that_do_not_go_together(method: str, options: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        parse_options(find_method(method), options)


def test_beliefs_about_people_are_those_of_the_whole_table() -> None:
    table, respondents = read([AGES, SECRETS], OLD | NEW)
    believed = np.linspace(0.1, 0.9, 5)
    by_respondent = np.column_stack((believed, 1 - believed))
    threat = ThreatModel(respondents.apart(table), library=Known(respondents=by_respondent))
    some = np.array([3, 1])
    knowledge = Remembered("s")
    told = threat.over(threat.parts.select(some)).prior(knowledge)
    assert np.array_equal(told, by_respondent[some])
    assert np.array_equal(threat.prior(knowledge), by_respondent)


def test_who_waits_is_explained_by_newcomers_alone() -> None:
    names = "abcdefgh"
    rows = {name: ("20" if name < "e" else "40", "flu") for name in names}
    release, _ = shows(rows, [set("abc"), set("ef")])
    before = np.array([name in "abcd" for name in names])
    (requirement,) = parse_policy({"k_anonymity": {"k": 5}}).requirements
    threat = ThreatModel(release.parts)
    (kind,) = explain_suppression(release, threat, [requirement], "auto", 9, before=before)
    # g and h: with e and f, though not with a to c, and not one by one.
    assert (kind.records, kind.attained) == (2, 4)
    gone = find_withdrawn(release, before)
    assert gone is not None
    assert (gone.records, gone.low.tolist(), gone.high.tolist()) == (1, [0], [0])
    assert find_withdrawn(release, before & (np.array([*names]) != "d")) is None
    release, _ = shows(rows, [set("abc")])
    kinds = explain_suppression(release, threat, [requirement], "auto", 9, before=before)
    assert [(kind.records, kind.attained) for kind in kinds] == [(4, 4)]
