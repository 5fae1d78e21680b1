"""Disclosure to several adversaries, record by record; the setting that keeps their priors."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import disclosure as disclosure_module
from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief import threat_model as setting_module
from bkpriv_core.belief.disclosure import Adversaries
from bkpriv_core.belief.distance import BeliefDistance, Comparison
from bkpriv_core.belief.posterior import BOUND, ESTIMATORS, EXACT, Asked, Estimator
from bkpriv_core.belief.prior import kernel_prior
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import ContradictoryKnowledge, InvalidParameter
from bkpriv_core.requirement import BtPrivacy
from bkpriv_core.requirement.belief import BeliefScope
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Attribute, Records
from tests.core.strategies import (
    KINDS,
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    partitions,
    records_of,
    smoothings,
    tables,
)
from tests.core.watching import Cancelled, Watched, cancelling


@SOME
@given(
    tables(max_records=9, sensitive_kinds=KINDS),
    st.lists(bandwidths, min_size=1, max_size=3),
    smoothings,
    st.sampled_from(["exact", "omega"]),
    st.data(),
)
def test_disclosure_by_records(
    records: Records,
    widths: list[float],
    smoothing: float | None,
    estimator: Estimator,
    data: st.DataObject,
) -> None:
    table = as_table(records)
    lists = data.draw(partitions(table.cells, suppress=True))
    groups = as_groups(lists)
    compared = [Comparison(smoothing=smoothing)] * len(widths)
    disclosure = ThreatModel(table).adversaries(widths, compared).disclosure(groups, estimator)
    if smoothing is None:
        plain = ThreatModel(table).adversaries(widths).disclosure(groups, estimator)
        np.testing.assert_array_equal(plain.figures, disclosure.figures)
    assert disclosure.figures.shape == (len(widths), len(groups.members))
    assert disclosure.exact.tolist() == [estimator == "exact"] * len(lists)
    for width, figures in zip(widths, disclosure.figures, strict=True):
        prior = oracles.rounded(oracles.priors(records, [width] * len(records.attributes)))
        by_record = {
            record: figure
            for cells in lists
            for record, figure in zip(
                records_of(records, cells),
                oracles.disclosures(
                    records, prior, records_of(records, cells), smoothing, estimator
                ),
                strict=True,
            )
        }
        for cell, figure in zip(groups.members.tolist(), figures, strict=True):
            for record in records.cells()[cell]:
                assert figure == pytest.approx(by_record[record], abs=1e-9)


def small_table() -> Records:
    age = oracles.Attribute("age", ("20", "30", "60"), numbers={"20": 20, "30": 30, "60": 60})
    sex = oracles.Attribute("sex", ("f", "m"))
    rows = (("20", "f", "flu"), ("30", "f", "hiv"), ("60", "m", "flu"), ("60", "m", "none"))
    return Records((age, sex), oracles.Attribute("s", ("flu", "hiv", "none")), rows)


def test_any_priors_may_be_given() -> None:
    # A prior need not come from the table; this adversary knows nothing and learns the shares.
    table = as_table(small_table())
    ignorant = np.full((3, 3), 1 / 3)
    distance = BeliefDistance.over(table.sensitive, 0.5)
    disclosure = Adversaries(Parts.of(table), [ignorant], [(0, distance)]).disclosure(
        Groups.whole(3), "exact"
    )
    third, shares = [1 / 3] * 3, [0.5, 0.25, 0.25]
    np.testing.assert_allclose(
        disclosure.figures, oracles.js_divergence(third, shares), rtol=0, atol=1e-12
    )


def test_no_groups_disclose_nothing() -> None:
    disclosure = (
        ThreatModel(as_table(small_table()))
        .adversaries([0.3, 0.5])
        .disclosure(as_groups([]), "auto")
    )
    assert disclosure.figures.shape == (2, 0)
    assert disclosure.exact.shape == disclosure.used.shape == (0,)


def test_what_auto_estimated_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posterior_module, "AUTO_STATES", 4)
    threat = ThreatModel(as_table(small_table()))
    groups = as_groups([[0, 1], [2], [0, 1, 2]])  # 4, 3 and 12 states
    disclosure = threat.adversaries([0.3]).disclosure(groups, "auto")
    assert disclosure.exact.tolist() == [True, True, False]
    assert [ESTIMATORS[place] for place in disclosure.used] == ["exact", "exact", "bethe"]
    exact, bethe = (
        threat.adversaries([0.3]).disclosure(groups, name) for name in ("exact", "bethe")
    )
    assert bethe.used[2] == disclosure.used[2]
    np.testing.assert_array_equal(disclosure.figures[0, :3], exact.figures[0, :3])
    np.testing.assert_array_equal(disclosure.figures[0, 3:], bethe.figures[0, 3:])


@MANY
@given(tables(max_records=9), st.floats(0.01, 0.9), st.booleans())
def test_bounds_decide_as_exact_figures_do(records: Records, limit: float, trying: bool) -> None:
    whole = Groups.whole(len(records.cells()))
    threat = ThreatModel(as_table(records), trying=trying)
    adversaries = threat.adversaries([0.3, 0.7])
    exact = adversaries.disclosure(whole, "exact").figures
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disclosure_module, "FEW_STATES" if trying else "AUTO_STATES", 0)
        patch.setattr(disclosure_module, "FEW_STATES", 0)
        told = adversaries.disclosure(whole, "auto", limits=[limit, limit])
        bounded = adversaries.disclosure(whole, "bound", limits=[limit, limit])
    assert (bounded.used == BOUND).all()
    assert (bounded.figures >= exact - 1e-9).all()
    assert told.used[0] in (BOUND, EXACT)
    if abs(exact.max() - limit) > 1e-6:
        assert (told.figures > limit).any() == (exact > limit).any()
    if told.used[0] == EXACT:
        np.testing.assert_array_equal(told.figures, exact)
    elif not trying:  # Who measures a release is told of no figure above a limit that is a bound.
        assert (told.figures <= limit).all()


_NEAR_LIMITS = st.lists(st.sampled_from([0.3, 0.7, 1.3, 2.0]), min_size=3, max_size=3)


@MANY
@given(tables(max_records=9), _NEAR_LIMITS, st.data())
def test_by_omega_adversaries_in_turn_decide_as_all_do(
    records: Records, limits: list[float], data: st.DataObject
) -> None:
    """Limits are multiples of the largest figure; two of three are about one adversary."""
    groups = as_groups(data.draw(partitions(len(records.cells()))))
    threat = ThreatModel(as_table(records), trying=True)
    widths, smoothings = [0.3, 0.7, 0.3], [None, None, 0.5]
    compared = [Comparison(smoothing=by) for by in smoothings]
    figures = threat.adversaries(widths, compared).disclosure(groups, "omega").figures
    required = BtPrivacy(
        tuple(zip(widths, np.array(limits) * figures.max(axis=1), strict=True)),
        tuple(BeliefScope(smoothing=by) for by in smoothings),
    )
    broken = [bound.broken(row) for bound, row in zip(required.bounds, figures, strict=True)]
    expected = ~groups.max(np.any(broken, axis=0))
    np.testing.assert_array_equal(required.satisfied(threat, groups), expected)


@MANY
@given(tables(max_records=9), _NEAR_LIMITS, st.booleans(), st.data())
def test_by_bounds_adversaries_in_turn_decide_as_all_do(
    records: Records, limits: list[float], trying: bool, data: st.DataObject
) -> None:
    """Limits are between lower and upper bounds, or beside them."""
    groups = as_groups(data.draw(partitions(len(records.cells()))))
    threat = ThreatModel(as_table(records), trying=trying)
    widths = [0.3, 0.7, 0.3]
    compared = [Comparison(smoothing=by) for by in (None, None, 0.5)]
    every = [
        np.split(ThreatModel(as_table(records)).adversaries([width], [by])._bound(groups)[0], 2)
        for width, by in zip(widths, compared, strict=True)
    ]
    least, most = (np.vstack([ends[place] for ends in every]) for place in (0, 1))
    share = np.array(limits)
    apart = share * (most - least).max(axis=1) + 1e-3 * (share > 1)
    beyond = (least.max(axis=1) + apart)[:, None]
    others = [Comparison(smoothing=by) for by in (0.9, 0.9, None)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disclosure_module, "FEW_STATES", 0)
        patch.setattr(disclosure_module, "AUTO_STATES", 0)
        for by in (others, compared):  # Bounds of figures that compare otherwise are not mixed up.
            adversaries = threat.adversaries(widths, by)
            told = adversaries.disclosure(groups, "bound", limits=beyond[:, 0].tolist()).figures
        judged = adversaries.disclosure(groups, "auto", limits=beyond[:, 0].tolist())
    assert [rows for rows, _ in adversaries.apart] == [[0, 2], [1]]
    assert (told >= most - 1e-12).all()  # Nobody of whom nothing is known seems to keep a limit.
    kept = ~groups.max((most > beyond).any(axis=0))
    np.testing.assert_array_equal(~groups.max((told > beyond).any(axis=0)), kept)
    decided = kept | (groups.max((least > beyond + 1e-6).any(axis=0)) & trying)
    np.testing.assert_array_equal(judged.used == BOUND, decided)


def test_what_bounds_cannot_decide_is_inferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disclosure_module, "AUTO_STATES", 0)
    threat = ThreatModel(as_table(small_table()))
    whole, adversaries = Groups.whole(3), threat.adversaries([0.3])
    exact = float(adversaries.disclosure(whole, "exact").figures.max())
    below, above = (
        adversaries.disclosure(whole, "auto", limits=[exact + step]) for step in (-1e-4, 0.5)
    )
    assert below.used.tolist() == [EXACT]
    assert above.used.tolist() == [BOUND]
    assert exact <= above.figures.max() <= exact + 0.5


# --- The setting ----------------------------------------------------------------------------------


def test_the_overall_distribution_is_that_of_records() -> None:
    np.testing.assert_array_equal(as_table(small_table()).overall, [0.5, 0.25, 0.25])


def test_a_prior_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def counting(*arguments: object, **options: object) -> object:
        calls.append(arguments)
        return kernel_prior(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(setting_module, "kernel_prior", counting)
    table = as_table(small_table())
    threat = ThreatModel(table)
    first = threat.prior(0.3)
    np.testing.assert_array_equal(first, kernel_prior(table, 0.3))
    assert threat.prior({"sex": 0.3, "age": 0.3}) is first
    assert threat.prior({"age": 0.3, "sex": 1.5}) is not first
    threat.adversaries([0.3, {"age": 0.3, "sex": 1.5}]).disclosure(Groups.whole(3), "omega")
    threat.adversaries([0.3]).disclosure(Groups.whole(3), "exact")
    assert len(calls) == 2


def test_adversaries_stand_in_the_order_asked_for() -> None:
    threat = ThreatModel(as_table(small_table()))
    whole = Groups.whole(3)
    there = threat.adversaries([0.3, 1.5]).disclosure(whole, "exact").figures
    back = threat.adversaries([1.5, 0.3]).disclosure(whole, "exact").figures
    assert not np.allclose(there[0], there[1])
    np.testing.assert_array_equal(there[::-1], back)


def test_a_distance_is_made_once_for_all_settings_of_a_table() -> None:
    threat = ThreatModel(as_table(small_table()))
    blended = threat.distance(Comparison(smoothing=0.5))
    assert threat.tried().distance(Comparison(smoothing=0.5)) is blended
    assert threat.distance(Comparison()) is not blended
    with pytest.raises(InvalidParameter, match="smoothing"):
        threat.distance(Comparison(smoothing=0))


def test_adversaries_who_compare_otherwise_are_told_apart() -> None:
    threat, whole = ThreatModel(as_table(small_table())), Groups.whole(3)
    both = [Comparison(), Comparison(smoothing=1.0)]
    figures = threat.adversaries([0.3, 0.3], both).disclosure(whole, "exact").figures
    for by, expected in zip(both, figures, strict=True):
        alone = threat.adversaries([0.3], [by]).disclosure(whole, "exact").figures
        np.testing.assert_array_equal(alone[0], expected)


def test_an_unknown_attribute_is_refused() -> None:
    threat = ThreatModel(as_table(small_table()))
    with pytest.raises(InvalidParameter, match='"zip"'):
        threat.prior({"age": 0.3, "sex": 0.3, "zip": 1})
    with pytest.raises(InvalidParameter, match='"sex"'):
        threat.adversaries([{"age": 0.3}]).disclosure(Groups.whole(3), "omega")


def test_polling_reaches_priors_and_posteriors() -> None:
    calls: list[None] = []
    ThreatModel(as_table(small_table()), progress=Watched(lambda: calls.append(None))).prior(0.3)
    before = len(calls)
    assert before > 0
    with pytest.raises(Cancelled):
        ThreatModel(as_table(small_table()), progress=cancelling(before + 1)).adversaries(
            [0.3]
        ).disclosure(Groups.whole(3), "exact")


@SOME
@given(
    tables(max_records=9, sensitive_kinds=KINDS),
    st.lists(bandwidths, min_size=1, max_size=2),
    st.sampled_from(["exact", "omega"]),
    st.data(),
)
def test_an_explanation_by_records(
    records: Records, widths: list[float], estimator: Estimator, data: st.DataObject
) -> None:
    table = as_table(records)
    groups = as_groups(data.draw(partitions(table.cells, suppress=True)))
    adversaries = ThreatModel(table).adversaries(widths)
    place = data.draw(st.integers(0, len(widths) - 1))
    explanation = adversaries.explain(groups, estimator, place)
    figures = adversaries.disclosure(groups, estimator).figures[place]
    prior = kernel_prior(table, widths[place])
    after = adversaries.posterior(groups, estimator).beliefs[place]
    assert len(explanation.members) == len(groups)
    for group in range(len(groups)):
        rows = range(groups.offsets[group], groups.offsets[group + 1])
        member, value = int(explanation.members[group]), int(explanation.values[group])
        assert member in rows
        assert explanation.figures[group] == pytest.approx(
            max(figures[row] for row in rows), abs=1e-9
        )
        assert figures[member] == pytest.approx(explanation.figures[group], abs=1e-9)
        before = prior[groups.members[member]]
        moves = [abs(one - other) for one, other in zip(after[member], before, strict=True)]
        assert moves[value] == pytest.approx(max(moves), abs=1e-12)
        assert explanation.before[group] == before[value]
        assert explanation.after[group] == after[member][value]
    assert explanation.used.tolist() == [ESTIMATORS.index(estimator)] * len(groups)


def test_a_contradiction_is_told_by_labels() -> None:
    records = Records(
        (Attribute("age", ("30", "40"), {"30": 30, "40": 40}),),
        Attribute("disease", ("cold", "flu")),
        (("30", "cold"), ("40", "flu"), ("40", "flu")),
    )
    table = as_table(records)
    groups = as_groups([[0, 1]])
    sure_of_colds = np.array([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ContradictoryKnowledge) as caught:
        Adversaries(Parts.of(table), [sure_of_colds], []).disclosure(groups, "omega")
    assert "group 0" in caught.value.message
    assert "'flu' of \"disease\"" in caught.value.message
    assert "2 times" in caught.value.detail
    assert "the group's 3 records" in caught.value.detail
    assert "The group includes the records where \"age\" is '30'." in caught.value.detail


def test_a_contradiction_may_be_about_null() -> None:
    table = Table(
        (Domain("age", ("30",)),),
        Domain("disease", ("cold", None)),
        np.array([[0]]),
        np.array([[1, 1]]),
    )
    sure_of_colds = np.array([[1.0, 0.0]])
    with pytest.raises(ContradictoryKnowledge, match='the value NULL of "disease"'):
        Adversaries(Parts.of(table), [sure_of_colds], []).disclosure(Groups.whole(1), "exact")


def test_a_contradiction_may_be_about_a_record() -> None:
    """Each value has a taker, but whoever is 40 can have none of them."""
    records = Records(
        (Attribute("age", ("30", "40", "50"), {"30": 30, "40": 40, "50": 50}),),
        Attribute("disease", ("cold", "flu", "ulcer")),
        (("30", "cold"), ("40", "flu"), ("50", "ulcer")),
    )
    table = as_table(records)
    prior = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    for estimator in get_args(Asked):
        with pytest.raises(ContradictoryKnowledge) as caught:
            Adversaries(Parts.of(table), [prior], []).disclosure(
                as_groups([[2], [0, 1]]), estimator
            )
        assert "group 1" in caught.value.message
        assert "\"age\" is '40'" in caught.value.message
