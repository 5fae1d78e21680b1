"""Counterfeiting: records that no group takes are shown with other sensitive values.

A reader who knows who is in a table sees who was left out, and may ask why (Riboni, Pareschi,
Bettini 2012, section 6.3). So records that a policy leaves over can be inserted into existing
groups, each with a value with which the group holds, see `insertion`. Rules:

- Every group meets the policy as it is shown, with the priors of its real respondents.
- The record's own value is tried first, then values that the group shows already. Among these,
  values come first that fewest records are shown with, compared with how many have them, so that
  the whole stays near the truth; among equals one at random, which says nothing of the true one.
- No record is shown with a value that an adversary of the policy knows it cannot have: they would
  know it for a counterfeit. If there are very many values, the most frequent ones are tried.
- A record that no value helps is left out. A requirement on priors alone, such as one on their
  divergence, is met with every value or with none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition.certification import Beyond, Certificate, Pool
from bkpriv_core.partition.evaluation import Evaluator
from bkpriv_core.partition.insertion import insert
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import Requirement, alone_and_joint
from bkpriv_core.table.chance import Chance
from bkpriv_core.table.groups import SUPPRESSED, Groups, IntArray
from bkpriv_core.table.parts import Parts

__all__ = ["counterfeit"]

_VALUES = 32
"""Values tried for each record."""

_COUNTS = 4_000_000
"""Counts of records, each with all values that are tried, that are made at a time."""


def counterfeit(
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    certificate: Certificate,
    estimator: Estimator,
    chance: Chance,
    *,
    pool: Pool,
    beyond: Beyond = "estimate",
    progress: Progress = SILENT,
) -> Certificate:
    """Insert what is left over with values with which groups hold.

    Args:
        threat: The table and its adversaries, for groups that are only tried; of the certificate's
            parts.
        certificate: Groups that do, of parts without counterfeits.
        chance: Decides among values that are as good.
        pool: Joins groups that will be published alike; see `Form.pool`.
        beyond: Whether a group is published that only an estimate says to hold.
        progress: Receives the share of records that are tried.
    """
    alone, joint = alone_and_joint(requirements)
    parts, groups, left = _told(certificate)
    left = left[chance.order(len(left))]
    values = np.argsort(-threat.table.overall, kind="stable")[:_VALUES]
    many = max(1, _COUNTS // (len(values) * threat.table.sensitive.size))
    for start in range(0, len(left), many):
        tried = left[start : start + many]
        variants = _Variants.of(threat.over(parts), requirements, tried, values, chance=chance)
        judge = Evaluator(
            threat.over(variants.parts), alone, estimator, beyond=beyond == "estimate"
        )
        made = insert(
            judge,
            joint,
            groups,
            variants.of_records,
            pool=pool,
            prefer=variants.prefer,
            progress=progress.part(start / len(left), (start + len(tried)) / len(left)),
        )
        parts, groups = variants.settled(parts, made)
    parts, groups = parts.unite(groups)
    threat = threat.over(parts)
    return Certificate(
        parts,
        groups,
        np.flatnonzero(groups.labels(len(parts)) == SUPPRESSED),
        tuple(item.measure(threat, groups, estimator) for item in requirements),
        failed=certificate.failed,
    )


def _told(certificate: Certificate) -> tuple[Parts, Groups, IntArray]:
    """Tell apart all records that are left over; the parts, the groups, and what is left."""
    parts, groups = certificate.parts, certificate.groups
    which, values = parts.enumerate_records()
    labels = groups.labels(len(parts))[which]
    free = np.flatnonzero(labels == SUPPRESSED)
    labels[free] = len(groups) + np.arange(len(free))
    told, made = parts.dealt(which, values, labels)
    published = np.arange(len(groups))
    return told, made.select(published), made.members[made.offsets[len(groups)] :]


@dataclass(frozen=True, eq=False)
class _Variants:
    """Records with each value that they may be shown with."""

    parts: Parts
    """All parts, and behind them one for each record and value."""
    of_records: Groups
    """Part of each record, and the variants behind it."""
    record: IntArray
    value: IntArray
    """Shape (v,). The part that each of those behind stands for, and the value that it has."""
    drawn: IntArray
    """Shape (p,). A random order of all parts."""

    @classmethod
    def of(
        cls,
        threat: ThreatModel,
        requirements: Sequence[Requirement],
        records: IntArray,
        values: IntArray,
        chance: Chance,
    ) -> _Variants:
        """Give some records values that they do not have, but for what is impossible."""
        parts = threat.parts
        may = parts.counts[records] == 0
        for knowledge in (item for requirement in requirements for item in requirement.knowledge):
            may &= threat.prior(knowledge)[records] > 0
        row, place = np.nonzero(may[:, values])
        record, value = records[row], values[place]
        wide = parts.select(np.concatenate((np.arange(len(parts)), record)))
        false = np.zeros(wide.counts.shape, dtype=np.int64)
        if wide.counterfeits is not None:
            false[:] = wide.counterfeits
        behind = np.arange(len(parts), len(wide))
        false[behind] = -wide.counts[behind]
        false[behind, value] += 1
        owner = np.concatenate((np.arange(len(records)), row))
        mine = Groups.from_labels(owner)
        members = np.concatenate((records, behind))[mine.members]
        return cls(
            wide.shown(false),
            Groups(members, mine.offsets),
            record,
            value,
            drawn=chance.order(len(wide)),
        )

    @cached_property
    def _shown(self) -> IntArray:
        """Value that each record is shown with, shape (p,)."""
        shown: IntArray = self.parts.counts.argmax(axis=1)
        return shown

    def prefer(self, groups: Groups, group: IntArray, variant: IntArray) -> IntArray:
        """Rank variants in groups; see `Preference`."""
        behind = variant - (len(self.parts) - len(self.value))
        value = self._shown[variant]
        histograms = self.parts.histograms(groups)
        beyond = histograms.sum(axis=0) - self.parts.table.counts.sum(axis=0)
        order = np.lexsort(
            (self.drawn[variant], beyond[value], histograms[group, value] == 0, behind >= 0)
        )
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return rank

    def settled(self, parts: Parts, groups: Groups) -> tuple[Parts, Groups]:
        """The parts that these were made of, with the values that records are shown with."""
        labels = groups.labels(len(self.parts))
        chosen = len(parts) + np.flatnonzero(labels[len(parts) :] != SUPPRESSED)
        record = self.record[chosen - len(parts)]
        labels[record] = labels[chosen]
        assert self.parts.counterfeits is not None
        false = self.parts.counterfeits[: len(parts)].copy()
        false[record] = self.parts.counterfeits[chosen]
        return parts.shown(false), Groups.from_labels(labels[: len(parts)])
