"""History of a release, as arrays.

What would need more memory than the call may take is not sent: the statement that reads it sends
its size instead. Arrays of numbers come packed, as PostgreSQL sends them: bytes, and no Python
object for each element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bkpriv_core.release.recorded import (
    Arrays,
    Attribute,
    RecordedRespondents,
    read_domains,
    read_told,
)
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, FloatArray
from bkpriv_pl.server.boundary import Refusal, needed_of_texts, run
from bkpriv_pl.server.memory import NoRoom, room
from bkpriv_pl.tables.column import STEPS

if TYPE_CHECKING:
    from bkpriv_core.sequence.sparse import Labels
    from bkpriv_core.sequence.transitions import Transitions

__all__ = [
    "COLUMNS",
    "TRANSITIONS",
    "find_beliefs",
    "find_shown",
    "read_arrays",
    "read_attributes",
    "read_beliefs",
    "read_columns",
    "read_labels",
    "read_respondents",
    "read_transitions",
]

TRANSITIONS = {
    "parents": "parent",
    "oldest": "oldest",
    "offsets": "offsets",
    "following": "following",
    "probabilities": "probabilities",
    "support": "support",
}
"""Columns of arrays that transitions are kept in, and what they hold of them."""

COLUMNS = (
    "(SELECT CASE WHEN cardinality(c.combinations) = 0 THEN ARRAY[]::text[] "
    "ELSE array_agg(a.attribute ORDER BY a.place) END FROM bkpriv.release_attribute AS a "
    "WHERE a.release = r.release AND a.place >= CASE WHEN c.combinations IS NULL "
    "THEN (SELECT max(place) FROM bkpriv.release_attribute AS l WHERE l.release = r.release) "
    "ELSE cardinality(c.codes) / nullif(cardinality(c.group_ids), 0) END)"
)
"""SQL for the names of the sensitive columns of a release `r` of content `c`, its last ones."""

_FLOATS = ("positions", "ends", "probabilities")
"""Arrays of floats; others of numbers are of integers, those of counts of long ones."""

_SENT = 12
"""Bytes of a number that is sent, at most."""

_HEADER = np.dtype([(n, ">i4") for n in ("dimensions", "nulls", "type", "size", "first")])
"""Head of an array of one dimension that is sent; then, of each element, its size and itself."""


def read_attributes(release: int) -> tuple[list[Attribute], tuple[str, ...]]:
    """Attributes of a release, and their types in SQL."""
    rows = _read(
        "bkpriv.release_attribute WHERE release = $1",
        (["bigint"], [release]),
        plain=("attribute", "type", "widths", "origin", "level", "retention", "bounds"),
        texts=("labels", "levels"),
        numbers=("positions", "ends"),
        order="ORDER BY place",
    )
    _require(rows, release)
    attributes = [
        Attribute(
            name=row["attribute"],
            labels=tuple(row["labels"]),
            positions=row["positions"],
            levels=row["levels"],
            widths=row["widths"],
            origin=row["origin"],
            level=row["level"],
            ends=row["ends"],
            step=STEPS.get(row["type"]),
            retention=row["retention"],
            bounds=row["bounds"],
        )
        for row in rows
    ]
    return attributes, tuple(row["type"] for row in rows)


_ARRAYS = {
    "codes": "codes",
    "group_ids": "labels",
    "cells": "cells",
    "sensitive_codes": "values",
    "counts": "counts",
    "false_cells": "false_cells",
    "false_codes": "false_values",
    "false_counts": "false_counts",
    "combinations": "combinations",
    "combination_offsets": "combination_offsets",
    "drawn_codes": "drawn_codes",
    "drawn_counts": "drawn_counts",
}
"""Columns of arrays of a release, and what they hold of `Arrays`."""


def read_arrays(release: int) -> Arrays:
    """Cells, groups and counts of a release, counterfeits, and what was drawn of them."""
    rows = _read(
        "(SELECT c.*, d.codes AS drawn_codes, d.counts AS drawn_counts "
        "FROM bkpriv.release_content AS c LEFT JOIN bkpriv.release_draw AS d USING (release) "
        "WHERE c.release = $1) AS c",
        (["bigint"], [release]),
        numbers=_ARRAYS,
    )
    _require(rows, release)
    return Arrays(**{field: rows[0][column] for column, field in _ARRAYS.items()})


def _require(rows: Sequence[object], release: int) -> None:
    """Refuse a release of which a restore in parts has not brought the history."""
    if not rows:
        raise Refusal(
            "55000",
            f"release {release} has no content on record",
            detail="The history is not whole, as after a restore in parts.",
            hint="See bkpriv.doctor().",
        )


def read_columns(release: int) -> tuple[tuple[str, ...], bool]:
    """Names of the sensitive columns of a release, and whether its values are combinations.

    There are none where nothing is recorded of it.
    """
    row = run(
        f"SELECT {COLUMNS} AS columns, coalesce(cardinality(combinations) > 0, false) AS combined "
        "FROM (SELECT $1::int8 AS release) AS r LEFT JOIN bkpriv.release_content AS c "
        "USING (release)",
        ["bigint"],
        [release],
    )[0]
    return tuple(row["columns"] or ()), row["combined"]


def read_respondents(release: int) -> RecordedRespondents | None:
    """Respondents of a release; None where none were declared."""
    for row in _read(
        "bkpriv.release_respondent WHERE release = $1",
        (["bigint"], [release]),
        texts=("respondents",),
        numbers=("group_ids", "parts", "sensitive_codes", "shown_codes"),
    ):
        return RecordedRespondents(
            row["respondents"],
            row["group_ids"],
            row["parts"],
            row["sensitive_codes"],
            shown=row["shown_codes"],
        )
    return None


def find_shown(releases: Sequence[int], among: Sequence[str]) -> set[str]:
    """People among some whom releases showed."""
    # They are compared where they lie: most are none of those asked about.
    rows = run(
        "SELECT array_agg(DISTINCT u.name) AS names FROM bkpriv.release_respondent, "
        "unnest(respondents, group_ids) AS u(name, label) "
        "WHERE release = ANY ($1) AND label >= 0 AND name = ANY ($2)",
        ["bigint[]", "text[]"],
        [list(releases), list(among)],
    )
    return set(rows[0]["names"] or ())


def read_labels(releases: Sequence[int]) -> dict[int, tuple[Labels, Labels]]:
    """Labels of the sensitive attribute by release, and what they go by: see `Domain.called`."""
    key = ["bigint[]"], [list(releases)]
    rows = _read(
        "(SELECT DISTINCT ON (release) release, labels FROM bkpriv.release_attribute "
        "WHERE release = ANY ($1) ORDER BY release, place DESC) AS a",
        key,
        plain=("release",),
        texts=("labels",),
    )
    labels = {row["release"]: (tuple(row["labels"]),) * 2 for row in rows}
    for row in run(
        "SELECT release FROM bkpriv.release_content "
        "WHERE release = ANY ($1) AND combinations IS NOT NULL",
        *key,
    ):
        told = _read_combined(row["release"])
        labels[row["release"]] = told.labels, told.called
    return labels


def _read_combined(release: int) -> Domain:
    """The combinations of a release."""
    attributes, _ = read_attributes(release)
    return read_told(read_domains(attributes), read_arrays(release))[1]


def read_transitions(dataset: str, name: str) -> Transitions:
    """Transitions that are kept as sequential knowledge of a dataset."""
    from bkpriv_core.sequence.transitions import Transitions  # only wanted here

    (row,) = _read(
        "bkpriv.sequential_knowledge WHERE (dataset, name) = ($1, $2)",
        (["text", "text"], [dataset, name]),
        texts=("labels",),
        numbers=TRANSITIONS,
    )
    arrays = {field: row[column] for column, field in TRANSITIONS.items()}
    return Transitions(tuple(row["labels"]), **arrays)


def find_beliefs(releases: list[int], digest: str) -> set[int]:
    """Find releases among some whose beliefs were stored under a digest."""
    rows = run(
        "SELECT release FROM bkpriv.release_belief WHERE release = ANY ($1) AND digest = $2",
        ["bigint[]", "text"],
        [releases, digest],
    )
    return {row["release"] for row in rows}


def read_beliefs(releases: list[int], digest: str) -> dict[int, FloatArray]:
    """Beliefs that were stored of releases under a digest, by release."""
    rows = _read(
        "bkpriv.release_belief WHERE release = ANY ($1) AND digest = $2",
        (["bigint[]", "text"], [releases, digest]),
        plain=("release",),
        numbers=("probabilities",),
    )
    return {row["release"]: row["probabilities"] for row in rows}


def _read(
    source: str,
    key: tuple[list[str], list[Any]],
    *,
    plain: Sequence[str] = (),
    texts: Sequence[str] = (),
    numbers: Sequence[str] | Mapping[str, str] = (),
    order: str = "",
) -> list[dict[str, Any]]:
    """Read columns of a relation: values as they are, arrays of texts, and of numbers.

    Args:
        source: SQL of the relation, and of which rows of it.
        key: Shape (list of str, list). Types and values of parameters in it.

    Raises:
        NoRoom: If the arrays would need more memory than the call may take: none is sent.
    """
    types, values = key
    allowed = room()
    need = " + ".join(
        [f"coalesce({needed_of_texts(name)}, 0)" for name in texts]
        + [f"coalesce({_SENT} * cardinality({name})::int8, 0)" for name in numbers]
    )
    sent = [
        f"CASE WHEN need <= ${len(types) + 1} THEN {value} END AS {name}"
        for names, value_of in ((texts, "{}"), (numbers, "array_send({})"))
        for name in names
        for value in [value_of.format(name)]
    ]
    rows = run(
        f"SELECT {', '.join((*plain, 'need', *sent))} FROM "
        f"(SELECT *, (sum({need}) OVER ())::int8 AS need FROM {source}) AS s {order}",
        [*types, "bigint"],
        [*values, allowed],
    )
    if rows and rows[0]["need"] > allowed:
        raise NoRoom(
            f"What is recorded of releases may need {rows[0]['need'] // 2**20} MB, of which this "
            f"call may take {allowed // 2**20} more."
        )
    return [
        row | {name: _unpack(name, row[name]) for name in numbers if row[name] is not None}
        for row in rows
    ]


def _unpack(name: str, packed: bytes) -> AnyArray:
    """Numbers of an array of one dimension, as it is sent."""
    wanted = np.float64 if name in _FLOATS else np.int64
    sent = ">f8" if name in _FLOATS else ">i8" if name.endswith("counts") else ">i4"
    element = np.dtype([("size", ">i4"), ("value", sent)])
    # An empty array has a shorter head.
    return np.frombuffer(packed[_HEADER.itemsize :], element)["value"].astype(wanted)
