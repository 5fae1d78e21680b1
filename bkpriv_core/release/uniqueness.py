"""Uniqueness: records that are alone by their quasi-identifiers, before and after publication.

A reader who knows somebody's quasi-identifiers looks for the record among those that have them, or
are shown with what they are generalized to. The *prosecutor's risk* of a record is one in so many;
it is largest in the smallest group. If a form shows quasi-identifiers as they are, rows are as
unique as before, and the group hides only which of its sensitive values is the person's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.release.release import Release

__all__ = ["Uniqueness", "uniqueness"]


@dataclass(frozen=True)
class Uniqueness:
    """Numbers of unique records, or of unique persons where these are counted. All are exact."""

    before: int
    """Records of the source whose quasi-identifiers no other has."""
    after: int
    """Published records whose quasi-identifiers are shown as no other's are."""
    smallest: int


def uniqueness(release: Release) -> Uniqueness | None:
    """Count who is alone; None where records were drawn, or nothing is published."""
    if release.partition is None or not release.published:
        return None
    before = release.table.weights
    if release.form.exact:
        shown = np.zeros(release.table.cells, dtype=np.int64)
        np.add.at(shown, release.parts.cell[release.groups.members], release.weights)
    else:
        shown = release.sizes
    return Uniqueness(int((before == 1).sum()), int((shown == 1).sum()), int(release.sizes.min()))
