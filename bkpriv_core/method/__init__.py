"""Methods of publication: how a release is made, and how its records are shown.

=========================  =================================================  ===========
method                     groups                                             shown
=========================  =================================================  ===========
``agglomerate``            `agglomerate`                                      generalized
``mondrian``               `mondrian`                                         generalized
``bucketize``              `mondrian`                                         bucketized
``anatomy``                `anatomy`, by the l of the policy's l-diversity;   anatomized
                           `coarsen` where other requirements fail
``js_reduce``              `grow`, along Hilbert's curve; `insert` what is    generalized
                           left over
``k_anonymity_primacy``    `nearest_classes` in clusters of like beliefs;     generalized
                           `insert` what is left over
``beta_likeness_primacy``  `proportional_classes` in such clusters; `insert`  generalized
                           what is left over
``microaggregate``         `microaggregate`, by the k of the policy's         generalized
                           k-anonymity
``incognito``              equal values after full-domain generalization;     generalized
                           the minimal node of least cost
``randomize``              none: records drawn one by one                     randomized
=========================  =================================================  ===========

What lives here puts a partitioning together with what it needs and yields, one module for each. A
method is given a setting, requirements and its own options, and returns what was made; who asks for
it knows neither how that was done nor which options decided it. `baseline` makes what a release is
compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.method.base import GroupMethod, Job, Method, Own, ReleaseMaker, Result
from bkpriv_core.method.options import GroupOptions, Options, RefinedOptions
from bkpriv_core.schema import near, read

__all__ = [
    "DEFAULT_METHOD",
    "GROUP_METHODS",
    "METHODS",
    "GroupMethod",
    "GroupOptions",
    "Job",
    "Method",
    "Options",
    "Own",
    "RefinedOptions",
    "ReleaseMaker",
    "Result",
    "find_method",
    "parse_options",
]


class _Methods(Mapping[str, Method[Any]]):
    """Methods by name, each imported when it is asked for: to read a release takes none."""

    def __init__(self, **classes: str) -> None:
        self._classes = classes
        self._made: dict[str, Method[Any]] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __getitem__(self, name: str) -> Method[Any]:
        if name not in self._made:
            module, _, kind = self._classes[name].partition(".")
            self._made[name] = getattr(import_module(f"bkpriv_core.method.{module}"), kind)()
        return self._made[name]


_OF_GROUPS = {
    "agglomerate": "agglomerate.Agglomerate",
    "mondrian": "mondrian.Mondrian",
    "bucketize": "mondrian.Bucketize",
    "anatomy": "anatomy.Anatomy",
    "js_reduce": "js_reduce.JsReduce",
    "k_anonymity_primacy": "primacy.KAnonymityPrimacy",
    "beta_likeness_primacy": "primacy.BetaLikenessPrimacy",
    "microaggregate": "microaggregate.Microaggregate",
    "incognito": "full_domain.Incognito",
}

GROUP_METHODS: Mapping[str, GroupMethod[Any]] = _Methods(**_OF_GROUPS)  # type: ignore[assignment]
"""The methods that form groups, by name."""

METHODS: Mapping[str, Method[Any]] = _Methods(**_OF_GROUPS, randomize="randomize.Randomize")
"""All methods by name."""

DEFAULT_METHOD = "agglomerate"
"""The method where none is stated, also in the functions of SQL."""


def find_method(name: object) -> Method[Any]:
    """Look a method up.

    Raises:
        InvalidParameter: If there is none of that name.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise InvalidParameter(
            f"there is no method {as_json(name)}",
            detail="A method makes what is published.",
            hint=f"{near(name, METHODS)}Methods are {', '.join(METHODS)}.",
        )
    return METHODS[name]


def parse_options(method: Method[Own], stated: object) -> Own:
    """Read the options of a method from decoded JSON.

    Raises:
        InvalidParameter: If it is not an object, or has an invalid value or a key that the method
            does not know, be it one of another method.
    """
    if isinstance(stated, Mapping):
        for key in sorted(stated.keys() - _names(method)):
            others = [name for name, other in METHODS.items() if key in _names(other)]
            if others:
                named = f"method {' or '.join(others)}"
                raise InvalidParameter(
                    f"option {key} means nothing to method {method.name}",
                    detail=f"It is an option of {named}.",
                    hint=f"Leave it out, or publish with {named}.",
                )
    options: Own = read(method.options, stated, "options")
    return options


def _names(method: Method[Any]) -> set[str]:
    return {field.name for field in fields(method.options)}
