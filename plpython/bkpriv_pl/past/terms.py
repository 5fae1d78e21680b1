"""Terms: the requirements and options that releases were made by, as history has them."""

from __future__ import annotations

from typing import Any

from bkpriv_core.errors import as_json
from bkpriv_core.method import Method, Own, parse_options
from bkpriv_core.policy import Policy, parse_policy
from bkpriv_core.release.recorded.soundness import of_release, unsound
from bkpriv_core.release.release import RangeStyle
from bkpriv_core.stated import read
from bkpriv_pl.past.ownership import look_up
from bkpriv_pl.past.recorded import read_columns
from bkpriv_pl.server.boundary import decode

__all__ = ["find_options", "find_requirements", "read_ranges"]

_JSON_BYTES = 10**7
"""Largest number of bytes of recorded requirements, and of options."""


def find_requirements(release: int) -> Policy:
    """Read what a release was certified for.

    Raises
    ------
    UnsoundHistory
        If it is no policy.
    """
    with of_release(release):
        stated = _decoded(release, "requirements")
        return parse_policy(stated).about(*read_columns(release))


def find_options(release: int, method: Method[Own]) -> Own:
    """Read the options that a release was made by with a method.

    Raises
    ------
    UnsoundHistory
        If they are none of the method's.
    """
    with of_release(release):
        return parse_options(method, _options(release))


def _options(release: int) -> dict[str, Any]:
    """The options of a release, as they were stated."""
    options = _decoded(release, "options")
    if not isinstance(options, dict):
        raise unsound("its options are no JSON object", f"They are {as_json(options)}.")
    return options


def read_ranges(release: int) -> RangeStyle:
    """Style in which a release shows ranges."""
    ranges: RangeStyle = read(RangeStyle, _options(release).get("ranges", "range"), "option ranges")
    return ranges


def _decoded(release: int, name: str) -> Any:
    """Decode what a column of a release holds, unless it is too long."""
    size = look_up(release, f"octet_length({name}::text) AS size")["size"]
    if size > _JSON_BYTES:
        raise unsound(
            f"its {name} are too long", f"They have {size} bytes; at most {_JSON_BYTES} are read."
        )
    return decode(look_up(release, name)[name], name)
