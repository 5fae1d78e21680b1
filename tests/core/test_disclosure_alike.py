"""Records of whom the same is believed are one to inference, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.knowledge import Knowledge, Remembered, Uniform
from bkpriv_core.belief.posterior import ESTIMATORS, EXACT, Estimator, posterior
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import ContradictoryKnowledge
from bkpriv_core.table.groups import Groups
from tests.core.library import Known
from tests.core.oracles import Records
from tests.core.strategies import (
    SOME,
    as_array,
    as_groups,
    as_parts,
    beliefs,
    by_age,
    partitions,
    tables,
)

REMEMBERED = Remembered("s")


@SOME
@given(
    tables(max_records=10, max_values=3),
    st.sampled_from(["exact", "omega", "additive"]),
    st.booleans(),
    st.data(),
)
def test_beliefs_are_those_of_records_by_themselves(
    records: Records, estimator: Estimator, two: bool, data: st.DataObject
) -> None:
    numbers = records.everything()
    values = len(records.sensitive.values)
    few = [data.draw(beliefs(values, positive=True)) for _ in range(3)]
    drawn = [data.draw(st.sampled_from(few)) for _ in numbers]
    threat = ThreatModel(as_parts(records, numbers), library=Known(respondents=as_array(drawn)))
    skyline: list[Knowledge] = [REMEMBERED, Uniform()] if two else [REMEMBERED]
    groups = as_groups(data.draw(partitions(len(numbers), suppress=True)))
    inferred = threat.adversaries(skyline).posterior(groups, estimator)
    priors = tuple(threat.prior(knowledge) for knowledge in skyline)
    apart = posterior(groups, threat.parts.counts, priors, estimator)
    for belief, expected in zip(inferred.beliefs, apart.beliefs, strict=True):
        np.testing.assert_allclose(belief, expected, atol=1e-9)
    assert inferred.used.tolist() == apart.used.tolist()
    disclosure = threat.adversaries(skyline).disclosure(groups, estimator)
    for place, (prior, belief) in enumerate(zip(priors, apart.beliefs, strict=True)):
        expected = js_divergence(prior[groups.members], belief)
        np.testing.assert_allclose(disclosure.figures[place], expected, atol=1e-9)


def test_what_few_believe_otherwise_is_exact_though_groups_are_large() -> None:
    # Sixty records of ten values, told apart, have 7 ** 10 states; of two kinds of them 31 * 31.
    records = by_age(*"abcdefghij" * 6)
    believed = np.repeat([[0.1] * 10, [0.19, 0.01] + [0.1] * 8], 30, axis=0)
    threat = ThreatModel(as_parts(records, range(60)), library=Known(respondents=believed))
    whole = Groups.whole(60)
    inferred = threat.adversaries([REMEMBERED]).posterior(whole, "auto")
    assert inferred.used.tolist() == [EXACT]
    assert (
        ESTIMATORS[
            posterior(whole, threat.parts.counts, (threat.prior(REMEMBERED),), "auto").used[0]
        ]
        != "exact"
    )
    (belief,) = inferred.beliefs
    np.testing.assert_allclose(belief.sum(axis=1), 1.0)
    np.testing.assert_allclose(belief.sum(axis=0), 6.0)
    np.testing.assert_array_equal(belief[:30], np.tile(belief[0], (30, 1)))
    assert belief[40, 0] > belief[0, 0]


def test_a_contradiction_names_the_cell_of_one_of_them() -> None:
    # Of the third and the fourth only c is believed, which no record of theirs has.
    records = by_age(*"abab", "c")
    believed = np.array([[0.5, 0.5, 0.0]] * 2 + [[0.0, 0.0, 1.0]] * 2 + [[0.2, 0.2, 0.6]])
    threat = ThreatModel(as_parts(records, range(5)), library=Known(respondents=believed))
    adversaries = threat.adversaries([REMEMBERED])
    with pytest.raises(ContradictoryKnowledge, match="in group 0: records where") as caught:
        adversaries.posterior(as_groups([[0, 1, 2, 3]]), "exact")
    assert "'22'" in caught.value.message or "'23'" in caught.value.message
