"""Frames: what columns of values become, and which are refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bkpriv_core import BkprivError, read_frame
from bkpriv_core.frame import code_frame
from bkpriv_core.table.table import Table

AGES = [30, 20, 40, 20]
ILLS = ["flu", "gout", "flu", "flu"]


def only(values: Any, **stated: Any) -> Any:
    """Domain of a column that is read alone."""
    return read_frame({"x": values}, "x", **stated).quasi_identifiers[0]


def shown(table: Table) -> tuple[Any, ...]:
    """Domains, cells and counts of a table."""
    domains = [
        (each.name, each.labels, str(each.positions), each.step, each.numeric and each.scale)
        for each in table.domains
    ]
    return domains, table.codes.tolist(), table.counts.tolist()


@pytest.mark.parametrize(
    ("values", "labels", "positions", "step"),
    [
        ([3, 1, 3], ("1", "3"), [1, 3], 1.0),
        (np.array([2.5, 1.0]), ("1", "2.5"), [1, 2.5], None),
        (np.array([0.1], dtype=np.float32), ("0.1",), [float(np.float32(0.1))], None),
        ([Decimal("1.50"), Decimal(1)], ("1", "1.50"), [1, 1.5], None),
        ([1, 2.5], ("1", "2.5"), [1, 2.5], None),
        ([10, 9, 2**70], ("9", "10", str(2**70)), [9, 10, 2.0**70], 1.0),
        ([date(1970, 1, 3), date(1970, 1, 1)], ("1970-01-01", "1970-01-03"), [0, 172800], 86400.0),
        (
            np.array(["1970-01-01T00:00:01", "1970-01-02"], dtype="M8[ns]"),
            ("1970-01-01 00:00:01", "1970-01-02 00:00:00"),
            [1, 86400],
            None,
        ),
        (["b", "a", "b"], ("a", "b"), None, None),
        (np.array([True, False]), ("False", "True"), None, None),
    ],
    ids=str,
)
def test_values_become_labels_and_positions(
    values: Any, labels: tuple[str, ...], positions: Any, step: float | None
) -> None:
    domain = only(values)
    assert (domain.labels, domain.step) == (labels, step)
    assert positions is None if domain.positions is None else [*domain.positions] == positions


def test_rows_are_counted() -> None:
    table, cells, values = code_frame({"age": AGES, "ill": ILLS}, "age", "ill")
    assert table.codes.tolist() == [[0], [1], [2]]
    assert table.counts.tolist() == [[1, 1], [1, 0], [1, 0]]
    assert cells.tolist() == [1, 0, 2, 0]
    assert values.tolist() == [0, 1, 0, 0]


def test_a_scale_is_robust() -> None:
    assert only([*range(200), 10_000]).scale == 199


@pytest.mark.parametrize("nothing", [[], [None]], ids=["whole", "with NULL"])
def test_frames_of_all_kinds_are_read_alike(nothing: list[Any]) -> None:
    days = [date(2024, 1, 1 + age % 7) for age in AGES]
    columns = {
        "age": AGES + nothing,
        "day": days + nothing,
        "ill": ILLS + nothing,
        "weight": [1.5, 2.0, 1.5, 3.0, *nothing],
    }
    arrow = pa.table(columns)
    frames = [columns, arrow, arrow.to_pandas(), pd.DataFrame(columns).convert_dtypes()]
    frames.append({name: arrow[name].to_numpy() for name in columns})
    tables = [
        read_frame(each, ["age", "day", "weight"], "ill", nulls="category") for each in frames
    ]
    for table in tables:
        assert shown(table) == shown(tables[0])
        assert [domain.has_null for domain in table.domains] == [bool(nothing)] * 4


def test_several_sensitive_columns_or_none() -> None:
    frame = {"age": AGES, "ill": ILLS, "ward": ["a", "b", "b", "a"]}
    assert read_frame(frame, ["age"], ["ill", "ward"]).sensitive.size == 3
    assert read_frame(frame, ["age", "ill"]).sensitive.size == 1


def test_hierarchies_of_three_shapes() -> None:
    named = only(ILLS, hierarchies={"x": {"acute": ["flu"], "chronic": ["gout"]}})
    rows = only(ILLS, hierarchies={"x": [("flu", "acute", "*"), ("gout", "chronic", "*")]})
    assert named.hierarchy == rows.hierarchy
    assert [str(width) for width in only(AGES, hierarchies={"x": [5, 10]}).intervals.widths] == [
        "5",
        "10",
    ]


def test_numbers_with_a_hierarchy_are_labels_in_the_order_of_text() -> None:
    tree = {"few": [9], "many": [10, 11]}
    table = read_frame({"x": [9, 10, 11, 10, None]}, "x", hierarchies={"x": tree}, nulls="category")
    (domain,) = table.quasi_identifiers
    assert domain.labels == ("10", "11", "9", None)
    assert table.weights.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("frame", "stated", "message"),
    [
        ({"age": AGES}, {"sensitive": "il"}, 'there is no column "il"'),
        (pd.DataFrame({"age": AGES}), {"sensitive": "ill"}, 'there is no column "ill"'),
        (pa.table({"age": AGES}), {"sensitive": "ill"}, 'there is no column "ill"'),
        ({"age": AGES, "ill": ILLS[1:]}, {"sensitive": "ill"}, "columns differ in length"),
        ({"age": []}, {}, "the frame has no rows"),
        ({"age": [1, None]}, {}, "the frame has NULL in columns that are read"),
        ({"age": [1.5, np.nan]}, {}, "the frame has NULL in columns that are read"),
        ({"age": pd.Series([1, pd.NA])}, {}, "the frame has NULL in columns that are read"),
        ({"age": [1, "x"]}, {}, 'column "age" has values that are not all numbers'),
        ({"age": [b"x"]}, {}, 'column "age" has values that are not all numbers'),
        ({"age": np.ones((2, 2))}, {}, 'column "age" has 2 dimensions'),
        ({"age": AGES}, {"sensitive": "age"}, 'column "age" is named twice'),
        ({"age": AGES}, {"nulls": "keep"}, 'there is no treatment of NULL "keep"'),
        ({"age": AGES}, {"hierarchies": {"sex": [5]}}, 'column "sex" has a hierarchy'),
        ({"age": ILLS}, {"hierarchies": {"age": [5]}}, 'column "age" has widths of intervals'),
    ],
)
def test_refused(frame: Any, stated: dict[str, Any], message: str) -> None:
    with pytest.raises(BkprivError) as refused:
        read_frame(frame, ["age"], **stated)
    assert refused.value.message.startswith(message)
    assert refused.value.detail
    assert refused.value.hint


def test_what_is_null_is_counted() -> None:
    with pytest.raises(BkprivError) as refused:
        read_frame({"a": [1, None, None], "b": [1, 2, 3]}, ["a", "b"])
    assert refused.value.detail == 'Column (rows with NULL): "a" (2).'
