"""Persons: their names, and which of their records are published, if they have several.

A person is a text, by which they are found again in other releases. `texts.check_names` sees to it
that nobody has two, and no two have one.
"""

from __future__ import annotations

import secrets

import numpy as np

from bkpriv_core.method import Options
from bkpriv_core.release.release import Release
from bkpriv_core.table.combination import rows_of
from bkpriv_core.table.table import Table
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.column import column_types
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.dataset import Dataset

__all__ = ["kept_of", "persons_counted", "records_of", "tell_bounded", "tell_persons"]


def kept_of(options: Options, dataset: Dataset) -> ContributionBound | None:
    """Read which records of each person options keep; None if each must have one.

    Raises:
        BkprivError: If the dataset has no column to choose them by.
    """
    most, latest_by = options.max_records_per_person, options.latest_by
    if most is None:
        return None
    if latest_by is not None:
        columns = column_types(dataset.source_schema, dataset.source_name)
        if latest_by not in columns:
            raise Refusal(
                "42703",
                f'{dataset.source} has no column "{latest_by}"',
                detail="Option latest_by names the column by which a person's latest records are.",
                hint=f"Its columns are {', '.join(columns)}.",
            )
    seed = options.seed
    key = secrets.token_hex(16) if seed is None else str(seed)
    return ContributionBound(None if most == "all" else most, latest_by, key)


def tell_persons(release: int, kept: ContributionBound | None, published: Release) -> None:
    """Say of a release that it counts persons, if it does, and how many records these have."""
    if kept is None:
        return
    records = records_of(published.table)
    bounded = ""
    if kept.most is not None:
        how = "at random" if kept.latest_by is None else f'the latest by "{kept.latest_by}"'
        bounded = f", at most {kept.most} of each, {how}"
    notices.notice(
        f"release {release} counts persons: {published.table.records}, of {records} records"
        f"{bounded}",
        detail="Requirements hold for persons, and what is suppressed are all records of a person. "
        "It is supposed that readers know which rows are of one person, though no view says so, "
        "and not how many a person has whom they know.",
    )


def persons_counted(release: int) -> bool:
    """Whether a release counts persons instead of records."""
    return bool(
        run(
            "SELECT FROM bkpriv.release WHERE release = $1 "
            "AND options ->> 'max_records_per_person' IS NOT NULL",
            ["bigint"],
            [release],
        )
    )


def records_of(table: Table) -> int:
    """Count the records that were read of the persons of a table."""
    persons = table.counts.sum(axis=0)
    which, _ = rows_of(table.sensitive, np.arange(len(persons)))
    return int(persons[which].sum())


def tell_bounded(release: int) -> None:
    """Say that counts are of a release's records, if it has but some of each person's."""
    bounded = run(
        "SELECT FROM bkpriv.release WHERE release = $1 "
        "AND jsonb_typeof(options -> 'max_records_per_person') = 'number'",
        ["bigint"],
        [release],
    )
    if bounded:
        notices.notice(
            f"release {release} was made of a bounded number of records of each person, and counts "
            "are of those",
            detail="Records that option max_records_per_person left out are not on record: counts "
            "of the source are without them, and so are errors of estimates.",
            hint="Count the source itself to see how many it has.",
        )
