"""Periods: which of a source's records are published, where it holds those of several.

A period is stated as text and read by PostgreSQL as a value of the column's type, binned as the
dataset declares. So 2024-3-1 and 2024-03-01 are one period of a column of dates. In the history it
stands as the type writes it.
"""

from __future__ import annotations

import plpy

from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Column, Period
from bkpriv_pl.tables.dataset import Dataset, columns_of, open_source
from bkpriv_pl.tables.source import check_readable
from bkpriv_pl.tables.texts import written_one_way

__all__ = ["find_period", "require_period"]

_CANONICAL = {
    "numeric": "trim_scale({})",
    "float4": "({} + 0::float4)",
    "float8": "({} + 0::float8)",
    "interval": "justify_interval({})",
}
"""SQL for the one of equal values that stands for all: 1.00 is 1, -0 is 0, 24 hours are a day."""


def require_period(dataset: Dataset, stated: str | None) -> Period | None:
    """Read the period that is published; there must be one if the dataset has periods.

    Raises:
        InvalidParameter: See `find_period`; or if none is stated.
    """
    if stated is None and dataset.period is not None:
        raise InvalidParameter(
            f'dataset "{dataset.name}" has periods, and none is stated',
            detail=f'Its column "{dataset.period}" says of which period a record is, and each '
            "period is published by itself.",
            hint="State one, as in period => '2024-03'.",
        )
    return find_period(dataset, stated)


def find_period(dataset: Dataset, stated: str | None) -> Period | None:
    """Read a period of a dataset; None if none is stated.

    Raises:
        InvalidParameter: If the dataset has no periods, or it is no value of their type.
        InvalidData: If the type writes it as it writes another.
    """
    if stated is None:
        return None
    if dataset.period is None:
        raise InvalidParameter(
            f'dataset "{dataset.name}" has no periods: {stated}',
            detail="It was registered without a column that says of which period a record is, so "
            "all records would be published.",
            hint="Leave the period out, or register a dataset with period => 'column'.",
        )
    source = open_source(dataset)
    column = columns_of(dataset)[dataset.period]
    check_readable(source, (column.name,))
    # A bin of numbers begins at a numeric.
    numeric = column.bin is not None and column.bin.width is not None
    value = _CANONICAL.get("numeric" if numeric else column.type_name, "{}")
    name = plpy.quote_ident(column.name)
    type_, equality = "numeric" if numeric else column.declared_as, _equality(column)
    try:
        (row,) = run(
            f"SELECT text, text::{type_} {equality} value AS same FROM ("
            f"SELECT {value.format(column.expression('s'))}::text AS text, "
            f"({column.expression('s')})::{type_} AS value "
            f"FROM (SELECT $1::{column.declared_as} AS {name}) AS s OFFSET 0) AS s",
            ["text"],
            [stated],
        )
    except plpy.SPIError as error:
        if not str(getattr(error, "sqlstate", "")).startswith(("22", "42")):
            raise
        raise InvalidParameter(
            f'{stated!r} is no period of dataset "{dataset.name}"',
            detail=f'Its column "{column.name}" is of type {column.declared_as}, which has no '
            f"such value: {error.args[0]}.",
            hint="Write the period as a value of that type.",
        ) from None
    if not row["same"]:
        raise InvalidData(
            f'column "{column.name}" of dataset "{dataset.name}" has periods that differ and read '
            "alike",
            detail=f"Its type {column.declared_as} writes {stated!r} as {row['text']!r}, which is "
            "another value.",
            hint="Register a view in which the periods are of a type that tells them apart by "
            "their texts.",
        )
    recorded_as = "numeric" if numeric else column.published_as
    one_way = column.type_name in _CANONICAL or written_one_way(column)
    return Period(
        column, row["text"], type_, equality, recorded_as=recorded_as if one_way else None
    )


def _equality(column: Column) -> str:
    """SQL of the operator by which a column's type tells values apart.

    That of a type of another schema is not in reach by its name.
    """
    rows = run(
        "SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname) AS operator "
        "FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod AND a.amname = 'btree' "
        "JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amopstrategy = 3 "
        "AND (m.amoplefttype, m.amoprighttype) = (c.opcintype, c.opcintype) "
        "JOIN pg_operator o ON o.oid = m.amopopr JOIN pg_namespace n ON n.oid = o.oprnamespace "
        "WHERE c.opcdefault AND c.opcintype = $1",
        ["oid"],
        [column.type_oid],
    )
    return str(rows[0]["operator"]) if rows and not column.type_name else "="
