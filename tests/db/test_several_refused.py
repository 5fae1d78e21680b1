"""Several sensitive columns: what is refused of them, and what is the same as of one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.queries import answer
from tests.db.refusal import refused
from tests.db.several import COLUMNS, create_releases


@pytest.fixture(scope="module")
def visits(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with a release of two sensitive columns by each method."""
    create_releases(shared_clinic)
    return shared_clinic


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        ({"l_diversity": {"l": 2, "sensitive": "age"}}, ["age", "no sensitive column"]),
        ({"bt_privacy": [{"bandwidth": 0.3, "t": 0.2, "sensitive": "x"}]}, ["x"]),
        ({"t_closeness": {"t": 0.5, "ground": "ordered", "joint": True}}, ["ordered"]),
    ],
    ids=str,
)
def test_policies_that_mean_nothing(
    visits: Connection, policy: dict[str, Any], names: list[str]
) -> None:
    with visits.transaction(force_rollback=True):
        state_policy(visits, "odd", policy)
        refused(
            visits,
            "SELECT bkpriv.publish('visits', 'odd', 'odd')",
            sqlstate="22023",
            names=names,
        )


def test_what_contradicts_itself_is_no_policy(visits: Connection) -> None:
    stated = {"l_diversity": {"l": 2, "sensitive": "disease", "joint": True}}
    refused(
        visits,
        "SELECT bkpriv.set_policy('odd', %s::jsonb)",
        [json.dumps(stated)],
        sqlstate="22023",
        names=["l_diversity", "jointly"],
    )


def test_a_method_of_one_column(visits: Connection) -> None:
    said = refused(
        visits,
        "SELECT bkpriv.publish('visits', 'several', 'odd', 'randomize', options => %s::jsonb)",
        [json.dumps({"scheme": "rr-s"})],
        sqlstate="0A000",
        names=["2 sensitive columns", ", ".join(COLUMNS)],
    )
    assert "method that forms groups" in (said.message_hint or "")


@pytest.mark.parametrize(
    "call",
    [
        "SELECT * FROM bkpriv.optimize_randomization('visits', 'rr-s', 0.5)",
        "SELECT bkpriv.set_sequential_knowledge('visits', 'past', 'constant')",
    ],
)
def test_functions_of_one_column(visits: Connection, call: str) -> None:
    refused(visits, call, sqlstate="0A000", names=["sensitive column"])


def test_m_invariance_is_of_one_column(visits: Connection) -> None:
    with visits.transaction(force_rollback=True):
        state_policy(visits, "odd", {"m_invariance": {"m": 2}})
        refused(
            visits,
            "SELECT bkpriv.publish('visits', 'odd', 'odd')",
            sqlstate="0A000",
            names=["m_invariance", ", ".join(COLUMNS)],
        )


def test_of_one_column_jointly_is_by_itself(visits: Connection) -> None:
    with visits.transaction(force_rollback=True):
        visits.execute(
            "SELECT bkpriv.register_dataset('plain', 'clinic.visit', '{age,sex}', 'disease')"
        )
        shown = []
        keys: list[dict[str, Any]] = [{}, {"joint": True}, {"sensitive": "disease"}]
        for number, more in enumerate(keys):
            policy = {"l_diversity": {"l": 2, **more}, "k_anonymity": {"k": 3}}
            state_policy(visits, f"plain{number}", policy)
            options = {"seed": 1}
            publish(visits, "plain", f"plain{number}", f"public.plain{number}", options=options)
            shown.append(visits.execute(f"SELECT * FROM plain{number}").fetchall())
            latest = one(visits, "SELECT max(release) FROM bkpriv.releases")
            rows = visits.execute("SELECT parameters FROM bkpriv.audit(%s)", [latest]).fetchall()
            assert rows == [({"k": 3},), ({"l": 2, "variant": "distinct"},)]
        assert shown[0] == shown[1] == shown[2]


def test_null_is_a_value_of_a_column(visits: Connection) -> None:
    with visits.transaction(force_rollback=True):
        visits.execute("UPDATE clinic.visit SET treatment = NULL WHERE id % 9 = 0")
        refused_in = "SELECT bkpriv.publish('visits', 'several', 'nulls')"
        with visits.transaction(force_rollback=True):
            refused(visits, refused_in, sqlstate="22004", names=["treatment"])
        policy = {"k_anonymity": {"k": 4}, "max_disclosure": {"tau": 0.9}, "overlap": "warn"}
        state_policy(visits, "null", policy)
        release = publish(visits, "visits", "null", "public.nulls", options={"nulls": "category"})
        query = "SELECT count(*) FROM visits WHERE treatment IS NULL AND NOT disease = 'ulcer'"
        actual, estimate, _ = answer(visits, release, query)
        assert actual == estimate == one(visits, query.replace("visits", "nulls"))
        for query in (
            "SELECT count(*) FROM visits WHERE NOT treatment = 'pills'",
            "SELECT count(*) FROM visits WHERE NOT (treatment = 'pills' OR disease = 'ulcer')",
        ):
            actual, _, _ = answer(visits, release, query)
            assert actual == one(visits, query.replace("visits", "clinic.visit"))
