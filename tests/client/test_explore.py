"""``bkpriv explore``: the table and the plot, of a small table in a real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bkpriv_client.tradeoff import Setting, draw, front, losses, told_apart
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic
from tests.figure_files import assert_drawn


@pytest.fixture
def uri(database: Database, db: Connection) -> str:
    create_clinic(db)
    declare_clinic(db)
    return database.uri()


def test_a_grid_is_shown_as_a_table_and_a_plot(uri: str, tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    output = succeeded(
        "explore", "patients", "--uri", uri, "--bandwidth", "0.3,0.6", "--t", "0.1,0.3",
        "--k", "4,400", "--plot", str(plot),
    )  # fmt: skip
    rows = [line.split() for line in output.splitlines() if line[:2].strip().isdigit()]
    assert [row[:4] for row in rows] == [
        [str(place), bandwidth, t, k]
        for place, (bandwidth, t, k) in enumerate(
            [(b, t, k) for b in ("0.3", "0.6") for t in ("0.1", "0.3") for k in ("4", "400")], 1
        )
    ]
    assert [row[4] == "refused" for row in rows] == [False, True] * 4
    assert output.count("is refused: k_anonymity") == 4
    assert "●" in output
    assert_drawn(plot)


def test_policies_of_a_file_and_what_they_share(uri: str, tmp_path: Path) -> None:
    path = tmp_path / "policies.json"
    path.write_text(
        json.dumps([{"k_anonymity": {"k": k}, "l_diversity": {"l": 2}} for k in (3, 6)])
    )
    output = succeeded("explore", "patients", "--uri", uri, "--policies", str(path))
    assert "All: l 2" in output
    told = failed(
        "explore", "patients", "--uri", uri, "--policies", str(path), "--plot",
        str(tmp_path / "none.png"),
    )  # fmt: skip
    assert "no disclosure to draw" in told
    assert not (tmp_path / "none.png").exists()


def test_what_is_asked_wrongly_is_said(uri: str) -> None:
    assert "no policies to try" in failed("explore", "patients", "--uri", uri)
    assert "--t is no JSON" in failed(
        "explore", "patients", "--uri", uri, "--bandwidth", "0.3", "--t", "0.1;0.2"
    )
    assert "nobody" in failed("explore", "nobody", "--uri", uri, "--k", "3")


# --- the plot -------------------------------------------------------------------------------------


def tried(place: int, bandwidth: float, t: float, lost: float, worst: float | None) -> Setting:
    return Setting(
        place,
        {"bt_privacy": [{"bandwidth": bandwidth, "t": t}], "k_anonymity": {"k": 4}},
        {"gcp": lost, "worst_disclosure": worst, "query_error": 0.1},
    )


def test_the_front_is_of_those_that_none_of_the_same_adversary_beats() -> None:
    settings = [
        tried(1, 0.3, 0.1, 0.5, 0.1),
        tried(2, 0.3, 0.2, 0.4, 0.2),
        tried(3, 0.3, 0.3, 0.45, 0.25),  # loses more than 2, and discloses more
        tried(4, 0.3, 0.4, 0.2, 0.4),
        tried(5, 0.6, 0.1, 0.6, 0.3),  # beaten by 1 only, which is of another adversary
        tried(6, 0.6, 0.2, 0.3, None),
        Setting(7, {"bt_privacy": [{"bandwidth": 0.3, "t": 0}]}, {"refused": 1.0}),
    ]
    assert [setting.place for setting in front(settings)] == [4, 2, 1, 5]
    assert losses(settings) == "gcp"
    assert losses([tried(1, 0.3, 0.1, 0.0, 0.1)]) == "query_error"
    assert told_apart(settings[:6]) == (["t"], {"k": "4"})


def test_nothing_is_drawn_where_there_is_nothing(tmp_path: Path) -> None:
    refused = Setting(1, {"k_anonymity": {"k": 4}}, {"refused": 1.0})
    assert not draw(tmp_path / "none.png", "nothing", [refused])
    assert not draw(tmp_path / "none.png", "nothing", [tried(1, 0.3, 0.1, 0.5, None)])


def test_a_label_stands_once_where_settings_disclose_alike(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    # The first two are alike, whatever the heights are rounded to.
    settings = [
        *(tried(1, 0.2, 0.2, 0.1, 0.254), tried(2, 0.3, 0.2, 0.2, 0.256)),
        *(tried(3, 0.3, 0.3, 0.1, 0.4), tried(4, 0.5, 0.2, 0.3, 0.1)),
    ]
    assert draw(path, "labels", settings)
    drawn = path.read_text(encoding="utf-8")
    assert drawn.count("<!-- t 0.2 -->") == 2
    assert drawn.count("<!-- t 0.3 -->") == 1
