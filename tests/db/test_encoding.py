"""Encodings: databases are in UTF-8, for PL/Python reads texts so; clients are in any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, declare_clinic, one, publish, state_policy
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


@pytest.mark.parametrize("audience", ["officer", "outsiders"])
@pytest.mark.parametrize("encoding", ["LATIN1", "SJIS", "WIN1252"])
def test_a_report_reaches_clients_of_other_encodings(
    db: Connection, encoding: str, audience: str
) -> None:
    create_clinic(db)
    declare_clinic(db)
    db.execute("UPDATE clinic.patient SET city = 'Łódź' WHERE city = 'Aln'")
    db.execute("UPDATE clinic.city_levels SET city = 'Łódź' WHERE city = 'Aln'")
    db.execute("SELECT bkpriv.set_hierarchy('patients', 'city', 'clinic.city_levels')")
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    release = publish(db)
    asked = "SELECT bkpriv.report_html(%s, %s)"
    page = one(db, asked, [release, audience])
    assert page.isascii()
    assert "&#10003; satisfied" in page
    db.execute(f"SET client_encoding = {encoding}")
    assert len(one(db, asked, [release, audience])) > 1000
    db.execute("RESET client_encoding")


def test_what_the_server_says_itself_is_read_in_any_encoding() -> None:
    root = Path(__file__).resolve().parents[2] / "plpython"
    for path in root.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]
            for part in ast.walk(argument)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        }
        for part in said:
            assert str(part.value).isascii(), f"{path}:{part.lineno}"
