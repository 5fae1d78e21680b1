"""The learner and the informed on the Adult data, with the figures of independent trials.

The data are not part of the project; see `test_adult`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import declare_source
from bkpriv_client.loading import load_source
from tests.conftest import Connection
from tests.db.clinic import publish, state_policy

pytestmark = pytest.mark.extended

SKYLINE = [{"bandwidth": bandwidth, "t": 0.2} for bandwidth in (0.2, 0.3, 0.5)]


@pytest.fixture(scope="module")
def census(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with the data, declared."""
    path = os.environ.get("ADULT")
    if not path:
        pytest.skip("the Adult data are missing: set ADULT to the CSV file, hierarchies beside it")
    source = read_adult(Path(path))
    shared_db.execute("CREATE SCHEMA adult")
    load_source(shared_db, "adult", source)
    for statement in declare_source(shared_db, "adult", "adult", source):
        shared_db.execute(statement)
    return shared_db


def attacked(db: Connection, policy: str, attacker: str) -> dict[str, float]:
    """Figures of an attack on a release by anatomy."""
    release = publish(db, "adult", policy, f"adult.{policy}", {"seed": 1}, "anatomy")
    query = "SELECT metric, value FROM bkpriv.attack(%s, %s)"
    return dict(db.execute(query, [release, attacker]).fetchall())


@pytest.mark.parametrize("attacker", ["learner", "informed"])
def test_thousands_are_breached_by_anatomy(census: Connection, attacker: str) -> None:
    """Independent trials (Kifer 2009): 3,493, and 62 % guessed right; 33 % without."""
    state_policy(census, "diverse", {"l_diversity": {"l": 4}, "overlap": "warn"})
    found = attacked(census, "diverse", attacker)
    assert 0.58 < found["accuracy"] < 0.66
    assert 0.31 < found["baseline_accuracy"] < 0.36
    assert found["breached"] > 3000
    assert found["claimed_right"] > 0.9 * found["claimed"]


def test_hardly_anybody_is_under_a_skyline_besides(census: Connection) -> None:
    bounds = {"l_diversity": {"l": 4}, "overlap": "warn", "bt_privacy": SKYLINE}
    state_policy(census, "bounded", bounds)
    found = attacked(census, "bounded", "learner")
    assert found["breached"] < 3000 / 20
    assert found["claimed_right"] >= 0.5 * found["claimed"]
