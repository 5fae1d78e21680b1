"""Drawing: every value of every record is kept, or becomes another, by lot.

Records are drawn one by one and independently, in arrays and a part of them at a time. Drawn
records are counted, so that neither their order nor anything else tells which record became which.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.table import Table

__all__ = ["draw"]

_AT_ONCE = 1_000_000
"""Records that are drawn at a time."""


def draw(
    table: Table, channels: Sequence[Channel], chance: Chance, progress: Progress = SILENT
) -> Drawn:
    """Draw the records of a table through a channel for each attribute.

    Args:
        table: The table, ``d`` quasi-identifiers and the sensitive attribute.
        progress: Receives the share of the records that is drawn.

    Returns:
        Records, as many as the table has. Probabilities are those of the channels to within ``d *
        2**-53``.
    """
    cell, value = np.nonzero(table.counts)
    until = np.cumsum(table.counts[cell, value])
    codes, counts = [], []
    for start in range(0, table.records, _AT_ONCE):
        progress.report(start / table.records)
        stop = min(start + _AT_ONCE, table.records)
        kind = np.searchsorted(until, np.arange(start, stop), side="right")
        records = np.column_stack((table.codes[cell[kind]], value[kind]))
        for axis, channel in enumerate(channels):
            _distort(records[:, axis], channel, chance)
        first, _, times = distinct_rows(records)
        codes.append(records[first])
        counts.append(times)
    drawn = np.concatenate(codes)
    first, kind, _ = distinct_rows(drawn)
    together = np.zeros(len(first), dtype=np.int64)
    np.add.at(together, kind, np.concatenate(counts))
    return Drawn(drawn[first], together)


def _distort(codes: IntArray, channel: Channel, chance: Chance) -> None:
    """Draw the values of one attribute anew, in place."""
    if channel.retention == 1.0:
        return
    moved = np.flatnonzero(chance.uniform(len(codes)) >= channel.retention)
    # One of the other values; a product with a number below 1 rounds to below the factor.
    other = (chance.uniform(len(moved)) * (channel.size - 1)).astype(np.int64)
    codes[moved] = other + (other >= codes[moved])
