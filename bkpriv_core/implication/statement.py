"""Implications as people state them, in JSON.

They are a list. Each of its items holds::

    {"if": [atom, ...], "then": [atom, ...]}    all of the first, then one of the second
    {"not": atom}                               it is not so

An atom says who has which value, as `bkpriv_core.implication.persons` names both.
"""

from __future__ import annotations

import json

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.implication.atoms import Atom, Implication
from bkpriv_core.implication.persons import NamedPersons
from bkpriv_core.implication.worst_case import Witness
from bkpriv_core.progress import SILENT, Progress

__all__ = ["atom_json", "implication_json", "parse_statements", "witness_json"]

_SHAPE = 'Write [{"if": [...], "then": [...]}, {"not": {...}}, ...]; see bkpriv.disclosure_given.'


def parse_statements(
    decoded: object, persons: NamedPersons, progress: Progress = SILENT
) -> list[Implication]:
    """Read a list of implications and negations.

    Parameters
    ----------
    decoded : object
        Decoded JSON; see the module.
    persons : NamedPersons
        Persons that implications may be about.

    Raises
    ------
    InvalidParameter
        If the list has another shape, or names a person or a value that is not there.
    """
    if not isinstance(decoded, list):
        raise _misshapen("knowledge is no list", decoded)
    implications = []
    for item in decoded:
        progress.poll()
        implications.append(_implication(item, persons))
    return implications


def _implication(item: object, persons: NamedPersons) -> Implication:
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


def _atom(item: object, persons: NamedPersons) -> Atom:
    allowed = persons.keys | {"value"}
    if not isinstance(item, dict) or "value" not in item or not set(item) <= allowed:
        listed = ", ".join(sorted(allowed))
        raise InvalidParameter(
            f"an atom is {as_json(item)}",
            detail=f"It must be an object with keys among {listed}, value being one of them.",
            hint=_SHAPE,
        )
    group, person = persons.find(item)
    value, *others = persons.having(item["value"]).tolist()
    return Atom(group, person, value, tuple(others))


def _misshapen(message: str, item: object) -> InvalidParameter:
    return InvalidParameter(message, detail=f"It is {as_json(item)}.", hint=_SHAPE)


def atom_json(atom: Atom, persons: NamedPersons) -> str:
    """An atom as it is stated, in JSON."""
    value = json.dumps(persons.table.sensitive.labels[atom.value], ensure_ascii=False)
    return f'{{{persons.json_pairs(atom.bucket, atom.person)}, "value": {value}}}'


def implication_json(implication: Implication, persons: NamedPersons) -> str:
    """An implication as it is stated, or a negation, in JSON."""
    antecedent, consequent = (
        ", ".join(atom_json(atom, persons) for atom in side)
        for side in (implication.antecedent, implication.consequent)
    )
    if not implication.consequent and len(implication.antecedent) == 1:
        return f'{{"not": {antecedent}}}'
    return f'{{"if": [{antecedent}], "then": [{consequent}]}}'


def witness_json(witness: Witness, language: str, persons: NamedPersons) -> str:
    """A witness as it would be stated, in JSON: implications of its target, or negations."""
    implications = witness.implications
    if language == "negations":
        implications = tuple(Implication((atom,)) for atom in witness.antecedents)
    return f"[{', '.join(implication_json(item, persons) for item in implications)}]"
