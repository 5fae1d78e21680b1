"""Draw the pictures of the documents' studies anew, from the data that lie beside them.

Rules: for when how figures are drawn has changed, and not what was measured: nothing is measured.

Usage: ``redraw.py [FIGURE...]``, with names of figures; without any, all.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from studies.again.command import STUDY as AGAIN
from studies.amiri2016.command import STUDY as AMIRI
from studies.attacks.command import STUDY as ATTACKS
from studies.compare.command import STUDY as COMPARE
from studies.figure import Figure, Row, Value
from studies.guo2011.command import STUDY as GUO
from studies.li2009.command import STUDY as LI
from studies.martin2007.command import STUDY as MARTIN
from studies.procedure import Study
from studies.riboni2012.command import STUDY as RIBONI

__all__ = ["DOCUMENTS", "STUDIES", "draw", "read"]

DOCUMENTS = Path(__file__).resolve().parent.parent / "docs"

STUDIES: dict[str, Study[Any, Any]] = {
    "explanation/comparison": COMPARE,
    "papers/again": AGAIN,
    "papers/amiri2016": AMIRI,
    "papers/attacks": ATTACKS,
    "papers/guo2011": GUO,
    "papers/li2009": LI,
    "papers/martin2007": MARTIN,
    "papers/riboni2012": RIBONI,
}
"""Studies by the directory of their data."""


def read(field: str) -> Value:
    """Read a field as what it was written from."""
    for kind in (int, float):
        try:
            return kind(field)
        except ValueError:
            continue
    return field or None


def draw(figure: Figure[Any, Any], directory: Path, target: Path) -> None:
    """Draw a figure into a file, from its data in a directory."""
    with (directory / f"{figure.name}.csv").open(encoding="utf-8", newline="") as stream:
        rows: list[Row] = [
            {key: read(field) for key, field in row.items()} for row in csv.DictReader(stream)
        ]
    figure.picture.save(target, figure.title, rows)


def main(names: list[str]) -> int:
    """Run the command."""
    for place, study in STUDIES.items():
        for figure in study.figures:
            if not names or figure.name in names:
                draw(figure, DOCUMENTS / place, DOCUMENTS / place / f"{figure.name}.png")
                print(f"{place}/{figure.name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
