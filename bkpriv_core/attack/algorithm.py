"""The attacker who knows the method and the policy, of small tables or of samples.

Beliefs are those of `bkpriv_core.attack.worlds`, from the knowledge that is asked for. With option
``people`` the table itself is not attacked: samples of so many of its people are drawn, each is
published by the same method and policy and attacked, and figures are of all samples together. They
tell what happens to tables of that size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bkpriv_core.attack.attacker import Attacker
from bkpriv_core.attack.outcome import Outcome
from bkpriv_core.attack.target import Recipe, Target
from bkpriv_core.attack.without_groups import KnowingOptions
from bkpriv_core.attack.worlds import MOST_WORLDS, Publish, infer_worlds, publishing, sampled
from bkpriv_core.errors import InvalidParameter, TooLarge, Unsupported
from bkpriv_core.progress import Progress
from bkpriv_core.stated import About, Range
from bkpriv_core.table.groups import SUPPRESSED

__all__ = ["Algorithm", "AlgorithmOptions"]


@dataclass(frozen=True, kw_only=True)
class AlgorithmOptions(KnowingOptions):
    """Options of the attacker.

    Parameters
    ----------
    worlds : int
        Largest number of tables that are published again.
    people : int, optional
        People of each sample; without it the release itself is attacked.
    samples : int
        Samples that are drawn.
    """

    worlds: Annotated[
        int, Range(at_least=1, at_most=100_000), About("So many tables are published at most.")
    ] = MOST_WORLDS
    people: Annotated[
        Annotated[int, Range(at_least=2, at_most=1000)] | None,
        About("So many people are in each sample that is published and attacked."),
    ] = None
    samples: Annotated[
        int, Range(at_least=1, at_most=10_000), About("So many samples are drawn.")
    ] = 20


class Algorithm(Attacker[AlgorithmOptions]):
    """The attacker who knows the method and the policy."""

    name = "algorithm"
    options = AlgorithmOptions

    def attack(self, target: Target, options: AlgorithmOptions, progress: Progress) -> Outcome:
        """See `Attacker`."""
        recipe = target.recipe
        if recipe is None:
            raise Unsupported(
                "this attacker knows the method, and it is not known how the table was made",
                detail="It publishes other tables by the same method and policy.",
                hint="Play another attacker, or publish the dataset by bkpriv.publish.",
            )
        publish = publishing(
            recipe.method, recipe.requirements, recipe.options, recipe.setting_of, progress
        )
        if options.people is not None:
            return _sampled(target, recipe, publish, options.people, options, progress)
        release = target.release
        prior = target.setting.prior(options.knowledge)
        found = infer_worlds(release, prior, publish, options.worlds, progress)
        return Outcome(
            setting=target.setting,
            group=release.labels,
            cell=release.parts.cell,
            counts=release.parts.actual,
            baseline=prior,
            believed=found.beliefs,
            figures={"worlds": float(found.worlds), "alike": float(found.alike)},
        )


def _sampled(
    target: Target,
    recipe: Recipe,
    publish: Publish,
    people: int,
    options: AlgorithmOptions,
    progress: Progress,
) -> Outcome:
    """Attack samples of so many people each."""
    table = target.release.table
    if people > table.records:
        raise InvalidParameter(
            f"option people is {people}, more than there are",
            detail=f"The table has {table.records} people.",
            hint="Ask for samples of fewer, or leave it out.",
        )
    generator = np.random.default_rng(options.seed)
    cells, counts, baseline, believed = [], [], [], []
    unpublished = beyond = 0
    for number in range(options.samples):
        progress.report(number / options.samples)
        some, of_table = sampled(table, people, generator)
        release = publish(some)
        if release is None:
            unpublished += 1
            continue
        prior = recipe.setting_of(some).over(release.parts).prior(options.knowledge)
        try:
            found = infer_worlds(release, prior, publish, options.worlds, progress.quiet)
        except TooLarge:
            beyond += 1
            continue
        cells.append(of_table[release.parts.cell])
        counts.append(release.parts.actual)
        baseline.append(prior)
        believed.append(found.beliefs)
    if not cells:
        raise TooLarge(
            f"none of {options.samples} samples of {people} people could be attacked",
            detail=f"The policy could not be kept for {unpublished} of them, and {beyond} have "
            f"more than {options.worlds} tables that may have been published so.",
            hint="Ask for samples of other sizes, or raise option worlds.",
        )
    cell = np.concatenate(cells)
    return Outcome(
        setting=target.setting,
        group=np.full(len(cell), SUPPRESSED),
        cell=cell,
        counts=np.concatenate(counts),
        baseline=np.concatenate(baseline),
        believed=np.concatenate(believed),
        figures={
            "sampled": float(len(cells)),
            "unpublished": float(unpublished),
            "too_large": float(beyond),
        },
    )
