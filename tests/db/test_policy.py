"""Policies: what may be required, and that a misspelt requirement is never left out silently."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import declare_own, one, publish, state_policy
from tests.db.refusal import refused, unchanged

SET_POLICY = "SELECT bkpriv.set_policy(%s, %s::jsonb)"


@pytest.mark.parametrize(
    "requirements",
    [
        {"k_anonymity": {"k": 5.0}},
        {"bt_privacy": [{"bandwidth": {"age": 0.2, "sex": 1.5, "city": 1}, "t": 0.25}]},
        {"k_anonymity": {"k": 2}, "l_diversity": {"l": 2}, "t_closeness": {"t": 0.5}},
    ],
    ids=str,
)
def test_a_policy_is_kept_as_it_was_stated(
    shared_clinic: Connection, requirements: dict[str, object]
) -> None:
    assert one(shared_clinic, SET_POLICY, ["stated", Jsonb(requirements)]) == "stated"
    for kept in ("policy", "policies"):
        query = f"SELECT requirements FROM bkpriv.{kept} WHERE name = 'stated'"
        assert one(shared_clinic, query) == requirements


def test_a_policy_is_stated_anew_under_its_name(clinic: Connection) -> None:
    state_policy(clinic, "plain", {"k_anonymity": {"k": 7}})
    assert one(clinic, "SELECT count(*) FROM bkpriv.policy WHERE name = 'plain'") == 1
    publish(clinic)
    smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM patients GROUP BY age, sex, city) g"
    assert one(clinic, smallest) >= 7


@pytest.mark.parametrize(
    ("requirements", "names"),
    [
        ("{}", ["policy"]),
        ('{"k_anonymty": {"k": 5}}', ["k_anonymty"]),
        ('{"k_anonymity": {}}', ["k_anonymity", '"k"']),
        ('{"k_anonymity": {"k": 0}}', ["k of k_anonymity", "0"]),
        ('{"k_anonymity": {"k": 1e400}}', ["e+400"]),
        ('{"k_anonymity": {"k": 1e9000}}', ["e+9000"]),
        ('{"bt_privacy": {"bandwidth": 1e400, "t": 0.2}}', ["e+400"]),
    ],
)
def test_what_makes_no_policy_is_refused(
    shared_clinic: Connection, requirements: str, names: Sequence[str]
) -> None:
    with unchanged(shared_clinic):
        refused(shared_clinic, SET_POLICY, ["p", requirements], sqlstate="22023", names=names)


@pytest.mark.parametrize("name", [None, ""])
def test_a_policy_needs_a_name_and_requirements(
    shared_clinic: Connection, name: str | None
) -> None:
    with unchanged(shared_clinic):
        stated = '{"k_anonymity": {"k": 2}}'
        refused(shared_clinic, SET_POLICY, [name, stated], sqlstate="22023", names=["name"])
        refused(shared_clinic, SET_POLICY, ["p", None], sqlstate="22023", names=["requirements"])


def test_a_policy_of_another_role_may_be_used_but_not_changed(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    with unchanged(clinic):
        said = refused(
            publisher, SET_POLICY, ["plain", '{"k_anonymity": {"k": 1}}'], sqlstate="42501"
        )
        assert "plain" in (said.message_primary or "")
    declare_own(publisher)
    assert publish(publisher, "mine", "plain", view="shown")


# --- bandwidths are checked against the attributes when a policy is used --------------------------


@pytest.mark.parametrize(
    ("bandwidth", "name"),
    [({"age": 0.3, "sex": 0.3, "city": 0.3, "zip": 0.3}, "zip")],
)
def test_a_bandwidth_must_name_all_quasi_identifiers_and_no_others(
    shared_clinic: Connection, bandwidth: dict[str, float], name: str
) -> None:
    requirements = {"bt_privacy": {"bandwidth": bandwidth, "t": 0.2}}
    state_policy(shared_clinic, "named", requirements)
    release = one(shared_clinic, "SELECT bkpriv.publish('patients', 'plain', 'public.measured')")
    for statement, parameters in (
        ("SELECT bkpriv.publish('patients', 'named', 'public.v')", []),
        ("SELECT * FROM bkpriv.audit(%s, %s)", [release, Jsonb(requirements)]),
        ("SELECT * FROM bkpriv.prior('patients', %s)", [Jsonb(bandwidth)]),
        ("SELECT * FROM bkpriv.posterior(%s, %s)", [release, Jsonb(bandwidth)]),
        ("SELECT * FROM bkpriv.disclosure(%s, %s)", [release, Jsonb(bandwidth)]),
    ):
        with unchanged(shared_clinic):
            refused(shared_clinic, statement, parameters, sqlstate="22023", names=[f'"{name}"'])


@pytest.mark.parametrize("bandwidth", ["0", "1e400"])
@pytest.mark.parametrize("function", ["prior", "posterior", "disclosure"])
def test_a_bandwidth_that_is_no_positive_number_is_refused(
    shared_clinic: Connection, function: str, bandwidth: str
) -> None:
    subject: object = "patients"
    if function != "prior":
        subject = one(shared_clinic, "SELECT max(release) FROM bkpriv.release")
        subject = subject or publish(shared_clinic, view="public.measured")
    with unchanged(shared_clinic):
        statement = f"SELECT * FROM bkpriv.{function}(%s, %s::jsonb)"
        refused(
            shared_clinic, statement, [subject, bandwidth], sqlstate="22023", names=["bandwidth"]
        )
        refused(shared_clinic, statement, [subject, None], sqlstate="22023", names=["bandwidth"])


@pytest.mark.parametrize(
    ("requirements", "names"),
    [('{"k_anonymity": {"k": 0}}', ["k of k_anonymity"])],
)
def test_an_audit_checks_what_it_is_asked_for(
    shared_clinic: Connection, requirements: str, names: Sequence[str]
) -> None:
    release = publish(shared_clinic, view="public.measured")
    with unchanged(shared_clinic):
        statement = "SELECT * FROM bkpriv.audit(%s, %s::jsonb)"
        refused(shared_clinic, statement, [release, requirements], sqlstate="22023", names=names)
