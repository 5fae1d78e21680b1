"""Sequences: what releases tell together to who remembers them, by the example of the paper."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, one, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

# Riboni, Pareschi, Bettini 2012: table 1 (original data of two weeks) and table 3b (what follows
# what); what it leaves open is given to values that play no part.
EXAMS = [
    (1, "Alice", 51, 12030, "MAM-pos"), (1, "Betty", 52, 12030, "CX-neg"),
    (1, "Carol", 51, 12031, "CX-pos"), (1, "Doris", 52, 12031, "BS-neg"),
    (2, "Alice", 51, 12030, "BCM-pos"), (2, "Carol", 51, 12031, "PNE-pos"),
    (2, "Elisa", 51, 12044, "MAM-neg"), (2, "Fran", 51, 12045, "CX-neg"),
    (2, "Grace", 51, 12040, "CX-pos"),
]  # fmt: skip
FOLLOWS = [
    ("{MAM-pos}", "BCM-pos", 0.6), ("{MAM-pos}", "PNE-pos", 0.02), ("{MAM-pos}", "MAM-neg", 0.38),
    ("{CX-neg}", "BCM-pos", 0.02), ("{CX-neg}", "PNE-pos", 0.08), ("{CX-neg}", "CX-neg", 0.9),
    ("{CX-pos}", "BCM-pos", 0.02), ("{CX-pos}", "PNE-pos", 0.6), ("{CX-pos}", "CX-neg", 0.38),
    ("{BS-neg}", "BCM-pos", 0.02), ("{BS-neg}", "PNE-pos", 0.02), ("{BS-neg}", "CX-neg", 0.96),
]  # fmt: skip

USUAL = {"k_anonymity": {"k": 2}, "l_diversity": {"l": 2}, "m_invariance": {"m": 2}}
KNOWN = {"sequence": "course"}

AUDIT = "SELECT * FROM bkpriv.sequential_audit('exams', 'course', %s)"
BELIEF = (
    "SELECT sensitive, prior, posterior FROM bkpriv.revised_belief('exams', 'course', %s, %s, %s)"
)


def create_exams(db: Connection) -> None:
    """Create and register the exams of the paper, and what follows what."""
    db.execute(
        "CREATE SCHEMA clinic;"
        "CREATE TABLE clinic.exam (week int, patient text, age int, zip int, exres text);"
        "CREATE TABLE clinic.follows (history text[], next text, probability float8)"
    )
    fill(db, "clinic.exam", EXAMS)
    fill(db, "clinic.follows", FOLLOWS)
    db.execute(
        "SELECT bkpriv.register_dataset("
        "'exams', 'clinic.exam', '{zip}', 'exres', 'patient', 'week')"
    )
    db.execute(
        "SELECT bkpriv.set_sequential_knowledge('exams', 'course', 'domain', 'clinic.follows')"
    )
    state_policy(db, "usual", USUAL)


def publish_week(
    db: Connection, week: int, policy: str = "usual", method: str = "mondrian", **options: Any
) -> int:
    return int(
        one(
            db,
            "SELECT bkpriv.publish('exams', %s, 'public.exams', %s, %s, %s)",
            [policy, method, str(week), Jsonb(options)],
        )
    )


@pytest.fixture
def exams(db: Connection) -> Connection:
    """Superuser's connection to a database with the dataset of exams, nothing published."""
    create_exams(db)
    return db


@pytest.fixture(scope="module")
def weeks(shared_db: Connection) -> Connection:
    """The same with both weeks published as in table 1, as releases 1 and 2."""
    create_exams(shared_db)
    assert [publish_week(shared_db, week) for week in (1, 2)] == [1, 2]
    return shared_db


def belief(db: Connection, who: str, week: str | None, estimator: str = "omega") -> dict[str, Any]:
    rows = db.execute(BELIEF, [who, week, estimator]).fetchall()
    return {value: (prior, posterior) for value, prior, posterior in rows}


# --- the running example --------------------------------------------------------------------------


@pytest.mark.always
def test_the_two_releases_are_those_of_the_paper(weeks: Connection) -> None:
    groups: dict[tuple[int, int], set[str]] = {}
    for release, name, group in weeks.execute(
        "SELECT release, u.* FROM bkpriv.release_respondent, unnest(respondents, group_ids) AS u"
    ).fetchall():
        groups.setdefault((release, group), set()).add(name)
    assert sorted(map(sorted, groups.values())) == [
        ["Alice", "Betty"], ["Alice", "Carol"], ["Carol", "Doris"], ["Elisa", "Fran", "Grace"],
    ]  # fmt: skip
    for release in (1, 2):
        audited = weeks.execute(
            "SELECT * FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL", [release]
        ).fetchall()
        assert {row[0]: row[6] for row in audited} == dict.fromkeys(USUAL, True)


@pytest.mark.parametrize(
    ("estimator", "alice", "tolerance"), [("additive", 0.8986, 5e-5), ("exact", 0.9897, 5e-5)]
)
def test_what_the_paper_says_of_alice_and_carol(
    weeks: Connection, estimator: str, alice: float, tolerance: float
) -> None:
    first = belief(weeks, "Alice", "1", estimator)
    assert first["MAM-pos"][1] == first["CX-neg"][1] == pytest.approx(0.5)
    of_alice = belief(weeks, "Alice", "2", estimator)
    assert of_alice["BCM-pos"] == (
        pytest.approx(0.31, abs=1e-6),
        pytest.approx(alice, abs=tolerance),
    )
    assert of_alice["PNE-pos"][0] == pytest.approx(0.05, abs=1e-6)
    of_carol = belief(weeks, "Carol", "02", estimator)
    assert of_carol["BCM-pos"][0] == pytest.approx(0.02, abs=1e-6)
    assert of_carol["PNE-pos"] == (
        pytest.approx(0.31, abs=1e-6),
        pytest.approx(alice, abs=tolerance),
    )


def test_the_audit_tells_what_the_usual_release_gives_away(weeks: Connection) -> None:
    audited = weeks.execute(AUDIT, ["additive"]).fetchall()
    assert [row[:3] for row in audited] == [(1, "1", 4), (2, "2", 5)]
    assert audited[0][3:6] == (pytest.approx(0), pytest.approx(0.5), pytest.approx(0.5))
    # Alice and Carol are known by 0.8986, of what is 1/2 by counting; the others by a third.
    gain, confidence, worst = audited[1][3:6]
    assert worst == pytest.approx(0.62 / 0.69)
    assert gain == pytest.approx(2 * (0.62 / 0.69 - 0.5) / 0.5 / 5)
    assert confidence == pytest.approx((2 * 0.62 / 0.69 + 3 / 3) / 5)
    assert [row[6] for row in audited] == [0, 2]
    assert {row[9] for row in audited} == {"superseded", "published"}
    # Who remembers nothing gains nothing.
    alone = weeks.execute("SELECT gain FROM bkpriv.sequential_audit('exams', NULL)").fetchall()
    assert alone == [(pytest.approx(0),), (pytest.approx(0),)]


def test_measures_of_a_release_know_who_remembers(weeks: Connection) -> None:
    rows = weeks.execute(
        "SELECT sensitive, prior, posterior FROM bkpriv.posterior(2, %s, 'additive')",
        [Jsonb(KNOWN)],
    ).fetchall()
    assert ("BCM-pos", pytest.approx(0.31, abs=1e-6), pytest.approx(0.62 / 0.69)) in rows
    told = "SELECT max(disclosure) FROM bkpriv.disclosure(%s, %s)"
    assert one(weeks, told, [1, Jsonb(KNOWN)]) == one(
        weeks, told, [1, Jsonb({"kernel": "uniform"})]
    )
    assert one(weeks, told, [2, Jsonb(KNOWN)]) > 0.2
    (row,) = weeks.execute(
        "SELECT * FROM bkpriv.audit(2, %s)",
        [Jsonb({"bt_privacy": {"bandwidth": KNOWN, "t": 0.2}})],
    ).fetchall()
    assert row[6] is False
    assert row[3] == one(weeks, told, [2, Jsonb(KNOWN)])
    worst = weeks.execute(
        "SELECT sensitive FROM bkpriv.explain_disclosure(2, %s) LIMIT 1", [Jsonb(KNOWN)]
    ).fetchall()
    assert worst in ([("BCM-pos",)], [("PNE-pos",)])


# --- the same data, published against who remembers -----------------------------------------------

CAUTIOUS = {"k_anonymity": {"k": 2}, "js_divergence": {"j": 0.29, "bandwidth": KNOWN}}


def stored(db: Connection) -> list[tuple[Any, ...]]:
    return db.execute(
        "SELECT release, knowledge, probabilities FROM bkpriv.release_belief ORDER BY release"
    ).fetchall()


@pytest.mark.parametrize("method", ["mondrian", "js_reduce"])
def test_a_policy_against_who_remembers_does_not_give_alice_away(
    exams: Connection, method: str
) -> None:
    state_policy(exams, "cautious", CAUTIOUS)
    for week in (1, 2):
        publish_week(exams, week, "cautious", method)
    beliefs = belief(exams, "Alice", "2", "exact")
    assert beliefs["BCM-pos"][1] < 0.5
    audited = exams.execute("SELECT * FROM bkpriv.audit(2) WHERE threshold IS NOT NULL").fetchall()
    assert {row[0]: row[6] for row in audited} == dict.fromkeys(CAUTIOUS, True)
    # Memory was inferred, and that is said wherever it matters, from the second release on.
    manners = exams.execute(
        "SELECT release, requirement, estimator FROM bkpriv.audits WHERE release <= 2 "
        "AND audit IN (SELECT min(audit) FROM bkpriv.audits GROUP BY release)"
    ).fetchall()
    assert {row for row in manners if row[2] != "exact"} == {
        (2, "js_divergence", "exact, given earlier releases by bethe")
    }
    # The certificate was made of the same beliefs.
    certified = exams.execute(
        "SELECT worst, mean FROM bkpriv.audits WHERE release = 2 ORDER BY audit, requirement DESC"
    ).fetchmany(2)
    assert [row[3:5] for row in audited] == certified


# --- what is stored -------------------------------------------------------------------------------


def test_beliefs_are_stored_as_an_audit_infers_them(exams: Connection) -> None:
    # So few people in other groups again would expose each other.
    state_policy(exams, "cautious", CAUTIOUS | {"overlap": "warn"})
    for week in (1, 2):
        publish_week(exams, week, "cautious")
    (first, second) = stored(exams)
    assert (first[:2], second[:2]) == ((1, "course"), (2, "course"))
    groups = exams.execute(
        "SELECT u.name FROM bkpriv.release_respondent, "
        "unnest(respondents, group_ids) WITH ORDINALITY AS u(name, g, place) "
        "WHERE release = 2 AND g >= 0 ORDER BY g, place"
    ).fetchall()
    expected = []
    for (who,) in groups:
        # Of each, the values of the group.
        expected += [p for _, (_, p) in belief(exams, who, "2", "bethe").items() if p > 0]
    assert [p for p in second[2] if p > 0] == pytest.approx(expected)
    # What is there is read: nothing is inferred again, and a third release adds one row.
    publish_week(exams, 2, "cautious")
    assert stored(exams)[:2] == [first, second]
    assert len(stored(exams)) == 3


def test_beliefs_that_were_not_stored_are_inferred(exams: Connection) -> None:
    publish_week(exams, 1)
    assert stored(exams) == []
    state_policy(exams, "cautious", {"js_divergence": {"j": 1.5, "bandwidth": KNOWN}})
    publish_week(exams, 2, "cautious")
    assert [row[:2] for row in stored(exams)] == [(1, "course"), (2, "course")]
    # Other knowledge of the same name is other beliefs.
    exams.execute("SELECT bkpriv.set_sequential_knowledge('exams', 'course', 'constant')")
    publish_week(exams, 2, "cautious")
    assert [row[0] for row in stored(exams)] == [1, 1, 2, 2, 3]


# --- what a policy leaves open --------------------------------------------------------------------


def test_divergence_is_of_the_only_sequential_knowledge(exams: Connection) -> None:
    state_policy(exams, "close", {"k_anonymity": {"k": 2}, "js_divergence": {"j": 1.5}})
    publish_week(exams, 1, "close")
    recorded = (
        "SELECT requirements->'js_divergence' FROM bkpriv.release ORDER BY release DESC LIMIT 1"
    )
    assert one(exams, recorded) == {"j": 1.5, "bandwidth": KNOWN}
    stated = Jsonb({"js_divergence": {"j": 1.5}})
    audit = "SELECT parameters FROM bkpriv.audit(1, %s)"
    assert one(exams, audit, [stated]) == {"j": 1.5, "bandwidth": KNOWN}
    exams.execute("SELECT bkpriv.set_sequential_knowledge('exams', 'other', 'incremental')")
    call = "SELECT bkpriv.publish('exams', 'close', 'public.exams', period => '2')"
    with unchanged(exams):
        refused(exams, call, sqlstate="22023", names=["js_divergence", "course, other"])
    for name in ("course", "other"):
        exams.execute("SELECT bkpriv.unset_sequential_knowledge('exams', %s)", [name])
    publish_week(exams, 2, "close")
    assert one(exams, recorded) == {"j": 1.5, "bandwidth": 0.3}


def test_requirements_about_respondents_need_a_column_of_them(clinic: Connection) -> None:
    for requirement in (
        {"m_invariance": {"m": 2}},
        {"bt_privacy": {"bandwidth": KNOWN, "t": 0.5}},
    ):
        state_policy(clinic, "p", {"k_anonymity": {"k": 2}} | requirement)
        call = "SELECT bkpriv.publish('patients', 'p', 'public.v')"
        refused(clinic, call, sqlstate="42703", names=[*requirement, "patients"])


def test_knowledge_that_is_not_there_is_refused(exams: Connection) -> None:
    state_policy(exams, "p", {"js_divergence": {"j": 0.2, "bandwidth": {"sequence": "nothing"}}})
    call = "SELECT bkpriv.publish('exams', 'p', 'public.v', period => '1')"
    with unchanged(exams):
        refused(exams, call, sqlstate="42704", names=['"nothing"', "course"])
    prior = "SELECT * FROM bkpriv.prior('exams', '{\"sequence\": \"course\"}', '1')"
    refused(exams, prior, sqlstate="22023", names=["respondents"])
