"""Trust: whose code may run when a superuser has a relation read.

To read a relation may run code of whoever owns it, or what it is built on, with the reader's rights
(see `bkpriv_pl.tables.strangers`). A superuser's rights are everybody's, and what a file or an
argument names may be somebody else's trap. So where a superuser connects, relations of strangers
are refused unless ``--trust`` names their owners. The server decides who they are; it locks each
relation, so what it found holds until the transaction ends. Other users are not asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.server import Connection, scalar

__all__ = ["Trusted", "check_trust", "is_superuser", "oneself", "prior_tables"]

Trusted = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="ROLE",
        help="Role whose code may run with a superuser's rights, because it owns what is read, or "
        "what that is built on; may be repeated. Superusers alone need it.",
    ),
]

_SHOWN = 8
"""Limit of the objects that an error lists."""


def check_trust(
    connection: Connection, relations: Iterable[str], trusted: Collection[str] | None
) -> None:
    """Refuse relations that a superuser is about to read, and that run code of strangers.

    Parameters
    ----------
    connection : Connection
        A session within the transaction that reads them.
    relations : iterable of str
        Names as in SQL, with their schemas.
    trusted : collection of str or None
        Roles that the user trusts.

    Raises
    ------
    ClientError
        If there are such relations.
    psycopg.Error
        If there is no relation of a name.
    """
    if not is_superuser(connection):
        return
    with oneself(connection):
        found = [
            (relation, role, owns)
            for relation in dict.fromkeys(relations)
            for role, owns in connection.execute(
                "SELECT role, owns FROM bkpriv_internal.strangers(%s::regclass)", [relation]
            ).fetchall()
            if role not in (trusted or ())
        ]
    if not found:
        return
    roles = sorted({role for _, role, _ in found})
    owned = list(dict.fromkeys(f"{relation}: {owns}" for relation, _, owns in found))
    options = " ".join(f"--trust {shlex.quote(role)}" for role in roles)
    raise ClientError(
        f"{' and '.join(dict.fromkeys(relation for relation, *_ in found))} may run code of "
        f"{' and '.join(roles)} with a superuser's rights",
        detail="; ".join(owned[:_SHOWN]) + ("; ..." if len(owned) > _SHOWN else "") + ". Nothing "
        "was read.",
        hint=f"Connect as {' or '.join(roles)}; or, if you trust them, give {options}",
    )


def is_superuser(connection: Connection) -> bool:
    """Whether a superuser has connected, whatever role the session has taken on."""
    asked = sql.SQL("SELECT rolsuper FROM pg_roles WHERE rolname = session_user")
    return bool(scalar(connection, asked))


@contextmanager
def oneself(connection: Connection) -> Iterator[None]:
    """Give up the role that a session has taken on, within a transaction, for a while.

    It does not hold code back, which may give it up as well.
    """
    taken = scalar(connection, sql.SQL("SELECT current_setting('role')"))
    change = "SELECT set_config('role', %s, true)"
    connection.execute(change, ["none"])
    yield
    connection.execute(change, [taken])


def prior_tables(requirements: Any) -> list[str]:
    """Names of prior tables in requirements, however nested."""
    if isinstance(requirements, list):
        return [name for each in requirements for name in prior_tables(each)]
    if not isinstance(requirements, dict):
        return []
    name = requirements.get("table")
    named = [name] if isinstance(name, str) else []
    return named + prior_tables(list(requirements.values()))
