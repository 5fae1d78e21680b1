"""What a release discloses at worst, and under stated knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.implication import Witness, witnesses
from bkpriv_core.implication.inference import believe
from bkpriv_core.implication.persons import Cells, Names, Persons
from bkpriv_core.implication.statement import atom_json, parse_statements, witness_json
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
    recorded = find_release(release)
    if k is None:
        raise InvalidParameter(
            "k is missing", detail="It is NULL.", hint="Give a whole number of at least 0."
        )
    language = require(language, "language")
    attaining = witnesses(recorded.parts.histograms(recorded.groups), k, language, POLLED)
    persons = _persons(recorded)

    @cache
    def as_json(witness: Witness) -> tuple[str, str]:
        """Witness and target; once for all k beyond which nothing more can be disclosed."""
        POLLED.poll()
        return witness_json(witness, language, persons), atom_json(witness.target, persons)

    rows = [
        (pieces, witness.disclosure, *as_json(witness)) for pieces, witness in enumerate(attaining)
    ]
    return iter(rows)


@entry
def disclosure_given(release: int | None, knowledge: str | None) -> dict[str, Any]:
    """See ``bkpriv.disclosure_given``."""
    recorded = find_release(release)
    persons = _persons(recorded)
    implications = parse_statements(from_json(knowledge, "knowledge", exact=True), persons, POLLED)
    inferred = believe(persons, implications, f"release {recorded.release}", POLLED)
    roll, nobody = inferred.roll, [None] * len(inferred.roll.group)
    respondents: Sequence[str | None]
    qi: Sequence[str | None]
    if isinstance(persons, Names):
        respondents, qi = [persons.names[place] for place in roll.member.tolist()], nobody
    else:
        respondents, qi = nobody, qi_json(recorded.table, recorded.parts.cell[roll.member])
    return {
        "respondent": respondents,
        "group_id": roll.group.tolist(),
        "qi": qi,
        "person": [number or None for number in roll.person.tolist()],
        "place": (roll.belief + 1).tolist(),
        "beliefs": list(map(array_literal, inferred.beliefs)),
        "sensitive": list(recorded.table.sensitive.labels),
    }


def _persons(recorded: RecordedRelease) -> Persons:
    respondents = find_respondents(recorded)
    if respondents is None:
        return Cells(recorded.parts, recorded.groups)
    return Names(recorded.parts, recorded.groups, respondents.names, respondents.labels)
