"""The study of tables that grow in the documents: complete, and saying what its data say."""

from __future__ import annotations

import pytest

from bkpriv_core.cli.growing import GROW, NAIVE, WAYS, Way
from bkpriv_core.cli.study.again.command import STUDY
from bkpriv_core.cli.study.again.design import BOUNDS, FULL
from tests.docs.documents import ROOT
from tests.docs.study import Page, Rows

PAGE = Page("again", "explanation")
rows = PAGE.rows
LAST = str(FULL.months)
SHOWN = ("1", "2", "3", "6", "9", "12")
CROWD, BELIEF, CERTAIN = (BOUNDS[key] for key in ("k_anonymity", "bt_privacy", "max_disclosure"))


@pytest.mark.parametrize("name", [figure.name for figure in STUDY.figures])
def test_every_figure_is_shown_with_its_data(name: str) -> None:
    assert PAGE.shows(name)


def test_the_data_are_those_of_the_full_design() -> None:
    months = [str(month) for month in range(1, FULL.months + 1)]
    for prefix, ways in (("", (NAIVE, GROW)), ("sample_", WAYS)):
        for way in ways:
            for bound in BOUNDS.values():
                found = rows(f"{prefix}exposed", way=way.name, bound=bound)
                assert [row["month"] for row in found] == months
            assert [row["month"] for row in rows(f"{prefix}detail", way=way.name)] == months
    assert {row["people"] for row in rows("exposed", month=LAST)} == {"45222"}
    assert {row["people"] for row in rows("sample_exposed", month=LAST)} == {str(FULL.sample)}


def figure(name: str, way: str, column: str, **settings: str) -> str:
    """One figure."""
    (row,) = rows(name, way=way, **settings)
    return row[column]


def line(prefix: str, way: str, month: str) -> dict[str, str]:
    """What a table of the page is to say of a month."""
    exposed = {
        name: figure(f"{prefix}exposed", way, "exposed", bound=bound, month=month)
        for name, bound in zip(
            ("fewer than 5", "belief moved", "certain"), BOUNDS.values(), strict=True
        )
    }
    detail = f"{prefix}detail"
    counts = {
        "people": figure(detail, way, "people", month=month),
        **exposed,
        "left out": figure(detail, way, "suppressed", month=month),
    }
    return {
        "way": way,
        "month": month,
        "GCP": f"{float(figure(detail, way, 'gcp', month=month)):.3f}",
        **{name: f"{int(count):,}" for name, count in counts.items()},
    }


@pytest.mark.parametrize(
    ("heading", "prefix", "ways"),
    [("Twelve months", "", (NAIVE, GROW)), ("A small table", "sample_", WAYS)],
)
def test_tables_show_the_data(heading: str, prefix: str, ways: tuple[Way, ...]) -> None:
    shown: Rows = PAGE.tabulated(heading)
    assert [(row["way"], row["month"]) for row in shown] == [
        (way.name, month) for way in ways for month in SHOWN
    ]
    for row in shown:
        assert row == line(prefix, row["way"], row["month"])


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
