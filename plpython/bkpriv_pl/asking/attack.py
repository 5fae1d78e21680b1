"""Attacks on releases, played by whoever may measure them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.attack import (
    Attacker,
    Options,
    Outcome,
    Target,
    defaults,
    find_attacker,
    findings,
    parse_options,
)
from bkpriv_core.attack import metrics as measured
from bkpriv_core.table.groups import SUPPRESSED
from bkpriv_core.table.notation import qi_json
from bkpriv_pl.past.history import RecordedRelease, find_release, record_attack
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import Task

__all__ = ["attack", "explain_attack"]


@dataclass(frozen=True)
class _Played:
    """An attacker who was played, with options as stated and as read, and what they found out."""

    attacker: Attacker[Any]
    stated: Mapping[str, Any]
    options: Options
    recorded: RecordedRelease
    outcome: Outcome


@entry(Access.RELEASES)
def attack(
    release: int | None, attacker: str | None, options: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.attack``."""
    started = time.monotonic()
    played = _play(release, attacker, options)
    recorded = played.recorded
    found = measured(played.outcome, recorded.policy.requirements, played.options)
    rows = [(each.name, each.value, each.column) for each in found]
    rows.append(("seconds", time.monotonic() - started, None))
    # They tell of no other release, which the owner might not see.
    meant = {**defaults(played.attacker), **played.stated}
    record_attack(recorded.release, played.attacker.name, meant, rows)
    return iter(rows)


@entry(Access.RELEASES)
def explain_attack(
    release: int | None, attacker: str | None, options: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_attack``; whom an attack finds is not kept."""
    played = _play(release, attacker, options)
    found = findings(played.outcome, played.options)
    cells = np.array([each.cell for each in found], dtype=np.int64)
    return (
        (
            *(None if each.group == SUPPRESSED else each.group, qi, each.value),
            *(each.baseline, each.believed, each.records, each.correct, each.breached),
            each.distance,
        )
        for each, qi in zip(found, qi_json(played.recorded.table, cells), strict=True)
    )


def _play(release: int | None, attacker: str | None, options: str | None) -> _Played:
    """Play an attacker, with options as stated."""
    found = find_attacker(attacker)
    stated = from_json(options, "options")
    chosen = parse_options(found, stated)
    recorded = find_release(release, "an attack")
    task = Task("bkpriv attack")
    outcome = found.attack(Target(recorded, recorded.threat), chosen, task.step("attacking"))
    task.done()
    return _Played(found, stated, chosen, recorded, outcome)
