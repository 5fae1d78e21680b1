"""Learned priors: beliefs of an adversary with a classifier, trained without the person.

What is true of a population can be learned from the other people in the table, and is no breach. So
the table's records are dealt to *folds*, and what is believed of a record comes of a classifier
trained on all folds but its own. Records of a cell are believed alike: the belief about a cell is
the mean over its records.

The folds are drawn from a seed and from what is counted alone: of cells in the order of their
codes, and values in theirs. So they depend neither on the order of rows nor on how a table was
read, and a recorded release gives the same beliefs again. Draws are those of SplitMix64 (Steele,
Lea, Flood 2014), which no version of a library changes.

Exact for that classifier, up to the steps of its optimum (`classifier`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.classifier import Features, Model, learn
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["learned_prior"]

_STEP = 0x9E3779B97F4A7C15
_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def learned_prior(
    table: Table, model: Model, folds: int, seed: int, progress: Progress = SILENT
) -> FloatArray:
    """Belief about each cell of classifiers that were trained without its records, shape (c, m).

    Args:
        folds: Number of folds, at least 2.
        seed: Decides which records are in one fold.

    Returns:
        Shape (c, m). Rows sum to 1.

    Raises:
        TooLarge: If the classifiers or their beliefs would not fit in memory.
    """
    features = Features.of(table)
    order = np.lexsort(table.codes.T[::-1]) if table.codes.shape[1] else np.arange(table.cells)
    features, counts = features.select(order), table.counts[order]
    cells, values = np.nonzero(counts)
    times = counts[cells, values]
    fold = _deal(table.records, folds, seed)
    key = np.repeat(cells * counts.shape[1] + values, times)
    beliefs = np.zeros(counts.shape)
    whole = learn(model, features, counts.astype(np.float64), progress=progress)
    for place in range(min(folds, table.records)):
        left_out = np.bincount(key[fold == place], minlength=counts.size).reshape(counts.shape)
        trained = learn(
            model, features, (counts - left_out).astype(np.float64), whole, progress=progress
        )
        share = left_out.sum(axis=1)
        rows = np.flatnonzero(share)
        beliefs[rows] += share[rows, None] * trained.predict(features.select(rows), progress)
        progress.report((place + 1) / folds)
    beliefs /= counts.sum(axis=1, keepdims=True)
    placed = np.empty_like(beliefs)
    placed[order] = beliefs
    return placed


def _deal(records: int, folds: int, seed: int) -> IntArray:
    """Fold of each record: as many in each as can be, drawn from a seed, shape (n,)."""
    with np.errstate(over="ignore"):
        lots = _mixed(
            np.arange(1, records + 1, dtype=np.uint64) + _mixed(np.array([seed], dtype=np.uint64))
        )
    fold = np.empty(records, dtype=np.int64)
    fold[np.argsort(lots, kind="stable")] = np.arange(records) % folds
    return fold


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    mixed = numbers * np.uint64(_STEP)
    for shift, multiplier in _MIXING:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(multiplier)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
