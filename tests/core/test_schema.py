"""Values stated in JSON: read, or refused where they are wrong, whatever they are."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.schema import Choice, ErrorText, Range, read


@dataclass(frozen=True)
class Point:
    """An object with required keys and others."""

    x: Annotated[float, Range(above=0, at_most=1), ErrorText("It is an abscissa.", "Try 0.5.")]
    n: Annotated[int, Range(at_least=1)] = 7
    most: Annotated[int, Range(at_least=0)] | None = None
    least: Annotated[float | None, Range(below=3)] = None
    word: Literal["a", "b"] = "a"
    other: Annotated[str, Choice(("c", "d"))] = "c"
    flag: bool = False
    name: str = "p"


Path = Annotated[tuple[Point, ...], ErrorText(hint="Write a list.", item="point")]
Place = (
    Point | Annotated[Mapping[str, Annotated[float, Range(above=0)]], ErrorText(item="axis")] | int
)


@dataclass(frozen=True)
class Drawing:
    """An object whose keys are called something else, of shapes within shapes."""

    noun: ClassVar[str] = "part"

    path: Path = ()
    place: Place = 0


@dataclass(frozen=True)
class Span:
    """An object that looks like one by all of its keys."""

    closed: ClassVar[bool] = True

    low: float
    high: float
    steps: int = 2


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1e300, 10**400, math.nan, math.inf, "a", "c", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "n", "most", "least", "word", "name", "z"]), inner)
    ),
    max_leaves=8,
)


def is_number(value: object, low: float, high: float) -> bool:
    """Whether a value is a number strictly between two."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low < value < high


VALID: dict[str, Any] = {
    "x": lambda value: is_number(value, 0, 1) or (is_number(value, 0, 2) and value == 1),
    "n": lambda value: is_number(value, 0, 1e308) and value == int(value),
    "most": lambda value: value is None or (is_number(value, -1, 1e308) and value == int(value)),
    "least": lambda value: is_number(value, -1e308, 3),
    "word": lambda value: value in ("a", "b"),
    "other": lambda value: value in ("c", "d"),
    "flag": lambda value: isinstance(value, bool),
    "name": lambda value: isinstance(value, str) and value != "",
}


@given(
    st.dictionaries(st.sampled_from([*VALID, "z"]), json_values)
    | st.fixed_dictionaries(
        {"x": st.sampled_from([0.5, 1, 1.5, 0])},
        optional=dict.fromkeys(VALID.keys() - {"x"}, json_values),
    )
)
def test_an_object_is_read_exactly_where_each_key_is_valid(value: dict[str, Any]) -> None:
    wrong = [key for key, item in value.items() if key not in VALID or not VALID[key](item)]
    if "x" in value and not wrong:
        point = read(Point, value, "p")
        assert point == Point(**value)
        assert type(point.n) is int
        assert type(point.x) is float
        return
    with pytest.raises(InvalidParameter) as caught:
        read(Point, value, "p")
    named = [*wrong, *({"x"} - value.keys())]
    assert any(
        caught.value.message.startswith((f"{key} of p ", f'p has no key "{key}"', "p lacks the"))
        for key in named
    )
    assert caught.value.detail
    assert caught.value.hint


@given(json_values, st.sampled_from([Point, Drawing, Path, Place, bool, int, float, str]))
def test_whatever_is_stated_is_read_or_refused(value: object, kind: Any) -> None:
    for stated in (value, {"path": value}, {"place": value}):
        with suppress(InvalidParameter):
            read(kind, stated, "it")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "it must be a JSON object, not 3"),
        ({"line": 1}, 'there is no part "line"'),
        ({"path": []}, "part path lists no point"),
        ({"path": {"x": 7}}, "x of part path is 7, which is not above 0 and at most 1"),
        (
            {"path": [{"x": 1}, {"x": 0}]},
            "x of point 2 of part path is 0, which is not above 0 and",
        ),
        ({"path": [{"x": 1}, {}]}, 'point 2 of part path lacks the key "x"'),
        ({"place": {}}, "part place names no axis"),
        ({"place": {"u": 1, "v": "1"}}, 'part place of "v" is "1", which is not a number'),
        ({"place": {"word": "z"}}, 'part place lacks the key "x"'),
        ({"place": {"word": "z", "x": 1}}, 'word of part place is "z"'),
        ({"place": {"word": 4, "v": 2}}, None),
        ({"place": 1.5}, "part place is 1.5, which is not a whole number"),
        ({"place": None}, "part place is null, which is not a number"),
        ({"path": {"x": 1, "name": 1}}, "name of part path is 1"),
        ({"path": {"x": 1, "least": 3}}, "least of part path is 3, which is not below 3"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(value: object, message: str | None) -> None:
    if message is None:
        assert read(Drawing, value, "it").place == {"word": 4.0, "v": 2.0}
        return
    with pytest.raises(InvalidParameter) as caught:
        read(Drawing, value, "it")
    assert caught.value.message.startswith(message)


def test_what_a_type_says_about_itself_is_told() -> None:
    with pytest.raises(InvalidParameter) as caught:
        read(Point, {"x": "1"}, "p")
    assert caught.value.detail == "x must be above 0 and at most 1. It is an abscissa."
    assert caught.value.hint == "Write x as a JSON number. Try 0.5."
    with pytest.raises(InvalidParameter) as caught:
        read(Path, [], "path")
    assert caught.value.hint == "State one point or more. Write a list."


@pytest.mark.parametrize(
    ("span", "text", "inside", "outside"),
    [
        (Range(), "finite", [0, -1e308], []),
        (Range(above=0), "above 0", [1e-300], [0, -1]),
        (Range(at_least=1), "at least 1", [1, 2], [0.99]),
        (Range(at_least=0, at_most=1), "between 0 and 1", [0, 1], [-0.1, 1.1]),
        (Range(above=0, at_most=1), "above 0 and at most 1", [0.1, 1], [0, 1.01]),
        (Range(at_least=0, below=1), "at least 0 and below 1", [0, 0.99], [1, -0.1]),
    ],
)
def test_bounds_of_numbers(
    span: Range, text: str, inside: list[float], outside: list[float]
) -> None:
    assert str(span) == text
    assert [number in span for number in (*inside, *outside)] == [True] * len(inside) + [
        False
    ] * len(outside)


def test_values_in_messages_are_json() -> None:
    for value in (None, True, [1], {"a": None}):
        with pytest.raises(InvalidParameter) as caught:
            read(Annotated[str, Choice(("c",))], value, "word")
        assert caught.value.message == f"word is {json.dumps(value)}"


def test_an_object_is_a_closed_one_by_its_keys() -> None:
    kind = Span | Mapping[str, float]
    assert read(kind, {"low": 1, "high": 2}, "it") == Span(1.0, 2.0)
    for stated in ({"low": 1, "other": 2}, {"steps": 3}, {"other": 1}):
        assert read(kind, stated, "it") == stated
    with pytest.raises(InvalidParameter, match='it lacks the key "high"'):
        read(kind, {"low": 1, "steps": 3}, "it")
