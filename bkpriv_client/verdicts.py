"""Verdicts on what a privacy file publishes: shown, and compared with what the file accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bkpriv_client.server import Connection
from bkpriv_client.wanted import Wanted, written

__all__ = ["Matter", "counts_of", "show_verdicts", "unaccepted"]


class Matter(NamedTuple):
    """A row of ``bkpriv.verdict``, but for the first: a broken bound or a thing to judge."""

    state: str
    what: str
    number: int | None
    """Count of people, rows, columns or releases; None if they were not counted."""
    among: int | None
    advice: str

    @property
    def key(self) -> str:
        """Kind of thing, or the broken requirement."""
        return self.what.partition(": ")[0]


def counts_of(matters: Sequence[Matter]) -> dict[str, float]:
    """Counts of the things to judge by their keys; infinity if something was not counted.

    Things of one key are added up, so that another column does not pass for one that is accepted.
    """
    counts: dict[str, float] = {}
    for matter in matters:
        if matter.state == "judge":
            count = inf if matter.number is None else matter.number
            counts[matter.key] = counts.get(matter.key, 0) + count
    return counts


def unaccepted(matters: Sequence[Matter], accept: Mapping[str, float]) -> list[Matter]:
    """Return broken bounds, and things to judge that are more than what is accepted.

    Args:
        accept: The largest accepted counts, by key.
    """
    counts = counts_of(matters)
    return [
        matter
        for matter in matters
        if matter.state != "judge"
        or matter.key not in accept
        or counts[matter.key] > accept[matter.key]
    ]


def show_verdicts(connection: Connection, wanted: Wanted, console: Console) -> bool:
    """Print the verdict on each release that the file publishes, as the history has it.

    Returns:
        Whether all are satisfied, with nothing to judge but what the file accepts.
    """
    rows = connection.execute(
        "SELECT r.view_schema, r.view_name, s.release, s.verdict IS NOT NULL "
        "FROM bkpriv.releases AS s JOIN bkpriv.release AS r USING (release) "
        "WHERE s.status = 'published' ORDER BY s.release"
    )
    shown = {written(schema, name): found for schema, name, *found in rows}
    fine = True
    for view, publication in wanted.publications.items():
        if view not in shown:  # It could not be published, which was said.
            continue
        release, judged = shown[view]
        if not judged:
            console.print(f"{view}, release {release}: not judged yet", soft_wrap=True)
            _print_below(console, f"Hint: SELECT * FROM bkpriv.audit({release}) judges it.", 2)
            fine = False
            continue
        _, *found = connection.execute("SELECT * FROM bkpriv.verdict(%s)", [release]).fetchall()
        matters = [Matter(*row) for row in found]
        fine &= not unaccepted(matters, publication.accept)
        _show(console, f"{view}, release {release}", matters, publication.accept)
    return fine


def _show(
    console: Console, name: str, matters: Sequence[Matter], accept: Mapping[str, float]
) -> None:
    """Print a verdict, and what to do about all that is not accepted."""
    open_, counts = unaccepted(matters, accept), counts_of(matters)
    things = [matter for matter in matters if matter.state == "judge"]
    parts = ["satisfied" if len(things) == len(matters) else "violated"]
    if things:
        parts.append(f"{len(things)} thing{'s' * (len(things) > 1)} to judge")
    if accepted := len(matters) - len(open_):
        parts.append(f"{accepted} accepted")
    console.print(f"{name}: {', '.join(parts)}", soft_wrap=True)
    for matter in matters:
        said = "" if matter in open_ else f" (accepted: {_limit(accept[matter.key])})"
        _print_below(console, f"{matter.what}{said}", 2)
        if matter in open_:
            _print_below(console, matter.advice, 4)
    if asked := {matter.key: counts[matter.key] for matter in open_ if matter.key in counts}:
        stated = {**accept, **asked}
        pairs = ", ".join(
            f"{key} = {json.dumps(count if count < inf else True)}" for key, count in stated.items()
        )
        _print_below(console, "Hint: If you accept this, state it with the publication:", 2)
        console.print(f"    accept = {{ {pairs} }}", soft_wrap=True)


def _limit(count: float) -> str:
    return f"at most {count}" if count < inf else "any number"


def _print_below(console: Console, text: str, indent: int) -> None:
    console.print(Padding(Text(text), (0, 0, 0, indent)))
