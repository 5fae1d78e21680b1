"""The comparison: one measure for what all tools publish, and processes with limits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bkpriv_client.hospital import hospital
from bkpriv_client.source import Column, Source
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.query.workload import draw_workload
from bkpriv_core.utility.measures import utility
from studies.cells import code_cells
from studies.census import census
from studies.compare import own
from studies.compare.design import BOUNDS, QUICK, TOOLS
from studies.compare.peers.task import Answer, Task, labelled
from studies.compare.published import Data, answer_counts, breached, loss, published
from studies.compare.trial import PYTHON, as_task, questions_of, run
from studies.houses import houses
from tests.census_files import adult_files
from tests.figure_files import assert_drawn, read_rows
from tests.studies.command import succeeded

K = {"k": 5}
OURS = [(tool, bounds) for tool in TOOLS if tool.package == "bkpriv" for bounds in tool.bounds]
SIZE = 4 << 30


def own_task(source: Source, method: str = "mondrian", **options: object) -> Task:
    """Task for a method of ours."""
    return as_task(source, K, {"method": method, "options": options})


@pytest.mark.crossed
@pytest.mark.parametrize(("tool", "bounds"), OURS, ids=lambda each: getattr(each, "name", each))
@pytest.mark.parametrize("draw", [hospital, census, houses])
def test_our_releases_measure_as_the_core_measures_them(tool: Any, bounds: str, draw: Any) -> None:
    source = draw(200, 3)
    task = as_task(source, BOUNDS[bounds], tool.options)
    release, cells, values = own.make(own.prepare(task))
    data = Data(*code_cells(source))
    assert (cells == data.cells).all()
    assert (values == data.values).all()
    shown = published(data, own.read(task, (release, cells, values)))
    figures = utility(release)
    left_out, gcp = figures["suppressed_share"], figures["gcp"]
    assert left_out is not None
    assert gcp is not None
    assert loss(shown) == pytest.approx(left_out + (1 - left_out) * gcp)
    assert sorted(shown.sizes) == sorted(release.sizes)
    workload = draw_workload(data.table.domains, 60, 2, 0.1, np.random.default_rng(1))
    assert answer_counts(shown, workload) == pytest.approx(release.estimated.answer(workload))
    assert breached(shown, ThreatModel(data.table), {"majority": {}}) == breached(
        release, ThreatModel(release.table), {"majority": {}}
    )


@pytest.fixture
def people() -> Source:
    """Ages 20 to 29 in three towns of two regions."""
    columns = {
        "age": Column("integer", range(20, 30)),
        "town": Column("text", ["Kiel", "Ulm"] * 4 + ["Bonn"] * 2),
        "diagnosis": Column("text", ["flu", "gout"] * 5),
    }
    levels = [("Kiel", "north", "*"), ("Ulm", "south", "*"), ("Bonn", "south", "*")]
    return Source(
        name="people",
        title="people",
        columns=columns,
        quasi_identifiers=("age", "town"),
        sensitive="diagnosis",
        hierarchies={"town": levels},
        intervals={"age": (5,)},
    )


def test_sets_ranges_and_labels_cost_what_they_may_stand_for(people: Source) -> None:
    data = Data(*code_cells(people))
    every = {"values": ["Kiel", "Ulm", "Bonn"]}
    shown: list[Any] = [
        [{"low": 20, "high": 24}, {"values": ["Kiel", "Ulm"]}],
        [{"values": [25, 26, 27]}, {"label": "*"}],
        [{"low": 25.0, "high": 27.0}, every],  # the same to a reader
    ]
    groups = [0, 0, 0, 0, 0, 1, 2, 2, -1, -1]
    release = published(data, Answer(groups, shown))
    assert sorted(release.sizes) == [3, 5]
    first, second = (4 / 9 + 2 / 3) / 2, (2 / 9 + 1) / 2
    assert loss(release) == pytest.approx((5 * first + 3 * second + 2 * 1) / 10)


@pytest.mark.parametrize(
    "side",
    [
        [{"low": 20, "high": 28}, {"label": "*"}],
        [{"low": 20, "high": 29}, {"label": "south"}],
        [{"low": 20, "high": 29}, {"values": ["Kiel", "Ulm"]}],
    ],
)
def test_what_is_not_true_of_a_record_is_refused(people: Source, side: list[Any]) -> None:
    data = Data(*code_cells(people))
    with pytest.raises(ValueError, match="published as what it is not"):
        published(data, Answer([0] * 10, [side]))
    with pytest.raises(ValueError, match="9 records are told of, where 10 are"):
        published(data, Answer([0] * 9, [side]))


def test_labels_of_numbers_are_the_values_under_them(people: Source) -> None:
    task = as_task(people, K, {})
    assert task.hierarchies["age"][:2] == [[20, "[20, 25[", "*"], [21, "[20, 25[", "*"]]
    age, town = labelled(task, "age"), labelled(task, "town")
    assert age("[25, 30[") == {"values": [25, 26, 27, 28, 29]}
    assert age(21) == {"values": [21]}
    assert town("south") == {"label": "south"}


def test_equal_rows_are_groups_and_means_stand_for_ranges(people: Source) -> None:
    task = as_task(people, K, {})
    rows = dict.fromkeys((9, 0, 4), (24.5, "*")) | {5: (25.0, "south")}
    answer = Answer.of_rows(task, rows, [None, labelled(task, "town")])
    assert answer.groups == [0, -1, -1, -1, 0, 1, -1, -1, -1, 0]
    assert answer.shown == [
        [{"low": 20, "high": 29}, {"label": "*"}],
        [{"low": 25, "high": 25}, {"label": "south"}],
    ]


def test_questions_ask_for_the_workloads_values(people: Source) -> None:
    data = Data(*code_cells(people))
    workload = draw_workload(data.table.domains, 40, 2, 0.2, np.random.default_rng(2))
    records = list(zip(*(column.values for column in people.columns.values()), strict=True))
    counted = [
        sum(
            all(value in question.get(name, [value]) for name, value in named)
            for record in records
            for named in [list(zip(people.columns, record, strict=True))]
        )
        for question in questions_of(workload)
    ]
    assert counted == [_met(data, workload, query) for query in range(len(workload))]


def _met(data: Data, workload: Any, query: int) -> int:
    codes = np.column_stack((data.table.codes[data.cells], data.values))
    chosen = [workload.chosen[axis][query][codes[:, axis]] for axis in range(codes.shape[1])]
    return int(np.all(chosen, axis=0).sum())


def test_a_tool_runs_in_a_process_of_its_own() -> None:
    source = hospital(300, 1)
    done = run("..own", own_task(source), seconds=60, size=SIZE)
    assert done.outcome == "published"
    assert done.answer is not None
    assert done.seconds is not None
    assert done.megabytes is not None
    assert 0 < done.seconds < 60
    assert 20 < done.megabytes < SIZE / 1e6
    assert min(published(Data(*code_cells(source)), done.answer).sizes) >= 5


def test_what_a_tool_says_when_it_fails_is_told() -> None:
    task = own_task(hospital(300, 1), surprise=1)
    done = run("..own", task, seconds=60, size=SIZE)
    assert done.answer is None
    assert done.outcome.startswith("failed: ")
    assert "surprise" in done.outcome
    assert run("..nowhere", task, seconds=60, size=SIZE).outcome.startswith("failed: ")


def test_a_tool_that_takes_too_long_is_ended() -> None:
    task = own_task(houses(100_000, 1), "microaggregate")
    assert run("..own", task, seconds=1, size=SIZE).outcome == "took more than 1 s"


@pytest.mark.extended
def test_every_tool_publishes_few_records(tmp_path: Path) -> None:
    assert PYTHON.is_file(), "run `make test-all`, which makes the environment of other tools"
    data = adult_files(tmp_path, 300)
    succeeded("compare", "--adult", str(data), "--out", str(tmp_path / "out"), "--quick")
    cost = read_rows(tmp_path / "out" / "cost.csv")
    assert {row["tool"] for row in cost} == {tool.name for tool in QUICK.tools}
    assert {row["outcome"] for row in cost} == {"published"}
    for row in read_rows(tmp_path / "out" / "detail.csv"):
        if row["k"]:
            assert float(row["k"]) >= 5, row
            assert 0 < float(row["loss"]) < 1
            asked = BOUNDS[row["bounds"]]
            assert float(row["l"]) >= asked.get("l", 1)
            # The t of anonypyx is another distance; our shares are those of all records.
            if row["tool"] != "anonypyx Mondrian" and not float(row["left_out"]):
                assert float(row["t"]) <= asked.get("t", 1) + 1e-9
                assert float(row["beta"]) <= asked.get("beta", math.inf) + 1e-9
    for name in ("detail", "cost"):
        assert_drawn(tmp_path / "out" / f"{name}.png")
