"""Statements of people in JSON, read against the types that declare them.

===================  ===========================================================================
type                 JSON
===================  ===========================================================================
``bool``             true or false
``int``              a whole number, 5.0 among them
``float``            a number, which is made one of double precision
``str``              text that is not empty
``Literal["a", …]``  one of these words
``X | None``         null, or what X reads
``X | Y``            what the first of them reads that the value looks like, the last if none
``tuple[X, ...]``    a list that is not empty, or one of its elements by itself
``Mapping[str, X]``  an object with any keys, at least one
a dataclass          an object; its fields are the keys, those with a default may be left out
===================  ===========================================================================

``Annotated`` adds a `Range` to numbers (null is none, so it stands outside: ``Annotated[int,
Range(...)] | None``), `OneOf` to words that are known elsewhere, and `About` to anything.

A dataclass may call its keys by another name than "key", in a class variable `noun`. A key that is
a word of Python is a field with an underscore at the end. What holds between keys it checks itself,
when it is made. An object looks like a dataclass if it has a key of it that looks right; or, where
its class variable `closed` says so, if it has a key that is required and none of another.

Every refusal is an `InvalidParameter` that names the key by its path, such as "t of adversary 2 of
bt_privacy", shows the value, and says what would work.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from bkpriv_core.errors import InvalidParameter, as_json

__all__ = ["Choice", "ErrorText", "Range", "keys_of", "near", "read"]


@dataclass(frozen=True)
class ErrorText:
    """Words that errors add about a value."""

    detail: str = ""
    hint: str = ""
    item: str = "element"
    """Noun for an element of a list, or of an object with any keys."""


@dataclass(frozen=True)
class Choice:
    """The words that may be chosen from."""

    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Range:
    """Bounds of a number; None where there is none."""

    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None

    def __contains__(self, number: float) -> bool:
        return (
            (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
        )

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"between {self.at_least:g} and {self.at_most:g}"
        bounds = ((field.name, getattr(self, field.name)) for field in fields(self))
        bounded = [f"{name} {bound:g}" for name, bound in bounds if bound is not None]
        return " and ".join(bounded).replace("_", " ") or "finite"


@dataclass(frozen=True)
class _Place:
    """Place of a value in a statement, and the words about it."""

    path: tuple[str, ...]
    """Name of the value and the names of what it is part of, from the inside out."""
    about: ErrorText = ErrorText()
    """Words that errors add."""

    @property
    def name(self) -> str:
        """Name of the value in errors."""
        return " of ".join(self.path)

    def refuse(self, what: str, detail: str, hint: str) -> NoReturn:
        """Raise what is wrong with the value."""
        raise InvalidParameter(
            f"{self.name} {what}",
            detail=f"{detail} {self.about.detail}".strip(),
            hint=f"{hint} {self.about.hint}".strip(),
        )


def read(kind: Any, value: object, name: str) -> Any:
    """Read decoded JSON as a value of a type.

    Args:
        kind: The declared type; see the module.

    Raises:
        InvalidParameter: If it is none.
    """
    return _read(kind, value, _Place((name,)))


def keys_of(
    value: object,
    name: str,
    known: Collection[str],
    required: Collection[str] = (),
    noun: str = "key",
) -> Mapping[str, Any]:
    """Return `value` if it is an object with known keys and with all that are required.

    Args:
        name, noun: Names of the value and of its keys in errors.

    Raises:
        InvalidParameter: If it is not.
    """
    plain = noun == "key"
    hint = f"{'Its keys' if plain else f'{noun.capitalize()}s'} are {', '.join(known)}."
    if not isinstance(value, Mapping):
        if plain and len(required) == 1 and isinstance(value, int | float | str):
            hint = f"Write {as_json(dict.fromkeys(required, value))}."
        elif not required:
            hint += " Write {} for none."
        raise InvalidParameter(
            f"{name} must be a JSON object, not {as_json(value)}",
            detail=f"Every {noun} is given by its name.",
            hint=hint,
        )
    for key in value:
        if key not in known:
            raise InvalidParameter(
                f'{name} has no key "{key}"' if plain else f'there is no {noun} "{key}"',
                detail=f"It is {as_json(value)}.",
                hint=near(key, known) + hint,
            )
    for key in required:
        if key not in value:
            raise InvalidParameter(
                f'{name} lacks the {noun} "{key}"', detail=f"It is {as_json(value)}.", hint=hint
            )
    return value


def near(key: object, known: Collection[str]) -> str:
    """Sentence that names the known name that a misspelt one may stand for, or nothing."""
    from difflib import get_close_matches  # wanted on errors only

    close = get_close_matches(str(key), known, n=1)
    return f'Perhaps you meant "{close[0]}". ' if close else ""


def _read(kind: Any, value: object, place: _Place, marks: Mapping[type, Any] | None = None) -> Any:
    kind, own = _marks(kind)
    marks = {**(marks or {}), **own}
    place = replace(place, about=marks.get(ErrorText, place.about))
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        null = value is None and Range not in marks
        *first, last = (item for item in get_args(kind) if item is not types.NoneType or null)
        return _read(next((k for k in first if _alike(k, value)), last), value, place, marks)
    if is_dataclass(kind):
        return _object(kind, value, place)
    if origin is tuple:
        return _list(get_args(kind)[0], value, place)
    if origin is Mapping:
        return _mapping(get_args(kind)[1], value, place)
    if kind in (int, float):
        return _number(kind, value, marks.get(Range, Range()), place)
    _check_plain(kind, value, marks, place)
    return value


def _check_plain(kind: Any, value: object, marks: Mapping[type, Any], place: _Place) -> None:
    """Refuse what is no such word, boolean or text."""
    stated = as_json(value)
    if Choice in marks and value not in marks[Choice].words:
        words = marks[Choice].words
        hint = f"{near(value, words)}It must be one of {', '.join(words)}."
        place.refuse(f"is {stated}", "There is no such choice.", hint)
    if kind is bool and not isinstance(value, bool):
        hint = f"Write {place.path[0]} as true or false."
        place.refuse(f"must be true or false, not {stated}", "It is not a boolean.", hint)
    if kind is str and not (isinstance(value, str) and value):
        place.refuse(f"is {stated}", "It is no text, or empty.", "Write it in quotes.")


@cache
def _keys(kind: type) -> dict[str, Any]:
    """Types of the keys of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    ordered = sorted(fields(kind), key=lambda field: field.kw_only is True)
    return {_key(field): hints[field.name] for field in ordered}


def _required(kind: Any) -> list[str]:
    """Keys of a dataclass that must be stated."""
    return [_key(field) for field in fields(kind) if field.default is MISSING]


def _key(field: Field[Any]) -> str:
    return field.name.removesuffix("_")


def _marks(kind: Any) -> tuple[Any, dict[type, Any]]:
    """A type without what `Annotated` adds to it, and that by its type."""
    marks: dict[type, Any] = {}
    if get_origin(kind) is Annotated:
        kind, *added = get_args(kind)
        marks = {type(mark): mark for mark in added}
    if get_origin(kind) is Literal:
        marks[Choice] = Choice(get_args(kind))
    return kind, marks


def _alike(kind: Any, value: object) -> bool:
    """Whether a value looks like one of a type, however wrong within."""
    kind, marks = _marks(kind)
    if is_dataclass(kind):
        keys = _keys(kind)  # type: ignore[arg-type]
        if getattr(kind, "closed", False):
            return (
                isinstance(value, Mapping)
                and value.keys() <= keys.keys()
                and not value.keys().isdisjoint(_required(kind))
            )
        return isinstance(value, Mapping) and any(
            key in value and _alike(item, value[key]) for key, item in keys.items()
        )
    if Choice in marks or kind is str:
        return isinstance(value, str)
    return get_origin(kind) is Mapping and isinstance(value, Mapping)


def _object(kind: Any, value: object, place: _Place) -> Any:
    known = _keys(kind)
    names = {_key(field): field.name for field in fields(kind)}
    required = _required(kind)
    noun = getattr(kind, "noun", "key")
    # Keys that have a name of their own need not say of what.
    whole = place.path if noun == "key" else ()
    prefix = "" if noun == "key" else f"{noun} "
    stated = keys_of(value, place.name, known, required, noun=noun)
    return kind(
        **{
            names[key]: _read(known[key], item, _Place((prefix + key, *whole)))
            for key, item in stated.items()
        }
    )


def _list(kind: Any, value: object, place: _Place) -> tuple[Any, ...]:
    if not isinstance(value, list):
        return (_read(kind, value, place),)
    if not value:
        item = place.about.item
        place.refuse(f"lists no {item}", "The list is empty.", f"State one {item} or more.")
    return tuple(
        _read(kind, item, _Place((f"{place.about.item} {number}", *place.path), place.about))
        for number, item in enumerate(value, start=1)
    )


def _mapping(kind: Any, value: object, place: _Place) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value:
        item = place.about.item
        place.refuse(f"names no {item}", f"It is {as_json(value)}.", f"Name each {item}.")
    leaf, *whole = place.path
    return {
        key: _read(kind, item, _Place((f'{leaf} of "{key}"', *whole)))
        for key, item in value.items()
    }


def _number(kind: type, value: object, span: Range, place: _Place) -> float:
    name, stated = place.path[0], f"is {as_json(value)}, which is not"
    # True is an integer to Python, and one of many digits may be beyond all floats.
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= sys.float_info.max
    ):
        hint = f"Write {name} as a JSON number."
        place.refuse(f"{stated} a number", f"{name} must be {span}.", hint)
    if value not in span:
        place.refuse(f"{stated} {span}", "It is out of range.", f"{name} must be {span}.")
    if kind is float:
        return float(value)
    whole = int(value)
    if value != whole:
        hint = f"Write {whole} or {whole + 1}."
        place.refuse(f"{stated} a whole number", f"{name} must be {span}, and whole.", hint)
    return whole
