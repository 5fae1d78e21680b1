"""Quantiles: how the values of a column of a source are distributed, and how many people they are.

Values leave SQL as texts, as many as `bkpriv_core.table.quantile` cuts by. Floats are taken to be
the shortest decimals that are read back as them, as elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.bins import FLOATS
from bkpriv_core.table.quantile import LEAST_PEOPLE, POINTS, Kind, check_parts, cut_quantiles
from bkpriv_core.table.rule import Quantiles
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.source import Relation

__all__ = ["find_quantiles"]

_SHOWN = 8
"""Limit of the intervals that a message lists."""


def find_quantiles(
    source: Relation, column: Column, respondent: str | None, parts: object
) -> Quantiles:
    """Cut a numeric column into intervals of about as many records each, and say how.

    Parameters
    ----------
    respondent : str, optional
        Column that says whose a record is, so that people are counted, and not records.
    parts : object
        Numbers of intervals, level by level.

    Raises
    ------
    InvalidParameter
        If they do not refine each other, or there would be few people in an interval.
    InvalidData
        If nearly all records have one value.
    """
    asked = check_parts(column.name, parts)
    kind: Kind = "numbers" if column.is_number else "times"
    (row,) = run(
        f"WITH counted AS (SELECT v, count(*) AS n FROM (SELECT {_value(column)} AS v "
        f"FROM {source} AS s) AS x WHERE {_finite(column)} GROUP BY v), "
        "ranked AS (SELECT v, (sum(n) OVER (ORDER BY v))::int8 - n AS below, "
        "(sum(n) OVER ())::int8 AS records FROM counted), "
        "neighboured AS (SELECT *, lag(below) OVER (ORDER BY v) AS before FROM ranked) "
        f"SELECT coalesce(array_agg({_text(column)} ORDER BY v), '{{}}') AS values, "
        "coalesce(array_agg(below ORDER BY v), '{}') AS below, "
        "coalesce(max(records), 0) AS records "
        "FROM neighboured WHERE before IS NULL "
        f"OR below * {POINTS} / records > before * {POINTS} / records"
    )
    bounds = cut_quantiles(
        column.name, kind, row["values"], row["below"], row["records"], parts=asked
    )
    rule = Quantiles(kind, asked, bounds)
    people = _people(source, column, respondent, bounds[0])
    _refuse_few(column.name, rule, people)
    _tell(column.name, rule, min(people))
    return rule


def _type(column: Column) -> str:
    """Name of the type of the values of a column, as they are binned."""
    return "numeric" if column.is_number and column.bin is not None else column.type_name


def _value(column: Column) -> str:
    """SQL of the values of a column, as they are binned, of a type that is built in."""
    return f"({column.expression('s')})::pg_catalog.{_type(column)}"


def _text(column: Column) -> str:
    """SQL of the text of a value v, without zeros at the end of a number."""
    if not column.is_number:
        return "v::pg_catalog.text"
    shortest = "v::pg_catalog.text" if _type(column) in FLOATS else "v"
    return f"trim_scale({shortest}::pg_catalog.numeric)::pg_catalog.text"


def _finite(column: Column) -> str:
    """SQL of whether v is a finite value."""
    if not column.is_number:
        return "isfinite(v)"
    if column.whole and column.bin is None:
        return "v IS NOT NULL"
    return f"v <> ALL ('{{NaN,Infinity,-Infinity}}'::pg_catalog.{_type(column)}[])"


def _people(
    source: Relation, column: Column, respondent: str | None, bounds: Sequence[str]
) -> list[int]:
    """Count the people of each interval; those of several count in each."""
    exact = column.whole and column.bin is None
    number = "v <> 'NaN'" if column.is_number and not exact else "v IS NOT NULL"
    whose = "NULL" if respondent is None else f"s.{plpy.quote_ident(respondent)}::text"
    people = "count(*)" if respondent is None else "count(DISTINCT whose)"
    rows = run(
        f"SELECT width_bucket(v, $1::pg_catalog.{_type(column)}[]) AS place, {people} AS people "
        f"FROM (SELECT {_value(column)} AS v, {whose} AS whose FROM {source} AS s) AS x "
        f"WHERE {number} GROUP BY place",
        ["text[]"],
        [list(bounds)],
    )
    counted = {row["place"]: row["people"] for row in rows}
    return [counted.get(place, 0) for place in range(len(bounds) + 1)]


def _refuse_few(attribute: str, rule: Quantiles, people: Sequence[int]) -> None:
    """Refuse intervals of few people."""
    few = [
        f"{label} ({number})"
        for label, number in zip(rule.labels, people, strict=True)
        if number < LEAST_PEOPLE
    ]
    if few:
        more = f" and {len(few) - _SHOWN} more" if len(few) > _SHOWN else ""
        raise InvalidParameter(
            f'intervals of attribute "{attribute}" would hold few people',
            detail=f"Interval (people): {', '.join(few[:_SHOWN])}{more}; at least {LEAST_PEOPLE} "
            "are to be in each, for its bounds tell readers of their values.",
            hint="Give fewer parts, or intervals that do not depend on the data: "
            "bkpriv.set_interval_hierarchy.",
        )


def _tell(attribute: str, rule: Quantiles, fewest: int) -> None:
    """Say which intervals there are."""
    listed = "; ".join(
        ", ".join(level[:_SHOWN]) + (f" and {len(level) - _SHOWN} more" * (len(level) > _SHOWN))
        for level in rule.bounds
    )
    fewer = len(rule.bounds) < len(rule.parts) or len(rule.bounds[0]) + 1 < rule.parts[0]
    telling.notice(
        f'attribute "{attribute}" is cut into {len(rule.bounds[0]) + 1} intervals',
        detail=f"Bounds, level by level: {listed}. The fewest people of one are {fewest}."
        + (" There are fewer than were asked for, since values recur." if fewer else ""),
        hint="Bounds stay as they are until the hierarchy is set again. They tell readers how "
        "values are distributed, as quantiles do.",
    )
