"""Optimal channels: tight, and not beaten by any on a grid."""

from __future__ import annotations

import csv
import itertools
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidData, InvalidParameter, TooLarge, UnattainableRequirement
from bkpriv_core.randomization import optimization
from bkpriv_core.randomization.channel import Scheme, check_scheme, distorted
from bkpriv_core.randomization.optimization import Optimum, optimize
from bkpriv_core.randomization.risk import risks
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from tests.core import randomization_oracles as oracles
from tests.core.oracles import Records
from tests.core.randomized import small
from tests.core.strategies import SOME, as_table, tables
from tests.core.watching import Cancelled, Watched, cancelling

SCHEMES: tuple[Scheme, ...] = ("rr-s", "rr-qi", "rr-both")

GUO = {
    "rr-qi": {2: 7.981, 3: 8.999, 5: 11.162, 7: 13.501},
    "rr-both": {2: 9.927, 3: 10.922, 5: 12.853, 7: 14.747},
}
"""Objectives by 1/tau, on Adult with education, marital status, sex, race and work class."""


def attempt(
    table: Table, scheme: Scheme, tau: float, weights: dict[str, float] | None = None
) -> Optimum:
    """An optimum, or no test where there is none."""
    assume(table.sensitive.size > 1)
    try:
        return optimize(table, scheme, tau, weights)
    except UnattainableRequirement:
        assume(False)
        raise


def around(
    sizes: Sequence[int], free: Sequence[bool], gaps: Sequence[float]
) -> Iterator[list[float]]:
    """Retentions on a grid of all that may be, and on a finer one near those that were found."""
    axes = sum(free)
    coarse = np.linspace(0, 1, {1: 200, 2: 20, 3: 9}[axes])[1:]
    factors = np.array([0.9, 0.97, 0.99, 0.999, 1.0, 1.001, 1.01, 1.03, 1.1])
    for near in (False, True):
        choices = [
            [1.0] if not each else (np.minimum(gap * factors, 1.0) if near else coarse)
            for each, gap in zip(free, gaps, strict=True)
        ]
        for point in itertools.product(*choices):
            yield [(1 + gap * (size - 1)) / size for gap, size in zip(point, sizes, strict=True)]


@SOME
@given(st.data())
def test_no_grid_search_finds_better_channels(data: st.DataObject) -> None:
    records = data.draw(small)
    scheme = data.draw(st.sampled_from(SCHEMES))
    tau = data.draw(st.floats(0.05, 0.95))
    weights = {
        attribute.name: data.draw(st.sampled_from([1.0, 1.0, 0.2, 3.0]))
        for attribute, chosen in zip(
            (*records.attributes, records.sensitive),
            distorted(scheme, len(records.attributes)),
            strict=True,
        )
        if chosen and len(attribute.values) > 1
    }
    found = attempt(as_table(records), scheme, tau, weights)
    sizes = [len(values) for values in oracles.domains(records)]
    kept = [channel.retention for channel in found.channels]
    shares = oracles.joint(records)
    assert oracles.largest_risk(shares, sizes, kept) == pytest.approx(found.risk, rel=1e-9)
    names = [attribute.name for attribute in (*records.attributes, records.sensitive)]
    importance = [weights.get(name, 0.0) for name in names]

    def objective(retentions: Sequence[float]) -> float:
        return sum(
            weight * oracles.norm_of_inverses([size], [retention])
            for weight, size, retention in zip(importance, sizes, retentions, strict=True)
        )

    assert found.objective == pytest.approx(objective(kept), rel=1e-9, abs=1e-9)
    for retention, weight in zip(kept, importance, strict=True):
        assert weight or retention == 1.0
    if kept == [1.0] * len(kept):
        return
    # Something is distorted: then the bound is tight.
    assert tau * (1 - 1e-9) <= found.risk <= tau
    gaps = [channel.gap if channel.size > 1 else 1.0 for channel in found.channels]
    for retentions in around(sizes, [weight > 0 for weight in importance], gaps):
        if objective(retentions) < found.objective - 1e-6:
            assert oracles.largest_risk(shares, sizes, retentions) > tau


@SOME
@given(tables(max_records=30, max_attributes=3), st.sampled_from(SCHEMES), st.floats(0.02, 1))
def test_the_risk_is_bounded_to_the_last_digit(
    records: Records, scheme: Scheme, tau: float
) -> None:
    table = as_table(records)
    found = attempt(table, scheme, tau)
    assert risks(table, found.channels).max() == found.risk <= tau
    for channel, chosen in zip(
        found.channels, distorted(scheme, len(records.attributes)), strict=True
    ):
        assert 1 / channel.size < channel.retention <= 1 or channel.size == 1
        assert channel.retention == 1 or chosen


@SOME
@given(tables(max_records=30, max_attributes=3), st.sampled_from(SCHEMES))
def test_what_cannot_be_had_is_said_with_the_best_that_can(
    records: Records, scheme: Scheme
) -> None:
    assume(len(records.sensitive.values) > 1)
    table = as_table(records)
    sizes = [domain.size for domain in table.domains]
    even = [
        1 / size if chosen else 1.0
        for size, chosen in zip(sizes, distorted(scheme, len(records.attributes)), strict=True)
    ]
    best = oracles.largest_risk(oracles.joint(records), sizes, even)
    assume(best < 1)
    with pytest.raises(UnattainableRequirement) as refused:
        optimize(table, scheme, best * (1 - 1e-6))
    assert re.match(rf"The best attainable is (above )?{best:.6g}, for", refused.value.detail)
    found = optimize(table, scheme, min(1.0, best * 1.01))
    assert found.risk <= best * 1.01


def clinic() -> Table:
    """Two wards; in the second everybody has the flu."""
    wards = Domain("ward", ("east", "west"))
    ages = Domain("age", ("old",))
    diseases = Domain("disease", ("cold", "flu"))
    return Table((wards, ages), diseases, np.array([[0, 0], [1, 0]]), np.array([[30, 50], [0, 20]]))


def test_cells_of_one_value_prevent_what_distorts_that_value_alone() -> None:
    with pytest.raises(UnattainableRequirement) as refused:
        optimize(clinic(), "rr-s", 0.5)
    assert refused.value.message == (
        "no randomization by scheme rr-s keeps every risk at or below 0.5"
    )
    assert refused.value.detail == (
        "The best attainable is 1, for records whose \"ward\" is 'west', \"age\" is 'old', "
        "\"disease\" is 'flu'; 20 of 100 records cannot get to 0.5."
    )
    assert refused.value.hint == (
        "Ask for 1, use scheme rr-both, or coarsen quasi-identifiers, so that such records are "
        "among others."
    )
    assert optimize(clinic(), "rr-both", 0.5).risk <= 0.5


def test_the_best_attainable_is_not_quite_attained() -> None:
    # Everybody may be anywhere: then 50 of 100 have the flu and are in the east.
    for tau in (0.5, 0.49):
        with pytest.raises(UnattainableRequirement) as refused:
            optimize(clinic(), "rr-qi", tau)
        assert refused.value.detail.startswith("The best attainable is above 0.5, for records")
        assert refused.value.detail.endswith(f"50 of 100 records cannot get to {tau:g}.")
        assert refused.value.hint == (
            "Ask for more than 0.5, or coarsen quasi-identifiers, so that such records are among "
            "others."
        )
    assert optimize(clinic(), "rr-qi", 0.501).risk <= 0.501


def test_where_nothing_needs_to_be_distorted_nothing_is() -> None:
    for scheme in SCHEMES:
        found = optimize(clinic(), scheme, 1.0)
        assert [channel.retention for channel in found.channels] == [1.0, 1.0, 1.0]
        assert found.risk == 1.0
    # Each term is then the logarithm of the domain's size.
    assert found.objective == pytest.approx(math.log(4))


def test_an_attribute_of_one_value_is_kept() -> None:
    ward, age, disease = optimize(clinic(), "rr-both", 0.4).channels
    assert age.retention == 1.0
    assert age.epsilon == 0.0
    assert max(ward.retention, disease.retention) < 1.0


def test_an_attribute_that_matters_more_is_kept_more_often() -> None:
    plain = optimize(clinic(), "rr-both", 0.4)
    careful = optimize(clinic(), "rr-both", 0.4, {"disease": 5.0})
    assert careful.channels[2].retention > plain.channels[2].retention
    assert careful.channels[0].retention < plain.channels[0].retention
    # Weights that are all alike change nothing.
    for weight in (2.0, 1e-12, 1e12):
        alike = optimize(clinic(), "rr-both", 0.4, {"disease": weight, "ward": weight})
        assert alike.objective == pytest.approx(weight * plain.objective)
        for one, other in zip(alike.channels, plain.channels, strict=True):
            assert one.retention == pytest.approx(other.retention, abs=1e-6)


@pytest.mark.parametrize("tau", [0.0, -0.5, 1.0000001, math.nan, math.inf])
def test_tau_must_be_a_probability(tau: float) -> None:
    with pytest.raises(InvalidParameter) as refused:
        optimize(clinic(), "rr-both", tau)
    assert refused.value.message == "tau must be above 0 and at most 1"
    assert refused.value.detail == f"It is {tau:g}."


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"disease": 2.0}, 'a weight names "disease", which scheme rr-qi does not distort'),
        ({"sex": 2.0}, 'a weight names "sex", which scheme rr-qi does not distort'),
        ({"age": 2.0}, 'a weight names "age", which scheme rr-qi does not distort'),
        ({"ward": 0.0}, 'the weight of "ward" must be a positive number'),
        ({"ward": math.inf}, 'the weight of "ward" must be a positive number'),
        ({"ward": math.nan}, 'the weight of "ward" must be a positive number'),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        optimize(clinic(), "rr-qi", 0.6, weights)
    assert refused.value.message == message


def test_a_sensitive_attribute_of_one_value_is_refused() -> None:
    table = clinic()
    everybody = Table(
        table.quasi_identifiers, Domain("disease", ("flu",)), table.codes, table.counts[:, 1:]
    )
    with pytest.raises(InvalidData) as refused:
        optimize(everybody, "rr-both", 0.5)
    assert refused.value.message == 'the sensitive attribute "disease" has one value'
    assert refused.value.detail == "Everybody has 'flu', whatever is distorted."


def test_quasi_identifiers_of_one_value_leave_nothing_to_distort() -> None:
    table = clinic()
    everywhere = Table(
        table.quasi_identifiers[1:], table.sensitive, np.array([[0]]), np.array([[30, 70]])
    )
    with pytest.raises(UnattainableRequirement) as refused:
        optimize(everywhere, "rr-qi", 0.5)
    assert refused.value.detail.startswith("The best attainable is 0.7, for records whose")
    assert optimize(everywhere, "rr-qi", 0.7).risk == pytest.approx(0.7)


def test_a_grid_that_is_too_large_is_refused() -> None:
    ages = Domain("age", tuple(f"{age:04}" for age in range(4000)))
    places = Domain("place", tuple(f"{place:04}" for place in range(4000)))
    codes = np.column_stack((np.arange(4000), np.arange(4000)[::-1]))
    table = Table(
        (ages, places), Domain("disease", ("cold", "flu")), codes, np.ones((4000, 2), np.int64)
    )
    with pytest.raises(TooLarge) as refused:
        optimize(table, "rr-both", 0.2)
    assert refused.value.hint == 'Coarsen "age", or do with fewer attributes.'
    # Where nothing needs to be distorted it does not matter.
    assert optimize(table, "rr-both", 0.5).risk == 0.5


def test_the_search_can_be_cancelled_and_says_how_far_it_is() -> None:
    shares: list[float] = []
    optimize(clinic(), "rr-both", 0.4, progress=Watched(report=shares.append))
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert 0.5 < shares[-1] < 1.0

    with pytest.raises(Cancelled):
        optimize(clinic(), "rr-both", 0.4, progress=cancelling())


def crowd() -> Table:
    """Table of sixty cells, whose riskiest records differ from one distortion to another."""
    random = np.random.default_rng(3)
    codes = np.array(list(np.ndindex(6, 4, 3)))
    counts = random.geometric(0.15, size=(len(codes), 4)) * (random.random((len(codes), 4)) < 0.5)
    occur = counts.sum(axis=1) > 0
    domains = [Domain(f"q{size}", tuple(map(str, range(size)))) for size in (6, 4, 3)]
    return Table(tuple(domains), Domain("s", tuple("abcd")), codes[occur], counts[occur])


@pytest.mark.parametrize("scheme", ["rr-qi", "rr-both"])
def test_records_that_exceed_the_bound_are_taken_in(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All records at once are the problem itself.
    monkeypatch.setattr(optimization, "_TAKEN", crowd().counts.size)
    expected = optimize(crowd(), check_scheme(scheme), 0.2)
    for taken in (1, 2):
        monkeypatch.setattr(optimization, "_TAKEN", taken)
        found = optimize(crowd(), check_scheme(scheme), 0.2)
        assert found.objective == pytest.approx(expected.objective, abs=1e-6)
        assert found.agreeing == found.starts


def test_what_is_all_but_kept_is_kept() -> None:
    # Two persons of whom only the quasi-identifier need be distorted.
    domains = Domain("q", ("1", "2")), Domain("s", ("x", "y"))
    table = Table(domains[:1], domains[1], np.array([[0], [1]]), np.eye(2, dtype=np.int64))
    *_, sensitive = optimize(table, "rr-both", 0.6).channels
    assert sensitive.retention == 1.0
    for tau in (0.2, 0.25, 0.3, 0.35, 0.4):
        found = optimize(crowd(), "rr-both", tau)
        assert found.risk <= tau
        kept = [channel.retention for channel in found.channels]
        assert not [retention for retention in kept if 1.0 - 1e-8 < retention < 1.0]


def test_of_searches_that_end_in_different_places_the_best_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = optimize(crowd(), "rr-both", 0.2)
    # They are given up before they are where they should be.
    monkeypatch.setattr(optimization, "_TAKEN", 1)
    monkeypatch.setattr(optimization, "_ROUNDS", 1)
    found = optimize(crowd(), "rr-both", 0.2)
    assert 1 <= found.agreeing < found.starts
    # The best of them is where all of them end otherwise.
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    assert found.risk <= 0.2


def adult(*names: str) -> Table:
    """The Adult data with these attributes, the sensitive one last, or skip."""
    path = os.environ.get("ADULT")
    if not path:
        pytest.skip("the Adult data are missing: set ADULT to the CSV file")
    with Path(path).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values = [sorted({row[name] for row in rows}) for name in names]
    domains = [Domain(name, tuple(each)) for name, each in zip(names, values, strict=True)]
    codes = np.column_stack(
        [
            np.searchsorted(np.array(each), np.array([row[name] for row in rows]))
            for name, each in zip(names, values, strict=True)
        ]
    )
    ones = np.ones(len(rows), np.int64)
    return Table.from_rows(tuple(domains[:-1]), domains[-1], codes, ones)[0]


@pytest.mark.parametrize("scheme", GUO)
def test_the_optimum_on_adult(scheme: str) -> None:
    table = adult("education", "marital_status", "sex", "race", "workclass")
    for level, figure in GUO[scheme].items():
        found = optimize(table, check_scheme(scheme), 1 / level)
        assert found.objective == pytest.approx(figure, rel=1e-3)
        assert found.risk == pytest.approx(1 / level, rel=1e-9)
        assert found.agreeing == found.starts
