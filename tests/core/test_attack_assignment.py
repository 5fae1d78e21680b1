"""Readers who do not know the groups: components and beliefs equal to all assignments."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_client.adult import read_adult
from bkpriv_core.belief.knowledge import Uniform
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.count import Count, count_exchanges
from bkpriv_core.errors import ContradictoryKnowledge, TooLarge, Unsupported
from bkpriv_core.method import METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized import components
from bkpriv_core.release.generalized.assignment import infer_assignments
from bkpriv_core.release.generalized.components import find_components
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import RangeStyle, Release
from bkpriv_core.requirement.scope import Scope
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.parts import Parts
from studies.cells import count_cells
from tests.core import oracles
from tests.core.oracles import Attribute, Group, Records, Value
from tests.core.strategies import as_array, as_parts, as_table, beliefs, by_age, tables

NOWHERE = -1
"""The slot of a person who is suppressed."""


def shown(attribute: Attribute, values: Sequence[Value], ranges: RangeStyle) -> object:
    """Side of a box that is published for some values."""
    if attribute.numbers is None:
        return oracles.common_ancestor(attribute, values)[1]
    if None in values:
        return "NULL" if ranges != "bounds" and set(values) == {None} else "anything"
    numbers = [attribute.numbers[value] for value in values if value is not None]
    return min(numbers), max(numbers)


def fits(attribute: Attribute, value: Value, published: object) -> bool:
    """Whether somebody with that value may be in a row that shows this."""
    if attribute.numbers is None:
        return published in attribute.path(value)
    if not isinstance(published, tuple):
        return published == "anything" or value is None
    return value is not None and published[0] <= attribute.numbers[value] <= published[1]


class Reader:
    """All that a reader takes for possible, by trying everything.

    A slot is a published row, as the place of its box and its value; or `NOWHERE`.
    """

    def __init__(self, records: Records, labels: Sequence[int], ranges: RangeStyle) -> None:
        self.records = records
        boxes: dict[tuple[object, ...], Group] = {}
        for label in sorted({label for label in labels if label >= 0}):
            group = [record for record, mine in enumerate(labels) if mine == label]
            box = tuple(
                shown(attribute, records.column(group, axis), ranges)
                for axis, attribute in enumerate(records.attributes)
            )
            boxes.setdefault(box, []).extend(group)
        self.boxes = list(boxes)
        self.own = [NOWHERE] * len(records.rows)
        self.slots: list[tuple[int, int]] = []
        for place, group in enumerate(boxes.values()):
            for record, secret in zip(group, records.secrets(group), strict=True):
                self.own[record] = place
                self.slots.append((place, secret))
        self.slots += [(NOWHERE, NOWHERE)] * (len(records.rows) - len(self.slots))

    def fits(self, record: int, place: int) -> bool:
        """Whether somebody may be in a box."""
        return place == NOWHERE or all(
            fits(attribute, value, side)
            for attribute, value, side in zip(
                self.records.attributes,
                self.records.rows[record][:-1],
                self.boxes[place],
                strict=True,
            )
        )

    def assignments(self) -> Iterator[list[tuple[int, int]]]:
        """All ways to hand the slots to the people who fit them."""
        kinds = sorted(set(self.slots))
        for order in oracles.distinct_orders([kinds.index(slot) for slot in self.slots]):
            assigned = [kinds[kind] for kind in order]
            if all(self.fits(record, place) for record, (place, _) in enumerate(assigned)):
                yield assigned

    def movable(self) -> list[bool]:
        """Whether each person is in another box in some assignment."""
        moved = [False] * len(self.own)
        for assigned in self.assignments():
            for record, (place, _) in enumerate(assigned):
                moved[record] |= place != self.own[record]
        return moved

    def beliefs(self, prior: Sequence[Sequence[Fraction]]) -> list[list[Fraction]] | None:
        """Posterior beliefs about everybody."""
        sums = [[Fraction(0)] * len(belief) for belief in prior]
        total = Fraction(0)
        for assigned in self.assignments():
            weight = Fraction(1)
            for record, (place, value) in enumerate(assigned):
                weight *= 1 if place == NOWHERE else prior[record][value]
            total += weight
            for record, (place, value) in enumerate(assigned):
                for each, share in enumerate(prior[record]):
                    had = share if place == NOWHERE else Fraction(int(each == value))
                    sums[record][each] += weight * had
        return [[share / total for share in row] for row in sums] if total else None


@st.composite
def releases(draw: st.DrawFn) -> tuple[Records, list[int], RangeStyle]:
    """A table of a few records, the group of each or none, and a style of ranges."""
    records = draw(tables(max_records=6, max_attributes=2, max_values=3))
    label = st.integers(SUPPRESSED, 2)
    labels = draw(st.lists(label, min_size=len(records.rows), max_size=len(records.rows)))
    return records, labels, draw(st.sampled_from(["range", "bounds", "text"]))


def published(records: Records, labels: Sequence[int], ranges: RangeStyle) -> Release:
    """The release of such groups, everybody told apart."""
    parts = as_parts(records, range(len(records.rows)))
    numbers = sorted({label for label in labels if label >= 0})
    dense = [numbers.index(label) if label >= 0 else SUPPRESSED for label in labels]
    groups = Groups.from_labels(np.array(dense, dtype=np.int64))
    return Release(parts, groups, Generalized(ranges=ranges))


@given(releases())
def test_who_can_be_elsewhere_is_who_is_elsewhere_in_some_assignment(
    drawn: tuple[Records, list[int], RangeStyle],
) -> None:
    reader = Reader(*drawn)
    found = find_components(published(*drawn))
    assert found.movable.tolist() == reader.movable()
    # Whom a movable person can take the place of is in the same component, and nobody else is.
    linked = [
        {other for other in range(len(reader.own)) if found.of_part[other] == found.of_part[record]}
        for record in range(len(reader.own))
    ]
    places = [{reader.own[record] for record in each} for each in linked]
    for assigned in reader.assignments():
        assert all(place in places[record] for record, (place, _) in enumerate(assigned))
    assert found.concerned.tolist() == [len(each) > 1 for each in places]


@example((by_age("a", "b", "a", "b", "a", "b"), [0, 1, 0, 1, 2, 2], "range"))
@example((by_age("a", "b", "a", "b", "a"), [0, 1, 0, 1, SUPPRESSED], "range"))
@given(releases())
def test_people_are_counted_whose_group_another_fits_in_some_assignment(
    drawn: tuple[Records, list[int], RangeStyle],
) -> None:
    reader, release = Reader(*drawn), published(*drawn)
    counted = count_exchanges(release, ThreatModel(release.parts), [])
    if not release.published:
        assert counted is None
        return
    assert counted is not None
    # Boxes whose people are not the same in all assignments, and boxes that those come from.
    moved = {NOWHERE: False} | dict.fromkeys(range(len(reader.boxes)), False)
    for assigned in reader.assignments():
        for record, (place, _) in enumerate(assigned):
            if place != reader.own[record]:
                moved[place] = moved[reader.own[record]] = True
    concerned = sum(moved[place] for place in reader.own)
    assert counted.vulnerable == concerned
    assert counted.parameters == {"movable": sum(reader.movable())}
    assert counted.mean == pytest.approx(concerned / len(reader.own))
    assert (counted.threshold, counted.worst, counted.satisfied) == (None, None, None)
    assert counted.estimator == "exact"


@given(releases(), st.data())
def test_beliefs_equal_those_over_all_assignments(
    drawn: tuple[Records, list[int], RangeStyle], data: st.DataObject
) -> None:
    records = drawn[0]
    some = [data.draw(beliefs(len(records.sensitive.values))) for _ in range(3)]
    prior = [data.draw(st.sampled_from(some)) for _ in records.rows]
    expected = Reader(*drawn).beliefs(prior)
    release = published(*drawn)
    if expected is None:
        with pytest.raises(ContradictoryKnowledge):
            infer_assignments(release, as_array(prior))
        return
    found = infer_assignments(release, as_array(prior))
    assert found.known.all()
    assert found.exact.all()
    np.testing.assert_allclose(found.beliefs, as_array(expected), atol=1e-9)


@given(releases())
def test_a_reader_without_groups_is_played_for_people_of_groups_that_exchange(
    drawn: tuple[Records, list[int], RangeStyle],
) -> None:
    records, reader, release = drawn[0], Reader(*drawn), published(*drawn)
    threat = ThreatModel(release.parts)
    counted = count_exchanges(release, threat, [(Uniform(), Scope())])
    prior = oracles.shares(records, records.everything())
    believed = reader.beliefs([prior] * len(records.rows))
    if counted is None or believed is None or not counted.vulnerable:
        assert counted is None or "sure" not in counted.parameters
        return
    sure = sum(
        any(
            before <= Fraction(1, 2) and after > Fraction(9, 10)
            for before, after in zip(prior, beliefs_of, strict=True)
        )
        for beliefs_of, may in zip(believed, find_components(release).concerned, strict=True)
        if may
    )
    assert counted.parameters["sure"] == sure
    assert counted.parameters["not_inferred"] == 0


@pytest.mark.parametrize("name", ["_COMPOSITIONS", "_TRIES", "_STATES"])
def test_what_is_too_much_work_is_not_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    records = by_age("a", "b", "a", "b", "a", "b")
    release = published(records, [0, 1, 0, 1, 2, 2], "range")
    monkeypatch.setattr(f"bkpriv_core.release.generalized.assignment.{name}", 1)
    found = infer_assignments(release, np.full((6, 2), 0.5))
    assert found.components.movable.tolist() == [False, True, True, False, False, False]
    assert found.known.tolist() == [False] * 4 + [True] * 2


def test_large_components_are_not_followed_person_by_person() -> None:
    people = 1200
    records = by_age(*("ab" * (people // 2)))
    release = Release(
        Parts.of(as_table(records)),
        Groups.from_labels(np.arange(people, dtype=np.int64) % (people // 2)),
        Generalized(),
    )
    found = infer_assignments(release, np.full((people, 2), 0.5))
    assert found.components.concerned.all()
    assert not found.known.any()


def test_products_that_would_underflow_are_not_taken() -> None:
    records = by_age("a", "b", "a", "b")
    release = published(records, [0, 1, 0, 1], "range")
    prior = np.array([[1e-200, 1.0]] * 4)
    assert not infer_assignments(release, prior).known.any()


@pytest.mark.parametrize(("name", "asked"), [("_TRIED", "comparisons"), ("_FITS", "boxes")])
def test_too_many_boxes_are_refused(name: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, name, 5)
    release = published(by_age("a", "b", "a", "b"), [0, 1, 0, 1], "range")
    with pytest.raises(TooLarge, match="boxes") as refused:
        count_exchanges(release, ThreatModel(release.parts), [])
    assert asked in refused.value.detail


def test_a_release_that_shows_its_groups_is_refused() -> None:
    release = published(by_age("a", "b"), [0, 0], "range")
    shows = Release(release.parts, release.groups, Bucketized())
    with pytest.raises(Unsupported, match="bucketized"):
        infer_assignments(shows, np.full((2, 2), 0.5))
    assert count_exchanges(shows, ThreatModel(shows.parts), []) is None


def test_what_was_not_counted_has_no_share() -> None:
    left = Count("exchange", {}, None, 10)
    assert (left.mean, left.estimator) == (None, "not counted")


@pytest.mark.extended
def test_three_in_a_hundred_of_adult_can_be_elsewhere() -> None:
    path = os.environ.get("ADULT")
    if not path:
        pytest.skip("the Adult data are missing: set ADULT to the CSV file")
    table = count_cells(read_adult(Path(path)))
    threat, method = ThreatModel(table), METHODS["mondrian"]
    skyline = [{"bandwidth": each, "t": 0.2, "smoothing": 0.75} for each in (0.2, 0.3, 0.5)]
    policy = parse_policy({"k_anonymity": {"k": 5}, "bt_privacy": skyline})
    job = Job(threat, policy.requirements, method.options(), SeededChance(1), SILENT)
    release = method.make(job).release
    prior = threat.over(release.parts).prior(0.3)
    started = time.process_time()
    found = infer_assignments(release, prior)
    assert time.process_time() - started < 10
    people = release.parts.weights / table.records
    assert 0.02 < people[found.components.movable].sum() < 0.04
    assert people[~found.known].sum() < 0.02
    np.testing.assert_allclose(found.beliefs[found.known].sum(axis=1), 1.0)
