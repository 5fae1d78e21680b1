"""The study of serial releases in the documents: complete, and saying what its data say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bkpriv_core.cli.study.riboni2012.command import STUDY
from bkpriv_core.cli.study.riboni2012.design import (
    DEFENCES,
    FULL,
    JS_REDUCE,
    SNAPSHOTS,
    skyline,
)
from tests.docs.study import Page, Rows, figures

PAGE = Page("riboni2012")
rows = PAGE.rows
LAST = str(FULL.weeks)
WEEKS = ("1", "6", "12", "18", "24")


@pytest.mark.parametrize("name", [figure.name for figure in STUDY.figures])
def test_every_figure_is_shown_with_its_data(name: str) -> None:
    assert PAGE.shows(name)


def test_the_data_are_those_of_the_full_design() -> None:
    weeks = {str(week) for week in range(1, FULL.weeks + 1)}
    for name in ("figure_3", "figure_4", "figure_5", "figure_6", "figure_7", "extra_suppressed"):
        assert {row["week"] for row in rows(name)} == weeks
    names = {defence.name for defence in DEFENCES}
    for name in ("figure_6", "figure_8a", "figure_8b", "extra_suppressed", "extra_inference"):
        assert {row["defence"] for row in rows(name)} == names
    assert len(rows("figure_8b")) == len(names) * len(FULL.selectivities)


def at_end(name: str) -> Rows:
    """Rows of the last week."""
    return rows(name, week=LAST)


def through(name: str) -> Rows:
    """Rows of some weeks."""
    return [row for row in rows(name) if row["week"] in WEEKS]


@pytest.mark.parametrize(
    ("heading", "name", "chosen", "across", "value", "form"),
    [
        ("Kinds of knowledge", "figure_3", at_end, "adversary", "gain", ".3f"),
        ("One to three steps", "figure_4", at_end, "adversary", "gain", ".3f"),
        ("Different things known", "figure_5", at_end, "adversary", "gain", ".3f"),
        ("Confidence", "figure_6", at_end, "estimator", "confidence", ".3f"),
        ("Inference", "extra_inference", at_end, "estimator", "gain", ".3f"),
        ("The threshold of JS-reduce", "figure_7", at_end, "estimator", "gain", ".3f"),
        ("Loss of detail", "figure_8a", rows, "week", "gcp", ".3f"),
        (
            *("Error of count queries", "figure_8b", rows),
            *("selectivity", "median_relative_error", ".3f"),
        ),
        ("Records left out", "extra_suppressed", through, "week", "suppressed", ",.0f"),
    ],
)
def test_tables_show_the_data(
    heading: str, name: str, chosen: Callable[[str], Rows], across: str, value: str, form: str
) -> None:
    PAGE.assert_table(heading, chosen(name), "defence", across, value, form)


def test_what_is_gained_for_what_is_lost() -> None:
    shown = {row["defence"]: row for row in PAGE.tabulated("Gain against loss of detail")}
    data = rows("extra_trade")
    assert set(shown) == {row["defence"] for row in data}
    for row in data:
        assert shown[row["defence"]]["gain"] == f"{float(row['gain']):.3f}"
        assert shown[row["defence"]]["GCP"] == f"{float(row['gcp']):.3f}"
        assert shown[row["defence"]]["left out"] == f"{float(row['suppressed_share']):.1%}"


def test_what_is_claimed_of_snapshot_defences() -> None:
    exceeded: dict[tuple[str, str], int] = {}
    for row in rows("extra_inference"):
        if row["week"] == "1":
            assert float(row["gain"]) < 0.0025
        if float(row["gain"]) > 0.4:
            exceeded.setdefault((row["defence"], row["estimator"]), int(row["week"]))
    assert exceeded == {
        ("ℓ-diversity", "omega"): 15,
        ("(B,t)-privacy", "omega"): 16,
        ("ℓ-diversity", "auto"): 7,
        ("t-closeness", "auto"): 8,
        ("(B,t)-privacy", "auto"): 7,
    }
    for defence in SNAPSHOTS:
        best, *others, nothing = figures(at_end_of("figure_3", defence.name), "gain")
        assert all(0.0045 < other - best < 0.0095 for other in others)
        assert nothing < 0.001
        three, two, one, _ = figures(at_end_of("figure_4", defence.name), "gain")
        assert three < two < one < three + 0.01
    assert max(figures(rows("figure_4", adversary="none"), "gain")) < 0.0045


def at_end_of(name: str, defence: str) -> Rows:
    """Rows of the last week, of a defence."""
    return rows(name, week=LAST, defence=defence)


def test_what_is_claimed_of_js_reduce() -> None:
    highest = max(figures(rows("figure_5"), "gain"))
    assert f"{highest:.3f}" == "0.154"
    by_threshold = {
        (row["estimator"], row["week"], row["defence"]): float(row["gain"])
        for row in rows("figure_7")
    }
    names = list(dict.fromkeys(row["defence"] for row in rows("figure_7")))
    for (estimator, week, _), _ in by_threshold.items():
        gains = [by_threshold[estimator, week, name] for name in names]
        assert gains == sorted(gains)
    out = figures(rows("extra_suppressed", defence=JS_REDUCE.name), "suppressed")
    assert f"{sum(out) / (FULL.weeks * FULL.patients):.1%}" == "2.6%"
    assert f"{max(out) / FULL.patients:.1%}" == "5.3%"


def test_what_is_claimed_of_the_sequential_skyline() -> None:
    (mine,) = rows("extra_trade", defence=skyline(0.2).name)
    (theirs,) = rows("extra_trade", defence=JS_REDUCE.name)
    for column in ("gain", "confidence", "gcp", "suppressed_share"):
        assert float(mine[column]) < float(theirs[column])
    ours, others = (
        figures(rows("figure_8b", defence=defence.name), "median_relative_error")
        for defence in (skyline(0.2), JS_REDUCE)
    )
    assert all(error < other for error, other in zip(ours, others, strict=True))
