"""Disclosure to several adversaries, record by record; the setting that keeps their priors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core import posterior as posterior_module
from bkpriv_core import setting as setting_module
from bkpriv_core.disclosure import Adversaries
from bkpriv_core.distance import BeliefDistance
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.groups import Groups
from bkpriv_core.posterior import Estimator
from bkpriv_core.prior import kernel_prior
from bkpriv_core.setting import Setting
from tests.core import oracles
from tests.core.oracles import Records
from tests.core.strategies import (
    KINDS,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    partitions,
    records_of,
    tables,
)


@SOME
@given(
    tables(max_records=9, sensitive_kinds=KINDS),
    st.lists(bandwidths, min_size=1, max_size=3),
    bandwidths,
    st.sampled_from(["exact", "omega"]),
    st.data(),
)
def test_disclosure_by_records(
    records: Records,
    widths: list[float],
    smoothing: float,
    estimator: Estimator,
    data: st.DataObject,
) -> None:
    table = as_table(records)
    lists = data.draw(partitions(table.cells, suppress=True))
    groups = as_groups(lists)
    found = Setting(table, smoothing).disclosure(widths, groups, estimator)
    assert found.figures.shape == (len(widths), len(groups.members))
    assert found.exact.tolist() == [estimator == "exact"] * len(lists)
    for width, figures in zip(widths, found.figures, strict=True):
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
    found = Adversaries(table, [ignorant], distance).disclosure(Groups.whole(3), "exact")
    third, shares = [1 / 3] * 3, [0.5, 0.25, 0.25]
    np.testing.assert_allclose(
        found.figures, oracles.js_divergence(third, shares), rtol=0, atol=1e-12
    )


def test_no_groups_disclose_nothing() -> None:
    found = Setting(as_table(small_table())).disclosure([0.3, 0.5], as_groups([]), "auto")
    assert found.figures.shape == (2, 0)
    assert found.exact.shape == (0,)


def test_what_auto_estimated_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posterior_module, "AUTO_STATES", 4)
    setting = Setting(as_table(small_table()))
    groups = as_groups([[0, 1], [2], [0, 1, 2]])  # 4, 3 and 12 states
    found = setting.disclosure([0.3], groups, "auto")
    assert found.exact.tolist() == [True, True, False]
    exact, omega = (setting.disclosure([0.3], groups, name) for name in ("exact", "omega"))
    np.testing.assert_array_equal(found.figures[0, :3], exact.figures[0, :3])
    np.testing.assert_array_equal(found.figures[0, 3:], omega.figures[0, 3:])


# --- The setting ----------------------------------------------------------------------------------


def test_the_overall_distribution_is_that_of_records() -> None:
    np.testing.assert_array_equal(Setting(as_table(small_table())).overall, [0.5, 0.25, 0.25])


def test_a_prior_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counting(*arguments: object, **options: object) -> object:
        asked.append(arguments)
        return kernel_prior(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(setting_module, "kernel_prior", counting)
    table = as_table(small_table())
    setting = Setting(table)
    first = setting.prior(0.3)
    np.testing.assert_array_equal(first, kernel_prior(table, 0.3))
    assert setting.prior({"sex": 0.3, "age": 0.3}) is first
    assert setting.prior({"age": 0.3, "sex": 1.5}) is not first
    setting.disclosure([0.3, {"age": 0.3, "sex": 1.5}], Groups.whole(3), "omega")
    setting.disclosure([0.3], Groups.whole(3), "exact")
    assert len(asked) == 2


def test_adversaries_stand_in_the_order_asked_for() -> None:
    setting = Setting(as_table(small_table()))
    whole = Groups.whole(3)
    there = setting.disclosure([0.3, 1.5], whole, "exact").figures
    back = setting.disclosure([1.5, 0.3], whole, "exact").figures
    assert not np.allclose(there[0], there[1])
    np.testing.assert_array_equal(there[::-1], back)


def test_the_smoothing_is_that_of_the_setting() -> None:
    table = as_table(small_table())
    assert Setting(table).distance.bandwidth == 0.75
    assert Setting(table, 1.25).distance.bandwidth == 1.25
    with pytest.raises(InvalidParameter, match="smoothing"):
        Setting(table, 0)


def test_an_unknown_attribute_is_refused() -> None:
    setting = Setting(as_table(small_table()))
    with pytest.raises(InvalidParameter, match='"zip"'):
        setting.prior({"age": 0.3, "sex": 0.3, "zip": 1})
    with pytest.raises(InvalidParameter, match='"sex"'):
        setting.disclosure([{"age": 0.3}], Groups.whole(3), "omega")


def test_polling_reaches_priors_and_posteriors() -> None:
    class Cancelled(BaseException):
        pass

    calls: list[None] = []
    Setting(as_table(small_table()), poll=lambda: calls.append(None)).prior(0.3)
    before = len(calls)
    assert before > 0

    def poll() -> None:
        calls.append(None)
        if len(calls) == 2 * before + 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        Setting(as_table(small_table()), poll=poll).disclosure([0.3], Groups.whole(3), "exact")
