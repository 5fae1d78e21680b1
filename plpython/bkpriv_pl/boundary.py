"""The boundary between SQL and Python: arguments in, errors and arrays out."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import plpy

from bkpriv_core import errors
from bkpriv_core.errors import BkprivError, InvalidParameter

__all__ = ["Refusal", "as_floats", "as_integers", "entry", "from_json", "require", "run"]

P = ParamSpec("P")
R = TypeVar("R")

_SQLSTATES: dict[type[BkprivError], str] = {
    errors.InvalidParameter: "22023",
    errors.InvalidData: "22000",
    errors.UnattainableRequirement: "22023",
    errors.ContradictoryKnowledge: "22000",
    errors.TooLarge: "54000",
}


class Refusal(BkprivError):
    """An error that only the database can have: a name, a privilege, a state.

    Parameters
    ----------
    sqlstate : str
        PostgreSQL's code of the condition.
    message, detail, hint : str
        See `BkprivError`.
    """

    def __init__(self, sqlstate: str, message: str, *, detail: str, hint: str) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.sqlstate = sqlstate


class _Reported(plpy.Error):
    """An error on its way to PostgreSQL, which reads its parts from these attributes.

    PL/Python puts an exception's name before its message, so the name is made one to read.
    """

    schema_name = table_name = column_name = datatype_name = constraint_name = None

    def __init__(self, message: str, sqlstate: str, detail: str, hint: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.detail = detail
        self.hint = hint


_Reported.__module__ = "builtins"
_Reported.__name__ = "bkpriv"


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function callable from SQL: its errors become PostgreSQL's, with all their parts."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BkprivError as error:
            sqlstate = error.sqlstate if isinstance(error, Refusal) else _SQLSTATES[type(error)]
            raise _Reported(error.message, sqlstate, error.detail, error.hint) from None

    return called


def run(query: str, types: Iterable[str] = (), values: Iterable[Any] = ()) -> list[dict[str, Any]]:
    """Execute one statement with parameters, and return its rows."""
    return list(plpy.execute(plpy.prepare(query, list(types)), list(values)))


def require(value: str | None, name: str) -> str:
    """Return a text argument that must not be NULL or empty."""
    if not value:
        raise InvalidParameter(
            f"{name} is missing",
            detail="It is NULL or empty.",
            hint=f"Give a non-empty {name}.",
        )
    return value


def from_json(text: str | None, name: str) -> Any:
    """Decode a jsonb argument that must not be NULL."""
    if text is None:
        raise InvalidParameter(
            f"{name} is missing", detail="It is NULL.", hint=f"Give {name} as jsonb."
        )
    return json.loads(text, parse_int=_json_integer)


def _json_integer(digits: str) -> int | float:
    """Read an integer of any length, one that is too long as a float, like other large numbers."""
    return int(digits) if len(digits) < 20 else float(digits)


def as_floats(values: list[Any], name: str) -> npt.NDArray[np.float64]:
    """Turn an array argument into floats; a NULL element, NaN to numpy, is refused."""
    return np.asarray(_without_null(values, name), dtype=np.float64)


def as_integers(values: list[Any], name: str) -> npt.NDArray[np.int64]:
    """Turn an array argument into integers; NULL elements are refused."""
    return np.asarray(_without_null(values, name), dtype=np.int64)


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
