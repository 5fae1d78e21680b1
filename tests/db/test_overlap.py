"""Several releases of the same records: pointed out or refused, for each is certified by itself."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import PLAIN, one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged


def warnings(said: list[str]) -> list[str]:
    """What was said about earlier releases."""
    return [message for message in said if "have been released before" in message]


def test_earlier_releases_of_the_same_records_are_pointed_out(clinic: Connection) -> None:
    said = overhear(clinic)
    publish(clinic)
    assert warnings(said) == []
    clinic.execute("INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')")
    publish(clinic)
    (warning,) = warnings(said)
    assert "clinic.patient" in warning
    assert "1 (published)" in warning
    assert "in one only" in warning
    # Under another view name, from another dataset, after a withdrawal: it is the same records.
    clinic.execute("SELECT bkpriv.withdraw(2, 'for the test')")
    clinic.execute("SELECT bkpriv.register_dataset('again', 'clinic.patient', '{age}', 'disease')")
    said.clear()
    publish(clinic, "again", view="public.again")
    (warning,) = warnings(said)
    assert "1 (superseded), 2 (withdrawn)" in warning


def test_many_earlier_releases_are_not_all_listed(clinic: Connection) -> None:
    for _ in range(9):
        publish(clinic)
    said = overhear(clinic)
    publish(clinic)
    (warning,) = warnings(said)
    assert "..., 2 (superseded)" in warning
    assert "9 (published)" in warning


def test_only_releases_that_are_listed_are_looked_at(clinic: Connection) -> None:
    for number in range(12):
        publish(clinic, view=f"public.view_{number}")
    clinic.execute("SET track_functions = 'all'")
    calls = "SELECT sum(calls) FROM pg_stat_xact_user_functions WHERE funcname = 'views_of'"
    with clinic.transaction():
        publish(clinic, view="public.last")
        assert 0 < one(clinic, calls) <= 9


def test_a_policy_may_refuse_another_release_of_the_same_records(clinic: Connection) -> None:
    state_policy(clinic, "once", {**PLAIN, "overlap": "refuse"})
    release = publish(clinic, policy="once")
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'once', 'public.other')",
            sqlstate="22023",
            names=["clinic.patient", f"{release} (published)"],
        )
    # Who audits by such a policy is not concerned.
    assert clinic.execute("SELECT satisfied FROM bkpriv.audit(%s)", [release]).fetchall()


def test_publishers_are_not_told_of_releases_of_others(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    db.execute(
        f'GRANT USAGE ON SCHEMA "{victim.info.user}" TO PUBLIC;'
        f'GRANT SELECT ON "{victim.info.user}".own TO PUBLIC'
    )
    attacker.execute(
        "SELECT bkpriv.register_dataset('theirs', %s, '{a}', 'b')", [f'"{victim.info.user}".own']
    )
    said = overhear(attacker)
    publish(attacker, "theirs", "p", "mine")
    assert warnings(said) == []


@pytest.mark.parametrize("choice", ["ignore", None, True, ["warn"]])
def test_overlap_has_three_choices(clinic: Connection, choice: object) -> None:
    with pytest.raises(Exception, match="overlap is") as caught:
        state_policy(clinic, "p", {**PLAIN, "overlap": choice})
    assert "certify, warn, refuse" in str(caught.value)
