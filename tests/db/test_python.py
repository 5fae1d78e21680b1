"""Programs in Python publish in memory what the server publishes of the same table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from bkpriv_core import Publication, explore, read_frame
from bkpriv_core import publish as publish_frame
from bkpriv_core.method import METHODS
from tests.conftest import Connection
from tests.core.strategies import NEEDED
from tests.db.clinic import (
    KINDS,
    QUASI_IDENTIFIERS,
    REGIONS,
    SENSITIVE,
    one,
    publish,
    state_policy,
)

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

POLICY = {
    "k_anonymity": {"k": 4},
    "l_diversity": {"l": 2},
    "bt_privacy": {"bandwidth": 0.3, "t": 0.2},
    "beta_likeness": {"beta": 5},
    "pair_divergence": {"theta": 0.9},
    "max_disclosure": {"tau": 0.8},
}
BELIEFS = {"k_anonymity", "bt_privacy"}


def in_memory(db: Connection, policy: Any, method: str, options: dict[str, Any]) -> Publication:
    """The clinic's table, published without the database."""
    return publish_frame(clinic_table(db), policy, method, options)


def clinic_table(db: Connection) -> Any:
    """The clinic's table as the core reads it."""
    rows = db.execute("SELECT age, sex, city, disease FROM clinic.patient").fetchall()
    frame = dict(zip((*QUASI_IDENTIFIERS, SENSITIVE), zip(*rows, strict=True), strict=True))
    trees = {"city": REGIONS, "disease": KINDS}
    return read_frame(frame, QUASI_IDENTIFIERS, SENSITIVE, hierarchies=trees)


def rounded(rows: Iterable[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Rows, with probabilities of channels up to what an optimization in another process gives."""
    return Counter(
        tuple(round(each, 9) if isinstance(each, float) else each for each in row) for row in rows
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_that_of_the_server(clinic: Connection, method: str) -> None:
    needed = {"max_disclosure"} if method == "randomize" else NEEDED.get(method, BELIEFS)
    policy = {key: POLICY[key] for key in needed}
    options: dict[str, Any] = {"seed": 1, "ranges": "text"}
    options |= {"scheme": "rr-both"} if method == "randomize" else {}
    state_policy(clinic, "door", policy)
    release = publish(clinic, policy="door", view="public.door", options=options, method=method)
    made = in_memory(clinic, policy, method, options)
    for exhibit, columns in made.tables.items():
        view = "public.door" if exhibit == "records" else f"public.door_{exhibit}"
        # Which record of a group has which value is drawn by the server.
        names = [*columns][: 4 if exhibit == "records" and method == "bucketize" else None]
        listed = ", ".join(names)
        shown = clinic.execute(f"SELECT {listed} FROM {view}", prepare=False).fetchall()
        assert rounded(shown) == rounded(zip(*(columns[name] for name in names), strict=True))
    audited = clinic.execute(
        "SELECT requirement, vulnerable, satisfied, estimator_used, sure, worst, mean "
        "FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL",
        [release],
    ).fetchall()
    for row, (*exact, worst, mean) in zip(made.audit(), audited, strict=True):
        found = [row.requirement, row.vulnerable, row.satisfied, row.estimator, row.sure]
        assert found == exact
        # Sums are rounded by the order of groups, which is another where history is read.
        assert (row.worst, row.mean) == pytest.approx((worst, mean))
    assert made.verdict().sentence == one(
        clinic, "SELECT what FROM bkpriv.verdict(%s) LIMIT 1", [release]
    )
    if method != "randomize":
        attacked = clinic.execute(
            "SELECT metric, value FROM bkpriv.attack(%s, 'majority') WHERE metric <> 'seconds'",
            [release],
        ).fetchall()
        assert dict(attacked) == pytest.approx(
            {metric.name: metric.value for metric in made.attack("majority")}
        )


def test_trials_are_those_of_the_server(clinic: Connection) -> None:
    grid = '{"grid": {"bandwidth": [0.2, 0.4], "t": [0.1, 0.2]}, "with": {"k_anonymity": {"k": 4}}}'
    tried = clinic.execute(
        "SELECT place, metric, value FROM bkpriv.explore('patients', %s, draft => false) "
        "WHERE metric NOT IN ('seconds', 'records')",
        [grid],
    ).fetchall()
    ours = explore(clinic_table(clinic), json.loads(grid))
    assert {(place, name): value for place, name, value in tried} == pytest.approx(
        {
            (place, name): figure
            for place, trial in enumerate(ours, start=1)
            for name, figure in trial.items()
            if name not in ("policy", "seconds")
        }
    )
