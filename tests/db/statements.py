"""Overhearing the statements that a function runs, with their plans, through ``auto_explain``."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection

__all__ = ["countings", "hear_statements"]


def hear_statements(connection: Connection) -> list[str]:
    """Collect the statements that a superuser's session runs from now on; skip where it cannot.

    Each is the plan that ``EXPLAIN VERBOSE`` would show, after the statement's own text.
    """
    try:
        connection.execute("LOAD 'auto_explain'")
    except psycopg.errors.UndefinedFile:
        pytest.skip("this server lacks auto_explain, a contributed module")
    connection.execute(
        """
        SET auto_explain.log_min_duration = 0;
        SET auto_explain.log_nested_statements = on;
        SET auto_explain.log_verbose = on;
        SET client_min_messages = log;
        """
    )
    heard: list[str] = []
    connection.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
    return heard


def countings(heard: list[str]) -> list[str]:
    """Select the statements that count a source."""
    return [text for text in heard if "WITH g AS MATERIALIZED" in text]
