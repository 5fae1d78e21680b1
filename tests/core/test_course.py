"""Bounds between two bandwidths, against enumeration of what lies between them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.course import STEP, CoursePoint, bound_between
from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.posterior import exact_posterior
from bkpriv_core.belief.prior import kernel_prior, kernel_sums
from bkpriv_core.belief.setting import Setting
from bkpriv_core.table.groups import Groups
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_table,
    bandwidths,
    record_groups,
    smoothings,
    tables,
)


@MANY
@given(tables(), bandwidths)
def test_sums_are_priors_up_to_their_scale_and_fall_convexly(
    records: Records, width: float
) -> None:
    table = as_table(records)
    sums = kernel_sums(table, width)
    few = np.arange(0, table.cells, 2)
    prior = kernel_prior(table, width)
    np.testing.assert_allclose(sums / sums.sum(axis=1, keepdims=True), prior, atol=1e-12)
    np.testing.assert_allclose(kernel_sums(table, width, few), sums[few], rtol=1e-12, atol=1e-12)
    assert (sums >= table.counts - 1e-12).all()
    # By the inverse square of the bandwidth: three points at equal distances.
    middle, sharp = (kernel_sums(table, (width**-2 * by) ** -0.5) for by in (1.5, 2.0))
    assert (middle <= sums + 1e-9).all()
    assert (middle <= (sums + sharp) / 2 + 1e-9).all()


@SOME
@given(tables(max_records=6), bandwidths, st.floats(1.001, 1.5), st.floats(0.02, 0.98), smoothings)
def test_nothing_between_the_ends_is_above_the_bound(
    records: Records, sharp: float, ratio: float, share: float, smoothing: float | None
) -> None:
    table = as_table(records)
    groups, setting = Groups.whole(table.cells), Setting(table)
    (group,) = record_groups(records, groups)
    held = np.repeat(np.arange(table.cells), table.weights)
    counts = table.counts.sum(axis=0)

    def point(width: float) -> CoursePoint:
        sums = kernel_sums(table, width)
        further = kernel_sums(table, width * (1.0 + STEP) ** -0.5)
        prior = sums / sums.sum(axis=1, keepdims=True)
        first = np.searchsorted(held, np.arange(table.cells))
        return CoursePoint(
            np.full(table.cells, width**-2.0),
            sums,
            (further - sums) / (STEP * width**-2.0),
            exact_posterior(prior[held], counts)[first],
        )

    bound = bound_between(
        groups,
        table.weights,
        np.ones(1, dtype=bool),
        point(sharp * ratio),
        point(sharp),
        setting.distance(Comparison(smoothing=smoothing)).images,
    )
    width = sharp * ratio**share
    beliefs = oracles.priors(records, [width] * len(records.attributes))
    told = oracles.disclosures(records, beliefs, group, smoothing, "exact")
    assert np.max(told) <= bound.max() + 1e-9
    if ratio < 1.01:  # and it is of use
        ends = [
            oracles.disclosures(
                records,
                oracles.priors(records, [end] * len(records.attributes)),
                group,
                smoothing,
                "exact",
            )
            for end in (sharp, sharp * ratio)
        ]
        assert bound.max() <= np.max(ends) + 0.35
