"""Readers: the roles that may read releases of a dataset, by grants or as somebody states.

A view shows one release at a time. A role that may read it, or a view on it, is taken to have seen
all that it ever showed; a role that could until it was withdrawn, all that it had shown by then.
Superusers, and roles that may read the source or act as the dataset's owner, are no readers: they
need no release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.release.forms import form_of
from bkpriv_pl.past.selection import select_dataset
from bkpriv_pl.publishing.view import View, split_view_name
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.dataset import Dataset

__all__ = ["find_readers", "read_readers"]

_EVERYBODY = "all"
"""Name for the readers who hold what any reader holds."""

_PUBLIC = "PUBLIC"

_SHOWN = 8
"""Limit of the roles with the same access that are listed by name."""

_COALITIONS = 100
"""Largest number of readers that may be stated."""

_GRANTED = """
WITH held AS (
    -- Whoever may read a view of a release, or could until it was withdrawn, saw what it showed.
    SELECT o.release, g.reader
    FROM bkpriv.release AS r CROSS JOIN LATERAL (
        SELECT reader, NULL AS until FROM bkpriv_internal.readers_of(r.release)
        UNION ALL
        SELECT u.reader, r.release
        FROM bkpriv.release_event AS e CROSS JOIN unnest(e.readers) AS u(reader)
        WHERE e.release = r.release
    ) AS g
    JOIN bkpriv.release AS o
    ON (o.dataset, o.owner, o.view_schema, o.view_name)
        = (r.dataset, r.owner, r.view_schema, r.view_name) AND (o.release > g.until) IS NOT TRUE
    WHERE (r.dataset, r.owner) = ($1, $2)
), role AS (
    -- Quoted, so that no role can be taken for several, for PUBLIC or for everybody.
    SELECT r.oid, quote_ident(r.rolname) AS name
    FROM pg_roles AS r
    WHERE NOT r.rolsuper AND r.rolname !~ '^pg_'
        AND NOT EXISTS (
            SELECT FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
            WHERE (s.nspname, c.relname) = ($3, $4) AND has_table_privilege(r.oid, c.oid, 'SELECT')
        )
        AND NOT EXISTS (
            SELECT FROM pg_roles AS o WHERE o.rolname = $2 AND pg_has_role(r.oid, o.oid, 'MEMBER')
        )
)
SELECT coalesce(n.name, 'PUBLIC') AS reader, n.name IS NULL AS public,
    array_agg(DISTINCT h.release ORDER BY h.release) AS releases
FROM held AS h LEFT JOIN pg_roles AS g ON quote_ident(g.rolname) = h.reader
LEFT JOIN role AS n ON pg_has_role(n.oid, g.oid, 'MEMBER')
WHERE h.reader = 'PUBLIC' OR n.oid IS NOT NULL
GROUP BY n.name
ORDER BY n.name NULLS FIRST
"""


def find_readers(dataset: Dataset) -> dict[str, tuple[int, ...]]:
    """Releases that each reader may read by grants, PUBLIC first; last, everybody together.

    Roles that may read the same are one reader; so are all those that may read no more than PUBLIC.

    Raises:
        Refusal: If nobody may read any.
    """
    rows = run(
        _GRANTED,
        ["text"] * 4,
        [dataset.name, dataset.owner, dataset.source_schema, dataset.source_name],
    )
    public = frozenset(release for row in rows if row["public"] for release in row["releases"])
    alike: dict[frozenset[int], list[str]] = {}
    for row in rows:
        held = public.union(row["releases"])
        if row["public"] or held > public:
            alike.setdefault(held, []).append(row["reader"])
    if not alike:
        raise Refusal(
            "42704",
            f'nobody may read a view of dataset "{dataset.name}"',
            detail="No view that shows a release of it is granted to anybody but its owner and "
            "readers of the source.",
            hint="State the readers, such as "
            '{"press": ["public.counts"], "research": ["public.counts", 7]}.',
        )
    _tell_unknown(dataset)
    named = {_listed(names): tuple(sorted(held)) for held, names in alike.items()}
    return _with_everybody(named)


def _tell_unknown(dataset: Dataset) -> None:
    """Warn of releases that more roles may read, or could, than were found."""
    rows = run(
        "SELECT r.release FROM bkpriv.release AS r WHERE (r.dataset, r.owner) = ($1, $2) AND ("
        "EXISTS (SELECT FROM bkpriv_internal.readers_of(r.release) WHERE reader IS NULL) "
        "OR EXISTS (SELECT FROM bkpriv.release_event AS e WHERE e.release = r.release "
        "AND array_position(e.readers, NULL) IS NOT NULL)) ORDER BY r.release",
        ["text", "text"],
        [dataset.name, dataset.owner],
    )
    if rows:
        notices.warning(
            f"not every role that may read releases of dataset {dataset.name} is known",
            detail="So many views were built on the views of release "
            f"{_listed([str(row['release']) for row in rows])} that only some were followed.",
            hint="State the readers, or have the owners of those views drop them.",
        )


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} others" if more > 0 else "")


def _with_everybody(readers: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    every = {release for held in readers.values() for release in held}
    return readers | {_EVERYBODY: tuple(sorted(every))}


def read_readers(dataset: Dataset, stated: object) -> dict[str, tuple[int, ...]]:
    """Releases that each reader holds, as stated; last, everybody together.

    Args:
        stated: Decoded JSON: of each reader the views, or ids of releases.

    Raises:
        InvalidParameter: If it is no such thing.
        Refusal: If a view never showed a release of the dataset, or a release is not of it.
    """
    if not isinstance(stated, Mapping) or not stated:
        raise _malformed("readers must be a JSON object of at least one reader", stated)
    if len(stated) > _COALITIONS:
        raise InvalidParameter(
            f"there are {len(stated)} readers",
            detail=f"At most {_COALITIONS} are judged at once.",
            hint="State fewer.",
        )
    if _EVERYBODY in stated:
        raise InvalidParameter(
            f'no reader can be called "{_EVERYBODY}"',
            detail="That is what everybody together is called.",
            hint="Choose another name.",
        )
    shown = _shown(dataset)
    readers = {}
    for reader, items in stated.items():
        if not isinstance(items, list) or not items:
            raise _malformed(f"reader {as_json(reader)} must have a list of releases", items)
        held: set[int] = set()
        for item in items:
            held |= _read_item(dataset, item, shown)
        readers[reader] = tuple(sorted(held))
    return _with_everybody(readers)


def _shown(dataset: Dataset) -> list[tuple[int, tuple[View, ...]]]:
    """List the releases of a dataset, with the names of its views."""
    shown = []
    for each in select_dataset(dataset.name, dataset.owner):
        exhibits = form_of(each.method).exhibits
        view = View(each.view_schema, each.view_name)
        shown.append((each.release, tuple(map(view.of, exhibits))))
    return shown


def _read_item(
    dataset: Dataset, item: object, shown: list[tuple[int, tuple[View, ...]]]
) -> set[int]:
    """Releases that a view showed, or one by its id."""
    if isinstance(item, int) and not isinstance(item, bool):
        found = {release for release, _ in shown if release == item}
        noun = f"release {item}"
    elif isinstance(item, str):
        parts = split_view_name(item)
        found = {
            release
            for release, views in shown
            if any(parts in ([view.name], [view.schema, view.name]) for view in views)
        }
        noun = f"view {item}"
    else:
        raise _malformed("a reader's releases must be names of views or ids of releases", item)
    if not found:
        raise Refusal(
            "42704",
            f'{noun} is none of dataset "{dataset.name}"',
            detail="No release of the dataset was published so.",
            hint="See the view bkpriv.releases.",
        )
    return found


def _malformed(message: str, value: Any) -> InvalidParameter:
    return InvalidParameter(
        message,
        detail=f"It is {as_json(value)}.",
        hint='Write for example {"press": ["public.counts"], "research": ["public.counts", 7]}.',
    )
