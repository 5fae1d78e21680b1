"""Components: which groups can exchange people, for a reader who does not know who is in which.

Such a reader sees the rows of a generalized release and knows everybody's quasi-identifiers. Rows
with equal boxes are one group to this reader, and people who are suppressed are one more, which
everybody fits. An *assignment* puts everybody into a group whose box they fit, and fills every
group to its size. The people are in their own groups in one of the assignments; any other differs
from it by cycles, along which each person takes the place of the next. So draw an arrow from a
group to another where somebody of the first fits the box of the second: somebody can be in another
group in some assignment where that arrow lies on a cycle, that is, where both groups are in one
strongly connected component. Groups that are a component by themselves have the same people in all
assignments.

That is exact for a reader to whom a box is what it says: an extent that its people lie in. One who
reasons that boxes are tight around their people, or whose prior rules values out, excludes some
assignments; for them components are an upper bound of who may be exchanged.

Who fits which box is asked for a block of cells that are near one another at a time, and of those
boxes only that reach there; see `bkpriv_core.release.generalized.blocks`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.blocks import blocks, narrowed
from bkpriv_core.release.generalized.extent import Boxes
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import SUPPRESSED, BoolArray, IntArray

__all__ = ["Components", "find_components"]

_TRIED = 100_000_000_000
"""Largest number of comparisons of a cell with a box: so many take minutes."""

_FITS = 20_000_000
"""Largest number of boxes that all cells fit together; so many take half a gigabyte."""

_ROWS = 64
"""Cells at a time: few enough that neighbours fit the same boxes."""


@dataclass(frozen=True, eq=False)
class Components:
    """Groups that can exchange people."""

    release: Release
    """The release with groups of equal boxes joined."""
    of_group: IntArray
    """Shape (g,). Component of each of its groups: a number from 0."""
    suppressed: int
    """Component of those who are suppressed, or `SUPPRESSED` if nobody is."""
    cells: IntArray
    boxes: IntArray
    """Shape (f,). Each cell and each box that its people fit, if that is in their component: cells
    ascend. The place of those who are suppressed is numbered as one group more.
    """

    @cached_property
    def places(self) -> IntArray:
        """Group of each part, or as one group more where it is suppressed, shape (p,)."""
        labels = self.release.labels
        return np.where(labels == SUPPRESSED, len(self.of_group), labels)

    @cached_property
    def of_place(self) -> IntArray:
        """Component of each group, and last of those who are suppressed, shape (g + 1,)."""
        return np.append(self.of_group, self.suppressed)

    @cached_property
    def sizes(self) -> IntArray:
        """Groups of each component, those who are suppressed being one."""
        held = self.of_group if self.suppressed == SUPPRESSED else self.of_place
        return np.bincount(held)

    @property
    def of_part(self) -> IntArray:
        """Component that each part is in, shape (p,)."""
        component: IntArray = self.of_place[self.places]
        return component

    @property
    def concerned(self) -> BoolArray:
        """Whether the group of each part exchanges people with others, shape (p,)."""
        concerned: BoolArray = self.sizes[self.of_part] > 1
        return concerned

    @property
    def movable(self) -> BoolArray:
        """Whether people of each part are in another group in some assignment, shape (p,)."""
        fits = np.bincount(self.cells, minlength=self.release.table.cells)
        movable: BoolArray = fits[self.release.parts.cell] > 1
        return movable


def find_components(release: Release, progress: Progress = SILENT) -> Components:
    """Find the groups of a generalized release that can exchange people.

    Args:
        release: A release in the form `Generalized`.
        progress: Receives the share of the boxes that were tried.

    Raises:
        TooLarge: If there are too many cells and boxes, or too many fit one another.
    """
    form, parts = release.form, release.parts
    if not isinstance(form, Generalized):
        raise TypeError("only generalized releases have boxes")
    joined = replace(release, partition=form.pool(parts, release.groups))
    cells, boxes = _fits(joined, form.shown(joined), progress)
    groups = len(joined.groups)
    labels = joined.labels
    left = bool((parts.weights[labels == SUPPRESSED] > 0).any())
    if left:
        everybody = np.arange(release.table.cells)
        cells = np.concatenate((cells, everybody))
        boxes = np.concatenate((boxes, np.full(len(everybody), groups)))
    of_node = _strongly_connected(
        cells,
        boxes,
        parts.cell,
        np.where(labels == SUPPRESSED, groups, labels),
        release.table.cells,
    )
    of_cell, of_place = np.split(of_node, [release.table.cells])
    # Only those components count that hold a group.
    numbers, of_place = np.unique(of_place[: groups + left], return_inverse=True)
    within = of_cell[cells] == numbers[of_place[boxes]]
    cells, boxes = cells[within], boxes[within]
    order = np.argsort(cells, kind="stable")
    return Components(
        joined,
        of_place[:groups].astype(np.int64),
        int(of_place[groups]) if left else SUPPRESSED,
        cells[order],
        boxes[order],
    )


def _fits(
    release: Release, shown: Boxes, progress: Progress
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of a cell and a group whose box its people fit: cells ascend, and groups of each."""
    table, groups = release.table, len(release.groups)
    points = [(column, column) for column in table.places.T]
    sizes = [domain.size for domain in table.quasi_identifiers]
    owners = [extents.owner for extents in shown.extents]
    sides = [extents.spread().holds for extents in shown.extents]
    cells: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    boxes: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    done = compared = found = 0
    for rows, near in blocks(table.places, points, shown.hulls, sizes, _ROWS):
        progress.report(done / table.cells)
        done += len(rows)
        compared += len(rows) * len(near)
        if compared > _TRIED:
            raise TooLarge(
                f"{table.cells} combinations of quasi-identifiers and {groups} boxes are too many "
                "to be compared",
                detail=f"That takes more than {_TRIED} comparisons, of boxes that are near one "
                "another.",
                hint="Ask about a release with fewer or coarser quasi-identifiers.",
            )
        fitted, held = narrowed(table.codes[rows], near, owners, sides)
        row, box = np.nonzero(held)
        found += len(row)
        if found > _FITS:
            raise TooLarge(
                f"people fit too many of the {groups} boxes for their exchanges to be followed",
                detail=f"The {table.cells} combinations of quasi-identifiers fit more than {_FITS} "
                "boxes together.",
                hint="Ask about a release whose boxes overlap less, as those of mondrian do.",
            )
        cells.append(rows[row])
        boxes.append(fitted[box])
    cell = np.concatenate(cells)
    order = np.argsort(cell, kind="stable")
    return cell[order], np.concatenate(boxes)[order]


def _strongly_connected(
    cells: IntArray, boxes: IntArray, cell: IntArray, place: IntArray, count: int
) -> IntArray:
    """Component of each of `count` cells, and then of each place of people.

    An arrow leads from the place of a part to its cell, and from a cell to each box that it fits:
    so a group reaches those that its members fit by way of their cells.
    """
    from scipy.sparse import csr_matrix  # slow to import, and only wanted here
    from scipy.sparse.csgraph import connected_components

    nodes = count + int(max(place.max(initial=0), boxes.max(initial=0))) + 1
    tails = np.concatenate((cells, count + place))
    heads = np.concatenate((count + boxes, cell))
    arrows = csr_matrix((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(nodes, nodes))
    _, component = connected_components(arrows, directed=True, connection="strong")
    return component.astype(np.int64)
