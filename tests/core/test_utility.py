"""Utility measures record by record."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter, UnattainableRequirement
from bkpriv_core.method import GROUP_METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility.comparison import check_same_data
from bkpriv_core.utility.measures import column_losses, lost_columns, utility
from tests.core import oracles
from tests.core.loss_oracles import column_loss
from tests.core.oracles import Attribute, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    occurring,
    partitions,
    records_of,
    tables,
)


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


@MANY
@given(tables(max_records=20), st.data())
def test_losses_of_columns_by_records(records: Records, data: st.DataObject) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    groups = [records_of(records, cells) for cells in lists]
    release = Release(Parts.of(as_table(records)), as_groups(lists), Generalized())
    losses = column_losses(release)
    assert [*losses] == [attribute.name for attribute in records.attributes]
    for axis, loss in enumerate(losses.values()):
        expected = column_loss(records, groups, axis)
        assert loss == (None if expected is None else pytest.approx(float(expected), abs=1e-12))
    if groups:
        # Their mean is what is lost of the whole table.
        mean = sum(loss or 0.0 for loss in losses.values()) / len(losses)
        assert mean == pytest.approx(utility(release)["gcp"], abs=1e-12)
    assert lost_columns(release) == {
        name: loss for name, loss in losses.items() if loss is not None and loss > 0.95
    }
    exact = column_losses(Release(release.parts, release.partition, Bucketized()))
    assert set(exact.values()) <= {0.0 if groups else None}


@SOME
@given(tables(max_records=20), st.data())
def test_exact_values_cost_nothing_but_for_who_is_left_out(
    records: Records, data: st.DataObject
) -> None:
    lists = data.draw(partitions(len(records.cells()), suppress=True))
    release = Release(Parts.of(as_table(records)), as_groups(lists), Bucketized())
    groups = [records_of(records, cells) for cells in lists]
    left_out = {*records.everything()} - {record for group in groups for record in group}
    widened = [oracles.widened_penalty(records, groups, record) for record in left_out]
    assert utility(release)["rgcp"] == pytest.approx(float(sum(widened)) / len(records.rows))


@SOME
@given(tables(max_records=24), st.sampled_from(sorted(GROUP_METHODS)), st.integers(1, 4))
def test_rgcp_is_gcp_where_nothing_is_suppressed(records: Records, name: str, k: int) -> None:
    # What some methods form groups by, and every group has.
    policy = {
        "k_anonymity": {"k": k},
        "l_diversity": {"l": 1},
        "beta_likeness": {"beta": 1_000},
        "pair_divergence": {"theta": 1, "bandwidth": {"kernel": "uniform"}},
    }
    method, requirements = GROUP_METHODS[name], parse_policy(policy).requirements
    try:
        release, certificate = method.certified(
            Job(
                ThreatModel(as_table(records)),
                requirements,
                method.options(),
                SeededChance(1),
                SILENT,
            )
        )
    except UnattainableRequirement:
        return
    if not len(release.groups):
        return  # Too few records for any; who makes a release refuses that.
    assert not certificate.suppressed.size
    figures = utility(release)
    assert figures["rgcp"] == figures["gcp"]


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
    # The woman of 60 would widen the group of women by three quarters of the range, to all of it,
    # and the man's to both sexes: by the share of 3/8, or 1/2.
    measures = utility(Release(Parts.of(table), as_groups([[0, 1], [2]]), Generalized()))
    assert measures == pytest.approx(
        {
            "discernibility": 3**2 + 1**2 + 5,
            "average_class_size": 2.0,
            "gcp": 3 * (0.25 + 0) / 2 / 4,
            "rgcp": (3 * 0.125 + 1 * 0 + 1 * (1 + 0) / 2) / 5,
            "suppressed_share": 0.2,
        }
    )


@MANY
@given(tables(max_records=8), st.data())
def test_same_data_by_records(one: Records, data: st.DataObject) -> None:
    """Tables are the same if their records are, in whatever order."""
    rows = list(data.draw(st.permutations(one.rows)))
    edit = data.draw(st.sampled_from(("none", "replace", "add")))
    if edit != "none":
        anybody = tuple(data.draw(st.sampled_from(column)) for column in zip(*rows, strict=True))
        rows[: edit == "replace"] = [anybody]
    *quasi_identifiers, sensitive = [
        occurring(attribute, [row[axis] for row in rows])
        for axis, attribute in enumerate((*one.attributes, one.sensitive))
    ]
    other = Records(tuple(quasi_identifiers), sensitive, tuple(rows))
    releases = [_whole(as_table(records)) for records in (one, other)]
    if Counter(one.rows) == Counter(other.rows):
        check_same_data(releases)
    else:
        with pytest.raises(InvalidParameter, match="different data"):
            check_same_data(releases)


def _whole(table: Table) -> Release:
    return Release(Parts.of(table), as_groups([list(range(table.cells))]), Bucketized())


def test_bins_are_of_the_data() -> None:
    releases = []
    for ends in ([10.0, 20.0], [10.0, 30.0], None, [10.0, 20.0]):
        starts = np.array([0.0, 10.0])
        age = Domain("age", ("0", "10"), starts, ends=None if ends is None else np.array(ends))
        ill = Domain("ill", ("no", "yes"))
        releases.append(
            _whole(Table((age,), ill, np.array([[0], [1]]), np.array([[1, 2], [0, 1]])))
        )
    check_same_data([releases[0], releases[3]])
    for pair in ((0, 1), (0, 2), (2, 1)):
        with pytest.raises(InvalidParameter, match="different data") as caught:
            check_same_data([releases[place] for place in pair])
        assert "binned in another way" in caught.value.detail
