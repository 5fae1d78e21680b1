"""Views as Parquet, column by column of the type that it has in PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from psycopg import sql

from bkpriv_client.dictionary import Column, Source
from bkpriv_client.files import written_whole
from bkpriv_client.server import Connection

__all__ = ["write_parquet"]

_ROWS = 50_000
"""Number of rows that are read and written at a time."""

_TYPES: dict[str, Any] = {
    "boolean": pa.bool_(),
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "real": pa.float32(),
    "double precision": pa.float64(),
    "date": pa.date32(),
    "timestamp without time zone": pa.timestamp("us"),
    "timestamp with time zone": pa.timestamp("us", tz="UTC"),
}
"""Types that Parquet has too; others are written as text."""

_DIGITS = 38
"""Largest number of digits of a decimal."""


def write_parquet(connection: Connection, source: Source, path: Path) -> None:
    """Write a view; its columns and the file have the comments as metadata."""
    types = [_type(connection, source, column) for column in source.columns]
    schema = pa.schema(
        [
            pa.field(column.name, type_, metadata={"comment": column.holds})
            for column, type_ in zip(source.columns, types, strict=True)
        ],
        metadata={"comment": source.holds},
    )
    selected = sql.SQL(", ").join(
        _written(column.name) if pa.types.is_string(type_) else sql.Identifier(column.name)
        for column, type_ in zip(source.columns, types, strict=True)
    )
    query = sql.SQL("SELECT {} FROM ({}) AS shown").format(selected, source.query)
    with (
        written_whole(path) as file,
        pq.ParquetWriter(file, schema) as writer,
        connection.cursor("bkpriv_export") as cursor,
    ):
        cursor.execute(query)
        while rows := cursor.fetchmany(_ROWS):
            arrays = [
                pa.array(list(values), type=type_)
                for values, type_ in zip(zip(*rows, strict=True), types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _written(name: str) -> sql.Composed:
    """A column as text: as it is shown, since a cast is a function of whoever owns the type."""
    return sql.SQL("CASE num_nulls({0}) WHEN 0 THEN format('%s', {0}) END").format(
        sql.Identifier(name)
    )


def _type(connection: Connection, source: Source, column: Column) -> Any:
    """Type of a column; of decimals, with as many digits as occur."""
    if column.type != "numeric":
        return _TYPES.get(column.type, pa.string())
    shown = sql.Identifier(column.name)
    query = sql.SQL(
        "SELECT coalesce(max(scale({0})), 0), "
        "coalesce(max(length(trunc(abs({0}))::text)), 1), bool_or({0} IN ('NaN', 'Infinity', "
        "'-Infinity')) FROM ({1}) AS shown"
    ).format(shown, source.query)
    ((after, before, strange),) = connection.execute(query).fetchall()
    if strange or before + after > _DIGITS:
        return pa.string()
    return pa.decimal128(before + after, after)
