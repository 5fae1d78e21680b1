"""Sequential knowledge: what is stated, mined or assumed of how values follow each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, rows_of
from tests.db.months import months
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

__all__ = ["months"]

SET = "SELECT bkpriv.set_sequential_knowledge('months', 'course', %s, %s, %s)"
LISTED = "SELECT * FROM bkpriv.sequential_knowledge('months', 'course')"


def known(db: Connection) -> dict[tuple[str, ...], dict[str, tuple[float, float | None]]]:
    """Listed transitions: by history, of each next value the probability and support."""
    found: dict[tuple[str, ...], dict[str, tuple[float, float | None]]] = defaultdict(dict)
    for history, following, probability, support in db.execute(LISTED).fetchall():
        found[tuple(history)][following] = (probability, support)
    return found


# --- what is understood ---------------------------------------------------------------------------


def test_domain_knowledge_is_what_a_table_says(months: Connection) -> None:
    months.execute(SET, ["domain", "clinic.course", None])
    assert known(months) == {
        ("flu",): {"flu": (0.5, None), "well": (0.5, None)},
        ("cold",): {"cold": (0.2, None), "well": (0.8, None)},
        ("flu", "cold"): {"flu": (0.1, None), "well": (0.9, None)},
    }
    months.execute(SET, ["domain", "clinic.course", 1])
    assert set(known(months)) == {("flu",), ("cold",)}


def mined_by_hand(rows: list[tuple[Any, ...]], memory: int) -> dict[tuple[str, ...], Counter[str]]:
    """Count what follows each history, as the paper tells it: person by person."""
    courses: dict[str, list[tuple[Any, str]]] = defaultdict(list)
    for who, when, value in rows:
        courses[who].append((when, value))
    found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for course in courses.values():
        values = [value for _, value in sorted(course)]
        for place in range(1, len(values)):
            for length in range(1, min(place, memory) + 1):
                found[tuple(values[place - length : place])][values[place]] += 1
    return found


@pytest.mark.parametrize("memory", [1, 2, None])
def test_a_corpus_is_counted(months: Connection, memory: int | None) -> None:
    months.execute(SET, ["mined", "clinic.corpus", memory])
    expected = mined_by_hand(rows_of(months, "clinic.corpus"), memory or 9)
    found = known(months)
    for history, counts in expected.items():
        # A longer history after which only one value comes says what its suffix says.
        shorter = next(history[cut:] for cut in range(len(history)) if history[cut:] in found)
        for value, count in counts.items():
            probability, support = found[shorter][value]
            assert probability == pytest.approx(count / counts.total())
            assert support == count or len(shorter) < len(history)
    assert set(found) <= set(expected)
    assert {len(history) for history in found} == set(range(1, (memory or 2) + 1))


def test_the_value_may_bear_the_name_of_the_sensitive_column(months: Connection) -> None:
    months.execute(SET, ["mined", "clinic.corpus", 1])
    expected = rows_of_knowledge(months)
    months.execute(
        "CREATE VIEW clinic.own AS SELECT patient AS respondent, month AS period, disease, "
        "'nothing' AS value FROM clinic.visit"
    )
    months.execute(SET, ["mined", "clinic.own", 1])
    assert rows_of_knowledge(months) == expected


def rows_of_knowledge(db: Connection) -> list[tuple[Any, ...]]:
    return sorted(db.execute(LISTED).fetchall())


def test_periods_of_a_corpus_are_ordered_by_their_type(months: Connection) -> None:
    months.execute(
        "CREATE TABLE clinic.early AS SELECT * FROM (VALUES (1, 9, 'flu'), (1, 10, 'cold'), "
        "(2, 100, 'well'), (2, 20, 'flu'), (2, 3, 'cold')) v(respondent, period, value)"
    )
    months.execute(SET, ["mined", "clinic.early", 1])
    assert {(h, n) for h, following in known(months).items() for n in following} == {
        (("flu",), "cold"), (("flu",), "well"), (("cold",), "flu")
    }  # fmt: skip
    months.execute("ALTER TABLE clinic.early ALTER period TYPE text")
    months.execute(SET, ["mined", "clinic.early", 1])
    assert {(h, n) for h, following in known(months).items() for n in following} == {
        (("cold",), "flu"), (("well",), "flu"), (("flu",), "cold")
    }  # fmt: skip


def test_numbers_are_matched_as_numbers(months: Connection) -> None:
    months.execute(
        "CREATE TABLE clinic.stage AS SELECT i AS who, i % 5 AS age, (i % 3)::numeric(9, 2) AS s "
        "FROM generate_series(1, 30) i;"
        "SELECT bkpriv.register_dataset('stages', 'clinic.stage', '{age}', 's', 'who');"
        "CREATE TABLE clinic.next AS SELECT * "
        "FROM (VALUES ('{0}'::int[], 1, 0.25), ('{0}', 2, 0.75)) v(history, next, probability);"
        "SELECT bkpriv.set_sequential_knowledge('stages', 'course', 'domain', 'clinic.next')"
    )
    rows = months.execute(
        "SELECT * FROM bkpriv.sequential_knowledge('stages', 'course')"
    ).fetchall()
    assert rows == [(["0.00"], "1.00", 0.25, None), (["0.00"], "2.00", 0.75, None)]
    # Texts are not: 0 is none of the values then.
    months.execute("ALTER TABLE clinic.next ALTER history TYPE text[]")
    refused(
        months,
        "SELECT bkpriv.set_sequential_knowledge('stages', 'course', 'domain', 'clinic.next')",
        sqlstate="22000",
        names=["'0'", "0.00"],
    )


def test_leaves_of_the_hierarchy_are_values_too(months: Connection) -> None:
    months.execute("UPDATE clinic.course SET next = 'gout' WHERE next = 'well'")
    call = SET, ["domain", "clinic.course", None]
    refused(months, *call, sqlstate="22000", names=["gout", "'cold', 'flu', 'well'", "course"])
    months.execute(
        "CREATE TABLE clinic.levels AS SELECT v AS a, '*' AS b "
        "FROM unnest('{flu,cold,well,gout}'::text[]) v;"
        "SELECT bkpriv.set_hierarchy('months', 'disease', 'clinic.levels')"
    )
    months.execute(*call)
    assert known(months)[("flu",)] == {"flu": (0.5, None), "gout": (0.5, None)}


def test_setting_again_replaces_and_unsetting_forgets(months: Connection) -> None:
    months.execute(SET, ["mined", "clinic.corpus", None])
    months.execute(SET, ["domain", "clinic.course", None])
    assert len(rows_of(months, "bkpriv.sequential_knowledge")) == 1
    assert ("flu", "cold") in known(months)
    # It is kept: the table is not read again.
    months.execute("DROP TABLE clinic.course")
    assert ("flu", "cold") in known(months)
    months.execute("SELECT bkpriv.unset_sequential_knowledge('months', 'course')")
    assert rows_of(months, "bkpriv.sequential_knowledge") == []
    for call in (LISTED, "SELECT bkpriv.unset_sequential_knowledge('months', 'course')"):
        refused(months, call, sqlstate="42704", names=["months", '"course"', "none"])


def test_it_goes_with_its_dataset(months: Connection) -> None:
    months.execute(SET, ["constant", None, None])
    months.execute("SELECT bkpriv.drop_dataset('months')")
    assert rows_of(months, "bkpriv.sequential_knowledge") == []


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "sqlstate", "names"),
    [
        ("UPDATE {} SET probability = 1.5 - probability", "22000", ["sum to"]),
        ("UPDATE {} SET probability = 'nan'", "22000", ["not finite"]),
        ("UPDATE {} SET probability = NULL WHERE next = 'flu'", "22004", ['"probability" (2)']),
        ("UPDATE {} SET next = NULL WHERE next = 'flu'", "22004", ['"next" (2)']),
        ("UPDATE {} SET history = NULL WHERE next = 'flu'", "22004", ['"history" (2)']),
        ("UPDATE {} SET history[1] = NULL WHERE next = 'flu'", "22004", ['"history" (2)']),
        ("UPDATE {} SET history = '{{}}' WHERE history = '{{flu}}'", "22000", ["empty history"]),
        ("DELETE FROM {}", "22000", ["no rows"]),
        ("ALTER TABLE {} RENAME history TO past", "42703", ["history", "past"]),
        ("ALTER TABLE {} ALTER history TYPE text", "42804", ["history", "text"]),
        ("ALTER TABLE {} ALTER probability TYPE text", "42804", ["probability", "text"]),
    ],
)
def test_a_faulty_table_of_domain_knowledge(
    months: Connection, fault: str, sqlstate: str, names: list[str]
) -> None:
    months.execute(fault.format("clinic.course").encode())
    with unchanged(months):
        call = SET, ["domain", "clinic.course", None]
        refused(months, *call, sqlstate=sqlstate, names=["course", *names])


@pytest.mark.parametrize(
    ("fault", "sqlstate", "names"),
    [
        ("DELETE FROM {} WHERE period > '2024-01-01'", "22000", ["two records"]),
        ("DELETE FROM {}", "22000", ["two records"]),
        ("UPDATE {} SET value = 'gout' WHERE value = 'flu'", "22000", ["'gout'", "'cold'"]),
        ("UPDATE {} SET period = '2024-01-01' WHERE respondent = 'p7'", "22000", ["p7 in 2024-01"]),
        ("UPDATE {} SET value = NULL WHERE respondent = 'p7'", "22004", ['"value" (']),
        ("UPDATE {} SET respondent = NULL WHERE value = 'flu'", "22004", ['"respondent" (']),
        ("UPDATE {} SET period = NULL WHERE respondent = 'p7'", "22004", ['"period" (']),
        (
            "ALTER TABLE {} ALTER period TYPE json USING to_json(period)",
            "42804",
            ["period", "json"],
        ),
        ("ALTER TABLE {} DROP period", "42703", ["period", "respondent, value"]),
    ],
)
def test_a_faulty_corpus(months: Connection, fault: str, sqlstate: str, names: list[str]) -> None:
    months.execute("CREATE TABLE clinic.copy AS SELECT * FROM clinic.corpus")
    months.execute(fault.format("clinic.copy").encode())
    with unchanged(months):
        refused(months, SET, ["mined", "clinic.copy", None], sqlstate=sqlstate, names=names)


@pytest.mark.parametrize(
    ("kind", "source", "memory", "sqlstate", "names"),
    [
        ("guessed", None, None, "22023", ["kind", "guessed"]),
        (None, None, None, "22023", ["kind"]),
        ("domain", None, None, "22023", ["domain", "source"]),
        ("mined", None, None, "22023", ["mined", "source"]),
        ("incremental", "clinic.corpus", None, "22023", ["incremental", "clinic.corpus"]),
        ("constant", "clinic.corpus", None, "22023", ["constant", "clinic.corpus"]),
        ("constant", None, 2, "22023", ["memory"]),
        ("domain", "clinic.course", 0, "22023", ["memory of 0"]),
        ("incremental", None, -1, "22023", ["memory of -1"]),
        ("mined", "clinic.visit_pkey", None, "42809", ["clinic.visit_pkey"]),
        ("mined", "clinic.visit", None, "42703", ["respondent", "patient"]),
    ],
)
def test_what_means_nothing_is_refused(
    months: Connection,
    kind: str | None,
    source: str | None,
    memory: int | None,
    sqlstate: str,
    names: list[str],
) -> None:
    with unchanged(months):
        refused(months, SET, [kind, source, memory], sqlstate=sqlstate, names=names)


def test_a_dataset_must_tell_respondents_apart(clinic: Connection) -> None:
    call = "SELECT bkpriv.set_sequential_knowledge('patients', 'course', 'constant')"
    refused(clinic, call, sqlstate="42703", names=["patients", "respondent"])


def test_a_table_is_read_with_the_callers_rights(
    months: Connection, database: Database, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    name = sql.Identifier(publisher.info.user)
    call = SET, ["domain", "clinic.course", None]
    months.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(name))
    refused(publisher, *call, sqlstate="42704", names=["months"])
    months.execute(sql.SQL("GRANT SELECT ON clinic.visit TO {}").format(name))
    months.execute("SELECT bkpriv.drop_dataset('months')")
    publisher.execute(
        "SELECT bkpriv.register_dataset('months', 'clinic.visit', '{age,zip}', 'disease', "
        "'patient', 'month')"
    )
    refused(publisher, *call, sqlstate="42501", names=["course"])
    months.execute(sql.SQL("GRANT SELECT (history, next) ON clinic.course TO {}").format(name))
    refused(publisher, *call, sqlstate="42501", names=["course", "probability"])
    months.execute(sql.SQL("GRANT SELECT ON clinic.course TO {}").format(name))
    publisher.execute(*call)
    other = make_publisher("other")
    assert rows_of(other, "bkpriv.sequential_knowledge") == []
    refused(other, LISTED, sqlstate="42704", names=["months"])
    auditor = make_publisher("auditor")
    months.execute("SELECT bkpriv.grant_auditor(%s)", [auditor.info.user])
    assert len(auditor.execute(LISTED).fetchall()) == 6
    assume = SET, ["constant", None, None]
    refused(auditor, *assume, sqlstate="42501", names=[publisher.info.user, "months"])
    forget = "SELECT bkpriv.unset_sequential_knowledge('months', 'course')"
    refused(auditor, forget, sqlstate="42501", names=["owner", "months"])
    assert one(publisher, "SELECT kind FROM bkpriv.sequential_knowledge") == "domain"
