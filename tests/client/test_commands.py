"""Common options of the commands, and ``doctor``."""

from __future__ import annotations

import pytest
from psycopg import sql

from bkpriv_client.server import without_password
from bkpriv_core import __version__
from tests.client.command import failed, run, succeeded
from tests.conftest import Connection, Database


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("demo",),
        ("doctor",),
        ("export",),
        ("load-csv",),
        ("report",),
        ("explore",),
        ("attack",),
    ],
)
def test_help_says_what_a_command_does(command: tuple[str, ...]) -> None:
    assert "Usage: " in succeeded(*command, "--help")
    assert "Usage: " in succeeded(*command, "-h")


def test_the_version_is_told() -> None:
    assert succeeded("--version").strip() == __version__


def test_an_unreachable_server_is_an_error_without_traceback(tmp_path: object) -> None:
    assert "connection" in failed("doctor", "--uri", f"host={tmp_path} user=nobody")


def test_a_database_without_the_extension_is_told_apart(
    server: Connection, server_uri: str
) -> None:
    held = server.execute("SELECT FROM pg_extension WHERE extname = 'bkpriv'").fetchone()
    assert held is None
    said = failed("doctor", "--uri", server_uri)
    assert 'database "postgres" does not hold the extension' in said
    assert "CREATE EXTENSION bkpriv CASCADE" in said


def test_an_error_of_the_server_is_shown_with_its_parts(database: Database, db: Connection) -> None:
    db.execute(
        """
        CREATE OR REPLACE FUNCTION bkpriv.doctor()
            RETURNS TABLE (check_name text, ok boolean, detail text) LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'it is [ill]' USING ERRCODE = '22023', DETAIL = 'Very.', HINT = 'Rest.';
        END $$
        """
    )
    said = failed("doctor", "--uri", database.uri())
    for part in ("Error 22023", "it is [ill]", "Detail: Very.", "Hint: Rest."):
        assert part in said


def test_what_others_wrote_does_not_command_the_terminal(
    database: Database, db: Connection
) -> None:
    evil = "\x1b]0;p\x07\x1b[31mr\x9bJ\x7f\u202eo"
    shown = "\\x1b[31mr\\x9bJ\\x7f\\u202eo"
    answers = (
        "RETURN QUERY SELECT {0}, false, {0}",
        "RAISE EXCEPTION '%', {0} USING DETAIL = {0}, HINT = {0}",
    )
    for answer in answers:
        db.execute(
            sql.SQL(
                "CREATE OR REPLACE FUNCTION bkpriv.doctor() RETURNS "
                "TABLE (check_name text, ok boolean, detail text) LANGUAGE plpgsql AS "
                f"$$ BEGIN {answer}; END $$"
            ).format(sql.Literal(evil))
        )
        code, output, errors = run("doctor", "--uri", database.uri())
        assert code == 1
        assert not set(output + errors) & set(evil) - set(f"{shown}]0;p")
        said = output + errors.replace("│", " ")
        assert said.count(shown) >= 2, said


def test_doctor_of_a_sound_installation(database: Database, db: Connection) -> None:
    output = succeeded("doctor", "--uri", database.uri())
    for (check,) in db.execute("SELECT check_name FROM bkpriv.doctor()").fetchall():
        assert check in output
    assert "checks passed" in output


def test_doctor_finds_what_is_wrong(database: Database, db: Connection) -> None:
    db.execute("GRANT EXECUTE ON FUNCTION bkpriv.withdraw(bigint, text) TO PUBLIC")
    code, output, _ = run("doctor", "--uri", database.uri())
    assert code == 1
    assert "WRONG" in output
    assert "1 of" in output


def test_passwords_are_not_shown() -> None:
    assert without_password("postgresql:///demo?host=/run") == "postgresql:///demo?host=/run"
    for uri in ("postgresql://ann:secret@host/demo", "user=ann password=secret dbname=demo"):
        uri_shown = without_password(uri)
        assert "secret" not in uri_shown
        assert "ann" in uri_shown
        assert "demo" in uri_shown
