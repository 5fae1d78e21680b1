"""The clinic's knowledge as tables in the database, which the extension reads."""

from __future__ import annotations

from bkpriv_client.loading import TableName, create_table
from bkpriv_client.server import Connection
from studies.clinic.knowledge import first_beliefs, transitions

__all__ = ["load_first_beliefs", "load_transitions"]


def load_transitions(connection: Connection, table: TableName, order: int, weeks: int) -> None:
    """Create a table of domain knowledge: history, next, probability."""
    create_table(
        connection,
        table,
        {"history": "text[]", "next": "text", "probability": "float8"},
        ((list(row.history), row.next, row.probability) for row in transitions(order, weeks)),
    )


def load_first_beliefs(connection: Connection, table: TableName) -> None:
    """Create a prior table: age, gender, weight, result, probability."""
    create_table(
        connection,
        table,
        {
            "age": "integer",
            "gender": "integer",
            "weight": "integer",
            "result": "text",
            "probability": "float8",
        },
        ((row.age, row.gender, row.weight, row.result, row.probability) for row in first_beliefs()),
    )
