"""Surroundings of the tests: a real server, fresh databases, roles, and hypothesis.

Rules
-----
- ``make test`` runs the tests in several processes and starts a server for each, since roles, locks
  and transactions are seen by a whole server. ``BKPRIV_TEST_URI`` names them, one a line; a single
  process uses the first. Tests of the core need none; a test that needs a server and does not find
  it fails, it is never skipped.
- Each test gets a database of its own, copied from a template that holds the extension, so tests
  neither see nor wait for one another. Every name that the whole cluster sees (databases, roles) is
  unique to the run, so several runs may share the server.
- Modules marked ``rolled_back`` share a database and a session instead: each of their tests runs
  in a transaction that is taken back, in which every statement stands or fails by itself. That is
  for tests to which neither commits nor other sessions matter. Those that ask for `clinic` share
  another, which holds it. Those of them that ask for `database`, or for anything that opens
  further connections to it, still get one of their own. What a session has loaded stays: a test
  that changes it puts it back.
- Modules marked ``pooled`` take turns in one database and its sessions, which are cleared
  after each test and then compared with the template; what is not as it was, is replaced. That is
  for tests that commit, or open further connections, and do not look at how a session begins.
  A session that is lent for a role has been a superuser's: `SET SESSION AUTHORIZATION`.
- Whatever a test opens or creates here is closed and dropped for it.
- ``make test-all`` runs everything. ``make test`` leaves out what is marked ``extended`` and what
  is dear (`tests.costs`), and tries a share of what is tried many times (`sample` says how many) or
  is marked ``crossed``. ``make test-all SHARE=2/7`` runs a seventh of what it leaves out.
- Both try the same examples of each property every time, whatever else is loaded or changed.
  ``make fuzz`` tries fresh ones of properties alone (`tests.fuzz`). Examples that fail there are
  kept in ``.hypothesis``, tried again by the next ``make fuzz``, and committed as ``@example``.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import hypothesis
import psycopg
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pytest_postgresql import factories

from tests import costs
from tests.pool import Lent, State, clear, renewed

Connection = psycopg.Connection[tuple[Any, ...]]

_WHAT = os.environ.get("BKPRIV_TESTS", "")
_SHARE = os.environ.get("BKPRIV_SHARE", "")
EXTENDED = _WHAT == "all"
"""Whether everything is run, as often as it says."""

FUZZING = _WHAT == "fuzz"
"""Whether fresh examples of properties are tried, and nothing else."""


def sample(trials: int) -> int:
    """Number of trials that are made: all, or in ``make test`` a third, and at most sixty."""
    return trials if EXTENDED or FUZZING else min(-(-trials // 3), 60)


_EXAMPLES = Path(__file__).resolve().parents[1] / ".hypothesis" / "examples"

hypothesis.settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, max_examples=sample(50)
)
hypothesis.settings.register_profile(
    "fresh",
    deadline=None,
    max_examples=sample(50),
    database=DirectoryBasedExampleDatabase(_EXAMPLES),
    suppress_health_check=list(hypothesis.HealthCheck),
    print_blob=True,
)
hypothesis.settings.load_profile("fresh" if FUZZING else "fixed")
if not FUZZING:
    # Hypothesis draws some constants that it reads in the modules loaded so far. So the examples
    # would depend on which tests ran before in this process, and on each line of the code.
    providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``make test-all`` runs, or all but properties, which are shuffled."""
    if EXTENDED and not _SHARE:
        return
    if FUZZING:
        left_out = {item for item in items if _no_property(item)}
    else:
        left_out = {item for item in items if _waits(item)}
        left_out |= costs.left_out([i for i in items if i not in left_out], costs.read_costs())
    if _SHARE:
        number, of = map(int, _SHARE.split("/"))
        # By name: a test that is added or removed moves no other to another day.
        day = {item for item in left_out if crc32(item.nodeid.encode()) % of == number % of}
        left_out = {*items} - day
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    if FUZZING:
        Random(config.getoption("--hypothesis-seed")).shuffle(items)


def pytest_runtest_setup() -> None:
    """Begin no further property once the time of ``make fuzz`` is over."""
    if FUZZING and time.time() > float(os.environ.get("BKPRIV_FUZZ_UNTIL", "inf")):
        pytest.skip("the time is over")


def _no_property(item: pytest.Item) -> bool:
    return not getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


def _waits(item: pytest.Item) -> bool:
    """Whether a test is for ``make test-all``.

    Of a test that is marked ``crossed``, with parameters each of which is tried with each, every
    second or third is not: each value occurs, with others in turn.
    """
    if item.get_closest_marker("extended"):
        return True
    if not (item.get_closest_marker("crossed") and isinstance(item, pytest.Function)):
        return False
    sizes = [len(mark.args[1]) for mark in item.iter_markers("parametrize")]
    number, places = next(iter(item.callspec.indices.values())), 0
    for size in reversed(sizes):  # the last is the first to change
        number, place = divmod(number, size)
        places += place
    return places % min(3, sorted(sizes)[-2]) != 0


class RolledBack(Connection):
    """A connection to be used in a transaction, where a refused statement undoes only itself."""

    def execute(self, *args: Any, **kwargs: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement as an autocommit connection would."""
        with self.transaction():
            return super().execute(*args, **kwargs)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Take back what a test does, and no longer tell it of notices."""
        heard = [*self._notice_handlers]
        with self.transaction(force_rollback=True):
            for sequence in ("release_id", "release_event_id", "audit_id"):
                # Unlike setval, it is taken back with the rest.
                self.execute(f"ALTER SEQUENCE bkpriv.{sequence} RESTART")
            yield
            self.execute("SELECT")  # fails if an error has gone by unnoticed
        self._notice_handlers[:] = heard


@dataclass(frozen=True)
class Database:
    """A database that holds the extension, and the connections that a test opened to it."""

    conninfo: str
    opened: list[Connection] = field(default_factory=list)
    kept: list[Connection] = field(default_factory=list)
    idle: list[Connection] = field(default_factory=list)

    def first(self) -> Connection:
        """Superuser's connection by the session that is kept, if there is one."""
        return self.kept[0] if self.kept else self.connect()

    def connect(self, role: str = "postgres") -> Connection:
        """Open an autocommit connection as a role; it is closed with the database.

        Of a pool, it is one by a session that was lent before, if one is idle.
        """
        if self.kept:
            idle = self.idle.pop() if self.idle else psycopg.connect(self.uri(), autocommit=True)
            self.kept.append(idle)
            connection: Connection = Lent.to(idle, role)
        else:
            connection = psycopg.connect(self.uri(role), autocommit=True)
        self.opened.append(connection)
        return connection

    def uri(self, role: str = "postgres") -> str:
        """Return the connection string for a role, for programs such as ``pg_dump``."""
        return make_conninfo(self.conninfo, user=role)


def _create_extension(**parameters: Any) -> None:
    """Put the extension into the template database."""
    with psycopg.connect(**parameters) as connection:
        connection.execute("CREATE EXTENSION bkpriv CASCADE")


template_server = factories.postgresql_noproc(load=[_create_extension])


def _uri() -> str:
    """URI of this process's server; empty if there is none."""
    uris = os.environ.get("BKPRIV_TEST_URI", "").splitlines()
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return uris[number] if number < len(uris) else ""


def pytest_configure(config: pytest.Config) -> None:
    """Point pytest-postgresql at the process's server, away from the caller's own settings."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    parts = conninfo_to_dict(_uri())
    config.option.postgresql_host = parts.get("host")
    config.option.postgresql_port = parts.get("port")
    config.option.postgresql_user = parts.get("user")
    config.option.postgresql_dbname = f"bkpriv_test_{os.getpid()}"


@pytest.fixture(scope="session")
def server_uri() -> str:
    """Connection string of the server's maintenance database, as superuser."""
    uri = _uri()
    if not uri:
        pytest.fail(
            "BKPRIV_TEST_URI names no server for this process: run `make test`, which starts one "
            "for each, or name one and run pytest in one process"
        )
    return make_conninfo(uri, dbname="postgres")


@pytest.fixture(scope="session")
def server(server_uri: str) -> Iterator[Connection]:
    """Superuser's connection to the maintenance database."""
    with psycopg.connect(server_uri, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def server_programs(server: Connection) -> Path:
    """Directory of the server's own ``psql``, ``pg_dump`` and the like."""
    row = server.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'").fetchone()
    assert row is not None
    return Path(row[0])


@pytest.fixture(scope="session")
def template(server: Connection, request: pytest.FixtureRequest) -> str:
    """Name of the template database that holds the extension."""
    # Asked for by name so that a missing server is reported by `server_uri` first.
    name: str = request.getfixturevalue("template_server").template_dbname
    return name


@contextmanager
def fresh_database(server: Connection, template: str) -> Iterator[Database]:
    """Copy the template; close the connections and drop the copy at the end."""
    name = f"{template.removesuffix('_tmpl')}_{uuid.uuid4().hex[:8]}"
    server.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(template)
        )
    )
    # Not the connection's own string: programs of an older release refuse parameters new to it.
    host, port = server.info.host, server.info.port
    database = Database(make_conninfo(host=host, port=port, dbname=name))
    try:
        yield database
    finally:
        for connection in (*database.opened, *database.kept, *database.idle):
            connection.close()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


class Pool:
    """The database of those tests that take turns in one; see `tests.pool`."""

    def __init__(self, server: Connection, template: str) -> None:
        self._server, self._template = server, template
        self._stack = ExitStack()
        self._database: Database | None = None
        self._before: State | None = None

    @contextmanager
    def turn(self) -> Iterator[Database]:
        """Lend the database, with one session of a superuser; clear it afterwards."""
        if self._database is None:
            self._database = self._stack.enter_context(fresh_database(self._server, self._template))
            self._database.kept.append(self._database.connect())
            self._database.opened.clear()
            self._before = State(self._database.kept[0])
        database = self._database
        session = database.kept[0]
        yield database
        for connection in database.opened:
            free = renewed(connection)
            if free is None:
                connection.close()
            else:
                database.idle.append(free)
                database.kept.append(connection)  # which would warn that it was not closed
        database.opened.clear()
        again = renewed(session)
        if again and self._before and self._alone(again) and clear(again, self._before):
            database.kept.insert(0, again)
        else:
            self.close()

    def _alone(self, session: Connection) -> bool:
        """End whatever else is at work in the database, but for sessions that are idle."""
        assert self._database is not None
        known = [session.info.backend_pid, *(c.info.backend_pid for c in self._database.idle)]
        others = (
            "FROM pg_stat_activity WHERE datname = current_database() "
            f"AND pid NOT IN ({', '.join(map(str, known))})"
        )
        session.execute(f"SELECT pg_terminate_backend(pid, 5000) {others}".encode())
        return session.execute(f"SELECT {others}".encode()).fetchall() == []

    def close(self) -> None:
        """Drop the database."""
        self._stack.close()
        self._database = None


@pytest.fixture(scope="session")
def pool(server: Connection, template: str, make_role: Callable[..., str]) -> Iterator[Pool]:
    """The database of those tests that take turns in one. Roles are dropped after it."""
    pool = Pool(server, template)
    yield pool
    pool.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest, server: Connection, template: str
) -> Iterator[Database]:
    """Database with the extension, for one test: fresh, or as good as fresh."""
    if request.node.get_closest_marker("pooled"):
        with request.getfixturevalue("pool").turn() as cleared:
            yield cleared
    else:
        with fresh_database(server, template) as fresh:
            yield fresh


@contextmanager
def taken_back(server: Connection, template: str) -> Iterator[RolledBack]:
    """Superuser's connection to a database of which tests take back their use."""
    with (
        fresh_database(server, template) as fresh,
        # Nothing is prepared: what a statement names is another table in the next test.
        RolledBack.connect(fresh.uri(), autocommit=True, prepare_threshold=None) as connection,
    ):
        yield connection


@pytest.fixture(scope="session")
def rolled_back(server: Connection, template: str) -> Iterator[RolledBack]:
    """Superuser's connection to a database of which each test takes back its use."""
    with taken_back(server, template) as connection:
        yield connection


@pytest.fixture
def db(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Superuser's connection to the test's own database, or to what counts as such."""
    if request.node.get_closest_marker("rolled_back") and "database" not in request.fixturenames:
        which = "rolled_back_clinic" if "clinic" in request.fixturenames else "rolled_back"
        connection: RolledBack = request.getfixturevalue(which)
        with connection.turn():
            yield connection
    else:
        yield request.getfixturevalue("database").first()


@pytest.fixture
def connect_as(database: Database) -> Callable[[str], Connection]:
    """Open further connections to the test's own database, by role."""
    return database.connect


@pytest.fixture(scope="module")
def shared_database(server: Connection, template: str) -> Iterator[Database]:
    """Database with the extension for all tests of a module, for what is costly to set up."""
    with fresh_database(server, template) as fresh:
        yield fresh


@pytest.fixture(scope="module")
def shared_db(shared_database: Database) -> Connection:
    """Superuser's connection to the module's database."""
    return shared_database.connect()


@pytest.fixture(scope="session")
def make_role(server: Connection) -> Iterator[Callable[..., str]]:
    """Create login roles with unique names; ``make_role("publisher")``.

    They are dropped when the session ends, which is after every database that mentions them.
    """
    made: list[str] = []

    def make(label: str = "role") -> str:
        name = f"test_{label}_{uuid.uuid4().hex[:8]}"
        server.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
        made.append(name)
        return name

    yield make
    for name in made:
        server.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))
