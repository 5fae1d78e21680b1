"""The boundary between SQL and Python: arguments in, errors and arrays out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any

import numpy as np
import plpy

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray
from bkpriv_pl.server.memory import lifted
from bkpriv_pl.server.pinned import check_pinned
from bkpriv_pl.server.reporting import Refusal, entry

__all__ = [
    "Refusal",
    "array_literal",
    "as_floats",
    "as_integers",
    "check_room",
    "decode",
    "entry",
    "fill",
    "from_json",
    "needed",
    "needed_of_texts",
    "prepare",
    "require",
    "require_name",
    "run",
    "unpack_floats",
    "unpack_integers",
]

_LONGEST_NAME = 9000
"""Bytes of a name that history records."""

_DEPTH = 32
"""Levels of objects and lists that a JSON value may have."""

_JSON_LENGTH = 4_000_000
"""Longest text of a JSON value: a longer one would be decoded for seconds, deaf to everything."""

_SHORTEN = (
    "Use a view that shortens long values, as left(value, 100) does, or has fewer rows or columns."
)

_JSON_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')


def run(query: str, types: Iterable[str] = (), values: Iterable[Any] = ()) -> list[dict[str, Any]]:
    """Execute one statement with parameters, and return its rows.

    Nothing else in the packages has rows made, but `fill`: they may be made outside the limit of
    memory alone; see `bkpriv_pl.server.memory`.
    """
    with lifted():
        check_pinned()
        return list(plpy.execute(plpy.prepare(query, list(types)), list(values)))


def fill(query: str, types: Iterable[str], values: Iterable[Any]) -> int:
    """Execute one statement that fills a table of a release, and return how many rows it wrote."""
    with lifted():
        check_pinned()
        return plpy.execute(plpy.prepare(query, list(types)), list(values)).nrows()


def needed(text: str) -> str:
    """SQL of the bytes that Python needs for a text, at most: four a character, and twice at that.

    A statement that sends texts of any size sends none where they need more than `room`.
    """
    return f"(6 * pg_catalog.octet_length({text})::pg_catalog.int8 + 64)"


def needed_of_texts(array: str) -> str:
    """SQL of the bytes that Python needs for an array of texts, lists of them included."""
    together = f"pg_catalog.array_to_string({array}, '')"
    return f"(128 * pg_catalog.cardinality({array})::pg_catalog.int8 + {needed(together)})"


def check_room(subject: str, need: int, allowed: int, *, hint: str = _SHORTEN) -> None:
    """Refuse values that were not sent, for they need more memory than the call may take.

    Args:
        subject: Name of the values, as a subject in the plural.
        need, allowed: Bytes that they need, and bytes that the call might take.

    Raises:
        TooLarge: If they need more.
    """
    if need > allowed:
        raise TooLarge(
            f"{subject} are too large",
            detail=f"They may need {need} bytes of memory; this call may take {allowed} more.",
            hint=hint,
        )


def prepare(query: str) -> None:
    """Have PostgreSQL understand a statement, which is not executed."""
    with lifted():
        check_pinned()
        plpy.prepare(query)


def require(value: str | None, name: str) -> str:
    """Return a text argument that must not be NULL or empty."""
    if not value:
        raise InvalidParameter(
            f"{name} is missing",
            detail="It is NULL or empty.",
            hint=f"Give a non-empty {name}.",
        )
    return value


def require_name(value: str | None, what: str) -> str:
    """Return the name of a dataset or policy, which must not be missing or too long to record."""
    name = require(value, what)
    if (size := len(name.encode())) > _LONGEST_NAME:
        raise InvalidParameter(
            f"{what} is too long",
            detail=f"It has {size} bytes, and a name at most {_LONGEST_NAME}.",
            hint="Choose a shorter name.",
        )
    return name


def from_json(text: str | None, name: str) -> Any:
    """Decode a jsonb argument that must not be NULL; see `decode`."""
    if text is None:
        raise InvalidParameter(
            f"{name} is missing", detail="It is NULL.", hint=f"Give {name} as jsonb."
        )
    return decode(text, name)


def decode(text: str, name: str) -> Any:
    """Decode JSON that somebody else wrote.

    Raises:
        TooLarge: If it is too long.
        InvalidParameter: If it is nested too deep, or has a number that double precision does not
            hold.
    """
    if len(text) > _JSON_LENGTH:
        raise TooLarge(
            f"the JSON of {name} is too long",
            detail=f"It has {len(text)} characters; at most {_JSON_LENGTH} are read.",
            hint="State less of it.",
        )
    opened = text.count("[") + text.count("{")
    if opened > _DEPTH and (depth := _depth(text)) > _DEPTH:
        raise InvalidParameter(
            f"the JSON of {name} is nested too deep",
            detail=f"It has {depth} levels of objects and lists; at most {_DEPTH} are read.",
            hint="Nothing that bkpriv reads needs more than a few.",
        )

    def read(digits: str) -> float:
        number = float(digits)
        decimal = Decimal(digits)
        if math.isinf(number) or (number == 0.0 and decimal):
            raise InvalidParameter(
                f"the JSON of {name} holds {decimal.normalize():.6g}, beyond double precision",
                detail="Such numbers lie between about 1e-308 and 1e308, or are 0.",
                hint="Write a number in that range.",
            )
        return number

    # An integer that is too long is read like other large numbers.
    return json.loads(
        text, parse_float=read, parse_int=lambda d: int(d) if len(d) < 20 else read(d)
    )


def _depth(text: str) -> int:
    """Levels of objects and lists in JSON."""
    steps = (bool(item[1]) - bool(item[2]) for item in _JSON_TOKENS.finditer(text))
    return max(accumulate(steps))


def as_floats(values: list[Any], name: str) -> FloatArray:
    """Turn an array argument into floats; a NULL element, NaN to numpy, is refused."""
    return np.asarray(_without_null(values, name), dtype=np.float64)


def as_integers(values: list[Any], name: str) -> IntArray:
    """Turn an array argument into integers; NULL elements are refused."""
    return np.asarray(_without_null(values, name), dtype=np.int64)


def unpack_integers(packed: bytes | None, element: str = ">i4") -> IntArray:
    """Integers that SQL sent one behind the other; none for NULL, the sum of none."""
    return np.frombuffer(packed or b"", element).astype(np.int64)


def unpack_floats(packed: bytes | None) -> FloatArray:
    """Double precision numbers that SQL sent one behind the other."""
    return np.frombuffer(packed or b"", ">f8").astype(np.float64)


def array_literal(values: AnyArray) -> str:
    """Write numbers as a PostgreSQL array literal, much faster than element by element."""
    return "{" + ",".join(map(repr, values.tolist())) + "}"


def _without_null(values: list[Any], name: str) -> list[Any]:
    flat: list[Any] = values
    while flat and isinstance(flat[0], list):
        flat = [item for row in flat for item in row]
    if any(item is None for item in flat):
        raise InvalidParameter(
            f"{name} has a NULL element",
            detail="A missing number has no place in the computation.",
            hint="Fill it, or leave it out.",
        )
    return values
