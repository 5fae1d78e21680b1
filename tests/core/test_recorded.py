"""Recorded material of a release: read back as it was, or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import BkprivError, InvalidParameter, UnsoundHistory
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.recorded.attribute import Attribute, read_domains
from bkpriv_core.release.recorded.content import Arrays, RecordedFigures, read_release
from bkpriv_core.release.recorded.respondent import RecordedRespondents, check_respondents
from bkpriv_core.release.recorded.soundness import Sizes, check_sizes, of_release
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.hierarchy import Intervals
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.strategies import as_table, tables


def recorded(table: Table, groups: Groups) -> tuple[list[Attribute], Arrays, RecordedFigures]:
    """Material that a publication records of a table and its groups, cell by cell."""
    attributes = [
        Attribute(
            place,
            domain.name,
            domain.labels,
            domain.positions,
            None if domain.hierarchy is None else list(domain.hierarchy.paths.values()),
            None,
            None,
            None,
            domain.ends,
            domain.step,
            None,
        )
        for place, domain in enumerate((*table.quasi_identifiers, table.sensitive))
    ]
    rows = [
        (cell, value, int(count))
        for cell, row in enumerate(table.counts)
        for value, count in enumerate(row)
        if count
    ]
    cells, values, counts = (np.array(part, dtype=np.int64) for part in zip(*rows, strict=True))
    labels = groups.labels(table.cells)
    suppressed = int(table.weights[labels == SUPPRESSED].sum())
    arrays = Arrays(table.codes.ravel(), labels, cells, values, counts)
    return attributes, arrays, RecordedFigures(table.records, suppressed, len(groups))


@st.composite
def releases(draw: st.DrawFn) -> tuple[Table, Groups]:
    """Draw a table with groups, some of its cells suppressed."""
    table = as_table(draw(tables(max_records=16)))
    labels = draw(st.lists(st.integers(-1, 3), min_size=table.cells, max_size=table.cells))
    labels[0] = max(labels[0], 0)
    used = sorted({label for label in labels if label >= 0})
    dense = [SUPPRESSED if label < 0 else used.index(label) for label in labels]
    return table, Groups.from_labels(np.array(dense, dtype=np.int64))


@given(releases())
def test_what_was_recorded_is_read_back(release: tuple[Table, Groups]) -> None:
    table, groups = release
    attributes, arrays, content = recorded(table, groups)
    stepped = [replace(item, step=7.0) for item in attributes]
    read = read_release(stepped, arrays, content, Generalized())
    parts, regrouped = read.parts, read.groups
    again = parts.table
    assert parts.whole
    assert (again.codes == table.codes).all()
    assert (again.counts == table.counts).all()
    assert (regrouped.members == groups.members).all()
    assert (regrouped.offsets == groups.offsets).all()
    for mine, theirs in zip(again.quasi_identifiers, table.quasi_identifiers, strict=True):
        assert (mine.name, mine.labels) == (theirs.name, theirs.labels)
        assert mine.step == (7.0 if mine.numeric else None)
        for part in ("positions", "ends"):
            assert (getattr(mine, part) is None) is (getattr(theirs, part) is None)
            if getattr(mine, part) is not None:
                np.testing.assert_array_equal(getattr(mine, part), getattr(theirs, part))


@given(releases(), st.data())
def test_one_number_changed_is_another_release_or_none(
    release: tuple[Table, Groups], data: st.DataObject
) -> None:
    attributes, arrays, content = recorded(*release)
    name = data.draw(st.sampled_from(("codes", "labels", "cells", "values", "counts")))
    changed = getattr(arrays, name).copy()
    place = data.draw(st.integers(0, len(changed) - 1))
    number = data.draw(st.integers(-3, 12) | st.sampled_from([-(2**31), 2**31 - 1, 2**62]))
    changed[place] = number
    try:
        read = read_release(attributes, replace(arrays, **{name: changed}), content, Generalized())
    except UnsoundHistory:
        return
    parts, groups = read.parts, read.groups
    # Whatever passes is sound: the slow way round, everything is as it should be.
    assert parts.table.records == content.records
    assert sorted(set(groups.labels(len(parts)).tolist()) - {-1}) == list(range(content.groups))
    rows = list(zip(groups.labels(len(parts)).tolist(), map(tuple, parts.codes), strict=True))
    assert len(set(rows)) == len(rows)
    assert (parts.weights > 0).all()
    assert (parts.counts >= 0).all()
    cells = list(map(tuple, parts.table.codes))
    assert len(set(cells)) == len(cells)
    for axis, domain in enumerate(parts.table.quasi_identifiers):
        assert all(0 <= code < domain.size for code in parts.codes[:, axis])
    at_large = sum(parts.weights[groups.labels(len(parts)) == SUPPRESSED].tolist())
    assert at_large == content.suppressed


@given(releases(), st.data())
def test_counterfeits_are_read_back(release: tuple[Table, Groups], data: st.DataObject) -> None:
    table, groups = release
    attributes, arrays, content = recorded(table, groups)
    # Records of published cells are shown with values drawn, one after the other.
    places, values = Parts.of(table).enumerate_records()
    published = groups.labels(table.cells) >= 0
    last = table.sensitive.size - 1
    shown = [
        data.draw(st.integers(0, last)) if published[cell] else value
        for cell, value in zip(places.tolist(), values.tolist(), strict=True)
    ]
    false = np.zeros_like(table.counts)
    for cell, value, seen in zip(places, values, shown, strict=True):
        false[cell, value] -= 1
        false[cell, seen] += 1
    number = int(false[false > 0].sum())
    if number:
        cells, changed = np.nonzero(false)
        arrays = replace(
            arrays, false_cells=cells, false_values=changed, false_counts=false[cells, changed]
        )
    release_read = read_release(
        attributes, arrays, replace(content, counterfeited=number), Generalized()
    )
    read = release_read.parts
    assert read.counterfeited == number
    assert (read.table.counts == table.counts).all()
    assert (read.actual == table.counts).all()
    assert (read.counts == table.counts + false).all()
    with pytest.raises(UnsoundHistory):
        read_release(attributes, arrays, replace(content, counterfeited=number + 1), Generalized())
    # Respondents are those of the truth, and are shown so that each part shows what it does.
    respondents = told(table, groups)
    if not number:
        return
    # The order of records in a part is of no account, but what they are shown with is.
    with pytest.raises(UnsoundHistory, match="not those of its parts") as caught:
        check_respondents(release_read, respondents)
    assert "is shown with" in (caught.value.detail or "")
    check_respondents(release_read, replace(respondents, shown=np.array(shown)))


def told(table: Table, groups: Groups) -> RecordedRespondents:
    """Respondents of a table's records, cell by cell and value by value."""
    places, values = Parts.of(table).enumerate_records()
    names = [str(place) for place in range(table.records)]
    return RecordedRespondents(names, groups.labels(table.cells)[places], places, values)


@given(releases())
def test_respondents_are_those_of_the_groups(release: tuple[Table, Groups]) -> None:
    table, groups = release
    shown = Release(Parts.of(table), groups, Generalized())
    sound = told(*release)
    check_respondents(shown, sound)
    for others in (["0", *sound.names[:-1]], sound.names[:-1], [*sound.names, "x"]):
        if others != sound.names:
            with pytest.raises(UnsoundHistory):
                check_respondents(shown, replace(sound, names=others))
    for number in (-2, len(groups), 2**31 - 1):
        labels = np.append(sound.labels[1:], number)
        with pytest.raises(UnsoundHistory):
            check_respondents(shown, replace(sound, labels=labels))


@given(releases(), st.data())
def test_respondents_are_those_of_the_parts(
    release: tuple[Table, Groups], data: st.DataObject
) -> None:
    table, groups = release
    shown = Release(Parts.of(table), groups, Generalized())
    sound = told(*release)
    for name in ("parts", "values"):
        numbers = getattr(sound, name)
        with pytest.raises(UnsoundHistory):
            check_respondents(shown, replace(sound, **{name: numbers[1:]}))
        changed = numbers.copy()
        place = data.draw(st.integers(0, len(changed) - 1))
        changed[place] += data.draw(st.sampled_from([-(2**40), -1, 1, 2**31 - 1]))
        with pytest.raises(UnsoundHistory):
            check_respondents(shown, replace(sound, **{name: changed}))
    # Whoever changes places with somebody in the same part, or with the same value, is not noticed
    # as long as part and value are; all else is.
    order = np.array(data.draw(st.permutations(range(len(sound.names)))))
    for changed_names in (("parts",), ("values",), ("labels",), ("parts", "labels")):
        other = replace(sound, **{name: getattr(sound, name)[order] for name in changed_names})
        rows = Counter(zip(other.parts.tolist(), other.values.tolist(), strict=True))
        counted = Counter(zip(sound.parts.tolist(), sound.values.tolist(), strict=True))
        grouped = (groups.labels(table.cells)[other.parts] == other.labels).all()
        if rows == counted and grouped:
            check_respondents(shown, other)
        else:
            with pytest.raises(UnsoundHistory):
                check_respondents(shown, other)


@pytest.mark.parametrize(
    "sizes",
    [
        [Sizes("codes", 80_000_001, 1)],
        [Sizes("codes", 10, 2)],
        [Sizes("codes", 0, 0)],
        [Sizes("labels", 10_000_001, 1, 5)] * 2,
        [Sizes("labels", 5, 1, 600_000_000)] * 2,
        [Sizes("levels", 6, 1, 6)],
        [Sizes("widths", 2_101, 1, 9_000)],
        [Sizes("respondents", 20_000_001, 1, 9)],
    ],
)
def test_what_is_too_large_is_refused_by_its_size(sizes: list[Sizes]) -> None:
    with pytest.raises(UnsoundHistory, match=sizes[0].name) as caught:
        check_sizes(sizes)
    assert caught.value.detail


def test_sizes_of_large_releases_pass() -> None:
    check_sizes(
        [
            Sizes("codes", 40_000_000, 1),
            Sizes("labels", 9_000_000, 1, 10**8),
            Sizes("labels", 9_000_000, 1, 10**8),
            Sizes("levels", 9, 2, 90),
            *[Sizes("widths", 2_000, 1, 9_000)] * 3,
        ]
    )


def test_the_release_is_named() -> None:
    with pytest.raises(UnsoundHistory, match=r"release 7 .*no method x") as caught, of_release(7):
        raise InvalidParameter("there is no method x", detail="So.", hint="Other.")
    named = caught.value
    assert named.detail == "So."
    assert "append" in named.hint


def _decimals(*numbers: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, numbers))


def test_intervals_that_can_be() -> None:
    for widths in (("5",), ("0.5", "1", "2.0"), ("1e300",), ("1e-300", "1e-299")):
        intervals = Intervals.checked("age", _decimals(*widths), Decimal(0))
        assert intervals == Intervals(_decimals(*widths), Decimal(0))


@pytest.mark.parametrize(
    ("widths", "origin"),
    [
        ((), Decimal(0)),
        ((None,), Decimal(0)),
        ((_decimals("5"),), Decimal(0)),
        (_decimals("5"), None),
        (_decimals("5"), Decimal("NaN")),
        (_decimals("5"), Decimal("1e400")),
        (_decimals("1e400"), Decimal(0)),
        (_decimals("1e-400"), Decimal(0)),
        (_decimals("Infinity"), Decimal(0)),
        (_decimals("0"), Decimal(0)),
        (_decimals("-5"), Decimal(0)),
        (_decimals("5", "5"), Decimal(0)),
        (_decimals("5", "7"), Decimal(0)),
        (_decimals("1." + "0" * 2000 + "1"), Decimal(0)),
    ],
)
def test_intervals_that_cannot_be(widths: tuple[object, ...], origin: object) -> None:
    with pytest.raises(InvalidParameter, match='"age"') as caught:
        Intervals.checked("age", widths, origin)
    assert len(caught.value.detail) < 300


Change = Callable[[Attribute], Attribute]


@pytest.mark.parametrize(
    "change",
    [
        lambda item: replace(item, place=7),
        lambda item: replace(item, name=""),
        lambda item: replace(item, labels=()),
        lambda item: replace(item, labels=(*item.labels, item.labels[0])),
        lambda item: replace(item, labels=(None, *item.labels)),
        lambda item: replace(item, level=99),
        lambda item: replace(item, level=-1),
        lambda item: replace(item, positions=np.arange(len(item.labels) + 1.0)),
        lambda item: replace(item, positions=np.zeros(len(item.labels) - 1)),
        lambda item: replace(item, positions=np.full(len(item.labels), np.inf), levels=None),
    ],
)
@given(release=releases())
def test_attributes_that_cannot_be(change: Change, release: tuple[Table, Groups]) -> None:
    attributes, arrays, content = recorded(*release)
    with pytest.raises(BkprivError):
        read_release([change(attributes[0]), *attributes[1:]], arrays, content, Generalized())


@given(releases())
def test_positions_that_fall(release: tuple[Table, Groups]) -> None:
    attributes, arrays, content = recorded(*release)
    first = attributes[0]
    fallen = replace(first, positions=-np.arange(len(first.labels) + 0.0), levels=None)
    if len(first.labels) > 1:
        with pytest.raises(UnsoundHistory, match="position"):
            read_release([fallen, *attributes[1:]], arrays, content, Generalized())


BINS = (0.0, 10.0, 40.0, np.nan)


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((10.0, 20.0, 50.0, np.nan), None),
        ((10.0, 40.0, 41.0, np.nan), None),
        # Double precision may not tell where a bin begins and ends.
        ((0.0, 10.0, 40.0, np.nan), None),
        ((10.0, 20.0, 50.0), "do not end"),
        ((10.0, 20.0, 50.0, np.nan, np.nan), "do not end"),
        ((10.0, 20.0, 50.0, 60.0), "do not end"),
        ((10.0, np.nan, 50.0, np.nan), "do not end"),
        ((10.0, 20.0, np.inf, np.nan), "not finite"),
        ((10.0, -np.inf, 50.0, np.nan), "do not end"),
        ((10.5, 20.0, 50.0, np.nan), "do not end"),
        ((10.0, 9.0, 50.0, np.nan), "do not end"),
        ((10.0, 20.0, 39.0, np.nan), "do not end"),
        ((10.0, 20.0, 1.7e308, np.nan), None),
    ],
)
def test_bins_end_between_their_values(ends: tuple[float, ...], message: str | None) -> None:
    labels = ("0", "10", "40", None)
    bins = Attribute(
        0, "age", labels, np.array(BINS), None, None, None, None, np.array(ends), 1.0, None
    )
    secret = Attribute(1, "illness", ("flu",), None, None, None, None, None, None, 1.0, None)
    if message is None:
        read_back = read_domains([bins, secret])[0].ends
        np.testing.assert_array_equal(read_back, ends)
        return
    with pytest.raises(BkprivError, match=message):
        read_domains([bins, secret])
    with pytest.raises(UnsoundHistory, match="begin nowhere"):
        read_domains([replace(bins, positions=None), secret])
