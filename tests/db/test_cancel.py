"""Long publications: they can be stopped at any point, show how far they are, and leave nothing."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import unchanged
from tests.db.waiting import timed_out, until, worked, works_at_most

LATER = [pytest.param(seconds, marks=pytest.mark.extended) for seconds in (2.0, 4.0)]

STEPS = ["counting", "weighing knowledge", "partitioning", "certifying", "improving", "writing"]


@pytest.fixture(scope="module")
def big(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with datasets that take long to publish.

    The fewer people, the sooner a publication is at its later steps, which are long enough.
    """
    shared_db.execute(
        """
        CREATE TABLE census AS
        SELECT i * 7919 % 97 AS age, i * 104729 % 89 AS hours, i * 1299709 % 13 AS class,
            i * 15485863 % 7 AS area, (i * 7919 % 97 / 12 + i * 31 % 5) % 12 AS secret
        FROM generate_series(1::bigint, 60000) AS i;
        CREATE TABLE town AS SELECT * FROM census LIMIT 2500;
        CREATE TABLE village AS SELECT * FROM census LIMIT 1200;
        SELECT bkpriv.register_dataset(name, name, '{age,hours,class,area}', 'secret')
        FROM unnest('{census,town,village}'::text[]) AS name;
        """
    )
    skyline = [{"bandwidth": bandwidth / 10, "t": 0.1} for bandwidth in range(2, 12)]
    state_policy(shared_db, "slow", {"k_anonymity": {"k": 2}, "bt_privacy": skyline})
    return shared_db


class Publication:
    """A long publication in a session and thread of its own."""

    def __init__(
        self,
        connection: Connection,
        dataset: str = "census",
        policy: str = "slow",
        options: dict[str, Any] | None = None,
    ) -> None:
        self.connection = connection
        self._call = dataset, policy, f"public.{policy}", options
        self.pid = connection.info.backend_pid
        self.error: psycopg.Error | None = None
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            publish(self.connection, *self._call)
        except psycopg.Error as error:
            self.error = error

    def shown(self, db: Connection) -> str:
        """Progress as others see it."""
        query = "SELECT max(application_name) FROM pg_stat_activity WHERE pid = %s"
        return one(db, query, [self.pid]) or ""

    def ended(self) -> bool:
        """Whether it is over."""
        return not self._thread.is_alive()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()


@pytest.fixture
def dataset() -> str:
    """Dataset of a long publication."""
    return "town"


@pytest.fixture
def publication(big: Connection, shared_database: Database, dataset: str) -> Iterator[Publication]:
    """A long publication that has just begun; stopped at the end of the test."""
    connection = shared_database.connect()
    connection.execute("SET application_name = 'my own'")
    begun = Publication(connection, dataset)
    yield begun
    big.execute("SELECT pg_cancel_backend(%s)", [begun.pid])
    begun.join()


@pytest.mark.parametrize(
    ("dataset", "step"),
    [
        ("census", "counting"),
        ("census", "weighing knowledge"),
        ("town", "partitioning"),
        ("village", "certifying"),
        pytest.param("census", "improving", marks=pytest.mark.extended),
    ],
)
def test_a_cancelled_publication_stops_at_once_and_leaves_nothing(
    big: Connection, publication: Publication, step: str
) -> None:
    with unchanged(big):
        until(lambda: step in publication.shown(big))
        further = worked(publication.pid) + 0.1
        until(lambda: publication.ended() or worked(publication.pid) > further)
        assert not publication.ended(), "the publication is not long enough for this test"
        with works_at_most(publication.pid):
            big.execute("SELECT pg_cancel_backend(%s)", [publication.pid])
            until(publication.ended)
    assert isinstance(publication.error, psycopg.errors.QueryCanceled)
    assert publication.shown(big) == "my own"
    # The session is as good as before.
    assert publication.connection.execute("SELECT bkpriv.version()").fetchone()
    assert one(big, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0


@pytest.mark.parametrize("seconds", [0.2, 1.0, *LATER])
def test_a_timeout_stops_a_publication_wherever_it_is(
    big: Connection, shared_database: Database, seconds: float
) -> None:
    connection = shared_database.connect()
    with unchanged(big), timed_out(connection, seconds):
        publish(connection, "census", "slow", "public.slow")


@pytest.mark.parametrize("seconds", [1.0, *LATER[1:]])
def test_a_timeout_stops_an_exploration_wherever_it_is(
    big: Connection, shared_database: Database, seconds: float
) -> None:
    connection = shared_database.connect()
    call = (
        "SELECT * FROM bkpriv.explore('census', "
        """'{"grid": {"bandwidth": {"from": 0.2, "to": 1}, "t": [0.1, 0.2]}}')"""
    )
    with unchanged(big), timed_out(connection, seconds):
        connection.execute(call)


def test_a_killed_backend_leaves_no_half_release(big: Connection, publication: Publication) -> None:
    with unchanged(big):
        until(lambda: "partitioning" in publication.shown(big))
        big.execute("SELECT pg_terminate_backend(%s)", [publication.pid])
        until(publication.ended)
        assert isinstance(publication.error, psycopg.OperationalError)
        until(lambda: publication.shown(big) == "")


def test_a_lost_client_leaves_no_half_release(big: Connection, shared_database: Database) -> None:
    connection = shared_database.connect()
    connection.execute("SET client_connection_check_interval = '100ms'")
    with unchanged(big):
        publication = Publication(connection)
        until(lambda: "weighing knowledge" in publication.shown(big))
        # The socket is torn from under the client.
        descriptor = os.dup(connection.fileno())
        with socket.socket(fileno=descriptor) as lost:
            lost.shutdown(socket.SHUT_RDWR)
        until(publication.ended)
        until(lambda: publication.shown(big) == "")


def test_measuring_is_stopped_at_once_too(big: Connection, shared_database: Database) -> None:
    # One group whose exact inference goes through four million states for each of a few cells.
    big.execute(
        "CREATE TABLE wide AS SELECT i % 40 AS a, i * i % 5 + i % 5 AS b "
        "FROM generate_series(1, 100) AS i;"
        "SELECT bkpriv.register_dataset('wide', 'wide', '{a}', 'b')"
    )
    state_policy(big, "one", {"k_anonymity": {"k": 100}})
    release = publish(big, "wide", "one", "public.shown")
    connection = shared_database.connect()
    for call in ("posterior(%s, '0.3', 'exact')", "disclosure(%s, '0.3', 'exact')"):
        with timed_out(connection, 0.2):
            connection.execute(f"SELECT count(*) FROM bkpriv.{call}", [release])


@pytest.mark.parametrize(
    "call",
    [
        # Many kinds of groups, many pieces of knowledge: half a minute.
        "worst_case((SELECT array_agg(a) FROM (SELECT array_agg((i * j * 7919) % 1009) AS a "
        "FROM generate_series(1, 400) AS i, generate_series(1, 300) AS j GROUP BY i) AS x), 250)",
        # A lattice of eight million states.
        "exact_posterior((SELECT array_agg(ARRAY[0.2 + i % 100 / 1000.0, 0.3 + i / 3 % 100 / "
        "1000.0, 0.5 - i % 100 / 1000.0 - i / 3 % 100 / 1000.0]::float8[]) "
        "FROM generate_series(1, 600) AS i), '{200,200,200}')",
    ],
    ids=["worst_case", "exact_posterior"],
)
def test_calculators_are_stopped_too(shared_database: Database, call: str) -> None:
    connection = shared_database.connect()
    with timed_out(connection, 0.5):
        connection.execute(f"SELECT bkpriv.{call}")


def test_a_first_call_is_stopped_while_packages_are_loaded(shared_database: Database) -> None:
    connection = shared_database.connect()
    connection.execute("SET statement_timeout = '20ms'")
    call = "SELECT bkpriv.js_divergence('{1,0}', '{0,1}')"
    # The words are PL/Python's, which has nothing else to catch it with before they are there.
    with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
        connection.execute(call)
    connection.execute("SET statement_timeout = 0")
    assert one(connection, call) == 1.0


def test_progress_is_told_step_by_step_and_the_name_restored(
    big: Connection, shared_database: Database
) -> None:
    # A quick policy: the steps are what counts here.
    state_policy(big, "quick", {"k_anonymity": {"k": 500}})
    connection = shared_database.connect()
    connection.execute("SET application_name = 'my own'")
    seen: list[str] = []
    done = threading.Event()
    watcher = shared_database.connect()

    def watch() -> None:
        while not done.is_set():
            seen.append(
                one(
                    watcher,
                    "SELECT application_name FROM pg_stat_activity WHERE pid = %s",
                    [connection.info.backend_pid],
                )
            )

    thread = threading.Thread(target=watch)
    thread.start()
    with connection.transaction():
        publish(connection, "town", "quick", "public.quick")
        # Within the transaction, too, it is the caller's own again.
        assert one(connection, "SHOW application_name") == "my own"
    done.set()
    thread.join()
    assert one(connection, "SHOW application_name") == "my own"
    told = [name for name in seen if name.startswith("bkpriv publish: ")]
    order = [STEPS.index(step) for name in told for step in STEPS if step in name]
    assert order == sorted(order)
    # Steps that are over at once need not be seen.
    assert {"counting"} < {STEPS[place] for place in order}


def test_an_error_restores_the_name(big: Connection, shared_database: Database) -> None:
    state_policy(big, "never", {"k_anonymity": {"k": 10**9}})
    connection = shared_database.connect()
    connection.execute("SET application_name = 'my own'")
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        publish(connection, "town", "never", "public.never")
    assert one(connection, "SHOW application_name") == "my own"
    with connection.transaction():
        with pytest.raises(psycopg.errors.InvalidParameterValue), connection.transaction():
            publish(connection, "town", "never", "public.never")
        assert one(connection, "SHOW application_name") == "my own"


@pytest.mark.parametrize("step", ["reading earlier releases", "judging releases together"])
def test_certification_together_is_stopped_and_leaves_nothing(
    big: Connection, shared_database: Database, step: str
) -> None:
    if one(big, "SELECT to_regclass('persons')") is None:
        big.execute(
            "CREATE TABLE persons AS SELECT i AS id, age, hours, class, area, secret "
            "FROM (SELECT row_number() OVER () AS i, * FROM census) AS c WHERE i <= 6000;"
            "SELECT bkpriv.register_dataset("
            "'persons', 'persons', '{age,hours,class,area}', 'secret', 'id')"
        )
        state_policy(big, "five", {"k_anonymity": {"k": 5}, "max_disclosure": {"tau": 0.6}})
        publish(big, "persons", "five", "public.persons_shown", {"refine": False})
        big.execute(
            "INSERT INTO persons SELECT i, age, hours, class, area, secret "
            "FROM (SELECT row_number() OVER () AS i, * FROM census) AS c "
            "WHERE i BETWEEN 6001 AND 12000"
        )
    connection = shared_database.connect()
    with unchanged(big):
        begun = Publication(connection, "persons", "five", {"refine": False})
        until(lambda: step in begun.shown(big))
        with works_at_most(begun.pid):
            big.execute("SELECT pg_cancel_backend(%s)", [begun.pid])
            until(begun.ended)
    assert isinstance(begun.error, psycopg.errors.QueryCanceled)
