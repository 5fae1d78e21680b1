"""Risk of a randomized release for a person: whether her sensitive value is guessed.

The adversary knows the person's quasi-identifiers, that she is in the table, and how it was
distorted. From a record she infers what it was before, and guesses in proportion to what she then
believes. A record of the cell ``a`` is recognized, and its value ``u`` guessed, with probability

    risk(a, u) = pi(u | a) * R(a) * R(u | a),

    R(a)     = pi(a)     sum_b P(b | a)^2 / lambda(b),      lambda = P pi,
    R(u | a) = pi(u | a) sum_v P(v | u)^2 / lambda(v | a),

with 1 in place of what is not distorted (Guo, Ying, Wu 2011, result 1). The sum over ``b`` is over
the grid of all values of the distorted quasi-identifiers, whether they occur or not; combinations
of the others stand side by side. Both factors are 1 + chi^2 of what is shown of this against what
is shown of all: so they rise with every retention, from ``pi(a)`` and ``pi(u | a)`` where
everything is shown with equal probability.

Matrices of the grid are Kronecker products and never formed; the largest arrays are a few times
the size of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.errors import InvalidParameter, as_shape
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Blend, Channel, check_scheme, distorted
from bkpriv_core.randomization.grid import Grid, GridAxis
from bkpriv_core.table import kronecker
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["Distorted", "RiskTable", "inverse", "risks", "risks_by_hand"]

_BATCH = 2**21
"""Elements that derivatives of the grid's tensor may have together, if they are several."""

_TOLERANCE = 1e-6
"""Tolerance of the sum of a distribution around 1."""

_FAINT = 1e-300
"""Least probability of shown values that count: others hardly add to any risk."""


def risks(table: Table, channels: Sequence[Channel], progress: Progress = SILENT) -> FloatArray:
    """Risk of the records of every cell with every value.

    Args:
        channels: Channels, one for each of its attributes, the sensitive one last.

    Returns:
        Shape (c, m). Probabilities, exact up to rounding; 0 where there is no record.

    Raises:
        TooLarge: If the grid of the distorted quasi-identifiers is too large.

    References:
    .. [1] L. Guo, X. Ying, X. Wu, "Limiting Attribute Disclosure in Randomization Based Microdata
       Release", Journal of Computing Science and Engineering 5(3), 2011, result 1.
    """
    distorts = [not channel.kept for channel in channels]
    return RiskTable.of(table, distorts).under(channels, progress).risks


def risks_by_hand(
    joint: FloatArray, retentions: FloatArray, scheme: str, progress: Progress = SILENT
) -> FloatArray:
    """Risks under one quasi-identifier, of a distribution that is given.

    Args:
        joint: Shape (cells, values). Probability of each value of the quasi-identifier with each
            sensitive value.
        retentions: Shape (2,). Probabilities with which the one and the other are kept, each at
            least ``1 / d``. What the scheme does not distort is kept, whatever is given.

    Returns:
        Shape (cells, values). Exact up to rounding; 0 where the probability is 0.

    Raises:
        InvalidParameter: If these are no distribution, no retentions or no scheme.
    """
    distorts = distorted(check_scheme(scheme), 1)
    if joint.ndim != 2 or not joint.size:
        raise InvalidParameter(
            "joint must have a row for each cell, with a probability for each sensitive value",
            detail=f"Its shape is {as_shape(joint.shape)}.",
            hint="Write for example {{0.2,0.1},{0.3,0.4}}.",
        )
    if not np.isfinite(joint).all() or (joint < 0.0).any():
        raise InvalidParameter(
            "joint has a negative or non-finite probability",
            detail=f"It ranges from {joint.min()} to {joint.max()}.",
            hint="Divide the number of records of each cell and value by that of all.",
        )
    if abs(joint.sum() - 1.0) > _TOLERANCE:
        raise InvalidParameter(
            "joint does not sum to 1",
            detail=f"It sums to {joint.sum():.9g}.",
            hint="Divide the number of records of each cell and value by that of all.",
        )
    if retentions.shape != (2,):
        raise InvalidParameter(
            "retention must have two elements",
            detail=f"Its shape is {as_shape(retentions.shape)}.",
            hint="Give the probability of keeping the cell, and that of keeping the value.",
        )
    sizes = joint.shape
    for size, retention, chosen in zip(sizes, retentions.tolist(), distorts, strict=True):
        if chosen and not 1.0 / size <= retention <= 1.0:
            raise InvalidParameter(
                f"a retention must be between 1/{size} and 1, for there are {size} values",
                detail=f"It is {retention:g}; with less, a value is shown less often where it is "
                "true than elsewhere.",
                hint="Values are kept with that probability, else moved to any other.",
            )
    channels = [
        Channel(size, retention if chosen else 1.0)
        for size, retention, chosen in zip(sizes, retentions.tolist(), distorts, strict=True)
    ]
    cell, value = channels
    grid = Grid.of([GridAxis("joint", cell.size, cell.kept)], np.arange(cell.size)[:, None])
    exposure = RiskTable(() if cell.kept else (0,), not value.kept, grid, joint)
    return exposure.under(channels, progress).risks


@dataclass(frozen=True, eq=False)
class RiskTable:
    """A table laid out for risks, under whatever channels of the same attributes."""

    axes: tuple[int, ...]
    """Quasi-identifiers that are distorted."""
    distorts_sensitive: bool
    grid: Grid
    """Combinations of values of the quasi-identifiers; its places are those of the cells."""
    shares: FloatArray
    """Shape (c, m). Share of the records in each cell and with each value; a cell may have none."""

    @classmethod
    def of(cls, table: Table, distorts: Sequence[bool]) -> RiskTable:
        """Lay out a table, some attributes of which are distorted.

        Raises:
            TooLarge: If the grid is too large; nothing of its size is allocated.
        """
        *of_cells, of_sensitive = distorts
        axes = [
            GridAxis(domain.name, domain.size, not chosen)
            for domain, chosen in zip(table.quasi_identifiers, of_cells, strict=True)
        ]
        return cls(
            tuple(np.flatnonzero(of_cells).tolist()),
            of_sensitive,
            Grid.of(axes, table.codes),
            table.counts / table.records,
        )

    @cached_property
    def cell_shares(self) -> FloatArray:
        """Share of the records in each cell, shape (c,)."""
        shares: FloatArray = self.shares.sum(axis=1)
        return shares

    @cached_property
    def conditional(self) -> FloatArray:
        """Share of each value in its cell: the risk where nothing is distorted, shape (c, m)."""
        whole = self.cell_shares[:, None]
        return np.divide(self.shares, whole, out=np.zeros_like(self.shares), where=whole > 0.0)

    @cached_property
    def tensor(self) -> FloatArray:
        """Share of the records at each place of the grid."""
        return self.grid.sum(self.cell_shares)

    @property
    def row(self) -> IntArray:
        """Combination of undistorted values that each cell has, shape (c,)."""
        return self.grid.places % self.grid.shape[-1]

    @cached_property
    def least(self) -> FloatArray:
        """Risks where everything is shown with equal probability, shape (c, m).

        What the retentions cannot go below.
        """
        least = self.conditional
        if self.axes:
            within = np.bincount(self.row, self.cell_shares)[self.row]
            least = least * (self.cell_shares / within)[:, None]
        if self.distorts_sensitive:
            least = least * self.conditional
        return least

    def under(self, channels: Sequence[Channel], progress: Progress = SILENT) -> Distorted:
        """Distort it by channels, one for each attribute; those of what is not distorted are idle.

        What it tells is computed when asked for.
        """
        return Distorted(self, tuple(channels), progress)


@dataclass(frozen=True, eq=False)
class Distorted:
    """Table that went through channels, and the risks of its records."""

    exposure: RiskTable
    channels: tuple[Channel, ...]
    progress: Progress

    @cached_property
    def risks(self) -> FloatArray:
        """Risk of the records of every cell with every value, shape (c, m)."""
        figures = self.exposure.conditional
        if self.exposure.axes:
            figures = figures * self._recognized[:, None]
        if self.exposure.distorts_sensitive:
            figures = figures * self._guessed_in(slice(None))
        return figures

    def risks_of(self, cells: IntArray, values: IntArray) -> FloatArray:
        """Risks of the records of some cells with some values, shape (k,)."""
        figures = self.exposure.conditional[cells, values]
        if self.exposure.axes:
            figures = figures * self._recognized[cells]
        if self.exposure.distorts_sensitive:
            figures = figures * _picked(self._guessed_in(cells), values)
        return figures

    def gradients(self, cells: IntArray, values: IntArray) -> FloatArray:
        """Derivatives of some risks by the retentions.

        Args:
            cells, values: Shape (k,). Cells and sensitive values of the records.

        Returns:
            Shape (k, d + 1). Exact up to rounding; 0 for what is not distorted. Retentions of what
            is must be above ``1 / d`` and below 1.
        """
        exposure = self.exposure
        slopes = np.zeros((len(cells), len(self.channels)))
        base = exposure.conditional[cells, values]
        if exposure.axes:
            by_axis = self._recognized_by(cells)
            guessed: FloatArray = np.ones(len(cells))
            if exposure.distorts_sensitive:
                guessed = _picked(self._guessed_in(cells), values)
            slopes[:, exposure.axes] = (base * guessed)[:, None] * by_axis
        if exposure.distorts_sensitive:
            recognized = self._recognized[cells] if exposure.axes else 1.0
            slopes[:, -1] = base * recognized * _picked(self._guessed_by(cells), values)
        return slopes

    @property
    def _along(self) -> tuple[Channel, ...]:
        """Channel of each axis."""
        return tuple(self.channels[axis] for axis in self.exposure.axes)

    @property
    def _squares(self) -> tuple[Blend, ...]:
        return tuple(channel.square for channel in self._along)

    @cached_property
    def _shown(self) -> FloatArray:
        """Probability of showing each place of the grid, lambda."""
        forward = (channel.forward for channel in self._along)
        return kronecker.apply(forward, self.exposure.tensor, self.progress)

    @cached_property
    def _rarity(self) -> FloatArray:
        """Inverse of the rarity of shown quasi-identifiers."""
        return inverse(self._shown)

    @cached_property
    def _seen(self) -> FloatArray:
        """The sum over b in R(a), at each place."""
        return kronecker.apply(self._squares, self._rarity, self.progress)

    @cached_property
    def _recognized(self) -> FloatArray:
        """R(a), shape (c,)."""
        figures: FloatArray = (
            self.exposure.cell_shares * self._seen.ravel()[self.exposure.grid.places]
        )
        return figures

    def _recognized_by(self, cells: IntArray) -> FloatArray:
        """Derivatives of R(a) by the retention of each axis, shape (k, axes)."""
        exposure = self.exposure
        place = exposure.grid.places[cells]
        columns = np.empty((len(cells), len(exposure.axes)))
        # d sum W / lambda = sum dW / lambda - sum W dlambda / lambda^2, where dW and dlambda follow
        # from what is there; only W remains to be applied, to several tensors at a time.
        fall = self._rarity**2
        together = max(1, _BATCH // fall.size)
        for start in range(0, len(exposure.axes), together):
            some = range(start, min(start + together, len(exposure.axes)))
            lost = np.stack(
                [fall * self._contract(self._along[at].drift, at, self._shown) for at in some], -1
            )
            lost = kronecker.apply(self._squares, lost, self.progress)
            columns[:, some] = -lost.reshape(-1, len(some))[place]
        for at, channel in enumerate(self._along):
            won = self._contract(channel.square_drift, at, self._seen)
            columns[:, at] += won.ravel()[place]
        return exposure.cell_shares[cells, None] * columns

    def _contract(self, blend: Blend, at: int, tensor: FloatArray) -> FloatArray:
        """Apply a blend along one axis of a tensor over the grid."""
        before = math.prod(self.exposure.grid.shape[:at])
        flat = tensor.reshape(before, blend.size, -1)
        return blend.contract(flat, self.progress).reshape(tensor.shape)

    def _guessed_in(self, cells: IntArray | slice) -> FloatArray:
        """R(u | a) of some cells, shape (k, m)."""
        conditional, channel = self.exposure.conditional[cells], self.channels[-1]
        rarity = inverse(_rows(channel.forward, conditional, self.progress))
        figures: FloatArray = conditional * _rows(channel.square, rarity, self.progress)
        return figures

    def _guessed_by(self, cells: IntArray) -> FloatArray:
        """Derivatives of the guesses by the retention of the sensitive attribute, shape (k, m)."""
        conditional, channel = self.exposure.conditional[cells], self.channels[-1]
        shown = _rows(channel.forward, conditional, self.progress)
        rarity = inverse(shown)
        won = _rows(
            channel.square_drift, _rows(channel.square, rarity, self.progress), self.progress
        )
        lost = _rows(channel.drift, shown, self.progress) * rarity**2
        slopes: FloatArray = conditional * (won - _rows(channel.square, lost, self.progress))
        return slopes


def _picked(rows: FloatArray, values: IntArray) -> FloatArray:
    """Pick one element of each row."""
    picked: FloatArray = rows[np.arange(len(rows)), values]
    return picked


def _rows(blend: Blend, rows: FloatArray, progress: Progress) -> FloatArray:
    """Apply a blend to each of some rows."""
    return blend.contract(rows[:, :, None], progress)[:, :, 0]


def inverse(shown: FloatArray) -> FloatArray:
    """Inverses of probabilities of being shown; 0 of what is hardly ever."""
    return np.divide(1.0, shown, out=np.zeros_like(shown), where=shown > _FAINT)
