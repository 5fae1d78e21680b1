"""Design of the comparison: tables, bounds, tools, and the extent of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ATTACKERS", "BOUNDS", "FULL", "QUICK", "TOOLS", "Design", "Extent", "Tool"]

BOUNDS: Mapping[str, Mapping[str, Any]] = {
    "k = 5": {"k": 5},
    "k = 5, ℓ = 3": {"k": 5, "l": 3},
    "k = 5, t = 0.3": {"k": 5, "t": 0.3},
    "k = 5, β = 2": {"k": 5, "beta": 2.0},
    "k = 5, (B,t)": {"k": 5, "bt": [{"bandwidth": 0.3, "t": 0.2}]},
    "ε = 1 in all": {"epsilon": 1.0},
    "ε = 1 a count": {"epsilon": 1000.0},
}
"""Bounds that are asked for, by name; ε is that of all counts together."""

_K = "k = 5"

ATTACKERS: Mapping[str, Mapping[str, object]] = {"majority": {}, "learner": {}}
"""Attackers of every release, with their options."""


@dataclass(frozen=True)
class Tool:
    """A tool with a method."""

    name: str
    module: str
    """Module that runs it, relative to `peers`."""
    bounds: tuple[str, ...]
    """Bounds that it can be asked for, by name."""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    package: str = "bkpriv"
    by_levels: bool = False
    """Whether it needs a hierarchy of every column, of numbers, too."""


def _own(method: str, bounds: tuple[str, ...], **options: object) -> Tool:
    """Our own method."""
    stated = {"method": method, "options": options}
    return Tool(f"bkpriv {method}", "..own", bounds, stated, by_levels=method == "incognito")


_OWN = tuple(name for name, bounds in BOUNDS.items() if "epsilon" not in bounds)
_CLASSIC = tuple(name for name in _OWN if "bt" not in BOUNDS[name])
_SUPPRESSED = 5
"""Share of records, in per cent, that tools which ask for a limit may leave out."""

_LEAVING = {"suppressed": _SUPPRESSED}

TOOLS = (
    _own("mondrian", _OWN),
    _own("agglomerate", _OWN),
    _own("microaggregate", (_K,)),
    _own("incognito", _CLASSIC, utility="gcp", suppression=_SUPPRESSED / 100),
    Tool("anonypyx Mondrian", ".anonypyx", _CLASSIC[:3], package="anonypyx"),
    Tool("umbra-k Mondrian", ".umbra", (_K,), package="umbra-k"),
    Tool("Lighthouse Mondrian", ".lighthouse", (_K,), package="project-lighthouse-anonymize"),
    Tool("crowds OLA", ".crowds", (_K,), _LEAVING, "crowds", by_levels=True),
    Tool("ANJANA", ".anjana", _CLASSIC, _LEAVING, "anjana", by_levels=True),
    Tool(
        "diffprivlib",
        ".diffprivlib",
        ("ε = 1 in all", "ε = 1 a count"),
        {"seed": 2026},
        "diffprivlib",
    ),
)
"""The tools that are compared."""


@dataclass(frozen=True)
class Extent:
    """Extent of what is measured of one table."""

    table: str
    records: int | None
    """Records of each sample; of Adult all, if it is left out."""
    samples: int = 3
    bounds: tuple[str, ...] = tuple(BOUNDS)
    attacked: bool = True
    judged: bool = True
    """Whether releases are attacked, and the first sample's judged by pyCANON."""
    seconds: int = 90
    """CPU time that one trial may take."""


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    extents: tuple[Extent, ...]
    """Tables, with how much of each is measured."""
    tools: tuple[Tool, ...] = TOOLS
    seed: int = 2026
    queries: int = 1_000
    dimensions: int = 2
    """Counts that are asked for, and quasi-identifiers that each has a condition on."""
    selectivity: float = 0.05
    """Share of all combinations of values that one asks for."""
    bytes: int = 6 << 30
    """Memory that one trial may take."""
    abreast: int = 8
    """Tools that are tried at a time."""


_OFTEN = (_K, "k = 5, t = 0.3")
_ONCE = tuple(name for name in BOUNDS if name not in _OFTEN)

FULL = Design(
    (
        Extent("census", 200_000, 1, (_K,), attacked=False, judged=False, seconds=20),
        Extent("Adult", 1_000, 3, _OFTEN),
        Extent("Adult", 1_000, 1, _ONCE),
        Extent("hospital", 1_000, 3, (_K,)),
        Extent("houses", 1_000, 3, (_K,)),
    )
)

QUICK = Design(
    (Extent("Adult", 300, samples=1), Extent("houses", 300, samples=1, bounds=(_K,))),
    queries=50,
)
"""Small samples, to see whether all works."""
