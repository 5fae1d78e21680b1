"""Running commands as from a shell."""

from __future__ import annotations

from dataclasses import dataclass

from typer import Typer
from typer.testing import CliRunner

__all__ = ["Program"]


@dataclass(frozen=True)
class Program:
    """Program that is run by its name and arguments."""

    app: Typer

    def run(self, *arguments: str, given: str = "") -> tuple[int, str, str]:
        """Run a command; return its exit code and what it wrote to the output and error streams."""
        result = CliRunner().invoke(self.app, arguments, input=given)
        return result.exit_code, result.stdout, result.stderr

    def succeeded(self, *arguments: str, given: str = "") -> str:
        """Run a command that must succeed, and return its output."""
        code, output, errors = self.run(*arguments, given=given)
        assert code == 0, output + errors
        return output

    def failed(self, *arguments: str, given: str = "") -> str:
        """Run a command that must fail with a message and no traceback, and return the message."""
        code, output, errors = self.run(*arguments, given=given)
        assert code == 1, output + errors
        assert "Traceback" not in output + errors
        assert "Error" in errors
        # As read by a person: without the panel's frame and line breaks.
        return " ".join(errors.replace("│", " ").split())
