r"""Smoothing: what is believed of every release once all have appeared.

A person is a chain over their looks, in the order of time and, within a period, of publication; a
group is a factor on its members' values. Belief propagation on the whole history, until nothing
changes:

- forward along a chain, ``alpha_b(v) = sum_u P(v | u) alpha_a(u) mu_a(u)`` from a look ``a`` to the
  next, ``b``, normalised over the release's values, and ``BKsv`` at the first look;
- from a group to each member ``mu = posterior / cavity``, where ``cavity = alpha beta`` is what all
  else tells about the member, and the posterior is inferred in the group with that as the prior;
- backward along a chain, ``beta_a(u) = sum_v P(v | u) mu_b(v) beta_b(v)``, and 1 at the last look.

The belief is ``alpha mu beta``, normalised. ``P`` is the transition of `inference`, doubt included;
between two looks at one period, the identity. Where knowledge has contexts of several values, ``P``
has ``u`` for the newest, and weighs older ones by what was believed of them as they appeared.
Knowledge that is counted in the history itself is counted in all of it.

This is exact for contexts of one value, exact posteriors, and persons of whom no two are linked by
groups in two ways. Elsewhere it is an estimate, and it may not come to rest, which is said: it may
then be far from where it tends. Messages are not damped: on random histories they were never seen
to swing, only to drift. Additive posteriors are no factors, and are taken for what they say of a
cavity that gives the group's values as much as ``alpha`` does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bkpriv_core.belief.posterior import Estimator, UsedArray, posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import (
    Constant,
    Memory,
    Snapshots,
    forward,
    transitions_at,
)
from bkpriv_core.sequence.links import link, rows_of
from bkpriv_core.sequence.sparse import SparseBeliefs
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Smoothed", "smooth"]

_SWEEPS = 300
"""Sweeps forward and backward after which beliefs have not converged."""

_TOLERANCE = 1e-6
"""Largest change of a probability in a sweep, for beliefs to have converged."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Beliefs about each step once all have appeared.

    Parameters
    ----------
    after : tuple of (e, m) float array
        Beliefs about each step's memberships; rows sum to 1.
    used : tuple of (g,) int8 array
        Estimator of each step's groups in the last sweep: a place in `ESTIMATORS`.
    converged : bool
        Whether beliefs came to rest.
    sweeps : int
        Sweeps forward and backward that were made.
    """

    after: tuple[FloatArray, ...]
    used: tuple[UsedArray, ...]
    converged: bool
    sweeps: int


def smooth(
    history: History,
    memory: Memory,
    snapshots: Snapshots,
    estimator: Estimator = "omega",
    progress: Progress = SILENT,
) -> Smoothed:
    """Beliefs about each step, given all of them.

    Parameters
    ----------
    history, memory, snapshots, estimator
        See `forward`.
    progress : Progress
        Receives the share of the work that is done, of the sweeps by a guess.
    """
    if not len(history):
        return Smoothed((), (), True, 0)
    chains = _Chains(history, memory, snapshots, estimator, progress=progress)
    sweep, converged = 0, False
    while sweep < _SWEEPS and not converged:
        sweep += 1
        converged = chains.sweep() <= _TOLERANCE
        progress.report(1.0 - 0.7 * 0.9**sweep)
    return Smoothed(tuple(chains.dense()), tuple(chains.used), converged, sweep)


class _Chains:
    """Looks, and the messages to and from each at the values of its group.

    Messages stand in flat arrays, look after look, values as in `Step.pattern`.
    """

    def __init__(
        self,
        history: History,
        memory: Memory,
        snapshots: Snapshots,
        estimator: Estimator,
        progress: Progress,
    ) -> None:
        self._history, self._estimator, self._quiet = history, estimator, progress.quiet
        shown, alone, broken = [], [], []
        walk = forward(history, memory, snapshots, estimator, progress=progress.part(0.0, 0.3))
        for place, beliefs in enumerate(walk):
            step = history.steps[place]
            shown.append(history.beliefs(place, step.compact(beliefs.after)))
            # Persons whom a release contradicts are believed to have its values by frequency, anew.
            anew = beliefs.contradicted[step.groups.owner]
            prior = snapshots(place)[step.groups.members]
            alone.append(step.compact(np.where(anew[:, None], beliefs.after, prior)))
            broken.append(anew)
        self._shown = SparseBeliefs.joined(shown)
        self._alone = np.concatenate(alone)
        self._owner = self._shown.owner
        self._rows = rows_of(history, self._shown)
        self._order = np.argsort([step.when for step in history.steps], kind="stable").tolist()
        self._links = link(
            history,
            transitions_at(history, memory, len(history) - 1),
            self._shown,
            self._alone,
            anew=np.concatenate(broken),
            progress=self._quiet,
        )
        constant = isinstance(memory, Constant)
        self._repeated = [history.repeated(place, constant) for place in range(len(history))]
        self._arriving = np.ones(len(self._owner))
        self._group = np.ones(len(self._owner))
        self._returning = np.ones(len(self._owner))
        self._belief = np.zeros(len(self._owner))
        self.used: list[UsedArray] = [np.zeros(0, dtype=np.int8)] * len(history)

    def sweep(self) -> float:
        """Go forward and backward once; return the largest change of a belief."""
        for place in self._order:
            links, rows = self._links[place], self._rows[place]
            told = self._arriving[links.sources] * self._group[links.sources]
            told = _scaled(told, links.owner)
            totals = links.totals @ told
            mine = self._owner[rows] - self._history.looks.first[place]
            # A look that follows none has no total, and keeps the belief about single releases.
            self._arriving[rows] = np.divide(
                links.transition @ told,
                totals[mine],
                out=self._alone[rows].copy(),
                where=totals[mine] > 0,
            )
            self._judge(place)
        for place in reversed(self._order):
            self._judge(place)
            links, rows = self._links[place], self._rows[place]
            leaving = self._group[rows] * self._returning[rows]
            self._returning[links.sources] = _scaled(links.transition.T @ leaving, links.owner)
        before = self._belief
        self._belief = _scaled(self._arriving * self._group * self._returning, self._owner)
        return float(np.abs(self._belief - before).max(initial=0.0))

    def dense(self) -> list[FloatArray]:
        """Beliefs about the memberships of each step, (e, m)."""
        beliefs = []
        for step, rows in zip(self._history.steps, self._rows, strict=True):
            codes = np.arange(len(step.labels), dtype=np.int64)
            sparse = SparseBeliefs(*step.pattern, self._belief[rows])
            beliefs.append(sparse.dense(codes, len(codes)))
        return beliefs

    def _judge(self, place: int) -> None:
        """Send messages from the groups of a step to its looks."""
        step, rows = self._history.steps[place], self._rows[place]
        offsets, values = step.pattern
        look = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        arriving = self._arriving[rows]
        cavity = arriving * self._returning[rows]
        scale = np.bincount(look, arriving) / np.bincount(look, cavity)
        cavity *= scale[look]
        prior = np.zeros((len(step.persons), len(step.labels)))
        prior[step.groups.members[look], values] = cavity
        inferred = posterior(
            step.groups,
            step.counts,
            (prior,),
            self._estimator,
            refuse=False,
            progress=self._quiet,
        )
        believed = step.compact(inferred.beliefs[0])
        message = np.divide(believed, cavity, out=np.zeros_like(cavity), where=cavity > 0)
        message[self._repeated[place][step.groups.owner[look]]] = 1.0
        self._group[rows] = _scaled(message, look)
        self.used[place] = inferred.used


def _scaled(messages: FloatArray, owner: IntArray) -> FloatArray:
    """Messages that sum to 1 for each owner."""
    scaled: FloatArray = messages / np.bincount(owner, messages)[owner]
    return scaled
