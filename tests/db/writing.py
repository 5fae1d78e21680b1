"""Writes to the clinic's table, and whether its releases are known to be stale."""

from __future__ import annotations

from tests.conftest import Connection
from tests.db.clinic import one

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
