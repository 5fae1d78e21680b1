"""Slow, obvious answers about groups of records: what requirements bound, and what is at fault.

As in `tests.core.oracles`, everything is counted record by record in fractions, straight from the
definitions; only logarithms and powers are floats. A score says how much a value is at fault.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from scipy.stats import entropy

from tests.core import oracles
from tests.core.oracles import Group, Number, Records

# --- l-diversity (Machanavajjhala et al. 2006) ----------------------------------------------------


def distinct_diversity(records: Records, group: Group) -> int:
    """Number of values that occur."""
    return len(set(records.secrets(group)))


def probabilistic_diversity(records: Records, group: Group) -> Fraction:
    """Number of values that there would be if all were as frequent as the most frequent one."""
    return 1 / max(oracles.shares(records, group))


def entropy_diversity(records: Records, group: Group) -> float:
    """Number of equally frequent values of the same entropy: the product of share ** -share."""
    frequencies = [float(share) for share in oracles.shares(records, group) if share]
    return math.prod(math.pow(frequency, -frequency) for frequency in frequencies)


def recursive_diversity(records: Records, group: Group, l: int) -> Number:  # noqa: E741
    """``r_1 / (r_l + ... + r_m)``."""
    counts = sorted(Counter(records.secrets(group)).values(), reverse=True)
    rest = 0
    for rank, count in enumerate(counts, start=1):
        if rank >= l:
            rest += count
    return Fraction(counts[0], rest) if rest else math.inf


# --- Largest disclosure ---------------------------------------------------------------------------


def surest(records: Records, group: Group) -> Fraction:
    """Probability of a member's likeliest value, for an adversary who knows the group alone."""
    held = records.secrets(group)
    return max(Fraction(held.count(value), len(held)) for value in held)


# --- beta-likeness (Cao, Karras 2012) -------------------------------------------------------------


def gains(records: Records, group: Group) -> dict[int, tuple[Fraction, float]]:
    """Gains of values that gain: ``(q - p) / p`` and ``-ln p``."""
    overall = oracles.shares(records, records.everything())
    by_value = {}
    for value, share in enumerate(oracles.shares(records, group)):
        if share > overall[value]:
            gain = (share - overall[value]) / overall[value]
            by_value[value] = (gain, -math.log(overall[value]))
    return by_value


def alike(records: Records, group: Group, beta: float, variant: str) -> bool:
    """Whether no value gains too much, but for rounding."""
    for gain, tighter in gains(records, group).values():
        if gain > (beta if variant == "basic" else min(beta, tighter)) + 1e-9:
            return False
    return True


def gain_scores(records: Records, group: Group, beta: float, variant: str) -> list[float]:
    """Gain of each value as a share of the most it may gain, times beta; 0 where it gains none."""
    scores = [0.0 for _ in records.sensitive.values]
    for value, (gain, tighter) in gains(records, group).items():
        allowed = beta if variant == "basic" else min(beta, tighter)
        scores[value] = float(gain) / allowed * beta
    return scores


# --- Beliefs (Li, Li, Zhang 2009) -----------------------------------------------------------------


def belief_moves(
    records: Records, bandwidth: float, group: Group, smoothing: float | None, estimator: str
) -> dict[int, tuple[list[float], list[float], float]]:
    """Beliefs about each record of a group before and after, and their distance."""
    prior = oracles.rounded(oracles.priors(records, [bandwidth] * len(records.attributes)))
    before = [prior[record] for record in group]
    secrets = records.secrets(group)
    if estimator == "exact":
        after = oracles.exact_posterior(before, secrets)
    else:
        after = oracles.omega_posterior(before, secrets)
    assert after is not None
    return {
        record: (p, q, oracles.belief_distance(records.sensitive, p, q, smoothing))
        for record, p, q in zip(group, before, oracles.rounded(after), strict=True)
    }


# --- Divergence of beliefs (Riboni, Pareschi, Bettini 2012), m-invariance (Xiao, Tao 2007) --------


def divergence(beliefs: Sequence[Sequence[Number]]) -> float:
    """Jensen-Shannon divergence of beliefs that weigh alike, in bits."""
    arrays = [[float(share) for share in belief] for belief in beliefs]
    mean = [sum(column) / len(arrays) for column in zip(*arrays, strict=True)]
    within = sum(float(entropy(belief, base=2)) for belief in arrays) / len(arrays)
    return float(entropy(mean, base=2)) - within


def invariant_records(records: Records, group: Group, signatures: Sequence[set[int] | None]) -> int:
    """Records of a group, but 0 if it is none that may be published; see `MInvariance`."""
    values = records.secrets(group)
    if len(set(values)) < len(values):
        return 0
    if any(signatures[record] not in (None, set(values)) for record in group):
        return 0
    return len(group)


# --- Divergence in pairs (Amiri et al. 2016) ------------------------------------------------------


def pair_divergence(beliefs: Sequence[Sequence[Number]]) -> float:
    """Largest Jensen-Shannon divergence of two of the beliefs, in bits; 0 of a single one."""
    return max(
        (oracles.js_divergence(one, other) for one in beliefs for other in beliefs), default=0.0
    )
