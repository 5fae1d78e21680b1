"""The study of tables that grow in the documents: complete, and saying what its data say."""

from __future__ import annotations

from studies.again.design import BOUNDS, FULL
from studies.growing import WAYS
from tests.docs.documents import ROOT
from tests.docs.study import Page, Rows

PAGE = Page("again")
rows = PAGE.rows
LAST = str(FULL.months)
SHOWN = ("1", "2", "12")
CROWD, BELIEF, CERTAIN = (BOUNDS[key] for key in ("k_anonymity", "bt_privacy", "max_disclosure"))


def test_the_data_are_those_of_the_full_design() -> None:
    months = [str(month) for month in range(1, FULL.months + 1)]
    for way in WAYS:
        for bound in BOUNDS.values():
            found = rows("exposed", way=way.name, bound=bound)
            assert [row["month"] for row in found] == months
        assert [row["month"] for row in rows("detail", way=way.name)] == months
    assert {row["people"] for row in rows("exposed", month=LAST)} == {"45222"}


def figure(name: str, way: str, column: str, **settings: str) -> str:
    """One figure."""
    (row,) = rows(name, way=way, **settings)
    return row[column]


def line(way: str, month: str) -> dict[str, str]:
    """Line of the page's table about a month."""
    exposed = {
        name: figure("exposed", way, "exposed", bound=bound, month=month)
        for name, bound in zip(
            ("fewer than 5", "belief moved", "certain"), BOUNDS.values(), strict=True
        )
    }
    counts = {
        "people": figure("detail", way, "people", month=month),
        **exposed,
        "left out": figure("detail", way, "suppressed", month=month),
    }
    return {
        "way": way,
        "month": month,
        "GCP": f"{float(figure('detail', way, 'gcp', month=month)):.3f}",
        **{name: f"{int(count):,}" for name, count in counts.items()},
    }


def test_the_table_shows_the_data() -> None:
    shown: Rows = PAGE.tabulated("Twelve months")
    assert [(row["way"], row["month"]) for row in shown] == [
        (way.name, month) for way in WAYS for month in SHOWN
    ]
    for row in shown:
        assert row == line(row["way"], row["month"])


def test_what_is_said_of_naive_releases() -> None:
    shares = [
        float(figure("exposed", "naive", "share", bound=bound, month=LAST))
        for bound in (CERTAIN, CROWD)
    ]
    said = " ".join(PAGE.text.split())
    assert f"{shares[0]:.0%} of all values are certain".replace("%", " %") in said
    assert f"{shares[1]:.0%} of the people".replace("%", " %") in said
    guarantee = ROOT / "docs" / "explanation" / "guarantee.md"
    told = " ".join(guarantee.read_text().split())
    assert f"[{shares[0]:.0%} of all values]".replace("%", " %") in told


def test_growing_adds_to_nobody_but_by_what_adversaries_come_to_know() -> None:
    assert {row["exposed"] for row in rows("exposed", way="grow", bound=CROWD)} == {"0"}
    for bound, most in ((CERTAIN, 0.01), (BELIEF, 0.03)):
        assert max(float(row["share"]) for row in rows("exposed", way="grow", bound=bound)) < most


def test_certified_together_is_said_to_cost_little_more_than_growing() -> None:
    assert {row["exposed"] for row in rows("exposed", way="certify", bound=CROWD)} == {"0"}
    for bound, most in ((CERTAIN, 0.01), (BELIEF, 0.03)):
        shares = [float(row["share"]) for row in rows("exposed", way="certify", bound=bound)]
        assert max(shares) < most
    certified, grown = (figure("detail", way, "gcp", month=LAST) for way in ("certify", "grow"))
    said = " ".join(PAGE.text.split())
    assert f"GCP {float(certified):.3f} to growing's {float(grown):.3f}" in said
    waiting = figure("detail", "certify", "suppressed", month=LAST)
    assert f"and {waiting} of the last month's people wait" in said
