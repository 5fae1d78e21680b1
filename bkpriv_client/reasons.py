"""Reasons of a recommendation, in words: what is recommended, what it costs, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bkpriv_client.recommendation import knows_much, within_reach
from bkpriv_client.tried import Setting, losses
from bkpriv_core.report.words import moves

__all__ = ["reason", "why_none"]

_MOST = 0.2
"""Share of people whom a reader knows beforehand, from which on the cause is said."""

_NOUNS = {"gcp": "of the detail", "query_error": "of the error of queries"}


def reason(
    chosen: Setting, settings: Sequence[Setting], tolerance: float, units: Mapping[str, str]
) -> str:
    """Say what is recommended and why.

    Args:
        chosen: A certified policy.
        settings: Policies that were tried, the certified ones in place of their drafts.
        units: Bandwidths in the units of columns.
    """
    alone = chosen.alone(settings)
    assert alone is not None
    lost, k = losses(settings), f"k = {alone.parameters.get('k', '')} alone"
    sentences = [
        f"Policy {chosen.place} is recommended: {_stated(chosen, units)}.",
        *_meaning(chosen),
        f"It loses {_share(chosen, lost)} {_NOUNS[lost]}, and {k} loses {_share(alone, lost)}.",
        _why(chosen, settings, tolerance),
    ]
    if lost != "query_error" and chosen.figures.get("query_error") is not None:
        sentences.append(
            f"Half of the queries err by more than {_share(chosen, 'query_error')}; under {k}, by "
            f"more than {_share(alone, 'query_error')}."
        )
    sentences += _protection(chosen, alone, k)
    open_ = sorted({each for item in settings for each in item.knowledge} - chosen.knowledge)
    if open_ and not knows_much(settings):
        sentences.append(f"It does not bound by t what readers of bandwidth {_and(open_)} learn.")
    return " ".join([*sentences, *_known(settings)])


def why_none(settings: Sequence[Setting], tolerance: float) -> str:
    """Say why no policy is recommended, and what to change."""
    judged = [item for item in settings if not item.plain]
    met = [item for item in judged if not item.refused]
    if not judged:
        return "No policy is recommended: none was tried but k-anonymity alone."
    if not met:
        but = " but k-anonymity alone" * any(item.plain and not item.refused for item in settings)
        return f"No policy is recommended: none{but} can be met. The reasons stand above."
    prices = [(price, item) for item in met if (price := item.price(settings)) is not None]
    if not prices:
        return (
            "No policy is recommended: k-anonymity alone with their k was not tried, or cannot be "
            "met, so that there is nothing to compare their losses with."
        )
    price, least = min(prices, key=lambda pair: (pair[0], pair[1].place))
    words = f"No policy is recommended. {_advice(least, settings, tolerance)}"
    if price > tolerance:
        words = (
            f"No policy is recommended: none loses at most {_points(tolerance)} more "
            f"{_NOUNS[losses(settings)]} than k-anonymity alone. Policy {least.place} loses "
            f"least, {_points(price)} more. {_advice(least, settings, tolerance)}"
        )
    return " ".join([words, *_known(settings)])


def _advice(least: Setting, settings: Sequence[Setting], tolerance: float) -> str:
    """Say what costs, and so what to change."""
    without = least.without_readers(settings)
    if without is not None and not within_reach(without, settings, tolerance):
        named = ", ".join(f"{n} = {value}" for n, value in without.parameters.items() if n != "k")
        price = without.price(settings)
        costs = "" if price is None else f", and it costs {_points(price)} by itself"
        return (
            f"The readers are not the cause: {named} costs as much without them{costs}. Require "
            "less of it, or accept more loss (--tolerance)."
        )
    wider = "Allow a larger t, " if least.readers else ""
    return (
        f"{wider or 'Require less, '}accept more loss (--tolerance), or publish fewer or coarser "
        "quasi-identifiers."
    )


def _stated(chosen: Setting, units: Mapping[str, str]) -> str:
    """Bounds of a policy, in one phrase."""
    stated = ", ".join(f"{name} = {value}" for name, value in chosen.parameters.items())
    if chosen.readers:
        readers = [f"{each} ({units[each]})" if each in units else each for each in chosen.readers]
        stated += f", against readers of bandwidth {_and(readers)}"
    return stated


def _meaning(chosen: Setting) -> list[str]:
    """Meaning of its bounds in beliefs."""
    said = []
    if chosen.readers:
        t = max(chosen.readers.values())
        said.append(f"Under t = {t:g} a belief may move {moves(t)}.")
    if chosen.weak:
        said.append(
            "It also bounds the reader who knows only how common each value is: no belief of at "
            "most 50 % may rise above 90 %."
        )
    return said


def _why(chosen: Setting, settings: Sequence[Setting], tolerance: float) -> str:
    if not chosen.readers:
        return "No policy that bounds better informed readers is recommended."
    alike = [item for item in settings if item.knowledge == chosen.knowledge and not item.refused]
    stricter = [item for item in alike if item.change < chosen.change]
    if stricter and not any(within_reach(item, settings, tolerance) for item in stricter):
        return f"Stricter ones cost more than {_points(tolerance)} (--tolerance)."
    return "Stricter ones cost more detail for each step." if stricter else "It is the strictest."


def _protection(chosen: Setting, alone: Setting, k: str) -> list[str]:
    """Say of how many people readers become sure, and what changes most."""
    said = []
    sure, before = chosen.figures.get("sure"), alone.figures.get("sure")
    if sure is not None and before is not None:
        said.append(
            f"A reader becomes sure about {_people(sure)}; under {k}, about {_people(before)}."
        )
    if one := chosen.figures.get("one_value"):
        said.append(
            f"{_people(one).capitalize()} are in groups of one sensitive value, which over half of "
            "all people have."
            if chosen.weak
            else f"{_people(one).capitalize()} are in groups of one sensitive value."
        )
    return said


def _known(settings: Sequence[Setting]) -> list[str]:
    """Say of how many a reader is sure beforehand, why, and what to do where that is many."""

    def of(item: Setting, metric: str) -> float:
        return item.figures.get(metric) or 0.0

    most = max(settings, key=lambda item: (of(item, "known_by_columns"), of(item, "known")))
    known, people = of(most, "known"), of(most, "average_class_size") * of(most, "groups")
    if knows_much(settings):
        readers = sorted({each for item in settings if item.informed for each in item.knowledge})
        return [
            f"Readers of bandwidth {_and(readers)} know {of(most, 'known_by_columns'):,.0f} of "
            f"{of(most, 'knowable'):,.0f} people before the release, by the quasi-identifiers.",
            "A bound on these readers says nothing about these people.",
            "Publish fewer or coarser quasi-identifiers, or bound readers who know less, such as "
            "--bandwidth 1.",
        ]
    said = [f"A reader is sure about {_people(known)} before the release."] if known else []
    if known > _MOST * people:
        said.append(
            "The cause is that over 90 % of all people have the same value, not the "
            "quasi-identifiers. The bounds are about those with other values."
        )
    return said


def _share(item: Setting, metric: str) -> str:
    return f"{item.figures.get(metric) or 0.0:.1%}"


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _people(count: float) -> str:
    if not count:
        return "no one"
    return f"{count:,.0f} {'person' if count == 1 else 'people'}"


def _points(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"
