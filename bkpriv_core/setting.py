"""The setting in which requirements are measured: the table and what adversaries know about it.

Priors are costly, and several requirements, rounds of partitioning and audits ask for the same
ones, so a setting computes each adversary's prior once and keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from bkpriv_core.disclosure import Adversaries, Disclosure
from bkpriv_core.distance import DEFAULT_SMOOTHING, BeliefDistance
from bkpriv_core.domain import Table
from bkpriv_core.groups import FloatArray, Groups
from bkpriv_core.kernels import check_bandwidth
from bkpriv_core.posterior import Estimator
from bkpriv_core.prior import Bandwidth, kernel_prior, resolve_bandwidth

__all__ = ["Setting"]


class Setting:
    """A table, a distance of beliefs, and adversaries' priors as they are asked for.

    Parameters
    ----------
    table : Table
        The table.
    smoothing : float
        Bandwidth of the belief distance over the sensitive domain.
    poll : callable
        Called between large steps; may raise to cancel.
    """

    def __init__(
        self,
        table: Table,
        smoothing: float = DEFAULT_SMOOTHING,
        *,
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        self.table = table
        self.smoothing = check_bandwidth(smoothing, "the smoothing bandwidth")
        self.poll = poll
        self._priors: dict[tuple[float, ...], FloatArray] = {}
        self._adversaries: dict[tuple[tuple[float, ...], ...], Adversaries] = {}

    @cached_property
    def distance(self) -> BeliefDistance:
        """Distance of beliefs over the sensitive domain."""
        return BeliefDistance.over(self.table.sensitive, self.smoothing)

    @cached_property
    def overall(self) -> FloatArray:
        """Distribution of the sensitive attribute in the whole table, shape (m,)."""
        shares: FloatArray = self.table.counts.sum(axis=0) / self.table.records
        return shares

    def _key(self, bandwidth: Bandwidth) -> tuple[float, ...]:
        names = tuple(domain.name for domain in self.table.quasi_identifiers)
        if isinstance(bandwidth, Mapping):
            return resolve_bandwidth(dict(bandwidth), names)
        return resolve_bandwidth(bandwidth, names)

    def prior(self, bandwidth: Bandwidth) -> FloatArray:
        """Prior of Adv(B) about the records of each cell, shape (c, m)."""
        key = self._key(bandwidth)
        if key not in self._priors:
            self._priors[key] = kernel_prior(self.table, bandwidth, poll=self.poll)
        return self._priors[key]

    def disclosure(
        self,
        bandwidths: Sequence[Bandwidth],
        groups: Groups,
        estimator: Estimator,
        progress: Callable[[float], None] = lambda share: None,
    ) -> Disclosure:
        """What releasing `groups` discloses to each of several adversaries."""
        key = tuple(self._key(bandwidth) for bandwidth in bandwidths)
        if key not in self._adversaries:
            priors = [self.prior(bandwidth) for bandwidth in bandwidths]
            self._adversaries[key] = Adversaries(self.table, priors, self.distance, poll=self.poll)
        return self._adversaries[key].disclosure(groups, estimator, progress)
