"""The latest verdict on a release, as a publication or an audit recorded it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.verdicts import find_verdict, rows_of
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry

__all__ = ["verdict"]


@entry(Access.RELEASES)
def verdict(release: int | None) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.verdict``."""
    release = look_up(release, "dataset")["release"]
    found = find_verdict(release)
    if found is None:
        raise Refusal(
            "55000",
            f"release {release} has not been judged",
            detail="It was published by an earlier version, or its history was restored in part.",
            hint=f"SELECT * FROM bkpriv.audit({release}) judges it.",
        )
    return iter(rows_of(found))
