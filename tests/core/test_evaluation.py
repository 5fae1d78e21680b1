"""Judging: proof comes before estimates, and what is beyond proof is estimated or given up."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import bethe as bethe_module
from bkpriv_core.belief.posterior import BETHE, BOUND, EXACT, OMEGA, Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.partition import evaluation as judging_module
from bkpriv_core.partition.certification import Beyond
from bkpriv_core.partition.evaluation import Evaluator, Measured
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.requirement import BtPrivacy, KAnonymity, Requirement
from bkpriv_core.table.groups import FloatArray, Groups
from tests.core.certifying import (
    INSEPARABLE,
    INSEPARABLE_POLICY,
    Pooled,
    as_cells,
    certified,
    certify,
    limit_exact,
    outcome,
)
from tests.core.exchange_oracles import (
    moves,
    recuts,
    unions,
)
from tests.core.oracles import Records
from tests.core.strategies import (
    MANY,
    as_groups,
    as_table,
    partitions,
    requirement_lists,
    tables,
)
from tests.core.test_certification import largest_disclosure, published_alike


class Noting(Evaluator):
    """A judge that notes which groups it measured last."""

    noted: frozenset[frozenset[int]] = frozenset()

    def measure(self, groups: Groups, progress: Progress = SILENT) -> Measured:
        """Measure groups, and note them."""
        self.noted = frozenset(as_cells(groups))
        return super().measure(groups, progress)


def judge(
    threat: ThreatModel, requirements: list[Requirement], cells: list[int], estimator: Estimator
) -> int | None:
    """The worst of the estimators by which a group holds, or None if it does not."""
    group = as_groups([sorted(cells)])
    if not all(item.satisfied(threat, group, estimator).all() for item in requirements):
        return None
    return max(int(item.measure(threat, group, estimator).used[0]) for item in requirements)


def proof(used: int | None) -> bool:
    """Whether a group holds for certain."""
    return used is not None and used <= BOUND


@MANY
@given(
    tables(min_records=5, max_records=12),
    requirement_lists(),
    st.integers(2, 30),
    st.sampled_from(["estimate", "suppress"]),
    st.booleans(),
    st.data(),
)
def test_proof_comes_first_and_suppression_last(
    records: Records,
    requirements: list[Requirement],
    most: int,
    beyond: Beyond,
    improving: bool,
    data: st.DataObject,
) -> None:
    threat = ThreatModel(as_table(records))
    lists = list(
        published_alike(records, data.draw(partitions(len(records.cells()), most=8))).values()
    )
    with pytest.MonkeyPatch.context() as patch:
        small, bounding = data.draw(st.integers(1, most)), data.draw(st.booleans())
        limit_exact(patch, most, small, bounding=bounding)
        judged = partial(judge, threat, requirements)
        pool = Pooled()
        certificate = certify(
            threat,
            requirements,
            as_groups(lists),
            "auto",
            pool=pool,
            beyond=beyond,
            improving=improving,
        )
        for requirement, measured in zip(requirements, certificate.measurements, strict=True):
            anew = requirement.measure(ThreatModel(threat.parts), certificate.groups, "auto")
            np.testing.assert_allclose(measured.figures, anew.figures, atol=1e-12)
            np.testing.assert_array_equal(measured.used, anew.used)
            assert beyond == "estimate" or (measured.used <= BOUND).all()
        published = [group.tolist() for group in certificate.groups]
        assert all(judged(group, "auto") is not None for group in published)
        most_used = BOUND if beyond == "suppress" else OMEGA
        failing = [group for group in lists if (judged(group, "auto") or 0) > most_used]
        failing += [group for group in lists if judged(group, "auto") is None]
        if not pool.once:
            return
        assert certificate.failed == len(failing)
        suppressed = certificate.suppressed.tolist()
        assert set(suppressed) <= {cell for group in failing for cell in group}
        if improving:
            return
        units = [[cell] for cell in suppressed] if published else failing
        for unit in units:
            for other in published + [more for more in units if more != unit]:
                used = judged(unit + other, "auto")
                # What bethe rules out is not inferred exactly, and omega mends nothing.
                helps = proof(used) or (used == BETHE and beyond == "estimate")
                assert judged(unit + other, "bethe") is None or not helps
        if len(failing) == 1 and len(records.cells()) <= 9 and not pool.joined:
            (first,) = failing
            members = records.cells()
            proved = [
                after
                for other in lists
                if other != first
                for after in {unions([first, other])}
                | recuts(records, members, [first, other])
                | moves(first, other)
                if all(proof(judged(list(group), "auto")) for group in after)
                and all(judged(list(group), "bethe") is not None for group in after)
                and all(judged(list(group), "omega") is not None for group in after)
            ]
            made = as_cells(certificate.groups) - {frozenset(group) for group in lists}
            if proved:
                assert all(proof(judged(list(group), "auto")) for group in made)


@pytest.mark.parametrize("estimator", ["exact", "auto", "bethe"])
@pytest.mark.parametrize("beyond", ["suppress", "estimate"])
def test_an_estimate_mends_what_no_proof_does(
    estimator: Estimator, beyond: Beyond, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = {frozenset(range(4))}
    # The union of the two groups has 3 * 4 states. Without it, three cells hold by themselves.
    # Who asks for bethe asks for estimates.
    limit_exact(monkeypatch, 11)
    _, certificate = certified(INSEPARABLE, INSEPARABLE_POLICY, estimator, beyond)
    if estimator == "exact" or (estimator == "auto" and beyond == "suppress"):
        assert outcome(certificate)[1:] == ({frozenset({1, 2, 3})}, [0])
        assert certificate.measurements[1].exact.all()
    else:
        assert outcome(certificate) == (1, everything, [])
        assert certificate.measurements[0].exact.all()
        assert certificate.measurements[1].used.tolist() == [BETHE]
        assert certificate.measurements[1].figures.max() <= 0.1
    limit_exact(monkeypatch, 12)
    _, certificate = certified(INSEPARABLE, INSEPARABLE_POLICY, estimator, beyond)
    assert outcome(certificate) == (1, everything, [])
    assert certificate.measurements[1].exact.all()


def test_omega_mends_nothing_but_under_omega(monkeypatch: pytest.MonkeyPatch) -> None:
    def astray(
        groups: Groups, *rest: object, **named: object
    ) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        return np.zeros((len(groups.members), 2)), np.zeros(len(groups), dtype=bool)

    everything = INSEPARABLE.everything()
    assert largest_disclosure(INSEPARABLE, INSEPARABLE_POLICY, everything, "omega") <= 0.1
    limit_exact(monkeypatch, 11)
    monkeypatch.setattr(bethe_module, "bethe", astray)
    _, certificate = certified(INSEPARABLE, INSEPARABLE_POLICY, "auto")
    assert outcome(certificate) == (1, {frozenset({1, 2, 3})}, [0])
    threat = ThreatModel(as_table(INSEPARABLE))
    policy = [KAnonymity(5), *INSEPARABLE_POLICY]
    certificate = certify(threat, policy, as_groups([[0, 1], [2, 3]]), "omega")
    assert outcome(certificate) == (2, {frozenset(range(4))}, [])


@pytest.mark.always
@MANY
@given(tables(max_records=10), requirement_lists(), st.data())
def test_what_was_measured_is_not_measured_again(
    records: Records, requirements: list[Requirement], data: st.DataObject
) -> None:
    parts = len(records.cells())
    before, after = (as_groups(data.draw(partitions(parts, most=6))) for _ in range(2))
    judge_ = Noting(ThreatModel(as_table(records)), requirements, "auto")
    again = judge_.measured_again(after, judge_.measure(before))
    assert judge_.noted == as_cells(after) - as_cells(before)
    assert as_cells(again.groups) == as_cells(after)
    anew = judge_.measure(again.groups)
    for one, other in zip(again.measurements, anew.measurements, strict=True):
        np.testing.assert_allclose(one.figures, other.figures, atol=1e-12)
        np.testing.assert_array_equal(one.used, other.used)


@pytest.mark.parametrize(
    ("estimator", "beyond", "ways"),
    [
        ("omega", True, ["bethe"]),
        ("bethe", True, ["exact", "exact", "bethe"]),
        ("exact", True, ["exact", "exact"]),
        ("auto", True, ["exact", "bound", "exact", "bethe"]),
        ("auto", False, ["exact", "bound", "exact"]),
    ],
)
def test_estimates_come_last_and_bounds_only_where_bounds_count(
    estimator: Estimator, beyond: bool, ways: list[str]
) -> None:
    threat = ThreatModel(as_table(INSEPARABLE))
    judge_ = Evaluator(threat, INSEPARABLE_POLICY, estimator, beyond=beyond)
    efforts = list(judge_.efforts())
    assert [effort.by for effort in efforts] == ways
    assert [effort.proves for effort in efforts] == [way != "bethe" for way in ways]
    # What few states decide is not asked of bethe first.
    screened = [effort.screens for effort in efforts]
    assert screened == [way == "exact" and place > 0 for place, way in enumerate(ways)]
    counted = Evaluator(threat, [KAnonymity(2)], estimator, beyond=beyond)
    assert len(list(counted.efforts())) == 1
    assert not counted.states(as_groups([[0, 1], [2, 3]])).any()


@MANY
@given(tables(min_records=6, max_records=12), st.integers(0, 90), st.integers(1, 12), st.data())
def test_what_was_bounded_is_inferred_from_the_fewest_states_on(
    records: Records, work: int, most: int, data: st.DataObject
) -> None:
    groups = as_groups(data.draw(partitions(len(records.cells()), most=8)))
    threat = ThreatModel(as_table(records)).tried()
    judge_ = Evaluator(threat, [KAnonymity(1), BtPrivacy(((0.3, 0.2),))], "auto")
    with pytest.MonkeyPatch.context() as patch:
        limit_exact(patch, most, 1, bounding=True)
        patch.setattr(judging_module, "_SHARPENED", work)
        before = judge_.measure(groups)
        after = judge_.sharpened(before)
    assert as_cells(after.groups) == as_cells(groups)
    bounded = judge_.states(before.groups.select(before.used == BOUND))
    affordable = np.sort(bounded)
    affordable = affordable[(np.cumsum(affordable) <= work) & (affordable <= most)]
    left = after.used == BOUND
    assert left.sum() == len(bounded) - len(affordable)
    assert judge_.states(after.groups.select(left)).sum() == bounded.sum() - affordable.sum()
    exact = Evaluator(judge_.threat, judge_.requirements, "exact").measure(after.groups)
    inferred = (after.used == EXACT)[after.groups.owner]
    for one, other in zip(after.measurements, exact.measurements, strict=True):
        np.testing.assert_allclose(one.figures[:, inferred], other.figures[:, inferred], atol=1e-12)
