"""Chains: the releases of a dataset as what was shown of each respondent, one after another.

Withdrawn releases are among them: who saw one remembers it. Left out are those that too little is
recorded of, which may understate what adversaries learn, and is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.knowledge_source import KnowledgeSource
from bkpriv_core.errors import InvalidData, InvalidParameter, TooLarge
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.sequence.inference import Snapshots
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_pl.past.course import PlacedRelease, find_course
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.recorded import read_labels, read_respondents
from bkpriv_pl.past.selection import (
    TOGETHER,
    LeftOut,
    Reason,
    RecordedPeriod,
    ReleaseFilter,
    ReleaseRecord,
    find_left_out,
    list_left_out,
)
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.server.progress import POLLED

__all__ = ["Chain", "read_chain", "tell_apart"]

_COUNTS = 200_000_000
"""Largest sum over releases of their records times their values: arrays of 1.6 GB."""

_SHOWN = 8
"""Limit of the releases that a message lists."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Releases of a dataset in the order of their publication."""

    like: ReleaseFilter
    """Key that the releases have in common."""
    steps: tuple[PlacedRelease, ...]
    left_out: dict[int, LeftOut]
    """Reason why a release is left out, by its id."""
    history: History
    """History of the others: their groups, as sets of respondents."""
    names: dict[str, int]
    """Number of each respondent that one of these has: as many as there are, from 0."""
    library: KnowledgeSource
    """Source of priors from outside."""

    @cached_property
    def held(self) -> tuple[PlacedRelease, ...]:
        """The releases that are not left out, in the course of time."""
        return tuple(step for step in self.steps if step.release not in self.left_out)

    def find_period(self, period: str) -> set[int]:
        """Place in time of a period, written as its type reads it; none if no release is of it.

        Raises:
            InvalidParameter: If the releases' periods are of a type that has no such value.
        """
        types = {step.candidate.period.type for step in self.steps if step.period is not None}
        asked = RecordedPeriod(period, types.pop() if len(types) == 1 else None)
        try:
            steps, when = find_course(self.like.dataset, self.like.owner, asked)
        except InvalidData as error:
            raise InvalidParameter(
                f'{period!r} is no period of dataset "{self.like.dataset}"',
                detail=error.detail,
                hint="Write it as a value of the type of the releases' periods.",
            ) from None
        same = {step.release for step in steps if step.when == when}
        return {step.when for step in self.steps if step.release in same}

    def number(self, names: Sequence[str]) -> IntArray:
        """Numbers of respondents, those of whom nobody knows yet included, shape (n,)."""
        return _number(_numbers(self.names), names)

    def snapshots(self, knowledge: Knowledge) -> Snapshots:
        """Beliefs about respondents without a past.

        It depends on quasi-identifiers, and is the only reason to read those.
        """

        def snapshot(place: int) -> FloatArray:
            return self.recorded(place).threat.prior(knowledge)

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
            notices.warning(
                f"{len(self.left_out)} of {len(self.steps)} releases are left out",
                detail=f"{list_left_out(self.left_out)}.",
                hint="Readers who saw them learn more than is measured here.",
            )


def read_chain(
    like: ReleaseFilter,
    steps: Sequence[PlacedRelease],
    library: KnowledgeSource,
    reasons: Iterable[Reason] = TOGETHER,
) -> Chain:
    """Read releases of a dataset.

    Args:
        like: Key that the releases are to have in common.
        library: Source of priors from outside.
        reasons: Reasons for which releases are left out.

    Raises:
        TooLarge: If they would not fit in memory.
    """
    why = {step.release: find_left_out(step.candidate, like, reasons) for step in steps}
    left_out = {release: why for release, why in sorted(why.items()) if why is not None}
    held = [step for step in steps if step.release not in left_out]
    _check_room([step.candidate for step in held])
    labels = read_labels([step.release for step in held])
    names = _numbers({})
    shown = (_read_shown(step, labels[step.release][1], names) for step in held)
    history = History(tuple(shown))
    return Chain(like, tuple(steps), left_out, history, names=dict(names), library=library)


def _read_shown(
    step: PlacedRelease, called: Labels, names: defaultdict[str, int]
) -> SequenceRelease:
    """Groups that a release shows, as sets of respondents; see `_number`."""
    POLLED.poll()
    respondents = read_respondents(step.release)
    assert respondents is not None
    groups = Groups.from_labels(respondents.labels)
    return SequenceRelease(
        step.release,
        called,
        _number(names, respondents.names),
        respondents.values,
        groups=groups,
        when=step.when,
        shown=respondents.shown,
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

    Raises:
        Refusal: If it names no respondents.
        NoGroups: If it has no groups.
    """
    labels = recorded.groups.labels(len(recorded.parts))
    respondents = read_respondents(recorded.release)
    if respondents is None:
        raise Refusal(
            "55000",
            f"release {recorded.release} does not tell respondents apart",
            detail="Its dataset named no respondents.",
            hint="Measure adversaries who remember on a release of a dataset that names some.",
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


def _check_room(held: Sequence[ReleaseRecord]) -> None:
    """Refuse releases that would not fit in memory."""
    sizes = {
        row["release"]: row["size"]
        for row in run(
            "SELECT a.release, coalesce(cardinality(c.combination_offsets) - 1, "
            "nullif(cardinality(c.combinations), 0), cardinality(a.labels)) AS size "
            "FROM (SELECT DISTINCT ON (release) release, labels FROM bkpriv.release_attribute "
            "WHERE release = ANY ($1) ORDER BY release, place DESC) AS a "
            "LEFT JOIN bkpriv.release_content AS c USING (release)",
            ["bigint[]"],
            [[each.release for each in held]],
        )
    }
    counts = sum(each.records * sizes[each.release] for each in held)
    if counts > _COUNTS:
        ids = [each.release for each in held]
        listed = ", ".join(map(str, ids[:_SHOWN])) + ", ..." * (len(ids) > _SHOWN)
        raise TooLarge(
            f"{len(ids)} releases ({listed}) are too large to be taken together",
            detail=f"Their records, each times the values that it may have, are {counts}; at most "
            f"{_COUNTS} fit in memory.",
            hint="Bin the sensitive column, so that it has fewer values.",
        )
