"""Growth along an order, against taking up one record after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import prefix
from bkpriv_core.partition.growth import grow
from bkpriv_core.requirement import (
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    PairDivergence,
    Requirement,
    TCloseness,
    satisfied,
)
from bkpriv_core.table.groups import Groups
from tests.core import requirement_oracles
from tests.core.library import Known
from tests.core.oracles import Group, Records
from tests.core.strategies import (
    MANY,
    SOME,
    as_parts,
    by_age,
    naive,
    requirement_lists,
    tables,
    told_apart,
)
from tests.core.watching import Watched

REMEMBERED = Remembered("s")


def grown(order: Sequence[int], allowed: Callable[[Group], bool]) -> list[list[int]]:
    """Groups of the algorithm, but that only some of what begins no group is left over."""
    groups = []
    start = failed = 0
    while start < len(order):
        fit = [end for end in range(start + 1, len(order) + 1) if allowed(list(order[start:end]))]
        if fit:
            groups.append(list(order[start : fit[0]]))
            start, failed = fit[0], 0
        else:
            start, failed = start + 1 + failed // 8, failed + 1
    if groups:
        last = groups.pop()
        whole = list(order[order.index(last[0]) :])
        groups.append(whole if allowed(whole) else last)
    return groups


@MANY
@given(
    tables(min_records=2, max_records=16),
    requirement_lists(),
    st.one_of(st.none(), st.floats(0.05, 1.5)),
    st.one_of(st.none(), st.floats(0.0, 0.8)),
    st.integers(1, 8),
    st.data(),
)
def test_groups_grow_until_they_hold(
    records: Records,
    requirements: list[Requirement],
    j: float | None,
    theta: float | None,
    first: int,
    data: st.DataObject,
) -> None:
    threat, believed = data.draw(told_apart(records))
    numbers = data.draw(st.permutations(range(len(records.rows))))
    order = numbers[: data.draw(st.integers(1, len(numbers)))]
    alike = naive(records, requirements, "omega")

    def allowed(group: Group) -> bool:
        held = [believed[record] for record in group]
        return (
            alike(group)
            and (j is None or requirement_oracles.divergence(held) <= j + 1e-9)
            and (theta is None or requirement_oracles.pair_divergence(held) <= theta + 1e-9)
        )

    if j is not None:
        requirements = [JsDivergence(j, REMEMBERED), *requirements]
    if theta is not None:
        requirements = [PairDivergence(theta, (REMEMBERED,)), *requirements]
    with patch.object(prefix, "_FIRST", first):
        groups = grow(threat, requirements, np.array(order))
    assert [group.tolist() for group in groups] == grown(order, allowed)


@SOME
@given(tables(min_records=4, max_records=24), st.integers(1, 3), st.data())
def test_groups_are_safe_together(records: Records, k: int, data: st.DataObject) -> None:
    threat = ThreatModel(as_parts(records, records.everything()))
    order = np.array(data.draw(st.permutations(records.everything())))
    c = data.draw(st.sampled_from([0.6, 0.8, 0.95, 1.0]))
    safety = CkSafety(c, k)
    groups = grow(threat, [safety], order)
    assert safety.satisfied(threat, groups).all()
    starts = [int(np.flatnonzero(order == group[0])[0]) for group in groups]
    assert starts == sorted(starts)
    assert len(set(groups.members.tolist())) == len(groups.members)


def test_no_group_holds() -> None:
    threat = ThreatModel(as_parts(by_age("a", "b", "a"), range(3)))
    assert not len(grow(threat, [KAnonymity(4)], np.arange(3)))
    assert not len(grow(threat, [KAnonymity(4), CkSafety(0.5, 0)], np.arange(3)))


def test_one_record_takes_no_others_with_it() -> None:
    # Of the first one something else is believed than of all others. A group that has it comes to
    # hold only with a thousand of them.
    believed = np.tile([1.0, 0.0], (2001, 1))
    believed[0] = [0.0, 1.0]
    threat = ThreatModel(
        as_parts(by_age(*"ab" * 1000, "a"), range(2001)), library=Known(respondents=believed)
    )
    groups = grow(threat, [KAnonymity(2), JsDivergence(0.0115, REMEMBERED)], np.arange(2001))
    assert [group.tolist() for group in groups] == [[i, i + 1] for i in range(1, 2001, 2)]


def test_it_is_given_up_at_once_where_no_more_parts_help() -> None:
    believed = np.tile([[1.0, 0.0], [0.0, 1.0]], (1000, 1))
    threat = ThreatModel(
        as_parts(by_age(*"ab" * 1000), range(2000)), library=Known(respondents=believed)
    )
    requirements = [KAnonymity(2), PairDivergence(0.5, (REMEMBERED,))]
    prefixes = prefix.Prefixes.of(threat, requirements)
    assert prefixes.shortest(np.arange(2000)) == (False, 32)
    assert prefixes.shortest(np.arange(0, 2000, 2)) == (True, 2)


def test_a_group_may_become_large_where_that_helps() -> None:
    # As long as there are only those with a, nothing is close to the table.
    records = by_age(*"a" * 1500, *"b" * 1500)
    threat = ThreatModel(as_parts(records, range(3000)))
    groups = grow(threat, [TCloseness(0.1)], np.arange(3000))
    assert [(group[0], group[-1]) for group in groups] == [(0, 2999)]
    groups = grow(threat, [TCloseness(0.1)], np.arange(2700))
    assert [(group[0], group[-1]) for group in groups] == [(0, 2699)]


def test_ends_of_large_groups_are_tried_by_inference_at_distances() -> None:
    # The prior is that of the table; a group of 400 moves nobody's belief when it is balanced.
    records = by_age(*"a" * 200, *"b" * 400, *"a" * 200)
    threat = ThreatModel(as_parts(records, range(800)))
    tried: list[int] = []

    class Seen(BtPrivacy):
        """Records what it is asked."""

        def satisfied(
            self, threat: ThreatModel, groups: Groups, estimator: Estimator = "omega"
        ) -> npt.NDArray[np.bool_]:
            tried.extend(groups.widths.tolist())
            return super().satisfied(threat, groups, estimator)

    groups = grow(threat, [Seen(((1e9, 1e-3),))], np.arange(800))
    assert len(groups)
    assert groups.widths[0] == pytest.approx(400, rel=0.06)
    assert set(range(1, 40)) <= set(tried)
    assert len(set(tried)) < 200
    assert satisfied([BtPrivacy(((1e9, 1e-3),))], threat, groups).all()


def test_hopeless_work_is_bounded_and_can_be_cancelled() -> None:
    threat = ThreatModel(as_parts(by_age(*"ab" * 2000), range(4000)))
    looked: list[float] = []
    assert not len(
        grow(threat, [KAnonymity(5000)], np.arange(4000), progress=Watched(report=looked.append))
    )
    assert looked[-1] == 1.0
    assert looked == sorted(looked)
    assert len(looked) < 300

    def cancel(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow(threat, [KAnonymity(2)], np.arange(4000), progress=Watched(report=cancel))
