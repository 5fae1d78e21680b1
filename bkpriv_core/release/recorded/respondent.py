"""Recorded respondents: whom the records of a release are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bkpriv_core.release.recorded.attribute import check_labels
from bkpriv_core.release.recorded.content import RecordedFigures, check_suppressed, read_groups
from bkpriv_core.release.recorded.soundness import unsound
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray

__all__ = ["RecordedRespondents", "check_respondents", "read_shown"]


@dataclass(frozen=True, eq=False)
class RecordedRespondents:
    """Recorded respondents of the records of a release.

    Parameters
    ----------
    names : sequence of str
        The respondents.
    labels : (n,) int array
        The group that each is published in, or `SUPPRESSED`.
    parts, values : (n,) int array
        The part, and the sensitive value, of each one's record.
    shown : (n,) int array or None
        The value that each one's record is shown with, if some are counterfeits.
    """

    names: Sequence[str]
    labels: IntArray
    parts: IntArray
    values: IntArray
    shown: IntArray | None = None


def read_shown(
    name: str,
    labels: Sequence[str | None],
    respondents: RecordedRespondents,
    content: RecordedFigures,
) -> Groups:
    """Read the groups of a release as sets of respondents, with their values.

    Whether they are those of its parts is not asked; see `check_respondents`.

    Parameters
    ----------
    name : str
        The sensitive attribute.
    labels : sequence of str or None
        Values of the sensitive attribute.
    content : RecordedFigures
        Figures of the release.

    Raises
    ------
    UnsoundHistory
        If values or names recur, or respondents and the figures do not agree.
    """
    check_labels(name, labels)
    _check_respondents(respondents, content.records)
    for codes in (respondents.values, respondents.shown):
        if codes is not None:
            _check_codes("values", codes, len(labels))
    groups = read_groups(respondents.labels, content, "respondents")
    check_suppressed(content.records - len(groups.members), content)
    return groups


def check_respondents(release: Release, respondents: RecordedRespondents) -> None:
    """Refuse recorded respondents who are not those of a release's groups and parts.

    Raises
    ------
    UnsoundHistory
        If names recur, a group has another number of them than of records, or a part has with some
        value.
    """
    labels, parts = respondents.labels, release.parts
    _check_respondents(respondents, parts.table.records)
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
    _check_places(release, labels, respondents.parts)
    _check_held(parts.actual, respondents.parts, respondents.values, "has")
    if respondents.shown is not None or parts.counterfeited:
        shown = respondents.values if respondents.shown is None else respondents.shown
        _check_held(parts.counts, respondents.parts, shown, "is shown with")


def _check_respondents(respondents: RecordedRespondents, records: int) -> None:
    """Refuse names that recur, and arrays that are not of so many respondents."""
    names = respondents.names
    different = len(set(names))
    if different < len(names) or len(names) != records:
        raise unsound(
            "its respondents are not one for each record",
            f"{different} of {len(names)} names differ; there are {records} records.",
        )
    arrays = (respondents.labels, respondents.parts, respondents.values, respondents.shown)
    lengths = [len(array) for array in arrays if array is not None]
    if set(lengths) != {len(names)}:
        raise unsound(
            "its respondents are not each in one group and part, with one value",
            f"There are {len(names)} respondents, and {lengths} entries about them.",
        )


def _check_codes(name: str, codes: IntArray, size: int) -> None:
    if codes.min() < 0 or codes.max() >= size:
        raise unsound(
            f"the {name} of its respondents are out of range",
            f"They go from {codes.min()} to {codes.max()}; there are {size}, from 0.",
        )


def _check_places(release: Release, labels: IntArray, place: IntArray) -> None:
    """Refuse parts of respondents that are not in their groups."""
    _check_codes("parts", place, len(release.parts))
    if (release.labels[place] != labels).any():
        raise unsound(
            "its respondents are not in the groups of their parts",
            "The group of a respondent is that of the part which the record is in.",
        )


def _check_held(counts: IntArray, place: IntArray, values: IntArray, does: str) -> None:
    """Refuse parts that have not as many respondents with each value as counts say."""
    _check_codes("values", values, counts.shape[1])
    held = np.bincount(place * counts.shape[1] + values, minlength=counts.size)
    if (held.reshape(counts.shape) != counts).any():
        raise unsound(
            "its respondents are not those of its parts",
            f"Each part must have as many respondents as records for each value that a record "
            f"{does}.",
        )
