"""Looking up releases: their rows of the history, by id."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from bkpriv_core.errors import BkprivError, InvalidParameter
from bkpriv_pl.server.boundary import Refusal, run

__all__ = ["OwnRelease", "check_listed", "find_own", "look_up", "unknown"]

_LISTED = 100
"""Largest number of releases that are asked about at once."""


@dataclass(frozen=True)
class OwnRelease:
    """A release of the caller's: its id, and dataset and owner, which are names."""

    release: int
    dataset: str
    owner: str


def look_up(release: int | None, expressions: str) -> dict[str, Any]:
    """Select expressions in SQL from the record of a release.

    Raises:
        Refusal: If there is none that the caller may see.
    """
    rows = run(
        f"SELECT release, {expressions} FROM bkpriv.release WHERE release = $1",
        ["bigint"],
        [release],
    )
    if not rows:
        raise unknown(release)
    return rows[0]


def unknown(release: int | None) -> BkprivError:
    """Error for a release that the caller may not see, or that does not exist."""
    hint = "See the view bkpriv.releases."
    if release is None:
        return InvalidParameter("the release is missing", detail="It is NULL.", hint=hint)
    return Refusal(
        "42704",
        f"release {release} does not exist",
        detail="Or it belongs to another role.",
        hint=hint,
    )


def find_own(release: int | None) -> OwnRelease:
    """Look up a release that the caller owns.

    Raises:
        Refusal: If there is none that the caller may see, or the caller is not its owner.
    """
    row = look_up(release, "dataset, owner, bkpriv_internal.owns(owner) AS owned")
    if not row["owned"]:
        raise Refusal(
            "42501",
            f"must be owner of release {release}",
            detail=f'It belongs to "{row["owner"]}".',
            hint="Ask its owner.",
        )
    return OwnRelease(row["release"], row["dataset"], row["owner"])


def check_listed(
    releases: list[int | None] | None, purpose: str, function: str
) -> list[int | None]:
    """Return a list of releases, each of which is listed once.

    Raises:
        InvalidParameter: If it is none, or too long.
    """
    such = f"Such as bkpriv.{function}(ARRAY[1, 2])"
    if not releases:
        raise InvalidParameter(
            f"there are no releases to {purpose}",
            detail="The array is NULL or empty.",
            hint=f"{such}; see the view bkpriv.releases.",
        )
    if any(isinstance(release, list) for release in releases):
        raise InvalidParameter(
            "the releases must be a list",
            detail="They are an array of several dimensions.",
            hint=f"{such}.",
        )
    if len(releases) > _LISTED:
        raise InvalidParameter(
            f"there are {len(releases)} releases to {purpose}",
            detail=f"At most {_LISTED} are.",
            hint="List fewer.",
        )
    for release, times in Counter(releases).items():
        if release is not None and times > 1:
            raise InvalidParameter(
                f"release {release} is listed more than once",
                detail=f"The releases are {releases}.",
                hint="List each release once.",
            )
    return releases
