"""The cells of a source, counted here rather than by a server; with the scales of one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from bkpriv_client.source import Source
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.scale import scaled
from bkpriv_core.table.table import Table

__all__ = ["code_cells", "count_cells"]


def count_cells(source: Source) -> Table:
    """Count the records of each cell; columns are integers, numbers or text, without NULL."""
    table, _, _ = code_cells(source)
    return table


def code_cells(source: Source) -> tuple[Table, IntArray, IntArray]:
    """Count the records of each cell, and tell which cell and sensitive value each record has.

    Returns:
        cells, values: Shape (n,).
    """
    domains = []
    codes = []
    for name in (*source.quasi_identifiers, source.sensitive):
        column = source.columns[name]
        numeric = column.type != "text"
        values = np.array(column.values, dtype=np.float64 if numeric else np.str_)
        occurring, coded = np.unique(values, return_inverse=True)
        paths = source.hierarchies.get(name)
        widths = source.intervals.get(name)
        domain = Domain(
            name,
            tuple(f"{value:g}" if numeric else str(value) for value in occurring),
            positions=occurring if numeric else None,
            hierarchy=Hierarchy.from_rows(name, paths) if paths else None,
            intervals=_intervals(name, widths) if widths else None,
            step=1.0 if column.type == "integer" else None,
        )
        codes.append(coded.ravel())
        domains.append(scaled(domain, np.bincount(codes[-1]), None))
    *quasi_identifiers, sensitive = domains
    rows = np.column_stack(codes).astype(np.int64)
    ones = np.ones(len(rows), dtype=np.int64)
    table, cells = Table.from_rows(tuple(quasi_identifiers), sensitive, rows, ones)
    return table, cells, rows[:, -1]


def _intervals(name: str, widths: Sequence[float]) -> Intervals:
    """Nested intervals counted from 0."""
    return Intervals.checked(name, [Decimal(str(width)) for width in widths], Decimal(0))
