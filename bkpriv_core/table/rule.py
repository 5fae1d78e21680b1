"""Rules of hierarchies: what makes the path of a value from the value alone.

A rule needs no table of levels, and covers values that come later:

- *prefixes*: a value goes up to its first characters, fewer and fewer, which are marked by ``*`` at
  the end, and at last to ``*``. So the postcode 24103 becomes ``241*``, ``2*`` and ``*``. A value
  that is shorter than a prefix stays as it is there.
- *units*: a day or time goes up to units of the calendar in which it is: its month ``2024-03``,
  quarter ``2024-Q1``, year ``2024``, decade ``2020s``. What has no year of four digits, as infinity
  has none, stays as it is below the root.
- a *list*: a value goes up to the name under which it is listed, and from there to the names above
  it. Branches of fewer names than others have the lowest repeated. What is not listed has no path,
  or goes under a name of its own, the *rest*.

Characters are those of Unicode; a value is read as the text that its type writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from bkpriv_core.errors import InvalidData, InvalidParameter, TooLarge, as_json
from bkpriv_core.table.hierarchy import Hierarchy, some_of

__all__ = ["Listed", "Prefixes", "Rule", "Tree", "Units", "parse_rule"]

_ROOT = "*"

_UNITS = ("day", "month", "quarter", "year", "decade")

_DAY = re.compile(r"(\d{4,})-(\d\d)-\d\d")

_LONGEST = 1000
"""Largest length of a prefix."""

_DEEPEST = 16
"""Largest number of names above a value that is listed."""

_MOST = 100_000
"""Largest number of values that are listed; nothing is polled while they are looked at."""


@dataclass(frozen=True)
class Prefixes:
    """A hierarchy by prefixes."""

    lengths: tuple[int, ...]
    """Numbers of characters that are kept, falling."""

    @classmethod
    def checked(cls, attribute: str, lengths: Any) -> Prefixes:
        """Validate lengths.

        Raises:
            InvalidParameter: If there are none, one is no whole number from 1, or they do not fall.
        """
        hint = "Give for example ARRAY[5, 3, 2]; the root, *, comes by itself."
        plain = isinstance(lengths, list) and all(type(each) is int for each in lengths)
        if not plain or not lengths:
            raise InvalidParameter(
                f'the lengths of prefixes of attribute "{attribute}" are missing',
                detail="They must be a plain array of whole numbers, without NULL.",
                hint=hint,
            )
        falling = all(longer > shorter for longer, shorter in pairwise(lengths))
        if not falling or not 1 <= lengths[-1] <= lengths[0] <= _LONGEST:
            raise InvalidParameter(
                f'the lengths of prefixes of attribute "{attribute}" do not fall',
                detail=f"They are {_some_numbers(lengths)}; each must be smaller than the one "
                f"before, and all from 1 to {_LONGEST}.",
                hint=hint,
            )
        return cls(tuple(lengths))

    @property
    def leaves(self) -> tuple[str, ...]:
        """Values that it has, whether they occur or not: none."""
        return ()

    def path(self, value: str) -> tuple[str, ...]:
        """Labels of a value, from the value itself to the root."""
        kept = (value if len(value) < size else f"{value[:size]}*" for size in self.lengths)
        return (value, *kept, _ROOT)

    def over(self, attribute: str, values: Sequence[str]) -> Hierarchy:
        """Hierarchy over some values of an attribute."""
        del attribute  # Others name it where they refuse values.
        return Hierarchy({value: self.path(value) for value in values})


@dataclass(frozen=True)
class Units:
    """A hierarchy of days or times by units of the calendar."""

    units: tuple[str, ...]

    @classmethod
    def checked(cls, attribute: str, units: Any) -> Units:
        """Validate units.

        Raises:
            InvalidParameter: If there are none, or one is none, or they do not become coarser.
        """
        order = list(_UNITS)
        known = isinstance(units, list) and all(unit in order for unit in units)
        places = [order.index(unit) for unit in units] if known else []
        if not places or any(coarser <= finer for finer, coarser in pairwise(places)):
            raise InvalidParameter(
                f'the units of attribute "{attribute}" are no units that become coarser',
                detail=f"They are {as_json(units)}; there are {', '.join(order)}.",
                hint="Give for example ARRAY['month', 'year']; the root, *, comes by itself.",
            )
        return cls(tuple(units))

    @property
    def leaves(self) -> tuple[str, ...]:
        """Values that it has, whether they occur or not: none."""
        return ()

    def path(self, value: str) -> tuple[str, ...]:
        """Labels of a value, written as ISO 8601 has it, from the value itself to the root."""
        found = _DAY.match(value)
        if found is None or value.endswith("BC"):
            return (value, *(value for _ in self.units), _ROOT)
        year, month = int(found[1]), int(found[2])
        parts = {
            "day": found[0],
            "month": f"{year:04}-{month:02}",
            "quarter": f"{year:04}-Q{(month + 2) // 3}",
            "year": f"{year:04}",
            "decade": f"{year // 10:03}0s",
        }
        return (value, *(parts[unit] for unit in self.units), _ROOT)

    def over(self, attribute: str, values: Sequence[str]) -> Hierarchy:
        """Hierarchy over some values of an attribute."""
        del attribute
        return Hierarchy({value: self.path(value) for value in values})


@dataclass(frozen=True)
class Listed:
    """A hierarchy that is listed."""

    hierarchy: Hierarchy
    """Paths of the values that are listed."""
    rest: str | None = None
    """Name that all others go under; they have no path without it."""

    @classmethod
    def checked(cls, attribute: str, branches: Any, rest: str | None) -> Listed:
        """Validate names with what is under them.

        Args:
            branches: Decoded JSON: an object, by name a list of values, or another such object.

        Raises:
            InvalidParameter: If it is no such thing.
            TooLarge: If it has very many values.
            InvalidData: If a value is listed twice, a name has two places at one level, or it would
                be read as a value that is not all that is under it, or as the root.
        """
        hint = 'Write for example {"north": ["Kiel", "Hamburg"], "south": ["Ulm"]}.'
        if not isinstance(branches, dict) or not branches or rest == "":
            raise InvalidParameter(
                f'the list of attribute "{attribute}" is missing',
                detail="It is a JSON object: by name a list of values, or another such object. "
                "The name of the rest, if there is one, is not empty.",
                hint=hint,
            )
        listed = list(islice(_walk(attribute, branches, (), hint), _MOST + 1))
        if len(listed) > _MOST:
            raise TooLarge(
                f'the list of attribute "{attribute}" has more than {_MOST} values',
                detail="It is looked at as a whole.",
                hint="Put the values into a table, with the labels above each, and call "
                "bkpriv.set_hierarchy.",
            )
        if not listed:
            raise InvalidParameter(
                f'the list of attribute "{attribute}" has no values',
                detail=f"Its names are {some_of(list(branches))}.",
                hint=hint,
            )
        values = Counter(value for value, _ in listed)
        twice = sorted(value for value, times in values.items() if times > 1)
        if twice:
            raise InvalidData(
                f'the list of attribute "{attribute}" has values twice',
                detail=f"So it is of {some_of(twice)}.",
                hint="Put each value under one name.",
            )
        misread = sorted(_misread(listed, rest))
        if misread:
            raise InvalidData(
                f'the list of attribute "{attribute}" has names that mean something else',
                detail=f"They are also values, or the root: {some_of(misread)}. Whoever reads one "
                "of them in a release could not tell which is meant.",
                hint="Give the branch, or the rest, a name of its own.",
            )
        height = max(len(names) for _, names in listed)
        rows = []
        for value, names in listed:
            lowest = [names[0]] * (height - len(names))
            rows.append([value, *lowest, *names, _ROOT])
        made = cls(Hierarchy.from_rows(attribute, rows), rest)
        if rest is not None:
            # The rest must be no branch that has a place elsewhere; any value that is not listed
            # tells.
            made.over(attribute, [max(values) + "~"])
        return made

    @property
    def leaves(self) -> tuple[str, ...]:
        """Values that it has, whether they occur or not."""
        return self.hierarchy.leaves

    def over(self, attribute: str, values: Sequence[str]) -> Hierarchy:
        """Hierarchy over the values that are listed, and these.

        Raises:
            InvalidData: If the name of the rest stands at two places.
        """
        if self.rest is None:
            return self.hierarchy
        others = [value for value in values if value not in self.hierarchy.paths]
        above = [self.rest] * (self.hierarchy.height - 1)
        rows = [*self.hierarchy.paths.values(), *((value, *above, _ROOT) for value in others)]
        return Hierarchy.from_rows(attribute, rows)


def _walk(
    attribute: str, branches: dict[str, Any], above: tuple[str, ...], hint: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each value with the names above it, the lowest first."""
    for name, under in branches.items():
        names = (name, *above)
        if isinstance(under, dict) and under and len(names) < _DEEPEST:
            yield from _walk(attribute, under, names, hint)
            continue
        if not isinstance(under, list) or not all(type(value) in (str, int) for value in under):
            raise InvalidParameter(
                f'the list of attribute "{attribute}" has no list under {as_json(name)}',
                detail="Under a name stands a list of values, texts or whole numbers, or an object "
                f"of further names, at most {_DEEPEST} under one another.",
                hint=hint,
            )
        yield from ((str(value), names) for value in under)


def _misread(listed: Sequence[tuple[str, tuple[str, ...]]], rest: str | None) -> set[str]:
    """Names that are the root's, or that of a value and not of this alone."""
    under = Counter(name for _, names in listed for name in {*names})
    alone = {value for value, names in listed if value in names and under[value] == 1}
    values = {value for value, _ in listed} | {_ROOT}
    return (values & under.keys()) - alone | values & {rest}


def _some_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:8])) + (", ..." if len(numbers) > 8 else "")


Rule = Prefixes | Units | Listed
"""Rules, each of which makes a hierarchy over the values that occur."""

Tree = Hierarchy | Rule
"""Sources of a path of labels for each value."""


def parse_rule(attribute: str, stated: Any) -> Rule:
    """Read a rule as it is kept, by its keys: prefixes, units, or list, with its rest.

    Raises:
        InvalidParameter: If it is none.
        BkprivError: Whatever a rule refuses.
    """
    if isinstance(stated, dict) and stated.keys() == {"prefixes"}:
        return Prefixes.checked(attribute, stated["prefixes"])
    if isinstance(stated, dict) and stated.keys() == {"units"}:
        return Units.checked(attribute, stated["units"])
    if isinstance(stated, dict) and stated.keys() == {"list", "rest"}:
        rest = stated["rest"]
        if rest is None or isinstance(rest, str):
            return Listed.checked(attribute, stated["list"], rest)
    raise InvalidParameter(
        f'the hierarchy of attribute "{attribute}" is kept by no rule that is known',
        detail="It was not written by bkpriv.",
        hint="Declare it anew, such as by bkpriv.set_prefix_hierarchy.",
    )
