"""Histories as they come: people who are away, periods twice, releases that went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tests.conftest import Connection
from tests.core import sequence_oracles as oracle
from tests.db.clinic import one, rows_of, state_policy
from tests.db.months import MONTHS, months, publish_all, publish_month
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

__all__ = ["months"]

AUDIT = "SELECT * FROM bkpriv.sequential_audit('months', 'course', 'exact')"


def know(db: Connection, kind: str, source: str | None = None) -> None:
    db.execute("SELECT bkpriv.set_sequential_knowledge('months', 'course', %s, %s)", [kind, source])


def warnings_of(db: Connection) -> list[str]:
    """Collect what is warned of from now on."""
    said: list[str] = []
    db.add_notice_handler(
        lambda diagnostic: said.append(
            f"{diagnostic.severity}: {diagnostic.message_primary} / {diagnostic.message_detail}"
        )
    )
    return said


def figures(db: Connection, query: str = AUDIT) -> list[tuple[Any, ...]]:
    """Release, records, gain, confidence, worst, remembered."""
    return [(row[0], *row[2:7]) for row in db.execute(query).fetchall()]


# --- every kind of knowledge, person by person ----------------------------------------------------


def listed(db: Connection) -> oracle.Knowledge:
    found: dict[tuple[oracle.Label, ...], dict[oracle.Label, float]] = defaultdict(dict)
    for history, value, probability, _ in db.execute(
        "SELECT * FROM bkpriv.sequential_knowledge('months', 'course')"
    ).fetchall():
        found[tuple(history)][value] = probability
    return found


def believed(
    db: Connection, who: str, month: str
) -> tuple[dict[oracle.Label, float], dict[oracle.Label, float]]:
    rows = db.execute(
        "SELECT sensitive, prior, posterior "
        "FROM bkpriv.revised_belief('months', 'course', %s, %s, 'bethe')",
        [who, month],
    ).fetchall()
    return {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows}


@pytest.mark.parametrize(
    ("kind", "source"),
    [("domain", "clinic.course"), ("mined", "clinic.corpus"), ("constant", None)],
)
def test_beliefs_are_revised_as_algorithm_3_says(
    months: Connection, kind: str, source: str | None
) -> None:
    know(months, kind, source)
    publish_all(months)
    knowledge = listed(months)
    visits: dict[str, dict[str, str]] = defaultdict(dict)
    for who, month, disease in months.execute(
        "SELECT patient, month::text, disease FROM clinic.visit"
    ).fetchall():
        visits[who][month] = disease
    shown: Counter[int] = Counter()
    for who in ("p1", "p2", "p3", "p5", "p8", "p13"):
        past: list[oracle.Belief] = []
        for month in MONTHS:
            if month not in visits[who]:
                continue
            counts = Counter(v[month] for v in visits.values() if month in v)
            snapshot: oracle.Belief = {
                value: count / counts.total() for value, count in counts.items()
            }
            prior, posterior = believed(months, who, month)
            expected = oracle.revised(knowledge, past, snapshot)
            assert prior == pytest.approx(expected, abs=1e-7), (who, month, past)
            past.append(posterior)
        shown[len(past)] += 1
    assert len(shown) > 1  # Some are away at times.


def test_incremental_knowledge_is_mined_from_the_releases(months: Connection) -> None:
    know(months, "incremental")
    assert listed(months) == {}
    publish_all(months)
    people: dict[str, list[str]] = defaultdict(list)
    for who, value in months.execute(
        "SELECT patient, disease FROM clinic.visit ORDER BY patient, month"
    ).fetchall():
        people[who].append(value)
    expected = oracle.mined([*people.values()], None)
    found = listed(months)
    assert set(found) <= set(expected)
    for context, following in found.items():
        told = {value: float(share) for value, share in expected[context].items()}
        assert following == pytest.approx(told)
    # At each release, what is known is of the releases up to it.
    rows = figures(months)
    months.execute("DELETE FROM clinic.visit WHERE month > '2024-02-01'")
    assert figures(months) == rows


def test_figures_are_the_means_of_beliefs(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    publish_all(months)
    shares = months.execute(
        "SELECT r.release, u.name, v.month::text, v.disease, u.g FROM bkpriv.release r "
        "JOIN bkpriv.release_respondent USING (release), "
        "unnest(respondents, group_ids) AS u(name, g) "
        "JOIN clinic.visit v ON v.patient = u.name WHERE v.month = r.period::date AND u.g >= 0"
    ).fetchall()
    audit = "SELECT * FROM bkpriv.sequential_audit('months', 'course', 'bethe')"
    for release, records, gain, confidence, worst, remembered in figures(months, audit):
        mine = [row for row in shares if row[0] == release]
        sizes = Counter(row[4] for row in mine)
        having = Counter((row[4], row[3]) for row in mine)
        gains, sure = [], []
        for _, who, month, disease, group in mine:
            share = having[group, disease] / sizes[group]
            sure.append(believed(months, who, month)[1][disease])
            gains.append((sure[-1] - share) / (1 - share) if share < 1 else 0.0)
        assert records == len(mine)
        assert gain == pytest.approx(sum(gains) / len(mine))
        assert confidence == pytest.approx(sum(sure) / len(mine))
        assert worst == pytest.approx(max(sure))
        earlier = {row[1] for row in shares if row[0] < release}
        assert remembered == sum(row[1] in earlier for row in mine)


# --- what becomes of releases ---------------------------------------------------------------------


def test_later_releases_do_not_change_audits_of_past_ones(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    state_policy(months, "plain", {"k_anonymity": {"k": 3}})
    seen: list[tuple[Any, ...]] = []
    for month in MONTHS:
        publish_month(months, month)
        rows = figures(months)
        assert rows[:-1] == seen
        seen = rows


def test_a_withdrawn_release_is_remembered(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    publish_all(months)
    rows, beliefs = figures(months), believed(months, "p1", MONTHS[2])
    months.execute("SELECT bkpriv.withdraw(2, 'a mistake')")
    assert figures(months) == rows
    assert believed(months, "p1", MONTHS[2]) == beliefs
    states = "SELECT release, status FROM bkpriv.sequential_audit('months', 'course')"
    assert months.execute(states).fetchall()[1] == (2, "withdrawn")


def test_a_purged_release_is_left_out_and_missed(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    publish_all(months)
    rows = figures(months)
    months.execute("SELECT bkpriv.withdraw(2, 'a mistake')")
    months.execute("SELECT bkpriv.purge(2, 'the law', force => true)")
    said = warnings_of(months)
    found = figures(months)
    assert found[0] == rows[0]
    assert found[1] == (2, None, None, None, None, None)
    assert found[2] != rows[2]
    assert any("1 of 3 releases are left out" in text and "was purged" in text for text in said)
    reasons = "SELECT left_out, status FROM bkpriv.sequential_audit('months', 'course')"
    assert months.execute(reasons).fetchall()[1] == ("was purged", "purged")
    # Publishing goes on, and says so.
    said.clear()
    needs = {"bt_privacy": {"bandwidth": {"sequence": "course"}, "t": 0.9}}
    state_policy(months, "plain", {"k_anonymity": {"k": 3}} | needs)
    publish_month(months, MONTHS[2])
    assert any("left out" in text for text in said)


def test_releases_about_something_else_are_left_out(months: Connection) -> None:
    know(months, "constant")
    publish_all(months)
    for release in (1, 2, 3):
        months.execute("SELECT bkpriv.withdraw(%s, 'another question')", [release])
    months.execute(
        "SELECT bkpriv.drop_dataset('months');"
        "SELECT bkpriv.register_dataset("
        "'months', 'clinic.visit', '{age,disease}', 'zip', 'patient', 'month')"
    )
    know(months, "constant")
    publish_month(months, MONTHS[2])
    rows = months.execute(AUDIT).fetchall()
    assert [row[10] for row in rows] == ['is about "disease"'] * 3 + [None]
    assert rows[3][6] == 0


def test_a_period_published_twice_is_two_looks_at_the_same_values(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    state_policy(months, "plain", {"k_anonymity": {"k": 3}})
    state_policy(months, "coarse", {"k_anonymity": {"k": 9}})
    publish_month(months, MONTHS[0])
    first = believed(months, "p1", MONTHS[0])
    publish_month(months, MONTHS[0], "coarse")
    second = believed(months, "p1", MONTHS[0])
    # What was believed after the first look is believed before the second.
    assert second[0] == pytest.approx(first[1], abs=1e-7)
    (alone, both) = figures(months)
    assert both[5] == both[1]
    assert both[2] >= alone[2] - 1e-9


def test_releases_out_of_the_order_of_time(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    state_policy(months, "plain", {"k_anonymity": {"k": 3}})
    publish_month(months, MONTHS[2])
    alone = figures(months)
    said = warnings_of(months)
    publish_month(months, MONTHS[0])
    assert any("published after later ones" in text for text in said)
    rows = figures(months)
    assert rows[0] == alone[0]
    assert rows[1][5] == 0  # Later periods say nothing of earlier ones.


LATE = """
CREATE SCHEMA late;
CREATE TABLE late.visit (month int, who text, age int, disease text);
INSERT INTO late.visit VALUES (1, 'a', 20, 'X'), (1, 'b', 20, 'Y'), (2, 'a', 20, 'X'),
    (2, 'c', 20, 'X'), (3, 'a', 20, 'X'), (3, 'd', 20, 'Y'), (4, 'a', 20, 'X'), (4, 'e', 20, 'Y');
SELECT bkpriv.register_dataset(n, 'late.visit', '{age}', 'disease', 'who', 'month'),
    bkpriv.set_sequential_knowledge(n, 'same', 'constant') FROM unnest('{late,in_time}'::text[]) n;
SELECT bkpriv.set_policy('plain', '{"k_anonymity": {"k": 2}}'), bkpriv.set_policy('close',
    '{"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": {"sequence": "same"}, "t": %s}]}');
"""


@pytest.mark.parametrize("policy", ["plain", "close"])
def test_a_release_published_late_counts_from_then_on(db: Connection, policy: str) -> None:
    db.execute(LATE % 0.9)
    for dataset, months_of_it in (("late", (1, 3, 2)), ("in_time", (1, 2, 3))):
        for month in months_of_it:
            db.execute(
                "SELECT bkpriv.publish(%s, %s, %s, period => %s)",
                [dataset, policy, f"public.{dataset}", str(month)],
            )
    state_policy(
        db,
        "strict",
        {"k_anonymity": {"k": 2}, "bt_privacy": [{"bandwidth": {"sequence": "same"}, "t": 0.2}]},
    )
    # By the second month a has X. So who shares a group with a in the fourth is known to have Y.
    for dataset in ("late", "in_time"):
        publish = "SELECT bkpriv.publish(%s, %s, %s, period => '4')"
        view = f"public.{dataset}"
        refused(db, publish, [dataset, "strict", view], sqlstate="22023", names=["bt_privacy"])
        db.execute(publish, [dataset, "plain", view])
        audit = db.execute(
            "SELECT period, confidence FROM bkpriv.sequential_audit(%s, 'same', 'exact')", [dataset]
        )
        assert dict(audit.fetchall()) == pytest.approx(
            # What was believed of the third as it appeared stays.
            {"1": 0.5, "2": 1.0, "3": 0.5 if dataset == "late" else 1.0, "4": 1.0}
        )


def test_periods_that_cannot_be_compared_are_refused(db: Connection) -> None:
    db.execute(LATE % 0.9)
    publish = "SELECT bkpriv.publish('late', 'plain', 'public.late', period => %s)"
    db.execute(publish, ["1"])
    db.execute("ALTER TABLE late.visit ALTER month TYPE bigint")
    db.execute(publish, ["2"])
    db.execute("ALTER TABLE late.visit ALTER month TYPE text")
    said = refused(
        db, publish, ["3"], sqlstate="42804", names=["type text", "release 1", "integer"]
    )
    assert "as integer" in (said.message_hint or "")


def test_a_dataset_without_periods_is_a_sequence_of_its_publications(months: Connection) -> None:
    months.execute(
        "CREATE TABLE clinic.latest AS SELECT * FROM clinic.visit WHERE month = '2024-01-01';"
        "SELECT bkpriv.register_dataset('latest', 'clinic.latest', '{age,zip}', 'disease', "
        "'patient');"
        "SELECT bkpriv.set_sequential_knowledge('latest', 'same', 'constant');"
    )
    state_policy(months, "plain", {"k_anonymity": {"k": 3}})
    for _ in range(2):
        months.execute("SELECT bkpriv.publish('latest', 'plain', 'public.latest')")
    rows = months.execute("SELECT * FROM bkpriv.sequential_audit('latest', 'same')").fetchall()
    assert [row[1] for row in rows] == [None, None]
    assert [row[6] for row in rows] == [0, rows[0][2]]
    beliefs = "SELECT release FROM bkpriv.revised_belief('latest', 'same', 'p1', NULL) LIMIT 1"
    assert one(months, beliefs) == 2


# --- who may ask, and what ------------------------------------------------------------------------


def test_only_owners_and_auditors_ask(
    months: Connection, make_publisher: Callable[..., Connection]
) -> None:
    know(months, "domain", "clinic.course")
    publish_all(months)
    other, auditor = make_publisher("other"), make_publisher("auditor")
    months.execute("SELECT bkpriv.grant_auditor(%s)", [auditor.info.user])
    for call in (
        "sequential_audit('months', 'course')",
        "revised_belief('months', 'course', 'p1', '2024-01-01')",
    ):
        statement = f"SELECT * FROM bkpriv.{call}"
        refused(other, statement, sqlstate="42704", names=["months"])
        assert auditor.execute(statement).fetchall() == months.execute(statement).fetchall()
    assert rows_of(other, "bkpriv.release_belief") == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        other.execute("INSERT INTO bkpriv.release_belief VALUES (1, repeat('0', 64), 'x', '{1}')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        auditor.execute("INSERT INTO bkpriv.release_belief VALUES (1, repeat('0', 64), 'x', '{1}')")


@pytest.mark.parametrize(
    ("call", "sqlstate", "names"),
    [
        ("sequential_audit('months', 'x')", "42704", ["months", '"x"', "course"]),
        ("sequential_audit('x', 'course')", "42704", ['"x"']),
        ("sequential_audit('months', 'course', 'guess')", "22023", ["estimator"]),
        ("sequential_audit('months', 'course', bandwidth => '-1')", "22023", ["-1"]),
        (
            "sequential_audit('months', 'course', bandwidth => '{\"sequence\": \"course\"}')",
            "22023",
            ["course"],
        ),
        ("revised_belief('months', 'course', 'p99', '2024-01-01')", "42704", ["p99", "No release"]),
        ("revised_belief('months', 'course', 'p5', '2024-01-01')", "42704", ["p5", "2024-02-01"]),
        ("revised_belief('months', 'course', 'p1', '2025-01-01')", "42704", ["p1", "2024-03-01"]),
        ("revised_belief('months', 'course', 'p1', 'soon')", "22023", ["soon", "months"]),
        ("revised_belief('months', 'course', '', '2024-01-01')", "22023", ["respondent"]),
    ],
)
def test_what_cannot_be_answered(
    months: Connection, call: str, sqlstate: str, names: list[str]
) -> None:
    know(months, "domain", "clinic.course")
    publish_all(months)
    with unchanged(months):
        refused(months, f"SELECT * FROM bkpriv.{call}", sqlstate=sqlstate, names=names)


def test_before_anything_is_published_nothing_is_known(months: Connection) -> None:
    know(months, "constant")
    assert months.execute(AUDIT).fetchall() == []
    call = "SELECT * FROM bkpriv.revised_belief('months', 'course', 'p1', '2024-01-01')"
    refused(months, call, sqlstate="42704", names=["p1"])


def test_histories_that_do_not_fit_in_memory_are_refused_before_they_are_read(
    months: Connection,
) -> None:
    know(months, "constant")
    publish_all(months)
    call = "SELECT * FROM bkpriv.sequential_audit('months', 'course')"
    records = sum(row[2] for row in months.execute(call).fetchall())
    months.execute(
        "DO LANGUAGE plpython3u $$ from bkpriv_pl.past import chain; "
        "GD['kept'] = chain._COUNTS, chain.find_release; "
        "chain._COUNTS, chain.find_release = 100, None $$"
    )
    try:
        names = ["3 releases (1, 2, 3)", "at most 100"]
        said = refused(months, call, sqlstate="54000", names=names)
    finally:
        months.execute(
            "DO LANGUAGE plpython3u $$ from bkpriv_pl.past import chain; "
            "chain._COUNTS, chain.find_release = GD.pop('kept') $$"
        )
    assert str(3 * records) in (said.message_detail or "")


def test_beliefs_are_purged_with_their_release(months: Connection) -> None:
    know(months, "domain", "clinic.course")
    needs = {"bt_privacy": {"bandwidth": {"sequence": "course"}, "t": 0.9}}
    state_policy(months, "plain", {"k_anonymity": {"k": 3}} | needs)
    for month in MONTHS[:2]:
        publish_month(months, month)
    months.execute("SELECT bkpriv.withdraw(1, 'x'); SELECT bkpriv.purge(1, 'x', force => true)")
    assert [row[0] for row in rows_of(months, "bkpriv.release_belief")] == [2]
