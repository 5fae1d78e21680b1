"""``bkpriv explore``: the table and the plot, of a small table in a real server."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bkpriv_client.tradeoff import draw
from bkpriv_client.tried import Setting, front, losses, told_apart
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic, one
from tests.db.waiting import until
from tests.figure_files import assert_drawn


@pytest.fixture
def uri(database: Database, db: Connection) -> str:
    create_clinic(db)
    declare_clinic(db)
    return database.uri()


def rows_of(output: str) -> list[list[str]]:
    """Rows of the table, split at blanks."""
    lines = [line for line in output.splitlines() if "│" not in line]
    return [line.split() for line in lines if line[:4].strip().isdigit()]


def test_without_options_a_grid_is_tried_and_what_is_recommended_can_be_run(
    uri: str, db: Connection, tmp_path: Path
) -> None:
    plot = tmp_path / "plot.png"
    output = succeeded("explore", "patients", "--uri", uri, "--plot", str(plot))
    rows = rows_of(output)
    assert rows[0][:3] == ["1", "k", "alone"]
    listed = db.execute("SELECT count(DISTINCT place) FROM bkpriv.explore('patients')").fetchone()
    assert listed == (len(rows),) == (25,)
    (marked,) = [row for row in rows if "★" in row]
    assert f"Policy {marked[0]} is recommended" in " ".join(output.split())
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    assert len(statements) == 2
    for statement in statements:
        db.execute(statement.encode())
    shown = db.execute("SELECT dataset, view_name FROM bkpriv.releases").fetchall()
    assert shown == [("patients", "clinic.patients_shown")]
    assert_drawn(plot)


@pytest.mark.always
def test_lists_are_every_combination_and_what_cannot_be_met_is_a_row(uri: str) -> None:
    output = succeeded(
        "explore", "patients", "--uri", uri, "--bandwidth", ".3,.3+.6", "--t", ".1,.3",
        "--k", "4,400", "--tolerance", "100%", "--with", "l_diversity.l=2", "--thorough",
    )  # fmt: skip
    rows = rows_of(output)
    assert [row[:5] for row in rows[:2]] == [
        ["1", "k", "alone", "4", rows[0][4]],
        ["2", "k", "alone", "400", "not"],
    ]
    assert [row[:4] for row in rows[2:]] == [
        [str(place), bandwidth, t, k]
        for place, (bandwidth, t, k) in enumerate(
            [(b, t, k) for b in ("0.3", "0.3+0.6") for t in ("0.1", "0.3") for k in ("4", "400")], 3
        )
    ]
    assert [row[4] == "not" for row in rows[2:]] == [False, True] * 4
    assert output.count("cannot be met: k_anonymity") == 1
    assert "2, 4, 6, 8, 10 cannot be met" in output
    assert "All: l 2" in output
    assert "drafts" not in output


def test_nothing_that_can_be_met_is_no_error(uri: str) -> None:
    output = succeeded("explore", "patients", "--uri", uri, "--k", "400", "--t", ".2")
    assert [row[-2:] for row in rows_of(output)] == [["not", "met"]] * 5
    assert "No policy is recommended: none of them can be met." in output
    assert "1-5 cannot be met: k_anonymity" in output
    assert "SELECT bkpriv" not in output
    assert "drafts" not in output


def test_policies_of_a_file_and_what_they_share(uri: str, tmp_path: Path) -> None:
    path = tmp_path / "policies.json"
    path.write_text(
        json.dumps([{"k_anonymity": {"k": k}, "l_diversity": {"l": 2}} for k in (3, 6)])
    )
    output = succeeded("explore", "patients", "--uri", uri, "--policies", str(path))
    assert "All: l 2" in output
    assert "nothing to be held to" in output
    told = failed(
        "explore", "patients", "--uri", uri, "--policies", str(path), "--plot",
        str(tmp_path / "none.png"),
    )  # fmt: skip
    assert "no disclosure to draw" in told
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--t", "0.1;0.2"), "--t is no list of numbers"),
        (("--bandwidth", ".2++.3"), "--bandwidth is no list of numbers"),
        (("--tolerance", "much"), "--tolerance is no share"),
        (("--tolerance", "110%"), "--tolerance is no share"),
        (("--with", "l_diversity"), "--with is no NAME=VALUE"),
        (("--with", "overlap=warn", "--with", "overlap.x=1"), "--with is no NAME=VALUE"),
        (("--option", "=3"), "--option is no NAME=VALUE"),
        (("--plot", "plot.txt"), "plot.txt has no ending of a picture"),
        (("--plot", "nowhere/plot.png"), "nowhere is no directory"),
    ],
)
def test_what_is_asked_wrongly_is_said_before_anything_is_tried(
    options: tuple[str, ...], said: str
) -> None:
    assert said in failed("explore", "patients", "--uri", "host=nowhere.invalid", *options)


def test_options_and_requirements_are_handed_on(uri: str, tmp_path: Path) -> None:
    asked = ("explore", "patients", "--uri", uri, "--bandwidth", "none")
    assert "magic" in failed(*asked, "--option", "magic=[1]")
    assert "magic" in failed(*asked, "--with", "magic.k=1")
    assert "nobody" in failed("explore", "nobody", "--uri", uri)
    path = tmp_path / "policies.json"
    path.write_text("[")
    assert "is no JSON" in failed("explore", "patients", "--uri", uri, "--policies", str(path))


def test_what_the_table_needs_is_taken_and_said(database: Database, db: Connection) -> None:
    db.execute(
        "CREATE TABLE public.visit AS SELECT i % 60 AS who, "
        "nullif(20 + i % 60 * 7 % 40, 33) AS age, (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 7 % 3] "
        "AS ill FROM generate_series(1, 150) AS i; "
        "SELECT bkpriv.register_dataset('visits', 'visit', '{age}', 'ill', respondent => 'who')"
    )
    asked = ("explore", "visits", "--uri", database.uri(), "--bandwidth", ".3", "--t", ".2,.3")
    output = succeeded(*asked)
    said = " ".join(output.split())
    assert "Missing values count as a value of their own (--option nulls=category)." in said
    assert "of each person count: all (--option max_records_per_person=all)." in said
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    for statement in statements:
        db.execute(statement.encode())
    chosen = db.execute("SELECT options FROM bkpriv.releases").fetchone()
    assert chosen is not None
    assert (chosen[0]["nulls"], chosen[0]["max_records_per_person"]) == ("category", "all")
    output = succeeded(*asked, "--option", "nulls=category", "--option", "max_records_per_person=1")
    assert "Missing values" not in output
    assert "several records" not in output
    assert "nulls" in failed(*asked, "--option", "nulls=refuse")


@pytest.mark.extended
def test_an_interrupt_leaves_nothing(uri: str, db: Connection, tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    grid = ("--k", ",".join(map(str, range(2, 42))), "--thorough", "--plot", str(plot))
    process = subprocess.Popen(
        [sys.executable, "-m", "bkpriv_client", "explore", "patients", "--uri", uri, *grid],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Where the tests run in the background of a shell, programs ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    running = (
        "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND datname = current_database() AND starts_with(application_name, %s)"
    )
    until(lambda: one(db, running, ["bkpriv explore: trying"]) > 0)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Interrupted: what was being done is undone." in said
    assert "Traceback" not in said
    until(lambda: one(db, running, ["bkpriv"]) == 0)
    assert list(tmp_path.iterdir()) == []


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


def test_nothing_is_drawn_where_there_is_nothing() -> None:
    refused = Setting(1, {"k_anonymity": {"k": 4}}, {"refused": 1.0})
    file = io.BytesIO()
    assert not draw(file, "png", "nothing", [refused])
    assert not draw(file, "png", "nothing", [tried(1, 0.3, 0.1, 0.5, None)])
    assert not file.getvalue()


def drawn(settings: list[Setting], chosen: Setting | None = None) -> str:
    file = io.BytesIO()
    assert draw(file, "svg", "labels", settings, chosen)
    return file.getvalue().decode()


def test_a_label_stands_once_where_settings_disclose_alike() -> None:
    # The first two are alike, whatever the heights are rounded to.
    picture = drawn(
        [
            *(tried(1, 0.2, 0.2, 0.1, 0.254), tried(2, 0.3, 0.2, 0.2, 0.256)),
            *(tried(3, 0.3, 0.3, 0.1, 0.4), tried(4, 0.5, 0.2, 0.3, 0.1)),
        ]
    )
    assert picture.count("<!-- t 0.2 -->") == 2
    assert picture.count("<!-- t 0.3 -->") == 1
    assert " alone -->" not in picture
    assert "recommended" not in picture


def test_labels_do_not_cover_each_other_and_axes_begin_at_zero() -> None:
    alone = Setting(1, {"k_anonymity": {"k": 4}}, {"gcp": 0.1, "sure": 5.0})
    crowd = [tried(place, 0.3, place / 100, 0.3, 0.3 + place / 1e3) for place in range(2, 30)]
    picture = drawn([alone, *crowd], crowd[0])
    assert "<!-- k = 4 alone -->" in picture
    assert "<!-- recommended -->" in picture
    assert 1 <= picture.count("<!-- t 0.") < len(crowd)
    assert picture.count("<!-- 0% -->") >= 2
    # All at one place are one point, which has one label; figures that are nothing are drawn, too.
    assert (
        drawn([tried(1, 0.3, 0.1, 0.2, 0.0), tried(2, 0.3, 0.2, 0.2, 1e-17)]).count("<!-- t") == 1
    )
