"""``bkpriv attack``: figures, people and a picture."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest

from bkpriv_client.believed import Belief, draw_beliefs
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic, publish, state_policy
from tests.figure_files import assert_drawn


@pytest.fixture
def uri(database: Database, db: Connection) -> str:
    """URI of a database with release 1 of a clinic."""
    create_clinic(db, 120)
    declare_clinic(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": 0.3, "t": 0.3}})
    publish(db)
    return database.uri()


def test_figures_stand_beside_the_baseline_and_a_picture_is_drawn(
    uri: str, db: Connection, tmp_path: Path
) -> None:
    plot = tmp_path / "attack.png"
    options = ["--option", "model=bayes", "--option", "sure=0.6", "--limit", "3"]
    said = succeeded("attack", "1", *options, "--plot", str(plot), "--uri", uri)
    found: dict[str, float] = dict(
        db.execute(
            "SELECT metric, value FROM bkpriv.attack(1, options => %s)",
            ['{"model": "bayes", "sure": 0.6}'],
        ).fetchall()
    )
    assert f"{found['accuracy']:.1%}" in said
    assert f"{found['baseline_accuracy']:.1%}" in said
    breached = re.search(r"people breached: right, and below 50% without the release +(\d+)", said)
    assert breached is not None
    assert int(breached[1]) == found["breached"]
    assert "120 people" in said
    assert said.count("age ") == 3
    assert_drawn(plot)


def test_an_attacker_who_is_not_there_is_refused(uri: str, tmp_path: Path) -> None:
    said = failed("attack", "1", "--attacker", "learned", "--uri", uri)
    assert 'Perhaps you meant "learner"' in said
    assert "no ending of a picture" in failed("attack", "1", "--plot", "a.txt", "--uri", uri)


def test_everybody_is_drawn_wherever_beliefs_are() -> None:
    file = BytesIO()
    beliefs = [Belief(0.0, 1.0, 3, 3, 3), Belief(1.0, 0.0, 5, 0, 0), Belief(0.5, 0.95, 1, 0, 0)]
    draw_beliefs(file, "svg", "<title>", beliefs, sure=0.9, unsure=0.5)
    picture = file.getvalue().decode()
    assert "<!-- &lt;title&gt;: 3 people breached -->" in picture
    assert "<!-- breached, if right -->" in picture
    draw_beliefs(BytesIO(), "png", "nobody", [], sure=0.9, unsure=0.5)
