"""The attacker who learns from the release alone: deFinetti's attack (Kifer 2009).

No group tells who of its members has which of its values, but all groups together tell how values
depend on quasi-identifiers. So a classifier is learned from what is believed of the members of
groups, at first the groups' shares (M); with its predictions as priors the posteriors of members
are inferred, given the values of their group, as for any adversary (E); and again, until beliefs
rest. This is expectation maximization of the likelihood of the groups' values. While it learns,
groups of many states are inferred by propagation; what is believed at last is inferred by the
estimator that was asked for.

What is true in the table plays no part: neither in the classifier nor in when it rests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bkpriv_core.attack.attacker import Attacker, Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.belief.classifier import Features, Model, learn
from bkpriv_core.belief.posterior import Estimator, exact_states, posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.schema import ErrorText, Range
from bkpriv_core.table.groups import BoolArray, FloatArray, Groups
from bkpriv_core.table.parts import Parts

__all__ = ["Learner", "LearnerOptions", "learn_from_groups"]

_STEADY = 1e-3
"""Mean total variation of beliefs between two rounds that is as good as none."""

_STATES = 1_000_000
"""Limit of the states of groups that are inferred exactly in every round, by `auto`."""

_STEEP = 0.1
"""Gradient at which a round's classifier is as good as its targets; see `classifier.STEEP`."""


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(Options):
    """Options of the learner."""

    rounds: Annotated[
        int, Range(at_least=1, at_most=200), ErrorText("It is how often the learner learns.")
    ] = 20
    estimator: Annotated[Estimator, ErrorText("It decides how beliefs are inferred.")] = "auto"
    """Estimator of posteriors inside groups."""


class Learner(Attacker[LearnerOptions]):
    """The attacker who learns from the release alone."""

    name = "learner"
    options = LearnerOptions

    def attack(self, target: Target, options: LearnerOptions, progress: Progress) -> Outcome:
        """See `Attacker`; the figure ``rounds`` is that of rounds until beliefs rested."""
        release = target.release
        believed, rounds = learn_from_groups(
            release.parts,
            release.groups,
            options.model,
            options.rounds,
            options.estimator,
            progress=progress.part(0.0, 0.7),
        )
        return target.outcome(options.baseline, believed, rounds=float(rounds))


def learn_from_groups(
    parts: Parts,
    groups: Groups,
    model: Model,
    rounds: int,
    estimator: Estimator,
    progress: Progress = SILENT,
) -> tuple[FloatArray, int]:
    """Learn from groups how values depend on quasi-identifiers, and infer who has which.

    Args:
        parts: Parts of the table; of their counts nothing is used but the sums over groups.

    Returns:
        believed: Shape (e, m). Belief about the records of each membership.
        rounds: Number of rounds that it took.
    """
    from scipy import sparse  # slow to import, and only wanted here

    features = Features.of(parts.table)
    cell, weights = parts.cell[groups.members], parts.weights[groups.members]
    places = np.arange(len(cell))
    gather = sparse.csr_array((weights, (cell, places)), shape=(len(features), len(cell)))
    shares = parts.histograms(groups) / parts.sizes(groups)[:, None]
    believed, classifier, done = shares[groups.owner], None, 0
    quiet, ways = progress.quiet, _ways(parts, groups, estimator)
    prior = np.zeros(0)
    for done in range(1, rounds + 1):
        before, targets = believed, np.asarray(gather @ believed)
        classifier = learn(model, features, targets, classifier, steep=_STEEP, progress=quiet)
        prior = classifier.predict(features, progress)[parts.cell]
        believed = _inferred(parts, groups, prior, ways, quiet)
        progress.report(done / (rounds + 1))
        moved = np.abs(believed - before).sum(axis=1) / 2.0
        if np.average(moved, weights=weights) < _STEADY:
            break
    if len(ways) > 1:
        whole = np.ones(len(groups), dtype=bool)
        believed = _inferred(parts, groups, prior, [(whole, estimator)], quiet)
    return believed, done


_Way = tuple[BoolArray, Estimator]
"""Groups, and the estimator by which they are inferred."""


def _ways(parts: Parts, groups: Groups, estimator: Estimator) -> list[_Way]:
    """Ways of inference while it is learned: of `auto` not more states than take no time."""
    whole = np.ones(len(groups), dtype=bool)
    if estimator != "auto":
        return [(whole, estimator)]
    states = exact_states(groups, parts.weights[groups.members], parts.histograms(groups))
    order = np.argsort(states, kind="stable")
    few = np.zeros_like(whole)
    few[order] = np.cumsum(states[order]) <= _STATES
    ways: list[_Way] = [(few, "auto"), (~few, "bethe")]
    return [way for way in ways if way[0].any()]


def _inferred(
    parts: Parts, groups: Groups, prior: FloatArray, ways: Sequence[_Way], progress: Progress
) -> FloatArray:
    """Posterior beliefs about the records of each membership, shape (e, m)."""
    beliefs = np.empty((len(groups.members), prior.shape[1]))
    for among, estimator in ways:
        some = groups.select(among)
        inferred = posterior(some, parts.counts, (prior,), estimator, progress=progress)
        beliefs[among[groups.owner]] = inferred.beliefs[0]
    return beliefs
