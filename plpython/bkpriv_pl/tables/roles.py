"""Roles: which columns of a source are what in a dataset, each of them one thing only."""

from __future__ import annotations

from collections.abc import Sequence

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.table.inspection import MOST_QUASI_IDENTIFIERS
from bkpriv_pl.server.boundary import Refusal, require

__all__ = ["NONE", "check_roles"]

NONE = "{}"
"""Empty list of sensitive columns, as text: PostgreSQL takes a quoted '{}' for a column's name."""

ColumnNames = tuple[str, ...]


def check_roles(
    dataset: str,
    quasi_identifiers: Sequence[str | None] | None,
    sensitive: Sequence[str | None] | None,
    attributes: Sequence[str | None] | None,
    extras: Sequence[str | None],
) -> tuple[ColumnNames, ColumnNames, ColumnNames]:
    """Quasi-identifiers, sensitive columns and attributes as they are named, each column once.

    Args:
        quasi_identifiers, sensitive, attributes: The columns, as the caller has named them.
        extras: Columns of respondents and periods, where there are such.

    Raises:
        BkprivError: If there are no quasi-identifiers, more than are read, or a column has two
            roles.
    """
    if not quasi_identifiers:
        raise InvalidParameter(
            "there are no quasi-identifiers",
            detail="The list is NULL or empty.",
            hint="Name the columns by which a person could be recognised.",
        )
    known = _names("quasi-identifier", quasi_identifiers)
    if len(known) > MOST_QUASI_IDENTIFIERS:
        raise TooLarge(
            f"{len(known)} quasi-identifiers are too many",
            detail=f"At most {MOST_QUASI_IDENTIFIERS} can be read and published.",
            hint="Leave out what nobody could be recognised by, or combine columns in a view.",
        )
    told = _sensitive(sensitive)
    beside = _names("attribute", attributes or [])
    for name in told:
        if name in known:
            raise Refusal(
                "42701",
                f'column "{name}" is both quasi-identifier and sensitive',
                detail=f"The quasi-identifiers are {', '.join(known)}.",
                hint="Take it out of the quasi-identifiers, or choose another sensitive column.",
            )
    taken = (*known, *told)
    if len(known) + len(beside) > MOST_QUASI_IDENTIFIERS:
        raise TooLarge(
            f"{len(known)} quasi-identifiers and {len(beside)} attributes are too many",
            detail=f"At most {MOST_QUASI_IDENTIFIERS} can be read and published together.",
            hint="Leave out attributes that nobody asks for, or combine columns in a view.",
        )
    for name in beside:
        if name in taken:
            raise Refusal(
                "42701",
                f'attribute "{name}" of dataset "{dataset}" is quasi-identifier or sensitive, too',
                detail="Attributes pass through unchanged. Quasi-identifiers and sensitive columns "
                f"are {', '.join(taken)}.",
                hint="Take it out of the attributes.",
            )
    read = (*taken, *beside, *(name for name in extras if name is not None))
    for extra in extras:
        if extra is not None and read.count(extra) > 1:
            raise Refusal(
                "42701",
                f'column "{extra}" has two roles in dataset "{dataset}"',
                detail=f"The roles are taken by {', '.join(read)}.",
                hint="Respondent and period must be two columns that are neither "
                "quasi-identifiers nor sensitive nor attributes.",
            )
    return known, told, beside


def _sensitive(sensitive: Sequence[str | None] | None) -> ColumnNames:
    """Names of the sensitive columns: none, if that is what the caller says."""
    if sensitive is None or None in sensitive:
        raise InvalidParameter(
            "the sensitive column is NULL",
            detail="Whether a dataset has a sensitive column is for you to say.",
            hint="Name the columns that nobody is to learn of a person; or write '{}' for none, "
            "where k_anonymity is all that is required.",
        )
    return _names("sensitive column", sensitive)


def _names(what: str, names: Sequence[str | None]) -> ColumnNames:
    """Names of a list, each once."""
    if any(isinstance(name, list) for name in names):
        raise InvalidParameter(
            f"the {what}s are no plain list",
            detail="It is an array of several dimensions.",
            hint="Write for example ARRAY['age', 'sex'].",
        )
    read = tuple(require(name, what) for name in names)
    for name in read:
        if read.count(name) > 1:
            raise Refusal(
                "42701",
                f'column "{name}" is listed {read.count(name)} times among the {what}s',
                detail=f"They are {', '.join(read)}.",
                hint="List it once.",
            )
    return read
