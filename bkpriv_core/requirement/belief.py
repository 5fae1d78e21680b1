"""(B,t)-privacy and its skyline (Li, Li, Zhang 2009, definitions 1 and 2).

Against a range of bandwidths a figure that keeps the bound is the largest at any bandwidth that was
computed, and is known to keep it at all between; see `bkpriv_core.belief.ranging`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from bkpriv_core.belief.disclosure import Adversaries
from bkpriv_core.belief.knowledge import (
    Between,
    Knowledge,
    Remembered,
    Stated,
    state_knowledge,
)
from bkpriv_core.belief.posterior import EXACT, Estimator
from bkpriv_core.belief.ranging import Ranged
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import Progress
from bkpriv_core.requirement.base import (
    SLACK,
    Blame,
    Bound,
    Measurement,
    Requirement,
    Shift,
)
from bkpriv_core.requirement.sight import Sight
from bkpriv_core.stated import About, Range, read
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.together.measurement import Joint

__all__ = ["BtPrivacy"]

_MOST_BELIEFS = 2**26
"""Most probabilities of adversaries of a range at a time, arrays of half a gigabyte."""

_HELD = 32
"""Of how many adversaries there are as many numbers as are held at a time."""


@dataclass(frozen=True)
class _Adversary:
    """One of a skyline, as stated."""

    bandwidth: Stated
    t: Annotated[float, Range(at_least=0, at_most=1)]
    sensitive: str | None = None
    joint: bool = False


_Skyline = Annotated[
    tuple[_Adversary, ...],
    About(
        hint='Write [{"bandwidth": 0.3, "t": 0.2}], one object for each adversary.',
        item="adversary",
    ),
]


@dataclass(frozen=True)
class BtPrivacy(Requirement):
    """Skyline (B,t)-privacy: no adversary i of the skyline moves a belief by more than t_i.

    Adversaries are Adv(B), or know what a `Knowledge` of another form says; or are all those of a
    range, of which some are computed.

    Parameters
    ----------
    skyline : tuple of tuples of Knowledge and float
        What each knows, and his t.
    sights : tuple of Sight
        What each of them is kept from; all that is told, of whoever is beyond the end.
    """

    skyline: tuple[tuple[Knowledge, float], ...]
    sights: tuple[Sight, ...] = ()
    key: ClassVar[str] = "bt_privacy"
    cost: ClassVar[int] = 3
    infers: ClassVar[bool] = True

    @classmethod
    def parse(cls, value: object) -> BtPrivacy:
        """Read ``[{"bandwidth": 0.3, "t": 0.2}, ...]`` or one such object."""
        stated = read(_Skyline, value, cls.key)
        sights = tuple(Sight(sensitive=item.sensitive, joint=item.joint) for item in stated)
        for sight in sights:
            sight.check(cls.key)
        said = any(sight != Sight() for sight in sights)
        return cls(tuple((item.bandwidth, item.t) for item in stated), sights if said else ())

    def about(self, columns: Sequence[str], combined: bool) -> tuple[BtPrivacy, ...]:
        """One of all columns; see `Requirement`. Beliefs are inferred once for all of them."""
        pairs = [
            (one, sight)
            for one, stated in zip(self.skyline, self._sights, strict=True)
            for sight in stated.of(columns, combined, self.key)
        ]
        skyline, sights = zip(*pairs, strict=True)
        return (replace(self, skyline=skyline, sights=sights if combined else ()),)

    @property
    def _sights(self) -> tuple[Sight, ...]:
        """What each adversary is kept from, one for each of the skyline."""
        return (*self.sights, *[Sight()] * (len(self.skyline) - len(self.sights)))

    def _columns(self, setting: Setting) -> list[str | None]:
        return [sight.column(setting) for sight in self._sights]

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """One bound for each adversary."""
        return tuple(
            Bound(
                self.key,
                {"bandwidth": state_knowledge(knowledge), "t": t, **sight.parameters},
                t,
                upper=True,
                remembers=isinstance(knowledge, Remembered),
                ranged=isinstance(knowledge, Between),
            )
            for (knowledge, t), sight in zip(self.skyline, self._sights, strict=True)
        )

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """See `Requirement`; of a range, its grid, of which releases together are measured."""
        return tuple(knowledge for knowledge, _ in self.each.skyline)

    @property
    def ranges(self) -> bool:
        """Whether a bound is about a range of bandwidths."""
        return any(isinstance(knowledge, Between) for knowledge, _ in self.skyline)

    @cached_property
    def each(self) -> BtPrivacy:
        """The same with a bound for every adversary of a range; this, if there is no range."""
        if not self.ranges:
            return self
        skyline = [
            ((one, t), sight)
            for (_, t), several, sight in zip(self.skyline, self.several, self._sights, strict=True)
            for one in several
        ]
        return self._of(skyline)

    @cached_property
    def several(self) -> tuple[tuple[Knowledge, ...], ...]:
        """Adversaries of each bound."""
        return tuple(
            knowledge.grid if isinstance(knowledge, Between) else (knowledge,)
            for knowledge, _ in self.skyline
        )

    @cached_property
    def _first(self) -> IntArray:
        """Place of the first adversary of each bound."""
        return np.cumsum([0, *map(len, self.several)])[:-1]

    def _of_bounds(self, figures: FloatArray) -> FloatArray:
        """Figures of each bound, from those of every adversary, shapes (b, e) and (a, e)."""
        worst: FloatArray = np.maximum.reduceat(figures, self._first, axis=0)
        return worst

    @property
    def sampled(self) -> BtPrivacy:
        """See `Requirement`."""
        return self.each

    def against(self, adversaries: Sequence[Sequence[tuple[float, float]]]) -> BtPrivacy:
        """The same with some adversaries of each range: bandwidths, and bounds of their own."""
        several = iter(adversaries)
        return self._of(
            [
                (one, sight)
                for pair, sight in zip(self.skyline, self._sights, strict=True)
                for one in (next(several) if isinstance(pair[0], Between) else (pair,))
            ]
        )

    def _of(self, pairs: Sequence[tuple[tuple[Knowledge, float], Sight]]) -> BtPrivacy:
        skyline, sights = zip(*pairs, strict=True)
        return replace(self, skyline=skyline, sights=sights if self.sights else ())

    @property
    def tells_apart(self) -> bool:
        """Whether an adversary believes different things of records in a cell."""
        return any(bound.remembers for bound in self.bounds)

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Infer every adversary's posterior and measure how far beliefs move.

        Raises
        ------
        TooLarge
            If the beliefs of adversaries of a range do not fit in memory.
        """
        if not self.ranges:
            disclosure = self._adversaries(setting).disclosure(groups, estimator, progress)
            return Measurement(disclosure.figures, disclosure.used)
        figures = np.zeros((len(self.skyline), len(groups.members)))
        used = np.full(len(groups), EXACT, dtype=np.int8)
        ranged: list[Ranged | None] = [None] * len(self.skyline)
        single = [place for place, item in enumerate(self.skyline) if not _wide(item)]
        if single:
            pairs = list(zip(self.skyline, self._sights, strict=True))
            measured = self._of([pairs[place] for place in single]).measure(
                setting, groups, estimator, progress
            )
            figures[single], used = measured.figures, measured.used
        for between, places in self._alike().items():
            _check_memory(setting)
            judged = [
                (self._sights[place].column(setting), self.skyline[place][1]) for place in places
            ]
            told = setting.disclosed_between(groups, between, judged, estimator, SLACK, progress)
            figures[places], used = told.figures, np.maximum(used, told.used)
            for row, place in enumerate(places):
                ranged[place] = told.of(row)
        return Measurement(figures, used, tuple(ranged))

    def _alike(self) -> dict[Between, list[int]]:
        """Places of the bounds that are about each range."""
        places: dict[Between, list[int]] = {}
        for place, (knowledge, _) in enumerate(self.skyline):
            if isinstance(knowledge, Between):
                places.setdefault(knowledge, []).append(place)
        return places

    def _adversaries(self, setting: Setting) -> Adversaries:
        return setting.adversaries(self.knowledge, self._columns(setting))

    def explain(
        self, setting: Setting, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the belief that moves most; see `Requirement.explain`.

        It is about the cell whose records disclose most to the adversary of the bound, and the
        value whose probability moves most, up or down, in the belief about them.
        """
        (_,) = group
        if _wide(self.skyline[bound]):
            # Of all who were asked he who is told most.
            measured = self.measure(setting, group, estimator)
            assert measured.ranged is not None
            ranged = measured.ranged[bound]
            assert ranged is not None
            widest = (float(ranged.where[0, 0]), self.skyline[bound][1])
            one = self._of([(widest, self._sights[bound])])
            return one.explain(setting, group, 0, estimator)
        # All adversaries at once, as when the group is measured, so that the estimator does alike.
        pairs = list(zip(self.skyline, self._sights, strict=True))
        single = [place for place, item in enumerate(self.skyline) if not _wide(item)]
        alone = self._of([pairs[place] for place in single]) if self.ranges else self
        most = alone._adversaries(setting).explain(group, estimator, single.index(bound))
        (member,), (value,) = most.members, most.values
        cell = int(setting.parts.cell[group.members[member]])
        before, after = float(most.before[0]), float(most.after[0])
        return Shift(cell, int(value), before, after, most.aspects[0])

    @property
    def jointly(self) -> BtPrivacy | None:
        """Without those who remember earlier releases, which are told already."""
        pairs = zip(self.skyline, self._sights, strict=True)
        lasting = [pair for pair in pairs if not isinstance(pair[0][0], Remembered)]
        return self._of(lasting) if lasting else None

    def together(self, joint: Joint) -> FloatArray:
        """Measure how far beliefs move, infinitely where they are contradicted.

        Of a range it is the largest distance at the bandwidths of its grid, a lower bound.
        """
        figures = np.empty((len(self.knowledge), len(joint.persons)))
        sights = self.each._sights
        for figure, knowledge, sight in zip(figures, self.knowledge, sights, strict=True):
            for believed in joint.beliefs(knowledge):
                setting = believed.home.setting
                distance = setting.distance_about(sight.column(setting))
                figure[believed.places] = distance(believed.before, believed.after)
            figure[joint.contradicted(knowledge)] = np.inf
        return self._of_bounds(figures)

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> Blame:
        """Name the value whose probability moves most, up or down; see `Requirement`.

        Of a range, it is that of the adversary to whom most is told about one of the persons.
        """
        values, before, after = np.empty(len(persons), dtype=object), *np.empty((2, len(persons)))
        sight = self._sights[bound]
        worst = max(self.several[bound], key=lambda one: _most(joint, one, sight, persons))
        for believed in joint.beliefs(worst, persons):
            setting, places = believed.home.setting, believed.places
            distance = setting.distance_about(sight.column(setting))
            aspects, moved, before[places], after[places] = distance.most_moved(
                believed.before, believed.after
            )
            values[places] = [
                setting.label(value) if aspect is None else aspect.label(value)
                for aspect, value in zip(aspects, moved.tolist(), strict=True)
            ]
        return Blame(tuple(values.tolist()), before, after, sight.sensitive)


def _wide(adversary: tuple[Knowledge, float]) -> bool:
    """Whether one of a skyline is all those of a range."""
    return isinstance(adversary[0], Between)


def _check_memory(setting: Setting) -> None:
    beliefs = _HELD * len(setting.parts) * setting.table.sensitive.size
    if beliefs > _MOST_BELIEFS:
        raise TooLarge(
            f"a range of bandwidths takes some {_HELD} adversaries' beliefs about "
            f"{len(setting.parts)} combinations",
            detail=f"They are {beliefs} numbers; at most {_MOST_BELIEFS} are handled.",
            hint="List a few bandwidths, with the ends, or use coarser quasi-identifiers.",
        )


def _most(joint: Joint, knowledge: Knowledge, sight: Sight, persons: IntArray) -> float:
    """How far beliefs about some persons move at most."""
    most = 0.0
    for believed in joint.beliefs(knowledge, persons):
        setting = believed.home.setting
        distance = setting.distance_about(sight.column(setting))
        most = max(most, float(distance(believed.before, believed.after).max(initial=0.0)))
    return most
