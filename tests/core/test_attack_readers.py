"""Attackers who do not know the groups, and their figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bkpriv_core.attack import Outcome, Target, find_attacker, metrics, parse_options
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.groups import Groups
from tests.core.strategies import as_table, by_age

SHIFT: dict[str, Any] = {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": 0.5, "t": 0.2}]}


def played(name: str, target: Target, **stated: object) -> tuple[Outcome, dict[str, float]]:
    """The outcome of an attack, and its figures by name."""
    attacker = find_attacker(name)
    options = parse_options(attacker, stated)
    outcome = attacker.attack(target, options, SILENT)
    found = metrics(outcome, parse_policy(SHIFT).requirements, options)
    return outcome, {each.name: each.value for each in found}


def overlapping() -> Target:
    """Groups of which two can exchange a member each."""
    threat = ThreatModel(as_table(by_age("a", "b", "a", "b", "a", "b")))
    groups = Groups.from_labels(np.array([0, 1, 0, 1, 2, 2]))
    return Target(Release(threat.parts, groups, Generalized()), threat)


def test_people_in_groups_that_exchange_are_counted() -> None:
    outcome, figures = played("without_groups", overlapping(), bandwidth={"kernel": "uniform"})
    assert figures["people"] == 6
    assert (figures["concerned"], figures["movable"]) == (4, 2)
    assert (figures["not_inferred"], figures["estimated"]) == (0, 0)
    # One group shows a twice, the other b twice: of whom only one box fits, that is certain.
    np.testing.assert_allclose(outcome.believed[:, 0], [1, 0.5, 0.5, 0, 0.5, 0.5])
    np.testing.assert_allclose(outcome.baseline, 0.5)


def test_of_people_who_are_not_inferred_there_is_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bkpriv_core.release.generalized.assignment._STATES", 1)
    outcome, figures = played("without_groups", overlapping(), bandwidth={"kernel": "uniform"})
    assert (figures["people"], figures["not_inferred"]) == (2, 4)
    assert outcome.cell.tolist() == [4, 5]


def test_where_nobody_is_inferred_there_are_no_figures_but_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bkpriv_core.release.generalized.assignment._STATES", 1)
    target = overlapping()
    groups = Groups.from_labels(np.array([0, 1, 0, -1, -1, 1]))
    release = Release(target.release.parts, groups, Generalized())
    target = Target(release, target.threat)
    monkeypatch.setattr("bkpriv_core.release.generalized.assignment._COMPOSITIONS", 0)
    _, figures = played("without_groups", target, bandwidth={"kernel": "uniform"})
    assert figures == {
        "people": 0,
        "concerned": 6,
        "movable": 6,
        "not_inferred": 6,
        "estimated": 0,
    }
