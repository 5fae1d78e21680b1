"""Snapshots: the frozen table of a release, written set-wise and in random order.

Each record of a group is published as the group's box, one range or label per quasi-identifier, and
a sensitive value of the group. The table is written from the groups' boxes and histograms; neither
the source nor the order of its records plays a part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plpy

from bkpriv_core.domain import Domain, Table
from bkpriv_core.groups import Groups, IntArray
from bkpriv_core.options import Options
from bkpriv_pl.boundary import run
from bkpriv_pl.counts import Column, column_types
from bkpriv_pl.dataset import Dataset
from bkpriv_pl.history import array_literal

__all__ = ["write_snapshot"]

_RANGES = {
    "int2": ("int4range", "int4"),
    "int4": ("int4range", "int4"),
    "int8": ("int8range", "int8"),
    "numeric": ("numrange", "numeric"),
    "float4": ("numrange", "numeric"),
    "float8": ("numrange", "numeric"),
    "date": ("daterange", "date"),
    "timestamp": ("tsrange", "timestamp"),
    "timestamptz": ("tstzrange", "timestamptz"),
}
"""Range type of each numeric type, and the type of its bounds."""

_WIDER = {"int4range": ("int8range", "int8"), "int8range": ("numrange", "numeric")}
"""Where the domain holds the largest integer, whose inclusive range has no upper bound."""

_LARGEST = {"int4range": "2147483647", "int8range": "9223372036854775807"}


@dataclass(frozen=True)
class _Attribute:
    """How one quasi-identifier is written.

    Parameters
    ----------
    name : str
        Its name.
    type : str
        SQL type of the published column.
    expression : str
        SQL for the published value over the texts ``low`` and ``high``, which it formats.
    low, high : list of str or None
        For each group, the bounds, or the label and nothing.
    """

    name: str
    type: str
    expression: str
    low: list[str | None]
    high: list[str | None]


def write_snapshot(
    release: int, table: Table, dataset: Dataset, groups: Groups, options: Options
) -> tuple[tuple[str, str], ...]:
    """Write and seal the table of a release.

    Returns
    -------
    tuple of (str, str)
        Names and types of its columns.
    """
    columns = column_types(dataset.source_schema, dataset.source_name)
    low, high = table.boxes(groups)
    attributes = [
        _attribute(domain, columns[domain.name], low[:, axis], high[:, axis])
        for axis, domain in enumerate(table.quasi_identifiers)
    ]
    sensitive_type = columns[table.sensitive.name].published_as
    written = (
        *((item.name, item.type) for item in attributes),
        (dataset.sensitive, sensitive_type),
    )
    run(
        "SELECT bkpriv._create_release_table($1, $2, $3::text[]::regtype[])",
        ["bigint", "text[]", "text[]"],
        [release, [name for name, _ in written], [_type for _, _type in written]],
    )
    _fill(release, table, groups, attributes, sensitive_type, options.seed)
    run("SELECT bkpriv._seal_release_table($1)", ["bigint"], [release])
    return tuple(written)


def _attribute(domain: Domain, column: Column, low: IntArray, high: IntArray) -> _Attribute:
    """Bounds or labels of the groups in one quasi-identifier."""
    if not domain.numeric:
        labels = domain.generalize(low, high)
        return _Attribute(domain.name, "text", "{low}", labels, [None] * len(labels))
    name, bound = _RANGES[column.type_name]
    values = [label for label in domain.labels if label is not None]
    while values and values[-1] == _LARGEST.get(name):
        name, bound = _WIDER[name]
    # NULL is the last value: a group of NULLs alone has neither bound, one that mixes NULL with
    # numbers has no upper bound and may hold anything.
    expression = (
        f"CASE WHEN {{low}} IS NULL THEN NULL WHEN {{high}} IS NULL THEN {name}(NULL, NULL) "
        f"ELSE {name}({{low}}::{bound}, {{high}}::{bound}, '[]') END"
    )
    return _Attribute(
        domain.name,
        name,
        expression,
        [domain.labels[code] for code in low],
        [domain.labels[code] for code in high],
    )


def _fill(
    release: int,
    table: Table,
    groups: Groups,
    attributes: list[_Attribute],
    sensitive_type: str,
    seed: int | None,
) -> None:
    """Insert the records of all groups, in random order."""
    histograms = table.histograms(groups)
    group, value = np.nonzero(histograms)
    name = run("SELECT bkpriv._release_table($1) AS name", ["bigint"], [release])[0]["name"]
    shown, bounds, arguments = [], [], []
    for place, item in enumerate(attributes):
        shown.append(item.expression.format(low=f"b.low{place}", high=f"b.high{place}"))
        bounds += [f"low{place}", f"high{place}"]
        arguments += [item.low, item.high]
    slots = [f"${place}" for place in range(1, len(arguments) + 1)]
    after = len(arguments)
    order = "gen_random_uuid()"
    if seed is not None:
        order = f"md5(concat_ws(' ', {int(seed)}, e.group_place, e.value_place, i))"
    run(
        f"INSERT INTO bkpriv_release.{plpy.quote_ident(name)} "
        f"SELECT {', '.join(shown)}, v.label::{sensitive_type} "
        f"FROM unnest({', '.join(slots)}) WITH ORDINALITY AS b({', '.join(bounds)}, place) "
        f"JOIN unnest(${after + 1}::int[], ${after + 2}::int[], ${after + 3}::int[]) "
        f"AS e(group_place, value_place, records) ON e.group_place = b.place - 1 "
        f"JOIN unnest(${after + 4}) WITH ORDINALITY AS v(label, place) "
        f"ON e.value_place = v.place - 1 "
        f"CROSS JOIN LATERAL generate_series(1, e.records) AS i ORDER BY {order}",
        [*["text[]"] * after, "text", "text", "text", "text[]"],
        [
            *arguments,
            array_literal(group),
            array_literal(value),
            array_literal(histograms[group, value]),
            list(table.sensitive.labels),
        ],
    )
