"""Writes to the clinic's table, and whether its releases are known to be stale."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg

from tests.conftest import Connection
from tests.db.clinic import one, publish

CHANGES = [
    "INSERT INTO clinic.patient VALUES (30, 'f', 'Aln', 'ulcer')",
    "UPDATE clinic.patient SET age = age + 1 WHERE age = 30",
    "DELETE FROM clinic.patient WHERE age = 30",
    "TRUNCATE clinic.patient",
    "MERGE INTO clinic.patient p USING (VALUES (30)) v (age) ON p.age = v.age "
    "WHEN MATCHED THEN UPDATE SET sex = 'm'",
    "COPY clinic.patient FROM PROGRAM 'printf ''30\\tf\\tAln\\tulcer\\n'''",
]


def stale(db: Connection, release: int) -> bool | None:
    """Read the staleness of a release."""
    answer: bool | None = one(db, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release])
    return answer


Outcomes = list[Any]
"""Results of calls in other threads, and errors."""


def apart(work: Callable[[], Any]) -> tuple[threading.Thread, Outcomes]:
    """Run in a thread of its own what another session does: the thread, and what comes of it."""
    outcomes: Outcomes = []

    def run() -> None:
        try:
            outcomes.append(work())
        except psycopg.Error as error:
            outcomes.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcomes


def publish_apart(other: Connection) -> tuple[threading.Thread, Outcomes]:
    """Publish by another session, in a thread of its own."""
    return apart(lambda: publish(other))
