"""The studies as they are called."""

from __future__ import annotations

import pytest

from bkpriv_client import app as client
from studies import app
from tests.studies.command import succeeded


@pytest.mark.parametrize("command", [(), ("li2009",), ("again",), ("attacks",), ("riboni2012",)])
def test_help_says_what_a_study_does(command: tuple[str, ...]) -> None:
    assert "Usage: " in succeeded(*command, "--help")
    assert "Usage: " in succeeded(*command, "-h")


def test_the_client_has_no_studies() -> None:
    names = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert names == {
        "again",
        "amiri2016",
        "attacks",
        "compare",
        "guo2011",
        "li2009",
        "martin2007",
        "riboni2012",
    }
    commands = {command.callback for command in client.registered_commands}
    assert not commands & {command.callback for command in app.registered_commands}
    assert client.registered_groups == []
