"""Requirements as they are read from JSON, and what is said of those that mean nothing."""

from __future__ import annotations

import json

import pytest

from bkpriv_core.belief.knowledge import Outside, Remembered
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import REQUIREMENTS
from bkpriv_core.requirement import (
    BeliefScope,
    BetaLikeness,
    BtPrivacy,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    Requirement,
    TCloseness,
)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (KAnonymity, {"k": 5}, KAnonymity(5)),
        (KAnonymity, {"k": 5.0}, KAnonymity(5)),
        (KAnonymity, {"k": 1}, KAnonymity(1)),
        (LDiversity, {"l": 3}, LDiversity(3, "distinct")),
        (LDiversity, {"l": 3, "variant": "distinct"}, LDiversity(3, "distinct")),
        (LDiversity, {"l": 2.5, "variant": "probabilistic"}, LDiversity(2.5, "probabilistic")),
        (LDiversity, {"l": 1, "variant": "entropy"}, LDiversity(1.0, "entropy")),
        (LDiversity, {"l": 2.5, "variant": "entropy"}, LDiversity(2.5, "entropy")),
        (
            LDiversity,
            {"l": 3, "variant": "recursive", "c": 0.5},
            LDiversity(3, "recursive", 0.5),
        ),
        (MaxDisclosure, {"tau": 0.2}, MaxDisclosure(0.2)),
        (MaxDisclosure, {"tau": 1}, MaxDisclosure(1.0)),
        (TCloseness, {"t": 0.2}, TCloseness(0.2, "equal")),
        (TCloseness, {"t": 0, "ground": "ordered"}, TCloseness(0.0, "ordered")),
        (TCloseness, {"t": 1, "ground": "hierarchical"}, TCloseness(1.0, "hierarchical")),
        (BetaLikeness, {"beta": 2}, BetaLikeness(2.0, "basic")),
        (BetaLikeness, {"beta": 0.1, "variant": "basic"}, BetaLikeness(0.1, "basic")),
        (BetaLikeness, {"beta": 9, "variant": "enhanced"}, BetaLikeness(9.0, "enhanced")),
        (BtPrivacy, {"bandwidth": 0.3, "t": 0.2}, BtPrivacy(((0.3, 0.2),))),
        (
            BtPrivacy,
            [{"bandwidth": 1, "t": 0}, {"bandwidth": {"age": 0.2, "sex": 3}, "t": 1}],
            BtPrivacy(((1, 0.0), ({"age": 0.2, "sex": 3}, 1.0))),
        ),
        (
            BtPrivacy,
            [
                {"bandwidth": 0.3, "t": 0.2, "smoothing": 1},
                {"bandwidth": 0.3, "t": 0.2},
                {"bandwidth": 0.3, "t": 0.2, "smoothing": None, "sensitive": "s"},
            ],
            BtPrivacy(
                ((0.3, 0.2),) * 3,
                (BeliefScope(smoothing=1.0), BeliefScope(), BeliefScope(sensitive="s")),
            ),
        ),
        (JsDivergence, {"j": 0.6}, JsDivergence(0.6)),
        (JsDivergence, {"j": 0.6, "bandwidth": 0.3}, JsDivergence(0.6, 0.3)),
        (
            JsDivergence,
            {"j": 2, "bandwidth": {"sequence": "ills", "bandwidth": {"table": "s.t"}}},
            JsDivergence(2.0, Remembered("ills", Outside("s.t"))),
        ),
        (MInvariance, {"m": 2.0}, MInvariance(2)),
    ],
)
def test_requirements_are_read(
    kind: type[Requirement], value: object, expected: Requirement
) -> None:
    assert kind.parse(value) == expected


WRONG = """
k_anonymity 5 | ~ must be a JSON object | Write {"k": 5}.
k_anonymity null | ~ must be a JSON object | keys are k
k_anonymity [{"k": 5}] | ~ must be a JSON object | keys are k
l_diversity "3" | ~ must be a JSON object | Write {"l": "3"}.
beta_likeness 2 | ~ must be a JSON object | Write {"beta": 2}.
t_closeness 0.2 | ~ must be a JSON object | Write {"t": 0.2}.
bt_privacy 0.2 | ~ must be a JSON object | keys are bandwidth, t
bt_privacy [[0.3, 0.2]] | ~ must be a JSON object | keys are bandwidth, t
bt_privacy [] | ~ lists no adversary | "bandwidth": 0.3
k_anonymity {"k": 5, "K": 6} | ~ has no key "K" | keys are k
l_diversity {"l": 3, "C": 2} | ~ has no key "C" | keys are l, variant, c
beta_likeness {"beta": 2, "b": 2} | ~ has no key "b" | keys are beta,
l_diversity {"l": 3, "c": 2}
    | ~ has no key "c" with the variant distinct | Leave c out, or choose the variant recursive
l_diversity {"l": 3, "c": 2, "variant": "distinct"}
    | ~ has no key "c" with the variant distinct | Leave c out, or choose the variant recursive
l_diversity {"l": 3, "c": 2, "variant": "probabilistic"}
    | ~ has no key "c" with the variant probabilistic | Leave c out, or choose the variant recursive
l_diversity {"l": 3, "c": 2, "variant": "entropy"}
    | ~ has no key "c" with the variant entropy | Leave c out, or choose the variant recursive
js_divergence {"bandwidth": 0.3} | ~ lacks the key "j" | keys are j,
js_divergence {"j": 1, "t": 2} | ~ has no key "t" | keys are j, bandwidth
js_divergence {"j": -0.1} | j of ~ is -0.1, which is not at least 0 | at least
m_invariance {"m": 0} | m of ~ is 0, which is not at least 1 | at least 1
t_closeness {"t": 0.2, "h": 1} | ~ has no key "h" | keys are t, ground
bt_privacy [{"bandwidth": 0.3, "t": 0.2}, {"B": 0.3, "t": 0.2}]
    | adversary 2 of ~ has no key "B" | keys are bandwidth, t
bt_privacy {"bandwidth": 0.3, "t": 0.2, "smoothing": 0} | smoothing of ~ is 0 | smoothing
bt_privacy {"bandwidth": 0.3, "t": 0.2, "smoothing": 1.01} | smoothing of ~ is 1.01 | smoothing
bt_privacy {"bandwidth": 0.3, "t": 0.2, "smoothing": "0.75"} | smoothing of ~ is "0.75" | smoothing
bt_privacy {"bandwidth": 0.3, "t": 0.2, "smoothing": true} | smoothing of ~ is true | smoothing
k_anonymity {} | ~ lacks the key "k" | keys are k
l_diversity {"variant": "distinct"} | ~ lacks the key "l" | keys are l
l_diversity {"variant": "recursive", "c": 2} | ~ lacks the key "l" | keys are l
l_diversity {"l": 3, "variant": "recursive"} | ~ lacks the key "c" | "c": 2
beta_likeness {"variant": "basic"} | ~ lacks the key "beta" | keys are beta
t_closeness {"ground": "equal"} | ~ lacks the key "t" | keys are t
bt_privacy {"bandwidth": 0.3} | ~ lacks the key "t" | keys are
bt_privacy {"t": 0.3} | ~ lacks the key "bandwidth" | keys are
k_anonymity {"k": "5"} | k of ~ is "5", which is not a number | number
k_anonymity {"k": true} | k of ~ is true, which is not a number | number
k_anonymity {"k": null} | k of ~ is null, which is not a number | number
k_anonymity {"k": NaN} | k of ~ is NaN, which is not a number | number
k_anonymity {"k": Infinity} | k of ~ is Infinity, which is not a number | number
l_diversity {"l": [3]} | l of ~ is [3], which is not a number | number
l_diversity {"l": 3, "variant": "recursive", "c": "2"}
    | c of ~ is "2", which is not a number | Write c as
l_diversity {"l": 3, "variant": "recursive", "c": true}
    | c of ~ is true, which is not a number | Write c as
l_diversity {"l": 3, "variant": "recursive", "c": null}
    | c of ~ is null, which is not a number | Write c as
l_diversity {"l": 3, "variant": "recursive", "c": NaN}
    | c of ~ is NaN, which is not a number | Write c as
l_diversity {"l": 3, "variant": "recursive", "c": Infinity}
    | c of ~ is Infinity, which is not a number | Write c as
beta_likeness {"beta": "2"} | beta of ~ is "2", which is not a number | Write beta as
beta_likeness {"beta": false} | beta of ~ is false, which is not a number | Write beta as
beta_likeness {"beta": null} | beta of ~ is null, which is not a number | Write beta as
beta_likeness {"beta": NaN} | beta of ~ is NaN, which is not a number | Write beta as
beta_likeness {"beta": Infinity} | beta of ~ is Infinity, which is not a number | Write beta as
t_closeness {"t": {}} | t of ~ is {}, which is not a number | number
t_closeness {"t": false} | t of ~ is false, which is not a number | number
bt_privacy {"bandwidth": 1, "t": "x"} | t of ~ is "x", which is not | number
bt_privacy {"bandwidth": 1, "t": NaN} | t of ~ is NaN, which is not | number
k_anonymity {"k": 2.5} | k of ~ is 2.5, which is not a whole number | 2 or 3
l_diversity {"l": 2.5} | l of ~ is 2.5, which is not a whole number | 2 or 3
l_diversity {"l": 2.5, "variant": "recursive", "c": 2}
    | l of ~ is 2.5, which is not a whole number | 2 or 3
k_anonymity {"k": 0} | k of ~ is 0 | k must be at least 1
k_anonymity {"k": -3} | k of ~ is -3 | k must be at least 1
l_diversity {"l": 0} | l of ~ is 0 | l must be at least 1
l_diversity {"l": 0.5, "variant": "probabilistic"} | l of ~ is 0.5 | l must be at least 1
l_diversity {"l": 0.99, "variant": "entropy"} | l of ~ is 0.99 | l must be at least 1
l_diversity {"l": 0, "variant": "recursive", "c": 2} | l of ~ is 0 | l must be at least 1
l_diversity {"l": 2, "variant": "recursive", "c": 0} | c of ~ is 0 | c must be above 0
l_diversity {"l": 2, "variant": "recursive", "c": -1.5} | c of ~ is -1.5 | c must be above 0
beta_likeness {"beta": 0} | beta of ~ is 0 | beta must be above 0
beta_likeness {"beta": -2} | beta of ~ is -2 | beta must be above 0
t_closeness {"t": -0.1} | t of ~ is -0.1 | t must be between 0 and 1
t_closeness {"t": 1.1} | t of ~ is 1.1 | t must be between 0 and 1
bt_privacy {"bandwidth": 1, "t": 2} | t of ~ is 2 | t must be between 0 and 1
bt_privacy [{"bandwidth": 1, "t": 0.2}, {"bandwidth": 1, "t": -1}]
    | t of adversary 2 of ~ is -1 | t must be between 0 and 1
max_disclosure {"tau": 0} | tau of ~ is 0 | above 0 and at most 1
max_disclosure {"tau": 1.1} | tau of ~ is 1.1 | above 0 and at most 1
ck_safety {"c": 0, "k": 1} | c of ~ is 0 | above 0 and at most 1
ck_safety {"c": 1.1, "k": 1} | c of ~ is 1.1 | above 0 and at most 1
ck_safety {"c": 0.5, "k": -1} | k of ~ is -1 | k must be at least 0
ck_safety {"c": 0.5, "k": 1.5} | k of ~ is 1.5 | 1 or 2
l_diversity {"l": 3, "variant": "entropie"} | variant of ~ is "entropie" | entropy, recursive
l_diversity {"l": 3, "variant": ["distinct"]} | variant of ~ is [ | one of
t_closeness {"t": 0.2, "ground": "euclidean"} | ground of ~ is "euclidean" | ordered, hierarchical
beta_likeness {"beta": 2, "variant": "extended"}
    | variant of ~ is "extended" | one of basic, enhanced
beta_likeness {"beta": 2, "variant": null} | variant of ~ is null | basic
t_closeness {"t": 0.2, "ground": null} | ground of ~ is null | one of equal
bt_privacy {"bandwidth": 0, "t": 0.2} | bandwidth of ~ is 0, which is not | Distances
bt_privacy {"bandwidth": -1, "t": 0.2} | bandwidth of ~ is -1, which is not | Distances
bt_privacy {"bandwidth": "0.3", "t": 0.2} | bandwidth of ~ is "0.3" | Distances
bt_privacy {"bandwidth": true, "t": 0.2} | bandwidth of ~ is true | Distances
bt_privacy {"bandwidth": NaN, "t": 0.2} | bandwidth of ~ is NaN | Distances
bt_privacy {"bandwidth": null, "t": 0.2} | bandwidth of ~ is null | Distances
bt_privacy {"bandwidth": [0.3], "t": 0.2} | bandwidth of ~ is [0.3] | Distances
bt_privacy {"bandwidth": {}, "t": 0.2} | bandwidth of ~ names no attribute | Give
bt_privacy {"bandwidth": {"age": 0.3, "sex": 0}, "t": 0.2}
    | bandwidth of "sex" of ~ is 0 | Distances
bt_privacy [{"bandwidth": 1, "t": 0.2}, {"bandwidth": {"sex": "1"}, "t": 0.2}]
    | bandwidth of "sex" of adversary 2 of ~ is "1" | Distances
l_diversity {"l": 3, "variant": {}} | variant of ~ is {} | one of
l_diversity {"l": 3, "variant": null} | variant of ~ is null | one of
js_divergence {"j": 1, "smoothing": 0.5} | ~ has no key "smoothing" | keys are j, bandwidth
bt_privacy {"bandwidth": 0.3, "t": -1e-09} | t of ~ is -1e-09 | t must be between 0 and 1
max_disclosure {"tau": -0.5} | tau of ~ is -0.5 | above 0 and at most 1
max_disclosure {"tau": "x"} | tau of ~ is "x" | number
max_disclosure {"tau": null} | tau of ~ is null | number
pair_divergence {"theta": 2} | theta of ~ is 2 | theta must be between 0 and 1
pair_divergence {"theta": 0.1, "bandwidth": []} | ~ lists no adversary | adversary
pair_divergence {"theta": 0.1, "bandwidth": [0.3, "x"]} | adversary 2 of bandwidth of ~ | Distances
pair_divergence {"bandwidth": 0.3} | ~ lacks the key "theta" | keys are
bt_privacy [{"bandwidth": 0.3, "t": 0.2}, []] | adversary 2 of ~ must be a JSON object | keys are
"""
"""A requirement, what is said of it (~ is its key), and what the hint has."""


@pytest.mark.parametrize("row", WRONG.strip().replace("\n    ", " ").splitlines())
def test_what_is_wrong_is_named(row: str) -> None:
    stated, message, hint = row.split(" | ")
    key, _, value = stated.partition(" ")
    with pytest.raises(InvalidParameter) as caught:
        REQUIREMENTS[key].parse(json.loads(value))
    assert message.replace("~", key) in caught.value.message
    assert caught.value.detail
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("variant", "listed"), [("distinct", "3"), ("probabilistic", "3.0"), ("entropy", "3.0")]
)
def test_what_counts_comes_back_whole(variant: str, listed: str) -> None:
    (bound,) = LDiversity.parse({"l": 3.0, "variant": variant}).bounds
    assert json.dumps(bound.parameters) == f'{{"l": {listed}, "variant": "{variant}"}}'


@pytest.mark.parametrize("kind", [KAnonymity, LDiversity, TCloseness, BetaLikeness])
def test_a_number_beyond_all_floats(kind: type[Requirement]) -> None:
    name = kind.key[0] if kind is not BetaLikeness else "beta"
    with pytest.raises(InvalidParameter, match="not a number"):
        kind.parse({name: 10**400})
    with pytest.raises(InvalidParameter, match=r"c of l_diversity is .* not a number"):
        LDiversity.parse({"l": 3, "variant": "recursive", "c": 10**400})
