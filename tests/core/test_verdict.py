"""Verdicts: three states, what is to be judged, and how a page says it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bkpriv_core.certainty import PositiveDisclosure
from bkpriv_core.count import Count
from bkpriv_core.errors import TooLarge
from bkpriv_core.evidence import Evidence, judge
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.report.facts import Facts
from bkpriv_core.report.page import render
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.verdict import Verdict
from tests.core.strategies import as_table, by_age
from tests.core.test_report import facts, parsed


def said(made: Facts) -> str:
    """Words of a page."""
    return " ".join("".join(parsed(render(made)).words).split())


def test_a_broken_bound_is_said_to_be_broken() -> None:
    assert "1 bound is broken, and 1 thing is to be judged:" in said(facts())
    satisfied = said(facts(verdict=Verdict(())))
    text = "Every bound of the policy is satisfied, and bkpriv found nothing else to judge"
    assert text in satisfied
    assert "Nothing was judged" in said(facts(verdict=None))


SURE = PositiveDisclosure(
    reader=0.3,
    customary=False,
    about={},
    records=0,
    right=0,
    anyway=0,
    by_shares=0,
    worst=0.4,
    estimator="exact",
    estimated=0,
)
WEAK = replace(SURE, reader={"kernel": "uniform"})


def evidence(**changes: Any) -> Evidence:
    """Evidence on two groups of two values each, in which nothing is to be judged."""
    parts = Parts.of(as_table(by_age("a", "b", "a", "b")))
    release = Release(parts, Groups.from_labels(np.array([0, 0, 1, 1])), Generalized())
    given: dict[str, Any] = {
        "published": release,
        "shown": release,
        "persons": False,
        "findings": (),
        "sure": (SURE,),
        "weak": (WEAK,),
        "exchange": None,
    }
    return Evidence(**(given | changes))


BETHE = "exact, but bethe for 1 group (2 records)"
TOO_LARGE = TooLarge("that takes long", detail="So it is.", hint="Ask for less.")


@pytest.mark.parametrize(
    ("changes", "key", "count"),
    [
        ({"weak": (replace(WEAK, estimator=BETHE, estimated=2),)}, "estimated", 2),
        ({"sure": (replace(SURE, estimator="omega", estimated=4),)}, "estimated", 4),
        ({"sure": (replace(SURE, records=3),)}, "inferred", 3),
        ({"weak": (replace(WEAK, records=1),)}, "inferred", 1),
        ({"weak": TOO_LARGE}, "inferred", None),
        ({"sure": TOO_LARGE}, "inferred", None),
        ({"sure": (replace(SURE, anyway=1),)}, "known", 1),
        ({"weak": (replace(WEAK, reader={"only": "age"}, anyway=3),)}, "determined", 3),
        ({"unique_rows": 4, "attributes": ["note"]}, "attributes", 4),
        ({"shared_rows": {"house": 2}}, "linked", 2),
        ({"exchange": Count("exchange", {"movable": 1}, 4, 4)}, "exchange", 4),
        ({"exchange": Count("exchange", {}, None, 4)}, "exchange", None),
    ],
)
def test_each_thing_is_named_by_itself(
    changes: dict[str, Any], key: str, count: int | None
) -> None:
    assert judge(evidence()) == Verdict(())
    verdict = judge(evidence(**changes))
    (matter,) = verdict.matters
    assert (matter.key, matter.count, verdict.state) == (key, count, "judge")
    assert verdict.sentence == f"satisfied, 1 thing to judge: {matter.text}"


def test_what_is_not_inferred_about_people_who_can_exchange_is_said() -> None:
    counted = Count("exchange", {"movable": 2, "sure": 1, "not_inferred": 3}, 4, 4)
    (matter,) = judge(evidence(exchange=counted)).matters
    assert matter.text == (
        "4 of 4 records are in groups whose ranges overlap so that they can exchange members, and "
        "the bounds do not cover readers who see only the ranges (2 of these records fit another "
        "group; such a reader becomes sure about 1 of them; what such a reader learns about 3 of "
        "them is not known)"
    )


def test_groups_of_one_value_and_people_who_are_not_published_are_counted() -> None:
    parts = Parts.of(as_table(by_age("a", "a", "a", "b", "b")))
    groups = Groups.from_labels(np.array([0, 0, 1, 1, -1]))
    release = Release(parts, groups, Generalized())
    found = judge(evidence(published=release, shown=release)).matters
    assert [(each.key, each.count, each.among) for each in found] == [
        ("one_value", 2, 4),
        ("left_out", 1, 5),
    ]
