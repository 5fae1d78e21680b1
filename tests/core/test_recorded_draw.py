"""Recorded draws: read back as they were, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.errors import UnsoundHistory
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.recorded.attribute import Attribute
from bkpriv_core.release.recorded.content import Arrays, RecordedFigures, read_release
from bkpriv_core.release.recorded.draw import Draw
from bkpriv_core.release.recorded.respondent import RecordedRespondents, check_respondents
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.strategies import as_table, tables
from tests.core.test_recorded import recorded

Recorded = tuple[list[Attribute], Arrays, RecordedFigures]


@st.composite
def releases(draw_: st.DrawFn) -> tuple[Table, Randomized]:
    """Draw a table and what was drawn of it, some attributes kept."""
    table = as_table(draw_(tables(max_records=16)))
    channels = []
    for domain in table.domains:
        share = draw_(st.sampled_from([0.25, 0.5, 1.0]))
        least = 1 / domain.size
        channels.append(Channel(domain.size, 1.0 if share == 1 else least + share * (1 - least)))
    drawn = draw(table, channels, SeededChance(draw_(st.integers(0, 99))))
    return table, Randomized(tuple(channels), drawn)


def kept(table: Table, form: Randomized) -> Recorded:
    """Recorded material of a release."""
    channels, drawn = form.shown
    attributes, arrays, content = recorded(table, Groups.whole(table.cells))
    arrays = replace(
        arrays,
        labels=np.full(table.cells, SUPPRESSED),
        draw=Draw(drawn.codes.ravel(), drawn.counts),
    )
    attributes = [
        replace(item, retention=channel.retention)
        for item, channel in zip(attributes, channels, strict=True)
    ]
    return attributes, arrays, replace(content, suppressed=0, groups=0)


@given(releases())
def test_what_was_drawn_is_read_back(release: tuple[Table, Randomized]) -> None:
    table, form = release
    read = read_release(*kept(table, form), Randomized())
    assert read.partition is None
    assert read.published == table.records
    assert (read.labels == SUPPRESSED).all()
    assert isinstance(read.form, Randomized)
    assert read.form.channels == form.channels
    assert read.form.drawn is not None
    assert form.drawn is not None
    np.testing.assert_array_equal(read.form.drawn.codes, form.drawn.codes)
    np.testing.assert_array_equal(read.form.drawn.counts, form.drawn.counts)
    assert (read.table.counts == table.counts).all()


@given(releases(), st.data())
def test_one_number_changed_is_another_draw_or_none(
    release: tuple[Table, Randomized], data: st.DataObject
) -> None:
    table, form = release
    attributes, arrays, content = kept(table, form)
    assert arrays.draw is not None
    name = data.draw(st.sampled_from(("codes", "counts")))
    changed = getattr(arrays.draw, name).copy()
    place = data.draw(st.integers(0, len(changed) - 1))
    changed[place] = data.draw(st.integers(-3, 12) | st.sampled_from([-(2**31), 2**31 - 1, 2**62]))
    arrays = replace(arrays, draw=replace(arrays.draw, **{name: changed}))
    try:
        read = read_release(attributes, arrays, content, Randomized())
    except UnsoundHistory:
        return
    # Whatever passes is sound: the slow way round, everything is as it should be.
    assert isinstance(read.form, Randomized)
    channels, drawn = read.form.shown
    rows = [tuple(codes) for codes in drawn.codes.tolist()]
    assert len(set(rows)) == len(rows)
    assert sum(drawn.counts.tolist()) == table.records
    assert (drawn.counts > 0).all()
    assert all(0 <= code < c.size for row in rows for code, c in zip(row, channels, strict=True))
    for axis, channel in enumerate(channels):
        if channel.retention == 1:
            there = np.bincount(drawn.codes[:, axis], drawn.counts, channel.size)
            was = table.counts.sum(axis=0)
            if axis < len(table.quasi_identifiers):
                was = np.bincount(table.codes[:, axis], table.weights, channel.size)
            assert there.tolist() == was.tolist()


@pytest.mark.parametrize(
    ("codes", "counts", "message"),
    [
        ([0, 0, 0, 1], [2, 2], None),
        ([0, 0, 0, 1, 0, 0], [1, 2, 1], "recurs"),
        ([0, 0, 0, 1], [5, -1], "least count is -1"),
        ([0, 0, 0, 1, 1, 0], [2, 2, 0], "least count is 0"),
        ([0, 0, 0, 1], [2, 3], "5 records were drawn, not 4"),
        ([0, 0, 0, 1], [2**62, 2**62], "records were drawn, not 4"),
        ([0, 0, 0], [4], "3 codes for 1 records"),
    ],
)
def test_records_are_counted_once_each(
    codes: list[int], counts: list[int], message: str | None
) -> None:
    a, s = (Domain(name, ("0", "1")) for name in "as")
    table = Table((a,), s, np.array([[0], [1]]), np.array([[2, 0], [0, 2]]))
    channels = (Channel(2, 0.6), Channel(2, 0.7))
    form = Randomized(channels, draw(table, channels, SeededChance(1)))
    attributes, arrays, content = kept(table, form)
    arrays = replace(arrays, draw=Draw(np.array(codes), np.array(counts)))
    if message is None:
        read_release(attributes, arrays, content, Randomized())
        return
    with pytest.raises(UnsoundHistory) as caught:
        read_release(attributes, arrays, content, Randomized())
    assert message in f"{caught.value.message}: {caught.value.detail}"


def test_kept_attributes_keep_their_values_together() -> None:
    # Each by itself is as it was; but not together.
    a, b, s = (Domain(name, ("0", "1")) for name in "abs")
    table = Table((a, b), s, np.array([[0, 0], [1, 1]]), np.array([[1, 0], [0, 1]]))
    channels = (Channel(2, 1.0), Channel(2, 1.0), Channel(2, 0.7))
    drawn = draw(table, channels, SeededChance(1))
    attributes, arrays, content = kept(table, Randomized(channels, drawn))
    crossed = Draw(np.array([0, 1, 0, 1, 0, 1]), np.array([1, 1]))
    with pytest.raises(UnsoundHistory, match='differs in "a" and "b"'):
        read_release(attributes, replace(arrays, draw=crossed), content, Randomized())


@given(releases(), st.data())
def test_retentions_are_those_of_channels(
    release: tuple[Table, Randomized], data: st.DataObject
) -> None:
    attributes, arrays, content = kept(*release)
    place = data.draw(st.integers(0, len(attributes) - 1))
    least = 1 / len(attributes[place].labels)
    retention = data.draw(
        st.sampled_from([0.0, -0.5, 1.5, float("nan"), float("inf"), least, least / 2, None])
    )
    assume(retention != 1.0)
    attributes[place] = replace(attributes[place], retention=retention)
    with pytest.raises(UnsoundHistory, match=r"retention|recorded what was drawn"):
        read_release(attributes, arrays, content, Randomized())


@given(releases())
def test_a_release_is_drawn_or_has_groups(release: tuple[Table, Randomized]) -> None:
    table, form = release
    attributes, arrays, content = kept(table, form)
    nothing = replace(arrays, draw=None)
    grouped = replace(arrays, labels=np.zeros(table.cells, dtype=np.int64))
    whole = replace(content, groups=1)
    plain = [replace(item, retention=None) for item in attributes]
    for changed in (
        (attributes, nothing, content, Randomized()),
        (plain, nothing, content, Randomized()),
        (plain, arrays, content, Randomized()),
        (attributes, grouped, whole, Randomized()),
        (attributes, grouped, content, Randomized()),
        (attributes, arrays, whole, Randomized()),
        (attributes, arrays, replace(content, suppressed=1), Randomized()),
        (attributes, grouped, whole, Generalized()),
        (plain, grouped, whole, Generalized()),
        (attributes, replace(grouped, draw=None), whole, Generalized()),
        (attributes, arrays, content, Generalized()),
    ):
        with pytest.raises(UnsoundHistory):
            read_release(*changed)
    read_release(plain, replace(grouped, draw=None), whole, Generalized())


@given(releases(), st.data())
def test_respondents_are_in_no_group(
    release: tuple[Table, Randomized], data: st.DataObject
) -> None:
    table, form = release
    shown = Release(Parts.of(table), None, form)
    places, values = shown.parts.enumerate_records()
    names = [str(place) for place in range(table.records)]
    sound = RecordedRespondents(names, np.full(table.records, SUPPRESSED), places, values)
    check_respondents(shown, sound)
    labels = sound.labels.copy()
    labels[data.draw(st.integers(0, len(labels) - 1))] = data.draw(st.sampled_from([0, 1, -2]))
    with pytest.raises(UnsoundHistory):
        check_respondents(shown, replace(sound, labels=labels))
