"""Chains: the releases of a dataset as what was shown of each respondent, one after another.

Withdrawn releases are among them: who saw one remembers it. Left out are those that too little is
recorded of, which may understate what adversaries learn, and is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.library import Library
from bkpriv_core.errors import InvalidParameter, TooLarge, UnsoundHistory
from bkpriv_core.release.recorded.content import Content
from bkpriv_core.release.recorded.respondent import read_shown
from bkpriv_core.release.recorded.soundness import of_release, unsound
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.history import Step as Shown
from bkpriv_core.sequence.inference import Snapshots
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_pl import telling
from bkpriv_pl.boundary import Refusal, run
from bkpriv_pl.history import (
    RecordedRelease,
    Step,
    find_release,
    find_respondents,
    find_steps,
)
from bkpriv_pl.progress import POLLED
from bkpriv_pl.recorded import COLUMNS, read_labels, read_respondents

__all__ = ["Chain", "find_left_out", "in_column", "read_chain", "tell_apart"]

_COUNTS = 200_000_000
"""Most records of all releases, each times the values of its release: arrays of 1.6 GB."""

_SHOWN = 8
"""How many releases a message lists."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Releases of a dataset in the order of their publication.

    Parameters
    ----------
    dataset, owner : str
        The dataset, and whose the releases are.
    steps : tuple of Step
        All of them.
    left_out : dict of int to str
        Why a release is left out, by its id.
    history : History
        What the others showed of whom.
    names : dict of str to int
        Number of each respondent that one of these has: as many as there are, from 0.
    library : Library
        Where priors from outside are read.
    """

    dataset: str
    owner: str
    steps: tuple[Step, ...]
    left_out: dict[int, str]
    history: History
    names: dict[str, int]
    library: Library

    @cached_property
    def held(self) -> tuple[Step, ...]:
        """The releases that are not left out, in the course of time."""
        return tuple(step for step in self.steps if step.release not in self.left_out)

    def find_period(self, period: str) -> set[int]:
        """Place in time of a period, written as its type reads it; none if no release is of it.

        Raises
        ------
        InvalidParameter
            If the releases' periods are of a type that has no such value.
        """
        rows = run(
            "SELECT DISTINCT period_type FROM bkpriv.release "
            "WHERE release = ANY ($1) AND period IS NOT NULL",
            ["bigint[]"],
            [[step.release for step in self.steps]],
        )
        type_ = rows[0]["period_type"] if len(rows) == 1 else None
        try:
            *steps, asked = find_steps(self.dataset, self.owner, (period, type_))
        except UnsoundHistory as error:
            raise InvalidParameter(
                f'{period!r} is no period of dataset "{self.dataset}"',
                detail=error.detail,
                hint="Write it as a value of the type of the releases' periods.",
            ) from None
        same = {step.release for step in steps if step.when == asked.when}
        return {step.when for step in self.steps if step.release in same}

    def only(self, releases: Collection[int]) -> Chain:
        """The chain with some of its releases only; people keep their numbers."""
        steps = tuple(step for step in self.history.steps if step.release in releases)
        return replace(self, history=History(steps))

    def number(self, names: Sequence[str]) -> IntArray:
        """Numbers of respondents, those of whom nobody knows yet included, shape (n,)."""
        return _number(_numbers(self.names), names)

    def snapshots(self, knowledge: Knowledge) -> Snapshots:
        """What is believed of respondents without a past.

        It depends on quasi-identifiers, and is the only reason to read those.
        """

        def snapshot(place: int) -> FloatArray:
            return self.recorded(place).setting.prior(knowledge)

        return snapshot

    @cached_property
    def recorded(self) -> Callable[[int], RecordedRelease]:
        """The release at a place, with all that is recorded; it is read once."""

        @cache
        def recorded(place: int) -> RecordedRelease:
            told, _ = tell_apart(find_release(self.history.steps[place].release))
            return replace(told, library=self.library)

        return recorded

    def warn(self) -> None:
        """Say which releases are left out."""
        if self.left_out:
            listed = "; ".join(
                f"release {release} {reason}"
                for release, reason in list(self.left_out.items())[:_SHOWN]
            )
            telling.warning(
                f"{len(self.left_out)} of {len(self.steps)} releases are left out",
                detail=f"{listed}{'; ...' if len(self.left_out) > _SHOWN else ''}.",
                hint="Who saw them remembers more than is measured here.",
            )


def read_chain(
    dataset: str,
    owner: str,
    sensitive: str,
    steps: Sequence[Step],
    library: Library,
    respondent: str | None = None,
    *,
    following: bool = False,
) -> Chain:
    """Read releases of a dataset.

    Parameters
    ----------
    dataset, owner : str
        The dataset, and whose the releases are.
    sensitive : str
        The sensitive attribute that they are to be about.
    steps : sequence of Step
        The releases.
    library : Library
        Where priors from outside are read.
    respondent : str, optional
        The column that they are to name respondents by, if only one will do.
    following : bool
        Whether values are to follow each other, of which a person has one at a time.

    Raises
    ------
    TooLarge
        If they would not fit in memory.
    UnsoundHistory
        If a release is not as a publication can have recorded it.
    """
    releases = [step.release for step in steps]
    left_out, contents = find_left_out(sensitive, releases, respondent, following=following)
    labels = read_labels(list(contents))
    names = _numbers({})
    shown: list[Shown] = []
    for step in steps:
        POLLED.poll()
        if step.release not in left_out:
            content = contents[step.release]
            shown.append(_read_shown(step, sensitive, *labels[step.release], content, names))
    history = History(tuple(shown))
    return Chain(dataset, owner, tuple(steps), left_out, history, dict(names), library)


def _read_shown(
    step: Step,
    sensitive: str,
    labels: Labels,
    called: Labels,
    content: Content,
    names: defaultdict[str, int],
) -> Shown:
    """What a release shows of whom; see `_number`."""
    with of_release(step.release):
        respondents = read_respondents(step.release)
        if respondents is None or respondents.values is None:
            raise unsound("its respondents are missing", "There were some a moment ago.")
        groups = read_shown(sensitive, labels, respondents, respondents.values, content)
    return Shown(
        step.release,
        called,
        _number(names, respondents.names),
        respondents.values,
        groups,
        step.when,
        respondents.shown,
    )


def _numbers(known: Mapping[str, int]) -> defaultdict[str, int]:
    """Numbers of names, which give the next one to a name that has none."""
    return defaultdict(count(len(known)).__next__, known)


def _number(numbers: defaultdict[str, int], names: Sequence[str]) -> IntArray:
    """Number of each name."""
    # No loop: of all that is read of a release, names would take longest.
    return np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))


def tell_apart(recorded: RecordedRelease) -> tuple[RecordedRelease, Respondents]:
    """Tell the respondents of a release apart; return it, and them in order.

    Raises
    ------
    Refusal
        If it is not recorded which record is whose.
    NoGroups
        If it has no groups.
    """
    labels = recorded.groups.labels(len(recorded.parts))
    respondents = find_respondents(recorded)
    if respondents is None or respondents.parts is None or respondents.values is None:
        raise Refusal(
            "55000",
            f"release {recorded.release} does not tell respondents apart",
            detail="Its dataset named no respondents, or it was made by a version before 0.3.0, "
            "which did not record whose record is in which part of it.",
            hint="Who remembers earlier releases can be measured of releases made since.",
        )
    cells = recorded.parts.cell[respondents.parts]
    told = Respondents(tuple(respondents.names), cells, respondents.values)
    return (
        replace(
            recorded,
            parts=told.apart(recorded.table, respondents.shown),
            partition=Groups.from_labels(labels[respondents.parts]),
        ),
        told,
    )


def in_column(name: str | None) -> str:
    """What messages call a column that respondents are named by, as far as it is recorded."""
    return "a column that is not recorded" if name is None else f'column "{name}"'


def find_left_out(
    sensitive: str,
    releases: list[int],
    respondent: str | None = None,
    *,
    following: bool = False,
) -> tuple[dict[int, str], dict[int, Content]]:
    """Why releases can be no part of a chain about an attribute, and figures of the others.

    Parameters
    ----------
    sensitive : str
        The attribute.
    releases : list of int
        The releases.
    respondent, following
        See `read_chain`.

    Raises
    ------
    TooLarge
        If there is too much of them.
    """
    rows = run(
        "SELECT r.release, r.records, r.suppressed, r.groups, r.respondent_column, "
        f"array_to_string({COLUMNS}, ', ') AS attribute, "
        "coalesce(cardinality(c.combination_offsets) - 1, cardinality(c.combinations), "
        "cardinality(a.labels)) AS size, a.release IS NULL AS empty, EXISTS (SELECT "
        "FROM bkpriv.release_event AS e "
        "WHERE e.release = r.release AND kind = 'purged') AS purged, "
        "a.retention IS NOT NULL AS drawn, p.release IS NULL AS anonymous, "
        "p.parts IS NULL AS unplaced, "
        "jsonb_typeof(r.options -> 'max_records_per_person') = 'number' AS some, "
        "EXISTS (SELECT FROM bkpriv.release_content AS c "
        "WHERE c.release = r.release AND c.combination_offsets IS NOT NULL) AS several "
        "FROM bkpriv.release AS r LEFT JOIN bkpriv.release_respondent AS p USING (release) "
        "LEFT JOIN bkpriv.release_content AS c USING (release) "
        "LEFT JOIN LATERAL (SELECT l.* FROM bkpriv.release_attribute AS l "
        "WHERE l.release = r.release ORDER BY l.place DESC LIMIT 1) AS a ON true "
        "WHERE r.release = ANY ($1) ORDER BY r.release",
        ["bigint[]"],
        [releases],
    )
    reasons: dict[int, str] = {}
    contents: dict[int, Content] = {}
    counts = 0
    for row in rows:
        if row["empty"]:
            reasons[row["release"]] = "was purged" if row["purged"] else "has no content on record"
        elif row["drawn"]:
            reasons[row["release"]] = "is randomized, and shows no groups"
        elif row["anonymous"]:
            reasons[row["release"]] = "names no respondents"
        elif row["unplaced"]:
            reasons[row["release"]] = (
                "was made by a version that did not record whose record is where"
            )
        elif row["some"]:
            reasons[row["release"]] = "shows some of each person's records"
        elif row["several"] and following:
            reasons[row["release"]] = "shows several records of a person"
        elif respondent not in (None, row["respondent_column"]):
            reasons[row["release"]] = f"names respondents by {in_column(row['respondent_column'])}"
        elif row["attribute"] != sensitive:
            reasons[row["release"]] = f'is about "{row["attribute"]}"'
        else:
            contents[row["release"]] = Content(row["records"], row["suppressed"], row["groups"])
            counts += row["records"] * row["size"]
    if counts > _COUNTS:
        listed = ", ".join(map(str, [*contents][:_SHOWN])) + ", ..." * (len(contents) > _SHOWN)
        raise TooLarge(
            f"{len(contents)} releases ({listed}) are too large to be taken together",
            detail=f"Their records, each times the values that it may have, are {counts}; at most "
            f"{_COUNTS} fit in memory.",
            hint="Bin the sensitive column, so that it has fewer values.",
        )
    return reasons, contents
