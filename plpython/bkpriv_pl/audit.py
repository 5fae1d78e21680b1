"""Audits: a release held against requirements, and the finding kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bkpriv_core.policy import parse_policy
from bkpriv_core.posterior import check_estimator
from bkpriv_core.setting import Setting
from bkpriv_pl.boundary import entry, from_json, run
from bkpriv_pl.history import find_release, findings, record_audit
from bkpriv_pl.progress import Progress, poll

__all__ = ["audit"]


@entry
def audit(
    release: int | None, requirements: str | None, estimator: str
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit``."""
    estimator = check_estimator(estimator)
    found = find_release(release)
    stated = found.requirements
    if requirements is not None:
        stated = from_json(requirements, "requirements")
    demanded = parse_policy(stated)
    progress = Progress("bkpriv audit")
    progress.step("measuring")
    setting = Setting(found.table, found.options.smoothing, poll=poll)
    measurements = [item.measure(setting, found.groups, estimator) for item in demanded]
    rows = findings(found.table, found.groups, demanded, measurements, found.options.smoothing)
    # On a standby, or in a transaction that may not write, the finding is only told.
    if run("SELECT current_setting('transaction_read_only') AS setting")[0]["setting"] == "off":
        record_audit(found.release, rows)
    progress.done()
    return iter(
        [
            (
                row.requirement,
                json.dumps(row.parameters),
                row.threshold,
                row.worst,
                row.mean,
                row.vulnerable,
                row.satisfied,
                row.estimator,
            )
            for row in rows
        ]
    )
