"""Options of methods as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GROUP_METHODS, METHODS, GroupOptions, RefinedOptions, parse_options
from bkpriv_core.method.full_domain import IncognitoOptions
from bkpriv_core.method.mondrian import MondrianOptions


def test_defaults() -> None:
    expected: dict[str, Any] = {
        "estimator": "auto",
        "materialized": False,
        "nulls": "error",
        "unfit": "suppress",
        "beyond": "estimate",
        "seed": None,
    }
    assert parse_options(METHODS["anatomy"], {}) == GroupOptions(**expected)
    assert parse_options(METHODS["agglomerate"], {}) == RefinedOptions(**expected, refine=True)
    for name in ("mondrian", "bucketize"):
        assert parse_options(METHODS[name], {}) == MondrianOptions(**expected, refine=True)
    chosen = IncognitoOptions(**expected, utility="discernibility", suppression=0.0)
    assert parse_options(METHODS["incognito"], {}) == chosen


def test_every_option_is_read() -> None:
    stated = {
        "estimator": "exact",
        "materialized": True,
        "nulls": "category",
        "unfit": "suppress",
        "beyond": "suppress",
        "seed": 7,
    }
    for method in GROUP_METHODS.values():
        assert parse_options(method, stated) == method.options(**stated)
    assert parse_options(METHODS["mondrian"], stated | {"refine": False}) == MondrianOptions(
        **stated,  # type: ignore[arg-type]
        refine=False,
    )
    stated |= {"utility": "kl", "suppression": 0.01}
    assert parse_options(METHODS["incognito"], stated) == IncognitoOptions(**stated)  # type: ignore[arg-type]
    assert parse_options(METHODS["mondrian"], {"seed": None}) == MondrianOptions()


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"utility": "beauty"}, 'utility is "beauty"', "discernibility, average_class_size, gcp"),
        ({"suppression": "1%"}, 'suppression is "1%"', "0.01"),
        ({"suppression": True}, "suppression is true", "0.01"),
        ({"suppression": -0.1}, "suppression is -0.1", "at least 0"),
        ({"suppression": 1}, "suppression is 1", "below 1"),
        ([], "must be a JSON object", "{}"),
        (None, "must be a JSON object", "{}"),
        ({"estimater": "exact"}, 'no option "estimater"', "estimator, unfit"),
        ({"estimator": "bethel"}, '"bethel"', "auto, exact, bethe, omega"),
        ({"estimator": {}}, "{}", "auto, exact, bethe, omega"),
        ({"estimator": None}, "null", "auto, exact, bethe, omega"),
        ({"materialized": 1}, "materialized must be true or false", "materialized"),
        ({"materialized": "true"}, "materialized must be true or false", "materialized"),
        ({"nulls": "ignore"}, 'option nulls is "ignore"', "error, category"),
        ({"nulls": ["error"]}, 'option nulls is ["error"]', "error, category"),
        ({"unfit": "drop"}, 'option unfit is "drop"', "suppress"),
        ({"beyond": "exact"}, 'option beyond is "exact"', "estimate, suppress"),
        ({"beyond": None}, "option beyond is null", "estimate, suppress"),
        ({"beyond": "suppress", "estimator": "omega"}, "nothing to the estimator omega", "auto"),
        ({"beyond": "suppress", "estimator": "bethe"}, "nothing to the estimator bethe", "auto"),
        ({"seed": 1.5}, "option seed is 1.5", "Leave it out"),
        ({"seed": -1}, "option seed is -1", "Leave it out"),
        ({"seed": True}, "option seed is true", "Leave it out"),
        ({"seed": "7"}, 'option seed is "7"', "Leave it out"),
    ],
)
def test_what_is_wrong_is_named(options: object, message: str, hint: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_options(METHODS["incognito"], options)
    assert message in caught.value.message
    assert caught.value.detail
    assert hint in caught.value.hint


@pytest.mark.parametrize("name", ["mondrian", "agglomerate", "bucketize", "anatomy"])
@pytest.mark.parametrize(
    ("key", "value", "whose"),
    [("utility", "gcp", "incognito or randomize"), ("suppression", 0.1, "incognito")],
)
def test_an_option_of_another_method_is_refused_with_that_method(
    name: str, key: str, value: object, whose: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_options(METHODS[name], {"seed": 1, key: value})
    assert caught.value.message == f"option {key} means nothing to method {name}"
    assert caught.value.detail
    assert caught.value.hint == f"Leave it out, or publish with method {whose}."
