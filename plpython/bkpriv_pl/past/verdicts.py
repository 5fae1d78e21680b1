"""Verdicts in history: one of each publication, and of each audit by a release's own policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from bkpriv_core import evidence
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.count import EXCHANGE, Count
from bkpriv_core.errors import TooLarge
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.verdict import LASTING, Matter, Verdict
from bkpriv_pl.past.history import record_found
from bkpriv_pl.server import notices
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.progress import Task

__all__ = ["count_exchanging", "find_lasting", "find_verdict", "record_verdict", "rows_of"]


def count_exchanging(
    number: int,
    release: Release,
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    task: Task,
) -> Count | None:
    """Count as `bkpriv_core.evidence.count_exchanging` does.

    Where that would take too much, a notice says why, and the count says that there is none.

    Args:
        number: Id of the release, for the notice.
    """
    try:
        return evidence.count_exchanging(
            release, threat, requirements, task.step("comparing ranges")
        )
    except TooLarge as error:
        notices.notice(
            f"groups of release {number} that can exchange members are not counted",
            detail=f"{error.message}. {error.detail}",
            hint=error.hint,
        )
        return Count(EXCHANGE, {}, None, release.table.records)


def record_verdict(release: int, verdict: Verdict) -> None:
    """Append a verdict, where the transaction may write: the whole, then each matter."""
    keys = [None, *(matter.key for matter in verdict.matters)]
    rows = [(*row, key) for row, key in zip(rows_of(verdict), keys, strict=True)]
    types = {"state": "text", "what": "text", "count": "bigint", "among": "bigint"}
    types |= {"advice": "text", "key": "text"}
    record_found("verdict", release, types, rows, by="judged_by")


def rows_of(verdict: Verdict) -> list[tuple[Any, ...]]:
    """Rows of ``bkpriv.verdict``: the whole, then each matter."""
    return [
        (verdict.state, verdict.sentence, len(verdict.matters), None, None),
        *(
            (
                "violated" if matter.violated else "judge",
                matter.what,
                matter.count,
                matter.among,
                matter.advice,
            )
            for matter in verdict.matters
        ),
    ]


def find_lasting(release: int) -> list[Matter]:
    """Find the matters that a publication found, and that remain as they are."""
    return [each for each in _matters(release, "min") or () if each.key in LASTING]


def find_verdict(release: int) -> Verdict | None:
    """Find the latest verdict on a release, if there is one."""
    matters = _matters(release, "max")
    return None if matters is None else Verdict(tuple(matters))


def _matters(release: int, which: Literal["min", "max"]) -> list[Matter] | None:
    """Matters of the first or the last verdict; None if there is no verdict."""
    rows = run(
        "SELECT key, what, count, among, advice, state FROM bkpriv.verdict_record "
        "WHERE release = $1 AND verdict = "
        f"(SELECT {which}(verdict) FROM bkpriv.verdict_record WHERE release = $1) ORDER BY place",
        ["bigint"],
        [release],
    )
    if not rows:
        return None
    return [
        Matter(
            row["key"],
            row["what"].removeprefix(f"{row['key']}: "),
            row["count"],
            row["among"],
            row["advice"],
            violated=row["state"] == "violated",
        )
        for row in rows
        if row["key"] is not None
    ]
