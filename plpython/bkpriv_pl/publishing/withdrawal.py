"""Withdrawal: a release's data stops being readable, in every case.

The release's tables are emptied. The views that read them go, whatever their names; but a view that
others have built on, which nobody need be able to see, stays with the same columns, and is empty.
The roles that could read them are recorded.
"""

from __future__ import annotations

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_pl.past import history
from bkpriv_pl.past.lookup import find_own
from bkpriv_pl.publishing.distribution import begin_distributing
from bkpriv_pl.publishing.view import dependents
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, run
from bkpriv_pl.tables.dataset import take_turn

__all__ = ["withdraw"]

_READERS = 1000
"""Largest number of readers that are recorded."""


@entry(Access.MANAGE)
def withdraw(release: int | None, reason: str | None) -> None:
    """See ``bkpriv.withdraw``."""
    own = find_own(release)
    if not reason:
        raise InvalidParameter(
            "the reason is missing",
            detail="The history keeps why a release was withdrawn.",
            hint=f"Say why: SELECT bkpriv.withdraw({own.release}, 'published too early');",
        )
    begin_distributing()
    take_turn(own.dataset, own.owner)
    if history.happened(own.release, "withdrawn"):
        raise Refusal(
            "55000",
            f"release {own.release} is already withdrawn",
            detail="Its data is gone; its history stays.",
            hint="See the view bkpriv.releases.",
        )
    # Their grants go with the views, but they have seen what was there.
    readers = _readers(own.release)
    history.record_event(own.release, "withdrawn", reason, readers or None)
    _clear(own.release)
    if None in readers:
        notices.warning(
            f"not every role that could read release {own.release} is on record",
            detail="So many views were built on its views that only some were followed.",
            hint="Suppose that any role could read it that may look into the schemas of its views.",
        )
    for row in run(
        "SELECT view::oid AS oid, view::text FROM bkpriv_internal.views_of($1) WHERE readable",
        ["bigint"],
        [own.release],
    ):
        notices.notice(
            f"view {row['view']} stays, empty, since other objects depend on it",
            detail=f"They are {', '.join(dependents(row['oid']))}.",
            hint="A materialized view or a table made from it keeps what it copied until its owner "
            "refreshes or drops it.",
        )


def _readers(release: int) -> list[str | None]:
    """Roles, quoted, that can read a release, PUBLIC first; last None if there may be more."""
    rows = run(
        "SELECT reader FROM bkpriv_internal.readers_of($1) "
        f"ORDER BY reader = 'PUBLIC' DESC NULLS LAST, reader LIMIT {_READERS + 1}",
        ["bigint"],
        [release],
    )
    readers = [row["reader"] for row in rows]
    return readers if len(readers) <= _READERS else [*readers[: _READERS - 1], None]


def _clear(release: int) -> None:
    """Empty a release; refused where a session holds its views longer than the caller waits."""
    try:
        history.clear(release)
    except plpy.spiexceptions.LockNotAvailable:
        raise Refusal(
            "55P03",
            f"release {release} was not withdrawn, since other sessions hold its views",
            detail="Whoever may look into the schema of a view can hold it until their transaction "
            "ends, and lock_timeout ended the wait.",
            hint="Withdraw again with a longer lock_timeout; meanwhile a superuser finds the "
            "sessions with pg_blocking_pids and ends them with pg_terminate_backend.",
        ) from None
