"""A study in the documents: its page and the data beside it."""

from __future__ import annotations

import csv
import re

from matplotlib.image import imread

from tests.docs.documents import ROOT

__all__ = ["Page", "Rows", "figures"]

Rows = list[dict[str, str]]


def figures(of: Rows, column: str) -> list[float]:
    """Column as numbers."""
    return [float(row[column]) for row in of]


class Page:
    """The page of a study.

    Args:
        folder: Folder of ``docs``.
    """

    def __init__(self, name: str, folder: str = "papers") -> None:
        self.name = name
        self.data = ROOT / "docs" / folder / name
        self.text = self.data.with_suffix(".md").read_text()

    def rows(self, name: str, **settings: str) -> Rows:
        """Rows of a figure's data that have some settings."""
        with (self.data / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            found = list(csv.DictReader(stream))
        return [row for row in found if all(row[key] == settings[key] for key in settings)]

    def tabulated(self, heading: str) -> Rows:
        """Rows of the first table of a section."""
        section = re.split(rf"^##+ {re.escape(heading)}$", self.text, flags=re.MULTILINE)[1]
        lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
        assert lines is not None
        names, _, *body = (
            [field.strip() for field in line.strip("|").split("|")]
            for line in lines[0].splitlines()
        )
        return [dict(zip(names, fields, strict=True)) for fields in body]

    def shows(self, figure: str) -> bool:
        """Whether it shows the picture of a figure and links to its data."""
        links = (f"]({self.name}/{figure}.{kind})" in self.text for kind in ("png", "csv"))
        return all(links) and imread(self.data / f"{figure}.png").size > 0

    def assert_table(
        self, heading: str, data: Rows, down: str, across: str, value: str, form: str
    ) -> None:
        """Assert that the first table of a section shows data, formatted."""
        shown = self.tabulated(heading)
        first = next(iter(shown[0]))
        found = {row[first]: row for row in shown}
        assert set(found) == {row[down] for row in data}
        for row in data:
            assert found[row[down]][row[across]] == format(float(row[value]), form), row
