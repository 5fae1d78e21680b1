"""Least loss: what no k-anonymous release of a table can undercut, whatever method makes it.

A release puts records into groups of at least k, each shown as its box or as something wider. Its
certainty penalty is then at least that of the best such partition, which is NP-hard to find
(Meyerson, Williams 2004). What is computed here is below it, but for rounding, and exact nowhere:
a *lower bound*. A group of 2k records or more may be divided without loss, so groups of k to
2k - 1 suffice.

1. *Alone.* A group that holds records r and s, and k in all, has a penalty of at least the k-th
   smallest, over records u, of that of the box of r, s and u: their *price*. A group that holds r
   has at least the k-th smallest price of r and s, over s: the price of r alone.
2. *Shares.* Let each record have a share such that those of no group sum to more than its records'
   penalty: shares of all records sum to no more than any partition costs. That is the dual of the
   linear relaxation of set partitioning. Prices alone are such shares. They leave room, as who lies
   apart spoils the group of others: shares are raised, one cell after the other, as far as the room
   allows in the tightest group that holds it. Of such a group it is known that its penalty is at
   least the price of the cell and each other member; so for each threshold the members with the
   largest shares among those of no higher price are the tightest.

Rules for tables of any size:

- A cell knows some near ones; no other has a box with it of a penalty below its *reach*. A group
  with others costs at least the reach. No share is raised above it, and cells are raised in the
  order of their reaches: so in a group that a cell does not know whole no share is above the
  group's penalty. It has room, and its other members need not be known.
- Near cells are sought by blocks of near ones; blocks too far to hold any are left out, as their
  hulls tell. Where comparisons would be too many still, as with many cells and attributes, the
  blocks with the smallest hulls know nobody, and their records count nothing. The bound is then
  lower, and still one.
- Cells of k records cost nothing and are only neighbours. Where s records are left out, they are
  those with the largest shares, or prices: the larger sum of the others' counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.generalized.blocks import halved
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import KAnonymity, Requirement
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["gcp_at_least", "group_size", "least_gcp", "prices", "shares"]

_BLOCK = 128
"""Cells of a block."""

_COMPARED = 2_000_000_000
"""Limit of the pairs of cells that are compared, in all."""

_ABREAST = 8
"""Blocks that one is compared with at a time."""

_NEAR = (8, 64, 256)
"""Fewest near cells that a cell knows, how many if k is small, and most."""

_KNOWN = 4_000_000
"""Limit of near cells that are known, in all, unless the fewest are more."""

_THIRDS = (32, 64)
"""Near cells that are taken three at a time: how many if k is small, and most."""

_TRIPLES = 2_000_000
"""Triples whose penalties are computed at a time."""

_RAISED = 200_000
"""Limit of the cells whose shares are raised: those with the largest prices."""


def group_size(release: Release, requirements: Sequence[Requirement]) -> int:
    """The k of a release with published groups: as its policy states, else its smallest group's."""
    stated = [item.k for item in requirements if isinstance(item, KAnonymity)]
    return stated[0] if stated else int(release.sizes.min())


def gcp_at_least(
    releases: Sequence[tuple[Release, Sequence[Requirement]]], progress: Progress = SILENT
) -> list[float | None]:
    """Bound from below what any release loses with the k and of the table of each of some.

    Shares of records are found once for releases of the same table and k; see `least_gcp`.

    Parameters
    ----------
    releases : sequence of tuples of Release and sequence of Requirement
        Releases, each with the requirements that its groups had to meet.
    progress : Progress
        Polled between steps.

    Returns
    -------
    list of float or None
        Lower bound of the GCP of releases that leave out as many records; None where
        quasi-identifiers are not generalized, nothing is published, or counterfeits fill groups.
    """
    found: list[tuple[Table, int, _Least]] = []
    bounds: list[float | None] = []
    for release, requirements in releases:
        if not _is_bounded(release):
            bounds.append(None)
            continue
        # A policy that was relaxed may have left smaller groups than it states.
        k = min(group_size(release, requirements), int(release.sizes.min()))
        alike = (
            least for table, same, least in found if same == k and _alike(table, release.table)
        )
        least = next(alike, None)
        if least is None:
            least = _Least.of(release.table, k, progress)
            found.append((release.table, k, least))
        bounds.append(least.gcp(release.published))
    return bounds


def _is_bounded(release: Release) -> bool:
    generalized = not release.form.exact and release.partition is not None
    return generalized and release.published > 0 and release.parts.counterfeits is None


def _alike(one: Table, other: Table) -> bool:
    """Whether two tables have the same cells, and boxes of these the same penalties."""
    return (
        np.array_equal(one.codes, other.codes)
        and np.array_equal(one.weights, other.weights)
        and all(map(Domain.measures_like, one.quasi_identifiers, other.quasi_identifiers))
    )


def least_gcp(table: Table, k: int, suppressed: int = 0, progress: Progress = SILENT) -> float:
    """Bound the GCP of all releases in groups of at least `k` from below.

    Parameters
    ----------
    k : int
        Smallest size of a group, at most the number of records.
    suppressed : int
        Number of records that a release leaves out, less than all.
    progress : Progress
        Polled between steps.

    Returns
    -------
    float
        Lower bound of the mean penalty of published records, in [0, 1].

    Raises
    ------
    InvalidParameter
        If no release of so few records has a group.
    """
    published = table.records - suppressed
    if published < k:
        raise InvalidParameter(
            f"{published} published records are no group of {k}",
            detail=f"The table has {table.records}.",
            hint=f"Ask for a k of at most {published}.",
        )
    return _Least.of(table, k, progress).gcp(published)


def prices(table: Table, k: int, progress: Progress = SILENT) -> FloatArray:
    """Lower bound of the penalty of every group of `k` that holds a record of a cell, (c,)."""
    near, priced = _known(table, k, progress)
    return _of_all(table, near, priced.alone)


def shares(table: Table, k: int, progress: Progress = SILENT) -> FloatArray:
    """Shares of a record of each cell, (c,), which sum to no more than any partition costs."""
    near, priced = _known(table, k, progress)
    return _of_all(table, near, _raised(table, k, near, priced, progress))


@dataclass(frozen=True, eq=False)
class _Least:
    """Penalties that records have at least, of a table and a k.

    Parameters
    ----------
    spared : int
        Records that cost nothing.
    weights : (r,) int array
        Records of the other cells.
    ways : tuple of (r,) float arrays
        Penalty of a record of each, in several ways, whose sums are bounds each.
    """

    spared: int
    weights: IntArray
    ways: tuple[FloatArray, ...]

    @classmethod
    def of(cls, table: Table, k: int, progress: Progress) -> _Least:
        """Find prices and shares; see the module."""
        near, priced = _known(table, k, progress)
        weights = table.weights[near.cells]
        raised = _raised(table, k, near, priced, progress)
        return cls(table.records - int(weights.sum()), weights, (priced.alone, raised))

    def gcp(self, published: int) -> float:
        """Lower bound of the mean penalty of so many records, those that lose least."""
        least = 0.0
        for each in self.ways:
            order = np.argsort(each, kind="stable")
            weights = self.weights[order]
            before = self.spared + np.cumsum(weights) - weights
            counted = np.clip(published - before, 0, weights)
            least = max(least, float(counted @ each[order]) / published)
        return min(least, 1.0)


@dataclass(frozen=True, eq=False)
class _Near:
    """Near cells of those that have fewer than k records.

    Parameters
    ----------
    cells : (r,) int array
        The cells whose near ones these are.
    known : (r, x) int array
        Cells, nearest first; the first is the cell itself.
    apart : (r, x) float array
        Penalty of the box of both, rising.
    reach : (r,) float array
        Least penalty of the box with any other; infinite if there is none.
    """

    cells: IntArray
    known: IntArray
    apart: FloatArray
    reach: FloatArray


@dataclass(frozen=True, eq=False)
class _Priced:
    """Lower bounds of penalties of groups: that hold a cell, (r,), and a near one, (r, x)."""

    alone: FloatArray
    joint: FloatArray


def _known(table: Table, k: int, progress: Progress) -> tuple[_Near, _Priced]:
    boxes = _Boxes(table)
    near = _find_near(table, k, boxes, progress)
    return near, _priced(table, k, near, boxes, progress)


def _of_all(table: Table, near: _Near, values: FloatArray) -> FloatArray:
    every = np.zeros(table.cells)
    every[near.cells] = values
    return every


# --- near cells -----------------------------------------------------------------------------------


class _Boxes:
    """Penalties of the smallest boxes of two or three cells.

    Along an attribute of numbers, without bins or NULL, they are differences of coordinates.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        domains = table.quasi_identifiers
        plain = [each.numeric and each.ends is None and not each.has_null for each in domains]
        self._others = [axis for axis in range(len(domains)) if not plain[axis]]
        self._along = np.zeros((table.cells, 0))
        for axis in np.flatnonzero(plain):
            positions = domains[axis].positions
            assert positions is not None
            along = positions[table.codes[:, axis]] / domains[axis].scale
            self._along = np.column_stack((self._along, along))

    def of_two(self, some: IntArray, others: IntArray) -> FloatArray:
        """Penalty of each of some cells with each other, shape (b, x)."""
        from scipy.spatial.distance import cdist  # slow to import

        along = self._along
        total = np.zeros((len(others), len(some)))
        if along.shape[1]:
            total += cdist(along[others], along[some], "cityblock")
        for axis in self._others:
            domain = self._table.quasi_identifiers[axis]
            mine, theirs = self._table.places[some, axis], self._table.places[others, axis]
            if domain.size < len(others):
                every = np.arange(domain.size)[:, None]
                total += domain.ncp(np.minimum(mine, every), np.maximum(mine, every))[theirs]
            else:
                theirs = theirs[:, None]
                total += domain.ncp(np.minimum(mine, theirs), np.maximum(mine, theirs))
        mean: FloatArray = total.T / max(len(self._table.quasi_identifiers), 1)
        return mean

    def of_three(self, known: IntArray) -> FloatArray:
        """Penalty of the first cell of each row with each two of the row, shape (b, x, x)."""
        total = np.zeros((*known.shape, known.shape[1]))
        for column in self._along.T:
            low, high = _joined(column[known])
            total += high - low
        for axis in self._others:
            total += self._table.quasi_identifiers[axis].ncp(
                *_joined(self._table.places[known, axis])
            )
        mean: FloatArray = total / max(len(self._table.quasi_identifiers), 1)
        return mean


def _joined(places: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Ends of the first place of each row with each two of the row, two (b, x, x)."""
    low, high = np.minimum(places, places[:, :1]), np.maximum(places, places[:, :1])
    return (
        np.minimum(low[:, :, None], low[:, None]),
        np.maximum(high[:, :, None], high[:, None]),
    )


def _find_near(table: Table, k: int, boxes: _Boxes, progress: Progress) -> _Near:
    """Find near cells of those that have fewer than `k` records, who lies apart first."""
    rare = int((table.weights < k).sum())
    fewest, usual, most = _NEAR
    width = max(min(max(usual, 2 * k), most, _KNOWN // max(rare, 1)), fewest)
    width = min(width, table.cells)
    order = halved(table.places, [item.size for item in table.quasi_identifiers], _BLOCK)
    blocks = np.split(order, np.arange(_BLOCK, len(order), _BLOCK))
    hulls = [
        np.array([end(table.places[block], axis=0) for block in blocks]) for end in (np.min, np.max)
    ]
    found = []
    compared = 0
    for block in np.argsort(-table.penalty(hulls[0], hulls[1]), kind="stable").tolist():
        progress.poll()
        some = blocks[block][table.weights[blocks[block]] < k]
        if some.size and compared < _COMPARED:
            places = table.places[some]
            low = np.minimum(places.max(axis=0), hulls[1])
            high = np.maximum(places.min(axis=0), hulls[0])
            # Hulls that overlap have a place in common.
            least = table.penalty(low, np.maximum(low, high))
            near, pairs = _nearest(boxes, some, blocks, least, width)
            found.append(near)
            compared += pairs
    if not found:
        none = np.zeros((0, width), dtype=np.int64)
        return _Near(none[:, 0], none, none.astype(np.float64), np.zeros(0))
    return _Near(
        *(
            np.concatenate([getattr(each, name) for each in found])
            for name in ("cells", "known", "apart", "reach")
        )
    )


def _nearest(
    boxes: _Boxes, some: IntArray, blocks: Sequence[IntArray], least: FloatArray, width: int
) -> tuple[_Near, int]:
    """Near cells of some, and how many pairs were compared.

    Parameters
    ----------
    blocks : sequence of (x,) int arrays
        All cells.
    least : float array
        Least penalty of any of some cells with any of each block.
    width : int
        Number of near cells, at most all.
    """
    known = np.zeros((len(some), 0), dtype=np.int64)
    apart = np.zeros((len(some), 0))
    pairs = 0
    order = np.argsort(least, kind="stable")
    for start in range(0, len(order), _ABREAST):
        if known.shape[1] == width and least[order[start]] >= apart.max():
            break
        others = np.concatenate([blocks[block] for block in order[start : start + _ABREAST]])
        together = boxes.of_two(some, others)
        pairs += together.size
        # A cell comes first among those that are shown alike.
        together[others == some[:, None]] = -1.0
        if known.shape[1] == width:
            hopeful = (together < apart.max(axis=1, keepdims=True)).any(axis=0)
            others, together = others[hopeful], together[:, hopeful]
        known = np.hstack((known, np.broadcast_to(others, together.shape)))
        apart = np.hstack((apart, together))
        if apart.shape[1] > width:
            first = np.argpartition(apart, width - 1, axis=1)[:, :width]
            known = np.take_along_axis(known, first, axis=1)
            apart = np.take_along_axis(apart, first, axis=1)
    rank = np.argsort(apart, axis=1, kind="stable")
    known = np.take_along_axis(known, rank, axis=1)
    apart = np.maximum(np.take_along_axis(apart, rank, axis=1), 0.0)
    everybody = width == sum(map(len, blocks))
    reach = np.full(len(some), np.inf) if everybody else apart[:, -1]
    return _Near(some, known, apart, reach), pairs


# --- prices and shares ----------------------------------------------------------------------------


def _priced(table: Table, k: int, near: _Near, boxes: _Boxes, progress: Progress) -> _Priced:
    """Prices of cells; see the module."""
    weights = table.weights[near.known]
    joint = near.apart.copy()
    usual, most = _THIRDS
    width = min(max(usual, 2 * k), most, near.known.shape[1])
    # Whoever is not among the thirds has at least this.
    reach = near.apart[:, width] if width < near.known.shape[1] else near.reach
    step = max(_TRIPLES // width**2, 1)
    for start in range(0, len(near.cells), step):
        progress.poll()
        some = slice(start, start + step)
        thirds = boxes.of_three(near.known[some, :width])
        price = _heaviest(thirds, weights[some, None, :width], k, reach[some, None])
        joint[some, :width] = np.maximum(joint[some, :width], price)
    return _Priced(_heaviest(joint, weights, k, near.reach), joint)


def _heaviest(values: FloatArray, weights: IntArray, k: int, reach: FloatArray) -> FloatArray:
    """The k-th smallest value of records, so many with each along the last axis.

    Records of no value among these have at least that of `reach`.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    rising = np.take_along_axis(values, order, axis=-1)
    records = np.cumsum(np.take_along_axis(np.broadcast_to(weights, values.shape), order, -1), -1)
    enough = records >= k
    first = enough.argmax(axis=-1)[..., None]
    found = np.where(enough.any(axis=-1), np.take_along_axis(rising, first, -1)[..., 0], np.inf)
    return np.minimum(found, reach)


def _raised(table: Table, k: int, near: _Near, priced: _Priced, progress: Progress) -> FloatArray:
    """Raise prices to shares; see the module."""
    share = _of_all(table, near, priced.alone)
    alone = share.copy()
    raised = np.argsort(-priced.alone, kind="stable")[:_RAISED]
    order = raised[np.lexsort((priced.alone[raised], near.reach[raised]))]
    for turn, row in enumerate(order.tolist()):
        if turn % _BLOCK == 0:
            progress.poll()
        cell, reach = near.cells[row], near.reach[row]
        others, price = near.known[row, 1:], priced.joint[row, 1:]
        price = np.maximum(np.maximum(price, alone[others]), alone[cell])
        rising = np.argsort(price, kind="stable")
        others, price = others[rising], price[rising]
        weights = table.weights[others]
        room = _room(price, share[others], weights, k, float(share[cell]), table.weights[cell])
        share[cell] += max(min(room, reach - share[cell]), 0.0)
    return share[near.cells]


def _room(
    price: FloatArray, share: FloatArray, weights: IntArray, k: int, own: float, records: int
) -> float:
    """Room by which the share of a cell may be raised, by its known groups.

    Parameters
    ----------
    price : (x,) float array
        Least penalty of a group with each other cell, rising.
    share, weights : (x,) array
        Shares and records of these.
    own : float
        Share of the cell.
    records : int
        Records of the cell, fewer than `k`.

    Returns
    -------
    float
        Infinite if no group is known.
    """
    largest = np.argsort(-share, kind="stable")
    # For each threshold, which is a price, the records of no higher price, largest share first.
    held = np.where(largest <= np.arange(len(price))[:, None], weights[largest], 0)
    after = np.cumsum(held, axis=1)
    before = after - held
    left = price[:, None] - share[largest]
    above = np.minimum(left, 0.0)
    room = np.inf
    if not len(price):
        return room
    for mine in range(1, records + 1):
        # The group has k records in any case, and more where these make it tighter.
        needed = np.minimum(after, k - mine) - np.minimum(before, k - mine)
        taken = np.minimum(after, 2 * k - 1 - mine) - np.minimum(before, 2 * k - 1 - mine)
        slack = (needed * left).sum(axis=1) + ((taken - needed) * above).sum(axis=1)
        met = after[:, -1] >= k - mine
        slack = slack[met] / mine + (price[met] - own)
        room = min(room, float(slack.min(initial=np.inf)))
    return room
