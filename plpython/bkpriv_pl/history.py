"""History: recording releases and reading them back as arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bkpriv_core.audit import Finding
from bkpriv_core.belief.distance import DEFAULT_SMOOTHING, Smoothing
from bkpriv_core.belief.setting import Library, Setting
from bkpriv_core.errors import BkprivError, as_json
from bkpriv_core.method import Method, Options, find_method, parse_options
from bkpriv_core.policy import Policy, parse_policy
from bkpriv_core.release.recorded import (
    Content,
    check_respondents,
    of_release,
    read_release,
    unsound,
)
from bkpriv_core.release.release import Release
from bkpriv_core.stated import read
from bkpriv_core.table.groups import IntArray
from bkpriv_pl.boundary import Refusal, array_literal, decode, run
from bkpriv_pl.knowledge import PriorTables
from bkpriv_pl.ownership import look_up
from bkpriv_pl.progress import POLLED
from bkpriv_pl.recorded import read_arrays, read_attributes, read_respondents

__all__ = [
    "RecordedRelease",
    "find_options",
    "find_release",
    "find_requirements",
    "find_respondents",
    "find_watch",
    "happened",
    "next_version",
    "record_audit",
    "record_content",
    "record_event",
    "record_release",
    "record_respondents",
]

_JSON_BYTES = 10**7
"""Most bytes of recorded requirements, and of options."""


_ANY_TABLE = PriorTables(own=True)


@dataclass(frozen=True, eq=False)
class RecordedRelease(Release):
    """A release, and what history says of it.

    Parameters
    ----------
    parts, partition, form
        See `Release`.
    release : int
        Its id.
    method : Method
        What it was made by.
    smoothing : float
        Bandwidth of the belief distance that it was made by.
    types : tuple of str
        Names of the attributes' types in SQL, the sensitive one last, as the source had them.
        Those that are not built in may be gone, or mean something else by now.
    library : Library
        Where knowledge beyond it comes from.
    """

    release: int
    method: Method[Any]
    smoothing: float
    types: tuple[str, ...]
    library: Library = _ANY_TABLE

    @property
    def title(self) -> str:
        """See `Release`."""
        return f"release {self.release}"

    @cached_property
    def setting(self) -> Setting:
        """What its beliefs and requirements are measured in."""
        return Setting(self.parts, self.smoothing, library=self.library, progress=POLLED)


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
    types |= {"requirements": "jsonb", "options": "jsonb", "watch": "text[]"}
    names = list(columns)
    slots = ", ".join(f"${place}" for place in range(1, len(names) + 1))
    row = run(
        f"INSERT INTO bkpriv.release ({', '.join(names)}) VALUES ({slots}) RETURNING release",
        [types.get(name, "text") for name in names],
        list(columns.values()),
    )[0]
    return int(row["release"])


def record_content(release: int, published: Release, types: Sequence[str]) -> None:
    """Append what a release was made from; `types` name those of its attributes."""
    parts = published.parts
    recoded = dict(enumerate(published.form.levels or ()))
    for place, (domain, type_) in enumerate(zip(published.domains, types, strict=True)):
        levels = None
        if domain.hierarchy is not None:
            levels = [list(path) for path in domain.hierarchy.paths.values()]
        intervals = domain.intervals
        run(
            "INSERT INTO bkpriv.release_attribute (release, place, attribute, labels, positions, "
            "levels, type, widths, origin, level, ends) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            [
                *("bigint", "int", "text", "text[]", "float8[]", "text[]", "text"),
                *("numeric[]", "numeric", "int", "float8[]"),
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
                recoded.get(place),
                None if domain.ends is None else domain.ends.tolist(),
            ],
        )
    part, values = np.nonzero(parts.counts)
    arrays = (
        parts.codes.ravel(),
        published.groups.labels(len(parts)),
        part,
        values,
        parts.counts[part, values],
    )
    run(
        "INSERT INTO bkpriv.release_content "
        "(release, codes, group_ids, cells, sensitive_codes, counts) "
        "VALUES ($1, $2::int[], $3::int[], $4::int[], $5::int[], $6::bigint[])",
        ["bigint", *["text"] * len(arrays)],
        [release, *map(array_literal, arrays)],
    )


def record_respondents(release: int, names: Sequence[str], labels: IntArray) -> None:
    """Append which group each respondent is published in; neither cell nor value is kept."""
    run(
        "INSERT INTO bkpriv.release_respondent (release, respondents, group_ids) "
        "VALUES ($1, $2, $3::int[])",
        ["bigint", "text[]", "text"],
        [release, list(names), array_literal(labels)],
    )


def find_respondents(recorded: RecordedRelease) -> tuple[list[str], IntArray] | None:
    """Respondents of a release and the group of each; None where none were declared.

    Raises
    ------
    UnsoundHistory
        If they are not those of its groups.
    """
    groups = recorded.groups
    try:
        respondents = read_respondents(recorded.release)
        if respondents is not None:
            check_respondents(recorded.parts, groups, *respondents)
    except BkprivError as error:
        raise of_release(recorded.release, error) from None
    return respondents


def record_event(release: int, kind: str, reason: str) -> None:
    """Append what became of a release."""
    run(
        "INSERT INTO bkpriv.release_event (release, kind, reason) VALUES ($1, $2, $3)",
        ["bigint", "text", "text"],
        [release, kind, reason],
    )


def happened(release: int, kind: str) -> bool:
    """Tell whether an event of a kind is on record."""
    rows = run(
        "SELECT FROM bkpriv.release_event WHERE release = $1 AND kind = $2",
        ["bigint", "text"],
        [release, kind],
    )
    return bool(rows)


def _refuse_purged(release: int) -> None:
    """Refuse a release whose content was erased: there is nothing to measure."""
    rows = run(
        "SELECT at::text, reason FROM bkpriv.release_event e "
        "WHERE release = $1 AND kind = 'purged' AND NOT EXISTS "
        "(SELECT FROM bkpriv.release_content c WHERE c.release = e.release)",
        ["bigint"],
        [release],
    )
    if rows:
        raise Refusal(
            "55000",
            f"release {release} was purged",
            detail=f"What it was made from was erased at {rows[0]['at']}: {rows[0]['reason']}.",
            hint="What audits found before is in the view bkpriv.audits.",
        )


def record_audit(release: int, rows: Sequence[Finding]) -> None:
    """Append the rows of one audit."""
    audit = run("SELECT bkpriv_internal.next_audit() AS audit")[0]["audit"]
    for place, row in enumerate(rows):
        run(
            "INSERT INTO bkpriv.audit_record (audit, place, release, requirement, parameters, "
            "threshold, worst, mean, vulnerable, satisfied, estimator) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            [
                *("bigint", "int", "bigint", "text", "jsonb"),
                *("float8", "float8", "float8", "bigint", "bool", "text"),
            ],
            [
                *(audit, place, release, row.requirement, json.dumps(dict(row.parameters))),
                *(row.threshold, row.worst, row.mean, row.vulnerable, row.satisfied),
                row.estimator,
            ],
        )


def find_release(release: int | None) -> RecordedRelease:
    """Read a release back.

    Raises
    ------
    Refusal
        If there is none that the caller may see.
    UnsoundHistory
        If what is recorded cannot be what a publication recorded.
    """
    row = look_up(release, "method, records, suppressed, groups")
    release = row["release"]
    _refuse_purged(release)
    try:
        attributes, types = read_attributes(release)
        content = Content(row["records"], row["suppressed"], row["groups"])
        method = find_method(row["method"])
        parsed = read_release(attributes, read_arrays(release), content, method.form)
        return RecordedRelease(
            parsed.parts,
            parsed.partition,
            parsed.form,
            release,
            method,
            _read_smoothing(release),
            types,
        )
    except BkprivError as error:
        raise of_release(release, error) from None


def find_requirements(release: int) -> Policy:
    """Read what a release was certified for.

    Raises
    ------
    UnsoundHistory
        If it is no policy.
    """
    try:
        return parse_policy(_read_json(release, "requirements"))
    except BkprivError as error:
        raise of_release(release, error) from None


def find_options(release: int, method: Method[Any]) -> Options:
    """Read the options that a release was made by with a method.

    Raises
    ------
    UnsoundHistory
        If they are none of the method's.
    """
    try:
        options: Options = parse_options(method, _read_json(release, "options"))
    except BkprivError as error:
        raise of_release(release, error) from None
    return options


def _read_smoothing(release: int) -> float:
    """The only one of a release's options that measuring what it discloses depends on."""
    options = _read_json(release, "options")
    if not isinstance(options, dict):
        raise unsound("its options are no JSON object", f"They are {as_json(options)}.")
    smoothing: float = read(
        Smoothing, options.get("smoothing", DEFAULT_SMOOTHING), "option smoothing"
    )
    return smoothing


def _read_json(release: int, column: str) -> Any:
    """Decode what a column of a release holds, unless it is too long."""
    size = look_up(release, f"octet_length({column}::text) AS size")["size"]
    if size > _JSON_BYTES:
        raise unsound(
            f"its {column} are too long", f"They have {size} bytes; at most {_JSON_BYTES} are read."
        )
    return decode(look_up(release, column)[column], column)
