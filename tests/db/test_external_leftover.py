"""Tables made elsewhere: columns that are not judged but identify people are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest
from psycopg import sql
from psycopg.errors import Diagnostic
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish
from tests.db.test_external import AUDIT
from tests.db.test_external_refusals import own_patients


@pytest.fixture
def got(clinic: Connection) -> Connection:
    """A table ``got``: ranges of ages, names, dates of birth, households, and what is harmless."""
    clinic.execute(
        "CREATE TABLE got AS SELECT format('%s-%s', age / 10 * 10, age / 10 * 10 + 9) AS age, sex, "
        "city, disease, 'Person ' || i AS name, date '1950-01-01' + i::int AS born, "
        "i / 3 AS household, 'x' AS file, city || sex AS ward "
        "FROM (SELECT *, row_number() OVER () AS i FROM clinic.patient) AS p"
    )
    return clinic


class Said(NamedTuple):
    """A notice."""

    severity: str
    message: str
    detail: str
    hint: str


def said(db: Connection, table: str = "got") -> list[Said]:
    """Notices of an audit, but for the one that says what the table was taken for."""
    heard: list[Said] = []

    def hear(each: Diagnostic) -> None:
        texts = each.severity, each.message_primary, each.message_detail, each.message_hint
        heard.append(Said(*(text or "" for text in texts)))

    db.add_notice_handler(hear)
    db.execute(AUDIT, [table, "patients", Jsonb({}), Jsonb({"k_anonymity": {"k": 2}})])
    db.remove_notice_handler(hear)
    return [each for each in heard if "is judged as" not in each.message]


@pytest.mark.rolled_back
def test_names_and_dates_of_birth_are_named(got: Connection) -> None:
    (warning,) = said(got)
    assert warning.severity == "WARNING"
    detail = warning.detail
    assert '"name" (300 values in 300 records, as keys and names have)' in detail
    assert '"born" (300 values in 300 records)' in detail
    assert '"household" (101 values, each of few records' in detail
    hint = warning.hint
    assert hint.startswith("Remove name, born, household from ")
    for harmless in ("file", "ward", "sex"):
        assert harmless not in detail + hint
    # None of their values is shown.
    assert "Person" not in detail
    assert "1950" not in detail


@pytest.mark.rolled_back
def test_rows_that_are_unique_within_their_group_are_counted(got: Connection) -> None:
    got.execute(
        "ALTER TABLE got DROP name, DROP born, DROP household, ADD beds int, ADD shoe int;"
        "UPDATE got SET beds = length(disease) % 3, shoe = 35 + length(disease || city) % 9"
    )
    rows = got.execute("SELECT age, sex, city, beds, shoe, ward FROM got").fetchall()
    unique = sum(1 for size in Counter(rows).values() if size == 1)
    assert unique
    (notice,) = said(got)
    assert notice.severity == "NOTICE"
    words = f"{unique} of 300 rows are unique within their group by ward, beds, shoe."
    assert words in notice.detail
    assert notice.hint.startswith("Remove ward, beds, shoe from ")


@pytest.mark.rolled_back
def test_nothing_is_said_of_a_view_of_ours(clinic: Connection) -> None:
    publish(clinic, view="clinic.shown")
    assert not said(clinic, "clinic.shown")


@pytest.mark.pooled
def test_a_column_that_the_caller_may_not_read_is_not_looked_at(
    got: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    owner, _ = own_patients(got, make_role)
    got.execute(
        sql.SQL(
            "GRANT SELECT ON clinic.patient TO {0};"
            "GRANT SELECT (age, sex, city, disease, born) ON got TO {0}"
        ).format(sql.Identifier(owner))
    )
    hidden, notice = said(database.connect(owner))
    assert "not inspected" in hidden.message
    assert notice.severity == "NOTICE"
    assert '"born"' in notice.detail
    assert "name" not in notice.detail + notice.hint


@pytest.mark.rolled_back
def test_a_large_table_is_sampled(got: Connection) -> None:
    got.execute(
        "INSERT INTO clinic.patient SELECT p.* FROM clinic.patient AS p, generate_series(1, 400);"
        "CREATE TABLE large AS SELECT format('%s-%s', age / 10 * 10, age / 10 * 10 + 9) AS age, "
        "sex, city, disease, row_number() OVER () AS nr FROM clinic.patient"
    )
    assert one(got, "SELECT count(*) FROM large") > 100_000
    (warning,) = said(got, "large")
    assert "Seen was a sample of" in warning.detail
