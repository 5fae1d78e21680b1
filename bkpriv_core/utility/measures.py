"""Measures of groups: what they cost, see `bkpriv_core.table.cost`, and what is suppressed.

The *suppressed share* is that of unpublished records among all. All are exact.
"""

from __future__ import annotations

from bkpriv_core.release.release import Release
from bkpriv_core.table.cost import costs

__all__ = ["utility"]


def utility(release: Release) -> dict[str, float]:
    """Utility measures of a release, by name."""
    records = release.table.records
    penalty = float((release.sizes * release.form.penalties(release)).sum())
    return {
        **costs(release.sizes, records, penalty),
        "suppressed_share": (records - release.published) / records,
    }
