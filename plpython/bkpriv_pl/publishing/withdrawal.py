"""Withdrawal: a release's data stops being readable, in every case.

The release's tables are emptied. The views that read them go, whatever their names; but a view that
others have built on, which nobody need be able to see, stays with the same columns, and is empty.
The roles that could read them are recorded.
"""

from __future__ import annotations

from bkpriv_pl.past import history
from bkpriv_pl.past.ownership import find_own
from bkpriv_pl.publishing.distribution import begin_distributing
from bkpriv_pl.publishing.view import dependents
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.tables.dataset import take_turn

__all__ = ["withdraw"]

_READERS = 1000
"""Largest number of readers that are recorded."""


@entry
def withdraw(release: int | None, reason: str | None) -> None:
    """See ``bkpriv.withdraw``."""
    reason = require(reason, "reason")
    own = find_own(release)
    begin_distributing()
    take_turn(own.dataset)
    readable = run(
        "SELECT FROM bkpriv_internal.views_of($1) "
        "WHERE readable AND "
        "(pg_relation_size(release_table) > 0 OR bkpriv_internal.distributed(release_table))",
        ["bigint"],
        [own.release],
    )
    # An event that was written by hand withdraws nothing.
    if history.happened(own.release, "withdrawn") and not readable:
        raise Refusal(
            "55000",
            f"release {own.release} is already withdrawn",
            detail="Its data is gone; its history stays.",
            hint="See the view bkpriv.releases.",
        )
    # Their grants go with the views, but they have seen what was there.
    readers = run(
        "SELECT reader FROM bkpriv_internal.readers_of($1) ORDER BY reader = 'PUBLIC' DESC, reader "
        f"LIMIT {_READERS}",
        ["bigint"],
        [own.release],
    )
    history.record_event(
        own.release, "withdrawn", reason, [row["reader"] for row in readers] or None
    )
    run("SELECT bkpriv_internal.clear_release($1)", ["bigint"], [own.release])
    for row in run(
        "SELECT view::oid AS oid, view::text FROM bkpriv_internal.views_of($1) WHERE readable",
        ["bigint"],
        [own.release],
    ):
        telling.notice(
            f"view {row['view']} stays, empty, since other objects depend on it",
            detail=f"They are {', '.join(dependents(row['oid']))}.",
            hint="A materialized view or a table made from it keeps what it copied until its owner "
            "refreshes or drops it.",
        )
