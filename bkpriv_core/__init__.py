"""Privacy against adversaries with background knowledge: arrays in, frozen dataclasses out.

Programs in Python publish tables by the names below, without a database: `read_frame` makes a table
of columns, `publish` a `Publication` of it, and `explore` tries policies. Each is imported when it
is first used, so that sessions of a server import only what they need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bkpriv_core.attack import Metric
    from bkpriv_core.audit import Finding
    from bkpriv_core.errors import BkprivError
    from bkpriv_core.frame import read_frame
    from bkpriv_core.publication import Publication, explore, publish
    from bkpriv_core.table.table import Table
    from bkpriv_core.verdict import Matter, Verdict

__all__ = [
    "BkprivError",
    "Finding",
    "Matter",
    "Metric",
    "Publication",
    "Table",
    "Verdict",
    "explore",
    "publish",
    "read_frame",
]

__version__ = "0.10.0"

_HOMES = {
    "BkprivError": "errors",
    "Finding": "audit",
    "Matter": "verdict",
    "Metric": "attack",
    "Publication": "publication",
    "Table": "table.table",
    "Verdict": "verdict",
    "explore": "publication",
    "publish": "publication",
    "read_frame": "frame",
}
"""Modules of these names."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
