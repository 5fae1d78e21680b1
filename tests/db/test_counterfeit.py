"""Counterfeits: what is shown and what is so, each where it belongs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, rows_of, state_policy
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

WARD = """
CREATE SCHEMA ward;
CREATE TABLE ward.visit (patient text, week int, age int, disease text);
INSERT INTO ward.visit
SELECT 'p' || i, w, 20 + i, CASE WHEN w = 1 OR i % 2 = 0 THEN d ELSE 'c' END
FROM unnest('{a,b,a,a,a,c,d}'::text[]) WITH ORDINALITY AS x(d, i), generate_series(1, 2) AS w;
SELECT bkpriv.register_dataset('ward', 'ward.visit', '{age}', 'disease', 'patient', 'week');
SELECT bkpriv.set_sequential_knowledge('ward', 'same', 'constant');
"""

ALIKE = {"js_divergence": {"j": 1.5, "bandwidth": {"sequence": "same"}}}

POLICY = {"m_invariance": {"m": 2}, **ALIKE}

FALSE = ("false_cells", "false_codes", "false_counts")


def publish_week(db: Connection, week: int, policy: str = "varied") -> int:
    """Publish a week of the ward."""
    return int(
        one(
            db,
            "SELECT bkpriv.publish('ward', %s, 'public.ward', 'js_reduce', %s, %s)",
            [policy, str(week), Jsonb({"seed": 1, "unfit": "counterfeit"})],
        )
    )


@pytest.fixture
def ward(db: Connection) -> Connection:
    """Superuser's connection to a database with a ward, two of whose records must be changed."""
    db.execute(WARD)
    state_policy(db, "varied", POLICY)
    state_policy(db, "alike", {"k_anonymity": {"k": 2}, **ALIKE})
    return db


def values_of(rows: list[tuple[Any, ...]]) -> Counter[str]:
    """Frequency of each value in the first column."""
    return Counter(str(row[0]) for row in rows)


def test_the_view_shows_them_and_the_history_keeps_both(ward: Connection) -> None:
    heard: list[tuple[str, str, str]] = []
    ward.add_notice_handler(
        lambda said: heard.append(
            (said.message_primary or "", said.message_detail or "", said.message_hint or "")
        )
    )
    assert publish_week(ward, 1) == 1
    (said,) = (texts for texts in heard if "another sensitive value" in texts[0])
    assert "shows 2 of 7 records" in said[0]
    assert "counterfeit" in said[2]
    assert not any("leaves out" in texts[0] for texts in heard)
    shown = values_of(ward.execute("SELECT disease FROM public.ward").fetchall())
    assert sorted(shown.values()) == [1, 2, 2, 2]
    assert shown["a"] == 2
    figures = "SELECT records, suppressed, counterfeited FROM bkpriv.releases"
    assert ward.execute(figures).fetchall() == [(7, 0, 2)]
    # Nothing in the view tells of it: its columns are those of the source.
    columns = "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute WHERE attrelid = "
    assert one(ward, f"{columns} 'public.ward'::regclass AND attnum > 0") == ["age", "disease"]
    labels = one(ward, "SELECT labels FROM bkpriv.release_attribute WHERE place = 1")
    true, false = Counter[str](), Counter[str]()
    row = ward.execute(
        "SELECT sensitive_codes, counts, false_cells, false_codes, false_counts, group_ids "
        "FROM bkpriv.release_content"
    ).fetchone()
    assert row is not None
    for code, count in zip(row[0], row[1], strict=True):
        true[labels[code]] += count
    for code, count in zip(row[3], row[4], strict=True):
        false[labels[code]] += count
    assert true == {"a": 4, "b": 1, "c": 1, "d": 1}
    assert {label: true[label] + false[label] for label in true} == shown
    about = ward.execute(
        "SELECT unnest(respondents), unnest(sensitive_codes) FROM bkpriv.release_respondent"
    ).fetchall()
    assert {name: labels[code] for name, code in about} == dict(
        ward.execute("SELECT patient, disease FROM ward.visit WHERE week = 1").fetchall()
    )


def test_what_is_measured_is_what_is_shown_and_what_is_so(ward: Connection) -> None:
    release = publish_week(ward, 1)
    audit = ward.execute("SELECT requirement, satisfied FROM bkpriv.audit(%s)", [release])
    assert dict(audit.fetchall()) == {"m_invariance": True, "js_divergence": True}
    # A reader of the view counts two with a; there are four.
    counts = ward.execute(
        "SELECT actual, estimate FROM bkpriv.query_accuracy(%s, "
        "'SELECT count(*) FROM ward WHERE disease = ''a''')",
        [release],
    ).fetchall()
    assert counts == [(4, pytest.approx(2))]
    groups = ward.execute(
        "SELECT group_id, sensitive, sum(posterior) FROM bkpriv.posterior(%s, "
        '\'{"kernel": "uniform"}\') GROUP BY 1, 2 HAVING sum(posterior) > 1e-9',
        [release],
    ).fetchall()
    shown = values_of(ward.execute("SELECT disease FROM public.ward").fetchall())
    assert Counter(value for _, value, _ in groups) == shown
    assert all(total == pytest.approx(1) for _, _, total in groups)
    utility: dict[str, float] = dict(
        ward.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    assert utility["suppressed_share"] == 0
    assert one(ward, "SELECT count(*) FROM bkpriv.explain_suppressed(%s)", [release]) == 0
    assert ward.execute("SELECT * FROM bkpriv.max_disclosure(%s, 1)", [release]).fetchall()


def test_who_remembers_goes_by_what_was_shown_and_is_held_to_the_truth(ward: Connection) -> None:
    first = publish_week(ward, 1)
    second = publish_week(ward, 2, "alike")
    labels = one(
        ward, "SELECT labels FROM bkpriv.release_attribute WHERE release = 1 AND place = 1"
    )
    (respondents, groups, codes) = ward.execute(
        "SELECT respondents, group_ids, sensitive_codes FROM bkpriv.release_respondent "
        "WHERE release = %s",
        [first],
    ).fetchall()[0]
    shown = ward.execute(
        "SELECT group_id, array_agg(DISTINCT sensitive) FROM bkpriv.posterior(%s, "
        '\'{"kernel": "uniform"}\') WHERE posterior > 1e-9 GROUP BY 1',
        [first],
    )
    values: dict[int, list[str]] = dict(shown.fetchall())
    gains, believed = [], []
    for name, group, code in zip(respondents, groups, codes, strict=True):
        belief: dict[str, float] = dict(
            ward.execute(
                "SELECT sensitive, posterior FROM bkpriv.revised_belief("
                "'ward', 'same', %s, '1', 'exact', bandwidth => '0.6')",
                [name],
            ).fetchall()
        )
        true, held = labels[code], values[group]
        assert sum(belief[value] for value in held) == pytest.approx(1)
        share = (true in held) / len(held)
        believed.append(belief[true])
        gains.append((belief[true] - share) / (1 - share))
    assert max(believed) - min(believed) > 0.1
    audited = ward.execute(
        "SELECT gain, confidence, worst FROM bkpriv.sequential_audit("
        "'ward', 'same', 'exact', bandwidth => '0.6') WHERE release = %s",
        [first],
    ).fetchall()
    assert audited == [
        (
            pytest.approx(sum(gains) / 7, abs=1e-6),
            pytest.approx(sum(believed) / 7),
            pytest.approx(max(believed)),
        )
    ]
    # What the publication stored is what is inferred from the history.
    stored = rows_of(ward, "bkpriv.release_belief")
    assert {row[0] for row in stored} == {first, second}
    ward.execute("ALTER TABLE bkpriv.release_belief DISABLE TRIGGER USER")
    ward.execute("DELETE FROM bkpriv.release_belief")
    ward.execute("ALTER TABLE bkpriv.release_belief ENABLE TRIGGER USER")
    publish_week(ward, 2, "alike")
    again = {row[0]: row[3] for row in rows_of(ward, "bkpriv.release_belief")}
    for row in stored:
        assert again[row[0]] == pytest.approx(row[3])


def test_it_is_for_js_reduce_alone(ward: Connection) -> None:
    call = "SELECT bkpriv.publish('ward', 'varied', 'public.ward', %s, '1', %s)"
    option = Jsonb({"unfit": "counterfeit"})
    for method in ("mondrian", "anatomy"):
        refused(ward, call, [method, option], sqlstate="22023", names=["unfit"])
