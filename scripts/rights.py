"""Write the table of docs/explanation/security.md: for which role each function runs.

What a function reads is said where it is made callable, ``@entry(Access....)``, and it refuses by
that; who may call it is granted below its definition in sql/functions/. A test calls every function
as every role.

Usage: ``python -m scripts.rights`` writes the table in place.
"""

from __future__ import annotations

import ast
import re
from itertools import groupby
from pathlib import Path

from bkpriv_pl.server.access import Access

__all__ = ["ROLES", "answer", "functions", "page"]

ROOT = Path(__file__).resolve().parent.parent

PAGE = ROOT / "docs" / "explanation" / "security.md"

ROLES = ("superuser", "owner", "member", "other publisher", "auditor", "watcher", "nobody")
"""Roles; the owner of the dataset is a publisher, and a member is a member of the owner."""

YES, REFUSED, UNKNOWN = "yes", "42501", "42704"
"""Answers to a call: it runs, is refused, or knows of no such dataset or release."""

_JOBS = {"owner": "publisher", "member": "publisher", "other publisher": "publisher"}

_MARKS = "<!-- Made by scripts/rights.py; do not edit. -->\n", "<!-- Here it ends. -->\n"

_GRANT = re.compile(
    r"^GRANT EXECUTE ON FUNCTION bkpriv(?:_internal)?\.(\w+)\([^;]*? TO ([^;]*);", re.M
)

Function = tuple[Access, frozenset[str]]
"""Access of a function, and the jobs of those who may call it."""


def functions() -> dict[str, Function]:
    """Functions of schema bkpriv by name, and `open_views`, by which a client exports a release."""
    code = "\n".join(path.read_text() for path in sorted((ROOT / "sql").rglob("*.sql")))
    granted = {
        name: frozenset(re.findall(r"bkpriv_(\w+)", to)) for name, to in _GRANT.findall(code)
    }
    named = re.findall(r"^CREATE OR REPLACE FUNCTION bkpriv\.(\w+)", code, re.M)
    read = _read()
    return {
        name: (read.get(name, Access.NOTHING), granted.get(name, frozenset()))
        for name in sorted({*named, "open_views"})
    }


def _read() -> dict[str, Access]:
    """Access of the functions in PL/Python."""
    found = {}
    for path in (ROOT / "plpython" / "bkpriv_pl").glob("*/*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and (of := _stated(node)):
                said = re.search(
                    r"See ``bkpriv(?:_internal)?\.(\w+)``", ast.get_docstring(node) or ""
                )
                assert said is not None, node.name
                found[said[1]] = Access[of]
    return found


def _stated(function: ast.FunctionDef) -> str | None:
    """Name of the access that a function is made callable with."""
    for made in function.decorator_list:
        if (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Name)
            and made.func.id == "entry"
        ):
            (stated,) = made.args
            return ast.unparse(stated).removeprefix("Access.")
    return None


def answer(function: Function, role: str, *, owner_is_superuser: bool = False) -> str:
    """Answer to a call about a dataset, release or relation of the owner."""
    access, jobs = function
    if role == "superuser":
        return REFUSED if access is Access.SOURCE and not owner_is_superuser else YES
    if _JOBS.get(role, role) not in jobs:
        return REFUSED
    if access is Access.NOTHING or role in ("owner", "member"):
        return YES
    if access is Access.NAMED:
        return REFUSED
    if role == "other publisher":
        return UNKNOWN
    return YES if access is Access.RELEASES else REFUSED


def _row(function: Function) -> tuple[str, ...]:
    """Cells of a function, but for its name."""
    access, jobs = function
    cells = []
    for role in ROLES:
        if access is Access.NAMED and (role == "superuser" or _JOBS.get(role, role) in jobs):
            cells.append("as SELECT")
        elif access is Access.SOURCE and role == "superuser":
            cells.append("if the owner is one")
        else:
            cells.append(answer(function, role).replace(YES, "yes"))
    return access.value, *cells


def page() -> str:
    """Write the page, with the table as it is now."""
    made = functions()
    order = [*Access]
    rows = sorted(made, key=lambda name: (order.index(made[name][0]), _row(made[name]), name))
    table = [f"| functions | read | {' | '.join(ROLES)} |\n", f"|---{'|---' * len(ROLES)}|---|\n"]
    for cells, names in groupby(rows, lambda name: _row(made[name])):
        listed = ", ".join(f"`{name}`" for name in names)
        table.append(f"| {listed} | {' | '.join(cells)} |\n")
    text = PAGE.read_text()
    begin, end = text.index(_MARKS[0]) + len(_MARKS[0]), text.index(_MARKS[1])
    return f"{text[:begin]}\n{''.join(table)}\n{text[end:]}"


if __name__ == "__main__":
    PAGE.write_text(page())
