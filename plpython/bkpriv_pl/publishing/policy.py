"""Policies: storing and finding named requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import parse_policy
from bkpriv_core.schema import near
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, decode, entry, from_json, require, require_name, run
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.dataset import ORDER
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = ["StatedPolicy", "find_policy", "refuse_name", "set_policy"]


@dataclass(frozen=True)
class StatedPolicy:
    """A policy as it was stated."""

    requirements: dict[str, Any]
    library: PriorTables
    """Source of its prior tables, which its owner has named."""


def find_policy(name: str | None) -> StatedPolicy:
    """Look a policy up.

    Raises:
        Refusal: If there is none of that name.
    """
    name = require(name, "policy")
    rows = run(
        "SELECT requirements, owner FROM bkpriv.policy WHERE name = $1",
        ["text"],
        [name],
    )
    if not rows:
        names = [row["name"] for row in run("SELECT name FROM bkpriv.policy ORDER BY name")]
        listed = ", ".join(names[:8])
        swapped = run("SELECT FROM bkpriv.dataset WHERE name = $1", ["text"], [name])
        raise Refusal(
            "42704",
            f'policy "{name}" does not exist',
            detail=f"Policies are: {listed}." if names else "There are no policies yet.",
            hint=f"{ORDER} " * bool(swapped or "." in name)
            + near(name, names)
            + "State it with bkpriv.set_policy(name, requirements).",
        )
    row = rows[0]
    requirements = decode(row["requirements"], f'policy "{name}"')
    return StatedPolicy(requirements, PriorTables((row["owner"],)))


def refuse_name(name: str, release: int | None) -> None:
    """Refuse a text in place of requirements, which may be the name of a policy.

    Raises:
        BkprivError: Always.
    """
    find_policy(name)
    stated = f"SELECT requirements FROM bkpriv.policies WHERE name = {plpy.quote_literal(name)}"
    raise InvalidParameter(
        f'requirements are "{name}", and not a JSON object',
        detail="It is the name of a policy.",
        hint=f"SELECT * FROM bkpriv.audit({release}, ({stated}));",
    )


@entry(Access.NOTHING)
def set_policy(name: str | None, requirements: str | None) -> str:
    """See ``bkpriv.set_policy``."""
    name = require_name(name, "name of the policy")
    parse_policy(from_json(requirements, "requirements"))
    types = ["text", "jsonb", "text"]
    (role,) = run("SELECT current_user::text AS name")
    # Whoever inserts first has the name, whatever others do at the same time.
    if write(
        "INSERT INTO bkpriv.policy (name, requirements, owner) "
        "VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING name",
        types,
        [name, requirements, role["name"]],
        owner=role["name"],
    ):
        return name
    for row in run(
        "SELECT owner FROM bkpriv.policy WHERE name = $1 AND bkpriv_internal.owns(owner)",
        ["text"],
        [name],
    ):
        if write(
            "UPDATE bkpriv.policy SET requirements = $2, set_at = now() "
            "WHERE (name, owner) = ($1, $3) RETURNING name",
            types,
            [name, requirements, row["owner"]],
            owner=row["owner"],
        ):
            return name
    raise Refusal(
        "42501",
        f'must be owner of policy "{name}"',
        detail="It was stated by another role.",
        hint="Choose another name; policies of others may be used but not changed.",
    )
