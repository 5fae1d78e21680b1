"""Export: the views of a release, for a client that reads them by name.

A release is given by its number, so its reader names no view: it is read for the release's owner.
Another owner of its schema could put another view in its place. So each view is resolved, locked
and checked before anything of it is read, and what is checked holds until the transaction ends.
"""

from __future__ import annotations

from typing import Any, get_args

from bkpriv_core.release.release import Exhibit
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.publishing.view import View, find_view
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, run
from bkpriv_pl.tables.source import check_reader, in_charge, open_relation

__all__ = ["open_views"]

_HINT = "Or export it by the name of the view, if you trust its owner."


@entry(Access.SOURCE)
def open_views(release: int | None) -> list[tuple[str, str]]:
    """See ``bkpriv_internal.open_views``."""
    own = look_up(release, "dataset, owner, view_schema, view_name")
    check_reader(own["owner"], f"the view of release {release}", f" {_HINT}")
    (row,) = run("SELECT status FROM bkpriv.releases WHERE release = $1", ["bigint"], [release])
    if row["status"] != "published":
        raise Refusal(
            "55000",
            f"release {release} is {row['status']}",
            detail="No view shows it.",
            hint="See the view bkpriv.releases for the one that is shown.",
        )
    parts = run(
        "SELECT part FROM unnest($2) AS part WHERE bkpriv_internal.release_table($1, part) IN "
        "(SELECT bkpriv_internal.release_tables($1))",
        ["bigint", "text[]"],
        [release, list(get_args(Exhibit))],
    )
    views = [_open(own, part["part"]) for part in parts]
    return sorted((view.schema, view.name) for view in views)


def _open(own: dict[str, Any], exhibit: Exhibit) -> View:
    """Lock the view that shows an exhibit of a release, and check that it does."""
    release = own["release"]
    view = View(own["view_schema"], own["view_name"]).of(exhibit)
    relation = open_relation(str(view))
    if others := in_charge(relation, [own["owner"]]):
        raise Refusal(
            "42501",
            f'view {view} of release {release} is up to role "{others[0]}"',
            detail="That role owns it or its schema, and can put another view in its place.",
            hint=_HINT,
        )
    if find_view(view, exhibit, own["dataset"], own["owner"], only=release) is None:
        raise Refusal(
            "55000",
            f"{view} is no longer the view of release {release}",
            detail=f"It does not show the {exhibit} of that release, or not these alone.",
            hint=_HINT,
        )
    rows = run(
        "SELECT bkpriv_internal.as_published(view, release_table) AS whole, readable "
        "FROM bkpriv_internal.views_of($1) WHERE view = $2::oid",
        ["bigint", "oid"],
        [release, relation.oid],
    )
    if not all(row["whole"] for row in rows):
        raise Refusal(
            "55000",
            f"{view} is no longer the view of release {release}",
            detail="It is not as the release was published: it shows other columns or rows, or "
            "computes something.",
            hint="Publish the dataset again under this name, which makes the view anew. " + _HINT,
        )
    if not any(row["readable"] for row in rows):
        raise Refusal(
            "55000",
            f"release {release} cannot be read through view {view}",
            detail="Its owner may not read what it shows, or it was never filled.",
            hint="REFRESH it if it is materialized, or publish again.",
        )
    return view
