"""Value at fault in a group, against a search through all values and records."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.requirement import (
    BeliefScope,
    BetaLikeness,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    Requirement,
    Shift,
    TCloseness,
)
from bkpriv_core.requirement.closeness import Ground
from bkpriv_core.requirement.likeness import Variant
from tests.core import oracles, requirement_oracles
from tests.core.oracles import Attribute, Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    by_age,
    partitions,
    records_of,
    smoothings,
    tables,
)

DIVERSITIES = (
    LDiversity(2, "distinct"),
    LDiversity(2.0, "probabilistic"),
    LDiversity(2.0, "entropy"),
    LDiversity(2, "recursive", 2.0),
    MaxDisclosure(0.5),
)


@MANY
@given(tables(max_records=16), st.floats(0.05, 4.0), st.data())
def test_the_share_at_fault(records: Records, beta: float, data: st.DataObject) -> None:
    threat = ThreatModel(as_table(records))
    overall = [float(share) for share in oracles.shares(records, records.everything())]

    def frequency(group: Group) -> list[float]:
        return [float(share) for share in oracles.shares(records, group)]

    def change(group: Group) -> list[float]:
        return [abs(q - p) for q, p in zip(frequency(group), overall, strict=True)]

    def gain(variant: Variant) -> Callable[[Group], list[float]]:
        return lambda group: requirement_oracles.gain_scores(records, group, beta, variant)

    scored: list[tuple[Requirement, Callable[[Group], list[float]]]] = [
        *((diversity, frequency) for diversity in DIVERSITIES),
        *((TCloseness(0.2, ground), change) for ground in get_args(Ground)),
        *((BetaLikeness(beta, variant), gain(variant)) for variant in get_args(Variant)),
    ]
    for cells in data.draw(partitions(threat.table.cells)):
        group = records_of(records, cells)
        shares = frequency(group)
        for requirement, score in scored:
            shift = requirement.explain(threat, as_groups([cells]))
            assert shift is not None
            scores = score(group)
            assert scores[shift.value] == pytest.approx(max(scores), abs=1e-12)
            expected = Shift(None, shift.value, overall[shift.value], shares[shift.value])
            assert shift == expected
        assert KAnonymity(2).explain(threat, as_groups([cells])) is None


@SOME
@given(
    tables(max_records=7),
    st.lists(bandwidths, min_size=1, max_size=3),
    st.sampled_from(["omega", "exact"]),
    smoothings,
    st.data(),
)
def test_the_belief_at_fault(
    records: Records,
    widths: list[float],
    estimator: Estimator,
    smoothing: float | None,
    data: st.DataObject,
) -> None:
    threat = ThreatModel(as_table(records))
    regards = (BeliefScope(smoothing=smoothing),) * len(widths)
    requirement = BtPrivacy(tuple((width, 0.2) for width in widths), regards)
    cells = data.draw(st.sampled_from(data.draw(partitions(threat.table.cells))))
    group = as_groups([cells])
    figures = requirement.measure(threat, group, estimator).figures.max(axis=1)
    for bound, width in enumerate(widths):
        shift = requirement.explain(threat, group, bound, estimator)
        moves = requirement_oracles.belief_moves(
            records, width, records_of(records, cells), smoothing, estimator
        )
        assert shift.cell in cells
        record = records.cells()[shift.cell][0]
        before, after, distance = moves[record]
        assert distance == pytest.approx(max(move[2] for move in moves.values()), abs=1e-9)
        assert distance == pytest.approx(figures[bound], abs=1e-9)
        changes = [abs(q - p) for p, q in zip(before, after, strict=True)]
        assert changes[shift.value] == pytest.approx(max(changes), abs=1e-9)
        assert shift.before == pytest.approx(before[shift.value], abs=1e-9)
        assert shift.after == pytest.approx(after[shift.value], abs=1e-9)


def test_shares_at_fault_by_hand() -> None:
    # Overall flu 1/2, hiv 1/3, none 1/6.
    threat = ThreatModel(as_table(by_age("flu", "flu", "hiv", "none", "flu", "hiv")))
    group = as_groups([[2, 3, 4, 5]])  # hiv 1/2, none 1/4, flu 1/4
    flu, hiv, none = 0, 1, 2
    for diversity in DIVERSITIES:
        assert diversity.explain(threat, group) == Shift(None, hiv, 1 / 3, 1 / 2)
    assert TCloseness(0.1, "equal").explain(threat, group) == Shift(None, flu, 1 / 2, 1 / 4)
    # Both gain by one half, but hiv's limit of ln 3 is tighter than the ln 6 of none.
    assert BetaLikeness(2.0, "enhanced").explain(threat, group) == Shift(None, hiv, 1 / 3, 1 / 2)
    rarer = as_groups([[0, 2, 3]])  # one of each
    assert BetaLikeness(2.0, "basic").explain(threat, rarer) == Shift(None, none, 1 / 6, 1 / 3)


def test_the_belief_at_fault_may_fall() -> None:
    # So large a bandwidth tells the adversary what all know: a 3/5, b 1/5, c 1/5. The group shows
    # one b and one c, so a falls by 3/5 and the others rise by 3/10.
    threat = ThreatModel(as_table(by_age(*"aaabcaaabc")))
    shift = BtPrivacy(((1e9, 0.1),)).explain(threat, as_groups([[3, 4]]), 0, "exact")
    assert shift.cell in (3, 4)
    assert (shift.value, shift.after) == (0, 0.0)
    assert shift.before == pytest.approx(0.6)


def test_the_belief_at_fault_is_the_one_that_discloses_most() -> None:
    # The probabilities about cell 4 move by more in sum, but none of them falls to zero.
    records = by_age(*"aabbc")
    threat, group = ThreatModel(as_table(records)), as_groups([[2, 4]])
    moves = requirement_oracles.belief_moves(records, 0.6, [2, 4], None, "exact")
    total = {cell: sum(map(abs, np.subtract(p, q))) for cell, (p, q, _) in moves.items()}
    assert total[4] > total[2] + 0.04
    assert moves[2][2] > moves[4][2] + 0.08
    assert BtPrivacy(((0.6, 0.1),)).explain(threat, group, 0, "exact").cell == 2


def test_the_estimator_decides_how_far_a_belief_moves() -> None:
    ages = {"10": 10, "15": 15, "25": 25, "40": 40}
    rows = (("10", "b"), ("15", "c"), ("25", "b"), ("40", "a"), ("40", "c"))
    age = Attribute("age", tuple(ages), numbers=ages)
    threat = ThreatModel(as_table(Records((age,), Attribute("s", ("a", "b", "c")), rows)))
    group, requirement = as_groups([[2, 3]]), BtPrivacy(((0.5, 0.1),))
    by_omega = requirement.explain(threat, group, 0, "omega")
    assert requirement.explain(threat, group) == by_omega
    assert requirement.explain(threat, group, 0, "exact") != by_omega


def test_the_bound_decides_whose_belief_it_is() -> None:
    threat = ThreatModel(as_table(by_age("b", "c", "a", "c", "a", "a")))
    requirement = BtPrivacy(((0.25, 0.1), (5.0, 0.1)))
    group = as_groups([[0, 1, 3]])
    sharp, blunt = (requirement.explain(threat, group, bound, "exact") for bound in (0, 1))
    assert sharp.before == threat.prior(0.25)[sharp.cell, sharp.value]
    assert blunt.before == threat.prior(5.0)[blunt.cell, blunt.value]
    assert sharp != blunt


@pytest.mark.parametrize("requirement", [*DIVERSITIES, BtPrivacy(((0.3, 0.2),))])
def test_one_group_is_explained_at_a_time(requirement: Requirement) -> None:
    threat = ThreatModel(as_table(by_age("b", "c", "a", "c")))
    for lists in ([], [[0, 1], [2, 3]]):
        with pytest.raises(ValueError, match="unpack"):
            requirement.explain(threat, as_groups(lists))
