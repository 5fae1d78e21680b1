"""Options of methods: what is stated beside a policy, read from JSON by the names of the fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from bkpriv_core.belief.posterior import Sound
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.partition.certification import Beyond
from bkpriv_core.release.release import RangeStyle
from bkpriv_core.schema import ErrorText, Range
from bkpriv_core.table.chance import Chance, SecretChance, SeededChance

__all__ = ["Departed", "GroupOptions", "Options", "RefinedOptions"]

Departed = Literal["stay", "withdraw"]
"""Treatment of people who left, in a release that grows."""

_DRAFTED: Mapping[str, Any] = {"estimator": "omega", "beyond": "estimate", "refine": False}
"""Options of a draft, where a method has them."""

OwnOptions = TypeVar("OwnOptions", bound="Options")

_MOST_RECORDS = 1000
"""Largest number of records of one person that are published as one."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options that every method has; one with more of them extends the class.

    Raises:
        InvalidParameter: If it is said which records are the latest, and none are left out; or a
            materialized view is to be distributed.
    """

    noun: ClassVar[str] = "option"

    materialized: bool = False
    """Publish a materialized view instead of a view."""
    nulls: Literal["error", "category"] = "error"
    """Whether NULL is refused, or a value of its own."""
    ranges: RangeStyle = "range"
    """Style of ranges, of values or of bins: as a range type's, as two columns with their ends, or
    as text.
    """
    seed: Annotated[
        Annotated[int, Range(at_least=0)] | None,
        ErrorText("It makes the order of published rows repeatable, for tests.", "Leave it out."),
    ] = None
    """Makes what is drawn and the order of published rows repeatable, which gives away how they
    were made: for tests only.
    """
    max_records_per_person: (
        Literal["all"] | Annotated[int, Range(at_least=1, at_most=_MOST_RECORDS)] | None
    ) = None
    """Contribution bound: most records published of each person, where the dataset names its
    respondents and somebody may have several: see `bkpriv_core.table.persons`. Each must have one
    without it.
    """
    latest_by: str | None = None
    """The column by which a person's latest records are those; without it they are chosen at
    random.
    """
    distribute_by: str | None = None
    """The column of the view by which its rows are distributed over the nodes of Citus, where that
    is installed; without it they lie where the release is made.
    """
    if_stale: bool = False
    """Whether the release that the view shows is to stand, if it would be made from the same."""

    def __post_init__(self) -> None:
        if self.distribute_by is not None and self.materialized:
            raise InvalidParameter(
                "option distribute_by means nothing for a materialized view",
                detail="The view would hold all rows, where the release is made.",
                hint="Leave out one of them.",
            )
        if self.latest_by is not None and not isinstance(self.max_records_per_person, int):
            raise InvalidParameter(
                "option latest_by means nothing where no record of a person is left out",
                detail="It says which records of each person are published, and "
                f"max_records_per_person is {as_json(self.max_records_per_person)}.",
                hint='Add {"max_records_per_person": 1}, or leave it out.',
            )

    def chance(self) -> Chance:
        """Source of random draws, anew: secret, unless a seed is stated."""
        return SecretChance() if self.seed is None else SeededChance(self.seed)

    @property
    def several(self) -> bool:
        """Whether a person may have several records."""
        return self.max_records_per_person not in (None, 1)

    @property
    def inference(self) -> Sound:
        """Estimator by which the release is certified."""
        return "auto"

    @property
    def grows(self) -> bool:
        """Whether groups of the last release stay."""
        return False

    @property
    def drafted(self: OwnOptions) -> OwnOptions:
        """Options by which a draft is made: the same, but for what takes most of the time.

        Beliefs are estimated by omega, which may understate what a release discloses, and groups
        that hold are not exchanged for others that lose less.
        """
        own = {each.name for each in fields(self)}
        return replace(self, **{name: _DRAFTED[name] for name in own & _DRAFTED.keys()})


@dataclass(frozen=True, kw_only=True)
class GroupOptions(Options):
    """Options that every method has that forms groups.

    Raises:
        InvalidParameter: If what only an estimate can certify is to be suppressed, and all is to be
            estimated; if it is said what becomes of those who left a release that does not grow.
    """

    estimator: Sound = "auto"
    """Estimator of posteriors when the release is certified."""
    unfit: Literal["suppress"] = "suppress"
    """Treatment of groups that nothing mends."""
    beyond: Beyond = "estimate"
    """Treatment of groups beyond the budget of exact inference, where nothing that can be inferred
    exactly takes their place: they are certified by an estimate, or suppressed.
    """
    grow: bool = False
    """Whether groups of the last release stay as they were published, and only newcomers are
    grouped; see `bkpriv_core.method.growing`.
    """
    departed: Departed = "stay"
    """Treatment, then, of people who left, or have another record now: they stay as published, or
    their groups are published no more.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.departed != "stay" and not self.grow:
            raise InvalidParameter(
                "option departed means nothing to a release that does not grow",
                detail="It says what becomes of groups of the last release with people who left.",
                hint='Add {"grow": true}, or leave it out.',
            )
        if self.beyond == "suppress" and self.estimator in ("omega", "bethe"):
            raise InvalidParameter(
                f"option beyond means nothing to the estimator {self.estimator}",
                detail="It suppresses groups that cannot be inferred exactly; that estimator does "
                "not infer exactly.",
                hint="Choose the estimator auto or exact, or leave beyond out.",
            )

    @property
    def inference(self) -> Sound:
        """See `Options`."""
        return self.estimator

    @property
    def grows(self) -> bool:
        """See `Options`."""
        return self.grow

    @property
    def improves(self) -> bool:
        """Whether groups that hold are exchanged for others that lose less detail."""
        return False


@dataclass(frozen=True, kw_only=True)
class RefinedOptions(GroupOptions):
    """Options of methods whose groups may be improved."""

    refine: bool = True
    """Whether groups that hold are exchanged for others that lose less detail."""

    @property
    def improves(self) -> bool:
        """See `GroupOptions`."""
        return self.refine
