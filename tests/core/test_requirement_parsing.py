"""Requirements as they are read from JSON, and what is said of those that mean nothing."""

from __future__ import annotations

import json

import pytest

from bkpriv_core.belief.knowledge import Outside, Remembered
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    Regard,
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
            BtPrivacy(((0.3, 0.2),) * 3, (Regard(smoothing=1.0), Regard(), Regard(sensitive="s"))),
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


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("kind", "value", "message", "hint"),
    [
        # Not an object
        (KAnonymity, 5, "k_anonymity must be a JSON object", "keys are k"),
        (KAnonymity, None, "k_anonymity must be a JSON object", "keys are k"),
        (KAnonymity, [{"k": 5}], "k_anonymity must be a JSON object", "keys are k"),
        (LDiversity, "3", "l_diversity must be a JSON object", "keys are l, variant, c"),
        (BetaLikeness, 2, "beta_likeness must be a JSON object", "keys are beta, variant"),
        (TCloseness, 0.2, "t_closeness must be a JSON object", "keys are t, ground"),
        (BtPrivacy, 0.2, "bt_privacy must be a JSON object", "keys are bandwidth, t"),
        (BtPrivacy, [[0.3, 0.2]], "bt_privacy must be a JSON object", "keys are bandwidth, t"),
        (BtPrivacy, [], "bt_privacy lists no adversary", '"bandwidth": 0.3'),
        # Unknown and missing keys
        (KAnonymity, {"k": 5, "K": 6}, 'k_anonymity has no key "K"', "keys are k"),
        (LDiversity, {"l": 3, "C": 2}, 'l_diversity has no key "C"', "keys are l, variant, c"),
        (BetaLikeness, {"beta": 2, "b": 2}, 'beta_likeness has no key "b"', "keys are beta, "),
        *(
            (
                LDiversity,
                {"l": 3, "c": 2} | ({} if variant is None else {"variant": variant}),
                f'l_diversity has no key "c" with the variant {variant or "distinct"}',
                "Leave c out, or choose the variant recursive",
            )
            for variant in (None, "distinct", "probabilistic", "entropy")
        ),
        (JsDivergence, {"bandwidth": 0.3}, 'js_divergence lacks the key "j"', "keys are j, "),
        (JsDivergence, {"j": 1, "t": 2}, 'js_divergence has no key "t"', "keys are j, bandwidth"),
        (
            JsDivergence,
            {"j": -0.1},
            "j of js_divergence is -0.1, which is not at least 0",
            "at least",
        ),
        (MInvariance, {"m": 0}, "m of m_invariance is 0, which is not at least 1", "at least 1"),
        (TCloseness, {"t": 0.2, "h": 1}, 't_closeness has no key "h"', "keys are t, ground"),
        (
            BtPrivacy,
            [{"bandwidth": 0.3, "t": 0.2}, {"B": 0.3, "t": 0.2}],
            'adversary 2 of bt_privacy has no key "B"',
            "keys are bandwidth, t",
        ),
        *(
            (
                BtPrivacy,
                {"bandwidth": 0.3, "t": 0.2, "smoothing": smoothing},
                f"smoothing of bt_privacy is {said}",
                "smoothing",
            )
            for smoothing, said in ((0, "0"), (1.01, "1.01"), ("0.75", '"0.75"'), (True, "true"))
        ),
        (KAnonymity, {}, 'k_anonymity lacks the key "k"', "keys are k"),
        (LDiversity, {"variant": "distinct"}, 'l_diversity lacks the key "l"', "keys are l"),
        (
            LDiversity,
            {"variant": "recursive", "c": 2},
            'l_diversity lacks the key "l"',
            "keys are l",
        ),
        (LDiversity, {"l": 3, "variant": "recursive"}, 'l_diversity lacks the key "c"', '"c": 2'),
        (BetaLikeness, {"variant": "basic"}, 'beta_likeness lacks the key "beta"', "keys are beta"),
        (TCloseness, {"ground": "equal"}, 't_closeness lacks the key "t"', "keys are t"),
        (BtPrivacy, {"bandwidth": 0.3}, 'bt_privacy lacks the key "t"', "keys are"),
        (BtPrivacy, {"t": 0.3}, 'bt_privacy lacks the key "bandwidth"', "keys are"),
        # Not a number
        (KAnonymity, {"k": "5"}, 'k of k_anonymity is "5", which is not a number', "number"),
        (KAnonymity, {"k": True}, "k of k_anonymity is true, which is not a number", "number"),
        (KAnonymity, {"k": None}, "k of k_anonymity is null, which is not a number", "number"),
        (KAnonymity, {"k": NAN}, "k of k_anonymity is NaN, which is not a number", "number"),
        (
            KAnonymity,
            {"k": INFINITY},
            "k of k_anonymity is Infinity, which is not a number",
            "number",
        ),
        (LDiversity, {"l": [3]}, "l of l_diversity is [3], which is not a number", "number"),
        *(
            (
                LDiversity,
                {"l": 3, "variant": "recursive", "c": c},
                f"c of l_diversity is {as_json(c)}, which is not a number",
                "Write c as a JSON number",
            )
            for c in ("2", True, None, NAN, INFINITY, 10**400)
        ),
        *(
            (
                BetaLikeness,
                {"beta": beta},
                f"beta of beta_likeness is {as_json(beta)}, which is not a number",
                "Write beta as a JSON number",
            )
            for beta in ("2", False, None, NAN, INFINITY, 10**400)
        ),
        (TCloseness, {"t": {}}, "t of t_closeness is {}, which is not a number", "number"),
        (TCloseness, {"t": False}, "t of t_closeness is false, which is not a number", "number"),
        (BtPrivacy, {"bandwidth": 1, "t": "x"}, 't of bt_privacy is "x", which is not', "number"),
        (BtPrivacy, {"bandwidth": 1, "t": NAN}, "t of bt_privacy is NaN, which is not", "number"),
        # Not a whole number
        (KAnonymity, {"k": 2.5}, "k of k_anonymity is 2.5, which is not a whole number", "2 or 3"),
        (LDiversity, {"l": 2.5}, "l of l_diversity is 2.5, which is not a whole number", "2 or 3"),
        (
            LDiversity,
            {"l": 2.5, "variant": "recursive", "c": 2},
            "l of l_diversity is 2.5, which is not a whole number",
            "2 or 3",
        ),
        # Out of bounds
        (KAnonymity, {"k": 0}, "k of k_anonymity is 0", "k must be at least 1"),
        (KAnonymity, {"k": -3}, "k of k_anonymity is -3", "k must be at least 1"),
        (LDiversity, {"l": 0}, "l of l_diversity is 0", "l must be at least 1"),
        (
            LDiversity,
            {"l": 0.5, "variant": "probabilistic"},
            "l of l_diversity is 0.5",
            "l must be at least 1",
        ),
        (
            LDiversity,
            {"l": 0.99, "variant": "entropy"},
            "l of l_diversity is 0.99",
            "l must be at least 1",
        ),
        (
            LDiversity,
            {"l": 0, "variant": "recursive", "c": 2},
            "l of l_diversity is 0",
            "l must be at least 1",
        ),
        (
            LDiversity,
            {"l": 2, "variant": "recursive", "c": 0},
            "c of l_diversity is 0",
            "c must be above 0",
        ),
        (
            LDiversity,
            {"l": 2, "variant": "recursive", "c": -1.5},
            "c of l_diversity is -1.5",
            "c must be above 0",
        ),
        (BetaLikeness, {"beta": 0}, "beta of beta_likeness is 0", "beta must be above 0"),
        (BetaLikeness, {"beta": -2}, "beta of beta_likeness is -2", "beta must be above 0"),
        (TCloseness, {"t": -0.1}, "t of t_closeness is -0.1", "t must be between 0 and 1"),
        (TCloseness, {"t": 1.1}, "t of t_closeness is 1.1", "t must be between 0 and 1"),
        (BtPrivacy, {"bandwidth": 1, "t": 2}, "t of bt_privacy is 2", "t must be between 0 and 1"),
        (
            BtPrivacy,
            [{"bandwidth": 1, "t": 0.2}, {"bandwidth": 1, "t": -1}],
            "t of adversary 2 of bt_privacy is -1",
            "t must be between 0 and 1",
        ),
        (MaxDisclosure, {"tau": 0}, "tau of max_disclosure is 0", "above 0 and at most 1"),
        (MaxDisclosure, {"tau": 1.1}, "tau of max_disclosure is 1.1", "above 0 and at most 1"),
        (CkSafety, {"c": 0, "k": 1}, "c of ck_safety is 0", "above 0 and at most 1"),
        (CkSafety, {"c": 1.1, "k": 1}, "c of ck_safety is 1.1", "above 0 and at most 1"),
        (CkSafety, {"c": 0.5, "k": -1}, "k of ck_safety is -1", "k must be at least 0"),
        (CkSafety, {"c": 0.5, "k": 1.5}, "k of ck_safety is 1.5", "1 or 2"),
        # Unknown words
        (
            LDiversity,
            {"l": 3, "variant": "entropie"},
            'variant of l_diversity is "entropie"',
            "one of distinct, probabilistic, entropy, recursive",
        ),
        (LDiversity, {"l": 3, "variant": ["distinct"]}, "variant of l_diversity is [", "one of"),
        (
            TCloseness,
            {"t": 0.2, "ground": "euclidean"},
            'ground of t_closeness is "euclidean"',
            "one of equal, ordered, hierarchical",
        ),
        (
            BetaLikeness,
            {"beta": 2, "variant": "extended"},
            'variant of beta_likeness is "extended"',
            "one of basic, enhanced",
        ),
        (BetaLikeness, {"beta": 2, "variant": None}, "variant of beta_likeness is null", "basic"),
        (TCloseness, {"t": 0.2, "ground": None}, "ground of t_closeness is null", "one of equal"),
        # Bandwidths
        (
            BtPrivacy,
            {"bandwidth": 0, "t": 0.2},
            "bandwidth of bt_privacy is 0, which is not",
            "Distances",
        ),
        (
            BtPrivacy,
            {"bandwidth": -1, "t": 0.2},
            "bandwidth of bt_privacy is -1, which is not",
            "Distances",
        ),
        (
            BtPrivacy,
            {"bandwidth": "0.3", "t": 0.2},
            'bandwidth of bt_privacy is "0.3"',
            "Distances",
        ),
        (BtPrivacy, {"bandwidth": True, "t": 0.2}, "bandwidth of bt_privacy is true", "Distances"),
        (BtPrivacy, {"bandwidth": NAN, "t": 0.2}, "bandwidth of bt_privacy is NaN", "Distances"),
        (BtPrivacy, {"bandwidth": None, "t": 0.2}, "bandwidth of bt_privacy is null", "Distances"),
        (
            BtPrivacy,
            {"bandwidth": [0.3], "t": 0.2},
            "bandwidth of bt_privacy is [0.3]",
            "Distances",
        ),
        (
            BtPrivacy,
            {"bandwidth": {}, "t": 0.2},
            "bandwidth of bt_privacy names no attribute",
            "Give",
        ),
        (
            BtPrivacy,
            {"bandwidth": {"age": 0.3, "sex": 0}, "t": 0.2},
            'bandwidth of "sex" of bt_privacy is 0',
            "Distances",
        ),
        (
            BtPrivacy,
            [{"bandwidth": 1, "t": 0.2}, {"bandwidth": {"sex": "1"}, "t": 0.2}],
            'bandwidth of "sex" of adversary 2 of bt_privacy is "1"',
            "Distances",
        ),
    ],
)
def test_what_is_wrong_is_named(
    kind: type[Requirement], value: object, message: str, hint: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        kind.parse(value)
    assert message in caught.value.message
    assert caught.value.detail
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("variant", "listed"), [("distinct", "3"), ("probabilistic", "3.0"), ("entropy", "3.0")]
)
def test_what_counts_comes_back_whole(variant: str, listed: str) -> None:
    (bound,) = LDiversity.parse({"l": 3.0, "variant": variant}).bounds
    assert json.dumps(bound.parameters) == f'{{"l": {listed}, "variant": "{variant}"}}'


@pytest.mark.parametrize("kind", [KAnonymity, LDiversity, TCloseness])
def test_a_number_beyond_all_floats(kind: type[Requirement]) -> None:
    with pytest.raises(InvalidParameter, match="not a number"):
        kind.parse({kind.key[0]: 10**400})
