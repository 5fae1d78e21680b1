"""The study of Amiri et al. in the documents: complete, and saying what its data say."""

from __future__ import annotations

import pytest

from studies.amiri2016.command import STUDY
from studies.amiri2016.design import FULL, KINDS, SWEPT
from tests.docs.study import Page, figures

PAGE = Page("amiri2016")
rows = PAGE.rows

RGCP, LEFT_OUT = "RGCP of all records", "share of records left out"


@pytest.mark.parametrize("name", [figure.name for figure in STUDY.figures])
def test_every_figure_is_shown_with_its_data(name: str) -> None:
    assert PAGE.shows(name)


def test_the_data_are_those_of_the_full_design() -> None:
    names = [kind.name for kind in SWEPT]
    for axis, values in (("k", FULL.ks), ("beta", FULL.betas), ("j", FULL.js)):
        for figure in (f"cost_by_{axis}", f"privacy_by_{axis}"):
            assert list(dict.fromkeys(row["method"] for row in rows(figure))) == names
            assert {float(row[axis]) for row in rows(figure)} == set(values)
    drawn = {kind.name: FULL.draws if kind.chance else 1 for kind in KINDS}
    for name, draws in drawn.items():
        assert len(rows("methods", method=name)) == draws
    weeks = {str(week) for week in range(1, FULL.weeks + 1)}
    assert {row["week"] for row in rows("clinic_cost")} == weeks


@pytest.mark.parametrize(
    ("heading", "name", "measure", "across", "form"),
    [
        ("Loss of detail by k", "cost_by_k", RGCP, "k", ".3f"),
        ("Loss of detail by β", "cost_by_beta", RGCP, "beta", ".3f"),
        ("Loss of detail by j", "cost_by_j", RGCP, "j", ".3f"),
        ("Records left out by k", "cost_by_k", LEFT_OUT, "k", ".1%"),
        ("Records left out by β", "cost_by_beta", LEFT_OUT, "beta", ".1%"),
        ("Records left out by j", "cost_by_j", LEFT_OUT, "j", ".1%"),
        ("Gain by k", "privacy_by_k", "gain", "k", ".3f"),
        ("Gain by β", "privacy_by_beta", "gain", "beta", ".3f"),
        ("Gain by j", "privacy_by_j", "gain", "j", ".3f"),
        ("Largest class", "classes_by_k", "largest class", "k", ",.0f"),
        ("Time", "time_by_k", "seconds of a processor", "k", ".0f"),
        ("The clinic: loss of detail", "clinic_cost", RGCP, "week", ".3f"),
        ("The clinic: records left out", "clinic_cost", LEFT_OUT, "week", ".1%"),
        ("The clinic: gain", "clinic_privacy", "gain", "week", ".3f"),
    ],
)
def test_tables_show_the_data(
    heading: str, name: str, measure: str, across: str, form: str
) -> None:
    PAGE.assert_table(heading, rows(name, measure=measure), "method", across, "figure", form)


def test_all_methods_at_once() -> None:
    shown = {row["method"]: row for row in PAGE.tabulated("All methods at once")}
    data = rows("methods", draw="0")
    assert set(shown) == {row["method"] for row in data}
    for row in data:
        mine = shown[row["method"]]
        assert mine["GCP"] == f"{float(row['gcp']):.3f}"
        assert mine["RGCP"] == f"{float(row['rgcp']):.3f}"
        assert mine["left out"] == f"{float(row['suppressed_share']):.1%}"
        assert mine["gain"] == f"{float(row['gain']):.3f}"
        assert mine["β reached"] == f"{float(row['beta_reached']):.2f}"
        assert mine["classes"] == f"{float(row['classes']):,.0f}"
        sizes = (f"{float(row[size]):,.0f}" for size in ("smallest", "median", "largest"))
        assert mine["sizes"] == ", ".join(sizes)


def test_what_two_releases_differ_by() -> None:
    """The page says by how much at most."""
    for kind in KINDS:
        for column, most in (("rgcp", 0.008), ("gain", 0.001), ("suppressed_share", 0.001)):
            several = figures(rows("methods", method=kind.name), column)
            assert max(several) - min(several) <= most, (kind.name, column)


K, BETA, HILBERT, ALIKE = (
    "k_anonymity_primacy",
    "beta_likeness_primacy",
    "js_reduce, by j",
    "js_reduce, by j and θ",
)


def test_what_is_claimed_of_adult() -> None:
    told = {
        row["method"]: {name: float(row[name]) for name in row if name != "method"}
        for row in rows("methods", draw="0")
    }
    assert min(told, key=lambda name: told[name]["rgcp"]) == K
    assert min(told, key=lambda name: told[name]["gain"]) == K
    for measure in ("confidence", "disclosure", "beta_mean"):
        assert told[BETA][measure] < told[K][measure]
        assert told[HILBERT][measure] < told[K][measure] or measure == "confidence"
    for mine in (K, BETA):
        assert 2.5 * told[mine]["rgcp"] < told[HILBERT]["rgcp"]
        assert 3.5 * told[mine]["gain"] < told[HILBERT]["gain"]
        assert told[mine]["suppressed_share"] > 3 * told[HILBERT]["suppressed_share"]
        assert told[mine]["suppressed_share"] > told[ALIKE]["suppressed_share"]
    assert told[K]["rgcp"] < told[ALIKE]["rgcp"] < told[BETA]["rgcp"]
    regardless = {kind.name for kind in KINDS if not kind.alike}
    assert {name for name in told if told[name]["js_reached"] > 2} == regardless


def test_what_is_claimed_of_the_clinic() -> None:
    def by_method(name: str, measure: str, week: int) -> dict[str, float]:
        found = rows(name, measure=measure, week=str(week))
        return {row["method"]: float(row["figure"]) for row in found}

    for week in range(2, FULL.weeks + 1):
        out, lost = (by_method("clinic_cost", measure, week) for measure in (LEFT_OUT, RGCP))
        gains = by_method("clinic_privacy", "gain", week)
        assert out[K] < out[ALIKE] < out[HILBERT]
        assert out[BETA] < out[ALIKE]
        assert lost[K] < lost[HILBERT] < lost[BETA] + 0.001
        assert gains[K] < gains[BETA] < gains[HILBERT]


def test_what_is_claimed_of_k() -> None:
    def by_k(name: str, measure: str, method: str) -> list[float]:
        return figures(rows(name, measure=measure, method=method), "figure")

    assert by_k("classes_by_k", "median class", K) == [7, 10, 20]
    assert by_k("classes_by_k", "median class", BETA) == [8, 15, 30]
    for kind in SWEPT:
        largest = by_k("classes_by_k", "largest class", kind.name)
        assert all((160 <= size <= 210) == (kind.name in (K, BETA)) for size in largest)
    moved = {
        kind.name: by_k("privacy_by_k", "how far beliefs move (bits)", kind.name) for kind in SWEPT
    }
    for place in (1, 2):
        assert min(moved, key=lambda name: moved[name][place]) == BETA
        assert moved[K][place] > moved[HILBERT][place]


def test_what_is_claimed_of_beta() -> None:
    """The method that leaves out more is another for small beta."""
    out = {
        kind.name: figures(rows("cost_by_beta", measure=LEFT_OUT, method=kind.name), "figure")
        for kind in SWEPT
    }
    assert all(out[mine][0] < out[HILBERT][0] for mine in (K, BETA))
    assert all(out[mine][place] > out[HILBERT][place] for mine in (K, BETA) for place in (1, 2))
