"""Policies as JSON."""

from __future__ import annotations

import json

import pytest

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import REQUIREMENTS, Policy, parse_policy
from bkpriv_core.query.bound import QueryError
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    PairDivergence,
    TCloseness,
)


def test_requirements_stand_in_one_order_whatever_that_of_the_keys() -> None:
    policy = json.loads(
        """{"bt_privacy": [{"bandwidth": 0.3, "t": 0.2}, {"bandwidth": {"age": 1}, "t": 0.25}],
            "max_disclosure": {"tau": 0.5},
            "t_closeness": {"t": 0.2, "ground": "hierarchical"},
            "k_anonymity": {"k": 5},
            "beta_likeness": {"beta": 2, "variant": "enhanced"},
            "ck_safety": {"c": 0.5, "k": 3},
            "m_invariance": {"m": 2},
            "pair_divergence": {"theta": 0.1, "bandwidth": [0.3, {"sequence": "ills"}]},
            "js_divergence": {"j": 0.6, "bandwidth": {"sequence": "ills"}},
            "l_diversity": {"l": 3, "variant": "probabilistic"}}"""
    )
    expected = (
        KAnonymity(5),
        LDiversity(3.0, "probabilistic"),
        MaxDisclosure(0.5),
        TCloseness(0.2, "hierarchical"),
        BetaLikeness(2.0, "enhanced"),
        CkSafety(0.5, 3),
        BtPrivacy(((0.3, 0.2), ({"age": 1}, 0.25))),
        JsDivergence(0.6, Remembered("ills")),
        PairDivergence(0.1, (0.3, Remembered("ills"))),
        MInvariance(2),
    )
    assert parse_policy(policy) == Policy(expected)
    assert parse_policy(dict(reversed(policy.items()))) == Policy(expected)
    assert [type(item).key for item in expected] == list(REQUIREMENTS)


def test_what_is_not_stated_is_not_required() -> None:
    assert parse_policy({"t_closeness": {"t": 0.1}}) == Policy((TCloseness(0.1, "equal"),), None)
    recursive = {"l_diversity": {"l": 3, "variant": "recursive", "c": 2}}
    assert parse_policy(recursive) == Policy((LDiversity(3, "recursive", 2.0),))


@pytest.mark.parametrize("policy", [{}, [], None, 5, "k_anonymity", [{"k_anonymity": {"k": 5}}]])
def test_a_policy_states_something(policy: object) -> None:
    with pytest.raises(InvalidParameter, match="at least one requirement") as caught:
        parse_policy(policy)
    for key in REQUIREMENTS:
        assert key in caught.value.hint


def test_a_misspelt_requirement_is_named() -> None:
    with pytest.raises(InvalidParameter, match='no requirement "k_anonimity"') as caught:
        parse_policy({"k_anonymity": {"k": 5}, "k_anonimity": {"k": 50}})
    assert "k_anonymity, l_diversity" in caught.value.hint


@pytest.mark.parametrize("overlap", ["ignore", None, ["warn"], 1])
def test_what_becomes_of_other_releases_is_one_of_three(overlap: object) -> None:
    for known in ("certify", "warn", "refuse"):
        assert parse_policy({"k_anonymity": {"k": 5}, "overlap": known}).overlap == known
    assert parse_policy({"k_anonymity": {"k": 5}}).overlap is None
    with pytest.raises(InvalidParameter) as caught:
        parse_policy({"k_anonymity": {"k": 5}, "overlap": overlap})
    assert caught.value.message == f"overlap is {json.dumps(overlap)}"
    assert "other releases" in caught.value.detail
    assert "certify, warn, refuse" in caught.value.hint


def test_an_invalid_value_is_that_of_its_requirement() -> None:
    with pytest.raises(InvalidParameter, match="k of k_anonymity is 0"):
        parse_policy({"t_closeness": {"t": 0.1}, "k_anonymity": {"k": 0}})
    with pytest.raises(InvalidParameter, match="beta of beta_likeness is 0"):
        parse_policy({"beta_likeness": {"beta": 0}})


def test_the_error_of_queries_may_be_bounded_beside_requirements() -> None:
    policy = {"k_anonymity": {"k": 5}, "query_error": {"median": 0.1, "action": "warn"}}
    assert parse_policy(policy) == Policy((KAnonymity(5),), QueryError(0.1, action="warn"))
    # An error bound protects nobody.
    with pytest.raises(InvalidParameter, match="at least one requirement"):
        parse_policy({"query_error": {"median": 0.1}})
