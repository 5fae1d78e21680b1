"""The study in the documents: complete, as the command writes it, and saying what its data say."""

from __future__ import annotations

import pytest

from studies.li2009.design import FULL, TABLES
from tests.docs.study import Page, figures

PAGE = Page("li2009")
rows = PAGE.rows


def test_the_data_are_those_of_the_full_design() -> None:
    tables = {table.name for table in TABLES}
    for name in ("figure_1a", "figure_4a", "figure_5a"):
        found = {(row["table"], row["parameters"]) for row in rows(name)}
        assert found == {(table, p.name) for table in tables for p in FULL.parameters}
    assert {row["b"] for row in rows("figure_3a")} == {f"{b:g}" for b in FULL.bandwidths}
    assert {row["t"] for row in rows("extra_thresholds")} == {f"{t:g}" for t in FULL.thresholds}
    assert {row["records"] for row in rows("figure_2")} == {str(n) for n in FULL.group_sizes}


@pytest.mark.parametrize(
    ("heading", "name", "settings", "down", "across", "value", "form"),
    [
        (
            *("Vulnerable records against b′", "figure_1a"),
            {"parameters": "para1", "estimator": "auto"},
            *("table", "adversary", "vulnerable", ",.0f"),
        ),
        (
            *("Error of estimates", "figure_2", {"b": "0.3", "estimator": "omega"}),
            *("records", "estimator", "error", ".4f"),
        ),
    ],
)
def test_tables_show_the_data(
    heading: str,
    name: str,
    settings: dict[str, str],
    down: str,
    across: str,
    value: str,
    form: str,
) -> None:
    PAGE.assert_table(heading, rows(name, **settings), down, across, value, form)


def test_how_much_estimates_err() -> None:
    omega, bethe = rows("figure_2", estimator="omega"), rows("figure_2", estimator="bethe")
    assert f"{max(figures(omega, 'error')):.4f}" == "0.0465"
    assert f"{max(figures(omega, 'largest_error')):.1f}" == "0.3"
    for of_omega, of_bethe in zip(omega, bethe, strict=True):
        assert float(of_omega["bias"]) < -0.8 * float(of_omega["error"])
        if int(of_omega["records"]) >= 12:
            assert float(of_omega["error"]) > 7 * float(of_bethe["error"])
        if of_omega["records"] == "3":
            assert int(of_bethe["not_converged"]) > 50


def test_what_is_claimed_of_utility() -> None:
    ours = rows("figure_5a", table="(B,t)-privacy")
    for other in ("distinct ℓ-diversity", "probabilistic ℓ-diversity", "t-closeness"):
        for mine, theirs in zip(ours, rows("figure_5a", table=other), strict=True):
            assert float(mine["gcp"]) < float(theirs["gcp"])
            assert other.startswith("distinct") or float(theirs["gcp"]) > 10 * float(mine["gcp"])
            better = float(mine["discernibility"]) < float(theirs["discernibility"])
            assert better or (other.startswith("distinct") and float(mine["suppressed_share"]) > 0)
        for name in ("figure_6a", "figure_6b"):
            errors = "mean_relative_error"
            for mine, theirs in zip(
                rows(name, table="(B,t)-privacy"), rows(name, table=other), strict=True
            ):
                assert float(mine[errors]) < float(theirs[errors])
    losses = {row["table"]: row["gcp"] for row in rows("figure_5b", parameters="para1")}
    del losses["(B,t)-privacy by omega"]
    assert [f"{float(loss):.3f}" for loss in losses.values()] == [
        "0.020",
        "0.160",
        "0.388",
        "0.015",
    ]
    for table in TABLES:
        by_selectivity = figures(rows("figure_6b", table=table.name), "mean_relative_error")
        assert by_selectivity == sorted(by_selectivity, reverse=True)
        first, *_, last = figures(rows("figure_6a", table=table.name), "mean_relative_error")
        assert 0.07 < 1 - last / first < 0.4


def test_what_is_claimed_of_the_worst_disclosure() -> None:
    view = "(B,t)-privacy, measured by auto"
    low, high = (
        rows("figure_3a", view=view, b=b, adversary="0.3")[0]["worst"] for b in ("0.3", "0.35")
    )
    assert (f"{float(low):.2f}", f"{float(high):.2f}") == ("0.25", "0.61")


def test_what_is_claimed_of_enforcing_with_omega() -> None:
    lines: dict[str, list[str]] = {}
    for row in rows("extra_thresholds"):
        lines.setdefault(row["line"], []).append(row["vulnerable"])
    exposed = lines.pop("(B,t)-privacy by omega, measured exactly if feasible")
    assert exposed == ["384", "279", "210", "158", "104"]
    assert {number for line in lines.values() for number in line} == {"0"}
