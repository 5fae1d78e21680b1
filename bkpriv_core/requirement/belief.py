"""(B,t)-privacy and its skyline (Li, Li, Zhang 2009, definitions 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from bkpriv_core.belief.knowledge import Knowledge, Remembered, Stated, state_knowledge
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.progress import Progress
from bkpriv_core.requirement.base import (
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

    Adversaries are Adv(B), or know what a `Knowledge` of another form says.

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

    @property
    def _columns(self) -> list[str | None]:
        return [sight.sensitive for sight in self._sights]

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
            )
            for (knowledge, t), sight in zip(self.skyline, self._sights, strict=True)
        )

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """See `Requirement`."""
        return tuple(knowledge for knowledge, _ in self.skyline)

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
        """Infer every adversary's posterior and measure how far beliefs move."""
        adversaries = setting.adversaries(self.knowledge, self._columns)
        disclosure = adversaries.disclosure(groups, estimator, progress)
        return Measurement(disclosure.figures, disclosure.used)

    def explain(
        self, setting: Setting, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the belief that moves most; see `Requirement.explain`.

        It is about the cell whose records disclose most to the adversary of the bound, and the
        value whose probability moves most, up or down, in the belief about them.
        """
        (_,) = group
        # All adversaries at once, as when the group is measured, so that the estimator does alike.
        adversaries = setting.adversaries(self.knowledge, self._columns)
        most = adversaries.explain(group, estimator, bound)
        (member,), (value,) = most.members, most.values
        cell = int(setting.parts.cell[group.members[member]])
        before, after = float(most.before[0]), float(most.after[0])
        return Shift(cell, int(value), before, after, most.aspects[0])

    @property
    def jointly(self) -> BtPrivacy | None:
        """Without those who remember earlier releases, which are told already."""
        pairs = zip(self.skyline, self._sights, strict=True)
        lasting = [pair for pair in pairs if not isinstance(pair[0][0], Remembered)]
        if not lasting:
            return None
        skyline, sights = zip(*lasting, strict=True)
        return replace(self, skyline=skyline, sights=sights if self.sights else ())

    def together(self, joint: Joint) -> FloatArray:
        """Measure how far beliefs move, infinitely where they are contradicted."""
        figures = np.empty((len(self.skyline), len(joint.persons)))
        for figure, knowledge, column in zip(figures, self.knowledge, self._columns, strict=True):
            for believed in joint.beliefs(knowledge):
                distance = believed.home.setting.distance_about(column)
                figure[believed.places] = distance(believed.before, believed.after)
            figure[joint.contradicted(knowledge)] = np.inf
        return figures

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> Blame:
        """Name the value whose probability moves most, up or down; see `Requirement`."""
        values, before, after = np.empty(len(persons), dtype=object), *np.empty((2, len(persons)))
        column = self._columns[bound]
        for believed in joint.beliefs(self.knowledge[bound], persons):
            setting, places = believed.home.setting, believed.places
            distance = setting.distance_about(column)
            aspects, moved, before[places], after[places] = distance.most_moved(
                believed.before, believed.after
            )
            values[places] = [
                setting.label(value) if aspect is None else aspect.label(value)
                for aspect, value in zip(aspects, moved.tolist(), strict=True)
            ]
        return Blame(tuple(values.tolist()), before, after, column)
