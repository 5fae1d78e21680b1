"""The comparison in the documents: complete, and saying what its data say."""

from __future__ import annotations

from statistics import median

from studies.compare.design import FULL, TOOLS
from studies.compare.table import tabulated
from tests.docs.study import Page

PAGE = Page("comparison", folder="explanation")
detail, cost = PAGE.rows("detail"), PAGE.rows("cost")


def test_the_data_are_those_of_the_full_design() -> None:
    measured = {
        (row["table"], int(row["records"]), int(row["sample"]), row["bounds"]) for row in cost
    }
    assert measured == {
        (extent.table, extent.records, number, bounds)
        for extent in FULL.extents
        for number in range(extent.samples)
        for bounds in extent.bounds
    }
    assert {row["tool"] for row in cost} == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        for bounds in tool.bounds:
            assert PAGE.rows("cost", tool=tool.name, bounds=bounds), (tool.name, bounds)


def test_the_table_shows_the_data() -> None:
    assert "\n".join(tabulated(detail, cost)) in PAGE.text


def test_medians_and_ranges_are_of_samples() -> None:
    (row,) = (
        line
        for line in tabulated(detail, cost)
        if line.startswith("| Adult, ") and "| k = 5 | bkpriv mondrian |" in line
    )
    losses = [
        100 * float(each["loss"])
        for each in PAGE.rows("detail", table="Adult", bounds="k = 5", tool="bkpriv mondrian")
    ]
    shown = f"{median(losses):.1f} ({min(losses):.1f}–{max(losses):.1f})"
    assert row.split(" | ")[3] == shown


def test_versions_are_stated() -> None:
    for tool in TOOLS:
        (version,) = {row["version"] for row in PAGE.rows("cost", tool=tool.name)}
        if tool.package != "bkpriv":
            assert f"{tool.package} {version}" in PAGE.text
