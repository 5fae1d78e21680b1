"""Verdicts: three states, what is to be judged, and how a page says it."""

from __future__ import annotations

from bkpriv_core.report.facts import Facts
from bkpriv_core.report.page import render
from bkpriv_core.verdict import Verdict
from tests.core.test_report import facts, parsed


def said(made: Facts) -> str:
    """Words of a page."""
    return " ".join("".join(parsed(render(made)).words).split())


def test_a_broken_bound_is_said_to_be_broken() -> None:
    assert "1 bound is broken, and 1 thing is to be judged:" in said(facts())
    satisfied = said(facts(verdict=Verdict(())))
    assert "Every bound of the policy is satisfied, and nothing that was looked for" in satisfied
    assert "Nothing was judged" in said(facts(verdict=None))
