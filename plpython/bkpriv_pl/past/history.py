"""History: recording releases and reading them back as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bkpriv_core.policy import check_sensitive
from bkpriv_core.release.forms import form_of
from bkpriv_core.release.recorded import RecordedRespondents, read_release
from bkpriv_core.release.release import Release
from bkpriv_core.table.combination import Combination, columns_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.recorded import read_arrays, read_attributes
from bkpriv_pl.server.boundary import Refusal, array_literal, run
from bkpriv_pl.server.pinned import acting
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.server.writing import write

if TYPE_CHECKING:
    from bkpriv_core.audit import Finding
    from bkpriv_core.belief.knowledge_source import KnowledgeSource
    from bkpriv_core.belief.threat_model import ThreatModel
    from bkpriv_core.count import Count
    from bkpriv_core.method import Method
    from bkpriv_core.policy import Policy

__all__ = [
    "PURGED",
    "RecordedRelease",
    "clear",
    "find_release",
    "find_watch",
    "happened",
    "next_version",
    "record_attack",
    "record_audit",
    "record_content",
    "record_event",
    "record_release",
    "record_respondents",
    "refuse_purged",
]

PURGED = (
    "(SELECT ARRAY[e.at::text, e.reason] FROM bkpriv.release_event AS e "
    "WHERE e.release = release.release AND e.kind = 'purged')"
)
"""SQL for when and why the content of a release was erased; NULL: it was not."""


@dataclass(frozen=True, eq=False)
class RecordedRelease(Release):
    """A release, and what history says of it.

    Args:
        parts, partition, form: See `Release`.

    Notes:
    What makes releases and what beliefs are measured by is loaded where it is asked for.
    """

    release: int
    made_by: str
    types: tuple[str, ...]
    """Names of the columns' types in SQL, the sensitive ones last, as the source had them. Those
    that are not built in may be gone, or mean something else by now.
    """
    library: KnowledgeSource | None = None
    """Source of knowledge beyond the release; None for any table that the caller may read."""

    @property
    def title(self) -> str:
        """See `Release`."""
        return f"release {self.release}"

    @cached_property
    def options(self) -> Any:
        """Options of its method that it was made by; see `find_options`."""
        from bkpriv_pl.past.terms import find_options

        return find_options(self.release, self.method)

    @cached_property
    def method(self) -> Method[Any]:
        """Method by which it was made."""
        from bkpriv_core.method import find_method

        return find_method(self.made_by)

    @cached_property
    def policy(self) -> Policy:
        """Policy that it was certified for; see `find_requirements`."""
        from bkpriv_pl.past.terms import find_requirements

        return find_requirements(self.release)

    @cached_property
    def threat(self) -> ThreatModel:
        """Setting in which its beliefs and requirements are measured."""
        from bkpriv_core.belief.threat_model import ThreatModel

        return ThreatModel(self.parts, library=self.beyond, progress=POLLED)

    @property
    def beyond(self) -> KnowledgeSource:
        """Source of knowledge beyond the release."""
        from bkpriv_pl.tables.knowledge import PriorTables

        return PriorTables(()) if self.library is None else self.library


def next_version(dataset: str, owner: str) -> int:
    """Version number for the next release of a dataset."""
    row = run(
        "SELECT coalesce(max(version), 0) + 1 AS version FROM bkpriv.release "
        "WHERE dataset = $1 AND owner = $2",
        ["text", "text"],
        [dataset, owner],
    )[0]
    return int(row["version"])


def find_watch(source_schema: str, source_name: str) -> list[str] | None:
    """Tokens of the triggers that watch a source; None where it is not watched in full."""
    row = run(
        "SELECT bkpriv_internal.watch_tokens($1, $2) AS watch",
        ["text", "text"],
        [source_schema, source_name],
    )[0]
    watch: list[str] | None = row["watch"]
    return watch


def record_release(**columns: Any) -> int:
    """Append a release and return its id; `columns` are those of ``bkpriv.release``."""
    types = {"version": "int", "records": "bigint", "suppressed": "bigint", "groups": "int"}
    types |= {"counterfeited": "bigint", "grown_from": "bigint"}
    types |= {"requirements": "jsonb", "options": "jsonb"}
    types |= dict.fromkeys(("unique_rows", "shared_rows"), "bigint[]")
    types |= dict.fromkeys(("watch", "attributes"), "text[]")
    names = list(columns)
    slots = ", ".join(f"${place}" for place in range(1, len(names) + 1))
    (row,) = write(
        f"INSERT INTO bkpriv.release ({', '.join(names)}, created_by) "
        f"VALUES ({slots}, pg_get_userbyid(${len(names) + 1})) RETURNING release",
        [*(types.get(name, "text") for name in names), "oid"],
        [*columns.values(), acting()],
        owner=columns["owner"],
    )
    return int(row["release"])


def record_content(
    release: int, published: Release, types: Sequence[str], made_from: Mapping[str, str | None]
) -> None:
    """Append what a release was made from.

    Args:
        made_from: Digests by which it is known whether it would be made anew.
    """
    parts = published.parts
    recoded = dict(enumerate(published.form.levels or ()))
    channels = dict(enumerate(published.form.channels or ()))
    for place, (domain, type_) in enumerate(zip(published.columns, types, strict=True)):
        channel = channels.get(place)
        retention = None if channel is None else channel.retention
        _record_attribute(
            release, place, domain, type_, level=recoded.get(place), retention=retention
        )
    arrays: dict[str, IntArray] = {
        "codes": parts.codes.ravel(),
        "group_ids": published.labels,
        **_sparse(parts.actual, "cells", "sensitive_codes", "counts"),
    }
    if parts.counterfeited:
        assert parts.counterfeits is not None
        arrays |= _sparse(parts.counterfeits, "false_cells", "false_codes", "false_counts")
    sensitive = parts.table.sensitive
    if isinstance(sensitive, Combination):
        arrays["combinations"] = sensitive.rows.ravel()
        if sensitive.several:
            arrays["combination_offsets"] = sensitive.offsets
    elif not columns_of(sensitive):
        # By this the last attribute is known to be none of them.
        arrays["combinations"] = np.zeros(0, dtype=np.int64)
    slots = [
        f"${place}::{'bigint' if name.endswith('counts') else 'int'}[]"
        for place, name in enumerate(arrays, 3)
    ]
    write(
        f"INSERT INTO bkpriv.release_content (release, made_from, {', '.join(arrays)}) "
        f"VALUES ($1, $2, {', '.join(slots)})",
        ["bigint", "jsonb", *["text"] * len(arrays)],
        [release, json.dumps(made_from), *map(array_literal, arrays.values())],
        release=release,
    )
    if (drawn := published.form.drawn) is not None:
        write(
            "INSERT INTO bkpriv.release_draw (release, codes, counts) "
            "VALUES ($1, $2::int[], $3::bigint[])",
            ["bigint", "text", "text"],
            [release, array_literal(drawn.codes.ravel()), array_literal(drawn.counts)],
            release=release,
        )


def _record_attribute(
    release: int,
    place: int,
    domain: Domain,
    type_: str,
    level: int | None,
    retention: float | None,
) -> None:
    """Append the values of an attribute, to which level it was recoded and how it was drawn."""
    levels = None
    if domain.hierarchy is not None:
        levels = [list(path) for path in domain.hierarchy.paths.values()]
    intervals = domain.intervals
    write(
        "INSERT INTO bkpriv.release_attribute (release, place, attribute, labels, positions, "
        "levels, type, widths, origin, level, ends, retention, bounds) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        [
            *("bigint", "int", "text", "text[]", "float8[]", "text[]", "text"),
            *("numeric[]", "numeric", "int", "float8[]", "float8", "float8[]"),
        ],
        [
            release,
            place,
            domain.name,
            list(domain.labels),
            None if domain.positions is None else domain.positions.tolist(),
            levels,
            type_,
            None if intervals is None else list(intervals.widths),
            None if intervals is None else intervals.origin,
            level,
            None if domain.ends is None else domain.ends.tolist(),
            retention,
            None if domain.bounds is None else list(domain.bounds),
        ],
        release=release,
    )


def _sparse(counts: IntArray, rows: str, columns: str, numbers: str) -> dict[str, IntArray]:
    """Entries of a matrix that are not 0, by the names of columns for their places and for them."""
    row, column = np.nonzero(counts)
    return {rows: row, columns: column, numbers: counts[row, column]}


def record_respondents(release: int, respondents: RecordedRespondents) -> None:
    """Append in which group and part each respondent is, with which value, and shown with which."""
    arrays = (respondents.labels, respondents.parts, respondents.values, respondents.shown)
    write(
        "INSERT INTO bkpriv.release_respondent "
        "(release, respondents, group_ids, parts, sensitive_codes, shown_codes) "
        "VALUES ($1, $2, $3::int[], $4::int[], $5::int[], $6::int[])",
        ["bigint", "text[]", "text", "text", "text", "text"],
        [
            release,
            list(respondents.names),
            *(None if array is None else array_literal(array) for array in arrays),
        ],
        release=release,
    )


def record_event(
    release: int, kind: str, reason: str, readers: Sequence[str | None] | None = None
) -> None:
    """Append what became of a release, and who could read it until then; None for others."""
    write(
        "INSERT INTO bkpriv.release_event (release, kind, reason, readers, by) "
        "VALUES ($1, $2, $3, $4, pg_get_userbyid($5))",
        ["bigint", "text", "text", "text[]", "oid"],
        [release, kind, reason, readers, acting()],
        release=release,
    )


def clear(release: int) -> None:
    """Empty the tables of a release that is withdrawn, and remove them and its views."""
    write("SELECT bkpriv_internal.clear_release($1)", ["bigint"], [release], release=release)


def happened(release: int, kind: str) -> bool:
    """Tell whether an event of a kind is on record."""
    rows = run(
        "SELECT FROM bkpriv.release_event WHERE release = $1 AND kind = $2",
        ["bigint", "text"],
        [release, kind],
    )
    return bool(rows)


def refuse_purged(release: int, purged: Sequence[str] | None) -> None:
    """Refuse a release whose content was erased: there is nothing to measure.

    Args:
        purged: Time and reason; see `PURGED`.
    """
    if purged is not None:
        raise Refusal(
            "55000",
            f"release {release} was purged",
            detail=f"What it was made from was erased at {purged[0]}: {purged[1]}.",
            hint="What audits and attacks found before is in the views bkpriv.audits and "
            "bkpriv.attacks.",
        )


def record_audit(release: int, rows: Sequence[Finding | Count]) -> None:
    """Append the rows of one audit, where the transaction may write."""
    types = {"requirement": "text", "parameters": "jsonb", "threshold": "float8"}
    types |= {"worst": "float8", "mean": "float8", "vulnerable": "bigint", "satisfied": "bool"}
    types["estimator"] = "text"
    values = [
        (
            *(row.requirement, json.dumps(dict(row.parameters)), row.threshold, row.worst),
            *(row.mean, row.vulnerable, row.satisfied, row.estimator),
        )
        for row in rows
    ]
    record_found("audit", release, types, values)


def record_attack(
    release: int, attacker: str, options: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Append the rows of one attack, where the transaction may write.

    Args:
        rows: Figures: what each is called, its value, and the column that it is about.
    """
    types = {"attacker": "text", "options": "jsonb"}
    types |= {"metric": "text", "value": "float8", "sensitive": "text"}
    stated = json.dumps(dict(options))
    record_found("attack", release, types, [(attacker, stated, *row) for row in rows])


def record_found(
    kind: str,
    release: int,
    types: Mapping[str, str],
    rows: Sequence[tuple[Any, ...]],
    by: str | None = None,
) -> None:
    """Append what one audit, attack or verdict found.

    Nothing is kept on a standby, or in a transaction that may not write.

    Args:
        kind: Name of what found it, after which the table is called.
        types: Types of the columns beside the id, the place and the release, in their order.
        by: Column of the role that asked; by default as the table is called.
    """
    (read_only,) = run("SELECT current_setting('transaction_read_only') AS setting")
    if not rows or read_only["setting"] == "on":
        return
    slots = ", ".join(f"${place}::text[]" for place in range(3, len(types) + 3))
    values = ", ".join(f"u.{name}::{type_}" for name, type_ in types.items())
    write(
        f"INSERT INTO bkpriv.{kind}_record ({kind}, release, {by or f'{kind}ed_by'}, place, "
        f"{', '.join(types)}) SELECT id, $1, pg_get_userbyid($2), u.place - 1, {values} "
        f"FROM bkpriv_internal.next_audit() AS id, unnest({slots}) "
        f"WITH ORDINALITY AS u({', '.join(types)}, place)",
        ["bigint", "oid", *["text[]"] * len(types)],
        [release, acting(), *map(list, zip(*rows, strict=True))],
    )


def find_release(release: int | None, asked: str | None = None) -> RecordedRelease:
    """Read a release back, by three statements.

    Args:
        asked: Name of what is asked, if it needs a sensitive column.

    Raises:
        Refusal: If there is none that the caller may see, or it was purged.
        MissingColumn: If it has no sensitive column, and what is asked needs one.
    """
    row = look_up(release, f"dataset, method, options ->> 'ranges' AS ranges, {PURGED} AS purged")
    release = row["release"]
    refuse_purged(release, row["purged"])
    attributes, types = read_attributes(release)
    form = form_of(row["method"]).with_ranges(row["ranges"] or "range")
    read = read_release(attributes, read_arrays(release), form)
    if asked is not None:
        check_sensitive(row["dataset"], columns_of(read.table.sensitive), [asked])
    return RecordedRelease(
        read.parts, read.partition, read.form, release, made_by=row["method"], types=types
    )
