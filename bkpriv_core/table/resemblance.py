"""Resemblance: labels of a column brought together by how alike their records are in others.

A label's *profile* is how its records are distributed over each other column; the sensitive one is
never among them, for labels brought together by what is sensitive would tell it. Values of a column
count in at most `_CLASSES` classes: of numbers, intervals; of labels, nodes of their hierarchy, or
those most frequent and the rest. What few records say is drawn towards what all say. Profiles are
compared by the squares of their Hellinger distances, in sum over columns.

Ward's method puts the labels in an order in which those alike are neighbours. It is then cut into
*groups* of at least so many records, so that two costs are least in sum: the penalty of publishing
each label as its group, and the share of the variance of profiles that is within groups. Groups of
more records are made of groups of fewer, and so on: a chain of partitions, from which `best_levels`
takes the levels of a tree.

All of that is the same whatever labels are called and in whatever order they come, but where two
have the same profile and as many records, or profiles are equally far apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["best_levels", "bring_together", "cut_in_order", "expected_loss", "label_records"]

_CLASSES = 16
"""Classes of values of a column in a profile."""

_COORDINATES = 1024
"""Approximate limit of the numbers of a profile; of many columns each has fewer classes."""

_DRAWN = 10.0
"""Records that a label has beside its own in its profile, distributed as all are."""

_LEAST = 10
"""Least number of records of the smallest groups."""

_SMALLEST, _SIZES = 5, 24
"""Smallest group that is published, and number of sizes, at even ratios, that are expected."""


def label_records(table: Table, axis: int) -> IntArray:
    """Records of each value of a quasi-identifier, NULL left out."""
    domain = table.quasi_identifiers[axis]
    records = np.bincount(table.codes[:, axis], weights=table.weights, minlength=domain.size)
    return records[: domain.size - domain.has_null].astype(np.int64)


def bring_together(table: Table, axis: int) -> list[IntArray]:
    """Group the labels of a quasi-identifier, coarser and coarser.

    Returns:
        Number of the group of each label: partitions, each of unions of the groups before.
    """
    records = label_records(table, axis)
    profiles = _profiles(table, axis, records)
    order = _seriated(profiles, records)
    partitions: list[IntArray] = []
    number = np.arange(len(records))
    least = _LEAST
    while 2 * least <= records.sum():
        coarser = np.empty(len(records), dtype=np.int64)
        coarser[order] = cut_in_order(number[order], profiles[order], records[order], least)
        if len(np.unique(coarser)) < len(np.unique(number)):
            partitions.append(coarser)
            number = coarser
        least *= 2
    return [each for each in partitions if each.max() > 0]


def _profiles(table: Table, axis: int, records: IntArray) -> FloatArray:
    """Profile of each label, so that distances of rows are those of distributions."""
    others = [place for place in range(len(table.quasi_identifiers)) if place != axis]
    most = min(max(_COORDINATES // max(len(others), 1), 2), _CLASSES)
    known = table.codes[:, axis] < len(records)
    label, weights = table.codes[known, axis], table.weights[known]
    columns = [np.zeros((len(records), 1))]
    for place in others:
        codes = table.codes[known, place]
        kinds = _classes(table.quasi_identifiers[place], codes, weights, most)
        size = int(kinds.max(initial=0)) + 1
        counts = np.bincount(
            label * size + kinds[codes], weights=weights, minlength=len(records) * size
        ).reshape(len(records), size)
        overall = counts.sum(axis=0) / counts.sum()
        shares = (counts + _DRAWN * overall) / (records + _DRAWN)[:, None]
        columns.append(np.sqrt(shares / 2))
    return np.hstack(columns)


def _classes(domain: Domain, codes: IntArray, weights: IntArray, most: int) -> IntArray:
    """Class of each value of a column."""
    values = np.arange(domain.size)
    if domain.size <= most:
        return values
    records = np.bincount(codes, weights=weights, minlength=domain.size)
    if domain.numeric:
        # NULL, which comes last, is a class of its own.
        before = np.cumsum(records) - records
        kinds = (before * (most - 1) // max(records.sum(), 1)).astype(np.int64)
        return np.where(values == domain.size - domain.has_null, most - 1, kinds)
    if domain.hierarchy is not None:
        return next(level for level in domain.nodes if level.max() < most)
    kinds = np.full(domain.size, most - 1)
    frequent = np.argsort(-records, kind="stable")[: most - 1]
    kinds[frequent] = np.arange(most - 1)
    return kinds


def _seriated(profiles: FloatArray, records: IntArray) -> IntArray:
    """Order of labels in which those alike are neighbours."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    # Labels begin in an order that does not depend on what they are called.
    first: IntArray = np.lexsort((*profiles.T[::-1], records))
    if len(first) < 3:
        return first
    return first[leaves_list(linkage(profiles[first], "ward"))]


def cut_in_order(number: IntArray, profiles: FloatArray, records: IntArray, least: int) -> IntArray:
    """Cut an order of labels into groups of at least so many records, at the least cost.

    Args:
        number: Shape (labels,). Number of the group of each label that is not to be cut; those of a
            group are neighbours.
        profiles: Shape (labels, coordinates). Profiles of the labels, in their order.
        records: Shape (labels,). Records of each label.
        least: Least number of records of a group, no more than there are.

    Returns:
        Shape (labels,). Numbers of groups, rising. Exact: no groups cost less.
    """
    labels, everybody = len(records), int(records.sum())
    ends = np.flatnonzero(np.append(number[1:] != number[:-1], True)) + 1

    def sums(figures: FloatArray) -> FloatArray:
        """Sums of the labels before each place where the order may be cut."""
        every: FloatArray = np.cumsum(figures, axis=0)[ends - 1]
        return np.concatenate((np.zeros((1, *every.shape[1:])), every))

    weights = records.astype(np.float64)
    held, leaves = sums(weights), np.concatenate(([0], ends))
    centres = sums(weights[:, None] * profiles)
    squares = sums(weights * (profiles**2).sum(axis=1))
    variance = squares[-1] - (centres[-1] ** 2).sum() / everybody
    # A group that can be cut in two costs more than its halves; so others need not be looked at.
    halfway = np.searchsorted(held, held + least)
    latest = np.searchsorted(held, held - least, side="right") - 1
    cost = np.full(len(held), np.inf)
    cost[0] = 0.0
    start = np.zeros(len(held), dtype=np.int64)
    for end in range(1, len(held)):
        last = latest[end]
        if last < 0:
            continue
        begin = np.arange(np.searchsorted(halfway, last, side="right"), last + 1)
        size = held[end] - held[begin]
        penalty = size / everybody * (leaves[end] - leaves[begin]) / labels
        within = squares[end] - squares[begin]
        within -= ((centres[end] - centres[begin]) ** 2).sum(axis=1) / size
        total = cost[begin] + penalty + np.maximum(within, 0.0) / max(variance, 1e-12)
        best = int(total.argmin())
        cost[end], start[end] = total[best], begin[best]
    group = np.zeros(labels, dtype=np.int64)
    end = len(held) - 1
    while end:
        group[leaves[start[end]] :] += 1 if start[end] else 0
        end = int(start[end])
    return group


def best_levels(partitions: Sequence[IntArray], records: IntArray, most: int) -> list[list[int]]:
    """Choose levels of a tree among partitions, for each number of levels up to `most`.

    Args:
        partitions: Numbers of groups, the finer first.
        records: Shape (labels,). Records of each label.

    Returns:
        Places of the partitions that are taken, for one level, for two, ...: those of the least
        expected loss.
    """
    found = []
    for levels in range(1, min(most, len(partitions)) + 1):
        trees = [list(each) for each in combinations(range(len(partitions)), levels)]
        losses = [expected_loss([partitions[place] for place in each], records) for each in trees]
        found.append(trees[int(np.argmin(losses))])
    return found


def expected_loss(levels: Sequence[IntArray], records: IntArray) -> float:
    """Loss of a column under a tree, if groups of each size were as likely on a scale of ratios.

    Args:
        levels: Numbers of groups, the finer first.

    Returns:
        Mean penalty of a record, in [0, 1], if of each size from 5 to all records each label were
        published as the lowest of its nodes with so many records. A coarse model of what releases
        lose, to compare trees by.
    """
    everybody = int(records.sum())
    sizes = np.geomspace(min(_SMALLEST, everybody), everybody, _SIZES)
    loss = np.ones((len(records), _SIZES))
    for number in reversed(levels):
        held = np.bincount(number, weights=records)[number]
        leaves = np.bincount(number)[number] / len(records)
        loss = np.where(held[:, None] >= sizes, leaves[:, None], loss)
    loss = np.where(records[:, None] >= sizes, 0.0, loss)
    return float((loss.mean(axis=1) * records).sum() / everybody)
