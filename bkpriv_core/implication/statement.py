"""Witnesses in JSON.

A witness is a list of implications, ``{"if": [atom], "then": [atom]}``, or of negations, ``{"not":
atom}``. An atom says who has which value. Where respondents are named that is ``{"respondent": "7",
"value": "flu"}``. Otherwise a person is one of a cell's in a group, ``{"group": 3, "qi": {"age":
41}, "person": 1, "value": "flu"}``, counted from 1: persons of a group differ in nothing but
identity.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bkpriv_core.implication.atoms import Atom
from bkpriv_core.implication.worst_case import Witness
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.parts import Parts

__all__ = ["Cells", "NamedPersons", "Names"]


class NamedPersons(ABC):
    """The persons of the published groups, and what they are called.

    Args:
        parts: The table's cells, or parts of them.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @abstractmethod
    def json_pairs(self, group: int, person: int) -> str:
        """Pairs of a JSON object by which an atom identifies a person of a group."""

    def atom_json(self, atom: Atom) -> str:
        """An atom in JSON."""
        value = json.dumps(self.parts.table.sensitive.labels[atom.value], ensure_ascii=False)
        return f'{{{self.json_pairs(atom.bucket, atom.person)}, "value": {value}}}'

    def witness_json(self, witness: Witness, language: str) -> str:
        """A witness in JSON: implications of its target, or negations."""
        atoms = map(self.atom_json, witness.antecedents)
        if language == "negations":
            pieces = [f'{{"not": {atom}}}' for atom in atoms]
        else:
            target = self.atom_json(witness.target)
            pieces = [f'{{"if": [{atom}], "then": [{target}]}}' for atom in atoms]
        return f"[{', '.join(pieces)}]"


class Names(NamedPersons):
    """Persons by the names of respondents.

    Args:
        labels: Shape (n,). The group of each, `SUPPRESSED` for those who are not published.
    """

    def __init__(self, parts: Parts, names: Sequence[str], labels: IntArray) -> None:
        super().__init__(parts)
        self.names = names
        self.members = Groups.from_labels(labels)

    def json_pairs(self, group: int, person: int) -> str:
        """See `NamedPersons`."""
        name = self.names[self.members[group][person]]
        return f'"respondent": {json.dumps(name, ensure_ascii=False)}'


class Cells(NamedPersons):
    """Persons by their quasi-identifiers and a number."""

    def __init__(self, parts: Parts, groups: Groups) -> None:
        super().__init__(parts)
        self.groups = groups

    def json_pairs(self, group: int, person: int) -> str:
        """See `NamedPersons`."""
        members = self.groups[group]
        ends = np.cumsum(self.parts.weights[members])
        place = int(np.searchsorted(ends, person, side="right"))
        part = int(members[place])
        (qi,) = qi_json(self.parts.table, self.parts.cell[[part]])
        number = person - int(ends[place] - self.parts.weights[part]) + 1
        return f'"group": {group}, "qi": {qi}, "person": {number}'
