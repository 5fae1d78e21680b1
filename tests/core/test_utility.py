"""Utility measures record by record."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.parts import Parts
from bkpriv_core.utility.measures import utility
from tests.core import oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, as_groups, as_table, partitions, records_of, tables


@MANY
@given(tables(max_records=20), st.data())
def test_measures_by_records(records: Records, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    release = Release(Parts.of(as_table(records)), as_groups(lists), Generalized())
    measures = utility(release)
    expected = oracles.utility(records, [records_of(records, cells) for cells in lists])
    assert measures.keys() == expected.keys()
    for name, figure in expected.items():
        wanted = math.nan if figure is None else float(figure)
        assert measures[name] == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_measures_by_hand() -> None:
    age = Attribute("age", ("20", "30", "60"), numbers={"20": 20, "30": 30, "60": 60})
    sex = Attribute("sex", ("f", "m"))
    rows = (
        ("20", "f", "s"),
        ("30", "f", "s"),
        ("30", "f", "s"),
        ("60", "m", "s"),
        ("60", "f", "s"),
    )
    table = as_table(Records((age, sex), Attribute("s", ("s",)), rows))
    # Groups of three (age 20-30: a quarter of the range, one sex) and one record; one suppressed.
    measures = utility(Release(Parts.of(table), as_groups([[0, 1], [2]]), Generalized()))
    assert measures == pytest.approx(
        {
            "discernibility": 3**2 + 1**2 + 5,
            "average_class_size": 2.0,
            "gcp": 3 * (0.25 + 0) / 2 / 4,
            "suppressed_share": 0.2,
        }
    )
