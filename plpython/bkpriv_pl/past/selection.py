"""Selection: which releases are taken together, and why others are left out.

Code that takes several releases together asks here: one query reads their records, and one list has
the reasons why a release is left out, with their words. Withdrawn releases take part, since readers
remember them. Releases that are left out may tell more than is measured of the others, and messages
say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bkpriv_pl.past.lookup import unknown
from bkpriv_pl.past.recorded import COLUMNS
from bkpriv_pl.past.source_lineage import SEEN
from bkpriv_pl.server.boundary import run
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.dataset import Dataset

__all__ = [
    "FOLLOWING",
    "NO_PERIOD",
    "TOGETHER",
    "LeftOut",
    "Reason",
    "RecordedPeriod",
    "ReleaseFilter",
    "ReleaseRecord",
    "find_candidate",
    "find_left_out",
    "list_left_out",
    "select_beside",
    "select_dataset",
    "select_listed",
    "select_records",
]

_SHOWN = 8
"""Most releases that a message lists."""


@dataclass(frozen=True)
class RecordedPeriod:
    """The period of a release, as its history says it."""

    text: str | None
    """The period; None where the dataset had none."""
    type: str | None = None
    """SQL name of the type that tells it apart from others; None where none does for certain."""
    column: str | None = None
    bin: str | None = None

    @classmethod
    def of(cls, period: Period | None) -> RecordedPeriod:
        """Read what would be recorded of a period, or of none."""
        if period is None:
            return NO_PERIOD
        bin_ = period.column.bin
        unit = None if bin_ is None else bin_.unit or str(bin_.width)
        return cls(period.text, period.recorded_as, period.column.name, unit)

    @property
    def columns(self) -> dict[str, str | None]:
        """Record of it, by the columns of ``bkpriv.release``."""
        return {
            "period": self.text,
            "period_type": self.type,
            "period_column": self.column,
            "period_bin": self.bin,
        }

    def __str__(self) -> str:
        return "no period" if self.text is None else f"period {self.text}"

    def may_be(self, other: RecordedPeriod) -> bool:
        """Whether two may be of the same time, for all that is known of them."""
        return (
            None in (self.text, other.text, other.type)
            or self.text == other.text
            or (self.type, self.column, self.bin) != (other.type, other.column, other.bin)
        )


NO_PERIOD = RecordedPeriod(None)
"""The period of releases of a dataset without periods."""


@dataclass(frozen=True)
class ReleaseRecord:
    """A release that may be taken together with others."""

    release: int
    version: int
    """The id, and the number within the dataset."""
    dataset: str
    owner: str
    source: str
    """The table that it was made from, as in SQL."""
    view_schema: str
    view_name: str
    method: str
    records: int
    suppressed: int
    groups: int
    counterfeited: int
    respondent: str | None
    period: RecordedPeriod
    sensitive: str | None
    """Name of the sensitive attribute; None where nothing is on record."""
    attributes: int
    purged: bool
    drawn: bool
    named: bool
    some: bool
    several: bool
    """Whether it was purged; is randomized; names respondents; shows some of each person's records;
    shows several of a person.
    """
    shared: list[str]
    """Relations that it and the asked one were both read from, where datasets differ."""


_QUERY = (
    "SELECT r.release, r.version, r.dataset, r.owner, r.view_schema, r.view_name, r.method, "
    "format('%I.%I', r.source_schema, r.source_name) AS source, r.records, r.suppressed, "
    "r.groups, r.counterfeited, r.respondent_column AS respondent, r.period AS text, "
    "r.period_type AS type, r.period_column AS column, r.period_bin AS bin, "
    f"array_to_string({COLUMNS}, ', ') AS sensitive, "
    "(SELECT count(*) FROM bkpriv.release_attribute AS a WHERE a.release = r.release) "
    "AS attributes, EXISTS (SELECT FROM bkpriv.release_event AS e "
    "WHERE e.release = r.release AND kind = 'purged') AS purged, "
    "coalesce((SELECT a.retention IS NOT NULL FROM bkpriv.release_attribute AS a "
    "WHERE a.release = r.release ORDER BY a.place DESC LIMIT 1), false) AS drawn, "
    "p.release IS NOT NULL AS named, "
    "coalesce(jsonb_typeof(r.options -> 'max_records_per_person') = 'number', false) AS some, "
    "c.combination_offsets IS NOT NULL AS several, s.shared "
    "FROM {} AS s JOIN bkpriv.release AS r ON r.release = s.release "
    "LEFT JOIN bkpriv.release_respondent AS p ON p.release = r.release "
    "LEFT JOIN bkpriv.release_content AS c ON c.release = r.release "
    "WHERE {} ORDER BY r.release"
)
"""SQL for what is recorded of some releases, by where they are found and a condition on each."""


def _select(
    found: str, types: Iterable[str], values: Iterable[Any], condition: str = "true"
) -> list[ReleaseRecord]:
    """Records of releases that the caller may see, by their ids."""
    names = ("text", "type", "column", "bin")
    return [
        ReleaseRecord(period=RecordedPeriod(*map(row.pop, names)), **row)
        for row in run(_QUERY.format(found, condition), types, values)
    ]


def select_dataset(dataset: str, owner: str) -> list[ReleaseRecord]:
    """Releases of a dataset, whatever became of them, in the order of their publication."""
    found = (
        "(SELECT release, '{}'::text[] AS shared FROM bkpriv.release "
        "WHERE (dataset, owner) = ($1, $2))"
    )
    selected = _select(found, ["text", "text"], [dataset, owner])
    return sorted(selected, key=lambda each: each.version)


def select_listed(releases: Sequence[int | None]) -> list[ReleaseRecord]:
    """Releases of such ids, in their order.

    Raises:
        Refusal: If the caller may not see one.
    """
    found = "(SELECT release, '{}'::text[] AS shared FROM unnest($1) AS release)"
    selected = _select(found, ["bigint[]"], [list(releases)])
    seen = {each.release for each in selected}
    for release in releases:
        if release not in seen:
            raise unknown(release)
    return selected


def find_candidate(release: int | None) -> ReleaseRecord:
    """One release; see `select_listed`."""
    return select_listed([release])[0]


def select_records(
    dataset: str, owner: str, bases: Sequence[str], *, of_owner: bool = False
) -> list[ReleaseRecord]:
    """Releases that may show the same records: of a dataset, and of all that read some relations.

    Args:
        bases: The relations; see `bkpriv_pl.past.source_lineage`.
        of_owner: Whether only what the owner may see counts, who may see less than the caller.
    """
    return _select(
        "bkpriv_internal.releases_of($1, $2, $3)",
        ["text", "text", "text[]", "bool"],
        [dataset, owner, list(bases), of_owner],
        f"NOT $4 OR {SEEN.format('$2', 'r.owner')}",
    )


def select_beside(dataset: str, owner: str, bases: Sequence[str]) -> list[ReleaseRecord]:
    """Releases of other datasets that may show the same records; see `select_records`."""
    return [each for each in select_records(dataset, owner, bases) if each.shared]


@dataclass(frozen=True)
class ReleaseFilter:
    """Traits that releases have in common that are taken together."""

    dataset: str
    owner: str
    sensitive: str
    respondent: str | None = None
    """The column that they name respondents by; None if any will do."""
    period: RecordedPeriod = NO_PERIOD

    @classmethod
    def of(cls, dataset: Dataset, period: Period | None = None) -> ReleaseFilter:
        """Take the traits of a dataset, and of a period of it."""
        return cls(
            dataset.name,
            dataset.owner,
            dataset.sensitive,
            dataset.respondent,
            period=RecordedPeriod.of(period),
        )

    @classmethod
    def of_release(cls, release: ReleaseRecord, sensitive: str) -> ReleaseFilter:
        """Take the traits of the dataset of a release, about an attribute."""
        return cls(
            release.dataset, release.owner, sensitive, release.respondent, period=release.period
        )


class Reason(Enum):
    """Reasons why a release is left out, in words that follow its name."""

    PURGED = "was purged"
    EMPTY = "has no content on record"
    RANDOMIZED = "is randomized, and shows no groups"
    ANONYMOUS = "names no respondents"
    SOME_RECORDS = "shows some of each person's records"
    SEVERAL_RECORDS = "shows several records of a person"
    OTHER_COLUMN = 'names respondents by column "{column}"'
    OTHER_SENSITIVE = "{sensitive}"
    COUNTERFEIT = "shows counterfeit values"
    OTHER_DATASET = "is of another dataset"
    OTHER_PERIOD = "is of {period}"


_HOLDS: Mapping[Reason, Callable[[ReleaseRecord, ReleaseFilter], bool]] = {
    Reason.PURGED: lambda it, _: it.purged and not it.attributes,
    Reason.EMPTY: lambda it, _: not it.attributes,
    Reason.RANDOMIZED: lambda it, _: it.drawn,
    Reason.ANONYMOUS: lambda it, _: not it.named,
    Reason.SOME_RECORDS: lambda it, _: it.some,
    Reason.SEVERAL_RECORDS: lambda it, _: it.several,
    Reason.OTHER_COLUMN: lambda it, like: like.respondent not in (None, it.respondent),
    Reason.OTHER_SENSITIVE: lambda it, like: it.sensitive != like.sensitive,
    Reason.COUNTERFEIT: lambda it, _: it.counterfeited > 0,
    Reason.OTHER_DATASET: lambda it, like: (it.dataset, it.owner) != (like.dataset, like.owner),
    Reason.OTHER_PERIOD: lambda it, like: it.period.text != like.period.text,
}

TOGETHER = (
    Reason.PURGED,
    Reason.EMPTY,
    Reason.RANDOMIZED,
    Reason.ANONYMOUS,
    Reason.SOME_RECORDS,
    Reason.OTHER_COLUMN,
    Reason.OTHER_SENSITIVE,
    Reason.COUNTERFEIT,
)
"""Reasons why a release is not judged together with others of the same people."""

FOLLOWING = (*TOGETHER[:5], Reason.SEVERAL_RECORDS, *TOGETHER[5:-1])
"""Reasons why a release is no part of a sequence, in which a person has one value at a time."""


@dataclass(frozen=True)
class LeftOut:
    """A reason why a release is left out, and its words."""

    reason: Reason
    words: str

    def __str__(self) -> str:
        return self.words


def find_left_out(
    candidate: ReleaseRecord, like: ReleaseFilter, reasons: Iterable[Reason] = TOGETHER
) -> LeftOut | None:
    """The first of some reasons for which a release is left out; None if it is taken."""
    reason = next((each for each in reasons if _HOLDS[each](candidate, like)), None)
    if reason is None:
        return None
    words = reason.value.format(
        column=candidate.respondent,
        sensitive=f'is about "{candidate.sensitive}"'
        if candidate.sensitive
        else "has no sensitive column",
        period=candidate.period,
    )
    return LeftOut(reason, words)


def list_left_out(left_out: Mapping[int, LeftOut]) -> str:
    """List releases that are left out, by their ids, and why."""
    listed = [f"release {release} {why}" for release, why in left_out.items()]
    return f"{'; '.join(listed[:_SHOWN])}{'; ...' * (len(listed) > _SHOWN)}"
