"""Privacy files: what a TOML file declares, read and checked whole before anything is done.

A file has tables ``dataset``, ``policy``, ``publish`` and ``grant``. Unknown keys and wrong types
are errors that name the file and the key. Policies, methods and options are read by the core, as
the server reads them.

A hierarchy of another kind is one entry in `HIERARCHIES`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from math import inf
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Annotated, Any, Literal, NamedTuple

from bkpriv_client.failure import ClientError
from bkpriv_client.wanted import JOBS, Call, Publication, Wanted, WantedDataset, written
from bkpriv_core.errors import BkprivError, InvalidParameter, as_json
from bkpriv_core.method import DEFAULT_METHOD, find_method, parse_options
from bkpriv_core.policy import parse_policy
from bkpriv_core.schema import ErrorText, Range, near, read
from bkpriv_core.verdict import KEYS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["HIERARCHIES", "read_file", "read_text"]

_MOST_BYTES = 1_000_000
"""Longest file that is read."""

_DEPTH = 16
"""Levels of tables and lists of a file that are read."""


class _Kind(NamedTuple):
    """A kind of hierarchy: the function that sets it, and the types of its arguments by key."""

    function: str
    arguments: Mapping[str, Any]


_Numbers = Annotated[tuple[float, ...], ErrorText(item="number")]
_Lengths = Annotated[tuple[Annotated[int, Range(at_least=0)], ...], ErrorText(item="number")]
_Names = Annotated[tuple[str, ...], ErrorText(item="unit")]

_Branches: Any = tuple[str, ...]
for _ in range(_DEPTH):
    _Branches = Annotated[Mapping[str, _Branches | tuple[str, ...]], ErrorText(item="branch")]

HIERARCHIES = {
    "levels": _Kind("set_hierarchy", {"levels": str}),
    "widths": _Kind("set_interval_hierarchy", {"widths": _Numbers, "origin": float}),
    "lengths": _Kind("set_prefix_hierarchy", {"lengths": _Lengths}),
    "units": _Kind("set_date_hierarchy", {"units": _Names}),
    "branches": _Kind("set_list_hierarchy", {"branches": _Branches, "rest": str}),
}
"""Kinds of hierarchies by the key that tells them."""


@dataclass(frozen=True, kw_only=True)
class _Knowledge:
    """Sequential knowledge, as it is stated."""

    kind: Literal["domain", "mined", "incremental", "constant"]
    source: str | None = None
    memory: Annotated[int, Range(at_least=1)] | None = None


@dataclass(frozen=True, kw_only=True)
class _Columns:
    """Declaration of a dataset, as it is stated, but for what is nested in it."""

    source: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    respondent: str | None = None
    period: str | None = None
    attributes: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class _Publish:
    """Publication, as it is stated, but for its options and what is accepted."""

    dataset: str
    policy: str
    method: str = DEFAULT_METHOD
    period: str | None = None
    readers: tuple[str, ...] | None = None


def read_file(path: Path) -> Wanted:
    """Read a file.

    Raises:
        ClientError: If it cannot be read, or does not declare anything that can be.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ClientError(
            f"{path} could not be read",
            detail=f"{error.strerror}.",
            hint="Name a file that is there and may be read.",
        ) from None
    if len(content) > _MOST_BYTES:
        raise ClientError(
            f"{path} is too long",
            detail=f"At most {_MOST_BYTES:,} bytes are read.",
            hint="Name a file that declares datasets, policies and publications.",
        )
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise ClientError(
            f"{path} is no text in UTF-8",
            detail=f"Byte {error.start} is none of a character.",
            hint="Save it as UTF-8, which TOML is written in.",
        ) from None
    return read_text(text, str(path))


def read_text(text: str, name: str) -> Wanted:
    """Read the text of a file that goes by a name; see `read_file`."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # Numbers of too many digits are the former.
        nested = isinstance(error, RecursionError)
        raise ClientError(
            f"{name} is not TOML",
            detail="It is nested too deep." if nested else f"{error}.",
            hint="TOML is described at https://toml.io.",
        ) from None
    try:
        return _read(_plain(document, ()))
    except BkprivError as error:
        raise ClientError(
            f"{name}: {error.message}", detail=error.detail, hint=error.hint
        ) from None


def _read(document: Mapping[str, Any]) -> Wanted:
    """Read a document."""
    _table(document, "the file", ("dataset", "policy", "publish", "grant"))
    publications: dict[str, Publication] = {}
    for view, stated in _tables(document, "publish").items():
        written = _relation(view, f"publish.{_quoted(view)}")
        if written in publications:
            raise InvalidParameter(
                f"publish.{_quoted(view)} is declared twice",
                detail=f"Both names mean the view {written}.",
                hint="Declare each view once.",
            )
        publications[written] = _publication(stated, f"publish.{_quoted(view)}")
    grant = _table(document.get("grant", {}), "grant", JOBS)
    return Wanted(
        {name: _dataset(name, stated) for name, stated in _tables(document, "dataset").items()},
        {name: _policy(name, stated) for name, stated in _tables(document, "policy").items()},
        publications,
        {job: _roles(roles, f"grant.{job}") for job, roles in grant.items()},
    )


def _dataset(name: str, stated: Any) -> WantedDataset:
    path = f"dataset.{_quoted(name)}"
    nested = ("bins", "scales", "hierarchy", "knowledge")
    known = (*_Columns.__dataclass_fields__, *nested)
    _table(stated, path, known, ("source", "quasi_identifiers", "sensitive"))
    plain = {key: value for key, value in stated.items() if key not in nested}
    if plain["sensitive"] == []:
        del plain["sensitive"]
    columns = read(_Columns, plain, path)
    bins = _table(stated.get("bins", {}), f"{path}.bins")
    for column, bin_ in bins.items():
        _bin(bin_, f"{path}.bins.{_quoted(column)}")
    scales = _table(stated.get("scales", {}), f"{path}.scales")
    arguments = {
        "name": name,
        "source": _relation(columns.source, f"{path}.source"),
        "quasi_identifiers": list(columns.quasi_identifiers),
        "sensitive": list(columns.sensitive),
        "respondent": columns.respondent,
        "period": columns.period,
        "bins": dict(bins),
        "attributes": list(columns.attributes or ()),
        "scales": {
            column: _scale(scale, f"{path}.scales.{_quoted(column)}")
            for column, scale in scales.items()
        },
    }
    hierarchies = {
        attribute: _hierarchy(name, attribute, item, f"{path}.hierarchy.{_quoted(attribute)}")
        for attribute, item in _tables(stated, "hierarchy", f"{path}.").items()
    }
    knowledge = {
        known: _knowledge(name, known, item, f"{path}.knowledge.{_quoted(known)}")
        for known, item in _tables(stated, "knowledge", f"{path}.").items()
    }
    return WantedDataset(Call("register_dataset", arguments), hierarchies, knowledge)


def _bin(stated: object, path: str) -> None:
    """Check the form of a bin; which suits the column, the server knows."""
    if isinstance(stated, Mapping):
        _table(stated, path, ("method",), ("method",))
        read(Literal["label"], stated["method"], f"{path}.method")
    elif isinstance(stated, str):
        read(str, stated, path)
    else:
        read(float, stated, path)


def _scale(stated: object, path: str) -> list[Any]:
    """Ends of a scale, days and times as text; which suit the column, the server knows."""
    if isinstance(stated, list) and all(isinstance(end, date | str) for end in stated):
        return [str(end) for end in stated]
    return list(read(_Numbers, stated, path))


def _hierarchy(dataset: str, attribute: str, stated: Any, path: str) -> Call:
    every = [key for kind in HIERARCHIES.values() for key in kind.arguments]
    _table(stated, path, every)
    kinds = [key for key in HIERARCHIES if key in stated]
    if len(kinds) != 1:
        raise InvalidParameter(
            f"{path} must be of one kind",
            detail=f"It has {' and '.join(kinds)}." if kinds else "It has no key that tells it.",
            hint=f"Give one of {', '.join(HIERARCHIES)}.",
        )
    kind = HIERARCHIES[kinds[0]]
    _table(stated, path, tuple(kind.arguments))
    for key, value in stated.items():
        read(kind.arguments[key], value, f"{path}.{key}")
    given = {
        key: [_exact(item) for item in value] if isinstance(value, list) else _exact(value)
        for key, value in stated.items()
    }
    if kinds[0] not in ("levels", "branches") and not isinstance(given[kinds[0]], list):
        given[kinds[0]] = [given[kinds[0]]]
    if "levels" in given:
        given["levels"] = _relation(stated["levels"], f"{path}.levels")
    if "branches" in given:
        given["branches"] = _listed(stated["branches"])
    return Call(kind.function, {"dataset": dataset, "attribute": attribute, **given})


def _listed(branches: Mapping[str, Any]) -> dict[str, Any]:
    """Branches with lists under their lowest names, also of one value alone."""
    return {
        name: _listed(under)
        if isinstance(under, Mapping)
        else [under]
        if isinstance(under, str)
        else under
        for name, under in branches.items()
    }


def _exact(value: Any) -> Any:
    """A number as it is written, which 0.1 as a float is not; a whole one as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _knowledge(dataset: str, name: str, stated: Any, path: str) -> Call:
    _table(stated, path, _Knowledge.__dataclass_fields__, ("kind",))
    known = read(_Knowledge, stated, path)
    source = None if known.source is None else _relation(known.source, f"{path}.source")
    return Call(
        "set_sequential_knowledge",
        {
            "dataset": dataset,
            "name": name,
            "kind": known.kind,
            "source": source,
            "memory": known.memory,
        },
    )


def _policy(name: str, stated: Any) -> Mapping[str, Any]:
    path = f"policy.{_quoted(name)}"
    try:
        parse_policy(stated)
    except BkprivError as error:
        raise InvalidParameter(
            f"{path}: {error.message}", detail=error.detail, hint=error.hint
        ) from None
    found: Mapping[str, Any] = stated
    return found


def _publication(stated: Any, path: str) -> Publication:
    known = (*_Publish.__dataclass_fields__, "options", "accept")
    _table(stated, path, known, ("dataset", "policy"))
    plain = {key: value for key, value in stated.items() if key not in ("options", "accept")}
    if isinstance(plain.get("period"), int):
        plain["period"] = str(plain["period"])
    publish = read(_Publish, plain, path)
    options = stated.get("options", {})
    try:
        method = find_method(publish.method)
        parse_options(method, options)
        if "if_stale" in options:
            raise InvalidParameter(
                "option if_stale is not to be stated",
                detail="A release is made only where something changed.",
                hint="Leave it out.",
            )
    except BkprivError as error:
        raise InvalidParameter(
            f"{path}: {error.message}", detail=error.detail, hint=error.hint
        ) from None
    readers = None if publish.readers is None else _roles(list(publish.readers), f"{path}.readers")
    accept = _accept(stated.get("accept", {}), f"{path}.accept")
    return Publication(
        publish.dataset, publish.policy, publish.method, publish.period, options, readers, accept
    )


_Count = Annotated[
    int, Range(at_least=0), ErrorText(hint="Or write true, which accepts any number of them.")
]


def _accept(stated: object, path: str) -> dict[str, float]:
    """The largest accepted counts by the keys of verdicts; broken bounds have none of these."""
    return {
        key: inf if count is True else read(_Count, count, f"{path}.{key}")
        for key, count in _table(stated, path, KEYS).items()
    }


def _roles(stated: object, path: str) -> tuple[str, ...]:
    roles: tuple[str, ...] = read(Annotated[tuple[str, ...], ErrorText(item="role")], stated, path)
    return tuple(dict.fromkeys(roles))


def _tables(document: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
    """Tables by name under a key, which may be left out; what each holds is not looked at yet."""
    tables = _table(document.get(key, {}), f"{path}{key}")
    if "" in tables:
        raise InvalidParameter(
            f'{path}{key}."" has no name', detail="It is empty.", hint="Give it one."
        )
    return tables


def _table(
    stated: object,
    path: str,
    known: Collection[str] | None = None,
    required: Collection[str] = (),
) -> Mapping[str, Any]:
    """Return what is a table with known keys, or with any, and with all that are required."""
    if not isinstance(stated, Mapping):
        raise InvalidParameter(
            f"{path} is no table",
            detail=f"It is {as_json(stated)}.",
            hint=f"Write [{path}] above its keys.",
        )
    for key in stated:
        if known is not None and key not in known:
            raise InvalidParameter(
                f"{path} has no key {_quoted(key)}",
                detail=f"It is {as_json(stated[key])}.",
                hint=f"{near(key, known)}Its keys are {', '.join(known)}.",
            )
    for key in required:
        if key not in stated:
            raise InvalidParameter(
                f"{path} lacks the key {key}",
                detail=f"It has {', '.join(map(_quoted, stated)) or 'none'}.",
                hint=f"It must have {', '.join(required)}.",
            )
    return stated


_PART = r'(?:[^\W\d][\w$]*|"(?:[^"]|"")+")'
_QUALIFIED = re.compile(rf"({_PART})\.({_PART})")


def _relation(text: str, path: str) -> str:
    """Name of a table or view with its schema, quoted where that is needed.

    Raises:
        InvalidParameter: If it is none, or has no schema: what it means would depend on who asks.
    """
    parts = _QUALIFIED.fullmatch(text)
    if parts is None:
        raise InvalidParameter(
            f"{path} is no name with a schema",
            detail=f"It is {text!r}.",
            hint='Write it as in SQL, such as public.person or clinic."Quoted Name".',
        )
    schema, name = (
        part[1:-1].replace('""', '"') if part.startswith('"') else part.translate(_LOWER)
        for part in parts.groups()
    )
    return written(schema, name)


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Letters of names that are not quoted, as PostgreSQL changes them in UTF-8."""


def _quoted(key: str) -> str:
    """A key as TOML has it in a path."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else '"' + key.replace('"', '\\"') + '"'


def _plain(value: Any, path: tuple[str, ...]) -> Any:
    """Return what JSON and SQL can hold of a value; a day is its text.

    Raises:
        InvalidParameter: If there is something else in it.
    """
    name = ".".join(map(_quoted, path)) or "the file"
    if len(path) > _DEPTH:
        raise InvalidParameter(
            f"{name} is nested too deep",
            detail=f"At most {_DEPTH} levels are read.",
            hint="Nothing that is declared needs more than a few.",
        )
    if isinstance(value, Mapping):
        for key in value:
            _check_text(key, f"a key of {name}")
        return {key: _plain(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, (*path, str(place))) for place, item in enumerate(value, start=1)]
    if isinstance(value, str):
        _check_text(value, name)
        return value
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if not abs(value) < 2**63:
            raise InvalidParameter(
                f"{name} is no number that is read",
                detail="It is infinite, no number at all, or has more than 64 bits.",
                hint="Write a smaller one.",
            )
        return value
    if type(value) is date:
        return value.isoformat()
    raise InvalidParameter(
        f"{name} is a time",
        detail=f"It is {value}.",
        hint="Write it as text, in quotes.",
    )


def _check_text(text: str, name: str) -> None:
    if "\0" in text:
        raise InvalidParameter(
            f"{name} holds the character NUL",
            detail="PostgreSQL has no such text.",
            hint="Leave it out.",
        )
