"""Views that are opened for export: those of the release, and of nobody else's making."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import declare_own, one, publish, state_policy
from tests.db.refusal import refused

OPEN = "SELECT view_schema, view_name FROM bkpriv_internal.open_views(%s)"


@pytest.fixture
def host(
    db: Connection, connect_as: Callable[[str], Connection], make_role: Callable[..., str]
) -> Connection:
    """The owner of the schema ``shared``, in which publishers may create."""
    role = make_role("host")
    db.execute(
        sql.SQL(
            "CREATE SCHEMA shared AUTHORIZATION {}; GRANT ALL ON SCHEMA shared TO PUBLIC"
        ).format(sql.Identifier(role))
    )
    return connect_as(role)


@pytest.fixture
def publisher(
    db: Connection, connect_as: Callable[[str], Connection], make_role: Callable[..., str]
) -> Connection:
    """A publisher with a dataset ``mine`` in a schema of their own, which is current."""
    role = make_role("publisher")
    db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    db.execute(sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}").format(sql.Identifier(role)))
    own = connect_as(role)
    declare_own(own)
    state_policy(own, "plain", {"k_anonymity": {"k": 5}, "l_diversity": {"l": 2}})
    return own


def test_views_of_a_release_are_named_and_locked(db: Connection, publisher: Connection) -> None:
    release = publish(publisher, "mine", view="shown", method="anatomy")
    schema = one(publisher, "SELECT current_user::text")
    other = [(schema, "shown"), (schema, "shown_sensitive")]
    with publisher.transaction():
        assert publisher.execute(OPEN, [release]).fetchall() == other
        db.execute("SET lock_timeout = '50ms'")
        for _, name in other:
            view = sql.Identifier(schema, name)
            with pytest.raises(psycopg.errors.LockNotAvailable):
                db.execute(sql.SQL("ALTER VIEW {} RENAME TO gone").format(view))


def test_a_view_that_the_owner_of_the_schema_put_there_is_not_opened(
    db: Connection, publisher: Connection, host: Connection
) -> None:
    release = publish(publisher, "mine", view="shared.shown")
    host.execute("DROP VIEW shared.shown")
    host.execute(
        "CREATE FUNCTION shared.trap() RETURNS boolean LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$"
    )
    host.execute("CREATE VIEW shared.shown AS SELECT 1 AS a, 1 AS b WHERE shared.trap()")
    host.execute("GRANT SELECT ON shared.shown TO PUBLIC")
    # It still shows, by another view.
    name = sql.Identifier(f"release_{release}")
    publisher.execute(sql.SQL("CREATE VIEW kept AS TABLE bkpriv_release.{}").format(name))
    role = one(host, "SELECT current_user::text")
    refused(publisher, OPEN, [release], sqlstate="42501", names=["shared.shown", role])
    refused(
        db, OPEN, [release], sqlstate="42501", names=[f"release {release}", publisher.info.user]
    )
    # Even the publisher's own view is where the schema's owner may put another at any time.
    again = publish(publisher, "mine", view="shared.second")
    refused(publisher, OPEN, [again], sqlstate="42501", names=["shared.second", role])


def test_a_view_that_shows_anything_else_is_not_opened(publisher: Connection) -> None:
    release = publish(publisher, "mine", view="shown")
    table = sql.Identifier("bkpriv_release", f"release_{release}")
    publisher.execute(
        sql.SQL("CREATE OR REPLACE VIEW shown AS SELECT x.* FROM {} AS x, own LIMIT 1").format(
            table
        )
    )
    refused(publisher, OPEN, [release], sqlstate="55000", names=["shown", f"release {release}"])
    publisher.execute("ALTER VIEW shown RENAME TO other")
    refused(publisher, OPEN, [release], sqlstate="42P01", names=["shown"])


@pytest.mark.parametrize(
    "body",
    [
        "SELECT a, b FROM {} WHERE NOT isempty(a)",
        "SELECT a, 7 AS b FROM {}",
        "SELECT a, b FROM {} WHERE length(query_to_xml('TABLE own', true, false, '')::text) > 0",
    ],
)
def test_a_view_that_is_not_as_published_is_not_opened(publisher: Connection, body: str) -> None:
    release = publish(publisher, "mine", view="shown", options={"if_stale": True})
    kind = one(publisher, "SELECT format_type(atttypid, -1) FROM pg_attribute "
               "WHERE attrelid = 'shown'::regclass AND attname = 'b'")  # fmt: skip
    written = body.format(f"bkpriv_release.release_{release}").replace("7 AS", f"NULL::{kind} AS")
    publisher.execute(f"CREATE OR REPLACE VIEW shown WITH (security_barrier) AS {written}".encode())
    said = refused(publisher, OPEN, [release], sqlstate="55000", names=["shown", str(release)])
    assert "Publish the dataset again" in (said.message_hint or "")
    # That makes it anew, and runs nothing of it.
    again = publish(publisher, "mine", view="shown", options={"if_stale": True})
    assert again > release
    assert publisher.execute(OPEN, [again]).fetchall()


def test_a_view_that_cannot_be_read_through_is_not_opened(publisher: Connection) -> None:
    release = publish(
        publisher, "mine", view="shown", method="anatomy", options={"materialized": True}
    )
    assert len(publisher.execute(OPEN, [release]).fetchall()) == 2
    publisher.execute("REFRESH MATERIALIZED VIEW shown_sensitive WITH NO DATA")
    refused(publisher, OPEN, [release], sqlstate="55000", names=["shown_sensitive"])


def test_releases_that_are_not_shown_or_seen_are_not_opened(
    db: Connection, publisher: Connection
) -> None:
    refused(publisher, OPEN, [7], sqlstate="42704", names=["release 7"])
    refused(publisher, OPEN, [None], sqlstate="22023")
    for_others = publish(publisher, "mine", view="shown")
    publish(publisher, "mine", view="shown")
    refused(publisher, OPEN, [for_others], sqlstate="55000", names=["superseded"])
