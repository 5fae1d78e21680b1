"""Facts that a report is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bkpriv_core.count import Count
from bkpriv_core.release.uniqueness import Uniqueness
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.wording import Bins
from bkpriv_core.verdict import Verdict

__all__ = [
    "AUDIENCES",
    "Attack",
    "Audience",
    "Bounded",
    "Contribution",
    "Event",
    "Facts",
    "Sibling",
    "SuppressedKind",
    "Sure",
    "ViewColumn",
]

Audience = Literal["officer", "outsiders"]
"""Reader of a report: the officer who answers for the release, or an outsider."""

AUDIENCES: tuple[Audience, ...] = ("officer", "outsiders")


@dataclass(frozen=True)
class Bounded:
    """One bound of an audit; see `bkpriv_core.audit.Finding`.

    The group with the worst figure has `group_records`; there `value` of people like `whom` is at
    fault, whose probability was `before` and is `after`. No release of the table has a figure above
    `most`.
    """

    requirement: str
    parameters: Mapping[str, Any]
    threshold: float
    worst: float | None
    mean: float | None
    vulnerable: int | None
    satisfied: bool
    estimator: str
    group_records: int | None = None
    whom: str | None = None
    value: str | None = None
    before: float | None = None
    after: float | None = None
    most: float | None = None

    @property
    def binds(self) -> bool:
        """Whether a release could break it, as far as that is known."""
        return self.most is None or not 0 < self.most <= self.threshold


@dataclass(frozen=True)
class Sure:
    """Number of people of whom a reader `became` sure; see `bkpriv_core.certainty`.

    The reader is described as in the parameters of a bound, and is `customary` where the policy
    names none. So many have the value that is believed of them (`right`), and of so many the reader
    was sure `anyway`. Counts that rest on an estimate are not `exact`.
    """

    parameters: Mapping[str, Any]
    customary: bool
    became: int
    right: int
    anyway: int
    exact: bool


@dataclass(frozen=True)
class Attack:
    """An attack on the release; see `bkpriv_core.attack`."""

    attacker: str
    at: str
    by: str
    options: Mapping[str, Any]
    """Options of the attacker, as in JSON; of those that have a default, all."""
    chosen: Collection[str]
    """Names of the options that are not as they are if nothing is said."""
    figures: Mapping[str | None, Mapping[str, float]]
    """Figures by the column that they are about, and by name. Those about no column, or about all
    as one, are under None.
    """

    @property
    def people(self) -> float:
        """Number of people whom it is about."""
        return self.figures.get(None, {}).get("people", 0.0)

    @property
    def stated(self) -> dict[str, Any]:
        """Options that were chosen."""
        return {key: value for key, value in self.options.items() if key in self.chosen}


@dataclass(frozen=True)
class Contribution:
    """Contribution bound of a release that counts persons: at `most` so many records, or all.

    They are the latest by a column, or chosen at random. So many `rows` are published, unless that
    is not known any more.
    """

    rows: int | None
    most: int | None
    latest_by: str | None


@dataclass(frozen=True)
class ViewColumn:
    """A column of a published view."""

    view: str
    name: str
    type: str
    comment: str


@dataclass(frozen=True)
class SuppressedKind:
    """Records of a kind that were left out, and the bound that stood in the way."""

    whom: str
    counted: int
    requirement: str
    threshold: float | None
    attained: float | None


@dataclass(frozen=True)
class Event:
    """Event in the life of the release."""

    at: str
    kind: str
    reason: str
    by: str


@dataclass(frozen=True)
class Sibling:
    """A release of the same dataset; `unit` is what it counts, as in `Facts`."""

    release: int
    period: str | None
    method: str
    status: str
    at: str
    records: int
    suppressed: int
    unit: str


@dataclass(frozen=True)
class Facts:
    """Facts that a report states about a release.

    What is not described is as in ``bkpriv.releases``.
    """

    release: int
    dataset: str
    source: str
    view: str
    policy: str
    method: str
    created_at: str
    created_by: str
    status: str
    period: str | None
    stale: bool | None
    """Whether the source has changed since; None if unknown."""
    records: int
    suppressed: int
    groups: int
    counterfeited: int
    """Numbers of each; of persons instead of records, where these are counted."""
    grown_from: int | None
    persons: Contribution | None
    """Selection of each person's records, where persons are counted instead of records."""
    form: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    passed: tuple[str, ...]
    unpublished: tuple[str, ...]
    """Columns that the source has now, and the release does not show."""
    bins: Bins
    apart: tuple[tuple[tuple[str, ...], int], ...]
    """Columns that pass through, and how many rows are unique within their group by them."""
    verdict: Verdict | None
    """Verdict on the release; None if it was not judged."""
    exchanging: Count | None
    """People of groups that can exchange members; None where readers are told the groups, or it is
    not known.
    """
    alone: Uniqueness | None
    """People who are unique by the quasi-identifiers; None if there are no groups, or they are not
    known.
    """
    largest: float | None
    """The largest share of a value in a group, likewise."""
    sure: tuple[Sure, ...]
    """Certainties of the readers of the policy, as far as they were counted."""
    shown: tuple[ViewColumn, ...]
    bounds: tuple[Bounded, ...]
    """An audit, made at the time and by the role of `audited`; now, if that is None."""
    audited: tuple[str, str] | None
    utility: Mapping[str, float | None]
    """Metrics of ``bkpriv.utility``; empty if they cannot be had any more."""
    left_out: tuple[SuppressedKind, ...]
    attacks: tuple[Attack, ...]
    """Latest attack by each attacker who was played."""
    events: tuple[Event, ...]
    """Latest of all events that `happened`."""
    happened: int
    siblings: tuple[Sibling, ...]
    """The latest releases of the dataset, and itself, in their order; there are `others`."""
    others: int
    elsewhere: tuple[int, ...]
    """Releases of other datasets whose sources read what its own reads, of those that the reader of
    the report may see.
    """
    readers: tuple[str, ...]
    """Roles that may read it now, as in SQL."""
    options: Mapping[str, Any]
    made_at: str
    version: str
    domains: tuple[Domain, ...] = ()
    """Quasi-identifiers, for units of bandwidths."""

    @property
    def unit(self) -> str:
        """Unit that is counted: records, or persons, where one may have several records."""
        return "records" if self.persons is None else "persons"

    @property
    def rows(self) -> int:
        """Number of published rows, as far as that is known."""
        rows = None if self.persons is None else self.persons.rows
        return self.published if rows is None else rows

    @property
    def published(self) -> int:
        """Number of published units."""
        return self.records - self.suppressed

    @property
    def least(self) -> int:
        """The least number of them that outsiders are told: that of a group, or else 5."""
        sizes = [bound.threshold for bound in self.bounds if bound.requirement == "k_anonymity"]
        return int(max(sizes, default=5))

    @property
    def kept(self) -> bool:
        """Whether all bounds are kept."""
        return all(bound.satisfied for bound in self.bounds)

    @property
    def together(self) -> list[Bounded]:
        """Bounds on this release together with earlier ones."""
        return [bound for bound in self.bounds if "together" in bound.parameters]

    @property
    def out(self) -> list[int]:
        """Other releases of the dataset that can be read, of those listed."""
        return [
            item.release
            for item in self.siblings
            if item.status == "published" and item.release != self.release
        ]
