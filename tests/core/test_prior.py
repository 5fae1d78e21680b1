"""Priors against equation 2 by pairs of records, on every path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import hierarchical_sums as strands_module
from bkpriv_core.belief import kernel_axis as axis_module
from bkpriv_core.belief import prior as prior_module
from bkpriv_core.belief.knowledge import Only
from bkpriv_core.belief.prior import Path, column_prior, kernel_prior, resolve_bandwidth
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, SOME, as_array, as_table, bandwidths, tables
from tests.core.watching import Cancelled, Watched, cancelling


@st.composite
def tables_and_bandwidths(draw: st.DrawFn) -> tuple[Records, dict[str, float]]:
    records = draw(tables(max_records=24))
    return records, {attribute.name: draw(bandwidths) for attribute in records.attributes}


@contextmanager
def as_if_large() -> Iterator[None]:
    """Do with a few values, cells and sensitive values what is done with too many at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axis_module, "_TABLED", 1)
        patch.setattr(axis_module, "_BLOCK", 2)
        patch.setattr(prior_module, "_SLAB_BYTES", 1)
        patch.setattr(strands_module, "_SLAB_BYTES", 1)
        patch.setattr(prior_module, "_BLOCK_PAIRS", 8)
        patch.setattr(prior_module, "_MARGIN", 1)
        yield


def paths(table: Table, width: float | Mapping[str, float]) -> tuple[Path, ...]:
    """All paths that a table admits."""
    strands = strands_module.HierarchicalSums.of(table, prior_module._axes(table, width))
    return ("auto", "grid", "cells") if strands is None else ("auto", "grid", "cells", "strands")


@st.composite
def wide_tables_and_bandwidths(draw: st.DrawFn) -> tuple[Records, dict[str, float]]:
    """One or two numeric attributes whose gaps are of very different size, another, and NULLs."""
    near = st.integers(0, 9)
    place = st.one_of(near, near.map(lambda gap: 10**9 + gap), st.integers(0, 10**9 + 9))
    places = draw(st.lists(place, min_size=1, max_size=12, unique=True))
    numbers = {str(number): number for number in sorted(places)}
    values = st.sampled_from([*numbers, None])
    row = st.tuples(values, values, st.sampled_from(["f", "m"]), st.sampled_from(["a", "b", "c"]))
    rows = draw(st.lists(row, min_size=1, max_size=24))
    attributes = []
    for axis, name in enumerate(("born", "seen", "sex", "illness")):
        occurring = {record[axis] for record in rows}
        if axis < 2:
            kept = {value: number for value, number in numbers.items() if value in occurring}
            null = (None,) if None in occurring else ()
            attributes.append(Attribute(name, (*kept, *null), numbers=kept))
        else:
            attributes.append(Attribute(name, tuple(sorted(map(str, occurring)))))
    *identifiers, sensitive = attributes
    tiny = st.integers(1, 12).map(lambda gaps: gaps * 1e-9)
    width = st.one_of(bandwidths, tiny, st.sampled_from([1e-12, 1e9, 1e-300]))
    return (
        Records(tuple(identifiers), sensitive, tuple(rows)),
        {attribute.name: draw(width) for attribute in identifiers},
    )


@SOME
@given(st.one_of(tables_and_bandwidths(), wide_tables_and_bandwidths()))
def test_large_tables_are_no_exception(drawn: tuple[Records, dict[str, float]]) -> None:
    records, widths = drawn
    by_record = oracles.priors(records, list(widths.values()))
    expected = as_array([by_record[cell[0]] for cell in records.cells()])
    table = as_table(records)
    for path in paths(table, widths):
        np.testing.assert_allclose(
            kernel_prior(table, widths, path=path), expected, rtol=0, atol=1e-12
        )
    with as_if_large():
        for path in paths(table, widths):
            prior = kernel_prior(table, widths, path=path)
            np.testing.assert_allclose(prior, expected, rtol=0, atol=1e-12)


@SOME
@given(
    st.lists(st.integers(0, 10**5), min_size=2, max_size=12, unique=True),
    st.lists(st.sampled_from([0, 1, 3, 10**6]), min_size=24, max_size=24),
    st.one_of(bandwidths, st.integers(1, 40).map(lambda gap: gap * 1e-5)),
)
def test_crowds_do_not_drown_a_few(days: list[int], counts: list[int], width: float) -> None:
    # A million records of one date and one record of another, however near they are.
    positions = np.array(sorted(days), dtype=np.float64)
    domain = Domain("born", tuple(map(str, positions)), positions)
    size = len(days)
    crowds = np.array(counts[: 2 * size], dtype=np.int64).reshape(size, 2)
    crowds[:, 1] += 1
    table = Table((domain,), Domain("illness", ("flu", "hiv")), np.arange(size)[:, None], crowds)
    grid = kernel_prior(table, width, path="grid")
    ways = [kernel_prior(table, width, path=path) for path in ("cells", "strands")]
    with as_if_large():
        ways += [kernel_prior(table, width, path=path) for path in ("grid", "cells", "strands")]
    for prior in ways:
        np.testing.assert_allclose(prior, grid, rtol=0, atol=1e-12)


@SOME
@given(tables_and_bandwidths())
def test_every_path_is_equation_2_by_pairs_of_records(
    drawn: tuple[Records, dict[str, float]],
) -> None:
    records, widths = drawn
    by_record = oracles.priors(records, list(widths.values()))
    expected = as_array([by_record[cell[0]] for cell in records.cells()])
    table = as_table(records)
    for path in paths(table, widths):
        prior = kernel_prior(table, widths, path=path)
        np.testing.assert_allclose(prior, expected, rtol=0, atol=1e-12)


@MANY
@given(tables_and_bandwidths())
def test_grid_and_cells_agree(drawn: tuple[Records, dict[str, float]]) -> None:
    records, widths = drawn
    table = as_table(records)
    grid = kernel_prior(table, widths, path="grid")
    cells = kernel_prior(table, widths, path="cells")
    np.testing.assert_allclose(grid, cells, rtol=0, atol=1e-12)
    np.testing.assert_allclose(grid.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert (grid >= 0).all()
    # What a person may have by the data is never thought impossible.
    assert (grid[table.counts > 0] > 0).all()


@MANY
@given(tables(), bandwidths)
def test_one_number_holds_for_every_attribute(records: Records, width: float) -> None:
    table = as_table(records)
    each = {domain.name: width for domain in table.quasi_identifiers}
    np.testing.assert_array_equal(kernel_prior(table, width), kernel_prior(table, each))


@SOME
@given(tables(max_records=10), bandwidths, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(
    records: Records, width: float, random: Random
) -> None:
    rows = list(records.rows)
    random.shuffle(rows)
    shuffled = Records(records.attributes, records.sensitive, tuple(rows))
    about = {
        records.rows[cell[0]][:-1]: belief
        for cell, belief in zip(
            records.cells(), kernel_prior(as_table(records), width), strict=True
        )
    }
    for cell, belief in zip(shuffled.cells(), kernel_prior(as_table(shuffled), width), strict=True):
        np.testing.assert_allclose(belief, about[shuffled.rows[cell[0]][:-1]], atol=1e-12)


@given(tables(max_records=10))
def test_a_tiny_bandwidth_knows_every_cell(records: Records) -> None:
    table = as_table(records)
    shares = table.counts / table.counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(kernel_prior(table, 1e-6), shares, atol=1e-12)


@given(tables(max_records=10))
def test_a_boundless_bandwidth_knows_the_whole_table_only(records: Records) -> None:
    # The adversary of t-closeness: every record has the same weight (section II-D).
    table = as_table(records)
    overall = np.broadcast_to(table.counts.sum(axis=0) / table.records, table.counts.shape)
    for path in paths(table, 1e9):
        prior = kernel_prior(table, 1e9, path=path)
        np.testing.assert_allclose(prior, overall, atol=1e-12)


@MANY
@given(tables_and_bandwidths(), st.data())
def test_parts_of_a_cell_share_the_prior_of_the_whole(
    drawn: tuple[Records, dict[str, float]], data: st.DataObject
) -> None:
    records, widths = drawn
    table = as_table(records)
    cells, values = Parts.of(table).enumerate_records()
    raw = data.draw(st.lists(st.integers(0, 3), min_size=table.records, max_size=table.records))
    labels = np.unique(np.array(raw), return_inverse=True)[1]
    parts, _ = Parts.of(table).dealt(cells, values, labels)
    cell_of = {tuple(codes): cell for cell, codes in enumerate(table.codes.tolist())}
    whole = [cell_of[tuple(codes)] for codes in parts.codes.tolist()]
    np.testing.assert_array_equal(
        ThreatModel(parts).prior(widths), kernel_prior(table, widths)[whole]
    )


def by_age(*rows: tuple[str, str]) -> Records:
    ages = {age: int(age) for age in sorted({row[0] for row in rows}, key=int)}
    return Records(
        (Attribute("age", tuple(ages), numbers=ages),),
        Attribute("disease", tuple(sorted({row[1] for row in rows}))),
        rows,
    )


def test_weight_is_zero_at_the_bandwidth_itself() -> None:
    table = as_table(by_age(("0", "flu"), ("5", "hiv"), ("10", "none")))
    np.testing.assert_array_equal(kernel_prior(table, 0.5), np.eye(3))
    assert (kernel_prior(table, 0.51)[1] > 0).all()


def test_figures_by_hand() -> None:
    # Distances .5 and 1 at B = 1: weights 1, 3/4, 0; the record aged 10 counts twice.
    table = as_table(by_age(("0", "flu"), ("5", "hiv"), ("10", "flu"), ("10", "flu")))
    expected = [[1 / 1.75, 0.75 / 1.75], [2.25 / 3.25, 1 / 3.25], [2 / 2.75, 0.75 / 2.75]]
    for path in paths(table, 1):
        prior = kernel_prior(table, 1, path=path)
        np.testing.assert_allclose(prior, expected, atol=1e-15)


def test_bandwidths_belong_to_attributes_by_name_not_order() -> None:
    age = Attribute("age", ("0", "10"), numbers={"0": 0, "10": 10})
    sex = Attribute("sex", ("f", "m"))
    rows = (("0", "f", "flu"), ("10", "f", "hiv"), ("0", "m", "hiv"))
    table = as_table(Records((age, sex), Attribute("s", ("flu", "hiv")), rows))
    prior = kernel_prior(table, {"sex": 0.5, "age": 2.0})
    np.testing.assert_allclose(prior[0], [1 / 1.75, 0.75 / 1.75], atol=1e-15)
    np.testing.assert_allclose(prior[2], [0, 1], atol=1e-15)


def test_blocks_of_cells_do_not_change_the_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    records = by_age(*((str(age), "abc"[age % 3]) for age in range(20)))
    table = as_table(records)
    whole = kernel_prior(table, 1.5, path="cells")
    monkeypatch.setattr(prior_module, "_BLOCK_PAIRS", 3 * table.cells)
    steps: list[None] = []
    blocks = kernel_prior(table, 1.5, path="cells", progress=Watched(lambda: steps.append(None)))
    # Of the cells that are left: 20, 17, 14, 10 and 4.
    assert len(steps) == 5
    np.testing.assert_allclose(blocks, whole, atol=1e-15)


def test_a_grid_too_large_for_memory_is_not_tried() -> None:
    # 60 values in each of 8 attributes: a grid of 1.7e14 cells for 60 records.
    values = tuple(str(number) for number in range(60))
    numbers = {value: int(value) for value in values}
    rows = tuple((value,) * 8 + ("ab"[int(value) % 2],) for value in values)
    records = Records(
        tuple(Attribute(f"q{axis}", values, numbers=numbers) for axis in range(8)),
        Attribute("s", ("a", "b")),
        rows,
    )
    prior = kernel_prior(as_table(records), 0.1)
    expected = oracles.priors(records, [0.1] * 8)
    np.testing.assert_allclose(prior, as_array(expected), atol=1e-12)


@pytest.mark.parametrize(("values", "cheaper"), [(8, "_Grid"), (200, "_Pairs")])
def test_the_cheaper_path_is_taken(
    values: int, cheaper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 60 cells of a grid: of 64 points, and of 40,000.
    axis = tuple(f"{number:03}" for number in range(values))
    numbers = {value: int(value) for value in axis}
    places = [(one, (one + shift) % values) for shift in range(values) for one in range(values)]
    both = (Attribute("a", axis, numbers=numbers), Attribute("b", axis, numbers=numbers))
    rows = tuple((axis[one], axis[other], "pq"[one % 2]) for one, other in places[:60])
    table = as_table(Records(both, Attribute("s", ("p", "q")), rows))
    taken = weighed(monkeypatch)
    kernel_prior(table, 0.3)
    assert taken == [cheaper]


def weighed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the paths that are taken from now on."""
    taken: list[str] = []
    for path in (prior_module._Grid, prior_module._Pairs, strands_module.HierarchicalSums):
        original = path.weigh

        def spy(
            self: object, progress: object, name: str = path.__name__, original: object = original
        ) -> object:
            taken.append(name)
            return original(self, progress)  # type: ignore[operator]

        monkeypatch.setattr(path, "weigh", spy)
    return taken


def dated(records: int, dates: int, others: tuple[int, ...], numeric: int = 1) -> Table:
    """A table of nearly as many cells as records: dates, and other attributes of some size."""
    random = np.random.default_rng(3)
    columns = [random.integers(0, size, records) for size in (dates, *others)]
    domains = []
    for axis, column in enumerate(columns):
        occurring, columns[axis] = np.unique(column, return_inverse=True)
        positions = (occurring * 86_400.0).astype(np.float64) if axis < numeric else None
        domains.append(Domain(f"q{axis}", tuple(map(str, occurring)), positions))
    cells, cell = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    counts = np.zeros((len(cells), 4), dtype=np.int64)
    np.add.at(counts, (cell.ravel(), random.integers(0, 4, records)), 1)
    return Table(tuple(domains), Domain("s", ("p", "q", "r", "s")), cells, counts)


def by_pairs(table: Table, width: float, some: slice) -> FloatArray:
    """Priors of some cells, by the definition, over all pairs with every cell."""
    weights = np.ones((len(table.codes[some]), table.cells))
    for axis, domain in enumerate(table.quasi_identifiers):
        codes = table.codes[:, axis]
        if domain.positions is None:
            distances = (codes[some, None] != codes).astype(np.float64)
        else:
            numbers = domain.positions[codes]
            distances = np.abs(numbers[some, None] - numbers) / np.ptp(numbers)
        weights *= np.maximum(0, 1 - (distances / width) ** 2)
    numerator = weights @ table.counts
    prior: FloatArray = numerator / numerator.sum(axis=1, keepdims=True)
    return prior


@pytest.mark.parametrize(
    ("others", "numeric", "width", "path"),
    [
        ((2, 20), 1, 0.3, "HierarchicalSums"),
        ((2, 20), 1, 1.5, "HierarchicalSums"),
        ((), 1, 0.3, "_Grid"),
        ((9_000,), 2, 0.3, "_Pairs"),  # admission dates, too
        ((2, 15_000), 1, 0.3, "HierarchicalSums"),  # postcodes
    ],
)
def test_as_many_values_as_records(
    others: tuple[int, ...],
    numeric: int,
    width: float,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = dated(10_000, 30_000, others, numeric)
    assert table.quasi_identifiers[0].size > 7_000
    taken = weighed(monkeypatch)
    prior = kernel_prior(table, width)
    assert taken == [path]
    some = slice(5_000, 5_040)
    np.testing.assert_allclose(prior[some], by_pairs(table, width, some), rtol=0, atol=1e-12)


def test_parts_of_a_cell_are_weighed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = as_table(by_age(*((str(age), "ab"[age % 2]) for age in range(20) for _ in range(30))))
    cells, values = Parts.of(whole).enumerate_records()
    parts, _ = Parts.of(whole).dealt(cells, values, np.arange(whole.records, dtype=np.int64))
    assert (whole.cells, len(parts)) == (20, 600)
    monkeypatch.setattr(prior_module, "_BLOCK_PAIRS", 20)
    monkeypatch.setattr(prior_module, "_GRID_BYTES", 0)
    monkeypatch.setattr(strands_module.HierarchicalSums, "of", lambda *_: None)
    steps: list[None] = []
    ThreatModel(parts, progress=Watched(lambda: steps.append(None))).prior(1.5)
    # One of 20 to 11 cells that are left at a time, then two of 10 and 8, and three of 6 and 3.
    assert len(steps) == 14


@given(tables(), st.data())
def test_by_one_column_alone_people_are_compared_as_if_there_was_no_other(
    records: Records, data: st.DataObject
) -> None:
    axis = data.draw(st.integers(0, len(records.attributes) - 1))
    alone = Records(
        (records.attributes[axis],),
        records.sensitive,
        tuple((row[axis], row[-1]) for row in records.rows),
    )
    table = as_table(records)
    name = table.quasi_identifiers[axis].name
    expected = as_array(oracles.priors(alone, [0.3]))[[cell[0] for cell in records.cells()]]
    found = ThreatModel(table).prior(Only(name))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_array_equal(column_prior(table, name, 0.3), found)


@pytest.mark.parametrize("path", ["grid", "cells", "strands"])
def test_polling_can_cancel(path: str) -> None:
    table = as_table(by_age(("0", "flu"), ("5", "hiv")))
    with pytest.raises(Cancelled):
        kernel_prior(table, 0.3, path=path, progress=cancelling())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bandwidth", "words", "hint"),
    [
        (0, "the bandwidth is 0", "positive|Distances"),
        (-1.5, "the bandwidth is -1.5", "Distances"),
        (float("nan"), "the bandwidth is NaN", "Distances"),
        (True, "the bandwidth is true", "Distances"),
        ("wide", 'the bandwidth is "wide"', "Distances"),
        ({"age": 0.3, "sex": 0}, 'the bandwidth of "sex" is 0', "Distances"),
        ({"age": None, "sex": 1}, 'the bandwidth of "age" is null', "Distances"),
        ({"age": 0.3}, 'leaves out the quasi-identifier "sex"', '"age", "sex"'),
        ({"age": 0.3, "sex": 1, "zip": 1}, 'names "zip"', '"age", "sex"'),
    ],
)
def test_a_bad_bandwidth_is_named(bandwidth: object, words: str, hint: str) -> None:
    with pytest.raises(InvalidParameter, match=words) as caught:
        resolve_bandwidth(bandwidth, ("age", "sex"))  # type: ignore[arg-type]
    assert caught.value.hint
    assert any(part in caught.value.hint for part in hint.split("|"))


@pytest.mark.parametrize(
    ("bandwidth", "expected"), [(1, (1.0, 1.0)), ({"sex": 1, "age": 0.25}, (0.25, 1.0))]
)
def test_bandwidths_stand_in_the_order_of_attributes(
    bandwidth: float | Mapping[str, float], expected: tuple[float, ...]
) -> None:
    assert resolve_bandwidth(bandwidth, ("age", "sex")) == expected
