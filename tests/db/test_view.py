"""The published view: what counts as ours, and what its readers keep and lose."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.refusal import refused

pytestmark = pytest.mark.pooled


@pytest.mark.parametrize("other", ["clinic.patient", "clinic.later"])
def test_a_view_that_reads_more_than_a_release_is_left_alone(
    clinic: Connection, other: str
) -> None:
    release = publish(clinic, view="shown")
    clinic.execute("CREATE TABLE clinic.later AS SELECT 1 AS age")
    clinic.execute(
        f"CREATE VIEW mine AS SELECT r.disease, o.age "
        f"FROM bkpriv_release.release_{release} r, {other} o"
    )
    definition = one(clinic, "SELECT pg_get_viewdef('mine'::regclass)")
    with pytest.raises(psycopg.errors.DuplicateTable, match="mine"):
        publish(clinic, view="mine")
    assert one(clinic, "SELECT pg_get_viewdef('mine'::regclass)") == definition


def test_publishing_again_does_not_give_back_what_was_revoked(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    clinic.execute(f"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {reader}")
    options = {"materialized": True}
    publish(clinic, view="shown", options=options)
    may = f"SELECT has_table_privilege('{reader}', 'shown', 'SELECT')"
    assert one(clinic, may) is True
    clinic.execute(f"REVOKE SELECT ON shown FROM {reader}")
    publish(clinic, view="shown", options=options)
    assert one(clinic, may) is False


def test_privileges_on_columns_stay_where_the_column_does(
    clinic: Connection, make_role: Callable[..., str]
) -> None:
    reader = make_role("reader")
    publish(clinic, view="public.v", method="bucketize")
    clinic.execute(f"GRANT SELECT (age, disease), INSERT (sex) ON public.v TO {reader}")
    publish(clinic, view="public.v", method="anatomy")
    may = "SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'v'"
    may += "::regclass AND has_column_privilege(%s, attrelid, attnum, %s)"
    assert one(clinic, may, [reader, "SELECT"]) == ["age"]
    assert one(clinic, may, [reader, "INSERT"]) == ["sex"]


def test_a_smoothing_is_stated_by_every_audit(clinic: Connection) -> None:
    clinic.execute(
        """SELECT bkpriv.set_policy('told', '{"bt_privacy": [
            {"bandwidth": 0.5, "t": 0.9, "smoothing": 1}, {"bandwidth": 0.5, "t": 0.9}]}')"""
    )
    release = publish(clinic, policy="told")
    told = "SELECT array_agg(parameters->>'smoothing' ORDER BY worst) FROM {}"
    assert one(clinic, told.format("bkpriv.audits")) == ["1", None]
    assert one(clinic, told.format(f"bkpriv.audit({release})")) == ["1", None]


def test_views_that_depend_on_one_are_named_up_to_fifty(clinic: Connection) -> None:
    publish(clinic, view="shown")
    for number in range(52):
        clinic.execute(f"CREATE VIEW later_{number} AS SELECT sex FROM shown")
    refused(
        clinic,
        "SELECT bkpriv.publish('patients', 'plain', 'shown', 'anatomy')",
        sqlstate="2BP01",
        names=["shown", "view public.later_0", "2 others or more"],
    )
