"""Files that a study writes: data and pictures of figures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from matplotlib.image import imread

__all__ = ["approx", "assert_drawn", "read_rows"]


def approx(figure: float) -> Any:
    """Figure as it comes out of a file of six significant digits."""
    return pytest.approx(figure, rel=1e-5, abs=1e-9)


def read_rows(path: Path, **settings: str) -> list[dict[str, str]]:
    """Rows of a figure's data that have some settings."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [row for row in rows if all(row[key] == settings[key] for key in settings)]


def assert_drawn(path: Path) -> None:
    """Assert that a picture is large enough and not blank."""
    picture = imread(path)
    height, width, _ = picture.shape
    assert height > 300, path.name
    assert width > 600, path.name
    drawn = (picture[:, :, :3] < 0.95).any(axis=2)
    assert 0.01 < drawn.mean() < 0.9, path.name
    colours = {tuple(colour) for colour in picture[:, :, :3].reshape(-1, 3)[::7]}
    assert len(colours) > 20, path.name
