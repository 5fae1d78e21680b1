"""``make study STUDY=attacks``: its data against the same attacks through SQL, and its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bkpriv_client.declaration import declare_source
from bkpriv_client.hospital import hospital
from bkpriv_client.loading import load_source
from studies.attacks.command import STUDY
from studies.attacks.design import ATTACKERS, QUICK, Kind
from studies.attacks.found import BASELINE
from tests.census_files import adult_files
from tests.conftest import Connection
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]
TABLES = ("Adult", "houses", "hospital")
PAIRS = {
    (table, kind.name, attack.name)
    for table in TABLES
    for kind in QUICK.kinds
    for attack in ATTACKERS
    if not (attack.boxes and kind.method == "anatomy")
}


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = adult_files(tmp_path_factory.mktemp("adult"), 700)
    out = tmp_path_factory.mktemp("figures") / "made" / "by it"
    succeeded("attacks", "--adult", str(data), "--out", str(out), "--quick")
    return out


def test_every_figure_has_data_and_a_picture(figures: Path) -> None:
    assert_complete(figures, FIGURES)


@pytest.mark.parametrize("name", ["breached", "guesses", "claims"])
def test_every_attack_on_every_release_is_measured(figures: Path, name: str) -> None:
    rows = read_rows(figures / f"{name}.csv")
    found = [(row["table"], row["release"], row["attacker"]) for row in rows]
    without = {(table, kind.name, BASELINE) for table in TABLES for kind in QUICK.kinds}
    assert sorted(found) == sorted(PAIRS | (without if name == "guesses" else set()))


def test_the_price_is_beside_the_most_people_breached(figures: Path) -> None:
    rows = read_rows(figures / "price.csv")
    assert len(rows) == len(TABLES) * len(QUICK.kinds)
    for row in rows:
        of_release = read_rows(figures / "breached.csv", table=row["table"], release=row["release"])
        assert int(row["breached"]) == max(int(each["breached"]) for each in of_release)


def test_who_is_breached_is_claimed_rightly(figures: Path) -> None:
    for row in read_rows(figures / "claims.csv"):
        which = {key: row[key] for key in ("table", "release", "attacker")}
        (breached,) = read_rows(figures / "breached.csv", **which)
        assert int(breached["breached"]) <= int(row["right"]) <= int(row["claimed"])
        if row["share"]:
            assert float(row["share"]) == approx(int(row["right"]) / int(row["claimed"]))


@pytest.mark.parametrize("kind", QUICK.kinds, ids=lambda kind: str(kind.name))
def test_attacks_through_sql_find_the_same(figures: Path, db: Connection, kind: Kind) -> None:
    source = hospital(QUICK.hospital, QUICK.seed)
    load_source(db, "public", source)
    for statement in declare_source(db, "hospital", "public", source):
        db.execute(statement)
    db.execute("SELECT bkpriv.set_policy('study', %s)", [json.dumps(kind.requirements)])
    (release,) = db.execute(
        "SELECT bkpriv.publish('hospital', 'study', 'public.seen', %s, options => %s)",
        [kind.method, json.dumps({"seed": QUICK.seed, **kind.options})],
    ).fetchone() or (None,)
    measured = db.execute("SELECT metric, value FROM bkpriv.utility(%s)", [release])
    lost: dict[str, float] = dict(measured.fetchall())
    (price,) = read_rows(figures / "price.csv", table="hospital", release=kind.name)
    assert float(price["gcp"]) == approx(lost["gcp"] or 0.0)
    for attack in ATTACKERS:
        if ("hospital", kind.name, attack.name) not in PAIRS:
            continue
        answer = db.execute(
            "SELECT metric, value FROM bkpriv.attack(%s, %s, %s)",
            [release, attack.attacker, json.dumps(attack.options)],
        )
        found: dict[str, float] = dict(answer.fetchall())
        which = {"table": "hospital", "release": kind.name, "attacker": attack.name}
        (breached,) = read_rows(figures / "breached.csv", **which)
        (claims,) = read_rows(figures / "claims.csv", **which)
        (guesses,) = read_rows(figures / "guesses.csv", **which)
        assert int(breached["breached"]) == found["breached"]
        assert float(breached["worst"]) == pytest.approx(found["worst"], abs=1e-3)
        assert [int(claims[name]) for name in ("claimed", "right")] == [
            found["claimed"],
            found["claimed_right"],
        ]
        assert float(guesses["accuracy"]) == pytest.approx(found["accuracy"], abs=1e-3)


def test_groups_that_do_not_look_at_values_tell_the_algorithm_nothing(figures: Path) -> None:
    for method in ("mondrian", "agglomerate"):
        rows = read_rows(figures / "algorithm.csv", policy="k = 2", method=method)
        assert len({(row["moved"], row["breached"]) for row in rows}) == 1
    by_policy = {
        reader: sum(
            int(row["moved"]) for row in read_rows(figures / "algorithm.csv", reader=reader)
        )
        for reader in ("knows the algorithm", "does not know the algorithm")
    }
    assert by_policy["knows the algorithm"] > by_policy["does not know the algorithm"]
