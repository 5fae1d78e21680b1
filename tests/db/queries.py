"""Random queries as text, which PostgreSQL and bkpriv must understand alike, and their answers."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection

Answer = tuple[Any, float, float, float | None]
Literals = Mapping[str, Sequence[str]]
"""Literals to compare each column with, as they are written in SQL, as is the column."""


def draw_condition(draw: random.Random, literals: Literals, depth: int = 3) -> str:
    """Draw a condition."""
    kind = draw.choice(["and", "or", "not", "atom", "atom"]) if depth else "atom"
    if kind == "not":
        return f"NOT ({draw_condition(draw, literals, depth - 1)})"
    if kind != "atom":
        parts = [draw_condition(draw, literals, depth - 1) for _ in range(draw.randint(2, 3))]
        return "(" + f" {kind.upper()} ".join(parts) + ")"
    column = draw.choice([*literals])
    some = [draw.choice(literals[column]) for _ in range(3)]
    return draw.choice(
        [
            f"{column} {draw.choice(['=', '<>', '!=', '<', '<=', '>', '>='])} {some[0]}",
            f"{some[0]} {draw.choice(['=', '<>', '<', '<=', '>', '>='])} {column}",
            f"{column} {draw.choice(['', 'NOT '])}BETWEEN {some[0]} AND {some[1]}",
            f"{column} {draw.choice(['', 'NOT '])}IN ({', '.join(some)})",
            f"{column} IS {draw.choice(['', 'NOT '])}NULL",
        ]
    )


def draw_grouping(draw: random.Random, columns: Sequence[str], sets: int = 3) -> str:
    """Draw what to group by."""

    def some() -> str:
        return ", ".join(draw.sample([*columns], draw.randint(1, len(columns))))

    return draw.choice(
        [
            some(),
            f"ROLLUP ({some()})",
            f"CUBE ({', '.join(draw.sample([*columns], min(2, len(columns))))})",
            f"GROUPING SETS ({', '.join(f'({some()})' for _ in range(draw.randint(1, sets)))}, ())",
        ]
    )


def asked(connection: Connection, release: int, query: str) -> list[Answer]:
    """Answer a query about a release."""
    return connection.execute(
        "SELECT * FROM bkpriv.query_accuracy(%s, %s)", [release, query]
    ).fetchall()


def answer(connection: Connection, release: int, query: str) -> tuple[float, float, float | None]:
    """Answer a query without GROUP BY; its error must be that of its counts."""
    ((key, actual, estimate, error),) = asked(connection, release, query)
    assert key == {}
    if actual:
        assert error is not None
        assert math.isclose(error, abs(estimate - actual) / actual, abs_tol=1e-12)
    else:
        assert error is None
    return actual, estimate, error


def run(connection: Connection, statement: str) -> Any:
    """Run a statement that is text, and return its only figure."""
    ((figure,),) = connection.execute(sql.SQL(statement)).fetchall()
    return figure


def rewritten(connection: Connection, release: int, query: str) -> str:
    """The estimate of a query as SQL."""
    return str(
        connection.execute("SELECT bkpriv.rewrite_query(%s, %s)", [release, query]).fetchall()[0][0]
    )


def estimates(connection: Connection, release: int, query: str) -> list[tuple[str, float]]:
    """Keys and estimates that `query_accuracy` gives, but for estimates of 0 of some key."""
    rows = asked(connection, release, query)
    return _sorted((key, figure) for key, _, figure, _ in rows if figure or not key)


def run_by_key(connection: Connection, statement: str) -> list[tuple[str, float]]:
    """Run a statement that is text, of keys and figures."""
    return _sorted(connection.execute(sql.SQL(statement)).fetchall())


def _sorted(rows: Iterable[tuple[Any, ...]]) -> list[tuple[str, float]]:
    return sorted((json.dumps(key, sort_keys=True), figure) for key, figure in rows)


def agree(
    connection: Connection,
    release: int,
    query: str,
    reader: Connection | None = None,
    within: float = 1e-9,
) -> tuple[float, float]:
    """Assert that who reads the views alone gets the estimates of a query.

    Returns the actual count and its estimate; of a query with GROUP BY, the number of its keys.
    """
    statement = rewritten(connection, release, query)
    if "GROUP BY" not in query:
        actual, estimate, _ = answer(connection, release, query)
        figure = run(reader or connection, statement)
        assert figure == pytest.approx(estimate, rel=within, abs=within), query
        return actual, estimate
    expected = estimates(connection, release, query)
    found = run_by_key(reader or connection, statement)
    assert [key for key, _ in found] == [key for key, _ in expected], query
    figures = [figure for _, figure in expected]
    assert [figure for _, figure in found] == pytest.approx(figures, rel=within, abs=within), query
    return len(found), math.nan
