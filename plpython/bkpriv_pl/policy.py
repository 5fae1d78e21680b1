"""Policies: storing and finding named requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bkpriv_core.policy import parse_policy
from bkpriv_pl.boundary import Refusal, decode, entry, from_json, require, run
from bkpriv_pl.knowledge import PriorTables

__all__ = ["StatedPolicy", "find_policy", "set_policy"]


@dataclass(frozen=True)
class StatedPolicy:
    """A policy as it was stated.

    Parameters
    ----------
    requirements : dict
        Decoded JSON.
    own : bool
        Whether it is the caller's own.
    """

    requirements: dict[str, Any]
    own: bool

    @property
    def library(self) -> PriorTables:
        """Where its prior tables are read: of others' policies, trusted ones only."""
        return PriorTables(self.own)


def find_policy(name: str | None) -> StatedPolicy:
    """Look a policy up.

    Raises
    ------
    Refusal
        If there is none of that name.
    """
    name = require(name, "policy")
    rows = run(
        "SELECT bkpriv_internal.meant(requirements, smoothing) AS requirements, "
        "owner = current_user AS own FROM bkpriv.policy WHERE name = $1",
        ["text"],
        [name],
    )
    if not rows:
        listed = ", ".join(
            row["name"] for row in run("SELECT name FROM bkpriv.policy ORDER BY name LIMIT 8")
        )
        raise Refusal(
            "42704",
            f'policy "{name}" does not exist',
            detail=f"Policies are: {listed}." if listed else "There are no policies yet.",
            hint="State it with bkpriv.set_policy(name, requirements).",
        )
    return StatedPolicy(decode(rows[0]["requirements"], f'policy "{name}"'), rows[0]["own"])


@entry
def set_policy(name: str | None, requirements: str | None) -> str:
    """See ``bkpriv.set_policy``."""
    name = require(name, "name of the policy")
    parse_policy(from_json(requirements, "requirements"))
    # Whoever inserts first has the name, whatever others do at the same time.
    if run(
        "INSERT INTO bkpriv.policy (name, requirements, smoothing) VALUES ($1, $2, NULL) "
        "ON CONFLICT (name) DO NOTHING RETURNING name",
        ["text", "jsonb"],
        [name, requirements],
    ):
        return name
    if run(
        "UPDATE bkpriv.policy SET requirements = $2, set_at = now(), smoothing = NULL "
        "WHERE name = $1 RETURNING name",
        ["text", "jsonb"],
        [name, requirements],
    ):
        return name
    raise Refusal(
        "42501",
        f'must be owner of policy "{name}"',
        detail="It was stated by another role.",
        hint="Choose another name; policies of others may be used but not changed.",
    )
