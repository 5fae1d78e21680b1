"""Reports: what they answer, and that everybody can read it, on any screen and on paper."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from bkpriv_core.count import Count
from bkpriv_core.release.uniqueness import Uniqueness
from bkpriv_core.report.facts import AUDIENCES, Audience, Bounded, SuppressedKind, Sure
from bkpriv_core.report.page import STYLE, render
from tests.core.test_report import bound, facts, parsed


@pytest.mark.parametrize("audience", AUDIENCES)
def test_landmarks_are_told_apart_and_what_scrolls_can_be_focused(audience: Audience) -> None:
    seen = parsed(render(facts(), audience)).seen
    assert not [tag for tag, has in seen if has.get("role") == "region"]
    labels = [has["aria-labelledby"] for tag, has in seen if tag == "section"]
    assert len({*labels}) == len(labels) > 5
    scrolled = [has for _, has in seen if has.get("class") == "scroll"]
    assert len(scrolled) == sum(tag in ("table", "svg") for tag, _ in seen) > 3
    for has in scrolled:
        assert (has["tabindex"], has["role"]) == ("0", "group")
        assert has["aria-label"]
    assert "overflow" not in re.sub(r"\.scroll \{[^}]*\}|overflow-wrap", "", STYLE)


def test_nothing_is_shut_on_paper() -> None:
    assert [has for tag, has in parsed(render(facts())).seen if tag == "details"] == [{"open": ""}]


def belief(**stated: Any) -> Bounded:
    """A bound on beliefs about a column of codes, in bins."""
    case = bound("bt_privacy", group_records=9, whom='{"born": "1950-01-01"}', value="1")
    parameters = {"bandwidth": 0.3, "t": 0.2, **stated}
    return replace(case, parameters=parameters, threshold=0.2, before=0.1, after=0.4)


def test_what_a_change_of_belief_compares_is_said() -> None:
    def said(*bounds: Bounded) -> str:
        return "".join(parsed(render(facts(bounds=bounds))).words)

    alike, strict = "Similar values count as partly alike", "alike or not"
    one = said(belief(smoothing=0.5))
    assert "compares how probable each sensitive value" in one
    assert f"{alike}: those that differ by less than 0.5 of the column's range" in one
    assert strict not in one
    other = said(belief())
    assert f"Values are {strict}" in other
    assert alike not in other
    both = said(belief(smoothing=0.5), belief())
    assert alike in both
    assert f"Where nothing else is stated, values are {strict}" in both
    assert "compares how probable" not in said(bound())


@pytest.mark.parametrize(
    ("counted", "told"),
    [
        (
            Count("exchange", {"movable": 7}, 42, 1000),
            "42 of 1\N{NARROW NO-BREAK SPACE}000 records (4.2 %); 7 of them can be in another",
        ),
        (
            Count("exchange", {"movable": 0}, 0, 1000),
            "0 of 1\N{NARROW NO-BREAK SPACE}000 records|ranges",
        ),
        (Count("exchange", {}, None, 1000), "not counted: it would take too much"),
    ],
)
def test_people_of_groups_that_exchange_are_told_where_groups_are_not_shown(
    counted: Count, told: str
) -> None:
    asked = "they can exchange members"
    page = "|".join(parsed(render(facts(exchanging=counted))).words)
    assert asked in page
    assert told in page
    assert asked not in "|".join(parsed(render(facts(exchanging=None))).words)
    assert asked not in "|".join(parsed(render(facts(exchanging=counted), "outsiders")).words)


def test_a_value_stands_with_its_column_and_a_bin_as_one() -> None:
    bins = {"born": {"1950-01-01": "1959-12-31"}}
    made = facts(bounds=(belief(),), bins=bins, sensitive=("hypertension",))
    words = "".join(parsed(render(made)).words)
    assert (
        "A group of 9, people with born 1950-01-01 to 1959-12-31; "
        "hypertension = 1, 10 % before, 40 % after"
    ) in words
    left = SuppressedKind('{"born": ["1950-01-01", "1950-01-01"]}', 3, "k_anonymity", 7.0, 3.0)
    words = "".join(parsed(render(replace(made, left_out=(left,)))).words)
    assert words.count("born 1950-01-01 to 1959-12-31") == 2


def test_the_three_questions_have_their_figures() -> None:
    made = facts(
        passed=("ward", "bmi"),
        apart=((("ward",), 12), (("bmi",), 900), (("ward", "bmi"), 990)),
        bounds=(belief(), bound()),
        alone=Uniqueness(165, 1, 8),
        largest=0.71,
        sure=(
            Sure({"bandwidth": 0.3, "sensitive": "drug"}, False, 21, 20, 50, True),
            Sure({"bandwidth": 0.2}, True, 2, 1, 3, False),
        ),
    )
    page = "|".join(parsed(render(made)).words)
    for figures in (
        "Article 29 Working Party",
        "165 of 1\N{NARROW NO-BREAK SPACE}000 in the source; 1 of 997 as published",
        "8 records, 12.5 %; on average 4.7 %",
        "900 of 997 (90.3 %) by |bmi",
        "990 of 997 (99.3 %) by |ward|, |bmi",
        "Other releases of the dataset that can be read now|0|history",
        "Releases of other datasets that may show the same records|1",
        "What they tell together with this one|not measured",
        "Largest share of a sensitive value in a group|71 %",
        "Of whom a reader becomes sure (B = 0.3, drug): believed at most 50 % before, above 90 % "
        "after|21 of 997 records, 20 of them rightly; 50 were certain anyway (above 90 % before)|",
        "Of whom a reader, whom the policy does not name, becomes sure (B = 0.2): believed at most "
        "50 % before, above 90 % after|2 of 997 records, 1 of them rightly; 3 were certain anyway "
        "(above 90 % before); in part an estimate|",
        "(B,t)-privacy, B = 0.3: change of belief, in bits|9, at most 0.2 allowed|audit",
    ):
        assert figures in page, figures
    assert "Of whom" not in render(made, "outsiders")
    assert "Working Party" not in render(made, "outsiders")


def test_a_bound_that_cannot_bind_is_called_so() -> None:
    """The case is a release about a number that is blended away."""
    void, held = (replace(belief(smoothing=0.75), most=most) for most in (0.0745, 0.9))
    said = "(B,t)-privacy, B = 0.3, at most 0.2, promises nothing: no release of this table could"
    assert f"{said} exceed 0.0745." in "".join(parsed(render(facts(bounds=(void,)))).words)
    # Nor does anything else say so: of one value, where nothing is told, or where none is known.
    for kept in (held, replace(void, most=0.0), replace(void, most=None)):
        assert "promises nothing" not in render(facts(bounds=(kept,)))


def test_there_is_room_for_purpose_recipients_and_approval() -> None:
    for audience in AUDIENCES:
        seen = parsed(render(facts(), audience)).seen
        lines = sum(has.get("class") == "blank" for _, has in seen)
        assert lines == (5 if audience == "officer" else 0)


def test_columns_that_are_not_published_are_told_to_officers() -> None:
    made = facts("word", unpublished=("interviewer", "address"))
    assert "Of the source, not published|interviewer|, |address" in "|".join(
        parsed(render(made)).words
    )
    assert "interviewer" not in render(made, "outsiders")
