"""Estimates of a generalized release, as SQL.

The condition becomes an expression for the probability that a row meets it, which the statement
adds up over the rows of the view.

Sets of attributes to group by are counted one by one, for the values of a range that occur need not
add up to the range. Rows that look alike are joined with their values together.

Where ranges of thousands of values are grouped by, a row is not joined with each of them. Along one
such attribute the estimate changes only where a range begins or ends: the statement adds up these
changes from place to place, and counts the ranges that are open, so that rounding leaves no
estimate where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes, combinations_met, criteria_by_attribute
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.predicate import Codes, Criterion, Predicate
from bkpriv_core.release.generalized.extent import Boxes, Labels, Ranges
from bkpriv_core.release.generalized.keys import StretchKey, generalized_key
from bkpriv_core.release.generalized.sides import LabelSide, RangeSide, SensitiveSide
from bkpriv_core.release.rewriting.condition import weight
from bkpriv_core.release.rewriting.fragment import (
    EMPTY_KEY,
    ZERO,
    ShownColumn,
    check_length,
    product,
    with_values,
)
from bkpriv_core.release.rewriting.side import Key, Side, exact_key

__all__ = ["rewrite_generalized"]


def rewrite_generalized(
    boxes: Boxes,
    query: Query,
    view: str,
    columns: Sequence[ShownColumn],
    progress: Progress = SILENT,
) -> str:
    """Write the estimate of a generalized release as SQL.

    Args:
        boxes: The groups; domains of the sensitive columns are the last.

    Raises:
        TooLarge: If the condition tells too many values apart, or the statement is too long.
    """
    criteria = criteria_by_attribute(query.predicate)
    sides = {
        attribute: _side(
            boxes, attribute, criteria[attribute], columns[attribute], progress=progress
        )
        for attribute in sorted(criteria)
    }
    keys = {
        key: _key(
            boxes,
            query.predicate,
            key,
            criteria.get(key, []),
            sides=sides,
            column=columns[key],
            progress=progress,
        )
        for key in query.grouped
    }

    @cache
    def probability(grouped: frozenset[int]) -> str:
        """Probability of the condition, some of whose attributes are grouped by."""
        involved = [keys[key] if key in grouped else sides[key] for key in sides]
        met = combinations_met(query.predicate, [side.classes for side in involved], progress)
        return weight(met, involved, progress)

    keyed = query.grouping_sets != ((),)
    counts: list[str] = []
    length = 0
    for some in query.grouping_sets:
        progress.poll()
        others = [side for attribute, side in sides.items() if attribute not in some]
        share = probability(frozenset(some).intersection(sides))
        used = [columns[key].name for key in {*some, *sides}]
        counts.append(
            _count(share, [keys[key] for key in some], others, view, used=used, keyed=keyed)
        )
        length += len(counts[-1])
        check_length(length)
    tables = [table for key in keys.values() for table in key.tables]
    statement = with_values(tables) + "\nUNION ALL\n".join(counts)
    check_length(len(statement))
    return statement


def _side(
    boxes: Boxes,
    attribute: int,
    criteria: list[Criterion],
    column: ShownColumn,
    progress: Progress,
) -> Side:
    """An attribute of the condition."""
    if attribute >= len(boxes.extents):
        return SensitiveSide(
            attribute, criteria, boxes.domains[attribute], column, progress=progress
        )
    extents = boxes.extents[attribute]
    if isinstance(extents, Labels):
        return LabelSide(attribute, criteria, extents, column, progress=progress)
    assert isinstance(extents, Ranges)
    return RangeSide(attribute, criteria, extents, column, progress=progress)


def _key(
    boxes: Boxes,
    predicate: Predicate,
    attribute: int,
    criteria: list[Criterion],
    sides: Mapping[int, Side],
    column: ShownColumn,
    progress: Progress,
) -> Key:
    """An attribute that is grouped by, with the values for which the condition may be true."""
    domain = boxes.domains[attribute]
    classes = Classes.of(attribute, criteria, Codes.of(domain), progress)
    others = [side.classes for other, side in sides.items() if other != attribute]
    met = combinations_met(predicate, [classes, *others], progress).reshape(classes.size, -1)
    possible = np.asarray(met.any(axis=1))[classes.members]
    if attribute >= len(boxes.extents):
        return exact_key(classes, domain, column, possible)
    return generalized_key(classes, boxes.extents[attribute], column, possible)


def _count(
    probability: str,
    keys: Sequence[Key],
    others: Sequence[Side],
    view: str,
    used: Sequence[str],
    keyed: bool,
) -> str:
    """The SELECT for one grouping set, with a column for its keys or without.

    Args:
        probability: Probability, as SQL, that a row, joined with values of the keys, meets the
            condition.
        keys, others: Attributes to group by, and further attributes of the condition.
        used: Columns of the view that the statement takes.
    """
    share = product([*(key.weight for key in keys), probability])
    joined = "".join(side.joined for side in (*keys, *others))
    if not keys:
        shown_key = f"{EMPTY_KEY} AS key, " if keyed else ""
        return (
            f"SELECT {shown_key}coalesce(pg_catalog.sum({share}), 0)::float8 AS estimate\n"
            f"FROM {view} AS r{joined}"
        )
    if not all(key.values for key in keys):
        return f"SELECT {EMPTY_KEY} AS key, {ZERO} AS estimate WHERE false"
    records = "records"
    while f"r.{records}" in used:
        records += "_"
    alike = ", ".join(used)
    source = (
        f"FROM (SELECT {alike}, pg_catalog.count(*)::float8 AS {records} FROM {view} AS r "
        f"GROUP BY {alike}) AS r{joined}"
    )
    share = product([f"r.{records}", share])
    stretches = [key for key in keys if isinstance(key, StretchKey)]
    if stretches:
        return _along(max(stretches, key=lambda key: key.values), keys, share, source)
    values = [key.key for key in keys]
    return (
        "SELECT key, estimate FROM (\n"
        f"SELECT {' || '.join(values)} AS key, pg_catalog.sum({share})::float8 AS estimate\n"
        f"{source}\nGROUP BY {', '.join(values)}\n) AS counted WHERE estimate > {ZERO}"
    )


def _along(line: StretchKey, keys: Sequence[Key], share: str, source: str) -> str:
    """The SELECT for keys of which one is summed up from place to place."""
    fixed_keys, parts, tables, places = [], [], [], ""
    masses = [key.mass for key in keys if isinstance(key, StretchKey)]
    for key in keys:
        name = f"key_{key.classes.attribute}"
        if isinstance(key, StretchKey):
            parts.append(key.key)
            tables.append(f"\nJOIN value_{key.classes.attribute} USING ({key.place})")
            if key is not line:
                fixed_keys.append((key.place, key.place))
                series = f"pg_catalog.generate_series({key.first}, {key.last})"
                places += f"\nCROSS JOIN LATERAL {series} AS {key.place}"
        else:
            parts.append(name)
            fixed_keys.append((key.key, name))
    fixed = "".join(f"{name}, " for _, name in fixed_keys)
    spread = "".join(f"{value} AS {name}, " for value, name in fixed_keys)
    apart = f"PARTITION BY {fixed[:-2]} " if fixed else ""
    return (
        f"SELECT {' || '.join(parts)} AS key, {product(['estimate', *masses])} AS estimate FROM (\n"
        f"SELECT {fixed}{line.place}, estimate FROM (\n"
        f"SELECT {fixed}at, pg_catalog.lead(at) OVER along AS until, "
        "pg_catalog.sum(change) OVER along AS estimate, pg_catalog.sum(opened) OVER along AS open\n"
        f"FROM (SELECT {fixed}at, pg_catalog.sum(share * sign::float8) AS change, "
        "pg_catalog.sum(sign) AS opened\n"
        f"FROM (SELECT {spread}{line.first}, {line.last}, ({share})::float8 AS share\n"
        f"{source}{places}) AS spread\n"
        "CROSS JOIN LATERAL (VALUES (first, 1), (last + 1, -1)) AS ends (at, sign)\n"
        f"WHERE share > {ZERO} GROUP BY {fixed}at) AS changes\n"
        f"WINDOW along AS ({apart}ORDER BY at)) AS pieces\n"
        f"CROSS JOIN LATERAL pg_catalog.generate_series(at, until - 1) AS {line.place}\n"
        f"WHERE open OPERATOR(pg_catalog.>) 0) AS counted{''.join(tables)}"
    )
