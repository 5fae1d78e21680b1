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
    assert "below" in (said.message_hint or "")
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


def test_a_number_that_is_blended_away_is_refused_and_without_blending_bound(
    db: Connection,
) -> None:
    """Blending over all of the range of a measure of many values leaves next to no distance."""
    db.execute(
        "CREATE TABLE public.survey AS SELECT 20 + i % 50 AS age, i % 2 = 0 AS smokes, "
        "round((28 + 6 * sin(i) + 5 * cos(i * 1.7) + 5 * sin(i * 2.3))::numeric, 1) AS bmi "
        "FROM generate_series(1, 600) AS i"
    )
    db.execute("SELECT bkpriv.register_dataset('people', 'public.survey', '{age,smokes}', 'bmi')")
    for name, beside in (("blended", {"smoothing": 1}), ("plain", {})):
        state_policy(db, name, {"bt_privacy": {"bandwidth": 0.3, "t": 0.2, **beside}})
    said = refused(
        db,
        "SELECT bkpriv.publish('people', 'blended', 'public.shown', 'mondrian')",
        sqlstate="22023",
        names=["bt_privacy", "smoothing = 1", "cannot bind"],
    )
    largest = float((said.message_detail or "").rsplit(" ", 1)[1].rstrip("."))
    assert 0.0 < largest < 0.2
    release = publish(db, "people")
    # What it tells is nearly nothing, and the audit shows of how much.
    stated = {"bt_privacy": {"bandwidth": 0.3, "t": 0.2, "smoothing": 1}}
    rows = db.execute(
        "SELECT most, threshold, satisfied FROM bkpriv.audit(%s, %s)", [release, Jsonb(stated)]
    ).fetchall()
    assert rows == [(pytest.approx(largest, rel=1e-5), 0.2, True)]
    assert one(db, "SELECT most FROM bkpriv.audit(%s) WHERE requirement = 'bt_privacy'", [release])


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
