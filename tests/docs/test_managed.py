"""The page on managed servers, from begin to end, with a server that has no PL/Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import one, state_policy
from tests.db.waiting import until
from tests.docs.documents import ELSEWHERE, ROLES, ROOT, check_blocks, read_blocks
from tests.moved import Moved, moved_server

PAGE = ROOT / "docs" / "howto" / "managed.md"

ASKED = "local all postgres trust\nlocal all all scram-sha-256\n"
"""Rules of the managed server: only a superuser comes in without a password."""

AGAIN = "SELECT bkpriv.publish('visits', 'plain', 'desk.again')"


@dataclass(frozen=True)
class Managed:
    """A server without PL/Python, its files, and a superuser's connection to it."""

    files: Moved
    db: Connection

    def queries(self) -> list[str]:
        """Queries of foreign tables that it was sent so far."""
        lines = (self.files.directory / "log").read_text().splitlines()
        return [line.strip() for line in lines if line.startswith("\tSELECT ")]


@dataclass(frozen=True)
class Gateway:
    """The server that has bkpriv: a superuser's connection, and one of the publisher's."""

    db: Connection
    publisher: Connection


@pytest.fixture(scope="module")
def managed(server: Connection) -> Iterator[Managed]:
    """A server without PL/Python, which asks for passwords, and writes down what it is asked."""
    with moved_server(server) as files:
        files.copy("managed", "*plpython*", "bkpriv*")
        data = files.make_cluster("managed")
        (data / "pg_hba.conf").write_text(ASKED)
        with (data / "postgresql.conf").open("a") as settings:
            settings.write("log_statement = 'all'\n")
        with files.serving("managed") as db:
            names = {row[0] for row in db.execute("SELECT name FROM pg_available_extensions")}
            assert not names & {"plpython3u", "bkpriv"}
            if "postgres_fdw" not in names:
                pytest.skip("this server lacks postgres_fdw, a contributed module")
            yield Managed(files, db)


@pytest.fixture(scope="module")
def gateway(
    managed: Managed, shared_database: Database, make_role: Callable[..., str]
) -> Iterator[Gateway]:
    """The gateway, after the page up to the withdrawal; the rest is run when the tests end."""
    db = shared_database.connect()
    roles = {name: make_role(label) for name, label in ROLES.items()}
    places = {
        "'managed.example.com'": f"'{managed.files.directory}'",
        "'gateway.example.com'": f"'{db.info.host}'",
        "port '5432', dbname 'gateway'": f"port '{db.info.port}', dbname '{db.info.dbname}'",
    }
    uris = {
        False: f"host={db.info.host} port={db.info.port} user=postgres dbname={db.info.dbname}",
        True: f"host={managed.files.directory} user=postgres dbname=postgres",
    }
    psql = managed.files.places["BINDIR"] / "psql"
    for elsewhere, some in groupby(read_blocks(PAGE), lambda b: b.code.startswith(ELSEWHERE)):
        blocks = []
        for block in some:
            code = block.code
            for name, place in places.items():
                code = code.replace(name, place)
            blocks.append(replace(block, code=code))
        if any("bkpriv.withdraw" in block.code for block in blocks):
            publisher = shared_database.connect(roles["nora"])
            state_policy(publisher, "plain", {"k_anonymity": {"k": 5}})
            yield Gateway(db, publisher)
        check_blocks(blocks, psql, uris[elsewhere], roles)


def test_what_was_published_is_there_and_nothing_else_was_written(
    managed: Managed, gateway: Gateway
) -> None:
    shown = Counter(gateway.db.execute("SELECT * FROM desk.shown").fetchall())
    assert shown.total() == 4000
    for copy in ("visit", "fetched"):
        query = f"SELECT * FROM released.{copy}"
        assert Counter(managed.db.execute(query.encode()).fetchall()) == shown, copy
    written = managed.db.execute(
        "SELECT relname::text FROM pg_stat_user_tables WHERE schemaname <> 'clinic'"
    )
    assert {name for (name,) in written} == {"visit", "fetched"}


def test_publications_fetch_counts_and_measures_nothing(managed: Managed, gateway: Gateway) -> None:
    before = len(managed.queries())
    for call in (
        AGAIN,
        "SELECT count(*) FROM bkpriv.prior('visits', '0.3')",
        "SELECT count(*) FROM bkpriv.explore('visits', '[{\"k_anonymity\": {\"k\": 9}}]')",
    ):
        gateway.publisher.execute(call.encode())
        asked = managed.queries()[before:]
        before += len(asked)
        assert asked == [
            "SELECT age, seen, sex, diagnosis, count(*) FROM clinic.visit GROUP BY 1, 2, 3, 4"
        ], call
    for call in ("audit(1)", "utility(1)", "disclosure(1, '0.3')"):
        gateway.publisher.execute(f"SELECT count(*) FROM bkpriv.{call}".encode())
    assert len(managed.queries()) == before


def test_publishers_have_the_view_and_no_more(managed: Managed, gateway: Gateway) -> None:
    for query in ("TABLE managed.visit", "TABLE managed.released_visit"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            gateway.publisher.execute(query.encode())
    seen = gateway.publisher.execute("SELECT umoptions FROM pg_user_mappings").fetchall()
    assert seen == [(None,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        gateway.publisher.execute("TABLE pg_user_mapping")
    # Nor may the gateway read, or write, anything else over there.
    managed.db.execute("SET ROLE gateway")
    for statement in (
        "SELECT patient FROM clinic.visit",
        "DELETE FROM clinic.visit",
        "CREATE TABLE released.more ()",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            managed.db.execute(statement.encode())
    managed.db.execute("RESET ROLE")


def test_staleness_is_unknown_and_counts_tell_what_changed(
    managed: Managed, gateway: Gateway
) -> None:
    again = (
        "SELECT bkpriv.publish('visits', 'careful', 'desk.shown', "
        'options => \'{"ranges": "bounds", "if_stale": true}\')'
    )
    before = len(managed.queries())
    assert one(gateway.publisher, again) == 1
    asked = managed.queries()[before:]
    assert asked
    assert all("count(*)" in query for query in asked)
    assert one(gateway.db, "SELECT stale FROM bkpriv.releases WHERE release = 1") is None
    with pytest.raises(psycopg.Error, match=r"managed\.visit cannot be watched") as refused:
        gateway.db.execute("SELECT bkpriv.watch('managed.visit')")
    assert refused.value.diag.message_detail == "managed.visit is a foreign table."


def test_a_transaction_sees_one_state(managed: Managed, gateway: Gateway) -> None:
    records = "SELECT records FROM bkpriv.releases ORDER BY release DESC LIMIT 1"
    with gateway.publisher.transaction(force_rollback=True):
        assert one(gateway.publisher, "SELECT count(*) FROM clinic.visit") == 4000
        managed.db.execute("INSERT INTO clinic.visit SELECT * FROM clinic.visit LIMIT 1")
        gateway.publisher.execute(AGAIN)
        assert one(gateway.publisher, records) == 4000
    with gateway.publisher.transaction(force_rollback=True):
        gateway.publisher.execute(AGAIN)
        assert one(gateway.publisher, records) == 4001
    managed.db.execute("DELETE FROM clinic.visit WHERE ctid = (SELECT max(ctid) FROM clinic.visit)")


def test_a_publication_whose_transaction_is_ended_there_leaves_nothing(
    managed: Managed, gateway: Gateway, shared_database: Database
) -> None:
    releases = "SELECT count(*) FROM bkpriv.releases"
    before = one(gateway.db, releases)
    role = gateway.publisher.info.user
    timeout = "ALTER ROLE gateway SET idle_in_transaction_session_timeout = {}"
    managed.db.execute(timeout.format("'200ms'").encode())
    publisher = shared_database.connect(role)
    publisher.execute("BEGIN")
    publisher.execute(AGAIN.encode())
    idle = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'gateway' AND state ~ '^idle in'"
    until(lambda: one(managed.db, idle) == 0)
    with pytest.raises(psycopg.Error):
        publisher.execute("COMMIT")
    assert one(gateway.db, releases) == before
    managed.db.execute(timeout.format("0").encode())
