"""Declarations: what is declared under a name, compared with what is to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bkpriv_core.errors import as_json
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import Refusal, from_json, run
from bkpriv_pl.server.writing import write

__all__ = ["check_declared"]

_COLUMNS = (
    *("source_schema", "source_name", "quasi_identifiers", "sensitive", "attributes"),
    *("respondent", "period", "bins", "scales"),
)
"""Columns that hold the declaration of a dataset."""


def check_declared(name: str, wanted: Sequence[Any], owners: Sequence[str]) -> None:
    """Say that a dataset of a name that is taken is declared so already.

    From now on its source may belong to the roles to which it belongs now.

    Args:
        wanted: Values of `_COLUMNS`; those of bins and scales as JSON.

    Raises:
        Refusal: If it is declared otherwise, or by another role.
    """
    rows = run(
        f"SELECT owner, source_owners, bkpriv_internal.owns(owner) AS owned, {', '.join(_COLUMNS)} "
        "FROM bkpriv.dataset WHERE name = $1",
        ["text"],
        [name],
    )
    if not rows:
        raise _taken(name, "It belongs to another role.", "Choose another name.")
    (row,) = rows
    detail = f'It belongs to role "{row["owner"]}".'
    if not row["owned"]:
        raise _taken(name, detail, "Choose another name.")
    declared = {column: row[column] for column in _COLUMNS}
    now = dict(zip(_COLUMNS, wanted, strict=True))
    for stated in (declared, now):
        stated |= {name: from_json(stated[name], name) for name in ("bins", "scales")}
    differing = [
        f"{column} {as_json(declared[column])}, not {as_json(now[column])}"
        for column in _COLUMNS
        if declared[column] != now[column]
    ]
    if differing:
        raise _taken(
            name,
            f"{detail} It is declared with {'; '.join(differing)}.",
            "Choose another name; or withdraw its releases, drop it with bkpriv.drop_dataset, and "
            "register it anew.",
        )
    if tuple(row["source_owners"]) != tuple(owners):
        write(
            "UPDATE bkpriv.dataset SET source_owners = $3 WHERE (name, owner) = ($1, $2)",
            ["text", "text", "text[]"],
            [name, row["owner"], list(owners)],
            owner=row["owner"],
        )
        return
    notices.notice(
        f'dataset "{name}" is declared so already',
        detail="Nothing was changed.",
        hint="bkpriv.watch begins a watch of its source, should it have ended.",
    )


def _taken(name: str, detail: str, hint: str) -> Refusal:
    return Refusal("42710", f'dataset "{name}" already exists', detail=detail, hint=hint)
