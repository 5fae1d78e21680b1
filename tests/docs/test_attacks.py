"""The study of attacks in the documents: complete, and saying what its data say."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from studies.attacks.design import ATTACKERS, FULL, KINDS, SMALL
from tests.docs.documents import ROOT
from tests.docs.study import Page

PAGE = Page("attacks")
rows = PAGE.rows
TABLES = ("Adult", "houses", "hospital")
LEARNER, BAYES = "learner, logistic", "learner, bayes"


def breached(table: str, release: str, attacker: str = LEARNER) -> int:
    """People of a table whom an attacker breaches."""
    (row,) = rows("breached", table=table, release=release, attacker=attacker)
    return int(row["breached"])


def test_the_data_are_those_of_the_full_design() -> None:
    assert FULL.kinds == KINDS
    for table in TABLES:
        for kind in KINDS:
            played = [row["attacker"] for row in rows("breached", table=table, release=kind.name)]
            exact = kind.method == "anatomy"
            assert played == [each.name for each in ATTACKERS if not (exact and each.boxes)]
    assert {row["people"] for row in rows("breached", table="Adult", attacker=LEARNER)} == {"45222"}
    small = {(row["policy"], row["method"]) for row in rows("algorithm")}
    assert small == {(kind.policy, kind.method) for kind in SMALL}
    for row in rows("algorithm"):
        tried = sum(int(row[name]) for name in ("tables", "unpublished", "too_large"))
        assert tried == FULL.samples


def shown_as(row: Mapping[str, str]) -> str:
    """People breached, and of how many where something is not known of all."""
    of = f" of {int(row['people']):,}" if int(row["not_inferred"]) else ""
    return f"{int(row['breached']):,}{of}"


@pytest.mark.parametrize("table", TABLES)
def test_the_tables_show_the_data(table: str) -> None:
    shown = PAGE.tabulated(table)
    assert [(row["policy"], row["method"]) for row in shown] == [
        (row["policy"], row["method"]) for row in rows("price", table=table)
    ]
    for row in shown:
        which = {"table": table, "policy": row["policy"], "method": row["method"]}
        found = {each["attacker"]: shown_as(each) for each in rows("breached", **which)}
        (claims,) = rows("claims", **which, attacker=LEARNER)
        (price,) = rows("price", **which)
        for attack in ATTACKERS:
            assert row[attack.name] == found.get(attack.name, "")
        assert row["claims right"] == f"{int(claims['right']):,} of {int(claims['claimed']):,}"
        lost = float(price["gcp"])
        assert row["GCP"] == (f"{lost:.3f}" if lost else "")


def test_who_knows_the_algorithm_is_shown() -> None:
    for row in PAGE.tabulated("Who knows the algorithm"):
        for reader in ("knows the algorithm", "does not know the algorithm"):
            (found,) = rows("algorithm", policy=row["policy"], method=row["method"], reader=reader)
            assert row[reader] == f"{float(found['share']):.1%}".replace("%", " %")


def precision(release: str, attacker: str) -> float:
    """Share of an attacker's claims about Adult that are right."""
    (row,) = rows("claims", table="Adult", release=release, attacker=attacker)
    return int(row["right"]) / int(row["claimed"])


def test_anatomy_is_broken_by_the_learner_and_mended_by_the_skyline() -> None:
    alone = breached("Adult", "ℓ = 4, anatomy")
    bounded = breached("Adult", "ℓ = 4, skyline, anatomy")
    assert alone > 1000
    assert bounded < alone / 20
    said = " ".join(PAGE.text.split())
    assert f"breaches {alone:,} people" in said
    assert bounded == 0
    assert f"none of {alone:,} is left" in said
    bayes = breached("Adult", "ℓ = 4, skyline, anatomy", BAYES)
    assert f"still breaches {bayes} of 45,222" in said
    shares = [
        f"{precision(release, BAYES):.0%}".replace("%", " %")
        for release in ("ℓ = 4, skyline, anatomy", "ℓ = 4, anatomy")
    ]
    assert f"{shares[0]} are right ({shares[1]} without the skyline)" in said
    guarantee = " ".join((ROOT / "docs" / "explanation" / "guarantee.md").read_text().split())
    assert f"[{alone:,} people of Adult]" in guarantee
