"""Running the client's commands as from a shell."""

from __future__ import annotations

from bkpriv_client import app
from tests.program import Program

__all__ = ["failed", "run", "succeeded"]

_program = Program(app)
run, succeeded, failed = _program.run, _program.succeeded, _program.failed
