"""Groups of a node of the lattice, against classes of values worked out one by one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.method.full_domain import (
    UTILITIES,
    IncognitoOptions,
    cheapest_node,
    describe,
    divergence,
    find_lattice,
    publish_node,
)
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import KAnonymity, LDiversity
from bkpriv_core.table.hierarchy import Intervals
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from bkpriv_core.utility.measures import utility
from tests.core.oracles import Attribute, Records, Value
from tests.core.strategies import SOME, as_groups, as_table, tables

ORIGIN = -2


def with_intervals(table: Table, widths: list[int]) -> Table:
    """The table with intervals for its numeric attributes."""
    intervals = Intervals(tuple(map(Decimal, widths)), Decimal(ORIGIN))
    domains = tuple(
        replace(domain, intervals=intervals) if domain.numeric else domain
        for domain in table.quasi_identifiers
    )
    return replace(table, quasi_identifiers=domains)


def generalized(attribute: Attribute, widths: list[int], value: Value, level: int) -> object:
    """Class of a value at a level."""
    if attribute.numbers is None:
        return attribute.path(value)[level]
    if level == 0 or value is None:
        return "*" if level > len(widths) else (value,)
    if level > len(widths):
        return "*"
    return floor((attribute.numbers[value] - ORIGIN) / widths[level - 1])


@SOME
@given(tables(), st.sampled_from([[3], [2, 6], [5, 10, 40]]), st.data())
def test_groups_are_shown_by_whole_classes(
    records: Records, widths: list[int], data: st.DataObject
) -> None:
    threat = ThreatModel(with_intervals(as_table(records), widths))
    lattice = find_lattice(threat, [KAnonymity(1)], IncognitoOptions())
    node = tuple(data.draw(st.integers(0, size - 1)) for size in lattice.safe.shape)
    release = publish_node(lattice, node)
    form, groups, table = release.form, release.groups, release.table
    assert isinstance(form, Generalized)
    assert form.levels == node
    assert len(form.pool(release.parts, groups)) == len(groups)
    low, high = form.boxes(release.parts, groups)
    for axis, attribute in enumerate(records.attributes):
        domain = table.quasi_identifiers[axis]
        becomes = [generalized(attribute, widths, label, node[axis]) for label in domain.labels]
        places = domain.leaf_order
        labels = [] if domain.numeric else form.labels(domain, axis, low[:, axis], high[:, axis])
        for group, cells in enumerate(groups):
            codes = set(table.codes[cells, axis].tolist())
            (here,) = {becomes[code] for code in codes}
            alike = [places[code] for code in range(domain.size) if becomes[code] == here]
            assert (low[group, axis], high[group, axis]) == (min(alike), max(alike))
            if labels:
                top = node[axis] == domain.height
                null = domain.labels[min(codes)] is None and not top
                assert labels[group] == (None if null else here)


@SOME
@given(tables(), st.integers(1, 5), st.sampled_from([0.0, 0.3]), st.sampled_from(UTILITIES))
def test_figures_are_those_of_what_is_published(
    records: Records, k: int, share: float, measure: str
) -> None:
    threat = ThreatModel(with_intervals(as_table(records), [3, 6]))
    options = IncognitoOptions(suppression=share, utility=measure)
    lattice = find_lattice(threat, [KAnonymity(k), LDiversity(1, "distinct")], options)
    assert lattice.suppression == share
    rows = describe(lattice, measure)
    assert [row.node for row in rows] == list(product(*map(range, lattice.safe.shape)))
    for row in rows:
        assert set(row.costs) == set(UTILITIES[: 4 if row.minimal else 3] if row.safe else ())
        if row.minimal:
            assert row.costs["kl"] == divergence(lattice, row.node)
        if row.safe:
            release = publish_node(lattice, row.node)
            measures = utility(release)
            assert row.suppressed == threat.table.records - release.published
            if len(release.groups):
                for name in UTILITIES[:3]:
                    assert row.costs[name] == pytest.approx(measures[name])
    chosen = [row for row in rows if row.chosen]
    if lattice.safe.any():
        assert [row.node for row in chosen] == [cheapest_node(lattice, measure)]
        costs = [row.costs[measure] for row in rows if measure in row.costs]
        assert chosen[0].costs[measure] == min(costs)
    else:
        assert not chosen
        with pytest.raises(UnattainableRequirement, match="no node"):
            cheapest_node(lattice, measure)


def test_what_is_merged_is_shown_by_whole_classes() -> None:
    attribute = Attribute("a", tuple("123456"), numbers={str(n): n for n in range(1, 7)})
    pairs = tuple((value, secret) for value in "123456" for secret in "xy")
    table = with_intervals(as_table(Records((attribute,), Attribute("s", ("x", "y")), pairs)), [3])
    lattice = find_lattice(ThreatModel(table), [KAnonymity(2)], IncognitoOptions())
    form = publish_node(lattice, (1,)).form
    assert isinstance(form, Generalized)
    low, high = form.boxes(Parts.of(table), as_groups([[1, 2], [3, 4], [2], [0, 5]]))
    assert (low.ravel().tolist(), high.ravel().tolist()) == ([0, 3, 0, 0], [2, 5, 2, 5])


def test_priors_are_kept_for_all_parts_of_a_table() -> None:
    attribute = Attribute("a", ("p", "q"))
    records = Records((attribute,), Attribute("s", ("x", "y")), (("p", "x"), ("q", "y")))
    threat = ThreatModel(as_table(records))
    before = threat.prior(0.5)
    same = threat.over(replace(threat.parts))
    assert same.prior(0.5) is before
    cells, values = threat.parts.enumerate_records()
    parts, _ = Parts.of(threat.table).dealt(cells, values, np.array([0, 0]))
    np.testing.assert_array_equal(threat.over(parts).prior(0.5), before)
    with pytest.raises(ValueError, match="one table"):
        threat.over(Parts.of(as_table(records)))
