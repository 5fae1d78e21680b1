"""Check how docstrings open, and that calls do not spread literal tuples.

Rules: a docstring, and what it says of a parameter, a result or an attribute, names the thing
first. It opens with no pronoun or relative word ("Whose beliefs.", "What is drawn.") and with no
preposition ("Of the groups."), which puts the thing last. "Whether" and "None" may open. A call
states its arguments plainly: ``f(a, b)``, not ``f(*(a, b))``.

Usage: ``lint_python.py DIRECTORY...``; prints findings as ``file:line: message``; exits 1 if there
are any.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

_PRONOUNS = """
    who whom whose whoever what whatever which whichever where wherever when whenever how why
    that those these this it its he him his she her they them their
    somebody someone something anybody anyone anything everybody everyone everything nobody nothing
    some such others
"""
_PREPOSITIONS = "about by for from in of on through to under upon with within"
_OPENING = re.compile(rf"(?:{'|'.join(f'{_PRONOUNS} {_PREPOSITIONS}'.split())})\b", re.IGNORECASE)
_SHAPE = r"(?:Shape \(.*?\)\. )?"
_DESCRIBED = re.compile(rf"    \w[\w, *]*: {_SHAPE}(\S.*)")
_RETURNED = re.compile(rf"    (?:\w+: (?=Shape)|){_SHAPE}(\S.*)")


def lint(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and message of every rule that a module breaks."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            # Whatever stands by itself as a string: docstrings, and those of constants.
            if isinstance(node.value.value, str):
                yield from _lint_docstring(node.lineno, node.value.value)
        elif isinstance(node, ast.Call):
            for argument in node.args:
                if isinstance(argument, ast.Starred) and isinstance(
                    argument.value, (ast.Tuple, ast.List)
                ):
                    yield argument.lineno, "a call spreads a literal; pass its elements plainly"


def _lint_docstring(first: int, text: str) -> Iterator[tuple[int, str]]:
    for line, opening in _openings(cleandoc(text).splitlines()):
        if found := _OPENING.match(opening):
            yield first + line, f'"{found[0]}" opens "{opening}"; name the thing first'


def _openings(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the places and texts of lines with which a docstring or a description opens."""
    yield 0, lines[0] if lines else ""
    section = ""
    for place, line in enumerate(lines):
        found = None
        if line[:1].strip():
            section = line
        elif lines[place - 1] in ("Returns:", "Yields:"):
            found = _RETURNED.fullmatch(line)
        elif section in ("Args:", "Attributes:"):
            found = _DESCRIBED.fullmatch(line)
        if found:
            yield place, found[1]


def main(directories: list[str]) -> int:
    """Print the findings in the given directories; return the exit status."""
    paths = [path for name in directories for path in sorted(Path(name).rglob("*.py"))]
    findings = [
        f"{path}:{line}: {message}"
        for path in paths
        for line, message in lint(path.read_text(encoding="utf-8"))
    ]
    print("\n".join(findings) or f"Python rules kept in {len(paths)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
