"""Attacks on releases, played by whoever may measure them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bkpriv_core.attack import (
    Options,
    Outcome,
    Recipe,
    Target,
    find_attacker,
    findings,
    parse_options,
)
from bkpriv_core.attack import metrics as measured
from bkpriv_core.belief.setting import Setting
from bkpriv_core.table.groups import SUPPRESSED
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.table import Table
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = ["attack", "explain_attack"]


@entry
def attack(
    release: int | None, attacker: str | None, options: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.attack``."""
    started = time.monotonic()
    recorded, outcome, chosen = _attacked(release, attacker, options)
    found = measured(outcome, recorded.policy.requirements, chosen)
    rows = [(each.name, each.value, each.column) for each in found]
    return iter([*rows, ("seconds", time.monotonic() - started, None)])


@entry
def explain_attack(
    release: int | None, attacker: str | None, options: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_attack``."""
    recorded, outcome, chosen = _attacked(release, attacker, options)
    found = findings(outcome, chosen)
    cells = np.array([each.cell for each in found], dtype=np.int64)
    return (
        (
            *(None if each.group == SUPPRESSED else each.group, qi, each.value),
            *(each.baseline, each.believed, each.records, each.correct, each.breached),
            each.distance,
        )
        for each, qi in zip(found, qi_json(recorded.table, cells), strict=True)
    )


def _attacked(
    release: int | None, attacker: str | None, options: str | None
) -> tuple[RecordedRelease, Outcome, Options]:
    """Play an attacker, with options as stated."""
    played = find_attacker(attacker)
    chosen = parse_options(played, from_json(options, "options"))
    recorded = find_release(release)
    task = Task("bkpriv attack")
    outcome = played.attack(_target(recorded), chosen, task.step("attacking"))
    task.done()
    return recorded, outcome, chosen


def _target(recorded: RecordedRelease) -> Target:
    """A release as attackers find it."""

    def setting_of(table: Table) -> Setting:
        # The publisher named the prior tables of the policy.
        return Setting(table, library=PriorTables(own=False), progress=POLLED)

    requirements = recorded.policy.requirements
    recipe = Recipe(recorded.method, recorded.options, requirements, setting_of)
    return Target(recorded, recorded.setting, recipe)
