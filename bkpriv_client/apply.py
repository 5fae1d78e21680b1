"""``bkpriv apply``: a database as a privacy file declares it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import psycopg
import typer
from psycopg import IsolationLevel, sql
from rich.console import Console

from bkpriv_client.declaration import call
from bkpriv_client.declared import (
    called,
    grant_job,
    published,
    read_declared,
    set_policy,
    views_of,
)
from bkpriv_client.failure import ClientError, show
from bkpriv_client.notices import heard, repeat
from bkpriv_client.options import Uri
from bkpriv_client.plan import Action, Change, plan
from bkpriv_client.privacy_file import read_file
from bkpriv_client.server import Connection, connect, watched
from bkpriv_client.terminal import make_console, step
from bkpriv_client.verdicts import show_verdicts
from bkpriv_client.wanted import Wanted

__all__ = ["apply"]

_SIGNS = {
    Action.withdraw: "-",
    Action.drop: "-",
    Action.unset_hierarchy: "-",
    Action.unset_knowledge: "-",
    Action.stop_reading: "-",
}
"""Signs of changes that take something away; others have a plus."""

_TO_JUDGE = 3
"""Exit code if a release is violated or has things to judge; 2 is that of a wrong call."""


def apply(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="TOML file that declares datasets, policies, publications."
        ),
    ],
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Print what would change, and change nothing.")
    ] = False,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Withdraw, drop and revoke what you own and the file does not declare. Without it "
            "nothing is taken away.",
        ),
    ] = False,
    uri: Uri = "",
) -> None:
    """Declare and publish what a file says, and nothing where nothing changed.

    A release is made anew where its source, its policy or how it is made has changed. The file is
    tried as a whole first; what is wrong with it changes nothing. Declarations are made in one
    transaction, and then each publication in one.

    It repeats the server's notices. Then it prints the verdict on each release that the file
    publishes, also where nothing changed. It ends with 3 if a release is violated, or has things to
    judge that the publication's key accept does not cover. It ends with 1 on an error, also if a
    publication could not be made. With --plan it prints no verdicts.
    """
    console = make_console()
    wanted = read_file(file)
    with connect(uri) as connection:
        connection.isolation_level = IsolationLevel.READ_COMMITTED
        with step(make_console(stderr=True), f"Comparing {file} with the database"):
            changes = plan(read_declared(connection, wanted), wanted)
        _print_plan(console, changes, prune)
        needed = [change for change in changes if change.needed]
        if needed and not prune:
            raise ClientError(
                f"{file} cannot be applied without taking something away",
                detail=f"{needed[-1]}.",
                hint="Declare it under another name; or give --prune, which does what is listed "
                "above as left.",
            )
        if plan_only:
            return
        carried = [change for change in changes if prune or not change.pruning]
        done = _carry_out(connection, wanted, carried, console, uri)
        accepted = show_verdicts(connection, wanted, console)
        if not (done and accepted):
            raise typer.Exit(_TO_JUDGE if done else 1)


def _print_plan(console: Console, changes: Sequence[Change], prune: bool) -> None:
    """Print what is to be done, and what is left to be taken away."""
    done = [change for change in changes if prune or not change.pruning]
    left = [change for change in changes if change.pruning and not prune]
    for change in done:
        console.print(f"{_SIGNS.get(change.action, '+')} {change}", soft_wrap=True)
    if not done:
        console.print("Nothing to do.")
    for change in left:
        console.print(f"Left, for want of --prune: {change}", soft_wrap=True, style="dim")


def _carry_out(
    connection: Connection,
    wanted: Wanted,
    changes: Sequence[Change],
    console: Console,
    uri: str,
) -> bool:
    """Carry changes out; tell whether all publications could be made.

    If a dataset is made anew, all or nothing is done, lest views are gone and not made again.
    """
    by_view: dict[str, list[Change]] = {}
    declaring = []
    for change in changes:
        if change.action in (Action.publish, Action.let_read):
            by_view.setdefault(change.subject[0], []).append(change)
        else:
            declaring.append(change)
    if any(change.needed for change in changes):
        with connection.transaction():
            _declare(connection, wanted, declaring, console)
            for view, some in by_view.items():
                _publish(connection, wanted, view, some, console, uri)
        return True
    with connection.transaction():
        _declare(connection, wanted, declaring, console)
    failed = False
    for view, some in by_view.items():
        try:
            with connection.transaction():
                _publish(connection, wanted, view, some, console, uri)
        except psycopg.errors.OperationalError:
            raise
        except psycopg.Error as error:
            failed = True
            console.print(f"{view} was not published:")
            show(error, make_console(stderr=True))
    return not failed


def _declare(
    connection: Connection, wanted: Wanted, changes: Sequence[Change], console: Console
) -> None:
    """Carry out what is declared and what is taken away."""
    with heard(connection) as notices:
        for change in changes:
            for statement in _statements(connection, wanted, change):
                connection.execute(statement)
    repeat(console, notices)


def _statements(connection: Connection, wanted: Wanted, change: Change) -> list[sql.Composed]:
    """Statements that carry a change out."""
    match change.action, change.subject:
        case Action.grant_job, (job, role):
            return [grant_job(job, role)]
        case Action.withdraw, (_, release):
            return [call("withdraw", int(release), f"bkpriv apply --prune: {change.why}")]
        case Action.drop, (name,):
            return [call("drop_dataset", name)]
        case Action.register, (name,):
            return [called(wanted.datasets[name].register)]
        case Action.set_hierarchy, (name, attribute):
            return [called(wanted.datasets[name].hierarchies[attribute])]
        case Action.unset_hierarchy, names:
            return [call("unset_hierarchy", *names)]
        case Action.set_knowledge, (name, known):
            return [called(wanted.datasets[name].knowledge[known])]
        case Action.unset_knowledge, names:
            return [call("unset_sequential_knowledge", *names)]
        case Action.set_policy, (name,):
            return [set_policy(name, wanted.policies[name])]
        case Action.let_read, (view, role):
            return _for_readers(connection, wanted, view, role, "GRANT SELECT ON {} TO {}")
        case Action.stop_reading, (view, role):
            return _for_readers(connection, wanted, view, role, "REVOKE SELECT ON {} FROM {}")
    raise ValueError(f"{change.action} is carried out by itself")


def _for_readers(
    connection: Connection, wanted: Wanted, view: str, role: str, statement: str
) -> list[sql.Composed]:
    """Statements about each view of a publication and a reader."""
    named = sql.SQL("PUBLIC") if role == "PUBLIC" else sql.Identifier(role)
    views = views_of(connection, view, wanted.publications[view])
    return [sql.SQL(statement).format(each.identifier, named) for each in views]


def _publish(
    connection: Connection,
    wanted: Wanted,
    view: str,
    changes: Sequence[Change],
    console: Console,
    uri: str,
) -> None:
    """Publish a view, if that is among its changes, and say who may read it."""
    if any(change.action is Action.publish for change in changes):
        with (
            heard(connection) as notices,
            step(make_console(stderr=True), f"Publishing {view}") as advance,
            watched(connection, uri, advance),
        ):
            call_ = published("publish", view, wanted.publications[view], if_stale=True)
            ((release,),) = connection.execute(call_).fetchall()
        console.print(f"{view} shows release {release}.")
        repeat(console, notices)
    granted = [change for change in changes if change.action is Action.let_read]
    _declare(connection, wanted, granted, console)
