"""Beliefs about the persons of a release, given implications about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import ContradictoryKnowledge, TooLarge
from bkpriv_core.implication.atoms import Implication
from bkpriv_core.implication.given import GivenBeliefs, disclosure_given
from bkpriv_core.implication.persons import NamedPersons, Roll
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray

__all__ = ["PersonBeliefs", "believe"]

_SHOWN = 8
"""Limit of the groups that an error message lists."""


@dataclass(frozen=True, eq=False)
class PersonBeliefs:
    """Beliefs about all persons of a release.

    Parameters
    ----------
    roll : Roll
        The persons.
    beliefs : (b, m) float array
        The different beliefs about them, by `Roll.belief`.
    """

    roll: Roll
    beliefs: FloatArray


def believe(
    persons: NamedPersons,
    implications: Sequence[Implication],
    release: str,
    progress: Progress = SILENT,
) -> PersonBeliefs:
    """Infer what is believed about everybody; exact, see `bkpriv_core.implication.given`.

    Parameters
    ----------
    persons : NamedPersons
        The persons of the release.
    implications : sequence of Implication
        Implications, all of which hold.
    release : str
        Name of the release in messages.

    Raises
    ------
    ContradictoryKnowledge
        If the release is impossible under the implications.
    TooLarge
        If the implications link too many persons.
    """
    mentioned = {(atom.bucket, atom.person) for item in implications for atom in item.atoms}
    by_group = Counter(group for group, _ in mentioned).most_common(_SHOWN)
    listed = ", ".join(f"{group} ({count})" for group, count in by_group)
    try:
        given = disclosure_given(
            persons.parts.histograms(persons.groups), implications, progress=progress
        )
    except ContradictoryKnowledge as error:
        raise ContradictoryKnowledge(
            f"the knowledge contradicts {release}",
            detail="No way to hand out the values of its groups agrees with it. Groups (persons) "
            f"that it names: {listed}.",
            hint=error.hint,
        ) from None
    except TooLarge as error:
        raise TooLarge(
            error.message,
            detail=f"{error.detail} Groups (persons) that it names: {listed}.",
            hint=error.hint,
        ) from None
    apart = sorted(given.persons)
    return PersonBeliefs(persons.call(apart), _distinct(given, apart))


def _distinct(given: GivenBeliefs, apart: Sequence[tuple[int, int]]) -> FloatArray:
    """Beliefs about whoever is not told apart, group by group, then about those who are."""
    shares = given.histograms / given.histograms.sum(axis=1, keepdims=True)
    for group, others in given.others.items():
        shares[group] = others
    beliefs: FloatArray = np.vstack((shares, *(given.persons[person] for person in apart)))
    return beliefs
