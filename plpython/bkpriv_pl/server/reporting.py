"""Errors on their way to PostgreSQL, with all their parts; without numpy, so from the start on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import plpy

from bkpriv_core import errors
from bkpriv_core.errors import BkprivError
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access, depth, within
from bkpriv_pl.server.memory import BUDGET, NoRoom, bounded
from bkpriv_pl.server.pinned import ChangedSettings, pinned

__all__ = ["Refusal", "entry", "reported", "untraced"]

P = ParamSpec("P")
R = TypeVar("R")

_SQLSTATES: dict[type[BkprivError], str] = {
    errors.InvalidParameter: "22023",
    errors.InvalidData: "22000",
    errors.MissingColumn: "42703",
    errors.UnattainableRequirement: "22023",
    errors.NoGroups: "42809",
    errors.ContradictoryKnowledge: "22000",
    errors.TooLarge: "54000",
    errors.Unsupported: "0A000",
    errors.UnsoundHistory: "22000",
    ChangedSettings: "2F003",
}

_OUT_OF_MEMORY = "53200"
_BUDGET_TOLD = f"One call may take {BUDGET // 2**30} GB beyond what its session holds."
_LESS = "Ask about less at a time: fewer or coarser columns, fewer records, a smaller argument."
_MORE = (
    "Ask for less in the call that this one is part of, or in this session; or give the server's "
    "processes more."
)

_DEEPEST = 20
"""Most calls that are under way, each within another."""

_LONGEST = 10_000
"""Longest part of an error, in characters."""

_HINTS = {
    _OUT_OF_MEMORY: _LESS,
    "25006": "Use a transaction that may write, on a server that is no standby.",
}
"""Hints for refusals by PostgreSQL itself that have none."""


class Refusal(BkprivError):
    """An error that only the database can have: a name, a privilege, a state.

    Args:
        sqlstate: PostgreSQL's code of the condition.
        message, detail, hint: See `BkprivError`.
    """

    def __init__(self, sqlstate: str, message: str, *, detail: str, hint: str) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.sqlstate = sqlstate


def _cut(text: str) -> str:
    """Shorten what nobody reads to its end: it may quote a value of any size."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


class _Reported(plpy.Error):
    """An error on its way to PostgreSQL, which reads its parts from these attributes.

    PL/Python puts an exception's name before its message, so the name is made one to read.
    """

    schema_name = table_name = column_name = datatype_name = constraint_name = None

    def __init__(self, message: str, sqlstate: str, detail: str | None, hint: str | None) -> None:
        super().__init__(_cut(message))
        self.sqlstate = sqlstate
        self.detail = detail and _cut(detail)
        self.hint = hint and _cut(hint)


_Reported.__module__ = "builtins"
_Reported.__name__ = "bkpriv"


@contextmanager
def reported() -> Iterator[None]:
    """Turn errors into PostgreSQL's; its own stay what they are, cancellations among them."""
    try:
        yield
    except BkprivError as error:
        sqlstate = error.sqlstate if isinstance(error, Refusal) else _SQLSTATES[type(error)]
        raise _Reported(error.message, sqlstate, error.detail, error.hint) from None
    except NoRoom as error:
        raise _Reported("out of memory", _OUT_OF_MEMORY, str(error), _MORE) from None
    except MemoryError:
        raise _Reported("out of memory", _OUT_OF_MEMORY, _BUDGET_TOLD, _LESS) from None
    except ModuleNotFoundError as error:
        raise _Reported(
            "Python packages of this session are not there any more",
            "55000",
            f"{error}. Another version may have been installed in their place.",
            "Reconnect.",
        ) from None
    except ImportError as error:
        # All packages were found: what was wanting is memory to map one of them.
        raise _Reported(
            "out of memory", _OUT_OF_MEMORY, f"A package was not loaded: {error}", "Reconnect."
        ) from None
    except plpy.SPIError as error:
        raise _from_server(error) from None


@contextmanager
def _nested(access: Access) -> Iterator[None]:
    """Answer a call; refuse calls within calls that are too many for Python's stack."""
    if depth() == _DEEPEST:
        raise Refusal(
            "54001",
            "calls are nested too deep",
            detail=f"There are {_DEEPEST}, each within another: a relation that is read calls, by "
            "a function of its own, what reads it.",
            hint="Name a relation without such a function.",
        )
    with within(access):
        yield


def entry(access: Access) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function callable from SQL: within the budget of memory, its errors reported.

    What it reports is no part of what a call around it reports.

    Args:
        access: Relations that it reads; `bkpriv_pl.tables.dataset.find_dataset` refuses by that.
    """

    def callable_from_sql(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            with reported(), bounded(), notices.apart(), _nested(access), pinned():
                return function(*args, **kwargs)

        return untraced(called)

    return callable_from_sql


def untraced(function: Callable[P, R]) -> Callable[P, R]:
    """Keep the way of a reported error through the packages from what PL/Python says of it.

    PL/Python writes "Traceback", and the line of the function's body, into the context of every
    error that comes from Python, and there is no error that does not; nothing else remains. What is
    not reported is a fault of the packages, and keeps its trace.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except _Reported as error:
            # A bare raise adds nothing to the trace; Python 3.10 keeps what is left of the old one.
            if error.__traceback__ is not None:
                error.__traceback__.tb_next = None
            error.__traceback__ = None
            raise

    return called


def _from_server(error: plpy.SPIError) -> _Reported:
    """An error of PostgreSQL's, which would otherwise bear the name of a Python class."""
    code, detail, hint, _, _, *names = error.spidata
    # Five characters of six bits each, the first in the lowest bits.
    sqlstate = "".join(chr((code >> shift & 0x3F) + ord("0")) for shift in range(0, 30, 6))
    if sqlstate == _OUT_OF_MEMORY:
        detail = detail or _BUDGET_TOLD
    # An error of a call within this one bears our name already.
    message = str(error).removeprefix(f"{_Reported.__name__}: ")
    reported = _Reported(message, sqlstate, detail, hint or _HINTS.get(sqlstate))
    parts = ("schema_name", "table_name", "column_name", "datatype_name", "constraint_name")
    for part, name in zip(parts, names, strict=True):
        setattr(reported, part, name)
    return reported
