"""Privacy requirements: what a group must satisfy before it may be published.

A requirement bounds one or several figures of every record's group, each from above or below. It
is stated without data (parsed from a policy) and measured against a `Setting`, for many groups at
once, so that a new privacy model is one class here and works in every partitioning method.

=================  ==========================================================  =========
requirement        figure that is bounded                                      must be
=================  ==========================================================  =========
``k_anonymity``    records of the group                                        >= k
``l_diversity``    distinct: number of sensitive values in the group           >= l
                   probabilistic: 1 / largest share of a value                 >= l
``t_closeness``    earth mover's distance of the group's and the table's       <= t
                   distribution, over equal, ordered or hierarchical ground;
                   without a hierarchy, hierarchical is equal
``bt_privacy``     distance of prior and posterior belief about the record,    <= t
                   one bound for each adversary of the skyline
=================  ==========================================================  =========

Sources: Sweeney 2002; Machanavajjhala et al. 2006; Li, Li, Venkatasubramanian 2007; Li, Li, Zhang
2009, definitions 1 and 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bkpriv_core.distance import emd_equal, emd_hierarchical, emd_ordered
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.groups import FloatArray, Groups
from bkpriv_core.kernels import as_number
from bkpriv_core.posterior import Estimator
from bkpriv_core.prior import Bandwidth
from bkpriv_core.setting import Setting

__all__ = [
    "Bound",
    "BtPrivacy",
    "KAnonymity",
    "LDiversity",
    "Measurement",
    "Requirement",
    "TCloseness",
    "check_attainable",
    "satisfied",
]

Progress = Callable[[float], None]
"""Told the share of the work that is done."""


def _silent(share: float) -> None:
    """Tell nobody."""


_SLACK = 1e-9
"""Rounding allowed when a figure is held against its threshold."""


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
    """

    requirement: str
    parameters: Mapping[str, Any]
    threshold: float
    upper: bool

    def broken(self, figures: FloatArray) -> npt.NDArray[np.bool_]:
        """Which figures break the bound."""
        # Stated so that a figure that is not a number breaks every bound.
        if self.upper:
            return ~(figures <= self.threshold + _SLACK)
        return ~(figures >= self.threshold - _SLACK)

    def worst(self, figures: FloatArray) -> float:
        """Figure nearest to breaking the bound, or beyond it."""
        return float(figures.max() if self.upper else figures.min())


@dataclass(frozen=True, eq=False)
class Measurement:
    """Figures of one requirement.

    Parameters
    ----------
    figures : (b, e) float array
        Figure of each membership's records under each of the requirement's bounds.
    exact : (g,) bool array
        Whether the group's figures are exact; otherwise they are estimates that may understate.
    """

    figures: FloatArray
    exact: npt.NDArray[np.bool_]


class Requirement(ABC):
    """A privacy requirement as stated in a policy."""

    key: ClassVar[str]
    """Name in a policy."""

    cost: ClassVar[int] = 0
    """Order of evaluation: cheap requirements are tried first."""

    infers: ClassVar[bool] = False
    """Whether its figures depend on posterior beliefs, and so on the estimator."""

    @classmethod
    @abstractmethod
    def parse(cls, value: object) -> Requirement:
        """Validate the value that a policy gives under `key`."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds, in the order of a measurement's figures."""

    @abstractmethod
    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress = _silent,
    ) -> Measurement:
        """Measure the figures of `groups`; `estimator` and `progress` matter to beliefs only."""

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
        return Measurement(spread[None, :], np.ones(len(groups), dtype=bool))


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

    Raises
    ------
    UnattainableRequirement
        Names the requirement and what the whole table attains.
    """
    whole = Groups.whole(setting.table.cells)
    for requirement in requirements:
        measured = requirement.measure(setting, whole, "auto")
        for bound, figures in zip(requirement.bounds, measured.figures, strict=True):
            if bound.broken(figures).any():
                relation = "at most" if bound.upper else "at least"
                raise UnattainableRequirement(
                    f"{bound.requirement} {_words(bound.parameters)} cannot be met, "
                    "not even by one group of the whole table",
                    detail=f"The requirement is {relation} {bound.threshold:g}; "
                    f"the whole table attains {bound.worst(figures):.6g}.",
                    hint=f"Require {relation} {bound.worst(figures):.6g}, or less strictly.",
                )


def _words(parameters: Mapping[str, Any]) -> str:
    return "(" + ", ".join(f"{key} = {value}" for key, value in parameters.items()) + ")"


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """At least `k` records in every group."""

    k: int
    key: ClassVar[str] = "k_anonymity"

    @classmethod
    def parse(cls, value: object) -> KAnonymity:
        """Read ``{"k": 5}``."""
        fields = _fields(cls.key, value, required=("k",))
        return cls(_whole_number(cls.key, "k", fields["k"], 1))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the group's records."""
        return (Bound(self.key, {"k": self.k}, self.k, upper=False),)

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress = _silent,
    ) -> Measurement:
        """Count records."""
        return self._of_groups(groups, setting.table.sizes(groups))


@dataclass(frozen=True)
class LDiversity(Requirement):
    """At least `l` well-represented sensitive values in every group."""

    l: float  # noqa: E741 - the field's own name
    variant: str
    key: ClassVar[str] = "l_diversity"
    cost: ClassVar[int] = 1
    variants: ClassVar[tuple[str, ...]] = ("distinct", "probabilistic")

    @classmethod
    def parse(cls, value: object) -> LDiversity:
        """Read ``{"l": 3, "variant": "distinct"}``; the variant defaults to distinct."""
        fields = _fields(cls.key, value, required=("l",), optional=("variant",))
        variant = _choice(cls.key, "variant", fields.get("variant", "distinct"), cls.variants)
        if variant == "distinct":
            return cls(_whole_number(cls.key, "l", fields["l"], 1), variant)
        return cls(_real(cls.key, "l", fields["l"], 1.0, np.inf), variant)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the diversity."""
        return (Bound(self.key, {"l": self.l, "variant": self.variant}, self.l, upper=False),)

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress = _silent,
    ) -> Measurement:
        """Count values, or invert the largest share."""
        histograms = setting.table.histograms(groups)
        if self.variant == "distinct":
            return self._of_groups(groups, (histograms > 0).sum(axis=1))
        return self._of_groups(groups, histograms.sum(axis=1) / histograms.max(axis=1))


@dataclass(frozen=True)
class TCloseness(Requirement):
    """Every group's distribution within earth mover's distance `t` of the table's."""

    t: float
    ground: str
    key: ClassVar[str] = "t_closeness"
    cost: ClassVar[int] = 2
    grounds: ClassVar[tuple[str, ...]] = ("equal", "ordered", "hierarchical")

    @classmethod
    def parse(cls, value: object) -> TCloseness:
        """Read ``{"t": 0.2, "ground": "ordered"}``; the ground defaults to equal."""
        fields = _fields(cls.key, value, required=("t",), optional=("ground",))
        ground = _choice(cls.key, "ground", fields.get("ground", "equal"), cls.grounds)
        return cls(_real(cls.key, "t", fields["t"], 0.0, 1.0), ground)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Bound on the distance."""
        return (Bound(self.key, {"t": self.t, "ground": self.ground}, self.t, upper=True),)

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress = _silent,
    ) -> Measurement:
        """Measure the distance to the table's distribution."""
        histograms = setting.table.histograms(groups)
        shares = histograms / histograms.sum(axis=1, keepdims=True)
        overall = setting.overall
        if self.ground == "equal":
            return self._of_groups(groups, emd_equal(shares, overall))
        if self.ground == "ordered":
            return self._of_groups(groups, emd_ordered(shares, overall))
        levels = setting.table.sensitive.membership
        return self._of_groups(groups, emd_hierarchical(shares, overall, levels))


@dataclass(frozen=True)
class BtPrivacy(Requirement):
    """Skyline (B,t)-privacy: no adversary Adv(B_i) moves a belief by more than t_i."""

    skyline: tuple[tuple[Bandwidth, float], ...]
    key: ClassVar[str] = "bt_privacy"
    cost: ClassVar[int] = 3
    infers: ClassVar[bool] = True

    @classmethod
    def parse(cls, value: object) -> BtPrivacy:
        """Read ``[{"bandwidth": 0.3, "t": 0.2}, ...]`` or one such object."""
        items = value if isinstance(value, list) else [value]
        if not items:
            raise InvalidParameter(
                f"{cls.key} lists no adversary",
                detail="The list is empty.",
                hint='Write [{"bandwidth": 0.3, "t": 0.2}], one object for each adversary.',
            )
        skyline = []
        for item in items:
            fields = _fields(cls.key, item, required=("bandwidth", "t"))
            bandwidth = fields["bandwidth"]
            _check_bandwidth_form(bandwidth)
            skyline.append((bandwidth, _real(cls.key, "t", fields["t"], 0.0, 1.0)))
        return cls(tuple(skyline))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """One bound for each adversary."""
        return tuple(
            Bound(self.key, {"bandwidth": bandwidth, "t": t}, t, upper=True)
            for bandwidth, t in self.skyline
        )

    def measure(
        self,
        setting: Setting,
        groups: Groups,
        estimator: Estimator = "omega",
        progress: Progress = _silent,
    ) -> Measurement:
        """Infer every adversary's posterior and measure how far beliefs move."""
        bandwidths = [bandwidth for bandwidth, _ in self.skyline]
        found = setting.disclosure(bandwidths, groups, estimator, progress)
        return Measurement(found.figures, found.exact)


def _check_bandwidth_form(bandwidth: object) -> None:
    """Check a bandwidth without knowing the attributes."""
    from bkpriv_core.prior import resolve_bandwidth

    if isinstance(bandwidth, dict):
        if not bandwidth:
            raise InvalidParameter(
                "the bandwidth names no attribute",
                detail="The object is empty.",
                hint="Give a number, or one number for each quasi-identifier by name.",
            )
        resolve_bandwidth(bandwidth, tuple(bandwidth))
    else:
        resolve_bandwidth(bandwidth, ())  # type: ignore[arg-type]


def _fields(
    key: str, value: object, *, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Check that `value` is an object with the known fields."""
    known = ", ".join((*required, *optional))
    if not isinstance(value, dict):
        raise InvalidParameter(
            f"{key} must be a JSON object, not {value!r}",
            detail="The parameters of a requirement are given by name.",
            hint=f"Its keys are {known}.",
        )
    for name in value:
        if name not in required and name not in optional:
            raise InvalidParameter(
                f'{key} has no key "{name}"',
                detail=f"It is {value!r}.",
                hint=f"Its keys are {known}.",
            )
    for name in required:
        if name not in value:
            raise InvalidParameter(
                f'{key} lacks the key "{name}"',
                detail=f"It is {value!r}.",
                hint=f"Its keys are {known}.",
            )
    return value


def _real(key: str, name: str, value: object, low: float, high: float) -> float:
    """Check that `value` is a finite number within bounds."""
    allowed = f"at least {low:g}" if np.isinf(high) else f"between {low:g} and {high:g}"
    number = as_number(value)
    if number is None:
        raise InvalidParameter(
            f"{name} of {key} is {value!r}, which is not a number",
            detail=f"{name} must be {allowed}.",
            hint=f"Write {name} as a JSON number.",
        )
    if not low <= number <= high:
        raise InvalidParameter(
            f"{name} of {key} is {number:g}",
            detail="It is out of range.",
            hint=f"{name} must be {allowed}.",
        )
    return number


def _whole_number(key: str, name: str, value: object, low: int) -> int:
    """Check that `value` is an integer of at least `low`."""
    number = _real(key, name, value, low, np.inf)
    if number != int(number):
        raise InvalidParameter(
            f"{name} of {key} is {value!r}, which is not a whole number",
            detail=f"{name} counts, so it must be a whole number of at least {low}.",
            hint=f"Write {int(number)} or {int(number) + 1}.",
        )
    return value if isinstance(value, int) else int(number)


def _choice(key: str, name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Check that `value` is one of the allowed words."""
    if value not in allowed:
        raise InvalidParameter(
            f"{name} of {key} is {value!r}",
            detail="There is no such choice.",
            hint=f"It must be one of {', '.join(allowed)}.",
        )
    return str(value)
