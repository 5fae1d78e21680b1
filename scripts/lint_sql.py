"""Check the rules that the files in sql/ keep, each by the directory it is in.

Rules: ``functions/`` holds what can be replaced and nothing else. Each function or view is ``CREATE
OR REPLACE``, directly followed by its ``COMMENT`` and by a ``GRANT``, or by a line ``-- Granted to
nobody: ...``; comments on columns come after that. A function pins ``search_path``; a PL/Python
body is an import and a call, at most three lines, and not ``SECURITY DEFINER``, except that of the
one writer. ``tables/`` holds what is made once and nothing else;
``ties/`` what can be made again, so no tables; and neither these nor a step in ``upgrades/`` make a
function or a view. Whether the SQL is valid is for the tests, which load it.

Usage: ``lint_sql.py FILE…``; prints findings as ``file:line: message``; exits 1 if there are any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

PYTHON_LINES = 3

# Comments, quoted things and dollar-quoted bodies hide semicolons; everything else is plain.
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<body>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
      | (?P<quoted>[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*")
      | (?P<end>;)
      | (?P<plain>[^;'"$/-]+?(?=[eE]'|[;'"$/-]|$)|.)""",
    re.VERBOSE | re.DOTALL,
)
_REPLACEABLE = "FUNCTION|PROCEDURE|VIEW"
_CREATE = re.compile(rf"CREATE (OR REPLACE )?(?:{_REPLACEABLE}) (?P<name>[\w.\"]+)", re.IGNORECASE)
_COMMENT = re.compile(rf"COMMENT ON (?:{_REPLACEABLE}) (?P<name>[\w.\"]+)", re.IGNORECASE)
_GRANT = re.compile(r"GRANT \w+ ON (?:FUNCTION |PROCEDURE )?(?P<name>[\w.\"]+)", re.IGNORECASE)
_COLUMN = re.compile(r"COMMENT ON COLUMN ", re.IGNORECASE)
_NOBODY = "-- Granted to nobody: "
_TABLE = re.compile(r"CREATE (?:TABLE|SEQUENCE|(?:UNIQUE )?INDEX|SCHEMA) ", re.IGNORECASE)
_SEARCH_PATH = re.compile(r"\bSET search_path\s*(?:=|TO\b)", re.IGNORECASE)
_PYTHON = re.compile(r"\bLANGUAGE '?plpython3u\b", re.IGNORECASE)
_WRITER = "bkpriv_internal.write"
_DEFINER = re.compile(r"\bSECURITY DEFINER\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """One SQL statement: its text without comments and bodies, its body, where it begins and ends.

    The first line of the file is 1; `end` counts characters.
    """

    text: str
    body: str
    line: int
    end: int


def split_statements(sql: str) -> Iterator[Statement]:
    """Yield the statements of a script, white space in their text collapsed."""
    text, body, start = "", "", None
    for token in _TOKEN.finditer(sql):
        kind = token.lastgroup
        if kind == "end":
            if start is not None:
                line = sql.count("\n", 0, start) + 1
                yield Statement(" ".join(text.split()), body, line, token.end())
            text, body, start = "", "", None
        elif kind == "comment":
            text += " "
        else:
            if start is None and token.group().strip():
                start = token.start() + len(token.group()) - len(token.group().lstrip())
            if token.group("body"):
                body = token.group("body").strip("$").removeprefix(token.group("tag") or "")
                body = body.removesuffix(token.group("tag") or "").strip("$")
                text += " $$ "
            else:
                text += token.group()


def lint(sql: str, directory: str = "functions") -> Iterator[tuple[int, str]]:
    """Yield line and message of every rule that a script in a directory of sql/ breaks."""
    statements = list(split_statements(sql))
    if directory == "functions":
        yield from _lint_functions(sql, statements)
        return
    for statement in statements:
        made = _CREATE.match(statement.text)
        # A step may replace a view by a placeholder, where functions that go are in its way.
        if made and not (directory == "upgrades" and made[0].startswith("CREATE OR REPLACE VIEW")):
            yield statement.line, f"{made['name']} belongs in functions/"
        if directory == "ties" and _TABLE.match(statement.text):
            yield statement.line, "what is made once belongs in tables/, and in a step in upgrades/"
        if directory == "tables" and not _TABLE.match(statement.text):
            yield statement.line, "what is not made once belongs in ties/ or functions/"


def _lint_functions(sql: str, statements: list[Statement]) -> Iterator[tuple[int, str]]:
    nothing = Statement("", "", 0, 0)
    followed = zip(statements, chain(statements[1:], [nothing]), strict=False)
    for statement, following in followed:
        made = _CREATE.match(statement.text)
        told = _COMMENT.match(statement.text)
        if made:
            yield from _lint_function(statement, made["name"])
            after = _COMMENT.match(following.text)
            if after is None or after["name"] != made["name"]:
                yield statement.line, f"{made['name']} is not followed by its COMMENT"
        elif told:
            granted = _GRANT.match(following.text)
            nobody = sql[statement.end :].lstrip().startswith(_NOBODY)
            if nobody == (granted is not None and granted["name"] == told["name"]):
                yield (
                    statement.line,
                    f"the COMMENT of {told['name']} is not followed by its GRANT, or {_NOBODY}...",
                )
        elif not _GRANT.match(statement.text) and not _COLUMN.match(statement.text):
            yield statement.line, "this is no function or view and belongs in ties/ or tables/"


def _lint_function(statement: Statement, name: str) -> Iterator[tuple[int, str]]:
    if not statement.text.startswith("CREATE OR REPLACE"):
        yield statement.line, f"{name} is not CREATE OR REPLACE"
    if statement.text.startswith("CREATE OR REPLACE VIEW"):
        return
    if not _SEARCH_PATH.search(statement.text):
        yield statement.line, f"{name} does not pin search_path"
    if _PYTHON.search(statement.text):
        lines = sum(1 for line in statement.body.splitlines() if line.strip())
        if lines > PYTHON_LINES:
            yield statement.line, f"the Python body of {name} has {lines} lines"
        if _DEFINER.search(statement.text) and name != _WRITER:
            yield statement.line, f"{name} is PL/Python and SECURITY DEFINER"


def main(paths: list[str]) -> int:
    """Print the findings in the given files; return the exit status."""
    findings = [
        f"{path}:{line}: {message}"
        for path in map(Path, paths)
        for line, message in lint(path.read_text(encoding="utf-8"), path.parent.name)
    ]
    print("\n".join(findings) or f"SQL rules kept in {len(paths)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
