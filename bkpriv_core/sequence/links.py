r"""Links: how likely a value at one look is followed by a value at the person's next look.

Between looks at two periods ``P(v | u)`` is the revision of `revision` for a person whose newest
value is ``u`` for certain, older ones being weighed by what was believed of them as they appeared;
between looks at one period it is the identity. Doubt is as in `inference`. Only values of the
groups of both looks matter, so that links are sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bkpriv_core.progress import Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import DOUBT
from bkpriv_core.sequence.revision import Past, revise
from bkpriv_core.sequence.sparse import SparseBeliefs, ranges, recode
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.groups import BoolArray, FloatArray, IntArray

__all__ = ["Links", "link", "rows_of"]


@dataclass(frozen=True, eq=False)
class Links:
    """Links of looks of a step to earlier ones; ``b`` beliefs about those, ``f`` about the step's.

    Parameters
    ----------
    sources : (b,) int array
        Places of the beliefs about the earlier looks.
    owner : (b,) int array
        Earlier look that each belief is about, counted from 0.
    transition : (f, b) sparse matrix
        ``P(v | u)``, of values of the groups.
    totals : (e, b) sparse matrix
        ``P(v | u)`` in sum over the values of the release.
    """

    sources: IntArray
    owner: IntArray
    transition: Any
    totals: Any


def rows_of(history: History, shown: SparseBeliefs) -> list[slice]:
    """Places of the beliefs about each step's looks among those about all looks."""
    ends = shown.offsets[history.looks.first].tolist()
    return [slice(first, last) for first, last in pairwise(ends)]


def link(
    history: History,
    transitions: Transitions,
    shown: SparseBeliefs,
    alone: FloatArray,
    anew: BoolArray,
    progress: Progress,
) -> list[Links]:
    """Links from every look to the next one of the same person, step by step.

    Parameters
    ----------
    history : History
        The releases.
    transitions : Transitions
        Knowledge of how values follow one another.
    shown : SparseBeliefs
        Beliefs about all looks as they appeared, in codes of the vocabulary.
    alone : (f,) float array
        BKsv of the same looks and values.
    anew : (l,) bool array
        Looks that follow nothing.
    """
    looks, vocabulary = history.looks, history.vocabulary
    order = looks.order
    follows = np.diff(looks.persons[order], prepend=-1) == 0
    moves = ~follows | (np.diff(looks.when[order], prepend=0) != 0)
    # Periods of persons: the last published look at each, and how many precede it.
    period = np.cumsum(moves) - 1
    last = order[np.append(moves[1:], True)[: len(order)]]
    newcomer = np.flatnonzero(~follows)
    earlier = period - np.repeat(period[newcomer], np.diff(newcomer, append=len(order)))
    # One more belief for each value: that it is certain.
    codes = np.arange(len(vocabulary) + 1, dtype=np.int64)
    certain = SparseBeliefs(codes, codes[:-1], np.ones(len(vocabulary)))
    beliefs = SparseBeliefs.joined([shown, certain])
    beliefs = beliefs.recoded(recode(vocabulary, transitions.values))
    followers = np.flatnonzero(follows & ~anew[order])
    links = []
    for place, step in enumerate(history.steps):
        progress.poll()
        mine = followers[looks.steps[order[followers]] == place]
        source = order[mine - 1]
        sources = ranges(shown.offsets[source], shown.widths[source])
        owner = np.repeat(np.arange(len(mine)), shown.widths[source])
        older = np.where(moves[mine], np.minimum(earlier[mine], transitions.memory) - 1, 0)
        lengths = 1 + np.maximum(older, 0)[owner]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        back = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        rows = last[np.repeat(period[mine[owner]], lengths) - 1 - back]
        rows[offsets[:-1]] = len(shown) + shown.values[sources]
        labels = step.labels
        columns = recode(transitions.values, labels)
        known, unknown = revise(
            transitions, beliefs, Past(rows, offsets), columns, size=len(labels), progress=progress
        )
        again = np.flatnonzero(~moves[mine[owner]])
        here = recode(vocabulary, labels)[shown.values[sources[again]]]
        known[again], unknown[again] = 0.0, 0.0
        known[again[here >= 0], here[here >= 0]] = 1.0
        target = order[mine][owner] - looks.first[place]
        links.append(
            _of_step(
                history=history,
                shown=shown,
                alone=alone,
                place=place,
                target=target,
                sources=sources,
                owner=owner,
                known=known,
                unknown=unknown,
            )
        )
    return links


def _of_step(
    history: History,
    shown: SparseBeliefs,
    alone: FloatArray,
    place: int,
    target: IntArray,
    sources: IntArray,
    owner: IntArray,
    known: FloatArray,
    unknown: FloatArray,
) -> Links:
    """Links to a step's looks `target`, given what each source lets expect there."""
    from scipy import sparse  # slow to import, and only wanted here

    offsets, values = history.steps[place].pattern
    widths = np.diff(offsets)[target]
    rows = ranges(offsets[target], widths)
    column = np.repeat(np.arange(len(sources)), widths)
    alone = alone[rows_of(history, shown)[place]]
    weights = (1.0 - DOUBT) * known[column, values[rows]]
    weights += ((1.0 - DOUBT) * unknown[column] + DOUBT) * alone[rows]
    totals = (1.0 - DOUBT) * (known.sum(axis=1) + unknown) + DOUBT
    return Links(
        sources,
        owner,
        sparse.csr_matrix((weights, (rows, column)), shape=(len(values), len(sources))),
        sparse.csr_matrix(
            (totals, (target, np.arange(len(sources)))), shape=(len(offsets) - 1, len(sources))
        ),
    )
