"""Tables with attributes coarsened, against loops over records."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy, Intervals
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.recoding import recode
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.strategies import MANY, as_table, tables


def counted(table: Table) -> Counter[tuple[str | None, ...]]:
    """Records by the labels of their values."""
    found: Counter[tuple[str | None, ...]] = Counter()
    for codes, counts in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
        cell = [d.labels[code] for d, code in zip(table.quasi_identifiers, codes, strict=True)]
        for label, count in zip(table.sensitive.labels, counts, strict=True):
            row = (*cell, label)
            found[row] += count
    return +found


def named(domain: Domain, code: int, level: int) -> str | None:
    """Label of a value at a level, the slow way round."""
    label = domain.labels[code]
    if not level:
        return label
    classes = Levels.of(domain).codes[level]
    alike = [other for other in range(domain.size) if classes[other] == classes[code]]
    if not domain.numeric:
        paths = None if domain.hierarchy is None else domain.hierarchy.paths
        if label is not None and paths is not None:
            return paths[label][level]
        root = "*" if paths is None else next(iter(paths.values()))[-1]
        return root if level == domain.height else label
    if len(alike) == 1:
        return label
    if domain.labels[alike[-1]] is None:
        return "*"
    return f"[{domain.labels[alike[0]]},{domain.labels[alike[-1]]}]"


@MANY
@given(tables(max_records=16), st.data())
def test_every_value_becomes_its_class(records: Records, data: st.DataObject) -> None:
    table = as_table(records)
    levels = {
        domain.name: data.draw(st.integers(0, len(Levels.of(domain)) - 1))
        for domain in table.quasi_identifiers
        if domain.ends is None and data.draw(st.booleans())
    }
    coarse, cell = recode(table, levels)
    expected: Counter[tuple[str | None, ...]] = Counter()
    for codes, counts in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
        names = [
            named(domain, code, levels.get(domain.name, 0))
            for domain, code in zip(table.quasi_identifiers, codes, strict=True)
        ]
        for label, count in zip(table.sensitive.labels, counts, strict=True):
            row = (*names, label)
            expected[row] += count
    assert counted(coarse) == +expected
    summed = np.zeros_like(coarse.counts)
    for each, counts in zip(cell.tolist(), table.counts, strict=True):
        summed[each] += counts
    np.testing.assert_array_equal(summed, coarse.counts)
    assert len({tuple(codes) for codes in coarse.codes.tolist()}) == coarse.cells
    for mine, theirs in zip(coarse.domains, table.domains, strict=True):
        assert mine.name == theirs.name
        assert (mine is theirs) == (not levels.get(mine.name))
        assert len(set(mine.labels)) == mine.size
        assert None not in mine.labels[:-1]
        if mine.hierarchy is not None and theirs.hierarchy is not None:
            level = levels.get(mine.name, 0)
            assert mine.hierarchy.height == theirs.hierarchy.height - level


AGES = Domain(
    "age",
    ("5", "7", "23", None),
    np.array([5, 7, 23, np.nan]),
    intervals=Intervals((Decimal(10), Decimal(20)), Decimal(0)),
)
CITIES = Domain(
    "city",
    ("a", "b", "c"),
    hierarchy=Hierarchy({x: (x, "ab" if x < "c" else "c", "*") for x in "abc"}),
)
BINS = Domain("bin", ("0", "5"), np.array([0.0, 5.0]), ends=np.array([5.0, 10.0]))
PEOPLE = Table(
    (AGES, CITIES, BINS),
    Domain("s", ("x", "y")),
    np.array([[0, 0, 0], [1, 1, 0], [2, 2, 1], [3, 0, 0]]),
    np.array([[1, 2], [3, 0], [0, 4], [1, 1]]),
)


def test_numbers_are_ranges_and_null_is_apart() -> None:
    coarse, cell = recode(PEOPLE, {"age": 1, "city": 1})
    assert coarse.quasi_identifiers[0].labels == ("[5,7]", "23", None)
    assert coarse.quasi_identifiers[1].labels == ("ab", "c")
    assert cell.tolist() == [0, 0, 1, 2]
    assert coarse.counts.tolist() == [[4, 2], [0, 4], [1, 1]]
    everything, _ = recode(PEOPLE, {"age": 3, "city": 2})
    assert [domain.labels for domain in everything.quasi_identifiers[:2]] == [("*",), ("*",)]


@pytest.mark.parametrize(
    ("levels", "message", "hint"),
    [
        ({"nose": 1}, 'names "nose", which is no quasi-identifier', '"age", "city", "bin"'),
        ({"s": 1}, 'names "s", which is no quasi-identifier', '"age", "city", "bin"'),
        ({"city": 3}, 'has 3 for "city", which has no such level', "from 0 to 2"),
        ({"bin": 1}, 'names "bin", which is binned', "wider bins"),
    ],
)
def test_what_cannot_be_coarsened_is_refused(
    levels: dict[str, int], message: str, hint: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        recode(PEOPLE, levels)
    assert message in caught.value.message
    assert hint in caught.value.hint
