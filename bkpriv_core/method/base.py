"""What a method is: it makes releases, and owns the options that it makes them by.

Forms in which a release is shown:

``generalized``
    One table: the extent of the record's group in each quasi-identifier, and a sensitive value of
    the group.
``bucketized``
    Exact quasi-identifiers, the group, and one of the group's sensitive values, at random; and a
    table of each group's values and how often they occur (Li, Li, Zhang 2009, section II-A).
``anatomized``
    The same without the value at random (Xiao, Tao 2006).

To an adversary who knows a record's exact quasi-identifiers all forms tell the same about it: the
values of its group. Figures of disclosure are those of an adversary who knows the record's group;
where records of one cell lie in several groups, one who does not know which learns no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Generic, Literal, TypeVar

from bkpriv_core.belief.distance import DEFAULT_SMOOTHING, Smoothing
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.partition.certification import Certificate, certify
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.stated import About, Range
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.shuffle import Shuffle

__all__ = ["Form", "Method", "Options", "Own"]

Form = Literal["generalized", "bucketized", "anatomized"]
"""How a release is shown; see the module."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options that every method has; one with more of them extends the class.

    Parameters
    ----------
    estimator : {"auto", "exact", "bethe", "omega"}
        How posteriors are inferred when the release is certified.
    smoothing : float
        Bandwidth of the belief distance over the sensitive domain, at most 1.
    materialized : bool
        Publish a materialized view instead of a view.
    nulls : {"error", "category"}
        Whether NULL is refused, or a value of its own.
    unfit : {"suppress"}
        What becomes of groups that no merger mends.
    seed : int, optional
        Makes the order of published rows repeatable, which gives away how they were grouped: for
        tests only.
    """

    noun: ClassVar[str] = "option"

    estimator: Estimator = "auto"
    smoothing: Smoothing = DEFAULT_SMOOTHING
    materialized: bool = False
    nulls: Literal["error", "category"] = "error"
    unfit: Literal["suppress"] = "suppress"
    seed: Annotated[
        Annotated[int, Range(at_least=0)] | None,
        About("It makes the order of published rows repeatable, for tests.", "Leave it out."),
    ] = None


Own = TypeVar("Own", bound=Options)


class Method(ABC, Generic[Own]):
    """A way to make a release.

    Attributes
    ----------
    name : str
        Its name.
    form : {"generalized", "bucketized", "anatomized"}
        How the release is shown.
    options : type of Options
        The options that it has.
    """

    name: ClassVar[str]
    form: ClassVar[Form]
    options: type[Own]

    @property
    def generalizes(self) -> bool:
        """Whether quasi-identifiers are published as the extents of groups."""
        return self.form == "generalized"

    def check(self, setting: Setting, requirements: Sequence[Requirement], options: Own) -> None:
        """Refuse what the method cannot meet, before any work is done.

        Raises
        ------
        UnattainableRequirement
            If no release of the table meets a requirement.
        """
        check_attainable(requirements, setting)

    @abstractmethod
    def partition(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: Own,
        shuffle: Shuffle,
        progress: Progress,
    ) -> tuple[Setting, Groups]:
        """Form groups that meet the requirements, as far as `setting`, which only tries, can tell.

        Returns
        -------
        Setting, Groups
            The groups, and the setting that they are groups of: of the same table, whose cells may
            lie in several groups, or be recoded.
        """

    def make(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: Own,
        shuffle: Shuffle,
        progress: Progress,
    ) -> Certificate:
        """Make a release: form groups and certify them.

        Parameters
        ----------
        setting : Setting
            The table and its adversaries.
        requirements : sequence of Requirement
            What every published group must meet.
        options : Options
            Those of the method.
        shuffle : callable
            Where what is random comes from.
        progress : Progress
            Told of two steps, partitioning and certifying.

        Returns
        -------
        Certificate
            Groups are numbered at random: where numbers are published, they must not tell of the
            making.

        Raises
        ------
        UnattainableRequirement
            If no group could be certified.
        """
        setting, groups = self.partition(
            setting.tried(), requirements, options, shuffle, progress.step("partitioning")
        )
        certificate = certify(
            setting,
            requirements,
            groups,
            options.estimator,
            generalized=self.generalizes,
            progress=progress.step("certifying"),
        )
        if not len(certificate.groups):
            raise UnattainableRequirement(
                "no group could be certified, so there is nothing to publish",
                detail=f"All {certificate.failed} groups fail, and no merger mends one.",
                hint="Require less strictly, or use coarser quasi-identifiers.",
            )
        return certificate.reordered(shuffle(len(certificate.groups)))
