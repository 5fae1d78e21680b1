"""The cells of a source, counted here rather than by a server; with the scales of one."""

from __future__ import annotations

import numpy as np

from bkpriv_client.source import Column, Source
from bkpriv_core.frame import code_frame
from bkpriv_core.table.groups import AnyArray, IntArray
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
    named = (*source.quasi_identifiers, source.sensitive)
    stated = {**source.intervals, **source.hierarchies}
    return code_frame(
        {name: _values(source.columns[name]) for name in named},
        source.quasi_identifiers,
        source.sensitive,
        hierarchies={name: each for name, each in stated.items() if name in named},
    )


def _values(column: Column) -> AnyArray:
    """Values of a column, whose numbers a file has as texts."""
    types = {"text": np.str_, "integer": np.int64}
    return np.array(column.values, dtype=types.get(column.type, np.float64))
