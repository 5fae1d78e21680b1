"""Notices of a publication: kept in order, for roles that may see the release; the last sums up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import (
    CLOSING,
    declare_hopeless,
    declare_people,
    fill,
    one,
    publish,
    state_policy,
)

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

Heard = list[tuple[str | None, ...]]

KEPT = "SELECT severity, message, detail, hint FROM bkpriv.release_notice WHERE release = %s"


def listen(connection: Connection) -> Heard:
    """Collect all that is told from now on."""
    heard: Heard = []
    connection.add_notice_handler(
        lambda it: heard.append(
            (it.severity_nonlocalized, it.message_primary, it.message_detail, it.message_hint)
        )
    )
    return heard


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("mondrian", {}),
        ("agglomerate", {}),
        ("incognito", {"suppression": 0.3}),
        ("bucketize", {}),
        ("anatomy", {}),
        ("js_reduce", {"unfit": "relax"}),
        ("js_reduce", {"unfit": "counterfeit"}),
        ("mondrian", {"materialized": True, "ranges": "bounds"}),
        ("randomize", {"scheme": "rr-both"}),
    ],
    ids=str,
)
def test_all_that_a_publication_tells_is_kept_in_its_order(
    clinic: Connection, method: str, options: dict[str, Any]
) -> None:
    fill(clinic, "clinic.patient", [(95, "f", "Aln", "ulcer"), (99, "m", "Dunn", "asthma")])
    stated: dict[str, Any] = {
        "js_reduce": {"k_anonymity": {"k": 6}, "js_divergence": {"j": 0.02, "bandwidth": 0.25}},
        "randomize": {"max_disclosure": {"tau": 0.5}},
    }
    state_policy(clinic, "stated", stated.get(method, {"l_diversity": {"l": 3}}))
    heard = listen(clinic)
    for _ in range(2):
        heard.clear()
        release = publish(clinic, "patients", "stated", "public.v", options, method)
        assert clinic.execute(f"{KEPT} ORDER BY place", [release]).fetchall() == heard
        closing = [bool(CLOSING.match(message or "")) for _, message, *_ in heard]
        assert closing == [False] * (len(heard) - 1) + [True]
    # The second was of records that had been released.
    assert any(severity == "WARNING" for severity, *_ in heard)
    assert one(clinic, "SELECT bool_and(at = r.created_at) FROM bkpriv.release_notice "
               "JOIN bkpriv.release AS r USING (release)")  # fmt: skip


def test_so_it_is_of_periods_growth_and_persons(clinic: Connection) -> None:
    declare_people(clinic)
    heard = listen(clinic)
    for options in ({}, {"grow": True}):
        heard.clear()
        release = publish(clinic, "people", view="public.people", options=options)
        assert clinic.execute(f"{KEPT} ORDER BY place", [release]).fetchall() == heard
    assert len(heard) > 1


def test_the_closing_notice_sums_up_what_was_given_away(clinic: Connection) -> None:
    fill(clinic, "clinic.patient", [(95, "f", "Aln", "ulcer"), (99, "m", "Dunn", "asthma")])
    bounds = [{"bandwidth": 0.3, "t": 0.2}, {"bandwidth": {"kernel": "uniform"}, "t": 0.3}]
    state_policy(
        clinic, "stated", {"k_anonymity": {"k": 4}, "bt_privacy": bounds, "l_diversity": {"l": 2}}
    )
    release = publish(clinic, policy="stated")
    ((message, detail),) = clinic.execute(
        "SELECT message, detail FROM bkpriv.release_notice WHERE release = %s "
        "ORDER BY place DESC LIMIT 1",
        [release],
    ).fetchall()
    ((records, suppressed, groups),) = clinic.execute(
        "SELECT records, suppressed, groups FROM bkpriv.releases WHERE release = %s", [release]
    ).fetchall()
    assert message.startswith(f"release {release}: satisfied")
    assert (f"{suppressed} of {records} records are not published" in message) == (suppressed > 0)
    gcp = one(clinic, "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'", [release])
    of, first, units, *lines = (line for line in detail.splitlines() if "becomes sure" not in line)
    assert of == f"Published are {records - suppressed} of {records} records in {groups} groups."
    assert first.startswith(f"Detail lost: {100 * gcp:.3g} % (gcp); bkpriv.utility({release})")
    # 95 and 99 lie beyond the scale, from 20 to 69.
    assert units == "B = 0.3 (age: 14.7)."
    audited = clinic.execute(
        "SELECT requirement, worst, threshold FROM bkpriv.audit_record WHERE release = %s "
        "ORDER BY audit, place",
        [release],
    ).fetchall()
    assert len(lines) == len(audited) == 4
    for line, (requirement, worst, threshold) in zip(lines, audited, strict=True):
        assert line.startswith(requirement)
        assert line.endswith(f": worst {worst:.6g}, bound {threshold:g}.")
    assert any('bt_privacy (bandwidth = {"kernel": "uniform"}, t = 0.3' in line for line in lines)


def test_bounds_that_are_broken_and_columns_that_are_lost_are_named(db: Connection) -> None:
    declare_hopeless(db)
    state_policy(db, "close", {"k_anonymity": {"k": 2}, "js_divergence": {"j": 0.01}})
    release = publish(db, "people", "close", "public.shown", {"unfit": "relax"}, "js_reduce")
    last = "SELECT detail FROM bkpriv.release_notice ORDER BY release DESC, place DESC LIMIT 1"
    broken = one(db, "SELECT max(vulnerable) FROM bkpriv.audits WHERE release = %s", [release])
    assert broken
    assert any(line.endswith(f" (broken for {broken}).") for line in one(db, last).splitlines())
    db.execute(
        "CREATE TABLE stay (age int, label text, disease text); INSERT INTO stay "
        "SELECT i % 8, 'x' || i, (i % 2)::text FROM generate_series(1, 64) AS i;"
        "SELECT bkpriv.register_dataset('stay', 'stay', '{age,label}', 'disease')"
    )
    state_policy(db, "p", {"k_anonymity": {"k": 3}})
    publish(db, "stay", "p", "public.other")
    said = one(db, last.replace("detail", "message"))
    assert "hardly anything is left of label" in said


def test_what_a_call_within_a_publication_tells_is_not_its_own(db: Connection) -> None:
    db.execute(
        "CREATE TABLE stay (age int, note int, disease text); INSERT INTO stay "
        "SELECT i % 8, i, CASE i % 2 WHEN 0 THEN 'flu' ELSE 'gout' END "
        "FROM generate_series(1, 64) AS i;"
        "SELECT bkpriv.register_dataset('stay', 'stay', '{age}', 'disease');"
        "CREATE FUNCTION told() RETURNS int LANGUAGE sql AS "
        "$$ SELECT 2 - bkpriv.recount(1)::int $$;"
        "CREATE VIEW upon AS SELECT age, disease FROM stay, (SELECT told() OFFSET 0) AS t(told) "
        "WHERE told > 0;"
    )
    state_policy(db, "p", {"k_anonymity": {"k": 3}})
    publish(db, "stay", "p", "public.shown")
    db.execute("SELECT bkpriv.register_dataset('upon', 'upon', '{age}', 'disease')")
    db.execute("INSERT INTO stay VALUES (1, 1, 'flu')")
    heard = listen(db)
    release = publish(db, "upon", "p", "public.upper")
    within = [each for each in heard if "source of release 1" in (each[1] or "")]
    assert within
    own = [each for each in heard if each not in within]
    assert db.execute(f"{KEPT} ORDER BY place", [release]).fetchall() == own


def test_notices_are_for_those_who_may_see_the_release(
    rivals: tuple[Connection, Connection], make_role: Callable[..., str], db: Connection
) -> None:
    victim, attacker = rivals
    assert victim.execute(KEPT, [1]).fetchall()
    assert attacker.execute(KEPT, [1]).fetchall() == []
    auditor = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [auditor])
    with db.transaction(force_rollback=True):
        db.execute(f'SET ROLE "{auditor}"')
        assert db.execute(KEPT, [1]).fetchall()
