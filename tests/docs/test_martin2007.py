"""The study in the documents: complete, as the command writes it, and saying what its data say."""

from __future__ import annotations

from itertools import pairwise

from studies.martin2007.design import FULL
from studies.martin2007.nodes import LANGUAGES
from tests.docs.study import Page, figures

PAGE = Page("martin2007")
rows = PAGE.rows


def test_the_data_are_those_of_the_full_design() -> None:
    for language in LANGUAGES:
        assert len(rows("figure_5", language=language)) == FULL.k + 1
        assert {row["k"] for row in rows("figure_6", language=language)} == set(
            map(str, FULL.pieces)
        )
        assert len(rows("extra_safe", language=language)) == len(FULL.thresholds) * len(
            FULL.pieces_of_safety
        )
    assert sum(int(row["nodes"]) for row in rows("figure_6", language="negations", k="1")) == 72


def test_what_is_claimed_of_negations() -> None:
    ours = figures(rows("extra_difference", nodes="the node of figure 5"), "difference")
    largest = figures(rows("extra_difference", nodes="largest of all nodes"), "difference")
    assert [k for k, difference in enumerate(ours) if difference == 0] == [0, 1, 11, 12]
    assert min(ours) == 0
    assert f"{max(ours):.3f}" == "0.052"
    assert ours.index(max(ours)) == 5
    assert f"{max(largest):.3f}" == "0.133"
    assert largest.index(max(largest)) == 2
    assert [k for k in range(2, 13) if ours[k] == largest[k]] == list(range(6, 13))
    everything = [row for row in rows("figure_5") if float(row["disclosure"]) == 1]
    assert {row["k"] for row in everything} == {"12"}


def test_what_is_claimed_of_safety() -> None:
    prices = []
    for other in rows("extra_safe", language="negations"):
        (row,) = rows("extra_safe", language="implications", c=other["c"], k=other["k"])
        if other["safe"] != "0":
            fineness = "least_discernibility"
            prices.append(float(row[fineness]) / float(other[fineness]))
    assert len(prices) == 33
    assert sum(price == 1 for price in prices) == 28
    assert f"{min(price for price in prices if price > 1):.1f}" == "1.1"
    assert f"{max(prices):.1f}" == "2.1"


def test_what_is_claimed_of_one_threshold() -> None:
    safe = [rows("extra_safe", language=name, c="0.5", k="2")[0]["safe"] for name in LANGUAGES]
    assert safe == ["12", "17"]


def test_what_is_claimed_of_entropy() -> None:
    rises = []
    for k in map(str, FULL.pieces):
        found = rows("figure_6", language="implications", k=k)
        assert len(found) == 23
        assert sum(row["nodes"] == "1" for row in found) == 20
        assert found[0]["nodes"] == "48"
        assert float(found[0]["entropy"]) == 0
        changes = [later - earlier for earlier, later in pairwise(figures(found, "disclosure"))]
        rises.append(max(changes))
    assert min(rises) > 0.01
    assert f"{max(rises):.2f}" == "0.10"
