"""The table of the document, from the figures' data: ``python -m studies.compare.table DIR``."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median

from studies.compare.design import BOUNDS

__all__ = ["read_rows", "tabulated"]

_KEYS = ("table", "records", "bounds", "tool")

_HEADS = (
    "table",
    "bounds",
    "tool",
    "detail lost, %",
    "left out, %",
    "counts err, %",
    "breached",
    "CPU s",
    "MB",
)


def read_rows(directory: Path, name: str) -> list[dict[str, str]]:
    """Rows of a figure's data."""
    with (directory / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def tabulated(detail: Iterable[Mapping[str, str]], cost: Iterable[Mapping[str, str]]) -> list[str]:
    """Lines of the table: medians of samples, with the least and the largest beside them.

    Args:
        detail, cost: Rows of the figures' data.
    """
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in detail:
        found.setdefault(tuple(row[key] for key in _KEYS), []).append(row)
    took: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in cost:
        took.setdefault(tuple(row[key] for key in _KEYS), []).append(row)
    lines = [_line(_HEADS), _line("---" for _ in _HEADS)]
    tables, order = list(dict.fromkeys(key[0] for key in took)), list(BOUNDS)
    for key in sorted(took, key=lambda key: (-tables.index(key[0]), order.index(key[2]))):
        table, records, bounds, tool = key
        rows, tried = found.get(key, []), took[key]
        failed = {row["outcome"] for row in tried} - {"published"}
        lost = ", ".join(sorted(failed)) or _figures(rows, "loss", 100, 1)
        lines.append(
            _line(
                (
                    f"{table}, {int(records):,}",
                    bounds,
                    tool,
                    lost,
                    _figures(rows, "left_out", 100, 1),
                    _figures(rows, "error", 100, 1),
                    _figures(rows, "learner", 1, 0),
                    _figures(tried, "seconds", 1, 2),
                    _figures(tried, "megabytes", 1, 0),
                )
            )
        )
    return lines


def _line(fields: Iterable[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _figures(rows: Iterable[Mapping[str, str]], name: str, scale: float, digits: int) -> str:
    """Median, and the range of several; nothing where there is no figure."""
    figures = sorted(float(row[name]) * scale for row in rows if row[name])
    if not figures:
        return ""
    low, middle, high = (
        f"{figure:,.{digits}f}" for figure in (figures[0], median(figures), figures[-1])
    )
    return middle if low == high else f"{middle} ({low}–{high})"


if __name__ == "__main__":
    where = Path(sys.argv[1])
    print("\n".join(tabulated(read_rows(where, "detail"), read_rows(where, "cost"))))
