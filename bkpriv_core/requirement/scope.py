"""Sights: what of all that is told of a person a requirement is about.

Where that is several columns, a requirement holds for each by itself, unless it says otherwise: for
one column only, or *jointly*, for the combination of all columns as one value. Beliefs about a
column are marginals of beliefs about combinations; its counts are sums of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, Unsupported, as_json
from bkpriv_core.requirement.base import Requirement
from bkpriv_core.schema import ErrorText, read
from bkpriv_core.table.combination import Combination

__all__ = ["ColumnRequirement", "Scope", "refuse_combined"]

R = TypeVar("R", bound="ColumnRequirement")
S = TypeVar("S", bound="Scope")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Sight of a requirement: the sensitive columns that it is about."""

    sensitive: str | None = None
    joint: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of a bound; nothing where there is one column."""
        if self.sensitive is not None:
            return {"sensitive": self.sensitive}
        return {"joint": True} if self.joint else {}

    def column(self, threat: ThreatModel) -> str | None:
        """The column that is meant; None for all that is told, as one.

        Raises:
            ValueError: If there are several, and it was not settled which is meant: see
                `Requirement.about`.
        """
        if not (self.sensitive or self.joint) and isinstance(threat.table.sensitive, Combination):
            raise ValueError("it is not settled which of several columns is meant")
        return self.sensitive

    def check(self, key: str) -> None:
        """Refuse what contradicts itself, of whichever columns.

        Raises:
            InvalidParameter: If one column is meant, and all jointly.
        """
        if self.sensitive is not None and self.joint:
            raise InvalidParameter(
                f"{key} is to be about one column and about all jointly",
                detail=f"sensitive is {as_json(self.sensitive)}, and joint is true.",
                hint="Leave one of them out; a list may have one of each kind.",
            )

    def of(self: S, columns: Sequence[str], combined: bool, key: str) -> tuple[S, ...]:
        """Sights of a requirement on a table with such columns.

        Args:
            combined: Whether people are told of by combinations.

        Raises:
            InvalidParameter: If one is meant that is none of these.
        """
        if self.sensitive is not None and self.sensitive not in columns:
            raise InvalidParameter(
                f"sensitive of {key} is {as_json(self.sensitive)}, which is no sensitive column",
                detail="A requirement is about what nobody is to learn of a person.",
                hint=f"The dataset has {', '.join(columns)}. Without the key it is about each.",
            )
        if not combined:
            return (replace(self, sensitive=None, joint=False),)
        if self.sensitive is not None or self.joint:
            return (self,)
        return tuple(replace(self, sensitive=column) for column in columns)


@dataclass(frozen=True, kw_only=True)
class ColumnRequirement(Requirement):
    """A requirement on what is told of people, column by column or jointly."""

    sensitive: str | None = None
    joint: bool = False
    """See `Scope`."""

    @classmethod
    def parse(cls: type[R], value: object) -> R:
        """See `Requirement`."""
        requirement = super().parse(value)
        requirement.sight.check(cls.key)
        return requirement

    @classmethod
    def parse_all(cls: type[R], value: object) -> tuple[R, ...]:
        """Read one object, or a list, such as one for each column; all of them hold."""
        if not isinstance(value, list | tuple):
            return (cls.parse(value),)
        hint = 'Write one object for each bound, such as {..., "sensitive": "diagnosis"}.'
        listed: tuple[R, ...] = read(
            Annotated[tuple[cls, ...], ErrorText(hint=hint, item="bound")],  # type: ignore[valid-type]
            value,
            cls.key,
        )
        for requirement in listed:
            requirement.sight.check(cls.key)
        return listed

    @property
    def having(self) -> bool:
        """Whether it can be about which values persons have who may have several."""
        return False

    @property
    def of_several(self) -> str:
        """Requirement to state instead for several columns, where this one is not defined."""
        return (
            'Require it jointly ("joint": true), of all records of a person as one value; or bound '
            "what persons have by bt_privacy, l_diversity (distinct or probabilistic), "
            "max_disclosure, t_closeness (equal) or beta_likeness"
        )

    @property
    def sight(self) -> Scope:
        """Sensitive columns that it is about."""
        return Scope(sensitive=self.sensitive, joint=self.joint)

    def about(self: R, columns: Sequence[str], combined: bool) -> tuple[R, ...]:
        """See `Requirement`."""
        return tuple(
            replace(self, sensitive=sight.sensitive, joint=sight.joint)
            for sight in self.sight.of(columns, combined, self.key)
        )

    def seen(self, threat: ThreatModel) -> ThreatModel:
        """The setting as far as it matters.

        Raises:
            Unsupported: If persons may have several values, of which it is not defined.
        """
        seen = threat.seen(self.sight.column(threat))
        if seen.several and not self.having:
            raise Unsupported(
                f"{self.key} is not defined of a column of which persons have several values",
                detail=f"The column is {self.sensitive}, and its parameters are "
                f"{as_json(dict(self.bounds[0].parameters))}.",
                hint=f"{self.of_several}; or publish one record of each "
                '({"max_records_per_person": 1}).',
            )
        return seen


def refuse_combined(what: str, threat: ThreatModel) -> None:
    """Refuse what is not defined of combinations, which have no order and no hierarchy."""
    sensitive = threat.table.sensitive
    if isinstance(sensitive, Combination):
        raise InvalidParameter(
            f"{what} is not defined of combinations of {sensitive.name}",
            detail="Combinations have neither an order nor a hierarchy.",
            hint='Take the ground "equal".'
            if sensitive.several
            else 'Leave "joint" out, so that it holds for each column by itself.',
        )
