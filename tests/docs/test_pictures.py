"""Pictures in the documents: lines are named, what varies has its spread, categories are points."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from matplotlib.image import imread

from scripts.redraw import DOCUMENTS, STUDIES, draw, read
from studies.figure import Figure, Lines
from tests.docs.study import Page

_SPREADS = {"deviation", "standard_error", "lower_quartile", "upper_quartile"}
"""Columns of how far a figure varies."""

FIGURES = [(directory, figure) for directory, study in STUDIES.items() for figure in study.figures]


@pytest.mark.parametrize(
    ("directory", "figure"), FIGURES, ids=[f"{where}/{figure.name}" for where, figure in FIGURES]
)
def test_what_is_drawn_can_be_told(directory: str, figure: Figure[Any, Any]) -> None:
    folder, _, study = directory.rpartition("/")
    assert Page(study, folder).shows(figure.name)
    picture = figure.picture
    if not isinstance(picture, Lines):
        return
    with (DOCUMENTS / directory / f"{figure.name}.csv").open(encoding="utf-8") as stream:
        rows = [{key: read(field) for key, field in row.items()} for row in csv.DictReader(stream)]
    assert picture.x_label
    assert picture.y_label or picture.panel, "the panels' headings say what is drawn"
    assert picture.bound is None or picture.bound_label
    if any(isinstance(row[picture.x], str) for row in rows):
        assert not picture.joined
    drawn = {picture.spread} if isinstance(picture.spread, str) else set(picture.spread)
    assert _SPREADS & set(rows[0]) == drawn - {""}


@pytest.mark.parametrize(
    ("study", "name"),
    [
        ("li2009", "figure_2"),
        ("li2009", "figure_3b"),
        ("li2009", "figure_5a"),
        ("guo2011", "table_4"),
    ],
)
def test_a_picture_is_that_of_its_data(study: str, name: str, tmp_path: Path) -> None:
    (figure,) = (figure for figure in STUDIES[f"papers/{study}"].figures if figure.name == name)
    directory = DOCUMENTS / "papers" / study
    draw(figure, directory, tmp_path / "drawn.png")
    drawn, shown = imread(tmp_path / "drawn.png"), imread(directory / f"{name}.png")
    assert drawn.shape == shown.shape
    assert (drawn == shown).mean() > 0.99
