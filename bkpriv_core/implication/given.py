"""Probabilities given implications, by enumeration of the persons that they mention.

The problem is #P-complete, so there is a budget and no sampling. What keeps enumeration small:

- Buckets that no implication mentions stay as they are, and buckets that no implication links to
  one another, by however many steps, are enumerated apart.
- Within a bucket only the persons mentioned are told apart, and values only as far as atoms tell
  them apart: the rest are one class. An assignment of classes to the ``p`` persons mentioned, of a
  bucket with counts ``n_s`` in ``n``, has the probability of drawing them without replacement.
- Nobody else in the bucket can be told apart, so they share the distribution of what is left.

Every term is positive, so figures are exact up to a relative rounding error of a few units.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge
from bkpriv_core.implication.atoms import Atom, Implication, check_histograms
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["BUDGET", "GivenBeliefs", "disclosure_given"]

BUDGET = 2**20
"""Largest number of enumerated assignments, of all persons mentioned in linked buckets."""

_Truth = BoolArray


@dataclass(frozen=True, eq=False)
class GivenBeliefs:
    """Beliefs of an adversary about every person, given implications.

    Parameters
    ----------
    histograms : (b, m) int array
        The buckets.
    persons : mapping of (int, int) to (m,) float array
        Distribution over the values of each person mentioned, by bucket and person.
    others : mapping of int to (m,) float array
        Distribution of everybody else, in each bucket that is mentioned and has anybody else.
    """

    histograms: IntArray
    persons: dict[tuple[int, int], FloatArray]
    others: dict[int, FloatArray]

    def about(self, bucket: int, person: int) -> FloatArray:
        """Distribution over the values of a person, shape (m,)."""
        _check_atom(self.histograms, Atom(bucket, person, 0))
        if (bucket, person) in self.persons:
            return self.persons[bucket, person]
        if bucket in self.others:
            return self.others[bucket]
        shares: FloatArray = self.histograms[bucket] / self.histograms[bucket].sum()
        return shares

    def probability(self, atom: Atom) -> float:
        """Probability of an atom."""
        _check_atom(self.histograms, atom)
        return float(self.about(atom.bucket, atom.person)[list(atom.values)].sum())


@dataclass(frozen=True, eq=False)
class _Assignments:
    """Values that the persons mentioned of one bucket may have.

    Parameters
    ----------
    persons : tuple of int
        The persons mentioned.
    class_of : (m,) int array
        The class of each value: those of one are in the same atoms.
    classes : (a, p) array of small ints
        The assignments.
    weights : (a,) float array
        Probabilities of the assignments without the implications.
    left : (a, classes) int array
        Values of each class that are left for everybody else.
    """

    persons: tuple[int, ...]
    class_of: IntArray
    classes: npt.NDArray[np.signedinteger]
    weights: FloatArray
    left: IntArray

    def truth(self, atom: Atom) -> _Truth:
        """Assignments for which an atom about this bucket is true."""
        column = self.classes[:, self.persons.index(atom.person)]
        met: _Truth = np.zeros(self.left.shape[1], dtype=bool)
        met[self.class_of[list(atom.values)]] = True
        truth: _Truth = met[column]
        return truth


def disclosure_given(
    histograms: npt.NDArray[np.integer],
    implications: Sequence[Implication],
    *,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> GivenBeliefs:
    """Beliefs about every person given implications.

    Parameters
    ----------
    histograms : (b, m) int array
        Persons of each bucket with each value.
    implications : sequence of Implication
        Implications, all of which hold.
    budget : int
        Largest number of assignments that are enumerated together.

    Returns
    -------
    GivenBeliefs

    Raises
    ------
    InvalidParameter
        If an atom names a bucket, person or value that is not there.
    ContradictoryKnowledge
        If no assignment of the buckets' values agrees with all implications.
    TooLarge
        If the assignments of linked buckets exceed the budget.
    """
    checked = check_histograms(histograms)
    for implication in implications:
        progress.poll()
        for atom in implication.atoms:
            _check_atom(checked, atom)
        if not implication.atoms:
            raise InvalidParameter(
                "an implication has no atoms",
                detail="Nothing implies nothing, which is never true.",
                hint="Give it an atom on either side.",
            )
    beliefs = GivenBeliefs(checked, {}, {})
    for buckets, linked in _components(implications):
        progress.poll()
        _enumerate(beliefs, buckets, linked, budget, progress=progress)
    return beliefs


def _check_atom(histograms: IntArray, atom: Atom) -> None:
    buckets, values = histograms.shape
    persons = int(histograms[atom.bucket].sum()) if 0 <= atom.bucket < buckets else 0
    for what, code, size in (
        ("bucket", atom.bucket, buckets),
        ("person", atom.person, persons),
        *(("value", value, values) for value in atom.values),
    ):
        if not 0 <= code < size:
            raise InvalidParameter(
                f"an atom names {what} {code}, which is not there",
                detail=f"It is about person {atom.person} of bucket {atom.bucket} "
                f"and value {atom.value}.",
                hint=f"Number {what}s from 0 to {size - 1}.",
            )


def _components(
    implications: Sequence[Implication],
) -> list[tuple[list[int], list[Implication]]]:
    """Sets of buckets that implications link, each with its implications."""
    from scipy.sparse import coo_matrix  # slow to import, and only wanted here
    from scipy.sparse.csgraph import connected_components

    buckets = sorted({atom.bucket for item in implications for atom in item.atoms})
    place = {bucket: number for number, bucket in enumerate(buckets)}
    links = [
        (place[item.atoms[0].bucket], place[atom.bucket])
        for item in implications
        for atom in item.atoms
    ]
    ends = np.array(links, dtype=np.int64).reshape(-1, 2).T
    shape = (len(buckets), len(buckets))
    linked = coo_matrix((np.ones(len(links), dtype=bool), tuple(ends)), shape=shape)
    count, component = connected_components(linked, directed=False)
    components: list[tuple[list[int], list[Implication]]] = [([], []) for _ in range(count)]
    for bucket, number in zip(buckets, component.tolist(), strict=True):
        components[number][0].append(bucket)
    for item in implications:
        components[component[place[item.atoms[0].bucket]]][1].append(item)
    return components


def _enumerate(
    beliefs: GivenBeliefs,
    buckets: list[int],
    implications: list[Implication],
    budget: int,
    progress: Progress,
) -> None:
    """Infer the beliefs about linked buckets and add them."""
    atoms: dict[int, list[Atom]] = {bucket: [] for bucket in buckets}
    for item in implications:
        for atom in item.atoms:
            atoms[atom.bucket].append(atom)
    assigned: dict[int, _Assignments] = {}
    size = 1
    for bucket in buckets:
        progress.poll()
        assigned[bucket] = _assignments(
            beliefs.histograms[bucket], atoms[bucket], budget // size, budget
        )
        size *= len(assigned[bucket].weights)
    # An axis for each bucket that leaves a choice: few, since their product is within the budget.
    axes = [bucket for bucket in buckets if len(assigned[bucket].weights) > 1]
    possible: _Truth = np.ones([len(assigned[axis].weights) for axis in axes], dtype=bool)
    for item in implications:
        progress.poll()
        possible &= _fulfilled(item, assigned, axes)
    if not possible.any():
        raise ContradictoryKnowledge(
            "the knowledge contradicts the release",
            detail=f"No assignment of the values of buckets {', '.join(map(str, buckets))} "
            f"agrees with all {len(implications)} implications about them.",
            hint="Leave out an implication, or correct the persons and values that it names.",
        )
    weights: FloatArray = possible.astype(np.float64)
    for axis in axes:
        weights *= _along(axes, axis, assigned[axis].weights)
    weights /= weights.sum()
    for bucket in buckets:
        progress.poll()
        others = tuple(place for place, axis in enumerate(axes) if axis != bucket)
        marginal = weights.sum(axis=others).reshape(-1)
        _add_beliefs(beliefs, bucket, assigned[bucket], marginal)


def _fulfilled(
    item: Implication, assigned: Mapping[int, _Assignments], axes: Sequence[int]
) -> _Truth:
    """Assignments for which an implication is true."""
    fulfilled: _Truth = np.zeros([1] * len(axes), dtype=bool)
    for atom in item.antecedent:
        fulfilled = fulfilled | ~_along(axes, atom.bucket, assigned[atom.bucket].truth(atom))
    for atom in item.consequent:
        fulfilled = fulfilled | _along(axes, atom.bucket, assigned[atom.bucket].truth(atom))
    return fulfilled


def _along(axes: Sequence[int], bucket: int, values: AnyArray) -> AnyArray:
    """Values of the assignments of a bucket, along its axis; of one that has none, of the only."""
    return values.reshape([-1 if axis == bucket else 1 for axis in axes])


def _assignments(
    histogram: IntArray, atoms: Sequence[Atom], most: int, budget: int
) -> _Assignments:
    """Enumerate the classes of values that the persons mentioned may have."""
    persons = tuple(sorted({atom.person for atom in atoms}))
    class_of = _classes(len(histogram), {atom.values for atom in atoms})
    counts = np.bincount(class_of, histogram).astype(np.int64)
    classes = np.zeros((1, 0), dtype=np.int16 if len(counts) < 2**15 else np.int64)
    weights = np.ones(1)
    left = counts[None, :]
    for _ in persons:
        which, drawn = np.nonzero(left)
        if len(which) > most:
            raise TooLarge(
                "the knowledge links too many persons for exact probabilities",
                detail=f"Those in one bucket or linked by implications have more than {budget} "
                "assignments.",
                hint="Mention fewer persons of large groups, or link fewer groups.",
            )
        weights = weights[which] * left[which, drawn] / left[which].sum(axis=1)
        classes = np.column_stack((classes[which], drawn.astype(classes.dtype)))
        left = left[which].copy()
        left[np.arange(len(which)), drawn] -= 1
    return _Assignments(persons, class_of, classes, weights, left=left)


def _classes(size: int, mentioned: Collection[tuple[int, ...]]) -> IntArray:
    """Class of each of so many values, which are told apart by the sets of values mentioned."""
    class_of: IntArray = np.zeros(size, dtype=np.int64)
    count = 1
    for values in sorted(mentioned):
        members = list(values)
        held, place = np.unique(class_of[members], return_inverse=True)
        class_of[members] = count + place.ravel()
        count += len(held)
    return np.unique(class_of, return_inverse=True)[1].ravel().astype(np.int64)


def _add_beliefs(
    beliefs: GivenBeliefs, bucket: int, assignments: _Assignments, marginal: FloatArray
) -> None:
    """Turn the probabilities of a bucket's assignments into beliefs."""
    histogram = beliefs.histograms[bucket]
    class_of, classes = assignments.class_of, assignments.left.shape[1]
    # Of each value, its share in its class: nobody has any of a class that is empty.
    counts = np.bincount(class_of, histogram)
    within = histogram / np.maximum(counts, 1)[class_of]
    for place, person in enumerate(assignments.persons):
        drawn = np.zeros(classes)
        np.add.at(drawn, assignments.classes[:, place], marginal)
        beliefs.persons[bucket, person] = within * drawn[class_of]
    others = int(histogram.sum()) - len(assignments.persons)
    if others:
        shares = marginal @ (assignments.left / others)
        beliefs.others[bucket] = within * shares[class_of]
