"""Purge: erasing what a withdrawn release was made from.

Cells, labels, respondents, beliefs about them and what its publication told go. The findings of
audits and attacks, the figures of the release and its events stay: they are about groups, policies
and readers, and name nobody.
"""

from __future__ import annotations

from bkpriv_core.errors import InvalidParameter
from bkpriv_pl.past import history
from bkpriv_pl.past.lookup import OwnRelease, find_own
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.dataset import take_turn

__all__ = ["purge"]


@entry(Access.MANAGE)
def purge(release: int | None, reason: str | None, force: bool | None) -> None:
    """See ``bkpriv.purge``."""
    reason = require(reason, "reason")
    if force is None:
        raise InvalidParameter(
            "force is missing", detail="It is NULL.", hint="Give true or false, or leave it out."
        )
    own = find_own(release)
    take_turn(own.dataset, own.owner)
    if not history.happened(own.release, "withdrawn"):
        raise Refusal(
            "55000",
            f"release {own.release} is not withdrawn",
            detail="Its data can still be read.",
            hint="Withdraw it first with bkpriv.withdraw(release, reason).",
        )
    if history.happened(own.release, "purged"):
        raise Refusal(
            "55000",
            f"release {own.release} is already purged",
            detail="What it was made from is gone; its figures, audits and attacks stay.",
            hint="See the view bkpriv.releases.",
        )
    if not force:
        _refuse_needed(own)
    history.record_event(own.release, "purged", reason)
    for part in ("content", "draw", "respondent", "belief", "notice", "attribute"):
        write(
            f"DELETE FROM bkpriv.release_{part} WHERE release = $1",
            ["bigint"],
            [own.release],
            release=own.release,
        )
    history.clear(own.release)


def _refuse_needed(own: OwnRelease) -> None:
    """Refuse to erase what tells what a release that is still out discloses together with it."""
    rows = run(
        "SELECT release, view_name FROM bkpriv_internal.live_releases($1, $2)",
        ["text", "text"],
        [own.dataset, own.owner],
    )
    if rows:
        listed = ", ".join(f"{row['release']} ({row['view_name']})" for row in rows[:8])
        raise Refusal(
            "2BP01",
            f"release {own.release} is needed to judge {len(rows)} others of dataset "
            f'"{own.dataset}" that are not withdrawn',
            detail=f"Release (view): {listed}{', ...' if len(rows) > 8 else ''}. "
            "Whoever kept a copy of this one can combine it with them.",
            hint="Withdraw them first, or purge with force => true.",
        )
