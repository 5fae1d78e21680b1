"""Widening: what it would cost to publish a record in the class nearest to it.

The nearest is the class whose box a record widens least: whose certainty penalty grows least, and
among equals the one whose penalty is then the smallest. The search is exact. Records are halved
along their widest attribute, and each half again; to those that are together at some time no class
is compared any more

- that grows, if widened to the nearest corner of their box, by more than another one does that is
  widened to all of it;
- or that has, so widened, a larger penalty than one that holds all of them as it is.

Penalties never fall as a box grows, so none of these is nearest to any. The remaining ones are
compared one by one.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.partition.neighbours import box_centres
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["widened_penalties"]

_COMPARED = 1_000_000
"""Pairs of a record and a class that are compared at a time."""

_EQUAL = 1e-9
"""Growths that differ by less are equal: they are differences of rounded figures."""

Corners = tuple[IntArray, IntArray]
"""First and last leaf places, two arrays of shape (x, d)."""


def widened_penalties(
    table: Table, boxes: Corners, records: Corners, progress: Progress = SILENT
) -> FloatArray:
    """Penalty of the nearest class of each record, widened to it.

    Args:
        records: Values that each record would be published as by itself: a point, or where whole
            columns are generalized a class of values.

    Returns:
        Shape (r,). The normalised certainty penalty, averaged over attributes, in [0, 1].
    """
    penalties = np.empty(len(records[0]))
    own = table.penalty(*boxes)
    places = box_centres(table, *records)
    waiting = [(np.arange(len(places)), np.arange(len(own)))] if len(places) else []
    while waiting:
        progress.poll()
        some, classes = waiting.pop()
        if len(some) == 1 or len(some) * len(classes) <= _COMPARED:
            penalties[some] = _compared(table, boxes, records, own, some=some, classes=classes)
            continue
        classes = _possible(table, boxes, records, own, some=some, classes=classes)
        widest = np.ptp(places[some], axis=0).argmax()
        along = some[np.argsort(places[some, widest], kind="stable")]
        half = len(along) // 2
        waiting += [(along[:half], classes), (along[half:], classes)]
    return penalties


def _compared(
    table: Table,
    boxes: Corners,
    records: Corners,
    own: FloatArray,
    some: IntArray,
    classes: IntArray,
) -> FloatArray:
    """Penalties for some records, each compared with each of some classes."""
    widened = np.zeros((len(some), len(classes)))
    for axis, domain in enumerate(table.quasi_identifiers):
        ends = np.column_stack([end[some, axis] for end in records])
        # Values recur, and are compared once.
        distinct, place, _ = distinct_rows(ends)
        low = np.minimum(boxes[0][classes, axis], ends[distinct, :1])
        high = np.maximum(boxes[1][classes, axis], ends[distinct, 1:])
        widened += domain.ncp(low, high)[place]
    widened /= len(table.quasi_identifiers)
    growth = widened - own[classes]
    nearest = growth <= growth.min(axis=1, keepdims=True) + _EQUAL
    least: FloatArray = widened.min(axis=1, initial=np.inf, where=nearest)
    return least


def _possible(
    table: Table,
    boxes: Corners,
    records: Corners,
    own: FloatArray,
    some: IntArray,
    classes: IntArray,
) -> IntArray:
    """Classes that may be nearest to some records; see the module."""
    low, high = (ends[classes] for ends in boxes)
    first, last = (ends[some] for ends in records)
    at_least = table.penalty(np.minimum(low, first.max(axis=0)), np.maximum(high, last.min(axis=0)))
    at_most = table.penalty(np.minimum(low, first.min(axis=0)), np.maximum(high, last.max(axis=0)))
    inside = at_most == own[classes]
    possible = at_least - own[classes] <= (at_most - own[classes]).min() + _EQUAL
    possible &= at_least <= at_most[inside].min(initial=np.inf) + _EQUAL
    left: IntArray = classes[possible]
    return left
