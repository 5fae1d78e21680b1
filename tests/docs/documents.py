"""Documents as tests see them: their blocks of SQL, and what psql prints for them.

Rules
-----
- A fence marked ``sql`` is run; those of one document in order, in one session, in one database.
- A fence marked ``text`` right after it is what psql prints for it.
- A block that must fail holds one statement and the comment line ``-- error: SQLSTATE``.
- A block that begins with `ELSEWHERE` is for another server, of which its document speaks; such a
  document has a test of its own.
- Documents speak of a few roles by first name (`ROLES`). Roles are seen by the whole cluster, so
  each run puts roles of its own in their place.
"""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

__all__ = [
    "DOCUMENTS",
    "ELSEWHERE",
    "ROLES",
    "ROOT",
    "Block",
    "check_blocks",
    "read_blocks",
    "run_blocks",
]

ROOT = Path(__file__).resolve().parents[2]

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

ROLES = {"nora": "publisher", "carl": "auditor", "rita": "reader"}
"""Roles that documents mention, with what each is there for."""

ELSEWHERE = "-- On the managed server:\n"
"""First line of a block that is not for the server that has bkpriv."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ERROR = re.compile(r"^-- error: (\w{5})$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of SQL."""

    place: str
    """Document and line, for messages."""
    code: str
    error: str
    """SQLSTATE with which it must end; 00000 for none."""
    output: str | None
    """Output of psql; None if the document does not show it."""


def read_blocks(path: Path) -> list[Block]:
    """Read the blocks of SQL of a document, in order."""
    text = path.read_text()
    fences = list(_FENCE.finditer(text))
    blocks = []
    for fence, following in zip_longest(fences, fences[1:]):
        if fence[1] != "sql":
            continue
        output = None
        if following and following[1] == "text" and text[fence.end() : following.start()].isspace():
            output = following[2]
        error = _ERROR.search(fence[2])
        line = text.count("\n", 0, fence.start()) + 1
        place = f"{path.relative_to(ROOT)}:{line}"
        blocks.append(Block(place, fence[2], error[1] if error else "00000", output))
    return blocks


def run_blocks(
    blocks: Sequence[Block], psql: Path, uri: str, roles: Mapping[str, str]
) -> list[str]:
    """Run blocks in one session of psql and return what it prints for each.

    Args:
        roles: Role to take for each of `ROLES`.

    Raises:
        AssertionError: If a block fails, or does not fail as it says; with what psql printed.
    """
    mark = uuid.uuid4().hex
    script = ["\\set SHOW_CONTEXT never"]
    for block in blocks:
        script += [
            f"\\set ON_ERROR_STOP {'on' if block.error == '00000' else 'off'}",
            _in_place(block.code, roles),
            f"\\echo {mark} :SQLSTATE",
        ]
    session = subprocess.run(
        [psql, "-X", "-q", "-d", uri],
        input="\n".join(script),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    parts = re.split(rf"^{mark} (\w+)\n", session.stdout, flags=re.MULTILINE)
    outputs, states = parts[0:-1:2], parts[1::2]
    for block, output, state in zip(blocks, outputs, states, strict=False):
        assert state == block.error, f"{block.place} ended with {state}:\n{output}"
    if len(outputs) < len(blocks):
        raise AssertionError(f"{blocks[len(outputs)].place} failed:\n{parts[-1]}")
    back = {role: name for name, role in roles.items()}
    return [_in_place(output, back) for output in outputs]


def check_blocks(blocks: Sequence[Block], psql: Path, uri: str, roles: Mapping[str, str]) -> None:
    """Run blocks as `run_blocks` does, and see that psql prints what the document shows."""
    for block, output in zip(blocks, run_blocks(blocks, psql, uri, roles), strict=True):
        if block.output is not None:
            assert _trimmed(output) == _trimmed(block.output), block.place


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _in_place(text: str, names: Mapping[str, str]) -> str:
    """Put other names in place of some."""
    pattern = rf"\b({'|'.join(map(re.escape, names))})\b"
    return re.sub(pattern, lambda found: names[found[1]], text)
