"""The study of randomization in the documents: complete, and saying what its data say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from studies.guo2011.design import FULL, RR_S, RR_S_MARGINAL
from tests.docs.study import Page, Rows, figures

PAGE = Page("guo2011")
rows = PAGE.rows
LEVELS = [str(ell) for ell in FULL.levels]
LIKELIEST, UNBIASED = "RR-QI, maximum likelihood", "RR-QI, unbiased"
GROUPED = ("anatomy", "incognito, entropy", "bucketize", "mondrian")
BY_ALL, CUBE = "(a) GROUP BY all attributes", "(b) CUBE of all attributes"
WITH, WITHOUT = "(a) occupation and quasi-identifiers", "(b) quasi-identifiers"
LARGEST = "largest in cells of 100 records and more"


def test_the_data_are_those_of_the_full_design() -> None:
    for name in ("table_3", "figure_3", "figure_5", "figure_6", "figure_7", "extra_belief"):
        assert {row["l"] for row in rows(name)} == set(LEVELS)
    for name in ("figure_4", "extra_size"):
        assert {float(row["size"]) for row in rows(name)} == set(FULL.sizes)
        assert {row["l"] for row in rows(name)} == {str(FULL.level)}


def with_values(name: str, value: str, **settings: str) -> Rows:
    """Rows that have some settings and a value."""
    return [row for row in rows(name, **settings) if row[value]]


def test_the_table_of_beliefs_shows_the_data() -> None:
    data = with_values("extra_belief", "probability", belief=LARGEST)
    PAGE.assert_table("Beliefs", data, "released", "l", "probability", ".2f")


def test_what_is_claimed_of_retentions() -> None:
    for scheme, names in (
        ("RR-QI", ("education", "marital_status")),
        ("RR-Both", ("education", "marital_status", "workclass")),
    ):
        for name in names:
            kept = figures(rows("table_3", scheme=scheme, attribute=name), "retention")
            assert all(later < earlier for earlier, later in pairwise(kept)), (scheme, name)
        for name in ("sex", "race"):
            kept = figures(rows("table_3", scheme=scheme, attribute=name), "retention")
            assert kept.index(max(kept)) in (1, 2), (scheme, name)
    one, both = (
        {
            (row["l"], row["attribute"]): float(row["retention"])
            for row in rows("table_3", scheme=scheme)
        }
        for scheme in ("RR-QI", "RR-Both")
    )
    later = [key for key in one if key[0] != "2" and key[1] != "workclass"]
    assert len(later) == 20
    assert sum(both[key] > one[key] for key in later) == 18
    assert all(both["2", name] == pytest.approx(one["2", name]) for _, name in later)
    for mine, theirs in zip(
        rows("extra_retentions", scheme="RR-QI"),
        rows("extra_retentions", scheme="RR-Both"),
        strict=True,
    ):
        assert float(mine["retention"]) == pytest.approx(float(theirs["retention"]), abs=5e-5)


def test_what_is_claimed_of_the_sensitive_attribute_alone() -> None:
    shown = {(row["risk"], row["table"]): row for row in PAGE.tabulated(_ALONE)}
    for name, table in (("table_3", "EMGRW"), ("extra_retentions", "ESGRO")):
        for scheme, risk in ((RR_S, "the paper's"), (RR_S_MARGINAL, "by the marginal")):
            met = with_values(name, "retention", scheme=scheme.name)
            assert bool(met) == (table == "ESGRO" and scheme.marginal)
            row = rows(name, scheme=scheme.name, l="2")[0]
            assert shown[risk, table]["best attainable"] == f"{float(row['best_attainable']):.3f}"
            assert shown[risk, table]["over"] == f"{int(row['records_over']):,}"
    kept = figures(
        rows("extra_retentions", scheme=RR_S_MARGINAL.name, attribute="occupation"), "retention"
    )
    assert (f"{kept[0]:.3f}", f"{kept[-1]:.3f}") == ("0.620", "0.147")
    for distance, estimate in (
        ("Euclidean", "unbiased"),
        ("Euclidean", "maximum likelihood"),
        ("Kullback-Leibler (bits)", "maximum likelihood"),
    ):
        theirs, mine = (
            distances("extra_schemes", f"{kind}, {estimate}", distance)
            for kind in (RR_S_MARGINAL.name, "RR-QI")
        )
        assert all(other > one for other, one in zip(theirs, mine, strict=True))


_ALONE = "The sensitive attribute alone"


def distances(name: str, released: str, distance: str = "Euclidean") -> list[float]:
    """A line of a figure."""
    return figures(rows(name, released=released, distance=distance), "figure")


def steps(line: list[float]) -> Iterator[float]:
    """Factors by which a line is multiplied at each step."""
    return (later / earlier for earlier, later in pairwise(line))


def test_what_is_claimed_of_schemes() -> None:
    for scheme in ("RR-QI", "RR-Both"):
        likeliest = f"{scheme}, maximum likelihood"
        assert all(1.28 < step < 1.8 for step in steps(distances("figure_3", likeliest)))
        unbiased = steps(distances("figure_3", f"{scheme}, unbiased"))
        assert all(1.6 < step < 1.95 for step in unbiased)
        for distance in ("Kullback-Leibler (bits)", "chi-square"):
            line = distances("figure_3", likeliest, distance)
            rises = [later - earlier for earlier, later in pairwise(line)]
            assert max(rises) < 2.1 * min(rises), (scheme, distance)
    one, both = (distances("figure_3", f"{name}, unbiased") for name in ("RR-QI", "RR-Both"))
    less = [1 - other / mine for mine, other in zip(one, both, strict=True)]
    assert max(map(abs, less[:2])) < 0.01
    assert min(less[2:]) > 0.05
    assert f"{max(less):.0%}" == "28%"
    line = distances("figure_3", LIKELIEST, "Kullback-Leibler (bits)")
    assert [f"{bits:.2f}" for bits in line] == ["0.20", "0.49", "0.85", "1.28", "1.74", "2.31"]


def test_what_is_claimed_of_sizes() -> None:
    for name in ("figure_4", "extra_size"):
        line = distances(name, UNBIASED)
        scaled = [far * size**0.5 for far, size in zip(line, FULL.sizes, strict=True)]
        assert max(scaled) < 1.1 * min(scaled)
    for released in GROUPED:
        line = distances("extra_size", released)
        assert max(line) < 1.12 * min(line)


def test_what_is_claimed_of_groups() -> None:
    times = [
        far / near
        for released in ("anatomy", "incognito, entropy")
        for mine in (LIKELIEST, UNBIASED)
        for far, near in zip(
            distances("figure_5", released), distances("figure_5", mine), strict=True
        )
    ]
    assert min(times) > 4
    assert f"{max(times):.0f}" == "21"
    bits = {
        released: distances("figure_5", released, "Kullback-Leibler (bits)")
        for released in (LIKELIEST, *GROUPED)
    }
    for released in ("anatomy", "incognito, entropy"):
        less = [1 - m / far for m, far in zip(bits[LIKELIEST], bits[released], strict=True)]
        assert min(less) > 0.105
    nearer = [one < other for one, other in zip(bits["bucketize"], bits[LIKELIEST], strict=True)]
    assert nearer == [True, True, False, False, False, False]
    for released in GROUPED:
        for distance, mine, farthest in (
            ("chi-square", LIKELIEST, True),
            ("chi-square, by the original", UNBIASED, False),
        ):
            ours = distances("figure_5", mine, distance)
            theirs = distances("figure_5", released, distance)
            assert all((m > t) == farthest for m, t in zip(ours, theirs, strict=True))
    chi = distances("figure_5", LIKELIEST, "chi-square")
    assert (round(chi[0]), round(chi[-1])) == (15, 81)
    chi = distances("figure_5", "anatomy", "chi-square")
    assert (f"{chi[0]:.1f}", f"{chi[-1]:.1f}") == ("0.2", "0.8")
    for released in (LIKELIEST, UNBIASED, "anatomy"):
        assert all(step > 1 for step in steps(distances("figure_5", released)))
    assert not all(step > 1 for step in steps(distances("figure_5", "incognito, entropy")))


def test_what_is_claimed_of_counts() -> None:
    def errors(released: str, query: str) -> list[float]:
        return figures(rows("figure_6", released=released, query=query), "error")

    for query in (BY_ALL, CUBE):
        groups, mine = errors("anatomy", query), errors(LIKELIEST, query)
        assert all(0.49 < m / g < 0.67 for m, g in zip(mine, groups, strict=True))
        parts = [u / g for u, g in zip(errors(UNBIASED, query), groups, strict=True)]
        assert all(part < 1 for part in parts[:3])
        assert parts[3] == pytest.approx(1, abs=0.05)
        assert all(part > 1 for part in parts[4:])
        fewer = [m > b for m, b in zip(mine, errors("bucketize", query), strict=True)]
        assert fewer == [True, True, False, False, False, False]
    for released in (LIKELIEST, UNBIASED):
        line = figures(rows("extra_cube", released=released), "error")
        assert line == sorted(line)


def test_what_is_claimed_of_associations() -> None:
    line = figures(rows("figure_7", released="RR-QI", pair=WITH), "coefficient")
    assert {f"{100 * mean:.1f}" for mean in line} <= {"7.4", "7.5"}
    line = figures(rows("figure_7", released="RR-QI", pair=WITHOUT), "coefficient")
    assert (f"{100 * line[0]:.2f}", f"{100 * line[-1]:.2f}") == ("2.59", "2.80")
    line = figures(rows("figure_7", released="original", pair=WITHOUT), "coefficient")
    assert {f"{100 * mean:.2f}" for mean in line} == {"2.56"}
    for released, shown in (
        ("original", ["2.68", "2.68", "2.68"]),
        ("RR-QI", ["2.67", "2.68", "2.68"]),
        ("anatomy", ["0.27", "0.11", "0.06"]),
        ("incognito, entropy", ["0.00", "2.68", "0.00"]),
    ):
        line = figures(rows("table_5", released=released, pair="O|S"), "coefficient")
        assert [f"{100 * mean:.2f}" for mean in line] == shown
    for row in rows("table_4", released="anatomy"):
        assert float(row["coefficient"]) == pytest.approx(float(row["original"]))
    apart = {
        released: sum(
            abs(float(row["coefficient"]) - float(row["original"]))
            for row in rows("table_4", released=released)
        )
        for released in ("RR-QI", "incognito, entropy")
    }
    assert apart["RR-QI"] < apart["incognito, entropy"]


def test_what_is_claimed_of_time() -> None:
    seconds = {
        released: figures(rows("extra_time", released=released), "seconds")
        for released in ("RR-Both", "anatomy", "incognito, entropy")
    }
    for released, least, most in (("incognito, entropy", 9.5, 15.5), ("anatomy", 1.15, 1.75)):
        for mine, theirs in zip(seconds["RR-Both"], seconds[released], strict=True):
            assert least < mine / theirs < most


def test_what_is_claimed_of_beliefs() -> None:
    for row in rows("extra_belief", belief=LARGEST):
        if row["released"] in ("bucketize", "mondrian"):
            assert float(row["probability"]) <= 1 / int(row["l"]) + 1e-6
        if row["released"] == "RR-QI":
            assert float(row["probability"]) > 0.84
    (row, *_) = rows("figure_5", released="incognito, entropy", l="3")
    assert f"up to {float(row['max_disclosure']):.0%}".replace("%", " %") in PAGE.text
