"""The study of serial releases in the documents: complete, and saying what its data say."""

from __future__ import annotations

from studies.riboni2012.design import (
    BETTER,
    DEFENCES,
    FULL,
    IE,
    JS_REDUCE,
    SNAPSHOTS,
    js_reduce,
    skyline,
)
from tests.docs.study import Page, Rows, figures

PAGE = Page("riboni2012")
rows = PAGE.rows
LAST = str(FULL.weeks)


def test_the_data_are_those_of_the_full_design() -> None:
    weeks = {str(week) for week in range(1, FULL.weeks + 1)}
    for name in ("figure_3", "figure_4", "figure_5", "figure_6", "figure_7", "extra_suppressed"):
        assert {row["week"] for row in rows(name)} == weeks
    names = {defence.name for defence in DEFENCES}
    for name in ("figure_6", "figure_8a", "figure_8b", "extra_suppressed", "extra_inference"):
        assert {row["defence"] for row in rows(name)} == names
    assert len(rows("figure_8b")) == len(names) * len(FULL.selectivities)


def test_what_is_claimed_of_confidence() -> None:
    def confidence(defence: str, estimator: str, week: str = LAST) -> str:
        (row,) = rows("figure_6", defence=defence, estimator=estimator, week=week)
        return f"{float(row['confidence']):.2f}"

    assert confidence(JS_REDUCE.name, "omega", "1") == "0.15"
    ends = [
        confidence(name, estimator)
        for estimator in ("omega", "auto")
        for name in (JS_REDUCE.name, "ℓ-diversity")
    ]
    assert ends == ["0.27", "0.61", "0.39", "0.82"]


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
        ends = {f"{gain:.2f}" for gain in (best, *others)}
        expected = {"0.32", "0.33"} if defence.name == "t-closeness" else {"0.42", "0.43", "0.44"}
        assert ends <= expected
        assert nothing < 0.001
        three, two, one, _ = figures(at_end_of("figure_4", defence.name), "gain")
        assert three < two < one < three + 0.01
    assert max(figures(rows("figure_4", adversary="none"), "gain")) < 0.0045


def at_end_of(name: str, defence: str) -> Rows:
    """Rows of the last week, of a defence."""
    return rows(name, week=LAST, defence=defence)


BY_BETHE = js_reduce(0.6, estimator=BETTER)


def test_what_is_claimed_of_gains_under_js_reduce() -> None:
    def highest(name: str, **settings: str) -> float:
        return max(figures(rows(name, **settings), "gain"))

    for figure in ("figure_4", "figure_5"):
        assert f"{highest(figure, defence=JS_REDUCE.name):.3f}" == "0.155"
    assert f"{highest('figure_5', defence=js_reduce(0.6, IE).name):.2f}" == "0.16"
    for defence, gain in ((JS_REDUCE, "0.29"), (BY_BETHE, "0.18")):
        assert f"{highest('extra_inference', defence=defence.name):.2f}" == gain


def test_what_is_claimed_of_the_threshold() -> None:
    by_threshold = {
        (row["estimator"], row["week"], row["defence"]): float(row["gain"])
        for row in rows("figure_7")
    }
    names = list(dict.fromkeys(row["defence"] for row in rows("figure_7")))
    for (estimator, week, _), _ in by_threshold.items():
        gains = [by_threshold[estimator, week, name] for name in names]
        if (estimator, week) == ("omega", "2"):
            first, second, *_ = gains
            assert f"{first - second:.4f}" == "0.0003"
            gains[:2] = second, first
        assert gains == sorted(gains)


def test_what_is_claimed_of_the_cost_of_js_reduce() -> None:
    loss = {(row["defence"], row["week"]): float(row["gcp"]) for row in rows("figure_8a")}

    def times(defence: str) -> list[int]:
        """Least and largest ratio of the detail lost to that of others."""
        shares = [
            loss[defence, week] / loss[other.name, week]
            for week in dict.fromkeys(week for _, week in loss)
            for other in SNAPSHOTS
        ]
        return [round(min(shares)), round(max(shares))]

    assert times(JS_REDUCE.name) == [6, 36]
    assert times(BY_BETHE.name) == [6, 74]
    for defence, least, most in ((JS_REDUCE, "0.03", "0.05"), (BY_BETHE, "0.01", "0.13")):
        errors = figures(rows("figure_8b", defence=defence.name), "median_relative_error")
        assert (f"{min(errors):.2f}", f"{max(errors):.2f}") == (least, most)
    (week,) = (row for row in rows("extra_suppressed") if float(row["suppressed"]) > 0)
    assert week["defence"] == BY_BETHE.name
    assert (week["week"], week["suppressed"], week["share"]) == ("19", "22", "0.0044")


def test_what_is_claimed_of_the_sequential_skyline() -> None:
    (mine,) = rows("extra_trade", defence=skyline(0.2).name)
    (theirs,) = rows("extra_trade", defence=JS_REDUCE.name)
    for column in ("gain", "confidence", "gcp"):
        assert float(mine[column]) < float(theirs[column])
    assert float(mine["suppressed_share"]) == float(theirs["suppressed_share"]) == 0
    (tight,) = rows("extra_trade", defence=js_reduce(0.2).name)
    assert f"{float(tight['gain']):.2f}, {float(tight['suppressed_share']):.0%}" == "0.05, 19%"
    assert round(float(tight["gcp"]) / float(mine["gcp"])) == 6
    ours, others = (
        figures(rows("figure_8b", defence=defence.name), "median_relative_error")
        for defence in (skyline(0.2), JS_REDUCE)
    )
    assert all(error < other for error, other in zip(ours, others, strict=True))
