"""Interface of attackers: what one may be told, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Generic, TypeVar

from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.belief.classifier import Model
from bkpriv_core.belief.knowledge import FOLDS, Folds, Learned, Seed
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import Progress
from bkpriv_core.schema import ErrorText, Range

__all__ = ["Attacker", "AttackerOptions", "Options"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options that every attacker has; one with more of them extends the class.

    Raises:
        InvalidParameter: If what is open may be claimed.
    """

    noun: ClassVar[str] = "option"

    sure: Annotated[
        float,
        Range(at_least=0.5, below=1),
        ErrorText("A belief above it is a claim.", "0.9 is usual."),
    ] = 0.9
    """Belief above which an attacker claims something."""
    unsure: Annotated[
        float, Range(above=0, below=1), ErrorText("A belief below it is open.", "0.5 is usual.")
    ] = 0.5
    """Belief below which the baseline leaves it open."""
    model: Annotated[Model, ErrorText("It is a kind of classifier.")] = "logistic"
    """Kind of classifier, of the baseline and of an attacker who has one."""
    folds: Folds = FOLDS
    """Number of parts of the table of which the baseline leaves one out at a time."""
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.unsure > self.sure:
            raise InvalidParameter(
                f"option unsure is {self.unsure:g}, above sure, which is {self.sure:g}",
                detail="What is believed below unsure is open, and what above sure is claimed.",
                hint="Usual are 0.5 and 0.9.",
            )

    @property
    def baseline(self) -> Learned:
        """Knowledge of the baseline."""
        return Learned(self.model, self.folds, self.seed)


AttackerOptions = TypeVar("AttackerOptions", bound=Options)


class Attacker(ABC, Generic[AttackerOptions]):
    """A reader of a release."""

    name: ClassVar[str]
    options: type[AttackerOptions]

    @abstractmethod
    def attack(self, target: Target, options: AttackerOptions, progress: Progress) -> Outcome:
        """Find out what can be found out.

        Args:
            progress: Polled, and told the share that is done.

        Raises:
            NoGroups: If this attacker looks at groups, and the release shows none.
            TooLarge: If the attack would not fit in memory.
        """
