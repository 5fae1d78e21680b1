"""Texts: values and what stands for them, one to one.

Values reach Python as text, records are joined with codes by it, and readers see it. A type may
write values that differ alike, and values that it takes for equal in several ways. The latter are
one value, whichever of its texts stands for it. The former are refused: records that read alike
would have each other's codes, and readers would see fewer values than were certified.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import plpy

from bkpriv_core.errors import InvalidData
from bkpriv_core.table.hierarchy import some_of
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.column import Column, as_written
from bkpriv_pl.tables.source import Relation

__all__ = ["alike", "check_decoded", "check_names", "refuse_alike", "uncoded", "written_one_way"]

_SHOWN = 8
"""Limit of the texts of a column that an error lists; more are counted."""

_PLAIN = (
    *("bool", "int2", "int4", "int8", "oid", "text", "varchar", "bpchar", "name"),
    *("bytea", "uuid", "date", "time", "timestamp", "timestamptz", "inet", "cidr"),
    *("int4range", "int8range", "daterange", "tsrange", "tstzrange"),
)
"""Types that are built in, of which equal values have one text, but by some collations, and values
that differ have several. So have arrays of them, but for blanks at the end of bpchar."""


def alike(columns: int) -> str:
    """SQL of JSON on the texts, of each column, that stand for several values, or wrongly for NULL.

    It reads ``d0``, ``d1`` and so on, so many: the distinct pairs of a value ``v`` and its text
    ``t``.
    """
    if not columns:
        return "NULL::pg_catalog.text"
    each = ", ".join(
        f"({place}, (SELECT json_build_object('place', {place}, 'number', count(*), "
        f"'texts', (array_agg(t ORDER BY t))[1:{_SHOWN}]) FROM (SELECT t "
        f"FROM d{place} GROUP BY t HAVING count(*) > 1 "
        # Not by IS NULL, which a row of NULLs is too.
        "OR bool_or(t IS NULL AND v IS DISTINCT FROM NULL)) AS x HAVING count(*) > 0))"
        for place in range(columns)
    )
    return (
        "(SELECT json_agg(found ORDER BY place) FILTER (WHERE found IS NOT NULL)::text "
        f"FROM (VALUES {each}) AS x(place, found))"
    )


def refuse_alike(source: Relation, found: str | None, columns: Sequence[Column]) -> None:
    """Refuse columns that write values that differ alike.

    Args:
        found: Result of `alike`.

    Raises:
        InvalidData: If there is one.
    """
    for item in json.loads(found or "[]"):
        raise _read_alike(source, columns[item["place"]], item["texts"], item["number"])


def _read_alike(
    source: Relation, column: Column, texts: Sequence[str | None], number: int
) -> InvalidData:
    listed = some_of(["NULL" if text is None else text for text in texts])
    more = f" and {number - len(texts)} more" if number > len(texts) else ""
    return InvalidData(
        f'column "{column.name}" of table "{source.schema}"."{source.name}" has values that differ '
        "and read alike",
        detail=f"Its type {column.declared_as} writes several values as {listed}{more}. "
        "Readers could not tell them apart.",
        hint=f"Publish from a view with the column as {as_written(column.name)}, where what reads "
        "alike is one value, or as something that tells them apart.",
    )


def uncoded(columns: int) -> str:
    """SQL of how many records have no code, in each of so many columns; of ``g`` and ``c0``..."""
    counts = ", ".join(
        f"coalesce(sum(g.n) FILTER (WHERE c{place}.code IS NULL), 0)" for place in range(columns)
    )
    return f"ARRAY[{counts}]::int8[]"


def check_decoded(source: Relation, row: dict[str, Any], decoded: int) -> None:
    """Check that the records that were decoded are those that were counted.

    They are, of types whose equality, order and text agree; others may be anybody's.

    Args:
        row: ``counted``, the records of all groups; by column, the ``nulls`` among them, and the
            records ``uncoded``, which have no code.

    Raises:
        Refusal: If they are not.
    """
    if decoded != row["counted"] or row["uncoded"] != row["nulls"]:
        raise Refusal(
            "22000",
            f'the records of table "{source.schema}"."{source.name}" cannot be counted for certain',
            detail=f"{row['counted']} were counted and {decoded} decoded; by columns, "
            f"{row['nulls']} have NULL and {row['uncoded']} no code.",
            hint="A type of its columns writes or compares one value in different ways at "
            "different times. Publish from a table that holds texts of such columns.",
        )


def check_names(source: Relation, column: Column) -> None:
    """Refuse names of people, if one is written in several ways or stands for several.

    All of them are looked at, whatever is published: names of one release are compared with those
    of others.

    Raises:
        InvalidData: If there are such.
    """
    if column.type_name and written_one_way(column):
        return
    person = f"s.{plpy.quote_ident(column.name)}"
    texts = f'{person}::pg_catalog.text COLLATE "C"'
    found = run(
        f"SELECT array_agg(DISTINCT {texts}) AS texts, count(*) OVER () AS respondents "
        f"FROM {source} AS s GROUP BY {person} "
        f"HAVING count(DISTINCT {texts}) > 1 ORDER BY 1 LIMIT 1"
    )
    for row in found:
        raise InvalidData(
            f'column "{column.name}" of table {source} writes respondents in several ways',
            detail=f"Equal are {some_of(row['texts'])}. That is so of {row['respondents']} "
            "respondents, each of whom would be taken for several.",
            hint="Register a view that writes each in one way, such as trim_scale() or lower() do.",
        )
    (row,) = run(
        f"SELECT (array_agg(t ORDER BY t))[1:{_SHOWN}] AS texts, count(*) AS number FROM ("
        f"SELECT {texts} AS t FROM {source} AS s GROUP BY 1 "
        f"HAVING count(DISTINCT {person}) > 1) AS x"
    )
    if row["number"]:
        raise _read_alike(source, column, row["texts"], row["number"])


def written_one_way(column: Column) -> bool:
    """Whether equal values of a column have one text, for certain."""
    (row,) = run(
        "SELECT (t.typtype = 'e' OR t.oid = ANY ($2::regtype[]) "
        "OR t.typcategory = 'A' AND t.typelem <> 'bpchar'::regtype "
        "AND t.typelem = ANY ($2::regtype[])) AND NOT EXISTS (SELECT FROM pg_collation "
        "WHERE NOT collisdeterministic AND oid = to_regcollation($3)) AS so "
        "FROM pg_type AS t WHERE t.oid = $1",
        ["oid", "text[]", "text"],
        [column.type_oid, list(_PLAIN), column.collation or None],
    )
    return bool(row["so"])
