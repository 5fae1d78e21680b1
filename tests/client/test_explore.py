"""``bkpriv explore``: the table and the plot, of a small table in a real server."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    assert listed == (len(rows),) == (8,)
    (marked,) = [row for row in rows if "★" in row]
    assert re.search(rf"Policies 1, .*\b{marked[0]}\b.* are certified", output)
    said = " ".join(output.split())
    assert f"Policy {marked[0]} is recommended" in said
    # The clinic's scale of ages is 49 years.
    assert "of bandwidth 0.2 (age: 9.8), 0.3 (age: 14.7) and 0.5 (age: 24.5)" in said
    assert said.count("14.7") == 1
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    assert len(statements) == 2
    for statement in statements:
        db.execute(statement.encode())
    shown = db.execute("SELECT dataset, view_name FROM bkpriv.releases").fetchall()
    assert shown == [("patients", "clinic.patients_shown")]
    assert_drawn(plot)
    measured = db.execute("SELECT metric, value FROM bkpriv.utility(1)").fetchall()
    figures: dict[str, Any] = dict(measured)
    sure = one(db, "SELECT max(sure) FROM bkpriv.audit(1)")
    groups = one(db, "SELECT groups FROM bkpriv.releases")
    assert marked[2:-1] == [
        marked[2], f"{figures['gcp']:.1%}", f"{figures['suppressed_share']:.1%}", marked[5],
        str(sure), marked[7], str(groups), marked[9],
    ]  # fmt: skip
    error = one(
        db,
        "SELECT value FROM bkpriv.compare_releases('{1}') WHERE metric = 'query_error_median'",
    )
    assert marked[5] == f"{error:.1%}"
    weak = """SELECT worst, sure FROM bkpriv.audit(1) WHERE requirement = 'belief_breach'"""
    worst, sure = db.execute(weak).fetchall()[0]
    assert worst <= 0.9
    assert sure == 0


@pytest.mark.always
def test_lists_are_every_combination_and_what_cannot_be_met_is_a_row(uri: str) -> None:
    output = succeeded(
        "explore", "patients", "--uri", uri, "--bandwidth", ".3,.3+.6", "--t", ".1,.3",
        "--k", "4,400", "--tolerance", "100%", "--with", "l_diversity.l=2", "--all",
    )  # fmt: skip
    rows = rows_of(output)
    assert [row[:5] for row in rows[:2]] == [
        ["1", "k", "alone", "4", rows[0][4]],
        ["2", "k", "alone", "400", "not"],
    ]
    assert [row[:3] for row in rows[2:4]] == [["3", "none", "4"], ["4", "none", "400"]]
    assert [row[:4] for row in rows[4:]] == [
        [str(place), bandwidth, k, t]
        for place, (bandwidth, t, k) in enumerate(
            [(b, t, k) for b in ("0.3", "0.3+0.6") for t in ("0.1", "0.3") for k in ("4", "400")], 5
        )
    ]
    assert [row[4] == "not" for row in rows[4:]] == [False, True] * 4
    assert output.count("cannot be met: k_anonymity") == 1
    assert "2, 4, 6, 8, 10, 12 cannot be met" in output
    assert "All but k alone: l 2; belief_breach of the reader who knows only" in output


def test_at_most_eight_are_shown_of_many(uri: str) -> None:
    asked = ("explore", "patients", "--uri", uri, "--bandwidth", ".3,.6,.3+.6", "--k", "4,6")
    output = succeeded(*asked)
    rows = rows_of(output)
    assert len(rows) == 8
    assert "8 of 40 policies are shown; --all shows all." in output
    assert [row[:3] for row in rows[:2]] == [[place, "k", "alone"] for place in ("1", "2")]
    assert sum("★" in row for row in rows) == 1


def test_nothing_that_can_be_met_is_no_error(uri: str) -> None:
    output = succeeded("explore", "patients", "--uri", uri, "--k", "400", "--t", ".2")
    assert [row[-2:] for row in rows_of(output)] == [["not", "met"]] * 3
    assert "No policy is recommended: none can be met." in output
    assert "1-3 cannot be met: k_anonymity" in output
    assert "SELECT bkpriv" not in output
    assert "certified" not in output


def test_policies_of_a_file_and_what_they_share(uri: str, tmp_path: Path) -> None:
    path = tmp_path / "policies.json"
    path.write_text(
        json.dumps([{"k_anonymity": {"k": k}, "l_diversity": {"l": 2}} for k in (3, 6)])
    )
    output = succeeded("explore", "patients", "--uri", uri, "--policies", str(path))
    assert "All but k alone: l 2" in output
    assert "nothing to compare" in output
    picture = tmp_path / "plot.png"
    succeeded("explore", "patients", "--uri", uri, "--policies", str(path), "--plot", str(picture))
    assert_drawn(picture)
    path.write_text(json.dumps([{"k_anonymity": {"k": 3}}]))
    picture.unlink()
    told = failed(
        "explore", "patients", "--uri", uri, "--policies", str(path), "--plot", str(picture)
    )
    assert "there is nothing to draw" in told
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
    grid = ("--k", ",".join(map(str, range(2, 42))), "--plot", str(plot))
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


def visits(db: Connection, ages: str) -> None:
    """300 visits of 100 people to one of two wards in two years, of some age at each."""
    db.execute(
        "CREATE TABLE public.visit AS SELECT i % 100 AS who, "
        f"20 + {ages} AS age, 2020 + i % 2 AS year, i AS nr, "
        "(ARRAY['flu', 'gout', 'ulcer'])[1 + i * 7 % 11 % 3] AS ill "
        "FROM generate_series(1, 300) AS i; "
        "SELECT bkpriv.register_dataset('visits', 'visit', '{age}', 'ill', respondent => 'who')"
    )


ASKED = ("explore", "visits", "--bandwidth", ".5", "--t", ".3")


@pytest.mark.parametrize(
    ("ages", "options", "left_out"),
    [
        ("i % 40", (), "200 of 300"),  # Their age differs, so one of each is taken.
        ("i % 100 % 40", (), None),  # It does not, so all are.
        ("i % 100 % 40", ("--option", "max_records_per_person=2"), "100 of 300"),
        (
            "i % 100 % 40",
            ("--option", "max_records_per_person=1", "--option", "latest_by=nr"),
            "200 of 300",
        ),
    ],
)
def test_records_of_people_that_are_not_published_are_counted(
    database: Database, db: Connection, ages: str, options: tuple[str, ...], left_out: str | None
) -> None:
    visits(db, ages)
    output = succeeded(*ASKED, "--uri", database.uri(), *options)
    said = " ".join(output.split())
    statements = [line for line in output.splitlines() if line.startswith("SELECT bkpriv.")]
    for statement in statements:
        db.execute(statement.encode())
    rows = one(db, "SELECT count(*) FROM visits_shown")
    if left_out is None:
        assert rows == 300
        assert "It leaves out" not in said
        assert "0.0%" in next(row for row in rows_of(output) if "★" in row)
        return
    assert rows == 300 - int(left_out.split()[0])
    assert f"{left_out} records of people are not published, under any policy" in said
    assert f"It leaves out {left_out} records. To state and publish it:" in said
    assert f"{1 - rows / 300:.1%}" in next(row for row in rows_of(output) if "★" in row)


SURVEY = "SELECT i AS id, {}, (ARRAY['none', 'depression', 'addiction'])[1 + {} % 3] AS ill"


def digits(label: str, most: int) -> str:
    """SQL of a number below `most`, drawn from a digest."""
    return f"(('x' || substr(md5('{label}' || i), 1, 7))::bit(28)::int % {most})"


@pytest.mark.parametrize(
    ("columns", "values", "people"),
    [(12, 3, 400), (20, 2, 300), (9, 4, 300)],
)
def test_where_readers_know_nearly_everybody_a_weaker_one_is_bounded(
    database: Database, db: Connection, columns: int, values: int, people: int
) -> None:
    names = [f"q{place}" for place in range(columns)]
    drawn = ", ".join(f"{digits(name, values)}::text AS {name}" for name in names)
    db.execute(
        f"CREATE TABLE public.survey AS {SURVEY.format(drawn, digits('ill', 3))} "
        f"FROM generate_series(1, {people}) AS i; "
        f"SELECT bkpriv.register_dataset('survey', 'public.survey', ARRAY{names}, 'ill')"
    )
    output = succeeded("explore", "survey", "--uri", database.uri(), "--bandwidth", ".2+.3")
    said = " ".join(output.split())
    assert "says nothing about these people" in said
    assert "fewer or coarser" in said
    (marked,) = [row for row in rows_of(output) if "★" in row]
    assert marked[1] == "none"
    for line in output.splitlines():
        if line.startswith("SELECT bkpriv."):
            db.execute(line.encode())
    alike = ", ".join(names)
    single = one(
        db,
        "SELECT count(*) FROM (SELECT min(ill) OVER w AS a, max(ill) OVER w AS b FROM "
        f"survey_shown WINDOW w AS (PARTITION BY {alike})) AS x WHERE a = b",
    )
    assert single == 0


@pytest.mark.parametrize(
    ("share", "columns", "options", "said", "unsaid"),
    [
        (25, "20 + 10 * (i % 7) AS age", (), "over 90 % of all people have the same", "coarser"),
        (40, "i % 3 AS age", (), "over 90 % of all people have the same value", "coarser"),
        (25, "i AS age", (), "by the quasi-identifiers", "over 90 %"),
        (
            25,
            "20 + 10 * (i % 7) AS age, i % 9 AS ward",
            ("--l", "2", "--tolerance", "1%"),
            "The readers are not the cause: l = 2 costs as much without them",
            "larger t",
        ),
    ],
)
def test_the_base_rate_is_not_blamed_on_the_quasi_identifiers(
    database: Database,
    db: Connection,
    share: int,
    columns: str,
    options: tuple[str, ...],
    said: str,
    unsaid: str,
) -> None:
    names = [part.split()[-1] for part in columns.split(", ")]
    db.execute(
        f"CREATE TABLE public.skewed AS SELECT {columns}, CASE WHEN {digits('ill', share)} = 0 "
        "THEN 'ill' ELSE 'well' END AS state FROM generate_series(1, 1000) AS i; "
        f"SELECT bkpriv.register_dataset('skewed', 'public.skewed', ARRAY{names}, 'state')"
    )
    asked = ("--bandwidth", ".0001" if "by the" in said else ".3", "--t", ".2", *options)
    output = " ".join(succeeded("explore", "skewed", "--uri", database.uri(), *asked).split())
    assert said in output
    assert unsaid not in output


# --- the plot -------------------------------------------------------------------------------------


def tried(place: int, bandwidth: float, t: float, lost: float, bits: float | None) -> Setting:
    return Setting(
        place,
        {"bt_privacy": [{"bandwidth": bandwidth, "t": t}], "k_anonymity": {"k": 4}},
        {"gcp": lost, "largest_disclosure": bits, "query_error": 0.1},
    )


def test_the_front_is_of_those_that_none_of_the_same_adversary_beats() -> None:
    settings = [
        tried(1, 0.3, 0.1, 0.5, 0.1),
        tried(2, 0.3, 0.2, 0.4, 0.2),
        tried(3, 0.3, 0.3, 0.45, 0.25),  # loses more than 2, and discloses more
        tried(4, 0.3, 0.4, 0.2, 0.4),
        tried(5, 0.6, 0.1, 0.6, 0.3),  # beaten by 1 only, which is of another adversary
        Setting(6, {"bt_privacy": [{"bandwidth": 0.3, "t": 0}]}, {"refused": 1.0}),
    ]
    assert [setting.place for setting in front(settings)] == [4, 2, 1, 5]
    assert front([*settings[:2], *settings[3:]]) == []  # None is worse than others.
    assert losses(settings) == "gcp"
    assert losses([tried(1, 0.3, 0.1, 0.0, 0.1)]) == "query_error"
    assert told_apart(settings[:5]) == (["t"], {"k": "4"})


def test_nothing_is_drawn_where_there_is_nothing() -> None:
    refused = Setting(1, {"k_anonymity": {"k": 4}}, {"refused": 1.0})
    file = io.BytesIO()
    assert not draw(file, "png", "nothing", [refused])
    assert not draw(file, "png", "nothing", [tried(1, 0.3, 0.1, 0.5, None)])
    assert not file.getvalue()


def drawn(settings: list[Setting], chosen: Setting | None = None, *, dark: bool = False) -> str:
    file = io.BytesIO()
    assert draw(file, "svg", "labels", settings, chosen, dark=dark)
    return file.getvalue().decode()


def test_labels_do_not_cover_each_other_and_axes_begin_at_zero() -> None:
    alone = Setting(1, {"k_anonymity": {"k": 4}}, {"gcp": 0.1, "largest_disclosure": 0.9})
    crowd = [tried(place, 0.3, place / 100, 0.3, place / 100) for place in range(2, 30)]
    picture = drawn([alone, *crowd], crowd[0])
    assert "<!-- k = 4 alone -->" in picture
    assert "<!-- recommended, certified -->" in picture
    assert 1 <= picture.count("<!-- t 0.") < len(crowd)
    assert picture.count("<!-- 0% -->") == 2
    # All at one place are one point, which has one label; figures that are nothing are drawn, too.
    assert (
        drawn([tried(1, 0.3, 0.1, 0.2, 0.0), tried(2, 0.3, 0.2, 0.2, 1e-17)]).count("<!-- t") == 1
    )


def test_a_dark_picture_has_a_dark_ground_and_the_same_labels() -> None:
    settings = [tried(1, 0.3, 0.1, 0.2, 0.1), tried(2, 0.6, 0.2, 0.3, 0.2)]
    light, dark = drawn(settings), drawn(settings, dark=True)
    assert ("#14171a" in light, "#14171a" in dark) == (False, True)
    assert "#ffffff" not in dark
    assert re.findall("<!-- (.*?) -->", light) == re.findall("<!-- (.*?) -->", dark)
