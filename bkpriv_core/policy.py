"""Policies: requirements as stated in JSON, checked and turned into `Requirement` objects.

A policy is a JSON object with one key per requirement; all hold together. Unknown keys are errors,
so that a misspelt requirement is never silently left out.
"""

from __future__ import annotations

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.requirement import BtPrivacy, KAnonymity, LDiversity, Requirement, TCloseness

__all__ = ["REQUIREMENTS", "parse_policy"]

REQUIREMENTS: dict[str, type[Requirement]] = {
    requirement.key: requirement for requirement in (KAnonymity, LDiversity, TCloseness, BtPrivacy)
}
"""The known requirements by their key in a policy."""


def parse_policy(policy: object) -> tuple[Requirement, ...]:
    """Read a policy.

    Parameters
    ----------
    policy : object
        Decoded JSON, such as ``{"k_anonymity": {"k": 5}}``.

    Returns
    -------
    tuple of Requirement
        In the order of `REQUIREMENTS`.

    Raises
    ------
    InvalidParameter
        If it is not an object, states nothing, or has an unknown key or an invalid value.
    """
    known = ", ".join(REQUIREMENTS)
    if not isinstance(policy, dict) or not policy:
        raise InvalidParameter(
            "a policy must be a JSON object that states at least one requirement",
            detail=f"It is {policy!r}.",
            hint=f'Write for example {{"k_anonymity": {{"k": 5}}}}. Requirements are {known}.',
        )
    for key in policy:
        if key not in REQUIREMENTS:
            raise InvalidParameter(
                f'there is no requirement "{key}"',
                detail="A misspelt requirement would never be enforced.",
                hint=f"Requirements are {known}.",
            )
    return tuple(
        requirement.parse(policy[key]) for key, requirement in REQUIREMENTS.items() if key in policy
    )
