"""History of a release, as arrays.

Sizes are asked for first, so that nothing travels that is too large to be sound. Arrays of numbers
come packed, as PostgreSQL sends them: bytes, and no Python object for each element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bkpriv_core.release.recorded.attribute import Attribute, read_domains
from bkpriv_core.release.recorded.content import Arrays, read_told
from bkpriv_core.release.recorded.draw import Draw
from bkpriv_core.release.recorded.respondent import RecordedRespondents
from bkpriv_core.release.recorded.soundness import Sizes, check_sizes, of_release, unsound
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.memory import NoRoom, room
from bkpriv_pl.tables.column import STEPS

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

_ARRAYS = ("codes", "group_ids", "cells", "sensitive_codes", "counts")

_MORE = ("false_cells", "false_codes", "false_counts", "combinations", "combination_offsets")

COLUMNS = (
    "(SELECT array_agg(a.attribute ORDER BY a.place) FROM bkpriv.release_attribute AS a "
    "WHERE a.release = r.release AND a.place >= CASE WHEN c.combinations IS NULL "
    "THEN (SELECT max(place) FROM bkpriv.release_attribute AS l WHERE l.release = r.release) "
    "ELSE cardinality(c.codes) / nullif(cardinality(c.group_ids), 0) END)"
)
"""SQL for the names of the sensitive columns of a release `r` of content `c`, its last ones."""

_RESPONDENT_ARRAYS = ("group_ids", "parts", "sensitive_codes", "shown_codes")

_NAME_BYTES = 1000
"""Largest number of bytes of the name of an attribute or of a type."""

_SENT = 12
"""Bytes of a number that is sent, at most."""

_TEXT, _OF_BYTE = 64, 6
"""Bytes that a text takes in Python, at most: itself, and for each of its bytes; see `needed`."""

_HEADER = np.dtype([(n, ">i4") for n in ("dimensions", "nulls", "type", "size", "first")])
"""Head of an array of one dimension that is sent; then, of each element, its size and itself."""


def read_attributes(release: int) -> tuple[list[Attribute], tuple[str, ...]]:
    """Attributes of a release, and their types in SQL."""
    sizes = run(
        f"SELECT octet_length(attribute) + octet_length(type) AS name_bytes, "
        f"{', '.join(map(_text_sizes, ('labels', 'levels', 'widths')))}, "
        f"{_sizes('positions')}, {_sizes('ends')} "
        "FROM bkpriv.release_attribute WHERE release = $1",
        ["bigint"],
        [release],
    )
    for row in sizes:
        if row["name_bytes"] > _NAME_BYTES:
            raise unsound(
                "its attributes or types have names that are too long",
                f"One has {row['name_bytes']} bytes.",
            )
    names = ("labels", "levels", "widths", "positions", "ends")
    _check_sent(
        [
            Sizes(
                name,
                row[f"{name}_elements"],
                row[f"{name}_dimensions"],
                row.get(f"{name}_bytes"),
            )
            for row in sizes
            for name in names
            if row[f"{name}_elements"] is not None
        ]
    )
    rows = run(
        "SELECT place, attribute, labels, array_send(positions) AS positions, levels, type, "
        "widths, origin, level, array_send(ends) AS ends, retention "
        "FROM bkpriv.release_attribute WHERE release = $1 ORDER BY place",
        ["bigint"],
        [release],
    )
    attributes = [
        Attribute(
            place=row["place"],
            name=row["attribute"],
            labels=tuple(row["labels"]),
            positions=_floats("positions", row["positions"]),
            levels=row["levels"],
            widths=row["widths"],
            origin=row["origin"],
            level=row["level"],
            ends=_floats("ends", row["ends"]),
            step=STEPS.get(row["type"]),
            retention=row["retention"],
        )
        for row in rows
    ]
    return attributes, tuple(row["type"] for row in rows)


def read_arrays(release: int) -> Arrays:
    """Cells, groups and counts of a release, counterfeits, and what was drawn of them."""
    content = _read_integers(release, "release_content", _ARRAYS, _MORE)
    if content is None:
        raise unsound("its cells are missing", "There is no row of them.")
    drawn = _read_integers(release, "release_draw", ("codes", "counts"))
    (codes, labels, cells, values, counts), (*false, combinations, offsets) = content
    false_cells, false_values, false_counts = false
    return Arrays(
        codes=codes,
        labels=labels,
        cells=cells,
        values=values,
        counts=counts,
        false_cells=false_cells,
        false_values=false_values,
        false_counts=false_counts,
        draw=None if drawn is None else Draw(*drawn[0]),
        combinations=combinations,
        combination_offsets=offsets,
    )


def read_columns(release: int) -> tuple[tuple[str, ...], bool]:
    """Names of the sensitive columns of a release, and whether its values are combinations.

    There are none where nothing is recorded of it.
    """
    row = run(
        f"SELECT {COLUMNS} AS columns, coalesce(combinations IS NOT NULL, false) AS combined "
        "FROM (SELECT $1::int8 AS release) AS r LEFT JOIN bkpriv.release_content AS c "
        "USING (release)",
        ["bigint"],
        [release],
    )[0]
    return tuple(row["columns"] or ()), row["combined"]


def _read_integers(
    release: int, table: str, names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> tuple[list[IntArray], list[IntArray | None]] | None:
    """Arrays of a release in a table of the history, and optional ones; None without a row."""
    kept = f"FROM bkpriv.{table} WHERE release = $1"
    every = (*names, *optional)
    rows = run(f"SELECT {', '.join(map(_sizes, every))} {kept}", ["bigint"], [release])
    if not rows:
        return None
    (row,) = rows
    _check_sent(
        [
            Sizes(name, row[f"{name}_elements"], row[f"{name}_dimensions"])
            for name in every
            if name in names or row[f"{name}_elements"] is not None
        ]
    )
    sent = ", ".join(f"array_send({name}) AS {name}" for name in every)
    (packed,) = run(f"SELECT {sent} {kept}", ["bigint"], [release])
    return (
        [_integers(name, packed[name]) for name in names],
        [None if packed[name] is None else _integers(name, packed[name]) for name in optional],
    )


def read_respondents(release: int) -> RecordedRespondents | None:
    """Respondents of a release; None where none were declared."""
    if not (rows := _respondent_sizes([release])):
        return None
    _check_sent(_of_respondents(rows[0]))
    arrays = _RESPONDENT_ARRAYS
    packed = run(
        f"SELECT respondents, {', '.join(f'array_send({name}) AS {name}' for name in arrays)} "
        "FROM bkpriv.release_respondent WHERE release = $1",
        ["bigint"],
        [release],
    )[0]
    if None in packed["respondents"]:
        raise unsound("a respondent has no name", "One is NULL.")
    labels, parts, values = (_integers(name, packed[name]) for name in arrays[:3])
    shown = (
        None if packed["shown_codes"] is None else _integers("shown_codes", packed["shown_codes"])
    )
    return RecordedRespondents(packed["respondents"], labels, parts, values, shown=shown)


def find_shown(records: Mapping[int, int], among: Sequence[str]) -> set[str]:
    """People among some whom releases showed, by the releases' numbers of records.

    Raises
    ------
    UnsoundHistory
        If the respondents of a release cannot be what a publication recorded.
    """
    for row in _respondent_sizes([*records]):
        release, names = row["release"], row["respondents_elements"]
        with of_release(release):
            check_sizes(_of_respondents(row))
            if names != records[release]:
                raise unsound(
                    "its respondents are not one for each record",
                    f"There are {names} names of {records[release]} records.",
                )
    # They are compared where they lie: most are none of those asked about.
    rows = run(
        "SELECT array_agg(DISTINCT u.name) AS names FROM bkpriv.release_respondent, "
        "unnest(respondents, group_ids) AS u(name, label) "
        "WHERE release = ANY ($1) AND label >= 0 AND name = ANY ($2)",
        ["bigint[]", "text[]"],
        [[*records], list(among)],
    )
    return set(rows[0]["names"] or ())


def _respondent_sizes(releases: list[int]) -> list[dict[str, Any]]:
    """Sizes of what is recorded of the respondents of releases."""
    return run(
        f"SELECT release, {_text_sizes('respondents')}, "
        f"{', '.join(map(_sizes, _RESPONDENT_ARRAYS))} "
        "FROM bkpriv.release_respondent WHERE release = ANY ($1) ORDER BY release",
        ["bigint[]"],
        [releases],
    )


def _check_sent(sizes: Sequence[Sizes]) -> None:
    """Refuse arrays that are unsound, or that memory has no room for, before they are sent."""
    check_sizes(sizes)
    _ask_room(sizes)


def _ask_room(sizes: Iterable[Sizes]) -> None:
    """Refuse arrays that memory has no room for, all of them at once."""
    need = sum(
        _SENT * array.elements
        if array.text_bytes is None
        else _TEXT * array.elements + _OF_BYTE * array.text_bytes
        for array in sizes
    )
    allowed = room()
    if need > allowed:
        raise NoRoom(
            f"What is recorded of releases may need {need // 2**20} MB, of which this call may "
            f"take {allowed // 2**20} more."
        )


def _of_respondents(row: dict[str, Any]) -> list[Sizes]:
    return [
        Sizes(name, row[f"{name}_elements"], row[f"{name}_dimensions"], row.get(f"{name}_bytes"))
        for name in ("respondents", *_RESPONDENT_ARRAYS)
        # Most show the values that are.
        if name != "shown_codes" or row[f"{name}_elements"] is not None
    ]


def read_labels(releases: Sequence[int]) -> dict[int, tuple[Labels, Labels]]:
    """Labels of the sensitive attribute by release, and what they go by: see `Domain.called`.

    Raises
    ------
    UnsoundHistory
        If there are too many, or they are no array of one dimension.
    """
    combined = run(
        "SELECT release FROM bkpriv.release_content "
        "WHERE release = ANY ($1) AND combinations IS NOT NULL",
        ["bigint[]"],
        [list(releases)],
    )
    told = {row["release"]: _read_combined(row["release"]) for row in combined}
    labels = {release: (each.labels, each.called) for release, each in told.items()}
    last = (
        "FROM (SELECT DISTINCT ON (release) release, labels FROM bkpriv.release_attribute "
        "WHERE release = ANY ($1) ORDER BY release, place DESC) AS a"
    )
    key = ["bigint[]"], [list(releases)]
    sent = []
    for row in run(f"SELECT release, {_text_sizes('labels')} {last}", *key):
        elements, dimensions = row["labels_elements"], row["labels_dimensions"]
        sent.append(Sizes("labels", elements, dimensions, row["labels_bytes"]))
        with of_release(row["release"]):
            check_sizes(sent[-1:])
    _ask_room(sent)
    rows = run(f"SELECT release, labels {last}", *key)
    return {row["release"]: (tuple(row["labels"]),) * 2 for row in rows} | labels


def _read_combined(release: int) -> Domain:
    """The combinations of a release."""
    with of_release(release):
        attributes, _ = read_attributes(release)
        _, sensitive = read_told(read_domains(attributes), read_arrays(release))
    return sensitive


def read_transitions(dataset: str, name: str) -> Transitions:
    """Transitions that are kept as sequential knowledge of a dataset.

    Raises
    ------
    UnsoundHistory
        If they cannot be what was kept.
    """
    kept = "FROM bkpriv.sequential_knowledge WHERE (dataset, name) = ($1, $2)"
    key = ["text", "text"], [dataset, name]
    sizes = run(
        f"SELECT {_text_sizes('labels')}, {', '.join(map(_sizes, TRANSITIONS))} {kept}", *key
    )[0]
    _check_sent(
        [
            Sizes(column, elements, sizes[f"{column}_dimensions"], sizes.get(f"{column}_bytes"))
            for column in ("labels", *TRANSITIONS)
            if (elements := sizes[f"{column}_elements"]) is not None
        ]
    )
    sent = ", ".join(f"array_send({column}) AS {column}" for column in TRANSITIONS)
    row = run(f"SELECT labels, {sent} {kept}", *key)[0]
    arrays: dict[str, Any] = {
        field: (_floats if field == "probabilities" else _integers)(column, row[column])
        for column, field in TRANSITIONS.items()
        if row[column] is not None
    }
    return Transitions.of_arrays(tuple(row["labels"]), **arrays)


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
    kept = "FROM bkpriv.release_belief WHERE release = ANY ($1) AND digest = $2"
    key = ["bigint[]", "text"], [releases, digest]
    sent = []
    for row in run(f"SELECT {_sizes('probabilities')} {kept}", *key):
        elements, dimensions = row["probabilities_elements"], row["probabilities_dimensions"]
        sent.append(Sizes("probabilities", elements, dimensions))
        check_sizes(sent[-1:])
    _ask_room(sent)
    rows = run(f"SELECT release, array_send(probabilities) AS packed {kept}", *key)
    return {
        row["release"]: _unpack("probabilities", row["packed"], ">f8", np.dtype(np.float64))
        for row in rows
    }


def _sizes(name: str) -> str:
    """SQL for the elements and dimensions of an array."""
    return (
        f"cardinality({name}) AS {name}_elements, "
        f"coalesce(array_ndims({name}), 0) AS {name}_dimensions"
    )


def _text_sizes(name: str) -> str:
    """SQL for those, and for the bytes of its elements as text."""
    return (
        f"{_sizes(name)}, (SELECT coalesce(sum(octet_length(e::text)), 0)::int8 "
        f"FROM unnest({name}) AS e) AS {name}_bytes"
    )


def _integers(name: str, packed: bytes) -> IntArray:
    return _unpack(name, packed, ">i8" if name.endswith("counts") else ">i4", np.dtype(np.int64))


def _floats(name: str, packed: bytes | None) -> FloatArray | None:
    return None if packed is None else _unpack(name, packed, ">f8", np.dtype(np.float64))


def _unpack(name: str, packed: bytes, sent: str, wanted: np.dtype[Any]) -> AnyArray:
    """Numbers of an array of one dimension, as it is sent."""
    header = np.frombuffer(packed, _HEADER, 1)[0]
    if header["nulls"]:
        raise unsound(f"its {name} hold NULL", f"There are {int(header['size'])} elements.")
    element = np.dtype([("size", ">i4"), ("value", sent)])
    return np.frombuffer(packed, element, offset=_HEADER.itemsize)["value"].astype(wanted)
