"""Whole tables: certified by proof, by either method, and nobody left out.

What detail certification costs is measured by the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from bkpriv_core.belief.setting import Setting
from bkpriv_core.partition.agglomeration import agglomerate
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.partition.neighbours import losses
from bkpriv_core.requirement import BtPrivacy, KAnonymity, Requirement
from bkpriv_core.table.groups import Groups
from studies.cells import count_cells
from studies.houses import houses
from tests.core.certifying import certify

T = 0.2


improved = partial(certify, improving=True)
Partitioning = Callable[..., Groups]


@pytest.mark.parametrize("method", [mondrian, agglomerate])
def test_houses_are_all_published_by_proof(method: Partitioning) -> None:
    setting = Setting(count_cells(houses(2_500, seed=2))).tried()
    policy: list[Requirement] = [KAnonymity(4), BtPrivacy(((0.3, T),))]
    groups = method(setting, policy)
    certificate = improved(setting, policy, groups, "auto", beyond="suppress")
    assert certificate.failed > 0
    assert certificate.measurements[1].certain.all()
    assert certificate.measurements[1].figures.max() <= T + 1e-9
    assert not certificate.suppressed.size
    lost = losses(certificate.parts, certificate.groups).sum()
    assert lost < losses(setting.parts, groups).sum()
