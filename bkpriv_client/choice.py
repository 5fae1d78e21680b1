"""Choice of roles for the columns of a file, where they are not stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bkpriv_client.failure import ClientError
from bkpriv_client.proposal import Looked

__all__ = ["choose_roles"]


def choose_roles(
    names: Sequence[str],
    title: str,
    parts: Mapping[str, list[str]],
    *,
    looked: Mapping[str, Looked],
) -> tuple[dict[str, list[str]], dict[str, str], list[str]]:
    """Choose the sensitive column and the quasi-identifiers where they are not stated.

    Returns:
        Columns left out, with the reason: what they look like.

    Raises:
        ClientError: If no column is left for one of them.
    """
    free = _free(names, parts)
    wanted = [part for part in ("sensitive", "quasi_identifiers") if part not in parts]
    chosen = dict(parts)
    if "respondent" not in parts and "quasi_identifiers" in wanted:
        chosen |= _respondent(free, looked)
        free = _free(names, chosen)
    apart = _without_role(free, looked) if wanted and looked else {}
    if len(free) - len(apart) < len(wanted):
        apart = {}  # What is left would make no dataset; registration warns of them.
    left = [name for name in free if name not in apart]
    if len(left) < len(wanted):
        raise ClientError(
            f"no column of {title} is left for --{wanted[-1].replace('_', '-')}",
            hint="A dataset has quasi-identifiers and something sensitive.",
        )
    if "sensitive" in wanted:
        chosen["sensitive"] = _sensitive(left, looked)
        left = [name for name in left if name not in chosen["sensitive"]]
    if "quasi_identifiers" in wanted:
        chosen["quasi_identifiers"], left = left, []
    return chosen, apart, left


def _free(names: Sequence[str], parts: Mapping[str, list[str]]) -> list[str]:
    """Columns of which no part is stated."""
    stated = {name for those in parts.values() for name in those}
    return [name for name in names if name not in stated]


def _respondent(names: Sequence[str], looked: Mapping[str, Looked]) -> dict[str, list[str]]:
    """Column that looks like that of whose record it is, as a part, if there is one."""
    found = [name for name in names if name in looked and looked[name].role == "respondent"]
    return {"respondent": found[:1]} if found else {}


def _without_role(names: Sequence[str], looked: Mapping[str, Looked]) -> dict[str, str]:
    """Columns for which no role is proposed, and the reasons."""
    of_these = {name: looked[name] for name in names if name in looked}
    roles = ("quasi_identifiers", "sensitive")
    return {name: each.reason for name, each in of_these.items() if each.role not in roles}


def _sensitive(names: Sequence[str], looked: Mapping[str, Looked]) -> list[str]:
    """Columns that look sensitive, unless all do; or else the last."""
    told = [name for name in names if name in looked and looked[name].role == "sensitive"]
    return told if told and len(told) < len(names) else [names[-1]]
