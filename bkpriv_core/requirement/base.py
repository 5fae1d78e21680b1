"""What a requirement is, how figures are held against bounds, and what cannot be attained."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bkpriv_core.belief.knowledge import Knowledge
from bkpriv_core.belief.posterior import (
    AUTO_STATES,
    EXACT,
    Estimator,
    Inferred,
    UsedArray,
    exact_states,
)
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import UnattainableRequirement, as_json
from bkpriv_core.progress import Progress
from bkpriv_core.stated import read
from bkpriv_core.table.groups import FloatArray, Groups, IntArray

__all__ = [
    "SLACK",
    "Bound",
    "CountedRequirement",
    "HistogramRequirement",
    "JointRequirement",
    "Keeper",
    "Measurement",
    "Requirement",
    "Shift",
    "alone_and_joint",
    "check_attainable",
    "satisfied",
]

R = TypeVar("R", bound="Requirement")

SLACK = 1e-9
"""Rounding allowed for when a figure is held against its threshold."""


@dataclass(frozen=True)
class Bound:
    """One bounded figure.

    Parameters
    ----------
    requirement : str
        Name of the requirement, as in a policy.
    parameters : mapping
        Its parameters, as in a policy.
    threshold : float
        The bound.
    upper : bool
        Whether figures must not exceed the threshold (else: not fall below it).
    strict : bool
        Whether figures must not equal the threshold either.
    remembers : bool
        Whether figures depend on what an adversary remembers of earlier releases.
    """

    requirement: str
    parameters: Mapping[str, Any]
    threshold: float
    upper: bool
    strict: bool = False
    remembers: bool = False

    @property
    def relation(self) -> str:
        """What figures must be to the threshold, in words that stand before it."""
        if self.strict:
            return "below" if self.upper else "above"
        return "at most" if self.upper else "at least"

    def broken(self, figures: FloatArray) -> npt.NDArray[np.bool_]:
        """Which figures break the bound.

        Rounding is forgiven where the threshold itself is allowed. Where it is not, a figure that
        only rounding may keep apart from the threshold breaks the bound.
        """
        slack = -SLACK if self.strict else SLACK
        # Stated so that a figure that is not a number breaks every bound.
        if self.upper:
            limit = self.threshold + slack
            return ~(figures < limit if self.strict else figures <= limit)
        limit = self.threshold - slack
        return ~(figures > limit if self.strict else figures >= limit)

    def worst(self, figures: FloatArray) -> float:
        """Figure nearest to breaking the bound, or beyond it."""
        return float(figures.max() if self.upper else figures.min())


@dataclass(frozen=True, eq=False)
class Measurement(Inferred):
    """Figures of one requirement.

    Parameters
    ----------
    figures : (b, e) float array
        Figure of each membership's records under each of the requirement's bounds; may be infinite.
    used : (g,) int8 array
        How the group's posteriors were inferred: a place in `posterior.ESTIMATORS`.
        Figures that need no posteriors are exact.
    """

    figures: FloatArray
    used: UsedArray


@dataclass(frozen=True)
class Shift:
    """The value at fault in a group, and how its probability moves when the group is published.

    Parameters
    ----------
    cell : int or None
        The cell whose records are believed to have the value; None if it is about the whole group.
    value : int
        Code of the sensitive value.
    before : float
        Its share in the table; or, for a cell, the adversary's prior belief.
    after : float
        Its share in the group; or, for a cell, the adversary's posterior belief, and where none is
        inferred the mean of his prior beliefs about the group.
    """

    cell: int | None
    value: int
    before: float
    after: float


class Requirement(ABC):
    """A privacy requirement as stated in a policy; a dataclass, see `bkpriv_core.stated`."""

    key: ClassVar[str]
    """Name in a policy."""

    cost: ClassVar[int] = 0
    """Order of evaluation: cheap requirements are tried first."""

    infers: ClassVar[bool] = False
    """Whether its figures depend on posterior beliefs, and so on the estimator."""

    monotone: ClassVar[bool] = False
    """Whether a union of groups that meet it meets it too."""

    absorbing: ClassVar[bool] = False
    """Whether even every group that contains one that meets it does."""

    hereditary: ClassVar[bool] = False
    """Whether any part of a group that meets it does."""

    coarse: ClassVar[bool] = True
    """Whether the whole table as one group meets it, if any groups do."""

    @classmethod
    def parse(cls: type[R], value: object) -> R:
        """Read what a policy states under `key`: the fields, by name."""
        requirement: R = read(cls, value, cls.key)
        return requirement

    @property
    @abstractmethod
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds, in the order of a measurement's figures."""

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """What the adversaries know that it names."""
        return ()

    @property
    def tells_apart(self) -> bool:
        """Whether it is about respondents, so that parts must not have records of several."""
        return False

    @abstractmethod
    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Measure the figures of `groups`; `estimator` and `progress` matter to beliefs only."""

    def loosened(self: R, share: float, values: int) -> R:
        """Loosen it by a share of the way to where it requires next to nothing.

        Parameters
        ----------
        share : float
            Above 0 and at most 1.
        values : int
            How many sensitive values there are.

        Returns
        -------
        Requirement
            The same, if it is none that can be loosened.
        """
        return self

    def explain(
        self, setting: Setting, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift | None:
        """Name the value at fault in one group, or None if no single value is.

        Parameters
        ----------
        setting : Setting
            The table and its adversaries.
        group : Groups
            The one group, usually that with the worst figure.
        bound : int
            Place among `bounds` of the bound that is broken or nearest to it.
        estimator : {"auto", "exact", "bethe", "omega"}
            How beliefs are inferred; best the one that the figures were measured with.

        Returns
        -------
        Shift or None
            Of one of the values, if several are equally at fault.
        """
        return None

    def satisfied(
        self, setting: Setting, groups: Groups, estimator: Estimator = "omega"
    ) -> npt.NDArray[np.bool_]:
        """Which groups meet every bound, shape (g,)."""
        figures = self.measure(setting, groups, estimator).figures
        broken = np.zeros(figures.shape[1], dtype=bool)
        for bound, figure in zip(self.bounds, figures, strict=True):
            broken |= bound.broken(figure)
        met: npt.NDArray[np.bool_] = ~groups.max(broken)
        return met

    def _of_groups(self, groups: Groups, figures: npt.NDArray[Any]) -> Measurement:
        """Measurement of one exact figure per group."""
        spread = np.asarray(figures, dtype=np.float64)[groups.owner]
        return Measurement(spread[None, :], np.full(len(groups), EXACT, dtype=np.int8))


class CountedRequirement(Requirement):
    """A requirement on sums over a group's records, such as how many have each sensitive value.

    Its figures are exact, and groups need not be made to be judged.
    """

    def counts(self, setting: Setting) -> IntArray:
        """Counts of each part, shape (p, x), that are added up in groups: of each value."""
        return setting.parts.counts

    @abstractmethod
    def figures(self, setting: Setting, histograms: IntArray) -> npt.NDArray[Any]:
        """Figures of groups with `histograms` of shape (g, x), shape (g,)."""

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress | None = None,
    ) -> Measurement:
        """Measure the figures of `groups`; nothing is inferred."""
        histograms = groups.sum(self.counts(setting)[groups.members])
        return self._of_groups(groups, self.figures(setting, histograms))

    def met(self, setting: Setting, histograms: IntArray) -> npt.NDArray[np.bool_]:
        """Which groups, of `histograms` of shape (g, x), meet the bound, shape (g,)."""
        (bound,) = self.bounds
        return ~bound.broken(self.figures(setting, histograms))


class HistogramRequirement(CountedRequirement):
    """A requirement on how often each sensitive value occurs in a group."""

    @abstractmethod
    def faults(self, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """How much each value is at fault.

        Parameters
        ----------
        shares : (g, m) float array
            Shares of the values in each group.
        overall : (m,) float array
            Their shares in the table.

        Returns
        -------
        (g, m) float array
            Comparable within a group only.
        """

    def explain(
        self, setting: Setting, group: Groups, bound: int = 0, estimator: Estimator = "omega"
    ) -> Shift:
        """Name the value whose share is at fault in one group; see `Requirement.explain`."""
        (share,) = shares = shares_of(setting.parts.histograms(group))
        value = int(np.argmax(self.faults(shares, setting.table.overall)))
        return Shift(None, value, float(setting.table.overall[value]), float(share[value]))


class Keeper(Protocol):
    """All groups of a partition that meets a joint requirement, and goes on to meet it."""

    def split(self, parents: Groups, halves: Groups) -> npt.NDArray[np.bool_]:
        """Split some of the groups, those first that come first.

        Parameters
        ----------
        parents : Groups
            Some of the groups, ``g`` of them.
        halves : Groups
            Groups ``2i`` and ``2i + 1`` are what group ``i`` of the parents would become.

        Returns
        -------
        (g,) bool array
            Which of the parents were split; the others cannot be, now or later.
        """

    def exchange(self, before: Groups, after: Groups) -> bool:
        """Put groups in the place of some of the groups, unless that breaks the requirement.

        Parameters
        ----------
        before : Groups
            Some of the groups.
        after : Groups
            What is to take their place.

        Returns
        -------
        bool
            Whether it was done. Where the requirement is broken already, it is.
        """


class JointRequirement(HistogramRequirement):
    """A requirement whose figures depend on all groups that are published.

    `measure` must be given all of them. Candidates for groups cannot be judged apart from the rest,
    so a partitioning method that cuts groups has a `Keeper` split them. Joining groups, and leaving
    some out, must never raise a figure above the largest before.
    """

    @abstractmethod
    def by_itself(self, setting: Setting, histograms: IntArray) -> FloatArray:
        """Figure of each group with `histograms`, (g, m), if it were all that is published.

        In a partition its figure is not below that.
        """

    @abstractmethod
    def keeper(self, setting: Setting, groups: Groups) -> Keeper:
        """Keep a partition that meets the requirement."""


def alone_and_joint(
    requirements: Sequence[Requirement],
) -> tuple[list[Requirement], list[JointRequirement]]:
    """Separate requirements that groups meet one by one from those that they meet together."""
    alone = [item for item in requirements if not isinstance(item, JointRequirement)]
    return alone, [item for item in requirements if isinstance(item, JointRequirement)]


def shares_of(histograms: IntArray) -> FloatArray:
    """Share of each value in groups with `histograms`, both of shape (g, m)."""
    shares: FloatArray = histograms / histograms.sum(axis=1, keepdims=True)
    return shares


def satisfied(
    requirements: Sequence[Requirement],
    setting: Setting,
    groups: Groups,
    estimator: Estimator = "omega",
) -> npt.NDArray[np.bool_]:
    """Which groups meet all requirements, shape (g,); the costly ones see only the survivors."""
    alive = np.arange(len(groups))
    for requirement in sorted(requirements, key=lambda item: item.cost):
        if not alive.size:
            break
        alive = alive[requirement.satisfied(setting, groups.select(alive), estimator)]
    met = np.zeros(len(groups), dtype=bool)
    met[alive] = True
    return met


def check_attainable(requirements: Sequence[Requirement], setting: Setting) -> None:
    """Refuse requirements that one group of the whole table does not meet.

    Beliefs about it are inferred by ``auto``; a table beyond the budget of exact inference passes
    by omega alone. Requirements that small groups may meet and large ones break are passed over.

    Raises
    ------
    UnattainableRequirement
        Names the requirement and what the whole table attains.
    """
    parts = setting.parts
    whole = Groups.whole(len(parts))
    (states,) = exact_states(whole, parts.weights, parts.histograms(whole))
    for requirement in (item for item in requirements if item.coarse):
        # Nothing else is as fast as omega in a group so large. Only a refusal must rest on more.
        if states > AUTO_STATES and requirement.satisfied(setting, whole, "omega").all():
            continue
        measured = requirement.measure(setting, whole, "auto")
        for bound, figures in zip(requirement.bounds, measured.figures, strict=True):
            if bound.broken(figures).any():
                worst = bound.worst(figures)
                raise UnattainableRequirement(
                    f"{bound.requirement} {_words(bound.parameters)} cannot be met, "
                    "not even by one group of the whole table",
                    detail=f"The requirement is {bound.relation} {bound.threshold:g}; "
                    f"the whole table attains {worst:.6g}.",
                    hint=_remedy(bound, worst),
                )


def _words(parameters: Mapping[str, Any]) -> str:
    texts = (
        f"{key} = {value if isinstance(value, str) else as_json(value)}"
        for key, value in parameters.items()
    )
    return f"({', '.join(texts)})"


def _remedy(bound: Bound, attained: float) -> str:
    """Say what to require where the whole table attains no better figure."""
    if np.isinf(attained):
        return f"Nothing is {bound.relation} a threshold here: ease another of the parameters."
    figure = _attainable(bound, attained)
    if bound.strict:
        return (
            f"Require {bound.relation} something {'more' if bound.upper else 'less'} than {figure}."
        )
    return f"Require {bound.relation} {figure}, or less strictly."


def _attainable(bound: Bound, attained: float) -> str:
    """Six digits of a threshold that is attained, rounded to the side that is."""
    nearest = float(f"{attained:.6g}")
    if replace(bound, threshold=nearest, strict=False).broken(np.array([attained])).any():
        step = 10.0 ** (np.floor(np.log10(abs(attained))) - 5)
        nearest += step if bound.upper else -step
    return f"{nearest:.6g}"
