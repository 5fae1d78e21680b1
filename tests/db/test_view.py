"""The published view: what counts as ours, and what its readers keep and lose."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish


def test_a_view_that_reads_more_than_a_release_is_left_alone(clinic: Connection) -> None:
    release = publish(clinic, view="shown")
    clinic.execute(
        f"CREATE VIEW mine AS SELECT r.disease, p.age "
        f"FROM bkpriv_release.release_{release} r, clinic.patient p"
    )
    definition = one(clinic, "SELECT pg_get_viewdef('mine'::regclass)")
    with pytest.raises(psycopg.errors.DuplicateTable, match="mine"):
        publish(clinic, view="mine")
    assert one(clinic, "SELECT pg_get_viewdef('mine'::regclass)") == definition


def test_publishing_again_does_not_give_back_what_was_revoked(
    clinic: Connection, make_role: object
) -> None:
    reader = make_role("reader")  # type: ignore[operator]
    clinic.execute(f"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {reader}")
    options = {"materialized": True}
    publish(clinic, view="shown", options=options)
    may = f"SELECT has_table_privilege('{reader}', 'shown', 'SELECT')"
    assert one(clinic, may) is True
    clinic.execute(f"REVOKE SELECT ON shown FROM {reader}")
    publish(clinic, view="shown", options=options)
    assert one(clinic, may) is False


def test_an_unusual_smoothing_is_stated_by_every_audit(clinic: Connection) -> None:
    clinic.execute(
        """SELECT bkpriv.set_policy('told', '{"bt_privacy": {"bandwidth": 0.5, "t": 0.9}}')"""
    )
    release = publish(clinic, policy="told", options={"smoothing": 1})
    told = "SELECT DISTINCT parameters->>'smoothing' FROM {}"
    assert one(clinic, told.format("bkpriv.audits")) == "1"
    assert one(clinic, told.format(f"bkpriv.audit({release})")) == "1"
