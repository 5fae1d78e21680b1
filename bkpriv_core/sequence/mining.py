r"""Mining: how values follow one another in a corpus (Riboni, Pareschi, Bettini 2012, algorithm 5).

For every record of a corpus that another of the same person follows, every context that ends at it
is counted with the value that follows; ``p(s | context)`` is the share of ``s`` in what followed.
The paper divides by all occurrences of the context, those included that nothing follows, which is
no distribution; here it is given that the person appears again, as it is once the next release is
out.

The longest contexts may be limited (`memory`), and have 1,000 values at most. Contexts that only
one value ever followed are not lengthened: all longer ones say the same, so that beliefs are as if
they were there. That keeps knowledge small, for hardly any long context is ambiguous.

Depth after depth, all records at once: time and memory grow with the records in ambiguous contexts.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.sequence.transitions import DEEPEST, Transitions
from bkpriv_core.table.groups import IntArray

__all__ = ["check_memory", "count", "mined"]


def check_memory(memory: int | None) -> int | None:
    """Return how many past values count at most, if that means anything.

    Raises:
        InvalidParameter: If it is less than 1.
    """
    if memory is not None and memory < 1:
        raise InvalidParameter(
            f"a memory of {memory} values remembers nothing",
            detail="The memory is how many of somebody's latest values tell of the next one.",
            hint="Give 1 or more, or none for as many as there are. An adversary without memory is "
            "a policy's bandwidth alone.",
        )
    return memory


def mined(
    name: str,
    values: Labels,
    persons: IntArray,
    codes: IntArray,
    memory: int | None = None,
    progress: Progress = SILENT,
) -> Transitions:
    """Transitions counted in a corpus.

    Args:
        persons: Shape (r,). Person of each record; records of one person stand together, in the
            order of time.
        codes: Shape (r,). Codes of their values in `values`.
        memory: Length of the longest contexts; all if left out.

    Raises:
        InvalidParameter: If `memory` is less than 1.
        InvalidData: If nobody has two records.
    """
    check_memory(memory)
    transitions = count(values, persons, codes, memory, progress=progress)
    if len(transitions) == 1:
        raise InvalidData(
            f"nobody has two records in {name}",
            detail=f"It has {len(persons)} records of as many respondents.",
            hint="How values follow one another is counted in records of the same respondents in "
            "several periods; check which columns name the respondent and the period.",
        )
    return transitions


def count(
    values: Labels,
    persons: IntArray,
    codes: IntArray,
    memory: int | None = None,
    progress: Progress = SILENT,
) -> Transitions:
    """Transitions as `mined` has them; of the root alone, if nobody has two records."""
    size = len(values)
    starts = np.flatnonzero(np.diff(persons, prepend=-1) != 0)
    place = np.arange(len(persons)) - np.repeat(starts, np.diff(starts, append=len(persons)))
    # Records that follow another, how many of the same person precede them, and their context.
    rows = np.flatnonzero(place > 0)
    node = np.zeros(len(rows), dtype=np.int64)
    parents, oldest = [np.array([-1])], [np.array([-1])]
    widths, following, support = (
        [np.zeros(1, np.int64)],
        [np.zeros(0, np.int64)],
        [np.zeros(0, np.int64)],
    )
    first, depth = 1, 1
    deepest = DEEPEST if memory is None else min(memory, DEEPEST)
    while len(rows) and depth <= deepest:
        progress.poll()
        keys, kind = np.unique(node * size + codes[rows - depth], return_inverse=True)
        parents.append(keys // size)
        oldest.append(keys % size)
        pairs, times = np.unique(kind * size + codes[rows], return_counts=True)
        width = np.bincount(pairs // size, minlength=len(keys))
        widths.append(width)
        following.append(pairs % size)
        support.append(times)
        ambiguous = (width[kind] > 1) & (place[rows] > depth)
        node, rows = first + kind[ambiguous], rows[ambiguous]
        first, depth = first + len(keys), depth + 1
    times = np.concatenate(support)
    widths_ = np.concatenate(widths)
    offsets = np.concatenate(([0], np.cumsum(widths_))).astype(np.int64)
    owner = np.repeat(np.arange(len(widths_)), widths_)
    totals = np.bincount(owner, times, minlength=len(widths_))
    return Transitions(
        values,
        np.concatenate(parents).astype(np.int64),
        np.concatenate(oldest).astype(np.int64),
        offsets,
        following=np.concatenate(following).astype(np.int64),
        probabilities=times / totals[owner],
        support=times,
    )
