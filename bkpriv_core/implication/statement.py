"""Knowledge as people state it, in JSON.

Knowledge is a list. Each of its items holds::

    {"if": [atom, ...], "then": [atom, ...]}    all of the first, then one of the second
    {"not": atom}                               it is not so

An atom says who has which value, as `bkpriv_core.implication.persons` names both.
"""

from __future__ import annotations

import json

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.implication.atoms import Atom, Implication
from bkpriv_core.implication.persons import Persons
from bkpriv_core.implication.worst_case import Witness
from bkpriv_core.progress import SILENT, Progress

__all__ = ["parse_statements", "tell_atom", "tell_implication", "tell_witness"]

_SHAPE = 'Write [{"if": [...], "then": [...]}, {"not": {...}}, ...]; see bkpriv.disclosure_given.'


def parse_statements(
    decoded: object, persons: Persons, progress: Progress = SILENT
) -> list[Implication]:
    """Read knowledge.

    Parameters
    ----------
    decoded : object
        Decoded JSON; see the module.
    persons : Persons
        Whom it may speak about.
    progress : Progress
        Polled between steps.

    Raises
    ------
    InvalidParameter
        If it has another shape, or names a person or a value that is not there.
    """
    if not isinstance(decoded, list):
        raise _misshapen("knowledge is no list", decoded)
    found = []
    for item in decoded:
        progress.poll()
        found.append(_implication(item, persons))
    return found


def _implication(item: object, persons: Persons) -> Implication:
    if isinstance(item, dict) and set(item) == {"not"}:
        return Implication((_atom(item["not"], persons),))
    if not isinstance(item, dict) or set(item) != {"if", "then"}:
        raise _misshapen("a piece of knowledge is neither an implication nor a negation", item)
    for side in item.values():
        if not isinstance(side, list):
            raise _misshapen("a side of an implication is no list of atoms", side)
    if not item["if"] and not item["then"]:
        raise _misshapen("an implication has no atoms", item)
    sides = [tuple(_atom(atom, persons) for atom in item[key]) for key in ("if", "then")]
    return Implication(*sides)


def _atom(stated: object, persons: Persons) -> Atom:
    allowed = persons.keys | {"value"}
    if not isinstance(stated, dict) or "value" not in stated or not set(stated) <= allowed:
        listed = ", ".join(sorted(allowed))
        raise InvalidParameter(
            f"an atom is {as_json(stated)}",
            detail=f"It must be an object with keys among {listed}, value being one of them.",
            hint=_SHAPE,
        )
    group, person = persons.find(stated)
    return Atom(group, person, persons.sensitive.find(stated["value"]))


def _misshapen(message: str, found: object) -> InvalidParameter:
    return InvalidParameter(message, detail=f"It is {as_json(found)}.", hint=_SHAPE)


def tell_atom(atom: Atom, persons: Persons) -> str:
    """An atom as it is stated, in JSON."""
    value = json.dumps(persons.table.sensitive.labels[atom.value], ensure_ascii=False)
    return f'{{{persons.tell(atom.bucket, atom.person)}, "value": {value}}}'


def tell_implication(implication: Implication, persons: Persons) -> str:
    """An implication as it is stated, or a negation, in JSON."""
    antecedent, consequent = (
        ", ".join(tell_atom(atom, persons) for atom in side)
        for side in (implication.antecedent, implication.consequent)
    )
    if not implication.consequent and len(implication.antecedent) == 1:
        return f'{{"not": {antecedent}}}'
    return f'{{"if": [{antecedent}], "then": [{consequent}]}}'


def tell_witness(witness: Witness, language: str, persons: Persons) -> str:
    """A witness as knowledge is stated, in JSON: implications of its target, or negations."""
    implications = witness.implications
    if language == "negations":
        implications = tuple(Implication((atom,)) for atom in witness.antecedents)
    return f"[{', '.join(tell_implication(item, persons) for item in implications)}]"
