"""Policies: requirements as stated in JSON, checked and turned into `Requirement` objects.

A policy is a JSON object with one key per requirement; all hold together. Unknown keys are errors,
so that a misspelt requirement is never silently left out. Beside its requirements, which protect
people, a policy may bound the error that analysts bear (`QueryError`), and say what is to be done
about other releases of the same records: whoever holds two can tell more than from either, and
each is certified by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.query.bound import QueryError
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    KAnonymity,
    LDiversity,
    Requirement,
    TCloseness,
)

__all__ = ["REQUIREMENTS", "Overlap", "Policy", "parse_policy"]

Overlap = Literal["warn", "refuse"]
"""What is done about other releases of the same records."""

_OVERLAP = "overlap"

REQUIREMENTS: dict[str, type[Requirement]] = {
    requirement.key: requirement
    for requirement in (KAnonymity, LDiversity, TCloseness, BetaLikeness, CkSafety, BtPrivacy)
}
"""The known requirements by their key in a policy."""


@dataclass(frozen=True)
class Policy:
    """What a release must keep.

    Parameters
    ----------
    requirements : tuple of Requirement
        One or more, in the order of `REQUIREMENTS`.
    query_error : QueryError, optional
        The bound on the error of queries.
    overlap : {"warn", "refuse"}
        Whether other releases of the same records are pointed out, or not borne.
    """

    requirements: tuple[Requirement, ...]
    query_error: QueryError | None = None
    overlap: Overlap = "warn"


def parse_policy(policy: object, *, complete: bool = True) -> Policy:
    """Read a policy.

    Parameters
    ----------
    policy : object
        Decoded JSON, such as ``{"k_anonymity": {"k": 5}}``.
    complete : bool
        Whether it must state a requirement, as what is to be published must keep one; an audit may
        ask for the error of queries alone.

    Returns
    -------
    Policy

    Raises
    ------
    InvalidParameter
        If it is not an object, states nothing, or no requirement where there must be one, or has an
        unknown key or an invalid value.
    """
    known = ", ".join(REQUIREMENTS)
    beside = {_OVERLAP, QueryError.key} if complete else {_OVERLAP}
    if not isinstance(policy, dict) or not policy.keys() - beside:
        raise InvalidParameter(
            "a policy must be a JSON object that states at least one requirement",
            detail=f"It is {as_json(policy)}.",
            hint=f'Write for example {{"k_anonymity": {{"k": 5}}}}. Requirements are {known}; '
            f"{QueryError.key} may be bounded beside them, and {_OVERLAP} be refused.",
        )
    for key in policy:
        if key not in REQUIREMENTS and key not in (_OVERLAP, QueryError.key):
            raise InvalidParameter(
                f'there is no requirement "{key}"',
                detail="A misspelt requirement would never be enforced.",
                hint=f"Requirements are {known}; {QueryError.key} may be bounded beside them, and "
                f"{_OVERLAP} be refused.",
            )
    return Policy(
        tuple(item.parse(policy[key]) for key, item in REQUIREMENTS.items() if key in policy),
        QueryError.parse(policy[QueryError.key]) if QueryError.key in policy else None,
        _overlap(policy.get(_OVERLAP, "warn")),
    )


def _overlap(stated: object) -> Overlap:
    """Read what is to be done about other releases of the same records."""
    for choice in get_args(Overlap):
        if stated == choice:
            return choice  # type: ignore[no-any-return]
    raise InvalidParameter(
        f"{_OVERLAP} is {as_json(stated)}",
        detail="There is no such choice. Releases are not judged together yet, so that none can be "
        "certified together with others."
        if stated == "certify"
        else "There is no such choice.",
        hint=f"It must be one of {', '.join(get_args(Overlap))}.",
    )
