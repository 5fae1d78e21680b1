"""Tables made elsewhere: what cannot be judged of them, and what would not fit in memory."""

from __future__ import annotations

import numpy as np
import pytest

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.errors import TooLarge, Unsupported
from bkpriv_core.release.external import (
    Labels,
    MadeElsewhere,
    Rows,
    Unread,
    check_judged,
    find_release,
)
from bkpriv_core.requirement import BtPrivacy, MInvariance, Requirement
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import column_losses
from tests.core.oracles import Attribute, Records
from tests.core.strategies import as_table, by_age
from tests.core.test_external import BELIEVED, COUNTED, coded, people_of, rows_of


@pytest.fixture
def unknown() -> MadeElsewhere:
    """A table whose labels leave open who is where."""
    records = by_age("a", "b", "b", "a")
    shown = [(0, ("[20,22]",)), (3, ("[20,23]",)), (1, ("[20,22]",)), (2, ("[20,23]",))]
    return find_release(as_table(records), rows_of(records, shown))


def test_beliefs_are_not_judged_where_nobody_is_known(unknown: MadeElsewhere) -> None:
    assert unknown.known is None
    check_judged(unknown, COUNTED)
    with pytest.raises(Unsupported, match="bt_privacy cannot be judged") as caught:
        check_judged(unknown, BELIEVED)
    assert "Name a column that both have" in caught.value.hint


def test_labels_that_cannot_be_read_are_named_where_nobody_is_known() -> None:
    records = by_age("a", "b", "b", "a")
    shown = [(0, ("20",)), (1, ("21",)), (2, ("twenties",)), (3, ("twenties",))]
    found = find_release(as_table(records), rows_of(records, shown))
    assert found.unread == {"age": Unread(("twenties",), 1)}
    with pytest.raises(Unsupported) as caught:
        check_judged(found, BELIEVED)
    assert "Labels of \"age\" cannot be read: 'twenties'." in caught.value.detail


@pytest.mark.parametrize(
    "requirement", [MInvariance(2), BtPrivacy(((Remembered("course"), 0.2),))], ids=["m", "bt"]
)
def test_what_is_about_earlier_releases_is_not_judged(requirement: Requirement) -> None:
    records = by_age("a", "b")
    rows = rows_of(records, [(0, ("*",)), (1, ("*",))])
    found = find_release(as_table(records), rows, people_of(records, [0, 1]))
    with pytest.raises(Unsupported, match="cannot be judged of a table made elsewhere"):
        check_judged(found, [requirement])


def test_a_column_that_is_not_shown_is_lost() -> None:
    records = Records(
        (Attribute("q", ("a", "b")), Attribute("r", ("c", "d"))),
        Attribute("s", ("x", "y")),
        (("a", "c", "x"), ("b", "d", "y")),
    )
    rows = Rows((coded(["a", "b"]), None), None, np.array([0, 1]), np.ones(2, dtype=np.int64))
    found = find_release(as_table(records), rows)
    assert found.manners == {"q": "labels", "r": "not shown"}
    assert column_losses(found) == {"q": 0.0, "r": 1.0}
    assert found.labels_of(1) == {"q": "b"}


def test_counts_that_would_not_fit_are_refused_before_they_are_made() -> None:
    size = 20_001
    told = Domain("s", tuple(map(str, range(size))))
    table = Table(
        (Domain("q", ("a",)),), told, np.zeros((1, 1), np.int64), np.ones((1, size), np.int64)
    )
    numbers = tuple(map(str, range(size)))
    groups = Labels(numbers, np.arange(size))
    rows = Rows((None,), groups, np.arange(size), np.ones(size, dtype=np.int64))
    with pytest.raises(TooLarge, match="20001 groups times 20001 values"):
        find_release(table, rows)
