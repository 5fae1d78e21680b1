"""Content of a privacy file: what is to be declared and published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bkpriv_core.method import DEFAULT_METHOD

__all__ = ["JOBS", "Call", "Publication", "Wanted", "WantedDataset", "written"]

JOBS = ("publishers", "auditors", "watchers")
"""Keys of the table ``grant``: roles by the job that they are to have."""


@dataclass(frozen=True)
class Call:
    """A call of one of the extension's functions, by its name and its arguments."""

    function: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class WantedDataset:
    """A dataset that is to be there."""

    register: Call
    hierarchies: Mapping[str, Call] = field(default_factory=dict)
    knowledge: Mapping[str, Call] = field(default_factory=dict)
    """Calls that set them, by attribute and by name."""


@dataclass(frozen=True)
class Publication:
    """A publication that is to stand."""

    dataset: str
    policy: str
    method: str = DEFAULT_METHOD
    period: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of ``bkpriv.publish``."""
    readers: tuple[str, ...] | None = None
    """Roles that are to read its views; None where the file does not say."""
    accept: Mapping[str, float] = field(default_factory=dict)
    """The largest accepted counts of things to judge, by their key; infinity for any."""


@dataclass(frozen=True)
class Wanted:
    """Content of a file."""

    datasets: Mapping[str, WantedDataset] = field(default_factory=dict)
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    publications: Mapping[str, Publication] = field(default_factory=dict)
    """Declarations by name; publications by the name of the view, as PostgreSQL writes it."""
    jobs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Roles by their job, of `JOBS`."""


def written(schema: str, name: str) -> str:
    """Name of a table or view, in one way; quoted only where its letters ask for it."""
    return ".".join(
        part if re.fullmatch(r"[a-z_][a-z0-9_]*", part) else '"' + part.replace('"', '""') + '"'
        for part in (schema, name)
    )
