"""Policies: storing and finding named requirements."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bkpriv_core.policy import parse_policy
from bkpriv_pl.server.boundary import Refusal, decode, entry, from_json, require, run
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.source import open_relation, seen_in

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
    table_owners : tuple of str
        Owners of its prior tables when it was set, but for its owner.
    """

    requirements: dict[str, Any]
    own: bool
    table_owners: tuple[str, ...]

    @property
    def library(self) -> PriorTables:
        """Source of its prior tables: of others' policies, trusted ones only."""
        return PriorTables(self.own, owners=self.table_owners)


def find_policy(name: str | None) -> StatedPolicy:
    """Look a policy up.

    Raises
    ------
    Refusal
        If there is none of that name.
    """
    name = require(name, "policy")
    rows = run(
        "SELECT requirements, owner = current_user AS own, table_owners "
        "FROM bkpriv.policy WHERE name = $1",
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
    row = rows[0]
    requirements = decode(row["requirements"], f'policy "{name}"')
    return StatedPolicy(requirements, row["own"], tuple(row["table_owners"]))


@entry
def set_policy(name: str | None, requirements: str | None) -> str:
    """See ``bkpriv.set_policy``."""
    name = require(name, "name of the policy")
    stated = from_json(requirements, "requirements")
    parse_policy(stated)
    values = [name, requirements, sorted(_owners_of_tables(stated))]
    # Whoever inserts first has the name, whatever others do at the same time.
    if run(
        "INSERT INTO bkpriv.policy (name, requirements, table_owners) "
        "VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING name",
        ["text", "jsonb", "text[]"],
        values,
    ):
        return name
    if run(
        "UPDATE bkpriv.policy SET requirements = $2, set_at = now(), table_owners = $3 "
        "WHERE name = $1 RETURNING name",
        ["text", "jsonb", "text[]"],
        values,
    ):
        return name
    raise Refusal(
        "42501",
        f'must be owner of policy "{name}"',
        detail="It was stated by another role.",
        hint="Choose another name; policies of others may be used but not changed.",
    )


def _owners_of_tables(requirements: Any) -> set[str]:
    """Return whom who names tables in requirements trusts; in what cannot be looked up, nobody."""
    if isinstance(requirements, list):
        return set().union(*map(_owners_of_tables, requirements))
    if not isinstance(requirements, dict):
        return set()
    owners = _owners_of_tables(list(requirements.values()))
    name = requirements.get("table")
    if isinstance(name, str):
        with suppress(Refusal):  # A table may be made later: then nobody else is trusted with it.
            owners.update(seen_in(open_relation(name)))
    return owners
