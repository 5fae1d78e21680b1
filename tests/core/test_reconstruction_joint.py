"""The joint distribution that a randomized release leaves, and what is measured by it."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given

from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.parts import Parts
from bkpriv_core.utility.divergence import association, divergences
from bkpriv_core.utility.measures import utility
from tests.core import query_oracles, reconstruction_oracles
from tests.core.strategies import SOME
from tests.core.test_reconstruction import (
    RETENTIONS,
    SIZES,
    Shown,
    dependent,
    likelihood,
    randomized,
)


@SOME
@given(randomized(max_attributes=1))
def test_the_joint_distribution_is_the_likeliest_with_one_record_spread(shown: Shown) -> None:
    sizes = [len(attribute.values) for attribute in shown.attributes]
    joint = shown.release.form.joint(shown.release)
    pair = joint.pair(1, 0)
    assert pair.shape == (sizes[1], sizes[0])
    assert pair.sum() == pytest.approx(len(shown.rows))
    cells = np.arange(sizes[0])[:, None]
    whole = joint.at(cells)
    assert whole.sum() == pytest.approx(len(shown.rows))
    assert whole == pytest.approx(pair.T, rel=1e-9, abs=1e-12)
    assert joint.square() == pytest.approx(float((whole**2).sum()))
    if 1 in shown.retentions or prod(sizes) > 12:
        return
    theirs, seen, matrix = reconstruction_oracles.likeliest(
        shown.attributes, shown.retentions, shown.rows, 1.0
    )
    scale = (len(shown.rows) + 1) / len(shown.rows)
    each = 1 / prod(sizes)
    best = likelihood(theirs, seen, matrix, each)
    assert likelihood(whole.ravel() * scale, seen, matrix, each) >= best - 2e-4
    assert (whole > 0).all()


def test_no_combination_is_ruled_out_but_by_what_is_kept() -> None:
    table = dependent(1500, SIZES)
    cells = np.array([*np.ndindex(*SIZES[:2])])
    for retentions in ((0.7, 0.5, 0.6), (0.5, 1.0, 1.0)):
        channels = tuple(map(Channel, SIZES, retentions))
        drawn = draw(table, channels, SeededChance(2))
        joint = Randomized(channels, drawn).joint(Release(Parts.of(table), None, Randomized()))
        whole = joint.at(cells).reshape(SIZES)
        possible = np.ones(SIZES, dtype=bool)
        if channels[1].kept:
            possible[:] = False
            possible[:, drawn.codes[:, 1], drawn.codes[:, 2]] = True
            assert not possible.all()
        assert not whole[~possible].any()
        # One record on sixty places, which the likeliest counts may all but take away.
        assert whole[possible].min() > 1e-3
        assert whole.sum() == pytest.approx(1500)


@SOME
@given(randomized(max_attributes=1))
def test_divergences_and_associations_are_those_of_the_joint_distribution(shown: Shown) -> None:
    release = shown.release
    joint = release.form.joint(release)
    sizes = [len(attribute.values) for attribute in shown.attributes]
    whole = joint.at(np.arange(sizes[0])[:, None])
    estimated: query_oracles.Joint = {
        (shown.attributes[0].values[i], shown.attributes[1].values[j]): Fraction(whole[i, j])
        for i, j in np.ndindex(*sizes)
    }
    counts = release.actual.tabulate(EVERYTHING, (0, 1))
    original: query_oracles.Joint = {
        (shown.attributes[0].values[i], shown.attributes[1].values[j]): Fraction(counts[i, j])
        for i, j in np.ndindex(*sizes)
        if counts[i, j]
    }
    wanted = query_oracles.divergences(original, estimated)
    for name, figure in divergences(release).items():
        assert figure == pytest.approx(wanted[name], rel=1e-6, abs=1e-7)
    for one, other, _, after in association(release):
        assert after == pytest.approx(
            query_oracles.uncertainty(estimated, one, other), abs=1e-9, nan_ok=True
        )


def test_a_release_without_groups_has_no_cost_of_groups() -> None:
    table = dependent(50, SIZES)
    channels = tuple(map(Channel, SIZES, RETENTIONS))
    form = Randomized(channels, draw(table, channels, SeededChance(1)))
    assert utility(Release(Parts.of(table), None, form)) == {
        "discernibility": None,
        "average_class_size": None,
        "gcp": None,
        "rgcp": None,
        "suppressed_share": 0,
    }
