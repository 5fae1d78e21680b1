"""The attacker who learns from the release alone: deFinetti's attack (Kifer 2009).

No group tells who of its members has which of its values, but all groups together tell how values
depend on quasi-identifiers. So a classifier is learned from what is believed of the members of
groups, at first the groups' shares (M); with its predictions as priors the posteriors of members
are inferred, given the values of their group, as for any adversary (E); and again, until beliefs
rest. This is expectation maximization of the likelihood of the groups' values, whose inference is
exact for groups within the budget of `auto`, and an estimate beyond.

What is true in the table plays no part: neither in the classifier nor in when it rests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bkpriv_core.attack.attacker import Attacker, Options
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Target
from bkpriv_core.belief.classifier import Features, Model, learn
from bkpriv_core.belief.posterior import Estimator, posterior
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.stated import About, Range
from bkpriv_core.table.groups import FloatArray, Groups
from bkpriv_core.table.parts import Parts

__all__ = ["Learner", "LearnerOptions", "learn_from_groups"]

_STEADY = 1e-3
"""Mean total variation of beliefs between two rounds that is as good as none."""

_STEEP = 0.1
"""Gradient at which a round's classifier is as good as its targets; see `classifier.STEEP`."""


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(Options):
    """Options of the learner.

    Parameters
    ----------
    rounds : int
        Most rounds of learning and inference.
    estimator : {"auto", "exact", "bethe", "omega", "additive"}
        Estimator of posteriors inside groups.
    """

    rounds: Annotated[
        int, Range(at_least=1, at_most=200), About("It is how often the learner learns.")
    ] = 30
    estimator: Annotated[Estimator, About("It decides how beliefs are inferred.")] = "auto"


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

    Parameters
    ----------
    parts : Parts
        Parts of the table; of their counts nothing is used but the sums over groups.
    groups : Groups
        The published groups.
    model : {"logistic", "bayes"}
        Kind of classifier.
    rounds : int
        Most rounds.
    estimator : {"auto", "exact", "bethe", "omega", "additive"}
        Estimator of posteriors.

    Returns
    -------
    believed : (e, m) float array
        Belief about the records of each membership.
    rounds : int
        Number of rounds that it took.
    """
    from scipy import sparse  # slow to import, and only wanted here

    features = Features.of(parts.table)
    cell, weights = parts.cell[groups.members], parts.weights[groups.members]
    places = np.arange(len(cell))
    gather = sparse.csr_array((weights, (cell, places)), shape=(len(features), len(cell)))
    shares = parts.histograms(groups) / parts.sizes(groups)[:, None]
    believed, classifier, done = shares[groups.owner], None, 0
    for done in range(1, rounds + 1):
        before, targets = believed, np.asarray(gather @ believed)
        quiet = progress.quiet
        classifier = learn(model, features, targets, classifier, steep=_STEEP, progress=quiet)
        prior = classifier.predict(features, progress)[parts.cell]
        inferred = posterior(groups, parts.counts, (prior,), estimator, progress=quiet)
        believed = inferred.beliefs[0]
        progress.report(done / rounds)
        moved = np.abs(believed - before).sum(axis=1) / 2.0
        if np.average(moved, weights=weights) < _STEADY:
            break
    return believed, done
