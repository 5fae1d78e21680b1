"""Tables made elsewhere, against releases of the same groups and against all that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.audit import findings
from bkpriv_core.belief.knowledge_source import NoLibrary
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData
from bkpriv_core.progress import SILENT
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.external import (
    GROUP,
    Labels,
    People,
    Rows,
    check_judged,
    find_release,
)
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.utility.divergence import divergences
from bkpriv_core.utility.measures import column_losses, utility
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import SOME, as_table, by_age, partitions, records_of, tables

READ = ("numeric", "binned", "flat")
"""Kinds of attributes whose labels say what their boxes are."""

COUNTED: tuple[Requirement, ...] = (
    KAnonymity(3),
    LDiversity(2, "distinct"),
    TCloseness(0.3, "equal"),
    CkSafety(0.9, 1),
)

BELIEVED: tuple[Requirement, ...] = (*COUNTED, BtPrivacy(((0.4, 0.1),)))


def label(attribute: Attribute, values: Sequence[Any]) -> str | None:
    """Label that a table shows in place of some values."""
    if len(set(values)) == 1:
        return str(values[0]) if values[0] is not None else None
    if attribute.numbers is None:
        return "*"
    if None in values:
        return "(,)"
    ordered = sorted(values, key=attribute.numbers.__getitem__)
    return f"[{ordered[0]},{ordered[-1]}]"


def labels_of(records: Records, group: Group) -> tuple[str | None, ...]:
    """Labels of a group."""
    return tuple(
        label(attribute, records.column(group, axis))
        for axis, attribute in enumerate(records.attributes)
    )


def coded(values: Sequence[str | None]) -> Labels:
    """Labels of rows."""
    different = list(dict.fromkeys(values))
    return Labels(tuple(different), np.array([different.index(value) for value in values]))


def rows_of(
    records: Records,
    shown: Sequence[tuple[int, tuple[str | None, ...]]],
    values: Sequence[int] | None = None,
    groups: Sequence[str] | None = None,
) -> Rows:
    """Rows that show some records with such labels."""
    secrets = records.secrets([record for record, _ in shown]) if values is None else values
    return Rows(
        tuple(
            coded([labels[axis] for _, labels in shown]) for axis in range(len(records.attributes))
        ),
        None if groups is None else coded(groups),
        np.array(secrets, dtype=np.int64),
        np.ones(len(shown), dtype=np.int64),
    )


def people_of(records: Records, shown: Sequence[int]) -> People:
    """People of rows that show some records."""
    cell = {record: place for place, cell in enumerate(records.cells()) for record in cell}
    return People(
        "id", np.array([cell[record] for record in shown]), np.array(records.secrets([*shown]))
    )


def audited(
    release: Release, threat: ThreatModel, requirements: Sequence[Requirement]
) -> list[Any]:
    """Figures of an audit that do not depend on the numbers of groups."""
    measured = [item.measure(threat, release.groups, "exact") for item in requirements]
    rows = findings(threat, release.groups, requirements, measured, estimator="exact")
    return [
        (row.requirement, row.threshold, row.worst, row.mean, row.vulnerable, row.estimator)
        for row in rows
    ]


def same(one: list[Any], other: list[Any]) -> None:
    """Assert that figures agree up to rounding."""
    for row, expected in zip(one, other, strict=True):
        for figure, wanted in zip(row, expected, strict=True):
            assert figure == (
                pytest.approx(wanted, abs=1e-12, nan_ok=True)
                if isinstance(wanted, float)
                else wanted
            )


@st.composite
def released(
    draw: st.DrawFn, kinds: Sequence[str] = READ, *, most: int = 12, suppress: bool = True
) -> tuple[Records, list[list[int]]]:
    """A table, and groups of its cells, at least one, those with equal labels joined."""
    records = draw(tables(max_records=most, kinds=kinds))
    lists = draw(partitions(len(records.cells()), suppress=suppress))
    assume(lists)
    joined: dict[tuple[str | None, ...], list[int]] = {}
    for cells in lists:
        joined.setdefault(labels_of(records, records_of(records, cells)), []).extend(cells)
    return records, list(joined.values())


def expected_of(records: Records, lists: Sequence[Sequence[int]]) -> Release:
    """The release of these groups."""
    groups = Groups.from_lists([np.array(cells) for cells in lists])
    return Release(Parts.of(as_table(records)), groups, Generalized())


def shown_by(
    records: Records, lists: Sequence[Sequence[int]]
) -> list[tuple[int, tuple[str | None, ...]]]:
    """The records that groups show, and with which labels."""
    groups = [records_of(records, cells) for cells in lists]
    return [(record, labels_of(records, group)) for group in groups for record in group]


# --- Groups ---------------------------------------------------------------------------------------


@SOME
@given(released())
def test_groups_are_judged_as_those_of_a_release(
    made: tuple[Records, list[list[int]]],
) -> None:
    records, lists = made
    expected = expected_of(records, lists)
    shown = shown_by(records, lists)
    found = find_release(expected.table, rows_of(records, shown))
    assert found.published + found.suppressed == len(records.rows)
    check_judged(found, COUNTED)
    same(
        audited(found, found.threat(NoLibrary(), SILENT), COUNTED),
        audited(expected, ThreatModel(expected.parts), COUNTED),
    )
    sizes = Counter(labels for _, labels in shown)
    for group, size in enumerate(found.sizes.tolist()):
        assert sizes[tuple(found.labels_of(group).values())] == size


@SOME
@given(released(kinds=("numeric", "binned", "flat", "hierarchical")))
def test_people_whom_a_key_tells_are_judged_as_those_of_a_release(
    made: tuple[Records, list[list[int]]],
) -> None:
    records, lists = made
    expected = expected_of(records, lists)
    shown = shown_by(records, lists)
    people = people_of(records, [record for record, _ in shown])
    found = find_release(expected.table, rows_of(records, shown), people)
    assert (found.known, found.true) == ("key", True)
    same(
        audited(found, found.threat(NoLibrary(), SILENT), BELIEVED),
        audited(expected, ThreatModel(expected.parts), BELIEVED),
    )
    assert found.parts.counterfeits is None
    left = found.parts.counts[found.labels < 0].sum()
    assert left == found.suppressed


@SOME
@given(released(), st.booleans())
def test_losses_are_those_of_a_release(made: tuple[Records, list[list[int]]], by_key: bool) -> None:
    records, lists = made
    expected = expected_of(records, lists)
    shown = shown_by(records, lists)
    people = people_of(records, [record for record, _ in shown]) if by_key else None
    found = find_release(expected.table, rows_of(records, shown), people)
    assert set(found.manners.values()) == {"labels"}
    figures = {**utility(found), **column_losses(found), **divergences(found)}
    wanted = {**utility(expected), **column_losses(expected), **divergences(expected)}
    if found.known is None and found.suppressed:
        assert figures.pop("rgcp") is None
        del wanted["rgcp"]
    assert figures == pytest.approx(wanted, abs=1e-9)


@SOME
@given(released())
def test_extents_of_people_stand_in_for_labels_that_cannot_be_read(
    made: tuple[Records, list[list[int]]],
) -> None:
    records, lists = made
    expected = expected_of(records, lists)
    strange = [
        (record, tuple(f"class {number}" for _ in records.attributes))
        for number, cells in enumerate(lists)
        for record in records_of(records, cells)
    ]
    rows = rows_of(records, strange)
    people = people_of(records, [record for record, _ in strange])
    found = find_release(expected.table, rows, people)
    assert set(found.manners.values()) == {"people"}
    wanted = {**utility(expected), **column_losses(expected)}
    assert {**utility(found), **column_losses(found)} == pytest.approx(wanted, abs=1e-12)
    unknown = find_release(expected.table, rows)
    assert unknown.known is None
    with pytest.raises(InvalidData, match="cannot be read"):
        utility(unknown)


# --- Whose rows labels tell -----------------------------------------------------------------------


def possible(
    records: Records, lists: Sequence[Sequence[int]], shown: Sequence[tuple[str | None, ...]]
) -> set[frozenset[Any]]:
    """All ways, as counts by cell and group, in which people can be in groups whose labels hold."""
    values = [set(attribute.values) for attribute in records.attributes]
    groups = Counter(shown)
    kinds = [*groups, None]

    def fits(row: Sequence[Any], labels: tuple[str | None, ...] | None) -> bool:
        return labels is None or all(
            holds(attribute, label, value, everything)
            for attribute, label, value, everything in zip(
                records.attributes, labels, row, values, strict=True
            )
        )

    found = set()
    options = [[kind for kind in kinds if fits(row[:-1], kind)] for row in records.rows]
    for placed in product(*options):
        held = Counter(kind for kind in placed if kind is not None)
        secrets = Counter(
            (kind, row[-1])
            for kind, row in zip(placed, records.rows, strict=True)
            if kind is not None
        )
        if held == groups and secrets == _secrets(records, lists):
            pairs = zip(records.rows, placed, strict=True)
            found.add(frozenset(Counter((row[:-1], kind) for row, kind in pairs).items()))
    return found


def _secrets(records: Records, lists: Sequence[Sequence[int]]) -> Counter[Any]:
    return Counter(
        (labels, records.rows[record][-1]) for record, labels in shown_by(records, lists)
    )


def holds(attribute: Attribute, label: str | None, value: Any, values: set[Any]) -> bool:
    """Whether a label may stand for a value."""
    if label in values:
        return bool(value == label)
    if label in ("*", "(,)"):
        return True
    assert attribute.numbers is not None
    assert label is not None
    low, high = label[1:-1].split(",")
    if value is None:
        return False
    numbers = attribute.numbers
    return bool(numbers[low] <= numbers[value] <= numbers[high])


@SOME
@given(released(most=6))
def test_labels_tell_of_people_only_where_nothing_else_is_possible(
    made: tuple[Records, list[list[int]]],
) -> None:
    records, lists = made
    shown = shown_by(records, lists)
    found = find_release(as_table(records), rows_of(records, shown))
    ways = possible(records, lists, [labels for _, labels in shown])
    assert ways
    if found.known == "labels":
        assert len(ways) == 1
    elif not found.suppressed:
        boxes = [
            sum(
                all(
                    holds(attribute, label, value, set(attribute.values))
                    for attribute, label, value in zip(
                        records.attributes, labels, row[:-1], strict=True
                    )
                )
                for labels in {labels for _, labels in shown}
            )
            for row in records.rows
        ]
        assert max(boxes) > 1


@SOME
@given(released(most=12), st.randoms())
def test_exact_values_beside_groups_tell_of_people(
    made: tuple[Records, list[list[int]]], random: Any
) -> None:
    records, lists = made
    groups = [records_of(records, cells) for cells in lists]
    shown = [
        (record, labels_of(records, [record]), str(number))
        for number, group in enumerate(groups)
        for record in group
    ]
    # A lot deals a group's values among its rows.
    dealt = [
        value for group in groups for value in random.sample(records.secrets(group), k=len(group))
    ]
    rows = rows_of(
        records, [(record, labels) for record, labels, _ in shown], dealt, [g for *_, g in shown]
    )
    expected = Release(
        Parts.of(as_table(records)), expected_of(records, lists).partition, Bucketized()
    )
    for people in (None, people_of(records, [record for record, *_ in shown])):
        found = find_release(expected.table, rows, people)
        assert found.known == ("labels" if people is None else "key")
        assert found.true
        assert isinstance(found.form, Bucketized)
        assert found.parts.counterfeits is None
        same(
            audited(found, found.threat(NoLibrary(), SILENT), BELIEVED),
            audited(expected, ThreatModel(expected.parts), BELIEVED),
        )
        assert utility(found) == pytest.approx(utility(expected), abs=1e-12)
        assert found.labels_of(0).keys() == {GROUP}


def test_part_of_a_cell_in_each_of_two_groups() -> None:
    records = Records(
        (Attribute("q", ("a", "b")),),
        Attribute("s", ("x", "y")),
        (("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")),
    )
    shown = [(0, ("a",)), (2, ("b",)), (1, ("a",)), (3, ("b",))]
    rows = rows_of(records, shown, [1, 1, 0, 0], ["1", "1", "2", "2"])
    found = find_release(as_table(records), rows)
    # How many are where is told, and not who has which value.
    assert (found.known, found.true) == ("labels", False)
    assert found.parts.weights.tolist() == [1] * 4
    assert found.histograms.tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        # Two people of 20, and none of 23.
        (["20", "20", "22", "21"], "abba"),
        # Three people from 20 to 21.
        (["[20,21]", "[20,21]", "[20,21]", "[22,23]"], "abba"),
        # One person there.
        (["[20,21]", "[22,23]", "[22,23]"], "abb"),
        # Values that others have.
        (["[20,21]", "[20,21]", "[22,23]", "[22,23]"], "aabb"),
        (["20", "[20,21]", "22", "23"], "abba"),
        (["twenty", "21", "22", "23"], "abba"),
        (["24", "21", "22", "23"], "abba"),
    ],
)
def test_labels_that_are_not_true_tell_nothing(labels: list[str], values: str) -> None:
    table = as_table(by_age("a", "b", "b", "a"))
    codes = np.array(["ab".index(value) for value in values])
    ones = np.ones(len(codes), dtype=np.int64)
    found = find_release(table, Rows((coded(labels),), None, codes, ones))
    assert (found.known, found.true) == (None, False)
    assert not found.threat(NoLibrary(), SILENT).table.quasi_identifiers


def test_people_who_are_not_there_are_nobodys() -> None:
    records = Records(
        (Attribute("q", ("a", "b")), Attribute("r", ("c", "d"))),
        Attribute("s", ("x", "y")),
        (("a", "c", "x"), ("b", "d", "y")),
    )
    rows = rows_of(records, [(0, ("a", "d")), (1, ("b", "d"))])
    assert find_release(as_table(records), rows).known is None


@pytest.mark.parametrize(
    ("labels", "boxes"),
    [
        (["[20,22]", "[20,22]", "[23,25]", "[23,25]", "[20,22]", "[23,25]"], [(0, 2), (3, 5)]),
        (["[20,22]", "[20,22]", "[23,25]", "[23,25]"], [(0, 2), (3, 5)]),
        (["[21,22]", "[20,21]", "25", "[23,24]"], [(0, 2), (3, 5)]),
        # Exact, but two people of 20.
        (["20", "20", "25", "22"], [(0, 0), (2, 5)]),
    ],
)
def test_a_group_by_number_spans_its_labels(
    labels: list[str], boxes: list[tuple[int, int]]
) -> None:
    table = as_table(by_age("a", "b", "b", "a", "a", "b"))
    shown = len(labels)
    rows = Rows(
        (coded(labels),),
        coded(["1", "1", "2", "2", "1", "2"][:shown]),
        np.array([0, 1, 1, 0, 1, 0])[:shown],
        np.ones(shown, np.int64),
    )
    found = find_release(table, rows)
    low, high = found.form.sides(found)
    assert [*zip(low[:, 0].tolist(), high[:, 0].tolist(), strict=True)] == boxes
    assert column_losses(found)["age"] == pytest.approx(
        sum((last - first) / 5 for first, last in boxes) / 2
    )


# --- Values that are not those of the dataset -----------------------------------------------------


def test_other_values_are_counterfeits_and_dealt_ones_are_not() -> None:
    records = by_age("a", "b", "b", "c", "c", "a")
    groups = [("[20,22]",)] * 3 + [("[23,25]",)] * 3
    shown = list(enumerate(groups))
    dealt, changed = [1, 1, 0], [2, 2, 2]
    rows = rows_of(records, shown, dealt + changed)
    found = find_release(as_table(records), rows, people_of(records, range(6)))
    assert found.histograms.tolist() == [[1, 2, 0], [0, 0, 3]]
    assert found.parts.counterfeited == 1
    assert found.parts.actual.tolist() == as_table(records).counts.tolist()
    with pytest.raises(InvalidData, match="3 rows with \"disease\" 'c', and the dataset 2"):
        find_release(as_table(records), rows)


def test_more_rows_than_records_are_refused() -> None:
    records = by_age("a", "b")
    rows = rows_of(records, [(0, ("20",)), (1, ("*",)), (1, ("*",))])
    for people in (None, people_of(records, [0, 1, 1])):
        with pytest.raises(InvalidData, match="3 rows, and the dataset 2 records"):
            find_release(as_table(records), rows, people)
