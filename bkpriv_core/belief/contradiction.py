"""Contradictions: when a prior gives probability 0 to the values that a group was released with.

The likelihood of a release is 0 if and only if the group's values cannot be handed to its records
so that each record gets one to which its prior gives a positive probability. Whether they can is a
transport problem between parts, with their numbers of records, and values, with their counts. By
Hall's theorem something is short where they cannot: some records have too few values between them,
or some values too few records. Often it is one value or one part, and then it can be named.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["contradiction", "contradictory"]

_CHUNK_EDGES = 1_000_000
"""Edges of one transport problem, unless one group has more."""


def contradictory(
    groups: Groups,
    held: IntArray,
    prior: FloatArray,
    progress: Progress = SILENT,
) -> BoolArray:
    """Groups whose likelihood is 0, by maximum flow.

    Args:
        held: Shape (e, m). Records of each membership with each value; only row sums and each
            group's sums matter.
        prior: Shape (p, m). Prior beliefs.

    Returns:
        Shape (g,).
    """
    short = np.zeros(len(groups), dtype=bool)
    for first, last in groups.chunks(_CHUNK_EDGES // held.shape[1]):
        progress.poll()
        chunk = groups.select(np.arange(first, last))
        rows = slice(int(groups.offsets[first]), int(groups.offsets[last]))
        short[first:last] = _short(chunk, held[rows], prior[chunk.members])
    return short


def _short(groups: Groups, held: IntArray, prior: FloatArray) -> BoolArray:
    """Groups that cannot send all records to values, all groups side by side in one network."""
    from scipy.sparse import csr_matrix  # slow to import, and only wanted here
    from scipy.sparse.csgraph import maximum_flow

    members = len(prior)
    weights, histograms = held.sum(axis=1), groups.sum(held)
    row, value = np.nonzero(prior > 0)
    # Nodes: the source, the memberships, the values of each group, the sink.
    source, sink = 0, 1 + members + histograms.size
    from_member = 1 + np.arange(members)
    to_value = 1 + members + np.arange(histograms.size).reshape(histograms.shape)
    tails = np.concatenate((np.full(members, source), from_member[row], to_value.ravel()))
    heads = np.concatenate(
        (from_member, to_value[groups.owner[row], value], np.full(histograms.size, sink))
    )
    capacities = np.concatenate((weights, weights[row], histograms.ravel())).astype(np.int32)
    network = csr_matrix((capacities, (tails, heads)), shape=(sink + 1, sink + 1))
    # Sparse matrices are what every supported version of scipy takes here.
    flow = maximum_flow(network, source, sink).flow  # type: ignore[arg-type]
    sent = flow[source].toarray().ravel()[from_member]
    unsent: BoolArray = groups.sum(weights - sent) > 0
    return unsent


def contradiction(
    group: int, parts: IntArray, held: IntArray, prior: FloatArray
) -> ContradictoryKnowledge:
    """Error about one group, which names a value or a part if that alone is at fault.

    Args:
        parts: Shape (e,). Parts of the group.
        held: Shape (e, m). Records of each part with each value.
        prior: Shape (p, m). Prior beliefs.
    """
    weights, counts = held.sum(axis=1), held.sum(axis=0)
    records = weights.sum()
    choices = prior[parts] > 0
    takers = weights @ choices
    lacking = np.flatnonzero(takers < counts)
    stuck = np.flatnonzero(~(choices & (counts > 0)).any(axis=1))
    value = part = None
    if lacking.size:
        value = int(lacking[0])
        fault = f": value {value}"
        detail = (
            f"It occurs {counts[value]} times in the group, and the prior gives it probability 0 "
            f"for all but {takers[value]} of the group's {records} records."
        )
    elif stuck.size:
        part = int(parts[stuck[0]])
        fault = f": part {part}"
        detail = (
            "For them the prior gives probability 0 to every value that the group's "
            f"{records} records hold."
        )
    else:
        fault = ""
        detail = (
            "No value and no record alone is at fault, but the prior gives probability 0 to every "
            f"way of handing the group's values to its {records} records."
        )
    return ContradictoryKnowledge(
        f"the prior contradicts the release in group {group}{fault}",
        detail=detail,
        hint="Use knowledge that is consistent with the data, or a larger bandwidth.",
        group=group,
        value=value,
        part=part,
    )
