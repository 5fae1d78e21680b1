"""Belief breaches in SQL: published, audited, explained, refused, and read back."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import KINDS, one, publish, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

BREACH: dict[str, Any] = {"bandwidth": 0.2, "rho1": 0.5, "rho2": 0.7}

KIND = {disease: kind for kind, diseases in KINDS.items() for disease in diseases}


def made_sure(
    db: Connection, release: int, bandwidth: float, rho1: float, rho2: float
) -> dict[tuple[int, str], float]:
    """Largest belief about each cell of each group that breaches; by its posteriors."""
    rows = db.execute(
        "SELECT group_id, qi::text, sensitive, prior, posterior FROM bkpriv.posterior(%s, %s)",
        [release, str(bandwidth)],
    ).fetchall()
    believed: dict[tuple[int, str], dict[str, list[float]]] = {}
    for group, qi, disease, prior, posterior in rows:
        for node in (disease, KIND[disease]):
            pair = believed.setdefault((group, qi), {}).setdefault(node, [0.0, 0.0])
            pair[0] += prior
            pair[1] += posterior
    found = {
        cell: max((q for p, q in nodes.values() if p <= rho1 + 1e-9), default=0.0)
        for cell, nodes in believed.items()
    }
    return {cell: most for cell, most in found.items() if most > rho2 + 1e-9}


@pytest.mark.parametrize("method", ["mondrian", "agglomerate", "bucketize", "incognito"])
def test_nobody_comes_to_be_believed_to_have_what_was_hardly_believed(
    clinic: Connection, method: str
) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 2}})
    state_policy(clinic, "breach", {"k_anonymity": {"k": 2}, "belief_breach": BREACH})
    before = publish(clinic, policy="plain", method=method)
    if method != "incognito":
        assert made_sure(clinic, before, 0.2, 0.5, 0.7)
    release = publish(clinic, policy="breach", method=method)
    assert not made_sure(clinic, release, 0.2, 0.5, 0.7)
    rows = clinic.execute(
        "SELECT requirement, parameters, threshold, vulnerable, satisfied "
        "FROM bkpriv.audit(%s) WHERE requirement = 'belief_breach'",
        [release],
    ).fetchall()
    assert rows == [("belief_breach", BREACH, 0.7, 0, True)]
    assert one(
        clinic,
        "SELECT count(*) FROM bkpriv.audits WHERE release = %s AND requirement = 'belief_breach' "
        "AND parameters = %s AND satisfied",
        [release, Jsonb(BREACH)],
    )


def test_every_audit_of_beliefs_counts_of_whom_the_reader_becomes_sure(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 2}})
    release = publish(clinic, policy="plain")
    sure = made_sure(clinic, release, 0.2, 0.5, 0.9)
    assert sure
    demanded = {"bt_privacy": {"bandwidth": 0.2, "t": 0.9}, "k_anonymity": {"k": 2}}
    rows: dict[str, int | None] = dict(
        clinic.execute(
            "SELECT requirement, sure FROM bkpriv.audit(%s, %s)", [release, Jsonb(demanded)]
        ).fetchall()
    )
    records = {
        (group, qi): count
        for group, qi, count in clinic.execute(
            "SELECT group_id, qi::text, records FROM bkpriv.disclosure(%s, '0.2')", [release]
        ).fetchall()
    }
    counted = {cell: records[cell] for cell in sure}
    assert len(records) > len(sure)
    assert rows == {"bt_privacy": sum(counted.values()), "k_anonymity": None}
    assert sum(counted.values()) == one(
        clinic, "SELECT sum(sure) FROM bkpriv.explain_disclosure(%s, '0.2')", [release]
    )
    told = clinic.execute(
        "SELECT group_id, sure_qi::text, sure_sensitive, sure_prior, sure_posterior "
        "FROM bkpriv.explain_disclosure(%s, '0.2') WHERE sure > 0",
        [release],
    ).fetchall()
    assert {group for group, *_ in told} == {group for group, _ in sure}
    for group, qi, named, prior, posterior in told:
        assert named in {*KIND, *KINDS}
        assert prior <= 0.5
        assert posterior == pytest.approx(sure[group, qi])
        assert posterior == pytest.approx(
            max(most for (other, _), most in sure.items() if other == group)
        )
    together = clinic.execute(
        "SELECT count(*) FROM bkpriv.explain_disclosure(%s, '0.2') WHERE sure = 0 "
        "AND num_nonnulls(sure_qi, sure_sensitive, sure_prior, sure_posterior) > 0",
        [release],
    ).fetchone()
    assert together == (0,)


def test_what_is_no_breach_or_cannot_be_kept_is_refused(clinic: Connection) -> None:
    setting = "SELECT bkpriv.set_policy('odd', %s)"
    odd = Jsonb({"belief_breach": {**BREACH, "rho1": 0.9}})
    refused(clinic, setting, [odd], sqlstate="22023", names=["rho1", "0.7"])
    # Only of people of 30 an ulcer is supposed; so whoever is 30 is told of.
    clinic.execute(
        "CREATE TABLE clinic.known AS SELECT DISTINCT p.age, p.sex, p.city, d.disease, "
        "CASE d.disease WHEN 'ulcer' THEN CASE WHEN p.age = 30 THEN 0.4 ELSE 0.001 END "
        "ELSE CASE WHEN p.age = 30 THEN 0.15 ELSE 0.24975 END END AS probability "
        "FROM clinic.patient AS p, clinic.disease_levels AS d"
    )
    stated = {"bandwidth": {"table": "clinic.known"}, "rho1": 0.45, "rho2": 0.46}
    state_policy(clinic, "hard", {"belief_breach": stated})
    publishing = "SELECT bkpriv.publish('patients', 'hard', 'public.hard')"
    refused(
        clinic, publishing, sqlstate="22023", names=["belief_breach", "is not met by one group"]
    )
