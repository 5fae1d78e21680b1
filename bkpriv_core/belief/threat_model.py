"""The threat model that requirements are measured under: a table, and what adversaries know of it.

Priors are costly, and several requirements, rounds of partitioning and audits need the same ones.
So each adversary's prior is computed once and shared by all models of one table: one for every
cell, shared by its parts; or one for every respondent, if the adversary remembers earlier releases.
Priors are those of the whole table, also where groups are made of some of its parts only.

If sensitive values are combinations of columns or records, `ThreatModel.seen` is the same model as
seen in one sensitive column: counts are added up by its values, and priors are marginals. Beliefs
after a release are inferred about combinations all the same, for readers see whole rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bkpriv_core.belief.belief_cache import BeliefCache
from bkpriv_core.belief.breach import Breach
from bkpriv_core.belief.distance import AspectDistance, BeliefDistance, Comparison, Distance
from bkpriv_core.belief.knowledge import (
    Knowledge,
    Learned,
    Only,
    Outside,
    Resolved,
    ResolvedSnapshot,
    Revised,
    resolve_knowledge,
    uniform_prior,
)
from bkpriv_core.belief.knowledge_source import KnowledgeSource, NoLibrary
from bkpriv_core.belief.prior import column_prior, kernel_prior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.combination import Combination, Marginal
from bkpriv_core.table.groups import AnyArray, FloatArray, IntArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table

if TYPE_CHECKING:
    from bkpriv_core.belief.disclosure import Adversaries
    from bkpriv_core.belief.dispersion import Dispersion
    from bkpriv_core.belief.pairs import Pairs

__all__ = ["ThreatModel"]


_NOWHERE = NoLibrary()


class ThreatModel:
    """A table and adversaries' priors about it, computed when first needed.

    Args:
        table: The table, or the parts of its cells of which groups are made.
        library: Source of priors from outside and of beliefs about respondents.
        trying: Whether groups are only tried: one that contradicts what an adversary knows then
            discloses infinitely much to that adversary; otherwise it is an error.
    """

    def __init__(
        self,
        table: Table | Parts,
        *,
        library: KnowledgeSource = _NOWHERE,
        trying: bool = False,
        progress: Progress = SILENT,
    ) -> None:
        self.parts = table if isinstance(table, Parts) else Parts.of(table)
        self.progress = progress
        self._everybody = self.parts
        self._library = library
        self._trying = trying
        self._priors: dict[Resolved, FloatArray] = {}
        self._adversaries: dict[object, Adversaries] = {}
        self._distances: dict[Comparison, Distance] = {}
        self._recall = BeliefCache()
        self._views: dict[str, _View] = {}
        self._seen: dict[str, ThreatModel] = {}
        self._dispersions: dict[Resolved, Dispersion] = {}
        self._pairs: dict[Resolved, Pairs] = {}

    @property
    def table(self) -> Table:
        """The table."""
        return self.parts.table

    def over(self, parts: Parts) -> ThreatModel:
        """Build the same setting over other parts of the same table, be they some of them only."""
        return self._like(parts, self._trying)

    def tried(self) -> ThreatModel:
        """Build the same setting for groups that are only tried."""
        return self._like(self.parts, True)

    def _like(self, parts: Parts, trying: bool) -> ThreatModel:
        alike = ThreatModel(parts, library=self._library, trying=trying, progress=self.progress)
        if parts.table is not self.table:
            raise ValueError("priors are kept for one table")
        alike._priors = self._priors
        alike._distances = self._distances
        alike._views = self._views
        if parts is self.parts:
            alike._recall = self._recall
        alike._everybody = self._everybody
        return alike

    several: ClassVar[bool] = False
    """Whether it is of a column of which persons may have several values."""

    @property
    def aspect(self) -> Marginal | None:
        """Aspect of combinations that is judged; None: whole sensitive values."""
        return None

    def told_as(self, value: int) -> tuple[int, Marginal | None]:
        """Class of the aspect that a sensitive value is, and that aspect."""
        return value, self.aspect

    @property
    def counts(self) -> IntArray:
        """Records of each part with each value, to be added up in groups, shape (p, m).

        Where persons may have `several`: how many have each, and last how many there are.
        """
        return self.parts.counts

    def shares(self, counted: AnyArray) -> FloatArray:
        """Share of each value, from sums of `counts` or what is `marginal`, shape (g, m)."""
        shares: FloatArray = counted / counted.sum(axis=1, keepdims=True)
        return shares

    @property
    def overall(self) -> FloatArray:
        """Share of each value in the table, shape (m,)."""
        return self.table.overall

    def marginal(self, beliefs: FloatArray) -> FloatArray:
        """Marginals, in the aspect that is judged, of beliefs about combinations, shape (q, m)."""
        return beliefs if self.aspect is None else self.aspect.collapse(beliefs)

    def seen(self, column: str | None) -> ThreatModel:
        """Build the setting as far as one sensitive column tells; all of it, if there is but one.

        Args:
            column: The column; None for all that is told.
        """
        sensitive = self.table.sensitive
        if column is None or not isinstance(sensitive, Combination):
            return self
        if column not in self._seen:
            aspects = _about(sensitive, column)
            if sensitive.several:
                self._seen[column] = _Having(self, column, aspects)
                return self._seen[column]
            if column not in self._views:
                self._views[column] = _View(self.table, *aspects)
            self._seen[column] = _Seen(self, self._views[column])
        return self._seen[column]

    def distance(self, comparison: Comparison) -> Distance:
        """Distance of beliefs over the sensitive domain that are compared so."""
        if comparison not in self._distances:
            self._distances[comparison] = self._distance(comparison)
        return self._distances[comparison]

    def _distance(self, comparison: Comparison) -> Distance:
        sensitive, column, smoothing = self.table.sensitive, comparison.column, comparison.smoothing
        if comparison.believed is not None:
            return Breach(sensitive, column, comparison.believed)
        if isinstance(sensitive, Combination) and comparison.farthest:
            return AspectDistance(sensitive.aspects, smoothing, sensitive.singly)
        if column is None or not isinstance(sensitive, Combination):
            return BeliefDistance.over(sensitive, smoothing)
        singly = tuple(aspect for aspect in sensitive.singly if aspect.column == column)
        return AspectDistance(_about(sensitive, column), smoothing, singly)

    def _resolve(self, knowledge: Knowledge) -> Resolved:
        return resolve_knowledge(knowledge, self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(domain.name for domain in self.table.quasi_identifiers)

    def prior(self, knowledge: Knowledge) -> FloatArray:
        """Prior belief, under that knowledge, about the records of each part, shape (p, m).

        Raises:
            ValueError: If beliefs about respondents are asked for, and the parts do not tell them
                apart.
        """
        key = self._resolve(knowledge)
        if isinstance(key, Revised):
            return self._of_respondents(key)[self._respondent]
        of_cells = self._of_cells(key)
        return of_cells if self.parts.whole else of_cells[self.parts.cell]

    @property
    def _respondent(self) -> IntArray:
        if self.parts.respondent is None:
            raise ValueError("the parts do not tell respondents apart")
        return self.parts.respondent

    def _of_respondents(self, key: Revised) -> FloatArray:
        if key not in self._priors:
            everybody = self._everybody
            if everybody.respondent is None:
                raise ValueError("the parts do not tell respondents apart")
            snapshot = self._of_cells(key.snapshot)
            cell = np.empty(self.table.records, dtype=np.int64)
            cell[everybody.respondent] = everybody.cell
            self._priors[key] = self._library.revised(self.table, key, snapshot[cell])
        return self._priors[key]

    @property
    def revisions(self) -> dict[Revised, FloatArray]:
        """Beliefs of those who remember, so far as they were asked for: (n, m) by respondent."""
        return {key: prior for key, prior in self._priors.items() if isinstance(key, Revised)}

    def _of_cells(self, key: ResolvedSnapshot) -> FloatArray:
        if key not in self._priors:
            self._priors[key] = self._compute(key)
        return self._priors[key]

    def _compute(self, knowledge: ResolvedSnapshot) -> FloatArray:
        if isinstance(knowledge, Outside):
            return self._library.outside(self.table, knowledge.table)
        if isinstance(knowledge, Learned):
            from bkpriv_core.belief.learned import learned_prior  # few policies want it

            how = knowledge.learned, knowledge.folds, knowledge.seed
            return learned_prior(self.table, *how, progress=self.progress.quiet)
        if isinstance(knowledge, Only):
            return column_prior(
                self.table, knowledge.only, knowledge.bandwidth, progress=self.progress
            )
        if isinstance(knowledge, tuple):
            names = (domain.name for domain in self.table.quasi_identifiers)
            bandwidth = dict(zip(names, knowledge, strict=True))
            return kernel_prior(self.table, bandwidth, progress=self.progress)
        return uniform_prior(self.table)

    def adversaries(
        self, skyline: Sequence[Knowledge], compared: Sequence[Comparison] | None = None
    ) -> Adversaries:
        """Adversaries with the knowledge of each member of a skyline.

        Args:
            compared: Rules by which the beliefs of each are compared. Without it, unblended about
                the column of which the adversary learns most.
        """
        resolved = [self._resolve(knowledge) for knowledge in skyline]
        # Who is asked about in several ways infers once.
        first = [resolved.index(item) for item in resolved]
        if compared is None:
            first = list(range(len(skyline)))
            compared = [Comparison(farthest=True)] * len(skyline)
        key = (tuple(resolved), tuple(first), tuple(compared))
        if key not in self._adversaries:
            distinct = sorted(set(first))
            from bkpriv_core.belief.disclosure import Adversaries  # k-anonymity wants none

            self._adversaries[key] = Adversaries(
                self.parts,
                [self.prior(skyline[place]) for place in distinct],
                [
                    (distinct.index(place), self.distance(by))
                    for place, by in zip(first, compared, strict=True)
                ],
                trying=self._trying,
                recall=self._recall,
                known_by=list(zip(resolved, compared, strict=True)),
                believed_by=[resolved[place] for place in distinct],
                progress=self.progress,
            )
        return self._adversaries[key]

    def dispersion(self, knowledge: Knowledge) -> Dispersion:
        """Contributions of each part's records to the dispersion of beliefs."""
        key = self._resolve(knowledge)
        if key not in self._dispersions:
            from bkpriv_core.belief.dispersion import Dispersion  # few policies want it

            self._dispersions[key] = Dispersion.of(self.prior(knowledge), self.parts.weights)
        return self._dispersions[key]

    def pairs(self, knowledge: Knowledge) -> Pairs:
        """Beliefs about the records of each part, to be compared in pairs, under that knowledge."""
        key = self._resolve(knowledge)
        if key not in self._pairs:
            from bkpriv_core.belief.pairs import Pairs  # few policies want it

            self._pairs[key] = Pairs.of(self.prior(knowledge))
        return self._pairs[key]

    @property
    def memory(self) -> str | None:
        """See `KnowledgeSource.memory`."""
        return self._library.memory

    @cached_property
    def signatures(self) -> IntArray:
        """Values of the last group of each part's respondent; see `KnowledgeSource.signatures`.

        Shape (p, m + 1). All 0 where parts do not tell respondents apart.
        """
        if self.parts.respondent is None:
            return np.zeros((len(self.parts), self.table.sensitive.size + 1), dtype=np.int64)
        return self._library.signatures(self.table)[self.parts.respondent]


def _about(sensitive: Combination, column: str) -> tuple[Marginal, ...]:
    return tuple(aspect for aspect in sensitive.aspects if aspect.column == column)


def _only(
    column: str, skyline: Sequence[Knowledge], compared: Sequence[Comparison] | None
) -> list[Comparison]:
    """The same comparisons, about one column."""
    if compared is None:
        return [Comparison(column=column)] * len(skyline)
    return [replace(by, column=column, farthest=False) for by in compared]


class _View:
    """A table as far as one of its aspects tells, and the priors about that."""

    def __init__(self, table: Table, aspect: Marginal) -> None:
        self.aspect = aspect
        self.table = Table(
            table.quasi_identifiers, aspect.domain, table.codes, aspect.count(table.counts)
        )
        self.priors: dict[Resolved, FloatArray] = {}


class _Seen(ThreatModel):
    """See `ThreatModel.seen`."""

    def __init__(self, whole: ThreatModel, view: _View) -> None:
        parts, aspect = whole.parts, view.aspect
        false = parts.counterfeits
        super().__init__(
            Parts(
                view.table,
                parts.cell,
                view.table.counts
                if parts.counts is whole.table.counts
                else aspect.count(parts.counts),
                parts.respondent,
                counterfeits=None if false is None else aspect.count(false),
            ),
            progress=whole.progress,
        )
        self._whole = whole
        self._view = view

    @property
    def aspect(self) -> Marginal:
        """See `ThreatModel`."""
        return self._view.aspect

    def _marginal(self, key: Resolved, of_combinations: FloatArray) -> FloatArray:
        if key not in self._view.priors:
            self._view.priors[key] = self.aspect.collapse(of_combinations)
        return self._view.priors[key]

    def _of_cells(self, key: ResolvedSnapshot) -> FloatArray:
        return self._marginal(key, self._whole._of_cells(key))

    def _of_respondents(self, key: Revised) -> FloatArray:
        return self._marginal(key, self._whole._of_respondents(key))

    def adversaries(
        self, skyline: Sequence[Knowledge], compared: Sequence[Comparison] | None = None
    ) -> Adversaries:
        """Return adversaries of the whole table, who infer combinations; see `ThreatModel`."""
        return self._whole.adversaries(skyline, _only(self.aspect.column, skyline, compared))


class _Having(ThreatModel):
    """See `ThreatModel.seen`: of a column of which persons may have several values."""

    several = True

    def __init__(self, whole: ThreatModel, column: str, aspects: tuple[Marginal, ...]) -> None:
        super().__init__(whole.parts, progress=whole.progress)
        self._whole = whole
        self._column = column
        self._aspects = aspects

    def told_as(self, value: int) -> tuple[int, Marginal | None]:
        """See `ThreatModel`: that somebody has a value is the first class of its aspect."""
        return 0, self._aspects[value]

    def _having(self, counts: AnyArray) -> AnyArray:
        """People with each value, and the number of people, from counts of combinations."""
        has = [(aspect.classes == 0).astype(counts.dtype) for aspect in self._aspects]
        return np.column_stack((*(counts @ each for each in has), counts.sum(axis=1)))

    @cached_property
    def counts(self) -> IntArray:
        """See `ThreatModel`."""
        return self._having(self.parts.counts)

    def shares(self, counted: AnyArray) -> FloatArray:
        """See `ThreatModel`: shares of persons, which need not sum to 1."""
        shares: FloatArray = counted[:, :-1] / counted[:, -1:]
        return shares

    @cached_property
    def overall(self) -> FloatArray:
        """See `ThreatModel`."""
        overall = self.shares(self._having(self.table.counts.sum(axis=0, keepdims=True)))
        return np.asarray(overall[0])

    def marginal(self, beliefs: FloatArray) -> FloatArray:
        """See `ThreatModel`: probabilities to have each value, and last 1."""
        return np.asarray(self._having(beliefs))

    def adversaries(
        self, skyline: Sequence[Knowledge], compared: Sequence[Comparison] | None = None
    ) -> Adversaries:
        """Return adversaries of the whole table, who infer combinations; see `ThreatModel`."""
        return self._whole.adversaries(skyline, _only(self._column, skyline, compared))
