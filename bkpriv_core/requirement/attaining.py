"""Attainable figures: requirements that the whole table breaks, or that every release meets.

Both are refused where a policy meets a table, with the figure that decides it and what would do. A
bound that cannot bind promises nothing, whoever states it believes otherwise. If unions of groups
keep a requirement, and the whole table as one group breaks it, no release meets it. For beliefs
that does not follow: smaller groups may each agree with an adversary's prior, and their union may
not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bkpriv_core.belief.posterior import AUTO_STATES, exact_states
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement, as_json
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement.base import Bound, Requirement
from bkpriv_core.table.groups import Groups

__all__ = ["binds", "check_attainable", "check_binding"]


def check_attainable(requirements: Sequence[Requirement], threat: ThreatModel) -> None:
    """Refuse requirements that one group of the whole table does not meet.

    Beliefs about it are inferred by ``auto``; a table beyond the budget of exact inference passes
    by omega alone. Requirements that small groups may meet and large ones break are passed over.

    Raises:
        UnattainableRequirement: Names the requirement and what the whole table attains.
    """
    parts = threat.parts
    whole = Groups.whole(len(parts))
    (states,) = exact_states(whole, parts.weights, parts.histograms(whole))
    for requirement in requirements:
        if not requirement.coarse:
            continue
        # Nothing else is as fast as omega in a group so large. Only a refusal must rest on more.
        if states > AUTO_STATES and requirement.satisfied(threat, whole, "omega").all():
            continue
        measured = requirement.measure(threat, whole, "auto")
        for bound, figures in zip(requirement.bounds, measured.figures, strict=True):
            if bound.broken(figures).any():
                worst = bound.worst(figures)
                raise UnattainableRequirement(
                    f"{bound.requirement} {_words(bound.parameters)} " + _verdict(requirement),
                    detail=f"The requirement is {bound.relation} {bound.threshold:g}; "
                    f"the whole table attains {'' if measured.exact.all() else 'about '}"
                    f"{worst:.6g}.{_reservation(requirement)}",
                    hint=_remedy(bound, worst),
                )


def check_binding(
    requirements: Sequence[Requirement], threat: ThreatModel, progress: Progress = SILENT
) -> None:
    """Refuse requirements that any groups of the table meet.

    Only bounds from above are looked at, of figures that have one (`Requirement.most`), and not
    where that is 0: of a table of one value nothing can be told.

    Raises:
        InvalidParameter: Names the requirement, what no figure exceeds, and what would bind.
    """
    for requirement in requirements:
        for bound, most in zip(requirement.bounds, requirement.most(threat, progress), strict=True):
            if not binds(bound, most):
                raise InvalidParameter(
                    f"{bound.requirement} {_words(bound.parameters)} cannot bind: any groups of "
                    "this table meet it",
                    detail=f"The requirement is {bound.relation} {bound.threshold:g}; no figure "
                    f"can exceed {most:.6g}.",
                    hint=f"Set {bound.bounded} below {_below(most)}, or leave it out.",
                )


def binds(bound: Bound, most: float) -> bool:
    """Whether a bound can be broken where figures are at most so large."""
    return not bound.upper or most <= 0 or bool(bound.broken(np.array([most])).any())


def _below(most: float) -> str:
    """Six digits of a threshold that is not above the largest figure."""
    nearest = float(f"{most:.6g}")
    if nearest > most:
        nearest -= 10.0 ** (np.floor(np.log10(most)) - 5)
    return f"{nearest:.6g}"


def _verdict(requirement: Requirement) -> str:
    """Say what it means that the whole table breaks it."""
    if requirement.monotone:
        return "cannot be met, not even by one group of the whole table"
    return "is not met by one group of the whole table"


def _reservation(requirement: Requirement) -> str:
    """Say what it does not mean."""
    return "" if requirement.monotone else " Smaller groups might meet it; they are not tried."


def _words(parameters: Mapping[str, Any]) -> str:
    texts = (
        f"{key} = {value if isinstance(value, str) else as_json(value)}"
        for key, value in parameters.items()
    )
    return f"({', '.join(texts)})"


def _remedy(bound: Bound, attained: float) -> str:
    """Say what to require where the whole table attains no better figure."""
    if np.isinf(attained):
        return f"No {bound.bounded} is attained here: ease another of the parameters."
    figure = _attainable(bound, attained)
    if bound.strict:
        return f"Set {bound.bounded} {'above' if bound.upper else 'below'} {figure}."
    return f"Set {bound.bounded} to {figure} or {'more' if bound.upper else 'less'}."


def _attainable(bound: Bound, attained: float) -> str:
    """Six digits of a threshold that is attained, rounded to the side that is."""
    nearest = float(f"{attained:.6g}")
    if replace(bound, threshold=nearest, strict=False).broken(np.array([attained])).any():
        step = 10.0 ** (np.floor(np.log10(abs(attained))) - 5)
        nearest += step if bound.upper else -step
    return f"{nearest:.6g}"
