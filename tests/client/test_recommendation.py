"""Recommendations: the rules one by one, on figures that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from bkpriv_client.reasons import reason, why_none
from bkpriv_client.recommendation import candidates, knows_much, strictest, within_reach
from bkpriv_client.tried import Setting
from bkpriv_core.exploration import WEAK_READER

K = {"k_anonymity": {"k": 5}}


def tried(
    place: int,
    lost: float | None,
    readers: tuple[float, ...] = (),
    t: float = 0.1,
    stated: dict[str, Any] | None = None,
    **figures: float | None,
) -> Setting:
    """A policy by its readers and what came of it; refused if what it loses is None."""
    policy: dict[str, Any] = {**K, **(stated or {})}
    if readers:
        policy["bt_privacy"] = [{"bandwidth": reader, "t": t} for reader in readers]
    bits = t if readers else 0.9
    told = {"gcp": lost, "sure": 0.0, "largest_disclosure": bits, **figures}
    return Setting(place, policy, {"refused": 1.0} if lost is None else told)


ALONE = tried(1, 0.02, sure=40)
CURVE = [tried(place, lost, (0.2,), t) for place, lost, t in (
    (2, 0.022, 0.3), (3, 0.026, 0.2), (4, 0.04, 0.1), (5, 0.2, 0.05),
)]  # fmt: skip


def places(*settings: Setting, tolerance: float = 0.05) -> list[int]:
    return [item.place for item in candidates(settings, tolerance)]


def test_the_knee_is_farthest_from_the_chord_between_k_alone_and_the_strictest() -> None:
    # Beliefs of 10 % may become 100, 70, 58, 41 and 31 %: heights .42, .57, .74 and 0.
    assert places(ALONE, *CURVE, tolerance=1) == [4, 3, 2, 5]
    assert strictest([ALONE, *CURVE], CURVE[0]) is CURVE[3]
    # A strictest policy that costs less bends the curve elsewhere.
    assert places(ALONE, *CURVE[:3], tried(5, 0.05, (0.2,), 0.05), tolerance=1)[0] == 3


def test_what_costs_too_much_is_out_of_reach_in_detail_in_errors_and_in_records() -> None:
    assert places(ALONE, *CURVE) == [4, 3, 2]
    assert places(ALONE, *CURVE, tolerance=0.01) == [3, 2]
    alone = tried(1, 0.02, query_error=0.06, suppressed_share=0.0)
    for name, most in (("query_error", 0.16), ("suppressed_share", 0.05)):
        for figure, reached in ((most, True), (most + 0.001, False)):
            changed: dict[str, Any] = {name: figure}
            one = tried(2, 0.03, (0.2,), **changed)
            assert within_reach(one, [alone, one], 0.05) is reached
    other = tried(2, 0.03, (0.2,), stated={"k_anonymity": {"k": 9}})
    assert not within_reach(other, [alone, other], 1)  # There is nothing to compare it with.


def test_policies_that_bound_more_readers_come_first_and_none_last() -> None:
    weak = tried(2, 0.021, stated=dict(WEAK_READER))
    one, two = tried(3, 0.03, (0.2,)), tried(4, 0.06, (0.2, 0.5), 0.3)
    assert places(ALONE, weak, one, two) == [4, 3, 2]
    assert places(ALONE, weak, one, two, tolerance=0.01) == [3, 2]
    assert places(ALONE, weak, tried(3, 0.3, (0.2,))) == [2]


def test_each_k_is_compared_with_itself() -> None:
    ten: dict[str, Any] = {"k_anonymity": {"k": 10}}
    settings = [ALONE, tried(2, 0.4, stated=ten), tried(3, 0.44, (0.2,), stated=ten)]
    assert places(*settings, tried(4, 0.2, (0.2,))) == [3]


def test_readers_who_know_much_beforehand_are_no_reason_for_a_policy() -> None:
    weak = tried(2, 0.03, stated=dict(WEAK_READER))
    known: dict[str, Any] = {"known_by_columns": 41.0, "knowable": 400.0, "known": 400.0}
    vacuous = tried(3, 0.02, (0.2, 0.3), 0.0, **known)
    shares = Setting(
        4,
        {**K, "bt_privacy": {"bandwidth": {"kernel": "uniform"}, "t": 0.3}},
        {"gcp": 0.06, "largest_disclosure": 0.3},
    )
    settings = [ALONE, weak, vacuous, shares]
    assert knows_much(settings)
    assert places(*settings) == [4, 2]
    words = reason(weak, settings, 0.05, {})
    assert "Readers of bandwidth 0.2 and 0.3 know 41 of 400 people before the release" in words
    assert "A bound on these readers says nothing" in words
    assert "fewer or coarser" in words
    few = tried(3, 0.03, (0.2, 0.3), 0.1, **{**known, "known_by_columns": 40.0})
    assert not knows_much([ALONE, few])
    assert places(ALONE, weak, few) == [3, 2]


def test_the_reason_says_what_is_bounded_and_what_it_costs() -> None:
    alone = tried(1, 0.02, sure=40, query_error=0.01)
    chosen = tried(4, 0.04, (0.2, 0.5), 0.1, dict(WEAK_READER), sure=2, query_error=0.03)
    settings = [alone, tried(2, 0.03, (0.7,)), chosen, tried(5, 0.2, (0.2, 0.5), 0.05)]
    units = {"0.2": "age: 13.8", "0.7": "age: 48.3"}
    assert reason(chosen, settings, 0.05, units) == (
        "Policy 4 is recommended: k = 5, t = 0.1, against readers of bandwidth 0.2 "
        "(age: 13.8) and 0.5. Under t = 0.1 a belief may move from 10 % to 41 %, or from 82 % to "
        "certainty. It also bounds "
        "the reader who knows only how common each value is: no belief of at most 50 % may rise "
        "above 90 %. It loses 4.0% of the detail, and k = 5 alone loses 2.0%. Stricter ones cost "
        "more than 5 points (--tolerance). Half of the queries err by more than 3.0%; under k = 5 "
        "alone, by more than 1.0%. A reader becomes sure about 2 people; under k = 5 alone, about "
        "40 people. It does not bound by t what readers of bandwidth 0.7 learn."
    )
    assert "It is the strictest." in reason(chosen, [alone, chosen], 0.05, {})
    assert "more detail for each step" in reason(chosen, settings, 1, {})
    weak = tried(2, 0.03, stated=dict(WEAK_READER), one_value=7.0)
    words = reason(weak, [alone, weak], 0.05, {})
    assert "No policy that bounds better informed readers is recommended." in words
    assert "7 people are in groups of one sensitive value, which over half" in words


@pytest.mark.parametrize(
    ("known", "by_columns", "cause"),
    [
        (100.0, 0.0, None),
        (1000.0, 0.0, "over 90 % of all people have the same value, not the quasi-identifiers"),
        (960.0, 2.0, "over 90 % of all people have the same value, not the quasi-identifiers"),
        (1000.0, 30.0, "by the quasi-identifiers"),
    ],
)
def test_the_cause_of_what_readers_know_is_the_right_one(
    known: float, by_columns: float, cause: str | None
) -> None:
    """A value is that of 960 of 1,000 people, or readers know the others by their columns."""
    figures: dict[str, Any] = {"average_class_size": 10.0, "groups": 100.0, "knowable": 40.0}
    one = tried(2, 0.03, (0.2,), known=known, known_by_columns=by_columns, **figures)
    words = reason(one, [ALONE, one], 0.05, {})
    assert ("over 90 %" in words) == (by_columns < 4 and known > 200)
    assert ("fewer or coarser" in words) == (by_columns > 4)
    assert cause is None or cause in words


DIVERSE: dict[str, Any] = {"l_diversity": {"l": 2}}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ([ALONE], "none was tried but k-anonymity alone"),
        ([ALONE, tried(2, None, (0.2,))], "none but k-anonymity alone can be met"),
        ([tried(1, None), tried(2, None, (0.2,))], "none can be met"),
        ([tried(1, None), tried(2, 0.1, (0.2,))], "nothing to compare"),
        ([tried(2, 0.1, (0.2,))], "nothing to compare"),
        ([], "none was tried"),
        (
            [ALONE, tried(2, 0.2, (0.2,)), tried(3, 0.1, (0.2,), 0.2)],
            "3 loses least, 8 points more",
        ),
        ([ALONE, tried(2, 0.2, (0.2,))], "Allow a larger t, accept more loss"),
        ([ALONE, tried(2, 0.03, stated=DIVERSE), tried(3, 0.2, (0.2,), stated=DIVERSE)], ""),
        ([ALONE, tried(2, 0.09, stated=DIVERSE), tried(3, 0.1, (0.2,), stated=DIVERSE)], "l = 2"),
    ],
)
def test_nothing_is_recommended_where_nothing_can_be(settings: list[Setting], why: str) -> None:
    if not why:
        assert [item.place for item in candidates(settings, 0.05)] == [2]
        return
    assert candidates(settings, 0.05) == []
    words = why_none(settings, 0.05)
    assert why in words
    assert words.startswith("No policy is recommended")
    assert ("larger t" in words) == ("loses least" in words and why != "l = 2")


def test_where_values_are_shown_as_they_are_the_error_of_queries_counts() -> None:
    policies: list[dict[str, Any]] = [
        K,
        *({**K, "bt_privacy": [{"bandwidth": 0.2, "t": t}]} for t in (0.2, 0.1)),
    ]
    settings = [
        Setting(place, policy, {"gcp": 0.0, "query_error": error, "largest_disclosure": bits})
        for place, (policy, error, bits) in enumerate(
            zip(policies, (0.1, 0.13, 0.4), (0.9, 0.2, 0.1), strict=True), 1
        )
    ]
    assert places(*settings) == [2]
    assert "13.0% of the error of queries" in reason(settings[1], settings, 0.05, {})
