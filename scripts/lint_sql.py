"""Check the rules that every function in sql/*.sql keeps.

Rules: a function pins ``search_path``; it has a ``COMMENT ON FUNCTION`` and a ``REVOKE … FROM
PUBLIC`` in the file that creates it; a PL/Python body is an import and a call, at most three lines,
and never ``SECURITY DEFINER``. Procedures are held to the same. Whether the SQL is valid is for
the tests, which load it.

Usage: ``lint_sql.py FILE…``; prints findings as ``file:line: message``; exits 1 if there are any.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
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
_KIND = r"(?P<kind>FUNCTION|PROCEDURE|ROUTINE)"
_CREATE = re.compile(rf"CREATE (?:OR REPLACE )?{_KIND} (?P<name>[\w.\"]+)", re.IGNORECASE)
_COMMENT = re.compile(rf"COMMENT ON {_KIND} (?P<name>[\w.\"]+)", re.IGNORECASE)
_REVOKE = re.compile(
    rf"REVOKE (?:ALL|EXECUTE)(?: PRIVILEGES)? ON {_KIND} (?P<names>.+) FROM PUBLIC$", re.IGNORECASE
)
_SEARCH_PATH = re.compile(r"\bSET search_path\s*(?:=|TO\b)", re.IGNORECASE)
_PYTHON = re.compile(r"\bLANGUAGE '?plpython3u\b", re.IGNORECASE)
_DEFINER = re.compile(r"\bSECURITY DEFINER\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """One SQL statement: its text without comments and bodies, its body, and where it begins."""

    text: str
    body: str
    line: int


def split_statements(sql: str) -> Iterator[Statement]:
    """Yield the statements of a script, white space in their text collapsed."""
    text, body, start = "", "", None
    for token in _TOKEN.finditer(sql):
        kind = token.lastgroup
        if kind == "end":
            if start is not None:
                yield Statement(" ".join(text.split()), body, sql.count("\n", 0, start) + 1)
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


def lint(sql: str) -> Iterator[tuple[int, str]]:
    """Yield line and message of every rule that a script breaks."""
    statements = list(split_statements(sql))
    # Counted, not only collected: each overload needs its own.
    commented = Counter(
        match["name"] for s in statements if (match := _COMMENT.match(s.text)) is not None
    )
    revoked = Counter(
        name
        for s in statements
        if (match := _REVOKE.match(s.text)) is not None
        for name in re.findall(r"([\w.\"]+) ?\(", match["names"])
    )
    created = Counter(
        match["name"] for s in statements if (match := _CREATE.match(s.text)) is not None
    )
    for statement in statements:
        match = _CREATE.match(statement.text)
        if match is None:
            continue
        name = match["name"]
        if not _SEARCH_PATH.search(statement.text):
            yield statement.line, f"{name} does not pin search_path"
        if commented[name] < created[name]:
            yield statement.line, f"{name} has no COMMENT ON FUNCTION in this file"
        if revoked[name] < created[name]:
            yield statement.line, f"{name} has no REVOKE … FROM PUBLIC in this file"
        if _PYTHON.search(statement.text):
            lines = sum(1 for line in statement.body.splitlines() if line.strip())
            if lines > PYTHON_LINES:
                yield statement.line, f"the Python body of {name} has {lines} lines"
            if _DEFINER.search(statement.text):
                yield statement.line, f"{name} is PL/Python and SECURITY DEFINER"


def main(paths: list[str]) -> int:
    """Print the findings in the given files; return the exit status."""
    findings = [
        f"{path}:{line}: {message}"
        for path in paths
        for line, message in lint(Path(path).read_text(encoding="utf-8"))
    ]
    print("\n".join(findings) or f"SQL rules kept in {len(paths)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
