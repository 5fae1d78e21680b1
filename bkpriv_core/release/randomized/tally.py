"""Unbiased counts from randomized releases; see `bkpriv_core.randomization.reconstruction`.

A shown record counts by its weight. The values of each attribute of a condition fall into classes
that its comparisons do not tell apart, and the values of a class weigh alike, so the weights of a
condition of any form are the inverse channels, by classes, applied to the tensor of where it is
true. Grouped by an attribute, its values are estimated along an axis of their own.

Counts may be negative, and there is one for nearly every combination of randomized values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes, combinations_met, criteria_by_attribute
from bkpriv_core.query.predicate import Codes, Predicate
from bkpriv_core.query.tally import Tally, check_keys
from bkpriv_core.query.workload import Workload
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.randomization.reconstruction import Estimates, Merged, unbiased, weigh
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.kronecker import apply

__all__ = ["RandomizedTally"]

_CHUNK = 4_000_000
"""Pairs of query and shown record at a time."""

_WORK = 4_000_000_000
"""Pairs of a combination of keys, as far as a condition tells them apart, and a shown record."""


class RandomizedTally(Tally):
    """Weighed counts of shown records."""

    def __init__(
        self, domains: tuple[Domain, ...], channels: tuple[Channel, ...], drawn: Drawn
    ) -> None:
        self.domains = domains
        self._channels = channels
        self._drawn = drawn

    def by_key(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> tuple[IntArray, FloatArray]:
        """See `Tally`."""
        estimates = self.estimate(predicate, keys, progress)
        return estimates.codes, estimates.counts

    def estimate(
        self,
        predicate: Predicate,
        keys: Sequence[int] = (),
        progress: Progress = SILENT,
    ) -> Estimates:
        """Count as `by_key`, with standard errors."""
        by_attribute = criteria_by_attribute(predicate)
        rest, grouped = (
            [
                Classes.of(
                    attribute,
                    by_attribute.get(attribute, []),
                    Codes.of(self.domains[attribute]),
                    progress,
                )
                for attribute in attributes
            ]
            for attributes in ([other for other in sorted(by_attribute) if other not in keys], keys)
        )
        met = combinations_met(predicate, [*rest, *grouped], progress)
        merged = [Merged(self._channels[item.attribute], item.sizes) for item in rest]
        weights = apply(merged, met.astype(np.float64), progress)
        kinds = [item.size for item in grouped]
        weights = weights.reshape(-1, math.prod(kinds))
        met = met.reshape(weights.shape)
        # Shown records are alike that agree in the keys and in how the condition weighs them.
        weighed = np.zeros(len(self._drawn.codes), dtype=np.int64)
        for item in rest:
            weighed = weighed * item.size + item.members[self._drawn.codes[:, item.attribute]]
        drawn = self._drawn.alike(np.column_stack((self._drawn.codes[:, list(keys)], weighed)))
        shown, weighed = Drawn(drawn.codes[:, :-1], drawn.counts), drawn.codes[:, -1]
        domains = [self.domains[key] for key in keys]
        channels = [self._channels[key] for key in keys]
        found = [Estimates.none(len(keys))]
        asked = np.array([True]) if not keys else np.logical_or.reduce(met, axis=0)
        self._check_work(int(asked.sum()) * len(shown.codes), keys)
        for number, chosen in enumerate(np.ndindex(*kinds)):
            if not asked[number]:
                continue
            progress.poll()
            values = [item.members == kind for item, kind in zip(grouped, chosen, strict=True)]
            weight = weights[weighed, number]
            found.append(
                unbiased(domains, channels, shown, weight, values=values, progress=progress)
            )
            check_keys(self.domains, keys, sum(len(item.counts) for item in found))
        return Estimates.together(found)

    def _check_work(self, work: int, keys: Sequence[int]) -> None:
        """Refuse conditions that tell so many combinations of keys apart that it would not end."""
        if work > _WORK:
            names = ", ".join(self.domains[key].name for key in keys)
            raise TooLarge(
                f"the condition tells too many values of {names} apart",
                detail=f"Records that were drawn would be weighed {work} times, at most {_WORK}.",
                hint="Group by fewer attributes, or put simpler conditions on those.",
            )

    def answer(self, workload: Workload, progress: Progress = SILENT) -> FloatArray:
        """See `Tally`."""
        answers = np.empty(len(workload))
        codes, counts = self._drawn.codes, self._drawn.counts.astype(np.float64)
        step = max(1, _CHUNK // len(codes))
        for start in range(0, len(workload), step):
            progress.poll()
            part = slice(start, start + step)
            weights = np.ones((len(answers[part]), len(codes)))
            for place, channel in enumerate(self._channels):
                asked = np.flatnonzero(workload.queried[part, place])
                weight = weigh(channel, workload.chosen[place][part][asked])
                weights[asked] *= np.take(weight, codes[:, place], axis=1)
            answers[part] = weights @ counts
        return answers
