"""Recommendation: of the policies that were tried, the one beyond which protection gets dear.

What a policy costs is the detail that it loses beyond k-anonymity alone with the same k, in points,
or the error of queries where values are shown as they are. What it protects is measured by what
a belief of 10 % may become, of any person and any reader. Rules:

1. Within reach are policies that lose at most the tolerance beyond k alone, whose queries err by at
   most `_ERROR` more, and which leave at most `_LEFT` more of the records out.
2. Of these, count those that leave the fewest of the readers unbounded whom any policy names. If
   readers know much of the people beforehand, their bounds say nothing: then policies count that
   bound weaker readers only.
3. The *knee* is recommended: the policy farthest from the chord between k alone and the strictest
   policy of the same readers, in the plane of loss and that belief.

Trials are mostly drafts, which understate what strict policies lose. So the strictest is certified
first, and the first candidate is recommended that is within reach when it is certified.

What it does not promise: that the readers who were tried are those who will read, that t is small
enough for the people concerned, or that no other policy is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_client.tried import Setting, losses

__all__ = ["candidates", "knows_much", "strictest", "within_reach"]

_SLACK = 1e-9

_ERROR = 0.1
"""The most by which the median error of queries may exceed that of k alone, as a share."""

_LEFT = 0.05
"""The most records that may be left out beyond those of k alone, as a share."""

_MUCH = 0.1
"""Share of people whom readers know beforehand, beyond which bounds on these say nothing."""


def candidates(settings: Sequence[Setting], tolerance: float) -> list[Setting]:
    """List the policies to recommend, the best first; see the module.

    Args:
        settings: Policies that were tried, k-anonymity alone among them.
        tolerance: The most that may be lost beyond k-anonymity alone, as a share.
    """
    able = _able(settings)
    every = {reader for item in settings for reader in item.readers}
    reached = [item for item in able if within_reach(item, settings, tolerance)]
    found: list[Setting] = []
    for known in dict.fromkeys(item.knowledge for item in reached):
        series = [item for item in able if item.knowledge == known]
        ranked = _by_knee(series, settings)
        found += [item for item in ranked if item in reached]
    return sorted(found, key=lambda item: len(every - item.readers.keys()))


def _able(settings: Sequence[Setting]) -> list[Setting]:
    """Policies that can be met, and whose bounds say something."""
    much = knows_much(settings)
    return [
        item
        for item in settings
        if not item.plain and not item.refused and not (much and item.informed)
    ]


def strictest(settings: Sequence[Setting], like: Setting) -> Setting:
    """Find the strictest policy of the same readers as another."""
    alike = [each for each in settings if each.knowledge == like.knowledge]
    return min((each for each in alike if not each.plain and not each.refused), key=_strictness)


def within_reach(item: Setting, settings: Sequence[Setting], tolerance: float) -> bool:
    """Whether a policy costs little enough beyond k-anonymity alone."""
    alone, price = item.alone(settings), item.price(settings)
    if alone is None or price is None:
        return False
    return (
        price <= tolerance + _SLACK
        and item.beyond(alone, "query_error") <= _ERROR + _SLACK
        and item.beyond(alone, "suppressed_share") <= _LEFT + _SLACK
    )


def knows_much(settings: Sequence[Setting]) -> bool:
    """Whether readers know so much by the quasi-identifiers that bounds on them say nothing."""
    return any(
        (item.figures.get("known_by_columns") or 0.0)
        > _MUCH * (item.figures.get("knowable") or float("inf"))
        for item in settings
    )


def _by_knee(series: Sequence[Setting], settings: Sequence[Setting]) -> list[Setting]:
    """Policies of the same readers, those farthest from the chord first."""
    end, lost = min(series, key=_strictness), losses(settings)
    alone = end.alone(settings)
    if alone is None:
        return []
    (x0, y0), (x1, y1) = ((item.figures.get(lost) or 0.0, item.change) for item in (alone, end))

    def height(item: Setting) -> float:
        """Distance above the chord, up to a factor, of axes that have its ends at 0 and 1."""
        x, y = item.figures.get(lost) or 0.0, item.change
        bought = (y0 - y) / (y0 - y1) if y0 > y1 else 0.0
        return bought - ((x - x0) / (x1 - x0) if x1 > x0 else 0.0)

    return sorted(series, key=lambda item: (-round(height(item), 9), _strictness(item)))


def _strictness(item: Setting) -> tuple[float, ...]:
    """Rank of a policy, the strictest first."""
    return (
        max(item.readers.values(), default=float("inf")),
        -item.least("l_diversity", "l"),
        -item.least("k_anonymity", "k"),
        item.place,
    )
