"""Recorded draws: read back as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.recorded import Arrays, Attribute, read_release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import SUPPRESSED, Groups
from bkpriv_core.table.table import Table
from tests.core.strategies import as_table, tables
from tests.core.test_recorded import recorded

Recorded = tuple[list[Attribute], Arrays]


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
    attributes, arrays = recorded(table, Groups.whole(table.cells))
    arrays = replace(
        arrays,
        labels=np.full(table.cells, SUPPRESSED),
        drawn_codes=drawn.codes.ravel(),
        drawn_counts=drawn.counts,
    )
    attributes = [
        replace(item, retention=channel.retention)
        for item, channel in zip(attributes, channels, strict=True)
    ]
    return attributes, arrays


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
