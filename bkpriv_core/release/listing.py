"""Listings: the tables of a release as lists of values, for programs that read no database.

They show what the views of a release show, in the same columns. A value is a number, or text: a
label, a day or a time. The option ``ranges`` says how a range is written, both ends included:

=========  =======================================================================================
range      a pair of its ends; of a single value likewise; ``(None, None)`` where some are NULL
bounds     its ends in two columns, ``age_from`` and ``age_to``
text       ``20–29``, or ``20`` for one value; ``*`` where some are NULL
=========  =======================================================================================

NULL alone is None. Rows are in random order, so they disclose nothing about the order of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Exhibit, RangeStyle, Release
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.combination import columns_of, rows_of
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.notation import is_number

__all__ = ["Columns", "list_columns"]

Columns = dict[str, list[Any]]
"""Values of each column, by its name."""


def list_columns(release: Release, exhibit: Exhibit, chance: Chance) -> Columns:
    """List a table that the form of a release has, column by column."""
    if exhibit == "randomization":
        return _randomization(release)
    if exhibit == "sensitive":
        group, value, count = _histogram(release)
        told = _sensitive(release, value)
        return {"group_id": group.tolist(), **told, "count": count.tolist()}
    listed = _records(release, chance)
    order = chance.order(len(next(iter(listed.values())))).tolist()
    return {name: [values[row] for row in order] for name, values in listed.items()}


def _records(release: Release, chance: Chance) -> Columns:
    form, known = release.form, release.table.quasi_identifiers
    if isinstance(form, Randomized):
        _, drawn = form.shown
        codes = np.repeat(drawn.codes, drawn.counts, axis=0)
        columns = zip(release.columns, codes.T, strict=True)
        return {domain.name: _values(domain, each) for domain, each in columns}
    group, value, count = _histogram(release)
    group, value = np.repeat(group, count), np.repeat(value, count)
    if isinstance(form, Generalized):
        return {
            name: [extents[row] for row in group.tolist()]
            for name, extents in _extents(release, form)
        } | _sensitive(release, value)
    # Records stand group by group, and so do the values, within each group in random order.
    exact = np.repeat(release.codes, release.weights, axis=0)
    listed = {domain.name: _values(domain, exact[:, axis]) for axis, domain in enumerate(known)}
    listed["group_id"] = np.repeat(release.groups.owner, release.weights).tolist()
    if "sensitive" in form.exhibits["records"]:
        order = chance.order(len(value))
        dealt = value[order][np.argsort(group[order], kind="stable")]
        listed |= _sensitive(release, dealt)
    return listed


def _histogram(release: Release) -> tuple[IntArray, IntArray, IntArray]:
    """Groups, sensitive values that these have, and how many records have them."""
    histograms = release.histograms
    group, value = np.nonzero(histograms)
    return group, value, histograms[group, value]


def _sensitive(release: Release, value: IntArray) -> Columns:
    """Columns of sensitive values."""
    sensitive = release.table.sensitive
    _, codes = rows_of(sensitive, value)
    columns = enumerate(columns_of(sensitive))
    return {domain.name: _values(domain, codes[:, place]) for place, domain in columns}


def _extents(release: Release, form: Generalized) -> Iterator[tuple[str, list[Any]]]:
    """Columns of the quasi-identifiers of groups, with a value for each group."""
    lows, highs = form.boxes(release.parts, release.groups)
    for axis, domain in enumerate(release.table.quasi_identifiers):
        low, high = lows[:, axis], highs[:, axis]
        if not domain.numeric:
            yield domain.name, list(form.labels(domain, axis, low, high))
            continue
        read = _labels if form.ranges == "text" else _values
        first, last = read(domain, low), read(domain, high)
        if form.ranges == "bounds":
            # Without an upper bound NULL is among the values, and there is no lower one either.
            known = [None if end is None else start for start, end in zip(first, last, strict=True)]
            yield f"{domain.name}_from", known
            yield f"{domain.name}_to", last
        else:
            yield domain.name, list(map(_RANGES[form.ranges], first, last))


def _as_pair(low: Any, high: Any) -> Any:
    if low is None:
        return None
    return (None, None) if high is None else (low, high)


def _as_text(low: Any, high: Any) -> str | None:
    if low is None:
        return None
    if high is None:
        return ROOT
    return str(low) if low == high else f"{low}–{high}"


_RANGES: dict[RangeStyle, Any] = {"range": _as_pair, "text": _as_text}


def _labels(domain: Domain, codes: IntArray) -> list[Any]:
    return [domain.labels[code] for code in codes.tolist()]


def _values(domain: Domain, codes: IntArray) -> list[Any]:
    """Values of codes: numbers of a column of numbers, text of others."""
    labels: Sequence[Any] = domain.labels
    if domain.numeric:
        read = int if domain.step == 1.0 else float
        labels = [
            read(label) if label is not None and is_number(label) else label for label in labels
        ]
    return [labels[code] for code in codes.tolist()]


def _randomization(release: Release) -> Columns:
    """Chances by which each value of each attribute is shown."""
    channels = release.form.channels
    assert channels is not None
    rows = [
        (domain.name, label, channel.retention, channel.flip)
        for domain, channel in zip(release.domains, channels, strict=True)
        for label in domain.labels
    ]
    names = ("attribute", "value", "retention", "flip_probability")
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
