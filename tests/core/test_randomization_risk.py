"""Risks of randomized releases, against sums over everything that may be shown, in fractions."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.randomization.channel import Channel, check_scheme, distorted
from bkpriv_core.randomization.risk import RiskTable, risks, risks_by_hand
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table
from tests.core import randomization_oracles as oracles
from tests.core.randomized import by_record, retentions, small
from tests.core.strategies import SOME, as_table

SCHEMES = ("rr-s", "rr-qi", "rr-both")

# Guo, Ying, Wu 2011, table 1: of 100 persons, 12 are women with cancer. Other counts were lost.
PERSONS = np.array([[0.1, 0.2, 0.2], [0.12, 0.2, 0.18]])


def wide_table(*sizes: int, apart: int = 1) -> Table:
    """A table of few cells, in which many would be possible."""
    domains = [
        Domain(f"q{place}", tuple(f"{value:03}" for value in range(size)))
        for place, size in enumerate(sizes)
    ]
    cells = max(sizes)
    codes = np.column_stack([np.arange(cells) % size for size in sizes])
    counts = 1 + np.arange(2 * cells).reshape(cells, 2) % 3
    return Table(tuple(domains), Domain("s", ("a", "b")), codes, counts)


@SOME
@given(st.data())
def test_risks_are_the_chances_of_guessing_right(data: st.DataObject) -> None:
    records = data.draw(small)
    kept = data.draw(retentions(records))
    expected = oracles.risks(records, kept)
    found = by_record(records, risks(as_table(records), oracles.channels(records, kept)))
    assert found == {
        person: pytest.approx(float(risk), rel=1e-9) for person, risk in expected.items()
    }


@SOME
@given(st.data())
def test_derivatives_of_risks(data: st.DataObject) -> None:
    records = data.draw(small)
    kept = data.draw(retentions(records, least=Fraction(1, 6)))
    # A retention of 1 is the end of its range.
    kept = [min(each, Fraction(99, 100)) for each in kept]
    table = as_table(records)
    sizes = [domain.size for domain in table.domains]
    exposure = RiskTable.of(table, [size > 1 for size in sizes])
    cells, values = np.nonzero(table.counts)
    slopes = exposure.under(oracles.channels(records, kept)).gradients(cells, values)
    step = Fraction(1, 10**6)
    for axis, size in enumerate(sizes):
        if size == 1:
            assert not slopes[:, axis].any()
            continue
        more, less = (
            oracles.risks(records, [*kept[:axis], kept[axis] + by, *kept[axis + 1 :]])
            for by in (step, -step)
        )
        for cell, value, slope in zip(cells, values, slopes[:, axis], strict=True):
            members = records.cells()[cell]
            person = records.rows[members[0]][:-1], records.sensitive.values[value]
            difference = float((more[person] - less[person]) / (2 * step))
            assert slope == pytest.approx(difference, rel=1e-6, abs=1e-8)


@SOME
@given(st.data())
def test_risks_rise_with_every_retention_from_their_least(data: st.DataObject) -> None:
    records = data.draw(small)
    scheme = check_scheme(data.draw(st.sampled_from(SCHEMES)))
    table = as_table(records)
    chosen = distorted(scheme, len(records.attributes))
    exposure = RiskTable.of(
        table,
        [each and domain.size > 1 for each, domain in zip(chosen, table.domains, strict=True)],
    )

    def at(kept: list[Fraction]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        those = [each if scheme else 1 for each, scheme in zip(kept, chosen, strict=True)]
        return risks(table, oracles.channels(records, those))

    one, other = data.draw(retentions(records)), data.draw(retentions(records))
    lower = at([min(pair) for pair in zip(one, other, strict=True)])
    assert (at(one) >= lower * (1 - 1e-12)).all()
    assert (lower >= exposure.least * (1 - 1e-12)).all()
    assert (at(one) <= exposure.conditional * (1 + 1e-12)).all()
    even = at([Fraction(1, domain.size) for domain in table.domains])
    np.testing.assert_allclose(even, exposure.least, rtol=1e-9)
    # Property 1 of the paper, where every quasi-identifier is distorted.
    conditional, joint = exposure.conditional, table.counts / table.records
    least = {
        "rr-s": conditional**2 if table.sensitive.size > 1 else conditional,
        "rr-qi": joint,
        "rr-both": joint**2 / joint.sum(axis=1, keepdims=True)
        if table.sensitive.size > 1
        else joint,
    }[scheme]
    np.testing.assert_allclose(even, least, rtol=1e-9)


@SOME
@given(st.data())
def test_the_least_risks_where_some_attributes_are_kept(data: st.DataObject) -> None:
    records = data.draw(small)
    table = as_table(records)
    chosen = [data.draw(st.booleans()) and domain.size > 1 for domain in table.domains]
    even = [
        Fraction(1, domain.size) if each else Fraction(1)
        for each, domain in zip(chosen, table.domains, strict=True)
    ]
    expected = oracles.risks(records, even)
    found = by_record(records, RiskTable.of(table, chosen).least)
    assert found == {person: pytest.approx(float(risk)) for person, risk in expected.items()}


def test_the_example_of_the_paper() -> None:
    risk = risks_by_hand(PERSONS, np.array([0.5, 1.0]), "rr-qi")
    assert risk[1, 0] == pytest.approx(0.12, abs=1e-12)
    # Women with cancer among women, where nothing is distorted, or one of the two is at most.
    among = 0.12 / PERSONS[1].sum()
    for scheme in SCHEMES:
        kept = risks_by_hand(PERSONS, np.array([1.0, 1.0]), scheme)
        assert kept[1, 0] == pytest.approx(among, abs=1e-12)
    risk = risks_by_hand(PERSONS, np.array([0.5, 1 / 3]), "rr-s")
    assert risk[1, 0] == pytest.approx(among**2, abs=1e-12)
    risk = risks_by_hand(PERSONS, np.array([0.5, 1 / 3]), "rr-both")
    assert risk[1, 0] == pytest.approx(0.12 * among, abs=1e-12)


def test_by_hand_empty_cells_and_values_count_as_what_may_be_shown() -> None:
    joint = np.array([[0.3, 0.2, 0.0], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    risk = risks_by_hand(joint, np.array([0.6, 0.5]), "rr-both")
    assert (risk[joint == 0] == 0).all()
    # What is shown is a, b or c: P = 0.6, 0.2, 0.2 where a is true, and so on.
    shown = np.array([0.5 * 0.6 + 0.5 * 0.2, 0.2, 0.5 * 0.6 + 0.5 * 0.2])
    recognized = 0.5 * (np.array([0.36, 0.04, 0.04]) / shown).sum()
    values = np.array([0.6 * 0.5 + 0.4 * 0.25, 0.4 * 0.5 + 0.6 * 0.25, 0.25])
    guessed = 0.6 * (np.array([0.25, 0.0625, 0.0625]) / values).sum()
    assert risk[0, 0] == pytest.approx(0.6 * recognized * guessed, abs=1e-12)
    assert risk[2, 0] == pytest.approx(recognized, abs=1e-12)


NEGATIVE = "joint has a negative or non-finite probability"
HALF = [0.5, 0.5]


@pytest.mark.parametrize(
    ("joint", "kept", "scheme", "message", "detail"),
    [
        (PERSONS, HALF, "both", 'there is no scheme "both"', "which attributes are distorted."),
        (PERSONS[0], HALF, "rr-qi", "joint must have a row for each cell", "Its shape is 3."),
        (PERSONS - 0.11, HALF, "rr-qi", NEGATIVE, "It ranges from -"),
        (PERSONS * np.nan, HALF, "rr-qi", NEGATIVE, "It ranges from nan to nan."),
        (PERSONS / 2, HALF, "rr-qi", "joint does not sum to 1", "It sums to 0.5."),
        (PERSONS, [0.5], "rr-qi", "retention must have two elements", "Its shape is 1."),
        (PERSONS, [0.49, 0.5], "rr-qi", "between 1/2 and 1, for there are 2", "0.49; with less"),
        (PERSONS, [0.5, 1.01], "rr-s", "between 1/3 and 1, for there are 3", "It is 1.01"),
        (PERSONS, [np.nan, 0.5], "rr-both", "between 1/2 and 1, for there are 2", "nan"),
    ],
)
def test_by_hand_what_makes_no_sense_is_refused(
    joint: FloatArray, kept: list[float], scheme: str, message: str, detail: str
) -> None:
    with pytest.raises(InvalidParameter) as refused:
        risks_by_hand(joint, np.array(kept), scheme)
    assert message in refused.value.message
    assert detail in refused.value.detail


def test_retentions_of_what_is_not_distorted_do_not_matter() -> None:
    one = risks_by_hand(PERSONS, np.array([0.6, 0.0]), "rr-qi")
    other = risks_by_hand(PERSONS, np.array([0.6, 7.0]), "rr-qi")
    assert (one == other).all()


def test_nearly_kept_values_neither_overflow_nor_vanish() -> None:
    table = wide_table(2, 2, 2, 2, 2, 2)
    kept = [Channel(2, 1.0) for _ in range(7)]
    nearly = [Channel(2, 1.0 - 2.0**-53) for _ in range(7)]
    np.testing.assert_allclose(risks(table, nearly), risks(table, kept), rtol=1e-12)
    # So many that showing them all falsely is less probable than any float.
    table = wide_table(*([2] * 21))
    nearly = [Channel(2, 1.0 - 2.0**-53) for _ in range(22)]
    np.testing.assert_allclose(
        risks(table, nearly), table.counts / table.weights[:, None], rtol=1e-12
    )


def test_memory_stays_with_the_grid() -> None:
    table = wide_table(16, 16, 16, 16)
    channels = [*(Channel(16, 0.5) for _ in range(4)), Channel(2, 0.8)]
    grid = 8 * 16**4
    tracemalloc.start()
    under = RiskTable.of(table, [True] * 5).under(channels)
    everyone = np.arange(table.cells)
    assert under.risks.max() < 1
    assert under.gradients(everyone, np.zeros_like(everyone)).any()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * grid  # the full matrix would take 65,536 times the grid


def test_a_grid_that_is_too_large_is_refused_before_anything_is_made_of_it() -> None:
    table = wide_table(300, 2, 400, 100)
    channels = [Channel(domain.size, 0.9) for domain in table.domains]
    tracemalloc.start()
    with pytest.raises(TooLarge) as refused:
        risks(table, channels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20
    assert refused.value.message == (
        "the randomized attributes have 24000000 combinations of values"
    )
    assert refused.value.detail == (
        'Any may be that of a record; they are "q2" (400), "q0" (300), "q3" (100), "q1" (2), by '
        "the number of their values, and at most 4000000 combinations are handled."
    )
    assert refused.value.hint == 'Coarsen "q2", or do with fewer attributes.'
    # What is kept as it is takes no place in the grid but for what occurs.
    channels[2] = Channel(400, 1.0)
    with pytest.raises(TooLarge) as refused:
        risks(table, channels)
    assert refused.value.hint == 'Coarsen "q0", or do with fewer attributes.'
    channels[0] = Channel(300, 1.0)
    assert risks(table, channels).max() < 1


def test_all_that_must_be_coarser_is_named() -> None:
    table = wide_table(5000, 5000, 5000, 2)
    with pytest.raises(TooLarge) as refused:
        risks(table, [Channel(domain.size, 0.9) for domain in table.domains])
    assert refused.value.hint == 'Coarsen "q0", "q1", or do with fewer attributes.'
