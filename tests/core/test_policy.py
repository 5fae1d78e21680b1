"""Policies as JSON."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields

import pytest

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import REQUIREMENTS, Policy, complete, parse_policy
from bkpriv_core.query.bound import QueryError
from bkpriv_core.requirement import (
    BeliefBreach,
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
            "belief_breach": {"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9},
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
        BeliefBreach.parse({"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9}),
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


@pytest.mark.parametrize("key", ["k_anonimity", "K_ANONYMITY", "beta_likenes"])
def test_a_misspelt_requirement_is_named(key: str) -> None:
    with pytest.raises(InvalidParameter, match=f'no requirement "{key}"') as caught:
        parse_policy({"k_anonymity": {"k": 5}, key: {"k": 50}})
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


def test_a_requirement_about_values_may_be_stated_for_each_column() -> None:
    each = [{"l": 2}, {"l": 3, "sensitive": "disease"}, {"l": 4, "joint": True}]
    policy = parse_policy({"l_diversity": each, "k_anonymity": {"k": 5}})
    assert policy.requirements == (
        KAnonymity(5),
        LDiversity(2),
        LDiversity(3, sensitive="disease"),
        LDiversity(4, joint=True),
    )
    bounds = [item.bounds[0] for item in policy.about(("disease", "ward"), None).requirements]
    assert [bound.parameters for bound in bounds] == [
        {"k": 5},
        {"l": 2, "variant": "distinct", "sensitive": "disease"},
        {"l": 2, "variant": "distinct", "sensitive": "ward"},
        {"l": 3, "variant": "distinct", "sensitive": "disease"},
        {"l": 4, "variant": "distinct", "joint": True},
    ]


@pytest.mark.parametrize(
    "key", sorted({*REQUIREMENTS} - {"k_anonymity", "m_invariance", "bt_privacy", "belief_breach"})
)
def test_every_requirement_about_values_takes_a_list(key: str) -> None:
    stated = {"l": 2, "tau": 0.5, "t": 0.2, "beta": 1, "c": 0.5, "k": 1, "j": 1, "theta": 0.5}
    kind = REQUIREMENTS[key]
    needed = {
        field.name: stated[field.name]
        for field in fields(kind)  # type: ignore[arg-type]
        if field.default is MISSING
    }
    one = {**needed, "sensitive": "disease"}
    alone, both = (parse_policy({key: value}).requirements for value in (one, [one, needed]))
    assert both == (*alone, *parse_policy({key: needed}).requirements)
    for wrong, named in (([], key), ([one, {**needed, "nonsense": 1}], f"bound 2 of {key}")):
        with pytest.raises(InvalidParameter) as caught:
            parse_policy({key: wrong})
        assert named in caught.value.message
    with pytest.raises(InvalidParameter, match="jointly"):
        parse_policy({key: [needed, {**one, "joint": True}]})


def test_what_is_about_records_is_stated_once() -> None:
    for key in ("k_anonymity", "m_invariance"):
        with pytest.raises(InvalidParameter, match=key):
            parse_policy({key: [{key[0]: 2}]})


def test_knowledge_is_put_into_every_bound_that_leaves_it_open() -> None:
    listed = [{"j": 1}, {"j": 2, "bandwidth": 0.5, "joint": True}]
    assert complete({"js_divergence": listed}, lambda key: f"of {key}") == {
        "js_divergence": [{"j": 1, "bandwidth": "of js_divergence"}, listed[1]]
    }


def test_the_error_of_queries_may_be_bounded_beside_requirements() -> None:
    policy = {"k_anonymity": {"k": 5}, "query_error": {"median": 0.1, "action": "warn"}}
    assert parse_policy(policy) == Policy((KAnonymity(5),), QueryError(0.1, action="warn"))
    # An error bound protects nobody.
    with pytest.raises(InvalidParameter, match="at least one requirement"):
        parse_policy({"query_error": {"median": 0.1}})
