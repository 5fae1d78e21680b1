"""Domain knowledge: transitions stated by a table, as the literature of a field has them.

A row says with what probability a value follows a history, somebody's latest values; the values
that a history may be followed by stand in as many rows, and their probabilities sum to 1. A value
that no row names has probability 0.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import InvalidData
from bkpriv_core.sequence.mining import check_memory
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.sequence.transitions import DEEPEST, Transitions
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["given"]

_TOLERANCE = 1e-6
"""Tolerance for the sum of a history's probabilities, which are then scaled to 1."""


def given(
    name: str,
    values: Labels,
    lengths: IntArray,
    histories: IntArray,
    following: IntArray,
    probabilities: FloatArray,
    memory: int | None = None,
) -> Transitions:
    """Transitions as a table states them.

    Args:
        lengths: Shape (r,). Number of values in the history of each row.
        histories: Shape (sum of lengths,). Codes of those values in `values`, oldest first, row
            after row.
        following: Shape (r,). Code of each row's next value.
        probabilities: Shape (r,). Probability of that value; NaN for NULL.
        memory: Longer histories play no part.

    Raises:
        InvalidParameter: If `memory` is less than 1.
        InvalidData: If there are no rows, a history is empty, a probability is negative or not
            finite, a history and next value have two rows, or probabilities of a history do not sum
            to 1.
    """
    check_memory(memory)
    ends = np.cumsum(lengths)

    def quote(row: int) -> str:
        past = histories[ends[row] - lengths[row] : ends[row]].tolist()
        labels = (repr(values[code]) if values[code] is not None else "NULL" for code in past)
        return f"({', '.join(labels)})"

    def fault(row: int, what: str, detail: str, hint: str) -> InvalidData:
        return InvalidData(
            f"the transition table {name} {what}",
            detail=f"It is so for the history {quote(row)}. {detail}".rstrip(),
            hint=hint,
        )

    if not len(lengths):
        raise InvalidData(
            f"the transition table {name} has no rows",
            detail="Nothing is known of how values follow one another.",
            hint="Give a row for each history and next value, with its probability.",
        )
    if not lengths.all():
        row = int(np.argmin(lengths))
        raise InvalidData(
            f"the transition table {name} has an empty history",
            detail=f"{int((lengths == 0).sum())} of {len(lengths)} rows say what follows nothing; "
            f"one gives {values[following[row]]!r} the probability {probabilities[row]:g}.",
            hint="Knowledge of single releases is the bandwidth, or prior table, beside the "
            "sequence; leave these rows out.",
        )
    bad = ~(np.isfinite(probabilities) & (probabilities >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        what = (
            "has a probability that is NULL or not finite"
            if not np.isfinite(probabilities[row])
            else f"has the negative probability {probabilities[row]:g}"
        )
        raise fault(
            row,
            what,
            f"The next value is {values[following[row]]!r}.",
            "Probabilities lie between 0 and 1.",
        )
    if memory is not None and lengths.min() > memory:
        raise InvalidData(
            f"all histories of the transition table {name} are longer than the memory",
            detail=f"The shortest has {lengths.min()} values; the memory is {memory}.",
            hint=f"Give rows for histories of {memory} or fewer values, or a longer memory.",
        )
    order = int(lengths.max()) if memory is None else min(memory, int(lengths.max()))
    if order > DEEPEST:
        raise InvalidData(
            f"the transition table {name} has a history of {order} values",
            detail=f"Histories of at most {DEEPEST} can be told apart.",
            hint="Leave out the oldest values, or state a memory that does.",
        )
    node, parents, oldest = _grow(len(values), lengths, ends, histories, order=order)
    kept = np.flatnonzero(lengths <= order)
    pairs = node[kept] * len(values) + following[kept]
    rows = kept[np.argsort(pairs, kind="stable")]
    pairs = np.sort(pairs)
    twice = np.flatnonzero(pairs[1:] == pairs[:-1])
    if twice.size:
        row = int(rows[twice[0] + 1])
        raise fault(
            row,
            f"gives two probabilities of {values[following[row]]!r}",
            "",
            "Keep one row for each history and next value.",
        )
    owner, weights = node[rows], probabilities[rows]
    sums = np.bincount(owner, weights, minlength=len(parents))
    off = np.abs(sums[owner] - 1.0)
    if off.max() > _TOLERANCE:
        row = int(np.argmax(off))
        raise fault(
            int(rows[row]),
            "has probabilities that do not sum to 1",
            f"They sum to {sums[owner[row]]:.9g}.",
            "The probabilities of all next values of a history must sum to 1; give what is left "
            "to the values that are not named.",
        )
    weights, rows, owner = weights[weights > 0], rows[weights > 0], owner[weights > 0]
    widths = np.bincount(owner, minlength=len(parents))
    return Transitions(
        values,
        parents,
        oldest,
        np.concatenate(([0], np.cumsum(widths))).astype(np.int64),
        following=following[rows],
        probabilities=weights / sums[owner],
    )


def _grow(
    size: int, lengths: IntArray, ends: IntArray, histories: IntArray, order: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Node of each row's history, and parents and oldest values of all nodes."""
    node = np.zeros(len(lengths), dtype=np.int64)
    parents, oldest = [np.array([-1])], [np.array([-1])]
    first = 1
    for depth in range(1, order + 1):
        rows = np.flatnonzero((lengths >= depth) & (lengths <= order))
        keys, kind = np.unique(
            node[rows] * size + histories[ends[rows] - depth], return_inverse=True
        )
        parents.append(keys // size)
        oldest.append(keys % size)
        node[rows] = first + kind
        first += len(keys)
    return (
        node,
        np.concatenate(parents).astype(np.int64),
        np.concatenate(oldest).astype(np.int64),
    )
