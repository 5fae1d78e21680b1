"""Bounds that no release can break: refused where they meet a table, and shown by audits."""

from __future__ import annotations

import math
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

VOID: list[tuple[dict[str, Any], float]] = [
    ({"bt_privacy": {"bandwidth": 0.3, "t": 1}}, 1.0),
    ({"belief_breach": {"bandwidth": 0.3, "rho1": 0.5, "rho2": 1}}, 1.0),
    ({"max_disclosure": {"tau": 1}}, 1.0),
    ({"js_divergence": {"j": math.log2(5), "bandwidth": 0.3}}, math.log2(5)),
]


@pytest.mark.parametrize(("void", "most"), VOID, ids=str)
def test_publish_refuses_what_cannot_bind_and_explore_goes_on(
    clinic: Connection, void: dict[str, Any], most: float
) -> None:
    ((name, _),) = void.items()
    state_policy(clinic, "void", {"k_anonymity": {"k": 2}, **void})
    said = refused(
        clinic,
        "SELECT bkpriv.publish('patients', 'void', 'public.shown', 'mondrian')",
        sqlstate="22023",
        names=[name, "cannot bind", f"exceed {most:.6g}."],
    )
    assert "less than" in (said.message_hint or "")
    told = overhear(clinic)
    figures = clinic.execute(
        "SELECT place, metric FROM bkpriv.explore('patients', %s) WHERE metric IN "
        "('groups', 'refused') ORDER BY place",
        [Jsonb([{"k_anonymity": {"k": 2}, **void}, {"k_anonymity": {"k": 2}}])],
    ).fetchall()
    assert figures == [(1, "refused"), (2, "groups")]
    assert [line for line in told if "policy 1 is refused" in line and "cannot bind" in line]


def test_the_lattice_refuses_it(clinic: Connection) -> None:
    state_policy(clinic, "void", {"k_anonymity": {"k": 2}, "max_disclosure": {"tau": 1}})
    refused(
        clinic,
        "SELECT * FROM bkpriv.lattice('patients', 'void')",
        sqlstate="22023",
        names=["max_disclosure", "cannot bind"],
    )


def test_audits_show_the_largest_figure_where_there_is_one(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 2}})
    release = publish(clinic)
    demanded = {
        "k_anonymity": {"k": 2},
        "l_diversity": {"l": 2},
        "max_disclosure": {"tau": 1},
        "beta_likeness": {"beta": 2},
        "bt_privacy": {"bandwidth": 0.3, "t": 0.2},
    }
    rarest = one(
        clinic,
        "SELECT min(n) / sum(n) FROM (SELECT count(*) AS n FROM clinic.patient GROUP BY disease) c",
    )
    rows: dict[str, float | None] = dict(
        clinic.execute(
            "SELECT requirement, most FROM bkpriv.audit(%s, %s)", [release, Jsonb(demanded)]
        ).fetchall()
    )
    assert rows == {
        "k_anonymity": None,
        "l_diversity": None,
        "max_disclosure": 1.0,
        "beta_likeness": pytest.approx(1 / float(rarest) - 1),
        "bt_privacy": 1.0,
    }
