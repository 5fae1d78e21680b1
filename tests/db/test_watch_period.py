"""Watches by period: whose they are, what they become, and what stops them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import fill, one, overhear
from tests.db.monthly import (
    MONTHS,
    create_visits,
    declare_visits,
    draw_visits,
    publish_period,
)
from tests.db.refusal import refused, unchanged
from tests.db.statements import countings, hear_statements
from tests.db.waiting import until, until_blocked, until_settled
from tests.db.writing import stale

pytestmark = pytest.mark.pooled

TRIGGERS = (
    "SELECT tgname::text, pg_get_triggerdef(oid), tgenabled FROM pg_trigger "
    "WHERE tgrelid = 'clinic.visit'::regclass AND NOT tgisinternal ORDER BY 1"
)


@pytest.fixture
def visits(ward: Connection) -> Connection:
    """Visits of three months, watched by nobody, and registered with and without their months."""
    create_visits(ward)
    declare_visits(ward)
    ward.execute("SELECT bkpriv.register_dataset('all', 'clinic.visit', '{age}', 'disease')")
    ward.execute("SELECT bkpriv.unwatch('clinic.visit')")
    assert ward.execute(TRIGGERS).fetchall() == []
    return ward


def test_a_watch_by_period_is_four_triggers_with_one_token(visits: Connection) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    token = one(visits, "SELECT bkpriv_internal.watch_token('clinic.visit'::regclass)")
    triggers = visits.execute(TRIGGERS).fetchall()
    assert [name for name, _, _ in triggers] == [
        *("bkpriv_watch", "bkpriv_watch_delete", "bkpriv_watch_insert", "bkpriv_watch_update"),
    ]
    assert all(f"mark_stale('{token}'" in definition for _, definition, _ in triggers)
    assert {enabled for _, _, enabled in triggers} == {"A"}
    for again in ("'clinic.visit', 'month'", "'clinic.visit'"):
        visits.execute(f"SELECT bkpriv.watch({again})".encode())
        assert visits.execute(TRIGGERS).fetchall() == triggers
    visits.execute("SELECT bkpriv.unwatch('clinic.visit')")
    assert visits.execute(TRIGGERS).fetchall() == []


def test_a_watch_that_becomes_one_by_period_knows_what_it_knew(visits: Connection) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit')")
    before = [publish_period(visits, "2024-01"), publish_period(visits, None, "all", "public.a")]
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    after = [publish_period(visits, "2024-02", view="public.b"),
             publish_period(visits, None, "all", "public.c")]  # fmt: skip
    known = [stale(visits, release) for release in (*before, *after)]
    assert known == [False, False, False, False]
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-02'")
    known = [stale(visits, release) for release in (*before, *after)]
    assert known == [False, True, True, True]


def test_registering_a_dataset_with_periods_makes_the_watch_one_by_period(
    visits: Connection,
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit')")
    said = overhear(visits)
    declare_visits(visits, "again")
    assert [line for line in said if "stale" in line] == []
    first = publish_period(visits, "2024-01", "again")
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-02'")
    assert stale(visits, first) is False


def test_another_column_of_periods_is_left_to_the_owner(visits: Connection) -> None:
    visits.execute("ALTER TABLE clinic.visit ADD year text DEFAULT '2024'")
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    said = overhear(visits)
    visits.execute(
        "SELECT bkpriv.register_dataset('yearly', 'clinic.visit', '{age,sex}', 'disease', "
        "period => 'year')"
    )
    (notice,) = [line for line in said if "stale" in line]
    assert "writes to any period" in notice
    assert '"yearly"' in notice
    assert "clinic.visit is watched otherwise" in notice
    yearly = publish_period(visits, "2024", "yearly", "public.yearly")
    monthly = publish_period(visits, "2024-01")
    insert = "INSERT INTO clinic.visit VALUES (99, '2024-04', 30, 'f', 'gout', '2025')"
    visits.execute(insert)
    assert (stale(visits, yearly), stale(visits, monthly)) == (True, False)
    yearly = publish_period(visits, "2024", "yearly", "public.yearly")
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'year')")
    visits.execute(insert)
    assert (stale(visits, yearly), stale(visits, monthly)) == (False, True)


@pytest.mark.parametrize("column", ["nothing", "when"])
def test_what_tells_no_periods_apart_watches_none(visits: Connection, column: str) -> None:
    visits.execute('ALTER TABLE clinic.visit ADD "when" interval')
    with unchanged(visits):
        refused(
            visits,
            "SELECT bkpriv.watch('clinic.visit', %s)",
            [column],
            sqlstate="22023",
            names=["clinic.visit", column],
        )


def test_what_others_own_is_not_watched_by_period(
    visits: Connection, make_publisher: Callable[..., Connection], make_role: Callable[..., str]
) -> None:
    publisher, owner = make_publisher(), make_role("owner")
    visits.execute("SELECT bkpriv.watch('clinic.visit')")
    for statement in (
        "ALTER TABLE clinic.visit OWNER TO {1}",
        "GRANT USAGE ON SCHEMA clinic TO {0}, {1}",
        "GRANT SELECT ON clinic.visit TO {0}",
    ):
        visits.execute(
            sql.SQL(statement).format(sql.Identifier(publisher.info.user), sql.Identifier(owner))
        )
    with unchanged(visits):
        refused(
            publisher,
            "SELECT bkpriv.watch('clinic.visit', 'month')",
            sqlstate="42501",
            names=[owner],
        )
    said = overhear(publisher)
    declare_visits(publisher, "mine")
    assert any("writes to any period" in line for line in said)
    mine = publish_period(publisher, "2024-01", "mine", "mine")
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-03'")
    assert stale(publisher, mine) is True
    visits.execute("SELECT bkpriv.grant_watcher(%s)", [owner])
    visits.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(owner)))
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    visits.execute("RESET ROLE")
    mine = publish_period(publisher, "2024-01", "mine", "mine")
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-02'")
    assert stale(publisher, mine) is False


INSERT = "CREATE OR REPLACE TRIGGER bkpriv_watch_insert AFTER INSERT ON clinic.visit "
SEEN = "REFERENCING NEW TABLE AS bkpriv_new FOR EACH STATEMENT "
MARK = "EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}', 'month')"


@pytest.mark.parametrize(
    "change",
    [
        *[f"DROP TRIGGER bkpriv_watch{name} ON clinic.visit"
          for name in ("", "_insert", "_update", "_delete")],
        "ALTER TRIGGER bkpriv_watch_update ON clinic.visit RENAME TO other",
        # Something else under the trigger's name watches nothing.
        INSERT + SEEN.replace("bkpriv_new", "other") + MARK,
        INSERT + MARK.replace("EXECUTE", "FOR EACH STATEMENT EXECUTE"),
        INSERT + SEEN + "WHEN (false) " + MARK,
        INSERT + SEEN + MARK.format(token="another"),
        INSERT + "FOR EACH ROW " + MARK,
        INSERT.replace("INSERT ON", "DELETE ON") + SEEN.replace("NEW", "OLD") + MARK,
        INSERT + SEEN + "EXECUTE FUNCTION bkpriv_internal.guard()",
        "SELECT bkpriv.unwatch('clinic.visit')",
        "SELECT bkpriv.unwatch('clinic.visit'); SELECT bkpriv.watch('clinic.visit', 'month')",
    ],
)  # fmt: skip
def test_staleness_is_unknown_where_one_of_the_triggers_is_not_as_it_was(
    visits: Connection, change: str
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    release = publish_period(visits, "2024-01")
    token = one(visits, "SELECT bkpriv_internal.watch_token('clinic.visit'::regclass)")
    visits.execute(change.replace("{token}", token).encode())
    assert stale(visits, release) is None
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    assert one(visits, "SELECT bkpriv_internal.watch_token('clinic.visit'::regclass)") is not None


@pytest.mark.parametrize(
    "change",
    [
        *[f"ALTER TABLE clinic.visit DISABLE TRIGGER bkpriv_watch{name}"
          for name in ("", "_insert", "_update", "_delete")],
        "ALTER TABLE clinic.visit ENABLE REPLICA TRIGGER bkpriv_watch_update",
        "ALTER TABLE clinic.visit DISABLE TRIGGER USER",
        "ALTER TABLE clinic.visit RENAME month TO mon",
        "ALTER VIEW clinic.visit RENAME month TO mon",
        "ALTER TABLE clinic.visit DROP month",
        "ALTER TABLE clinic.visit ALTER month TYPE int USING 1",
    ],
)  # fmt: skip
def test_an_alteration_that_hides_writes_makes_all_periods_stale(
    visits: Connection, change: str
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    releases = [publish_period(visits, month, view=f'public."{month}"') for month in MONTHS]
    visits.execute(change.encode())
    assert [stale(visits, release) for release in releases] == [True] * 3
    # And is no hindrance to writing.
    visits.execute("INSERT INTO clinic.visit (person) VALUES (99)")
    visits.execute("UPDATE clinic.visit SET person = 100 WHERE person = 99")
    visits.execute("DELETE FROM clinic.visit WHERE person = 100")


def test_a_column_of_another_type_tells_no_periods_apart(visits: Connection) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    release = publish_period(visits, "2024-01")
    # Rewrites nothing.
    visits.execute("ALTER TABLE clinic.visit ALTER month TYPE varchar")
    assert stale(visits, release) is False
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-03'")
    assert stale(visits, release) is True


def test_what_history_says_of_periods_is_no_hindrance_to_writers(
    visits: Connection,
) -> None:
    visits.execute("ALTER TABLE clinic.visit ALTER month TYPE date USING (month || '-01')::date")
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    for place, (period, bin_) in enumerate([
        ("garbage", None), ("garbage", "month"), ("2024-13-45", "month"), ("2024-02-01", "minute"),
        ("2024-02-01", "' || pg_sleep(9) || '"), ("infinity", "year"), ("2024-01-01", "month"),
    ], 1):  # fmt: skip
        visits.execute(
            "INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, "
            "view_schema, view_name, method, policy, requirements, options, records, suppressed, "
            "groups, period, period_type, period_column, period_bin, watch) VALUES ('x', "
            "'postgres', %s, 'clinic', 'visit', 'v', 'v', 'mondrian', 'p', '{}', '{}', 1, 0, 1, "
            "%s, 'date', 'month', %s, bkpriv_internal.watch_tokens('clinic', 'visit'))",
            [place, period, bin_],
        )
    visits.execute("DELETE FROM clinic.visit WHERE month = '2024-02-01'")
    found = visits.execute("SELECT stale FROM bkpriv.releases ORDER BY release").fetchall()
    # A bin that no publication makes is not understood, and marked.
    assert [answer for (answer,) in found] == [False, True, False, True, True, True, False]


def test_a_parent_without_the_column_marks_all_periods(ward: Connection) -> None:
    ward.execute(
        "CREATE TABLE clinic.base (person int); CREATE TABLE clinic.visit "
        "(month text, age int, sex text, disease text) INHERITS (clinic.base)"
    )
    fill(ward, "clinic.visit", draw_visits(MONTHS))
    declare_visits(ward)
    releases = [publish_period(ward, month, view=f'public."{month}"') for month in MONTHS]
    ward.execute("DELETE FROM clinic.visit WHERE month = '2024-02'")
    assert [stale(ward, release) for release in releases] == [False, True, False]
    ward.execute("DELETE FROM clinic.base WHERE person = 7")
    assert [stale(ward, release) for release in releases] == [True, True, True]


def test_a_writer_whose_snapshot_shows_no_release_fails(
    visits: Connection, database: Database
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    writer = database.connect()
    writer.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM clinic.visit")
    publish_period(visits, "2024-01")
    with pytest.raises(psycopg.errors.SerializationFailure):
        writer.execute("DELETE FROM clinic.visit WHERE month = '2024-01'")
    writer.execute("ROLLBACK")


# --- while a release is made ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "is_stale"),
    [
        ("SELECT", False),
        ("DELETE FROM clinic.visit WHERE month = '2024-02' AND person = 7", True),
        ("UPDATE clinic.visit SET age = age WHERE month = '2024-02'", False),
        ("UPDATE clinic.visit SET month = '2024-02' WHERE month = '2024-03'", True),
        ("UPDATE clinic.visit SET age = 44 WHERE month = '2024-03'", False),
        ("DELETE FROM clinic.visit WHERE month = '2024-01'", False),
        ("INSERT INTO clinic.visit SELECT person, '2024-04' FROM clinic.visit", False),
    ],
)
def test_a_write_between_count_and_end_concerns_its_own_period(
    visits: Connection, database: Database, write: str, is_stale: bool
) -> None:
    visits.execute("SELECT bkpriv.watch('clinic.visit', 'month')")
    until_settled(visits)
    keeper, other, writer = database.connect(), database.connect(), database.connect()
    heard = hear_statements(other)
    results: list[int] = []
    with keeper.transaction():
        keeper.execute("LOCK TABLE bkpriv.release_attribute IN SHARE MODE")
        thread = threading.Thread(target=lambda: results.append(publish_period(other, "2024-02")))
        thread.start()
        step = "SELECT application_name FROM pg_stat_activity WHERE pid = %s"
        until(lambda: "writing" in one(visits, step, [other.info.backend_pid]))
        until_blocked(visits, other.info.backend_pid)
        writer.execute(write.encode())
    thread.join()
    assert stale(visits, results[0]) is is_stale
    # Once more only where rows of this period were written.
    assert len(countings(heard)) == 1 + ("2024-02" in write)
