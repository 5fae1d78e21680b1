"""Staleness: whether a source has changed since its release is known, or known to be unknown."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish
from tests.db.monthly import MONTHS, create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged
from tests.db.waiting import until, until_blocked, until_settled
from tests.db.writing import CHANGES, stale

pytestmark = pytest.mark.pooled


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.split()[0].lower())
def test_a_write_makes_releases_stale(clinic: Connection, change: str) -> None:
    if change.startswith("MERGE") and clinic.info.server_version < 150000:
        pytest.skip("this server is older than PostgreSQL 15, which brought MERGE")
    first, second = publish(clinic), publish(clinic)
    assert stale(clinic, second) is False
    clinic.execute(change)
    # A superseded release is stale too: its table is still there.
    assert (stale(clinic, first), stale(clinic, second)) == (True, True)
    clinic.execute("SELECT 1")
    ((kind, reason),) = clinic.execute(
        "SELECT kind, reason FROM bkpriv.release_event WHERE release = %s", [second]
    ).fetchall()
    assert kind == "stale"
    command = change.split()[0]
    event = {"COPY": "INSERT", "MERGE": "UPDATE"}.get(command, command)
    assert reason == f"{event} on clinic.patient"


def test_a_write_by_another_role_is_marked_with_its_name(
    clinic: Connection, make_role: Callable[..., str], database: Database
) -> None:
    writer = make_role("writer")
    role = sql.Identifier(writer)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(role))
    clinic.execute(sql.SQL("GRANT INSERT ON clinic.patient TO {}").format(role))
    release = publish(clinic)
    with database.connect(writer).cursor().copy("COPY clinic.patient FROM STDIN") as copy:
        copy.write_row((30, "f", "Aln", "ulcer"))
    assert stale(clinic, release) is True
    assert one(clinic, "SELECT by FROM bkpriv.release_event") == writer


def test_stale_is_marked_once_and_a_new_release_is_fresh(clinic: Connection) -> None:
    release = publish(clinic)
    for _ in range(3):
        clinic.execute(CHANGES[0])
    assert one(clinic, "SELECT count(*) FROM bkpriv.release_event") == 1
    assert stale(clinic, publish(clinic)) is False
    assert stale(clinic, release) is True


def test_a_write_that_is_rolled_back_leaves_releases_fresh(clinic: Connection) -> None:
    release = publish(clinic)
    with clinic.transaction(force_rollback=True):
        clinic.execute(CHANGES[0])
    assert stale(clinic, release) is False


def test_withdrawn_releases_are_not_marked(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute("SELECT bkpriv.withdraw(%s, 'for the test')", [release])
    clinic.execute(CHANGES[0])
    assert one(clinic, "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'stale'") == 0


@pytest.fixture
def partitions(clinic: Connection) -> Connection:
    """Partitioned table ``clinic.visit`` (north is itself partitioned), not yet registered."""
    clinic.execute(
        """
        CREATE TABLE clinic.visit (LIKE clinic.patient) PARTITION BY LIST (city);
        CREATE TABLE clinic.north PARTITION OF clinic.visit FOR VALUES IN ('Aln', 'Brix')
            PARTITION BY RANGE (age);
        CREATE TABLE clinic.young PARTITION OF clinic.north FOR VALUES FROM (0) TO (40);
        CREATE TABLE clinic.old PARTITION OF clinic.north FOR VALUES FROM (40) TO (100);
        CREATE TABLE clinic.south PARTITION OF clinic.visit FOR VALUES IN ('Corve', 'Dunn');
        INSERT INTO clinic.visit SELECT * FROM clinic.patient;
        """
    )
    return clinic


def register(db: Connection, source: str, dataset: str = "visits") -> int:
    """Register a table shaped like the clinic's and publish it."""
    db.execute(
        "SELECT bkpriv.register_dataset(%s, %s, '{age,sex,city}', 'disease')", [dataset, source]
    )
    return publish(db, dataset, view=f"public.{dataset}")


@pytest.mark.parametrize("named", ["visit", "north", "young", "old", "south"])
def test_a_write_to_any_partition_makes_releases_of_the_whole_stale(
    partitions: Connection, named: str
) -> None:
    release = register(partitions, "clinic.visit")
    assert stale(partitions, release) is False
    partitions.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("clinic", named)))
    assert stale(partitions, release) is True


@pytest.mark.parametrize("named", ["visit", "north", "young"])
def test_a_write_to_its_parent_makes_releases_of_a_partition_stale(
    partitions: Connection, named: str
) -> None:
    release = register(partitions, "clinic.young")
    assert stale(partitions, release) is False
    partitions.execute(
        sql.SQL("DELETE FROM {} WHERE age = 30").format(sql.Identifier("clinic", named))
    )
    assert stale(partitions, release) is True


def test_a_write_to_an_inheritance_child_makes_releases_stale(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE clinic.child () INHERITS (clinic.patient)")
    release = register(clinic, "clinic.patient")
    clinic.execute("INSERT INTO clinic.child VALUES (30, 'f', 'Aln', 'ulcer')")
    assert stale(clinic, release) is True


def test_a_new_partition_makes_staleness_unknown(partitions: Connection) -> None:
    release = register(partitions, "clinic.visit")
    partitions.execute("CREATE TABLE clinic.east PARTITION OF clinic.visit DEFAULT")
    assert stale(partitions, release) is None


REPLACED = "CREATE OR REPLACE TRIGGER bkpriv_watch"
ALL_WRITES = "AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE"
MARK = "FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.mark_stale('{token}')"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE clinic.patient RENAME TO former",
        "DROP TABLE clinic.patient CASCADE",
        "DROP TRIGGER bkpriv_watch ON clinic.patient",
        # Something else under the trigger's name watches nothing.
        f"{REPLACED} AFTER INSERT ON clinic.patient {MARK}",
        f"{REPLACED} {ALL_WRITES} ON clinic.patient {MARK.format(token='another')}",
        f"{REPLACED} {ALL_WRITES} ON clinic.patient "
        + MARK.replace("EXECUTE", "WHEN (false) EXECUTE"),
        f"{REPLACED} AFTER INSERT OR UPDATE OF age OR DELETE OR TRUNCATE ON clinic.patient {MARK}",
        f"{REPLACED} {ALL_WRITES} ON clinic.patient "
        "FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()",
        "SELECT bkpriv.unwatch('clinic.patient')",
        # Who watches again does not know what happened in between.
        "SELECT bkpriv.unwatch('clinic.patient'); SELECT bkpriv.watch('clinic.patient')",
        # Another table under the name, watched as well.
        "ALTER TABLE clinic.patient RENAME TO former; CREATE TABLE clinic.patient AS "
        "TABLE clinic.former; SELECT bkpriv.watch('clinic.patient')",
    ],
)
def test_staleness_is_unknown_where_nothing_watches_any_more(
    clinic: Connection, change: str
) -> None:
    release = publish(clinic)
    assert stale(clinic, release) is False
    (token,) = one(clinic, "SELECT watch FROM bkpriv.release")
    clinic.execute(sql.SQL(change).format(token=sql.SQL(token)))
    assert stale(clinic, release) is None


@pytest.mark.parametrize(
    ("change", "undone"),
    [
        (
            "ALTER TABLE clinic.patient DISABLE TRIGGER USER",
            "ALTER TABLE clinic.patient ENABLE TRIGGER USER",
        ),
        ("ALTER TABLE clinic.patient ENABLE REPLICA TRIGGER bkpriv_watch", "SELECT"),
        (
            "ALTER TABLE clinic.patient RENAME age TO years",
            "ALTER TABLE clinic.patient RENAME years TO age",
        ),
        # Tables go by the names of other relations in these.
        (
            "ALTER VIEW clinic.patient RENAME age TO years",
            "ALTER MATERIALIZED VIEW clinic.patient RENAME years TO age",
        ),
        ("ALTER TABLE clinic.patient DROP city, ADD city text", "SELECT"),
        ("ALTER TABLE clinic.patient ALTER age TYPE bigint USING age + 1", "SELECT"),
    ],
)
def test_an_alteration_that_writes_or_hides_writes_makes_releases_stale(
    clinic: Connection, change: str, undone: str
) -> None:
    release = publish(clinic)
    clinic.execute("ALTER TABLE clinic.patient ADD note text, ALTER disease SET NOT NULL")
    assert stale(clinic, release) is False
    clinic.execute(change)
    assert stale(clinic, release) is True
    clinic.execute(undone)
    assert stale(clinic, release) is True
    reason = one(clinic, "SELECT reason FROM bkpriv.releases")
    assert reason.startswith("ALTER TABLE on clinic.patient")


def test_the_token_of_a_sibling_hides_no_writes(partitions: Connection) -> None:
    release = register(partitions, "clinic.visit")
    token = one(partitions, "SELECT bkpriv_internal.watch_token('clinic.south'::regclass)")
    partitions.execute(
        f"CREATE OR REPLACE TRIGGER bkpriv_watch {ALL_WRITES} ON clinic.young "
        + MARK.format(token=token)
    )
    partitions.execute("DELETE FROM clinic.south WHERE age = 30")
    assert stale(partitions, release) is True


def test_a_column_that_is_not_published_may_go(clinic: Connection) -> None:
    clinic.execute("ALTER TABLE clinic.patient ADD note text")
    release = publish(clinic)
    clinic.execute("ALTER TABLE clinic.patient RENAME note TO remark")
    clinic.execute("ALTER TABLE clinic.patient DROP remark")
    assert stale(clinic, release) is False


def test_replication_roles_do_not_hide_writes(clinic: Connection) -> None:
    release = publish(clinic)
    clinic.execute("SET session_replication_role = replica")
    clinic.execute(CHANGES[0])
    assert stale(clinic, release) is True


def test_a_partition_that_comes_back_changed_makes_releases_stale(partitions: Connection) -> None:
    release = register(partitions, "clinic.visit")
    partitions.execute("ALTER TABLE clinic.visit DETACH PARTITION clinic.south")
    assert stale(partitions, release) is None
    attach = "ALTER TABLE clinic.visit ATTACH PARTITION clinic.south FOR VALUES IN ({}, {})"
    attach = attach.format("'Corve'", "'Dunn'")
    partitions.execute(attach)
    # Nothing was written meanwhile.
    assert stale(partitions, release) is False
    partitions.execute("ALTER TABLE clinic.visit DETACH PARTITION clinic.south")
    partitions.execute("DELETE FROM clinic.south WHERE age = 30")
    partitions.execute(attach)
    assert stale(partitions, release) is True


@pytest.mark.parametrize("change", [
    "INSERT INTO clinic.visit VALUES (99, '2024-04', 30, 'f', 'gout')",
    "DELETE FROM clinic.visit WHERE month = '2024-02'",
    "TRUNCATE clinic.visit",
])  # fmt: skip
def test_a_write_makes_releases_of_all_periods_stale(ward: Connection, change: str) -> None:
    create_visits(ward)
    declare_visits(ward)
    releases = [publish_period(ward, month, view=f'public."{month}"') for month in MONTHS]
    assert [stale(ward, release) for release in releases] == [False] * 3
    ward.execute(change.encode())
    assert [stale(ward, release) for release in releases] == [True] * 3


@pytest.mark.parametrize(
    ("write", "is_stale"),
    [
        ("DELETE FROM clinic.visit WHERE month = '2024-02' AND person = 7", True),
        ("UPDATE clinic.visit SET month = '2024-02' WHERE month = '2024-03'", True),
        ("DELETE FROM clinic.visit WHERE month = '2024-01'", False),
    ],
)
def test_a_write_between_count_and_end_concerns_its_own_period(
    ward: Connection, database: Database, write: str, is_stale: bool
) -> None:
    create_visits(ward)
    declare_visits(ward)
    until_settled(ward)
    keeper, other, writer = database.connect(), database.connect(), database.connect()
    results: list[int] = []
    with keeper.transaction():
        keeper.execute("LOCK TABLE bkpriv.release_attribute IN SHARE MODE")
        thread = threading.Thread(target=lambda: results.append(publish_period(other, "2024-02")))
        thread.start()
        step = "SELECT application_name FROM pg_stat_activity WHERE pid = %s"
        until(lambda: "writing" in one(ward, step, [other.info.backend_pid]))
        until_blocked(ward, other.info.backend_pid)
        writer.execute(write.encode())
    thread.join()
    assert stale(ward, results[0]) is is_stale


# --- who watches ----------------------------------------------------------------------------------


def test_one_watch_serves_all_datasets_and_tells_nobody_about_them(clinic: Connection) -> None:
    first = publish(clinic)
    second = register(clinic, "clinic.patient", "again")
    triggers = clinic.execute(
        "SELECT tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger "
        "WHERE tgrelid = 'clinic.patient'::regclass AND NOT tgisinternal"
    ).fetchall()
    ((name, enabled, definition),) = triggers
    assert (name, enabled) == ("bkpriv_watch", "A")
    assert "again" not in definition
    assert "mark_stale('" in definition
    clinic.execute(CHANGES[0])
    assert (stale(clinic, first), stale(clinic, second)) == (True, True)


@pytest.fixture
def lent(
    clinic: Connection, make_publisher: Callable[..., Connection], make_role: Callable[..., str]
) -> tuple[Connection, Connection, str]:
    """A table ``loan.patient``, its owner's connection, and a publisher who may only read it."""
    clinic.execute("CREATE SCHEMA loan; CREATE TABLE loan.patient AS TABLE clinic.patient")
    owner = make_role("owner")
    publisher = make_publisher()
    names = {"owner": sql.Identifier(owner), "publisher": sql.Identifier(publisher.info.user)}
    clinic.execute(
        sql.SQL(
            "ALTER TABLE loan.patient OWNER TO {owner}; GRANT USAGE ON SCHEMA loan TO {owner}, "
            "{publisher}; GRANT SELECT ON loan.patient TO {publisher}"
        ).format(**names)
    )
    return clinic, publisher, owner


def test_a_publisher_who_does_not_own_the_source_is_told_who_can_have_it_watched(
    lent: tuple[Connection, Connection, str], connect_as: Callable[[str], Connection]
) -> None:
    db, publisher, owner = lent
    said = overhear(publisher)
    publisher.execute(
        "SELECT bkpriv.register_dataset('mine', 'loan.patient', '{age,sex,city}', 'disease')"
    )
    (notice,) = [message for message in said if "stale will be unknown" in message]
    assert f"loan.patient belongs to role {owner}" in notice
    first = publish(publisher, "mine", view="mine")
    assert stale(publisher, first) is None
    with unchanged(db):
        refused(
            publisher,
            "SELECT bkpriv.watch('loan.patient')",
            sqlstate="42501",
            names=["loan.patient", owner],
        )
    # The owner, who needs no other job.
    mine = connect_as(owner)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        mine.execute("SELECT bkpriv.watch('loan.patient')")
    db.execute("SELECT bkpriv.grant_watcher(%s)", [owner])
    mine.execute("SELECT bkpriv.watch('loan.patient')")
    mine.execute("SELECT bkpriv.watch('loan.patient')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        mine.execute("SELECT * FROM bkpriv.releases")
    second = publish(publisher, "mine", view="mine")
    # Nobody knows what happened before.
    assert (stale(publisher, first), stale(publisher, second)) == (None, False)
    mine.execute("DELETE FROM loan.patient WHERE age = 30")
    assert (stale(publisher, first), stale(publisher, second)) == (None, True)
    with unchanged(db):
        refused(
            publisher,
            "SELECT bkpriv.unwatch('loan.patient')",
            sqlstate="42501",
            names=["loan.patient", owner],
        )
    mine.execute("SELECT bkpriv.unwatch('loan.patient')")
    with unchanged(db):
        refused(
            mine,
            "SELECT bkpriv.unwatch('loan.patient')",
            sqlstate="42704",
            names=["loan.patient"],
        )


def test_a_publisher_needs_no_right_to_create_triggers(
    lent: tuple[Connection, Connection, str],
) -> None:
    db, publisher, _ = lent
    assert not one(
        db,
        "SELECT has_table_privilege(%s, 'loan.patient', 'TRIGGER')",
        [publisher.info.user],
    )
    db.execute("SELECT bkpriv.watch('loan.patient')")
    said = overhear(publisher)
    publisher.execute(
        "SELECT bkpriv.register_dataset('mine', 'loan.patient', '{age,sex,city}', 'disease')"
    )
    assert [message for message in said if "stale" in message] == []
    assert stale(publisher, publish(publisher, "mine", view="mine")) is False


@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
def test_what_has_no_writes_of_its_own_is_not_watched(clinic: Connection, kind: str) -> None:
    clinic.execute(sql.SQL("CREATE {} clinic.shown AS TABLE clinic.patient").format(sql.SQL(kind)))
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.watch('clinic.shown')",
            sqlstate="42809",
            names=["clinic.shown", kind.lower()],
        )


def test_what_citus_distributes_is_not_watched(clinic: Connection) -> None:
    # Its catalog is all that tells, also where it lets triggers be created on the coordinator.
    clinic.execute(
        "SET allow_system_table_mods = on;"
        "CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);"
        "INSERT INTO pg_dist_partition VALUES ('clinic.patient');"
        "RESET allow_system_table_mods; SELECT bkpriv.unwatch('clinic.patient')"
    )
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.watch('clinic.patient')",
            sqlstate="42809",
            names=["clinic.patient is distributed"],
        )
    said = overhear(clinic)
    release = register(clinic, "clinic.patient", "shards")
    assert any("clinic.patient is distributed" in notice for notice in said)
    assert stale(clinic, release) is None


def test_the_watch_of_a_partition_ends_without_that_of_the_others(partitions: Connection) -> None:
    release = register(partitions, "clinic.visit")
    other = register(partitions, "clinic.south", "south")
    partitions.execute("SELECT bkpriv.unwatch('clinic.north')")
    watched = partitions.execute(
        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'bkpriv_watch' ORDER BY 1"
    ).fetchall()
    assert watched == [("clinic.patient",), ("clinic.south",), ("clinic.visit",)]
    assert (stale(partitions, release), stale(partitions, other)) == (None, False)


def test_staleness_of_what_cannot_be_watched_is_unknown_and_said_so(clinic: Connection) -> None:
    said = overhear(clinic)
    clinic.execute("CREATE VIEW clinic.shown AS SELECT * FROM clinic.patient")
    release = register(clinic, "clinic.shown")
    assert stale(clinic, release) is None
    (notice,) = [notice for notice in said if "stale will be unknown" in notice]
    assert '"visits"' in notice
    assert "clinic.shown is a view" in notice
    # What is known to have changed stays known.
    clinic.execute(CHANGES[0])
    assert stale(clinic, release) is None
