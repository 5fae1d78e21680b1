"""Frames: tables made of columns of values, without a database.

A frame gives a column by its name: a mapping of sequences or arrays, or a table of pandas, polars
or Arrow, none of which is imported here. A column of numbers is numeric, and so is one of days or
times; its scale is the robust one of `bkpriv_core.table.scale`. Texts and truth values are labels.
None, NaN and what these packages have for a missing value are NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from bkpriv_core.errors import InvalidData, InvalidParameter, MissingColumn, as_json
from bkpriv_core.schema import near
from bkpriv_core.table.combination import NO_SENSITIVE, Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, BoolArray, FloatArray, IntArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.rule import Listed, Tree
from bkpriv_core.table.scale import scaled
from bkpriv_core.table.table import Table

__all__ = ["code_frame", "read_frame"]

_DAY = 86400.0

_MICROSECONDS = 1_000_000

_WHOLE = 2**53
"""Bound of the whole numbers that floats hold exactly."""


def read_frame(
    frame: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    hierarchies: Mapping[str, Any] | None = None,
    nulls: str = "error",
) -> Table:
    """Read columns of a frame as a table that can be published.

    Args:
        frame: Columns by their names.
        quasi_identifiers: Columns that an adversary may know of a person.
        sensitive: Columns that an adversary would like to know; there may be none.
        hierarchies: Hierarchies by column: a mapping of names to lists of values or to further such
            mappings; or rows, each of a value, coarser labels and the root; or, of numbers, widths
            of intervals.
        nulls: Treatment of NULL: "error" refuses it, "category" makes it a value of its own.

    Raises:
        MissingColumn: If the frame lacks a column.
        InvalidParameter: If a column is named twice, or a hierarchy means nothing.
        InvalidData: If columns differ in length, are empty, have NULL where it is refused, or have
            values of several kinds.
    """
    # As in the server, their stated order does not decide ties.
    known = sorted(_names(quasi_identifiers))
    table, _, _ = code_frame(frame, known, sensitive, hierarchies=hierarchies, nulls=nulls)
    return table


def code_frame(
    frame: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    hierarchies: Mapping[str, Any] | None = None,
    nulls: str = "error",
) -> tuple[Table, IntArray, IntArray]:
    """Read a frame as `read_frame` does, in the stated order; with each row's place in the table.

    Returns:
        cells, values: Shape (n,). Cell and sensitive value of each row.
    """
    known, told = _names(quasi_identifiers), _names(sensitive)
    names = (*known, *told)
    _check_stated(names, hierarchies or {}, nulls)
    columns = _columns(frame, names)
    missing = {name: _missing(column) for name, column in columns.items()}
    if nulls == "error":
        _refuse_nulls(missing)
    coded = [
        _code(name, columns[name], missing[name], (hierarchies or {}).get(name)) for name in names
    ]
    domains = [scaled(domain, np.bincount(codes), None) for domain, codes in coded]
    split, rows = len(known), len(next(iter(columns.values())))
    codes = np.column_stack([each for _, each in coded])
    quasi, of_told = tuple(domains[:split]), tuple(domains[split:])
    sensitive_of: Domain
    if len(of_told) == 1:
        sensitive_of, values = of_told[0], codes[:, split]
    elif of_told:
        sensitive_of, values = Combination.of(of_told, codes[:, split:])
    else:
        sensitive_of, values = NO_SENSITIVE, np.zeros(rows, dtype=np.int64)
    whole = np.column_stack((codes[:, :split], values))
    table, cells = Table.from_rows(quasi, sensitive_of, whole, np.ones(rows, dtype=np.int64))
    return table, cells, values


def _names(stated: str | Sequence[str]) -> tuple[str, ...]:
    return (stated,) if isinstance(stated, str) else tuple(stated)


def _check_stated(names: Sequence[str], hierarchies: Mapping[str, Any], nulls: str) -> None:
    """Refuse columns, hierarchies and a treatment of NULL that mean nothing."""
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice or not names:
        raise InvalidParameter(
            f'column "{twice[0]}" is named twice' if twice else "no column is named",
            detail="A column is a quasi-identifier, or sensitive, or left out.",
            hint="Write for example read_frame(frame, ['age', 'sex'], 'diagnosis').",
        )
    for name in hierarchies:
        if name not in names:
            raise InvalidParameter(
                f'column "{name}" has a hierarchy, but is not read',
                detail=f"The columns that are read are {', '.join(names)}.",
                hint=f"{near(name, names)}Name it as a quasi-identifier, or leave it out.",
            )
    if nulls not in ("error", "category"):
        raise InvalidParameter(
            f"there is no treatment of NULL {as_json(nulls)}",
            detail='It is refused by "error", and a value of its own by "category".',
            hint='Write nulls="category", or leave it out.',
        )


def _columns(frame: Any, names: Sequence[str]) -> dict[str, AnyArray]:
    """Columns of a frame as arrays of one length."""
    # Arrow has the names apart from its columns; mappings have nothing but names.
    listed = getattr(frame, "column_names", None)
    there = [*(getattr(frame, "columns", frame) if listed is None else listed)]
    for name in names:
        if name not in there:
            raise MissingColumn(
                f'there is no column "{name}"',
                detail=f"The columns are {', '.join(map(str, there))}.",
                hint=f"{near(name, list(map(str, there)))}Columns go by their names, as written.",
            )
    columns = {name: _array(name, frame[name]) for name in names}
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1 or not next(iter(lengths.values())):
        listed_lengths = ", ".join(f'"{name}" ({length})' for name, length in lengths.items())
        raise InvalidData(
            "columns differ in length" if any(lengths.values()) else "the frame has no rows",
            detail=f"Column (values): {listed_lengths}.",
            hint="Each row is a person, with one value in every column.",
        )
    return columns


def _array(name: str, column: Any) -> AnyArray:
    """A column as an array; a sequence as one of objects, for numpy would write numbers as text."""
    if hasattr(column, "__array__"):
        array = np.asarray(column)
    else:
        listed = list(column)
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
    if array.ndim != 1:
        raise InvalidData(
            f'column "{name}" has {array.ndim} dimensions',
            detail=f"Its shape is {array.shape}.",
            hint="Give one value for each row.",
        )
    return array


def _missing(column: AnyArray) -> BoolArray:
    """Rows without a value."""
    if column.dtype.kind == "O":
        return np.array([_is_missing(value) for value in column], dtype=bool)
    if column.dtype.kind in "fM":
        return np.asarray(column != column)  # NaN and NaT differ from themselves
    return np.zeros(len(column), dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA, which is neither equal nor different
        return True


def _refuse_nulls(missing: Mapping[str, BoolArray]) -> None:
    counts = {name: int(rows.sum()) for name, rows in missing.items()}
    if any(counts.values()):
        listed = ", ".join(f'"{name}" ({count})' for name, count in counts.items() if count)
        raise InvalidData(
            "the frame has NULL in columns that are read",
            detail=f"Column (rows with NULL): {listed}.",
            hint='Replace them, or read with nulls="category".',
        )


def _code(name: str, column: AnyArray, missing: BoolArray, stated: Any) -> tuple[Domain, IntArray]:
    """Domain of a column, and the code of each row."""
    present = column[~missing]
    if missing.any() and present.dtype.kind == "f" and _are_whole(present):
        present = present.astype(np.int64)  # numpy has no whole numbers with NaN
    tree, intervals = _hierarchy(name, stated)
    kind = _kind(name, present)
    values, ranks = _ranked(present.astype("M8[us]") if kind == "time" else present)
    labels, positions, step = _line(values, kind)
    has_null = bool(missing.any())
    codes = np.full(len(column), len(labels), dtype=np.int64)
    codes[~missing] = ranks
    if tree is not None or positions is None:
        if intervals is not None:
            raise InvalidParameter(
                f'column "{name}" has widths of intervals, but no numbers',
                detail=f"Its values are {', '.join(labels[:8])}{', ...' * (len(labels) > 8)}.",
                hint="Give labels a mapping of names to lists of values.",
            )
        order = sorted(range(len(labels)), key=labels.__getitem__)
        texts = [labels[place] for place in order]
        rank = np.append(np.argsort(order), len(labels)).astype(np.int64)
        hierarchy = None if tree is None else tree.over(name, texts)
        return Domain(name, (*texts, *[None] * has_null), hierarchy=hierarchy), rank[codes]
    positions = np.append(positions, [np.nan] * has_null)
    every = (*labels, *[None] * has_null)
    return Domain(name, every, positions=positions, intervals=intervals, step=step), codes


def _are_whole(present: FloatArray) -> bool:
    return bool((np.abs(present) < _WHOLE).all() and not (present % 1).any())


def _hierarchy(name: str, stated: Any) -> tuple[Tree | None, Intervals | None]:
    if stated is None:
        return None, None
    if isinstance(stated, Mapping):
        return Listed.checked(name, stated, None), None
    rows = list(stated)
    if rows and all(isinstance(width, (Real, Decimal)) for width in rows):
        widths = [Decimal(str(width)) for width in rows]
        return None, Intervals.checked(name, widths, Decimal(0))
    return Hierarchy.from_rows(name, rows), None


def _kind(name: str, present: AnyArray) -> str:
    """Kind of a column's values: number, time or label.

    Raises:
        InvalidData: If they are of several, or of none.
    """
    known = {"i": "number", "u": "number", "f": "number", "M": "time", "U": "label", "b": "label"}
    if present.dtype.kind in known:
        return known[present.dtype.kind]
    types = sorted({type(value) for value in present}, key=lambda each: each.__name__)
    kinds = {_kind_of(each) for each in types} or {"label"}
    if len(kinds) > 1 or None in kinds:
        raise InvalidData(
            f'column "{name}" has values that are not all numbers, all times or all labels',
            detail=f"Their types are {', '.join(each.__name__ for each in types)}.",
            hint="Make all of them numbers, days, times without a zone, or texts.",
        )
    return str(kinds.pop())


def _kind_of(type_: type) -> str | None:
    if issubclass(type_, (str, bool, np.bool_)):
        return "label"
    if issubclass(type_, (Real, Decimal)):
        return "number"
    return "time" if issubclass(type_, (date, np.datetime64)) else None


def _ranked(present: AnyArray) -> tuple[list[Any] | AnyArray, IntArray]:
    """Distinct values in their order, and the place of each row's."""
    if present.dtype.kind != "O":
        values, ranks = np.unique(present, return_inverse=True)
        return values, ranks.ravel().astype(np.int64)
    distinct = sorted(set(present))
    place = {value: rank for rank, value in enumerate(distinct)}
    return distinct, np.array([place[value] for value in present], dtype=np.int64)


def _line(
    values: list[Any] | AnyArray, kind: str
) -> tuple[list[str], FloatArray | None, float | None]:
    """Labels of values, their positions, and the step of their type; see `Domain`."""
    if kind == "label":
        return [str(value) for value in values], None, None
    if kind == "number":
        whole = all(isinstance(value, (int, np.integer)) for value in values)
        labels = [str(value).removesuffix(".0") for value in values]
        return labels, np.array([float(value) for value in values]), 1.0 if whole else None
    seconds = np.asarray(values).astype(np.int64) / _MICROSECONDS
    if not (seconds % _DAY).any():
        return _iso(values, "D"), seconds, _DAY
    return _iso(values, "us" if (seconds % 1).any() else "s"), seconds, None


def _iso(moments: Iterable[Any], unit: Any) -> list[str]:
    return [str(np.datetime_as_string(each, unit=unit)).replace("T", " ") for each in moments]
