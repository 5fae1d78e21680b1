"""Boxing: parts gathered into boxes, the box that loses most detail cut first."""

from __future__ import annotations

import heapq

import numpy as np

from bkpriv_core.partition.cutting import median_cuts
from bkpriv_core.progress import Progress
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["boxes"]

_NARROW = 0.1
"""Certainty penalty of a box that is not cut any more."""


def boxes(
    parts: Parts, members: IntArray, alike: IntArray, most: int, progress: Progress
) -> list[IntArray]:
    """Gather parts with the same number into boxes, at most as many as are wanted if they can."""
    queue: list[tuple[float, int, IntArray]] = []
    made = 0

    def add(boxes: Groups) -> None:
        nonlocal made
        penalties = parts.table.penalty(*parts.boxes(boxes))
        losses = np.where(penalties > _NARROW, parts.sizes(boxes) * penalties, 0.0)
        for lost, box in zip(losses.tolist(), boxes, strict=True):
            heapq.heappush(queue, (-lost, made, box))
            made += 1

    add(Groups.from_lists([members[alike == number] for number in np.unique(alike)]))
    while len(queue) < most and queue[0][0] < 0:
        progress.poll()
        _, _, costly = heapq.heappop(queue)
        box = Groups.from_lists([costly])
        low, high = parts.boxes(box)
        widths = [
            domain.ncp(low[:, axis], high[:, axis])[0]
            for axis, domain in enumerate(parts.table.quasi_identifiers)
        ]
        add(median_cuts(parts, box, np.array([np.argmax(widths)])).halves())
    return [box for _, _, box in sorted(queue, key=lambda item: item[1])]
