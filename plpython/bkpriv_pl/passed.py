"""Attributes: columns that pass through a release, what cannot be had with them, and what is said.

They are supposed to be known to nobody who should not learn the sensitive value; the history keeps
their names alone. Readers of several releases can tell by them which rows are the same record's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GroupOptions, Method, Options
from bkpriv_core.policy import Policy
from bkpriv_pl.boundary import Refusal, run
from bkpriv_pl.dataset import Dataset

__all__ = ["attributes_of", "check_attributes", "note_attributes", "tell_attributes"]

_SHOWN = 8
"""How many columns a message lists."""


def check_attributes(
    dataset: Dataset, method: Method[Any], options: Options, policy: Policy
) -> None:
    """Refuse what attributes cannot pass through.

    Raises
    ------
    InvalidParameter, Refusal
        If records are not shown as they are, or what is remembered of earlier releases counts.
    """
    if not dataset.attributes:
        return
    hint = f"Register {dataset.source} as another dataset, without attributes, to publish it so."
    listed = f"The attributes are {_listed(dataset.attributes)}."
    if not method.form.passes:
        raise InvalidParameter(
            f'attributes of dataset "{dataset.name}" cannot pass through method {method.name}',
            detail=f"It draws every record anew, and attributes beside it would say which it was. "
            f"{listed}",
            hint=f"Use a method that forms groups, such as mondrian. {hint}",
        )
    grouped = isinstance(options, GroupOptions)
    if grouped and getattr(options, "unfit", None) == "counterfeit":
        raise InvalidParameter(
            f'releases of dataset "{dataset.name}" cannot show counterfeits',
            detail="A value that nobody has has no attributes, and those of its record would give "
            f"it away. {listed}",
            hint=f'Leave out the option {{"unfit": "counterfeit"}}. {hint}',
        )
    if grouped and getattr(options, "grow", False):
        raise InvalidParameter(
            f'releases of dataset "{dataset.name}" cannot grow',
            detail="Groups that are kept stay as they were published, and what their attributes "
            f"were is not recorded. {listed}",
            hint=f'Leave out the option {{"grow": true}}. {hint}',
        )
    remembering = [item.key for item in policy.requirements if item.tells_apart]
    if remembering:
        raise Refusal(
            "0A000",
            f"{remembering[0]} about what is remembered of earlier releases is not kept by "
            f'releases of dataset "{dataset.name}"',
            detail="By attributes readers tell which rows of several releases are the same "
            f"record's, which is not measured. {listed}",
            hint=f"Require it of adversaries who hold one release. {hint}",
        )


def tell_attributes(release: int, attributes: Sequence[str]) -> None:
    """Say what of a release adversaries are supposed not to know, if there is something."""
    if attributes:
        plpy.notice(
            f"attributes of release {release} pass through unchanged: {_listed(attributes)}",
            detail="It is supposed that adversaries do not know them, of anybody. Who knows "
            "somebody's may find his row by them, and read his sensitive value.",
            hint="What others may know is a quasi-identifier. Who holds several releases can tell "
            "by attributes which rows are the same record's.",
        )


def attributes_of(release: int) -> list[str]:
    """The attributes of a release."""
    return _attributes_of([release]).get(release, [])


def _attributes_of(releases: Sequence[int]) -> dict[int, list[str]]:
    """The attributes of releases, by their ids, of those that have some."""
    rows = run(
        "SELECT release, attributes FROM bkpriv.release "
        "WHERE release = ANY ($1) AND attributes <> '{}' ORDER BY release",
        ["bigint[]"],
        [list(releases)],
    )
    return {row["release"]: row["attributes"] for row in rows}


def note_attributes(releases: Sequence[int]) -> None:
    """Say that releases measured together show attributes, which is not measured."""
    found = _attributes_of(releases)
    if found:
        some = "; ".join(
            f"release {release}: {_listed(names)}" for release, names in [*found.items()][:_SHOWN]
        )
        plpy.notice(
            f"attributes that pass through {len(found)} of {len(releases)} releases are not "
            "measured",
            detail=f"{some}{'; ...' if len(found) > _SHOWN else ''}. Who holds several releases "
            "can tell by them which rows are the same record's.",
            hint="Take the figures for less than is told, where attributes tell records apart.",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
