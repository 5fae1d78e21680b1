"""Costs: which cases of which tests ``make test`` tries, and which it leaves to ``make test-all``.

A case that costs more than `DEAR` seconds is left, and of the other cases of a test as many are
tried as take `SPENT` together, evenly spread and at least one. What is marked ``always`` is tried,
and so is what has no cost on record. So a test that is added runs at once, and what runs is the
same everywhere: costs are those of ``costs.txt``, measured on one machine.

They are measured again by ``make test-all ARGS=--junitxml=$PWD/costs.xml``, in one process a core
and no other work on the machine, and then ``python -m tests.costs costs.xml``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pytest

__all__ = ["left_out", "read_costs"]

DEAR = 0.9
"""Seconds of a case that is left to ``make test-all``."""

SPENT = 0.3
"""Seconds of the cases of one test that are tried."""

_FILE = Path(__file__).with_suffix(".txt")


def left_out(items: Iterable[pytest.Item], costs: Mapping[str, float]) -> set[pytest.Item]:
    """Items that are left out, by the cost of a case of each test."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not item.get_closest_marker("always"):
            cases[_test_of(item.nodeid)].append(item)
    left: set[pytest.Item] = set()
    for test, those in cases.items():
        cost = costs.get(test, 0.0)
        tried = 0 if cost > DEAR else len(those)
        if 0 < cost <= DEAR:
            tried = min(tried, max(1, int(SPENT / cost)))
        taken = {place * len(those) // tried for place in range(tried)}
        left.update(item for place, item in enumerate(those) if place not in taken)
    return left


def read_costs() -> dict[str, float]:
    """Seconds of a case of each test, by the test."""
    lines = _FILE.read_text().splitlines()
    return {test: float(seconds) for seconds, test in map(str.split, lines)}


def _test_of(case: str) -> str:
    return case.partition("[")[0]


def _measured(report: str) -> dict[str, float]:
    """Seconds of a case of each test, by a report in JUnit's format; the median of its cases."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        module, name = case.attrib["classname"].replace(".", "/"), case.attrib["name"]
        seconds[_test_of(f"{module}.py::{name}")].append(float(case.attrib["time"]))
    return {
        test: median(those)
        for test, those in seconds.items()
        # Of any other, all cases are tried in any case.
        if median(those) > DEAR or (len(those) > 1 and sum(those) > SPENT)
    }


if __name__ == "__main__":
    found = _measured(sys.argv[1])
    _FILE.write_text("".join(f"{found[test]:.3f} {test}\n" for test in sorted(found)))
