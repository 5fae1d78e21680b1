"""Estimates as SQL that a reader of the published views can run: nothing else is read.

The condition becomes an expression for the probability that a row meets it, which the statement
adds up over the rows of the view. The expression is a sum over classes of values of the first
attribute, of the row's share in them times the expression for what is left of the condition then
(see `combination`); classes that leave the same are taken together. A conjunction so becomes a
product. Shares are formulas of the row's ranges and labels, with the domain's values as constants.

Where quasi-identifiers are published exactly, rows that meet the condition on them are joined with
the sensitive values of their group, each of which counts by its share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.domain import Domain
from bkpriv_core.errors import TooLarge
from bkpriv_core.groups import IntArray
from bkpriv_core.query.combination import Classes, atoms_by_attribute, combinations_met
from bkpriv_core.query.extent import Axis, Labels, Pieces, Ranges, axes_of
from bkpriv_core.query.predicate import (
    And,
    Atom,
    BoolArray,
    Codes,
    IsNull,
    Not,
    Or,
    Predicate,
    atom_truth,
)
from bkpriv_core.query.release import Release

__all__ = ["Bounds", "rewrite_bucketized", "rewrite_generalized"]

_LONGEST = 1_000_000
"""Most characters of a statement."""


@dataclass(frozen=True)
class Bounds:
    """SQL of the ends of a published range.

    Parameters
    ----------
    low, high : str
        Expressions for the positions of the smallest and the largest value in it, of type float8;
        NULL where the range has no bounds.
    """

    low: str
    high: str


def rewrite_generalized(
    release: Release, predicate: Predicate, view: str, columns: Sequence[str],
    bounds: Sequence[Bounds | None],
) -> str:  # fmt: skip
    """Write the estimate of a generalized release as SQL.

    Parameters
    ----------
    release : Release
        The release.
    predicate : Predicate
        What to count.
    view : str
        The published view, as SQL.
    columns : sequence of str
        Its columns for all attributes, as SQL.
    bounds : sequence of Bounds or None
        For each numeric quasi-identifier the ends of its ranges.

    Returns
    -------
    str
        A SELECT of one row with one column, ``estimate``.

    Raises
    ------
    TooLarge
        If the condition tells too many values apart.
    """
    axes = axes_of(release.table, release.groups, release.steps)
    sides: list[_Side] = []
    for attribute, told in sorted(atoms_by_attribute(predicate).items()):
        column = columns[attribute]
        if attribute == len(axes):
            values = Codes.of(release.table.sensitive)
            classes = Classes.of(attribute, told, values)
            sides.append(_ExactSide(classes, release.table.sensitive, column))
        else:
            sides.append(_side(axes[attribute], attribute, told, column, bounds[attribute]))
    met = combinations_met(predicate, [side.classes for side in sides])
    expression = _expression(met, sides)
    joined = "".join(side.lateral for side in sides)
    return _checked(
        f"SELECT coalesce(sum({expression}), 0)::float8 AS estimate\nFROM {view}{joined}"
    )


def _checked(statement: str) -> str:
    if len(statement) > _LONGEST:
        raise TooLarge(
            f"the estimate takes {len(statement)} characters of SQL",
            detail=f"At most {_LONGEST} are written.",
            hint="Ask about fewer values at a time.",
        )
    return statement


# --- Probability of a condition -------------------------------------------------------------------


class _Side(ABC):
    """One attribute of a condition, as SQL.

    Parameters
    ----------
    classes : Classes
        Its values or pieces as far as the condition tells them apart.
    """

    lateral = ""
    """What the statement joins the view with, to calculate shares."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes

    @abstractmethod
    def share(self, some: BoolArray) -> str:
        """SQL of a row's share in some of the values or pieces."""


def _expression(met: BoolArray, sides: Sequence[_Side]) -> str:
    """SQL of the probability that a row meets a condition.

    Parameters
    ----------
    met : bool array
        For which combinations of classes it is true, an axis for each side.
    sides : sequence of _Side
        The attributes.
    """
    if met.all() or not met.any():
        return str(int(met.all()))
    side, *rest = sides
    alike: dict[bytes, list[int]] = {}
    for number in range(len(met)):
        alike.setdefault(np.ascontiguousarray(met[number]).tobytes(), []).append(number)
    terms = []
    for numbers in alike.values():
        left = _expression(met[numbers[0]], rest)
        if left == "0":
            continue
        share = "1"
        if len(alike) > 1:
            share = side.share(np.isin(side.classes.members, numbers))
        terms.append(" * ".join(part for part in (share, left) if part != "1") or "1")
        if sum(map(len, terms)) > _LONGEST:
            _checked(" + ".join(terms))
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def _side(
    axis: Axis, attribute: int, told: list[Atom], column: str, bounds: Bounds | None
) -> _Side:
    values, _ = axis.pieces(told)
    classes = Classes.of(attribute, told, values)
    if isinstance(axis, Labels):
        return _LabelSide(classes, axis, column)
    assert isinstance(axis, Ranges)
    assert isinstance(values, Pieces)
    assert bounds is not None
    return _RangeSide(classes, axis, values, column, bounds)


class _ExactSide(_Side):
    """The sensitive attribute: a row has a value or has it not."""

    def __init__(self, classes: Classes, domain: Domain, column: str) -> None:
        super().__init__(classes)
        self._domain, self._column = domain, column

    def share(self, some: BoolArray) -> str:
        """See `_Side`."""
        held = _one_of(self._domain, np.flatnonzero(some), self._column)
        return f"(CASE WHEN {held} THEN 1 ELSE 0 END)"


class _LabelSide(_Side):
    """Labels: the share of the values under each of them."""

    def __init__(self, classes: Classes, axis: Labels, column: str) -> None:
        super().__init__(classes)
        self._axis, self._column = axis, column

    def share(self, some: BoolArray) -> str:
        """See `_Side`."""
        shares = self._axis.covered(some[None, :])[0]
        labelled: dict[float, list[str | None]] = {}
        for label, share in zip(self._axis.labels, shares.tolist(), strict=True):
            labelled.setdefault(share, []).append(label)
        usual = max(labelled, key=lambda share: len(labelled[share]))
        cases = [
            f"WHEN {_listed(self._column, labels)} THEN {_number(share)}"
            for share, labels in labelled.items()
            if share != usual
        ]
        if not cases:
            return _number(usual)
        return f"(CASE {' '.join(cases)} ELSE {_number(usual)} END)"


class _RangeSide(_Side):
    """Ranges: the share of their points or of their length."""

    def __init__(
        self, classes: Classes, axis: Ranges, pieces: Pieces, column: str, bounds: Bounds
    ) -> None:
        super().__init__(classes)
        self._axis, self._column = axis, column
        self._told = list(classes.truths)
        self._cuts = list(pieces.cuts)
        self._null = pieces.has_null
        name = f"range_{classes.attribute}"
        self._low, self._high, self._whole = f"{name}.low", f"{name}.high", f"{name}.whole"
        # The mass of the whole range; a continuum of one value has no length, and mass 1.
        whole = "coalesce(nullif(high - low, 0), 1)"
        if axis.step is not None:
            whole = f"{_over('high - low', axis.step)} + 1"
        self.lateral = (
            f"\nCROSS JOIN LATERAL (SELECT low, high, {whole} AS whole FROM (SELECT {bounds.low} "
            f"AS low, {bounds.high} AS high) AS ends) AS {name}"
        )

    def share(self, some: BoolArray) -> str:
        """See `_Side`."""
        numbers = some[: len(self._cuts) + 1]
        edges = np.flatnonzero(np.diff(numbers.astype(np.int8), prepend=0, append=0)).tolist()
        parts = []
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            # Piece 0 begins before all cuts; piece i begins at cut i - 1.
            upper = self._whole if end > len(self._cuts) else self._below(end - 1)
            parts.append(upper if start == 0 else f"{upper} - {self._below(start - 1)}")
        ratio = f"({' + '.join(parts) or '0'}) / {self._whole}"
        if not self._null:
            return f"({ratio})"
        null = "1" if some[-1] else "0"
        mixed = _number(self._mixed(some))
        return (
            f"(CASE WHEN {self._column} IS NULL THEN {null} WHEN {self._low} IS NULL THEN {mixed} "
            f"ELSE {ratio} END)"
        )

    def _mixed(self, some: BoolArray) -> float:
        """Share of a range without bounds, which may be anything: the same in every row."""
        domain = self._axis.domain
        ends = np.array([0]), np.array([domain.size - 1])
        if domain.size == 1:
            return 0.0  # There is nothing that NULL could be mixed with.
        _, shares = Ranges(domain, *ends, self._axis.step).pieces(self._told)
        return float(np.asarray(shares)[some].sum())

    def _below(self, number: int) -> str:
        """Mass of the range below a cut."""
        _, position, after = self._cuts[number]
        along = f"{_number(position)} - {self._low}"
        if self._axis.step is not None:
            steps = _over(along, self._axis.step)
            points = f"floor({steps}) + 1" if after else f"ceil({steps})"
            return f"least(greatest({points}, 0), {self._whole})"
        sign = "<=" if after else "<"
        point = f"CASE WHEN {self._low} {sign} {_number(position)} THEN 1 ELSE 0 END"
        length = f"least(greatest({along}, 0), {self._high} - {self._low})"
        return f"CASE WHEN {self._low} = {self._high} THEN {point} ELSE {length} END"


# --- Exact quasi-identifiers ----------------------------------------------------------------------


def rewrite_bucketized(
    release: Release, predicate: Predicate, view: str, companion: str, columns: Sequence[str]
) -> str:
    """Write the estimate of a release that keeps the quasi-identifiers as SQL.

    Parameters
    ----------
    release : Release
        The release.
    predicate : Predicate
        What to count.
    view, companion : str
        The published views, as SQL: quasi-identifiers and ``group_id``; ``group_id``, sensitive
        value and ``count``.
    columns : sequence of str
        Their columns for all attributes, as SQL, the last one in the companion.

    Returns
    -------
    str
        A SELECT of one row with one column, ``estimate``.

    Raises
    ------
    TooLarge
        If the condition tells too many values apart.
    """
    qualified = [f"r.{column}" for column in columns[:-1]] + [f"s.{columns[-1]}"]
    condition = _condition(predicate, release.domains, qualified)
    return _checked(
        "SELECT coalesce(sum(s.count / g.records), 0)::float8 AS estimate\n"
        f"FROM {view} AS r\n"
        "JOIN (SELECT group_id, sum(count)::float8 AS records\n"
        f"      FROM {companion} GROUP BY group_id) AS g ON g.group_id = r.group_id\n"
        f"JOIN {companion} AS s ON s.group_id = r.group_id\n"
        f"WHERE {condition}"
    )


def _condition(predicate: Predicate, domains: Sequence[Domain], columns: Sequence[str]) -> str:
    """A condition on exact columns; the values that meet each comparison are listed."""
    if isinstance(predicate, And | Or):
        if not predicate.parts:
            return "true" if isinstance(predicate, And) else "false"
        sign = " AND " if isinstance(predicate, And) else " OR "
        return f"({sign.join(_condition(part, domains, columns) for part in predicate.parts)})"
    if isinstance(predicate, Not):
        return f"NOT {_condition(predicate.part, domains, columns)}"
    column, domain = columns[predicate.attribute], domains[predicate.attribute]
    if isinstance(predicate, IsNull):
        return f"({column} IS NULL)"
    met = np.flatnonzero(atom_truth(predicate, Codes.of(domain)).true)
    # Nothing meets it: false, but unknown for NULL.
    return f"({_one_of(domain, met, column)})" if met.size else f"({column} <> {column})"


# --- SQL ------------------------------------------------------------------------------------------


def _one_of(domain: Domain, codes: IntArray, column: str) -> str:
    """That a column of exact values has one of some values; NULL is a value."""
    return _listed(column, [domain.labels[code] for code in codes.tolist()])


def _listed(column: str, labels: Sequence[str | None]) -> str:
    """That a column is one of some labels."""
    literals = ", ".join(_quoted(label) for label in labels if label is not None)
    parts = [f"{column} IN ({literals})"] if literals else []
    if None in labels:
        parts.append(f"{column} IS NULL")
    return " OR ".join(parts) or "false"


def _quoted(label: str) -> str:
    """A string as SQL, which reads the same whatever standard_conforming_strings is."""
    quoted = "'" + label.replace("'", "''") + "'"
    return "E" + quoted.replace("\\", "\\\\") if "\\" in quoted else quoted


def _over(difference: str, step: float) -> str:
    """How many steps a difference is."""
    return difference if step == 1 else f"({difference}) / {_number(step)}"


def _number(number: float) -> str:
    """A number as SQL, exactly as it is."""
    return str(int(number)) if number in (0, 1) else f"float8 '{number!r}'"
