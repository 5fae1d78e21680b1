"""Terms: the requirements and options that releases were made by, as history has them."""

from __future__ import annotations

from bkpriv_core.method import Method, Own, parse_options
from bkpriv_core.policy import Policy, parse_policy
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.recorded import read_columns
from bkpriv_pl.server.boundary import decode

__all__ = ["find_options", "find_requirements"]


def find_requirements(release: int) -> Policy:
    """Read what a release was certified for."""
    stated = decode(look_up(release, "requirements")["requirements"], "requirements")
    return parse_policy(stated).about(*read_columns(release))


def find_options(release: int, method: Method[Own]) -> Own:
    """Read the options that a release was made by with a method."""
    return parse_options(method, decode(look_up(release, "options")["options"], "options"))
