"""Records that were drawn, as they are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.randomization.channel import LEAST_GAP, Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.release.recorded.attribute import Attribute
from bkpriv_core.release.recorded.soundness import check_range, unsound
from bkpriv_core.release.release import Form, Release
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray

__all__ = ["Draw", "redrawn"]


@dataclass(frozen=True, eq=False)
class Draw:
    """The recorded arrays of what was drawn.

    Parameters
    ----------
    codes : (r * (d + 1),) int array
        Codes of the distinct records, record by record.
    counts : (r,) int array
        Number of records of each row.
    """

    codes: IntArray
    counts: IntArray


def redrawn(release: Release, attributes: Sequence[Attribute], draw: Draw | None) -> Form:
    """The form with the records that were drawn."""
    form, domains = release.form, release.domains
    stated = [item.retention for item in attributes if item.retention is not None]
    if not form.randomized and draw is None and not stated:
        return form
    if len(attributes) > len(domains):
        raise unsound(
            "combinations were drawn", f"Of {len(attributes)} columns each is drawn by itself."
        )
    if not form.randomized or draw is None or len(stated) < len(domains):
        raise unsound(
            "it is not recorded what was drawn, and how",
            f"It is {form.name}; {len(stated)} of {len(domains)} attributes have a retention, and "
            f"there are {'no' if draw is None else 'some'} records that were drawn.",
        )
    channels = _read_channels(domains, stated)
    return form.with_drawn(channels, _read_drawn(release, channels, draw))


def _read_channels(domains: Sequence[Domain], stated: Sequence[float]) -> tuple[Channel, ...]:
    """Channels of all attributes, whose retentions must be those of channels that are published."""
    for domain, retention in zip(domains, stated, strict=True):
        # Half of it leaves room for rounding. Not a number is no gap. One value is always kept.
        sharp = domain.size > 1 and Channel(domain.size, retention).gap > 0.5 * LEAST_GAP
        if not (retention == 1.0 or (sharp and retention < 1.0)):
            raise unsound(
                f'its retention of attribute "{domain.name}" is out of range',
                f"It is {retention:g}; with {domain.size} values it must be above "
                f"{1.0 / domain.size:g}, and at most 1.",
            )
    return tuple(
        Channel(domain.size, retention) for domain, retention in zip(domains, stated, strict=True)
    )


def _read_drawn(release: Release, channels: Sequence[Channel], draw: Draw) -> Drawn:
    """Records that were drawn, which must be as many, and have the values that were kept."""
    domains = release.domains
    if len(draw.counts) * len(domains) != len(draw.codes):
        raise unsound(
            f"it has {len(draw.codes)} codes for {len(draw.counts)} records that were drawn",
            f"There are {len(domains)} attributes.",
        )
    codes = draw.codes.reshape(len(draw.counts), len(domains))
    check_range("drawn codes", codes.min(axis=0), codes.max(axis=0), domains)
    total = float(draw.counts.sum(dtype=np.float64))
    if draw.counts.min() < 1 or total != release.table.records:
        raise unsound(
            f"{total:.15g} records were drawn, not {release.table.records}",
            f"The least count is {draw.counts.min()}.",
        )
    if len(distinct_rows(codes)[0]) < len(codes):
        raise unsound("a record that was drawn recurs", f"There are {len(codes)} kinds of them.")
    kept = [axis for axis, channel in enumerate(channels) if channel.retention == 1.0]
    cell, value = np.nonzero(release.table.counts)
    true = np.column_stack((release.table.codes[cell], value))[:, kept]
    first, kind, _ = distinct_rows(np.concatenate((true, codes[:, kept])))
    balance = np.zeros(len(first), dtype=np.int64)
    np.add.at(balance, kind, np.concatenate((release.table.counts[cell, value], -draw.counts)))
    if balance.any():
        names = '" and "'.join(domains[axis].name for axis in kept)
        raise unsound(
            f'what was drawn differs in "{names}"',
            "These attributes were kept as they are.",
        )
    return Drawn(codes, draw.counts)
