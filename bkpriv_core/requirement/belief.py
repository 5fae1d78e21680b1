"""(B,t)-privacy and its skyline (Li, Li, Zhang 2009, definitions 1 and 2)."""

from __future__ import annotations

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
from bkpriv_core.stated import About, Range, read
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from bkpriv_core.together.measurement import Joint

__all__ = ["BtPrivacy"]


@dataclass(frozen=True)
class _Adversary:
    """One of a skyline, as stated."""

    bandwidth: Stated
    t: Annotated[float, Range(at_least=0, at_most=1)]


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
    """

    skyline: tuple[tuple[Knowledge, float], ...]
    key: ClassVar[str] = "bt_privacy"
    cost: ClassVar[int] = 3
    infers: ClassVar[bool] = True

    @classmethod
    def parse(cls, value: object) -> BtPrivacy:
        """Read ``[{"bandwidth": 0.3, "t": 0.2}, ...]`` or one such object."""
        return cls(tuple((item.bandwidth, item.t) for item in read(_Skyline, value, cls.key)))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """One bound for each adversary."""
        return tuple(
            Bound(
                self.key,
                {"bandwidth": state_knowledge(knowledge), "t": t},
                t,
                upper=True,
                remembers=isinstance(knowledge, Remembered),
            )
            for knowledge, t in self.skyline
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
        disclosure = setting.adversaries(self.knowledge).disclosure(groups, estimator, progress)
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
        most = setting.adversaries(self.knowledge).explain(group, estimator, bound)
        (member,), (value,) = most.members, most.values
        cell = int(setting.parts.cell[group.members[member]])
        return Shift(cell, int(value), float(most.before[0]), float(most.after[0]))

    @property
    def jointly(self) -> BtPrivacy | None:
        """Without those who remember earlier releases, which are told already."""
        lasting = tuple(one for one in self.skyline if not isinstance(one[0], Remembered))
        return replace(self, skyline=lasting) if lasting else None

    def together(self, joint: Joint) -> FloatArray:
        """Measure how far beliefs move, infinitely where they are contradicted."""
        figures = np.empty((len(self.skyline), len(joint.persons)))
        for figure, knowledge in zip(figures, self.knowledge, strict=True):
            for believed in joint.beliefs(knowledge):
                distance = believed.home.setting.distance
                figure[believed.places] = distance(believed.before, believed.after)
            figure[joint.contradicted(knowledge)] = np.inf
        return figures

    def blamed(self, joint: Joint, bound: int, persons: IntArray) -> Blame:
        """Name the value whose probability moves most, up or down; see `Requirement`."""
        values, before, after = np.zeros(len(persons), dtype=np.int64), *np.empty((2, len(persons)))
        for believed in joint.beliefs(self.knowledge[bound], persons):
            moved = np.abs(believed.after - believed.before).argmax(axis=1)
            rows = np.arange(len(moved))
            values[believed.places] = believed.home.codes[moved]
            before[believed.places] = believed.before[rows, moved]
            after[believed.places] = believed.after[rows, moved]
        return Blame(values, before, after)
