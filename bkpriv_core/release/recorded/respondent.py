"""Recorded respondents: whom the records of a release are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.release.recorded.soundness import unsound
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import SUPPRESSED, IntArray

__all__ = ["RecordedRespondents", "check_respondents"]


@dataclass(frozen=True, eq=False)
class RecordedRespondents:
    """Whom the records of a release are about.

    Parameters
    ----------
    names : sequence of str
        The respondents.
    labels : (n,) int array
        The group that each is published in, or `SUPPRESSED`.
    parts, values : (n,) int array or None
        The part, and the sensitive value, of each one's record. Versions before 0.3.0 did not
        record them.
    """

    names: Sequence[str]
    labels: IntArray
    parts: IntArray | None = None
    values: IntArray | None = None


def check_respondents(release: Release, respondents: RecordedRespondents) -> None:
    """Refuse recorded respondents who are not those of a release's groups and parts.

    Raises
    ------
    UnsoundHistory
        If names recur, a group has another number of them than of records, or a part has with some
        value.
    """
    names, labels = respondents.names, respondents.labels
    parts = release.parts
    if len(set(names)) < len(names) or len(names) != parts.table.records:
        raise unsound(
            "its respondents are not one for each record",
            f"{len(set(names))} of {len(names)} names differ; there are {parts.table.records} "
            "records.",
        )
    groups = 0 if release.partition is None else len(release.partition)
    sizes = np.bincount(release.labels - SUPPRESSED, parts.weights, groups + 1)[1:]
    held = None
    if labels.min() >= SUPPRESSED and labels.max() < groups:
        held = np.bincount(labels - SUPPRESSED, minlength=groups + 1)[1:]
    if held is None or (held != sizes).any():
        raise unsound(
            "its respondents are not those of its groups",
            f"Their group numbers go from {labels.min()} to {labels.max()}; there are "
            f"{groups} groups, and each must have as many respondents as records.",
        )
    if respondents.parts is not None and respondents.values is not None:
        _check_places(release, labels, respondents.parts, respondents.values)


def _check_places(release: Release, labels: IntArray, place: IntArray, values: IntArray) -> None:
    """Refuse parts of respondents that have not as many of them with each value as records."""
    counts = release.parts.counts
    shape = counts.shape
    if len(place) != len(labels) or len(values) != len(labels):
        raise unsound(
            "its respondents are not each in one part, with one value",
            f"There are {len(labels)} respondents, {len(place)} parts and {len(values)} values of "
            "them.",
        )
    for name, numbers, size in (("parts", place, shape[0]), ("values", values, shape[1])):
        if numbers.min() < 0 or numbers.max() >= size:
            raise unsound(
                f"the {name} of its respondents are out of range",
                f"They go from {numbers.min()} to {numbers.max()}; there are {size}, from 0.",
            )
    if (release.labels[place] != labels).any():
        raise unsound(
            "its respondents are not in the groups of their parts",
            "The group of a respondent is that of the part which the record is in.",
        )
    held = np.bincount(place * shape[1] + values, minlength=shape[0] * shape[1])
    if (held.reshape(shape) != counts).any():
        raise unsound(
            "its respondents are not those of its parts",
            "Each part must have as many respondents with each value as records.",
        )
