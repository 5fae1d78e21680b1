"""Outlying values of numbers, days and times, with the SQL that repairs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.outlying import inspect_numbers
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run, unpack_floats, unpack_integers
from bkpriv_pl.tables.column import Column

__all__ = ["Remark", "find_outlying", "warn_of_outlying"]

_SHOWN = 8
"""Limit of the columns that a warning lists."""


@dataclass(frozen=True)
class Remark:
    """Values of a column that stand out."""

    column: Column
    stand_ins: str
    """Values that may stand for a missing one, with their records; empty if there are none."""
    nulled: str
    """SQL that shows NULL in their place."""
    far: str
    """Values that lie far out, with their records; empty if there are none."""
    capped: str
    """SQL that shows the nearest of the others in their place."""


def find_outlying(source: str, columns: Sequence[Column]) -> Iterator[Remark]:
    """Find values that stand out in columns of a source: SQL that a query reads, under alias s."""
    for column in columns:
        if column.numeric:
            positions, records = _read(source, column)
            if (found := _remark(column, positions, records)) is not None:
                yield found


def warn_of_outlying(dataset: str, source: str, columns: Sequence[Column], seen: str) -> None:
    """Warn of values that stand out in columns of a dataset; see `find_outlying`."""
    remarks = [*find_outlying(source, columns)]
    odd = [each for each in remarks if each.stand_ins][:_SHOWN]
    far = [each for each in remarks if each.far and each.column.bounds is None][:_SHOWN]
    if odd:
        listed = ", ".join(f'"{each.column.name}" ({each.stand_ins})' for each in odd)
        ways = ", ".join(f"{each.nulled} AS {_name(each)}" for each in odd)
        notices.warning(
            f'columns of dataset "{dataset}" have values that may stand for a missing one',
            detail=f"Column (records: values): {listed}. As values they change what distances, "
            f"ranges and bins mean.{seen}",
            hint=f"If so, publish from a view that shows NULL instead: {ways}; with the option "
            '{"nulls": "category"}.',
        )
    if far:
        listed = ", ".join(f'"{each.column.name}" ({each.far})' for each in far)
        ways = ", ".join(f"{each.capped} AS {_name(each)}" for each in far)
        notices.warning(
            f'a few values of columns of dataset "{dataset}" lie far out',
            detail=f"Column (records beyond others: values): {listed}. Their groups are shown in "
            f"wide ranges.{seen}",
            hint=f"Publish from a view that shows the nearest of the others instead: {ways}. Or "
            "state what bandwidths and losses are shares of by scales, an argument of "
            "bkpriv.register_dataset.",
        )


def _name(remark: Remark) -> str:
    return str(plpy.quote_ident(remark.column.name))


def _read(source: str, column: Column) -> tuple[FloatArray, IntArray]:
    value = f"s.{plpy.quote_ident(column.name)}"
    (row,) = run(
        "SELECT string_agg(float8send(p), ''::bytea ORDER BY p) AS positions, "
        "string_agg(int8send(n), ''::bytea ORDER BY p) AS records FROM (SELECT p, count(*) AS n "
        f"FROM (SELECT {column.position(value)} AS p FROM {source}) AS seen "
        "WHERE p > '-Infinity' AND p < 'Infinity' GROUP BY p) AS counted"
    )
    return unpack_floats(row["positions"]), unpack_integers(row["records"] or b"", ">i8")


def _remark(column: Column, positions: FloatArray, records: IntArray) -> Remark | None:
    found = inspect_numbers(positions, records, times=not column.is_number)
    if not len(found.stand_ins) and found.within is None:
        return None
    name = plpy.quote_ident(column.name)
    listed = [_literal(column, each) for each in positions[found.stand_ins].tolist()]
    nulled = ""
    if len(listed) == 1:
        nulled = f"NULLIF({name}, {listed[0]})"
    elif listed:
        nulled = f"CASE WHEN {name} NOT IN ({', '.join(listed)}) THEN {name} END"
    far = capped = ""
    if found.within is not None:
        low, high = (_literal(column, each) for each in found.within)
        ends = [
            positions[found.far[0]] < found.within[0],
            positions[found.far[-1]] > found.within[1],
        ]
        capped = f"least({name}, {high})" if ends[1] else name
        capped = f"greatest({capped}, {low})" if ends[0] else capped
        values = [_text(column, each) for each in positions[found.far].tolist()]
        texts = " to ".join(_text(column, each) for each in found.within)
        far = f"{int(records[found.far].sum())} beyond {texts}: {some_of(values)}"
    some = [_text(column, each) for each in positions[found.stand_ins].tolist()]
    stand_ins = f"{int(records[found.stand_ins].sum())}: {some_of(some)}" if some else ""
    return Remark(column, stand_ins, nulled, far, capped)


def _text(column: Column, position: float) -> str:
    """Value at a position."""
    if column.is_number:
        return f"{position:.15g}"
    moment = str(np.datetime64(round(position), "s"))
    return moment[:-9] if column.type_name == "date" else moment.replace("T", " ")


def _literal(column: Column, position: float) -> str:
    """Value at a position as SQL writes it."""
    text = _text(column, position)
    return text if column.is_number else plpy.quote_literal(text)
