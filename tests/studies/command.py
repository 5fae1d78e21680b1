"""Running studies as from a shell, and what every study writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studies import app
from tests.figure_files import assert_drawn, read_rows
from tests.program import Program

__all__ = ["assert_again", "assert_complete", "failed", "run", "succeeded"]

_program = Program(app)
run, succeeded, failed = _program.run, _program.succeeded, _program.failed


def assert_complete(figures: Path, names: Sequence[str]) -> None:
    """Assert that a study wrote the data and the picture of each figure, and nothing else."""
    assert {path.name for path in figures.iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("csv", "png")
    }
    for name in names:
        assert read_rows(figures / f"{name}.csv"), name
        assert_drawn(figures / f"{name}.png")


def assert_again(made: Path, out: Path, names: Sequence[str], *arguments: object) -> None:
    """Assert that a study that is called again for some figures writes the same files."""
    only = (part for name in names for part in ("--only", name))
    succeeded(*map(str, arguments), "--out", str(out), *only)
    assert_complete(out, names)
    for path in out.iterdir():
        assert path.read_bytes() == (made / path.name).read_bytes(), path.name
