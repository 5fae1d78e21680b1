"""Disclosure: how far a release moves an adversary's belief about each record.

The disclosure of a record is the distance of the adversary's prior and posterior beliefs about it
(Li, Li, Zhang 2009, definition 1). It is the same for all records of one membership. With
exact posteriors it is exact; with bethe or omega it is an estimate that may understate.

Who asks only whether figures keep limits need not have all of them. Groups beyond the budget of
exact inference are bounded (`bkpriv_core.belief.bounding`) before they are estimated. Where all
figures of a group are below their limits, upper bounds stand in for them. Where groups are only
tried, those of more than `FEW_STATES` are bounded first, which takes hardly longer than bethe; and
upper bounds also stand in where a figure is above its limit for certain. Bounds are asked for one
adversary after the other, and no more where one decides; exact inference, which costs little more
for several adversaries than for one, is made for all at once.

Inference unites the parts of a group about which every adversary believes the same, such as those
of respondents in one cell about whom nothing else is known. That takes fewer states, so that more
groups are exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bkpriv_core.belief.belief_cache import BeliefCache
from bkpriv_core.belief.bounding import bounds
from bkpriv_core.belief.distance import BeliefDistance, Distance
from bkpriv_core.belief.held import Held, divergence_of_held, held_values
from bkpriv_core.belief.posterior import (
    AUTO_STATES,
    BOUND,
    FEW_STATES,
    Estimator,
    Inferred,
    Posterior,
    UsedArray,
    exact_states,
    posterior,
)
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.combination import Marginal
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups, IntArray
from bkpriv_core.table.parts import MANY_VALUES, Parts

__all__ = ["Adversaries", "Disclosure", "Explanation"]

_CLEAR = 1e-6
"""Excess over a limit, in bits, at which a lower bound breaks it, whatever the slack of that."""


@dataclass(frozen=True, eq=False)
class Disclosure(Inferred):
    """Disclosure to several adversaries."""

    figures: FloatArray
    """Shape (a, e). Disclosure of the records of each membership to each of ``a`` adversaries, in
    bits; upper bounds in groups that were bounded.
    """
    used: UsedArray
    """Shape (g,). Estimator of each group's posteriors: a place in `posterior.ESTIMATORS`."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """Membership in each group about which an adversary learns most, and the value learnt."""

    members: IntArray
    """Shape (g,). The membership whose records disclose most."""
    figures: FloatArray
    """Shape (g,). Disclosure of that membership, in bits."""
    values: IntArray
    """Shape (g,). The sensitive value whose probability moves most, up or down, in the belief about
    them; or the class of an aspect.
    """
    before: FloatArray
    after: FloatArray
    """Shape (g,). Prior and posterior probability of that value."""
    used: UsedArray
    """Shape (g,). Estimator of each group's posterior, as in `Disclosure`."""
    aspects: list[Marginal | None]
    """The aspect that is meant; None for the sensitive attribute as a whole."""

    def label(self, group: int, sensitive: Domain) -> str | None:
        """The value of a group as text, where the table has such a sensitive attribute."""
        aspect, value = self.aspects[group], int(self.values[group])
        return sensitive.labels[value] if aspect is None else aspect.label(value)


class Adversaries:
    """Adversaries with given priors about one table, and what releases disclose to them.

    Args:
        parts: The table's cells, or parts of them.
        judged: Prior and distance of each figure: the prior by its place among `priors`.
        trying: Whether groups are only tried: one that contradicts a prior then discloses
            infinitely much; otherwise it is an error.
        recall: Remembers what groups of the parts disclose.
        known_by: Key of the adversary and the distance of each figure in the recall.
        believed_by: Key of each prior in the recall.
        prepared: Prior of each figure, prepared by its distance; see `Distance.prepare`.
    """

    def __init__(
        self,
        parts: Parts,
        priors: Sequence[FloatArray],
        judged: Sequence[tuple[int, Distance]],
        *,
        trying: bool = False,
        recall: BeliefCache | None = None,
        known_by: Sequence[Hashable] | None = None,
        believed_by: Sequence[Hashable] | None = None,
        prepared: Sequence[tuple[FloatArray, FloatArray]] | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self._parts = parts
        self._priors = tuple(priors)
        self._judged = tuple(judged)
        self._trying = trying
        self._recall = BeliefCache() if recall is None else recall
        self._known_by = tuple(range(len(judged)) if known_by is None else known_by)
        self._believed_by = tuple(range(len(priors)) if believed_by is None else believed_by)
        self._progress = progress.quiet
        if prepared is None:
            prepared = [by.prepare(self._priors[place]) for place, by in self._judged]
        self._prepared = tuple(prepared)

    @cached_property
    def apart(self) -> tuple[tuple[list[int], Adversaries], ...]:
        """Each adversary alone, with the places of its figures among those of all.

        Where a group is given up once one of them learns too much, the others need not be asked.
        """
        if len(self._priors) == 1:
            return ((list(range(len(self._judged))), self),)
        places = [
            [row for row, (of, _) in enumerate(self._judged) if of == place]
            for place in range(len(self._priors))
        ]
        return tuple(
            (
                rows,
                Adversaries(
                    self._parts,
                    [prior],
                    [(0, self._judged[row][1]) for row in rows],
                    trying=self._trying,
                    recall=self._recall,
                    known_by=[self._known_by[row] for row in rows],
                    believed_by=[believed_by],
                    prepared=[self._prepared[row] for row in rows],
                    progress=self._progress,
                ),
            )
            for rows, prior, believed_by in zip(
                places, self._priors, self._believed_by, strict=True
            )
        )

    def disclosure(
        self,
        groups: Groups,
        estimator: Estimator,
        progress: Progress | None = None,
        limits: Sequence[float] | None = None,
    ) -> Disclosure:
        """Disclosure to every adversary if `groups` were released.

        Args:
            limits: Limit of each adversary's figures, if no more is asked than whether they keep
                it. Then ``auto`` bounds groups of many states; see the module. By ``bound`` all of
                these are.
        """

        def infer(some: Groups) -> tuple[FloatArray, UsedArray]:
            return self._infer(some, "auto" if estimator == "bound" else estimator, progress)

        if estimator in ("omega", "additive"):  # They take no longer than to remember them.
            return Disclosure(*infer(groups))
        if limits is None or estimator not in ("auto", "bound"):
            # Without limits nothing is bounded; what is remembered of bounds has another shape.
            about = self._known_by, "auto" if estimator == "bound" else estimator
            return Disclosure(*self._recall.figures(about, groups, infer))
        figures = np.zeros((len(self._judged), len(groups.members)))
        used = np.full(len(groups), BOUND, dtype=np.int8)
        bounded = self._decided(groups, np.asarray(limits), figures, every=estimator == "bound")
        rest = groups.select(~bounded)
        figures[:, ~bounded[groups.owner]], used[~bounded] = self._recall.figures(
            (self._known_by, "auto"), rest, infer
        )
        return Disclosure(figures, used)

    def _decided(
        self, groups: Groups, limits: FloatArray, figures: FloatArray, *, every: bool
    ) -> BoolArray:
        """Groups of many states of which bounds tell enough, or all; upper ones go to `figures`."""
        states = exact_states(
            groups, self._parts.weights[groups.members], self._parts.histograms(groups)
        )
        bounded = states > (FEW_STATES if every or self._trying else AUTO_STATES)
        if not bounded.any():
            return bounded
        if not every:
            bounded[bounded] = self._possible(groups.select(bounded))
            if not bounded.any():
                return bounded
        many = groups.select(bounded)
        most, enough = self._bounded(many, limits, every=every)
        if every:
            most[:, ~self._possible(many)[many.owner]] = np.inf
        figures[:, bounded[groups.owner]] = most
        bounded[bounded] = enough | every
        return bounded

    def _bounded(
        self, groups: Groups, limits: FloatArray, *, every: bool
    ) -> tuple[FloatArray, BoolArray]:
        """Upper bounds of figures, (a, e), and for which groups bounds tell enough, (g,).

        Adversaries are asked one after the other. Of a group that one of them decides against, by
        its upper bounds if those are all that counts, nothing is known of the others: infinity.
        """
        figures = np.full((len(self._judged), len(groups.members)), np.inf)
        kept = np.ones(len(groups), dtype=bool)
        closed = np.zeros(len(groups), dtype=bool)
        for rows, adversary in self.apart:
            asked = ~closed
            some, members = groups.select(asked), asked[groups.owner]
            about = adversary._known_by, "bound"
            found, _ = self._recall.figures(about, some, adversary._bound)
            least, most = np.split(found, 2)
            figures[np.ix_(np.array(rows), members)] = most
            own = limits[rows][:, None]
            kept[asked] &= ~some.max(np.any(most > own, axis=0))
            closed[asked] = some.max(np.any((most if every else least) > own + _CLEAR, axis=0))
        return figures, (kept & ~closed) | (closed & self._trying)

    def _possible(self, groups: Groups) -> BoolArray:
        """Groups that contradict no prior: what is true is possible; others may do, too, (g,)."""
        possible: BoolArray = ~groups.max(self._ruled_out[groups.members])
        return possible

    @cached_property
    def _ruled_out(self) -> BoolArray:
        """Parts with a value that a prior rules out, shape (p,)."""
        held = self._parts.counts > 0
        ruled_out = np.zeros(len(held), dtype=bool)
        for prior in self._priors:
            ruled_out |= (held & (prior <= 0)).any(axis=1)
        return ruled_out

    def _bound(self, groups: Groups) -> tuple[FloatArray, UsedArray]:
        """Lower and upper bounds of the figures of each membership, (2 a, e)."""
        weights, histograms = self._parts.weights[groups.members], self._parts.histograms(groups)
        beliefs = [
            bounds(groups, weights, histograms, prior[groups.members], self._progress)
            for prior in self._priors
        ]
        told = [
            distance.within(smoothed[groups.members], *beliefs[place])
            for (place, distance), (smoothed, _) in zip(self._judged, self._prepared, strict=True)
        ]
        least, most = zip(*told, strict=True)
        return np.array([*least, *most]), np.full(len(groups), BOUND, dtype=np.int8)

    def _infer(
        self, groups: Groups, estimator: Estimator, progress: Progress | None
    ) -> tuple[FloatArray, UsedArray]:
        """Figures of each membership, and how each group was inferred."""
        if not self._plain:
            return self._infer_over_all(groups, estimator, progress)
        figures = np.empty((len(self._judged), len(groups.members)))
        used = np.empty(len(groups), dtype=np.int8)
        for held in held_values(self._parts, groups):
            some = groups.select(held.chosen)
            mark = np.zeros(len(groups), dtype=bool)
            mark[held.chosen] = True
            found = None if held.columns is None else self._held(some, held, estimator, progress)
            if found is None:
                found = self._infer_over_all(some, estimator, progress)
            figures[:, mark[groups.owner]], used[held.chosen] = found
        return figures, used

    @property
    def _plain(self) -> bool:
        """Whether there are many values, and figures are divergences of beliefs as they are."""
        return self._parts.counts.shape[1] >= MANY_VALUES and all(
            isinstance(by, BeliefDistance) and by.smoother is None for _, by in self._judged
        )

    def _held(
        self, groups: Groups, held: Held, estimator: Estimator, progress: Progress | None
    ) -> tuple[FloatArray, UsedArray] | None:
        """Infer over the values that groups hold; None where they contradict what is believed."""
        united, members, alike = self._united(groups)
        of_members = Groups(groups.members, groups.offsets)
        counts: IntArray = np.asarray(held.of_members(self._parts.counts, of_members), np.int64)
        first = Groups(members, united.offsets)
        priors: tuple[FloatArray, ...] = tuple(
            np.asarray(held.of_members(prior, first), np.float64) for prior in self._priors
        )
        if alike is not None:
            counts = alike.sum(counts[alike.members])
        try:
            inferred = posterior(
                Groups(np.arange(len(members)), united.offsets),
                counts,
                priors,
                estimator,
                refuse=not self._trying,
                progress=self._progress if progress is None else progress,
            )
        except ContradictoryKnowledge:
            return None  # Said of all values, by their names.
        each = [
            divergence_of_held(prior, belief)
            for prior, belief in zip(priors, inferred.beliefs, strict=True)
        ]
        about = [place for place, _ in self._judged]
        figures = np.array([each[place] for place in about]).reshape(len(about), len(members))
        figures[inferred.contradicted[about][:, united.owner]] = np.inf
        if alike is not None:
            figures = figures[:, alike.labels(len(groups.members))]
        return figures, inferred.used

    def _infer_over_all(
        self, groups: Groups, estimator: Estimator, progress: Progress | None
    ) -> tuple[FloatArray, UsedArray]:
        """Infer over all values; see `_infer`."""
        inferred = self.posterior(groups, estimator, progress)
        figures = np.array(
            [
                distance.from_prepared(
                    smoothed[groups.members], entropy[groups.members], inferred.beliefs[place]
                )
                for (place, distance), (smoothed, entropy) in zip(
                    self._judged, self._prepared, strict=True
                )
            ]
        )
        figures = figures.reshape(len(self._judged), len(groups.members))
        about = [place for place, _ in self._judged]
        figures[inferred.contradicted[about][:, groups.owner]] = np.inf
        return figures, inferred.used

    def explain(self, groups: Groups, estimator: Estimator, adversary: int = 0) -> Explanation:
        """Explain what the adversary of a figure learns most in each group, and of which member.

        Beliefs are inferred for all adversaries at once, so that `estimator` decides as it does
        for their disclosure.
        """
        inferred = self.posterior(groups, estimator)
        place, distance = self._judged[adversary]
        before, after = self._priors[place][groups.members], inferred.beliefs[place]
        figures = distance(before, after)
        falling = np.lexsort((-figures, groups.owner))
        members = falling[groups.offsets[:-1]]
        aspects, values, prior, posterior = distance.most_moved(before[members], after[members])
        return Explanation(
            members,
            figures[members],
            values,
            prior,
            after=posterior,
            used=inferred.used,
            aspects=aspects,
        )

    def posterior(
        self,
        groups: Groups,
        estimator: Estimator,
        progress: Progress | None = None,
    ) -> Posterior:
        """Posteriors of every adversary; a contradiction names value or cell by their labels."""
        about = (self._believed_by, estimator, self._trying)
        return self._recall.posterior(
            about, groups, lambda: self._inferred(groups, estimator, progress)
        )

    def _inferred(
        self, groups: Groups, estimator: Estimator, progress: Progress | None
    ) -> Posterior:
        united, members, alike = self._united(groups)
        counts, priors = self._parts.counts, self._priors
        if alike is not None:
            counts = alike.sum(counts[groups.members[alike.members]])
            priors = tuple(prior[members] for prior in priors)
        try:
            inferred = posterior(
                united,
                counts,
                priors,
                estimator,
                refuse=not self._trying,
                progress=self._progress if progress is None else progress,
            )
        except ContradictoryKnowledge as error:
            if alike is not None and error.part is not None:
                error.part = int(members[error.part])
            raise self._named(groups, error) from None
        if alike is None:
            return inferred
        place = alike.labels(len(groups.members))
        return replace(inferred, beliefs=tuple(belief[place] for belief in inferred.beliefs))

    def _united(self, groups: Groups) -> tuple[Groups, IntArray, Groups | None]:
        """Groups of what is believed alike; a part of each such; and which memberships those are.

        The groups as they are, and None, where all that is believed differs.
        """
        if self._kinds is not None:
            keys = np.column_stack((groups.owner, self._kinds[groups.members]))
            first, kind, _ = distinct_rows(keys)
            if len(first) < len(kind):
                widths = np.bincount(groups.owner[first], minlength=len(groups))
                offsets = np.concatenate(([0], np.cumsum(widths)))
                united = Groups(np.arange(len(first)), offsets)
                return united, groups.members[first], Groups.from_labels(kind)
        return groups, groups.members, None

    @cached_property
    def _kinds(self) -> IntArray | None:
        """Number of what is believed of each part; None where that differs between all."""
        rows = np.ascontiguousarray(np.hstack(self._priors))
        alike = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
        distinct, kinds = np.unique(alike, return_inverse=True)
        return None if len(distinct) == len(alike) else kinds.astype(np.int64)

    def _named(self, groups: Groups, error: ContradictoryKnowledge) -> ContradictoryKnowledge:
        """Name the value or the cell at fault by its labels.

        A group that was only tried has a number that means nothing to anybody, so some of its
        records are described as well.
        """
        assert error.group is not None
        table, cell = self._parts.table, int(self._parts.cell[groups[error.group][0]])
        at_fault = ""
        if error.value is not None:
            sensitive = table.sensitive
            at_fault = f': the value {sensitive.quote(error.value)} of "{sensitive.name}"'
        elif error.part is not None:
            at_fault = f": records where {table.describe(int(self._parts.cell[error.part]))}"
        return ContradictoryKnowledge(
            f"the prior contradicts the release in group {error.group}{at_fault}",
            detail=f"{error.detail} The group includes the records where {table.describe(cell)}.",
            hint=error.hint,
            group=error.group,
            value=error.value,
            part=error.part,
        )
