"""Recommendations: the rules one by one, on figures that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from bkpriv_client.recommendation import recommend
from bkpriv_client.tried import Setting

K = {"k_anonymity": {"k": 5}}


def tried(
    place: int,
    lost: float | None,
    readers: tuple[float, ...] = (),
    t: float = 0.1,
    sure: float | None = 0,
    **stated: Any,
) -> Setting:
    """A policy by its readers and what came of it; refused if what it loses is None."""
    policy: dict[str, Any] = {**K, **stated}
    if readers:
        policy["bt_privacy"] = [{"bandwidth": reader, "t": t} for reader in readers]
    return Setting(place, policy, {"refused": 1.0} if lost is None else {"gcp": lost, "sure": sure})


ALONE = tried(1, 0.05, sure=40)


def chosen(*settings: Setting, tolerance: float = 0.1) -> int | None:
    found = recommend(settings, tolerance).chosen
    return None if found is None else found.place


def test_the_strictest_within_the_tolerance_is_taken_and_the_reason_given() -> None:
    settings = [
        ALONE,
        tried(2, 0.30, (0.2,), 0.05),  # too dear
        tried(3, 0.15, (0.2,), 0.1, sure=2),  # at the edge
        tried(4, 0.06, (0.2,), 0.2, sure=9),
    ]
    found = recommend(settings, 0.1)
    assert found.chosen is settings[2]
    assert found.words == (
        "Policy 3 is recommended (k = 5, t = 0.1, against readers of bandwidth 0.2): it is the "
        "strictest of 2 that lose at most 10 points more of the detail than k = 5 alone, 15.0% "
        "where that loses 5.0%. A reader becomes sure of 2 people; under k = 5 alone, of 40."
    )
    assert recommend([tried(1, 0.05), *settings[2:]], 0.1).words.endswith("alone, of nobody.")
    assert chosen(*settings, tolerance=0.01) == 4
    assert "the only one that loses at most 1 point more" in recommend(settings, 0.01).words


def test_more_readers_count_before_a_smaller_t() -> None:
    settings = [
        ALONE,
        tried(2, 0.1, (0.2,), 0.05),
        tried(3, 0.1, (0.2, 0.5), 0.3),
        tried(4, 0.5, (0.2, 0.5), 0.1),
    ]
    assert chosen(*settings) == 3
    assert chosen(*settings, tolerance=0.5) == 4
    one = recommend(settings[:2] + settings[3:], 0.1)
    assert one.chosen is settings[1]
    assert one.words.endswith("It does not bound readers of bandwidth 0.5.")


def test_of_several_bounds_the_loosest_counts() -> None:
    stated = [{"bandwidth": 0.2, "t": 0.05}, {"bandwidth": 0.5, "t": 0.4}]
    mixed = Setting(2, {**K, "bt_privacy": stated}, {"gcp": 0.1, "sure": 0})
    assert chosen(ALONE, mixed, tried(3, 0.1, (0.2, 0.5), 0.3)) == 3


def test_ties_go_by_l_then_k_then_who_is_sure_then_loss_then_place() -> None:
    two: dict[str, Any]
    four: dict[str, Any]
    two, four = {"l_diversity": {"l": 2}}, {"l_diversity": {"l": 4}}
    assert chosen(ALONE, tried(2, 0.06, **two), tried(3, 0.07, **four)) == 3
    ten: dict[str, Any] = {"k_anonymity": {"k": 10}}
    settings = [ALONE, tried(2, 0.1, **ten), tried(3, 0.06, **two), tried(4, 0.11, **two, **ten)]
    assert chosen(*settings) == 4
    assert chosen(ALONE, tried(2, 0.06, (0.2,), sure=3), tried(3, 0.07, (0.5,), sure=1)) == 3
    assert chosen(ALONE, tried(2, 0.06, (0.2,), sure=None), tried(3, 0.07, (0.5,), sure=9)) == 3
    assert chosen(ALONE, tried(2, 0.07, (0.2,)), tried(3, 0.06, (0.5,))) == 3
    assert chosen(ALONE, tried(2, 0.06, (0.2,)), tried(3, 0.06, (0.5,))) == 2


def test_each_k_is_held_to_itself() -> None:
    ten: dict[str, Any] = {"k_anonymity": {"k": 10}}
    settings = [ALONE, tried(2, 0.4, **ten), tried(3, 0.45, (0.2,), **ten), tried(4, 0.2, (0.2,))]
    assert chosen(*settings) == 3
    assert "than k = 10 alone, 45.0% where that loses 40.0%" in recommend(settings, 0.1).words


def test_everything_within_takes_the_strictest() -> None:
    assert chosen(ALONE, *(tried(place, 0.05, (0.2,), place / 10) for place in (4, 3, 2))) == 2
    # What is lost may even be less: groups are formed in another way.
    assert chosen(ALONE, tried(2, 0.01, (0.2,))) == 2


def test_nothing_within_says_what_would_be() -> None:
    found = recommend([ALONE, tried(2, 0.3, (0.2,)), tried(3, 0.2, (0.2,), 0.2)], 0.1)
    assert found.chosen is None
    assert "none loses at most 10 points more" in found.words
    assert "Policy 3 loses least, 15 points more" in found.words


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ([ALONE], "none was tried but k-anonymity alone"),
        ([ALONE, tried(2, None, (0.2,))], "none of them can be met"),
        ([tried(1, None), tried(2, None, (0.2,))], "none of them can be met"),
        ([tried(1, None), tried(2, 0.1, (0.2,))], "nothing to be held to"),
        ([tried(2, 0.1, (0.2,))], "nothing to be held to"),
        ([], "none was tried"),
    ],
)
def test_nothing_is_recommended_where_nothing_can_be(settings: list[Setting], why: str) -> None:
    found = recommend(settings, 0.1)
    assert found.chosen is None
    assert why in found.words
    assert found.words.startswith("No policy is recommended")


def test_where_values_are_shown_as_they_are_the_error_of_queries_counts() -> None:
    figures = [{"gcp": 0.0, "query_error": error, "sure": 0.0} for error in (0.1, 0.15, 0.4)]
    policies: list[dict[str, Any]] = [
        K,
        *({**K, "bt_privacy": [{"bandwidth": 0.2, "t": t}]} for t in (0.2, 0.1)),
    ]
    settings = [
        Setting(place, *pair) for place, pair in enumerate(zip(policies, figures, strict=True), 1)
    ]
    assert chosen(*settings) == 2
    assert "more of the error of queries" in recommend(settings, 0.1).words


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (0, False),
        (1, "Of 1 person a reader is sure beforehand, and it hides nothing of them."),
        (180, "Of 180 people a reader is sure beforehand, and it hides nothing of them."),
        (900, "That is 90% of all, for hardly anybody resembles another"),
    ],
)
def test_it_says_of_how_many_a_reader_is_sure_beforehand(known: int, said: str | bool) -> None:
    figures = {"gcp": 0.06, "sure": 0, "known": known, "average_class_size": 10, "groups": 100}
    policy = {**K, "bt_privacy": [{"bandwidth": 0.2, "t": 0.1}]}
    words = recommend([ALONE, Setting(2, policy, figures)], 0.1).words
    assert ("sure beforehand" in words) == bool(said)
    assert not isinstance(said, str) or said in words
    assert ("of all" in words) == (known > 200)
