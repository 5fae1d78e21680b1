"""Files that look like those of the Adult data."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from studies.census import census

__all__ = ["adult_files"]


def adult_files(directory: Path, records: int, most: int | None = None) -> Path:
    """Write files with the columns of the Adult data, and their hierarchies, from a census.

    Args:
        most: Records of one occupation that are kept at most; few make strict ℓ-diversity possible.
    """
    source = census(records, seed=1)
    path = directory / "adult.csv"
    kept: Counter[str] = Counter()
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(source.columns)
        for row in source.rows():
            kept[row[-1]] += 1
            if most is None or kept[row[-1]] <= most:
                writer.writerow(row)
    for attribute, hierarchy in source.hierarchies.items():
        with (directory / f"hierarchy_{attribute}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(f"level_{level}" for level in range(len(hierarchy[0])))
            writer.writerows(hierarchy)
    return path
