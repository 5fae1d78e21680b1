"""Several releases of the same records: pointed out or refused, for each is certified by itself."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import PLAIN, one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]


def warnings(said: list[str]) -> list[str]:
    """Warnings about earlier releases."""
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
    assert "before: 2 (superseded), " in warning
    assert "9 (published), and earlier ones" in warning


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
        said = refused(
            clinic,
            "SELECT bkpriv.publish('patients', 'once', 'public.other')",
            sqlstate="22023",
            names=["clinic.patient", f"{release} (published)"],
        )
    hint = said.message_hint or ""
    assert hint.startswith('The policy refuses it ({"overlap": "refuse"}). State one with')
    assert "certify" not in hint  # Nobody knows whom its records are about.
    # What the hint says works.
    state_policy(clinic, "again", {**PLAIN, "overlap": "warn"})
    publish(clinic, policy="again", view="public.other")
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


# --- Respondents by another column ----------------------------------------------------------------


@pytest.fixture
def renamed(db: Connection) -> Connection:
    """Release 1 names people by their ids; since then their dataset does by their beds."""
    db.execute(
        "CREATE TABLE stay (id text, bed text, age int, disease text);"
        "INSERT INTO stay SELECT i, 13 - i, 20 + i, (ARRAY['flu', 'HIV', 'ulcer'])[1 + i % 3] "
        "FROM generate_series(1, 12) AS i;"
        "SELECT bkpriv.register_dataset('stays', 'stay', '{age}', 'disease', 'id')"
    )
    state_policy(db, "plain", {"k_anonymity": {"k": 3}, "max_disclosure": {"tau": 0.7}})
    assert publish(db, "stays", view="public.stays") == 1
    db.execute(
        "SELECT bkpriv.withdraw(1, 'for the test'); SELECT bkpriv.drop_dataset('stays');"
        "SELECT bkpriv.register_dataset('stays', 'stay', '{age}', 'disease', 'bed')"
    )
    return db


BY = 'names respondents by column "id"'


def test_names_of_another_column_are_not_taken_for_the_same(renamed: Connection) -> None:
    assert one(renamed, "SELECT respondent_column FROM bkpriv.release") == "id"
    said = overhear(renamed)
    hints: list[str] = []
    renamed.add_notice_handler(lambda notice: hints.append(notice.message_hint or ""))
    assert publish(renamed, "stays", view="public.stays") == 2
    (warning,) = [message for message in said if "are not judged together" in message]
    assert f"Release 1 {BY}" in warning
    # What measures releases together would refuse these.
    assert not any("audit_together" in hint for hint in hints)
    assert any(hint.startswith("Give them to different readers") for hint in hints)
    assert one(renamed, "SELECT count(*) FROM bkpriv.audits WHERE parameters ? 'together'") == 0
    # The same column again, after that.
    said.clear()
    assert publish(renamed, "stays", view="public.stays") == 3
    assert one(
        renamed,
        "SELECT DISTINCT parameters -> 'together' FROM bkpriv.audits WHERE parameters ? 'together'",
    ) == [2, 3]
    assert any(f"Release 1 {BY}" in message for message in said)


def test_who_asks_of_them_is_told(renamed: Connection) -> None:
    publish(renamed, "stays", view="public.stays")
    for function in ("audit_together", "explain_together"):
        names = [f"release 1 {BY}", 'release 2 by column "bed"']
        call = f"SELECT * FROM bkpriv.{function}('{{1,2}}')"
        refused(renamed, call, sqlstate="55000", names=names)
    said = overhear(renamed)
    rows = renamed.execute(
        """SELECT DISTINCT releases FROM bkpriv.audit_readers('stays', '{"press": [1, 2]}')"""
    ).fetchall()
    assert rows == [([2],)]
    assert [message for message in said if f"release 1 {BY}" in message]


def test_groups_named_by_another_column_do_not_grow(renamed: Connection) -> None:
    grow = "SELECT bkpriv.publish('stays', 'plain', 'stays', options => '{\"grow\": true}')"
    with unchanged(renamed):
        refused(renamed, grow, sqlstate="55000", names=["release 1 ", '"id"', '"bed"'])


def test_a_policy_that_refuses_refuses_these_too(renamed: Connection) -> None:
    state_policy(renamed, "once", {**PLAIN, "overlap": "refuse"})
    with unchanged(renamed):
        call = "SELECT bkpriv.publish('stays', 'once', 'stays')"
        said = refused(renamed, call, sqlstate="22023", names=["1 (withdrawn)"])
    assert '{"overlap": "certify"}' in (said.message_hint or "")
