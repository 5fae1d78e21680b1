"""Recounts: whether a source still has the cells that a release was made from.

A source is read as a publication reads it, by one ``GROUP BY``, and the fingerprint of what was
read is compared with the one that was recorded with the release. That answers for sources that
nobody can watch, as views, foreign and distributed tables, and it answers for the moment of the
reading alone: nothing is recorded, and staleness stays as the watch has it.

What is read depends on how the dataset is declared, and on whom row-level security lets see which
rows. Where either may be otherwise than at the publication, there is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bkpriv_core.errors import InvalidData
from bkpriv_core.method import find_method
from bkpriv_pl.past.history import PURGED, refuse_purged
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.terms import find_options
from bkpriv_pl.publishing.standing import declarations, find_difference, read_digests
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, run
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.dataset import Dataset, find_dataset, open_source
from bkpriv_pl.tables.period import find_period
from bkpriv_pl.tables.persons import kept_of
from bkpriv_pl.tables.source import Relation, check_readable, filtered_for_others

__all__ = ["recount"]


@entry(Access.SOURCE)
def recount(release: int | None) -> bool:
    """See ``bkpriv.recount``."""
    made = look_up(release, f"dataset, method, period, created_by, {PURGED} AS purged")
    release = made["release"]
    refuse_purged(release, made["purged"])
    dataset = find_dataset(made["dataset"])
    source = open_source(dataset)
    check_readable(source, (*dataset.measured, *dataset.attributes, *dataset.extras))
    digests = read_digests(release)
    declared = declarations(dataset)
    _check_comparable(release, dataset, digests, declared)
    _check_reader(release, source, made["created_by"])
    options = find_options(release, find_method(made["method"]))
    period = find_period(dataset, made["period"])
    task = Task("bkpriv recount")
    task.step("counting")
    try:
        how = find_difference(dataset, period, kept_of(options, dataset), digests)
    except InvalidData as error:
        if declared["hierarchies"] != digests["hierarchies"]:
            raise  # It may be a hierarchy that lacks a value.
        how = f"it cannot be read as it was: {error.message}"
    task.done()
    if how is not None:
        notices.notice(
            f"the source of release {release} is not as it was published",
            detail=f"{source}: {how}.{_of_another(source, made)}",
            hint="bkpriv.publish makes a release of it as it is now.",
        )
    return how is None


def _check_comparable(
    release: int, dataset: Dataset, digests: Mapping[str, str | None], declared: Mapping[str, str]
) -> None:
    """Refuse a release of picked records, or whose dataset is declared otherwise by now."""
    if digests["records"] is None:
        raise Refusal(
            "55000",
            f"release {release} cannot be compared with its source",
            detail="Some of each person's records were picked at random, so no reading is like "
            "another.",
            hint="Publish anew, and keep all records of a person.",
        )
    if digests["dataset"] != declared["dataset"]:
        raise Refusal(
            "55000",
            f"release {release} cannot be compared with its source",
            detail=f'Dataset "{dataset.name}" is declared otherwise than when the release was '
            "made: its source, its columns, their types or bins.",
            hint="Publish anew. Or register a dataset of that name as it was then.",
        )


def _check_reader(release: int, source: Relation, publisher: str) -> None:
    """Refuse a caller to whom row-level security may show other rows than to the publisher."""
    if filtered_for_others(source, publisher):
        raise Refusal(
            "42501",
            f"release {release} can be compared with its source by its publisher alone",
            detail=f"{source} has row-level security, which may show other rows to others than "
            f'role "{publisher}".',
            hint="Ask that role.",
        )


def _of_another(source: Relation, made: Mapping[str, Any]) -> str:
    """Note for a source that may show others something else than the publisher of a release."""
    (row,) = run("SELECT current_user <> $1 AS other", ["text"], [made["created_by"]])
    if not row["other"] or source.kind not in "vf":
        return ""
    return (
        f' It was published by role "{made["created_by"]}", to whom a view or a foreign table may '
        "show other records."
    )
