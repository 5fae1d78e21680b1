"""Chains: the releases of a dataset as what was shown of each respondent, one after another.

Withdrawn releases are among them: who saw one remembers it. Left out are those that too little is
recorded of, which may understate what adversaries learn, and is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np
import plpy

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.setting import Library
from bkpriv_core.errors import InvalidParameter, TooLarge, UnsoundHistory
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.history import Step as Shown
from bkpriv_core.sequence.inference import Snapshots
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_pl.boundary import Refusal, run
from bkpriv_pl.history import (
    RecordedRelease,
    Step,
    find_release,
    find_respondents,
    find_steps,
)
from bkpriv_pl.progress import POLLED

__all__ = ["Chain", "read_chain", "tell_apart"]

_COUNTS = 200_000_000
"""Most records of all releases, each times the values of its release: arrays of 1.6 GB."""

_SHOWN = 8
"""How many releases a warning lists."""


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
    releases : tuple of RecordedRelease
        The others, with respondents told apart.
    names : dict of str to int
        Number of each respondent that one of these has; there may be others between them.
    persons : tuple of (n,) int array
        For each release the number of each respondent.
    """

    dataset: str
    owner: str
    steps: tuple[Step, ...]
    left_out: dict[int, str]
    releases: tuple[RecordedRelease, ...]
    names: dict[str, int]
    persons: tuple[IntArray, ...]

    @cached_property
    def held(self) -> tuple[Step, ...]:
        """The releases that are not left out, in the course of time."""
        return tuple(step for step in self.steps if step.release not in self.left_out)

    @cached_property
    def history(self) -> History:
        """What was shown of whom."""
        return History(
            tuple(
                Shown(
                    recorded.release,
                    replace(recorded.parts, respondent=persons),
                    recorded.groups,
                    step.when,
                )
                for recorded, persons, step in zip(
                    self.releases, self.persons, self.held, strict=True
                )
            )
        )

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

    def number(self, names: Sequence[str]) -> IntArray:
        """Numbers of respondents, those of whom nobody knows yet included, shape (n,)."""
        return _number(dict(self.names), names, sum(map(len, self.persons)))

    def snapshots(self, knowledge: Knowledge) -> Snapshots:
        """What is believed of respondents without a past."""

        def snapshot(place: int) -> FloatArray:
            return self.releases[place].setting.prior(knowledge)

        return snapshot

    def warn(self) -> None:
        """Say which releases are left out."""
        if self.left_out:
            listed = "; ".join(
                f"release {release} {reason}"
                for release, reason in list(self.left_out.items())[:_SHOWN]
            )
            plpy.warning(
                f"{len(self.left_out)} of {len(self.steps)} releases are left out",
                detail=f"{listed}{'; ...' if len(self.left_out) > _SHOWN else ''}.",
                hint="Who saw them remembers more than is measured here.",
            )


def read_chain(
    dataset: str, owner: str, sensitive: str, steps: Sequence[Step], library: Library
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

    Raises
    ------
    TooLarge
        If they would not fit in memory.
    UnsoundHistory
        If a release is not as a publication can have recorded it.
    """
    left_out = _left_out(dataset, sensitive, [step.release for step in steps])
    names: dict[str, int] = {}
    releases: list[RecordedRelease] = []
    persons: list[IntArray] = []
    for step in steps:
        POLLED.poll()
        if step.release not in left_out:
            recorded, respondents = tell_apart(find_release(step.release))
            releases.append(replace(recorded, library=library))
            persons.append(_number(names, respondents, sum(map(len, persons))))
    return Chain(dataset, owner, tuple(steps), left_out, tuple(releases), names, tuple(persons))


def _number(numbers: dict[str, int], names: Sequence[str], first: int) -> IntArray:
    """Number of each name; those that have none get numbers from `first`."""
    # No loop: of all that is read of a release, names would take longest.
    return np.fromiter(map(numbers.setdefault, names, count(first)), np.int64, len(names))


def tell_apart(recorded: RecordedRelease) -> tuple[RecordedRelease, tuple[str, ...]]:
    """Tell the respondents of a release apart; return it, and their names in order.

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
            parts=told.apart(recorded.table),
            partition=Groups.from_labels(labels[respondents.parts]),
        ),
        told.names,
    )


def _left_out(dataset: str, sensitive: str, releases: list[int]) -> dict[int, str]:
    """Why releases are no part of the chain; refuse those of which there is too much."""
    rows = run(
        "SELECT r.release, r.records, a.attribute, cardinality(a.labels) AS size, "
        "a.release IS NULL AS erased, a.retention IS NOT NULL AS drawn, "
        "p.release IS NULL AS anonymous, p.parts IS NULL AS unplaced "
        "FROM bkpriv.release AS r LEFT JOIN bkpriv.release_respondent AS p USING (release) "
        "LEFT JOIN LATERAL (SELECT l.* FROM bkpriv.release_attribute AS l "
        "WHERE l.release = r.release ORDER BY l.place DESC LIMIT 1) AS a ON true "
        "WHERE r.release = ANY ($1) ORDER BY r.release",
        ["bigint[]"],
        [releases],
    )
    reasons = {}
    counts = 0
    for row in rows:
        if row["erased"]:
            reasons[row["release"]] = "was purged"
        elif row["drawn"]:
            reasons[row["release"]] = "is randomized, and shows no groups"
        elif row["anonymous"]:
            reasons[row["release"]] = "names no respondents"
        elif row["unplaced"]:
            reasons[row["release"]] = (
                "was made by a version that did not record whose record is where"
            )
        elif row["attribute"] != sensitive:
            reasons[row["release"]] = f'is about "{row["attribute"]}"'
        else:
            counts += row["records"] * row["size"]
    if counts > _COUNTS:
        raise TooLarge(
            f'the {len(rows) - len(reasons)} releases of dataset "{dataset}" are too large '
            "to be taken together",
            detail=f"Their records, each times the values that it may have, are {counts}; at most "
            f"{_COUNTS} fit in memory.",
            hint="Bin the sensitive column, so that it has fewer values.",
        )
    return reasons
