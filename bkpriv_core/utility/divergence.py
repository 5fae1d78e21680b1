"""Divergence of the joint distribution that a release leaves from the original one.

With ``p`` the original distribution and ``q`` the estimated one, over all combinations of
quasi-identifiers and sensitive value, each normalised to 1 (``q`` by the published records):

- ``kl = sum p log2(p / q)``, in bits;
- ``chi_square = sum (p - q)^2 / q = sum p^2 / q - 1``;
- ``l2 = sqrt(sum (p - q)^2)``.

The first two are infinite where a combination that occurs is impossible by the release, as one may
be that was suppressed. All are exact for the estimate, which the form of the release defines: the
sums over combinations that do not occur are closed form.

The *uncertainty coefficient* ``U(A | B) = (H(A) - H(A | B)) / H(A)`` is the share of the entropy of
``A`` that knowing ``B`` takes away, in [0, 1]; it is undefined where ``A`` has but one value.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.joint import CellJoint
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import FloatArray

__all__ = ["association", "divergences"]

_WORK = 100_000_000_000
"""Largest number of pairs of values times groups, for one pair of attributes."""

_PAIRS = 20_000_000
"""Largest number of pairs of values, for one pair of attributes."""


def divergences(release: Release, progress: Progress = SILENT) -> dict[str, float]:
    """Divergences of the estimated from the original joint distribution, by name.

    Returns:
        NaN where nothing is published.
    """
    published = release.published
    if not published:
        return dict.fromkeys(("kl", "chi_square", "l2"), float("nan"))
    original, estimated = CellJoint(release.actual), release.form.joint(release, progress)
    p = original.counts / original.counts.sum()
    q = estimated.at(original.codes) / published
    there = original.counts > 0
    p_there, q_there = p[there], q[there]
    if (q_there > 0).all():
        kl = float((p_there * np.log2(p_there / q_there)).sum())
        chi_square = float((p_there**2 / q_there).sum() - 1)
    else:
        kl = chi_square = float("inf")
    # What is estimated elsewhere. It is not negative, but a difference of rounded sums may be.
    elsewhere = max(0.0, estimated.square() / published**2 - float((q**2).sum()))
    l2 = float(np.sqrt(((p - q) ** 2).sum() + elsewhere))
    return {"kl": max(0.0, kl), "chi_square": max(0.0, chi_square), "l2": l2}


def association(
    release: Release, progress: Progress = SILENT
) -> list[tuple[int, int, float, float]]:
    """Uncertainty coefficients of all pairs of attributes.

    Returns:
        Attribute ``A``, other ``B``, and ``U(A | B)`` by the source and by the release; NaN where
        it is undefined.
    """
    original, estimated = CellJoint(release.actual), release.form.joint(release, progress)
    domains = release.domains
    attributes = [place for place, domain in enumerate(domains) if domain.name]
    groups = 1 if release.partition is None else max(1, len(release.groups))
    coefficients = []
    for one, other in permutations(attributes, 2):
        progress.poll()
        pairs = domains[one].size * domains[other].size
        work = pairs * groups
        if pairs > _PAIRS or work > _WORK:
            raise TooLarge(
                f'attributes "{domains[one].name}" and "{domains[other].name}" have too many '
                "pairs of values",
                detail=f"There are {pairs}, at most {_PAIRS} are handled; they take {work} "
                f"products, at most {_WORK} are taken.",
                hint="Publish from a view that bins the columns.",
            )
        before, after = original.pair(one, other), estimated.pair(one, other)
        coefficients.append((one, other, uncertainty(before), uncertainty(after)))
    return coefficients


def uncertainty(pairs: FloatArray) -> float:
    """Uncertainty coefficient of the rows of a table of records given its columns."""
    if np.count_nonzero(pairs.sum(axis=1)) < 2:
        return float("nan")
    shares = pairs / pairs.sum()
    rows, columns = _entropy(shares.sum(axis=1)), _entropy(shares.sum(axis=0))
    # Mutual information is not negative, nor above the entropy, but rounded sums may say so.
    return min(1.0, max(0.0, rows + columns - _entropy(shares)) / rows)


def _entropy(shares: FloatArray) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log2(positive)).sum())
