"""Encodings: PL/Python reads texts as they are in UTF-8 only, so that nothing else is taken."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.conftest import Connection, Database
from tests.db.test_doctor import findings

pytestmark = pytest.mark.rolled_back


@pytest.fixture(params=["LATIN1", "EUC_JP", "SQL_ASCII"])
def foreign(
    server: Connection, database: Database, request: pytest.FixtureRequest
) -> Iterator[tuple[str, Connection]]:
    """A database in another encoding."""
    name = f"{database.conninfo.split('dbname=')[1].split()[0]}_{request.param.lower()}"
    server.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING {} LOCALE 'C'").format(
            sql.Identifier(name), sql.Literal(request.param)
        )
    )
    try:
        uri = make_conninfo(database.conninfo, dbname=name, user="postgres")
        with psycopg.connect(uri, autocommit=True, client_encoding="utf8") as connection:
            yield request.param, connection
    finally:
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_the_extension_is_refused(foreign: tuple[str, Connection]) -> None:
    encoding, connection = foreign
    with pytest.raises(
        psycopg.errors.FeatureNotSupported, match=f"UTF8, not in {encoding}"
    ) as caught:
        connection.execute("CREATE EXTENSION bkpriv CASCADE")
    assert caught.value.diag.message_detail
    assert "UTF8" in (caught.value.diag.message_hint or "")
    left = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'bkpriv%'"
    assert connection.execute(left).fetchone() == (0,)


def test_the_doctor_looks(db: Connection) -> None:
    assert findings(db)["encoding"] == (True, "UTF8, UTF8 is needed")
