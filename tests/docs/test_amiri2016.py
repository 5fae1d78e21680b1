"""The study of Amiri et al. in the documents: complete, and saying what its data say."""

from __future__ import annotations

from studies.amiri2016.design import FULL, KINDS, SWEPT
from tests.docs.study import Page, figures

PAGE = Page("amiri2016")
rows = PAGE.rows

RGCP, LEFT_OUT = "RGCP of all records", "share of records left out"


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

    last = by_method("clinic_cost", LEFT_OUT, FULL.weeks)
    assert [f"{last[name]:.0%}" for name in (K, BETA, HILBERT)] == ["13%", "16%", "34%"]
    gains = by_method("clinic_privacy", "gain", FULL.weeks)
    for name, gain in (
        ("mondrian", "0.086"),
        ("agglomerate", "0.155"),
        ("microaggregate", "0.173"),
    ):
        assert f"{gains[name]:.3f}" == gain
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

    def range_of(name: str, measure: str, *methods: str) -> tuple[int, int]:
        found = [round(value) for kind in methods for value in by_k(name, measure, kind)]
        return min(found), max(found)

    others = (HILBERT, "mondrian", "agglomerate")
    assert range_of("classes_by_k", "largest class", *others) == (1360, 2599)
    assert range_of("classes_by_k", "largest class", "microaggregate") == (315, 821)
    for seconds, *methods in (
        ((27, 29), K),
        ((18, 20), BETA),
        ((11, 16), HILBERT),
        ((1, 8), "microaggregate", "mondrian", "agglomerate"),
    ):
        assert range_of("time_by_k", "seconds of a processor", *methods) == seconds
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
    assert [f"{out[name][0]:.0%}" for name in (K, BETA, HILBERT)] == ["19%", "18%", "56%"]
    assert all(out[mine][0] < out[HILBERT][0] for mine in (K, BETA))
    assert all(out[mine][place] > out[HILBERT][place] for mine in (K, BETA) for place in (1, 2))
