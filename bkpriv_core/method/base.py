"""Interface of methods: a method makes releases, and owns the options that it makes them by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from bkpriv_core.audit import Finding, findings
from bkpriv_core.belief.posterior import Sound
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement, as_json
from bkpriv_core.partition.certification import Beyond, Certificate, certify
from bkpriv_core.partition.together import Mended
from bkpriv_core.progress import Progress
from bkpriv_core.release.release import Form, RangeStyle, Release
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.requirement.sampling import Sample
from bkpriv_core.stated import About, Range
from bkpriv_core.table.chance import Chance, SecretChance, SeededChance
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.table import Table

__all__ = [
    "Departed",
    "GroupMethod",
    "GroupOptions",
    "Job",
    "Made",
    "Make",
    "Method",
    "OfGroups",
    "Options",
    "Own",
    "RefinedOptions",
]

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

    Parameters
    ----------
    materialized : bool
        Publish a materialized view instead of a view.
    nulls : {"error", "category"}
        Whether NULL is refused, or a value of its own.
    ranges : {"range", "bounds", "text"}
        Style of ranges, of values or of bins: as a range type's, as two columns with their ends, or
        as text.
    seed : int, optional
        Makes what is drawn and the order of published rows repeatable, which gives away how they
        were made: for tests only.
    max_records_per_person : int or "all", optional
        Contribution bound: most records published of each person, where the dataset names its
        respondents and somebody may have several: see `bkpriv_core.table.persons`. Each must have
        one without it.
    latest_by : str, optional
        The column by which a person's latest records are those; without it they are chosen at
        random.
    distribute_by : str, optional
        The column of the view by which its rows are distributed over the nodes of Citus, where that
        is installed; without it they lie where the release is made.
    if_stale : bool
        Whether the release that the view shows is to stand, if it would be made from the same.

    Raises
    ------
    InvalidParameter
        If it is said which records are the latest, and none are left out; or a materialized view is
        to be distributed.
    """

    noun: ClassVar[str] = "option"

    materialized: bool = False
    nulls: Literal["error", "category"] = "error"
    ranges: RangeStyle = "range"
    seed: Annotated[
        Annotated[int, Range(at_least=0)] | None,
        About("It makes the order of published rows repeatable, for tests.", "Leave it out."),
    ] = None
    max_records_per_person: (
        Literal["all"] | Annotated[int, Range(at_least=1, at_most=_MOST_RECORDS)] | None
    ) = None
    latest_by: str | None = None
    distribute_by: str | None = None
    if_stale: bool = False

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

    Parameters
    ----------
    estimator : {"auto", "exact", "bethe", "omega"}
        Estimator of posteriors when the release is certified.
    unfit : {"suppress"}
        Treatment of groups that nothing mends.
    beyond : {"estimate", "suppress"}
        Treatment of groups beyond the budget of exact inference, where nothing that can be inferred
        exactly takes their place: they are certified by an estimate, or suppressed.
    grow : bool
        Whether groups of the last release stay as they were published, and only newcomers are
        grouped; see `bkpriv_core.method.growing`.
    departed : {"stay", "withdraw"}
        Treatment, then, of people who left, or have another record now: they stay as published, or
        their groups are published no more.

    Raises
    ------
    InvalidParameter
        If what only an estimate can certify is to be suppressed, and all is to be estimated; if it
        is said what becomes of those who left a release that does not grow.
    """

    estimator: Sound = "auto"
    unfit: Literal["suppress"] = "suppress"
    beyond: Beyond = "estimate"
    grow: bool = False
    departed: Departed = "stay"

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
    """Options of methods whose groups may be improved.

    Parameters
    ----------
    refine : bool
        Whether groups that hold are exchanged for others that lose less detail.
    """

    refine: bool = True

    @property
    def improves(self) -> bool:
        """See `GroupOptions`."""
        return self.refine


Own = TypeVar("Own", bound=Options)
Own_co = TypeVar("Own_co", bound=Options, covariant=True)
OfGroups = TypeVar("OfGroups", bound=GroupOptions)


@dataclass(frozen=True, eq=False)
class Job(Generic[Own_co]):
    """Job of a method: everything that it needs to make a release.

    Parameters
    ----------
    requirements : sequence of Requirement
        Requirements that the release must keep.
    progress : Progress
        Has the steps of the work.
    """

    setting: Setting
    requirements: Sequence[Requirement]
    options: Own_co
    chance: Chance
    progress: Progress


class Made(NamedTuple):
    """Release that was made, with its findings.

    Parameters
    ----------
    findings : list of Finding
        Findings: how it keeps each bound of the requirements by itself.
    mended : Mended, optional
        Outcome of its certification together with earlier releases, if there was one.
    """

    release: Release
    findings: list[Finding]
    mended: Mended | None = None


Make = Callable[[Job[Any]], Made]
"""Function that makes a release: a method's own `Method.make`, or a layer around it."""


class Method(ABC, Generic[Own]):
    """A way to make a release.

    Attributes
    ----------
    name : str
        Name of the method.
    form : Form
        Form of publication, but for what is settled when the release is made.
    options : type of Options
        The options that it has.
    tells_apart : bool
        Whether it is best given parts that tell respondents apart.
    combines : bool
        Whether people may be told of by combinations, of several sensitive columns or records.
    grows : bool
        Whether newcomers can be grouped beside groups that stay.
    draws : bool
        Whether what it publishes depends on chance, and not on the table alone: the numbers of
        groups aside, which always do.
    needs : tuple of type of Requirement
        Requirements that a policy must state if the method does not add them: it forms groups by
        these.
    """

    name: ClassVar[str]
    form: Form
    options: type[Own]
    tells_apart: ClassVar[bool] = False
    combines: ClassVar[bool] = True
    grows: ClassVar[bool] = False
    draws: ClassVar[bool] = False
    needs: ClassVar[tuple[type[Requirement], ...]] = ()

    def with_ranges(self, ranges: RangeStyle) -> Method[Own]:
        """The method that shows ranges so."""
        method = copy(self)
        method.form = self.form.with_ranges(ranges)
        return method

    def demands(self, stated: Mapping[str, Any], options: Own) -> Mapping[str, Any]:
        """Add to a policy what options ask for: mostly nothing.

        What the method forms groups by is so a requirement like others: recorded with the release,
        certified, and measured by audits.

        Parameters
        ----------
        stated : mapping
            Decoded JSON of a policy, as it was stated: what it leaves open is not put in yet.

        Returns
        -------
        mapping
            The policy that the release is to keep.

        Raises
        ------
        InvalidParameter
            If the two contradict each other.
        """
        return stated

    def prepare(self, table: Table, options: Own) -> tuple[Table, IntArray]:
        """Coarsen a table first, where options say so.

        Returns
        -------
        Table
            Table that is published. Domains that are not coarsened are the same objects.
        (c,) int array
            The cell that each cell has become part of.

        Raises
        ------
        InvalidParameter
            If it cannot be coarsened so.
        """
        return table, np.arange(table.cells)

    @abstractmethod
    def check(self, setting: Setting, requirements: Sequence[Requirement], options: Own) -> None:
        """Refuse what the method cannot meet, before any work is done.

        Raises
        ------
        UnattainableRequirement
            If no release of the table meets a requirement.
        InvalidParameter
            If the method cannot keep requirements of that kind.
        """

    @abstractmethod
    def make(
        self,
        job: Job[Own],
    ) -> Made:
        """Make a release that keeps the requirements.

        Raises
        ------
        UnattainableRequirement
            If none could be made.
        """


class GroupMethod(Method[OfGroups]):
    """A way to make a release that shows groups.

    Attributes
    ----------
    rearranging : bool
        Whether groups that fail may be mended by others than unions.
    """

    rearranging: ClassVar[bool] = True
    grows: ClassVar[bool] = True

    @property
    def plain(self) -> GroupMethod[Any]:
        """Method that publishes likewise for k-anonymity alone: mostly the method itself."""
        return self

    def check(
        self, setting: Setting, requirements: Sequence[Requirement], options: OfGroups
    ) -> None:
        """See `Method`."""
        check_attainable(requirements, setting)

    @abstractmethod
    def partition(
        self,
        job: Job[OfGroups],
    ) -> tuple[Setting, Groups, Form]:
        """Form groups that meet the requirements, as far as `setting`, which only tries, can tell.

        Returns
        -------
        Setting, Groups, Form
            The groups, and the setting that they are groups of: of the same table, whose cells may
            lie in several groups; and the form to show them in.
        """

    def certified(
        self,
        job: Job[OfGroups],
    ) -> tuple[Release, Certificate]:
        """Form groups and certify them; see `make`.

        Returns
        -------
        Release, Certificate
            Groups are numbered at random: where numbers are published, they must not tell of the
            making. There may be none.
        """
        # Groups that may not be rearranged must hold as they are formed.
        setting = job.setting
        sample = Sample(job.requirements, whole=not self.rearranging)
        whole = setting
        setting, groups, form = self.partition(
            replace(
                job,
                setting=setting.tried(),
                requirements=sample.requirements,
                progress=job.progress.step("partitioning"),
            ),
        )
        broken, improving = 0, job.options.improves
        while True:
            certificate = certify(
                setting,
                sample.requirements,
                groups,
                job.options.estimator,
                pool=form.pool,
                beyond=job.options.beyond,
                rearranging=self.rearranging,
                improving=improving,
                progress=job.progress,
            )
            broken += certificate.failed
            setting, groups = setting.over(certificate.parts), certificate.groups
            improving = False  # It goes to the limit of the sample, and beyond that of others.
            if not len(groups):
                break
            measured = sample.widened(
                setting,
                groups,
                certificate.measurements,
                job.options.estimator,
                progress=job.progress.quiet,
            )
            if measured is not None:
                certificate = replace(certificate, measurements=measured, failed=broken)
                break
            if not self.rearranging:
                setting, groups, form = self.partition(
                    replace(
                        job,
                        setting=whole.tried(),
                        requirements=sample.requirements,
                        progress=job.progress.quiet,
                    )
                )
        certificate = certificate.reordered(job.chance.order(len(certificate.groups)))
        return Release(certificate.parts, certificate.groups, form), certificate

    def make(
        self,
        job: Job[OfGroups],
    ) -> Made:
        """Make a release; see `Method.make`.

        Progress has the steps partitioning, certifying and, where groups are improved, improving.
        """
        release, certificate = self.certified(job)
        if not len(release.groups):
            failed = f"All {certificate.failed} groups fail, and nothing mends one."
            none = "No group was formed, and all records as one fail."
            raise UnattainableRequirement(
                "no group could be certified, so there is nothing to publish",
                detail=failed if certificate.failed else none,
                hint="Require less strictly, or use coarser quasi-identifiers.",
            )
        measured = job.setting.over(release.parts)
        return Made(
            release,
            findings(measured, release.groups, job.requirements, certificate.measurements),
        )
