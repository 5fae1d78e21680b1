"""Bounds: how many people of an atom have a value, at least and at most.

They follow from the groups, whatever the priors. A group leaves for one of its atoms its records
with a value, less the least, or the largest, number that its other atoms take; and an atom takes
what its size leaves beside other values. That is repeated until nothing changes; at any time it is
an outer bound. Linear programmes (see `tighten`) give all that follows from a whole component, but
for what follows from numbers being whole; with whole numbers (see `attain`) they say which may be
more than 0.

An atom whose numbers are all known is *settled*: it is a group by itself, and is taken out of the
others, which may then come apart or lie within one another; so settling begins anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.composition.constraint import Constraints, unsound
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.sparse import ranges
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray

__all__ = ["Bounds", "attain", "settle", "tighten"]

_SWEEPS = 1000
"""Sweeps after which bounds are left as they are."""

_SECONDS = 2.0
"""Time limit of a programme in whole numbers."""

_ROUNDED = 1e-6
"""Tolerance of a linear programme's optimum around a whole number."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Least and largest numbers of people of each atom with each value."""

    low: IntArray
    high: IntArray
    """Shape (a, m). Bounds that contain the truth."""

    @classmethod
    def none(cls, weights: IntArray, values: int) -> Bounds:
        """Bounds by which anybody may have any value."""
        high = np.repeat(weights[:, None], values, axis=1)
        return cls(np.zeros_like(high), high)

    @property
    def settled(self) -> BoolArray:
        """Mark atoms with known numbers, shape (a,)."""
        settled: BoolArray = (self.low == self.high).all(axis=1)
        return settled


def settle(
    constraints: Constraints, weights: IntArray, bounds: Bounds, progress: Progress = SILENT
) -> tuple[Constraints, Bounds]:
    """Refine constraints on atoms and bound numbers, until that changes nothing.

    Args:
        weights: Shape (a,). People of each atom.

    Returns:
        constraints: Refined, with each settled atom in a group of its own.

    Raises:
        TooLarge: If too many groups overlap.
        UnsoundHistory: If no numbers agree with all constraints.
    """
    known = np.zeros(len(weights), dtype=bool)
    while True:
        constraints = constraints.refined(progress)
        bounds = _narrowed(constraints, weights, bounds, progress)
        fresh = np.flatnonzero(bounds.settled & ~known)
        known[fresh] = True
        degrees = np.bincount(constraints.members.members, minlength=len(weights))
        alone = constraints.members.offsets[:-1][constraints.members.widths == 1]
        apart = np.zeros(len(weights), dtype=bool)
        apart[constraints.members.members[alone]] = True
        # Atoms of other components, of which bounds may tell as well, are under no constraint here.
        fresh = fresh[degrees[fresh] > apart[fresh]]
        if not len(fresh):
            return constraints, bounds
        atoms = Constraints(Groups.from_rows(fresh), bounds.low[fresh])
        constraints = Constraints.joined([constraints, atoms])


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sums that numbers of atoms with values make up, over those that may not be 0.

    Numbers stand atom by atom. A *term* is a number in the sum of a group's records with a value.
    """

    atom: IntArray
    value: IntArray
    """Shape (x,). Atom and value of each number."""
    sizes: Groups
    totals: Groups
    counts: IntArray
    """Shape (s,). Total of each sum."""
    terms: Groups
    """Terms of each number, by their place in `totals`."""

    @classmethod
    def of(cls, constraints: Constraints, high: IntArray) -> _Sums:
        """Sums of the constraints over numbers that may be more than 0."""
        members, histograms = constraints.members, constraints.histograms
        inside = np.zeros(len(high), dtype=bool)
        inside[members.members] = True
        atom, value = np.nonzero((high > 0) & inside[:, None])
        starts = np.searchsorted(atom, np.arange(len(high) + 1))
        widths = np.diff(starts)[members.members]
        if not widths.all():
            raise unsound("For somebody no value is shown by all groups that they are in.")
        number = ranges(starts[members.members], widths)
        key = np.repeat(members.owner, widths) * histograms.shape[1] + value[number]
        order = np.argsort(key, kind="stable")
        key, number = key[order], number[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        if np.count_nonzero(histograms) > len(first):
            raise unsound("Nobody of a group may have a value that it shows.")
        by_number = np.argsort(number, kind="stable")
        ends = np.searchsorted(number[by_number], np.arange(len(atom) + 1))
        return cls(
            atom,
            value,
            Groups(np.arange(len(atom)), np.unique(starts)),
            Groups(number, np.append(first, len(key))),
            counts=histograms.ravel()[key[first]],
            terms=Groups(by_number, ends),
        )

    def equations(self, weights: IntArray) -> tuple[Any, IntArray]:
        """Equations for the numbers, by people of each atom: a sparse matrix, and its product."""
        from scipy.sparse import csr_array, vstack  # slow to import, and only wanted here

        count = len(self.atom)
        rows = [
            csr_array((np.ones(len(each.members)), each.members, each.offsets), (len(each), count))
            for each in (self.totals, self.sizes)
        ]
        held = np.concatenate((self.counts, weights[self.atom[self.sizes.offsets[:-1]]]))
        return vstack(rows, format="csr"), held


def _narrowed(
    constraints: Constraints, weights: IntArray, bounds: Bounds, progress: Progress
) -> Bounds:
    """Bounds that each sum implies, given the others."""
    low, high = bounds.low.copy(), bounds.high.copy()
    members = constraints.members
    np.minimum.at(high, members.members, constraints.histograms[members.owner])
    if (low > high).any():
        raise unsound("A value is shown of fewer people than must have it.")
    sums = _Sums.of(constraints, high)
    sizes, totals, terms = sums.sizes, sums.totals, sums.terms
    least, most = low[sums.atom, sums.value], high[sums.atom, sums.value]
    weight = weights[sums.atom]
    for _ in range(_SWEEPS):
        progress.poll()
        before = int(most.sum() - least.sum())
        at_least, at_most = least[totals.members], most[totals.members]
        room = (sums.counts - totals.sum(at_least))[totals.owner] + at_least
        need = (sums.counts - totals.sum(at_most))[totals.owner] + at_most
        most = np.minimum(most, terms.min(room[terms.members]))
        least = np.maximum(least, terms.max(need[terms.members]))
        most = np.minimum(most, weight - (sizes.sum(least)[sizes.owner] - least))
        least = np.maximum(least, weight - (sizes.sum(most)[sizes.owner] - most))
        if (least > most).any():
            raise unsound("A value is shown of fewer people than must have it.")
        if int(most.sum() - least.sum()) == before:
            break
    low[sums.atom, sums.value], high[sums.atom, sums.value] = least, most
    return Bounds(low, high)


def tighten(
    constraints: Constraints,
    weights: IntArray,
    bounds: Bounds,
    progress: Progress = SILENT,
) -> tuple[Bounds, int]:
    """Narrow bounds of a component by linear programmes, one for each bound in doubt.

    Args:
        weights, bounds: See `settle`.
    """
    from scipy.optimize import linprog  # slow to import, and only wanted here

    sums = _Sums.of(constraints, bounds.high)
    least = bounds.low[sums.atom, sums.value]
    most = bounds.high[sums.atom, sums.value]
    equal, held = sums.equations(weights)
    # What some solution attains needs no programme.
    attained_low, attained_high = most.copy(), least.copy()
    solved = 0
    for number in np.flatnonzero(least < most).tolist():
        for sign in (1.0, -1.0):
            attained = attained_low[number] if sign > 0 else attained_high[number]
            if attained == (least if sign > 0 else most)[number]:
                continue
            progress.poll()
            solved += 1
            cost: FloatArray = np.zeros(len(least))
            cost[number] = sign
            within = np.stack((least, most), axis=1)
            # Sparse matrices are what every supported version of scipy takes here.
            found = linprog(cost, A_eq=equal, b_eq=held, bounds=within)  # type: ignore[call-overload]
            if found.status == 2:
                raise unsound("The sums of all groups have no solution.")
            if found.status != 0:
                continue
            attained_low = np.minimum(attained_low, np.ceil(found.x - _ROUNDED).astype(np.int64))
            attained_high = np.maximum(attained_high, np.floor(found.x + _ROUNDED).astype(np.int64))
            if sign > 0:
                least[number] = int(np.ceil(found.fun - _ROUNDED))
            else:
                most[number] = int(np.floor(_ROUNDED - found.fun))
    low, high = bounds.low.copy(), bounds.high.copy()
    low[sums.atom, sums.value], high[sums.atom, sums.value] = least, most
    return Bounds(low, high), solved


def attain(
    constraints: Constraints,
    weights: IntArray,
    bounds: Bounds,
    attained: BoolArray,
    budget: int,
    progress: Progress = SILENT,
) -> tuple[Bounds, BoolArray, int]:
    """Find which values atoms may have, by programmes in whole numbers, one for each in doubt.

    Args:
        constraints, weights, bounds: See `tighten`.
        attained: Shape (a, m). Values of which that is known.
        budget: Largest number of numbers of all programmes together.

    Returns:
        bounds: At most 0 for values that are impossible.
        attained: Shape (a, m). Values that some people of each atom have in a way that agrees with
            the constraints. Of others that the bounds allow nothing is known: the budget did not
            suffice.
        spent: Part of the budget that was spent.
    """
    from scipy import optimize  # slow to import, and only wanted here

    sums = _Sums.of(constraints, bounds.high)
    least = bounds.low[sums.atom, sums.value]
    most = bounds.high[sums.atom, sums.value]
    known = attained[sums.atom, sums.value] | (least > 0)
    equal, held = sums.equations(weights)
    spent = 0
    for number in np.flatnonzero(~known).tolist():
        if known[number] or spent + len(least) > budget:
            continue
        progress.poll()
        spent += len(least)
        wanted = least.copy()
        wanted[number] = 1
        found = optimize.milp(
            np.zeros(len(least)),
            integrality=np.ones(len(least), dtype=np.int64),
            bounds=optimize.Bounds(wanted, most),
            constraints=optimize.LinearConstraint(equal, held, held),
            options={"time_limit": _SECONDS},
        )
        if found.status == 2:
            most[number] = 0
        elif found.x is not None:
            solution = np.rint(found.x)
            if (equal @ solution == held).all() and (solution >= wanted).all():
                known |= solution > 0
    high, attained = bounds.high.copy(), attained.copy()
    high[sums.atom, sums.value] = most
    attained[sums.atom, sums.value] = known
    return Bounds(bounds.low, high), attained, spent
