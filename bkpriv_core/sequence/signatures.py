"""Signatures: the values of the group that somebody was last published in, for m-invariance.

The last release that shows somebody is that published last, whatever its period.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.sparse import SparseBeliefs, recode
from bkpriv_core.table.groups import IntArray

__all__ = ["signatures"]


def signatures(history: History, place: int) -> IntArray:
    """Signature of each record of a step: see `KnowledgeSource.signatures`.

    Args:
        history: The releases; that at `place` may still be without groups.

    Returns:
        Shape (p, m + 1).
    """
    step, looks = history.steps[place], history.looks
    many = int(looks.first[place])
    last = np.full(1 + max(int(step.persons.max()), int(looks.persons[:many].max(initial=0))), -1)
    last[looks.persons[:many]] = np.arange(many)  # of several the last is kept
    mine = last[step.persons]
    found = np.zeros((len(step.persons), len(step.labels) + 1), dtype=np.int64)
    rows = np.flatnonzero(mine >= 0)
    if not rows.size:
        return found
    earlier = range(place)
    values = np.concatenate(
        [
            history.codes[i][(shown := history.steps[i]).actual[shown.groups.members]]
            for i in earlier
        ]
    )
    rows = rows[values[mine[rows]] == history.codes[place][step.actual[rows]]]
    patterns = [history.steps[i].pattern for i in earlier]
    groups = SparseBeliefs.joined(
        [
            SparseBeliefs(offsets, history.codes[i][codes], np.ones(len(codes)))
            for i, (offsets, codes) in enumerate(patterns)
        ]
    )
    columns = recode(history.vocabulary, step.labels)
    others = len(step.labels)
    within = groups.select(mine[rows]).dense(np.where(columns < 0, others, columns), others + 1)
    found[rows] = within.astype(np.int64)
    return found
