"""Counts of a randomized release by any of its attributes, with how far they may be off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.query.tally import check_keys
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.randomization.reconstruction import Estimates, likeliest
from bkpriv_core.release.randomized.tally import RandomizedTally
from bkpriv_core.release.release import Release

__all__ = ["Reconstructor", "find_attributes", "reconstruct"]

Reconstructor = Literal["unbiased", "maximum_likelihood"]
"""Names of estimates, see `bkpriv_core.randomization.reconstruction`."""


def find_attributes(release: Release, names: Sequence[str]) -> list[int]:
    """Find attributes of a randomized release by their names.

    Raises:
        InvalidParameter: If it is not randomized, there is no such attribute, or one is named
            twice.
    """
    _randomized(release)
    known = [domain.name for domain in release.domains]
    for place, name in enumerate(names):
        if name not in known:
            raise InvalidParameter(
                f'{release.title} has no attribute "{name}"',
                detail=f"Its attributes are {', '.join(known)}.",
                hint="Give some of these.",
            )
        if name in names[:place]:
            raise InvalidParameter(
                f'attribute "{name}" is given twice',
                detail=f"They are {', '.join(names)}.",
                hint="Give each attribute once.",
            )
    return [known.index(name) for name in names]


def _randomized(release: Release) -> tuple[tuple[Channel, ...], Drawn]:
    """Return the channels and drawn records of a release; refuse one that is not randomized."""
    channels, drawn = release.form.channels, release.form.drawn
    if channels is None or drawn is None:
        raise InvalidParameter(
            f"{release.title} is {release.form.name}, not randomized",
            detail="Only what was distorted at random is reconstructed.",
            hint="Its counts are estimated by query_accuracy and rewrite_query.",
        )
    return channels, drawn


def reconstruct(
    release: Release,
    attributes: Sequence[int],
    estimator: str = "unbiased",
    progress: Progress = SILENT,
) -> Estimates:
    """Count the records of a randomized release by some attributes.

    Args:
        attributes: Distinct attributes; with none, everything is one count.

    Raises:
        InvalidParameter: If the release is not randomized, or there is no such estimate.
        TooLarge: If there are too many combinations of values.
    """
    names = get_args(Reconstructor)
    if estimator not in names:
        raise InvalidParameter(
            f"there is no estimator '{estimator}' of counts",
            detail=f"There are {' and '.join(names)}.",
            hint="unbiased has standard errors; maximum_likelihood is never negative.",
        )
    channels, drawn = _randomized(release)
    if estimator == "unbiased":
        tally = RandomizedTally(release.domains, channels, drawn)
        return tally.estimate(EVERYTHING, attributes, progress)
    grid, counts = likeliest(
        [release.domains[attribute] for attribute in attributes],
        [channels[attribute] for attribute in attributes],
        drawn.among(attributes),
        progress=progress,
    )
    check_keys(release.domains, attributes, counts.size)
    codes = grid.codes(tuple(np.indices(counts.shape).reshape(counts.ndim, -1)))
    untold = np.full(counts.size, np.nan)
    return Estimates.together([Estimates(codes, counts.ravel(), untold)])
