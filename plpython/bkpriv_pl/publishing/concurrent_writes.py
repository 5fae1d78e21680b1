"""Settling: whether a release is stale from the start, since the source changed meanwhile."""

from __future__ import annotations

import time

import numpy as np

from bkpriv_core.errors import InvalidData, TooLarge
from bkpriv_pl.past import history
from bkpriv_pl.publishing.subject import Subject
from bkpriv_pl.publishing.visibility import Before, look_before, unwritten_since
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.dataset import Dataset

__all__ = ["look_ahead", "settle_staleness"]

_WRITERS_SECONDS = 3.0
"""Time that a publication waits for writers of the source before it calls itself stale."""


def look_ahead(
    dataset: Dataset, period: Period | None, kept: ContributionBound | None
) -> Before | None:
    """Look at the source before it is counted; None where nothing could be proved from that.

    So it is where nobody watches the source, and no writer is told anything; and where `kept`
    records are counted, of which a table has only some.
    """
    if kept is not None or history.find_watch(dataset.source_schema, dataset.source_name) is None:
        return None
    return look_before(dataset.source_schema, dataset.source_name, period)


def settle_staleness(subject: Subject, release: int, before: Before | None) -> None:
    """Keep writers off the source, and mark the release stale if they changed what was read.

    The source is read again only where `visibility` cannot prove that nothing was written since.

    Args:
        subject: Source as it was read for the release.
        before: Result of `look_ahead` before it was read.
    """
    watched = run(
        "SELECT FROM bkpriv.release WHERE release = $1 AND watch IS NOT NULL", ["bigint"], [release]
    )
    if not watched:
        return
    if not _writers_held(release):
        history.record_event(release, "stale", "the source was in use by a writer to the end")
    elif not (_unwritten(subject, before) or _same_source(subject)):
        history.record_event(release, "stale", "the source changed while the release was made")


def _writers_held(release: int) -> bool:
    """Lock the source against writers, if those at work finish soon.

    Each attempt gives up at once: whoever waits for a lock while it holds others may be caught in a
    deadlock, and a writer should not lose its work to a publication.
    """
    deadline = time.monotonic() + _WRITERS_SECONDS
    held = "SELECT bkpriv_internal.hold_writers($1) AS held"
    while not write(held, ["bigint"], [release], release=release)[0]["held"]:
        if time.monotonic() > deadline:
            return False
        run("SELECT pg_sleep(0.05)")
    return True


def _unwritten(subject: Subject, before: Before | None) -> bool:
    """Tell whether it is proved that nothing was written since the source was read."""
    if before is None:
        return False
    schema, name = subject.dataset.source_schema, subject.dataset.source_name
    return unwritten_since(
        schema, name, before, subject.source.table.records, period=subject.period
    )


def _same_source(subject: Subject) -> bool:
    """Tell whether the source still holds what was read."""
    table, respondents, passed = subject.source
    try:
        now, about, beside = subject.read_again()
    except (InvalidData, TooLarge):
        return False
    return (
        now.codes.shape == table.codes.shape
        and now.counts.shape == table.counts.shape
        and np.array_equal(now.codes, table.codes)
        and np.array_equal(now.counts, table.counts)
        and all(
            mine.labels == theirs.labels
            for mine, theirs in zip(
                (*now.quasi_identifiers, now.sensitive),
                (*table.quasi_identifiers, table.sensitive),
                strict=True,
            )
        )
        and about.same_as(respondents)
        and beside.same_as(passed)
    )
