"""Policies: requirements as stated in JSON, checked and turned into `Requirement` objects.

A policy is a JSON object with one key per requirement; all hold together. Unknown keys are errors,
so that a misspelt requirement is never silently left out. Beside its requirements, which protect
people, a policy may bound the error that analysts bear (`QueryError`), and say what is to be done
about other releases of the same records, since whoever holds two can tell more than from either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from bkpriv_core.errors import InvalidParameter, MissingColumn, as_json
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
    Requirement,
    TCloseness,
)
from bkpriv_core.schema import ErrorText, keys_of, read

__all__ = [
    "NO_VALUES",
    "REQUIREMENTS",
    "SENSITIVE_OR_K",
    "Overlap",
    "Policy",
    "check_sensitive",
    "complete",
    "parse_policy",
]

Overlap = Annotated[
    Literal["certify", "warn", "refuse"],
    ErrorText("It says what is done about other releases of the same records."),
]
"""Treatment of other releases of the same records."""

REQUIREMENTS: dict[str, type[Requirement]] = {
    requirement.key: requirement
    for requirement in (
        KAnonymity,
        LDiversity,
        MaxDisclosure,
        TCloseness,
        BetaLikeness,
        CkSafety,
        BtPrivacy,
        BeliefBreach,
        JsDivergence,
        PairDivergence,
        MInvariance,
    )
}
"""The known requirements by their key in a policy."""


@dataclass(frozen=True)
class Policy:
    """Requirements that a release must keep."""

    requirements: tuple[Requirement, ...]
    """One or more, in the order of `REQUIREMENTS`."""
    query_error: QueryError | None = None
    overlap: Overlap | None = None
    """Whether a release is certified together with others of the same records, or those are pointed
    out, or not borne. Left out, it is certified where that can be done.
    """

    def about(
        self, columns: Sequence[str], combined: bool | None = None, dataset: str | None = None
    ) -> Policy:
        """Apply the policy to a table with such sensitive columns.

        Args:
            dataset: Name of the dataset, for a message.
            combined: Whether the sensitive values are combinations; without it, if there are
                several columns.

        Raises:
            InvalidParameter: If a requirement names another column.
            Unsupported: If one is not defined for several.
            MissingColumn: If there are none, and a requirement is about their values.
        """
        if dataset is not None:
            of_values = [item.key for item in self.requirements if item.of_values]
            check_sensitive(dataset, columns, of_values)
        several = len(columns) > 1 if combined is None else combined
        demanded = (item.about(columns, several) for item in self.requirements)
        return replace(self, requirements=tuple(one for many in demanded for one in many))


NO_VALUES = "This is about what is disclosed of sensitive values."
"""Detail of errors about a dataset without a sensitive column."""

SENSITIVE_OR_K = "Register the dataset with a sensitive column, or use only k_anonymity."
"""Hint of such errors."""


def check_sensitive(dataset: str, columns: Sequence[object], asked: Sequence[str]) -> None:
    """Refuse what needs sensitive values, of a dataset without a sensitive column.

    Args:
        columns: The sensitive columns.
        asked: Names of what is asked and needs them.

    Raises:
        MissingColumn: If anything is asked, and there are no columns.
    """
    if asked and not columns:
        raise MissingColumn(
            f"{', '.join(asked)} need{'s' * (len(asked) == 1)} a sensitive column, and dataset "
            f'"{dataset}" has none',
            detail=NO_VALUES,
            hint=SENSITIVE_OR_K,
        )


def parse_policy(policy: object, *, complete: bool = True) -> Policy:
    """Read a policy.

    Args:
        policy: Decoded JSON, such as ``{"k_anonymity": {"k": 5}}``.
        complete: Whether it must state a requirement, as what is to be published must keep one; an
            audit may ask for the error of queries alone.

    Raises:
        InvalidParameter: If it is not an object, states nothing, or no requirement where there must
            be one, or has an unknown key or an invalid value.
    """
    beside = {"overlap", QueryError.key} if complete else {"overlap"}
    if not isinstance(policy, Mapping) or not policy.keys() - beside:
        raise InvalidParameter(
            "a policy must be a JSON object that states at least one requirement",
            detail=f"It is {as_json(policy)}.",
            hint='Write for example {"k_anonymity": {"k": 5}}. Requirements are '
            f"{', '.join(REQUIREMENTS)}; {QueryError.key} and overlap may stand beside them.",
        )
    stated = keys_of(
        policy, "a policy", (*REQUIREMENTS, QueryError.key, "overlap"), noun="requirement"
    )
    return Policy(
        tuple(
            requirement
            for key, item in REQUIREMENTS.items()
            if key in stated
            for requirement in item.parse_all(stated[key])
        ),
        QueryError.parse(stated[QueryError.key]) if QueryError.key in stated else None,
        read(Overlap, stated["overlap"], "overlap") if "overlap" in stated else None,
    )


_OPEN = (JsDivergence.key, PairDivergence.key)
"""Requirements that may leave open what adversaries know."""


def complete(stated: object, customary: Callable[[str], Any]) -> object:
    """Put the knowledge that is customary into requirements that leave it open.

    Args:
        stated: Decoded JSON of a policy.
        customary: Gives the knowledge, as decoded JSON, that a requirement means, by its key.
            Called only if it is needed.

    Returns:
        The same, but for the bandwidth of ``js_divergence`` and ``pair_divergence``. What is no
        valid policy is left for `parse_policy` to refuse.
    """
    if not isinstance(stated, Mapping):
        return stated

    def completed(key: str, diverging: object) -> object:
        if isinstance(diverging, list):
            items = [completed(key, item) for item in diverging]
            same = all(one is other for one, other in zip(items, diverging, strict=True))
            return diverging if same else items
        if not isinstance(diverging, Mapping) or diverging.get("bandwidth") is not None:
            return diverging
        return {**diverging, "bandwidth": customary(key)}

    known = {key: completed(key, stated[key]) for key in _OPEN if key in stated}
    if all(item is stated[key] for key, item in known.items()):
        return stated
    return {**stated, **known}
