"""Verdicts in SQL: the same in notice, audit, ``releases`` and report, and what each case is."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import create_clinic, declare_clinic, one, publish, state_policy
from tests.db.refusal import refused
from tests.db.test_report import page_of, words_of

pytestmark = pytest.mark.rolled_back

DRAW = """
CREATE FUNCTION pg_temp.lot(key text, below int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || substr(md5(key), 1, 7))::bit(28)::int % below $$;
"""

BT = {"k_anonymity": {"k": 3}, "bt_privacy": {"bandwidth": 0.3, "t": 0.1}}


def verdict(db: Connection, release: int) -> dict[str, tuple[int | None, int | None]]:
    """Matters of a verdict by their keys, each with its count, and of how many."""
    whole, *each = db.execute("SELECT * FROM bkpriv.verdict(%s)", [release]).fetchall()
    state, sentence, number, *_ = whole
    assert number == len(each)
    assert state == one(db, "SELECT verdict FROM bkpriv.releases WHERE release = %s", [release])
    found: dict[str, tuple[int | None, int | None]] = {}
    for kind, what, count, of, advice in each:
        key, text = what.split(": ", 1)
        assert (kind == "violated") or text in sentence
        assert advice
        found.setdefault(key, (count, of))
    assert (state == "satisfied") == (not each)
    return found


def made(db: Connection, table: str, columns: str, quasi: str, sensitive: str, **more: Any) -> None:
    """Make a table of drawn rows, and register it under its own name."""
    db.execute(DRAW)
    db.execute(f"CREATE TABLE {table} AS {columns}".encode())
    names = "".join(f", {key} => %s" for key in more)
    db.execute(
        f"SELECT bkpriv.register_dataset(%s, %s::regclass, %s::text[], %s::text[]{names})".encode(),
        [table, table, quasi, sensitive, *more.values()],
    )
    state_policy(db, "bt", BT)


def groups(db: Connection, view: str, by: str, sensitive: str) -> dict[Any, list[str]]:
    """Sensitive values of each group of rows that look alike."""
    found = defaultdict(list)
    for *box, value in db.execute(f"SELECT {by}, {sensitive} FROM {view}".encode()).fetchall():
        found[tuple(map(str, box))].append(value)
    return found


WIDE = [
    # What the columns are, and how many people and values there are: each tells everybody apart.
    "pg_temp.lot('q' || n || '/' || i, 3)",
    "pg_temp.lot('a' || n || '/' || i, 10)",
    "chr(97 + pg_temp.lot('b' || n || '/' || i, 5))",
    "pg_temp.lot('c' || n || '/' || i, 4) * 0.5",
]


@pytest.mark.parametrize("column", WIDE)
def test_a_bound_that_says_nothing_is_to_be_judged(db: Connection, column: str) -> None:
    columns = ", ".join(f"{column.replace('n ||', f'{n} ||')} AS q{n}" for n in range(12))
    listed = ",".join(f"q{n}" for n in range(12))
    made(
        db,
        "survey",
        f"SELECT {columns}, (ARRAY['none', 'grief', 'drink'])[1 + pg_temp.lot('s' || i, 3)] AS ill "
        "FROM generate_series(1, 200) AS i",
        f"{{{listed}}}",
        "{ill}",
    )
    release = publish(db, "survey", "bt", "public.shown")
    found = verdict(db, release)
    assert found["known"] == (200, 200)
    text = one(db, "SELECT what FROM bkpriv.verdict(%s) OFFSET 1 LIMIT 1", [release])
    assert text.endswith("so the policy hardly protects against that reader")
    shown = groups(db, "public.shown", listed, "ill")
    alike = sum(len(values) for values in shown.values() if len({*values}) == 1)
    assert alike
    assert found["one_value"] == (alike, 200)
    # Whoever knows the shares alone, at most a half each, is sure of these and of no others.
    uniform = {"belief_breach": {"bandwidth": {"kernel": "uniform"}, "rho1": 0.5, "rho2": 0.9}}
    asked = "SELECT vulnerable FROM bkpriv.audit(%s, %s)"
    inferred = found["inferred"][0]
    assert inferred is not None
    assert inferred >= one(db, asked, [release, Jsonb(uniform)]) >= alike


DETERMINED = [
    # The code, of i; the description is always that of i % 4.
    ("100 + i % 4", "label"),
    ("'D' || i % 8", None),
    ("chr(97 + i % 4)", None),
    ("(i % 4) * 1000 + 7", "label"),
]


@pytest.mark.parametrize(("code", "bins"), DETERMINED)
def test_a_code_that_tells_the_sensitive_value_is_named(
    db: Connection, code: str, bins: str | None
) -> None:
    more = {} if bins is None else {"bins": Jsonb({"code": bins})}
    made(
        db,
        "coded",
        f"SELECT 20 + i * 7 % 50 AS age, {code} AS code, "
        "(ARRAY['flu', 'ulcer', 'gout', 'asthma'])[1 + i % 4] AS what "
        "FROM generate_series(1, 200) AS i",
        "{age,code}",
        "{what}",
        **more,
    )
    found = verdict(db, publish(db, "coded", "bt", "public.shown"))
    assert found["determined"] == (200, 200)
    assert found["known"] == (200, 200)


@pytest.mark.parametrize(("wrong", "named"), [(0, (600, 600)), (6, (594, 600)), (7, None)])
def test_so_is_a_code_that_is_registered_as_a_number(
    db: Connection, wrong: int, named: tuple[int, int] | None
) -> None:
    """Readers of a bandwidth take 117 and 124 for alike, and know neither's meaning."""
    made(
        db,
        "coded",
        "SELECT 20 + i * 7 % 50 AS age, 110 + 7 * (i % 8) AS code, 'ill ' || "
        f"CASE WHEN i <= {wrong} THEN i + 1 ELSE i END % 8 AS what "
        "FROM generate_series(1, 600) AS i",
        "{age,code}",
        "{what}",
    )
    state_policy(db, "k", {"k_anonymity": {"k": 3}})
    assert verdict(db, publish(db, "coded", "k", "public.shown")).get("determined") == named


def test_a_value_that_nearly_all_have_is_the_cause_that_is_named(db: Connection) -> None:
    made(
        db,
        "skewed",
        "SELECT 20 + 10 * (i % 7) AS age, (ARRAY['f', 'm'])[1 + i / 7 % 2] AS sex, "
        "CASE WHEN i % 25 = 0 THEN 'ill' ELSE 'well' END AS state "
        "FROM generate_series(1, 1000) AS i",
        "{age,sex}",
        "{state}",
    )
    release = publish(db, "skewed", "bt", "public.shown")
    found = verdict(db, release)
    assert found["known"][0] > 900  # type: ignore[operator]
    assert "determined" not in found
    (text,) = db.execute(
        "SELECT what FROM bkpriv.verdict(%s) WHERE what LIKE 'known:%%'", [release]
    ).fetchone() or ("",)
    assert "mostly since one value is that frequent" in text


@pytest.mark.parametrize(("most", "lost"), [(1, 150), (2, 100), (3, 50), ("all", 0)])
def test_records_of_people_that_are_not_published_are_counted(
    db: Connection, most: int | str, lost: int
) -> None:
    made(
        db,
        "visit",
        "SELECT p AS patient, 20 + p % 30 AS age, "
        "(ARRAY['flu', 'ulcer', 'gout', 'rash'])[1 + pg_temp.lot(p || '/' || v, 4)] AS dx "
        "FROM generate_series(1, 50) AS p, generate_series(0, 3) AS v",
        "{age}",
        "{dx}",
        respondent="patient",
    )
    state_policy(db, "k", {"k_anonymity": {"k": 3}})
    release = publish(
        db, "visit", "k", "public.shown", {"max_records_per_person": most, "unfit": "suppress"}
    )
    found = verdict(db, release)
    assert found.get("records", (0, 200)) == (lost, 200)
    db.execute("SELECT FROM bkpriv.audit(%s)", [release])
    assert verdict(db, release) == found


def test_it_is_the_same_everywhere_and_an_audit_repeats_it(db: Connection) -> None:
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "bt", {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": 0.3, "t": 0.2}})
    heard: list[str] = []
    db.add_notice_handler(lambda it: heard.append(it.message_primary or ""))
    release = publish(db, policy="bt")
    sentence = one(db, "SELECT what FROM bkpriv.verdict(%s) LIMIT 1", [release])
    assert heard[-1] == f"release {release}: {sentence}"
    found = verdict(db, release)
    assert found
    heard.clear()
    db.execute("SELECT FROM bkpriv.audit(%s)", [release])
    assert heard[-1] == f"release {release}: {sentence}"
    assert verdict(db, release) == found
    words = words_of(page_of(db, release))
    assert f"{len(found)} thing" in words
    for (what,) in db.execute("SELECT what FROM bkpriv.verdict(%s) OFFSET 1", [release]).fetchall():
        text = what.split(": ", 1)[1]
        assert text[1:] in words, text


def test_a_broken_bound_is_a_violation(db: Connection) -> None:
    create_clinic(db)
    declare_clinic(db)
    state_policy(
        db, "strict", {"k_anonymity": {"k": 6}, "js_divergence": {"j": 0.02, "bandwidth": 0.25}}
    )
    release = publish(db, policy="strict", options={"unfit": "relax"}, method="js_reduce")
    vulnerable = one(
        db,
        "SELECT vulnerable FROM bkpriv.audits WHERE release = %s AND requirement = 'js_divergence'",
        [release],
    )
    assert vulnerable
    assert verdict(db, release)["js_divergence"] == (vulnerable, 300)
    assert one(db, "SELECT state FROM bkpriv.verdict(%s) LIMIT 1", [release]) == "violated"


def test_a_release_that_was_never_judged_is_refused(db: Connection) -> None:
    refused(db, "SELECT bkpriv.verdict(77)", sqlstate="42704", names=["77"])
