"""Larger tables to measure methods on, drawn at random and tuned to none of them."""

from __future__ import annotations

import numpy as np

from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.table import Table

__all__ = ["hierarchical_table", "numeric_table"]

_ILLS = 10


def numeric_table(records: int, seed: int, *, nulls: float = 0.0) -> Table:
    """Draw numeric quasi-identifiers, of a few values to one for each record, that correlate.

    Args:
        nulls: Share of NULL in two of the quasi-identifiers.
    """
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(records, 3))
    columns = [
        np.round(latent[:, 0], 2),
        np.round(latent[:, 1] + latent[:, 0] / 2, 2),
        np.round(np.exp(rng.normal(3.0, 0.5, records)).clip(1, 52)),
        np.round(np.exp(latent[:, 2] + 7)),
        np.round(np.exp(latent[:, 2] + 5 + rng.normal(0, 0.2, records))),
        np.round(np.exp(latent[:, 2] * 0.9 + 6 + rng.normal(0, 0.3, records))),
        np.round(np.exp(rng.normal(1.2, 0.5, records)), 4),
        rng.poisson(np.exp(1 + latent[:, 1] / 2)).astype(np.float64),
    ]
    for axis in (2, 6):
        columns[axis][rng.random(records) < nulls] = np.nan
    domains, codes = zip(
        *(_numeric(f"q{axis}", column) for axis, column in enumerate(columns)), strict=True
    )
    severity = latent[:, 0] + latent[:, 1] / 2 + rng.normal(0, 1.0, records)
    return _table(domains, codes, severity)


def hierarchical_table(records: int, seed: int, *, nulls: float = 0.0) -> Table:
    """Draw categorical quasi-identifiers, most with a hierarchy, some values far rarer than others.

    Args:
        nulls: Share of NULL in two of the quasi-identifiers.
    """
    rng = np.random.default_rng(seed)
    shapes = [(4, 3, 5), (6, 4), (3, 7), (5,), (2,), (3, 3, 3)]
    codes, domains = [], []
    severity = rng.normal(0, 1.0, records)
    for axis, shape in enumerate(shapes):
        size = int(np.prod(shape))
        shares = rng.permutation(1.0 / np.arange(1, size + 1))
        column = rng.choice(size, records, p=shares / shares.sum())
        branch = column // (size // shape[0])
        severity += rng.normal(0, 0.5, shape[0])[branch]
        labels: list[str | None] = [f"{axis}v{leaf:03}" for leaf in range(size)]
        if axis in (1, 3) and nulls:
            column[rng.random(records) < nulls] = size
            labels.append(None)
        kept, column = np.unique(column, return_inverse=True)
        domains.append(
            Domain(
                f"q{axis}",
                tuple(labels[value] for value in kept.tolist()),
                hierarchy=_tree(f"q{axis}", labels[:size], shape) if len(shape) > 1 else None,
            )
        )
        codes.append(column)
    return _table(tuple(domains), tuple(codes), severity)


def _numeric(name: str, column: FloatArray) -> tuple[Domain, IntArray]:
    values, codes = np.unique(column, return_inverse=True)
    labels = tuple(None if np.isnan(value) else f"{value:g}" for value in values.tolist())
    return Domain(name, labels, positions=values), codes


def _tree(name: str, labels: list[str | None], shape: tuple[int, ...]) -> Hierarchy:
    """Hierarchy of leaves in their order, with so many children of a node, from the root down."""
    rows = []
    for leaf, label in enumerate(labels):
        path, below = [label], 1
        for level, children in enumerate(reversed(shape)):
            below *= children
            last = level == len(shape) - 1
            path.append("*" if last else f"{name}n{level}.{leaf // below}")
        rows.append(path)
    return Hierarchy.from_rows(name, rows)


def _table(domains: tuple[Domain, ...], codes: tuple[IntArray, ...], severity: FloatArray) -> Table:
    """A table whose sensitive value is a class of severity, the classes of unequal size."""
    bounds = np.quantile(
        severity, np.cumsum(np.arange(1, _ILLS) ** 0.7) / sum(np.arange(1, _ILLS + 1) ** 0.7)
    )
    ill = np.searchsorted(bounds, severity)
    labels: list[str | None] = [f"s{value}" for value in range(_ILLS)]
    sensitive = Domain("s", tuple(labels), hierarchy=_tree("s", labels, (5, 2)))
    rows = np.column_stack((*codes, ill)).astype(np.int64)
    return Table.from_rows(domains, sensitive, rows, np.ones(len(rows), dtype=np.int64))[0]
