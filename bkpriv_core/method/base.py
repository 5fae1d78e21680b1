"""Interface of methods: a method makes releases, by options of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.options import GroupOptions, Options
from bkpriv_core.partition.certification import Certificate, certify
from bkpriv_core.progress import Progress
from bkpriv_core.release.release import Form, RangeStyle, Release
from bkpriv_core.requirement import Requirement, check_attainable
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from bkpriv_core.audit import Finding
    from bkpriv_core.partition.composition import Mended

__all__ = [
    "GroupMethod",
    "Job",
    "Method",
    "OfGroups",
    "Own",
    "ReleaseMaker",
    "Result",
]

Own = TypeVar("Own", bound=Options)
Own_co = TypeVar("Own_co", bound=Options, covariant=True)
OfGroups = TypeVar("OfGroups", bound=GroupOptions)


@dataclass(frozen=True, eq=False)
class Job(Generic[Own_co]):
    """Job of a method: everything that it needs to make a release."""

    threat: ThreatModel
    requirements: Sequence[Requirement]
    """Requirements that the release must keep."""
    options: Own_co
    chance: Chance
    progress: Progress


class Result(NamedTuple):
    """Release that was made, with its findings."""

    release: Release
    findings: list[Finding]
    """Findings: how it keeps each bound of the requirements by itself."""
    mended: Mended | None = None
    """Outcome of its certification together with earlier releases, if there was one."""


ReleaseMaker = Callable[[Job[Any]], Result]
"""Function that makes a release: a method's own `Method.make`, or a layer around it."""


class Method(ABC, Generic[Own]):
    """A way to make a release."""

    name: ClassVar[str]
    form: Form
    """Form of publication, but for what is settled when the release is made."""
    options: type[Own]
    tells_apart: ClassVar[bool] = False
    """Whether it is best given parts that tell respondents apart."""
    combines: ClassVar[bool] = True
    """Whether people may be told of by combinations, of several sensitive columns or records."""
    grows: ClassVar[bool] = False
    """Whether newcomers can be grouped beside groups that stay."""
    draws: ClassVar[bool] = False
    """Whether what it publishes depends on chance, and not on the table alone: the numbers of
    groups aside, which always do.
    """
    needs: ClassVar[tuple[type[Requirement], ...]] = ()
    """Requirements that a policy must state if the method does not add them: it forms groups by
    these.
    """

    def with_ranges(self, ranges: RangeStyle) -> Method[Own]:
        """The method that shows ranges so."""
        method = copy(self)
        method.form = self.form.with_ranges(ranges)
        return method

    def demands(self, stated: Mapping[str, Any], options: Own) -> Mapping[str, Any]:
        """Add to a policy what options ask for: mostly nothing.

        What the method forms groups by is so a requirement like others: recorded with the release,
        certified, and measured by audits.

        Args:
            stated: Decoded JSON of a policy, as it was stated: what it leaves open is not put in
                yet.

        Raises:
            InvalidParameter: If the two contradict each other.
        """
        return stated

    def prepare(self, table: Table, options: Own) -> tuple[Table, IntArray]:
        """Coarsen a table first, where options say so.

        Returns:
            Table that is published. Domains that are not coarsened are the same objects.
            Shape (c,). The cell that each cell has become part of.

        Raises:
            InvalidParameter: If it cannot be coarsened so.
        """
        return table, np.arange(table.cells)

    @abstractmethod
    def check(self, threat: ThreatModel, requirements: Sequence[Requirement], options: Own) -> None:
        """Refuse what the method cannot meet, before any work is done.

        Raises:
            UnattainableRequirement: If no release of the table meets a requirement.
            InvalidParameter: If the method cannot keep requirements of that kind.
        """

    @abstractmethod
    def make(
        self,
        job: Job[Own],
    ) -> Result:
        """Make a release that keeps the requirements.

        Raises:
            UnattainableRequirement: If none could be made.
        """


class GroupMethod(Method[OfGroups]):
    """A way to make a release that shows groups."""

    rearranging: ClassVar[bool] = True
    """Whether groups that fail may be mended by others than unions."""
    grows: ClassVar[bool] = True

    @property
    def plain(self) -> GroupMethod[Any]:
        """Method that publishes likewise for k-anonymity alone: mostly the method itself."""
        return self

    def check(
        self, threat: ThreatModel, requirements: Sequence[Requirement], options: OfGroups
    ) -> None:
        """See `Method`."""
        check_attainable(requirements, threat)

    @abstractmethod
    def partition(
        self,
        job: Job[OfGroups],
    ) -> tuple[ThreatModel, Groups, Form]:
        """Form groups that meet the requirements, as far as `threat`, which only tries, can tell.

        Returns:
            The groups, and the setting that they are groups of: of the same table, whose cells may
            lie in several groups; and the form to show them in.
        """

    def certified(
        self,
        job: Job[OfGroups],
    ) -> tuple[Release, Certificate]:
        """Form groups and certify them; see `make`.

        Returns:
            Groups are numbered at random: where numbers are published, they must not tell of the
            making. There may be none.
        """
        threat, groups, form = self.partition(
            replace(job, threat=job.threat.tried(), progress=job.progress.step("partitioning")),
        )
        certificate = certify(
            threat,
            job.requirements,
            groups,
            job.options.estimator,
            pool=form.pool,
            beyond=job.options.beyond,
            rearranging=self.rearranging,
            improving=job.options.improves,
            progress=job.progress,
        )
        certificate = certificate.reordered(job.chance.order(len(certificate.groups)))
        return Release(certificate.parts, certificate.groups, form), certificate

    def make(
        self,
        job: Job[OfGroups],
    ) -> Result:
        """Make a release; see `Method.make`.

        Progress has the steps partitioning, certifying and, where groups are improved, improving.
        """
        from bkpriv_core.audit import findings  # not wanted where what was made is only measured

        release, certificate = self.certified(job)
        if not len(release.groups):
            failed = f"All {certificate.failed} groups fail, and nothing mends one."
            none = "No group was formed, and all records as one fail."
            raise UnattainableRequirement(
                "no group could be certified, so there is nothing to publish",
                detail=failed if certificate.failed else none,
                hint="Require less strictly, or use coarser quasi-identifiers.",
            )
        measured = job.threat.over(release.parts)
        return Result(
            release,
            findings(measured, release.groups, job.requirements, certificate.measurements),
        )
