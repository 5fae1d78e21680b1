"""Growing: the last release, whose groups the next one keeps, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import plpy

from bkpriv_core.errors import InvalidData, as_json
from bkpriv_core.method import GroupMethod, GroupOptions, Method, Options
from bkpriv_core.method.growing import IncrementalPopulation, begin, grow, stand
from bkpriv_core.method.options import Departed
from bkpriv_core.release.release import Release
from bkpriv_core.table.combination import Combination, columns_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import SUPPRESSED
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from bkpriv_pl.past.chain import tell_apart
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.recorded import find_shown
from bkpriv_pl.past.selection import (
    Reason,
    ReleaseFilter,
    ReleaseRecord,
    find_left_out,
    select_dataset,
)
from bkpriv_pl.publishing.view import View
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.tables.column import Column, Period, column_types
from bkpriv_pl.tables.counts import NOTHING, Known
from bkpriv_pl.tables.dataset import Dataset

__all__ = ["BaseRelease", "find_stock", "shown_before"]

_ANEW = "Publish without the option grow, which groups everybody anew."


class BaseRelease:
    """Stock that a release is made from: nothing, where it does not grow."""

    @property
    def release(self) -> int | None:
        """Id of the last release, if the new one grows from it."""
        return None

    @property
    def known(self) -> Known:
        """Values that the last release has, to be in the domains of the next."""
        return NOTHING

    def grow(self, table: Table, respondents: Respondents) -> IncrementalPopulation:
        """Divide the people of a source into kept ones and newcomers.

        Raises:
            InvalidData: If attributes are no more what they were.
        """
        return stand(table, respondents)

    def tell(self, release: int, published: Release, growth: IncrementalPopulation) -> None:
        """Say how many people a new release keeps, shows for the first time, or has wait."""


class _Beginning(BaseRelease):
    """Stock of a release that begins to grow: nothing was published before."""

    @property
    def _manner(self) -> str:
        return "begins to grow"

    def grow(self, table: Table, respondents: Respondents) -> IncrementalPopulation:
        """See `BaseRelease`."""
        return begin(table, respondents)

    def _left(self, growth: IncrementalPopulation) -> str:
        """Say what became of the people whom the last release showed."""
        return ""

    def tell(self, release: int, published: Release, growth: IncrementalPopulation) -> None:
        """See `BaseRelease`."""
        labels = published.labels
        came = growth.coming & (labels != SUPPRESSED)
        waiting = int(growth.coming.sum() - came.sum())
        joined = came & np.isin(labels, labels[growth.labels != SUPPRESSED])
        groups = len(np.unique(labels[came & ~joined]))
        detail = f"Groups of newcomers alone: {groups}"
        if joined.any():
            detail += f"; {int(joined.sum())} of them are shown as others are who stay"
        notices.notice(
            f"release {release} {self._manner}: {growth.kept} records stay as they were published, "
            f"{int(came.sum())} came, and {waiting} wait",
            detail=f"{detail}{self._left(growth)}.",
            hint="Newcomers who wait were not shown. A release that grows from this one groups "
            "them with those who come then.",
        )


@dataclass(frozen=True, eq=False)
class _Growing(_Beginning):
    """Stock of a release that grows."""

    departed: Departed
    """Treatment of people who left."""
    last: RecordedRelease
    """The last release, its respondents told apart."""
    past: Respondents

    @property
    def release(self) -> int | None:
        """See `BaseRelease`."""
        return self.last.release

    @property
    def known(self) -> Known:
        """See `BaseRelease`."""
        return {domain.name: domain.labels for domain in self.last.table.domains}

    @property
    def _manner(self) -> str:
        return f"grows from release {self.last.release}"

    def grow(self, table: Table, respondents: Respondents) -> IncrementalPopulation:
        """See `BaseRelease`."""
        barred = _withdrawn(self.last, self.past, respondents)
        departed = self.departed
        return grow(self.last, self.past, table, respondents, departed=departed, barred=barred)

    def _left(self, growth: IncrementalPopulation) -> str:
        return (
            f". Of those shown before, {growth.departed} have left and {growth.changed} have "
            "another record now"
        ) + (
            "; they stay as they were published"
            if self.departed == "stay"
            else f", for which {growth.withdrawn} groups are withdrawn; {growth.out} whom the "
            "source has were in such groups, and are published no more"
        )


def find_stock(
    dataset: Dataset,
    period: Period | None,
    view: View | None,
    method: Method[Any],
    options: Options,
) -> BaseRelease:
    """Find what a publication grows from: the last release in its view, or else of the dataset.

    Only releases of the same period count, or of none if it is of none.

    Raises:
        Refusal: If it cannot grow, since too little is known of people, or the last release shows
            others.
    """
    if not isinstance(options, GroupOptions) or not options.grow:
        return BaseRelease()
    if not isinstance(method, GroupMethod):
        raise ValueError("only methods that form groups have the option grow")
    like = ReleaseFilter.of(dataset, period)
    latest = _find_latest(like, view)
    if latest is None:
        return _Beginning()
    _refuse(latest, like, (Reason.PURGED, Reason.COUNTERFEIT))
    last = find_release(latest.release)
    _check_form(last, method)
    _refuse(latest, like, (Reason.ANONYMOUS, Reason.OTHER_COLUMN))
    _check_persons(last)
    _check_attributes(dataset, last)
    return _Growing(options.departed, *tell_apart(last))


def _find_latest(like: ReleaseFilter, view: View | None) -> ReleaseRecord | None:
    """Find the last release in a view, or else at all; None if there is none."""
    past = [each for each in select_dataset(like.dataset, like.owner) if each.period == like.period]
    shown = [
        each
        for each in past
        if view is not None and (each.view_schema, each.view_name) == (view.schema, view.name)
    ]
    return (shown or past)[-1] if past else None


def _check_form(last: RecordedRelease, method: Method[Any]) -> None:
    """Refuse a release that is shown otherwise than the method shows records."""
    if type(last.form) is not type(method.form) or last.form.levels is not None:
        whole = "" if last.form.levels is None else ", by whole columns"
        raise _unfit(
            last.release,
            f"is {last.form.name}{whole}",
            f"Method {method.name} shows records {method.form.name}, in groups that newcomers can "
            "stand beside.",
        )


def _check_persons(last: RecordedRelease) -> None:
    """Refuse a release of people with several records."""
    sensitive = last.table.sensitive
    if isinstance(sensitive, Combination) and sensitive.several:
        raise _unfit(
            last.release,
            "shows several records of a person",
            "What is asked for has one of each, and its policy is about one.",
        )


def _refuse(latest: ReleaseRecord, like: ReleaseFilter, reasons: Iterable[Reason]) -> None:
    """Refuse the last release for one of some reasons."""
    left_out = find_left_out(latest, like, reasons)
    if left_out is not None:
        details = {
            Reason.PURGED: "What it was made from was erased, groups and all.",
            Reason.COUNTERFEIT: f"{latest.counterfeited} records have other values there than "
            "their own, which could not be taken back.",
            Reason.OTHER_COLUMN: f'The dataset does by column "{like.respondent}".',
        }
        detail = details.get(left_out.reason, "It is not known who stays, and who is a newcomer.")
        raise _unfit(latest.release, left_out.words, detail)


def _check_attributes(dataset: Dataset, last: RecordedRelease) -> None:
    """Refuse a release of other attributes, or of other types."""
    types = column_types(dataset.source_schema, dataset.source_name)
    domains = (*last.table.quasi_identifiers, *columns_of(last.table.sensitive))
    now = [f'"{name}" {types[name].declared_as}' for name in dataset.measured]
    then = [f'"{domain.name}" {type_}' for domain, type_ in zip(domains, last.types, strict=True)]
    known, before = len(dataset.quasi_identifiers), len(last.table.quasi_identifiers)
    # Combinations are named by their columns in order, and so are those of other releases.
    if {*now[:known]} != {*then[:before]} or now[known:] != then[before:]:
        raise _unfit(
            last.release,
            "has other attributes than its dataset",
            f"It has {', '.join(then)}; the dataset has {', '.join(now)}.",
        )
    for domain in domains:
        _check_values(last.release, domain, types[domain.name])


def _check_values(release: int, domain: Domain, column: Column) -> None:
    """Refuse recorded values that are none of their type, or equal by it."""
    fault = _fault(domain.labels, column)
    if fault is None:
        return
    first, last = 0, domain.size  # The first at fault is among those from here to there.
    while last - first > 1:
        middle = (first + last) // 2
        if (earlier := _fault(domain.labels[:middle], column)) is None:
            first = middle
        else:
            last, fault = middle, earlier
    raise InvalidData(
        f'attribute "{domain.name}" is no more what it was in release {release}: value {last} is '
        f"{fault}",
        detail=f"It is {as_json(domain.labels[first])}.",
        hint=_ANEW,
    )


def _fault(labels: Sequence[str | None], column: Column) -> str | None:
    """Describe what is wrong with one of some values, if anything is."""
    try:
        (row,) = run(
            "SELECT count(t) = count(DISTINCT v) AS apart "
            f"FROM (SELECT t, {column.value('t')} AS v FROM unnest($1) AS u(t)) AS x",
            ["text[]"],
            [list(labels)],
        )
    except plpy.SPIError as error:
        if not str(getattr(error, "sqlstate", "")).startswith(("22", "23")):
            raise
        return f"none of its type, {column.declared_as}"
    return None if row["apart"] else f"equal to an earlier one, as {column.declared_as}"


def _unfit(release: int, is_: str, detail: str, hint: str = _ANEW) -> Refusal:
    return Refusal("55000", f"release {release} {is_}, and cannot grow", detail=detail, hint=hint)


_ANCESTORS = (
    "WITH RECURSIVE earlier AS ("
    "SELECT release, grown_from, options FROM bkpriv.release WHERE release = $1 UNION "
    "SELECT r.release, r.grown_from, r.options FROM earlier AS e "
    "JOIN bkpriv.release AS r ON r.release = e.grown_from) "
)
"""SQL for a release and those that it has grown from."""


def _withdrawn(last: RecordedRelease, past: Respondents, now: Respondents) -> Set[str]:
    """Find the people whom a release does not show though one that it has grown from did.

    Some may have left meanwhile, and come back.
    """
    rows = run(
        f"{_ANCESTORS} SELECT coalesce(bool_or(options ->> 'departed' = 'withdraw'), false) AS any "
        "FROM earlier",
        ["bigint"],
        [last.release],
    )
    if not rows[0]["any"]:
        return frozenset()
    shown = {past.names[place] for place in np.flatnonzero(last.labels != SUPPRESSED).tolist()}
    return shown_before(last.release, [name for name in now.names if name not in shown])


def shown_before(release: int, among: Sequence[str]) -> Set[str]:
    """People among some whom the releases showed that a release has grown from.

    Those that were purged show nobody.
    """
    rows = run(
        f"{_ANCESTORS} SELECT release FROM earlier WHERE release <> $1",
        ["bigint"],
        [release],
    )
    return find_shown([row["release"] for row in rows], among)
