"""Reports: what they say of attacks, and what outsiders are told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bkpriv_core.attack import ATTACKERS
from bkpriv_core.report.attacks import READERS
from bkpriv_core.report.facts import AUDIENCES, Attack, Audience
from bkpriv_core.report.page import render
from tests.core.test_report import attack, facts, parsed


def said(*attacks: Attack, audience: Audience = "officer", **changes: Any) -> str:
    """Section of attacks, on one line."""
    page = render(facts(attacks=attacks, **changes), audience)
    words = " ".join(" ".join(parsed(page).words).split())
    return words[words.index(" Attacks ") : words.index(" What was left out ")]


def test_every_attacker_is_described() -> None:
    assert {*READERS} == {*ATTACKERS}


def test_officers_are_told_what_each_reader_finds_beside_the_baseline() -> None:
    told = said(attack("learner"), attack("majority", "dora", accuracy=0.5, breached=0.0))
    assert "By learner, 31 of 997 people (3.1 %) are breached" in told
    assert "learner 75 % 50 % 997 213 188 31 17" in told
    assert "majority 50 % 50 % 997 213 188 0 17" in told
    assert "Played last at 2026-01-05 06:07 UTC by carl" in told
    assert "Played last at 2026-01-05 06:07 UTC by dora" in told
    for word in (READERS["learner"], READERS["majority"], "carl", "dora", "model: bayes"):
        assert word in told
    assert "sure: 0.9" not in told
    assert "surer than 90 %" in told
    assert "less sure of it than 50 %" in told
    assert "Not played: informed, without_groups." in told
    assert "bkpriv.attack(12, 'informed')" in told
    assert "without_groups" not in said(attack(), form="anatomized")
    assert "By learner" in " ".join(parsed(render(facts())).words).split("Worst cases")[0]


def test_that_nobody_is_breached_is_said_only_where_something_is_known() -> None:
    nothing = replace(attack(), figures={None: {"people": 0.0, "not_inferred": 997.0}})
    none = attack(breached=0.0)
    assert "In none of these attacks is anybody breached." in said(none)
    assert "<p>In none of these attacks" in render(facts(attacks=(none,)))
    assert '<p class="warning">By learner' in render(facts())
    told = said(nothing)
    assert "Nothing could be inferred about anybody." in told
    assert "Nothing is known of 997 people" in told
    assert "learner – – 0 – – –" in told
    assert "nobody is breached" not in told
    assert "By majority, 31" in said(nothing, attack("majority"), attack(breached=2.0))


def test_what_beliefs_are_compared_with_is_said_if_it_is_no_classifier() -> None:
    known = replace(attack("without_groups"), options={**attack().options, "bandwidth": 0.3})
    for audience in AUDIENCES:
        assert "Beside it stands no classifier" in said(known, audience=audience)
    unstated = replace(attack(), options={**attack().options, "bandwidth": None})
    assert "Beside it stands no classifier" not in said(unstated)


@pytest.mark.parametrize("value", [1e308, float("inf")])
def test_figures_that_no_attack_has_are_shown_as_they_are(value: float) -> None:
    """Owners can record any: the report is of theirs, but made by others, too."""
    forged = attack(accuracy=value)
    assert "learner – 50 %" in said(forged)
    assert "learner not told 50 %" in said(forged, audience="outsiders")
    assert "50 % 997 ∞ 188" in said(attack(claimed=float("inf")))
    assert "∞ of 997 people (–)" in said(attack(breached=float("inf")))


def test_of_several_columns_each_has_its_figures() -> None:
    one = attack()
    several: dict[str | None, Mapping[str, float]] = {
        None: {"people": 997.0, "over_t": 5.0},
        "disease": one.figures["disease"],
        "drug": {**one.figures["disease"], "breached": 44.0, "accuracy": 0.61},
    }
    told = said(replace(one, figures=several))
    assert "By learner, 44 of 997 people (4.4 %) are breached by their drug" in told
    assert "learner disease 75 % 50 % 997 213 188 31 17" in told
    assert "learner drug 61 % 50 % 997 213 188 44 17" in told
    assert "learner all as one – – 997 – – – 5" in told


def test_outsiders_are_told_shares_of_many_and_no_claims() -> None:
    told = said(attack("learner", "secretive"), audience="outsiders")
    assert "learner 75 % 50 %" in told
    assert READERS["learner"] in told
    for word in ("213", "188", "31", "17", "997", "secretive", "model", "SELECT", "Claims:"):
        assert word not in told
    # Seven is the k of the policy.
    for few in (0.0, 6.9 / 997, 1.0, 1.0 - 6.9 / 997):
        told = said(attack(accuracy=few), audience="outsiders")
        assert "learner not told 50 %" in told
        told = said(attack(baseline_accuracy=few), audience="outsiders")
        assert "learner 75 % not told" in told
        assert "not told" not in said(attack(accuracy=few))
    for many in (7.1 / 997, 1.0 - 7.1 / 997):
        assert "learner not told" not in said(attack(accuracy=many), audience="outsiders")
    missed: dict[str | None, dict[str, float]] = {
        None: {"people": 990.0, "not_inferred": 6.0, "estimated": 700.0}
    }
    told = said(replace(attack(), figures=missed), audience="outsiders")
    assert "Nothing is known of fewer than 7 people" in told
    assert "What is believed of 700 people" in told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "SELECT * FROM bkpriv.attack(12, 'learner')"),
        ({}, "bkpriv attack 12 --attacker learner"),
        ({"groups": 0, "form": "randomized"}, "attackers look at groups, and it has none"),
        ({"status": "purged"}, "it was purged"),
    ],
)
def test_that_nobody_was_played_is_said(changes: dict[str, Any], words: str) -> None:
    told = said(**changes)
    assert "No attack was played on this release" in told
    assert words in told
    assert ("SELECT" in told) is (changes == {})
    outside = said(audience="outsiders", **changes)
    assert "No attack was played on this release" in outside
    assert "SELECT" not in outside


def test_figures_of_a_purged_release_stay_and_nobody_is_asked_for_more() -> None:
    told = said(attack(), status="purged", sensitive=())
    assert "By learner, 31 of 997 people" in told
    assert "SELECT" not in told
