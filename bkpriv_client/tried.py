"""Policies that were tried: what they state, what came of it, and which of them none beats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bkpriv_core.exploration import WEAK_READER
from bkpriv_core.report.words import reached

__all__ = ["Setting", "front", "losses", "told_apart"]

_BELIEFS, _LEAST = "bt_privacy", "k_anonymity"

_DIGITS = 9
"""Digits by which figures are told apart; what differs beyond is rounding."""

_NEUTRAL = {"overlap", "query_error"}
"""Keys of a policy that bound nothing about people."""

_WEAK = '{"kernel": "uniform"}'
"""Knowledge of the reader who knows only the table's shares."""


@dataclass(frozen=True)
class Setting:
    """One policy that was tried."""

    place: int
    policy: Mapping[str, Any]
    figures: Mapping[str, float | None]
    certified: bool = False
    """Whether its figures are those that publish gives, and no estimates."""

    @property
    def refused(self) -> bool:
        """Whether nothing can be published under it."""
        return "refused" in self.figures

    @cached_property
    def readers(self) -> dict[str, float]:
        """Bounds on readers whom the policy names, the largest t of each, by their knowledge."""
        found: dict[str, float] = {}
        for item in _listed(self.policy.get(_BELIEFS, [])):
            if isinstance(item, Mapping) and isinstance(item.get("t"), int | float):
                known = _written(item.get("bandwidth"))
                found[known] = max(found.get(known, 0.0), float(item["t"]))
        return found

    @property
    def knowledge(self) -> frozenset[str]:
        """Knowledge of these readers."""
        return frozenset(self.readers)

    @property
    def informed(self) -> bool:
        """Whether it bounds by t a reader who knows more than the table's shares."""
        return bool(self.knowledge - {_WEAK})

    @property
    def weak(self) -> bool:
        """Whether it lets the reader who knows only the table's shares become sure of nobody."""
        return self.policy.items() >= WEAK_READER.items()

    @property
    def adversaries(self) -> str:
        """Knowledge of the adversaries of the policy, as text, joined by +."""
        stated = _listed(self.policy.get(_BELIEFS, []))
        known = [_written(item.get("bandwidth")) for item in stated if isinstance(item, Mapping)]
        return "+".join(dict.fromkeys(known))

    @property
    def plain(self) -> bool:
        """Whether it asks for k-anonymity alone."""
        return set(self.policy) - _NEUTRAL == {_LEAST}

    @cached_property
    def change(self) -> float:
        """Probability that a belief of 10 % may become; 1 if that is not known.

        It is the largest disclosure to any reader in per cent, and grows with it.
        """
        bits = self.figures.get("largest_disclosure")
        return 1.0 if bits is None else reached(bits)

    @property
    def left_out(self) -> float | None:
        """Share of the source's records that no view would show, whatever the reason."""
        rows, records = map(self.figures.get, ("rows", "records"))
        return None if rows is None or not records else 1.0 - rows / records

    def least(self, key: str, parameter: str) -> float:
        """Number that a requirement states, the smallest if there are several; 0 for none."""
        stated = [
            item[parameter]
            for item in _listed(self.policy.get(key, []))
            if isinstance(item, Mapping) and isinstance(item.get(parameter), int | float)
        ]
        return float(min(stated, default=0))

    def alone(self, settings: Sequence[Setting]) -> Setting | None:
        """Find k-anonymity alone with the k of this setting, if it was tried."""
        k = self.policy.get(_LEAST)
        return next((one for one in settings if one.plain and one.policy[_LEAST] == k), None)

    def without_readers(self, settings: Sequence[Setting]) -> Setting | None:
        """Find the policy that states the same but no readers, if it was tried."""
        stated = {key: value for key, value in self.policy.items() if key != _BELIEFS}
        return next((one for one in settings if one.policy == stated and not one.refused), None)

    def beyond(self, other: Setting, metric: str) -> float:
        """Figure beyond that of another setting; 0 if either is not known."""
        own, least = self.figures.get(metric), other.figures.get(metric)
        return 0.0 if own is None or least is None else own - least

    def price(self, settings: Sequence[Setting]) -> float | None:
        """Loss beyond k-anonymity alone; None if that is not known."""
        alone, lost = self.alone(settings), losses(settings)
        if alone is None or alone.figures.get(lost) is None or self.figures.get(lost) is None:
            return None
        return self.beyond(alone, lost)

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters that the policy states besides, by short names; none of the weak reader."""
        found: dict[str, dict[str, None]] = {}
        for key, stated in self.policy.items():
            if stated == WEAK_READER.get(key):
                continue
            for item in _listed(stated):
                named = item if isinstance(item, Mapping) else {"": item}
                for name, value in named.items():
                    if (key, name) != (_BELIEFS, "bandwidth"):
                        short = name if len(name) == 1 else f"{key} {name}".strip()
                        found.setdefault(short, {})[_written(value)] = None
        return {name: ", ".join(values) for name, values in found.items()}


def _listed(stated: object) -> list[Any]:
    return stated if isinstance(stated, list) else [stated]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def told_apart(settings: Sequence[Setting]) -> tuple[list[str], dict[str, str]]:
    """Tell which parameters differ between settings, and what the others are.

    What k-anonymity alone does not state does not differ because of that; nor does t where no
    readers are named.
    """
    every = [setting.parameters for setting in settings]
    stated = [item.parameters for item in settings if not item.plain] or every
    names = dict.fromkeys(name for parameters in [*stated, *every] for name in parameters)
    shared = {name: value for name in names if (value := _shared(name, stated, every)) is not None}
    return [name for name in names if name not in shared], shared


def _shared(
    name: str, stated: Sequence[Mapping[str, str]], every: Sequence[Mapping[str, str]]
) -> str | None:
    """Value of a parameter if all that are `stated` have it, and no other has another."""
    values = {parameters.get(name) for parameters in stated}
    values |= {parameters[name] for parameters in every if name in parameters}
    return values.pop() if len(values) == 1 else None


def losses(settings: Sequence[Setting]) -> str:
    """The metric of what is lost: GCP, if any setting has some."""
    return "gcp" if any(setting.figures.get("gcp") for setting in settings) else "query_error"


def front(settings: Sequence[Setting]) -> list[Setting]:
    """Settings of each adversary than which none of the same loses less and changes beliefs less.

    None if that is all of them: it sets none apart.
    """
    lost = losses(settings)
    points = [
        (setting.adversaries, round(x, _DIGITS), round(setting.change, _DIGITS), setting)
        for setting in settings
        if (x := setting.figures.get(lost)) is not None and not setting.plain
    ]
    kept = [
        (x, y, setting.place, setting)
        for against, x, y, setting in points
        if not any(
            other == against and u <= x and v <= y and (u, v) != (x, y) for other, u, v, _ in points
        )
    ]
    best = [setting for *_, setting in sorted(kept, key=lambda point: point[:3])]
    return best if len(best) < len(points) else []
