"""What a release discloses at worst, and under stated knowledge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter, TooLarge
from bkpriv_core.implication import Beliefs, Implication, Witness, witnesses
from bkpriv_core.implication import disclosure_given as believe
from bkpriv_core.implication.statement import (
    Cells,
    Names,
    Persons,
    parse_statements,
    tell_atom,
    tell_witness,
)
from bkpriv_pl.boundary import entry, from_json, require
from bkpriv_pl.disclosure import qi_json
from bkpriv_pl.history import RecordedRelease, find_release, find_respondents
from bkpriv_pl.progress import POLLED

__all__ = ["disclosure_given", "max_disclosure"]


@entry
def max_disclosure(
    release: int | None, k: int | None, language: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.max_disclosure``."""
    found = find_release(release)
    if k is None:
        raise InvalidParameter(
            "k is missing", detail="It is NULL.", hint="Give a whole number of at least 0."
        )
    language = require(language, "language")
    worst = witnesses(found.parts.histograms(found.groups), k, language, POLLED)
    persons = _persons(found)

    @cache
    def told(witness: Witness) -> tuple[str, str]:
        """Witness and target; once for all k beyond which nothing more can be disclosed."""
        POLLED.poll()
        known = tell_witness(witness, language, persons)
        return json.dumps(known), json.dumps(tell_atom(witness.target, persons))

    rows = [(pieces, witness.disclosure, *told(witness)) for pieces, witness in enumerate(worst)]
    return iter(rows)


@entry
def disclosure_given(release: int | None, knowledge: str | None) -> dict[str, Any]:
    """See ``bkpriv.disclosure_given``."""
    found = find_release(release)
    persons = _persons(found)
    known = parse_statements(from_json(knowledge, "knowledge"), persons, POLLED)
    beliefs = _believe(found, known)
    told = (
        _of_names(persons, beliefs) if isinstance(persons, Names) else _of_cells(persons, beliefs)
    )
    return {**told, "sensitive": list(found.table.sensitive.labels)}


def _persons(found: RecordedRelease) -> Persons:
    respondents = find_respondents(found)
    if respondents is None:
        return Cells(found.parts, found.groups)
    return Names(found.parts, found.groups, *respondents)


def _believe(found: RecordedRelease, known: Sequence[Implication]) -> Beliefs:
    """Infer, with groups and persons instead of buckets in what is refused."""
    named = {(atom.bucket, atom.person) for item in known for atom in item.atoms}
    by_group = Counter(group for group, _ in named).most_common(8)
    told = ", ".join(f"{group} ({persons})" for group, persons in by_group)
    try:
        return believe(found.parts.histograms(found.groups), known, progress=POLLED)
    except ContradictoryKnowledge as error:
        raise ContradictoryKnowledge(
            f"the knowledge contradicts release {found.release}",
            detail="No way to hand out the values of its groups agrees with it. Groups (persons) "
            f"that it names: {told}.",
            hint=error.hint,
        ) from None
    except TooLarge as error:
        raise TooLarge(
            error.message,
            detail=f"{error.detail} Groups (persons) that it names: {told}.",
            hint=error.hint,
        ) from None


def _rows(beliefs: Beliefs) -> tuple[list[str], list[tuple[int, int]]]:
    """Distributions as texts of arrays: for the unnamed of each group, then the named."""
    shares = beliefs.histograms / beliefs.histograms.sum(axis=1, keepdims=True)
    for group, others in beliefs.others.items():
        shares[group] = others
    named = sorted(beliefs.persons)
    rows = [*shares.tolist(), *(beliefs.persons[person].tolist() for person in named)]
    return ["{" + ",".join(map(repr, row)) + "}" for row in rows], named


def _of_names(persons: Persons, beliefs: Beliefs) -> dict[str, Any]:
    """A row for each respondent that is published."""
    assert isinstance(persons, Names)
    texts, named = _rows(beliefs)
    members = persons.members
    places = members.owner + 1
    for number, (group, person) in enumerate(named, len(members) + 1):
        places[members.offsets[group] + person] = number
    return {
        "respondent": [persons.names[place] for place in members.members.tolist()],
        "group_id": members.owner.tolist(),
        "qi": [None] * len(places),
        "person": [None] * len(places),
        "place": places.tolist(),
        "beliefs": texts,
    }


def _of_cells(persons: Persons, beliefs: Beliefs) -> dict[str, Any]:
    """A row for each person who is named, and one for all others of each cell in each group."""
    texts, named = _rows(beliefs)
    parts, groups = persons.parts, persons.groups
    ends = np.cumsum(parts.weights[groups.members])
    starts = ends - parts.weights[groups.members]
    # Number of each named person in the whole release, and its membership.
    overall = np.array([starts[groups.offsets[group]] + person for group, person in named], int)
    where = np.searchsorted(ends, overall, side="right")
    some_left = ends - starts > np.bincount(where, minlength=len(ends))
    others = np.flatnonzero(some_left)
    rows = np.concatenate((others, where))
    numbers = overall - starts[where] + 1
    first = len(groups) + 1
    return {
        "respondent": [None] * len(rows),
        "group_id": groups.owner[rows].tolist(),
        "qi": qi_json(parts, groups.members[rows]),
        "person": [None] * len(others) + numbers.tolist(),
        "place": [*(groups.owner[others] + 1).tolist(), *range(first, first + len(named))],
        "beliefs": texts,
    }
