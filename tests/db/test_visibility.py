"""The proof that nothing was written to a source: what it must see, and what it must bear."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one
from tests.db.statements import countings, hear_statements
from tests.db.waiting import until, until_blocked, until_settled
from tests.db.writing import Outcomes, publish_apart, stale

pytestmark = pytest.mark.pooled

SOURCES = {
    "table": "CREATE TABLE clinic.source (LIKE clinic.patient)",
    "partitions": """
        CREATE TABLE clinic.source (LIKE clinic.patient) PARTITION BY LIST (sex);
        CREATE TABLE clinic.men PARTITION OF clinic.source FOR VALUES IN ('m');
        CREATE TABLE clinic.women PARTITION OF clinic.source DEFAULT PARTITION BY RANGE (age);
        CREATE TABLE clinic.girls PARTITION OF clinic.women FOR VALUES FROM (0) TO (30);
        CREATE TABLE clinic.ladies PARTITION OF clinic.women DEFAULT""",
    "children": """
        CREATE TABLE clinic.source (LIKE clinic.patient);
        CREATE TABLE clinic.child () INHERITS (clinic.source)""",
}

FUNCTIONS = """
CREATE FUNCTION look_before() RETURNS TABLE (oldest int8, ended int8[]) LANGUAGE plpython3u AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
from bkpriv_pl.publishing import visibility
before = visibility.look_before("clinic", "source")
return [(before.oldest, list(before.ended))]
$$;
CREATE FUNCTION unwritten_since(oldest int8, records int8, ended int8[], name text DEFAULT 'source')
RETURNS bool LANGUAGE plpython3u AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
from bkpriv_pl.publishing import visibility
before = visibility.Before(oldest, tuple(ended))
return visibility.unwritten_since("clinic", name, before, records)
$$
"""

ONE = "FROM clinic.source WHERE ctid = (SELECT min(ctid) FROM clinic.source WHERE sex = 'm')"
ROW = "(30, 'm', 'Aln', 'ulcer')"

WRITES = {
    "insert": f"INSERT INTO clinic.source VALUES {ROW}",
    "delete": f"DELETE {ONE}",
    "update": "UPDATE clinic.source SET disease = 'asthma' WHERE age = 30",
    "update to the same": "UPDATE clinic.source SET age = age WHERE age = 30",
    "delete and insert the same": f"""
        WITH gone AS (DELETE {ONE} RETURNING *) INSERT INTO clinic.source SELECT * FROM gone""",
    "truncate and insert the same": """
        CREATE TEMPORARY TABLE kept ON COMMIT DROP AS TABLE clinic.source;
        TRUNCATE clinic.source;
        INSERT INTO clinic.source TABLE kept""",
    "insert in a subtransaction": f"""
        DO $$ BEGIN
            BEGIN
                INSERT INTO clinic.source VALUES {ROW};
            EXCEPTION WHEN division_by_zero THEN NULL;
            END;
        END $$""",
    "delete and insert in subtransactions": f"""
        SAVEPOINT one; DELETE {ONE}; RELEASE one; SAVEPOINT two;
        INSERT INTO clinic.source VALUES {ROW}; RELEASE two""",
    "insert that no trigger sees": f"""
        SET LOCAL session_replication_role = replica;
        DELETE {ONE}; INSERT INTO clinic.source VALUES {ROW}""",
}

HARMLESS = {
    "nothing": "SELECT",
    "reading": "SELECT count(*) FROM clinic.source",
    "locks of rows": "SELECT count(*) FROM (SELECT FROM clinic.source FOR UPDATE) AS x",
    "shared locks of rows": "SELECT count(*) FROM (SELECT FROM clinic.source FOR KEY SHARE) AS x",
    "writing elsewhere": "CREATE TABLE elsewhere AS TABLE clinic.source",
}


@pytest.fixture(scope="module")
def observatory(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic where `FUNCTIONS` can be called."""
    shared_clinic.execute(FUNCTIONS)
    return shared_clinic


@pytest.fixture(params=SOURCES)
def source(observatory: Connection, request: pytest.FixtureRequest) -> Connection:
    """Superuser's connection; ``clinic.source`` holds the patients, and is not registered."""
    observatory.execute("DROP TABLE IF EXISTS clinic.source CASCADE")
    observatory.execute("DROP TABLE IF EXISTS clinic.men, clinic.others, public.elsewhere")
    observatory.execute(SOURCES[request.param])
    observatory.execute("INSERT INTO clinic.source SELECT * FROM clinic.patient")
    until_settled(observatory)
    return observatory


@pytest.fixture
def writer(source: Connection, shared_database: Database) -> Iterator[Connection]:
    """Another session, closed at the end."""
    with shared_database.connect() as connection:
        yield connection


Counted = tuple[int, int, list[int]]


def count(db: Connection) -> Counted:
    """Oldest transaction at work; the records after that; who else had ended before."""
    # It has a number of its own, as where a publication has taken its turn.
    with db.transaction():
        db.execute("SELECT pg_current_xact_id()")
        oldest, ended = db.execute("SELECT * FROM look_before()").fetchall()[0]
        return oldest, one(db, "SELECT count(*) FROM clinic.source"), ended


def unwritten(db: Connection, counted: Counted) -> bool:
    answer: bool = one(db, "SELECT unwritten_since(%s, %s, %s)", counted)
    return answer


def write(connection: Connection, statements: str) -> None:
    """Run statements in one transaction."""
    with connection.transaction():
        connection.execute(statements)


@pytest.mark.parametrize("what", WRITES)
def test_every_write_is_seen(source: Connection, writer: Connection, what: str) -> None:
    counted = count(source)
    assert unwritten(source, counted)
    write(writer, WRITES[what])
    assert not unwritten(source, counted)
    until_settled(source)
    assert unwritten(source, count(source))


@pytest.mark.parametrize("what", [what for what in WRITES if "subtransaction" in what])
def test_a_write_that_was_at_work_when_the_source_was_counted_is_seen(
    source: Connection, writer: Connection, what: str
) -> None:
    with writer.transaction():
        # Its number is lower than those of transactions that end before the count.
        writer.execute("SELECT pg_current_xact_id()")
        for _ in range(3):
            source.execute("SELECT pg_current_xact_id()")
        counted = count(source)
        writer.execute(WRITES[what])
    assert not unwritten(source, counted)


@pytest.mark.parametrize("what", HARMLESS)
def test_what_writes_nothing_is_no_hindrance(
    source: Connection, writer: Connection, what: str
) -> None:
    counted = count(source)
    write(writer, HARMLESS[what])
    assert unwritten(source, counted)


@pytest.mark.parametrize("command", ["VACUUM FREEZE", "VACUUM FULL", "ANALYZE"])
def test_maintenance_is_no_hindrance(source: Connection, command: str) -> None:
    counted = count(source)
    source.execute(sql.SQL("{} clinic.source").format(sql.SQL(command)))
    assert unwritten(source, counted)
    write(source, WRITES["update to the same"])
    source.execute(sql.SQL("{} clinic.source").format(sql.SQL(command)))
    assert not unwritten(source, counted)


def test_a_write_that_is_rolled_back_is_none(source: Connection) -> None:
    counted = count(source)
    with source.transaction(force_rollback=True):
        source.execute(WRITES["delete and insert in subtransactions"])
        assert not unwritten(source, counted)
    assert unwritten(source, counted)


def test_what_the_transaction_wrote_itself_proves_nothing(source: Connection) -> None:
    with source.transaction():
        source.execute(WRITES["insert"])
        assert not unwritten(source, count(source))


def test_an_old_transaction_at_work_makes_young_rows_doubtful(
    source: Connection, writer: Connection
) -> None:
    with writer.transaction():
        writer.execute("SELECT pg_current_xact_id()")
        assert unwritten(source, count(source))
        write(source, WRITES["insert"])
        oldest, records, ended = counted = count(source)
        assert len(ended) == 1
        assert not unwritten(source, (oldest, records, []))
        # Unless they were looked at before: who wrote them had ended.
        assert unwritten(source, counted)
        write(source, WRITES["delete and insert the same"])
        assert not unwritten(source, counted)
    until_settled(source)
    assert unwritten(source, count(source))


LOADS = {
    "by itself": "INSERT INTO clinic.source SELECT * FROM clinic.patient",
    "in subtransactions": "SAVEPOINT a; INSERT INTO clinic.source SELECT * FROM clinic.patient; "
    f"RELEASE a; SAVEPOINT b; {WRITES['delete']}; RELEASE b; SAVEPOINT c; {WRITES['insert']}",
}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("ends", [False, True])
def test_what_was_loaded_beside_an_old_transaction_is_not_counted_again(
    source: Connection, writer: Connection, load: str, ends: bool
) -> None:
    writer.execute("BEGIN; CREATE TABLE elsewhere AS TABLE clinic.patient")
    write(source, LOADS[load])
    counted = count(source)
    if ends:
        writer.execute("COMMIT")
    assert unwritten(source, counted)
    writer.execute("ROLLBACK")


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("what", WRITES)
def test_an_old_transaction_that_writes_after_the_count_is_seen(
    source: Connection, writer: Connection, what: str, load: str
) -> None:
    # Under numbers that are lower than those of who had ended: its own, and that of a
    # subtransaction that is at work.
    with writer.transaction():
        writer.execute(
            "SELECT pg_current_xact_id(); SAVEPOINT open; CREATE TEMPORARY TABLE own (a int)"
        )
        write(source, LOADS[load])
        counted = count(source)
        assert counted[2]
        writer.execute(WRITES[what])
    assert not unwritten(source, counted)


@pytest.mark.parametrize("what", [what for what in WRITES if "truncate" not in what])
def test_an_old_transaction_that_wrote_before_the_count_is_seen(
    source: Connection, writer: Connection, what: str
) -> None:
    with writer.transaction():
        writer.execute("SELECT pg_current_xact_id()")
        write(source, WRITES["insert that no trigger sees"])
        writer.execute(f"SAVEPOINT within; {WRITES[what]}")
        counted = count(source)
    assert not unwritten(source, counted)


def test_more_young_writers_than_are_told_apart_prove_nothing(
    source: Connection, writer: Connection
) -> None:
    with writer.transaction():
        writer.execute("SELECT pg_current_xact_id()")
        source.execute(
            "DO $$ BEGIN FOR i IN 1..1001 LOOP "
            f"INSERT INTO clinic.source VALUES {ROW}; COMMIT; END LOOP; END $$"
        )
        counted = count(source)
        assert counted[2] == []
        assert not unwritten(source, counted)


def test_a_prepared_transaction_counts_as_at_work(source: Connection, writer: Connection) -> None:
    if one(source, "SELECT current_setting('max_prepared_transactions')::int") == 0:
        pytest.skip("this server prepares no transactions")
    writer.execute(f"BEGIN; {WRITES['delete and insert the same']}; PREPARE TRANSACTION 'later'")
    counted = count(source)
    writer.execute("COMMIT PREPARED 'later'")
    assert not unwritten(source, counted)


@pytest.mark.parametrize("numbers", [2**31, 2**32, 3 * 2**31])
def test_numbers_that_come_round_prove_nothing(source: Connection, numbers: int) -> None:
    oldest, records, _ = count(source)
    assert not unwritten(source, (oldest - numbers, records, []))


def test_what_is_attached_meanwhile_is_seen(source: Connection) -> None:
    # As many records go as come, and all of them are old.
    kind = one(source, "SELECT relkind::text FROM pg_class WHERE oid = 'clinic.source'::regclass")
    if kind == "p":
        change = """
            ALTER TABLE clinic.source DETACH PARTITION clinic.men;
            ALTER TABLE clinic.source ATTACH PARTITION clinic.others FOR VALUES IN ('m')"""
    else:
        change = "ALTER TABLE clinic.others INHERIT clinic.source"
        source.execute("DELETE FROM clinic.source WHERE sex = 'm'")
    source.execute("CREATE TABLE clinic.others AS SELECT * FROM clinic.patient WHERE sex = 'm'")
    source.execute("UPDATE clinic.others SET disease = 'ulcer'")
    until_settled(source)
    oldest, records, ended = count(source)
    write(source, change)
    assert not unwritten(source, (oldest, one(source, "SELECT count(*) FROM clinic.source"), ended))
    if kind == "p":
        assert not unwritten(source, (oldest, records, ended))
    until_settled(source)
    assert unwritten(source, count(source))


@pytest.mark.parametrize(
    "relation",
    [
        "CREATE VIEW clinic.other AS TABLE clinic.source",
        "CREATE MATERIALIZED VIEW clinic.other AS TABLE clinic.source",
        "CREATE ACCESS METHOD mine TYPE TABLE HANDLER heap_tableam_handler; "
        "CREATE TABLE clinic.other USING mine AS TABLE clinic.source",
    ],
    ids=["view", "materialized view", "another access method"],
)
@pytest.mark.parametrize("source", ["table"], indirect=True)
def test_relations_that_do_not_tell_who_wrote_prove_nothing(
    source: Connection, relation: str
) -> None:
    with source.transaction(force_rollback=True):
        source.execute(relation)
        records = one(source, "SELECT count(*) FROM clinic.other")
        oldest = one(source, "SELECT pg_current_xact_id()::text::int8 + 1")
        assert unwritten(source, (oldest, records, []))
        assert not one(source, "SELECT unwritten_since(%s, %s, '{}', 'other')", [oldest, records])


def test_tables_that_citus_distributes_prove_nothing(source: Connection) -> None:
    counted = count(source)
    with source.transaction(force_rollback=True):
        source.execute("SET LOCAL allow_system_table_mods = on")
        source.execute("CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass)")
        assert unwritten(source, counted)
        source.execute(
            "INSERT INTO pg_dist_partition SELECT max(tableoid::int8)::oid FROM clinic.source"
        )
        assert not unwritten(source, counted)


@pytest.mark.parametrize("source", ["table"], indirect=True)
def test_where_policies_pick_rows_nothing_is_proved(
    source: Connection, shared_database: Database, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    counted = count(source)
    source.execute(
        sql.SQL(
            """
            SELECT bkpriv.grant_publisher({name});
            GRANT USAGE ON SCHEMA clinic TO {role};
            GRANT SELECT ON clinic.source TO {role};
            """
        ).format(name=sql.Literal(reader), role=sql.Identifier(reader))
    )
    with shared_database.connect(reader) as connection:
        assert unwritten(connection, counted)
        source.execute("ALTER TABLE clinic.source ENABLE ROW LEVEL SECURITY")
        source.execute("CREATE POLICY all_rows ON clinic.source USING (true)")
        assert not unwritten(connection, counted)
    # A superuser sees every row.
    assert unwritten(source, counted)


@pytest.mark.parametrize("source", ["table"], indirect=True)
def test_who_may_read_only_some_columns_cannot_prove_anything(
    source: Connection, shared_database: Database, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    counted = count(source)
    source.execute(
        sql.SQL(
            """
            SELECT bkpriv.grant_publisher({name});
            GRANT USAGE ON SCHEMA clinic TO {role};
            GRANT SELECT (age, sex) ON clinic.source TO {role};
            """
        ).format(name=sql.Literal(reader), role=sql.Identifier(reader))
    )
    with shared_database.connect(reader) as connection:
        assert not unwritten(connection, counted)


# --- in a publication -----------------------------------------------------------------------------


@contextmanager
def between_count_and_end(
    db: Connection, database: Database
) -> Iterator[tuple[Outcomes, list[str]]]:
    """Hold a publication up after it has counted; it goes on when the block ends."""
    until_settled(db)
    keeper, other = database.connect(), database.connect()
    heard, backend = hear_statements(other), other.info.backend_pid
    with keeper.transaction():
        keeper.execute("LOCK TABLE bkpriv.release_attribute IN SHARE MODE")
        thread, results = publish_apart(other)
        until(lambda: results or "writing" in step(db, backend))
        until_blocked(db, backend)
        yield results, heard
    thread.join()


def step(db: Connection, backend: int) -> str:
    """Return what a publication is at."""
    query = "SELECT application_name FROM pg_stat_activity WHERE pid = %s"
    return str(one(db, query, [backend]))


def in_clinic(statements: str) -> str:
    return statements.replace("clinic.source", "clinic.patient")


SAME = {"update to the same", "delete and insert the same", "truncate and insert the same"}


# Whatever must lock readers out waits for the publication to end.
MEANWHILE = [what for what in WRITES if "truncate" not in what]


@pytest.mark.parametrize("what", MEANWHILE)
def test_a_write_between_count_and_end_makes_a_release_stale(
    clinic: Connection, database: Database, what: str
) -> None:
    with between_count_and_end(clinic, database) as (results, heard):
        write(database.connect(), in_clinic(WRITES[what]))
    assert stale(clinic, results[0]) is (what not in SAME)
    assert len(countings(heard)) == 2


@pytest.mark.parametrize("what", ["delete", "update to the same", "insert in a subtransaction"])
def test_a_write_that_began_before_the_count_makes_a_release_stale(
    clinic: Connection, database: Database, what: str
) -> None:
    writer, other = database.connect(), database.connect()
    heard = hear_statements(other)
    with writer.transaction():
        writer.execute(in_clinic(WRITES[what]))
        thread, results = publish_apart(other)
        until(lambda: results or "waiting for writers" in step(clinic, other.info.backend_pid))
    thread.join()
    assert stale(clinic, results[0]) is (what not in SAME)
    assert len(countings(heard)) == 2


@pytest.mark.parametrize("what", HARMLESS)
def test_the_source_is_counted_once_where_nothing_is_written(
    clinic: Connection, database: Database, what: str
) -> None:
    with between_count_and_end(clinic, database) as (results, heard):
        write(database.connect(), in_clinic(HARMLESS[what]))
    assert stale(clinic, results[0]) is False
    assert len(countings(heard)) == 1
