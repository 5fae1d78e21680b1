"""What a release discloses at worst, and under stated knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.implication import Witness, witnesses
from bkpriv_core.implication.inference import believe
from bkpriv_core.implication.persons import Cells, Names, Persons
from bkpriv_core.implication.statement import parse_statements, tell_atom, tell_witness
from bkpriv_core.table.notation import qi_json
from bkpriv_pl.boundary import array_literal, entry, from_json, require
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
        return tell_witness(witness, language, persons), tell_atom(witness.target, persons)

    rows = [(pieces, witness.disclosure, *told(witness)) for pieces, witness in enumerate(worst)]
    return iter(rows)


@entry
def disclosure_given(release: int | None, knowledge: str | None) -> dict[str, Any]:
    """See ``bkpriv.disclosure_given``."""
    found = find_release(release)
    persons = _persons(found)
    known = parse_statements(from_json(knowledge, "knowledge", exact=True), persons, POLLED)
    inferred = believe(persons, known, f"release {found.release}", POLLED)
    roll, nobody = inferred.roll, [None] * len(inferred.roll.group)
    respondents: Sequence[str | None]
    qi: Sequence[str | None]
    if isinstance(persons, Names):
        respondents, qi = [persons.names[place] for place in roll.member.tolist()], nobody
    else:
        respondents, qi = nobody, qi_json(found.table, found.parts.cell[roll.member])
    return {
        "respondent": respondents,
        "group_id": roll.group.tolist(),
        "qi": qi,
        "person": [number or None for number in roll.person.tolist()],
        "place": (roll.belief + 1).tolist(),
        "beliefs": list(map(array_literal, inferred.beliefs)),
        "sensitive": list(found.table.sensitive.labels),
    }


def _persons(found: RecordedRelease) -> Persons:
    respondents = find_respondents(found)
    if respondents is None:
        return Cells(found.parts, found.groups)
    return Names(found.parts, found.groups, *respondents)
