"""Sets of people whose records follow from groups by any sums and differences.

If groups cross, what is left of one may lie within what is left of another, or be half of a sum:
the groups {A, B}, {B, C} and {C, A} together have each record of A, B and C twice. A set of people
is *told* if its indicator is a linear combination of those of groups, ``1_S = sum_g c_g 1_g`` with
any numbers ``c``: its records are the same combination of theirs.

For at most twelve linked groups, none of which is a combination of others, all told sets are tried:
the system is reduced so that each row has one atom that no other row has, and a set is told with it
or without it; so ``r`` groups tell at most ``2 ** r`` sets. That is *exact*.
"""

from __future__ import annotations

import numpy as np

from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import BoolArray, FloatArray

__all__ = ["fewest_told"]


_RANK = 12
"""Largest number of groups of which all combinations are tried."""

_GROUPS = 24
"""Largest number of groups of a component that is looked at."""

_NUMBERS = 4_000_000
"""Largest number of numbers that are held at a time: of more, a component is left out."""

_ROUNDED = 1e-6
"""Tolerance of a combination around a whole number."""


def fewest_told(
    constraints: Constraints, may: BoolArray, progress: Progress = SILENT
) -> tuple[FloatArray, BoolArray]:
    """Fewest records that may be a person's, over all told sets that contain the person.

    Args:
        may: Shape (a, m). Values that people of each atom may have.

    Returns:
        fewest: Shape (a,). Infinite for people in no group, in one that no other crosses, or in a
            component of too many groups.
        overlooked: Shape (a,). People in such a component: sets that are told of them may have
            fewer.
    """
    fewest, overlooked = np.full(len(may), np.inf), np.zeros(len(may), dtype=np.bool_)
    for places in constraints.by_component(len(may))[1]:
        progress.poll()
        groups = constraints.members.select(places)
        if len(places) > _GROUPS:
            overlooked[groups.members] = True
            continue
        atoms, place = np.unique(groups.members, return_inverse=True)
        system = np.zeros((len(places), len(atoms)))
        system[groups.owner, place] = 1.0
        turned, records = _turned(system, constraints.histograms[places].astype(np.float64))
        if len(turned) > _RANK or len(atoms) + records.shape[1] > _NUMBERS >> len(turned):
            overlooked[atoms] = True
            continue
        chosen = (np.arange(1 << len(turned))[:, None] >> np.arange(len(turned))) & 1
        sets = chosen @ turned
        told = (np.abs(sets - (sets > 0.5)) < _ROUNDED).all(axis=1)
        shows, held = sets[told] > 0.5, chosen[told] @ records
        kinds, kind = np.unique(may[atoms], axis=0, return_inverse=True)
        counts = np.rint(held @ kinds.T)
        for number, atom in enumerate(atoms.tolist()):
            fewest[atom] = counts[shows[:, number], kind.ravel()[number]].min()
    return fewest, overlooked


def _turned(system: FloatArray, records: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Combinations of groups, each with an atom of its own, by Gauss-Jordan elimination.

    Returns:
        turned: Shape (r, a). System in which, in each of ``r`` columns, one is 1 and the others 0.
        records: Shape (r, m). The same combinations of the groups' records.
    """
    rows = np.concatenate((system, records), axis=1)
    atoms, rank = system.shape[1], 0
    for column in range(atoms):
        if rank == len(rows):
            break
        best = rank + int(np.abs(rows[rank:, column]).argmax())
        if abs(rows[best, column]) < _ROUNDED:
            continue
        rows[[rank, best]] = rows[[best, rank]]
        rows[rank] /= rows[rank, column]
        others = np.arange(len(rows)) != rank
        rows[others] -= rows[others, column, None] * rows[rank]
        rank += 1
    return rows[:rank, :atoms], rows[:rank, atoms:]
