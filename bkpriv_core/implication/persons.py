"""The persons of a release, and how people name them and their values.

An atom says who has which value. Where respondents are named that is ``{"respondent": "7", "value":
"flu"}``. Otherwise a person is one of a cell's in a group, ``{"group": 3, "qi": {"age": 41},
"person": 1, "value": "flu"}``, counted from 1: persons of a group differ in nothing but identity.
``group`` may be left out where all records of the cell lie in one, and ``person`` for the first.

A value is written as its text, or as the number that it is; NULL, where it is a value, as null. Of
several sensitive columns it is the text of a combination, ``{"disease":"flu","ward":"a"}``, or of
one column's value, ``{"disease":"flu"}``, which whoever has some combination with it has.
Numbers are compared as decimals of any length: as floats, two values could be one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

import numpy as np

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.table.combination import Aspect, Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

__all__ = ["Cells", "NamedPersons", "Names", "Roll", "StatedValues"]


@dataclass(frozen=True, eq=False)
class Roll:
    """All persons of a release, row by row; those who are alike may share one.

    Parameters
    ----------
    group : (r,) int array
        Group of each row's persons.
    member : (r,) int array
        The respondent whom a row is about, or the part of a cell that its persons are in.
    person : (r,) int array
        Number of the one person that a row is about within cell and group, from 1; 0 for all
        others there, and for respondents.
    belief : (r,) int array
        Belief about each row's persons: the group's number, or the number of groups plus the place
        of the person among those who are told apart.
    """

    group: IntArray
    member: IntArray
    person: IntArray
    belief: IntArray


class NamedPersons(ABC):
    """The persons of the published groups, and what they are called.

    Parameters
    ----------
    parts : Parts
        The table's cells, or parts of them.
    groups : Groups
        The published groups.
    """

    keys: frozenset[str]
    """Keys by which an atom may identify a person."""

    def __init__(self, parts: Parts, groups: Groups) -> None:
        self.parts = parts
        self.groups = groups

    @property
    def table(self) -> Table:
        """The table."""
        return self.parts.table

    @cached_property
    def _sensitive(self) -> StatedValues:
        return StatedValues(self.table.sensitive)

    @cached_property
    def _by_column(self) -> dict[str, tuple[Aspect, int]]:
        """Aspects of combinations, and their classes, by what these are called."""
        sensitive = self.table.sensitive
        if not isinstance(sensitive, Combination) or sensitive.several:
            return {}
        return {
            aspect.label(code): (aspect, code)
            for aspect in sensitive.aspects
            for code in range(aspect.domain.size)
        }

    def having(self, value: object) -> IntArray:
        """Codes of the sensitive values that an atom may mean by a value: one, or some of them.

        Of several columns it is a combination, or a value of one column, which many have.

        Raises
        ------
        InvalidParameter
            If there is none.
        """
        if isinstance(value, str) and value in self._by_column:
            aspect, code = self._by_column[value]
            found = np.flatnonzero(aspect.classes == code)
            if found.size:
                return found
        return np.array([self._sensitive.find(value)])

    @abstractmethod
    def find(self, atom: Mapping[str, Any]) -> tuple[int, int]:
        """Group and number within it of the person that an atom is about.

        Raises
        ------
        InvalidParameter
            If there is no such person.
        """

    @abstractmethod
    def json_pairs(self, group: int, person: int) -> str:
        """Pairs of a JSON object by which an atom identifies a person."""

    @abstractmethod
    def call(self, apart: Sequence[tuple[int, int]]) -> Roll:
        """List everybody, some persons of a group by themselves."""


class Names(NamedPersons):
    """Persons by the names of respondents.

    Parameters
    ----------
    parts, groups
        See `NamedPersons`.
    names : sequence of str
        The respondents.
    labels : (n,) int array
        The group of each, `SUPPRESSED` for those who are not published.
    """

    keys = frozenset({"respondent"})

    def __init__(
        self, parts: Parts, groups: Groups, names: Sequence[str], labels: IntArray
    ) -> None:
        super().__init__(parts, groups)
        self.names = names
        self._labels = labels
        self.members = Groups.from_labels(labels)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def find(self, atom: Mapping[str, Any]) -> tuple[int, int]:
        """See `NamedPersons`."""
        name = atom.get("respondent")
        text = str(name) if isinstance(name, int) and not isinstance(name, bool) else name
        place = self._places.get(text) if isinstance(text, str) else None
        if place is None:
            raise InvalidParameter(
                f"there is no respondent {as_json(name)} in the release",
                detail=f"It is about {len(self.names)} respondents, whose names are texts.",
                hint='Write for example {"respondent": "7", "value": "flu"}.',
            )
        group = int(self._labels[place])
        if group == SUPPRESSED:
            raise InvalidParameter(
                f"respondent {text!r} was suppressed",
                detail="The release says nothing about whoever is not in it.",
                hint="Leave out what is known about this respondent.",
            )
        return group, int(np.searchsorted(self.members[group], place))

    def json_pairs(self, group: int, person: int) -> str:
        """See `NamedPersons`."""
        name = self.names[self.members[group][person]]
        return f'"respondent": {json.dumps(name, ensure_ascii=False)}'

    def call(self, apart: Sequence[tuple[int, int]]) -> Roll:
        """See `NamedPersons`; a row for each respondent who is published."""
        beliefs = self.members.owner.copy()
        for number, (group, person) in enumerate(apart, len(self.groups)):
            beliefs[self.members.offsets[group] + person] = number
        return Roll(self.members.owner, self.members.members, np.zeros_like(beliefs), beliefs)


class Cells(NamedPersons):
    """Persons by their quasi-identifiers and a number."""

    keys = frozenset({"group", "qi", "person"})

    @cached_property
    def _values(self) -> list[StatedValues]:
        return [StatedValues(domain) for domain in self.table.quasi_identifiers]

    @cached_property
    def _memberships(self) -> dict[tuple[int, ...], list[int]]:
        """Memberships of the parts of each cell, by its codes."""
        memberships: dict[tuple[int, ...], list[int]] = {}
        for place, codes in enumerate(self.parts.codes[self.groups.members].tolist()):
            memberships.setdefault(tuple(codes), []).append(place)
        return memberships

    def find(self, atom: Mapping[str, Any]) -> tuple[int, int]:
        """See `NamedPersons`."""
        qi = atom.get("qi")
        names = [domain.name for domain in self.table.quasi_identifiers]
        if not isinstance(qi, Mapping) or set(qi) != set(names):
            raise InvalidParameter(
                f"an atom does not say who it is about: {as_json(dict(atom))}",
                detail=f"qi must have a value for each of {', '.join(names)}; the dataset "
                "declares no respondents.",
                hint='Write {"group": ..., "qi": {...}, "person": ..., "value": ...}.',
            )
        codes = tuple(
            values.find(qi[name]) for name, values in zip(names, self._values, strict=True)
        )
        here = self._memberships.get(codes, [])
        held = self.groups.owner[here].tolist()
        group = atom.get("group", held[0] if len(held) == 1 else None)
        if isinstance(group, bool) or group not in held:
            listed = ", ".join(map(str, held)) or "none"
            raise InvalidParameter(
                f"group {as_json(group)} has no records with {as_json(dict(qi))}"
                if "group" in atom or not held
                else f"several groups have records with {as_json(dict(qi))}",
                detail=f"Published groups that have them: {listed}.",
                hint="Name one of these groups, or other quasi-identifiers.",
            )
        member = here[held.index(group)]
        weight = int(self.parts.weights[self.groups.members[member]])
        person = atom.get("person", 1)
        if isinstance(person, bool) or not isinstance(person, int) or not 0 < person <= weight:
            raise InvalidParameter(
                f"there is no person {as_json(person)} with {as_json(dict(qi))} in group {group}",
                detail=f"Such persons are numbered from 1 to {weight}.",
                hint="Persons of one cell and group are told apart by number only.",
            )
        start = int(self.groups.offsets[group])
        before = int(self.parts.weights[self.groups.members[start:member]].sum())
        return int(group), before + person - 1

    def json_pairs(self, group: int, person: int) -> str:
        """See `NamedPersons`."""
        members = self.groups[group]
        ends = np.cumsum(self.parts.weights[members])
        place = int(np.searchsorted(ends, person, side="right"))
        part = int(members[place])
        (qi,) = qi_json(self.table, self.parts.cell[[part]])
        number = person - int(ends[place] - self.parts.weights[part]) + 1
        return f'"group": {group}, "qi": {qi}, "person": {number}'

    def call(self, apart: Sequence[tuple[int, int]]) -> Roll:
        """See `NamedPersons`; a row for the others of each part, if any, then for the named."""
        groups = self.groups
        weights = self.parts.weights[groups.members]
        ends = np.cumsum(weights)
        starts = ends - weights
        # Number of each in the whole release, and the membership that it falls into.
        overall = np.array([starts[groups.offsets[group]] + person for group, person in apart], int)
        named = np.searchsorted(ends, overall, side="right")
        others = np.flatnonzero(weights > np.bincount(named, minlength=len(ends)))
        rows = np.concatenate((others, named))
        return Roll(
            groups.owner[rows],
            groups.members[rows],
            np.concatenate((np.zeros_like(others), overall - starts[named] + 1)),
            np.concatenate((groups.owner[others], len(groups) + np.arange(len(apart)))),
        )


class StatedValues:
    """Values of a domain by what is stated of them in decoded JSON."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._texts = {label: code for code, label in enumerate(domain.labels)}

    @cached_property
    def _numbers(self) -> dict[Decimal, int]:
        """Values that are numbers, which have several texts: 1.5 and 1.50."""
        numbers: dict[Decimal, int] = {}
        for label, code in self._texts.items():
            number = None if label is None else _number(label)
            if number is not None:
                numbers.setdefault(number, code)
        return numbers

    def find(self, value: object) -> int:
        """Code of a value; a float stands for the shortest decimal that is read back as it.

        Raises
        ------
        InvalidParameter
            If the domain has no such value.
        """
        code = None
        if value is None or isinstance(value, str):
            code = self._texts.get(value)
        elif isinstance(value, bool):
            code = self._texts.get(str(value).lower())
        elif isinstance(value, int | float | Decimal):
            code = self._texts.get(str(value), self._numbers.get(Decimal(str(value))))
        if code is not None:
            return code
        labels = self._domain.labels
        values = ", ".join(map(repr, labels[:8])) + (", ..." if len(labels) > 8 else "")
        raise InvalidParameter(
            f'"{self._domain.name}" has no value {as_json(value)}',
            detail=f"Its values in the release's source are {values}.",
            hint="Values are written as PostgreSQL writes them as text.",
        )


def _number(label: str) -> Decimal | None:
    try:
        number = Decimal(label)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
