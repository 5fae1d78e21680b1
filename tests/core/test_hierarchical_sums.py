"""Sums over strands of cells against distances by definition, relative to each sum itself."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.belief import hierarchical_sums as strands_module
from bkpriv_core.belief import kernel_axis as axis_module
from bkpriv_core.belief import prior as prior_module
from bkpriv_core.belief.hierarchical_sums import HierarchicalSums
from bkpriv_core.belief.prior import kernel_prior
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.progress import SILENT
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.table import Table
from tests.core.oracles import Attribute
from tests.core.strategies import MANY, as_domain, attributes, bandwidths
from tests.core.test_kernel_axis import TIGHT, by_definition, lines

PAIR = Domain("illness", ("flu", "hiv"))


def planned(table: Table, width: float, tabled: int = 256) -> HierarchicalSums | None:
    """Plan the strands of a table in which more than `tabled` values are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axis_module, "_TABLED", tabled)
        return HierarchicalSums.of(table, prior_module._axes(table, width))


@st.composite
def crowded(draw: st.DrawFn, *kinds: Attribute) -> Table:
    """Cells of some attributes: nearly all of them, or few; one record in each, or a crowd."""
    domains = tuple(as_domain(attribute) for attribute in kinds)
    sizes = tuple(domain.size for domain in domains)
    grid = np.indices(sizes).reshape(len(sizes), -1).T
    places = st.lists(st.integers(0, len(grid) - 1), min_size=1, max_size=20, unique=True)
    codes: IntArray = grid[sorted(draw(places))]
    count = st.sampled_from([0, 0, 1, 2, 10**6])
    counts = np.array([[draw(count), draw(count)] for _ in codes], dtype=np.int64)
    counts[counts.sum(axis=1) == 0, 1] = 1
    return Table(domains, PAIR, codes, counts)


def exact_sums(table: Table, weights: list[list[list[Fraction]]]) -> list[list[Fraction]]:
    """Weighted counts by the definition, over all pairs of cells."""
    sums = []
    for here in table.codes.tolist():
        seen = [Fraction(0)] * table.counts.shape[1]
        for there, counts in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
            weight = Fraction(1)
            for of_axis, one, other in zip(weights, here, there, strict=True):
                weight *= of_axis[one][other]
            seen = [total + weight * count for total, count in zip(seen, counts, strict=True)]
        sums.append(seen)
    return sums


@MANY
@given(lines(), attributes("q", kinds=("hierarchical", "flat")), st.data())
def test_a_crowd_at_the_edge_does_not_drown_one_within(
    line: tuple[Attribute, float], other: Attribute, data: st.DataObject
) -> None:
    attribute, width = line
    table = data.draw(crowded(attribute, other))
    weights = [by_definition(kind, width) for kind in (attribute, other)]
    # No absolute tolerance, and the rounding of 1 - 1/3 for levels of the other.
    expected = np.array(exact_sums(table, weights), dtype=np.float64)
    for tabled, slab in ((0, 1), (256, 2**20)):
        strands = planned(table, width, tabled)
        if strands is None:
            farthest = min(width, 1) * max((attribute.numbers or {}).values())
            assert farthest**2 * table.records >= 2**61
            continue
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(strands_module, "_SLAB_BYTES", slab)
            sums = strands.weigh(SILENT)
        np.testing.assert_allclose(sums, expected, rtol=10 * TIGHT)


@MANY
@given(
    st.one_of(
        st.lists(attributes("q"), min_size=1, max_size=4),
        st.lists(attributes("q", kinds=("numeric",)), min_size=3, max_size=3),
    ),
    bandwidths,
    st.data(),
)
def test_several_attributes_of_every_kind(
    kinds: list[Attribute], width: float, data: st.DataObject
) -> None:
    table = data.draw(crowded(*kinds))
    strands = planned(table, width)
    assert strands is not None
    expected = exact_sums(table, [by_definition(kind, width) for kind in kinds])
    sums = strands.weigh(SILENT)
    largest = np.array(expected, dtype=np.float64).max()
    np.testing.assert_allclose(
        sums, np.array(expected, dtype=np.float64), rtol=TIGHT, atol=TIGHT * largest
    )


def seconds(places: IntArray, counts: IntArray) -> Table:
    positions = places.astype(np.float64)
    codes = np.arange(len(places))[:, None]
    return Table((Domain("at", tuple(map(str, places)), positions),), PAIR, codes, counts)


def test_running_sums_may_run_over() -> None:
    # Squares of places to 10^18, a million records each: sums to 10^26, modulo 2^64.
    places = np.sort(np.random.default_rng(1).choice(10**9, 300, replace=False))
    places = np.unique(np.concatenate((places, places + 1, places + 700)))
    counts = np.random.default_rng(2).integers(0, 10**6, (len(places), 2))
    table, width = seconds(places, counts + 1), 1e-6
    assert float((table.counts * places[:, None].astype(float) ** 2).sum()) > 2.0**80
    gaps = np.abs(places[:, None] - places).astype(np.float64)
    reach = width * np.ptp(places)
    expected = np.maximum(0.0, 1.0 - (gaps / reach) ** 2) @ table.counts
    assert (expected > table.counts).any()
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(kernel_prior(table, width, path="strands"), expected, rtol=1e-12)


@pytest.mark.parametrize(("width", "exact"), [(0.001, True), (0.5, False)])
def test_strands_whose_sums_would_not_be_exact_are_none(width: float, exact: bool) -> None:
    # Half of 2^31 seconds, squared, for a few records more than 2^2.
    places = np.array([0, 1, 10, 2**20, 2**31])
    table = seconds(places, np.ones((5, 2), dtype=np.int64))
    assert (planned(table, width) is not None) == exact
    if not exact:
        with pytest.raises(InvalidParameter, match="no strands") as caught:
            kernel_prior(table, width, path="strands")
        assert "cells" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("numbers", "steps"),
    [
        ([0.1, 0.3, 0.7], [0, 1, 3]),  # 0.2 apart, for all that 0.3 - 0.1 is not
        ([86_400.0, 172_800.0, 432_000.0], [0, 1, 4]),
        ([-122.41, -122.4, 3.5], [0, 1, 12_591]),
        ([5.0], [0]),
        ([1 / 3, 2 / 3], None),
        ([0.0, 1e300], None),
        ([2.0**53, 2.0**53 + 2], None),
        ([1e-7, 2e-7], None),
    ],
)
def test_steps_of_numbers(numbers: list[float], steps: list[int] | None) -> None:
    ruler = axis_module.kernel_axis(Domain("x", tuple(map(str, numbers)), np.array(numbers)), 1.5)
    places = None if ruler.ruler is None else ruler.ruler.places.tolist()
    assert places == steps


@MANY
@given(st.one_of(lines(), st.tuples(attributes("q"), bandwidths)))
def test_strata_and_realms_tell_the_weights(drawn: tuple[Attribute, float]) -> None:
    attribute, width = drawn
    exact = np.array([[float(weight) for weight in row] for row in by_definition(attribute, width)])
    # At the bandwidth itself, as 3 of 15 and .2, rounding tells whether values see one another.
    assume(not ((exact > 0) & (exact < TIGHT)).any())
    for tabled in (0, 256):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(axis_module, "_TABLED", tabled)
            axis = axis_module.kernel_axis(as_domain(attribute), width)
        apart = axis.realms[:, None] != axis.realms
        assert not exact[apart].any()
        # And those of one realm are linked by values that see one another.
        linked = np.linalg.matrix_power((exact > 0).astype(float), len(exact)) > 0
        np.testing.assert_array_equal(linked, ~apart)
        if axis.strata is not None:
            together = sum(
                weight * (classes[:, None] == classes) for weight, classes in axis.strata
            )
            np.testing.assert_allclose(together, exact, rtol=TIGHT, atol=TIGHT)


@pytest.mark.parametrize(
    ("width", "realms"), [(0.4, [0, 1, 2, 2]), (0.5, [0, 1, 1, 1]), (0.51, [0, 0, 0, 0])]
)
def test_numbers_at_the_bandwidth_itself_are_of_different_realms(
    width: float, realms: list[int]
) -> None:
    positions = np.array([0.0, 5.0, 9.0, 10.0])
    domain = Domain("x", tuple(map(str, positions)), positions)
    assert axis_module.kernel_axis(domain, width).realms.tolist() == realms


def people(records: int) -> Table:
    """Draw people of nearly unique cells: a date of birth, a postcode, sex, and an occupation."""
    random = np.random.default_rng(records)
    columns = {
        "born": random.integers(0, 30_000, records) * 86_400,
        "postcode": random.integers(0, 3_000, records),
        "sex": random.integers(0, 2, records),
        "children": random.geometric(0.5, records) - 1,
    }
    domains, codes = [], []
    for name, column in columns.items():
        values, coded = np.unique(column, return_inverse=True)
        labels = tuple(f"{value:05}" for value in values.tolist())
        paths: dict[str, tuple[str, ...]] = {
            label: (label, label[:4], label[:3], label[:2], "*") for label in labels
        }
        domains.append(
            Domain(
                name,
                labels,
                values.astype(np.float64) if name in ("born", "children") else None,
                Hierarchy(paths) if name == "postcode" else None,
            )
        )
        codes.append(coded.ravel())
    rows = np.column_stack((*codes, random.integers(0, 2, records)))
    ones = np.ones(records, dtype=np.int64)
    return Table.from_rows(tuple(domains), PAIR, rows, ones)[0]


@pytest.mark.parametrize("width", [0.8, 1.5])
def test_nearly_unique_cells_are_weighed_along_strands(width: float) -> None:
    table = people(8_000)
    assert table.cells > 7_990
    axes = prior_module._axes(table, width)
    way = prior_module._cheapest(table, axes, prior_module._Grid.of(table, axes))
    assert isinstance(way, HierarchicalSums)
    assert [len(weights) for _, weights in way.tabled] == [table.quasi_identifiers[3].size]
    some = np.arange(0, table.cells, 200)
    weights = np.ones((len(some), table.cells))
    for axis, codes in zip(axes, table.codes.T, strict=True):
        weights *= axis.pairs(codes[some], codes)
    expected = weights @ table.counts
    np.testing.assert_allclose(way.weigh(SILENT)[some], expected, rtol=1e-12)


def test_a_plan_for_many_hierarchies_does_not_list_their_levels() -> None:
    # 2^40 combinations of levels, of which none is computed.
    domains = tuple(Domain(f"q{axis}", ("a", "b", "c")) for axis in range(40))
    codes = np.array([[cell] * 40 for cell in range(3)])
    table = Table(domains, PAIR, codes, np.ones((3, 2), dtype=np.int64))
    strands = planned(table, 1.5)
    assert strands is not None
    assert strands.cost > 1e12
    weight = (5 / 9) ** 40
    expected = np.full((3, 2), 1 + 2 * weight) / (2 + 4 * weight)
    np.testing.assert_allclose(kernel_prior(table, 1.5), expected, rtol=1e-12)
