"""Fixtures of the tests in a real server: the clinic declared, and the people who work with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from psycopg import sql

from tests.conftest import Connection, Database, RolledBack, taken_back
from tests.db.clinic import (
    BELIEFS,
    PLAIN,
    create_clinic,
    declare_clinic,
    declare_own,
    one,
    publish,
    share,
    state_policy,
)
from tests.db.visits import CREATE_VISITS, register


def _set_up(db: Connection) -> Connection:
    create_clinic(db)
    declare_clinic(db)
    state_policy(db, "plain", PLAIN)
    state_policy(db, "beliefs", BELIEFS)
    return db


@pytest.fixture
def clinic(db: Connection) -> Connection:
    """Superuser's connection to a database with the clinic, its dataset and two policies."""
    return db if one(db, "SELECT to_regclass('clinic.patient')") else _set_up(db)


@pytest.fixture(scope="session")
def rolled_back_clinic(server: Connection, template: str) -> Iterator[RolledBack]:
    """Like `rolled_back`, with what `clinic` has."""
    with taken_back(server, template) as connection:
        _set_up(connection)
        yield connection


@pytest.fixture(scope="module")
def shared_clinic(shared_db: Connection) -> Connection:
    """Like `clinic`, shared by the tests of a module, which must leave it as they find it."""
    return _set_up(shared_db)


@pytest.fixture
def make_publisher(
    database: Database, db: Connection, make_role: Callable[..., str]
) -> Callable[..., Connection]:
    """Make publishers with a schema of their own, named like the role; returns connections."""

    def make(label: str = "publisher") -> Connection:
        role = make_role(label)
        db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
        db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(role)))
        return database.connect(role)

    return make


@pytest.fixture
def rivals(make_publisher: Callable[..., Connection]) -> tuple[Connection, Connection]:
    """Two publishers; the first has published release 1 of dataset ``mine`` as ``shown``."""
    victim, attacker = make_publisher("victim"), make_publisher("attacker")
    declare_own(victim)
    state_policy(victim, "p", {"k_anonymity": {"k": 3}})
    assert publish(victim, "mine", "p", "shown") == 1
    return victim, attacker


@pytest.fixture(scope="module")
def people(
    shared_database: Database, shared_clinic: Connection, make_role: Callable[..., str]
) -> dict[str, str]:
    """Roles by their job; the publisher has published release 1 and the reader may read it."""
    db = shared_clinic
    jobs = ("publisher", "colleague", "auditor", "watcher", "reader", "nobody")
    found = {job: make_role(job) for job in jobs}
    for job in ("publisher", "colleague"):
        db.execute("SELECT bkpriv.grant_publisher(%s)", [found[job]])
        db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(found[job])))
    for job in ("auditor", "watcher"):
        db.execute(f"SELECT bkpriv.grant_{job}(%s)", [found[job]])
    publisher = shared_database.connect(found["publisher"])
    declare_own(publisher)
    state_policy(
        publisher, "own", {"k_anonymity": {"k": 3}, "bt_privacy": {"bandwidth": 1, "t": 0.99}}
    )
    assert publish(publisher, "mine", "own", "shown") == 1
    publisher.execute("SELECT bkpriv.attack(1, 'majority', '{\"model\": \"bayes\"}')")
    names = {"schema": sql.Identifier(found["publisher"]), "role": sql.Identifier(found["reader"])}
    publisher.execute(sql.SQL("GRANT USAGE ON SCHEMA {schema} TO {role}").format(**names))
    publisher.execute(sql.SQL("GRANT SELECT ON shown TO {role}").format(**names))
    return found | {"superuser": "postgres"}


@pytest.fixture
def ward(db: Connection) -> Connection:
    """Superuser's connection to a database with an empty schema ``clinic`` and two policies."""
    db.execute("CREATE SCHEMA clinic")
    state_policy(db, "plain", PLAIN)
    state_policy(db, "beliefs", BELIEFS)
    return db


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection to a clinic whose patients come one to three times."""
    db.execute(CREATE_VISITS)
    register(db)
    state_policy(db, "crowd", {"k_anonymity": {"k": 4}})
    return db


@pytest.fixture
def publisher(make_publisher: Callable[..., Connection]) -> Connection:
    """A publisher who has published release 1 of ``mine`` as ``shown``, and lets all read it."""
    connection = make_publisher()
    declare_own(connection)
    state_policy(connection, "p", {"k_anonymity": {"k": 3}, "l_diversity": {"l": 2}})
    assert publish(connection, "mine", "p", "shown") == 1
    share(connection)
    return connection


@pytest.fixture
def reader(database: Database, make_role: Callable[..., str], db: Connection) -> Connection:
    """A role that may do nothing but read, with a schema of its own that nobody may look into."""
    role = make_role("reader")
    db.execute(sql.SQL("CREATE SCHEMA AUTHORIZATION {}").format(sql.Identifier(role)))
    return database.connect(role)
