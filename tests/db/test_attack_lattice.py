"""Attacks on withdrawal by what strangers build on a view, and by what they hold of it."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, rows_of, status
from tests.db.refusal import refused

pytestmark = pytest.mark.pooled

WITHDRAW = "SELECT bkpriv.withdraw(%s, 'a person objected')"
READERS = "SELECT array_agg(reader ORDER BY reader) FROM bkpriv_internal.readers_of(%s)"
LAYERS = 40
"""Layers of a lattice; as many paths lead through it as two to that power."""


@pytest.fixture
def shown(publisher: Connection, reader: Connection, db: Connection) -> str:
    """A published view of release 1 that the reader may name, and may not read."""
    name, role = publisher.info.user, reader.info.user
    if publisher.info.server_version < 150000:
        pytest.skip("views read with the rights of their owners")
    publisher.execute(
        sql.SQL("REVOKE ALL ON shown FROM PUBLIC; GRANT USAGE ON SCHEMA {} TO {}").format(
            sql.Identifier(name), sql.Identifier(role)
        )
    )
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows_of(reader, f'"{name}".shown')
    # What does not end fails.
    publisher.execute("SET statement_timeout = '60s'")
    return f'"{name}".shown'


def invoker(connection: Connection, name: str, *below: str, temporary: bool = False) -> None:
    """Make a view that reads what is below it with the rights of who asks."""
    query = " UNION ALL ".join(f"SELECT a FROM {each}" for each in below)
    kind = "TEMPORARY VIEW" if temporary else "VIEW"
    connection.execute(f"CREATE {kind} {name} WITH (security_invoker) AS {query}".encode())


def lay(connection: Connection, shown: str, *, temporary: bool) -> tuple[str, str]:
    """Build layers of two views, each of which reads both of the layer below; the last two."""
    below: tuple[str, ...] = (shown,)
    for layer in range(LAYERS):
        names = (f"left_{layer}", f"right_{layer}")
        for name in names:
            invoker(connection, name, *below, temporary=temporary)
        below = names
    return below[0], below[1]


@pytest.mark.parametrize("temporary", [False, True])
def test_a_strangers_lattice_is_followed_once(
    publisher: Connection, reader: Connection, shown: str, *, temporary: bool
) -> None:
    lay(reader, shown, temporary=temporary)
    assert one(publisher, READERS, [1]) == [publisher.info.user]
    said = overhear(publisher)
    publisher.execute(WITHDRAW, [1])
    assert one(publisher, "SELECT readers FROM bkpriv.release_event") == [publisher.info.user]
    assert status(publisher) == "withdrawn"
    # The nearest are named, and there are more.
    (notice,) = said
    assert "left_0" in notice
    assert f"{2 * LAYERS - 50} others" in notice


def test_who_reads_through_a_lattice_is_a_reader(
    publisher: Connection, reader: Connection, db: Connection, shown: str
) -> None:
    last, _ = lay(reader, shown, temporary=False)
    reader.execute(f"CREATE VIEW open AS SELECT a FROM {last}; GRANT SELECT ON open TO PUBLIC")
    assert one(publisher, READERS, [1]) == [publisher.info.user]
    # All that it reads is needed.
    publisher.execute(f'GRANT SELECT (a) ON shown TO "{reader.info.user}"')
    assert one(publisher, READERS, [1]) == sorted(["PUBLIC", publisher.info.user, reader.info.user])
    reader.execute(f"REVOKE SELECT ON left_0 FROM {reader.info.user}")
    assert "PUBLIC" in one(publisher, READERS, [1])
    reader.execute(f"REVOKE SELECT ON right_0 FROM {reader.info.user}")
    assert "PUBLIC" not in one(publisher, READERS, [1])


def test_too_many_views_leave_readers_unknown_and_are_said(
    publisher: Connection, reader: Connection, shown: str
) -> None:
    for place in range(301):
        invoker(reader, f"many_{place}", shown)
    assert one(publisher, READERS, [1]) == [publisher.info.user, None]
    said = overhear(publisher)
    publisher.execute(WITHDRAW, [1])
    assert any("not every role" in line and "release 1" in line for line in said)
    recorded = one(publisher, "SELECT readers FROM bkpriv.release_event")
    assert recorded == [publisher.info.user, None]


@pytest.mark.always
def test_a_web_of_views_is_not_followed_to_its_end(
    publisher: Connection, reader: Connection, shown: str
) -> None:
    # Of so few views, each reads all before it: the pairs are more than are followed.
    for place in range(145):
        invoker(reader, f"web_{place}", shown, *(f"web_{below}" for below in range(place)))
    assert one(publisher, READERS, [1]) == [publisher.info.user, None]
    publisher.execute(WITHDRAW, [1])
    assert status(publisher) == "withdrawn"


def test_what_a_stranger_is_busy_with_does_not_hold_a_withdrawal_up(
    publisher: Connection, reader: Connection, shown: str
) -> None:
    reader.execute(f"CREATE VIEW busy AS SELECT 1 AS a FROM {shown}")
    publisher.execute("SET lock_timeout = '5s'")
    with reader.transaction():
        reader.execute("ALTER VIEW busy SET (security_barrier)")
        publisher.execute(WITHDRAW, [1])
    assert status(publisher) == "withdrawn"
    assert rows_of(publisher, "shown") == []


def test_a_publisher_who_is_busy_with_a_view_on_the_table_does_not_either(
    publisher: Connection, make_publisher: Callable[..., Connection], db: Connection
) -> None:
    attacker = make_publisher("attacker")
    attacker.execute("CREATE VIEW busy AS SELECT 1 AS a FROM bkpriv_release.release_1")
    with attacker.transaction():
        attacker.execute("ALTER VIEW busy SET (security_barrier)")
        publisher.execute(WITHDRAW, [1])
    assert status(publisher) == "withdrawn"
    assert one(db, "SELECT count(*) FROM bkpriv_release.release_1") == 0
    assert one(publisher, "SELECT current_setting('lock_timeout')") == "0"


def test_a_view_that_a_stranger_holds_is_said(
    publisher: Connection, reader: Connection, shown: str
) -> None:
    publisher.execute("SET lock_timeout = '50ms'")
    with reader.transaction():
        reader.execute(f"PREPARE held AS SELECT a FROM {shown}")
        said = refused(publisher, WITHDRAW, [1], sqlstate="55P03", names=["release 1"])
        assert "pg_blocking_pids" in (said.message_hint or "")
    assert status(publisher) == "published"
    publisher.execute(WITHDRAW, [1])
    assert status(publisher) == "withdrawn"


def test_readers_that_are_not_known_are_said_where_they_are_judged(
    db: Connection, database: Database, reader: Connection
) -> None:
    if db.info.server_version < 150000:
        pytest.skip("views read with the rights of their owners")
    db.execute("CREATE TABLE people AS SELECT 'p' || i AS name, i AS age, 'flu' AS a "
               "FROM generate_series(1, 4) AS i")  # fmt: skip
    db.execute("SELECT bkpriv.register_dataset('people', 'people', '{age}', 'a', 'name')")
    db.execute("""SELECT bkpriv.set_policy('k', '{"k_anonymity": {"k": 4}}')""")
    publish(db, "people", "k", "public.people_shown")
    db.execute("GRANT SELECT ON public.people_shown TO PUBLIC")
    said = overhear(db)
    db.execute("SELECT * FROM bkpriv.audit_readers('people')")
    assert not any("not every role" in line for line in said)
    for place in range(301):
        invoker(reader, f"many_{place}", "public.people_shown")
    db.execute("SELECT * FROM bkpriv.audit_readers('people')")
    assert any("not every role" in line and "release 1" in line for line in said)
