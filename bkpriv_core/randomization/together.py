"""Risk of several randomized releases of a table, for whoever can link their records.

Draws of one table are independent, given the table: so together they are one release, in which
every value is shown once by each of them. An attribute's channel is then that of all its showings,
and what is true of one release (see `risk`) holds of it. The adversary knows which records of the
releases are one person's, which is the worst case: releases do not say so.

Its grid is that of the combinations of what is shown, its matrices are no longer square, but still
Kronecker products. Where that grid is too large, the two sums of a risk, which are expectations of
what the adversary believes of the truth, are estimated by sampling what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.risk import RiskTable, inverse, risks
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["LinkedRisk", "risk_together"]

_GRID = 2**23
"""Largest number of elements of the grid, and of all matrices: an array of 64 MB."""

_SAMPLES = 400
"""Number of samples of what is shown of a cell, or of a value in it."""

_EFFORT = 2**30
"""Probabilities that are computed for samples, about: ten seconds."""

_BLOCK = 2**20
"""Elements of an array of likelihoods; whoever cancels waits for no more."""

_SEED = 1
"""Estimates are the same each time."""


@dataclass(frozen=True, eq=False)
class LinkedRisk:
    """Risk of several draws together.

    Parameters
    ----------
    risk : (c, m) float array
        Risk of the records of every cell with every value; 0 where there is no record.
    standard_error : (c, m) float array, optional
        Standard errors of risks that are estimates; None where all are exact up to rounding. NaN
        for what was not sampled: its risk is the largest of any single draw, which is a lower
        bound.
    """

    risk: FloatArray
    standard_error: FloatArray | None

    @property
    def exact(self) -> bool:
        """Whether risks are exact up to rounding, rather than estimates."""
        return self.standard_error is None


def risk_together(
    table: Table, draws: Sequence[Sequence[Channel]], progress: Progress = SILENT
) -> LinkedRisk:
    """Risk of the records of every cell with every value, if several draws are linked.

    Parameters
    ----------
    draws : sequence of sequence of Channel
        Channels of each draw, at least one; each has one for each attribute, the sensitive last.

    Returns
    -------
    LinkedRisk
        Exact where the grid of all that may be shown fits, and the matrices do. Otherwise
        estimates, for as many of the cells that are riskiest in a single draw as can be afforded;
        of the last of them perhaps only for its riskiest values.

    Raises
    ------
    TooLarge
        If the grid of a single draw is too large.
    """
    # What one of the draws shows as it is, is known.
    distorts = [not any(each.kept for each in shown) for shown in zip(*draws, strict=True)]
    exposure = RiskTable.of(table, distorts)
    along = [tuple(channels[axis] for channels in draws) for axis in exposure.axes]
    sensitive = tuple(channels[-1] for channels in draws)
    elements = math.prod(every[0].size ** len(every) for every in along) * exposure.grid.shape[-1]
    shown = [*along, sensitive] if exposure.distorts_sensitive else along
    entries = sum(channels[0].size ** (len(channels) + 1) for channels in shown)
    if max(elements, entries) > _GRID:
        alone = risks(table, draws[0], progress)
        for channels in draws[1:]:
            np.maximum(alone, risks(table, channels, progress), out=alone)
        return _sampled(exposure, table.codes, along, sensitive, alone=alone, progress=progress)
    risk = exposure.conditional
    if exposure.axes:
        risk = risk * _recognized(exposure, along, progress)[:, None]
    if exposure.distorts_sensitive:
        risk = risk * _guessed(exposure.conditional, sensitive, progress)
    return LinkedRisk(risk, None)


def _recognized(
    exposure: RiskTable, along: Sequence[tuple[Channel, ...]], progress: Progress
) -> FloatArray:
    """R(a), by the whole grid, shape (c,)."""
    matrices = [_showings(channels) for channels in along]
    rarity = inverse(_apply(matrices, exposure.tensor, progress))
    seen = _apply([(matrix**2).T for matrix in matrices], rarity, progress)
    figures: FloatArray = exposure.cell_shares * seen.ravel()[exposure.grid.places]
    return figures


def _guessed(
    conditional: FloatArray, channels: tuple[Channel, ...], progress: Progress
) -> FloatArray:
    """R(u | a), by all that may be shown, shape (c, m)."""
    matrix = _showings(channels)
    squares = matrix**2
    figures = np.empty_like(conditional)
    step = max(1, _BLOCK // len(matrix))
    for start in range(0, len(conditional), step):
        progress.poll()
        some = conditional[start : start + step]
        figures[start : start + step] = some * (inverse(some @ matrix.T) @ squares)
    return figures


def _showings(channels: Sequence[Channel]) -> FloatArray:
    """Probability of what several channels show of each value, shape (size^channels, size)."""
    size = channels[0].size
    matrix = np.ones((1, size))
    for channel in channels:
        own = np.full((size, size), channel.flip)
        np.fill_diagonal(own, channel.retention)
        matrix = (matrix[:, None, :] * own).reshape(-1, size)
    return matrix


def _apply(matrices: Sequence[FloatArray], tensor: FloatArray, progress: Progress) -> FloatArray:
    """Apply the Kronecker product of matrices, which need not be square, to a tensor."""
    before = 1
    for matrix in matrices:
        progress.poll()
        tensor = np.matmul(matrix, tensor.reshape(before, matrix.shape[1], -1))
        before *= len(matrix)
    return tensor


def _sampled(
    exposure: RiskTable,
    codes: IntArray,
    along: Sequence[tuple[Channel, ...]],
    sensitive: tuple[Channel, ...],
    alone: FloatArray,
    progress: Progress,
) -> LinkedRisk:
    """Estimate the risks of the cells that are riskiest by themselves, as many as can be afforded.

    ``R(a)`` is the expectation of what the adversary believes of ``a``, of what is shown of it.
    """
    random = np.random.default_rng(_SEED)
    risk, error = alone.copy(), np.full_like(alone, np.nan)
    axes = codes[:, exposure.axes]
    row = exposure.row
    by_row = np.argsort(row, kind="stable")
    values = np.arange(alone.shape[1])[:, None]
    of_value = _effort([sensitive], len(values)) if exposure.distorts_sensitive else 0
    effort, sampled = 0, False
    for cell in np.argsort(-alone.max(axis=1), kind="stable").tolist():
        progress.poll()
        one, of_one = 1.0, 0.0
        if along:
            start, stop = np.searchsorted(row, [row[cell], row[cell] + 1], sorter=by_row)
            rivals = by_row[start:stop]
            effort += _effort(along, len(rivals))
            if sampled and effort > _EFFORT:
                break
            truth = int(np.searchsorted(rivals, cell))
            one, of_one = _believed(
                along,
                axes[rivals],
                exposure.cell_shares[rivals],
                truth,
                random=random,
                progress=progress,
            )
        base = exposure.conditional[cell]
        error[cell, base == 0.0] = 0.0
        there = np.flatnonzero(base)
        for value in there[np.argsort(-alone[cell, there], kind="stable")].tolist():
            other, of_other = 1.0, 0.0
            if exposure.distorts_sensitive:
                effort += of_value
                if sampled and effort > _EFFORT:
                    return LinkedRisk(risk, error)
                other, of_other = _believed(
                    [sensitive], values, base, value, random=random, progress=progress
                )
            # Whoever holds several draws learns no less than from one of them.
            risk[cell, value] = max(risk[cell, value], base[value] * one * other)
            error[cell, value] = base[value] * math.hypot(
                one * of_other, other * of_one, of_one * of_other
            )
            sampled = True
    return LinkedRisk(risk, error)


def _effort(along: Sequence[tuple[Channel, ...]], states: int) -> int:
    """Number of probabilities that an estimate takes, of one of so many states."""
    return _SAMPLES * sum(len(channels) * channels[0].size + states for channels in along)


def _believed(
    along: Sequence[tuple[Channel, ...]],
    states: IntArray,
    prior: FloatArray,
    truth: int,
    random: np.random.Generator,
    progress: Progress,
) -> tuple[float, float]:
    """Estimate the belief in the truth of a reader who sees what is shown of it.

    Parameters
    ----------
    along : sequence of tuple of Channel
        Channels of each attribute.
    states : (s, attributes) int array
        States that may be true.
    prior : (s,) float array
        Probability of each state; need not sum to 1.
    truth : int
        Place of the state that is true.
    random : numpy.random.Generator
        Source of the samples.
    progress : Progress
        Polled after every few samples.

    Returns
    -------
    mean, standard error : float
        The probability, on average.
    """
    beliefs = []
    step = max(1, _BLOCK // max(len(prior), *(channels[0].size for channels in along)))
    for start in range(0, _SAMPLES, step):
        count = min(step, _SAMPLES - start)
        weights = np.tile(prior, (count, 1))
        for channels, column in zip(along, states.T, strict=True):
            likelihood = _likelihood(channels, int(column[truth]), count, random, progress=progress)
            weights *= likelihood[:, column]
        beliefs.append(weights[:, truth] / weights.sum(axis=1))
    every = np.concatenate(beliefs)
    return float(every.mean()), float(every.std(ddof=1)) / math.sqrt(_SAMPLES)


def _likelihood(
    channels: Sequence[Channel],
    truth: int,
    count: int,
    random: np.random.Generator,
    progress: Progress,
) -> FloatArray:
    """Likelihood of samples of what is shown of a value, given each value, shape (count, size).

    Up to a factor of each sample.
    """
    size = channels[0].size
    rows = np.arange(count)
    likelihood = np.ones((count, size))
    for channel in channels:
        progress.poll()
        other = random.integers(size - 1, size=count)
        other += other >= truth
        shown = np.where(random.random(count) < channel.retention, truth, other)
        likelihood[rows, shown] *= channel.retention / channel.flip
        likelihood /= likelihood.max(axis=1, keepdims=True)
    return likelihood
