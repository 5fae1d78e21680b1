"""Plans: publications that are asked for, as far as it matters to what composes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bkpriv_core.method import GroupOptions, Method, Options
from bkpriv_core.method.options import Departed
from bkpriv_core.policy import Overlap
from bkpriv_core.requirement import Requirement

__all__ = ["Plan", "Space"]


@dataclass(frozen=True)
class Space:
    """Space of a dataset's publications."""

    dataset: str
    source: str
    """Names of the dataset, and of its source as in SQL, for messages."""
    columns: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    """The insensitive attributes, which pass through."""
    respondent: str | None = None


@dataclass(frozen=True)
class Plan:
    """A publication that is asked for."""

    space: Space
    method: Method[Any]
    options: Options
    requirements: tuple[Requirement, ...] = ()
    overlap: Overlap | None = None
    """Treatment of other releases of the same records, as the policy states it."""

    @property
    def forms_groups(self) -> bool:
        """Whether the method forms groups."""
        return isinstance(self.options, GroupOptions)

    @property
    def grows(self) -> bool:
        """Whether groups of the last release stay."""
        return self.options.grows

    @property
    def departed(self) -> Departed:
        """Treatment of groups with people who left, or changed, where a release grows."""
        return self.options.departed if isinstance(self.options, GroupOptions) else "stay"

    @property
    def combined(self) -> bool:
        """Whether sensitive values are combinations, of several columns or records."""
        return len(self.space.columns) > 1 or self.options.several

    @property
    def unfit(self) -> str:
        """Treatment of groups that nothing mends."""
        return self.options.unfit if isinstance(self.options, GroupOptions) else "suppress"

    @property
    def remembering(self) -> list[str]:
        """Requirements about who remembers earlier releases, by their keys."""
        return [item.key for item in self.requirements if item.tells_apart]
