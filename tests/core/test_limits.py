"""Limits: figures that are not numbers, numbers too far apart, domains too large."""

from __future__ import annotations

import numpy as np
import pytest

from bkpriv_core.belief import bethe as bethe_module
from bkpriv_core.belief import posterior as posterior_module
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, TooLarge, UnattainableRequirement
from bkpriv_core.requirement import BeliefScope, Bound, BtPrivacy, KAnonymity, check_attainable
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.table import Table


@pytest.mark.parametrize("upper", [True, False])
def test_a_figure_that_is_not_a_number_breaks_every_bound(upper: bool) -> None:
    bound = Bound("any", {}, 0.5, upper=upper)
    assert bound.broken(np.array([np.nan, 0.5])).tolist() == [True, False]


def test_numbers_too_far_apart_are_refused() -> None:
    ends = np.array([-1.7e308, 1.7e308])
    with pytest.raises(InvalidData, match=r'"amount".*too far apart') as caught:
        Domain("amount", tuple(map(str, ends)), ends)
    assert "1.7e+308" in caught.value.detail


def test_a_large_domain_costs_nothing_until_its_values_are_compared() -> None:
    size = 6_000
    numbers = np.arange(size, dtype=np.float64)
    amount = Domain("amount", tuple(map(str, range(size))), numbers)
    age = Domain("age", ("1", "2"), np.array([1.0, 2.0]))
    counts = np.zeros((2, size), dtype=np.int64)
    counts[np.arange(size) % 2, np.arange(size)] = 1
    threat = ThreatModel(Table((age,), amount, np.array([[0], [1]]), counts))
    whole = Groups.whole(2)
    assert KAnonymity(size).satisfied(threat, whole).all()
    with pytest.raises(TooLarge, match='"amount" has 6000 values'):
        BtPrivacy(((0.3, 0.2),), (BeliefScope(smoothing=0.75),)).measure(threat, whole)
    # Unblended, values are alike or not, and how far they are apart is no matter.
    figures = BtPrivacy(((0.3, 0.2),)).measure(threat, whole).figures
    assert 0 <= figures.max() <= 1


def test_the_whole_table_is_judged_fast_but_refused_with_care(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("more than omega for a whole large table")

    size = 25  # 2 ** 25 states
    numbers = np.arange(size, dtype=np.float64)
    age = Domain("age", tuple(map(str, range(size))), numbers)
    amount = Domain("amount", tuple(map(str, range(size))), numbers)
    codes = np.arange(size, dtype=np.int64)[:, None]
    table = Table((age,), amount, codes, np.eye(size, dtype=np.int64))
    threat, whole = ThreatModel(table), Groups.whole(size)
    strict = BtPrivacy(((0.3, 0.0),))
    with pytest.raises(UnattainableRequirement) as caught:
        check_attainable([strict], threat)
    attained = strict.measure(threat, whole, "auto").figures.max()
    assert f"attains about {attained:.6g}." in caught.value.detail
    assert attained != pytest.approx(strict.measure(threat, whole, "omega").figures.max(), rel=0.01)
    for module, name in ((bethe_module, "bethe"), (posterior_module, "exact")):
        monkeypatch.setattr(module, name, refuse)
    check_attainable([BtPrivacy(((0.3, 1.0),))], threat)
