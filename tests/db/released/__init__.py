"""Databases that older versions of the extension made, and what those versions said of them.

``VERSION.made.sql`` was run under that version, ``VERSION.dump.sql`` is what ``pg_dump`` then
wrote, and ``VERSION.figures.json`` what the functions of that version measured. None is edited.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Connection

__all__ = ["DIRECTORY", "ROLES", "figures"]

DIRECTORY = Path(__file__).parent

ROLES = ("upgrade_publisher", "upgrade_auditor", "upgrade_both", "upgrade_reader")
"""Roles that the dump names."""

_COUNT = "SELECT {0}, count(*) FROM {1} WHERE age < 33 GROUP BY {0}"

_COUNTED = {
    **{"patients": "disease", "people": "unit", "cases": "stage"},
    **{"visits": "diagnosis", "members": "unit"},
}
"""Columns that are counted, by dataset."""

_UNMEASURED = {
    *{("disclosure", 10), ("posterior", 10), ("max_disclosure", 10)},
    *{("max_disclosure", 11), ("max_disclosure", 12)},
}
"""Measures of groups, of a randomized release; worst cases, where people have several records."""

_MEASURED = {
    "audit": "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied "
    "FROM bkpriv.audit({0}) WHERE threshold IS NOT NULL",
    "disclosure": "SELECT group_id, qi, records, disclosure FROM bkpriv.disclosure({0}, '0.3')",
    "posterior": "SELECT sensitive, sum(prior), sum(posterior) "
    "FROM bkpriv.posterior({0}, '0.3', 'exact') GROUP BY 1",
    "utility": "SELECT metric, value FROM bkpriv.utility({0})",
    "max_disclosure": "SELECT k, disclosure FROM bkpriv.max_disclosure({0}, 2)",
    "query_accuracy": "SELECT key, actual, estimate FROM bkpriv.query_accuracy({0}, '{1}')",
}


def figures(connection: Connection) -> dict[str, list[Any]]:
    """Figures of the extension on the releases in a database, as JSON has it; rows in order."""

    def rows(query: str) -> list[Any]:
        return sorted(connection.execute(query.encode()).fetchall(), key=str)

    found = {
        "releases": rows(
            "SELECT release, dataset, version, view_name, method, policy, records, suppressed, "
            "groups, status, stale, created_by, requirements, options, reason FROM bkpriv.releases"
        ),
        "audits": rows(
            "SELECT audit, release, requirement, worst, mean, vulnerable, satisfied, estimator, "
            "audited_by FROM bkpriv.audits"
        ),
    }
    for release, dataset, *columns in found["releases"]:
        query = _COUNT.format(_COUNTED[dataset], dataset)
        for name, measure in _MEASURED.items():
            if (name, release) not in _UNMEASURED:
                found[f"{name} {release}"] = rows(measure.format(release, query))
        if "published" in columns:
            ((rewritten,),) = rows(f"SELECT bkpriv.rewrite_query({release}, '{query}')")
            found[f"rewritten {release}"] = rows(rewritten)
    read: dict[str, list[Any]] = json.loads(json.dumps(found, default=str))
    return read
