"""Recommendation: the strictest policy that was tried and whose price was said to be bearable.

The price is what is lost beyond k-anonymity alone with the same k, in points: hundredths of the
detail, or of the error of queries where values are shown as they are. Of the policies within a
tolerance the strictest is, one rule after the other,

1. the one that leaves the fewest of the readers unbounded whom any of the policies names;
2. the one of the smallest t, of the largest if it has several;
3. the one of the largest l, then of the largest k;
4. the one under which readers become sure of the fewest people;
5. the one that loses least, and of these the first.

What it does not promise: that the readers who were tried are those who will read, that t is small
enough for the people concerned, or that the release loses what was tried. Nor that the policy is
the best one: policies that were not tried are not known, and neither are other releases. Of whom a
reader is sure beforehand, no policy hides anything from that reader; of how many, is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bkpriv_client.tried import Setting, losses

__all__ = ["Recommendation", "recommend"]

_SLACK = 1e-9

_MOST = 0.2
"""Share of people of whom readers are sure, beyond which the quasi-identifiers are too fine."""

_NOUNS = {"gcp": "of the detail", "query_error": "of the error of queries"}


@dataclass(frozen=True)
class Recommendation:
    """A policy to begin with, or why there is none."""

    chosen: Setting | None
    words: str


def recommend(settings: Sequence[Setting], tolerance: float) -> Recommendation:
    """Recommend one of the policies that were tried; see the module.

    Args:
        settings: Policies that were tried, k-anonymity alone among them.
        tolerance: The most that may be lost beyond k-anonymity alone, as a share.
    """
    lost = losses(settings)
    judged = [item for item in settings if not item.plain]
    met = [item for item in judged if item.figures.get(lost) is not None]
    if not met:
        return Recommendation(None, _nothing(judged))
    priced = [(price, item) for item in met if (price := _price(item, settings, lost)) is not None]
    if not priced:
        return Recommendation(
            None,
            "No policy is recommended: what they lose has nothing to be held to, since "
            "k-anonymity alone with their k was not tried, or cannot be met.",
        )
    within = [(price, item) for price, item in priced if price <= tolerance + _SLACK]
    if not within:
        price, least = min(priced, key=lambda pair: (pair[0], pair[1].place))
        return Recommendation(
            None,
            f"No policy is recommended: none loses at most {_points(tolerance)} more "
            f"{_NOUNS[lost]} than k-anonymity alone. Policy {least.place} loses least, "
            f"{_points(price)} more. Bear more (--tolerance), allow a larger t, or publish "
            "fewer or coarser quasi-identifiers.",
        )
    every = {reader for item in settings for reader in item.readers}
    _, chosen = min(within, key=lambda pair: _strictness(pair[1], every, pair[0]))
    return Recommendation(chosen, _reason(chosen, settings, every, (lost, tolerance, len(within))))


def _price(item: Setting, settings: Sequence[Setting], lost: str) -> float | None:
    """Loss of a setting beyond k-anonymity alone; None if that is not known."""
    alone, own = item.alone(settings), item.figures.get(lost)
    least = None if alone is None else alone.figures.get(lost)
    return None if least is None or own is None else own - least


def _strictness(item: Setting, every: set[str], price: float) -> tuple[float, ...]:
    """Rank of a setting, the strictest first."""
    sure = item.figures.get("sure")
    return (
        len(every - item.readers.keys()),
        max(item.readers.values(), default=float("inf")),
        -item.least("l_diversity", "l"),
        -item.least("k_anonymity", "k"),
        float("inf") if sure is None else sure,
        price,
        item.place,
    )


def _nothing(judged: Sequence[Setting]) -> str:
    if not judged:
        return "No policy is recommended: none was tried but k-anonymity alone."
    return "No policy is recommended: none of them can be met. The reasons stand above."


def _reason(
    chosen: Setting, settings: Sequence[Setting], every: set[str], held: tuple[str, float, int]
) -> str:
    lost, tolerance, count = held
    alone = chosen.alone(settings)
    assert alone is not None
    own, least = chosen.figures[lost] or 0.0, alone.figures[lost] or 0.0
    k = alone.parameters.get("k", "")
    stated = ", ".join(f"{name} = {value}" for name, value in chosen.parameters.items())
    readers = f", against readers of bandwidth {_and(chosen.readers)}" if chosen.readers else ""
    among = f"the strictest of {count} that lose" if count > 1 else "the only one that loses"
    words = (
        f"Policy {chosen.place} is recommended ({stated}{readers}): it is {among} at most "
        f"{_points(tolerance)} more {_NOUNS[lost]} than k = {k} alone, {own:.1%} where that "
        f"loses {least:.1%}."
    )
    sure, before = chosen.figures.get("sure"), alone.figures.get("sure")
    if sure is not None and before is not None:
        words += (
            f" A reader becomes sure of {_people(sure)}; under k = {k} alone, of "
            f"{f'{before:,.0f}' if before else 'nobody'}."
        )
    words += _known(chosen)
    open_ = sorted(every - chosen.readers.keys())
    if open_:
        words += f" It does not bound readers of bandwidth {_and(open_)}."
    return words


def _known(chosen: Setting) -> str:
    """Say of how many a reader is sure beforehand, and what to do where that is most."""
    known, size, groups = map(chosen.figures.get, ("known", "average_class_size", "groups"))
    if not known:
        return ""
    words = f" Of {_people(known)} a reader is sure beforehand, and it hides nothing of them."
    if size and groups and known > _MOST * size * groups:
        words += (
            f" That is {known / (size * groups):.0%} of all, for hardly anybody resembles another "
            "in the quasi-identifiers, as readers tell them apart. Take fewer or coarser ones, "
            "from a view, or reckon with readers who know less (--bandwidth)."
        )
    return words


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _people(count: float) -> str:
    if not count:
        return "nobody"
    return f"{count:,.0f} {'person' if count == 1 else 'people'}"


def _points(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"
