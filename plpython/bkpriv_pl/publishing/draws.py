"""Draws: what the randomized releases of the same records tell together.

All count that were ever made of them, withdrawn ones too: who saw one may have kept it; and through
whichever dataset of their source, as far as the caller may see. Releases of other records, of which
other values were known, or that were purged, are left out, as are older ones of very many; which is
said.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.audit import Finding, together_finding
from bkpriv_core.errors import UnsoundHistory
from bkpriv_core.progress import Progress
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import MaxDisclosure
from bkpriv_core.table.table import Table
from bkpriv_pl.past.bases import bases_of
from bkpriv_pl.past.history import find_release
from bkpriv_pl.past.selection import find_candidate, select_records
from bkpriv_pl.publishing.notice import releases_of
from bkpriv_pl.server import telling
from bkpriv_pl.server.boundary import Refusal

__all__ = ["judge_together"]

_READ = 100
"""Most other releases that are read; each is read in full."""


def judge_together(
    release: int, drawn: Release, demanded: MaxDisclosure, progress: Progress, *, published: bool
) -> Finding | None:
    """Measure a randomized release together with the others of the same records.

    Parameters
    ----------
    release : int
        Id of the release.
    drawn : Release
        Release as it is shown.
    demanded : MaxDisclosure
        The bound.
    published : bool
        Whether it is being published: only what its owner may see counts then.

    Returns
    -------
    Finding or None
        None if there is no other that can be told.
    """
    draws: dict[int, Sequence[Channel]] = {release: _channels(drawn)}
    untold: list[int] = []
    unread: list[int] = []
    read = 0
    for each, alike in _others(release, of_owner=published):
        progress.poll()
        # Of a size that differs, none is read.
        if alike and read == _READ:
            unread.append(each)
            continue
        read += alike
        other = _find(each) if alike else None
        if other is not None and _same(other.table, drawn.table):
            draws[each] = _channels(other)
        else:
            untold.append(each)
    for others, unmeasured, detail in (
        (untold, "known", "They were drawn from other records, or with other values, or purged."),
        (
            *(unread, "measured"),
            f"At most {_READ} other releases are read, the latest of the dataset first.",
        ),
    ):
        if others:
            telling.notice(
                f"what release {release} tells together with {releases_of(sorted(others))} is not "
                f"{unmeasured}",
                detail=detail,
                hint="A reader who links their records learns more than is measured here.",
            )
    if len(draws) == 1:
        return None
    return together_finding(drawn.table, demanded, draws, progress)


def _others(release: int, *, of_owner: bool) -> list[tuple[int, bool]]:
    """Other draws of what may be the same records, and whether they are of the same size."""
    this = find_candidate(release)
    found = select_records(this.dataset, this.owner, bases_of(release), of_owner=of_owner)
    others = [
        each
        for each in found
        if each.release != release
        and (each.method, each.period.text) == (this.method, this.period.text)
    ]
    # Those of the dataset come first, which nobody else can add to.
    own = (this.dataset, this.owner)
    others.sort(key=lambda each: ((each.dataset, each.owner) == own, each.release), reverse=True)
    size = (this.records, this.attributes)
    return [(each.release, (each.records, each.attributes) == size) for each in others]


def _find(release: int) -> Release | None:
    """Read a release back; None if it was purged, or is not what a publication can record."""
    try:
        return find_release(release)
    except (Refusal, UnsoundHistory):
        return None


def _channels(release: Release) -> Sequence[Channel]:
    assert release.form.channels is not None
    return release.form.channels


def _same(one: Table, other: Table) -> bool:
    """Whether tables have the same records, and domains of the same values."""
    return (
        [(domain.name, domain.labels) for domain in one.domains]
        == [(domain.name, domain.labels) for domain in other.domains]
        and np.array_equal(one.codes, other.codes)
        and np.array_equal(one.counts, other.counts)
    )
