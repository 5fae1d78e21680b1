"""The bound on query error: read, and measured against queries answered one by one."""

from __future__ import annotations

from statistics import mean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.bound import QueryError
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.release.release import Form, Release
from bkpriv_core.table.parts import Parts
from tests.core.oracles import Attribute, Records
from tests.core.query_strategies import BUCKETIZED, GENERALIZED, one_group
from tests.core.strategies import SOME, as_groups, as_table, partitions, tables


@SOME
@given(tables(max_records=24), st.sampled_from([GENERALIZED, BUCKETIZED]), st.data())
def test_figures_are_those_of_the_queries_one_by_one(
    records: Records, form: Form, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells)))
    release = Release(Parts.of(table), groups, form)
    demand = QueryError(0.5, queries=40, dimensions=1, selectivity=0.5)
    estimated = release.estimated
    drawn: list[Any] = []

    class Overheard:
        """Estimates that tell what they are asked."""

        def answer(self, workload: Any, progress: Any) -> Any:
            drawn.append(workload)
            return estimated.answer(workload, progress)

    try:
        figures = demand.measure(release.actual, Overheard())  # type: ignore[arg-type]
    except InvalidParameter:
        # An attribute with no value but NULL, or a workload that counts nothing.
        assert not drawn or not CellCounts.of(table).answer(drawn[0]).any()
        return
    (workload,) = drawn
    counts = CellCounts.of(table)
    errors = []
    for query in range(len(workload)):
        predicate = workload.predicate(query)
        actual = float(counts.tabulate(predicate).sum())
        if actual:
            estimate = float(estimated.by_key(predicate)[1][0])
            errors.append(abs(estimate - actual) / actual)
    assert len(workload) == 40
    assert figures.median == pytest.approx(median(errors), abs=1e-9)
    assert figures.mean == pytest.approx(mean(errors), abs=1e-9)
    # The same release is always judged by the same queries.
    assert demand.measure(release.actual, estimated) == figures


def test_a_release_of_cells_has_no_error() -> None:
    values = tuple("abcdef")
    rows = tuple((value, secret) for value in values for secret in "uv")
    table = as_table(Records((Attribute("x", values),), Attribute("s", ("u", "v")), rows))
    apart = as_groups([[cell] for cell in range(table.cells)])
    release = Release(Parts.of(table), apart, GENERALIZED)
    figures = QueryError(0.1, dimensions=1, selectivity=0.3).measure(
        release.actual, release.estimated
    )
    assert (figures.median, figures.mean) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        ({}, '"median"'),
        ({"median": -0.1}, "median"),
        ({"median": "0.1"}, "median"),
        ({"median": 0.1, "queries": 0}, "queries"),
        ({"median": 0.1, "queries": 2.5}, "queries"),
        ({"median": 0.1, "dimensions": 0}, "dimensions"),
        ({"median": 0.1, "selectivity": 0}, "selectivity"),
        ({"median": 0.1, "selectivity": 1.1}, "selectivity"),
        ({"median": 0.1, "action": "ignore"}, "action"),
        ({"median": 0.1, "seed": 4}, '"seed"'),
        (0.1, "query_error"),
    ],
)
def test_a_bound_is_read_strictly(stated: object, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        QueryError.parse(stated)
    assert named in caught.value.message
    assert caught.value.hint


def test_dimensions_that_are_not_stated_are_three_or_all_there_are() -> None:
    narrow = one_group([20, 60], 1.0)
    assert QueryError(0.1).over(narrow.domains).dimensions == 1
    assert QueryError(0.1).measure(narrow.actual, narrow.estimated) == QueryError(
        0.1, dimensions=1
    ).measure(narrow.actual, narrow.estimated)
    with pytest.raises(InvalidParameter, match="query_error asks for queries with 2 dimensions"):
        QueryError(0.1, dimensions=2).over(narrow.domains)


def test_the_bound_is_one_of_the_median() -> None:
    bound = QueryError.parse({"median": 0.25, "queries": 10}).bound
    assert bound.parameters == {
        "median": 0.25,
        "queries": 10,
        "dimensions": None,
        "selectivity": 0.05,
        "action": "refuse",
    }
    assert bound.broken(np.array([0.2, 0.25, 0.26])).tolist() == [False, False, True]
