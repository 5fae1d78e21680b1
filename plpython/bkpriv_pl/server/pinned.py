"""Pinned settings: what a function pins when it is called stays so until it returns.

To read a relation can run functions of others, which may set ``search_path``, another role or
whatever else a session may set. Names and values in later statements would then mean something
else. So each statement is preceded by a look at all of these, by names that no setting changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import plpy

from bkpriv_core.errors import BkprivError
from bkpriv_pl.server.memory import lifted

__all__ = ["ChangedSettings", "acting", "check_pinned", "pinned"]

_at_entry: Mapping[str, Any] | None = None
"""Settings and role of the call under way; None outside of calls, empty before its first look."""


class ChangedSettings(BkprivError):
    """Code of others, run by a statement, has changed what the call had pinned."""


@contextmanager
def pinned() -> Iterator[None]:
    """Refuse statements inside once settings or the role are not those of its first statement."""
    global _at_entry
    before, _at_entry = _at_entry, {}
    try:
        yield
    finally:
        _at_entry = before


def check_pinned() -> None:
    """Look whether settings and role are those that the call began with.

    Raises:
        ChangedSettings: If they are not.
    """
    global _at_entry
    if _at_entry is None:
        return
    found = plpy.execute(_look())[0]
    _at_entry = _at_entry or found
    if found != _at_entry:
        changed = [name for name, value in found.items() if value != _at_entry[name]]
        raise ChangedSettings(
            f"code that a relation runs has changed {', '.join(changed)}",
            detail="Functions that a relation or a type calls cannot change the role, or settings "
            "that bkpriv pins.",
            hint="Give such a function its settings by CREATE FUNCTION ... SET, which end with it.",
        )


def acting() -> int:
    """Return the identifier of the role that the call under way acts as; see `check_pinned`."""
    with lifted():
        check_pinned()
    assert _at_entry
    return int(_at_entry["role"])


@cache
def _look() -> Any:
    """Prepare the statement that looks, at what sql/seal.sql pins."""
    (row,) = plpy.execute(
        "SELECT pg_catalog.array_agg(pg_catalog.split_part(setting, '=', 1)) AS names "
        "FROM pg_catalog.pg_proc, pg_catalog.unnest(proconfig) AS setting "
        "WHERE oid = 'bkpriv_internal.write()'::pg_catalog.regprocedure"
    )
    settings = [
        f"pg_catalog.current_setting({plpy.quote_literal(name)}) AS {plpy.quote_ident(name)}"
        for name in row["names"]
    ]
    # By its identifier: it may be renamed.
    role = "pg_catalog.to_regrole(pg_catalog.quote_ident(CURRENT_USER))::pg_catalog.oid AS role"
    return plpy.prepare(f"SELECT {role}, {', '.join(settings)}")
