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
from bkpriv_pl import telling
from bkpriv_pl.bases import SEEN, bases_of
from bkpriv_pl.boundary import Refusal, run
from bkpriv_pl.history import find_release
from bkpriv_pl.notice import releases_of

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
        Its id.
    drawn : Release
        What it shows.
    demanded : MaxDisclosure
        The bound.
    progress : Progress
        Polled between steps.
    published : bool
        Whether it is being published: only what its owner may see counts then.

    Returns
    -------
    Finding or None
        None if there is no other that can be told.
    """
    # Those of the dataset come first, which nobody else can add to; of a size that differs, none is
    # read.
    rows = run(
        "SELECT o.release, o.records = r.records AND "
        "(SELECT count(*) FROM bkpriv.release_attribute AS a WHERE a.release = o.release) = "
        "(SELECT count(*) FROM bkpriv.release_attribute AS a WHERE a.release = r.release) AS alike "
        "FROM bkpriv.release AS r "
        "CROSS JOIN LATERAL bkpriv_internal.releases_of(r.dataset, r.owner, $2) AS b "
        "JOIN bkpriv.release AS o ON o.release = b.release AND o.method = r.method "
        "AND o.period IS NOT DISTINCT FROM r.period AND o.release <> r.release "
        f"WHERE r.release = $1 AND (NOT $3 OR {SEEN.format('r.owner', 'o.owner')}) "
        "ORDER BY (o.dataset, o.owner) = (r.dataset, r.owner) DESC, o.release DESC",
        ["bigint", "text[]", "bool"],
        [release, bases_of(release), published],
    )
    draws: dict[int, Sequence[Channel]] = {release: _channels(drawn)}
    untold, unread = [], []
    read = 0
    for row in rows:
        progress.poll()
        if not row["alike"]:
            untold.append(row["release"])
            continue
        if read == _READ:
            unread.append(row["release"])
            continue
        read += 1
        try:
            other = find_release(row["release"])
        except (Refusal, UnsoundHistory):
            untold.append(row["release"])
            continue
        if _same(other.table, drawn.table):
            draws[other.release] = _channels(other)
        else:
            untold.append(other.release)
    if untold:
        others = releases_of(sorted(untold))
        telling.notice(
            f"what release {release} tells together with {others} is not known",
            detail="They were drawn from other records, or with other values, or purged.",
            hint="Who links their records learns more than is measured here.",
        )
    if unread:
        others = releases_of(sorted(unread))
        telling.notice(
            f"what release {release} tells together with {others} is not measured",
            detail=f"At most {_READ} other releases are read, the latest of the dataset first.",
            hint="Who links their records learns more than is measured here.",
        )
    if len(draws) == 1:
        return None
    return together_finding(drawn.table, demanded, draws, progress)


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
